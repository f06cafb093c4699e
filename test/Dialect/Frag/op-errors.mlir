// RUN: helios-opt --split-input-file --verify-diagnostics %s

// Types and ops on their own.

// -----

// expected-error @+1 {{expected a layout of registers or matrices, got #tile.shared<order = [1, 0]>; use !frag.mem}}
frag.kernel @p() attributes {threads = 1 : i64, a = !frag.f<8x32xf16, #tile.shared<order = [1, 0]>>} {
  frag.return
}

// -----

// expected-error @+1 {{expected dimension 1 to be a multiple of 32}}
frag.kernel @p() attributes {threads = 1 : i64, a = !frag.f<8x24xf16, #tile.regs<vec = [1, 8], lanes = [8, 4], groups = [1, 1]>>} {
  frag.return
}

// -----

// expected-error @+1 {{expected a layout of memory, got #tile.regs<vec = [1, 8], lanes = [8, 4], groups = [1, 1]>; use !frag.f}}
frag.kernel @p() attributes {threads = 1 : i64, a = !frag.mem<8x32xf16, #tile.regs<vec = [1, 8], lanes = [8, 4], groups = [1, 1]>>} {
  frag.return
}

// -----

// expected-error @+1 {{expected a tile of rank 2, got rank 1}}
frag.kernel @p() attributes {threads = 1 : i64, a = !frag.mem<8xf16, #tile.shared<order = [1, 0]>>} {
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
// expected-error @+1 {{expected argument #0 to be a pointer or a scalar, got 'tensor<4xf16>'}}
frag.kernel @k(%a: tensor<4xf16>) attributes {threads = 32 : i64, shared_bytes = 65664 : i64} {

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
// expected-error @+1 {{expected at least one thread, got 0}}
frag.kernel @k() attributes {threads = 0 : i64, shared_bytes = 65664 : i64} {

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
  // expected-error @+1 {{expected an offset that is a multiple of 16 bytes, got 8}}
  %m = frag.shared 8 : !m
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
  // expected-error @+1 {{expected 'barriers' on a ring, got '!frag.mem<16x32xf16, #tile.shared<order = [1, 0]>>'}}
  %m = frag.shared 0 barriers 1024 : !m
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
  // expected-error @+1 {{expected 'barriers' at a multiple of 8 bytes, got 12}}
  %m = frag.shared 0 barriers 12 : !ring
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
  %m = frag.shared 0 : !m
  // expected-error @+1 {{expected a fragment of 'f16' as in memory, got 'f32'}}
  %x = frag.read %m[%z, %z] : !m -> !frag.f<16x32xf32, #r>
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
  %m = frag.shared 0 : !m
  // expected-error @+1 {{expected 2 offsets, one a dimension, got 1}}
  %x = frag.read %m[%z] : !m -> !frag.f<16x32xf16, #r>
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
  %m = frag.shared 0 : !frag.mem<16xf32, #tile.shared<order = [0]>>
  %c = frag.splat %f : f32 -> !acc
  // expected-error @+1 {{expected a fragment of at most rank 1, got 2}}
  frag.write %c, %m[%z] : !acc, !frag.mem<16xf32, #tile.shared<order = [0]>>
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
  %m = frag.shared 0 : !frag.mem<16xf32, #tile.shared<order = [0]>>
  // expected-error @+1 {{expected a full layout, got the partial #tile.slice<1,}}
  %x = frag.read %m[%z] : !frag.mem<16xf32, #tile.shared<order = [0]>> -> !sum
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
  %m = frag.shared 0 : !frag.mem<16x32xf32, #s>
  %x = frag.splat %f : f32 -> !frag.f<16xf32, #tile.slice<1, #o, partial = max>>
  // expected-error @+1 {{what is to be combined takes shared memory of 16x16}}
  frag.write %x, %m[%z, %z] : !frag.f<16xf32, #tile.slice<1, #o, partial = max>>, !frag.mem<16x32xf32, #s>
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
  %m = frag.shared 0 : !m
  // expected-error @+1 {{expected 'in_bounds' on reads of views only}}
  %x = frag.read %m[%z, %z] in_bounds : !m -> !frag.f<16x32xf16, #r>
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
  %u = tile.view %p[%n] : !tile.ptr<f16> -> !tile.view<?xf16, strides = [1]>
  // expected-error @+1 {{expected 'trans' on a source of rank 2, got rank 1}}
  %x = frag.read %u[%z] trans : !tile.view<?xf16, strides = [1]> -> !frag.f<32xf16, #tile.slice<0, #r>>
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
  %m = frag.shared 0 : !m
  // expected-error @+1 {{expected 'broadcast' into a slice of a layout, got #tile.regs<}}
  %x = frag.read %m[%z, %z] broadcast : !m -> !frag.f<16x32xf16, #r>
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
  // expected-error @+1 {{expected a value of 'f32', got 'i32'}}
  %x = frag.splat %c0 : i32 -> !acc
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
  // expected-error @+1 {{expected a layout with coordinates, got #tile.opaque<}}
  %x = frag.iota 0 : !frag.f<16x16xindex, #o>
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
  // expected-error @+1 {{expected a dimension below 2, got 2}}
  %x = frag.iota 2 : !frag.f<16x8xindex, #acc>
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
  // expected-error @+1 {{expected the layout and element type of '!frag.f<16x8xf32,}}
  %x = frag.slice %c [0, 0] : !acc -> !frag.f<16x8xf16, #acc>
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
  // expected-error @+1 {{expected 2 offsets, got 1}}
  %x = frag.slice %c [0] : !acc -> !acc
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
  %c = frag.splat %f : f32 -> !frag.f<16x32xf32, #acc>
  // expected-error @+1 {{expected an offset at repetitions of 8 within 32 in dimension 1, got 4}}
  %x = frag.slice %c [0, 4] : !frag.f<16x32xf32, #acc> -> !frag.f<16x8xf32, #acc>
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
  // expected-error @+1 {{expected 1 region arguments, one an input, got 0}}
  %x = frag.map(%c : !acc) -> !acc {
    frag.yield %f : f32
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
  // expected-error @+1 {{expected region argument #0 to be 'f32', got 'f16'}}
  %x = frag.map(%c : !acc) -> !acc {
  ^bb0(%e: f16):
    frag.yield %f : f32
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
  // expected-error @+1 {{expected the region to yield 1 elements}}
  %x = frag.map(%c : !acc) -> !acc {
  ^bb0(%e: f32):
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
  // expected-error @+1 {{expected the region to yield 'f16', got 'f32'}}
  %x = frag.map(%c : !acc) -> !frag.f<16x8xf16, #acc> {
  ^bb0(%e: f32):
    frag.yield %e : f32
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
  // expected-error @+1 {{expected at least one result}}
  "frag.map"(%c) ({
  ^bb0(%e: f32):
    frag.yield
  }) : (!acc) -> ()
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
  // expected-error @+1 {{expected inputs in the result's layout #tile.acc<#spv.simt}}
  %x = frag.map(%c : !acc) -> !frag.f<16x8xf32, #tile.acc<#spv.simt<block = [2, 2, 1], lanes = [8, 4], f32, f32, f32>, groups = [1, 1]>> {
  ^bb0(%e: f32):
    frag.yield %e : f32
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
  %c = frag.splat %f : f32 -> !frag.f<32xf32, #row>
  // expected-error @+1 {{expected inputs of the result's shape or of a slice of it, got '!frag.f<32xf32}}
  %x = frag.map(%c : !frag.f<32xf32, #row>) -> !acc {
  ^bb0(%e: f32):
    frag.yield %e : f32
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
  %c = frag.splat %f : f32 -> !frag.f<16xf32, #tile.slice<1, #tile.regs<vec = [1, 4], lanes = [4, 8], groups = [1, 1]>>>
  // expected-error @+1 {{expected a slice of the result's layout #tile.acc<#ptx.mma_sync<[16, 8, 16], f16, f16, f32>, groups = [1, 1]>, got #tile.slice<1, #tile.regs<}}
  %x = frag.map(%c : !frag.f<16xf32, #tile.slice<1, #tile.regs<vec = [1, 4], lanes = [4, 8], groups = [1, 1]>>>) -> !acc {
  ^bb0(%e: f32):
    frag.yield %e : f32
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
  // expected-error @+1 {{expected results of one shape and layout, got}}
  %x:2 = frag.map(%c : !acc) -> !acc, !row {
  ^bb0(%e: f32):
    frag.yield %e, %e : f32, f32
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
  %x = frag.map(%c : !acc) -> !acc {
  ^bb0(%e: f32):
    // expected-error @+1 {{may not stand in a frag.map; expected pure scalar ops}}
    %i = frag.next %n
    frag.yield %e : f32
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
  %c = frag.splat %f : f32 -> !sum
  %x = frag.map(%c : !sum) -> !sum {
  ^bb0(%e: f32):
    // expected-error @+1 {{is not closed for partial operands (add)}}
    %y = math.exp2 %e : f32
    frag.yield %y : f32
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
  %c = frag.splat %f : f32 -> !sum
  // expected-error @+1 {{expected the type of result #0 to say partial = add, got partial = none}}
  %x = frag.map(%c : !sum) -> !row {
  ^bb0(%e: f32):
    frag.yield %e : f32
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
  // expected-error @+1 {{expected a vote (or) with an i1 result over all lanes, got 'f32'}}
  %x = frag.reduce or %c, all : !acc -> f32
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
  // expected-error @+1 {{expected scope lane, group or all, got workgroup}}
  %x = frag.reduce add %c, workgroup : !acc -> !row
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
  // expected-error @+1 {{expected a fragment of 'f32', got '!frag.f<16xf16,}}
  %x = frag.reduce add %c, lane dim 1 : !acc -> !frag.f<16xf16, #sum>
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
  // expected-error @+1 {{expected the reduced 'dim' of a reduction within a lane, below 2}}
  %x = frag.reduce add %c, lane : !acc -> !sum
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
  // expected-error @+1 {{expected add, max or or, got min; negate and take max}}
  %x = frag.reduce min %c, lane dim 1 : !acc -> !sum
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
  // expected-error @+1 {{expected a result in layout #tile.slice<1, #tile.acc<#ptx.mma_sync<[16, 8, 16], f16, f16, f32>, groups = [1, 1]>, partial = add>, got '!frag.f<16xf32}}
  %x = frag.reduce add %c, lane dim 1 : !acc -> !row
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
  %c = frag.splat %f : f32 -> !row
  // expected-error @+1 {{expected a fragment with partial = add to combine over its lanes, got #tile.slice<1,}}
  %x = frag.reduce add %c, group : !row -> !row
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
  %c = frag.splat %f : f32 -> !frag.f<16xf32, #tile.slice<1, #o, partial = add>>
  // expected-error @+1 {{expected a layout with coordinates, got #tile.slice<1, #tile.opaque<}}
  %x = frag.reduce add %c, group : !frag.f<16xf32, #tile.slice<1, #o, partial = add>> -> !frag.f<16xf32, #tile.slice<1, #o>>
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
  // expected-error @+1 {{expected the same tile in another layout, got}}
  %x = frag.permute %c : !acc -> !frag.f<16x8xf16, #acc>
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
  %c = frag.splat %f : f32 -> !frag.f<16x16xf32, #o>
  // expected-error @+1 {{expected a bijection between lanes and registers of both layouts; others go through shared memory}}
  %x = frag.permute %c : !frag.f<16x16xf32, #o> -> !frag.f<16x16xf32, #acc>
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
  // expected-error @+1 {{expected scope subgroup, replica or workgroup, got lane}}
  frag.barrier lane
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
  %h = arith.constant 0.0 : f16
  %a = frag.splat %h : f16 -> !frag.f<16x16xf16, #a>
  %b = frag.splat %h : f16 -> !frag.f<16x8xf16, #b>
  %c = frag.splat %f : f32 -> !acc
  // expected-error @+1 {{expected an asynchronous instruction, got #ptx.mma_sync<[16, 8, 16], f16, f16, f32>; use frag.mma}}
  %d, %t = frag.mma_start #mma %a, %b, %c : !acc : !frag.f<16x16xf16, #a>, !frag.f<16x8xf16, #b> -> !frag.inflight<!frag.f<16x8xf32, #acc>>, !tok
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
  %h = arith.constant 0.0 : f16
  %a = frag.splat %h : f16 -> !frag.f<16x16xf16, #a>
  %b = frag.splat %h : f16 -> !frag.f<16x8xf16, #b>
  %c = frag.splat %f : f32 -> !acc
  // expected-error @+1 {{expected a synchronous instruction, got #ptx.wgmma<n = 64, f16, f16, f32>; use frag.mma_start}}
  %d = frag.mma #wg %a, %b, %c : !frag.f<16x16xf16, #a>, !frag.f<16x8xf16, #b>, !acc
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
  %h = arith.constant 0.0 : f16
  %a = frag.splat %h : f16 -> !frag.f<16x32xf16, #a>
  %b = frag.splat %h : f16 -> !frag.f<16x8xf16, #b>
  %c = frag.splat %f : f32 -> !acc
  // expected-error @+1 {{expected m x k, k x n and m x n, got 16x32, 16x8 and 16x8}}
  %d = frag.mma #mma %a, %b, %c : !frag.f<16x32xf16, #a>, !frag.f<16x8xf16, #b>, !acc
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
  %h = arith.constant 0.0 : f16
  %x = frag.splat %h : f16 -> !frag.f<16x16xf16, #b>
  %b = frag.splat %h : f16 -> !frag.f<16x8xf16, #b>
  %c = frag.splat %f : f32 -> !acc
  // expected-error @+1 {{expected side a of #ptx.mma_sync<[16, 8, 16], f16, f16, f32> in registers, got #tile.operand<b}}
  %d = frag.mma #mma %x, %b, %c : !frag.f<16x16xf16, #b>, !frag.f<16x8xf16, #b>, !acc
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
  %h = arith.constant 0.0 : bf16
  %b = frag.splat %h : bf16 -> !frag.f<16x8xbf16, #b>
  %a = frag.splat %h : bf16 -> !frag.f<16x16xbf16, #a>
  %c = frag.splat %f : f32 -> !acc
  // expected-error @+1 {{expected 'f16' on side a of #ptx.mma_sync<[16, 8, 16], f16, f16, f32>, got 'bf16'}}
  %d = frag.mma #mma %a, %b, %c : !frag.f<16x16xbf16, #a>, !frag.f<16x8xbf16, #b>, !acc
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
frag.kernel @k(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}) attributes {threads = 128 : i64, shared_bytes = 65664 : i64} {
  %z = arith.constant 0 : index
  %c0 = arith.constant 0 : i32
  %f = arith.constant 0.0 : f32
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f16> -> !v
  %m = frag.shared 0 : !w
  // expected-error @+1 {{expected a token of engine 'wgmma', got 'tensor'}}
  %d, %t = frag.mma_start #wg %m, %m : !w, !w -> !fly, !frag.token<"tensor">
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
frag.kernel @k(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}) attributes {threads = 128 : i64, shared_bytes = 65664 : i64} {
  %z = arith.constant 0 : index
  %c0 = arith.constant 0 : i32
  %f = arith.constant 0.0 : f32
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f16> -> !v
  %m = frag.shared 0 : !w
  %x = frag.splat %f : f32 -> !frag.f<64x128xf32, #wacc>
  // expected-error @+1 {{expected an accumulator of '!frag.f<64x64xf32,}}
  %d, %t = frag.mma_start #wg %m, %m, %x : !frag.f<64x128xf32, #wacc> : !w, !w -> !fly, !tok
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
frag.kernel @k(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}) attributes {threads = 128 : i64, shared_bytes = 65664 : i64} {
  %z = arith.constant 0 : index
  %c0 = arith.constant 0 : i32
  %f = arith.constant 0.0 : f32
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f16> -> !v
  %h = arith.constant 0.0 : f16
  %x = frag.splat %h : f16 -> !frag.f<64x64xf16, #wa>
  %m = frag.shared 0 : !w
  // expected-error @+1 {{expected 'trans' on an operand in shared memory, got '!frag.f<64x64xf16,}}
  %d, %t = frag.mma_start #wg %x trans, %m : !frag.f<64x64xf16, #wa>, !w -> !fly, !tok
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
frag.kernel @k(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}) attributes {threads = 128 : i64, shared_bytes = 65664 : i64} {
  %z = arith.constant 0 : index
  %c0 = arith.constant 0 : i32
  %f = arith.constant 0.0 : f32
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f16> -> !v
  %m = frag.shared 0 : !frag.mem<64x16xf16, #s>
  %q = frag.shared 4096 : !frag.mem<16x32xf16, #s>
  // expected-error @+1 {{expected whole instructions of 64x64x16, got 64x32x16}}
  %d, %t = frag.mma_start #wg %m, %q : !frag.mem<64x16xf16, #s>, !frag.mem<16x32xf16, #s> -> !frag.inflight<!frag.f<64x32xf32, #wacc>>, !tok
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
frag.kernel @k(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}) attributes {threads = 128 : i64, shared_bytes = 65664 : i64} {
  %z = arith.constant 0 : index
  %c0 = arith.constant 0 : i32
  %f = arith.constant 0.0 : f32
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f16> -> !v
  %m = frag.shared 0 : !w
  %d, %t = frag.mma_start #wg %m, %m : !w, !w -> !fly, !tok
  // expected-error @+1 {{expected one result for each landed value and each value that goes through, got 0}}
  "frag.await"(%t, %d) <{operandSegmentSizes = array<i32: 1, 1, 0>}> : (!tok, !fly) -> ()
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
  // expected-error @+1 {{expected a range of lanes, got [8, 8)}}
  frag.role lanes(8 to 8) {
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
  // expected-error @+1 {{expected replicas that divide 32 lanes, got 12 lanes each}}
  frag.role lanes(0 to 32 by 12) {
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
  // expected-error @+1 {{expected at most one argument, the replica's number, got 2}}
  frag.role lanes(0 to 32 by 16) {
  ^bb0(%r: index, %q: index):
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
  // expected-error @+1 {{expected a register budget that is a multiple of 8 in [24, 256], got 100}}
  frag.role lanes(0 to 32) regs(100) {
    frag.yield
  }
  frag.return
}

// -----

frag.kernel @k(%p: !tile.ptr<i32>, %n: index) attributes {threads = 32 : i64} {
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<i32> -> !tile.view<?x?xi32, strides = [?, 1]>
  // expected-error @+1 {{expected an offset a dimension of the view, 2, got 1}}
  %e = frag.element %v[%n] : !tile.view<?x?xi32, strides = [?, 1]> -> i32
  frag.return
}

// -----

frag.kernel @k(%p: !tile.ptr<i8>, %n: index) attributes {threads = 32 : i64} {
  %v = tile.view %p[%n] : !tile.ptr<i8> -> !tile.view<?xi8, strides = [1]>
  // expected-error @+1 {{expected a view of 'i32' that is neither packed nor gathered, got}}
  %e = frag.element %v[%n] : !tile.view<?xi8, strides = [1]> -> i32
  frag.return
}
