// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Views, loads, stores and layout conversion.

#include "helios/Dialect/Tile/IR/Partials.h"
#include "helios/Dialect/Tile/Utils/Facts.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace helios::tile;

LogicalResult ViewOp::verify() {
  ViewType type = getType();
  if (type.getElementType() != getPtr().getType().getElementType())
    return emitOpError("expected a view of ")
           << getPtr().getType().getElementType() << ", got one of "
           << type.getElementType();
  int64_t sizes = llvm::count_if(type.getShape(), ShapedType::isDynamic);
  int64_t strides = llvm::count_if(type.getStrides(), ShapedType::isDynamic);
  if (int64_t(getSizes().size()) != sizes)
    return emitOpError("expected ")
           << sizes << " size operands, one a dynamic extent, got "
           << getSizes().size();
  if (int64_t(getStrides().size()) != strides)
    return emitOpError("expected ")
           << strides << " stride operands, one a dynamic stride, got "
           << getStrides().size();
  if ((type.getGather() >= 0) != bool(getTable()))
    return emitOpError(
               "expected a table exactly where the view gathers, got gather = ")
           << type.getGather() << (getTable() ? " with" : " without")
           << " a table";
  // What the type says of a dynamic stride follows from facts.
  unsigned next = 0;
  for (int64_t d = 0; d < type.getRank(); ++d) {
    if (!ShapedType::isDynamic(type.getStrides()[d]))
      continue;
    Value stride = getStrides()[next++];
    if (int64_t want = type.getStrideDivisor(d), known = knownDivisor(stride);
        known % want)
      return emitOpError("expected the stride of dimension ")
             << d << " to be a multiple of " << want
             << " as 'div' says, but only " << known
             << " is known to divide it; give its source the fact '"
             << TileDialect::kDivAttr << "', or say less in the type";
  }
  return success();
}

static OpFoldResult mixed(ArrayRef<int64_t> values, ValueRange dynamic,
                          unsigned dim, MLIRContext *ctx) {
  if (!ShapedType::isDynamic(values[dim]))
    return IntegerAttr::get(IndexType::get(ctx), values[dim]);
  return dynamic[llvm::count_if(values.take_front(dim), ShapedType::isDynamic)];
}

OpFoldResult ViewOp::getMixedSize(unsigned dim) {
  return mixed(getType().getShape(), getSizes(), dim, getContext());
}
OpFoldResult ViewOp::getMixedStride(unsigned dim) {
  return mixed(getType().getStrides(), getStrides(), dim, getContext());
}

/// A tile of a view: element types agree, one offset a dimension, no more
/// dimensions than the view.
static LogicalResult verifyAccess(Operation *op, RankedTensorType tile,
                                  ViewType view, size_t offsets) {
  if (tile.getElementType() != view.getElementType())
    return op->emitOpError("expected a tile of ")
           << view.getElementType() << " as the view's elements, got "
           << tile.getElementType();
  if (int64_t(offsets) != view.getRank())
    return op->emitOpError("expected ")
           << view.getRank() << " offsets, one a dimension of the view, got "
           << offsets;
  if (tile.getRank() > view.getRank())
    return op->emitOpError("expected a tile of at most rank ")
           << view.getRank() << ", got rank " << tile.getRank();
  return success();
}

/// A packed view has no elements with places: whole matrices are accessed.
static LogicalResult verifyPacked(Operation *op, RankedTensorType tile,
                                  ViewType view, bool inBounds) {
  auto packed = cast_or_null<OpaqueMatrixAttr>(view.getPacked());
  if (!packed)
    return success();
  if (!inBounds || tile.getRank() != 2)
    return op->emitOpError("expected a tile of a packed view to have two "
                           "dimensions and to be 'in_bounds'");
  SmallVector<int64_t> matrix =
      packed.getMma().getFragmentShape(packed.getSide());
  for (int64_t d : {0, 1})
    if (tile.getDimSize(d) % matrix[d])
      return op->emitOpError("expected whole matrices of ")
             << matrix[0] << "x" << matrix[1] << ", got " << tile;
  auto layout = getLayout(tile);
  if (!layout)
    return success();
  auto opaque = dyn_cast<OpaqueMatrixAttr>(Attribute(layout));
  if (!opaque || opaque.getSide() != packed.getSide() ||
      opaque.getMma() != packed.getMma())
    return op->emitOpError("expected the layout of the packed view ")
           << packed << ", with any groups, got " << layout;
  return success();
}

