// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// helios-to-tile: the programs of a product.

#include "HeliosToTileGroups.h"
#include "HeliosToTileProgram.h"
#include "HeliosToTileStream.h"

using namespace mlir;
using namespace helios;
using namespace helios::totile;

namespace {

class MatmulEmitter : public ProgramEmitter {
public:
  using ProgramEmitter::ProgramEmitter;

private:
  void emitPrologue() override;
  Value itemsAlong(int64_t axis) override;
  void enterItems(ScheduleAttr schedule, bool clustered) override;
  void enterStream(ScheduleAttr schedule, bool clustered);
  void enterStreamSum(ScheduleAttr schedule);
  Value bounded(Value place);
  GroupSearch groups();
  void enterGroup();
  LogicalResult emitItem() override;
  FailureOr<SmallVector<Value>> multiply();
  LogicalResult multiplyPiece(Value step, int64_t piece,
                              MutableArrayRef<Value> sums);
  int64_t chains();
  void enterPiece(Value step, int64_t piece);
  SmallVector<Value> scales();
  FailureOr<SmallVector<Value>> operand(unsigned number);
  FailureOr<SmallVector<Value>> operandIn(unsigned number, int64_t shares);
  FailureOr<Value> left(int64_t part);
  Value transposed(Value tile, bool transpose);
  Value added(Value x, Value y);
  Value addParts(Value first, Value end, function_ref<Value(Value)> placeOf);
  Value addSlices();
  void storeStream(ArrayRef<Value> sums);
  FailureOr<SmallVector<Value>> epilogue(ArrayRef<Value> sums);
  void addShares(MutableArrayRef<Value> sums);
  LogicalResult addRows();

