// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// frag-overlap-dispatches: a dispatch begins while the one before it ends.

#include "helios/Transforms/Passes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/StringSet.h"

namespace helios {
#define GEN_PASS_DEF_FRAGOVERLAPDISPATCHES
#include "helios/Transforms/Passes.h.inc"
} // namespace helios

using namespace mlir;
using namespace helios;

namespace {

bool accessesGlobalMemory(Operation *op) {
  return frag::holds(op, frag::touchesGlobalMemory);
}

bool loads(Operation *op) {
  return frag::holds(op, [](Operation *inner) {
    return isa<frag::CopyInOp, frag::ReadOp, frag::ElementOp>(inner) &&
           frag::touchesGlobalMemory(inner);
  });
}

bool copies(Operation *op) {
  return frag::holds(
      op, [](Operation *inner) { return isa<frag::CopyInOp>(inner); });
}

struct OverlapDispatches
    : helios::impl::FragOverlapDispatchesBase<OverlapDispatches> {
  void runOnOperation() override {
    llvm::StringSet<> followed = findFollowed(getOperation());
    for (auto kernel : getOperation().getOps<frag::KernelOp>()) {
      tile::TargetAttrInterface row = kernel.getTargetRow();
      if (!row || !row.canOverlapDispatches() ||
          !accessesGlobalMemory(kernel) || hasDependencies(kernel))
        continue;
      Block &body = kernel.getBody().front();
      awaitIn(body);
      if (!followed.contains(kernel.getSymName()))
        releaseIn(body);
    }
  }

private:
  /// Programs that fill processors and behind which plans launch only others
  /// with small workgroups, which add up what they leave: those that came early
  /// would gather on the few processors that have nothing to do.
  static llvm::StringSet<> findFollowed(ModuleOp module) {
    llvm::StringSet<> followed, released;
    module.walk([&](tile::DispatchOp dispatch) {
      if (leavesRoom(
              module.lookupSymbol<frag::KernelOp>(dispatch.getProgramAttr())))
        return;
      for (Operation *op = dispatch->getNextNode(); op; op = op->getNextNode())
        if (auto next = dyn_cast<tile::DispatchOp>(op)) {
          auto kernel =
              module.lookupSymbol<frag::KernelOp>(next.getProgramAttr());
          bool alone = kernel && kernel.isAlone();
          (alone ? released : followed).insert(dispatch.getProgram());
        }
    });
    for (StringRef program : released.keys())
      followed.erase(program);
    return followed;
  }

  /// Whether half of the registers of a processor stay free beside as many
  /// workgroups of a kernel as shared memory has room for.
  static bool leavesRoom(frag::KernelOp kernel) {
    tile::TargetAttrInterface row =
        kernel ? kernel.getTargetRow() : tile::TargetAttrInterface();
    if (!row || kernel.getSharedBytes() == 0)
      return false;
    int64_t workgroups =
        row.getProcessorSharedBytes() / int64_t(kernel.getSharedBytes());
    return 2 * workgroups * int64_t(kernel.getThreads()) *
               row.getMaxRegisters() <=
           row.getRegisterFile();
  }

  /// Whoever wrote the kernel has said where it waits.
  static bool hasDependencies(frag::KernelOp kernel) {
    return frag::holds(kernel, [](Operation *op) {
      return isa<frag::AwaitDependenciesOp, frag::ReleaseDependentsOp>(op);
    });
  }

  /// Waits right before the first op that touches global memory itself: on
  /// either way of a branch, in each role, ahead of loops.
  static void awaitIn(Block &block) {
    for (Operation &op : block) {
      if (!accessesGlobalMemory(&op))
        continue;
      if (isa<frag::RoleOp>(op)) {
        awaitInRoles(block);
        return;
      }
      auto branch = dyn_cast<scf::IfOp>(op);
      if (branch && !frag::touchesGlobalMemory(&op))
        return awaitInBoth(branch);
      OpBuilder b(&op);
      frag::AwaitDependenciesOp::create(b, op.getLoc());
      return;
    }
    // The other way touches it.
    auto b = OpBuilder::atBlockTerminator(&block);
    frag::AwaitDependenciesOp::create(b, block.getParentOp()->getLoc());
  }

  /// A role that touches nothing need not wait.
  static void awaitInRoles(Block &block) {
    for (auto role : block.getOps<frag::RoleOp>())
      if (accessesGlobalMemory(role))
        awaitIn(role.getBody().front());
  }

  static void awaitInBoth(scf::IfOp branch) {
    if (branch.getElseRegion().empty()) {
      OpBuilder b(branch.getContext());
      b.createBlock(&branch.getElseRegion());
      scf::YieldOp::create(b, branch.getLoc());
    }
    awaitIn(*branch.thenBlock());
    awaitIn(*branch.elseBlock());
  }

  /// Lets the next dispatch begin behind the last load. Of roles that is up to
  /// the one that copies.
  static void releaseIn(Block &block) {
    Operation *last = nullptr;
    for (Operation &op : block)
      if (loads(&op) && !(last && isa<frag::RoleOp>(op) && !copies(&op)))
        last = &op;
    if (!last)
      return;
    if (auto role = dyn_cast<frag::RoleOp>(last))
      return releaseIn(role.getBody().front());
    if (auto branch = dyn_cast<scf::IfOp>(last);
        branch && loadsOnOneWay(branch))
      return releaseIn(*branch.thenBlock());
    OpBuilder b(last->getContext());
    b.setInsertionPointAfter(last);
    frag::ReleaseDependentsOp::create(b, last->getLoc());
  }

  /// Who goes the other way ends, which releases as well.
  static bool loadsOnOneWay(scf::IfOp branch) {
    Block *other = branch.elseBlock();
    return !other || llvm::none_of(other->getOperations(),
                                   [](Operation &op) { return loads(&op); });
  }
};

} // namespace
