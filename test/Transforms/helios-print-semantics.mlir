// RUN: helios-opt --helios-print-semantics %s -o /dev/null 2>&1 | FileCheck %s
// RUN: helios-opt --helios-fuse --helios-print-semantics %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=FUSED

// CHECK-LABEL: kernel 'all'
// CHECK: input a: tensor<?x?xf16>
// CHECK: input arg3: f32
// CHECK: result result: tensor<?x?xi32>
// CHECK: s4 = matmul s0, s1^T acc f32 fused(s2)
// CHECK-DAG: %[[X:.+]] = accumulator : f32
// CHECK-DAG: %[[B:.+]] = fused 0 : f16
// CHECK-DAG: %[[I:.+]] = index 0 : i64
// CHECK-DAG: %[[J:.+]] = index 1 : i64
// CHECK-DAG: %[[S:.+]] = scalar_arg 3 : f32
// CHECK-DAG: %[[C:.+]] = cmp sge %[[I]], %[[J]] : i1
// CHECK: %[[Y:.+]] = add %[[X]], %{{.+}} : f32
// CHECK: %[[Z:.+]] = mul %[[Y]], %[[S]] : f32
// CHECK: %[[T:.+]] = tanh %[[Z]] : f32
// CHECK: %[[U:.+]] = tanh approximate %[[T]] : f32
// CHECK: select %[[C]], %[[U]], %[[X]] : f32
// CHECK: cast %{{.+}} : i32
helios.kernel @all(%a: tensor<?x?xf16> {helios.name = "a"}, %b: tensor<?x?xf16>, %bias: tensor<?xf16>, %s: f32) -> tensor<?x?xi32> {
  %d = helios.matmul %a, %b fused(%bias : tensor<?xf16>) {transpose_b}
      : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xi32> acc f32 {
  ^bb0(%x: f32, %c: f16, %i: index, %j: index):
    %e = arith.extf %c : f16 to f32
    %y = arith.addf %x, %e : f32
    %z = arith.mulf %y, %s : f32
    %t = math.tanh %z : f32
    %u = math.tanh %t fastmath<afn> : f32
    %lower = arith.cmpi sge, %i, %j : index
    %w = arith.select %lower, %u, %x : f32
    %r = arith.fptosi %w : f32 to i32
    helios.yield %r : i32
  }
  helios.return %d : tensor<?x?xi32>
}

// Element-wise code is a step of its own until it is fused.
// CHECK-LABEL: kernel 'steps'
// CHECK: s3 = matmul s0, s1 acc f32 fused()
// CHECK: s2 = elementwise fused(s3)
// CHECK: exp2 %0 : f32
// FUSED-LABEL: kernel 'steps'
// FUSED: s2 = matmul s0, s1 acc f32 fused()
// FUSED: exp2 %0 : f32
// FUSED-NOT: elementwise
helios.kernel @steps(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %p = helios.matmul %a, %b : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32> acc f32
  %d = math.exp2 %p : tensor<?x?xf32>
  helios.return %d : tensor<?x?xf32>
}

// CHECK-LABEL: kernel 'parts'
// CHECK: input arg0: tensor<?x?xe4m3>
// CHECK: s2 = matmul s0, s1 acc f32 fused()
helios.kernel @parts(%a: tensor<?x?xf8E4M3FN>, %b: tensor<?x?xf8E5M2>) -> tensor<?x?xf16> {
  %d = helios.matmul %a, %b : (tensor<?x?xf8E4M3FN>, tensor<?x?xf8E5M2>) -> tensor<?x?xf16> acc f32
  helios.return %d : tensor<?x?xf16>
}

// CHECK-LABEL: kernel 'fast'
// CHECK: s2 = matmul s0, s1 acc f32 fast fused()
helios.kernel @fast(%a: tensor<?x?xf8E4M3FN>, %b: tensor<?x?xf8E5M2>) -> tensor<?x?xf16> {
  %d = helios.matmul %a, %b {fast_accumulation} : (tensor<?x?xf8E4M3FN>, tensor<?x?xf8E5M2>) -> tensor<?x?xf16> acc f32
  helios.return %d : tensor<?x?xf16>
}

