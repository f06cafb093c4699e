//===- Integer.cpp - Arithmetic of integers -===//
//
// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "emulator/Integers.h"

namespace helios::emu {

void decodeFloat(Decoder &d, const std::string &op);

namespace {

// Arithmetic wraps: it is done without sign, in 32 bits at least.
template <typename T>
using W = std::conditional_t<sizeof(T) < 4, uint32_t, std::make_unsigned_t<T>>;

struct Add {
  template <typename T>
  static T of(T a, T b) {
    return T(W<T>(a) + W<T>(b));
  }
};
struct Sub {
  template <typename T>
  static T of(T a, T b) {
    return T(W<T>(a) - W<T>(b));
  }
};
struct MulLo {
  template <typename T>
  static T of(T a, T b) {
    return T(W<T>(a) * W<T>(b));
  }
};
template <typename T>
using Double = std::conditional_t<
    sizeof(T) == 8,
    std::conditional_t<std::is_signed_v<T>, __int128, unsigned __int128>,
    std::conditional_t<
        sizeof(T) == 4,
        std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>,
        std::conditional_t<std::is_signed_v<T>, int32_t, uint32_t>>>;
/// `make` for the types whose products of double width fit a register.
template <typename F>
Handler wide(Decoder &d, Type t, F make) {
  bool s = t.kind == Type::Signed;
  if (t.bits == 16)
    return s ? make(int16_t()) : make(uint16_t());
  if (t.bits == 32)
    return s ? make(int32_t()) : make(uint32_t());
  d.unsupported("products wider than 64 bits");
  return nullptr;
}
struct MulHi {
  template <typename T>
  static T of(T a, T b) {
    return T((Double<T>(a) * Double<T>(b)) >> 8 * sizeof(T));
  }
};
struct MulWide {
  template <typename T>
  static Double<T> of(T a, T b) {
    return Double<T>(a) * Double<T>(b);
  }
};
struct MadLo {
  template <typename T>
  static T of(T a, T b, T c) {
    return T(W<T>(a) * W<T>(b) + W<T>(c));
  }
};
struct MadHi {
  template <typename T>
  static T of(T a, T b, T c) {
    return Add::of(MulHi::of(a, b), c);
  }
};
struct MadWide {
  template <typename T>
  static Double<T> of(T a, T b, Double<T> c) {
    return Add::of(Double<T>(a) * Double<T>(b), c);
  }
};
struct Div {
  template <typename T>
  static T of(T a, T b) {
    if (b == 0) // the ISA leaves the result open
      return T(-1);
    if constexpr (std::is_signed_v<T>)
      if (b == -1)
        return Sub::of(T(0), a);
    return T(a / b);
  }
};
struct Rem {
  template <typename T>
  static T of(T a, T b) {
    if (b == 0)
      return a;
    if constexpr (std::is_signed_v<T>)
      if (b == -1)
        return 0;
    return T(a % b);
  }
};
struct Min {
  template <typename T>
  static T of(T a, T b) {
    return b < a ? b : a;
  }
};
struct Max {
  template <typename T>
  static T of(T a, T b) {
    return a < b ? b : a;
  }
};
struct Abs {
  template <typename T>
  static T of(T a) {
    return a < 0 ? Sub::of(T(0), a) : a;
  }
};
struct Neg {
  template <typename T>
  static T of(T a) {
    return Sub::of(T(0), a);
  }
};
/// The sum of four products of bytes, each signed or not.
template <typename A, typename B>
struct Dp4a {
  static uint32_t of(uint32_t a, uint32_t b, uint32_t c) {
    for (int k = 0; k < 4; ++k)
      c += uint32_t(int32_t(A(a >> 8 * k)) * int32_t(B(b >> 8 * k)));
    return c;
  }
};

/// Operations that exist for floats too are decoded there.
bool isFloat(Decoder &d) {
  for (const char *t : {"f16", "f16x2", "bf16", "bf16x2", "f32", "f64"})
    if (d.has(t))
      return true;
  return false;
}

template <typename Op>
void two(Decoder &d) {
  Type t = d.takeType();
  d.operands(2, t.bits);
  d.inst.run = integers<Binary, Op>(d, t);
}

template <typename Op>
void twoOrFloat(Decoder &d) {
  if (isFloat(d))
    return decodeFloat(d, d.source->words[0]);
  two<Op>(d);
}

template <typename Op>
void one(Decoder &d) {
  if (isFloat(d))
    return decodeFloat(d, d.source->words[0]);
  Type t = d.takeType();
  d.operands(1, t.bits);
  d.inst.run = integers<Unary, Op>(d, t);
}

/// Which part of a product: .lo, .hi or .wide.
int takePart(Decoder &d) {
  int part = d.takeOneOf({"lo", "hi", "wide"});
  if (part < 0)
    d.fail("expected .lo, .hi or .wide");
  return part;
}

void decodeMul(Decoder &d) {
  if (isFloat(d))
    return decodeFloat(d, "mul");
  int part = takePart(d);
  Type t = d.takeType();
  if (part < 2) {
    d.operands(2, t.bits);
    d.inst.run = part == 0 ? integers<Binary, MulLo>(d, t)
                           : integers<Binary, MulHi>(d, t);
    return;
  }
  d.inst.d = d.write(0, 2 * t.bits);
  d.inst.a = d.read(1, t.bits);
  d.inst.b = d.read(2, t.bits);
  d.inst.run = wide(d, t, [](auto v) -> Handler {
    using T = decltype(v);
    return binary<MulWide, Double<T>, T>;
  });
}

void decodeMad(Decoder &d) {
  if (isFloat(d))
    return decodeFloat(d, "fma");
  int part = takePart(d);
  Type t = d.takeType();
  if (part < 2) {
    d.operands(3, t.bits);
    d.inst.run = part == 0 ? integers<Ternary, MadLo>(d, t)
                           : integers<Ternary, MadHi>(d, t);
    return;
  }
  d.inst.d = d.write(0, 2 * t.bits);
  d.inst.a = d.read(1, t.bits);
  d.inst.b = d.read(2, t.bits);
  d.inst.c = d.read(3, 2 * t.bits);
  d.inst.run = wide(d, t, [](auto v) -> Handler {
    using T = decltype(v);
    return ternary<MadWide, Double<T>, T, T, Double<T>>;
  });
}

void decodeDiv(Decoder &d) {
  if (isFloat(d))
    return decodeFloat(d, "div");
  two<Div>(d);
}

void decodeDp4a(Decoder &d) {
  Type a = d.takeType();
  Type b = d.takeType();
  if (a.bits != 32 || b.bits != 32 || !a.isInteger() || !b.isInteger())
    d.unsupported("dp4a of other types than .s32 and .u32");
  d.operands(3, 32);
  bool sa = a.kind == Type::Signed, sb = b.kind == Type::Signed;
  d.inst.run = sa   ? sb ? ternary<Dp4a<int8_t, int8_t>, uint32_t, uint32_t>
                         : ternary<Dp4a<int8_t, uint8_t>, uint32_t, uint32_t>
               : sb ? ternary<Dp4a<uint8_t, int8_t>, uint32_t, uint32_t>
                    : ternary<Dp4a<uint8_t, uint8_t>, uint32_t, uint32_t>;
}

} // namespace

void addInteger(DecodeTable &table) {
  table["add"] = twoOrFloat<Add>;
  table["sub"] = twoOrFloat<Sub>;
  table["mul"] = decodeMul;
  table["mad"] = decodeMad;
  table["div"] = decodeDiv;
  table["rem"] = two<Rem>;
  table["min"] = twoOrFloat<Min>;
  table["max"] = twoOrFloat<Max>;
  table["abs"] = one<Abs>;
  table["neg"] = one<Neg>;
  table["dp4a"] = decodeDp4a;
}

} // namespace helios::emu
