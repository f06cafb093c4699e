// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Roles share rings and nothing else, so the steps of each on its rings follow
// from numbers alone. They are listed for one size of problem, role by role,
// and then taken in turns. A side of a ring is in one role, so the order of
// turns changes nothing: if one run ends, all do.

#include "helios/Dialect/Tile/IR/DryRun.h"
#include "helios/Dialect/Tile/IR/Linear.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/InferIntRangeInterface.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace helios::tile;

/// Sizes that are tried: less than any tile, and several tiles.
static constexpr int64_t kSizes[] = {1, 600};
/// Ops that one role may take before it is given up.
static constexpr int64_t kMostOps = 40000;

namespace {

/// Lists the steps of regions for one value of each argument.
class StepLister {
public:
  StepLister(FunctionOpInterface program, const DryRunLevel &level,
             int64_t size)
      : level(level) {
    program->walk([&](Operation *op) {
      if (!level.stepOf(op))
        return;
      for (Operation *parent = op; parent != program;
           parent = parent->getParentOp())
        relevant.insert(parent);
    });
    for (auto [i, arg] : llvm::enumerate(program.getArguments())) {
      if (!arg.getType().isIntOrIndex())
        continue;
      int64_t value = size;
      if (auto divisor =
              program.getArgAttrOfType<IntegerAttr>(i, TileDialect::kDivAttr))
        value = llvm::alignTo(value, divisor.getInt());
      if (auto range = program.getArgAttrOfType<DenseI64ArrayAttr>(
              i, TileDialect::kRangeAttr))
        value = std::clamp(value, range[0], range[1]);
      set(arg, value);
    }
  }

  /// Lists what a block does; false if that is not known.
  bool block(Block &block) {
    for (Operation &op : block)
      if (!visit(op))
        return false;
    return true;
  }
  /// What stands in front of a role beside other roles; false if there is a
  /// step in it.
  bool before(Operation *role, ArrayRef<Operation *> roles) {
    for (Operation &op : *role->getBlock()) {
      if (&op == role)
        break;
      if (!llvm::is_contained(roles, &op) && !visit(op))
        return false;
    }
    return steps.empty();
  }

  /// Values of a region that stand for others outside.
  void pass(ValueRange from, ValueRange to) {
    SmallVector<std::optional<APInt>> values;
    for (Value v : from)
      values.push_back(get(v));
    for (auto [v, value] : llvm::zip(to, values))
      if (value)
        known[v] = *value;
      else
        known.erase(v);
  }
  void set(Value v, int64_t value) {
    if (unsigned width = ConstantIntRanges::getStorageBitwidth(v.getType()))
      known[v] = APInt(width, value, /*isSigned=*/true,
                       /*implicitTrunc=*/true);
  }

  SmallVector<RingStep> steps;

private:
  std::optional<APInt> get(Value v) {
    auto it = known.find(v);
    if (it == known.end())
      return std::nullopt;
    return it->second;
  }
  std::optional<int64_t> number(Value v) {
    std::optional<APInt> value = get(v);
    if (!value)
      return std::nullopt;
    return value->getSExtValue();
  }

  bool visit(Operation &op) {
    if (++taken > kMostOps)
      return false;
    if (std::optional<RingStep> step = level.stepOf(&op)) {
      if (step->enters) {
        step->position = number(step->cursor);
        known.erase(step->next);
        if (step->position)
          known[step->next] = APInt(64, *step->position + 1);
      }
      steps.push_back(*step);
      return true;
    }
    if (auto ring = dyn_cast<RingOp>(op))
      known[ring.getCursor()] = APInt(64, 0);
    if (auto loop = dyn_cast<scf::ForOp>(op))
      return visitFor(loop);
    if (auto branch = dyn_cast<scf::IfOp>(op))
      return visitIf(branch);
    if (op.getNumRegions())
      return !relevant.contains(&op);
    if (std::optional<int64_t> value = level.numberOf(&op)) {
      set(op.getResult(0), *value);
      return true;
    }
    evaluate(op);
    return true;
  }

