// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What arithmetic makes of vectors that are still to be combined over the lanes
// that share them.

#ifndef HELIOS_DIALECT_TILE_IR_PARTIALS_H
#define HELIOS_DIALECT_TILE_IR_PARTIALS_H

#include "helios/Dialect/Tile/IR/Tile.h"
#include <optional>

namespace helios::tile {
/// The layout with the same places and nothing to combine (null for null).
mlir::Attribute withoutPartial(mlir::Attribute layout);
/// What is still to be combined in a tile or fragment of this layout.
Partial getPartial(mlir::Attribute layout);
/// Slices of the contracted index over which a grid of groups is spread: its
/// third number, if there is one.
int64_t getSliceCount(llvm::ArrayRef<int64_t> groups);
/// The same of fragments in a layout; 1 of a layout that has no such grid.
int64_t getSliceCount(mlir::Attribute layout);
/// Checks that operands and accumulator of a product have the same slices of
/// the contracted index (an operand in memory has any), and that the
/// accumulator holds the sums of one where there are several.
mlir::LogicalResult
verifySlices(llvm::function_ref<mlir::InFlightDiagnostic()> emitError,
             mlir::Attribute a, mlir::Attribute b, mlir::Attribute acc);

/// A tile in a layout, as shared memory has it.
struct StoredTile {
  LayoutAttrInterface layout;
  llvm::SmallVector<int64_t> shape;
};
/// How a tile of this shape lies in shared memory before it is combined: a
/// vector of matrices as the matrices, sums of slices of K below each other.
/// Any other tile lies there as it is.
StoredTile getStored(LayoutAttrInterface layout, llvm::ArrayRef<int64_t> shape);
/// The kind of the result of a scalar or element-wise op on operands of these
/// kinds, none if the op is not closed for them.
std::optional<Partial> combinePartials(mlir::Operation *op,
                                       llvm::ArrayRef<Partial> operands);
/// Checks the scalar region of an element-wise op: block arguments have the
/// kinds `inputs`, yielded values must have `results`.
mlir::LogicalResult verifyPartialRegion(mlir::Operation *op, mlir::Block &body,
                                        llvm::ArrayRef<Partial> inputs,
                                        llvm::ArrayRef<Partial> results);
} // namespace helios::tile

#endif // HELIOS_DIALECT_TILE_IR_PARTIALS_H
