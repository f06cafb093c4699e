// Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Passes of level 3, and the level verifier.

#ifndef HELIOS_TRANSFORMS_FRAGPASSES_TD
#define HELIOS_TRANSFORMS_FRAGPASSES_TD

include "mlir/Pass/PassBase.td"

def FragUnroll : Pass<"frag-unroll", "::helios::frag::KernelOp"> {
  let summary = "Unroll the loops that are marked so";
  let description = [{
    `tile.unroll = n` on a loop puts n of its trips into one; a second loop runs what remains. Both are marked with 1, which
    tells the compilers below to leave them as they are. A loop without a mark is theirs to unroll.

    ```mlir
    !f = !frag.f<8x4xf32, #tile.regs<vec = [1, 4], lanes = [8, 1], groups = [1, 1]>>
    !v = !tile.view<?x?xf32, strides = [?, 1]>
    frag.kernel @k(%p: !tile.ptr<f32>, %n: index) attributes {threads = 8 : i64} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c6 = arith.constant 6 : index
      %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f32> -> !v
      scf.for %k = %c0 to %c6 step %c1 {
        %x = frag.read %v[%k, %c0] : !v -> !f
        frag.write %x, %v[%c0, %k] : !f, !v
      } {tile.unroll = 2 : i64}
      frag.return
    }
    // becomes
    ...
      scf.for %k = %c0 to %c6 step %c2 {
        %x = frag.read %v[%k, %c0] : ...
        frag.write %x, %v[%c0, %k] : ...
        ...
        %next = arith.addi %k, %one : index
        %y = frag.read %v[%next, %c0] : ...
        frag.write %y, %v[%c0, %next] : ...
      } {tile.unroll = 1 : i64}
    ...
    ```
  }];
  let dependentDialects = ["::helios::frag::FragDialect", "::mlir::arith::ArithDialect"];
}

def FragAssignWaitCounts : Pass<"frag-assign-wait-counts", "::helios::frag::KernelOp"> {
  let summary = "Count what may stay pending at each wait";
  let description = [{
    An engine and the copies of a lane finish in the order in which they started, so a wait says how many younger ones may stay pending. A forward
    walk through all control flow derives these counts: at a `frag.await` and at a `frag.release` after products, the younger products
    of the engine; at a `frag.acquire read` of a ring whose copies complete in groups, the younger groups; at a `frag.acquire write` of a ring whose
    slots are copied out, the younger of these copies. A wait without a count has nothing to wait for: what it names is done by then.

    ```mlir
    #mma = #ptx.wgmma<n = 64, bf16, bf16, f32>
    #acc = #tile.acc<#mma, groups = [1, 1]>
    #s = #tile.shared<order = [1, 0], swizzle = 128>
    !ring = !frag.ring<!tile.ring<4x(tensor<64x64xbf16, #s>), load, copy = #ptx.bulk>>
    !m = !frag.mem<64x64xbf16, #s>
    !acc = !frag.f<64x64xf32, #acc>
    !fly = !frag.inflight<!frag.f<64x64xf32, #acc>>
    !tok = !frag.token<"wgmma">
    !v = !tile.view<?x?xf32, strides = [?, 1]>
    frag.kernel @k(%p: !tile.ptr<f32>, %n: index) attributes {threads = 128 : i64, shared_bytes = 32832 : i64} {
      %c0 = arith.constant 0 : i32
      %z = arith.constant 0 : index
      %o = arith.constant 1 : index
      %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f32> -> !v
      %ring = frag.shared 0 barriers 32768 : !ring
      %s0, %c1 = frag.acquire read %ring[%c0] : !ring
      %m0 = frag.slot_mem %s0[0] : !m
      %d0, %t0 = frag.mma_start #mma %m0, %m0 trans : !m, !m -> !fly, !tok
      %l:4 = scf.for %k = %o to %n step %o iter_args(%d = %d0, %tp = %t0, %sp = %s0, %c = %c1) -> (!fly, !tok, !frag.slot, i32) {
        %s, %c2 = frag.acquire read %ring[%c] : !ring
        %m = frag.slot_mem %s[0] : !m
        %d1, %t1 = frag.mma_start #mma %m, %m trans, %d : !fly : !m, !m -> !fly, !tok
        frag.release %sp after(%tp : !tok)
        scf.yield %d1, %t1, %s, %c2 : !fly, !tok, !frag.slot, i32
      }
      %x = frag.await %l#1 (%l#0 : !fly) : !tok -> !acc
      frag.release %l#2 after(%l#1 : !tok)
      frag.write %x, %v[%z, %z] : !acc, !v
      frag.return
    }
    // becomes
    ...
        frag.release %sp after(%tp : !tok) count 1                    // the product of this step may stay pending
    ...
      %x = frag.await %l#1(%l#0 : !fly) count 0 : !tok -> !acc
      frag.release %l#2 after(%l#1 : !tok)                            // done
    ...
    ```
  }];
  let dependentDialects = ["::helios::frag::FragDialect"];
}

