// RUN: helios-opt %s --split-input-file --pass-pipeline='builtin.module(tile.program(tile-defer-reads))' | FileCheck %s

// What a loop reads in every trip is waited for behind the first copies of the loop's own ring.

#s = #tile.shared<order = [1, 0], swizzle = 64>
#mma = #ptx.mma_sync<[16, 8, 16], f16, f16, f32>
#a = #tile.operand<a, #mma, groups = [1, 1]>
!t = tensor<16x32xf16, #s>
!f = tensor<16x32xf16, #a>
!ring = !tile.ring<1x(!t), load, copy = #ptx.async16>
!ring2 = !tile.ring<2x(!t), load, copy = #ptx.async16>
!v = !tile.view<?x?xf16, strides = [?, 1], div = [8, 1], align = 16>

// CHECK-LABEL: tile.program @before_a_loop(
// CHECK: tile.copy_in %{{.*}} into %{{.*}}[0]
// CHECK: tile.exit
// CHECK-NOT: tile.enter read
// CHECK: tile.enter write %[[K:ring[_0-9]*]][
// CHECK: tile.copy_in
// CHECK: tile.exit
// CHECK-NEXT: %[[R:.*]], %{{.*}}, %[[X:.*]] = tile.enter read %[[Q:ring[_0-9]*]][
// CHECK-NEXT: %[[Y:.*]] = tile.convert_layout %[[X]]
// CHECK-NEXT: tile.exit %[[R]] after(%[[Y]]
// CHECK-NEXT: scf.for
// Slots that nobody reads stay where they are, as does what the loop enters.
// CHECK: tile.enter read %[[K]][
// CHECK: scf.yield
// CHECK: }
// CHECK-NEXT: tile.enter read %[[K]][
// CHECK-NEXT: tile.exit
// CHECK-NEXT: tile.store
tile.program @before_a_loop(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}) attributes {target = #ptx.target<"sm_89">} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : !f
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f16> -> !v
  %q, %cq = tile.ring : !ring
  %k, %ck = tile.ring : !ring2
  %w, %q1 = tile.enter write %q[%cq] : !ring -> !tile.slot<write>
  %t0 = tile.copy_in %v[%c0, %c0] into %w[0] : !v, !tile.slot<write>
  tile.exit %w after(%t0 : !tile.token) : !tile.slot<write>
  %r, %q2, %x = tile.enter read %q[%cq] : !ring -> !tile.slot<read>, !t
  %y = tile.convert_layout %x : !t -> !f
  tile.exit %r after(%y : !f) : !tile.slot<read>
  %u, %k1 = tile.enter write %k[%ck] : !ring2 -> !tile.slot<write>
  %t1 = tile.copy_in %v[%n, %c0] into %u[0] : !v, !tile.slot<write>
  tile.exit %u after(%t1 : !tile.token) : !tile.slot<write>
  %l:3 = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero, %cw = %k1, %cr = %ck) -> (!f, !tile.cursor, !tile.cursor) {
    %m, %cw1 = tile.enter write %k[%cw] : !ring2 -> !tile.slot<write>
    %t2 = tile.copy_in %v[%n, %i] into %m[0] : !v, !tile.slot<write>
    tile.exit %m after(%t2 : !tile.token) : !tile.slot<write>
    %o, %cr1, %z = tile.enter read %k[%cr] : !ring2 -> !tile.slot<read>, !t
    %g = tile.convert_layout %z : !t -> !f
    tile.exit %o after(%g : !f) : !tile.slot<read>
    %h = arith.addf %g, %y : !f
    %j = arith.addf %h, %sum : !f
    scf.yield %j, %cw1, %cr1 : !f, !tile.cursor, !tile.cursor
  }
  %d, %k3, %e = tile.enter read %k[%l#2] : !ring2 -> !tile.slot<read>, !t
  tile.exit %d : !tile.slot<read>
  tile.store %l#0, %v[%c0, %c0] : !f, !v
  tile.return
}

// -----

// A slot is handed back before the next one of its ring is entered: the ring's next use ends the way.

#s = #tile.shared<order = [1, 0], swizzle = 64>
#mma = #ptx.mma_sync<[16, 8, 16], f16, f16, f32>
#a = #tile.operand<a, #mma, groups = [1, 1]>
!t = tensor<16x32xf16, #s>
!f = tensor<16x32xf16, #a>
!ring = !tile.ring<1x(!t), load, copy = #ptx.async16>
!v = !tile.view<?x?xf16, strides = [?, 1], div = [8, 1], align = 16>

// CHECK-LABEL: tile.program @same_ring(
// CHECK: tile.enter write
// CHECK: tile.enter read
// CHECK: tile.convert_layout
// CHECK: tile.exit
// CHECK: tile.enter write
// CHECK: tile.exit
// CHECK: tile.enter read
// CHECK: tile.convert_layout
// CHECK-NEXT: tile.exit
// CHECK-NEXT: arith.addf
tile.program @same_ring(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}) attributes {target = #ptx.target<"sm_89">} {
  %c0 = arith.constant 0 : index
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f16> -> !v
  %q, %cq = tile.ring : !ring
  %w, %q1 = tile.enter write %q[%cq] : !ring -> !tile.slot<write>
  %t0 = tile.copy_in %v[%c0, %c0] into %w[0] : !v, !tile.slot<write>
  tile.exit %w after(%t0 : !tile.token) : !tile.slot<write>
  %r, %r1, %x = tile.enter read %q[%cq] : !ring -> !tile.slot<read>, !t
  %y = tile.convert_layout %x : !t -> !f
  tile.exit %r after(%y : !f) : !tile.slot<read>
  %u, %q2 = tile.enter write %q[%q1] : !ring -> !tile.slot<write>
  %t1 = tile.copy_in %v[%n, %c0] into %u[0] : !v, !tile.slot<write>
  tile.exit %u after(%t1 : !tile.token) : !tile.slot<write>
  %l, %r2, %z = tile.enter read %q[%r1] : !ring -> !tile.slot<read>, !t
  %o = tile.convert_layout %z : !t -> !f
  tile.exit %l after(%o : !f) : !tile.slot<read>
  %sum = arith.addf %y, %o : !f
  tile.store %sum, %v[%c0, %c0] : !f, !v
  tile.return
}
