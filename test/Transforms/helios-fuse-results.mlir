// RUN: helios-opt --helios-fuse --canonicalize --split-input-file %s | FileCheck %s

// What is used beside the end of element-wise code is one more result: here the product.
// CHECK-LABEL: @before
// CHECK: %[[D:.+]], %[[P:.+]] = helios.matmul %arg0, %arg1 : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf32>, tensor<?x?xf16> acc f32 {
// CHECK-NEXT: ^bb0(%[[X:.+]]: f32):
// CHECK-NEXT: %[[R:.+]] = arith.truncf %[[X]] : f32 to f16
// CHECK-NEXT: %[[W:.+]] = arith.extf %[[R]] : f16 to f32
// CHECK-NEXT: %[[T:.+]] = math.tanh %[[W]] : f32
// CHECK-NEXT: helios.yield %[[T]], %[[R]] : f32, f16
// CHECK: helios.return %[[D]], %[[P]]
helios.kernel @before(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> (tensor<?x?xf32>, tensor<?x?xf16>) {
  %p = helios.matmul %a, %b : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
  %w = arith.extf %p : tensor<?x?xf16> to tensor<?x?xf32>
  %d = math.tanh %w : tensor<?x?xf32>
  helios.return %d, %p : tensor<?x?xf32>, tensor<?x?xf16>
}

// -----

// A value between; the product itself is not stored.
// CHECK-LABEL: @between
// CHECK: %[[D:.+]], %[[S:.+]] = helios.matmul
// CHECK-NEXT: ^bb0(%[[X:.+]]: f32):
// CHECK: %[[ROOT:.+]] = math.sqrt %[[X]] : f32
// CHECK: %[[T:.+]] = math.tanh %[[ROOT]] : f32
// CHECK: helios.yield %[[T]], %[[ROOT]] : f32, f32
// CHECK: helios.return %[[D]], %[[S]]
helios.kernel @between(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>) -> (tensor<?x?xf32>, tensor<?x?xf32>) {
  %p = helios.matmul %a, %b : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32> acc f32
  %s = math.sqrt %p : tensor<?x?xf32>
  %d = math.tanh %s : tensor<?x?xf32>
  helios.return %d, %s : tensor<?x?xf32>, tensor<?x?xf32>
}

// -----

// Two ends, one of which stands before an operand of the other one.
// CHECK-LABEL: @ends
// CHECK: %[[F:.+]] = tensor.collapse_shape %arg2
// CHECK: %[[D:.+]], %[[E:.+]] = helios.matmul %arg0, %arg1 fused(%[[F]] : tensor<?x?xf32>)
// CHECK: ^bb0(%[[X:.+]]: f32, %[[O:.+]]: f32):
// CHECK-DAG: %[[T:.+]] = math.tanh %[[X]] : f32
// CHECK-DAG: %[[A:.+]] = arith.addf %[[X]], %[[O]] : f32
// CHECK: helios.yield %[[T]], %[[A]] : f32, f32
// CHECK: helios.return %[[D]], %[[E]]
helios.kernel @ends(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %c: tensor<1x?x?xf32>) -> (tensor<?x?xf32>, tensor<?x?xf32>) {
  %p = helios.matmul %a, %b : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32> acc f32
  %d = math.tanh %p : tensor<?x?xf32>
  %f = tensor.collapse_shape %c [[0, 1], [2]] : tensor<1x?x?xf32> into tensor<?x?xf32>
  %e = arith.addf %p, %f : tensor<?x?xf32>
  helios.return %d, %e : tensor<?x?xf32>, tensor<?x?xf32>
}

// -----

// A product that another one multiplies is stored, and its activation beside it, although the user stood before.
// CHECK-LABEL: @multiplied
// CHECK: %[[D:.+]], %[[P:.+]] = helios.matmul %arg0, %arg1
// CHECK: %[[Q:.+]] = helios.matmul %[[P]], %arg1
// CHECK: helios.return %[[D]], %[[Q]]
helios.kernel @multiplied(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>) -> (tensor<?x?xf32>, tensor<?x?xf32>) {
  %p = helios.matmul %a, %b : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32> acc f32
  %q = helios.matmul %p, %b : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32> acc f32
  %d = math.tanh %p : tensor<?x?xf32>
  helios.return %d, %q : tensor<?x?xf32>, tensor<?x?xf32>
}
