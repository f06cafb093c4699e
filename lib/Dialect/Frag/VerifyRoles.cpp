// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Roles beside each other: registers, shared memory, rings.

#include "Verify.h"
#include "helios/Dialect/Tile/IR/DryRun.h"
#include "helios/Dialect/Tile/IR/Linear.h"
#include "helios/Dialect/Tile/Utils/ElementBits.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace helios;
using namespace helios::frag;

static int64_t lanesOf(RoleOp role) {
  return int64_t(role.getLast()) - int64_t(role.getFirst());
}

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

/// Roles give and take registers among the lanes of a workgroup: a launch with
/// so many a lane has no more than those to share, and whoever asks for more
/// waits for ever.
static LogicalResult verifyBudget(KernelOp kernel, ArrayRef<RoleOp> roles) {
  tile::TargetAttrInterface row = kernel.getTargetRow();
  int64_t entry = kernel.getRegs().value_or(0), sum = 0;
  int64_t file = row ? row.getRegisterFile() : 0;
  int64_t all = int64_t(kernel.getThreads()) * entry;
  if (file && all > file)
    return kernel.emitOpError("expected ")
           << kernel.getThreads() << " threads of at most "
           << file / int64_t(kernel.getThreads())
           << " registers, which the file of " << row.getRowName()
           << " holds, got 'regs' of " << entry;
  int64_t rest = kernel.getThreads();
  for (RoleOp role : roles) {
    sum += lanesOf(role) * int64_t(role.getRegs().value_or(entry));
    rest -= lanesOf(role);
  }
  if (entry && sum + rest * entry > all)
    return kernel.emitOpError("expected the roles' registers to add up to at "
                              "most ")
           << all << ", with which " << kernel.getThreads() << " threads of "
           << entry << " start, got " << sum + rest * entry;
  if (file && sum > file)
    return kernel.emitOpError(
               "expected the roles' registers to add up to at most ")
           << file << ", got " << sum;
  return success();
}

/// 32-bit registers of a lane that hold a fragment, landed or in flight.
static int64_t registersOf(Type type) {
  if (auto inflight = dyn_cast<InFlightType>(type))
    type = inflight.getFragment();
  auto fragment = dyn_cast<FragmentType>(type);
  if (!fragment)
    return 0;
  ArrayRef<int64_t> shape = fragment.getShape();
  int64_t count = fragment.getLayout().hasCoordinates()
                      ? fragment.getLayout().getRegisterCount(shape)
                      : 0;
  return llvm::divideCeil(
      count * tile::getStoredBits(fragment.getElementType()), 32);
}

/// What loops carry and products give has to fit the registers of a lane.
static LogicalResult verifyFits(KernelOp kernel) {
  tile::TargetAttrInterface row = kernel.getTargetRow();
  if (!row || !row.getRegisterFile())
    return success();
  WalkResult walk = kernel.walk([&](Operation *op) -> WalkResult {
    if (!isa<scf::ForOp, scf::WhileOp, MmaOp, MmaStartOp>(op))
      return WalkResult::advance();
    auto role = op->getParentOfType<RoleOp>();
    int64_t limit = row.getMaxRegisters();
    if (role && role.getRegs())
      limit = std::min<int64_t>(limit, *role.getRegs());
    int64_t sum = 0;
    for (Type type : op->getResultTypes())
      sum += registersOf(type);
    if (sum <= limit)
      return WalkResult::advance();
    return op->emitOpError("needs ")
           << sum << " registers of a lane for its results, but target '"
           << row.getRowName() << "' has " << limit
           << (role && role.getRegs() ? ", the role's budget" : "")
           << "; use a smaller tile or more lanes";
  });
  return failure(walk.wasInterrupted());
}

//===----------------------------------------------------------------------===//
// Shared memory and rings
//===----------------------------------------------------------------------===//

/// A tile that two roles use is ordered by nothing.
static LogicalResult verifySharedByOne(KernelOp kernel,
                                       ArrayRef<RoleOp> roles) {
  WalkResult walk = kernel.walk([&](SharedOp shared) -> WalkResult {
    if (!isa<MemType>(shared.getType()) || shared->getParentOfType<RoleOp>())
      return WalkResult::advance();
    RoleOp first;
    for (RoleOp role : roles)
      for (Operation *user : shared->getUsers()) {
        if (!role->isAncestor(user) || role == first)
          continue;
        if (!first) {
          first = role;
          continue;
        }
        InFlightDiagnostic diag = user->emitOpError(
            "expected a tile that one role uses, got one that two share; pass "
            "it through a ring");
        diag.attachNote(first.getLoc()) << "this role uses it too";
        return diag;
      }
    return WalkResult::advance();
  });
  return failure(walk.wasInterrupted());
}

/// What an op does on one side of a ring.
static std::optional<tile::RingStep> stepOf(Operation *op) {
  auto acquire = dyn_cast<AcquireOp>(op);
  auto release = dyn_cast<ReleaseOp>(op);
  if (release) {
    SmallVector<AcquireOp> acquires = acquiresOf(release.getSlot());
    acquire = acquires.empty() ? AcquireOp() : acquires.front();
  }
  if (!acquire)
    return std::nullopt;
  tile::RingStep step;
  step.op = op;
  step.ring = tile::originsOf(acquire.getRing()).front();
  step.depth = acquire.getRing().getType().getRing().getDepth();
  step.side = acquire.getAccess();
  step.enters = !release;
  step.ofReplica = acquire.getRing().getType().getRing().getScope() ==
                   tile::RingScope::Replica;
  step.cursor = acquire.getCursor();
  step.next = acquire.getNext();
  return step;
}

/// What is read from memory, of which nothing is known: some number of rows.
static constexpr int64_t kElement = 300;

/// The first workgroup, which is the only one.
static std::optional<int64_t> numberOf(Operation *op) {
  if (isa<ElementOp>(op))
    return kElement;
  auto id = dyn_cast<IdOp>(op);
  if (!id)
    return std::nullopt;
  return id.getKind() == IdKind::Workgroups || id.getKind() == IdKind::Clusters;
}

static int64_t replicasOf(Operation *op) {
  auto role = dyn_cast<RoleOp>(op);
  if (!role || !role.getLanesPerReplica())
    return 1;
  return lanesOf(role) / int64_t(*role.getLanesPerReplica());
}

LogicalResult helios::frag::verifyRoles(KernelOp kernel) {
  SmallVector<RoleOp> roles(kernel.getBody().getOps<RoleOp>());
  SmallVector<Operation *> ops(roles.begin(), roles.end());
  // Replicas that take turns enter different slots; one does not stand for all.
  bool inTurns = kernel.walk([](TurnOp) { return WalkResult::interrupt(); })
                     .wasInterrupted();
  return success(
      succeeded(verifyBudget(kernel, roles)) && succeeded(verifyFits(kernel)) &&
      succeeded(verifySharedByOne(kernel, roles)) &&
      (inTurns || succeeded(tile::verifyRolesMeet(
                      kernel, ops, {stepOf, numberOf, replicasOf}))));
}
