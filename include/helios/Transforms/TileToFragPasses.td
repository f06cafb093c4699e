// Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Passes from level 2 to level 3: items, places in shared memory, fragments.

#ifndef HELIOS_TRANSFORMS_TILETOFRAGPASSES_TD
#define HELIOS_TRANSFORMS_TILETOFRAGPASSES_TD

include "mlir/Pass/PassBase.td"

def TileLowerItems : Pass<"tile-lower-items", "::helios::tile::ProgramOp"> {
  let summary = "Lower the loop over work items";
  let description = [{
    `tile.items` becomes arithmetic on the workgroup's number: `grid` one item under a test of the count, `persistent` a loop
    that strides over the items, whose quotients are of 32 bits. A raster walks bands of one dimension. With `cluster`, clusters of
    workgroups stride over clusters of items, and each workgroup takes the item at its place; all of them walk the same loop, so an item may lie beyond a bound that
    is no multiple of the cluster, where its accesses are clipped. Under `longest_first` rows, which are the items of all other
    dimensions, go together in groups, the longest items of a group's rows first: about 512 items with `grid`; with `persistent` two
    rounds of the workgroups, each of which takes one from the front in even rounds and from the back in odd ones.

    ```mlir
    tile.program @k(%m: index, %n: index, %p: !tile.ptr<f32>) {
      %v = tile.view %p[%m, %n] strides [%n] : !tile.ptr<f32> -> !tile.view<?x?xf32, strides = [?, 1]>
      %x = arith.constant dense<1.0> : tensor<1x1xf32>
      tile.items (%i, %j) in (%m, %n) #tile.items<grid> {
        tile.store %x, %v[%i, %j] : tensor<1x1xf32>, !tile.view<?x?xf32, strides = [?, 1]>
      }
      tile.return
    }
    // becomes
    ...
      %c1 = arith.constant 1 : index
      %rows = arith.muli %c1, %m : index
      %count = arith.muli %rows, %n : index
      %w = tile.id workgroup
      %mine = arith.cmpi ult, %w, %count : index
      scf.if %mine {
        %j = arith.remui %w, %n : index
        %i = arith.divui %w, %n : index
        tile.store %x, %v[%i, %j] : tensor<1x1xf32>, !tile.view<?x?xf32, strides = [?, 1]>
      }
      tile.return
    ```

    ```mlir
    tile.program @k(%m: index, %p: !tile.ptr<f32>) {
      %v = tile.view %p[%m] : !tile.ptr<f32> -> !tile.view<?xf32, strides = [1]>
      %x = arith.constant dense<1.0> : tensor<1xf32>
      tile.items (%i) in (%m) #tile.items<persistent, cluster = [2]> {
        tile.store %x, %v[%i] : tensor<1xf32>, !tile.view<?xf32, strides = [1]>
      }
      tile.return
    }
    // becomes
    ...
      %pairs = arith.ceildivui %m, %c2 : index
    ...
      %first = tile.id cluster
      %step = tile.id clusters
      scf.for %t = %first to %count step %step {
    ...
        %rank = tile.rank 0 of [2]
        %i = arith.addi %i0, %rank : index
        tile.store %x, %v[%i] : tensor<1xf32>, !tile.view<?xf32, strides = [1]>
      }
      tile.return
    ```

    ```mlir
    tile.program @k(%m: index) {
      tile.items (%i) in (%m) #tile.items<ticket> {
      }
      tile.return
    }
    // is refused
    // draws tickets, which no target of this version lowers; use grid or persistent
    ```
  }];
  let dependentDialects = ["::helios::tile::TileDialect", "::mlir::scf::SCFDialect", "::mlir::arith::ArithDialect"];
}

