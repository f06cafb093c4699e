// RUN: helios-opt %s --pass-pipeline='builtin.module(tile.program(tile-expand,canonicalize))' | FileCheck %s

#r = #tile.regs<vec = [1, 8], lanes = [4, 2], groups = [1, 1]>
#s = #tile.shared<order = [1, 0], pad = 8>
!v = !tile.view<?x?xf16, strides = [?, 1], div = [8, 1], align = 16>
// CHECK-LABEL: @proved
// The fact on %n proves a first trip: no test. One load before the loop, the next one inside it, the last store after it.
// CHECK-SAME: %[[N:[a-z0-9]*]]: index {tile.div
tile.program @proved(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index, tile.range = array<i64: 1, 1000>}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f16> -> !v
  // CHECK: %[[FIRST:.*]] = tile.load %{{.*}}[%c0, %c0]
  // CHECK: %[[LAST:.*]] = arith.subi %[[N]], %c1
  // CHECK: %[[L:.*]] = scf.for %[[K:.*]] = %c0 to %[[LAST]] step %c1 iter_args(%[[CUR:.*]] = %[[FIRST]])
  // CHECK: tile.store %[[CUR]], %{{.*}}[%[[K]], %c0]
  // CHECK: %[[NEXT:.*]] = tile.load
  // CHECK: scf.yield %[[NEXT]]
  // CHECK: tile.store %[[L]], %{{.*}}[%{{.*}}, %c0]
  // CHECK-NOT: tile.sched
  scf.for %k = %c0 to %n step %c1 {
    %x = tile.load %v[%k, %c0] {tile.sched = #tile.sched<stage = 0, order = 1>} : !v -> tensor<16x16xf16, #r>
    tile.store %x, %v[%k, %c0] {tile.sched = #tile.sched<stage = 1, order = 0>} : tensor<16x16xf16, #r>, !v
  }
  tile.return
}

// CHECK-LABEL: @guarded
// Nothing is known of %n: the plain loop stands beside the expanded one.
tile.program @guarded(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f16> -> !v
  // CHECK: %[[T:.*]] = arith.cmpi sgt, %{{.*}}, %c0
  // CHECK: scf.if %[[T]]
  // CHECK: tile.load
  // CHECK: scf.for
  // CHECK: tile.store
  // CHECK: } else {
  // CHECK: scf.for
  // CHECK-NEXT: tile.load
  // CHECK-NEXT: tile.store
  scf.for %k = %c0 to %n step %c1 {
    %x = tile.load %v[%k, %c0] {tile.sched = #tile.sched<stage = 0, order = 1>} : !v -> tensor<16x16xf16, #r>
    tile.store %x, %v[%k, %c0] {tile.sched = #tile.sched<stage = 1, order = 0>} : tensor<16x16xf16, #r>, !v
  }
  tile.return
}
