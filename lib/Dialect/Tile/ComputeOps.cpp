// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Arithmetic on tiles: shapes and layouts of operands and results.

#include "helios/Dialect/Tile/IR/Partials.h"

using namespace mlir;
using namespace helios::tile;

static std::string shapeText(ArrayRef<int64_t> shape) {
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::interleave(shape, os, "x");
  return text;
}

LogicalResult SliceOp::verify() {
  RankedTensorType from = getTile().getType(), to = getType();
  if (from.getElementType() != to.getElementType() ||
      from.getRank() != to.getRank())
    return emitOpError("expected a result of rank ")
           << from.getRank() << " and element type " << from.getElementType()
           << ", got " << to;
  if (int64_t(getStaticOffsets().size()) != from.getRank() ||
      llvm::count_if(getStaticOffsets(), ShapedType::isDynamic) !=
          int64_t(getOffsets().size()))
    return emitOpError("expected ")
           << from.getRank() << " offsets, one a dimension";
  LayoutAttrInterface layout = getLayout(from);
  for (auto [d, offset] : llvm::enumerate(getStaticOffsets())) {
    if (ShapedType::isDynamic(offset)) {
      if (layout && !layout.isMemory())
        return emitOpError("expected static offsets into a tile in registers, "
                           "got a dynamic one in dimension ")
               << d;
      continue;
    }
    if (offset < 0 || offset + to.getDimSize(d) > from.getDimSize(d))
      return emitOpError("expected the slice to lie within ")
             << from.getDimSize(d) << " elements of dimension " << d
             << ", got [" << offset << ", " << offset + to.getDimSize(d) << ")";
    if (layout && !layout.isMemory() && offset % layout.getBlockShape()[d])
      return emitOpError("expected offsets at repetitions of the layout, a "
                         "multiple of ")
             << layout.getBlockShape()[d] << " in dimension " << d << ", got "
             << offset;
  }
  return success();
}

LogicalResult TransposeOp::verify() {
  RankedTensorType from = getTile().getType(), to = getType();
  if (from.getRank() != 2 || to.getRank() != 2 ||
      from.getDimSize(0) != to.getDimSize(1) ||
      from.getDimSize(1) != to.getDimSize(0) ||
      from.getElementType() != to.getElementType())
    return emitOpError("expected the transposed of ") << from << ", got " << to;
  if (auto layout = getLayout(from)) {
    Attribute expected = layout.getTransposed();
    if (!expected)
      return emitOpError("expected a layout that can be transposed, got ")
             << layout << "; convert it to shared memory first";
    if (to.getEncoding() != expected)
      return emitOpError("expected the result's layout to be ")
             << expected << ", got " << to.getEncoding();
  }
  return success();
}

OpFoldResult TransposeOp::fold(FoldAdaptor) {
  if (auto source = getTile().getDefiningOp<TransposeOp>();
      source && source.getTile().getType() == getType())
    return source.getTile();
  return {};
}

LogicalResult ReduceScatterOp::verify() {
  RankedTensorType from = getTile().getType(), to = getType();
  bool alike = from.getRank() > 0 && from.getRank() == to.getRank() &&
               from.getElementType() == to.getElementType() &&
               from.getShape().drop_front() == to.getShape().drop_front();
  if (!alike || to.getDimSize(0) == from.getDimSize(0) ||
      from.getDimSize(0) % to.getDimSize(0))
    return emitOpError("expected one of several equal parts of ")
           << from << " along dimension 0, got " << to;
  return success();
}

LogicalResult ExpandOp::verify() {
  RankedTensorType to = getType();
  SmallVector<int64_t> kept;
  for (int64_t d = 0; d < to.getRank(); ++d)
    if (!llvm::is_contained(getDims(), d))
      kept.push_back(to.getDimSize(d));
  for (int64_t d : getDims())
    if (d < 0 || d >= to.getRank())
      return emitOpError("expected new dimensions below ")
             << to.getRank() << ", got " << d;
  auto from = dyn_cast<RankedTensorType>(getSource().getType());
  if (getElementTypeOrSelf(getSource().getType()) != to.getElementType())
    return emitOpError("expected a source of ")
           << to.getElementType() << ", got " << getSource().getType();
  ArrayRef<int64_t> shape = from ? from.getShape() : ArrayRef<int64_t>();
  if (shape != ArrayRef<int64_t>(kept))
    return emitOpError("expected a source of shape [")
           << shapeText(kept) << "] for these dimensions, got ["
           << shapeText(shape) << "]";
  if (auto layout = getLayout(to); from && layout && getDims().size() == 1) {
    auto slice = dyn_cast_or_null<LayoutAttrInterface>(from.getEncoding());
    auto expected =
        SliceAttr::get(getContext(), getDims()[0], layout, Partial::None);
    if (!slice || !slice.isSamePlace(from.getShape(), expected))
      return emitOpError("expected the source's layout to be ")
             << expected << ", got " << from.getEncoding();
  }
  return success();
}

