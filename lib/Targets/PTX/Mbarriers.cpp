// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Barriers in shared memory at which the sides of a ring meet: a full and an
// empty one a slot. A phase of a barrier ends when everybody has arrived and
// every expected byte has been copied. Arrivals have the scope of the
// workgroup; a wider one costs fences of global memory, and only slots that
// lanes of other workgroups read have it.

#include "InlinePtx.h"
#include "KernelLowering.h"

using namespace mlir;
using namespace helios;
using namespace helios::ptx;

/// The lanes that hand over slots on one side of a ring.
static int64_t lanesOf(frag::KernelOp kernel, Operation *op) {
  if (auto role = op->getParentOfType<frag::RoleOp>())
    return role.getLanesPerReplica().value_or(role.getLast() - role.getFirst());
  return kernel.getThreads();
}

static bool holdsScalars(tile::RingType ring) {
  return llvm::any_of(ring.getPayload(),
                      [](Type type) { return !isa<RankedTensorType>(type); });
}

FailureOr<BarrierPair> KernelLowering::barriersOf(Operation *op, Value ring) {
  auto shared = ring.getDefiningOp<frag::SharedOp>();
  if (!shared || !shared.getBarriers())
    return op->emitOpError("expected a ring of a frag.shared with barriers, "
                           "got ")
           << ring;
  auto [it, isNew] = barrierPairs.try_emplace(shared);
  BarrierPair &pair = it->second;
  if (!isNew)
    return pair;
  tile::RingType type = cast<frag::RingType>(ring.getType()).getRing();
  pair.offset = *shared.getBarriers();
  pair.depth = type.getDepth();
  pair.perReplica = type.getScope() == tile::RingScope::Replica;
  // Who arrives follows from how each side uses its slots. A copy counts its
  // bytes and one lane arrives for it. Scalars are written by one lane too and
  // read by every lane of the other side, each of which says when it is done;
  // tiles are read by groups that have met at a barrier or a retired product,
  // so one lane speaks for a reader.
  pair.allRead = holdsScalars(type);
  int64_t readerLanes = 1;
  for (Operation *user : ring.getUsers()) {
    auto acquire = dyn_cast<frag::AcquireOp>(user);
    if (!acquire)
      continue;
    if (acquire.getAccess() == tile::Access::Read)
      readerLanes = lanesOf(kernel, acquire);
    else if (type.getKind() != tile::RingKind::Load && !pair.allRead)
      pair.writers = lanesOf(kernel, acquire);
  }
  pair.acrossCluster = type.getTilesRead() > 1;
  if (pair.acrossCluster)
    pair.writers = type.getCluster();
  pair.readers =
      type.getReaders() * (pair.allRead ? readerLanes : 1) * type.getCluster();
  if (type.getScope() == tile::RingScope::Cluster &&
      (type.getKind() == tile::RingKind::Store || pair.allRead))
    return op->emitOpError("expected a ring of a cluster to hold tiles that "
                           "copies or lanes write and others read, got ")
           << type;
  return pair;
}

/// Every barrier is made by one lane before anybody uses it, and before the
/// copy engine sees it.
LogicalResult KernelLowering::initBarriers() {
  SmallVector<frag::SharedOp> rings;
  kernel.walk([&](frag::SharedOp shared) {
    if (shared.getBarriers() && isa<frag::RingType>(shared.getType()))
      rings.push_back(shared);
  });
  if (rings.empty() && tensorMaps.empty())
    return success();
  if (!row().wgmma)
    return rings.empty() ? failure()
                         : rings.front().emitOpError(
                               "expected a ring without barriers for ")
                               << row().name
                               << ", whose copies complete in groups";
  Value first =
      arith::CmpIOp::create(b, arith::CmpIPredicate::eq, invocation(), i32(0));
  auto branch = scf::IfOp::create(b, first, /*withElseRegion=*/false);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    prefetchTensorMaps();
    for (frag::SharedOp shared : rings) {
      FailureOr<BarrierPair> pair = barriersOf(shared, shared.getResult());
      if (failed(pair))
        return failure();
      int64_t replicas = 1;
      if (auto role = shared->getParentOfType<frag::RoleOp>();
          role && pair->perReplica && role.getLanesPerReplica())
        replicas =
            (role.getLast() - role.getFirst()) / *role.getLanesPerReplica();
      for (int64_t r = 0; r < replicas; ++r)
        for (int64_t i = 0; i < 2 * pair->depth; ++i) {
          int64_t count = i < pair->depth ? pair->writers : pair->readers;
          NVVM::MBarrierInitOp::create(
              b,
              sharedPointer({}, pair->offset + (2 * pair->depth * r + i) * 8),
              i32(count), Value());
        }
    }
    if (!rings.empty()) {
      NVVM::FenceMbarrierInitOp::create(b);
      NVVM::FenceProxyOp::create(b, NVVM::ProxyKind::async, nullptr);
    }
  }
  if (inCluster())
    clusterBarrier(/*isFenced=*/!rings.empty());
  else if (!rings.empty())
    NVVM::BarrierOp::create(b);
  return success();
}

