// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// tile-roles: a sequential program over rings becomes concurrent roles.
//
// A role is a projection of the program: the ops that it owns, in their order,
// with the loops around them and whatever computes their operands. Both roles
// walk the same items and steps, so what one enters the other exits.

#include "Roles.h"
#include "helios/Dialect/Tile/Utils/Select.h"
#include "helios/Transforms/Passes.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

namespace helios {
#define GEN_PASS_DEF_TILEROLES
#include "helios/Transforms/Passes.h.inc"
} // namespace helios

using namespace mlir;
using namespace helios;
using namespace helios::tile;

namespace {

/// The ring that an enter, or an exit or copy through its slot, works on.
RingType ringOf(Value slot) {
  for (Value origin : originsOf(slot))
    if (auto enter = origin.getDefiningOp<EnterOp>())
      return enter.getRing().getType();
  return {};
}

/// True for the writing side of a ring that an engine fills.
bool isLoading(Operation *op) {
  if (auto enter = dyn_cast<EnterOp>(op))
    return enter.getAccess() == Access::Write &&
           enter.getRing().getType().getKind() == RingKind::Load;
  Value slot;
  if (auto exit = dyn_cast<ExitOp>(op))
    slot = exit.getSlot();
  else if (auto copy = dyn_cast<CopyInOp>(op))
    slot = copy.getSlot();
  if (!slot || cast<SlotType>(slot.getType()).getAccess() != Access::Write)
    return false;
  RingType ring = ringOf(slot);
  return ring && ring.getKind() == RingKind::Load;
}

/// True for an op that must run in some role: it writes, waits or hands over.
bool isAnchor(Operation *op) {
  if (op->getNumRegions() || op->hasTrait<OpTrait::IsTerminator>() ||
      isa<RingOp>(op))
    return false;
  auto effects = dyn_cast<MemoryEffectOpInterface>(op);
  return !isMemoryEffectFree(op) &&
         (!effects || !effects.onlyHasEffect<MemoryEffects::Read>());
}

bool holdsAnchor(Operation *op) {
  return op
      ->walk([](Operation *inner) {
        return isAnchor(inner) ? WalkResult::interrupt()
                               : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Whether a value may cross into a role.
bool mayCross(Type type) {
  return isa<RingType, CursorType, ViewType, PtrType>(type) ||
         type.isIntOrIndexOrFloat();
}

/// What a role runs.
class Projection {
public:
  /// Leaves out ops that stay before the roles.
  explicit Projection(const DenseSet<Operation *> &outside)
      : outside(outside) {}

  void require(Operation *op) {
    if (outside.contains(op) || !ops.insert(op).second)
      return;
    Operation *parent = op->getParentOp();
    if (!isa<ProgramOp>(parent))
      require(parent);
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      for (Value v :
           {loop.getLowerBound(), loop.getUpperBound(), loop.getStep()})
        require(v);
    } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
      require(branch.getCondition());
    } else {
      op->walk([&](Operation *inner) {
        for (Value operand : inner->getOperands())
          if (!op->isAncestor(operand.getParentRegion()->getParentOp()) ||
              inner == op)
            require(operand);
      });
    }
  }

  void require(Value value) {
    if (!values.insert(value).second)
      return;
    Operation *op = value.getDefiningOp();
    auto arg = dyn_cast<BlockArgument>(value);
    if (arg)
      op = arg.getOwner()->getParentOp();
    if (!op || isa<ProgramOp>(op))
      return;
    require(op);
    unsigned n =
        arg ? arg.getArgNumber() : cast<OpResult>(value).getResultNumber();
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      if (arg && n == 0)
        return;
      n -= arg ? 1 : 0;
      require(loop.getInitArgs()[n]);
      require(loop.getRegionIterArg(n));
      require(loop.getYieldedValues()[n]);
      require(Value(loop.getResult(n)));
    } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
      require(branch.thenYield().getOperand(n));
      require(branch.elseYield().getOperand(n));
    }
  }

  bool contains(Operation *op) const { return ops.contains(op); }

  /// Clones the required ops of a block.
  void clone(OpBuilder &b, Block &block, IRMapping &map) {
    for (Operation &op : block.without_terminator()) {
      if (!ops.contains(&op))
        continue;
      if (auto loop = dyn_cast<scf::ForOp>(op))
        cloneFor(b, loop, map);
      else if (auto branch = dyn_cast<scf::IfOp>(op))
        cloneIf(b, branch, map);
      else
        b.clone(op, map);
    }
  }

private:
  void cloneFor(OpBuilder &b, scf::ForOp loop, IRMapping &map) {
    SmallVector<unsigned> kept;
    SmallVector<Value> inits, yields;
    for (unsigned i = 0; i < loop.getNumRegionIterArgs(); ++i)
      if (values.contains(loop.getResult(i))) {
        kept.push_back(i);
        inits.push_back(map.lookupOrDefault(loop.getInitArgs()[i]));
      }
    auto copy = scf::ForOp::create(b, loop.getLoc(),
                                   map.lookupOrDefault(loop.getLowerBound()),
                                   map.lookupOrDefault(loop.getUpperBound()),
                                   map.lookupOrDefault(loop.getStep()), inits);
    copy->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
    map.map(loop.getInductionVar(), copy.getInductionVar());
    for (auto [n, i] : llvm::enumerate(kept)) {
      map.map(loop.getRegionIterArg(i), copy.getRegionIterArg(n));
      map.map(loop.getResult(i), copy.getResult(n));
    }
    OpBuilder::InsertionGuard guard(b);
    if (kept.empty())
      copy.getBody()->getTerminator()->erase();
    b.setInsertionPointToEnd(copy.getBody());
    clone(b, *loop.getBody(), map);
    for (unsigned i : kept)
      yields.push_back(map.lookupOrDefault(loop.getYieldedValues()[i]));
    scf::YieldOp::create(b, loop.getLoc(), yields);
  }

