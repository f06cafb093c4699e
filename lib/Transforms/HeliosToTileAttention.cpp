// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// helios-to-tile: the program of attention. An item is a tile of queries, which
// walks blocks of keys and keeps, for each query, the largest score so far and
// the sum of exponentials below it.

#include "HeliosToTileAttention.h"
#include "Implied.h"
#include "ScheduleNeeds.h"
#include "SelectSchedule.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace helios;
using namespace helios::totile;

/// Steps of keys, if they are known, of which a pipeline leaves a loop.
static constexpr int64_t kLeastSteps = 4;

Product Product::get(AttentionOp op, ScheduleAttr schedule) {
  Product product;
  product.op = op;
  product.numBatch = 3;
  int64_t batch = 0, heads = product.heads(), keyHeads = product.keyHeads(),
          m = product.m(), n = product.n(), k = product.k(),
          values = product.values();
  product.extents.assign(values + 1, ShapedType::kDynamic);
  ArrayRef<int64_t> tile = schedule.getTile();
  int64_t columns = op.getValue().getType().getDimSize(3);
  product.tile = {1,
                  1,
                  1,
                  tile[0],
                  tile[1],
                  tile[2],
                  int64_t(llvm::alignTo(
                      columns, std::max(kDepthUnit, schedule.getMma()[1])))};
  auto add = [&](Value tensor, ArrayRef<int64_t> axes) {
    auto type = cast<RankedTensorType>(tensor.getType());
    product.accesses.push_back(
        {tensor, type.getElementType(), SmallVector<int64_t>(axes)});
    for (auto [axis, extent] : llvm::zip(axes, type.getShape()))
      if (!ShapedType::isDynamic(extent))
        product.extents[axis] = extent;
  };
  add(op.getQuery(), {batch, heads, m, k});
  add(op.getKey(), {batch, keyHeads, n, k});
  add(op.getValue(), {batch, keyHeads, n, values});
  int64_t spatial[] = {batch, heads, m, n};
  for (Value operand : op.getFused()) {
    auto type = cast<RankedTensorType>(operand.getType());
    Access access{operand, type.getElementType(), {}};
    for (auto [axis, extent] : llvm::zip(
             ArrayRef(spatial).take_back(type.getRank()), type.getShape())) {
      access.axes.push_back(extent == 1 ? -1 : axis);
      if (extent != 1 && !ShapedType::isDynamic(extent))
        product.extents[axis] = extent;
    }
    access.narrow = !llvm::is_contained(access.axes, m) ||
                    !llvm::is_contained(access.axes, n);
    product.accesses.push_back(std::move(access));
  }
  add(op.getResult(), {batch, heads, m, values});
  if (Value lse = op.getLse()) {
    add(lse, {batch, heads, m});
    product.accesses.back().narrow = true;
    product.numResults = 2;
  }
  product.longestFirst = MaskAnalysis(op).growsWithQuery();
  // What carries sums and slots from step to step wants loops, and a loop of
  // one known step, or of two that run into each other, is none: how many there
  // are is then left to the launch.
  if (int64_t &keys = product.extents[n];
      keys < kLeastSteps * product.tile[n] || keys % product.tile[n] != 0)
    keys = ShapedType::kDynamic;
  return product;
}

/// Exponents by which scores may exceed what they are relative to: weights stay
/// far below the largest f16, and sums far below the largest f32.
static constexpr double kStaleBits = 8;
/// Where scores are scaled by next to nothing, a finite bound all the same.
static constexpr double kMostStale = 1e30;

