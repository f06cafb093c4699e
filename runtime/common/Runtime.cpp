//===- Runtime.cpp - Names, and the interfaces' destructors -===//
//
// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "common/Common.h"
#include <cstdio>

namespace helios::rt {

Buffer::~Buffer() = default;
Stream::~Stream() = default;
Launch::~Launch() = default;
Kernel::~Kernel() = default;
Device::~Device() = default;
Graph::~Graph() = default;

std::vector<std::string> Launch::kernelNames() const {
  std::vector<std::string> names;
  for (const bundle::ResolvedDispatch &dispatch : plan().dispatches)
    if (dispatch.groups)
      names.push_back(dispatch.entryPoint);
  return names;
}

Result<std::shared_ptr<Buffer>> Device::wrapMemory(uint64_t, uint64_t,
                                                   std::shared_ptr<void>) {
  return Status::unsupported("the " + info().driver +
                             " driver wraps no memory of others");
}

Result<std::shared_ptr<Stream>> Device::wrapStream(void *) {
  return Status::unsupported("the " + info().driver +
                             " driver wraps no streams of others");
}

const char *runtimeVersion() { return HELIOS_VERSION; }

const char *deviceClassName(DeviceClass c) {
  switch (c) {
  case DeviceClass::Gpu:
    return "gpu";
  case DeviceClass::Cpu:
    return "cpu";
  case DeviceClass::Null:
    return "null";
  }
  return "?";
}

const char *verdictName(ListedShape::Verdict verdict) {
  switch (verdict) {
  case ListedShape::Verdict::NotTested:
    return "not tested";
  case ListedShape::Verdict::Verified:
    return "verified";
  case ListedShape::Verdict::Wrong:
    return "wrong";
  case ListedShape::Verdict::Failed:
    return "failed";
  }
  return "?";
}

std::string formatBytes(uint64_t bytes) {
  static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  double v = static_cast<double>(bytes);
  int u = 0;
  for (; v >= 1024 && u < 4; ++u)
    v /= 1024;
  char text[40];
  std::snprintf(text, sizeof(text), u && v < 100 ? "%.1f %s" : "%.0f %s", v,
                units[u]);
  return text;
}

Grid splitGrid(uint64_t total) {
  Grid g;
  if (total == 0)
    return g;
  uint64_t y = (total + 65534) / 65535;
  g.y = static_cast<uint32_t>(y);
  g.x = static_cast<uint32_t>((total + y - 1) / y);
  return g;
}

} // namespace helios::rt
