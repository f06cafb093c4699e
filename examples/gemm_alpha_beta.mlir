// Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// D = alpha A·Bᵀ + beta C with scalars given at launch.
//
// helios-bench: shapes = 256x192,320x192,256x320
// helios-bench: scalars = alpha=0.75,beta=0.5

helios.kernel @gemm_alpha_beta(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %c: tensor<?x?xf16>, %alpha: f32 {helios.name = "alpha"}, %beta: f32 {helios.name = "beta"}) -> tensor<?x?xf16> {
  %d = helios.matmul %a, %b fused(%c : tensor<?x?xf16>) {transpose_b}
      : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32 {
  ^bb0(%x: f32, %f: f16):
    %e = arith.extf %f : f16 to f32
    %p = arith.mulf %x, %alpha : f32
    %q = arith.mulf %e, %beta : f32
    %y = arith.addf %p, %q : f32
    %z = arith.truncf %y : f32 to f16
    helios.yield %z : f16
  }
  helios.return %d : tensor<?x?xf16>
}
