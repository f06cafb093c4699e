// Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What test/EndToEnd/chained-products.mlir computes.
helios.kernel @chain(%a: tensor<16x16xf16>, %b: tensor<16x16xf16>, %c: tensor<16x16xf16>, %d: tensor<16x16xf16>) -> tensor<16x16xf16> {
  %ab = helios.matmul %a, %b : (tensor<16x16xf16>, tensor<16x16xf16>) -> tensor<16x16xf16> acc f32
  %abc = helios.matmul %ab, %c : (tensor<16x16xf16>, tensor<16x16xf16>) -> tensor<16x16xf16> acc f32
  %abcd = helios.matmul %abc, %d : (tensor<16x16xf16>, tensor<16x16xf16>) -> tensor<16x16xf16> acc f32
  helios.return %abcd : tensor<16x16xf16>
}
