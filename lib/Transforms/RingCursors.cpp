// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The cursors of a ring that one role both fills and empties.

#include "RingCursors.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace helios;
using namespace helios::tile;

bool RingCursors::holds(Operation *op) {
  return op
      ->walk([&](Operation *inner) {
        return isReplaced(inner) ? WalkResult::interrupt()
                                 : WalkResult::advance();
      })
      .wasInterrupted();
}

RingCursors::Pair RingCursors::thread(IRRewriter &rewriter, Block &block,
                                      Pair cursors) {
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (isReplaced(&op))
      cursors = replace(rewriter, &op, cursors);
    else if (!holds(&op))
      continue;
    else if (auto loop = dyn_cast<scf::ForOp>(op))
      cursors = throughLoop(rewriter, loop, cursors);
    else if (auto branch = dyn_cast<scf::IfOp>(op))
      cursors = throughBranch(rewriter, branch, cursors);
  }
  return cursors;
}

RingCursors::Pair RingCursors::throughLoop(IRRewriter &rewriter,
                                           scf::ForOp loop, Pair cursors) {
  unsigned first = loop.getNumResults();
  rewriter.setInsertionPoint(loop);
  FailureOr<LoopLikeOpInterface> longer = loop.replaceWithAdditionalYields(
      rewriter, {cursors.write, cursors.read},
      /*replaceInitOperandUsesInLoop=*/false,
      [](OpBuilder &, Location, ArrayRef<BlockArgument> args) {
        return SmallVector<Value>(args);
      });
  loop = cast<scf::ForOp>(longer->getOperation());
  Pair end =
      thread(rewriter, *loop.getBody(),
             {loop.getRegionIterArg(first), loop.getRegionIterArg(first + 1)});
  Operation *yield = loop.getBody()->getTerminator();
  yield->setOperand(first, end.write);
  yield->setOperand(first + 1, end.read);
  return {loop.getResult(first), loop.getResult(first + 1)};
}

RingCursors::Pair RingCursors::throughBranch(IRRewriter &rewriter,
                                             scf::IfOp branch, Pair cursors) {
  unsigned first = branch.getNumResults();
  SmallVector<Type> types(branch.getResultTypes());
  types.append(2, cursors.write.getType());
  rewriter.setInsertionPoint(branch);
  auto wider =
      scf::IfOp::create(rewriter, branch.getLoc(), types, branch.getCondition(),
                        /*addThenBlock=*/false,
                        /*addElseBlock=*/false);
  wider.getThenRegion().takeBody(branch.getThenRegion());
  wider.getElseRegion().takeBody(branch.getElseRegion());
  if (wider.getElseRegion().empty()) {
    rewriter.createBlock(&wider.getElseRegion());
    scf::YieldOp::create(rewriter, branch.getLoc());
  }
  for (Region *region : {&wider.getThenRegion(), &wider.getElseRegion()}) {
    Pair end = thread(rewriter, region->front(), cursors);
    region->front().getTerminator()->insertOperands(first,
                                                    {end.write, end.read});
  }
  rewriter.replaceOp(branch, wider.getResults().take_front(first));
  return {wider.getResult(first), wider.getResult(first + 1)};
}
