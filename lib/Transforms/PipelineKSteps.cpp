// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// frag-pipeline-k-steps: operands of the next step along k are read while the
// products of this one run, across the end of a trip too.

#include "helios/Dialect/Tile/Utils/ElementBits.h"
#include "helios/Transforms/Passes.h"
#include "mlir/Dialect/SCF/Transforms/Transforms.h"

namespace helios {
#define GEN_PASS_DEF_FRAGPIPELINEKSTEPS
#include "helios/Transforms/Passes.h.inc"
} // namespace helios

using namespace mlir;
using namespace helios;
using namespace helios::frag;

namespace {

/// Registers of a lane that hold neither accumulators nor operands: addresses
/// and counters.
constexpr int64_t kOtherRegisters = 48;

/// 32-bit registers that a value takes in one lane; 0 for one that is no
/// fragment.
int64_t registersOf(Type type) {
  auto fragment = dyn_cast<FragmentType>(type);
  if (!fragment)
    return 0;
  return llvm::divideCeil(
      fragment.getLayout().getRegisterCount(fragment.getShape()) *
          tile::getStoredBits(fragment.getElementType()),
      32);
}

/// One synchronous product of a trip and the operands that are read for it.
struct Step {
  MmaOp mma;
  SmallVector<ReadOp> reads;
  int64_t registers = 0;
};

/// A loop whose products take their operands from the slot that it acquires.
class KLoop {
public:
  explicit KLoop(scf::ForOp loop) : loop(loop) {}

  /// Finds slot, products and reads; false if the loop is of another kind.
  bool match() {
    Block *body = loop.getBody();
    for (Operation &op : body->without_terminator()) {
      if (op.getNumRegions() > 0)
        return false;
      auto other = dyn_cast<AcquireOp>(op);
      if (!other || other.getAccess() != tile::Access::Read)
        continue;
      if (acquire)
        return false;
      acquire = other;
    }
    if (!acquire)
      return false;
    for (Operation *user : acquire.getSlot().getUsers()) {
      if (user->getBlock() != body || !isa<SlotMemOp, ReleaseOp>(user))
        return false;
      if (auto other = dyn_cast<ReleaseOp>(user))
        release = other;
    }
    for (auto [i, value] : llvm::enumerate(loop.getYieldedValues()))
      if (value == acquire.getNext())
        cursor = i;
    return release && release.getAfter().empty() && cursor && collectSteps() &&
           findDrain();
  }

  /// Whether the operands of two steps fit beside what the loop carries.
  bool fits(int64_t limit) {
    int64_t registers = kOtherRegisters, widest = 0;
    for (Type type : loop.getResultTypes())
      registers += registersOf(type);
    for (const Step &step : steps)
      widest = std::max(widest, step.registers);
    return registers + 2 * widest <= limit;
  }

  LogicalResult pipeline(IRRewriter &rewriter);

private:
  /// The slot that a read's memory is part of, or null.
  ReadOp readOfSlot(Value operand) {
    auto read = operand.getDefiningOp<ReadOp>();
    auto part =
        read ? read.getSource().getDefiningOp<SlotMemOp>() : SlotMemOp();
    return part && part.getSlot() == acquire.getSlot() ? read : ReadOp();
  }

  bool collectSteps() {
    DenseSet<Operation *> seen;
    for (auto mma : loop.getBody()->getOps<MmaOp>()) {
      Step step{mma, {}, 0};
      for (Value operand : {mma.getA(), mma.getB()}) {
        ReadOp read = readOfSlot(operand);
        // What comes another way may wait at barriers of its own.
        if (!read && !loop.isDefinedOutsideOfLoop(operand))
          return false;
        if (read && seen.insert(read).second) {
          step.reads.push_back(read);
          step.registers += registersOf(read.getType());
        }
      }
      // Offsets of the reads do not change from trip to trip.
      for (ReadOp read : step.reads)
        if (llvm::any_of(read.getOffsets(), [&](Value v) {
              return !loop.isDefinedOutsideOfLoop(v);
            }))
          return false;
      steps.push_back(step);
    }
    return !steps.empty() && !steps.front().reads.empty() &&
           llvm::none_of(acquire.getSlot().getUsers(), [&](Operation *user) {
             // Somebody else reads the slot.
             return isa<SlotMemOp>(user) &&
                    llvm::any_of(user->getUsers(), [&](Operation *reader) {
                      return !seen.contains(reader);
                    });
           });
  }

  /// Behind the loop, the slot that was written beyond the end and is only
  /// handed back: reading ahead may have it.
  bool findDrain() {
    for (Operation *user : loop.getResult(*cursor).getUsers())
      if (auto next = dyn_cast<AcquireOp>(user);
          next && next.getAccess() == tile::Access::Read &&
          next.getRing() == acquire.getRing() &&
          next->getBlock() == loop->getBlock() &&
          llvm::all_of(next.getSlot().getUsers(), llvm::IsaPred<ReleaseOp>))
        drain = next;
    return bool(drain);
  }

