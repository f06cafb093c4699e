// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The table of CUDA architectures: an architecture is a row of data. The
// compiler makes code for rows, helios-doctor says which of them a device can
// run, so nothing here needs LLVM.

#ifndef HELIOS_TARGETS_PTX_ROWS_H
#define HELIOS_TARGETS_PTX_ROWS_H

#include "helios/Dialect/Tile/Utils/TargetCosts.h"
#include <cstdint>
#include <string_view>
#include <vector>

namespace helios::ptx {

/// One mma.sync shape. Types are spelled as in MLIR.
struct MmaShape {
  int64_t m, n, k;
  const char *a, *b, *acc;
  /// Where they ask for more than the row: the version of PTX, times ten, that
  /// has it, and the oldest driver.
  int64_t ptxVersion = 0, driverVersion = 0;
};

struct Row {
  const char *name; ///< What ptxas calls the architecture.
  const char *summary;
  int64_t major, minor;         ///< Compute capability.
  bool archSpecific;            ///< Code runs on exactly this architecture.
  int64_t sharedBytes;          ///< Of one workgroup.
  int64_t processorSharedBytes; ///< Shared by the workgroups of one processor,
                                ///< 1024 a workgroup being the driver's.
  int64_t processorInvocations; ///< Resident on one processor.
  int64_t bandwidth;            ///< Of the largest device's memory, in GB/s.
  int64_t ptxVersion;           ///< Of the code, times ten.
  int64_t driverVersion; ///< The oldest that loads such code, as in 12030.
  bool wgmma;            ///< Asynchronous products, bulk copies and clusters.
  bool dependentLaunch;  ///< A grid may begin while the one before it runs.
  int64_t maxCluster;    ///< Workgroups of a cluster that every device can run.
  std::vector<MmaShape> shapes; ///< Of mma.sync, the best first.
  tile::TargetCosts costs;      ///< Processors are the largest device's.
};

/// Every row, in order of preference at launch.
const std::vector<Row> &getRows();
/// The row of this name, or null.
const Row *findRow(std::string_view name);

} // namespace helios::ptx

#endif // HELIOS_TARGETS_PTX_ROWS_H
