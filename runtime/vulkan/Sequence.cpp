//===- Sequence.cpp - Commands with the barriers that they need -===//
//
// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "vulkan/Sequence.h"
#include "vulkan/Device.h"

namespace helios::rt::vulkan {

static VkAccessFlags writesOf(VkPipelineStageFlags stages) {
  return (stages & VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT
              ? VK_ACCESS_SHADER_WRITE_BIT
              : 0) |
         (stages & VK_PIPELINE_STAGE_TRANSFER_BIT ? VK_ACCESS_TRANSFER_WRITE_BIT
                                                  : 0);
}

void Sequence::order(const std::vector<MemoryAccess> &accesses,
                     VkPipelineStageFlags stage) {
  const bool waits =
      turns == GraphOrder::Turns ? sinceBarrier != 0 : hazards.add(accesses);
  if (!waits) {
    sinceBarrier |= stage;
    return;
  }
  // What follows later counts on this barrier too, whatever its stage.
  constexpr VkPipelineStageFlags all =
      VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT;
  VkMemoryBarrier barrier{VK_STRUCTURE_TYPE_MEMORY_BARRIER};
  barrier.srcAccessMask = writesOf(sinceBarrier);
  barrier.dstAccessMask =
      VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_TRANSFER_READ_BIT | writesOf(all);
  fn.vkCmdPipelineBarrier(commands, sinceBarrier, all, 0, 1, &barrier, 0,
                          nullptr, 0, nullptr);
  sinceBarrier = stage;
  ++numBarriers;
}

void Sequence::fill(const VulkanBuffer &buffer, uint64_t offset, uint64_t bytes,
                    uint32_t pattern) {
  if (!bytes)
    return;
  order({{&buffer, offset, offset + bytes, true}},
        VK_PIPELINE_STAGE_TRANSFER_BIT);
  fn.vkCmdFillBuffer(commands, buffer.handle, offset, bytes, pattern);
}

void Sequence::copy(const VulkanBuffer &from, uint64_t fromOffset,
                    const VulkanBuffer &to, uint64_t toOffset, uint64_t bytes) {
  if (!bytes)
    return;
  order({{&from, fromOffset, fromOffset + bytes, false},
         {&to, toOffset, toOffset + bytes, true}},
        VK_PIPELINE_STAGE_TRANSFER_BIT);
  VkBufferCopy region{fromOffset, toOffset, bytes};
  fn.vkCmdCopyBuffer(commands, from.handle, to.handle, 1, &region);
}

} // namespace helios::rt::vulkan
