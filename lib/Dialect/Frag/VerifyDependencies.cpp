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

bool KernelOp::awaitsDependencies() {
  return walk([](AwaitDependenciesOp) { return WalkResult::interrupt(); })
      .wasInterrupted();
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
    if (awaits && !before && touchesGlobalMemory(op))
      return op->emitOpError("touches global memory; expected "
                             "'frag.await_dependencies' before it on every "
                             "way, got none");
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
  ReleaseDependentsOp release;
  WalkResult walk = kernel.getBody().walk([&](Operation *op) -> WalkResult {
    auto other = dyn_cast<ReleaseDependentsOp>(op);
    if (!other && !isa<AwaitDependenciesOp>(op))
      return WalkResult::advance();
    if (row && !row.canOverlapDispatches())
      return op->emitOpError("expected a target whose dispatches overlap, got ")
             << row.getRowName();
    if (other && release) {
      InFlightDiagnostic diag =
          op->emitOpError("expected one in a kernel, got a second one");
      diag.attachNote(release.getLoc()) << "the first one";
      return diag;
    }
    if (other)
      release = other;
    return WalkResult::advance();
  });
  if (walk.wasInterrupted())
    return failure();
  return DependencyWalker(kernel.awaitsDependencies())
      .block(kernel.getBody().front(), nullptr);
}
