// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the parts of helios-select-schedule share.

#ifndef HELIOS_LIB_TRANSFORMS_SELECTSCHEDULE_H
#define HELIOS_LIB_TRANSFORMS_SELECTSCHEDULE_H

#include "ScheduleNeeds.h"
#include "helios/Dialect/Tile/Utils/Select.h"

namespace helios::schedule {

inline int64_t bytesOf(mlir::Type type) {
  return type.getIntOrFloatBitWidth() / 8;
}

inline bool hasRoles(ScheduleAttr schedule) {
  return schedule.getStrategyName() ==
         tile::stringifyStrategy(tile::Strategy::Roles);
}

/// "16x8x16".
std::string shapeText(llvm::ArrayRef<int64_t> shape);

/// Whether a strategy can keep an instruction busy: roles wait for products in
/// flight, the others do not.
bool suits(tile::MmaAttrInterface mma, tile::Strategy strategy);

/// The instructions of the target for the product's types. Fails, with a
/// diagnostic, if there is none.
llvm::FailureOr<llvm::SmallVector<tile::MmaAttrInterface>>
instructions(MatmulOp op, tile::TargetAttrInterface target);

/// Checks a schedule that somebody gave. Returns the instruction that it takes.
llvm::FailureOr<tile::MmaAttrInterface>
check(MatmulOp op, ScheduleAttr schedule, tile::TargetAttrInterface target);

/// Time of one multiply-add, in arbitrary units: traffic from shared memory and
/// from global memory, and the fixed price of a step over what may run
/// meanwhile.
double costOf(MatmulOp op, ScheduleAttr schedule, tile::MmaAttrInterface mma,
              tile::TargetAttrInterface target);

/// A schedule that fits, and the time of one multiply-add under it.
struct Candidate {
  ScheduleAttr schedule;
  double cost;
};

/// The schedules that fit: of the target's preferred strategy, over powers of
/// two or the shapes of its instructions. Fails, with a diagnostic, if there is
/// none.
llvm::FailureOr<llvm::SmallVector<Candidate>>
allThatFit(MatmulOp op, tile::TargetAttrInterface target);

} // namespace helios::schedule

#endif // HELIOS_LIB_TRANSFORMS_SELECTSCHEDULE_H
