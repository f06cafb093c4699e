// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// helios-select-schedule: schedules of attention. A tile is [queries, keys of a
// block, depth of the first product]; its rows are spread over groups, and a
// group has whole rows, along which the softmax runs.

#include "HeliosToTileMask.h"
#include "SelectSchedule.h"
#include <numeric>
#include <optional>

using namespace mlir;
using namespace helios;
using namespace helios::schedule;

/// Larger workgroups wait longer at their barriers than they gain.
static constexpr int64_t kMaxGroups = 8;
/// Keys beyond which a block gains nothing.
static constexpr int64_t kMaxKeys = 128;
/// What layouts are changed through beside the operands, as a part of these.
static constexpr int64_t kExchangeShare = 16;
/// Clocks of a processor in the unit of costs, as measured.
static constexpr double kClocksOfUnit = 4.8;
/// Groups resident on one processor beyond which more hide nothing.
static constexpr double kUsefulGroups = 16;
/// Groups of the programs for few queries, whose tiles have no more rows than
/// an instruction for each.
static constexpr int64_t kGroupsOfSlices[] = {1, 4};
/// Groups on a processor below which they wait for each other's instructions
/// rather than for memory.
static constexpr int64_t kBusyGroups = 4;
/// Blocks of slices have so many keys where there is room; fewer leave lanes
/// without work.
static constexpr int64_t kLeastKeysOfSlices = 32;

/// Keys of a long block, whose trips are not put together.
static constexpr int64_t kLongBlock = 64;

/// Bytes beside those of ScheduleNeeds that allocation may come to where nobody
/// knows the places of an accumulator: weights are rounded in a tile of their
/// own while the wider one that they come from is kept, for rows of different
/// lengths have places of their own.
static int64_t bytesBeside(AttentionOp op, ScheduleAttr schedule,
                           tile::MmaAttrInterface mma,
                           const ScheduleNeeds &needs) {
  ArrayRef<int64_t> tile = schedule.getTile();
  int64_t rounded =
      bytesExchanged(op, mma) == bytesOf(elementOf(op))
          ? 0
          : tile[0] * (tile[1] + schedule.getPad()[0]) * bytesOf(elementOf(op));
  return std::max(needs.sharedBytes / kExchangeShare, rounded);
}

/// Bytes through which a slab of the result is stored where nobody knows the
/// places of an accumulator, as tile-cut-epilogue cuts it: a row of matrices of
/// each group, and of the columns a half as long as that is whole matrices.
static int64_t bytesOfSlab(AttentionOp op, ScheduleAttr schedule,
                           tile::MmaAttrInterface mma,
                           tile::TargetAttrInterface target) {
  SmallVector<int64_t> shape = mma.getMmaShape();
  int64_t rows = shape[0] * schedule.getGroups()[0],
          columns = columnsOf(op, mma);
  auto bytes = [&]() {
    return rows * (columns + schedule.getPad()[0]) * bytesOf(op.getAccType());
  };
  while (bytes() > target.getSharedBytes() && columns % (2 * shape[1]) == 0)
    columns /= 2;
  return bytes();
}

/// Time of a query with a key, in arbitrary units: each group reads all keys
/// and values of a block from shared memory, each workgroup from global memory,
/// and a step has a price of its own.
static double costOf(AttentionOp op, ScheduleAttr schedule,
                     tile::MmaAttrInterface mma,
                     tile::TargetAttrInterface target) {
  ArrayRef<int64_t> tile = schedule.getTile(), groups = schedule.getGroups();
  int64_t resident = ScheduleNeeds::get(op, schedule, mma).getResident(target);
  double residentGroups = std::min(kUsefulGroups, double(resident) * groups[0]);
  return double(groups[0]) / tile[0] + 4.0 / tile[0] +
         (2.0 + 6.0 / resident) / (tile[1] * residentGroups);
}

