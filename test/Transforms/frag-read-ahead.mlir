// RUN: helios-opt %s --split-input-file --pass-pipeline='builtin.module(frag.kernel(frag-read-ahead))' | FileCheck %s

#mma = #spv.coop<[16, 16, 16], f16, f16, f32, lanes = 32>
#a = #tile.opaque<a, #mma, groups = [1, 1]>
#b = #tile.opaque<b, #mma, groups = [1, 1]>
#acc = #tile.opaque<acc, #mma, groups = [1, 1]>
!fa = !frag.f<16x16xf16, #a>
!fb = !frag.f<16x16xf16, #b>
!acc = !frag.f<16x16xf32, #acc>
!v = !tile.view<?x?xf16, strides = [?, 16], div = [128, 1], align = 16, packed = #b>

// Of two products of a trip the second's operand is read before the first, the first's in the trip before. Whatever is carried besides stays.
// CHECK-LABEL: @one
// CHECK: scf.if
// CHECK: frag.read
// CHECK: } else {
// CHECK: frag.splat
// CHECK: scf.for {{.*}} iter_args(%[[SUM:.*]] = %{{.*}}, %[[B0:.*]] = %{{.*}})
// CHECK: %[[B1:.*]] = frag.read %{{.*}}[%{{.*}}, %c0]
// CHECK: %[[Y0:.*]] = frag.mma {{.*}} %{{.*}}, %[[B0]], %[[SUM]]
// CHECK: %[[K:.*]] = arith.select %{{.*}}, %{{.*}}, %{{.*}} : index
// CHECK: %[[NEXT:.*]] = frag.read %{{.*}}[%[[K]],
// CHECK: %[[Y1:.*]] = frag.mma {{.*}} %{{.*}}, %[[B1]], %[[Y0]]
// CHECK: scf.yield %[[Y1]], %[[NEXT]]
// CHECK-NEXT: } {tile.unroll = 1 : i64}
frag.kernel @one(%p: !tile.ptr<f16>, %n: index, %s: index {tile.div = 128 : index}) attributes {threads = 32 : i64} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %h = arith.constant 1.0 : f16
  %f = arith.constant 0.0 : f32
  %left = frag.splat %h : f16 -> !fa
  %init = frag.splat %f : f32 -> !acc
  %v = tile.view %p[%n, %n] strides [%s] : !tile.ptr<f16> -> !v
  %x = scf.for %k = %c0 to %n step %c32 iter_args(%sum = %init) -> (!acc) {
    %b0 = frag.read %v[%k, %c0] in_bounds : !v -> !fb
    %y0 = frag.mma #mma %left, %b0, %sum : !fa, !fb, !acc
    %k1 = arith.addi %k, %c16 : index
    %b1 = frag.read %v[%k1, %c0] in_bounds : !v -> !fb
    %y1 = frag.mma #mma %left, %b1, %y0 : !fa, !fb, !acc
    scf.yield %y1 : !acc
  } {tile.ahead = 1 : i64, tile.unroll = 1 : i64}
  frag.return
}

// A distance of more than a trip is that of a trip: all operands are carried.
// CHECK-LABEL: @far
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}, %[[B0:.*]] = %{{.*}})
// CHECK: %[[NEXT:.*]] = frag.read
// CHECK: frag.mma {{.*}} %{{.*}}, %[[B0]],
// CHECK: scf.yield %{{.*}}, %[[NEXT]]
frag.kernel @far(%p: !tile.ptr<f16>, %n: index, %s: index {tile.div = 128 : index}) attributes {threads = 32 : i64} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %h = arith.constant 1.0 : f16
  %f = arith.constant 0.0 : f32
  %left = frag.splat %h : f16 -> !fa
  %init = frag.splat %f : f32 -> !acc
  %v = tile.view %p[%n, %n] strides [%s] : !tile.ptr<f16> -> !v
  %x = scf.for %k = %c0 to %n step %c16 iter_args(%sum = %init) -> (!acc) {
    %b0 = frag.read %v[%k, %c0] in_bounds : !v -> !fb
    %y0 = frag.mma #mma %left, %b0, %sum : !fa, !fb, !acc
    scf.yield %y0 : !acc
  } {tile.ahead = 4 : i64}
  frag.return
}

// What the loop carries decides where the operand lies, so that it cannot be read before; nor without a mark.
// CHECK-LABEL: @not
// CHECK: scf.for
// CHECK-NEXT: frag.read
// CHECK-NEXT: frag.mma
// CHECK: scf.for
// CHECK-NEXT: frag.read
// CHECK-NEXT: frag.mma
frag.kernel @not(%p: !tile.ptr<f16>, %n: index, %s: index {tile.div = 128 : index}) attributes {threads = 32 : i64} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %h = arith.constant 1.0 : f16
  %f = arith.constant 0.0 : f32
  %left = frag.splat %h : f16 -> !fa
  %init = frag.splat %f : f32 -> !acc
  %v = tile.view %p[%n, %n] strides [%s] : !tile.ptr<f16> -> !v
  %x:2 = scf.for %k = %c0 to %n step %c16 iter_args(%sum = %init, %at = %c0) -> (!acc, index) {
    %b0 = frag.read %v[%at, %c0] in_bounds : !v -> !fb
    %y0 = frag.mma #mma %left, %b0, %sum : !fa, !fb, !acc
    %next = arith.addi %at, %c16 : index
    scf.yield %y0, %next : !acc, index
  } {tile.ahead = 1 : i64}
  %z = scf.for %k = %c0 to %n step %c16 iter_args(%sum = %init) -> (!acc) {
    %b0 = frag.read %v[%k, %c0] in_bounds : !v -> !fb
    %y0 = frag.mma #mma %left, %b0, %sum : !fa, !fb, !acc
    scf.yield %y0 : !acc
  }
  frag.return
}