def FragInsertBarriers : Pass<"frag-insert-barriers", "::helios::frag::KernelOp"> {
  let summary = "Insert the barriers that shared-memory effects need";
  let description = [{
    A hazard is a read and a write, or two writes, of possibly equal bytes with no barrier between, through loops too. For a
    read after a write the barrier stands right after the last such write, so that later global loads are not behind it, or right before the
    read where products stand between them, which then hide the write; for a write after a read right before the write. One barrier clears every hazard open at it. It covers the lanes that both sides may be on: those
    of the replica in a role, else all of the workgroup; where an engine reads what lanes wrote, it orders that too (`proxy`).

    Slots of one ring do not conflict: their accesses are ordered by acquire and release. What these need of the lanes of a role is inserted as well. A
    ring with barriers in memory: one lane hands a slot over for all, so a barrier stands before a release if lanes have read or written the slot. A
    ring without them: a barrier between the release of a slot and the acquire of the other side. To acquire a slot to read whose copies complete in
    groups is a barrier itself. The kernel is `synchronized` afterwards.

    ```mlir
    #regs = #tile.regs<vec = [1, 4], lanes = [8, 1], groups = [1, 1]>
    !f = !frag.f<8x4xf32, #regs>
    !m = !frag.mem<8x4xf32, #tile.shared<order = [1, 0]>>
    !v = !tile.view<?x?xf32, strides = [?, 1]>
    frag.kernel @k(%p: !tile.ptr<f32>, %n: index) attributes {threads = 8 : i64, shared_bytes = 128 : i64} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f32> -> !v
      %s = frag.shared 0 : !m
      scf.for %k = %c0 to %n step %c1 {
        %x = frag.read %v[%k, %c0] : !v -> !f
        frag.write %x, %s[%c0, %c0] : !f, !m
        %g = frag.read %v[%c0, %k] : !v -> !f
        %y = frag.read %s[%c0, %c0] : !m -> !f
        frag.write %y, %v[%k, %c0] : !f, !v
      }
      frag.return
    }
    // becomes
    ...
        %x = frag.read %v[%k, %c0] : !v -> !f
        frag.barrier workgroup                               // the trip before may still read %s
        frag.write %x, %s[%c0, %c0] : !f, !m
        frag.barrier workgroup
        %g = frag.read %v[%c0, %k] : !v -> !f
        %y = frag.read %s[%c0, %c0] : !m -> !f
        frag.write %y, %v[%k, %c0] : !f, !v
      }
    ...
    ```
  }];
  let dependentDialects = ["::helios::frag::FragDialect"];
}

