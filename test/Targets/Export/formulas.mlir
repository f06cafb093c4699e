// Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Formulas are exact: what is unsigned fails at launch where an operand is negative, division towards zero is spelled out
// where a sign is unknown.

// RUN: helios-compile %s --target=vulkan:simt --emit=bundle-text | FileCheck %s

spirv.module @p Logical GLSL450 requires #spirv.vce<v1.3, [Shader], []> attributes {
    helios.interface = {bindings = [[0, 1, "write"]], push_constants = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13], threads = 1}} {
  spirv.func @p() "None" { spirv.Return }
  spirv.EntryPoint "GLCompute" @p
  spirv.ExecutionMode @p "LocalSize", 1, 1, 1
}

tile.plan @f(%x: tensor<?x?xf16>, %n: index, %y: tensor<?xf16>) attributes {arg_names = ["x", "n", "y"]} {
  %c0 = arith.constant 0 : index
  %c7 = arith.constant 7 : index
  %true = arith.constant true
  %m = tile.extent %x, 0 : tensor<?x?xf16>
  %k = tile.extent %x, 1 : tensor<?x?xf16>
  %s = tile.stride %x, 0 : tensor<?x?xf16>
  %my = tile.extent %y, 0 : tensor<?xf16>

  // CHECK: check not((scalar(n) < 0))
  %neg = arith.cmpi slt, %n, %c0 : index
  %notneg = arith.xori %neg, %true : i1
  tile.require %notneg, "n is at least zero"
  // The result's extent follows from a conjunction with what the inputs say.
  // CHECK: check ((extent(y, 0) == (extent(x, 0) + extent(x, 1))) and (extent(x, 0) < extent(x, 1)))
  // CHECK: result 0 extents [(extent(x, 0) + extent(x, 1))]
  %sum = arith.addi %m, %k : index
  %e = arith.cmpi eq, %my, %sum : index
  %l = arith.cmpi ult, %m, %k : index
  %both = arith.andi %e, %l : i1
  tile.require %both, "y holds both"

  // CHECK: dispatch simt/p:p grid max(0, scalar(n))
  %grid = arith.maxsi %c0, %n : index
  // Both operands cannot be negative: the plain division.
  // CHECK: push[0] = floordiv(extent(x, 0), 7) i32
  %a = arith.divsi %m, %c7 : index
  // CHECK: push[1] = floordiv(extent(x, 0), 7) i32
  %b = arith.divui %m, %c7 : index
  // CHECK: push[2] = select(((scalar(n) < 0) == (7 < 0)), floordiv(scalar(n), 7), (0 - floordiv((0 - scalar(n)), 7))) i32
  %c = arith.divsi %n, %c7 : index
  // CHECK: push[3] = floordiv(select((scalar(n) < 0), (9223372036854775807 * 2), scalar(n)), 7) i32
  %d = arith.divui %n, %c7 : index
  // CHECK: push[4] = floordiv(scalar(n), 7) i32
  %f = arith.floordivsi %n, %c7 : index
  // CHECK: push[5] = ceildiv(scalar(n), 7) i32
  %g = arith.ceildivsi %n, %c7 : index
  // CHECK: push[6] = (extent(x, 1) % 7) i32
  %h = arith.remsi %k, %c7 : index
  // CHECK: push[7] = (scalar(n) - (7 * select(
  %i = arith.remsi %n, %c7 : index
  // CHECK: push[8] = min(extent(x, 0), select((stride(x, 0) < 0), {{.*}}, stride(x, 0))) i32
  %j = arith.minui %m, %s : index
  // CHECK: push[9] = (extent(x, 0) - stride(x, 0)) i32
  %o = arith.subi %m, %s : index
  // CHECK: push[10] = select((extent(x, 0) < extent(x, 1)), extent(x, 0), scalar(n)) i32
  %q = arith.select %l, %m, %n : index
  // A set bit is 1 unsigned, -1 signed.
  // CHECK: push[11] = (scalar(n) < 0) i32
  %r = arith.index_castui %neg : i1 to index
  // CHECK: push[12] = (0 - (scalar(n) < 0)) i32
  %t = arith.index_cast %neg : i1 to index
  tile.dispatch @p[%grid](%y, %a, %b, %c, %d, %f, %g, %h, %i, %j, %o, %q, %r, %t)
    : tensor<?xf16>, index, index, index, index, index, index, index, index, index, index, index, index, index
  tile.plan_yield %c0
}
