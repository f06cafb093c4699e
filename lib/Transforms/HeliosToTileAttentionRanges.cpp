// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// helios-to-tile: which keys the mask of attention lets queries see. Where a
// mask depends on what tensors hold, such as the documents of a batch, nobody
// knows before the launch which blocks of keys an item could leave out. A
// dispatch of its own evaluates the mask of all pairs and leaves, for each few
// queries, the first key that one of them sees and the end of those keys; items
// of attention visit the blocks between. That pays since heads share it.

#include "HeliosToTileAttention.h"

using namespace mlir;
using namespace helios;
using namespace helios::totile;

/// Keys of a step: many, so that lanes load several at once.
static constexpr int64_t kKeysOfRange = 256;

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

Product Product::getRanges() const {
  Product result = *this;
  result.part = Part::Ranges;
  result.longestFirst = false;
  result.accesses.truncate(accesses.size() - numResults);
  constexpr unsigned values = 2;
  result.accesses.erase(result.accesses.begin() + values);
  result.extents[this->values()] = 1;
  for (Access &access : MutableArrayRef(result.accesses).take_front(values))
    access.narrow = true;
  result.tile[m()] = kRowsOfRange;
  result.tile[n()] = kKeysOfRange;
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
  result.takesRanges = true;
  return result;
}

namespace {

class RangesEmitter : public AttentionRegionEmitter {
public:
  using AttentionRegionEmitter::AttentionRegionEmitter;

private:
  LogicalResult emitItem() override;
  SmallVector<Value> emitBlock(Value keep, ValueRange state);

  Value expand(Value value, ArrayRef<int64_t> shape, int64_t dim) {
    auto type =
        RankedTensorType::get(shape, getElementTypeOrSelf(value.getType()));
    return tile::ExpandOp::create(builder, loc, type, value,
                                  builder.getDenseI64ArrayAttr({dim}));
  }
  Value reduce(tile::ReduceKind kind, Value tile, int64_t dim, int64_t extent) {
    auto type =
        RankedTensorType::get(extent, getElementTypeOrSelf(tile.getType()));
    return tile::ReduceOp::create(
        builder, loc, type,
        tile::ReduceKindAttr::get(builder.getContext(), kind), tile,
        builder.getI64IntegerAttr(dim));
  }
  /// The largest element of all keys, once for each row.
  Value largest(Value ofKeys) {
    return reduce(tile::ReduceKind::Max, expand(ofKeys, {m, n}, 0), 1, m);
  }
  /// One number for each key of a step.
  Value splatOf(int64_t value) {
    return splat({n}, builder.getI32IntegerAttr(value));
  }
};

/// For each place in a step, how far the first key that a row sees there lies
/// before the largest index, so that it is at the largest distance, and the end
/// of those keys. `keep` says which pairs take part.
SmallVector<Value> RangesEmitter::emitBlock(Value keep, ValueRange state) {
  auto keys = [&](Type element) { return RankedTensorType::get({n}, element); };
  Value seen = reduce(tile::ReduceKind::Or, keep, /*dim=*/0, n);
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

LogicalResult RangesEmitter::emitItem() {
  Value zero = constant(0);
  for (int64_t axis : {int64_t(0), product.heads(), product.keyHeads()})
    if (!offsets[axis])
      offsets[axis] = zero;
  head = {offsets[product.heads()]};
  firstQuery = offsets[product.m()];
  blocks = arith::CeilDivUIOp::create(builder, loc, extents[product.n()],
                                      constant(n));
  Block &mask = op.getMask().front();
  enterItem([&](unsigned i) { return !mask.getArgument(i).use_empty(); });
  FailureOr<KeyRange> range = analysis.range(item());
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
    FailureOr<Value> keep = emitMaskRegion();
    if (failed(keep))
      return failure();
    scf::YieldOp::create(builder, loc,
                         emitBlock(*keep, loop.getRegionIterArgs()));
  }
  // Where nothing is seen, the range begins behind its end.
  Value begins = arith::SubIOp::create(
      builder, loc, splat({m}, builder.getI32IntegerAttr(kMaxIndex)),
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
  return RangesEmitter(builder, product, variant, vectorBytes)
      .run(schedule, target, name);
}
