// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HELIOS_BENCH_CASES_H
#define HELIOS_BENCH_CASES_H

#include "helios/Bench/Compile.h"
#include "helios/Bench/Options.h"
#include "helios/Bench/Runner.h"

namespace helios::bench {

/// Told of each step that takes time ("compiling ...").
using Progress = std::function<void(const std::string &)>;

/// Turns the command line into cases, compiling what is needed. `extent` is the
/// default extent of dynamic dimensions for run.
Result<std::vector<Case>> makeCases(const Options &options, int64_t extent,
                                    const Progress &progress);

/// Where bundles of these options come from.
BundleSource bundleSource(const Options &options);

/// A case of a family whose bundle lies at `path`, without a shape; and one
/// with.
Result<Case> gemmCase(const GemmFamily &family, const std::string &path);
Case withShape(const Case &base, const GemmFamily &family,
               const Options::Shape &shape, int64_t batch);

/// The peak kernels for --ceilings: those named, else examples/peak_*.mlir.
/// `types` gets each one's "types" directive.
Result<std::vector<Case>> makePeakCases(const Options &options,
                                        const Surroundings &surroundings,
                                        int64_t extent,
                                        const Progress &progress);

/// Extents of the arguments of a kernel of one product from M, N, K and B;
/// static ones stay. InvalidInput names a dimension that does not exist or
/// contradicts a static extent.
Result<std::vector<std::vector<int64_t>>>
extentsFromDims(const bundle::Kernel &kernel,
                const std::map<std::string, int64_t> &dims, int64_t extent);

} // namespace helios::bench

#endif // HELIOS_BENCH_CASES_H
