// Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A score in which constants go every way: through a negation, products of two tiles and with a number that is known at launch, sums whose other term has less
// than a tile, another factor or none, a quotient, and a maximum that needs the value itself; at a scale that turns the order of scores round.
helios.kernel @factors(%q: tensor<?x?x?x64xf16>, %k: tensor<?x?x?x64xf16>, %v: tensor<?x?x?x64xf16>, %n: f32 {helios.name = "n"}) -> (tensor<?x?x?x64xf16>, tensor<?x?x?xf32>) {
  %o, %l = helios.attention %q, %k, %v scale(-0.2) : (tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>)
      -> tensor<?x?x?x64xf16> lse tensor<?x?x?xf32> acc f32 score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    %three = arith.constant 3.0 : f32
    %hundredth = arith.constant 0.01 : f32
    %half = arith.constant -0.5 : f32
    %seven = arith.constant 7.0 : f32
    %least = arith.constant -1.0 : f32
    %quarter = arith.constant 0.25 : f32
    %a = arith.mulf %s, %three : f32
    %minus = arith.negf %a : f32
    %square = arith.mulf %a, %s : f32
    %j32 = arith.index_cast %j : index to i32
    %key = arith.sitofp %j32 : i32 to f32
    %shift = arith.mulf %key, %hundredth : f32
    %t1 = arith.addf %minus, %shift : f32
    %t2 = arith.mulf %half, %t1 : f32
    %part = arith.divf %a, %seven fastmath<arcp> : f32
    %most = arith.maximumf %part, %least : f32
    %little = arith.mulf %most, %quarter : f32
    %t3 = arith.subf %little, %t2 : f32
    %t4 = arith.mulf %t3, %n : f32
    %small = arith.mulf %square, %hundredth : f32
    %t5 = arith.subf %t4, %small : f32
    helios.yield %t5 : f32
  } mask {
  ^bb0(%b: index, %h: index, %i: index, %j: index):
    %keep = arith.cmpi sle, %j, %i : index
    helios.yield %keep : i1
  }
  helios.return %o, %l : tensor<?x?x?x64xf16>, tensor<?x?x?xf32>
}
