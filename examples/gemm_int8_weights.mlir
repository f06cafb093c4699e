// Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// D = A·Wᵀ with weights of 8 bits: the prologue subtracts a zero point and multiplies by a scale, of which there is one for each 128 elements
// along K. What is multiplied never lies in global memory.
//
// helios-bench: shapes = 48x256,96x256,96x2,96x2

helios.kernel @gemm_int8_weights(%a: tensor<?x?xf16>, %w: tensor<?x?xi8>, %scale: tensor<?x?xf16>, %zero: tensor<?x?xi8>) -> tensor<?x?xf16> {
  %d = helios.matmul %a, %w prologue(%scale, %zero : tensor<?x?xf16>, tensor<?x?xi8>) {group = 128 : i64, transpose_b}
      : (tensor<?x?xf16>, tensor<?x?xi8>) -> tensor<?x?xf16> acc f32 prologue {
  ^bb0(%x: i8, %s: f16, %z: i8):
    %x16 = arith.sitofp %x : i8 to f16
    %z16 = arith.sitofp %z : i8 to f16
    %centred = arith.subf %x16, %z16 : f16
    %y = arith.mulf %centred, %s : f16
    helios.yield %y : f16
  }
  helios.return %d : tensor<?x?xf16>
}
