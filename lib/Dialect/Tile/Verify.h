// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Parts of the verifier of programs. Each checks one family of invariants
// across the ops of a whole program.

#ifndef HELIOS_LIB_DIALECT_TILE_VERIFY_H
#define HELIOS_LIB_DIALECT_TILE_VERIFY_H

#include "helios/Dialect/Tile/IR/Tile.h"

namespace helios::tile {
/// Partial tiles reach only ops closed for them; all lanes of a workgroup (or
/// of a role's replica) hold a part of each tile in registers. That
/// element-wise ops keep the layout is checked by arith and math, which want
/// equal encodings.
mlir::LogicalResult verifyLayouts(ProgramOp program);
/// Operands of a product are zero outside their views along k; stages and
/// orders agree with what a loop carries.
mlir::LogicalResult verifyDots(ProgramOp program);
mlir::LogicalResult verifySchedules(ProgramOp program);
/// Rings fit into the target's shared memory, roles into its registers.
mlir::LogicalResult verifyBudgets(ProgramOp program);
/// Cursors and slots are used up once on every path; an exit names what read or
/// wrote its slot.
mlir::LogicalResult verifyRings(ProgramOp program);
/// Slots leave in the order they came, every enter finds a slot, nothing reads
/// a slot after its exit.
mlir::LogicalResult verifyRingStates(ProgramOp program);
/// True if only some replicas of the role read each slot of the ring, in turns.
bool isReadInTurns(EnterOp enter);
} // namespace helios::tile

#endif // HELIOS_LIB_DIALECT_TILE_VERIFY_H