namespace {

/// When results are rescaled to a larger score.
enum class Rescaling {
  Always, ///< In every block.
  Rows,   ///< In rows where scores rise by much.
  /// In all rows of a group of lanes where they do in one: nobody knows which
  /// lane has which.
  Groups,
};

class AttentionEmitter : public AttentionRegionEmitter {
public:
  AttentionEmitter(OpBuilder &builder, const Product &product, Variant variant,
                   int64_t vectorBytes, bool clipsByItem, bool hasPlaces,
                   Rescaling rescaling)
      : AttentionRegionEmitter(builder, product, variant, vectorBytes),
        clipsByItem(clipsByItem), hasPlaces(hasPlaces), rescaling(rescaling),
        columns(product.tile[product.values()]),
        element(op.getQuery().getType().getElementType()),
        acc(op.getAccType()) {}

private:
  void emitPrologue() override;
  LogicalResult emitItem() override;
  void emitRows();
  /// Where there are keys, a block is visited in any case, so that the loop has
  /// a trip: it is masked.
  bool hasTrip() const {
    return variant != Variant::Any && !product.isPacked();
  }
  FailureOr<KeyRange> emitRange();
  Value keyOf(unsigned number, int64_t row);
  KeyRange seenOf(KeyRange range, bool keepsEnd);
  Value isKey(arith::CmpIPredicate predicate, Value end);
  Value orWhollySeen(Value keep);
  Value countDown(KeyRange &range);

  /// What is known of a tile of queries: what exponentials are relative to,
  /// sums of them, and results. The first is the largest score so far, or,
  /// where that may be stale, the limit up to which scores do not raise it, and
  /// the base.
  SmallVector<Value> initialState();
  /// What a block of keys makes of it.
  FailureOr<SmallVector<Value>> emitBlock(Value query, ValueRange state);
  FailureOr<Value> emitScores(Value query);
  Value besideProduct(Value value, Value product);
  FailureOr<Value> emitMask(Value scores);
  LogicalResult clipValues();
  void emitResults(ValueRange state);
  /// By how much scores may exceed the one that exponentials are relative to.
  Value stale();
  /// That score, of its limit. The limit alone tells, so that whatever is
  /// relative to it rounds alike.
  Value referenceOf(Value limit);
  /// What exponents have added; a query that has seen no key yet has nothing to
  /// be relative to.
  Value baseOf(Value reference);
  /// Zero where that is -inf.
  Value orZero(Value reference);
  /// What weights are multiplied by where the largest score rises.
  Value factorOf(Value old, Value largest, Value base);
  /// The state's limit and base, that factor and the result multiplied by it,
  /// in a group of lanes one of whose scores exceeds the limit.
  SmallVector<Value> raiseInGroups(Value most, ValueRange state);
  /// The larger ones.
  Value larger(Value a, Value b) {
    return arith::MaximumFOp::create(builder, loc, a, b,
                                     arith::FastMathFlags::nnan);
  }
  Value isGreater(Value a, Value b) {
    return arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OGT, a, b);
  }
  Value rescaled(Value result, Value factor) {
    return arith::MulFOp::create(builder, loc, result,
                                 alongRows(factor, columns));
  }
  /// The exponentials of scores.
  Value below(Value value, ArrayRef<int64_t> shape, Value base);

  Value splat(ArrayRef<int64_t> shape, double value) {
    return ProgramEmitter::splat(shape, builder.getFloatAttr(acc, value));
  }
  Value alongRows(Value vector, int64_t extent) {
    auto type = RankedTensorType::get({m, extent}, acc);
    return tile::ExpandOp::create(builder, loc, type, vector,
                                  builder.getDenseI64ArrayAttr({1}));
  }
  Value reduce(tile::ReduceKind kind, Value tile) {
    return tile::ReduceOp::create(
        builder, loc, RankedTensorType::get({m}, acc),
        tile::ReduceKindAttr::get(builder.getContext(), kind), tile,
        builder.getI64IntegerAttr(1),
        kind == tile::ReduceKind::Max ? builder.getUnitAttr() : UnitAttr());
  }
  Value isEqual(Value a, Value b) {
    return arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OEQ, a, b);
  }
  /// A product with the transposed tile.
  Value transposed(Value tile) {
    auto type = cast<RankedTensorType>(tile.getType());
    auto swapped = RankedTensorType::get(
        {type.getDimSize(1), type.getDimSize(0)}, type.getElementType());
    return tile::TransposeOp::create(builder, loc, swapped, tile);
  }

  /// Replaces the old values in rows where the condition holds; groups of lanes
  /// without such a row skip that. In whole groups, what is computed says
  /// itself which rows stay as they are.
  SmallVector<Value> where(Value condition, ValueRange old,
                           function_ref<SmallVector<Value>()> compute) {
    OperationState state(loc, tile::WhereOp::getOperationName());
    state.addOperands(condition);
    state.addOperands(old);
    if (rescaling == Rescaling::Groups)
      state.addAttribute("voted", builder.getUnitAttr());
    state.addTypes(old.getTypes());
    state.addRegion();
    Operation *created = builder.create(state);
    OpBuilder::InsertionGuard guard(builder);
    builder.createBlock(&created->getRegion(0));
    SmallVector<Value> values = compute();
    tile::YieldOp::create(builder, loc, values);
    return SmallVector<Value>(created->getResults());
  }

  /// Whether an item's values end where its queries see no key any more; else
  /// all items' end where none of their queries does.
  bool clipsByItem;
  bool hasPlaces; ///< scores: it is known which lane has which
  Rescaling rescaling;
  int64_t columns; ///< of the result in a tile
  Type element, acc;
  double toBase2;       ///< of what is left to the exponential of scores
  KeyRange wholly;      ///< keys that all queries of the item were found to see
  Value headsPerKey;    ///< heads of queries that share one of keys
  Value queriesPerHead; ///< in the rows of an item, where heads share them
};

