// Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Passes of level 2.

#ifndef HELIOS_TRANSFORMS_TILEPASSES_TD
#define HELIOS_TRANSFORMS_TILEPASSES_TD

include "mlir/Pass/PassBase.td"

def TileCutEpilogue : Pass<"tile-cut-epilogue", "::helios::tile::ProgramOp"> {
  let summary = "Cut a store of a whole accumulator into slabs";
  let description = [{
    A store whose tile is computed element by element from a product becomes stores of slabs: one instruction's rows for each
    row of groups (or `epilogue_rows` of the configuration). The slices move back through the element-wise ops to the product
    and to the loads beside it, so that little is live at a time and the scratch memory of a layout change is one slab's. With the
    strategy *roles* it is the stores of replicas that are cut, by columns too where the instruction's fragment repeats along
    them: into what the strategy's copy engine takes as one row of shared memory. Stores with nothing but arithmetic between them, in slabs of the same
    extents, are cut together, slab by slab. So are reductions of tiles of that shape behind them whose vector is stored: each slab is reduced, and vectors of
    slabs along the dimension that is gone are combined.

    ```mlir
    !v = !tile.view<?x?xf16, strides = [?, 1]>
    tile.program @k(%p: !tile.ptr<f16>, %n: index, %i: index)
        attributes {config = #tile.config<groups = [2, 1]>, target = #spv.target<"lavapipe">} {
      %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f16> -> !v
      %zero = arith.constant dense<0.0> : tensor<32x16xf32>
      %a = tile.load %v[%i, %i] : !v -> tensor<32x16xf16>
      %b = tile.load %v[%i, %i] : !v -> tensor<16x16xf16>
      %x = tile.dot %a, %b, %zero : tensor<32x16xf16>, tensor<16x16xf16>, tensor<32x16xf32>
      %d = arith.truncf %x : tensor<32x16xf32> to tensor<32x16xf16>
      tile.store %d, %v[%i, %i] : tensor<32x16xf16>, !v
      tile.return
    }
    // becomes
    ...
      %x = tile.dot %a, %b, %zero : tensor<32x16xf16>, tensor<16x16xf16>, tensor<32x16xf32>
      %s0 = tile.slice %x [0, 0] : tensor<32x16xf32> -> tensor<16x16xf32>
      %d0 = arith.truncf %s0 : tensor<16x16xf32> to tensor<16x16xf16>
      %c0 = arith.constant 0 : index
      %i0 = arith.addi %i, %c0 : index
      tile.store %d0, %v[%i0, %i] : tensor<16x16xf16>, !v
      %s1 = tile.slice %x [16, 0] : tensor<32x16xf32> -> tensor<16x16xf32>
      %d1 = arith.truncf %s1 : tensor<16x16xf32> to tensor<16x16xf16>
      %c16 = arith.constant 16 : index
      %i1 = arith.addi %i, %c16 : index
      tile.store %d1, %v[%i1, %i] : tensor<16x16xf16>, !v
      tile.return
    ```
  }];
  let dependentDialects = ["::helios::tile::TileDialect"];
}

def TileAssignLayouts : Pass<"tile-assign-layouts", "::helios::tile::ProgramOp"> {
  let summary = "Give every tile a layout";
  let description = [{
    Products and copies anchor: a product takes its instruction from the target and asks for its operand layouts; loads and
    stores take a layout of wide accesses. Element-wise ops, loop arguments, reductions and broadcasts take their neighbour's.
    Only `tile.convert_layout` changes a layout, and one that goes through memory is split in two: registers to shared memory,
    shared memory to registers, so that both can be scheduled. A store whose lanes hold less than a sector (32 bytes) of a row side by
    side gets its tile in rows, where the strategy copies past the registers but stores nothing itself and facts allow wide accesses.
    A reduction leaves a vector partial where several lanes hold parts of a row; it is made whole where something needs it so. Ops that are
    closed for what is partial (a sum scaled and added to, a maximum of maxima) take it as it is, as `tile.map` where operands differ, and
    a loop carries it so if nothing in the loop needs the whole: lanes meet once, behind the loop.
    A program whose tiles carry layouts already is left as it is.

    ```mlir
    #coop = #spv.coop<[8, 8, 8], f16, f16, f32, lanes = 8>
    #regs = #tile.regs<vec = [1, 8], lanes = [4, 2], groups = [1, 1]>
    #shared = #tile.shared<order = [1, 0], pad = 8>
    #a = #tile.opaque<a, #coop, groups = [1, 1]>
    #b = #tile.opaque<b, #coop, groups = [1, 1]>
    #acc = #tile.opaque<acc, #coop, groups = [1, 1]>
    !v = !tile.view<?x?xf16, strides = [?, 1], div = [8, 1], align = 16>
    tile.program @k(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}, %i: index)
        attributes {config = #tile.config<groups = [1, 1]>, target = #spv.target<"lavapipe">} {
      %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f16> -> !v
      %zero = arith.constant dense<0.0> : tensor<16x16xf32>
      %t = tile.load %v[%i, %i] : !v -> tensor<16x16xf16>
      %x = tile.dot %t, %t, %zero : tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf32>
      %d = arith.truncf %x : tensor<16x16xf32> to tensor<16x16xf16>
      tile.store %d, %v[%i, %i] : tensor<16x16xf16>, !v
      tile.return
    }
    // becomes
    ...
      %t = tile.load %v[%i, %i] : !v -> tensor<16x16xf16, #regs>
      %s = tile.convert_layout %t : tensor<16x16xf16, #regs> -> tensor<16x16xf16, #shared>
      %a = tile.convert_layout %s : tensor<16x16xf16, #shared> -> tensor<16x16xf16, #a>
      %b = tile.convert_layout %s : tensor<16x16xf16, #shared> -> tensor<16x16xf16, #b>
      %zero = arith.constant dense<0.000000e+00> : tensor<16x16xf32, #acc>
      %x = tile.dot %a, %b, %zero mma ... : tensor<16x16xf16, #a>, tensor<16x16xf16, #b>, tensor<16x16xf32, #acc>
      %d = arith.truncf %x : tensor<16x16xf32, #acc> to tensor<16x16xf16, #acc>
      %sd = tile.convert_layout %d : tensor<16x16xf16, #acc> -> tensor<16x16xf16, #shared>
      %rd = tile.convert_layout %sd : tensor<16x16xf16, #shared> -> tensor<16x16xf16, #regs>
      tile.store %rd, %v[%i, %i] : tensor<16x16xf16, #regs>, !v
      tile.return
    ```

    What the target cannot multiply is refused:

    ```mlir
    tile.program @k() attributes {target = #spv.target<"lavapipe">} {
      %a = arith.constant dense<1.0> : tensor<16x16xf64>
      %x = tile.dot %a, %a, %a : tensor<16x16xf64>, tensor<16x16xf64>, tensor<16x16xf64>
      tile.return
    }
    // is refused
    // expected a matrix instruction of target 'lavapipe' for 'f64' x 'f64' -> 'f64'
    ```
  }];
  let dependentDialects = ["::helios::tile::TileDialect"];
}

