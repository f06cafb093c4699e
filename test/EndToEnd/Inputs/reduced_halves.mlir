// Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What several groups of lanes reduce takes more shared memory than four slots of a step do.
helios.kernel @reduced(%a: tensor<256x96xf16>, %b: tensor<200x96xf16>) -> (tensor<256x200xf16>, tensor<256xf32>, tensor<256xf32>) {
  %r0, %r1, %r2 = helios.matmul %a, %b {transpose_b, reductions = [#helios.reduction<add, n>, #helios.reduction<add, n>]}
    : (tensor<256x96xf16>, tensor<200x96xf16>) -> tensor<256x200xf16>, tensor<256xf32>, tensor<256xf32> acc f32 {
  ^bb0(%x: f32):
    %t1 = arith.truncf %x : f32 to f16
    %t2 = math.absf %x : f32
    %t3 = math.absf %x : f32
    helios.yield %t1, %t2, %t3 : f16, f32, f32
  }
  helios.return %r0, %r1, %r2 : tensor<256x200xf16>, tensor<256xf32>, tensor<256xf32>
}
