// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Element-wise tensor code seen as scalar code: whatever is element-wise by its
// traits or by its `linalg` structure, with no function known by name.

#ifndef HELIOS_DIALECT_HELIOS_UTILS_ELEMENTWISE_H
#define HELIOS_DIALECT_HELIOS_UTILS_ELEMENTWISE_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"

namespace helios {

/// Where an element of a tensor lies: for each dimension of the tensor the
/// coordinate of the point it is computed for, or -1 for position 0 of an
/// extent-one dimension.
using ElementCoordinates = llvm::SmallVector<int64_t>;

/// Whether each element of `op`'s single tensor result is a function of one
/// element of each tensor operand: `arith` and `math` on tensors, parallel
/// `linalg` (also fill, broadcast and transpose), splats, casts and added unit
/// dimensions.
bool isElementwise(mlir::Operation *op);

/// Emits scalar code for elements of tensors.
class ElementwiseEmitter {
public:
  /// Asked for every tensor met, before looking into its definition: the value
  /// of the element, null to look into the definition, or failure.
  using LeafFn = llvm::function_ref<mlir::FailureOr<mlir::Value>(
      mlir::Value, llvm::ArrayRef<int64_t>)>;
  /// The coordinate of a dimension of the point, as an index value.
  using IndexFn = llvm::function_ref<mlir::Value(int64_t)>;

  /// Code is emitted at `builder`'s insertion point. `leaf` and `index` must
  /// outlive the emitter.
  ElementwiseEmitter(mlir::OpBuilder &builder, LeafFn leaf, IndexFn index)
      : builder(builder), leaf(leaf), index(index) {}

  /// The element of `tensor` at `coordinates`. On failure `reason()` says why.
  mlir::FailureOr<mlir::Value> emit(mlir::Value tensor,
                                    llvm::ArrayRef<int64_t> coordinates);

  /// The op at which emission failed, and why.
  mlir::Operation *failedAt() const { return failed; }
  llvm::StringRef reason() const { return why; }

private:
  mlir::FailureOr<mlir::Value>
  emitDefinition(mlir::Value tensor, llvm::ArrayRef<int64_t> coordinates);
  mlir::FailureOr<mlir::Value> emitLinalg(mlir::Operation *op,
                                          llvm::ArrayRef<int64_t> coordinates);
  mlir::FailureOr<mlir::Value> fail(mlir::Operation *op,
                                    llvm::StringRef message);

  mlir::OpBuilder &builder;
  LeafFn leaf;
  IndexFn index;
  llvm::DenseMap<std::pair<mlir::Value, mlir::ArrayAttr>, mlir::Value> emitted;
  mlir::Operation *failed = nullptr;
  std::string why;
};

} // namespace helios

#endif // HELIOS_DIALECT_HELIOS_UTILS_ELEMENTWISE_H
