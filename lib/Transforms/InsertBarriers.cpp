// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// frag-insert-barriers: barriers from the effects on shared memory.
//
// A forward walk keeps the accesses since the last barrier. An op that
// conflicts with one of them needs a barrier before it: for a read of what was
// written it is placed right after the last such write, or before the read
// where products stand between them, for a write right before it. Loops are
// walked until the accesses that their end hands to their beginning no longer
// change. Slots of rings conflict where they change hands. What lanes of a
// subgroup exchange among themselves alone, a barrier of the subgroup orders.

#include "GroupBytes.h"
#include "helios/Dialect/Tile/IR/Linear.h"
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
  bool engine = false;   ///< Not by the lanes themselves.
  Value ring;            ///< Whose slot it is in, or null.
  bool released = false; ///< The slot has been handed over.
  bool passed = false;   ///< By a barrier that does not order engines.
  bool met = false;      ///< By a barrier of each subgroup.

  bool operator==(const Access &o) const {
    return op == o.op && write == o.write && begin == o.begin && end == o.end &&
           engine == o.engine && ring == o.ring && released == o.released &&
           passed == o.passed && met == o.met;
  }
};

using State = SmallVector<Access>;

void join(State &into, const State &from) {
  for (const Access &a : from)
    if (!llvm::is_contained(into, a))
      into.push_back(a);
}

SmallVector<AcquireOp> acquiresOf(Value slot) {
  SmallVector<AcquireOp> acquires;
  for (Value v : tile::originsOf(slot))
    if (auto acquire = v.getDefiningOp<AcquireOp>())
      acquires.push_back(acquire);
  return acquires;
}

Value ringOf(Value slot) {
  SmallVector<AcquireOp> acquires = acquiresOf(slot);
  return acquires.empty() ? Value() : Value(acquires.front().getRing());
}

bool hasBarriers(Value ring) {
  auto shared = ring.getDefiningOp<SharedOp>();
  return shared && shared.getBarriers();
}

/// True if acquiring a slot to read waits for groups of copies, and for every
/// lane's, so that it is a barrier.
bool isReadAtBarrier(Value ring) {
  tile::RingType type = cast<RingType>(ring.getType()).getRing();
  auto copy = dyn_cast_or_null<tile::CopyAttrInterface>(type.getCopy());
  return !hasBarriers(ring) && type.getKind() == tile::RingKind::Load && copy &&
         copy.getCompletion() == tile::Completion::Group;
}

/// Bytes of all slots of a ring.
int64_t bytesOf(SharedOp ring) {
  tile::RingType type = cast<RingType>(ring.getType()).getRing();
  int64_t bytes = 0;
  for (Type payload : type.getPayload()) {
    auto tensor = dyn_cast<RankedTensorType>(payload);
    bytes += tensor ? tile::getLayout(tensor).getBytes(tensor.getShape(),
                                                       tensor.getElementType())
                    : 8;
  }
  auto role = ring->getParentOfType<RoleOp>();
  int64_t replicas =
      role && role.getLanesPerReplica() &&
              type.getScope() == tile::RingScope::Replica
          ? (role.getLast() - role.getFirst()) / *role.getLanesPerReplica()
          : 1;
  return bytes * type.getDepth() * replicas;
}

/// The access of a piece of memory by an op, as it is known from its place.
Access accessOf(Operation *op, Value mem, bool write, bool engine) {
  Access access{op, write, 0, std::numeric_limits<int64_t>::max(), engine};
  Value root = mem;
  if (auto part = mem.getDefiningOp<SlotMemOp>()) {
    access.ring = ringOf(part.getSlot());
    root = access.ring ? access.ring : mem;
  }
  // Memory whose place is not known may be anywhere.
  if (auto place = root.getDefiningOp<SharedOp>()) {
    access.begin = place.getOffset();
    access.end =
        access.begin + (access.ring ? bytesOf(place)
                                    : cast<MemType>(mem.getType()).getBytes());
  }
  return access;
}

SmallVector<Access> accessesOf(Operation *op) {
  SmallVector<Access> accesses;
  auto add = [&](Value mem, bool write, bool engine) {
    if (isa<MemType>(mem.getType()))
      accesses.push_back(accessOf(op, mem, write, engine));
  };
  if (auto read = dyn_cast<ReadOp>(op)) {
    add(read.getSource(), false, false);
  } else if (auto w = dyn_cast<WriteOp>(op)) {
    add(w.getDest(), true, false);
  } else if (auto in = dyn_cast<CopyInOp>(op)) {
    add(in.getDest(), true, true);
  } else if (auto out = dyn_cast<CopyOutOp>(op)) {
    add(out.getSource(), false, true);
  } else if (auto start = dyn_cast<MmaStartOp>(op)) {
    add(start.getA(), false, true);
    add(start.getB(), false, true);
  } else if (auto get = dyn_cast<SlotGetOp>(op)) {
    accesses.push_back({op, false, 0, 0, false, ringOf(get.getSlot())});
  } else if (auto put = dyn_cast<SlotPutOp>(op)) {
    accesses.push_back({op, true, 0, 0, false, ringOf(put.getSlot())});
  }
  return accesses;
}

