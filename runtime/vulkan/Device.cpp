//===- Device.cpp - Opening a Vulkan device -===//
//
// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vulkan/Device.h"
#include <algorithm>
#include <cstring>

namespace helios::rt {

using namespace vulkan;

Result<std::vector<DeviceInfo>> listVulkanDevices(const OpenOptions &options) {
  Result<std::shared_ptr<Instance>> instance = Instance::get(options);
  if (!instance)
    return instance.status();
  std::vector<DeviceInfo> infos;
  for (VkPhysicalDevice physical : (*instance)->physicalDevices())
    infos.push_back(queryCapabilities(**instance, physical,
                                      static_cast<uint32_t>(infos.size()))
                        .info);
  return infos;
}

Result<std::shared_ptr<Device>> openVulkanDevice(uint32_t index,
                                                 const OpenOptions &options) {
  Result<std::shared_ptr<Instance>> instance = Instance::get(options);
  if (!instance)
    return instance.status();
  const std::vector<VkPhysicalDevice> &devices = (*instance)->physicalDevices();
  if (index >= devices.size())
    return Status::invalidInput("device 'vulkan:" + std::to_string(index) +
                                "': there are " +
                                std::to_string(devices.size()) +
                                " Vulkan devices (helios-doctor lists them)");
  Capabilities caps = queryCapabilities(**instance, devices[index], index);
  if (!caps.info.unusable.empty())
    return Status::unsupported("device '" + caps.info.id + "' (" +
                               caps.info.name + "): " + caps.info.unusable);
  Result<std::shared_ptr<VulkanDevice>> device =
      VulkanDevice::open(*instance, std::move(caps), options);
  if (!device)
    return device.status();
  if (options.selfTest)
    if (Status s = runSelfTest(**device, options); !s.ok())
      return s;
  return std::shared_ptr<Device>(*device);
}

} // namespace helios::rt

