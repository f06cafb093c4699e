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

/// Groups of a tile, bytes of its rows along k and slices of a step; a group
/// has two instructions beside each other. Of the tiles with 16 rows that were
/// tried the narrow one was within 4 % of the fastest where it makes no more
/// items than there are processors, the wide one where it makes more
/// (docs/benchmarks).
struct Kind {
  int64_t groups, stepBytes, slices = 1;
  /// What is measured beside another kind and the model does not tell: the
  /// price, and the least where a processor has one workgroup.
  double price = 1, alone = 1;
};
static constexpr Kind kKinds[] = {{2, 512}, {4, 256}};
/// Where lanes convert the elements of an operand one by one, half the columns
/// took 0.87 to 0.97 of the time at the four shapes of 1 and 16 rows that were
/// timed: more workgroups to a processor, and twice the groups to a column.
/// Elements that lie in one gained nothing. There a group of lanes issues most
/// of its instructions for each step and not for each element, unless steps
/// are long: 8.1 us by 512 elements, 9.7 by 256 and 10.9 by 128 at 1x4096x4096,
/// 20.1, 16.3 and 22.4 at 1x11008x4096, where more workgroups to a processor
/// gain more. Those that do not lie in one gain 3 to 10 % by twice the step,
/// and 11 % by 32 columns to a workgroup at 4096 and 11008 columns (at 6144 the
/// narrow one is 9 % faster, and taken); 64 without slices are slower at all.
static constexpr Kind kConverting[] = {{1, 512, 2}, {2, 512, 2}};
static constexpr Kind kSeveralInOne[] = {{2, 1024, 1, 1.1, 1.1},
                                         {2, 512, 1, 1, 1.2}};
static constexpr int64_t kInstructions = 2;
/// Of a step of several groups each is written out.
static constexpr int64_t kMostPieces = 8;
static constexpr int64_t kDepth = 4;
/// What a workgroup takes that has a processor for itself, as a multiple of
/// what its lines take: nothing hides what it waits for. So it is at 16 rows,
/// 104 to 1672 columns (docs/benchmarks, sweep-clusters.jsonl).
static constexpr double kAlone = 1.45;
/// Clocks until its first lines are there and its groups have added up what
/// they multiplied, which items of roles take as part of a launch. From 16 rows
/// with K from 96 to 2824.
static constexpr double kFirst = 600;

tile::MmaAttrInterface
schedule::groupsBesideRoles(MatmulOp op, tile::TargetAttrInterface target) {
  if (!target.getCopy(tile::stringifyStrategy(tile::Strategy::Groups)))
    return {};
  for (tile::MmaAttrInterface mma :
       target.getMmas(op.getLhsElement(), op.getRhsElement(), op.getAccType()))
    if (suits(mma, tile::Strategy::Groups))
      return mma;
  return {};
}

bool schedule::fitsBesideRoles(MatmulOp op, ScheduleAttr schedule,
                               tile::MmaAttrInterface mma,
                               tile::TargetAttrInterface target) {
  tile::CopyAttrInterface copy =
      target.getCopy(tile::stringifyStrategy(tile::Strategy::Groups));
  ScheduleNeeds needs = ScheduleNeeds::get(op, schedule, mma);
  return whyNotInvariant(op, schedule, mma, target).empty() &&
         whyNotHeld(mma, schedule.getGroups()).empty() &&
         whyNotScaled(op, schedule).empty() &&
         whyNotComputed(op, mma, schedule).empty() &&
         whyNotSliced(op, schedule, mma).empty() &&
         whyNotRead(op, mma, copy, schedule).empty() &&
         needs.sharedBytes <= target.getSharedBytes() &&
         needs.registers <= target.getMaxRegisters();
}

/// A schedule of a kind, if it fits.
static std::optional<Candidate> thinOf(MatmulOp op, const Kind &kind,
                                       tile::MmaAttrInterface mma,
                                       tile::TargetAttrInterface target) {
  Type type = op.getLhsElement();
  SmallVector<int64_t> shape = mma.getMmaShape();
  int64_t step = std::max(shape[2], kind.stepBytes / bytesOf(type));
  // Sums that leave the engine do so between steps.
  if (int64_t part = getPartDepth(op, mma))
    step = std::min(step, part);
  int64_t group = op.getGroupSize();
  if (group > 1 && group < step)
    step = std::min(step / group, kMostPieces) * group;
  // What is stored in fewer bits takes more slots for as many bytes on the way.
  int64_t stored = bytesOf(op.getRhs().getType().getElementType()),
          depth = kind.slices > 1 || op.getParts() > 1
                      ? kDepth
                      : kDepth * bytesOf(op.getRhsElement()) / stored;
  // Lanes that compute an operand have more to do than to multiply it: a group
  // has one instruction then.
  int64_t instructions = op.hasPrologue() ? 1 : kInstructions,
          groups = kind.groups * kInstructions / instructions;
  auto schedule =
      ScheduleAttr::getDefault(op.getContext())
          .with(kScheduleMma, shape)
          .with(kScheduleStrategy, {int64_t(tile::Strategy::Groups)})
          .with(kScheduleTile,
                {shape[0], groups * instructions * shape[1], step})
          .with(kScheduleGroups, {1, groups})
          .with(kScheduleSlicedK, {kind.slices})
          .with(kScheduleDepth, {depth})
          .with(kScheduleApart, {makesLeftFirst(op)});
  // What lanes load ahead stays in the registers it is loaded into where as
  // many steps make a trip; moving it to others would wait for it.
  if (group > 1)
    schedule = schedule.with(kScheduleUnroll, {group < step ? 1 : depth - 1});
  if (!fitsBesideRoles(op, schedule, mma, target) ||
      ScheduleNeeds::get(op, schedule, mma).getResident(target) < 2)
    return std::nullopt;
  // The other schedules of what a prologue computes are those of grids.
  if (op.hasPrologue() || (op.hasPrologueA() && !makesLeft(schedule))) {
    double cost = costOf(op, schedule, mma, target);
    Candidate thin{schedule, kind.price * cost, kind.price * cost,
                   kind.alone * cost, ItemCost{}};
    thin.converts = true;
    return thin;
  }
  // By lines, as schedules with roles are compared.
  const tile::TargetCosts &costs = target.getCosts();
  auto cost = [&](bool aligned) {
    return kAlone * inUnits(clocksOfCopies(op, schedule, costs, aligned)) /
           llvm::product_of(schedule.getTile());
  };
  return Candidate{schedule,
                   cost(true),
                   cost(false),
                   cost(true),
                   ItemCost{inUnits(costs.items.item), inUnits(kFirst)},
                   /*overlaps=*/true};
}

SmallVector<Candidate> schedule::thinOf(MatmulOp op,
                                        tile::TargetAttrInterface target) {
  tile::MmaAttrInterface mma = groupsBesideRoles(op, target);
  // Few rows of A lie beside each other where they run along k.
  if (!mma || op.getTransposeA() || hasConstantOperand(op))
    return {};
  if (!ShapedType::isDynamic(op.getM()) && op.getM() > mma.getMmaShape()[0])
    return {};
  SmallVector<Candidate> found;
  bool converts =
      op.hasPrologue() && !op.getBatchInvariant() && !getPartDepth(op, mma);
  ArrayRef<Kind> kinds = !converts            ? ArrayRef(kKinds)
                         : op.getParts() == 1 ? ArrayRef(kConverting)
                                              : ArrayRef(kSeveralInOne);
  for (const Kind &kind : kinds)
    if (std::optional<Candidate> thin = ::thinOf(op, kind, mma, target))
      found.push_back(*thin);
  return found;
}
