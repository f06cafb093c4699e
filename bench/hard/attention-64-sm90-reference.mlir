// Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What attention-64-sm90-frag.mlir computes; its scale is one for powers of two.
helios.kernel @attention(%q: tensor<?x?x?x64xbf16>, %k: tensor<?x?x?x64xbf16>, %v: tensor<?x?x?x64xbf16>, %scale: f32) -> tensor<?x?x?x64xbf16> {
  %o = helios.attention %q, %k, %v scale(1.0) : (tensor<?x?x?x64xbf16>, tensor<?x?x?x64xbf16>, tensor<?x?x?x64xbf16>) -> tensor<?x?x?x64xbf16> acc f32 score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    %ln2 = arith.constant 0.693147182 : f32
    %e = arith.mulf %scale, %ln2 : f32
    %t = arith.mulf %s, %e : f32
    helios.yield %t : f32
  } mask {
  ^bb0(%b: index, %h: index, %i: index, %j: index):
    %c = arith.cmpi ule, %j, %i : index
    helios.yield %c : i1
  }
  helios.return %o : tensor<?x?x?x64xbf16>
}
