// Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// z = max(x, 0) + exp(-y*y), element by element: a program without any product, for any extent.

// REQUIRES: vulkan
// RUN: %vkrun helios-bench run %s --reference %S/Inputs/elementwise.mlir --shapes "1,1;1000,1000;0,0;1024,1024;2501,2501" \
// RUN:   --check-only --device vulkan | FileCheck %s --implicit-check-not=incorrect --implicit-check-not="not verified"
// RUN: %vkrun helios-bench run %s --reference %S/Inputs/elementwise.mlir --shapes "999,999" --row simt \
// RUN:   --check-only --device vulkan | FileCheck %s --check-prefix=SIMT
// CHECK-COUNT-5: pointwise {{.+}} passed
// SIMT: pointwise {{.+}} passed
// Without a reference nothing says what is right.
// RUN: %vkrun helios-bench run %s --shapes "999,999" --check-only --device vulkan | FileCheck %s --check-prefix=NONE
// NONE: not verified
// NONE: the bundle does not say what kernel 'pointwise' computes

!v = !tile.view<?xf16, strides = [1]>

tile.program @pointwise_program(%px: !tile.ptr<f16>, %py: !tile.ptr<f16>, %pz: !tile.ptr<f32>,
    %n: index {tile.range = array<i64: 1, 2147483647>}) attributes {config = #tile.config<groups = [2, 1]>} {
  %c1024 = arith.constant 1024 : index
  %vx = tile.view %px[%n] : !tile.ptr<f16> -> !v
  %vy = tile.view %py[%n] : !tile.ptr<f16> -> !v
  %vz = tile.view %pz[%n] : !tile.ptr<f32> -> !tile.view<?xf32, strides = [1]>
  %zero = arith.constant dense<0.0> : tensor<1024xf32>
  %t = arith.ceildivui %n, %c1024 : index
  tile.items (%i) in (%t) #tile.items<grid> {
    %at = arith.muli %i, %c1024 : index
    %x = tile.load %vx[%at] : !v -> tensor<1024xf16>
    %y = tile.load %vy[%at] : !v -> tensor<1024xf16>
    %xf = arith.extf %x : tensor<1024xf16> to tensor<1024xf32>
    %yf = arith.extf %y : tensor<1024xf16> to tensor<1024xf32>
    %r = arith.maximumf %xf, %zero : tensor<1024xf32>
    %y2 = arith.mulf %yf, %yf : tensor<1024xf32>
    %ny = arith.negf %y2 : tensor<1024xf32>
    %e = math.exp %ny : tensor<1024xf32>
    %z = arith.addf %r, %e : tensor<1024xf32>
    tile.store %z, %vz[%at] : tensor<1024xf32>, !tile.view<?xf32, strides = [1]>
  }
  tile.return
}

tile.plan @pointwise(%x: tensor<?xf16>, %y: tensor<?xf16>, %z: tensor<?xf32>)
    attributes {output_count = 1 : i64, arg_names = ["x", "y", "z"]} {
  %c0 = arith.constant 0 : index
  %c1024 = arith.constant 1024 : index
  %n = tile.extent %x, 0 : tensor<?xf16>
  %ny = tile.extent %y, 0 : tensor<?xf16>
  %nz = tile.extent %z, 0 : tensor<?xf32>
  %sy = arith.cmpi eq, %ny, %n : index
  %sz = arith.cmpi eq, %nz, %n : index
  tile.require %sy, "extent 0 of y must equal extent 0 of x"
  tile.require %sz, "extent 0 of z must equal extent 0 of x"
  %grid = arith.ceildivui %n, %c1024 : index
  tile.dispatch @pointwise_program[%grid](%x, %y, %z, %n) : tensor<?xf16>, tensor<?xf16>, tensor<?xf32>, index
  tile.plan_yield %c0
}