/// Slots of one ring are ordered by its acquires and releases.
bool conflicts(const Access &a, const Access &b) {
  if (a.ring && a.ring == b.ring)
    return false;
  if (a.passed && !(a.write && b.engine))
    return false;
  return (a.write || b.write) && a.begin < b.end && b.begin < a.end;
}

class Inserter {
public:
  explicit Inserter(KernelOp kernel) : kernel(kernel), bytes(kernel) {}

  void run() {
    kernel.walk([&](Operation *op) {
      for (const Access &a : accessesOf(op))
        if (a.engine && !a.write)
          (a.ring ? readByEngines.insert(a.ring).second : engines = true);
    });
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

  static Scope scopeAt(Operation *op) {
    return op->getParentOfType<RoleOp>() ? Scope::Replica : Scope::Workgroup;
  }

  /// Whether two accesses must not go without a barrier between them.
  bool needsBarrier(const Access &a, const Access &b) {
    return conflicts(a, b) && !(a.met && bytes.staysInGroup(a.op, b.op));
  }

  /// A barrier before an op that orders the accesses of each subgroup.
  void insertOfSubgroup(Operation *op, State &state) {
    OpBuilder b(op);
    BarrierOp::create(b, op->getLoc(), Scope::Subgroup, /*proxy=*/false);
    meet(state);
  }

  static void meet(State &state) {
    State unique;
    for (Access a : state) {
      a.met = true;
      join(unique, {a});
    }
    state = unique;
  }

  /// The outermost branch around an op that some subgroups take and others do
  /// not; null if there is none.
  static scf::IfOp votedAround(Operation *op) {
    scf::IfOp outermost;
    for (auto branch = op->getParentOfType<scf::IfOp>(); branch;
         branch = branch->getParentOfType<scf::IfOp>())
      if (getVoteBehind(branch))
        outermost = branch;
    return outermost;
  }

  /// A barrier before or after an op, at which everything open is cleared. All
  /// must reach it, so it stands before a branch that some do not take.
  void insert(Operation *op, bool after, bool proxy, State &state) {
    scf::IfOp branch = votedAround(op);
    if (branch && llvm::none_of(accessesOf(op), [&](const Access &access) {
          return llvm::any_of(state, [&](const Access &a) {
            return branch->isAncestor(a.op) && needsBarrier(a, access);
          });
        })) {
      State inside;
      for (const Access &a : state)
        if (branch->isAncestor(a.op))
          inside.push_back(a);
      insert(branch, /*after=*/false, proxy, state);
      join(state, inside);
      return;
    }
    OpBuilder b(op);
    if (after)
      b.setInsertionPointAfter(op);
    // One behind an op is there when a loop is walked again.
    auto there =
        after ? dyn_cast_or_null<BarrierOp>(op->getNextNode()) : BarrierOp();
    if (!there || there.getScope() == Scope::Subgroup ||
        (proxy && !there.getProxy()))
      BarrierOp::create(b, op->getLoc(), scopeAt(op), proxy);
    pass(proxy, state);
  }

  /// What lanes wrote and engines read must still pass a barrier for engines.
  void pass(bool proxy, State &state) {
    State rest;
    for (Access a : state) {
      bool later = a.ring ? readByEngines.contains(a.ring) : engines;
      if (proxy || !a.write || a.engine || !later)
        continue;
      a.passed = true;
      rest.push_back(a);
    }
    state = rest;
  }

  void visit(Operation *op, State &state) {
    if (auto barrier = dyn_cast<BarrierOp>(op)) {
      if (barrier.getScope() != Scope::Subgroup)
        pass(barrier.getProxy(), state);
      else
        meet(state);
      return;
    }
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
      Operation *before = branch->getPrevNode();
      walk(branch.getThenRegion(), state);
      // A barrier may stand before it since.
      if (branch->getPrevNode() != before) {
        visit(branch->getPrevNode(), other);
        state = other;
        walk(branch.getThenRegion(), state);
      }
      walk(branch.getElseRegion(), other);
      join(state, other);
      return;
    }
    if (isa<RoleOp>(op)) {
      // Lanes of different roles meet no more after this.
      if (!state.empty())
        insert(op, /*after=*/false, /*proxy=*/engines, state);
      state.clear();
      walk(op->getRegion(0), state);
      state.clear();
      return;
    }
    for (Region &region : op->getRegions())
      if (!isa<MapOp>(op))
        walk(region, state);
    if (auto acquire = dyn_cast<AcquireOp>(op))
      return visitAcquire(acquire, state);
    if (auto release = dyn_cast<ReleaseOp>(op))
      return visitRelease(release, state);
    for (const Access &access : accessesOf(op))
      visitAccess(op, access, state);
  }