def TileProveBounds : Pass<"tile-prove-bounds", "::helios::tile::ProgramOp"> {
  let summary = "Mark accesses that cannot leave their view";
  let description = [{
    For each load and store, offset + extent <= size is proved in every dimension from the facts on arguments
    (`tile.range`, `tile.div`), loop bounds and the bounds of work items; then it is marked `in_bounds`. What is not proved keeps
    its test of bounds; a load into shared memory is told the dimensions of its tile that are proved (`inside`). A loop over a
    part of the steps is bounded by what is left of them: `first + s` stays below `n` where `s` stays below `n - first`, or below
    the signed minimum of that and something else. A view may end at the signed minimum of sizes, each of which covers all
    blocks: of floor((x + a) / f) blocks, f dividing x, a size of x + b does where floor(a / f) f <= b.

    ```mlir
    !v = !tile.view<?xf32, strides = [1]>
    tile.program @k(%p: !tile.ptr<f32>, %n: index {tile.div = 64 : index}, %m: index) {
      %c64 = arith.constant 64 : index
      %v = tile.view %p[%n] : !tile.ptr<f32> -> !v
      %w = tile.view %p[%m] : !tile.ptr<f32> -> !v
      %count = arith.ceildivui %n, %c64 : index
      tile.items (%i) in (%count) #tile.items<grid> {
        %at = arith.muli %i, %c64 : index
        %x = tile.load %v[%at] : !v -> tensor<64xf32>
        tile.store %x, %w[%at] : tensor<64xf32>, !v
      }
      tile.return
    }
    // becomes
    ...
        %x = tile.load %v[%at] in_bounds : !v -> tensor<64xf32>
        tile.store %x, %w[%at] : tensor<64xf32>, !v               // nothing is known of %m
    ...
    ```
  }];
  let dependentDialects = ["::helios::tile::TileDialect"];
}

def TileRings : Pass<"tile-rings", "::helios::tile::ProgramOp"> {
  let summary = "Turn copies into shared memory into rings";
  let description = [{
    With a strategy that copies past registers, the loads into shared memory that one product, or products that add to one
    another's sum in a block, read become one ring: its slots are entered, copied into and exited where the tiles were loaded,
    entered to read right after, and exited after the last reader. The depth is that of the configuration in an innermost loop and one elsewhere. Cursors are carried by every loop around. Run it
    where work items have been lowered, so that the cursors go on from item to item.

    Where the configuration names a cluster, tiles whose offsets are the same for several of its workgroups are copied once: the ring
    gets `scope = cluster` and `multicast`, and each of those workgroups copies a part of the tile into the slots of all
    (`shared` of `tile.copy_in`). Offsets differ along a dimension of the cluster if they follow from `tile.rank` of it, along all if
    they follow from `tile.id workgroup` or from memory. The workgroups have to walk the same loops.

    ```mlir
    #mma = #ptx.mma_sync<[16, 8, 16], f16, f16, f32>
    #a = #tile.operand<a, #mma, groups = [1, 1]>
    #b = #tile.operand<b, #mma, groups = [1, 1]>
    #acc = #tile.acc<#mma, groups = [1, 1]>
    #s32 = #tile.shared<order = [1, 0], swizzle = 32>
    !v = !tile.view<?x?xf16, strides = [?, 1], div = [8, 1], align = 16>
    tile.program @k(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}, %i: index)
        attributes {config = #tile.config<groups = [1, 1], strategy = groups, depth = 3>, target = #ptx.target<"sm_89">} {
      %c0 = arith.constant 0 : index
      %c16 = arith.constant 16 : index
      %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f16> -> !v
      %zero = arith.constant dense<0.0> : tensor<16x16xf32, #acc>
      %x = scf.for %k = %c0 to %n step %c16 iter_args(%sum = %zero) -> (tensor<16x16xf32, #acc>) {
        %t = tile.load %v[%i, %k] : !v -> tensor<16x16xf16, #s32>
        %u = tile.load %v[%k, %i] : !v -> tensor<16x16xf16, #s32>
        %fa = tile.convert_layout %t : tensor<16x16xf16, #s32> -> tensor<16x16xf16, #a>
        %fb = tile.convert_layout %u : tensor<16x16xf16, #s32> -> tensor<16x16xf16, #b>
        %y = tile.dot %fa, %fb, %sum mma(#mma) : tensor<16x16xf16, #a>, tensor<16x16xf16, #b>, tensor<16x16xf32, #acc>
        scf.yield %y : tensor<16x16xf32, #acc>
      }
      tile.return
    }
    // becomes
    ...
      %ring, %cursor = tile.ring : !tile.ring<3x(tensor<16x16xf16, #s32>, tensor<16x16xf16, #s32>), load, copy = #ptx.async16>
      %x:3 = scf.for %k = %c0 to %n step %c16 iter_args(%sum = %zero, %cw = %cursor, %cr = %cursor) -> ... {
        %w, %cw1 = tile.enter write %ring[%cw] : ...
        %t0 = tile.copy_in %v[%i, %k] into %w[0] : !v, !tile.slot<write>
        %t1 = tile.copy_in %v[%k, %i] into %w[1] : !v, !tile.slot<write>
        tile.exit %w after(%t0, %t1 : !tile.token, !tile.token) : !tile.slot<write>
        %s, %cr1, %t:2 = tile.enter read %ring[%cr] : ...
        %fa = tile.convert_layout %t#0 : tensor<16x16xf16, #s32> -> tensor<16x16xf16, #a>
        %fb = tile.convert_layout %t#1 : tensor<16x16xf16, #s32> -> tensor<16x16xf16, #b>
        %y = tile.dot %fa, %fb, %sum mma ... : tensor<16x16xf16, #a>, tensor<16x16xf16, #b>, tensor<16x16xf32, #acc>
        tile.exit %s after(%fa, %fb : tensor<16x16xf16, #a>, tensor<16x16xf16, #b>) : !tile.slot<read>
        scf.yield %y, %cw1, %cr1 : tensor<16x16xf32, #acc>, !tile.cursor, !tile.cursor
      }
    ...
    ```
  }];
  let dependentDialects = ["::helios::tile::TileDialect", "::mlir::scf::SCFDialect"];
}