def FragPipelineKSteps : Pass<"frag-pipeline-k-steps", "::helios::frag::KernelOp"> {
  let summary = "Read the operands of the next step along k before the products of this one";
  let description = [{
    In a loop whose synchronous products take their operands from a slot that each trip acquires, the reads of a step move before the
    products of the step before it; those of a trip's first step into the trip before, behind its last reads. The slot is acquired
    there and carried on. The trip beyond the end reads a slot that was written beyond the end, which a loop with copies ahead leaves
    behind itself; nobody looks at what it reads. Done only where the operands of two steps fit into the registers of a lane beside
    what the loop carries.

    ```mlir
    #mma = #ptx.mma_sync<[16, 8, 16], f16, f16, f32>
    #a = #tile.operand<a, #mma, groups = [1, 1]>
    #b = #tile.operand<b, #mma, groups = [1, 1]>
    #acc = #tile.acc<#mma, groups = [1, 1]>
    #s = #tile.shared<order = [1, 0], swizzle = 64>
    !t = tensor<16x32xf16, #s>
    !ring = !frag.ring<!tile.ring<2x(!t, !t), load, copy = #ptx.async16>>
    !m = !frag.mem<16x32xf16, #s>
    !fa = !frag.f<16x16xf16, #a>
    !fb = !frag.f<16x16xf16, #b>
    !acc = !frag.f<16x16xf32, #acc>
    frag.kernel @k(%n: index) attributes {threads = 32 : i64, shared_bytes = 4096 : i64, target = #ptx.target<"sm_89">} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c16 = arith.constant 16 : index
      %zero = arith.constant 0 : i32
      %f = arith.constant 0.0 : f32
      %init = frag.splat %f : f32 -> !acc
      %ring = frag.shared 0 : !ring
      %x:2 = scf.for %k = %c0 to %n step %c1 iter_args(%sum = %init, %c = %zero) -> (!acc, i32) {
        %slot, %next = frag.acquire read %ring[%c] : !ring
        %ma = frag.slot_mem %slot[0] : !m
        %mb = frag.slot_mem %slot[1] : !m
        %a0 = frag.read %ma[%c0, %c0] : !m -> !fa
        %b0 = frag.read %mb[%c0, %c0] trans : !m -> !fb
        %y0 = frag.mma #mma %a0, %b0, %sum : !fa, !fb, !acc
        %a1 = frag.read %ma[%c0, %c16] : !m -> !fa
        %b1 = frag.read %mb[%c0, %c16] trans : !m -> !fb
        %y1 = frag.mma #mma %a1, %b1, %y0 : !fa, !fb, !acc
        frag.release %slot
        scf.yield %y1, %next : !acc, i32
      }
      %last, %end = frag.acquire read %ring[%x#1] : !ring
      frag.release %last
      frag.return
    }
    // becomes
    ...
      %first, %c2 = frag.acquire read %ring[%zero] : ...
    ...
      %x:5 = scf.for %k = %c0 to %n step %c1 iter_args(%sum = %init, %c = %c2, %slot = %first, %a0 = %fa0, %b0 = %fb0) -> ... {
    ...
        %a1 = frag.read %ma[%c0, %c16] : ...
    ...
        %b1 = frag.read %mb[%c0, %c16] trans : ...
        %y0 = frag.mma ... %a0, %b0, %sum : ...
        frag.release %slot
        %slot2, %next = frag.acquire read %ring[%c] : ...
    ...
        %a2 = frag.read %ma2[%c0, %c0] : ...
    ...
        %b2 = frag.read %mb2[%c0, %c0] trans : ...
        %y1 = frag.mma ... %a1, %b1, %y0 : ...
        scf.yield %y1, %next, %slot2, %a2, %b2 : ...
      }
      frag.release %x#2
      frag.return
    }
    ```
  }];
  let dependentDialects = ["::helios::frag::FragDialect", "::mlir::scf::SCFDialect"];
}

def FragOverlapDispatches : Pass<"frag-overlap-dispatches", "::mlir::ModuleOp"> {
  let summary = "Let a dispatch begin while the one before it ends";
  let description = [{
    On targets that can launch a kernel while the dispatch before it still runs, the kernel waits for that one right before it first touches global
    memory, each role for itself, ahead of loops and on both ways of a branch: a workgroup without work waits as well. What stands before (barriers in
    shared memory, numbers of lanes, the launch itself) passes under the end of the dispatch before. The kernel lets the next dispatch begin
    behind its last load, since that one will wait too, for the end of this one; but not a kernel behind which plans only launch others whose workgroups share a
    processor: those add up what this one leaves, and would gather on the few processors that have room for them. One that leaves half of a
    processor's registers free, beside as many of its workgroups as shared memory holds, releases them all the same. Kernels in which somebody has placed these ops stay as they are.

    ```mlir
    #regs = #tile.regs<vec = [1, 4], lanes = [8, 1], groups = [1, 1]>
    !f = !frag.f<8x4xf32, #regs>
    !v = !tile.view<?x?xf32, strides = [?, 1]>
    frag.kernel @k(%p: !tile.ptr<f32>, %n: index) attributes {threads = 8 : i64, target = #ptx.target<"sm_90a">} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f32> -> !v
      scf.for %k = %c0 to %n step %c1 {
        %x = frag.read %v[%k, %c0] : !v -> !f
        frag.write %x, %v[%c0, %k] : !f, !v
      }
      frag.return
    }
    // becomes
    ...
      %v = tile.view ...
      frag.await_dependencies
      scf.for %k = %c0 to %n step %c1 {
        %x = frag.read %v[%k, %c0] : ...
        frag.write %x, %v[%c0, %k] : ...
      }
      frag.release_dependents
      frag.return
    ...
    ```
  }];
  let dependentDialects = ["::helios::frag::FragDialect"];
}

