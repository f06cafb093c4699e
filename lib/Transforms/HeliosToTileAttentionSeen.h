// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// helios-to-tile: which of a step's keys some and all queries of an item see.
// Queries in a row that make the same of tensors and places are one evaluation
// of the mask's region, for the first and the last of them; of others, all
// pairs are looked at.

#ifndef HELIOS_LIB_TRANSFORMS_HELIOSTOTILEATTENTIONSEEN_H
#define HELIOS_LIB_TRANSFORMS_HELIOSTOTILEATTENTIONSEEN_H

#include "HeliosToTileAttention.h"
#include "HeliosToTileQueryRuns.h"

namespace helios::totile {

class SeenEmitter : public AttentionRegionEmitter {
protected:
  /// Tiles of keys in a step. Lanes have a key of each, and combine what is
  /// left of them when all steps are done.
  static constexpr int64_t kTilesOfStep = 8;
  /// `product` has so many queries in a tile as are walked at once, of
  /// `queries` in an item.
  SeenEmitter(mlir::OpBuilder &builder, const Product &product, Variant variant,
              int64_t vectorBytes, int64_t queries)
      : AttentionRegionEmitter(builder, product, variant, vectorBytes),
        queries(queries),
        runs(op, analysis, alongFn(product.m()), alongFn(product.n())) {}

  using Seen = QueryRuns::Seen;
  /// Looks at the queries of an item, whose first is known.
  llvm::LogicalResult enterQueries();
  /// Loads what belongs to the keys of a step.
  void enterKeys(mlir::Value step);
  /// Goes to a tile of these.
  void enterTile(int64_t number);
  /// Which of its keys the item's queries see, for each tile of the step.
  mlir::FailureOr<llvm::SmallVector<Seen>> emitSeen();

  mlir::Value number(int64_t value) {
    return mlir::arith::ConstantOp::create(builder, loc,
                                           builder.getI32IntegerAttr(value));
  }
  /// One number for each key of a tile.
  mlir::Value splatOf(int64_t value) {
    return splat({n}, builder.getI32IntegerAttr(value));
  }
  mlir::Value reduce(tile::ReduceKind kind, mlir::Value tile, int64_t dim,
                     int64_t extent);

  int64_t queries;

private:
  /// Whether a fused operand has elements of its own along an axis.
  std::function<bool(unsigned)> alongFn(int64_t axis) const {
    return [&product = product, axis](unsigned number) {
      return llvm::is_contained(
          product.accesses[product.firstFused() + number].axes, axis);
    };
  }
  /// Whether the mask is evaluated for runs of queries.
  bool takesRuns();
  /// An element of a fused operand that has none of keys.
  mlir::Value fusedAt(unsigned number, mlir::Value query);
  /// A value that the mask's region makes of a query alone.
  mlir::FailureOr<mlir::Value> termAt(mlir::Value value, mlir::Value query);
  using Terms = llvm::SmallVector<mlir::Value>;
  mlir::FailureOr<Terms> termsAt(mlir::Value query);
  /// Whether a query has other terms than those.
  mlir::FailureOr<mlir::Value> differs(const Terms &terms, mlir::Value query);
  /// Finds which steps of queries, and whether the item, are no runs.
  llvm::LogicalResult emitMixed();

  /// Emits the mask's region for one query.
  llvm::LogicalResult emitMaskAt(RegionEmitter &region, mlir::Value query);
  /// Of each tile of the step, for each key.
  using Counts = llvm::SmallVector<mlir::Value>;
  /// What stands for how many queries of a run see it: none, one of several, or
  /// `all`.
  mlir::FailureOr<Counts> countInRun(mlir::Value first, mlir::Value last,
                                     mlir::Value all);
  /// How many queries at the current offsets do.
  mlir::FailureOr<Counts> countInPairs();
  /// The same of queries in a step of the item, which may be a run.
  mlir::FailureOr<Counts> countInStep(mlir::Value step);
  /// How many queries of the item do.
  mlir::FailureOr<Counts> countInSteps();
  using CountFn = llvm::function_ref<mlir::FailureOr<Counts>()>;
  mlir::FailureOr<Counts> either(mlir::Value condition, CountFn yes,
                                 CountFn no);

  /// The first query of a step, and one behind it in the item, or its last.
  mlir::Value queryOf(mlir::Value step);
  mlir::Value inItem(mlir::Value query, int64_t row);

  /// Where keys of a step begin, and what is loaded of them.
  struct KeyTile {
    mlir::Value offset;
    llvm::DenseMap<unsigned, Varying> fused;
  };
  llvm::SmallVector<KeyTile> tiles;
  QueryRuns runs;
  mlir::Value steps;      ///< of queries in the item
  mlir::Value mixedSteps; ///< a bit for each step of queries that is no run
  mlir::Value mixedItem;  ///< other than zero if the item is none
};

} // namespace helios::totile

#endif // HELIOS_LIB_TRANSFORMS_HELIOSTOTILEATTENTIONSEEN_H