def TileRoles : Pass<"tile-roles", "::helios::tile::ProgramOp"> {
  let summary = "Split a program over rings into concurrent roles";
  let description = [{
    Where the strategy is *roles*, the sequential program is projected: "load" takes the writing side of the rings that an engine
    fills, "math" everything else, each with the loops around its ops and the arithmetic that they need. The groups of the
    configuration become replicas of "math", each with a run of neighbouring rows of every tile; they share nothing but the
    rings. Registers: every lane begins with an even share of the target's file, of which "load" keeps a quarter.

    With `turns` of the configuration the replicas take whole work items in turns: each walks every n-th trip of the loop over
    work items, whose step is the number of workgroups or of clusters, and advances its cursors past the slots of the items
    between. Slots are entered in the replica's turn, which ends with the last enter of an item.

    ```mlir
    #mma = #ptx.wgmma<n = 64, bf16, bf16, f32>
    #acc2 = #tile.acc<#mma, groups = [2, 1]>
    #acc1 = #tile.acc<#mma, groups = [1, 1]>
    #s = #tile.shared<order = [1, 0], swizzle = 128>
    !v = !tile.view<?x?xbf16, strides = [?, 1], div = [8, 1], align = 16>
    !w = !tile.view<?x?xf32, strides = [?, 1]>
    !ring = !tile.ring<2x(tensor<128x64xbf16, #s>, tensor<64x64xbf16, #s>), load, copy = #ptx.bulk>
    tile.program @k(%p: !tile.ptr<bf16>, %q: !tile.ptr<f32>, %n: index {tile.div = 8 : index})
        attributes {config = #tile.config<groups = [2, 1], strategy = roles, depth = 2>, target = #ptx.target<"sm_90a">} {
      %c0 = arith.constant 0 : index
      %c64 = arith.constant 64 : index
      %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<bf16> -> !v
      %w = tile.view %q[%n, %n] strides [%n] : !tile.ptr<f32> -> !w
      %zero = arith.constant dense<0.0> : tensor<128x64xf32, #acc2>
      %ring, %first = tile.ring : !ring
      %x:3 = scf.for %k = %c0 to %n step %c64 iter_args(%sum = %zero, %cw = %first, %cr = %first)
          -> (tensor<128x64xf32, #acc2>, !tile.cursor, !tile.cursor) {
        %o, %cw1 = tile.enter write %ring[%cw] : !ring -> !tile.slot<write>
        %ta = tile.copy_in %v[%c0, %k] into %o[0] : !v, !tile.slot<write>
        %tb = tile.copy_in %v[%k, %c0] into %o[1] : !v, !tile.slot<write>
        tile.exit %o after(%ta, %tb : !tile.token, !tile.token) : !tile.slot<write>
        %i, %cr1, %a, %b = tile.enter read %ring[%cr]
            : !ring -> !tile.slot<read>, tensor<128x64xbf16, #s>, tensor<64x64xbf16, #s>
        %y = tile.dot %a, %b, %sum mma #mma : tensor<128x64xbf16, #s>, tensor<64x64xbf16, #s>, tensor<128x64xf32, #acc2>
        tile.exit %i after(%y : tensor<128x64xf32, #acc2>) : !tile.slot<read>
        scf.yield %y, %cw1, %cr1 : tensor<128x64xf32, #acc2>, !tile.cursor, !tile.cursor
      }
      tile.store %x#0, %w[%c0, %c0] : tensor<128x64xf32, #acc2>, !w
      tile.return
    }
    // becomes
    ...
      %ring, %first = tile.ring : !tile.ring<2x(tensor<128x64xbf16, #s>, tensor<64x64xbf16, #s>), load, copy = #ptx.bulk, readers = 2>
      tile.roles captures(...) {
        tile.role "load" lanes(1) regs(40) {
    ...
          %e = scf.for %k = %c0 to %n step %c64 iter_args(%cw = %first) -> (!tile.cursor) {
            %o, %cw1 = tile.enter write %ring[%cw] : ...
            %ta = tile.copy_in %v[%c0, %k] into %o[0] : !v, !tile.slot<write>
            %tb = tile.copy_in %v[%k, %c0] into %o[1] : !v, !tile.slot<write>
            tile.exit %o after(%ta, %tb : !tile.token, !tile.token) : !tile.slot<write>
            scf.yield %cw1 : !tile.cursor
          }
        }
        tile.role "math" replicas(2) regs(232) {
        ^bb0(%r: index):
    ...
          %row = arith.muli %r, %extent : index
    ...
            %i, %cr1, %ab:2 = tile.enter read %ring[%cr] : ...
            %part = tile.slice %ab#0 [%row, 0] : tensor<128x64xbf16, #s> -> tensor<64x64xbf16, #s>
            %y = tile.dot %part, %ab#1, %sum mma ... : tensor<64x64xbf16, #s>, tensor<64x64xbf16, #s>, tensor<64x64xf32, #acc1>
            tile.exit %i after(%y : tensor<64x64xf32, #acc1>) : !tile.slot<read>
    ...
          %at = arith.addi %c0, %row : index
          tile.store %x#0, %w[%at, %c0] : tensor<64x64xf32, #acc1>, !w
        }
      }
      tile.return
    ```

    A product without such a ring cannot be split; a program that multiplies nothing stays as it is.

    ```mlir
    #mma = #ptx.wgmma<n = 64, f16, f16, f32>
    #acc = #tile.acc<#mma, groups = [1, 1]>
    #s = #tile.shared<order = [1, 0], swizzle = 128>
    #st = #tile.shared<order = [0, 1], swizzle = 128>
    tile.program @k() attributes {config = #tile.config<groups = [1, 1], strategy = roles>} {
      %a = arith.constant dense<0.0> : tensor<64x64xf16, #s>
      %b = arith.constant dense<0.0> : tensor<64x64xf16, #st>
      %c = arith.constant dense<0.0> : tensor<64x64xf32, #acc>
      %d = tile.dot %a, %b, %c mma(#mma) : tensor<64x64xf16, #s>, tensor<64x64xf16, #st>, tensor<64x64xf32, #acc>
      tile.return
    }
    // is refused
    // expected a ring that an engine fills, got none to split at
    ```
  }];
  let dependentDialects = ["::helios::tile::TileDialect", "::mlir::scf::SCFDialect", "::mlir::arith::ArithDialect"];
}