  /// A slot is taken from the other side. Where the sides meet at barriers in
  /// memory, the release has seen to it.
  void visitAcquire(AcquireOp acquire, State &state) {
    Value ring = acquire.getRing();
    bool reads = acquire.getAccess() == tile::Access::Read;
    if (reads && isReadAtBarrier(ring))
      return pass(/*proxy=*/false, state);
    if (hasBarriers(ring))
      return;
    bool proxy = reads && readByEngines.contains(ring);
    bool open = llvm::any_of(state, [&](const Access &a) {
      return a.ring == ring && a.released && a.write == reads &&
             (!a.passed || proxy);
    });
    if (open)
      insert(acquire, /*after=*/reads, proxy, state);
  }

  /// One lane hands a slot over for all: they are done with it.
  void visitRelease(ReleaseOp release, State &state) {
    SmallVector<AcquireOp> acquires = acquiresOf(release.getSlot());
    if (acquires.empty())
      return;
    Value ring = acquires.front().getRing();
    bool write = acquires.front().getAccess() == tile::Access::Write;
    auto ofSlot = [&](const Access &a) {
      return a.ring == ring && a.write == write && !a.released &&
             holdsSlot(a, acquires);
    };
    if (hasBarriers(ring)) {
      bool proxy = write && readByEngines.contains(ring);
      bool open = llvm::any_of(state, [&](const Access &a) {
        return ofSlot(a) && !a.engine && (!a.passed || proxy);
      });
      if (open)
        insert(release, /*after=*/false, proxy, state);
      llvm::erase_if(state, ofSlot);
      return;
    }
    // Whoever acquires the slot next waits for copies.
    llvm::erase_if(state, [&](const Access &a) {
      return ofSlot(a) && isa<CopyInOp, CopyOutOp>(a.op);
    });
    for (Access &a : state)
      if (ofSlot(a))
        a.released = true;
    State unique;
    join(unique, state);
    state = unique;
  }

  /// True if an access is in the slot that one of these acquires gave.
  static bool holdsSlot(const Access &access, ArrayRef<AcquireOp> acquires) {
    for (Value operand : access.op->getOperands()) {
      Value slot = operand;
      if (auto part = operand.getDefiningOp<SlotMemOp>())
        slot = part.getSlot();
      if (!isa<SlotType>(slot.getType()))
        continue;
      for (AcquireOp acquire : acquiresOf(slot))
        if (llvm::is_contained(acquires, acquire))
          return true;
    }
    return false;
  }

  /// Whether products stand between two ops of a block. What was written has
  /// their time to arrive, and who is done with them early need not wait twice.
  static bool hasProducts(Operation *from, Operation *to) {
    for (Operation *op = from->getNextNode(); op != to; op = op->getNextNode())
      if (isa<MmaOp>(op))
        return true;
    return false;
  }

  void visitAccess(Operation *op, const Access &access, State &state) {
    // The last open write, of these bytes or of others that one barrier can
    // serve as well.
    Operation *lastWrite = nullptr;
    bool open = false, proxy = false, inGroup = true;
    for (const Access &a : state) {
      if (needsBarrier(a, access)) {
        open = true;
        inGroup &= !a.ring && !a.engine && !access.engine &&
                   bytes.staysInGroup(a.op, access.op);
      }
      proxy |= conflicts(a, access) && access.engine && a.write && !a.engine;
      if (a.write && a.op->getBlock() == op->getBlock() &&
          a.op->isBeforeInBlock(op) &&
          (!lastWrite || lastWrite->isBeforeInBlock(a.op)))
        lastWrite = a.op;
    }
    // An early barrier must still come after everything that conflicts.
    if (lastWrite && llvm::any_of(state, [&](const Access &a) {
          return needsBarrier(a, access) &&
                 a.op->getBlock() == op->getBlock() &&
                 a.op->isBeforeInBlock(op) && lastWrite->isBeforeInBlock(a.op);
        }))
      lastWrite = nullptr;
    if (open) {
      // Everything open at the barrier's place is cleared; what came between it
      // and this op stays.
      bool early = !access.write && lastWrite && !hasProducts(lastWrite, op);
      Operation *place = early ? lastWrite->getNextNode() : op;
      State rest;
      if (early)
        for (const Access &a : state)
          if (a.op->getBlock() == op->getBlock() &&
              !a.op->isBeforeInBlock(place) && a.op->isBeforeInBlock(op))
            rest.push_back(a);
      if (inGroup)
        insertOfSubgroup(place, state);
      else
        insert(place, /*after=*/false, proxy, state);
      join(state, rest);
    }
    state.push_back(access);
  }

  KernelOp kernel;
  GroupBytes bytes;
  DenseSet<Value> readByEngines; ///< Rings.
  bool engines = false;          ///< Read other shared memory.
};

struct InsertBarriers : helios::impl::FragInsertBarriersBase<InsertBarriers> {
  void runOnOperation() override {
    // A kernel that says so has its barriers; more would only cost.
    if (getOperation().getSynchronized())
      return;
    Inserter(getOperation()).run();
    getOperation().setSynchronized(true);
  }
};

} // namespace
