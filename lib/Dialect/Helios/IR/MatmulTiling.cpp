// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// helios.matmul: reified shapes and tiling. The loops are the result's
// dimensions; the contracted dimension is no loop here, because an epilogue can
// only be applied to a whole sum.

#include "helios/Dialect/Helios/IR/HeliosOps.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace helios;

/// Extents of the result, dimension by dimension, from the operands.
static SmallVector<OpFoldResult> resultExtents(MatmulOp op,
                                               OpBuilder &builder) {
  RankedTensorType lhs = op.getLhs().getType(), rhs = op.getRhs().getType(),
                   result = op.getResult().getType();
  int64_t batch = result.getRank() - 2;
  SmallVector<OpFoldResult> extents;
  for (int64_t i = 0; i < result.getRank(); ++i) {
    if (!result.isDynamicDim(i)) {
      extents.push_back(builder.getIndexAttr(result.getDimSize(i)));
      continue;
    }
    if (i == batch) {
      extents.push_back(tensor::getMixedSize(builder, op.getLoc(), op.getLhs(),
                                             op.getLhsMDim()));
      continue;
    }
    if (i == batch + 1) {
      extents.push_back(tensor::getMixedSize(builder, op.getLoc(), op.getRhs(),
                                             op.getRhsNDim()));
      continue;
    }
    int64_t l = i + lhs.getRank() - 2 - batch,
            r = i + rhs.getRank() - 2 - batch;
    bool fromLhs = l >= 0 && lhs.getDimSize(l) != 1;
    extents.push_back(
        fromLhs ? tensor::getMixedSize(builder, op.getLoc(), op.getLhs(), l)
                : tensor::getMixedSize(builder, op.getLoc(), op.getRhs(), r));
  }
  return extents;
}

LogicalResult MatmulOp::reifyResultShapes(OpBuilder &builder,
                                          ReifiedRankedShapedTypeDims &shapes) {
  SmallVector<OpFoldResult> extents = resultExtents(*this, builder);
  for (unsigned i = 0; i < (*this)->getNumResults(); ++i) {
    shapes.push_back(extents);
    if (ReductionAttr reduction = getReduction(i))
      shapes.back().erase(shapes.back().begin() +
                          reduction.getDim(extents.size()));
  }
  return success();
}

SmallVector<utils::IteratorType> MatmulOp::getLoopIteratorTypes() {
  return SmallVector<utils::IteratorType>(getResult().getType().getRank(),
                                          utils::IteratorType::parallel);
}

SmallVector<Range> MatmulOp::getIterationDomain(OpBuilder &builder) {
  SmallVector<Range> domain;
  for (OpFoldResult extent : resultExtents(*this, builder))
    domain.push_back(
        {builder.getIndexAttr(0), extent, builder.getIndexAttr(1)});
  return domain;
}

/// The slice of `source` for a tile of the result. `dims` gives the result
/// dimension of each dimension of the source, or -1 for one that is taken
/// whole.
static Operation *sliceFor(OpBuilder &builder, Location loc, Value source,
                           ArrayRef<int64_t> dims,
                           ArrayRef<OpFoldResult> offsets,
                           ArrayRef<OpFoldResult> sizes) {
  auto type = cast<RankedTensorType>(source.getType());
  SmallVector<OpFoldResult> sliceOffsets, sliceSizes;
  for (auto [i, dim] : llvm::enumerate(dims)) {
    bool whole = dim < 0 || type.getDimSize(i) == 1;
    sliceOffsets.push_back(whole ? OpFoldResult(builder.getIndexAttr(0))
                                 : offsets[dim]);
    sliceSizes.push_back(whole ? tensor::getMixedSize(builder, loc, source, i)
                               : sizes[dim]);
  }
  SmallVector<OpFoldResult> strides(dims.size(), builder.getIndexAttr(1));
  return tensor::ExtractSliceOp::create(builder, loc, source, sliceOffsets,
                                        sliceSizes, strides);
}

