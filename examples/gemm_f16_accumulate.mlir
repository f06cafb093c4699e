// Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The sum itself in half precision: faster where the hardware has it, and coarser.
//
// helios-bench: shapes = 256x64,64x320

helios.kernel @gemm_f16_accumulate(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> tensor<?x?xf16> {
  %d = helios.matmul %a, %b : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f16
  helios.return %d : tensor<?x?xf16>
}
