//===- Capabilities.cpp - What CUDA devices are -===//
//
// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cuda/Device.h"
#include <algorithm>
#include <cstring>

namespace helios::rt {

namespace cuda {

DeviceInfo describeDevice(const Driver &driver, int index) {
  DeviceInfo info;
  info.id = "cuda:" + std::to_string(index);
  info.driver = "cuda";
  info.deviceClass = DeviceClass::Gpu;
  info.vendorId = 0x10de;
  info.driverVersion = info.apiVersion = driver.version();
  info.apiVersionString = versionText(driver.version());
  info.driverDescription = "NVIDIA, CUDA " + info.apiVersionString;

  DeviceNumber device = 0;
  char name[256] = {};
  Status bad = driver.check(driver.deviceGet(&device, index), "cuDeviceGet");
  if (bad.ok())
    bad = driver.check(driver.deviceGetName(name, sizeof(name) - 1, device),
                       "cuDeviceGetName");
  info.name = name[0] ? name : "unknown";
  size_t memory = 0;
  if (bad.ok())
    bad = driver.check(driver.deviceTotalMem(&memory, device),
                       "cuDeviceTotalMem");
  auto get = [&](DeviceAttribute attribute) -> uint32_t {
    int value = 0;
    if (bad.ok())
      bad = driver.check(driver.deviceGetAttribute(&value, attribute, device),
                         "cuDeviceGetAttribute " + std::to_string(attribute));
    return value < 0 ? 0 : static_cast<uint32_t>(value);
  };
  info.typeName = get(Integrated) ? "integrated GPU" : "discrete GPU";
  info.computeCapability = 10 * get(CapabilityMajor) + get(CapabilityMinor);
  info.subgroupSize = info.minSubgroupSize = info.maxSubgroupSize =
      get(WarpSize);
  info.sharedMemoryBytes =
      std::max(get(MaxSharedPerBlock), get(MaxSharedPerBlockOptin));
  info.maxWorkgroupInvocations = get(MaxThreadsPerBlock);
  info.maxWorkgroupSize[0] = get(MaxBlockX);
  info.maxWorkgroupSize[1] = get(MaxBlockY);
  info.maxWorkgroupSize[2] = get(MaxBlockZ);
  info.computeUnits = get(MultiprocessorCount);
  info.l2CacheBytes = get(L2CacheBytes);
  info.clockKHz = get(ClockRateKHz);
  if (get(ComputeMode) == 2)
    info.unusable = "its compute mode is 'prohibited' (nvidia-smi -c 0 as "
                    "root allows programs to use it)";
  // Kernels take pointers: nothing is bound, and nothing but the elements need
  // be aligned. Parameters stand in for push constants.
  info.maxPushConstantBytes = 4096;
  info.maxStorageBuffers = 128;
  info.maxStorageBufferRange = INT64_MAX;
  info.storageBufferAlignment = 1;
  info.memoryBytes = info.maxAllocationBytes = memory;
  info.timestampPeriodNs = 1; // events tell fractions of a microsecond
  Uuid uuid{};
  if (bad.ok())
    bad = driver.check(driver.deviceGetUuidOfInstance
                           ? driver.deviceGetUuidOfInstance(&uuid, device)
                           : driver.deviceGetUuid(&uuid, device),
                       "cuDeviceGetUuid");
  std::memcpy(info.deviceUuid.data(), uuid.bytes, 16);
  if (!bad.ok())
    info.unusable = bad.message();
  return info;
}

/// Clusters are counted for a kernel: this one's workgroups are alone on a
/// processor by what shared memory they ask for.
static const char aloneText[] = R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry alone() { ret; }
)";

void countClusters(const Driver &driver, DeviceInfo &info) {
  if (info.computeCapability < 90 || !driver.maxActiveClusters)
    return;
  ModuleHandle module = nullptr;
  FunctionHandle function = nullptr;
  if (driver.moduleLoad(&module, aloneText, 0, nullptr, nullptr) != Success)
    return;
  uint32_t most = info.sharedMemoryBytes / 4 * 3;
  if (driver.moduleGetFunction(&function, module, "alone") == Success &&
      driver.functionSetAttribute(function, FunctionMaxDynamicShared,
                                  static_cast<int>(most)) == Success)
    for (unsigned i = 0; i < info.clusters.size(); ++i) {
      LaunchAttribute cluster{};
      cluster.id = attributeClusterDimension;
      cluster.value.cluster[0] = 2u << i;
      cluster.value.cluster[1] = cluster.value.cluster[2] = 1;
      LaunchConfig config{2u << i, 1,    1,       info.subgroupSize, 1,
                          1,       most, nullptr, &cluster,          1};
      int count = 0;
      if (driver.maxActiveClusters(&count, function, &config) == Success &&
          count > 0)
        info.clusters[i] = static_cast<uint32_t>(count);
    }
  driver.moduleUnload(module);
}

} // namespace cuda

Result<std::vector<DeviceInfo>> listCudaDevices(const OpenOptions &options) {
  Result<std::shared_ptr<cuda::Driver>> driver = cuda::Driver::get(options);
  if (!driver)
    return driver.status();
  int count = 0;
  if (Status s = (*driver)->check((*driver)->deviceGetCount(&count),
                                  "cuDeviceGetCount");
      !s.ok())
    return s;
  std::vector<DeviceInfo> all;
  for (int i = 0; i < count; ++i)
    all.push_back(cuda::describeDevice(**driver, i));
  return all;
}

Result<std::shared_ptr<Device>> openCudaDevice(uint32_t index,
                                               const OpenOptions &options) {
  Result<std::vector<DeviceInfo>> all = listCudaDevices(options);
  if (!all)
    return all.status();
  if (index >= all->size())
    return Status::invalidInput("device 'cuda:" + std::to_string(index) +
                                "': there are " + std::to_string(all->size()) +
                                " CUDA devices");
  const DeviceInfo &info = (*all)[index];
  if (!info.unusable.empty())
    return Status::unsupported("device '" + info.id + "' (" + info.name +
                               ") cannot be used: " + info.unusable);
  Result<std::shared_ptr<cuda::Driver>> driver = cuda::Driver::get(options);
  if (!driver)
    return driver.status();
  Result<std::shared_ptr<cuda::CudaDevice>> device =
      cuda::CudaDevice::open(*driver, index, options);
  if (!device)
    return device.status();
  return std::shared_ptr<Device>(*device);
}

} // namespace helios::rt
