// Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A batch of products. Leading dimensions are the batch.
//
// helios-bench: shapes = 4x96x64,4x64x80

helios.kernel @gemm_batched(%a: tensor<?x?x?xf16>, %b: tensor<?x?x?xf16>) -> tensor<?x?x?xf16> {
  %d = helios.matmul %a, %b : (tensor<?x?x?xf16>, tensor<?x?x?xf16>) -> tensor<?x?x?xf16> acc f32
  helios.return %d : tensor<?x?x?xf16>
}
