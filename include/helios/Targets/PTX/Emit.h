// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Level 4 to PTX text.

#ifndef HELIOS_TARGETS_PTX_EMIT_H
#define HELIOS_TARGETS_PTX_EMIT_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include <string>

namespace mlir {
class DialectRegistry;
}

namespace helios::ptx {

/// What the emission needs of a context's dialects.
void registerEmission(mlir::DialectRegistry &registry);

/// A module of level 4 as LLVM IR, optimised for its architecture.
mlir::FailureOr<std::string> emitLLVMIR(mlir::gpu::GPUModuleOp module);
/// A module of level 4 as PTX.
mlir::FailureOr<std::string> emitPTX(mlir::gpu::GPUModuleOp module);

} // namespace helios::ptx

#endif // HELIOS_TARGETS_PTX_EMIT_H
