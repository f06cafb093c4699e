// Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the program of test/hard/rmsnorm-frag.mlir computes: rmsnorm(A) · Wᵀ. The sum of squares of a row of A is a product with ones.
#mk = affine_map<(i, j) -> (i, j)>
#k = affine_map<(i, j) -> (j)>
helios.kernel @rmsnorm(%a: tensor<?x?xf16>, %w: tensor<?x?xf16>, %g: tensor<?xf16>, %invK: f32, %eps: f32) -> tensor<?x?xf16> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %a, %c0 : tensor<?x?xf16>
  %kd = tensor.dim %a, %c1 : tensor<?x?xf16>
  %n = tensor.dim %w, %c0 : tensor<?x?xf16>
  %e0 = tensor.empty(%m, %kd) : tensor<?x?xf16>
  %ag = linalg.generic {indexing_maps = [#mk, #k, #mk], iterator_types = ["parallel", "parallel"]}
      ins(%a, %g : tensor<?x?xf16>, tensor<?xf16>) outs(%e0 : tensor<?x?xf16>) {
  ^bb0(%x: f16, %y: f16, %unused: f16):
    %xf = arith.extf %x : f16 to f32
    %yf = arith.extf %y : f16 to f32
    %p = arith.mulf %xf, %yf : f32
    %h = arith.truncf %p : f32 to f16
    linalg.yield %h : f16
  } -> tensor<?x?xf16>
  %e1 = tensor.empty(%m, %kd) : tensor<?x?xf32>
  %sq = linalg.generic {indexing_maps = [#mk, #mk], iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<?x?xf16>) outs(%e1 : tensor<?x?xf32>) {
  ^bb0(%x: f16, %unused: f32):
    %xf = arith.extf %x : f16 to f32
    %p = arith.mulf %xf, %xf : f32
    linalg.yield %p : f32
  } -> tensor<?x?xf32>
  %e2 = tensor.empty(%n, %kd) : tensor<?x?xf32>
  %ones = linalg.generic {indexing_maps = [#mk, #mk], iterator_types = ["parallel", "parallel"]}
      ins(%w : tensor<?x?xf16>) outs(%e2 : tensor<?x?xf32>) {
  ^bb0(%x: f16, %unused: f32):
    %zero = arith.constant 0.0 : f32
    %one = arith.constant 1.0 : f32
    %xf = arith.extf %x : f16 to f32
    %p = arith.mulf %xf, %zero : f32
    %y = arith.addf %p, %one : f32
    linalg.yield %y : f32
  } -> tensor<?x?xf32>
  %s = helios.matmul %sq, %ones {transpose_b} : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32> acc f32
  %d = helios.matmul %ag, %w fused(%s : tensor<?x?xf32>) {transpose_b} : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32 {
  ^bb0(%x: f32, %sum: f32):
    %mean = arith.mulf %sum, %invK : f32
    %me = arith.addf %mean, %eps : f32
    %f = math.rsqrt %me : f32
    %y = arith.mulf %x, %f : f32
    %h = arith.truncf %y : f32 to f16
    helios.yield %h : f16
  }
  helios.return %d : tensor<?x?xf16>
}
