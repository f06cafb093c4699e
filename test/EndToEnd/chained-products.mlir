// Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ((A·B)·C)·D for 16 x 16 matrices in one program: each product's accumulator is the next one's left operand. No op of level 1
// becomes this program.

// REQUIRES: vulkan
// RUN: %vkrun helios-bench run %s --reference %S/Inputs/chained-products.mlir --row lavapipe --check-only --device vulkan | FileCheck %s
// CHECK: chain {{.+}} 16x16,16x16,16x16,16x16 {{.+}} passed
// Without matrix instructions the least tile is 32 x 32.
// RUN: sed -e s/16x16/32x32/g -e s/[[]16,/[32,/ %s > %t.mlir
// RUN: sed -e s/16x16/32x32/g %S/Inputs/chained-products.mlir > %t.reference.mlir
// RUN: %vkrun helios-bench run %t.mlir --reference %t.reference.mlir --target vulkan:simt --check-only --device vulkan | FileCheck %s --check-prefix=SIMT
// SIMT: chain {{.+}} passed

!v = !tile.view<16x16xf16, strides = [16, 1], align = 16>

tile.program @chain_program(%pa: !tile.ptr<f16>, %pb: !tile.ptr<f16>, %pc: !tile.ptr<f16>, %pd: !tile.ptr<f16>, %pe: !tile.ptr<f16>)
    attributes {config = #tile.config<groups = [1, 1]>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %va = tile.view %pa[] : !tile.ptr<f16> -> !v
  %vb = tile.view %pb[] : !tile.ptr<f16> -> !v
  %vc = tile.view %pc[] : !tile.ptr<f16> -> !v
  %vd = tile.view %pd[] : !tile.ptr<f16> -> !v
  %ve = tile.view %pe[] : !tile.ptr<f16> -> !v
  tile.items (%i) in (%c1) #tile.items<grid> {
    %a = tile.load %va[%c0, %c0] : !v -> tensor<16x16xf16>
    %b = tile.load %vb[%c0, %c0] : !v -> tensor<16x16xf16>
    %ab = tile.dot %a, %b, %zero : tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf32>
    %ab16 = arith.truncf %ab : tensor<16x16xf32> to tensor<16x16xf16>
    %c = tile.load %vc[%c0, %c0] : !v -> tensor<16x16xf16>
    %abc = tile.dot %ab16, %c, %zero : tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf32>
    %abc16 = arith.truncf %abc : tensor<16x16xf32> to tensor<16x16xf16>
    %d = tile.load %vd[%c0, %c0] : !v -> tensor<16x16xf16>
    %abcd = tile.dot %abc16, %d, %zero : tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf32>
    %abcd16 = arith.truncf %abcd : tensor<16x16xf32> to tensor<16x16xf16>
    tile.store %abcd16, %ve[%c0, %c0] : tensor<16x16xf16>, !v
  }
  tile.return
}

tile.plan @chain(%a: tensor<16x16xf16>, %b: tensor<16x16xf16>, %c: tensor<16x16xf16>, %d: tensor<16x16xf16>, %e: tensor<16x16xf16>)
    attributes {output_count = 1 : i64, arg_names = ["a", "b", "c", "d", "e"]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tile.dispatch @chain_program[%c1](%a, %b, %c, %d, %e)
    : tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf16>
  tile.plan_yield %c0
}
