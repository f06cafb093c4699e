// Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Rings with their barriers placed.

def Frag_AcquireOp : Frag_Op<"acquire", []> {
  let summary = "waits for a full (read) or empty (write) slot";
  let description = [{
    `cursor` counts the slots of this side; slot and parity derive from it. The slot is released exactly once on every path. Where copies complete in
    groups, `count` is the number of younger groups that may stay pending here, derived by frag-assign-wait-counts; without it there is nothing to wait for.
  }];
  let arguments = (ins Tile_AccessAttr:$access, Frag_RingType:$ring, I32:$cursor, OptionalAttr<I64Attr>:$count);
  let results = (outs Frag_SlotType:$slot, I32:$next);
  let builders = [OpBuilder<(ins "::helios::tile::Access":$access, "::mlir::Value":$ring, "::mlir::Value":$cursor), [{
    build($_builder, $_state, SlotType::get($_builder.getContext()), $_builder.getI32Type(), access, ring, cursor, /*count=*/::mlir::IntegerAttr()); }]>];
  let assemblyFormat = "$access $ring `[` $cursor `]` (`count` $count^)? attr-dict `:` qualified(type($ring))";
}

def Frag_SlotMemOp : Frag_Op<"slot_mem", [Pure]> {
  let summary = "the i-th tile of a slot, or a part of it at an offset";
  let description = [{
    `of`: in the slot of the workgroup with this number in the cluster, which lanes may read alone; without it in that of this one.
  }];
  let arguments = (ins Frag_SlotType:$slot, I64Attr:$index, OptionalAttr<I64Attr>:$workgroup, Variadic<Index>:$offsets);
  let results = (outs Frag_MemType:$result);
  let assemblyFormat = "$slot `[` $index `]` (`of` $workgroup^)? (`at` `[` $offsets^ `]`)? attr-dict `:` qualified(type($result))";
  let hasVerifier = 1;
}

def Frag_SlotGetOp : Frag_Op<"slot_get", []> {
  let summary = "the i-th scalar of a slot acquired to read";
  let arguments = (ins Frag_SlotType:$slot, I64Attr:$index);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$slot `[` $index `]` attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Frag_SlotPutOp : Frag_Op<"slot_put", []> {
  let summary = "writes the i-th scalar of a slot acquired to write";
  let arguments = (ins AnyType:$value, Frag_SlotType:$slot, I64Attr:$index);
  let assemblyFormat = "$value `into` $slot `[` $index `]` attr-dict `:` type($value)";
  let hasVerifier = 1;
}

def Frag_ReleaseOp : Frag_Op<"release", []> {
  let summary = "hands a slot over after these tokens";
  let description = [{
    `after` names the token of every copy into or out of the slot and of every asynchronous product that reads it, or of a younger
    product of the same block. What loads fragments from it is done by program order. `count` is the number of younger products of the tokens'
    engine that may stay pending, derived by frag-assign-wait-counts; without it every named product has retired already.
    Of a ring of scope cluster, a slot that was read is handed back to all workgroups of the cluster, and one that was written is
    full once the bytes of its whole payload have come, whoever copied them; a pass ring's, once all workgroups have released theirs.
  }];
  let arguments = (ins Frag_SlotType:$slot, Variadic<AnyTypeOf<[Frag_TokenType, Tile_TokenType]>>:$after, OptionalAttr<I64Attr>:$count);
  let builders = [OpBuilder<(ins "::mlir::Value":$slot, CArg<"::mlir::ValueRange", "{}">:$after), [{
    build($_builder, $_state, slot, after, /*count=*/::mlir::IntegerAttr()); }]>];
  let assemblyFormat = "$slot (`after` `(` $after^ `:` type($after) `)`)? (`count` $count^)? attr-dict";
}

def Frag_CopyInOp : Frag_Op<"copy_in", [AttrSizedOperandSegments]> {
  let summary = "asynchronous copy from global memory, issued by the copy's own lanes";
  let description = [{
    Leading dimensions of the view that the tile lacks have extent one. Elements outside the view become zero; `in_bounds`
    states that there are none, `inside` along which dimensions. Where `predicate` (`if`) is false nothing is copied, the memory is
    undefined and the token is complete.
    `multicast`: bit i of the mask says that the same memory of workgroup i of the cluster is written, and its slot told.
  }];
  let arguments = (ins Tile_ViewType:$view, Variadic<Index>:$offsets, Frag_MemType:$dest, Tile_CopyAttrInterface:$copy,
                       Optional<I1>:$predicate, Optional<I32>:$multicast, UnitAttr:$in_bounds,
                       OptionalAttr<DenseI64ArrayAttr>:$inside);
  let results = (outs Tile_TokenType:$token);
  let assemblyFormat = [{
    $copy $view `[` $offsets `]` (`if` $predicate^)? `into` $dest (`multicast` $multicast^)? (`in_bounds` $in_bounds^)? attr-dict
    `:` qualified(type($view)) `->` qualified(type($dest))
  }];
  let hasVerifier = 1;
}

def Frag_CopyOutOp : Frag_Op<"copy_out", []> {
  let summary = "asynchronous copy to global memory";
  let description = [{ `reduce` adds (or takes the maximum) into memory, where the copy engine can. A kernel's end waits for it. }];
  let arguments = (ins Frag_MemType:$source, Tile_ViewType:$view, Variadic<Index>:$offsets, Tile_CopyAttrInterface:$copy,
                       OptionalAttr<Tile_ReduceKindAttr>:$reduce);
  let results = (outs Tile_TokenType:$token);
  let assemblyFormat = [{
    $copy $source `to` $view `[` $offsets `]` (`reduce` $reduce^)? attr-dict `:` qualified(type($source)) `->` qualified(type($view))
  }];
  let hasVerifier = 1;
}

def Frag_NextOp : Frag_Op<"next", []> {
  let summary = "draws the next work item of a ticket-driven kernel";
  let description = [{ One atomic addition by one lane; the other lanes learn the number through a ring of scalars. }];
  let arguments = (ins Index:$current);
  let results = (outs Index:$result);
  let assemblyFormat = "$current attr-dict";
}
