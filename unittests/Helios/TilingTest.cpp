// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// helios.matmul as seen by upstream tiling: loops over the result, slices of
// the operands, indices from the whole corner.

#include "helios/Dialect/Helios/IR/HeliosOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/TileUsingInterface.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace helios;

namespace {

constexpr const char *kText = R"(
helios.kernel @k(%a: tensor<64x128xf16>, %b: tensor<3x64x256xf16>, %s: tensor<128x1xf32>) -> tensor<3x128x256xf32> {
  %d = helios.matmul %a, %b fused(%s : tensor<128x1xf32>) {transpose_a}
      : (tensor<64x128xf16>, tensor<3x64x256xf16>) -> tensor<3x128x256xf32> acc f32 {
  ^bb0(%x: f32, %r: f32, %z: index, %i: index, %j: index):
    %lower = arith.cmpi uge, %i, %j : index
    %y = arith.mulf %x, %r : f32
    %w = arith.select %lower, %y, %x : f32
    helios.yield %w : f32
  }
  helios.return %d : tensor<3x128x256xf32>
}
)";

/// Loops over tiles of these extents, in front of the product.
FailureOr<scf::SCFTilingResult> tileInLoops(IRRewriter &rewriter, MatmulOp op,
                                            ArrayRef<int64_t> extents) {
  rewriter.setInsertionPoint(op);
  scf::SCFTilingOptions options;
  options.setTileSizes(getAsIndexOpFoldResult(rewriter.getContext(), extents));
  return scf::tileUsingSCF(rewriter, cast<TilingInterface>(op.getOperation()),
                           options);
}

TEST(TilingTest, TilesTheResult) {
  MLIRContext context;
  context.loadDialect<HeliosDialect, scf::SCFDialect>();
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(kText, &context);
  ASSERT_TRUE(module);
  MatmulOp matmul;
  module->walk([&](MatmulOp op) { matmul = op; });
  IRRewriter rewriter(&context);
  FailureOr<scf::SCFTilingResult> result =
      tileInLoops(rewriter, matmul, {1, 16, 32});
  ASSERT_TRUE(succeeded(result));
  rewriter.replaceOp(matmul, result->replacements);
  ASSERT_TRUE(succeeded(verify(*module)));
  ASSERT_EQ(result->loops.size(), 3u);

  auto tiled = cast<MatmulOp>(result->tiledOps.front());
  EXPECT_EQ(tiled.getResult().getType().getShape(),
            ArrayRef<int64_t>({1, 16, 32}));
  // The contracted dimension stays whole, the batch of the right operand alone
  // is sliced, a broadcast dimension keeps 1.
  EXPECT_EQ(tiled.getLhs().getType().getShape(), ArrayRef<int64_t>({64, 16}));
  EXPECT_EQ(tiled.getRhs().getType().getShape(),
            ArrayRef<int64_t>({1, 64, 32}));
  EXPECT_EQ(cast<RankedTensorType>(tiled.getFused()[0].getType()).getShape(),
            ArrayRef<int64_t>({16, 1}));

  // The comparison of indices reads sums of an argument and the induction
  // variable of that dimension's loop.
  arith::CmpIOp compare;
  tiled.getEpilogue().walk([&](arith::CmpIOp op) { compare = op; });
  for (auto [operand, dim] :
       {std::pair(compare.getLhs(), 1), std::pair(compare.getRhs(), 2)}) {
    auto sum = operand.getDefiningOp<arith::AddIOp>();
    ASSERT_TRUE(sum);
    EXPECT_EQ(sum.getLhs(), tiled.getEpilogue().getArgument(2 + dim));
    EXPECT_EQ(
        sum.getRhs(),
        cast<scf::ForOp>(result->loops[dim].getOperation()).getInductionVar());
  }
}

