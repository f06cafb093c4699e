// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Kernels that begin while the dispatch before them still runs: where they wait
// for it, and where they let the next one begin.

#include "Verify.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace helios;
using namespace helios::frag;

bool helios::frag::touchesGlobalMemory(Operation *op) {
  return isa<NextOp>(op) || llvm::any_of(op->getOperandTypes(), [](Type type) {
           return isa<tile::ViewType>(type);
         });
}

bool helios::frag::holds(Operation *op, function_ref<bool(Operation *)> isOne) {
  return op
      ->walk([&](Operation *inner) {
        return isOne(inner) ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

bool KernelOp::readsBeforeDependencies(BlockArgument constant) {
  auto reads = [&](Operation *op) {
    return readsConstant(op) &&
           llvm::any_of(op->getOperands(), [&](Value operand) {
             auto view = operand.getDefiningOp<tile::ViewOp>();
             return view && view.getPtr() == constant;
           });
  };
  return holds(getOperation(), [&](Operation *await) {
    if (!isa<AwaitDependenciesOp>(await))
      return false;
    for (Operation *at = await; at != getOperation(); at = at->getParentOp())
      for (Operation *op = at->getPrevNode(); op; op = op->getPrevNode())
        if (!isa<RoleOp>(op) && holds(op, reads))
          return true;
    return false;
  });
}

bool KernelOp::isAlone() {
  tile::TargetAttrInterface row = getTargetRow();
  return row && 2 * int64_t(getSharedBytes()) > row.getSharedBytes();
}

/// Whether an argument of the kernel is constant.
static bool isConstant(Value pointer) {
  auto argument = dyn_cast<BlockArgument>(pointer);
  auto kernel = argument
                    ? dyn_cast<KernelOp>(argument.getOwner()->getParentOp())
                    : KernelOp();
  return kernel && kernel.getArgAttr(argument.getArgNumber(),
                                     tile::TileDialect::kConstantAttr);
}

bool helios::frag::readsConstant(Operation *op) {
  if (!isa<CopyInOp, ReadOp, ElementOp>(op) || !touchesGlobalMemory(op))
    return false;
  auto copy = dyn_cast<CopyInOp>(op);
  if (copy && copy.getCopy().getCompletion() != tile::Completion::Group)
    return false;
  return llvm::all_of(op->getOperands(), [](Value operand) {
    if (!isa<tile::ViewType>(operand.getType()))
      return true;
    auto view = operand.getDefiningOp<tile::ViewOp>();
    return view && !view.getTable() && isConstant(view.getPtr());
  });
}

bool KernelOp::awaitsDependencies() {
  return holds(getOperation(),
               [](Operation *op) { return isa<AwaitDependenciesOp>(op); });
}

namespace {

/// Follows every way through a kernel.
class DependencyWalker {
public:
  explicit DependencyWalker(bool awaits) : awaits(awaits) {}

  /// The await that has been passed at the end of a block, or null, where
  /// `before` has been passed at its start.
  FailureOr<Operation *> block(Block &block, Operation *before) {
    for (Operation &op : block) {
      FailureOr<Operation *> after = visit(&op, before);
      if (failed(after))
        return failure();
      before = *after;
    }
    return before;
  }

private:
  FailureOr<Operation *> visit(Operation *op, Operation *before) {
    if (isa<AwaitDependenciesOp>(op)) {
      if (!before)
        return op;
      InFlightDiagnostic diag =
          op->emitOpError("expected one on each way, got a second one");
      diag.attachNote(before->getLoc()) << "the first one";
      return failure();
    }
    if (awaits && !before && touchesGlobalMemory(op) && !readsConstant(op))
      return op->emitOpError("touches global memory that is not constant; "
                             "expected 'frag.await_dependencies' before it on "
                             "every way, got none");
    SmallVector<Operation *> ends;
    for (Region &region : op->getRegions())
      for (Block &inner : region) {
        FailureOr<Operation *> end = block(inner, before);
        if (failed(end))
          return failure();
        ends.push_back(*end);
      }
    // What follows a role is on the way of other lanes.
    if (isa<RoleOp>(op))
      return before;
    auto fresh = llvm::find_if(
        ends, [&](Operation *end) { return end && end != before; });
    if (fresh == ends.end())
      return before;
    if (isa<scf::IfOp>(op) && ends.size() == 2 && ends[0] && ends[1])
      return *fresh;
    return (*fresh)->emitOpError("expected one on every other way too, where "
                                 "workgroups without work come by, got '")
           << op->getName() << "' that has a way without";
  }

  bool awaits;
};

} // namespace

LogicalResult helios::frag::verifyDependencies(KernelOp kernel) {
  tile::TargetAttrInterface row = kernel.getTargetRow();
  WalkResult walk = kernel.getBody().walk([&](Operation *op) {
    if (isa<AwaitDependenciesOp, ReleaseDependentsOp>(op) && row &&
        !row.canOverlapDispatches()) {
      op->emitOpError("expected a target whose dispatches overlap, got ")
          << row.getRowName();
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  if (walk.wasInterrupted())
    return failure();
  return DependencyWalker(kernel.awaitsDependencies())
      .block(kernel.getBody().front(), nullptr);
}
