//===- Moves.cpp - mov, selp, cvta, and values that need no arithmetic -===//
//
// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "emulator/Lanes.h"

namespace helios::emu {

namespace {

struct Same {
  template <typename T>
  static T of(T a) {
    return a;
  }
};

Step movePredicate(Warp &w, const Inst &i, Mask m) {
  Mask &d = w.predicate(i.d);
  d = (d & ~m) | (w.predicate(i.a) & m);
  return Step::Next;
}

/// {parts} -> d, the first in the low bits.
template <typename D, typename P>
Step pack(Warp &w, const Inst &i, Mask m) {
  const uint32_t *slots = w.grid->code->pool.data() + i.pool;
  D *d = w.at<D>(i.d);
  D out[kLanes] = {};
  for (uint32_t k = 0; k < i.count; ++k) {
    const P *p = w.at<P>(slots[k]);
    for (unsigned l = 0; l < kLanes; ++l)
      out[l] |= D(p[l]) << 8 * sizeof(P) * k;
  }
  forLanes(d, m, [&](unsigned l) { return out[l]; });
  return Step::Next;
}

template <typename D, typename P>
Step unpack(Warp &w, const Inst &i, Mask m) {
  const uint32_t *slots = w.grid->code->pool.data() + i.pool;
  D in[kLanes];
  const D *a = w.at<D>(i.a);
  for (unsigned l = 0; l < kLanes; ++l)
    in[l] = a[l];
  for (uint32_t k = 0; k < i.count; ++k)
    forLanes(w.at<P>(slots[k]), m,
             [&](unsigned l) { return P(in[l] >> 8 * sizeof(P) * k); });
  return Step::Next;
}

template <typename T>
Step select(Warp &w, const Inst &i, Mask m) {
  const T *a = w.at<T>(i.a), *b = w.at<T>(i.b);
  Mask p = w.predicate(i.c);
  forLanes(w.at<T>(i.d), m,
           [=](unsigned l) { return p >> l & 1 ? a[l] : b[l]; });
  return Step::Next;
}

void decodeMove(Decoder &d) {
  Type t = d.takeType();
  using Kind = ptx::Operand::Kind;
  const ptx::Operand &to = d.operand(0), &from = d.operand(1);
  if (to.kind == Kind::Vector || from.kind == Kind::Vector) {
    bool packs = from.kind == Kind::Vector;
    const auto &parts = packs ? from.parts : to.parts;
    uint32_t n = uint32_t(parts.size()), bits = t.bits / std::max(n, 1u);
    if (n * bits != t.bits || (bits != 16 && bits != 32))
      d.unsupported("a vector of " + std::to_string(n) + " elements in " +
                    std::to_string(t.bits) + " bits");
    for (const ptx::Operand &p : parts)
      d.push(packs ? d.read(p, bits) : d.write(p, bits));
    (packs ? d.inst.d : d.inst.a) =
        packs ? d.write(to, t.bits) : d.read(from, t.bits);
    if (t.bits == 32)
      d.inst.run =
          packs ? pack<uint32_t, uint16_t> : unpack<uint32_t, uint16_t>;
    else if (bits == 16)
      d.inst.run =
          packs ? pack<uint64_t, uint16_t> : unpack<uint64_t, uint16_t>;
    else
      d.inst.run =
          packs ? pack<uint64_t, uint32_t> : unpack<uint64_t, uint32_t>;
    return;
  }
  d.inst.moves = true;
  d.inst.d = d.write(0, t.bits);
  d.inst.a = t.bits == 1 ? d.readPredicate(1) : d.read(1, t.bits);
  d.inst.run = t.bits == 1    ? movePredicate
               : t.bits == 16 ? unary<Same, uint16_t, uint16_t>
               : t.bits == 32 ? unary<Same, uint32_t, uint32_t>
                              : unary<Same, uint64_t, uint64_t>;
  if (from.kind == Kind::Register)
    return;
  d.inst.moves = false;
}

void decodeSelect(Decoder &d) {
  Type t = d.takeType();
  d.inst.d = d.write(0, t.bits);
  d.inst.a = d.read(1, t.bits);
  d.inst.b = d.read(2, t.bits);
  d.inst.c = d.readPredicate(3);
  d.inst.run = t.bits == 16   ? select<uint16_t>
               : t.bits == 32 ? select<uint32_t>
                              : select<uint64_t>;
}

struct AddWindow {
  static Step run(Warp &w, const Inst &i, Mask m) {
    const uint64_t *a = w.at<uint64_t>(i.a);
    uint64_t window = uint64_t(i.imm);
    forLanes(w.at<uint64_t>(i.d), m, [=](unsigned l) { return a[l] | window; });
    return Step::Next;
  }
};
struct DropWindow {
  static Step run(Warp &w, const Inst &i, Mask m) {
    const uint64_t *a = w.at<uint64_t>(i.a);
    uint64_t window = uint64_t(i.imm);
    forLanes(w.at<uint64_t>(i.d), m, [=](unsigned l) {
      return (a[l] & kWindowMask) == window ? a[l] & ~kWindowMask : a[l];
    });
    return Step::Next;
  }
};

/// Between a space's addresses and generic ones. Local addresses carry their
/// window always.
void decodeCvta(Decoder &d) {
  bool to = d.take("to");
  std::string space = d.takeSpace();
  Type t = d.takeType();
  if (t.bits != 64)
    d.unsupported("addresses of " + std::to_string(t.bits) + " bits");
  d.inst.d = d.write(0, 64);
  d.inst.a = d.read(1, 64);
  uint64_t window = space.compare(0, 6, "shared") == 0 ? kSharedWindow
                    : space == "param"                 ? kParamWindow
                                                       : 0;
  d.inst.imm = int64_t(window);
  d.inst.run = !window ? unary<Same, uint64_t, uint64_t>
               : to    ? DropWindow::run
                       : AddWindow::run;
}

/// The address of the same place in another block of the cluster.
template <typename T>
Step mapAddress(Warp &w, const Inst &i, Mask m) {
  const T *a = w.at<T>(i.a);
  const uint32_t *rank = w.at<uint32_t>(i.b);
  bool generic = i.aux;
  forLanes(w.at<T>(i.d), m, [=](unsigned l) {
    uint64_t window = generic ? kSharedWindow : 0;
    return T(window | uint64_t(rank[l] + 1) << 24 |
             (uint64_t(a[l]) & 0xffffff));
  });
  return Step::Next;
}

void decodeMapa(Decoder &d) {
  if (!d.needs(90, "mapa"))
    return;
  bool shared = d.take("shared::cluster");
  Type t = d.takeType();
  d.inst.aux = !shared;
  d.inst.d = d.write(0, t.bits);
  d.inst.a = d.read(1, t.bits);
  d.inst.b = d.read(2, 32);
  d.inst.run = t.bits == 64 ? mapAddress<uint64_t> : mapAddress<uint32_t>;
}

template <typename T>
Step rankOf(Warp &w, const Inst &i, Mask m) {
  const T *a = w.at<T>(i.a);
  uint32_t own = w.block->rank;
  forLanes(w.at<uint32_t>(i.d), m, [=](unsigned l) {
    uint32_t rank = uint32_t(a[l] >> 24 & 0xff);
    return rank ? rank - 1 : own;
  });
  return Step::Next;
}

void decodeGetCtaRank(Decoder &d) {
  if (!d.needs(90, "getctarank"))
    return;
  d.take("shared::cluster");
  Type t = d.takeType();
  d.inst.d = d.write(0, 32);
  d.inst.a = d.read(1, t.bits);
  d.inst.run = t.bits == 64 ? rankOf<uint64_t> : rankOf<uint32_t>;
}

/// Whether a generic address lies in a window.
Step isSpace(Warp &w, const Inst &i, Mask m) {
  const uint64_t *a = w.at<uint64_t>(i.a);
  Mask &d = w.predicate(i.d);
  eachLane(m, [&](unsigned l) {
    uint64_t window = a[l] & kWindowMask;
    bool known = window == kSharedWindow || window == kLocalWindow ||
                 window == kParamWindow;
    bool is = i.imm ? window == uint64_t(i.imm) : !known;
    d = is ? d | 1u << l : d & ~(1u << l);
  });
  return Step::Next;
}

void decodeIsSpace(Decoder &d) {
  std::string space = d.takeSpace();
  d.inst.d = d.writePredicate(d.operand(0));
  d.inst.a = d.read(1, 64);
  d.inst.imm = int64_t(space == "global"                    ? 0
                       : space.compare(0, 6, "shared") == 0 ? kSharedWindow
                       : space == "local"                   ? kLocalWindow
                                                            : kParamWindow);
  d.inst.run = isSpace;
}

} // namespace

void addMoves(DecodeTable &table) {
  table["mov"] = decodeMove;
  table["selp"] = decodeSelect;
  table["cvta"] = decodeCvta;
  table["mapa"] = decodeMapa;
  table["getctarank"] = decodeGetCtaRank;
  table["isspacep"] = decodeIsSpace;
}

} // namespace helios::emu
