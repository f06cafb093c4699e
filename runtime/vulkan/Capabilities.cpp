//===- Capabilities.cpp - What a physical device offers -===//
//
// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vulkan/Capabilities.h"
#include <cstring>
#include <thread>

namespace helios::rt::vulkan {

using bundle::ElementType;
using bundle::Feature;

namespace {

std::string versionText(uint32_t v) {
  return std::to_string(VK_API_VERSION_MAJOR(v)) + "." +
         std::to_string(VK_API_VERSION_MINOR(v)) + "." +
         std::to_string(VK_API_VERSION_PATCH(v));
}

std::string uuidAsDriverVersion(uint32_t vendor, uint32_t v) {
  if (vendor == 0x10de) // NVIDIA packs 10.8.8.6 bits
    return std::to_string(v >> 22) + "." + std::to_string(v >> 14 & 0xff) +
           "." + std::to_string(v >> 6 & 0xff);
  return versionText(v);
}

std::optional<ElementType> componentType(VkComponentTypeKHR type) {
  switch (type) {
  case VK_COMPONENT_TYPE_FLOAT16_KHR:
    return ElementType::F16;
  case VK_COMPONENT_TYPE_BFLOAT16_KHR:
    return ElementType::BF16;
  case VK_COMPONENT_TYPE_FLOAT32_KHR:
    return ElementType::F32;
  case VK_COMPONENT_TYPE_FLOAT64_KHR:
    return ElementType::F64;
  case VK_COMPONENT_TYPE_SINT8_KHR:
    return ElementType::I8;
  case VK_COMPONENT_TYPE_UINT8_KHR:
    return ElementType::U8;
  case VK_COMPONENT_TYPE_SINT16_KHR:
    return ElementType::I16;
  case VK_COMPONENT_TYPE_SINT32_KHR:
    return ElementType::I32;
  case VK_COMPONENT_TYPE_SINT64_KHR:
    return ElementType::I64;
  default: // unsigned 32-bit accumulators and 8-bit floats have no element type
    return std::nullopt;
  }
}

void listMatrixShapes(const Instance &instance, VkPhysicalDevice physical,
                      DeviceInfo &info) {
  auto query = instance.fn().vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR;
  uint32_t count = 0;
  if (!query || query(physical, &count, nullptr) != VK_SUCCESS)
    return;
  std::vector<VkCooperativeMatrixPropertiesKHR> rows(
      count, VkCooperativeMatrixPropertiesKHR{
                 VK_STRUCTURE_TYPE_COOPERATIVE_MATRIX_PROPERTIES_KHR});
  VkResult r = query(physical, &count, rows.data());
  if (r != VK_SUCCESS && r != VK_INCOMPLETE)
    return;
  rows.resize(count);
  for (const VkCooperativeMatrixPropertiesKHR &row : rows) {
    std::optional<ElementType> a = componentType(row.AType),
                               b = componentType(row.BType),
                               c = componentType(row.CType),
                               d = componentType(row.ResultType);
    bool scope = row.scope == VK_SCOPE_SUBGROUP_KHR ||
                 row.scope == VK_SCOPE_WORKGROUP_KHR;
    if (!a || !b || !c || !d || !scope) {
      ++info.otherMatrixShapes;
      continue;
    }
    ListedShape l;
    l.shape.m = row.MSize;
    l.shape.n = row.NSize;
    l.shape.k = row.KSize;
    l.shape.a = *a;
    l.shape.b = *b;
    l.shape.c = *c;
    l.shape.result = *d;
    l.shape.scope = row.scope == VK_SCOPE_SUBGROUP_KHR
                        ? bundle::MatrixScope::Subgroup
                        : bundle::MatrixScope::Workgroup;
    l.shape.saturating = row.saturatingAccumulation;
    bool known = false;
    for (const ListedShape &other : info.matrixShapes)
      known |= other.shape == l.shape;
    if (!known)
      info.matrixShapes.push_back(l);
  }
}

void setFeature(DeviceInfo &info, Feature f, bool on) {
  if (on)
    info.features |= bundle::featureBit(f);
}

void collectFeatures(const FeatureChain &f, DeviceInfo &info) {
  setFeature(info, Feature::ShaderInt16, f.base.features.shaderInt16);
  setFeature(info, Feature::ShaderInt64, f.base.features.shaderInt64);
  setFeature(info, Feature::ShaderFloat64, f.base.features.shaderFloat64);
  setFeature(info, Feature::StorageBuffer16,
             f.storage16.storageBuffer16BitAccess);
  setFeature(info, Feature::UniformAndStorageBuffer16,
             f.storage16.uniformAndStorageBuffer16BitAccess);
  setFeature(info, Feature::PushConstant16, f.storage16.storagePushConstant16);
  setFeature(info, Feature::StorageBuffer8, f.storage8.storageBuffer8BitAccess);
  setFeature(info, Feature::ShaderFloat16, f.float16Int8.shaderFloat16);
  setFeature(info, Feature::ShaderInt8, f.float16Int8.shaderInt8);
  setFeature(info, Feature::BFloat16, f.bfloat16.shaderBFloat16Type);
  setFeature(info, Feature::BFloat16CooperativeMatrix,
             f.bfloat16.shaderBFloat16CooperativeMatrix);
  setFeature(info, Feature::CooperativeMatrix,
             f.cooperativeMatrix.cooperativeMatrix);
  setFeature(info, Feature::CooperativeMatrixReductions,
             f.cooperativeMatrix2.cooperativeMatrixReductions);
  setFeature(info, Feature::CooperativeMatrixConversions,
             f.cooperativeMatrix2.cooperativeMatrixConversions);
#ifdef VK_EXT_cooperative_matrix_maintenance1
  setFeature(info, Feature::CooperativeMatrixReductionsExt,
             f.maintenance1.cooperativeMatrixReductions);
  setFeature(info, Feature::CooperativeMatrixConversionsExt,
             f.maintenance1.cooperativeMatrixConversions);
#endif
  setFeature(info, Feature::VulkanMemoryModel, f.memoryModel.vulkanMemoryModel);
  setFeature(info, Feature::VulkanMemoryModelDeviceScope,
             f.memoryModel.vulkanMemoryModelDeviceScope);
  setFeature(info, Feature::FullSubgroups, f.subgroupSize.computeFullSubgroups);
  setFeature(info, Feature::WorkgroupExplicitLayout,
             f.explicitLayout.workgroupMemoryExplicitLayout);
  setFeature(info, Feature::WorkgroupExplicitLayout16,
             f.explicitLayout.workgroupMemoryExplicitLayout16BitAccess);
  setFeature(info, Feature::WorkgroupExplicitLayout8,
             f.explicitLayout.workgroupMemoryExplicitLayout8BitAccess);
  setFeature(info, Feature::BufferDeviceAddress,
             f.bufferAddress.bufferDeviceAddress);
}

void chooseQueueFamily(const Instance &instance, Capabilities &caps) {
  uint32_t count = 0;
  instance.fn().vkGetPhysicalDeviceQueueFamilyProperties(caps.physical, &count,
                                                         nullptr);
  std::vector<VkQueueFamilyProperties> families(count);
  instance.fn().vkGetPhysicalDeviceQueueFamilyProperties(caps.physical, &count,
                                                         families.data());
  // The first with compute, rather one with timestamps.
  int best = -1;
  for (uint32_t i = 0; i < count; ++i)
    if ((families[i].queueFlags & VK_QUEUE_COMPUTE_BIT) &&
        families[i].queueCount &&
        (best < 0 || (families[best].timestampValidBits == 0 &&
                      families[i].timestampValidBits)))
      best = static_cast<int>(i);
  if (best < 0) {
    caps.info.unusable = "it has no queue for compute";
    return;
  }
  caps.queueFamily = static_cast<uint32_t>(best);
  caps.queueCount = families[best].queueCount;
  caps.timestampBits = families[best].timestampValidBits;
}

void queryMemory(const Instance &instance, Capabilities &caps) {
  instance.fn().vkGetPhysicalDeviceMemoryProperties(caps.physical,
                                                    &caps.memory);
  for (uint32_t i = 0; i < caps.memory.memoryHeapCount; ++i)
    if (caps.memory.memoryHeaps[i].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT)
      caps.info.memoryBytes += caps.memory.memoryHeaps[i].size;
}

const char *typeName(VkPhysicalDeviceType type) {
  switch (type) {
  case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU:
    return "discrete GPU";
  case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU:
    return "integrated GPU";
  case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU:
    return "virtual GPU";
  case VK_PHYSICAL_DEVICE_TYPE_CPU:
    return "CPU";
  default:
    return "other";
  }
}

/// Chains `next` behind `last`.
template <typename T>
void chain(void **&last, T &next) {
  *last = &next;
  last = &next.pNext;
}

} // namespace

void FeatureChain::link(uint32_t apiVersion,
                        const std::set<std::string> &available) {
  enabled.clear();
  void **last = &base.pNext;
  // A structure may be chained where its extension is in the core of the used
  // version, or is listed (then it is enabled too).
  auto has = [&](const char *extension, uint32_t core) {
    if (core && apiVersion >= core)
      return true;
    if (!available.count(extension))
      return false;
    enabled.push_back(extension);
    return true;
  };
  chain(last, storage16);
  if (has("VK_KHR_8bit_storage", VK_API_VERSION_1_2))
    chain(last, storage8);
  if (has("VK_KHR_shader_float16_int8", VK_API_VERSION_1_2))
    chain(last, float16Int8);
  if (has("VK_KHR_vulkan_memory_model", VK_API_VERSION_1_2))
    chain(last, memoryModel);
  if (has("VK_KHR_timeline_semaphore", VK_API_VERSION_1_2))
    chain(last, timeline);
  if (has("VK_KHR_buffer_device_address", VK_API_VERSION_1_2))
    chain(last, bufferAddress);
  if (has("VK_KHR_shader_subgroup_extended_types", VK_API_VERSION_1_2))
    chain(last, subgroupTypes);
  if (has("VK_EXT_subgroup_size_control", VK_API_VERSION_1_3))
    chain(last, subgroupSize);
  if (has("VK_KHR_maintenance4", VK_API_VERSION_1_3))
    chain(last, maintenance4);
  if (has("VK_KHR_cooperative_matrix", 0))
    chain(last, cooperativeMatrix);
  if (has("VK_NV_cooperative_matrix2", 0))
    chain(last, cooperativeMatrix2);
#ifdef VK_EXT_cooperative_matrix_maintenance1
  if (has("VK_EXT_cooperative_matrix_maintenance1", 0))
    chain(last, maintenance1);
#endif
  if (has("VK_KHR_shader_bfloat16", 0))
    chain(last, bfloat16);
  if (has("VK_KHR_workgroup_memory_explicit_layout", 0))
    chain(last, explicitLayout);
  if (has("VK_KHR_pipeline_executable_properties", 0))
    chain(last, executableProperties);
  // What lists it (MoltenVK) wants it enabled.
  has("VK_KHR_portability_subset", 0);
  // SPIR-V 1.4 and the storage class for a 1.1 device.
  if (apiVersion < VK_API_VERSION_1_2) {
    has("VK_KHR_shader_float_controls", 0);
    has("VK_KHR_spirv_1_4", 0);
  }
}

void FeatureChain::keepUsed() {
  VkPhysicalDeviceFeatures used{};
  used.shaderInt16 = base.features.shaderInt16;
  used.shaderInt64 = base.features.shaderInt64;
  used.shaderFloat64 = base.features.shaderFloat64;
  base.features = used;
  storage16.storageInputOutput16 = VK_FALSE;
  storage8.uniformAndStorageBuffer8BitAccess = VK_FALSE;
  storage8.storagePushConstant8 = VK_FALSE;
  memoryModel.vulkanMemoryModelAvailabilityVisibilityChains = VK_FALSE;
  bufferAddress.bufferDeviceAddressCaptureReplay = VK_FALSE;
  bufferAddress.bufferDeviceAddressMultiDevice = VK_FALSE;
  cooperativeMatrix.cooperativeMatrixRobustBufferAccess = VK_FALSE;
#ifdef VK_EXT_cooperative_matrix_maintenance1
  maintenance1.cooperativeMatrixProperties2 = VK_FALSE;
  maintenance1.cooperativeMatrixPerElementOperations = VK_FALSE;
  maintenance1.cooperativeMatrixGetCoordinate = VK_FALSE;
#endif
  cooperativeMatrix2.cooperativeMatrixWorkgroupScope = VK_FALSE;
  cooperativeMatrix2.cooperativeMatrixFlexibleDimensions = VK_FALSE;
  cooperativeMatrix2.cooperativeMatrixPerElementOperations = VK_FALSE;
  cooperativeMatrix2.cooperativeMatrixTensorAddressing = VK_FALSE;
  cooperativeMatrix2.cooperativeMatrixBlockLoads = VK_FALSE;
}

Capabilities queryCapabilities(const Instance &instance,
                               VkPhysicalDevice physical, uint32_t index) {
  const InstanceFunctions &fn = instance.fn();
  Capabilities caps;
  caps.physical = physical;
  DeviceInfo &info = caps.info;
  info.id = "vulkan:" + std::to_string(index);
  info.driver = "vulkan";

  uint32_t count = 0;
  if (fn.vkEnumerateDeviceExtensionProperties(physical, nullptr, &count,
                                              nullptr) == VK_SUCCESS) {
    std::vector<VkExtensionProperties> list(count);
    VkResult r = fn.vkEnumerateDeviceExtensionProperties(physical, nullptr,
                                                         &count, list.data());
    if (r == VK_SUCCESS || r == VK_INCOMPLETE)
      for (uint32_t i = 0; i < count; ++i)
        caps.extensions.insert(list[i].extensionName);
  }

  VkPhysicalDeviceProperties2 properties{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2};
  fn.vkGetPhysicalDeviceProperties2(physical, &properties);
  uint32_t deviceApi = properties.properties.apiVersion;
  caps.apiVersion =
      deviceApi < instance.apiVersion() ? deviceApi : instance.apiVersion();
  info.name = properties.properties.deviceName;
  if (deviceApi < VK_API_VERSION_1_1) {
    info.unusable = "it offers Vulkan " + versionText(deviceApi) +
                    "; 1.1 is needed, update its driver";
    return caps;
  }

  auto usable = [&](const char *extension, uint32_t core) {
    return (core && caps.apiVersion >= core) ||
           caps.extensions.count(extension);
  };
  VkPhysicalDeviceIDProperties ids{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES};
  VkPhysicalDeviceSubgroupProperties subgroup{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES};
  VkPhysicalDeviceMaintenance3Properties maintenance3{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_3_PROPERTIES};
  VkPhysicalDeviceDriverProperties driver{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES};
  VkPhysicalDeviceSubgroupSizeControlProperties sizeControl{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_PROPERTIES};
  VkPhysicalDeviceMaintenance4Properties maintenance4{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_4_PROPERTIES};
  VkPhysicalDeviceShaderSMBuiltinsPropertiesNV sm{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_SM_BUILTINS_PROPERTIES_NV};
  VkPhysicalDeviceShaderCoreProperties2AMD amd{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CORE_PROPERTIES_2_AMD};
  VkPhysicalDeviceShaderCoreBuiltinsPropertiesARM arm{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CORE_BUILTINS_PROPERTIES_ARM};
  VkPhysicalDeviceCooperativeMatrixPropertiesKHR matrix{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_PROPERTIES_KHR};
  void **last = &properties.pNext;
  chain(last, ids);
  chain(last, subgroup);
  chain(last, maintenance3);
  if (usable("VK_KHR_driver_properties", VK_API_VERSION_1_2))
    chain(last, driver);
  if (usable("VK_EXT_subgroup_size_control", VK_API_VERSION_1_3))
    chain(last, sizeControl);
  if (usable("VK_KHR_maintenance4", VK_API_VERSION_1_3))
    chain(last, maintenance4);
  if (usable("VK_ARM_shader_core_builtins", 0))
    chain(last, arm);
  if (usable("VK_NV_shader_sm_builtins", 0))
    chain(last, sm);
  if (usable("VK_AMD_shader_core_properties2", 0))
    chain(last, amd);
  if (usable("VK_KHR_cooperative_matrix", 0))
    chain(last, matrix);
  fn.vkGetPhysicalDeviceProperties2(physical, &properties);

  const VkPhysicalDeviceProperties &p = properties.properties;
  const VkPhysicalDeviceLimits &limits = p.limits;
  info.typeName = typeName(p.deviceType);
  info.deviceClass = p.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU
                         ? DeviceClass::Cpu
                         : DeviceClass::Gpu;
  caps.unifiedMemory = p.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU ||
                       p.deviceType == VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU;
  std::memcpy(info.deviceUuid.data(), ids.deviceUUID, VK_UUID_SIZE);
  std::memcpy(info.driverUuid.data(), ids.driverUUID, VK_UUID_SIZE);
  std::memcpy(caps.pipelineCacheUuid, p.pipelineCacheUUID, VK_UUID_SIZE);
  info.driverDescription =
      driver.driverName[0]
          ? std::string(driver.driverName) + " " + driver.driverInfo
          : uuidAsDriverVersion(p.vendorID, p.driverVersion);
  if (driver.driverName[0])
    info.conformanceVersion =
        std::to_string(driver.conformanceVersion.major) + "." +
        std::to_string(driver.conformanceVersion.minor) + "." +
        std::to_string(driver.conformanceVersion.subminor) + "." +
        std::to_string(driver.conformanceVersion.patch);
  info.driverVersion = p.driverVersion;
  info.vendorId = p.vendorID;
  info.deviceId = p.deviceID;
  info.apiVersion = caps.apiVersion;
  info.apiVersionString = versionText(deviceApi);
  info.subgroupSize = info.minSubgroupSize = info.maxSubgroupSize =
      subgroup.subgroupSize;
  info.sharedMemoryBytes = limits.maxComputeSharedMemorySize;
  info.maxWorkgroupInvocations = limits.maxComputeWorkGroupInvocations;
  for (int i = 0; i < 3; ++i)
    info.maxWorkgroupSize[i] = limits.maxComputeWorkGroupSize[i];
  info.maxPushConstantBytes = limits.maxPushConstantsSize;
  info.maxStorageBuffers = limits.maxPerStageDescriptorStorageBuffers;
  info.maxStorageBufferRange = limits.maxStorageBufferRange;
  info.maxAllocationBytes = maintenance3.maxMemoryAllocationSize;
  caps.maxBufferBytes = maintenance4.maxBufferSize ? maintenance4.maxBufferSize
                                                   : info.maxAllocationBytes;
  info.storageBufferAlignment =
      static_cast<uint32_t>(limits.minStorageBufferOffsetAlignment);
  info.computeUnits = sm.shaderSMCount             ? sm.shaderSMCount
                      : amd.activeComputeUnitCount ? amd.activeComputeUnitCount
                                                   : arm.shaderCoreCount;
  if (!info.computeUnits && info.deviceClass == DeviceClass::Cpu)
    info.computeUnits = std::thread::hardware_concurrency();

  FeatureChain features;
  features.link(caps.apiVersion, caps.extensions);
  fn.vkGetPhysicalDeviceFeatures2(physical, &features.base);
  collectFeatures(features, info);
  caps.timelineSemaphores = features.timeline.timelineSemaphore;
  caps.executableStatistics =
      features.executableProperties.pipelineExecutableInfo;
  bool compute = subgroup.supportedStages & VK_SHADER_STAGE_COMPUTE_BIT;
  setFeature(info, Feature::SubgroupShuffle,
             compute && (subgroup.supportedOperations &
                         VK_SUBGROUP_FEATURE_SHUFFLE_BIT));
  setFeature(info, Feature::SubgroupArithmetic,
             compute && (subgroup.supportedOperations &
                         VK_SUBGROUP_FEATURE_ARITHMETIC_BIT));
  setFeature(info, Feature::SubgroupVote,
             compute &&
                 (subgroup.supportedOperations & VK_SUBGROUP_FEATURE_VOTE_BIT));
  caps.requiredSubgroupStages = sizeControl.requiredSubgroupSizeStages;
  if (features.subgroupSize.subgroupSizeControl &&
      (sizeControl.requiredSubgroupSizeStages & VK_SHADER_STAGE_COMPUTE_BIT)) {
    setFeature(info, Feature::SubgroupSizeControl, true);
    info.minSubgroupSize = sizeControl.minSubgroupSize;
    info.maxSubgroupSize = sizeControl.maxSubgroupSize;
  }
  if (!(matrix.cooperativeMatrixSupportedStages & VK_SHADER_STAGE_COMPUTE_BIT))
    info.features &= ~bundle::featureBit(Feature::CooperativeMatrix);
  if (info.has(Feature::CooperativeMatrix))
    listMatrixShapes(instance, physical, info);
  chooseQueueFamily(instance, caps);
  queryMemory(instance, caps);
  info.timestampPeriodNs = caps.timestampBits ? limits.timestampPeriod : 0;
  return caps;
}

} // namespace helios::rt::vulkan