void AttentionEmitter::emitPrologue() {
  if (product.isPacked()) {
    queriesPerHead =
        argument(builder.getIndexType(), {ArgSource::Queries, 0, 0, {}},
                 {range(1, kMaxIndex)});
    headsPerKey = arith::DivUIOp::create(builder, loc, extents[product.m()],
                                         queriesPerHead);
  } else {
    headsPerKey = arith::DivUIOp::create(builder, loc, extents[product.heads()],
                                         extents[product.keyHeads()]);
  }
  if (!clipsByItem && !op.getMask().empty() &&
      MaskAnalysis(op, MaskAnalysis::Scope::Launch).hasEnd())
    clip(2, product.n(),
         argument(builder.getIndexType(), {ArgSource::Seen, 0, 0, {}},
                  {range(1, kMaxIndex)}));
}

FailureOr<Value> AttentionEmitter::emitScores(Value query) {
  Value key = transposed(load(1));
  Value scores = tile::DotOp::create(builder, loc, query, key, splat({m, n}, 0),
                                     tile::MmaAttrInterface());
  RegionEmitter region(builder, {m, n});
  if (acc.isF32())
    region.deferFactors();
  Varying scaled{scores, true, true, op.getScaleOrDefault()};
  if (!op.getScore().empty()) {
    FailureOr<Varying> result = emitRegion(region, op.getScore(), scaled);
    if (failed(result))
      return failure();
    scaled = *result;
  }
  // The exponential takes a factor with it that keeps the order of scores. One
  // that is too small for its type would make NaN of -inf.
  toBase2 = llvm::numbers::log2e;
  if (double both = toBase2 * scaled.factor;
      both > std::numeric_limits<float>::min()) {
    toBase2 = both;
    scaled.factor = 1;
  }
  Value result = region.broadcast(loc, scaled, true, true);
  bool isOfProduct =
      op.getScore().empty() || !op.getScore().getArgument(0).use_empty();
  return isOfProduct ? result : besideProduct(result, scores);
}

/// Where lanes have places, those of scores and the order of products follow
/// from what is computed of a product. Others get a zero of it, whatever it is.
Value AttentionEmitter::besideProduct(Value value, Value product) {
  if (!hasPlaces)
    return value;
  Value positive = isGreater(product, splat({m, n}, 0));
  Value zero = arith::SelectOp::create(builder, loc, positive, splat({m, n}, 0),
                                       splat({m, n}, -0.0));
  return arith::AddFOp::create(builder, loc, value, zero);
}

/// Compares the keys of a block with one.
Value AttentionEmitter::isKey(arith::CmpIPredicate predicate, Value end) {
  auto type = RankedTensorType::get({n}, builder.getIndexType());
  Value key = tile::IotaOp::create(
      builder, loc, type, builder.getI64IntegerAttr(0), offsets[product.n()]);
  return arith::CmpIOp::create(builder, loc, predicate, key,
                               expand(end, {n}, 0));
}