def TileRingSums : Pass<"tile-ring-sums", "::helios::tile::ProgramOp"> {
  let summary = "Add up the tiles of a cluster through rings whose slots all of its workgroups read";
  let description = [{
    A `tile.reduce_scatter` in a role becomes: enter a slot of a pass ring of the cluster, put the tile, exit; enter it to read, which
    waits for all workgroups, read this workgroup's part of each one's tile, exit, and add the parts up in the order of the workgroups.
    A workgroup writes its next tile once all of them have read this one. Cursors are carried through loops.

    ```mlir
    #acc = #tile.acc<#ptx.wgmma<n = 64, bf16, bf16, f32>, groups = [1, 1]>
    #rows = #tile.regs<vec = [1, 4], lanes = [8, 16], groups = [1, 1]>
    #s = #tile.shared<order = [1, 0], swizzle = 128>
    !ring = !tile.ring<1x(tensor<64x64xf32, #s>), pass, scope = cluster, cluster = 2>
    tile.program @k(%n: index)
        attributes {config = #tile.config<groups = [1, 1], strategy = roles, cluster = [1, 1, 2]>, target = #ptx.target<"sm_90a">} {
      tile.roles captures(%n = %n : index) {
        tile.role "math" replicas(1) regs(232) {
        ^bb0(%r: index):
          %one = arith.constant 1 : index
          %x = arith.constant dense<1.0> : tensor<64x64xf32, #acc>
          %p = tile.rank 2 of [1, 1, 2]
          scf.for %i = %r to %n step %one {
            %y = tile.reduce_scatter %x[%p] : tensor<64x64xf32, #acc> -> tensor<32x64xf32, #rows>
          }
        }
      }
      tile.return
    }
    // becomes
    ...
          %ring, %first = tile.ring : !ring
    ...
          %end:2 = scf.for %i = %r to %n step %one iter_args(%cw = %first, %cr = %first) -> (!tile.cursor, !tile.cursor) {
            %w, %cw1 = tile.enter write %ring[%cw] : !ring -> !tile.slot<write>
            tile.put %x into %w[0] : tensor<64x64xf32, #acc>, !tile.slot<write>
            tile.exit %w : !tile.slot<write>
            %s, %cr1, %t:2 = tile.enter read %ring[%cr] : !ring -> !tile.slot<read>, tensor<64x64xf32, #s>, tensor<64x64xf32, #s>
            %c32 = arith.constant 32 : index
            %at = arith.muli %p, %c32 : index
            %a0 = tile.slice %t#0 [%at, 0] : tensor<64x64xf32, #s> -> tensor<32x64xf32, #s>
            %y0 = tile.convert_layout %a0 : tensor<32x64xf32, #s> -> tensor<32x64xf32, #rows>
            %a1 = tile.slice %t#1 [%at, 0] : tensor<64x64xf32, #s> -> tensor<32x64xf32, #s>
            %y1 = tile.convert_layout %a1 : tensor<32x64xf32, #s> -> tensor<32x64xf32, #rows>
            tile.exit %s after(%y0, %y1 : tensor<32x64xf32, #rows>, tensor<32x64xf32, #rows>) : !tile.slot<read>
            %y = arith.addf %y0, %y1 : tensor<32x64xf32, #rows>
            scf.yield %cw1, %cr1 : !tile.cursor, !tile.cursor
          }
    ...
    ```
  }];
}

