//===- Kernel.cpp - Pipelines of a bundle's kernel -===//
//
// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vulkan/Device.h"
#include <cstdio>
#include <cstring>

namespace helios::rt::vulkan {

namespace {

/// What distinguishes pipelines of one kernel.
std::string pipelineKey(const bundle::ResolvedDispatch &d) {
  std::string key = std::to_string(d.module) + "/" + d.entryPoint + "/" +
                    std::to_string(d.pushConstants.size()) + "/";
  for (const bundle::ResolvedBinding &b : d.bindings)
    key += std::to_string(b.binding) + ",";
  return key;
}

void destroy(const VulkanDevice &device, const Pipeline &p) {
  const DeviceFunctions &fn = device.fn();
  if (p.handle)
    fn.vkDestroyPipeline(device.handle(), p.handle, nullptr);
  if (p.layout)
    fn.vkDestroyPipelineLayout(device.handle(), p.layout, nullptr);
  if (p.setLayout)
    fn.vkDestroyDescriptorSetLayout(device.handle(), p.setLayout, nullptr);
}

/// What the device refuses of a dispatch, whatever the requirements said.
Status checkLimits(const bundle::ResolvedDispatch &d, const DeviceInfo &info) {
  uint64_t invocations = 1;
  for (int i = 0; i < 3; ++i) {
    invocations *= d.workgroupSize[i];
    if (d.workgroupSize[i] > info.maxWorkgroupSize[i])
      return Status::unsupported("workgroup extent " +
                                 std::to_string(d.workgroupSize[i]) +
                                 " of dimension " + std::to_string(i) +
                                 "; the device's maxComputeWorkGroupSize is " +
                                 std::to_string(info.maxWorkgroupSize[i]));
  }
  if (invocations > info.maxWorkgroupInvocations)
    return Status::unsupported(
        "workgroup of " + std::to_string(invocations) +
        " invocations; the device's maxComputeWorkGroupInvocations is " +
        std::to_string(info.maxWorkgroupInvocations));
  if (d.bindings.size() > info.maxStorageBuffers)
    return Status::unsupported(std::to_string(d.bindings.size()) +
                               " storage buffers; the device's "
                               "maxPerStageDescriptorStorageBuffers is " +
                               std::to_string(info.maxStorageBuffers));
  if (d.pushConstants.size() * 4 > info.maxPushConstantBytes)
    return Status::unsupported(
        std::to_string(d.pushConstants.size() * 4) +
        " bytes of push constants; the device's maxPushConstantsSize is " +
        std::to_string(info.maxPushConstantBytes));
  return Status::success();
}

} // namespace

VulkanKernel::~VulkanKernel() {
  for (const auto &[key, pipeline] : pipelines)
    destroy(*owner, pipeline);
}

Result<Pipeline>
VulkanKernel::createPipeline(const bundle::ResolvedDispatch &d) {
  const DeviceFunctions &fn = owner->fn();
  VkDevice device = owner->handle();
  const DeviceInfo &info = owner->info();
  const bundle::Requirements &needs = implementation().requirements;
  const bundle::Module &module = bundle->modules[d.module];
  if (Status s = checkLimits(d, info); !s.ok())
    return s;

  Pipeline p;
  p.module = module.name;
  p.entryPoint = d.entryPoint;
  std::vector<VkDescriptorSetLayoutBinding> bindings;
  for (const bundle::ResolvedBinding &b : d.bindings) {
    VkDescriptorSetLayoutBinding l{};
    l.binding = b.binding;
    l.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
    l.descriptorCount = 1;
    l.stageFlags = VK_SHADER_STAGE_COMPUTE_BIT;
    bindings.push_back(l);
  }
  VkDescriptorSetLayoutCreateInfo setInfo{
      VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO};
  setInfo.bindingCount = static_cast<uint32_t>(bindings.size());
  setInfo.pBindings = bindings.data();
  if (Status s = check(fn.vkCreateDescriptorSetLayout(device, &setInfo, nullptr,
                                                      &p.setLayout),
                       "vkCreateDescriptorSetLayout");
      !s.ok())
    return s;
  VkPushConstantRange range{VK_SHADER_STAGE_COMPUTE_BIT, 0,
                            static_cast<uint32_t>(d.pushConstants.size() * 4)};
  VkPipelineLayoutCreateInfo layoutInfo{
      VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
  layoutInfo.setLayoutCount = 1;
  layoutInfo.pSetLayouts = &p.setLayout;
  layoutInfo.pushConstantRangeCount = range.size ? 1 : 0;
  layoutInfo.pPushConstantRanges = &range;
  if (Status s = check(
          fn.vkCreatePipelineLayout(device, &layoutInfo, nullptr, &p.layout),
          "vkCreatePipelineLayout");
      !s.ok()) {
    destroy(*owner, p);
    return s;
  }

  std::vector<uint32_t> words(module.bytes.size() / 4);
  std::memcpy(words.data(), module.bytes.data(), words.size() * 4);
  VkShaderModuleCreateInfo shaderInfo{
      VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
  shaderInfo.codeSize = words.size() * 4;
  shaderInfo.pCode = words.data();
  VkShaderModule shader = VK_NULL_HANDLE;
  if (Status s =
          check(fn.vkCreateShaderModule(device, &shaderInfo, nullptr, &shader),
                "vkCreateShaderModule of '" + module.name + "'");
      !s.ok()) {
    destroy(*owner, p);
    return s;
  }
  VkPipelineShaderStageRequiredSubgroupSizeCreateInfo subgroup{
      VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO};
  VkComputePipelineCreateInfo create{
      VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
  create.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
  create.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
  create.stage.module = shader;
  create.stage.pName = d.entryPoint.c_str();
  create.layout = p.layout;
  if (needs.subgroupSize && info.has(bundle::Feature::SubgroupSizeControl)) {
    subgroup.requiredSubgroupSize = needs.subgroupSize;
    create.stage.pNext = &subgroup;
  }
  Status bad;
  if (needs.requires_(bundle::Feature::FullSubgroups)) {
    uint32_t size =
        needs.subgroupSize ? needs.subgroupSize : info.maxSubgroupSize;
    if (d.workgroupSize[0] % size != 0)
      bad = Status::invalidInput(
          "entry point '" + d.entryPoint +
          "' asks for full subgroups, but its workgroup's "
          "first extent " +
          std::to_string(d.workgroupSize[0]) +
          " is no multiple of the subgroup size " + std::to_string(size));
    create.stage.flags |=
        VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT;
  }
  if (owner->capabilities().executableStatistics)
    create.flags |= VK_PIPELINE_CREATE_CAPTURE_STATISTICS_BIT_KHR;
  if (bad.ok())
    bad = check(fn.vkCreateComputePipelines(device, owner->pipelineCache(), 1,
                                            &create, nullptr, &p.handle),
                "vkCreateComputePipelines of '" + module.name + ":" +
                    d.entryPoint + "' on " + info.id);
  fn.vkDestroyShaderModule(device, shader, nullptr);
  if (!bad.ok()) {
    destroy(*owner, p);
    return bad;
  }
  owner->markCacheDirty();
  return p;
}

Result<const Pipeline *>
VulkanKernel::pipelineFor(const bundle::ResolvedDispatch &dispatch) {
  std::lock_guard<std::mutex> lock(mutex);
  std::string key = pipelineKey(dispatch);
  auto found = pipelines.find(key);
  if (found != pipelines.end())
    return &found->second;
  Result<Pipeline> made = createPipeline(dispatch);
  if (!made)
    return made.status().withPrefix("kernel '" + kernel.name + "': ");
  return &pipelines.emplace(key, *made).first->second;
}

Result<std::shared_ptr<Launch>>
VulkanKernel::build(const std::vector<LaunchArgument> &arguments,
                    const CheckedArguments &checked,
                    bundle::ResolvedPlan plan) {
  auto launch = std::make_shared<VulkanLaunch>(owner, shared_from_this(),
                                               std::move(plan));
  std::vector<const Pipeline *> wanted;
  for (const bundle::ResolvedDispatch &d : launch->plan().dispatches) {
    if (d.groups == 0) {
      wanted.push_back(nullptr);
      continue;
    }
    Result<const Pipeline *> p = pipelineFor(d);
    if (!p)
      return p.status();
    wanted.push_back(*p);
  }
  if (Status s = launch->bind(wanted, arguments, checked.tensors); !s.ok())
    return s.withPrefix("kernel '" + kernel.name + "': ");
  return std::shared_ptr<Launch>(std::move(launch));
}

std::vector<PipelineStatistic> VulkanKernel::statistics() {
  std::vector<PipelineStatistic> all;
  if (!owner->capabilities().executableStatistics)
    return all;
  const DeviceFunctions &fn = owner->fn();
  std::lock_guard<std::mutex> lock(mutex);
  for (const auto &[key, pipeline] : pipelines) {
    VkPipelineInfoKHR which{VK_STRUCTURE_TYPE_PIPELINE_INFO_KHR};
    which.pipeline = pipeline.handle;
    uint32_t executables = 0;
    if (fn.vkGetPipelineExecutablePropertiesKHR(
            owner->handle(), &which, &executables, nullptr) != VK_SUCCESS)
      continue;
    for (uint32_t e = 0; e < executables; ++e) {
      VkPipelineExecutableInfoKHR executable{
          VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_INFO_KHR};
      executable.pipeline = pipeline.handle;
      executable.executableIndex = e;
      uint32_t count = 0;
      if (fn.vkGetPipelineExecutableStatisticsKHR(
              owner->handle(), &executable, &count, nullptr) != VK_SUCCESS)
        continue;
      std::vector<VkPipelineExecutableStatisticKHR> rows(
          count, VkPipelineExecutableStatisticKHR{
                     VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_STATISTIC_KHR});
      if (fn.vkGetPipelineExecutableStatisticsKHR(owner->handle(), &executable,
                                                  &count, rows.data()) < 0)
        continue;
      rows.resize(count);
      for (const VkPipelineExecutableStatisticKHR &row : rows) {
        PipelineStatistic s;
        s.module = pipeline.module;
        s.entryPoint = pipeline.entryPoint;
        s.name = row.name;
        switch (row.format) {
        case VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_BOOL32_KHR:
          s.value = row.value.b32 ? "true" : "false";
          break;
        case VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_INT64_KHR:
          s.value = std::to_string(row.value.i64);
          break;
        case VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_UINT64_KHR:
          s.value = std::to_string(row.value.u64);
          break;
        default:
          s.value = std::to_string(row.value.f64);
        }
        all.push_back(std::move(s));
      }
    }
  }
  return all;
}

} // namespace helios::rt::vulkan
