//===- Device.cpp - A CUDA device's primary context -===//
//
// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cuda/Device.h"
#include "helios/Bundle/Serialize.h"

namespace helios::rt::cuda {

Result<std::shared_ptr<CudaDevice>>
CudaDevice::open(std::shared_ptr<Driver> driver, uint32_t index,
                 const OpenOptions &options) {
  std::shared_ptr<CudaDevice> device(new CudaDevice());
  device->cuda = std::move(driver);
  const Driver &cuda = *device->cuda;
  device->deviceInfo = describeDevice(cuda, static_cast<int>(index));
  device->tell = options.log;
  std::string where = "opening " + device->deviceInfo.id + " (" +
                      device->deviceInfo.name + "): ";
  if (Status s =
          cuda.check(cuda.deviceGet(&device->number, static_cast<int>(index)),
                     "cuDeviceGet");
      !s.ok())
    return s.withPrefix(where);
  // The primary context is what other libraries of the process use too, so
  // that memory and streams can be shared with them.
  if (Status s = cuda.check(
          cuda.primaryContextRetain(&device->primary, device->number),
          "cuDevicePrimaryCtxRetain");
      !s.ok())
    return s.withPrefix(where);
  Current current(*device);
  if (Status s =
          cuda.check(cuda.streamCreate(&device->copyStream, streamNonBlocking),
                     "cuStreamCreate");
      !s.ok())
    return s.withPrefix(where);
  countClusters(cuda, device->deviceInfo);
  return device;
}

CudaDevice::~CudaDevice() {
  if (!primary)
    return;
  if (copyStream) {
    Current current(*this);
    cuda->streamDestroy(copyStream);
  }
  cuda->primaryContextRelease(number);
}

Result<std::shared_ptr<Stream>> CudaDevice::createStream() {
  return createCudaStream(self());
}

Result<std::shared_ptr<Stream>> CudaDevice::wrapStream(void *handle) {
  return wrapCudaStream(self(), handle);
}

Result<std::shared_ptr<Kernel>>
CudaDevice::loadKernel(std::shared_ptr<const bundle::Bundle> bundle,
                       const std::string &name, const KernelOptions &options) {
  return loadPlanned<CudaKernel>(self(), std::move(bundle), name, options,
                                 {bundle::TargetKind::Cuda}, false);
}

Result<std::shared_ptr<CudaModule>>
CudaDevice::load(const bundle::Module &module) {
  std::array<uint8_t, 32> key =
      bundle::sha256(module.bytes.data(), module.bytes.size());
  std::lock_guard<std::mutex> lock(mutex);
  if (std::shared_ptr<CudaModule> live = modules[key].lock())
    return live;
  Result<std::shared_ptr<CudaModule>> fresh =
      CudaModule::compile(self(), module);
  if (fresh)
    modules[key] = *fresh;
  return fresh;
}

} // namespace helios::rt::cuda
