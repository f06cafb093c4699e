// RUN: helios-opt %s --convert-frag-to-ptx --split-input-file --verify-diagnostics | FileCheck %s

// Asynchronous products: one group each, of a piece of PTX, a fence and instructions that follow the contracted dimension, and a commit. What
// ordinary code wrote is tied to the piece, what it reads again goes through the wait.

#mma = #ptx.wgmma<n = 64, bf16, bf16, f32>
#acc = #tile.acc<#mma, groups = [1, 1]>
#opA = #tile.operand<a, #mma, groups = [1, 1]>
#s = #tile.shared<order = [1, 0], swizzle = 128>
!mem = !frag.mem<64x64xbf16, #s>
!acc = !frag.f<64x64xf32, #acc>
!a = !frag.f<64x64xbf16, #opA>
!fly = !frag.inflight<!frag.f<64x64xf32, #acc>>
!tok = !frag.token<"wgmma">
!v = !tile.view<64x64xf32, strides = [64, 1], div = [64, 1], align = 16>

// The first instruction of a product without an accumulator writes registers that hold nothing (p = 0). Both operands have the contracted
// dimension contiguous: descriptors step by 32 bytes, which are 2 units of 16.
// CHECK-LABEL: llvm.func @shared_shared(
// 4611686293305360384 = swizzle of 128 bytes, 1024 bytes from eight rows to the next.
// CHECK-DAG: llvm.mlir.constant(65536 : i32)
// CHECK-DAG: llvm.mlir.constant(1073741888 : i32)
// CHECK: setp.ne.b32 none, 0, 0;
// CHECK-SAME: setp.ne.b32 all, 1, 0;
// CHECK-SAME: wgmma.fence.sync.aligned;
// CHECK-SAME: add.s64 a, $32, 0;\0Aadd.s64 b, $33, 0;\0Awgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {$0, $1,{{[ $,0-9]*}} $31}, a, b, none, 1, 1, 0, 0;
// CHECK-SAME: add.s64 a, $32, 2;\0Aadd.s64 b, $33, 2;\0Awgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {$0, $1,{{[ $,0-9]*}} $31}, a, b, all, 1, 1, 0, 0;
// CHECK-SAME: add.s64 a, $32, 4;\0Aadd.s64 b, $33, 4;\0A{{[^;]*}}, a, b, all, 1, 1, 0, 0;
// CHECK-SAME: add.s64 a, $32, 6;\0Aadd.s64 b, $33, 6;\0A{{[^;]*}}, a, b, all, 1, 1, 0, 0;
// The first step writes results before the last reads the matrices.
// CHECK-SAME: "=&f,{{[=&f,]*}}=&f,l,l,~{memory}"
// CHECK-NOT: wgmma.mma_async
// CHECK: nvvm.wgmma.commit.group.sync.aligned
// CHECK: llvm.inline_asm {{.*}}"wgmma.wait_group.sync.aligned 0;", "=f,
frag.kernel @shared_shared(%p: !tile.ptr<f32>) attributes {threads = 128 : i64, shared_bytes = 16384 : i64, target = #ptx.target<"sm_90a">} {
  %z = arith.constant 0 : index
  %v = tile.view %p[] : !tile.ptr<f32> -> !v
  %a = frag.shared 0 : !mem
  %b = frag.shared 8192 : !mem
  %d, %t = frag.mma_start #mma %a, %b trans : !mem, !mem -> !fly, !tok
  %x = frag.await %t (%d : !fly) count 0 : !tok -> !acc
  frag.write %x, %v[%z, %z] in_bounds : !acc, !v
  frag.return
}

