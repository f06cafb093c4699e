// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Passes of the SPIR-V target.

#ifndef HELIOS_TARGETS_SPIRV_PASSES_H
#define HELIOS_TARGETS_SPIRV_PASSES_H

#include "mlir/Dialect/SPIRV/IR/SPIRVDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace helios::spv {
#define GEN_PASS_DECL
#include "helios/Targets/SPIRV/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "helios/Targets/SPIRV/Passes.h.inc"
} // namespace helios::spv

#endif // HELIOS_TARGETS_SPIRV_PASSES_H
