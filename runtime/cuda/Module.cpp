//===- Module.cpp - PTX compiled by the driver -===//
//
// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The driver keeps what it compiled in a cache of its own on disk
// (~/.nv/ComputeCache), by PTX, device and driver version.
//
//===----------------------------------------------------------------------===//

#include "cuda/Device.h"
#include <chrono>
#include <cstdio>
#include <cstring>

namespace helios::rt::cuda {

namespace {

constexpr size_t logBytes = 16384;

/// A log that the driver has filled, without what is empty at its end.
std::string logText(const std::vector<char> &log) {
  std::string text(log.data(), ::strnlen(log.data(), log.size()));
  while (!text.empty() && (text.back() == '\n' || text.back() == ' '))
    text.pop_back();
  return text;
}

/// The word behind `directive` (".target sm_90a" -> "sm_90a").
std::string directiveOf(const std::string &ptx, const char *directive) {
  size_t at = ptx.find(directive);
  if (at == std::string::npos)
    return "?";
  at = ptx.find_first_not_of(" \t", at + std::strlen(directive));
  if (at == std::string::npos)
    return "?";
  return ptx.substr(at, ptx.find_first_of(" \t\r\n,", at) - at);
}

std::string milliseconds(double value) {
  char text[40];
  std::snprintf(text, sizeof(text), "%.1f ms", value);
  return text;
}

} // namespace

Result<std::shared_ptr<CudaModule>>
CudaModule::compile(std::shared_ptr<CudaDevice> device,
                    const bundle::Module &module) {
  const Driver &cuda = device->driver();
  std::string text(module.bytes.begin(), module.bytes.end()); // ends with 0
  std::vector<char> info(logBytes, 0), error(logBytes, 0);
  int options[] = {JitInfoLog, JitInfoLogBytes, JitErrorLog, JitErrorLogBytes};
  void *values[] = {info.data(), reinterpret_cast<void *>(logBytes),
                    error.data(), reinterpret_cast<void *>(logBytes)};
  auto result = std::make_shared<CudaModule>();
  result->owner = std::move(device);
  result->name = module.name;
  Current current(*result->owner);
  auto start = std::chrono::steady_clock::now();
  Code code =
      cuda.moduleLoad(&result->handle, text.c_str(), 4, options, values);
  result->jitMilliseconds = std::chrono::duration<double, std::milli>(
                                std::chrono::steady_clock::now() - start)
                                .count();
  if (code == Success) {
    result->owner->log("module '" + module.name + "': compiled by the driver " +
                       "in " + milliseconds(result->jitMilliseconds));
    return result;
  }
  result->handle = nullptr;
  const DeviceInfo &where = result->owner->info();
  std::string what = "cuModuleLoadDataEx of '" + module.name + "' (PTX " +
                     directiveOf(text, ".version") + ", " +
                     directiveOf(text, ".target") + ") on " + where.id + " (" +
                     where.name + ", sm_" +
                     std::to_string(where.computeCapability) + ", CUDA " +
                     where.apiVersionString + ")";
  Status s = cuda.check(code, what);
  std::string message = s.message();
  for (const std::vector<char> *log : {&error, &info})
    if (std::string text = logText(*log); !text.empty())
      message += "\n" + text;
  if (code == ErrorUnsupportedPtxVersion)
    return Status::unsupported(
        message + "\nThe driver is older than the PTX: install a newer one");
  if (code == ErrorNoBinaryForGpu)
    return Status::unsupported(message);
  return Status(s.code(), message);
}

CudaModule::~CudaModule() {
  if (!handle)
    return;
  Current current(*owner);
  owner->driver().moduleUnload(handle);
}

} // namespace helios::rt::cuda
