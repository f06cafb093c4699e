// Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// D = A·Bᵀ below and on the diagonal, zero above: the epilogue may use the element's indices.
//
// helios-bench: shapes = 256x192,320x192

helios.kernel @gemm_causal(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> tensor<?x?xf16> {
  %d = helios.matmul %a, %b {transpose_b}
      : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32 {
  ^bb0(%x: f32, %i: index, %j: index):
    %zero = arith.constant 0.0 : f32
    %lower = arith.cmpi uge, %i, %j : index
    %y = arith.select %lower, %x, %zero : f32
    %z = arith.truncf %y : f32 to f16
    helios.yield %z : f16
  }
  helios.return %d : tensor<?x?xf16>
}
