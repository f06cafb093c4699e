// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

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

SchedAttr schedOf(Operation *op) {
  return op->getAttrOfType<SchedAttr>(TileDialect::kSchedAttr);
}

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

/// True if facts prove a comparison.
bool isProved(Value condition) {
  auto compare = condition.getDefiningOp<arith::CmpIOp>();
  if (!compare || compare.getPredicate() != arith::CmpIPredicate::slt)
    return false;
  IndexRange low = knownRange(compare.getLhs()),
             high = knownRange(compare.getRhs());
  return low.high < high.low;
}

/// Runs an op only under a condition; its results are zero otherwise, which
/// nobody looks at. A load under control of the loop's end also stays where it
/// is: were it unconditional, a compiler below could move it over the stores
/// and barriers before it, and the tile being stored and the one being loaded
/// would both occupy registers.
Operation *predicate(RewriterBase &rewriter, Operation *op, Value condition) {
  if (isMemoryEffectFree(op) || isProved(condition))
    return op;
  Location loc = op->getLoc();
  auto branch =
      scf::IfOp::create(rewriter, loc, op->getResultTypes(), condition,
                        /*addElseBlock=*/op->getNumResults() > 0);
  rewriter.replaceAllUsesWith(op->getResults(), branch.getResults());
  if (op->getNumResults() == 0) {
    rewriter.moveOpBefore(op, branch.thenBlock()->getTerminator());
    return branch;
  }
  rewriter.moveOpBefore(op, branch.thenBlock(), branch.thenBlock()->end());
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointToEnd(branch.thenBlock());
  scf::YieldOp::create(rewriter, loc, op->getResults());
  rewriter.setInsertionPointToEnd(branch.elseBlock());
  SmallVector<Value> zeros;
  for (Type type : op->getResultTypes())
    zeros.push_back(
        arith::ConstantOp::create(rewriter, loc, rewriter.getZeroAttr(type)));
  scf::YieldOp::create(rewriter, loc, zeros);
  return branch;
}

LogicalResult expand(IRRewriter &rewriter, scf::ForOp loop) {
  scf::PipeliningOption options;
  options.supportDynamicLoops = true;
  options.peelEpilogue = false;
  options.getScheduleFn =
      [](scf::ForOp loop,
         std::vector<std::pair<Operation *, unsigned>> &schedule) {
        SmallVector<Operation *> ops;
        for (Operation &op : loop.getBody()->without_terminator())
          ops.push_back(&op);
        llvm::stable_sort(ops, [](Operation *a, Operation *b) {
          return schedOf(a).getOrder() < schedOf(b).getOrder();
        });
        for (Operation *op : ops)
          schedule.emplace_back(op, schedOf(op).getStage());
      };
  options.predicateFn = predicate;
  return success(succeeded(scf::pipelineForLoop(rewriter, loop, options)));
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
      if (failed(expand(rewriter, loop))) {
        loop.emitOpError("could not be expanded; its schedule is inconsistent");
        return signalPassFailure();
      }
    }
    dropSchedule(getOperation());
  }
};

} // namespace
