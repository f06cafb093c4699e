// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// helios-select-schedule: schedules of attention with roles. One group copies;
// each of the others has whole rows of a tile of queries and computes on its
// scores while the engine multiplies those of others, and its own.

#include "HeliosToTileMask.h"
#include "SelectSchedule.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace helios;
using namespace helios::schedule;

/// Groups that compute, and slots of keys and values beyond which none gains.
static constexpr int64_t kMaxReplicas = 4;
static constexpr int64_t kMaxDepth = 4;
/// Keys of a block: multiples of what both products cover.
static constexpr int64_t kKeyUnit = 16;
/// Registers of a lane beside tiles: the softmax's vectors, addresses,
/// counters.
static constexpr int64_t kOtherRegisters = 32;
/// Clocks of a processor for an element of the scores: maximum, power, sum and
/// rounding, and for an element of the result that a block rescales; for
/// waiting, in every block. A group that is alone waits for each product, which
/// then takes so much longer.
static constexpr double kScoreClocks = 1.0 / 14, kResultClocks = 1.0 / 128,
                        kWaits = 60, kAlone = 1.5;
/// The part of the shorter of both works that stands still in one group while
/// the longer one runs, and that more groups share; more of it where they do
/// not take turns though lanes bound a block.
static constexpr double kUnhidden = 0.9, kUnhiddenWithoutTurns = 1.2;
/// Clocks of an item beside its blocks: for an element of the result, whose
/// queries come and whose rows leave as those of all processors do; for what
/// lanes do of its first block, for which the engine waits; what of both is
/// hidden. Least squares over eleven tiles (64x64 to 256x64, depths 64 and
/// 128, 512 and 1024 keys), which took 1560 to 8950 (docs/benchmarks). The
/// least is a guess; and what an element costs that a mask goes through was set
/// so that 4x16x4096 causal of depth 128 takes what was faster there.
static constexpr double kItemElement = 0.38, kItemSoftmax = 1.4,
                        kItemHidden = 2650, kLeastItem = 1000,
                        kMaskClocks = 0.04;
/// Groups from which on it pays that they start products one after another
/// where lanes bound a block; and clocks of lanes in a block from which on it
/// does for two where the engine bounds it, between what three tiles have:
/// 128x128 of depth 128 (1298) gained by it in most cases, 128x64 of 128 (713)
/// and 256 (841) lost as much as they gained.
static constexpr int64_t kGroupsInTurns = 3;
static constexpr double kClocksOfTurn = 1000;
/// Extents that are not known: short ones and long ones.
static constexpr int64_t kTypicalExtents[] = {512, 4096};

/// The instruction of either product: the widest that covers these columns.
static tile::MmaAttrInterface
engineFor(AttentionOp op, tile::TargetAttrInterface target, int64_t columns) {
  for (tile::MmaAttrInterface mma : instructionsOf(op, target))
    if (suits(mma, tile::Strategy::Roles) &&
        columns % mma.getMmaShape()[1] == 0)
      return mma;
  return {};
}

namespace {
/// Clocks of a processor that a block of keys takes.
struct BlockClocks {
  double products, softmax;
  int64_t groups;

  bool isOfLanes() const { return softmax > products; }
  double all() const {
    double engine = groups == 1 ? kAlone * products : products;
    double unhidden =
        groups == 2 && isOfLanes() ? kUnhiddenWithoutTurns : kUnhidden;
    return std::max(engine, softmax) +
           unhidden / groups * std::min(engine, softmax) + kWaits;
  }
};
} // namespace

static BlockClocks clocksOfBlock(AttentionOp op, ScheduleAttr schedule,
                                 tile::TargetAttrInterface target) {
  ArrayRef<int64_t> tile = schedule.getTile();
  tile::MmaAttrInterface scores = engineFor(op, target, tile[1]);
  int64_t columns = columnsOf(op, scores);
  tile::MmaAttrInterface results = engineFor(op, target, columns);
  const tile::RoleCosts &costs = target.getCosts().roles;
  int64_t element = bytesOf(elementOf(op));
  // Queries come out of shared memory, weights out of registers.
  auto clocksOf = [&](tile::MmaAttrInterface mma, int64_t n, int64_t k,
                      bool readsRows) {
    SmallVector<int64_t> shape = mma.getMmaShape();
    double multiplies =
        shape[0] * shape[1] * shape[2] * element / costs.pairsOfBytes;
    double reads = (readsRows * shape[0] + shape[1]) * shape[2] * element /
                   costs.sharedBytes;
    return double(tile[0] / shape[0]) * (n / shape[1]) * (k / shape[2]) *
           std::max(multiplies, reads);
  };
  return {clocksOf(scores, tile[1], tile[2], true) +
              clocksOf(results, columns, tile[1], false),
          tile[0] * (tile[1] * kScoreClocks + columns * kResultClocks),
          schedule.getGroups()[0]};
}

