// Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sequences in a cache: only the first keys of each hold anything, the queries are the last ones.
helios.kernel @lengths(%q: tensor<?x?x?x64xf16> {helios.name = "q"}, %k: tensor<?x?x?x64xf16> {helios.name = "k"},
                       %v: tensor<?x?x?x64xf16> {helios.name = "v"},
                       %length: i32 {helios.name = "length"}) -> tensor<?x?x?x64xf16> {
  %end = arith.index_cast %length : i32 to index
  %o = helios.attention %q, %k, %v : (tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>) -> tensor<?x?x?x64xf16> acc f32 mask {
  ^bb0(%b: index, %h: index, %i: index, %j: index):
    %in = arith.cmpi ult, %j, %end : index
    helios.yield %in : i1
  }
  helios.return %o : tensor<?x?x?x64xf16>
}
