// RUN: helios-opt --split-input-file --helios-fuse=remarks --canonicalize --verify-diagnostics %s | FileCheck %s

// What is combined of element-wise code on a product becomes results of it; what is only combined is not stored.
// CHECK-LABEL: helios.kernel @norms
// CHECK: %[[D:.+]], %[[S:.+]]:2 = helios.matmul %arg0, %arg1 {reductions = [#helios.reduction<add, n>, #helios.reduction<max, m>]} : {{.*}} -> tensor<?x?xf16>, tensor<?xf32>, tensor<?xf32> acc f32 {
// CHECK: helios.yield %{{.+}}, %{{.+}}, %{{.+}} : f16, f32, f32
// CHECK-NOT: linalg
// CHECK: helios.return %[[D]], %[[S]]#0, %[[S]]#1
helios.kernel @norms(%x: tensor<?x?xf16>, %w: tensor<?x?xf16>) -> (tensor<?x?xf16>, tensor<?xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %least = arith.constant 0xFF800000 : f32
  %m = tensor.dim %x, %c0 : tensor<?x?xf16>
  %n = tensor.dim %w, %c1 : tensor<?x?xf16>
  // expected-remark @below {{not fused: no element-wise operation uses the product}}
  %p = helios.matmul %x, %w : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf32> acc f32
  %d = arith.truncf %p : tensor<?x?xf32> to tensor<?x?xf16>
  %squares = arith.mulf %p, %p : tensor<?x?xf32>
  %rows = tensor.empty(%m) : tensor<?xf32>
  %columns = tensor.splat %least[%n] : tensor<?xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%rows : tensor<?xf32>) -> tensor<?xf32>
  %s = linalg.reduce { arith.addf } ins(%squares : tensor<?x?xf32>) outs(%zeros : tensor<?xf32>) dimensions = [1]
  %t = linalg.reduce { arith.maximumf } ins(%p : tensor<?x?xf32>) outs(%columns : tensor<?xf32>) dimensions = [0]
  helios.return %d, %s, %t : tensor<?x?xf16>, tensor<?xf32>, tensor<?xf32>
}

// -----

// A batch; nothing else than the sum is wanted, and the product stays as the first result.
// CHECK-LABEL: helios.kernel @alone
// CHECK: %{{.+}}, %[[S:.+]] = helios.matmul %arg0, %arg1 {reductions = [#helios.reduction<add, m>]} : {{.*}} -> tensor<2x4x6xf32>, tensor<2x6xf32> acc f32
// CHECK: helios.return %[[S]]
helios.kernel @alone(%a: tensor<2x4x8xf16>, %b: tensor<8x6xf16>) -> tensor<2x6xf32> {
  // expected-remark @below {{not fused: no element-wise operation uses the product}}
  %p = helios.matmul %a, %b : (tensor<2x4x8xf16>, tensor<8x6xf16>) -> tensor<2x4x6xf32> acc f32
  %zeros = arith.constant dense<0.0> : tensor<2x6xf32>
  %s = linalg.reduce { arith.addf } ins(%p : tensor<2x4x6xf32>) outs(%zeros : tensor<2x6xf32>) dimensions = [1]
  helios.return %s : tensor<2x6xf32>
}

// -----

// CHECK-LABEL: helios.kernel @others
// CHECK-COUNT-4: linalg.reduce
helios.kernel @others(%a: tensor<4x8xf16>, %b: tensor<8x6xf16>, %some: tensor<4xf32>) -> tensor<4xf32> {
  // expected-remark @below {{not fused: no element-wise operation uses the product}}
  %p = helios.matmul %a, %b : (tensor<4x8xf16>, tensor<8x6xf16>) -> tensor<4x6xf32> acc f32
  %zeros = arith.constant dense<0.0> : tensor<4xf32>
  %zero = arith.constant dense<0.0> : tensor<f32>
  // expected-remark @below {{not combined in the product: expected a sum that begins with zero}}
  %s = linalg.reduce { arith.addf } ins(%p : tensor<4x6xf32>) outs(%some : tensor<4xf32>) dimensions = [1]
  // expected-remark @below {{not combined in the product: expected a maximum that begins with -inf}}
  %t = linalg.reduce { arith.maximumf } ins(%p : tensor<4x6xf32>) outs(%zeros : tensor<4xf32>) dimensions = [1]
  // expected-remark @below {{not combined in the product: expected 'arith.addf' or 'arith.maximumf' of an element and what is combined so far}}
  %u = linalg.reduce { arith.mulf } ins(%p : tensor<4x6xf32>) outs(%zeros : tensor<4xf32>) dimensions = [1]
  // expected-remark @below {{not combined in the product: expected one tensor that is combined along one dimension}}
  %v = linalg.reduce { arith.addf } ins(%p : tensor<4x6xf32>) outs(%zero : tensor<f32>) dimensions = [0, 1]
  %x = arith.addf %s, %t : tensor<4xf32>
  %e = tensor.empty() : tensor<4xf32>
  %w = linalg.broadcast ins(%v : tensor<f32>) outs(%e : tensor<4xf32>) dimensions = [0]
  %y = arith.addf %x, %u : tensor<4xf32>
  %z = arith.addf %y, %w : tensor<4xf32>
  helios.return %z : tensor<4xf32>
}

// -----

helios.kernel @invariant(%a: tensor<4x8xf16>, %b: tensor<8x6xf16>) -> tensor<4xf32> {
  // expected-remark @below {{not fused: no element-wise operation uses the product}}
  %p = helios.matmul %a, %b {batch_invariant} : (tensor<4x8xf16>, tensor<8x6xf16>) -> tensor<4x6xf32> acc f32
  %zeros = arith.constant dense<0.0> : tensor<4xf32>
  // expected-remark @below {{not combined in the product: the product is 'batch_invariant'}}
  %s = linalg.reduce { arith.addf } ins(%p : tensor<4x6xf32>) outs(%zeros : tensor<4xf32>) dimensions = [1]
  helios.return %s : tensor<4xf32>
}
