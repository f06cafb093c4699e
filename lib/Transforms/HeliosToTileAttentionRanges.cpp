// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// helios-to-tile: which keys the mask of attention lets queries see. Where a
// mask depends on what tensors hold, such as the documents of a batch, nobody
// knows before the launch which blocks of keys an item could leave out. A
// dispatch of its own evaluates the mask of all pairs and leaves, for some
// queries each, the first key that one of them sees and the end of those keys;
// items of attention visit the blocks between. That pays since heads share it.

#include "HeliosToTileAttention.h"

using namespace mlir;
using namespace helios;
using namespace helios::totile;

/// Keys of a lane in a step, and queries, which all lanes walk together.
static constexpr int64_t kKeysOfLane = 4, kQueriesAtOnce = 32;
/// Rows of a tile in which lanes combine what is left for each key, and that
/// are stored, at most.
static constexpr int64_t kMostRowsStored = 8;

/// Where the keys that queries see begin and end; each batch has its own if the
/// mask depends on it.
static SmallVector<Access, 2> rangesOf(const Product &product) {
  auto op = cast<AttentionOp>(product.op);
  SmallVector<int64_t> axes;
  if (MaskAnalysis::varies(op, MaskAnalysis::Sharer::Batch))
    axes.push_back(0);
  axes.push_back(product.m());
  Access begins{op.getResult(), IntegerType::get(op.getContext(), 32), axes,
                /*narrow=*/true, Kept::Begins};
  Access ends = begins;
  ends.kept = Kept::Ends;
  return {begins, ends};
}

Product Product::getRanges(tile::TargetAttrInterface target) const {
  Product result = *this;
  result.part = Part::Ranges;
  result.longestFirst = false;
  result.accesses.truncate(accesses.size() - numResults);
  constexpr unsigned values = 2;
  result.accesses.erase(result.accesses.begin() + values);
  result.extents[this->values()] = 1;
  for (Access &access : MutableArrayRef(result.accesses).take_front(values))
    access.narrow = true;
  result.tile[m()] = queriesOfRange(tile[m()]);
  result.tile[n()] = kKeysOfLane * RangeTile::get(target).allLanes();
  llvm::append_range(result.accesses, rangesOf(result));
  result.numResults = 2;
  return result;
}

Product Product::takingRanges() const {
  Product result = *this;
  SmallVector<Access, 2> ranges = rangesOf(*this);
  for (Access &access : ranges)
    access.single = true;
  result.accesses.insert(result.accesses.end() - numResults, ranges.begin(),
                         ranges.end());
  return result;
}

namespace {

class RangesEmitter : public AttentionRegionEmitter {
public:
  /// `product` has so many queries in a tile as are walked at once, of
  /// `queries` in an item.
  RangesEmitter(OpBuilder &builder, const Product &product, Variant variant,
                int64_t vectorBytes, int64_t queries)
      : AttentionRegionEmitter(builder, product, variant, vectorBytes),
        queries(queries), rowsStored(std::min(queries, kMostRowsStored)) {}

private:
  Value itemsAlong(int64_t axis) override {
    return axis == product.m()
               ? arith::CeilDivUIOp::create(builder, loc, extents[axis],
                                            constant(queries))
                     .getResult()
               : Value();
  }
  LogicalResult emitItem() override;
  FailureOr<Value> emitSeen();
  SmallVector<Value> emitBlock(Value seen, ValueRange state);

