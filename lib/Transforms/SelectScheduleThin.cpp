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

/// Groups of a tile and the instructions that each has beside each other, bytes
/// of its rows along k, slices of a step, and slots. Of the tiles with 16 rows
/// that were tried the narrow one was within 4 % of the fastest where it makes
/// no more items than there are processors, the wide one where it makes more
/// (docs/benchmarks). With 32 rows the narrow one takes 0.78 of the other's
/// time at 4096x4096, the wide one 0.80 at 14336x4096 (sweep-rows.jsonl).
struct Kind {
  int64_t groups, instructions, stepBytes, slices, depth;
  /// What is measured beside another kind and the model does not tell: the
  /// price, and the least where a processor has one workgroup.
  double price = 1, alone = 1;
  /// Instructions of a tile's rows, and workgroups that a processor is to hold.
  int64_t rows = 1, resident = 2;
  /// What a tile costs in slices of K, as many as processors hold, beside
  /// itself without; 0: there are none. With 0.7 plans take the faster one of
  /// tiles and slices at 22 of 25 sizes of 1, 8 and 16 rows, and 1.04 to 1.08
  /// of its time at the others (docs/benchmarks/2026-12-01).
  double inSlices = 0;
};
static constexpr int64_t kDepth = 4;
static constexpr Kind kKinds[] = {{2, 2, 512, 1, kDepth, 1, 1, 2, 1},
                                  {2, 4, 256, 1, kDepth, 1, 1, 2},
                                  {2, 2, 512, 1, kDepth},
                                  {4, 2, 256, 1, kDepth}};
/// With exchanged operands, for half as many rows: where a processor has one
/// workgroup whose slots fill its memory this takes 0.95 of the time at
/// 1x4096x4096 and 1x4096x14336, with two as long as the others
/// (docs/benchmarks, one-row.jsonl).
static constexpr Kind kExchanged[] = {{2, 1, 1024, 2, kDepth, 1, 1, 1, 1}};
/// Lanes that compute an operand have more to do than to multiply it: a group
/// has one instruction then.
static constexpr Kind kComputing[] = {{4, 1, 512, 1, kDepth},
                                      {8, 1, 256, 1, kDepth}};
/// Where lanes convert the elements of an operand, each group has one
/// instruction: half the columns took 0.87 to 0.97 of the time at four shapes
/// of 1 and 16 rows, since more workgroups share a processor. Lanes issue most
/// of their instructions for each step and not for each element, unless steps
/// are long; where columns are many, short ones leave a processor room for more
/// workgroups (docs/benchmarks, sweep-exchanged.jsonl: 16x16x1024 in two slices
/// takes 7.8 us at 1x4096x4096, 16x32x256 9.3, but 20.8 and 20.1 at
/// 8x11008x4096). Elements that lie in one are too few for slices; where a
/// processor has one workgroup, 16x32x256 took 33.4 us at 16x4096x11008 and
/// 16x32x1024, its last step cut off, 17.9. Where columns are many, groups of
/// two instructions read half as much of A: 16x64x512 takes 15.3 us at
/// 16x14336x4096, 16x32x1024 18.8. Tiles of 32 rows read weights once where
/// those of 16 read them twice (docs/benchmarks, sweep-rows.jsonl), and of 64
/// rows where there are tiles enough: 64x64x256 takes 24.5 us at 64x8192x4096,
/// 32x64x512 32.0.
static constexpr Kind kConverting[] = {{2, 1, 2048, 2, 2},
                                       {4, 1, 512, 2, kDepth, 1, 1.24},
                                       {4, 2, 1024, 1, 1, 1, 1.07, 1, 2, 0.7},
                                       {4, 1, 2048, 1, 1, 1, 1.03, 2, 1},
                                       {4, 2, 1024, 1, 1, 1, 1, 2, 1},
                                       {4, 2, 512, 1, 1, 1, 1, 4, 1}};
