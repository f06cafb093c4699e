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

/// The axes of an operand that is packed: K, and the other one.
static SmallVector<int64_t> axesOf(const Product &product, bool rhs) {
  return rhs ? SmallVector<int64_t>{product.k(), product.n()}
             : SmallVector<int64_t>{product.m(), product.k()};
}

/// What packs `from`, of so many rows and columns, and leaves `result`.
static Product packOf(Operation *op, Access from, ArrayRef<int64_t> shape,
                      Value result, PackingAttr packing, bool transpose,
                      ScheduleAttr schedule) {
  Product product;
  product.op = op;
  product.numBatch = 0;
  product.extents.assign(3, 1);
  product.tile.assign(schedule.getTile().begin(), schedule.getTile().end());
  SmallVector<int64_t> axes = axesOf(product, packing.getRhs());
  Access to{result, from.elementType, axes};
  from.axes = axes;
  if (transpose)
    std::swap(from.axes[0], from.axes[1]);
  for (auto [axis, extent] : llvm::zip(from.axes, shape))
    product.extents[axis] = extent;
  to.packing = packing;
  to.packed = packedLayout(op, packing, to.elementType);
  product.accesses.append({from, to});
  return product;
}

Product Product::get(PackOp op, ScheduleAttr schedule) {
  auto type = cast<RankedTensorType>(op.getSource().getType());
  return packOf(op, {op.getSource(), type.getElementType(), {}},
                type.getShape(), op.getResult(), op.getPacking(),
                op.getTranspose(), schedule);
}

Product Product::getPack(unsigned operand, PackingAttr packing,
                         ScheduleAttr schedule) const {
  const Access &access = accesses[operand];
  bool transpose = access.axes != axesOf(*this, packing.getRhs());
  auto shape = llvm::map_to_vector(access.axes,
                                   [&](int64_t axis) { return extents[axis]; });
  Product result =
      packOf(op, access, shape, access.tensor, packing, transpose, schedule);
  result.part = Part::Pack;
  result.accesses.back().kept = Kept::Packed;
  return result;
}

Product Product::takingPacked(unsigned operand, PackingAttr packing) const {
  Product result = *this;
  Access &access = result.accesses[operand];
  access.axes = axesOf(*this, packing.getRhs());
  access.packing = packing;
  access.packed = packedLayout(op, packing, access.elementType);
  access.kept = Kept::Packed;
  return result;
}

namespace {

class PackEmitter : public ProgramEmitter {
public:
  using ProgramEmitter::ProgramEmitter;

private:
  LogicalResult emitItem() override {
    Value tile = load(0);
    auto type = cast<RankedTensorType>(tile.getType());
    if (product.accesses[0].axes != product.accesses[1].axes)
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

/// A packed operand as its matrices make it up: filled up, and dense.
Placed PlanEmitter::seenPacked(const Product &product, PackingAttr packing,
                               Value pointer, Value alignment,
                               std::string name) {
  Value extents[] = {
      filledUp(extentOf(product, product.k()), packing.getMultiple()[0]),
      filledUp(extentOf(product, packing.getRhs() ? product.n() : product.m()),
               packing.getMultiple()[1])};
  Placed seen{pointer, {}, {}, alignment, std::move(name)};
  Value matrix = index(packing.getMatrixK());
  int64_t ofK = packing.getRhs() ? 0 : 1;
  seen.extents = {extents[ofK], extents[1 - ofK]};
  seen.strides = {ofK == 0 ? extents[1] : matrix,
                  ofK == 0 ? matrix : extents[1]};
  return seen;
}

/// Places what schedules pack in each launch.
void PlanEmitter::placePacked() {
  for (auto [scheduled, split] : llvm::zip(programs.schedules, splits))
    for (const Product &part : scheduled.parts) {
      if (part.part != Part::Pack)
        continue;
      const Access &access = part.accesses.back();
      const Access &from = part.accesses.front();
      std::string name = from.kept == Kept::Made
                             ? "what the prologue makes of the right operand"
                             : placed(from).name;
      Placed seen = seenPacked(part, access.packing, {}, index(256), name);
      // As many elements in one row.
      Value size = fold<arith::MulIOp>(seen.extents[0], seen.extents[1]);
      seen.pointer =
          inWorkspace(access.elementType, {size}, split.workspace, name)
              .pointer;
      split.packed[{access.tensor.getAsOpaquePointer(), access.kept}] =
          std::move(seen);
    }
}

/// A packed tensor is checked to be one, and seen as the operand, filled up.
void PlanEmitter::requirePacked(const Product &product, const Access &access) {
  PackingAttr packing = access.packing;
  Placed tensor = placed(access.tensor);
  int64_t ofK = access.axes[0] == product.k() ? 0 : 1;
  int64_t along[] = {packing.getMatrixK(), packing.getMatrixOther()};
  auto requireEqual = [&](Value have, Value want, const Twine &what) {
    Value agree = compare(arith::CmpIPredicate::eq, have, want);
    if (known(agree) != true)
      tile::RequireOp::create(builder, loc, agree, builder.getStringAttr(what));
  };
  for (int64_t dim : {0, 1}) {
    Value extent =
        filledUp(extentOf(product, access.axes[dim == 0 ? ofK : 1 - ofK]),
                 packing.getMultiple()[dim]);
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
  packed[{access.tensor.getAsOpaquePointer(), access.kept}] = seenPacked(
      product, packing, tensor.pointer, tensor.alignment, tensor.name);
}
