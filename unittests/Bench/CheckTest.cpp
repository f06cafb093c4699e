// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Right results pass, and each way of being wrong is reported as incorrect.

#include "helios/Bench/Check.h"
#include "Build.h"
#include "helios/Bench/Inputs.h"
#include "helios/Bench/Numbers.h"
#include "gtest/gtest.h"
#include <algorithm>
#include <cmath>

using namespace helios::bench;
using namespace helios::bench::test;

namespace {

/// A kernel, its inputs, and what a correct float kernel would have left in
/// memory.
struct KernelRun {
  helios::bundle::Kernel kernel;
  Problem problem;
  std::vector<ResultImage> results;
  CheckLimits limits;

  KernelRun(const GemmSpec &spec, int64_t m, int64_t n, int64_t k,
            InputKind kind, int64_t padRows = 0)
      : kernel(makeGemm(spec)) {
    std::vector<std::vector<int64_t>> extents{{m, k}, {k, n}};
    for (const auto &[type, rank] : spec.fused)
      extents.push_back(rank == 1 ? std::vector<int64_t>{n}
                                  : std::vector<int64_t>{m, n});
    extents.push_back({m, n});
    auto made = makeInputs(kernel, extents, kind, 11, {});
    EXPECT_TRUE(made.ok());
    problem = std::move(*made);
    problem.kernel = &kernel;
    results.resize(kernel.arguments.size());
    ResultImage &d = results.back();
    d.layout = *layoutImage(spec.d, {m, n}, padRows, 0);
    d.bytes = poisonedImage(d.layout);
    EXPECT_TRUE(evaluateWhole(problem, [&](const Segment &s) {
                  encodeElements(
                      d.layout.type, s.expected->value, size_t(s.count),
                      d.bytes.data() + elementOffset(d.layout, s.offset));
                }).ok());
    limits.wholeMultiplyAdds = 1e12;
  }

  void set(int64_t offset, double value) {
    encodeElements(results.back().layout.type, &value, 1,
                   results.back().bytes.data() +
                       elementOffset(results.back().layout, offset));
  }
  double get(int64_t offset) {
    double v;
    decodeElements(results.back().layout.type,
                   results.back().bytes.data() +
                       elementOffset(results.back().layout, offset),
                   1, &v);
    return v;
  }
  CheckReport check() {
    auto report = checkResults(problem, results, limits);
    EXPECT_TRUE(report.ok()) << report.status().message();
    return *report;
  }
};

GemmSpec withBias() {
  GemmSpec spec;
  spec.fused = {{ElementType::F16, 1}};
  Region &r = spec.region;
  const uint32_t x = add(r, ScalarOpKind::Accumulator, ElementType::F32);
  const uint32_t f = add(r, ScalarOpKind::Fused, ElementType::F16, {}, 0);
  const uint32_t e = add(r, ScalarOpKind::Cast, ElementType::F32, {f});
  const uint32_t y = add(r, ScalarOpKind::Add, ElementType::F32, {x, e});
  add(r, ScalarOpKind::Cast, ElementType::F16, {y});
  return spec;
}

TEST(Check, RightResultsPassWhole) {
  for (InputKind kind :
       {InputKind::Uniform, InputKind::Integers, InputKind::Repeated}) {
    KernelRun run(withBias(), 70, 600, 90, kind, 3);
    const CheckReport report = run.check();
    EXPECT_EQ(report.verdict(), Verdict::Passed) << report.reason();
    EXPECT_TRUE(report.isWhole());
    EXPECT_EQ(report.compared, 70 * 600);
    if (kind == InputKind::Integers) {
      EXPECT_EQ(report.exact, report.elements);
    }
  }
}

TEST(Check, APlantedWrongElementIsIncorrect) {
  KernelRun run(withBias(), 70, 600, 90, InputKind::Uniform);
  run.set(37 * 600 + 421, run.get(37 * 600 + 421) + 0.25);
  const CheckReport report = run.check();
  EXPECT_EQ(report.verdict(), Verdict::Incorrect);
  EXPECT_EQ(report.wrong, 1);
  EXPECT_NE(report.firstWrong.find("d[37, 421]"), std::string::npos)
      << report.firstWrong;
}

/// A product of four groups of rows, with a bias of each.
struct GroupedRun {
  helios::bundle::Kernel kernel;
  Problem problem;
  std::vector<ResultImage> results;

