// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HELIOS_BENCH_PARALLEL_H
#define HELIOS_BENCH_PARALLEL_H

#include <cstdint>
#include <functional>

namespace helios::bench {

/// The threads the reference may use: those the machine has, at least one.
unsigned workerCount();

/// Calls `body(i)` for each i in [0, count) from up to workerCount() threads;
/// returns when all are done. `body` must not throw.
void parallelFor(int64_t count, const std::function<void(int64_t)> &body);

} // namespace helios::bench

#endif // HELIOS_BENCH_PARALLEL_H
