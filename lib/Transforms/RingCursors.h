// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The cursors of a ring that one role both fills and empties.

#ifndef HELIOS_LIB_TRANSFORMS_RINGCURSORS_H
#define HELIOS_LIB_TRANSFORMS_RINGCURSORS_H

#include "helios/Dialect/Tile/IR/Tile.h"
#include "mlir/IR/PatternMatch.h"

namespace helios::tile {

/// Replaces ops by what goes through a slot of a ring, and carries the ring's
/// cursors from one to the next, through loops and branches.
class RingCursors {
public:
  /// The next slot of both sides.
  struct Pair {
    mlir::Value write, read;
  };
  /// Replaces an op; returns the cursors behind its slot.
  using Replace =
      std::function<Pair(mlir::IRRewriter &, mlir::Operation *, Pair)>;

  RingCursors(std::function<bool(mlir::Operation *)> isReplaced,
              Replace replace)
      : isReplaced(std::move(isReplaced)), replace(std::move(replace)) {}

  /// Replaces the ops of a block that begins with these cursors; returns where
  /// they end.
  Pair thread(mlir::IRRewriter &rewriter, mlir::Block &block, Pair cursors);

private:
  bool holds(mlir::Operation *op);
  Pair throughLoop(mlir::IRRewriter &rewriter, mlir::scf::ForOp loop,
                   Pair cursors);
  Pair throughBranch(mlir::IRRewriter &rewriter, mlir::scf::IfOp branch,
                     Pair cursors);

  std::function<bool(mlir::Operation *)> isReplaced;
  Replace replace;
};

} // namespace helios::tile

#endif // HELIOS_LIB_TRANSFORMS_RINGCURSORS_H
