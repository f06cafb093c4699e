// Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// D = A·Bᵀ scaled by row and by column, as for quantised operands. An extent of one broadcasts.
//
// helios-bench: shapes = 256x192,320x192,256x1,320

helios.kernel @gemm_scales(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %rows: tensor<?x1xf32>, %columns: tensor<?xf32>) -> tensor<?x?xf16> {
  %d = helios.matmul %a, %b fused(%rows, %columns : tensor<?x1xf32>, tensor<?xf32>) {transpose_b}
      : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32 {
  ^bb0(%x: f32, %r: f32, %c: f32):
    %u = arith.mulf %x, %r : f32
    %y = arith.mulf %u, %c : f32
    %z = arith.truncf %y : f32 to f16
    helios.yield %z : f16
  }
  helios.return %d : tensor<?x?xf16>
}