/// Lanes of a group, at least, on devices whose kernels costOfMatrices follows;
/// where there are fewer, larger blocks took longer in the one case compared.
static constexpr int64_t kTimedLanes = 32;

/// The same where an accumulator's elements have no known places, in groups'
/// reads of a block: lanes' work and exchanges take as long in every tile, and
/// groups wait for each other in every trip, which other workgroups hide. Under
/// a mask that grows with the query blocks at the diagonal are half in vain.
/// Fitted to fifteen kernels of both depths in docs/benchmarks, of which it
/// puts the best first, before rows were voted on; of those swept since
/// (sweep-attention-votes.jsonl) the first is the best, or 2 % behind it.
static double costOfMatrices(AttentionOp op, ScheduleAttr schedule,
                             tile::MmaAttrInterface mma,
                             tile::TargetAttrInterface target) {
  ArrayRef<int64_t> tile = schedule.getTile();
  int64_t groups = schedule.getGroups()[0];
  // A third workgroup did not help, nor a second one where lanes round.
  int64_t resident = std::min<int64_t>(
      roundsInLanes(op, mma) ? 1 : 2,
      ScheduleNeeds::get(op, schedule, mma).getResident(target));
  double residentGroups = std::min(kUsefulGroups, double(resident) * groups);
  // More rows to a group are as much work between barriers as longer blocks.
  bool several = tile[0] > groups * mma.getMmaShape()[0];
  double trip = several ? std::max(tile[1], kLongBlock) : tile[1];
  double cost = 0.069 + (groups + 0.82) / tile[0] +
                5.2 / resident / (trip * residentGroups);
  bool diagonal =
      !op.getMask().empty() && totile::MaskAnalysis(op).growsWithQuery();
  return diagonal ? cost * (1 + double(tile[0] + tile[1]) / kTypicalExtent)
                  : cost;
}

tile::MmaAttrInterface
schedule::namedInstruction(AttentionOp op, ScheduleAttr schedule,
                           tile::TargetAttrInterface target) {
  for (tile::MmaAttrInterface mma : instructionsOf(op, target))
    if (ArrayRef<int64_t>(mma.getMmaShape()) == schedule.getMma())
      return mma;
  return {};
}

/// The same where products of many queries take the time and copies run beside
/// them, in other units: less is left of global memory, and a step costs what
/// its barriers cost, which wait for all groups. Fitted to times of kernels
/// in docs/benchmarks.
static double costBesideCopies(AttentionOp op, ScheduleAttr schedule,
                               tile::TargetAttrInterface target) {
  ArrayRef<int64_t> tile = schedule.getTile();
  int64_t groups = schedule.getGroups()[0];
  ScheduleNeeds needs =
      ScheduleNeeds::get(op, schedule, namedInstruction(op, schedule, target));
  int64_t queries =
      tile[0] * tile[2] * bytesOf(elementOf(op)) / (4 * needs.invocations);
  int64_t kept =
      needs.registers + std::max<int64_t>(0, queries - kReadRegisters);
  bool reads = target.getMaxRegisters() != 0 && kept > target.getMaxRegisters();
  double residentGroups =
      std::min(kUsefulGroups, double(needs.getResident(target)) * groups);
  return (groups + 0.6) / tile[0] +
         (0.16 + 0.075 * groups + (reads ? 0.5 : 0)) / tile[1] +
         0.04 / residentGroups;
}

