//===- Capabilities.h - What a physical device offers -===//
//
// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HELIOS_RUNTIME_VULKAN_CAPABILITIES_H
#define HELIOS_RUNTIME_VULKAN_CAPABILITIES_H

#include "vulkan/Instance.h"
#include <set>

namespace helios::rt::vulkan {

/// The feature structures that the runtime knows, chained for a query or for
/// device creation. Not copyable: the chain points into it.
class FeatureChain {
public:
  FeatureChain() = default;
  FeatureChain(const FeatureChain &) = delete;
  FeatureChain &operator=(const FeatureChain &) = delete;

  VkPhysicalDeviceFeatures2 base{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2};
  VkPhysicalDevice16BitStorageFeatures storage16{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_16BIT_STORAGE_FEATURES};
  VkPhysicalDevice8BitStorageFeatures storage8{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_8BIT_STORAGE_FEATURES};
  VkPhysicalDeviceShaderFloat16Int8Features float16Int8{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_FLOAT16_INT8_FEATURES};
  VkPhysicalDeviceVulkanMemoryModelFeatures memoryModel{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_MEMORY_MODEL_FEATURES};
  VkPhysicalDeviceTimelineSemaphoreFeatures timeline{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES};
  VkPhysicalDeviceBufferDeviceAddressFeatures bufferAddress{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BUFFER_DEVICE_ADDRESS_FEATURES};
  VkPhysicalDeviceShaderSubgroupExtendedTypesFeatures subgroupTypes{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_SUBGROUP_EXTENDED_TYPES_FEATURES};
  VkPhysicalDeviceSubgroupSizeControlFeatures subgroupSize{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_FEATURES};
  VkPhysicalDeviceMaintenance4Features maintenance4{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_4_FEATURES};
  VkPhysicalDeviceCooperativeMatrixFeaturesKHR cooperativeMatrix{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_FEATURES_KHR};
#ifdef VK_EXT_cooperative_matrix_maintenance1
  VkPhysicalDeviceCooperativeMatrixMaintenance1FeaturesEXT maintenance1{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_MAINTENANCE_1_FEATURES_EXT};
#endif
  VkPhysicalDeviceCooperativeMatrix2FeaturesNV cooperativeMatrix2{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_2_FEATURES_NV};
  VkPhysicalDeviceShaderBfloat16FeaturesKHR bfloat16{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_BFLOAT16_FEATURES_KHR};
  VkPhysicalDeviceWorkgroupMemoryExplicitLayoutFeaturesKHR explicitLayout{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_WORKGROUP_MEMORY_EXPLICIT_LAYOUT_FEATURES_KHR};
  VkPhysicalDevicePipelineExecutablePropertiesFeaturesKHR executableProperties{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_EXECUTABLE_PROPERTIES_FEATURES_KHR};

  /// Chains the structures that the device knows and collects the extensions
  /// that must be enabled for them.
  void link(uint32_t apiVersion, const std::set<std::string> &available);
  /// Leaves on only what the runtime uses (robustness and the rest go off).
  void keepUsed();
  const std::vector<const char *> &extensions() const { return enabled; }

private:
  std::vector<const char *> enabled;
};

/// A physical device, looked at.
struct Capabilities {
  DeviceInfo info;
  VkPhysicalDevice physical = VK_NULL_HANDLE;
  std::set<std::string> extensions;
  /// Version up to which the device is used.
  uint32_t apiVersion = 0;
  uint32_t queueFamily = 0;
  uint32_t queueCount = 0;
  uint32_t timestampBits = 0;
  bool timelineSemaphores = false;
  bool executableStatistics = false;
  bool unifiedMemory = false;
  uint64_t maxBufferBytes = 0;
  uint32_t requiredSubgroupStages = 0;
  uint8_t pipelineCacheUuid[VK_UUID_SIZE] = {};
  VkPhysicalDeviceMemoryProperties memory{};
};

/// Fills everything; a device that lacks what the runtime needs gets
/// info.unusable.
Capabilities queryCapabilities(const Instance &instance,
                               VkPhysicalDevice physical, uint32_t index);

} // namespace helios::rt::vulkan

#endif // HELIOS_RUNTIME_VULKAN_CAPABILITIES_H
