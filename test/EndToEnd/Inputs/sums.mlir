// Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// GELU written in other ways than as z (1 + erf(k z)): as a sum, and by multiply-adds of either order; the same with tanh; and
// what looks like it, but has another function as the factor, or two uses of it. Columns make sums large and infinite.
helios.kernel @gelus(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> (tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>) {
  %d:6 = helios.matmul %a, %b : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32> acc f32 {
  ^bb0(%sum: f32, %i: index, %j: index):
    %c5 = arith.constant 5 : index
    %part = arith.remui %j, %c5 : index
    %p = arith.index_cast %part : index to i32
    %one = arith.constant 1 : i32
    %two = arith.constant 2 : i32
    %isLarge = arith.cmpi eq, %p, %one : i32
    %isInfinite = arith.cmpi eq, %p, %two : i32
    %unit = arith.constant 1.0 : f32
    %large = arith.constant 1.0e30 : f32
    %infinite = arith.constant 0x7F800000 : f32
    %magnitude = math.absf %sum : f32
    %positive = arith.addf %magnitude, %unit : f32
    %l = arith.mulf %sum, %large : f32
    %f = arith.mulf %positive, %infinite : f32
    %x0 = arith.select %isLarge, %l, %sum : f32
    %x = arith.select %isInfinite, %f, %x0 : f32
    %root = arith.constant 0.70710678118654752 : f32
    %half = arith.constant 0.5 : f32
    %z = arith.mulf %x, %root : f32
    %h = arith.mulf %x, %half : f32
    %e0 = math.erf %z : f32
    %m0 = arith.mulf %h, %e0 : f32
    %g0 = arith.addf %h, %m0 : f32
    %e1 = math.erf %z : f32
    %g1 = math.fma %h, %e1, %h : f32
    %t2 = math.tanh %z : f32
    %g2 = math.fma %t2, %h, %h : f32
    %t3 = math.tanh %z : f32
    %m3 = arith.mulf %t3, %half : f32
    %g3 = arith.addf %m3, %half : f32
    %c4 = math.cos %sum : f32
    %g4 = math.fma %h, %c4, %h : f32
    %e5 = math.erf %sum : f32
    %m5 = math.fma %sum, %e5, %sum : f32
    %g5 = arith.addf %m5, %e5 : f32
    helios.yield %g0, %g1, %g2, %g3, %g4, %g5 : f32, f32, f32, f32, f32, f32
  }
  helios.return %d#0, %d#1, %d#2, %d#3, %d#4, %d#5 : tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>
}