// A pair is two products: the first one's sum is the second one's last fused operand.
// CHECK-LABEL: kernel 'pair'
// CHECK: s5 = matmul s0, s1^T acc f32 fused()
// CHECK: %0 = accumulator : f32
// CHECK: s4 = matmul s0, s2^T acc f32 fused(s3, s5)
// CHECK-DAG: %[[Y:.+]] = accumulator : f32
// CHECK-DAG: %[[X:.+]] = fused 1 : f32
// CHECK-DAG: %[[B:.+]] = fused 0 : f16
// CHECK: sub %[[X]], %[[Y]] : f32
helios.kernel @pair(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %c: tensor<?x?xf16>, %bias: tensor<?xf16>) -> tensor<?x?xf32> {
  %d = helios.matmul %a, %b pair(%c : tensor<?x?xf16>) fused(%bias : tensor<?xf16>) {transpose_b}
      : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf32> acc f32 {
  ^bb0(%x: f32, %y: f32, %e: f16):
    %w = arith.extf %e : f16 to f32
    %z = arith.subf %x, %y : f32
    %s = arith.addf %z, %w : f32
    helios.yield %s : f32
  }
  helios.return %d : tensor<?x?xf32>
}

// What a prologue makes is a tensor of its own.
// CHECK-LABEL: kernel 'weights'
// FUSED-LABEL: kernel 'weights'
// CHECK: s4 = elementwise fused(s1, s2) groups of 128 along 1
// CHECK-DAG: %[[W:.+]] = fused 0 : i8
// CHECK-DAG: %[[S:.+]] = fused 1 : f16
// CHECK: %[[F:.+]] = cast %[[W]] : f16
// CHECK: mul %[[F]], %[[S]] : f16
// CHECK: s3 = matmul s0, s4^T acc f32 fused()
helios.kernel @weights(%a: tensor<?x?xf16>, %w: tensor<?x?xi8>, %s: tensor<?x?xf16>) -> tensor<?x?xf16> {
  %d = helios.matmul %a, %w prologue(%s : tensor<?x?xf16>) {group = 128 : i64, transpose_b}
      : (tensor<?x?xf16>, tensor<?x?xi8>) -> tensor<?x?xf16> acc f32 prologue {
  ^bb0(%x: i8, %t: f16):
    %y = arith.sitofp %x : i8 to f16
    %z = arith.mulf %y, %t : f16
    helios.yield %z : f16
  }
  helios.return %d : tensor<?x?xf16>
}

