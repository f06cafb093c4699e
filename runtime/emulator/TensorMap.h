//===- TensorMap.h - What a bulk tensor copy copies --------------*- C++
//-*-===//
//
// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HELIOS_RUNTIME_EMULATOR_TENSORMAP_H
#define HELIOS_RUNTIME_EMULATOR_TENSORMAP_H

#include <cstdint>

namespace helios::emu {

/// The emulator's own form of the 128 opaque bytes of a tensor map.
struct TensorMap {
  enum class Element : uint8_t { Bits, F16, BF16, F32, F64, I32 };
  static constexpr uint32_t kMagic = 0x70614d54;

  uint32_t magic = kMagic;
  Element element = Element::Bits;
  uint8_t elementBytes = 2;
  uint8_t rank = 1;
  uint8_t swizzle = 0; ///< bytes: 0, 32, 64, 128
  uint64_t address = 0;
  uint64_t strides[4] = {}; ///< bytes, of dimensions 1 and beyond
  uint32_t extents[5] = {};
  uint16_t box[5] = {};
  uint8_t unused[46] = {};
};
static_assert(sizeof(TensorMap) == 128, "a tensor map has 128 bytes");

/// Why a map cannot be encoded, or null.
const char *checkTensorMap(const TensorMap &map);

} // namespace helios::emu

#endif // HELIOS_RUNTIME_EMULATOR_TENSORMAP_H
