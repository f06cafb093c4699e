// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// helios-select-schedule: what a schedule takes of a target.

#include "SelectSchedule.h"

using namespace mlir;
using namespace helios;
using namespace helios::schedule;

/// Registers of one invocation beside accumulators, operands and copies in
/// flight: addresses, counters.
static constexpr int64_t kFixedRegisters = 16;

/// Registers of one invocation beside accumulators and operands where copies go
/// past the registers: addresses and counters.
static constexpr int64_t kCopyRegisters = 48;

/// What is reduced is combined in f32.
static constexpr int64_t kCombinedBytes = 4;

/// Behind each row of a slice's sums, against bank conflicts.
static constexpr int64_t kSumPadBytes = 16;

bool helios::isPackedOperand(Value operand) {
  if (auto argument = dyn_cast<BlockArgument>(operand))
    if (auto kernel = dyn_cast<KernelOp>(argument.getOwner()->getParentOp())) {
      auto target =
          dyn_cast_or_null<tile::TargetAttrInterface>(kernel.getTargetAttr());
      return (!target || target.packsConstants()) &&
             kernel.getArgAttr(argument.getArgNumber(),
                               HeliosDialect::kConstantAttr);
    }
  return bool(operand.getDefiningOp<UnpackOp>());
}

bool helios::hasPackedOperand(MatmulOp op) {
  return isPackedOperand(op.getLhs()) || isPackedOperand(op.getRhs());
}

bool helios::isStreamed(ScheduleAttr schedule) {
  return schedule.getItems() == kStreamed;
}

bool helios::packsRight(ScheduleAttr schedule) {
  return schedule.getPackName() == "b";
}

bool helios::makesLeft(ScheduleAttr schedule) {
  return schedule.getApart() & kApartLeft;
}

bool helios::makesRight(ScheduleAttr schedule) {
  return schedule.getApart() & kApartRight;
}

bool helios::turnsLeft(MatmulOp op, ScheduleAttr schedule) {
  return (schedule.getTurn() & kTurnLeft) && op.getTransposeA() &&
         !op.hasPrologueA() && !isPackedOperand(op.getLhs());
}

bool helios::turnsRight(MatmulOp op, ScheduleAttr schedule) {
  return (schedule.getTurn() & kTurnRight) && !op.getTransposeB() &&
         !op.hasPrologue() && !takesPacked(op, schedule);
}

bool helios::readsTransposedA(MatmulOp op, ScheduleAttr schedule) {
  return op.getTransposeA() && !turnsLeft(op, schedule);
}

bool helios::readsTransposedB(MatmulOp op, ScheduleAttr schedule) {
  return op.getTransposeB() || turnsRight(op, schedule);
}

bool helios::findsRanges(ScheduleAttr schedule) {
  return schedule.getApart() & kApartMask;
}

bool helios::computesLeft(MatmulOp op, ScheduleAttr schedule) {
  return op.hasPrologueA() && !makesLeft(schedule);
}

bool helios::computesRight(MatmulOp op, ScheduleAttr schedule) {
  return op.hasPrologue() && !makesRight(schedule);
}

bool helios::takesPacked(MatmulOp op, ScheduleAttr schedule) {
  return packsRight(schedule) || hasPackedOperand(op);
}

int64_t helios::getPartDepth(MatmulOp op, tile::MmaAttrInterface mma) {
  return op.getFastAccumulation() ? 0 : mma.getSumDepth();
}

int64_t helios::getRowBytes(ScheduleAttr schedule, int64_t columns,
                            int64_t element) {
  int64_t pad =
      schedule.getStrategyName() == "staged" ? schedule.getPad()[0] : 0;
  int64_t bytes = (columns + pad) * element;
  if (!hasRoles(schedule))
    return bytes;
  return llvm::alignTo(
      bytes, std::min<int64_t>(kRowBytes, llvm::bit_floor(uint64_t(bytes))));
}

int64_t helios::getSharedSumBytes(MatmulOp op, ScheduleAttr schedule) {
  if (schedule.getClusterK()[0] == 1)
    return 0;
  ArrayRef<int64_t> tile = schedule.getTile();
  return tile[0] * tile[1] * bytesOf(op.getAccType());
}

