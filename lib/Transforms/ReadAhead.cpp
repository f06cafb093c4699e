// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// frag-read-ahead: operands that products read from global memory are read some
// products before, across the end of a trip too.

#include "helios/Transforms/Passes.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/SCF/Transforms/Transforms.h"
#include "mlir/IR/IRMapping.h"

namespace helios {
#define GEN_PASS_DEF_FRAGREADAHEAD
#include "helios/Transforms/Passes.h.inc"
} // namespace helios

using namespace mlir;
using namespace helios;
using namespace helios::frag;
using tile::TileDialect;

namespace {

/// A read from a view and, in order, the arithmetic that it alone needs.
struct Direct {
  ReadOp read;
  SmallVector<Operation *> needs;
};

class AheadLoop {
public:
  AheadLoop(scf::ForOp loop, int64_t distance)
      : loop(loop), distance(distance) {}

  /// Finds the products and what they read; false if there is nothing to move.
  bool match() {
    for (auto write : loop.getBody()->getOps<WriteOp>())
      if (isa<tile::ViewType>(write.getDest().getType()))
        return false;
    DenseSet<Operation *> seen;
    bool any = false;
    for (auto mma : loop.getBody()->getOps<MmaOp>()) {
      SmallVector<Direct> &reads = steps.emplace_back();
      mmas.push_back(mma);
      for (Value operand : {mma.getA(), mma.getB()}) {
        auto read = operand.getDefiningOp<ReadOp>();
        if (!read || read->getBlock() != loop.getBody() ||
            !isa<tile::ViewType>(read.getSource().getType()) ||
            !seen.insert(read).second)
          continue;
        if (!followsCounter(read))
          return false;
        reads.push_back({read, {}});
        any = true;
      }
    }
    distance = std::min<int64_t>(distance, mmas.size());
    return any;
  }

  LogicalResult pipeline(IRRewriter &rewriter);

private:
  /// Whether a read depends on the trip by the counter alone, through
  /// arithmetic.
  bool followsCounter(ReadOp read) {
    return llvm::all_of(sliceOf(read), [&](Operation *op) {
      return (op == read || (isMemoryEffectFree(op) && !op->getNumRegions())) &&
             llvm::none_of(op->getOperands(), [&](Value v) {
               auto arg = dyn_cast<BlockArgument>(v);
               return arg && arg.getOwner() == loop.getBody() &&
                      arg != loop.getInductionVar();
             });
    });
  }

  /// The ops of the body that compute a read, in order.
  SetVector<Operation *> sliceOf(ReadOp read) {
    BackwardSliceOptions options;
    options.inclusive = true;
    options.omitBlockArguments = true;
    options.filter = [&](Operation *op) {
      return op->getBlock() == loop.getBody();
    };
    SetVector<Operation *> slice;
    (void)getBackwardSlice(read.getOperation(), &slice, options);
    return slice;
  }

  /// Gives each read arithmetic of its own.
  void separate(IRRewriter &rewriter) {
    for (SmallVector<Direct> &reads : steps)
      for (Direct &direct : reads) {
        IRMapping map;
        rewriter.setInsertionPoint(direct.read);
        for (Operation *op : sliceOf(direct.read))
          if (op != direct.read)
            direct.needs.push_back(rewriter.clone(*op, map));
        rewriter.modifyOpInPlace(direct.read, [&] {
          for (OpOperand &operand : direct.read->getOpOperands())
            operand.set(map.lookupOrDefault(operand.get()));
        });
      }
  }

