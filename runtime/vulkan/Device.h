//===- Device.h - The Vulkan driver's objects -===//
//
// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HELIOS_RUNTIME_VULKAN_DEVICE_H
#define HELIOS_RUNTIME_VULKAN_DEVICE_H

#include "common/PlannedKernel.h"
#include "vulkan/Capabilities.h"
#include "vulkan/Sequence.h"
#include <atomic>
#include <map>
#include <mutex>

namespace helios::rt::vulkan {

class VulkanBuffer;

/// A VkQueue with the lock that its use needs.
struct Queue {
  VkQueue handle = VK_NULL_HANDLE;
  std::mutex mutex;
};

class VulkanDevice final : public Device {
public:
  static Result<std::shared_ptr<VulkanDevice>>
  open(std::shared_ptr<Instance> instance, Capabilities caps,
       const OpenOptions &options);
  ~VulkanDevice() override;

  const DeviceInfo &info() const override { return caps.info; }
  bool executes() const override { return true; }
  Result<std::shared_ptr<Buffer>> createBuffer(uint64_t bytes,
                                               MemoryKind kind) override;
  Result<std::shared_ptr<Stream>> createStream() override;
  Result<std::shared_ptr<Kernel>>
  loadKernel(std::shared_ptr<const bundle::Bundle> bundle,
             const std::string &name, const KernelOptions &options) override;

  Result<std::shared_ptr<VulkanBuffer>> allocate(uint64_t bytes,
                                                 MemoryKind kind);
  /// Copies between a device-only buffer and host memory, in pieces, and waits.
  Status stagedCopy(VulkanBuffer &buffer, uint64_t offset, const void *from,
                    void *to, uint64_t bytes);
  Status submit(Queue &queue, const VkSubmitInfo &info, VkFence fence);

  const DeviceFunctions &fn() const { return functions; }
  VkDevice handle() const { return device; }
  const Capabilities &capabilities() const { return caps; }
  VkPipelineCache pipelineCache() const { return cache; }
  bool trustsListedShapes() const { return trustListed; }
  /// Pipelines were built, so the cache on disk is out of date.
  void markCacheDirty() { cacheDirty = true; }
  std::shared_ptr<VulkanDevice> self() {
    return std::static_pointer_cast<VulkanDevice>(shared_from_this());
  }

private:
  friend Status runSelfTest(VulkanDevice &, const OpenOptions &);
  VulkanDevice() = default;
  Status create();
  Status createStaging();

  std::shared_ptr<Instance> instance;
  Capabilities caps;
  std::string cacheDir;
  bool trustListed = false;
  VkDevice device = VK_NULL_HANDLE;
  DeviceFunctions functions;
  std::vector<std::unique_ptr<Queue>> queues;
  std::atomic<uint32_t> nextQueue{0};
  VkPipelineCache cache = VK_NULL_HANDLE;
  std::atomic<bool> cacheDirty{false};

  /// For Buffer::read and write of memory the host cannot see.
  struct Staging {
    std::mutex mutex;
    VkCommandPool pool = VK_NULL_HANDLE;
    VkCommandBuffer commands = VK_NULL_HANDLE;
    VkFence fence = VK_NULL_HANDLE;
    VkBuffer buffer = VK_NULL_HANDLE;
    VkDeviceMemory memory = VK_NULL_HANDLE;
    uint8_t *host = nullptr;
    uint64_t bytes = 0;
  } staging;
};

class VulkanBuffer final : public Buffer {
public:
  VulkanBuffer(std::shared_ptr<VulkanDevice> device, uint64_t bytes)
      : owner(std::move(device)), ownerAsDevice(owner), bytes(bytes) {}
  ~VulkanBuffer() override;

  uint64_t size() const override { return bytes; }
  Status write(uint64_t offset, const void *data, uint64_t n) override;
  Status read(uint64_t offset, void *data, uint64_t n) override;
  void *hostPointer() override { return host; }
  const std::shared_ptr<Device> &device() const override {
    return ownerAsDevice;
  }

  /// InvalidInput if [offset, offset + n) leaves the buffer.