/// The scores with -inf where they do not take part.
FailureOr<Value> AttentionEmitter::emitMask(Value scores) {
  auto select = [&](Value keep) {
    return arith::SelectOp::create(builder, loc, keep, scores,
                                   splat({m, n}, -INFINITY));
  };
  if (variant != Variant::Full) {
    Value inside = isKey(arith::CmpIPredicate::slt, extents[product.n()]);
    scores = select(expand(inside, {m, n}, 0));
  }
  if (op.getMask().empty())
    return scores;
  // Nobody sees a key.
  if (matchPattern(op.getMask().front().getTerminator()->getOperand(0),
                   m_Zero()))
    return besideProduct(splat({m, n}, -INFINITY), scores);
  FailureOr<Value> keep = emitMaskRegion();
  if (failed(keep))
    return failure();
  return select(product.takesRanges() ? orWhollySeen(*keep) : *keep)
      .getResult();
}

SmallVector<Value> AttentionEmitter::initialState() {
  SmallVector<Value> state{splat({m}, -INFINITY)};
  if (rescaling != Rescaling::Always)
    state.push_back(splat({m}, 0));
  llvm::append_values(state, splat({m}, 0), splat({m, columns}, 0));
  return state;
}

Value AttentionEmitter::stale() {
  return splat({m}, std::min(kStaleBits / toBase2, kMostStale));
}

Value AttentionEmitter::referenceOf(Value limit) {
  return arith::SubFOp::create(builder, loc, limit, stale());
}

Value AttentionEmitter::baseOf(Value reference) {
  return arith::MulFOp::create(builder, loc, orZero(reference),
                               splat({m}, -toBase2));
}

Value AttentionEmitter::orZero(Value reference) {
  Value isNone = isEqual(reference, splat({m}, -INFINITY));
  return arith::SelectOp::create(builder, loc, isNone, splat({m}, 0),
                                 reference);
}

Value AttentionEmitter::factorOf(Value old, Value largest, Value base) {
  // Of the base, which is rounded, it is one and that error where the score
  // stays, and every block scales all earlier weights so. Where these are
  // rounded to fewer bits that is lost among their errors (docs/benchmarks);
  // else the difference of scores comes first, which is exact there.
  if (element != acc)
    return below(old, {m}, base);
  Value change = arith::SubFOp::create(builder, loc, old, orZero(largest));
  change = arith::MulFOp::create(builder, loc, change, splat({m}, toBase2));
  return math::Exp2Op::create(builder, loc, change, arith::FastMathFlags::afn);
}

Value AttentionEmitter::below(Value value, ArrayRef<int64_t> shape,
                              Value base) {
  Value exponent =
      math::FmaOp::create(builder, loc, value, splat(shape, toBase2), base);
  // Weights are sums' shares of at most one, so an error that grows with the
  // exponent is none.
  return math::Exp2Op::create(builder, loc, exponent,
                              arith::FastMathFlags::afn);
}

SmallVector<Value> AttentionEmitter::raiseInGroups(Value most,
                                                   ValueRange state) {
  Value limit = state[0], result = state.back(), one = splat({m}, 1);
  return where(
      isGreater(most, limit), {limit, state[1], one, result},
      [&]() -> SmallVector<Value> {
        Value old = referenceOf(limit);
        auto above = [&](Value reference) -> Value {
          return arith::AddFOp::create(builder, loc, reference, stale());
        };
        // Rows of the group whose scores stay below their limit keep
        // it, and the base is computed of it as before.
        Value next = above(larger(old, most)),
              rises = isGreater(next, above(limit));
        next = arith::SelectOp::create(builder, loc, rises, next, limit);
        Value base = baseOf(referenceOf(next)),
              factor = arith::SelectOp::create(builder, loc, rises,
                                               below(old, {m}, base), one);
        return {next, base, factor, rescaled(result, factor)};
      });
}

