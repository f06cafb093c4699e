// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// tile-schedule: ops of product loops get a stage and an order.

#include "ScheduleChain.h"
#include "helios/Dialect/Tile/Utils/Facts.h"
#include "helios/Dialect/Tile/Utils/Select.h"
#include "helios/Transforms/Passes.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/IR/IRMapping.h"

namespace helios {
#define GEN_PASS_DEF_TILESCHEDULE
#include "helios/Transforms/Passes.h.inc"
} // namespace helios

using namespace mlir;
using namespace helios;
using namespace helios::tile;

namespace {

bool writesShared(Operation *op) {
  auto convert = dyn_cast<ConvertLayoutOp>(op);
  if (!convert)
    return false;
  LayoutAttrInterface to = getLayout(convert.getType()),
                      from = getLayout(convert.getTile().getType());
  return to && from && to.isMemory() && !from.isMemory();
}

/// The ops of the loop body that these ops need, themselves included.
DenseSet<Operation *> needs(scf::ForOp loop, ArrayRef<Operation *> roots) {
  DenseSet<Operation *> result;
  SmallVector<Operation *> work(roots);
  while (!work.empty()) {
    Operation *op = work.pop_back_val();
    if (op->getBlock() != loop.getBody() || !result.insert(op).second)
      continue;
    op->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        if (Operation *def = operand.getDefiningOp())
          if (Operation *ancestor = loop.getBody()->findAncestorOpInBlock(*def))
            work.push_back(ancestor);
    });
  }
  return result;
}

/// Arithmetic on numbers that ops of two stages need is done for each of them:
/// that costs less than carrying it from trip to trip, and what follows sees
/// how it depends on the loop's counter. The copies do not belong to `ahead`.
void computeTwice(scf::ForOp loop, const DenseSet<Operation *> &ahead) {
  auto isScalar = [](Operation *op) {
    return op->getNumRegions() == 0 && isMemoryEffectFree(op) &&
           isa<arith::ArithDialect>(op->getDialect()) &&
           llvm::all_of(op->getResultTypes(),
                        [](Type type) { return type.isIntOrIndex(); });
  };
  IRMapping map;
  SmallVector<Operation *> copies;
  for (Operation &op :
       llvm::make_early_inc_range(loop.getBody()->without_terminator())) {
    if (!ahead.contains(&op) || !isScalar(&op))
      continue;
    OpBuilder b(loop.getContext());
    b.setInsertionPointAfter(&op);
    copies.push_back(b.clone(op, map));
  }
  for (auto [from, to] : map.getValueMap())
    Value(from).replaceUsesWithIf(to, [&](OpOperand &use) {
      Operation *user = loop.getBody()->findAncestorOpInBlock(*use.getOwner());
      return user && !ahead.contains(user) &&
             !user->hasTrait<OpTrait::IsTerminator>() &&
             !llvm::is_contained(copies, user);
    });
  for (Operation *copy : llvm::reverse(copies))
    if (copy->use_empty())
      copy->erase();
}

/// Whether products take a tile, at most from another place.
bool isOperand(Value tile) {
  return llvm::any_of(tile.getUses(), [](OpOperand &use) {
    if (isa<TransposeOp, ConvertLayoutOp>(use.getOwner()))
      return isOperand(use.getOwner()->getResult(0));
    return isa<DotOp>(use.getOwner()) && use.getOperandNumber() < 2;
  });
}

