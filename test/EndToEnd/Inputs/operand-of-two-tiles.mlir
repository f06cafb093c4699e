// Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What test/EndToEnd/operand-of-two-tiles.mlir computes. No pass compiles it: the product's operand is no tensor in memory.
helios.kernel @gated(%x: tensor<?x?xf16>, %y: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> tensor<?x?xf32> {
  %xf = arith.extf %x : tensor<?x?xf16> to tensor<?x?xf32>
  %yf = arith.extf %y : tensor<?x?xf16> to tensor<?x?xf32>
  %t = math.tanh %yf : tensor<?x?xf32>
  %p = arith.mulf %xf, %t : tensor<?x?xf32>
  %a = arith.truncf %p : tensor<?x?xf32> to tensor<?x?xf16>
  %d = helios.matmul %a, %b : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf32> acc f32
  helios.return %d : tensor<?x?xf32>
}
