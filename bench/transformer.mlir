// Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kernels of a layer of a decoder, of which bench/transformer.py makes a stack. Normalisations (root mean square; the factors of columns
// are part of the weights) read nothing: a product of normalised rows is the product of the rows, times one factor a row, which follows from the sum of
// squares that the layer before leaves. Weights are [out, in].

/// Y = n(X)·Wᵀ: keys, queries and values side by side.
helios.kernel @normalised(%x: tensor<?x?xf16> {helios.name = "x"}, %w: tensor<?x?xf16> {helios.name = "w"},
                          %squares: tensor<?x1xf32> {helios.name = "squares"}, %share: tensor<1x1xf32> {helios.name = "share"}) -> tensor<?x?xf16> {
  %y = helios.matmul %x, %w fused(%squares, %share : tensor<?x1xf32>, tensor<1x1xf32>) {transpose_b}
      : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32 {
  ^bb0(%sum: f32, %s: f32, %c: f32):
    %tiny = arith.constant 1.0e-5 : f32
    %mean = arith.mulf %s, %c : f32
    %more = arith.addf %mean, %tiny : f32
    %factor = math.rsqrt %more : f32
    %scaled = arith.mulf %sum, %factor : f32
    %stored = arith.truncf %scaled : f32 to f16
    helios.yield %stored : f16
  }
  helios.return %y : tensor<?x?xf16>
}

/// U = gelu(n(X)·Wᵀ).
helios.kernel @activated(%x: tensor<?x?xf16> {helios.name = "x"}, %w: tensor<?x?xf16> {helios.name = "w"},
                         %squares: tensor<?x1xf32> {helios.name = "squares"}, %share: tensor<1x1xf32> {helios.name = "share"}) -> tensor<?x?xf16> {
  %u = helios.matmul %x, %w fused(%squares, %share : tensor<?x1xf32>, tensor<1x1xf32>) {transpose_b}
      : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32 {
  ^bb0(%sum: f32, %s: f32, %c: f32):
    %tiny = arith.constant 1.0e-5 : f32
    %mean = arith.mulf %s, %c : f32
    %more = arith.addf %mean, %tiny : f32
    %factor = math.rsqrt %more : f32
    %v = arith.mulf %sum, %factor : f32
    %root = arith.constant 0.70710678118654752 : f32
    %half = arith.constant 0.5 : f32
    %one = arith.constant 1.0 : f32
    %at = arith.mulf %v, %root : f32
    %erf = math.erf %at : f32
    %up = arith.addf %erf, %one : f32
    %part = arith.mulf %v, %half : f32
    %g = arith.mulf %part, %up : f32
    %stored = arith.truncf %g : f32 to f16
    helios.yield %stored : f16
  }
  helios.return %u : tensor<?x?xf16>
}

/// H = X·Wᵀ + R, and the sum of squares of each row of H.
helios.kernel @added(%x: tensor<?x?xf16> {helios.name = "x"}, %w: tensor<?x?xf16> {helios.name = "w"},
                     %r: tensor<?x?xf16> {helios.name = "r"}) -> (tensor<?x?xf16>, tensor<?xf32>) {
  %h, %squares = helios.matmul %x, %w fused(%r : tensor<?x?xf16>) {transpose_b, reductions = [#helios.reduction<add, n>]}
      : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16>, tensor<?xf32> acc f32 {
  ^bb0(%sum: f32, %e: f16):
    %e32 = arith.extf %e : f16 to f32
    %y = arith.addf %sum, %e32 : f32
    %stored = arith.truncf %y : f32 to f16
    %square = arith.mulf %y, %y : f32
    helios.yield %stored, %square : f16, f32
  }
  helios.return %h, %squares : tensor<?x?xf16>, tensor<?xf32>
}

/// Causal attention of heads of 64.
helios.kernel @attention(%q: tensor<?x?x?x64xf16> {helios.name = "Q"}, %k: tensor<?x?x?x64xf16> {helios.name = "K"},
                         %v: tensor<?x?x?x64xf16> {helios.name = "V"}) -> tensor<?x?x?x64xf16> {
  %o = helios.attention %q, %k, %v
      : (tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>) -> tensor<?x?x?x64xf16> acc f32 mask {
  ^bb0(%b: index, %h: index, %i: index, %j: index):
    %keep = arith.cmpi sle, %j, %i : index
    helios.yield %keep : i1
  }
  helios.return %o : tensor<?x?x?x64xf16>
}
