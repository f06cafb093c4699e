// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The launches of a command line, before anything is compiled.

#ifndef HELIOS_BENCH_LAUNCHES_H
#define HELIOS_BENCH_LAUNCHES_H

#include "helios/Bench/Compile.h"
#include "helios/Bench/Options.h"

namespace helios::bench {

/// The scalars of the command line, or of the file's directives.
Result<std::map<std::string, double>>
scalarsOf(const Options &options,
          const std::map<std::string, std::string> &directives);

/// The extents of tensors, for each launch, of the command line or of the
/// file's directives; none where neither names any.
Result<std::vector<std::vector<std::vector<int64_t>>>>
shapesOf(const Options &options,
         const std::map<std::string, std::string> &directives);

/// Rows of the other products that have to give the bits of one of `m` rows:
/// one row, and an odd number, which ends within a tile.
std::vector<int64_t> fewerRows(const GemmFamily &family, int64_t m);

/// Has only those programs compiled that launches take (--only-launches): those
/// of a file's text, for which InvalidInput says that there are no shapes; of
/// products of a family; of attention, where its text is this one.
Status addLaunches(BundleSource &source, const Options &options,
                   const std::string &text);
void addLaunches(BundleSource &source, const Options &options,
                 const GemmFamily &family);
void addLaunches(BundleSource &source, const Options &options,
                 const AttentionFamily &types, const std::string &text);

} // namespace helios::bench

#endif // HELIOS_BENCH_LAUNCHES_H
