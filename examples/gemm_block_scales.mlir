// Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// D = A·Bᵀ of floats of 8 bits with scales for blocks: of A one for each row and 128 elements along K, of B one for 128 by 128. The sum over a
// block leaves the engine, is multiplied by both scales and added to those before.
//
// helios-bench: shapes = 144x384,200x384,144x3,2x3

helios.kernel @gemm_block_scales(%a: tensor<?x?xf8E4M3FN>, %b: tensor<?x?xf8E4M3FN>, %rows: tensor<?x?xf32>, %blocks: tensor<?x?xf32>) -> tensor<?x?xbf16> {
  %d = helios.matmul %a, %b scales(%rows, %blocks : tensor<?x?xf32>, tensor<?x?xf32>) {blocks = array<i64: 1, 128, 128>, transpose_b}
      : (tensor<?x?xf8E4M3FN>, tensor<?x?xf8E4M3FN>) -> tensor<?x?xbf16> acc f32
  helios.return %d : tensor<?x?xbf16>
}
