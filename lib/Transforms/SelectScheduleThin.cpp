// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// helios-select-schedule: products of few rows, beside schedules with roles.
// Memory bounds them. An engine that multiplies many rows at a time would copy,
// and clear, as many of the narrow operand; groups copy past the registers and
// take the instruction with the fewest rows, so that several workgroups of a
// processor have their copies on the way.

#include "SelectSchedule.h"

using namespace mlir;
using namespace helios;
using namespace helios::schedule;

/// Groups of a tile, each with the columns of one instruction, bytes of its
/// rows along k, and slots: of the tiles with 16 rows that were tried the
/// fastest, at 4096 and at 14336 elements of k (docs/benchmarks).
static constexpr int64_t kGroups = 2;
static constexpr int64_t kStepBytes = 512;
static constexpr int64_t kDepth = 4;

std::optional<Candidate> schedule::thinOf(MatmulOp op,
                                          tile::TargetAttrInterface target) {
  tile::CopyAttrInterface copy =
      target.getCopy(tile::stringifyStrategy(tile::Strategy::Groups));
  // Rows of both operands run along k, as those of tiles do.
  if (!copy || op.getTransposeA() || !op.getTransposeB() ||
      hasConstantOperand(op))
    return std::nullopt;
  Type type = op.getLhs().getType().getElementType();
  auto mmas = target.getMmas(type, op.getRhs().getType().getElementType(),
                             op.getAccType());
  auto mma = llvm::find_if(mmas, [](tile::MmaAttrInterface candidate) {
    return suits(candidate, tile::Strategy::Groups);
  });
  if (mma == mmas.end())
    return std::nullopt;
  SmallVector<int64_t> shape = mma->getMmaShape();
  if (!ShapedType::isDynamic(op.getM()) && op.getM() > shape[0])
    return std::nullopt;
  int64_t step = std::max(shape[2], kStepBytes / bytesOf(type));
  // Sums that leave the engine do so between steps.
  if (int64_t part = getPartDepth(op, *mma))
    step = std::min(step, part);
  auto schedule =
      ScheduleAttr::getDefault(op.getContext())
          .with(kScheduleMma, shape)
          .with(kScheduleStrategy, {int64_t(tile::Strategy::Groups)})
          .with(kScheduleTile, {shape[0], kGroups * shape[1], step})
          .with(kScheduleGroups, {1, kGroups})
          .with(kScheduleDepth, {kDepth});
  ScheduleNeeds needs = ScheduleNeeds::get(op, schedule, *mma);
  if (!whyNotInvariant(op, schedule, *mma, target).empty() ||
      !whyNotHeld(*mma, schedule.getGroups()).empty() ||
      !whyNotRead(op, *mma, copy, schedule).empty() ||
      needs.sharedBytes > target.getSharedBytes() ||
      needs.registers > target.getMaxRegisters())
    return std::nullopt;
  // By lines, as schedules with roles are compared.
  const tile::TargetCosts &costs = target.getCosts();
  auto cost = [&](bool aligned) {
    return inUnits(clocksOfCopies(op, schedule, costs, aligned)) /
           llvm::product_of(schedule.getTile());
  };
  return Candidate{schedule, cost(true), cost(false), cost(true),
                   ItemCost{inUnits(costs.items.item)}};
}
