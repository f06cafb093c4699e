//===- RunningDispatches.h - What may still run when a dispatch begins ----===//
//
// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HELIOS_RUNTIME_CUDA_RUNNINGDISPATCHES_H
#define HELIOS_RUNTIME_CUDA_RUNNINGDISPATCHES_H

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

/// What a dispatch reads before those in front have ended, what it writes, and
/// whether a processor holds one of its workgroups.
struct DispatchUse {
  std::vector<DeviceRange> early, written;
  bool alone = false;
};

/// The dispatches of a stream since the last one that began when all before it
/// had ended.
class RunningDispatches {
public:
  /// Whether one may begin before the others have ended: none of them writes
  /// what it reads early. And one that reads early with a processor to each
  /// workgroup may let the next begin at once, where small workgroups would
  /// gather on the processors that have room.
  bool allow(const DispatchUse &next) const {
    if (releasesAtOnce && !next.alone)
      return false;
    auto isWritten = [&](const DeviceRange &read) {
      return std::any_of(
          written.begin(), written.end(),
          [&](const DeviceRange &range) { return range.meets(read); });
    };
    return next.early.empty() ||
           (written.size() < kMost &&
            std::none_of(next.early.begin(), next.early.end(), isWritten));
  }
  /// A dispatch begins: before the others have ended if it `overlaps`.
  void begin(const DispatchUse &next, bool overlaps) {
    if (!overlaps)
      clear();
    for (const DeviceRange &range : next.written)
      if (written.size() < kMost &&
          std::find(written.begin(), written.end(), range) == written.end())
        written.push_back(range);
    releasesAtOnce = next.alone && !next.early.empty();
  }
  void clear() {
    written.clear();
    releasesAtOnce = false;
  }

private:
  /// From there on what reads early waits for all.
  static constexpr size_t kMost = 256;
  std::vector<DeviceRange> written;
  bool releasesAtOnce = false;
};

} // namespace helios::rt::cuda

#endif // HELIOS_RUNTIME_CUDA_RUNNINGDISPATCHES_H
