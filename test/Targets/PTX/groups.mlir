// RUN: helios-opt %s --convert-frag-to-ptx | FileCheck %s
//
// Copies that complete in groups: 16 bytes a lane, of size 0 outside the view; the next slot by a comparison, not by division.

#s = #tile.shared<order = [1, 0], swizzle = 64>
#s128 = #tile.shared<order = [1, 0], swizzle = 128>
#wide = #tile.regs<vec = [1, 8], lanes = [16, 4], groups = [1, 1]>
!v = !tile.view<?x?xf16, strides = [?, 1], div = [8, 1], align = 16>
!ring = !frag.ring<!tile.ring<3x(tensor<32x32xf16, #s>), load, copy = #ptx.async16>>
!m = !frag.mem<32x32xf16, #s>

// CHECK-LABEL: llvm.func @ring(
// CHECK: llvm.inline_asm {{.*}}cp.async.cg.shared.global [$0], [$1], 16, p;{{.*}} : (!llvm.ptr<3>, !llvm.ptr<1>, i1)
// CHECK: cp.async.cg.shared.global
// CHECK-NOT: cp.async.c{{[ag]}}.shared
// CHECK: nvvm.cp.async.commit.group
// CHECK: %[[NEXT:.*]] = llvm.add %[[SLOT:.*]], %{{.*}} : i32
// CHECK: %[[LAST:.*]] = llvm.icmp "eq" %[[NEXT]], %{{.*}} : i32
// CHECK: llvm.select %[[LAST]]
// CHECK: llvm.cond_br
// CHECK-COUNT-2: cp.async.cg.shared.global
// CHECK: nvvm.cp.async.commit.group
// CHECK: nvvm.cp.async.wait.group 1
// CHECK-NEXT: nvvm.barrier
// CHECK: llvm.load {{.*}} : !llvm.ptr<3> -> vector<4xi32>
frag.kernel @ring(%p: !tile.ptr<f16>, %q: !tile.ptr<f16>, %m: index, %n: index {tile.div = 8 : i64})
    attributes {threads = 64 : i64, shared_bytes = 6144 : i64, synchronized, target = #ptx.target<"sm_80">} {
  %z = arith.constant 0 : index
  %o = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c0 = arith.constant 0 : i32
  %V = tile.view %p[%m, %n] strides [%n] : !tile.ptr<f16> -> !v
  %W = tile.view %q[%m, %n] strides [%n] : !tile.ptr<f16> -> !v
  %ring = frag.shared 0 : !ring
  %s0, %cw0 = frag.acquire write %ring[%c0] : !ring
  %m0 = frag.slot_mem %s0[0] : !m
  %t0 = frag.copy_in #ptx.async16 %V[%z, %z] into %m0 : !v -> !m
  frag.release %s0 after(%t0 : !tile.token)
  %x:2 = scf.for %i = %o to %m step %o iter_args(%cw = %cw0, %cr = %c0) -> (i32, i32) {
    %k = arith.muli %i, %c32 : index
    %more = arith.cmpi ult, %k, %n : index
    %w, %cwn = frag.acquire write %ring[%cw] : !ring
    %mw = frag.slot_mem %w[0] : !m
    %t = frag.copy_in #ptx.async16 %V[%z, %k] if %more into %mw : !v -> !m
    frag.release %w after(%t : !tile.token)
    %r, %crn = frag.acquire read %ring[%cr] count 1 : !ring
    %mr = frag.slot_mem %r[0] : !m
    %f = frag.read %mr[%z, %z] : !m -> !frag.f<32x32xf16, #wide>
    frag.release %r
    frag.write %f, %W[%z, %k] : !frag.f<32x32xf16, #wide>, !v
    scf.yield %cwn, %crn : i32, i32
  }
  frag.return
}

// Sixty-four units and more lanes: the rest copies nothing.
// CHECK-LABEL: llvm.func @idle(
// CHECK: llvm.icmp "eq"
// CHECK: llvm.cond_br
// CHECK: nvvm.cp.async.shared.global %{{.*}}, %{{.*}}, 16, cache = cg : !llvm.ptr<3>, !llvm.ptr<1>
// CHECK-NOT: nvvm.cp.async.shared.global
frag.kernel @idle(%p: !tile.ptr<f16>)
    attributes {threads = 256 : i64, shared_bytes = 1024 : i64, synchronized, target = #ptx.target<"sm_80">} {
  %z = arith.constant 0 : index
  %c0 = arith.constant 0 : i32
  %V = tile.view %p[] : !tile.ptr<f16> -> !tile.view<16x32xf16, strides = [32, 1], align = 16>
  %ring = frag.shared 0 : !frag.ring<!tile.ring<1x(tensor<16x32xf16, #s>), load, copy = #ptx.async16>>
  %w, %cw = frag.acquire write %ring[%c0] : !frag.ring<!tile.ring<1x(tensor<16x32xf16, #s>), load, copy = #ptx.async16>>
  %mw = frag.slot_mem %w[0] : !frag.mem<16x32xf16, #s>
  %t = frag.copy_in #ptx.async16 %V[%z, %z] into %mw in_bounds : !tile.view<16x32xf16, strides = [32, 1], align = 16> -> !frag.mem<16x32xf16, #s>
  frag.release %w after(%t : !tile.token)
  frag.return
}

// Rows of an even number of elements: lanes copy 4 bytes each, a warp a row of 128 of these, which the operator .cg does not do.
// CHECK-LABEL: llvm.func @narrow(
// CHECK-COUNT-4: llvm.inline_asm {{.*}}cp.async.ca.shared.global [$0], [$1], 4, p;{{.*}} : (!llvm.ptr<3>, !llvm.ptr<1>, i1)
// CHECK-NOT: cp.async.c{{[ag]}}.shared
frag.kernel @narrow(%p: !tile.ptr<f16>, %m: index, %n: index {tile.div = 2 : i64})
    attributes {threads = 128 : i64, shared_bytes = 2048 : i64, synchronized, target = #ptx.target<"sm_80">} {
  %z = arith.constant 0 : index
  %c0 = arith.constant 0 : i32
  %V = tile.view %p[%m, %n] strides [%n] : !tile.ptr<f16> -> !tile.view<?x?xf16, strides = [?, 1], div = [2, 1], align = 4>
  %ring = frag.shared 0 : !frag.ring<!tile.ring<1x(tensor<16x64xf16, #s128>), load, copy = #ptx.async4>>
  %w, %cw = frag.acquire write %ring[%c0] : !frag.ring<!tile.ring<1x(tensor<16x64xf16, #s128>), load, copy = #ptx.async4>>
  %mw = frag.slot_mem %w[0] : !frag.mem<16x64xf16, #s128>
  %t = frag.copy_in #ptx.async4 %V[%z, %z] into %mw : !tile.view<?x?xf16, strides = [?, 1], div = [2, 1], align = 4> -> !frag.mem<16x64xf16, #s128>
  frag.release %w after(%t : !tile.token)
  frag.return
}

// Every unit begins within rows of 60 elements, but the last one ends behind them: its size is what is left.
// CHECK-LABEL: llvm.func @part(
// CHECK: llvm.intr.smin
// CHECK: nvvm.cp.async.shared.global %{{.*}}, %{{.*}}, 16, cache = cg, %{{.*}} : !llvm.ptr<3>, !llvm.ptr<1>, i32
// CHECK-NOT: cp.async.c{{[ag]}}.shared
frag.kernel @part(%p: !tile.ptr<f16>) attributes {threads = 128 : i64, shared_bytes = 2048 : i64, synchronized, target = #ptx.target<"sm_80">} {
  %z = arith.constant 0 : index
  %c0 = arith.constant 0 : i32
  %V = tile.view %p[] : !tile.ptr<f16> -> !tile.view<16x60xf16, strides = [64, 1], align = 16>
  %ring = frag.shared 0 : !frag.ring<!tile.ring<1x(tensor<16x64xf16, #s128>), load, copy = #ptx.async16>>
  %w, %cw = frag.acquire write %ring[%c0] : !frag.ring<!tile.ring<1x(tensor<16x64xf16, #s128>), load, copy = #ptx.async16>>
  %mw = frag.slot_mem %w[0] : !frag.mem<16x64xf16, #s128>
  %t = frag.copy_in #ptx.async16 %V[%z, %z] into %mw : !tile.view<16x60xf16, strides = [64, 1], align = 16> -> !frag.mem<16x64xf16, #s128>
  frag.release %w after(%t : !tile.token)
  frag.return
}