def FragReadConstantsFirst : Pass<"frag-read-constants-first", "::helios::frag::KernelOp"> {
  let summary = "Read constants before the end of the dispatch before";
  let description = [{
    What a constant argument points to (`tile.constant`) is there before the dispatch in front of this one begins. Reads and copies of it that
    stand behind `frag.await_dependencies`, in the same block and ahead of loops and barriers, move in front of it, with what their operands
    need: places, conditions, and slots of a ring that have not been used before. So does a branch that reads nothing else. A slot's other tiles
    are copied where they were.

    If workgroups have a processor each, such a kernel lets the next dispatch begin at once where the last round of its workgroups leaves room for
    as many again, or for next to none: one takes the place of each workgroup that ends. Otherwise it does so where it did, since workgroups that
    come early gather where there is room.

    ```mlir
    #copy = #ptx.async16
    #rows = #tile.shared<order = [1, 0], swizzle = 128>
    !ring = !frag.ring<!tile.ring<2x(tensor<8x64xf16, #rows>, tensor<8x64xf16, #rows>), load, copy = #copy>>
    !v = !tile.view<?x64xf16, strides = [64, 1], div = [8, 1], align = 16>
    frag.kernel @k(%a: !tile.ptr<f16>, %b: !tile.ptr<f16> {tile.constant}, %n: index)
        attributes {threads = 64 : i64, shared_bytes = 131072 : i64, target = #ptx.target<"sm_90a">} {
      %c0 = arith.constant 0 : index
      %first = arith.constant 0 : i32
      %va = tile.view %a[%n] : !tile.ptr<f16> -> !v
      %vb = tile.view %b[%n] : !tile.ptr<f16> -> !v
      %ring = frag.shared 0 : !ring
      frag.await_dependencies
      %slot, %next = frag.acquire write %ring[%first] : !ring
      %ma = frag.slot_mem %slot[0] : !frag.mem<8x64xf16, #rows>
      %ta = frag.copy_in #copy %va[%c0, %c0] into %ma : !v -> !frag.mem<8x64xf16, #rows>
      %mb = frag.slot_mem %slot[1] : !frag.mem<8x64xf16, #rows>
      %tb = frag.copy_in #copy %vb[%c0, %c0] into %mb : !v -> !frag.mem<8x64xf16, #rows>
      frag.release %slot after(%ta, %tb : !tile.token, !tile.token)
      frag.release_dependents
      frag.return
    }
    // becomes
    ...
      scf.if %roomy {
        frag.release_dependents
      }
      ...
      %mb = frag.slot_mem %slot[1] : ...
      %tb = frag.copy_in #copy %vb[...] into %mb : ...
      frag.await_dependencies
      %ma = frag.slot_mem %slot[0] : ...
      %ta = frag.copy_in #copy %va[...] into %ma : ...
      frag.release %slot after(%ta, %tb : ...)
      frag.release_dependents
      frag.return
    ...
    ```
  }];
  let dependentDialects = ["::helios::frag::FragDialect"];
}

def FragReadAhead : Pass<"frag-read-ahead", "::helios::frag::KernelOp"> {
  let summary = "Read what products take from global memory some products before";
  let description = [{
    In a loop marked `tile.ahead = n`, an operand that a synchronous product reads from a view is read in front of the product n before it,
    where that one belongs to the trip before as well: what it reads is then carried into the next trip. Beyond the end the view's beginning is
    read, at which nobody looks. Reads that depend on the trip by anything but its counter stay.

    ```mlir
    #mma = #spv.coop<[16, 16, 16], f16, f16, f32, lanes = 32>
    #a = #tile.opaque<a, #mma, groups = [1, 1]>
    #b = #tile.opaque<b, #mma, groups = [1, 1]>
    #acc = #tile.opaque<acc, #mma, groups = [1, 1]>
    !fa = !frag.f<16x16xf16, #a>
    !fb = !frag.f<16x16xf16, #b>
    !acc = !frag.f<16x16xf32, #acc>
    !v = !tile.view<?x?xf16, strides = [?, 16], div = [128, 1], align = 16, packed = #b>
    frag.kernel @k(%p: !tile.ptr<f16>, %n: index {tile.range = array<i64: 1, 1000>}, %s: index {tile.div = 128 : index}) attributes {threads = 32 : i64} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c16 = arith.constant 16 : index
      %h = arith.constant 1.0 : f16
      %f = arith.constant 0.0 : f32
      %left = frag.splat %h : f16 -> !fa
      %init = frag.splat %f : f32 -> !acc
      %v = tile.view %p[%n, %n] strides [%s] : !tile.ptr<f16> -> !v
      %x = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %init) -> (!acc) {
        %k = arith.muli %i, %c16 : index
        %b = frag.read %v[%k, %c0] in_bounds : !v -> !fb
        %y = frag.mma #mma %left, %b, %sum : !fa, !fb, !acc
        scf.yield %y : !acc
      } {tile.ahead = 1 : i64}
      frag.return
    }
    // becomes
    ...
      %first = scf.if %some -> ... {
        %read = frag.read %v[%k0, %c0] in_bounds : ...
    ...
      %x:2 = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %init, %b = %first) -> ... {
    ...
        %k2 = arith.select %more, %k1, %zero : index
    ...
        %next = frag.read %v[%k2, %column] in_bounds : ...
        %y = frag.mma ... %left, %b, %sum : ...
        scf.yield %y, %next : ...
    ...
    ```
  }];
  let dependentDialects = ["::helios::frag::FragDialect", "::mlir::scf::SCFDialect", "::mlir::arith::ArithDialect"];
}