// A from registers, B with the other dimension contiguous (1 at the end), an accumulator that ordinary code wrote. The operand made in this
// block is tied to the product and, as it is named, goes through the wait: it lives until there.
// CHECK-LABEL: llvm.func @registers(
// CHECK: wgmma.fence.sync.aligned;
// CHECK-SAME: add.s64 b, $96, 0;\0A{{[^;]*}}{$16, $17,{{[ $,0-9]*}} $47}, {$0, $1, $2, $3}, b, all, 1, 1, 1;
// CHECK-SAME: add.s64 b, $96, 128;\0A{{[^;]*}}{$16, $17,{{[ $,0-9]*}} $47}, {$4, $5, $6, $7}, b, all, 1, 1, 1;
// CHECK-SAME: {$8, $9, $10, $11}, b, all, 1, 1, 1;
// CHECK-SAME: {$12, $13, $14, $15}, b, all, 1, 1, 1;
// CHECK-SAME: "=r,{{[=r,]*}}=f,{{[=f,]*}}=f,0,1,{{[0-9,]*}},47,l,~{memory}"
// CHECK: nvvm.wgmma.commit.group.sync.aligned
// CHECK: llvm.inline_asm {{.*}}"wgmma.wait_group.sync.aligned 0;", "=f,{{.*}}=r
frag.kernel @registers(%p: !tile.ptr<f32>) attributes {threads = 128 : i64, shared_bytes = 16384 : i64, target = #ptx.target<"sm_90a">} {
  %z = arith.constant 0 : index
  %v = tile.view %p[] : !tile.ptr<f32> -> !v
  %b = frag.shared 8192 : !mem
  %x = frag.read %v[%z, %z] in_bounds : !v -> !acc
  %a = frag.map(%x : !acc) -> !a {
  ^bb0(%e: f32):
    %y = arith.truncf %e : f32 to bf16
    frag.yield %y : bf16
  }
  %d, %t = frag.mma_start #mma %a, %b, %x : !acc : !a, !mem -> !fly, !tok
  %y, %a1 = frag.await %t (%d : !fly) through(%a : !a) count 0 : !tok -> !acc, !a
  frag.write %y, %v[%z, %z] in_bounds : !acc, !v
  frag.return
}

// Two products in flight: the wait for the older leaves one pending and does not name what the younger still writes.
// CHECK-LABEL: llvm.func @two(
// CHECK: nvvm.wgmma.commit.group.sync.aligned
// CHECK: nvvm.wgmma.commit.group.sync.aligned
// CHECK: llvm.inline_asm {{.*}}"wgmma.wait_group.sync.aligned 1;"
// CHECK: llvm.inline_asm {{.*}}"wgmma.wait_group.sync.aligned 0;"
frag.kernel @two(%p: !tile.ptr<f32>) attributes {threads = 128 : i64, shared_bytes = 16384 : i64, target = #ptx.target<"sm_90a">} {
  %z = arith.constant 0 : index
  %v = tile.view %p[] : !tile.ptr<f32> -> !v
  %a = frag.shared 0 : !mem
  %b = frag.shared 8192 : !mem
  %d, %t = frag.mma_start #mma %a, %b trans : !mem, !mem -> !fly, !tok
  %e, %u = frag.mma_start #mma %b trans, %a : !mem, !mem -> !fly, !tok
  %x = frag.await %t (%d : !fly) count 1 : !tok -> !acc
  frag.write %x, %v[%z, %z] in_bounds : !acc, !v
  %y = frag.await %u (%e : !fly) count 0 : !tok -> !acc
  frag.write %y, %v[%z, %z] in_bounds : !acc, !v
  frag.return
}

// -----

#mma = #ptx.wgmma<n = 64, f16, f16, f16>
#acc = #tile.acc<#mma, groups = [1, 1]>
#s = #tile.shared<order = [1, 0], swizzle = 128>
!mem = !frag.mem<64x64xf16, #s>
!acc = !frag.f<64x64xf16, #acc>
!fly = !frag.inflight<!acc>
!tok = !frag.token<"wgmma">
!v = !tile.view<64x64xf16, strides = [64, 1], div = [64, 1], align = 16>

