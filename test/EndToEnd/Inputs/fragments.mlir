// Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A product of 16 x 16 matrices at level 3, by hand: two k-steps of 8. STEP is where the second one reads its left fragment: c8 is right.

#coop = #spv.coop<[8, 8, 8], f16, f16, f32, lanes = 8>
#wide = #tile.regs<vec = [1, 8], lanes = [4, 2], groups = [1, 1]>
#wide32 = #tile.regs<vec = [1, 4], lanes = [2, 4], groups = [1, 1]>
#shared = #tile.shared<order = [1, 0], pad = 8>
#shared32 = #tile.shared<order = [1, 0], pad = 4>
#a = #tile.opaque<a, #coop, groups = [1, 1]>
#b = #tile.opaque<b, #coop, groups = [1, 1]>
#acc = #tile.opaque<acc, #coop, groups = [1, 1]>
!v = !tile.view<16x16xf16, strides = [16, 1], align = 16>
!v32 = !tile.view<16x16xf32, strides = [16, 1], align = 16>
!m = !frag.mem<16x16xf16, #shared>
!m32 = !frag.mem<16x16xf32, #shared32>

frag.kernel @product_program(%pa: !tile.ptr<f16>, %pb: !tile.ptr<f16>, %pd: !tile.ptr<f32>)
    attributes {shared_bytes = 1536 : i64, target = #spv.target<"lavapipe">, threads = 8 : i64} {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %f0 = arith.constant 0.0 : f32
  %va = tile.view %pa[] : !tile.ptr<f16> -> !v
  %vb = tile.view %pb[] : !tile.ptr<f16> -> !v
  %vd = tile.view %pd[] : !tile.ptr<f32> -> !v32
  %zero = frag.splat %f0 : f32 -> !frag.f<16x16xf32, #acc>
  %ga = frag.read %va[%c0, %c0] in_bounds : !v -> !frag.f<16x16xf16, #wide>
  %gb = frag.read %vb[%c0, %c0] in_bounds : !v -> !frag.f<16x16xf16, #wide>
  %sa = frag.shared 0 : !m
  %sb = frag.shared 768 : !m
  frag.write %ga, %sa[%c0, %c0] : !frag.f<16x16xf16, #wide>, !m
  frag.write %gb, %sb[%c0, %c0] : !frag.f<16x16xf16, #wide>, !m
  %a0 = frag.read %sa[%c0, %c0] : !m -> !frag.f<16x8xf16, #a>
  %b0 = frag.read %sb[%c0, %c0] : !m -> !frag.f<8x16xf16, #b>
  %x = frag.mma #coop %a0, %b0, %zero : !frag.f<16x8xf16, #a>, !frag.f<8x16xf16, #b>, !frag.f<16x16xf32, #acc>
  %a1 = frag.read %sa[%c0, %STEP] : !m -> !frag.f<16x8xf16, #a>
  %b1 = frag.read %sb[%c8, %c0] : !m -> !frag.f<8x16xf16, #b>
  %y = frag.mma #coop %a1, %b1, %x : !frag.f<16x8xf16, #a>, !frag.f<8x16xf16, #b>, !frag.f<16x16xf32, #acc>
  %scratch = frag.shared 0 : !m32
  frag.write %y, %scratch[%c0, %c0] : !frag.f<16x16xf32, #acc>, !m32
  %d = frag.read %scratch[%c0, %c0] : !m32 -> !frag.f<16x16xf32, #wide32>
  frag.write %d, %vd[%c0, %c0] in_bounds : !frag.f<16x16xf32, #wide32>, !v32
  frag.return
}

tile.plan @product(%a: tensor<16x16xf16>, %b: tensor<16x16xf16>, %d: tensor<16x16xf32>)
    attributes {output_count = 1 : i64, arg_names = ["a", "b", "d"]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tile.dispatch @product_program[%c1](%a, %b, %d) : tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf32>
  tile.plan_yield %c0
}
