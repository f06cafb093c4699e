// Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What attention-plain.mlir computes.
!t = tensor<?x?x?x64xf16> // D
helios.kernel @attention(%q: !t, %k: !t, %v: !t) -> !t {
  %o = helios.attention %q, %k, %v : (!t, !t, !t) -> !t acc f32 // full
  // causal: %o = helios.attention %q, %k, %v : (!t, !t, !t) -> !t acc f32 mask {
  // causal: ^bb0(%b: index, %h: index, %i: index, %j: index):
  // causal: %seen = arith.cmpi ule, %j, %i : index
  // causal: helios.yield %seen : i1
  // causal: }
  helios.return %o : !t
}