FailureOr<SmallVector<Value>> AttentionEmitter::emitBlock(Value query,
                                                          ValueRange state) {
  Value sum = state.drop_back().back(), result = state.back();
  FailureOr<Value> scores = emitScores(query);
  if (failed(scores) || failed(scores = emitMask(*scores)))
    return failure();
  Value most = reduce(tile::ReduceKind::Max, *scores);
  SmallVector<Value> newState;
  Value base, factor, grows, scaled;
  switch (rescaling) {
  case Rescaling::Always:
    newState = {larger(state[0], most)};
    base = baseOf(newState.back());
    factor = factorOf(state[0], newState.back(), base);
    break;
  case Rescaling::Rows: {
    // The limit and the base are carried, so that a block in which no score
    // rises by much computes neither.
    Value limit = state[0];
    grows = isGreater(most, limit);
    newState = where(
        grows, {limit, state[1], splat({m}, 1)}, [&]() -> SmallVector<Value> {
          Value old = referenceOf(limit);
          Value next =
              arith::AddFOp::create(builder, loc, larger(old, most), stale());
          Value nextBase = baseOf(referenceOf(next));
          return {next, nextBase, below(old, {m}, nextBase)};
        });
    factor = newState.pop_back_val();
    base = newState.back();
    break;
  }
  case Rescaling::Groups:
    newState = raiseInGroups(most, state);
    scaled = newState.pop_back_val();
    factor = newState.pop_back_val();
    base = newState.back();
    break;
  }
  Value weights = below(*scores, {m, n}, alongRows(base, n));
  newState.push_back(math::FmaOp::create(
      builder, loc, sum, factor, reduce(tile::ReduceKind::Add, weights)));
  if (rescaling == Rescaling::Always)
    scaled = rescaled(result, factor);
  else if (rescaling == Rescaling::Rows)
    scaled = where(grows, result, [&]() -> SmallVector<Value> {
      return {rescaled(result, factor)};
    })[0];
  if (element != acc)
    weights = arith::TruncFOp::create(
        builder, loc, RankedTensorType::get({m, n}, element), weights);
  Value values = load(2);
  newState.push_back(tile::DotOp::create(builder, loc, weights, values, scaled,
                                         tile::MmaAttrInterface()));
  return newState;
}

void AttentionEmitter::emitResults(ValueRange state) {
  Value sum = state.drop_back().back(), result = state.back();
  Value zero = splat({m}, 0), isEmpty = isEqual(sum, zero);
  Value inverse = arith::DivFOp::create(builder, loc, splat({m}, 1), sum);
  inverse = arith::SelectOp::create(builder, loc, isEmpty, zero, inverse);
  result =
      arith::MulFOp::create(builder, loc, result, alongRows(inverse, columns));
  int64_t number = product.accesses.size() - product.numResults;
  Type stored = product.accesses[number].elementType;
  if (stored != acc)
    result = arith::TruncFOp::create(
        builder, loc, RankedTensorType::get({m, columns}, stored), result);
  store(result, number);
  if (product.numResults == 1)
    return;
  Value logarithm = math::Log2Op::create(builder, loc, sum);
  Value reference =
      rescaling == Rescaling::Always ? state[0] : referenceOf(state[0]);
  logarithm = math::FmaOp::create(builder, loc, reference, splat({m}, toBase2),
                                  logarithm);
  // Slices are added up with powers of two as well.
  if (product.part == Part::Whole)
    logarithm = arith::MulFOp::create(builder, loc, logarithm,
                                      splat({m}, llvm::numbers::ln2));
  store(arith::SelectOp::create(builder, loc, isEmpty, splat({m}, -INFINITY),
                                logarithm),
        number + 1);
}

/// The head and the query of each row.
void AttentionEmitter::emitRows() {
  if (!product.isPacked()) {
    head = {offsets[product.heads()]};
    // The plan wants as many heads as are a multiple of those of keys; the
    // minimum tells it to whoever proves bounds.
    Value last = arith::SubIOp::create(
        builder, loc, extents[product.keyHeads()], constant(1));
    offsets[product.keyHeads()] = arith::MinSIOp::create(
        builder, loc,
        arith::DivUIOp::create(builder, loc, head.value, headsPerKey), last);
    return;
  }
  auto type = RankedTensorType::get({m}, builder.getIndexType());
  auto repeated = [&](Value value) {
    return tile::ExpandOp::create(builder, loc, type, value,
                                  builder.getDenseI64ArrayAttr({0}));
  };
  Value row = tile::IotaOp::create(builder, loc, type,
                                   builder.getI64IntegerAttr(0),
                                   offsets[product.m()]),
        count = repeated(queriesPerHead);
  Value first = arith::MulIOp::create(builder, loc, offsets[product.keyHeads()],
                                      headsPerKey);
  head = {
      arith::AddIOp::create(builder, loc, repeated(first),
                            arith::DivUIOp::create(builder, loc, row, count)),
      true, false};
  query = {
      arith::AddIOp::create(builder, loc, repeated(offsets[product.heads()]),
                            arith::RemUIOp::create(builder, loc, row, count)),
      true, false};
}

