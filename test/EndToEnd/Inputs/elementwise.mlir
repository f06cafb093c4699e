// Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What test/EndToEnd/elementwise.mlir computes.
#same = affine_map<(i) -> (i)>
helios.kernel @pointwise(%x: tensor<?xf16>, %y: tensor<?xf16>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf16>
  %empty = tensor.empty(%n) : tensor<?xf32>
  %z = linalg.generic {indexing_maps = [#same, #same, #same], iterator_types = ["parallel"]}
      ins(%x, %y : tensor<?xf16>, tensor<?xf16>) outs(%empty : tensor<?xf32>) {
  ^bb0(%u: f16, %v: f16, %unused: f32):
    %zero = arith.constant 0.0 : f32
    %uf = arith.extf %u : f16 to f32
    %vf = arith.extf %v : f16 to f32
    %r = arith.maximumf %uf, %zero : f32
    %v2 = arith.mulf %vf, %vf : f32
    %nv = arith.negf %v2 : f32
    %e = math.exp %nv : f32
    %s = arith.addf %r, %e : f32
    linalg.yield %s : f32
  } -> tensor<?xf32>
  helios.return %z : tensor<?xf32>
}
