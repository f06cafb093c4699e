//===- CopyAsync.cpp - cp.async -===//
//
// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A copy may read and write at any time between its issue and the wait for its
// group; until the wait its bytes are nobody's. Groups are counted by lanes.
//
//===----------------------------------------------------------------------===//

#include "emulator/Lanes.h"
#include <cstring>

namespace helios::emu {

void decodeBulkCopy(Decoder &d);

namespace {

void perform(Warp &w, PendingCopy &c) {
  if (c.done)
    return;
  c.done = true;
  uint8_t *to = w.block->sharedAt(c.to);
  std::memcpy(to, reinterpret_cast<const void *>(c.from), c.sourceBytes);
  std::memset(to + c.sourceBytes, 0, c.bytes - c.sourceBytes);
}

} // namespace

size_t landCopies(Warp &w,
                  const std::function<bool(const PendingCopy &)> &which) {
  size_t kept = 0;
  for (size_t k = 0; k < w.copies.size(); ++k) {
    PendingCopy &c = w.copies[k];
    if (!which(c)) {
      w.copies[kept++] = c;
      continue;
    }
    perform(w, c);
    if (w.block->shadow.enabled())
      for (uint32_t b = 0; b < c.bytes; ++b)
        w.block->shadow.writers[c.to - kSharedBase + b] =
            Shadow::pack(w.agent, c.lane, w.epoch);
  }
  size_t landed = w.copies.size() - kept;
  w.copies.resize(kept);
  return landed;
}

void landSomeCopies(Warp &w) {
  size_t n = w.cluster->draw() % w.copies.size();
  for (size_t k = 0; k < 16; ++k)
    perform(w, w.copies[(n + k) % w.copies.size()]);
}

namespace {

/// Operands: destination (d), source (a), source size or none (b); imm holds
/// the offsets, the pool size and kind.
Step copy(Warp &w, const Inst &i, Mask m) {
  const uint32_t *pool = w.grid->code->pool.data() + i.pool;
  uint32_t bytes = pool[0], toOffset = pool[1];
  bool toWide = i.aux & 1, hasSize = i.aux & 2, ignores = i.aux & 4,
       fromWide = i.aux & 8;
  Mask ignored = ignores ? w.predicate(i.c) : 0;
  for (Mask rest = m; rest; rest &= rest - 1) {
    unsigned l = unsigned(__builtin_ctz(rest));
    uint64_t to = (toWide ? w.at<uint64_t>(i.d)[l] : w.at<uint32_t>(i.d)[l]) +
                  int64_t(int32_t(toOffset));
    to = toWide ? to : uint32_t(to);
    if ((to & kWindowMask) == kSharedWindow)
      to &= ~kWindowMask;
    uint64_t from = fromWide ? w.at<uint64_t>(i.a)[l] + uint64_t(i.imm) : 0;
    uint32_t size = hasSize ? w.at<uint32_t>(i.b)[l] : bytes;
    if (ignored >> l & 1)
      size = 0;
    if (size > bytes) {
      w.report(Finding::Kind::Copy, i, 1u << l,
               "it copies " + std::to_string(size) + " of " +
                   std::to_string(bytes) + " bytes");
      size = bytes;
    }
    SharedPlace p;
    if (!sharedPlace(w, i, l, to, bytes, bytes, p))
      return Step::Stop;
    if (p.block != w.block) {
      w.report(Finding::Kind::OutOfBounds, i, 1u << l,
               "cp.async writes its own block's shared memory only");
      return Step::Stop;
    }
    if (size && !globalPlace(w, i, l, from, size, size == bytes ? bytes : 1,
                             Access::Read))
      return Step::Stop;
    if (w.sanitizes()) {
      if (size)
        noteGlobal(w, i, l, from, size, Access::Read);
      noteAsyncWrite(w, i, l, *p.block, p.address, bytes, Shadow::kInFlight, 0);
    }
    PendingCopy c{l, w.copyGroup[l], p.address, bytes, size, from, false, &i};
    if (!w.cluster->adversary || w.cluster->chance(1, 4))
      perform(w, c);
    else
      std::memset(w.block->sharedAt(p.address), 0xcd, bytes);
    w.copies.push_back(c);
  }
  return Step::Next;
}

Step commit(Warp &w, const Inst &, Mask m) {
  eachLane(m, [&](unsigned l) { ++w.copyGroup[l]; });
  return Step::Next;
}

Step wait(Warp &w, const Inst &i, Mask m) {
  // Lanes may have committed different numbers of groups.
  size_t landed = landCopies(w, [&](const PendingCopy &c) {
    return (m >> c.lane & 1) && c.group + uint64_t(i.imm) < w.copyGroup[c.lane];
  });
  w.cluster->uses.copies[i.line] |= landed > 0;
  return Step::Next;
}

Step waitAll(Warp &w, const Inst &i, Mask m) {
  size_t landed = landCopies(
      w, [=](const PendingCopy &c) { return bool(m >> c.lane & 1); });
  w.cluster->uses.copies[i.line] |= landed > 0;
  return Step::Next;
}

/// The lanes' copies arrive on a barrier when they are done: at once here.
Step arriveWithCopies(Warp &w, const Inst &i, Mask m) {
  waitAll(w, i, m);
  for (Mask rest = m; rest; rest &= rest - 1) {
    unsigned l = unsigned(__builtin_ctz(rest));
    uint64_t address = i.aux & 1 ? w.at<uint64_t>(i.a)[l] + uint64_t(i.imm)
                                 : uint32_t(w.at<uint32_t>(i.a)[l] + i.imm);
    SharedPlace p;
    if (!sharedPlace(w, i, l, address & ~kWindowMask, 8, 8, p))
      return Step::Stop;
    Mbarrier *b = p.block->findMbarrier(p.address);
    if (!b) {
      w.report(Finding::Kind::Mbarrier, i, 1u << l,
               "there is no mbarrier at " + hex(p.address));
      return Step::Stop;
    }
    if (!(i.aux & 2))
      ++b->pending; // without .noinc it makes room for its own arrival
    if (!arrive(w, i, 1u << l, *p.block, *b, 1))
      return Step::Stop;
  }
  return Step::Next;
}

void decodeCopyAsync(Decoder &d) {
  if (!d.needs(80, "cp.async"))
    return;
  if (!d.take("async"))
    return d.unsupported("cp without .async");
  if (d.take("bulk"))
    return decodeBulkCopy(d);
  if (d.take("commit_group")) {
    d.inst.run = commit;
    return;
  }
  if (d.take("wait_group")) {
    d.immediate(0, d.inst.imm);
    d.inst.run = wait;
    return;
  }
  if (d.take("wait_all")) {
    d.inst.run = waitAll;
    return;
  }
  bool wide = true;
  if (d.take("mbarrier")) {
    if (!d.take("arrive"))
      d.fail("expected .arrive");
    d.inst.aux |= d.take("noinc") ? 2 : 0;
    d.takeSpace();
    d.take("b64");
    d.inst.a = d.address(d.operand(0), wide, d.inst.imm);
    d.inst.aux |= wide;
    d.inst.run = arriveWithCopies;
    return;
  }
  bool cg = d.take("cg");
  if (!cg && !d.take("ca"))
    d.fail("expected .ca or .cg");
  if (!d.has("global") || (!d.take("shared") && !d.take("shared::cta")))
    d.fail("expected .shared.global");
  d.take("global");
  bool policy = false;
  for (std::string w; !(w = d.takePrefix("L2::")).empty();)
    policy |= w == "L2::cache_hint";
  int64_t toOffset = 0, bytes = 0;
  d.inst.d = d.address(d.operand(0), wide, toOffset);
  d.inst.aux |= wide ? 1 : 0;
  d.inst.a = d.address(d.operand(1), wide, d.inst.imm);
  d.inst.aux |= wide ? 8 : 0;
  d.immediate(2, bytes);
  if (!(bytes == 16 || (!cg && (bytes == 4 || bytes == 8))))
    d.fail("expected a copy of 16 bytes (.ca: also 4 or 8), got " +
           std::to_string(bytes));
  if (d.numOperands() > 3u + policy) {
    const ptx::Operand &o = d.operand(3);
    if (o.kind == ptx::Operand::Kind::Register &&
        d.code.kernel->registers[o.reg].bits == 1) {
      d.inst.c = d.readPredicate(3);
      d.inst.aux |= 4;
    } else {
      d.inst.b = d.read(3, 32);
      d.inst.aux |= 2;
    }
  }
  d.push(uint32_t(bytes));
  d.push(uint32_t(int32_t(toOffset)));
  d.inst.run = copy;
}

} // namespace

void addCopyAsync(DecodeTable &table) { table["cp"] = decodeCopyAsync; }

} // namespace helios::emu