def TileRingStores : Pass<"tile-ring-stores", "::helios::tile::ProgramOp"> {
  let summary = "Store the tiles of replicas through rings that a copy engine empties, or lanes along rows";
  let description = [{
    Where the strategy's copy engine can store, and a view's alignment and strides allow it, a store of registers in a role with
    replicas becomes: enter a slot of the replica's own ring, put, exit; enter it to read, copy it out, exit after the copy. Nobody
    waits there but for the copy two stores ago, and the engine clips at the view's bounds. Cursors are carried through loops. The ring
    has two slots, or one where shared memory is short; without room for one stores stay.

    What the engine cannot write, of which rows lie side by side all the same, the lanes of the replica take from a slot in the order of
    rows, and write it element by element, or in wide units where facts allow them. Stores of which the lanes together write a sector
    of 32 bytes from registers stay, and so do those of views without contiguous rows.

    ```mlir
    #acc = #tile.acc<#ptx.wgmma<n = 64, bf16, bf16, f32>, groups = [1, 1]>
    #s = #tile.shared<order = [1, 0], swizzle = 128>
    !v = !tile.view<?x?xbf16, strides = [?, 1], div = [8, 1], align = 16>
    !ring = !tile.ring<2x(tensor<64x64xbf16, #s>), store, copy = #ptx.bulk, scope = replica>
    tile.program @k(%p: !tile.ptr<bf16>, %n: index {tile.div = 8 : index})
        attributes {config = #tile.config<groups = [2, 1], strategy = roles>, target = #ptx.target<"sm_90a">} {
      %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<bf16> -> !v
      tile.roles captures(%v = %v, %n = %n : !v, index) {
        tile.role "math" replicas(2) regs(232) {
        ^bb0(%r: index):
          %one = arith.constant 1 : index
          %x = arith.constant dense<1.0> : tensor<64x64xbf16, #acc>
          scf.for %i = %r to %n step %one {
            tile.store %x, %v[%i, %r] : tensor<64x64xbf16, #acc>, !v
          }
        }
      }
      tile.return
    }
    // becomes
    ...
          %ring, %first = tile.ring : !ring
    ...
          %end:2 = scf.for %i = %r to %n step %one iter_args(%cw = %first, %cr = %first) -> (!tile.cursor, !tile.cursor) {
            %w, %cw1 = tile.enter write %ring[%cw] : !ring -> !tile.slot<write>
            tile.put %x into %w[0] : tensor<64x64xbf16, #acc>, !tile.slot<write>
            tile.exit %w : !tile.slot<write>
            %s, %cr1, %t = tile.enter read %ring[%cr] : !ring -> !tile.slot<read>, tensor<64x64xbf16, #s>
            %done = tile.copy_out %t to %v[%i, %r] : tensor<64x64xbf16, #s>, !v
            tile.exit %s after(%done : !tile.token) : !tile.slot<read>
            scf.yield %cw1, %cr1 : !tile.cursor, !tile.cursor
          }
    ...
    ```
  }];
  let dependentDialects = ["::helios::tile::TileDialect", "::mlir::scf::SCFDialect"];
}

def TileDoubleSlots : Pass<"tile-double-slots", "::helios::tile::ProgramOp"> {
  let summary = "Give a second slot to tiles that lanes keep in shared memory while a loop runs";
  let description = [{
    What is copied once an item has a ring of one slot. Lanes that hand it back behind the loop over what the item multiplies it with
    would wait for the next item's copy from then on; into a second slot it comes before. Where shared memory beside all rings has no
    room for one, where the slot is free before the loop, and where the lanes read elements that say what an item visits, for which
    they need the registers, the ring stays as it is.

    ```mlir
    #mma = #ptx.wgmma<n = 64, bf16, bf16, f32>
    #acc = #tile.acc<#mma, groups = [1, 1]>
    #s = #tile.shared<order = [1, 0], swizzle = 128>
    !v = !tile.view<?x?xbf16, strides = [?, 1], div = [8, 1], align = 16>
    !w = !tile.view<?x?xf32, strides = [?, 1]>
    !kept = !tile.ring<1x(tensor<64x64xbf16, #s>), load, copy = #ptx.bulk>
    !ring = !tile.ring<2x(tensor<64x64xbf16, #s>), load, copy = #ptx.bulk>
    tile.program @k(%p: !tile.ptr<bf16>, %z: !tile.ptr<f32>, %n: index {tile.div = 8 : index})
        attributes {config = #tile.config<groups = [1, 1], strategy = roles, depth = 2>, target = #ptx.target<"sm_90a">} {
      %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<bf16> -> !v
      %w = tile.view %z[%n, %n] strides [%n] : !tile.ptr<f32> -> !w
      %q, %qf = tile.ring : !kept
      %r, %rf = tile.ring : !ring
      tile.roles captures(%v = %v, %w = %w, %n = %n, %q = %q, %qf = %qf, %r = %r, %rf = %rf : !v, !w, index, !kept, !tile.cursor, !ring, !tile.cursor) {
        tile.role "load" lanes(1) regs(40) {
          %c0 = arith.constant 0 : index
          %c64 = arith.constant 64 : index
          %e:2 = scf.for %i = %c0 to %n step %c64 iter_args(%cq = %qf, %cr = %rf) -> (!tile.cursor, !tile.cursor) {
            %o, %cq1 = tile.enter write %q[%cq] : !kept -> !tile.slot<write>
            %t = tile.copy_in %v[%i, %c0] into %o[0] : !v, !tile.slot<write>
            tile.exit %o after(%t : !tile.token) : !tile.slot<write>
            %f = scf.for %j = %c0 to %n step %c64 iter_args(%c = %cr) -> (!tile.cursor) {
              %x, %c1 = tile.enter write %r[%c] : !ring -> !tile.slot<write>
              %y = tile.copy_in %v[%j, %c0] into %x[0] : !v, !tile.slot<write>
              tile.exit %x after(%y : !tile.token) : !tile.slot<write>
              scf.yield %c1 : !tile.cursor
            }
            scf.yield %cq1, %f : !tile.cursor, !tile.cursor
          }
        }
        tile.role "math" replicas(1) regs(232) {
        ^bb0(%g: index):
          %c0 = arith.constant 0 : index
          %c64 = arith.constant 64 : index
          %zero = arith.constant dense<0.0> : tensor<64x64xf32, #acc>
          %e:2 = scf.for %i = %c0 to %n step %c64 iter_args(%cq = %qf, %cr = %rf) -> (!tile.cursor, !tile.cursor) {
            %o, %cq1, %a = tile.enter read %q[%cq] : !kept -> !tile.slot<read>, tensor<64x64xbf16, #s>
            %f:2 = scf.for %j = %c0 to %n step %c64 iter_args(%sum = %zero, %c = %cr) -> (tensor<64x64xf32, #acc>, !tile.cursor) {
              %x, %c1, %b = tile.enter read %r[%c] : !ring -> !tile.slot<read>, tensor<64x64xbf16, #s>
              %y = tile.dot %a, %b, %sum mma #mma : tensor<64x64xbf16, #s>, tensor<64x64xbf16, #s>, tensor<64x64xf32, #acc>
              tile.exit %x after(%y : tensor<64x64xf32, #acc>) : !tile.slot<read>
              scf.yield %y, %c1 : tensor<64x64xf32, #acc>, !tile.cursor
            }
            tile.exit %o after(%f#0 : tensor<64x64xf32, #acc>) : !tile.slot<read>
            tile.store %f#0, %w[%i, %c0] : tensor<64x64xf32, #acc>, !w
            scf.yield %cq1, %f#1 : !tile.cursor, !tile.cursor
          }
        }
      }
      tile.return
    }
    // becomes
    ...
      %q, %qf = tile.ring : !ring
    ...
        tile.role "load" lanes(1) regs(40) {
    ...
            %o, %cq1 = tile.enter write %q[%cq] : !ring -> !tile.slot<write>
    ...
        tile.role "math" replicas(1) regs(232) {
    ...
            %p, %cp1, %a = tile.enter read %q[%cp] : !ring -> !tile.slot<read>, tensor<64x64xbf16, #s>
    ...
    ```
  }];
}

