// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// helios-to-tile: what a mask region says of several queries in a row. Where
// all that it makes of them alone is the same for each (the numbers of their
// documents, say), comparisons of their places with keys are linear, so that
// the first and the last query say what those between do.

#ifndef HELIOS_LIB_TRANSFORMS_HELIOSTOTILEQUERYRUNS_H
#define HELIOS_LIB_TRANSFORMS_HELIOSTOTILEQUERYRUNS_H

#include "HeliosToTileMask.h"
#include "HeliosToTileRegion.h"
#include "llvm/ADT/SetVector.h"

namespace helios::totile {

class QueryRuns {
public:
  /// Whether a fused operand has elements of queries, and of keys.
  using AlongFn = llvm::function_ref<bool(unsigned number)>;
  QueryRuns(AttentionOp op, MaskAnalysis &analysis, AlongFn alongQueries,
            AlongFn alongKeys);

  /// Whether a run says anything: no comparison takes a query's place in
  /// another way.
  bool areKnown() const { return known; }

  /// The values of the region, of queries alone, that are to be equal for all
  /// queries of a run.
  llvm::ArrayRef<mlir::Value> getTerms() const { return terms.getArrayRef(); }

  /// Which keys some query of a run may see, and which all see, from what the
  /// region was emitted to for its first and for its last query: one value for
  /// each key of a tile.
  struct Seen {
    mlir::Value some, all;
  };
  Seen combine(mlir::OpBuilder &builder, RegionEmitter &first,
               RegionEmitter &last) {
    return combine(builder, first, last, mask);
  }

private:
  /// What a value of the region depends on.
  struct Dependence {
    bool query = false, key = false;
  };
  Dependence dependence(mlir::Value value);
  /// Whether a comparison becomes true (1) or false (-1) once as queries go on;
  /// 0 if that is not known.
  int direction(mlir::Value value);
  /// A comparison of numbers that may be negative as if they were not: a window
  /// `i - j < n` that ends at the query. It says that the left side is not
  /// negative, and below the right one, or equal to it.
  struct Window {
    mlir::Value lhs, rhs;
    mlir::arith::CmpIPredicate predicate; ///< signed
    int64_t grows;                        ///< the left side with the query
    int64_t shrinks;                      ///< the distance to the right one
  };
  std::optional<Window> window(mlir::Value value);
  /// Adds what a condition, or another value, makes of queries alone to the
  /// terms; false if it makes something of their places.
  bool collectCondition(mlir::Value value);
  bool collect(mlir::Value value);
  Seen combine(mlir::OpBuilder &builder, RegionEmitter &first,
               RegionEmitter &last, mlir::Value value);

  AttentionOp op;
  MaskAnalysis &analysis;
  mlir::Value mask;
  llvm::DenseMap<mlir::Value, Dependence> dependences;
  llvm::SetVector<mlir::Value> terms;
  bool known;
};

} // namespace helios::totile

#endif // HELIOS_LIB_TRANSFORMS_HELIOSTOTILEQUERYRUNS_H
