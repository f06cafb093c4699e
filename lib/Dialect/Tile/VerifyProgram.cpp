// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Invariants of programs about layouts, products, schedules and budgets.

#include "Verify.h"
#include "helios/Dialect/Tile/IR/Linear.h"
#include "helios/Dialect/Tile/IR/Partials.h"
#include "helios/Dialect/Tile/Utils/RingBytes.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace helios;
using namespace helios::tile;

//===----------------------------------------------------------------------===//
// Layouts
//===----------------------------------------------------------------------===//

static Attribute encodingOf(Value value) {
  auto tensor = dyn_cast<RankedTensorType>(value.getType());
  return tensor ? tensor.getEncoding() : Attribute();
}

/// A splat whose combination over the lanes is the splat itself.
static bool isNeutral(arith::ConstantOp constant, Partial kind) {
  return kind != Partial::Add ||
         matchPattern(constant.getResult(), m_AnyZeroFloat()) ||
         matchPattern(constant.getResult(), m_Zero());
}

static LogicalResult verifyPartials(Operation *op) {
  auto kindOf = [](Value v) { return getPartial(encodingOf(v)); };
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    if (!isNeutral(constant, kindOf(constant)))
      return op->emitOpError("expected a partial = add constant to be zero; "
                             "every lane that shares the element holds it");
    return success();
  }
  SmallVector<Partial> in = llvm::map_to_vector(op->getOperands(), kindOf);
  if (llvm::all_of(in, [](Partial p) { return p == Partial::None; }))
    return success();
  if (isa<ConvertLayoutOp, MapOp, WhereOp, YieldOp, ReduceOp, SliceOp, ExitOp>(
          op) ||
      isa<scf::SCFDialect>(op->getDialect()))
    return success();
  // A product adds to what its slices of K have.
  if (auto dot = dyn_cast<DotOp>(op); dot &&
                                      kindOf(dot.getA()) == Partial::None &&
                                      kindOf(dot.getB()) == Partial::None)
    return success();
  // The op's own verifier sees to it that the result has the operands' type.
  if (op->hasTrait<OpTrait::Elementwise>() && combinePartials(op, in))
    return success();
  InFlightDiagnostic diag =
      op->emitOpError("is not closed for partial operands (");
  llvm::interleaveComma(in, diag,
                        [&](Partial p) { diag << stringifyPartial(p); });
  return diag
         << "); convert them to a full layout with tile.convert_layout first";
}

/// The role around an op, or null.
static RoleOp roleOf(Operation *op) { return op->getParentOfType<RoleOp>(); }

LogicalResult helios::tile::verifyLayouts(ProgramOp program) {
  // Lanes that each scope's layouts distribute over, and the first op that said
  // so.
  DenseMap<Operation *, std::pair<int64_t, Operation *>> lanes;
  WalkResult walk = program.getBody().walk([&](Operation *op) -> WalkResult {
    if (failed(verifyPartials(op)))
      return WalkResult::interrupt();
    for (Type type : op->getResultTypes()) {
      LayoutAttrInterface layout = getLayout(type);
      if (!layout || layout.isMemory())
        continue;
      RoleOp role = roleOf(op);
      int64_t n = layout.getGroupCount() * layout.getLaneCount();
      if (role && role.getLanes() && n != int64_t(*role.getLanes()))
        return op->emitOpError("expected tiles over the ")
               << *role.getLanes() << " lanes of role \"" << role.getName()
               << "\", got " << n << " of " << layout;
      auto [it, inserted] =
          lanes.try_emplace(role ? role.getOperation() : program, n, op);
      if (!inserted && it->second.first != n) {
        InFlightDiagnostic diag = op->emitOpError("expected tiles over ")
                                  << it->second.first
                                  << " lanes as elsewhere, got " << n << " of "
                                  << layout;
        diag.attachNote(it->second.second->getLoc())
            << "this tile is distributed over " << it->second.first;
        return diag;
      }
    }
    return WalkResult::advance();
  });
  return failure(walk.wasInterrupted());
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// A load that gives an operand of a product, seen through what keeps its
/// elements; null if there is none.
static LoadOp loadOf(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (auto load = dyn_cast<LoadOp>(op))
      return load;
    if (!isa<ConvertLayoutOp, TransposeOp, SliceOp>(op))
      return {};
    value = op->getOperand(0);
  }
  return {};
}

LogicalResult helios::tile::verifyDots(ProgramOp program) {
  WalkResult walk = program.getBody().walk([&](DotOp dot) -> WalkResult {
    for (Value operand : {dot.getA(), dot.getB()}) {
      LoadOp load = loadOf(operand);
      if (!load || load.getInBounds() || load.getPad().isZero())
        continue;
      InFlightDiagnostic diag =
          dot.emitOpError("expected operands that are zero outside their "
                          "views, got a load with pad(")
          << load.getPad().convertToDouble() << ")";
      diag.attachNote(load.getLoc()) << "this load";
      return diag;
    }
    return WalkResult::advance();
  });
  return failure(walk.wasInterrupted());
}

//===----------------------------------------------------------------------===//
// Schedules
//===----------------------------------------------------------------------===//

static SchedAttr schedOf(Operation *op) {
  return op ? op->getAttrOfType<SchedAttr>(TileDialect::kSchedAttr)
            : SchedAttr();
}

