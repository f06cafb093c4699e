// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Invariants of rings that hold value by value: cursors and slots are used up
// once, exits name what used the slot.

#include "Verify.h"
#include "helios/Dialect/Tile/IR/Linear.h"
#include "llvm/ADT/BitVector.h"

using namespace mlir;
using namespace helios;
using namespace helios::tile;

/// The cursors that one side of some ring moves through: an enter of the side
/// takes them, now or later.
static DenseSet<Value> cursorsOf(ProgramOp program, Access side) {
  DenseSet<Value> cursors;
  bool changed = true;
  auto add = [&](Value v) { changed |= cursors.insert(v).second; };
  while (changed) {
    changed = false;
    program.walk([&](Operation *op) {
      if (auto enter = dyn_cast<EnterOp>(op);
          enter && enter.getAccess() == side) {
        add(enter.getCursor());
        add(enter.getNext());
      }
      if (auto advance = dyn_cast<AdvanceOp>(op);
          advance && cursors.contains(advance.getNext()))
        add(advance.getCursor());
      for (OpOperand &use : op->getOpOperands()) {
        if (!isa<CursorType>(use.get().getType()))
          continue;
        // An argument of the side makes what flows into it the side's, and a
        // result that it flows into as well.
        // So does what an enter of the side gives.
        SmallVector<Value> to = carriedTo(use);
        auto enter = use.get().getDefiningOp<EnterOp>();
        if ((enter && enter.getAccess() == side) ||
            llvm::any_of(to, [&](Value v) { return cursors.contains(v); })) {
          add(use.get());
          for (Value v : to)
            add(v);
        }
      }
    });
  }
  return cursors;
}

static LogicalResult verifyCursors(ProgramOp program, Access side) {
  DenseSet<Value> cursors = cursorsOf(program, side);
  std::string name = stringifyAccess(side).str();
  LinearKind kind{"cursor", "enter to " + name,
                  "carry its successor through the loop", /*mayBeDropped=*/true,
                  /*mayLeaveBranch=*/true};
  if (failed(verifyLinear(
          program.getBody(), kind, [&](Value v) { return cursors.contains(v); },
          [&](OpOperand &use) {
            auto enter = dyn_cast<EnterOp>(use.getOwner());
            auto advance = dyn_cast<AdvanceOp>(use.getOwner());
            return (enter && enter.getAccess() == side) ||
                   (advance && cursors.contains(advance.getNext()));
          })))
    return failure();
  // What a loop carries on must descend from what it received.
  WalkResult walk = program.walk([&](scf::ForOp loop) -> WalkResult {
    for (auto [i, arg] : llvm::enumerate(loop.getRegionIterArgs())) {
      if (!cursors.contains(arg))
        continue;
      Value v = loop.getYieldedValues()[i];
      while (v != arg) {
        if (auto enter = v.getDefiningOp<EnterOp>()) {
          v = enter.getCursor();
        } else if (auto advance = v.getDefiningOp<AdvanceOp>()) {
          v = advance.getCursor();
        } else if (auto inner = v.getDefiningOp<scf::ForOp>()) {
          v = inner.getInitArgs()[cast<OpResult>(v).getResultNumber()];
        } else if (auto branch = v.getDefiningOp<scf::IfOp>()) {
          v = branch.thenYield()->getOperand(
              cast<OpResult>(v).getResultNumber());
        } else if (auto inner = v.getDefiningOp<scf::WhileOp>()) {
          // The condition passes its arguments on, in any order; follow the one
          // that the result shows.
          Value passed = inner.getConditionOp()
                             .getArgs()[cast<OpResult>(v).getResultNumber()];
          while (auto enter = passed.getDefiningOp<EnterOp>())
            passed = enter.getCursor();
          auto before = dyn_cast<BlockArgument>(passed);
          if (!before || before.getOwner() != inner.getBeforeBody())
            break;
          v = inner.getInits()[before.getArgNumber()];
        } else {
          break;
        }
      }
      if (v != arg)
        return loop.emitOpError("expected argument #")
               << i << " to carry on the successor of the " << name
               << " cursor that it received, got another cursor";
    }
    return WalkResult::advance();
  });
  return failure(walk.wasInterrupted());
}

/// The enters behind a slot.
static SmallVector<EnterOp> entersOf(Value slot) {
  SmallVector<EnterOp> enters;
  for (Value v : originsOf(slot))
    if (auto enter = v.getDefiningOp<EnterOp>())
      enters.push_back(enter);
  return enters;
}

/// The ops that read a tile in shared memory, through slices and transposes.
static void collectReaders(Value tile, SmallVectorImpl<Operation *> &readers) {
  for (Operation *user : tile.getUsers()) {
    if (isa<SliceOp, TransposeOp>(user))
      collectReaders(user->getResult(0), readers);
    else if (!isa<ExitOp>(user) && !user->hasTrait<OpTrait::IsTerminator>() &&
             !isa<LoopLikeOpInterface>(user))
      readers.push_back(user);
  }
}

