// RUN: helios-opt --helios-fuse=remarks --split-input-file --verify-diagnostics %s | FileCheck %s

// Weights are converted and scaled by columns; what is broadcast stays a vector.
// CHECK-LABEL: @weights
// CHECK: helios.matmul %arg0, %arg1 prologue(%arg2 : tensor<?xf16>) : (tensor<?x?xf16>, tensor<?x?xi8>) -> tensor<?x?xf16> acc f32 prologue {
// CHECK-NEXT: ^bb0(%[[W:.+]]: i8, %[[S:.+]]: f16):
// CHECK-NEXT: %[[F:.+]] = arith.sitofp %[[W]] : i8 to f16
// CHECK-NEXT: %[[Y:.+]] = arith.mulf %[[F]], %[[S]] : f16
// CHECK-NEXT: helios.yield %[[Y]] : f16
// CHECK-NOT: linalg
helios.kernel @weights(%a: tensor<?x?xf16>, %w: tensor<?x?xi8>, %s: tensor<?xf16>) -> tensor<?x?xf16> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %k = tensor.dim %w, %c0 : tensor<?x?xi8>
  %n = tensor.dim %w, %c1 : tensor<?x?xi8>
  %e = tensor.empty(%k, %n) : tensor<?x?xf16>
  %f = arith.sitofp %w : tensor<?x?xi8> to tensor<?x?xf16>
  %b = linalg.broadcast ins(%s : tensor<?xf16>) outs(%e : tensor<?x?xf16>) dimensions = [0]
  %x = arith.mulf %f, %b : tensor<?x?xf16>
  // expected-remark @below {{not fused: no element-wise operation uses the product}}
  %d = helios.matmul %a, %x : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
  helios.return %d : tensor<?x?xf16>
}

// -----

// Epilogue and prologue of one product, and a scale for each row of the operand as it is stored.
// CHECK-LABEL: @both
// CHECK: %[[S:.+]] = tensor.expand_shape %arg2 {{.*}} into tensor<8x1xf32>
// CHECK: helios.matmul %arg0, %arg1 prologue(%[[S]] : tensor<8x1xf32>) {transpose_b} : {{.*}} prologue {
// CHECK: arith.uitofp
// CHECK: arith.truncf %{{.+}} : f32 to bf16
// CHECK: math.tanh %{{.+}} : f32
helios.kernel @both(%a: tensor<4x16xbf16>, %w: tensor<8x16xi8>, %s: tensor<8xf32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<8x16xf32>
  %f = arith.uitofp %w : tensor<8x16xi8> to tensor<8x16xf32>
  %b = linalg.broadcast ins(%s : tensor<8xf32>) outs(%e : tensor<8x16xf32>) dimensions = [1]
  %x = arith.mulf %f, %b : tensor<8x16xf32>
  %t = arith.truncf %x : tensor<8x16xf32> to tensor<8x16xbf16>
  // expected-remark @below {{not fused: no element-wise operation uses the product}}
  %p = helios.matmul %a, %t {transpose_b} : (tensor<4x16xbf16>, tensor<8x16xbf16>) -> tensor<4x8xf32> acc f32
  %d = math.tanh %p : tensor<4x8xf32>
  helios.return %d : tensor<4x8xf32>
}

// -----

// CHECK-LABEL: @transposed
// CHECK: arith.negf %{{.+}} : tensor
// CHECK-NOT: prologue
helios.kernel @transposed(%a: tensor<4x4xf32>, %w: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %e = tensor.empty() : tensor<4x4xf32>
  %t = linalg.transpose ins(%w : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) permutation = [1, 0]
  %n = arith.negf %t : tensor<4x4xf32>
  // expected-remark @below {{not fused: no element-wise operation uses the product}}
  // expected-remark @below {{its right operand is not computed in a prologue: a tensor's dimensions are no sub-sequence of the operand's}}
  %d = helios.matmul %a, %n : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32> acc f32
  helios.return %d : tensor<4x4xf32>
}

// -----

