// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "helios/Bench/Paired.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace helios::bench {

namespace {

/// The 97.5 % quantile of Student's t, by the expansion around the normal
/// quantile (Abramowitz and Stegun, 26.7.5); exact to 1 % from 3 degrees of
/// freedom on.
double studentQuantile(double degrees) {
  if (degrees < 1.5)
    return 12.706;
  if (degrees < 2.5)
    return 4.303;
  const double z = 1.959964, z3 = z * z * z, z5 = z3 * z * z, z7 = z5 * z * z;
  return z + (z3 + z) / (4 * degrees) +
         (5 * z5 + 16 * z3 + 3 * z) / (96 * degrees * degrees) +
         (3 * z7 + 19 * z5 + 17 * z3 - 15 * z) /
             (384 * degrees * degrees * degrees);
}

} // namespace

PairedRatio pairedRatio(const std::vector<double> &ours,
                        const std::vector<double> &theirs) {
  PairedRatio result;
  result.pairs = std::min(ours.size(), theirs.size());
  result.high = std::numeric_limits<double>::infinity();
  if (result.pairs == 0)
    return result;
  std::vector<double> logs(result.pairs);
  double mean = 0;
  for (size_t i = 0; i < result.pairs; ++i)
    mean += (logs[i] = std::log(theirs[i] / ours[i])) / double(result.pairs);
  result.ratio = std::exp(mean);
  if (result.pairs < 2)
    return result;
  double squares = 0;
  for (double v : logs)
    squares += (v - mean) * (v - mean);
  const double n = double(result.pairs);
  const double half = studentQuantile(n - 1) * std::sqrt(squares / (n - 1) / n);
  result.low = std::exp(mean - half);
  result.high = std::exp(mean + half);
  return result;
}

PairedRatio meanRatio(const std::vector<PairedRatio> &cases) {
  PairedRatio result;
  double mean = 0, squares = 0;
  for (const PairedRatio &one : cases) {
    result.pairs += one.pairs;
    mean += std::log(one.ratio) / double(cases.size());
    const double half = std::log(one.high / one.ratio);
    squares += half * half;
  }
  if (cases.empty())
    return result;
  const double half = std::sqrt(squares) / double(cases.size());
  result.ratio = std::exp(mean);
  result.low = std::exp(mean - half);
  result.high = std::exp(mean + half);
  return result;
}

} // namespace helios::bench
