// Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums of the operands' own type, which rows may have matrices of and none of f32.
helios.kernel @halves(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> tensor<?x?xf16> {
  %d = helios.matmul %a, %b : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f16
  helios.return %d : tensor<?x?xf16>
}
