// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Clock and energy of a device through NVML, opened at run time. Readings only:
// no setting is changed.

#include "Power.h"

#include <cstdio>
#include <dlfcn.h>

namespace helios::bench {

PowerMeter::PowerMeter(const std::array<uint8_t, 16> &uuid) {
  void *library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return;
  auto init = reinterpret_cast<int (*)()>(dlsym(library, "nvmlInit_v2"));
  auto find = reinterpret_cast<int (*)(const char *, void **)>(
      dlsym(library, "nvmlDeviceGetHandleByUUID"));
  if (!init || !find || init() != 0)
    return;
  std::string text = "GPU-";
  for (size_t i = 0; i < uuid.size(); ++i) {
    char byte[4];
    std::snprintf(byte, sizeof(byte), "%02x", unsigned(uuid[i]));
    text +=
        (i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "") + std::string(byte);
  }
  void *found = nullptr;
  if (find(text.c_str(), &found) != 0)
    return;
  device = found;
  clock = reinterpret_cast<decltype(clock)>(
      dlsym(library, "nvmlDeviceGetClockInfo"));
  energy = reinterpret_cast<decltype(energy)>(
      dlsym(library, "nvmlDeviceGetTotalEnergyConsumption"));
}

double PowerMeter::processorMHz() const {
  unsigned value = 0;
  const int processors = 1; // NVML_CLOCK_SM
  return device && clock && clock(device, processors, &value) == 0 ? value : 0;
}

double PowerMeter::joules() const {
  unsigned long long millijoules = 0;
  return device && energy && energy(device, &millijoules) == 0
             ? double(millijoules) * 1e-3
             : 0;
}

} // namespace helios::bench
