// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// helios-to-tile: what a launch plan decides of streamed tiles: how many are
// taken whole, and what share each workgroup has of the others.

#include "HeliosToTilePlan.h"
#include "ScheduleNeeds.h"

using namespace mlir;
using namespace helios;
using namespace helios::totile;

/// What stands for the sums of a product.
static void *sumsOf(const Product &product) {
  return cast<MatmulOp>(product.op)
      .getEpilogue()
      .getArgument(0)
      .getAsOpaquePointer();
}

/// Whole rounds are taken as they are. Of what they leave everyone has as many
/// steps, but enough that adding up is cheap.
void PlanEmitter::placeStream(const ScheduledProducts &scheduled,
                              Splits &splits) {
  Value one = index(1), two = index(StreamedTiles::kPlacesOfShare);
  for (const Product &product : scheduled.products) {
    bool clustered = llvm::product_of(scheduled.schedule.getCluster()) > 1;
    Value atOnce = itemsAtOnce(product, scheduled.schedule, clustered);
    Split &split = splits.products.emplace_back();
    StreamCounts counts;
    counts.tiles = items(product, clustered);
    Value left = fold<arith::RemUIOp>(counts.tiles, atOnce);
    int64_t depth = product.tile[product.k()];
    Value steps = fold<arith::MaxUIOp>(
        fold<arith::CeilDivUIOp>(extentOf(product, product.k()), index(depth)),
        one);
    Value least = fold<arith::MinUIOp>(
        index(std::max<int64_t>(1, kLeastSlice / depth)), steps);
    counts.share = fold<arith::MaxUIOp>(
        fold<arith::CeilDivUIOp>(fold<arith::MulIOp>(left, steps), atOnce),
        least);
    // What is one share need not be one.
    left = select(compare(arith::CmpIPredicate::eq, counts.share, steps),
                  index(0), left);
    counts.whole = fold<arith::SubIOp>(counts.tiles, left);
    // Where a tile has several shares, whole ones of it: who multiplies the
    // same rows then reads the same part of K at the same time.
    Value several = fold<arith::DivUIOp>(steps, counts.share);
    Value isAlone = compare(arith::CmpIPredicate::ule, several, one);
    counts.share =
        select(isAlone, counts.share, fold<arith::CeilDivUIOp>(steps, several));
    counts.steps = select(
        isAlone, steps,
        fold<arith::MulIOp>(fold<arith::CeilDivUIOp>(steps, counts.share),
                            counts.share));
    counts.shares = fold<arith::CeilDivUIOp>(
        fold<arith::MulIOp>(left, counts.steps), counts.share);
    Value places =
        fold<arith::MulIOp>(fold<arith::MaxUIOp>(counts.shares, one), two);
    auto op = cast<MatmulOp>(product.op);
    split.accumulator = op.getEpilogue().getArgument(0);
    split.sums = inWorkspace(op.getAccType(),
                             {places, index(product.span(product.m())),
                              index(product.span(product.n()))},
                             splits.workspace, "the parts of streamed tiles");
    split.stream = counts;
  }
}

StreamCounts &PlanEmitter::streamOf(const Product &product) {
  return streams[sumsOf(product)];
}

/// Items of the second dispatch: so many of each tile that has parts.
Value PlanEmitter::itemsOfStreamSum(const Product &product) {
  StreamCounts &counts = streamOf(product);
  int64_t pieces = 1;
  for (int64_t dim : {0, 1})
    pieces *= product.extents[product.k() + 1 + dim] /
              product.tile[product.m() + dim];
  return fold<arith::MulIOp>(fold<arith::SubIOp>(counts.tiles, counts.whole),
                             index(pieces));
}

/// Sums that parts leave: one of each share, and another where it may reach
/// into the next tile.
Value PlanEmitter::partsOfStream(const Product &product) {
  StreamCounts &counts = streamOf(product);
  Value isWhole =
      compare(arith::CmpIPredicate::eq,
              fold<arith::RemUIOp>(counts.steps, counts.share), index(0));
  Value left = fold<arith::SubIOp>(counts.tiles, counts.whole);
  return fold<arith::AddIOp>(counts.shares, select(isWhole, index(0), left));
}

/// What a launch costs in elements of K for each workgroup: whole rounds, and a
/// share.
Value PlanEmitter::keysOfStream(const Product &product, ScheduleAttr schedule) {
  StreamCounts &counts = streamOf(product);
  Value rounds = fold<arith::DivUIOp>(
      counts.whole, itemsAtOnce(product, schedule,
                                llvm::product_of(schedule.getCluster()) > 1));
  Value share =
      select(compare(arith::CmpIPredicate::eq, counts.shares, index(0)),
             index(0), counts.share);
  return fold<arith::MulIOp>(
      fold<arith::AddIOp>(fold<arith::MulIOp>(rounds, counts.steps), share),
      index(product.tile[product.k()]));
}