ScheduleNeeds ScheduleNeeds::get(MatmulOp op, ScheduleAttr schedule,
                                 tile::MmaAttrInterface mma, bool scattered) {
  ArrayRef<int64_t> tile = schedule.getTile(), groups = schedule.getGroups();
  int64_t depth = schedule.getDepth()[0];
  int64_t element = bytesOf(op.getLhsElement());
  bool staged = schedule.getStrategyName() == "staged";
  auto rowBytes = [&](int64_t columns) {
    return getRowBytes(schedule, columns, element);
  };
  // Copies leave what is stored, of which lanes then make what they multiply.
  bool computesA = computesLeft(op, schedule) && !staged,
       computesB = computesRight(op, schedule) && !staged;
  int64_t storedA = bytesOf(op.getLhs().getType().getElementType()),
          storedB = bytesOf(op.getRhs().getType().getElementType());
  // What a prologue computes is staged group by group, and part by part of what
  // lies in one: each in rows of its own.
  int64_t piece = tile[2];
  if (staged && computesRight(op, schedule))
    piece =
        (op.getGroupSize() > 1 ? std::min(piece, op.getGroupSize()) : piece) /
        op.getParts();
  auto buffer = [&](bool kIsContiguous, int64_t outer) {
    return kIsContiguous ? outer * (tile[2] / piece) * rowBytes(piece)
                         : tile[2] * rowBytes(outer);
  };
  bool stagesA = !staged || !isPackedOperand(op.getLhs()),
       stagesB =
           !staged || !(packsRight(schedule) || isPackedOperand(op.getRhs()));
  int64_t sums = op.getNumSums();
  int64_t oneStep =
      (computesA ? tile[0] * tile[2] * storedA
       : stagesA ? buffer(!readsTransposedA(op, schedule), tile[0])
                 : 0) +
      (computesB ? sums * tile[1] * tile[2] * storedB / op.getParts()
       : stagesB ? sums * buffer(readsTransposedB(op, schedule), tile[1])
                 : 0);
  ScheduleNeeds needs;
  int64_t slices = schedule.getSlicedK()[0];
  needs.invocations = schedule.getNumGroups() * mma.getLaneCount();
  needs.sharedBytes = oneStep * depth;
  // Every slice has sums of its own, which meet in shared memory.
  int64_t sumBytes = bytesOf(op.getAccType());
  if (slices > 1)
    needs.sharedBytes +=
        sums * slices * tile[0] * (tile[1] * sumBytes + kSumPadBytes);
  needs.sharedBytes += getSharedSumBytes(op, schedule);
  // What lanes of several groups reduce passes through it, in padded rows, with
  // what is left of rows and columns.
  bool meets = (op.reducesAlong(ReducedAxis::N) && groups[1] > 1) ||
               (op.reducesAlong(ReducedAxis::M) && groups[0] > 1);
  if (meets && !hasRoles(schedule) && mma.getFragmentBase(tile::Side::Acc))
    needs.sharedBytes = std::max(
        needs.sharedBytes,
        (tile[0] * (tile[1] + schedule.getPad()[0]) + tile[0] + tile[1]) *
            kCombinedBytes);
  // Lanes that are not known to be of one subgroup exchange a word each at
  // least, beside the tiles.
  bool reduces =
      op.reducesAlong(ReducedAxis::N) || op.reducesAlong(ReducedAxis::M);
  if (reduces && staged && mma.getFragmentBase(tile::Side::Acc))
    needs.sharedBytes = llvm::alignTo(needs.sharedBytes, 16) +
                        kCombinedBytes * needs.invocations;
  int64_t accumulators = llvm::divideCeil(
      sums * slices * tile[0] * tile[1] * sumBytes, 4 * needs.invocations);
  needs.carried = accumulators;
  // The sums, and those of a step.
  if (getPartDepth(op, mma))
    accumulators *= 2;
  // Operands in registers: of this step and of the next one.
  int64_t fragments = 0;
  auto addOperand = [&](tile::Side side, int64_t extent) {
    if (bitEnumContainsAny(mma.getPlaces(side), tile::Place::Shared))
      return;
    // Several lanes may hold the same element.
    SmallVector<int64_t> shape = mma.getFragmentShape(side);
    int64_t one = mma.getFragmentRegisters(side).size();
    if (!one)
      one = llvm::divideCeil(shape[0] * shape[1], mma.getLaneCount());
    fragments += 2 * llvm::divideCeil(one * element * extent,
                                      4 * shape[side == tile::Side::A ? 0 : 1]);
  };
  // Of a computed one all of a step, or of a group of it, and what it is made
  // of.
  int64_t computed =
      op.getGroupSize() > 1 ? std::min(tile[2], op.getGroupSize()) : tile[2];
  auto addComputed = [&](int64_t extent, int64_t stored, int64_t parts) {
    fragments +=
        llvm::divideCeil(extent * computed * (element * parts + stored),
                         4 * parts * slices * mma.getLaneCount());
  };
  if (computesA)
    addComputed(tile[0] / groups[0], storedA, /*parts=*/1);
  else
    addOperand(tile::Side::A, tile[0] / groups[0]);
  for (int64_t i = 0; i < sums; ++i) {
    if (computesB)
      addComputed(tile[1] / groups[1], storedB, op.getParts());
    else
      addOperand(tile::Side::B, tile[1] / groups[1]);
  }
  if (staged) {
    int64_t rows = (stagesA ? tile[0] : 0) + (stagesB ? sums * tile[1] : 0);
    int64_t inFlight = llvm::divideCeil(
        rows * tile[2] * (scattered ? 4 : element), 4 * needs.invocations);
    // What a prologue reads is loaded as it is stored, in fewer.
    if (!computesRight(op, schedule) && !op.hasPrologueA())
      needs.carried += inFlight;
    needs.registers = accumulators + fragments + inFlight +
                      (scattered ? kCopyRegisters : kFixedRegisters);
    return needs;
  }
  needs.registers = accumulators + fragments + kCopyRegisters;
  // One more group copies.
  if (hasRoles(schedule)) {
    needs.invocations =
        needs.invocations * schedule.getTurns()[0] + mma.getLaneCount();
    needs.takesAllRegisters = true;
  }
  return needs;
}

int64_t ScheduleNeeds::getResident(tile::TargetAttrInterface target) const {
  int64_t resident =
      target.getProcessorSharedBytes() / std::max<int64_t>(1, sharedBytes);
  if (int64_t file = target.getRegisterFile())
    resident = takesAllRegisters
                   ? 1
                   : std::min(resident, file / (registers * invocations));
  return std::max<int64_t>(1, resident);
}
