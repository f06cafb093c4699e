// RUN: helios-opt --split-input-file --helios-to-tile --canonicalize --cse --verify-diagnostics %s | FileCheck %s

// The sum over a step is multiplied by the scales of its block on its way to the others: those of rows, and the one of columns, which is
// repeated beside them, so that a lane holds few.
// CHECK-LABEL: tile.program @blocks_full
// CHECK-DAG: %[[KS:.+]] = arith.divui %[[K:arg[0-9]+]], %c128
// CHECK-DAG: %[[NS:.+]] = arith.ceildivui %[[N:arg[0-9]+]], %c128
// CHECK: %[[A:.+]] = tile.view %{{.+}} {{.*}}<f32> -> <?x?xf32, strides = [?, ?]>
// CHECK: %[[B:.+]] = tile.view %{{.+}} {{.*}}<f32> -> <?x?x?xf32, strides = [?, ?, 0]>
// CHECK: scf.for %[[G:[^ ]+]] = {{.*}} iter_args(%[[ACC:[^ ]+]] = %[[ZERO:[^ )]+]])
// CHECK: %[[ROWS:.+]] = tile.load %[[A]][%[[G]], %{{.+}}] {{.*}} -> tensor<128xf32>
// CHECK: %[[ONE:.+]] = tile.load %[[B]][%{{.+}}, %[[G]], %{{.+}}] {{.*}} -> tensor<128xf32>
// CHECK: %[[BOTH:.+]] = arith.mulf %[[ROWS]], %[[ONE]] : tensor<128xf32>
// CHECK: %[[SCALE:.+]] = tile.expand %[[BOTH]], [1] : tensor<128xf32> -> tensor<128x64xf32>
// CHECK: %[[PART:.+]] = tile.dot %{{.+}}, %{{.+}}, %[[ZERO]] : tensor<128x128xf8E4M3FN>, tensor<128x64xf8E4M3FN>
// CHECK: %[[SCALED:.+]] = arith.mulf %[[PART]], %[[SCALE]]
// CHECK: %[[SUM:.+]] = arith.addf %[[ACC]], %[[SCALED]]
// CHECK: scf.yield %[[SUM]]
// CHECK: tile.plan @blocks
// CHECK-DAG: tile.require %{{.+}}, "extent 1 of arg2 times the group of 128 must equal K"
// CHECK-DAG: tile.require %{{.+}}, "extent 0 of arg3 must be the number of groups of 128 that cover N"
helios.kernel @blocks(%a: tensor<?x?xf8E4M3FN>, %b: tensor<?x?xf8E4M3FN>, %s: tensor<?x?xf32>, %t: tensor<?x?xf32>) -> tensor<?x?xf32>
    attributes {target = #ptx.target<"sm_90a">, schedule = #helios.schedule<strategy = roles, tile = [128, 64, 128], groups = [2, 1], depth = 2, items = persistent>} {
  %d = helios.matmul %a, %b scales(%s, %t : tensor<?x?xf32>, tensor<?x?xf32>) {blocks = array<i64: 1, 128, 128>, transpose_b}
      : (tensor<?x?xf8E4M3FN>, tensor<?x?xf8E4M3FN>) -> tensor<?x?xf32> acc f32
  helios.return %d : tensor<?x?xf32>
}

// -----

// One scale a column is a row of the tile.
// CHECK-LABEL: tile.program @columns_full
// CHECK: scf.for
// CHECK: %[[ROWS:.+]] = tile.load {{.*}} -> tensor<128xf32>
// CHECK: %[[COLUMNS:.+]] = tile.load {{.*}} -> tensor<64xf32>
// CHECK-DAG: %[[R:.+]] = tile.expand %[[ROWS]], [1] : tensor<128xf32> -> tensor<128x64xf32>
// CHECK-DAG: %[[C:.+]] = tile.expand %[[COLUMNS]], [0] : tensor<64xf32> -> tensor<128x64xf32>
// CHECK: arith.mulf %[[R]], %[[C]]
helios.kernel @columns(%a: tensor<?x?xf8E4M3FN>, %b: tensor<?x?xf8E4M3FN>, %s: tensor<?x?xf32>, %t: tensor<?x?xf32>) -> tensor<?x?xf32>
    attributes {target = #ptx.target<"sm_89">, schedule = #helios.schedule<tile = [128, 64, 64]>} {
  %d = helios.matmul %a, %b scales(%s, %t : tensor<?x?xf32>, tensor<?x?xf32>) {blocks = array<i64: 1, 1, 64>}
      : (tensor<?x?xf8E4M3FN>, tensor<?x?xf8E4M3FN>) -> tensor<?x?xf32> acc f32
  helios.return %d : tensor<?x?xf32>
}
