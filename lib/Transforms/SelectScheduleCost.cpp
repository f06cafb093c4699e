// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// helios-select-schedule: the model by which schedules are compared.

#include "SelectSchedule.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace helios;
using namespace helios::schedule;

/// Bytes of a cache line of global memory on common GPUs.
static constexpr int64_t kLineBytes = 128;
/// Pairs of bytes that a processor multiplies in a clock, bytes that it reads
/// from its shared memory, and clocks that a line from the second-level cache
/// takes.
static constexpr double kPairsOfBytes = 4096, kSharedBytesPerClock = 128,
                        kClocksPerLine = 1.85;
/// Extents that are not known are most often multiples of a power of two.
static constexpr int64_t kTypicalExtent = 4096;
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

/// What a step of roles takes, in clocks of a processor that multiplies 2048
/// pairs of 16 bits in one. Measured kernels of 64x128 to 192x192 elements
/// agree with it to a tenth, those whose rows begin anywhere in a line with
/// twice the lines.
static double clocksOfStep(MatmulOp op, ScheduleAttr schedule,
                           tile::MmaAttrInterface mma) {
  ArrayRef<int64_t> tile = schedule.getTile();
  SmallVector<int64_t> shape = mma.getMmaShape();
  int64_t element = bytesOf(op.getLhs().getType().getElementType());
  // An instruction takes as long as it multiplies, or reads its operands from
  // shared memory.
  double multiplies = shape[0] * shape[1] * shape[2] * element / kPairsOfBytes;
  double reads =
      (shape[0] + shape[1]) * shape[2] * element / kSharedBytesPerClock;
  double instructions =
      double(tile[0] / shape[0]) * (tile[1] / shape[1]) * (tile[2] / shape[2]);
  // The copy engine takes rows in parts as wide as they are swizzled, each of
  // which touches a line.
  auto lines = [&](int64_t rows, int64_t columns, bool transposed) {
    if (transposed)
      std::swap(rows, columns);
    int64_t bytes = columns * element;
    int64_t part = std::min(kLineBytes, bytes & -bytes);
    return double(rows) * bytes / part;
  };
  double copies =
      kClocksPerLine * (lines(tile[0], tile[2], op.getTransposeA()) +
                        lines(tile[2], tile[1], op.getTransposeB()));
  // Waiting for the slot, and for the products before it is given back; longer
  // where a group has several blocks of rows.
  int64_t blocks = tile[0] / (schedule.getGroups()[0] * shape[0]);
  double waits = 90 + 40 * blocks;
  return std::max(instructions * std::max(multiplies, reads), copies) + waits;
}

double schedule::paddingOf(MatmulOp op, ScheduleAttr schedule) {
  auto padded = [](int64_t extent, int64_t unit) {
    if (ShapedType::isDynamic(extent))
      extent = kTypicalExtent;
    return extent == 0 ? 1.0 : double(llvm::alignTo(extent, unit)) / extent;
  };
  return padded(op.getM(), schedule.getTile()[0]) *
         padded(op.getN(), schedule.getTile()[1]);
}

double schedule::costOf(MatmulOp op, ScheduleAttr schedule,
                        tile::MmaAttrInterface mma,
                        tile::TargetAttrInterface target) {
  ArrayRef<int64_t> tile = schedule.getTile(), groups = schedule.getGroups();
  // Products at full speed cost a sixteenth of the unit.
  if (hasRoles(schedule))
    return 128 * clocksOfStep(op, schedule, mma) /
           (double(tile[0]) * tile[1] * tile[2]);
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