  scf::ForOp loop;
  int64_t distance;
  SmallVector<MmaOp> mmas;
  SmallVector<SmallVector<Direct>> steps;
};

/// What is read beyond the end nobody looks at, but it must be there: in the
/// loop that is what stands at the view's beginning; before it there may be
/// nothing.
Operation *predicate(RewriterBase &rewriter, Operation *op, Value condition,
                     Block *around) {
  auto read = dyn_cast<ReadOp>(op);
  if (!read)
    return op;
  Location loc = op->getLoc();
  OpBuilder::InsertionGuard guard(rewriter);
  if (op->getBlock() != around) {
    rewriter.setInsertionPoint(op);
    Value zero = arith::ConstantIndexOp::create(rewriter, loc, 0);
    rewriter.modifyOpInPlace(op, [&] {
      for (OpOperand &offset : read.getOffsetsMutable())
        if (offset.get().getParentBlock() == op->getBlock())
          offset.set(arith::SelectOp::create(rewriter, loc, condition,
                                             offset.get(), zero));
    });
    return op;
  }
  rewriter.setInsertionPoint(op);
  auto branch = scf::IfOp::create(rewriter, loc, op->getResultTypes(),
                                  condition, /*withElseRegion=*/true);
  rewriter.replaceAllUsesWith(op->getResults(), branch.getResults());
  rewriter.moveOpBefore(op, branch.thenBlock(), branch.thenBlock()->end());
  rewriter.setInsertionPointToEnd(branch.thenBlock());
  scf::YieldOp::create(rewriter, loc, op->getResults());
  rewriter.setInsertionPointToEnd(branch.elseBlock());
  FragmentType type = read.getType();
  Value zero = arith::ConstantOp::create(
      rewriter, loc, rewriter.getZeroAttr(type.getElementType()));
  scf::YieldOp::create(rewriter, loc,
                       SplatOp::create(rewriter, loc, type, zero).getResult());
  return branch;
}

LogicalResult AheadLoop::pipeline(IRRewriter &rewriter) {
  separate(rewriter);
  // Reads stand before the product that is so many before theirs, which may be
  // one of the trip before.
  int64_t count = mmas.size();
  SmallVector<SmallVector<std::pair<Direct *, unsigned>>> before(count);
  DenseSet<Operation *> moved;
  for (int64_t i = 0; i < count; ++i)
    for (Direct &direct : steps[i]) {
      bool late = i >= distance;
      before[late ? i - distance : count - distance + i].push_back(
          {&direct, late ? 1 : 0});
      moved.insert(direct.read);
      moved.insert(direct.needs.begin(), direct.needs.end());
    }
  SmallVector<std::pair<Operation *, unsigned>> order;
  int64_t next = 0;
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (moved.contains(&op))
      continue;
    if (next < count && &op == mmas[next])
      for (auto [direct, stage] : before[next++]) {
        for (Operation *needed : direct->needs)
          order.emplace_back(needed, stage);
        order.emplace_back(direct->read, stage);
      }
    order.emplace_back(&op, 1);
  }
  scf::PipeliningOption options;
  options.supportDynamicLoops = true;
  options.peelEpilogue = false;
  options.getScheduleFn =
      [&](scf::ForOp, std::vector<std::pair<Operation *, unsigned>> &schedule) {
        schedule.assign(order.begin(), order.end());
      };
  Block *around = loop->getBlock();
  options.predicateFn = [&](RewriterBase &rewriter, Operation *op,
                            Value condition) {
    return predicate(rewriter, op, condition, around);
  };
  DictionaryAttr marks = loop->getDiscardableAttrDictionary();
  rewriter.setInsertionPoint(loop);
  FailureOr<scf::ForOp> result = scf::pipelineForLoop(rewriter, loop, options);
  if (failed(result))
    return failure();
  (*result)->setDiscardableAttrs(marks);
  (*result)->removeAttr(TileDialect::kAheadAttr);
  return success();
}

struct ReadAhead : helios::impl::FragReadAheadBase<ReadAhead> {
  void runOnOperation() override {
    SmallVector<AheadLoop> loops;
    getOperation().walk([&](scf::ForOp loop) {
      auto distance = loop->getAttrOfType<IntegerAttr>(TileDialect::kAheadAttr);
      if (!distance || distance.getInt() < 1)
        return;
      AheadLoop candidate(loop, distance.getInt());
      if (candidate.match())
        loops.push_back(candidate);
    });
    IRRewriter rewriter(&getContext());
    for (AheadLoop &loop : loops)
      if (failed(loop.pipeline(rewriter))) {
        getOperation().emitOpError("has a loop whose reads could not be moved "
                                   "ahead");
        return signalPassFailure();
      }
  }
};

} // namespace
