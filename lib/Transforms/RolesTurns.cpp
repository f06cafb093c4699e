// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// tile-roles, second step where replicas take work items in turns.
//
// The role that copies fills rings item by item. A replica reads the slots of
// its own items and advances its cursor past those of the others, whose number
// is that of the enters in an item. Slots are entered in a turn, and the turn
// is passed on once an item's last slot has been: the next replica multiplies
// while this one stores.

#include "Roles.h"
#include "helios/Dialect/Tile/Utils/Facts.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace helios;
using namespace helios::tile;

namespace {

bool holdsEnter(Operation *op) {
  return op->walk([](EnterOp) { return WalkResult::interrupt(); })
      .wasInterrupted();
}

/// The loop over work items that the role's workgroup takes: its stride is the
/// number of those that take them.
bool isOverItems(scf::ForOp loop) {
  auto id = loop.getStep().getDefiningOp<IdOp>();
  return id && (id.getKind() == IdKind::Workgroups ||
                id.getKind() == IdKind::Clusters);
}

class Turns {
public:
  Turns(RoleOp role, Value replica, int64_t turns)
      : role(role), replica(replica), turns(turns) {}

  LogicalResult run() {
    if (failed(findItems()))
      return failure();
    Location loc = items.getLoc();
    Value first = items.getLowerBound(), stride = items.getStep();
    OpBuilder before(items), end(items.getBody()->getTerminator());
    Operation *yield = items.getBody()->getTerminator();
    for (auto [i, arg] : llvm::enumerate(items.getRegionIterArgs())) {
      if (failed(findLoops(arg, yield->getOperand(i))))
        return failure();
      Value start = items.getInitArgs()[i], next = yield->getOperand(i);
      for (int64_t turn = 0; turn + 1 < turns; ++turn) {
        // Items that replicas of smaller numbers begin with.
        Value place = arith::ConstantIndexOp::create(before, loc, turn);
        Value earlier = arith::CmpIOp::create(
            before, loc, arith::CmpIPredicate::ugt, replica, place);
        FailureOr<Value> skipped =
            slotsOf(before, itemAfter(before, first, stride, turn), earlier);
        // Items that the others take before this replica's next one.
        FailureOr<Value> others = slotsOf(
            end, itemAfter(end, items.getInductionVar(), stride, turn + 1),
            Value());
        if (failed(skipped) || failed(others))
          return failure();
        start = AdvanceOp::create(before, loc, start, *skipped);
        next = AdvanceOp::create(end, loc, next, *others);
      }
      items.getInitArgsMutable()[i].assign(start);
      yield->setOperand(i, next);
    }
    items.setLowerBound(arith::AddIOp::create(
        before, loc, first,
        arith::MulIOp::create(before, loc, replica, stride)));
    items.setStep(arith::MulIOp::create(
        before, loc, stride,
        arith::ConstantIndexOp::create(before, loc, turns)));
    placeTurns();
    return success();
  }

private:
  LogicalResult findItems() {
    for (Operation &op : role.getBody().front().without_terminator()) {
      if (!holdsEnter(&op))
        continue;
      auto loop = dyn_cast<scf::ForOp>(op);
      if (!loop || !isOverItems(loop) || items)
        return op.emitOpError("is outside of a loop over work items; expected "
                              "one such loop, with the number of workgroups "
                              "as its step, for replicas that take items in "
                              "turns; use items = persistent");
      items = loop;
    }
    for (Value arg : items.getRegionIterArgs())
      if (!isa<CursorType>(arg.getType()))
        return items.emitOpError("expected only cursors to be carried from one "
                                 "work item to the next by replicas that take "
                                 "items in turns, got ")
               << arg.getType();
    return success();
  }

  /// Finds the enters and loops through which an item moves a cursor on.
  LogicalResult findLoops(Value from, Value to) {
    enters = 0;
    loops.clear();
    while (to != from) {
      if (auto enter = to.getDefiningOp<EnterOp>()) {
        ++enters;
        to = enter.getCursor();
        continue;
      }
      auto loop = to.getDefiningOp<scf::ForOp>();
      if (!loop)
        return items.emitOpError("expected an item's cursor to move on by "
                                 "enters and loops of enters, got one that a ")
               << (to.getDefiningOp()
                       ? to.getDefiningOp()->getName().getStringRef()
                       : StringRef("region"))
               << " moves";
      unsigned n = cast<OpResult>(to).getResultNumber();
      int64_t each = 0;
      Value inner = loop.getYieldedValues()[n];
      for (; inner != loop.getRegionIterArg(n); ++each) {
        auto enter = inner.getDefiningOp<EnterOp>();
        if (!enter)
          return loop.emitOpError("expected every trip to enter as many slots "
                                  "as any other, for replicas that take items "
                                  "in turns");
        inner = enter.getCursor();
      }
      loops.push_back({loop, each});
      to = loop.getInitArgs()[n];
    }
    return success();
  }

