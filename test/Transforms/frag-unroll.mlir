// RUN: helios-opt %s --pass-pipeline='builtin.module(frag.kernel(frag-unroll,canonicalize,cse))' | FileCheck %s

!f = !frag.f<8x4xf32, #tile.regs<vec = [1, 4], lanes = [8, 1], groups = [1, 1]>>
!v = !tile.view<?x?xf32, strides = [?, 1]>
// Nothing is known of %n: a second loop runs the trips that are left, and neither is to be unrolled again.
// CHECK-LABEL: @rest
// CHECK: %[[V:.*]] = tile.view
// CHECK: %[[X:.*]]:2 = scf.for %[[K:.*]] = %c0 to %[[END:.*]] step %c3 iter_args(%{{.*}} = %c0, %{{.*}} = %
// CHECK-COUNT-3: frag.read %[[V]]
// CHECK-NOT: frag.read
// CHECK: } {tile.unroll = 1 : i64}
// CHECK: scf.for %{{.*}} = %[[END]] to %{{.*}} step %c1 iter_args(%{{.*}} = %[[X]]#0, %{{.*}} = %[[X]]#1)
// CHECK-COUNT-1: frag.read %[[V]]
// CHECK-NOT: frag.read
// CHECK: } {tile.unroll = 1 : i64}
// CHECK: frag.return
frag.kernel @rest(%p: !tile.ptr<f32>, %n: index) attributes {threads = 8 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f32> -> !v
  %first = frag.splat %zero : f32 -> !f
  %r:2 = scf.for %k = %c0 to %n step %c1 iter_args(%at = %c0, %x = %first) -> (index, !f) {
    %y = frag.read %v[%k, %at] : !v -> !f
    %z = frag.map(%x, %y : !f, !f) -> !f {
    ^bb0(%a: f32, %b: f32):
      %s = arith.addf %a, %b : f32
      frag.yield %s : f32
    }
    %next = arith.addi %at, %k : index
    scf.yield %next, %z : index, !f
  } {tile.unroll = 3 : i64}
  frag.write %r#1, %v[%r#0, %c0] : !f, !v
  frag.return
}

// A loop of one trip a trip, or without a mark, is as it was.
// CHECK-LABEL: @plain
// CHECK: scf.for
// CHECK-COUNT-1: frag.read
// CHECK-NOT: frag.read
// CHECK: } {tile.unroll = 1 : i64}
// CHECK: scf.for
// CHECK-COUNT-1: frag.read
// CHECK-NOT: frag.read
// CHECK: frag.return
frag.kernel @plain(%p: !tile.ptr<f32>, %n: index) attributes {threads = 8 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f32> -> !v
  scf.for %k = %c0 to %n step %c1 {
    %x = frag.read %v[%k, %c0] : !v -> !f
    frag.write %x, %v[%c0, %k] : !f, !v
  } {tile.unroll = 1 : i64}
  scf.for %k = %c0 to %n step %c1 {
    %x = frag.read %v[%k, %c0] : !v -> !f
    frag.write %x, %v[%c0, %k] : !f, !v
  }
  frag.return
}
