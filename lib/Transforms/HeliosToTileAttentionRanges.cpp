// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// helios-to-tile: which keys the mask of attention lets queries see. Where a
// mask depends on what tensors hold, such as the documents of a batch, nobody
// knows before the launch which blocks of keys an item could leave out. A
// dispatch of its own evaluates the mask of all pairs and leaves, for some
// queries each, the first key that one of them sees and the end of those keys;
// items of attention visit the blocks between. Where keys that all of them see
// lie side by side it leaves their first and their end too; blocks of such keys
// need no mask. That pays since heads share it.

#include "HeliosToTileAttentionSeen.h"

using namespace mlir;
using namespace helios;
using namespace helios::totile;

/// Queries that all lanes walk together.
static constexpr int64_t kQueriesAtOnce = 16;
/// Rows of a tile in which lanes combine what is left for each key, and that
/// are stored, at most.
static constexpr int64_t kMostRowsStored = 8;

/// Where the keys that some and that all queries see begin and end; each batch
/// has its own if the mask depends on it.
static SmallVector<Access> rangesOf(const Product &product) {
  auto op = cast<AttentionOp>(product.op);
  SmallVector<int64_t> axes;
  if (MaskAnalysis::varies(op, MaskAnalysis::Sharer::Batch))
    axes.push_back(0);
  axes.push_back(product.m());
  SmallVector<Access> ranges(Product::kRangeNumbers,
                             {op.getResult(),
                              IntegerType::get(op.getContext(), 32), axes,
                              /*narrow=*/true});
  constexpr Kept kinds[] = {Kept::Begins, Kept::Ends, Kept::Wholly,
                            Kept::WhollyTo};
  for (auto [access, kept] : llvm::zip_equal(ranges, kinds))
    access.kept = kept;
  return ranges;
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
  result.tile[n()] = RangeTile::get(target).allLanes();
  llvm::append_range(result.accesses, rangesOf(result));
  result.numResults = kRangeNumbers;
  return result;
}

Product Product::takingRanges() const {
  Product result = *this;
  SmallVector<Access> ranges = rangesOf(*this);
  for (Access &access : ranges)
    access.single = true;
  result.accesses.insert(result.accesses.end() - numResults, ranges.begin(),
                         ranges.end());
  return result;
}

namespace {

class RangesEmitter : public SeenEmitter {
public:
  /// `product` has so many queries in a tile as are walked at once, of
  /// `queries` in an item.
  RangesEmitter(OpBuilder &builder, const Product &product, Variant variant,
                int64_t vectorBytes, int64_t queries)
      : SeenEmitter(builder, product, variant, vectorBytes, queries),
        rowsStored(std::min(queries, kMostRowsStored)) {}

private:
  Value itemsAlong(int64_t axis) override {
    return axis == product.m()
               ? arith::CeilDivUIOp::create(builder, loc, extents[axis],
                                            constant(queries))
                     .getResult()
               : Value();
  }
  LogicalResult emitItem() override;
  SmallVector<Value> emitBlock(const Seen &seen, ValueRange state);

  /// What the elements of all keys combine to, in several rows.
  Value combined(tile::ReduceKind kind, Value ofKeys) {
    return reduce(kind, expand(ofKeys, {rowsStored, n}, 0), 1, rowsStored);
  }
  Value rows(int64_t value) {
    return splat({rowsStored}, builder.getI32IntegerAttr(value));
  }
  int64_t rowsStored; ///< of an item
};

/// For each place in a tile, how far the first key that a query sees there lies
/// before the largest index, so that it is at the largest distance, and the end
/// of those keys; both for keys that all queries see, and how many there are.
SmallVector<Value> RangesEmitter::emitBlock(const Seen &seen,
                                            ValueRange state) {
  auto keys = [&](Type element) { return RankedTensorType::get({n}, element); };
  Value key =
      tile::IotaOp::create(builder, loc, keys(builder.getIndexType()),
                           builder.getI64IntegerAttr(0), offsets[product.n()]);
  key =
      arith::IndexCastOp::create(builder, loc, keys(builder.getI32Type()), key);
  Value before = arith::SubIOp::create(builder, loc, splatOf(kMaxIndex), key);
  Value end = arith::AddIOp::create(builder, loc, key, splatOf(1));
  auto first = [&](Value known) {
    return arith::MaxSIOp::create(builder, loc, known, before);
  };
  auto where = [&](Value condition, Value here, Value known) {
    return arith::SelectOp::create(builder, loc, condition, here, known);
  };
  Value more = arith::AddIOp::create(builder, loc, state[4], splatOf(1));
  return {where(seen.some, first(state[0]), state[0]),
          where(seen.some, end, state[1]),
          where(seen.all, first(state[2]), state[2]),
          where(seen.all, end, state[3]), where(seen.all, more, state[4])};
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
                                      constant(n * kTilesOfStep));
  enterItem();
  loadOnce([&](ArrayRef<int64_t> axes) {
    return !llvm::is_contained(axes, product.m()) &&
           !llvm::is_contained(axes, product.n());
  });
  MaskAnalysis::Item whole = item();
  whole.queries = queries;
  whole.keys = n * kTilesOfStep;
  FailureOr<KeyRange> range = analysis.range(whole);
  if (failed(range))
    return failure();
  if (failed(enterQueries()))
    return failure();
  Value end = blocks;
  if (range->end)
    end = arith::MinSIOp::create(builder, loc, range->end, blocks);
  Value none = splatOf(0);
  auto loop =
      scf::ForOp::create(builder, loc, range->begin ? range->begin : zero, end,
                         constant(1), SmallVector<Value>(5, none));
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    enterKeys(loop.getInductionVar());
    FailureOr<SmallVector<Seen>> seen = emitSeen();
    if (failed(seen))
      return failure();
    SmallVector<Value> state(loop.getRegionIterArgs());
    for (auto [number, ofTile] : llvm::enumerate(*seen)) {
      enterTile(number);
      state = emitBlock(ofTile, state);
    }
    scf::YieldOp::create(builder, loc, state);
  }
  using Kind = tile::ReduceKind;
  auto firstOf = [&](unsigned number) -> Value {
    return arith::SubIOp::create(builder, loc, rows(kMaxIndex),
                                 combined(Kind::Max, loop.getResult(number)));
  };
  // Where nothing is seen, the range begins behind its end. Items of attention
  // read the first row.
  unsigned first = product.accesses.size() - Product::kRangeNumbers;
  store(firstOf(0), first);
  store(combined(Kind::Max, loop.getResult(1)), first + 1);
  // Keys between that some query does not see make it no range at all.
  Value begin = firstOf(2), after = combined(Kind::Max, loop.getResult(3));
  Value between = arith::SubIOp::create(builder, loc, after, begin);
  Value isWhole =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, between,
                            combined(Kind::Add, loop.getResult(4)));
  auto storeIfWhole = [&](Value place, unsigned number) {
    store(arith::SelectOp::create(builder, loc, isWhole, place, rows(0)),
          number);
  };
  storeIfWhole(begin, first + 2);
  storeIfWhole(after, first + 3);
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
