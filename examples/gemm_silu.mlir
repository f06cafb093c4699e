// Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// D = x / (1 + exp(-x)) with x = A·Bᵀ.
//
// helios-bench: shapes = 256x192,320x192

helios.kernel @gemm_silu(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> tensor<?x?xf16> {
  %d = helios.matmul %a, %b {transpose_b}
      : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32 {
  ^bb0(%x: f32):
    %one = arith.constant 1.0 : f32
    %minus = arith.negf %x : f32
    %exp = math.exp %minus : f32
    %sum = arith.addf %exp, %one : f32
    %y = arith.divf %x, %sum : f32
    %z = arith.truncf %y : f32 to f16
    helios.yield %z : f16
  }
  helios.return %d : tensor<?x?xf16>
}
