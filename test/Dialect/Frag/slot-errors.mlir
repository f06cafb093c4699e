// RUN: helios-opt --split-input-file --verify-diagnostics %s

// Slots of level 3 and what passes through them.

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
  %ring = frag.shared 0 barriers 65536 : !ring
  %s, %c1 = frag.acquire read %ring[%c0] : !ring
  // expected-error @+1 {{expected an index below 2 into the slot, got 2}}
  %m = frag.slot_mem %s[2] : !w
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
  %ring = frag.shared 0 barriers 65536 : !ring
  %s, %c1 = frag.acquire read %ring[%c0] : !ring
  // expected-error @+1 {{expected a part of the slot's 'tensor<64x64xf16, #tile.shared<order = [1, 0], swizzle = 128>>', got '!frag.mem<64x64xf32}}
  %m = frag.slot_mem %s[0] : !frag.mem<64x64xf32, #sw>
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
  %ring = frag.shared 0 barriers 65536 : !ring
  %s, %c1 = frag.acquire read %ring[%c0] : !ring
  // expected-error @+1 {{expected a part of the slot's 'index', got '!frag.mem<64x64xf16}}
  %m = frag.slot_mem %s[1] : !w
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
  %ring = frag.shared 0 barriers 65536 : !ring
  %s, %c1 = frag.acquire read %ring[%c0] : !ring
  // expected-error @+1 {{expected 2 offsets, one a dimension, got 1}}
  %m = frag.slot_mem %s[0] at [%z] : !w
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
  %ring = frag.shared 0 barriers 65536 : !ring
  %s, %c1 = frag.acquire read %ring[%c0] : !ring
  // expected-error @+1 {{expected offsets for a part of the slot's 'tensor<64x64xf16}}
  %m = frag.slot_mem %s[0] : !frag.mem<32x64xf16, #sw>
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
  %ring = frag.shared 0 barriers 65536 : !ring
  %s, %c1 = frag.acquire read %ring[%c0] : !ring
  // expected-error @+1 {{expected the slot's 'index', got 'i32'}}
  %m = frag.slot_get %s[1] : i32
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
  %ring = frag.shared 0 barriers 65536 : !ring
  %s, %c1 = frag.acquire write %ring[%c0] : !ring
  // expected-error @+1 {{expected a slot acquired to read, got one to write}}
  %m = frag.slot_get %s[1] : index
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
  %ring = frag.shared 0 barriers 65536 : !ring
  %s, %c1 = frag.acquire read %ring[%c0] : !ring
  // expected-error @+1 {{expected a slot acquired to write, got one to read}}
  frag.slot_put %n into %s[1] : index
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
  %m = frag.shared 0 : !frag.mem<64x64xf32, #sw>
  // expected-error @+1 {{expected a view of 'f32' as in shared memory, got one of 'f16'}}
  %t = frag.copy_in #ptx.bulk %v[%z, %z] into %m : !v -> !frag.mem<64x64xf32, #sw>
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
  %m = frag.shared 0 : !w
  // expected-error @+1 {{expected 2 offsets, one a dimension of the view, got 1}}
  %t = frag.copy_in #ptx.bulk %v[%z] into %m : !v -> !w
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
  %m = frag.shared 0 : !w
  // expected-error @+1 {{expected a tile of at most rank 1, got rank 2}}
  %t = frag.copy_in #ptx.bulk %u[%z] into %m : !tile.view<?xf16, strides = [1]> -> !w
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
  %m = frag.shared 0 : !frag.mem<64x64xf16, #tile.shared<order = [1, 0], pad = 8>>
  // expected-error @+1 {{expected a tile without padding for a bulk copy}}
  %t = frag.copy_in #ptx.bulk %v[%z, %z] into %m : !v -> !frag.mem<64x64xf16, #tile.shared<order = [1, 0], pad = 8>>
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
  %m = frag.shared 0 : !w
  // expected-error @+1 {{expected a copy engine that can reduce into memory, got #ptx.async16}}
  %t = frag.copy_out #ptx.async16 %m to %v[%z, %z] reduce add : !w -> !v
  frag.return
}

// -----

// Never released.
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
  %ring = frag.shared 0 barriers 65536 : !ring
  // expected-error @+1 {{expected exactly one release of this slot on every path, got 0}}
  %s, %c1 = frag.acquire read %ring[%c0] : !ring
  frag.return
}

// -----

// Released in every iteration.
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
  %ring = frag.shared 0 barriers 65536 : !ring
  %s, %c1 = frag.acquire read %ring[%c0] : !ring
  // expected-note @+1 {{carry it through this loop}}
  scf.for %i = %z to %n step %n {
    // expected-error @+1 {{uses up a slot from outside the loop, once an iteration; carry it through the loop, or release it outside}}
    frag.release %s
  }
  frag.return
}

// -----

