// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What is known of index values from constants, arithmetic and the facts on
// arguments.

#ifndef HELIOS_DIALECT_TILE_UTILS_FACTS_H
#define HELIOS_DIALECT_TILE_UTILS_FACTS_H

#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/Value.h"
#include <cstdint>
#include <limits>

namespace helios::tile {

/// The largest divisor of a value that facts prove (at least 1; 0 for the
/// constant zero).
int64_t knownDivisor(mlir::Value value);
int64_t knownDivisor(mlir::OpFoldResult value);

/// Inclusive bounds that facts prove.
struct IndexRange {
  int64_t low = std::numeric_limits<int64_t>::min();
  int64_t high = std::numeric_limits<int64_t>::max();
};
IndexRange knownRange(mlir::Value value);

/// The end E of a range that a loop walks backwards, where `value` is its place
/// there, (E - 1) - i, of a counter i from zero or above to at most E - B, with
/// 0 <= B: so 0 <= value < E. Null for any other value.
mlir::Value endOfCountdown(mlir::Value value);

/// Whether facts, or the way in which minima, maxima and sums with constants
/// compute them, prove that one value is less than the other. Sums are taken
/// not to wrap.
bool isKnownLess(mlir::Value a, mlir::Value b);

} // namespace helios::tile

#endif // HELIOS_DIALECT_TILE_UTILS_FACTS_H
