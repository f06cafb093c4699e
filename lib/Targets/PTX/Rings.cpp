// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Rings, and copies that complete in groups.
//
// A slot's number follows its cursor without division. Of a ring that completes
// in groups, writing a slot costs nothing before the copies (the barrier of the
// last read orders them behind every lane's reads of the slot), its release
// commits a group; reading waits for the group and then for all lanes, since
// each lane waits for its own copies alone.

#include "KernelLowering.h"
#include "helios/Dialect/Tile/IR/Linear.h"
#include "helios/Dialect/Tile/Utils/Facts.h"

using namespace mlir;
using namespace helios;
using namespace helios::ptx;
using Form = LaneValue::Form;

/// True if a ring's copies complete in groups.
static bool completesInGroups(tile::RingType ring) {
  auto copy = dyn_cast_or_null<tile::CopyAttrInterface>(ring.getCopy());
  return copy && copy.getCompletion() == tile::Completion::Group;
}

FailureOr<frag::AcquireOp> helios::ptx::acquireOf(Operation *op, Value slot) {
  frag::AcquireOp found;
  for (Value origin : tile::originsOf(slot)) {
    auto acquire = origin.getDefiningOp<frag::AcquireOp>();
    if (!acquire || (found && found.getRing() != acquire.getRing()))
      return op->emitOpError("expected a slot of one ring");
    found = acquire;
  }
  if (!found)
    return op->emitOpError("expected a slot of frag.acquire, got ") << slot;
  return found;
}

/// True if groups are counted: what has no count then is done.
static bool countsGroups(frag::KernelOp kernel) {
  return kernel
      .walk([](frag::AcquireOp acquire) {
        return acquire.getAccess() == tile::Access::Read && acquire.getCount()
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

LogicalResult KernelLowering::lowerAcquire(frag::AcquireOp op) {
  tile::RingType ring = op.getRing().getType().getRing();
  auto shared = op.getRing().getDefiningOp<frag::SharedOp>();
  if (!shared)
    return op.emitOpError("expected a ring of a frag.shared, got ")
           << op.getRing();
  if (ring.getScope() == tile::RingScope::Cluster && !shared.getBarriers())
    return op.emitOpError("expected a ring with barriers for a cluster, got ")
           << ring;
  int64_t depth = ring.getDepth();
  LaneValue cursor = as(op.getCursor(), Form::Cursor, depth);
  Value count = cursor.parts[0], slot = cursor.parts[1],
        parity = cursor.parts[2];
  if (shared.getBarriers()) {
    if (failed(acquireThroughBarrier(op, slot, parity)))
      return failure();
  } else if (completesInGroups(ring)) {
    if (ring.getScope() != tile::RingScope::Workgroup)
      return op.emitOpError("expected a ring of the workgroup for copies that "
                            "complete in groups, got ")
             << ring;
    if (op.getAccess() == tile::Access::Read) {
      // Without any count every group is waited for.
      if (op.getCount() || !countsGroups(kernel))
        NVVM::CpAsyncWaitGroupOp::create(b, op.getCount().value_or(0));
      NVVM::BarrierOp::create(b);
    }
  } else if (failed(acquireStoreSlot(op))) {
    return failure();
  }
  Value next = b.createOrFold<arith::AddIOp>(slot, i32(1));
  Value wraps =
      b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::eq, next, i32(depth));
  Value turned = b.createOrFold<arith::XOrIOp>(parity, i32(1));
  set(op.getSlot(), Form::Slot, {slot, parity});
  set(op.getNext(), Form::Cursor,
      {b.createOrFold<arith::AddIOp>(count, i32(1)),
       b.createOrFold<arith::SelectOp>(wraps, i32(0), next),
       b.createOrFold<arith::SelectOp>(wraps, turned, parity)},
      depth);
  return success();
}

int64_t helios::ptx::payloadBytes(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? tile::getLayout(tensor).getBytes(tensor.getShape(),
                                                   tensor.getElementType())
                : 8;
}

LogicalResult KernelLowering::lowerSlotMem(frag::SlotMemOp op) {
  FailureOr<frag::AcquireOp> acquire = acquireOf(op, op.getSlot());
  if (failed(acquire))
    return failure();
  Value ring = acquire->getRing();
  auto shared = ring.getDefiningOp<frag::SharedOp>();
  if (!shared)
    return op.emitOpError("expected a ring of a frag.shared, got ") << ring;
  tile::RingType type = cast<frag::RingType>(ring.getType()).getRing();
  SharedTile tile;
  tile.offset = shared.getOffset();
  tile.workgroup = op.getWorkgroup();
  int64_t slotBytes = 0;
  for (auto [i, entry] : llvm::enumerate(type.getPayload())) {
    if (int64_t(i) < int64_t(op.getIndex()))
      tile.offset += payloadBytes(entry);
    slotBytes += payloadBytes(entry);
  }
  auto tensor = cast<RankedTensorType>(type.getPayload()[op.getIndex()]);
  tile.shape.assign(tensor.getShape().begin(), tensor.getShape().end());
  tile.align = slotBytes & -slotBytes;
  // Shared memory is far smaller than a word counts: descriptors, which divide
  // this, then divide the factor.
  tile.base = b.createOrFold<arith::MulIOp>(
      values.find(op.getSlot())->second.parts[0], i32(slotBytes),
      arith::IntegerOverflowFlags::nuw);
  if (type.getScope() == tile::RingScope::Replica)
    tile.base =
        add(tile.base, multiply(lanes.back().replica,
                                b.getIndexAttr(slotBytes * type.getDepth())));
  llvm::append_range(tile.part, op.getOffsets());
  tiles[op.getResult()] = tile;
  return success();
}

LogicalResult KernelLowering::lowerRelease(frag::ReleaseOp op) {
  FailureOr<frag::AcquireOp> acquire = acquireOf(op, op.getSlot());
  if (failed(acquire))
    return failure();
  tile::RingType ring = acquire->getRing().getType().getRing();
  if (!completesInGroups(ring))
    return releaseAsync(op, *acquire);
  if (acquire->getAccess() == tile::Access::Write)
    NVVM::CpAsyncCommitGroupOp::create(b);
  return success();
}
