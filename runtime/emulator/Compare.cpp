//===- Compare.cpp - setp, set -===//
//
// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "emulator/Lanes.h"
#include "emulator/Numbers.h"
#include <cmath>
#include <type_traits>

namespace helios::emu {

namespace {

enum Relation { Eq, Ne, Lt, Le, Gt, Ge, Num, Nan };

/// What is said of numbers that cannot be compared.
template <int relation, bool unordered, typename T>
bool holds(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(a) || std::isnan(b))
      return relation == Nan || (relation != Num && unordered);
  }
  switch (relation) {
  case Eq:
    return a == b;
  case Ne:
    return a != b;
  case Lt:
    return a < b;
  case Le:
    return a <= b;
  case Gt:
    return a > b;
  case Ge:
    return a >= b;
  case Num:
    return true;
  default:
    return false;
  }
}

struct AsIs {
  template <typename T>
  static T of(T v) {
    return v;
  }
};
struct Flushed {
  static float of(float v) {
    return std::fabs(v) < 0x1p-126f ? std::copysign(0.0f, v) : v;
  }
};
struct FromF16 {
  static float of(uint16_t v) { return halfToFloat(v); }
};
struct FromBF16 {
  static float of(uint16_t v) { return brainToFloat(v); }
};

// aux: how a third predicate is combined (1 and, 2 or, 3 xor), 4: negated.
enum : uint16_t { kAnd = 1, kOr = 2, kXor = 3, kNegated = 4, kSecond = 8 };

template <int relation, bool unordered, typename T, typename Load>
Step compare(Warp &w, const Inst &i, Mask m) {
  const T *a = w.at<T>(i.a), *b = w.at<T>(i.b);
  Mask r = 0;
  for (unsigned l = 0; l < kLanes; ++l)
    r |= Mask(holds<relation, unordered>(Load::of(a[l]), Load::of(b[l]))) << l;
  Mask other = ~r;
  if (i.aux & 3) {
    Mask c = w.predicate(i.c);
    c = i.aux & kNegated ? ~c : c;
    auto combine = [&](Mask x) {
      return (i.aux & 3) == kAnd ? x & c : (i.aux & 3) == kOr ? x | c : x ^ c;
    };
    r = combine(r);
    other = combine(other);
  }
  Mask &d = w.predicate(i.d);
  d = (d & ~m) | (r & m);
  if (i.aux & kSecond) {
    Mask &e = w.predicate(w.grid->code->pool[i.pool]);
    e = (e & ~m) | (other & m);
  }
  return Step::Next;
}

template <typename T, typename Load, bool unordered>
Handler pickRelation(int relation) {
  switch (relation) {
  case Eq:
    return compare<Eq, unordered, T, Load>;
  case Ne:
    return compare<Ne, unordered, T, Load>;
  case Lt:
    return compare<Lt, unordered, T, Load>;
  case Le:
    return compare<Le, unordered, T, Load>;
  case Gt:
    return compare<Gt, unordered, T, Load>;
  case Ge:
    return compare<Ge, unordered, T, Load>;
  case Num:
    return compare<Num, unordered, T, Load>;
  default:
    return compare<Nan, unordered, T, Load>;
  }
}
template <typename T, typename Load>
Handler pickFloat(int relation, bool unordered) {
  return unordered ? pickRelation<T, Load, true>(relation)
                   : pickRelation<T, Load, false>(relation);
}

void decodeSetp(Decoder &d) {
  // Names of relations: of signed and unsigned numbers, with NaN in or out.
  static const struct {
    const char *word;
    int relation;
    bool unordered, isUnsigned;
  } names[] = {{"eq", Eq, false, false},   {"ne", Ne, false, false},
               {"lt", Lt, false, false},   {"le", Le, false, false},
               {"gt", Gt, false, false},   {"ge", Ge, false, false},
               {"lo", Lt, false, true},    {"ls", Le, false, true},
               {"hi", Gt, false, true},    {"hs", Ge, false, true},
               {"equ", Eq, true, false},   {"neu", Ne, true, false},
               {"ltu", Lt, true, false},   {"leu", Le, true, false},
               {"gtu", Gt, true, false},   {"geu", Ge, true, false},
               {"num", Num, false, false}, {"nan", Nan, false, false}};
  int relation = -1;
  bool unordered = false, isUnsigned = false;
  for (const auto &n : names)
    if (relation < 0 && d.take(n.word)) {
      relation = n.relation;
      unordered = n.unordered;
      isUnsigned = n.isUnsigned;
    }
  if (relation < 0)
    return d.fail("expected a relation such as .eq");
  int combine = d.takeOneOf({"and", "or", "xor"});
  bool ftz = d.take("ftz");
  Type t = d.takeType();
  const ptx::Operand &to = d.operand(0);
  if (to.kind == ptx::Operand::Kind::Pair) {
    d.inst.d = d.writePredicate(to.parts[0]);
    d.push(d.writePredicate(to.parts[1]));
    d.inst.aux |= kSecond;
  } else {
    d.inst.d = d.writePredicate(to);
  }
  d.inst.a = d.read(1, t.bits);
  d.inst.b = d.read(2, t.bits);
  if (combine >= 0) {
    d.inst.aux |= uint16_t(combine + 1);
    d.inst.aux |= d.operand(3).negated ? kNegated : 0;
    d.inst.c = d.readPredicate(3);
  }
  bool s = t.kind == Type::Signed && !isUnsigned;
  if (t.is(Type::Float, 32))
    d.inst.run = ftz ? pickFloat<float, Flushed>(relation, unordered)
                     : pickFloat<float, AsIs>(relation, unordered);
  else if (t.is(Type::Float, 64))
    d.inst.run = pickFloat<double, AsIs>(relation, unordered);
  else if (t.is(Type::Float, 16))
    d.inst.run = pickFloat<uint16_t, FromF16>(relation, unordered);
  else if (t.is(Type::Brain, 16))
    d.inst.run = pickFloat<uint16_t, FromBF16>(relation, unordered);
  else if (t.isInteger() && t.bits == 16)
    d.inst.run = s ? pickRelation<int16_t, AsIs, false>(relation)
                   : pickRelation<uint16_t, AsIs, false>(relation);
  else if (t.isInteger() && t.bits == 32)
    d.inst.run = s ? pickRelation<int32_t, AsIs, false>(relation)
                   : pickRelation<uint32_t, AsIs, false>(relation);
  else if (t.isInteger() && t.bits == 64)
    d.inst.run = s ? pickRelation<int64_t, AsIs, false>(relation)
                   : pickRelation<uint64_t, AsIs, false>(relation);
  else
    d.unsupported("comparisons of this type");
}

} // namespace

void addCompare(DecodeTable &table) { table["setp"] = decodeSetp; }

} // namespace helios::emu
