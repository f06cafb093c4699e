// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Choices that several passes of level 2 must make alike.

#ifndef HELIOS_DIALECT_TILE_UTILS_SELECT_H
#define HELIOS_DIALECT_TILE_UTILS_SELECT_H

#include "helios/Dialect/Tile/IR/Tile.h"

namespace helios::tile {

/// The matrix instruction of a product: the one it names, or the target's for
/// its element types, of the configuration's shape where that asks for one.
/// Emits an error naming what the target has if there is none.
llvm::FailureOr<MmaAttrInterface> selectMma(ProgramOp program, DotOp dot);

/// Rows that a group's epilogue stores together where nobody says how many:
/// those of the instruction, or a part of them of at most 64 where they repeat
/// within it.
int64_t getSlabRows(MmaAttrInterface mma);

/// Grid of lane groups over an accumulator's dimensions.
llvm::SmallVector<int64_t> getGroups(ProgramOp program);

/// Lanes of one group: of the program's products, or a subgroup where it has
/// none.
llvm::FailureOr<int64_t> getLanesPerGroup(ProgramOp program);

/// True for the type of a tile whose layout is one of shared memory.
inline bool isInMemory(mlir::Type type) {
  LayoutAttrInterface layout = getLayout(type);
  return layout && layout.isMemory();
}

/// True for an op that works element by element on tiles.
bool isElementwise(mlir::Operation *op);

/// A register layout of wide accesses along `contiguous` for a tile, over all
/// lanes of the workgroup: vectors of up to `vectorBytes`, neighbouring lanes
/// side by side, as few replicated elements as possible. Null if the shape
/// admits none.
RegsAttr getWideLayout(mlir::MLIRContext *context,
                       llvm::ArrayRef<int64_t> shape, int64_t elementBytes,
                       int64_t contiguous, int64_t lanes, int64_t groups,
                       int64_t vectorBytes);

/// Whether facts prove that the rows of what is read or written of a view at
/// these offsets start and end at multiples of so many bytes.
bool hasWholeUnits(mlir::TypedValue<ViewType> view, mlir::ValueRange offsets,
                   int64_t unitBytes);

/// The engine of `copy`, or a narrower one, whose units make up the rows of
/// what is read of a view at these offsets; null if facts prove that of none.
CopyAttrInterface selectCopy(CopyAttrInterface copy,
                             mlir::TypedValue<ViewType> view,
                             mlir::ValueRange offsets);

/// What memory moves at least, even for less.
inline constexpr int64_t kSectorBytes = 32;

/// Elements next to each other along a dimension that the lanes of a group
/// access together in one instruction, each of them the neighbours among its
/// first registers.
int64_t getRunOfLanes(LayoutAttrInterface layout, llvm::ArrayRef<int64_t> shape,
                      int64_t dim);

/// The layout with its rows interleaved so that the lanes that shared memory
/// serves together meet on its banks as rarely as possible, where rows along
/// `contiguous` lie `pitch` elements apart. The elements of each group stay the
/// same.
RegsAttr interleaveForBanks(RegsAttr layout, int64_t elementBytes,
                            int64_t contiguous, int64_t pitch);

/// Registers of a lane in a role that copies and in one that computes.
struct RoleRegisters {
  int64_t copying, computing;
};

/// How the lanes of one group that copies and of `groups` that compute share
/// the target's register file; nothing if its size is unknown.
std::optional<RoleRegisters> getRoleRegisters(TargetAttrInterface target,
                                              int64_t groups, int64_t lanes);

/// The dimension along which a tile in shared memory is cut into equal parts
/// that start where its layout repeats, or nothing if there is none.
std::optional<int64_t> getDividedDim(mlir::RankedTensorType tile,
                                     int64_t parts);

/// Rows of a layout without coordinates, or columns, as lanes of the group that
/// holds them take them from memory: whole along `dim` for one repetition.
RegsAttr getRowsLayout(LayoutAttrInterface opaque, int64_t dim);

/// The layout for a tile of two dimensions in which the lanes of one group hold
/// all elements along `dim` that they hold any of: what is combined along it
/// meets within groups. Null if lanes and groups do not divide the tile.
RegsAttr getLinesLayout(mlir::RankedTensorType type, int64_t dim, int64_t lanes,
                        int64_t groups, int64_t vectorBytes);

/// The tile in shared memory through which a layout change combines a partial
/// vector of matrices without coordinates; null if it needs none.
mlir::RankedTensorType getScratch(ConvertLayoutOp convert);

/// Bytes of an element as it is stored.
int64_t getElementBytes(mlir::Type type);

} // namespace helios::tile

#endif // HELIOS_DIALECT_TILE_UTILS_SELECT_H
