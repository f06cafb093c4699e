// RUN: helios-opt --helios-to-tile %s | FileCheck %s

// A tile has the rows of one instruction: the program for whole tiles counts on N and K alone, and tests rows as it copies and stores.

// CHECK-LABEL: tile.program @few_full
// CHECK-SAME: index {tile.range = array<i64: 1, 2147483647>}, %{{[^:]*}}: index {tile.div = 32 : index, {{[^,]*, [^}]*}}}, %{{[^:]*}}: index {tile.div = 256 : index,
// CHECK-LABEL: tile.program @few_aligned
// CHECK-SAME: index {tile.range = array<i64: 1, 2147483647>}, %{{[^:]*}}: index {tile.div = 8 : index
// CHECK-LABEL: tile.program @few_any
// What follows is the plan, which tests of extents N and K.
// CHECK: tile.plan @few
// CHECK-NOT: arith.remui
// CHECK: %[[N:.+]] = arith.constant 32 : index
// CHECK-NEXT: arith.remui %{{.*}}, %[[N]] : index
// CHECK-NOT: arith.remui
// CHECK: %[[K:.+]] = arith.constant 256 : index
// CHECK-NEXT: arith.remui %{{.*}}, %[[K]] : index
helios.kernel @few(%a: tensor<?x?xbf16>, %b: tensor<?x?xbf16>) -> tensor<?x?xbf16> attributes {target = #ptx.target<"sm_90a">, schedule = #helios.schedule<strategy = groups, tile = [16, 32, 256], groups = [1, 2], mma = [16, 8, 16], depth = 4>} {
  %d = helios.matmul %a, %b {transpose_b} : (tensor<?x?xbf16>, tensor<?x?xbf16>) -> tensor<?x?xbf16> acc f32
  helios.return %d : tensor<?x?xbf16>
}
