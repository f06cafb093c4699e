// Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// D = (X * tanh(Y)) · B over a loop along K: the left operand is a function of two tiles, computed between the loads and the
// product. Rows, columns and K need not be multiples of the tile. No op of level 1 becomes this program.

!v = !tile.view<?x?xf16, strides = [?, 1], div = [8, 1], align = 16>

tile.program @gated_program(%px: !tile.ptr<f16>, %py: !tile.ptr<f16>, %pb: !tile.ptr<f16>, %pd: !tile.ptr<f32>,
    %m: index {tile.range = array<i64: 1, 2147483647>}, %n: index {tile.range = array<i64: 1, 2147483647>, tile.div = 8 : index},
    %k: index {tile.range = array<i64: 0, 2147483647>, tile.div = 8 : index})
    attributes {config = #tile.config<groups = [2, 2]>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %vx = tile.view %px[%m, %k] strides [%k] : !tile.ptr<f16> -> !v
  %vy = tile.view %py[%m, %k] strides [%k] : !tile.ptr<f16> -> !v
  %vb = tile.view %pb[%k, %n] strides [%n] : !tile.ptr<f16> -> !v
  %vd = tile.view %pd[%m, %n] strides [%n] : !tile.ptr<f32> -> !tile.view<?x?xf32, strides = [?, 1], div = [8, 1], align = 16>
  %tm = arith.ceildivui %m, %c64 : index
  %tn = arith.ceildivui %n, %c64 : index
  %tk = arith.ceildivui %k, %c32 : index
  tile.items (%i, %j) in (%tm, %tn) #tile.items<grid, raster = [0, 4]> {
    %row = arith.muli %i, %c64 : index
    %col = arith.muli %j, %c64 : index
    %d = scf.for %t = %c0 to %tk step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) {
      %at = arith.muli %t, %c32 : index
      %x = tile.load %vx[%row, %at] : !v -> tensor<64x32xf16>
      %y = tile.load %vy[%row, %at] : !v -> tensor<64x32xf16>
      %b = tile.load %vb[%at, %col] : !v -> tensor<32x64xf16>
      %xf = arith.extf %x : tensor<64x32xf16> to tensor<64x32xf32>
      %yf = arith.extf %y : tensor<64x32xf16> to tensor<64x32xf32>
      %g = math.tanh %yf : tensor<64x32xf32>
      %p = arith.mulf %xf, %g : tensor<64x32xf32>
      %a = arith.truncf %p : tensor<64x32xf32> to tensor<64x32xf16>
      %s = tile.dot %a, %b, %acc : tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>
      scf.yield %s : tensor<64x64xf32>
    }
    tile.store %d, %vd[%row, %col] : tensor<64x64xf32>, !tile.view<?x?xf32, strides = [?, 1], div = [8, 1], align = 16>
  }
  tile.return
}

tile.plan @gated(%x: tensor<?x?xf16>, %y: tensor<?x?xf16>, %b: tensor<?x?xf16>, %d: tensor<?x?xf32>)
    attributes {output_count = 1 : i64, arg_names = ["x", "y", "b", "d"]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
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
  %tm = arith.ceildivui %m, %c64 : index
  %tn = arith.ceildivui %n, %c64 : index
  %grid = arith.muli %tm, %tn : index
  tile.dispatch @gated_program[%grid](%x, %y, %b, %d, %m, %n, %k)
    : tensor<?x?xf16>, tensor<?x?xf16>, tensor<?x?xf16>, tensor<?x?xf32>, index, index, index
  tile.plan_yield %c0
}
