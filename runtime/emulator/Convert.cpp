//===- Convert.cpp - cvt -===//
//
// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "emulator/Lanes.h"
#include "emulator/Numbers.h"
#include <cmath>

namespace helios::emu {

namespace {

/// A conversion, in Inst::imm.
struct Plan {
  Type::Kind from, to;
  uint8_t fromBits, toBits;
  uint8_t fromRegister, toRegister; ///< bits; registers may be wider
  Rounding rounding : 3;
  uint8_t toInteger : 1, ftz : 1, sat : 1, relu : 1, finite : 1;
};
static_assert(sizeof(Plan) <= 8, "a plan fits Inst::imm");
Plan planOf(const Inst &i) {
  Plan p;
  std::memcpy(&p, &i.imm, sizeof(p));
  return p;
}

bool isNumber(Type::Kind k) {
  return k == Type::Unsigned || k == Type::Signed || k == Type::Bits;
}

uint64_t loadLane(const Warp &w, uint32_t slot, uint32_t bits, unsigned l) {
  const uint8_t *p = w.slots + slot;
  switch (bits) {
  case 16:
    return reinterpret_cast<const uint16_t *>(p)[l];
  case 32:
    return reinterpret_cast<const uint32_t *>(p)[l];
  default:
    return reinterpret_cast<const uint64_t *>(p)[l];
  }
}
void storeLane(Warp &w, uint32_t slot, uint32_t bits, unsigned l, uint64_t v) {
  uint8_t *p = w.slots + slot;
  if (bits == 16)
    reinterpret_cast<uint16_t *>(p)[l] = uint16_t(v);
  else if (bits == 32)
    reinterpret_cast<uint32_t *>(p)[l] = uint32_t(v);
  else
    reinterpret_cast<uint64_t *>(p)[l] = v;
}

const Format &formatOf(Type::Kind k, uint32_t bits) {
  static const Format f64{11, 52};
  switch (k) {
  case Type::Brain:
    return kBF16;
  case Type::E4m3:
    return kE4m3;
  case Type::E5m2:
    return kE5m2;
  case Type::Tf32:
    return kTf32;
  default:
    return bits == 16 ? kF16 : bits == 32 ? kF32 : f64;
  }
}

double decodeFloatBits(Type::Kind k, uint32_t bits, uint64_t v) {
  if (k == Type::Float && bits == 64)
    return bitsOf<double>(v);
  if (k == Type::Float && bits == 32)
    return bitsOf<float>(uint32_t(v));
  return valueOf(formatOf(k, bits), uint32_t(v));
}

double roundInteger(double v, Rounding r) {
  switch (r) {
  case Rounding::Nearest:
    return std::nearbyint(v);
  case Rounding::Down:
    return std::floor(v);
  case Rounding::Up:
    return std::ceil(v);
  default:
    return std::trunc(v);
  }
}

uint64_t toIntegerBits(double v, bool isSigned, uint32_t bits) {
  if (std::isnan(v))
    return 0;
  if (isSigned) {
    double high = std::ldexp(1.0, int(bits) - 1);
    if (v >= high)
      return (uint64_t(1) << (bits - 1)) - 1;
    if (v < -high)
      return uint64_t(int64_t(-1) << (bits - 1));
    return uint64_t(int64_t(v));
  }
  if (v <= 0)
    return 0;
  if (v >= std::ldexp(1.0, int(bits)))
    return bits == 64 ? ~uint64_t(0) : (uint64_t(1) << bits) - 1;
  return uint64_t(v);
}

/// One element, from the low bits to the low bits.
uint64_t convertOne(const Plan &p, uint64_t v) {
  uint64_t fromMask =
      p.fromBits == 64 ? ~uint64_t(0) : (uint64_t(1) << p.fromBits) - 1;
  v &= fromMask;
  bool fromSigned = p.from == Type::Signed, toSigned = p.to == Type::Signed;
  if (isNumber(p.from)) {
    __int128 n = v;
    if (fromSigned && v >> (p.fromBits - 1) & 1)
      n = __int128(v) - (__int128(1) << p.fromBits);
    if (isNumber(p.to)) {
      if (p.sat) {
        __int128 low = toSigned ? -(__int128(1) << (p.toBits - 1)) : 0;
        __int128 high =
            (__int128(1) << (toSigned ? p.toBits - 1 : p.toBits)) - 1;
        n = n < low ? low : n > high ? high : n;
      }
      return uint64_t(n);
    }
    if (p.to == Type::Float && p.toBits == 64)
      return bitsOf<uint64_t>(double(n)); // to nearest
    return roundTo(formatOf(p.to, p.toBits), (long double)n, p.rounding);
  }
  double x = decodeFloatBits(p.from, p.fromBits, v);
  // Between f32 and f64 a NaN keeps its sign and its upper bits.
  if (std::isnan(x) && p.to == Type::Float && p.from == Type::Float &&
      p.toBits >= 32 && p.fromBits >= 32 && p.toBits != p.fromBits && !p.sat)
    return p.toBits == 64
               ? v >> 31 << 63 | uint64_t(0xfff) << 51 | (v & 0x3fffff) << 29
               : v >> 63 << 31 | 0x7fc00000 | (v >> 29 & 0x3fffff);
  if (p.ftz && p.from == Type::Float && p.fromBits == 32 &&
      std::fabs(x) < 0x1p-126)
    x = std::copysign(0.0, x);
  if (isNumber(p.to))
    return toIntegerBits(roundInteger(x, p.rounding), toSigned, p.toBits);
  if (p.toInteger)
    x = roundInteger(x, p.rounding);
  if (p.relu)
    x = x > 0 ? x : std::isnan(x) ? x : 0;
  if (p.sat)
    x = x > 1 ? 1 : x > 0 ? x : 0;
  if (p.to == Type::Float && p.toBits == 64)
    return std::isnan(x) ? 0x7fffffffffffffff : bitsOf<uint64_t>(x);
  uint64_t bits =
      roundTo(formatOf(p.to, p.toBits), x,
              p.toInteger ? Rounding::Nearest : p.rounding, p.finite);
  if (p.to == Type::Tf32) // the upper bits of an f32
    bits <<= 13;
  if (p.ftz && p.to == Type::Float && p.toBits == 32 &&
      (bits & 0x7f800000) == 0)
    bits &= 0x80000000;
  return bits;
}

Step convert(Warp &w, const Inst &i, Mask m) {
  Plan p = planOf(i);
  eachLane(m, [&](unsigned l) {
    uint64_t v = convertOne(p, loadLane(w, i.a, p.fromRegister, l));
    // A register that is wider holds the integer extended by its sign.
    if (p.toRegister > p.toBits) {
      uint64_t low = (uint64_t(1) << p.toBits) - 1;
      bool negative = p.to == Type::Signed && v >> (p.toBits - 1) & 1;
      v = negative ? v | ~low : v & low;
    }
    storeLane(w, i.d, p.toRegister, l, v);
  });
  return Step::Next;
}

/// Two elements from two registers: the first operand is the upper half.
Step convertPair(Warp &w, const Inst &i, Mask m) {
  Plan p = planOf(i);
  eachLane(m, [&](unsigned l) {
    uint64_t high = convertOne(p, w.at<uint32_t>(i.a)[l]);
    uint64_t low = convertOne(p, w.at<uint32_t>(i.b)[l]);
    storeLane(w, i.d, p.toRegister, l, high << p.toBits | low);
  });
  return Step::Next;
}

/// Two elements of one register to two of another (fp8 and halves).
Step convertBoth(Warp &w, const Inst &i, Mask m) {
  Plan p = planOf(i);
  eachLane(m, [&](unsigned l) {
    uint64_t v = loadLane(w, i.a, p.fromRegister, l);
    storeLane(w, i.d, p.toRegister, l,
              convertOne(p, v >> p.fromBits) << p.toBits | convertOne(p, v));
  });
  return Step::Next;
}

// What kernels do all the time.
struct HalfUp {
  static float of(uint16_t h) {
    float f = halfToFloat(h);
    return f == f ? f : bitsOf<float>(kNanF32);
  }
};
// The same bits with zeros below, in NaN too.
struct BrainUp {
  static uint32_t of(uint16_t h) { return uint32_t(h) << 16; }
};
struct HalfDown {
  static uint16_t of(float f) { return floatToHalf(f); }
};
struct BrainDown {
  static uint16_t of(float f) { return floatToBrain(f); }
};
struct HalfPair {
  static uint32_t of(float a, float b) {
    return uint32_t(floatToHalf(a)) << 16 | floatToHalf(b);
  }
};
struct BrainPair {
  static uint32_t of(float a, float b) {
    return uint32_t(floatToBrain(a)) << 16 | floatToBrain(b);
  }
};
template <typename To>
struct Widen {
  template <typename T>
  static To of(T v) {
    return To(v);
  }
};

Handler fast(const Plan &p) {
  if (p.toInteger || p.ftz || p.sat || p.relu || p.finite ||
      p.rounding != Rounding::Nearest || p.fromRegister != p.fromBits ||
      p.toRegister != p.toBits)
    return nullptr;
  auto is = [&](Type::Kind from, int fb, Type::Kind to, int tb) {
    return p.from == from && p.fromBits == fb && p.to == to && p.toBits == tb;
  };
  if (is(Type::Float, 16, Type::Float, 32))
    return unary<HalfUp, float, uint16_t>;
  if (is(Type::Brain, 16, Type::Float, 32))
    return unary<BrainUp, uint32_t, uint16_t>;
  if (is(Type::Float, 32, Type::Float, 16))
    return unary<HalfDown, uint16_t, float>;
  if (is(Type::Float, 32, Type::Brain, 16))
    return unary<BrainDown, uint16_t, float>;
  if (p.fromBits == 32 && p.toBits == 64 && p.from == Type::Unsigned &&
      isNumber(p.to))
    return unary<Widen<uint64_t>, uint64_t, uint32_t>;
  if (p.fromBits == 32 && p.toBits == 64 && p.from == Type::Signed &&
      isNumber(p.to))
    return unary<Widen<int64_t>, int64_t, int32_t>;
  if (p.fromBits == 64 && p.toBits == 32 && isNumber(p.from) && isNumber(p.to))
    return unary<Widen<uint32_t>, uint32_t, uint64_t>;
  return nullptr;
}

void decodeConvert(Decoder &d) {
  Plan p{};
  bool hasRounding = true;
  int r = d.takeOneOf({"rn", "rz", "rm", "rp", "rna"});
  if (r >= 0) {
    p.rounding = Rounding(r);
  } else {
    static const Rounding order[] = {Rounding::Nearest, Rounding::Zero,
                                     Rounding::Down, Rounding::Up};
    r = d.takeOneOf({"rni", "rzi", "rmi", "rpi"});
    p.toInteger = r >= 0;
    hasRounding = r >= 0;
    p.rounding = r >= 0 ? order[r] : Rounding::Nearest;
  }
  p.ftz = d.take("ftz");
  p.finite = d.take("satfinite");
  p.sat = d.take("sat");
  p.relu = d.take("relu");
  Type to = d.takeType();
  Type from = d.takeType();
  if (isNumber(to.kind) && !isNumber(from.kind) && !hasRounding)
    d.fail("expected a rounding such as .rzi");
  p.to = to.kind;
  p.from = from.kind;
  p.toBits = uint8_t(to.bits / to.lanes);
  p.fromBits = uint8_t(from.bits / from.lanes);
  uint32_t fromRegister = 0, toRegister = 0;
  if (to.lanes == 2 && from.lanes == 1) {
    d.inst.d = d.write(0, to.bits);
    d.inst.a = d.read(1, 32);
    d.inst.b = d.read(2, 32);
    if (!from.is(Type::Float, 32))
      return d.unsupported("a pair of other types than .f32");
    p.toRegister = uint8_t(to.bits);
    p.fromRegister = 32;
    bool plain = !p.relu && !p.finite && !p.sat && !p.ftz &&
                 p.rounding == Rounding::Nearest;
    d.inst.run =
        plain && to.kind == Type::Float   ? binary<HalfPair, uint32_t, float>
        : plain && to.kind == Type::Brain ? binary<BrainPair, uint32_t, float>
                                          : convertPair;
  } else if (to.lanes == 2) {
    d.inst.d = d.write(0, to.bits);
    d.inst.a = d.read(1, from.bits);
    p.toRegister = uint8_t(to.bits);
    p.fromRegister = uint8_t(from.bits);
    d.inst.run = convertBoth;
  } else {
    d.inst.d =
        d.writeWide(d.operand(0), to.bits == 8 ? 16 : to.bits, toRegister);
    d.inst.a =
        d.readWide(d.operand(1), from.bits == 8 ? 16 : from.bits, fromRegister);
    p.toRegister = uint8_t(toRegister);
    p.fromRegister = uint8_t(fromRegister);
    d.inst.run = fast(p);
    if (!d.inst.run)
      d.inst.run = convert;
  }
  std::memcpy(&d.inst.imm, &p, sizeof(p));
}

} // namespace

void addConvert(DecodeTable &table) { table["cvt"] = decodeConvert; }

} // namespace helios::emu
