// Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// D = A·Bᵀ: both operands have the contracted dimension last, as weights of a linear layer are stored.
//
// helios-bench: shapes = 256x192,320x192

helios.kernel @gemm_nt(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> tensor<?x?xf16> {
  %d = helios.matmul %a, %b {transpose_b} : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
  helios.return %d : tensor<?x?xf16>
}
