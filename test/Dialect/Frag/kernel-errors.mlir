// RUN: helios-opt --split-input-file --verify-diagnostics %s

// Invariants 15, 20 and 21, and what roles share.

// -----

// 15
#mma = #ptx.mma_sync<[16, 8, 16], f16, f16, f32>
#wg = #ptx.wgmma<n = 64, f16, f16, f32>
#acc = #tile.acc<#mma, groups = [1, 1]>
#a = #tile.operand<a, #mma, groups = [1, 1]>
#b = #tile.operand<b, #mma, groups = [1, 1]>
#wacc = #tile.acc<#wg, groups = [1, 1]>
#wa = #tile.operand<a, #wg, groups = [1, 1]>
#r = #tile.regs<vec = [1, 8], lanes = [8, 4], groups = [1, 1]>
#row = #tile.slice<1, #acc>
#sum = #tile.slice<1, #acc, partial = add>
#max = #tile.slice<1, #acc, partial = max>
#s = #tile.shared<order = [1, 0]>
#sw = #tile.shared<order = [1, 0], swizzle = 128>
#coop = #spv.coop<[16, 16, 16], f16, f16, f32, lanes = 32>
#o = #tile.opaque<acc, #coop, groups = [1, 1]>
!v = !tile.view<?x?xf16, strides = [?, 1], div = [8, 1]>
!acc = !frag.f<16x8xf32, #acc>
!row = !frag.f<16xf32, #row>
!sum = !frag.f<16xf32, #sum>
!m = !frag.mem<16x32xf16, #s>
!w = !frag.mem<64x64xf16, #sw>
!W = !frag.f<64x64xf32, #wacc>
!fly = !frag.inflight<!frag.f<64x64xf32, #wacc>>
!tok = !frag.token<"wgmma">
!ring = !frag.ring<!tile.ring<2x(tensor<64x64xf16, #sw>, index), load, copy = #ptx.bulk>>
!async = !frag.ring<!tile.ring<2x(tensor<64x64xf16, #sw>), load, copy = #ptx.async16>>
frag.kernel @k(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}) attributes {threads = 32 : i64, shared_bytes = 512 : i64} {
  %z = arith.constant 0 : index
  %c0 = arith.constant 0 : i32
  %f = arith.constant 0.0 : f32
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f16> -> !v
  // expected-error @+1 {{expected the tile to end within the kernel's 512 bytes of shared memory, got 1024}}
  %m = frag.shared 0 : !m
  frag.return
}

// -----

#mma = #ptx.mma_sync<[16, 8, 16], f16, f16, f32>
#wg = #ptx.wgmma<n = 64, f16, f16, f32>
#acc = #tile.acc<#mma, groups = [1, 1]>
#a = #tile.operand<a, #mma, groups = [1, 1]>
#b = #tile.operand<b, #mma, groups = [1, 1]>
#wacc = #tile.acc<#wg, groups = [1, 1]>
#wa = #tile.operand<a, #wg, groups = [1, 1]>
#r = #tile.regs<vec = [1, 8], lanes = [8, 4], groups = [1, 1]>
#row = #tile.slice<1, #acc>
#sum = #tile.slice<1, #acc, partial = add>
#max = #tile.slice<1, #acc, partial = max>
#s = #tile.shared<order = [1, 0]>
#sw = #tile.shared<order = [1, 0], swizzle = 128>
#coop = #spv.coop<[16, 16, 16], f16, f16, f32, lanes = 32>
#o = #tile.opaque<acc, #coop, groups = [1, 1]>
!v = !tile.view<?x?xf16, strides = [?, 1], div = [8, 1]>
!acc = !frag.f<16x8xf32, #acc>
!row = !frag.f<16xf32, #row>
!sum = !frag.f<16xf32, #sum>
!m = !frag.mem<16x32xf16, #s>
!w = !frag.mem<64x64xf16, #sw>
!W = !frag.f<64x64xf32, #wacc>
!fly = !frag.inflight<!frag.f<64x64xf32, #wacc>>
!tok = !frag.token<"wgmma">
!ring = !frag.ring<!tile.ring<2x(tensor<64x64xf16, #sw>, index), load, copy = #ptx.bulk>>
!async = !frag.ring<!tile.ring<2x(tensor<64x64xf16, #sw>), load, copy = #ptx.async16>>
frag.kernel @k(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}) attributes {threads = 32 : i64, shared_bytes = 512 : i64} {
  %z = arith.constant 0 : index
  %c0 = arith.constant 0 : i32
  %f = arith.constant 0.0 : f32
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f16> -> !v
  // expected-error @+1 {{expected the ring to end within the kernel's 512 bytes of shared memory, got 16400}}
  %m = frag.shared 0 : !ring
  frag.return
}

// -----

#mma = #ptx.mma_sync<[16, 8, 16], f16, f16, f32>
#wg = #ptx.wgmma<n = 64, f16, f16, f32>
#acc = #tile.acc<#mma, groups = [1, 1]>
#a = #tile.operand<a, #mma, groups = [1, 1]>
#b = #tile.operand<b, #mma, groups = [1, 1]>
#wacc = #tile.acc<#wg, groups = [1, 1]>
#wa = #tile.operand<a, #wg, groups = [1, 1]>
#r = #tile.regs<vec = [1, 8], lanes = [8, 4], groups = [1, 1]>
#row = #tile.slice<1, #acc>
#sum = #tile.slice<1, #acc, partial = add>
#max = #tile.slice<1, #acc, partial = max>
#s = #tile.shared<order = [1, 0]>
#sw = #tile.shared<order = [1, 0], swizzle = 128>
#coop = #spv.coop<[16, 16, 16], f16, f16, f32, lanes = 32>
#o = #tile.opaque<acc, #coop, groups = [1, 1]>
!v = !tile.view<?x?xf16, strides = [?, 1], div = [8, 1]>
!acc = !frag.f<16x8xf32, #acc>
!row = !frag.f<16xf32, #row>
!sum = !frag.f<16xf32, #sum>
!m = !frag.mem<16x32xf16, #s>
!w = !frag.mem<64x64xf16, #sw>
!W = !frag.f<64x64xf32, #wacc>
!fly = !frag.inflight<!frag.f<64x64xf32, #wacc>>
!tok = !frag.token<"wgmma">
!ring = !frag.ring<!tile.ring<2x(tensor<64x64xf16, #sw>, index), load, copy = #ptx.bulk>>
!async = !frag.ring<!tile.ring<2x(tensor<64x64xf16, #sw>), load, copy = #ptx.async16>>
frag.kernel @k(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}) attributes {threads = 32 : i64, shared_bytes = 16416 : i64} {
  %z = arith.constant 0 : index
  %c0 = arith.constant 0 : i32
  %f = arith.constant 0.0 : f32
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f16> -> !v
  // expected-error @+1 {{expected the ring's barriers to end within the kernel's 16416 bytes of shared memory, got 16432}}
  %m = frag.shared 0 barriers 16400 : !ring
  frag.return
}

// -----

#mma = #ptx.mma_sync<[16, 8, 16], f16, f16, f32>
#wg = #ptx.wgmma<n = 64, f16, f16, f32>
#acc = #tile.acc<#mma, groups = [1, 1]>
#a = #tile.operand<a, #mma, groups = [1, 1]>
#b = #tile.operand<b, #mma, groups = [1, 1]>
#wacc = #tile.acc<#wg, groups = [1, 1]>
#wa = #tile.operand<a, #wg, groups = [1, 1]>
#r = #tile.regs<vec = [1, 8], lanes = [8, 4], groups = [1, 1]>
#row = #tile.slice<1, #acc>
#sum = #tile.slice<1, #acc, partial = add>
#max = #tile.slice<1, #acc, partial = max>
#s = #tile.shared<order = [1, 0]>
#sw = #tile.shared<order = [1, 0], swizzle = 128>
#coop = #spv.coop<[16, 16, 16], f16, f16, f32, lanes = 32>
#o = #tile.opaque<acc, #coop, groups = [1, 1]>
!v = !tile.view<?x?xf16, strides = [?, 1], div = [8, 1]>
!acc = !frag.f<16x8xf32, #acc>
!row = !frag.f<16xf32, #row>
!sum = !frag.f<16xf32, #sum>
!m = !frag.mem<16x32xf16, #s>
!w = !frag.mem<64x64xf16, #sw>
!W = !frag.f<64x64xf32, #wacc>
!fly = !frag.inflight<!frag.f<64x64xf32, #wacc>>
!tok = !frag.token<"wgmma">
!ring = !frag.ring<!tile.ring<2x(tensor<64x64xf16, #sw>, index), load, copy = #ptx.bulk>>
!async = !frag.ring<!tile.ring<2x(tensor<64x64xf16, #sw>), load, copy = #ptx.async16>>
// expected-error @+1 {{expected at most 101376 bytes of shared memory, those of sm_89, got 131072}}
frag.kernel @k(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}) attributes {threads = 32 : i64, shared_bytes = 131072 : i64, target = #ptx.target<"sm_89">} {
  %z = arith.constant 0 : index
  %c0 = arith.constant 0 : i32
  %f = arith.constant 0.0 : f32
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f16> -> !v

  frag.return
}

// -----

#mma = #ptx.mma_sync<[16, 8, 16], f16, f16, f32>
#wg = #ptx.wgmma<n = 64, f16, f16, f32>
#acc = #tile.acc<#mma, groups = [1, 1]>
#a = #tile.operand<a, #mma, groups = [1, 1]>
#b = #tile.operand<b, #mma, groups = [1, 1]>
#wacc = #tile.acc<#wg, groups = [1, 1]>
#wa = #tile.operand<a, #wg, groups = [1, 1]>
#r = #tile.regs<vec = [1, 8], lanes = [8, 4], groups = [1, 1]>
#row = #tile.slice<1, #acc>
#sum = #tile.slice<1, #acc, partial = add>
#max = #tile.slice<1, #acc, partial = max>
#s = #tile.shared<order = [1, 0]>
#sw = #tile.shared<order = [1, 0], swizzle = 128>
#coop = #spv.coop<[16, 16, 16], f16, f16, f32, lanes = 32>
#o = #tile.opaque<acc, #coop, groups = [1, 1]>
!v = !tile.view<?x?xf16, strides = [?, 1], div = [8, 1]>
!acc = !frag.f<16x8xf32, #acc>
!row = !frag.f<16xf32, #row>
!sum = !frag.f<16xf32, #sum>
!m = !frag.mem<16x32xf16, #s>
!w = !frag.mem<64x64xf16, #sw>
!W = !frag.f<64x64xf32, #wacc>
!fly = !frag.inflight<!frag.f<64x64xf32, #wacc>>
!tok = !frag.token<"wgmma">
!ring = !frag.ring<!tile.ring<2x(tensor<64x64xf16, #sw>, index), load, copy = #ptx.bulk>>
!async = !frag.ring<!tile.ring<2x(tensor<64x64xf16, #sw>), load, copy = #ptx.async16>>
frag.kernel @k(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}) attributes {threads = 32 : i64, shared_bytes = 65664 : i64} {
  %z = arith.constant 0 : index
  %c0 = arith.constant 0 : i32
  %f = arith.constant 0.0 : f32
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f16> -> !v
  // expected-error @+1 {{expected lanes below 32, got 64}}
  frag.role lanes(0 to 64) {
    frag.yield
  }
  frag.return
}

// -----

#mma = #ptx.mma_sync<[16, 8, 16], f16, f16, f32>
#wg = #ptx.wgmma<n = 64, f16, f16, f32>
#acc = #tile.acc<#mma, groups = [1, 1]>
#a = #tile.operand<a, #mma, groups = [1, 1]>
#b = #tile.operand<b, #mma, groups = [1, 1]>
#wacc = #tile.acc<#wg, groups = [1, 1]>
#wa = #tile.operand<a, #wg, groups = [1, 1]>
#r = #tile.regs<vec = [1, 8], lanes = [8, 4], groups = [1, 1]>
#row = #tile.slice<1, #acc>
#sum = #tile.slice<1, #acc, partial = add>
#max = #tile.slice<1, #acc, partial = max>
#s = #tile.shared<order = [1, 0]>
#sw = #tile.shared<order = [1, 0], swizzle = 128>
#coop = #spv.coop<[16, 16, 16], f16, f16, f32, lanes = 32>
#o = #tile.opaque<acc, #coop, groups = [1, 1]>
!v = !tile.view<?x?xf16, strides = [?, 1], div = [8, 1]>
!acc = !frag.f<16x8xf32, #acc>
!row = !frag.f<16xf32, #row>
!sum = !frag.f<16xf32, #sum>
!m = !frag.mem<16x32xf16, #s>
!w = !frag.mem<64x64xf16, #sw>
!W = !frag.f<64x64xf32, #wacc>
!fly = !frag.inflight<!frag.f<64x64xf32, #wacc>>
!tok = !frag.token<"wgmma">
!ring = !frag.ring<!tile.ring<2x(tensor<64x64xf16, #sw>, index), load, copy = #ptx.bulk>>
!async = !frag.ring<!tile.ring<2x(tensor<64x64xf16, #sw>), load, copy = #ptx.async16>>
frag.kernel @k(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}) attributes {threads = 32 : i64, shared_bytes = 65664 : i64} {
  %z = arith.constant 0 : index
  %c0 = arith.constant 0 : i32
  %f = arith.constant 0.0 : f32
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f16> -> !v
  frag.role lanes(0 to 16) {
    frag.yield
  }
  // expected-error @+1 {{expected roles on disjoint lanes in order, got a start of 8 below 16}}
  frag.role lanes(8 to 32) {
    frag.yield
  }
  frag.return
}

// -----

#mma = #ptx.mma_sync<[16, 8, 16], f16, f16, f32>
#wg = #ptx.wgmma<n = 64, f16, f16, f32>
#acc = #tile.acc<#mma, groups = [1, 1]>
#a = #tile.operand<a, #mma, groups = [1, 1]>
#b = #tile.operand<b, #mma, groups = [1, 1]>
#wacc = #tile.acc<#wg, groups = [1, 1]>
#wa = #tile.operand<a, #wg, groups = [1, 1]>
#r = #tile.regs<vec = [1, 8], lanes = [8, 4], groups = [1, 1]>
#row = #tile.slice<1, #acc>
#sum = #tile.slice<1, #acc, partial = add>
#max = #tile.slice<1, #acc, partial = max>
#s = #tile.shared<order = [1, 0]>
#sw = #tile.shared<order = [1, 0], swizzle = 128>
#coop = #spv.coop<[16, 16, 16], f16, f16, f32, lanes = 32>
#o = #tile.opaque<acc, #coop, groups = [1, 1]>
!v = !tile.view<?x?xf16, strides = [?, 1], div = [8, 1]>
!acc = !frag.f<16x8xf32, #acc>
!row = !frag.f<16xf32, #row>
!sum = !frag.f<16xf32, #sum>
!m = !frag.mem<16x32xf16, #s>
!w = !frag.mem<64x64xf16, #sw>
!W = !frag.f<64x64xf32, #wacc>
!fly = !frag.inflight<!frag.f<64x64xf32, #wacc>>
!tok = !frag.token<"wgmma">
!ring = !frag.ring<!tile.ring<2x(tensor<64x64xf16, #sw>, index), load, copy = #ptx.bulk>>
!async = !frag.ring<!tile.ring<2x(tensor<64x64xf16, #sw>), load, copy = #ptx.async16>>
// expected-error @+1 {{expected the roles' registers to add up to at most 65536, got 71680}}
frag.kernel @k(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}) attributes {threads = 384 : i64, shared_bytes = 65664 : i64, target = #ptx.target<"sm_90a">} {
  %z = arith.constant 0 : index
  %c0 = arith.constant 0 : i32
  %f = arith.constant 0.0 : f32
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f16> -> !v
  frag.role lanes(0 to 128) regs(80) {
    frag.yield
  }
  frag.role lanes(128 to 384) regs(240) {
    frag.yield
  }
  frag.return
}

// -----

#mma = #ptx.mma_sync<[16, 8, 16], f16, f16, f32>
#wg = #ptx.wgmma<n = 64, f16, f16, f32>
#acc = #tile.acc<#mma, groups = [1, 1]>
#a = #tile.operand<a, #mma, groups = [1, 1]>
#b = #tile.operand<b, #mma, groups = [1, 1]>
#wacc = #tile.acc<#wg, groups = [1, 1]>
#wa = #tile.operand<a, #wg, groups = [1, 1]>
#r = #tile.regs<vec = [1, 8], lanes = [8, 4], groups = [1, 1]>
#row = #tile.slice<1, #acc>
#sum = #tile.slice<1, #acc, partial = add>
#max = #tile.slice<1, #acc, partial = max>
#s = #tile.shared<order = [1, 0]>
#sw = #tile.shared<order = [1, 0], swizzle = 128>
#coop = #spv.coop<[16, 16, 16], f16, f16, f32, lanes = 32>
#o = #tile.opaque<acc, #coop, groups = [1, 1]>
!v = !tile.view<?x?xf16, strides = [?, 1], div = [8, 1]>
!acc = !frag.f<16x8xf32, #acc>
!row = !frag.f<16xf32, #row>
!sum = !frag.f<16xf32, #sum>
!m = !frag.mem<16x32xf16, #s>
!w = !frag.mem<64x64xf16, #sw>
!W = !frag.f<64x64xf32, #wacc>
!fly = !frag.inflight<!frag.f<64x64xf32, #wacc>>
!tok = !frag.token<"wgmma">
!ring = !frag.ring<!tile.ring<2x(tensor<64x64xf16, #sw>, index), load, copy = #ptx.bulk>>
!async = !frag.ring<!tile.ring<2x(tensor<64x64xf16, #sw>), load, copy = #ptx.async16>>
frag.kernel @k(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}) attributes {threads = 64 : i64, shared_bytes = 65664 : i64} {
  %z = arith.constant 0 : index
  %c0 = arith.constant 0 : i32
  %f = arith.constant 0.0 : f32
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f16> -> !v
  // expected-error @+1 {{expected a fragment over the 64 lanes of the kernel, got 32 of #tile.acc<}}
  %c = frag.splat %f : f32 -> !acc
  frag.return
}

// -----

#mma = #ptx.mma_sync<[16, 8, 16], f16, f16, f32>
#wg = #ptx.wgmma<n = 64, f16, f16, f32>
#acc = #tile.acc<#mma, groups = [1, 1]>
#a = #tile.operand<a, #mma, groups = [1, 1]>
#b = #tile.operand<b, #mma, groups = [1, 1]>
#wacc = #tile.acc<#wg, groups = [1, 1]>
#wa = #tile.operand<a, #wg, groups = [1, 1]>
#r = #tile.regs<vec = [1, 8], lanes = [8, 4], groups = [1, 1]>
#row = #tile.slice<1, #acc>
#sum = #tile.slice<1, #acc, partial = add>
#max = #tile.slice<1, #acc, partial = max>
#s = #tile.shared<order = [1, 0]>
#sw = #tile.shared<order = [1, 0], swizzle = 128>
#coop = #spv.coop<[16, 16, 16], f16, f16, f32, lanes = 32>
#o = #tile.opaque<acc, #coop, groups = [1, 1]>
!v = !tile.view<?x?xf16, strides = [?, 1], div = [8, 1]>
!acc = !frag.f<16x8xf32, #acc>
!row = !frag.f<16xf32, #row>
!sum = !frag.f<16xf32, #sum>
!m = !frag.mem<16x32xf16, #s>
!w = !frag.mem<64x64xf16, #sw>
!W = !frag.f<64x64xf32, #wacc>
!fly = !frag.inflight<!frag.f<64x64xf32, #wacc>>
!tok = !frag.token<"wgmma">
!ring = !frag.ring<!tile.ring<2x(tensor<64x64xf16, #sw>, index), load, copy = #ptx.bulk>>
!async = !frag.ring<!tile.ring<2x(tensor<64x64xf16, #sw>), load, copy = #ptx.async16>>
frag.kernel @k(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}) attributes {threads = 64 : i64, shared_bytes = 65664 : i64} {
  %z = arith.constant 0 : index
  %c0 = arith.constant 0 : i32
  %f = arith.constant 0.0 : f32
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f16> -> !v
  frag.role lanes(0 to 64 by 64) {
    // expected-error @+1 {{expected a fragment over the 64 lanes of the role's replica, got 32 of #tile.acc<}}
    %c = frag.splat %f : f32 -> !acc
    frag.yield
  }
  frag.return
}

// -----

#mma = #ptx.mma_sync<[16, 8, 16], f16, f16, f32>
#wg = #ptx.wgmma<n = 64, f16, f16, f32>
#acc = #tile.acc<#mma, groups = [1, 1]>
#a = #tile.operand<a, #mma, groups = [1, 1]>
#b = #tile.operand<b, #mma, groups = [1, 1]>
#wacc = #tile.acc<#wg, groups = [1, 1]>
#wa = #tile.operand<a, #wg, groups = [1, 1]>
#r = #tile.regs<vec = [1, 8], lanes = [8, 4], groups = [1, 1]>
#row = #tile.slice<1, #acc>
#sum = #tile.slice<1, #acc, partial = add>
#max = #tile.slice<1, #acc, partial = max>
#s = #tile.shared<order = [1, 0]>
#sw = #tile.shared<order = [1, 0], swizzle = 128>
#coop = #spv.coop<[16, 16, 16], f16, f16, f32, lanes = 32>
#o = #tile.opaque<acc, #coop, groups = [1, 1]>
!v = !tile.view<?x?xf16, strides = [?, 1], div = [8, 1]>
!acc = !frag.f<16x8xf32, #acc>
!row = !frag.f<16xf32, #row>
!sum = !frag.f<16xf32, #sum>
!m = !frag.mem<16x32xf16, #s>
!w = !frag.mem<64x64xf16, #sw>
!W = !frag.f<64x64xf32, #wacc>
!fly = !frag.inflight<!frag.f<64x64xf32, #wacc>>
!tok = !frag.token<"wgmma">
!ring = !frag.ring<!tile.ring<2x(tensor<64x64xf16, #sw>, index), load, copy = #ptx.bulk>>
!async = !frag.ring<!tile.ring<2x(tensor<64x64xf16, #sw>), load, copy = #ptx.async16>>
frag.kernel @k(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}) attributes {threads = 32 : i64, shared_bytes = 65664 : i64} {
  %z = arith.constant 0 : index
  %c0 = arith.constant 0 : i32
  %f = arith.constant 0.0 : f32
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f16> -> !v
  %c = frag.splat %f : f32 -> !acc
  %m = frag.shared 0 : !frag.mem<16x8xf32, #s>
  frag.role lanes(0 to 32) {
    // expected-error @+1 {{uses a value of another role or from before the roles: '!frag.f<16x8xf32,}}
    frag.write %c, %m[%z, %z] : !acc, !frag.mem<16x8xf32, #s>
    frag.yield
  }
  frag.return
}

// -----

// 20: a barrier that not all lanes reach.
#mma = #ptx.mma_sync<[16, 8, 16], f16, f16, f32>
#wg = #ptx.wgmma<n = 64, f16, f16, f32>
#acc = #tile.acc<#mma, groups = [1, 1]>
#a = #tile.operand<a, #mma, groups = [1, 1]>
#b = #tile.operand<b, #mma, groups = [1, 1]>
#wacc = #tile.acc<#wg, groups = [1, 1]>
#wa = #tile.operand<a, #wg, groups = [1, 1]>
#r = #tile.regs<vec = [1, 8], lanes = [8, 4], groups = [1, 1]>
#row = #tile.slice<1, #acc>
#sum = #tile.slice<1, #acc, partial = add>
#max = #tile.slice<1, #acc, partial = max>
#s = #tile.shared<order = [1, 0]>
#sw = #tile.shared<order = [1, 0], swizzle = 128>
#coop = #spv.coop<[16, 16, 16], f16, f16, f32, lanes = 32>
#o = #tile.opaque<acc, #coop, groups = [1, 1]>
!v = !tile.view<?x?xf16, strides = [?, 1], div = [8, 1]>
!acc = !frag.f<16x8xf32, #acc>
!row = !frag.f<16xf32, #row>
!sum = !frag.f<16xf32, #sum>
!m = !frag.mem<16x32xf16, #s>
!w = !frag.mem<64x64xf16, #sw>
!W = !frag.f<64x64xf32, #wacc>
!fly = !frag.inflight<!frag.f<64x64xf32, #wacc>>
!tok = !frag.token<"wgmma">
!ring = !frag.ring<!tile.ring<2x(tensor<64x64xf16, #sw>, index), load, copy = #ptx.bulk>>
!async = !frag.ring<!tile.ring<2x(tensor<64x64xf16, #sw>), load, copy = #ptx.async16>>
frag.kernel @k(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}) attributes {threads = 32 : i64, shared_bytes = 65664 : i64} {
  %z = arith.constant 0 : index
  %c0 = arith.constant 0 : i32
  %f = arith.constant 0.0 : f32
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f16> -> !v
  frag.role lanes(0 to 16) {
    // expected-error @+1 {{expected scope replica or subgroup in a role, got workgroup; other roles do not reach it}}
    frag.barrier workgroup
    frag.yield
  }
  frag.return
}

// -----

// 20
#mma = #ptx.mma_sync<[16, 8, 16], f16, f16, f32>
#wg = #ptx.wgmma<n = 64, f16, f16, f32>
#acc = #tile.acc<#mma, groups = [1, 1]>
#a = #tile.operand<a, #mma, groups = [1, 1]>
#b = #tile.operand<b, #mma, groups = [1, 1]>
#wacc = #tile.acc<#wg, groups = [1, 1]>
#wa = #tile.operand<a, #wg, groups = [1, 1]>
#r = #tile.regs<vec = [1, 8], lanes = [8, 4], groups = [1, 1]>
#row = #tile.slice<1, #acc>
#sum = #tile.slice<1, #acc, partial = add>
#max = #tile.slice<1, #acc, partial = max>
#s = #tile.shared<order = [1, 0]>
#sw = #tile.shared<order = [1, 0], swizzle = 128>
#coop = #spv.coop<[16, 16, 16], f16, f16, f32, lanes = 32>
#o = #tile.opaque<acc, #coop, groups = [1, 1]>
!v = !tile.view<?x?xf16, strides = [?, 1], div = [8, 1]>
!acc = !frag.f<16x8xf32, #acc>
!row = !frag.f<16xf32, #row>
!sum = !frag.f<16xf32, #sum>
!m = !frag.mem<16x32xf16, #s>
!w = !frag.mem<64x64xf16, #sw>
!W = !frag.f<64x64xf32, #wacc>
!fly = !frag.inflight<!frag.f<64x64xf32, #wacc>>
!tok = !frag.token<"wgmma">
!ring = !frag.ring<!tile.ring<2x(tensor<64x64xf16, #sw>, index), load, copy = #ptx.bulk>>
!async = !frag.ring<!tile.ring<2x(tensor<64x64xf16, #sw>), load, copy = #ptx.async16>>
frag.kernel @k(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}) attributes {threads = 32 : i64, shared_bytes = 65664 : i64} {
  %z = arith.constant 0 : index
  %c0 = arith.constant 0 : i32
  %f = arith.constant 0.0 : f32
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f16> -> !v
  %k = arith.cmpi eq, %n, %z : index
  scf.if %k {
    // expected-error @+1 {{may not stand under lane-divergent control}}
    frag.barrier workgroup
  } {frag.divergent}
  frag.return
}

// -----

// 20: what a vote of a subgroup guards; a barrier of the subgroup may.
#mma = #ptx.mma_sync<[16, 8, 16], f16, f16, f32>
#wg = #ptx.wgmma<n = 64, f16, f16, f32>
#acc = #tile.acc<#mma, groups = [1, 1]>
#a = #tile.operand<a, #mma, groups = [1, 1]>
#b = #tile.operand<b, #mma, groups = [1, 1]>
#wacc = #tile.acc<#wg, groups = [1, 1]>
#wa = #tile.operand<a, #wg, groups = [1, 1]>
#r = #tile.regs<vec = [1, 8], lanes = [8, 4], groups = [1, 1]>
#row = #tile.slice<1, #acc>
#sum = #tile.slice<1, #acc, partial = add>
#max = #tile.slice<1, #acc, partial = max>
#s = #tile.shared<order = [1, 0]>
#sw = #tile.shared<order = [1, 0], swizzle = 128>
#coop = #spv.coop<[16, 16, 16], f16, f16, f32, lanes = 32>
#o = #tile.opaque<acc, #coop, groups = [1, 1]>
!v = !tile.view<?x?xf16, strides = [?, 1], div = [8, 1]>
!acc = !frag.f<16x8xf32, #acc>
!row = !frag.f<16xf32, #row>
!sum = !frag.f<16xf32, #sum>
!m = !frag.mem<16x32xf16, #s>
!w = !frag.mem<64x64xf16, #sw>
!W = !frag.f<64x64xf32, #wacc>
!fly = !frag.inflight<!frag.f<64x64xf32, #wacc>>
!tok = !frag.token<"wgmma">
!ring = !frag.ring<!tile.ring<2x(tensor<64x64xf16, #sw>, index), load, copy = #ptx.bulk>>
!async = !frag.ring<!tile.ring<2x(tensor<64x64xf16, #sw>), load, copy = #ptx.async16>>
frag.kernel @k(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}) attributes {threads = 32 : i64, shared_bytes = 65664 : i64} {
  %z = arith.constant 0 : index
  %c0 = arith.constant 0 : i32
  %f = arith.constant 0.0 : f32
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f16> -> !v
  %c = frag.splat %f : f32 -> !row
  %b = frag.map(%c : !row) -> !frag.f<16xi1, #row> {
  ^bb0(%e: f32):
    %y = arith.cmpf ogt, %e, %f : f32
    frag.yield %y : i1
  }
  // expected-note @+1 {{it depends on this vote}}
  %vote = frag.reduce or %b, all : !frag.f<16xi1, #row> -> i1
  scf.if %vote {
    frag.barrier subgroup
    // expected-error @+1 {{may not stand under control that differs between subgroups}}
    frag.barrier workgroup
  }
  frag.return
}

// -----

// 20: a product of four subgroups.
#mma = #ptx.mma_sync<[16, 8, 16], f16, f16, f32>
#wg = #ptx.wgmma<n = 64, f16, f16, f32>
#acc = #tile.acc<#mma, groups = [1, 1]>
#a = #tile.operand<a, #mma, groups = [1, 1]>
#b = #tile.operand<b, #mma, groups = [1, 1]>
#wacc = #tile.acc<#wg, groups = [1, 1]>
#wa = #tile.operand<a, #wg, groups = [1, 1]>
#r = #tile.regs<vec = [1, 8], lanes = [8, 4], groups = [1, 1]>
#row = #tile.slice<1, #acc>
#sum = #tile.slice<1, #acc, partial = add>
#max = #tile.slice<1, #acc, partial = max>
#s = #tile.shared<order = [1, 0]>
#sw = #tile.shared<order = [1, 0], swizzle = 128>
#coop = #spv.coop<[16, 16, 16], f16, f16, f32, lanes = 32>
#o = #tile.opaque<acc, #coop, groups = [1, 1]>
!v = !tile.view<?x?xf16, strides = [?, 1], div = [8, 1]>
!acc = !frag.f<16x8xf32, #acc>
!row = !frag.f<16xf32, #row>
!sum = !frag.f<16xf32, #sum>
!m = !frag.mem<16x32xf16, #s>
!w = !frag.mem<64x64xf16, #sw>
!W = !frag.f<64x64xf32, #wacc>
!fly = !frag.inflight<!frag.f<64x64xf32, #wacc>>
!tok = !frag.token<"wgmma">
!ring = !frag.ring<!tile.ring<2x(tensor<64x64xf16, #sw>, index), load, copy = #ptx.bulk>>
!async = !frag.ring<!tile.ring<2x(tensor<64x64xf16, #sw>), load, copy = #ptx.async16>>
frag.kernel @k(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}) attributes {threads = 128 : i64, shared_bytes = 65664 : i64} {
  %z = arith.constant 0 : index
  %c0 = arith.constant 0 : i32
  %f = arith.constant 0.0 : f32
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f16> -> !v
  %ring = frag.shared 0 barriers 65536 : !ring
  %s, %c1 = frag.acquire read %ring[%c0] : !ring
  %m = frag.slot_mem %s[0] : !w
  %c = frag.splat %f : f32 -> !frag.f<64xf32, #tile.slice<1, #wacc>>
  %b = frag.map(%c : !frag.f<64xf32, #tile.slice<1, #wacc>>) -> !frag.f<64xi1, #tile.slice<1, #wacc>> {
  ^bb0(%e: f32):
    %y = arith.cmpf ogt, %e, %f : f32
    frag.yield %y : i1
  }
  // expected-note @+1 {{it depends on this vote}}
  %vote = frag.reduce or %b, all : !frag.f<64xi1, #tile.slice<1, #wacc>> -> i1
  scf.if %vote {
    // expected-error @+1 {{may not stand under control that differs between subgroups}}
    %d, %t = frag.mma_start #wg %m, %m : !w, !w -> !fly, !tok
    %x = frag.await %t(%d : !fly) : !tok -> !W
  }
  frag.release %s
  frag.return
}

// -----

// 21: an ordinary barrier does not order the engine.
#mma = #ptx.mma_sync<[16, 8, 16], f16, f16, f32>
#wg = #ptx.wgmma<n = 64, f16, f16, f32>
#acc = #tile.acc<#mma, groups = [1, 1]>
#a = #tile.operand<a, #mma, groups = [1, 1]>
#b = #tile.operand<b, #mma, groups = [1, 1]>
#wacc = #tile.acc<#wg, groups = [1, 1]>
#wa = #tile.operand<a, #wg, groups = [1, 1]>
#r = #tile.regs<vec = [1, 8], lanes = [8, 4], groups = [1, 1]>
#row = #tile.slice<1, #acc>
#sum = #tile.slice<1, #acc, partial = add>
#max = #tile.slice<1, #acc, partial = max>
#s = #tile.shared<order = [1, 0]>
#sw = #tile.shared<order = [1, 0], swizzle = 128>
#coop = #spv.coop<[16, 16, 16], f16, f16, f32, lanes = 32>
#o = #tile.opaque<acc, #coop, groups = [1, 1]>
!v = !tile.view<?x?xf16, strides = [?, 1], div = [8, 1]>
!acc = !frag.f<16x8xf32, #acc>
!row = !frag.f<16xf32, #row>
!sum = !frag.f<16xf32, #sum>
!m = !frag.mem<16x32xf16, #s>
!w = !frag.mem<64x64xf16, #sw>
!W = !frag.f<64x64xf32, #wacc>
!fly = !frag.inflight<!frag.f<64x64xf32, #wacc>>
!tok = !frag.token<"wgmma">
!ring = !frag.ring<!tile.ring<2x(tensor<64x64xf16, #sw>, index), load, copy = #ptx.bulk>>
!async = !frag.ring<!tile.ring<2x(tensor<64x64xf16, #sw>), load, copy = #ptx.async16>>
frag.kernel @k(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}) attributes {threads = 128 : i64, shared_bytes = 65664 : i64, synchronized} {
  %z = arith.constant 0 : index
  %c0 = arith.constant 0 : i32
  %f = arith.constant 0.0 : f32
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f16> -> !v
  %m = frag.shared 0 : !w
  %h = arith.constant 0.0 : f16
  %x = frag.splat %h : f16 -> !frag.f<64x64xf16, #wa>
  // expected-note @+1 {{this write}}
  frag.write %x, %m[%z, %z] : !frag.f<64x64xf16, #wa>, !w
  frag.barrier workgroup
  // expected-error @+1 {{expected a barrier with 'proxy' between a write and the engine that reads it}}
  %d, %t = frag.mma_start #wg %m, %m : !w, !w -> !fly, !tok
  %y = frag.await %t(%d : !fly) : !tok -> !W
  frag.return
}

// -----

// 21: around a loop.
#mma = #ptx.mma_sync<[16, 8, 16], f16, f16, f32>
#wg = #ptx.wgmma<n = 64, f16, f16, f32>
#acc = #tile.acc<#mma, groups = [1, 1]>
#a = #tile.operand<a, #mma, groups = [1, 1]>
#b = #tile.operand<b, #mma, groups = [1, 1]>
#wacc = #tile.acc<#wg, groups = [1, 1]>
#wa = #tile.operand<a, #wg, groups = [1, 1]>
#r = #tile.regs<vec = [1, 8], lanes = [8, 4], groups = [1, 1]>
#row = #tile.slice<1, #acc>
#sum = #tile.slice<1, #acc, partial = add>
#max = #tile.slice<1, #acc, partial = max>
#s = #tile.shared<order = [1, 0]>
#sw = #tile.shared<order = [1, 0], swizzle = 128>
#coop = #spv.coop<[16, 16, 16], f16, f16, f32, lanes = 32>
#o = #tile.opaque<acc, #coop, groups = [1, 1]>
!v = !tile.view<?x?xf16, strides = [?, 1], div = [8, 1]>
!acc = !frag.f<16x8xf32, #acc>
!row = !frag.f<16xf32, #row>
!sum = !frag.f<16xf32, #sum>
!m = !frag.mem<16x32xf16, #s>
!w = !frag.mem<64x64xf16, #sw>
!W = !frag.f<64x64xf32, #wacc>
!fly = !frag.inflight<!frag.f<64x64xf32, #wacc>>
!tok = !frag.token<"wgmma">
!ring = !frag.ring<!tile.ring<2x(tensor<64x64xf16, #sw>, index), load, copy = #ptx.bulk>>
!async = !frag.ring<!tile.ring<2x(tensor<64x64xf16, #sw>), load, copy = #ptx.async16>>
frag.kernel @k(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}) attributes {threads = 32 : i64, shared_bytes = 65664 : i64, synchronized} {
  %z = arith.constant 0 : index
  %c0 = arith.constant 0 : i32
  %f = arith.constant 0.0 : f32
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f16> -> !v
  %m = frag.shared 0 : !w
  %h = arith.constant 0.0 : f16
  %x = frag.splat %h : f16 -> !frag.f<64x64xf16, #r>
  scf.for %i = %z to %n step %n {
    // expected-error @+1 {{expected a barrier with 'proxy' between a write and the engine that reads it}}
    %t = frag.copy_out #ptx.bulk %m to %v[%z, %z] : !w -> !v
    // expected-note @+1 {{this write}}
    frag.write %x, %m[%z, %z] : !frag.f<64x64xf16, #r>, !w
  }
  frag.return
}

// -----

// 21: other lanes may still read the slot.
#mma = #ptx.mma_sync<[16, 8, 16], f16, f16, f32>
#wg = #ptx.wgmma<n = 64, f16, f16, f32>
#acc = #tile.acc<#mma, groups = [1, 1]>
#a = #tile.operand<a, #mma, groups = [1, 1]>
#b = #tile.operand<b, #mma, groups = [1, 1]>
#wacc = #tile.acc<#wg, groups = [1, 1]>
#wa = #tile.operand<a, #wg, groups = [1, 1]>
#r = #tile.regs<vec = [1, 8], lanes = [8, 4], groups = [1, 1]>
#row = #tile.slice<1, #acc>
#sum = #tile.slice<1, #acc, partial = add>
#max = #tile.slice<1, #acc, partial = max>
#s = #tile.shared<order = [1, 0]>
#sw = #tile.shared<order = [1, 0], swizzle = 128>
#coop = #spv.coop<[16, 16, 16], f16, f16, f32, lanes = 32>
#o = #tile.opaque<acc, #coop, groups = [1, 1]>
!v = !tile.view<?x?xf16, strides = [?, 1], div = [8, 1]>
!acc = !frag.f<16x8xf32, #acc>
!row = !frag.f<16xf32, #row>
!sum = !frag.f<16xf32, #sum>
!m = !frag.mem<16x32xf16, #s>
!w = !frag.mem<64x64xf16, #sw>
!W = !frag.f<64x64xf32, #wacc>
!fly = !frag.inflight<!frag.f<64x64xf32, #wacc>>
!tok = !frag.token<"wgmma">
!ring = !frag.ring<!tile.ring<2x(tensor<64x64xf16, #sw>, index), load, copy = #ptx.bulk>>
!async = !frag.ring<!tile.ring<2x(tensor<64x64xf16, #sw>), load, copy = #ptx.async16>>
frag.kernel @k(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}) attributes {threads = 32 : i64, shared_bytes = 65664 : i64, synchronized} {
  %z = arith.constant 0 : index
  %c0 = arith.constant 0 : i32
  %f = arith.constant 0.0 : f32
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f16> -> !v
  %ring = frag.shared 0 barriers 65536 : !ring
  %s, %c1 = frag.acquire read %ring[%c0] : !ring
  %m = frag.slot_mem %s[0] : !w
  // expected-note @+1 {{this read}}
  %x = frag.read %m[%z, %z] : !w -> !frag.f<64x64xf16, #r>
  // expected-error @+1 {{expected a barrier of the group between the reads of the slot and its release}}
  frag.release %s
  frag.return
}

// -----

// 21: a copy that completes in groups is ordered by the barrier of its wait: no error.
#mma = #ptx.mma_sync<[16, 8, 16], f16, f16, f32>
#wg = #ptx.wgmma<n = 64, f16, f16, f32>
#acc = #tile.acc<#mma, groups = [1, 1]>
#a = #tile.operand<a, #mma, groups = [1, 1]>
#b = #tile.operand<b, #mma, groups = [1, 1]>
#wacc = #tile.acc<#wg, groups = [1, 1]>
#wa = #tile.operand<a, #wg, groups = [1, 1]>
#r = #tile.regs<vec = [1, 8], lanes = [8, 4], groups = [1, 1]>
#row = #tile.slice<1, #acc>
#sum = #tile.slice<1, #acc, partial = add>
#max = #tile.slice<1, #acc, partial = max>
#s = #tile.shared<order = [1, 0]>
#sw = #tile.shared<order = [1, 0], swizzle = 128>
#coop = #spv.coop<[16, 16, 16], f16, f16, f32, lanes = 32>
#o = #tile.opaque<acc, #coop, groups = [1, 1]>
!v = !tile.view<?x?xf16, strides = [?, 1], div = [8, 1]>
!acc = !frag.f<16x8xf32, #acc>
!row = !frag.f<16xf32, #row>
!sum = !frag.f<16xf32, #sum>
!m = !frag.mem<16x32xf16, #s>
!w = !frag.mem<64x64xf16, #sw>
!W = !frag.f<64x64xf32, #wacc>
!fly = !frag.inflight<!frag.f<64x64xf32, #wacc>>
!tok = !frag.token<"wgmma">
!ring = !frag.ring<!tile.ring<2x(tensor<64x64xf16, #sw>, index), load, copy = #ptx.bulk>>
!async = !frag.ring<!tile.ring<2x(tensor<64x64xf16, #sw>), load, copy = #ptx.async16>>
frag.kernel @k(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}) attributes {threads = 32 : i64, shared_bytes = 65664 : i64, synchronized} {
  %z = arith.constant 0 : index
  %c0 = arith.constant 0 : i32
  %f = arith.constant 0.0 : f32
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f16> -> !v
  %ring = frag.shared 0 : !async
  %s, %c1 = frag.acquire read %ring[%c0] : !async
  %m = frag.slot_mem %s[0] : !w
  %x = frag.read %m[%z, %z] : !w -> !frag.f<64x64xf16, #r>
  frag.release %s
  frag.return
}

// -----

// expected-error @+1 {{expected a cluster of at most 8 workgroups, the limit of sm_90a, got 16}}
frag.kernel @k() attributes {threads = 128 : i64, cluster = 16 : i64, target = #ptx.target<"sm_90a">} {
  frag.return
}

// -----

#s = #tile.shared<order = [1, 0], swizzle = 128>
!ring = !frag.ring<!tile.ring<2x(tensor<64x64xf16, #s>), load, copy = #ptx.bulk, scope = cluster, cluster = 2, multicast>>
frag.kernel @k() attributes {threads = 128 : i64, shared_bytes = 16416 : i64, cluster = 4 : i64} {
  // expected-error @+1 {{expected a ring of the kernel's cluster of 4 workgroups, got one of 2}}
  %ring = frag.shared 0 barriers 16384 : !ring
  frag.return
}

// -----

#s = #tile.shared<order = [1, 0], swizzle = 128>
!v = !tile.view<?x?xf16, strides = [?, 1], div = [8, 1], align = 16>
!ring = !frag.ring<!tile.ring<2x(tensor<64x64xf16, #s>), load, copy = #ptx.bulk>>
!mem = !frag.mem<64x64xf16, #s>
frag.kernel @k(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}) attributes {threads = 128 : i64, shared_bytes = 16416 : i64, cluster = 2 : i64} {
  %z = arith.constant 0 : index
  %c0 = arith.constant 0 : i32
  %mask = arith.constant 3 : i32
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f16> -> !v
  %ring = frag.shared 0 barriers 16384 : !ring
  %w, %c1 = frag.acquire write %ring[%c0] : !ring
  %m = frag.slot_mem %w[0] : !mem
  // expected-error @+1 {{expected 'multicast' into a slot of a ring with 'multicast', whose workgroups walk it in step}}
  %t = frag.copy_in #ptx.bulk %v[%z, %z] into %m multicast %mask : !v -> !mem
  frag.release %w after(%t : !tile.token)
  frag.return
}

// -----

frag.kernel @k() attributes {threads = 128 : i64} {
  frag.role lanes(0 to 128) {
    // expected-error @+1 {{expected a role of at least 2 replicas, among which the turn goes around}}
    frag.turn take
  }
  frag.return
}
