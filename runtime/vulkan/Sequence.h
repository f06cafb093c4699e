//===- Sequence.h - Commands with the barriers that they need -===//
//
// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HELIOS_RUNTIME_VULKAN_SEQUENCE_H
#define HELIOS_RUNTIME_VULKAN_SEQUENCE_H

#include "common/Hazards.h"
#include "vulkan/Instance.h"

namespace helios::rt::vulkan {

class VulkanBuffer;

/// Writes operations into a command buffer, in order, with a barrier before
/// each that depends on one behind the barrier before, or before each that any
/// is behind (GraphOrder::Turns).
class Sequence {
public:
  Sequence(const DeviceFunctions &fn, VkCommandBuffer commands,
           GraphOrder turns = GraphOrder::Data)
      : fn(fn), commands(commands), turns(turns) {}

  /// A dispatch follows, which the caller writes.
  void beforeDispatch(const std::vector<MemoryAccess> &accesses) {
    order(accesses, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT);
  }
  /// `bytes` may be 0.
  void fill(const VulkanBuffer &buffer, uint64_t offset, uint64_t bytes,
            uint32_t pattern);
  void copy(const VulkanBuffer &from, uint64_t fromOffset,
            const VulkanBuffer &to, uint64_t toOffset, uint64_t bytes);

  uint32_t barriers() const { return numBarriers; }

  const DeviceFunctions &fn;
  const VkCommandBuffer commands;

private:
  /// An operation of `stage` follows.
  void order(const std::vector<MemoryAccess> &accesses,
             VkPipelineStageFlags stage);

  const GraphOrder turns;
  Hazards hazards;
  VkPipelineStageFlags sinceBarrier = 0; ///< stages of what is behind it
  uint32_t numBarriers = 0;
};

} // namespace helios::rt::vulkan

#endif // HELIOS_RUNTIME_VULKAN_SEQUENCE_H
