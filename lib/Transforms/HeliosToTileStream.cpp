// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// helios-to-tile: a streamed product becomes two parts. Whole rounds of tiles
// are stored at once; of those left over every workgroup multiplies as many
// steps as any other, and a second dispatch adds up what they leave, in the
// order of K.

#include "HeliosToTileStream.h"
#include "HeliosToTile.h"
#include <numeric>

using namespace mlir;
using namespace helios;
using namespace helios::totile;
using Predicate = arith::CmpIPredicate;

StreamedTiles::StreamedTiles(OpBuilder &builder, Location loc,
                             const StreamCounts &counts)
    : NarrowArithmetic(builder, loc), counts(counts) {
  for (Value *count : this->counts.all())
    *count = narrow(*count);
}

Value StreamedTiles::numItems() {
  return wide(make<arith::AddIOp>(
      counts.whole,
      make<arith::MulIOp>(counts.shares, constant(kPlacesOfShare))));
}

StreamedItem StreamedTiles::find(Value wideNumber) {
  Value zero = constant(0), one = constant(1), number = narrow(wideNumber);
  Value steps = counts.steps;
  Value isWhole = make<arith::CmpIOp>(Predicate::ult, number, counts.whole);
  Value place =
      make<arith::MaxSIOp>(make<arith::SubIOp>(number, counts.whole), zero);
  Value isSecond = make<arith::CmpIOp>(Predicate::uge, place, counts.shares);
  Value share = make<arith::SelectOp>(
      isSecond, make<arith::SubIOp>(place, counts.shares), place);
  // The last share may have fewer steps.
  Value left = make<arith::SubIOp>(counts.tiles, counts.whole);
  Value begin = make<arith::MulIOp>(share, counts.share);
  Value end = make<arith::MinSIOp>(make<arith::AddIOp>(begin, counts.share),
                                   make<arith::MulIOp>(left, steps));
  Value tile = make<arith::DivUIOp>(begin, steps);
  Value next = make<arith::AddIOp>(tile, one);
  Value border = make<arith::MulIOp>(next, steps);
  Value from = make<arith::SelectOp>(isSecond, border, begin);
  Value to =
      make<arith::SelectOp>(isSecond, end, make<arith::MinSIOp>(end, border));
  Value hasSteps = make<arith::CmpIOp>(Predicate::slt, from, to);
  Value isLeft = make<arith::CmpIOp>(Predicate::uge, number, counts.whole);
  Value isPart = make<arith::AndIOp>(isLeft, hasSteps);
  // Who has no step looks at the last tile.
  Value ofPart = make<arith::MinUIOp>(
      make<arith::AddIOp>(counts.whole,
                          make<arith::SelectOp>(isSecond, next, tile)),
      make<arith::SubIOp>(counts.tiles, one));
  Value inTile = make<arith::SubIOp>(begin, make<arith::MulIOp>(tile, steps));
  // Who has none begins at zero, where a step can be read.
  Value first = make<arith::SelectOp>(
      isPart, make<arith::SelectOp>(isSecond, zero, inTile), zero);
  Value length = make<arith::MaxSIOp>(make<arith::SubIOp>(to, from), zero);
  // Said as a maximum, so that facts bound it.
  Value least = make<arith::ConstantIndexOp>(0);
  return {wide(make<arith::SelectOp>(isWhole, number, ofPart)),
          make<arith::MaxSIOp>(wide(first), least),
          wide(make<arith::SelectOp>(isWhole, steps, length)),
          isWhole,
          isPart,
          make<arith::MaxSIOp>(wide(place), least)};
}

std::pair<Value, Value> StreamedTiles::sharesOf(Value tile) {
  Value one = constant(1);
  Value begin = make<arith::MulIOp>(narrow(tile), counts.steps);
  Value last =
      make<arith::SubIOp>(make<arith::AddIOp>(begin, counts.steps), one);
  return {
      wide(make<arith::DivUIOp>(begin, counts.share)),
      wide(make<arith::AddIOp>(make<arith::DivUIOp>(last, counts.share), one))};
}

Value StreamedTiles::placeOf(Value share, Value tile) {
  Value number = narrow(share);
  Value isSecond = make<arith::CmpIOp>(
      Predicate::ult, make<arith::MulIOp>(number, counts.share),
      make<arith::MulIOp>(narrow(tile), counts.steps));
  return wide(make<arith::AddIOp>(
      number, make<arith::SelectOp>(isSecond, counts.shares, constant(0))));
}

/// What parts of tiles leave: places of a cluster's rows and columns.
static Access partsOf(const Product &product) {
  auto op = cast<MatmulOp>(product.op);
  int64_t places = product.slices();
  return {op.getEpilogue().getArgument(0),
          op.getAccType(),
          {places, places + 1, places + 2}};
}

Product Product::getStream() const {
  Product result = *this;
  result.part = Part::Stream;
  result.extents.push_back(ShapedType::kDynamic);
  result.tile.push_back(1);
  for (int64_t axis : {m(), n()}) {
    result.extents.push_back(span(axis));
    result.tile.push_back(tile[axis]);
  }
  result.accesses.push_back(partsOf(result));
  ++result.numResults;
  return result;
}

/// Elements of a tile that sums are added up in, and columns of it at most:
/// sixteen for each lane of four groups of 32.
static constexpr int64_t kSumElements = 2048, kSumColumns = 128;

Product Product::getStreamSum() const {
  Product result = *this;
  result.part = Part::Sum;
  result.tileOfSums = {tile[m()], tile[n()]};
  result.extents.truncate(k() + 1);
  result.extents[k()] = ShapedType::kDynamic;
  result.groups.clear();
  // What divides a tile, so that none reaches into the next one.
  int64_t columns = std::gcd(kSumColumns, tile[n()]),
          rows = std::gcd(kSumElements / columns, tile[m()]);
  result.tile.truncate(numBatch);
  result.tile.append({rows, columns, 1, rows, columns});
  for (int64_t axis : {m(), n()})
    result.extents.push_back(span(axis));
  result.accesses.assign(1, partsOf(result));
  llvm::append_range(result.accesses,
                     ArrayRef(accesses).drop_front(firstFused()));
  return result;
}
