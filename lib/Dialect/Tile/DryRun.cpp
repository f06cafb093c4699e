// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Roles share rings and nothing else, so the steps of each on its rings follow
// from numbers alone. They are listed for one size of problem, role by role,
// and then taken in turns. A side of a ring is in one role, so the order of
// turns changes nothing: if one run ends, all do.

#include "DryRunSteps.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace helios::tile;

/// Sizes that are tried: less than any tile, and several tiles.
static constexpr int64_t kSizes[] = {1, 600};

namespace {

/// A replica of a role, or the role.
struct Run {
  Operation *op;
  int64_t replica;
  SmallVector<RingStep> steps;
  bool cut; ///< more would follow
  size_t at = 0;
};

/// A ring, or one replica's.
using RingKey = std::pair<Value, int64_t>;

struct Count {
  struct Reader {
    int64_t entered = 0, exited = 0;
  };
  llvm::MapVector<Run *, Reader> readers;
  int64_t entered = 0, written = 0; ///< by the writing side
  /// Slots that every reader has given back.
  int64_t exited() const {
    int64_t least = entered;
    for (const auto &[run, reader] : readers)
      least = std::min(least, reader.exited);
    return least;
  }
  int64_t used() const { return entered - exited(); }
};

} // namespace

static RingKey keyOf(const RingStep &step, const Run &run) {
  return {step.ring, step.ofReplica ? run.replica : 0};
}

/// Cursors count: stage and parity of a slot follow from them.
static LogicalResult checkPosition(const RingStep &step, int64_t before,
                                   int64_t size) {
  if (!step.position || *step.position == before)
    return success();
  return step.op->emitOpError("expected the cursor behind ")
         << before << " slots that this side has entered, with " << size
         << " for every size, got one behind " << *step.position;
}

/// Takes a step if it need not wait; says whether it was taken.
static FailureOr<bool> take(const RingStep &step, Run &run, Count &ring,
                            int64_t size) {
  bool writes = step.side == Access::Write;
  if (!step.enters) {
    ++(writes ? ring.written : ring.readers[&run].exited);
    return true;
  }
  int64_t &entered = writes ? ring.entered : ring.readers[&run].entered;
  if (writes ? ring.used() >= step.depth : entered >= ring.written)
    return false;
  if (failed(checkPosition(step, entered, size)))
    return failure();
  ++entered;
  return true;
}

/// Says who waits for ever, and where the others are.
static LogicalResult reportWait(const RingStep &step, const Run &run,
                                const Count &ring, ArrayRef<Run> runs,
                                int64_t size) {
  InFlightDiagnostic diag = step.op->emitOpError("waits for ever, with ")
                            << size << " for every size: expected ";
  if (step.side == Access::Write)
    diag << "fewer than " << step.depth << " slots of the ring in use, got "
         << ring.used() << ", of which the reading side has exited "
         << ring.exited() << " before";
  else
    diag << "one more slot to be written, got " << ring.written;
  Operation *last = run.op;
  for (const Run &other : runs) {
    if (other.op == run.op || other.op == last)
      continue;
    last = other.op;
    bool waits = other.at < other.steps.size();
    diag.attachNote(waits ? other.steps[other.at].op->getLoc()
                          : other.op->getLoc())
        << (waits ? "another role waits here" : "this role has ended");
  }
  return diag;
}

/// Takes the steps of all roles as far as they go.
static LogicalResult takeTurns(MutableArrayRef<Run> runs, int64_t size,
                               bool mayLeave) {
  llvm::MapVector<RingKey, Count> rings;
  for (Run &run : runs)
    for (const RingStep &step : run.steps)
      if (Count &ring = rings[keyOf(step, run)]; step.side == Access::Read)
        (void)ring.readers[&run];
  for (bool moved = true; moved;) {
    moved = false;
    for (Run &run : runs)
      for (; run.at < run.steps.size(); ++run.at) {
        const RingStep &step = run.steps[run.at];
        FailureOr<bool> taken = take(step, run, rings[keyOf(step, run)], size);
        if (failed(taken))
          return failure();
        if (!*taken)
          break;
        moved = true;
      }
  }
  // Whoever has more to do than was listed may yet do what others wait for.
  if (llvm::any_of(runs, [](const Run &run) {
        return run.cut && run.at == run.steps.size();
      }))
    return success();
  for (Run &run : runs)
    if (run.at < run.steps.size())
      return reportWait(run.steps[run.at], run,
                        rings[keyOf(run.steps[run.at], run)], runs, size);
  for (auto &[key, ring] : rings) {
    int64_t read = ring.written;
    for (auto &[run, reader] : ring.readers)
      read = std::min(read, reader.entered);
    if (!mayLeave && (read < ring.written || ring.used()))
      return emitError(key.first.getLoc())
             << "expected every slot to be written, read and exited, with "
             << size << " for every size: got " << ring.written - read
             << " written and not read, " << ring.used()
             << " entered to write and not given back";
  }
  return success();
}

LogicalResult helios::tile::verifyRolesMeet(FunctionOpInterface program,
                                            ArrayRef<Operation *> roles,
                                            const DryRunLevel &level) {
  Operation *whole[] = {program};
  if (roles.empty())
    roles = whole;
  DenseMap<Value, unsigned> sides;
  StepSlice slice(program, level);
  for (const RingStep &step : slice.getSteps())
    if (step.enters)
      sides[step.ring] |= 1u << unsigned(step.side);
  if (sides.empty())
    return success();
  for (int64_t size : kSizes) {
    SmallVector<Run> runs;
    bool judged = true;
    for (Operation *op : roles)
      for (int64_t replica = 0; replica < level.replicasOf(op); ++replica) {
        StepLister lister(slice, size);
        // What stands before the roles computes what they capture.
        SmallVector<Operation *> around;
        for (Operation *parent = op; parent != program;
             parent = parent->getParentOp())
          around.push_back(parent);
        for (Operation *parent : llvm::reverse(around)) {
          judged &= lister.before(parent, roles);
          if (auto captures = dyn_cast<RolesOp>(parent))
            lister.pass(captures.getCaptures(),
                        captures.getBody().getArguments());
        }
        Region &body = op->getRegion(0);
        if (op != program)
          for (Value arg : body.getArguments())
            lister.set(arg, replica);
        judged &= lister.block(body.front()) || lister.cut;
        llvm::erase_if(lister.steps, [&](const RingStep &step) {
          return sides.lookup(step.ring) != 3;
        });
        runs.push_back({op, replica, std::move(lister.steps), lister.cut});
      }
    if (judged && failed(takeTurns(runs, size, roles.front() == program)))
      return failure();
  }
  return success();
}
