//===- Atomics.cpp - atom, red, memory fences -===//
//
// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "emulator/Lanes.h"
#include "emulator/Numbers.h"
#include <cmath>
#include <mutex>

namespace helios::emu {

uint64_t reduceElement(Type t, int op, uint64_t a, uint64_t b);

namespace {

enum Op { Add, Min, Max, And, Or, Xor, Exch, Cas, Inc, Dec };

/// Atomic operations of blocks on different threads of the host.
std::mutex &lockFor(uint64_t address) {
  static std::mutex locks[64];
  return locks[address / 16 % 64];
}

struct Shape {
  Type type;
  Op op;
  bool wide, returns;
  uint8_t place; ///< 0 global, 1 shared, 2 generic
};

Shape shapeOf(const Inst &i) {
  Shape s{};
  s.op = Op(i.aux & 15);
  s.wide = i.aux >> 4 & 1;
  s.returns = i.aux >> 5 & 1;
  s.place = i.aux >> 6 & 3;
  s.type.kind = Type::Kind(i.aux >> 8 & 15);
  s.type.lanes = i.aux >> 12 & 1 ? 2 : 1;
  s.type.bits = i.aux >> 13 == 2 ? 64 : i.aux >> 13 == 1 ? 32 : 16;
  return s;
}

uint64_t get(Warp &w, uint32_t slot, uint32_t bits, unsigned l) {
  return bits == 64   ? w.at<uint64_t>(slot)[l]
         : bits == 32 ? w.at<uint32_t>(slot)[l]
                      : w.at<uint16_t>(slot)[l];
}

Step atomic(Warp &w, const Inst &i, Mask m) {
  Shape s = shapeOf(i);
  uint32_t bytes = s.type.bits / 8;
  // Lanes come in any order.
  uint32_t turn = w.cluster->adversary ? uint32_t(w.cluster->draw() % 32) : 0;
  for (uint32_t k = 0; k < kLanes; ++k) {
    unsigned l = (k + turn) % kLanes;
    if (!(m >> l & 1))
      continue;
    uint64_t address = s.wide ? w.at<uint64_t>(i.a)[l] + uint64_t(i.imm)
                              : uint32_t(w.at<uint32_t>(i.a)[l] + i.imm);
    uint8_t *p = nullptr;
    bool shared = s.place == 1 ||
                  (s.place == 2 && (address & kWindowMask) == kSharedWindow);
    if (shared) {
      SharedPlace at;
      if (!sharedPlace(w, i, l, address & ~kWindowMask, bytes, bytes, at))
        return Step::Stop;
      p = at.block->sharedAt(at.address);
      if (w.sanitizes())
        noteShared(w, i, l, at, bytes, Access::Atomic);
    } else {
      p = globalPlace(w, i, l, address, bytes, bytes, Access::Atomic);
      if (!p)
        return Step::Stop;
      if (w.sanitizes())
        noteGlobal(w, i, l, address, bytes, Access::Atomic);
    }
    std::lock_guard<std::mutex> lock(lockFor(uint64_t(p)));
    uint64_t old = 0, operand = get(w, i.b, s.type.bits, l), now;
    std::memcpy(&old, p, bytes);
    if (s.op == Cas)
      now = old == operand ? get(w, i.c, s.type.bits, l) : old;
    else
      now = reduceElement(s.type, s.op, old, operand);
    std::memcpy(p, &now, bytes);
    if (s.returns) {
      if (bytes == 8)
        w.at<uint64_t>(i.d)[l] = old;
      else if (bytes == 4)
        w.at<uint32_t>(i.d)[l] = uint32_t(old);
      else
        w.at<uint16_t>(i.d)[l] = uint16_t(old);
    }
  }
  ++w.cluster->events;
  return Step::Next;
}

void decodeAtomic(Decoder &d, bool returns) {
  d.takeOneOf({"relaxed", "acquire", "release", "acq_rel"});
  d.takeOneOf({"cta", "gpu", "sys", "cluster"});
  d.take("noftz");
  while (!d.takePrefix("L2::").empty())
    ;
  std::string space = d.takeSpace();
  int op = d.takeOneOf(
      {"add", "min", "max", "and", "or", "xor", "exch", "cas", "inc", "dec"});
  if (op < 0)
    d.fail("expected an operation such as .add");
  Type t = d.takeType();
  if (t.bits < 16)
    d.unsupported("atomics of 8 bits");
  bool wide = true;
  size_t at = returns ? 1 : 0;
  if (returns)
    d.inst.d = d.write(0, t.bits);
  d.inst.a = d.address(d.operand(at), wide, d.inst.imm);
  d.inst.b = d.read(at + 1, t.bits);
  if (op == Cas)
    d.inst.c = d.read(at + 2, t.bits);
  uint32_t place = space == "global" ? 0 : space == "generic" ? 2 : 1;
  if (space == "local" || space == "param" || space == "const")
    d.fail("atomics are for global and shared memory");
  uint32_t size = t.bits == 64 ? 2 : t.bits == 32 ? 1 : 0;
  d.inst.aux = uint16_t(
      uint32_t(op) | uint32_t(wide) << 4 | uint32_t(returns) << 5 | place << 6 |
      uint32_t(t.kind) << 8 | (t.lanes == 2 ? 1u : 0) << 12 | size << 13);
  d.inst.run = atomic;
}

void decodeAtom(Decoder &d) { decodeAtomic(d, true); }
void decodeRed(Decoder &d) {
  if (d.take("async"))
    return d.unsupported("'.async'");
  decodeAtomic(d, false);
}

/// Memory of the host is ordered more strictly than any fence asks for.
Step fence(Warp &w, const Inst &, Mask m) {
  w.block->acquired = true;
  (void)m;
  return Step::Next;
}
Step fenceBlock(Warp &, const Inst &, Mask) { return Step::Next; }
/// What was initialised before is seen by copies and, through a relaxed arrival
/// at the cluster's barrier, by the cluster.
Step fenceInit(Warp &w, const Inst &, Mask m) {
  w.initialized = w.release(m);
  w.initialized.fenced.join(w.initialized.seen);
  Knowledge fenced;
  fenced.fenced = w.initialized.fenced;
  w.acquire(m, fenced);
  return Step::Next;
}
Step fenceProxy(Warp &w, const Inst &, Mask m) {
  w.proxyFence(m);
  return Step::Next;
}

void decodeFence(Decoder &d) {
  if (d.take("mbarrier_init")) {
    d.take("release");
    d.take("cluster");
    d.inst.run = fenceInit;
    return;
  }
  if (d.take("proxy")) {
    if (d.take("async") || d.take("async::generic")) {
      d.take("global");
      d.take("shared::cta");
      d.take("shared::cluster");
      d.take("acquire");
      d.take("release");
      d.take("cluster");
      d.take("sync_restrict::shared::cta");
      d.take("sync_restrict::shared::cluster");
      d.inst.run = fenceProxy;
      return;
    }
    if (d.take("tensormap::generic")) {
      d.takeOneOf({"acquire", "release"});
      d.takeOneOf({"cta", "cluster", "gpu", "sys"});
      if (d.numOperands() > 0) {
        bool wide;
        int64_t imm;
        d.address(d.operand(0), wide, imm);
      }
      d.inst.run = fenceBlock;
      return;
    }
    if (!d.take("alias"))
      d.unsupported("this proxy");
    d.inst.run = fenceBlock;
    return;
  }
  d.takeOneOf({"sc", "acq_rel", "acquire", "release"});
  int scope = d.takeOneOf({"cta", "cluster", "gpu", "sys"});
  d.inst.run = scope >= 2 ? fence : fenceBlock;
}

void decodeMembar(Decoder &d) {
  int scope = d.takeOneOf({"cta", "gl", "sys"});
  if (scope < 0)
    d.fail("expected .cta, .gl or .sys");
  d.inst.run = scope > 0 ? fence : fenceBlock;
}

} // namespace

uint64_t reduceElement(Type t, int op, uint64_t a, uint64_t b) {
  if (t.lanes == 2) {
    Type one{t.kind, t.bits / 2};
    return reduceElement(one, op, a & 0xffff, b & 0xffff) |
           reduceElement(one, op, a >> 16 & 0xffff, b >> 16 & 0xffff) << 16;
  }
  if (t.kind == Type::Float || t.kind == Type::Brain) {
    auto load = [&](uint64_t v) -> double {
      return t.bits == 64 ? bitsOf<double>(v)
             : t.bits == 32
                 ? double(bitsOf<float>(uint32_t(v)))
                 : valueOf(t.kind == Type::Brain ? kBF16 : kF16, uint32_t(v));
    };
    if (op == Exch)
      return b;
    double x = load(a), y = load(b), r;
    if (op == Add)
      r = t.bits == 64 ? x + y : addToOdd(x, y);
    else
      r = std::isnan(x)            ? y
          : std::isnan(y)          ? x
          : (x < y) == (op == Min) ? x
                                   : y;
    if (t.bits == 64)
      return bitsOf<uint64_t>(r);
    if (t.bits == 32)
      return std::isnan(r) ? kNanF32 : bitsOf<uint32_t>(float(r));
    return roundTo(t.kind == Type::Brain ? kBF16 : kF16, r, Rounding::Nearest);
  }
  uint64_t mask = t.bits == 64 ? ~uint64_t(0) : (uint64_t(1) << t.bits) - 1;
  bool less = a < b;
  if (t.kind == Type::Signed)
    less = int64_t(a << (64 - t.bits)) < int64_t(b << (64 - t.bits));
  switch (op) {
  case Add:
    return (a + b) & mask;
  case Min:
    return less ? a : b;
  case Max:
    return less ? b : a;
  case And:
    return a & b;
  case Or:
    return a | b;
  case Xor:
    return a ^ b;
  case Inc:
    return a >= b ? 0 : a + 1;
  case Dec:
    return a == 0 || a > b ? b : a - 1;
  default:
    return b;
  }
}

void addAtomics(DecodeTable &table) {
  table["atom"] = decodeAtom;
  table["red"] = decodeRed;
  table["fence"] = decodeFence;
  table["membar"] = decodeMembar;
}

} // namespace helios::emu
