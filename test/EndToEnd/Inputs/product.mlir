// Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What Inputs/fragments.mlir computes.
helios.kernel @product(%a: tensor<16x16xf16>, %b: tensor<16x16xf16>) -> tensor<16x16xf32> {
  %d = helios.matmul %a, %b : (tensor<16x16xf16>, tensor<16x16xf16>) -> tensor<16x16xf32> acc f32
  helios.return %d : tensor<16x16xf32>
}
