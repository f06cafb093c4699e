// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// tile-alternate-buffers: loops that carry tiles in shared memory hold two
// trips, so that each tile has one place.

#include "helios/Dialect/Tile/Utils/Select.h"
#include "helios/Transforms/Passes.h"
#include "mlir/Dialect/SCF/Utils/Utils.h"
#include "mlir/IR/IRMapping.h"

namespace helios {
#define GEN_PASS_DEF_TILEALTERNATEBUFFERS
#include "helios/Transforms/Passes.h.inc"
} // namespace helios

using namespace mlir;
using namespace helios;
using namespace helios::tile;

namespace {

bool carriesMemory(scf::ForOp loop) {
  return llvm::any_of(loop.getResultTypes(), isInMemory);
}

/// The one trip that may be left over, as a branch. Whatever it writes for a
/// trip behind it nobody reads: tiles in memory are not carried out of it.
void makeBranch(IRRewriter &rewriter, scf::ForOp rest) {
  Location loc = rest.getLoc();
  rewriter.setInsertionPoint(rest);
  Value more =
      arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::slt,
                            rest.getLowerBound(), rest.getUpperBound());
  SmallVector<unsigned> kept;
  for (auto [i, type] : llvm::enumerate(rest.getResultTypes()))
    if (!isInMemory(type) && !rest.getResult(i).use_empty())
      kept.push_back(i);
  auto pick = [&](ValueRange values) {
    return llvm::map_to_vector(kept, [&](unsigned i) { return values[i]; });
  };
  auto branch = scf::IfOp::create(
      rewriter, loc, TypeRange(ValueRange(pick(rest.getResults()))), more,
      /*withElseRegion=*/!kept.empty());
  IRMapping map;
  map.map(rest.getInductionVar(), rest.getLowerBound());
  map.map(rest.getRegionIterArgs(), rest.getInitArgs());
  rewriter.setInsertionPointToStart(branch.thenBlock());
  for (Operation &op : rest.getBody()->without_terminator())
    rewriter.clone(op, map);
  if (!kept.empty()) {
    SmallVector<Value> results;
    for (Value v : pick(rest.getYieldedValues()))
      results.push_back(map.lookupOrDefault(v));
    scf::YieldOp::create(rewriter, loc, results);
    rewriter.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(rewriter, loc, pick(rest.getInitArgs()));
  }
  for (auto [i, result] : llvm::zip(kept, branch.getResults()))
    rewriter.replaceAllUsesWith(rest.getResult(i), result);
  rewriter.eraseOp(rest);
  // What only a next trip would have read.
  SmallVector<Operation *> ops;
  for (Operation &op : branch.thenBlock()->without_terminator())
    ops.push_back(&op);
  for (Operation *op : llvm::reverse(ops))
    if (isOpTriviallyDead(op))
      rewriter.eraseOp(op);
}

struct AlternateBuffers
    : helios::impl::TileAlternateBuffersBase<AlternateBuffers> {
  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) {
      if (carriesMemory(loop))
        loops.push_back(loop);
    });
    IRRewriter rewriter(&getContext());
    for (scf::ForOp loop : loops) {
      for (Value result : loop.getResults())
        if (isInMemory(result.getType()) && !result.use_empty()) {
          loop.emitOpError("expected nobody to read the tile in shared memory "
                           "that its last trip leaves, which may be in either "
                           "buffer; use depth = 1");
          return signalPassFailure();
        }
      FailureOr<UnrolledLoopInfo> unrolled = loopUnrollByFactor(loop, 2);
      if (failed(unrolled)) {
        loop.emitOpError("could not be unrolled; expected a positive step");
        return signalPassFailure();
      }
      if (auto rest = unrolled->epilogueLoopOp)
        makeBranch(rewriter, *rest);
    }
  }
};

} // namespace
