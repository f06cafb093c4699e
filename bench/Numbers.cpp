// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "helios/Bench/Numbers.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace helios::bench {

namespace {

template <typename To, typename From>
To bitsAs(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  std::memcpy(&to, &from, sizeof(to));
  return to;
}

/// A binary floating-point format: bits of its significand with the hidden one,
/// exponents of its normal numbers.
struct Format {
  int precision;
  int minExponent;
  int maxExponent;
};
constexpr Format kHalf{11, -14, 15};
constexpr Format kBfloat{8, -126, 127};
constexpr Format kSingle{24, -126, 127};
constexpr Format kTf32{11, -126, 127};
constexpr Format kE5m2{3, -14, 15};

int exponentOf(double value) {
  return int((bitsAs<uint64_t>(value) >> 52) & 0x7ff) - 1023;
}

double powerOfTwo(int exponent) {
  return bitsAs<double>(uint64_t(exponent + 1023) << 52);
}

/// Adding and taking away 1.5 * 2^52 quanta rounds to a multiple of the
/// quantum, ties to even, in one step.
template <const Format &format>
double roundOnce(double value) {
  const int exponent = exponentOf(value);
  if (exponent == 1024) // infinity or NaN
    return value;
  if (exponent > format.maxExponent)
    return std::copysign(INFINITY, value);
  const double shift = 1.5 * powerOfTwo(std::max(exponent, format.minExponent) -
                                        format.precision + 1 + 52);
  const double rounded = (value + shift) - shift;
  if (std::fabs(rounded) >= powerOfTwo(format.maxExponent + 1))
    return std::copysign(INFINITY, value);
  return std::copysign(rounded, value);
}

/// Packs into a 16-bit format; all of its numbers are exact in float, whose
/// bits are then rearranged.
template <const Format &format>
uint16_t pack(double value) {
  constexpr int stored = format.precision - 1;
  constexpr uint16_t infinity = uint16_t(((1 << (15 - stored)) - 1) << stored);
  const auto sign = uint16_t((bitsAs<uint64_t>(value) >> 63) << 15);
  if (std::isnan(value))
    return uint16_t(sign | infinity | (1u << (stored - 1)));
  const double magnitude = std::fabs(roundOnce<format>(value));
  if (std::isinf(magnitude))
    return uint16_t(sign | infinity);
  const int exponent = exponentOf(magnitude);
  if (exponent <
      format.minExponent) // zero or subnormal: a count of the smallest quantum
    return uint16_t(
        sign | uint16_t(magnitude * powerOfTwo(stored - format.minExponent)));
  const auto mantissa = uint16_t(
      (bitsAs<uint64_t>(magnitude) >> (52 - stored)) & ((1u << stored) - 1));
  return uint16_t(sign | ((exponent - format.minExponent + 1) << stored) |
                  mantissa);
}

double unpackHalf(uint16_t bits) {
  const int exponent = (bits >> 10) & 0x1f;
  const int mantissa = bits & 0x3ff;
  double magnitude;
  if (exponent == 0x1f)
    magnitude = mantissa ? NAN : INFINITY;
  else if (exponent == 0)
    magnitude = mantissa * 0x1p-24;
  else
    magnitude = (1024 + mantissa) * powerOfTwo(exponent - 25);
  return std::copysign(magnitude, bits & 0x8000 ? -1.0 : 1.0);
}

/// Its numbers end at 448, where a format with infinities would go on to 480.
double roundE4m3(double value) {
  const int exponent = exponentOf(value);
  if (exponent == 1024)
    return NAN;
  const double shift = 1.5 * powerOfTwo(std::max(exponent, -6) - 3 + 52);
  const double rounded = (value + shift) - shift;
  return std::fabs(rounded) > 448 ? NAN : std::copysign(rounded, value);
}

uint8_t packE4m3(double value) {
  const auto sign = uint8_t((bitsAs<uint64_t>(value) >> 63) << 7);
  const double magnitude = std::fabs(roundE4m3(value));
  if (std::isnan(magnitude))
    return sign | 0x7f;
  const int exponent = exponentOf(magnitude);
  if (exponent < -6) // zero or subnormal
    return uint8_t(sign | uint8_t(magnitude * 0x1p9));
  const auto mantissa = uint8_t((bitsAs<uint64_t>(magnitude) >> 49) & 7);
  return uint8_t(sign | (exponent + 7) << 3 | mantissa);
}

double unpackE4m3(uint8_t bits) {
  const int exponent = (bits >> 3) & 15, mantissa = bits & 7;
  const double magnitude = exponent == 15 && mantissa == 7 ? NAN
                           : exponent == 0
                               ? mantissa * 0x1p-9
                               : (8 + mantissa) * powerOfTwo(exponent - 10);
  return std::copysign(magnitude, bits & 0x80 ? -1.0 : 1.0);
}

double unpackBfloat(uint16_t bits) {
  return bitsAs<float>(uint32_t(bits) << 16);
}

template <typename T, typename Convert>
void unpackAll(const uint8_t *from, size_t count, double *to, Convert convert) {
  for (size_t i = 0; i < count; ++i) {
    T element;
    std::memcpy(&element, from + i * sizeof(T), sizeof(T));
    to[i] = double(convert(element));
  }
}

template <typename T, typename Convert>
void packAll(const double *from, size_t count, uint8_t *to, Convert convert) {
  for (size_t i = 0; i < count; ++i) {
    const T element = convert(from[i]);
    std::memcpy(to + i * sizeof(T), &element, sizeof(T));
  }
}

/// Truncates towards zero and wraps; what is no number of 64 bits becomes 0.
int64_t toInteger(double value) {
  return std::fabs(value) < 0x1p63 ? int64_t(value) : 0;
}

} // namespace

