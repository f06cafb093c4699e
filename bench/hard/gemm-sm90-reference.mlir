// Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What gemm-sm90-frag.mlir computes.
helios.kernel @gemm(%a: tensor<?x?xbf16>, %b: tensor<?x?xbf16>, %bias: tensor<?xbf16>) -> tensor<?x?xbf16> {
  %d = helios.matmul %a, %b fused(%bias : tensor<?xbf16>) {transpose_b} : (tensor<?x?xbf16>, tensor<?x?xbf16>) -> tensor<?x?xbf16> acc f32 {
  ^bb0(%x: f32, %f: bf16):
    %half = arith.constant 0.5 : f32
    %one = arith.constant 1.0 : f32
    %root = arith.constant 0.707106769 : f32
    %g = arith.extf %f : bf16 to f32
    %u = arith.addf %x, %g : f32
    %v = arith.mulf %u, %root : f32
    %w = math.erf %v : f32
    %o = arith.addf %w, %one : f32
    %h = arith.mulf %u, %half : f32
    %y = arith.mulf %h, %o : f32
    %z = arith.truncf %y : f32 to bf16
    helios.yield %z : bf16
  }
  helios.return %d : tensor<?x?xbf16>
}
