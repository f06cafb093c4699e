// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The table of Vulkan devices: a class of devices is a row of data.

#ifndef HELIOS_TARGETS_SPIRV_ROWS_H
#define HELIOS_TARGETS_SPIRV_ROWS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>

namespace helios::spv {

/// One cooperative-matrix shape at subgroup scope. Types are spelled as in
/// MLIR; the result type is the accumulator's.
struct CoopShape {
  int64_t m, n, k;
  const char *a, *b, *acc;
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
  int64_t pushConstantBytes;
  llvm::ArrayRef<CoopShape>
      shapes; ///< The best first; empty: the path without matrix instructions.
};

/// Every row, in order of preference at launch.
llvm::ArrayRef<Row> getRows();
/// The row of this name, or null.
const Row *findRow(llvm::StringRef name);

} // namespace helios::spv

#endif // HELIOS_TARGETS_SPIRV_ROWS_H