static constexpr Kind kSeveralInOne[] = {
    {4, 1, 2048, 1, 2, 1.03, 1.03},
    {4, 1, 512, 1, kDepth, 1, 2.5},
    {4, 2, 1024, 1, 2, 1.03, 1.26, 1, 2, 0.7},
    {4, 1, 2048, 1, 2, 1.22, 1.26, 2, 1},
    {4, 2, 1024, 1, 2, 0.955, 1.16, 2}};
/// And of pairs of these, whose groups have two instructions so: 64x32x256
/// takes 37 us at 64x8192x4096, 64x64x64 50 and 32x32x1024 57.
static constexpr Kind kPairInOne[] = {{4, 1, 512, 1, 2, 1, 1, 4}};
/// With exchanged operands, for half as many rows: 7.2 and 20.2 us where these
/// take 7.8 and 22.5, at 1x4096x4096 and 1x4096x14336; 5.8 and 16.3 where
/// elements lie in one and these take 6.3 and 18.7. Half the step takes a tenth
/// more; whole steps of it make up more extents.
static constexpr Kind kExchangedConverting[] = {{1, 1, 2048, 4, 2},
                                                {1, 1, 1024, 4, kDepth, 1.1}};
static constexpr Kind kExchangedInOne[] = {{2, 1, 2048, 2, 2, 1, 1.07},
                                           {2, 1, 1024, 2, kDepth, 1.1},
                                           {1, 1, 2048, 4, 2, 0.87}};