  std::shared_ptr<VulkanDevice> owner;
  std::shared_ptr<Device> ownerAsDevice;
  VkBuffer handle = VK_NULL_HANDLE;
  VkDeviceMemory memory = VK_NULL_HANDLE;
  uint8_t *host = nullptr;
  uint64_t bytes = 0;
  /// Size of the VkBuffer: bytes rounded up to 256, at least 256.
  uint64_t allocated = 0;
};

/// A compute pipeline with its layouts.
struct Pipeline {
  VkDescriptorSetLayout setLayout = VK_NULL_HANDLE;
  VkPipelineLayout layout = VK_NULL_HANDLE;
  VkPipeline handle = VK_NULL_HANDLE;
  std::string module, entryPoint;
};

class VulkanKernel final : public PlannedKernel,
                           public std::enable_shared_from_this<VulkanKernel> {
public:
  VulkanKernel(std::shared_ptr<VulkanDevice> device,
               std::shared_ptr<const bundle::Bundle> bundle,
               const bundle::Kernel &kernel, ChosenImplementation chosen)
      : PlannedKernel(device, std::move(bundle), kernel, std::move(chosen)),
        owner(std::move(device)) {}
  ~VulkanKernel() override;

  std::vector<PipelineStatistic> statistics() override;

private:
  Result<std::shared_ptr<Launch>>
  build(const std::vector<LaunchArgument> &arguments,
        const CheckedArguments &checked, bundle::ResolvedPlan plan) override;
  /// The pipeline of a dispatch, built on first use.
  Result<const Pipeline *>
  pipelineFor(const bundle::ResolvedDispatch &dispatch);
  Result<Pipeline> createPipeline(const bundle::ResolvedDispatch &dispatch);

  std::shared_ptr<VulkanDevice> owner;
  std::mutex mutex;
  std::map<std::string, Pipeline> pipelines;
};

class VulkanLaunch final : public Launch {
public:
  VulkanLaunch(std::shared_ptr<VulkanDevice> device,
               std::shared_ptr<VulkanKernel> kernel, bundle::ResolvedPlan plan)
      : owner(std::move(device)), kernel(std::move(kernel)),
        resolved(std::move(plan)) {}
  ~VulkanLaunch() override;

  const bundle::ResolvedPlan &plan() const override { return resolved; }
  const std::string &variantName() const override {
    return resolved.variantName;
  }
  uint64_t workspaceBytes() const override { return resolved.workspaceBytes; }
  const std::shared_ptr<Device> &device() const override {
    return kernel->device();
  }

  /// Allocates workspace and descriptors for `pipelines`, one a dispatch (null
  /// where nothing is launched).
  Status bind(const std::vector<const Pipeline *> &pipelines,
              const std::vector<LaunchArgument> &arguments,
              const std::vector<BoundTensor> &tensors);
  /// Writes the dispatches, with barriers where one needs what others did.
  void record(Sequence &sequence) const;

  std::shared_ptr<VulkanDevice> owner;

private:
  std::shared_ptr<VulkanKernel> kernel;
  bundle::ResolvedPlan resolved;
  std::vector<std::shared_ptr<Buffer>> kept;
  std::shared_ptr<VulkanBuffer> workspace, dummy;
  VkDescriptorPool pool = VK_NULL_HANDLE;
  struct Step {
    const Pipeline *pipeline = nullptr;
    VkDescriptorSet set = VK_NULL_HANDLE;
    Grid grid;
    const std::vector<uint32_t> *pushConstants = nullptr;
    std::vector<MemoryAccess> accesses;
  };
  std::vector<Step> steps;
};

/// A barrier that orders all before and after, shaders, copies and host reads.
void recordBarrier(const DeviceFunctions &fn, VkCommandBuffer commands);

Result<std::shared_ptr<Stream>>
createVulkanStream(std::shared_ptr<VulkanDevice> device, Queue &queue);

/// Pipeline cache on disk.
std::string pipelineCachePath(const std::string &cacheDir,
                              const Capabilities &caps);
/// The cache's bytes; empty if there is none or it is damaged or another
/// driver's.
std::vector<uint8_t> loadPipelineCache(const std::string &cacheDir,
                                       const Capabilities &caps);
/// Failures are told in the status, but never stop anything.
Status savePipelineCache(const std::string &cacheDir, const Capabilities &caps,
                         const std::vector<uint8_t> &data);
/// Creates `path` and its parents.
Status makeDirectories(const std::string &path);
/// Writes beside `path` and renames.
Status writeAtomically(const std::string &path, const void *data, size_t bytes);

/// Fills the verdicts of the device's listed shapes, from the cache or by
/// running each. Not ok only if the device was lost on the way.
Status runSelfTest(VulkanDevice &device, const OpenOptions &options);

} // namespace helios::rt::vulkan

#endif // HELIOS_RUNTIME_VULKAN_DEVICE_H
