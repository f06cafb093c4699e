// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// tile-lower-items: the loop over work items becomes arithmetic on the
// workgroup's number.

#include "helios/Transforms/Passes.h"

namespace helios {
#define GEN_PASS_DEF_TILELOWERITEMS
#include "helios/Transforms/Passes.h.inc"
} // namespace helios

using namespace mlir;
using namespace helios;
using namespace helios::tile;

namespace {

using Values = SmallVector<Value>;

/// The item's indices from its number. Dimensions are row-major; with a raster,
/// items walk bands of the raster dimension so that neighbours share the
/// operands of both dimensions. With clusters, number and bounds are those of
/// clusters of items.
Values delinearize(OpBuilder &b, Location loc, Value number, ValueRange bounds,
                   ItemsAttr order) {
  int64_t rank = bounds.size();
  Values index(rank);
  auto div = [&](Value x, Value y) -> Value {
    return arith::DivUIOp::create(b, loc, x, y);
  };
  auto rem = [&](Value x, Value y) -> Value {
    return arith::RemUIOp::create(b, loc, x, y);
  };
  auto mul = [&](Value x, Value y) -> Value {
    return arith::MulIOp::create(b, loc, x, y);
  };
  auto add = [&](Value x, Value y) -> Value {
    return arith::AddIOp::create(b, loc, x, y);
  };
  auto sub = [&](Value x, Value y) -> Value {
    return arith::SubIOp::create(b, loc, x, y);
  };
  int64_t dim = -1, partner = -1, bandSize = 0;
  if (!order.getRaster().empty() && rank >= 2)
    bandSize =
        order.getRaster()[1] / order.getClusterAlong(order.getRaster()[0]);
  if (bandSize > 1) {
    dim = order.getRaster()[0];
    partner = dim + 1 < rank ? dim + 1 : dim - 1;
    Value plane = mul(bounds[dim], bounds[partner]);
    Value inPlane = rem(number, plane);
    number = div(number, plane);
    Value size = arith::ConstantIndexOp::create(b, loc, bandSize);
    Value width = mul(size, bounds[partner]);
    Value band = div(inPlane, width), inBand = rem(inPlane, width);
    Value first = mul(band, size);
    Value rows = arith::MinUIOp::create(b, loc, sub(bounds[dim], first), size);
    index[dim] = add(first, rem(inBand, rows));
    index[partner] = div(inBand, rows);
  }
  for (int64_t d = rank - 1; d >= 0; --d) {
    if (d == dim || d == partner)
      continue;
    // The outermost remaining dimension needs no remainder.
    bool outermost = true;
    for (int64_t e = 0; e < d; ++e)
      outermost &= e == dim || e == partner;
    index[d] = outermost ? number : rem(number, bounds[d]);
    if (!outermost)
      number = div(number, bounds[d]);
  }
  if (int64_t reversed = order.getLongestFirst(); reversed >= 0)
    index[reversed] = sub(sub(bounds[reversed], index[reversed]),
                          arith::ConstantIndexOp::create(b, loc, 1));
  return index;
}

/// Clusters take clusters of items, and each workgroup the item at its place.
/// All of a cluster's workgroups walk the same loop, so the last cluster along
/// a dimension may have items beyond the bound.
LogicalResult lower(ItemsOp items) {
  OpBuilder b(items);
  Location loc = items.getLoc();
  ItemsAttr order = items.getOrder();
  ArrayRef<int64_t> cluster = order.getCluster();
  bool clustered = llvm::product_of(cluster) > 1;
  Values bounds(items.getBounds());
  for (auto [d, bound] : llvm::enumerate(bounds))
    if (int64_t extent = order.getClusterAlong(d); extent > 1)
      bound = arith::CeilDivUIOp::create(
          b, loc, bound, arith::ConstantIndexOp::create(b, loc, extent));
  Value count = arith::ConstantIndexOp::create(b, loc, 1);
  for (Value bound : bounds)
    count = arith::MulIOp::create(b, loc, count, bound);
  Value first =
      IdOp::create(b, loc, clustered ? IdKind::Cluster : IdKind::Workgroup);
  Block *target;
  Value number = first;
  switch (order.getDistribution()) {
  case Distribution::Grid: {
    Value mine =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, first, count);
    auto branch = scf::IfOp::create(b, loc, mine, /*withElseRegion=*/false);
    target = branch.thenBlock();
    break;
  }
  case Distribution::Persistent: {
    Value stride =
        IdOp::create(b, loc, clustered ? IdKind::Clusters : IdKind::Workgroups);
    auto loop = scf::ForOp::create(b, loc, first, count, stride);
    target = loop.getBody();
    number = loop.getInductionVar();
    break;
  }
  case Distribution::Ticket:
    return items.emitOpError("draws tickets, which no target of this version "
                             "lowers; use grid or persistent");
  }
  b.setInsertionPointToStart(target);
  Values index = delinearize(b, loc, number, bounds, order);
  for (auto [d, i] : llvm::enumerate(index))
    if (int64_t extent = order.getClusterAlong(d); extent > 1)
      i = arith::AddIOp::create(
          b, loc,
          arith::MulIOp::create(b, loc, i,
                                arith::ConstantIndexOp::create(b, loc, extent)),
          RankOp::create(b, loc, d, cluster));
  Block &body = items.getBody().front();
  Operation *before = target->getTerminator();
  body.getTerminator()->erase();
  for (auto [arg, value] : llvm::zip(body.getArguments(), index))
    arg.replaceAllUsesWith(value);
  target->getOperations().splice(before->getIterator(), body.getOperations());
  items.erase();
  return success();
}

struct LowerItems : helios::impl::TileLowerItemsBase<LowerItems> {
  void runOnOperation() override {
    SmallVector<ItemsOp> all;
    getOperation().walk([&](ItemsOp items) { all.push_back(items); });
    for (ItemsOp items : all)
      if (failed(lower(items)))
        return signalPassFailure();
  }
};

} // namespace