def TileAllocateShared : Pass<"tile-allocate-shared", "::helios::tile::ProgramOp"> {
  let summary = "Place tiles in shared memory";
  let description = [{
    Every tile of a memory layout gets a byte offset (`tile.offset`); tiles that do not live at the same time share bytes, first
    fit by decreasing size. The sum becomes `shared_bytes` and must not exceed the target's.

    A ring takes its slots one after the other, those of all replicas if it belongs to one, and lives until its last exit, or as long as the roles that
    have it. Where its sides meet through barriers in memory, because copies count their bytes there or each side is in another role, these lie
    behind everything else (`tile.barriers`, 16 bytes a slot). Layout changes in a role of replicas take bytes for each (`tile.replica_stride`).

    ```mlir
    #regs = #tile.regs<vec = [1, 8], lanes = [4, 2], groups = [1, 1]>
    #shared = #tile.shared<order = [1, 0], pad = 8>
    !v = !tile.view<?x?xf16, strides = [?, 1]>
    tile.program @k(%p: !tile.ptr<f16>, %n: index) {
      %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f16> -> !v
      %x = tile.load %v[%n, %n] : !v -> tensor<16x16xf16, #regs>
      %s = tile.convert_layout %x : tensor<16x16xf16, #regs> -> tensor<16x16xf16, #shared>
      %t = tile.convert_layout %x : tensor<16x16xf16, #regs> -> tensor<16x16xf16, #shared>
      %y = tile.convert_layout %s : tensor<16x16xf16, #shared> -> tensor<16x16xf16, #regs>
      %u = tile.convert_layout %y : tensor<16x16xf16, #regs> -> tensor<16x16xf16, #shared>
      %z = tile.convert_layout %t : tensor<16x16xf16, #shared> -> tensor<16x16xf16, #regs>
      %w = tile.convert_layout %u : tensor<16x16xf16, #shared> -> tensor<16x16xf16, #regs>
      tile.store %z, %v[%n, %n] : tensor<16x16xf16, #regs>, !v
      tile.store %w, %v[%n, %n] : tensor<16x16xf16, #regs>, !v
      tile.return
    }
    // becomes
    tile.program @k(%p: !tile.ptr<f16>, %n: index) attributes {shared_bytes = 1536 : i64} {
    ...
      %s = tile.convert_layout %x {tile.offset = 0 : i64} : tensor<16x16xf16, #regs> -> tensor<16x16xf16, #shared>
      %t = tile.convert_layout %x {tile.offset = 768 : i64} : tensor<16x16xf16, #regs> -> tensor<16x16xf16, #shared>
      %y = tile.convert_layout %s : tensor<16x16xf16, #shared> -> tensor<16x16xf16, #regs>
      %u = tile.convert_layout %y {tile.offset = 0 : i64} : tensor<16x16xf16, #regs> -> tensor<16x16xf16, #shared>  // %s is dead
    ...
    ```
  }];
  let dependentDialects = ["::helios::tile::TileDialect"];
}