def TileSchedule : Pass<"tile-schedule", "::helios::tile::ProgramOp"> {
  let summary = "Give the ops of product loops a stage and an order";
  let description = [{
    The strategy of the program's configuration says how a loop looks ahead. *staged*: loads of the next tile are in flight
    in registers while the products of this one run: load 0/1, registers to shared memory 1/0, everything else 1/2.
    Innermost loops that load, write shared memory and multiply are scheduled; others stay plain.

    *groups*: the writing sides of rings come first by as many trips as they have slots, less one. *roles*, in the role that
    multiplies: slots go back a trip late, when the next product runs already. Where asynchronous products feed each other, the one
    that needs another is a stage later: the first product of the next trip starts beside it, and the lanes work on its result while the
    later one runs. Order: products, each behind the slots it enters; what needs the first ones; exits of the slots of
    the later ones and what needs their results; what replaces their operands in registers. Both want a loop that is proved to make a trip.

    ```mlir
    #coop = #spv.coop<[8, 8, 8], f16, f16, f32, lanes = 8>
    #regs = #tile.regs<vec = [1, 8], lanes = [4, 2], groups = [1, 1]>
    #shared = #tile.shared<order = [1, 0], pad = 8>
    #a = #tile.opaque<a, #coop, groups = [1, 1]>
    #b = #tile.opaque<b, #coop, groups = [1, 1]>
    #acc = #tile.opaque<acc, #coop, groups = [1, 1]>
    !v = !tile.view<?x?xf16, strides = [?, 1]>
    tile.program @k(%p: !tile.ptr<f16>, %n: index) attributes {target = #spv.target<"lavapipe">} {
      %c0 = arith.constant 0 : index
      %c16 = arith.constant 16 : index
      %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f16> -> !v
      %zero = arith.constant dense<0.0> : tensor<16x16xf32, #acc>
      %x = scf.for %k = %c0 to %n step %c16 iter_args(%sum = %zero) -> (tensor<16x16xf32, #acc>) {
        %t = tile.load %v[%c0, %k] : !v -> tensor<16x16xf16, #regs>
        %s = tile.convert_layout %t : tensor<16x16xf16, #regs> -> tensor<16x16xf16, #shared>
        %a = tile.convert_layout %s : tensor<16x16xf16, #shared> -> tensor<16x16xf16, #a>
        %b = tile.convert_layout %s : tensor<16x16xf16, #shared> -> tensor<16x16xf16, #b>
        %y = tile.dot %a, %b, %sum mma #coop : tensor<16x16xf16, #a>, tensor<16x16xf16, #b>, tensor<16x16xf32, #acc>
        scf.yield %y : tensor<16x16xf32, #acc>
      }
      tile.return
    }
    // becomes
    ...
        %t = tile.load %v[%c0, %k] {tile.sched = #tile.sched<stage = 0, order = 1>} : !v -> tensor<16x16xf16, #regs>
        %s = tile.convert_layout %t {tile.sched = #tile.sched<stage = 1, order = 0>}
            : tensor<16x16xf16, #regs> -> tensor<16x16xf16, #shared>
        %a = tile.convert_layout %s {tile.sched = #tile.sched<stage = 1, order = 2>} : ...
        %b = tile.convert_layout %s {tile.sched = #tile.sched<stage = 1, order = 2>} : ...
        %y = tile.dot %a, %b, %sum mma ... {tile.sched = #tile.sched<stage = 1, order = 2>} : ...
    ...
    ```
  }];
  let dependentDialects = ["::helios::tile::TileDialect"];
}

