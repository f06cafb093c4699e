// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a schedule of attention needs: invocations, shared memory, registers.

#include "SelectSchedule.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace helios;
using namespace helios::schedule;

/// Registers of a lane beside tiles: the softmax's vectors, addresses,
/// counters.
static constexpr int64_t kOtherRegisters = 40;
/// Those of them that hold a lane's part of vectors of rows, at most.
static constexpr int64_t kRowRegisters = 8;
/// Behind each row of what is left of a reduction, as it is exchanged.
static constexpr int64_t kRowPadBytes = 16;

Type schedule::elementOf(AttentionOp op) {
  return op.getQuery().getType().getElementType();
}

SmallVector<tile::MmaAttrInterface>
schedule::instructionsOf(AttentionOp op, tile::TargetAttrInterface target) {
  return target.getMmas(elementOf(op), elementOf(op), op.getAccType());
}

int64_t schedule::columnsOf(AttentionOp op, tile::MmaAttrInterface mma) {
  int64_t unit = mma.getEngine().empty() ? mma.getMmaShape()[1] : 0;
  return llvm::alignTo(op.getValue().getType().getDimSize(3),
                       std::max<int64_t>(kDepthUnit, unit));
}

int64_t schedule::depthOf(AttentionOp op, tile::MmaAttrInterface mma) {
  return llvm::alignTo(op.getQuery().getType().getDimSize(3),
                       std::max<int64_t>(kDepthUnit, mma.getMmaShape()[2]));
}

bool schedule::roundsInLanes(AttentionOp op, tile::MmaAttrInterface mma) {
  return elementOf(op).isBF16() &&
         !mma.canHandOn(tile::Side::Acc, tile::Side::A);
}

int64_t schedule::bytesExchanged(AttentionOp op, tile::MmaAttrInterface mma) {
  int64_t narrow = bytesOf(elementOf(op)), wide = bytesOf(op.getAccType());
  if (roundsInLanes(op, mma))
    return wide;
  // So needs what scores take beside themselves: tensors and places.
  if (!op.getScore().empty())
    for (BlockArgument argument :
         op.getScore().front().getArguments().drop_front())
      if (!argument.use_empty())
        return wide;
  return narrow;
}

int64_t schedule::bytesOfPairs(AttentionOp op, ScheduleAttr schedule) {
  ArrayRef<int64_t> tile = schedule.getTile();
  int64_t bytes = 0;
  for (Value fused : op.getFused()) {
    auto type = cast<RankedTensorType>(fused.getType());
    ArrayRef<int64_t> shape = type.getShape();
    if (shape.size() >= 2 && shape.back() != 1 && shape[shape.size() - 2] != 1)
      bytes += tile[0] *
               getRowBytes(schedule, tile[1], bytesOf(type.getElementType()));
  }
  return bytes;
}

/// Whether a group's lanes hold an operand of so many rows where they have an
/// accumulator. Groups have rows of their own, so one stands for all.
static bool isSamePlaceInGroup(tile::MmaAttrInterface mma, int64_t rows,
                               int64_t columns) {
  const int64_t one[] = {1, 1};
  auto scores =
      cast<tile::LayoutAttrInterface>(mma.getLayout(tile::Side::Acc, one));
  return scores.canBecome({rows, columns}, mma.getLayout(tile::Side::A, one));
}

ScheduleNeeds ScheduleNeeds::get(AttentionOp op, ScheduleAttr schedule,
                                 tile::MmaAttrInterface mma, bool scattered) {
  ArrayRef<int64_t> tile = schedule.getTile();
  SmallVector<int64_t> groups(schedule.getGroups());
  int64_t m = tile[0], n = tile[1], k = tile[2], columns = columnsOf(op, mma);
  int64_t element = bytesOf(elementOf(op)), acc = bytesOf(op.getAccType());
  int64_t lanes = groups[0] * groups[1] * mma.getLaneCount();
  bool staged = schedule.getStrategyName() == "staged";
  int64_t pad = staged ? schedule.getPad()[0] : 0;
  int64_t row = getRowBytes(schedule, k, element), queries = m * row,
          keys = n * row, values = n * getRowBytes(schedule, columns, element);
  ScheduleNeeds needs;
  needs.invocations = lanes;
  // Where an operand's places are not those of an accumulator, weights go
  // through shared memory; where nobody knows places, so does what has any.
  auto scores = dyn_cast_or_null<tile::LayoutAttrInterface>(
      mma.getLayout(tile::Side::Acc, groups));
  bool opaque = !scores || !scores.hasCoordinates();
  int64_t exchanged = 0;
  if (opaque)
    exchanged = m * std::max((n + pad) * bytesExchanged(op, mma),
                             mma.getMmaShape()[1] * acc + kRowPadBytes);
  else if (!isSamePlaceInGroup(mma, m / groups[0], n))
    exchanged = m * (n + pad) * element;
  if (!staged)
    needs.sharedBytes =
        queries + exchanged +
        (keys + values +
         (hasRoles(schedule) ? bytesOfPairs(op, schedule) : 0)) *
            schedule.getDepth()[0];
  else if (!opaque)
    // Once there are scores, the keys' bytes are free.
    needs.sharedBytes = queries + values + std::max(keys, exchanged);
  else
    // Queries stay in matrices; two vectors of rows are exchanged as well.
    needs.sharedBytes =
        std::max(queries, values + std::max(keys, exchanged) + 2 * m * acc);
  auto registersFor = [&](int64_t elements, int64_t bytes) {
    return llvm::divideCeil(elements * bytes, 4 * lanes);
  };
  needs.registers = registersFor(m * columns, acc) + registersFor(m * n, acc) +
                    registersFor(m * n, element) + kOtherRegisters;
  // With roles queries are read where they lie, and so are those that registers
  // have no room for, a few at a time.
  int64_t queryRegisters = registersFor(m * k, element);
  if (staged)
    needs.registers += queryRegisters;
  else if (!hasRoles(schedule))
    needs.registers += std::min(queryRegisters, kReadRegisters);
  if (!opaque)
    needs.carried = registersFor(m * columns, acc) + kRowRegisters;
  if (staged) {
    int64_t inFlight = registersFor(n * (k + columns), scattered ? 4 : element);
    needs.registers += inFlight;
    needs.carried += inFlight;
  }
  if (hasRoles(schedule)) {
    needs.invocations += mma.getLaneCount();
    needs.takesAllRegisters = true;
  }
  return needs;
}
