//===- Numbers.cpp - Formats of numbers, and rounding to them -===//
//
// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "emulator/Numbers.h"
#include <cmath>
#include <vector>

namespace helios::emu {

uint64_t roundTo(const Format &f, long double v, Rounding r, bool saturate) {
  const uint64_t one = 1;
  uint64_t sign =
      std::signbit(v) ? one << (f.exponentBits + f.mantissaBits) : 0;
  const int bias = (1 << (f.exponentBits - 1)) - 1;
  const uint64_t allOnes = (one << (f.exponentBits + f.mantissaBits)) - 1;
  const uint64_t infinity = ((one << f.exponentBits) - 1) << f.mantissaBits;
  const uint64_t largest = f.ieee ? infinity - 1 : allOnes - 1;
  if (std::isnan(v))
    return allOnes; // the canonical NaN: positive, all ones
  long double a = std::fabs(v);
  auto overflow = [&] {
    bool towards = r == Rounding::Zero || (r == Rounding::Down && !sign) ||
                   (r == Rounding::Up && sign);
    if (saturate || towards)
      return sign | largest;
    return f.ieee ? sign | infinity : allOnes;
  };
  if (std::isinf(a)) {
    if (saturate)
      return sign | largest;
    return f.ieee ? sign | infinity : allOnes;
  }
  if (a == 0)
    return sign;
  int exponent;
  std::frexp(a, &exponent); // a = m * 2^exponent, m in [0.5, 1)
  int e = exponent - 1;
  if (e < 1 - bias)
    e = 1 - bias;
  long double units = std::ldexp(a, f.mantissaBits - e); // exact
  long double whole = std::floor(units), rest = units - whole;
  uint64_t n = uint64_t(whole);
  bool up = false;
  switch (r) {
  case Rounding::Nearest:
    up = rest > 0.5L || (rest == 0.5L && (n & 1));
    break;
  case Rounding::NearestAway:
    up = rest >= 0.5L;
    break;
  case Rounding::Zero:
    break;
  case Rounding::Down:
    up = rest > 0 && sign;
    break;
  case Rounding::Up:
    up = rest > 0 && !sign;
    break;
  }
  n += up;
  // A carry into the exponent is right by itself: the fields are neighbours.
  uint64_t bits = n < (one << f.mantissaBits)
                      ? n
                      : n + (uint64_t(e + bias - 1) << f.mantissaBits);
  if (bits > largest)
    return overflow();
  return sign | bits;
}

double valueOf(const Format &f, uint32_t bits) {
  const int bias = (1 << (f.exponentBits - 1)) - 1;
  uint32_t mantissa = bits & ((1u << f.mantissaBits) - 1);
  int e = int(bits >> f.mantissaBits & ((1u << f.exponentBits) - 1));
  bool negative = bits >> (f.exponentBits + f.mantissaBits) & 1;
  bool top = e == (1 << f.exponentBits) - 1;
  double v;
  if (top && (f.ieee || mantissa == (1u << f.mantissaBits) - 1))
    v = f.ieee && mantissa == 0 ? INFINITY : NAN;
  else if (e == 0)
    v = std::ldexp(double(mantissa), 1 - bias - f.mantissaBits);
  else
    v = std::ldexp(double(mantissa | 1u << f.mantissaBits),
                   e - bias - f.mantissaBits);
  return negative ? -v : v;
}

static const float *makeHalfTable() {
  static std::vector<float> table(65536);
  for (uint32_t h = 0; h < 65536; ++h)
    table[h] = float(valueOf(kF16, h));
  return table.data();
}
const float *const kHalfTable = makeHalfTable();

} // namespace helios::emu
