// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Bulk tensor copies, issued by one lane: into a slot, where they count bytes
// on its full barrier, and out of one, in groups. A copy is one instruction a
// panel of the tile. The engine clips at the view's bounds.

#include "KernelLowering.h"

using namespace mlir;
using namespace helios;
using namespace helios::ptx;

/// Coordinates of the first panel, innermost first, and the panels' number.
FailureOr<BulkCopy> KernelLowering::bulkCopy(Operation *op, Value memory,
                                             Value view, ValueRange offsets) {
  FailureOr<SharedTile> tile = sharedTile(op, memory);
  if (failed(tile))
    return failure();
  FailureOr<int64_t> panel = panelBytes(op, *tile);
  FailureOr<Value> part = partStart(op, *tile);
  if (failed(panel) || failed(part))
    return failure();
  if ((tile->offset | tile->align) % 128)
    return op->emitOpError("expected a tile at a multiple of 128 bytes for a "
                           "bulk copy, got ")
           << tile->offset;
  auto type = cast<frag::MemType>(memory.getType());
  BulkCopy copy;
  copy.start = add(tile->base, *part);
  copy.offset = tile->offset;
  copy.panel = *panel;
  int64_t extent = type.getShape()[tile->layout.getOrder().front()];
  copy.columns = tile->layout.getSwizzle()
                     ? tile->layout.getSwizzle() / bytesOf(tile->elementType)
                     : extent;
  copy.panels = llvm::divideCeil(extent, copy.columns);
  copy.map = tensorMap(op);
  for (int64_t d : copyDimensions(type, offsets.size()))
    copy.coordinates.push_back(toI32(scalar(offsets[d])));
  return copy;
}

/// The interface says what is done to an argument, through a map too.
LogicalResult KernelLowering::recordAccess(Operation *op, Value view,
                                           bool write) {
  Value pointer = view.getDefiningOp<tile::ViewOp>().getPtr();
  return success(succeeded(argumentPointer(op, pointer, write)));
}

LogicalResult KernelLowering::lowerBulkIn(frag::CopyInOp op) {
  // The slot's barrier counts the bytes.
  auto part = op.getDest().getDefiningOp<frag::SlotMemOp>();
  if (!part)
    return op.emitOpError("expected a slot of a ring as the destination of a "
                          "bulk copy, got ")
           << op.getDest();
  FailureOr<frag::AcquireOp> acquire = acquireOf(op, part.getSlot());
  if (failed(acquire))
    return failure();
  FailureOr<BarrierPair> pair = barriersOf(op, acquire->getRing());
  if (failed(recordAccess(op, op.getView(), /*write=*/false)))
    return failure();
  FailureOr<BulkCopy> copy =
      bulkCopy(op, op.getDest(), op.getView(), op.getOffsets());
  if (failed(pair) || failed(copy))
    return failure();
  Value barrier = barrierPointer(*pair, /*full=*/true,
                                 values.find(part.getSlot())->second.parts[0]);
  Value mask;
  if (op.getMulticast()) {
    if (acquire->getRing().getType().getRing().getScope() !=
        tile::RingScope::Cluster)
      return op.emitOpError("expected a slot of a ring of scope cluster for a "
                            "copy with 'multicast', got one of ")
             << acquire->getRing().getType().getRing();
    mask =
        arith::TruncIOp::create(b, b.getI16Type(), scalar(op.getMulticast()));
  }
  auto issue = [&] {
    for (int64_t p = 0; p < copy->panels; ++p) {
      SmallVector<Value> at(copy->coordinates);
      at[0] = addConstant(at[0], p * copy->columns);
      NVVM::CpAsyncBulkTensorGlobalToSharedClusterOp::create(
          b, clusterPointer(copy->start, copy->offset + p * copy->panel),
          copy->map, at, barrier, /*im2colOffsets=*/ValueRange(), mask,
          /*l2CacheHint=*/Value(), NVVM::TMALoadMode::TILE, /*isCTAOnly=*/false,
          /*group=*/NVVM::CTAGroupKindAttr(), /*predicate=*/Value());
    }
  };
  ifLeader([&] {
    if (!op.getPredicate())
      return issue();
    auto branch = scf::IfOp::create(b, scalar(op.getPredicate()),
                                    /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    issue();
  });
  set(op.getToken(), LaneValue::Form::Scalar, {});
  return success();
}

LogicalResult KernelLowering::lowerCopyOut(frag::CopyOutOp op) {
  if (!isa<BulkAttr>(op.getCopy()))
    return notLowered(op);
  FailureOr<BulkCopy> copy =
      bulkCopy(op, op.getSource(), op.getView(), op.getOffsets());
  if (failed(copy))
    return failure();
  auto type = cast<frag::MemType>(op.getSource().getType());
  auto layout = cast<tile::SharedAttr>(type.getLayout());
  // A panel that is filled up would be written over what lies behind the tile.
  if (int64_t extent = type.getShape()[layout.getOrder().front()];
      extent % copy->columns)
    return op.emitOpError("expected rows of whole panels of ")
           << copy->columns << " elements for a copy out of " << type
           << ", got rows of " << extent;
  if (failed(recordAccess(op, op.getView(), /*write=*/true)) ||
      (op.getReduce() &&
       failed(recordAccess(op, op.getView(), /*write=*/false))))
    return failure();
  std::optional<NVVM::TMAReduxKind> kind;
  if (op.getReduce()) {
    switch (*op.getReduce()) {
    case tile::ReduceKind::Add:
      kind = NVVM::TMAReduxKind::ADD;
      break;
    case tile::ReduceKind::Max:
      kind = NVVM::TMAReduxKind::MAX;
      break;
    case tile::ReduceKind::Min:
      kind = NVVM::TMAReduxKind::MIN;
      break;
    case tile::ReduceKind::Or:
      kind = NVVM::TMAReduxKind::OR;
      break;
    }
  }
  ifLeader([&] {
    for (int64_t p = 0; p < copy->panels; ++p) {
      SmallVector<Value> at(copy->coordinates);
      at[0] = addConstant(at[0], p * copy->columns);
      Value source = sharedPointer(copy->start, copy->offset + p * copy->panel);
      if (kind)
        NVVM::CpAsyncBulkTensorReduceOp::create(b, copy->map, source, *kind,
                                                NVVM::TMAStoreMode::TILE, at,
                                                /*l2CacheHint=*/Value());
      else
        NVVM::CpAsyncBulkTensorSharedCTAToGlobalOp::create(
            b, copy->map, source, at, /*l2CacheHint=*/Value(),
            NVVM::TMAStoreMode::TILE, /*predicate=*/Value());
    }
  });
  set(op.getToken(), LaneValue::Form::Scalar, {});
  return success();
}

/// A workgroup's own shared memory is a part of its cluster's, at the same
/// address; an ordinary cast would go through generic addresses.
Value KernelLowering::clusterPointer(Value bytes, int64_t offset) {
  Value address =
      LLVM::PtrToIntOp::create(b, b.getI32Type(), sharedPointer(bytes, offset));
  return LLVM::IntToPtrOp::create(
      b, LLVM::LLVMPointerType::get(b.getContext(), 7), address);
}
