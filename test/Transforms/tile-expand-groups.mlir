// RUN: helios-opt %s --pass-pipeline='builtin.module(tile.program(tile-assign-layouts,tile-rings,tile-schedule,tile-expand,canonicalize))' | FileCheck %s

!v = !tile.view<?x?xf16, strides = [?, 1], div = [8, 1], align = 16>

// Slots are entered and exited in every trip, copies stand under the loop's end; what was written beyond it is drained behind the
// loop. Nothing is known of the number of trips.
// CHECK-LABEL: @groups
// CHECK: %[[RING:.*]], %[[C:.*]] = tile.ring
// CHECK: %[[P0:.*]] = arith.cmpi sgt, %{{.*}}, %c0
// CHECK: %[[W0:.*]], %[[C1:.*]] = tile.enter write %[[RING]][%[[C]]]
// CHECK-COUNT-2: tile.copy_in {{.*}} if %[[P0]] into %[[W0]]
// CHECK: tile.exit %[[W0]]
// CHECK: %[[P1:.*]] = arith.cmpi sgt, %{{.*}}, %c1
// CHECK: %[[W1:.*]], %[[C2:.*]] = tile.enter write %[[RING]][%[[C1]]]
// CHECK-COUNT-2: tile.copy_in {{.*}} if %[[P1]] into %[[W1]]
// CHECK: tile.exit %[[W1]]
// CHECK: %[[X:.*]]:3 = scf.for %[[K:.*]] = %c0 to %[[N:.*]] step %c1 iter_args(%{{.*}} = %{{.*}}, %[[CW:.*]] = %[[C2]], %[[CR:.*]] = %[[C]])
// CHECK: %[[LAST:.*]] = arith.subi %[[N]], %c2
// CHECK: %[[P:.*]] = arith.cmpi slt, %[[K]], %[[LAST]]
// CHECK: %[[S:.*]], %[[CR1:.*]], %{{.*}}:2 = tile.enter read %[[RING]][%[[CR]]]
// CHECK: %[[W:.*]], %[[CW1:.*]] = tile.enter write %[[RING]][%[[CW]]]
// CHECK-COUNT-2: tile.copy_in {{.*}} if %[[P]] into %[[W]]
// CHECK: tile.exit %[[W]]
// CHECK: tile.dot
// CHECK-NEXT: tile.exit %[[S]]
// CHECK-NEXT: scf.yield %{{.*}}, %[[CW1]], %[[CR1]]
// CHECK: %[[D0:.*]], %[[CR2:.*]], %{{.*}}:2 = tile.enter read %[[RING]][%[[X]]#2]
// CHECK-NEXT: tile.exit %[[D0]] :
// CHECK-NEXT: %[[D1:.*]], %{{.*}}, %{{.*}}:2 = tile.enter read %[[RING]][%[[CR2]]]
// CHECK-NEXT: tile.exit %[[D1]] :
// CHECK-NOT: tile.sched
// CHECK-NOT: tile.enter
// CHECK: tile.return
tile.program @groups(%p: !tile.ptr<f16>, %n: index {tile.div = 16 : index, tile.range = array<i64: 0, 4096>}, %i: index {tile.div = 16 : index}, %m: index)
    attributes {config = #tile.config<groups = [1, 1], strategy = groups, depth = 3>, target = #ptx.target<"sm_89">} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f16> -> !v
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %x = scf.for %k = %c0 to %m step %c1 iter_args(%sum = %zero) -> (tensor<16x16xf32>) {
    %kk = arith.muli %k, %c32 : index
    %t = tile.load %v[%i, %kk] : !v -> tensor<16x32xf16>
    %u = tile.load %v[%i, %kk] : !v -> tensor<16x32xf16>
    %ut = tile.transpose %u : tensor<16x32xf16> -> tensor<32x16xf16>
    %y = tile.dot %t, %ut, %sum : tensor<16x32xf16>, tensor<32x16xf16>, tensor<16x16xf32>
    scf.yield %y : tensor<16x16xf32>
  }
  %d = arith.truncf %x : tensor<16x16xf32> to tensor<16x16xf16>
  tile.store %d, %v[%i, %i] : tensor<16x16xf16>, !v
  tile.return
}