  Value itemAfter(OpBuilder &b, Value item, Value stride, int64_t times) {
    if (times == 0)
      return item;
    Value by = arith::MulIOp::create(
        b, item.getLoc(), stride,
        arith::ConstantIndexOp::create(b, item.getLoc(), times));
    return arith::AddIOp::create(b, item.getLoc(), item, by);
  }

  /// The slots of an item, or none where `condition` is given and false.
  /// What an item beyond the last one would take cannot be computed and need
  /// not.
  FailureOr<Value> slotsOf(OpBuilder &b, Value item, Value condition) {
    Location loc = items.getLoc();
    bool varies = llvm::any_of(loops, [&](Loop &loop) {
      return llvm::any_of(loop.op.getOperands().take_front(3), [&](Value v) {
        return !items.isDefinedOutsideOfLoop(v);
      });
    });
    if (!varies) {
      FailureOr<Value> slots = count(b, item);
      if (failed(slots) || !condition)
        return slots;
      Value zero = arith::ConstantIndexOp::create(b, loc, 0);
      return Value(
          arith::SelectOp::create(b, loc, condition, *slots, zero).getResult());
    }
    Value exists = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt,
                                         item, items.getUpperBound());
    if (condition)
      exists = arith::AndIOp::create(b, loc, exists, condition);
    auto branch = scf::IfOp::create(b, loc, b.getIndexType(), exists,
                                    /*withElseRegion=*/true);
    OpBuilder then = branch.getThenBodyBuilder(),
              other = branch.getElseBodyBuilder();
    FailureOr<Value> slots = count(then, item);
    if (failed(slots))
      return failure();
    scf::YieldOp::create(then, loc, *slots);
    Value zero = arith::ConstantIndexOp::create(other, loc, 0);
    scf::YieldOp::create(other, loc, zero);
    return branch.getResult(0);
  }

  FailureOr<Value> count(OpBuilder &b, Value item) {
    Location loc = items.getLoc();
    IRMapping map;
    map.map(items.getInductionVar(), item);
    Value sum = arith::ConstantIndexOp::create(b, loc, enters);
    for (Loop &loop : loops) {
      SmallVector<Value> bounds;
      for (Value bound : loop.op.getOperands().take_front(3)) {
        FailureOr<Value> value = cloned(b, bound, map);
        if (failed(value))
          return loop.op.emitOpError(
              "expected a number of trips that can be computed for each work "
              "item, for replicas that take items in turns");
        bounds.push_back(*value);
      }
      Value trips = b.createOrFold<arith::SubIOp>(loc, bounds[1], bounds[0]);
      if (knownRange(trips).low < 0)
        trips = arith::MaxSIOp::create(
            b, loc, trips, arith::ConstantIndexOp::create(b, loc, 0));
      trips = b.createOrFold<arith::CeilDivUIOp>(loc, trips, bounds[2]);
      Value each = arith::ConstantIndexOp::create(b, loc, loop.each);
      sum = b.createOrFold<arith::AddIOp>(
          loc, sum, b.createOrFold<arith::MulIOp>(loc, trips, each));
    }
    return sum;
  }

  /// A value of the loop's body, computed for another item.
  FailureOr<Value> cloned(OpBuilder &b, Value value, IRMapping &map) {
    if (Value known = map.lookupOrNull(value))
      return known;
    if (items.isDefinedOutsideOfLoop(value))
      return value;
    Operation *op = value.getDefiningOp();
    if (!op || op->getNumRegions() || !isMemoryEffectFree(op))
      return failure();
    for (Value operand : op->getOperands()) {
      FailureOr<Value> copy = cloned(b, operand, map);
      if (failed(copy))
        return failure();
      map.map(operand, *copy);
    }
    b.clone(*op, map);
    return map.lookup(value);
  }

  /// The turn holds everything that enters slots.
  void placeTurns() {
    Operation *first = nullptr, *last = nullptr;
    for (Operation &op : *items.getBody())
      if (holdsEnter(&op)) {
        first = first ? first : &op;
        last = &op;
      }
    OpBuilder b(first);
    TurnOp::create(b, items.getLoc(), Turn::Take);
    b.setInsertionPointAfter(last);
    TurnOp::create(b, items.getLoc(), Turn::Pass);
  }

  struct Loop {
    scf::ForOp op;
    int64_t each; ///< Slots of a trip.
  };

  RoleOp role;
  Value replica;
  int64_t turns;
  scf::ForOp items;
  int64_t enters = 0; ///< Of an item, outside of loops.
  SmallVector<Loop> loops;
};

} // namespace

LogicalResult helios::takeTurns(RoleOp role, Value replica, int64_t turns) {
  return Turns(role, replica, turns).run();
}