def TileExpand : Pass<"tile-expand", "::helios::tile::ProgramOp"> {
  let summary = "Expand scheduled loops into prologue, steady state and epilogue";
  let description = [{
    Runs `scf::pipelineForLoop` on loops whose ops carry `tile.sched`. What has effects and belongs to another trip runs under a
    test of the loop's bounds, unless facts prove it; so the last trips need no copy of the body, any number of trips is legal, and
    nothing below moves a load of the next trip over what stands before it.

    ```mlir
    !v = !tile.view<?x?xf32, strides = [?, 1]>
    tile.program @k(%p: !tile.ptr<f32>, %q: !tile.ptr<f32>, %n: index {tile.range = array<i64: 1, 1000>}) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f32> -> !v
      %w = tile.view %q[%n, %n] strides [%n] : !tile.ptr<f32> -> !v
      scf.for %k = %c0 to %n step %c1 {
        %x = tile.load %v[%k, %c0] {tile.sched = #tile.sched<stage = 0, order = 1>} : !v -> tensor<1x64xf32>
        tile.store %x, %w[%k, %c0] {tile.sched = #tile.sched<stage = 1, order = 0>} : tensor<1x64xf32>, !v
      }
      tile.return
    }
    // becomes
    ...
      %first = tile.load %v[%zero, %c0] : !v -> tensor<1x64xf32>
      %last = scf.for %k = %c0 to %n step %c1 iter_args(%x = %first) -> (tensor<1x64xf32>) {
    ...
        %more = arith.cmpi slt, %k, %before : index
    ...
        tile.store %x, %w[%now, %c0] : tensor<1x64xf32>, !v
    ...
        %next = scf.if %more -> (tensor<1x64xf32>) {
          %y = tile.load %v[%after, %c0] : !v -> tensor<1x64xf32>
          scf.yield %y : tensor<1x64xf32>
        } else {
          %none = arith.constant dense<0.000000e+00> : tensor<1x64xf32>
          scf.yield %none : tensor<1x64xf32>
        }
        scf.yield %next : tensor<1x64xf32>
      }
      tile.return
    }
    ```
  }];
  let dependentDialects = ["::helios::tile::TileDialect", "::mlir::scf::SCFDialect", "::mlir::arith::ArithDialect"];
}

def TileAlternateBuffers : Pass<"tile-alternate-buffers", "::helios::tile::ProgramOp"> {
  let summary = "Put two trips into loops that carry tiles in shared memory";
  let description = [{
    A loop that writes a tile to shared memory in one trip and reads it in the next needs two places for it, in turn. With two trips in one, each
    place is the same in every trip: the tile that is carried has the one, the tile that is written and read in between the other. A trip that is left over
    becomes a branch behind the loop, and writes nothing. `tile-allocate-shared` gives a carried tile and what is carried on in its place the same bytes.

    ```mlir
    #r = #tile.regs<vec = [1, 4], lanes = [8, 1], groups = [1, 1]>
    #s = #tile.shared<order = [1, 0]>
    !v = !tile.view<?x?xf32, strides = [?, 1]>
    tile.program @k(%p: !tile.ptr<f32>, %n: index) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %zero = arith.constant dense<0.0> : tensor<8x4xf32, #r>
      %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f32> -> !v
      %s0 = tile.convert_layout %zero : tensor<8x4xf32, #r> -> tensor<8x4xf32, #s>
      %x = scf.for %i = %c0 to %n step %c1 iter_args(%s = %s0) -> (tensor<8x4xf32, #s>) {
        %g = tile.load %v[%i, %c0] : !v -> tensor<8x4xf32, #r>
        %t = tile.convert_layout %g : tensor<8x4xf32, #r> -> tensor<8x4xf32, #s>
        %y = tile.convert_layout %s : tensor<8x4xf32, #s> -> tensor<8x4xf32, #r>
        tile.store %y, %v[%i, %c0] : tensor<8x4xf32, #r>, !v
        scf.yield %t : tensor<8x4xf32, #s>
      }
      tile.return
    }
    // becomes
    ...
      %x = scf.for %i = %c0 to %even step %c2 iter_args(%s = %s0) -> (tensor<8x4xf32, #s>) {
        %g = tile.load %v[%i, %c0] : ...
        %t = tile.convert_layout %g : ...
        %y = tile.convert_layout %s : ...
        tile.store %y, %v[%i, %c0] : ...
    ...
        %h = tile.load %v[%j, %c0] : ...
        %u = tile.convert_layout %h : ...
        %z = tile.convert_layout %t : ...
        tile.store %z, %v[%j, %c0] : ...
        scf.yield %u : tensor<8x4xf32, #s>
      }
      %odd = arith.cmpi slt, %even, %n : index
      scf.if %odd {
    ...
        %w = tile.convert_layout %x : ...
        tile.store %w, %v[%even, %c0] : ...
      }
    ...
    ```
  }];
  let dependentDialects = ["::helios::tile::TileDialect", "::mlir::scf::SCFDialect", "::mlir::arith::ArithDialect"];
}