double schedule::clocksOfKey(AttentionOp op, ScheduleAttr schedule,
                             tile::TargetAttrInterface target) {
  return clocksOfBlock(op, schedule, target).all() / schedule.getTile()[1];
}

double schedule::clocksOfItem(AttentionOp op, ScheduleAttr schedule,
                              tile::TargetAttrInterface target) {
  int64_t rows = schedule.getTile()[0], keys = schedule.getTile()[1];
  double elements = rows * columnsOf(op, engineFor(op, target, keys));
  double clocks =
      std::max(kItemElement * elements +
                   kItemSoftmax * clocksOfBlock(op, schedule, target).softmax -
                   kItemHidden,
               kLeastItem);
  if (totile::MaskAnalysis(op).growsWithQuery())
    clocks += kMaskClocks * rows * std::max(rows, keys);
  return clocks;
}

/// Clocks for a key of a row, over extents of keys: blocks compute more than is
/// asked for, and items cost something beside them.
static double clocksOfKeyAndRow(AttentionOp op, ScheduleAttr schedule,
                                tile::TargetAttrInterface target) {
  ArrayRef<int64_t> extents(kTypicalExtents);
  int64_t extent = op.getKey().getType().getDimSize(2);
  if (!ShapedType::isDynamic(extent) && extent)
    extents = ArrayRef(extent);
  ArrayRef<int64_t> tile = schedule.getTile();
  double sum = 0;
  for (int64_t e : extents)
    sum += (llvm::alignTo(e, tile[1]) * clocksOfKey(op, schedule, target) +
            clocksOfItem(op, schedule, target)) /
           e;
  return sum / extents.size() / tile[0];
}

/// Whether results have room to pass through beside the tiles, a whole line of
/// the engine's copies of each row at a time. Without it lanes write what they
/// hold themselves: 128x128 keys and queries of depth 128 in three slots took
/// 272 us where two, and slabs, took 221 (docs/benchmarks).
static bool hasRoomForSlabs(AttentionOp op, ScheduleAttr schedule,
                            tile::TargetAttrInterface target) {
  ArrayRef<int64_t> tile = schedule.getTile();
  ScheduleNeeds needs =
      ScheduleNeeds::get(op, schedule, engineFor(op, target, tile[1]));
  return needs.sharedBytes + tile[0] * target.getCosts().lineBytes <=
         target.getSharedBytes();
}

std::string schedule::whyNotRoles(AttentionOp op, ScheduleAttr schedule,
                                  tile::TargetAttrInterface target) {
  ArrayRef<int64_t> tile = schedule.getTile(), groups = schedule.getGroups();
  tile::CopyAttrInterface copy =
      target.getCopy(tile::stringifyStrategy(tile::Strategy::Roles));
  tile::MmaAttrInterface scores = engineFor(op, target, tile[1]);
  if (!copy || !scores)
    return "no engine multiplies " + shapeText({tile[1]}) +
           " keys of these types; use a multiple of " +
           std::to_string(kKeyUnit) + ", or another strategy";
  int64_t columns = columnsOf(op, scores);
  tile::MmaAttrInterface results = engineFor(op, target, columns);
  if (!results || columns != results.getMmaShape()[1])
    return "no engine multiplies weights by values of " +
           std::to_string(columns) + " columns";
  int64_t rows = scores.getMmaShape()[0];
  if (groups[1] != 1 || tile[0] != groups[0] * rows)
    return "each group computes " + std::to_string(rows) + " rows; use tile=" +
           shapeText({groups[0] * rows, tile[1], tile[2]}) +
           " and groups=" + shapeText({groups[0], 1});
  int64_t depth = op.getQuery().getType().getDimSize(3);
  if (tile[2] < depth)
    return "the tile's depth of " + std::to_string(tile[2]) +
           " is less than the " + std::to_string(depth) +
           " of queries and keys; use tile=" +
           shapeText({tile[0], tile[1], depthOf(op, scores)});
  if (tile[1] % kKeyUnit || tile[2] % scores.getMmaShape()[2])
    return "expected multiples of " + std::to_string(kKeyUnit) + " keys and " +
           std::to_string(scores.getMmaShape()[2]) + " of the depth";
  if (int64_t most = copy.getMaxRows();
      most && std::max(tile[0], tile[1]) > most)
    return "copies take at most " + std::to_string(most) + " rows";
  auto isWhole = [&](int64_t extent) {
    return tile[1] * extent * bytesOf(elementOf(op)) % kSlotBytes == 0;
  };
  if (!isWhole(tile[2]) || !isWhole(columns))
    return "expected blocks of keys and values of a multiple of " +
           std::to_string(kSlotBytes) + " bytes, where swizzles repeat";
  ScheduleNeeds needs = ScheduleNeeds::get(op, schedule, scores);
  if (needs.sharedBytes > target.getSharedBytes())
    return "it needs " + std::to_string(needs.sharedBytes) +
           " bytes of shared memory, more than the " +
           std::to_string(target.getSharedBytes()) + " of the target";
  return {};
}