  Value steps;         ///< of the loop over all of K
  Value stepsPerSlice; ///< and over one slice
  Value none;          ///< a sum of nothing
  StreamCounts counts; ///< of streamed tiles
  StreamedItem item;   ///< of them
  Value tileOfSum;     ///< whose sums are added up
};

void MatmulEmitter::emitPrologue() {
  if (product.part != Part::Sum)
    steps = arith::CeilDivUIOp::create(builder, loc, extents[product.k()],
                                       constant(product.tile[product.k()]));
  if (product.part == Part::Slices)
    stepsPerSlice = sliceArgument();
  else if (product.clusterK > 1)
    stepsPerSlice = arith::CeilDivUIOp::create(builder, loc, steps,
                                               constant(product.clusterK));
  if (product.part == Part::Stream || product.tileOfSums)
    for (auto [i, count] : llvm::enumerate(counts.all()))
      *count = argument(
          builder.getIndexType(), {ArgSource::Stream, 0, int64_t(i), {}},
          {range(count == &counts.share || count == &counts.steps, kMaxIndex)});
}

/// Streamed items have a number alone; so have the tiles whose sums are added
/// up, each of which is several items.
void MatmulEmitter::enterItems(ScheduleAttr schedule, bool clustered) {
  if (product.part == Part::Stream)
    enterStream(schedule, clustered);
  else if (product.tileOfSums)
    enterStreamSum(schedule);
  else
    ProgramEmitter::enterItems(schedule, clustered);
}

void MatmulEmitter::enterStream(ScheduleAttr schedule, bool clustered) {
  SmallVector<Value> bounds = itemBounds();
  auto order = tile::ItemsAttr::get(builder.getContext(),
                                    tile::Distribution::Persistent, {}, -1, {});
  Value count = StreamedTiles(builder, loc, counts).numItems();
  Value number = openItems(count, order).front();
  item = StreamedTiles(builder, loc, counts).find(number);
  auto tile = tile::ItemAtOp::create(builder, loc, item.tile, bounds,
                                     orderOf(schedule, clustered));
  setOffsets(tile.getIndices());
  int64_t places = product.slices();
  offsets[places] = bounded(item.place);
  for (auto [axis, index] : llvm::zip(product.itemAxes(), tile.getIndices())) {
    if (axis < product.m())
      continue;
    Value inCluster = constant(0);
    if (int64_t together = product.together(axis); together > 1)
      inCluster = arith::MulIOp::create(
          builder, loc,
          arith::RemUIOp::create(builder, loc, index, constant(together)),
          constant(product.tile[axis]));
    offsets[places + 1 + (axis - product.m())] = inCluster;
  }
}

/// A place of a sum, bounded by what the launch says, as facts want it.
Value MatmulEmitter::bounded(Value place) {
  Value last = arith::SubIOp::create(builder, loc, extents[product.slices()],
                                     constant(1));
  return arith::MinSIOp::create(builder, loc, place, last);
}

void MatmulEmitter::enterStreamSum(ScheduleAttr schedule) {
  offsets.resize(product.extents.size());
  ArrayRef<int64_t> tileOfSums = *product.tileOfSums;
  int64_t k = product.k();
  SmallVector<Value> bounds(
      ArrayRef(extents).take_front(product.itemAxes().size()));
  SmallVector<Value> pieces{
      arith::SubIOp::create(builder, loc, counts.tiles, counts.whole)};
  for (auto [dim, size] : llvm::enumerate(tileOfSums)) {
    int64_t axis = product.m() + dim;
    bounds[axis] =
        arith::CeilDivUIOp::create(builder, loc, bounds[axis], constant(size));
    pieces.push_back(
        constant(product.extents[k + 1 + dim] / product.tile[axis]));
  }
  auto grid = tile::ItemsAttr::get(builder.getContext(),
                                   tile::Distribution::Grid, {}, -1, {});
  ValueRange numbers = openItems(pieces, grid);
  tileOfSum = numbers[0];
  Value number = arith::AddIOp::create(builder, loc, counts.whole, tileOfSum);
  auto tile = tile::ItemAtOp::create(
      builder, loc, number, bounds,
      orderOf(schedule, llvm::product_of(product.cluster) > 1));
  llvm::copy(tile.getIndices(), offsets.begin());
  for (auto [dim, size] : llvm::enumerate(tileOfSums)) {
    Value &offset = offsets[product.m() + dim], &inTile = offsets[k + 1 + dim];
    inTile = arith::MulIOp::create(builder, loc, numbers[1 + dim],
                                   constant(product.tile[product.m() + dim]));
    offset = arith::AddIOp::create(
        builder, loc,
        arith::MulIOp::create(builder, loc, offset, constant(size)), inTile);
  }
}

GroupSearch MatmulEmitter::groups() {
  return GroupSearch(
      builder, loc, extents[0], extents[product.m()], product.tile[product.m()],
      [&](Value group) { return element(product.ends(), group); });
}

Value MatmulEmitter::itemsAlong(int64_t axis) {
  return product.grouped && axis == product.m() ? groups().count() : Value();
}

/// Makes the item's number along the rows a group and rows of it. The result
/// ends where the group does.
void MatmulEmitter::enterGroup() {
  RowsOfGroup rows = groups().find(itemNumber(product.m()));
  offsets[0] = rows.group;
  offsets[product.m()] = rows.first;
  for (unsigned i = 0; i < product.numResults; ++i)
    clip(product.ends() + 1 + i, product.m(), rows.end);
}

Value MatmulEmitter::transposed(Value tile, bool transpose) {
  if (!transpose)
    return tile;
  auto type = cast<RankedTensorType>(tile.getType());
  auto swapped = RankedTensorType::get({type.getDimSize(1), type.getDimSize(0)},
                                       type.getElementType());
  return tile::TransposeOp::create(builder, loc, swapped, tile);
}

/// The tile of the left operand, which is the first, or of a right one at the
/// current offsets, as it is stored or as its prologue makes it, which may make
/// several. Shared memory holds what is stored where copies put it there, else
/// what is multiplied: that is what is transposed.
FailureOr<SmallVector<Value>> MatmulEmitter::operand(unsigned number) {
  return operandIn(number, product.pieces());
}

/// The same of one of equal shares of a step.
FailureOr<SmallVector<Value>> MatmulEmitter::operandIn(unsigned number,
                                                       int64_t shares) {
  auto op = cast<MatmulOp>(product.op);
  bool isLhs = number == 0, transpose = product.isTransposed(number);
  Value stored = load(number, shares);
  if (op.getPrologueOf(isLhs).empty() ||
      (isLhs ? product.takesMadeLeft : product.takesMadeRight))
    return SmallVector<Value>{transposed(
        stored, transpose && product.accesses[number].kept != Kept::Packed)};
  int64_t k = product.k();
  Value end;
  if (!product.isWhole(k, variant))
    end = arith::SubIOp::create(builder, loc, extents[k], offsets[k]);
  bool after = transpose && !copies;
  FailureOr<SmallVector<Value>> made = totile::emitPrologue(
      builder, product, transposed(stored, transpose && copies), number,
      /*kIsRows=*/isLhs == after,
      [&](unsigned other) { return load(other, shares); },
      [&](Value value) { return scalar(value); }, end);
  if (failed(made))
    return failure();
  for (Value &tile : *made)
    tile = transposed(tile, after);
  return made;
}

/// The tile of the left operand that the given one of several tiles made of a
/// right one is multiplied by.
FailureOr<Value> MatmulEmitter::left(int64_t part) {
  int64_t parts = product.parts(), k = product.k(), pieces = product.pieces(),
          step = product.tile[k] / pieces, group = product.groupSize();
  // Steps go through groups of what is stored; the parts of a step lie apart.
  Value whole = offsets[k], first = whole;
  if (step != group) {
    Value inGroup =
        arith::RemUIOp::create(builder, loc, whole, constant(group));
    first = arith::AddIOp::create(
        builder, loc, arith::SubIOp::create(builder, loc, whole, inGroup),
        arith::MulIOp::create(
            builder, loc,
            arith::DivUIOp::create(builder, loc, inGroup, constant(step)),
            constant(step / parts)));
  }
  offsets[k] = builder.createOrFold<arith::AddIOp>(
      loc, first, constant(part * (group / parts)));
  FailureOr<SmallVector<Value>> made = operandIn(0, pieces * parts);
  offsets[k] = whole;
  if (failed(made))
    return failure();
  return made->front();
}

/// Sets the offsets along K and along axes of groups to those of a piece of a
/// step.
void MatmulEmitter::enterPiece(Value step, int64_t piece) {
  int64_t k = product.k(), depth = product.tile[k],
          before = piece * (depth / product.pieces());
  auto at = [&](int64_t size) {
    return builder.createOrFold<arith::AddIOp>(
        loc, arith::MulIOp::create(builder, loc, step, constant(depth / size)),
        constant(before / size));
  };
  offsets[k] = at(1);
  for (auto [i, groups] : llvm::enumerate(product.groups)) {
    Value &offset = offsets[k + 1 + i];
    // Said as a multiple where it is one, so that facts bound it.
    if (groups.axis == k && depth % groups.size == 0 &&
        before % groups.size == 0)
      offset = at(groups.size);
    else
      offset = arith::DivUIOp::create(builder, loc, offsets[groups.axis],
                                      constant(groups.size));
  }
}

/// What the sums over a step are multiplied by: the product of the scales of
/// their two blocks, along as few dimensions of the tile as they vary along.
SmallVector<Value> MatmulEmitter::scales() {
  auto op = cast<MatmulOp>(product.op);
  SmallVector<Value> loaded;
  for (unsigned number = 0; number < op.getScales().size(); ++number)
    loaded.push_back(load(product.firstScale() + number));
  auto type = RankedTensorType::get(
      {product.tile[product.m()], product.tile[product.n()]}, op.getAccType());
  SmallVector<Value> factors;
  for (unsigned right = 1; right < loaded.size(); ++right) {
    SmallVector<Value> along[2]; ///< rows, columns
    for (unsigned number : {0u, right}) {
      const Access &scale = product.accesses[product.firstScale() + number];
      bool columns = llvm::is_contained(scale.axes, product.n());
      along[columns].push_back(loaded[number]);
    }
    Value &result = factors.emplace_back();
    for (unsigned columns : {0, 1}) {
      if (along[columns].empty())
        continue;
      Value factor = along[columns].front();
      if (along[columns].size() == 2)
        factor = arith::MulFOp::create(builder, loc, factor, along[columns][1]);
      factor = tile::ExpandOp::create(builder, loc, type, factor,
                                      builder.getDenseI64ArrayAttr(!columns));
      result =
          result ? arith::MulFOp::create(builder, loc, result, factor) : factor;
    }
  }
  return factors;
}

/// How many sums a step has. A product waits for the sum that it adds to. Where
/// a tile has the rows of one instruction that is most of a step, so parts of a
/// step have sums of their own; where rows must not depend on the tile they
/// have one.
int64_t MatmulEmitter::chains() {
  auto op = cast<MatmulOp>(product.op);
  return product.hasRowsOfOne && !product.addsParts && !op.getBatchInvariant()
             ? product.parts()
             : 1;
}

/// Adds what a piece of a step multiplies to the sums of each right operand.
LogicalResult MatmulEmitter::multiplyPiece(Value step, int64_t piece,
                                           MutableArrayRef<Value> sums) {
  auto op = cast<MatmulOp>(product.op);
  enterPiece(step, piece);
  // Scales are on their way while the engine multiplies.
  SmallVector<Value> factors;
  if (op.hasScales())
    factors = scales();
  SmallVector<Value> lefts;
  if (product.parts() == 1) {
    FailureOr<SmallVector<Value>> a = operand(0);
    if (failed(a))
      return failure();
    lefts = *a;
  } else {
    for (int64_t part = 0; part < product.parts(); ++part) {
      FailureOr<Value> a = left(part);
      if (failed(a))
        return failure();
      lefts.push_back(*a);
    }
  }
  SmallVector<SmallVector<Value>> rights;
  for (unsigned i = 0; i < op.getNumSums(); ++i) {
    FailureOr<SmallVector<Value>> b = operand(1 + i);
    if (failed(b))
      return failure();
    rights.push_back(*b);
  }
  for (auto [i, right] : llvm::enumerate(rights)) {
    MutableArrayRef<Value> own = sums.slice(i * chains(), chains());
    Value acc = own.front();
    if (product.addsParts)
      own.front() = none;
    for (auto [part, a, b] : llvm::enumerate(lefts, right)) {
      Value &sum = own[part % chains()];
      sum = tile::DotOp::create(builder, loc, a, b, sum,
                                tile::MmaAttrInterface());
    }
    Value &sum = own.front();
    if (!factors.empty())
      sum = arith::MulFOp::create(builder, loc, sum, factors[i]);
    if (product.addsParts)
      sum = arith::AddFOp::create(builder, loc, acc, sum);
  }
  return success();
}

/// The accumulators after all steps of the contracted extent, or of a slice:
/// one, or those of a pair, whose products have the left operand in common.
FailureOr<SmallVector<Value>> MatmulEmitter::multiply() {
  auto op = cast<MatmulOp>(product.op);
  Value zero = constant(0), one = constant(1);
  Value first, trips = steps;
  if (stepsPerSlice) {
    first = arith::MulIOp::create(builder, loc, offsets[product.slices()],
                                  stepsPerSlice);
    Value left = arith::SubIOp::create(builder, loc, steps, first);
    trips = arith::MinSIOp::create(builder, loc, stepsPerSlice, left);
    // No slice is empty unless K is zero. Said in a way that facts prove it,
    // where nobody has to prove that a step lies inside of K.
    // Of a cluster's slices the last ones may be; an engine reads zeros there.
    if (variant == Variant::Aligned || product.clusterK > 1)
      trips = arith::MaxSIOp::create(builder, loc, trips, one);
  } else if (product.part == Part::Stream) {
    first = item.first;
    Value left = arith::SubIOp::create(builder, loc, steps, first);
    trips = arith::MinSIOp::create(builder, loc, item.steps, left);
    // Who has no step multiplies one in vain, which is seldom.
    if (variant == Variant::Aligned)
      trips = arith::MaxSIOp::create(builder, loc, trips, one);
  }
  auto accType = RankedTensorType::get(
      {product.tile[product.m()], product.tile[product.n()]}, op.getAccType());
  none = arith::ConstantOp::create(builder, loc, accType,
                                   builder.getZeroAttr(accType));
  SmallVector<Value> inits(op.getNumSums() * chains(), none);
  auto loop = scf::ForOp::create(builder, loc, zero, trips, one, inits);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  Value at = loop.getInductionVar();
  if (first)
    at = arith::AddIOp::create(builder, loc, first, at);
  SmallVector<Value> sums(loop.getRegionIterArgs());
  for (int64_t piece = 0; piece < product.pieces(); ++piece)
    if (failed(multiplyPiece(at, piece, sums)))
      return failure();
  scf::YieldOp::create(builder, loc, sums);
  builder.setInsertionPointAfter(loop);
  SmallVector<Value> whole;
  for (auto [i, sum] : llvm::enumerate(loop.getResults()))
    if (i % chains() == 0)
      whole.push_back(sum);
    else
      whole.back() = added(whole.back(), sum);
  return whole;
}

Value MatmulEmitter::added(Value x, Value y) {
  if (isa<FloatType>(getElementTypeOrSelf(x.getType())))
    return arith::AddFOp::create(builder, loc, x, y);
  return arith::AddIOp::create(builder, loc, x, y);
}

/// The accumulator as the sum of these parts, which lie at places of their own,
/// the first one first.
Value MatmulEmitter::addParts(Value first, Value end,
                              function_ref<Value(Value)> placeOf) {
  Type element = product.accesses.front().elementType;
  auto type = RankedTensorType::get(
      {product.tile[product.m()], product.tile[product.n()]}, element);
  Value init =
      arith::ConstantOp::create(builder, loc, type, builder.getZeroAttr(type));
  auto loop = scf::ForOp::create(builder, loc, first, end, constant(1),
                                 ValueRange{init});
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  offsets[product.k()] = placeOf(loop.getInductionVar());
  Value part = load(0), acc = loop.getRegionIterArg(0);
  scf::YieldOp::create(builder, loc, added(acc, part));
  return loop.getResult(0);
}

/// That of all slices, or of what shares left of a streamed tile.
Value MatmulEmitter::addSlices() {
  if (!product.tileOfSums)
    return addParts(constant(0), extents[product.k()],
                    [](Value slice) { return slice; });
  StreamedTiles stream(builder, loc, counts);
  auto [first, end] = stream.sharesOf(tileOfSum);
  return addParts(first, end, [&](Value share) {
    return bounded(stream.placeOf(share, tileOfSum));
  });
}

/// The tiles that an item stores, or combines and stores.
FailureOr<SmallVector<Value>> MatmulEmitter::epilogue(ArrayRef<Value> sums) {
  return emitEpilogue(
      builder, product, sums, [&](unsigned number) { return load(number); },
      [&](Value value) { return scalar(value); },
      ArrayRef(offsets).take_front(product.k()));
}

/// Adds up the slices of whole rows, one tile of columns after another, and
/// combines these.
LogicalResult MatmulEmitter::addRows() {
  auto op = cast<MatmulOp>(product.op);
  ArrayRef<Access> results = product.results();
  size_t first = product.accesses.size() - results.size();
  int64_t n = product.n();
  SmallVector<Value> none;
  for (auto [i, access] : llvm::enumerate(results))
    if (ReductionAttr reduction = op.getReduction(i))
      none.push_back(
          emitNeutral(builder, loc, reduction,
                      RankedTensorType::get(product.tile[product.m()],
                                            access.elementType)));
  size_t stored = results.size() - none.size();
  Value tiles = arith::CeilDivUIOp::create(builder, loc, extents[n],
                                           constant(product.tile[n]));
  auto loop =
      scf::ForOp::create(builder, loc, constant(0), tiles, constant(1), none);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    offsets[n] = arith::MulIOp::create(builder, loc, loop.getInductionVar(),
                                       constant(product.tile[n]));
    FailureOr<SmallVector<Value>> made = epilogue(addSlices());
    if (failed(made))
      return failure();
    SmallVector<Value> combined;
    for (auto [i, tile] : llvm::enumerate(*made)) {
      if (i < stored) {
        store(tile, first + i);
        continue;
      }
      ReductionAttr reduction = op.getReduction(i);
      Value more =
          emitReduction(builder, product, variant, reduction, tile,
                        ArrayRef(offsets).take_front(product.k()), extents);
      combined.push_back(emitCombination(
          builder, loc, reduction, loop.getRegionIterArg(i - stored), more));
    }
    scf::YieldOp::create(builder, loc, combined);
  }
  for (auto [i, vector] : llvm::enumerate(loop.getResults()))
    store(vector, first + stored + i);
  return success();
}

