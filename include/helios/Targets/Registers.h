// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Which registers of a lane belong to each other, and what is done to two of
// them: what every target that lowers fragments asks, whatever form it gives
// their values.

#ifndef HELIOS_TARGETS_REGISTERS_H
#define HELIOS_TARGETS_REGISTERS_H

#include "helios/Dialect/Frag/IR/Frag.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace helios {

/// The offsets of a fragment's registers from the lane's base.
llvm::SmallVector<llvm::SmallVector<int64_t>>
registersOf(frag::FragmentType type);

/// The register of the whole that each register of a slice is. Fails, with a
/// diagnostic, where a slice is not made of whole repetitions of the layout.
llvm::FailureOr<llvm::SmallVector<size_t>> sourcesOf(frag::SliceOp op);

/// Whether registers are whole runs of `count` neighbours, each from a multiple
/// of it on, as a value holds them that has so many in one part.
bool areWholeParts(llvm::ArrayRef<size_t> registers, size_t count);

/// The register of each input that belongs to each register of a map's results.
/// Fails, with a diagnostic, where an input does not cover them.
llvm::FailureOr<llvm::SmallVector<llvm::SmallVector<size_t>>>
sourcesOf(frag::MapOp op);

/// The registers of a permutation's result, which are those of its fragment in
/// another order. Fails, with a diagnostic, where elements would move between
/// lanes or nobody knows where they are.
llvm::FailureOr<llvm::SmallVector<mlir::Value>>
permuted(frag::PermuteOp op, llvm::ArrayRef<mlir::Value> registers);

/// The register of a reduction's result to which each register of its fragment
/// goes. Fails, with a diagnostic, where the result does not have it.
llvm::FailureOr<llvm::SmallVector<size_t>> targetsOf(frag::ReduceOp op);

/// Bits of a lane's number that do not matter to where its elements are. Fails
/// if lanes share elements otherwise than that; other groups may have all that
/// one has.
llvm::FailureOr<llvm::SmallVector<int64_t>>
sharingBits(frag::FragmentType type);

/// The combination of two elements. Maxima and minima hand NaN on.
mlir::Value combine(mlir::ImplicitLocOpBuilder &b, tile::ReduceKind kind,
                    mlir::Value x, mlir::Value y);

} // namespace helios

#endif // HELIOS_TARGETS_REGISTERS_H
