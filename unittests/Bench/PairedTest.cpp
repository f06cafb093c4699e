// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "helios/Bench/Paired.h"
#include "helios/Bench/Random.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace helios::bench;

namespace {

TEST(PairedRatio, EqualPairsHaveNoWidth) {
  const PairedRatio r = pairedRatio({1, 2, 4}, {2, 4, 8});
  EXPECT_EQ(r.pairs, 3u);
  EXPECT_DOUBLE_EQ(r.ratio, 2);
  EXPECT_DOUBLE_EQ(r.low, 2);
  EXPECT_DOUBLE_EQ(r.high, 2);
}

TEST(PairedRatio, IntervalOfKnownNumbers) {
  // Logarithms 0, 0.1, 0.2, 0.3, 0.4: mean 0.2, standard error 0.0707107, and
  // the tables' t for four degrees of freedom is 2.776.
  std::vector<double> ours(5, 1.0), theirs;
  for (int i = 0; i < 5; ++i)
    theirs.push_back(std::exp(0.1 * i));
  const PairedRatio r = pairedRatio(ours, theirs);
  EXPECT_NEAR(std::log(r.ratio), 0.2, 1e-12);
  EXPECT_NEAR(std::log(r.low), 0.2 - 2.776 * 0.0707107, 2e-3);
  EXPECT_NEAR(std::log(r.high), 0.2 + 2.776 * 0.0707107, 2e-3);
}

TEST(PairedRatio, DriftThatBothShareCancels) {
  std::vector<double> ours, theirs;
  for (int i = 0; i < 40; ++i) {
    ours.push_back(1 + 0.05 * i);
    theirs.push_back(1.01 * (1 + 0.05 * i));
  }
  const PairedRatio r = pairedRatio(ours, theirs);
  EXPECT_NEAR(r.low, 1.01, 1e-9);
  EXPECT_NEAR(r.high, 1.01, 1e-9);
}

TEST(PairedRatio, FewPairsSayNothing) {
  EXPECT_EQ(pairedRatio({}, {1}).pairs, 0u);
  const PairedRatio one = pairedRatio({1}, {2});
  EXPECT_DOUBLE_EQ(one.ratio, 2);
  EXPECT_EQ(one.low, 0);
  EXPECT_TRUE(std::isinf(one.high));
}

TEST(MeanRatio, IsGeometricAndNarrowsWithCases) {
  EXPECT_EQ(meanRatio({}).pairs, 0u);
  PairedRatio half, twice;
  half.pairs = twice.pairs = 10;
  half.ratio = 0.5, half.low = 0.5 / 1.1, half.high = 0.5 * 1.1;
  twice.ratio = 2, twice.low = 2 / 1.1, twice.high = 2 * 1.1;
  const PairedRatio mean = meanRatio({half, twice});
  EXPECT_EQ(mean.pairs, 20u);
  EXPECT_NEAR(mean.ratio, 1, 1e-12);
  EXPECT_NEAR(mean.high, std::pow(1.1, std::sqrt(2.0) / 2), 1e-12);
  EXPECT_NEAR(mean.low * mean.high, 1, 1e-12);
}

TEST(PairedRatio, CoversTheTruthAsOftenAsItSays) {
  const RandomStream random(7, 0);
  uint64_t drawn = 0;
  int covered = 0;
  const int trials = 2000;
  for (int t = 0; t < trials; ++t) {
    std::vector<double> ours, theirs;
    for (int i = 0; i < 10; ++i) {
      double noise = 0; // nearly normal
      for (int k = 0; k < 12; ++k)
        noise += random.uniform(drawn++) / 2;
      ours.push_back(1);
      theirs.push_back(std::exp(0.02 + 0.01 * noise));
    }
    const PairedRatio r = pairedRatio(ours, theirs);
    covered += r.low <= std::exp(0.02) && std::exp(0.02) <= r.high;
  }
  EXPECT_NEAR(double(covered) / trials, 0.95, 0.015);
}

} // namespace
