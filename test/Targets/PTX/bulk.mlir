// RUN: helios-opt %s --convert-frag-to-ptx --split-input-file --verify-diagnostics | FileCheck %s

// Bulk copies: one instruction a panel by one lane, tensor maps as parameters with a recipe for the host, groups of stores.

#s = #tile.shared<order = [1, 0], swizzle = 128>
#rows = #tile.regs<vec = [1, 8], lanes = [16, 8], groups = [1, 1]>
!v = !tile.view<?x?x128xbf16, strides = [?, ?, 1], div = [8, 8, 1], align = 16>
!ring = !frag.ring<!tile.ring<2x(tensor<64x128xbf16, #s>), load, copy = #ptx.bulk>>
!out = !frag.ring<!tile.ring<2x(tensor<64x128xbf16, #s>), store, copy = #ptx.bulk, scope = replica>>
!mem = !frag.mem<64x128xbf16, #s>
!f = !frag.f<64x128xbf16, #rows>

// Innermost first: 128 columns of which a box takes 64, rows, and the leading dimension that the tile lacks. A stride that is an argument
// times a constant is [2, argument, factor].
// CHECK: gpu.module @copy attributes
// CHECK-SAME: parameters = [{access = {{.*}}argument = 0 : i64, kind = "pointer"}, {{{.*}}argument = 1{{.*}}}, {argument = 2 : i64, kind = "scalar"}, {argument = 3 : i64, kind = "scalar"}, {kind = "tensor_map", map = 0 : i64}, {kind = "tensor_map", map = 1 : i64}]
// CHECK-SAME: tensor_maps = [{argument = 0 : i64, box = [64, 64, 1], element = bf16, extents = {{\[\[}}0, 128], [1, 3], [1, 2]], strides = {{\[\[}}0, 128], [2, 3, 128]], swizzle = 128 : i64}, {argument = 1 : i64,
// CHECK-LABEL: llvm.func @copy(
// CHECK-SAME: llvm.align = 64 : i64, llvm.byval = !llvm.array<128 x i8>, llvm.noundef, nvvm.grid_constant
// CHECK: nvvm.prefetch tensormap
// CHECK: nvvm.mbarrier.init
// CHECK: nvvm.fence.mbarrier.init
// CHECK: nvvm.fence.proxy
// CHECK: nvvm.barrier
// Load of two panels, 64 columns and 8192 bytes apart.
// CHECK: mbarrier.try_wait.parity
// CHECK-COUNT-2: nvvm.cp.async.bulk.tensor.shared.cluster.global {{.*}} box[{{[^,]*}},{{[^,]*}},{{[^,]*}}] : !llvm.ptr<7>
// CHECK: mbarrier.arrive.expect_tx.shared::cta.b64
// CHECK: mbarrier.try_wait.parity
// Two groups may still read their slot: this one was read two stores ago.
// CHECK: nvvm.cp.async.bulk.wait_group 1 {read}
// CHECK: nvvm.barrier
// CHECK: nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
// CHECK: nvvm.barrier
// CHECK-COUNT-2: nvvm.cp.async.bulk.tensor.global.shared.cta
// CHECK: nvvm.cp.async.bulk.commit.group
// The kernel's end waits for everything.
// CHECK: nvvm.cp.async.bulk.wait_group 0
// CHECK-NOT: {read}
// CHECK: llvm.return
frag.kernel @copy(%pA: !tile.ptr<bf16>, %pD: !tile.ptr<bf16>, %B: index, %S: index)
    attributes {threads = 128 : i64, shared_bytes = 65568 : i64, target = #ptx.target<"sm_90a">} {
  %z = arith.constant 0 : index
  %c0 = arith.constant 0 : i32
  %c128 = arith.constant 128 : index
  %sh = arith.muli %S, %c128 : index
  %A = tile.view %pA[%B, %S] strides [%sh, %c128] : !tile.ptr<bf16> -> !v
  %D = tile.view %pD[%B, %S] strides [%sh, %c128] : !tile.ptr<bf16> -> !v
  %ring = frag.shared 0 barriers 65536 : !ring
  %out = frag.shared 32768 : !out
  %wg = frag.id workgroup
  %w, %c1 = frag.acquire write %ring[%c0] : !ring
  %m = frag.slot_mem %w[0] : !mem
  %t = frag.copy_in #ptx.bulk %A[%wg, %z, %z] into %m : !v -> !mem
  frag.release %w after(%t : !tile.token)
  %r, %d1 = frag.acquire read %ring[%c0] : !ring
  %n = frag.slot_mem %r[0] : !mem
  %x = frag.read %n[%z, %z] : !mem -> !f
  frag.barrier workgroup
  frag.release %r
  %o, %e1 = frag.acquire write %out[%c0] count 1 : !out
  %p = frag.slot_mem %o[0] : !mem
  frag.write %x, %p[%z, %z] : !f, !mem
  frag.release %o
  %q, %f1 = frag.acquire read %out[%c0] : !out
  frag.barrier workgroup proxy
  %pm = frag.slot_mem %q[0] : !mem
  %u = frag.copy_out #ptx.bulk %pm to %D[%wg, %z, %z] : !mem -> !v
  frag.release %q after(%u : !tile.token)
  frag.return
}

// -----

#s = #tile.shared<order = [1, 0], swizzle = 128>
!v = !tile.view<?x?xbf16, strides = [?, 1], div = [8, 1], align = 16>
!ring = !frag.ring<!tile.ring<1x(tensor<64x176xbf16, #s>), load, copy = #ptx.bulk>>
!mem = !frag.mem<64x176xbf16, #s>

// Rows of 176 elements are filled up to three panels of 64, and the barrier counts the bytes of all.
// CHECK: gpu.module @filled attributes
// CHECK-SAME: box = [64, 64]
// CHECK-LABEL: llvm.func @filled(
// CHECK: %[[BYTES:.+]] = llvm.mlir.constant(24576 : i32)
// CHECK-COUNT-3: nvvm.cp.async.bulk.tensor.shared.cluster.global
// CHECK-NOT: nvvm.cp.async.bulk.tensor.shared.cluster.global
// CHECK: mbarrier.arrive.expect_tx.shared::cta.b64 {{.*}} %{{[0-9]+}}, %[[BYTES]],
frag.kernel @filled(%p: !tile.ptr<bf16>, %n: index {tile.div = 8 : index})
    attributes {threads = 128 : i64, shared_bytes = 24592 : i64, target = #ptx.target<"sm_90a">} {
  %z = arith.constant 0 : index
  %c0 = arith.constant 0 : i32
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<bf16> -> !v
  %ring = frag.shared 0 barriers 24576 : !ring
  %w, %c1 = frag.acquire write %ring[%c0] : !ring
  %m = frag.slot_mem %w[0] : !mem
  %t = frag.copy_in #ptx.bulk %v[%z, %z] into %m : !v -> !mem
  frag.release %w after(%t : !tile.token)
  %r, %d1 = frag.acquire read %ring[%c0] : !ring
  frag.release %r
  frag.return
}

// -----

#s = #tile.shared<order = [1, 0], swizzle = 128>
!v = !tile.view<?x?xbf16, strides = [?, 1], div = [8, 1], align = 16>
!out = !frag.ring<!tile.ring<1x(tensor<64x176xbf16, #s>), store, copy = #ptx.bulk, scope = replica>>
!mem = !frag.mem<64x176xbf16, #s>
frag.kernel @overwritten(%p: !tile.ptr<bf16>, %n: index {tile.div = 8 : index})
    attributes {threads = 128 : i64, shared_bytes = 24576 : i64, target = #ptx.target<"sm_90a">} {
  %z = arith.constant 0 : index
  %c0 = arith.constant 0 : i32
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<bf16> -> !v
  %out = frag.shared 0 : !out
  %o, %c1 = frag.acquire write %out[%c0] count 1 : !out
  frag.release %o
  %q, %f1 = frag.acquire read %out[%c0] : !out
  frag.barrier workgroup proxy
  %m = frag.slot_mem %q[0] : !mem
  // expected-error @+1 {{expected rows of whole panels of 64 elements for a copy out of '!frag.mem<64x176xbf16, #tile.shared<order = [1, 0], swizzle = 128>>', got rows of 176}}
  %t = frag.copy_out #ptx.bulk %m to %v[%z, %z] : !mem -> !v
  frag.release %q after(%t : !tile.token)
  frag.return
}

// -----

#s = #tile.shared<order = [1, 0], swizzle = 128>
!v = !tile.view<?x?xbf16, strides = [?, 1], div = [4, 1], align = 16>
!ring = !frag.ring<!tile.ring<1x(tensor<64x64xbf16, #s>), load, copy = #ptx.bulk>>
!mem = !frag.mem<64x64xbf16, #s>
frag.kernel @stride(%p: !tile.ptr<bf16>, %n: index {tile.div = 4 : index})
    attributes {threads = 128 : i64, shared_bytes = 8208 : i64, target = #ptx.target<"sm_90a">} {
  %z = arith.constant 0 : index
  %c0 = arith.constant 0 : i32
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<bf16> -> !v
  %ring = frag.shared 0 barriers 8192 : !ring
  %w, %c1 = frag.acquire write %ring[%c0] : !ring
  %m = frag.slot_mem %w[0] : !mem
  // expected-error @+1 {{expected strides of a multiple of 16 bytes for a bulk copy, got a multiple of 8 in dimension 0}}
  %t = frag.copy_in #ptx.bulk %v[%z, %z] into %m : !v -> !mem
  frag.release %w after(%t : !tile.token)
  frag.return
}

// -----

#s = #tile.shared<order = [1, 0], swizzle = 128>
!v = !tile.view<?x?xbf16, strides = [?, 1], div = [8, 1], align = 16>
!ring = !frag.ring<!tile.ring<1x(tensor<64x64xbf16, #s>), load, copy = #ptx.bulk>>
!mem = !frag.mem<64x64xbf16, #s>
frag.kernel @extent(%p: !tile.ptr<bf16>, %n: index {tile.div = 8 : index})
    attributes {threads = 128 : i64, shared_bytes = 8208 : i64, target = #ptx.target<"sm_90a">} {
  %z = arith.constant 0 : index
  %c0 = arith.constant 0 : i32
  %m1 = arith.addi %n, %n : index
  %v = tile.view %p[%m1, %n] strides [%n] : !tile.ptr<bf16> -> !v
  %ring = frag.shared 0 barriers 8192 : !ring
  %w, %c1 = frag.acquire write %ring[%c0] : !ring
  %m = frag.slot_mem %w[0] : !mem
  // expected-error @+1 {{expected extents and strides of a view that the host can compute for a tensor map}}
  %t = frag.copy_in #ptx.bulk %v[%z, %z] into %m : !v -> !mem
  frag.release %w after(%t : !tile.token)
  frag.return
}

// -----

#s = #tile.shared<order = [1, 0], swizzle = 128>
!v = !tile.view<?x?xbf16, strides = [?, 1], div = [8, 1], align = 16>
!ring = !frag.ring<!tile.ring<1x(tensor<512x64xbf16, #s>), load, copy = #ptx.bulk>>
!mem = !frag.mem<512x64xbf16, #s>
frag.kernel @box(%p: !tile.ptr<bf16>, %n: index {tile.div = 8 : index})
    attributes {threads = 128 : i64, shared_bytes = 65552 : i64, target = #ptx.target<"sm_90a">} {
  %z = arith.constant 0 : index
  %c0 = arith.constant 0 : i32
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<bf16> -> !v
  %ring = frag.shared 0 barriers 65536 : !ring
  %w, %c1 = frag.acquire write %ring[%c0] : !ring
  %m = frag.slot_mem %w[0] : !mem
  // expected-error @+1 {{expected at most 256 elements a dimension of a bulk copy, got 512}}
  %t = frag.copy_in #ptx.bulk %v[%z, %z] into %m : !v -> !mem
  frag.release %w after(%t : !tile.token)
  frag.return
}

// -----

#s = #tile.shared<order = [1, 0], swizzle = 128>
!v = !tile.view<?x?xbf16, strides = [?, 1], div = [8, 1], align = 16>
!ring = !frag.ring<!tile.ring<1x(tensor<64x64xbf16, #s>), load, copy = #ptx.bulk>>
!mem = !frag.mem<64x64xbf16, #s>
frag.kernel @target(%p: !tile.ptr<bf16>, %n: index {tile.div = 8 : index})
    attributes {threads = 128 : i64, shared_bytes = 8208 : i64, target = #ptx.target<"sm_89">} {
  %z = arith.constant 0 : index
  %c0 = arith.constant 0 : i32
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<bf16> -> !v
  %ring = frag.shared 0 barriers 8192 : !ring
  %w, %c1 = frag.acquire write %ring[%c0] : !ring
  %m = frag.slot_mem %w[0] : !mem
  // expected-error @+1 {{expected a target with bulk copies, got sm_89}}
  %t = frag.copy_in #ptx.bulk %v[%z, %z] into %m : !v -> !mem
  frag.release %w after(%t : !tile.token)
  frag.return
}

// -----

#s = #tile.shared<order = [1, 0], swizzle = 128>
!out = !frag.ring<!tile.ring<2x(tensor<64x64xbf16, #s>), store, copy = #ptx.bulk, scope = replica>>
frag.kernel @not_counted() attributes {threads = 128 : i64, shared_bytes = 16384 : i64, target = #ptx.target<"sm_90a">} {
  %c0 = arith.constant 0 : i32
  %out = frag.shared 0 : !out
  // expected-error @+1 {{expected the count of copies that may still read the ring's slots; run frag-assign-wait-counts}}
  %o, %e1 = frag.acquire write %out[%c0] : !out
  frag.release %o
  frag.return
}
