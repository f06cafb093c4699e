// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Passes of the PTX target.

#ifndef HELIOS_TARGETS_PTX_PASSES_H
#define HELIOS_TARGETS_PTX_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace helios::ptx {
#define GEN_PASS_DECL
#include "helios/Targets/PTX/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "helios/Targets/PTX/Passes.h.inc"
} // namespace helios::ptx

#endif // HELIOS_TARGETS_PTX_PASSES_H
