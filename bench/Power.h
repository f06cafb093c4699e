// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HELIOS_LIB_BENCH_POWER_H
#define HELIOS_LIB_BENCH_POWER_H

#include <array>
#include <cstdint>
#include <string>

namespace helios::bench {

/// Reads clock and energy of one GPU; every reading is 0 where the driver's
/// management library is missing or does not know the device.
class PowerMeter {
public:
  explicit PowerMeter(const std::array<uint8_t, 16> &deviceUuid);
  /// Clock of the processors in MHz.
  double processorMHz() const;
  /// Energy since the driver was loaded, in joules; it is updated every 20 to
  /// 100 ms, so only differences over longer times mean something.
  double joules() const;

private:
  void *device = nullptr;
  int (*clock)(void *, int, unsigned *) = nullptr;
  int (*energy)(void *, unsigned long long *) = nullptr;
};

} // namespace helios::bench

#endif // HELIOS_LIB_BENCH_POWER_H
