// RUN: helios-opt --transform-interpreter --canonicalize --cse %s | FileCheck %s

// The loops of a product are its result's dimensions; slices follow transposes, broadcasts and batch, and indices in the
// epilogue keep counting from the whole result's corner.
// CHECK-LABEL: helios.kernel @tiled
// CHECK: scf.for %[[I:.+]] = %{{.+}} to %{{.+}} step %{{.+}} iter_args
// CHECK: scf.for %[[J:.+]] = %{{.+}} to %{{.+}} step %{{.+}} iter_args
// CHECK-DAG: %[[A:.+]] = tensor.extract_slice %arg0[0, %[[I]]] [64, 16] [1, 1]
// CHECK-DAG: %[[B:.+]] = tensor.extract_slice %arg1[0, %[[J]]] [64, 32] [1, 1]
// CHECK-DAG: %[[C:.+]] = tensor.extract_slice %arg2[%[[I]], 0] [16, 1] [1, 1]
// CHECK: helios.matmul %[[A]], %[[B]] fused(%[[C]] : tensor<16x1xf32>) {transpose_a} : {{.*}} -> tensor<16x32xf32> acc f32
// CHECK: ^bb0(%{{.+}}: f32, %{{.+}}: f32, %[[R:.+]]: index, %[[S:.+]]: index):
// CHECK-DAG: arith.addi %[[R]], %[[I]]
// CHECK-DAG: arith.addi %[[S]], %[[J]]
helios.kernel @tiled(%a: tensor<64x128xf16>, %b: tensor<64x256xf16>, %s: tensor<128x1xf32>) -> tensor<128x256xf32> {
  %d = helios.matmul %a, %b fused(%s : tensor<128x1xf32>) {transpose_a}
      : (tensor<64x128xf16>, tensor<64x256xf16>) -> tensor<128x256xf32> acc f32 {
  ^bb0(%x: f32, %r: f32, %i: index, %j: index):
    %lower = arith.cmpi uge, %i, %j : index
    %y = arith.mulf %x, %r : f32
    %z = arith.select %lower, %y, %x : f32
    helios.yield %z : f32
  }
  helios.return %d : tensor<128x256xf32>
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %product = transform.structured.match ops{["helios.matmul"]} in %root : (!transform.any_op) -> !transform.any_op
    %tiled, %loops:2 = transform.structured.tile_using_for %product tile_sizes [16, 32]
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
    transform.yield
  }
}
