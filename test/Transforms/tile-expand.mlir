// RUN: helios-opt %s --pass-pipeline='builtin.module(tile.program(tile-expand,canonicalize))' | FileCheck %s

#r = #tile.regs<vec = [1, 8], lanes = [4, 2], groups = [1, 1]>
#s = #tile.shared<order = [1, 0], pad = 8>
!v = !tile.view<?x?xf16, strides = [?, 1]>
// CHECK-LABEL: @proved
// The fact on %n proves a first trip: the first load has no test. Inside the loop the next load runs unless this trip is the last.
// CHECK-SAME: %[[N:[a-z0-9]*]]: index {tile.range
tile.program @proved(%p: !tile.ptr<f16>, %n: index {tile.range = array<i64: 1, 1000>}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f16> -> !v
  // CHECK-NOT: scf.if
  // CHECK: %[[FIRST:.*]] = tile.load %{{.*}}[%c0, %c0]
  // CHECK: scf.for %[[K:.*]] = %c0 to %[[N]] step %c1 iter_args(%[[CUR:.*]] = %[[FIRST]])
  // CHECK: %[[LAST:.*]] = arith.subi %[[N]], %c1
  // CHECK: %[[MORE:.*]] = arith.cmpi slt, %[[K]], %[[LAST]]
  // CHECK: tile.store %[[CUR]], %{{.*}}[%[[K]], %c0]
  // CHECK: %[[NEXT:.*]] = scf.if %[[MORE]]
  // CHECK-NEXT: tile.load
  // CHECK: scf.yield %[[NEXT]]
  // CHECK-NEXT: } {tile.unroll = 2 : i64}
  // CHECK-NOT: tile.sched
  // CHECK-NOT: tile.store
  // CHECK: tile.return
  scf.for %k = %c0 to %n step %c1 {
    %x = tile.load %v[%k, %c0] {tile.sched = #tile.sched<stage = 0, order = 1>} : !v -> tensor<16x16xf16, #r>
    tile.store %x, %v[%k, %c0] {tile.sched = #tile.sched<stage = 1, order = 0>} : tensor<16x16xf16, #r>, !v
  } {tile.unroll = 2 : i64}
  tile.return
}

// CHECK-LABEL: @guarded
// Nothing is known of %n: the first load runs only if there is a trip.
tile.program @guarded(%p: !tile.ptr<f16>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f16> -> !v
  // CHECK: %[[T:.*]] = arith.cmpi sgt, %{{.*}}, %c0
  // CHECK: %[[FIRST:.*]] = scf.if %[[T]]
  // CHECK-NEXT: tile.load
  // CHECK: scf.for {{.*}} = %[[FIRST]])
  // CHECK-NOT: scf.for
  scf.for %k = %c0 to %n step %c1 {
    %x = tile.load %v[%k, %c0] {tile.sched = #tile.sched<stage = 0, order = 1>} : !v -> tensor<16x16xf16, #r>
    tile.store %x, %v[%k, %c0] {tile.sched = #tile.sched<stage = 1, order = 0>} : tensor<16x16xf16, #r>, !v
  }
  tile.return
}
