// RUN: helios-opt --helios-fuse --split-input-file %s | FileCheck %s

// Element-wise tensor code, a diamond over the product, and a bias that is converted and broadcast by linalg.
// CHECK-LABEL: helios.kernel @bias_gelu
// CHECK-NOT: tensor.
// CHECK: %[[D:.+]] = helios.matmul %arg0, %arg1 fused(%arg2 : tensor<?xf16>)
// CHECK-NEXT: ^bb0(%[[X:.+]]: f32, %[[B:.+]]: f16):
// CHECK: %[[E:.+]] = arith.extf %[[B]] : f16 to f32
// CHECK: %[[U:.+]] = arith.addf %[[X]], %[[E]] : f32
// CHECK: %[[ERF:.+]] = math.erf %{{.+}} : f32
// CHECK: %[[Z:.+]] = arith.truncf %{{.+}} : f32 to f16
// CHECK: helios.yield %[[Z]] : f16
// CHECK-NEXT: }
// CHECK-NEXT: helios.return %[[D]] : tensor<?x?xf16>
helios.kernel @bias_gelu(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %bias: tensor<?xf16>) -> tensor<?x?xf16> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %p = helios.matmul %a, %b : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf32> acc f32
  %m = tensor.dim %p, %c0 : tensor<?x?xf32>
  %n = tensor.dim %p, %c1 : tensor<?x?xf32>
  %wide = arith.extf %bias : tensor<?xf16> to tensor<?xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %rows = linalg.broadcast ins(%wide : tensor<?xf32>) outs(%e : tensor<?x?xf32>) dimensions = [0]
  %u = arith.addf %p, %rows : tensor<?x?xf32>
  %r = arith.constant 0.70710678 : f32
  %half = arith.constant 0.5 : f32
  %one = arith.constant 1.0 : f32
  %rs = tensor.splat %r[%m, %n] : tensor<?x?xf32>
  %hs = linalg.fill ins(%half : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %os = linalg.fill ins(%one : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %s = arith.mulf %u, %rs : tensor<?x?xf32>
  %f = math.erf %s : tensor<?x?xf32>
  %g = arith.addf %f, %os : tensor<?x?xf32>
  %h = arith.mulf %u, %hs : tensor<?x?xf32>
  %y = arith.mulf %h, %g : tensor<?x?xf32>
  %d = arith.truncf %y : tensor<?x?xf32> to tensor<?x?xf16>
  helios.return %d : tensor<?x?xf16>
}

// -----

// One linalg.generic with a per-row operand, an index and a scalar of the kernel; a static constant beside it.
// CHECK-LABEL: helios.kernel @generic
// CHECK: %[[ROWS:.+]] = tensor.expand_shape %arg2 {{\[}}[0, 1]] output_shape [%{{.+}}, 1] : tensor<?xf32> into tensor<?x1xf32>
// CHECK: helios.matmul %arg0, %arg1 fused(%[[ROWS]] : tensor<?x1xf32>)
// CHECK-NEXT: ^bb0(%[[X:.+]]: f32, %[[R:.+]]: f32, %[[I:.+]]: index, %[[J:.+]]: index):
// CHECK: %[[S:.+]] = arith.mulf %[[X]], %[[R]]
// CHECK: %[[A:.+]] = arith.mulf %[[S]], %arg3
// CHECK: arith.cmpi uge, %[[I]], %[[J]] : index
#same = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#none = affine_map<(i, j) -> ()>
helios.kernel @generic(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %rows: tensor<?xf32>, %alpha: f32) -> tensor<?x?xf32> {
  %p = helios.matmul %a, %b : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32> acc f32
  %d = linalg.generic {indexing_maps = [#same, #row, #none, #same], iterator_types = ["parallel", "parallel"]}
      ins(%p, %rows, %alpha : tensor<?x?xf32>, tensor<?xf32>, f32) outs(%p : tensor<?x?xf32>) {
  ^bb0(%x: f32, %r: f32, %s: f32, %o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %y = arith.mulf %x, %r : f32
    %z = arith.mulf %y, %s : f32
    %c = arith.cmpi uge, %i, %j : index
    %w = arith.select %c, %z, %x : f32
    linalg.yield %w : f32
  } -> tensor<?x?xf32>
  helios.return %d : tensor<?x?xf32>
}

// -----

// What is fused already stays in front; a splat constant becomes a scalar; one operand given twice is one fused operand.
// CHECK-LABEL: helios.kernel @onto_epilogue
// CHECK: helios.matmul %arg0, %arg1 fused(%arg2, %arg3 : tensor<8xf32>, tensor<16x8xf32>)
// CHECK-NEXT: ^bb0(%[[X:.+]]: f32, %[[C:.+]]: f32, %[[M:.+]]: f32):
// CHECK-NEXT: %[[Y:.+]] = arith.addf %[[X]], %[[C]] : f32
// CHECK: %[[SIN:.+]] = math.sin %[[Y]] : f32
// CHECK: %[[MUL:.+]] = arith.mulf %[[SIN]], %[[M]]
// CHECK: %[[SUB:.+]] = arith.subf %[[MUL]], %[[M]]
// CHECK: %[[TWO:.+]] = arith.constant 2.000000e+00 : f32
// CHECK: arith.divf %[[SUB]], %[[TWO]] : f32
helios.kernel @onto_epilogue(%a: tensor<16x4xf32>, %b: tensor<4x8xf32>, %c: tensor<8xf32>, %m: tensor<16x8xf32>) -> tensor<16x8xf32> {
  %p = helios.matmul %a, %b fused(%c : tensor<8xf32>) : (tensor<16x4xf32>, tensor<4x8xf32>) -> tensor<16x8xf32> acc f32 {
  ^bb0(%x: f32, %e: f32):
    %y = arith.addf %x, %e : f32
    helios.yield %y : f32
  }
  %two = arith.constant dense<2.0> : tensor<16x8xf32>
  %s = math.sin %p : tensor<16x8xf32>
  %t = arith.mulf %s, %m : tensor<16x8xf32>
  %u = arith.subf %t, %m : tensor<16x8xf32>
  %d = arith.divf %u, %two : tensor<16x8xf32>
  helios.return %d : tensor<16x8xf32>
}

// -----

// Two products: each takes what is its own, and the sum takes the other product as a fused operand.
// CHECK-LABEL: helios.kernel @gated
// CHECK: %[[U:.+]] = helios.matmul %arg0, %arg1
// CHECK: helios.matmul %arg3, %arg2 fused(%[[U]] : tensor<?x?xf32>)
// CHECK-NEXT: ^bb0(%[[X:.+]]: f32, %[[V:.+]]: f32):
// CHECK-DAG: arith.negf %[[X]]
// CHECK-DAG: arith.mulf %{{.+}}, %[[V]]
helios.kernel @gated(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %c: tensor<?x?xf16>, %e: tensor<?x?xf16>) -> tensor<?x?xf32> {
  %u = helios.matmul %a, %b : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf32> acc f32
  %g = helios.matmul %e, %c : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf32> acc f32
  %n = arith.negf %g : tensor<?x?xf32>
  %d = arith.mulf %n, %u : tensor<?x?xf32>
  helios.return %d : tensor<?x?xf32>
}

// -----

// Code that nobody uses is no use of the product.
// CHECK-LABEL: helios.kernel @dead
// CHECK-NOT: math.cos
// CHECK: helios.matmul
// CHECK-NEXT: ^bb0
// CHECK-NEXT: math.tanh
// CHECK-NOT: math.cos
helios.kernel @dead(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> tensor<?x?xf32> {
  %p = helios.matmul %a, %b : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf32> acc f32
  %unused = math.cos %p : tensor<?x?xf32>
  %d = math.tanh %p : tensor<?x?xf32>
  helios.return %d : tensor<?x?xf32>
}
