// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Scalar ops of a lane's program to SPIR-V, and the clean-up before.

#include "KernelLowering.h"
#include "helios/Targets/MathExpansions.h"
#include "mlir/Conversion/ArithToSPIRV/ArithToSPIRV.h"
#include "mlir/Conversion/MathToSPIRV/MathToSPIRV.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVDialect.h"
#include "mlir/Dialect/SPIRV/IR/TargetAndABI.h"
#include "mlir/Dialect/SPIRV/Transforms/SPIRVConversion.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"

using namespace mlir;
using namespace helios::spv;

/// True for what a memory instruction computes by itself: a pointer, or a
/// constant added to an index. Out of a loop each would hold a register of its
/// own throughout it.
static bool belongsToAccess(Operation *op) {
  APInt constant;
  return isa<spirv::AccessChainOp>(op) ||
         (isa<arith::AddIOp>(op) &&
          matchPattern(op->getOperand(1), m_ConstantInt(&constant)));
}

static void hoistInvariants(LoopLikeOpInterface loop) {
  moveLoopInvariantCode(
      loop.getLoopRegions(),
      [&](Value value, Region *) { return loop.isDefinedOutsideOfLoop(value); },
      [&](Operation *op, Region *) {
        return isMemoryEffectFree(op) && isSpeculatable(op) &&
               !belongsToAccess(op);
      },
      [&](Operation *op, Region *) { loop.moveOutOfLoop(op); });
}

/// Whether an operation may stand anywhere behind its operands. Products keep
/// their place between the loads of their operands, and their order over
/// independent accumulators.
static bool mayMove(Operation &op) {
  return op.getNumRegions() == 0 && !op.use_empty() &&
         !op.hasTrait<OpTrait::ConstantLike>() && isMemoryEffectFree(&op) &&
         !op.hasTrait<OpTrait::IsTerminator>() &&
         !isa<spirv::KHRCooperativeMatrixMulAddOp, math::FmaOp, spirv::IAddOp,
              spirv::IMulOp>(op);
}

/// The side of a branch that alone uses an operation; null if there is none.
static Region *sideThatUses(Operation &op, Block &block) {
  scf::IfOp branch;
  Region *side = nullptr;
  for (Operation *user : op.getUsers()) {
    auto here =
        dyn_cast_if_present<scf::IfOp>(block.findAncestorOpInBlock(*user));
    if (!here || here == user || (branch && branch != here))
      return nullptr;
    branch = here;
    Region &then = here.getThenRegion();
    Region &in =
        then.isAncestor(user->getParentRegion()) ? then : here.getElseRegion();
    if (side && side != &in)
      return nullptr;
    side = &in;
  }
  return side;
}

namespace {
/// Puts what may move of a block before what first uses it.
class Sinking {
public:
  explicit Sinking(Block &block) : block(block) {
    for (Operation &op : block)
      if (mayMove(op))
        waiting.try_emplace(&op, waiting.size());
  }

  void run() {
    auto staying = llvm::make_filter_range(
        llvm::make_pointer_range(block),
        [&](Operation *op) { return !waiting.contains(op); });
    for (Operation *op : llvm::to_vector(staying))
      placeOperands(op);
  }

private:
  /// What `user` waits for, in the order in which it stood.
  SmallVector<Operation *> operandsOf(Operation *user) {
    SmallVector<std::pair<unsigned, Operation *>> numbered;
    user->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        if (auto it = waiting.find(operand.getDefiningOp());
            it != waiting.end())
          numbered.emplace_back(it->second, it->first);
    });
    llvm::sort(numbered);
    return llvm::to_vector(llvm::make_second_range(numbered));
  }

  /// The last ones first, each behind its own. Chains may be long, so no call
  /// stands for each of their links.
  void placeOperands(Operation *user) {
    SmallVector<std::pair<Operation *, SmallVector<Operation *>>> open;
    open.emplace_back(user, operandsOf(user));
    while (!open.empty()) {
      auto &[op, operands] = open.back();
      if (operands.empty()) {
        if (op != user)
          op->moveBefore(user);
        open.pop_back();
        continue;
      }
      Operation *next = operands.pop_back_val();
      if (waiting.erase(next))
        open.emplace_back(next, operandsOf(next));
    }
  }

  Block &block;
  DenseMap<Operation *, unsigned> waiting; ///< numbered as they stood
};
} // namespace

/// Moves what is computed early to where it is first needed, into branches too
/// but not into loops: a value that only the code behind a loop uses would
/// otherwise hold a register throughout the loop.
static void sinkToFirstUse(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (mayMove(op))
      if (Region *side = sideThatUses(op, block))
        op.moveBefore(&side->front(), side->front().begin());
  Sinking(block).run();
  for (Operation &op : block)
    for (Region &region : op.getRegions())
      for (Block &inner : region)
        sinkToFirstUse(inner);
}

