// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// helios-to-tile: which steps of which tile an item of a streamed product has.

#ifndef HELIOS_LIB_TRANSFORMS_HELIOSTOTILESTREAM_H
#define HELIOS_LIB_TRANSFORMS_HELIOSTOTILESTREAM_H

#include "NarrowArithmetic.h"
#include <array>

namespace helios::totile {

/// What a launch says of streamed tiles: how many are taken whole, and how many
/// there are; the shares of the steps of those behind them; the steps of a
/// share, and those that count as one of these tiles, which are no fewer: as
/// many as it has, or filled up to whole shares. None is left over where there
/// are no shares.
struct StreamCounts {
  mlir::Value whole, tiles, shares, share, steps;
  std::array<mlir::Value *, 5> all() {
    return {&whole, &tiles, &shares, &share, &steps};
  }
};

/// One item: a tile, or a part of one.
struct StreamedItem {
  mlir::Value tile;            ///< its number
  mlir::Value first, steps;    ///< of the loop over K
  mlir::Value isWhole, isPart; ///< i1; neither where no step is left for it
  mlir::Value place;           ///< of the part among the sums
};

/// The steps of what whole rounds of tiles leave, one tile behind the other, in
/// shares of equal number ("stream-K": Osama et al., Stream-K: Work-centric
/// Parallel Decomposition for Dense Matrix-Matrix Multiplication on the GPU,
/// PPoPP 2023). A share is at most a tile, so it is a part of one tile and
/// perhaps one of the next. Items are whole tiles, then the first parts of all
/// shares, then their second ones: as many workgroups as there are shares take
/// both parts of one.
class StreamedTiles : NarrowArithmetic {
public:
  StreamedTiles(mlir::OpBuilder &builder, mlir::Location loc,
                const StreamCounts &counts);

  /// How many items there are.
  mlir::Value numItems();
  /// How many sums parts may leave, each in a place of its own.
  static constexpr int64_t kPlacesOfShare = 2;
  StreamedItem find(mlir::Value number);
  /// The shares that have parts of a tile, the first one and the one behind the
  /// last; tiles count from the first that is not taken whole.
  std::pair<mlir::Value, mlir::Value> sharesOf(mlir::Value tile);
  /// Where one of them leaves its part of it.
  mlir::Value placeOf(mlir::Value share, mlir::Value tile);

private:
  StreamCounts counts; ///< in fewer bits
};

} // namespace helios::totile

#endif // HELIOS_LIB_TRANSFORMS_HELIOSTOTILESTREAM_H
