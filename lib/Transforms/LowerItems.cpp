// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// tile-lower-items: the loop over work items becomes arithmetic on the
// workgroup's number.

#include "NarrowArithmetic.h"
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

/// Rows are walked one by one up to this part of a band's rows in columns, and
/// up to so many in any case. With up to half as many that was faster, by up to
/// a quarter, with bands of 16; with more, sweeps do not agree
/// (docs/benchmarks, sweep-clusters.jsonl).
constexpr int64_t kMostColumns = 2, kFewColumns = 8;

/// The item's indices from its number. Dimensions are row-major; with a raster,
/// items walk bands of the raster dimension so that neighbours share the
/// operands of both dimensions. With clusters, number and bounds are those of
/// clusters of items. Where workgroups stay, quotients of 32 bits delay the
/// next item less; where each has one item nothing waits for them, and the
/// casts made some kernels spill.
class RowMajorOrder : NarrowArithmetic {
public:
  RowMajorOrder(OpBuilder &b, Location loc, ValueRange bounds, ItemsAttr order,
                bool narrows)
      : NarrowArithmetic(b, loc), order(order), narrows(narrows) {
    for (Value bound : bounds)
      this->bounds.push_back(enter(bound));
  }

  Values getItem(Value of) {
    int64_t rank = bounds.size();
    Values index(rank);
    Value number = enter(of);
    if (bandSize() > 1)
      number = walkBands(number, index);
    // The outermost remaining dimension needs no remainder.
    int64_t outermost = 0;
    while (outermost < rank && index[outermost])
      ++outermost;
    for (int64_t d = rank - 1; d >= 0; --d) {
      if (index[d])
        continue;
      index[d] =
          d == outermost ? number : make<arith::RemUIOp>(number, bounds[d]);
      if (d != outermost)
        number = make<arith::DivUIOp>(number, bounds[d]);
    }
    if (int64_t reversed = order.getLongestFirst(); reversed >= 0)
      index[reversed] = make<arith::SubIOp>(
          make<arith::SubIOp>(bounds[reversed], index[reversed]), constant(1));
    if (narrows)
      for (Value &i : index)
        i = wide(i);
    return index;
  }

private:
  Value enter(Value index) { return narrows ? narrow(index) : index; }
  Value constant(int64_t value) {
    return narrows ? NarrowArithmetic::constant(value)
                   : make<arith::ConstantIndexOp>(value);
  }

  int64_t bandSize() {
    if (order.getRaster().empty() || bounds.size() < 2)
      return 0;
    return order.getRaster()[1] / order.getClusterAlong(order.getRaster()[0]);
  }

  /// The indices in a plane of bands; returns its number.
  Value walkBands(Value number, Values &index) {
    using Predicate = arith::CmpIPredicate;
    int64_t rank = bounds.size(), dim = order.getRaster()[0],
            partner = dim + 1 < rank ? dim + 1 : dim - 1;
    Value plane = make<arith::MulIOp>(bounds[dim], bounds[partner]);
    Value inPlane = make<arith::RemUIOp>(number, plane);
    number = make<arith::DivUIOp>(number, plane);
    // Few columns beside more rows: those of a row follow each other, since
    // neighbours then share what there is more of.
    Value few =
        constant(std::max(order.getRaster()[1] / kMostColumns, kFewColumns) /
                 order.getClusterAlong(partner));
    Value isTall = make<arith::AndIOp>(
        make<arith::CmpIOp>(Predicate::ule, bounds[partner], few),
        make<arith::CmpIOp>(Predicate::ult, bounds[partner], bounds[dim]));
    Value size =
        make<arith::SelectOp>(isTall, constant(1), constant(bandSize()));
    Value width = make<arith::MulIOp>(size, bounds[partner]);
    Value band = make<arith::DivUIOp>(inPlane, width),
          inBand = make<arith::RemUIOp>(inPlane, width);
    Value first = make<arith::MulIOp>(band, size);
    Value rows =
        make<arith::MinUIOp>(make<arith::SubIOp>(bounds[dim], first), size);
    index[dim] = make<arith::AddIOp>(first, make<arith::RemUIOp>(inBand, rows));
    index[partner] = make<arith::DivUIOp>(inBand, rows);
    return number;
  }

  ItemsAttr order;
  bool narrows;
  Values bounds;
};

