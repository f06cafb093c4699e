// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// erf and tanh of f32 whose values only reach sums c + f(x) with |c| >= 1/2.
// Where |f| < 1/4 such a sum is at least 1/4, and where |f| >= 1/4 the value
// itself is a multiple of 2^-26: in either case an absolute error near 2^-23
// changes the last places of the sum alone, so that the branch for small
// arguments, which makes the error relative, is not needed.
//
// A product z (1 + f(k z)), k > 0, asks for less still. With E = 1 - erf(k|z|)
// it is 2z - zE for z > 0 and -|z|E else, hence 2 max(z, 0) - |z| E: neither
// sign nor sum is left, and nothing cancels where z is negative. 1 + tanh(y) is
// 2 / (1 + exp(-2y)), which does not cancel either.
//
// The product may also be written out, as z + z f(k z).
//
// Constants by which arguments and results are multiplied become part of the
// coefficients.

#include "MathExpr.h"
#include "helios/Targets/MathExpansions.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using helios::Expr;

namespace {

std::optional<double> constantOf(Value value) {
  APFloat c(0.0);
  if (!matchPattern(value, m_ConstantFloat(&c)))
    return std::nullopt;
  return c.convertToDouble();
}

/// value * factor.
struct Scaled {
  Value value;
  double factor = 1;

  /// Of a value that is perhaps a product with constants.
  static Scaled get(Value value) {
    Scaled s{value};
    while (auto mul = s.value.getDefiningOp<arith::MulFOp>()) {
      std::optional<double> left = constantOf(mul.getLhs()),
                            right = constantOf(mul.getRhs());
      if (left.has_value() == right.has_value())
        break;
      s.factor *= left ? *left : *right;
      s.value = left ? mul.getRhs() : mul.getLhs();
    }
    return s;
  }

  /// Whether a polynomial's coefficients can hold powers of the factor.
  bool isModerate() const {
    double magnitude = std::fabs(factor);
    return magnitude >= 1 / 256.0 && magnitude <= 256;
  }
};

/// c + sign * f, or constant - f.
struct Sum {
  Operation *op;
  double constant, sign;

  static std::optional<Sum> get(OpOperand &use) {
    Operation *op = use.getOwner();
    unsigned position = use.getOperandNumber();
    if (!isa<arith::AddFOp, arith::SubFOp>(op))
      return std::nullopt;
    std::optional<double> c = constantOf(op->getOperand(1 - position));
    if (!c || std::fabs(*c) < 0.5)
      return std::nullopt;
    Sum sum{op, *c, 1};
    if (isa<arith::SubFOp>(op))
      (position == 0 ? sum.constant : sum.sign) *= -1;
    return sum;
  }
};

/// The product of a sum's value with another and with constants around it.
struct Product {
  Operation *root;
  Scaled other;

  static std::optional<Product> get(Operation *sum) {
    Operation *op = sum;
    double factor = 1;
    while (op->hasOneUse()) {
      OpOperand &use = *op->use_begin();
      auto mul = dyn_cast<arith::MulFOp>(use.getOwner());
      if (!mul)
        break;
      Value other = mul->getOperand(1 - use.getOperandNumber());
      std::optional<double> c = constantOf(other);
      op = mul;
      if (c) {
        factor *= *c;
        continue;
      }
      Scaled scaled = Scaled::get(other);
      scaled.factor *= factor;
      return Product{op, scaled};
    }
    return std::nullopt;
  }
};

/// log2(1 - erf(k|z|)) and |z|, k > 0. a Q(a) was fitted to log2(erfc(a)) with
/// weight erfc(a): largest error in erf 7.8e-8, leaving aside 2^x. It falls
/// until 6.4; at 6, where the argument is cut off, 2^(a Q(a)) is below 2^-47.
/// NaN stays.
struct LogErfc {
  Expr magnitude, log2;

  LogErfc(Expr z, double k, double offset)
      : magnitude(z.wrap(arith::MinimumFOp::create(*z.b, z.abs().value,
                                                   z.of(6.0 / k).value))),
        log2(magnitude) {
    SmallVector<double> q = {-1.6279137315971117,   -0.9183286471027283,
                             -0.14896365882298993,  0.029452499486694806,
                             -0.00230222724360433,  -0.00046157635680193283,
                             0.00010022143085386726};
    double power = 1;
    for (double &c : q)
      c *= power *= k;
    if (offset == 0) {
      log2 = magnitude * magnitude.polynomial(q);
      return;
    }
    q.insert(q.begin(), offset);
    log2 = magnitude.polynomial(q);
  }
};

struct ErfInSum : OpRewritePattern<math::ErfOp> {
  ErfInSum(MLIRContext *context) : OpRewritePattern(context, /*benefit=*/3) {}

