//===- Stream.cpp - Queues of work, with timestamps, and graphs -===//
//
// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "common/StreamChecks.h"
#include "vulkan/Graph.h"
#include <chrono>

namespace helios::rt::vulkan {

namespace {

/// Submissions of a stream that may be in flight, and whose times are kept.
constexpr uint32_t numSlots = 64;

/// A timeline semaphore, shared by its stream and those that wait for it.
struct Timeline {
  std::shared_ptr<VulkanDevice> owner;
  VkSemaphore handle = VK_NULL_HANDLE;
  ~Timeline() {
    if (handle)
      owner->fn().vkDestroySemaphore(owner->handle(), handle, nullptr);
  }
};
using Waits = std::vector<std::pair<std::shared_ptr<Timeline>, uint64_t>>;

class VulkanStream final : public Stream {
public:
  VulkanStream(std::shared_ptr<VulkanDevice> device, Queue &queue)
      : owner(std::move(device)), ownerAsDevice(owner), queue(queue) {}
  ~VulkanStream() override;
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
  const std::shared_ptr<Device> &device() const override {
    return ownerAsDevice;
  }

private:
  /// One submission: its commands, its fence, what it keeps alive.
  struct Slot {
    VkCommandBuffer commands = VK_NULL_HANDLE;
    /// Behind a graph's own.
    VkCommandBuffer last = VK_NULL_HANDLE;
    VkFence fence = VK_NULL_HANDLE;
    uint64_t serial = 0;
    bool inFlight = false;
    std::vector<std::shared_ptr<void>> kept;
    Waits keptWaits;
  };

  const DeviceFunctions &fn() const { return owner->fn(); }
  Status retire(Slot &slot);
  /// Waits for the next slot and begins its commands.
  Result<Slot *> begin();
  /// Ends and submits them, behind them those of a graph, if any.
  Result<Event> end(Slot &slot, const VulkanGraph *graph = nullptr);
  Status beginCommands(VkCommandBuffer commands);
  Status endCommands(VkCommandBuffer commands);
  /// Submits behind `waits`; signals `signal` on the timeline unless it is 0.
  Status submit(const std::vector<VkCommandBuffer> &commands, VkFence fence,
                uint64_t signal);
  /// Runs an operation that `write` puts down, or records it.
  template <typename Write>
  Result<Event> perform(std::vector<std::shared_ptr<void>> kept, Write write);
  double ticksToNs(uint64_t from, uint64_t to) const;

