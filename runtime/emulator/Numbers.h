//===- Numbers.h - Formats of numbers, and rounding to them ------*- C++
//-*-===//
//
// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HELIOS_RUNTIME_EMULATOR_NUMBERS_H
#define HELIOS_RUNTIME_EMULATOR_NUMBERS_H

#include <cstdint>
#include <cstring>

namespace helios::emu {

template <typename To, typename From>
inline To bitsOf(From from) {
  static_assert(sizeof(To) == sizeof(From), "a reinterpretation");
  To to;
  std::memcpy(&to, &from, sizeof(to));
  return to;
}

inline constexpr uint32_t kNanF32 = 0x7fffffff;

enum class Rounding : uint8_t {
  Nearest, ///< ties to even
  Zero,
  Down,
  Up,
  NearestAway ///< ties away from zero
};

/// A binary format: bits of exponent and mantissa, and whether its largest
/// exponent is infinity and NaN (IEEE) or numbers with one NaN (e4m3).
struct Format {
  int exponentBits, mantissaBits;
  bool ieee = true;
};
inline constexpr Format kF16{5, 10}, kBF16{8, 7}, kF32{8, 23}, kTf32{8, 10},
    kE4m3{4, 3, false}, kE5m2{5, 2};

/// The bits of `v` rounded to a format. `saturate`: what is too large becomes
/// the largest finite number.
uint64_t roundTo(const Format &f, long double v, Rounding r,
                 bool saturate = false);
/// The value of bits in a format.
double valueOf(const Format &f, uint32_t bits);

extern const float *const kHalfTable; ///< of all 65536 f16
inline float halfToFloat(uint16_t h) { return kHalfTable[h]; }
inline float brainToFloat(uint16_t b) {
  return bitsOf<float>(uint32_t(b) << 16);
}

/// To nearest, ties to even; NaN becomes 0x7fff.
inline uint16_t floatToHalf(float f) {
  uint32_t u = bitsOf<uint32_t>(f), sign = u >> 16 & 0x8000;
  u &= 0x7fffffff;
  if (u > 0x7f800000)
    return 0x7fff;
  if (u >= 0x477ff000)
    return uint16_t(sign | 0x7c00);
  if (u < 0x38800000) { // subnormal: let the FPU align and round
    float shifted = bitsOf<float>(u) + 0.5f;
    return uint16_t(sign | (bitsOf<uint32_t>(shifted) - 0x3f000000));
  }
  u += 0xc8000fff + (u >> 13 & 1);
  return uint16_t(sign | u >> 13);
}

inline uint16_t floatToBrain(float f) {
  uint32_t u = bitsOf<uint32_t>(f);
  if ((u & 0x7fffffff) > 0x7f800000)
    return 0x7fff;
  return uint16_t((u + 0x7fff + (u >> 16 & 1)) >> 16);
}

/// a + b rounded to odd: a further rounding to fewer than 51 bits is then as if
/// the sum had been exact.
inline double addToOdd(double a, double b) {
  double s = a + b;
  double t = s - a;
  double error = (a - (s - t)) + (b - t);
  uint64_t bits = bitsOf<uint64_t>(s);
  if (error != 0 && error == error && !(bits & 1) && s - s == 0) {
    bool up = (error > 0) == (s > 0);
    bits = up ? bits | 1 : bits - 1;
    s = bitsOf<double>(bits);
  }
  return s;
}

} // namespace helios::emu

#endif // HELIOS_RUNTIME_EMULATOR_NUMBERS_H
