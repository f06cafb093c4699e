// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// helios-fuse: element-wise code on a product's operand becomes its prologue.

#include "HeliosFuse.h"
#include "helios/Dialect/Helios/Utils/Elementwise.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace helios;

MatmulOp fuse::makePrologue(MatmulOp op, bool isLhs, std::string &reason) {
  Value computed = isLhs ? op.getLhs() : op.getRhs();
  Operation *made = computed.getDefiningOp();
  if (!made || !isElementwise(made))
    return {};
  OpBuilder builder(op);
  int64_t rank = cast<RankedTensorType>(computed.getType()).getRank();
  ElementCoordinates identity(llvm::to_vector(llvm::seq<int64_t>(0, rank)));
  Region scratch;
  Block &block = scratch.emplaceBlock();
  OpBuilder inner(op.getContext());
  inner.setInsertionPointToEnd(&block);
  // What is stored has all coordinates of the operand; the first such tensor is
  // the one.
  SmallVector<Value> operands;
  std::optional<size_t> stored;
  auto leaf = [&](Value tensor,
                  ArrayRef<int64_t> coordinates) -> FailureOr<Value> {
    Operation *definition = tensor.getDefiningOp();
    if (definition && isElementwise(definition))
      return Value();
    if (definition && (isa<tensor::EmptyOp>(definition) ||
                       matchPattern(definition, m_Constant()))) {
      reason = "it reads a constant tensor, or one that is not initialised";
      return failure();
    }
    Value operand = asFusedOperand(builder, tensor, coordinates, rank);
    if (!operand) {
      reason = "a tensor's dimensions are no sub-sequence of the operand's";
      return failure();
    }
    if (operand == tensor && coordinates == ArrayRef(identity) && !stored)
      stored = operands.size();
    operands.push_back(operand);
    return Value(block.addArgument(getElementTypeOrSelf(operand.getType()),
                                   operand.getLoc()));
  };
  bool hasPlaces = false;
  auto index = [&](int64_t) -> Value {
    hasPlaces = true;
    return arith::ConstantIndexOp::create(inner, op.getLoc(), 0);
  };
  ElementwiseEmitter emitter(inner, leaf, index);
  FailureOr<Value> element = emitter.emit(computed, identity);
  if (failed(element)) {
    if (reason.empty())
      reason = emitter.reason().str();
    return {};
  }
  // Another form of a tensor computes nothing.
  if (isa<BlockArgument>(*element) && (*element).getParentBlock() == &block)
    return {};
  if (hasPlaces)
    reason = "it depends on the position";
  else if (!stored)
    reason = "none of the tensors that it reads has all of its dimensions";
  else if (!op.getPrologueOf(isLhs).empty() || op.hasScales() ||
           (op.getPair() && !isLhs))
    reason = "the product has a prologue, a pair or scales already";
  if (!reason.empty())
    return {};
  YieldOp::create(inner, op.getLoc(), *element);

  // The stored element comes first.
  Value source = operands[*stored];
  BlockArgument last = block.getArgument(*stored);
  BlockArgument first = block.insertArgument(0u, last.getType(), last.getLoc());
  block.getArgument(*stored + 1).replaceAllUsesWith(first);
  block.eraseArgument(*stored + 1);
  operands.erase(operands.begin() + *stored);
  op.getPrologueOf(isLhs).takeBody(scratch);
  (isLhs ? op.getLhsMutable() : op.getRhsMutable()).assign(source);
  (isLhs ? op.getCapturedAMutable() : op.getCapturedMutable()).assign(operands);
  return op;
}