double roundFloat(ElementType type, double value) {
  switch (type) {
  case ElementType::F16:
    return roundOnce<kHalf>(value);
  case ElementType::BF16:
    return roundOnce<kBfloat>(value);
  case ElementType::F32:
    return roundOnce<kSingle>(value);
  case ElementType::TF32:
    return roundOnce<kTf32>(value);
  case ElementType::E4M3:
    return roundE4m3(value);
  case ElementType::E5M2:
    return roundOnce<kE5m2>(value);
  default:
    return value;
  }
}

void roundFloats(ElementType type, double *values, size_t count) {
  if (type == ElementType::F64)
    return;
  for (size_t i = 0; i < count; ++i)
    values[i] = roundFloat(type, values[i]);
}

void decodeElements(ElementType type, const uint8_t *from, size_t count,
                    double *to) {
  auto same = [](auto element) { return element; };
  switch (type) {
  case ElementType::I1:
    return unpackAll<uint8_t>(from, count, to, [](uint8_t b) { return b & 1; });
  case ElementType::I8:
    return unpackAll<int8_t>(from, count, to, same);
  case ElementType::U8:
    return unpackAll<uint8_t>(from, count, to, same);
  case ElementType::I16:
    return unpackAll<int16_t>(from, count, to, same);
  case ElementType::I32:
    return unpackAll<int32_t>(from, count, to, same);
  case ElementType::I64:
    return unpackAll<int64_t>(from, count, to, same);
  case ElementType::F16:
    return unpackAll<uint16_t>(from, count, to, unpackHalf);
  case ElementType::BF16:
    return unpackAll<uint16_t>(from, count, to, unpackBfloat);
  case ElementType::F32:
  case ElementType::TF32:
    return unpackAll<float>(from, count, to, same);
  case ElementType::F64:
    return unpackAll<double>(from, count, to, same);
  case ElementType::E4M3:
    return unpackAll<uint8_t>(from, count, to, unpackE4m3);
  case ElementType::E5M2: // the upper half of an f16
    return unpackAll<uint8_t>(from, count, to, [](uint8_t bits) {
      return unpackHalf(uint16_t(bits << 8));
    });
  }
}

void encodeElements(ElementType type, const double *from, size_t count,
                    uint8_t *to) {
  switch (type) {
  case ElementType::I1:
    return packAll<uint8_t>(from, count, to,
                            [](double v) { return uint8_t(toInteger(v) & 1); });
  case ElementType::I8:
  case ElementType::U8:
    return packAll<uint8_t>(from, count, to,
                            [](double v) { return uint8_t(toInteger(v)); });
  case ElementType::I16:
    return packAll<uint16_t>(from, count, to,
                             [](double v) { return uint16_t(toInteger(v)); });
  case ElementType::I32:
    return packAll<uint32_t>(from, count, to,
                             [](double v) { return uint32_t(toInteger(v)); });
  case ElementType::I64:
    return packAll<int64_t>(from, count, to, toInteger);
  case ElementType::F16:
    return packAll<uint16_t>(from, count, to, pack<kHalf>);
  case ElementType::BF16:
    return packAll<uint16_t>(from, count, to, pack<kBfloat>);
  case ElementType::F32:
    return packAll<float>(from, count, to, [](double v) { return float(v); });
  case ElementType::TF32:
    return packAll<float>(from, count, to,
                          [](double v) { return float(roundOnce<kTf32>(v)); });
  case ElementType::F64:
    return packAll<double>(from, count, to, [](double v) { return v; });
  case ElementType::E4M3:
    return packAll<uint8_t>(from, count, to, packE4m3);
  case ElementType::E5M2:
    return packAll<uint8_t>(from, count, to, [](double v) {
      return uint8_t(pack<kHalf>(roundOnce<kE5m2>(v)) >> 8);
    });
  }
}

double unitRoundoff(ElementType type) {
  const uint32_t bits = bundle::significandBits(type);
  return bits ? powerOfTwo(-int(bits)) : 0;
}

} // namespace helios::bench
