// RUN: helios-opt %s --convert-frag-to-ptx --split-input-file --verify-diagnostics | FileCheck %s

// Descriptors of matrices in shared memory: the address / 16 in 14 bits, distances, the swizzle.

#mma = #ptx.wgmma<n = 128, bf16, bf16, f32>
#acc = #tile.acc<#mma, groups = [1, 1]>
#s = #tile.shared<order = [1, 0], swizzle = 128>
!a = !frag.mem<64x128xbf16, #s>
!b = !frag.mem<128x128xbf16, #s>
!acc = !frag.f<64x128xf32, #acc>
!fly = !frag.inflight<!frag.f<64x128xf32, #acc>>
!tok = !frag.token<"wgmma">
!v = !tile.view<64x128xf32, strides = [128, 1], div = [128, 1], align = 16>

// Along the contracted dimension a panel of 64 columns is left after four steps: 64 rows of 128 bytes are 512 units for A.
// B has the other dimension contiguous: its panels are 128 rows of 128 bytes apart, 1024 units at bit 16, and a step of 16 rows is 128.
// CHECK-LABEL: llvm.func @panels(
// CHECK-DAG: llvm.mlir.constant(16383 : i32)
// CHECK-DAG: llvm.mlir.constant(65536 : i32)
// CHECK-DAG: llvm.mlir.constant(67108864 : i32)
// The upper half is the same everywhere: 1 at bit 62, 64 units of 16 bytes for eight rows.
// CHECK-DAG: %[[HIGH:.*]] = llvm.mlir.constant(1073741888 : i32)
// CHECK-COUNT-2: llvm.call_intrinsic "llvm.nvvm.lohi.i2d"(%{{.*}}, %[[HIGH]])
// CHECK: add.s64 a, $64, 0;\0Aadd.s64 b, $65, 0;\0Awgmma.mma_async.sync.aligned.m64n128k16{{[^;]*}}, none, 1, 1, 0, 1;
// CHECK-SAME: add.s64 a, $64, 2;\0Aadd.s64 b, $65, 128;\0Awgmma.mma_async.sync.aligned.m64n128k16{{[^;]*}}, all, 1, 1, 0, 1;
// CHECK-SAME: add.s64 a, $64, 4;\0Aadd.s64 b, $65, 256;\0Awgmma.mma_async{{[^;]*}}, all, 1, 1, 0, 1;
// CHECK-SAME: add.s64 a, $64, 6;\0Aadd.s64 b, $65, 384;\0Awgmma.mma_async{{[^;]*}}, all, 1, 1, 0, 1;
// CHECK-SAME: add.s64 a, $64, 512;\0Aadd.s64 b, $65, 512;\0Awgmma.mma_async{{[^;]*}}, all, 1, 1, 0, 1;
// CHECK-SAME: add.s64 a, $64, 514;\0Aadd.s64 b, $65, 640;\0Awgmma.mma_async{{[^;]*}}, all, 1, 1, 0, 1;
// CHECK-SAME: add.s64 a, $64, 516;\0Aadd.s64 b, $65, 768;\0Awgmma.mma_async{{[^;]*}}, all, 1, 1, 0, 1;
// CHECK-SAME: add.s64 a, $64, 518;\0Aadd.s64 b, $65, 896;\0Awgmma.mma_async{{[^;]*}}, all, 1, 1, 0, 1;
// CHECK-NOT: wgmma.mma_async
frag.kernel @panels(%p: !tile.ptr<f32>) attributes {threads = 128 : i64, shared_bytes = 49152 : i64, target = #ptx.target<"sm_90a">} {
  %z = arith.constant 0 : index
  %v = tile.view %p[] : !tile.ptr<f32> -> !v
  %a = frag.shared 0 : !a
  %b = frag.shared 16384 : !b
  %d, %t = frag.mma_start #mma %a, %b : !a, !b -> !fly, !tok
  %x = frag.await %t (%d : !fly) count 0 : !tok -> !acc
  frag.write %x, %v[%z, %z] in_bounds : !acc, !v
  frag.return
}

// -----

#mma = #ptx.wgmma<n = 64, bf16, bf16, f32>
#acc = #tile.acc<#mma, groups = [1, 1]>
#s = #tile.shared<order = [1, 0]>
!mem = !frag.mem<64x64xbf16, #s>
!fly = !frag.inflight<!frag.f<64x64xf32, #acc>>
!tok = !frag.token<"wgmma">
frag.kernel @plain() attributes {threads = 128 : i64, shared_bytes = 16384 : i64, target = #ptx.target<"sm_90a">} {
  %a = frag.shared 0 : !mem
  %b = frag.shared 8192 : !mem
  // expected-error @+1 {{expected rows of a multiple of 32 bytes in shared memory, with a swizzle, for #ptx.wgmma<n = 64, bf16, bf16, f32>, got #tile.shared<order = [1, 0]>}}
  %d, %t = frag.mma_start #mma %a, %b trans : !mem, !mem -> !fly, !tok
  %x = frag.await %t (%d : !fly) count 0 : !tok -> !frag.f<64x64xf32, #acc>
  frag.return
}
