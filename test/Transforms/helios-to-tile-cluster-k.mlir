// RUN: helios-opt %s --helios-to-tile --canonicalize --cse | FileCheck %s

// Workgroups of a cluster have a slice of K each, add up their sums, and store the rows that each then has. The plan launches whole clusters, without a
// workspace or a second dispatch.

// CHECK-LABEL: tile.program @k_aligned(
// CHECK-SAME: config = #tile.config<{{.*}}cluster = [1, 1, 4]>
// CHECK: %[[STEPS:.*]] = arith.ceildivui %{{.*}}, %c64 : index
// CHECK: %[[OWN:.*]] = arith.ceildivui %[[STEPS]], %c4 : index
// CHECK: tile.items (%[[I:.*]], %[[J:.*]], %[[SHARE:.*]]) in (%{{.*}}, %{{.*}}, %c4) #tile.items<persistent, raster = [0, 8], cluster = [1, 1, 4]>
// CHECK: %[[M:.*]] = arith.muli %[[I]], %c64
// CHECK: %[[FIRST:.*]] = arith.muli %[[SHARE]], %[[OWN]]
// CHECK: %[[LEFT:.*]] = arith.subi %[[STEPS]], %[[FIRST]]
// CHECK: %[[MOST:.*]] = arith.minsi %[[OWN]], %[[LEFT]]
// A slice of none multiplies zeros that the engine reads behind the end.
// CHECK: %[[TRIPS:.*]] = arith.maxsi %[[MOST]], %c1
// CHECK: %[[SUM:.*]] = scf.for %[[STEP:.*]] = %c0 to %[[TRIPS]] step %c1
// CHECK: arith.addi %[[FIRST]], %[[STEP]]
// CHECK: %[[ROWS:.*]] = tile.reduce_scatter %[[SUM]][%[[SHARE]]] : tensor<64x32xf32> -> tensor<16x32xf32>
// CHECK: %[[BY:.*]] = arith.muli %[[SHARE]], %c16
// CHECK: %[[AT:.*]] = arith.addi %[[M]], %[[BY]]
// The residual is that of the same rows.
// CHECK: tile.load %{{.*}}[%[[AT]], %{{.*}}] : {{.*}} -> tensor<16x32xf16>
// CHECK: tile.store %{{.*}}, %{{.*}}[%[[AT]], %{{.*}}] : tensor<16x32xf16>
// CHECK-LABEL: tile.plan @k(
// CHECK-NOT: tile.workspace
// CHECK: tile.device clusters_of_4
// CHECK-NOT: _sum
helios.kernel @k(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %c: tensor<?x?xf16>) -> tensor<?x?xf16>
    attributes {target = #ptx.target<"sm_90a">,
                schedule = #helios.schedule<strategy = roles, tile = [64, 32, 64], groups = [1, 1], mma = [64, 32, 16], depth = 8, items = persistent, cluster_k = 4>} {
  %d = helios.matmul %a, %b fused(%c : tensor<?x?xf16>) {transpose_b} : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32 {
  ^bb0(%x: f32, %y: f16):
    %u = arith.truncf %x : f32 to f16
    %v = arith.addf %u, %y : f16
    helios.yield %v : f16
  }
  helios.return %d : tensor<?x?xf16>
}
