// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// frag-insert-barriers: barriers from the effects on shared memory.
//
// A forward walk keeps the accesses since the last barrier. An op that
// conflicts with one of them needs a barrier before it: for a read of what was
// written it is placed right after the last such write, for a write right
// before it. Loops are walked until the accesses that their end hands to their
// beginning no longer change.

#include "helios/Transforms/Passes.h"

namespace helios {
#define GEN_PASS_DEF_FRAGINSERTBARRIERS
#include "helios/Transforms/Passes.h.inc"
} // namespace helios

using namespace mlir;
using namespace helios;
using namespace helios::frag;

namespace {

/// An access of shared memory: bytes [begin, end) by the op.
struct Access {
  Operation *op;
  bool write;
  int64_t begin, end;
  bool operator==(const Access &o) const {
    return op == o.op && write == o.write && begin == o.begin && end == o.end;
  }
};

using State = SmallVector<Access>;

void join(State &into, const State &from) {
  for (const Access &a : from)
    if (!llvm::is_contained(into, a))
      into.push_back(a);
}

std::optional<Access> accessOf(Operation *op) {
  Value mem;
  bool write = false;
  if (auto read = dyn_cast<ReadOp>(op)) {
    mem = read.getSource();
  } else if (auto w = dyn_cast<WriteOp>(op)) {
    mem = w.getDest();
    write = true;
  }
  auto type = mem ? dyn_cast<MemType>(mem.getType()) : MemType();
  if (!type)
    return std::nullopt;
  // Memory whose place is not known may be anywhere.
  auto place = mem.getDefiningOp<SharedOp>();
  if (!place)
    return Access{op, write, 0, std::numeric_limits<int64_t>::max()};
  return Access{op, write, int64_t(place.getOffset()),
                int64_t(place.getOffset()) + type.getBytes()};
}

bool conflicts(const Access &a, const Access &b) {
  return (a.write || b.write) && a.begin < b.end && b.begin < a.end;
}

class Inserter {
public:
  void run(KernelOp kernel) {
    State state;
    walk(kernel.getBody(), state);
  }

private:
  void walk(Region &region, State &state) {
    if (region.empty())
      return;
    for (Operation &op : llvm::make_early_inc_range(region.front()))
      visit(&op, state);
  }

  void visit(Operation *op, State &state) {
    if (auto barrier = dyn_cast<BarrierOp>(op);
        barrier && barrier.getScope() == Scope::Workgroup)
      return state.clear();
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      // What a trip leaves open meets the next one; a loop may also make no
      // trip.
      State entry = state;
      while (true) {
        State body = entry;
        walk(loop.getRegion(), body);
        State next = entry;
        join(next, body);
        if (next.size() == entry.size())
          break;
        entry = next;
      }
      state = entry;
      return;
    }
    if (auto branch = dyn_cast<scf::IfOp>(op)) {
      State other = state;
      walk(branch.getThenRegion(), state);
      walk(branch.getElseRegion(), other);
      join(state, other);
      return;
    }
    for (Region &region : op->getRegions())
      if (!isa<MapOp>(op))
        walk(region, state);
    std::optional<Access> access = accessOf(op);
    if (!access)
      return;
    // The last open write, of these bytes or of others that one barrier can
    // serve as well.
    Operation *lastWrite = nullptr;
    bool open = false;
    for (const Access &a : state) {
      open |= conflicts(a, *access);
      if (a.write && a.op->getBlock() == op->getBlock() &&
          a.op->isBeforeInBlock(op) &&
          (!lastWrite || lastWrite->isBeforeInBlock(a.op)))
        lastWrite = a.op;
    }
    // An early barrier must still come after everything that conflicts.
    if (lastWrite)
      for (const Access &a : state)
        if (conflicts(a, *access) && a.op->getBlock() == op->getBlock() &&
            a.op->isBeforeInBlock(op) && lastWrite->isBeforeInBlock(a.op))
          lastWrite = nullptr;
    if (open) {
      // Everything open at the barrier's place is cleared; what came between it
      // and this op stays.
      bool early = !access->write && lastWrite;
      Operation *place = early ? lastWrite->getNextNode() : op;
      OpBuilder b(place);
      BarrierOp::create(b, op->getLoc(), Scope::Workgroup, false);
      State rest;
      if (early)
        for (const Access &a : state)
          if (a.op->getBlock() == op->getBlock() &&
              !a.op->isBeforeInBlock(place) && a.op->isBeforeInBlock(op))
            rest.push_back(a);
      state = rest;
    }
    state.push_back(*access);
  }
};

struct InsertBarriers : helios::impl::FragInsertBarriersBase<InsertBarriers> {
  void runOnOperation() override { Inserter().run(getOperation()); }
};

} // namespace
