//===- Bits.cpp - Logic, shifts, fields and counts of bits -===//
//
// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "emulator/Integers.h"

namespace helios::emu {

namespace {

template <typename T>
using U = std::make_unsigned_t<T>;

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
    return uint32_t(__builtin_popcountll(U<T>(a)));
  }
};
struct Clz {
  template <typename T>
  static uint32_t of(T a) {
    constexpr uint32_t bits = 8 * sizeof(T);
    return a ? uint32_t(__builtin_clzll(U<T>(a))) - (64 - bits) : bits;
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

template <PredicateOp predicateOp, typename Op>
void logic(Decoder &d) {
  Type t = d.takeType();
  if (t.kind == Type::Pred) {
    d.inst.run = predicates<predicateOp>;
    d.inst.d = d.writePredicate(d.operand(0));
    d.inst.a = d.readPredicate(1);
    d.inst.b = d.readPredicate(2);
    return;
  }
  d.operands(2, t.bits);
  d.inst.run = integers<Binary, Op>(d, t);
}

void decodeNot(Decoder &d) {
  Type t = d.takeType();
  if (t.kind == Type::Pred) {
    d.inst.run = predicates<PredicateOp::Not>;
    d.inst.d = d.write(0, 1);
    d.inst.a = d.readPredicate(1);
    return;
  }
  d.operands(1, t.bits);
  d.inst.run = integers<Unary, Not>(d, t);
}

/// One operand; `Form` says how wide the result is.
template <template <typename, typename> class Form, typename Op>
void one(Decoder &d) {
  Type t = d.takeType();
  bool counts = std::is_same_v<Form<Op, uint64_t>, Count<Op, uint64_t>>;
  d.inst.d = d.write(0, counts ? 32 : t.bits);
  d.inst.a = d.read(1, t.bits);
  d.inst.run = integers<Form, Op>(d, t);
}

template <typename Op>
void shift(Decoder &d) {
  Type t = d.takeType();
  d.inst.d = d.write(0, t.bits);
  d.inst.a = d.read(1, t.bits);
  d.inst.b = d.read(2, 32);
  d.inst.run = integers<Shift, Op>(d, t);
}

void decodeBfe(Decoder &d) {
  Type t = d.takeType();
  d.inst.d = d.write(0, t.bits);
  d.inst.a = d.read(1, t.bits);
  d.inst.b = d.read(2, 32);
  d.inst.c = d.read(3, 32);
  d.inst.run = integers<Field, Bfe>(d, t);
}

void decodeBfi(Decoder &d) {
  Type t = d.takeType();
  if (t.bits != 32)
    d.unsupported("bfi of 64 bits");
  d.operands(3, 32);
  d.push(d.read(4, 32));
  d.inst.run = insertBits32;
}

void three32(Decoder &d, Handler run) {
  d.takeType();
  d.operands(3, 32);
  d.inst.run = run;
}

void decodeShf(Decoder &d) {
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

void decodePrmt(Decoder &d) {
  three32(d, ternary<Permute, uint32_t, uint32_t>);
}

void decodeLop3(Decoder &d) {
  three32(d, lop3);
  d.immediate(4, d.inst.imm);
}

void decodeBmsk(Decoder &d) {
  d.take("clamp");
  d.takeType();
  d.operands(2, 32);
  d.inst.run = binary<Bmsk, uint32_t, uint32_t>;
}

} // namespace

void addBits(DecodeTable &table) {
  table["and"] = logic<PredicateOp::And, And>;
  table["or"] = logic<PredicateOp::Or, Or>;
  table["xor"] = logic<PredicateOp::Xor, Xor>;
  table["not"] = decodeNot;
  table["cnot"] = one<Unary, Cnot>;
  table["shl"] = shift<Shl>;
  table["shr"] = shift<Shr>;
  table["shf"] = decodeShf;
  table["popc"] = one<Count, Popc>;
  table["clz"] = one<Count, Clz>;
  table["brev"] = one<Unary, Brev>;
  table["bfind"] = one<Count, Bfind>;
  table["bfe"] = decodeBfe;
  table["bfi"] = decodeBfi;
  table["bmsk"] = decodeBmsk;
  table["prmt"] = decodePrmt;
  table["lop3"] = decodeLop3;
}

} // namespace helios::emu
