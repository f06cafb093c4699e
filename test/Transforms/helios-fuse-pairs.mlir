// RUN: helios-opt --helios-fuse=remarks --canonicalize --split-input-file --verify-diagnostics %s | FileCheck %s

// Two products of one operand whose results meet: one product with a pair. Results are rounded as before.
// CHECK-LABEL: @swiglu
// CHECK: %[[D:.+]] = helios.matmul %arg0, %arg1 pair(%arg2 : tensor<?x?xbf16>) {transpose_b} : (tensor<?x?xbf16>, tensor<?x?xbf16>) -> tensor<?x?xbf16> acc f32 {
// CHECK-NEXT: ^bb0(%[[G:.+]]: f32, %[[U:.+]]: f32):
// CHECK: %[[GR:.+]] = arith.truncf %[[G]] : f32 to bf16
// CHECK: %[[UR:.+]] = arith.truncf %[[U]] : f32 to bf16
// CHECK: arith.extf %[[GR]]
// CHECK: math.exp
// CHECK: arith.mulf %{{.+}}, %[[UR]] : bf16
// CHECK-NOT: helios.matmul
// CHECK: helios.return %[[D]]
helios.kernel @swiglu(%x: tensor<?x?xbf16>, %wg: tensor<?x?xbf16>, %wu: tensor<?x?xbf16>) -> tensor<?x?xbf16> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-remark @below {{not fused: no element-wise operation uses the product}}
  %g = helios.matmul %x, %wg {transpose_b} : (tensor<?x?xbf16>, tensor<?x?xbf16>) -> tensor<?x?xbf16> acc f32
  // expected-remark @below {{not fused: no element-wise operation uses the product}}
  %u = helios.matmul %x, %wu {transpose_b} : (tensor<?x?xbf16>, tensor<?x?xbf16>) -> tensor<?x?xbf16> acc f32
  %m = tensor.dim %g, %c0 : tensor<?x?xbf16>
  %n = tensor.dim %g, %c1 : tensor<?x?xbf16>
  %one = arith.constant 1.0 : f32
  %ones = tensor.splat %one[%m, %n] : tensor<?x?xf32>
  %wide = arith.extf %g : tensor<?x?xbf16> to tensor<?x?xf32>
  %minus = arith.negf %wide : tensor<?x?xf32>
  %exp = math.exp %minus : tensor<?x?xf32>
  %sum = arith.addf %exp, %ones : tensor<?x?xf32>
  %silu = arith.divf %wide, %sum : tensor<?x?xf32>
  %s = arith.truncf %silu : tensor<?x?xf32> to tensor<?x?xbf16>
  %d = arith.mulf %s, %u : tensor<?x?xbf16>
  helios.return %d : tensor<?x?xbf16>
}

// -----

// Fused operands and indices of both.
// CHECK-LABEL: @operands
// CHECK: helios.matmul %arg0, %arg1 pair(%arg2 : tensor<?x?xf32>) fused(%arg3, %arg4 : tensor<?xf32>, tensor<?x?xf32>)
// CHECK-NEXT: ^bb0(%[[X:.+]]: f32, %[[Y:.+]]: f32, %[[B:.+]]: f32, %[[R:.+]]: f32, %[[I:.+]]: index, %[[J:.+]]: index):
// CHECK: %[[U:.+]] = arith.addf %[[X]], %[[B]]
// CHECK: arith.cmpi ult, %[[I]], %[[J]]
// CHECK: %[[S:.+]] = arith.select %{{.+}}, %[[U]], %[[X]]
// CHECK: %[[V:.+]] = arith.subf %[[S]], %[[Y]]
// CHECK: arith.addf %[[V]], %[[R]]
helios.kernel @operands(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %c: tensor<?x?xf32>, %bias: tensor<?xf32>, %r: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // expected-remark @below {{not fused: no element-wise operation uses the product}}
  %p = helios.matmul %a, %b fused(%bias : tensor<?xf32>) : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32> acc f32 {
  ^bb0(%x: f32, %e: f32, %i: index, %j: index):
    %u = arith.addf %x, %e : f32
    %lower = arith.cmpi ult, %i, %j : index
    %s = arith.select %lower, %u, %x : f32
    helios.yield %s : f32
  }
  // expected-remark @below {{not fused: no element-wise operation uses the product}}
  %d = helios.matmul %a, %c fused(%p, %r : tensor<?x?xf32>, tensor<?x?xf32>) : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32> acc f32 {
  ^bb0(%y: f32, %x: f32, %e: f32):
    %v = arith.subf %x, %y : f32
    %z = arith.addf %v, %e : f32
    helios.yield %z : f32
  }
  helios.return %d : tensor<?x?xf32>
}

