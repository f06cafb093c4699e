// Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What dkdv-sm90-frag.mlir computes. The weights and what comes of them are rounded where they are multiplied.
!b = tensor<?x?x128xbf16>
!row = tensor<?x?x1xf32>
helios.kernel @dkdv(%q: !b, %k: !b, %v: !b, %do: !b, %l: !row, %delta: !row, %scale: f32, %sc: f32) -> (!b, !b, tensor<?x?x128xf32>) {
  %p = helios.matmul %q, %k fused(%l : !row) {transpose_b} : (!b, !b) -> tensor<?x?x?xf32> acc f32 {
  ^bb0(%x: f32, %lse: f32):
    %y = arith.mulf %x, %sc : f32
    %z = arith.subf %y, %lse : f32
    %e = math.exp2 %z : f32
    helios.yield %e : f32
  }
  %w = helios.matmul %q, %k fused(%l : !row) {transpose_b} : (!b, !b) -> tensor<?x?x?xbf16> acc f32 {
  ^bb0(%x: f32, %lse: f32):
    %y = arith.mulf %x, %sc : f32
    %z = arith.subf %y, %lse : f32
    %e = math.exp2 %z : f32
    %h = arith.truncf %e : f32 to bf16
    helios.yield %h : bf16
  }
  %ds = helios.matmul %do, %v fused(%p, %delta : tensor<?x?x?xf32>, !row) {transpose_b} : (!b, !b) -> tensor<?x?x?xbf16> acc f32 {
  ^bb0(%x: f32, %e: f32, %d: f32):
    %y = arith.subf %x, %d : f32
    %z = arith.mulf %e, %y : f32
    %h = arith.truncf %z : f32 to bf16
    helios.yield %h : bf16
  }
  %dk = helios.matmul %ds, %q {transpose_a} : (tensor<?x?x?xbf16>, !b) -> !b acc f32 {
  ^bb0(%x: f32):
    %y = arith.mulf %x, %scale : f32
    %h = arith.truncf %y : f32 to bf16
    helios.yield %h : bf16
  }
  %dv = helios.matmul %w, %do {transpose_a} : (tensor<?x?x?xbf16>, !b) -> !b acc f32
  %dq = helios.matmul %ds, %k : (tensor<?x?x?xbf16>, !b) -> tensor<?x?x128xf32> acc f32 {
  ^bb0(%x: f32):
    %y = arith.mulf %x, %scale : f32
    helios.yield %y : f32
  }
  helios.return %dk, %dv, %dq : !b, !b, tensor<?x?x128xf32>
}
