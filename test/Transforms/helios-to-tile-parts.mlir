// RUN: helios-opt --split-input-file --helios-to-tile %s | FileCheck %s

// Where instructions keep fewer bits of a sum than its type has, each step has a sum of its own, which is then added to those before.
// CHECK-LABEL: tile.program @parts_full
// CHECK: %[[ZERO:.+]] = arith.constant dense<0.000000e+00> : tensor<128x64xf32>
// CHECK: scf.for {{.*}} iter_args(%[[ACC:.+]] = %[[ZERO]])
// CHECK: %[[PART:.+]] = tile.dot %{{.+}}, %{{.+}}, %[[ZERO]] : tensor<128x128xf8E4M3FN>, tensor<128x64xf8E5M2>
// CHECK: %[[SUM:.+]] = arith.addf %[[ACC]], %[[PART]]
// CHECK: scf.yield %[[SUM]]
helios.kernel @parts(%a: tensor<?x?xf8E4M3FN>, %b: tensor<?x?xf8E5M2>) -> tensor<?x?xf32>
    attributes {target = #ptx.target<"sm_90a">, schedule = #helios.schedule<strategy = roles, tile = [128, 64, 128], groups = [2, 1], depth = 2, items = persistent>} {
  %d = helios.matmul %a, %b {transpose_b} : (tensor<?x?xf8E4M3FN>, tensor<?x?xf8E5M2>) -> tensor<?x?xf32> acc f32
  helios.return %d : tensor<?x?xf32>
}

// -----

// CHECK-LABEL: tile.program @fast_full
// CHECK: scf.for {{.*}} iter_args(%[[ACC:.+]] = %
// CHECK: %[[SUM:.+]] = tile.dot %{{.+}}, %{{.+}}, %[[ACC]]
// CHECK-NEXT: scf.yield %[[SUM]]
helios.kernel @fast(%a: tensor<?x?xf8E4M3FN>, %b: tensor<?x?xf8E5M2>) -> tensor<?x?xf32>
    attributes {target = #ptx.target<"sm_90a">, schedule = #helios.schedule<strategy = roles, tile = [128, 64, 128], groups = [2, 1], depth = 2, items = persistent>} {
  %d = helios.matmul %a, %b {transpose_b, fast_accumulation} : (tensor<?x?xf8E4M3FN>, tensor<?x?xf8E5M2>) -> tensor<?x?xf32> acc f32
  helios.return %d : tensor<?x?xf32>
}
