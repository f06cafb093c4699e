// Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A gated layer: D = silu(X·W) (X·V). Two products of X whose results meet become one with a pair: neither sum is stored.
//
// helios-bench: shapes = 128x96,96x160,96x160

helios.kernel @swiglu(%x: tensor<?x?xf16>, %w: tensor<?x?xf16>, %v: tensor<?x?xf16>) -> tensor<?x?xf16> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xf16>
  %n = tensor.dim %w, %c1 : tensor<?x?xf16>
  %one = arith.constant 1.0 : f32
  %ones = tensor.splat %one[%m, %n] : tensor<?x?xf32>
  %gate = helios.matmul %x, %w : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf32> acc f32
  %linear = helios.matmul %x, %v : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf32> acc f32
  %minus = arith.negf %gate : tensor<?x?xf32>
  %exp = math.exp %minus : tensor<?x?xf32>
  %sum = arith.addf %exp, %ones : tensor<?x?xf32>
  %silu = arith.divf %gate, %sum : tensor<?x?xf32>
  %y = arith.mulf %silu, %linear : tensor<?x?xf32>
  %d = arith.truncf %y : tensor<?x?xf32> to tensor<?x?xf16>
  helios.return %d : tensor<?x?xf16>
}
