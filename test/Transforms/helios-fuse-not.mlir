// RUN: helios-opt --helios-fuse=remarks --split-input-file --verify-diagnostics %s | FileCheck %s

// CHECK-LABEL: @nothing
helios.kernel @nothing(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // expected-remark @below {{not fused: no element-wise operation uses the product}}
  %p = helios.matmul %a, %b : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32> acc f32
  helios.return %p : tensor<?x?xf32>
}

// -----

// What would have to be known before it is computed: the operand of the sum is another product of this one.
// CHECK-LABEL: @around
// CHECK: helios.matmul
// CHECK: helios.matmul
// CHECK: arith.addf %{{.+}}, %{{.+}} : f32
// CHECK: helios.return
helios.kernel @around(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // expected-remark @below {{not fused: no element-wise operation uses the product}}
  %p = helios.matmul %a, %b : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32> acc f32
  // expected-remark @below {{not fused: no element-wise operation uses the product}}
  %q = helios.matmul %p, %b : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32> acc f32
  %d = arith.addf %p, %q : tensor<?x?xf32>
  helios.return %d : tensor<?x?xf32>
}

// -----

// CHECK-LABEL: @way_around
// CHECK: arith.addf %{{.+}} : tensor
helios.kernel @way_around(%a: tensor<4x4xf32>, %b: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %p = helios.matmul %a, %b : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32> acc f32
  %q = tensor.collapse_shape %p [[0, 1]] : tensor<4x4xf32> into tensor<16xf32>
  %r = tensor.expand_shape %q [[0, 1]] output_shape [4, 4] : tensor<16xf32> into tensor<4x4xf32>
  // expected-remark @below {{not fused: an operand is computed from the product by something else}}
  %d = arith.addf %p, %r : tensor<4x4xf32>
  helios.return %d : tensor<4x4xf32>
}

// -----

// CHECK-LABEL: @transposed
// CHECK: linalg.transpose
helios.kernel @transposed(%a: tensor<4x4xf32>, %b: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %p = helios.matmul %a, %b : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32> acc f32
  %e = tensor.empty() : tensor<4x4xf32>
  // expected-remark @below {{not fused: the product's elements are used at other coordinates than their own}}
  %d = linalg.transpose ins(%p : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) permutation = [1, 0]
  helios.return %d : tensor<4x4xf32>
}

// -----

// CHECK-LABEL: @constant
// CHECK: arith.addf %{{.+}} : tensor
helios.kernel @constant(%a: tensor<2x2xf32>, %b: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %p = helios.matmul %a, %b : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32> acc f32
  %c = arith.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  // expected-remark @below {{not fused: a constant tensor that is no splat cannot be fused}}
  %d = arith.addf %p, %c : tensor<2x2xf32>
  helios.return %d : tensor<2x2xf32>
}

// -----

// CHECK-LABEL: @other_transposed
// CHECK: arith.addf %{{.+}} : tensor
helios.kernel @other_transposed(%a: tensor<4x4xf32>, %b: tensor<4x4xf32>, %c: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %p = helios.matmul %a, %b : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32> acc f32
  %e = tensor.empty() : tensor<4x4xf32>
  %t = linalg.transpose ins(%c : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) permutation = [1, 0]
  // expected-remark @below {{not fused: an operand's dimensions are no sub-sequence of the product's}}
  %d = arith.addf %p, %t : tensor<4x4xf32>
  helios.return %d : tensor<4x4xf32>
}

// -----

// CHECK-LABEL: @reshaped
// CHECK: tensor.expand_shape
helios.kernel @reshaped(%a: tensor<4x4xf32>, %b: tensor<4x4xf32>) -> tensor<1x4x4xf32> {
  %p = helios.matmul %a, %b : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32> acc f32
  // expected-remark @below {{not fused: 'tensor.expand_shape' changes the number of dimensions}}
  %d = tensor.expand_shape %p [[0, 1], [2]] output_shape [1, 4, 4] : tensor<4x4xf32> into tensor<1x4x4xf32>
  helios.return %d : tensor<1x4x4xf32>
}

// -----

// CHECK-LABEL: @uninitialised
helios.kernel @uninitialised(%a: tensor<4x4xf32>, %b: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %p = helios.matmul %a, %b : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32> acc f32
  %e = tensor.empty() : tensor<4x4xf32>
  // expected-remark @below {{not fused: an uninitialised tensor is read}}
  %d = arith.addf %p, %e : tensor<4x4xf32>
  helios.return %d : tensor<4x4xf32>
}