/// Checks one def and use, `distance` iterations apart.
static LogicalResult verifyPair(Operation *def, Operation *use,
                                int64_t distance) {
  SchedAttr d = schedOf(def), u = schedOf(use);
  if (!d || !u)
    return success();
  int64_t slack = u.getStage() + distance - d.getStage();
  bool ok = slack > 0 ||
            (slack == 0 && (distance == 0 ? u.getOrder() >= d.getOrder()
                                          : u.getOrder() > d.getOrder()));
  if (ok)
    return success();
  InFlightDiagnostic diag =
      use->emitOpError(
          "is scheduled before a value it uses: expected a stage above ")
      << d.getStage() - distance << ", or that stage and an order after "
      << d.getOrder() << ", got stage " << u.getStage() << ", order "
      << u.getOrder();
  diag.attachNote(def->getLoc())
      << (distance ? "the value of the previous iteration" : "the value")
      << ", stage " << d.getStage() << ", order " << d.getOrder();
  return diag;
}

LogicalResult helios::tile::verifySchedules(ProgramOp program) {
  WalkResult walk = program.getBody().walk([&](scf::ForOp loop) -> WalkResult {
    Block *body = loop.getBody();
    for (Operation &use : body->without_terminator()) {
      if (!schedOf(&use))
        continue;
      SmallVector<Value> operands(use.getOperands());
      use.walk([&](Operation *inner) {
        llvm::append_range(operands, inner->getOperands());
      });
      for (Value operand : operands) {
        int64_t distance = 0;
        // A loop argument is the previous iteration's yielded value; one that
        // is passed on unchanged counts once more.
        for (auto arg = dyn_cast<BlockArgument>(operand);
             arg && arg.getOwner() == body && arg.getArgNumber() > 0 &&
             distance < 64;
             arg = dyn_cast<BlockArgument>(operand)) {
          operand = loop.getYieldedValues()[arg.getArgNumber() - 1];
          ++distance;
        }
        Operation *def = operand.getDefiningOp();
        if (def && def->getBlock() == body &&
            failed(verifyPair(def, &use, distance)))
          return WalkResult::interrupt();
      }
    }
    return WalkResult::advance();
  });
  return failure(walk.wasInterrupted());
}

//===----------------------------------------------------------------------===//
// Budgets
//===----------------------------------------------------------------------===//

/// Registers are given to lanes in steps.
static constexpr int64_t kRegisterStep = 8;

/// Lanes of a role: given, or those of one replica's layouts times the
/// replicas; 0 if nothing says.
static int64_t lanesOf(RoleOp role) {
  if (role.getLanes())
    return *role.getLanes();
  int64_t lanes = 0;
  role.walk([&](Operation *op) {
    for (Type type : op->getResultTypes())
      if (LayoutAttrInterface layout = getLayout(type);
          layout && !layout.isMemory())
        lanes = layout.getGroupCount() * layout.getLaneCount() *
                *role.getReplicas();
  });
  return lanes;
}

/// Every place in the cluster is one in the same cluster, of as many workgroups
/// as run.
static LogicalResult verifyRanks(ProgramOp program) {
  ConfigAttr config = program.getTuning();
  RankOp first;
  WalkResult walk = program.walk([&](RankOp rank) -> WalkResult {
    if (!first)
      first = rank;
    int64_t size = llvm::product_of(rank.getCluster());
    if (config && size != config.getClusterSize())
      return rank.emitOpError("expected a place in the program's cluster of ")
             << config.getClusterSize() << " workgroups, got one of " << size;
    if (rank.getCluster() == first.getCluster())
      return WalkResult::advance();
    InFlightDiagnostic diag =
        rank.emitOpError("expected a place in one cluster everywhere, of ")
        << first.getClusterAttr() << " workgroups, got "
        << rank.getClusterAttr();
    diag.attachNote(first.getLoc()) << "this is the other";
    return diag;
  });
  return failure(walk.wasInterrupted());
}

LogicalResult helios::tile::verifyBudgets(ProgramOp program) {
  if (failed(verifyRanks(program)))
    return failure();
  TargetAttrInterface target = program.getTargetRow();
  if (!target)
    return success();
  int64_t cluster =
      program.getTuning() ? program.getTuning().getClusterSize() : 1;
  if (cluster > target.getMaxCluster())
    return program.emitOpError("expected clusters of at most ")
           << target.getMaxCluster() << " workgroups, the limit of "
           << target.getRowName() << ", got " << cluster;
  int64_t bytes = bytesOfRings(program);
  if (bytes > target.getSharedBytes())
    return program.emitOpError("expected rings of at most ")
           << target.getSharedBytes() << " bytes, the shared memory of "
           << target.getRowName() << ", got " << bytes;
  // A role has whole groups of lanes, as many as multiply together.
  int64_t registers = 0, lanes = 0, group = 1;
  program.walk([&](RoleOp role) {
    if (int64_t replicas = role.getReplicas().value_or(0))
      group = std::max(group, lanesOf(role) / replicas);
  });
  program.walk([&](RoleOp role) {
    int64_t whole = llvm::alignTo(lanesOf(role), group);
    lanes += whole;
    registers += whole * role.getRegs().value_or(0);
  });
  if (target.getRegisterFile() && registers > target.getRegisterFile())
    return program.emitOpError("expected roles of at most ")
           << target.getRegisterFile() << " registers, those of "
           << target.getRowName() << ", got " << registers;
  // A launch gives every lane equally many, in steps, and roles share those.
  if (target.getRegisterFile() && registers) {
    int64_t most = lanes * std::min(target.getMaxRegisters() / kRegisterStep *
                                        kRegisterStep,
                                    target.getRegisterFile() / lanes /
                                        kRegisterStep * kRegisterStep);
    if (registers > most)
      return program.emitOpError("expected roles of at most ")
             << most << " registers, with which " << lanes
             << " lanes start, got " << registers;
  }
  if (lanes > target.getMaxInvocations())
    return program.emitOpError("expected roles of at most ")
           << target.getMaxInvocations() << " lanes, the limit of "
           << target.getRowName() << ", got " << lanes;
  return success();
}