  scf::ForOp loop;
  AcquireOp acquire, drain;
  ReleaseOp release;
  std::optional<unsigned> cursor;
  SmallVector<Step> steps;
};

/// Makes a cursor that is chosen by the loop's end the one that an acquire
/// gave.
void takeAcquired(IRRewriter &rewriter, OpOperand &operand) {
  auto select = operand.get().getDefiningOp<arith::SelectOp>();
  if (!select)
    return;
  rewriter.modifyOpInPlace(operand.getOwner(),
                           [&] { operand.set(select.getTrueValue()); });
  if (select->use_empty())
    rewriter.eraseOp(select);
}

LogicalResult KLoop::pipeline(IRRewriter &rewriter) {
  // Later steps find the slot's memory anew, from the slot that is carried.
  DenseSet<Operation *> first{acquire};
  SmallVector<Operation *> ahead{acquire};
  for (Step &step : steps)
    for (ReadOp read : step.reads) {
      rewriter.setInsertionPoint(read);
      Operation *part =
          rewriter.clone(*read.getSource().getDefiningOp<SlotMemOp>());
      read.getSourceMutable().assign(part->getResult(0));
      if (&step != &steps.front())
        continue;
      ahead.append({part, read});
      first.insert(part);
      first.insert(read);
    }
  SmallVector<std::pair<Operation *, unsigned>> order;
  DenseSet<Operation *> placed(first.begin(), first.end());
  auto place = [&](Operation *op, unsigned stage) {
    order.emplace_back(op, stage);
    placed.insert(op);
  };
  auto placeReads = [&](Step &step) {
    for (ReadOp read : step.reads) {
      place(read.getSource().getDefiningOp(), 1);
      place(read, 1);
    }
  };
  // Reads of a step stand before the products of the one before it; behind the
  // last of them the slot goes back and the next trip's first step is read.
  if (steps.size() > 1)
    placeReads(steps[1]);
  DenseSet<Operation *> held{release};
  for (Step &step : llvm::drop_begin(steps))
    for (ReadOp read : step.reads) {
      held.insert(read);
      held.insert(read.getSource().getDefiningOp());
    }
  size_t next = 0;
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (placed.contains(&op) || held.contains(&op) ||
        (isa<SlotMemOp>(op) && op.use_empty()))
      continue;
    if (next < steps.size() && &op == steps[next].mma) {
      if (next > 0 && next + 1 < steps.size())
        placeReads(steps[next + 1]);
      if (next + 1 == steps.size()) {
        place(release, 1);
        for (Operation *early : ahead)
          order.emplace_back(early, 0);
      }
      ++next;
    }
    place(&op, 1);
  }
  for (Operation &op :
       llvm::make_early_inc_range(loop.getBody()->without_terminator()))
    if (isa<SlotMemOp>(op) && op.use_empty())
      rewriter.eraseOp(&op);

  scf::PipeliningOption options;
  options.supportDynamicLoops = true;
  options.peelEpilogue = false;
  options.getScheduleFn =
      [&](scf::ForOp, std::vector<std::pair<Operation *, unsigned>> &schedule) {
        schedule.assign(order.begin(), order.end());
      };
  // The slot read beyond the end exists, see findDrain; nobody looks at what is
  // read from it.
  options.predicateFn = [](RewriterBase &, Operation *op, Value) { return op; };
  Value ring = acquire.getRing();
  DictionaryAttr marks = loop->getDiscardableAttrDictionary();
  rewriter.setInsertionPoint(loop);
  FailureOr<scf::ForOp> result = scf::pipelineForLoop(rewriter, loop, options);
  if (failed(result))
    return failure();
  (*result)->setDiscardableAttrs(marks);
  for (auto again : (*result).getBody()->getOps<AcquireOp>()) {
    if (again.getRing() != ring || again.getAccess() != tile::Access::Read)
      continue;
    for (auto [i, value] : llvm::enumerate((*result).getYieldedValues()))
      if (value == again.getSlot())
        rewriter.replaceAllUsesWith(drain.getSlot(), (*result).getResult(i));
  }
  // The expansion holds the cursor still beyond the end; here it goes on.
  takeAcquired(rewriter, (*result).getInitArgsMutable()[*cursor]);
  takeAcquired(rewriter, (*result).getYieldedValuesMutable()->begin()[*cursor]);
  rewriter.replaceAllUsesWith(drain.getNext(), (*result).getResult(*cursor));
  rewriter.eraseOp(drain);
  return success();
}

struct PipelineKSteps : helios::impl::FragPipelineKStepsBase<PipelineKSteps> {
  void runOnOperation() override {
    KernelOp kernel = getOperation();
    tile::TargetAttrInterface row = kernel.getTargetRow();
    if (!row)
      return;
    int64_t limit = row.getMaxRegisters();
    if (kernel.getRegs())
      limit = *kernel.getRegs();
    // The lanes of a workgroup share the register file.
    if (int64_t file = row.getRegisterFile())
      limit = std::min<int64_t>(limit, file / kernel.getThreads());
    SmallVector<KLoop> loops;
    kernel.walk([&](scf::ForOp loop) {
      KLoop candidate(loop);
      if (candidate.match() && candidate.fits(limit))
        loops.push_back(candidate);
    });
    IRRewriter rewriter(&getContext());
    for (KLoop &loop : loops)
      if (failed(loop.pipeline(rewriter)))
        return signalPassFailure();
  }
};

} // namespace
