// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// helios-select-schedule: whether a product can have a schedule that somebody
// gave.

#include "SelectSchedule.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace helios;
using namespace helios::schedule;

std::string schedule::shapeText(ArrayRef<int64_t> shape) {
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::interleave(shape, os, "x");
  return text;
}

bool schedule::suits(tile::MmaAttrInterface mma, tile::Strategy strategy) {
  return mma.getEngine().empty() == (strategy != tile::Strategy::Roles);
}

FailureOr<SmallVector<tile::MmaAttrInterface>>
schedule::instructions(MatmulOp op, tile::TargetAttrInterface target) {
  Type a = op.getLhs().getType().getElementType(),
       b = op.getRhs().getType().getElementType();
  SmallVector<tile::MmaAttrInterface> mmas =
      target.getMmas(a, b, op.getAccType());
  if (mmas.empty())
    return op.emitOpError()
           << "is unsupported on target '" << target.getRowName()
           << "': it multiplies no " << a << " by " << b << " accumulated in "
           << op.getAccType();
  return mmas;
}

FailureOr<tile::MmaAttrInterface>
schedule::check(MatmulOp op, ScheduleAttr schedule,
                tile::TargetAttrInterface target) {
  auto mmas = instructions(op, target);
  if (failed(mmas))
    return failure();
  auto error = [&]() {
    return op.emitOpError("cannot have the schedule '")
           << schedule.toString() << "': ";
  };
  if (!llvm::is_contained(target.getStrategies(), schedule.getStrategyName()))
    return error() << "target '" << target.getRowName()
                   << "' does not lower the strategy '"
                   << schedule.getStrategyName() << "', only "
                   << llvm::join(target.getStrategies(), ", ");
  ArrayRef<int64_t> tile = schedule.getTile(), groups = schedule.getGroups(),
                    wanted = schedule.getMma();
  auto divides = [&](tile::MmaAttrInterface mma) {
    SmallVector<int64_t> shape = mma.getMmaShape();
    return tile[0] % (groups[0] * shape[0]) == 0 &&
           tile[1] % (groups[1] * shape[1]) == 0 && tile[2] % shape[2] == 0;
  };
  auto strategy = tile::symbolizeStrategy(schedule.getStrategyName());
  tile::MmaAttrInterface chosen;
  for (tile::MmaAttrInterface mma : *mmas)
    if (!chosen && (wanted[0] ? mma.getMmaShape() == wanted
                              : divides(mma) && suits(mma, *strategy)))
      chosen = mma;
  if (!chosen && wanted[0]) {
    InFlightDiagnostic diag =
        error() << "target '" << target.getRowName() << "' has no instruction "
                << shapeText(wanted) << " for these types, only";
    for (tile::MmaAttrInterface mma : *mmas)
      diag << " " << shapeText(mma.getMmaShape());
    return diag;
  }
  for (tile::MmaAttrInterface mma : *mmas)
    if (!chosen && suits(mma, *strategy))
      chosen = mma;
  if (!chosen)
    chosen = mmas->front();
  SmallVector<int64_t> shape = chosen.getMmaShape();
  if (!divides(chosen))
    return error() << "tile " << shapeText(tile) << " is no multiple of "
                   << groups[0] << "x" << groups[1]
                   << " groups of instructions " << shapeText(shape)
                   << "; it must be one of "
                   << shapeText({groups[0] * shape[0], groups[1] * shape[1],
                                 shape[2]});
  ScheduleNeeds needs = ScheduleNeeds::get(op, schedule, chosen);
  auto exceeds = [&](StringRef what, int64_t need,
                     int64_t have) -> LogicalResult {
    if (need <= have)
      return success();
    return error() << "it needs " << need << " " << what << ", " << need - have
                   << " more than the " << have << " of target '"
                   << target.getRowName() << "'";
  };
  if (failed(exceeds("invocations", needs.invocations,
                     target.getMaxInvocations())) ||
      failed(exceeds("bytes of shared memory", needs.sharedBytes,
                     target.getSharedBytes())))
    return failure();
  if (auto registers = tile::getRoleRegisters(target, groups[0] * groups[1],
                                              chosen.getLaneCount());
      hasRoles(schedule) && registers &&
      failed(exceeds("registers in a lane that multiplies", needs.registers,
                     registers->computing)))
    return failure();
  return chosen;
}
