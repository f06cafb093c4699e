// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// helios-select-schedule: products of little K, beside schedules with roles. A
// launch of roles begins with descriptors, barriers and registers handed over,
// and fills a processor, so that the next one cannot begin beside it; small
// tiles of groups have none of that, and several of them to a processor.

#include "SelectSchedule.h"

using namespace mlir;
using namespace helios;
using namespace helios::schedule;

/// Of 24 schedules of groups this one took least at 5152x120x24, 3838x136x16
/// and 512x512x48, and 1.004 times the least at 96x4480x40: 0.79 to 0.90 of the
/// best of 77 with roles. At 1024x1024x128, four steps, it took 1.18 times as
/// long as these (docs/benchmarks, sweep-brief.jsonl).
static constexpr int64_t kRows = 64, kColumns = 64, kGroups = 2,
                         kStepBytes = 64, kDepth = 3;
/// What its steps take as a part of what their lines take with roles, since the
/// workgroups of a processor wait together, and clocks of an item beside them;
/// from the same sweep.
static constexpr double kOfLines = 0.5, kItem = 600;

// With more rows than one tile has others were faster at twelve of thirteen
// sizes (docs/benchmarks).
bool schedule::isFor(ScheduleAttr schedule, int64_t m, double k) {
  ArrayRef<int64_t> tile = schedule.getTile();
  return isForLittleK(schedule) ? k <= double(kMostBriefSteps * tile[2])
                                : m <= tile[0];
}

std::optional<Candidate> schedule::briefOf(MatmulOp op,
                                           tile::TargetAttrInterface target) {
  tile::MmaAttrInterface mma = groupsBesideRoles(op, target);
  // Groups of rows, and what lanes make of an operand, are not measured.
  if (!mma || op.isGrouped() || op.hasPrologue() || op.hasPrologueA() ||
      hasPackedOperand(op))
    return std::nullopt;
  SmallVector<int64_t> shape = mma.getMmaShape();
  int64_t step = std::max(shape[2], kStepBytes / bytesOf(op.getLhsElement()));
  if (!ShapedType::isDynamic(op.getK()) && op.getK() > kMostBriefSteps * step)
    return std::nullopt;
  auto schedule =
      ScheduleAttr::getDefault(op.getContext())
          .with(kScheduleMma, shape)
          .with(kScheduleStrategy, {int64_t(tile::Strategy::Groups)})
          .with(kScheduleTile, {kRows, kColumns, step})
          .with(kScheduleGroups, {kGroups, kGroups})
          .with(kScheduleDepth, {kDepth});
  if (!fitsBesideRoles(op, schedule, mma, target))
    return std::nullopt;
  const tile::TargetCosts &costs = target.getCosts();
  auto cost = [&](bool aligned) {
    return kOfLines * inUnits(clocksOfCopies(op, schedule, costs, aligned)) /
           llvm::product_of(schedule.getTile());
  };
  Candidate brief{schedule, cost(true), cost(false), cost(true)};
  brief.item.each = inUnits(kItem);
  brief.overlaps = true;
  return brief;
}
