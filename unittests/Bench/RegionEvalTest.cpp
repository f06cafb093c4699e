// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "helios/Bench/RegionEval.h"
#include "Build.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace helios::bench;
using namespace helios::bench::test;
using helios::bundle::CmpPredicate;

namespace {

struct Value {
  double value, lo, hi;
};

/// Evaluates a region whose accumulator has the given value and bounds.
Value run(const Region &region, Value accumulator) {
  Lanes in{};
  in.value[0] = accumulator.value;
  in.lo[0] = accumulator.lo;
  in.hi[0] = accumulator.hi;
  in.integer[0] = int64_t(accumulator.value);
  RegionInputs inputs;
  inputs.count = 1;
  inputs.accumulator = &in;
  RegionEvaluator evaluator(region);
  const Lanes &out = evaluator.evaluate(inputs);
  return {out.value[0], out.lo[0], out.hi[0]};
}
Value run(const Region &region, double exact) {
  return run(region, {exact, exact, exact});
}

Region unary(ScalarOpKind kind, ElementType type = ElementType::F32) {
  Region r;
  const uint32_t x = add(r, ScalarOpKind::Accumulator, type);
  add(r, kind, type, {x});
  return r;
}

TEST(RegionEval, EveryUnaryFunctionHasItsValueWithinItsBounds) {
  const std::pair<ScalarOpKind, double (*)(double)> functions[] = {
      {ScalarOpKind::Exp, std::exp},     {ScalarOpKind::Exp2, std::exp2},
      {ScalarOpKind::Expm1, std::expm1}, {ScalarOpKind::Log, std::log},
      {ScalarOpKind::Log2, std::log2},   {ScalarOpKind::Log10, std::log10},
      {ScalarOpKind::Log1p, std::log1p}, {ScalarOpKind::Sin, std::sin},
      {ScalarOpKind::Cos, std::cos},     {ScalarOpKind::Tan, std::tan},
      {ScalarOpKind::Asin, std::asin},   {ScalarOpKind::Acos, std::acos},
      {ScalarOpKind::Atan, std::atan},   {ScalarOpKind::Sinh, std::sinh},
      {ScalarOpKind::Cosh, std::cosh},   {ScalarOpKind::Tanh, std::tanh},
      {ScalarOpKind::Asinh, std::asinh}, {ScalarOpKind::Atanh, std::atanh},
      {ScalarOpKind::Erf, std::erf},     {ScalarOpKind::Erfc, std::erfc},
      {ScalarOpKind::Sqrt, std::sqrt},   {ScalarOpKind::Cbrt, std::cbrt},
      {ScalarOpKind::Floor, std::floor}, {ScalarOpKind::Ceil, std::ceil},
      {ScalarOpKind::Round, std::round}, {ScalarOpKind::Trunc, std::trunc},
      {ScalarOpKind::Abs, std::fabs}};
  for (const auto &[kind, f] : functions) {
    const Value at = run(unary(kind), {0.5, 0.49, 0.51});
    const char *name = helios::bundle::scalarOpName(kind);
    EXPECT_DOUBLE_EQ(at.value, f(0.5)) << name;
    EXPECT_LE(at.lo, std::min(f(0.49), f(0.51))) << name;
    EXPECT_GE(at.hi, std::max(f(0.49), f(0.51))) << name;
    EXPECT_LT(at.hi - at.lo, 1.1) << name; // and the bounds say something
    // What float arithmetic gives is allowed.
    const Value exact = run(unary(kind), 0.375);
    EXPECT_LE(exact.lo, double(float(f(0.375)))) << name;
    EXPECT_GE(exact.hi, double(float(f(0.375)))) << name;
  }
}

TEST(RegionEval, ADevicesTanhHasWiderBounds) {
  Region r = unary(ScalarOpKind::Tanh);
  const Value full = run(r, 0.5);
  r.ops.back().index = 1;
  const Value approximate = run(r, 0.5);
  EXPECT_EQ(approximate.value, full.value);
  EXPECT_LT(full.hi - full.lo, 1e-5);
  // The PTX ISA states a relative error of 2^-10.987.
  EXPECT_GE(approximate.hi, std::tanh(0.5) * (1 + 0x1p-11));
  EXPECT_LE(approximate.lo, std::tanh(0.5) * (1 - 0x1p-11));
  EXPECT_LT(approximate.hi - approximate.lo, 1e-3);
}

TEST(RegionEval, IntegerArithmeticInFloatsHasOneRightValue) {
  Region r;
  const uint32_t x = add(r, ScalarOpKind::Accumulator, ElementType::F32);
  const uint32_t c = add(r, ScalarOpKind::Const, ElementType::F32, {}, 0, 3);
  const uint32_t p = add(r, ScalarOpKind::Mul, ElementType::F32, {x, c});
  const uint32_t s = add(r, ScalarOpKind::Add, ElementType::F32, {p, c});
  const uint32_t m = add(r, ScalarOpKind::Maximum, ElementType::F32, {s, c});
  add(r, ScalarOpKind::Cast, ElementType::F16, {m});
  const Value v = run(r, 7);
  EXPECT_EQ(v.value, 24);
  EXPECT_EQ(v.lo, 24);
  EXPECT_EQ(v.hi, 24);
  const Value big = run(r, 3000); // 9003 is between two halves: to nearest even
  EXPECT_EQ(big.lo, 9000);
  EXPECT_EQ(big.hi, 9000);
}

TEST(RegionEval, ResultsThatMustRoundGetBoundsOfOneRoundoff) {
  Region r;
  const uint32_t x = add(r, ScalarOpKind::Accumulator, ElementType::F32);
  const uint32_t c =
      add(r, ScalarOpKind::Const, ElementType::F32, {}, 0, 0x1p-30);
  add(r, ScalarOpKind::Add, ElementType::F32, {x, c});
  const Value v = run(r, 1);
  EXPECT_LT(v.lo, v.value);
  EXPECT_NEAR(v.hi - v.lo, 2 * 0x1p-24, 1e-12);
}

TEST(RegionEval, AChoiceThatTheToleranceLeavesOpenAllowsBothSides) {
  Region r;
  const uint32_t x = add(r, ScalarOpKind::Accumulator, ElementType::F32);
  const uint32_t zero = add(r, ScalarOpKind::Const, ElementType::F32, {}, 0, 0);
  const uint32_t ten = add(r, ScalarOpKind::Const, ElementType::F32, {}, 0, 10);
  const uint32_t c = add(r, ScalarOpKind::Cmp, ElementType::I1, {x, zero},
                         uint32_t(CmpPredicate::OGt));
  add(r, ScalarOpKind::Select, ElementType::F32, {c, ten, zero});
  const Value open = run(r, {0.001, -0.01, 0.01});
  EXPECT_EQ(open.value, 10);
  EXPECT_EQ(open.lo, 0);
  EXPECT_EQ(open.hi, 10);
  const Value closed = run(r, {0.1, 0.05, 0.2});
  EXPECT_EQ(closed.lo, 10);
}

TEST(RegionEval, NanPropagatesOrIsMissingData) {
  for (auto [kind, wantsNan] : {std::pair{ScalarOpKind::Maximum, true},
                                std::pair{ScalarOpKind::MaxNum, false}}) {
    Region r;
    const uint32_t x = add(r, ScalarOpKind::Accumulator, ElementType::F32);
    const uint32_t c = add(r, ScalarOpKind::Const, ElementType::F32, {}, 0, 2);
    add(r, kind, ElementType::F32, {x, c});
    const Value v = run(r, {NAN, NAN, NAN});
    EXPECT_EQ(std::isnan(v.value), wantsNan);
    if (!wantsNan) {
      EXPECT_EQ(v.lo, 2);
      EXPECT_EQ(v.hi, 2);
    }
  }
}

TEST(RegionEval, OverflowOfTheStoredTypeIsAnInfinity) {
  Region r;
  const uint32_t x = add(r, ScalarOpKind::Accumulator, ElementType::F32);
  add(r, ScalarOpKind::Cast, ElementType::F16, {x});
  EXPECT_EQ(run(r, 70000).lo, INFINITY);
  const Value edge = run(r, {65515, 65510, 65525});
  EXPECT_EQ(edge.value, 65504);
  EXPECT_EQ(edge.lo, 65504);
  EXPECT_EQ(edge.hi, INFINITY);
}

TEST(RegionEval, LargeIntegersMayRoundTwiceOnTheirWayToF32) {
  for (int64_t c : {int64_t(1) << 24, (int64_t(1) << 24) - 1024}) {
    Region r;
    const uint32_t x =
        add(r, ScalarOpKind::Const, ElementType::I32, {}, 0, double(c));
    add(r, ScalarOpKind::Cast, ElementType::F32, {x});
    const Value v = run(r, 0);
    EXPECT_EQ(v.value, double(c));
    const double allowed = c == int64_t(1) << 24 ? 2 : 0;
    EXPECT_EQ(v.lo, double(c) - allowed);
    EXPECT_EQ(v.hi, double(c) + allowed);
  }
}

TEST(RegionEval, OverflowWithinTheRegionIsThatOfItsTypes) {
  Region r; // x / (1 + exp(-x)), whose exponential overflows a float at -100
  const uint32_t x = add(r, ScalarOpKind::Accumulator, ElementType::F32);
  const uint32_t one = add(r, ScalarOpKind::Const, ElementType::F32, {}, 0, 1);
  const uint32_t minus = add(r, ScalarOpKind::Neg, ElementType::F32, {x});
  const uint32_t exp = add(r, ScalarOpKind::Exp, ElementType::F32, {minus});
  const uint32_t sum = add(r, ScalarOpKind::Add, ElementType::F32, {exp, one});
  add(r, ScalarOpKind::Div, ElementType::F32, {x, sum});
  // 705 and 709: of the double's exponential, too, some multiples overflow.
  for (double at : {100., 705., 709., 800.}) {
    const Value v = run(r, -at);
    EXPECT_LE(v.lo, 0) << at;
    EXPECT_GE(v.hi, 0) << at;
    EXPECT_GT(v.lo, -1) << at;
    EXPECT_LT(v.hi, 1) << at;
    const Value e = run(unary(ScalarOpKind::Exp), at);
    EXPECT_EQ(e.value, INFINITY) << at;
    EXPECT_EQ(e.lo, INFINITY) << at;
  }
}

TEST(RegionEval, ZeroTimesWhatMayBeInfiniteMayBeAnything) {
  Region r; // (x * x) * 0, whose square may exceed the largest f16
  const uint32_t x = add(r, ScalarOpKind::Accumulator, ElementType::F16);
  const uint32_t square = add(r, ScalarOpKind::Mul, ElementType::F16, {x, x});
  const uint32_t zero = add(r, ScalarOpKind::Const, ElementType::F16, {}, 0, 0);
  add(r, ScalarOpKind::Mul, ElementType::F16, {square, zero});
  const Value near = run(r, {255.5, 255, 256});
  EXPECT_EQ(near.value, 0);
  EXPECT_EQ(near.lo, -INFINITY);
  EXPECT_EQ(near.hi, INFINITY);
  const Value far = run(r, 100);
  EXPECT_LT(far.hi, 1);
}

TEST(RegionEval, IntegersWrapInTheirWidth) {
  Region r;
  const uint32_t x = add(r, ScalarOpKind::Accumulator, ElementType::I32);
  const uint32_t c =
      add(r, ScalarOpKind::Const, ElementType::I32, {}, 0, 1103515245);
  const uint32_t p = add(r, ScalarOpKind::Mul, ElementType::I32, {x, c});
  const uint32_t s = add(r, ScalarOpKind::Const, ElementType::I32, {}, 0, 5);
  add(r, ScalarOpKind::ShrU, ElementType::I32, {p, s});
  const int32_t product = int32_t(uint32_t(123456) * 1103515245u);
  EXPECT_EQ(run(r, 123456).value, double(uint32_t(product) >> 5));
}

TEST(RegionEval, KnowsWhatIsAffineInTheSum) {
  auto region = [](ScalarOpKind last, bool fusedFactor) {
    Region r;
    const uint32_t x = add(r, ScalarOpKind::Accumulator, ElementType::F32);
    const uint32_t f = add(r, ScalarOpKind::Fused, ElementType::F32, {}, 1);
    const uint32_t p =
        fusedFactor ? add(r, ScalarOpKind::Mul, ElementType::F32, {f, x}) : x;
    add(r, last, ElementType::F32, {p, f});
    return r;
  };
  EXPECT_TRUE(accumulatorAffinity(region(ScalarOpKind::Add, false)).affine);
  EXPECT_EQ(accumulatorAffinity(region(ScalarOpKind::Add, false)).alphaFused,
            0u);
  EXPECT_EQ(accumulatorAffinity(region(ScalarOpKind::Sub, true)).alphaFused,
            2u);
  EXPECT_FALSE(
      accumulatorAffinity(region(ScalarOpKind::Maximum, false)).affine);
  EXPECT_FALSE(accumulatorAffinity(unary(ScalarOpKind::Tanh)).affine);
}

} // namespace
