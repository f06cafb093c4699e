// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Invariants of kernels about shared memory, lanes, divergence and barriers.

#include "Verify.h"
#include "helios/Dialect/Tile/IR/Linear.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace helios;
using namespace helios::frag;

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

/// Bytes of all slots of a ring, those of every replica included.
static int64_t slotBytes(tile::RingType ring, int64_t replicas) {
  int64_t bytes = 0;
  for (Type type : ring.getPayload()) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    bytes += tensor ? tile::getLayout(tensor).getBytes(tensor.getShape(),
                                                       tensor.getElementType())
                    : 8;
  }
  return bytes * ring.getDepth() *
         (ring.getScope() == tile::RingScope::Replica ? replicas : 1);
}

static int64_t replicasOf(RoleOp role) {
  if (!role || !role.getLanesPerReplica())
    return 1;
  return (role.getLast() - role.getFirst()) / *role.getLanesPerReplica();
}

LogicalResult helios::frag::verifyShared(KernelOp kernel) {
  int64_t limit = kernel.getSharedBytes();
  if (tile::TargetAttrInterface row = kernel.getTargetRow();
      row && limit > row.getSharedBytes())
    return kernel.emitOpError("expected at most ")
           << row.getSharedBytes() << " bytes of shared memory, those of "
           << row.getRowName() << ", got " << limit;
  WalkResult walk = kernel.getBody().walk([&](SharedOp shared) -> WalkResult {
    int64_t end = shared.getOffset();
    if (auto mem = dyn_cast<MemType>(shared.getType())) {
      end += mem.getBytes();
    } else {
      tile::RingType ring = cast<RingType>(shared.getType()).getRing();
      int64_t replicas = replicasOf(shared->getParentOfType<RoleOp>());
      end += slotBytes(ring, replicas);
      int64_t barriers =
          16 * ring.getDepth() *
          (ring.getScope() == tile::RingScope::Replica ? replicas : 1);
      if (shared.getBarriers() &&
          int64_t(*shared.getBarriers()) + barriers > limit)
        return shared.emitOpError(
                   "expected the ring's barriers to end within the kernel's ")
               << limit << " bytes of shared memory, got "
               << int64_t(*shared.getBarriers()) + barriers;
    }
    if (end > limit)
      return shared.emitOpError("expected the ")
             << (isa<MemType>(shared.getType()) ? "tile" : "ring")
             << " to end within the kernel's " << limit
             << " bytes of shared memory, got " << end;
    return WalkResult::advance();
  });
  return failure(walk.wasInterrupted());
}

//===----------------------------------------------------------------------===//
// Clusters
//===----------------------------------------------------------------------===//

LogicalResult helios::frag::verifyClusters(KernelOp kernel) {
  int64_t cluster = kernel.getCluster().value_or(1);
  if (tile::TargetAttrInterface row = kernel.getTargetRow();
      row && cluster > row.getMaxCluster())
    return kernel.emitOpError("expected a cluster of at most ")
           << row.getMaxCluster() << " workgroups, the limit of "
           << row.getRowName() << ", got " << cluster;
  WalkResult walk = kernel.getBody().walk([&](Operation *op) -> WalkResult {
    if (auto shared = dyn_cast<SharedOp>(op)) {
      auto ring = dyn_cast<RingType>(shared.getType());
      if (!ring || ring.getRing().getScope() != tile::RingScope::Cluster)
        return WalkResult::advance();
      if (int64_t of = ring.getRing().getCluster(); of != cluster)
        return op->emitOpError("expected a ring of the kernel's cluster of ")
               << cluster << " workgroups, got one of " << of;
    }
    auto copy = dyn_cast<CopyInOp>(op);
    if (!copy || !copy.getMulticast())
      return WalkResult::advance();
    auto part = copy.getDest().getDefiningOp<SlotMemOp>();
    SmallVector<AcquireOp> acquires =
        part ? acquiresOf(part.getSlot()) : SmallVector<AcquireOp>();
    if (acquires.empty() || llvm::any_of(acquires, [](AcquireOp acquire) {
          return !acquire.getRing().getType().getRing().getMulticast();
        }))
      return op->emitOpError("expected 'multicast' into a slot of a ring with "
                             "'multicast', whose workgroups walk it in step");
    return WalkResult::advance();
  });
  return failure(walk.wasInterrupted());
}

//===----------------------------------------------------------------------===//
// Lanes
//===----------------------------------------------------------------------===//

LogicalResult helios::frag::verifyLanes(KernelOp kernel) {
  WalkResult walk = kernel.getBody().walk([&](Operation *op) -> WalkResult {
    auto role = op->getParentOfType<RoleOp>();
    int64_t lanes = kernel.getThreads();
    if (role)
      lanes =
          role.getLanesPerReplica().value_or(role.getLast() - role.getFirst());
    for (Type type : op->getResultTypes())
      if (auto fragment = dyn_cast<FragmentType>(type)) {
        tile::LayoutAttrInterface layout = fragment.getLayout();
        if (int64_t n = layout.getGroupCount() * layout.getLaneCount();
            n != lanes)
          return op->emitOpError("expected a fragment over the ")
                 << lanes << " lanes of the "
                 << (role ? "role's replica" : "kernel") << ", got " << n
                 << " of " << layout;
      }
    if (role)
      for (Value operand : op->getOperands())
        if (isa<FragmentType, InFlightType, TokenType, SlotType,
                tile::TokenType>(operand.getType()) &&
            !role.getBody().isAncestor(operand.getParentRegion()))
          return op->emitOpError(
                     "uses a value of another role or from before the roles: ")
                 << operand.getType() << "; pass it through a ring";
    return WalkResult::advance();
  });
  return failure(walk.wasInterrupted());
}