// Where an element holds two, the place along k chooses between them.
// CHECK-LABEL: kernel 'packed'
// FUSED-LABEL: kernel 'packed'
// CHECK: s4 = elementwise fused(s1, s2) groups of 128 along 1, 2 elements in one
// CHECK: %[[K:.+]] = index 1 : i64
// CHECK: const 128
// CHECK: %[[IN:.+]] = remui %[[K]], %{{.+}} : i64
// CHECK: const 64
// CHECK: %[[HIGH:.+]] = cmp uge %[[IN]], %{{.+}}
// CHECK: select %[[HIGH]], %{{.+}}, %{{.+}} : f16
helios.kernel @packed(%a: tensor<?x?xf16>, %w: tensor<?x?xi8>, %s: tensor<?x?xf16>) -> tensor<?x?xf16> {
  %d = helios.matmul %a, %w prologue(%s : tensor<?x?xf16>) {group = 128 : i64, transpose_b}
      : (tensor<?x?xf16>, tensor<?x?xi8>) -> tensor<?x?xf16> acc f32 prologue {
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

// Scales of blocks: the operands times them, exactly, of which the product knows that engines multiply the operands alone.
// CHECK-LABEL: kernel 'scales'
// FUSED-LABEL: kernel 'scales'
// CHECK: s5 = elementwise fused(s0, s2) groups of 128 along 1
// CHECK: mul %{{.+}}, %{{.+}} : f64
// CHECK: s6 = elementwise fused(s1, s3) groups of 64 along 0 groups of 128 along 1
// CHECK: s4 = matmul s5, s6^T acc f32 scales fused()
helios.kernel @scales(%a: tensor<?x?xf8E4M3FN>, %b: tensor<?x?xf8E4M3FN>, %s: tensor<?x?xf32>, %t: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %d = helios.matmul %a, %b scales(%s, %t : tensor<?x?xf32>, tensor<?x?xf32>) {blocks = array<i64: 1, 64, 128>, transpose_b}
      : (tensor<?x?xf8E4M3FN>, tensor<?x?xf8E4M3FN>) -> tensor<?x?xf32> acc f32
  helios.return %d : tensor<?x?xf32>
}

// Several results: the sum, then a step for each.
// FUSED-LABEL: kernel 'results'
// CHECK-LABEL: kernel 'results'
// CHECK: s4 = matmul s0, s1 acc f32 fused()
// CHECK: s2 = elementwise fused(s4)
// CHECK: tanh %{{.+}} : f32
// CHECK: s3 = elementwise fused(s4)
helios.kernel @results(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>) -> (tensor<?x?xf32>, tensor<?x?xf32>) {
  %d, %e = helios.matmul %a, %b : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>, tensor<?x?xf32> acc f32 {
  ^bb0(%x: f32):
    %t = math.tanh %x : f32
    helios.yield %t, %x : f32, f32
  }
  helios.return %d, %e : tensor<?x?xf32>, tensor<?x?xf32>
}

// FUSED-LABEL: kernel 'grouped'
// CHECK-LABEL: kernel 'grouped'
// CHECK: s4 = matmul s0, s1 acc f32 grouped by s2 fused(s3)
helios.kernel @grouped(%a: tensor<?x?xf32>, %b: tensor<?x?x?xf32>, %ends: tensor<?xi32>, %bias: tensor<?x1x?xf32>) -> tensor<?x?xf32> {
  %d = helios.matmul %a, %b grouped(%ends : tensor<?xi32>) fused(%bias : tensor<?x1x?xf32>)
      : (tensor<?x?xf32>, tensor<?x?x?xf32>) -> tensor<?x?xf32> acc f32 {
  ^bb0(%x: f32, %c: f32):
    %y = arith.addf %x, %c : f32
    helios.yield %y : f32
  }
  helios.return %d : tensor<?x?xf32>
}

// And so is what one makes of the left operand.
// CHECK-LABEL: kernel 'normalised'
// FUSED-LABEL: kernel 'normalised'
// CHECK: s4 = elementwise fused(s0, s2)
// CHECK: mul %{{.+}}, %{{.+}} : f16
// CHECK: s3 = matmul s4, s1 acc f32 fused()
helios.kernel @normalised(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %r: tensor<?x1xf16>) -> tensor<?x?xf16> {
  %d = helios.matmul %a, %b prologue_a(%r : tensor<?x1xf16>) : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32 prologue_a {
  ^bb0(%x: f16, %s: f16):
    %y = arith.mulf %x, %s : f16
    helios.yield %y : f16
  }
  helios.return %d : tensor<?x?xf16>
}

// What rows and columns combine to is a step behind the elements.
// CHECK-LABEL: kernel 'combined'
// FUSED-LABEL: kernel 'combined'
// CHECK: s5 = matmul s0, s1 acc f32 fused()
// CHECK: s2 = elementwise fused(s5)
// CHECK: s6 = elementwise fused(s5)
// CHECK: s3 = sum s6 along 1
// CHECK: s7 = elementwise fused(s5)
// CHECK: s4 = max s7 along 0
helios.kernel @combined(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>) -> (tensor<?x?xf32>, tensor<?xf32>, tensor<?xf32>) {
  %d, %s, %t = helios.matmul %a, %b {reductions = [#helios.reduction<add, n>, #helios.reduction<max, m>]}
      : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>, tensor<?xf32>, tensor<?xf32> acc f32 {
  ^bb0(%x: f32):
    %y = arith.mulf %x, %x : f32
    helios.yield %x, %y, %x : f32, f32, f32
  }
  helios.return %d, %s, %t : tensor<?x?xf32>, tensor<?xf32>, tensor<?xf32>
}

// And so it is where tensor code combines.
// CHECK-LABEL: kernel 'reduced'
// FUSED-LABEL: kernel 'reduced'
// CHECK: s[[#P:]] = matmul s0, s1 acc f32
// CHECK: s2 = sum s[[#P]] along 1
// FUSED: s[[#P:]] = matmul s0, s1 acc f32
// FUSED: s[[#E:]] = elementwise fused(s[[#P]])
// FUSED: s2 = sum s{{[0-9]+}} along 1
helios.kernel @reduced(%a: tensor<4x8xf32>, %b: tensor<8x6xf32>) -> tensor<4xf32> {
  %p = helios.matmul %a, %b : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32> acc f32
  %zeros = arith.constant dense<0.0> : tensor<4xf32>
  %s = linalg.reduce { arith.addf } ins(%p : tensor<4x6xf32>) outs(%zeros : tensor<4xf32>) dimensions = [1]
  helios.return %s : tensor<4xf32>
}