  Value reduce(tile::ReduceKind kind, Value tile, int64_t dim, int64_t extent) {
    auto type =
        RankedTensorType::get(extent, getElementTypeOrSelf(tile.getType()));
    return tile::ReduceOp::create(
        builder, loc, type,
        tile::ReduceKindAttr::get(builder.getContext(), kind), tile,
        builder.getI64IntegerAttr(dim));
  }
  /// The largest element of all keys, in several rows.
  Value largest(Value ofKeys) {
    return reduce(tile::ReduceKind::Max, expand(ofKeys, {rowsStored, n}, 0), 1,
                  rowsStored);
  }
  int64_t queries, rowsStored; ///< of an item
  /// One number for each key of a step.
  Value splatOf(int64_t value) {
    return splat({n}, builder.getI32IntegerAttr(value));
  }
};

/// For each place in a step, how far the first key that a query sees there lies
/// before the largest index, so that it is at the largest distance, and the end
/// of those keys.
SmallVector<Value> RangesEmitter::emitBlock(Value seen, ValueRange state) {
  auto keys = [&](Type element) { return RankedTensorType::get({n}, element); };
  Value key =
      tile::IotaOp::create(builder, loc, keys(builder.getIndexType()),
                           builder.getI64IntegerAttr(0), offsets[product.n()]);
  key =
      arith::IndexCastOp::create(builder, loc, keys(builder.getI32Type()), key);
  Value before = arith::SubIOp::create(builder, loc, splatOf(kMaxIndex), key);
  Value end = arith::AddIOp::create(builder, loc, key, splatOf(1));
  before = arith::MaxSIOp::create(builder, loc, state[0], before);
  const Value places[] = {before, end};
  return llvm::map_to_vector(
      llvm::zip(places, state), [&](auto place) -> Value {
        auto [here, known] = place;
        return arith::SelectOp::create(builder, loc, seen, here, known);
      });
}

/// Which keys of a step some query of the item sees.
FailureOr<Value> RangesEmitter::emitSeen() {
  // Loops carry numbers, not truth values.
  Value none = splatOf(0);
  Value rows = constant(m), first = offsets[product.m()];
  // What is left of the item, up to the last query.
  Value count = arith::MinSIOp::create(
      builder, loc, constant(queries),
      arith::SubIOp::create(builder, loc, extents[product.m()], first));
  auto loop = scf::ForOp::create(
      builder, loc, constant(0),
      arith::CeilDivUIOp::create(builder, loc, count, rows), constant(1), none);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    offsets[product.m()] = arith::AddIOp::create(
        builder, loc, first,
        arith::MulIOp::create(builder, loc, loop.getInductionVar(), rows));
    FailureOr<Value> keep = emitMaskRegion();
    if (failed(keep))
      return failure();
    Value one = arith::SelectOp::create(
        builder, loc, reduce(tile::ReduceKind::Or, *keep, /*dim=*/0, n),
        splatOf(1), loop.getRegionIterArg(0));
    scf::YieldOp::create(builder, loc, one);
  }
  offsets[product.m()] = first;
  return Value(arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne,
                                     loop.getResult(0), none));
}

LogicalResult RangesEmitter::emitItem() {
  Value zero = constant(0);
  for (int64_t axis : {int64_t(0), product.heads(), product.keyHeads()})
    if (!offsets[axis])
      offsets[axis] = zero;
  head = {offsets[product.heads()]};
  firstQuery = arith::MulIOp::create(builder, loc, itemNumber(product.m()),
                                     constant(queries));
  offsets[product.m()] = firstQuery;
  blocks = arith::CeilDivUIOp::create(builder, loc, extents[product.n()],
                                      constant(n));
  enterItem();
  // All keys of a step are loaded at once, and queries for them.
  auto isAlong = [](int64_t axis) {
    return [axis](ArrayRef<int64_t> axes) {
      return llvm::is_contained(axes, axis);
    };
  };
  auto ofQueries = isAlong(product.m()), ofKeys = isAlong(product.n());
  loadOnce([&](ArrayRef<int64_t> axes) {
    return !ofQueries(axes) && !ofKeys(axes);
  });
  MaskAnalysis::Item whole = item();
  whole.queries = queries;
  FailureOr<KeyRange> range = analysis.range(whole);
  if (failed(range))
    return failure();
  Value end = blocks;
  if (range->end)
    end = arith::MinSIOp::create(builder, loc, range->end, blocks);
  Value none = splatOf(0);
  auto loop =
      scf::ForOp::create(builder, loc, range->begin ? range->begin : zero, end,
                         constant(1), ValueRange{none, none});
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    offsets[product.n()] = arith::MulIOp::create(
        builder, loc, loop.getInductionVar(), constant(n));
    loadOnce([&](ArrayRef<int64_t> axes) {
      return !ofQueries(axes) && ofKeys(axes);
    });
    FailureOr<Value> seen = emitSeen();
    if (failed(seen))
      return failure();
    scf::YieldOp::create(builder, loc,
                         emitBlock(*seen, loop.getRegionIterArgs()));
  }
  // Where nothing is seen, the range begins behind its end. Items of attention
  // read the first row.
  Value begins = arith::SubIOp::create(
      builder, loc, splat({rowsStored}, builder.getI32IntegerAttr(kMaxIndex)),
      largest(loop.getResult(0)));
  store(begins, product.accesses.size() - 2);
  store(largest(loop.getResult(1)), product.accesses.size() - 1);
  return success();
}

} // namespace

FailureOr<Program> totile::emitRanges(OpBuilder &builder,
                                      const Product &product, Variant variant,
                                      ScheduleAttr schedule, Attribute target,
                                      int64_t vectorBytes, StringRef name) {
  Product walked = product;
  int64_t queries = product.tile[product.m()];
  walked.tile[product.m()] = std::min(queries, kQueriesAtOnce);
  return RangesEmitter(builder, walked, variant, vectorBytes, queries)
      .run(schedule, target, name);
}