// CHECK-LABEL: @position
// CHECK-NOT: prologue
helios.kernel @position(%a: tensor<4x4xf32>, %w: tensor<4x4xi8>) -> tensor<4x4xf32> {
  %e = tensor.empty() : tensor<4x4xf32>
  %n = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%w : tensor<4x4xi8>) outs(%e : tensor<4x4xf32>) {
  ^bb0(%x: i8, %o: f32):
    %i = linalg.index 0 : index
    %i8 = arith.index_cast %i : index to i8
    %s = arith.addi %x, %i8 : i8
    %f = arith.sitofp %s : i8 to f32
    linalg.yield %f : f32
  } -> tensor<4x4xf32>
  // expected-remark @below {{not fused: no element-wise operation uses the product}}
  // expected-remark @below {{its right operand is not computed in a prologue: it depends on the position}}
  %d = helios.matmul %a, %n : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32> acc f32
  helios.return %d : tensor<4x4xf32>
}

// -----

// Of the left operand, which both products of a pair have: it is computed once.
// CHECK-LABEL: @normalised
// CHECK: %[[R:.+]] = tensor.expand_shape %arg1 {{.*}} into tensor<4x1xf32>
// CHECK: helios.matmul %arg0, %arg3 pair(%arg4 : tensor<16x8xf16>) prologue_a(%[[R]], %arg2 : tensor<4x1xf32>, tensor<16xf32>)
// CHECK-SAME: prologue_a {
// CHECK-NEXT: ^bb0(%[[X:.+]]: f16, %[[S:.+]]: f32, %[[T:.+]]: f32):
// CHECK-NEXT: %[[X32:.+]] = arith.extf %[[X]]
// CHECK-NEXT: %[[U:.+]] = arith.mulf %[[X32]], %[[S]]
// CHECK-NEXT: %[[V:.+]] = arith.mulf %[[U]], %[[T]]
// CHECK-NEXT: %[[Y:.+]] = arith.truncf %[[V]]
// CHECK-NEXT: helios.yield %[[Y]] : f16
// CHECK-NOT: helios.matmul
helios.kernel @normalised(%x: tensor<4x16xf16>, %r: tensor<4xf32>, %g: tensor<16xf32>, %v: tensor<16x8xf16>, %w: tensor<16x8xf16>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x16xf32>
  %x32 = arith.extf %x : tensor<4x16xf16> to tensor<4x16xf32>
  %rows = linalg.broadcast ins(%r : tensor<4xf32>) outs(%e : tensor<4x16xf32>) dimensions = [1]
  %along = linalg.broadcast ins(%g : tensor<16xf32>) outs(%e : tensor<4x16xf32>) dimensions = [0]
  %u = arith.mulf %x32, %rows : tensor<4x16xf32>
  %n = arith.mulf %u, %along : tensor<4x16xf32>
  %h = arith.truncf %n : tensor<4x16xf32> to tensor<4x16xf16>
  // expected-remark @below {{not fused: no element-wise operation uses the product}}
  %p = helios.matmul %h, %v : (tensor<4x16xf16>, tensor<16x8xf16>) -> tensor<4x8xf32> acc f32
  // expected-remark @below {{not fused: no element-wise operation uses the product}}
  %q = helios.matmul %h, %w : (tensor<4x16xf16>, tensor<16x8xf16>) -> tensor<4x8xf32> acc f32
  %d = arith.mulf %p, %q : tensor<4x8xf32>
  helios.return %d : tensor<4x8xf32>
}

// -----

// CHECK-LABEL: @left_transposed
// CHECK: arith.negf %{{.+}} : tensor
// CHECK-NOT: prologue
helios.kernel @left_transposed(%a: tensor<4x4xf32>, %w: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %e = tensor.empty() : tensor<4x4xf32>
  %t = linalg.transpose ins(%a : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) permutation = [1, 0]
  %n = arith.negf %t : tensor<4x4xf32>
  // expected-remark @below {{not fused: no element-wise operation uses the product}}
  // expected-remark @below {{its left operand is not computed in a prologue: a tensor's dimensions are no sub-sequence of the operand's}}
  %d = helios.matmul %n, %w : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32> acc f32
  helios.return %d : tensor<4x4xf32>
}