def FragInterleaveCopies : Pass<"frag-interleave-copies", "::helios::frag::KernelOp"> {
  let summary = "Put copies for later trips behind the first product of a trip";
  let description = [{
    In a loop with synchronous products, reads of global memory whose lanes have coordinates, and writes to shared memory, go behind the next
    product if nothing up to it needs them: it need not wait for them to be issued. Writes that a product of the same trip
    reads stay, so a loop with one buffer is left as it is.

    ```mlir
    #mma = #spv.coop<[16, 16, 16], f16, f16, f32, lanes = 32>
    #a = #tile.opaque<a, #mma, groups = [1, 1]>
    #b = #tile.opaque<b, #mma, groups = [1, 1]>
    #acc = #tile.opaque<acc, #mma, groups = [1, 1]>
    #regs = #tile.regs<vec = [1, 8], lanes = [16, 2], groups = [1, 1]>
    !f = !frag.f<16x16xf16, #regs>
    !fa = !frag.f<16x16xf16, #a>
    !fb = !frag.f<16x16xf16, #b>
    !acc = !frag.f<16x16xf32, #acc>
    !m = !frag.mem<16x16xf16, #tile.shared<order = [1, 0]>>
    !v = !tile.view<?x?xf16, strides = [?, 1]>
    frag.kernel @k(%p: !tile.ptr<f16>, %n: index) attributes {threads = 32 : i64, shared_bytes = 1024 : i64} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %h = arith.constant 1.0 : f16
      %f = arith.constant 0.0 : f32
      %right = frag.splat %h : f16 -> !fb
      %init = frag.splat %f : f32 -> !acc
      %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f16> -> !v
      %s0 = frag.shared 0 : !m
      %s1 = frag.shared 512 : !m
      %x = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %init) -> (!acc) {
        %g = frag.read %v[%i, %c0] : !v -> !f
        frag.write %g, %s1[%c0, %c0] : !f, !m
        %a = frag.read %s0[%c0, %c0] : !m -> !fa
        %y = frag.mma #mma %a, %right, %sum : !fa, !fb, !acc
        scf.yield %y : !acc
      }
      frag.return
    }
    // becomes
    ...
        %a = frag.read %s0[%c0, %c0] : ...
        %y = frag.mma ... %a, %right, %sum : ...
        %g = frag.read %v[%i, %c0] : ...
        frag.write %g, %s1[%c0, %c0] : ...
        scf.yield %y : ...
    ...
    ```
  }];
  let dependentDialects = ["::helios::frag::FragDialect"];
}

def VerifyLevel : Pass<"helios-verify-level", "::mlir::ModuleOp"> {
  let summary = "Check that a module is wholly of one level";
  let description = [{
    Fails, naming the op and the level it belongs to, when an op of another level stands in the module, and when an op's verifier
    fails. `arith` and `math` belong to levels 1 to 3, `scf` and `index` to 2 and 3; a `tile.plan` accompanies its programs down to the last level.

    ```mlir
    tile.program @k() {
      tile.return
    }
    // is refused, with level=3
    // 'tile.program' op belongs to level 2 (tile), but the module should be wholly of level 3 (frag)
    ```
  }];
  let options = [Option<"level", "level", "unsigned", "2", "The level: 1 (helios), 2 (tile), 3 (frag) or 4 (spirv, llvm)">];
}

#endif // HELIOS_TRANSFORMS_FRAGPASSES_TD
