// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HELIOS_LIB_TARGETS_MATHEXPR_H
#define HELIOS_LIB_TARGETS_MATHEXPR_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace helios {

/// An f32 expression under construction.
struct Expr {
  mlir::ImplicitLocOpBuilder *b;
  mlir::Value value;

  Expr of(double c) const {
    return {b, mlir::arith::ConstantOp::create(*b, b->getF32FloatAttr(c))};
  }
  Expr wrap(mlir::Value v) const { return {b, v}; }
  Expr operator+(Expr o) const {
    return wrap(mlir::arith::AddFOp::create(*b, value, o.value));
  }
  Expr operator-(Expr o) const {
    return wrap(mlir::arith::SubFOp::create(*b, value, o.value));
  }
  Expr operator*(Expr o) const {
    return wrap(mlir::arith::MulFOp::create(*b, value, o.value));
  }
  Expr operator/(Expr o) const {
    return wrap(mlir::arith::DivFOp::create(*b, value, o.value));
  }
  Expr operator+(double c) const { return *this + of(c); }
  Expr operator-(double c) const { return *this - of(c); }
  Expr operator*(double c) const { return *this * of(c); }
  Expr abs() const { return wrap(mlir::math::AbsFOp::create(*b, value)); }
  Expr exp() const { return wrap(mlir::math::ExpOp::create(*b, value)); }
  /// With the error of the target's instruction for 2^x, if it has one.
  Expr approximateExp2() const {
    return wrap(
        mlir::math::Exp2Op::create(*b, value, mlir::arith::FastMathFlags::afn));
  }
  /// Likewise of its instructions for quotients; the divisor is not subnormal.
  Expr approximatelyOver(Expr o) const {
    return wrap(mlir::arith::DivFOp::create(*b, value, o.value,
                                            mlir::arith::FastMathFlags::afn));
  }
  Expr log() const { return wrap(mlir::math::LogOp::create(*b, value)); }
  Expr sqrt() const { return wrap(mlir::math::SqrtOp::create(*b, value)); }
  Expr floor() const { return wrap(mlir::math::FloorOp::create(*b, value)); }
  Expr roundEven() const {
    return wrap(mlir::math::RoundEvenOp::create(*b, value));
  }
  Expr withSignOf(Expr o) const {
    return wrap(mlir::math::CopySignOp::create(*b, value, o.value));
  }
  mlir::Value compare(mlir::arith::CmpFPredicate p, Expr o) const {
    return mlir::arith::CmpFOp::create(*b, p, value, o.value);
  }
  mlir::Value compare(mlir::arith::CmpFPredicate p, double c) const {
    return compare(p, of(c));
  }
  Expr select(mlir::Value condition, Expr yes, Expr no) const {
    return wrap(
        mlir::arith::SelectOp::create(*b, condition, yes.value, no.value));
  }
  /// Horner's scheme, coefficients from the lowest.
  Expr polynomial(llvm::ArrayRef<double> coefficients) const {
    Expr sum = of(coefficients.back());
    for (double c : llvm::reverse(coefficients.drop_back()))
      sum = wrap(mlir::math::FmaOp::create(*b, sum.value, value, of(c).value));
    return sum;
  }
};

} // namespace helios

#endif // HELIOS_LIB_TARGETS_MATHEXPR_H
