//===- ElementType.cpp - Element types, rounding and bits -===//
//
// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "helios/Bundle/ElementType.h"
#include <cmath>
#include <cstring>
#include <limits>

namespace helios::bundle {

namespace {

struct TypeRow {
  const char *name;
  uint32_t bytes, bits, significand;
};

const TypeRow rows[kNumElementTypes] = {
    {"i1", 1, 1, 0},    {"i8", 1, 8, 0},     {"u8", 1, 8, 0},
    {"i16", 2, 16, 0},  {"i32", 4, 32, 0},   {"i64", 8, 64, 0},
    {"f16", 2, 16, 11}, {"bf16", 2, 16, 8},  {"f32", 4, 32, 24},
    {"f64", 8, 64, 53}, {"tf32", 4, 32, 11}, {"e4m3", 1, 8, 4},
    {"e5m2", 1, 8, 3},
};

const TypeRow &row(ElementType type) {
  return rows[static_cast<uint8_t>(type)];
}

/// Rounds to a binary format with `precision` significand bits, smallest normal
/// exponent `minExponent` and largest `maxExponent`; ties to even.
double roundBinary(double v, int precision, int minExponent, int maxExponent) {
  if (v == 0 || !std::isfinite(v))
    return v;
  int exponent = std::ilogb(v);
  int quantum =
      (exponent < minExponent ? minExponent : exponent) - (precision - 1);
  // The quotient has at most 53 bits, so scaling is exact (or a value far below
  // half a quantum, which rounds to zero either way).
  double r = std::ldexp(std::nearbyint(std::ldexp(v, -quantum)), quantum);
  double largest = std::ldexp(2 - std::ldexp(1.0, 1 - precision), maxExponent);
  if (std::fabs(r) > largest)
    return std::copysign(std::numeric_limits<double>::infinity(), v);
  return r == 0 ? std::copysign(0.0, v) : r;
}

/// The low 64 bits of trunc(value) in two's complement.
uint64_t wrapInteger(double value) {
  if (!std::isfinite(value))
    return 0;
  double t = std::trunc(value);
  constexpr double two64 = 18446744073709551616.0;
  double m = std::fmod(std::fabs(t), two64);
  uint64_t bits = static_cast<uint64_t>(m);
  return t < 0 ? uint64_t(0) - bits : bits;
}

double integerFromBits(ElementType type, uint64_t bits) {
  uint32_t n = row(type).bits;
  if (type == ElementType::U8 || type == ElementType::I1)
    return static_cast<double>(bits & ((uint64_t(1) << n) - 1));
  if (n < 64)
    bits <<= 64 - n;
  int64_t s;
  std::memcpy(&s, &bits, 8);
  return static_cast<double>(n < 64 ? s >> (64 - n) : s);
}

} // namespace

const char *elementTypeName(ElementType type) { return row(type).name; }
const char *mlirTypeName(ElementType type) {
  return type == ElementType::E4M3   ? "f8E4M3FN"
         : type == ElementType::E5M2 ? "f8E5M2"
                                     : row(type).name;
}
uint32_t elementBytes(ElementType type) { return row(type).bytes; }
uint32_t elementBits(ElementType type) { return row(type).bits; }
bool isFloat(ElementType type) { return row(type).significand != 0; }
uint32_t significandBits(ElementType type) { return row(type).significand; }

std::optional<ElementType> parseElementType(const std::string &name) {
  for (uint8_t i = 0; i < kNumElementTypes; ++i)
    if (name == rows[i].name)
      return static_cast<ElementType>(i);
  return std::nullopt;
}

double roundTo(ElementType type, double value) {
  switch (type) {
  case ElementType::F64:
    return value;
  case ElementType::F32:
    return static_cast<double>(static_cast<float>(value));
  case ElementType::F16:
    return roundBinary(value, 11, -14, 15);
  case ElementType::BF16:
    return roundBinary(value, 8, -126, 127);
  case ElementType::TF32:
    return roundBinary(value, 11, -126, 127);
  case ElementType::E5M2:
    return roundBinary(value, 3, -14, 15);
  case ElementType::E4M3: {
    // 480 would be the next number, whose bits are the NaN.
    double r = roundBinary(value, 4, -6, 8);
    return std::fabs(r) > 448 ? std::numeric_limits<double>::quiet_NaN() : r;
  }
  default:
    return integerFromBits(type, wrapInteger(value));
  }
}

uint64_t encodeElement(ElementType type, double value) {
  switch (type) {
  case ElementType::F64: {
    uint64_t b;
    std::memcpy(&b, &value, 8);
    return b;
  }
  case ElementType::F32:
  case ElementType::TF32:
  case ElementType::BF16: {
    if (type != ElementType::F32 && !std::isnan(value))
      value = roundTo(type, value);
    float f = static_cast<float>(value);
    uint32_t b;
    std::memcpy(&b, &f, 4);
    if (type != ElementType::BF16)
      return b;
    // A NaN whose payload sits in the low half must stay a NaN.
    return std::isnan(value) ? (b >> 16) | 0x40 : b >> 16;
  }
  case ElementType::F16: {
    uint64_t sign = std::signbit(value) ? 0x8000 : 0;
    if (std::isnan(value))
      return sign | 0x7e00;
    double r = std::fabs(roundTo(type, value));
    if (std::isinf(r))
      return sign | 0x7c00;
    if (r < std::ldexp(1.0, -14)) // zero and subnormals, in units of 2^-24
      return sign | static_cast<uint64_t>(std::ldexp(r, 24));
    int e = std::ilogb(r);
    uint64_t mantissa = static_cast<uint64_t>(std::ldexp(r, 10 - e)) - 1024;
    return sign | (static_cast<uint64_t>(e + 15) << 10) | mantissa;
  }
  case ElementType::E5M2: // the upper half of an f16
    return encodeElement(ElementType::F16,
                         std::isnan(value) ? value : roundTo(type, value)) >>
           8;
  case ElementType::E4M3: {
    uint64_t sign = std::signbit(value) ? 0x80 : 0;
    double r = std::fabs(roundTo(type, value));
    if (std::isnan(r))
      return sign | 0x7f;
    if (r < std::ldexp(1.0, -6)) // zero and subnormals, in units of 2^-9
      return sign | static_cast<uint64_t>(std::ldexp(r, 9));
    int e = std::ilogb(r);
    uint64_t mantissa = static_cast<uint64_t>(std::ldexp(r, 3 - e)) - 8;
    return sign | (static_cast<uint64_t>(e + 7) << 3) | mantissa;
  }
  default: {
    uint64_t bits = wrapInteger(value);
    uint32_t n = row(type).bits;
    return n == 64 ? bits : bits & ((uint64_t(1) << n) - 1);
  }
  }
}

double decodeElement(ElementType type, uint64_t bits) {
  switch (type) {
  case ElementType::F64: {
    double d;
    std::memcpy(&d, &bits, 8);
    return d;
  }
  case ElementType::F32:
  case ElementType::TF32:
  case ElementType::BF16: {
    uint32_t b = static_cast<uint32_t>(
        type == ElementType::BF16 ? (bits & 0xffff) << 16 : bits);
    float f;
    std::memcpy(&f, &b, 4);
    return static_cast<double>(f);
  }
  case ElementType::F16: {
    double sign = bits & 0x8000 ? -1 : 1;
    int e = (bits >> 10) & 31;
    double mantissa = static_cast<double>(bits & 1023);
    if (e == 31)
      return mantissa ? std::numeric_limits<double>::quiet_NaN()
                      : sign * std::numeric_limits<double>::infinity();
    return sign * (e ? std::ldexp(1024 + mantissa, e - 25)
                     : std::ldexp(mantissa, -24));
  }
  case ElementType::E5M2:
    return decodeElement(ElementType::F16, (bits & 0xff) << 8);
  case ElementType::E4M3: {
    double sign = bits & 0x80 ? -1 : 1;
    int e = (bits >> 3) & 15;
    double mantissa = static_cast<double>(bits & 7);
    if (e == 15 && mantissa == 7)
      return std::numeric_limits<double>::quiet_NaN();
    return sign *
           (e ? std::ldexp(8 + mantissa, e - 10) : std::ldexp(mantissa, -9));
  }
  default:
    return integerFromBits(type, bits);
  }
}

} // namespace helios::bundle
