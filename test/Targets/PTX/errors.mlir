// RUN: helios-opt %s --convert-frag-to-ptx --split-input-file --verify-diagnostics
//
// What the PTX target does not lower is an error that names the op.

// expected-error@+1 {{expected a target #ptx.target, got unit; run helios-set-target}}
frag.kernel @target() attributes {threads = 32 : i64} {
  frag.return
}

// -----

#rows = #tile.regs<vec = [1], lanes = [32], groups = [1]>
frag.kernel @clamp(%x: f32) attributes {threads = 32 : i64, target = #ptx.target<"sm_89">} {
  // expected-error@+1 {{'math.clampf' op is not lowered to PTX yet; write it with other functions of math}}
  %y = math.clampf %x to [%x, %x] : f32
  frag.return
}

// -----

#s = #tile.shared<order = [1, 0], swizzle = 64>
!m = !frag.mem<32x32xf16, #s>
frag.kernel @place(%x: f16) attributes {threads = 32 : i64, shared_bytes = 4096 : i64, target = #ptx.target<"sm_89">} {
  %z = arith.constant 0 : index
  %m = frag.shared 256 : !m
  %f = frag.splat %x : f16 -> !frag.f<32x32xf16, #tile.regs<vec = [1, 8], lanes = [8, 4], groups = [1, 1]>>
  // expected-error@+1 {{expected memory at a multiple of 512 bytes for #tile.shared<order = [1, 0], swizzle = 64>, got 256}}
  frag.write %f, %m[%z, %z] : !frag.f<32x32xf16, #tile.regs<vec = [1, 8], lanes = [8, 4], groups = [1, 1]>>, !m
  frag.return
}

// -----

#s = #tile.shared<order = [1, 0]>
!ring = !frag.ring<!tile.ring<2x(tensor<32x32xf16, #s>), load, copy = #ptx.async16>>
frag.kernel @narrow(%p: !tile.ptr<f16>, %n: index) attributes {threads = 32 : i64, shared_bytes = 4096 : i64, target = #ptx.target<"sm_89">} {
  %z = arith.constant 0 : index
  %c0 = arith.constant 0 : i32
  %V = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f16> -> !tile.view<?x?xf16, strides = [?, 1]>
  %ring = frag.shared 0 : !ring
  %w, %cw = frag.acquire write %ring[%c0] : !ring
  %m = frag.slot_mem %w[0] : !frag.mem<32x32xf16, #s>
  // expected-error@+1 {{expected rows along dimension 1 of units of 16 bytes at multiples of 16 bytes for #ptx.async16, got}}
  %t = frag.copy_in #ptx.async16 %V[%z, %z] into %m : !tile.view<?x?xf16, strides = [?, 1]> -> !frag.mem<32x32xf16, #s>
  frag.release %w after(%t : !tile.token)
  frag.return
}

// -----

#s = #tile.shared<order = [1, 0]>
!ring = !frag.ring<!tile.ring<2x(tensor<32x32xf16, #s>), load, copy = #ptx.async4>>
frag.kernel @odd(%p: !tile.ptr<f16>, %n: index) attributes {threads = 32 : i64, shared_bytes = 4096 : i64, target = #ptx.target<"sm_89">} {
  %z = arith.constant 0 : index
  %c0 = arith.constant 0 : i32
  %V = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f16> -> !tile.view<?x?xf16, strides = [?, 1], div = [1, 1], align = 4>
  %ring = frag.shared 0 : !ring
  %w, %cw = frag.acquire write %ring[%c0] : !ring
  %m = frag.slot_mem %w[0] : !frag.mem<32x32xf16, #s>
  // expected-error@+1 {{expected rows along dimension 1 of units of 4 bytes at multiples of 4 bytes for #ptx.async4, got}}
  %t = frag.copy_in #ptx.async4 %V[%z, %z] into %m : !tile.view<?x?xf16, strides = [?, 1], div = [1, 1], align = 4> -> !frag.mem<32x32xf16, #s>
  frag.release %w after(%t : !tile.token)
  frag.return
}

// -----

#mma = #ptx.mma_sync<[16, 8, 8], f16, f16, f32>
#a = #tile.operand<a, #mma, groups = [1, 1]>
#b = #tile.operand<b, #mma, groups = [1, 1]>
#acc = #tile.acc<#mma, groups = [1, 1]>
frag.kernel @shape(%x: f16, %y: f32) attributes {threads = 32 : i64, target = #ptx.target<"sm_89">} {
  %a = frag.splat %x : f16 -> !frag.f<16x8xf16, #a>
  %b = frag.splat %x : f16 -> !frag.f<8x8xf16, #b>
  %c = frag.splat %y : f32 -> !frag.f<16x8xf32, #acc>
  // expected-error@+1 {{expected an instruction of sm_89, got #ptx.mma_sync<[16, 8, 8], f16, f16, f32>}}
  %d = frag.mma #mma %a, %b, %c : !frag.f<16x8xf16, #a>, !frag.f<8x8xf16, #b>, !frag.f<16x8xf32, #acc>
  frag.return
}

// -----

#lanes = #tile.regs<vec = [1, 2], lanes = [4, 8], groups = [1, 1]>
#turned = #tile.regs<vec = [2, 1], lanes = [4, 8], groups = [1, 1]>
frag.kernel @permute(%x: f32) attributes {threads = 32 : i64, target = #ptx.target<"sm_89">} {
  %a = frag.splat %x : f32 -> !frag.f<8x16xf32, #lanes>
  // expected-error@+1 {{expected elements that stay in their lanes, got}}
  %b = frag.permute %a : !frag.f<8x16xf32, #lanes> -> !frag.f<8x16xf32, #turned>
  frag.return
}

// -----

frag.kernel @double(%x: f64) attributes {threads = 32 : i64, target = #ptx.target<"sm_89">} {
  // expected-error@+1 {{'math.exp' op is not lowered to PTX yet}}
  %b = math.exp %x : f64
  frag.return
}
