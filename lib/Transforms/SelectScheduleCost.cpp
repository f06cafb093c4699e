// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// helios-select-schedule: the model by which schedules are compared.

#include "SelectSchedule.h"

using namespace mlir;
using namespace helios;
using namespace helios::schedule;

/// Bytes of a cache line of global memory on common GPUs.
static constexpr int64_t kLineBytes = 128;
/// Groups resident on one processor beyond which more hide nothing.
static constexpr double kUsefulGroups = 16;

/// The part of a tile's global traffic whose rows are shorter than a cache
/// line, which is then fetched for one part of it at a time.
static double narrowLoads(MatmulOp op, ScheduleAttr schedule) {
  ArrayRef<int64_t> tile = schedule.getTile();
  int64_t element = bytesOf(op.getLhs().getType().getElementType());
  int64_t rowOfA = op.getTransposeA() ? tile[0] : tile[2],
          rowOfB = op.getTransposeB() ? tile[2] : tile[1];
  return (rowOfA * element < kLineBytes ? 1.0 / tile[0] : 0) +
         (rowOfB * element < kLineBytes ? 1.0 / tile[1] : 0);
}

double schedule::costOf(MatmulOp op, ScheduleAttr schedule,
                        tile::MmaAttrInterface mma,
                        tile::TargetAttrInterface target) {
  ArrayRef<int64_t> tile = schedule.getTile(), groups = schedule.getGroups();
  if (hasRoles(schedule)) {
    // Every instruction reads its operands from shared memory; the ring hides
    // what a step waits for.
    SmallVector<int64_t> shape = mma.getMmaShape();
    double steps = tile[2] * groups[0] * (schedule.getDepth()[0] - 1.0);
    auto padded = [](int64_t extent, int64_t unit) {
      return ShapedType::isDynamic(extent) || extent == 0
                 ? 1.0
                 : double(llvm::alignTo(extent, unit)) / extent;
    };
    return (1.0 / shape[0] + 1.0 / shape[1] +
            4.0 * (1.0 / tile[0] + 1.0 / tile[1]) + 2.0 / steps) *
           padded(op.getM(), tile[0]) * padded(op.getN(), tile[1]);
  }
  ScheduleNeeds needs = ScheduleNeeds::get(op, schedule, mma);
  double groupM = double(tile[0]) / groups[0],
         groupN = double(tile[1]) / groups[1];
  int64_t resident = needs.getResident(target);
  double residentGroups =
      std::min(kUsefulGroups, double(resident) * groups[0] * groups[1]);
  double shared = 1 / groupM + 1 / groupN,
         global = 1.0 / tile[0] + 1.0 / tile[1];
  // The groups of one workgroup wait at the same barriers of a staged step, so
  // other workgroups hide them better. The weights follow measured kernels of
  // 128x128 to 192x128 elements on a GPU with matrix instructions.
  if (schedule.getStrategyName() == "staged")
    return shared + 2.0 * global + 0.6 * narrowLoads(op, schedule) +
           (2.0 + 6.0 / resident) / (tile[2] * residentGroups);
  // Steps that are on their way while one is computed.
  int64_t ahead = std::max<int64_t>(1, schedule.getDepth()[0] - 1);
  return shared + 4.0 * global + 24.0 / (tile[2] * ahead * residentGroups);
}
