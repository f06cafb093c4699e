// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What of an access lies within its view. What all lanes share is compared once
// an operation, the rest in 32 bits with what the view has left behind the
// access's origin.

#include "KernelLowering.h"
#include "helios/Dialect/Tile/Utils/Facts.h"

using namespace mlir;
using namespace helios;
using namespace helios::ptx;

/// A lane's coordinate, `offset` behind that of its first register (i64).
Value KernelLowering::coordinate(const Place &place, int64_t dim,
                                 int64_t offset) {
  Value at = add(place.uniform[dim].value,
                 toI64(laneValue(place.layout, place.lane[dim])));
  int64_t constant = place.constant[dim] + offset;
  return at ? addConstant(at, constant) : i64(constant);
}

/// Whether all lanes and registers have one coordinate along a dimension.
static bool isShared(const Place &place, int64_t dim) {
  auto lane = dyn_cast<AffineConstantExpr>(place.lane[dim]);
  return lane && lane.getValue() == 0 &&
         llvm::all_of(place.registers, [&](const SmallVector<int64_t> &reg) {
           return reg[dim] == place.registers.front()[dim];
         });
}

Value KernelLowering::extentOf(const Global &global, int64_t dim) {
  OpFoldResult size = global.sizes[dim];
  std::optional<int64_t> constant = getConstantIntValue(size);
  return constant ? i64(*constant) : cast<Value>(size);
}

/// A negative coordinate is a large unsigned one.
Value KernelLowering::isInside(const Global &global, const Place &place,
                               int64_t dim, int64_t offset) {
  return b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::ult,
                                       coordinate(place, dim, offset),
                                       extentOf(global, dim));
}

/// The last coordinate of any lane's registers, behind what varies.
int64_t KernelLowering::mostOf(const Place &place, int64_t dim) {
  int64_t most = 0;
  for (const SmallVector<int64_t> &reg : place.registers)
    most = std::max(most, reg[dim]);
  return place.constant[dim] + most +
         rangeOf(place.layout, place.lane[dim]).most;
}

/// What decides that for all registers of a place, but for dimensions where it
/// is known.
Bounds KernelLowering::boundsOf(const Global &global, const Place &place,
                                ArrayRef<int64_t> known) {
  Bounds bounds;
  bounds.left.resize(place.lane.size());
  tile::ViewOp view = global.view;
  for (int64_t d = 0, e = global.sizes.size(); d < e; ++d) {
    if (llvm::is_contained(known, d))
      continue;
    if (isShared(place, d)) {
      Value inside = isInside(global, place, d, place.registers.front()[d]);
      bounds.all = bounds.all
                       ? b.createOrFold<arith::AndIOp>(bounds.all, inside)
                       : inside;
      continue;
    }
    std::optional<int64_t> size = getConstantIntValue(view.getMixedSize(d));
    if (size && !place.uniform[d].value && place.constant[d] >= 0 &&
        mostOf(place, d) < *size)
      continue;
    if (place.uniform[d].mayBeNegative || place.constant[d] < 0) {
      bounds.wide.push_back(d);
      continue;
    }
    Value left = extentOf(global, d);
    if (Value origin = place.uniform[d].value)
      left = b.createOrFold<arith::SubIOp>(left, origin);
    left = addConstant(left, -place.constant[d]);
    left = b.createOrFold<arith::MaxSIOp>(left, i64(0));
    if (size ? *size > INT32_MAX
             : tile::knownRange(cast<Value>(view.getMixedSize(d))).high >
                   INT32_MAX)
      left = b.createOrFold<arith::MinSIOp>(left, i64(INT32_MAX));
    bounds.left[d] = toI32(left);
  }
  return bounds;
}

/// Whether a register lies within the view; null if nothing is to be compared.
Value KernelLowering::inBounds(const Global &global, const Place &place,
                               const Bounds &bounds, ArrayRef<int64_t> reg) {
  Value result = bounds.all;
  auto require = [&](Value inside) {
    result = result ? b.createOrFold<arith::AndIOp>(result, inside) : inside;
  };
  for (auto [d, left] : llvm::enumerate(bounds.left)) {
    if (!left)
      continue;
    Value lane = laneValue(place.layout, place.lane[d]);
    require(b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::slt,
                                          lane ? lane : i32(0),
                                          addConstant(left, -reg[d])));
  }
  for (int64_t d : bounds.wide)
    require(isInside(global, place, d, reg[d]));
  return result;
}

/// Bytes of a unit before the end of its row, at most all of it.
Value KernelLowering::bytesInside(const Global &global, const Place &place,
                                  ArrayRef<int64_t> reg, int64_t along,
                                  int64_t bytes, int64_t unitBytes) {
  Value left = arith::SubIOp::create(b, extentOf(global, along),
                                     coordinate(place, along, reg[along]));
  left = arith::MinSIOp::create(b, left, i64(unitBytes / bytes));
  return arith::MulIOp::create(b, toI32(left), i32(bytes));
}
