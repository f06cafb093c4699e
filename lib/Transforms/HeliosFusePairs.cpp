// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// helios-fuse: two products of the same left operand whose results meet become
// one product with a pair, whose epilogue computes what both did. Element-wise
// code that joins two products has been fused into the later one by then, which
// takes the other one's result as a fused operand.

#include "HeliosFuse.h"
#include "ScheduleNeeds.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace helios;

/// What keeps a product from taking the other one's right operand as its pair;
/// empty if nothing does.
static StringRef whyNotPaired(MatmulOp first, MatmulOp second) {
  if (first.getPair() || second.getPair())
    return "one of them has a pair already";
  if (first.hasPrologue() || second.hasPrologue())
    return "one of them has a prologue";
  if (!first.getResult().hasOneUse())
    return "the other one's result is used more than once";
  if (first.getRhs().getType() != second.getRhs().getType() ||
      first.getTransposeA() != second.getTransposeA() ||
      first.getTransposeB() != second.getTransposeB())
    return "their operands differ in type or transposition";
  if (first.getAccType() != second.getAccType() ||
      first.getFastAccumulation() != second.getFastAccumulation() ||
      first.getBatchInvariant() != second.getBatchInvariant())
    return "they accumulate in different ways";
  if (first.getResult().getType().getShape() !=
      second.getResult().getType().getShape())
    return "their results differ in shape";
  if (isConstantOperand(first.getRhs()) != isConstantOperand(second.getRhs()))
    return "one right operand is constant, the other one is not";
  return {};
}

/// Clones an epilogue to the end of `block`, without its terminator. Returns
/// what it yields.
static Value cloneEpilogue(MatmulOp op, Block *block, IRMapping &mapping) {
  auto builder = OpBuilder::atBlockEnd(block);
  Block &from = op.getEpilogue().front();
  for (Operation &inner : from.without_terminator())
    builder.clone(inner, mapping);
  return mapping.lookupOrDefault(
      cast<YieldOp>(from.getTerminator()).getValue());
}

static MatmulOp pairUp(MatmulOp first, MatmulOp second) {
  OpBuilder builder(second);
  first.materializeEpilogue(builder);
  second.materializeEpilogue(builder);
  SmallVector<Value> fused(first.getFused());
  for (Value operand : second.getFused())
    if (operand != first.getResult())
      fused.push_back(operand);
  auto op = MatmulOp::create(
      builder, second.getLoc(), second.getResult().getType(), first.getLhs(),
      first.getRhs(), second.getRhs(), fused, ValueRange(), IntegerAttr(),
      first.getTransposeA(), first.getTransposeB(), first.getFastAccumulation(),
      first.getBatchInvariant(), first.getAccType());
  SmallVector<Type> types(2, op.getAccType());
  for (Value operand : fused)
    types.push_back(getElementTypeOrSelf(operand.getType()));
  if (first.epilogueHasIndices() || second.epilogueHasIndices())
    types.append(op.getResult().getType().getRank(), builder.getIndexType());
  Block *block =
      builder.createBlock(&op.getEpilogue(), {}, types,
                          SmallVector<Location>(types.size(), op.getLoc()));

  ArrayRef<BlockArgument> to = op.getFusedArguments();
  IRMapping mapping;
  mapping.map(first.getAccumulatorArguments().front(), block->getArgument(0));
  for (BlockArgument from : first.getFusedArguments()) {
    mapping.map(from, to.front());
    to = to.drop_front();
  }
  for (auto [from, index] :
       llvm::zip(first.getIndexArguments(), op.getIndexArguments()))
    mapping.map(from, index);
  Value other = cloneEpilogue(first, block, mapping);

  mapping.map(second.getAccumulatorArguments().front(), block->getArgument(1));
  for (auto [from, operand] :
       llvm::zip(second.getFusedArguments(), second.getFused())) {
    if (operand == first.getResult()) {
      mapping.map(from, other);
      continue;
    }
    mapping.map(from, to.front());
    to = to.drop_front();
  }
  for (auto [from, index] :
       llvm::zip(second.getIndexArguments(), op.getIndexArguments()))
    mapping.map(from, index);
  Value element = cloneEpilogue(second, block, mapping);
  auto end = OpBuilder::atBlockEnd(block);
  YieldOp::create(end, second.getLoc(), element);
  second.getResult().replaceAllUsesWith(op.getResult());
  second.erase();
  first.erase();
  return op;
}

MatmulOp fuse::makePair(MatmulOp op, std::string &reason) {
  for (Value operand : op.getFused()) {
    auto other = operand.getDefiningOp<MatmulOp>();
    if (!other || other.getLhs() != op.getLhs())
      continue;
    StringRef why = whyNotPaired(other, op);
    if (why.empty())
      return pairUp(other, op);
    reason = why.str();
  }
  return {};
}