/// Adds up the sums of a cluster's workgroups. From here on the item's tile are
/// the rows that this one has of them.
void MatmulEmitter::addShares(MutableArrayRef<Value> sums) {
  int64_t m = product.m();
  product.tile[m] /= product.clusterK;
  Value share = offsets[product.slices()];
  for (Value &sum : sums)
    sum = tile::ReduceScatterOp::create(
        builder, loc,
        RankedTensorType::get({product.tile[m], product.tile[product.n()]},
                              getElementTypeOrSelf(sum)),
        sum, share);
  offsets[m] = arith::AddIOp::create(
      builder, loc, offsets[m],
      arith::MulIOp::create(builder, loc, share, constant(product.tile[m])));
}

/// A part of a tile leaves its sum.
void MatmulEmitter::storeStream(ArrayRef<Value> sums) {
  auto branch =
      scf::IfOp::create(builder, loc, item.isPart, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  store(sums.front(), product.accesses.size() - 1);
}

LogicalResult MatmulEmitter::emitItem() {
  if (product.addsRows())
    return addRows();
  if (product.grouped)
    enterGroup();
  FailureOr<SmallVector<Value>> stored = SmallVector<Value>();
  if (product.part == Part::Sum)
    stored->push_back(addSlices());
  else
    stored = multiply();
  OpBuilder::InsertionGuard guard(builder);
  if (succeeded(stored) && product.part == Part::Stream) {
    auto branch = scf::IfOp::create(builder, loc, item.isWhole,
                                    /*withElseRegion=*/false);
    storeStream(*stored);
    builder.setInsertionPointToStart(branch.thenBlock());
  }
  if (succeeded(stored) && product.clusterK > 1)
    addShares(*stored);
  if (succeeded(stored) && product.part != Part::Slices)
    stored = epilogue(*stored);
  if (failed(stored))
    return failure();
  size_t first = product.accesses.size() - product.numResults;
  ArrayRef<Value> base = ArrayRef(offsets).take_front(product.k());
  auto op = cast<MatmulOp>(product.op);
  for (auto [i, tile] : llvm::enumerate(*stored)) {
    const Access &access = product.accesses[first + i];
    if (access.kept == Kept::Combined) {
      ReductionAttr reduction = op.getReduction(i);
      tile = emitReduction(builder, product, variant, reduction, tile, base,
                           extents);
      offsets[access.axes.front()] = itemNumber(
          reduction.getAlong() == ReducedAxis::M ? product.m() : product.n());
    }
    store(tile, first + i);
  }
  return success();
}

} // namespace

FailureOr<Program> totile::emitMatmul(OpBuilder &builder,
                                      const Product &product, Variant variant,
                                      ScheduleAttr schedule, Attribute target,
                                      int64_t vectorBytes, StringRef name) {
  return MatmulEmitter(builder, product, variant, vectorBytes)
      .run(schedule, target, name);
}
