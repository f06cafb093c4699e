// Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// D = gelu(A·Bᵀ + bias) in the form with a hyperbolic tangent.
//
// helios-bench: shapes = 256x192,320x192,320

helios.kernel @gemm_bias_gelu_tanh(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %bias: tensor<?xf16>) -> tensor<?x?xf16> {
  %d = helios.matmul %a, %b fused(%bias : tensor<?xf16>) {transpose_b}
      : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32 {
  ^bb0(%x: f32, %f: f16):
    %c = arith.extf %f : f16 to f32
    %u = arith.addf %x, %c : f32
    %root = arith.constant 0.79788456080286536 : f32
    %cubic = arith.constant 0.044715 : f32
    %half = arith.constant 0.5 : f32
    %one = arith.constant 1.0 : f32
    %square = arith.mulf %u, %u : f32
    %slope = arith.mulf %square, %cubic : f32
    %factor = arith.addf %slope, %one : f32
    %inner = arith.mulf %u, %factor : f32
    %scaled = arith.mulf %inner, %root : f32
    %tanh = math.tanh %scaled : f32
    %sum = arith.addf %tanh, %one : f32
    %part = arith.mulf %u, %half : f32
    %y = arith.mulf %part, %sum : f32
    %z = arith.truncf %y : f32 to f16
    helios.yield %z : f16
  }
  helios.return %d : tensor<?x?xf16>
}
