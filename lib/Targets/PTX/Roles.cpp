// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Roles: ranges of lanes with a register budget and a program of their own. A
// role is a branch on a number that the compiler below sees to be the same in
// every lane of a warp; the budget comes first in it.

#include "InlinePtx.h"
#include "KernelLowering.h"

using namespace mlir;
using namespace helios;
using namespace helios::ptx;

/// A value that every lane of the warp holds alike, as its first lane has it.
Value KernelLowering::uniform(Value value) {
  Type type = value.getType();
  if (type.isInteger(64)) {
    Value low = uniform(toI32(value));
    Value high =
        uniform(toI32(arith::ShRUIOp::create(b, value, i64(32)).getResult()));
    return arith::OrIOp::create(
        b, arith::ExtUIOp::create(b, b.getI64Type(), low),
        arith::ShLIOp::create(
            b, arith::ExtUIOp::create(b, b.getI64Type(), high), i64(32)));
  }
  return NVVM::ShflOp::create(b, type, i32(-1), value, i32(0), i32(31),
                              NVVM::ShflKind::idx, UnitAttr());
}

Value KernelLowering::leaderLane() {
  Lanes &now = lanes.back();
  if (now.count == 1)
    return {};
  if (!now.leader) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(now.marker);
    now.leader =
        arith::CmpIOp::create(b, arith::CmpIPredicate::eq, now.number, i32(0));
  }
  return now.leader;
}

void KernelLowering::ifLeader(function_ref<void()> emit) {
  Value leader = leaderLane();
  if (!leader)
    return emit();
  auto branch = scf::IfOp::create(b, leader, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  emit();
}

void KernelLowering::groupBarrier() {
  const Lanes &now = lanes.back();
  if (now.count == 32) {
    NVVM::SyncWarpOp::create(b, i32(-1));
    return;
  }
  if (now.barrier == 0) {
    NVVM::BarrierOp::create(b);
    return;
  }
  Value id = i32(now.barrier);
  if (now.replica)
    id = add(id, now.replica);
  NVVM::BarrierOp::create(b, TypeRange(), id, i32(now.count),
                          NVVM::BarrierReductionAttr(), Value());
}

static bool takesTurns(frag::RoleOp role) {
  return role.walk([](frag::TurnOp) { return WalkResult::interrupt(); })
      .wasInterrupted();
}

/// Each replica has a barrier at which it waits for its turn and the replica
/// before arrives without waiting. Only these two meet there.
void KernelLowering::lowerTurn(tile::Turn turn) {
  const Lanes &now = lanes.back();
  Value whose = now.replica;
  if (turn == tile::Turn::Pass) {
    Value next = addConstant(whose, 1);
    Value last = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, next,
                                       i32(now.replicas));
    whose = arith::SelectOp::create(b, last, i32(0), next);
  }
  Value id = addConstant(whose, now.turn), count = i32(2 * now.count);
  if (turn == tile::Turn::Take)
    NVVM::BarrierOp::create(b, TypeRange(), id, count,
                            NVVM::BarrierReductionAttr(), Value());
  else
    inlinePtx(b, "bar.arrive $0, $1;", {}, {}, {id, count});
}

