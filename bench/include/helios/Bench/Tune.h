// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// helios-tune: measures the schedules of a product on a device.

#ifndef HELIOS_BENCH_TUNE_H
#define HELIOS_BENCH_TUNE_H

#include "helios/Bench/Cases.h"
#include "helios/Bench/TuneDatabase.h"

namespace helios::bench {

struct TuneOptions {
  std::string database, table;
  double budget = 0;        ///< seconds; 0: as long as it takes
  int64_t candidates = 24;  ///< schedules measured for a shape
  bool prepareOnly = false; ///< compile, measure nothing
};

/// The schedules next to one: other rasters, a slot less.
std::vector<std::string> neighboursOf(const std::string &schedule);

/// What remains in a contest after a round: the numbers of the contenders that
/// are not slower than the fastest beyond doubt; `keep` always stays. Times are
/// one list for each contender, of equal lengths.
std::vector<size_t> survivors(const std::vector<std::vector<double>> &times,
                              size_t keep);

/// The whole tool but for what only a process knows, as benchMain.
int tuneMain(const std::vector<std::string> &words,
             const Surroundings &surroundings, const Interrupted &interrupted);

/// What --help prints; docs/tuning.md holds the same text.
std::string tuneHelpText();

} // namespace helios::bench

#endif // HELIOS_BENCH_TUNE_H
