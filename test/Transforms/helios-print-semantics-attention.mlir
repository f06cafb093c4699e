// RUN: helios-opt --helios-print-semantics %s -o /dev/null 2>&1 | FileCheck %s

// Attention is one step; its regions read coordinates and the kernel's scalars.
// CHECK-LABEL: kernel 'attention'
// CHECK: s4 = attention s0, s1, s2 scale 0.25 lse s5 acc f32 fused()
// CHECK-NEXT: score
// CHECK-DAG: %[[X:.+]] = accumulator : f32
// CHECK-DAG: %[[S:.+]] = scalar_arg 3 : f32
// CHECK: mul %[[X]], %[[S]] : f32
// CHECK: mask
// CHECK-DAG: %[[I:.+]] = index 2 : i64
// CHECK-DAG: %[[J:.+]] = index 3 : i64
// CHECK: cmp ule %[[J]], %[[I]] : i1
// A result of its own may follow.
// CHECK: s6 = attention s4, s1, s2 acc f32 fused()
// CHECK-NEXT: s7 = elementwise fused(s5)
helios.kernel @attention(%q: tensor<?x?x?x16xf16>, %k: tensor<?x?x?x16xf16>, %v: tensor<?x?x?x16xf16>, %s: f32)
    -> (tensor<?x?x?x16xf16>, tensor<?x?x?xf32>, tensor<?x?x?x16xf16>, tensor<?x?x?xf32>) {
  %o, %lse = helios.attention %q, %k, %v scale(0.25) : (tensor<?x?x?x16xf16>, tensor<?x?x?x16xf16>, tensor<?x?x?x16xf16>)
      -> tensor<?x?x?x16xf16> lse tensor<?x?x?xf32> acc f32 score {
  ^bb0(%x: f32, %b: index, %h: index, %i: index, %j: index):
    %y = arith.mulf %x, %s : f32
    helios.yield %y : f32
  } mask {
  ^bb0(%b: index, %h: index, %i: index, %j: index):
    %c = arith.cmpi ule, %j, %i : index
    helios.yield %c : i1
  }
  %p = helios.attention %o, %k, %v : (tensor<?x?x?x16xf16>, tensor<?x?x?x16xf16>, tensor<?x?x?x16xf16>) -> tensor<?x?x?x16xf16> acc f32
  %n = math.exp %lse : tensor<?x?x?xf32>
  helios.return %o, %lse, %p, %n : tensor<?x?x?x16xf16>, tensor<?x?x?xf32>, tensor<?x?x?x16xf16>, tensor<?x?x?xf32>
}

// Extents of arguments are leaves; extents of 1 between others make a view.
// CHECK-LABEL: kernel 'last'
// CHECK: s4 = attention s0, s1, s2 acc f32 fused()
// CHECK-NEXT: mask
// CHECK-DAG: %[[SKV:.+]] = extent 1, 2 : i64
// CHECK-DAG: %[[SQ:.+]] = extent 0, 2 : i64
// CHECK: sub %[[SKV]], %[[SQ]] : i64
// CHECK: s6 = view s3 [0, *, 1]
// CHECK-NEXT: s5 = matmul s6, s6^T acc f32 fused()
helios.kernel @last(%q: tensor<?x?x?x16xf16>, %k: tensor<?x?x?x16xf16>, %v: tensor<?x?x?x16xf16>, %a: tensor<?x?xf16>)
    -> (tensor<?x?x?x16xf16>, tensor<?x1x1xf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %sq = tensor.dim %q, %c2 : tensor<?x?x?x16xf16>
  %skv = tensor.dim %k, %c2 : tensor<?x?x?x16xf16>
  %shift = arith.subi %skv, %sq : index
  %o = helios.attention %q, %k, %v : (tensor<?x?x?x16xf16>, tensor<?x?x?x16xf16>, tensor<?x?x?x16xf16>) -> tensor<?x?x?x16xf16> acc f32 mask {
  ^bb0(%b: index, %h: index, %i: index, %j: index):
    %p = arith.addi %i, %shift : index
    %c = arith.cmpi sle, %j, %p : index
    helios.yield %c : i1
  }
  %m = tensor.dim %a, %c0 : tensor<?x?xf16>
  %n = tensor.dim %a, %c1 : tensor<?x?xf16>
  %w = tensor.expand_shape %a [[0, 1], [2]] output_shape [%m, 1, %n] : tensor<?x?xf16> into tensor<?x1x?xf16>
  %d = helios.matmul %w, %w {transpose_b} : (tensor<?x1x?xf16>, tensor<?x1x?xf16>) -> tensor<?x1x1xf16> acc f32
  helios.return %o, %d : tensor<?x?x?x16xf16>, tensor<?x1x1xf16>
}