  LogicalResult matchAndRewrite(math::ErfOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.getType().isF32() || op->use_empty())
      return failure();
    SmallVector<Sum> sums;
    for (OpOperand &use : op->getUses()) {
      std::optional<Sum> sum = Sum::get(use);
      if (!sum)
        return failure();
      sums.push_back(*sum);
    }
    Scaled z = Scaled::get(op.getOperand());
    if (!z.isModerate())
      z = {op.getOperand()};
    if (sums.size() == 1 && sums[0].constant == 1 && sums[0].sign == 1 &&
        z.factor > 0)
      if (auto product = Product::get(sums[0].op);
          product && product->other.value == z.value) {
        rewriteProduct(*product, z, rewriter);
        return success();
      }
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Expr x{&b, z.value};
    LogErfc e(x, std::fabs(z.factor), 0);
    Expr signedBy =
        z.factor > 0 ? x : x.wrap(arith::NegFOp::create(b, z.value));
    Expr erf = (x.of(1.0) - e.log2.approximateExp2()).withSignOf(signedBy);
    rewriter.replaceOp(op, erf.value);
    return success();
  }

  static void rewriteProduct(const Product &product, Scaled z,
                             PatternRewriter &rewriter) {
    rewriter.setInsertionPoint(product.root);
    ImplicitLocOpBuilder b(product.root->getLoc(), rewriter);
    Expr x{&b, z.value};
    LogErfc e(x, z.factor, -1);
    Value positive = arith::MaximumFOp::create(b, z.value, x.of(0.0).value);
    Value minus = arith::NegFOp::create(b, e.magnitude.value);
    Expr half = x.wrap(math::FmaOp::create(
        b, minus, e.log2.approximateExp2().value, positive));
    double factor = 2 * product.other.factor;
    rewriter.replaceOp(product.root,
                       (factor == 1 ? half : half * factor).value);
  }
};

/// c + tanh(y) = c - 1 + 2 / (1 + exp(-2y)) for positive c, and c + 1 - 2 / (1
/// + exp(2y)) for negative c. Where exp overflows the quotient is 0.
struct TanhInSum : OpRewritePattern<math::TanhOp> {
  TanhInSum(MLIRContext *context) : OpRewritePattern(context, /*benefit=*/3) {}

  LogicalResult matchAndRewrite(math::TanhOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.getType().isF32() || !op->hasOneUse())
      return failure();
    std::optional<Sum> sum = Sum::get(*op->use_begin());
    if (!sum)
      return failure();
    Scaled y = Scaled::get(op.getOperand());
    if (!y.isModerate())
      y = {op.getOperand()};
    double side = sum->constant > 0 ? 1 : -1, rest = sum->constant - side;
    std::optional<Product> product;
    if (rest == 0)
      product = Product::get(sum->op);
    Operation *root = product ? product->root : sum->op;
    rewriter.setInsertionPoint(root);
    ImplicitLocOpBuilder b(root->getLoc(), rewriter);
    const double log2e = 1.4426950408889634;
    Expr x{&b, y.value};
    Expr e = (x * (-2 * side * sum->sign * y.factor * log2e)).approximateExp2();
    double numerator = 2 * side * (product ? product->other.factor : 1);
    Expr quotient = x.of(numerator).approximatelyOver(e + 1.0);
    if (product)
      quotient = quotient * x.wrap(product->other.value);
    rewriter.replaceOp(root, (rest == 0 ? quotient : quotient + rest).value);
    return success();
  }
};

/// p + p f = p (1 + f), as which the sum is found.
struct FactorOut : RewritePattern {
  FactorOut(StringRef name, MLIRContext *context)
      : RewritePattern(name, /*benefit=*/4, context) {}

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    for (auto [left, right, added] : summands(op)) {
      Value function = left == added ? right : left;
      if ((left != added && right != added) || !function.hasOneUse() ||
          !function.getType().isF32() ||
          !isa_and_nonnull<math::ErfOp, math::TanhOp>(function.getDefiningOp()))
        continue;
      ImplicitLocOpBuilder b(op->getLoc(), rewriter);
      Expr f{&b, function};
      rewriter.replaceOp(op, (f.wrap(added) * (f + 1.0)).value);
      return success();
    }
    return failure();
  }

  /// The factors of a product and what is added to it, in any order.
  static SmallVector<std::array<Value, 3>> summands(Operation *op) {
    if (auto fma = dyn_cast<math::FmaOp>(op))
      return {{fma.getA(), fma.getB(), fma.getC()}};
    SmallVector<std::array<Value, 3>> found;
    for (unsigned i : {0, 1})
      if (auto product = op->getOperand(i).getDefiningOp<arith::MulFOp>();
          product && product->hasOneUse())
        found.push_back(
            {product.getLhs(), product.getRhs(), op->getOperand(1 - i)});
    return found;
  }
};

} // namespace

void helios::populateMathSums(RewritePatternSet &patterns) {
  MLIRContext *context = patterns.getContext();
  patterns.add<ErfInSum, TanhInSum>(context);
  for (StringRef name :
       {math::FmaOp::getOperationName(), arith::AddFOp::getOperationName()})
    patterns.add<FactorOut>(name, context);
}