/// True if one lane can run the whole role: it issues copies and counts.
static bool runsOnOneLane(frag::RoleOp role) {
  WalkResult walk = role.getBody().walk([](Operation *op) -> WalkResult {
    for (Type type : op->getResultTypes())
      if (isa<frag::FragmentType, frag::InFlightType>(type))
        return WalkResult::interrupt();
    if (isa<frag::BarrierOp, frag::WriteOp, frag::CopyOutOp>(op))
      return WalkResult::interrupt();
    // A slot that lanes read is handed back by all of them.
    if (auto acquire = dyn_cast<frag::AcquireOp>(op))
      if (acquire.getAccess() == tile::Access::Read)
        return WalkResult::interrupt();
    if (auto copy = dyn_cast<frag::CopyInOp>(op);
        copy && copy.getCopy().getIssueLanes() != 1)
      return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return !walk.wasInterrupted();
}

static bool hasStores(Operation *op) {
  return op->walk([](frag::CopyOutOp) { return WalkResult::interrupt(); })
      .wasInterrupted();
}

void KernelLowering::drainStores(Operation *scope) {
  if (hasStores(scope))
    ifLeader([&] {
      NVVM::CpAsyncBulkWaitGroupOp::create(b, b.getI32IntegerAttr(0),
                                           UnitAttr());
    });
}

LogicalResult KernelLowering::setRegisterBudget(frag::RoleOp role) {
  if (!role.getRegs())
    return success();
  int64_t regs = *role.getRegs(), entry = kernel.getRegs().value_or(0);
  if (!entry)
    return role.emitOpError("expected the kernel to cap registers at entry "
                            "('regs'), else a role's budget has no effect");
  if (role.getFirst() % 128 || role.getLast() % 128)
    return role.emitOpError("expected whole warpgroups of 128 lanes for a "
                            "register budget, got lanes ")
           << role.getFirst() << " to " << role.getLast();
  if (regs != entry)
    NVVM::SetMaxRegisterOp::create(b, regs,
                                   regs > entry
                                       ? NVVM::SetMaxRegisterAction::increase
                                       : NVVM::SetMaxRegisterAction::decrease);
  return success();
}

LogicalResult KernelLowering::lowerRoleBody(frag::RoleOp role, Value unit,
                                            int64_t unitLanes) {
  int64_t first = role.getFirst(), all = int64_t(role.getLast()) - first,
          count = role.getLanesPerReplica().value_or(all);
  if (failed(setRegisterBudget(role)))
    return failure();
  Lanes now;
  bool single = runsOnOneLane(role);
  now.count = single ? 1 : count;
  if (all != count) {
    now.replica = unitLanes == 1 ? unit : addConstant(unit, -first / unitLanes);
    if (count != unitLanes)
      now.replica =
          arith::DivUIOp::create(b, now.replica, i32(count / unitLanes));
  }
  if (!single) {
    Value number = addConstant(invocation(), -first);
    now.number = all == count ? number
                 : llvm::isPowerOf2_64(count)
                     ? Value(arith::AndIOp::create(b, number, i32(count - 1)))
                     : Value(arith::RemUIOp::create(b, number, i32(count)));
  }
  now.barrier = nextBarrier;
  if (!single)
    nextBarrier += all / count;
  now.replicas = all / count;
  if (takesTurns(role)) {
    now.turn = nextBarrier;
    nextBarrier += now.replicas;
  }
  if (nextBarrier > 16)
    return role.emitOpError("expected at most 15 replicas of roles, each with "
                            "a barrier of its own and one for its turn, got ")
           << nextBarrier - 1 << " barriers";
  OpBuilder::InsertionGuard guard(b);
  if (single) {
    // One lane of the first warp, in a form in which the compiler below knows
    // that there is one.
    Value warp = uniform(arith::ShRUIOp::create(b, invocation(), i32(5)));
    auto inWarp =
        scf::IfOp::create(b,
                          arith::CmpIOp::create(b, arith::CmpIPredicate::eq,
                                                warp, i32(first / 32)),
                          /*withElseRegion=*/false);
    b.setInsertionPointToStart(inWarp.thenBlock());
    auto elected = scf::IfOp::create(
        b, NVVM::ElectSyncOp::create(b, b.getI1Type(), Value()),
        /*withElseRegion=*/false);
    b.setInsertionPointToStart(elected.thenBlock());
    now.number = i32(0);
  }
  now.marker = LLVM::UndefOp::create(b, b.getI32Type());
  Block &body = role.getBody().front();
  if (body.getNumArguments() > 0) {
    Value replica = now.replica ? now.replica : i32(0);
    setScalar(body.getArgument(0),
              arith::ExtUIOp::create(b, b.getI64Type(), replica));
  }
  lanes.push_back(std::move(now));
  // The last replica passes the first turn on.
  if (lanes.back().turn) {
    Value last =
        arith::CmpIOp::create(b, arith::CmpIPredicate::eq, lanes.back().replica,
                              i32(lanes.back().replicas - 1));
    auto branch = scf::IfOp::create(b, last, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard inner(b);
    b.setInsertionPointToStart(branch.thenBlock());
    lowerTurn(tile::Turn::Pass);
  }
  LogicalResult result = lowerBlock(body);
  if (succeeded(result))
    drainStores(role);
  lanes.back().marker->erase();
  lanes.pop_back();
  return result;
}

/// The roles of a kernel are a chain of branches that ends it.
LogicalResult KernelLowering::lowerRoles(frag::RoleOp op) {
  if (loweredRoles)
    return success();
  loweredRoles = true;
  SmallVector<frag::RoleOp> roles;
  for (Operation *next = op; next; next = next->getNextNode()) {
    if (auto role = dyn_cast<frag::RoleOp>(next))
      roles.push_back(role);
    else if (!next->hasTrait<OpTrait::IsTerminator>() && !isPure(next))
      return next->emitOpError("expected nothing but roles behind the first "
                               "role of a kernel; put it into a role");
    else if (!next->hasTrait<OpTrait::IsTerminator>() && failed(lowerOp(next)))
      return failure();
  }
  int64_t unitLanes = 128, end = 0;
  for (frag::RoleOp role : roles) {
    if (int64_t(role.getFirst()) < end)
      return role.emitOpError("expected lanes from ")
             << end << " on, behind those of the role before, got "
             << role.getFirst();
    end = role.getLast();
    for (int64_t lane : {int64_t(role.getFirst()), int64_t(role.getLast()),
                         int64_t(role.getLanesPerReplica().value_or(0))})
      while (lane % unitLanes)
        unitLanes /= 2;
  }
  if (unitLanes < 32)
    return op.emitOpError("expected roles of whole warps of 32 lanes");
  Value unit = uniform(
      arith::ShRUIOp::create(b, invocation(), i32(llvm::Log2_64(unitLanes))));
  OpBuilder::InsertionGuard guard(b);
  int64_t covered = 0;
  for (frag::RoleOp role : roles) {
    b.setLoc(role.getLoc());
    bool rest = int64_t(role.getFirst()) == covered &&
                int64_t(role.getLast()) == int64_t(kernel.getThreads());
    covered = role.getLast();
    if (rest)
      return lowerRoleBody(role, unit, unitLanes);
    Value inside = arith::CmpIOp::create(
        b, arith::CmpIPredicate::ult,
        addConstant(unit, -int64_t(role.getFirst()) / unitLanes),
        i32((role.getLast() - role.getFirst()) / unitLanes));
    auto branch = scf::IfOp::create(b, inside, /*withElseRegion=*/true);
    b.setInsertionPointToStart(branch.thenBlock());
    if (failed(lowerRoleBody(role, unit, unitLanes)))
      return failure();
    b.setInsertionPointToStart(branch.elseBlock());
  }
  return success();
}
