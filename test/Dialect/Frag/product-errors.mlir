// RUN: helios-opt --split-input-file --verify-diagnostics %s

// Invariants 17 and 18: products in flight.

// -----

// 17: never awaited.
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
  // expected-error @+1 {{expected exactly one await or accumulation of this value in flight on every path, got 0}}
  %d, %t = frag.mma_start #wg %m, %m : !w, !w -> !fly, !tok
  frag.release %s after(%t : !tok)
  frag.return
}

// -----

// 17: used twice.
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
  // expected-error @+1 {{expected exactly one await or accumulation of this value in flight on every path, got 2}}
  %d, %t = frag.mma_start #wg %m, %m : !w, !w -> !fly, !tok
  // expected-note @+1 {{used here}}
  %x = frag.await %t(%d : !fly) : !tok -> !W
  // expected-note @+1 {{used here}}
  %y = frag.await %t(%d : !fly) : !tok -> !W
  frag.release %s after(%t : !tok)
  frag.return
}

// -----

// 17: not in a branch.
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
  %k = arith.cmpi eq, %n, %z : index
  scf.if %k {
    // expected-error @+1 {{uses a value in flight from outside the branch; await it there}}
    %x = frag.await %t(%d : !fly) : !tok -> !W
  }
  frag.release %s after(%t : !tok)
  frag.return
}

// -----

// 17: nor out of one.
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
  %k = arith.cmpi eq, %n, %z : index
  %q:2 = scf.if %k -> (!fly, !tok) {
    %d, %t = frag.mma_start #wg %m, %m : !w, !w -> !fly, !tok
    // expected-error @+1 {{may not pass a value in flight out of a branch; await it there}}
    scf.yield %d, %t : !fly, !tok
  } else {
    %d, %t = frag.mma_start #wg %m, %m : !w, !w -> !fly, !tok
    scf.yield %d, %t : !fly, !tok
  }
  %x = frag.await %q#1(%q#0 : !fly) : !tok -> !W
  frag.release %s after(%q#1 : !tok)
  frag.return
}

// -----

// An await retires what is older, not what is younger.
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
  // expected-note @+1 {{its product starts here}}
  %d1, %t1 = frag.mma_start #wg %m, %m : !w, !w -> !fly, !tok
  // expected-error @+1 {{lands a value of a product younger than the awaited token; await its own token}}
  %x = frag.await %t(%d1 : !fly) : !tok -> !W
  %y = frag.await %t1(%d : !fly) : !tok -> !W
  frag.release %s after(%t1 : !tok)
  frag.return
}

// -----

// A value in flight is carried with its token.
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
  // expected-note @+1 {{this token}}
  %d, %t = frag.mma_start #wg %m, %m : !w, !w -> !fly, !tok
  // expected-error @+1 {{carries a value in flight without its token}}
  %x = scf.for %i = %z to %n step %n iter_args(%q = %d) -> (!fly) {
    scf.yield %q : !fly
  }
  %y = frag.await %t(%x : !fly) : !tok -> !W
  frag.release %s after(%t : !tok)
  frag.return
}

// -----

// What a loop carries keeps its order.
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
  %d1, %t1 = frag.mma_start #wg %m, %m : !w, !w -> !fly, !tok
  // expected-error @+1 {{expected the tokens that the loop carries in one order of age at its start and at its end}}
  %x:4 = scf.for %i = %z to %n step %n iter_args(%q = %d, %u = %t, %q1 = %d1, %u1 = %t1) -> (!fly, !tok, !fly, !tok) {
    scf.yield %q1, %u1, %q, %u : !fly, !tok, !fly, !tok
  }
  %y:2 = frag.await %x#3(%x#0, %x#2 : !fly, !fly) : !tok -> !W, !W
  frag.release %s after(%x#3, %x#1 : !tok, !tok)
  frag.return
}

// -----

// 18: the operand may be overwritten before the product has read it.
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
  %h = arith.constant 0.0 : f16
  %a0 = frag.splat %h : f16 -> !frag.f<64x64xf16, #wa>
  %q = scf.for %i = %z to %n step %n iter_args(%a = %a0) -> (!frag.f<64x64xf16, #wa>) {
    // expected-error @+1 {{expected its operand in registers to live to the await; name it in 'through' there}}
    %d, %t = frag.mma_start #wg %a, %m : !frag.f<64x64xf16, #wa>, !w -> !fly, !tok
    // expected-note @+1 {{this await}}
    %x = frag.await %t(%d : !fly) : !tok -> !W
    %b = frag.map(%x : !W) -> !frag.f<64x64xf16, #wa> {
    ^bb0(%e: f32):
      %y = arith.truncf %e : f32 to f16
      frag.yield %y : f16
    }
    scf.yield %b : !frag.f<64x64xf16, #wa>
  }
  frag.release %s
  frag.return
}

// -----

// 18: what replaces it may be computed above the await.
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
  %h = arith.constant 0.0 : f16
  %a0 = frag.splat %h : f16 -> !frag.f<64x64xf16, #wa>
  %q = scf.for %i = %z to %n step %n iter_args(%a = %a0) -> (!frag.f<64x64xf16, #wa>) {
    // expected-error @+1 {{expected what replaces its operand in the next iteration to be computed from the results of the await}}
    %d, %t = frag.mma_start #wg %a, %m : !frag.f<64x64xf16, #wa>, !w -> !fly, !tok
    %b = frag.splat %h : f16 -> !frag.f<64x64xf16, #wa>
    // expected-note @+1 {{this await; name the source in 'through'}}
    %x, %a1 = frag.await %t(%d : !fly) through(%a : !frag.f<64x64xf16, #wa>) : !tok -> !W, !frag.f<64x64xf16, #wa>
    scf.yield %b : !frag.f<64x64xf16, #wa>
  }
  frag.release %s
  frag.return
}

// -----

// 18: a product that outlives its iteration takes nothing that changes.
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
  %h = arith.constant 0.0 : f16
  %a0 = frag.splat %h : f16 -> !frag.f<64x64xf16, #wa>
  %d0, %t0 = frag.mma_start #wg %m, %m : !w, !w -> !fly, !tok
  %q:3 = scf.for %i = %z to %n step %n iter_args(%a = %a0, %d = %d0, %t = %t0) -> (!frag.f<64x64xf16, #wa>, !fly, !tok) {
    // expected-error @+1 {{reads an operand from registers but is not awaited in its block; expected an operand from outside the loop or an await here}}
    %d1, %t1 = frag.mma_start #wg %a, %m, %d : !fly : !frag.f<64x64xf16, #wa>, !w -> !fly, !tok
    scf.yield %a, %d1, %t1 : !frag.f<64x64xf16, #wa>, !fly, !tok
  }
  %x = frag.await %q#2(%q#1 : !fly) : !tok -> !W
  frag.release %s after(%q#2, %t0 : !tok, !tok)
  frag.return
}
