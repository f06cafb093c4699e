// Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ceiling of memory that is only read: workgroups add up blocks of 16 KiB, in the order of peak_copy.mlir, and write their sums at the end.
//
// helios-bench: scalars = iters=16
// helios-bench: bytes = 16*256*4*iters*grid
// helios-bench: working_set_mib = 1024,16

!v = !tile.view<?x256xf32, strides = [256, 1], align = 16>
!w = !tile.view<32768x256xf32, strides = [256, 1], align = 16>

tile.program @read_program(%px: !tile.ptr<f32>, %py: !tile.ptr<f32>, %rows: index {tile.range = array<i64: 16, 2147483647>},
    %iters: index {tile.range = array<i64: 0, 2147483647>}) attributes {config = #tile.config<groups = [2, 1]>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c12 = arith.constant 12 : index
  %c16 = arith.constant 16 : index
  %workgroups = arith.constant 8192 : index
  %stride = arith.constant 8363 : index
  %x = tile.view %px[%rows] : !tile.ptr<f32> -> !v
  %y = tile.view %py[] : !tile.ptr<f32> -> !w
  %blocks = arith.divui %rows, %c16 : index
  %zero = arith.constant dense<0.0> : tensor<4x256xf32>
  tile.items (%i) in (%workgroups) #tile.items<grid> {
    %sum = scf.for %k = %c0 to %iters step %c1 iter_args(%s = %zero) -> (tensor<4x256xf32>) {
      %far = arith.muli %k, %stride : index
      %n = arith.addi %far, %i : index
      %block = arith.remui %n, %blocks : index
      %r0 = arith.muli %block, %c16 : index
      %r1 = arith.addi %r0, %c4 : index
      %r2 = arith.addi %r0, %c8 : index
      %r3 = arith.addi %r0, %c12 : index
      %t0 = tile.load %x[%r0, %c0] : !v -> tensor<4x256xf32>
      %t1 = tile.load %x[%r1, %c0] : !v -> tensor<4x256xf32>
      %t2 = tile.load %x[%r2, %c0] : !v -> tensor<4x256xf32>
      %t3 = tile.load %x[%r3, %c0] : !v -> tensor<4x256xf32>
      %s0 = arith.addf %t0, %t1 : tensor<4x256xf32>
      %s1 = arith.addf %t2, %t3 : tensor<4x256xf32>
      %s2 = arith.addf %s0, %s1 : tensor<4x256xf32>
      %s3 = arith.addf %s, %s2 : tensor<4x256xf32>
      scf.yield %s3 : tensor<4x256xf32>
    }
    %row = arith.muli %i, %c4 : index
    tile.store %sum, %y[%row, %c0] : tensor<4x256xf32>, !w
  }
  tile.return
}

tile.plan @read(%x: tensor<?x256xf32>, %iters: index, %y: tensor<32768x256xf32>)
    attributes {output_count = 1 : i64, arg_names = ["x", "iters", "y"]} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c8192 = arith.constant 8192 : index
  %rows = tile.extent %x, 0 : tensor<?x256xf32>
  %some = arith.cmpi uge, %rows, %c16 : index
  tile.require %some, "extent 0 of x must be at least 16"
  tile.dispatch @read_program[%c8192](%x, %y, %rows, %iters) : tensor<?x256xf32>, tensor<32768x256xf32>, index, index
  tile.plan_yield %c0
}
