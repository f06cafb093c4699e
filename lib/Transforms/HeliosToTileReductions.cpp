// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// helios-to-tile: reductions in the epilogue of a product. There is no promise
// of progress between workgroups, so what the elements of an item combine to
// goes through the workspace to a second dispatch, which combines the parts of
// all items in a fixed order: the result is the same bit by bit in every run.

#include "HeliosToTileProgram.h"

using namespace mlir;
using namespace helios;
using namespace helios::totile;

/// Parts that are loaded at once where they are combined, and columns of an
/// item: few, so that there are many items.
static constexpr int64_t kPartsAtOnce = 16, kColumnsOfFold = 32;

static bool isSum(ReductionAttr reduction) {
  return reduction.getKind() == ReductionKind::Add;
}

static arith::AtomicRMWKind kindOf(ReductionAttr reduction) {
  return isSum(reduction) ? arith::AtomicRMWKind::addf
                          : arith::AtomicRMWKind::maximumf;
}

Value totile::emitNeutral(OpBuilder &builder, Location loc,
                          ReductionAttr reduction, RankedTensorType type) {
  TypedAttr element = arith::getIdentityValueAttr(
      kindOf(reduction), type.getElementType(), builder, loc);
  return arith::ConstantOp::create(
      builder, loc, DenseElementsAttr::get(type, Attribute(element)));
}

Value totile::emitCombination(OpBuilder &builder, Location loc,
                              ReductionAttr reduction, Value first,
                              Value second) {
  return arith::getReductionOp(kindOf(reduction), builder, loc, first, second);
}

/// A tile whose elements from `end` on, along a dimension, are replaced by what
/// changes nothing; `base` is the coordinate of the first one.
static Value cutOff(OpBuilder &builder, Location loc, ReductionAttr reduction,
                    Value tile, int64_t dim, Value base, Value end) {
  auto type = cast<RankedTensorType>(tile.getType());
  auto line = [&](Type element) {
    return RankedTensorType::get(type.getDimSize(dim), element);
  };
  Value at = tile::IotaOp::create(builder, loc, line(builder.getIndexType()),
                                  builder.getI64IntegerAttr(0), base);
  Value bound =
      tile::ExpandOp::create(builder, loc, line(builder.getIndexType()), end,
                             builder.getDenseI64ArrayAttr(0));
  Value inside =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, at, bound);
  inside = tile::ExpandOp::create(
      builder, loc, RankedTensorType::get(type.getShape(), builder.getI1Type()),
      inside, builder.getDenseI64ArrayAttr(1 - dim));
  Value nothing = emitNeutral(builder, loc, reduction, type);
  return arith::SelectOp::create(builder, loc, inside, tile, nothing);
}

/// What a tile combines to along a dimension.
static Value combined(OpBuilder &builder, Location loc, ReductionAttr reduction,
                      Value tile, int64_t dim) {
  auto type = cast<RankedTensorType>(tile.getType());
  return tile::ReduceOp::create(
      builder, loc,
      RankedTensorType::get(type.getDimSize(1 - dim), type.getElementType()),
      tile::ReduceKindAttr::get(builder.getContext(),
                                isSum(reduction) ? tile::ReduceKind::Add
                                                 : tile::ReduceKind::Max),
      tile, builder.getI64IntegerAttr(dim));
}

Value totile::emitReduction(OpBuilder &builder, const Product &product,
                            Variant variant, ReductionAttr reduction,
                            Value tile, ArrayRef<Value> base,
                            ArrayRef<Value> extents) {
  Location loc = product.op->getLoc();
  int64_t dim = reduction.getDim(2), axis = product.m() + dim;
  if (!product.isWhole(axis, variant))
    tile =
        cutOff(builder, loc, reduction, tile, dim, base[axis], extents[axis]);
  return combined(builder, loc, reduction, tile, dim);
}

Product Product::getFold(unsigned number) const {
  ReductionAttr reduction = cast<MatmulOp>(op).getReduction(number);
  bool alongN = reduction.getAlong() == ReducedAxis::N;
  Product result = *this;
  result.part = Part::Fold;
  result.folded = number;
  result.cluster = {1, 1};
  result.anyRows = result.hasRowsOfOne = result.addsParts = false;
  result.groups.clear();
  result.extents.truncate(k() + 1);
  result.extents[alongN ? n() : m()] = 1;
  result.extents[k()] = ShapedType::kDynamic;
  result.tile.assign(numBatch, 1);
  result.tile.append({1, 1, kPartsAtOnce});
  result.tile[alongN ? m() : n()] = kColumnsOfFold;
  Access parts = results()[number];
  parts.axes.front() = k();
  result.accesses = {parts, results()[number].whole()};
  result.numResults = 1;
  return result;
}

namespace {

class FoldEmitter : public ProgramEmitter {
public:
  using ProgramEmitter::ProgramEmitter;

private:
  LogicalResult emitItem() override {
    ReductionAttr reduction =
        cast<MatmulOp>(product.op).getReduction(product.folded);
    int64_t axis = product.k();
    Value end = extents[axis];
    Value steps =
        arith::CeilDivUIOp::create(builder, loc, end, constant(kPartsAtOnce));
    auto type = RankedTensorType::get(kColumnsOfFold,
                                      product.accesses.back().elementType);
    Value init = emitNeutral(builder, loc, reduction, type);
    auto loop =
        scf::ForOp::create(builder, loc, constant(0), steps, constant(1), init);
    {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(loop.getBody());
      offsets[axis] = arith::MulIOp::create(
          builder, loc, loop.getInductionVar(), constant(kPartsAtOnce));
      Value parts = load(0), before = loop.getRegionIterArg(0);
      // Beyond the last part zeros are read.
      if (!isSum(reduction))
        parts = cutOff(builder, loc, reduction, parts, 0, offsets[axis], end);
      Value more = combined(builder, loc, reduction, parts, 0);
      scf::YieldOp::create(
          builder, loc, emitCombination(builder, loc, reduction, before, more));
    }
    store(loop.getResult(0), 1);
    return success();
  }
};

} // namespace

FailureOr<Program> totile::emitFold(OpBuilder &builder, const Product &product,
                                    Variant variant, ScheduleAttr schedule,
                                    Attribute target, int64_t vectorBytes,
                                    StringRef name) {
  return FoldEmitter(builder, product, variant, vectorBytes)
      .run(schedule, target, name);
}
