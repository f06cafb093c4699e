// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Two floats of 16 bits that are computed alike, one op on both.

#ifndef HELIOS_LIB_TARGETS_PTX_PAIRS_H
#define HELIOS_LIB_TARGETS_PTX_PAIRS_H

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace helios::ptx {

/// The vector of two values that become one word, computed as such; null where
/// they are not computed by equal ops. What computed them one by one is left
/// without users.
mlir::Value computePair(mlir::ImplicitLocOpBuilder &b, mlir::Value low,
                        mlir::Value high);

} // namespace helios::ptx

#endif // HELIOS_LIB_TARGETS_PTX_PAIRS_H
