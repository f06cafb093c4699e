// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Parts of the verifier of kernels. Each checks one family of invariants across
// the ops of a whole kernel.

#ifndef HELIOS_LIB_DIALECT_FRAG_VERIFY_H
#define HELIOS_LIB_DIALECT_FRAG_VERIFY_H

#include "helios/Dialect/Frag/IR/Frag.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace helios::frag {
/// Tiles and rings lie within the kernel's shared memory, and that within the
/// target's.
mlir::LogicalResult verifyShared(KernelOp kernel);
/// The cluster fits the target; rings that it shares are of its size, and only
/// their slots are copied into for several workgroups.
mlir::LogicalResult verifyClusters(KernelOp kernel);
/// Fragments are distributed over the lanes of the kernel, or of one replica of
/// their role; none crosses into a role.
mlir::LogicalResult verifyLanes(KernelOp kernel);
/// Values in flight are used once; awaits retire what they land; operands of
/// pending products stay alive.
mlir::LogicalResult verifyProducts(KernelOp kernel);
/// Of each release: the products that may be pending there.
using PendingProducts =
    llvm::DenseMap<mlir::Operation *, llvm::DenseSet<mlir::Operation *>>;
PendingProducts productsPendingAtReleases(KernelOp kernel);
/// The roles' registers add up to what the launch gives, and what they carry
/// fits; they share no tile in shared memory but through rings, and each comes
/// to its end beside the others.
mlir::LogicalResult verifyRoles(KernelOp kernel);
/// Slots are released once on every path, after the tokens of whatever uses
/// them asynchronously.
mlir::LogicalResult verifySlots(KernelOp kernel);
/// What a whole group executes together is not under control that diverges
/// within it.
mlir::LogicalResult verifyDivergence(KernelOp kernel);
/// What touches global memory in a kernel that begins while the dispatch before
/// it runs stands behind the wait for that one, and every workgroup waits.
mlir::LogicalResult verifyDependencies(KernelOp kernel);
/// In a synchronized kernel, a barrier stands between a write and the engine
/// that reads it, and before a slot is handed back.
mlir::LogicalResult verifyBarriers(KernelOp kernel);

/// The acquires behind a slot, through loop arguments.
llvm::SmallVector<AcquireOp> acquiresOf(mlir::Value slot);
} // namespace helios::frag

#endif // HELIOS_LIB_DIALECT_FRAG_VERIFY_H
