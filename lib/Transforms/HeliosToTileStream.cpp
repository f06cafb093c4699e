// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// helios-to-tile: a streamed product becomes two parts. Whole rounds of tiles
// are stored at once; of those left over every workgroup multiplies as many
// steps as any other, and a second dispatch adds up what they leave, in the
// order of K.

#include "HeliosToTileStream.h"
#include "HeliosToTile.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include <numeric>

using namespace mlir;
using namespace helios;
using namespace helios::totile;
using Predicate = arith::CmpIPredicate;

Value StreamedTiles::constant(int64_t value) {
  return make<arith::ConstantIndexOp>(value);
}

Value StreamedTiles::numItems() {
  return make<arith::AddIOp>(
      counts.whole,
      make<arith::MulIOp>(counts.shares, constant(kPlacesOfShare)));
}

StreamedItem StreamedTiles::find(Value number) {
  Value zero = constant(0), one = constant(1);
  Value isWhole = make<arith::CmpIOp>(Predicate::ult, number, counts.whole);
  Value place = make<arith::MaxSIOp>(
      make<arith::SubIOp>(number, counts.whole), zero);
  Value shares = make<arith::MaxUIOp>(counts.shares, one);
  Value isSecond = make<arith::CmpIOp>(Predicate::uge, place, shares);
  Value share = make<arith::SelectOp>(
      isSecond, make<arith::SubIOp>(place, shares), place);
  // The last share may have fewer steps.
  Value left = make<arith::SubIOp>(counts.tiles, counts.whole);
  Value begin = make<arith::MulIOp>(share, counts.share);
  Value end =
      make<arith::MinSIOp>(make<arith::AddIOp>(begin, counts.share),
                           make<arith::MulIOp>(left, counts.steps));
  Value tile = make<arith::DivUIOp>(begin, counts.steps);
  Value next = make<arith::AddIOp>(tile, one);
  Value border = make<arith::MulIOp>(next, counts.steps);
  Value length = make<arith::SelectOp>(
      isSecond, make<arith::SubIOp>(end, border),
      make<arith::SubIOp>(make<arith::MinSIOp>(end, border), begin));
  Value hasSteps = make<arith::CmpIOp>(Predicate::sgt, length, zero);
  Value isPart = make<arith::AndIOp>(
      hasSteps, make<arith::XOrIOp>(
                    isWhole, make<arith::ConstantIntOp>(/*value=*/1, 1)));
  // Who has no step may look at the last tile.
  Value ofPart = make<arith::MinUIOp>(
      make<arith::AddIOp>(counts.whole,
                          make<arith::SelectOp>(isSecond, next, tile)),
      make<arith::SubIOp>(counts.tiles, one));
  // Said as a remainder, so that facts bound it.
  Value isFirst = make<arith::CmpIOp>(Predicate::ult, place, shares);
  Value inTile = make<arith::SelectOp>(
      make<arith::AndIOp>(isPart, isFirst), begin, zero);
  return {make<arith::SelectOp>(isWhole, number, ofPart),
          make<arith::RemUIOp>(inTile, counts.steps),
          make<arith::SelectOp>(isWhole, counts.steps, length),
          isWhole,
          isPart,
          place};
}

std::pair<Value, Value> StreamedTiles::sharesOf(Value tile) {
  Value one = constant(1);
  Value begin = make<arith::MulIOp>(tile, counts.steps);
  Value last = make<arith::SubIOp>(make<arith::AddIOp>(begin, counts.steps), one);
  return {make<arith::DivUIOp>(begin, counts.share),
          make<arith::AddIOp>(make<arith::DivUIOp>(last, counts.share), one)};
}

Value StreamedTiles::placeOf(Value share, Value tile) {
  Value begin = make<arith::MulIOp>(share, counts.share);
  Value isSecond = make<arith::CmpIOp>(Predicate::ult, begin,
                                       make<arith::MulIOp>(tile, counts.steps));
  return make<arith::AddIOp>(
      share,
      make<arith::SelectOp>(isSecond, counts.shares, constant(0)));
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
/// eight for each lane of four groups of 32, as of slices.
static constexpr int64_t kSumElements = 1024, kSumColumns = 128;

Product Product::getStreamSum() const {
  Product result = *this;
  result.part = Part::Sum;
  result.streamed = Streamed{{tile[m()], tile[n()]}, cluster};
  result.cluster = {1, 1};
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