def TileSplitMaskedRanges : Pass<"tile-split-masked-ranges", "::helios::tile::ProgramOp"> {
  let summary = "Give trips in which a mask is true everywhere a loop of their own";
  let description = [{
    A comparison of coordinates (`tile.iota`, scalars, sums and differences of them) holds for a whole tile in some trips of a loop: for
    keys before the last one, for blocks left of a diagonal. Where both sides follow the loop's counter in multiples, these trips are a
    range that is computed before the loop, which is cut there: before the range, in it, behind it. In the range the comparison is a constant that
    canonicalization removes with what it selects. Of comparisons that `arith.andi` joins, all hold in the trips that their ranges share, and what
    holds up to the range's end, or from its begin on, is a constant before, or behind, it too; of those that `arith.ori` joins, one is enough:
    the range is that of both, or the longer one where there may be trips between them. The right operand of an `arith.ori` with the attribute
    `tile.implied` implies the left one, which is left alone outside of the range. Only loops with products are cut, of step one; comparisons that
    hold, or not, in all trips alike stay. Run it after tile-expand, so that the parts need no prologue of their own.

    ```mlir
    tile.program @k(%n: index {tile.range = array<i64: 1, 1000>}) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c16 = arith.constant 16 : index
      %a = arith.constant dense<1.0> : tensor<16x16xf16>
      %zero = arith.constant dense<0.0> : tensor<16x16xf32>
      %end = tile.expand %n, [0, 1] : index -> tensor<16x16xindex>
      %steps = arith.ceildivui %n, %c16 : index
      %x = scf.for %i = %c0 to %steps step %c1 iter_args(%sum = %zero) -> (tensor<16x16xf32>) {
        %y = tile.dot %a, %a, %sum : tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf32>
        %j = arith.muli %i, %c16 : index
        %at = tile.iota 1 base %j : tensor<16x16xindex>
        %in = arith.cmpi ult, %at, %end : tensor<16x16xindex>
        %z = arith.select %in, %y, %zero : tensor<16x16xi1>, tensor<16x16xf32>
        scf.yield %z : tensor<16x16xf32>
      }
      tile.return
    }
    // becomes
    ...
      %whole = arith.divui %positive, %stride : index
      %least = arith.maxsi %whole, %c0 : index
      %cut = arith.minsi %steps, %least : index
      %x0 = scf.for %i = %c0 to %cut step %c1 iter_args(%sum = %zero) -> (tensor<16x16xf32>) {
    ...
        %true = arith.constant dense<true> : tensor<16x16xi1>
        %z = arith.select %true, %y, %zero : tensor<16x16xi1>, tensor<16x16xf32>
        scf.yield %z : tensor<16x16xf32>
      }
      %x1 = scf.for %i = %cut to %steps step %c1 iter_args(%sum = %x0) -> (tensor<16x16xf32>) {
    ...
        %in = arith.cmpi ult, %at, %end : tensor<16x16xindex>
    ...
    ```
  }];
  let dependentDialects = ["::helios::tile::TileDialect", "::mlir::scf::SCFDialect", "::mlir::arith::ArithDialect"];
}

def TileDeferReads : Pass<"tile-defer-reads", "::helios::tile::ProgramOp"> {
  let summary = "Wait for a slot where what is in it is first used";
  let description = [{
    What is read from a ring once, as attention's queries that stay in registers, is waited for right before the first op that uses it. Copies into
    other rings that are issued before that are then on their way at the same time. Only where copies complete in groups, of which
    `frag-assign-wait-counts` finds how many may stay pending. Run it after tile-expand, which puts the first copies before a loop.

    ```mlir
    #s = #tile.shared<order = [1, 0], swizzle = 64>
    #mma = #ptx.mma_sync<[16, 8, 16], f16, f16, f32>
    #a = #tile.operand<a, #mma, groups = [1, 1]>
    !t = tensor<16x32xf16, #s>
    !ring = !tile.ring<1x(!t), load, copy = #ptx.async16>
    !v = !tile.view<?x?xf16, strides = [?, 1], div = [8, 1], align = 16>
    tile.program @k(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}) attributes {target = #ptx.target<"sm_89">} {
      %c0 = arith.constant 0 : index
      %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f16> -> !v
      %q, %cq = tile.ring : !ring
      %k, %ck = tile.ring : !ring
      %w, %q1 = tile.enter write %q[%cq] : !ring -> !tile.slot<write>
      %t0 = tile.copy_in %v[%c0, %c0] into %w[0] : !v, !tile.slot<write>
      tile.exit %w after(%t0 : !tile.token) : !tile.slot<write>
      %r, %q2, %x = tile.enter read %q[%cq] : !ring -> !tile.slot<read>, !t
      %y = tile.convert_layout %x : !t -> tensor<16x32xf16, #a>
      tile.exit %r after(%y : tensor<16x32xf16, #a>) : !tile.slot<read>
      %u, %k1 = tile.enter write %k[%ck] : !ring -> !tile.slot<write>
      %t1 = tile.copy_in %v[%n, %c0] into %u[0] : !v, !tile.slot<write>
      tile.exit %u after(%t1 : !tile.token) : !tile.slot<write>
      %l, %k2, %z = tile.enter read %k[%ck] : !ring -> !tile.slot<read>, !t
      %o = tile.convert_layout %z : !t -> tensor<16x32xf16, #a>
      tile.exit %l after(%o : tensor<16x32xf16, #a>) : !tile.slot<read>
      %sum = arith.addf %y, %o : tensor<16x32xf16, #a>
      tile.store %sum, %v[%c0, %c0] : tensor<16x32xf16, #a>, !v
      tile.return
    }
    // becomes
    ...
      %t0 = tile.copy_in %v[%c0, %c0] into %w[0] : ...
      tile.exit %w after(%t0 : !tile.token) : ...
      %u, %k1 = tile.enter write %k[%ck] : ...
      %t1 = tile.copy_in %v[%n, %c0] into %u[0] : ...
      tile.exit %u after(%t1 : !tile.token) : ...
      %r, %q2, %x = tile.enter read %q[%cq] : ...
      %y = tile.convert_layout %x : ...
    ...
    ```
  }];
  let dependentDialects = ["::helios::tile::TileDialect"];
}

#endif // HELIOS_TRANSFORMS_TILEPASSES_TD
