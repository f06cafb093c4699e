// RUN: helios-opt --canonicalize --split-input-file %s | FileCheck %s

// A fused operand that nobody uses, one that is given twice, and unused indices go.
// CHECK-LABEL: @unused
// CHECK: helios.matmul %arg0, %arg1 fused(%arg2 : tensor<?xf32>) :
// CHECK-NEXT: ^bb0(%[[X:.+]]: f32, %[[C:.+]]: f32):
// CHECK-NEXT: %[[Y:.+]] = arith.addf %[[X]], %[[C]]
// CHECK-NEXT: arith.mulf %[[Y]], %[[C]]
helios.kernel @unused(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %c: tensor<?xf32>, %u: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %d = helios.matmul %a, %b fused(%u, %c, %c : tensor<?x?xf32>, tensor<?xf32>, tensor<?xf32>)
      : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32> acc f32 {
  ^bb0(%x: f32, %e: f32, %f: f32, %g: f32, %i: index, %j: index):
    %y = arith.addf %x, %f : f32
    %z = arith.mulf %y, %g : f32
    helios.yield %z : f32
  }
  helios.return %d : tensor<?x?xf32>
}

// -----

// Indices of which one is used stay.
// CHECK-LABEL: @indices
// CHECK: ^bb0(%{{.+}}: f32, %{{.+}}: index, %{{.+}}: index):
helios.kernel @indices(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>) -> tensor<?x?xi32> {
  %d = helios.matmul %a, %b : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xi32> acc f32 {
  ^bb0(%x: f32, %i: index, %j: index):
    %z = arith.index_cast %j : index to i32
    helios.yield %z : i32
  }
  helios.return %d : tensor<?x?xi32>
}

// -----

