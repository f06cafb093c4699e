// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// tile-expand: scheduled loops become prologue, steady state and epilogue.

#include "helios/Dialect/Tile/Utils/Facts.h"
#include "helios/Transforms/Passes.h"
#include "mlir/Dialect/SCF/Transforms/Transforms.h"

namespace helios {
#define GEN_PASS_DEF_TILEEXPAND
#include "helios/Transforms/Passes.h.inc"
} // namespace helios

using namespace mlir;
using namespace helios;
using namespace helios::tile;

namespace {

SchedAttr schedOf(Operation *op) {
  return op->getAttrOfType<SchedAttr>(TileDialect::kSchedAttr);
}

/// The highest stage of a loop whose every op is scheduled, or nothing.
std::optional<int64_t> lastStage(scf::ForOp loop) {
  int64_t stage = 0;
  for (Operation &op : loop.getBody()->without_terminator()) {
    SchedAttr sched = schedOf(&op);
    if (!sched)
      return std::nullopt;
    stage = std::max(stage, sched.getStage());
  }
  return stage;
}

void dropSchedule(Operation *root) {
  root->walk([](Operation *op) { op->removeAttr(TileDialect::kSchedAttr); });
}

/// True if facts prove a comparison.
bool isProved(Value condition) {
  auto compare = condition.getDefiningOp<arith::CmpIOp>();
  if (!compare || compare.getPredicate() != arith::CmpIPredicate::slt)
    return false;
  IndexRange low = knownRange(compare.getLhs()),
             high = knownRange(compare.getRhs());
  return low.high < high.low;
}

/// Beyond the end what the first trip loads, or stands at the view's beginning,
/// is loaded, at which nobody looks. Places at constant distances stay so.
void loadFromBeginning(RewriterBase &rewriter, LoadOp load, Value condition) {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(load);
  Value zero = arith::ConstantIndexOp::create(rewriter, load.getLoc(), 0);
  rewriter.modifyOpInPlace(load, [&] {
    for (OpOperand &offset : load.getOffsetsMutable()) {
      Value moving = offset.get();
      if (moving.getParentBlock() != load->getBlock())
        continue;
      auto sum = moving.getDefiningOp<arith::AddIOp>();
      bool isApart = sum && getConstantIntValue(sum.getRhs());
      if (isApart)
        moving = sum.getLhs();
      moving = arith::SelectOp::create(rewriter, load.getLoc(), condition,
                                       moving, zero);
      if (isApart)
        moving = arith::AddIOp::create(rewriter, load.getLoc(), moving,
                                       sum.getRhs());
      offset.set(moving);
    }
  });
}

/// Runs an op only under a condition; its results are zero otherwise, which
/// nobody looks at. A load under control of the loop's end also stays where it
/// is: were it unconditional, a compiler below could move it over the stores
/// and barriers before it, and the tile being stored and the one being loaded
/// would both occupy registers.
/// Slots go on being entered and exited beyond the end, so that every trip
/// finds the ring as the one before it; what is not copied nobody looks at.
Operation *predicate(RewriterBase &rewriter, Operation *op, Value condition) {
  if (isMemoryEffectFree(op) || isa<EnterOp, ExitOp>(op) || isProved(condition))
    return op;
  Location loc = op->getLoc();
  if (auto copy = dyn_cast<CopyInOp>(op)) {
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPoint(op);
    if (copy.getPredicate())
      condition =
          arith::AndIOp::create(rewriter, loc, copy.getPredicate(), condition);
    copy.getPredicateMutable().assign(condition);
    return op;
  }
  auto branch =
      scf::IfOp::create(rewriter, loc, op->getResultTypes(), condition,
                        /*addElseBlock=*/op->getNumResults() > 0);
  rewriter.replaceAllUsesWith(op->getResults(), branch.getResults());
  if (op->getNumResults() == 0) {
    rewriter.moveOpBefore(op, branch.thenBlock()->getTerminator());
    return branch;
  }
  rewriter.moveOpBefore(op, branch.thenBlock(), branch.thenBlock()->end());
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointToEnd(branch.thenBlock());
  scf::YieldOp::create(rewriter, loc, op->getResults());
  rewriter.setInsertionPointToEnd(branch.elseBlock());
  SmallVector<Value> zeros;
  for (Type type : op->getResultTypes())
    zeros.push_back(
        arith::ConstantOp::create(rewriter, loc, rewriter.getZeroAttr(type)));
  scf::YieldOp::create(rewriter, loc, zeros);
  return branch;
}

/// A ring that is written ahead of where it is read by some trips, and the
/// result of the loop that is the cursor of the reading side.
struct RingAhead {
  Value ring;
  int64_t trips;
  unsigned cursor;
};

SmallVector<RingAhead> ringsAhead(scf::ForOp loop) {
  SmallVector<RingAhead> rings;
  for (auto read : loop.getBody()->getOps<EnterOp>())
    for (auto write : loop.getBody()->getOps<EnterOp>())
      if (read.getAccess() == Access::Read &&
          write.getAccess() == Access::Write &&
          read.getRing() == write.getRing())
        for (auto [i, value] : llvm::enumerate(loop.getYieldedValues()))
          if (value == read.getNext())
            rings.push_back(
                {read.getRing(),
                 schedOf(read).getStage() - schedOf(write).getStage(),
                 unsigned(i)});
  return rings;
}

/// Reads what was written beyond the end, so that the ring is empty behind the
/// loop.
void drain(IRRewriter &rewriter, scf::ForOp loop, const RingAhead &ahead) {
  Location loc = loop.getLoc();
  auto type = cast<RingType>(ahead.ring.getType());
  Value cursor = loop.getResult(ahead.cursor);
  rewriter.setInsertionPointAfter(loop);
  Operation *first = nullptr;
  for (int64_t i = 0; i < ahead.trips; ++i) {
    auto enter = EnterOp::create(
        rewriter, loc, SlotType::get(rewriter.getContext(), Access::Read),
        cursor.getType(), type.getPayload(), Access::Read, ahead.ring, cursor);
    ExitOp::create(rewriter, loc, enter.getSlot(), ValueRange());
    cursor = enter.getNext();
    if (!first)
      first = enter;
  }
  if (first)
    rewriter.replaceAllUsesExcept(loop.getResult(ahead.cursor), cursor, first);
}

/// True if nothing is loaded or copied ahead, only slots handed back or
/// products started later: such a loop makes its last trips behind it, without
/// a test.
bool isLate(scf::ForOp loop) {
  // In a role that multiplies nothing runs ahead but products.
  bool inRole = loop->getParentOfType<RoleOp>() != nullptr;
  for (Operation &op : loop.getBody()->without_terminator())
    if (schedOf(&op).getStage() == 0
            ? isa<CopyInOp>(op) || (isa<LoadOp>(op) && !inRole)
            : !isa<ExitOp, EnterOp>(op) && !isMemoryEffectFree(&op))
      return false;
  return true;
}

/// A trip that is certain gives what it computes, not a choice between that and
/// what was before it.
void takeCertainValues(IRRewriter &rewriter, scf::ForOp loop,
                       const DenseSet<Value> &certain) {
  for (auto select :
       llvm::make_early_inc_range(loop->getBlock()->getOps<arith::SelectOp>()))
    if (certain.contains(select.getCondition()) ||
        isProved(select.getCondition()))
      rewriter.replaceOp(select, select.getTrueValue());
}

/// Slots are entered beyond the end too, so cursors go on there: they are not
/// held still, as the expansion does with what is used behind the loop.
void moveCursorsOn(IRRewriter &rewriter, scf::ForOp loop) {
  for (Block *block : {loop->getBlock(), loop.getBody()})
    for (auto select :
         llvm::make_early_inc_range(block->getOps<arith::SelectOp>()))
      if (isa<CursorType>(select.getType()) &&
          select.getTrueValue().getDefiningOp<EnterOp>())
        rewriter.replaceOp(select, select.getTrueValue());
}

/// What reads a tile in shared memory, through parts and transposes.
void collectReaders(Value tile, SetVector<Operation *> &readers) {
  for (Operation *user : tile.getUsers()) {
    if (isa<SliceOp, TransposeOp>(user))
      collectReaders(user->getResult(0), readers);
    else
      readers.insert(user);
  }
}

/// Exits behind the loop, of slots that all trips read, name the loop and the
/// trips beside it.
void nameReaders(scf::ForOp loop) {
  Block *block = loop->getBlock();
  for (auto exit : block->getOps<ExitOp>()) {
    auto enter = exit.getSlot().getDefiningOp<EnterOp>();
    if (!enter || enter->getBlock() != block || !loop->isBeforeInBlock(exit) ||
        !enter->isBeforeInBlock(loop))
      continue;
    SetVector<Operation *> readers;
    for (Value tile : enter.getPayload())
      collectReaders(tile, readers);
    if (llvm::none_of(readers, [&](Operation *reader) {
          return loop->isProperAncestor(reader);
        }))
      continue;
    SetVector<Value> after(exit.getAfter().begin(), exit.getAfter().end());
    SetVector<Operation *> named;
    for (Value v : after)
      named.insert(v.getDefiningOp());
    for (Operation *reader : readers)
      if (Operation *ancestor = block->findAncestorOpInBlock(*reader);
          ancestor && ancestor->isBeforeInBlock(exit) &&
          ancestor->getNumResults() && named.insert(ancestor))
        // The first results of a loop may be values that nothing needs now.
        after.insert(ancestor->getResults().back());
    exit.getAfterMutable().assign(after.getArrayRef());
  }
}

LogicalResult expand(IRRewriter &rewriter, scf::ForOp loop) {
  scf::PipeliningOption options;
  options.supportDynamicLoops = true;
  options.peelEpilogue = isLate(loop);
  SmallVector<RingAhead> rings = ringsAhead(loop);
  options.getScheduleFn =
      [](scf::ForOp loop,
         std::vector<std::pair<Operation *, unsigned>> &schedule) {
        SmallVector<Operation *> ops;
        for (Operation &op : loop.getBody()->without_terminator())
          ops.push_back(&op);
        llvm::stable_sort(ops, [](Operation *a, Operation *b) {
          return schedOf(a).getOrder() < schedOf(b).getOrder();
        });
        for (Operation *op : ops)
          schedule.emplace_back(op, schedOf(op).getStage());
      };
  // Who makes its last trips behind the loop was scheduled in the knowledge
  // that it makes as many as it has stages.
  DenseSet<Value> certain;
  // Where tiles are written ahead as well, no barrier stands between a load and
  // the write of the tile before it: it need not be held by a branch, which
  // would part the products around it. Nor need vectors beside copies, which
  // take few registers; behind a branch a lane would wait for them at once.
  bool isFree =
      lastStage(loop) == 2 || !loop.getBody()->getOps<CopyInOp>().empty();
  Block *around = loop->getBlock();
  options.predicateFn = [&, isFree, around](RewriterBase &rewriter,
                                            Operation *op, Value condition) {
    if (auto load = dyn_cast<LoadOp>(op);
        load && isFree && op->getBlock() != around && !isProved(condition)) {
      loadFromBeginning(rewriter, load, condition);
      return op;
    }
    if (!options.peelEpilogue)
      return predicate(rewriter, op, condition);
    certain.insert(condition);
    return op;
  };
  DictionaryAttr marks = loop->getDiscardableAttrDictionary();
  FailureOr<scf::ForOp> expanded =
      scf::pipelineForLoop(rewriter, loop, options);
  if (failed(expanded))
    return failure();
  (*expanded)->setDiscardableAttrs(marks);
  takeCertainValues(rewriter, *expanded, certain);
  if (!options.peelEpilogue)
    moveCursorsOn(rewriter, *expanded);
  nameReaders(*expanded);
  for (const RingAhead &ahead : rings)
    drain(rewriter, *expanded, ahead);
  return success();
}

/// A turn is passed on before slots are handed back, which may wait for the
/// products that read them.
void passTurnsEarly(ProgramOp program) {
  SmallVector<TurnOp> turns;
  program.walk([&](TurnOp turn) { turns.push_back(turn); });
  for (TurnOp turn : turns)
    while (turn.getTurn() == Turn::Pass &&
           isa_and_nonnull<ExitOp>(turn->getPrevNode()))
      turn->moveBefore(turn->getPrevNode());
}

struct Expand : helios::impl::TileExpandBase<Expand> {
  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) {
      if (lastStage(loop).value_or(0) > 0)
        loops.push_back(loop);
    });
    IRRewriter rewriter(&getContext());
    for (scf::ForOp loop : loops) {
      rewriter.setInsertionPoint(loop);
      if (failed(expand(rewriter, loop))) {
        loop.emitOpError("could not be expanded; its schedule is inconsistent");
        return signalPassFailure();
      }
    }
    dropSchedule(getOperation());
    passTurnsEarly(getOperation());
  }
};

} // namespace
