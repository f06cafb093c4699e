// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "helios/Bench/Reference.h"
#include "Build.h"
#include "helios/Bench/Inputs.h"
#include "helios/Bench/Product.h"
#include "helios/Bench/Random.h"
#include "gtest/gtest.h"
#include <chrono>
#include <cmath>
#include <mutex>

using namespace helios::bench;
using namespace helios::bench::test;

namespace {

std::vector<double> randomMatrix(int64_t count, uint64_t stream) {
  std::vector<double> v(static_cast<size_t>(count));
  const RandomStream random(3, stream);
  for (int64_t i = 0; i < count; ++i)
    v[size_t(i)] = double(random.integer(uint64_t(i), 9));
  return v;
}

TEST(Product, EveryShapeAndStrideIsExactOnIntegers) {
  const int64_t sizes[][3] = {{1, 1, 1},    {17, 31, 13}, {127, 129, 65},
                              {8, 24, 192}, {9, 25, 193}, {200, 7, 400},
                              {3, 5, 0}};
  for (const auto &size : sizes)
    for (int transposes = 0; transposes < 4; ++transposes) {
      const int64_t m = size[0], n = size[1], k = size[2];
      const auto a = randomMatrix(m * k, 1), b = randomMatrix(k * n, 2);
      const MatrixView va = transposes & 1 ? MatrixView{a.data(), 1, m}
                                           : MatrixView{a.data(), k, 1};
      const MatrixView vb = transposes & 2 ? MatrixView{b.data(), 1, k}
                                           : MatrixView{b.data(), n, 1};
      std::vector<double> c(size_t(m * n), NAN);
      std::mutex mutex;
      multiply(va, vb, m, n, k, [&](const ProductBlock &block) {
        std::lock_guard<std::mutex> lock(mutex);
        for (int64_t i = 0; i < block.rows; ++i)
          for (int64_t j = 0; j < block.columns; ++j)
            c[size_t((block.row + i) * n + block.column + j)] =
                block.data[i * block.ld + j];
      });
      for (int64_t i = 0; i < m; ++i)
        for (int64_t j = 0; j < n; ++j) {
          double sum = 0;
          for (int64_t p = 0; p < k; ++p)
            sum += va.at(i, p) * vb.at(p, j);
          ASSERT_EQ(c[size_t(i * n + j)], sum)
              << m << "x" << n << "x" << k << " transposes " << transposes;
        }
    }
}

TEST(Product, SaysItsSpeed) {
  const int64_t n = 1024;
  const auto a = randomMatrix(n * n, 1), b = randomMatrix(n * n, 2);
  const auto start = std::chrono::steady_clock::now();
  double sum = 0;
  std::mutex mutex;
  multiply({a.data(), n, 1}, {b.data(), n, 1}, n, n, n,
           [&](const ProductBlock &block) {
             std::lock_guard<std::mutex> lock(mutex);
             sum += block.data[0];
           });
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
          .count();
  RecordProperty("gigamacs", std::to_string(1.073741824 / seconds));
  std::printf("1024^3 in %.3f s with %s (%g)\n", seconds, productInstructions(),
              sum);
  EXPECT_LT(seconds, 30);
}

/// Results of a problem as one vector, with bounds.
HostTensor evaluate(const Problem &problem, uint32_t argument,
                    const std::vector<int64_t> &extents) {
  HostTensor t;
  t.extents = extents;
  t.values.assign(size_t(t.elements()), NAN);
  t.lo = t.hi = t.values;
  EXPECT_TRUE(evaluateWhole(problem, [&](const Segment &s) {
                ASSERT_EQ(s.argument, argument);
                for (int i = 0; i < s.count; ++i) {
                  t.values[size_t(s.offset + i)] = s.expected->value[i];
                  t.lo[size_t(s.offset + i)] = s.expected->lo[i];
                  t.hi[size_t(s.offset + i)] = s.expected->hi[i];
                }
              }).ok());
  return t;
}

TEST(Reference, BatchesBroadcastAndTransposesAreHonoured) {
  GemmSpec spec;
  spec.a = spec.b = spec.d = ElementType::F32;
  spec.rank = 3;
  spec.transposeA = spec.transposeB = true;
  const auto kernel = makeGemm(spec);
  const int64_t m = 5, n = 6, k = 7;
  auto problem = makeInputs(kernel, {{3, k, m}, {1, n, k}, {3, m, n}},
                            InputKind::Integers, 1, {});
  ASSERT_TRUE(problem.ok());
  const HostTensor d = evaluate(*problem, 2, {3, m, n});
  const auto &a = problem->arguments[0].values,
             &b = problem->arguments[1].values;
  for (int64_t z = 0; z < 3; ++z)
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j) {
        double sum = 0;
        for (int64_t p = 0; p < k; ++p)
          sum += a[size_t((z * k + p) * m + i)] * b[size_t(j * k + p)];
        const auto at = size_t((z * m + i) * n + j);
        ASSERT_EQ(d.values[at], sum);
        ASSERT_EQ(d.lo[at], sum) << "integers leave no tolerance";
        ASSERT_EQ(d.hi[at], sum);
      }
}

