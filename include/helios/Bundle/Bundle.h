//===- Bundle.h - The compiled artifact -------------------------*- C++ -*-===//
//
// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The data model of a bundle (.hlx): binaries for each target, argument ABI,
// launch plan, requirements, and the kernel's meaning for checking. Plain data,
// no LLVM. docs/bundle-format.md describes the file.
//
//===----------------------------------------------------------------------===//

#ifndef HELIOS_BUNDLE_BUNDLE_H
#define HELIOS_BUNDLE_BUNDLE_H

#include "helios/Bundle/ElementType.h"
#include "helios/Bundle/Plan.h"
#include "helios/Bundle/Semantics.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace helios::bundle {

inline constexpr uint32_t kFormatVersion = 13;

enum class ModuleKind : uint8_t { Spirv = 0, Ptx = 1 };

/// A binary. SPIR-V: little-endian words. PTX: text.
struct Module {
  ModuleKind kind = ModuleKind::Spirv;
  std::string name;
  std::vector<uint8_t> bytes;
};

enum class ArgumentKind : uint8_t { Tensor = 0, Scalar = 1 };

/// An argument of a kernel: inputs first, then results.
struct Argument {
  std::string name;
  ArgumentKind kind = ArgumentKind::Tensor;
  ElementType type = ElementType::F32;
  bool isResult = false;
  /// One for each dimension, -1 for a dynamic one; empty for scalars.
  std::vector<int64_t> extents;
  /// The kernel of the bundle that makes this argument of what the semantics
  /// read, which is its only input; empty if they are the same.
  std::string packedBy;

  uint32_t rank() const { return static_cast<uint32_t>(extents.size()); }
};

enum class TargetKind : uint8_t { Vulkan = 0, Cuda = 1 };
const char *targetKindName(TargetKind kind);

enum class MatrixScope : uint8_t { Subgroup = 0, Workgroup = 1 };

/// A cooperative matrix product: result[M,N] = A[M,K] * B[K,N] + C[M,N].
struct MatrixShape {
  uint32_t m = 0, n = 0, k = 0;
  ElementType a = ElementType::F16, b = ElementType::F16;
  ElementType c = ElementType::F32, result = ElementType::F32;
  MatrixScope scope = MatrixScope::Subgroup;
  bool saturating = false;

  bool operator==(const MatrixShape &o) const {
    return m == o.m && n == o.n && k == o.k && a == o.a && b == o.b &&
           c == o.c && result == o.result && scope == o.scope &&
           saturating == o.saturating;
  }
};
/// "16x16x16 f16*f16+f32->f32 subgroup".
std::string toString(const MatrixShape &shape);

/// Features that a kernel may need; bits of Requirements::features.
enum class Feature : uint32_t {
  StorageBuffer16 = 0, ///< storageBuffer16BitAccess
  StorageBuffer8 = 1,  ///< storageBuffer8BitAccess
  ShaderFloat16 = 2,
  ShaderInt8 = 3,
  ShaderInt16 = 4,
  ShaderInt64 = 5,
  ShaderFloat64 = 6,
  BFloat16 = 7,                  ///< shaderBFloat16Type
  BFloat16CooperativeMatrix = 8, ///< shaderBFloat16CooperativeMatrix
  CooperativeMatrix = 9,         ///< VK_KHR_cooperative_matrix
  VulkanMemoryModel = 10,
  VulkanMemoryModelDeviceScope = 11,
  SubgroupSizeControl = 12, ///< a subgroup size can be required
  FullSubgroups = 13,       ///< computeFullSubgroups
  SubgroupShuffle = 14,
  SubgroupArithmetic = 15,
  WorkgroupExplicitLayout = 16,   ///< VK_KHR_workgroup_memory_explicit_layout
  WorkgroupExplicitLayout16 = 17, ///< its 16-bit access
  WorkgroupExplicitLayout8 = 18,  ///< its 8-bit access
  BufferDeviceAddress = 19,
  UniformAndStorageBuffer16 = 20,
  PushConstant16 = 21,
  CooperativeMatrixReductions = 22,  ///< of VK_NV_cooperative_matrix2
  CooperativeMatrixConversions = 23, ///< of VK_NV_cooperative_matrix2
  /// Of VK_EXT_cooperative_matrix_maintenance1.
  CooperativeMatrixReductionsExt = 24,
  CooperativeMatrixConversionsExt = 25,
  SubgroupVote = 26,
};
inline constexpr uint32_t kNumFeatures = 27;
inline constexpr uint64_t featureBit(Feature f) {
  return uint64_t(1) << static_cast<uint32_t>(f);
}
const char *featureName(Feature feature);

/// What a device must offer before an implementation may run on it.
struct Requirements {
  /// 0: any.
  uint32_t subgroupSize = 0;
  std::vector<MatrixShape> matrixShapes;
  uint64_t features = 0;
  /// The largest of any dispatch; CUDA: static and dynamic together.
  uint32_t sharedMemoryBytes = 0;
  uint32_t workgroupInvocations = 0;
  uint32_t pushConstantBytes = 0;
  /// Vulkan: VK_MAKE_API_VERSION(0, major, minor, 0); CUDA: the version of the
  /// driver interface, 1000 * major + 10 * minor.
  uint32_t minApiVersion = 0;
  /// CUDA: compute capability * 10 (90 for sm_90); exact for arch-specific
  /// code.
  uint32_t computeCapability = 0;
  bool exactComputeCapability = false;

  void require(Feature f) { features |= featureBit(f); }
  bool requires_(Feature f) const { return features & featureBit(f); }
};

/// A kernel compiled for one target row.
struct Implementation {
  TargetKind target = TargetKind::Vulkan;
  std::string row;
  std::string schedule;
  Requirements requirements;
  Plan plan;
};

struct Kernel {
  std::string name;
  std::vector<Argument> arguments;
  /// In order of preference.
  std::vector<Implementation> implementations;
  std::optional<Semantics> semantics;
  /// The level-1 text it came from (may be empty); for people only.
  std::string source;
};

struct Bundle {
  /// "helios-compile 0.1.0".
  std::string producer;
  std::vector<Module> modules;
  std::vector<Kernel> kernels;

  const Kernel *findKernel(const std::string &name) const {
    for (const Kernel &k : kernels)
      if (k.name == name)
        return &k;
    return nullptr;
  }
};

} // namespace helios::bundle

#endif // HELIOS_BUNDLE_BUNDLE_H
