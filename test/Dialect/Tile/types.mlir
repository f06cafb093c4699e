// RUN: helios-opt %s | helios-opt | FileCheck %s
// RUN: helios-opt %s --mlir-print-op-generic | helios-opt | FileCheck %s

// Every type and attribute of the dialect, and those of the targets, printed as they are written. Parameters that have a default are
// printed only where they differ; optional ones come in any order.

// CHECK-LABEL: tile.program @types
tile.program @types() attributes {
    // CHECK-SAME: a00 = #tile.regs<vec = [1, 8], lanes = [8, 4], groups = [2, 1]>
    a00 = #tile.regs<vec = [1, 8], lanes = [8, 4], groups = [2, 1]>,
    // CHECK-SAME: a01 = #tile.acc<#ptx.mma_sync<[16, 8, 16], f16, f16, f32>, groups = [2, 4]>
    a01 = #tile.acc<#ptx.mma_sync<[16, 8, 16], f16, f16, f32>, groups = [2, 4]>,
    // CHECK-SAME: a02 = #tile.operand<a, #ptx.mma_sync<[16, 8, 16], bf16, bf16, f32>, groups = [2, 4]>
    a02 = #tile.operand<a, #ptx.mma_sync<[16, 8, 16], bf16, bf16, f32>, groups = [2, 4]>,
    // CHECK-SAME: a03 = #tile.operand<b, #ptx.mma_sync<[16, 8, 16], f16, f16, f32>, groups = [1, 1], kperm = [1, 0, 3, 2]>
    a03 = #tile.operand<b, #ptx.mma_sync<[16, 8, 16], f16, f16, f32>, groups = [1, 1], kperm = [1, 0, 3, 2]>,
    // CHECK-SAME: a04 = #tile.opaque<acc, #spv.coop<[16, 16, 16], f16, f16, f32, lanes = 32>, groups = [8, 1]>
    a04 = #tile.opaque<acc, #spv.coop<[16, 16, 16], f16, f16, f32, lanes = 32>, groups = [8, 1]>,
    // CHECK-SAME: a05 = #tile.slice<1, #tile.acc<#ptx.wgmma<n = 128, bf16, bf16, f32>, groups = [1, 1]>>
    a05 = #tile.slice<1, #tile.acc<#ptx.wgmma<n = 128, bf16, bf16, f32>, groups = [1, 1]>>,
    // CHECK-SAME: a06 = #tile.slice<0, #tile.regs<vec = [1, 4], lanes = [4, 8], groups = [1, 1]>, partial = add>
    a06 = #tile.slice<0, #tile.regs<vec = [1, 4], lanes = [4, 8], groups = [1, 1]>, partial = add>,
    // CHECK-SAME: a07 = #tile.slice<1, #tile.acc<#spv.simt<block = [4, 4, 4], lanes = [8, 8], f32, f32, f32>, groups = [1, 1]>, partial = max>
    a07 = #tile.slice<1, #tile.acc<#spv.simt<block = [4, 4, 4], lanes = [8, 8], f32, f32, f32>, groups = [1, 1]>, partial = max>,
    // CHECK-SAME: a08 = #tile.slice<1, #tile.regs<vec = [1, 1], lanes = [8, 8], groups = [1, 1]>, partial = or>
    a08 = #tile.slice<1, #tile.regs<vec = [1, 1], lanes = [8, 8], groups = [1, 1]>, partial = or>,
    // CHECK-SAME: a09 = #tile.shared<order = [1, 0]>
    a09 = #tile.shared<order = [1, 0]>,
    // CHECK-SAME: a10 = #tile.shared<order = [1, 0], pad = 8>
    a10 = #tile.shared<order = [1, 0], pad = 8>,
    // CHECK-SAME: a11 = #tile.shared<order = [0, 1], swizzle = 128, kperm = [1, 0]>
    a11 = #tile.shared<order = [0, 1], kperm = [1, 0], swizzle = 128>,
    // CHECK-SAME: a12 = #tile.items<grid>
    a12 = #tile.items<grid>,
    // CHECK-SAME: a13 = #tile.items<persistent, raster = [0, 16], cluster = [2, 1]>
    a13 = #tile.items<persistent, raster = [0, 16], cluster = [2, 1]>,
    // CHECK-SAME: a14 = #tile.items<ticket, longest_first = 1>
    a14 = #tile.items<ticket, longest_first = 1>,
    // CHECK-SAME: a15 = #tile.sched<stage = 1, order = 2>
    a15 = #tile.sched<stage = 1, order = 2>,
    // CHECK-SAME: a16 = #tile.config<groups = [2, 2]>
    a16 = #tile.config<groups = [2, 2]>,
    // CHECK-SAME: a17 = #tile.config<groups = [2, 4], mma = [16, 16, 16], strategy = groups, depth = 3, pad = 8, epilogue_rows = 32, unroll = 4, ahead = 1>
    a17 = #tile.config<groups = [2, 4], depth = 3, strategy = groups, mma = [16, 16, 16], epilogue_rows = 32, unroll = 4, ahead = 1, pad = 8>,
    // CHECK-SAME: a18 = #tile.config<groups = [1, 1], strategy = roles>
    a18 = #tile.config<groups = [1, 1], strategy = roles>,
    // CHECK-SAME: a19 = #ptx.bulk, a20 = #ptx.async16, a20n = #ptx.async4, a21 = #ptx.target<"sm_90a">, a22 = #spv.target<"nvidia">
    a19 = #ptx.bulk, a20 = #ptx.async16, a20n = #ptx.async4, a21 = #ptx.target<"sm_90a">, a22 = #spv.target<"nvidia">,
    // CHECK-SAME: t00 = !tile.ptr<bf16>
    t00 = !tile.ptr<bf16>,
    // CHECK-SAME: t01 = !tile.view<?x64xf16, strides = [?, 1]>
    t01 = !tile.view<?x64xf16, strides = [?, 1]>,
    // CHECK-SAME: t02 = !tile.view<?x?x128xbf16, strides = [?, 128, 1], div = [8, 8, 1], align = 16, gather = 1>
    t02 = !tile.view<?x?x128xbf16, strides = [?, 128, 1], gather = 1, align = 16, div = [8, 8, 1]>,
    // CHECK-SAME: t03 = !tile.ring<3x(tensor<32x32xf16, #tile.shared<order = [1, 0], pad = 8>>, index), pass>
    t03 = !tile.ring<3x(tensor<32x32xf16, #tile.shared<order = [1, 0], pad = 8>>, index), pass>,
    // CHECK-SAME: t04 = !tile.ring<1x(), pass, scope = replica>
    t04 = !tile.ring<1x(), pass, scope = replica>,
    // CHECK-SAME: t05 = !tile.ring<2x(tensor<64x64xbf16, #tile.shared<order = [1, 0], swizzle = 128>>), store, copy = #ptx.bulk, readers = 2>
    t05 = !tile.ring<2x(tensor<64x64xbf16, #tile.shared<order = [1, 0], swizzle = 128>>), store, readers = 2, copy = #ptx.bulk>,
    // CHECK-SAME: t06 = !tile.ring<4x(tensor<64x64xbf16, #tile.shared<order = [1, 0], swizzle = 128>>), load, copy = #ptx.bulk, scope = cluster, cluster = 2, multicast>
    t06 = !tile.ring<4x(tensor<64x64xbf16, #tile.shared<order = [1, 0], swizzle = 128>>), load, copy = #ptx.bulk, scope = cluster, cluster = 2, multicast>,
    // CHECK-SAME: t061 = !tile.view<?x?xf16, strides = [?, 16], div = [64, 1], align = 16, packed = #tile.opaque<b, #spv.coop<[16, 16, 16], f16, f16, f32, lanes = 32>, groups = [1, 1]>>
    t061 = !tile.view<?x?xf16, strides = [?, 16], packed = #tile.opaque<b, #spv.coop<[16, 16, 16], f16, f16, f32, lanes = 32>, groups = [1, 1]>, div = [64, 1], align = 16>,
    // CHECK-SAME: t07 = !tile.slot<read>, t08 = !tile.slot<write>, t09 = !tile.cursor, t10 = !tile.token
    t07 = !tile.slot<read>, t08 = !tile.slot<write>, t09 = !tile.cursor, t10 = !tile.token} {
  tile.return
}