namespace helios::rt::vulkan {

namespace {

constexpr uint32_t maxQueues = 4;
constexpr uint64_t stagingBytes = 16 << 20;

} // namespace

Result<std::shared_ptr<VulkanDevice>>
VulkanDevice::open(std::shared_ptr<Instance> instance, Capabilities caps,
                   const OpenOptions &options) {
  std::shared_ptr<VulkanDevice> device(new VulkanDevice());
  device->instance = std::move(instance);
  device->caps = std::move(caps);
  device->cacheDir = options.cacheDir;
  device->trustListed = options.trustListedShapes;
  device->caps.unifiedMemory &= !options.stageDeviceMemory;
  if (Status s = device->create(); !s.ok())
    return s.withPrefix("opening " + device->caps.info.id + " (" +
                        device->caps.info.name + "): ");
  return device;
}

Status VulkanDevice::create() {
  FeatureChain features;
  features.link(caps.apiVersion, caps.extensions);
  instance->fn().vkGetPhysicalDeviceFeatures2(caps.physical, &features.base);
  features.keepUsed();

  // Without timeline semaphores one queue keeps the order between streams.
  uint32_t count =
      caps.timelineSemaphores ? std::min(caps.queueCount, maxQueues) : 1;
  std::vector<float> priorities(count, 1.0f);
  VkDeviceQueueCreateInfo queueInfo{VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO};
  queueInfo.queueFamilyIndex = caps.queueFamily;
  queueInfo.queueCount = count;
  queueInfo.pQueuePriorities = priorities.data();
  VkDeviceCreateInfo info{VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO};
  info.pNext = &features.base;
  info.queueCreateInfoCount = 1;
  info.pQueueCreateInfos = &queueInfo;
  info.enabledExtensionCount =
      static_cast<uint32_t>(features.extensions().size());
  info.ppEnabledExtensionNames = features.extensions().data();
  if (Status s = check(
          instance->fn().vkCreateDevice(caps.physical, &info, nullptr, &device),
          "vkCreateDevice");
      !s.ok())
    return s;

  auto getProc = instance->fn().vkGetDeviceProcAddr;
  std::string absent;
#define X(fname)                                                               \
  functions.fname = reinterpret_cast<PFN_##fname>(getProc(device, #fname));    \
  if (!functions.fname)                                                        \
    absent = #fname;
  HELIOS_VK_DEVICE_FUNCTIONS(X)
#undef X
  if (!absent.empty())
    return Status::device("the driver lacks " + absent);
  if (caps.executableStatistics) {
    functions.vkGetPipelineExecutablePropertiesKHR =
        reinterpret_cast<PFN_vkGetPipelineExecutablePropertiesKHR>(
            getProc(device, "vkGetPipelineExecutablePropertiesKHR"));
    functions.vkGetPipelineExecutableStatisticsKHR =
        reinterpret_cast<PFN_vkGetPipelineExecutableStatisticsKHR>(
            getProc(device, "vkGetPipelineExecutableStatisticsKHR"));
    caps.executableStatistics =
        functions.vkGetPipelineExecutablePropertiesKHR &&
        functions.vkGetPipelineExecutableStatisticsKHR;
  }
  for (uint32_t i = 0; i < count; ++i) {
    queues.push_back(std::make_unique<Queue>());
    functions.vkGetDeviceQueue(device, caps.queueFamily, i,
                               &queues.back()->handle);
  }

  std::vector<uint8_t> known = loadPipelineCache(cacheDir, caps);
  VkPipelineCacheCreateInfo cacheInfo{
      VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO};
  cacheInfo.initialDataSize = known.size();
  cacheInfo.pInitialData = known.data();
  VkResult r =
      functions.vkCreatePipelineCache(device, &cacheInfo, nullptr, &cache);
  if (r != VK_SUCCESS && !known.empty()) {
    cacheInfo.initialDataSize = 0;
    r = functions.vkCreatePipelineCache(device, &cacheInfo, nullptr, &cache);
  }
  if (Status s = check(r, "vkCreatePipelineCache"); !s.ok())
    return s;
  return Status::success();
}

VulkanDevice::~VulkanDevice() {
  if (!device)
    return;
  if (functions.vkDeviceWaitIdle)
    functions.vkDeviceWaitIdle(device);
  if (cache) {
    size_t size = 0;
    if (cacheDirty && !cacheDir.empty() &&
        functions.vkGetPipelineCacheData(device, cache, &size, nullptr) ==
            VK_SUCCESS &&
        size) {
      std::vector<uint8_t> data(size);
      if (functions.vkGetPipelineCacheData(device, cache, &size, data.data()) ==
          VK_SUCCESS) {
        data.resize(size);
        // A cache that cannot be written costs time in the next process, no
        // more.
        (void)savePipelineCache(cacheDir, caps, data);
      }
    }
    functions.vkDestroyPipelineCache(device, cache, nullptr);
  }
  if (staging.fence)
    functions.vkDestroyFence(device, staging.fence, nullptr);
  if (staging.pool)
    functions.vkDestroyCommandPool(device, staging.pool, nullptr);
  if (staging.buffer)
    functions.vkDestroyBuffer(device, staging.buffer, nullptr);
  if (staging.memory)
    functions.vkFreeMemory(device, staging.memory, nullptr);
  if (functions.vkDestroyDevice)
    functions.vkDestroyDevice(device, nullptr);
}

Status VulkanDevice::submit(Queue &queue, const VkSubmitInfo &info,
                            VkFence fence) {
  std::lock_guard<std::mutex> lock(queue.mutex);
  return check(functions.vkQueueSubmit(queue.handle, 1, &info, fence),
               "vkQueueSubmit on " + caps.info.id);
}

Result<std::shared_ptr<Stream>> VulkanDevice::createStream() {
  Queue &queue = *queues[nextQueue++ % queues.size()];
  return createVulkanStream(self(), queue);
}

Result<std::shared_ptr<Kernel>>
VulkanDevice::loadKernel(std::shared_ptr<const bundle::Bundle> bundle,
                         const std::string &name,
                         const KernelOptions &options) {
  return loadPlanned<VulkanKernel>(self(), std::move(bundle), name, options,
                                   {bundle::TargetKind::Vulkan}, trustListed);
}

Status VulkanDevice::createStaging() {
  VkCommandPoolCreateInfo poolInfo{VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
  poolInfo.flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT;
  poolInfo.queueFamilyIndex = caps.queueFamily;
  if (Status s = check(functions.vkCreateCommandPool(device, &poolInfo, nullptr,
                                                     &staging.pool),
                       "vkCreateCommandPool");
      !s.ok())
    return s;
  VkCommandBufferAllocateInfo commandInfo{
      VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO};
  commandInfo.commandPool = staging.pool;
  commandInfo.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
  commandInfo.commandBufferCount = 1;
  if (Status s = check(functions.vkAllocateCommandBuffers(device, &commandInfo,
                                                          &staging.commands),
                       "vkAllocateCommandBuffers");
      !s.ok())
    return s;
  VkFenceCreateInfo fenceInfo{VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
  if (Status s = check(
          functions.vkCreateFence(device, &fenceInfo, nullptr, &staging.fence),
          "vkCreateFence");
      !s.ok())
    return s;
  Result<std::shared_ptr<VulkanBuffer>> buffer =
      allocate(stagingBytes, MemoryKind::Host);
  if (!buffer)
    return buffer.status();
  // The device owns it from here on; a VulkanBuffer would keep the device
  // alive.
  staging.buffer = std::exchange((*buffer)->handle, VK_NULL_HANDLE);
  staging.memory = std::exchange((*buffer)->memory, VK_NULL_HANDLE);
  staging.host = (*buffer)->host;
  staging.bytes = stagingBytes;
  return Status::success();
}

Status VulkanDevice::stagedCopy(VulkanBuffer &buffer, uint64_t offset,
                                const void *from, void *to, uint64_t bytes) {
  std::lock_guard<std::mutex> lock(staging.mutex);
  if (!staging.host)
    if (Status s = createStaging(); !s.ok())
      return s;
  for (uint64_t done = 0; done < bytes;) {
    uint64_t n = std::min(bytes - done, staging.bytes);
    if (from)
      std::memcpy(staging.host, static_cast<const uint8_t *>(from) + done, n);
    VkCommandBufferBeginInfo begin{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    begin.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
    if (Status s = check(functions.vkResetCommandBuffer(staging.commands, 0),
                         "vkResetCommandBuffer");
        !s.ok())
      return s;
    if (Status s =
            check(functions.vkBeginCommandBuffer(staging.commands, &begin),
                  "vkBeginCommandBuffer");
        !s.ok())
      return s;
    recordBarrier(functions, staging.commands);
    VkBufferCopy region{};
    region.srcOffset = from ? 0 : offset + done;
    region.dstOffset = from ? offset + done : 0;
    region.size = n;
    functions.vkCmdCopyBuffer(
        staging.commands, from ? staging.buffer : buffer.handle,
        from ? buffer.handle : staging.buffer, 1, &region);
    recordBarrier(functions, staging.commands);
    if (Status s = check(functions.vkEndCommandBuffer(staging.commands),
                         "vkEndCommandBuffer");
        !s.ok())
      return s;
    if (Status s = check(functions.vkResetFences(device, 1, &staging.fence),
                         "vkResetFences");
        !s.ok())
      return s;
    VkSubmitInfo info{VK_STRUCTURE_TYPE_SUBMIT_INFO};
    info.commandBufferCount = 1;
    info.pCommandBuffers = &staging.commands;
    if (Status s = submit(*queues[0], info, staging.fence); !s.ok())
      return s;
    if (Status s = check(functions.vkWaitForFences(device, 1, &staging.fence,
                                                   VK_TRUE, UINT64_MAX),
                         "vkWaitForFences");
        !s.ok())
      return s;
    if (to)
      std::memcpy(static_cast<uint8_t *>(to) + done, staging.host, n);
    done += n;
  }
  return Status::success();
}

void recordBarrier(const DeviceFunctions &fn, VkCommandBuffer commands) {
  VkMemoryBarrier barrier{VK_STRUCTURE_TYPE_MEMORY_BARRIER};
  barrier.srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT;
  barrier.dstAccessMask = VK_ACCESS_MEMORY_READ_BIT |
                          VK_ACCESS_MEMORY_WRITE_BIT | VK_ACCESS_HOST_READ_BIT;
  fn.vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                          VK_PIPELINE_STAGE_ALL_COMMANDS_BIT |
                              VK_PIPELINE_STAGE_HOST_BIT,
                          0, 1, &barrier, 0, nullptr, 0, nullptr);
}

} // namespace helios::rt::vulkan
