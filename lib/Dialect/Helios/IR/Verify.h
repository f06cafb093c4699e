// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks that several ops of the dialect share.

#ifndef HELIOS_LIB_DIALECT_HELIOS_IR_VERIFY_H
#define HELIOS_LIB_DIALECT_HELIOS_IR_VERIFY_H

#include "helios/Dialect/Helios/IR/HeliosOps.h"

namespace helios::check {

/// Checks that `type` has no encoding, an element type that a kernel may store,
/// and a static part of its extents whose product fits 63 bits. `what` names
/// the value in the message.
llvm::LogicalResult verifyTensorType(mlir::Operation *op,
                                     mlir::RankedTensorType type,
                                     const llvm::Twine &what);

/// Checks that two extents agree where both are static.
inline bool extentsAgree(int64_t a, int64_t b) {
  return mlir::ShapedType::isDynamic(a) || mlir::ShapedType::isDynamic(b) ||
         a == b;
}

/// Checks that each fused operand, or other `kind` of operand, broadcasts to
/// the trailing dimensions of `shape`, which is that of the `of`.
llvm::LogicalResult verifyFused(mlir::Operation *op, mlir::ValueRange fused,
                                llvm::ArrayRef<int64_t> shape,
                                llvm::StringRef of,
                                llvm::StringRef kind = "fused");

/// Checks one region of scalar arithmetic: one block that ends in helios.yield
/// of elements of `yieldTypes`, where a null one is any, arguments of exactly
/// the types `required`, optionally followed by `optionalIndices` arguments of
/// type index, and nothing but scalar ops without effects and regions inside.
llvm::LogicalResult
verifyScalarRegion(mlir::Operation *op, mlir::Region &region,
                   llvm::StringRef name, llvm::ArrayRef<mlir::Type> required,
                   unsigned optionalIndices, mlir::TypeRange yieldTypes);

/// Whether products alone compute with a type.
bool isOperandType(mlir::Type type);
/// Whether it is a float of 8 bits.
bool isByteFloat(mlir::Type type);

/// The one element-type rule of products: whether elements `a` and `b` may be
/// accumulated in `acc`.
bool isSupportedProduct(mlir::Type a, mlir::Type b, mlir::Type acc);

} // namespace helios::check

#endif // HELIOS_LIB_DIALECT_HELIOS_IR_VERIFY_H
