// Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// D = sin(A·Bᵀ) m - n, an epilogue that nobody named.
//
// helios-bench: shapes = 256x192,320x192,256x320,320

helios.kernel @gemm_sin(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %m: tensor<?x?xf16>, %n: tensor<?xf16>) -> tensor<?x?xf16> {
  %d = helios.matmul %a, %b fused(%m, %n : tensor<?x?xf16>, tensor<?xf16>) {transpose_b}
      : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32 {
  ^bb0(%x: f32, %f: f16, %g: f16):
    %me = arith.extf %f : f16 to f32
    %ne = arith.extf %g : f16 to f32
    %s = math.sin %x : f32
    %p = arith.mulf %s, %me : f32
    %y = arith.subf %p, %ne : f32
    %z = arith.truncf %y : f32 to f16
    helios.yield %z : f16
  }
  helios.return %d : tensor<?x?xf16>
}
