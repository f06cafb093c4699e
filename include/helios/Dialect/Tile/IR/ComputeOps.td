// Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Arithmetic on tiles that arith and math do not have.

#ifndef HELIOS_TILE_COMPUTE_OPS
#define HELIOS_TILE_COMPUTE_OPS

include "helios/Dialect/Tile/IR/TileOpBase.td"

def Tile_SliceOp : Tile_Op<"slice", [Pure]> {
  let summary = "part of a tile";
  let description = [{
    Offsets are static (`static_offsets`), or operands where the static one is dynamic. A slice of registers lies at repetitions of the layout; a
    slice of shared memory at swizzle atoms.
  }];
  let arguments = (ins Tile_Tile:$tile, Variadic<Index>:$offsets, DenseI64ArrayAttr:$static_offsets);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = [{
    $tile custom<DynamicIndexList>($offsets, $static_offsets) attr-dict `:` type($tile) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Tile_TransposeOp : Tile_Op<"transpose", [Pure]> {
  let summary = "a tile with its two dimensions exchanged";
  let description = [{ Free on tiles in shared memory and where an operand load can read transposed. }];
  let arguments = (ins Tile_Tile:$tile);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = "$tile attr-dict `:` type($tile) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Tile_ExpandOp : Tile_Op<"expand", [Pure]> {
  let summary = "broadcast of a tile or scalar along new dimensions";
  let description = [{ `dims` are the result's dimensions that the operand lacks.

    ```mlir
    %r = tile.expand %v, [0] : tensor<64xf32> -> tensor<128x64xf32>
    ```
  }];
  let arguments = (ins Tile_TileOrScalar:$source, DenseI64ArrayAttr:$dims);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = "$source `,` $dims attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_IotaOp : Tile_Op<"iota", [Pure]> {
  let summary = "coordinate along one dimension, plus a base";
  let arguments = (ins I64Attr:$dim, Optional<Index>:$base);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = "$dim (`base` $base^)? attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Tile_DotOp : Tile_Op<"dot", [Pure, AllTypesMatch<["acc", "result"]>]> {
  let summary = "acc + a · b";
  let description = [{
    a is m x k, b is k x n, acc is m x n. `mma` is the matrix instruction, chosen with the layouts. The contracted index of both
    operands carries the same `kperm`, and elements outside the views along it are zero.
  }];
  let arguments = (ins Tile_Tile:$a, Tile_Tile:$b, Tile_Tile:$acc, OptionalAttr<Tile_MmaAttrInterface>:$mma);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = "$a `,` $b `,` $acc (`mma` custom<Instruction>($mma)^)? attr-dict `:` type($a) `,` type($b) `,` type($acc)";
  let hasVerifier = 1;
}

def Tile_ReduceOp : Tile_Op<"reduce", [Pure]> {
  let summary = "combination of a tile along one dimension";
  let description = [{
    The result's layout is a `#tile.slice` of the operand's; it may stay partial. `nnan`: a maximum of elements of which one is NaN
    may be any of them, for users that find NaN elsewhere.
  }];
  let arguments = (ins Tile_ReduceKindAttr:$kind, Tile_Tile:$tile, I64Attr:$dim, UnitAttr:$nnan);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = "$kind $tile `,` $dim attr-dict `:` type($tile) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_ReduceScatterOp : Tile_Op<"reduce_scatter", []> {
  let summary = "this workgroup's part of the sum of its cluster's tiles";
  let description = [{
    The workgroups of a cluster have a tile each. These are added up element by element, in the order of the workgroups, and each keeps
    one of as many equal parts along dimension 0 as there are workgroups: the one of the given number, which is its own. All of them
    run the op equally often, since none goes on without the others.

    ```mlir
    %rows = tile.reduce_scatter %sum[%rank] : tensor<64x64xf32> -> tensor<32x64xf32>
    ```
  }];
  let arguments = (ins Tile_Tile:$tile, Index:$part);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = "$tile `[` $part `]` attr-dict `:` type($tile) `->` type($result)";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Workgroups whose tiles are added up.
    int64_t getParts() { return getTile().getType().getDimSize(0) / getResult().getType().getDimSize(0); }
  }];
}

def Tile_WhereOp : Tile_Op<"where", [RecursiveMemoryEffects, SingleBlock]> {
  let summary = "elements whose condition is false keep the old value";
  let description = [{
    The region is pure and computes new values; lane groups without a true condition may skip it. The condition is broadcast by
    leading dimensions (a row's condition keeps or replaces the row).

    With `voted` a lane group with a true condition takes what the region yields for all its elements, which leaves those as they
    are whose condition is false: so it may where nobody knows which lane has which row, and conditions are not to be told apart.
  }];
  let arguments = (ins Tile_Tile:$condition, Variadic<Tile_Tile>:$old, UnitAttr:$voted);
  let results = (outs Variadic<Tile_Tile>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    (`voted` $voted^)? $condition `else` `(` $old `)` $body attr-dict `:` type($condition) `,` type($old) `->` type($results)
  }];
  let hasVerifier = 1;
}

def Tile_MapOp : Tile_Op<"map", [SingleBlock, RecursiveMemoryEffects]> {
  let summary = "element-wise chain over full and partial tiles";
  let description = [{
    The region computes one element of each result from one element of each operand, all of one shape and in the same places. It is how
    partial vectors (`#tile.slice<..., partial = ...>`) meet full ones: `arith` and `math` want equal types of all their operands,
    and a partial vector has another type than the full one it is scaled by. What each op makes of partial operands is
    checked: add-partials under +, - and scaling by full values; max-partials under max, also with full values; a
    comparison max-partial > full is an or-partial; or-partials under or, and under and with full values.

    ```mlir
    // Row sums stay unreduced through a loop: no shuffle in it.
    %l1 = tile.map(%l, %f, %s : !part, !full, !part) -> !part {
    ^bb0(%a: f32, %b: f32, %c: f32):
      %x = math.fma %a, %b, %c : f32
      tile.yield %x : f32
    }
    ```
  }];
  let arguments = (ins Variadic<Tile_Tile>:$inputs);
  let results = (outs Variadic<Tile_Tile>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "`(` ($inputs^ `:` type($inputs))? `)` `->` type($results) $body attr-dict";
  let hasVerifier = 1;
}

#endif // HELIOS_TILE_COMPUTE_OPS