/// The schedules of an instruction that fit, in registers too unless it may
/// spill.
static SmallVector<Candidate> schedulesWith(tile::MmaAttrInterface mma,
                                            AttentionOp op,
                                            tile::TargetAttrInterface target,
                                            tile::Strategy strategy,
                                            bool scattered, bool maySpill) {
  SmallVector<Candidate> candidates;
  bool staged = strategy == tile::Strategy::Staged;
  SmallVector<int64_t> shape = mma.getMmaShape();
  int64_t vector =
      std::max<int64_t>(1, target.getVectorBytes() / bytesOf(elementOf(op)));
  int64_t maxGroups = target.getSubgroupSize() == 0
                          ? 1
                          : std::min(kMaxGroups, target.getMaxInvocations() /
                                                     mma.getLaneCount());
  ScheduleAttr base = ScheduleAttr::getDefault(op.getContext())
                          .with(kScheduleMma, shape)
                          .with(kSchedulePad, {vector})
                          .with(kScheduleStrategy, {int64_t(strategy)})
                          .with(kScheduleApart, {apartFor(op)});
  int64_t keys = std::lcm(shape[1], shape[2]);
  const int64_t one[] = {1, 1};
  auto scores = dyn_cast_or_null<tile::LayoutAttrInterface>(
      mma.getLayout(tile::Side::Acc, one));
  // Where drivers tell nothing of registers, they may spill these too.
  int64_t maxCarried = target.getRegisterFile() ? target.getMaxRegisters() : 0;
  bool timed = staged && scores && !scores.hasCoordinates() &&
               mma.getLaneCount() >= kTimedLanes;
  for (int64_t groups = 1; groups <= maxGroups; groups *= 2)
    for (int64_t rows : {shape[0], 2 * shape[0]}) {
      // Lanes that round twice as many weights took up to three times as long
      // (sweep-attention-bf16.jsonl).
      if (timed && rows > shape[0] && roundsInLanes(op, mma))
        continue;
      for (int64_t n = keys; n <= kMaxKeys; n *= 2)
        for (int64_t depth = staged ? 1 : 2; depth <= (staged ? 1 : 3);
             ++depth) {
          auto candidate =
              base.with(kScheduleTile, {groups * rows, n, depthOf(op, mma)})
                  .with(kScheduleGroups, {groups, 1})
                  .with(kScheduleDepth, {depth});
          // Registers of two trips are too many where groups have more rows
          // than an instruction, so drivers may not choose, and two long ones
          // were slower than one after the other (docs/benchmarks).
          if (timed && (rows > shape[0] || n >= kLongBlock))
            candidate = candidate.with(kScheduleUnroll, {1});
          auto needs = ScheduleNeeds::get(op, candidate, mma, scattered);
          auto within = [](int64_t need, int64_t limit) {
            return limit == 0 || need <= limit;
          };
          int64_t accumulators = groups * rows * (n + columnsOf(op, mma)) *
                                 bytesOf(op.getAccType()) /
                                 (4 * needs.invocations);
          if (maySpill)
            needs.registers = accumulators = 0;
          // Exchanges of matrices without coordinates are reckoned with, unless
          // regions want others.
          bool opaque = staged && !mma.getFragmentBase(tile::Side::Acc);
          bool exact =
              opaque && bytesExchanged(op, mma) == bytesOf(elementOf(op));
          int64_t beside = exact    ? 0
                           : opaque ? bytesBeside(op, candidate, mma, needs)
                                    : needs.sharedBytes / kExchangeShare;
          if (fillsSlots(op, candidate, mma) &&
              needs.invocations <= target.getMaxInvocations() &&
              needs.sharedBytes + beside <= target.getSharedBytes() &&
              (!opaque || bytesOfSlab(op, candidate, mma, target) <=
                              target.getSharedBytes()) &&
              within(needs.registers, target.getMaxRegisters()) &&
              within(needs.carried, maxCarried) &&
              within(accumulators, target.getMaxAccumulators()) &&
              within(needs.registers * needs.invocations,
                     target.getRegisterFile()))
            candidates.push_back(
                {candidate, timed ? costOfMatrices(op, candidate, mma, target)
                                  : costOf(op, candidate, mma, target)});
        }
    }
  // Shorter blocks were not measured, and are what little memory leaves.
  auto isShort = [](const Candidate &candidate) {
    return candidate.schedule.getTile()[1] < kLeastKeysOfSlices;
  };
  if (timed && !llvm::all_of(candidates, isShort))
    llvm::erase_if(candidates, isShort);
  return candidates;
}