TEST(Reference, FusedOperandsBroadcastAndIndicesCount) {
  GemmSpec spec;
  spec.d = ElementType::F32;
  spec.fused = {{ElementType::F16, 1}, {ElementType::F32, 2}};
  Region &r = spec.region;
  const uint32_t x = add(r, ScalarOpKind::Accumulator, ElementType::F32);
  const uint32_t bias = add(r, ScalarOpKind::Fused, ElementType::F16, {}, 0);
  const uint32_t wide = add(r, ScalarOpKind::Cast, ElementType::F32, {bias});
  const uint32_t column = add(r, ScalarOpKind::Fused, ElementType::F32, {}, 1);
  const uint32_t index = add(r, ScalarOpKind::Index, ElementType::I64, {}, 1);
  const uint32_t indexFloat =
      add(r, ScalarOpKind::Cast, ElementType::F32, {index});
  const uint32_t s = add(r, ScalarOpKind::Add, ElementType::F32, {x, wide});
  const uint32_t t = add(r, ScalarOpKind::Add, ElementType::F32, {s, column});
  add(r, ScalarOpKind::Add, ElementType::F32, {t, indexFloat});
  const auto kernel = makeGemm(spec);
  auto problem = makeInputs(kernel, {{4, 0}, {0, 300}, {300}, {4, 1}, {4, 300}},
                            InputKind::Integers, 5, {});
  ASSERT_TRUE(problem.ok());
  const HostTensor d = evaluate(*problem, 4, {4, 300});
  for (int64_t i = 0; i < 4; ++i)
    for (int64_t j = 0; j < 300; ++j)
      ASSERT_EQ(d.values[size_t(i * 300 + j)],
                problem->arguments[2].values[size_t(j)] +
                    problem->arguments[3].values[size_t(i)] + double(j));
}

TEST(Reference, WhatFloatArithmeticGivesIsWithinTheBounds) {
  GemmSpec spec;
  const auto kernel = makeGemm(spec);
  const int64_t m = 33, n = 65, k = 700;
  auto problem =
      makeInputs(kernel, {{m, k}, {k, n}, {m, n}}, InputKind::Uniform, 9, {});
  ASSERT_TRUE(problem.ok());
  const HostTensor d = evaluate(*problem, 2, {m, n});
  double largest = 0;
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      float sum = 0;
      for (int64_t p = 0; p < k; ++p)
        sum += float(problem->arguments[0].values[size_t(i * k + p)]) *
               float(problem->arguments[1].values[size_t(p * n + j)]);
      const double half = helios::bundle::roundTo(ElementType::F16, sum);
      const auto at = size_t(i * n + j);
      ASSERT_LE(d.lo[at], half);
      ASSERT_GE(d.hi[at], half);
      largest = std::max(largest, d.hi[at] - d.lo[at]);
    }
  EXPECT_LT(largest, 0.1)
      << "the bounds are tight enough to see a product left out";
}

TEST(Reference, ElementsOnTheirOwnAreTheSameAsWhole) {
  const auto kernel = makeGemm(GemmSpec());
  auto problem = makeInputs(kernel, {{50, 60}, {60, 70}, {50, 70}},
                            InputKind::Uniform, 2, {});
  const HostTensor d = evaluate(*problem, 2, {50, 70});
  int seen = 0;
  std::mutex mutex;
  ASSERT_TRUE(evaluateElements(*problem, {0, 69, 71, 3499, 1234},
                               [&](const Segment &s) {
                                 std::lock_guard<std::mutex> lock(mutex);
                                 EXPECT_EQ(s.expected->value[0],
                                           d.values[size_t(s.offset)]);
                                 ++seen;
                               })
                  .ok());
  EXPECT_EQ(seen, 5);
}

TEST(Reference, RepeatedLinesEqualTheSameMatrixWritten) {
  GemmSpec spec;
  spec.transposeB = true;
  const auto kernel = makeGemm(spec);
  const int64_t m = 500, n = 450, k = 20;
  auto problem =
      makeInputs(kernel, {{m, k}, {n, k}, {m, n}}, InputKind::Repeated, 4, {});
  ASSERT_TRUE(problem.ok());
  const HostTensor d = evaluate(*problem, 2, {m, n});
  Problem full = *problem;
  full.rows.reset();
  full.columns.reset();
  full.arguments[0] = full.arguments[1] = HostTensor();
  full.arguments[0].extents = {m, k};
  full.arguments[1].extents = {n, k};
  for (int64_t i = 0; i < m; ++i)
    for (int64_t p = 0; p < k; ++p)
      full.arguments[0].values.push_back(
          problem->arguments[0]
              .values[size_t(problem->rows->map[size_t(i)] * k + p)]);
  for (int64_t j = 0; j < n; ++j)
    for (int64_t p = 0; p < k; ++p)
      full.arguments[1].values.push_back(
          problem->arguments[1]
              .values[size_t(problem->columns->map[size_t(j)] * k + p)]);
  const HostTensor e = evaluate(full, 2, {m, n});
  EXPECT_EQ(d.values, e.values);
  EXPECT_EQ(d.lo, e.lo);
}

