// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Values that are used up exactly once on every path through structured control
// flow.

#include "helios/Dialect/Tile/IR/Linear.h"
#include "helios/Dialect/Tile/IR/Tile.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace helios::tile;

SmallVector<Value> helios::tile::carriedTo(OpOperand &use) {
  Operation *op = use.getOwner();
  unsigned n = use.getOperandNumber();
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    if (n < loop.getNumControlOperands())
      return {};
    unsigned i = n - loop.getNumControlOperands();
    return {loop.getRegionIterArg(i), loop.getResult(i)};
  }
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return {loop.getBeforeArguments()[n]};
  if (auto condition = dyn_cast<scf::ConditionOp>(op)) {
    auto loop = cast<scf::WhileOp>(op->getParentOp());
    if (n == 0)
      return {};
    return {loop.getAfterArguments()[n - 1], loop.getResult(n - 1)};
  }
  if (auto roles = dyn_cast<RolesOp>(op))
    return {roles.getBody().getArgument(n)};
  if (isa<scf::YieldOp>(op)) {
    if (auto loop = dyn_cast<scf::ForOp>(op->getParentOp()))
      return {loop.getRegionIterArg(n), loop.getResult(n)};
    if (auto loop = dyn_cast<scf::WhileOp>(op->getParentOp()))
      return {loop.getBeforeArguments()[n]};
    if (isa<scf::IfOp>(op->getParentOp()))
      return {op->getParentOp()->getResult(n)};
  }
  return {};
}

/// The operands that flow into a loop argument or a result of an scf op.
static SmallVector<Value> sourcesOf(Value value) {
  if (auto arg = dyn_cast<BlockArgument>(value)) {
    unsigned n = arg.getArgNumber();
    Operation *parent = arg.getOwner()->getParentOp();
    if (auto loop = dyn_cast_or_null<scf::ForOp>(parent); loop && n > 0)
      return {loop.getInitArgs()[n - 1], loop.getYieldedValues()[n - 1]};
    if (auto loop = dyn_cast_or_null<scf::WhileOp>(parent)) {
      if (arg.getOwner() == loop.getBeforeBody())
        return {loop.getInits()[n], loop.getYieldOp()->getOperand(n)};
      return {loop.getConditionOp().getArgs()[n]};
    }
    if (auto roles = dyn_cast_or_null<RolesOp>(parent))
      return {roles.getCaptures()[n]};
    return {};
  }
  unsigned n = cast<OpResult>(value).getResultNumber();
  Operation *op = value.getDefiningOp();
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return {loop.getInitArgs()[n], loop.getYieldedValues()[n]};
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return {loop.getConditionOp().getArgs()[n]};
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return {branch.thenYield()->getOperand(n),
            branch.elseYield()->getOperand(n)};
  return {};
}

SmallVector<Value> helios::tile::originsOf(Value value) {
  SmallVector<Value> work{value}, origins;
  DenseSet<Value> seen;
  while (!work.empty()) {
    Value v = work.pop_back_val();
    if (!seen.insert(v).second)
      continue;
    SmallVector<Value> sources = sourcesOf(v);
    if (sources.empty())
      origins.push_back(v);
    llvm::append_range(work, sources);
  }
  return origins;
}

namespace {
class LinearChecker {
public:
  LinearChecker(const LinearKind &kind, function_ref<bool(Value)> tracked,
                function_ref<bool(OpOperand &)> consumes)
      : kind(kind), tracked(tracked), consumes(consumes) {}

  LogicalResult check(Value value) {
    // The uses that use the value up, each under the op of the value's own
    // block that holds it.
    llvm::MapVector<Operation *, SmallVector<OpOperand *>> uses;
    for (OpOperand &use : value.getUses())
      if (usesUp(use)) {
        if (failed(checkCarried(value, use)))
          return failure();
        uses[value.getParentBlock()->findAncestorOpInBlock(*use.getOwner())]
            .push_back(&use);
      }
    int64_t total = 0;
    for (auto &[op, list] : uses) {
      FailureOr<int64_t> n = count(value, op, list);
      if (failed(n))
        return failure();
      total += *n;
    }
    if (total == 1 || (total == 0 && kind.mayBeDropped))
      return success();
    InFlightDiagnostic diag = emitError(value.getLoc())
                              << "expected exactly one " << kind.consumer
                              << " of this " << kind.what
                              << " on every path, got " << total;
    if (total > 1)
      for (auto &[op, list] : uses)
        diag.attachNote(op->getLoc()) << "used here";
    return diag;
  }

private:
  bool usesUp(OpOperand &use) {
    return consumes(use) || llvm::any_of(carriedTo(use), tracked);
  }

