// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Passes of every level.

#ifndef HELIOS_TRANSFORMS_PASSES_H
#define HELIOS_TRANSFORMS_PASSES_H

#include "helios/Dialect/Frag/IR/Frag.h"
#include "helios/Dialect/Tile/IR/Tile.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace helios {
#define GEN_PASS_DECL
#include "helios/Transforms/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "helios/Transforms/Passes.h.inc"
} // namespace helios

#endif // HELIOS_TRANSFORMS_PASSES_H
