//===- Graph.cpp - A recorded command buffer -===//
//
// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vulkan/Graph.h"

namespace helios::rt::vulkan {

Result<std::shared_ptr<VulkanGraph>>
VulkanGraph::begin(std::shared_ptr<VulkanDevice> device, GraphOrder order) {
  std::shared_ptr<VulkanGraph> graph(new VulkanGraph(std::move(device)));
  const VulkanDevice &owner = *graph->owner;
  const DeviceFunctions &fn = owner.fn();
  VkCommandPoolCreateInfo poolInfo{VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
  poolInfo.queueFamilyIndex = owner.capabilities().queueFamily;
  if (Status s = check(fn.vkCreateCommandPool(owner.handle(), &poolInfo,
                                              nullptr, &graph->pool),
                       "vkCreateCommandPool");
      !s.ok())
    return s;
  VkCommandBufferAllocateInfo allocate{
      VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO};
  allocate.commandPool = graph->pool;
  allocate.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
  allocate.commandBufferCount = 1;
  VkCommandBuffer commands = VK_NULL_HANDLE;
  if (Status s = check(
          fn.vkAllocateCommandBuffers(owner.handle(), &allocate, &commands),
          "vkAllocateCommandBuffers");
      !s.ok())
    return s;
  VkCommandBufferBeginInfo info{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
  // Several replays may be in flight.
  info.flags = VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT;
  if (Status s = check(fn.vkBeginCommandBuffer(commands, &info),
                       "vkBeginCommandBuffer");
      !s.ok())
    return s;
  graph->recorded.emplace(fn, commands, order);
  return graph;
}

VulkanGraph::~VulkanGraph() {
  if (pool)
    owner->fn().vkDestroyCommandPool(owner->handle(), pool, nullptr);
}

Status VulkanGraph::end() {
  return check(owner->fn().vkEndCommandBuffer(commands()),
               "vkEndCommandBuffer");
}

void VulkanGraph::noteKernels(const Launch &launch) {
  for (std::string &name : launch.kernelNames())
    names.push_back(std::move(name));
}

} // namespace helios::rt::vulkan