// -----

// Of three products two become a pair.
// CHECK-LABEL: @three
// CHECK: %[[P:.+]] = helios.matmul %arg0, %arg{{[12]}} :
// CHECK: helios.matmul %arg0, %arg{{[12]}} pair(%arg3 : tensor<?x?xf32>) fused(%[[P]] : tensor<?x?xf32>)
helios.kernel @three(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %c: tensor<?x?xf32>, %e: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // expected-remark @below {{not fused: no element-wise operation uses the product}}
  %p = helios.matmul %a, %b : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32> acc f32
  // expected-remark @below {{not fused: no element-wise operation uses the product}}
  %q = helios.matmul %a, %c : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32> acc f32
  // expected-remark @below {{not fused: no element-wise operation uses the product}}
  // expected-remark @below {{not paired with a product of its left operand: one of them has a pair already}}
  %r = helios.matmul %a, %e : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32> acc f32
  %s = arith.mulf %p, %q : tensor<?x?xf32>
  %d = arith.mulf %s, %r : tensor<?x?xf32>
  helios.return %d : tensor<?x?xf32>
}

// -----

// What leaves the kernel as well is one more result of the pair, also where its user stood between the two.
// CHECK-LABEL: @kept
// CHECK: %[[D:.+]], %[[MORE:.+]]:2 = helios.matmul %arg0, %arg1 pair(%arg2 : tensor<?x?xf16>) :
// CHECK: ^bb0(%[[X:.+]]: f32, %[[Y:.+]]: f32):
// CHECK-DAG: %[[P:.+]] = arith.truncf %[[X]]
// CHECK-DAG: %[[Q:.+]] = arith.truncf %[[Y]]
// CHECK: %[[Z:.+]] = arith.mulf %[[P]], %[[Q]] : f16
// CHECK: helios.yield %[[Z]], %[[Q]], %[[P]] : f16, f16, f16
// CHECK: %[[N:.+]] = helios.matmul %[[MORE]]#1, %arg2
// CHECK: helios.return %[[D]], %[[MORE]]#1, %[[MORE]]#0, %[[N]]
helios.kernel @kept(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %c: tensor<?x?xf16>) -> (tensor<?x?xf16>, tensor<?x?xf16>, tensor<?x?xf16>, tensor<?x?xf16>) {
  // expected-remark @below {{not fused: no element-wise operation uses the product}}
  %p = helios.matmul %a, %b : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
  // expected-remark @below {{not fused: no element-wise operation uses the product}}
  %next = helios.matmul %p, %c : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
  // expected-remark @below {{not fused: no element-wise operation uses the product}}
  %q = helios.matmul %a, %c : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
  %d = arith.mulf %p, %q : tensor<?x?xf16>
  helios.return %d, %p, %q, %next : tensor<?x?xf16>, tensor<?x?xf16>, tensor<?x?xf16>, tensor<?x?xf16>
}

// -----

// Not where one takes what something else makes of the other, where operands lie or accumulate in other ways, or one alone is packed before.
// CHECK-LABEL: @around
// CHECK-NOT: pair
helios.kernel @around(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %c: tensor<?x?xf16>) -> tensor<?x?xf16> {
  // expected-remark @below {{not fused: no element-wise operation uses the product}}
  %p = helios.matmul %a, %b : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
  // expected-remark @below {{not fused: no element-wise operation uses the product}}
  %n = helios.matmul %p, %c : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
  // expected-remark @below {{not fused: no element-wise operation uses the product}}
  // expected-remark @below {{not paired with a product of its left operand: one of them takes what something else makes of the other one's result}}
  %q = helios.matmul %a, %c : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
  %d = arith.mulf %p, %q : tensor<?x?xf16>
  %e = arith.mulf %d, %n : tensor<?x?xf16>
  helios.return %e : tensor<?x?xf16>
}

