// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Rings whose sides meet through barriers in shared memory, rings that the copy
// engine empties, and scalars in slots.

#include "InlinePtx.h"
#include "KernelLowering.h"
#include "helios/Dialect/Tile/IR/Linear.h"

using namespace mlir;
using namespace helios;
using namespace helios::ptx;
using Form = LaneValue::Form;

static frag::SharedOp sharedOf(Value ring) {
  return ring.getDefiningOp<frag::SharedOp>();
}

LogicalResult KernelLowering::acquireThroughBarrier(frag::AcquireOp op,
                                                    Value slot, Value parity) {
  FailureOr<BarrierPair> pair = barriersOf(op, op.getRing());
  if (failed(pair))
    return failure();
  bool read = op.getAccess() == tile::Access::Read;
  // The writing side is one round ahead: its first round finds every slot
  // empty, which is the phase before the barrier's first.
  if (!read)
    parity = arith::XOrIOp::create(b, parity, i32(1));
  waitForBarrier(barrierAddress(*pair, read, slot), parity,
                 pair->acrossCluster);
  return success();
}

/// A slot that a copy still reads is waited for by the lane that issued the
/// copy; the others learn it at a barrier.
LogicalResult KernelLowering::acquireStoreSlot(frag::AcquireOp op) {
  tile::RingType ring = op.getRing().getType().getRing();
  if (op.getAccess() != tile::Access::Write ||
      ring.getKind() != tile::RingKind::Store || !ring.getCopy())
    return success();
  if (!op.getCount())
    return op.emitOpError("expected the count of copies that may still read "
                          "the ring's slots; run frag-assign-wait-counts");
  ifLeader([&] {
    NVVM::CpAsyncBulkWaitGroupOp::create(b, b.getI32IntegerAttr(*op.getCount()),
                                         b.getUnitAttr());
  });
  if (lanes.back().count > 1)
    groupBarrier();
  return success();
}

LogicalResult KernelLowering::releaseAsync(frag::ReleaseOp op,
                                           frag::AcquireOp acquire) {
  tile::RingType type = acquire.getRing().getType().getRing();
  bool read = acquire.getAccess() == tile::Access::Read;
  bool products = llvm::any_of(op.getAfter(), [](Value token) {
    return isa<frag::TokenType>(token.getType());
  });
  if (products && op.getCount())
    waitForProducts(*op.getCount());
  // A copy out of the slot: its group ends here, nobody waits.
  if (read && type.getKind() == tile::RingKind::Store)
    ifLeader([&] { NVVM::CpAsyncBulkCommitGroupOp::create(b); });
  if (!sharedOf(acquire.getRing()).getBarriers())
    return success();
  FailureOr<BarrierPair> pair = barriersOf(op, acquire.getRing());
  if (failed(pair))
    return failure();
  Value slot = values.find(op.getSlot())->second.parts[0];
  Value address = barrierAddress(*pair, /*full=*/!read, slot);
  // Lanes of other workgroups read what was written here.
  if (pair->acrossCluster) {
    arriveAtCluster(address, type.getCluster(), /*isWide=*/true);
    return success();
  }
  if (read) {
    if (type.getScope() == tile::RingScope::Cluster)
      arriveAtCluster(address, type.getCluster(), /*isWide=*/false);
    else
      arrive(address, pair->allRead);
    return success();
  }
  // The bytes of the copies into the slot.
  Value bytes;
  for (Value after : op.getAfter())
    for (Value token : tile::originsOf(after)) {
      auto copy = token.getDefiningOp<frag::CopyInOp>();
      if (!copy || copy->getBlock() != op->getBlock())
        return op.emitOpError("expected tokens of copies in the same block "
                              "for a slot whose barrier counts bytes, got ")
               << after;
      // Whoever in the cluster copies them, the bytes of the whole slot come.
      if (type.getScope() == tile::RingScope::Cluster) {
        if (copy.getPredicate())
          return copy.emitOpError("expected no condition on a copy into a slot "
                                  "of a cluster, which is full once all its "
                                  "bytes have come");
        continue;
      }
      Value own = i32(copy.getDest().getType().getBytes());
      if (copy.getPredicate())
        own = arith::SelectOp::create(b, scalar(copy.getPredicate()), own,
                                      i32(0));
      bytes = add(bytes, own);
    }
  if (type.getScope() == tile::RingScope::Cluster) {
    int64_t all = 0;
    for (Type payload : type.getPayload())
      all += payloadBytes(payload);
    bytes = i32(all);
  }
  if (bytes) {
    arriveExpecting(address, bytes);
    return success();
  }
  // Written by lanes. What an engine will read passes into its view of memory
  // first.
  if (!pair->allRead)
    fenceForEngines();
  arrive(address, /*allLanes=*/pair->writers > 1);
  return success();
}

/// What lanes have written to shared memory passes into the view of it that
/// copies and asynchronous products have.
void KernelLowering::fenceForEngines() {
  NVVM::FenceProxyOp::create(
      b, NVVM::ProxyKind::async_shared,
      NVVM::SharedSpaceAttr::get(b.getContext(),
                                 NVVM::SharedSpace::shared_cta));
}

FailureOr<Value> KernelLowering::scalarAddress(Operation *op, Value slot,
                                               int64_t index) {
  FailureOr<frag::AcquireOp> acquire = acquireOf(op, slot);
  if (failed(acquire))
    return failure();
  frag::SharedOp shared = sharedOf(acquire->getRing());
  ArrayRef<Type> payload = acquire->getRing().getType().getRing().getPayload();
  int64_t offset = 0, bytes = 0;
  for (auto [i, type] : llvm::enumerate(payload)) {
    if (int64_t(i) == index)
      offset = bytes;
    bytes += payloadBytes(type);
  }
  Value at =
      multiply(values.find(slot)->second.parts[0], b.getIndexAttr(bytes));
  return sharedPointer(at, shared.getOffset() + offset);
}

LogicalResult KernelLowering::lowerSlotGet(frag::SlotGetOp op) {
  FailureOr<Value> address = scalarAddress(op, op.getSlot(), op.getIndex());
  if (failed(address))
    return failure();
  Value word = LLVM::LoadOp::create(b, getLaneType(op.getType()), *address);
  setScalar(op.getResult(), uniform(word));
  return success();
}

LogicalResult KernelLowering::lowerSlotPut(frag::SlotPutOp op) {
  FailureOr<Value> address = scalarAddress(op, op.getSlot(), op.getIndex());
  if (failed(address))
    return failure();
  ifLeader([&] { LLVM::StoreOp::create(b, scalar(op.getValue()), *address); });
  return success();
}