  std::shared_ptr<VulkanDevice> owner;
  std::shared_ptr<Device> ownerAsDevice;
  Queue &queue;
  VkCommandPool pool = VK_NULL_HANDLE;
  VkQueryPool queries = VK_NULL_HANDLE;
  /// Counts serials, so that other streams can wait; null without the feature.
  std::shared_ptr<Timeline> timeline;
  std::vector<Slot> slots;
  uint64_t serial = 0;
  /// Serials of other streams that the next submission waits for.
  Waits waits;
  /// What operations are recorded into, if they are.
  std::shared_ptr<VulkanGraph> recorded;
};

const VulkanBuffer &bufferOf(const std::shared_ptr<Buffer> &buffer) {
  return static_cast<const VulkanBuffer &>(*buffer);
}

VulkanStream::~VulkanStream() {
  (void)synchronize();
  VkDevice device = owner->handle();
  for (Slot &slot : slots)
    if (slot.fence)
      fn().vkDestroyFence(device, slot.fence, nullptr);
  if (queries)
    fn().vkDestroyQueryPool(device, queries, nullptr);
  if (pool)
    fn().vkDestroyCommandPool(device, pool, nullptr);
}

Status VulkanStream::create() {
  VkDevice device = owner->handle();
  VkCommandPoolCreateInfo poolInfo{VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
  poolInfo.flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT;
  poolInfo.queueFamilyIndex = owner->capabilities().queueFamily;
  if (Status s =
          check(fn().vkCreateCommandPool(device, &poolInfo, nullptr, &pool),
                "vkCreateCommandPool");
      !s.ok())
    return s;
  std::vector<VkCommandBuffer> commands(2 * numSlots);
  VkCommandBufferAllocateInfo allocate{
      VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO};
  allocate.commandPool = pool;
  allocate.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
  allocate.commandBufferCount = static_cast<uint32_t>(commands.size());
  if (Status s = check(
          fn().vkAllocateCommandBuffers(device, &allocate, commands.data()),
          "vkAllocateCommandBuffers");
      !s.ok())
    return s;
  slots.resize(numSlots);
  VkFenceCreateInfo fenceInfo{VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
  for (uint32_t i = 0; i < numSlots; ++i) {
    slots[i].commands = commands[2 * i];
    slots[i].last = commands[2 * i + 1];
    if (Status s = check(
            fn().vkCreateFence(device, &fenceInfo, nullptr, &slots[i].fence),
            "vkCreateFence");
        !s.ok())
      return s;
  }
  if (owner->info().timestampPeriodNs > 0) {
    VkQueryPoolCreateInfo queryInfo{VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO};
    queryInfo.queryType = VK_QUERY_TYPE_TIMESTAMP;
    queryInfo.queryCount = 2 * numSlots;
    if (Status s =
            check(fn().vkCreateQueryPool(device, &queryInfo, nullptr, &queries),
                  "vkCreateQueryPool");
        !s.ok())
      return s;
  }
  if (owner->capabilities().timelineSemaphores) {
    VkSemaphoreTypeCreateInfo type{
        VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO};
    type.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
    VkSemaphoreCreateInfo semaphoreInfo{
        VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO};
    semaphoreInfo.pNext = &type;
    timeline = std::make_shared<Timeline>();
    timeline->owner = owner;
    if (Status s = check(fn().vkCreateSemaphore(device, &semaphoreInfo, nullptr,
                                                &timeline->handle),
                         "vkCreateSemaphore");
        !s.ok())
      return s;
  }
  return Status::success();
}

Status VulkanStream::retire(Slot &slot) {
  if (!slot.inFlight)
    return Status::success();
  Status s = check(fn().vkWaitForFences(owner->handle(), 1, &slot.fence,
                                        VK_TRUE, UINT64_MAX),
                   "vkWaitForFences on " + owner->info().id);
  slot.inFlight = false;
  slot.kept.clear();
  slot.keptWaits.clear();
  return s;
}

Result<VulkanStream::Slot *> VulkanStream::begin() {
  Slot &slot = slots[serial % numSlots];
  if (Status s = retire(slot); !s.ok())
    return s;
  if (Status s = check(fn().vkResetFences(owner->handle(), 1, &slot.fence),
                       "vkResetFences");
      !s.ok())
    return s;
  if (Status s = beginCommands(slot.commands); !s.ok())
    return s;
  recordBarrier(fn(), slot.commands);
  if (queries) {
    uint32_t first = 2 * static_cast<uint32_t>(serial % numSlots);
    fn().vkCmdResetQueryPool(slot.commands, queries, first, 2);
    fn().vkCmdWriteTimestamp(
        slot.commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, queries, first);
  }
  return &slot;
}

Status VulkanStream::beginCommands(VkCommandBuffer commands) {
  if (Status s =
          check(fn().vkResetCommandBuffer(commands, 0), "vkResetCommandBuffer");
      !s.ok())
    return s;
  VkCommandBufferBeginInfo info{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
  info.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
  return check(fn().vkBeginCommandBuffer(commands, &info),
               "vkBeginCommandBuffer");
}

Status VulkanStream::endCommands(VkCommandBuffer commands) {
  return check(fn().vkEndCommandBuffer(commands), "vkEndCommandBuffer");
}

Result<Event> VulkanStream::end(Slot &slot, const VulkanGraph *graph) {
  std::vector<VkCommandBuffer> commands{slot.commands};
  if (graph) {
    if (Status s = endCommands(slot.commands); !s.ok())
      return s;
    if (Status s = beginCommands(slot.last); !s.ok())
      return s;
    commands = {slot.commands, graph->commands(), slot.last};
  }
  if (queries)
    fn().vkCmdWriteTimestamp(commands.back(),
                             VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, queries,
                             2 * static_cast<uint32_t>(serial % numSlots) + 1);
  recordBarrier(fn(), commands.back());
  if (Status s = endCommands(commands.back()); !s.ok())
    return s;
  if (Status s = submit(commands, slot.fence, serial + 1); !s.ok())
    return s;
  slot.keptWaits = std::move(waits);
  waits.clear();
  slot.inFlight = true;
  slot.serial = ++serial;
  return Event{serial};
}

Status VulkanStream::submit(const std::vector<VkCommandBuffer> &commands,
                            VkFence fence, uint64_t signal) {
  std::vector<VkSemaphore> semaphores;
  std::vector<uint64_t> values;
  for (const auto &[other, value] : waits) {
    semaphores.push_back(other->handle);
    values.push_back(value);
  }
  std::vector<VkPipelineStageFlags> stages(waits.size(),
                                           VK_PIPELINE_STAGE_ALL_COMMANDS_BIT);
  VkTimelineSemaphoreSubmitInfo timelineInfo{
      VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO};
  timelineInfo.waitSemaphoreValueCount = static_cast<uint32_t>(values.size());
  timelineInfo.pWaitSemaphoreValues = values.data();
  timelineInfo.signalSemaphoreValueCount = signal ? 1 : 0;
  timelineInfo.pSignalSemaphoreValues = &signal;
  VkSubmitInfo info{VK_STRUCTURE_TYPE_SUBMIT_INFO};
  info.commandBufferCount = static_cast<uint32_t>(commands.size());
  info.pCommandBuffers = commands.data();
  if (timeline) {
    info.pNext = &timelineInfo;
    info.waitSemaphoreCount = static_cast<uint32_t>(semaphores.size());
    info.pWaitSemaphores = semaphores.data();
    info.pWaitDstStageMask = stages.data();
    info.signalSemaphoreCount = signal ? 1 : 0;
    info.pSignalSemaphores = &timeline->handle;
  }
  return owner->submit(queue, info, fence);
}

template <typename Write>
Result<Event> VulkanStream::perform(std::vector<std::shared_ptr<void>> kept,
                                    Write write) {
  if (recorded) {
    write(recorded->sequence());
    for (std::shared_ptr<void> &object : kept)
      recorded->keep(std::move(object));
    return Event{serial};
  }
  Result<Slot *> slot = begin();
  if (!slot)
    return slot.status();
  Sequence sequence(fn(), (*slot)->commands);
  write(sequence);
  (*slot)->kept = std::move(kept);
  return end(**slot);
}

Result<Event> VulkanStream::enqueue(const std::shared_ptr<Launch> &launch) {
  Result<VulkanLaunch *> l = launchOf<VulkanLaunch>(launch, *owner);
  if (!l)
    return l.status();
  if (recorded)
    recorded->noteKernels(*launch);
  return perform({launch}, [&](Sequence &sequence) { (*l)->record(sequence); });
}

Result<Event> VulkanStream::fill(const std::shared_ptr<Buffer> &buffer,
                                 uint64_t offset, uint64_t bytes,
                                 uint32_t pattern) {
  if (Status s = checkFill(buffer.get(), offset, bytes, *owner); !s.ok())
    return s;
  return perform({buffer}, [&](Sequence &sequence) {
    sequence.fill(bufferOf(buffer), offset, bytes, pattern);
  });
}

Result<Event> VulkanStream::copy(const std::shared_ptr<Buffer> &from,
                                 uint64_t fromOffset,
                                 const std::shared_ptr<Buffer> &to,
                                 uint64_t toOffset, uint64_t bytes) {
  if (Status s =
          checkCopy(from.get(), fromOffset, to.get(), toOffset, bytes, *owner);
      !s.ok())
    return s;
  return perform({from, to}, [&](Sequence &sequence) {
    sequence.copy(bufferOf(from), fromOffset, bufferOf(to), toOffset, bytes);
  });
}

Result<std::shared_ptr<Graph>>
VulkanStream::record(const std::function<Status()> &body, GraphOrder order) {
  if (Status s = checkNotRecorded(recorded != nullptr, "record"); !s.ok())
    return s;
  Result<std::shared_ptr<VulkanGraph>> begun = VulkanGraph::begin(owner, order);
  if (!begun)
    return begun.status();
  recorded = *begun;
  Status inside = body();
  std::shared_ptr<VulkanGraph> graph = std::move(recorded);
  Status ended = graph->end();
  if (!inside.ok())
    return inside;
  if (!ended.ok())
    return ended;
  return std::shared_ptr<Graph>(std::move(graph));
}

Result<Event> VulkanStream::replay(const std::shared_ptr<Graph> &graph) {
  if (Status s = checkGraph(graph.get(), *owner); !s.ok())
    return s;
  if (Status s = checkNotRecorded(recorded != nullptr, "replay"); !s.ok())
    return s;
  Result<Slot *> slot = begin();
  if (!slot)
    return slot.status();
  (*slot)->kept = {graph};
  return end(**slot, static_cast<const VulkanGraph *>(graph.get()));
}

Status VulkanStream::wait(Stream &other, Event event) {
  if (Status s = checkNotRecorded(recorded != nullptr, "wait"); !s.ok())
    return s;
  if (Status s = checkWait(other, *owner); !s.ok())
    return s;
  auto &o = static_cast<VulkanStream &>(other);
  if (Status s = checkReached(event, o.serial); !s.ok())
    return s;
  // Without timelines both streams share a queue, whose barriers keep the
  // order.
  if (&o != this && timeline && event.serial)
    waits.push_back({o.timeline, event.serial});
  return Status::success();
}

Status VulkanStream::synchronize() {
  if (Status s = checkNotRecorded(recorded != nullptr, "synchronize"); !s.ok())
    return s;
  Status first;
  for (Slot &slot : slots)
    if (Status s = retire(slot); !s.ok() && first.ok())
      first = s;
  return first;
}

double VulkanStream::ticksToNs(uint64_t from, uint64_t to) const {
  uint32_t bits = owner->capabilities().timestampBits;
  uint64_t mask = bits >= 64 ? ~uint64_t(0) : (uint64_t(1) << bits) - 1;
  return static_cast<double>((to - from) & mask) *
         owner->info().timestampPeriodNs;
}

Result<double> VulkanStream::elapsedNs(Event event) {
  if (!queries)
    return Status::unsupported(owner->info().id +
                               " has no timestamps on its compute queue");
  if (Status s = checkKept(event, serial, numSlots); !s.ok())
    return s;
  uint32_t index = static_cast<uint32_t>((event.serial - 1) % numSlots);
  if (Status s = retire(slots[index]); !s.ok())
    return s;
  uint64_t ticks[2] = {0, 0};
  if (Status s = check(fn().vkGetQueryPoolResults(
                           owner->handle(), queries, 2 * index, 2,
                           sizeof(ticks), ticks, 8,
                           VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT),
                       "vkGetQueryPoolResults");
      !s.ok())
    return s;
  return ticksToNs(ticks[0], ticks[1]);
}

Result<Timing>
VulkanStream::time(const std::vector<std::shared_ptr<Launch>> &rotation,
                   uint32_t count) {
  if (Status s = checkNotRecorded(recorded != nullptr, "time"); !s.ok())
    return s;
  if (!queries)
    return Status::unsupported(owner->info().id +
                               " has no timestamps on its compute queue");
  auto launches = launchesOf<VulkanLaunch>(rotation, count, *owner);
  if (!launches)
    return launches.status();
  if (Status s = synchronize(); !s.ok())
    return s;

  VkDevice device = owner->handle();
  struct Scratch {
    const DeviceFunctions &fn;
    VkDevice device;
    VkQueryPool queries = VK_NULL_HANDLE;
    VkCommandPool pool = VK_NULL_HANDLE;
    VkFence fence = VK_NULL_HANDLE;
    ~Scratch() {
      if (queries)
        fn.vkDestroyQueryPool(device, queries, nullptr);
      if (pool)
        fn.vkDestroyCommandPool(device, pool, nullptr);
      if (fence)
        fn.vkDestroyFence(device, fence, nullptr);
    }
  } scratch{fn(), device};
  VkQueryPoolCreateInfo queryInfo{VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO};
  queryInfo.queryType = VK_QUERY_TYPE_TIMESTAMP;
  queryInfo.queryCount = count + 1;
  if (Status s = check(
          fn().vkCreateQueryPool(device, &queryInfo, nullptr, &scratch.queries),
          "vkCreateQueryPool");
      !s.ok())
    return s;
  VkCommandPoolCreateInfo poolInfo{VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
  poolInfo.queueFamilyIndex = owner->capabilities().queueFamily;
  if (Status s = check(
          fn().vkCreateCommandPool(device, &poolInfo, nullptr, &scratch.pool),
          "vkCreateCommandPool");
      !s.ok())
    return s;
  VkFenceCreateInfo fenceInfo{VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
  if (Status s =
          check(fn().vkCreateFence(device, &fenceInfo, nullptr, &scratch.fence),
                "vkCreateFence");
      !s.ok())
    return s;
  VkCommandBufferAllocateInfo allocate{
      VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO};
  allocate.commandPool = scratch.pool;
  allocate.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
  allocate.commandBufferCount = 1;
  VkCommandBuffer commands = VK_NULL_HANDLE;
  if (Status s =
          check(fn().vkAllocateCommandBuffers(device, &allocate, &commands),
                "vkAllocateCommandBuffers");
      !s.ok())
    return s;
  VkCommandBufferBeginInfo begin{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
  begin.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
  if (Status s = check(fn().vkBeginCommandBuffer(commands, &begin),
                       "vkBeginCommandBuffer");
      !s.ok())
    return s;
  fn().vkCmdResetQueryPool(commands, scratch.queries, 0, count + 1);
  recordBarrier(fn(), commands);
  fn().vkCmdWriteTimestamp(commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT,
                           scratch.queries, 0);
  for (uint32_t i = 0; i < count; ++i) {
    Sequence sequence(fn(), commands);
    (*launches)[i % launches->size()]->record(sequence);
    recordBarrier(fn(), commands);
    fn().vkCmdWriteTimestamp(commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT,
                             scratch.queries, i + 1);
  }
  if (Status s = check(fn().vkEndCommandBuffer(commands), "vkEndCommandBuffer");
      !s.ok())
    return s;

  Timing timing;
  auto start = std::chrono::steady_clock::now();
  // Signals no serial: these launches are no events of the stream.
  if (Status s = submit({commands}, scratch.fence, 0); !s.ok())
    return s;
  if (Status s = check(
          fn().vkWaitForFences(device, 1, &scratch.fence, VK_TRUE, UINT64_MAX),
          "vkWaitForFences");
      !s.ok())
    return s;
  waits.clear();
  timing.hostNs = std::chrono::duration<double, std::nano>(
                      std::chrono::steady_clock::now() - start)
                      .count();
  std::vector<uint64_t> ticks(count + 1);
  if (Status s = check(fn().vkGetQueryPoolResults(
                           device, scratch.queries, 0, count + 1,
                           ticks.size() * 8, ticks.data(), 8,
                           VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT),
                       "vkGetQueryPoolResults");
      !s.ok())
    return s;
  for (uint32_t i = 0; i < count; ++i)
    timing.gpuNs.push_back(ticksToNs(ticks[i], ticks[i + 1]));
  timing.gpuTotalNs = ticksToNs(ticks[0], ticks[count]);
  return timing;
}

} // namespace

Result<std::shared_ptr<Stream>>
createVulkanStream(std::shared_ptr<VulkanDevice> device, Queue &queue) {
  auto stream = std::make_shared<VulkanStream>(std::move(device), queue);
  if (Status s = stream->create(); !s.ok())
    return s;
  return std::shared_ptr<Stream>(std::move(stream));
}

} // namespace helios::rt::vulkan
