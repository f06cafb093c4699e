// Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HELIOS_TILE_DIALECT
#define HELIOS_TILE_DIALECT

include "mlir/IR/OpBase.td"

def Tile_Dialect : Dialect {
  let name = "tile";
  let cppNamespace = "::helios::tile";
  let summary = "Level 2: one workgroup's program over tiles";
  let description = [{
    A `tile.program` is what one workgroup does, in which order and in which layout. Tiles are builtin tensors of static
    shape whose encoding is a layout; element-wise work on them is plain `arith` and `math`; loops are `scf`. Nothing here
    knows which operation of level 1 a program came from.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect", "::mlir::scf::SCFDialect"];
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let extraClassDeclaration = [{
    /// Fact on an index argument: inclusive bounds, `[low, high]`.
    static constexpr ::llvm::StringLiteral kRangeAttr = "tile.range";
    /// Fact on an index argument: a divisor of its value.
    static constexpr ::llvm::StringLiteral kDivAttr = "tile.div";
    /// Fact on a pointer argument: what it points to is not written by the
    /// dispatches that may still run when this one begins.
    static constexpr ::llvm::StringLiteral kConstantAttr = "tile.constant";
    /// Marks the workspace pointer of a plan.
    static constexpr ::llvm::StringLiteral kWorkspaceAttr = "tile.workspace";
    /// Stage and order of an op in a software pipeline, a #tile.sched.
    static constexpr ::llvm::StringLiteral kSchedAttr = "tile.sched";
    /// Trips of a loop that become one, an i64; 1 keeps the compilers below from
    /// unrolling it.
    static constexpr ::llvm::StringLiteral kUnrollAttr = "tile.unroll";
    /// On loops: products before which what they read from global memory is
    /// read.
    static constexpr ::llvm::StringLiteral kAheadAttr = "tile.ahead";
    void registerAttributes();
    void registerTypes();
  }];
}

#endif // HELIOS_TILE_DIALECT
