// RUN: helios-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(tile.program(tile-alternate-buffers))' | FileCheck %s

#r = #tile.regs<vec = [1, 4], lanes = [8, 1], groups = [1, 1]>
#s = #tile.shared<order = [1, 0]>
!r = tensor<8x4xf32, #r>
!s = tensor<8x4xf32, #s>
!v = !tile.view<?x?xf32, strides = [?, 1]>
// Each trip writes the tile that the next one reads. The trip that is left over reads what the loop carries, and writes and loads nothing.
// CHECK-LABEL: @carried
// CHECK: %[[S0:.*]] = tile.convert_layout
// CHECK: %[[X:.*]]:2 = scf.for {{.*}} iter_args(%[[S:.*]] = %[[S0]], %[[G:.*]] = %{{.*}})
// CHECK: %[[T:.*]] = tile.convert_layout %[[G]] : {{.*}} -> tensor<8x4xf32, #[[SHARED:.*]]>
// CHECK: %[[G1:.*]] = tile.load
// CHECK: tile.convert_layout %[[S]] :
// CHECK: tile.store
// CHECK: %[[U:.*]] = tile.convert_layout %[[G1]] : {{.*}} -> tensor<8x4xf32, #[[SHARED]]>
// CHECK: %[[G2:.*]] = tile.load
// CHECK: tile.convert_layout %[[T]] :
// CHECK: tile.store
// CHECK: scf.yield %[[U]], %[[G2]]
// CHECK-NEXT: }
// CHECK-NEXT: %[[ODD:.*]] = arith.cmpi slt
// CHECK-NEXT: scf.if %[[ODD]] {
// CHECK-NEXT: tile.convert_layout %[[X]]#0
// CHECK-NEXT: tile.store
// CHECK-NEXT: }
tile.program @carried(%p: !tile.ptr<f32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f32> -> !v
  %zero = arith.constant dense<0.0> : !r
  %s0 = tile.convert_layout %zero : !r -> !s
  %x:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %s0, %g = %zero) -> (!s, !r) {
    %t = tile.convert_layout %g : !r -> !s
    %h = tile.load %v[%i, %c0] : !v -> !r
    %y = tile.convert_layout %s : !s -> !r
    tile.store %y, %v[%c0, %i] : !r, !v
    scf.yield %t, %h : !s, !r
  }
  tile.return
}

// -----

#r = #tile.regs<vec = [1, 4], lanes = [8, 1], groups = [1, 1]>
#s = #tile.shared<order = [1, 0]>
!r = tensor<8x4xf32, #r>
!s = tensor<8x4xf32, #s>
!v = !tile.view<?x?xf32, strides = [?, 1]>
// An even number of trips leaves none over; sums go through the branch of one that may be.
// CHECK-LABEL: @even
// CHECK: scf.for {{.*}} to %c4
// CHECK-NOT: scf.if
// CHECK: scf.for
// CHECK: %[[SUM:.*]] = scf.if
// CHECK: arith.addf
// CHECK: } else {
// CHECK-NEXT: scf.yield
// CHECK: tile.store %[[SUM]]
tile.program @even(%p: !tile.ptr<f32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f32> -> !v
  %zero = arith.constant dense<0.0> : !r
  %s0 = tile.convert_layout %zero : !r -> !s
  %x = scf.for %i = %c0 to %c4 step %c1 iter_args(%s = %s0) -> (!s) {
    %t = tile.convert_layout %zero : !r -> !s
    %y = tile.convert_layout %s : !s -> !r
    tile.store %y, %v[%c0, %i] : !r, !v
    scf.yield %t : !s
  }
  %z:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %s0, %sum = %zero) -> (!s, !r) {
    %t = tile.convert_layout %zero : !r -> !s
    %y = tile.convert_layout %s : !s -> !r
    %a = arith.addf %sum, %y : !r
    scf.yield %t, %a : !s, !r
  }
  tile.store %z#1, %v[%c0, %c0] : !r, !v
  tile.return
}

// -----

#r = #tile.regs<vec = [1, 4], lanes = [8, 1], groups = [1, 1]>
#s = #tile.shared<order = [1, 0]>
!r = tensor<8x4xf32, #r>
!s = tensor<8x4xf32, #s>
!v = !tile.view<?x?xf32, strides = [?, 1]>
tile.program @read_behind(%p: !tile.ptr<f32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f32> -> !v
  %zero = arith.constant dense<0.0> : !r
  %s0 = tile.convert_layout %zero : !r -> !s
  // expected-error @below {{expected nobody to read the tile in shared memory that its last trip leaves, which may be in either buffer; use depth = 1}}
  %x = scf.for %i = %c0 to %n step %c1 iter_args(%s = %s0) -> (!s) {
    %t = tile.convert_layout %zero : !r -> !s
    scf.yield %t : !s
  }
  %y = tile.convert_layout %x : !s -> !r
  tile.store %y, %v[%c0, %c0] : !r, !v
  tile.return
}
