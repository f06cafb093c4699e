//===- Limits.h - Limits of the bundle format -===//
//
// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HELIOS_LIB_BUNDLE_LIMITS_H
#define HELIOS_LIB_BUNDLE_LIMITS_H

#include <cstdint>

namespace helios::bundle::limits {

inline constexpr uint32_t name = 1024;      // bytes of a name
inline constexpr uint32_t text = 65536;     // bytes of a message, schedule
inline constexpr uint32_t source = 1 << 20; // bytes of a kernel's level-1 text
inline constexpr uint32_t modules = 4096;
inline constexpr uint32_t kernels = 4096;
inline constexpr uint32_t arguments = 64;
inline constexpr uint32_t rank = 8;
inline constexpr uint32_t implementations = 64;
inline constexpr uint32_t matrixShapes = 64;
inline constexpr uint32_t exprs = 65536;
inline constexpr uint32_t checks = 1024;
inline constexpr uint32_t variants = 1024;
inline constexpr uint32_t choices = 1024;
inline constexpr uint32_t dispatches = 64;
inline constexpr uint32_t bindings = 64;
inline constexpr uint32_t bindingNumber = 255;
inline constexpr uint32_t pushWords = 64; // 256 bytes
inline constexpr uint32_t parameters = 128;
inline constexpr uint32_t parameterBytes = 4096; // of a CUDA kernel
inline constexpr uint32_t tensorMaps = 31;
inline constexpr uint32_t tensorMapRank = 5;
inline constexpr uint32_t boxExtent = 256;
inline constexpr uint32_t clusterSize = 8; // portable
inline constexpr uint32_t workgroupInvocations = 4096;
inline constexpr uint32_t slots = 1024;
inline constexpr uint32_t steps = 1024;
inline constexpr uint32_t regionOps = 65536;

} // namespace helios::bundle::limits

#endif // HELIOS_LIB_BUNDLE_LIMITS_H
