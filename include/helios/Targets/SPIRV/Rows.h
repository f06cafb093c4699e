// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The table of Vulkan devices: a class of devices is a row of data. The
// compiler makes code for rows, helios-doctor says which of them a device can
// run, so nothing here needs LLVM.

#ifndef HELIOS_TARGETS_SPIRV_ROWS_H
#define HELIOS_TARGETS_SPIRV_ROWS_H

#include "helios/Dialect/Tile/Utils/TargetCosts.h"
#include <cstdint>
#include <string_view>
#include <vector>

namespace helios::spv {

/// Extensions by which rows of matrices are combined, and accumulators made
/// operands, without memory. Their instructions are the same.
inline constexpr std::string_view kMatrix2 = "NV_cooperative_matrix2";
inline constexpr std::string_view kMaintenance1 =
    "EXT_cooperative_matrix_maintenance1";

/// One cooperative-matrix shape at subgroup scope. Types are spelled as in
/// MLIR; the result type is the accumulator's.
struct CoopShape {
  int64_t m, n, k;
  const char *a, *b, *acc;
  /// The first driver known to offer it, where that is not the row's.
  const char *driver = nullptr;
};

struct Row {
  const char *name;
  const char *summary;
  int64_t subgroupSize;         ///< Lanes; 0: kernels rely on none.
  int64_t sharedBytes;          ///< Of one workgroup.
  int64_t processorSharedBytes; ///< Shared by the resident workgroups of one
                                ///< processor.
  int64_t maxInvocations;       ///< Of one workgroup.
  int64_t registerFile; ///< 32-bit registers of one processor; 0: unknown.
  /// Most 32-bit registers of one lane that a schedule gives to accumulators;
  /// 0: no limit but its registers.
  int64_t maxAccumulators;
  int64_t pushConstantBytes;
  const char *driver; ///< The first one known to offer the row.
  /// The best first; empty: the path without matrix instructions.
  std::vector<CoopShape> shapes;
  /// Whether each element of an operand's matrix is in one lane, the same one
  /// in every program, as tests found.
  bool laneOrder = false;
  tile::TargetCosts costs = defaultCosts();
  /// The extension of drivers that kernels use beside matrices: kMatrix2,
  /// kMaintenance1, or none.
  std::string_view with = {};
  /// Whether types without matrices are unsupported, and left to row `simt`,
  /// rather than multiplied by lanes; --target=vulkan then passes over the row.
  bool matricesAlone = false;
  /// Whether a subgroup may meet at a barrier of its own where others do not
  /// go. A driver that takes it for one of the workgroup leaves them behind.
  bool meetsInBranches = true;
  static tile::TargetCosts defaultCosts();
};

/// Every row, in order of preference at launch.
const std::vector<Row> &getRows();
/// The row of this name, or null.
const Row *findRow(std::string_view name);

} // namespace helios::spv

#endif // HELIOS_TARGETS_SPIRV_ROWS_H
