// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// helios-select-schedule: the alternative that splits K, for products with
// fewer tiles than the device has processors, in launches or within clusters,
// and the one that streams them. How many they are is known at launch, so it is
// the plan that takes it or not.

#include "SelectSchedule.h"

using namespace mlir;
using namespace helios;
using namespace helios::schedule;

/// Registers of one lane for the places of a slice, beyond what a whole product
/// needs.
static constexpr int64_t kSliceRegisters = 16;

std::optional<Candidate> schedule::streamOf(MatmulOp op,
                                            const Candidate &candidate) {
  Candidate stream = candidate;
  stream.schedule = candidate.schedule.with(kScheduleItems, {kStreamed});
  if (!hasRoles(candidate.schedule) || candidate.schedule.getSplitK()[0] != 1 ||
      !whyNotStreamed(op, stream.schedule).empty())
    return std::nullopt;
  return stream;
}

std::optional<Candidate> schedule::splitOf(MatmulOp op,
                                           const Candidate &candidate,
                                           tile::TargetAttrInterface target) {
  int64_t k = op.getK();
  // Both sums of a pair would go through the workspace; and what adds up slices
  // has whole rows at most, not columns, to reduce.
  if (op.getBatchInvariant() || op.getPair() || op.isGrouped() ||
      op.reducesAlong(ReducedAxis::M) ||
      (!ShapedType::isDynamic(k) && k < 2 * kLeastSlice))
    return std::nullopt;
  ScheduleAttr schedule = candidate.schedule;
  // A processor has one slice: there is none to take turns with. And what packs
  // an operand is for whole ones.
  if (schedule.getTurns()[0] > 1 || packsRight(schedule))
    return std::nullopt;
  Candidate split = candidate;
  split.schedule = schedule.with(kScheduleSplitK, {0});
  split.item = costOfItem(op, split.schedule, target.getCosts());
  // Roles share the registers by budgets that leave room.
  if (hasRoles(schedule))
    return split;
  for (tile::MmaAttrInterface mma :
       target.getMmas(op.getLhsElement(), op.getRhsElement(), op.getAccType()))
    if (ArrayRef<int64_t>(mma.getMmaShape()) == schedule.getMma() &&
        suits(mma, *tile::symbolizeStrategy(schedule.getStrategyName())) &&
        ScheduleNeeds::get(op, schedule, mma).registers + kSliceRegisters <=
            target.getMaxRegisters())
      return split;
  return std::nullopt;
}

std::optional<Candidate>
schedule::sharingKOf(MatmulOp op, const Candidate &candidate, int64_t shares,
                     tile::TargetAttrInterface target) {
  int64_t k = op.getK();
  ScheduleAttr schedule = candidate.schedule.with(kScheduleClusterK, {shares});
  if (op.getBatchInvariant() || !whyNotAddedUp(op, schedule, target).empty() ||
      (!ShapedType::isDynamic(k) && k < shares * schedule.getTile()[2]))
    return std::nullopt;
  tile::MmaAttrInterface mma = instructionOf(
      schedule,
      target.getMmas(op.getLhsElement(), op.getRhsElement(), op.getAccType()));
  int64_t depth = mostSlots(op, schedule, mma, target);
  if (depth < 2)
    return std::nullopt;
  Candidate shared = candidate;
  const tile::TargetCosts &costs = target.getCosts();
  shared.schedule = schedule.with(kScheduleDepth, {depth});
  shared.item = costOfItem(op, shared.schedule, costs);
  shared.lines = {costOfLines(op, shared.schedule, costs, /*aligned=*/false),
                  costOfLines(op, shared.schedule, costs, /*aligned=*/true)};
  return shared;
}