TEST(Reference, ChainedProductsCarryTheirTolerance) {
  // t = a b (f16), d = t c.
  helios::bundle::Kernel kernel = makeGemm(GemmSpec());
  helios::bundle::Semantics &s = *kernel.semantics;
  s.slots.push_back({ElementType::F16, 2});
  s.steps[0].dest = 3;
  helios::bundle::Step second = s.steps[0];
  second.a = 3;
  second.b = 1;
  second.dest = 2;
  s.steps.push_back(second);
  auto problem = makeInputs(kernel, {{40, 48}, {48, 48}, {40, 48}},
                            InputKind::Uniform, 4, {});
  ASSERT_TRUE(problem.ok()) << problem.status().message();
  const HostTensor d = evaluate(*problem, 2, {40, 48});
  double widest = 0;
  for (size_t i = 0; i < d.values.size(); ++i) {
    ASSERT_LE(d.lo[i], d.values[i]);
    ASSERT_LE(d.values[i], d.hi[i]);
    widest = std::max(widest, d.hi[i] - d.lo[i]);
  }
  EXPECT_GT(widest, 0);
  EXPECT_LT(widest, 0.5);
}

TEST(Reference, CombinesAlongAnyDimension) {
  // t = a b, d[b, m] or [b, n] what t combines to.
  for (uint32_t dim : {1u, 2u})
    for (bool largest : {false, true})
      for (InputKind kind : {InputKind::Integers, InputKind::Uniform}) {
        GemmSpec spec;
        spec.rank = 3;
        spec.d = ElementType::F32;
        helios::bundle::Kernel kernel = makeGemm(spec);
        helios::bundle::Semantics &s = *kernel.semantics;
        s.slots.push_back({ElementType::F32, 3});
        s.steps[0].dest = 3;
        helios::bundle::Step combine;
        combine.kind = helios::bundle::StepKind::Reduce;
        combine.a = 3;
        combine.dest = 2;
        combine.reduction = {dim, largest};
        s.steps.push_back(combine);
        s.slots[2].rank = 2;
        kernel.arguments[2].extents.assign(2, -1);
        const int64_t m = 5, n = 300, kept = dim == 1 ? n : m,
                      count = dim == 1 ? m : n;
        auto problem =
            makeInputs(kernel, {{2, m, 7}, {2, 7, n}, {2, kept}}, kind, 4, {});
        ASSERT_TRUE(problem.ok()) << problem.status().message();
        const HostTensor d = evaluate(*problem, 2, {2, kept});
        const auto &a = problem->arguments[0].values,
                   &b = problem->arguments[1].values;
        for (int64_t batch = 0; batch < 2; ++batch)
          for (int64_t i = 0; i < kept; ++i) {
            double expected = largest ? -INFINITY : 0;
            for (int64_t j = 0; j < count; ++j) {
              const int64_t row = dim == 1 ? j : i, column = dim == 1 ? i : j;
              double sum = 0;
              for (int64_t k = 0; k < 7; ++k)
                sum += a[(batch * m + row) * 7 + k] *
                       b[(batch * 7 + k) * n + column];
              expected = largest ? std::max(expected, sum) : expected + sum;
            }
            const size_t at = batch * kept + i;
            ASSERT_NEAR(d.values[at], expected, 1e-9);
            ASSERT_LE(d.lo[at], expected + 1e-9);
            ASSERT_GE(d.hi[at], expected - 1e-9);
            if (kind == InputKind::Integers)
              ASSERT_EQ(d.lo[at], d.hi[at]);
            else
              ASSERT_LT(d.lo[at], d.hi[at]);
            ASSERT_LT(d.hi[at] - d.lo[at], 0.01);
          }
      }
}

TEST(Reference, SaysWhichExtentsDoNotAgree) {
  const auto kernel = makeGemm(GemmSpec());
  auto slots = slotExtents(kernel, {{4, 5}, {6, 7}, {4, 7}});
  ASSERT_FALSE(slots.ok());
  EXPECT_NE(
      slots.status().message().find("disagree on K: 4x5 gives 5, 6x7 gives 6"),
      std::string::npos);
}

} // namespace
