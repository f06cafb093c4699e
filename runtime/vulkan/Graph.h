//===- Graph.h - A recorded command buffer -===//
//
// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HELIOS_RUNTIME_VULKAN_GRAPH_H
#define HELIOS_RUNTIME_VULKAN_GRAPH_H

#include "vulkan/Device.h"
#include "vulkan/Sequence.h"
#include <optional>

namespace helios::rt::vulkan {

/// Operations in one command buffer, which is submitted again and again.
class VulkanGraph final : public Graph {
public:
  /// An empty one, to which operations may be added.
  static Result<std::shared_ptr<VulkanGraph>>
  begin(std::shared_ptr<VulkanDevice> device, GraphOrder order);
  ~VulkanGraph() override;
  /// No more follow.
  Status end();

  void noteKernels(const Launch &launch);
  void keep(std::shared_ptr<void> object) { kept.push_back(std::move(object)); }
  Sequence &sequence() { return *recorded; }

  std::vector<std::string> kernelNames() const override { return names; }
  uint32_t barriers() const override { return recorded->barriers(); }
  const std::shared_ptr<Device> &device() const override {
    return ownerAsDevice;
  }
  VkCommandBuffer commands() const { return recorded->commands; }

private:
  explicit VulkanGraph(std::shared_ptr<VulkanDevice> device)
      : owner(std::move(device)), ownerAsDevice(owner) {}

  std::shared_ptr<VulkanDevice> owner;
  std::shared_ptr<Device> ownerAsDevice;
  VkCommandPool pool = VK_NULL_HANDLE;
  std::optional<Sequence> recorded;
  /// What the operations use.
  std::vector<std::shared_ptr<void>> kept;
  std::vector<std::string> names;
};

} // namespace helios::rt::vulkan

#endif // HELIOS_RUNTIME_VULKAN_GRAPH_H
