// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What work takes on a target, by which schedules are compared. Rows of targets
// hold these figures and say where they come from, so nothing here needs LLVM.

#ifndef HELIOS_DIALECT_TILE_UTILS_TARGETCOSTS_H
#define HELIOS_DIALECT_TILE_UTILS_TARGETCOSTS_H

#include <cstdint>

namespace helios::tile {

/// Of a strategy whose groups stand in a grid: how much traffic and waiting
/// weigh beside what a group reads from shared memory for one multiply-add.
struct GridCosts {
  double global; ///< traffic from global memory
  double narrow; ///< more of it where rows are shorter than a line
  double wait;   ///< a step of one element of k that nothing else hides
  double alone;  ///< more of it, shared by the workgroups of a processor
};

/// Of roles: what a step takes, in clocks of a processor.
struct RoleCosts {
  double pairsOfBytes; ///< that are multiplied in a clock, with what a step
                       ///< waits
  double sharedBytes;  ///< that products read from shared memory in a clock
  double line;         ///< clocks that a line takes, from the second-level
                       ///< cache
  double sharedLine;   ///< the same where neighbours read it at the same time
  double splitLine;    ///< as many bytes that begin off a line
  double receivedLine; ///< that a processor takes in, whoever asked for it
  double outsideLine;  ///< one outside of the tensor, where all processors fill
  double cluster;      ///< clocks of a step more where a cluster waits together
  double launch;       ///< clocks that every launch takes
  double clusterLaunch; ///< and more of them where clusters begin together
  double workgroup;     ///< and for each workgroup, up to one a processor
  double inClusters; ///< the part of processors that clusters of four fill, of
                     ///< which none reaches into another group of processors
};

/// What of a step lines outside of the tensor count for at most, as a part of
/// so many: products take as long whatever they multiply. Fitted with the
/// costs.
inline constexpr int64_t kMostOutside = 2;

/// Of roles: what an item takes beside its steps, in clocks of a processor.
/// Where groups take items in turns, one group's passes under the other's
/// products, except for the last item's.
struct ItemCosts {
  double item;       ///< from the last product to the first of the next item
  double byte;       ///< of the result, or of what is fused as large
  double operation;  ///< on one element
  double function;   ///< the same, of more than an instruction
  double visible;    ///< the part of operations that turns do not hide
  double written;    ///< a byte, where all processors write more than is kept
                     ///< beside what they read
  double kept;       ///< bytes of results that caches take in
  double read;       ///< a byte of operands that an item asks for, where there
                     ///< are more of them than caches keep from one item to the
                     ///< next
  double keptRead;   ///< bytes of both operands from which on that is so
  double memoryByte; ///< clocks of all processors for one of these bytes, each
                     ///< of which memory gives once at least
  double storedLine; ///< a line that is stored, beside those of copies
  double storedSplitLine; ///< as many bytes that begin off a line
  double storedOutside;   ///< times as much where they are more than is kept
};

/// Of a staged step of matrices without known places that has a processor for
/// itself, in the unit of the weights of grids.
struct StepCosts {
  double step;           ///< to begin with; 0 where none was measured
  double stagedByte;     ///< a byte that is staged
  double readByte;       ///< one that each group reads where it multiplies it
  double multipliedByte; ///< one that a group multiplies by one
};

struct TargetCosts {
  int64_t processors; ///< of a typical device
  int64_t lineBytes;  ///< of a line of the second-level cache
  double groups; ///< resident on a processor beyond which more hide nothing
  GridCosts staged, copied; ///< loads through registers, and past them
  RoleCosts roles;
  ItemCosts items;
  /// Adding up slices of K: clocks of the second dispatch, with what is lost
  /// where memory bounds both, and clocks of a processor for an element. What
  /// combines parts of a reduction is taken for such a dispatch.
  double sumDispatch, sumElement;
  /// Operands whose rows cannot be read in wide units: clocks of the dispatch
  /// that copies them, with what the product then takes to begin, and of a
  /// processor for a byte of them; clocks of an element of K where a processor
  /// has one small tile that reads them element by element instead, and of each
  /// such tile.
  double copyDispatch, copyByte, scatteredElement, scatteredTile;
  /// Packing an operand in each launch, in the unit of clocks of a processor
  /// under the weights of grids: the dispatch, and an element. Without a price
  /// only schedules that somebody gives do that.
  double packDispatch, packElement;
  /// Making right operands in each launch of what is stored, so that no lane
  /// has to compute what it multiplies: clocks of the dispatch, and of a
  /// processor for an element, and how many times as long tiles take that do
  /// compute it. Without a price only schedules that somebody gives do that.
  double makeDispatch, makeElement, computing;
  /// Turning operands in each launch that lanes would read element by element,
  /// since they are not stored along K: clocks of the dispatch, and of a
  /// processor for a byte, and how many times as long tiles take that do read
  /// them so. Without a price only schedules that somebody gives do that, and
  /// those whose instructions cannot read such operands at all.
  double turnDispatch, turnByte, readingElements;
  /// Without these, launches of few tiles have no schedules of their own.
  StepCosts stepAlone;
};

} // namespace helios::tile

#endif // HELIOS_DIALECT_TILE_UTILS_TARGETCOSTS_H