// Invariant 19: a pending product still reads the slot.
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
  // expected-note @+1 {{this one is missing}}
  %d, %t = frag.mma_start #wg %m, %m : !w, !w -> !fly, !tok
  // expected-error @+1 {{expected 'after' to name the token of everything that uses the slot asynchronously}}
  frag.release %s
  %x = frag.await %t(%d : !fly) : !tok -> !W
  frag.return
}

// -----

// A copy still writes it.
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
  %ring = frag.shared 0 barriers 65536 : !ring
  %s, %c1 = frag.acquire write %ring[%c0] : !ring
  %m = frag.slot_mem %s[0] : !w
  // expected-note @+1 {{this one is missing}}
  %t = frag.copy_in #ptx.bulk %v[%z, %z] into %m : !v -> !w
  // expected-error @+1 {{expected 'after' to name the token of everything that uses the slot asynchronously}}
  frag.release %s
  frag.return
}

// -----

// Read after the release.
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
  %ring = frag.shared 0 barriers 65536 : !ring
  %s, %c1 = frag.acquire read %ring[%c0] : !ring
  %m = frag.slot_mem %s[0] : !w
  // expected-note @+1 {{released here}}
  frag.release %s
  // expected-error @+1 {{uses the memory of a slot that has been released}}
  %x = frag.read %m[%z, %z] : !w -> !frag.f<64x64xf16, #r>
  frag.return
}

// -----

// A younger product of the same engine covers an older one: no error.
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
  %d, %t = frag.mma_start #wg %m, %m : !w, !w -> !fly, !tok
  %d1, %t1 = frag.mma_start #wg %m, %m, %d : !fly : !w, !w -> !fly, !tok
  frag.release %s after(%t1 : !tok)
  %x = frag.await %t1(%d1 : !fly) : !tok -> !W
  frag.return
}

// -----

