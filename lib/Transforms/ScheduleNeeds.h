// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What a product's schedule takes of a target, as far as level 1 can tell.

#ifndef HELIOS_LIB_TRANSFORMS_SCHEDULENEEDS_H
#define HELIOS_LIB_TRANSFORMS_SCHEDULENEEDS_H

#include "helios/Dialect/Helios/IR/HeliosOps.h"
#include "helios/Dialect/Tile/IR/Tile.h"

namespace helios {

/// Less of K in a slice is not worth its sum's way through the workspace.
inline constexpr int64_t kLeastSlice = 512;

/// Nor are fewer keys in a slice of attention's.
inline constexpr int64_t kLeastKeys = 128;

/// Tiles of attention have depths of a multiple of this, which most
/// instructions cover in whole.
inline constexpr int64_t kDepthUnit = 16;

/// Whether an operand is packed before, or will be since it is constant, so
/// that nothing of it is staged: lanes load it where they multiply it.
bool isPackedOperand(mlir::Value operand);

/// Whether one of a product is. Of a pair both right operands are, or neither.
bool hasPackedOperand(MatmulOp op);

/// Whether a product under a schedule takes packed operands: constant ones, or
/// such as each launch packs first.
bool takesPacked(MatmulOp op, ScheduleAttr schedule);

/// Whether each launch under a schedule packs the right operand first.
bool packsRight(ScheduleAttr schedule);

/// Whether each launch under a schedule first makes what a prologue makes of
/// the left operand, or of the right ones.
bool makesLeft(ScheduleAttr schedule);
bool makesRight(ScheduleAttr schedule);

/// Whether each launch under a schedule first turns an operand of a product, so
/// that its rows run along K.
bool turnsLeft(MatmulOp op, ScheduleAttr schedule);
bool turnsRight(MatmulOp op, ScheduleAttr schedule);

/// Whether products under a schedule read an operand transposed.
bool readsTransposedA(MatmulOp op, ScheduleAttr schedule);
bool readsTransposedB(MatmulOp op, ScheduleAttr schedule);

/// Whether a launch finds out first which keys the mask of attention lets
/// queries see.
bool findsRanges(ScheduleAttr schedule);

/// What is made of right operands is made of whole units of so many bytes of
/// what is stored, each within a group.
inline constexpr int64_t kMadeUnitBytes = 16;

/// Whether work items compute the left operand, or the right ones, of what is
/// stored.
bool computesLeft(MatmulOp op, ScheduleAttr schedule);
bool computesRight(MatmulOp op, ScheduleAttr schedule);

/// Whether workgroups share the steps of the tiles that whole rounds leave.
bool isStreamed(ScheduleAttr schedule);
/// That word's place among those of the parameter.
inline constexpr int64_t kStreamed = 2;

/// Instructions of the rows of thin tiles, at most.
constexpr int64_t kMostRows = 2;

/// Whether a schedule that stands beside those with roles is one for little K;
/// else it is for few rows.
inline bool isForLittleK(ScheduleAttr schedule) {
  return schedule.getTile()[0] > kMostRows * schedule.getMma()[0];
}

/// Elements of K after which partial sums leave an instruction's accumulator
/// and are added up beside it; 0: they stay.
int64_t getPartDepth(MatmulOp op, tile::MmaAttrInterface mma);

/// Bytes of shared memory through which the workgroups of a cluster add up
/// their slices of K.
int64_t getSharedSumBytes(MatmulOp op, ScheduleAttr schedule);

/// Bytes of a row of a tile in shared memory as copies leave it: padded with
/// *staged*; others swizzle it, and the engine of *roles* fills it up.
int64_t getRowBytes(ScheduleAttr schedule, int64_t columns, int64_t element);

/// What a schedule costs on a target.
struct ScheduleNeeds {
  int64_t invocations; ///< of a workgroup
  int64_t sharedBytes; ///< of the operands' buffers
  int64_t registers;   ///< 32-bit registers of one invocation, estimated
  /// Those of them that loops carry, which may not spill.
  int64_t carried = 0;
  /// Whether groups take budgets that add up to all registers of a processor.
  bool takesAllRegisters = false;

  /// `scattered`: elements are loaded one by one, which then have a register
  /// each, as have parts of their addresses.
  static ScheduleNeeds get(MatmulOp op, ScheduleAttr schedule,
                           tile::MmaAttrInterface mma, bool scattered = false);
  static ScheduleNeeds get(AttentionOp op, ScheduleAttr schedule,
                           tile::MmaAttrInterface mma, bool scattered = false);

  /// Workgroups that one processor holds at once, at least one.
  int64_t getResident(tile::TargetAttrInterface target) const;
};

} // namespace helios

#endif // HELIOS_LIB_TRANSFORMS_SCHEDULENEEDS_H