void KernelLowering::clusterBarrier(bool isFenced) {
  // Not the aligned forms: at the end of roles lanes of one warp come on ways
  // of their own.
  if (isFenced)
    NVVM::ClusterArriveRelaxedOp::create(b, /*aligned=*/UnitAttr());
  else
    NVVM::ClusterArriveOp::create(b, /*aligned=*/UnitAttr());
  NVVM::ClusterWaitOp::create(b, /*aligned=*/UnitAttr());
}

/// Of a slot's full barrier, in bytes behind the first replica's first.
Value KernelLowering::barrierOffset(const BarrierPair &pair, Value slot) {
  Value at = multiply(slot, b.getIndexAttr(8));
  if (pair.perReplica)
    at = add(at,
             multiply(lanes.back().replica, b.getIndexAttr(16 * pair.depth)));
  return at;
}

Value KernelLowering::barrierAddress(const BarrierPair &pair, bool full,
                                     Value slot) {
  // The constants apart: then instructions hold them.
  return add(sharedAddress({}, pair.offset + (full ? 0 : 8 * pair.depth)),
             barrierOffset(pair, slot));
}

Value KernelLowering::barrierPointer(const BarrierPair &pair, bool full,
                                     Value slot) {
  return sharedPointer(barrierOffset(pair, slot),
                       pair.offset + (full ? 0 : 8 * pair.depth));
}

void KernelLowering::waitForBarrier(Value address, Value parity, bool isWide) {
  inlinePtx(b,
            std::string("{\n.reg .pred P1;\nLW_${:uid}:\n"
                        "mbarrier.try_wait.parity") +
                (isWide ? ".acquire.cluster" : "") +
                ".shared::cta.b64 P1, [$0], $1;\n"
                "@P1 bra.uni LD_${:uid};\nbra.uni LW_${:uid};\nLD_${:uid}:\n}",
            {}, {}, {address, parity});
}

void KernelLowering::arrive(Value address, bool allLanes) {
  Value leader = allLanes ? Value() : leaderLane();
  if (leader)
    inlinePtx(b, "@$1 mbarrier.arrive.shared::cta.b64 _, [$0];", {}, {},
              {address, leader});
  else
    inlinePtx(b, "mbarrier.arrive.shared::cta.b64 _, [$0];", {}, {}, {address});
}

/// The first lanes arrive at the barrier at this address in one workgroup of
/// the cluster each. Unless `isWide` the arrival has the scope of a workgroup,
/// as all others: what it orders are reads by an engine that have retired.
void KernelLowering::arriveAtCluster(Value address, int64_t cluster,
                                     bool isWide) {
  auto at = [&](Value rank, Value condition) {
    std::string predicate = condition ? "@$2 " : "";
    SmallVector<Value> operands{address, rank};
    if (condition)
      operands.push_back(condition);
    inlinePtx(b,
              "{\n.reg .b32 A;\n" + predicate +
                  "mapa.shared::cluster.u32 A, $0, $1;\n" + predicate +
                  "mbarrier.arrive" + (isWide ? ".release.cluster" : "") +
                  ".shared::cluster.b64 _, [A];\n}",
              {}, {}, operands);
  };
  Lanes &now = lanes.back();
  if (now.count < cluster) {
    for (int64_t rank = 0; rank < cluster; ++rank)
      at(i32(rank), leaderLane());
    return;
  }
  if (!now.arriving) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(now.marker);
    now.arriving = arith::CmpIOp::create(b, arith::CmpIPredicate::ult,
                                         now.number, i32(cluster));
  }
  at(now.number, now.arriving);
}

void KernelLowering::arriveExpecting(Value address, Value bytes) {
  Value leader = leaderLane();
  if (leader)
    inlinePtx(b, "@$2 mbarrier.arrive.expect_tx.shared::cta.b64 _, [$0], $1;",
              {}, {}, {address, bytes, leader});
  else
    inlinePtx(b, "mbarrier.arrive.expect_tx.shared::cta.b64 _, [$0], $1;", {},
              {}, {address, bytes});
}
