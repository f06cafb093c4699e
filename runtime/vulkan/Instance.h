//===- Instance.h - The Vulkan loader, an instance, function tables -===//
//
// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HELIOS_RUNTIME_VULKAN_INSTANCE_H
#define HELIOS_RUNTIME_VULKAN_INSTANCE_H

#include "common/Common.h"
#include <vulkan/vulkan_core.h>

namespace helios::rt::vulkan {

#define HELIOS_VK_INSTANCE_FUNCTIONS(X)                                        \
  X(vkDestroyInstance)                                                         \
  X(vkEnumeratePhysicalDevices)                                                \
  X(vkGetPhysicalDeviceProperties2)                                            \
  X(vkGetPhysicalDeviceFeatures2)                                              \
  X(vkGetPhysicalDeviceMemoryProperties)                                       \
  X(vkGetPhysicalDeviceQueueFamilyProperties)                                  \
  X(vkEnumerateDeviceExtensionProperties)                                      \
  X(vkCreateDevice)                                                            \
  X(vkGetDeviceProcAddr)

#define HELIOS_VK_DEVICE_FUNCTIONS(X)                                          \
  X(vkDestroyDevice)                                                           \
  X(vkGetDeviceQueue)                                                          \
  X(vkDeviceWaitIdle)                                                          \
  X(vkQueueSubmit)                                                             \
  X(vkAllocateMemory)                                                          \
  X(vkFreeMemory)                                                              \
  X(vkMapMemory)                                                               \
  X(vkCreateBuffer)                                                            \
  X(vkDestroyBuffer)                                                           \
  X(vkGetBufferMemoryRequirements)                                             \
  X(vkBindBufferMemory)                                                        \
  X(vkCreateShaderModule)                                                      \
  X(vkDestroyShaderModule)                                                     \
  X(vkCreateDescriptorSetLayout)                                               \
  X(vkDestroyDescriptorSetLayout)                                              \
  X(vkCreatePipelineLayout)                                                    \
  X(vkDestroyPipelineLayout)                                                   \
  X(vkCreateComputePipelines)                                                  \
  X(vkDestroyPipeline)                                                         \
  X(vkCreatePipelineCache)                                                     \
  X(vkDestroyPipelineCache)                                                    \
  X(vkGetPipelineCacheData)                                                    \
  X(vkCreateDescriptorPool)                                                    \
  X(vkDestroyDescriptorPool)                                                   \
  X(vkAllocateDescriptorSets)                                                  \
  X(vkUpdateDescriptorSets)                                                    \
  X(vkCreateCommandPool)                                                       \
  X(vkDestroyCommandPool)                                                      \
  X(vkAllocateCommandBuffers)                                                  \
  X(vkBeginCommandBuffer)                                                      \
  X(vkEndCommandBuffer)                                                        \
  X(vkResetCommandBuffer)                                                      \
  X(vkCreateFence)                                                             \
  X(vkDestroyFence)                                                            \
  X(vkResetFences)                                                             \
  X(vkWaitForFences)                                                           \
  X(vkCreateSemaphore)                                                         \
  X(vkDestroySemaphore)                                                        \
  X(vkCreateQueryPool)                                                         \
  X(vkDestroyQueryPool)                                                        \
  X(vkGetQueryPoolResults)                                                     \
  X(vkCmdResetQueryPool)                                                       \
  X(vkCmdWriteTimestamp)                                                       \
  X(vkCmdPipelineBarrier)                                                      \
  X(vkCmdBindPipeline)                                                         \
  X(vkCmdBindDescriptorSets)                                                   \
  X(vkCmdPushConstants)                                                        \
  X(vkCmdDispatch)                                                             \
  X(vkCmdFillBuffer)                                                           \
  X(vkCmdCopyBuffer)

struct InstanceFunctions {
#define X(name) PFN_##name name = nullptr;
  HELIOS_VK_INSTANCE_FUNCTIONS(X)
#undef X
  // Only where the extension is there.
  PFN_vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR
      vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR = nullptr;
};

struct DeviceFunctions {
#define X(name) PFN_##name name = nullptr;
  HELIOS_VK_DEVICE_FUNCTIONS(X)
#undef X
  PFN_vkGetPipelineExecutablePropertiesKHR
      vkGetPipelineExecutablePropertiesKHR = nullptr;
  PFN_vkGetPipelineExecutableStatisticsKHR
      vkGetPipelineExecutableStatisticsKHR = nullptr;
};

/// "VK_ERROR_DEVICE_LOST".
std::string resultName(VkResult result);

/// Ok for VK_SUCCESS; else a status that names the call and its result, with
/// the code that fits (OutOfMemory, DeviceLost, Device).
Status check(VkResult result, const std::string &call);

/// A loader and a Vulkan instance made through it.
class Instance {
public:
  ~Instance();
  /// One instance a loader and process, alive while somebody holds it.
  /// Unsupported: no loader, or no driver; the message says what to install.
  static Result<std::shared_ptr<Instance>> get(const OpenOptions &options);

  const InstanceFunctions &fn() const { return functions; }
  VkInstance handle() const { return instance; }
  /// VK_MAKE_API_VERSION asked for; devices are used up to it.
  uint32_t apiVersion() const { return version; }
  const std::vector<VkPhysicalDevice> &physicalDevices() const {
    return devices;
  }

private:
  Instance() = default;
  Status open(const OpenOptions &options);

  void *library = nullptr;
  VkInstance instance = VK_NULL_HANDLE;
  uint32_t version = 0;
  InstanceFunctions functions;
  std::vector<VkPhysicalDevice> devices;
};

} // namespace helios::rt::vulkan

#endif // HELIOS_RUNTIME_VULKAN_INSTANCE_H
