// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the parts of helios-fuse share.

#ifndef HELIOS_LIB_TRANSFORMS_HELIOSFUSE_H
#define HELIOS_LIB_TRANSFORMS_HELIOSFUSE_H

#include "helios/Dialect/Helios/IR/HeliosOps.h"
#include "llvm/ADT/SetVector.h"

namespace helios::fuse {

/// Whether one of `ops`, which lie in one block, takes what something else
/// computes from the results of another one, so that they cannot be one op.
bool hasWayAround(const llvm::SetVector<mlir::Operation *> &ops);

/// The results of an op that something uses beside `ops`.
llvm::SmallVector<mlir::Value>
resultsUsedBeside(mlir::Operation *op,
                  const llvm::SetVector<mlir::Operation *> &ops);

/// The tensor as a fused operand for elements at `coordinates` of the result,
/// of rank `rank`: itself, or itself with unit dimensions added where its
/// dimensions are not the result's trailing ones. Null if it has no such form.
mlir::Value asFusedOperand(mlir::OpBuilder &builder, mlir::Value tensor,
                           llvm::ArrayRef<int64_t> coordinates, int64_t rank);

/// Computes an operand of a product in its prologue where it is
/// element-wise of another tensor. Returns the product, or null; where
/// something is computed that has no such form, `reason` says why.
MatmulOp makePrologue(MatmulOp op, bool isLhs, std::string &reason);

/// Makes what `linalg.reduce` combines of a product's results results of its
/// own. Tells of each that stays, and why.
void makeReductions(
    MatmulOp op,
    llvm::function_ref<void(mlir::Operation *reduce, llvm::StringRef reason)>
        refused);

/// Makes a pair of a product and one with the same left operand whose
/// results it takes as fused operands. Those that others use as well become
/// results of the pair. Returns the pair, or null; where only their
/// forms are in the way, `reason` says which.
MatmulOp makePair(MatmulOp op, std::string &reason);

} // namespace helios::fuse

#endif // HELIOS_LIB_TRANSFORMS_HELIOSFUSE_H
