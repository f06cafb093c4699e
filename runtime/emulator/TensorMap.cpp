//===- TensorMap.cpp - What tensor maps must satisfy -===//
//
// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "emulator/TensorMap.h"

namespace helios::emu {

const char *checkTensorMap(const TensorMap &m) {
  if (m.rank < 1 || m.rank > 5)
    return "expected 1 to 5 dimensions";
  if (m.address % 16)
    return "expected an address that is a multiple of 16";
  uint64_t inner = uint64_t(m.box[0]) * m.elementBytes;
  if (inner % 16)
    return "expected an innermost extent of the box of a multiple of 16 bytes";
  if (m.swizzle && inner > m.swizzle)
    return "expected an innermost extent of the box within the swizzle";
  for (int d = 0; d < m.rank; ++d) {
    if (!m.extents[d])
      return "expected extents of 1 and more";
    if (m.box[d] < 1 || m.box[d] > 256)
      return "expected extents of the box from 1 to 256";
    if (d && m.strides[d - 1] % 16)
      return "expected strides of multiples of 16 bytes";
    if (d && m.strides[d - 1] >> 40)
      return "expected strides below 2^40 bytes";
  }
  return nullptr;
}

} // namespace helios::emu
