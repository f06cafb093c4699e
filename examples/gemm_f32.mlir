// Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Single precision throughout, for devices with or without matrix instructions for it.
//
// helios-bench: shapes = 192x128,128x160

helios.kernel @gemm_f32(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %d = helios.matmul %a, %b : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32> acc f32
  helios.return %d : tensor<?x?xf32>
}
