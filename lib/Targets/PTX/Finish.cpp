// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A lane's program to llvm and nvvm ops alone.

#include "KernelLowering.h"
#include "helios/Targets/MathExpansions.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace helios::ptx;

static void eliminateCommon(gpu::GPUModuleOp module) {
  IRRewriter rewriter(module.getContext());
  DominanceInfo dominance(module);
  eliminateCommonSubExpressions(rewriter, dominance, module);
}

static void simplify(gpu::GPUModuleOp module) {
  MLIRContext *ctx = module.getContext();
  RewritePatternSet patterns(ctx);
  arith::populateCeilFloorDivExpandOpsPatterns(patterns);
  populateMathFunctions(patterns);
  helios::populateMathSums(patterns);
  helios::populateMathExpansions(patterns);
  scf::ForOp::getCanonicalizationPatterns(patterns, ctx);
  for (RegisteredOperationName name : ctx->getRegisteredOperations())
    if (llvm::is_contained({"arith", "math", "llvm"},
                           name.getDialectNamespace()))
      name.getCanonicalizationPatterns(patterns, ctx);
  // Blocks are simplified once loops and conditions have become them.
  GreedyRewriteConfig config;
  config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
  // One round is enough, and not being at rest behind it no failure: what is
  // made on the way is visited in the same round, and LLVM folds what is left.
  config.setMaxIterations(1);
  (void)applyPatternsGreedily(module, std::move(patterns), config);
  eliminateCommon(module);
}

/// Loops and conditions to branches. They are few, so only they are visited.
static LogicalResult lowerLoops(gpu::GPUModuleOp module) {
  RewritePatternSet patterns(module.getContext());
  populateSCFToControlFlowConversionPatterns(patterns);
  SmallVector<Operation *> ops;
  module.walk([&](Operation *op) {
    if (isa_and_nonnull<scf::SCFDialect>(op->getDialect()) &&
        op->getNumRegions())
      ops.push_back(op);
  });
  GreedyRewriteConfig config;
  config.setStrictness(GreedyRewriteStrictness::ExistingOps)
      .setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled)
      .enableFolding(false);
  return applyOpPatternsGreedily(ops, std::move(patterns), config);
}

LogicalResult helios::ptx::finishLaneProgram(gpu::GPUModuleOp module,
                                             bool mergesBlocks) {
  MLIRContext *ctx = module.getContext();
  simplify(module);
  if (failed(lowerLoops(module)))
    return failure();
  LowerToLLVMOptions options(ctx);
  options.overrideIndexBitwidth(64);
  LLVMTypeConverter converter(ctx, options);
  RewritePatternSet patterns(ctx);
  arith::populateArithToLLVMConversionPatterns(converter, patterns);
  populateMathToLLVMConversionPatterns(converter, patterns);
  cf::populateControlFlowToLLVMConversionPatterns(converter, patterns);
  ConversionTarget target(*ctx);
  target.addIllegalDialect<arith::ArithDialect, math::MathDialect,
                           cf::ControlFlowDialect>();
  target.addLegalDialect<LLVM::LLVMDialect, NVVM::NVVMDialect>();
  target.addLegalOp<gpu::GPUModuleOp>();
  target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
  if (failed(applyPartialConversion(module, target, std::move(patterns))))
    return failure();
  // Patterns are not tried again: LLVM folds what conversion leaves, and finds
  // what is common.
  if (mergesBlocks) {
    IRRewriter rewriter(ctx);
    (void)simplifyRegions(rewriter, module->getRegions(), /*mergeBlocks=*/true);
  }
  return success();
}
