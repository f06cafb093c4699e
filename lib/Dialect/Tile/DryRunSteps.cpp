// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "DryRunSteps.h"
#include "helios/Dialect/Tile/IR/Linear.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/InferIntRangeInterface.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace helios::tile;

/// Entries that one role takes; what comes behind them repeats.
static constexpr int64_t kMostEntries = 6000;

static bool hasIntegers(Operation &op) {
  return llvm::any_of(op.getResultTypes(),
                      [](Type type) { return type.isIntOrIndex(); });
}

//===----------------------------------------------------------------------===//
// StepSlice
//===----------------------------------------------------------------------===//

StepSlice::StepSlice(FunctionOpInterface program, const DryRunLevel &level)
    : program(program), level(level) {
  program->walk([&](Operation *op) {
    std::optional<RingStep> step = level.stepOf(op);
    if (!step)
      return;
    stepOf[op] = steps.size();
    steps.push_back(*step);
    for (Operation *parent = op; parent != program;
         parent = parent->getParentOp())
      if (!holders.insert(parent).second)
        break;
  });
  if (steps.empty())
    return;
  for (const RingStep &step : steps)
    if (step.enters)
      need(step.cursor);
  for (Operation *holder : holders) {
    needBounds(holder);
    if (auto branch = dyn_cast<scf::IfOp>(holder))
      need(branch.getCondition());
  }
  while (!open.empty())
    needWhatGives(open.pop_back_val());
  program->walk<WalkOrder::PreOrder>([&](Operation *op) {
    bool isNeeded =
        holders.contains(op) ||
        llvm::any_of(op->getResults(), [&](Value v) { return needs(v); });
    if (op == program || !isNeeded)
      return;
    Entry entry{op, std::nullopt, getValue(*op)};
    if (auto step = stepOf.find(op); step != stepOf.end())
      entry.step = steps[step->second];
    entries[op->getBlock()].push_back(std::move(entry));
  });
}

ArrayRef<StepSlice::Entry> StepSlice::getEntries(Block &block) const {
  auto it = entries.find(&block);
  return it == entries.end() ? ArrayRef<Entry>() : it->second;
}

void StepSlice::need(Value v) {
  if (v && needed.insert(v).second)
    open.push_back(v);
}

void StepSlice::needBounds(Operation *op) {
  if (auto loop = dyn_cast<scf::ForOp>(op))
    for (Value v : {loop.getLowerBound(), loop.getUpperBound(), loop.getStep()})
      need(v);
}

void StepSlice::needWhatGives(Value v) {
  Operation *op = v.getDefiningOp();
  if (!op) {
    auto arg = cast<BlockArgument>(v);
    op = arg.getOwner()->getParentOp();
    if (auto captures = dyn_cast<RolesOp>(op))
      need(captures.getCaptures()[arg.getArgNumber()]);
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      needBounds(loop);
      if (Value result = loop.getTiedLoopResult(arg))
        need(result);
    }
    return;
  }
  unsigned i = cast<OpResult>(v).getResultNumber();
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    needBounds(loop);
    need(loop.getInitArgs()[i]);
    need(loop.getRegionIterArg(i));
    need(loop.getYieldedValues()[i]);
  } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
    need(branch.getCondition());
    for (Region *region : branch.getRegions())
      need(region->front().getTerminator()->getOperand(i));
  } else if (!stepOf.contains(op) && !op->getNumRegions() && !getValue(*op)) {
    for (Value operand : op->getOperands())
      need(operand);
  }
}