  explicit GroupedRun(std::vector<int64_t> ends) {
    GemmSpec spec = withBias();
    kernel = makeGemm(spec);
    // The spec's kernel is [M, K], [K, N], [N]; this one's [T, K], [E, K, N],
    // [E, 1, N], and the ends.
    auto &arguments = kernel.arguments;
    arguments[1].extents = {-1, -1, -1};
    arguments[2].extents = {-1, 1, -1};
    auto argument = arguments[2];
    argument.name = "ends";
    argument.type = ElementType::I32;
    argument.extents = {-1};
    arguments.insert(arguments.begin() + 3, argument);
    auto &semantics = *kernel.semantics;
    semantics.slots[1].rank = semantics.slots[2].rank = 3;
    semantics.slots.insert(semantics.slots.begin() + 3, {ElementType::I32, 1});
    semantics.steps[0].dest = 4;
    semantics.steps[0].ends = 3;
    auto made =
        makeInputs(kernel, {{30, 12}, {4, 12, 20}, {4, 1, 20}, {4}, {30, 20}},
                   InputKind::Uniform, 11, {});
    EXPECT_TRUE(made.ok());
    problem = std::move(*made);
    problem.kernel = &kernel;
    EXPECT_TRUE(putEnds(problem, {GroupEnds::Given, std::move(ends)}, 1).ok());
    results.resize(5);
    ResultImage &d = results.back();
    d.layout = *layoutImage(spec.d, {30, 20}, 0, 0);
    d.bytes = poisonedImage(d.layout);
    // By hand: each row with the first group whose end is greater.
    const auto &a = problem.arguments[0].values,
               &b = problem.arguments[1].values,
               &bias = problem.arguments[2].values,
               &e = problem.arguments[3].values;
    for (int64_t i = 0; i < 30; ++i)
      for (int64_t j = 0; j < 20; ++j) {
        size_t g = 0;
        while (g < 4 && !(e[g] > double(i)))
          ++g;
        if (g == 4)
          continue;
        double sum = bias[g * 20 + size_t(j)];
        for (int64_t k = 0; k < 12; ++k)
          sum +=
              a[size_t(i * 12 + k)] * b[(g * 12 + size_t(k)) * 20 + size_t(j)];
        set(i * 20 + j, sum);
      }
  }
  void set(int64_t offset, double value) {
    encodeElements(results.back().layout.type, &value, 1,
                   results.back().bytes.data() +
                       elementOffset(results.back().layout, offset));
  }
  CheckReport check() {
    CheckLimits limits;
    limits.wholeMultiplyAdds = 1e12;
    auto report = checkResults(problem, results, limits);
    EXPECT_TRUE(report.ok()) << report.status().message();
    return *report;
  }
};

TEST(Check, RowsBelongToTheFirstGroupThatEndsBehindThem) {
  for (std::vector<int64_t> ends : {std::vector<int64_t>{5, 5, 17, 28},
                                    {20, 3, -4, 1000},
                                    {-1, 0, 0, -7},
                                    {30, 30, 30, 30}}) {
    GroupedRun run(ends);
    const CheckReport report = run.check();
    EXPECT_EQ(report.verdict(), Verdict::Passed) << report.reason();
    EXPECT_TRUE(report.isWhole());
  }
}

TEST(Check, ARowThatNoGroupHasMustNotBeWritten) {
  GroupedRun run({5, 5, 17, 28});
  run.set(28 * 20 + 3, 0);
  const CheckReport report = run.check();
  EXPECT_EQ(report.verdict(), Verdict::Incorrect);
  EXPECT_EQ(report.wrong, 1);
  EXPECT_NE(report.firstWrong.find("d[28, 3]: expected never to be written"),
            std::string::npos)
      << report.firstWrong;
}

TEST(Check, EndsHaveToBeThoseOfTheKernel) {
  GroupedRun run({1, 2, 3, 4});
  EXPECT_NE(putEnds(run.problem, {GroupEnds::Given, {1, 2}}, 1)
                .message()
                .find("expected an end for each of the 4 groups"),
            std::string::npos);
  KernelRun plain(withBias(), 8, 8, 8, InputKind::Uniform);
  EXPECT_FALSE(putEnds(plain.problem, {GroupEnds::Even, {}}, 1).ok());
}

TEST(Check, AWrongFragmentIsIncorrect) {
  KernelRun run(withBias(), 64, 64, 96, InputKind::Uniform);
  for (int i = 16; i < 32; ++i) // two 16x16 fragments exchanged
    for (int j = 0; j < 16; ++j) {
      const double left = run.get(i * 64 + j), right = run.get(i * 64 + j + 16);
      run.set(i * 64 + j, right);
      run.set(i * 64 + j + 16, left);
    }
  const CheckReport report = run.check();
  EXPECT_EQ(report.verdict(), Verdict::Incorrect);
  EXPECT_GT(report.wrong, 400);
  EXPECT_EQ(report.firstWrongOffset, 16 * 64);
}

TEST(Check, OneUnitInTheLastPlaceIsSeenOnIntegers) {
  KernelRun run(withBias(), 64, 64, 96, InputKind::Integers);
  run.set(5, std::nextafter(run.get(5), 1000) +
                 (run.get(5) == 0 ? 1 : std::fabs(run.get(5)) * 0x1p-10));
  EXPECT_EQ(run.check().verdict(), Verdict::Incorrect);
}

TEST(Check, TruncationInsteadOfRoundingIsSeenOnIntegers) {
  KernelRun run(GemmSpec(), 64, 64, 700, InputKind::Integers);
  EXPECT_EQ(run.check().verdict(), Verdict::Passed);
  // Sums beyond 2048 do not all fit a half; rounding towards zero then differs
  // somewhere.
  GemmSpec spec;
  spec.d = ElementType::BF16;
  KernelRun narrow(spec, 64, 64, 700, InputKind::Integers);
  EXPECT_EQ(narrow.check().verdict(), Verdict::Passed);
  ASSERT_TRUE(evaluateWhole(narrow.problem, [&](const Segment &) {}).ok());
  bool changed = false;
  GemmSpec wide;
  wide.d = ElementType::F32;
  KernelRun sums(wide, 64, 64, 700, InputKind::Integers);
  for (int64_t i = 0; i < 64 * 64; ++i) {
    const double sum = sums.get(i), rounded = narrow.get(i);
    if (std::fabs(rounded) > std::fabs(sum)) {
      narrow.set(i, rounded * (1 - 0x1p-8));
      changed = true;
    }
  }
  ASSERT_TRUE(changed);
  EXPECT_EQ(narrow.check().verdict(), Verdict::Incorrect);
}

TEST(Check, NanInfinityAndPoisonFail) {
  for (double bad : {double(NAN), double(INFINITY), double(-INFINITY)}) {
    KernelRun run(withBias(), 20, 20, 20, InputKind::Uniform);
    run.set(7, bad);
    const CheckReport report = run.check();
    EXPECT_EQ(report.verdict(), Verdict::Incorrect);
    EXPECT_EQ(report.wrongNan, std::isnan(bad) ? 1 : 0);
  }
  KernelRun run(withBias(), 20, 20, 20, InputKind::Uniform);
  auto poison = poisonedImage(run.results.back().layout);
  const uint64_t at = elementOffset(run.results.back().layout, 399);
  std::copy_n(poison.begin() + long(at), 2,
              run.results.back().bytes.begin() + long(at));
  const CheckReport report = run.check();
  EXPECT_EQ(report.verdict(), Verdict::Incorrect);
  EXPECT_EQ(report.unwritten, 1);
}

TEST(Check, AReferenceNanWantsANan) {
  KernelRun run(GemmSpec(), 8, 8, 8, InputKind::Uniform);
  run.problem.arguments[0].values[0] = NAN; // row 0 of the product
  EXPECT_EQ(run.check().verdict(), Verdict::Incorrect);
  for (int j = 0; j < 8; ++j)
    run.set(j, NAN);
  EXPECT_EQ(run.check().verdict(), Verdict::Passed) << run.check().reason();
}

TEST(Check, InfinitiesMustMatch) {
  KernelRun run(GemmSpec(), 8, 8, 1, InputKind::Uniform);
  run.problem.arguments[0].values[0] = INFINITY;
  for (int j = 0; j < 8; ++j)
    run.set(j, run.problem.arguments[1].values[size_t(j)] > 0 ? INFINITY
                                                              : -INFINITY);
  EXPECT_EQ(run.check().verdict(), Verdict::Passed) << run.check().reason();
  run.set(3, -run.get(3));
  EXPECT_EQ(run.check().verdict(), Verdict::Incorrect);
}

TEST(Check, ADamagedGuardBandIsIncorrect) {
  KernelRun run(withBias(), 20, 20, 20, InputKind::Uniform);
  run.results.back().bytes[kGuardBytes - 1] ^= 1;
  const CheckReport report = run.check();
  EXPECT_EQ(report.verdict(), Verdict::Incorrect);
  EXPECT_NE(report.reason().find("byte 1 before the tensor"), std::string::npos)
      << report.reason();
}

TEST(Check, WithoutMeaningNothingIsVerified) {
  KernelRun run(withBias(), 20, 20, 20, InputKind::Uniform);
  run.kernel.semantics.reset();
  EXPECT_EQ(run.check().verdict(), Verdict::NotVerified);
}

TEST(Check, PolesOfAFunctionAreFreeButNotManyOfThem) {
  GemmSpec spec;
  spec.d = ElementType::F32;
  Region &r = spec.region;
  const uint32_t x = add(r, ScalarOpKind::Accumulator, ElementType::F32);
  const uint32_t one = add(r, ScalarOpKind::Const, ElementType::F32, {}, 0, 1);
  add(r, ScalarOpKind::Div, ElementType::F32, {one, x});
  KernelRun run(spec, 60, 60, 40, InputKind::Uniform);
  for (int p = 0; p < 40;
       ++p) // a row that sums to zero, for a tolerance on both sides of it
    run.problem.arguments[0].values[size_t(p)] = p % 2 ? -0.5 : 0.5;
  for (int p = 0; p < 40; p += 2)
    run.problem.arguments[1].values[size_t(p * 60)] =
        run.problem.arguments[1].values[size_t((p + 1) * 60)];
  ResultImage &d = run.results.back();
  ASSERT_TRUE(evaluateWhole(run.problem, [&](const Segment &s) {
                encodeElements(
                    d.layout.type, s.expected->value, size_t(s.count),
                    d.bytes.data() + elementOffset(d.layout, s.offset));
              }).ok());
  run.set(0, NAN);
  EXPECT_EQ(run.check().unbounded, 1);
  EXPECT_EQ(run.check().verdict(), Verdict::Passed) << run.check().reason();
  run.set(1, NAN);
  EXPECT_EQ(run.check().verdict(), Verdict::Incorrect);
}

TEST(Check, LargeResultsAreSampledAndChecksummed) {
  KernelRun run(withBias(), 200, 3000, 64, InputKind::Uniform);
  run.limits.wholeMultiplyAdds = 1;
  run.limits.samples = 500;
  const CheckReport right = run.check();
  EXPECT_EQ(right.verdict(), Verdict::Passed) << right.reason();
  EXPECT_TRUE(right.checksummed);
  EXPECT_LT(right.compared, 2000);
  // An element that no sample touches.
  const auto samples = sampleOffsets({200, 3000}, 500, run.limits.seed);
  int64_t planted = 77 * 3000 + 1001;
  while (std::binary_search(samples.begin(), samples.end(), planted))
    ++planted;
  run.set(planted, run.get(planted) + 8);
  const CheckReport wrong = run.check();
  EXPECT_EQ(wrong.verdict(), Verdict::Incorrect);
  EXPECT_NE(wrong.firstWrong.find("checksum of the row"), std::string::npos)
      << wrong.firstWrong;
}

TEST(Check, ChecksumsHoldForEachKindOfScale) {
  for (int kind = 0; kind < 3;
       ++kind) { // by column, by row, alpha a b + beta c
    GemmSpec spec;
    spec.fused = {{ElementType::F16, kind == 0 ? 1u : 2u}};
    Region &r = spec.region;
    const uint32_t x = add(r, ScalarOpKind::Accumulator, ElementType::F32);
    const uint32_t f = add(r, ScalarOpKind::Fused, ElementType::F16, {}, 0);
    const uint32_t e = add(r, ScalarOpKind::Cast, ElementType::F32, {f});
    const uint32_t c =
        add(r, ScalarOpKind::Const, ElementType::F32, {}, 0, 0.3);
    const uint32_t y =
        kind < 2 ? add(r, ScalarOpKind::Mul, ElementType::F32, {x, e})
                 : add(r, ScalarOpKind::Fma, ElementType::F32, {x, c, e});
    add(r, ScalarOpKind::Cast, ElementType::F16, {y});
    KernelRun run(spec, 100, 700, 64, InputKind::Uniform);
    if (kind == 1) { // a column of row factors
      auto &factors = run.problem.arguments[2];
      factors.extents = {100, 1};
      factors.values.resize(100);
      ResultImage &d = run.results.back();
      ASSERT_TRUE(evaluateWhole(run.problem, [&](const Segment &s) {
                    encodeElements(
                        d.layout.type, s.expected->value, size_t(s.count),
                        d.bytes.data() + elementOffset(d.layout, s.offset));
                  }).ok());
    }
    run.limits.wholeMultiplyAdds = 1;
    run.limits.samples = 10;
    const CheckReport right = run.check();
    EXPECT_EQ(right.verdict(), Verdict::Passed)
        << kind << ": " << right.reason();
    EXPECT_TRUE(right.checksummed) << kind;
    run.set(50 * 700 + 345, run.get(50 * 700 + 345) + 10);
    EXPECT_EQ(run.check().verdict(), Verdict::Incorrect) << kind;
  }
}

TEST(Check, HalfAccumulatorsHaveTheirOwnTolerance) {
  GemmSpec spec;
  spec.accumulator = ElementType::F16;
  const int64_t m = 32, n = 32, k = 1024;
  KernelRun run(spec, m, n, k, InputKind::Uniform);
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      double sum = 0;
      for (int64_t p = 0; p < k; ++p)
        sum = roundFloat(
            ElementType::F16,
            sum + run.problem.arguments[0].values[size_t(i * k + p)] *
                      run.problem.arguments[1].values[size_t(p * n + j)]);
      run.set(i * n + j, sum);
    }
  EXPECT_EQ(run.check().verdict(), Verdict::Passed) << run.check().reason();
  KernelRun exact(spec, m, n, k, InputKind::Integers);
  const CheckReport report = exact.check();
  EXPECT_EQ(report.exact, report.elements)
      << "sparse integers stay exact in sixteen bits";
}

