//===- Buffer.cpp - Device memory -===//
//
// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "common/StreamChecks.h"
#include "cuda/Device.h"
#include <cstring>

namespace helios::rt::cuda {

Result<std::shared_ptr<CudaBuffer>> CudaDevice::allocate(uint64_t bytes,
                                                         MemoryKind kind) {
  std::string what = deviceInfo.id + ": buffer of " + formatBytes(bytes);
  if (bytes > deviceInfo.memoryBytes)
    return Status(StatusCode::OutOfMemory,
                  what + " asked for, the device has " +
                      formatBytes(deviceInfo.memoryBytes) + " in all");
  // Views by 16 bytes may read past the last element.
  size_t allocated = bytes ? (bytes + 255) / 256 * 256 : 256;
  auto buffer = std::make_shared<CudaBuffer>(self(), bytes);
  Current current(*this);
  if (kind == MemoryKind::Host) {
    if (Status s = cuda->check(cuda->memAllocHost(&buffer->host, allocated),
                               "cuMemAllocHost of the " + what);
        !s.ok())
      return s;
    if (Status s = cuda->check(
            cuda->memHostGetDevicePointer(&buffer->address, buffer->host, 0),
            "cuMemHostGetDevicePointer");
        !s.ok())
      return s;
    return buffer;
  }
  Status s = cuda->check(cuda->memAlloc(&buffer->address, allocated),
                         "cuMemAlloc of the " + what);
  if (s.ok())
    return buffer;
  buffer->address = 0;
  size_t free = 0, total = 0;
  if (s.code() == StatusCode::OutOfMemory &&
      cuda->memGetInfo(&free, &total) == Success)
    return Status(s.code(), s.message() + "; " + formatBytes(free) + " of " +
                                formatBytes(total) + " are free");
  return s;
}

Result<std::shared_ptr<Buffer>> CudaDevice::createBuffer(uint64_t bytes,
                                                         MemoryKind kind) {
  Result<std::shared_ptr<CudaBuffer>> buffer = allocate(bytes, kind);
  if (!buffer)
    return buffer.status();
  return std::shared_ptr<Buffer>(*buffer);
}

Result<std::shared_ptr<Buffer>>
CudaDevice::wrapMemory(uint64_t address, uint64_t bytes,
                       std::shared_ptr<void> keptAlive) {
  if ((address == 0 && bytes != 0) || address + bytes < address)
    return Status::invalidInput(deviceInfo.id + ": memory of " +
                                std::to_string(bytes) + " bytes at address " +
                                std::to_string(address) + " cannot be wrapped");
  auto buffer = std::make_shared<CudaBuffer>(self(), bytes);
  buffer->address = address;
  buffer->foreign = true;
  buffer->keptAlive = std::move(keptAlive);
  return std::shared_ptr<Buffer>(std::move(buffer));
}

CudaBuffer::~CudaBuffer() {
  if (foreign)
    return;
  Current current(*owner);
  if (host)
    owner->driver().memFreeHost(host);
  else if (address)
    owner->driver().memFree(address);
}

Status CudaBuffer::write(uint64_t offset, const void *data, uint64_t n) {
  if (Status s = checkInside(*this, offset, n, "write"); !s.ok() || n == 0)
    return s;
  if (host) {
    std::memcpy(static_cast<uint8_t *>(host) + offset, data, n);
    return Status::success();
  }
  const Driver &cuda = owner->driver();
  Current current(*owner);
  if (Status s = cuda.check(
          cuda.copyToDevice(address + offset, data, n, owner->copies()),
          "cuMemcpyHtoDAsync");
      !s.ok())
    return s;
  return cuda.check(cuda.streamSynchronize(owner->copies()),
                    "cuStreamSynchronize after a copy to the device");
}

Status CudaBuffer::read(uint64_t offset, void *data, uint64_t n) {
  if (Status s = checkInside(*this, offset, n, "read"); !s.ok() || n == 0)
    return s;
  if (host) {
    std::memcpy(data, static_cast<uint8_t *>(host) + offset, n);
    return Status::success();
  }
  const Driver &cuda = owner->driver();
  Current current(*owner);
  if (Status s = cuda.check(
          cuda.copyToHost(data, address + offset, n, owner->copies()),
          "cuMemcpyDtoHAsync");
      !s.ok())
    return s;
  return cuda.check(cuda.streamSynchronize(owner->copies()),
                    "cuStreamSynchronize after a copy from the device");
}

} // namespace helios::rt::cuda
