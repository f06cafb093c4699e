//===- Stream.cpp - Queues of work, with events, and graphs -===//
//
// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "common/StreamChecks.h"
#include "cuda/Device.h"
#include <chrono>

namespace helios::rt::cuda {

namespace {

/// Operations of a stream that may be in flight, and whose times are kept.
constexpr uint32_t numSlots = 64;
constexpr int captureRelaxed = 2, nodeIsKernel = 0;

class CudaGraph final : public Graph {
public:
  explicit CudaGraph(std::shared_ptr<CudaDevice> device)
      : owner(std::move(device)), ownerAsDevice(owner) {}
  ~CudaGraph() override {
    Current current(*owner);
    if (exec)
      owner->driver().graphExecDestroy(exec);
    if (graph)
      owner->driver().graphDestroy(graph);
  }
  std::vector<std::string> kernelNames() const override;
  const std::shared_ptr<Device> &device() const override {
    return ownerAsDevice;
  }

  std::shared_ptr<CudaDevice> owner;
  std::shared_ptr<Device> ownerAsDevice;
  GraphHandle graph = nullptr;
  GraphExecHandle exec = nullptr;
  /// What the recorded operations use.
  std::vector<std::shared_ptr<void>> kept;
};

std::vector<std::string> CudaGraph::kernelNames() const {
  const Driver &cuda = owner->driver();
  std::vector<std::string> names;
  if (!cuda.functionGetName || !cuda.graphNodeGetType ||
      !cuda.graphKernelNodeGetParams)
    return names;
  Current current(*owner);
  size_t count = 0;
  if (cuda.graphGetNodes(graph, nullptr, &count) != Success)
    return names;
  std::vector<GraphNodeHandle> nodes(count);
  if (cuda.graphGetNodes(graph, nodes.data(), &count) != Success)
    return names;
  nodes.resize(count);
  for (GraphNodeHandle node : nodes) {
    int type = -1;
    KernelNodeParams parameters{};
    const char *name = nullptr;
    if (cuda.graphNodeGetType(node, &type) != Success || type != nodeIsKernel)
      continue;
    if (cuda.graphKernelNodeGetParams(node, &parameters) == Success &&
        parameters.function &&
        cuda.functionGetName(&name, parameters.function) == Success && name)
      names.push_back(name);
    else
      names.push_back("?");
  }
  return names;
}

class CudaStream final : public Stream {
public:
  CudaStream(std::shared_ptr<CudaDevice> device, StreamHandle stream,
             bool foreign)
      : owner(std::move(device)), ownerAsDevice(owner), stream(stream),
        foreign(foreign) {}
  ~CudaStream() override;
  Status create();

  Result<Event> enqueue(const std::shared_ptr<Launch> &launch) override;
  Result<Event> fill(const std::shared_ptr<Buffer> &buffer, uint64_t offset,
                     uint64_t bytes, uint32_t pattern) override;
  Result<Event> copy(const std::shared_ptr<Buffer> &from, uint64_t fromOffset,
                     const std::shared_ptr<Buffer> &to, uint64_t toOffset,
                     uint64_t bytes) override;
  Status wait(Stream &other, Event event) override;
  Status synchronize() override;
  Result<double> elapsedNs(Event event) override;
  Result<Timing> time(const std::vector<std::shared_ptr<Launch>> &rotation,
                      uint32_t count) override;
  Result<std::shared_ptr<Graph>> record(const std::function<Status()> &body,
                                        GraphOrder order) override;
  Result<Event> replay(const std::shared_ptr<Graph> &graph) override;
  void *nativeHandle() override { return stream; }
  const std::shared_ptr<Device> &device() const override {
    return ownerAsDevice;
  }

private:
  /// One operation in flight: its events, what it keeps alive.
  struct Slot {
    EventHandle start = nullptr, end = nullptr;
    uint64_t serial = 0; ///< 0: no operation, or one that was recorded
    bool inFlight = false;
    std::vector<std::shared_ptr<void>> kept;
  };