/// *staged*: the loads of the next iteration fly, in registers, over the
/// products of this one. With two buffers operands are written an iteration
/// ahead as well, so that the products of one separate writing from reading.
void scheduleStaged(scf::ForOp loop, int64_t buffers) {
  SmallVector<Operation *> loads, puts;
  bool products = false;
  for (Operation &op : loop.getBody()->without_terminator()) {
    // Operands that lie as lanes take them are read step by step, with the
    // products.
    if (auto load = dyn_cast<LoadOp>(op)) {
      if (!load.getView().getType().getPacked())
        loads.push_back(&op);
    } else if (writesShared(&op))
      puts.push_back(&op);
    products |= isa<DotOp>(op);
  }
  if (!products || loads.empty() || puts.empty())
    return;
  // A load whose address depends on a tile of this iteration cannot run ahead
  // of it.
  DenseSet<Operation *> ahead = needs(loop, loads);
  for (Operation *op : ahead)
    if (isa<DotOp>(op) || (writesShared(op)))
      return;
  // Operands are written before the loads fly; what is exchanged on the way
  // from one product to the next stays between them.
  llvm::erase_if(puts, [&](Operation *put) {
    return !isOperand(put->getResult(0)) ||
           llvm::any_of(needs(loop, {put}),
                        [](Operation *op) { return isa<DotOp>(op); });
  });
  DenseSet<Operation *> before = needs(loop, puts), early = ahead;
  early.insert(before.begin(), before.end());
  computeTwice(loop, early);
  MLIRContext *ctx = loop.getContext();
  for (Operation &op : loop.getBody()->without_terminator()) {
    SchedAttr sched = SchedAttr::get(ctx, buffers, 2);
    if (ahead.contains(&op))
      sched = SchedAttr::get(ctx, 0, 1);
    else if (before.contains(&op))
      sched = SchedAttr::get(ctx, 1, 0);
    op.setAttr(TileDialect::kSchedAttr, sched);
  }
}

/// The vectors that lanes load for what operands of products are computed of,
/// but for operands that other products come before.
SmallVector<Operation *> vectorsOfOperands(scf::ForOp loop) {
  SmallVector<Operation *> vectors;
  auto isProduct = [](Operation *op) { return isa<DotOp>(op); };
  for (auto dot : loop.getBody()->getOps<DotOp>())
    for (Value side : {dot.getA(), dot.getB()}) {
      DenseSet<Operation *> made;
      if (Operation *op = side.getDefiningOp())
        made = needs(loop, {op});
      if (llvm::none_of(made, isProduct))
        llvm::copy_if(made, std::back_inserter(vectors), [](Operation *op) {
          auto load = dyn_cast<LoadOp>(op);
          return load && load.getType().getRank() == 1;
        });
    }
  return vectors;
}

/// Brings what these loads need, and then the loads, to the beginning of a
/// trip, so that neighbours in memory may be loaded as one.
void gather(scf::ForOp loop, const DenseSet<Operation *> &vectors) {
  SmallVector<Operation *> numbers, loads;
  Operation *first = nullptr;
  for (Operation &op : *loop.getBody())
    if (vectors.contains(&op))
      (isa<LoadOp>(op) ? loads : numbers).push_back(&op);
    else if (!first)
      first = &op;
  for (Operation *op : llvm::concat<Operation *const>(numbers, loads))
    op->moveBefore(first);
}

/// *groups*: copies run as many trips ahead of what reads them as the rings
/// have slots, less the one that is read. The first slot to be read is entered
/// first: where completion is a queue, one wait makes this slot full and those
/// of the trip before empty. Slots of other rings are entered where they are
/// read, so that their copies have the time of what comes before. Vectors
/// that lanes load for an operand take few registers: they are on their way as
/// long as copies are.
void scheduleGroups(scf::ForOp loop) {
  SmallVector<Operation *> writes;
  llvm::SetVector<Operation *> reads;
  int64_t depth = 0;
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (auto enter = dyn_cast<EnterOp>(op)) {
      if (enter.getAccess() == Access::Read) {
        reads.insert(enter);
        int64_t slots = enter.getRing().getType().getDepth();
        depth = depth ? std::min(depth, slots) : slots;
        continue;
      }
      writes.push_back(enter);
    } else if (auto exit = dyn_cast<ExitOp>(op)) {
      if (exit.getSlot().getType().getAccess() == Access::Write)
        writes.push_back(exit);
    } else if (isa<CopyInOp>(op)) {
      writes.push_back(&op);
    }
  }
  if (depth < 2 || writes.empty())
    return;
  // A copy whose address depends on a tile of this trip cannot run ahead of it.
  DenseSet<Operation *> ahead = needs(loop, writes);
  for (Operation *op : ahead)
    if (isa<DotOp>(op) || reads.contains(op))
      return;
  computeTwice(loop, ahead);
  DenseSet<Operation *> vectors = needs(loop, vectorsOfOperands(loop));
  if (llvm::any_of(vectors, [&](Operation *op) { return reads.contains(op); }))
    vectors.clear();
  computeTwice(loop, vectors);
  gather(loop, vectors);
  MLIRContext *ctx = loop.getContext();
  for (Operation &op : loop.getBody()->without_terminator()) {
    SchedAttr sched =
        SchedAttr::get(ctx, depth - 1, &op == reads.front() ? 0 : 2);
    if (ahead.contains(&op) || vectors.contains(&op))
      sched = SchedAttr::get(ctx, 0, 1);
    op.setAttr(TileDialect::kSchedAttr, sched);
  }
}