  void cloneIf(OpBuilder &b, scf::IfOp branch, IRMapping &map) {
    SmallVector<unsigned> kept;
    SmallVector<Type> types;
    for (OpResult result : branch.getResults())
      if (values.contains(result)) {
        kept.push_back(result.getResultNumber());
        types.push_back(result.getType());
      }
    auto copy = scf::IfOp::create(
        b, branch.getLoc(), types, map.lookupOrDefault(branch.getCondition()),
        /*addThenBlock=*/true,
        /*addElseBlock=*/!branch.getElseRegion().empty());
    for (auto [n, i] : llvm::enumerate(kept))
      map.map(branch.getResult(i), copy.getResult(n));
    OpBuilder::InsertionGuard guard(b);
    for (auto [from, to] :
         {std::pair(&branch.getThenRegion(), &copy.getThenRegion()),
          std::pair(&branch.getElseRegion(), &copy.getElseRegion())}) {
      if (from->empty())
        continue;
      if (!to->front().empty())
        to->front().back().erase();
      b.setInsertionPointToEnd(&to->front());
      clone(b, from->front(), map);
      SmallVector<Value> yields;
      for (unsigned i : kept)
        yields.push_back(
            map.lookupOrDefault(from->front().getTerminator()->getOperand(i)));
      scf::YieldOp::create(b, branch.getLoc(), yields);
    }
  }

  const DenseSet<Operation *> &outside;
  DenseSet<Operation *> ops;
  DenseSet<Value> values;
};

class RoleSplit {
public:
  explicit RoleSplit(ProgramOp program) : program(program) {}

  LogicalResult run() {
    if (failed(check()))
      return failure();
    if (rings.empty())
      return success();
    findOutside();
    Operation *end = program.getBody().front().getTerminator();
    OpBuilder b(end);
    auto roles = RolesOp::create(b, program.getLoc(), ValueRange());
    Block *body = b.createBlock(&roles.getBody());
    FailureOr<int64_t> lanes = getLanesPerGroup(program);
    if (failed(lanes))
      return failure();
    FailureOr<RoleOp> load = makeRole(body, "load", /*loading=*/true);
    FailureOr<RoleOp> math = makeRole(body, "math", /*loading=*/false);
    if (failed(load) || failed(math))
      return failure();
    load->setLanes(issueLanes);
    math->setReplicas(replicas);
    if (auto registers =
            getRoleRegisters(program.getTargetRow(), replicas, *lanes)) {
      load->setRegs(registers->copying);
      math->setRegs(registers->computing);
    }
    Value replica = math->getBody().front().addArgument(
        IndexType::get(program.getContext()), program.getLoc());
    if (failed(turns > 1 ? takeTurns(*math, replica, turns)
                         : splitReplicas(*math, replica, replicas)))
      return failure();
    eraseOriginals(roles);
    setReaders();
    isolate(roles);
    return success();
  }

private:
  /// What this pass takes for granted.
  LogicalResult check() {
    if (program.getBody()
            .walk([](RolesOp) { return WalkResult::interrupt(); })
            .wasInterrupted())
      return program.emitOpError("has roles already");
    // Groups that divide a tile take turns within an item, not items.
    int64_t groups = llvm::product_of(getGroups(program));
    turns = groups == 1 ? program.getTuning().getTurns() : 1;
    replicas = groups * turns;
    WalkResult walk = program.getBody().walk([&](Operation *op) -> WalkResult {
      if (auto ring = dyn_cast<RingOp>(op)) {
        RingType type = ring.getRing().getType();
        if (type.getKind() != RingKind::Load)
          return op->emitOpError("expected only load rings before the split "
                                 "into roles, got ")
                 << type;
        if (op->getParentOp() != program)
          return op->emitOpError("expected rings outside of loops and "
                                 "conditions, where roles share them; use "
                                 "#tile.items<persistent>");
        auto engine = dyn_cast<CopyAttrInterface>(type.getCopy());
        int64_t lanes = engine ? engine.getIssueLanes() : 0;
        if (lanes == 0)
          return op->emitOpError("expected an engine that a few lanes drive "
                                 "for a role of its own, got ")
                 << type.getCopy() << "; use strategy 'groups'";
        issueLanes = std::max(issueLanes, lanes);
        rings.push_back(ring);
      }
      if (!isa<scf::ForOp, scf::IfOp>(op) && op->getNumRegions() &&
          holdsAnchor(op))
        return op->emitOpError("is not split into roles; expected only "
                               "scf.for and scf.if around rings, so run "
                               "tile-lower-items before");
      return WalkResult::advance();
    });
    if (walk.wasInterrupted())
      return failure();
    // Nothing but a product is worth a role of its own.
    bool multiplies =
        program.walk([](DotOp) { return WalkResult::interrupt(); })
            .wasInterrupted();
    if (rings.empty() && multiplies)
      return program.emitOpError(
          "expected a ring that an engine fills, got none to split at; run "
          "tile-rings before, or use another strategy");
    return success();
  }