FailureOr<TilingResult>
MatmulOp::getTiledImplementation(OpBuilder &builder,
                                 ArrayRef<OpFoldResult> offsets,
                                 ArrayRef<OpFoldResult> sizes) {
  // Which groups a tile of rows belongs to is known at run time alone.
  if (isGrouped())
    return failure();
  if (hasScales())
    return emitOpError("is not tiled: blocks that have scales would be cut");
  if (getReductions())
    return emitOpError("is not tiled: tiles would combine parts of what "
                       "'reductions' are of");
  RankedTensorType result = getResult().getType();
  int64_t rank = result.getRank();
  auto operandDims = [&](int64_t operandRank, int64_t spatial,
                         int64_t spatialDim) {
    SmallVector<int64_t> dims;
    for (int64_t i = 0; i < operandRank - 2; ++i)
      dims.push_back(i + rank - operandRank);
    dims.append({-1, -1});
    dims[spatial] = spatialDim;
    return dims;
  };
  SmallVector<Operation *> slices;
  SmallVector<int64_t> lhsDims =
      operandDims(getLhs().getType().getRank(), getLhsMDim(), rank - 2);
  slices.push_back(
      sliceFor(builder, getLoc(), getLhs(), lhsDims, offsets, sizes));
  SmallVector<int64_t> rhsDims =
      operandDims(getRhs().getType().getRank(), getRhsNDim(), rank - 1);
  slices.push_back(
      sliceFor(builder, getLoc(), getRhs(), rhsDims, offsets, sizes));
  Value pair;
  if (getPair()) {
    slices.push_back(
        sliceFor(builder, getLoc(), getPair(), rhsDims, offsets, sizes));
    pair = slices.back()->getResult(0);
  }
  for (Value operand : getFused()) {
    int64_t operandRank = cast<RankedTensorType>(operand.getType()).getRank();
    SmallVector<int64_t> dims;
    for (int64_t i = 0; i < operandRank; ++i)
      dims.push_back(i + rank - operandRank);
    slices.push_back(
        sliceFor(builder, getLoc(), operand, dims, offsets, sizes));
  }
  SmallVector<Value> fused;
  for (Operation *slice : ArrayRef(slices).take_back(getFused().size()))
    fused.push_back(slice->getResult(0));
  // Along k all of what a prologue reads is there, in groups or not.
  auto captured = [&](bool isLhs) {
    SmallVector<Value> result;
    for (Value operand : isLhs ? getCapturedA() : getCaptured()) {
      auto operandRank = cast<RankedTensorType>(operand.getType()).getRank();
      slices.push_back(
          sliceFor(builder, getLoc(), operand,
                   ArrayRef(isLhs ? lhsDims : rhsDims).take_back(operandRank),
                   offsets, sizes));
      result.push_back(slices.back()->getResult(0));
    }
    return result;
  };
  SmallVector<Value> capturedB = captured(/*isLhs=*/false),
                     capturedA = captured(/*isLhs=*/true);

  SmallVector<int64_t> shape;
  SmallVector<Value> dynamic;
  dispatchIndexOpFoldResults(sizes, dynamic, shape);
  SmallVector<Type> types;
  for (Type type : (*this)->getResultTypes())
    types.push_back(RankedTensorType::get(shape, getElementTypeOrSelf(type)));
  auto tiled = MatmulOp::create(
      builder, getLoc(), types.front(), ArrayRef(types).drop_front(),
      slices[0]->getResult(0), slices[1]->getResult(0), pair, fused, capturedB,
      capturedA, /*ends=*/Value(), ValueRange(), getGroupAttr(),
      DenseI64ArrayAttr(), ArrayAttr(), getTransposeA(), getTransposeB(),
      getFastAccumulation(), getBatchInvariant(), getAccType());
  IRMapping prologue;
  getPrologue().cloneInto(&tiled.getPrologue(), prologue);
  getPrologueA().cloneInto(&tiled.getPrologueA(), prologue);
  if (hasEpilogue()) {
    IRMapping mapping;
    getEpilogue().cloneInto(&tiled.getEpilogue(), mapping);
    if (tiled.epilogueHasIndices()) {
      // Indices count from the tile's corner; the epilogue wants those of the
      // whole result.
      Block &block = tiled.getEpilogue().front();
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPoint(tiled);
      SmallVector<Value> corner;
      for (OpFoldResult offset : offsets)
        corner.push_back(
            getValueOrCreateConstantIndexOp(builder, getLoc(), offset));
      builder.setInsertionPointToStart(&block);
      for (auto [argument, offset] :
           llvm::zip(block.getArguments().take_back(rank), corner)) {
        auto sum = arith::AddIOp::create(builder, getLoc(), argument, offset);
        argument.replaceAllUsesExcept(sum, sum);
      }
    }
  }
  return TilingResult{
      {tiled}, llvm::to_vector_of<Value>(tiled->getResults()), slices};
}

LogicalResult MatmulOp::getResultTilePosition(
    OpBuilder &, unsigned, ArrayRef<OpFoldResult> offsets,
    ArrayRef<OpFoldResult> sizes, SmallVector<OpFoldResult> &resultOffsets,
    SmallVector<OpFoldResult> &resultSizes) {
  resultOffsets.assign(offsets.begin(), offsets.end());
  resultSizes.assign(sizes.begin(), sizes.end());
  return success();
}

FailureOr<TilingResult>
MatmulOp::generateResultTileValue(OpBuilder &builder, unsigned number,
                                  ArrayRef<OpFoldResult> offsets,
                                  ArrayRef<OpFoldResult> sizes) {
  FailureOr<TilingResult> tiled =
      getTiledImplementation(builder, offsets, sizes);
  if (succeeded(tiled))
    tiled->tiledValues = {tiled->tiledValues[number]};
  return tiled;
}
