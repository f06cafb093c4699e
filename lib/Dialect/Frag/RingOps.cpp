// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Verifiers of slots and copies.

#include "Verify.h"
#include "helios/Dialect/Tile/IR/Linear.h"

using namespace mlir;
using namespace helios;
using namespace helios::frag;

SmallVector<AcquireOp> helios::frag::acquiresOf(Value slot) {
  SmallVector<AcquireOp> acquires;
  for (Value v : tile::originsOf(slot))
    if (auto acquire = v.getDefiningOp<AcquireOp>())
      acquires.push_back(acquire);
  return acquires;
}

/// The payload type at an index of the ring behind a slot; null where the
/// slot's origin is not known.
static FailureOr<Type> payloadType(Operation *op, Value slot, int64_t index) {
  Type type;
  for (AcquireOp acquire : acquiresOf(slot)) {
    ArrayRef<Type> payload = acquire.getRing().getType().getRing().getPayload();
    if (index < 0 || index >= int64_t(payload.size())) {
      op->emitOpError("expected an index below ")
          << payload.size() << " into the slot, got " << index;
      return failure();
    }
    type = payload[index];
  }
  return type;
}

LogicalResult SlotMemOp::verify() {
  FailureOr<Type> type = payloadType(*this, getSlot(), getIndex());
  if (failed(type))
    return failure();
  if (std::optional<int64_t> workgroup = getWorkgroup())
    for (AcquireOp acquire : acquiresOf(getSlot())) {
      tile::RingType ring = acquire.getRing().getType().getRing();
      if (acquire.getAccess() != tile::Access::Read || *workgroup < 0 ||
          *workgroup >= ring.getTilesRead())
        return emitOpError("expected a slot acquired to read of a pass ring of "
                           "a cluster with a workgroup ")
               << *workgroup << ", got one to "
               << tile::stringifyAccess(acquire.getAccess()) << " of " << ring;
    }
  MemType mem = getType();
  if (!getOffsets().empty() && getOffsets().size() != mem.getShape().size())
    return emitOpError("expected ")
           << mem.getShape().size() << " offsets, one a dimension, got "
           << getOffsets().size();
  if (!*type)
    return success();
  auto tensor = dyn_cast<RankedTensorType>(*type);
  bool fits =
      tensor && tensor.getElementType() == mem.getElementType() &&
      tensor.getEncoding() == Attribute(mem.getLayout()) &&
      size_t(tensor.getRank()) == mem.getShape().size() &&
      llvm::all_of(llvm::zip(tensor.getShape(), mem.getShape()), [](auto pair) {
        return std::get<1>(pair) <= std::get<0>(pair);
      });
  if (!fits)
    return emitOpError("expected a part of the slot's ")
           << *type << ", got " << mem;
  if (getOffsets().empty() && tensor.getShape() != mem.getShape())
    return emitOpError("expected offsets for a part of the slot's ")
           << *type << ", got none";
  return success();
}

static LogicalResult verifyScalar(Operation *op, Value slot, int64_t index,
                                  Type type, tile::Access access) {
  FailureOr<Type> payload = payloadType(op, slot, index);
  if (failed(payload))
    return failure();
  if (*payload && *payload != type)
    return op->emitOpError("expected the slot's ")
           << *payload << ", got " << type;
  for (AcquireOp acquire : acquiresOf(slot))
    if (acquire.getAccess() != access)
      return op->emitOpError("expected a slot acquired to ")
             << tile::stringifyAccess(access) << ", got one to "
             << tile::stringifyAccess(acquire.getAccess());
  return success();
}

LogicalResult SlotGetOp::verify() {
  return verifyScalar(*this, getSlot(), getIndex(), getType(),
                      tile::Access::Read);
}
LogicalResult SlotPutOp::verify() {
  return verifyScalar(*this, getSlot(), getIndex(), getValue().getType(),
                      tile::Access::Write);
}

static LogicalResult verifyCopy(Operation *op, MemType mem, tile::ViewType view,
                                size_t offsets, tile::CopyAttrInterface copy) {
  if (mem.getElementType() != view.getElementType())
    return op->emitOpError("expected a view of ")
           << mem.getElementType() << " as in shared memory, got one of "
           << view.getElementType();
  if (int64_t(offsets) != view.getRank())
    return op->emitOpError("expected ")
           << view.getRank() << " offsets, one a dimension of the view, got "
           << offsets;
  if (int64_t(mem.getShape().size()) > view.getRank())
    return op->emitOpError("expected a tile of at most rank ")
           << view.getRank() << ", got rank " << mem.getShape().size();
  return copy.checkShared([&] { return op->emitOpError(); }, mem.getLayout(),
                          mem.getElementType());
}

LogicalResult CopyInOp::verify() {
  if (failed(getView().getType().checkDims(
          [&] { return emitOpError(); },
          getInside().value_or(ArrayRef<int64_t>()))))
    return failure();
  return verifyCopy(*this, getDest().getType(), getView().getType(),
                    getOffsets().size(), getCopy());
}

LogicalResult CopyOutOp::verify() {
  if (getReduce() && !getCopy().canReduce())
    return emitOpError(
               "expected a copy engine that can reduce into memory, got ")
           << getCopy();
  return verifyCopy(*this, getSource().getType(), getView().getType(),
                    getOffsets().size(), getCopy());
}