  const Driver &cuda() const { return owner->driver(); }
  Status retire(Slot &slot);
  /// Runs `body`, which hands work to the stream, between events. The context
  /// is current.
  Result<Event> submit(std::vector<std::shared_ptr<void>> kept,
                       const std::function<Status()> &body);
  /// Whether operations are recorded now, by this object or, on a foreign
  /// stream, by another library.
  Result<bool> isRecording() const;
  Status notRecording(const char *what) const;

  std::shared_ptr<CudaDevice> owner;
  std::shared_ptr<Device> ownerAsDevice;
  StreamHandle stream;
  bool foreign, recording = false;
  std::vector<Slot> slots;
  uint64_t serial = 0;
  /// Those that were enqueued, and those of what is being recorded, which runs
  /// nothing now.
  RunningDispatches running, runningInRecord;
  /// What is being recorded uses; on a foreign stream kept as long as it.
  std::vector<std::shared_ptr<void>> recorded;
};

Status CudaStream::create() {
  Current current(*owner);
  if (!foreign)
    if (Status s = cuda().check(cuda().streamCreate(&stream, streamNonBlocking),
                                "cuStreamCreate");
        !s.ok())
      return s;
  slots.resize(numSlots);
  for (Slot &slot : slots) {
    // Times are taken on own streams only; others are not slowed by it.
    Status s =
        cuda().check(cuda().eventCreate(&slot.end, foreign ? eventDisableTiming
                                                           : eventDefault),
                     "cuEventCreate");
    if (s.ok() && !foreign)
      s = cuda().check(cuda().eventCreate(&slot.start, eventDefault),
                       "cuEventCreate");
    if (!s.ok())
      return s;
  }
  return Status::success();
}

CudaStream::~CudaStream() {
  Current current(*owner);
  if (!slots.empty() && !recording)
    (void)synchronize();
  for (Slot &slot : slots)
    for (EventHandle event : {slot.start, slot.end})
      if (event)
        cuda().eventDestroy(event);
  if (!foreign && stream)
    cuda().streamDestroy(stream);
}

Status CudaStream::retire(Slot &slot) {
  if (!slot.inFlight)
    return Status::success();
  Status s = cuda().check(cuda().eventSynchronize(slot.end),
                          "cuEventSynchronize on " + owner->info().id);
  slot.inFlight = false;
  slot.kept.clear();
  return s;
}

Result<bool> CudaStream::isRecording() const {
  if (recording || !foreign)
    return recording;
  int status = 0;
  if (Status s = cuda().check(cuda().streamIsCapturing(stream, &status),
                              "cuStreamIsCapturing");
      !s.ok())
    return s;
  return status != 0;
}

Status CudaStream::notRecording(const char *what) const {
  Result<bool> now = isRecording();
  if (!now)
    return now.status();
  return checkNotRecorded(*now, what);
}

Result<Event> CudaStream::submit(std::vector<std::shared_ptr<void>> kept,
                                 const std::function<Status()> &body) {
  Result<bool> isRecorded = isRecording();
  if (!isRecorded)
    return isRecorded.status();
  Slot &slot = slots[serial % numSlots];
  if (*isRecorded) {
    if (Status s = body(); !s.ok())
      return s;
    recorded.insert(recorded.end(), kept.begin(), kept.end());
    // Nothing runs now, so there is nothing to wait for later. Work of an
    // earlier operation of this slot is still guarded by its event.
    return Event{serial};
  }
  if (Status s = retire(slot); !s.ok())
    return s;
  if (slot.start)
    if (Status s = cuda().check(cuda().eventRecord(slot.start, stream),
                                "cuEventRecord");
        !s.ok())
      return s;
  Status submitted = body();
  // A part may have been submitted before a failure: it is waited for all the
  // same.
  Status ended =
      cuda().check(cuda().eventRecord(slot.end, stream), "cuEventRecord");
  slot.inFlight = ended.ok();
  slot.kept = std::move(kept);
  slot.serial = ++serial;
  if (!submitted.ok())
    return submitted;
  if (!ended.ok())
    return ended;
  return Event{serial};
}

Result<Event> CudaStream::enqueue(const std::shared_ptr<Launch> &launch) {
  Result<CudaLaunch *> l = launchOf<CudaLaunch>(launch, *owner);
  if (!l)
    return l.status();
  Current current(*owner);
  Result<bool> isRecorded = isRecording();
  if (!isRecorded)
    return isRecorded.status();
  return submit({launch}, [&] {
    return (*l)->submit(stream, *isRecorded ? runningInRecord : running);
  });
}

Result<Event> CudaStream::fill(const std::shared_ptr<Buffer> &buffer,
                               uint64_t offset, uint64_t bytes,
                               uint32_t pattern) {
  if (Status s = checkFill(buffer.get(), offset, bytes, *owner); !s.ok())
    return s;
  DevicePointer address = buffer->deviceAddress() + offset;
  Current current(*owner);
  return submit({buffer}, [&]() -> Status {
    if (!bytes)
      return Status::success();
    return cuda().check(cuda().fill32(address, pattern, bytes / 4, stream),
                        "cuMemsetD32Async");
  });
}

Result<Event> CudaStream::copy(const std::shared_ptr<Buffer> &from,
                               uint64_t fromOffset,
                               const std::shared_ptr<Buffer> &to,
                               uint64_t toOffset, uint64_t bytes) {
  if (Status s =
          checkCopy(from.get(), fromOffset, to.get(), toOffset, bytes, *owner);
      !s.ok())
    return s;
  DevicePointer source = from->deviceAddress() + fromOffset,
                target = to->deviceAddress() + toOffset;
  Current current(*owner);
  return submit({from, to}, [&]() -> Status {
    if (!bytes)
      return Status::success();
    return cuda().check(cuda().copyOnDevice(target, source, bytes, stream),
                        "cuMemcpyDtoDAsync");
  });
}

Status CudaStream::wait(Stream &other, Event event) {
  if (Status s = checkWait(other, *owner); !s.ok())
    return s;
  auto &o = static_cast<CudaStream &>(other);
  if (Status s = checkReached(event, o.serial); !s.ok())
    return s;
  Current current(*owner);
  if (Status s = notRecording("wait"); !s.ok())
    return s;
  if (event.serial == 0)
    return Status::success();
  // Older operations were waited for when their slot was taken again.
  const Slot &slot = o.slots[(event.serial - 1) % numSlots];
  if (&o == this || slot.serial != event.serial || !slot.inFlight)
    return Status::success();
  return cuda().check(cuda().streamWaitEvent(stream, slot.end, 0),
                      "cuStreamWaitEvent");
}

Status CudaStream::synchronize() {
  Current current(*owner);
  if (Status s = notRecording("synchronize"); !s.ok())
    return s;
  Status first = cuda().check(cuda().streamSynchronize(stream),
                              "cuStreamSynchronize on " + owner->info().id);
  for (Slot &slot : slots)
    if (Status s = retire(slot); !s.ok() && first.ok())
      first = s;
  return first;
}

Result<double> CudaStream::elapsedNs(Event event) {
  if (foreign)
    return Status::unsupported(
        owner->info().id +
        ": no times are taken on another library's stream; use its events");
  if (Status s = checkKept(event, serial, numSlots); !s.ok())
    return s;
  Current current(*owner);
  Slot &slot = slots[(event.serial - 1) % numSlots];
  if (Status s = retire(slot); !s.ok())
    return s;
  float milliseconds = 0;
  if (Status s = cuda().check(
          cuda().eventElapsedTime(&milliseconds, slot.start, slot.end),
          "cuEventElapsedTime");
      !s.ok())
    return s;
  return static_cast<double>(milliseconds) * 1e6;
}

Result<Timing>
CudaStream::time(const std::vector<std::shared_ptr<Launch>> &rotation,
                 uint32_t count) {
  auto launches = launchesOf<CudaLaunch>(rotation, count, *owner);
  if (!launches)
    return launches.status();
  Current current(*owner);
  if (Status s = notRecording("time"); !s.ok())
    return s;
  struct Events {
    const Driver &cuda;
    StreamHandle stream;
    std::vector<EventHandle> all;
    ~Events() {
      cuda.streamSynchronize(stream);
      for (EventHandle e : all)
        cuda.eventDestroy(e);
    }
  } events{cuda(), stream, {}};
  for (uint32_t i = 0; i <= count; ++i) {
    EventHandle e = nullptr;
    if (Status s =
            cuda().check(cuda().eventCreate(&e, eventDefault), "cuEventCreate");
        !s.ok())
      return s;
    events.all.push_back(e);
  }
  Timing timing;
  auto begin = std::chrono::steady_clock::now();
  Status s =
      cuda().check(cuda().eventRecord(events.all[0], stream), "cuEventRecord");
  for (uint32_t i = 0; i < count && s.ok(); ++i) {
    s = (*launches)[i % launches->size()]->submit(stream, running);
    if (s.ok())
      s = cuda().check(cuda().eventRecord(events.all[i + 1], stream),
                       "cuEventRecord");
  }
  if (s.ok())
    s = cuda().check(cuda().streamSynchronize(stream),
                     "cuStreamSynchronize on " + owner->info().id);
  if (!s.ok())
    return s;
  timing.hostNs = std::chrono::duration<double, std::nano>(
                      std::chrono::steady_clock::now() - begin)
                      .count();
  for (uint32_t i = 0; i < count; ++i) {
    float milliseconds = 0;
    if (Status s =
            cuda().check(cuda().eventElapsedTime(&milliseconds, events.all[i],
                                                 events.all[i + 1]),
                         "cuEventElapsedTime");
        !s.ok())
      return s;
    timing.gpuNs.push_back(static_cast<double>(milliseconds) * 1e6);
    // The whole is the sum of its parts; one difference of two far events has
    // too few digits.
    timing.gpuTotalNs += timing.gpuNs.back();
  }
  return timing;
}

Result<std::shared_ptr<Graph>>
CudaStream::record(const std::function<Status()> &body, GraphOrder) {
  Current current(*owner);
  if (Status s = notRecording("record"); !s.ok())
    return s;
  if (!cuda().graphInstantiate)
    return Status::unsupported(
        "graphs need cuGraphInstantiateWithFlags (CUDA 11.4); the driver has "
        "CUDA " +
        owner->info().apiVersionString + ": install a newer one");
  auto graph = std::make_shared<CudaGraph>(owner);
  // Relaxed: other threads, and libraries in `body` that allocate, go on.
  if (Status s = cuda().check(cuda().beginCapture(stream, captureRelaxed),
                              "cuStreamBeginCapture");
      !s.ok())
    return s;
  recording = true;
  runningInRecord.clear(); // A replay begins when all before it has ended.
  Status inside = body();
  recording = false;
  graph->kept = std::move(recorded);
  recorded.clear();
  Status ended = cuda().check(cuda().endCapture(stream, &graph->graph),
                              "cuStreamEndCapture");
  if (!inside.ok())
    return inside;
  if (!ended.ok())
    return ended;
  if (!graph->graph)
    return Status::device("cuStreamEndCapture gave no graph");
  if (Status s =
          cuda().check(cuda().graphInstantiate(&graph->exec, graph->graph, 0),
                       "cuGraphInstantiateWithFlags");
      !s.ok())
    return s;
  return std::shared_ptr<Graph>(std::move(graph));
}

Result<Event> CudaStream::replay(const std::shared_ptr<Graph> &graph) {
  if (Status s = checkGraph(graph.get(), *owner); !s.ok())
    return s;
  auto *g = static_cast<CudaGraph *>(graph.get());
  Current current(*owner);
  if (Status s = notRecording("replay"); !s.ok())
    return s;
  return submit({graph}, [&] {
    return cuda().check(cuda().graphLaunch(g->exec, stream), "cuGraphLaunch");
  });
}

} // namespace

Result<std::shared_ptr<Stream>>
createCudaStream(std::shared_ptr<CudaDevice> device) {
  auto stream = std::make_shared<CudaStream>(std::move(device), nullptr, false);
  if (Status s = stream->create(); !s.ok())
    return s;
  return std::shared_ptr<Stream>(std::move(stream));
}

Result<std::shared_ptr<Stream>>
wrapCudaStream(std::shared_ptr<CudaDevice> device, void *handle) {
  auto stream = std::make_shared<CudaStream>(
      std::move(device), static_cast<StreamHandle>(handle), true);
  if (Status s = stream->create(); !s.ok())
    return s;
  return std::shared_ptr<Stream>(std::move(stream));
}

} // namespace helios::rt::cuda
