//===- Driver.cpp - The CUDA driver, opened at run time -===//
//
// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cuda/Driver.h"
#include <dlfcn.h>
#include <map>
#include <mutex>

namespace helios::rt::cuda {

namespace {

const char *const install =
    "Install NVIDIA's GPU driver, which brings it (Debian and Ubuntu: "
    "nvidia-driver and libcuda1; in containers: start them with the NVIDIA "
    "container toolkit, --gpus all)";

/// Errors after which a context takes no more work.
bool isFatal(Code code) {
  switch (code) {
  case 214: // ECC
  case 220: // NVLink
  case 700: // illegal address
  case 702: // launch timeout
  case 709: // context is destroyed
  case 710: // assert
  case 714: // hardware stack
  case 715: // illegal instruction
  case 716: // misaligned address
  case 717: // invalid address space
  case 718: // invalid program counter
  case 719: // launch failed
    return true;
  default:
    return false;
  }
}

} // namespace

std::string versionText(uint32_t version) {
  return std::to_string(version / 1000) + "." +
         std::to_string(version % 1000 / 10);
}

std::string Driver::nameOf(Code code) const {
  const char *name = nullptr, *text = nullptr;
  if (getErrorName(code, &name) != Success || !name)
    return "CUresult " + std::to_string(code);
  if (getErrorString(code, &text) != Success || !text)
    return name;
  return std::string(name) + " (" + text + ")";
}

Status Driver::check(Code code, const std::string &call) const {
  if (code == Success)
    return Status::success();
  std::string message = call + " failed with " + nameOf(code);
  if (code == ErrorOutOfMemory)
    return Status(StatusCode::OutOfMemory, message);
  if (isFatal(code))
    return Status(StatusCode::DeviceLost,
                  message + ": a kernel faulted or ran too long, or the device "
                            "failed; CUDA takes no more work from this "
                            "process, start it again");
  return Status(StatusCode::Device, message);
}

Result<std::shared_ptr<Driver>> Driver::get(const OpenOptions &options) {
  static std::mutex mutex;
  static std::map<std::string, std::shared_ptr<Driver>> known;
  std::lock_guard<std::mutex> lock(mutex);
  auto it = known.find(options.cudaLibrary);
  if (it != known.end())
    return it->second;
  std::shared_ptr<Driver> fresh(new Driver());
  if (Status s = fresh->open(options); !s.ok())
    return s;
  // Kept until the process ends: the driver cannot be closed and opened again.
  known[options.cudaLibrary] = fresh;
  return fresh;
}

Status Driver::open(const OpenOptions &options) {
  std::string name =
      options.cudaLibrary.empty() ? "libcuda.so.1" : options.cudaLibrary;
  void *library = ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char *why = ::dlerror();
    return Status::unsupported("the CUDA driver '" + name +
                               "' cannot be opened (" + (why ? why : "?") +
                               "). " + install);
  }
  if (!::dlsym(library, "cuInit"))
    return Status::unsupported("'" + name +
                               "' is no CUDA driver: it has no cuInit");
  std::string absent;
#define X(member, symbol, parameters)                                          \
  member = reinterpret_cast<Code(*) parameters>(::dlsym(library, #symbol));
  HELIOS_CUDA_OPTIONAL_FUNCTIONS(X)
#undef X
#define X(member, symbol, parameters)                                          \
  member = reinterpret_cast<Code(*) parameters>(::dlsym(library, #symbol));    \
  if (!member && absent.empty())                                               \
    absent = #symbol;
  HELIOS_CUDA_FUNCTIONS(X)
#undef X
  if (!absent.empty())
    return Status::unsupported("the CUDA driver '" + name + "' has no " +
                               absent + "; at least CUDA " +
                               versionText(leastDriverVersion) +
                               " is needed (driver 470). Install a newer one");
  Code code = init(0);
  if (code == ErrorNoDevice)
    return Status::unsupported("cuInit failed with " + nameOf(code) +
                               ": no NVIDIA GPU is visible to this process "
                               "(look at nvidia-smi and at "
                               "CUDA_VISIBLE_DEVICES)");
  if (code == ErrorStubLibrary)
    return Status::unsupported(
        "'" + name + "' is the toolkit's stub, not a driver. " + install);
  if (code != Success)
    return Status::unsupported("cuInit failed with " + nameOf(code) +
                               ": the installed NVIDIA driver does not work "
                               "(look at nvidia-smi; after an update of the "
                               "driver the machine must be started again)");
  int version = 0;
  if (Status s = check(driverGetVersion(&version), "cuDriverGetVersion");
      !s.ok())
    return s;
  versionNumber = version < 0 ? 0 : static_cast<uint32_t>(version);
  if (versionNumber < leastDriverVersion)
    return Status::unsupported("the NVIDIA driver offers CUDA " +
                               versionText(versionNumber) + "; at least " +
                               versionText(leastDriverVersion) +
                               " is needed (driver 470). Install a newer one");
  return Status::success();
}

} // namespace helios::rt::cuda
