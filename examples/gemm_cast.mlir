// Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Half-precision operands, a single-precision result: without an epilogue the sum is converted to the result's type.
//
// helios-bench: shapes = 256x192,192x320

helios.kernel @gemm_cast(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> tensor<?x?xf32> {
  %d = helios.matmul %a, %b : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf32> acc f32
  helios.return %d : tensor<?x?xf32>
}
