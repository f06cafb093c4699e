// Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// tile-expand: scheduled loops become prologue, steady state and epilogue.

#include "helios/Dialect/Tile/Utils/Facts.h"
#include "helios/Transforms/Passes.h"
#include "mlir/Dialect/SCF/Transforms/Transforms.h"

namespace helios {
#define GEN_PASS_DEF_TILEEXPAND
#include "helios/Transforms/Passes.h.inc"
} // namespace helios

using namespace mlir;
using namespace helios;
using namespace helios::tile;

namespace {

SchedAttr schedOf(Operation *op) { return op->getAttrOfType<SchedAttr>(TileDialect::kSchedAttr); }

/// The highest stage of a loop whose every op is scheduled, or nothing.
std::optional<int64_t> lastStage(scf::ForOp loop) {
  int64_t stage = 0;
  for (Operation &op : loop.getBody()->without_terminator()) {
    SchedAttr sched = schedOf(&op);
    if (!sched)
      return std::nullopt;
    stage = std::max(stage, sched.getStage());
  }
  return stage;
}

void dropSchedule(Operation *root) {
  root->walk([](Operation *op) { op->removeAttr(TileDialect::kSchedAttr); });
}

/// A test that the loop makes at least `trips` trips, or null where facts prove it.
Value tripTest(OpBuilder &b, scf::ForOp loop, int64_t trips) {
  IndexRange low = knownRange(loop.getLowerBound()), high = knownRange(loop.getUpperBound()), step = knownRange(loop.getStep());
  if (low.high != std::numeric_limits<int64_t>::max() && high.low != std::numeric_limits<int64_t>::min() && step.high < (1 << 20) &&
      low.high + (trips - 1) * step.high < high.low)
    return {};
  Location loc = loop.getLoc();
  Value ahead = arith::MulIOp::create(b, loc, loop.getStep(), arith::ConstantIndexOp::create(b, loc, trips - 1));
  Value last = arith::AddIOp::create(b, loc, loop.getLowerBound(), ahead);
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, last, loop.getUpperBound());
}

/// Expands a loop that makes enough trips: the predicates that upstream asks for are all true.
LogicalResult expand(IRRewriter &rewriter, scf::ForOp loop) {
  scf::PipeliningOption options;
  options.supportDynamicLoops = true;
  options.getScheduleFn = [](scf::ForOp loop, std::vector<std::pair<Operation *, unsigned>> &schedule) {
    SmallVector<Operation *> ops;
    for (Operation &op : loop.getBody()->without_terminator())
      ops.push_back(&op);
    llvm::stable_sort(ops, [](Operation *a, Operation *b) { return schedOf(a).getOrder() < schedOf(b).getOrder(); });
    for (Operation *op : ops)
      schedule.emplace_back(op, schedOf(op).getStage());
  };
  SmallVector<Value> predicates;
  options.predicateFn = [&](RewriterBase &, Operation *op, Value predicate) {
    predicates.push_back(predicate);
    return op;
  };
  if (failed(scf::pipelineForLoop(rewriter, loop, options)))
    return failure();
  for (Value predicate : predicates) {
    for (Operation *user : llvm::make_early_inc_range(predicate.getUsers()))
      if (auto select = dyn_cast<arith::SelectOp>(user); select && select.getCondition() == predicate)
        rewriter.replaceOp(select, select.getTrueValue());
  }
  return success();
}

struct Expand : helios::impl::TileExpandBase<Expand> {
  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) {
      if (lastStage(loop).value_or(0) > 0)
        loops.push_back(loop);
    });
    IRRewriter rewriter(&getContext());
    for (scf::ForOp loop : loops) {
      rewriter.setInsertionPoint(loop);
      if (Value test = tripTest(rewriter, loop, *lastStage(loop))) {
        // Too few trips take the plain loop.
        auto branch = scf::IfOp::create(rewriter, loop.getLoc(), loop.getResultTypes(), test, /*addElseBlock=*/true);
        rewriter.setInsertionPointToStart(branch.elseBlock());
        Operation *plain = rewriter.clone(*loop);
        dropSchedule(plain);
        // A branch without results has its terminators already.
        bool results = loop.getNumResults() > 0;
        if (results)
          scf::YieldOp::create(rewriter, loop.getLoc(), plain->getResults());
        rewriter.setInsertionPointToStart(branch.thenBlock());
        auto copy = cast<scf::ForOp>(rewriter.clone(*loop));
        if (results)
          scf::YieldOp::create(rewriter, loop.getLoc(), copy.getResults());
        rewriter.replaceOp(loop, branch.getResults());
        loop = copy;
        rewriter.setInsertionPoint(loop);
      }
      if (failed(expand(rewriter, loop))) {
        loop.emitOpError("could not be expanded; its schedule is inconsistent");
        return signalPassFailure();
      }
    }
    dropSchedule(getOperation());
  }
};

} // namespace
