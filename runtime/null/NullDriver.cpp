//===- NullDriver.cpp - A device that checks everything and computes nothing
//-===//
//
// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "common/HostGraph.h"
#include "common/PlannedKernel.h"
#include "common/StreamChecks.h"
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <unistd.h>

namespace helios::rt {

namespace {

uint64_t hostMemoryBytes() {
  long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGE_SIZE);
  return pages > 0 && page > 0 ? uint64_t(pages) * uint64_t(page)
                               : uint64_t(1) << 30;
}

class NullBuffer final : public Buffer {
public:
  NullBuffer(std::shared_ptr<Device> device, void *memory, uint64_t bytes)
      : owner(std::move(device)), memory(static_cast<uint8_t *>(memory)),
        bytes(bytes) {}
  ~NullBuffer() override { std::free(memory); }

  uint64_t size() const override { return bytes; }
  Status write(uint64_t offset, const void *data, uint64_t n) override {
    if (Status s = checkInside(*this, offset, n, "write"); !s.ok())
      return s;
    if (n)
      std::memcpy(memory + offset, data, n);
    return Status::success();
  }
  Status read(uint64_t offset, void *data, uint64_t n) override {
    if (Status s = checkInside(*this, offset, n, "read"); !s.ok())
      return s;
    if (n)
      std::memcpy(data, memory + offset, n);
    return Status::success();
  }
  void *hostPointer() override { return memory; }
  const std::shared_ptr<Device> &device() const override { return owner; }

private:
  std::shared_ptr<Device> owner;
  uint8_t *memory;
  uint64_t bytes;
};

class NullLaunch final : public Launch {
public:
  NullLaunch(std::shared_ptr<Kernel> kernel, bundle::ResolvedPlan plan)
      : kernel(std::move(kernel)), resolved(std::move(plan)) {}
  const bundle::ResolvedPlan &plan() const override { return resolved; }
  const std::string &variantName() const override {
    return resolved.variantName;
  }
  uint64_t workspaceBytes() const override { return resolved.workspaceBytes; }

  const std::shared_ptr<Device> &device() const override {
    return kernel->device();
  }

private:
  std::shared_ptr<Kernel> kernel;
  bundle::ResolvedPlan resolved;
};

class NullKernel final : public PlannedKernel,
                         public std::enable_shared_from_this<NullKernel> {
public:
  using PlannedKernel::PlannedKernel;
  std::vector<PipelineStatistic> statistics() override { return {}; }

private:
  Result<std::shared_ptr<Launch>> build(const std::vector<LaunchArgument> &,
                                        const CheckedArguments &,
                                        bundle::ResolvedPlan plan) override {
    return std::shared_ptr<Launch>(
        std::make_shared<NullLaunch>(shared_from_this(), std::move(plan)));
  }
};

class NullStream final : public HostStream {
public:
  using HostStream::HostStream;

  Result<Event> enqueue(const std::shared_ptr<Launch> &launch) override {
    if (auto l = launchOf<NullLaunch>(launch, *device()); !l)
      return l.status();
    return perform([launch] { return Status::success(); }, launch.get());
  }
  Result<Event> fill(const std::shared_ptr<Buffer> &buffer, uint64_t offset,
                     uint64_t bytes, uint32_t pattern) override {
    if (Status s = checkFill(buffer.get(), offset, bytes, *device()); !s.ok())
      return s;
    return perform([=] {
      auto *p = static_cast<uint8_t *>(buffer->hostPointer()) + offset;
      for (uint64_t i = 0; i < bytes; i += 4)
        std::memcpy(p + i, &pattern, 4);
      return Status::success();
    });
  }
  Result<Event> copy(const std::shared_ptr<Buffer> &from, uint64_t fromOffset,
                     const std::shared_ptr<Buffer> &to, uint64_t toOffset,
                     uint64_t bytes) override {
    if (Status s = checkCopy(from.get(), fromOffset, to.get(), toOffset, bytes,
                             *device());
        !s.ok())
      return s;
    return perform([=] {
      std::memcpy(static_cast<uint8_t *>(to->hostPointer()) + toOffset,
                  static_cast<uint8_t *>(from->hostPointer()) + fromOffset,
                  bytes);
      return Status::success();
    });
  }
  Result<double> elapsedNs(Event) override { return noTimes(); }
  Result<Timing> time(const std::vector<std::shared_ptr<Launch>> &,
                      uint32_t) override {
    return noTimes();
  }

private:
  static Status noTimes() {
    return Status::unsupported(
        "the null device computes nothing, so it has no times");
  }
};

class NullDevice final : public Device {
public:
  explicit NullDevice(uint32_t processors)
      : deviceInfo(nullDeviceInfo(processors)) {}
  const DeviceInfo &info() const override { return deviceInfo; }
  bool executes() const override { return false; }
  Result<std::shared_ptr<Buffer>> createBuffer(uint64_t bytes,
                                               MemoryKind) override {
    if (bytes > deviceInfo.memoryBytes)
      return Status(StatusCode::OutOfMemory,
                    "null: buffer of " + formatBytes(bytes) +
                        " asked for, the host has " +
                        formatBytes(deviceInfo.memoryBytes));
    void *memory = std::aligned_alloc(256, (bytes + 256) / 256 * 256);
    if (!memory)
      return Status(StatusCode::OutOfMemory,
                    "null: the host has no " + formatBytes(bytes) + " left");
    return std::shared_ptr<Buffer>(
        std::make_shared<NullBuffer>(shared_from_this(), memory, bytes));
  }
  Result<std::shared_ptr<Stream>> createStream() override {
    return std::shared_ptr<Stream>(
        std::make_shared<NullStream>(shared_from_this()));
  }
  Result<std::shared_ptr<Kernel>>
  loadKernel(std::shared_ptr<const bundle::Bundle> bundle,
             const std::string &name, const KernelOptions &options) override {
    // Any implementation will do: nothing is executed.
    return loadPlanned<NullKernel>(
        shared_from_this(), std::move(bundle), name, options,
        {bundle::TargetKind::Vulkan, bundle::TargetKind::Cuda}, true);
  }

private:
  DeviceInfo deviceInfo;
};

} // namespace

DeviceInfo nullDeviceInfo(uint32_t processors) {
  DeviceInfo info;
  info.id = "null";
  info.driver = "null";
  info.name = "null device";
  if (processors != 1)
    info.name += " of " + std::to_string(processors) + " processors";
  info.deviceClass = DeviceClass::Null;
  info.typeName = "checks launches, computes nothing";
  info.driverDescription = std::string("Helios ") + runtimeVersion();
  info.apiVersion = 1u << 22 | 4u << 12;
  info.apiVersionString = "1.4";
  info.features = (uint64_t(1) << bundle::kNumFeatures) - 1;
  info.subgroupSize = info.minSubgroupSize = info.maxSubgroupSize = 32;
  info.sharedMemoryBytes = 48 << 10;
  info.maxWorkgroupInvocations = 1024;
  info.maxWorkgroupSize[0] = info.maxWorkgroupSize[1] = 1024;
  info.maxWorkgroupSize[2] = 64;
  info.maxPushConstantBytes = 256;
  info.maxStorageBuffers = 64;
  info.maxStorageBufferRange = UINT32_MAX;
  info.memoryBytes = info.maxAllocationBytes = hostMemoryBytes();
  info.storageBufferAlignment = 16;
  info.computeUnits = processors;
  return info;
}

Result<std::shared_ptr<Device>> openNullDevice(uint32_t processors) {
  return std::shared_ptr<Device>(std::make_shared<NullDevice>(processors));
}

} // namespace helios::rt
