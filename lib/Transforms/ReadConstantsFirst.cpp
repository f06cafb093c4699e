// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// frag-read-constants-first: constants are read before the dispatch in front of
// this one has ended.

#include "helios/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Transforms/RegionUtils.h"

namespace helios {
#define GEN_PASS_DEF_FRAGREADCONSTANTSFIRST
#include "helios/Transforms/Passes.h.inc"
} // namespace helios

using namespace mlir;
using namespace helios;

namespace {

/// Whether an op may run before the dispatch in front has ended, if the ops
/// that it uses do.
bool mayRunFirst(Operation *op) {
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return !frag::holds(op, [&](Operation *inner) {
      return inner != op &&
             (isa<frag::AcquireOp>(inner) || !mayRunFirst(inner));
    });
  auto acquire = dyn_cast<frag::AcquireOp>(op);
  return isMemoryEffectFree(op) || frag::readsConstant(op) ||
         (acquire && acquire.getAccess() == tile::Access::Write &&
          !acquire.getCount());
}

/// Adds an op, behind what it uses of what follows `await` in its block.
/// Returns whether all of it may run first.
bool collect(Operation *op, Operation *await,
             llvm::SetVector<Operation *> &ops) {
  if (!op || op->getBlock() != await->getBlock() ||
      op->isBeforeInBlock(await) || ops.contains(op))
    return true;
  SetVector<Value> used(op->operand_begin(), op->operand_end());
  getUsedValuesDefinedAbove(op->getRegions(), used);
  if (!mayRunFirst(op) || !llvm::all_of(used, [&](Value value) {
        return collect(value.getDefiningOp(), await, ops);
      }))
    return false;
  ops.insert(op);
  return true;
}

/// Whether what follows an op may need it to have run.
bool separates(Operation *op) {
  return frag::holds(op, [](Operation *inner) {
    return isa<frag::BarrierOp, frag::TurnOp, frag::RoleOp, scf::ForOp>(inner);
  });
}

/// Moves what reads constants in front of an op that waits. Returns whether
/// there is any.
bool readFirst(frag::AwaitDependenciesOp await) {
  llvm::SetVector<Operation *> first;
  for (Operation *op = await->getNextNode(); op && !separates(op);
       op = op->getNextNode()) {
    llvm::SetVector<Operation *> needed = first;
    if (frag::holds(op, frag::readsConstant) && collect(op, await, needed))
      first = std::move(needed);
  }
  for (Operation *op : first)
    op->moveBefore(await);
  return !first.empty();
}

/// Lets the next dispatch begin at once where the last round of workgroups
/// leaves it room for all of its own, or for next to none: then one comes to
/// each processor that has its turn, if they have one each as well (the host
/// launches others when this one has ended). Where it leaves room for some,
/// those that come later would begin cold while the others' memory is full: 80
/// workgroups on 132 processors took 17.4 us so and 14.8 otherwise, 32, 128 and
/// 256 0.88 to 0.99 of the time (docs/benchmarks).
void releaseFirst(frag::KernelOp kernel) {
  int64_t processors = kernel.getTargetRow().getCosts().processors;
  auto b = OpBuilder::atBlockBegin(&kernel.getBody().front());
  Location loc = kernel.getLoc();
  auto number = [&](int64_t value) {
    return arith::ConstantIndexOp::create(b, loc, value);
  };
  auto compare = [&](arith::CmpIPredicate predicate, Value a, int64_t value) {
    return arith::CmpIOp::create(b, loc, predicate, a, number(value));
  };
  Value all = frag::IdOp::create(b, loc, frag::IdKind::Workgroups),
        last = arith::RemUIOp::create(b, loc, all, number(processors)),
        few = compare(arith::CmpIPredicate::ule, last, processors / 2),
        most = compare(arith::CmpIPredicate::uge, last, processors * 15 / 16),
        early = arith::OrIOp::create(b, loc, few, most);
  auto branch = scf::IfOp::create(b, loc, early);
  b.setInsertionPointToStart(branch.thenBlock());
  frag::ReleaseDependentsOp::create(b, loc);
}

struct ReadConstantsFirst
    : helios::impl::FragReadConstantsFirstBase<ReadConstantsFirst> {
  void runOnOperation() override {
    SmallVector<frag::AwaitDependenciesOp> awaits;
    frag::ReleaseDependentsOp release;
    getOperation().walk([&](Operation *op) {
      if (auto await = dyn_cast<frag::AwaitDependenciesOp>(op))
        awaits.push_back(await);
      else if (auto other = dyn_cast<frag::ReleaseDependentsOp>(op))
        release = other;
    });
    bool reads = false;
    for (frag::AwaitDependenciesOp await : awaits)
      reads |= readFirst(await);
    if (reads && release && getOperation().isAlone())
      releaseFirst(getOperation());
  }
};

} // namespace
