// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Slots of level 3: released once, after whatever uses them asynchronously.

#include "Verify.h"
#include "helios/Dialect/Tile/IR/Linear.h"

using namespace mlir;
using namespace helios;
using namespace helios::frag;

namespace {
/// An asynchronous op that uses a slot's memory, and its token.
struct AsyncUse {
  Operation *op;
  Value token;
};
} // namespace

/// Every asynchronous use of the memory of the slots that an acquire gives.
static SmallVector<AsyncUse> asyncUses(KernelOp kernel, AcquireOp acquire) {
  SmallVector<AsyncUse> uses;
  kernel.walk([&](SlotMemOp part) {
    if (!llvm::is_contained(acquiresOf(part.getSlot()), acquire))
      return;
    for (Operation *user : part->getUsers()) {
      if (auto start = dyn_cast<MmaStartOp>(user))
        uses.push_back({user, start.getToken()});
      else if (auto in = dyn_cast<CopyInOp>(user))
        uses.push_back({user, in.getToken()});
      else if (auto out = dyn_cast<CopyOutOp>(user))
        uses.push_back({user, out.getToken()});
    }
  });
  return uses;
}

/// True if one of the named ops is the use, or a younger product of its engine
/// in its block: engines retire in order.
static bool isCovered(const AsyncUse &use, const DenseSet<Operation *> &named) {
  if (named.contains(use.op))
    return true;
  auto start = dyn_cast<MmaStartOp>(use.op);
  if (!start)
    return false;
  return llvm::any_of(named, [&](Operation *op) {
    auto other = dyn_cast_or_null<MmaStartOp>(op);
    return other && other->getBlock() == start->getBlock() &&
           start->isBeforeInBlock(other) &&
           other.getToken().getType() == start.getToken().getType();
  });
}

static LogicalResult verifyRelease(KernelOp kernel, ReleaseOp release,
                                   const DenseSet<Operation *> &pending) {
  DenseSet<Operation *> named;
  for (Value after : release.getAfter())
    for (Value token : tile::originsOf(after))
      named.insert(token.getDefiningOp());
  for (AcquireOp acquire : acquiresOf(release.getSlot())) {
    for (const AsyncUse &use : asyncUses(kernel, acquire)) {
      if (isCovered(use, named))
        continue;
      // A product that an await has retired reads no more.
      if (isa<MmaStartOp>(use.op) && !pending.contains(use.op))
        continue;
      InFlightDiagnostic diag =
          release.emitOpError("expected 'after' to name the token of "
                              "everything that uses the slot asynchronously");
      diag.attachNote(use.op->getLoc()) << "this one is missing";
      return diag;
    }
  }
  // No use of the slot's memory after it is handed over.
  for (Operation *user : release.getSlot().getUsers()) {
    auto part = dyn_cast<SlotMemOp>(user);
    if (!part)
      continue;
    for (Operation *access : part->getUsers()) {
      Operation *around = release->getBlock()->findAncestorOpInBlock(*access);
      if (around && release->isBeforeInBlock(around)) {
        InFlightDiagnostic diag = access->emitOpError(
            "uses the memory of a slot that has been released");
        diag.attachNote(release.getLoc()) << "released here";
        return diag;
      }
    }
  }
  return success();
}

/// The writing side fills slots.
static LogicalResult verifyCopyIn(CopyInOp copy) {
  auto part = copy.getDest().getDefiningOp<SlotMemOp>();
  if (!part)
    return success();
  for (AcquireOp acquire : acquiresOf(part.getSlot()))
    if (acquire.getAccess() != tile::Access::Write) {
      InFlightDiagnostic diag = copy.emitOpError(
          "expected a slot that was acquired to write, got one to read");
      diag.attachNote(acquire.getLoc()) << "acquired here";
      return diag;
    }
  return success();
}

LogicalResult helios::frag::verifySlots(KernelOp kernel) {
  tile::LinearKind kind{"slot", "release",
                        "carry it through the loop, or release it outside",
                        /*mayBeDropped=*/false,
                        /*mayLeaveBranch=*/true};
  if (failed(tile::verifyLinear(
          kernel.getBody(), kind,
          [](Value v) { return isa<SlotType>(v.getType()); },
          [](OpOperand &use) {
            return isa<ReleaseOp>(use.getOwner()) &&
                   use.getOperandNumber() == 0;
          })))
    return failure();
  PendingProducts pending = productsPendingAtReleases(kernel);
  WalkResult walk = kernel.walk([&](Operation *op) {
    if (auto release = dyn_cast<ReleaseOp>(op))
      return WalkResult(verifyRelease(kernel, release, pending[release]));
    if (auto copy = dyn_cast<CopyInOp>(op))
      return WalkResult(verifyCopyIn(copy));
    return WalkResult::advance();
  });
  return failure(walk.wasInterrupted());
}
