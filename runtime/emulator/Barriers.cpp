//===- Barriers.cpp - bar, barrier, setmaxnreg -===//
//
// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "emulator/Lanes.h"

namespace helios::emu {

namespace {

void wake(Warp &w) {
  w.reason = Warp::Reason::None;
  ++w.cluster->events;
}

uint32_t threadsOf(const Block &b) {
  uint32_t n = 0;
  for (const auto &w : b.warps)
    n += w->finished() ? 0 : kLanes;
  return n;
}

void release(Block &b, NamedBarrier &bar) {
  for (Warp *w : bar.waiting) {
    if (w->sanitizes()) {
      w->acquire(w->lanes, bar.knowledge);
      w->meet();
    }
    wake(*w);
  }
  (void)b;
  bar = NamedBarrier();
}

/// Inst::aux: 1 waits, 2 a count is given, 4 a reduction (8 .or, 16 .popc).
Step barrier(Warp &w, const Inst &i, Mask m) {
  uint32_t l = uint32_t(__builtin_ctz(m));
  uint32_t number = w.at<uint32_t>(i.a)[l];
  Block &b = *w.block;
  uint32_t count = i.aux & 2 ? w.at<uint32_t>(i.b)[l] : threadsOf(b);
  auto wrong = [&](const std::string &what) {
    w.report(Finding::Kind::Barrier, i, m, what);
    w.grid->stop = true;
    return Step::Stop;
  };
  if (number > 15)
    return wrong("barriers are numbered 0 to 15, got " +
                 std::to_string(number));
  if (count == 0 || count % kLanes || count > 32 * b.warps.size())
    return wrong("expected a count of threads that is a multiple of 32 and "
                 "within the block, got " +
                 std::to_string(count));
  NamedBarrier &bar = b.barriers[number];
  bool wholeBlock = !(i.aux & 2);
  if (bar.arrived && (bar.expected != count || bar.wholeBlock != wholeBlock) &&
      !(bar.wholeBlock && wholeBlock))
    return wrong("barrier " + std::to_string(number) + " is for " +
                 std::to_string(count) + " threads here and for " +
                 std::to_string(bar.expected) + " on line " +
                 std::to_string(bar.inst->line));
  for (uint32_t other : bar.arrivedWarps)
    if (other == w.index)
      return wrong("the warp arrives a second time at barrier " +
                   std::to_string(number) + ", where " +
                   std::to_string(bar.arrived) + " of " +
                   std::to_string(count) + " threads are");
  bar.inst = &i;
  bar.expected = count;
  bar.wholeBlock = wholeBlock;
  bar.arrived += kLanes;
  bar.arrivedWarps.push_back(w.index);
  ++w.cluster->events;
  if (w.sanitizes())
    bar.knowledge.join(w.release(w.lanes));
  bool waits = i.aux & 1;
  if (waits) {
    bar.waiting.push_back(&w);
    w.reason = Warp::Reason::Barrier;
    w.waitsFor = number;
  }
  if (bar.arrived < count)
    return waits ? Step::Wait : Step::Next;
  release(b, bar);
  return waits ? Step::Yield : Step::Next;
}

/// bar, barrier (.cta).
void decodeBarrier(Decoder &d) {
  bool isBarrier = d.source->words[0] == "barrier";
  d.take("cta");
  if (d.take("red"))
    return d.unsupported("barriers with a reduction");
  bool sync = d.take("sync");
  if (!sync && !d.take("arrive"))
    d.fail("expected .sync or .arrive");
  d.inst.aligned = d.take("aligned") || !isBarrier;
  d.inst.aux = sync ? 1 : 0;
  d.inst.a = d.read(0, 32);
  if (d.numOperands() > 1) {
    d.inst.b = d.read(1, 32);
    d.inst.aux |= 2;
  } else if (!sync) {
    d.fail("expected a number of threads as operand 2");
  }
  d.inst.run = barrier;
}

//===----------------------------------------------------------------------===//
// Clusters
//===----------------------------------------------------------------------===//

uint32_t liveThreads(const Cluster &c) {
  uint32_t n = 0;
  for (const Warp *w : c.warps)
    n += w->finished() ? 0 : kLanes;
  return n;
}

void completeIfAll(Cluster &c) {
  if (c.barrierArrived < liveThreads(c))
    return;
  c.barrierArrived = 0;
  ++c.barrierPhase;
  ++c.events;
  for (Warp *w : c.warps) {
    w->clusterArrival = c.barrierKnowledge;
    if (w->reason != Warp::Reason::ClusterBarrier)
      continue;
    if (w->sanitizes()) {
      w->acquire(w->lanes, w->clusterArrival);
      w->meet();
    }
    wake(*w);
    w->clusterArrived = false;
  }
  c.barrierKnowledge.clear();
}

Step clusterArrive(Warp &w, const Inst &i, Mask m) {
  Cluster &c = *w.cluster;
  if (w.clusterArrived) {
    w.report(Finding::Kind::Barrier, i, m,
             "the warp arrives a second time at the cluster's barrier without "
             "waiting");
    w.grid->stop = true;
    return Step::Stop;
  }
  w.clusterArrived = true;
  w.clusterPhase = c.barrierPhase;
  c.barrierArrived += kLanes;
  ++c.events;
  if (w.sanitizes()) // .relaxed publishes no more than a fence did
    c.barrierKnowledge.join(i.aux ? w.initialized : w.release(w.lanes));
  completeIfAll(c);
  return Step::Next;
}

Step clusterWait(Warp &w, const Inst &i, Mask m) {
  Cluster &c = *w.cluster;
  if (!w.clusterArrived) {
    w.report(Finding::Kind::Barrier, i, m,
             "the warp waits at the cluster's barrier without arriving before");
    w.grid->stop = true;
    return Step::Stop;
  }
  if (w.clusterPhase != c.barrierPhase) {
    w.clusterArrived = false;
    if (w.sanitizes()) {
      w.acquire(w.lanes, w.clusterArrival);
      w.meet();
    }
    return Step::Next;
  }
  w.reason = Warp::Reason::ClusterBarrier;
  return Step::Wait;
}

void decodeClusterOrBlock(Decoder &d) {
  if (!d.take("cluster"))
    return decodeBarrier(d);
  if (!d.needs(90, "barrier.cluster"))
    return;
  bool arrives = d.take("arrive");
  if (!arrives && !d.take("wait"))
    d.fail("expected .arrive or .wait");
  if (arrives) {
    d.inst.aux = d.take("relaxed");
    d.take("release");
  } else {
    d.take("acquire");
  }
  d.take("aligned");
  d.inst.aligned = true;
  d.inst.run = arrives ? clusterArrive : clusterWait;
}

//===----------------------------------------------------------------------===//
// Warps
//===----------------------------------------------------------------------===//

Step warpSync(Warp &w, const Inst &i, Mask m) {
  Mask members = w.at<uint32_t>(i.a)[__builtin_ctz(m)];
  if ((members & w.lanes) != m)
    w.report(Finding::Kind::Convergence, i, m,
             "its mask names lanes " + hex(members) + ", lanes " + hex(m) +
                 " execute it");
  if (w.sanitizes())
    w.meet();
  return Step::Next;
}

void decodeBar(Decoder &d) {
  if (!d.take("warp"))
    return decodeBarrier(d);
  if (!d.take("sync"))
    d.fail("expected .sync");
  d.inst.a = d.read(0, 32);
  d.inst.run = warpSync;
}

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

Step setMaxRegisters(Warp &w, const Inst &i, Mask m) {
  Block &b = *w.block;
  uint32_t wanted = uint32_t(i.imm);
  bool grows = i.aux;
  if (w.registerLimit == 0) {
    w.report(Finding::Kind::Registers, i, m,
             "setmaxnreg needs a kernel with .maxnreg or .reqntid, whose "
             "registers are known at entry");
    w.registerLimit = wanted;
    return Step::Next;
  }
  if (grows ? wanted < w.registerLimit : wanted > w.registerLimit) {
    w.report(Finding::Kind::Registers, i, m,
             std::string("setmaxnreg.") + (grows ? "inc" : "dec") + " to " +
                 std::to_string(wanted) + " of a warp that has " +
                 std::to_string(w.registerLimit));
    return Step::Next;
  }
  if (grows) {
    uint32_t more = (wanted - w.registerLimit) * kLanes;
    if (more > b.registersFree) {
      w.reason = Warp::Reason::Registers;
      w.waitsFor = more;
      return Step::Again;
    }
    b.registersFree -= more;
  } else {
    b.registersFree += (w.registerLimit - wanted) * kLanes;
    ++w.cluster->events;
    for (auto &other : b.warps)
      if (other->reason == Warp::Reason::Registers)
        other->reason = Warp::Reason::None;
  }
  w.registerLimit = wanted;
  return Step::Next;
}

void decodeSetMaxRegisters(Decoder &d) {
  if (!d.needs(90, "setmaxnreg"))
    return;
  bool grows = d.take("inc");
  if (!grows && !d.take("dec"))
    d.fail("expected .inc or .dec");
  d.take("sync");
  d.take("aligned");
  d.takeType();
  d.immediate(0, d.inst.imm);
  if (d.inst.imm < 24 || d.inst.imm > 256 || d.inst.imm % 8)
    d.fail("expected a multiple of 8 from 24 to 256, got " +
           std::to_string(d.inst.imm));
  d.inst.aux = grows;
  d.inst.aligned = true;
  d.inst.run = setMaxRegisters;
}

//===----------------------------------------------------------------------===//
// Grids before and after
//===----------------------------------------------------------------------===//

/// Grids run one after the other here, so there is nothing to wait for.
Step awaitGrids(Warp &w, const Inst &, Mask m) {
  w.afterDependencies |= m;
  w.block->afterDependencies = true;
  return Step::Next;
}

Step releaseGrids(Warp &, const Inst &, Mask) { return Step::Next; }

void decodeGridDependencies(Decoder &d) {
  if (!d.needs(90, "griddepcontrol"))
    return;
  bool waits = d.take("wait");
  if (!waits && !d.take("launch_dependents"))
    d.fail("expected .wait or .launch_dependents");
  d.inst.run = waits ? awaitGrids : releaseGrids;
}

} // namespace

void leaveBarriers(Warp &w) {
  Block &b = *w.block;
  for (NamedBarrier &bar : b.barriers)
    if (bar.arrived && bar.wholeBlock) {
      bar.expected = threadsOf(b);
      if (bar.arrived >= bar.expected)
        release(b, bar);
    }
  if (w.cluster->barrierArrived)
    completeIfAll(*w.cluster);
}

void addBarriers(DecodeTable &table) {
  table["bar"] = decodeBar;
  table["barrier"] = decodeClusterOrBlock;
  table["griddepcontrol"] = decodeGridDependencies;
  table["setmaxnreg"] = decodeSetMaxRegisters;
}

} // namespace helios::emu
