// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HELIOS_BENCH_REPORT_H
#define HELIOS_BENCH_REPORT_H

#include "helios/Bench/Json.h"
#include "helios/Bench/Runner.h"
#include <string>
#include <vector>

namespace helios::bench {

/// A ceiling measured in this run.
struct Ceiling {
  std::string name;  ///< of the peak kernel
  std::string types; ///< "f16:f16:f32"; empty: any
  /// FLOP/s, or bytes a second of memory, at the start and the end of the run;
  /// 0: not measured.
  double before = 0, after = 0;
  double workingSet = 0; ///< bytes, of memory
  bool isMemory = false;
  double highest() const { return before > after ? before : after; }
};

/// How a result compares with the same case of an earlier run.
struct BaselineEntry {
  bool found = false;
  bench::Comparison comparison = bench::Comparison::Ambiguous;
  double ratio = 0;   ///< new median over old
  std::string reason; ///< why there is no comparison
};

/// One finished case.
struct Row {
  Case what;
  CaseResult result;
  BaselineEntry baseline;
};

/// Everything that is reported of a run.
struct Session {
  std::vector<std::string> commandLine;
  std::string date;   ///< UTC, ISO 8601
  std::string commit; ///< of the source this was built from
  std::string version;
  rt::DeviceInfo device;
  std::string whyDevice;
  uint64_t seed = 0;
  size_t cases = 0; ///< asked for; an interrupted run has fewer rows
  int64_t padRows = 0;
  bool misalign = false, hasBaseline = false;
  std::vector<Ceiling> ceilings;
  std::vector<Row> rows;
};

/// FLOP/s by the median; 0 if not timed or nothing is counted.
double flopsPerSecond(const CaseResult &result);
/// Bytes of all tensors, each once, a second; 0 if not timed.
double bytesPerSecond(const CaseResult &result);
/// The ceiling of matrix instructions that belongs to a case, or null.
const Ceiling *ceilingFor(const Session &run, const Case &c);

/// The table for people. A result that failed its check has no time in it.
std::string formatTable(const Session &run);
std::string formatCsv(const Session &run);
/// Why each case has its schedule.
std::string formatChoices(const Session &run);
/// Schema "helios-bench/1", described in docs/benchmarking.md.
Json toJson(const Session &run);

/// "12.3 us".
std::string formatTime(double nanoseconds);
/// "theirs / ours 1.023 [1.011, 1.035]".
std::string formatRatio(const PeerComparison &peer);

/// Compares every row with the earlier run in `baseline` (what toJson wrote).
/// InvalidInput if it is none.
Status compareWithBaseline(Session &run, const Json &baseline,
                           double threshold);

/// Exit status of the results: a wrong one weighs most, a slower one least.
int exitCodeOf(const Session &run);

} // namespace helios::bench

#endif // HELIOS_BENCH_REPORT_H
