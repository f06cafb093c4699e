// Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// D = A·Bᵀ + bias + residual: one fused operand by columns, one by elements.
//
// helios-bench: shapes = 256x192,320x192,320,256x320

helios.kernel @gemm_residual(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %bias: tensor<?xf16>, %residual: tensor<?x?xf16>) -> tensor<?x?xf16> {
  %d = helios.matmul %a, %b fused(%bias, %residual : tensor<?xf16>, tensor<?x?xf16>) {transpose_b}
      : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32 {
  ^bb0(%x: f32, %f: f16, %r: f16):
    %c = arith.extf %f : f16 to f32
    %u = arith.addf %x, %c : f32
    %s = arith.extf %r : f16 to f32
    %y = arith.addf %u, %s : f32
    %z = arith.truncf %y : f32 to f16
    helios.yield %z : f16
  }
  helios.return %d : tensor<?x?xf16>
}
