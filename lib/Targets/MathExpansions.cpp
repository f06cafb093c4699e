// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Functions that GLSL.std.450 lacks, or whose required precision there is too
// low (sin and cos: 2^-11 absolute; asin, acos, atan: 4096 ULP; acosh near 1,
// powers of numbers near 1) or whose domain is too small (powers of negative
// numbers), written out in f32. Polynomials without another source are our own
// weighted minimax fits (Lawson's iteration on Chebyshev nodes); the bound
// beside each is the fit's, before rounding.

#include "helios/Targets/MathExpansions.h"
#include "MathExpr.h"
#include "mlir/IR/PatternMatch.h"
#include <functional>
#include <limits>

using namespace mlir;
using helios::Expr;

namespace {

using P = arith::CmpFPredicate;

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

/// Below 1: x P(x^2), relative error 1.3e-9. Above: 1 - exp(Q(|x|)), Q fitted
/// to log(erfc) on [1, 4] with error 2e-11 in erf; beyond 4 erf is 1. In f32
/// the relative error is below 2e-7. NaN takes the first branch and stays.
Expr erf(Expr x) {
  Expr a = x.abs();
  Expr small =
      x * (x * x).polynomial({1.1283791065216064, -0.3761262595653534,
                              0.1128358542919159, -0.02685382030904293,
                              0.005188341718167067, -0.0008010303718037903,
                              7.854197610868141e-05});
  Expr t = x.select(a.compare(P::OLT, 4.0), a, x.of(4.0));
  Expr q = t.polynomial({0.00018847516912501305, -1.1295803785324097,
                         -0.6332163214683533, -0.1084221675992012,
                         0.025210382416844368, -0.004205300472676754,
                         0.00044147580047138035, -2.1697875126847066e-05});
  Expr large = (x.of(1.0) - q.exp()).withSignOf(x);
  return x.select(a.compare(P::ULT, 1.0), small, large);
}

/// Below 0.625 an odd polynomial (relative error 4e-9), above 1 - 2 /
/// (exp(2|x|) + 1), which is 1 where exp overflows.
Expr tanh(Expr x) {
  Expr a = x.abs();
  Expr small =
      x * (x * x).polynomial({1.0, -0.3333325982093811, 0.13331130146980286,
                              -0.05372120067477226, 0.02059132605791092,
                              -0.0056603034026920795});
  Expr large = (x.of(1.0) - x.of(2.0) / ((a + a).exp() + 1.0)).withSignOf(x);
  return x.select(a.compare(P::ULT, 0.625), small, large);
}

/// 2^n for an integral n in [-126, 128], by the bits of the exponent; 128 gives
/// infinity.
Expr powerOfTwo(Expr n) {
  ImplicitLocOpBuilder &b = *n.b;
  Value i = arith::FPToSIOp::create(b, b.getI32Type(), n.value);
  Value biased = arith::AddIOp::create(
      b, i, arith::ConstantOp::create(b, b.getI32IntegerAttr(127)));
  Value bits = arith::ShLIOp::create(
      b, biased, arith::ConstantOp::create(b, b.getI32IntegerAttr(23)));
  return n.wrap(arith::BitcastOp::create(b, b.getF32Type(), bits));
}

/// exp((x - n) ln 2) 2^n with the power in two factors, so that subnormal
/// results are not lost where the device keeps them.
Expr exp2(Expr x) {
  Expr low = x.select(x.compare(P::OLT, -160.0), x.of(-160.0), x);
  Expr t = x.select(x.compare(P::OGT, 160.0), x.of(160.0), low);
  Expr n = t.roundEven(), half = (n * 0.5).floor();
  Expr r = ((t - n) * 0.6931471805599453).exp() * powerOfTwo(half) *
           powerOfTwo(n - half);
  return x.select(x.compare(P::UNO, x), x, r);
}

/// Near zero Taylor's series to x^7 (relative error 4e-8 at 0.35), elsewhere
/// exp(x) - 1.
Expr expm1(Expr x) {
  Expr small = x * x.polynomial({1.0, 1 / 2.0, 1 / 6.0, 1 / 24.0, 1 / 120.0,
                                 1 / 720.0, 1 / 5040.0});
  return x.select(x.abs().compare(P::ULT, 0.35), small, x.exp() - 1.0);
}

/// Near zero 2 atanh(x / (2 + x)) by its series (relative error 3e-9),
/// elsewhere log(1 + x).
Expr log1p(Expr x) {
  Expr s = x.approximatelyOver(x + 2.0), square = s * s;
  // 2s = x - s x: what the quotient's error makes of the sum is small.
  Expr tail =
      s * square * square.polynomial({2 / 3.0, 2 / 5.0, 2 / 7.0, 2 / 9.0});
  Expr small = x + (tail - s * x);
  return x.select(x.abs().compare(P::ULT, 0.3), small, (x + 1.0).log());
}

/// Below 1 Taylor's series to x^9 (relative error 3e-8), above from exp(|x| -
/// ln 2), which overflows only where sinh does.
Expr sinh(Expr x) {
  Expr a = x.abs();
  Expr small = x * (x * x).polynomial(
                       {1.0, 1 / 6.0, 1 / 120.0, 1 / 5040.0, 1 / 362880.0});
  Expr e = (a - 0.6931471805599453).exp();
  return x.select(a.compare(P::ULT, 1.0), small,
                  (e - x.of(0.25) / e).withSignOf(x));
}

Expr asinh(Expr x) {
  Expr a = x.abs(), square = a * a;
  // For large |x| the square overflows: log(2|x|) is then exact.
  Expr small = log1p(a + square / ((square + 1.0).sqrt() + 1.0));
  Expr large = a.log() + 0.6931471805599453;
  return x.select(a.compare(P::ULT, 1e9), small, large).withSignOf(x);
}

Expr atanh(Expr x) { return log1p((x + x) / (x.of(1.0) - x)) * 0.5; }

/// On [0, 1], odd (relative error 1.6e-8).
Expr atanReduced(Expr t) {
  return t * (t * t).polynomial({1.0, -0.33333075046539307, 0.19992627203464508,
                                 -0.14203694462776184, 0.10641097277402878,
                                 -0.07504600286483765, 0.042694784700870514,
                                 -0.01607048138976097, 0.0028503225184977055});
}

Expr atan(Expr x) {
  Expr a = x.abs();
  Value inverted = a.compare(P::OGT, 1.0);
  Expr r = atanReduced(x.select(inverted, x.of(1.0) / a, a));
  return x.select(inverted, x.of(1.5707963267948966) - r, r).withSignOf(x);
}

/// Quadrants from the signs; 0/0 and inf/inf as IEEE 754 says; NaN stays.
Expr atan2(Expr y, Expr x) {
  Expr ax = x.abs(), ay = y.abs();
  Value steep = ay.compare(P::OGT, ax);
  Expr low = x.select(steep, ax, ay), high = x.select(steep, ay, ax);
  Expr quotient = x.select(low.compare(P::OEQ, high), x.of(1.0), low / high);
  Expr t = x.select(high.compare(P::OEQ, 0.0), x.of(0.0), quotient);
  Expr r = atanReduced(t);
  r = x.select(steep, x.of(1.5707963267948966) - r, r);
  Value negative = x.of(1.0).withSignOf(x).compare(P::OLT, 0.0);
  r = x.select(negative, x.of(3.141592653589793) - r, r).withSignOf(y);
  return x.select(x.compare(P::UNO, y), x + y, r);
}

Expr asin(Expr x) { return atan2(x, ((x.of(1.0) - x) * (x + 1.0)).sqrt()); }
Expr acos(Expr x) { return atan2(((x.of(1.0) - x) * (x + 1.0)).sqrt(), x); }

/// sin (shift 0) and cos (shift 1) by reduction modulo pi/2. The three parts of
/// pi/2 are Cephes' (sinf.c) doubled: products with a quadrant number below
/// 2^13 are exact. Relative errors of the polynomials on [0, pi/4]: 4e-9 and
/// 1e-10.
Expr sinOrCos(Expr x, int shift) {
  ImplicitLocOpBuilder &b = *x.b;
  Expr n = (x * 0.6366197723675814).roundEven();
  Expr r = ((x - n * 1.5703125) - n * 4.837512969970703125e-4) -
           n * 7.549789948768648e-8;
  Expr square = r * r;
  Expr sine =
      r * square.polynomial({1.0, -0.16666650772094727, 0.008332017809152603,
                             -0.00019501917995512486});
  Expr cosine =
      square.polynomial({1.0, -0.5, 0.04166661202907562, -0.0013886530650779605,
                         2.4372764528379776e-05});
  Value quadrant = arith::FPToSIOp::create(b, b.getI32Type(), n.value);
  auto constant = [&](int c) -> Value {
    return arith::ConstantOp::create(b, b.getI32IntegerAttr(c));
  };
  quadrant = arith::AddIOp::create(b, quadrant, constant(shift));
  auto bit = [&](int c) -> Value {
    Value masked = arith::AndIOp::create(b, quadrant, constant(c));
    return arith::CmpIOp::create(b, arith::CmpIPredicate::ne, masked,
                                 constant(0));
  };
  Expr result = x.select(bit(1), cosine, sine);
  return x.select(bit(2), x.of(0.0) - result, result);
}

/// exp2(log2(|x|) / 3) and one step of Newton's iteration; 0 and infinity are
/// their own roots.
Expr cbrt(Expr x) {
  Expr a = x.abs();
  Expr y = (a.log() * (1 / 3.0)).exp();
  y = y - (y - a / (y * y)) * (1 / 3.0);
  Value own = arith::OrIOp::create(*x.b, a.compare(P::OEQ, 0.0),
                                   a.compare(P::OEQ, kInfinity));
  return x.select(own, x, y.withSignOf(x));
}

/// exp(|x| - ln 2) overflows only where cosh does.
Expr cosh(Expr x) {
  Expr e = (x.abs() - 0.6931471805599453).exp();
  return e + x.of(0.25) / e;
}

Expr acosh(Expr x) {
  Expr t = x - 1.0;
  // For large x the square overflows: log(2x) is then exact.
  Expr small = log1p(t + (t * (t + 2.0)).sqrt());
  Expr large = x.log() + 0.6931471805599453;
  Expr result = x.select(x.compare(P::OLT, 1e9), small, large);
  return x.select(x.compare(P::ULT, 1.0), x.of(kNaN), result);
}

/// Chebyshev's fit of Press et al., Numerical Recipes, section 6.2: relative
/// error 1.2e-7 for positive x. The exponential is taken in two factors, so
/// that the error stays relative, and where a multiply-add rounds once what the
/// square lost is made up for (elsewhere that costs up to 5e-6); beyond 12 erfc
/// is below the smallest number.
Expr erfc(Expr x) {
  Expr a = x.abs();
  a = x.select(a.compare(P::OGT, 12.0), x.of(12.0), a);
  Expr t = x.of(1.0) / (a * 0.5 + 1.0);
  Expr p = t.polynomial({-1.26551223, 1.00002368, 0.37409196, 0.09678418,
                         -0.18628806, 0.27886807, -1.13520398, 1.48851587,
                         -0.82215223, 0.17087277});
  Expr square = a * a, zero = x.of(0.0);
  Expr lost = x.wrap(
      math::FmaOp::create(*x.b, a.value, a.value, (zero - square).value));
  Expr r = t * p.exp() * (zero - square).exp() * (x.of(1.0) - lost);
  return x.select(x.compare(P::OLT, 0.0), x.of(2.0) - r, r);
}

/// log2 of a positive number. Between 1/2 and 2, where instructions of
/// GLSL.std.450 are accurate to 2^-21 absolutely, 2 atanh((a - 1) / (a + 1)) by
/// its series (relative error 2e-9), of a, 2a or a/2, whichever is within a
/// factor of sqrt(2) of 1.
Expr log2(Expr a) {
  Value isLow = a.compare(P::OLT, 0.7071067811865475),
        isHigh = a.compare(P::OGT, 1.4142135623730951);
  Expr near = a.select(isLow, a * 2.0, a.select(isHigh, a * 0.5, a));
  Expr exponent =
      a.select(isLow, a.of(-1.0), a.select(isHigh, a.of(1.0), a.of(0.0)));
  Expr s = (near - 1.0) / (near + 1.0);
  Expr series =
      s * (s * s).polynomial({2.0, 2 / 3.0, 2 / 5.0, 2 / 7.0, 2 / 9.0});
  Value isFar = arith::OrIOp::create(*a.b, a.compare(P::OLT, 0.5),
                                     a.compare(P::UGT, 2.0));
  return a.select(isFar, a.wrap(math::Log2Op::create(*a.b, a.value)),
                  series * 1.4426950408889634 + exponent);
}

/// |x|^y, of which the sign is another matter: 1 where either says so, and 0 or
/// infinity of 0, of which GLSL.std.450 promises no logarithm.
Expr magnitudeOfPower(Expr x, Expr y) {
  ImplicitLocOpBuilder &b = *x.b;
  Expr a = x.abs();
  Expr power = x.wrap(math::Exp2Op::create(b, (y * log2(a)).value));
  Expr ofZero = x.select(y.compare(P::OLT, 0.0), x.of(kInfinity),
                         x.select(y.compare(P::OGT, 0.0), x.of(0.0), y));
  power = x.select(a.compare(P::OEQ, 0.0), ofZero, power);
  Value sameSign =
      arith::AndIOp::create(b, a.compare(P::OEQ, 1.0), y.compare(P::ORD, y));
  Value isOne = arith::OrIOp::create(
      b, arith::OrIOp::create(b, sameSign, x.compare(P::OEQ, 1.0)),
      y.compare(P::OEQ, 0.0));
  return x.select(isOne, x.of(1.0), power);
}

/// As C's pow: integers may be powers of negative numbers, other numbers of
/// finite ones give NaN.
Expr powf(Expr x, Expr y) {
  ImplicitLocOpBuilder &b = *x.b;
  Expr power = magnitudeOfPower(x, y);
  Value isInteger = y.floor().compare(P::OEQ, y);
  Value halfIsNot = (y * 0.5).floor().compare(P::UNE, y * 0.5);
  Value isOdd = arith::AndIOp::create(b, isInteger, halfIsNot);
  power = x.select(isOdd, power.withSignOf(x), power);
  Value isNegative = arith::AndIOp::create(b, x.compare(P::OLT, 0.0),
                                           x.compare(P::OGT, -kInfinity));
  Value isRoot =
      arith::AndIOp::create(b, isNegative, y.floor().compare(P::ONE, y));
  return x.select(isRoot, x.of(kNaN), power);
}

/// The same of an integer, whose parity a float may have lost.
Expr fpowi(Expr x, Value n) {
  ImplicitLocOpBuilder &b = *x.b;
  Type type = n.getType();
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(b, b.getIntegerAttr(type, value));
  };
  Expr y = x.wrap(arith::SIToFPOp::create(b, x.value.getType(), n));
  Expr power = magnitudeOfPower(x, y);
  Value isOdd = arith::CmpIOp::create(b, arith::CmpIPredicate::ne,
                                      arith::AndIOp::create(b, n, constant(1)),
                                      constant(0));
  return x.select(isOdd, power.withSignOf(x), power);
}

