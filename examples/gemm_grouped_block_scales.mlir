// Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The experts of a mixture in floats of 8 bits: tokens lie sorted by expert, and %ends says on the device where the rows of each end. Each token has a
// scale for 128 elements along K, each expert one for 128 by 128 of its weights. Groups begin at any row, so the blocks of tokens have one.
//
// helios-bench: shapes = 300x384,5x200x384,5,300x3,5x2x3

helios.kernel @gemm_grouped_block_scales(%x: tensor<?x?xf8E4M3FN>, %w: tensor<?x?x?xf8E4M3FN>, %ends: tensor<?xi32> {helios.name = "ends"},
                                         %rows: tensor<?x?xf32>, %blocks: tensor<?x?x?xf32>) -> tensor<?x?xbf16> {
  %d = helios.matmul %x, %w grouped(%ends : tensor<?xi32>) scales(%rows, %blocks : tensor<?x?xf32>, tensor<?x?x?xf32>)
      {blocks = array<i64: 1, 128, 128>, transpose_b}
      : (tensor<?x?xf8E4M3FN>, tensor<?x?x?xf8E4M3FN>) -> tensor<?x?xbf16> acc f32
  helios.return %d : tensor<?x?xbf16>
}
