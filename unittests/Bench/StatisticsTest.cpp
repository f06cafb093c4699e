// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "helios/Bench/Statistics.h"
#include "helios/Bench/Random.h"
#include "helios/Bench/Report.h"
#include "gtest/gtest.h"
#include <algorithm>
#include <cmath>

using namespace helios::bench;

namespace {

TEST(Statistics, QuantilesInterpolate) {
  const std::vector<double> sorted{1, 2, 3, 4};
  EXPECT_DOUBLE_EQ(quantile(sorted, 0), 1);
  EXPECT_DOUBLE_EQ(quantile(sorted, 0.5), 2.5);
  EXPECT_DOUBLE_EQ(quantile(sorted, 0.9), 3.7);
  EXPECT_DOUBLE_EQ(quantile(sorted, 1), 4);
  EXPECT_DOUBLE_EQ(quantile({7}, 0.95), 7);
}

TEST(Statistics, SummaryOfKnownNumbers) {
  std::vector<double> values;
  for (int i = 100; i >= 1; --i)
    values.push_back(i);
  const Summary s = summarize({values});
  EXPECT_EQ(s.count, 100u);
  EXPECT_DOUBLE_EQ(s.median, 50.5);
  EXPECT_NEAR(s.p90, 90.1, 1e-12);
  EXPECT_NEAR(s.p95, 95.05, 1e-12);
  EXPECT_DOUBLE_EQ(s.mean, 50.5);
  EXPECT_NEAR(s.variation, 29.011491975882016 / 50.5, 1e-12);
  // The published ranks for n = 100 are the 40th and the 61st.
  EXPECT_DOUBLE_EQ(s.low, 40);
  EXPECT_DOUBLE_EQ(s.high, 61);
}

TEST(Statistics, FewSamplesGiveTheirWholeRange) {
  const Summary s = summarize({{3, 1, 2}});
  EXPECT_EQ(s.low, 1);
  EXPECT_EQ(s.high, 3);
  EXPECT_EQ(summarize({}).count, 0u);
  EXPECT_EQ(summarize({{}}).count, 0u);
}

TEST(Statistics, TheIntervalHoldsTheMedianAsOftenAsItSays) {
  const RandomStream random(5, 0);
  int inside = 0;
  const int trials = 2000, n = 40;
  for (int t = 0; t < trials; ++t) {
    std::vector<double> values;
    for (int i = 0; i < n; ++i)
      values.push_back(
          std::exp(random.uniform(uint64_t(t * n + i)))); // true median 1
    const Summary s = summarize({values});
    inside += s.low <= 1 && 1 <= s.high;
  }
  EXPECT_GE(double(inside) / trials, 0.94);
  EXPECT_LE(double(inside) / trials, 0.985);
}

TEST(Statistics, RepetitionsThatDisagreeWidenTheInterval) {
  const std::vector<double> low(30, 10.0), high(30, 12.0);
  const Summary s = summarize({low, high, low});
  EXPECT_EQ(s.low, 10);
  EXPECT_EQ(s.high, 12);
}

Summary at(double median, double low, double high) {
  Summary s;
  s.count = 30;
  s.median = median;
  s.low = low;
  s.high = high;
  return s;
}

TEST(Statistics, ComparisonsSayOnlyWhatTheIntervalsAllow) {
  EXPECT_EQ(compare(at(10, 9.9, 10.1), at(10, 9.9, 10.1)), Comparison::Same);
  EXPECT_EQ(compare(at(12, 11.9, 12.1), at(10, 9.9, 10.1)), Comparison::Slow);
  EXPECT_EQ(compare(at(8, 7.9, 8.1), at(10, 9.9, 10.1)), Comparison::Fast);
  EXPECT_EQ(compare(at(10.5, 8, 13), at(10, 8, 12)), Comparison::Ambiguous);
  // Apart, but by less than the threshold: not worth a word.
  EXPECT_EQ(compare(at(10.05, 10.04, 10.06), at(10, 9.99, 10.01)),
            Comparison::Same);
  EXPECT_EQ(compare(at(10.05, 10.04, 10.06), at(10, 9.99, 10.01), 0.001),
            Comparison::Slow);
}

Session oneRow(double median, const char *device = "H") {
  Session run;
  run.device.name = device;
  run.device.deviceClass = helios::rt::DeviceClass::Gpu;
  Row row;
  row.what.name = "gemm";
  row.what.shape = "1x2x3";
  row.result.verdict = Verdict::Passed;
  row.result.timed = true;
  row.result.flops = 2e6;
  row.result.gpuNs = {std::vector<double>(30, median)};
  row.result.gpu = summarize(row.result.gpuNs);
  row.result.checks.push_back({InputKind::Uniform, {}});
  run.rows.push_back(row);
  return run;
}

TEST(Report, ABaselineIsMatchedThroughItsFile) {
  const Json old = *Json::parse(toJson(oneRow(1000)).write());
  Session now = oneRow(1100);
  ASSERT_TRUE(compareWithBaseline(now, old, 0.01).ok());
  ASSERT_TRUE(now.rows[0].baseline.found);
  EXPECT_EQ(now.rows[0].baseline.comparison, Comparison::Slow);
  EXPECT_NEAR(now.rows[0].baseline.ratio, 1.1, 1e-12);
  EXPECT_NE(formatTable(now).find("SLOW (1.100)"), std::string::npos);
  Session other = oneRow(1100, "another");
  ASSERT_TRUE(compareWithBaseline(other, old, 0.01).ok());
  EXPECT_FALSE(other.rows[0].baseline.found)
      << "times of another device say nothing";
  EXPECT_FALSE(
      compareWithBaseline(now, *Json::parse("{\"schema\": \"x\"}"), 0.01).ok());
}

/// Exit status of `median`, with a baseline of 1000, at a threshold of 1 %.
int exitCodeBesideBaseline(double median) {
  Session now = oneRow(median);
  EXPECT_TRUE(
      compareWithBaseline(now, *Json::parse(toJson(oneRow(1000)).write()), 0.01)
          .ok());
  return exitCodeOf(now);
}

TEST(Report, ARegressionEndsWithFive) {
  EXPECT_EQ(exitCodeBesideBaseline(1011), 5);
  EXPECT_EQ(exitCodeBesideBaseline(1009), 0) << "less than the threshold";
  EXPECT_EQ(exitCodeBesideBaseline(989), 0) << "faster";
}

TEST(Report, OverlappingIntervalsAreNoRegression) {
  // Medians 2 % apart, but each interval holds the other's median.
  Session old = oneRow(1000), now = oneRow(1020);
  for (auto [run, center] :
       {std::pair{&old, 1000.0}, std::pair{&now, 1020.0}}) {
    CaseResult &r = run->rows[0].result;
    for (size_t i = 0; i < 30; ++i)
      r.gpuNs[0][i] = center + (double(i) - 14.5) * 8;
    r.gpu = summarize(r.gpuNs);
  }
  ASSERT_TRUE(
      compareWithBaseline(now, *Json::parse(toJson(old).write()), 0.01).ok());
  ASSERT_TRUE(now.rows[0].baseline.found);
  EXPECT_NE(now.rows[0].baseline.comparison, Comparison::Slow);
  EXPECT_EQ(exitCodeOf(now), 0);
}

TEST(Report, AWrongResultWeighsMoreThanAFailureAndThatMoreThanARegression) {
  Session run = oneRow(1000);
  run.rows.resize(4, run.rows[0]);
  run.rows[0].baseline.found = true;
  run.rows[0].baseline.comparison = Comparison::Slow;
  EXPECT_EQ(exitCodeOf(run), 5);
  run.rows[1].result.verdict = Verdict::Unsupported;
  EXPECT_EQ(exitCodeOf(run), 3);
  run.rows[2].result.error = helios::Status::invalidInput("no such extent");
  EXPECT_EQ(exitCodeOf(run), 2);
  run.rows[3].result.error = helios::Status::device("lost");
  EXPECT_EQ(exitCodeOf(run), 4);
  run.rows[3].result.verdict = Verdict::Incorrect;
  EXPECT_EQ(exitCodeOf(run), 1);
}

TEST(Report, AFailedCheckHasNoTime) {
  Session run = oneRow(1000);
  EXPECT_NE(formatTable(run).find("1.00 us"), std::string::npos);
  run.rows[0].result.verdict = Verdict::Incorrect;
  run.rows[0].result.timed = false;
  EXPECT_EQ(formatTable(run).find("1.00 us"), std::string::npos);
  EXPECT_EQ(formatCsv(run).find("1000"), std::string::npos);
  EXPECT_TRUE(toJson(run)["results"].elements()[0]["gpu_ns"].isNull());
}

TEST(Report, ACpuTimeIsNoPerformanceFigure) {
  Session run = oneRow(1000);
  EXPECT_EQ(formatTable(run).find("not a performance figure"),
            std::string::npos);
  run.device.deviceClass = helios::rt::DeviceClass::Cpu;
  EXPECT_NE(formatTable(run).find("cpu, not a performance figure"),
            std::string::npos);
  EXPECT_NE(formatCsv(run).find("cpu, not a performance figure"),
            std::string::npos);
  EXPECT_FALSE(toJson(run)["performance_figures"].asBool());
}

TEST(Report, FiguresAreSharesOfTheCeilingOfTheirTypes) {
  Session run = oneRow(1000);
  run.rows[0].what.types = "f16:f16:f32:f16";
  run.ceilings = {{"peak_bf16", "bf16:bf16:f32", 8e12, 8e12},
                  {"peak_f16", "f16:f16:f32", 4e12, 3e12}};
  EXPECT_NE(formatTable(run).find("50.0 %"), std::string::npos);
  // The faster of a device's instructions sets the ceiling.
  run.ceilings.push_back({"peak_other_f16", "f16:f16:f32", 8e12, 8e12});
  EXPECT_NE(formatTable(run).find("25.0 %"), std::string::npos);
}

} // namespace
