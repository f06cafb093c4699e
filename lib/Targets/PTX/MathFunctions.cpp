// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Exponentials and logarithms of f32. The unit for 2^x is accurate to 2 ULP on
// all of its range (results below the smallest normal number are zero); the
// rest is arithmetic around it.

#include "KernelLowering.h"

using namespace mlir;
using namespace helios::ptx;

namespace {

class F32Builder : public ImplicitLocOpBuilder {
public:
  using ImplicitLocOpBuilder::ImplicitLocOpBuilder;
  Value f(double c) {
    return arith::ConstantOp::create(*this, getF32FloatAttr(c));
  }
  Value i(int64_t c) {
    return arith::ConstantOp::create(*this, getI32IntegerAttr(c));
  }
  Value add(Value x, Value y) { return arith::AddFOp::create(*this, x, y); }
  Value sub(Value x, Value y) { return arith::SubFOp::create(*this, x, y); }
  Value mul(Value x, Value y) { return arith::MulFOp::create(*this, x, y); }
  Value fma(Value x, Value y, Value z) {
    return math::FmaOp::create(*this, x, y, z);
  }
  Value compare(arith::CmpFPredicate p, Value x, double c) {
    return arith::CmpFOp::create(*this, p, x, f(c));
  }
  Value select(Value condition, Value x, Value y) {
    return arith::SelectOp::create(*this, condition, x, y);
  }
  Value exp2(Value x) { return call("llvm.nvvm.ex2.approx.ftz.f32", x); }
  Value reciprocal(Value x) { return call("llvm.nvvm.rcp.approx.ftz.f", x); }

private:
  Value call(StringRef name, Value x) {
    return LLVM::CallIntrinsicOp::create(*this, getF32Type(),
                                         getStringAttr(name), ValueRange{x})
        .getResult(0);
  }
};

using P = arith::CmpFPredicate;

/// 2^(x log2 e): what rounding the product loses is multiplied in afterwards,
/// where the result is finite.
Value expandExp(F32Builder &b, Value x) {
  Value log2e = b.f(1.4426950408889634);
  Value high = b.mul(x, log2e);
  Value low = b.fma(x, log2e, arith::NegFOp::create(b, high));
  low = b.fma(x, b.f(1.925963033500309e-08), low);
  Value result = b.exp2(high);
  Value corrected = b.fma(result, b.mul(low, b.f(0.6931471805599453)), result);
  Value finite = b.compare(P::OLT, math::AbsFOp::create(b, high), 127.0);
  return b.select(finite, corrected, result);
}

/// The exponent of x and the logarithm of its mantissa in [sqrt(1/2), sqrt(2)):
/// 2 atanh((m - 1) / (m + 1)) as a series, truncated at 3e-9. x is positive.
std::pair<Value, Value> splitLog(F32Builder &b, Value x) {
  Type i32 = b.getI32Type();
  // Numbers below the smallest normal one are scaled up first.
  Value tiny = b.compare(P::OLT, x, 1.1754943508222875e-38);
  Value scaled = b.select(tiny, b.mul(x, b.f(8388608.0)), x);
  Value bits = arith::BitcastOp::create(b, i32, scaled);
  // 0x3f3504f3 is sqrt(1/2).
  Value shifted = arith::SubIOp::create(b, bits, b.i(0x3f3504f3));
  Value exponent = arith::ShRSIOp::create(b, shifted, b.i(23));
  Value mantissaBits = arith::SubIOp::create(
      b, bits, arith::ShLIOp::create(b, exponent, b.i(23)));
  Value m = arith::BitcastOp::create(b, b.getF32Type(), mantissaBits);
  Value e = arith::SIToFPOp::create(b, b.getF32Type(), exponent);
  e = b.select(tiny, b.sub(e, b.f(23.0)), e);
  Value r = b.sub(m, b.f(1.0));
  // What the error of the quotient makes of the sum below is small.
  Value t = arith::DivFOp::create(b, r, b.add(m, b.f(1.0)),
                                  arith::FastMathFlags::afn);
  Value square = b.mul(t, t);
  Value sum = b.f(2.0 / 9);
  for (double c : {2.0 / 7, 2.0 / 5, 2.0 / 3})
    sum = b.fma(sum, square, b.f(c));
  // 2t = r - t r: r is exact, so that the sum begins with an exact number.
  Value tail = b.mul(b.mul(square, sum), t);
  Value log = b.add(r, b.sub(tail, b.mul(t, r)));
  return {e, log};
}

/// Zero, infinity, negative numbers and NaN.
Value withSpecialCases(F32Builder &b, Value x, Value result) {
  double infinity = std::numeric_limits<double>::infinity();
  result = b.select(b.compare(P::OEQ, x, infinity), x, result);
  result = b.select(b.compare(P::OEQ, x, 0.0), b.f(-infinity), result);
  return b.select(b.compare(P::ULT, x, 0.0),
                  b.f(std::numeric_limits<double>::quiet_NaN()), result);
}

Value expandLog(F32Builder &b, Value x) {
  auto [e, m] = splitLog(b, x);
  // ln 2 in two parts; the first has few bits, so its product is exact.
  Value result =
      b.add(b.mul(e, b.f(0.693359375)), b.fma(e, b.f(-2.12194440e-4), m));
  return withSpecialCases(b, x, result);
}
Value expandLog2(F32Builder &b, Value x) {
  auto [e, m] = splitLog(b, x);
  return withSpecialCases(b, x, b.fma(m, b.f(1.4426950408889634), e));
}
Value expandLog10(F32Builder &b, Value x) {
  auto [e, m] = splitLog(b, x);
  Value result =
      b.fma(e, b.f(0.30102999566398120), b.mul(m, b.f(0.43429448190325182)));
  return withSpecialCases(b, x, result);
}

/// Quotients that may be approximate, or products with the reciprocal: the unit
/// for 1 / x is accurate to 1 ULP. Where the divisor is the same for all
/// elements, it is inverted once.
struct ApproximateQuotient : OpRewritePattern<arith::DivFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::DivFOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.getType().isF32() ||
        !bitEnumContainsAny(op.getFastmath(), arith::FastMathFlags::afn |
                                                  arith::FastMathFlags::arcp))
      return failure();
    F32Builder b(op.getLoc(), rewriter);
    Value reciprocal = b.reciprocal(op.getRhs());
    rewriter.replaceOp(op, b.mul(op.getLhs(), reciprocal));
    return success();
  }
};

