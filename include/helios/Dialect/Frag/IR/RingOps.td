// Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Rings with their barriers placed.

def Frag_AcquireOp : Frag_Op<"acquire", []> {
  let summary = "waits for a full (read) or empty (write) slot";
  let arguments = (ins Tile_AccessAttr:$access, Frag_RingType:$ring, I32:$cursor);
  let results = (outs Frag_SlotType:$slot, I32:$next);
  let assemblyFormat = "$access $ring `[` $cursor `]` attr-dict `:` qualified(type($ring))";
}

def Frag_SlotMemOp : Frag_Op<"slot_mem", [Pure]> {
  let summary = "the i-th tile of a slot, or a static part of it";
  let arguments = (ins Frag_SlotType:$slot, I64Attr:$index, Variadic<Index>:$offsets);
  let results = (outs Frag_MemType:$result);
  let assemblyFormat = "$slot `[` $index `]` (`at` `[` $offsets^ `]`)? attr-dict `:` type($result)";
}

def Frag_ReleaseOp : Frag_Op<"release", []> {
  let summary = "hands a slot over after these tokens";
  let arguments = (ins Frag_SlotType:$slot, Variadic<AnyTypeOf<[Frag_TokenType, Tile_TokenType]>>:$after);
  let assemblyFormat = "$slot (`after` `(` $after^ `:` type($after) `)`)? attr-dict";
}

def Frag_CopyInOp : Frag_Op<"copy_in", []> {
  let summary = "asynchronous copy from global memory, issued by the copy's own lanes";
  let arguments = (ins Tile_ViewType:$view, Variadic<Index>:$offsets, Frag_MemType:$dest, Tile_CopyAttrInterface:$copy);
  let results = (outs Tile_TokenType:$token);
  let assemblyFormat = "$copy $view `[` $offsets `]` `into` $dest attr-dict `:` type($view) `->` type($dest)";
}

def Frag_CopyOutOp : Frag_Op<"copy_out", []> {
  let summary = "asynchronous copy to global memory";
  let arguments = (ins Frag_MemType:$source, Tile_ViewType:$view, Variadic<Index>:$offsets, Tile_CopyAttrInterface:$copy,
                       OptionalAttr<Tile_ReduceKindAttr>:$reduce);
  let results = (outs Tile_TokenType:$token);
  let assemblyFormat = [{
    $copy $source `to` $view `[` $offsets `]` (`reduce` $reduce^)? attr-dict `:` type($source) `->` type($view)
  }];
}