Expr trunc(Expr x) { return x.abs().floor().withSignOf(x); }

/// What MathSums.cpp leaves to an instruction of the target.
bool isApproximate(Operation *op) {
  auto exp2 = dyn_cast<math::Exp2Op>(op);
  return exp2 &&
         bitEnumContainsAll(exp2.getFastmath(), arith::FastMathFlags::afn);
}

struct Expansion : RewritePattern {
  using Function = std::function<Expr(ArrayRef<Expr>)>;
  Expansion(StringRef name, Function function, MLIRContext *context)
      : RewritePattern(name, 1, context), function(std::move(function)) {}

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    if (!op->getResult(0).getType().isF32() || isApproximate(op))
      return failure();
    ImplicitLocOpBuilder b(op->getLoc(), rewriter);
    SmallVector<Expr> operands;
    for (Value operand : op->getOperands())
      operands.push_back({&b, operand});
    rewriter.replaceOp(op, function(operands).value);
    return success();
  }
  Function function;
};

/// What the magnitude says of a number.
template <typename Op, P predicate>
struct Classification : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    if (!op.getOperand().getType().isF32())
      return failure();
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    rewriter.replaceOp(
        op, Expr{&b, op.getOperand()}.abs().compare(predicate, kInfinity));
    return success();
  }
};

} // namespace

