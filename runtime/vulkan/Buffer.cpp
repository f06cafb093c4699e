//===- Buffer.cpp - Device memory -===//
//
// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "common/StreamChecks.h"
#include "vulkan/Device.h"
#include <cstring>

namespace helios::rt::vulkan {

namespace {

/// The first memory type among `allowed` with all of `wanted`, rather one that
/// also has `preferred` and lacks `avoided`; -1 if none.
int findMemoryType(const VkPhysicalDeviceMemoryProperties &memory,
                   uint32_t allowed, VkMemoryPropertyFlags wanted,
                   VkMemoryPropertyFlags preferred,
                   VkMemoryPropertyFlags avoided) {
  int best = -1, bestScore = -1;
  for (uint32_t i = 0; i < memory.memoryTypeCount; ++i) {
    VkMemoryPropertyFlags flags = memory.memoryTypes[i].propertyFlags;
    if (!(allowed >> i & 1) || (flags & wanted) != wanted)
      continue;
    // Protected, lazily allocated and device-coherent kinds are for others.
    if (flags & (VK_MEMORY_PROPERTY_PROTECTED_BIT |
                 VK_MEMORY_PROPERTY_LAZILY_ALLOCATED_BIT))
      continue;
    int score =
        ((flags & preferred) == preferred ? 2 : 0) + (flags & avoided ? 0 : 1);
    if (score > bestScore) {
      best = static_cast<int>(i);
      bestScore = score;
    }
  }
  return best;
}

} // namespace

Result<std::shared_ptr<VulkanBuffer>> VulkanDevice::allocate(uint64_t bytes,
                                                             MemoryKind kind) {
  const DeviceInfo &info = caps.info;
  std::string what = info.id + ": buffer of " + formatBytes(bytes);
  if (bytes > info.memoryBytes)
    return Status(StatusCode::OutOfMemory,
                  what + " asked for, the device has " +
                      formatBytes(info.memoryBytes) + " in all");
  uint64_t allocated = bytes ? (bytes + 255) / 256 * 256 : 256;
  if (allocated > info.maxAllocationBytes)
    return Status::unsupported(
        what +
        " asked for; the device allocates at most maxMemoryAllocationSize " +
        formatBytes(info.maxAllocationBytes) + " at once");
  if (allocated > caps.maxBufferBytes)
    return Status::unsupported(what +
                               " asked for; the device's maxBufferSize is " +
                               formatBytes(caps.maxBufferBytes));

  auto buffer = std::make_shared<VulkanBuffer>(self(), bytes);
  buffer->allocated = allocated;
  VkBufferCreateInfo create{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
  create.size = allocated;
  create.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |
                 VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
                 VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  bool address = info.has(bundle::Feature::BufferDeviceAddress);
  if (address)
    create.usage |= VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
  create.sharingMode = VK_SHARING_MODE_EXCLUSIVE;
  if (Status s = check(
          functions.vkCreateBuffer(device, &create, nullptr, &buffer->handle),
          "vkCreateBuffer of " + formatBytes(bytes) + " on " + info.id);
      !s.ok())
    return s;
  VkMemoryRequirements needs{};
  functions.vkGetBufferMemoryRequirements(device, buffer->handle, &needs);

  constexpr VkMemoryPropertyFlags hostVisible =
      VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
      VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  bool onHost = kind == MemoryKind::Host || caps.unifiedMemory;
  int type = -1;
  if (onHost)
    type = findMemoryType(
        caps.memory, needs.memoryTypeBits, hostVisible,
        kind == MemoryKind::Host
            ? VkMemoryPropertyFlags(VK_MEMORY_PROPERTY_HOST_CACHED_BIT)
            : VkMemoryPropertyFlags(VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT),
        0);
  if (type < 0) {
    onHost = false;
    if (kind == MemoryKind::Host)
      return Status::unsupported(
          info.id + " has no host-visible coherent memory for buffers");
    type = findMemoryType(caps.memory, needs.memoryTypeBits,
                          VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, 0,
                          VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT);
  }
  if (type < 0)
    return Status::unsupported(info.id +
                               " has no device-local memory for buffers");
  VkMemoryAllocateFlagsInfo flags{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO};
  flags.flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT;
  VkMemoryAllocateInfo memory{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
  memory.pNext = address ? &flags : nullptr;
  memory.allocationSize = needs.size;
  memory.memoryTypeIndex = static_cast<uint32_t>(type);
  if (Status s = check(
          functions.vkAllocateMemory(device, &memory, nullptr, &buffer->memory),
          "vkAllocateMemory of " + formatBytes(needs.size) + " on " + info.id);
      !s.ok())
    return s;
  if (Status s = check(functions.vkBindBufferMemory(device, buffer->handle,
                                                    buffer->memory, 0),
                       "vkBindBufferMemory");
      !s.ok())
    return s;
  if (onHost) {
    void *p = nullptr;
    if (Status s = check(functions.vkMapMemory(device, buffer->memory, 0,
                                               VK_WHOLE_SIZE, 0, &p),
                         "vkMapMemory");
        !s.ok())
      return s;
    buffer->host = static_cast<uint8_t *>(p);
  }
  return buffer;
}

Result<std::shared_ptr<Buffer>> VulkanDevice::createBuffer(uint64_t bytes,
                                                           MemoryKind kind) {
  Result<std::shared_ptr<VulkanBuffer>> buffer = allocate(bytes, kind);
  if (!buffer)
    return buffer.status();
  return std::shared_ptr<Buffer>(*buffer);
}

VulkanBuffer::~VulkanBuffer() {
  const DeviceFunctions &fn = owner->fn();
  if (handle)
    fn.vkDestroyBuffer(owner->handle(), handle, nullptr);
  if (memory)
    fn.vkFreeMemory(owner->handle(), memory, nullptr);
}

Status VulkanBuffer::write(uint64_t offset, const void *data, uint64_t n) {
  if (Status s = checkInside(*this, offset, n, "write"); !s.ok() || n == 0)
    return s;
  if (host) {
    std::memcpy(host + offset, data, n);
    return Status::success();
  }
  return owner->stagedCopy(*this, offset, data, nullptr, n);
}

Status VulkanBuffer::read(uint64_t offset, void *data, uint64_t n) {
  if (Status s = checkInside(*this, offset, n, "read"); !s.ok() || n == 0)
    return s;
  if (host) {
    std::memcpy(data, host + offset, n);
    return Status::success();
  }
  return owner->stagedCopy(*this, offset, nullptr, data, n);
}

} // namespace helios::rt::vulkan
