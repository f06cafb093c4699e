// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "helios/Dialect/Helios/Utils/Reductions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace helios;

/// What every element of a tensor is, where that is known.
static FloatAttr constantOf(Value tensor) {
  Value element;
  if (auto fill = tensor.getDefiningOp<linalg::FillOp>())
    element = fill.getInputs().front();
  else if (auto splat = tensor.getDefiningOp<tensor::SplatOp>())
    element = splat.getInput();
  Attribute value;
  if (!matchPattern(element ? element : tensor, m_Constant(&value)))
    return {};
  if (auto elements = dyn_cast<SplatElementsAttr>(value))
    value = elements.getSplatValue<Attribute>();
  return dyn_cast<FloatAttr>(value);
}

ReductionAttr helios::getReductionOf(linalg::ReduceOp reduce,
                                     std::string &reason) {
  auto refuse = [&](StringRef why) {
    reason = why.str();
    return ReductionAttr();
  };
  if (reduce.getInputs().size() != 1 || reduce.getDimensions().size() != 1)
    return refuse("expected one tensor that is combined along one dimension");
  auto type = cast<RankedTensorType>(reduce.getInputs().front().getType());
  int64_t fromEnd = type.getRank() - 1 - reduce.getDimensions().front();
  if (!type.getElementType().isF32() || fromEnd > 1)
    return refuse("expected elements of f32 that are combined along one of the "
                  "last two dimensions");
  Block &block = reduce.getCombiner().front();
  Operation *combines = block.getTerminator()->getOperand(0).getDefiningOp();
  bool isAdd = isa_and_nonnull<arith::AddFOp>(combines);
  if ((!isAdd && !isa_and_nonnull<arith::MaximumFOp>(combines)) ||
      combines->getBlock() != &block ||
      !llvm::all_of(block.getArguments(), [&](BlockArgument argument) {
        return llvm::is_contained(combines->getOperands(), argument);
      }))
    return refuse("expected 'arith.addf' or 'arith.maximumf' of an element and "
                  "what is combined so far");
  FloatAttr init = constantOf(reduce.getInits().front());
  if (!init ||
      (isAdd ? !init.getValue().isZero()
             : !init.getValue().isInfinity() || !init.getValue().isNegative()))
    return refuse(isAdd ? "expected a sum that begins with zero"
                        : "expected a maximum that begins with -inf");
  return ReductionAttr::get(reduce.getContext(),
                            isAdd ? ReductionKind::Add : ReductionKind::Max,
                            fromEnd == 0 ? ReducedAxis::N : ReducedAxis::M);
}
