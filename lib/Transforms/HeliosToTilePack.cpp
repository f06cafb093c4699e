// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// helios-to-tile: operands in the order of lanes, and the programs that pack
// them.

#include "HeliosToTilePlan.h"
#include "HeliosToTileProgram.h"

using namespace mlir;
using namespace helios;
using namespace helios::totile;

Value totile::filledUp(OpBuilder &b, Location loc, Value extent,
                       int64_t multiple) {
  if (multiple == 1)
    return extent;
  Value unit = arith::ConstantIndexOp::create(b, loc, multiple);
  return b.createOrFold<arith::MulIOp>(
      loc, b.createOrFold<arith::CeilDivUIOp>(loc, extent, unit), unit);
}

Attribute totile::packedLayout(Operation *op, PackingAttr packing, Type type) {
  auto target = dyn_cast_or_null<tile::TargetAttrInterface>(
      op->getParentOfType<KernelOp>().getTargetAttr());
  if (!target)
    return {};
  for (tile::MmaAttrInterface mma :
       target.getMmas(type, type, packing.getAcc()))
    if (ArrayRef<int64_t>(mma.getMmaShape()) == packing.getMma())
      return tile::OpaqueMatrixAttr::get(
          op->getContext(), packing.getRhs() ? tile::Side::B : tile::Side::A,
          mma, {1, 1});
  return {};
}

Product Product::get(PackOp op, ScheduleAttr schedule) {
  Product product;
  product.op = op;
  product.numBatch = 0;
  product.extents.assign(3, 1);
  product.tile.assign(schedule.getTile().begin(), schedule.getTile().end());
  PackingAttr packing = op.getPacking();
  SmallVector<int64_t> axes =
      packing.getRhs() ? SmallVector<int64_t>{product.k(), product.n()}
                       : SmallVector<int64_t>{product.m(), product.k()};
  RankedTensorType type = op.getSource().getType();
  Access from{op.getSource(), type.getElementType(), axes},
      to{op.getResult(), type.getElementType(), axes};
  if (op.getTranspose())
    std::swap(from.axes[0], from.axes[1]);
  for (auto [axis, extent] : llvm::zip(from.axes, type.getShape()))
    product.extents[axis] = extent;
  to.packing = packing;
  to.packed = packedLayout(op, packing, type.getElementType());
  product.accesses.append({from, to});
  return product;
}

namespace {

class PackEmitter : public ProgramEmitter {
public:
  using ProgramEmitter::ProgramEmitter;

private:
  LogicalResult emitItem() override {
    Value tile = load(0);
    auto type = cast<RankedTensorType>(tile.getType());
    if (cast<PackOp>(product.op).getTranspose())
      tile = tile::TransposeOp::create(
          builder, loc,
          RankedTensorType::get({type.getDimSize(1), type.getDimSize(0)},
                                type.getElementType()),
          tile);
    store(tile, 1);
    return success();
  }
};

} // namespace

FailureOr<Program> totile::emitPack(OpBuilder &builder, const Product &product,
                                    Variant variant, ScheduleAttr schedule,
                                    Attribute target, int64_t vectorBytes,
                                    StringRef name) {
  return PackEmitter(builder, product, variant, vectorBytes)
      .run(schedule, target, name);
}

/// Matrices begin at multiples of their first elements' coordinates: those
/// along the other extent than K are neighbours.
Value ProgramEmitter::makePackedView(int64_t number, Value pointer) {
  const Access &access = product.accesses[number];
  PackingAttr packing = access.packing;
  int64_t ofK = access.axes[0] == product.k() ? 0 : 1;
  SmallVector<Value> sizes(2);
  sizes[ofK] =
      filledUp(builder, loc, extents[product.k()], packing.getMultiple()[0]);
  sizes[1 - ofK] = filledUp(builder, loc, extents[access.axes[1 - ofK]],
                            packing.getMultiple()[1]);
  SmallVector<int64_t> strides(2, packing.getMatrixK()), divisors(2, 1);
  strides[ofK] = ShapedType::kDynamic;
  divisors[ofK] = packing.getMultiple()[1];
  auto type = tile::ViewType::get(
      builder.getContext(), {ShapedType::kDynamic, ShapedType::kDynamic},
      access.elementType, strides, divisors, vectorBytes, -1, access.packed);
  return tile::ViewOp::create(builder, loc, type, pointer, sizes,
                              sizes[1 - ofK], Value());
}

/// A packed tensor is checked to be one, and seen as the operand, filled up.
void PlanEmitter::requirePacked(const Product &product, const Access &access) {
  PackingAttr packing = access.packing;
  Placed tensor = placed(access.tensor);
  int64_t ofK = access.axes[0] == product.k() ? 0 : 1;
  int64_t along[] = {packing.getMatrixK(), packing.getMatrixOther()};
  SmallVector<Value> filled;
  auto requireEqual = [&](Value have, Value want, const Twine &what) {
    Value agree = compare(arith::CmpIPredicate::eq, have, want);
    if (known(agree) != true)
      tile::RequireOp::create(builder, loc, agree, builder.getStringAttr(what));
  };
  for (int64_t dim : {0, 1}) {
    Value extent = filledUp(
        builder, loc, extentOf(product, access.axes[dim == 0 ? ofK : 1 - ofK]),
        packing.getMultiple()[dim]);
    filled.push_back(extent);
    requireEqual(tensor.extents[dim],
                 fold<arith::DivUIOp>(extent, index(along[dim])),
                 "extent " + Twine(dim) + " of " + tensor.name +
                     " must be that of the packed operand, in matrices of " +
                     Twine(along[dim]) + " of a multiple of " +
                     Twine(packing.getMultiple()[dim]) + " elements");
  }
  int64_t held[] = {packing.getLanes(), packing.getElements()};
  for (int64_t i : {0, 1})
    requireEqual(tensor.extents[2 + i], index(held[i]),
                 "extent " + Twine(2 + i) + " of " + tensor.name +
                     " must equal " + Twine(held[i]) + ", the " +
                     (i ? "elements of a lane" : "lanes"));
  Value stride = index(1);
  for (int64_t dim = 3; dim >= 0; --dim) {
    requireEqual(tensor.strides[dim], stride,
                 "stride " + Twine(dim) + " of " + tensor.name +
                     " must be that of a packed operand, which lies densely");
    stride = fold<arith::MulIOp>(
        stride, fold<arith::MaxUIOp>(tensor.extents[dim], index(1)));
  }
  tile::RequireOp::create(
      builder, loc,
      compare(arith::CmpIPredicate::sle, index(vectorBytes), tensor.alignment),
      builder.getStringAttr(tensor.name + " must begin at a multiple of " +
                            Twine(vectorBytes) +
                            " bytes, as packed operands do"));
  Placed seen{tensor.pointer, {}, {}, tensor.alignment, tensor.name};
  Value matrix = index(packing.getMatrixK());
  seen.extents = {filled[ofK], filled[1 - ofK]};
  seen.strides = {ofK == 0 ? filled[1] : matrix, ofK == 0 ? matrix : filled[1]};
  packed[{access.tensor.getAsOpaquePointer(), access.kept}] = std::move(seen);
}
