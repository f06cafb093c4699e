// Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A layer whose backward pass needs what came before the activation: D = gelu(P) and P = A·B + bias, where
// gelu(x) = x (1 + erf(x / sqrt(2))) / 2. Both leave one kernel; nothing is computed or read twice.
//
// helios-bench: shapes = 128x96,96x160,160

helios.kernel @gemm_bias_gelu_aux(%a: tensor<?x?xbf16>, %b: tensor<?x?xbf16>, %bias: tensor<?xf32>) -> (tensor<?x?xbf16>, tensor<?x?xbf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %a, %c0 : tensor<?x?xbf16>
  %n = tensor.dim %b, %c1 : tensor<?x?xbf16>
  %root = arith.constant 0.70710678118654752 : f32
  %half = arith.constant 0.5 : f32
  %one = arith.constant 1.0 : f32
  %roots = tensor.splat %root[%m, %n] : tensor<?x?xf32>
  %halves = tensor.splat %half[%m, %n] : tensor<?x?xf32>
  %ones = tensor.splat %one[%m, %n] : tensor<?x?xf32>

  %sum = helios.matmul %a, %b : (tensor<?x?xbf16>, tensor<?x?xbf16>) -> tensor<?x?xf32> acc f32
  %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
  %row = linalg.broadcast ins(%bias : tensor<?xf32>) outs(%empty : tensor<?x?xf32>) dimensions = [0]
  %x = arith.addf %sum, %row : tensor<?x?xf32>
  %p = arith.truncf %x : tensor<?x?xf32> to tensor<?x?xbf16>

  %scaled = arith.mulf %x, %roots : tensor<?x?xf32>
  %erf = math.erf %scaled : tensor<?x?xf32>
  %cdf = arith.addf %erf, %ones : tensor<?x?xf32>
  %part = arith.mulf %x, %halves : tensor<?x?xf32>
  %y = arith.mulf %part, %cdf : tensor<?x?xf32>
  %d = arith.truncf %y : tensor<?x?xf32> to tensor<?x?xbf16>
  helios.return %d, %p : tensor<?x?xbf16>, tensor<?x?xbf16>
}
