// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// helios-select-schedule: the alternative that splits K, for products with
// fewer tiles than the device has processors. How many they are is known at
// launch, so it is the plan that takes it or not.

#include "SelectSchedule.h"

using namespace mlir;
using namespace helios;
using namespace helios::schedule;

/// Registers of one lane for the places of a slice, beyond what a whole product
/// needs.
static constexpr int64_t kSliceRegisters = 16;

std::optional<Candidate>
schedule::splitCandidate(MatmulOp op, ArrayRef<Candidate> candidates,
                         tile::TargetAttrInterface target) {
  int64_t k = op.getK();
  if (!ShapedType::isDynamic(k) && k < 2 * kLeastSlice)
    return std::nullopt;
  auto mmas = instructions(op, target);
  if (failed(mmas))
    return std::nullopt;
  for (const Candidate &candidate : candidates) {
    ScheduleAttr schedule = candidate.schedule;
    for (tile::MmaAttrInterface mma : *mmas)
      if (ArrayRef<int64_t>(mma.getMmaShape()) == schedule.getMma() &&
          suits(mma, *tile::symbolizeStrategy(schedule.getStrategyName()))) {
        // Roles share the registers by budgets that leave room.
        ScheduleNeeds needs = ScheduleNeeds::get(op, schedule, mma);
        if (hasRoles(schedule) ||
            needs.registers + kSliceRegisters <= target.getMaxRegisters())
          return Candidate{schedule.with(kScheduleSplitK, {0}), candidate.cost};
        break;
      }
  }
  return std::nullopt;
}
