// Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// D = (X * tanh(Y)) · B over a loop along K: the left operand is a function of two tiles, computed between the loads and the
// product. Rows, columns and K need not be multiples of the tile. No op of level 1 becomes this program.

// REQUIRES: vulkan
// RUN: %vkrun helios-bench run %s --reference %S/Inputs/operand-of-two-tiles.mlir --row lavapipe --check-only --device vulkan \
// RUN:   --shapes "64x64,64x64,64x64;100x56,100x56,56x72;1x8,1x8,8x8;70x0,70x0,0x64;33x128,33x128,128x24" \
// RUN:   | FileCheck %s --implicit-check-not=incorrect --implicit-check-not="not verified"
// RUN: sed -e s/16x16/32x32/g -e "s/constant 16 :/constant 32 :/" %s > %t.mlir
// RUN: %vkrun helios-bench run %t.mlir --reference %S/Inputs/operand-of-two-tiles.mlir --target vulkan:simt --check-only --device vulkan \
// RUN:   --shapes "64x64,64x64,64x64;100x56,100x56,56x72;1x8,1x8,8x8;70x0,70x0,0x64;33x128,33x128,128x24" \
// RUN:   | FileCheck %s --implicit-check-not=incorrect --implicit-check-not="not verified"
// CHECK-COUNT-5: gated {{.+}} passed

!v = !tile.view<?x?xf16, strides = [?, 1], div = [8, 1], align = 16>

tile.program @gated_program(%px: !tile.ptr<f16>, %py: !tile.ptr<f16>, %pb: !tile.ptr<f16>, %pd: !tile.ptr<f32>,
    %m: index {tile.range = array<i64: 1, 2147483647>}, %n: index {tile.range = array<i64: 1, 2147483647>, tile.div = 8 : index},
    %k: index {tile.range = array<i64: 0, 2147483647>, tile.div = 8 : index})
    attributes {config = #tile.config<groups = [2, 1]>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %vx = tile.view %px[%m, %k] strides [%k] : !tile.ptr<f16> -> !v
  %vy = tile.view %py[%m, %k] strides [%k] : !tile.ptr<f16> -> !v
  %vb = tile.view %pb[%k, %n] strides [%n] : !tile.ptr<f16> -> !v
  %vd = tile.view %pd[%m, %n] strides [%n] : !tile.ptr<f32> -> !tile.view<?x?xf32, strides = [?, 1], div = [8, 1], align = 16>
  %tm = arith.ceildivui %m, %c16 : index
  %tn = arith.ceildivui %n, %c16 : index
  %tk = arith.ceildivui %k, %c16 : index
  tile.items (%i, %j) in (%tm, %tn) #tile.items<grid, raster = [0, 4]> {
    %row = arith.muli %i, %c16 : index
    %col = arith.muli %j, %c16 : index
    %d = scf.for %t = %c0 to %tk step %c1 iter_args(%acc = %zero) -> (tensor<16x16xf32>) {
      %at = arith.muli %t, %c16 : index
      %x = tile.load %vx[%row, %at] : !v -> tensor<16x16xf16>
      %y = tile.load %vy[%row, %at] : !v -> tensor<16x16xf16>
      %b = tile.load %vb[%at, %col] : !v -> tensor<16x16xf16>
      %xf = arith.extf %x : tensor<16x16xf16> to tensor<16x16xf32>
      %yf = arith.extf %y : tensor<16x16xf16> to tensor<16x16xf32>
      %g = math.tanh %yf : tensor<16x16xf32>
      %p = arith.mulf %xf, %g : tensor<16x16xf32>
      %a = arith.truncf %p : tensor<16x16xf32> to tensor<16x16xf16>
      %s = tile.dot %a, %b, %acc : tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf32>
      scf.yield %s : tensor<16x16xf32>
    }
    tile.store %d, %vd[%row, %col] : tensor<16x16xf32>, !tile.view<?x?xf32, strides = [?, 1], div = [8, 1], align = 16>
  }
  tile.return
}

tile.plan @gated(%x: tensor<?x?xf16>, %y: tensor<?x?xf16>, %b: tensor<?x?xf16>, %d: tensor<?x?xf32>)
    attributes {output_count = 1 : i64, arg_names = ["x", "y", "b", "d"]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %m = tile.extent %x, 0 : tensor<?x?xf16>
  %k = tile.extent %x, 1 : tensor<?x?xf16>
  %n = tile.extent %b, 1 : tensor<?x?xf16>
  %k8 = arith.remui %k, %c8 : index
  %n8 = arith.remui %n, %c8 : index
  %kok = arith.cmpi eq, %k8, %c0 : index
  %nok = arith.cmpi eq, %n8, %c0 : index
  tile.require %kok, "extent 1 of x must be a multiple of 8"
  tile.require %nok, "extent 1 of b must be a multiple of 8"
  %kb = tile.extent %b, 0 : tensor<?x?xf16>
  %same = arith.cmpi eq, %kb, %k : index
  tile.require %same, "extent 0 of b must equal extent 1 of x"
  %my = tile.extent %y, 0 : tensor<?x?xf16>
  %ky = tile.extent %y, 1 : tensor<?x?xf16>
  %md = tile.extent %d, 0 : tensor<?x?xf32>
  %nd = tile.extent %d, 1 : tensor<?x?xf32>
  %myok = arith.cmpi eq, %my, %m : index
  %kyok = arith.cmpi eq, %ky, %k : index
  %mdok = arith.cmpi eq, %md, %m : index
  %ndok = arith.cmpi eq, %nd, %n : index
  tile.require %myok, "extent 0 of y must equal extent 0 of x"
  tile.require %kyok, "extent 1 of y must equal extent 1 of x"
  tile.require %mdok, "extent 0 of d must equal extent 0 of x"
  tile.require %ndok, "extent 1 of d must equal extent 1 of b"
  %tm = arith.ceildivui %m, %c16 : index
  %tn = arith.ceildivui %n, %c16 : index
  %grid = arith.muli %tm, %tn : index
  tile.dispatch @gated_program[%grid](%x, %y, %b, %d, %m, %n, %k)
    : tensor<?x?xf16>, tensor<?x?xf16>, tensor<?x?xf16>, tensor<?x?xf32>, index, index, index
  tile.plan_yield %c0
}
