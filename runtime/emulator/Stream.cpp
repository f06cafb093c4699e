//===- Stream.cpp - Operations of the emulator, one after the other -===//
//
// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "common/HostGraph.h"
#include "common/StreamChecks.h"
#include "emulator/Device.h"
#include <chrono>
#include <cstring>

namespace helios::rt::emulator {

namespace {

/// Operations are done when they are enqueued.
class EmulatorStream final : public HostStream {
public:
  explicit EmulatorStream(std::shared_ptr<EmulatorDevice> device)
      : HostStream(device), owner(std::move(device)) {}

  Result<Event> enqueue(const std::shared_ptr<Launch> &launch) override {
    Result<EmulatorLaunch *> l = launchOf<EmulatorLaunch>(launch, *owner);
    if (!l)
      return l.status();
    return perform([launch, l = *l] { return l->run(); }, launch.get());
  }

  Result<Event> fill(const std::shared_ptr<Buffer> &buffer, uint64_t offset,
                     uint64_t bytes, uint32_t pattern) override {
    if (Status s = checkFill(buffer.get(), offset, bytes, *owner); !s.ok())
      return s;
    return perform([=] {
      std::vector<uint32_t> values(bytes / 4, pattern);
      return buffer->write(offset, values.data(), bytes);
    });
  }

  Result<Event> copy(const std::shared_ptr<Buffer> &from, uint64_t fromOffset,
                     const std::shared_ptr<Buffer> &to, uint64_t toOffset,
                     uint64_t bytes) override {
    if (Status s = checkCopy(from.get(), fromOffset, to.get(), toOffset, bytes,
                             *owner);
        !s.ok())
      return s;
    return perform([=] {
      auto *f = static_cast<EmulatorBuffer *>(from.get());
      auto *t = static_cast<EmulatorBuffer *>(to.get());
      std::memcpy(t->memory + toOffset, f->memory + fromOffset, bytes);
      if (t->initialized)
        std::memcpy(t->initialized + toOffset, f->initialized + fromOffset,
                    bytes);
      return Status::success();
    });
  }

  Result<double> elapsedNs(Event event) override {
    if (Status s = checkKept(event, serial, kept); !s.ok())
      return s;
    return times[event.serial % kept];
  }

  Result<Timing> time(const std::vector<std::shared_ptr<Launch>> &rotation,
                      uint32_t count) override {
    if (Status s = checkNotRecorded(recorded != nullptr, "time"); !s.ok())
      return s;
    auto launches = launchesOf<EmulatorLaunch>(rotation, count, *owner);
    if (!launches)
      return launches.status();
    Timing timing;
    for (uint32_t k = 0; k < count; ++k) {
      auto start = std::chrono::steady_clock::now();
      if (Status s = (*launches)[k % launches->size()]->run(); !s.ok())
        return s;
      timing.gpuNs.push_back(since(start));
      timing.gpuTotalNs += timing.gpuNs.back();
    }
    timing.hostNs = timing.gpuTotalNs;
    return timing;
  }

private:
  using Time = std::chrono::steady_clock::time_point;
  static double since(Time start) {
    double ns = std::chrono::duration<double, std::nano>(
                    std::chrono::steady_clock::now() - start)
                    .count();
    return ns > 0 ? ns : 1;
  }
  Status run(const HostGraph::Operation &operation, Event event) override {
    auto start = std::chrono::steady_clock::now();
    Status s = operation();
    if (s.ok())
      times[event.serial % kept] = since(start);
    return s;
  }

  static constexpr uint64_t kept = 64;
  std::shared_ptr<EmulatorDevice> owner;
  double times[kept] = {};
};

} // namespace

Result<std::shared_ptr<Stream>> EmulatorDevice::createStream() {
  return std::shared_ptr<Stream>(std::make_shared<EmulatorStream>(self()));
}

} // namespace helios::rt::emulator
