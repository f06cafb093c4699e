//===- Stream.cpp - Operations of the emulator, one after the other -===//
//
// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "emulator/Device.h"
#include <chrono>
#include <cstring>

namespace helios::rt::emulator {

namespace {

/// Operations are done when they are enqueued.
class EmulatorStream final : public Stream {
public:
  explicit EmulatorStream(std::shared_ptr<EmulatorDevice> device)
      : owner(std::move(device)), ownerAsDevice(owner) {}

  Result<Event> enqueue(const std::shared_ptr<Launch> &launch) override {
    auto *l = static_cast<EmulatorLaunch *>(launch.get());
    if (!l || l->owner != owner)
      return Status::invalidInput("enqueue: no launch of this device");
    auto start = std::chrono::steady_clock::now();
    if (Status s = l->run(); !s.ok())
      return s;
    return done(start);
  }

  Result<Event> fill(const std::shared_ptr<Buffer> &buffer, uint64_t offset,
                     uint64_t bytes, uint32_t pattern) override {
    auto *b = static_cast<EmulatorBuffer *>(buffer.get());
    if (!b || b->device() != ownerAsDevice)
      return Status::invalidInput("fill: no buffer of this device");
    if (offset % 4 || bytes % 4)
      return Status::invalidInput("fill: offset " + std::to_string(offset) +
                                  " and size " + std::to_string(bytes) +
                                  " must be multiples of 4");
    if (Status s = b->inside(offset, bytes, "fill"); !s.ok())
      return s;
    auto start = std::chrono::steady_clock::now();
    std::vector<uint32_t> values(bytes / 4, pattern);
    if (Status s = b->write(offset, values.data(), bytes); !s.ok())
      return s;
    return done(start);
  }

  Result<Event> copy(const std::shared_ptr<Buffer> &from, uint64_t fromOffset,
                     const std::shared_ptr<Buffer> &to, uint64_t toOffset,
                     uint64_t bytes) override {
    auto *f = static_cast<EmulatorBuffer *>(from.get());
    auto *t = static_cast<EmulatorBuffer *>(to.get());
    if (!f || !t || f->device() != ownerAsDevice ||
        t->device() != ownerAsDevice)
      return Status::invalidInput("copy: no buffer of this device");
    if (Status s = f->inside(fromOffset, bytes, "copy from"); !s.ok())
      return s;
    if (Status s = t->inside(toOffset, bytes, "copy to"); !s.ok())
      return s;
    if (f == t && fromOffset < toOffset + bytes &&
        toOffset < fromOffset + bytes)
      return Status::invalidInput("copy: source and destination overlap");
    auto start = std::chrono::steady_clock::now();
    std::memcpy(t->memory + toOffset, f->memory + fromOffset, bytes);
    if (t->initialized)
      std::memcpy(t->initialized + toOffset, f->initialized + fromOffset,
                  bytes);
    return done(start);
  }

  Status wait(Stream &other, Event event) override {
    if (other.device() != ownerAsDevice)
      return Status::invalidInput(
          "wait: the stream belongs to another device than " +
          owner->info().id);
    auto &o = static_cast<EmulatorStream &>(other);
    if (event.serial > o.serial)
      return Status::invalidInput(
          "wait: event " + std::to_string(event.serial) +
          " of a stream that is at " + std::to_string(o.serial));
    return Status::success();
  }
  Status synchronize() override { return Status::success(); }

  Result<double> elapsedNs(Event event) override {
    if (event.serial == 0 || event.serial > serial ||
        serial - event.serial >= kept)
      return Status::invalidInput(
          "event " + std::to_string(event.serial) + " is not among the last " +
          std::to_string(kept) + " of this stream (it is at " +
          std::to_string(serial) + ")");
    return times[event.serial % kept];
  }

  Result<Timing> time(const std::vector<std::shared_ptr<Launch>> &rotation,
                      uint32_t count) override {
    if (rotation.empty() || count == 0 || count > 8192)
      return Status::invalidInput(
          "time: " + std::to_string(count) + " launches of " +
          std::to_string(rotation.size()) +
          " given; expected 1 to 8192 launches of at least one");
    Timing timing;
    for (uint32_t k = 0; k < count; ++k) {
      auto *l =
          static_cast<EmulatorLaunch *>(rotation[k % rotation.size()].get());
      if (!l || l->owner != owner)
        return Status::invalidInput("time: no launch of this device");
      auto start = std::chrono::steady_clock::now();
      if (Status s = l->run(); !s.ok())
        return s;
      timing.gpuNs.push_back(since(start));
      timing.gpuTotalNs += timing.gpuNs.back();
    }
    timing.hostNs = timing.gpuTotalNs;
    return timing;
  }

  const std::shared_ptr<Device> &device() const override {
    return ownerAsDevice;
  }

private:
  using Time = std::chrono::steady_clock::time_point;
  static double since(Time start) {
    double ns = std::chrono::duration<double, std::nano>(
                    std::chrono::steady_clock::now() - start)
                    .count();
    return ns > 0 ? ns : 1;
  }
  Event done(Time start) {
    ++serial;
    times[serial % kept] = since(start);
    return Event{serial};
  }

  static constexpr uint64_t kept = 64;
  std::shared_ptr<EmulatorDevice> owner;
  std::shared_ptr<Device> ownerAsDevice;
  uint64_t serial = 0;
  double times[kept] = {};
};

} // namespace

Result<std::shared_ptr<Stream>> EmulatorDevice::createStream() {
  return std::shared_ptr<Stream>(std::make_shared<EmulatorStream>(self()));
}

} // namespace helios::rt::emulator