// An epilogue that only converts is the default one.
// CHECK-LABEL: @conversion
// CHECK: helios.matmul %arg0, %arg1 : {{.*}} acc f32{{$}}
// CHECK-NEXT: helios.return
helios.kernel @conversion(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> tensor<?x?xf16> {
  %d = helios.matmul %a, %b : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32 {
  ^bb0(%x: f32):
    %z = arith.truncf %x : f32 to f16
    helios.yield %z : f16
  }
  helios.return %d : tensor<?x?xf16>
}

// -----

// One that negates is not.
// CHECK-LABEL: @negation
// CHECK: arith.negf
helios.kernel @negation(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %d = helios.matmul %a, %b : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32> acc f32 {
  ^bb0(%x: f32):
    %z = arith.negf %x : f32
    helios.yield %z : f32
  }
  helios.return %d : tensor<?x?xf32>
}

// -----

// Explicit transpositions become flags, and two of them none.
// CHECK-LABEL: @transpose
// CHECK: helios.matmul %arg0, %arg1 {transpose_a} : (tensor<4x8x16xf16>, tensor<8x32xf16>)
helios.kernel @transpose(%a: tensor<4x8x16xf16>, %b: tensor<8x32xf16>) -> tensor<4x16x32xf16> {
  %ea = tensor.empty() : tensor<4x16x8xf16>
  %eb = tensor.empty() : tensor<32x8xf16>
  %at = linalg.transpose ins(%a : tensor<4x8x16xf16>) outs(%ea : tensor<4x16x8xf16>) permutation = [0, 2, 1]
  %bt = linalg.transpose ins(%b : tensor<8x32xf16>) outs(%eb : tensor<32x8xf16>) permutation = [1, 0]
  %d = helios.matmul %at, %bt {transpose_b} : (tensor<4x16x8xf16>, tensor<32x8xf16>) -> tensor<4x16x32xf16> acc f32
  helios.return %d : tensor<4x16x32xf16>
}

// -----

// A transposition that moves the batch is none of the product's.
// CHECK-LABEL: @batch_transpose
// CHECK: linalg.transpose
helios.kernel @batch_transpose(%a: tensor<8x4x16xf16>, %b: tensor<16x32xf16>) -> tensor<4x8x32xf16> {
  %e = tensor.empty() : tensor<4x8x16xf16>
  %at = linalg.transpose ins(%a : tensor<8x4x16xf16>) outs(%e : tensor<4x8x16xf16>) permutation = [1, 0, 2]
  %d = helios.matmul %at, %b : (tensor<4x8x16xf16>, tensor<16x32xf16>) -> tensor<4x8x32xf16> acc f32
  helios.return %d : tensor<4x8x32xf16>
}

// -----

// A pair is no fused operand: it stays, whatever its sum is used for, and its epilogue with it.
// CHECK-LABEL: @pair
// CHECK: helios.matmul %arg0, %arg1 pair(%arg2 : tensor<?x?xf32>) fused(%arg4 : tensor<?xf32>) :
// CHECK-NEXT: ^bb0(%[[X:.+]]: f32, %[[Y:.+]]: f32, %[[C:.+]]: f32):
// CHECK-NEXT: arith.addf %[[Y]], %[[C]]
helios.kernel @pair(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %p: tensor<?x?xf32>, %u: tensor<?x?xf32>, %c: tensor<?xf32>) -> tensor<?x?xf32> {
  %d = helios.matmul %a, %b pair(%p : tensor<?x?xf32>) fused(%u, %c : tensor<?x?xf32>, tensor<?xf32>)
      : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32> acc f32 {
  ^bb0(%x: f32, %y: f32, %e: f32, %f: f32, %i: index, %j: index):
    %z = arith.addf %y, %f : f32
    helios.yield %z : f32
  }
  helios.return %d : tensor<?x?xf32>
}

// -----

// CHECK-LABEL: @pair_plain
// CHECK: pair(%arg2
// CHECK-NEXT: ^bb0(%[[X:.+]]: f32, %{{.+}}: f32):
// CHECK-NEXT: helios.yield %[[X]]
helios.kernel @pair_plain(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %p: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %d = helios.matmul %a, %b pair(%p : tensor<?x?xf32>) : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32> acc f32 {
  ^bb0(%x: f32, %y: f32):
    helios.yield %x : f32
  }
  helios.return %d : tensor<?x?xf32>
}

// -----

// Both right operands are transposed, or neither.
// CHECK-LABEL: @pair_transposed
// CHECK-NOT: linalg.transpose
// CHECK: helios.matmul %arg0, %arg1 pair(%arg2 : tensor<?x?xf32>) {transpose_b}
// CHECK-LABEL: @pair_half
// CHECK: %[[T:.+]] = linalg.transpose
// CHECK: helios.matmul %arg0, %[[T]] pair(%arg2 : tensor<4x4xf32>) :
helios.kernel @pair_transposed(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %p: tensor<?x?xf32>, %e: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %bt = linalg.transpose ins(%b : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) permutation = [1, 0]
  %pt = linalg.transpose ins(%p : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) permutation = [1, 0]
  %d = helios.matmul %a, %bt pair(%pt : tensor<?x?xf32>) : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32> acc f32 {
  ^bb0(%x: f32, %y: f32):
    %z = arith.mulf %x, %y : f32
    helios.yield %z : f32
  }
  helios.return %d : tensor<?x?xf32>
}
helios.kernel @pair_half(%a: tensor<4x4xf32>, %b: tensor<4x4xf32>, %p: tensor<4x4xf32>, %e: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %bt = linalg.transpose ins(%b : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) permutation = [1, 0]
  %d = helios.matmul %a, %bt pair(%p : tensor<4x4xf32>) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32> acc f32 {
  ^bb0(%x: f32, %y: f32):
    %z = arith.mulf %x, %y : f32
    helios.yield %z : f32
  }
  helios.return %d : tensor<4x4xf32>
}

// -----

// The epilogue goes, the prologue stays; what it reads is not transposed with its operand.
// CHECK-LABEL: @prologue
// CHECK: %[[T:.+]] = linalg.transpose
// CHECK: helios.matmul %arg0, %[[T]] prologue(%arg2 : tensor<4x1xf16>) : {{.*}} acc f32 prologue {
// CHECK: helios.yield %{{.+}} : f16
// CHECK-NEXT: }
// CHECK-NEXT: helios.return
helios.kernel @prologue(%a: tensor<4x4xf16>, %b: tensor<4x4xi8>, %s: tensor<4x1xf16>, %e: tensor<4x4xi8>) -> tensor<4x4xf16> {
  %bt = linalg.transpose ins(%b : tensor<4x4xi8>) outs(%e : tensor<4x4xi8>) permutation = [1, 0]
  %d = helios.matmul %a, %bt prologue(%s : tensor<4x1xf16>) : (tensor<4x4xf16>, tensor<4x4xi8>) -> tensor<4x4xf16> acc f32 prologue {
  ^bb0(%x: i8, %t: f16):
    %y = arith.sitofp %x : i8 to f16
    %z = arith.mulf %y, %t : f16
    helios.yield %z : f16
  } {
  ^bb0(%x: f32):
    %z = arith.truncf %x : f32 to f16
    helios.yield %z : f16
  }
  helios.return %d : tensor<4x4xf16>
}

// -----

// A result that nobody uses goes, and what it was computed from.
// CHECK-LABEL: @one_result
// CHECK: %[[D:.+]] = helios.matmul %arg0, %arg1 : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf16> acc f32{{$}}
// CHECK-NEXT: helios.return %[[D]]
helios.kernel @one_result(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %c: tensor<?x?xf32>) -> tensor<?x?xf16> {
  %d, %e = helios.matmul %a, %b fused(%c : tensor<?x?xf32>) : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>, tensor<?x?xf16> acc f32 {
  ^bb0(%x: f32, %y: f32):
    %z = arith.addf %x, %y : f32
    %w = arith.truncf %x : f32 to f16
    helios.yield %z, %w : f32, f16
  }
  helios.return %e : tensor<?x?xf16>
}

// -----

// Both stay where both are used.
// CHECK-LABEL: @two_results
// CHECK: helios.yield %{{.+}}, %{{.+}} : f32, f16
helios.kernel @two_results(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>) -> (tensor<?x?xf16>, tensor<?x?xf32>) {
  %d, %e = helios.matmul %a, %b : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>, tensor<?x?xf16> acc f32 {
  ^bb0(%x: f32):
    %w = arith.truncf %x : f32 to f16
    helios.yield %x, %w : f32, f16
  }
  helios.return %e, %d : tensor<?x?xf16>, tensor<?x?xf32>
}

// -----

// Of the left operand as well.
// CHECK-LABEL: @prologue_a
// CHECK: %[[T:.+]] = linalg.transpose
// CHECK: helios.matmul %[[T]], %arg1 prologue_a(%arg2 : tensor<4x1xf16>) : {{.*}} acc f32 prologue_a {
// CHECK: helios.yield %{{.+}} : f16
// CHECK-NEXT: }
// CHECK-NEXT: helios.return
helios.kernel @prologue_a(%a: tensor<4x4xi8>, %b: tensor<4x4xf16>, %s: tensor<4x1xf16>, %e: tensor<4x4xi8>) -> tensor<4x4xf16> {
  %at = linalg.transpose ins(%a : tensor<4x4xi8>) outs(%e : tensor<4x4xi8>) permutation = [1, 0]
  %d = helios.matmul %at, %b prologue_a(%s : tensor<4x1xf16>) : (tensor<4x4xi8>, tensor<4x4xf16>) -> tensor<4x4xf16> acc f32 prologue_a {
  ^bb0(%x: i8, %t: f16):
    %y = arith.sitofp %x : i8 to f16
    %z = arith.mulf %y, %t : f16
    helios.yield %z : f16
  } {
  ^bb0(%x: f32):
    %z = arith.truncf %x : f32 to f16
    helios.yield %z : f16
  }
  helios.return %d : tensor<4x4xf16>
}

// -----

// What nobody uses of combined results goes, and the first result stays for the others.
// CHECK-LABEL: @combined
// CHECK: %{{.+}}, %[[S:.+]] = helios.matmul %arg0, %arg1 {reductions = [#helios.reduction<max, m>]}
// CHECK: helios.yield %{{.+}}, %{{.+}} : f16, f32
// CHECK: helios.return %[[S]]
helios.kernel @combined(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> tensor<?xf32> {
  %d, %s, %t = helios.matmul %a, %b {reductions = [#helios.reduction<add, n>, #helios.reduction<max, m>]}
      : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16>, tensor<?xf32>, tensor<?xf32> acc f32 {
  ^bb0(%x: f32):
    %y = arith.truncf %x : f32 to f16
    helios.yield %y, %x, %x : f16, f32, f32
  }
  helios.return %t : tensor<?xf32>
}

// -----

// Not where another one is stored.
// CHECK-LABEL: @stored
// CHECK: %[[D:.+]], %[[S:.+]] = helios.matmul %arg0, %arg1 {reductions = [#helios.reduction<add, n>]} : {{.*}} -> tensor<?x?xf16>, tensor<?xf32> acc f32
// CHECK: helios.return %[[D]], %[[S]]
helios.kernel @stored(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> (tensor<?x?xf16>, tensor<?xf32>) {
  %e, %d, %s = helios.matmul %a, %b {reductions = [#helios.reduction<add, n>]}
      : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf32>, tensor<?x?xf16>, tensor<?xf32> acc f32 {
  ^bb0(%x: f32):
    %y = arith.truncf %x : f32 to f16
    helios.yield %x, %y, %x : f32, f16, f32
  }
  helios.return %d, %s : tensor<?x?xf16>, tensor<?xf32>
}
