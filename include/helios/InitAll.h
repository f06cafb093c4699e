// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What every tool of the compiler registers.

#ifndef HELIOS_INITALL_H
#define HELIOS_INITALL_H

#include "mlir/IR/DialectRegistry.h"

namespace helios {

/// Adds every dialect of the four levels, and the interfaces that passes ask of
/// upstream dialects.
void registerAllDialects(mlir::DialectRegistry &registry);
/// Registers every pass and pipeline of Helios, and the upstream passes that
/// the pipelines use.
void registerAllPasses();

} // namespace helios

#endif // HELIOS_INITALL_H