LogicalResult helios::spv::optimizeLaneProgram(spirv::FuncOp function) {
  MLIRContext *ctx = function.getContext();
  RewritePatternSet patterns(ctx);
  helios::populateMathSums(patterns);
  helios::populateMathExpansions(patterns);
  arith::populateCeilFloorDivExpandOpsPatterns(patterns);
  // Not those of scf.if: they make selects, which matrices lack.
  scf::ForOp::getCanonicalizationPatterns(patterns, ctx);
  for (RegisteredOperationName name : ctx->getRegisteredOperations())
    if (name.getDialectNamespace() == "arith" ||
        name.getDialectNamespace() == "math")
      name.getCanonicalizationPatterns(patterns, ctx);
  if (failed(applyPatternsGreedily(function, std::move(patterns))))
    return function.emitError("simplification of the kernel did not end");
  IRRewriter rewriter(ctx);
  auto shareCommon = [&] {
    DominanceInfo dominance(function);
    eliminateCommonSubExpressions(rewriter, dominance, function);
  };
  shareCommon();
  function.walk([](LoopLikeOpInterface loop) { hoistInvariants(loop); });
  shareCommon();
  for (Block &block : function.getBody())
    sinkToFirstUse(block);
  return success();
}

/// Everything that types of a lane's program may need to be converted as they
/// are; what is used is found afterwards.
static spirv::TargetEnvAttr conversionTarget(MLIRContext *ctx) {
  spirv::Capability capabilities[] = {
      spirv::Capability::Shader,         spirv::Capability::Float16,
      spirv::Capability::Int16,          spirv::Capability::Int8,
      spirv::Capability::Int64,          spirv::Capability::Float64,
      spirv::Capability::GroupNonUniform};
  auto triple = spirv::VerCapExtAttr::get(spirv::Version::V_1_3, capabilities,
                                          ArrayRef<spirv::Extension>(), ctx);
  return spirv::TargetEnvAttr::get(triple, spirv::getDefaultResourceLimits(ctx),
                                   spirv::ClientAPI::Vulkan);
}

namespace {
/// 2^x with the instruction's error; others were written out.
struct Exp2 : OpConversionPattern<math::Exp2Op> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(math::Exp2Op op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<spirv::GLExp2Op>(op, adaptor.getOperand());
    return success();
  }
};

/// A maximum that need not hand NaN on is one instruction.
struct MaximumOfNumbers : OpConversionPattern<arith::MaximumFOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(arith::MaximumFOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (!bitEnumContainsAll(op.getFastmath(), arith::FastMathFlags::nnan))
      return failure();
    rewriter.replaceOpWithNewOp<spirv::GLFMaxOp>(op, adaptor.getLhs(),
                                                 adaptor.getRhs());
    return success();
  }
};
} // namespace

/// A value that is rounded and widened again is not the same as before, which
/// drivers that reorder floats would say it is.
static void keepRoundings(spirv::FuncOp function) {
  function.walk([](spirv::FConvertOp widened) {
    auto rounded = widened.getOperand().getDefiningOp<spirv::FConvertOp>();
    if (!rounded)
      return;
    for (Operation *op : {rounded.getOperation(), widened.getOperation()})
      op->setAttr("no_contraction", UnitAttr::get(op->getContext()));
  });
}

LogicalResult helios::spv::convertScalarOps(spirv::FuncOp function) {
  MLIRContext *ctx = function.getContext();
  SPIRVTypeConverter converter(conversionTarget(ctx));
  RewritePatternSet patterns(ctx);
  arith::populateArithToSPIRVPatterns(converter, patterns);
  populateMathToSPIRVPatterns(converter, patterns);
  patterns.add<Exp2>(converter, ctx);
  patterns.add<MaximumOfNumbers>(converter, ctx, /*benefit=*/2);
  ConversionTarget target(*ctx);
  target.addLegalDialect<scf::SCFDialect>();
  // The patterns offer OpenCL's functions beside GLSL's; those need the
  // capability Kernel, which Vulkan lacks.
  target.addDynamicallyLegalDialect<spirv::SPIRVDialect>([](Operation *op) {
    auto query = dyn_cast<spirv::QueryCapabilityInterface>(op);
    return !query ||
           llvm::none_of(query.getCapabilities(),
                         [](ArrayRef<spirv::Capability> anyOf) {
                           return llvm::all_equal(anyOf) && !anyOf.empty() &&
                                  anyOf.front() == spirv::Capability::Kernel;
                         });
  });
  target.addIllegalDialect<arith::ArithDialect, math::MathDialect>();
  if (failed(applyPartialConversion(function, target, std::move(patterns))))
    return failure();
  keepRoundings(function);
  return success();
}
