// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Products in flight: each value is used once, an await names a token that
// covers what it lands, and what a pending product reads from registers stays
// alive until its await.

#include "Verify.h"
#include "helios/Dialect/Tile/IR/Linear.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace helios;
using namespace helios::frag;

//===----------------------------------------------------------------------===//
// Order of the engines' FIFOs
//===----------------------------------------------------------------------===//

namespace {

/// What is pending at a point of the kernel.
struct State {
  SmallVector<Value> pending;           ///< Tokens, oldest first.
  llvm::MapVector<Value, Value> tokens; ///< Of each value in flight.

  /// Control moves on: values are known by other names. What had one of the new
  /// names before has none now.
  void rename(ValueRange from, ValueRange to) {
    DenseMap<Value, Value> names;
    for (Value t : to)
      names[t] = Value();
    for (auto [f, t] : llvm::zip(from, to))
      names[f] = t;
    auto nameOf = [&](Value v) {
      auto it = names.find(v);
      return it == names.end() ? v : it->second;
    };
    SmallVector<Value> left;
    for (Value token : pending)
      if (Value name = nameOf(token))
        left.push_back(name);
    pending = std::move(left);
    llvm::MapVector<Value, Value> next;
    for (auto [value, token] : tokens)
      if (Value name = nameOf(value))
        next[name] = token ? nameOf(token) : Value();
    tokens = std::move(next);
  }
};

class FifoWalker {
public:
  explicit FifoWalker(PendingProducts *atReleases = nullptr)
      : atReleases(atReleases) {}

  LogicalResult block(Block &block, State &state) {
    for (Operation &op : block)
      if (failed(visit(&op, state)))
        return failure();
    return success();
  }

private:
  LogicalResult visit(Operation *op, State &state) {
    if (auto start = dyn_cast<MmaStartOp>(op)) {
      if (start.getAcc())
        state.tokens.erase(start.getAcc());
      state.pending.push_back(start.getToken());
      state.tokens[start.getResult()] = start.getToken();
      return success();
    }
    if (auto await = dyn_cast<AwaitOp>(op))
      return visitAwait(await, state);
    if (auto release = dyn_cast<ReleaseOp>(op); release && atReleases) {
      for (Value token : state.pending)
        for (Value origin : tile::originsOf(token))
          (*atReleases)[op].insert(origin.getDefiningOp());
      return success();
    }
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      if (failed(checkTogether(op, loop.getInitArgs(), state)))
        return failure();
      State entry = state;
      entry.rename(loop.getInitArgs(), loop.getRegionIterArgs());
      SmallVector<Value> before = carried(entry, loop.getRegionIterArgs());
      SmallVector<Value> after;
      // What only an earlier iteration has started is pending as well.
      for (int pass = 0; pass < 2; ++pass) {
        State body = entry;
        if (failed(block(*loop.getBody(), body)) ||
            failed(checkTogether(loop.getBody()->getTerminator(),
                                 loop.getYieldedValues(), body)))
          return failure();
        body.rename(loop.getYieldedValues(), loop.getRegionIterArgs());
        after = carried(body, loop.getRegionIterArgs());
        addMissing(entry.pending, after);
      }
      SmallVector<Value> leaving;
      for (Value token : after)
        leaving.push_back(loop.getTiedLoopResult(cast<BlockArgument>(token)));
      // A token that one path has retired does not matter to the order of the
      // others.
      llvm::erase_if(before,
                     [&](Value v) { return !llvm::is_contained(after, v); });
      llvm::erase_if(after,
                     [&](Value v) { return !llvm::is_contained(before, v); });
      if (before != after)
        return op->emitOpError("expected the tokens that the loop carries in "
                               "one order of age at its start and at its end");
      state.rename(loop.getInitArgs(), loop.getResults());
      addMissing(state.pending, leaving);
      return success();
    }
    if (isa<MapOp>(op))
      return success();
    for (Region &region : op->getRegions())
      for (Block &inner : region) {
        State copy = state;
        if (failed(block(inner, copy)))
          return failure();
      }
    return success();
  }

  LogicalResult visitAwait(AwaitOp await, State &state) {
    auto *at = llvm::find(state.pending, await.getToken());
    for (Value value : await.getLanded()) {
      Value token = state.tokens.lookup(value);
      auto *of = llvm::find(state.pending, token);
      // Found and younger than what is awaited; a retired one is not pending
      // any more.
      if (token && of != state.pending.end() &&
          (at == state.pending.end() || of > at) &&
          token.getType() == await.getToken().getType()) {
        InFlightDiagnostic diag =
            await.emitOpError("lands a value of a product younger than the "
                              "awaited token; await its own token");
        diag.attachNote(token.getLoc()) << "its product starts here";
        return diag;
      }
      state.tokens.erase(value);
    }
    if (at != state.pending.end()) {
      Type engine = await.getToken().getType();
      SmallVector<Value> rest;
      for (auto *it = state.pending.begin(); it != state.pending.end(); ++it)
        if (it > at || it->getType() != engine)
          rest.push_back(*it);
      state.pending = rest;
    }
    return success();
  }

