// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// helios-to-tile: which rows of which group an item of a grouped product has.

#ifndef HELIOS_LIB_TRANSFORMS_HELIOSTOTILEGROUPS_H
#define HELIOS_LIB_TRANSFORMS_HELIOSTOTILEGROUPS_H

#include "NarrowArithmetic.h"
#include <functional>

namespace helios::totile {

/// The rows of an item: from `first` on, up to `end`, where their group ends.
struct RowsOfGroup {
  mlir::Value group, first, end;
};

/// Looks for groups by their ends. Each has as many tiles of rows as it needs,
/// the last of which may reach over its end; items count those of all groups,
/// one group behind the other. Whatever the ends are, rows of different items
/// are different ones of the product's.
class GroupSearch : NarrowArithmetic {
public:
  /// `endOf` emits the end of a group, an i32, given its number.
  GroupSearch(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value groups,
              mlir::Value rows, int64_t tile,
              std::function<mlir::Value(mlir::Value)> endOf)
      : NarrowArithmetic(builder, loc), groups(groups), rows(rows), tile(tile),
        endOf(std::move(endOf)) {}

  /// Tiles of all groups.
  mlir::Value count();
  /// The rows of an item. One that is none has no rows, of the first group.
  RowsOfGroup find(mlir::Value item);

private:
  /// A group on the way: where its rows begin and end, the tiles before it, and
  /// its own.
  struct Group {
    mlir::Value number, begin, end, before, tiles;
  };
  /// Walks all groups. `visit` gives, for each, the next values of what is
  /// carried from one to the next.
  mlir::ValueRange
  walk(mlir::ValueRange carried,
       llvm::function_ref<llvm::SmallVector<mlir::Value>(const Group &,
                                                         mlir::ValueRange)>
           visit);

  mlir::Value groups, rows;
  int64_t tile;
  std::function<mlir::Value(mlir::Value)> endOf;
};

} // namespace helios::totile

#endif // HELIOS_LIB_TRANSFORMS_HELIOSTOTILEGROUPS_H