/// An access that is marked as inside its view must not contradict what is
/// known.
static LogicalResult verifyInBounds(Operation *op, RankedTensorType tile,
                                    ViewType view, OperandRange offsets) {
  for (int64_t d = 0; d < view.getRank(); ++d) {
    int64_t lead = view.getRank() - tile.getRank(),
            extent = d < lead ? 1 : tile.getDimSize(d - lead),
            size = view.getShape()[d];
    APInt offset;
    if (ShapedType::isDynamic(size) ||
        !matchPattern(offsets[d], m_ConstantInt(&offset)))
      continue;
    if (int64_t at = offset.getSExtValue(); at < 0 || at + extent > size)
      return op->emitOpError("is marked 'in_bounds' but covers [")
             << at << ", " << at + extent << ") of " << size
             << " elements in dimension " << d;
  }
  return success();
}

LogicalResult LoadOp::verify() {
  if (auto layout = getLayout(getType());
      layout && layout.getPartialKind() != Partial::None)
    return emitOpError("expected a full layout, got the partial ") << layout;
  if (failed(verifyAccess(*this, getType(), getView().getType(),
                          getOffsets().size())) ||
      failed(
          verifyPacked(*this, getType(), getView().getType(), getInBounds())) ||
      failed(getView().getType().checkDims(
          [&] { return emitOpError(); },
          getInside().value_or(ArrayRef<int64_t>()))))
    return failure();
  return getInBounds() ? verifyInBounds(*this, getType(), getView().getType(),
                                        getOffsets())
                       : success();
}
LogicalResult ElementOp::verify() {
  ViewType view = getView().getType();
  if (int64_t(getOffsets().size()) != view.getRank())
    return emitOpError("expected an offset a dimension of the view, ")
           << view.getRank() << ", got " << getOffsets().size();
  if (view.getElementType() != getType() || view.getPacked() ||
      view.getGather() >= 0)
    return emitOpError("expected a view of ")
           << getType() << " that is neither packed nor gathered, got " << view;
  return success();
}
LogicalResult StoreOp::verify() {
  if (auto layout = getLayout(getTile().getType());
      layout && layout.getPartialKind() != Partial::None)
    return emitOpError("expected a full layout, got the partial ") << layout;
  if (failed(verifyAccess(*this, getTile().getType(), getView().getType(),
                          getOffsets().size())) ||
      failed(verifyPacked(*this, getTile().getType(), getView().getType(),
                          getInBounds())))
    return failure();
  return getInBounds() ? verifyInBounds(*this, getTile().getType(),
                                        getView().getType(), getOffsets())
                       : success();
}
LogicalResult AtomicReduceOp::verify() {
  if (getKind() == ReduceKind::Or)
    return emitOpError("expected add, max or min, got or");
  if (getView().getType().getPacked())
    return emitOpError("expected a view that is not packed");
  return verifyAccess(*this, getTile().getType(), getView().getType(),
                      getOffsets().size());
}

void LoadOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), &getViewMutable());
}
void ElementOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), &getViewMutable());
}
void StoreOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  effects.emplace_back(MemoryEffects::Write::get(), &getViewMutable());
}
void AtomicReduceOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), &getViewMutable());
  effects.emplace_back(MemoryEffects::Write::get(), &getViewMutable());
}

LogicalResult ConvertLayoutOp::verify() {
  Attribute from = getTile().getType().getEncoding(),
            to = getType().getEncoding();
  if (bool(from) != bool(to))
    return emitOpError("expected a layout on both sides or on none, got ")
           << getTile().getType() << " and " << getType();
  Partial before = getPartial(from), after = getPartial(to);
  if (after != Partial::None && after != before)
    return emitOpError("expected a full result, or one with partial = ")
           << stringifyPartial(before)
           << " as its operand, got partial = " << stringifyPartial(after);
  auto layout = dyn_cast_or_null<LayoutAttrInterface>(to);
  if (before != Partial::None && layout && layout.isMemory())
    return emitOpError("expected a partial tile to be combined before it goes "
                       "to memory, got partial = ")
           << stringifyPartial(before);
  return success();
}

OpFoldResult ConvertLayoutOp::fold(FoldAdaptor) {
  if (getTile().getType() == getType())
    return getTile();
  return {};
}
