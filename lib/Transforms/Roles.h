// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The steps of tile-roles.

#ifndef HELIOS_LIB_TRANSFORMS_ROLES_H
#define HELIOS_LIB_TRANSFORMS_ROLES_H

#include "helios/Dialect/Tile/IR/Linear.h"
#include "helios/Dialect/Tile/IR/Tile.h"

namespace helios {

/// Rewrites a role over tiles of `replicas` groups into what one of them runs:
/// each tile that the groups divide becomes the part of `replica`, a run of
/// neighbouring rows or columns. Fails, with a diagnostic, where the groups
/// would have to exchange something.
mlir::LogicalResult splitReplicas(tile::RoleOp role, mlir::Value replica,
                                  int64_t replicas);

/// Lets the replicas of a role take the work items in turns, each a whole one:
/// replica r walks items r, r + turns, ... and passes over the slots of those
/// between. Fails, with a diagnostic, where the role has no loop over work
/// items, or an item needs something of the one before.
mlir::LogicalResult takeTurns(tile::RoleOp role, mlir::Value replica,
                              int64_t turns);

} // namespace helios

#endif // HELIOS_LIB_TRANSFORMS_ROLES_H
