// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Element-wise work on matrices of whose elements nobody knows the places.

#ifndef HELIOS_LIB_TRANSFORMS_MATRIXWORK_H
#define HELIOS_LIB_TRANSFORMS_MATRIXWORK_H

#include "helios/Dialect/Tile/IR/Tile.h"

namespace helios::tile {

/// What becomes of products' results on the way to other products. Such work
/// needs no places where every operand is matrices of the same layout, a vector
/// that is the same in all columns (or rows), or constant; to leave the
/// matrices for it would cost two exchanges through memory.
class MatrixWork {
public:
  /// Whether an element-wise op computes from matrices without coordinates what
  /// a product takes. A choice may be made by truth values that have places.
  bool contains(mlir::Operation *op);

  /// Whether a product takes a tile, or what such work makes of it.
  bool reachesProduct(mlir::Value value);

private:
  llvm::DenseMap<mlir::Value, bool> reaches;
};

/// Choices one after another between the same two values, of which each would
/// take its truth values to the matrices, become one.
void mergeChoices(ProgramOp program);

} // namespace helios::tile

#endif // HELIOS_LIB_TRANSFORMS_MATRIXWORK_H
