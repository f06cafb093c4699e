//===- Mbarrier.cpp - Barriers in memory -===//
//
// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The eight bytes of a barrier are opaque; its state is kept beside them. A
// phase is complete when no arrival and no byte is missing.
//
//===----------------------------------------------------------------------===//

#include "emulator/Lanes.h"

namespace helios::emu {

namespace {

void completeIfDone(Block &b, Mbarrier &m) {
  if (m.pending || m.transactions)
    return;
  m.completed.join(m.gathering);
  m.gathering.clear();
  m.unawaited.merge(m.arrivals);
  m.arrivals.clear();
  // What copies wrote in this phase is known to those who see it complete.
  if (m.copies) {
    m.completed.seen.know(m.agent, m.phase + 1);
    m.completed.fenced.know(m.agent, m.phase + 1);
    m.copies = false;
  }
  ++m.phase;
  m.pending = m.expected;
  ++b.cluster->events;
}

uint64_t addressOf(Warp &w, const Inst &i, unsigned l) {
  uint64_t a = i.aux & 1 ? w.at<uint64_t>(i.a)[l] + uint64_t(i.imm)
                         : uint32_t(w.at<uint32_t>(i.a)[l] + i.imm);
  return (a & kWindowMask) == kSharedWindow ? a & ~kWindowMask : a;
}

Mbarrier *barrierAt(Warp &w, const Inst &i, unsigned l, SharedPlace &p) {
  if (!sharedPlace(w, i, l, addressOf(w, i, l), 8, 8, p))
    return nullptr;
  Mbarrier *m = p.block->findMbarrier(p.address);
  if (!m) {
    w.report(Finding::Kind::Mbarrier, i, 1u << l,
             "there is no mbarrier at " + hex(p.address) +
                 " (mbarrier.init has not been executed)");
    w.grid->stop = true;
    return nullptr;
  }
  if (w.sanitizes() && p.block->shadow.enabled()) {
    // Its initialisation has to be known, as any write has.
    uint32_t id = m->writer;
    if (id &&
        !w.covers(l, Shadow::agent(id), Shadow::epoch(id), Shadow::lane(id)))
      w.report(Finding::Kind::Race, i, 1u << l,
               "nothing orders the initialisation of the mbarrier at " +
                   hex(p.address) + " (line " + std::to_string(m->line) +
                   ") before this");
  }
  return m;
}

Step init(Warp &w, const Inst &i, Mask m) {
  for (Mask rest = m; rest; rest &= rest - 1) {
    unsigned l = unsigned(__builtin_ctz(rest));
    SharedPlace p;
    if (!sharedPlace(w, i, l, addressOf(w, i, l), 8, 8, p))
      return Step::Stop;
    uint32_t count = w.at<uint32_t>(i.b)[l];
    if (p.block != w.block || p.block->findMbarrier(p.address) || count == 0 ||
        count >= 1u << 20) {
      w.report(Finding::Kind::Mbarrier, i, 1u << l,
               p.block != w.block ? "it is in another block's shared memory"
               : count == 0 || count >= 1u << 20
                   ? "expected a count from 1 to 2^20 - 1, got " +
                         std::to_string(count)
                   : "the mbarrier at " + hex(p.address) +
                         " is initialised a second time");
      w.grid->stop = true;
      return Step::Stop;
    }
    if (w.sanitizes())
      noteShared(w, i, l, p, 8, Access::Write);
    Mbarrier *b = nullptr;
    for (Mbarrier &old : p.block->mbarriers)
      if (old.address == p.address)
        b = &old;
    if (!b) {
      p.block->mbarriers.emplace_back();
      b = &p.block->mbarriers.back();
      b->address = p.address;
      b->agent = w.cluster->newAgent(
          "a bulk copy for the mbarrier at " + hex(p.address) + " of block " +
          std::to_string(p.block->id) + ", for which nobody has waited");
    } else if (b->phase & 1) {
      ++b->phase; // phases begin anew; the clock's epochs do not
    }
    b->valid = true;
    b->expected = b->pending = count;
    b->transactions = 0;
    b->line = i.line;
    b->writer = Shadow::pack(w.agent, l, w.epoch);
  }
  ++w.cluster->events;
  return Step::Next;
}

Step invalidate(Warp &w, const Inst &i, Mask m) {
  for (Mask rest = m; rest; rest &= rest - 1) {
    unsigned l = unsigned(__builtin_ctz(rest));
    SharedPlace p;
    Mbarrier *b = barrierAt(w, i, l, p);
    if (!b)
      return Step::Stop;
    b->valid = false;
  }
  return Step::Next;
}

/// aux: 1 wide address, 2 expects bytes (operand b), 4 counts arrivals by b,
/// 8 arrives, 16 publishes nothing (.relaxed), 32 gives a state, 64 drops.
Step arriveOn(Warp &w, const Inst &i, Mask m) {
  for (Mask rest = m; rest; rest &= rest - 1) {
    unsigned l = unsigned(__builtin_ctz(rest));
    SharedPlace p;
    Mbarrier *b = barrierAt(w, i, l, p);
    if (!b)
      return Step::Stop;
    if (i.aux & 32)
      w.at<uint64_t>(i.d)[l] = b->phase;
    if (i.aux & 2)
      b->transactions += int64_t(w.at<uint32_t>(i.b)[l]);
    if (b->transactions >= 1 << 20) {
      w.report(Finding::Kind::Mbarrier, i, 1u << l,
               "the mbarrier at " + hex(p.address) + " expects " +
                   std::to_string(b->transactions) +
                   " bytes; it counts to 2^20 - 1");
      w.grid->stop = true;
      return Step::Stop;
    }
    uint32_t count = i.aux & 4 ? w.at<uint32_t>(i.b)[l] : 1;
    if (i.aux & 64)
      b->expected -= std::min(b->expected, count);
    if (i.aux & 8) {
      if (!arrive(w, i, 1u << l, *p.block, *b, count))
        return Step::Stop;
    } else {
      completeIfDone(*p.block, *b);
    }
  }
  ++w.cluster->events;
  return Step::Next;
}

/// aux: 1 wide, 2 parity (b holds it), 4 may suspend, else b holds a state.
Step testWait(Warp &w, const Inst &i, Mask m) {
  Mask &d = w.predicate(i.d);
  Mask complete = 0;
  for (Mask rest = m; rest; rest &= rest - 1) {
    unsigned l = unsigned(__builtin_ctz(rest));
    SharedPlace p;
    Mbarrier *b = barrierAt(w, i, l, p);
    if (!b)
      return Step::Stop;
    if (p.block != w.block) {
      w.report(Finding::Kind::Mbarrier, i, 1u << l,
               "only a block's own mbarriers can be waited for");
      w.grid->stop = true;
      return Step::Stop;
    }
    uint64_t wanted =
        i.aux & 2 ? w.at<uint32_t>(i.b)[l] : w.at<uint64_t>(i.b)[l] & 1;
    if (wanted > 1) {
      w.report(Finding::Kind::Mbarrier, i, 1u << l,
               "expected a parity of 0 or 1, got " + std::to_string(wanted));
      w.grid->stop = true;
      return Step::Stop;
    }
    if ((b->phase & 1) == wanted) {
      w.spinsOn = p.address;
      w.spinParity = uint32_t(wanted);
      continue;
    }
    complete |= 1u << l;
  }
  // A wait may give up before its time, for all lanes that execute it alike.
  if (complete && (i.aux & 4) && w.cluster->chance(1, 16)) {
    d &= ~m;
    return Step::Yield;
  }
  d = (d & ~m) | complete;
  if (w.sanitizes() && complete) {
    // Lanes wait for one barrier as a rule: all learn at once what it knows.
    for (Mask rest = complete; rest;) {
      unsigned l = unsigned(__builtin_ctz(rest));
      uint64_t address = addressOf(w, i, l);
      Mask same = 0;
      eachLane(rest, [&](unsigned k) {
        same |= Mask(addressOf(w, i, k) == address) << k;
      });
      SharedPlace p;
      if (Mbarrier *b = barrierAt(w, i, l, p); b && !(i.aux & 16)) {
        bool &used = w.cluster->uses.phases[i.line];
        used = used || !w.knows(same, b->completed);
        for (uint32_t line : b->unawaited)
          w.cluster->uses.arrivals[line] = true;
        b->unawaited.clear();
        w.acquire(same, b->completed);
      }
      rest &= ~same;
    }
  }
  if (complete == m)
    return Step::Next;
  w.spinsAt = w.stack.back().pc;
  return Step::Yield;
}

Step pendingCount(Warp &w, const Inst &i, Mask m) {
  forLanes(w.at<uint32_t>(i.d), m, [](unsigned) { return 0u; });
  (void)i;
  return Step::Next;
}

void decodeMbarrier(Decoder &d) {
  if (!d.needs(80, "mbarrier"))
    return;
  bool wide = true;
  auto address = [&](size_t n) {
    d.inst.a = d.address(d.operand(n), wide, d.inst.imm);
    d.inst.aux |= wide ? 1 : 0;
  };
  if (d.take("init")) {
    d.takeSpace();
    d.take("b64");
    address(0);
    d.inst.b = d.read(1, 32);
    d.inst.run = init;
    return;
  }
  if (d.take("inval")) {
    d.takeSpace();
    d.take("b64");
    address(0);
    d.inst.run = invalidate;
    return;
  }
  if (d.take("pending_count"))
    return d.unsupported("mbarrier.pending_count");
  (void)pendingCount;
  bool isTry = d.take("try_wait");
  if (isTry || d.take("test_wait")) {
    d.inst.aux |= isTry ? 4 : 0;
    bool parity = d.take("parity");
    d.take("acquire");
    d.inst.aux |= d.take("relaxed") ? 16 : 0;
    d.takeOneOf({"cta", "cluster"});
    d.takeSpace();
    d.take("b64");
    d.inst.d = d.writePredicate(d.operand(0));
    address(1);
    d.inst.aux |= parity ? 2 : 0;
    d.inst.b = d.read(2, parity ? 32 : 64);
    if (d.numOperands() > 3)
      d.read(3, 32); // a hint of how long to wait
    d.inst.run = testWait;
    return;
  }
  bool drops = d.take("arrive_drop"), arrives = drops || d.take("arrive");
  bool expects = d.take("expect_tx");
  if (!arrives && !expects)
    return d.unsupported("this operation of mbarrier");
  d.take("release");
  d.inst.aux |= d.take("relaxed") ? 16 : 0;
  d.takeOneOf({"cta", "cluster"});
  if (d.take("noComplete"))
    return d.unsupported("'.noComplete'");
  d.takeSpace();
  d.take("b64");
  d.inst.aux |= (arrives ? 8 : 0) | (expects ? 2 : 0) | (drops ? 64 : 0);
  size_t at = 0;
  if (arrives && d.operand(0).kind != ptx::Operand::Kind::Address) {
    if (d.operand(0).kind != ptx::Operand::Kind::Sink) {
      d.inst.d = d.write(0, 64);
      d.inst.aux |= 32;
    }
    at = 1;
  }
  address(at);
  if (d.numOperands() > at + 1) {
    d.inst.b = d.read(at + 1, 32);
    d.inst.aux |= expects ? 0 : 4;
  } else if (expects) {
    d.fail("expected a number of bytes");
  }
  d.inst.run = arriveOn;
}

} // namespace

void completeTransactions(Block &b, Mbarrier &m, int64_t bytes) {
  m.transactions -= bytes;
  ++b.cluster->events;
  completeIfDone(b, m);
}

bool arrive(Warp &w, const Inst &i, Mask lane, Block &b, Mbarrier &m,
            uint32_t count) {
  if (count > m.pending) {
    w.report(Finding::Kind::Mbarrier, i, lane,
             std::to_string(count) + " arrivals at the mbarrier at " +
                 hex(m.address) + " of block " + std::to_string(b.id) +
                 ", which waits for " + std::to_string(m.pending) + " of " +
                 std::to_string(m.expected));
    w.grid->stop = true;
    return false;
  }
  if (w.sanitizes() && !(i.aux & 16)) {
    m.gathering.join(w.release(lane));
    if (!w.cluster->uses.arrivals[i.line])
      m.arrivals.insert(i.line);
  }
  m.pending -= count;
  completeIfDone(b, m);
  return true;
}

void addMbarrier(DecodeTable &table) { table["mbarrier"] = decodeMbarrier; }

} // namespace helios::emu