TEST(TilingTest, TilesEveryResult) {
  MLIRContext context;
  context.loadDialect<HeliosDialect, scf::SCFDialect>();
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(R"(
helios.kernel @k(%a: tensor<64x32xf16>, %b: tensor<32x128xf16>) -> (tensor<64x128xf16>, tensor<64x128xf32>) {
  %d, %e = helios.matmul %a, %b : (tensor<64x32xf16>, tensor<32x128xf16>) -> tensor<64x128xf16>, tensor<64x128xf32> acc f32 {
  ^bb0(%x: f32):
    %z = arith.truncf %x : f32 to f16
    helios.yield %z, %x : f16, f32
  }
  helios.return %d, %e : tensor<64x128xf16>, tensor<64x128xf32>
}
)",
                                                             &context);
  ASSERT_TRUE(module);
  MatmulOp matmul;
  module->walk([&](MatmulOp op) { matmul = op; });
  IRRewriter rewriter(&context);
  FailureOr<scf::SCFTilingResult> result =
      tileInLoops(rewriter, matmul, {16, 32});
  ASSERT_TRUE(succeeded(result));
  ASSERT_EQ(result->replacements.size(), 2u);
  rewriter.replaceOp(matmul, result->replacements);
  ASSERT_TRUE(succeeded(verify(*module)));
  auto tiled = cast<MatmulOp>(result->tiledOps.front());
  ASSERT_EQ(tiled->getNumResults(), 2u);
  for (Type type : tiled->getResultTypes())
    EXPECT_EQ(cast<RankedTensorType>(type).getShape(),
              ArrayRef<int64_t>({16, 32}));

  // One result alone, as fusion into a consumer's loop asks for.
  rewriter.setInsertionPoint(tiled);
  SmallVector<OpFoldResult> zeros(2, rewriter.getIndexAttr(0)),
      extents{rewriter.getIndexAttr(8), rewriter.getIndexAttr(8)};
  FailureOr<TilingResult> one =
      cast<TilingInterface>(tiled.getOperation())
          .generateResultTileValue(rewriter, 1, zeros, extents);
  ASSERT_TRUE(succeeded(one));
  ASSERT_EQ(one->tiledValues.size(), 1u);
  EXPECT_TRUE(getElementTypeOrSelf(one->tiledValues[0].getType()).isF32());
}

TEST(TilingTest, SlicesBothOperandsOfAPair) {
  MLIRContext context;
  context.loadDialect<HeliosDialect, scf::SCFDialect>();
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(R"(
helios.kernel @k(%a: tensor<64x32xf16>, %b: tensor<128x32xf16>, %c: tensor<128x32xf16>, %bias: tensor<128xf32>) -> tensor<64x128xf32> {
  %d = helios.matmul %a, %b pair(%c : tensor<128x32xf16>) fused(%bias : tensor<128xf32>) {transpose_b}
      : (tensor<64x32xf16>, tensor<128x32xf16>) -> tensor<64x128xf32> acc f32 {
  ^bb0(%x: f32, %y: f32, %e: f32):
    %p = arith.mulf %x, %y : f32
    %z = arith.addf %p, %e : f32
    helios.yield %z : f32
  }
  helios.return %d : tensor<64x128xf32>
}
)",
                                                             &context);
  ASSERT_TRUE(module);
  MatmulOp matmul;
  module->walk([&](MatmulOp op) { matmul = op; });
  IRRewriter rewriter(&context);
  FailureOr<scf::SCFTilingResult> result =
      tileInLoops(rewriter, matmul, {16, 32});
  ASSERT_TRUE(succeeded(result));
  rewriter.replaceOp(matmul, result->replacements);
  ASSERT_TRUE(succeeded(verify(*module)));
  auto tiled = cast<MatmulOp>(result->tiledOps.front());
  for (Value operand : {Value(tiled.getRhs()), Value(tiled.getPair())})
    EXPECT_EQ(cast<RankedTensorType>(operand.getType()).getShape(),
              ArrayRef<int64_t>({32, 32}));
  EXPECT_NE(tiled.getPair().getDefiningOp<tensor::ExtractSliceOp>().getSource(),
            tiled.getRhs().getDefiningOp<tensor::ExtractSliceOp>().getSource());
  EXPECT_EQ(cast<RankedTensorType>(tiled.getFused()[0].getType()).getShape(),
            ArrayRef<int64_t>({32}));
}

TEST(TilingTest, ReifiesDynamicExtents) {
  MLIRContext context;
  context.loadDialect<HeliosDialect>();
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(R"(
helios.kernel @k(%a: tensor<1x?x?xf16>, %b: tensor<?x?x?xf16>) -> tensor<?x?x?xf16> {
  %d = helios.matmul %a, %b {transpose_a, transpose_b} : (tensor<1x?x?xf16>, tensor<?x?x?xf16>) -> tensor<?x?x?xf16> acc f32
  helios.return %d : tensor<?x?x?xf16>
}
)",
                                                             &context);
  ASSERT_TRUE(module);
  MatmulOp matmul;
  module->walk([&](MatmulOp op) { matmul = op; });
  OpBuilder builder(matmul);
  ReifiedRankedShapedTypeDims shapes;
  ASSERT_TRUE(succeeded(matmul.reifyResultShapes(builder, shapes)));
  ASSERT_EQ(shapes.size(), 1u);
  // The batch comes from the operand that is not broadcast, M from A
  // transposed, N from B transposed.
  std::pair<Value, int64_t> expected[] = {
      {matmul.getRhs(), 0}, {matmul.getLhs(), 2}, {matmul.getRhs(), 1}};
  for (auto [extent, source] : llvm::zip(shapes[0], expected)) {
    auto dim = cast<Value>(extent).getDefiningOp<tensor::DimOp>();
    ASSERT_TRUE(dim);
    EXPECT_EQ(dim.getSource(), source.first);
    EXPECT_EQ(dim.getConstantIndex(), source.second);
  }
}

} // namespace
