// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Pieces of textual syntax that types of several dialects share.

#ifndef HELIOS_DIALECT_TILE_IR_ASSEMBLY_H
#define HELIOS_DIALECT_TILE_IR_ASSEMBLY_H

#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/OpImplementation.h"

namespace helios {
/// Parses `?x16xf32`.
mlir::ParseResult parseShapedElement(mlir::AsmParser &parser,
                                     llvm::SmallVector<int64_t> &shape,
                                     mlir::Type &elementType);
void printShapedElement(mlir::AsmPrinter &printer,
                        llvm::ArrayRef<int64_t> shape, mlir::Type elementType);
/// Parses `[?, 1]`, where `?` is ShapedType::kDynamic.
mlir::ParseResult parseDynamicList(mlir::AsmParser &parser,
                                   llvm::SmallVector<int64_t> &values);
void printDynamicList(mlir::AsmPrinter &printer,
                      llvm::ArrayRef<int64_t> values);
/// Parses `[1, 2]`.
mlir::ParseResult parseList(mlir::AsmParser &parser,
                            llvm::SmallVector<int64_t> &values);
void printList(mlir::AsmPrinter &printer, llvm::ArrayRef<int64_t> values);
/// Parses `, key = value` until the closing `>`; `parseValue` gets the key and
/// reports those it does not know by returning nothing. Keys are optional and
/// come in any order.
mlir::ParseResult parseKeyedValues(
    mlir::AsmParser &parser,
    llvm::function_ref<std::optional<mlir::ParseResult>(llvm::StringRef)>
        parseValue);
} // namespace helios

#endif // HELIOS_DIALECT_TILE_IR_ASSEMBLY_H
