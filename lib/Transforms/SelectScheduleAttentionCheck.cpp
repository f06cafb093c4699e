// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// helios-select-schedule: whether attention can have a schedule, and if not,
// what to write instead.

#include "HeliosToTileMask.h"
#include "SelectSchedule.h"
#include <numeric>

using namespace mlir;
using namespace helios;
using namespace helios::schedule;

bool schedule::fillsSlots(AttentionOp op, ScheduleAttr schedule,
                          tile::MmaAttrInterface mma) {
  int64_t row = schedule.getTile()[1] * bytesOf(elementOf(op));
  return schedule.getStrategyName() == "staged" ||
         (row * schedule.getTile()[2] % kSlotBytes == 0 &&
          row * columnsOf(op, mma) % kSlotBytes == 0);
}

std::string schedule::whyNotWhole(AttentionOp op, ScheduleAttr schedule,
                                  tile::MmaAttrInterface mma) {
  ArrayRef<int64_t> tile = schedule.getTile(), groups = schedule.getGroups();
  SmallVector<int64_t> shape = mma.getMmaShape();
  if (groups[1] != 1)
    return "rows must not be spread over groups, which the softmax runs along; "
           "use groups=" +
           std::to_string(groups[0] * groups[1]) + "x1";
  int64_t keys = std::lcm(shape[1], shape[2]);
  if (tile[0] % (groups[0] * shape[0]) || tile[1] % keys || tile[2] % shape[2])
    return "tile " + shapeText(tile) + " is no multiple of " +
           shapeText({groups[0] * shape[0], keys, shape[2]}) +
           ", which the instructions " + shapeText(shape) +
           " of its groups cover in both products";
  if (!fillsSlots(op, schedule, mma))
    return "a block of " + std::to_string(tile[1]) +
           " keys does not fill slots of a multiple of " +
           std::to_string(kSlotBytes) +
           " bytes; use tile=" + shapeText({tile[0], 2 * tile[1], tile[2]});
  if (int64_t depth = op.getQuery().getType().getDimSize(3); tile[2] < depth)
    return "the tile's depth of " + std::to_string(tile[2]) +
           " is less than the " + std::to_string(depth) +
           " of queries and keys; use tile=" +
           shapeText({tile[0], tile[1], depthOf(op, mma)});
  return {};
}

int64_t schedule::apartFor(AttentionOp op) {
  using totile::MaskAnalysis;
  return MaskAnalysis(op).leavesOpen() &&
                 !MaskAnalysis::varies(op, MaskAnalysis::Sharer::Heads)
             ? kApartMask
             : 0;
}

ScheduleAttr schedule::complete(AttentionOp op, ScheduleAttr schedule,
                                ArrayRef<ScheduleValue> given) {
  if (llvm::is_contained(given, kScheduleApart) || schedule.getSplitK()[0] != 1)
    return schedule;
  return schedule.with(kScheduleApart, {apartFor(op)});
}

/// Why a launch cannot find first what `apart` asks for; empty if it can.
static std::string whyNotApart(AttentionOp op, ScheduleAttr schedule) {
  if (schedule.getApart() == 0)
    return {};
  if (schedule.getApart() != kApartMask)
    return "expected apart=mask, as attention's operands have no prologue, got "
           "that of a product";
  if (op.getMask().empty())
    return "expected a mask beside apart=mask, got none";
  using totile::MaskAnalysis;
  if (MaskAnalysis::varies(op, MaskAnalysis::Sharer::Heads))
    return "expected a mask that heads share beside apart=mask, got one for "
           "each";
  if (schedule.getSplitK()[0] != 1)
    return (Twine("expected split_k=1 beside apart=mask, got split_k=") +
            Twine(schedule.getSplitK()[0]))
        .str();
  return {};
}

