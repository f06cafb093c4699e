// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// helios.matmul: canonicalisation.

#include "helios/Dialect/Helios/IR/HeliosOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace helios;

namespace {

/// Drops fused operands that the epilogue does not use, those that are given
/// twice, and indices that nobody uses.
struct DropUnusedOperands : OpRewritePattern<MatmulOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(MatmulOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.hasEpilogue())
      return rewriter.notifyMatchFailure(op, "there is no epilogue");
    Block &block = op.getEpilogue().front();
    llvm::BitVector dead(block.getNumArguments());
    DenseMap<Value, BlockArgument> first;
    for (auto [operand, argument] :
         llvm::zip(op.getFused(), op.getFusedArguments())) {
      if (argument.use_empty())
        dead.set(argument.getArgNumber());
      else if (auto [it, inserted] = first.try_emplace(operand, argument);
               !inserted) {
        rewriter.replaceAllUsesWith(argument, it->second);
        dead.set(argument.getArgNumber());
      }
    }
    unsigned numSums = op.getNumSums();
    ArrayRef<BlockArgument> indices = op.getIndexArguments();
    if (!indices.empty() && llvm::all_of(indices, [](BlockArgument index) {
          return index.use_empty();
        }))
      dead.set(indices.front().getArgNumber(), block.getNumArguments());
    if (dead.none())
      return rewriter.notifyMatchFailure(
          op, "every argument of the epilogue is used");
    rewriter.modifyOpInPlace(op, [&] {
      for (unsigned i = op.getFused().size(); i-- > 0;)
        if (dead.test(numSums + i))
          op.getFusedMutable().erase(i);
      block.eraseArguments(dead);
    });
    return success();
  }
};

/// Drops results that nobody uses, where there are others.
struct DropUnusedResults : OpRewritePattern<MatmulOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(MatmulOp op,
                                PatternRewriter &rewriter) const override {
    if (op->getNumResults() == 1)
      return rewriter.notifyMatchFailure(op, "there is one result");
    SmallVector<OpResult> kept = llvm::filter_to_vector(
        op->getResults(), [](OpResult result) { return !result.use_empty(); });
    // What is combined comes behind a result that is stored.
    if (!kept.empty() && op.getReduction(kept.front().getResultNumber()))
      kept.insert(kept.begin(), op->getResult(0));
    if (kept.empty() || kept.size() == op->getNumResults())
      return rewriter.notifyMatchFailure(op, "all results are used, or none");
    SmallVector<Value> yielded;
    SmallVector<Type> types;
    SmallVector<Attribute> reductions;
    for (OpResult result : kept) {
      if (auto reduction = op.getReduction(result.getResultNumber()))
        reductions.push_back(reduction);
      yielded.push_back(op.getYielded()[result.getResultNumber()]);
      types.push_back(result.getType());
    }
    MatmulOp narrower = op.withResults(rewriter, types, reductions);
    rewriter.inlineRegionBefore(op.getEpilogue(), narrower.getEpilogue(),
                                narrower.getEpilogue().end());
    rewriter.inlineRegionBefore(op.getPrologue(), narrower.getPrologue(),
                                narrower.getPrologue().end());
    rewriter.inlineRegionBefore(op.getPrologueA(), narrower.getPrologueA(),
                                narrower.getPrologueA().end());
    Operation *yield = narrower.getEpilogue().front().getTerminator();
    rewriter.modifyOpInPlace(yield, [&] { yield->setOperands(yielded); });
    SmallVector<Value> replacements(op->getNumResults());
    for (auto [from, to] : llvm::zip(kept, narrower->getResults()))
      replacements[from.getResultNumber()] = to;
    for (Value &value : replacements)
      if (!value)
        value = narrower.getResult();
    rewriter.replaceOp(op, replacements);
    return success();
  }
};

/// Removes an epilogue that only converts the accumulator to the result's
/// element type.
struct DropPlainEpilogue : OpRewritePattern<MatmulOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(MatmulOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.hasEpilogue() || op.getEpilogue().front().getNumArguments() != 1 ||
        op->getNumResults() != 1)
      return rewriter.notifyMatchFailure(
          op, "the epilogue is absent, takes more than the accumulator or has "
              "several results");
    Block &block = op.getEpilogue().front();
    Value value = cast<YieldOp>(block.getTerminator()).getValue();
    if (auto trunc = value.getDefiningOp<arith::TruncFOp>();
        trunc && !trunc.getRoundingmodeAttr())
      value = trunc.getIn();
    else if (auto ext = value.getDefiningOp<arith::ExtFOp>())
      value = ext.getIn();
    if (value != block.getArgument(0))
      return rewriter.notifyMatchFailure(op, "the epilogue computes something");
    rewriter.modifyOpInPlace(op, [&] { rewriter.eraseBlock(&block); });
    return success();
  }
};

/// Folds an explicit transposition of an operand's last two dimensions into the
/// operand's flag.
struct FoldTranspose : OpRewritePattern<MatmulOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(MatmulOp op,
                                PatternRewriter &rewriter) const override {
    Value lhs = source(op.getLhs()), rhs = source(op.getRhs()), pair;
    // Rows of groups are rows as they are stored.
    if (op.isGrouped())
      lhs = {};
    // A flag is of both right operands.
    if (op.getPair()) {
      pair = source(op.getPair());
      if (!pair)
        rhs = {};
    }
    // What a prologue reads beside it would be transposed as well.
    if (!op.getCaptured().empty())
      rhs = {};
    if (!op.getCapturedA().empty())
      lhs = {};
    if (op.hasScales())
      lhs = rhs = {};
    if (!lhs && !rhs)
      return rewriter.notifyMatchFailure(
          op, "no operand is the transposition of its last two dimensions");
    rewriter.modifyOpInPlace(op, [&] {
      if (lhs) {
        op.getLhsMutable().assign(lhs);
        op.setTransposeA(!op.getTransposeA());
      }
      if (rhs) {
        op.getRhsMutable().assign(rhs);
        if (pair)
          op.getPairMutable().assign(pair);
        op.setTransposeB(!op.getTransposeB());
      }
    });
    return success();
  }

private:
  /// What `operand` transposes, or null.
  static Value source(Value operand) {
    auto transpose = operand.getDefiningOp<linalg::TransposeOp>();
    if (!transpose || !isa<RankedTensorType>(transpose.getInput().getType()))
      return {};
    ArrayRef<int64_t> permutation = transpose.getPermutation();
    int64_t rank = permutation.size();
    for (int64_t i = 0; i < rank; ++i) {
      int64_t expected = i < rank - 2 ? i : 2 * rank - 3 - i;
      if (permutation[i] != expected)
        return {};
    }
    return transpose.getInput();
  }
};

} // namespace

void MatmulOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                           MLIRContext *context) {
  patterns.add<DropUnusedOperands, DropUnusedResults, DropPlainEpilogue,
               FoldTranspose>(context);
}
