//===- StreamChecks.h - What every stream checks of an operation -===//
//
// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HELIOS_RUNTIME_COMMON_STREAMCHECKS_H
#define HELIOS_RUNTIME_COMMON_STREAMCHECKS_H

#include "helios/runtime/Runtime.h"

namespace helios::rt {

// InvalidInput names the operation, what was given and what was expected.

/// [offset, offset + bytes) lies within the buffer.
Status checkInside(const Buffer &buffer, uint64_t offset, uint64_t bytes,
                   const char *what);

/// A buffer of the device that holds [offset, offset + bytes), both multiples
/// of the four bytes of the pattern.
Status checkFill(const Buffer *buffer, uint64_t offset, uint64_t bytes,
                 const Device &device);

/// Buffers of the device that hold what is copied, which does not overlap in
/// one of them.
Status checkCopy(const Buffer *from, uint64_t fromOffset, const Buffer *to,
                 uint64_t toOffset, uint64_t bytes, const Device &device);

/// The stream that an operation waits for is one of the device.
Status checkWait(const Stream &other, const Device &device);

/// The event is one of a stream that is at `serial`.
Status checkReached(Event event, uint64_t serial);

/// The event is among the last `kept` of a stream that is at `serial`.
Status checkKept(Event event, uint64_t serial, uint64_t kept);

/// Most launches of one Stream::time.
inline constexpr uint32_t maxTimedLaunches = 8192;
Status checkTimed(size_t rotation, uint32_t count);

/// `what` may not be asked of a stream while it is being recorded.
Status checkNotRecorded(bool recorded, const char *what);

/// A graph of the device.
Status checkGraph(const Graph *graph, const Device &device);

/// A launch of the device.
Status checkLaunch(const Launch *launch, const Device &device);

/// The launch as the driver knows it, if it is one of the device.
template <typename DriverLaunch>
Result<DriverLaunch *> launchOf(const std::shared_ptr<Launch> &launch,
                                const Device &device) {
  if (Status s = checkLaunch(launch.get(), device); !s.ok())
    return s;
  return static_cast<DriverLaunch *>(launch.get());
}

/// The same for each launch of a rotation of Stream::time.
template <typename DriverLaunch>
Result<std::vector<DriverLaunch *>>
launchesOf(const std::vector<std::shared_ptr<Launch>> &rotation, uint32_t count,
           const Device &device) {
  if (Status s = checkTimed(rotation.size(), count); !s.ok())
    return s;
  std::vector<DriverLaunch *> launches;
  for (const std::shared_ptr<Launch> &launch : rotation) {
    Result<DriverLaunch *> l = launchOf<DriverLaunch>(launch, device);
    if (!l)
      return l.status();
    launches.push_back(*l);
  }
  return launches;
}

} // namespace helios::rt

#endif // HELIOS_RUNTIME_COMMON_STREAMCHECKS_H
