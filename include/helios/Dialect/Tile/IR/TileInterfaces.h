// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Interfaces of layouts, matrix instructions, copies and targets.

#ifndef HELIOS_DIALECT_TILE_IR_TILEINTERFACES_H
#define HELIOS_DIALECT_TILE_IR_TILEINTERFACES_H

#include "helios/Dialect/Tile/Utils/TargetCosts.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/Attributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/SmallVector.h"

#include "helios/Dialect/Tile/IR/TileEnums.h.inc"

// The target interface answers with matrix instructions.
#include "helios/Dialect/Tile/IR/MmaInterface.h.inc"

#include "helios/Dialect/Tile/IR/CopyInterface.h.inc"
#include "helios/Dialect/Tile/IR/LayoutInterface.h.inc"
#include "helios/Dialect/Tile/IR/TargetInterface.h.inc"

#endif // HELIOS_DIALECT_TILE_IR_TILEINTERFACES_H