#wg = #ptx.wgmma<n = 64, f16, f16, f32>
#wacc = #tile.acc<#wg, groups = [1, 1]>
#sw = #tile.shared<order = [1, 0], swizzle = 128>
!w = !frag.mem<64x64xf16, #sw>
!W = !frag.f<64x64xf32, #wacc>
!fly = !frag.inflight<!frag.f<64x64xf32, #wacc>>
!tok = !frag.token<"wgmma">
!ring = !frag.ring<!tile.ring<2x(tensor<64x64xf16, #sw>), load, copy = #ptx.bulk>>

// A slot held over iterations: the products that read it have landed wherever it is handed back.
frag.kernel @held(%n: index, %more: i1) attributes {threads = 128 : i64, shared_bytes = 16416 : i64} {
  %z = arith.constant 0 : index
  %o = arith.constant 1 : index
  %c0 = arith.constant 0 : i32
  %ring = frag.shared 0 barriers 16384 : !ring
  %s0, %c1 = frag.acquire read %ring[%c0] : !ring
  %last:2 = scf.for %i = %z to %n step %o iter_args(%s = %s0, %c = %c1) -> (!frag.slot, i32) {
    %m = frag.slot_mem %s[0] : !w
    %d, %t = frag.mma_start #wg %m, %m : !w, !w -> !fly, !tok
    %y = frag.await %t (%d : !fly) : !tok -> !W
    %next:2 = scf.if %more -> (!frag.slot, i32) {
      frag.release %s
      %sn, %cn = frag.acquire read %ring[%c] : !ring
      %mn = frag.slot_mem %sn[0] : !w
      %dn, %tn = frag.mma_start #wg %mn, %mn : !w, !w -> !fly, !tok
      %yn = frag.await %tn (%dn : !fly) : !tok -> !W
      scf.yield %sn, %cn : !frag.slot, i32
    } else {
      scf.yield %s, %c : !frag.slot, i32
    }
    scf.yield %next#0, %next#1 : !frag.slot, i32
  }
  frag.release %last#0
  frag.return
}

// -----

#wg = #ptx.wgmma<n = 64, f16, f16, f32>
#wacc = #tile.acc<#wg, groups = [1, 1]>
#sw = #tile.shared<order = [1, 0], swizzle = 128>
!w = !frag.mem<64x64xf16, #sw>
!W = !frag.f<64x64xf32, #wacc>
!fly = !frag.inflight<!frag.f<64x64xf32, #wacc>>
!tok = !frag.token<"wgmma">
!ring = !frag.ring<!tile.ring<2x(tensor<64x64xf16, #sw>), load, copy = #ptx.bulk>>

// The product of one iteration is pending where the next hands the slot back.
frag.kernel @early(%n: index) attributes {threads = 128 : i64, shared_bytes = 16416 : i64} {
  %z = arith.constant 0 : index
  %o = arith.constant 1 : index
  %c0 = arith.constant 0 : i32
  %ring = frag.shared 0 barriers 16384 : !ring
  %s0, %c1 = frag.acquire read %ring[%c0] : !ring
  %m0 = frag.slot_mem %s0[0] : !w
  %d0, %t0 = frag.mma_start #wg %m0, %m0 : !w, !w -> !fly, !tok
  %y0 = frag.await %t0 (%d0 : !fly) : !tok -> !W
  %s1, %c2 = frag.acquire read %ring[%c1] : !ring
  %m1 = frag.slot_mem %s1[0] : !w
  %d1, %t1 = frag.mma_start #wg %m1, %m1 : !w, !w -> !fly, !tok
  %last:4 = scf.for %i = %z to %n step %o iter_args(%s = %s1, %d = %d1, %t = %t1, %c = %c2) -> (!frag.slot, !fly, !tok, i32) {
    // expected-error @+1 {{expected 'after' to name the token of everything that uses the slot asynchronously}}
    frag.release %s
    %y = frag.await %t (%d : !fly) : !tok -> !W
    %sn, %cn = frag.acquire read %ring[%c] : !ring
    %mn = frag.slot_mem %sn[0] : !w
    // expected-note @+1 {{this one is missing}}
    %dn, %tn = frag.mma_start #wg %mn, %mn : !w, !w -> !fly, !tok
    scf.yield %sn, %dn, %tn, %cn : !frag.slot, !fly, !tok, i32
  }
  frag.release %s0
  %y = frag.await %last#2 (%last#1 : !fly) : !tok -> !W
  frag.release %last#0
  frag.return
}

// -----

#sw = #tile.shared<order = [1, 0], swizzle = 128>
!v = !tile.view<?x?xf16, strides = [?, 1], div = [8, 1], align = 16>
!ring = !frag.ring<!tile.ring<2x(tensor<64x64xf16, #sw>), load, copy = #ptx.bulk>>

frag.kernel @side(%p: !tile.ptr<f16>, %n: index, %ld: index {tile.div = 8 : index}) attributes {threads = 128 : i64, shared_bytes = 16416 : i64} {
  %z = arith.constant 0 : index
  %c0 = arith.constant 0 : i32
  %V = tile.view %p[%n, %n] strides [%ld] : !tile.ptr<f16> -> !v
  %ring = frag.shared 0 barriers 16384 : !ring
  // expected-note @+1 {{acquired here}}
  %s, %c1 = frag.acquire read %ring[%c0] : !ring
  %m = frag.slot_mem %s[0] : !frag.mem<64x64xf16, #sw>
  // expected-error @+1 {{expected a slot that was acquired to write, got one to read}}
  %t = frag.copy_in #ptx.bulk %V[%z, %z] into %m : !v -> !frag.mem<64x64xf16, #sw>
  frag.release %s after(%t : !tile.token)
  frag.return
}

// -----

#s = #tile.shared<order = [1, 0]>
!v = !tile.view<?x?xf16, strides = [?, 1], div = [8, 1]>
frag.kernel @inside(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}) attributes {threads = 32 : i64, shared_bytes = 512 : i64} {
  %z = arith.constant 0 : index
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f16> -> !v
  %m = frag.shared 0 : !frag.mem<8x32xf16, #s>
  // expected-error @+1 {{expected 'inside' to list dimensions below 2 in order, got [1, 0]}}
  %t = frag.copy_in #ptx.async16 %v[%z, %z] into %m {inside = array<i64: 1, 0>} : !v -> !frag.mem<8x32xf16, #s>
  frag.return
}

// -----

#s = #tile.shared<order = [1, 0]>
!m = !frag.mem<64x64xf32, #s>
!ring = !frag.ring<!tile.ring<1x(tensor<64x64xf32, #s>), pass, scope = cluster, cluster = 2>>
frag.kernel @k() attributes {threads = 32 : i64, shared_bytes = 16400 : i64, cluster = 2 : i64} {
  %c0 = arith.constant 0 : i32
  %ring = frag.shared 0 barriers 16384 : !ring
  %s, %c1 = frag.acquire read %ring[%c0] : !ring
  // expected-error @+1 {{expected a slot acquired to read of a pass ring of a cluster with a workgroup 2, got one to read of}}
  %m = frag.slot_mem %s[0] of 2 : !m
  frag.release %s
  frag.return
}

// -----

// Nobody writes into the slot of another workgroup.

#s = #tile.shared<order = [1, 0]>
!m = !frag.mem<64x64xf32, #s>
!ring = !frag.ring<!tile.ring<1x(tensor<64x64xf32, #s>), pass, scope = cluster, cluster = 2>>
frag.kernel @k() attributes {threads = 32 : i64, shared_bytes = 16400 : i64, cluster = 2 : i64} {
  %c0 = arith.constant 0 : i32
  %ring = frag.shared 0 barriers 16384 : !ring
  %s, %c1 = frag.acquire write %ring[%c0] : !ring
  // expected-error @+1 {{expected a slot acquired to read of a pass ring of a cluster with a workgroup 1, got one to write of}}
  %m = frag.slot_mem %s[0] of 1 : !m
  frag.release %s
  frag.return
}
