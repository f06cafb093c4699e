// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// helios-select-schedule: operands in the order of lanes. Constant ones are
// packed once; of others every launch may pack the right one first, which costs
// a dispatch and saves each workgroup the way through shared memory.

#include "SelectSchedule.h"
#include <numeric>

using namespace mlir;
using namespace helios;
using namespace helios::schedule;

/// Most groups that pack a tile together, and the most of K that it spans.
static constexpr int64_t kMostGroupsThatPack = 4;
static constexpr int64_t kMostOfK = 64;

PackingAttr schedule::packingOf(MatmulOp op, bool rhs,
                                tile::MmaAttrInterface mma,
                                ArrayRef<int64_t> multiple,
                                tile::TargetAttrInterface target) {
  int64_t elements =
      target.getPackedElements(mma, rhs ? tile::Side::B : tile::Side::A);
  if (!elements)
    return {};
  return PackingAttr::get(op.getContext(), rhs, mma.getMmaShape(),
                          op.getAccType(), multiple, mma.getLaneCount(),
                          elements);
}

PackingAttr schedule::packingOf(MatmulOp op, ScheduleAttr schedule,
                                tile::TargetAttrInterface target) {
  tile::MmaAttrInterface mma = instructionOf(
      schedule,
      target.getMmas(op.getLhsElement(), op.getRhsElement(), op.getAccType()));
  ArrayRef<int64_t> tile = schedule.getTile();
  return packingOf(op, /*rhs=*/true, mma, {tile[2], tile[1]}, target);
}

ScheduleAttr schedule::packingSchedule(ScheduleAttr schedule,
                                       PackingAttr packing,
                                       tile::TargetAttrInterface target) {
  int64_t groups = kMostGroupsThatPack, k = kMostOfK;
  while (packing.getMultiple()[1] % (packing.getMatrixOther() * groups) ||
         groups * packing.getLanes() > target.getMaxInvocations())
    groups /= 2;
  k = std::gcd(packing.getMultiple()[0],
               llvm::alignTo(k, packing.getMatrixK()));
  int64_t other = packing.getMatrixOther() * groups;
  bool rhs = packing.getRhs();
  return ScheduleAttr::getDefault(schedule.getContext())
      .with(kScheduleTile, rhs ? SmallVector<int64_t>{1, other, k}
                               : SmallVector<int64_t>{other, 1, k})
      .with(kScheduleGroups, rhs ? SmallVector<int64_t>{1, groups}
                                 : SmallVector<int64_t>{groups, 1})
      .with(kScheduleMma, packing.getMma())
      .with(kSchedulePad, schedule.getPad());
}

std::string schedule::whyNotPacked(MatmulOp op, ScheduleAttr schedule,
                                   tile::MmaAttrInterface mma,
                                   tile::TargetAttrInterface target) {
  if (!packsRight(schedule))
    return {};
  if (schedule.getStrategyName() != "staged")
    return ("strategy=" + schedule.getStrategyName() +
            " reads operands where copies leave them, got pack=b")
        .str();
  if (!target.getPackedElements(mma, tile::Side::B))
    return ("target '" + target.getRowName() +
            "' has no order of lanes for the right operand of " +
            shapeText(mma.getMmaShape()))
        .str();
  if (hasPackedOperand(op))
    return "a constant operand is packed already";
  if (computesRight(op, schedule))
    return "a right operand that a prologue computes is packed where it is "
           "made first: expected apart=b beside pack=b";
  if (op.getPair() || op.isGrouped() || op.hasScales() ||
      op.getRhs().getType().getRank() != 2)
    return "the right operand is packed as it is stored, a matrix that all "
           "items share: expected one without batches, groups, scales or a "
           "pair";
  if (schedule.getSplitK()[0] != 1)
    return ("expected split_k=1 beside pack=b, got split_k=" +
            Twine(schedule.getSplitK()[0]))
        .str();
  return {};
}
