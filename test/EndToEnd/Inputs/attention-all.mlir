// Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Everything at once: shared heads, another depth of values, soft-capping and a bias, a window below the diagonal of the last query, padding
// that a tensor marks, and the logarithms of the sums.
helios.kernel @all(%q: tensor<?x?x?x80xbf16> {helios.name = "q"}, %k: tensor<?x?x?x80xbf16> {helios.name = "k"}, %v: tensor<?x?x?x48xbf16> {helios.name = "v"},
                   %bias: tensor<?x?x?xf32>, %valid: tensor<?x1x1x?xi32>) -> (tensor<?x?x?x48xf32>, tensor<?x?x?xf32>) {
  %two = arith.constant 2 : index
  %sq = tensor.dim %q, %two : tensor<?x?x?x80xbf16>
  %sk = tensor.dim %k, %two : tensor<?x?x?x80xbf16>
  %shift = arith.subi %sk, %sq : index
  %o, %l = helios.attention %q, %k, %v fused(%bias, %valid : tensor<?x?x?xf32>, tensor<?x1x1x?xi32>)
      : (tensor<?x?x?x80xbf16>, tensor<?x?x?x80xbf16>, tensor<?x?x?x48xbf16>) -> tensor<?x?x?x48xf32> lse tensor<?x?x?xf32> acc f32 score {
  ^bb0(%s: f32, %e: f32, %p: i32, %b: index, %h: index, %i: index, %j: index):
    %cap = arith.constant 20.0 : f32
    %d = arith.divf %s, %cap : f32
    %t = math.tanh %d : f32
    %u = arith.mulf %t, %cap : f32
    %w = arith.addf %u, %e : f32
    helios.yield %w : f32
  } mask {
  ^bb0(%e: f32, %p: i32, %b: index, %h: index, %i: index, %j: index):
    %none = arith.constant -4 : i32
    %in = arith.cmpi sgt, %p, %none : i32
    %at = arith.addi %i, %shift : index
    %causal = arith.cmpi sle, %j, %at : index
    %width = arith.constant 70 : index
    %reach = arith.addi %j, %width : index
    %near = arith.cmpi sgt, %reach, %at : index
    %both = arith.andi %causal, %near : i1
    %keep = arith.andi %both, %in : i1
    helios.yield %keep : i1
  }
  helios.return %o, %l : tensor<?x?x?x48xf32>, tensor<?x?x?xf32>
}
