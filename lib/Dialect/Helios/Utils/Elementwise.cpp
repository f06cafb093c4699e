// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "helios/Dialect/Helios/Utils/Elementwise.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace helios;

/// A parallel linalg op on tensors whose result is written once, in any order
/// of its dimensions.
static bool isParallelLinalg(Operation *op) {
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  if (!linalgOp || !linalgOp.hasPureTensorSemantics() ||
      linalgOp->getNumResults() != 1 ||
      linalgOp.getNumParallelLoops() != linalgOp.getNumLoops())
    return false;
  if (!linalgOp.getMatchingIndexingMap(linalgOp.getDpsInitOperand(0))
           .isPermutation())
    return false;
  return llvm::all_of(
      linalgOp.getBlock()->without_terminator(), [](Operation &inner) {
        return inner.getNumRegions() == 0 && isMemoryEffectFree(&inner);
      });
}

/// Whether an expand_shape only adds dimensions of extent one.
static bool addsUnitDims(tensor::ExpandShapeOp op) {
  for (const ReassociationIndices &group : op.getReassociationIndices()) {
    int64_t others = llvm::count_if(group, [&](int64_t d) {
      return op.getResultType().getDimSize(d) != 1;
    });
    if (others > 1)
      return false;
  }
  return true;
}

bool helios::isElementwise(Operation *op) {
  if (op->getNumResults() != 1 ||
      !isa<RankedTensorType>(op->getResult(0).getType()))
    return false;
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op))
    return addsUnitDims(expand);
  DenseElementsAttr constant;
  if (matchPattern(op, m_Constant(&constant)))
    return constant.isSplat();
  return isa<tensor::SplatOp, tensor::CastOp>(op) ||
         OpTrait::hasElementwiseMappableTraits(op) || isParallelLinalg(op);
}

FailureOr<Value> ElementwiseEmitter::fail(Operation *op, StringRef message) {
  if (!failed) {
    failed = op;
    why = message.str();
  }
  return failure();
}

FailureOr<Value> ElementwiseEmitter::emit(Value tensor,
                                          ArrayRef<int64_t> coordinates) {
  if (!isa<RankedTensorType>(tensor.getType()))
    return tensor;
  auto key = std::make_pair(tensor, builder.getI64ArrayAttr(coordinates));
  if (Value known = emitted.lookup(key))
    return known;
  FailureOr<Value> value = leaf(tensor, coordinates);
  if (succeeded(value) && !*value)
    value = emitDefinition(tensor, coordinates);
  if (succeeded(value))
    emitted[key] = *value;
  return value;
}

FailureOr<Value>
ElementwiseEmitter::emitDefinition(Value tensor,
                                   ArrayRef<int64_t> coordinates) {
  Operation *op = tensor.getDefiningOp();
  if (!op || !isElementwise(op))
    return fail(op, "is not element-wise");
  Type element = cast<RankedTensorType>(tensor.getType()).getElementType();
  DenseElementsAttr constant;
  if (matchPattern(op, m_Constant(&constant)))
    return Value(arith::ConstantOp::create(
        builder, op->getLoc(),
        cast<TypedAttr>(constant.getSplatValue<Attribute>())));
  if (auto splat = dyn_cast<tensor::SplatOp>(op))
    return splat.getInput();
  if (auto cast = dyn_cast<tensor::CastOp>(op)) {
    if (!isa<RankedTensorType>(cast.getSource().getType()))
      return fail(op, "casts from an unranked tensor");
    return emit(cast.getSource(), coordinates);
  }
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op)) {
    ElementCoordinates inner;
    for (const ReassociationIndices &group : expand.getReassociationIndices()) {
      int64_t coordinate = -1;
      for (int64_t dim : group)
        if (expand.getResultType().getDimSize(dim) != 1)
          coordinate = coordinates[dim];
      inner.push_back(coordinate);
    }
    return emit(expand.getSrc(), inner);
  }
  if (isa<linalg::LinalgOp>(op))
    return emitLinalg(op, coordinates);

  IRMapping mapping;
  for (Value operand : op->getOperands()) {
    FailureOr<Value> scalar = emit(operand, coordinates);
    if (llvm::failed(scalar))
      return failure();
    mapping.map(operand, *scalar);
  }
  Operation *clone = builder.clone(*op, mapping);
  clone->getResult(0).setType(element);
  return clone->getResult(0);
}

FailureOr<Value> ElementwiseEmitter::emitLinalg(Operation *op,
                                                ArrayRef<int64_t> coordinates) {
  auto linalgOp = cast<linalg::LinalgOp>(op);
  // Coordinates of the loops, from those of the result.
  SmallVector<int64_t> loops(linalgOp.getNumLoops());
  AffineMap output =
      linalgOp.getMatchingIndexingMap(linalgOp.getDpsInitOperand(0));
  for (auto [i, coordinate] : llvm::enumerate(coordinates))
    loops[output.getDimPosition(i)] = coordinate;

  IRMapping mapping;
  for (OpOperand &operand : op->getOpOperands()) {
    BlockArgument argument = linalgOp.getMatchingBlockArgument(&operand);
    if (argument.use_empty())
      continue;
    ElementCoordinates inner;
    for (AffineExpr expr :
         linalgOp.getMatchingIndexingMap(&operand).getResults()) {
      if (auto dim = dyn_cast<AffineDimExpr>(expr))
        inner.push_back(loops[dim.getPosition()]);
      else if (auto zero = dyn_cast<AffineConstantExpr>(expr);
               zero && zero.getValue() == 0)
        inner.push_back(-1);
      else
        return fail(op, "has an indexing map that is neither a choice nor a "
                        "broadcast of dimensions");
    }
    FailureOr<Value> scalar = emit(operand.get(), inner);
    if (llvm::failed(scalar))
      return failure();
    mapping.map(argument, *scalar);
  }
  Block *block = linalgOp.getBlock();
  for (Operation &inner : block->without_terminator()) {
    if (auto indexOp = dyn_cast<linalg::IndexOp>(inner)) {
      int64_t coordinate = loops[indexOp.getDim()];
      mapping.map(indexOp.getResult(), coordinate < 0
                                           ? arith::ConstantIndexOp::create(
                                                 builder, inner.getLoc(), 0)
                                                 .getResult()
                                           : index(coordinate));
      continue;
    }
    builder.clone(inner, mapping);
  }
  return mapping.lookupOrDefault(block->getTerminator()->getOperand(0));
}
