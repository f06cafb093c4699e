// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// helios-to-tile: the prologue of a product.

#include "HeliosToTileRegion.h"

using namespace mlir;
using namespace helios;
using namespace helios::totile;

FailureOr<SmallVector<Value>>
totile::emitPrologue(OpBuilder &builder, const Product &product, Value stored,
                     bool isLhs, bool kIsRows,
                     function_ref<Value(unsigned)> load,
                     function_ref<FailureOr<Value>(Value)> scalar, Value end) {
  auto op = cast<MatmulOp>(product.op);
  Location loc = op.getLoc();
  RegionEmitter emitter(builder,
                        cast<RankedTensorType>(stored.getType()).getShape());
  Block &block = op.getPrologueOf(isLhs).front();
  int64_t other = isLhs ? product.m() : product.n();
  int64_t rowAxis = kIsRows ? product.k() : other,
          columnAxis = kIsRows ? other : product.k();
  unsigned first = isLhs ? product.firstCapturedA() : product.firstCaptured();
  emitter.map(block.getArgument(0), {stored, true, true});
  for (auto [i, argument] :
       llvm::enumerate(block.getArguments().drop_front())) {
    if (argument.use_empty())
      continue;
    unsigned number = first + i;
    ArrayRef<int64_t> axes = product.accesses[number].axes;
    bool rows = llvm::is_contained(axes, rowAxis),
         columns = llvm::is_contained(axes, columnAxis);
    // What does not vary in a tile is read as equal elements along M or N.
    if (!rows && !columns)
      (kIsRows ? columns : rows) = true;
    emitter.map(argument, {load(number), rows, columns});
  }
  FailureOr<SmallVector<Varying>> made = emitter.emit(block, scalar);
  if (failed(made))
    return failure();
  SmallVector<Value> tiles;
  for (Varying part : *made)
    tiles.push_back(emitter.broadcast(loc, part, true, true));
  if (!end)
    return tiles;
  // What lies behind the end of K was loaded as zero, of which the region may
  // have made anything. Elements that lie in one fill whole groups.
  auto type = cast<RankedTensorType>(tiles.front().getType());
  auto alongK = RankedTensorType::get({type.getDimSize(kIsRows ? 0 : 1)},
                                      builder.getIndexType());
  Value places = tile::IotaOp::create(builder, loc, alongK,
                                      builder.getI64IntegerAttr(0), Value());
  Value ends = emitter.broadcast(loc, {end, false, false}, kIsRows, !kIsRows);
  Value isInside = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::slt, places, ends);
  Value zero =
      arith::ConstantOp::create(builder, loc, type, builder.getZeroAttr(type));
  tiles.front() = arith::SelectOp::create(
      builder, loc,
      emitter.broadcast(loc, {isInside, kIsRows, !kIsRows}, true, true),
      tiles.front(), zero);
  return tiles;
}
