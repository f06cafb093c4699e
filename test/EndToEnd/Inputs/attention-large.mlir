// Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scores of some 10,000, positive and negative: nothing overflows, and one key takes nearly all.
helios.kernel @large(%q: tensor<?x?x?x64xf16>, %k: tensor<?x?x?x64xf16>, %v: tensor<?x?x?x64xf16>) -> (tensor<?x?x?x64xf16>, tensor<?x?x?xf32>) {
  %o, %l = helios.attention %q, %k, %v scale(1250.0) : (tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>)
      -> tensor<?x?x?x64xf16> lse tensor<?x?x?xf32> acc f32
  helios.return %o, %l : tensor<?x?x?x64xf16>, tensor<?x?x?xf32>
}
