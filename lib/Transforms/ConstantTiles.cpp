// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// tile-split-masked-ranges: what is left of a mask that holds everywhere.

#include "ConstantTiles.h"
#include "helios/Dialect/Tile/IR/Tile.h"

using namespace mlir;
using namespace helios::tile;

/// The one element of a tile, or null.
static Attribute elementOf(Value tile) {
  SplatElementsAttr splat;
  if (isa<RankedTensorType>(tile.getType()) &&
      matchPattern(tile, m_Constant(&splat)) && splat)
    return splat.getSplatValue<Attribute>();
  return {};
}

static void replaceWithSplat(PatternRewriter &rewriter, Operation *op,
                             Attribute element) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  rewriter.replaceOpWithNewOp<arith::ConstantOp>(
      op, type, DenseElementsAttr::get(type, element));
}

namespace {

struct ExpandConstant : OpRewritePattern<ExpandOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ExpandOp op,
                                PatternRewriter &rewriter) const override {
    Attribute element = elementOf(op.getSource());
    if (!element)
      return failure();
    replaceWithSplat(rewriter, op, element);
    return success();
  }
};

/// Through memory, too.
struct ConvertConstant : OpRewritePattern<ConvertLayoutOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ConvertLayoutOp op,
                                PatternRewriter &rewriter) const override {
    LayoutAttrInterface to = getLayout(op.getType());
    Value source = op.getTile();
    if (auto before = source.getDefiningOp<ConvertLayoutOp>())
      source = before.getTile();
    Attribute element = elementOf(source);
    if (!element || !to || to.isMemory())
      return failure();
    replaceWithSplat(rewriter, op, element);
    return success();
  }
};

struct MapOfConstant : OpRewritePattern<MapOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(MapOp op,
                                PatternRewriter &rewriter) const override {
    for (auto [i, input] : llvm::enumerate(op.getInputs())) {
      Attribute element = elementOf(input);
      if (!element)
        continue;
      BlockArgument argument = op.getBody().getArgument(i);
      rewriter.setInsertionPointToStart(&op.getBody().front());
      Value scalar = arith::ConstantOp::create(rewriter, op.getLoc(),
                                               cast<TypedAttr>(element));
      rewriter.modifyOpInPlace(op, [&] {
        rewriter.replaceAllUsesWith(argument, scalar);
        op.getBody().eraseArgument(i);
        op.getInputsMutable().erase(i);
      });
      return success();
    }
    return failure();
  }
};

/// A map that hands on what it takes.
struct MapOfNothing : OpRewritePattern<MapOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(MapOp op,
                                PatternRewriter &rewriter) const override {
    SmallVector<Value> values;
    for (auto [yielded, result] :
         llvm::zip(op.getBody().front().getTerminator()->getOperands(),
                   op.getResults())) {
      auto argument = dyn_cast<BlockArgument>(yielded);
      if (!argument || argument.getOwner() != &op.getBody().front())
        return failure();
      Value input = op.getInputs()[argument.getArgNumber()];
      if (input.getType() != result.getType())
        return failure();
      values.push_back(input);
    }
    rewriter.replaceOp(op, values);
    return success();
  }
};

} // namespace

void helios::tile::populateConstantTiles(RewritePatternSet &patterns) {
  patterns.add<ExpandConstant, ConvertConstant, MapOfConstant, MapOfNothing>(
      patterns.getContext());
}
