// Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ceiling of the matrix instructions: eight lane groups a workgroup hold their operands and a 32 x 64 accumulator each in registers and multiply
// again and again; memory is touched before and after only. A level-2 program: no op of level 1 says this.
//
// helios-bench: shapes = 256x16,16x64
// helios-bench: scalars = iters=256
// helios-bench: flops = 2*256*64*16*iters*grid
// helios-bench: types = f16:f16:f32

!va = !tile.view<256x16xf16, strides = [16, 1], align = 16>
!vb = !tile.view<16x64xf16, strides = [64, 1], align = 16>
!vd = !tile.view<67584x64xf32, strides = [64, 1], align = 16>

tile.program @peak_program(%pa: !tile.ptr<f16>, %pb: !tile.ptr<f16>, %pd: !tile.ptr<f32>, %iters: index {tile.range = array<i64: 0, 2147483647>})
    attributes {config = #tile.config<groups = [8, 1]>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c256 = arith.constant 256 : index
  %workgroups = arith.constant 264 : index
  %va = tile.view %pa[] : !tile.ptr<f16> -> !va
  %vb = tile.view %pb[] : !tile.ptr<f16> -> !vb
  %vd = tile.view %pd[] : !tile.ptr<f32> -> !vd
  %zero = arith.constant dense<0.0> : tensor<256x64xf32>
  tile.items (%i) in (%workgroups) #tile.items<grid> {
    %row = arith.muli %i, %c256 : index
    %a = tile.load %va[%c0, %c0] : !va -> tensor<256x16xf16>
    %b = tile.load %vb[%c0, %c0] : !vb -> tensor<16x64xf16>
    %d = scf.for %k = %c0 to %iters step %c1 iter_args(%x = %zero) -> (tensor<256x64xf32>) {
      %y = tile.dot %a, %b, %x : tensor<256x16xf16>, tensor<16x64xf16>, tensor<256x64xf32>
      scf.yield %y : tensor<256x64xf32>
    }
    tile.store %d, %vd[%row, %c0] : tensor<256x64xf32>, !vd
  }
  tile.return
}

tile.plan @peak(%a: tensor<256x16xf16>, %b: tensor<16x64xf16>, %iters: index, %d: tensor<67584x64xf32>)
    attributes {output_count = 1 : i64, arg_names = ["a", "b", "iters", "d"]} {
  %c0 = arith.constant 0 : index
  %c264 = arith.constant 264 : index
  tile.dispatch @peak_program[%c264](%a, %b, %d, %iters) : tensor<256x16xf16>, tensor<16x64xf16>, tensor<67584x64xf32>, index
  tile.plan_yield %c0
}
