// RUN: helios-opt --helios-to-tile --split-input-file %s | FileCheck %s

// Both operands are turned by programs of their own, and the product reads rows along K.

// CHECK-LABEL: tile.program @both_aligned_turn0(
// CHECK: %[[A:.*]] = tile.load %{{.*}}[%[[K:.*]], %[[M:.*]]] : <?x?xi8, strides = [?, ?]> -> tensor<32x256xi8>
// CHECK: %[[T:.*]] = tile.transpose %[[A]]
// CHECK: tile.store %[[T]], %{{.*}}[%[[M]], %[[K]]] : tensor<256x32xi8>, <?x?xi8, strides = [?, 1], div = [16, 1], align = 16>
// CHECK-LABEL: tile.program @both_aligned_turn1(
// CHECK-LABEL: tile.program @both_full(
// CHECK: %[[L:.*]] = tile.load {{.*}} -> tensor<128x64xi8>
// CHECK: %[[R:.*]] = tile.transpose
// CHECK: tile.dot %[[L]], %[[R]]
// CHECK: tile.dispatch @both_aligned_turn0
// CHECK-NEXT: tile.dispatch @both_aligned_turn1
// CHECK-NEXT: tile.dispatch @both_full
// CHECK: tile.dispatch @both_any
helios.kernel @both(%a: tensor<?x?xi8>, %b: tensor<?x?xi8>) -> tensor<?x?xi32>
    attributes {target = #ptx.target<"sm_90a">, schedule = #helios.schedule<strategy = roles, items = persistent, tile = [128, 128, 64], groups = [2, 1], depth = 2, mma = [64, 128, 32], turn = ab>} {
  %d = helios.matmul %a, %b {transpose_a} : (tensor<?x?xi8>, tensor<?x?xi8>) -> tensor<?x?xi32> acc i32
  helios.return %d : tensor<?x?xi32>
}

// -----

// What is stored along K is not turned.

// CHECK-NOT: turn0
// CHECK: tile.program @right_aligned_turn1(
// CHECK-NOT: turn0
helios.kernel @right(%a: tensor<?x?xi8>, %b: tensor<?x?xi8>) -> tensor<?x?xi32>
    attributes {target = #ptx.target<"sm_90a">, schedule = #helios.schedule<strategy = roles, items = persistent, tile = [128, 128, 64], groups = [2, 1], depth = 2, mma = [64, 128, 32], turn = ab>} {
  %d = helios.matmul %a, %b : (tensor<?x?xi8>, tensor<?x?xi8>) -> tensor<?x?xi32> acc i32
  helios.return %d : tensor<?x?xi32>
}
