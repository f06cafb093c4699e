// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Stages for products that feed each other.

#ifndef HELIOS_LIB_TRANSFORMS_SCHEDULECHAIN_H
#define HELIOS_LIB_TRANSFORMS_SCHEDULECHAIN_H

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace helios::tile {

/// Gives the ops of a loop whose asynchronous products feed each other stages
/// and orders: a product that needs another one of its trip has the next stage,
/// so that it starts beside the next trip's. Returns false, and does nothing,
/// if no product needs another.
bool scheduleChain(mlir::scf::ForOp loop);

} // namespace helios::tile

#endif // HELIOS_LIB_TRANSFORMS_SCHEDULECHAIN_H
