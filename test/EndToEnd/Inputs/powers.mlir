// Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Powers, and functions that are not in every instruction set, as results of a product beside each other.
// Columns choose among sums, zeros of both signs, infinities of both signs, NaN and -2 as bases, and among ten exponents.
helios.kernel @pw(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %s: tensor<?xf32>) -> (tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf16>) {
  %d:6 = helios.matmul %a, %b fused(%s : tensor<?xf32>) : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf16> acc f32 {
  ^bb0(%sum: f32, %y: f32, %i: index, %j: index):
    %c7 = arith.constant 7 : index
    %c10 = arith.constant 10 : index
    %row = arith.remui %i, %c7 : index
    %column = arith.remui %j, %c10 : index
    %r = arith.index_cast %row : index to i32
    %c = arith.index_cast %column : index to i32
    %one = arith.constant 1.0 : f32
    %half = arith.constant 0.5 : f32
    %i1 = arith.constant 1 : i32
    %i2 = arith.constant 2 : i32
    %i3 = arith.constant 3 : i32
    %i4 = arith.constant 4 : i32
    %i5 = arith.constant 5 : i32
    %i6 = arith.constant 6 : i32
    %i7 = arith.constant 7 : i32
    %zero = arith.constant 0.0 : f32
    %mzero = arith.constant -0.0 : f32
    %inf = arith.constant 0x7F800000 : f32
    %minf = arith.constant 0xFF800000 : f32
    %nan = arith.constant 0x7FC00000 : f32
    %mtwo = arith.constant -2.0 : f32
    %r1 = arith.cmpi eq, %r, %i1 : i32
    %r2 = arith.cmpi eq, %r, %i2 : i32
    %r3 = arith.cmpi eq, %r, %i3 : i32
    %r4 = arith.cmpi eq, %r, %i4 : i32
    %r5 = arith.cmpi eq, %r, %i5 : i32
    %r6 = arith.cmpi eq, %r, %i6 : i32
    %x1 = arith.select %r1, %zero, %sum : f32
    %x2 = arith.select %r2, %mzero, %x1 : f32
    %x3 = arith.select %r3, %inf, %x2 : f32
    %x4 = arith.select %r4, %minf, %x3 : f32
    %x5 = arith.select %r5, %nan, %x4 : f32
    %x = arith.select %r6, %mtwo, %x5 : f32
    // Integers from -4 to 3; then 0.5, and NaN.
    %n = arith.subi %c, %i4 : i32
    %n32 = arith.sitofp %n : i32 to f32
    %isint = arith.cmpi sle, %c, %i7 : i32
    %iseight = arith.cmpi eq, %n, %i4 : i32
    %other = arith.select %iseight, %half, %nan : f32
    %e = arith.select %isint, %n32, %other : f32
    %p1 = math.powf %x, %e : f32
    // The sign of a power, of zero as well.
    %signed = math.copysign %one, %p1 : f32
    %number = arith.cmpf ord, %p1, %p1 : f32
    %sign = arith.select %number, %signed, %zero : f32
    %as = math.absf %sum : f32
    %p2 = math.powf %as, %y : f32
    %n64 = arith.extsi %n : i32 to i64
    %p3 = math.fpowi %x, %n64 : f32, i64
    %ch = math.cosh %sum : f32
    %ac = math.acosh %x : f32
    %er = math.erfc %x : f32
    %infinite = math.isinf %x : f32
    %finite = math.isfinite %x : f32
    %e1 = arith.select %infinite, %mtwo, %er : f32
    %e2 = arith.select %finite, %ac, %e1 : f32
    %h = arith.truncf %x : f32 to f16
    %eh = arith.truncf %e : f32 to f16
    %ph = math.powf %h, %eh : f16
    %ce = arith.addf %ch, %er : f32
    %ps = arith.addf %p2, %sign : f32
    helios.yield %p1, %ps, %p3, %ce, %e2, %ph : f32, f32, f32, f32, f32, f16
  }
  helios.return %d#0, %d#1, %d#2, %d#3, %d#4, %d#5 : tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf16>
}
