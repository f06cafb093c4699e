//===- FakeCuda.h - A CUDA driver without a GPU, for tests -===//
//
// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A shared library with the driver's entry points. Device memory is the host's,
// the test bundle's kernels are known by their names and computed on the CPU,
// everything else that a driver would refuse is refused. Tests open it with
// dlopen, get its state by the symbol "fakeCuda", and set what it pretends.
//
//===----------------------------------------------------------------------===//

#ifndef HELIOS_RUNTIME_CTS_FAKECUDA_H
#define HELIOS_RUNTIME_CTS_FAKECUDA_H

#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

namespace helios::cts {

struct FakeCuda {
  // What it pretends.
  int initResult = 0;
  int version = 12080;
  int devices = 1;
  int major = 9, minor = 0;
  int computeMode = 0;
  uint64_t memoryBytes = uint64_t(1) << 30;
  /// Of the next call of this name.
  std::string failCall;
  int failCode = 0;
  /// Another library records the streams that it made.
  bool capturedByOthers = false;
  /// Registers would allow no more threads in a block.
  int maxThreads = 1024;

  // What was asked of it.
  std::mutex mutex;
  std::vector<std::string> calls;
  uint64_t allocated = 0;
  /// Contexts pushed and not popped, retained and not released; live objects.
  int pushed = 0, retained = 0, modules = 0, streams = 0, events = 0,
      graphs = 0;

  /// The calls whose text begins with `prefix`.
  std::vector<std::string> callsOf(const std::string &prefix) {
    std::lock_guard<std::mutex> lock(mutex);
    std::vector<std::string> found;
    for (const std::string &c : calls)
      if (c.compare(0, prefix.size(), prefix) == 0)
        found.push_back(c);
    return found;
  }
};

using GetFakeCuda = FakeCuda *(*)();

} // namespace helios::cts

#endif // HELIOS_RUNTIME_CTS_FAKECUDA_H
