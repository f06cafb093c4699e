// Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// D = (r · X · gamma) · Wᵀ: each row of X times a factor of its own, as the reciprocal of its root mean square, each column times one that all
// rows have. It is written as tensor code; helios-fuse makes it a prologue of the product.
//
// helios-bench: shapes = 48x256,96x256,48,256

helios.kernel @gemm_normalised(%x: tensor<?x?xf16>, %w: tensor<?x?xf16>, %r: tensor<?xf32>, %gamma: tensor<?xf32>) -> tensor<?x?xf16> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xf16>
  %k = tensor.dim %x, %c1 : tensor<?x?xf16>
  %e = tensor.empty(%m, %k) : tensor<?x?xf32>
  %rows = linalg.broadcast ins(%r : tensor<?xf32>) outs(%e : tensor<?x?xf32>) dimensions = [1]
  %columns = linalg.broadcast ins(%gamma : tensor<?xf32>) outs(%e : tensor<?x?xf32>) dimensions = [0]
  %x32 = arith.extf %x : tensor<?x?xf16> to tensor<?x?xf32>
  %scaled = arith.mulf %x32, %rows : tensor<?x?xf32>
  %normal = arith.mulf %scaled, %columns : tensor<?x?xf32>
  %h = arith.truncf %normal : tensor<?x?xf32> to tensor<?x?xf16>
  %d = helios.matmul %h, %w {transpose_b} : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
  helios.return %d : tensor<?x?xf16>
}