FailureOr<ScheduleAttr> schedule::check(AttentionOp op, ScheduleAttr schedule,
                                        tile::TargetAttrInterface target) {
  auto error = [&]() {
    return op.emitOpError("cannot have the schedule '")
           << schedule.toString() << "': ";
  };
  FailureOr<tile::Strategy> strategy = checkLowered(schedule, target, error);
  if (failed(strategy))
    return failure();
  if (schedule.getSlicedK()[0] != 1)
    return error() << "the products of attention are not sliced; leave out "
                      "'sliced_k'";
  if (schedule.getClusterSize() != 1)
    return error() << "attention shares no operands between workgroups; leave "
                      "out 'cluster' and 'cluster_k'";
  if (int64_t turns = schedule.getTurns()[0];
      turns != 1 && (!hasRoles(schedule) || turns != schedule.getGroups()[0]))
    return error() << "attention's groups take turns at starting products, "
                      "with strategy=roles and as many turns as groups; leave "
                      "out 'turns', or use turns="
                   << schedule.getGroups()[0];
  if (schedule.getTurn())
    return error() << "attention's operands are read as they are stored; leave "
                      "out 'turn'";
  if (std::string why = whyNotApart(op, schedule); !why.empty())
    return error() << why << "; leave out 'apart'";
  if (isStreamed(schedule))
    return error() << "attention shares no steps of an item between "
                      "workgroups; use items=persistent, or 'split_k'";
  if (schedule.getSplitK()[0] != 1 && hasRoles(schedule))
    return error() << "with roles attention does not split its keys; leave out "
                      "'split_k', or use another strategy";
  if (*strategy == tile::Strategy::Roles) {
    if (failed(checkStrategy(schedule.with(kScheduleTurns, {1}), error)))
      return failure();
    std::string why = whyNotRoles(op, schedule, target);
    return why.empty() ? FailureOr<ScheduleAttr>(schedule)
                       : FailureOr<ScheduleAttr>(error() << why);
  }
  std::string why;
  for (tile::MmaAttrInterface mma : instructionsOf(op, target)) {
    ArrayRef<int64_t> wanted = schedule.getMma();
    if (!suits(mma, *strategy) ||
        (wanted[0] && ArrayRef<int64_t>(mma.getMmaShape()) != wanted))
      continue;
    std::string refusal = whyNotWhole(op, schedule, mma);
    if (!refusal.empty()) {
      if (why.empty())
        why = refusal;
      continue;
    }
    if (failed(checkStrategy(schedule, error)))
      return failure();
    if (int64_t depth = schedule.getDepth()[0];
        *strategy == tile::Strategy::Staged && depth != 1)
      return error() << "expected depth=1 with strategy=staged, in which "
                        "attention has one buffer of keys and one of values, "
                        "got depth="
                     << depth << "; leave depth out";
    ScheduleNeeds needs = ScheduleNeeds::get(op, schedule, mma);
    if (needs.invocations > target.getMaxInvocations())
      return error() << "it needs " << needs.invocations
                     << " invocations, more than the "
                     << target.getMaxInvocations() << " of target '"
                     << target.getRowName() << "'";
    // Slots are there as long as items run; other tiles may share memory.
    int64_t depth = schedule.getDepth()[0],
            slot = ScheduleNeeds::get(
                       op, schedule.with(kScheduleDepth, {depth + 1}), mma)
                       .sharedBytes -
                   needs.sharedBytes;
    if (int64_t excess = depth * slot - target.getSharedBytes(); excess > 0)
      return error() << "its slots need " << depth * slot
                     << " bytes of shared memory, " << excess
                     << " more than the " << target.getSharedBytes()
                     << " of target '" << target.getRowName()
                     << "'; use a smaller tile or depth";
    return schedule.with(kScheduleMma, mma.getMmaShape());
  }
  if (why.empty())
    return error() << "target '" << target.getRowName()
                   << "' has no instruction for these types with strategy="
                   << schedule.getStrategyName() << "; use another strategy";
  return error() << why;
}
