// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "RegionMath.h"
#include "helios/Bench/Numbers.h"

#include <algorithm>
#include <cmath>

namespace helios::bench {

using bundle::ElementType;
using bundle::ScalarOp;
using bundle::ScalarOpKind;

uint64_t zeroExtend(ElementType type, int64_t value) {
  const uint32_t bits = type == ElementType::I1 ? 1 : bundle::elementBits(type);
  return bits >= 64 ? uint64_t(value)
                    : uint64_t(value) & ((uint64_t(1) << bits) - 1);
}

int64_t wrapInteger(ElementType type, int64_t value) {
  if (type == ElementType::I1 || type == ElementType::U8)
    return int64_t(zeroExtend(type, value));
  const uint32_t shift = 64 - bundle::elementBits(type);
  return int64_t(uint64_t(value) << shift) >> shift;
}

void integerRange(ElementType type, bool isUnsigned, double &low,
                  double &high) {
  const int bits = type == ElementType::I1 ? 1 : int(bundle::elementBits(type));
  if (isUnsigned || type == ElementType::U8 || type == ElementType::I1) {
    low = 0;
    high = std::ldexp(1.0, bits) - 1;
  } else {
    low = -std::ldexp(1.0, bits - 1);
    high = std::ldexp(1.0, bits - 1) - 1;
  }
}

int64_t floatToInteger(double value) {
  if (value >= -0x1p63 && value < 0x1p63)
    return int64_t(value);
  return value >= 0x1p63 && value < 0x1p64 ? int64_t(uint64_t(value)) : 0;
}

int64_t integerOp(ScalarOpKind kind, ElementType type, int64_t x, int64_t y) {
  const uint64_t ux = zeroExtend(type, x), uy = zeroExtend(type, y);
  const uint32_t bits = bundle::elementBits(type);
  auto wrap = [&](uint64_t v) { return wrapInteger(type, int64_t(v)); };
  switch (kind) {
  case ScalarOpKind::Add:
    return wrap(uint64_t(x) + uint64_t(y));
  case ScalarOpKind::Sub:
    return wrap(uint64_t(x) - uint64_t(y));
  case ScalarOpKind::Mul:
    return wrap(uint64_t(x) * uint64_t(y));
  case ScalarOpKind::Neg:
    return wrap(0 - uint64_t(x));
  case ScalarOpKind::Abs:
    return x < 0 ? wrap(0 - uint64_t(x)) : x;
  case ScalarOpKind::Div:
    return y == 0 ? 0 : y == -1 ? wrap(0 - uint64_t(x)) : x / y;
  case ScalarOpKind::Rem:
    return y == 0 || y == -1 ? 0 : x % y;
  case ScalarOpKind::DivU:
    return uy == 0 ? 0 : wrap(ux / uy);
  case ScalarOpKind::RemU:
    return uy == 0 ? 0 : wrap(ux % uy);
  case ScalarOpKind::FloorDiv:
    return y == 0    ? 0
           : y == -1 ? wrap(0 - uint64_t(x))
                     : x / y - (x % y != 0 && (x < 0) != (y < 0));
  case ScalarOpKind::CeilDiv:
    return y == 0    ? 0
           : y == -1 ? wrap(0 - uint64_t(x))
                     : x / y + (x % y != 0 && (x < 0) == (y < 0));
  case ScalarOpKind::Minimum:
  case ScalarOpKind::MinNum:
  case ScalarOpKind::MinS:
    return std::min(x, y);
  case ScalarOpKind::Maximum:
  case ScalarOpKind::MaxNum:
  case ScalarOpKind::MaxS:
    return std::max(x, y);
  case ScalarOpKind::MinU:
    return ux < uy ? x : y;
  case ScalarOpKind::MaxU:
    return ux > uy ? x : y;
  case ScalarOpKind::And:
    return x & y;
  case ScalarOpKind::Or:
    return x | y;
  case ScalarOpKind::Xor:
    return x ^ y;
  case ScalarOpKind::Shl:
    return uy < bits ? wrap(ux << uy) : 0;
  case ScalarOpKind::ShrU:
    return uy < bits ? wrap(ux >> uy) : 0;
  case ScalarOpKind::ShrS:
    return x >> std::min<uint64_t>(uy, 63);
  case ScalarOpKind::IPow: {
    uint64_t power = 1;
    for (uint64_t base = uint64_t(x), n = y < 0 ? 0 : uint64_t(y); n;
         n >>= 1, base *= base)
      if (n & 1)
        power *= base;
    return y < 0 ? (x == 1 ? 1 : x == -1 ? (y & 1 ? -1 : 1) : 0) : wrap(power);
  }
  default:
    return 0;
  }
}

namespace {

/// The true value and the interval that the operands' intervals map to, before
/// the operation's own rounding.
struct Bounded {
  double value, lo, hi;
};

Bounded hull4(double value, double a, double b, double c, double d) {
  return {value, std::min({a, b, c, d}), std::max({a, b, c, d})};
}

using Unary = double (*)(double);

Unary increasing(ScalarOpKind kind) {
  switch (kind) {
  case ScalarOpKind::Exp:
    return [](double x) { return std::exp(x); };
  case ScalarOpKind::Exp2:
    return [](double x) { return std::exp2(x); };
  case ScalarOpKind::Expm1:
    return [](double x) { return std::expm1(x); };
  case ScalarOpKind::Log:
    return [](double x) { return std::log(x); };
  case ScalarOpKind::Log2:
    return [](double x) { return std::log2(x); };
  case ScalarOpKind::Log10:
    return [](double x) { return std::log10(x); };
  case ScalarOpKind::Log1p:
    return [](double x) { return std::log1p(x); };
  case ScalarOpKind::Asin:
    return [](double x) { return std::asin(x); };
  case ScalarOpKind::Atan:
    return [](double x) { return std::atan(x); };
  case ScalarOpKind::Sinh:
    return [](double x) { return std::sinh(x); };
  case ScalarOpKind::Tanh:
    return [](double x) { return std::tanh(x); };
  case ScalarOpKind::Asinh:
    return [](double x) { return std::asinh(x); };
  case ScalarOpKind::Acosh:
    return [](double x) { return std::acosh(x); };
  case ScalarOpKind::Atanh:
    return [](double x) { return std::atanh(x); };
  case ScalarOpKind::Erf:
    return [](double x) { return std::erf(x); };
  case ScalarOpKind::Sqrt:
    return [](double x) { return std::sqrt(x); };
  case ScalarOpKind::Cbrt:
    return [](double x) { return std::cbrt(x); };
  case ScalarOpKind::Floor:
    return [](double x) { return std::floor(x); };
  case ScalarOpKind::Ceil:
    return [](double x) { return std::ceil(x); };
  case ScalarOpKind::Round:
    return [](double x) { return std::round(x); };
  case ScalarOpKind::Trunc:
    return [](double x) { return std::trunc(x); };
  case ScalarOpKind::RoundEven:
    return [](double x) { return std::nearbyint(x); };
  default:
    return nullptr;
  }
}

Unary decreasing(ScalarOpKind kind) {
  switch (kind) {
  case ScalarOpKind::Neg:
    return [](double x) { return -x; };
  case ScalarOpKind::Acos:
    return [](double x) { return std::acos(x); };
  case ScalarOpKind::Erfc:
    return [](double x) { return std::erfc(x); };
  case ScalarOpKind::Rsqrt:
    return [](double x) { return 1 / std::sqrt(x); };
  default:
    return nullptr;
  }
}

Bounded mapUnary(ScalarOpKind kind, double v, double lo, double hi) {
  if (Unary f = increasing(kind))
    return lo == hi ? Bounded{f(v), f(v), f(v)} : Bounded{f(v), f(lo), f(hi)};
  if (Unary f = decreasing(kind))
    return lo == hi ? Bounded{f(v), f(v), f(v)} : Bounded{f(v), f(hi), f(lo)};
  const bool acrossZero = lo < 0 && hi > 0;
  switch (kind) {
  case ScalarOpKind::Abs:
    return {std::fabs(v),
            acrossZero ? 0 : std::min(std::fabs(lo), std::fabs(hi)),
            std::max(std::fabs(lo), std::fabs(hi))};
  case ScalarOpKind::Cosh:
    return {std::cosh(v),
            acrossZero ? 1 : std::min(std::cosh(lo), std::cosh(hi)),
            std::max(std::cosh(lo), std::cosh(hi))};
  case ScalarOpKind::Sin:
  case ScalarOpKind::Cos: { // no steeper than 1
    const double reach = std::max(v - lo, hi - v);
    const double f = kind == ScalarOpKind::Sin ? std::sin(v) : std::cos(v);
    return {f, std::max(f - reach, -1.0), std::min(f + reach, 1.0)};
  }
  case ScalarOpKind::Tan: {
    const bool oneBranch =
        hi - lo < 1 && (std::cos(lo) > 0) == (std::cos(hi) > 0);
    return {std::tan(v), oneBranch ? std::tan(lo) : -INFINITY,
            oneBranch ? std::tan(hi) : INFINITY};
  }
  default:
    return {NAN, NAN, NAN};
  }
}

/// minimum/maximum order -0 below +0; their numeric value is all that is
/// compared here.
double pick(bool smaller, double a, double b) {
  return smaller ? std::min(a, b) : std::max(a, b);
}

Bounded mapOrder(ScalarOpKind kind, const Bounded &x, const Bounded &y) {
  const bool smaller =
      kind == ScalarOpKind::Minimum || kind == ScalarOpKind::MinNum;
  if (std::isnan(x.value) || std::isnan(y.value)) {
    if (kind == ScalarOpKind::Minimum || kind == ScalarOpKind::Maximum)
      return {NAN, NAN, NAN};
    return std::isnan(x.value) ? y : x;
  }
  return {pick(smaller, x.value, y.value), pick(smaller, x.lo, y.lo),
          pick(smaller, x.hi, y.hi)};
}

Bounded mapProduct(const Bounded &x, const Bounded &y) {
  // Zero times what may have become infinite may be NaN.
  auto zero = [](const Bounded &b) { return b.lo <= 0 && b.hi >= 0; };
  auto infinite = [](const Bounded &b) {
    return std::isinf(b.lo) || std::isinf(b.hi);
  };
  if ((zero(x) && infinite(y)) || (zero(y) && infinite(x)))
    return {x.value * y.value, -INFINITY, INFINITY};
  return hull4(x.value * y.value, x.lo * y.lo, x.lo * y.hi, x.hi * y.lo,
               x.hi * y.hi);
}

Bounded mapDivision(const Bounded &x, const Bounded &y) {
  const double value = x.value / y.value;
  if (y.lo <= 0 && y.hi >= 0)
    return x.lo == x.hi && y.lo == y.hi ? Bounded{value, value, value}
                                        : Bounded{value, -INFINITY, INFINITY};
  return hull4(value, x.lo / y.lo, x.lo / y.hi, x.hi / y.lo, x.hi / y.hi);
}

Bounded mapRemainder(const Bounded &x, const Bounded &y) {
  const double value = std::fmod(x.value, y.value);
  const double limit = std::max(std::fabs(y.lo), std::fabs(y.hi));
  // A quotient near an integer may fall on either side of it; a remainder of
  // zero or of all of y is then right.
  const double slack = std::fabs(x.value) * 0x1p-20;
  const bool exact = x.lo == x.hi && y.lo == y.hi;
  if (exact && std::fabs(value) > slack &&
      std::fabs(y.value) - std::fabs(value) > slack)
    return {value, value, value};
  return {value, -limit, limit};
}

Bounded mapBinary(const ScalarOp &op, const Bounded &x, const Bounded &y) {
  const bool exact = x.lo == x.hi && y.lo == y.hi;
  switch (op.kind) {
  case ScalarOpKind::Add:
    return {x.value + y.value, x.lo + y.lo, x.hi + y.hi};
  case ScalarOpKind::Sub:
    return {x.value - y.value, x.lo - y.hi, x.hi - y.lo};
  case ScalarOpKind::Mul:
    return mapProduct(x, y);
  case ScalarOpKind::Div:
    return mapDivision(x, y);
  case ScalarOpKind::Rem:
    return mapRemainder(x, y);
  case ScalarOpKind::Minimum:
  case ScalarOpKind::Maximum:
  case ScalarOpKind::MinNum:
  case ScalarOpKind::MaxNum:
    return mapOrder(op.kind, x, y);
  case ScalarOpKind::Pow:
  case ScalarOpKind::IPow: {
    const double value = std::pow(x.value, y.value);
    if (exact)
      return {value, value, value};
    Bounded r = hull4(value, std::pow(x.lo, y.lo), std::pow(x.lo, y.hi),
                      std::pow(x.hi, y.lo), std::pow(x.hi, y.hi));
    if (x.lo < 0 && x.hi > 0) { // an even power is smallest at zero, a negative
                                // one has a pole there
      r.lo = y.lo > 0 ? std::min(r.lo, 0.0) : -INFINITY;
      r.hi = y.lo > 0 ? std::max(r.hi, 0.0) : INFINITY;
    }
    return r;
  }
  case ScalarOpKind::Atan2: {
    const double value = std::atan2(x.value, y.value);
    if (exact)
      return {value, value, value};
    if (x.lo <= 0 && x.hi >= 0 && y.lo <= 0)
      return {value, -M_PI, M_PI};
    return hull4(value, std::atan2(x.lo, y.lo), std::atan2(x.lo, y.hi),
                 std::atan2(x.hi, y.lo), std::atan2(x.hi, y.hi));
  }
  case ScalarOpKind::CopySign: {
    const double value = std::copysign(x.value, y.value);
    if (exact)
      return {value, value, value};
    const double most = std::max(std::fabs(x.lo), std::fabs(x.hi));
    if (std::signbit(y.lo) != std::signbit(y.hi))
      return {value, -most, most};
    const Bounded magnitude = mapUnary(ScalarOpKind::Abs, x.value, x.lo, x.hi);
    return std::signbit(y.lo) ? Bounded{value, -magnitude.hi, -magnitude.lo}
                              : Bounded{value, magnitude.lo, magnitude.hi};
  }
  default:
    return {NAN, NAN, NAN};
  }
}

/// What the operation itself may add, in units of the type's roundoff u:
/// `relative` times |result| plus `absolute`.
struct Rounding {
  double relative = 0, absolute = 0;
};

Rounding roundingOf(const ScalarOp &op, double x, double y, double r) {
  const bool single =
      op.type == ElementType::F32 || op.type == ElementType::F64;
  const double ax = std::fabs(x);
  switch (op.kind) {
  case ScalarOpKind::Add:
  case ScalarOpKind::Sub:
  case ScalarOpKind::Mul:
  case ScalarOpKind::Fma:
    return {1, 0};
  case ScalarOpKind::Div:
    return {6, 0};
  case ScalarOpKind::Rem:
    return {0, 8 * ax};
  case ScalarOpKind::Rsqrt:
    return {4, 0};
  case ScalarOpKind::Sqrt:
    return {10, 0};
  case ScalarOpKind::Exp:
  case ScalarOpKind::Exp2:
    return {8 + 4 * ax, 0};
  case ScalarOpKind::Expm1:
    return {8 + 4 * ax, 8 + 4 * ax};
  case ScalarOpKind::Log:
  case ScalarOpKind::Log2:
  case ScalarOpKind::Log10:
  case ScalarOpKind::Log1p:
    return {8, 16};
  case ScalarOpKind::Sin:
  case ScalarOpKind::Cos:
    return {0, (single ? 8192 : 16) * (1 + ax / M_PI)};
  case ScalarOpKind::Tan: {
    const double steep = (1 + r * r) * (single ? 8192 : 16) * (1 + ax / M_PI);
    return {8, 2 * steep};
  }
  case ScalarOpKind::Asin:
  case ScalarOpKind::Acos:
  case ScalarOpKind::Atan:
  case ScalarOpKind::Atan2:
    return {single ? 8192.0 : 10.0, single ? 8192.0 : 10.0};
  case ScalarOpKind::Sinh:
  case ScalarOpKind::Cosh:
    return {12 + 4 * ax, 12 + 4 * ax};
  case ScalarOpKind::Tanh:
    if (op.index) // tanh.approx of the PTX ISA: 2^-10.98, the widest we know
      return {0x1p13 + 128, 16};
    return {16, 16};
  case ScalarOpKind::Erf:
    return {16, 16};
  case ScalarOpKind::Erfc:
    return {64, 16};
  case ScalarOpKind::Asinh:
  case ScalarOpKind::Acosh:
  case ScalarOpKind::Atanh:
    return {64, 64};
  case ScalarOpKind::Cbrt:
    return {64, 0};
  case ScalarOpKind::Pow:
  case ScalarOpKind::IPow:
    if (std::isinf(x) || std::isinf(y)) // 0, 1 or infinite
      return {};
    return {32 + (ax > 0 ? 8 * std::fabs(y * std::log2(ax)) : 0), 0};
  default: // signs, order and rounding to integers are exact
    return {};
  }
}

double smallestNormal(ElementType type) {
  return type == ElementType::F16   ? 0x1p-14
         : type == ElementType::F64 ? 0x1p-1022
                                    : 0x1p-126;
}

/// Whether IEEE arithmetic must give this result exactly: a correctly rounded
/// operation on exact operands whose result the type can hold.
bool isExactResult(const ScalarOp &op, const Bounded &r, bool exactOperands,
                   double x, double y) {
  if (!exactOperands || roundFloat(op.type, r.value) != r.value)
    return false;
  switch (op.kind) {
  case ScalarOpKind::Add:
  case ScalarOpKind::Sub:
  case ScalarOpKind::Mul:
    return true;
  case ScalarOpKind::Fma: // also when done as a product and a sum
    return roundFloat(op.type, x * y) == x * y;
  default:
    return false;
  }
}

/// Numbers beyond the type's largest are infinite there: the bound that may
/// have become so, or the value that must have.
void overflow(ElementType type, int i, Lanes &r) {
  auto infinite = [&](double v) { return std::isinf(roundFloat(type, v)); };
  if (r.hi[i] > 0 && infinite(r.hi[i]))
    r.hi[i] = INFINITY;
  if (r.lo[i] < 0 && infinite(r.lo[i]))
    r.lo[i] = -INFINITY;
  if (r.lo[i] > 0 && infinite(r.lo[i]))
    r.value[i] = r.lo[i] = INFINITY;
  if (r.hi[i] < 0 && infinite(r.hi[i]))
    r.value[i] = r.hi[i] = -INFINITY;
}

} // namespace

void evaluateFloat(const ScalarOp &op, const Lanes &x, const Lanes *y,
                   const Lanes *z, int count, Lanes &r) {
  const double u = unitRoundoff(op.type);
  const double tiny = smallestNormal(op.type);
  for (int i = 0; i < count; ++i) {
    const Bounded a{x.value[i], x.lo[i], x.hi[i]};
    const Bounded b =
        y ? Bounded{y->value[i], y->lo[i], y->hi[i]} : Bounded{0, 0, 0};
    const Bounded c =
        z ? Bounded{z->value[i], z->lo[i], z->hi[i]} : Bounded{0, 0, 0};
    Bounded result;
    double more = 0; // absolute widening
    if (op.kind == ScalarOpKind::Fma) {
      const Bounded p = mapBinary({ScalarOpKind::Mul, op.type}, a, b);
      result = {std::fma(a.value, b.value, c.value), p.lo + c.lo, p.hi + c.hi};
      more = u * std::max(std::fabs(p.lo), std::fabs(p.hi));
    } else {
      result = y ? mapBinary(op, a, b) : mapUnary(op.kind, a.value, a.lo, a.hi);
    }
    r.integer[i] = 0;
    r.value[i] = result.value;
    if (std::isnan(result.value)) {
      r.lo[i] = r.hi[i] = NAN;
      continue;
    }
    if (std::isnan(result.lo) || std::isnan(result.hi)) {
      r.lo[i] = -INFINITY;
      r.hi[i] = INFINITY;
      continue;
    }
    const bool exactOperands = a.lo == a.hi && b.lo == b.hi && c.lo == c.hi;
    const Rounding rounding = roundingOf(op, a.value, b.value, result.value);
    if ((rounding.relative == 0 && rounding.absolute == 0) ||
        isExactResult(op, result, exactOperands, a.value, b.value)) {
      r.lo[i] =
          exactOperands && result.lo == result.hi ? result.value : result.lo;
      r.hi[i] =
          exactOperands && result.lo == result.hi ? result.value : result.hi;
      continue;
    }
    auto widen = [&](double bound) {
      // Roundings are scaled first: a bound may be as large as doubles are.
      double w = more + u * rounding.relative * std::fabs(bound) +
                 u * rounding.absolute;
      if (std::fabs(bound) <
          tiny) // a device may flush subnormal results of arithmetic
        w += tiny;
      return std::isinf(bound) ? 0 : w;
    };
    r.lo[i] = result.lo - widen(result.lo);
    r.hi[i] = result.hi + widen(result.hi);
    overflow(op.type, i, r);
  }
}

} // namespace helios::bench