TEST(Check, HalfAccumulatorsMayLoseTheSmallestNumbers) {
  GemmSpec spec;
  spec.accumulator = ElementType::F16;
  spec.d = ElementType::F32;
  KernelRun run(spec, 1, 1, 1, InputKind::Uniform);
  const double quantum = 0x1p-24;
  run.problem.arguments[0].values[0] = 0x1p-10;
  run.problem.arguments[1].values[0] = 0x1.81p-10; // 24.0625 quanta
  run.set(0, 24 * quantum);
  EXPECT_EQ(run.check().verdict(), Verdict::Passed) << run.check().reason();
  run.set(0, 22 * quantum);
  EXPECT_EQ(run.check().verdict(), Verdict::Incorrect);
}

TEST(Check, SamplesCoverCornersAndTileEdges) {
  const auto offsets = sampleOffsets({1000, 1016}, 3000, 1);
  for (auto [r, c] : std::initializer_list<std::pair<int, int>>{{0, 0},
                                                                {999, 1015},
                                                                {127, 128},
                                                                {128, 127},
                                                                {895, 896},
                                                                {0, 1015},
                                                                {63, 0}})
    EXPECT_TRUE(std::binary_search(offsets.begin(), offsets.end(),
                                   int64_t(r) * 1016 + c))
        << r << ", " << c;
  EXPECT_GE(offsets.size(), 3000u);
  EXPECT_TRUE(sampleOffsets({0, 5}, 10, 1).empty());
}

} // namespace
