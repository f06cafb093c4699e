//===- Integer.cpp - Integers and bits -===//
//
// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "emulator/Lanes.h"
#include <type_traits>

namespace helios::emu {

namespace {

template <typename T>
using U = std::make_unsigned_t<T>;

// Arithmetic wraps: it is done without sign, in 32 bits at least.
template <typename T>
using W = std::conditional_t<sizeof(T) < 4, uint32_t, U<T>>;

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
struct And {
  template <typename T>
  static T of(T a, T b) {
    return a & b;
  }
};
struct Or {
  template <typename T>
  static T of(T a, T b) {
    return a | b;
  }
};
struct Xor {
  template <typename T>
  static T of(T a, T b) {
    return a ^ b;
  }
};
struct Not {
  template <typename T>
  static T of(T a) {
    return T(~a);
  }
};
struct Cnot {
  template <typename T>
  static T of(T a) {
    return T(a == 0);
  }
};
// Amounts beyond the width count as the width.
struct Shl {
  template <typename T>
  static T of(T a, uint32_t b) {
    return b >= 8 * sizeof(T) ? T(0) : T(a << b);
  }
};
struct Shr {
  template <typename T>
  static T of(T a, uint32_t b) {
    constexpr uint32_t bits = 8 * sizeof(T);
    if (b >= bits)
      return std::is_signed_v<T> && a < 0 ? T(-1) : T(0);
    return T(a >> b);
  }
};
struct FunnelLeft {
  static uint32_t of(uint32_t a, uint32_t b, uint32_t c) {
    return uint32_t((uint64_t(b) << 32 | a) << (c & 31) >> 32);
  }
};
struct FunnelRight {
  static uint32_t of(uint32_t a, uint32_t b, uint32_t c) {
    return uint32_t((uint64_t(b) << 32 | a) >> (c & 31));
  }
};
template <bool left>
struct FunnelClamp {
  static uint32_t of(uint32_t a, uint32_t b, uint32_t c) {
    uint64_t both = uint64_t(b) << 32 | a;
    c = c > 32 ? 32 : c;
    return left ? uint32_t(both >> (32 - c)) : uint32_t(both >> c);
  }
};
struct Popc {
  template <typename T>
  static uint32_t of(T a) {
    return uint32_t(__builtin_popcountll(a));
  }
};
struct Clz {
  template <typename T>
  static uint32_t of(T a) {
    constexpr uint32_t bits = 8 * sizeof(T);
    return a ? uint32_t(__builtin_clzll(a)) - (64 - bits) : bits;
  }
};
struct Brev {
  template <typename T>
  static T of(T a) {
    T r = 0;
    for (unsigned i = 0; i < 8 * sizeof(T); ++i)
      r |= T(a >> i & 1) << (8 * sizeof(T) - 1 - i);
    return r;
  }
};
struct Bfind {
  template <typename T>
  static uint32_t of(T a) {
    U<T> v = std::is_signed_v<T> && a < 0 ? U<T>(~a) : U<T>(a);
    return v ? 63 - uint32_t(__builtin_clzll(v)) : ~0u;
  }
};
struct Bfe {
  template <typename T>
  static T of(T a, uint32_t from, uint32_t length) {
    constexpr uint32_t bits = 8 * sizeof(T);
    from &= 255;
    length &= 255;
    bool negative = false;
    if (std::is_signed_v<T> && length) {
      uint32_t top = from + length - 1;
      negative = U<T>(a) >> (top < bits ? top : bits - 1) & 1;
    }
    U<T> r = negative ? U<T>(~U<T>(0)) : U<T>(0);
    for (uint32_t i = 0; i < length && i < bits; ++i) {
      U<T> bit =
          from + i < bits ? U<T>(U<T>(a) >> (from + i) & 1) : U<T>(negative);
      r = U<T>((r & ~(U<T>(1) << i)) | bit << i);
    }
    return length ? T(r) : T(0);
  }
};
struct Bmsk {
  static uint32_t of(uint32_t from, uint32_t length) {
    return from >= 32     ? 0
           : length >= 32 ? ~0u << from
                          : ((1u << length) - 1) << from;
  }
};

Step insertBits32(Warp &w, const Inst &i, Mask m) {
  const auto *a = w.at<uint32_t>(i.a), *b = w.at<uint32_t>(i.b);
  const auto *c = w.at<uint32_t>(i.c),
             *n = w.at<uint32_t>(w.grid->code->pool[i.pool]);
  forLanes(w.at<uint32_t>(i.d), m, [=](unsigned l) {
    uint32_t from = c[l] & 255, length = n[l] & 255, r = b[l];
    for (uint32_t k = 0; k < length && from + k < 32; ++k)
      r = (r & ~(1u << (from + k))) | (k < 32 ? a[l] >> k & 1 : 0)
                                          << (from + k);
    return r;
  });
  return Step::Next;
}

/// prmt in its default mode: four bytes chosen from eight.
struct Permute {
  static uint32_t of(uint32_t a, uint32_t b, uint32_t c) {
    uint64_t all = uint64_t(b) << 32 | a;
    uint32_t r = 0;
    for (int k = 0; k < 4; ++k) {
      uint32_t s = c >> 4 * k & 15, byte = all >> 8 * (s & 7) & 255;
      if (s & 8)
        byte = byte & 128 ? 255 : 0;
      r |= byte << 8 * k;
    }
    return r;
  }
};
/// Three-input logic: imm is the table.
Step lop3(Warp &w, const Inst &i, Mask m) {
  const auto *a = w.at<uint32_t>(i.a), *b = w.at<uint32_t>(i.b),
             *c = w.at<uint32_t>(i.c);
  uint32_t t = uint32_t(i.imm);
  forLanes(w.at<uint32_t>(i.d), m, [=](unsigned l) {
    uint32_t r = 0;
    for (int k = 0; k < 8; ++k)
      if (t >> k & 1)
        r |= (k & 4 ? a[l] : ~a[l]) & (k & 2 ? b[l] : ~b[l]) &
             (k & 1 ? c[l] : ~c[l]);
    return r;
  });
  return Step::Next;
}
struct Dp4aS {
  static int32_t of(int32_t a, int32_t b, int32_t c) {
    uint32_t sum = uint32_t(c);
    for (int k = 0; k < 4; ++k)
      sum += uint32_t(int32_t(int8_t(a >> 8 * k)) * int8_t(b >> 8 * k));
    return int32_t(sum);
  }
};

enum class PredicateOp { And, Or, Xor, Not, Move };
template <PredicateOp op>
Step predicates(Warp &w, const Inst &i, Mask m) {
  Mask a = w.predicate(i.a), b = w.predicate(i.b), r = 0;
  r = op == PredicateOp::And   ? a & b
      : op == PredicateOp::Or  ? a | b
      : op == PredicateOp::Xor ? a ^ b
      : op == PredicateOp::Not ? ~a
                               : a;
  Mask &d = w.predicate(i.d);
  d = (d & ~m) | (r & m);
  return Step::Next;
}

template <typename Op>
Handler pick2(Decoder &d, Type t) {
  bool s = t.kind == Type::Signed;
  switch (t.bits) {
  case 16:
    return s ? binary<Op, int16_t, int16_t> : binary<Op, uint16_t, uint16_t>;
  case 32:
    return s ? binary<Op, int32_t, int32_t> : binary<Op, uint32_t, uint32_t>;
  case 64:
    return s ? binary<Op, int64_t, int64_t> : binary<Op, uint64_t, uint64_t>;
  }
  d.unsupported("integers of " + std::to_string(t.bits) + " bits");
  return nullptr;
}

template <typename Op>
Handler pick3(Decoder &d, Type t) {
  bool s = t.kind == Type::Signed;
  switch (t.bits) {
  case 16:
    return s ? ternary<Op, int16_t, int16_t> : ternary<Op, uint16_t, uint16_t>;
  case 32:
    return s ? ternary<Op, int32_t, int32_t> : ternary<Op, uint32_t, uint32_t>;
  case 64:
    return s ? ternary<Op, int64_t, int64_t> : ternary<Op, uint64_t, uint64_t>;
  }
  d.unsupported("integers of " + std::to_string(t.bits) + " bits");
  return nullptr;
}

} // namespace

template <typename Op>
static void two(Decoder &d) {
  Type t = d.takeType();
  d.inst.run = pick2<Op>(d, t);
  d.inst.d = d.write(0, t.bits);
  d.inst.a = d.read(1, t.bits);
  d.inst.b = d.read(2, t.bits);
}

/// Operations that exist for floats too are decoded there.
void decodeFloat(Decoder &d, const std::string &op);
static bool isFloat(Decoder &d) {
  for (const char *t : {"f16", "f16x2", "bf16", "bf16x2", "f32", "f64"})
    if (d.has(t))
      return true;
  return false;
}

template <typename Op>
static void twoOrFloat(Decoder &d) {
  if (isFloat(d))
    return decodeFloat(d, d.source->words[0]);
  two<Op>(d);
}

template <PredicateOp predicateOp, typename Op>
static void logic(Decoder &d) {
  Type t = d.takeType();
  if (t.kind == Type::Pred) {
    d.inst.run = predicates<predicateOp>;
    d.inst.d = d.writePredicate(d.operand(0));
    d.inst.a = d.readPredicate(1);
    d.inst.b = d.readPredicate(2);
    return;
  }
  d.inst.run = pick2<Op>(d, t);
  d.inst.d = d.write(0, t.bits);
  d.inst.a = d.read(1, t.bits);
  d.inst.b = d.read(2, t.bits);
}

static void decodeNot(Decoder &d) {
  Type t = d.takeType();
  d.inst.d = d.write(0, t.bits);
  d.inst.a = t.bits == 1 ? d.readPredicate(1) : d.read(1, t.bits);
  d.inst.run = t.bits == 1    ? predicates<PredicateOp::Not>
               : t.bits == 16 ? unary<Not, uint16_t, uint16_t>
               : t.bits == 32 ? unary<Not, uint32_t, uint32_t>
                              : unary<Not, uint64_t, uint64_t>;
}

static void decodeMul(Decoder &d) {
  if (isFloat(d))
    return decodeFloat(d, "mul");
  int part = d.takeOneOf({"lo", "hi", "wide"});
  Type t = d.takeType();
  bool s = t.kind == Type::Signed;
  if (part < 0)
    d.fail("expected .lo, .hi or .wide");
  d.inst.d = d.write(0, part == 2 ? 2 * t.bits : t.bits);
  d.inst.a = d.read(1, t.bits);
  d.inst.b = d.read(2, t.bits);
  if (part == 0)
    d.inst.run = pick2<MulLo>(d, t);
  else if (part == 1)
    d.inst.run = pick2<MulHi>(d, t);
  else if (t.bits == 16)
    d.inst.run = s ? binary<MulWide, int32_t, int16_t>
                   : binary<MulWide, uint32_t, uint16_t>;
  else if (t.bits == 32)
    d.inst.run = s ? binary<MulWide, int64_t, int32_t>
                   : binary<MulWide, uint64_t, uint32_t>;
  else
    d.unsupported("products wider than 64 bits");
}

static void decodeMad(Decoder &d) {
  if (isFloat(d))
    return decodeFloat(d, "fma");
  int part = d.takeOneOf({"lo", "hi", "wide"});
  Type t = d.takeType();
  bool s = t.kind == Type::Signed;
  if (part < 0)
    d.fail("expected .lo, .hi or .wide");
  uint32_t wide = part == 2 ? 2 * t.bits : t.bits;
  d.inst.d = d.write(0, wide);
  d.inst.a = d.read(1, t.bits);
  d.inst.b = d.read(2, t.bits);
  d.inst.c = d.read(3, wide);
  if (part == 0)
    d.inst.run = pick3<MadLo>(d, t);
  else if (part == 1)
    d.inst.run = pick3<MadHi>(d, t);
  else if (t.bits == 16)
    d.inst.run = s ? ternary<MadWide, int32_t, int16_t, int16_t, int32_t>
                   : ternary<MadWide, uint32_t, uint16_t, uint16_t, uint32_t>;
  else if (t.bits == 32)
    d.inst.run = s ? ternary<MadWide, int64_t, int32_t, int32_t, int64_t>
                   : ternary<MadWide, uint64_t, uint32_t, uint32_t, uint64_t>;
  else
    d.unsupported("products wider than 64 bits");
}

static void decodeDiv(Decoder &d) {
  if (isFloat(d))
    return decodeFloat(d, "div");
  two<Div>(d);
}

template <typename Op>
static void shift(Decoder &d) {
  Type t = d.takeType();
  bool s = t.kind == Type::Signed;
  d.inst.d = d.write(0, t.bits);
  d.inst.a = d.read(1, t.bits);
  d.inst.b = d.read(2, 32);
  d.inst.run = t.bits == 16   ? s ? binary<Op, int16_t, int16_t, uint32_t>
                                  : binary<Op, uint16_t, uint16_t, uint32_t>
               : t.bits == 32 ? s ? binary<Op, int32_t, int32_t, uint32_t>
                                  : binary<Op, uint32_t, uint32_t, uint32_t>
               : s            ? binary<Op, int64_t, int64_t, uint32_t>
                              : binary<Op, uint64_t, uint64_t, uint32_t>;
}

template <typename Op>
static void oneSigned(Decoder &d) {
  if (isFloat(d))
    return decodeFloat(d, d.source->words[0]);
  Type t = d.takeType();
  d.inst.d = d.write(0, t.bits);
  d.inst.a = d.read(1, t.bits);
  d.inst.run = t.bits == 16   ? unary<Op, int16_t, int16_t>
               : t.bits == 32 ? unary<Op, int32_t, int32_t>
                              : unary<Op, int64_t, int64_t>;
}

/// popc, clz: a count of 32 bits.
template <typename Op>
static void counts(Decoder &d) {
  Type t = d.takeType();
  d.inst.d = d.write(0, 32);
  d.inst.a = d.read(1, t.bits);
  d.inst.run = t.bits == 32 ? unary<Op, uint32_t, uint32_t>
                            : unary<Op, uint32_t, uint64_t>;
}

static void decodeBfind(Decoder &d) {
  Type t = d.takeType();
  bool s = t.kind == Type::Signed;
  d.inst.d = d.write(0, 32);
  d.inst.a = d.read(1, t.bits);
  d.inst.run = t.bits == 32 ? s ? unary<Bfind, uint32_t, int32_t>
                                : unary<Bfind, uint32_t, uint32_t>
               : s          ? unary<Bfind, uint32_t, int64_t>
                            : unary<Bfind, uint32_t, uint64_t>;
}

static void decodeBrev(Decoder &d) {
  Type t = d.takeType();
  d.inst.d = d.write(0, t.bits);
  d.inst.a = d.read(1, t.bits);
  d.inst.run = t.bits == 32 ? unary<Brev, uint32_t, uint32_t>
                            : unary<Brev, uint64_t, uint64_t>;
}

static void decodeCnot(Decoder &d) {
  Type t = d.takeType();
  d.inst.d = d.write(0, t.bits);
  d.inst.a = d.read(1, t.bits);
  d.inst.run = t.bits == 16   ? unary<Cnot, uint16_t, uint16_t>
               : t.bits == 32 ? unary<Cnot, uint32_t, uint32_t>
                              : unary<Cnot, uint64_t, uint64_t>;
}

static void decodeBfe(Decoder &d) {
  Type t = d.takeType();
  bool s = t.kind == Type::Signed;
  d.inst.d = d.write(0, t.bits);
  d.inst.a = d.read(1, t.bits);
  d.inst.b = d.read(2, 32);
  d.inst.c = d.read(3, 32);
  d.inst.run = t.bits == 32
                   ? s ? ternary<Bfe, int32_t, int32_t, uint32_t, uint32_t>
                       : ternary<Bfe, uint32_t, uint32_t, uint32_t, uint32_t>
               : s ? ternary<Bfe, int64_t, int64_t, uint32_t, uint32_t>
                   : ternary<Bfe, uint64_t, uint64_t, uint32_t, uint32_t>;
}

static void decodeBfi(Decoder &d) {
  Type t = d.takeType();
  if (t.bits != 32)
    d.unsupported("bfi of 64 bits");
  d.inst.d = d.write(0, 32);
  d.inst.a = d.read(1, 32);
  d.inst.b = d.read(2, 32);
  d.inst.c = d.read(3, 32);
  d.push(d.read(4, 32));
  d.inst.run = insertBits32;
}

static void three32(Decoder &d, Handler run) {
  d.takeType();
  d.inst.d = d.write(0, 32);
  d.inst.a = d.read(1, 32);
  d.inst.b = d.read(2, 32);
  d.inst.c = d.read(3, 32);
  d.inst.run = run;
}

static void decodeShf(Decoder &d) {
  bool left = d.take("l");
  if (!left && !d.take("r"))
    d.fail("expected .l or .r");
  bool clamp = d.take("clamp");
  if (!clamp && !d.take("wrap"))
    d.fail("expected .clamp or .wrap");
  three32(d, clamp  ? left ? ternary<FunnelClamp<true>, uint32_t, uint32_t>
                           : ternary<FunnelClamp<false>, uint32_t, uint32_t>
             : left ? ternary<FunnelLeft, uint32_t, uint32_t>
                    : ternary<FunnelRight, uint32_t, uint32_t>);
}

static void decodePrmt(Decoder &d) {
  three32(d, ternary<Permute, uint32_t, uint32_t>);
}

static void decodeLop3(Decoder &d) {
  three32(d, lop3);
  d.immediate(4, d.inst.imm);
}

static void decodeDp4a(Decoder &d) {
  Type a = d.takeType();
  Type b = d.takeType();
  if (!a.is(Type::Signed, 32) || !b.is(Type::Signed, 32))
    d.unsupported("dp4a of other types than .s32.s32");
  d.inst.d = d.write(0, 32);
  d.inst.a = d.read(1, 32);
  d.inst.b = d.read(2, 32);
  d.inst.c = d.read(3, 32);
  d.inst.run = ternary<Dp4aS, int32_t, int32_t>;
}

static void decodeBmsk(Decoder &d) {
  d.take("clamp");
  d.takeType();
  d.inst.d = d.write(0, 32);
  d.inst.a = d.read(1, 32);
  d.inst.b = d.read(2, 32);
  d.inst.run = binary<Bmsk, uint32_t, uint32_t>;
}

void addInteger(DecodeTable &table) {
  table["add"] = twoOrFloat<Add>;
  table["sub"] = twoOrFloat<Sub>;
  table["mul"] = decodeMul;
  table["mad"] = decodeMad;
  table["div"] = decodeDiv;
  table["rem"] = two<Rem>;
  table["min"] = twoOrFloat<Min>;
  table["max"] = twoOrFloat<Max>;
  table["abs"] = oneSigned<Abs>;
  table["neg"] = oneSigned<Neg>;
  table["and"] = logic<PredicateOp::And, And>;
  table["or"] = logic<PredicateOp::Or, Or>;
  table["xor"] = logic<PredicateOp::Xor, Xor>;
  table["not"] = decodeNot;
  table["cnot"] = decodeCnot;
  table["shl"] = shift<Shl>;
  table["shr"] = shift<Shr>;
  table["shf"] = decodeShf;
  table["popc"] = counts<Popc>;
  table["clz"] = counts<Clz>;
  table["brev"] = decodeBrev;
  table["bfind"] = decodeBfind;
  table["bfe"] = decodeBfe;
  table["bfi"] = decodeBfi;
  table["bmsk"] = decodeBmsk;
  table["prmt"] = decodePrmt;
  table["lop3"] = decodeLop3;
  table["dp4a"] = decodeDp4a;
}

} // namespace helios::emu
