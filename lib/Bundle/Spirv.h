//===- Spirv.h - The little of SPIR-V that a loader checks -===//
//
// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HELIOS_LIB_BUNDLE_SPIRV_H
#define HELIOS_LIB_BUNDLE_SPIRV_H

#include "helios/Bundle/Status.h"
#include <cstdint>
#include <string>
#include <vector>

namespace helios::bundle {

/// A GLCompute entry point of a module.
struct SpirvEntryPoint {
  std::string name;
  /// All zero if not given as literals.
  uint32_t workgroupSize[3] = {0, 0, 0};
  /// Storage buffers of its interface: binding numbers (descriptor set 0).
  std::vector<uint32_t> bindings;
};

/// Walks the instructions of a little-endian module: header, word counts, entry
/// points, decorations. InvalidInput if the structure is broken, a buffer sits
/// in another descriptor set than 0, or the module is not compute.
Result<std::vector<SpirvEntryPoint>>
scanSpirv(const std::vector<uint8_t> &bytes);

} // namespace helios::bundle

#endif // HELIOS_LIB_BUNDLE_SPIRV_H
