//===- Launch.cpp - A kernel bound to arguments -===//
//
// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vulkan/Device.h"
#include <algorithm>

namespace helios::rt::vulkan {

VulkanLaunch::~VulkanLaunch() {
  if (pool)
    owner->fn().vkDestroyDescriptorPool(owner->handle(), pool, nullptr);
}

Status VulkanLaunch::bind(const std::vector<const Pipeline *> &pipelines,
                          const std::vector<LaunchArgument> &arguments,
                          const std::vector<BoundTensor> &tensors) {
  const DeviceFunctions &fn = owner->fn();
  VkDevice device = owner->handle();
  const DeviceInfo &info = owner->info();
  for (const LaunchArgument &a : arguments)
    if (a.buffer)
      kept.push_back(a.buffer);
  bool launches = false;
  uint32_t sets = 0, descriptors = 0;
  for (size_t i = 0; i < pipelines.size(); ++i) {
    launches |= pipelines[i] != nullptr;
    if (!pipelines[i] || resolved.dispatches[i].bindings.empty())
      continue;
    ++sets;
    descriptors +=
        static_cast<uint32_t>(resolved.dispatches[i].bindings.size());
  }
  if (launches && resolved.workspaceBytes) {
    Result<std::shared_ptr<VulkanBuffer>> w =
        owner->allocate(resolved.workspaceBytes, MemoryKind::Device);
    if (!w)
      return w.status().withPrefix("workspace of variant '" +
                                   resolved.variantName + "': ");
    workspace = std::move(*w);
  }
  if (sets) {
    VkDescriptorPoolSize size{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, descriptors};
    VkDescriptorPoolCreateInfo poolInfo{
        VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO};
    poolInfo.maxSets = sets;
    poolInfo.poolSizeCount = 1;
    poolInfo.pPoolSizes = &size;
    if (Status s =
            check(fn.vkCreateDescriptorPool(device, &poolInfo, nullptr, &pool),
                  "vkCreateDescriptorPool");
        !s.ok())
      return s;
  }

  for (size_t i = 0; i < pipelines.size(); ++i) {
    if (!pipelines[i])
      continue;
    const bundle::ResolvedDispatch &d = resolved.dispatches[i];
    Step step;
    step.pipeline = pipelines[i];
    step.grid = splitGrid(d.groups);
    step.pushConstants = &d.pushConstants;
    if (!d.bindings.empty()) {
      VkDescriptorSetAllocateInfo allocate{
          VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO};
      allocate.descriptorPool = pool;
      allocate.descriptorSetCount = 1;
      allocate.pSetLayouts = &step.pipeline->setLayout;
      if (Status s =
              check(fn.vkAllocateDescriptorSets(device, &allocate, &step.set),
                    "vkAllocateDescriptorSets");
          !s.ok())
        return s;
    }
    std::vector<VkDescriptorBufferInfo> buffers(d.bindings.size());
    std::vector<VkWriteDescriptorSet> writes(d.bindings.size());
    for (size_t b = 0; b < d.bindings.size(); ++b) {
      const bundle::ResolvedBinding &binding = d.bindings[b];
      VulkanBuffer *buffer = nullptr;
      uint64_t offset = 0, bytes = 0;
      if (binding.source == bundle::BindingSource::Workspace) {
        buffer = workspace.get();
        offset = binding.workspaceOffset;
        bytes = binding.workspaceBytes;
      } else {
        buffer = static_cast<VulkanBuffer *>(
            arguments[binding.argument].buffer.get());
        offset = tensors[binding.argument].offset;
        bytes = tensors[binding.argument].bytes;
      }
      // Nothing to bind: an empty tensor or workspace gets a dummy.
      if (bytes == 0) {
        if (!dummy) {
          Result<std::shared_ptr<VulkanBuffer>> made =
              owner->allocate(256, MemoryKind::Device);
          if (!made)
            return made.status();
          dummy = std::move(*made);
        }
        buffer = dummy.get();
        offset = 0;
        bytes = 256;
      }
      // Views by 16 bytes may read past the last element, within the
      // allocation.
      uint64_t range =
          std::min((bytes + 15) / 16 * 16, buffer->allocated - offset);
      if (range > info.maxStorageBufferRange)
        range = bytes;
      if (range > info.maxStorageBufferRange)
        return Status::unsupported("binding " +
                                   std::to_string(binding.binding) + " spans " +
                                   std::to_string(range) +
                                   " bytes; the device binds at most "
                                   "maxStorageBufferRange " +
                                   std::to_string(info.maxStorageBufferRange));
      buffers[b] = {buffer->handle, offset, range};
      // What is read behind the tensor, to fill a unit of 16 bytes, is dropped.
      step.accesses.push_back({buffer, offset, offset + bytes,
                               binding.access != bundle::Access::Read});
      writes[b] = {VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET};
      writes[b].dstSet = step.set;
      writes[b].dstBinding = binding.binding;
      writes[b].descriptorCount = 1;
      writes[b].descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
      writes[b].pBufferInfo = &buffers[b];
    }
    if (!writes.empty())
      fn.vkUpdateDescriptorSets(device, static_cast<uint32_t>(writes.size()),
                                writes.data(), 0, nullptr);
    steps.push_back(step);
  }
  return Status::success();
}

void VulkanLaunch::record(Sequence &sequence) const {
  const DeviceFunctions &fn = sequence.fn;
  VkCommandBuffer commands = sequence.commands;
  for (const Step &step : steps) {
    sequence.beforeDispatch(step.accesses);
    fn.vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE,
                         step.pipeline->handle);
    if (step.set)
      fn.vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE,
                                 step.pipeline->layout, 0, 1, &step.set, 0,
                                 nullptr);
    if (!step.pushConstants->empty())
      fn.vkCmdPushConstants(
          commands, step.pipeline->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0,
          static_cast<uint32_t>(step.pushConstants->size() * 4),
          step.pushConstants->data());
    fn.vkCmdDispatch(commands, step.grid.x, step.grid.y, 1);
  }
}

} // namespace helios::rt::vulkan