def TileDistribute : Pass<"tile-distribute", "::mlir::ModuleOp"> {
  let summary = "Lower programs over tiles to kernels over fragments";
  let description = [{
    Each `tile.program` becomes a `frag.kernel`: tiles in registers become fragments, tiles in shared memory places, layout changes
    reads and writes, element-wise chains `frag.map`, products one `frag.mma` for each step along k with its operand reads beside it.

    Slots of rings become slots at their places, and what the program does with them parts of shared memory; roles become ranges of lanes of whole lane
    groups. An asynchronous product is one `frag.mma_start`. Its value stays in flight while only other products add to it, loops carry it and exits
    name it, and is awaited before the first op that needs it; what such a product reads from registers, and what replaces that in the next iteration,
    goes through the await.

    ```mlir
    #coop = #spv.coop<[8, 8, 8], f16, f16, f32, lanes = 8>
    #regs = #tile.regs<vec = [1, 8], lanes = [4, 2], groups = [1, 1]>
    #shared = #tile.shared<order = [1, 0], pad = 8>
    #a = #tile.opaque<a, #coop, groups = [1, 1]>
    #b = #tile.opaque<b, #coop, groups = [1, 1]>
    #acc = #tile.opaque<acc, #coop, groups = [1, 1]>
    !v = !tile.view<?x?xf16, strides = [?, 1]>
    tile.program @k(%p: !tile.ptr<f16>, %n: index)
        attributes {config = #tile.config<groups = [1, 1]>, shared_bytes = 768 : i64, target = #spv.target<"lavapipe">} {
      %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f16> -> !v
      %x = tile.load %v[%n, %n] : !v -> tensor<16x16xf16, #regs>
      %s = tile.convert_layout %x {tile.offset = 0 : i64} : tensor<16x16xf16, #regs> -> tensor<16x16xf16, #shared>
      %a = tile.convert_layout %s : tensor<16x16xf16, #shared> -> tensor<16x16xf16, #a>
      %b = tile.convert_layout %s : tensor<16x16xf16, #shared> -> tensor<16x16xf16, #b>
      %zero = arith.constant dense<0.0> : tensor<16x16xf32, #acc>
      %d = tile.dot %a, %b, %zero mma #coop : tensor<16x16xf16, #a>, tensor<16x16xf16, #b>, tensor<16x16xf32, #acc>
      %q = arith.mulf %x, %x : tensor<16x16xf16, #regs>
      %w = arith.negf %q : tensor<16x16xf16, #regs>
      tile.store %w, %v[%n, %n] : tensor<16x16xf16, #regs>, !v
      tile.return
    }
    // becomes
    frag.kernel @k(%p: !tile.ptr<f16>, %n: index)
        attributes {shared_bytes = 768 : i64, target = #spv.target<"lavapipe">, threads = 8 : i64} {
      %v = tile.view %p[%n, %n] strides[%n] : !tile.ptr<f16> -> !v
      %x = frag.read %v[%n, %n] : !v -> !frag.f<16x16xf16, #regs>
    ...
      %s = frag.shared 0 : !frag.mem<16x16xf16, #shared>
      frag.write %x, %s[%c0, %c0] : !frag.f<16x16xf16, #regs>, !frag.mem<16x16xf16, #shared>
    ...
      %zero = frag.splat %f0 : f32 -> !frag.f<16x16xf32, #acc>
    ...
      %a0 = frag.read %s[...] : !frag.mem<16x16xf16, #shared> -> !frag.f<16x8xf16, #a>      // k = 0
    ...
      %b0 = frag.read %s[...] : !frag.mem<16x16xf16, #shared> -> !frag.f<8x16xf16, #b>
      %d0 = frag.mma ... %a0, %b0, %zero : !frag.f<16x8xf16, #a>, !frag.f<8x16xf16, #b>, !frag.f<16x16xf32, #acc>
    ...
      %a1 = frag.read %s[...] : !frag.mem<16x16xf16, #shared> -> !frag.f<16x8xf16, #a>      // k = 8
    ...
      %b1 = frag.read %s[...] : !frag.mem<16x16xf16, #shared> -> !frag.f<8x16xf16, #b>
      %d1 = frag.mma ... %a1, %b1, %d0 : !frag.f<16x8xf16, #a>, !frag.f<8x16xf16, #b>, !frag.f<16x16xf32, #acc>
      %w = frag.map(%x, %x : ...) -> !frag.f<16x16xf16, #regs> {
      ^bb0(%e: f16, %f: f16):
        %g = arith.mulf %e, %f : f16
        %h = arith.negf %g : f16
        frag.yield %h : f16
      }
      frag.write %w, %v[%n, %n] : !frag.f<16x16xf16, #regs>, !v
      frag.return
    }
    ```

    ```mlir
    #mma = #ptx.wgmma<n = 64, bf16, bf16, f32>
    #acc = #tile.acc<#mma, groups = [1, 1]>
    #s = #tile.shared<order = [1, 0], swizzle = 128>
    #t = #tile.shared<order = [0, 1], swizzle = 128>
    !v = !tile.view<?x?xbf16, strides = [?, 1], div = [8, 1], align = 16>
    !vf = !tile.view<?x?xf32, strides = [?, 1]>
    !ring = !tile.ring<1x(tensor<64x64xbf16, #s>), load, copy = #ptx.bulk>
    tile.program @k(%p: !tile.ptr<bf16>, %q: !tile.ptr<f32>, %n: index {tile.div = 8 : index}) attributes {shared_bytes = 8208 : i64} {
      %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<bf16> -> !v
      %vf = tile.view %q[%n, %n] strides [%n] : !tile.ptr<f32> -> !vf
      %ring, %c = tile.ring {tile.offset = 0 : i64, tile.barriers = 8192 : i64} : !ring
      %w, %c1 = tile.enter write %ring[%c] : !ring -> !tile.slot<write>
      %tk = tile.copy_in %v[%n, %n] into %w[0] : !v, !tile.slot<write>
      tile.exit %w after(%tk : !tile.token) : !tile.slot<write>
      %zero = arith.constant dense<0.0> : tensor<64x64xf32, #acc>
      %s, %c2, %a = tile.enter read %ring[%c] : !ring -> !tile.slot<read>, tensor<64x64xbf16, #s>
      %at = tile.transpose %a : tensor<64x64xbf16, #s> -> tensor<64x64xbf16, #t>
      %d = tile.dot %a, %at, %zero mma(#mma) : tensor<64x64xbf16, #s>, tensor<64x64xbf16, #t>, tensor<64x64xf32, #acc>
      tile.exit %s after(%d : tensor<64x64xf32, #acc>) : !tile.slot<read>
      tile.store %d, %vf[%n, %n] : tensor<64x64xf32, #acc>, !vf
      tile.return
    }
    // becomes
    ...
      %ring = frag.shared 0 barriers 8192 : !frag.ring<!ring>
    ...
      %w, %c1 = frag.acquire write %ring[%c] : !frag.ring<!ring>
      %m = frag.slot_mem %w[0] : !frag.mem<64x64xbf16, #s>
      %tk = frag.copy_in #ptx.bulk %v[%n, %n] into %m : !v -> !frag.mem<64x64xbf16, #s>
      frag.release %w after(%tk : !tile.token)
    ...
      %s, %c2 = frag.acquire read %ring[%c] : !frag.ring<!ring>
      %a = frag.slot_mem %s[0] : !frag.mem<64x64xbf16, #s>
      %d, %t = frag.mma_start ... %a, %a trans : ...                    // nothing is added to
      %x = frag.await %t(%d : ...) : !frag.token<"wgmma"> -> !frag.f<64x64xf32, #acc>
      frag.release %s after(%t : !frag.token<"wgmma">)
      frag.write %x, %vf[%n, %n] : !frag.f<64x64xf32, #acc>, !vf
    ...
    ```
  }];
  let dependentDialects = ["::helios::frag::FragDialect"];
}

#endif // HELIOS_TRANSFORMS_TILETOFRAGPASSES_TD
