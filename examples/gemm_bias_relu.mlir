// Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// D = max(A·Bᵀ + bias, 0).
//
// helios-bench: shapes = 256x192,320x192,320

helios.kernel @gemm_bias_relu(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %bias: tensor<?xf16>) -> tensor<?x?xf16> {
  %d = helios.matmul %a, %b fused(%bias : tensor<?xf16>) {transpose_b}
      : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32 {
  ^bb0(%x: f32, %f: f16):
    %c = arith.extf %f : f16 to f32
    %u = arith.addf %x, %c : f32
    %zero = arith.constant 0.0 : f32
    %y = arith.maximumf %u, %zero : f32
    %z = arith.truncf %y : f32 to f16
    helios.yield %z : f16
  }
  helios.return %d : tensor<?x?xf16>
}
