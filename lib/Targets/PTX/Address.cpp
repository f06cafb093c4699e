// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Where a lane's registers lie: coordinates of the lane and of the registers.

#include "KernelLowering.h"
#include "helios/Dialect/Tile/Utils/Facts.h"
#include <numeric>

using namespace mlir;
using namespace helios;
using namespace helios::ptx;

/// An affine expression of (group, lane) in unsigned arithmetic, which all
/// bases of layouts fit; null for zero.
Value KernelLowering::expand(AffineExpr expr, Value group, Value lane) {
  if (auto c = dyn_cast<AffineConstantExpr>(expr))
    return c.getValue() ? i32(c.getValue()) : Value();
  if (auto d = dyn_cast<AffineDimExpr>(expr))
    return d.getPosition() == 0 ? group : lane;
  auto binary = cast<AffineBinaryOpExpr>(expr);
  Value lhs = expand(binary.getLHS(), group, lane);
  if (binary.getKind() == AffineExprKind::Add)
    return add(lhs, expand(binary.getRHS(), group, lane));
  int64_t c = cast<AffineConstantExpr>(binary.getRHS()).getValue();
  if (!lhs)
    return {};
  switch (binary.getKind()) {
  case AffineExprKind::Mul:
    return multiply(lhs, b.getIndexAttr(c));
  case AffineExprKind::FloorDiv:
    return b.createOrFold<arith::DivUIOp>(lhs, i32(c));
  case AffineExprKind::Mod:
    return b.createOrFold<arith::RemUIOp>(lhs, i32(c));
  default:
    llvm_unreachable(
        "bases of layouts are sums, products, quotients and remainders");
  }
}

int64_t helios::ptx::evaluate(AffineExpr expr, int64_t group, int64_t lane) {
  if (auto c = dyn_cast<AffineConstantExpr>(expr))
    return c.getValue();
  if (auto d = dyn_cast<AffineDimExpr>(expr))
    return d.getPosition() == 0 ? group : lane;
  auto binary = cast<AffineBinaryOpExpr>(expr);
  int64_t x = evaluate(binary.getLHS(), group, lane),
          y = evaluate(binary.getRHS(), group, lane);
  switch (binary.getKind()) {
  case AffineExprKind::Add:
    return x + y;
  case AffineExprKind::Mul:
    return x * y;
  case AffineExprKind::FloorDiv:
    return x / y;
  default:
    return x % y;
  }
}

LaneRange KernelLowering::rangeOf(tile::LayoutAttrInterface layout,
                                  AffineExpr expr) {
  auto [known, isNew] = ranges.try_emplace({layout, expr});
  LaneRange &range = known->second;
  if (isNew)
    for (int64_t g = 0; g < layout.getGroupCount(); ++g)
      for (int64_t l = 0; l < layout.getLaneCount(); ++l) {
        int64_t value = evaluate(expr, g, l);
        range.most = std::max(range.most, value);
        range.bits |= value;
      }
  return range;
}

Value KernelLowering::laneValue(tile::LayoutAttrInterface layout,
                                AffineExpr expr) {
  Lanes &scope = lanes.back();
  auto [it, isNew] = scope.bases.try_emplace(
      {Attribute(layout).getAsOpaquePointer(), expr.getAsOpaquePointer()});
  if (!isNew)
    return it->second;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(scope.marker);
  int64_t count = layout.getLaneCount(), groups = layout.getGroupCount();
  AffineExpr number = b.getAffineDimExpr(1);
  Value lane = count == 1 ? Value()
               : count == scope.count
                   ? scope.number
                   : expand(number % count, {}, scope.number);
  Value group =
      groups == 1 ? Value() : expand(number.floorDiv(count), {}, scope.number);
  return it->second = expand(expr, group, lane);
}

Place KernelLowering::originOf(Value memory, int64_t rank, ValueRange offsets) {
  Place place;
  place.uniform.resize(rank);
  place.constant.assign(rank, 0);
  place.lane.assign(rank, b.getAffineConstantExpr(0));
  auto move = [&](int64_t d, Value offset) {
    if (std::optional<int64_t> c = getConstantIntValue(offset)) {
      place.constant[d] += *c;
      return;
    }
    Coordinate &at = place.uniform[d];
    int64_t divisor = tile::knownDivisor(offset);
    at.divisor = at.value ? std::gcd(at.divisor, divisor) : divisor;
    at.value = add(at.value, scalar(offset));
    at.mayBeNegative |= tile::knownRange(offset).low < 0;
  };
  for (auto [d, offset] : llvm::enumerate(offsets))
    move(d, offset);
  // A part of a tile has an origin of its own.
  if (auto tile = tiles.find(memory); tile != tiles.end())
    for (auto [d, offset] : llvm::enumerate(tile->second.part))
      move(d, offset);
  return place;
}

FailureOr<Place> KernelLowering::placeOf(Operation *op,
                                         frag::FragmentType fragment,
                                         Value memory, ValueRange offsets,
                                         bool trans) {
  int64_t rank = offsets.size(), fragmentRank = fragment.getShape().size();
  if (fragmentRank > rank)
    return op->emitOpError(
        "that broadcasts a vector into a matrix is not lowered to PTX yet");
  if (trans && rank != 2)
    return op->emitOpError(
               "expected a two-dimensional source to transpose, got rank ")
           << rank;
  // Dimension of the memory that a fragment's dimension runs along; leading
  // ones have extent one.
  auto memoryDim = [&](int64_t d) {
    return trans ? 1 - (d + rank - fragmentRank) : d + rank - fragmentRank;
  };
  Place place = originOf(memory, rank, offsets);
  place.layout = fragment.getLayout();
  AffineMap base = place.layout.getBaseMap(fragment.getShape());
  for (auto [d, expr] : llvm::enumerate(base.getResults()))
    place.lane[memoryDim(d)] = expr;
  for (const auto &reg : place.layout.getRegisterOffsets(fragment.getShape())) {
    SmallVector<int64_t> at(rank, 0);
    for (auto [d, offset] : llvm::enumerate(reg))
      at[memoryDim(d)] = offset;
    place.registers.push_back(at);
  }
  return place;
}

/// True if registers come in runs of `length` neighbours along a dimension of
/// the memory, each at a coordinate that is a multiple of `length`.
bool KernelLowering::hasRuns(const Place &place, int64_t c, int64_t length) {
  if (c < 0 || place.registers.size() % length)
    return false;
  if (place.uniform[c].divisor % length || place.constant[c] % length ||
      place.lane[c].getLargestKnownDivisor() % length)
    return false;
  for (size_t i = 0; i < place.registers.size(); ++i) {
    SmallVector<int64_t> expected = place.registers[i - i % length];
    if (expected[c] % length)
      return false;
    expected[c] += i % length;
    if (place.registers[i] != expected)
      return false;
  }
  return true;
}
