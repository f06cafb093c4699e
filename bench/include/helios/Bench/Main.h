// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HELIOS_BENCH_MAIN_H
#define HELIOS_BENCH_MAIN_H

#include "helios/Bench/Cases.h"
#include "helios/Bench/Report.h"

namespace helios::bench {

/// The whole tool but for what only a process knows. Writes the table to stdout
/// and progress and errors to stderr; returns the exit code.
int benchMain(const std::vector<std::string> &words,
              const Surroundings &surroundings, const Interrupted &interrupted);

} // namespace helios::bench

#endif // HELIOS_BENCH_MAIN_H
