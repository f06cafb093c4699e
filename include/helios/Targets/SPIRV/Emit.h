// Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// From a lowered kernel (a spirv.module with helios.interface) to words, and what a device must have to run them.

#ifndef HELIOS_TARGETS_SPIRV_EMIT_H
#define HELIOS_TARGETS_SPIRV_EMIT_H

#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include <string>
#include <vector>

namespace helios::spv {

/// A cooperative-matrix product at subgroup scope; element types as in MLIR.
struct CoopUse {
  int64_t m = 0, n = 0, k = 0;
  std::string a, b, c, result;
};

/// A storage buffer of descriptor set 0.
struct BufferBinding {
  int64_t argument = 0; ///< Of the kernel.
  int64_t binding = 0;
  bool reads = false, writes = false;
};

/// What a kernel needs and how it is launched.
struct KernelInterface {
  std::string entryPoint;
  int64_t threads = 0;          ///< Invocations of a workgroup.
  int64_t subgroupSize = 0;     ///< Exactly this, in full subgroups; 0: any.
  int64_t sharedBytes = 0;      ///< Of a workgroup.
  std::vector<int64_t> pushConstants; ///< Kernel arguments, one 32-bit word each, in order.
  std::vector<BufferBinding> bindings;
  std::vector<CoopUse> products;
  /// SPIR-V capabilities and extensions, by their names in the specification.
  std::vector<std::string> capabilities, extensions;
  unsigned vulkanMajor = 1, vulkanMinor = 1; ///< Oldest API version.

  int64_t pushConstantBytes() const { return 4 * int64_t(pushConstants.size()); }
  bool hasCapability(llvm::StringRef name) const;
};

/// Reads the interface of a lowered kernel. Emits an error where the module has none.
mlir::FailureOr<KernelInterface> getInterface(mlir::spirv::ModuleOp module);

/// Checks a kernel against the limits of its target row (the attribute helios.target; none: nothing is checked). Emits an error that
/// says what the kernel needs, what the row has and how to mend it.
mlir::LogicalResult checkLimits(mlir::spirv::ModuleOp module, const KernelInterface &kernel);

/// The binary of a module whose limits hold.
mlir::FailureOr<std::vector<uint32_t>> serialize(mlir::spirv::ModuleOp module);

} // namespace helios::spv

#endif // HELIOS_TARGETS_SPIRV_EMIT_H