  /// A value in flight is carried with its token, or nothing could be awaited.
  LogicalResult checkTogether(Operation *op, ValueRange values, State &state) {
    for (Value value : values) {
      if (!isa<InFlightType>(value.getType()))
        continue;
      Value token = state.tokens.lookup(value);
      if (token && llvm::is_contained(state.pending, token) &&
          !llvm::is_contained(values, token)) {
        InFlightDiagnostic diag =
            op->emitOpError("carries a value in flight without its token");
        diag.attachNote(token.getLoc()) << "this token";
        return diag;
      }
    }
    return success();
  }

  static SmallVector<Value> carried(State &state, ValueRange args) {
    SmallVector<Value> result;
    for (Value token : state.pending)
      if (llvm::is_contained(args, token))
        result.push_back(token);
    return result;
  }

  static void addMissing(SmallVectorImpl<Value> &to, ArrayRef<Value> tokens) {
    for (Value token : tokens)
      if (!llvm::is_contained(to, token))
        to.push_back(token);
  }

  PendingProducts *atReleases;
};

} // namespace

//===----------------------------------------------------------------------===//
// Operands in registers
//===----------------------------------------------------------------------===//

/// The first await in the block of a product that retires it: of its token, or
/// of a younger one of the block.
static AwaitOp awaitOf(MmaStartOp start) {
  DenseSet<Value> tokens;
  for (Operation *op = start; op; op = op->getNextNode()) {
    if (auto other = dyn_cast<MmaStartOp>(op);
        other && other.getToken().getType() == start.getToken().getType())
      tokens.insert(other.getToken());
    if (auto await = dyn_cast<AwaitOp>(op);
        await && tokens.contains(await.getToken()))
      return await;
  }
  return {};
}

/// True if a value is computed, within a block, from a result of an op.
static bool dependsOn(Value value, Operation *source, Block *block) {
  SmallVector<Value> work{value};
  DenseSet<Value> seen;
  while (!work.empty()) {
    Value v = work.pop_back_val();
    if (!seen.insert(v).second)
      continue;
    Operation *def = v.getDefiningOp();
    if (def == source)
      return true;
    Operation *around = def ? block->findAncestorOpInBlock(*def) : nullptr;
    if (around)
      around->walk(
          [&](Operation *op) { llvm::append_range(work, op->getOperands()); });
  }
  return false;
}

static LogicalResult verifyOperand(MmaStartOp start, Value operand) {
  if (!isa<FragmentType>(operand.getType()))
    return success();
  Block *block = start->getBlock();
  auto loop = dyn_cast<scf::ForOp>(block->getParentOp());
  // What is defined outside the loop lives through all of it.
  if (loop && !loop.getRegion().isAncestor(operand.getParentRegion()))
    return success();
  AwaitOp await = awaitOf(start);
  if (!await)
    return loop ? start.emitOpError(
                      "reads an operand from registers but is not awaited in "
                      "its block; expected an operand from outside "
                      "the loop or an await here")
                : success();
  bool pinned = llvm::is_contained(await.getThrough(), operand) ||
                llvm::any_of(operand.getUsers(), [&](Operation *user) {
                  Operation *around = block->findAncestorOpInBlock(*user);
                  return around && await->isBeforeInBlock(around);
                });
  if (!pinned) {
    InFlightDiagnostic diag =
        start.emitOpError("expected its operand in registers to live to the "
                          "await; name it in 'through' there");
    diag.attachNote(await.getLoc()) << "this await";
    return diag;
  }
  auto arg = dyn_cast<BlockArgument>(operand);
  if (!loop || !arg || arg.getOwner() != loop.getBody())
    return success();
  Value next = loop.getYieldedValues()[arg.getArgNumber() - 1];
  if (next == operand || dependsOn(next, await, block))
    return success();
  InFlightDiagnostic diag =
      start.emitOpError("expected what replaces its operand in the next "
                        "iteration to be computed from the results "
                        "of the await");
  diag.attachNote(await.getLoc()) << "this await; name the source in 'through'";
  return diag;
}

PendingProducts helios::frag::productsPendingAtReleases(KernelOp kernel) {
  PendingProducts result;
  State state;
  (void)FifoWalker(&result).block(kernel.getBody().front(), state);
  return result;
}

LogicalResult helios::frag::verifyProducts(KernelOp kernel) {
  tile::LinearKind kind{"value in flight", "await or accumulation",
                        "await it there", /*mayBeDropped=*/false,
                        /*mayLeaveBranch=*/false};
  auto consumes = [](OpOperand &use) {
    if (auto await = dyn_cast<AwaitOp>(use.getOwner()))
      return true;
    auto start = dyn_cast<MmaStartOp>(use.getOwner());
    return start && start.getAcc() == use.get();
  };
  if (failed(tile::verifyLinear(
          kernel.getBody(), kind,
          [](Value v) { return isa<InFlightType>(v.getType()); }, consumes)))
    return failure();
  State state;
  if (failed(FifoWalker().block(kernel.getBody().front(), state)))
    return failure();
  WalkResult walk = kernel.walk([&](MmaStartOp start) {
    return WalkResult(success(succeeded(verifyOperand(start, start.getA())) &&
                              succeeded(verifyOperand(start, start.getB()))));
  });
  return failure(walk.wasInterrupted());
}
