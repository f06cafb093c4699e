// Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ceiling of Hopper's asynchronous matrix instructions: one lane copies operands into shared memory once, two warpgroups a workgroup multiply
// them again and again into 64 x 256 accumulators, in turns, so that one waits while the other multiplies. A level-2 program of this architecture alone.
//
// helios-bench: shapes = 128x64,64x256
// helios-bench: scalars = iters=256
// helios-bench: flops = 2*128*256*64*iters*grid
// helios-bench: types = f16:f16:f32

#s = #tile.shared<order = [1, 0], swizzle = 128>
#mma = #ptx.wgmma<n = 256, f16, f16, f32>
#acc = #tile.acc<#mma, groups = [1, 1]>
!va = !tile.view<128x64xf16, strides = [64, 1], align = 16>
!vb = !tile.view<64x256xf16, strides = [256, 1], align = 16>
!vd = !tile.view<16896x256xf32, strides = [256, 1], align = 16>
!ring = !tile.ring<1x(tensor<128x64xf16, #s>, tensor<64x256xf16, #s>), load, copy = #ptx.bulk, readers = 2>

tile.program @peak_program(%pa: !tile.ptr<f16>, %pb: !tile.ptr<f16>, %pd: !tile.ptr<f32>, %iters: index {tile.range = array<i64: 0, 2147483647>})
    attributes {target = #ptx.target<"sm_90a">} {
  %va = tile.view %pa[] : !tile.ptr<f16> -> !va
  %vb = tile.view %pb[] : !tile.ptr<f16> -> !vb
  %vd = tile.view %pd[] : !tile.ptr<f32> -> !vd
  %wg = tile.id workgroup
  %ring, %c0 = tile.ring : !ring
  tile.roles captures(%A = %va, %B = %vb, %D = %vd, %ring = %ring, %c0 = %c0, %wg = %wg, %n = %iters
      : !va, !vb, !vd, !ring, !tile.cursor, index, index) {
    tile.role "load" lanes(1) regs(40) {
      %z = arith.constant 0 : index
      %w, %c1 = tile.enter write %ring[%c0] : !ring -> !tile.slot<write>
      %ta = tile.copy_in %A[%z, %z] into %w[0] : !va, !tile.slot<write>
      %tb = tile.copy_in %B[%z, %z] into %w[1] : !vb, !tile.slot<write>
      tile.exit %w after(%ta, %tb : !tile.token, !tile.token) : !tile.slot<write>
    }
    tile.role "math" replicas(2) regs(232) {
    ^bb0(%r: index):
      %z = arith.constant 0 : index
      %o = arith.constant 1 : index
      %c64 = arith.constant 64 : index
      %c128 = arith.constant 128 : index
      %zero = arith.constant dense<0.0> : tensor<64x256xf32, #acc>
      %r64 = arith.muli %r, %c64 : index
      %s, %c1, %a, %b = tile.enter read %ring[%c0] : !ring -> !tile.slot<read>, tensor<128x64xf16, #s>, tensor<64x256xf16, #s>
      %ar = tile.slice %a [%r64, 0] : tensor<128x64xf16, #s> -> tensor<64x64xf16, #s>
      %d = scf.for %k = %z to %n step %o iter_args(%x = %zero) -> (tensor<64x256xf32, #acc>) {
        %y = tile.dot %ar, %b, %x mma #mma : tensor<64x64xf16, #s>, tensor<64x256xf16, #s>, tensor<64x256xf32, #acc>
        scf.yield %y : tensor<64x256xf32, #acc>
      }
      tile.exit %s after(%d : tensor<64x256xf32, #acc>) : !tile.slot<read>
      %m0 = arith.muli %wg, %c128 : index
      %m = arith.addi %m0, %r64 : index
      tile.store %d, %D[%m, %z] : tensor<64x256xf32, #acc>, !vd
    }
  }
  tile.return
}

tile.plan @peak(%a: tensor<128x64xf16>, %b: tensor<64x256xf16>, %iters: index, %d: tensor<16896x256xf32>)
    attributes {output_count = 1 : i64, arg_names = ["a", "b", "iters", "d"]} {
  %c0 = arith.constant 0 : index
  %c132 = arith.constant 132 : index
  tile.dispatch @peak_program[%c132](%a, %b, %d, %iters) : tensor<128x64xf16>, tensor<64x256xf16>, tensor<16896x256xf32>, index
  tile.plan_yield %c0
}
