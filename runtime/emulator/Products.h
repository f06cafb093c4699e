//===- Products.h - What matrix instructions compute -------------*- C++
//-*-===//
//
// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The ISA leaves the order and the precision of a product's sums open, at least
// that of the result. Here products of floats are exact, sums are taken in
// double, and the result is rounded once. Sums of integers wrap.
//
//===----------------------------------------------------------------------===//

#ifndef HELIOS_RUNTIME_EMULATOR_PRODUCTS_H
#define HELIOS_RUNTIME_EMULATOR_PRODUCTS_H

#include "emulator/Decoder.h"
#include "emulator/Numbers.h"

namespace helios::emu {

/// Types of a product, packed in 16 bits.
struct ProductTypes {
  Type::Kind a, b;
  uint8_t bits;   ///< of an element of A and B
  Type::Kind c;   ///< Float or Signed
  bool halfC;     ///< accumulators are f16
  bool saturates; ///< of integers

  uint16_t packed() const {
    return uint16_t(uint32_t(a) | uint32_t(b) << 4 | uint32_t(bits / 8) << 8 |
                    uint32_t(c == Type::Float) << 12 | uint32_t(halfC) << 13 |
                    uint32_t(saturates) << 14);
  }
  static ProductTypes of(uint16_t v) {
    return {
        Type::Kind(v & 15),         Type::Kind(v >> 4 & 15),
        uint8_t((v >> 8 & 15) * 8), v >> 12 & 1 ? Type::Float : Type::Signed,
        bool(v >> 13 & 1),          bool(v >> 14 & 1)};
  }
};

/// The value of an element's bits; integers are exact in double.
inline double productValue(Type::Kind kind, uint32_t bits, uint32_t v) {
  switch (kind) {
  case Type::Float:
    return halfToFloat(uint16_t(v));
  case Type::Brain:
    return brainToFloat(uint16_t(v));
  case Type::Tf32: // the lower bits are not looked at
    return bitsOf<float>(v & 0xffffe000);
  case Type::E4m3:
    return valueOf(kE4m3, v & 255);
  case Type::E5m2:
    return valueOf(kE5m2, v & 255);
  case Type::Signed:
    return bits == 8 ? double(int8_t(v)) : double(int32_t(v));
  default:
    return v & 255;
  }
}

/// c[M][N] += a[M][K] * b[N][K].
void multiply(double *c, const double *a, const double *b, int m, int n, int k);

/// The bits of a sum that began with the accumulator's value.
inline uint32_t roundSum(const ProductTypes &t, double v) {
  if (t.c == Type::Signed) {
    int64_t n = int64_t(v);
    if (t.saturates)
      n = n > INT32_MAX ? INT32_MAX : n < INT32_MIN ? INT32_MIN : n;
    return uint32_t(n);
  }
  if (t.halfC) {
    uint64_t bits = roundTo(kF16, v, Rounding::Nearest);
    return uint32_t(bits);
  }
  float f = float(v);
  return f == f ? bitsOf<uint32_t>(f) : kNanF32;
}
inline double sumValue(const ProductTypes &t, uint32_t bits) {
  return t.c == Type::Signed ? double(int32_t(bits))
         : t.halfC           ? double(halfToFloat(uint16_t(bits)))
                             : double(bitsOf<float>(bits));
}

} // namespace helios::emu

#endif // HELIOS_RUNTIME_EMULATOR_PRODUCTS_H
