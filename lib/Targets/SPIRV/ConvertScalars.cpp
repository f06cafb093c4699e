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

bool helios::spv::isKnownDivisor(Value divisor) {
  FloatAttr value;
  if (!matchPattern(divisor, m_Constant(&value)) || !value.getType().isF32())
    return false;
  float size = std::abs(value.getValue().convertToFloat());
  return size >= 0x1p-126f && size <= 0x1p126f;
}

namespace {
/// A quotient whose divisor may be beyond 2^126, where that of the instruction
/// is anything (the Vulkan specification's precision of OpFDiv): both are then
/// taken a quarter. What a quarter of the dividend loses is nothing of such a
/// quotient.
struct Divide : OpConversionPattern<arith::DivFOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(arith::DivFOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (!op.getType().isF32() || isKnownDivisor(op.getRhs()))
      return failure();
    Location loc = op.getLoc();
    auto constant = [&](float value) -> Value {
      return spirv::ConstantOp::create(rewriter, loc, op.getType(),
                                       rewriter.getF32FloatAttr(value));
    };
    Value divisor = adaptor.getRhs(),
          isLarge = spirv::FOrdGreaterThanOp::create(
              rewriter, loc, spirv::GLFAbsOp::create(rewriter, loc, divisor),
              constant(0x1p125f)),
          scale = spirv::SelectOp::create(rewriter, loc, isLarge,
                                          constant(0.25f), constant(1));
    rewriter.replaceOpWithNewOp<spirv::FDivOp>(
        op, spirv::FMulOp::create(rewriter, loc, adaptor.getLhs(), scale),
        spirv::FMulOp::create(rewriter, loc, divisor, scale));
    return success();
  }
};
} // namespace

/// What f32 is in f16, as f32: by integers, as drivers say that a value which
/// is converted and converted back is what it was, even where told to be
/// precise.
static Value roundToHalf(ImplicitLocOpBuilder &b, Value value) {
  auto bits = [&](Value x) -> Value {
    return arith::BitcastOp::create(b, b.getI32Type(), x);
  };
  auto number = [&](Value x) -> Value {
    return arith::BitcastOp::create(b, b.getF32Type(), x);
  };
  auto constant = [&](uint32_t x) -> Value {
    return arith::ConstantOp::create(
        b, b.getIntegerAttr(b.getI32Type(), APInt(32, x)));
  };
  auto isAbove = [&](Value x, uint32_t bound) -> Value {
    return arith::CmpIOp::create(b, arith::CmpIPredicate::ugt, x,
                                 constant(bound));
  };
  auto real = [&](float x) -> Value {
    return arith::ConstantOp::create(b, b.getF32FloatAttr(x));
  };
  constexpr uint32_t kInfinite = 0x7f800000, kLargest = 0x477fe000,
                     kSmallestNormal = 0x38800000, kHalf = 0x3f000000;
  Value magnitude = arith::AndIOp::create(b, bits(value), constant(INT32_MAX)),
        sign = arith::XOrIOp::create(b, bits(value), magnitude);
  // To nearest even: the lowest kept bit carries exactly where it must.
  Value odd = arith::AndIOp::create(
      b, arith::ShRUIOp::create(b, magnitude, constant(13)), constant(1));
  Value normal = arith::AddIOp::create(
      b, arith::AddIOp::create(b, magnitude, constant(0xfff)), odd);
  normal = arith::AndIOp::create(b, normal, constant(~0x1fffu));
  // Behind 0.5 there is room for multiples of 2^-24 alone.
  Value multiple = arith::SubIOp::create(
      b, bits(arith::AddFOp::create(b, number(magnitude), real(0.5f))),
      constant(kHalf));
  Value small = bits(arith::MulFOp::create(
      b, arith::UIToFPOp::create(b, b.getF32Type(), multiple), real(0x1p-24f)));
  Value rounded = arith::SelectOp::create(
      b, isAbove(magnitude, kSmallestNormal - 1), normal, small);
  rounded = arith::SelectOp::create(b, isAbove(rounded, kLargest),
                                    constant(kInfinite), rounded);
  rounded = arith::SelectOp::create(b, isAbove(magnitude, kInfinite - 1),
                                    magnitude, rounded);
  return number(arith::OrIOp::create(b, rounded, sign));
}

/// Values that are rounded to f16 and widened again, and needed in f32.
static void writeOutRoundings(spirv::FuncOp function) {
  function.walk([](arith::ExtFOp widened) {
    auto rounded = widened.getIn().getDefiningOp<arith::TruncFOp>();
    if (!rounded || !rounded.getType().isF16() ||
        !rounded.getIn().getType().isF32() || !widened.getType().isF32())
      return;
    ImplicitLocOpBuilder b(widened.getLoc(), widened);
    widened.replaceAllUsesWith(roundToHalf(b, rounded.getIn()));
    widened.erase();
    if (rounded.use_empty())
      rounded.erase();
  });
}

/// What is computed in few bits and widened is not the same as what is computed
/// in more, which drivers that reorder floats would say it is.
static void keepRoundings(spirv::FuncOp function) {
  function.walk([](spirv::FConvertOp widened) {
    Operation *rounded = widened.getOperand().getDefiningOp();
    if (!widened.getOperand().getType().isF16() ||
        !isa_and_nonnull<spirv::FAddOp, spirv::FSubOp, spirv::FMulOp,
                         spirv::FDivOp>(rounded))
      return;
    for (Operation *op : {rounded, widened.getOperation()})
      op->setAttr("no_contraction", UnitAttr::get(op->getContext()));
  });
}

LogicalResult helios::spv::convertScalarOps(spirv::FuncOp function) {
  MLIRContext *ctx = function.getContext();
  writeOutRoundings(function);
  SPIRVTypeConverter converter(conversionTarget(ctx));
  RewritePatternSet patterns(ctx);
  arith::populateArithToSPIRVPatterns(converter, patterns);
  populateMathToSPIRVPatterns(converter, patterns);
  patterns.add<Exp2>(converter, ctx);
  patterns.add<Divide>(converter, ctx, /*benefit=*/2);
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
