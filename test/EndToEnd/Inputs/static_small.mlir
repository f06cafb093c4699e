// Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tile as small as this result is smaller than what swizzles repeat in.
helios.kernel @small(%a: tensor<32x32xf8E4M3FN>, %b: tensor<3x32xf8E4M3FN>) -> tensor<32x3xf32> {
  %d = helios.matmul %a, %b {transpose_a, transpose_b} : (tensor<32x32xf8E4M3FN>, tensor<3x32xf8E4M3FN>) -> tensor<32x3xf32> acc f32
  helios.return %d : tensor<32x3xf32>
}
