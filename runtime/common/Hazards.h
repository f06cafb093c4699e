//===- Hazards.h - Where a sequence of operations needs barriers -===//
//
// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HELIOS_RUNTIME_COMMON_HAZARDS_H
#define HELIOS_RUNTIME_COMMON_HAZARDS_H

#include <cstdint>
#include <vector>

namespace helios::rt {

/// Bytes [begin, end) that an operation touches.
struct MemoryAccess {
  /// Whose bytes they are: the same pointer for the same memory.
  const void *memory = nullptr;
  uint64_t begin = 0, end = 0;
  bool writes = false;
};

/// Which operations of a sequence need a barrier before them: those that read
/// what one since the last barrier writes, or write what one touches. A barrier
/// orders all operations before it with all behind it, so setting each as late
/// as possible sets the fewest.
class Hazards {
public:
  /// Notes the next operation. True: it needs a barrier before it.
  bool add(const std::vector<MemoryAccess> &accesses);

private:
  std::vector<MemoryAccess> sinceBarrier;
};

} // namespace helios::rt

#endif // HELIOS_RUNTIME_COMMON_HAZARDS_H
