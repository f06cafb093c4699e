// Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Rings: explicit pipelines between a writing and a reading side.

#ifndef HELIOS_TILE_RING_OPS
#define HELIOS_TILE_RING_OPS

include "helios/Dialect/Tile/IR/TileOpBase.td"

def Tile_RingOp : Tile_Op<"ring", []> {
  let summary = "a ring and the first cursor of both sides";
  let arguments = (ins);
  let results = (outs Tile_RingType:$ring, Tile_CursorType:$cursor);
  let assemblyFormat = "attr-dict `:` qualified(type($ring))";
}

def Tile_EnterOp : Tile_Op<"enter", []> {
  let summary = "waits for a slot: full on the reading side, empty on the writing side";
  let description = [{
    Results: the slot, the cursor of the next one, and on the reading side the payload. A cursor is used by one enter of its
    side; its successor is carried on every path. Of a pass ring of scope cluster the payload is that of every workgroup, in their
    order, and the slot is full once all of them have written theirs.
  }];
  let arguments = (ins Tile_AccessAttr:$access, Tile_RingType:$ring, Tile_CursorType:$cursor);
  let results = (outs Tile_SlotType:$slot, Tile_CursorType:$next, Variadic<AnyType>:$payload);
  let assemblyFormat = [{
    $access $ring `[` $cursor `]` attr-dict `:` qualified(type($ring)) `->` qualified(type($slot)) (`,` type($payload)^)?
  }];
  let hasVerifier = 1;
}

def Tile_AdvanceOp : Tile_Op<"advance", [Pure]> {
  let summary = "the cursor behind slots that other replicas read";
  let description = [{
    Where the replicas of a role read a ring in turns, each passes over the slots of the others: it neither waits for them nor hands
    them back.

    ```mlir
    %next = tile.advance %cursor by %slots
    ```
  }];
  let arguments = (ins Tile_CursorType:$cursor, Index:$slots);
  let results = (outs Tile_CursorType:$next);
  let assemblyFormat = "$cursor `by` $slots attr-dict";
}

def Tile_ExitOp : Tile_Op<"exit", []> {
  let summary = "hands a slot over to the other side";
  let description = [{
    `after` names every copy into the slot (write) or a result of every op that read its payload (read), directly or through what loops
    carry; a result of a loop names every op in it. The slot is handed over once they are done. Slots of a side are exited in the order in
    which they were entered, each exactly once on every path.
  }];
  let arguments = (ins Tile_SlotType:$slot, Variadic<AnyType>:$after);
  let assemblyFormat = "$slot (`after` `(` $after^ `:` type($after) `)`)? attr-dict `:` qualified(type($slot))";
}

def Tile_CopyInOp : Tile_Op<"copy_in", [AttrSizedOperandSegments, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "asynchronous copy of a tile from global memory into a slot";
  let description = [{
    Elements outside the view become zero; `in_bounds` states that there are none, `inside` along which dimensions. Where
    `predicate` (`if`) is false nothing is copied, the tile is undefined and the token is complete. `shared(%p of n to %mask)`: n workgroups of a cluster copy the same
    tile, and this one only the p-th of n equal parts, but into the slots of all workgroups whose bit in the mask is set: of all n.
    A slot of a ring of scope cluster is full once every part of every tile has come, from whichever workgroup.
  }];
  let arguments = (ins Tile_ViewType:$view, Variadic<Index>:$offsets, Tile_SlotType:$slot, I64Attr:$index, Optional<I1>:$predicate,
                       Optional<Index>:$part, OptionalAttr<I64Attr>:$parts, Optional<I32>:$mask, UnitAttr:$in_bounds,
                       OptionalAttr<DenseI64ArrayAttr>:$inside);
  let results = (outs Tile_TokenType:$token);
  let assemblyFormat = [{
    $view `[` $offsets `]` (`if` $predicate^)? `into` $slot `[` $index `]` (`shared` `(` $part^ `of` $parts `to` $mask `)`)?
    (`in_bounds` $in_bounds^)? attr-dict `:` type($view) `,` qualified(type($slot))
  }];
  let hasVerifier = 1;
}

def Tile_CopyOutOp : Tile_Op<"copy_out", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "asynchronous copy of a tile in shared memory to global memory";
  let arguments = (ins Tile_Tile:$tile, Tile_ViewType:$view, Variadic<Index>:$offsets, OptionalAttr<Tile_ReduceKindAttr>:$reduce);
  let results = (outs Tile_TokenType:$token);
  let assemblyFormat = [{
    $tile `to` $view `[` $offsets `]` (`reduce` $reduce^)? attr-dict `:` type($tile) `,` type($view)
  }];
  let hasVerifier = 1;
}

def Tile_PutOp : Tile_Op<"put", []> {
  let summary = "writes a tile or scalar into a slot";
  let arguments = (ins AnyType:$value, Tile_SlotType:$slot, I64Attr:$index);
  let assemblyFormat = "$value `into` $slot `[` $index `]` attr-dict `:` type($value) `,` qualified(type($slot))";
  let hasVerifier = 1;
}

#endif // HELIOS_TILE_RING_OPS
