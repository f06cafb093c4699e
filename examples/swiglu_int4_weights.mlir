// Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A gated layer whose weights have 4 bits, stored as in gemm_int4_weights.mlir: D = silu(X·Wᵀ) (X·Vᵀ) in one kernel. The region after `prologue` is of both
// right operands; what it reads beside the second one stands behind what it reads beside the first.
//
// helios-bench: shapes = 48x256,96x128,96x128,96x2,96x2

helios.kernel @swiglu_int4_weights(%x: tensor<?x?xf16>, %w: tensor<?x?xi8>, %v: tensor<?x?xi8>, %scale_w: tensor<?x?xf16>, %scale_v: tensor<?x?xf16>) -> tensor<?x?xf16> {
  %d = helios.matmul %x, %w pair(%v : tensor<?x?xi8>) prologue(%scale_w, %scale_v : tensor<?x?xf16>, tensor<?x?xf16>) {group = 128 : i64, transpose_b}
      : (tensor<?x?xf16>, tensor<?x?xi8>) -> tensor<?x?xf16> acc f32 prologue {
  ^bb0(%both: i8, %s: f16):
    %c4 = arith.constant 4 : i8
    %raised = arith.shli %both, %c4 : i8
    %low = arith.shrsi %raised, %c4 : i8
    %high = arith.shrsi %both, %c4 : i8
    %low16 = arith.sitofp %low : i8 to f16
    %high16 = arith.sitofp %high : i8 to f16
    %first = arith.mulf %low16, %s : f16
    %second = arith.mulf %high16, %s : f16
    helios.yield %first, %second : f16, f16
  } {
  ^bb0(%gate: f32, %linear: f32):
    %one = arith.constant 1.0 : f32
    %minus = arith.negf %gate : f32
    %exp = math.exp %minus : f32
    %sum = arith.addf %exp, %one : f32
    %silu = arith.divf %gate, %sum : f32
    %y = arith.mulf %silu, %linear : f32
    %z = arith.truncf %y : f32 to f16
    helios.yield %z : f16
  }
  helios.return %d : tensor<?x?xf16>
}
