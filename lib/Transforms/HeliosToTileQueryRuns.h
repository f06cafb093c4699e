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

  /// Whether a run says anything: queries' places are only compared, in sums
  /// with what `MaskAnalysis` takes.
  bool areKnown() const { return known; }

  /// The values of the region, of queries alone, that are to be equal for all
  /// queries of a run.
  llvm::ArrayRef<mlir::Value> getTerms() const { return terms.getArrayRef(); }

  /// Which keys some query of a run may see, and which all see: one value for
  /// each key of a tile.
  struct Seen {
    mlir::Value some, all;
  };
  /// Emits that for a run, which is an item of one key, from what the region
  /// was emitted to for one of its queries. Fails if a value of the region
  /// cannot be computed.
  mlir::FailureOr<Seen> emit(RegionEmitter &region,
                             const MaskAnalysis::Item &run) {
    return emit(region, run, analysis.getMask());
  }

private:
  /// What a value of the region depends on.
  struct Dependence {
    bool query = false, key = false;
  };
  Dependence dependence(mlir::Value value);
  /// Adds what a condition, or another value, makes of queries alone to the
  /// terms; false if it makes something of their places that is not linear.
  bool collect(const MaskAnalysis::Condition &condition);
  bool collect(mlir::Value value);
  mlir::FailureOr<Seen> emit(RegionEmitter &region,
                             const MaskAnalysis::Item &run,
                             const MaskAnalysis::Condition &condition);
  mlir::FailureOr<Seen> emit(RegionEmitter &region,
                             const MaskAnalysis::Item &run,
                             const MaskAnalysis::Linear &linear);

  AttentionOp op;
  MaskAnalysis &analysis;
  mlir::Value key; ///< the region's argument
  llvm::DenseMap<mlir::Value, Dependence> dependences;
  llvm::SetVector<mlir::Value> terms;
  bool known;
};

} // namespace helios::totile

#endif // HELIOS_LIB_TRANSFORMS_HELIOSTOTILEQUERYRUNS_H
