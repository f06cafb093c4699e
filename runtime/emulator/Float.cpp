//===- Float.cpp - f32 and f64 -===//
//
// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Results that the ISA defines exactly are exact. As on the GPU, a NaN that
// arithmetic of f32 makes is 0x7fffffff; f64 hands on, as a quiet one, the NaN
// of the second operand, else that of a third, else that of the first, and a
// division the first NaN. Functions with a stated error (ex2.approx,
// rcp.approx, ...) give the correctly rounded value.
//
//===----------------------------------------------------------------------===//

#include "emulator/Lanes.h"
#include "emulator/Numbers.h"
#include <cmath>
#include <type_traits>

namespace helios::emu {

void decodeHalf(Decoder &d, const std::string &op, Type t);

namespace {

template <bool ftz>
float in(float v) {
  if (ftz && std::fabs(v) < 0x1p-126f)
    return std::copysign(0.0f, v);
  return v;
}
template <bool ftz, bool sat>
float out(float v) {
  if (std::isnan(v))
    return sat ? 0.0f : bitsOf<float>(kNanF32);
  if (sat)
    v = v > 1 ? 1.0f : v > 0 ? v : 0.0f;
  return in<ftz>(v);
}
/// `v`, which comes of these operands; the last NaN of them goes on.
template <typename... Operands>
double out64(double v, Operands... operands) {
  if (!std::isnan(v))
    return v;
  uint64_t nan = uint64_t(0x1fff) << 51;
  for (double o : {operands...})
    if (std::isnan(o))
      nan = bitsOf<uint64_t>(o) | uint64_t(1) << 51;
  return bitsOf<double>(nan);
}

template <typename T>
T smaller(T a, T b) {
  if (std::isnan(a))
    return b;
  if (std::isnan(b))
    return a;
  return a < b || (a == b && std::signbit(a)) ? a : b;
}
template <typename T>
T larger(T a, T b) {
  if (std::isnan(a))
    return b;
  if (std::isnan(b))
    return a;
  return a > b || (a == b && !std::signbit(a)) ? a : b;
}

#define FUNCTION1(Name, expression)                                            \
  struct Name {                                                                \
    template <typename T>                                                      \
    static T of(T a) {                                                         \
      return expression;                                                       \
    }                                                                          \
  };
#define FUNCTION2(Name, expression)                                            \
  struct Name {                                                                \
    template <typename T>                                                      \
    static T of(T a, T b) {                                                    \
      return expression;                                                       \
    }                                                                          \
  };
FUNCTION2(AddF, a + b)
FUNCTION2(SubF, a - b)
FUNCTION2(MulF, a *b)
FUNCTION2(DivF, a / b)
FUNCTION2(MinF, smaller(a, b))
FUNCTION2(MaxF, larger(a, b))
FUNCTION2(MinNan, std::isnan(a) || std::isnan(b) ? T(NAN) : smaller(a, b))
FUNCTION2(MaxNan, std::isnan(a) || std::isnan(b) ? T(NAN) : larger(a, b))
FUNCTION1(RcpF, T(1) / a)
FUNCTION1(SqrtF, std::sqrt(a))
// In double: two roundings err by far less than the ISA allows.
FUNCTION1(RsqrtF, T(1 / std::sqrt(double(a))))
FUNCTION1(Ex2F, T(std::exp2(double(a))))
FUNCTION1(Lg2F, T(std::log2(double(a))))
FUNCTION1(SinF, T(std::sin(double(a))))
FUNCTION1(CosF, T(std::cos(double(a))))
FUNCTION1(TanhF, T(std::tanh(double(a))))
#undef FUNCTION1
#undef FUNCTION2

template <typename Op, bool ftz, bool sat>
struct One32 {
  static float of(float a) { return out<ftz, sat>(Op::of(in<ftz>(a))); }
};
template <typename Op, bool ftz, bool sat>
struct Two32 {
  static float of(float a, float b) {
    return out<ftz, sat>(Op::of(in<ftz>(a), in<ftz>(b)));
  }
};
template <bool ftz, bool sat>
struct Fma32 {
  static float of(float a, float b, float c) {
    return out<ftz, sat>(std::fma(in<ftz>(a), in<ftz>(b), in<ftz>(c)));
  }
};
template <typename Op>
struct One64 {
  static double of(double a) { return out64(Op::of(a), a); }
};
template <typename Op>
struct Two64 {
  static double of(double a, double b) {
    return std::is_same_v<Op, DivF> ? out64(Op::of(a, b), b, a)
                                    : out64(Op::of(a, b), a, b);
  }
};
struct Fma64 {
  static double of(double a, double b, double c) {
    return out64(std::fma(a, b, c), a, c, b);
  }
};
// Signs change in NaN too.
template <bool ftz>
struct NegF {
  static float of(float a) { return -in<ftz>(a); }
};
template <bool ftz>
struct AbsF {
  static float of(float a) { return std::fabs(in<ftz>(a)); }
};
struct Neg64 {
  static double of(double a) { return -a; }
};
struct Abs64 {
  static double of(double a) { return std::fabs(a); }
};
template <typename T>
struct CopySign {
  static T of(T a, T b) { return std::copysign(b, a); }
};

struct Flags {
  bool ftz, sat;
};
Flags flags(Decoder &d) { return {d.take("ftz"), d.take("sat")}; }

/// make(ftz, sat), both as types.
template <typename F>
Handler forFlags(Flags f, F make) {
  using Yes = std::true_type;
  using No = std::false_type;
  return f.ftz   ? f.sat ? make(Yes(), Yes()) : make(Yes(), No())
         : f.sat ? make(No(), Yes())
                 : make(No(), No());
}

void nearestOnly(Decoder &d) {
  d.take("rn");
  if (int r = d.takeOneOf({"rz", "rm", "rp"}); r >= 0)
    d.unsupported("arithmetic in another rounding than .rn");
}

template <typename Op>
void two(Decoder &d, Type t, Flags f) {
  d.operands(2, t.bits);
  d.inst.run = t.bits == 64
                   ? binary<Two64<Op>, double, double>
                   : forFlags(f, [](auto z, auto s) -> Handler {
                       return binary<Two32<Op, z.value, s.value>, float, float>;
                     });
}
template <typename Op>
void one(Decoder &d, Type t, Flags f) {
  d.operands(1, t.bits);
  d.inst.run = t.bits == 64
                   ? unary<One64<Op>, double, double>
                   : forFlags(f, [](auto z, auto s) -> Handler {
                       return unary<One32<Op, z.value, s.value>, float, float>;
                     });
}
void fma(Decoder &d, Type t, Flags f) {
  d.operands(3, t.bits);
  d.inst.run = t.bits == 64
                   ? ternary<Fma64, double, double>
                   : forFlags(f, [](auto z, auto s) -> Handler {
                       return ternary<Fma32<z.value, s.value>, float, float>;
                     });
}

} // namespace

void decodeFloat(Decoder &d, const std::string &op) {
  Type t = d.takeType();
  if (t.bits < 32 || t.lanes == 2)
    return decodeHalf(d, op, t);
  if (op == "min" || op == "max") {
    Flags f = flags(d);
    bool nan = d.take("NaN");
    if (op == "min")
      return nan ? two<MinNan>(d, t, f) : two<MinF>(d, t, f);
    return nan ? two<MaxNan>(d, t, f) : two<MaxF>(d, t, f);
  }
  if (op == "neg" || op == "abs") {
    bool ftz = d.take("ftz"), neg = op == "neg";
    d.operands(1, t.bits);
    d.inst.run = t.bits == 64 ? neg ? unary<Neg64, double, double>
                                    : unary<Abs64, double, double>
                 : ftz        ? neg ? unary<NegF<true>, float, float>
                                    : unary<AbsF<true>, float, float>
                 : neg        ? unary<NegF<false>, float, float>
                              : unary<AbsF<false>, float, float>;
    return;
  }
  nearestOnly(d);
  Flags f = flags(d);
  if (op == "div" && !d.take("full"))
    d.take("approx");
  if (op == "add")
    return two<AddF>(d, t, f);
  if (op == "sub")
    return two<SubF>(d, t, f);
  if (op == "mul")
    return two<MulF>(d, t, f);
  if (op == "div")
    return two<DivF>(d, t, f);
  fma(d, t, f);
}

namespace {

void decodeFma(Decoder &d) { decodeFloat(d, "fma"); }

template <typename Op>
void function(Decoder &d) {
  Type t = d.takeType();
  d.take("approx");
  if (t.bits < 32 || t.lanes == 2)
    return decodeHalf(d, d.source->words[0], t);
  nearestOnly(d);
  one<Op>(d, t, flags(d));
}

void decodeCopySign(Decoder &d) {
  Type t = d.takeType();
  d.operands(2, t.bits);
  d.inst.run = t.bits == 32 ? binary<CopySign<float>, float, float>
                            : binary<CopySign<double>, double, double>;
}

enum class Property { Finite, Infinite, Number, Nan, Normal, Subnormal };
template <typename T>
Step testProperty(Warp &w, const Inst &i, Mask m) {
  const T *a = w.at<T>(i.a);
  Mask &d = w.predicate(i.d);
  eachLane(m, [&](unsigned l) {
    int c = std::fpclassify(a[l]);
    bool r = false;
    switch (Property(i.aux)) {
    case Property::Finite:
      r = c != FP_NAN && c != FP_INFINITE;
      break;
    case Property::Infinite:
      r = c == FP_INFINITE;
      break;
    case Property::Number:
      r = c != FP_NAN;
      break;
    case Property::Nan:
      r = c == FP_NAN;
      break;
    case Property::Normal:
      r = c == FP_NORMAL || c == FP_ZERO;
      break;
    case Property::Subnormal:
      r = c == FP_SUBNORMAL;
      break;
    }
    d = r ? d | 1u << l : d & ~(1u << l);
  });
  return Step::Next;
}

void decodeTestp(Decoder &d) {
  int p = d.takeOneOf(
      {"finite", "infinite", "number", "notanumber", "normal", "subnormal"});
  if (p < 0)
    d.fail("expected a property such as .finite");
  Type t = d.takeType();
  d.inst.aux = uint16_t(p);
  d.inst.d = d.writePredicate(d.operand(0));
  d.inst.a = d.read(1, t.bits);
  d.inst.run = t.bits == 32 ? testProperty<float> : testProperty<double>;
}

} // namespace

void addFloat(DecodeTable &table) {
  table["fma"] = decodeFma;
  table["rcp"] = function<RcpF>;
  table["sqrt"] = function<SqrtF>;
  table["rsqrt"] = function<RsqrtF>;
  table["ex2"] = function<Ex2F>;
  table["lg2"] = function<Lg2F>;
  table["sin"] = function<SinF>;
  table["cos"] = function<CosF>;
  table["tanh"] = function<TanhF>;
  table["copysign"] = decodeCopySign;
  table["testp"] = decodeTestp;
}

} // namespace helios::emu