/// Items that get shorter one behind the other along a dimension: a few rows of
/// them at a time, so that what these share stays in the cache, in order of
/// length. All bounds but that of the dimension that decides lengths count
/// rows.
class LongestFirst : protected NarrowArithmetic {
public:
  LongestFirst(OpBuilder &b, Location loc, ValueRange bounds, int64_t dim)
      : NarrowArithmetic(b, loc), dim(dim), length(narrow(bounds[dim])) {
    allRows = constant(1);
    for (auto [d, bound] : llvm::enumerate(bounds)) {
      this->bounds.push_back(narrow(bound));
      if (int64_t(d) != dim)
        allRows = mul(allRows, this->bounds.back());
    }
  }

protected:
  /// Makes groups of rows, spread evenly, that have about so many items.
  void group(Value items) {
    Value fit = make<arith::MaxUIOp>(div(items, length), constant(1));
    Value groups = make<arith::CeilDivUIOp>(allRows, fit);
    taken = make<arith::CeilDivUIOp>(allRows, groups);
    whole = make<arith::SubIOp>(groups, constant(1));
    left = make<arith::SubIOp>(allRows, mul(whole, taken));
  }

  /// The indices of the item at a place in a group of so many rows.
  Values itemAt(Value group, Value place, Value rows) {
    Value row = make<arith::AddIOp>(mul(group, taken),
                                    make<arith::RemUIOp>(place, rows));
    Values indices(bounds.size());
    // The outermost dimension needs no remainder.
    int64_t outermost = dim == 0 ? 1 : 0;
    for (int64_t d = int64_t(bounds.size()) - 1; d >= 0; --d) {
      if (d == dim)
        continue;
      indices[d] =
          wide(d == outermost ? row : make<arith::RemUIOp>(row, bounds[d]));
      row = div(row, bounds[d]);
    }
    // The longest are last.
    Value last = make<arith::SubIOp>(length, constant(1));
    indices[dim] = wide(make<arith::SubIOp>(last, div(place, rows)));
    return indices;
  }

  Value mul(Value x, Value y) { return make<arith::MulIOp>(x, y); }
  Value div(Value x, Value y) { return make<arith::DivUIOp>(x, y); }

  int64_t dim;
  Values bounds;
  Value length, allRows;
  Value taken, whole, left; ///< rows of a group, whole groups, rows behind them
};

/// Items of workgroups that stay: each takes one in each round, from the front
/// in even rounds and from the back in odd ones, so that all have about as much
/// to do.
class FoldedOrder : LongestFirst {
public:
  FoldedOrder(OpBuilder &b, Location loc, ValueRange bounds, int64_t dim,
              Value first, Value stride)
      : LongestFirst(b, loc, bounds, dim), workgroup(narrow(first)),
        workgroups(narrow(stride)) {
    // Two rounds.
    group(mul(constant(2), workgroups));
    Value last = make<arith::SubIOp>(workgroups, constant(1));
    mirror = make<arith::SubIOp>(last, workgroup);
    rounds = roundsOf(taken);
    roundsOfWhole = mul(whole, rounds);
  }

  /// Items of this workgroup.
  Value getCount() {
    return wide(make<arith::AddIOp>(roundsOfWhole, roundsOf(left)));
  }

  /// The indices of an item of this workgroup.
  Values getItem(Value number) {
    using Predicate = arith::CmpIPredicate;
    Value index = narrow(number);
    Value isWhole = make<arith::CmpIOp>(Predicate::ult, index, roundsOfWhole);
    Value group = make<arith::SelectOp>(
        isWhole, div(index, make<arith::MaxUIOp>(rounds, constant(1))), whole);
    Value round = make<arith::SubIOp>(index, mul(group, rounds));
    Value place = make<arith::AddIOp>(mul(round, workgroups), placeIn(round));
    return itemAt(group, place, make<arith::SelectOp>(isWhole, taken, left));
  }

private:
  /// Which item of a round this workgroup takes.
  Value placeIn(Value round) {
    Value isOdd = make<arith::CmpIOp>(arith::CmpIPredicate::eq,
                                      make<arith::AndIOp>(round, constant(1)),
                                      constant(1));
    return make<arith::SelectOp>(isOdd, mirror, workgroup);
  }

  /// Rounds of this workgroup where so many rows are taken together.
  Value roundsOf(Value rows) {
    Value items = mul(rows, length);
    Value full = div(items, workgroups),
          rest = make<arith::RemUIOp>(items, workgroups);
    Value isIn =
        make<arith::CmpIOp>(arith::CmpIPredicate::ult, placeIn(full), rest);
    return make<arith::AddIOp>(
        full, make<arith::ExtUIOp>(builder.getI32Type(), isIn));
  }

  Value workgroup, workgroups, mirror;
  Value rounds, roundsOfWhole;
};

/// Items of a workgroup each, which begin in the order of their numbers. Those
/// of the last group begin while long ones of it still run, so that it ends
/// with short ones, where a group is about two rounds of what a large device
/// holds at once (docs/benchmarks; no other number was tried); rows that have
/// so many items share less than its cache holds.
class GroupedOrder : LongestFirst {
public:
  GroupedOrder(OpBuilder &b, Location loc, ValueRange bounds, int64_t dim)
      : LongestFirst(b, loc, bounds, dim) {
    group(constant(kItemsTogether));
  }

