// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// helios-fuse: two products of the same left operand whose results meet become
// one product with a pair, whose epilogue computes what both did. Element-wise
// code that joins two products has been fused into the later one by then, which
// takes the other one's result as a fused operand.

#include "HeliosFuse.h"
#include "ScheduleNeeds.h"
#include "mlir/Analysis/TopologicalSortUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/OperationSupport.h"

using namespace mlir;
using namespace helios;

/// Whether two products make the left operand, or each its right one, in the
/// same way.
static bool haveSamePrologue(MatmulOp first, MatmulOp second, bool isLhs) {
  Region &of = first.getPrologueOf(isLhs), &other = second.getPrologueOf(isLhs);
  return of.empty() == other.empty() &&
         OperationEquivalence::isRegionEquivalentTo(
             &of, &other, OperationEquivalence::IgnoreLocations);
}

/// What keeps a product from taking the other one's right operand as its pair;
/// empty if nothing does.
static StringRef whyNotPaired(MatmulOp first, MatmulOp second) {
  if (first.getPair() || second.getPair())
    return "one of them has a pair already";
  if (!haveSamePrologue(first, second, /*isLhs=*/true) ||
      first.getCapturedA() != second.getCapturedA())
    return "they make their left operand in different ways";
  if (!haveSamePrologue(first, second, /*isLhs=*/false) ||
      first.getCaptured().getTypes() != second.getCaptured().getTypes() ||
      first.getGroupSize() != second.getGroupSize())
    return "they make their right operands in different ways";
  if (first.getBlocks() != second.getBlocks() ||
      (first.hasScales() && first.getScaleOf(0) != second.getScaleOf(0)))
    return "their blocks or the scales of their left operand differ";
  if (first.getReductions() || second.getReductions())
    return "one of them has reductions";
  llvm::SetVector<Operation *> both;
  both.insert(first);
  both.insert(second);
  if (fuse::hasWayAround(both))
    return "one of them takes what something else makes of the other one's "
           "result";
  if (first.getRhs().getType() != second.getRhs().getType() ||
      first.getTransposeA() != second.getTransposeA() ||
      first.getTransposeB() != second.getTransposeB())
    return "their operands differ in type or transposition";
  if (first.getEnds() != second.getEnds())
    return "their rows belong to different groups";
  if (first.getAccType() != second.getAccType() ||
      first.getFastAccumulation() != second.getFastAccumulation() ||
      first.getBatchInvariant() != second.getBatchInvariant())
    return "they accumulate in different ways";
  if (first.getResult().getType().getShape() !=
      second.getResult().getType().getShape())
    return "their results differ in shape";
  if (isPackedOperand(first.getRhs()) != isPackedOperand(second.getRhs()))
    return "one right operand is constant, the other one is not";
  return {};
}

/// Clones an epilogue to the end of `block`, without its terminator. Returns
/// what it yields.
static SmallVector<Value> cloneEpilogue(MatmulOp op, Block *block,
                                        IRMapping &mapping) {
  auto builder = OpBuilder::atBlockEnd(block);
  Block &from = op.getEpilogue().front();
  for (Operation &inner : from.without_terminator())
    builder.clone(inner, mapping);
  return llvm::map_to_vector(op.getYielded(), [&](Value value) {
    return mapping.lookupOrDefault(value);
  });
}

static MatmulOp pairUp(MatmulOp first, MatmulOp second) {
  OpBuilder builder(second);
  first.materializeEpilogue(builder);
  second.materializeEpilogue(builder);
  SmallVector<Value> fused(first.getFused());
  for (Value operand : second.getFused())
    if (operand.getDefiningOp() != first)
      fused.push_back(operand);
  llvm::SetVector<Operation *> both;
  both.insert(first);
  both.insert(second);
  SmallVector<Value> results(second->getResults());
  SmallVector<Value> others = fuse::resultsUsedBeside(first, both);
  llvm::append_range(results, others);
  SmallVector<Type> resultTypes(ValueRange(results).getTypes());
  SmallVector<Value> captured(first.getCaptured()), scales(first.getScales());
  llvm::append_range(captured, second.getCaptured());
  if (second.hasScales())
    scales.push_back(second.getScaleOf(1));
  auto op = MatmulOp::create(
      builder, second.getLoc(), resultTypes.front(),
      ArrayRef(resultTypes).drop_front(), first.getLhs(), first.getRhs(),
      second.getRhs(), fused, captured, first.getCapturedA(), first.getEnds(),
      scales, first.getGroupAttr(), first.getBlocksAttr(), ArrayAttr(),
      first.getTransposeA(), first.getTransposeB(), first.getFastAccumulation(),
      first.getBatchInvariant(), first.getAccType());
  op.getPrologue().takeBody(first.getPrologue());
  op.getPrologueA().takeBody(first.getPrologueA());
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
  SmallVector<Value> ofFirst = cloneEpilogue(first, block, mapping);

  mapping.map(second.getAccumulatorArguments().front(), block->getArgument(1));
  for (auto [from, operand] :
       llvm::zip(second.getFusedArguments(), second.getFused())) {
    if (operand.getDefiningOp() == first) {
      mapping.map(from, ofFirst[cast<OpResult>(operand).getResultNumber()]);
      continue;
    }
    mapping.map(from, to.front());
    to = to.drop_front();
  }
  for (auto [from, index] :
       llvm::zip(second.getIndexArguments(), op.getIndexArguments()))
    mapping.map(from, index);
  SmallVector<Value> yielded = cloneEpilogue(second, block, mapping);
  for (Value value : others)
    yielded.push_back(ofFirst[cast<OpResult>(value).getResultNumber()]);
  auto end = OpBuilder::atBlockEnd(block);
  YieldOp::create(end, second.getLoc(), yielded);
  for (auto [from, to] : llvm::zip(results, op->getResults()))
    from.replaceAllUsesWith(to);
  second.erase();
  first.erase();
  // What used the first product's result may stand before the pair.
  if (!others.empty())
    sortTopologically(op->getBlock());
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
