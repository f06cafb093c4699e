// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// helios-to-tile: a scalar region becomes arithmetic on tiles. A value that
// varies along one dimension of the tile alone stays a vector, one that does
// not vary a scalar, until an operation needs the whole tile.

#ifndef HELIOS_LIB_TRANSFORMS_HELIOSTOTILEREGION_H
#define HELIOS_LIB_TRANSFORMS_HELIOSTOTILEREGION_H

#include "HeliosToTile.h"
#include <functional>
#include <optional>

namespace helios::totile {

/// A value and the tile dimensions along which it varies. What it stands for is
/// the value times a factor, which is other than one only for whole tiles of a
/// region that leaves factors out (`RegionEmitter::deferFactors`).
struct Varying {
  mlir::Value value;
  bool rows = false, columns = false;
  double factor = 1;
};

class RegionEmitter {
public:
  RegionEmitter(mlir::OpBuilder &builder, llvm::ArrayRef<int64_t> shape)
      : builder(builder), shape(shape) {}

  /// Gives a value of the region its value in the program.
  void map(mlir::Value from, Varying to) { values[from] = to; }
  /// Gives an index of the region the coordinates along dimension `dim` of the
  /// tile, from `base` on.
  void mapIndex(mlir::Value from, unsigned dim, mlir::Value base);

  /// Comparisons of numbers that are not negative become signed, which later
  /// passes know more about.
  void setNatural(std::function<bool(mlir::Value)> predicate) {
    isNatural = std::move(predicate);
  }

  /// Constants by which whole tiles of f32 are multiplied are left out of them
  /// as long as that saves products, also in what is yielded: they are
  /// reassociated, as by `arith`'s flag `reassoc`.
  void deferFactors() { defersFactors = true; }

  /// Emits the block, whose arguments are mapped, and returns what it yields,
  /// value by value. `scalar` maps a captured level-1 scalar.
  mlir::FailureOr<llvm::SmallVector<Varying>>
  emit(mlir::Block &block,
       llvm::function_ref<mlir::FailureOr<mlir::Value>(mlir::Value)> scalar);

  /// What a value of the block was emitted to.
  Varying get(mlir::Value from) const { return values.lookup(from); }

  /// `varying` along the given dimensions, among which are its own; a factor
  /// is multiplied by.
  mlir::Value broadcast(mlir::Location loc, Varying varying, bool rows,
                        bool columns);

private:
  mlir::Type typeOf(mlir::Type element, bool rows, bool columns);
  void emit(mlir::Operation &op);
  /// The operation on values that stand for themselves.
  Varying emitFor(mlir::Operation &op, llvm::ArrayRef<Varying> operands);

  /// The result of an operation through which factors go; none if they do not.
  std::optional<Varying> emitWithFactor(mlir::Operation &op);
  std::optional<Varying> emitProduct(mlir::Operation &op);
  std::optional<Varying> emitSum(mlir::Operation &op);
  std::optional<Varying> divided(mlir::Value term, double factor);
  mlir::Value times(mlir::Location loc, const Varying &varying, double factor);

  mlir::OpBuilder &builder;
  llvm::SmallVector<int64_t> shape;
  llvm::DenseMap<mlir::Value, Varying> values;
  std::function<bool(mlir::Value)> isNatural;
  bool defersFactors = false;
};

} // namespace helios::totile

#endif // HELIOS_LIB_TRANSFORMS_HELIOSTOTILEREGION_H
