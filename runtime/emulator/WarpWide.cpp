//===- WarpWide.cpp - shfl, vote, redux, match, elect -===//
//
// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "emulator/Lanes.h"

namespace helios::emu {

namespace {

/// The lanes that a membermask names must be here: they are waited for.
bool checkMembers(Warp &w, const Inst &i, Mask m, Mask members) {
  if ((members & w.lanes) == m && (m & ~members) == 0)
    return true;
  w.report(Finding::Kind::Convergence, i, m,
           "its mask names lanes " + hex(members) + ", lanes " + hex(m) +
               " execute it");
  return false;
}

enum ShuffleMode { Up, Down, Bfly, Idx };

template <int mode>
Step shuffle(Warp &w, const Inst &i, Mask m) {
  const uint32_t *pool = w.grid->code->pool.data() + i.pool;
  Mask members = w.at<uint32_t>(pool[0])[__builtin_ctz(m)];
  checkMembers(w, i, m, members);
  const uint32_t *a = w.at<uint32_t>(i.a), *b = w.at<uint32_t>(i.b),
                 *c = w.at<uint32_t>(i.c);
  uint32_t r[kLanes];
  Mask inside = 0;
  for (uint32_t l = 0; l < kLanes; ++l) {
    uint32_t by = b[l] & 31, clamp = c[l] & 31, segment = c[l] >> 8 & 31;
    uint32_t most = (l & segment) | (clamp & ~segment), least = l & segment;
    uint32_t from = l;
    bool ok = true;
    if (mode == Up) {
      ok = int(l) - int(by) >= int(most);
      from = l - by;
    } else if (mode == Down) {
      from = l + by;
      ok = from <= most;
    } else if (mode == Bfly) {
      from = l ^ by;
      ok = from <= most;
    } else {
      from = least | (by & ~segment);
      ok = from <= most;
    }
    if (!ok)
      from = l;
    inside |= Mask(ok) << l;
    r[l] = a[from];
    if ((m >> l & 1) && !(m >> from & 1) && w.sanitizes())
      w.report(Finding::Kind::Convergence, i, 1u << l,
               "it reads lane " + std::to_string(from) +
                   ", which does not execute it");
  }
  forLanes(w.at<uint32_t>(i.d), m, [&](unsigned l) { return r[l]; });
  if (i.aux) {
    Mask &p = w.predicate(pool[1]);
    p = (p & ~m) | (inside & m);
  }
  return Step::Next;
}

void decodeShuffle(Decoder &d) {
  if (!d.take("sync"))
    d.unsupported("shfl without .sync");
  int mode = d.takeOneOf({"up", "down", "bfly", "idx"});
  if (mode < 0)
    d.fail("expected .up, .down, .bfly or .idx");
  d.takeType();
  const ptx::Operand &to = d.operand(0);
  bool pair = to.kind == ptx::Operand::Kind::Pair;
  d.inst.d = d.write(pair ? to.parts[0] : to, 32);
  d.inst.a = d.read(1, 32);
  d.inst.b = d.read(2, 32);
  d.inst.c = d.read(3, 32);
  d.push(d.read(4, 32));
  if (pair) {
    d.inst.aux = 1;
    d.push(d.writePredicate(to.parts[1]));
  }
  d.inst.run = mode == Up     ? shuffle<Up>
               : mode == Down ? shuffle<Down>
               : mode == Bfly ? shuffle<Bfly>
                              : shuffle<Idx>;
}

enum VoteMode { All, Any, Uni, Ballot };
template <int mode>
Step vote(Warp &w, const Inst &i, Mask m) {
  checkMembers(w, i, m, w.at<uint32_t>(i.b)[__builtin_ctz(m)]);
  Mask p = w.predicate(i.a);
  p = (i.aux ? ~p : p) & m;
  if (mode == Ballot) {
    forLanes(w.at<uint32_t>(i.d), m, [=](unsigned) { return p; });
    return Step::Next;
  }
  bool r = mode == All ? p == m : mode == Any ? p != 0 : p == m || p == 0;
  Mask &d = w.predicate(i.d);
  d = r ? d | m : d & ~m;
  return Step::Next;
}

void decodeVote(Decoder &d) {
  if (!d.take("sync"))
    d.unsupported("vote without .sync");
  int mode = d.takeOneOf({"all", "any", "uni", "ballot"});
  if (mode < 0)
    d.fail("expected .all, .any, .uni or .ballot");
  d.takeType();
  d.inst.d = mode == Ballot ? d.write(0, 32) : d.writePredicate(d.operand(0));
  d.inst.a = d.readPredicate(1);
  d.inst.aux = d.operand(1).negated;
  d.inst.b = d.read(2, 32);
  d.inst.run = mode == All   ? vote<All>
               : mode == Any ? vote<Any>
               : mode == Uni ? vote<Uni>
                             : vote<Ballot>;
}

Step activeMask(Warp &w, const Inst &i, Mask m) {
  forLanes(w.at<uint32_t>(i.d), m, [=](unsigned) { return m; });
  return Step::Next;
}
void decodeActiveMask(Decoder &d) {
  d.takeType();
  d.inst.d = d.write(0, 32);
  d.inst.run = activeMask;
}

enum ReduceMode { RAdd, RMin, RMax, RAnd, ROr, RXor };
template <int mode, typename T>
Step reduce(Warp &w, const Inst &i, Mask m) {
  checkMembers(w, i, m, w.at<uint32_t>(i.b)[__builtin_ctz(m)]);
  const T *a = w.at<T>(i.a);
  T r = a[__builtin_ctz(m)];
  eachLane(m & (m - 1), [&](unsigned l) {
    T v = a[l];
    r = mode == RAdd   ? T(uint32_t(r) + uint32_t(v))
        : mode == RMin ? (v < r ? v : r)
        : mode == RMax ? (v > r ? v : r)
        : mode == RAnd ? r & v
        : mode == ROr  ? r | v
                       : r ^ v;
  });
  forLanes(w.at<T>(i.d), m, [=](unsigned) { return r; });
  return Step::Next;
}

void decodeRedux(Decoder &d) {
  if (!d.needs(80, "redux"))
    return;
  d.take("sync");
  int mode = d.takeOneOf({"add", "min", "max", "and", "or", "xor"});
  if (mode < 0)
    d.fail("expected an operation such as .add");
  Type t = d.takeType();
  if (t.bits != 32 || !t.isInteger())
    d.unsupported("redux of other types than integers of 32 bits");
  d.inst.d = d.write(0, 32);
  d.inst.a = d.read(1, 32);
  d.inst.b = d.read(2, 32);
  bool s = t.kind == Type::Signed;
  d.inst.run =
      mode == RAdd   ? reduce<RAdd, uint32_t>
      : mode == RMin ? s ? reduce<RMin, int32_t> : reduce<RMin, uint32_t>
      : mode == RMax ? s ? reduce<RMax, int32_t> : reduce<RMax, uint32_t>
      : mode == RAnd ? reduce<RAnd, uint32_t>
      : mode == ROr  ? reduce<ROr, uint32_t>
                     : reduce<RXor, uint32_t>;
}

/// The leader is the lowest lane of the mask.
Step elect(Warp &w, const Inst &i, Mask m) {
  Mask members = w.at<uint32_t>(i.a)[__builtin_ctz(m)];
  checkMembers(w, i, m, members);
  uint32_t leader = uint32_t(__builtin_ctz(m));
  forLanes(w.at<uint32_t>(i.d), m, [=](unsigned) { return leader; });
  Mask &p = w.predicate(i.b);
  p = (p & ~m) | 1u << leader;
  return Step::Next;
}
void decodeElect(Decoder &d) {
  if (!d.needs(90, "elect"))
    return;
  d.take("sync");
  const ptx::Operand &to = d.operand(0);
  if (to.kind != ptx::Operand::Kind::Pair)
    return d.fail("expected a register, '|' and a predicate");
  d.inst.d = d.write(to.parts[0], 32);
  d.inst.b = d.writePredicate(to.parts[1]);
  d.inst.a = d.read(1, 32);
  d.inst.run = elect;
}

template <typename T, bool all>
Step matchLanes(Warp &w, const Inst &i, Mask m) {
  checkMembers(w, i, m, w.at<uint32_t>(i.b)[__builtin_ctz(m)]);
  const T *a = w.at<T>(i.a);
  Mask r[kLanes] = {};
  bool same = true;
  eachLane(m, [&](unsigned l) {
    eachLane(m, [&](unsigned k) { r[l] |= Mask(a[k] == a[l]) << k; });
    same &= r[l] == m;
  });
  forLanes(w.at<uint32_t>(i.d), m,
           [&](unsigned l) { return all ? (same ? m : 0) : r[l]; });
  if (i.aux) {
    Mask &p = w.predicate(i.c);
    p = same ? p | m : p & ~m;
  }
  return Step::Next;
}
void decodeMatch(Decoder &d) {
  bool all = d.take("all");
  if (!all && !d.take("any"))
    d.fail("expected .all or .any");
  d.take("sync");
  Type t = d.takeType();
  const ptx::Operand &to = d.operand(0);
  bool pair = to.kind == ptx::Operand::Kind::Pair;
  d.inst.d = d.write(pair ? to.parts[0] : to, 32);
  if (pair) {
    d.inst.aux = 1;
    d.inst.c = d.writePredicate(to.parts[1]);
  }
  d.inst.a = d.read(1, t.bits);
  d.inst.b = d.read(2, 32);
  d.inst.run = t.bits == 64 ? all ? matchLanes<uint64_t, true>
                                  : matchLanes<uint64_t, false>
               : all        ? matchLanes<uint32_t, true>
                            : matchLanes<uint32_t, false>;
}

} // namespace

void addWarp(DecodeTable &table) {
  table["shfl"] = decodeShuffle;
  table["vote"] = decodeVote;
  table["activemask"] = decodeActiveMask;
  table["redux"] = decodeRedux;
  table["elect"] = decodeElect;
  table["match"] = decodeMatch;
}

} // namespace helios::emu
