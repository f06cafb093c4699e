// Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Views of global memory, and what moves tiles.

#ifndef HELIOS_TILE_MEMORY_OPS
#define HELIOS_TILE_MEMORY_OPS

include "helios/Dialect/Tile/IR/TileOpBase.td"

def Tile_ViewOp : Tile_Op<"view", [Pure, AttrSizedOperandSegments]> {
  let summary = "memory description: a pointer with extents and strides";
  let description = [{
    Dynamic extents and strides are operands, in order; static ones stand in the type. `table` maps the gathered dimension.

    ```mlir
    %A = tile.view %p[%m, %k] strides [%ld] : !tile.ptr<f16> -> !tile.view<?x?xf16, strides = [?, 1], div = [8, 1], align = 16>
    ```
  }];
  let arguments = (ins Tile_PtrType:$ptr, Variadic<Index>:$sizes, Variadic<Index>:$strides, Optional<Tile_PtrType>:$table);
  let results = (outs Tile_ViewType:$result);
  let assemblyFormat = [{
    $ptr `[` $sizes `]` (`strides` `[` $strides^ `]`)? (`table` `(` $table^ `:` type($table) `)`)? attr-dict
    `:` type($ptr) `->` type($result)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Extent of a dimension: the operand, or the constant of the type.
    ::mlir::OpFoldResult getMixedSize(unsigned dim);
    /// Stride of a dimension in elements: the operand, or the constant of the type.
    ::mlir::OpFoldResult getMixedStride(unsigned dim);
  }];
}

def Tile_LoadOp : Tile_Op<"load", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "a full tile from global memory, padded outside the view";
  let description = [{
    Offsets are in elements, one a dimension of the view; leading dimensions that the tile lacks have extent one. Elements
    outside the view are `pad`. `in_bounds` states that there are none; it needs a proof from facts. `inside` lists dimensions along which
    there are none, where that does not hold of all.
  }];
  let arguments = (ins Tile_ViewType:$view, Variadic<Index>:$offsets, DefaultValuedAttr<F64Attr, "0.0">:$pad, UnitAttr:$in_bounds,
                       OptionalAttr<DenseI64ArrayAttr>:$inside);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = [{
    $view `[` $offsets `]` (`pad` `(` $pad^ `)`)? (`in_bounds` $in_bounds^)? attr-dict `:` type($view) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Tile_ElementOp : Tile_Op<"element", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "one integer from global memory, the same for all lanes";
  let description = [{
    What the program does next may depend on it: which rows an item has, how many steps a loop. The place lies inside of the view.

    ```mlir
    %end = tile.element %ends[%g] : !tile.view<?xi32, strides = [?]> -> i32
    ```
  }];
  let arguments = (ins Tile_ViewType:$view, Variadic<Index>:$offsets);
  let results = (outs AnySignlessInteger:$result);
  let assemblyFormat = "$view `[` $offsets `]` attr-dict `:` type($view) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_StoreOp : Tile_Op<"store", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "a tile into global memory, clipped at the view's bounds";
  let arguments = (ins Tile_Tile:$tile, Tile_ViewType:$view, Variadic<Index>:$offsets, UnitAttr:$in_bounds);
  let assemblyFormat = [{
    $tile `,` $view `[` $offsets `]` (`in_bounds` $in_bounds^)? attr-dict `:` type($tile) `,` type($view)
  }];
  let hasVerifier = 1;
}

def Tile_AtomicReduceOp : Tile_Op<"atomic_reduce", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "unordered add or max of a tile into global memory";
  let description = [{ Not in a `deterministic` program. }];
  let arguments = (ins Tile_ReduceKindAttr:$kind, Tile_Tile:$tile, Tile_ViewType:$view, Variadic<Index>:$offsets);
  let assemblyFormat = "$kind $tile `,` $view `[` $offsets `]` attr-dict `:` type($tile) `,` type($view)";
  let hasVerifier = 1;
}

def Tile_ConvertLayoutOp : Tile_Op<"convert_layout", [Pure, SameOperandsAndResultShape, SameOperandsAndResultElementType]> {
  let summary = "the only op that changes a layout";
  let description = [{
    Registers to shared memory are stores, shared memory to registers or matrices loads; both are cheap to see here and so can
    be scheduled. Equal places cost nothing.
  }];
  let arguments = (ins Tile_Tile:$tile);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = "$tile attr-dict `:` type($tile) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

#endif // HELIOS_TILE_MEMORY_OPS
