// Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A score of minus infinity is a key that takes no part, as where the mask says so: here all keys of every third query.
helios.kernel @infinite(%q: tensor<?x?x?x64xbf16>, %k: tensor<?x?x?x64xbf16>, %v: tensor<?x?x?x64xbf16>) -> (tensor<?x?x?x64xbf16>, tensor<?x?x?xf32>) {
  %o, %l = helios.attention %q, %k, %v : (tensor<?x?x?x64xbf16>, tensor<?x?x?x64xbf16>, tensor<?x?x?x64xbf16>)
      -> tensor<?x?x?x64xbf16> lse tensor<?x?x?xf32> acc f32 score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    %c3 = arith.constant 3 : index
    %zero = arith.constant 0 : index
    %third = arith.remui %i, %c3 : index
    %out = arith.cmpi eq, %third, %zero : index
    %odd = arith.remui %j, %c3 : index
    %key = arith.cmpi eq, %odd, %third : index
    %gone = arith.ori %out, %key : i1
    %none = arith.constant 0xFF800000 : f32
    %bias = arith.constant 0.0 : f32
    %d = arith.select %gone, %none, %bias : f32
    %t = arith.addf %s, %d : f32
    helios.yield %t : f32
  }
  helios.return %o, %l : tensor<?x?x?x64xbf16>, tensor<?x?x?xf32>
}
