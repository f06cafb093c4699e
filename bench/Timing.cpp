// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "helios/Bench/Runner.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>

namespace helios::bench {

namespace {

using Clock = std::chrono::steady_clock;
double nanosecondsSince(Clock::time_point start) {
  return std::chrono::duration<double, std::nano>(Clock::now() - start).count();
}

/// Sets beyond this many change nothing.
constexpr size_t kMaxSets = 256;

/// Launches of one warm-up step, between which the clock and interrupts are
/// looked at.
constexpr int64_t kMaxWarmupStep = 200;

} // namespace

Status Runner::warmUp(const std::vector<std::shared_ptr<rt::Launch>> &rotation,
                      double launchNs, CaseResult &result) {
  const bool isGpu = device->info().deviceClass == rt::DeviceClass::Gpu;
  const int64_t least = options.warmup >= 0 ? options.warmup : isGpu ? 20 : 1;
  const int64_t wantedMs = options.warmupMs >= 0 ? options.warmupMs
                           : isGpu               ? 300
                                                 : 0;
  const double wantedNs = double(wantedMs) * 1e6;
  const auto start = Clock::now();
  int64_t done = 0;
  double passed = 0;
  while (done < least || passed < wantedNs) {
    if (interrupted())
      return Status(StatusCode::Device, "interrupted");
    const int64_t forTime =
        int64_t(std::min((wantedNs - passed) / launchNs, 1e9)) + 1;
    const int64_t step =
        std::clamp<int64_t>(std::max(least - done, forTime), 1, kMaxWarmupStep);
    if (auto warm = stream->time(rotation, uint32_t(step)); !warm.ok())
      return warm.status();
    done += step;
    passed = nanosecondsSince(start);
  }
  result.warmupLaunches.push_back(double(done));
  result.warmupMs.push_back(passed * 1e-6);
  return Status::success();
}

Result<rt::Timing>
Runner::timeLaunches(const std::vector<std::shared_ptr<rt::Launch>> &rotation,
                     int64_t count) {
  if (options.graph)
    return timeGraph(rotation, count);
  if (!options.restMs)
    return stream->time(rotation, uint32_t(count));
  // Each of two launches that follow a rest, the second one counts: the first
  // finds the device asleep.
  rt::Timing all{};
  for (int64_t i = 0; i < count; ++i) {
    if (interrupted())
      return Status(StatusCode::Device, "interrupted");
    std::this_thread::sleep_for(std::chrono::milliseconds(options.restMs));
    auto pair = stream->time({rotation[size_t(2 * i) % rotation.size()],
                              rotation[size_t(2 * i + 1) % rotation.size()]},
                             2);
    if (!pair.ok())
      return pair.status();
    all.gpuNs.push_back(pair->gpuNs.back());
    all.hostNs += pair->hostNs / 2;
  }
  return all;
}

/// Launches recorded into a graph, every set equally often, so that handing
/// them over takes the host no time between them.
Result<rt::Timing>
Runner::timeGraph(const std::vector<std::shared_ptr<rt::Launch>> &rotation,
                  int64_t count) {
  const size_t rounds =
      (size_t(options.graph) + rotation.size() - 1) / rotation.size();
  const size_t launches = rounds * rotation.size();
  auto graph = stream->record(
      [&]() {
        for (size_t i = 0; i < launches; ++i)
          if (auto event = stream->enqueue(rotation[i % rotation.size()]);
              !event.ok())
            return event.status();
        return Status::success();
      },
      rt::GraphOrder::Turns);
  if (!graph.ok())
    return graph.status().withPrefix("--graph: ");
  const auto replay = [&]() -> Result<double> {
    auto event = stream->replay(*graph);
    return event.ok() ? stream->elapsedNs(*event) : event.status();
  };
  // The first replay hands the graph to the device as well.
  if (auto first = replay(); !first.ok())
    return first.status();
  rt::Timing all{};
  for (int64_t done = 0; done < count; done += int64_t(launches)) {
    if (interrupted())
      return Status(StatusCode::Device, "interrupted");
    const auto start = Clock::now();
    auto ns = replay();
    if (!ns.ok())
      return ns.status();
    all.gpuNs.push_back(*ns / double(launches));
    all.hostNs += nanosecondsSince(start);
  }
  return all;
}

Result<std::vector<Runner::Set>> Runner::rotate(const Prepared &prepared,
                                                size_t most) {
  const bool isGpu = device->info().deviceClass == rt::DeviceClass::Gpu;
  const int64_t rotate = (options.rotateMiB >= 0 ? options.rotateMiB
                          : isGpu                ? 256
                                                 : 0)
                         << 20;
  uint64_t setBytes = 0;
  for (const auto &buffer : prepared.set.buffers)
    setBytes += buffer ? buffer->size() : 0;
  const size_t wanted = std::min(
      {kMaxSets, size_t(uint64_t(rotate) / std::max<uint64_t>(setBytes, 1)) + 1,
       most});
  std::vector<Set> sets{prepared.set};
  while (sets.size() < wanted) {
    auto clone = cloneSet(*prepared.kernel, prepared.set);
    if (!clone.ok() && clone.status().code() == StatusCode::OutOfMemory)
      break; // fewer sets are still a measurement; their number is reported
    if (!clone.ok())
      return clone.status();
    sets.push_back(*clone);
  }
  if (Status s = stream->synchronize(); !s.ok())
    return s;
  return sets;
}

Status Runner::checkUnchanged(const Prepared &prepared, const Set &set) {
  const bundle::Kernel &k = prepared.kernel->description();
  std::vector<ResultImage> now(prepared.verified.size());
  for (size_t n = 0; n < now.size(); ++n)
    now[n].layout = prepared.verified[n].layout;
  if (Status s = readResults(set, k, now); !s.ok())
    return s;
  for (size_t n = 0; n < now.size(); ++n)
    if (now[n].bytes != prepared.verified[n].bytes)
      return Status(
          StatusCode::WrongResult,
          k.arguments[n].name +
              ": a timed launch left other bytes than the verified one");
  return Status::success();
}

Status Runner::time(const Case &c, const Prepared &prepared,
                    CaseResult &result) {
  const bool isGpu = device->info().deviceClass == rt::DeviceClass::Gpu;
  const Set &first = prepared.set;
  // One launch to learn how long one takes.
  auto probe = stream->time({first.launch}, 2);
  if (!probe.ok())
    return probe.status();
  const double once = std::max(probe->gpuNs.back(), 1.0);
  int64_t iterations = options.iterations;
  if (iterations == 0)
    iterations = isGpu ? std::clamp<int64_t>(int64_t(0.5e9 / once), 30, 200)
                       : std::clamp<int64_t>(int64_t(1e9 / once), 3, 30);
  const int64_t repetitions = options.repetitions > 0 ? options.repetitions
                              : isGpu                 ? 3
                                                      : 1;

  auto made = rotate(prepared, size_t(iterations));
  if (!made.ok())
    return made.status();
  const std::vector<Set> &sets = *made;
  result.sets = sets.size();
  result.restMs = options.restMs;
  std::vector<std::shared_ptr<rt::Launch>> rotation;
  for (const Set &set : sets)
    rotation.push_back(set.launch);

  double hostNs = 0;
  for (int64_t r = 0; r < repetitions; ++r) {
    if (interrupted())
      return Status(StatusCode::Device, "interrupted");
    if (Status s = warmUp(rotation, once, result); !s.ok())
      return s;
    auto timing = timeLaunches(rotation, iterations);
    if (!timing.ok())
      return timing.status();
    result.gpuNs.push_back(timing->gpuNs);
    hostNs += timing->hostNs;
  }
  result.hostTotalNs = hostNs / double(iterations * repetitions);

  // Host time of handing over a launch: what a program pays beside the device.
  const int64_t submits = std::min<int64_t>(iterations, 50);
  for (int64_t i = 0; i < submits; ++i) {
    const auto start = Clock::now();
    if (auto event = stream->enqueue(rotation[size_t(i) % rotation.size()]);
        !event.ok())
      return event.status();
    result.hostSubmitNs.push_back(nanosecondsSince(start));
    if (!isGpu || i % 8 == 7)
      if (Status s = stream->synchronize(); !s.ok())
        return s;
  }
  if (Status s = stream->synchronize(); !s.ok())
    return s;

  // All sets hold the same inputs, so all must hold the verified result, bit
  // for bit.
  const size_t used = std::min(sets.size(), size_t(iterations));
  for (size_t which : {size_t(0), used - 1})
    if (Status s = checkUnchanged(prepared, sets[which]); !s.ok())
      return s;
  result.gpu = summarize(result.gpuNs);
  result.host = summarize({result.hostSubmitNs});
  result.timed = true;
  if (!options.compare.empty())
    return compareWithPeer(c, sets, prepared.layouts, result);
  return Status::success();
}

} // namespace helios::bench
