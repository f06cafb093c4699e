// Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ceiling of memory, read and written in equal parts: workgroups copy blocks of 16 KiB, each time another one, so that what a processor's own
// cache holds is of no use. Every block comes again only after all others; a working set beyond the shared cache therefore measures device memory.
//
// helios-bench: scalars = iters=4
// helios-bench: bytes = 2*16*256*4*iters*grid
// helios-bench: working_set_mib = 1024,16

!v = !tile.view<?x256xf32, strides = [256, 1], align = 16>

tile.program @copy_program(%px: !tile.ptr<f32>, %py: !tile.ptr<f32>, %rows: index {tile.range = array<i64: 16, 2147483647>},
    %iters: index {tile.range = array<i64: 0, 2147483647>}) attributes {config = #tile.config<groups = [2, 1]>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %workgroups = arith.constant 8192 : index
  // More than the workgroups, and odd: two on one processor do not follow each other.
  %stride = arith.constant 8363 : index
  %x = tile.view %px[%rows] : !tile.ptr<f32> -> !v
  %y = tile.view %py[%rows] : !tile.ptr<f32> -> !v
  %blocks = arith.divui %rows, %c16 : index
  tile.items (%i) in (%workgroups) #tile.items<grid> {
    scf.for %k = %c0 to %iters step %c1 {
      %far = arith.muli %k, %stride : index
      %n = arith.addi %far, %i : index
      %block = arith.remui %n, %blocks : index
      %row = arith.muli %block, %c16 : index
      %t = tile.load %x[%row, %c0] : !v -> tensor<16x256xf32>
      tile.store %t, %y[%row, %c0] : tensor<16x256xf32>, !v
    }
  }
  tile.return
}

tile.plan @copy(%x: tensor<?x256xf32>, %iters: index, %y: tensor<?x256xf32>)
    attributes {output_count = 1 : i64, arg_names = ["x", "iters", "y"]} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c8192 = arith.constant 8192 : index
  %rows = tile.extent %x, 0 : tensor<?x256xf32>
  %results = tile.extent %y, 0 : tensor<?x256xf32>
  %same = arith.cmpi eq, %rows, %results : index
  tile.require %same, "extent 0 of y must equal extent 0 of x"
  %some = arith.cmpi uge, %rows, %c16 : index
  tile.require %some, "extent 0 of x must be at least 16"
  tile.dispatch @copy_program[%c8192](%x, %y, %rows, %iters) : tensor<?x256xf32>, tensor<?x256xf32>, index, index
  tile.plan_yield %c0
}
