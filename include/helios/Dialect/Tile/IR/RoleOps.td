// Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Roles: concurrent parts of one program.

#ifndef HELIOS_TILE_ROLE_OPS
#define HELIOS_TILE_ROLE_OPS

include "helios/Dialect/Tile/IR/TileOpBase.td"

def Tile_RolesOp : Tile_Op<"roles", [SingleBlock, RecursiveMemoryEffects, NoTerminator, IsolatedFromAbove]> {
  let summary = "roles that run concurrently";
  let description = [{
    Holds only `tile.role`s, and nothing follows it. What crosses into the roles is listed and renamed: rings, cursors, views and
    scalars; no tile does. Each side of a ring belongs to one role. The roles are projections of one sequential program, in which each
    enter finds its slot, so no run of them deadlocks.

    ```mlir
    tile.roles captures(%v = %view, %q = %ring, %c = %cursor : !v, !ring, !tile.cursor) { tile.role "load" ... }
    ```
  }];
  let arguments = (ins Variadic<AnyType>:$captures);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasRegionVerifier = 1;
}

def Tile_RoleOp : Tile_Op<"role", [SingleBlock, RecursiveMemoryEffects, HasParent<"RolesOp">,
    SingleBlockImplicitTerminator<"::helios::tile::YieldOp">]> {
  let summary = "one role: so many lanes, or so many replicas of a lane group";
  let description = [{
    Exactly one of `lanes` and `replicas` is given. The region's argument, if there is one, is the number of the replica.
    `regs` is the register budget of a lane.

    ```mlir
    tile.role "math" replicas(2) regs(232) { ^bb0(%r: index): ... }
    ```
  }];
  let arguments = (ins StrAttr:$name, OptionalAttr<I64Attr>:$lanes, OptionalAttr<I64Attr>:$replicas, OptionalAttr<I64Attr>:$regs);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $name (`lanes` `(` $lanes^ `)`)? (`replicas` `(` $replicas^ `)`)? (`regs` `(` $regs^ `)`)? attr-dict-with-keyword $body
  }];
  let hasVerifier = 1;
}

def Tile_TurnOp : Tile_Op<"turn", []> {
  let summary = "a replica waits for its turn, or passes it on to the next one";
  let description = [{
    The turn goes around the replicas of a role in the order of their numbers, beginning with the first: `take` waits until the
    replica before has passed it on. Where a ring has fewer `readers` than the role that reads it has replicas, each of its slots is
    read by some of them alone, and slots are entered in a turn: whoever waits for a slot knows the phase of its barrier only from
    the one before, which must be over, so every slot of earlier turns has to be full. Reading a slot and exiting it may come
    after the turn.

    ```mlir
    tile.turn take
    ... tile.enter read ...
    tile.turn pass
    ```
  }];
  let arguments = (ins Tile_TurnAttr:$turn);
  let assemblyFormat = "$turn attr-dict";
  let hasVerifier = 1;
}

#endif // HELIOS_TILE_ROLE_OPS
