// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The frag dialect (level 3).

#ifndef HELIOS_DIALECT_FRAG_IR_FRAG_H
#define HELIOS_DIALECT_FRAG_IR_FRAG_H

#include "helios/Dialect/Tile/IR/Tile.h"

#include "helios/Dialect/Frag/IR/FragDialect.h.inc"
#include "helios/Dialect/Frag/IR/FragEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "helios/Dialect/Frag/IR/FragAttrs.h.inc"

#define GET_TYPEDEF_CLASSES
#include "helios/Dialect/Frag/IR/FragTypes.h.inc"

#define GET_OP_CLASSES
#include "helios/Dialect/Frag/IR/FragOps.h.inc"

namespace helios::frag {
/// Whether an op itself, not what it holds, reads or writes global memory.
bool touchesGlobalMemory(mlir::Operation *op);

/// Whether an op itself reads, of global memory, only what a constant argument
/// (`tile.constant`) of the kernel points to, by its address. Copies that
/// follow descriptions of tensors do not.
bool readsConstant(mlir::Operation *op);

/// Whether an op, or what it holds, is one of these.
bool holds(mlir::Operation *op,
           llvm::function_ref<bool(mlir::Operation *)> isOne);

/// The vote on which the condition of a branch, or the bounds of a loop,
/// depend; null if they depend on none.
mlir::Operation *getVoteBehind(mlir::Operation *control);
} // namespace helios::frag

#endif // HELIOS_DIALECT_FRAG_IR_FRAG_H