// -----

// CHECK-LABEL: @layouts
// CHECK-NOT: pair
helios.kernel @layouts(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %c: tensor<?x?xf16>) -> tensor<?x?xf16> {
  // expected-remark @below {{not fused: no element-wise operation uses the product}}
  %p = helios.matmul %a, %b : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
  // expected-remark @below {{not fused: no element-wise operation uses the product}}
  // expected-remark @below {{not paired with a product of its left operand: their operands differ in type or transposition}}
  %q = helios.matmul %a, %c {transpose_b} : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
  %d = arith.mulf %p, %q : tensor<?x?xf16>
  helios.return %d : tensor<?x?xf16>
}

// -----

// CHECK-LABEL: @accumulators
// CHECK-NOT: pair
helios.kernel @accumulators(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %c: tensor<?x?xf16>) -> tensor<?x?xf16> {
  // expected-remark @below {{not fused: no element-wise operation uses the product}}
  %p = helios.matmul %a, %b : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f16
  // expected-remark @below {{not fused: no element-wise operation uses the product}}
  // expected-remark @below {{not paired with a product of its left operand: they accumulate in different ways}}
  %q = helios.matmul %a, %c : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
  %d = arith.mulf %p, %q : tensor<?x?xf16>
  helios.return %d : tensor<?x?xf16>
}

// -----

// CHECK-LABEL: @one_constant
// CHECK-NOT: pair
helios.kernel @one_constant(%a: tensor<?x?xf16>, %b: tensor<?x?xf16> {helios.constant}, %c: tensor<?x?xf16>) -> tensor<?x?xf16> {
  // expected-remark @below {{not fused: no element-wise operation uses the product}}
  %p = helios.matmul %a, %b : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
  // expected-remark @below {{not fused: no element-wise operation uses the product}}
  // expected-remark @below {{not paired with a product of its left operand: one right operand is constant, the other one is not}}
  %q = helios.matmul %a, %c : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
  %d = arith.mulf %p, %q : tensor<?x?xf16>
  helios.return %d : tensor<?x?xf16>
}

// -----

// Constant operands are packed one by one, also A, which one product takes then.
// CHECK-LABEL: @constants
// CHECK: helios.matmul %arg0, %arg1 pair(%arg2
helios.kernel @constants(%a: tensor<?x?xf16> {helios.constant}, %b: tensor<?x?xf16> {helios.constant}, %c: tensor<?x?xf16> {helios.constant}) -> tensor<?x?xf16> {
  // expected-remark @below {{not fused: no element-wise operation uses the product}}
  %p = helios.matmul %a, %b : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
  // expected-remark @below {{not fused: no element-wise operation uses the product}}
  %q = helios.matmul %a, %c : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
  %d = arith.mulf %p, %q : tensor<?x?xf16>
  helios.return %d : tensor<?x?xf16>
}

// -----

// Right operands that are computed alike: what each is computed from stands behind the other's.
// CHECK-LABEL: @weights
// CHECK: helios.matmul %arg0, %arg1 pair(%arg3 : tensor<?x?xi8>) prologue(%arg2, %arg4 : tensor<1x?xf16>, tensor<1x?xf16>)
// CHECK-SAME: prologue {
// CHECK-NEXT: ^bb0(%[[X:.+]]: i8, %[[S:.+]]: f16):
// CHECK-NEXT: %[[Y:.+]] = arith.sitofp %[[X]]
// CHECK-NEXT: %[[Z:.+]] = arith.mulf %[[Y]], %[[S]]
// CHECK-NEXT: helios.yield %[[Z]] : f16
// CHECK-NOT: helios.matmul
helios.kernel @weights(%a: tensor<?x?xf16>, %b: tensor<?x?xi8>, %s: tensor<1x?xf16>, %c: tensor<?x?xi8>, %t: tensor<1x?xf16>) -> tensor<?x?xf16> {
  // expected-remark @below {{not fused: no element-wise operation uses the product}}
  %p = helios.matmul %a, %b prologue(%s : tensor<1x?xf16>) : (tensor<?x?xf16>, tensor<?x?xi8>) -> tensor<?x?xf16> acc f32 prologue {
  ^bb0(%x: i8, %f: f16):
    %y = arith.sitofp %x : i8 to f16
    %z = arith.mulf %y, %f : f16
    helios.yield %z : f16
  }
  // expected-remark @below {{not fused: no element-wise operation uses the product}}
  %q = helios.matmul %a, %c prologue(%t : tensor<1x?xf16>) : (tensor<?x?xf16>, tensor<?x?xi8>) -> tensor<?x?xf16> acc f32 prologue {
  ^bb0(%x: i8, %f: f16):
    %y = arith.sitofp %x : i8 to f16
    %z = arith.mulf %y, %f : f16
    helios.yield %z : f16
  }
  %d = arith.mulf %p, %q : tensor<?x?xf16>
  helios.return %d : tensor<?x?xf16>
}