static LogicalResult verifyExit(ExitOp exit) {
  DenseSet<Operation *> named;
  for (Value after : exit.getAfter()) {
    for (Value v : originsOf(after))
      named.insert(v.getDefiningOp());
    // The result of a loop names every op in it.
    if (Operation *loop = after.getDefiningOp();
        isa_and_nonnull<LoopLikeOpInterface>(loop))
      loop->walk([&](Operation *op) { named.insert(op); });
  }
  for (EnterOp enter : entersOf(exit.getSlot())) {
    SmallVector<Operation *> wanted;
    if (enter.getAccess() == Access::Write) {
      for (OpOperand &use : enter.getSlot().getUses())
        if (isa<CopyInOp>(use.getOwner()))
          wanted.push_back(use.getOwner());
    } else {
      for (Value tile : enter.getPayload())
        if (isa<RankedTensorType>(tile.getType()))
          collectReaders(tile, wanted);
    }
    for (Operation *op : wanted)
      if (!named.contains(op)) {
        InFlightDiagnostic diag = exit.emitOpError(
            enter.getAccess() == Access::Write
                ? "expected 'after' to name every copy into the slot"
                : "expected 'after' to name a result of every op that read the "
                  "slot");
        diag.attachNote(op->getLoc()) << "this one is missing";
        return diag;
      }
  }
  return success();
}

bool helios::tile::isReadInTurns(EnterOp enter) {
  RingType ring = enter.getRing().getType();
  auto role = enter->getParentOfType<RoleOp>();
  return role && enter.getAccess() == Access::Read &&
         ring.getScope() != RingScope::Replica &&
         ring.getReaders() < int64_t(role.getReplicas().value_or(1));
}

/// Slots may be passed over where another replica reads them: on the reading
/// side of a ring with fewer readers than its role has replicas.
static LogicalResult verifyAdvance(AdvanceOp advance) {
  SmallVector<Value> work{advance.getNext()};
  DenseSet<Value> seen;
  while (!work.empty()) {
    Value cursor = work.pop_back_val();
    if (!seen.insert(cursor).second)
      continue;
    for (OpOperand &use : cursor.getUses()) {
      llvm::append_range(work, carriedTo(use));
      auto enter = dyn_cast<EnterOp>(use.getOwner());
      if (!enter)
        continue;
      RingType ring = enter.getRing().getType();
      if (!isReadInTurns(enter))
        return advance.emitOpError("passes over slots that nobody else ")
               << (enter.getAccess() == Access::Read ? "reads" : "writes")
               << "; expected the reading side of a ring with fewer readers "
                  "than its role has replicas, got "
               << ring;
    }
  }
  return success();
}

/// Every tile and number of a slot is written before it is handed over.
static LogicalResult verifyWritten(EnterOp enter) {
  ArrayRef<Type> payload = enter.getRing().getType().getPayload();
  llvm::BitVector written(payload.size());
  for (Operation *user : enter.getSlot().getUsers()) {
    if (auto put = dyn_cast<PutOp>(user))
      written.set(put.getIndex());
    else if (auto copy = dyn_cast<CopyInOp>(user))
      written.set(copy.getIndex());
    else if (!isa<ExitOp>(user))
      return success(); // carried to where it is written
  }
  if (enter.getAccess() == Access::Read || written.all())
    return success();
  int missing = written.find_first_unset();
  return enter.emitOpError("expected every part of the slot to be written, got "
                           "neither tile.copy_in nor tile.put of #")
         << missing << ", " << payload[missing];
}

/// A ring has both sides or none: a side alone waits for ever.
static LogicalResult verifySides(ProgramOp program) {
  llvm::MapVector<Value, unsigned> sides;
  program.walk([&](EnterOp enter) {
    for (Value ring : originsOf(enter.getRing()))
      sides[ring] |= 1u << unsigned(enter.getAccess());
  });
  for (auto [ring, mask] : sides)
    if (mask != 3)
      return emitError(ring.getLoc())
             << "expected both sides of the ring to be entered, got only the "
                "side that "
             << (mask == 1u << unsigned(Access::Read) ? "reads" : "writes");
  return success();
}

LogicalResult helios::tile::verifyRings(ProgramOp program) {
  bool any = false;
  program.walk([&](RingOp) { any = true; });
  if (!any)
    return success();
  LinearKind slot{"slot", "exit",
                  "carry it through the loop, or exit it outside",
                  /*mayBeDropped=*/false, /*mayLeaveBranch=*/true};
  if (failed(verifyCursors(program, Access::Read)) ||
      failed(verifyCursors(program, Access::Write)) ||
      failed(verifyLinear(
          program.getBody(), slot,
          [](Value v) { return isa<SlotType>(v.getType()); },
          [](OpOperand &use) {
            return isa<ExitOp>(use.getOwner()) && use.getOperandNumber() == 0;
          })))
    return failure();
  WalkResult walk = program.walk([&](Operation *op) -> WalkResult {
    if (auto exit = dyn_cast<ExitOp>(op))
      return WalkResult(verifyExit(exit));
    if (auto advance = dyn_cast<AdvanceOp>(op))
      return WalkResult(verifyAdvance(advance));
    if (auto enter = dyn_cast<EnterOp>(op))
      return WalkResult(verifyWritten(enter));
    return WalkResult::advance();
  });
  return success(!walk.wasInterrupted() && succeeded(verifySides(program)));
}