/// A signed byte to a float without the unit for conversions, which takes a
/// quarter of the lanes at once: plus 128 it is the low bits of the significand
/// of a number whose unit in the last place is one. Every step is exact.
struct ByteToFloat : OpRewritePattern<arith::SIToFPOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::SIToFPOp op,
                                PatternRewriter &rewriter) const override {
    Type type = op.getType();
    if (!op.getIn().getType().isInteger(8) || !(type.isF16() || type.isF32()))
      return failure();
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Type word = b.getIntegerType(type.getIntOrFloatBitWidth());
    auto integer = [&](Type of, int64_t value) -> Value {
      return arith::ConstantOp::create(
          b, b.getIntegerAttr(of, APInt(of.getIntOrFloatBitWidth(), value)));
    };
    int64_t significand = cast<FloatType>(type).getFPMantissaWidth();
    double base = double(int64_t(1) << (significand - 1));
    APFloat bits(base);
    bool lost;
    bits.convert(cast<FloatType>(type).getFloatSemantics(),
                 APFloat::rmNearestTiesToEven, &lost);
    Value positive = arith::XOrIOp::create(b, op.getIn(),
                                           integer(op.getIn().getType(), 0x80));
    Value whole = arith::OrIOp::create(
        b, arith::ExtUIOp::create(b, word, positive),
        integer(word, bits.bitcastToAPInt().getZExtValue()));
    rewriter.replaceOpWithNewOp<arith::SubFOp>(
        op, arith::BitcastOp::create(b, type, whole),
        arith::ConstantOp::create(b, b.getFloatAttr(type, base + 128)));
    return success();
  }
};

/// A bf16 of a word to a float, which it is the upper half of: one operation on
/// the word. Taken out of the word first, the upper one would cost two.
struct HalfOfWordToFloat : OpRewritePattern<arith::ExtFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::ExtFOp op,
                                PatternRewriter &rewriter) const override {
    auto extract = op.getIn().getDefiningOp<LLVM::ExtractElementOp>();
    auto pair = extract ? extract.getVector().getDefiningOp<LLVM::BitcastOp>()
                        : LLVM::BitcastOp();
    APInt half;
    if (!pair || !op.getIn().getType().isBF16() || !op.getType().isF32() ||
        !pair.getArg().getType().isInteger(32) ||
        !matchPattern(extract.getPosition(), m_ConstantInt(&half)))
      return failure();
    F32Builder b(op.getLoc(), rewriter);
    Value word = pair.getArg(),
          bits = half.isZero()
                     ? Value(arith::ShLIOp::create(b, word, b.i(16)))
                     : Value(arith::AndIOp::create(b, word, b.i(-65536)));
    rewriter.replaceOpWithNewOp<arith::BitcastOp>(op, op.getType(), bits);
    return success();
  }
};

/// The unit for tanh: relative error 2^-10.98 (PTX ISA, tanh.approx).
struct ApproximateTanh : OpRewritePattern<math::TanhOp> {
  ApproximateTanh(MLIRContext *context)
      : OpRewritePattern(context, /*benefit=*/2) {}
  LogicalResult matchAndRewrite(math::TanhOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.getType().isF32() ||
        !bitEnumContainsAll(op.getFastmath(), arith::FastMathFlags::afn))
      return failure();
    rewriter.replaceOpWithNewOp<LLVM::TanhOp>(op, op.getOperand(),
                                              LLVM::FastmathFlags::afn);
    return success();
  }
};

struct Function : RewritePattern {
  using Body = Value (*)(F32Builder &, Value);
  Function(StringRef name, Body body, MLIRContext *context)
      : RewritePattern(name, /*benefit=*/2, context), body(body) {}

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    if (!op->getResult(0).getType().isF32())
      return failure();
    F32Builder b(op->getLoc(), rewriter);
    rewriter.replaceOp(op, body(b, op->getOperand(0)));
    return success();
  }
  Body body;
};

} // namespace

void helios::ptx::populateMathFunctions(RewritePatternSet &patterns) {
  MLIRContext *context = patterns.getContext();
  patterns.add<Function>(
      "math.exp2", [](F32Builder &b, Value x) { return b.exp2(x); }, context);
  patterns.add<ApproximateQuotient, ApproximateTanh, ByteToFloat,
               HalfOfWordToFloat>(context);
  patterns.add<Function>("math.exp", expandExp, context);
  patterns.add<Function>("math.log", expandLog, context);
  patterns.add<Function>("math.log2", expandLog2, context);
  patterns.add<Function>("math.log10", expandLog10, context);
}
