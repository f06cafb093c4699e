// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HELIOS_LIB_DIALECT_HELIOS_EXPORT_REGION_H
#define HELIOS_LIB_DIALECT_HELIOS_EXPORT_REGION_H

#include "helios/Bundle/Semantics.h"
#include "mlir/IR/ValueRange.h"
#include "llvm/ADT/DenseMap.h"

namespace helios::exporter {

/// Translates scalar code into a region of a bundle.
class RegionExporter {
public:
  /// Appends a leaf for `value`: an accumulator, a fused element, an index or a
  /// scalar argument.
  mlir::LogicalResult addLeaf(mlir::Value value, bundle::ScalarOpKind kind,
                              uint32_t index);

  /// The number of the operation that computes `value`, which is translated
  /// with everything it needs. Fails, with an error, on what has no
  /// counterpart.
  mlir::FailureOr<uint32_t> translate(mlir::Value value);

  bundle::Region region;
  /// Of the kernel: extents of these tensors can be read.
  mlir::ValueRange arguments;

private:
  llvm::DenseMap<mlir::Value, uint32_t> numbers;
};

} // namespace helios::exporter

#endif // HELIOS_LIB_DIALECT_HELIOS_EXPORT_REGION_H