// -----

// CHECK-LABEL: @other_weights
// CHECK-NOT: pair
helios.kernel @other_weights(%a: tensor<?x?xf16>, %b: tensor<?x?xi8>, %s: tensor<1x?xf16>, %c: tensor<?x?xi8>, %t: tensor<1x?xf16>) -> tensor<?x?xf16> {
  // expected-remark @below {{not fused: no element-wise operation uses the product}}
  %p = helios.matmul %a, %b prologue(%s : tensor<1x?xf16>) : (tensor<?x?xf16>, tensor<?x?xi8>) -> tensor<?x?xf16> acc f32 prologue {
  ^bb0(%x: i8, %f: f16):
    %y = arith.sitofp %x : i8 to f16
    %z = arith.mulf %y, %f : f16
    helios.yield %z : f16
  }
  // expected-remark @below {{not fused: no element-wise operation uses the product}}
  // expected-remark @below {{not paired with a product of its left operand: they make their right operands in different ways}}
  %q = helios.matmul %a, %c prologue(%t : tensor<1x?xf16>) : (tensor<?x?xf16>, tensor<?x?xi8>) -> tensor<?x?xf16> acc f32 prologue {
  ^bb0(%x: i8, %f: f16):
    %y = arith.uitofp %x : i8 to f16
    %z = arith.mulf %y, %f : f16
    helios.yield %z : f16
  }
  %d = arith.mulf %p, %q : tensor<?x?xf16>
  helios.return %d : tensor<?x?xf16>
}

// -----

// Rows that both normalise alike are normalised once.
// CHECK-LABEL: @normalised
// CHECK: helios.matmul %arg0, %arg2 pair(%arg3 : tensor<?x?xf16>) prologue_a(%arg1 : tensor<?x1xf32>)
// CHECK-NOT: helios.matmul
helios.kernel @normalised(%a: tensor<?x?xf16>, %r: tensor<?x1xf32>, %b: tensor<?x?xf16>, %c: tensor<?x?xf16>) -> tensor<?x?xf16> {
  // expected-remark @below {{not fused: no element-wise operation uses the product}}
  %p = helios.matmul %a, %b prologue_a(%r : tensor<?x1xf32>) : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32 prologue_a {
  ^bb0(%x: f16, %s: f32):
    %w = arith.extf %x : f16 to f32
    %y = arith.mulf %w, %s : f32
    %z = arith.truncf %y : f32 to f16
    helios.yield %z : f16
  }
  // expected-remark @below {{not fused: no element-wise operation uses the product}}
  %q = helios.matmul %a, %c prologue_a(%r : tensor<?x1xf32>) : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32 prologue_a {
  ^bb0(%x: f16, %s: f32):
    %w = arith.extf %x : f16 to f32
    %y = arith.mulf %w, %s : f32
    %z = arith.truncf %y : f32 to f16
    helios.yield %z : f16
  }
  %d = arith.mulf %p, %q : tensor<?x?xf16>
  helios.return %d : tensor<?x?xf16>
}

// -----

