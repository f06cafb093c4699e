// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Programs for some launches only.

#ifndef HELIOS_TARGETS_EXPORT_KEEPLAUNCHES_H
#define HELIOS_TARGETS_EXPORT_KEEPLAUNCHES_H

#include "helios/Bundle/Launch.h"
#include "mlir/IR/BuiltinOps.h"

namespace helios::exporting {

/// Erases the programs of a level-2 module that none of these launches of its
/// kernels takes on a device of so many compute units; plans then refuse
/// launches that would take them. Every kernel takes every launch, but those
/// that pack an argument of another, of which all programs stay. Fails, with a
/// diagnostic, where a plan has no choice for a launch, and where the extents
/// are not those of a kernel's tensors.
mlir::LogicalResult keepLaunches(mlir::ModuleOp module,
                                 llvm::ArrayRef<bundle::Launch> launches,
                                 int64_t computeUnits);

} // namespace helios::exporting

#endif // HELIOS_TARGETS_EXPORT_KEEPLAUNCHES_H
