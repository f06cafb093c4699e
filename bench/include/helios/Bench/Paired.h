// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two programs measured in turns.

#ifndef HELIOS_BENCH_PAIRED_H
#define HELIOS_BENCH_PAIRED_H

#include "helios/Bench/Statistics.h"
#include <string>
#include <vector>

namespace helios::bench {

/// The ratio of two series of positive times measured in pairs.
struct PairedRatio {
  size_t pairs = 0;
  /// Geometric mean of theirs / ours: above 1, ours is faster.
  double ratio = 0;
  /// Its 95 % interval: Student's t on the logarithms of the pairs' ratios.
  double low = 0, high = 0;
};

/// The ratio of `theirs` to `ours`, pair by pair. Series of different lengths
/// are cut to the shorter; fewer than two pairs have the interval [0, inf).
PairedRatio pairedRatio(const std::vector<double> &ours,
                        const std::vector<double> &theirs);

/// The geometric mean of several cases' ratios, each with equal weight. Its
/// interval says how well these cases were measured, not how much cases differ:
/// half widths add up as those of independent means. `pairs` is their sum.
PairedRatio meanRatio(const std::vector<PairedRatio> &cases);

/// A peer's measurement beside ours.
struct PeerComparison {
  std::string peer;      ///< "cuBLASLt 13.0.0"
  std::string peerClass; ///< of kernels to which it was held; empty: any
  std::string kernel;    ///< what it launched, if known
  std::string problem;   ///< why there is none, if so
  /// Candidates timed, and the number of the fastest.
  size_t candidates = 0, best = 0;
  /// Launches in one graph, and times of one launch in ns: one value a replay.
  size_t launches = 0;
  std::vector<double> oursNs, theirsNs;
  Summary ours, theirs;
  PairedRatio ratio;
  /// Largest difference of the results, relative to the largest of ours.
  double difference = 0;
  /// While measuring, if known: clock of the processors in MHz, first and last,
  /// and energy of one launch in joules.
  double clockBefore = 0, clockAfter = 0;
  double oursJoules = 0, theirsJoules = 0;
};

} // namespace helios::bench

#endif // HELIOS_BENCH_PAIRED_H
