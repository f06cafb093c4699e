// Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A scale that is zero in single precision: all weights are equal, with keys that no tile fills and none.
helios.kernel @faint(%q: tensor<?x?x?x32xf32>, %k: tensor<?x?x?x32xf32>, %v: tensor<?x?x?x32xf32>) -> tensor<?x?x?x32xf32> {
  %o = helios.attention %q, %k, %v {scale = 1.0e-60 : f64} : (tensor<?x?x?x32xf32>, tensor<?x?x?x32xf32>, tensor<?x?x?x32xf32>) -> tensor<?x?x?x32xf32> acc f32
  helios.return %o : tensor<?x?x?x32xf32>
}
