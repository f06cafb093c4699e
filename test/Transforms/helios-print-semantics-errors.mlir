// RUN: helios-opt --helios-print-semantics --split-input-file --verify-diagnostics %s

helios.kernel @operation(%a: tensor<?x?xi8>, %b: tensor<?x?xi8>) -> tensor<?x?xi32> {
  %d = helios.matmul %a, %b : (tensor<?x?xi8>, tensor<?x?xi8>) -> tensor<?x?xi32> acc i32 {
  ^bb0(%x: i32):
    // expected-error @below {{is no operation that a checker can evaluate}}
    %y = math.ctlz %x : i32
    helios.yield %y : i32
  }
  helios.return %d : tensor<?x?xi32>
}

// -----

// expected-error @below {{a checker cannot read a tensor along other dimensions than the trailing ones}}
helios.kernel @rows(%a: tensor<8x8xf32>, %b: tensor<8x8xf32>, %r: tensor<8xf32>) -> tensor<8x8xf32> {
  %p = helios.matmul %a, %b : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32> acc f32
  %e = tensor.empty() : tensor<8x8xf32>
  %x = linalg.broadcast ins(%r : tensor<8xf32>) outs(%e : tensor<8x8xf32>) dimensions = [1]
  %d = arith.mulf %p, %x : tensor<8x8xf32>
  helios.return %d : tensor<8x8xf32>
}

// -----

helios.kernel @tensor(%a: tensor<8x8xf32>, %b: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error @below {{a checker cannot compute this tensor: it is neither a product nor element-wise}}
  %s = tensor.extract_slice %a[0, 0] [4, 8] [1, 1] : tensor<8x8xf32> to tensor<4x8xf32>
  %d = arith.mulf %s, %b : tensor<4x8xf32>
  %p = helios.matmul %s, %b {transpose_b} : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x4xf32> acc f32
  %q = helios.matmul %p, %b : (tensor<4x4xf32>, tensor<4x8xf32>) -> tensor<4x8xf32> acc f32
  helios.return %q : tensor<4x8xf32>
}

// -----

// An extent must be of an argument, along a constant dimension.
helios.kernel @scalar(%a: tensor<8x?xf32>, %b: tensor<?x8xf32>, %n: index) -> tensor<8x8xi32> {
  // expected-error @below {{is no extent that a checker can read: it must be of an argument of the kernel, with a constant dimension}}
  %k = tensor.dim %a, %n : tensor<8x?xf32>
  %d = helios.matmul %a, %b : (tensor<8x?xf32>, tensor<?x8xf32>) -> tensor<8x8xi32> acc f32 {
  ^bb0(%x: f32):
    %i = arith.index_cast %k : index to i32
    helios.yield %i : i32
  }
  helios.return %d : tensor<8x8xi32>
}

// -----

helios.kernel @operation(%a: tensor<8x?xf32>, %b: tensor<?x8xf32>) -> tensor<8x8xf32> {
  %d = helios.matmul %a, %b : (tensor<8x?xf32>, tensor<?x8xf32>) -> tensor<8x8xf32> acc f32 {
  ^bb0(%x: f32):
    // expected-error @below {{is no operation that a checker can evaluate}}
    %y = math.clampf %x to [%x, %x] : f32
    helios.yield %y : f32
  }
  helios.return %d : tensor<8x8xf32>
}