  Values getItem(Value number) {
    Value index = narrow(number), size = mul(taken, length);
    Value group = make<arith::MinUIOp>(div(index, size), whole);
    Value isWhole =
        make<arith::CmpIOp>(arith::CmpIPredicate::ult, group, whole);
    return itemAt(group, make<arith::SubIOp>(index, mul(group, size)),
                  make<arith::SelectOp>(isWhole, taken, left));
  }

private:
  static constexpr int64_t kItemsTogether = 512;
};

/// The bounds of clusters of items.
Values boundsOfClusters(OpBuilder &b, Location loc, ValueRange items,
                        ItemsAttr order) {
  Values bounds(items);
  for (auto [d, bound] : llvm::enumerate(bounds))
    if (int64_t extent = order.getClusterAlong(d); extent > 1)
      bound = arith::CeilDivUIOp::create(
          b, loc, bound, arith::ConstantIndexOp::create(b, loc, extent));
  return bounds;
}

/// Makes the indices of a cluster those of the item at this workgroup's place
/// in it, or of its first.
void enterCluster(OpBuilder &b, Location loc, Values &index, ItemsAttr order,
                  bool isFirst) {
  for (auto [d, i] : llvm::enumerate(index)) {
    int64_t extent = order.getClusterAlong(d);
    if (extent == 1)
      continue;
    i = arith::MulIOp::create(b, loc, i,
                              arith::ConstantIndexOp::create(b, loc, extent));
    if (!isFirst)
      i = arith::AddIOp::create(b, loc, i,
                                RankOp::create(b, loc, d, order.getCluster()));
  }
}

/// Whether the workgroups of a program form clusters.
bool isClustered(Operation *op) {
  ConfigAttr config = op->getParentOfType<ProgramOp>().getTuning();
  return config && config.getClusterSize() > 1;
}

void lower(ItemAtOp item) {
  OpBuilder b(item);
  Location loc = item.getLoc();
  ItemsAttr order = item.getOrder();
  Values index =
      RowMajorOrder(b, loc, boundsOfClusters(b, loc, item.getBounds(), order),
                    order, /*narrows=*/false)
          .getItem(item.getNumber());
  enterCluster(b, loc, index, order, /*isFirst=*/!isClustered(item));
  item.replaceAllUsesWith(index);
  item.erase();
}

/// Clusters take clusters of items, and each workgroup the item at its place.
/// All of a cluster's workgroups walk the same loop, so the last cluster along
/// a dimension may have items beyond the bound.
LogicalResult lower(ItemsOp items) {
  OpBuilder b(items);
  Location loc = items.getLoc();
  ItemsAttr order = items.getOrder();
  bool clustered =
      llvm::product_of(order.getCluster()) > 1 || isClustered(items);
  Values bounds = boundsOfClusters(b, loc, items.getBounds(), order);
  Value count = arith::ConstantIndexOp::create(b, loc, 1);
  for (Value bound : bounds)
    count = arith::MulIOp::create(b, loc, count, bound);
  Value first =
      IdOp::create(b, loc, clustered ? IdKind::Cluster : IdKind::Workgroup);
  Block *target;
  Value number = first;
  std::optional<FoldedOrder> folded;
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
    Value step = stride, start = first;
    if (order.getLongestFirst() >= 0 && !clustered) {
      folded.emplace(b, loc, bounds, order.getLongestFirst(), first, stride);
      start = arith::ConstantIndexOp::create(b, loc, 0);
      step = arith::ConstantIndexOp::create(b, loc, 1);
      count = folded->getCount();
    }
    auto loop = scf::ForOp::create(b, loc, start, count, step);
    target = loop.getBody();
    number = loop.getInductionVar();
    break;
  }
  case Distribution::Ticket:
    return items.emitOpError("draws tickets, which no target of this version "
                             "lowers; use grid or persistent");
  }
  b.setInsertionPointToStart(target);
  Values index;
  if (folded) {
    index = folded->getItem(number);
  } else if (order.getLongestFirst() >= 0 && !clustered &&
             order.getDistribution() == Distribution::Grid) {
    index =
        GroupedOrder(b, loc, bounds, order.getLongestFirst()).getItem(number);
  } else {
    index = RowMajorOrder(b, loc, bounds, order,
                          /*narrows=*/order.getDistribution() ==
                                  Distribution::Persistent &&
                              bounds.size() > 1)
                .getItem(number);
  }
  enterCluster(b, loc, index, order, /*isFirst=*/false);
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
    SmallVector<ItemAtOp> numbered;
    getOperation().walk([&](ItemAtOp item) { numbered.push_back(item); });
    for (ItemAtOp item : numbered)
      lower(item);
  }
};

} // namespace
