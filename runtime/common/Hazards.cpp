//===- Hazards.cpp - Where a sequence of operations needs barriers -===//
//
// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "common/Hazards.h"
#include <algorithm>

namespace helios::rt {

static bool conflict(const MemoryAccess &a, const MemoryAccess &b) {
  return a.memory == b.memory && (a.writes || b.writes) && a.begin < b.end &&
         b.begin < a.end;
}

bool Hazards::add(const std::vector<MemoryAccess> &accesses) {
  bool needed = std::any_of(
      accesses.begin(), accesses.end(), [&](const MemoryAccess &next) {
        return std::any_of(
            sinceBarrier.begin(), sinceBarrier.end(),
            [&](const MemoryAccess &before) { return conflict(before, next); });
      });
  if (needed)
    sinceBarrier.clear();
  sinceBarrier.insert(sinceBarrier.end(), accesses.begin(), accesses.end());
  return needed;
}

} // namespace helios::rt