//===----------------------------------------------------------------------===//
// Divergence
//===----------------------------------------------------------------------===//

Operation *helios::frag::getVoteBehind(Operation *control) {
  SetVector<Operation *> slice;
  BackwardSliceOptions options;
  options.omitBlockArguments = true;
  options.inclusive = true;
  // A branch is steered by its condition, a loop by its bounds; what a loop
  // carries does not steer it.
  unsigned steering = isa<scf::ForOp>(control) ? 3 : 1;
  for (Value operand : control->getOperands().take_front(steering))
    if (Operation *def = operand.getDefiningOp())
      (void)getBackwardSlice(def, &slice, options);
  for (Operation *op : slice)
    if (auto reduce = dyn_cast<ReduceOp>(op);
        reduce && reduce.getScope() == Scope::All)
      return op;
  return nullptr;
}

LogicalResult helios::frag::verifyDivergence(KernelOp kernel) {
  WalkResult walk = kernel.getBody().walk([&](Operation *op) -> WalkResult {
    auto barrier = dyn_cast<BarrierOp>(op);
    bool subgroup = barrier && barrier.getScope() == Scope::Subgroup;
    if (!barrier && !isa<AwaitOp, MmaStartOp, ReleaseOp, AcquireOp, TurnOp>(op))
      return WalkResult::advance();
    if (auto role = op->getParentOfType<RoleOp>();
        role && barrier && barrier.getScope() == Scope::Workgroup &&
        int64_t(role.getLast() - role.getFirst()) !=
            int64_t(kernel.getThreads()))
      return op->emitOpError("expected scope replica or subgroup in a role, "
                             "got workgroup; other roles do not reach it");
    for (Operation *parent = op->getParentOp(); parent != kernel;
         parent = parent->getParentOp()) {
      if (parent->hasAttr("frag.divergent"))
        return op->emitOpError("may not stand under lane-divergent control");
      if (subgroup || !isa<scf::IfOp, scf::ForOp>(parent))
        continue;
      if (Operation *vote = getVoteBehind(parent)) {
        InFlightDiagnostic diag = op->emitOpError(
            "may not stand under control that differs between subgroups");
        diag.attachNote(vote->getLoc()) << "it depends on this vote";
        return diag;
      }
    }
    return WalkResult::advance();
  });
  return failure(walk.wasInterrupted());
}

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

namespace {

/// Walks a kernel in order with what has been accessed since the last barrier.
class BarrierWalker {
public:
  LogicalResult block(Block &block) {
    for (Operation &op : block)
      if (failed(visit(&op)))
        return failure();
    return success();
  }

private:
  /// The shared memory or ring that a piece of memory belongs to.
  static Value rootOf(Value memory) {
    if (auto part = memory.getDefiningOp<SlotMemOp>())
      for (AcquireOp acquire : acquiresOf(part.getSlot()))
        return acquire.getRing();
    return memory;
  }

  LogicalResult checkEngine(Operation *op, Value memory) {
    auto it = written.find(rootOf(memory));
    if (!isa<MemType>(memory.getType()) || it == written.end())
      return success();
    InFlightDiagnostic diag =
        op->emitOpError("expected a barrier with 'proxy' between a write and "
                        "the engine that reads it");
    diag.attachNote(it->second->getLoc()) << "this write";
    return diag;
  }

  LogicalResult visit(Operation *op) {
    if (auto write = dyn_cast<WriteOp>(op)) {
      written[rootOf(write.getDest())] = op;
      return success();
    }
    if (auto read = dyn_cast<ReadOp>(op)) {
      lanesRead[rootOf(read.getSource())] = op;
      return success();
    }
    if (auto barrier = dyn_cast<BarrierOp>(op)) {
      if (barrier.getScope() == Scope::Subgroup)
        return success();
      lanesRead.clear();
      if (barrier.getProxy())
        written.clear();
      return success();
    }
    if (auto copy = dyn_cast<CopyOutOp>(op))
      return checkEngine(op, copy.getSource());
    if (auto start = dyn_cast<MmaStartOp>(op))
      return success(succeeded(checkEngine(op, start.getA())) &&
                     succeeded(checkEngine(op, start.getB())));
    if (auto release = dyn_cast<ReleaseOp>(op))
      return visitRelease(release);
    // A loop's body runs again after itself.
    for (int pass = 0, passes = isa<LoopLikeOpInterface>(op) ? 2 : 1;
         pass < passes; ++pass)
      for (Region &region : op->getRegions())
        for (Block &inner : region)
          if (!isa<MapOp>(op) && failed(block(inner)))
            return failure();
    return success();
  }

  /// Handing back a slot that only lanes have read: every lane must be done. A
  /// retired product says so; a copy that completes in groups is ordered by the
  /// barrier of its wait.
  LogicalResult visitRelease(ReleaseOp release) {
    if (!release.getAfter().empty())
      return success();
    for (AcquireOp acquire : acquiresOf(release.getSlot())) {
      auto copy = dyn_cast_or_null<tile::CopyAttrInterface>(
          acquire.getRing().getType().getRing().getCopy());
      auto it = lanesRead.find(acquire.getRing());
      if (acquire.getAccess() != tile::Access::Read || !copy ||
          copy.getCompletion() != tile::Completion::Barrier ||
          it == lanesRead.end())
        continue;
      InFlightDiagnostic diag =
          release.emitOpError("expected a barrier of the group between the "
                              "reads of the slot and its release");
      diag.attachNote(it->second->getLoc()) << "this read";
      return diag;
    }
    return success();
  }

  llvm::MapVector<Value, Operation *> written, lanesRead;
};

} // namespace

LogicalResult helios::frag::verifyBarriers(KernelOp kernel) {
  return kernel.getSynchronized()
             ? BarrierWalker().block(kernel.getBody().front())
             : success();
}
