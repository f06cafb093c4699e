// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Build.h"
#include "helios/Bench/Inputs.h"
#include "helios/Bench/Numbers.h"
#include "helios/Bench/Reference.h"
#include "gtest/gtest.h"
#include <cmath>
#include <map>
#include <mutex>

using namespace helios::bench;
using namespace helios::bench::test;

namespace {

struct AttentionSpec {
  ElementType element = ElementType::BF16, result = ElementType::BF16;
  bool hasLse = true;
  std::optional<double> scale;
  std::vector<std::pair<ElementType, uint32_t>> fused;
  Region score, mask;
};

/// Arguments: query, key, value, fused operands, result, lse.
helios::bundle::Kernel makeAttention(const AttentionSpec &spec) {
  helios::bundle::Kernel kernel;
  kernel.name = "attention";
  helios::bundle::Semantics semantics;
  auto argument = [&](const char *name, ElementType type, uint32_t rank,
                      bool isResult) {
    helios::bundle::Argument a;
    a.name = name;
    a.type = type;
    a.isResult = isResult;
    a.extents.assign(rank, -1);
    kernel.arguments.push_back(a);
    semantics.slots.push_back({type, rank});
    return uint32_t(kernel.arguments.size() - 1);
  };
  helios::bundle::Step step;
  step.kind = helios::bundle::StepKind::Attention;
  step.accumulator = ElementType::F32;
  step.a = argument("q", spec.element, 4, false);
  step.b = argument("k", spec.element, 4, false);
  step.attention.value = argument("v", spec.element, 4, false);
  for (const auto &[type, rank] : spec.fused)
    step.fused.push_back(argument("f", type, rank, false));
  step.dest = argument("o", spec.result, 4, true);
  if (spec.hasLse)
    step.attention.lse = argument("lse", ElementType::F32, 3, true);
  step.attention.scale = spec.scale;
  step.region = spec.score;
  step.attention.mask = spec.mask;
  semantics.steps.push_back(step);
  kernel.semantics = semantics;
  return kernel;
}

/// j <= i + more.
Region causal(double more) {
  Region r;
  const uint32_t i = add(r, ScalarOpKind::Index, ElementType::I64, {}, 2);
  const uint32_t j = add(r, ScalarOpKind::Index, ElementType::I64, {}, 3);
  const uint32_t c = add(r, ScalarOpKind::Const, ElementType::I64, {}, 0, more);
  const uint32_t s = add(r, ScalarOpKind::Add, ElementType::I64, {i, c});
  add(r, ScalarOpKind::Cmp, ElementType::I1, {j, s},
      uint32_t(helios::bundle::CmpPredicate::Sle));
  return r;
}

struct Values {
  std::vector<double> value, lo, hi;
};

/// All results by argument.
std::map<uint32_t, Values>
evaluate(const Problem &problem, const std::vector<int64_t> *rows = nullptr) {
  std::map<uint32_t, Values> all;
  for (size_t n = 0; n < problem.arguments.size(); ++n)
    if (problem.kernel->arguments[n].isResult) {
      Values &v = all[uint32_t(n)];
      v.value.assign(size_t(problem.arguments[n].elements()), 1234);
      v.lo = v.hi = v.value;
    }
  auto sink = [&](const Segment &s) {
    Values &v = all.at(s.argument);
    for (int i = 0; i < s.count; ++i) {
      const auto at = size_t(s.offset + i);
      EXPECT_EQ(v.value.at(at), 1234) << "each element once";
      v.value[at] = s.expected->value[i];
      v.lo[at] = s.expected->lo[i];
      v.hi[at] = s.expected->hi[i];
    }
  };
  EXPECT_TRUE(
      (rows ? evaluateRows(problem, *rows, sink) : evaluateWhole(problem, sink))
          .ok());
  return all;
}

Problem inputs(const helios::bundle::Kernel &kernel,
               const std::vector<std::vector<int64_t>> &extents,
               InputKind kind = InputKind::Normal) {
  auto problem = makeInputs(kernel, extents, kind, 1, {});
  EXPECT_TRUE(problem.ok()) << problem.status().message();
  return *problem;
}

// The expected numbers were computed apart from this program, in Python, with
// math.fsum and math.exp.
TEST(Attention, HeadsInGroupsMaskScoreAndLse) {
  AttentionSpec spec;
  spec.element = spec.result = ElementType::F32;
  spec.fused = {{ElementType::F32, 3}}; // one number a head
  const uint32_t x =
      add(spec.score, ScalarOpKind::Accumulator, ElementType::F32);
  const uint32_t half =
      add(spec.score, ScalarOpKind::Const, ElementType::F32, {}, 0, 0.5);
  const uint32_t f = add(spec.score, ScalarOpKind::Fused, ElementType::F32);
  const uint32_t y =
      add(spec.score, ScalarOpKind::Mul, ElementType::F32, {x, half});
  add(spec.score, ScalarOpKind::Add, ElementType::F32, {y, f});
  // j <= i + 2 and not (b == 1 and i == 3).
  Region &m = spec.mask;
  m = causal(2);
  const uint32_t below = m.result;
  const uint32_t b = add(m, ScalarOpKind::Index, ElementType::I64, {}, 0);
  const uint32_t i = add(m, ScalarOpKind::Index, ElementType::I64, {}, 2);
  const uint32_t at = add(m, ScalarOpKind::Mul, ElementType::I64, {b, i});
  const uint32_t three =
      add(m, ScalarOpKind::Const, ElementType::I64, {}, 0, 3);
  const uint32_t other = add(m, ScalarOpKind::Cmp, ElementType::I1, {at, three},
                             uint32_t(helios::bundle::CmpPredicate::Ne));
  add(m, ScalarOpKind::And, ElementType::I1, {below, other});

  const auto kernel = makeAttention(spec);
  Problem problem = inputs(kernel, {{2, 4, 5, 8},
                                    {2, 2, 7, 8},
                                    {2, 2, 7, 3},
                                    {4, 1, 1},
                                    {2, 4, 5, 3},
                                    {2, 4, 5}});
  auto fill = [&](size_t n, auto &&formula) {
    auto &values = problem.arguments[n].values;
    for (size_t k = 0; k < values.size(); ++k)
      values[k] = formula(int(k));
  };
  fill(0, [](int n) { return ((n * 37) % 17 - 8) / 8.0; });
  fill(1, [](int n) { return ((n * 29 + 3) % 19 - 9) / 4.0; });
  fill(2, [](int n) { return ((n * 23 + 5) % 31 - 15) / 16.0; });
  problem.arguments[3].values = {0, 0.5, -1, 2};
  auto results = evaluate(problem);
  const Values &o = results.at(4), &lse = results.at(5);
  const struct {
    size_t row;
    double o[3], lse;
  } expected[] = {
      {0,
       {-0.26986916623668211, 0.13808830502953665, 0.12445109868811992},
       1.1004610686729017},
      {7,
       {0.15249016487702866, 0.044363795427950097, -0.21002786264180937},
       2.211862209424047},
      {19,
       {0.32660840185420253, 0.13361387028692334, -0.23787154896233043},
       4.0999172326417215},
      {22,
       {-0.15136891129015706, -0.12848024619858428, -0.11591139806503654},
       1.7274662858333323},
      {38, {0, 0, 0}, -INFINITY},
  };
  for (const auto &e : expected) {
    for (size_t d = 0; d < 3; ++d)
      EXPECT_EQ(o.value[e.row * 3 + d],
                helios::bundle::roundTo(ElementType::F32, e.o[d]));
    if (std::isinf(e.lse))
      EXPECT_EQ(lse.value[e.row], e.lse);
    else
      EXPECT_NEAR(lse.value[e.row], e.lse, 1e-13);
  }
  double sum = 0, sums = 0;
  for (double v : o.value)
    sum += v;
  for (double v : lse.value)
    sums += std::isfinite(v) ? v : 0;
  EXPECT_NEAR(sum, 1.734952573556993, 1e-6) << "rounded to f32, 120 times";
  EXPECT_NEAR(sums, 70.36069253018584, 1e-11);
}

/// Of arguments without fused operands: as many keys as queries, of a depth of
/// 64.
std::vector<std::vector<int64_t>> extentsOf(int64_t heads, int64_t length) {
  std::vector<std::vector<int64_t>> all(4, {1, heads, length, 64});
  all.push_back({1, heads, length});
  return all;
}

/// Attention as a kernel computes it: tiles of keys, single precision, the
/// maximum that of the tiles so far, weights rounded before the product. The
/// scale is that of a depth of 64.
void likeAKernel(const Problem &p, ElementType element, double keepMaximum,
                 std::vector<double> &o, std::vector<double> &lse,
                 float scale = 0.125) {
  const auto &qe = p.arguments[0].extents, &ke = p.arguments[1].extents;
  const int64_t heads = qe[0] * qe[1], queries = qe[2], keys = ke[2],
                depth = qe[3];
  for (int64_t h = 0; h < heads; ++h)
    for (int64_t i = 0; i < queries; ++i) {
      float largest = -INFINITY, sum = 0;
      std::vector<float> acc(static_cast<size_t>(depth), 0.0f);
      for (int64_t j0 = 0; j0 <= i; j0 += 16) {
        float s[16], top = largest;
        const int64_t end = std::min<int64_t>(j0 + 16, std::min(i + 1, keys));
        for (int64_t j = j0; j < end; ++j) {
          s[j - j0] = 0;
          for (int64_t d = 0; d < depth; ++d)
            s[j - j0] +=
                float(p.arguments[0]
                          .values[size_t((h * queries + i) * depth + d)]) *
                float(
                    p.arguments[1].values[size_t((h * keys + j) * depth + d)]);
          top = std::max(top, s[j - j0]);
        }
        if (!(top - largest <= keepMaximum)) {
          const float factor =
              std::isinf(largest) ? 0 : std::exp((largest - top) * scale);
          sum *= factor;
          for (float &a : acc)
            a *= factor;
          largest = top;
        }
        for (int64_t j = j0; j < end; ++j) {
          const float w = std::exp2((s[j - j0] - largest) * scale * 1.442695f);
          sum += w;
          const auto rounded = float(roundFloat(element, w));
          for (int64_t d = 0; d < depth; ++d)
            acc[size_t(d)] +=
                rounded *
                float(
                    p.arguments[2].values[size_t((h * keys + j) * depth + d)]);
        }
      }
      for (int64_t d = 0; d < depth; ++d)
        o.push_back(roundFloat(element, acc[size_t(d)] / sum));
      lse.push_back(double(largest * scale + std::log(sum)));
    }
}

/// The widest of the bounds, in all of which a kernel's numbers lie.
double expectWithin(const Values &want, const std::vector<double> &got) {
  EXPECT_EQ(got.size(), want.value.size());
  double widest = 0;
  for (size_t n = 0; n < std::min(got.size(), want.value.size()); ++n) {
    EXPECT_TRUE(want.lo[n] <= got[n] && got[n] <= want.hi[n])
        << n << ": expected " << want.lo[n] << " to " << want.hi[n] << ", got "
        << got[n];
    widest = std::max(widest, want.hi[n] - want.lo[n]);
  }
  return widest;
}

TEST(Attention, WhatAKernelGivesIsWithinTheBounds) {
  for (ElementType element : {ElementType::F16, ElementType::BF16})
    for (InputKind kind : {InputKind::Integers, InputKind::Normal})
      for (double keepMaximum : {0.0, 8.0}) {
        AttentionSpec spec;
        spec.element = spec.result = element;
        spec.mask = causal(0);
        const auto kernel = makeAttention(spec);
        const Problem problem = inputs(kernel, extentsOf(3, 500), kind);
        auto results = evaluate(problem);
        std::vector<double> o, lse;
        likeAKernel(problem, element, keepMaximum, o, lse);
        expectWithin(results.at(3), o);
        EXPECT_LT(expectWithin(results.at(4), lse), 0.05);
      }
}

// Scores of some 10,000 are known to a few units of their last place, which
// weights are not; how large their sum may be is.
TEST(Attention, LargeScoresHaveALogarithmWithinBounds) {
  for (InputKind kind : {InputKind::Integers, InputKind::Normal})
    for (float scale : {1250.0f, 40000.0f}) {
      AttentionSpec spec;
      spec.mask = causal(0);
      spec.scale = scale;
      const auto kernel = makeAttention(spec);
      const Problem problem = inputs(kernel, extentsOf(2, 300), kind);
      auto results = evaluate(problem);
      std::vector<double> o, lse;
      likeAKernel(problem, spec.element, 0, o, lse, scale);
      expectWithin(results.at(3), o);
      EXPECT_LT(expectWithin(results.at(4), lse), 2e-3 * scale);
    }
}

/// Elements of the result that leave their bounds when `wrong` is done to the
/// inputs of the one that gives the results.
int64_t caught(InputKind kind, const std::function<void(Problem &)> &wrong) {
  AttentionSpec spec;
  spec.mask = causal(0);
  const auto kernel = makeAttention(spec);
  Problem problem = inputs(kernel, extentsOf(2, 400), kind);
  const auto right = evaluate(problem);
  wrong(problem);
  const auto got = evaluate(problem);
  int64_t count = 0;
  for (size_t n = 0; n < got.at(3).value.size(); ++n)
    count += got.at(3).value[n] < right.at(3).lo[n] ||
             got.at(3).value[n] > right.at(3).hi[n];
  return count;
}

TEST(Attention, TheBoundsSeeOneKeyLost) {
  for (InputKind kind : {InputKind::Integers, InputKind::Normal})
    EXPECT_GT(caught(kind,
                     [](Problem &p) { // key 100 of the first head: as if gone
                       for (size_t d = 0; d < 64; ++d)
                         p.arguments[2].values[100 * 64 + d] = 0;
                     }),
              100);
  EXPECT_EQ(caught(InputKind::Normal, [](Problem &) {}), 0);
}

TEST(Attention, WhatIsMaskedHasNoEffectWhateverItHolds) {
  AttentionSpec spec;
  spec.mask = causal(-1); // row 0 has no key, key 3 nobody's but row 4's
  const auto kernel = makeAttention(spec);
  Problem problem = inputs(
      kernel,
      {{1, 1, 5, 8}, {1, 1, 4, 8}, {1, 1, 4, 8}, {1, 1, 5, 8}, {1, 1, 5}});
  const auto before = evaluate(problem);
  for (size_t d = 0; d < 8; ++d) {
    EXPECT_EQ(before.at(3).value[d], 0);
    problem.arguments[2].values[3 * 8 + d] = NAN;
  }
  EXPECT_EQ(before.at(4).value[0], -INFINITY);
  problem.arguments[1].values[3 * 8] = NAN;
  const auto after = evaluate(problem);
  for (size_t n = 0; n < 32; ++n) {
    EXPECT_EQ(before.at(3).value[n], after.at(3).value[n]);
    EXPECT_EQ(before.at(3).lo[n], after.at(3).lo[n]);
  }
  for (size_t n = 32; n < 40; ++n)
    EXPECT_TRUE(std::isnan(after.at(3).value[n]));
  EXPECT_TRUE(std::isnan(after.at(4).value[4]));
  // A value alone.
  problem.arguments[1].values[3 * 8] = 1;
  problem.arguments[2].values[3 * 8] = INFINITY;
  const auto infinite = evaluate(problem);
  EXPECT_EQ(infinite.at(3).value[32], INFINITY);
  EXPECT_TRUE(std::isfinite(infinite.at(3).value[24]));
}

TEST(Attention, MinusInfinityInScoresIsAMask) {
  AttentionSpec spec;
  spec.fused = {{ElementType::F32, 2}};
  const uint32_t x =
      add(spec.score, ScalarOpKind::Accumulator, ElementType::F32);
  const uint32_t f = add(spec.score, ScalarOpKind::Fused, ElementType::F32);
  add(spec.score, ScalarOpKind::Add, ElementType::F32, {x, f});
  const auto kernel = makeAttention(spec);
  AttentionSpec masked;
  masked.mask = causal(0);
  const auto same = makeAttention(masked);
  const std::vector<int64_t> matrix{1, 2, 9, 16};
  Problem biased =
      inputs(kernel, {matrix, matrix, matrix, {9, 9}, matrix, {1, 2, 9}});
  for (size_t i = 0; i < 9; ++i)
    for (size_t j = 0; j < 9; ++j)
      biased.arguments[3].values[i * 9 + j] = j <= i ? 0 : -INFINITY;
  const Problem plain =
      inputs(same, {matrix, matrix, matrix, matrix, {1, 2, 9}});
  const auto a = evaluate(biased), b = evaluate(plain);
  EXPECT_EQ(a.at(4).value, b.at(3).value);
  EXPECT_EQ(a.at(5).value, b.at(4).value);
  for (double &v : biased.arguments[3].values)
    v = -INFINITY;
  const auto none = evaluate(biased);
  for (double v : none.at(4).value)
    EXPECT_EQ(v, 0);
  for (double v : none.at(5).value)
    EXPECT_EQ(v, -INFINITY);
}

TEST(Attention, LargeScoresStayFinite) {
  AttentionSpec spec;
  spec.scale = 2500; // of integers: scores beyond 1e4
  const auto kernel = makeAttention(spec);
  const std::vector<int64_t> matrix{1, 1, 64, 16};
  const Problem problem =
      inputs(kernel, {matrix, matrix, matrix, matrix, {1, 1, 64}},
             InputKind::Integers);
  const auto results = evaluate(problem);
  double largest = 0;
  for (size_t n = 0; n < 64 * 16; ++n) {
    ASSERT_TRUE(std::isfinite(results.at(3).lo[n]));
    ASSERT_LE(std::fabs(results.at(3).value[n]), 4);
  }
  for (double v : results.at(4).value)
    largest = std::max(largest, v);
  EXPECT_GT(largest, 1e5);
}

TEST(Attention, RowsOnTheirOwnAreTheSameAsWhole) {
  AttentionSpec spec;
  spec.mask = causal(3);
  const auto kernel = makeAttention(spec);
  const Problem problem = inputs(kernel, {{3, 4, 70, 24},
                                          {3, 2, 73, 24},
                                          {3, 2, 73, 40},
                                          {3, 4, 70, 40},
                                          {3, 4, 70}});
  const std::vector<int64_t> rows{0, 69, 70, 71, 139, 500, 501, 839};
  const auto whole = evaluate(problem), some = evaluate(problem, &rows);
  for (int64_t row = 0; row < 840; ++row) {
    const bool isIn = std::count(rows.begin(), rows.end(), row) != 0;
    const auto at = size_t(row);
    EXPECT_EQ(some.at(4).value[at], isIn ? whole.at(4).value[at] : 1234);
    EXPECT_EQ(some.at(3).value[at * 40 + 39],
              isIn ? whole.at(3).value[at * 40 + 39] : 1234);
  }
}

TEST(Attention, MasksReadExtentsAndViewsOfArguments) {
  // j <= i + extent 2 of k - extent 2 of q, and x[b, i] == y[b, j] with both
  // views of one tensor [b, i].
  AttentionSpec spec;
  spec.fused = {{ElementType::I32, 2}};
  Region &m = spec.mask;
  auto extent = [&](uint32_t argument) {
    ScalarOp op;
    op.kind = ScalarOpKind::Extent;
    op.type = ElementType::I64;
    op.index = argument;
    op.intImm = 2;
    return m.append(op);
  };
  const uint32_t i = add(m, ScalarOpKind::Index, ElementType::I64, {}, 2);
  const uint32_t j = add(m, ScalarOpKind::Index, ElementType::I64, {}, 3);
  const uint32_t keys = extent(1), queries = extent(0);
  const uint32_t shift =
      add(m, ScalarOpKind::Sub, ElementType::I64, {keys, queries});
  const uint32_t last = add(m, ScalarOpKind::Add, ElementType::I64, {i, shift});
  const uint32_t before = add(m, ScalarOpKind::Cmp, ElementType::I1, {j, last},
                              uint32_t(helios::bundle::CmpPredicate::Sle));
  const uint32_t x = add(m, ScalarOpKind::Fused, ElementType::I32, {}, 0);
  const uint32_t y = add(m, ScalarOpKind::Fused, ElementType::I32, {}, 1);
  const uint32_t same = add(m, ScalarOpKind::Cmp, ElementType::I1, {x, y},
                            uint32_t(helios::bundle::CmpPredicate::Eq));
  add(m, ScalarOpKind::And, ElementType::I1, {before, same});
  auto kernel = makeAttention(spec);
  helios::bundle::Semantics &s = *kernel.semantics;
  helios::bundle::Step attention = s.steps[0];
  s.steps.clear();
  for (size_t n = 0; n < 2; ++n) {
    helios::bundle::Step view;
    view.kind = helios::bundle::StepKind::View;
    view.a = 3;
    view.dest = uint32_t(s.slots.size());
    view.dims = {0, view.kUnit, view.kUnit, view.kUnit};
    view.dims[2 + n] = 1;
    s.slots.push_back({ElementType::I32, 4});
    s.steps.push_back(view);
  }
  attention.fused = {6, 7};
  s.steps.push_back(attention);
  const std::vector<int64_t> matrix{2, 1, 6, 8};
  Problem problem =
      inputs(kernel, {matrix, matrix, matrix, {2, 6}, matrix, {2, 1, 6}});
  problem.arguments[3].values = {0, 0, 1, 1, 0, 2, 5, 5, 5, 5, 5, 5};
  EXPECT_TRUE(isSingleAttention(kernel));
  const std::vector<int64_t> rows{2, 3, 11};
  const auto whole = evaluate(problem), some = evaluate(problem, &rows);
  // Row 2 of the first batch sees itself alone, row 5 too.
  for (int64_t d = 0; d < 8; ++d)
    for (int64_t row : {2, 5})
      EXPECT_EQ(whole.at(4).value[size_t(row * 8 + d)],
                problem.arguments[2].values[size_t(row * 8 + d)]);
  for (int64_t row : rows)
    EXPECT_EQ(whole.at(5).value[size_t(row)], some.at(5).value[size_t(row)]);
  // 1 + 2 + 1 + 2 + 3 + 1 pairs, and 21.
  auto work = usefulMultiplyAdds(problem);
  ASSERT_TRUE(work.ok());
  EXPECT_EQ(*work, (10 + 21) * 16.0);
}

TEST(Attention, WorkIsWhatTheMaskAdmits) {
  AttentionSpec spec;
  spec.mask = causal(0);
  const auto kernel = makeAttention(spec);
  const Problem problem = inputs(kernel, {{2, 3, 100, 8},
                                          {2, 1, 100, 8},
                                          {2, 1, 100, 16},
                                          {2, 3, 100, 16},
                                          {2, 3, 100}});
  auto work = usefulMultiplyAdds(problem);
  ASSERT_TRUE(work.ok());
  EXPECT_EQ(*work, 6 * 100 * 101 / 2 * 24.0);
}

TEST(Attention, EmptyExtents) {
  const auto kernel = makeAttention(AttentionSpec());
  for (const std::vector<int64_t> &e :
       {std::vector<int64_t>{0, 2, 3, 4}, {2, 0, 3, 4}, {2, 2, 0, 4}}) {
    const Problem problem = inputs(kernel, {{e[0], e[1], e[2], 8},
                                            {e[0], e[1], e[3], 8},
                                            {e[0], e[1], e[3], 8},
                                            {e[0], e[1], e[2], 8},
                                            {e[0], e[1], e[2]}});
    EXPECT_TRUE(evaluate(problem).at(3).value.empty());
  }
  const Problem noKeys = inputs(
      kernel,
      {{1, 2, 3, 8}, {1, 2, 0, 8}, {1, 2, 0, 8}, {1, 2, 3, 8}, {1, 2, 3}});
  const auto results = evaluate(noKeys);
  for (double v : results.at(3).value)
    EXPECT_EQ(v, 0);
  for (double v : results.at(4).value)
    EXPECT_EQ(v, -INFINITY);
}

TEST(Attention, SaysWhichExtentsDoNotAgree) {
  const auto kernel = makeAttention(AttentionSpec());
  auto message = [&](const std::vector<std::vector<int64_t>> &extents) {
    auto slots = slotExtents(kernel, extents);
    return slots.ok() ? "" : slots.status().message();
  };
  EXPECT_NE(
      message(
          {{1, 3, 4, 8}, {1, 2, 5, 8}, {1, 2, 5, 8}, {1, 3, 4, 8}, {1, 3, 4}})
          .find("the query's heads are no multiple of the key's: query "
                "1x3x4x8, key 1x2x5x8"),
      std::string::npos);
  EXPECT_NE(
      message(
          {{1, 2, 4, 8}, {1, 2, 5, 8}, {1, 2, 6, 8}, {1, 2, 4, 8}, {1, 2, 4}})
          .find("key and value disagree on their length"),
      std::string::npos);
  EXPECT_NE(
      message(
          {{1, 2, 4, 8}, {1, 2, 5, 8}, {1, 2, 5, 8}, {1, 2, 4, 8}, {1, 2, 5}})
          .find("the result has extents 1x2x5, the operands give 1x2x4"),
      std::string::npos);
}

} // namespace
