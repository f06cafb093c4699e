// Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The same as gemm_bias_gelu, written as tensor operations after the product: helios-fuse moves them into the epilogue.
//
// helios-bench: shapes = 256x192,320x192,320

helios.kernel @gemm_unfused(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %bias: tensor<?xf16>) -> tensor<?x?xf16> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %p = helios.matmul %a, %b {transpose_b} : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf32> acc f32
  %m = tensor.dim %p, %c0 : tensor<?x?xf32>
  %n = tensor.dim %p, %c1 : tensor<?x?xf32>
  %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
  %wide = arith.extf %bias : tensor<?xf16> to tensor<?xf32>
  %rows = linalg.broadcast ins(%wide : tensor<?xf32>) outs(%empty : tensor<?x?xf32>) dimensions = [0]
  %u = arith.addf %p, %rows : tensor<?x?xf32>
  %gelu = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
                          iterator_types = ["parallel", "parallel"]}
      ins(%u : tensor<?x?xf32>) outs(%empty : tensor<?x?xf32>) {
  ^bb0(%x: f32, %unused: f32):
    %root = arith.constant 0.70710678118654752 : f32
    %half = arith.constant 0.5 : f32
    %one = arith.constant 1.0 : f32
    %scaled = arith.mulf %x, %root : f32
    %erf = math.erf %scaled : f32
    %sum = arith.addf %erf, %one : f32
    %part = arith.mulf %x, %half : f32
    %y = arith.mulf %part, %sum : f32
    linalg.yield %y : f32
  } -> tensor<?x?xf32>
  %d = arith.truncf %gelu : tensor<?x?xf32> to tensor<?x?xf16>
  helios.return %d : tensor<?x?xf16>
}
