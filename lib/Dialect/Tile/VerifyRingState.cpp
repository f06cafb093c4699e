// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Invariants of rings that depend on the order of ops: a walk through the
// program with the slots that are held at each point.

#include "Verify.h"
#include "helios/Dialect/Tile/IR/DryRun.h"
#include "helios/Dialect/Tile/IR/Linear.h"

using namespace mlir;
using namespace helios;
using namespace helios::tile;

namespace {

/// What is known of one ring at a point of the program.
struct RingState {
  SmallVector<Value> held[2]; ///< Slots entered and not exited, oldest first,
                              ///< of the reading and the writing side.
  int64_t full =
      0; ///< Slots handed over to the reading side and not entered there yet.
  int64_t used =
      0; ///< Slots entered to write and not exited by the reading side yet.

  bool operator==(const RingState &o) const {
    return held[0] == o.held[0] && held[1] == o.held[1] && full == o.full &&
           used == o.used;
  }
};

struct State {
  llvm::MapVector<Value, RingState> rings;
  DenseMap<Value, Value>
      payload;       ///< Tiles that may be read, and the slot that holds each.
  bool turn = false; ///< Whether the replica has its role's turn.

  /// Control moves on: values are known by other names. Tiles of a renamed slot
  /// that are not renamed with it are of another slot then.
  void rename(ValueRange from, ValueRange to) {
    DenseMap<Value, Value> names;
    for (auto [f, t] : llvm::zip(from, to))
      names[f] = t;
    DenseMap<Value, Value> next;
    for (auto [tile, slot] : payload) {
      bool moved = names.contains(slot);
      if (auto it = names.find(tile); it != names.end())
        next[it->second] = moved ? names[slot] : slot;
      if (!moved)
        next[tile] = slot;
    }
    payload = std::move(next);
    for (auto &[ring, state] : rings)
      for (auto &side : state.held)
        for (Value &slot : side)
          if (auto it = names.find(slot); it != names.end())
            slot = it->second;
  }
};

class RingWalker {
public:
  LogicalResult run(ProgramOp program) {
    // A ring both of whose sides stand in one sequential part of the program
    // can be counted.
    program.walk([&](EnterOp enter) {
      Operation *role = enter->getParentOfType<RoleOp>();
      Value ring = ringOf(enter);
      auto [it, inserted] = scopes.try_emplace(ring, role);
      if (!inserted && it->second != role)
        shared.insert(ring);
    });
    State state;
    return success(succeeded(block(program.getBody().front(), state)) &&
                   succeeded(atEnd(state)));
  }

private:
  /// The ring itself, seen through the captures of roles.
  static Value ringOf(EnterOp enter) {
    return originsOf(enter.getRing()).front();
  }

  bool isCounted(Value ring) { return !shared.contains(ring); }

  LogicalResult atEnd(State &state) {
    for (auto &[ring, r] : state.rings)
      if (isCounted(ring) && r.full)
        return ring.getDefiningOp()->emitOpError(
                   "expected every written slot to be read, got ")
               << r.full << " left at the end";
    return success();
  }

  LogicalResult block(Block &block, State &state) {
    for (Operation &op : block)
      if (failed(visit(&op, state)))
        return failure();
    return success();
  }

