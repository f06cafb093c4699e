// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HELIOS_BENCH_STATISTICS_H
#define HELIOS_BENCH_STATISTICS_H

#include <string>
#include <vector>

namespace helios::bench {

/// What is reported of a set of times; all in the samples' unit.
struct Summary {
  size_t count = 0;
  double median = 0, p90 = 0, p95 = 0, mean = 0, smallest = 0, largest = 0;
  /// Standard deviation over mean.
  double variation = 0;
  /// 95 % interval of the median.
  double low = 0, high = 0;
};

/// Quantile q in [0, 1] by linear interpolation between order statistics;
/// `sorted` is not empty.
double quantile(const std::vector<double> &sorted, double q);

/// Summarises repetitions. The interval comes from order statistics of all
/// samples (the ranks between which the median lies with 95 % probability,
/// whatever the distribution), widened to hold every repetition's own median:
/// neighbours in time are not independent. Empty input gives count 0.
Summary summarize(const std::vector<std::vector<double>> &repetitions);

/// A new time against an old one.
enum class Comparison { Same, Fast, Slow, Ambiguous };
const char *comparisonName(Comparison comparison);

/// FAST or SLOW if the intervals do not overlap and the medians differ by at
/// least `threshold` (0.01 is 1 %); else SAME if the ratio's interval is no
/// wider than 5 % either way, else AMBIGUOUS: there the measurement could not
/// tell.
Comparison compare(const Summary &now, const Summary &before,
                   double threshold = 0.01);

} // namespace helios::bench

#endif // HELIOS_BENCH_STATISTICS_H