LogicalResult IotaOp::verify() {
  RankedTensorType type = getType();
  if (!type.getElementType().isIndex())
    return emitOpError("expected a tile of index, got ")
           << type.getElementType();
  if (int64_t(getDim()) < 0 || int64_t(getDim()) >= type.getRank())
    return emitOpError("expected a dimension below ")
           << type.getRank() << ", got " << getDim();
  if (auto layout = getLayout(type); layout && !layout.hasCoordinates())
    return emitOpError("expected a layout with coordinates, got ")
           << layout << "; convert it first";
  return success();
}

LogicalResult DotOp::verify() {
  RankedTensorType a = getA().getType(), b = getB().getType(),
                   acc = getAcc().getType();
  if (a.getRank() != 2 || b.getRank() != 2 || acc.getRank() != 2)
    return emitOpError("expected operands of rank 2, got ")
           << a.getRank() << ", " << b.getRank() << " and " << acc.getRank();
  if (a.getDimSize(1) != b.getDimSize(0))
    return emitOpError("expected the contracted extents to agree, got ")
           << a.getDimSize(1) << " of a and " << b.getDimSize(0) << " of b";
  if (acc.getDimSize(0) != a.getDimSize(0) ||
      acc.getDimSize(1) != b.getDimSize(1))
    return emitOpError("expected an accumulator of ")
           << a.getDimSize(0) << "x" << b.getDimSize(1) << ", got "
           << shapeText(acc.getShape());
  MmaAttrInterface mma = getMmaAttr();
  if (!getLayout(acc))
    return success();
  if (!mma)
    return emitOpError("expected a matrix instruction on a product of tiles "
                       "with layouts, got none");
  for (auto [side, type] : {std::pair(Side::A, a), std::pair(Side::B, b),
                            std::pair(Side::Acc, acc)}) {
    if (mma.getElementType(side) != type.getElementType())
      return emitOpError("expected ")
             << mma.getElementType(side) << " elements on side "
             << stringifySide(side) << " of " << mma << ", got "
             << type.getElementType();
    if (failed(mma.checkOperand([&] { return emitOpError(); }, side,
                                type.getEncoding())))
      return failure();
  }
  SmallVector<int64_t> shape = mma.getMmaShape();
  int64_t extents[] = {acc.getDimSize(0), acc.getDimSize(1), a.getDimSize(1)};
  for (int d = 0; d < 3; ++d)
    if (extents[d] % shape[d])
      return emitOpError("expected whole instructions of ")
             << shapeText(shape) << ", got an extent " << "mnk"[d] << " of "
             << extents[d];
  auto kperm = [](Attribute layout) -> ArrayRef<int64_t> {
    if (auto operand = dyn_cast_or_null<OperandAttr>(layout))
      return operand.getKperm();
    if (auto shared = dyn_cast_or_null<SharedAttr>(layout))
      return shared.getKperm();
    return {};
  };
  if (kperm(a.getEncoding()) != kperm(b.getEncoding()))
    return emitOpError("expected the same 'kperm' on both operands, got ")
           << a.getEncoding() << " and " << b.getEncoding();
  return verifySlices([&] { return emitOpError(); }, a.getEncoding(),
                      b.getEncoding(), acc.getEncoding());
}

LogicalResult ReduceOp::verify() {
  RankedTensorType from = getTile().getType(), to = getType();
  int64_t dim = getDim();
  if (dim < 0 || dim >= from.getRank())
    return emitOpError("expected a dimension below ")
           << from.getRank() << ", got " << dim;
  SmallVector<int64_t> shape(from.getShape());
  shape.erase(shape.begin() + dim);
  if (to.getShape() != ArrayRef<int64_t>(shape) ||
      to.getElementType() != from.getElementType())
    return emitOpError("expected a result of [")
           << shapeText(shape) << "] " << from.getElementType() << ", got "
           << to;
  if (auto layout = getLayout(from)) {
    auto slice = dyn_cast_or_null<SliceAttr>(to.getEncoding());
    if (!slice || slice.getDim() != dim ||
        Attribute(slice.getParent()) != Attribute(layout))
      return emitOpError("expected the result's layout to be a #tile.slice of "
                         "dimension ")
             << dim << " of " << layout << ", got " << to.getEncoding();
    std::optional<Partial> kind =
        getKind() == ReduceKind::Add   ? std::optional(Partial::Add)
        : getKind() == ReduceKind::Max ? std::optional(Partial::Max)
        : getKind() == ReduceKind::Or  ? std::optional(Partial::Or)
                                       : std::nullopt;
    if (slice.getPartial() != Partial::None && slice.getPartial() != kind)
      return emitOpError("expected a full result")
             << (kind
                     ? " or one with partial = " + stringifyPartial(*kind).str()
                     : "")
             << ", got partial = " << stringifyPartial(slice.getPartial());
  }
  return success();
}

