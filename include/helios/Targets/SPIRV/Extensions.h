// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Instructions of SPV_NV_cooperative_matrix2, and the same ones of
// SPV_EXT_cooperative_matrix_maintenance1, that the spirv dialect lacks. A
// module calls an imported function in place of each; its linkage name says
// which instruction the call becomes in the words of the binary.

#ifndef HELIOS_TARGETS_SPIRV_EXTENSIONS_H
#define HELIOS_TARGETS_SPIRV_EXTENSIONS_H

#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"

namespace mlir {
class ImplicitLocOpBuilder;
}

namespace helios::spv {

enum class ExtensionInstruction {
  ConvertMatrix, ///< OpCooperativeMatrixConvertNV: the same elements in another
                 ///< use.
  NarrowMatrix,  ///< OpFConvert of an accumulator to another use.
  ReduceMatrix,  ///< OpCooperativeMatrixReduceNV: rows or columns combined.
  ConvertMatrixExt, ///< OpCooperativeMatrixConvertUseEXT
  NarrowMatrixExt,  ///< OpFConvert, allowed by the other extension.
  ReduceMatrixExt,  ///< OpCooperativeMatrixReduceEXT
};

/// The matrix as one of type `result`: the same extents in another use, by the
/// instructions of extension `with` (Rows.h). The element type is the same, or
/// a narrower float that has every element: drivers differ in how they round.
mlir::Value convertMatrix(mlir::ImplicitLocOpBuilder &b,
                          mlir::spirv::ModuleOp module, llvm::StringRef with,
                          mlir::Value matrix,
                          mlir::spirv::CooperativeMatrixType result);

/// The matrix whose columns (`dim` 1; 0: rows) all are the maximum of its
/// columns; NaN where one is, unless `nnan`. `with` as above.
mlir::Value maximumOfMatrix(mlir::ImplicitLocOpBuilder &b,
                            mlir::spirv::ModuleOp module, llvm::StringRef with,
                            mlir::Value matrix, int64_t dim, bool nnan);

/// The instruction that calls of this function become; none if it is called.
std::optional<ExtensionInstruction>
getExtensionInstruction(mlir::spirv::FuncOp function);

/// Fails, with a diagnostic, if the module imports a function that stands for
/// no instruction.
llvm::LogicalResult verifyExtensionInstructions(mlir::spirv::ModuleOp module);

/// Replaces the calls in the words of a binary by their instructions, drops the
/// imported functions and adds the capabilities and the extensions. Fails, with
/// the reason in `error`, if an instruction names an operand that is not there.
llvm::LogicalResult
resolveExtensionInstructions(llvm::SmallVectorImpl<uint32_t> &words,
                             std::string &error);

} // namespace helios::spv

#endif // HELIOS_TARGETS_SPIRV_EXTENSIONS_H
