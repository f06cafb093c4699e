// Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A gated layer: D = silu(X·W) (X·V). The second product takes the first one's result as a fused operand.
//
// helios-bench: shapes = 128x96,96x160,96x160

helios.kernel @swiglu(%x: tensor<?x?xf16>, %w: tensor<?x?xf16>, %v: tensor<?x?xf16>) -> tensor<?x?xf16> {
  %linear = helios.matmul %x, %v : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf32> acc f32
  %d = helios.matmul %x, %w fused(%linear : tensor<?x?xf32>) : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32 {
  ^bb0(%g: f32, %l: f32):
    %one = arith.constant 1.0 : f32
    %minus = arith.negf %g : f32
    %exp = math.exp %minus : f32
    %sum = arith.addf %exp, %one : f32
    %silu = arith.divf %g, %sum : f32
    %y = arith.mulf %silu, %l : f32
    %z = arith.truncf %y : f32 to f16
    helios.yield %z : f16
  }
  helios.return %d : tensor<?x?xf16>
}
