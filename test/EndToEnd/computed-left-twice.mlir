// Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two products of one left operand whose prologues differ, the second one with a batch: each launch makes both, in places of their own.

// RUN: helios-compile %s --target=cuda:sm_90a -o %t.hlx
// RUN: helios-bench run %t.hlx --check-only --device emulator --shapes "40x64,64x72,40x1,2x64x72,64;64x128,128x64,64x1,3x128x64,128" | FileCheck %s --implicit-check-not=incorrect --implicit-check-not="not verified"
// CHECK-COUNT-2: passed

helios.kernel @twice(%x: tensor<?x?xbf16>, %v: tensor<?x?xbf16>, %r: tensor<?x1xf32>, %w: tensor<?x?x?xbf16>, %gamma: tensor<?xf32>)
    -> (tensor<?x?xbf16>, tensor<?x?x?xbf16>) {
  %d = helios.matmul %x, %v prologue_a(%r : tensor<?x1xf32>) : (tensor<?x?xbf16>, tensor<?x?xbf16>) -> tensor<?x?xbf16> acc f32 prologue_a {
  ^bb0(%e: bf16, %s: f32):
    %e32 = arith.extf %e : bf16 to f32
    %u = arith.mulf %e32, %s : f32
    %y = arith.truncf %u : f32 to bf16
    helios.yield %y : bf16
  }
  %f = helios.matmul %x, %w prologue_a(%gamma : tensor<?xf32>) : (tensor<?x?xbf16>, tensor<?x?x?xbf16>) -> tensor<?x?x?xbf16> acc f32 prologue_a {
  ^bb0(%e: bf16, %s: f32):
    %e32 = arith.extf %e : bf16 to f32
    %u = arith.addf %e32, %s : f32
    %y = arith.truncf %u : f32 to bf16
    helios.yield %y : bf16
  }
  helios.return %d, %f : tensor<?x?xbf16>, tensor<?x?x?xbf16>
}