// Not where they do so by other factors.
// CHECK-LABEL: @other_factors
// CHECK-NOT: pair
helios.kernel @other_factors(%a: tensor<?x?xf16>, %r: tensor<?x1xf16>, %s: tensor<?x1xf16>, %b: tensor<?x?xf16>, %c: tensor<?x?xf16>) -> tensor<?x?xf16> {
  // expected-remark @below {{not fused: no element-wise operation uses the product}}
  %p = helios.matmul %a, %b prologue_a(%r : tensor<?x1xf16>) : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32 prologue_a {
  ^bb0(%x: f16, %f: f16):
    %y = arith.mulf %x, %f : f16
    helios.yield %y : f16
  }
  // expected-remark @below {{not fused: no element-wise operation uses the product}}
  // expected-remark @below {{not paired with a product of its left operand: they make their left operand in different ways}}
  %q = helios.matmul %a, %c prologue_a(%s : tensor<?x1xf16>) : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32 prologue_a {
  ^bb0(%x: f16, %f: f16):
    %y = arith.mulf %x, %f : f16
    helios.yield %y : f16
  }
  %d = arith.mulf %p, %q : tensor<?x?xf16>
  helios.return %d : tensor<?x?xf16>
}

// -----

// The left operand's scales are of both, each right one has its own.
// CHECK-LABEL: @blocks
// CHECK: helios.matmul %arg0, %arg1 pair(%arg2 : tensor<?x?xf8E4M3FN>) scales(%arg3, %arg4, %arg5 : tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>)
// CHECK-SAME: blocks = array<i64: 1, 128, 128>
// CHECK-NOT: helios.matmul
helios.kernel @blocks(%a: tensor<?x?xf8E4M3FN>, %b: tensor<?x?xf8E4M3FN>, %c: tensor<?x?xf8E4M3FN>, %r: tensor<?x?xf32>, %s: tensor<?x?xf32>, %t: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // expected-remark @below {{not fused: no element-wise operation uses the product}}
  %p = helios.matmul %a, %b scales(%r, %s : tensor<?x?xf32>, tensor<?x?xf32>) {blocks = array<i64: 1, 128, 128>, transpose_b} : (tensor<?x?xf8E4M3FN>, tensor<?x?xf8E4M3FN>) -> tensor<?x?xf32> acc f32
  // expected-remark @below {{not fused: no element-wise operation uses the product}}
  %q = helios.matmul %a, %c scales(%r, %t : tensor<?x?xf32>, tensor<?x?xf32>) {blocks = array<i64: 1, 128, 128>, transpose_b} : (tensor<?x?xf8E4M3FN>, tensor<?x?xf8E4M3FN>) -> tensor<?x?xf32> acc f32
  %d = arith.mulf %p, %q : tensor<?x?xf32>
  helios.return %d : tensor<?x?xf32>
}

// -----

// CHECK-LABEL: @other_blocks
// CHECK-NOT: pair
helios.kernel @other_blocks(%a: tensor<?x?xf8E4M3FN>, %b: tensor<?x?xf8E4M3FN>, %c: tensor<?x?xf8E4M3FN>, %r: tensor<?x?xf32>, %s: tensor<?x?xf32>, %t: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // expected-remark @below {{not fused: no element-wise operation uses the product}}
  %p = helios.matmul %a, %b scales(%r, %t : tensor<?x?xf32>, tensor<?x?xf32>) {blocks = array<i64: 1, 128, 128>, transpose_b} : (tensor<?x?xf8E4M3FN>, tensor<?x?xf8E4M3FN>) -> tensor<?x?xf32> acc f32
  // expected-remark @below {{not fused: no element-wise operation uses the product}}
  // expected-remark @below {{not paired with a product of its left operand: their blocks or the scales of their left operand differ}}
  %q = helios.matmul %a, %c scales(%s, %t : tensor<?x?xf32>, tensor<?x?xf32>) {blocks = array<i64: 1, 128, 128>, transpose_b} : (tensor<?x?xf8E4M3FN>, tensor<?x?xf8E4M3FN>) -> tensor<?x?xf32> acc f32
  %d = arith.mulf %p, %q : tensor<?x?xf32>
  helios.return %d : tensor<?x?xf32>
}
