// Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of static extents of which rows are no whole wide units: along K in both operands, in one, and in neither.

helios.kernel @both(%a: tensor<96x100xf16>, %b: tensor<40x100xf16>) -> tensor<96x40xf16> {
  %d = helios.matmul %a, %b {transpose_b} : (tensor<96x100xf16>, tensor<40x100xf16>) -> tensor<96x40xf16> acc f32
  helios.return %d : tensor<96x40xf16>
}

helios.kernel @left(%a: tensor<2x3x65xf16>, %b: tensor<65x64xf16>) -> tensor<2x3x64xf16> {
  %d = helios.matmul %a, %b : (tensor<2x3x65xf16>, tensor<65x64xf16>) -> tensor<2x3x64xf16> acc f32
  helios.return %d : tensor<2x3x64xf16>
}

helios.kernel @neither(%a: tensor<100x96xf16>, %b: tensor<100x40xf16>) -> tensor<96x40xf16> {
  %d = helios.matmul %a, %b {transpose_a} : (tensor<100x96xf16>, tensor<100x40xf16>) -> tensor<96x40xf16> acc f32
  helios.return %d : tensor<96x40xf16>
}

helios.kernel @floats(%a: tensor<33x100xf32>, %b: tensor<100x41xf32>) -> tensor<33x41xf32> {
  %d = helios.matmul %a, %b : (tensor<33x100xf32>, tensor<100x41xf32>) -> tensor<33x41xf32> acc f32
  helios.return %d : tensor<33x41xf32>
}