LogicalResult WhereOp::verify() {
  RankedTensorType cond = getCondition().getType();
  if (!cond.getElementType().isInteger(1))
    return emitOpError("expected a condition of i1, got ")
           << cond.getElementType();
  if (Partial kind = getPartial(cond.getEncoding());
      kind != Partial::None && kind != Partial::Or)
    return emitOpError("expected a condition that is full or partial = or, got "
                       "partial = ")
           << stringifyPartial(kind);
  if (getOld().getTypes() != getResultTypes())
    return emitOpError("expected results of the old values' types");
  for (Type type : getResultTypes()) {
    ArrayRef<int64_t> shape = cast<RankedTensorType>(type).getShape();
    if (shape.size() < size_t(cond.getRank()) ||
        shape.take_front(cond.getRank()) != cond.getShape())
      return emitOpError("expected results whose leading dimensions are [")
             << shapeText(cond.getShape()) << "], got " << type;
  }
  auto yield = cast<YieldOp>(getBody().front().getTerminator());
  if (yield.getValues().getTypes() != getResultTypes())
    return emitOpError("expected the region to yield the results' types");
  WalkResult walk = getBody().walk([&](Operation *op) -> WalkResult {
    if (op == yield || isMemoryEffectFree(op))
      return WalkResult::advance();
    return op->emitOpError("is not pure and may not stand in a tile.where");
  });
  return failure(walk.wasInterrupted());
}

LogicalResult MapOp::verify() {
  Block &body = getBody().front();
  if (body.getNumArguments() != getInputs().size())
    return emitOpError("expected ")
           << getInputs().size() << " region arguments, one an input, got "
           << body.getNumArguments();
  auto yield = dyn_cast<YieldOp>(body.getTerminator());
  if (!yield || yield.getValues().size() != getNumResults() ||
      getNumResults() == 0)
    return emitOpError("expected the region to yield ")
           << std::max(getNumResults(), 1u) << " elements, one a result";
  auto first = cast<RankedTensorType>(getResult(0).getType());
  auto check = [&](StringRef what, size_t i, Type tile,
                   Type element) -> LogicalResult {
    auto type = cast<RankedTensorType>(tile);
    if (type.getElementType() != element)
      return emitOpError("expected the region's element of ")
             << what << " #" << i << " to be " << type.getElementType()
             << ", got " << element;
    if (type.getShape() != first.getShape())
      return emitOpError("expected ")
             << what << " #" << i << " to be of shape ["
             << shapeText(first.getShape()) << "], got ["
             << shapeText(type.getShape()) << "]; use tile.expand";
    Attribute want = withoutPartial(first.getEncoding()),
              got = withoutPartial(type.getEncoding());
    auto layout = dyn_cast_or_null<LayoutAttrInterface>(want);
    if (want != got && !(layout && layout.isSamePlace(type.getShape(), got)))
      return emitOpError("expected ")
             << what << " #" << i << " in the places of " << want << ", got "
             << got;
    return success();
  };
  SmallVector<Partial> inputs, results;
  for (auto [i, input] : llvm::enumerate(getInputs())) {
    if (failed(
            check("input", i, input.getType(), body.getArgument(i).getType())))
      return failure();
    inputs.push_back(
        getPartial(cast<RankedTensorType>(input.getType()).getEncoding()));
  }
  for (auto [i, result] : llvm::enumerate(getResults())) {
    if (failed(check("result", i, result.getType(),
                     yield.getValues()[i].getType())))
      return failure();
    results.push_back(
        getPartial(cast<RankedTensorType>(result.getType()).getEncoding()));
  }
  for (Operation &op : body.without_terminator())
    if (!isMemoryEffectFree(&op) || op.getNumRegions())
      return op.emitOpError(
          "may not stand in a tile.map; expected pure scalar ops");
  return verifyPartialRegion(*this, body, inputs, results);
}
