// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Which shared memory each group of lanes touches.

#ifndef HELIOS_LIB_TRANSFORMS_GROUPBYTES_H
#define HELIOS_LIB_TRANSFORMS_GROUPBYTES_H

#include "helios/Dialect/Frag/IR/Frag.h"
#include "llvm/ADT/BitVector.h"

namespace helios::frag {

/// Reads and writes of shared memory at a known place, by groups that are
/// subgroups each. What only a group's own lanes exchange, they order among
/// themselves.
class GroupBytes {
public:
  explicit GroupBytes(KernelOp kernel);

  /// Whether no group touches in one access what another group touches in the
  /// other.
  bool staysInGroup(mlir::Operation *a, mlir::Operation *b);

private:
  using Units = llvm::SmallVector<llvm::BitVector>;

  /// The units of memory of each group; none if they are not known.
  const Units &unitsOf(mlir::Operation *op);
  Units compute(FragmentType fragment, mlir::Value memory,
                mlir::ValueRange offsets, bool transposed);

  int64_t subgroup = 0, groups = 0;
  llvm::DenseMap<mlir::Operation *, Units> units;
};

} // namespace helios::frag

#endif // HELIOS_LIB_TRANSFORMS_GROUPBYTES_H
