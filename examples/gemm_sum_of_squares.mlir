// Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The layer before a normalisation: H = X·Wᵀ + R, and of each row of H the sum of squares, from which the reciprocal of its root mean
// square follows. gemm_normalised.mlir takes that. Nothing reads H for it.
//
// helios-bench: shapes = 48x256,96x256,48x96

helios.kernel @gemm_sum_of_squares(%x: tensor<?x?xf16>, %w: tensor<?x?xf16>, %r: tensor<?x?xf16>) -> (tensor<?x?xf16>, tensor<?xf32>) {
  %h, %squares = helios.matmul %x, %w fused(%r : tensor<?x?xf16>) {transpose_b, reductions = [#helios.reduction<add, n>]}
      : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16>, tensor<?xf32> acc f32 {
  ^bb0(%sum: f32, %e: f16):
    %e32 = arith.extf %e : f16 to f32
    %y = arith.addf %sum, %e32 : f32
    %stored = arith.truncf %y : f32 to f16
    %square = arith.mulf %y, %y : f32
    helios.yield %stored, %square : f16, f32
  }
  helios.return %h, %squares : tensor<?x?xf16>, tensor<?xf32>
}