/// The schedules of a strategy that fit: of its first instruction, or else of
/// the next one of fewer rows.
static SmallVector<Candidate>
schedulesFor(AttentionOp op, tile::TargetAttrInterface target,
             tile::Strategy strategy, bool scattered, bool maySpill = false) {
  if (strategy == tile::Strategy::Roles)
    return rolesThatFit(op, target);
  int64_t rows = std::numeric_limits<int64_t>::max();
  for (tile::MmaAttrInterface mma : instructionsOf(op, target)) {
    if (!suits(mma, strategy) || mma.getMmaShape()[0] >= rows)
      continue;
    rows = mma.getMmaShape()[0];
    SmallVector<Candidate> candidates =
        schedulesWith(mma, op, target, strategy, scattered, maySpill);
    if (!candidates.empty())
      return candidates;
  }
  return {};
}

static ScheduleAttr cheapest(ArrayRef<Candidate> candidates) {
  if (candidates.empty())
    return {};
  return llvm::min_element(candidates,
                           [](const Candidate &a, const Candidate &b) {
                             return a.cost < b.cost;
                           })
      ->schedule;
}

/// Slow is better than nothing: what may spill, by what it would.
static SmallVector<Candidate>
schedulesThatSpill(AttentionOp op, tile::TargetAttrInterface target) {
  SmallVector<Candidate> candidates =
      schedulesFor(op, target, tile::Strategy::Staged, /*scattered=*/true,
                   /*maySpill=*/true);
  for (Candidate &candidate : candidates)
    candidate.cost =
        ScheduleNeeds::get(op, candidate.schedule,
                           namedInstruction(op, candidate.schedule, target),
                           /*scattered=*/true)
            .registers;
  return candidates;
}

double schedule::timeOfKey(AttentionOp op, ScheduleAttr schedule,
                           tile::TargetAttrInterface target) {
  if (hasRoles(schedule))
    return clocksOfKey(op, schedule, target) / kClocksOfUnit;
  tile::MmaAttrInterface mma = namedInstruction(op, schedule, target);
  return schedule.getTile()[0] *
         (mma ? ::costOf(op, schedule, mma, target) : 1);
}

std::optional<Candidate>
schedule::forFewItems(AttentionOp op, ScheduleAttr chosen,
                      tile::TargetAttrInterface target) {
  tile::MmaAttrInterface mma = namedInstruction(op, chosen, target);
  if (!mma || chosen.getStrategyName() != "staged" ||
      mma.getFragmentBase(tile::Side::Acc) || mma.getLaneCount() < kTimedLanes)
    return std::nullopt;
  int64_t rows = kBusyGroups * mma.getMmaShape()[0];
  if (2 * rows > chosen.getTile()[0])
    return std::nullopt;
  ScheduleAttr few;
  for (const Candidate &candidate :
       schedulesWith(mma, op, target, tile::Strategy::Staged,
                     /*scattered=*/false, /*maySpill=*/false)) {
    ArrayRef<int64_t> tile = candidate.schedule.getTile();
    if (candidate.schedule.getGroups()[0] == kBusyGroups && tile[0] == rows &&
        tile[1] <= kLongBlock && (!few || tile[1] > few.getTile()[1]))
      few = candidate.schedule.with(kScheduleUnroll, {1});
  }
  if (!few)
    return std::nullopt;
  auto timeOf = [&](ScheduleAttr schedule) {
    return schedule.getTile()[0] * costOfMatrices(op, schedule, mma, target);
  };
  // In the unit of timeOfKey.
  double time = timeOfKey(op, chosen, target) * timeOf(few) / timeOf(chosen);
  return Candidate{few, time, time, time, ItemCost{}};
}

double schedule::timeOfItem(AttentionOp op, ScheduleAttr schedule,
                            tile::TargetAttrInterface target) {
  return hasRoles(schedule) ? clocksOfItem(op, schedule, target) / kClocksOfUnit
                            : 0;
}

