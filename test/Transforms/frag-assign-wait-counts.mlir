// RUN: helios-opt %s --pass-pipeline='builtin.module(frag.kernel(frag-assign-wait-counts))' | FileCheck %s

#mma = #ptx.wgmma<n = 64, bf16, bf16, f32>
#acc = #tile.acc<#mma, groups = [1, 1]>
#s = #tile.shared<order = [1, 0], swizzle = 128>
!ring = !frag.ring<!tile.ring<4x(tensor<64x64xbf16, #s>), load, copy = #ptx.bulk>>
!groups = !frag.ring<!tile.ring<3x(tensor<64x64xbf16, #s>), load, copy = #ptx.async16>>
!store = !frag.ring<!tile.ring<3x(tensor<64x64xbf16, #s>), store, copy = #ptx.bulk>>
!m = !frag.mem<64x64xbf16, #s>
!acc = !frag.f<64x64xf32, #acc>
!h = !frag.f<64x64xbf16, #acc>
!fly = !frag.inflight<!frag.f<64x64xf32, #acc>>
!tok = !frag.token<"wgmma">
!v = !tile.view<?x?xf32, strides = [?, 1]>
!vb = !tile.view<?x?xbf16, strides = [?, 1], div = [8, 1], align = 16>

// CHECK-LABEL: @fifo
// An await retires what is older than its token too.
frag.kernel @fifo(%p: !tile.ptr<f32>, %n: index) attributes {threads = 128 : i64, shared_bytes = 32832 : i64} {
  %c0 = arith.constant 0 : i32
  %z = arith.constant 0 : index
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f32> -> !v
  %ring = frag.shared 0 barriers 32768 : !ring
  %s, %c1 = frag.acquire read %ring[%c0] : !ring
  %m = frag.slot_mem %s[0] : !m
  %d0, %t0 = frag.mma_start #mma %m, %m trans : !m, !m -> !fly, !tok
  %d1, %t1 = frag.mma_start #mma %m, %m trans : !m, !m -> !fly, !tok
  %d2, %t2 = frag.mma_start #mma %m, %m trans : !m, !m -> !fly, !tok
  // CHECK: frag.await {{.*}} count 1
  %x1 = frag.await %t1 (%d1 : !fly) : !tok -> !acc
  // CHECK: frag.await
  // CHECK-NOT: count
  // CHECK-SAME: {{$}}
  %x0 = frag.await %t0 (%d0 : !fly) : !tok -> !acc
  // The youngest named product decides.
  // CHECK: frag.release {{.*}} count 0
  frag.release %s after(%t0, %t1, %t2 : !tok, !tok, !tok)
  // CHECK: frag.await
  // CHECK-NOT: count
  %x2 = frag.await %t2 (%d2 : !fly) : !tok -> !acc
  // CHECK: frag.write
  frag.write %x0, %v[%z, %z] : !acc, !v
  frag.write %x1, %v[%z, %n] : !acc, !v
  frag.write %x2, %v[%n, %n] : !acc, !v
  frag.return
}

// CHECK-LABEL: @meet
// One path has started a younger product, the other has not: the smaller count is right on both.
frag.kernel @meet(%p: !tile.ptr<f32>, %n: index, %b: i1) attributes {threads = 128 : i64, shared_bytes = 32832 : i64} {
  %c0 = arith.constant 0 : i32
  %z = arith.constant 0 : index
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f32> -> !v
  %ring = frag.shared 0 barriers 32768 : !ring
  %s, %c1 = frag.acquire read %ring[%c0] : !ring
  %m = frag.slot_mem %s[0] : !m
  %d0, %t0 = frag.mma_start #mma %m, %m trans : !m, !m -> !fly, !tok
  scf.if %b {
    %d1, %t1 = frag.mma_start #mma %m, %m trans : !m, !m -> !fly, !tok
    // CHECK: scf.if
    // CHECK: frag.await {{.*}} count 0
    %x1 = frag.await %t1 (%d1 : !fly) : !tok -> !acc
    frag.write %x1, %v[%z, %n] : !acc, !v
  }
  // CHECK: frag.await {{.*}} count 0
  %x0 = frag.await %t0 (%d0 : !fly) : !tok -> !acc
  // CHECK: frag.release
  // CHECK-NOT: count
  // CHECK-SAME: {{$}}
  frag.release %s after(%t0 : !tok)
  frag.write %x0, %v[%z, %z] : !acc, !v
  frag.return
}

// CHECK-LABEL: @groups
// The writing side is two groups ahead at the loop's start and end; in the drain fewer are pending.
frag.kernel @groups(%p: !tile.ptr<bf16>, %n: index {tile.div = 8 : index}) attributes {threads = 128 : i64, shared_bytes = 24576 : i64} {
  %c0 = arith.constant 0 : i32
  %z = arith.constant 0 : index
  %o = arith.constant 1 : index
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<bf16> -> !vb
  %ring = frag.shared 0 : !groups
  // CHECK: frag.acquire write
  // CHECK-NOT: count
  // CHECK: scf.for
  %w0, %cw1 = frag.acquire write %ring[%c0] : !groups
  frag.release %w0
  %w1, %cw2 = frag.acquire write %ring[%cw1] : !groups
  frag.release %w1
  %l:2 = scf.for %k = %z to %n step %o iter_args(%cr = %c0, %cw = %cw2) -> (i32, i32) {
    // CHECK: frag.acquire read {{.*}} count 1
    %s, %cr1 = frag.acquire read %ring[%cr] : !groups
    // CHECK: frag.acquire write
    // CHECK-NOT: count
    // CHECK-SAME: {{$}}
    %w, %cwn = frag.acquire write %ring[%cw] : !groups
    %m = frag.slot_mem %w[0] : !m
    %t = frag.copy_in #ptx.async16 %v[%k, %z] into %m : !vb -> !m
    frag.release %w after(%t : !tile.token)
    frag.release %s
    scf.yield %cr1, %cwn : i32, i32
  }
  // CHECK: frag.acquire read {{.*}} count 1
  %s1, %cr1 = frag.acquire read %ring[%l#0] : !groups
  frag.release %s1
  // CHECK: frag.acquire read {{.*}} count 0
  %s2, %cr2 = frag.acquire read %ring[%cr1] : !groups
  frag.release %s2
  frag.return
}

// CHECK-LABEL: @two_rings
// One FIFO for the groups of all rings: waiting for the first ring's group leaves the second's pending.
frag.kernel @two_rings(%p: !tile.ptr<bf16>) attributes {threads = 128 : i64, shared_bytes = 49152 : i64} {
  %c0 = arith.constant 0 : i32
  %a = frag.shared 0 : !groups
  %b = frag.shared 24576 : !groups
  %w0, %d1 = frag.acquire write %a[%c0] : !groups
  frag.release %w0
  %w1, %d2 = frag.acquire write %b[%c0] : !groups
  frag.release %w1
  // CHECK: frag.acquire read {{.*}} count 1
  %s0, %e1 = frag.acquire read %a[%c0] : !groups
  frag.release %s0
  // CHECK: frag.acquire read {{.*}} count 0
  %s1, %e2 = frag.acquire read %b[%c0] : !groups
  frag.release %s1
  frag.return
}

// CHECK-LABEL: @stores
// A slot that is copied out is written again when all but the last two copies have read theirs; one less where a copy is issued late.
frag.kernel @stores(%p: !tile.ptr<bf16>, %n: index {tile.div = 8 : index}) attributes {threads = 128 : i64, shared_bytes = 24576 : i64} {
  %c0 = arith.constant 0 : i32
  %z = arith.constant 0 : index
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<bf16> -> !vb
  %ring = frag.shared 0 : !store
  // CHECK: frag.acquire write {{.*}} count 2
  %w0, %c1 = frag.acquire write %ring[%c0] : !store
  frag.release %w0
  // CHECK: frag.acquire write {{.*}} count 1
  %w1, %c2 = frag.acquire write %ring[%c1] : !store
  frag.release %w1
  // CHECK: frag.acquire read
  // CHECK-NOT: count
  // CHECK-SAME: {{$}}
  %s0, %d1 = frag.acquire read %ring[%c0] : !store
  %m0 = frag.slot_mem %s0[0] : !m
  %t0 = frag.copy_out #ptx.bulk %m0 to %v[%z, %z] : !m -> !vb
  frag.release %s0 after(%t0 : !tile.token)
  %s1, %d2 = frag.acquire read %ring[%d1] : !store
  %m1 = frag.slot_mem %s1[0] : !m
  %t1 = frag.copy_out #ptx.bulk %m1 to %v[%z, %n] : !m -> !vb
  frag.release %s1 after(%t1 : !tile.token)
  // CHECK: frag.acquire write {{.*}} count 2
  %w2, %c3 = frag.acquire write %ring[%c2] : !store
  frag.release %w2
  frag.return
}
