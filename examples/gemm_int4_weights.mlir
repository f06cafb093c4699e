// Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// D = A·Wᵀ with weights of 4 bits, two in a byte: in each group of 128 elements along K the low bits of byte j are weight j, the high ones weight j + 64.
// Each group has a scale and a zero point. In NumPy, of weights w from -8 to 7:
//
//   halves = w.reshape(N, K // 128, 2, 64).astype(np.int8)
//   packed = (halves[:, :, 0] & 15 | halves[:, :, 1] << 4).reshape(N, K // 2)
//
// helios-bench: shapes = 48x256,96x128,96x2,96x2

helios.kernel @gemm_int4_weights(%a: tensor<?x?xf16>, %w: tensor<?x?xi8>, %scale: tensor<?x?xf16>, %zero: tensor<?x?xi8>) -> tensor<?x?xf16> {
  %d = helios.matmul %a, %w prologue(%scale, %zero : tensor<?x?xf16>, tensor<?x?xi8>) {group = 128 : i64, transpose_b}
      : (tensor<?x?xf16>, tensor<?x?xi8>) -> tensor<?x?xf16> acc f32 prologue {
  ^bb0(%x: i8, %s: f16, %z: i8):
    %c4 = arith.constant 4 : i8
    %raised = arith.shli %x, %c4 : i8
    %low = arith.shrsi %raised, %c4 : i8
    %high = arith.shrsi %x, %c4 : i8
    %zero16 = arith.sitofp %z : i8 to f16
    %low16 = arith.sitofp %low : i8 to f16
    %high16 = arith.sitofp %high : i8 to f16
    %low_centred = arith.subf %low16, %zero16 : f16
    %high_centred = arith.subf %high16, %zero16 : f16
    %first = arith.mulf %low_centred, %s : f16
    %second = arith.mulf %high_centred, %s : f16
    helios.yield %first, %second : f16, f16
  }
  helios.return %d : tensor<?x?xf16>
}
