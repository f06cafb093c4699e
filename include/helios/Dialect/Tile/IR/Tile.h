// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The tile dialect (level 2).

#ifndef HELIOS_DIALECT_TILE_IR_TILE_H
#define HELIOS_DIALECT_TILE_IR_TILE_H

#include "helios/Dialect/Tile/IR/TileInterfaces.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "helios/Dialect/Tile/IR/TileDialect.h.inc"

#define GET_ATTRDEF_CLASSES
#include "helios/Dialect/Tile/IR/TileAttrs.h.inc"

#define GET_TYPEDEF_CLASSES
#include "helios/Dialect/Tile/IR/TileTypes.h.inc"

#define GET_OP_CLASSES
#include "helios/Dialect/Tile/IR/TileOps.h.inc"

namespace helios::tile {
/// The layout of a tile, or null.
LayoutAttrInterface getLayout(mlir::Type type);
/// The same tile with another layout (null: none).
mlir::RankedTensorType withLayout(mlir::RankedTensorType type,
                                  mlir::Attribute layout);
} // namespace helios::tile

#endif // HELIOS_DIALECT_TILE_IR_TILE_H
