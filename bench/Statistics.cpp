// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "helios/Bench/Statistics.h"

#include <algorithm>
#include <cmath>

namespace helios::bench {

double quantile(const std::vector<double> &sorted, double q) {
  const double at = q * double(sorted.size() - 1);
  const auto below = size_t(std::floor(at));
  const size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (at - double(below)) * (sorted[above] - sorted[below]);
}

namespace {

/// The largest r such that ranks [r, n - 1 - r] hold the median with at least
/// 95 % probability; 0 for few samples.
size_t medianRank(size_t n) {
  // The number of samples below the median is binomial(n, 1/2); add up its
  // lower tail in logarithms.
  double tail = 0;
  size_t rank = 0;
  double logTerm = -double(n) * std::log(2.0); // C(n, 0) / 2^n
  for (size_t i = 0; i < n / 2; ++i) {
    tail += std::exp(logTerm);
    if (tail > 0.025)
      break;
    rank = i + 1;
    logTerm += std::log(double(n - i)) - std::log(double(i + 1));
  }
  return rank == 0 ? 0 : rank - 1;
}

} // namespace

Summary summarize(const std::vector<std::vector<double>> &repetitions) {
  std::vector<double> all;
  for (const auto &repetition : repetitions)
    all.insert(all.end(), repetition.begin(), repetition.end());
  Summary s;
  s.count = all.size();
  if (all.empty())
    return s;
  std::sort(all.begin(), all.end());
  s.median = quantile(all, 0.5);
  s.p90 = quantile(all, 0.9);
  s.p95 = quantile(all, 0.95);
  s.smallest = all.front();
  s.largest = all.back();
  for (double v : all)
    s.mean += v / double(all.size());
  double squares = 0;
  for (double v : all)
    squares += (v - s.mean) * (v - s.mean);
  if (all.size() > 1 && s.mean != 0)
    s.variation = std::sqrt(squares / double(all.size() - 1)) / s.mean;
  const size_t rank = medianRank(all.size());
  s.low = all[rank];
  s.high = all[all.size() - 1 - rank];
  for (std::vector<double> repetition : repetitions) {
    if (repetition.empty())
      continue;
    std::sort(repetition.begin(), repetition.end());
    const double own = quantile(repetition, 0.5);
    s.low = std::min(s.low, own);
    s.high = std::max(s.high, own);
  }
  return s;
}

const char *comparisonName(Comparison comparison) {
  switch (comparison) {
  case Comparison::Same:
    return "SAME";
  case Comparison::Fast:
    return "FAST";
  case Comparison::Slow:
    return "SLOW";
  case Comparison::Ambiguous:
    return "AMBIGUOUS";
  }
  return "?";
}

Comparison compare(const Summary &now, const Summary &before,
                   double threshold) {
  const double ratio = now.median / before.median;
  if (now.high < before.low && ratio <= 1 - threshold)
    return Comparison::Fast;
  if (now.low > before.high && ratio >= 1 + threshold)
    return Comparison::Slow;
  const double low = now.low / before.high, high = now.high / before.low;
  return low >= 0.95 && high <= 1.05 ? Comparison::Same : Comparison::Ambiguous;
}

} // namespace helios::bench