  bool visitFor(scf::ForOp loop) {
    std::optional<int64_t> from = number(loop.getLowerBound()),
                           to = number(loop.getUpperBound()),
                           by = number(loop.getStep());
    // A loop without steps is of interest for nothing but what it computes.
    if (!relevant.contains(loop) &&
        llvm::none_of(loop.getResultTypes(),
                      [](Type type) { return type.isIntOrIndex(); }))
      return true;
    if (!from || !to || !by || *by < 1)
      return !relevant.contains(loop);
    pass(loop.getInitArgs(), loop.getRegionIterArgs());
    for (int64_t i = *from; i < *to; i += *by) {
      set(loop.getInductionVar(), i);
      if (!block(*loop.getBody()))
        return false;
      pass(loop.getYieldedValues(), loop.getRegionIterArgs());
    }
    pass(loop.getRegionIterArgs(), loop.getResults());
    return true;
  }

  bool visitIf(scf::IfOp branch) {
    std::optional<APInt> condition = get(branch.getCondition());
    if (!condition)
      return !relevant.contains(branch);
    Block *taken =
        condition->isZero() ? branch.elseBlock() : branch.thenBlock();
    if (!taken)
      return true;
    if (!block(*taken))
      return false;
    pass(taken->getTerminator()->getOperands(), branch.getResults());
    return true;
  }

  /// Integers alone, and what follows from them.
  void evaluate(Operation &op) {
    if (op.getNumResults() == 0 ||
        llvm::none_of(op.getResultTypes(),
                      [](Type type) { return type.isIntOrIndex(); }))
      return;
    Attribute constant;
    if (matchPattern(&op, m_Constant(&constant))) {
      if (auto value = dyn_cast<IntegerAttr>(constant))
        known[op.getResult(0)] = value.getValue();
      return;
    }
    auto infer = dyn_cast<InferIntRangeInterface>(op);
    SmallVector<ConstantIntRanges> ranges;
    for (Value operand : op.getOperands()) {
      unsigned width = ConstantIntRanges::getStorageBitwidth(operand.getType());
      if (!width)
        return;
      std::optional<APInt> value = get(operand);
      ranges.push_back(value ? ConstantIntRanges::constant(*value)
                             : ConstantIntRanges::maxRange(width));
    }
    for (Value result : op.getResults())
      known.erase(result);
    if (infer)
      infer.inferResultRanges(
          ranges, [&](Value result, const ConstantIntRanges &range) {
            if (std::optional<APInt> value = range.getConstantValue())
              known[result] = *value;
          });
  }

  const DryRunLevel &level;
  DenseSet<Operation *> relevant; ///< steps, and what holds some
  DenseMap<Value, APInt> known;
  int64_t taken = 0;
};

/// A replica of a role, or the role.
struct Run {
  Operation *op;
  int64_t replica;
  SmallVector<RingStep> steps;
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
  program->walk([&](Operation *op) {
    if (std::optional<RingStep> step = level.stepOf(op); step && step->enters)
      sides[step->ring] |= 1u << unsigned(step->side);
  });
  if (sides.empty())
    return success();
  for (int64_t size : kSizes) {
    SmallVector<Run> runs;
    bool judged = true;
    for (Operation *op : roles)
      for (int64_t replica = 0; replica < level.replicasOf(op); ++replica) {
        StepLister lister(program, level, size);
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
        judged &= lister.block(body.front());
        llvm::erase_if(lister.steps, [&](const RingStep &step) {
          return sides.lookup(step.ring) != 3;
        });
        runs.push_back({op, replica, std::move(lister.steps)});
      }
    if (judged && failed(takeTurns(runs, size, roles.front() == program)))
      return failure();
  }
  return success();
}
