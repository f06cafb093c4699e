// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// helios-select-schedule: operands whose rows begin at no multiples of what
// engines copy at once, such as those of an even extent that 8 does not divide.
// A launch that copies them into wider rows first takes a dispatch more and
// moves everything twice, which much arithmetic hides and little does not.

#include "SelectSchedule.h"

using namespace mlir;
using namespace helios;
using namespace helios::schedule;

/// A tile with its groups, bytes of its rows along k and slots, and what it
/// takes: clocks of a byte of these rows, for which each narrow copy is an
/// instruction of a warp, and of an item beside them. Of 23 schedules the first
/// took 1.00 to 1.21 times the least at four sizes with K up to 118, and the
/// second, in slices of K, 1.00 to 1.16 times at seven with more; the clocks
/// follow the times at these within 25 %, at 1.755 GHz and less 3.2 us of a
/// launch in a graph (docs/benchmarks, sweep-narrow.jsonl). Where rows of the
/// left operand lie along m, the places of batches beside its own take
/// registers that groups of four have, which take as long in the mean.
struct Kind {
  int64_t rows, columns, stepBytes, groups[2], transposed[2], depth;
  double byte, item;
  bool splits;
};
static constexpr Kind kKinds[] = {
    {64, 64, 64, {2, 2}, {4, 2}, 3, 7.25, 1060, false},
    {32, 64, 128, {1, 4}, {1, 4}, 4, 5.25, 900, true}};

SmallVector<NarrowSchedule>
schedule::forNarrowRows(MatmulOp op, tile::TargetAttrInterface target) {
  tile::MmaAttrInterface mma = groupsBesideRoles(op, target);
  // What lanes make of an operand is not measured, and rows that must not
  // depend on the schedule have those of copies.
  if (!mma || op.getBatchInvariant() || op.hasPrologue() || op.hasPrologueA() ||
      hasPackedOperand(op) ||
      !target.getCopy(tile::stringifyStrategy(tile::Strategy::Groups))
           .getNarrower())
    return {};
  SmallVector<NarrowSchedule> found;
  SmallVector<int64_t> shape = mma.getMmaShape();
  int64_t bytes = bytesOf(op.getLhsElement()), sums = op.getNumSums();
  for (const Kind &kind : kKinds) {
    auto schedule =
        ScheduleAttr::getDefault(op.getContext())
            .with(kScheduleMma, shape)
            .with(kScheduleStrategy, {int64_t(tile::Strategy::Groups)})
            .with(kScheduleTile, {kind.rows, kind.columns,
                                  std::max(shape[2], kind.stepBytes / bytes)})
            .with(kScheduleGroups,
                  op.getTransposeA() ? kind.transposed : kind.groups)
            .with(kScheduleDepth, {kind.depth});
    if (!fitsBesideRoles(op, schedule, mma, target))
      continue;
    if (kind.splits) {
      std::optional<Candidate> split = splitOf(op, {schedule, 1, 1, 1}, target);
      if (!split)
        continue;
      schedule = split->schedule;
    }
    // Of a pair the rows of two right operands are copied.
    double byte = kind.byte * double(kind.rows + sums * kind.columns) /
                  double(kind.rows + kind.columns);
    found.push_back(
        {schedule, std::llround(byte * bytes), std::llround(kind.item)});
  }
  return found;
}
