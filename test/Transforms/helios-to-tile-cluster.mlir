// RUN: helios-opt %s --helios-to-tile --canonicalize --cse | FileCheck %s

// Clusters of two rows of tiles: whole clusters in the variant `full`, as many of them as processors hold at once; rows that are not aligned are
// copied by each workgroup for itself.
// CHECK: tile.program @pair_full({{.*}}%{{[^:]*}}: index {tile.div = 256 : index, {{.*}}config = #tile.config<groups = [2, 1], {{.*}}, cluster = [2, 1]>
// CHECK: tile.items {{.*}} #tile.items<persistent, raster = [0, 16], cluster = [2, 1]>
// CHECK: tile.program @pair_aligned({{.*}}cluster = [2, 1]>
// CHECK: tile.items {{.*}} #tile.items<persistent, raster = [0, 16], cluster = [2, 1]>
// CHECK: tile.program @pair_any(
// CHECK-NOT: cluster
// CHECK: tile.items {{.*}} #tile.items<grid, raster = [0, 16]>
// CHECK-LABEL: tile.plan @pair(
// CHECK-DAG: %[[C2:.*]] = arith.constant 2 : index
// CHECK-DAG: %[[C192:.*]] = arith.constant 192 : index
// CHECK-DAG: %[[C256:.*]] = arith.constant 256 : index
// CHECK-DAG: %[[M:.*]] = tile.extent %arg0, 0
// CHECK-DAG: %[[N:.*]] = tile.extent %arg1, 0
// CHECK: %[[REST:.*]] = arith.remui %[[M]], %[[C256]]
// CHECK: arith.remui %[[N]], %[[C192]]
// CHECK: %[[COLUMNS:.*]] = arith.ceildivui %[[N]], %[[C192]]
// CHECK: %[[ROWS:.*]] = arith.ceildivui %[[M]], %[[C256]]
// CHECK: %[[CLUSTERS:.*]] = arith.muli %[[ROWS]], %[[COLUMNS]]
// CHECK: %[[FIT:.*]] = tile.device clusters_of_2
// CHECK: %[[TAKEN:.*]] = arith.minui %[[CLUSTERS]], %[[FIT]]
// CHECK: %[[GRID:.*]] = arith.muli %[[TAKEN]], %[[C2]]
// CHECK: tile.dispatch @pair_full[%[[GRID]]]
// CHECK: tile.dispatch @pair_any[
helios.kernel @pair(%a: tensor<?x?xbf16>, %b: tensor<?x?xbf16>) -> tensor<?x?xbf16>
    attributes {target = #ptx.target<"sm_90a">, schedule = #helios.schedule<strategy = roles, tile = [128, 192, 64], groups = [2, 1], mma = [64, 192, 16],
                depth = 4, raster = 16, items = persistent, cluster = [2, 1]>} {
  %d = helios.matmul %a, %b {transpose_b} : (tensor<?x?xbf16>, tensor<?x?xbf16>) -> tensor<?x?xbf16> acc f32
  helios.return %d : tensor<?x?xbf16>
}
