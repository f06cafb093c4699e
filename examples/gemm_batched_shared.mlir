// Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A batch of products with one right operand for all; the bias differs from one to the next.
//
// helios-bench: shapes = 4x96x64,64x80,4x1x80

helios.kernel @gemm_batched_shared(%a: tensor<?x?x?xf16>, %b: tensor<?x?xf16>, %bias: tensor<?x1x?xf16>) -> tensor<?x?x?xf16> {
  %d = helios.matmul %a, %b fused(%bias : tensor<?x1x?xf16>) : (tensor<?x?x?xf16>, tensor<?x?xf16>) -> tensor<?x?x?xf16> acc f32 {
  ^bb0(%x: f32, %f: f16):
    %c = arith.extf %f : f16 to f32
    %y = arith.addf %x, %c : f32
    %z = arith.truncf %y : f32 to f16
    helios.yield %z : f16
  }
  helios.return %d : tensor<?x?x?xf16>
}
