//===- PendingWrites.h - What dispatches that still run may write ---------===//
//
// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HELIOS_RUNTIME_CUDA_PENDINGWRITES_H
#define HELIOS_RUNTIME_CUDA_PENDINGWRITES_H

#include <algorithm>
#include <cstdint>
#include <vector>

namespace helios::rt::cuda {

/// Bytes of device memory.
struct DeviceRange {
  uint64_t address = 0, bytes = 0;

  bool operator==(const DeviceRange &other) const {
    return address == other.address && bytes == other.bytes;
  }
  bool meets(const DeviceRange &other) const {
    return address < other.address + other.bytes &&
           other.address < address + bytes;
  }
};

/// What the dispatches of a stream write since the last one that began when all
/// before it had ended. A constant is not among it, or it is none.
class PendingWrites {
public:
  /// Whether a dispatch that reads these early may begin before the others
  /// have ended.
  bool allow(const std::vector<DeviceRange> &early) const {
    return early.empty() ||
           (ranges.size() < kMost &&
            std::none_of(early.begin(), early.end(), [&](const auto &read) {
              return std::any_of(
                  ranges.begin(), ranges.end(),
                  [&](const auto &range) { return range.meets(read); });
            }));
  }
  void add(const std::vector<DeviceRange> &written) {
    for (const DeviceRange &range : written)
      if (ranges.size() < kMost &&
          std::find(ranges.begin(), ranges.end(), range) == ranges.end())
        ranges.push_back(range);
  }
  void clear() { ranges.clear(); }

private:
  /// One more, and the next dispatch that reads early waits for all.
  static constexpr size_t kMost = 256;
  std::vector<DeviceRange> ranges;
};

} // namespace helios::rt::cuda

#endif // HELIOS_RUNTIME_CUDA_PENDINGWRITES_H
