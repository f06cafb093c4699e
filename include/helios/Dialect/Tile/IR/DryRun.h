// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Roles that run beside each other, tried out: a program is walked for a few
// sizes, its rings are counted, and whoever waits for ever is named.

#ifndef HELIOS_DIALECT_TILE_IR_DRYRUN_H
#define HELIOS_DIALECT_TILE_IR_DRYRUN_H

#include "helios/Dialect/Tile/IR/Tile.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include <functional>
#include <optional>

namespace helios::tile {

/// What an op does on one side of a ring.
struct RingStep {
  mlir::Operation *op = nullptr;
  mlir::Value ring;
  int64_t depth = 0;
  Access side = Access::Read;
  bool enters = false;    ///< waits for a slot; else hands one over
  bool ofReplica = false; ///< each replica of the role has the ring for itself
  mlir::Value cursor, next;        ///< of an op that waits
  std::optional<int64_t> position; ///< of the cursor: slots entered before
};

/// What a dry run has to know of a level's ops.
struct DryRunLevel {
  std::function<std::optional<RingStep>(mlir::Operation *)> stepOf;
  /// The number that an op stands for which says where in the grid this is.
  std::function<std::optional<int64_t>(mlir::Operation *)> numberOf;
  /// How many copies of a role run, told apart by their region's argument.
  std::function<int64_t(mlir::Operation *)> replicasOf;
};

/// Runs the roles of a program, each of which is a region of one block, beside
/// each other: with every size small, and with every size so large that loops
/// take several trips. A slot can be entered to write while fewer than all are
/// in use, to read once it has been written, and in the order of cursors. Every
/// role must come to its end, and no slot may be left; of a role with very many
/// steps the first ones are tried. What depends on values that are not known is
/// not judged, and no ring of which one side stands alone. A program without
/// roles is one.
mlir::LogicalResult verifyRolesMeet(mlir::FunctionOpInterface program,
                                    llvm::ArrayRef<mlir::Operation *> roles,
                                    const DryRunLevel &level);

} // namespace helios::tile

#endif // HELIOS_DIALECT_TILE_IR_DRYRUN_H