/// What is measured beside tiles of 64 and 128 rows and the model does not
/// tell, of elements that are stored one by one or have scales for few
/// neighbours, and of those that lie in one.
static constexpr double kBesideWide = 0.72, kBesideWideInOne = 0.6;
static constexpr int64_t kManyInGroup = 128;
/// Of a step of several groups each is written out, for each right operand.
static constexpr int64_t kMostPieces = 16;
/// What a workgroup takes that has a processor for itself, as a multiple of
/// what its lines take: nothing hides what it waits for. So it is at 16 rows,
/// 104 to 1672 columns (docs/benchmarks, sweep-clusters.jsonl).
static constexpr double kAlone = 1.45;
/// Clocks that an item of the rows of two instructions takes beside: from 32
/// rows, 1024x1024 to 50000x512 (docs/benchmarks, sweep-rows.jsonl).
static constexpr double kItemOfRows = 1000;
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
                                       tile::TargetAttrInterface target,
                                       bool converts) {
  Type type = op.getLhsElement();
  SmallVector<int64_t> shape = mma.getMmaShape();
  int64_t wanted = std::max(shape[2], kind.stepBytes / bytesOf(type)),
          step = wanted;
  // Sums that leave the engine do so between steps.
  if (int64_t part = getPartDepth(op, mma))
    step = std::min(step, part);
  int64_t group = op.getGroupSize();
  if (group > 1 && group < step)
    step =
        std::min<int64_t>(step / group, kMostPieces / op.getNumSums()) * group;
  // What is stored in fewer bits takes more slots for as many bytes on the way.
  int64_t stored = bytesOf(op.getRhs().getType().getElementType()),
          depth = kind.depth;
  if (kind.slices == 1 && op.getParts() == 1)
    depth *= bytesOf(op.getRhsElement()) / stored;
  // And so do shorter steps than those of which two are enough.
  if (kind.depth < kDepth && step < wanted)
    depth = kDepth;
  auto schedule =
      ScheduleAttr::getDefault(op.getContext())
          .with(kScheduleMma, shape)
          .with(kScheduleStrategy, {int64_t(tile::Strategy::Groups)})
          .with(kScheduleTile,
                {kind.rows * shape[0],
                 kind.groups * kind.instructions * shape[1], step})
          .with(kScheduleGroups, {1, kind.groups})
          .with(kScheduleSlicedK, {kind.slices})
          .with(kScheduleDepth, {depth})
          .with(kScheduleApart, {apartFor(op)});
  // What lanes load ahead stays in the registers it is loaded into where as
  // many steps make a trip; moving it to others would wait for it.
  if (group > 1)
    schedule = schedule.with(kScheduleUnroll, {group < step ? 1 : depth - 1});
  if (!fitsBesideRoles(op, schedule, mma, target) ||
      ScheduleNeeds::get(op, schedule, mma).getResident(target) < kind.resident)
    return std::nullopt;
  // The other schedules of what a prologue computes are those of grids.
  if (op.hasPrologue() || (op.hasPrologueA() && !makesLeft(schedule))) {
    double cost = costOf(op, schedule, mma, target);
    if (converts)
      cost *= op.getParts() > 1 && op.getGroupSize() >= kManyInGroup
                  ? kBesideWideInOne
                  : kBesideWide;
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
  return Candidate{
      schedule,
      cost(true),
      cost(false),
      cost(true),
      ItemCost{inUnits(costs.items.item + (kind.rows > 1 ? kItemOfRows : 0)),
               inUnits(kFirst)},
      /*overlaps=*/true};
}

/// The same in slices of K, where launches may have it so.
static std::optional<Candidate> slicesOf(MatmulOp op, const Kind &kind,
                                         const Candidate &thin,
                                         tile::TargetAttrInterface target) {
  if (kind.inSlices == 0)
    return std::nullopt;
  std::optional<Candidate> slices = splitOf(op, thin, target);
  if (slices)
    for (double *cost :
         {&slices->cost, &slices->unalignedCost, &slices->aloneCost})
      *cost *= kind.inSlices;
  return slices;
}

/// The same instruction with exchanged operands, where the target has it and
/// the product may have as few rows.
static tile::MmaAttrInterface exchangedOf(MatmulOp op,
                                          tile::MmaAttrInterface mma,
                                          tile::TargetAttrInterface target) {
  SmallVector<int64_t> shape = mma.getMmaShape();
  std::swap(shape[0], shape[1]);
  if (!ShapedType::isDynamic(op.getM()) && op.getM() > shape[0])
    return {};
  for (tile::MmaAttrInterface other :
       target.getMmas(op.getLhsElement(), op.getRhsElement(), op.getAccType()))
    if (suits(other, tile::Strategy::Groups) && other.getMmaShape() == shape)
      return other;
  return {};
}

SmallVector<Candidate> schedule::thinOf(MatmulOp op,
                                        tile::TargetAttrInterface target) {
  tile::MmaAttrInterface mma = groupsBesideRoles(op, target);
  // Few rows of A lie beside each other where they run along k.
  if (!mma || op.getTransposeA() || hasPackedOperand(op))
    return {};
  SmallVector<Candidate> found;
  bool converts =
      op.hasPrologue() && !op.getBatchInvariant() && !getPartDepth(op, mma);
  if (!ShapedType::isDynamic(op.getM()) &&
      op.getM() > kMostRows * mma.getMmaShape()[0])
    return {};
  auto add = [&](ArrayRef<Kind> kinds, tile::MmaAttrInterface mma) {
    for (const Kind &kind : kinds)
      if (std::optional<Candidate> thin =
              ::thinOf(op, kind, mma, target, converts)) {
        found.push_back(*thin);
        if (std::optional<Candidate> slices = slicesOf(op, kind, *thin, target))
          found.push_back(*slices);
      }
  };
  if (!converts) {
    // The last one serves rows of results that begin anywhere, up to 16.
    if (tile::MmaAttrInterface exchanged = exchangedOf(op, mma, target);
        exchanged && !op.hasPrologue())
      add(kExchanged, exchanged);
    add(op.hasPrologue() ? ArrayRef(kComputing) : ArrayRef(kKinds), mma);
    return found;
  }
  bool single = op.getParts() == 1;
  add(single ? ArrayRef(kConverting) : ArrayRef(kSeveralInOne), mma);
  if (op.getPair() && !single)
    add(kPairInOne, mma);
  if (tile::MmaAttrInterface exchanged = exchangedOf(op, mma, target))
    add(single ? ArrayRef(kExchangedConverting) : ArrayRef(kExchangedInOne),
        exchanged);
  return found;
}