/// Whether groups that start products one after another take less time. Where
/// lanes bound a block, the engine is free when a turn comes; of two groups one
/// computes while it works for the other; and a tile that comes for each block
/// is used up by one group after the other.
static bool gainsByTurns(AttentionOp op, ScheduleAttr schedule,
                         tile::TargetAttrInterface target) {
  BlockClocks clocks = clocksOfBlock(op, schedule, target);
  if (clocks.groups == 2)
    return !clocks.isOfLanes() && clocks.softmax >= kClocksOfTurn;
  return clocks.groups >= kGroupsInTurns &&
         (clocks.isOfLanes() || bytesOfPairs(op, schedule));
}

SmallVector<Candidate>
schedule::rolesThatFit(AttentionOp op, tile::TargetAttrInterface target) {
  SmallVector<Candidate> candidates;
  tile::MmaAttrInterface any = engineFor(op, target, kKeyUnit);
  if (!any)
    return candidates;
  ScheduleAttr base =
      ScheduleAttr::getDefault(op.getContext())
          .with(kScheduleStrategy, {int64_t(tile::Strategy::Roles)})
          .with(kScheduleApart, {apartFor(op)})
          .with(kScheduleItems, {int64_t(tile::Distribution::Persistent)});
  int64_t rows = any.getMmaShape()[0];
  for (int64_t groups = 1; groups <= kMaxReplicas; ++groups)
    for (int64_t keys = 4 * kKeyUnit; keys <= 256; keys += kKeyUnit) {
      ScheduleAttr candidate =
          base.with(kScheduleTile, {groups * rows, keys, depthOf(op, any)})
              .with(kScheduleGroups, {groups, 1});
      // As many slots as have room, beside a slab through which each group
      // stores its result.
      for (int64_t depth = kMaxDepth; depth >= 2; --depth) {
        candidate = candidate.with(kScheduleDepth, {depth});
        if (!whyNotRoles(op, candidate, target).empty() ||
            (depth > 2 && !hasRoomForSlabs(op, candidate, target)))
          continue;
        auto registers =
            tile::getRoleRegisters(target, groups, any.getLaneCount());
        int64_t tiles = (columnsOf(op, any) + keys) * bytesOf(op.getAccType()) +
                        keys * bytesOf(elementOf(op));
        int64_t lanes = any.getLaneCount() / rows;
        if (registers &&
            tiles / (4 * lanes) + kOtherRegisters > registers->computing)
          break;
        if (gainsByTurns(op, candidate, target))
          candidate = candidate.with(kScheduleTurns, {groups});
        double cost = clocksOfKeyAndRow(op, candidate, target);
        candidates.push_back({candidate, cost, cost, cost});
        break;
      }
    }
  return candidates;
}

SmallVector<ScheduleAttr>
schedule::rolesBeside(AttentionOp op, ScheduleAttr chosen,
                      tile::TargetAttrInterface target) {
  SmallVector<ScheduleAttr> result;
  if (!hasRoles(chosen))
    return result;
  SmallVector<Candidate> candidates = rolesThatFit(op, target);
  for (int64_t groups = 1; groups <= kMaxReplicas; ++groups) {
    const Candidate *best = nullptr;
    for (const Candidate &candidate : candidates)
      if (candidate.schedule.getGroups()[0] == groups &&
          (!best || candidate.cost < best->cost))
        best = &candidate;
    if (best && groups != chosen.getGroups()[0])
      result.push_back(best->schedule);
  }
  return result;
}