  /// Ops before the roles whose results both share.
  void findOutside() {
    for (Operation &op : program.getBody().front().without_terminator()) {
      bool stays = op.getNumRegions() == 0 && !isAnchor(&op) &&
                   llvm::all_of(op.getResultTypes(), mayCross) &&
                   llvm::all_of(op.getOperands(), [&](Value operand) {
                     Operation *def = operand.getDefiningOp();
                     return !def || outside.contains(def);
                   });
      if (stays)
        outside.insert(&op);
    }
  }

  FailureOr<RoleOp> makeRole(Block *body, StringRef name, bool loading) {
    Projection projection(outside);
    program.getBody().walk([&](Operation *op) {
      if (isAnchor(op) && isLoading(op) == loading)
        projection.require(op);
    });
    // What a role computes may not depend on what another one receives.
    WalkResult walk = program.getBody().walk([&](Operation *op) -> WalkResult {
      if (isAnchor(op) && isLoading(op) != loading && projection.contains(op))
        return op->emitOpError("belongs to another role than what it is needed "
                               "for in role \"")
               << name << "\"; pass the value through a ring";
      return WalkResult::advance();
    });
    if (walk.wasInterrupted())
      return failure();
    OpBuilder b = OpBuilder::atBlockEnd(body);
    auto role = RoleOp::create(b, program.getLoc(), b.getStringAttr(name),
                               IntegerAttr(), IntegerAttr(), IntegerAttr());
    b.createBlock(&role.getBody());
    IRMapping map;
    projection.clone(b, program.getBody().front(), map);
    YieldOp::create(b, program.getLoc());
    return role;
  }

  void eraseOriginals(RolesOp roles) {
    SmallVector<Operation *> dead;
    for (Operation &op : program.getBody().front().without_terminator())
      if (&op != roles && !outside.contains(&op))
        dead.push_back(&op);
    for (Operation *op : llvm::reverse(dead)) {
      op->dropAllUses();
      op->erase();
    }
  }

  /// Every replica hands a slot back, or the one whose turn it was.
  void setReaders() {
    for (RingOp ring : rings) {
      RingType type = ring.getRing().getType();
      ring.getRing().setType(RingType::get(
          type.getContext(), type.getDepth(), type.getPayload(), type.getKind(),
          type.getCopy(), replicas / turns, type.getScope(), type.getCluster(),
          type.getMulticast()));
    }
  }

  /// What roles use from outside becomes a capture; constants are made anew.
  void isolate(RolesOp roles) {
    Block &body = roles.getBody().front();
    llvm::SetVector<Value> captures;
    for (RoleOp role : body.getOps<RoleOp>()) {
      DenseMap<Operation *, Operation *> constants;
      OpBuilder b = OpBuilder::atBlockBegin(&role.getBody().front());
      role.getBody().walk([&](Operation *op) {
        for (OpOperand &operand : op->getOpOperands()) {
          Value v = operand.get();
          if (roles->isProperAncestor(v.getParentRegion()->getParentOp()))
            continue;
          Operation *def = v.getDefiningOp();
          if (def && def->hasTrait<OpTrait::ConstantLike>()) {
            Operation *&copy = constants[def];
            if (!copy)
              copy = b.clone(*def);
            operand.set(copy->getResult(0));
          } else {
            captures.insert(v);
          }
        }
      });
    }
    roles.getCapturesMutable().assign(captures.getArrayRef());
    for (Value v : captures) {
      BlockArgument arg = body.addArgument(v.getType(), v.getLoc());
      v.replaceUsesWithIf(arg, [&](OpOperand &use) {
        return roles->isProperAncestor(use.getOwner());
      });
    }
  }

  ProgramOp program;
  int64_t replicas = 1, turns = 1, issueLanes = 0;
  SmallVector<RingOp> rings;
  DenseSet<Operation *> outside;
};

struct Roles : helios::impl::TileRolesBase<Roles> {
  void runOnOperation() override {
    ConfigAttr config = getOperation().getTuning();
    if (config && config.getStrategy() == Strategy::Roles &&
        failed(RoleSplit(getOperation()).run()))
      signalPassFailure();
  }
};

} // namespace
