// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What the workgroups of a cluster have in common.

#ifndef HELIOS_LIB_TRANSFORMS_CLUSTERS_H
#define HELIOS_LIB_TRANSFORMS_CLUSTERS_H

#include "helios/Dialect/Tile/IR/Tile.h"
#include "llvm/ADT/BitVector.h"

namespace helios::tile {

/// In which dimensions of the cluster values of a program differ from workgroup
/// to workgroup: what follows from the place in the cluster differs along its
/// dimension, what follows from the workgroup's number or from memory along
/// all.
class ClusterVariance {
public:
  explicit ClusterVariance(unsigned dims) : dims(dims) {}

  /// The dimensions in which a value differs.
  llvm::BitVector of(mlir::Value value);
  /// The dimensions in which it depends on the workgroup whether an op runs, or
  /// how often: its loops and conditions, up to the program.
  llvm::BitVector ofControl(mlir::Operation *op);

private:
  void addOperands(mlir::Operation *op, llvm::BitVector &result);

  unsigned dims;
  llvm::DenseMap<mlir::Value, llvm::BitVector> known;
};

/// What one workgroup copies of a tile that several load alike.
struct ClusterShare {
  mlir::Value part; ///< The number of this workgroup's part.
  int64_t parts;    ///< Workgroups that load the tile, one part each.
  mlir::Value mask; ///< i32: a bit for each of them, by rank in the cluster.
};

/// The share in a tile that is the same along the dimensions `along` of the
/// cluster.
ClusterShare makeShare(mlir::OpBuilder &b, mlir::Location loc,
                       llvm::ArrayRef<int64_t> cluster,
                       const llvm::BitVector &along);

} // namespace helios::tile

#endif // HELIOS_LIB_TRANSFORMS_CLUSTERS_H
