// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HELIOS_DIALECT_TILE_UTILS_ELEMENTBITS_H
#define HELIOS_DIALECT_TILE_UTILS_ELEMENTBITS_H

#include "mlir/IR/BuiltinTypes.h"

namespace helios::tile {

/// Bits of an integer or float as it is stored: a tf32 lies in 32 bits.
inline int64_t getStoredBits(mlir::Type type) {
  return mlir::isa<mlir::FloatTF32Type>(type) ? 32
                                              : type.getIntOrFloatBitWidth();
}

/// Whether products alone compute with a type: its elements are stored, moved
/// and multiplied.
inline bool isOperandType(mlir::Type type) {
  return mlir::isa<mlir::FloatTF32Type, mlir::Float8E4M3FNType,
                   mlir::Float8E5M2Type>(type);
}

} // namespace helios::tile

#endif // HELIOS_DIALECT_TILE_UTILS_ELEMENTBITS_H