/// A key that a part of the launch has found for queries of an item from a row
/// on.
Value AttentionEmitter::keyOf(unsigned number, int64_t row) {
  Value query = firstQuery;
  if (row)
    query = arith::AddIOp::create(builder, loc, query, constant(row));
  // Behind the last query an item has its last range again.
  if (row && variant != Variant::Full) {
    Value shared = constant(queriesOfRange(m));
    Value last =
        arith::SubIOp::create(builder, loc, extents[product.m()], constant(1));
    last = arith::MulIOp::create(
        builder, loc, arith::DivUIOp::create(builder, loc, last, shared),
        shared);
    query = arith::MinSIOp::create(builder, loc, query, last);
  }
  // Each sequence of the batch has its own, or none has.
  SmallVector<Value> at{query};
  if (product.accesses[number].axes.size() > 1)
    at.insert(at.begin(), offsets[0]);
  Value key = arith::IndexCastOp::create(builder, loc, builder.getIndexType(),
                                         ProgramEmitter::element(number, at));
  return arith::MaxSIOp::create(builder, loc, key, constant(0));
}

/// A mask, which is true too where all queries of the item were found to see a
/// key: that says nothing new, but is known of whole blocks before they are
/// visited.
Value AttentionEmitter::orWhollySeen(Value keep) {
  Value from = isKey(arith::CmpIPredicate::sge, wholly.begin),
        to = isKey(arith::CmpIPredicate::slt, wholly.end);
  Value inside =
      expand(arith::AndIOp::create(builder, loc, from, to), {m, n}, 0);
  auto either = arith::OrIOp::create(builder, loc, keep, inside);
  either->setAttr(tile::kImpliedAttr, builder.getUnitAttr());
  return either;
}

/// The blocks of keys that queries of an item see, as a part of the launch has
/// found out, of those in a range, whose end may be kept as it is.
KeyRange AttentionEmitter::seenOf(KeyRange range, bool keepsEnd) {
  Value begin, end;
  wholly = {};
  for (int64_t row = 0; row < m; row += queriesOfRange(m)) {
    auto joined = [&](Value known, Kept kept, bool larger) -> Value {
      Value key = keyOf(product.rangeAccess(kept), row);
      if (!known)
        return key;
      return larger
                 ? arith::MaxSIOp::create(builder, loc, known, key).getResult()
                 : arith::MinSIOp::create(builder, loc, known, key);
    };
    wholly.begin = joined(wholly.begin, Kept::Wholly, /*larger=*/true);
    wholly.end = joined(wholly.end, Kept::WhollyTo, /*larger=*/false);
    begin = joined(begin, Kept::Begins, /*larger=*/false);
    if (keepsEnd)
      continue;
    end = joined(end, Kept::Ends, /*larger=*/true);
  }
  begin = arith::DivUIOp::create(builder, loc, begin, constant(n));
  if (range.begin)
    begin = arith::MaxSIOp::create(builder, loc, begin, range.begin);
  if (keepsEnd)
    return {begin, range.end};
  end = arith::CeilDivUIOp::create(builder, loc, end, constant(n));
  if (range.end)
    end = arith::MinSIOp::create(builder, loc, end, range.end);
  return {begin, end};
}

