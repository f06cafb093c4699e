// Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Rings and roles.

#include "helios/Dialect/Tile/IR/Tile.h"

using namespace mlir;
using namespace helios::tile;

#define GET_OP_CLASSES
#include "helios/Dialect/Tile/IR/TileOps.cpp.inc"

LogicalResult EnterOp::verify() {
  if (getSlot().getType().getAccess() != getAccess())
    return emitOpError("expected a slot entered to ") << stringifyAccess(getAccess()) << ", got one to "
                                                      << stringifyAccess(getSlot().getType().getAccess());
  ArrayRef<Type> expected = getRing().getType().getPayload();
  if (getAccess() == Access::Write)
    expected = {};
  if (getPayload().getTypes() != TypeRange(expected))
    return emitOpError("expected ") << expected.size() << " results of the ring's payload types after the cursor, got "
                                    << getPayload().size();
  int64_t uses = llvm::count_if(getCursor().getUses(), [&](OpOperand &use) {
    auto enter = dyn_cast<EnterOp>(use.getOwner());
    return enter && enter.getAccess() == getAccess() && enter->getBlock() == (*this)->getBlock();
  });
  if (uses > 1)
    return emitOpError("expected a cursor to be used by one enter of its side, got ") << uses << "; use the successor";
  return success();
}

/// Where a slot goes from here: the exits that it reaches directly, or a loop that carries it on.
LogicalResult ExitOp::verify() {
  int64_t exits = llvm::count_if(getSlot().getUses(), [&](OpOperand &use) {
    return isa<ExitOp>(use.getOwner()) && use.getOwner()->getBlock() == (*this)->getBlock();
  });
  if (exits > 1)
    return emitOpError("expected one exit for an entered slot, got ") << exits;
  auto enter = getSlot().getDefiningOp<EnterOp>();
  if (!enter || enter->getBlock() != (*this)->getBlock())
    return success();
  if (enter.getAccess() == Access::Write) {
    for (OpOperand &use : getSlot().getUses())
      if (auto copy = dyn_cast<CopyInOp>(use.getOwner()); copy && !llvm::is_contained(getAfter(), copy.getToken())) {
        InFlightDiagnostic diag = emitOpError("expected 'after' to name every copy into the slot");
        diag.attachNote(copy.getLoc()) << "this copy is missing";
        return diag;
      }
    return success();
  }
  for (Value tile : enter.getPayload())
    for (Operation *reader : tile.getUsers()) {
      if (reader->getBlock() == (*this)->getBlock() && (*this)->isBeforeInBlock(reader)) {
        InFlightDiagnostic diag = emitOpError("expected no read of the slot's payload after its exit");
        diag.attachNote(reader->getLoc()) << "this op reads it";
        return diag;
      }
    }
  return success();
}

/// The payload type of a slot at an index, through the enter that gave it.
static FailureOr<Type> payloadType(Operation *op, Value slot, int64_t index) {
  if (cast<SlotType>(slot.getType()).getAccess() != Access::Write) {
    op->emitOpError("expected a slot entered to write, got one to read");
    return failure();
  }
  auto enter = slot.getDefiningOp<EnterOp>();
  if (!enter)
    return Type();
  ArrayRef<Type> payload = enter.getRing().getType().getPayload();
  if (index < 0 || index >= int64_t(payload.size())) {
    op->emitOpError("expected an index below ") << payload.size() << " into the slot, got " << index;
    return failure();
  }
  return payload[index];
}

LogicalResult CopyInOp::verify() {
  FailureOr<Type> type = payloadType(*this, getSlot(), getIndex());
  if (failed(type))
    return failure();
  if (int64_t(getOffsets().size()) != getView().getType().getRank())
    return emitOpError("expected ") << getView().getType().getRank() << " offsets, one a dimension of the view, got "
                                    << getOffsets().size();
  auto tile = dyn_cast_or_null<RankedTensorType>(*type);
  if (tile && tile.getElementType() != getView().getType().getElementType())
    return emitOpError("expected a view of ") << tile.getElementType() << " for this slot, got one of "
                                              << getView().getType().getElementType();
  return success();
}

LogicalResult CopyOutOp::verify() {
  auto layout = getLayout(getTile().getType());
  if (!layout || !layout.isMemory())
    return emitOpError("expected a tile in shared memory, got ") << getTile().getType();
  if (int64_t(getOffsets().size()) != getView().getType().getRank())
    return emitOpError("expected ") << getView().getType().getRank() << " offsets, one a dimension of the view, got "
                                    << getOffsets().size();
  return success();
}

void CopyInOp::getEffects(SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), &getViewMutable());
  effects.emplace_back(MemoryEffects::Write::get());
}
void CopyOutOp::getEffects(SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  effects.emplace_back(MemoryEffects::Read::get());
  effects.emplace_back(MemoryEffects::Write::get(), &getViewMutable());
}

LogicalResult PutOp::verify() {
  FailureOr<Type> type = payloadType(*this, getSlot(), getIndex());
  if (failed(type))
    return failure();
  auto want = dyn_cast_or_null<RankedTensorType>(*type), got = dyn_cast<RankedTensorType>(getValue().getType());
  if (want && (!got || got.getShape() != want.getShape() || got.getElementType() != want.getElementType()))
    return emitOpError("expected a value of the slot's ") << want << ", got " << getValue().getType();
  return success();
}

//===----------------------------------------------------------------------===//
// Roles
//===----------------------------------------------------------------------===//

LogicalResult RoleOp::verify() {
  if (bool(getLanes()) == bool(getReplicas()))
    return emitOpError("expected either 'lanes' or 'replicas', got ") << (getLanes() ? "both" : "neither");
  if (getBody().getNumArguments() > 1 || (getBody().getNumArguments() == 1 && !getBody().getArgument(0).getType().isIndex()))
    return emitOpError("expected at most one index argument, the replica's number");
  return success();
}

LogicalResult RolesOp::verifyRegions() {
  for (Operation &op : getBody().front())
    if (!isa<RoleOp>(op))
      return op.emitOpError("may not stand in tile.roles; expected only tile.role");
  if (Operation *next = (*this)->getNextNode(); next && !next->hasTrait<OpTrait::IsTerminator>())
    return emitOpError("expected nothing after the roles");
  for (Value capture : getCaptures())
    if (!isa<RingType, CursorType, ViewType>(capture.getType()) && !capture.getType().isIntOrIndexOrFloat())
      return emitOpError("expected captures to be rings, cursors, views or scalars, got ") << capture.getType();
  DenseMap<std::pair<Value, int>, Operation *> side;
  for (RoleOp role : getBody().front().getOps<RoleOp>()) {
    WalkResult walk = role.walk([&](Operation *op) -> WalkResult {
      for (Value operand : op->getOperands())
        if (!role.getBody().isAncestor(operand.getParentRegion()) && !llvm::is_contained(getCaptures(), operand))
          return op->emitOpError("uses a value from outside its role that 'captures' does not list: ") << operand.getType();
      if (auto enter = dyn_cast<EnterOp>(op)) {
        auto [it, inserted] = side.try_emplace({enter.getRing(), int(enter.getAccess())}, role);
        if (!inserted && it->second != role) {
          InFlightDiagnostic diag = op->emitOpError("expected each side of a ring in one role");
          diag.attachNote(it->second->getLoc()) << "this role enters it too";
          return diag;
        }
      }
      return WalkResult::advance();
    });
    if (walk.wasInterrupted())
      return failure();
  }
  return success();
}
