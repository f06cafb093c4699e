// RUN: helios-opt %s --pass-pipeline='builtin.module(frag.kernel(frag-interleave-copies))' | FileCheck %s

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

// What is copied for the next trip follows the first product, in order; the second product's operand does not move.
// CHECK-LABEL: @ahead
// CHECK: scf.for
// CHECK-NEXT: frag.read %{{.*}} -> <16x16xf16, #tile.opaque<a
// CHECK-NEXT: frag.mma
// CHECK-NEXT: frag.write
// CHECK-NEXT: frag.read {{.*}}!tile.view
// CHECK-NEXT: frag.read %{{.*}} -> <16x16xf16, #tile.opaque<a
// CHECK-NEXT: frag.mma
// CHECK-NEXT: scf.yield
frag.kernel @ahead(%p: !tile.ptr<f16>, %n: index) attributes {threads = 32 : i64, shared_bytes = 1024 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %h = arith.constant 1.0 : f16
  %f = arith.constant 0.0 : f32
  %right = frag.splat %h : f16 -> !fb
  %first = frag.splat %h : f16 -> !f
  %init = frag.splat %f : f32 -> !acc
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f16> -> !v
  %s0 = frag.shared 0 : !m
  %s1 = frag.shared 512 : !m
  %x:2 = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %init, %g = %first) -> (!acc, !f) {
    frag.write %g, %s1[%c0, %c0] : !f, !m
    %next = frag.read %v[%i, %c0] : !v -> !f
    %a = frag.read %s0[%c0, %c0] : !m -> !fa
    %y = frag.mma #mma %a, %right, %sum : !fa, !fb, !acc
    %b = frag.read %s0[%c0, %c0] : !m -> !fa
    %z = frag.mma #mma %b, %right, %y : !fa, !fb, !acc
    scf.yield %z, %next : !acc, !f
  }
  frag.return
}

// One buffer, which the product reads; a copy that a barrier follows.
// CHECK-LABEL: @here
// CHECK: scf.for
// CHECK-NEXT: frag.write
// CHECK-NEXT: frag.read %{{.*}} -> <16x16xf16, #tile.opaque<a
// CHECK-NEXT: frag.mma
// CHECK: scf.for
// CHECK-NEXT: frag.write
// CHECK-NEXT: frag.barrier
// CHECK-NEXT: frag.mma
frag.kernel @here(%n: index) attributes {threads = 32 : i64, shared_bytes = 1024 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %h = arith.constant 1.0 : f16
  %f = arith.constant 0.0 : f32
  %left = frag.splat %h : f16 -> !fa
  %right = frag.splat %h : f16 -> !fb
  %first = frag.splat %h : f16 -> !f
  %init = frag.splat %f : f32 -> !acc
  %s0 = frag.shared 0 : !m
  %s1 = frag.shared 256 : !m
  %x = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %init) -> (!acc) {
    frag.write %first, %s1[%c0, %c0] : !f, !m
    %a = frag.read %s0[%c0, %c0] : !m -> !fa
    %y = frag.mma #mma %a, %right, %sum : !fa, !fb, !acc
    scf.yield %y : !acc
  }
  %z = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %x) -> (!acc) {
    frag.write %first, %s1[%c0, %c0] : !f, !m
    frag.barrier workgroup
    %y = frag.mma #mma %left, %right, %sum : !fa, !fb, !acc
    scf.yield %y : !acc
  }
  frag.return
}
