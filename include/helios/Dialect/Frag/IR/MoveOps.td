// Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Shared memory, fragment loads and stores, element-wise work.

def Frag_SharedOp : Frag_Op<"shared", [Pure]> {
  let summary = "static shared memory: a tile or a ring at a byte offset";
  let description = [{
    A ring takes its slots one after the other, those of all replicas if it belongs to one. `barriers` is the offset of its full and
    empty barriers, 16 bytes a slot, where its sides meet through barriers: a copy that counts bytes, or another role. A tile of each replica of a
    role lies `replica_stride` bytes behind that of the one before.
  }];
  let arguments = (ins I64Attr:$offset, OptionalAttr<I64Attr>:$barriers, OptionalAttr<I64Attr>:$replica_stride);
  let results = (outs AnyTypeOf<[Frag_MemType, Frag_RingType]>:$result);
  let builders = [OpBuilder<(ins "::mlir::Type":$result, "::mlir::IntegerAttr":$offset), [{
    build($_builder, $_state, result, offset, /*barriers=*/::mlir::IntegerAttr(), /*replica_stride=*/::mlir::IntegerAttr()); }]>];
  let assemblyFormat = "$offset (`barriers` $barriers^)? (`replica_stride` $replica_stride^)? attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Frag_ReadOp : Frag_Op<"read", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "fragment from shared or global memory";
  let description = [{
    Offsets are element coordinates in the source; `trans` reads a two-dimensional source transposed. From a view, elements outside are `pad` unless
    `in_bounds`. `broadcast` reads a vector once for every row or column (stride 0) into a matrix.
  }];
  let arguments = (ins Frag_Source:$source, Variadic<Index>:$offsets, DefaultValuedAttr<F64Attr, "0.0">:$pad, UnitAttr:$in_bounds,
                       UnitAttr:$trans, UnitAttr:$broadcast);
  let results = (outs Frag_FragmentType:$result);
  let assemblyFormat = [{
    $source `[` $offsets `]` (`pad` `(` $pad^ `)`)? (`in_bounds` $in_bounds^)? (`trans` $trans^)? (`broadcast` $broadcast^)?
    attr-dict `:` type($source) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Frag_ElementOp : Frag_Op<"element", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "one integer from global memory, the same for all lanes";
  let description = [{ The place lies inside of the view. }];
  let arguments = (ins Tile_ViewType:$view, Variadic<Index>:$offsets);
  let results = (outs AnySignlessInteger:$result);
  let assemblyFormat = "$view `[` $offsets `]` attr-dict `:` type($view) `->` type($result)";
  let hasVerifier = 1;
}

def Frag_WriteOp : Frag_Op<"write", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "fragment into shared or global memory, clipped at a view's bounds";
  let description = [{
    `reduce` combines with what is there, atomically. A vector of an opaque layout has no lanes that own it or over which it could be
    combined; it is written as the matrix that it is, into memory of one dimension more, and combined by whoever reads that.
  }];
  let arguments = (ins Frag_FragmentType:$fragment, Frag_Source:$dest, Variadic<Index>:$offsets, UnitAttr:$in_bounds,
                       OptionalAttr<Tile_ReduceKindAttr>:$reduce);
  let assemblyFormat = [{
    $fragment `,` $dest `[` $offsets `]` (`in_bounds` $in_bounds^)? (`reduce` $reduce^)? attr-dict
    `:` type($fragment) `,` type($dest)
  }];
  let hasVerifier = 1;
}

def Frag_SplatOp : Frag_Op<"splat", [Pure]> {
  let summary = "a fragment of one value";
  let arguments = (ins AnyType:$value);
  let results = (outs Frag_FragmentType:$result);
  let assemblyFormat = "$value attr-dict `:` type($value) `->` type($result)";
  let hasVerifier = 1;
}

def Frag_IotaOp : Frag_Op<"iota", [Pure]> {
  let summary = "coordinate of each element along one dimension, plus a base";
  let description = [{ A place in a view, of which a dimension has less than 2^31 elements. }];
  let arguments = (ins I64Attr:$dim, Optional<Index>:$base);
  let results = (outs Frag_FragmentType:$result);
  let assemblyFormat = "$dim (`base` $base^)? attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Frag_SliceOp : Frag_Op<"slice", [Pure]> {
  let summary = "part of a fragment at repetitions of its layout";
  let arguments = (ins Frag_FragmentType:$fragment, DenseI64ArrayAttr:$offsets);
  let results = (outs Frag_FragmentType:$result);
  let assemblyFormat = "$fragment $offsets attr-dict `:` type($fragment) `->` type($result)";
  let hasVerifier = 1;
}

def Frag_MapOp : Frag_Op<"map", [SingleBlock, RecursiveMemoryEffects]> {
  let summary = "fused element-wise chain";
  let description = [{
    The region computes one element of each result from one element of each operand. Operands of a `#tile.slice` layout are
    broadcast along the missing dimension; scalars come from outside the region.

    ```mlir
    %y = frag.map(%x, %b : !F, !V) -> !F { ^bb0(%e: f32, %f: f32): ... frag.yield %s : f32 }
    ```
  }];
  let arguments = (ins Variadic<Frag_FragmentType>:$inputs);
  let results = (outs Variadic<Frag_FragmentType>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    `(` ($inputs^ `:` type($inputs))? `)` `->` type($results) $body attr-dict
  }];
  let hasVerifier = 1;
}

def Frag_ReduceOp : Frag_Op<"reduce", [Pure]> {
  let summary = "combination within a lane, over the lanes of a group, or a vote over all";
  let description = [{
    `lane` combines the registers of a lane along `dim` (of an opaque layout: its matrices, element by element) and leaves a partial
    slice, or a full one where no other lane shares its elements; `group` combines a partial slice over the lanes that share it; `all` is a vote of the subgroup. What a vote
    guards diverges between subgroups: no product, await, release or wider barrier may stand there. `nnan`: as of `tile.reduce`.
  }];
  let arguments = (ins Tile_ReduceKindAttr:$kind, Frag_FragmentType:$fragment, Frag_ScopeAttr:$scope, OptionalAttr<I64Attr>:$dim,
                       UnitAttr:$nnan);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$kind $fragment `,` $scope (`dim` $dim^)? attr-dict `:` type($fragment) `->` type($result)";
  let hasVerifier = 1;
}

def Frag_PermuteOp : Frag_Op<"permute", [Pure]> {
  let summary = "register relabelling or lane permutation between two layouts of the same tile";
  let arguments = (ins Frag_FragmentType:$fragment);
  let results = (outs Frag_FragmentType:$result);
  let assemblyFormat = "$fragment attr-dict `:` type($fragment) `->` type($result)";
  let hasVerifier = 1;
}