  LogicalResult visit(Operation *op, State &state) {
    if (auto ring = dyn_cast<RingOp>(op)) {
      state.rings.insert({ring.getRing(), RingState()});
      return success();
    }
    if (auto enter = dyn_cast<EnterOp>(op))
      return visitEnter(enter, state);
    if (auto exit = dyn_cast<ExitOp>(op))
      return visitExit(exit, state);
    if (auto turn = dyn_cast<TurnOp>(op))
      return visitTurn(turn, state);
    if (failed(checkReads(op, state)) || failed(checkWrites(op, state)))
      return failure();
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      State body = state;
      body.rename(loop.getInitArgs(), loop.getRegionIterArgs());
      State before = body;
      if (failed(block(*loop.getBody(), body)))
        return failure();
      body.rename(loop.getYieldedValues(), loop.getRegionIterArgs());
      if (failed(compare(loop, before, body, "an iteration")))
        return failure();
      state.rename(loop.getInitArgs(), loop.getResults());
      return success();
    }
    if (auto loop = dyn_cast<scf::WhileOp>(op)) {
      State body = state;
      body.rename(loop.getInits(), loop.getBeforeArguments());
      State before = body;
      if (failed(block(*loop.getBeforeBody(), body)))
        return failure();
      state = body;
      state.rename(loop.getConditionOp().getArgs(), loop.getResults());
      body.rename(loop.getConditionOp().getArgs(), loop.getAfterArguments());
      if (failed(block(*loop.getAfterBody(), body)))
        return failure();
      body.rename(loop.getYieldOp()->getOperands(), loop.getBeforeArguments());
      return compare(loop, before, body, "an iteration");
    }
    if (auto branch = dyn_cast<scf::IfOp>(op)) {
      State other = state;
      if (failed(block(*branch.thenBlock(), state)))
        return failure();
      state.rename(branch.thenYield().getOperands(), branch.getResults());
      if (branch.elseBlock()) {
        if (failed(block(*branch.elseBlock(), other)))
          return failure();
        other.rename(branch.elseYield().getOperands(), branch.getResults());
      }
      return compare(branch, other, state, "a branch");
    }
    if (isa<RolesOp>(op)) {
      for (RoleOp role : cast<RolesOp>(op).getBody().front().getOps<RoleOp>()) {
        State inner = state;
        if (failed(block(role.getBody().front(), inner)) ||
            failed(atEnd(inner)))
          return failure();
        if (inner.turn)
          return role.emitOpError("expected the turn to be passed on before "
                                  "the end of the role");
      }
      return success();
    }
    for (Region &region : op->getRegions())
      for (Block &inner : region) {
        State before = state;
        if (failed(block(inner, state)) ||
            failed(compare(op, before, state, "the region")))
          return failure();
      }
    return success();
  }

  static LogicalResult visitTurn(TurnOp turn, State &state) {
    bool takes = turn.getTurn() == Turn::Take;
    if (state.turn == takes)
      return turn.emitOpError(takes ? "takes a turn that the replica has; "
                                      "expected it to be passed on before"
                                    : "passes on a turn that the replica does "
                                      "not have; expected it to be taken "
                                      "before");
    state.turn = takes;
    return success();
  }

  LogicalResult visitEnter(EnterOp enter, State &state) {
    Value ring = ringOf(enter);
    if (isReadInTurns(enter) && !state.turn) {
      auto role = enter->getParentOfType<RoleOp>();
      return enter.emitOpError("waits for a slot that not every replica reads; "
                               "expected it behind 'tile.turn take', or ")
             << *role.getReplicas() << " readers, got "
             << enter.getRing().getType().getReaders();
    }
    RingState &r = state.rings[ring];
    int64_t depth = cast<RingType>(ring.getType()).getDepth();
    if (enter.getAccess() == Access::Write) {
      if (isCounted(ring) && r.used >= depth)
        return enter.emitOpError("waits for ever: expected fewer than ")
               << depth << " slots of the ring in use here, got " << r.used;
      ++r.used;
    } else {
      if (isCounted(ring) && r.full < 1)
        return enter.emitOpError("waits for ever: expected a slot to have been "
                                 "written before, got none");
      --r.full;
      for (Value tile : enter.getPayload())
        state.payload[tile] = enter.getSlot();
    }
    r.held[int(enter.getAccess())].push_back(enter.getSlot());
    return success();
  }

  LogicalResult visitExit(ExitOp exit, State &state) {
    Value slot = exit.getSlot();
    for (auto &[ring, r] : state.rings)
      for (Access side : {Access::Read, Access::Write}) {
        auto &held = r.held[int(side)];
        auto *it = llvm::find(held, slot);
        if (it == held.end())
          continue;
        if (it != held.begin()) {
          InFlightDiagnostic diag =
              exit.emitOpError("expected slots to be exited in the order in "
                               "which they were entered, got one "
                               "before ")
              << it - held.begin() << " older";
          diag.attachNote(held.front().getLoc()) << "the oldest is this one";
          return diag;
        }
        held.erase(it);
        if (side == Access::Read)
          --r.used;
        else
          ++r.full;
      }
    SmallVector<Value> gone;
    for (auto [tile, holder] : state.payload)
      if (holder == slot)
        gone.push_back(tile);
    for (Value tile : gone)
      state.payload.erase(tile);
    return success();
  }

  /// The tile in a slot that a value is a part or the transpose of.
  static Value wholeTile(Value value) {
    while (Operation *op = value.getDefiningOp()) {
      if (!isa<SliceOp, TransposeOp>(op))
        break;
      value = op->getOperand(0);
    }
    return value;
  }

