// Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// f32, which most rows of Vulkan multiply in lanes, and what rows and columns combine to.
helios.kernel @reduced(%a: tensor<?x?xf32>, %b: tensor<?x264xf32>) -> (tensor<?x264xf16>, tensor<?xf32>, tensor<264xf32>) {
  %d, %rows, %columns = helios.matmul %a, %b {reductions = [#helios.reduction<max, n>, #helios.reduction<add, m>]}
      : (tensor<?x?xf32>, tensor<?x264xf32>) -> tensor<?x264xf16>, tensor<?xf32>, tensor<264xf32> acc f32 {
  ^bb0(%x: f32):
    %y = arith.truncf %x : f32 to f16
    %size = math.absf %x : f32
    helios.yield %y, %size, %x : f16, f32, f32
  }
  helios.return %d, %rows, %columns : tensor<?x264xf16>, tensor<?xf32>, tensor<264xf32>
}