/// The blocks of keys that an item visits.
FailureOr<KeyRange> AttentionEmitter::emitRange() {
  blocks = arith::CeilDivUIOp::create(builder, loc, extents[product.n()],
                                      constant(n));
  Value one = constant(1);
  firstQuery = offsets[product.m()];
  if (product.isPacked()) {
    firstQuery = offsets[product.heads()];
    lastQuery = arith::SubIOp::create(
        builder, loc,
        arith::AddIOp::create(builder, loc, firstQuery, queriesPerHead), one);
  }
  FailureOr<KeyRange> range = analysis.range(item());
  if (failed(range))
    return failure();
  // Where later queries see more the last block is that of the mask's own
  // bound, at a place that is known: a few trips need its comparison, and the
  // others run without a break.
  bool keepsEnd = product.takesRanges() && product.longestFirst && range->end;
  if (product.takesRanges())
    range = seenOf(*range, keepsEnd);
  Value begin = range->begin ? range->begin : constant(0),
        end = range->end ? range->end : blocks;
  if (hasTrip() && !keepsEnd) {
    if (range->begin)
      begin = arith::MinSIOp::create(
          builder, loc, begin,
          arith::SubIOp::create(builder, loc, blocks, one));
    if (range->begin || range->end)
      end = arith::MaxSIOp::create(
          builder, loc, end,
          range->begin ? arith::AddIOp::create(builder, loc, begin, one) : one);
  } else if (hasTrip()) {
    end = arith::MaxSIOp::create(builder, loc, end, one);
  }
  if (end != blocks)
    end = arith::MinSIOp::create(builder, loc, end, blocks);
  if (hasTrip() && keepsEnd)
    begin = arith::MinSIOp::create(
        builder, loc, begin, arith::SubIOp::create(builder, loc, end, one));
  if (!product.isPacked())
    return KeyRange{begin, end};
  // Each slice has an equal part of what its item visits, the last ones less or
  // nothing.
  Value count = end;
  if (range->begin)
    count = arith::SubIOp::create(builder, loc, end, begin);
  if (range->begin || range->end)
    count = arith::MaxSIOp::create(builder, loc, count, constant(0));
  Value part = arith::CeilDivUIOp::create(builder, loc, count,
                                          extents[product.slices()]);
  Value skipped =
      arith::MulIOp::create(builder, loc, offsets[product.slices()], part);
  begin = range->begin ? arith::AddIOp::create(builder, loc, begin, skipped)
                       : skipped;
  return KeyRange{begin, arith::MinSIOp::create(
                             builder, loc, end,
                             arith::AddIOp::create(builder, loc, begin, part))};
}

/// Ends the values at the last key that a query of the item may see: what lies
/// behind it may be anything, which a weight of zero does not make zero.
LogicalResult AttentionEmitter::clipValues() {
  if (!clipsByItem || op.getMask().empty())
    return success();
  MaskAnalysis::Item keys = item();
  keys.blocks = extents[product.n()];
  keys.keys = 1;
  // Rows beyond the last query see nothing.
  if (variant != Variant::Full && !keys.last)
    keys.last = arith::MinSIOp::create(
        builder, loc,
        arith::AddIOp::create(builder, loc, firstQuery, constant(m - 1)),
        arith::SubIOp::create(builder, loc, extents[product.m()], constant(1)));
  FailureOr<KeyRange> range = analysis.range(keys);
  if (failed(range))
    return failure();
  if (range->end)
    clip(2, product.n(),
         arith::MinSIOp::create(builder, loc, range->end, keys.blocks));
  return success();
}

/// Makes of a range the trips that visit it from its end, and returns the block
/// of the first one.
Value AttentionEmitter::countDown(KeyRange &range) {
  Value end = range.end,
        last = arith::SubIOp::create(builder, loc, end, constant(1));
  if (!matchPattern(range.begin, m_Zero()))
    range.end = arith::SubIOp::create(builder, loc, range.end, range.begin);
  // Passes are told that there is a trip, and no more than to the first block,
  // which they do not see of a difference.
  if (range.end != end && hasTrip())
    range.end = arith::MinSIOp::create(
        builder, loc,
        arith::MaxSIOp::create(builder, loc, range.end, constant(1)), end);
  range.begin = constant(0);
  return last;
}