  LogicalResult checkReads(Operation *op, State &state) {
    if (isa<SliceOp, TransposeOp>(op) ||
        op->hasTrait<OpTrait::IsTerminator>() || isa<LoopLikeOpInterface>(op))
      return success();
    for (Value operand : op->getOperands()) {
      LayoutAttrInterface layout = getLayout(operand.getType());
      if (!layout || !layout.isMemory())
        continue;
      Value tile = wholeTile(operand);
      bool fromSlot = llvm::any_of(
          originsOf(tile), [](Value v) { return v.getDefiningOp<EnterOp>(); });
      if (fromSlot && !state.payload.contains(tile))
        return op->emitOpError("reads a tile whose slot has been exited; "
                               "expected the exit after it");
    }
    return success();
  }

  /// What is written into a slot is in front of its exit.
  LogicalResult checkWrites(Operation *op, State &state) {
    Value slot;
    if (auto put = dyn_cast<PutOp>(op))
      slot = put.getSlot();
    else if (auto copy = dyn_cast<CopyInOp>(op))
      slot = copy.getSlot();
    if (!slot || llvm::any_of(state.rings, [&](auto &entry) {
          return llvm::is_contained(entry.second.held[int(Access::Write)],
                                    slot);
        }))
      return success();
    return op->emitOpError("writes into a slot that is not held here; "
                           "expected its exit after this");
  }

  LogicalResult compare(Operation *op, State &before, State &after,
                        StringRef what) {
    if (before.turn != after.turn)
      return op->emitOpError("expected ")
             << what << " to have the turn at its end as at its start";
    for (auto &[ring, b] : before.rings) {
      RingState &a = after.rings[ring];
      for (Access side : {Access::Read, Access::Write})
        if (a.held[int(side)] != b.held[int(side)])
          return op->emitOpError("expected ")
                 << what << " to hold the same slots to "
                 << stringifyAccess(side)
                 << " at its end as at its start, in the same order; "
                 << b.held[int(side)].size() << " at the start, "
                 << a.held[int(side)].size() << " at the end";
      if (isCounted(ring) && (a.full != b.full || a.used != b.used))
        return op->emitOpError("expected ")
               << what << " to write as many slots of a ring as it reads, got "
               << a.used - b.used << " more entered to write than exited, "
               << a.full - b.full << " more written than entered to read";
    }
    return success();
  }

  DenseMap<Value, Operation *> scopes;
  DenseSet<Value> shared;
};

} // namespace

/// What an op does on one side of a ring.
static std::optional<RingStep> stepOf(Operation *op) {
  auto enter = dyn_cast<EnterOp>(op);
  auto exit = dyn_cast<ExitOp>(op);
  if (exit)
    enter = originsOf(exit.getSlot()).front().getDefiningOp<EnterOp>();
  if (!enter)
    return std::nullopt;
  RingStep step;
  step.op = op;
  step.ring = originsOf(enter.getRing()).front();
  step.depth = enter.getRing().getType().getDepth();
  step.side = enter.getAccess();
  step.enters = !exit;
  step.ofReplica = enter.getRing().getType().getScope() == RingScope::Replica;
  step.cursor = enter.getCursor();
  step.next = enter.getNext();
  return step;
}

/// What is read from memory, of which nothing is known: some number of rows.
static constexpr int64_t kElement = 300;

/// The first workgroup, which is the only one.
static std::optional<int64_t> numberOf(Operation *op) {
  if (isa<ElementOp>(op))
    return kElement;
  if (isa<RankOp>(op))
    return 0;
  auto id = dyn_cast<IdOp>(op);
  if (!id)
    return std::nullopt;
  return id.getKind() == IdKind::Workgroups || id.getKind() == IdKind::Clusters;
}

static int64_t replicasOf(Operation *op) {
  auto role = dyn_cast<RoleOp>(op);
  return role ? role.getReplicas().value_or(1) : 1;
}

LogicalResult helios::tile::verifyRingStates(ProgramOp program) {
  if (failed(RingWalker().run(program)))
    return failure();
  SmallVector<Operation *> roles;
  bool inTurns = false;
  program.walk([&](Operation *op) {
    if (isa<RoleOp>(op))
      roles.push_back(op);
    inTurns |= isa<TurnOp>(op);
  });
  // Replicas that take turns enter different slots; one does not stand for all.
  if (roles.empty() || inTurns)
    return success();
  return verifyRolesMeet(program, roles, {stepOf, numberOf, replicasOf});
}
