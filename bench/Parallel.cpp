// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "helios/Bench/Parallel.h"

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

namespace helios::bench {

unsigned workerCount() {
  return std::max(1u, std::thread::hardware_concurrency());
}

void parallelFor(int64_t count, const std::function<void(int64_t)> &body) {
  const auto threads = unsigned(std::min<int64_t>(workerCount(), count));
  if (threads <= 1) {
    for (int64_t i = 0; i < count; ++i)
      body(i);
    return;
  }
  std::atomic<int64_t> next{0};
  auto work = [&] {
    for (int64_t i = next++; i < count; i = next++)
      body(i);
  };
  std::vector<std::thread> pool;
  pool.reserve(threads - 1);
  for (unsigned t = 1; t < threads; ++t)
    pool.emplace_back(work);
  work();
  for (std::thread &thread : pool)
    thread.join();
}

} // namespace helios::bench
