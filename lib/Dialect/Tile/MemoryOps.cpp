// Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Views, loads, stores and layout conversion.

#include "helios/Dialect/Tile/IR/Tile.h"

using namespace mlir;
using namespace helios::tile;

LogicalResult ViewOp::verify() {
  ViewType type = getType();
  if (type.getElementType() != getPtr().getType().getElementType())
    return emitOpError("expected a view of ") << getPtr().getType().getElementType() << ", got one of " << type.getElementType();
  int64_t sizes = llvm::count_if(type.getShape(), ShapedType::isDynamic);
  int64_t strides = llvm::count_if(type.getStrides(), ShapedType::isDynamic);
  if (int64_t(getSizes().size()) != sizes)
    return emitOpError("expected ") << sizes << " size operands, one a dynamic extent, got " << getSizes().size();
  if (int64_t(getStrides().size()) != strides)
    return emitOpError("expected ") << strides << " stride operands, one a dynamic stride, got " << getStrides().size();
  if ((type.getGather() >= 0) != bool(getTable()))
    return emitOpError("expected a table exactly where the view gathers, got gather = ")
           << type.getGather() << (getTable() ? " with" : " without") << " a table";
  return success();
}

static OpFoldResult mixed(ArrayRef<int64_t> values, ValueRange dynamic, unsigned dim, MLIRContext *ctx) {
  if (!ShapedType::isDynamic(values[dim]))
    return IntegerAttr::get(IndexType::get(ctx), values[dim]);
  return dynamic[llvm::count_if(values.take_front(dim), ShapedType::isDynamic)];
}

OpFoldResult ViewOp::getMixedSize(unsigned dim) { return mixed(getType().getShape(), getSizes(), dim, getContext()); }
OpFoldResult ViewOp::getMixedStride(unsigned dim) { return mixed(getType().getStrides(), getStrides(), dim, getContext()); }

/// A tile of a view: element types agree, one offset a dimension, no more dimensions than the view.
static LogicalResult verifyAccess(Operation *op, RankedTensorType tile, ViewType view, size_t offsets) {
  if (tile.getElementType() != view.getElementType())
    return op->emitOpError("expected a tile of ") << view.getElementType() << " as the view's elements, got "
                                                  << tile.getElementType();
  if (int64_t(offsets) != view.getRank())
    return op->emitOpError("expected ") << view.getRank() << " offsets, one a dimension of the view, got " << offsets;
  if (tile.getRank() > view.getRank())
    return op->emitOpError("expected a tile of at most rank ") << view.getRank() << ", got rank " << tile.getRank();
  return success();
}

LogicalResult LoadOp::verify() {
  if (auto layout = getLayout(getType()); layout && layout.getPartialKind() != Partial::None)
    return emitOpError("expected a full layout, got the partial ") << layout;
  return verifyAccess(*this, getType(), getView().getType(), getOffsets().size());
}
LogicalResult StoreOp::verify() {
  if (auto layout = getLayout(getTile().getType()); layout && layout.getPartialKind() != Partial::None)
    return emitOpError("expected a full layout, got the partial ") << layout;
  return verifyAccess(*this, getTile().getType(), getView().getType(), getOffsets().size());
}
LogicalResult AtomicReduceOp::verify() {
  if (getKind() == ReduceKind::Or)
    return emitOpError("expected add, max or min, got or");
  return verifyAccess(*this, getTile().getType(), getView().getType(), getOffsets().size());
}

void LoadOp::getEffects(SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), &getViewMutable());
}
void StoreOp::getEffects(SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  effects.emplace_back(MemoryEffects::Write::get(), &getViewMutable());
}
void AtomicReduceOp::getEffects(SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), &getViewMutable());
  effects.emplace_back(MemoryEffects::Write::get(), &getViewMutable());
}

OpFoldResult ConvertLayoutOp::fold(FoldAdaptor) {
  if (getTile().getType() == getType())
    return getTile();
  return {};
}