void helios::populateMathExpansions(RewritePatternSet &patterns) {
  MLIRContext *context = patterns.getContext();
  auto unary = [&](StringRef name, Expr (*function)(Expr)) {
    patterns.add<Expansion>(
        name, [=](ArrayRef<Expr> in) { return function(in[0]); }, context);
  };
  unary("math.erf", erf);
  unary("math.tanh", tanh);
  unary("math.exp2", exp2);
  unary("math.expm1", expm1);
  unary("math.log1p", log1p);
  unary("math.sinh", sinh);
  unary("math.asinh", asinh);
  unary("math.atanh", atanh);
  unary("math.atan", atan);
  unary("math.asin", asin);
  unary("math.acos", acos);
  unary("math.cbrt", cbrt);
  unary("math.cosh", cosh);
  unary("math.acosh", acosh);
  unary("math.erfc", erfc);
  unary("math.trunc", trunc);
  patterns.add<Expansion>(
      "math.sin", [](ArrayRef<Expr> in) { return sinOrCos(in[0], 0); },
      context);
  patterns.add<Expansion>(
      "math.cos", [](ArrayRef<Expr> in) { return sinOrCos(in[0], 1); },
      context);
  patterns.add<Expansion>(
      "math.tan",
      [](ArrayRef<Expr> in) { return sinOrCos(in[0], 0) / sinOrCos(in[0], 1); },
      context);
  patterns.add<Expansion>(
      "math.atan2", [](ArrayRef<Expr> in) { return atan2(in[0], in[1]); },
      context);
  patterns.add<Expansion>(
      "math.powf", [](ArrayRef<Expr> in) { return powf(in[0], in[1]); },
      context);
  patterns.add<Expansion>(
      "math.fpowi", [](ArrayRef<Expr> in) { return fpowi(in[0], in[1].value); },
      context);
  patterns.add<Classification<math::IsInfOp, P::OEQ>,
               Classification<math::IsFiniteOp, P::OLT>>(context);
}