/// True if the loop is proved to make a trip.
bool makesATrip(scf::ForOp loop) {
  return isKnownLess(loop.getLowerBound(), loop.getUpperBound());
}

/// Whether an asynchronous product may still run when its trip ends: nothing
/// but a product that adds to its result takes that in the same trip.
bool outlivesTrip(Value value, scf::ForOp loop) {
  auto dot = value.getDefiningOp<DotOp>();
  return dot && dot.getMmaAttr() && !dot.getMmaAttr().getEngine().empty() &&
         llvm::all_of(dot.getResult().getUses(), [&](OpOperand &use) {
           auto next = dyn_cast<DotOp>(use.getOwner());
           return isa<ExitOp, scf::YieldOp>(use.getOwner()) ||
                  use.getOwner()->getBlock() != loop.getBody() ||
                  (next && next.getAcc() == value);
         });
}

/// *roles*: the role that reads hands a slot back one trip late, when the
/// product that read it has been followed by another, so that the engine never
/// runs dry. That peels the first trip, which must be certain. Where lanes take
/// the result in the same trip, they have waited for the product.
void scheduleLag(scf::ForOp loop) {
  if (makesATrip(loop) && scheduleChain(loop))
    return;
  DenseSet<Operation *> late;
  for (auto exit : loop.getBody()->getOps<ExitOp>()) {
    bool pending = llvm::any_of(exit.getAfter(),
                                [&](Value v) { return outlivesTrip(v, loop); });
    if (exit.getSlot().getType().getAccess() == Access::Read && pending &&
        exit.getSlot().getParentBlock() == loop.getBody())
      late.insert(exit);
  }
  if (late.empty() || !makesATrip(loop))
    return;
  MLIRContext *ctx = loop.getContext();
  for (Operation &op : loop.getBody()->without_terminator())
    op.setAttr(TileDialect::kSchedAttr, late.contains(&op)
                                            ? SchedAttr::get(ctx, 1, 1)
                                            : SchedAttr::get(ctx, 0, 0));
}

/// What the configuration says about unrolling and reading ahead, on a loop
/// that multiplies.
void mark(scf::ForOp loop, ConfigAttr config) {
  if (loop.getBody()->getOps<DotOp>().empty())
    return;
  Builder b(loop);
  if (int64_t unroll = config.getUnroll())
    loop->setAttr(TileDialect::kUnrollAttr, b.getI64IntegerAttr(unroll));
  if (int64_t ahead = config.getAhead())
    loop->setAttr(TileDialect::kAheadAttr, b.getI64IntegerAttr(ahead));
}

struct Schedule : helios::impl::TileScheduleBase<Schedule> {
  void runOnOperation() override {
    ProgramOp program = getOperation();
    ConfigAttr config = program.getTuning();
    Strategy strategy = config ? config.getStrategy() : Strategy::Staged;
    if (TargetAttrInterface row = program.getTargetRow();
        row &&
        !llvm::is_contained(row.getStrategies(), stringifyStrategy(strategy))) {
      program.emitOpError("expected a strategy that target '")
          << row.getRowName() << "' lowers, got '"
          << stringifyStrategy(strategy)
          << "'; use strategy = " << row.getStrategies().front();
      return signalPassFailure();
    }
    int64_t depth = config ? config.getDepth() : 1;
    if (strategy == Strategy::Staged && depth > 2) {
      program.emitOpError("expected depth = 1 or depth = 2 with strategy "
                          "'staged', whose tiles are written at most one step "
                          "ahead, got ")
          << depth;
      return signalPassFailure();
    }
    program.walk([&](scf::ForOp loop) {
      bool innermost =
          !loop.getBody()
               ->walk([](scf::ForOp) { return WalkResult::interrupt(); })
               .wasInterrupted();
      if (!innermost)
        return;
      if (config)
        mark(loop, config);
      switch (strategy) {
      case Strategy::Staged:
        return scheduleStaged(loop, depth);
      case Strategy::Groups:
        return scheduleGroups(loop);
      case Strategy::Roles:
        return scheduleLag(loop);
      }
    });
  }
};

} // namespace
