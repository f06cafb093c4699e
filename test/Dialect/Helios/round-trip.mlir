// RUN: helios-opt %s | helios-opt | FileCheck %s
// RUN: helios-opt --mlir-print-op-generic %s | helios-opt | FileCheck %s

// CHECK-LABEL: helios.kernel @plain(%arg0: tensor<?x?xf16>, %arg1: tensor<?x?xf16>) -> tensor<?x?xf16> {
// CHECK: %[[D:.+]] = helios.matmul %arg0, %arg1 : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
// CHECK: helios.return %[[D]] : tensor<?x?xf16>
helios.kernel @plain(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> tensor<?x?xf16> {
  %d = helios.matmul %a, %b : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
  helios.return %d : tensor<?x?xf16>
}

// CHECK-LABEL: helios.kernel @fused(
// CHECK-SAME: %{{.+}}: tensor<?x?xbf16> {helios.name = "a"}
// CHECK-SAME: attributes {schedule = #helios.schedule<tile = [64, 64, 32], depth = 2>}
// CHECK: helios.matmul %arg0, %arg1 fused(%arg2 : tensor<?xbf16>) {transpose_a, transpose_b} : (tensor<?x?xbf16>, tensor<?x?xbf16>) -> tensor<?x?xbf16> acc f32 {
// CHECK-NEXT: ^bb0(%[[X:.+]]: f32, %[[C:.+]]: bf16, %[[I:.+]]: index, %[[J:.+]]: index):
// CHECK: helios.yield %{{.+}} : bf16
helios.kernel @fused(%a: tensor<?x?xbf16> {helios.name = "a"}, %b: tensor<?x?xbf16>, %bias: tensor<?xbf16>, %alpha: f32)
    -> tensor<?x?xbf16> attributes {schedule = #helios.schedule<tile = [64, 64, 32], depth = 2>} {
  %d = helios.matmul %a, %b fused(%bias : tensor<?xbf16>) {transpose_a, transpose_b}
      : (tensor<?x?xbf16>, tensor<?x?xbf16>) -> tensor<?x?xbf16> acc f32 {
  ^bb0(%x: f32, %c: bf16, %i: index, %j: index):
    %s = arith.mulf %x, %alpha : f32
    %e = arith.extf %c : bf16 to f32
    %y = arith.addf %s, %e : f32
    %upper = arith.cmpi ule, %i, %j : index
    %z = arith.select %upper, %y, %s : f32
    %t = arith.truncf %z : f32 to bf16
    helios.yield %t : bf16
  }
  helios.return %d : tensor<?x?xbf16>
}

// CHECK-LABEL: helios.kernel @batched
// CHECK: (tensor<4x?x64xi8>, tensor<64x32xi8>) -> tensor<4x?x32xi32> acc i32
helios.kernel @batched(%a: tensor<4x?x64xi8>, %b: tensor<64x32xi8>) -> tensor<4x?x32xi32> {
  %d = helios.matmul %a, %b : (tensor<4x?x64xi8>, tensor<64x32xi8>) -> tensor<4x?x32xi32> acc i32
  helios.return %d : tensor<4x?x32xi32>
}

// CHECK-LABEL: helios.kernel @half_accumulator
// CHECK: acc f16
helios.kernel @half_accumulator(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> tensor<?x?xf32> {
  %d = helios.matmul %a, %b : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf32> acc f16
  helios.return %d : tensor<?x?xf32>
}

// CHECK-LABEL: helios.kernel @attention
// CHECK: helios.attention %{{.+}}, %{{.+}}, %{{.+}} scale(1.250000e-01) : (tensor<?x32x?x64xf16>, tensor<?x8x?x64xf16>, tensor<?x8x?x64xf16>) -> tensor<?x32x?x64xf16> lse tensor<?x32x?xf32> acc f32 score {
// CHECK: ^bb0(%{{.+}}: f32, %{{.+}}: index, %{{.+}}: index, %{{.+}}: index, %{{.+}}: index):
// CHECK: } mask {
// CHECK: helios.yield %{{.+}} : i1
helios.kernel @attention(%q: tensor<?x32x?x64xf16>, %k: tensor<?x8x?x64xf16>, %v: tensor<?x8x?x64xf16>, %cap: f32)
    -> (tensor<?x32x?x64xf16>, tensor<?x32x?xf32>) {
  %o, %lse = helios.attention %q, %k, %v scale(0.125)
      : (tensor<?x32x?x64xf16>, tensor<?x8x?x64xf16>, tensor<?x8x?x64xf16>)
      -> tensor<?x32x?x64xf16> lse tensor<?x32x?xf32> acc f32 score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    %r = arith.divf %s, %cap : f32
    %t = math.tanh %r : f32
    %u = arith.mulf %t, %cap : f32
    helios.yield %u : f32
  } mask {
  ^bb0(%b: index, %h: index, %i: index, %j: index):
    %c = arith.cmpi ule, %j, %i : index
    helios.yield %c : i1
  }
  helios.return %o, %lse : tensor<?x32x?x64xf16>, tensor<?x32x?xf32>
}

// CHECK-LABEL: helios.kernel @plain_attention
// CHECK: -> tensor<?x?x?x?xf16> acc f32{{$}}
helios.kernel @plain_attention(%q: tensor<?x?x?x?xf16>, %k: tensor<?x?x?x?xf16>, %v: tensor<?x?x?x?xf16>)
    -> tensor<?x?x?x?xf16> {
  %o = helios.attention %q, %k, %v
      : (tensor<?x?x?x?xf16>, tensor<?x?x?x?xf16>, tensor<?x?x?x?xf16>) -> tensor<?x?x?x?xf16> acc f32
  helios.return %o : tensor<?x?x?x?xf16>
}

// CHECK-LABEL: helios.kernel @pair
// CHECK: helios.matmul %{{.+}}, %{{.+}} pair(%{{.+}} : tensor<?x64x?xf16>) fused(%{{.+}} : tensor<?xf16>) {transpose_b} : (tensor<?x?xf16>, tensor<?x64x?xf16>) -> tensor<?x?x64xf16> acc f32 {
// CHECK-NEXT: ^bb0(%{{.+}}: f32, %{{.+}}: f32, %{{.+}}: f16, %{{.+}}: index, %{{.+}}: index, %{{.+}}: index):
helios.kernel @pair(%a: tensor<?x?xf16>, %b: tensor<?x64x?xf16>, %c: tensor<?x64x?xf16>, %e: tensor<?xf16>) -> tensor<?x?x64xf16> {
  %d = helios.matmul %a, %b pair(%c : tensor<?x64x?xf16>) fused(%e : tensor<?xf16>) {transpose_b}
      : (tensor<?x?xf16>, tensor<?x64x?xf16>) -> tensor<?x?x64xf16> acc f32 {
  ^bb0(%x: f32, %y: f32, %z: f16, %i: index, %j: index, %k: index):
    %p = arith.mulf %x, %y : f32
    %q = arith.truncf %p : f32 to f16
    %lower = arith.cmpi ult, %k, %j : index
    %r = arith.select %lower, %q, %z : f16
    helios.yield %r : f16
  }
  helios.return %d : tensor<?x?x64xf16>
}

// CHECK-LABEL: helios.kernel @prologue(
// CHECK: helios.matmul %arg0, %arg1 prologue(%arg2 : tensor<?x?xf16>) fused(%arg3 : tensor<?xf16>) {group = 128 : i64} : (tensor<?x?xf16>, tensor<?x?xi8>) -> tensor<?x?xf16> acc f32 prologue {
// CHECK-NEXT: ^bb0(%[[X:.+]]: i8, %[[T:.+]]: f16):
// CHECK: helios.yield %{{.+}} : f16
// CHECK: } {
// CHECK-NEXT: ^bb0(%{{.+}}: f32, %{{.+}}: f16):
// CHECK: helios.matmul %arg0, %arg1 : (tensor<?x?xf16>, tensor<?x?xi8>) -> tensor<?x?xf16> acc f32 prologue {
helios.kernel @prologue(%a: tensor<?x?xf16>, %w: tensor<?x?xi8>, %s: tensor<?x?xf16>, %c: tensor<?xf16>) -> (tensor<?x?xf16>, tensor<?x?xf16>) {
  %d = helios.matmul %a, %w prologue(%s : tensor<?x?xf16>) fused(%c : tensor<?xf16>) {group = 128 : i64}
      : (tensor<?x?xf16>, tensor<?x?xi8>) -> tensor<?x?xf16> acc f32 prologue {
  ^bb0(%x: i8, %t: f16):
    %y = arith.sitofp %x : i8 to f16
    %z = arith.mulf %y, %t : f16
    helios.yield %z : f16
  } {
  ^bb0(%x: f32, %e: f16):
    %y = arith.truncf %x : f32 to f16
    %z = arith.addf %y, %e : f16
    helios.yield %z : f16
  }
  %f = helios.matmul %a, %w : (tensor<?x?xf16>, tensor<?x?xi8>) -> tensor<?x?xf16> acc f32 prologue {
  ^bb0(%x: i8):
    %y = arith.sitofp %x : i8 to f16
    helios.yield %y : f16
  }
  helios.return %d, %f : tensor<?x?xf16>, tensor<?x?xf16>
}

// Both operands are computed, the left one with one more element for each row and for each k.
// CHECK-LABEL: helios.kernel @prologues(
// CHECK: helios.matmul %arg0, %arg1 prologue_a(%arg2, %arg3 : tensor<?x1xf32>, tensor<?xf32>) : (tensor<?x?xf16>, tensor<?x?xi8>) -> tensor<?x?xf16> acc f32 prologue {
// CHECK: } prologue_a {
// CHECK-NEXT: ^bb0(%{{.+}}: f16, %{{.+}}: f32, %{{.+}}: f32):
// CHECK: helios.yield %{{.+}} : f16
// CHECK: }
helios.kernel @prologues(%a: tensor<?x?xf16>, %w: tensor<?x?xi8>, %r: tensor<?x1xf32>, %g: tensor<?xf32>) -> tensor<?x?xf16> {
  %d = helios.matmul %a, %w prologue_a(%r, %g : tensor<?x1xf32>, tensor<?xf32>) : (tensor<?x?xf16>, tensor<?x?xi8>) -> tensor<?x?xf16> acc f32 prologue {
  ^bb0(%x: i8):
    %y = arith.sitofp %x : i8 to f16
    helios.yield %y : f16
  } prologue_a {
  ^bb0(%e: f16, %s: f32, %t: f32):
    %e32 = arith.extf %e : f16 to f32
    %u = arith.mulf %e32, %s : f32
    %v = arith.mulf %u, %t : f32
    %y = arith.truncf %v : f32 to f16
    helios.yield %y : f16
  }
  helios.return %d : tensor<?x?xf16>
}

// CHECK-LABEL: helios.kernel @scales(
// CHECK: helios.matmul %arg0, %arg1 scales(%arg2, %arg3 : tensor<?x?xf32>, tensor<1x?xf32>) {blocks = array<i64: 1, 128, 64>, transpose_b} : (tensor<?x?xf8E4M3FN>, tensor<?x?xf8E5M2>) -> tensor<?x?xf32> acc f32
helios.kernel @scales(%a: tensor<?x?xf8E4M3FN>, %b: tensor<?x?xf8E5M2>, %s: tensor<?x?xf32>, %t: tensor<1x?xf32>) -> tensor<?x?xf32> {
  %d = helios.matmul %a, %b scales(%s, %t : tensor<?x?xf32>, tensor<1x?xf32>) {blocks = array<i64: 1, 128, 64>, transpose_b}
      : (tensor<?x?xf8E4M3FN>, tensor<?x?xf8E5M2>) -> tensor<?x?xf32> acc f32
  helios.return %d : tensor<?x?xf32>
}

// CHECK-LABEL: helios.kernel @results
// CHECK: %[[D:.+]], %[[MORE:.+]]:2 = helios.matmul %arg0, %arg1 : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16>, tensor<?x?xf32>, tensor<?x?xf16> acc f32 {
// CHECK: helios.yield %{{.+}}, %{{.+}}, %{{.+}} : f16, f32, f16
// CHECK: helios.return %[[D]], %[[MORE]]#0, %[[MORE]]#1
helios.kernel @results(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> (tensor<?x?xf16>, tensor<?x?xf32>, tensor<?x?xf16>) {
  %d, %x, %y = helios.matmul %a, %b : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16>, tensor<?x?xf32>, tensor<?x?xf16> acc f32 {
  ^bb0(%acc: f32):
    %t = math.tanh %acc : f32
    %z = arith.truncf %t : f32 to f16
    %w = arith.truncf %acc : f32 to f16
    helios.yield %z, %acc, %w : f16, f32, f16
  }
  helios.return %d, %x, %y : tensor<?x?xf16>, tensor<?x?xf32>, tensor<?x?xf16>
}

// CHECK-LABEL: helios.kernel @grouped
// CHECK: helios.matmul %arg0, %arg1 pair(%arg2 : tensor<?x?x?xf16>) grouped(%arg3 : tensor<?xi32>) fused(%arg4 : tensor<?x1x?xf16>) {transpose_b} : (tensor<?x?xf16>, tensor<?x?x?xf16>) -> tensor<?x?xf16> acc f32 {
// CHECK: helios.matmul %arg0, %arg1 grouped(%arg3 : tensor<?xi32>) : (tensor<?x?xf16>, tensor<?x?x?xf16>) -> tensor<?x?xf16> acc f32
helios.kernel @grouped(%a: tensor<?x?xf16>, %b: tensor<?x?x?xf16>, %c: tensor<?x?x?xf16>, %ends: tensor<?xi32>, %bias: tensor<?x1x?xf16>)
    -> (tensor<?x?xf16>, tensor<?x?xf16>) {
  %d = helios.matmul %a, %b pair(%c : tensor<?x?x?xf16>) grouped(%ends : tensor<?xi32>) fused(%bias : tensor<?x1x?xf16>) {transpose_b}
      : (tensor<?x?xf16>, tensor<?x?x?xf16>) -> tensor<?x?xf16> acc f32 {
  ^bb0(%x: f32, %y: f32, %e: f16):
    %z = arith.mulf %x, %y : f32
    %t = arith.truncf %z : f32 to f16
    %u = arith.addf %t, %e : f16
    helios.yield %u : f16
  }
  %f = helios.matmul %a, %b grouped(%ends : tensor<?xi32>) : (tensor<?x?xf16>, tensor<?x?x?xf16>) -> tensor<?x?xf16> acc f32
  helios.return %d, %f : tensor<?x?xf16>, tensor<?x?xf16>
}

// Two elements in one.
// CHECK-LABEL: helios.kernel @packed(
// CHECK: helios.matmul %arg0, %arg1 prologue(%arg2 : tensor<?x2xf16>) {group = 128 : i64, transpose_b} : (tensor<?x256xf16>, tensor<?x128xi8>)
// CHECK: helios.yield %{{.+}}, %{{.+}} : f16, f16
helios.kernel @packed(%a: tensor<?x256xf16>, %w: tensor<?x128xi8>, %s: tensor<?x2xf16>) -> tensor<?x?xf16> {
  %d = helios.matmul %a, %w prologue(%s : tensor<?x2xf16>) {group = 128 : i64, transpose_b}
      : (tensor<?x256xf16>, tensor<?x128xi8>) -> tensor<?x?xf16> acc f32 prologue {
  ^bb0(%x: i8, %t: f16):
    %c4 = arith.constant 4 : i8
    %raised = arith.shli %x, %c4 : i8
    %low = arith.shrsi %raised, %c4 : i8
    %high = arith.shrsi %x, %c4 : i8
    %u = arith.sitofp %low : i8 to f16
    %v = arith.sitofp %high : i8 to f16
    %y = arith.mulf %u, %t : f16
    %z = arith.mulf %v, %t : f16
    helios.yield %y, %z : f16, f16
  }
  helios.return %d : tensor<?x?xf16>
}

// Combined along N and along M.
// CHECK-LABEL: helios.kernel @combined
// CHECK: %result, %auxiliary:3 = helios.matmul %arg0, %arg1 {reductions = [#helios.reduction<add, n>, #helios.reduction<max, m>]} : (tensor<?x4x8xf16>, tensor<8x6xf16>) -> tensor<?x4x6xf16>, tensor<?x4x6xf32>, tensor<?x4xf32>, tensor<?x6xf32> acc f32 {
helios.kernel @combined(%a: tensor<?x4x8xf16>, %b: tensor<8x6xf16>) -> (tensor<?x4x6xf16>, tensor<?x4x6xf32>, tensor<?x4xf32>, tensor<?x6xf32>) {
  %d, %e, %s, %t = helios.matmul %a, %b {reductions = [#helios.reduction<add, n>, #helios.reduction<max, m>]}
      : (tensor<?x4x8xf16>, tensor<8x6xf16>) -> tensor<?x4x6xf16>, tensor<?x4x6xf32>, tensor<?x4xf32>, tensor<?x6xf32> acc f32 {
  ^bb0(%x: f32):
    %y = arith.truncf %x : f32 to f16
    helios.yield %y, %x, %x, %x : f16, f32, f32, f32
  }
  helios.return %d, %e, %s, %t : tensor<?x4x6xf16>, tensor<?x4x6xf32>, tensor<?x4xf32>, tensor<?x6xf32>
}
