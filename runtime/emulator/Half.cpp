//===- Half.cpp - f16, bf16, and pairs of them -===//
//
// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each half is computed in double, where sums and products of halves are exact
// or rounded to odd, and rounded once.
//
//===----------------------------------------------------------------------===//

#include "emulator/Lanes.h"
#include "emulator/Numbers.h"
#include <cmath>

namespace helios::emu {

namespace {

enum class HalfOp : uint16_t {
  Add,
  Sub,
  Mul,
  Fma,
  Min,
  Max,
  MinNan,
  MaxNan,
  Neg,
  Abs,
  Ex2,
  Tanh
};
enum : uint16_t { kFtz = 256, kSat = 512, kRelu = 1024 };

struct F16 {
  static double value(uint16_t h) { return halfToFloat(h); }
  static uint16_t round(double v) {
    // The value of a float that rounds as v does: odd if inexact.
    float f = float(v);
    if (double(f) != v && f - f == 0) {
      uint32_t u = bitsOf<uint32_t>(f);
      bool larger = std::fabs(double(f)) > std::fabs(v);
      u = larger ? u - 1 : u;
      f = bitsOf<float>(u | 1);
    }
    return floatToHalf(f);
  }
  static constexpr double smallest = 0x1p-14;
};
struct BF16 {
  static double value(uint16_t h) { return brainToFloat(h); }
  static uint16_t round(double v) {
    return uint16_t(roundTo(kBF16, v, Rounding::Nearest));
  }
  static constexpr double smallest = 0x1p-126;
};

template <typename F>
uint16_t compute(uint16_t flags, uint16_t x, uint16_t y, uint16_t z) {
  HalfOp op = HalfOp(flags & 255);
  if (op == HalfOp::Neg)
    return x ^ 0x8000;
  if (op == HalfOp::Abs)
    return x & 0x7fff;
  auto load = [&](uint16_t h) {
    double v = F::value(h);
    return flags & kFtz && std::fabs(v) < F::smallest ? std::copysign(0.0, v)
                                                      : v;
  };
  double a = load(x), b = load(y), c = load(z), r = 0;
  bool nan = std::isnan(a) || std::isnan(b);
  auto less = [&] { return a < b || (a == b && std::signbit(a)); };
  switch (op) {
  case HalfOp::Add:
    r = addToOdd(a, b);
    break;
  case HalfOp::Sub:
    r = addToOdd(a, -b);
    break;
  case HalfOp::Mul:
    r = a * b;
    break;
  case HalfOp::Fma:
    r = addToOdd(a * b, c);
    break;
  case HalfOp::Min:
  case HalfOp::Max:
    r = std::isnan(a)                   ? b
        : std::isnan(b)                 ? a
        : less() == (op == HalfOp::Min) ? a
                                        : b;
    break;
  case HalfOp::MinNan:
    r = nan ? NAN : less() ? a : b;
    break;
  case HalfOp::MaxNan:
    r = nan ? NAN : less() ? b : a;
    break;
  case HalfOp::Ex2:
    r = std::exp2(a);
    break;
  case HalfOp::Tanh:
    r = std::tanh(a);
    break;
  default:
    break;
  }
  if (std::isnan(r))
    return flags & kSat ? 0 : 0x7fff;
  if (flags & kSat)
    r = r > 1 ? 1 : r > 0 ? r : 0;
  if (flags & kRelu)
    r = r > 0 ? r : 0;
  uint16_t bits = F::round(r);
  if (flags & kFtz && std::fabs(F::value(bits)) < F::smallest)
    bits &= 0x8000;
  return bits;
}

template <typename F, typename T>
Step halves(Warp &w, const Inst &i, Mask m) {
  const T *a = w.at<T>(i.a), *b = w.at<T>(i.b), *c = w.at<T>(i.c);
  forLanes(w.at<T>(i.d), m, [=](unsigned l) {
    T r = compute<F>(i.aux, uint16_t(a[l]), uint16_t(b[l]), uint16_t(c[l]));
    if constexpr (sizeof(T) == 4)
      r |= T(compute<F>(i.aux, uint16_t(a[l] >> 16), uint16_t(b[l] >> 16),
                        uint16_t(c[l] >> 16)))
           << 16;
    return r;
  });
  return Step::Next;
}

} // namespace

void decodeHalf(Decoder &d, const std::string &op, Type t) {
  uint16_t flags = 0;
  flags |= d.take("ftz") ? kFtz : 0;
  flags |= d.take("sat") ? kSat : 0;
  flags |= d.take("relu") ? kRelu : 0;
  d.take("rn");
  bool nan = d.take("NaN");
  HalfOp what;
  int operands = 2;
  if (op == "add")
    what = HalfOp::Add;
  else if (op == "sub")
    what = HalfOp::Sub;
  else if (op == "mul")
    what = HalfOp::Mul;
  else if (op == "min")
    what = nan ? HalfOp::MinNan : HalfOp::Min;
  else if (op == "max")
    what = nan ? HalfOp::MaxNan : HalfOp::Max;
  else if (op == "fma")
    what = HalfOp::Fma, operands = 3;
  else if (op == "neg")
    what = HalfOp::Neg, operands = 1;
  else if (op == "abs")
    what = HalfOp::Abs, operands = 1;
  else if (op == "ex2")
    what = HalfOp::Ex2, operands = 1;
  else if (op == "tanh")
    what = HalfOp::Tanh, operands = 1;
  else
    return d.unsupported("this operation in 16 bits");
  d.inst.aux = uint16_t(uint16_t(what) | flags);
  d.operands(operands, t.bits);
  bool brain = t.kind == Type::Brain;
  d.inst.run = t.bits == 16
                   ? brain ? halves<BF16, uint16_t> : halves<F16, uint16_t>
               : brain ? halves<BF16, uint32_t>
                       : halves<F16, uint32_t>;
}

} // namespace helios::emu
