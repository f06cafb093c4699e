// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HELIOS_BENCH_CHECKIMPL_H
#define HELIOS_BENCH_CHECKIMPL_H

#include "helios/Bench/Check.h"
#include <mutex>

namespace helios::bench::detail {

/// "[3, 17]".
std::string coordinates(const std::vector<int64_t> &extents, int64_t offset);

/// A sink that compares what the reference gives with the results; safe from
/// several threads.
class Comparison {
public:
  Comparison(const bundle::Kernel &kernel,
             const std::vector<ResultImage> &results, CheckReport &report)
      : kernel(kernel), results(results), report(report) {}
  void operator()(const Segment &segment);

private:
  /// Elements that no kernel may write.
  void compareUntouched(const Segment &segment);

  const bundle::Kernel &kernel;
  const std::vector<ResultImage> &results;
  CheckReport &report;
  std::mutex mutex;
};

/// Compares random-vector checksums of every row where the region is alpha *
/// sum + beta with alpha constant along one of the result's last two
/// dimensions; leaves the report as it is elsewhere.
Status compareChecksums(const Problem &problem,
                        const std::vector<ResultImage> &results, uint64_t seed,
                        CheckReport &report);

} // namespace helios::bench::detail

#endif // HELIOS_BENCH_CHECKIMPL_H
