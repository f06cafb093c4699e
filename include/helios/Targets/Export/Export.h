// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// From compiled modules and launch plans (level 4) to the bundle.

#ifndef HELIOS_TARGETS_EXPORT_EXPORT_H
#define HELIOS_TARGETS_EXPORT_EXPORT_H

#include "helios/Bundle/Bundle.h"
#include "helios/Dialect/Tile/IR/Tile.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringMap.h"

namespace helios::exporting {

/// How a compiled program is launched: the attribute `helios.interface` of its
/// module, read.
///
/// ```mlir
/// helios.interface = {bindings = [[0, 0, "read"], [2, 5, "write"]],  //
/// argument of the program, binding number, access
///                     push_constants = [3, 4],                       // scalar
///                     arguments, one 32-bit word each threads = 128, subgroup
///                     = 32, shared_bytes = 20480}
/// ```
struct ProgramInterface {
  struct Binding {
    unsigned argument = 0;
    unsigned number = 0;
    bundle::Access access = bundle::Access::Read;
    /// Whether it is read while the dispatch before may still run.
    bool early = false;
  };
  /// A parameter of a CUDA kernel.
  struct Parameter {
    enum class Kind { Pointer, Scalar, TensorMap } kind = Kind::Pointer;
    unsigned index = 0; ///< Of the program's argument, or of the tensor map.
  };
  /// What the host can compute: a constant, or an argument times a constant.
  struct Quantity {
    std::optional<unsigned> argument;
    int64_t constant = 0; ///< The factor where there is an argument.
  };
  struct TensorMap {
    unsigned argument = 0;
    bundle::ElementType type = bundle::ElementType::F16;
    llvm::SmallVector<Quantity> extents, strides;
    llvm::SmallVector<uint32_t> box;
    uint32_t swizzle = 0;
  };
  uint32_t module = 0; ///< In the bundle.
  std::string entryPoint;
  llvm::SmallVector<Binding> bindings;
  llvm::SmallVector<unsigned> pushConstants;
  uint32_t threads = 0;
  uint32_t subgroup = 0;    ///< 0: any.
  uint32_t sharedBytes = 0; ///< CUDA: dynamic.
  // CUDA only.
  llvm::SmallVector<Parameter> parameters;
  llvm::SmallVector<TensorMap> tensorMaps;
  uint32_t cluster = 1;
  bool dependent = false; ///< Begins while the dispatch before it ends.
  std::string sm;         ///< "sm_90a".
};

/// The name of the attribute.
inline constexpr llvm::StringLiteral kInterfaceAttr = "helios.interface";

/// Compiled programs by the symbol that dispatches name.
using ProgramInterfaces = llvm::StringMap<ProgramInterface>;

/// Reads the interface of a compiled module. Fails, with a diagnostic, where
/// the attribute is missing or malformed.
mlir::FailureOr<ProgramInterface> readInterface(mlir::spirv::ModuleOp module);

/// The same of a CUDA program. A pointer is bound at the number of the
/// program's argument; `early` beside its access says that it is read before
/// the dispatch in front has ended.
///
/// ```mlir
/// helios.interface = {
///   parameters = [{kind = "pointer", argument = 0, access = "read"},
///                 {kind = "scalar", argument = 4}, {kind = "tensor_map",
///                 map = 0}],
///   tensor_maps = [{argument = 0, element = bf16, extents = [[1, 6],
///                   [0, 512]], strides = [[2, 7, 2]], box = [64, 128],
///                   swizzle = 128}],
///   threads = 384, shared_bytes = 229504, cluster = 1, sm = "sm_90a"}
/// ```
/// `dependent = true` says that the program waits for the dispatches before it.
/// Extents and strides: `[0, c]` is the constant c, `[1, n]` argument n,
/// `[2, n, c]` argument n times c.
mlir::FailureOr<ProgramInterface> readInterface(mlir::gpu::GPUModuleOp module);

/// Adds what a compiled module asks of the device: matrix shapes, features,
/// shared memory, invocations, push constants and API version. Fails on a
/// capability that no Vulkan feature stands for.
mlir::LogicalResult addRequirements(mlir::spirv::ModuleOp module,
                                    const ProgramInterface &interface,
                                    bundle::Requirements &requirements);

/// The same for a CUDA program. Fails on an architecture that is no row.
mlir::LogicalResult addRequirements(mlir::gpu::GPUModuleOp module,
                                    const ProgramInterface &interface,
                                    bundle::Requirements &requirements);

/// The binary of a module. Fails, with a diagnostic, where it cannot be
/// serialised.
mlir::FailureOr<bundle::Module> serializeModule(mlir::spirv::ModuleOp module);

/// The PTX of a module. Fails, with a diagnostic, where there is none.
mlir::FailureOr<bundle::Module> serializeModule(mlir::gpu::GPUModuleOp module);

/// The bundle's word for an element or scalar type (index: i64), or nothing.
std::optional<bundle::ElementType> getElementType(mlir::Type type);

/// The arguments of a plan: inputs first, results last.
mlir::FailureOr<std::vector<bundle::Argument>>
exportArguments(tile::PlanOp plan);

/// A launch plan as formulas, checks and variants. `programs` says how each
/// program is launched. Fails, with a diagnostic, on an op that no formula can
/// say and on a path that launches an unknown program.
mlir::FailureOr<bundle::Plan> exportPlan(tile::PlanOp plan,
                                         const ProgramInterfaces &programs);

/// Adds everything of a level-4 module (`spirv.module`s or `gpu.module`s, and
/// `tile.plan`s) as
/// implementations for `row` to `out`: kernels that it does not hold yet are
/// added, those that it holds must have the same arguments.
mlir::LogicalResult exportModule(mlir::ModuleOp module, llvm::StringRef row,
                                 bundle::Bundle &out);

} // namespace helios::exporting

#endif // HELIOS_TARGETS_EXPORT_EXPORT_H