SmallVector<ScheduleAttr> schedule::slicesOf(AttentionOp op,
                                             tile::TargetAttrInterface target) {
  SmallVector<ScheduleAttr> result;
  // Roles do not split keys; the target's next strategy does.
  SmallVector<StringRef> strategies = target.getStrategies();
  llvm::erase(strategies, tile::stringifyStrategy(tile::Strategy::Roles));
  if (strategies.empty())
    return result;
  auto strategy = *tile::symbolizeStrategy(strategies.back());
  SmallVector<Candidate> all =
      schedulesFor(op, target, strategy, /*scattered=*/false);
  if (all.empty() && strategy == tile::Strategy::Staged)
    all = schedulesThatSpill(op, target);
  for (int64_t groups : kGroupsOfSlices) {
    SmallVector<Candidate> fit;
    for (const Candidate &candidate : all) {
      ArrayRef<int64_t> tile = candidate.schedule.getTile();
      if (candidate.schedule.getGroups()[0] == groups &&
          tile[0] == groups * candidate.schedule.getMma()[0])
        fit.push_back(candidate);
    }
    int64_t keys = 0;
    for (const Candidate &candidate : fit)
      keys = std::max(keys, candidate.schedule.getTile()[1]);
    llvm::erase_if(fit, [&](const Candidate &candidate) {
      return candidate.schedule.getTile()[1] <
             std::min(keys, kLeastKeysOfSlices);
    });
    // Of those that keep the lanes of a processor busy, the ones that have most
    // in flight.
    auto isBusy = [&](const Candidate &candidate) {
      auto needs =
          ScheduleNeeds::get(op, candidate.schedule,
                             namedInstruction(op, candidate.schedule, target));
      return needs.getResident(target) * groups >= kBusyGroups;
    };
    if (llvm::any_of(fit, isBusy)) {
      llvm::erase_if(fit, [&](const Candidate &c) { return !isBusy(c); });
      int64_t depth = 0;
      for (const Candidate &candidate : fit)
        depth = std::max(depth, candidate.schedule.getDepth()[0]);
      llvm::erase_if(fit, [&](const Candidate &candidate) {
        return candidate.schedule.getDepth()[0] < depth;
      });
    }
    if (ScheduleAttr best = cheapest(fit))
      result.push_back(
          best.with(kScheduleSplitK, {0}).with(kScheduleApart, {0}));
  }
  return result;
}

ScheduleAttr schedule::forScatteredRows(AttentionOp op,
                                        tile::TargetAttrInterface target) {
  if (ScheduleAttr best =
          cheapest(schedulesFor(op, target, tile::Strategy::Staged,
                                /*scattered=*/true)))
    return best;
  return cheapest(schedulesThatSpill(op, target));
}

FailureOr<ScheduleAttr> schedule::choose(AttentionOp op,
                                         tile::TargetAttrInterface target) {
  if (instructionsOf(op, target).empty())
    return op.emitOpError()
           << "is unsupported on target '" << target.getRowName()
           << "': it multiplies no " << elementOf(op) << " accumulated in "
           << op.getAccType();
  SmallVector<StringRef> strategies = target.getStrategies();
  for (StringRef name : llvm::reverse(strategies)) {
    tile::Strategy strategy = *tile::symbolizeStrategy(name);
    SmallVector<Candidate> candidates =
        schedulesFor(op, target, strategy, /*scattered=*/false);
    if (strategy == tile::Strategy::Groups)
      for (Candidate &candidate : candidates)
        candidate.cost = costBesideCopies(op, candidate.schedule, target);
    if (ScheduleAttr best = cheapest(candidates))
      return best;
  }
  if (ScheduleAttr smallest = cheapest(schedulesThatSpill(op, target)))
    return smallest;
  return op.emitOpError() << "has no schedule that fits target '"
                          << target.getRowName() << "' with a depth of "
                          << op.getQuery().getType().getDimSize(3) << " and "
                          << op.getValue().getType().getDimSize(3);
}