// Accumulators of f16 stay two to a word: 16 words of 32 columns a lane, on the way to memory too.
// CHECK-LABEL: llvm.func @narrow(
// CHECK: wgmma.mma_async.sync.aligned.m64n64k16.f16.f16.f16 {$0, $1,{{[ $,0-9]*}} $15}, a, b, none, 1, 1, 0, 0;
// CHECK-SAME: , a, b, all, 1, 1, 0, 0;
// CHECK-SAME: , a, b, all, 1, 1, 0, 0;
// CHECK-SAME: , a, b, all, 1, 1, 0, 0;
// CHECK-NOT: wgmma.mma_async
// CHECK: llvm.inline_asm {{.*}}"wgmma.wait_group.sync.aligned 0;", "=r,
// CHECK-NOT: extractelement
// CHECK-COUNT-16: llvm.store {{.*}} : i32, !llvm.ptr<1>
frag.kernel @narrow(%p: !tile.ptr<f16>) attributes {threads = 128 : i64, shared_bytes = 16384 : i64, target = #ptx.target<"sm_90a">} {
  %z = arith.constant 0 : index
  %v = tile.view %p[] : !tile.ptr<f16> -> !v
  %a = frag.shared 0 : !mem
  %b = frag.shared 8192 : !mem
  %d, %t = frag.mma_start #mma %a, %b trans : !mem, !mem -> !fly, !tok
  %x = frag.await %t (%d : !fly) count 0 : !tok -> !acc
  frag.write %x, %v[%z, %z] in_bounds : !acc, !v
  frag.return
}

// -----

#mma = #ptx.wgmma<n = 64, bf16, bf16, f16>
#acc = #tile.acc<#mma, groups = [1, 1]>
#s = #tile.shared<order = [1, 0], swizzle = 128>
!mem = !frag.mem<64x64xbf16, #s>
!fly = !frag.inflight<!frag.f<64x64xf16, #acc>>
!tok = !frag.token<"wgmma">
frag.kernel @mixed() attributes {threads = 128 : i64, shared_bytes = 16384 : i64, target = #ptx.target<"sm_90a">} {
  %a = frag.shared 0 : !mem
  %b = frag.shared 8192 : !mem
  // expected-error @+1 {{is not lowered to PTX: bf16, f16, tf32, f8 and i8 operands are, and f16 accumulators of f16 and f8}}
  %d, %t = frag.mma_start #mma %a, %b trans : !mem, !mem -> !fly, !tok
  %x = frag.await %t (%d : !fly) count 0 : !tok -> !frag.f<64x64xf16, #acc>
  frag.return
}

// -----

#mma = #ptx.wgmma<n = 64, bf16, bf16, f32>
#acc = #tile.acc<#mma, groups = [1, 1]>
#s = #tile.shared<order = [1, 0], swizzle = 128>
!mem = !frag.mem<64x64xbf16, #s>
!fly = !frag.inflight<!frag.f<64x64xf32, #acc>>
!tok = !frag.token<"wgmma">
frag.kernel @other_target() attributes {threads = 128 : i64, shared_bytes = 16384 : i64, target = #ptx.target<"sm_89">} {
  %a = frag.shared 0 : !mem
  %b = frag.shared 8192 : !mem
  // expected-error @+1 {{expected a product #ptx.wgmma of a target that has it}}
  %d, %t = frag.mma_start #mma %a, %b trans : !mem, !mem -> !fly, !tok
  %x = frag.await %t (%d : !fly) count 0 : !tok -> !frag.f<64x64xf32, #acc>
  frag.return
}

// -----

#mma = #ptx.wgmma<n = 64, bf16, bf16, f32>
#acc = #tile.acc<#mma, groups = [1, 1]>
#s = #tile.shared<order = [1, 0], swizzle = 128>
!mem = !frag.mem<64x64xbf16, #s>
!fly = !frag.inflight<!frag.f<64x64xf32, #acc>>
!tok = !frag.token<"wgmma">
frag.kernel @not_counted() attributes {threads = 128 : i64, shared_bytes = 16384 : i64, target = #ptx.target<"sm_90a">} {
  %a = frag.shared 0 : !mem
  %b = frag.shared 8192 : !mem
  // expected-error @+1 {{expected counts at the waits for products in flight; run frag-assign-wait-counts}}
  %d, %t = frag.mma_start #mma %a, %b trans : !mem, !mem -> !fly, !tok
  %x = frag.await %t (%d : !fly) : !tok -> !frag.f<64x64xf32, #acc>
  frag.return
}