  /// In a loop, or in a branch that must not hold it, a value from outside is
  /// an error.
  LogicalResult checkCarried(Value value, OpOperand &use) {
    if (!kind.mayLeaveBranch && isa<scf::YieldOp>(use.getOwner()) &&
        isa<scf::IfOp>(use.getOwner()->getParentOp()))
      return use.getOwner()->emitOpError("may not pass a ")
             << kind.what << " out of a branch; " << kind.mend;
    for (Operation *op = use.getOwner()->getParentOp();
         op && !op->isAncestor(value.getParentRegion()->getParentOp());
         op = op->getParentOp()) {
      if (isa<LoopLikeOpInterface, ItemsOp>(op)) {
        InFlightDiagnostic diag =
            use.getOwner()->emitOpError("uses up a ")
            << kind.what << " from outside the loop, once an iteration; "
            << kind.mend;
        diag.attachNote(op->getLoc()) << "carry it through this loop";
        return diag;
      }
      if (!kind.mayLeaveBranch && isa<scf::IfOp>(op))
        return use.getOwner()->emitOpError("uses a ")
               << kind.what << " from outside the branch; " << kind.mend;
    }
    return success();
  }

  /// How often the op uses the value up, the same on all of its paths.
  FailureOr<int64_t> count(Value value, Operation *op,
                           ArrayRef<OpOperand *> uses) {
    int64_t direct = llvm::count_if(
        uses, [&](OpOperand *use) { return use->getOwner() == op; });
    if (direct || uses.empty())
      return direct;
    SmallVector<int64_t> counts;
    for (Region &region : op->getRegions()) {
      int64_t n = 0;
      for (Block &block : region) {
        llvm::MapVector<Operation *, SmallVector<OpOperand *>> inner;
        for (OpOperand *use : uses)
          if (Operation *child = block.findAncestorOpInBlock(*use->getOwner()))
            inner[child].push_back(use);
        for (auto &[child, list] : inner) {
          FailureOr<int64_t> c = count(value, child, list);
          if (failed(c))
            return failure();
          n += *c;
        }
      }
      counts.push_back(n);
    }
    if (auto branch = dyn_cast<scf::IfOp>(op);
        branch && counts[0] != counts[1]) {
      InFlightDiagnostic diag =
          op->emitOpError("expected both branches to use up the ")
          << kind.what << " equally often, got " << counts[0] << " and "
          << counts[1];
      diag.attachNote(value.getLoc()) << "this " << kind.what;
      return diag;
    }
    int64_t total = 0;
    for (int64_t c : counts)
      total = isa<scf::IfOp>(op) ? std::max(total, c) : total + c;
    return total;
  }

  const LinearKind &kind;
  function_ref<bool(Value)> tracked;
  function_ref<bool(OpOperand &)> consumes;
};
} // namespace

LogicalResult
helios::tile::verifyLinear(Region &region, const LinearKind &kind,
                           function_ref<bool(Value)> tracked,
                           function_ref<bool(OpOperand &)> consumes) {
  LinearChecker checker(kind, tracked, consumes);
  auto all = [&](ValueRange values) {
    for (Value v : values)
      if (tracked(v) && failed(checker.check(v)))
        return failure();
    return success();
  };
  WalkResult walk = region.walk([&](Operation *op) -> WalkResult {
    for (Region &inner : op->getRegions())
      for (Block &block : inner)
        if (failed(all(block.getArguments())))
          return WalkResult::interrupt();
    return WalkResult(all(op->getResults()));
  });
  return failure(walk.wasInterrupted());
}