std::optional<APInt> StepSlice::getValue(Operation &op) const {
  if (isa<RingOp>(op))
    return APInt(64, 0);
  if (std::optional<int64_t> value = level.numberOf(&op))
    return APInt(
        ConstantIntRanges::getStorageBitwidth(op.getResult(0).getType()),
        *value, /*isSigned=*/true, /*implicitTrunc=*/true);
  IntegerAttr constant;
  if (matchPattern(&op, m_Constant(&constant)))
    return constant.getValue();
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// StepLister
//===----------------------------------------------------------------------===//

StepLister::StepLister(const StepSlice &slice, int64_t size) : slice(slice) {
  FunctionOpInterface program = slice.getProgram();
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

bool StepLister::block(Block &block) {
  return llvm::all_of(
      slice.getEntries(block),
      [&](const StepSlice::Entry &entry) { return visit(entry); });
}

bool StepLister::before(Operation *role, ArrayRef<Operation *> roles) {
  for (const StepSlice::Entry &entry : slice.getEntries(*role->getBlock())) {
    if (entry.op == role)
      break;
    if (!llvm::is_contained(roles, entry.op) && !visit(entry))
      return false;
  }
  return steps.empty();
}

void StepLister::pass(ValueRange from, ValueRange to) {
  // All are read before one is written: they may change places.
  SmallVector<std::pair<Value, std::optional<APInt>>> values;
  for (auto [v, target] : llvm::zip(from, to))
    if (slice.needs(target))
      values.emplace_back(target, get(v));
  for (auto &[v, value] : values)
    if (value)
      known[v] = *value;
    else
      known.erase(v);
}

void StepLister::set(Value v, int64_t value) {
  if (unsigned width = ConstantIntRanges::getStorageBitwidth(v.getType()))
    known[v] = APInt(width, value, /*isSigned=*/true,
                     /*implicitTrunc=*/true);
}

std::optional<APInt> StepLister::get(Value v) const {
  auto it = known.find(v);
  if (it == known.end())
    return std::nullopt;
  return it->second;
}

std::optional<int64_t> StepLister::number(Value v) const {
  std::optional<APInt> value = get(v);
  if (!value)
    return std::nullopt;
  return value->getSExtValue();
}

bool StepLister::visit(const StepSlice::Entry &entry) {
  if (++taken > kMostEntries) {
    cut = true;
    return false;
  }
  if (entry.step) {
    RingStep step = *entry.step;
    if (step.enters) {
      step.position = number(step.cursor);
      known.erase(step.next);
      if (step.position)
        known[step.next] = APInt(64, *step.position + 1);
    }
    steps.push_back(step);
    return true;
  }
  if (entry.value) {
    // A ring's cursor is the last of its results.
    known[entry.op->getResults().back()] = *entry.value;
    return true;
  }
  if (isa<scf::ForOp>(entry.op))
    return visitFor(entry.op);
  if (isa<scf::IfOp>(entry.op))
    return visitIf(entry.op);
  if (entry.op->getNumRegions())
    return !slice.holdsSteps(entry.op);
  evaluate(*entry.op);
  return true;
}

bool StepLister::visitFor(Operation *op) {
  auto loop = cast<scf::ForOp>(op);
  std::optional<int64_t> from = number(loop.getLowerBound()),
                         to = number(loop.getUpperBound()),
                         by = number(loop.getStep());
  if (!from || !to || !by || *by < 1) {
    for (Value result : loop.getResults())
      known.erase(result);
    return !slice.holdsSteps(loop);
  }
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

bool StepLister::visitIf(Operation *op) {
  auto branch = cast<scf::IfOp>(op);
  std::optional<APInt> condition = get(branch.getCondition());
  if (!condition) {
    for (Value result : branch.getResults())
      known.erase(result);
    return !slice.holdsSteps(branch);
  }
  Block *taken = condition->isZero() ? branch.elseBlock() : branch.thenBlock();
  if (!taken)
    return true;
  if (!block(*taken))
    return false;
  pass(taken->getTerminator()->getOperands(), branch.getResults());
  return true;
}

/// What the commonest ops compute, without the detour through ranges.
static std::optional<APInt> computeCommon(Operation &op, ArrayRef<APInt> in) {
  using Result = std::optional<APInt>;
  return TypeSwitch<Operation *, Result>(&op)
      .Case([&](arith::AddIOp) { return Result(in[0] + in[1]); })
      .Case([&](arith::SubIOp) { return Result(in[0] - in[1]); })
      .Case([&](arith::MulIOp) { return Result(in[0] * in[1]); })
      .Case([&](arith::SelectOp) { return Result(in[in[0].isZero() ? 2 : 1]); })
      .Case([&](arith::CmpIOp cmp) {
        return Result(APInt(
            1, arith::applyCmpPredicate(cmp.getPredicate(), in[0], in[1])));
      })
      .Default([](Operation *) { return Result(); });
}

/// Integers alone, and what follows from them.
void StepLister::evaluate(Operation &op) {
  if (!hasIntegers(op))
    return;
  SmallVector<APInt, 4> values;
  for (Value operand : op.getOperands())
    if (auto it = known.find(operand); it != known.end())
      values.push_back(it->second);
  if (values.size() == op.getNumOperands())
    if (std::optional<APInt> value = computeCommon(op, values)) {
      known[op.getResult(0)] = *value;
      return;
    }
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
  if (auto infer = dyn_cast<InferIntRangeInterface>(op))
    infer.inferResultRanges(
        ranges, [&](Value result, const ConstantIntRanges &range) {
          if (std::optional<APInt> value = range.getConstantValue())
            known[result] = *value;
        });
}