LogicalResult AttentionEmitter::emitItem() {
  emitRows();
  offsets[product.k()] = offsets[product.values()] = constant(0);
  Value queries = load(0);
  enterItem();
  loadOnce([&](ArrayRef<int64_t> axes) {
    return !llvm::is_contained(axes, product.n());
  });
  FailureOr<KeyRange> range = emitRange();
  if (failed(range))
    return failure();
  if (failed(clipValues()))
    return failure();
  // Where later keys take part with later queries alone, scores tend to be
  // largest near the query: begun there, few blocks raise the largest score by
  // much, and results are hardly ever rescaled.
  Value last;
  if (rescaling != Rescaling::Always && product.longestFirst)
    last = countDown(*range);
  auto loop = scf::ForOp::create(builder, loc, range->begin, range->end,
                                 constant(1), initialState());
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    Value block = loop.getInductionVar();
    if (last)
      block = arith::SubIOp::create(builder, loc, last, block);
    offsets[product.n()] =
        arith::MulIOp::create(builder, loc, block, constant(n));
    FailureOr<SmallVector<Value>> state =
        emitBlock(queries, loop.getRegionIterArgs());
    if (failed(state))
      return failure();
    scf::YieldOp::create(builder, loc, *state);
  }
  emitResults(loop.getResults());
  return success();
}

} // namespace

/// Whether an item may see less of a tensor than others: where copies follow a
/// description made before the launch, it may not.
static bool canClipByItem(ScheduleAttr schedule, Attribute target) {
  auto row = dyn_cast_or_null<tile::TargetAttrInterface>(target);
  tile::CopyAttrInterface copy =
      row ? row.getCopy(schedule.getStrategyName()) : tile::CopyAttrInterface();
  return !copy || copy.getBoundsMode() != tile::Bounds::Clip;
}

/// The layout of scores; null if the schedule names no instruction of the
/// target.
static tile::LayoutAttrInterface
layoutOfScores(AttentionOp op, ScheduleAttr schedule, Attribute target) {
  auto row = dyn_cast_or_null<tile::TargetAttrInterface>(target);
  tile::MmaAttrInterface mma =
      row ? schedule::namedInstruction(op, schedule, row)
          : tile::MmaAttrInterface();
  if (!mma)
    return {};
  return dyn_cast_or_null<tile::LayoutAttrInterface>(mma.getLayout(
      tile::Side::Acc, SmallVector<int64_t>(schedule.getGroups())));
}

/// Multiplications of a lane that are worth a branch around them.
static constexpr int64_t kWorthBranch = 96;

/// When results are rescaled. Where an engine multiplies meanwhile, arithmetic
/// on results is what is left to save; else the branch, behind which products
/// wait, has to save more than it costs. Where nobody knows the places of
/// scores it saves the largest of each row as well, which lanes have to look
/// for among others'.
static Rescaling rescalingOf(const Product &product, ScheduleAttr schedule,
                             Attribute target) {
  auto op = cast<AttentionOp>(product.op);
  if (!op.getAccType().isF32())
    return Rescaling::Always;
  tile::LayoutAttrInterface scores = layoutOfScores(op, schedule, target);
  switch (*tile::symbolizeStrategy(schedule.getStrategyName())) {
  case tile::Strategy::Roles:
    return Rescaling::Rows;
  case tile::Strategy::Groups: {
    int64_t lanes = scores ? scores.getGroupCount() * scores.getLaneCount() : 0;
    bool worth = lanes && product.tile[product.m()] *
                                  product.tile[product.values()] / lanes >=
                              kWorthBranch;
    return worth ? Rescaling::Rows : Rescaling::Always;
  }
  case tile::Strategy::Staged: {
    bool groups = scores && !scores.hasCoordinates() &&
                  (scores.canReduceOpaque() ||
                   cast<tile::TargetAttrInterface>(target).meetsInBranches());
    return groups ? Rescaling::Groups : Rescaling::Always;
  }
  }
  llvm_unreachable("a strategy");
}

FailureOr<Program> totile::emitAttention(OpBuilder &builder,
                                         const Product &product,
                                         Variant variant, ScheduleAttr schedule,
                                         Attribute target, int64_t vectorBytes,
                                         StringRef name) {
  tile::LayoutAttrInterface scores =
      layoutOfScores(cast<AttentionOp>(product.op), schedule, target);
  return AttentionEmitter(builder, product, variant, vectorBytes,
                          canClipByItem(schedule, target),
                          !scores || scores.hasCoordinates(),
                          rescalingOf(product, schedule, target))
      .run(schedule, target, name);
}
