// RUN: helios-opt %s | helios-opt | FileCheck %s
// RUN: helios-opt %s --mlir-print-op-generic | helios-opt | FileCheck %s
// RUN: helios-opt %s --canonicalize --cse | helios-opt | FileCheck %s

// Level 3 of gemm-sm89-tile.mlir, after `pipeline-k-steps`: D = A·Bᵀ for Ada, 8 warps. Run by the CUDA lowering.
//
// What it shows:
// - A second, small pipeline: the fragments of one k-step of 16 are loaded while the products of the step before run. The loop carries
//   the fragments of step 0 of the next tile, and with them the slot that they came from.
// - The next slot is acquired in the last k-step, after the last load of the current one, so its wait is covered by products.
// - Completion is a FIFO of groups: at `acquire read` one younger group may stay pending (wait 1); the barrier of that wait also
//   orders every lane's reads of the slot just released before the copies into it, so `release` of a read slot costs nothing.
// - B lies n x k in shared memory; `trans` reads it k x n.

#mma = #ptx.mma_sync<[16, 8, 16], bf16, bf16, f32>
#acc = #tile.acc<#mma, groups = [2, 4]>
#opA = #tile.operand<a, #mma, groups = [2, 4]>
#opB = #tile.operand<b, #mma, groups = [2, 4]>
#s = #tile.shared<order = [1, 0], swizzle = 64>
!v = !tile.view<?x?xbf16, strides = [?, 1], div = [8, 1], align = 16>
!ring = !frag.ring<!tile.ring<3x(tensor<128x32xbf16, #s>, tensor<256x32xbf16, #s>), load, copy = #ptx.async16>>
!ma = !frag.mem<128x32xbf16, #s>
!mb = !frag.mem<256x32xbf16, #s>
!acc = !frag.f<128x256xf32, #acc>
!fa = !frag.f<128x16xbf16, #opA>
!fb = !frag.f<16x256xbf16, #opB>

// CHECK-LABEL: frag.kernel @gemm(
// CHECK: scf.for {{.*}} -> (!frag.f<128x256xf32, {{.*}}, !frag.slot, i32, i32)
// CHECK: frag.read
// CHECK: frag.copy_in
// CHECK: frag.mma
// CHECK-NEXT: frag.release
// CHECK-NEXT: frag.acquire read
// CHECK: frag.mma
// CHECK-NEXT: scf.yield
frag.kernel @gemm(%pA: !tile.ptr<bf16>, %pB: !tile.ptr<bf16>, %pD: !tile.ptr<bf16>,
    %M: index {tile.range = array<i64: 1, 2147483647>}, %N: index {tile.range = array<i64: 1, 2147483647>, tile.div = 8 : index},
    %K: index {tile.range = array<i64: 33, 2147483647>, tile.div = 8 : index})
    attributes {threads = 256 : i64, shared_bytes = 73728 : i64, regs = 255 : i64, synchronized, target = #ptx.target<"sm_89">} {
  %z = arith.constant 0 : index
  %o = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %c256 = arith.constant 256 : index
  %c0 = arith.constant 0 : i32
  %zf = arith.constant 0.0 : f32
  %zero = frag.splat %zf : f32 -> !acc
  %A = tile.view %pA[%M, %K] strides [%K] : !tile.ptr<bf16> -> !v
  %B = tile.view %pB[%N, %K] strides [%K] : !tile.ptr<bf16> -> !v
  %D = tile.view %pD[%M, %N] strides [%N] : !tile.ptr<bf16> -> !v
  %tm = arith.ceildivui %M, %c128 : index
  %tn = arith.ceildivui %N, %c256 : index
  %tk = arith.ceildivui %K, %c32 : index
  %wg = frag.id workgroup
  %band = arith.muli %tn, %c16 : index
  %tb = arith.divui %wg, %band : index
  %first = arith.muli %tb, %c16 : index
  %left = arith.subi %tm, %first : index
  %rows = arith.minui %left, %c16 : index
  %in = arith.remui %wg, %band : index
  %ir = arith.remui %in, %rows : index
  %i = arith.addi %first, %ir : index
  %j = arith.divui %in, %rows : index
  %m = arith.muli %i, %c128 : index
  %n = arith.muli %j, %c256 : index
  %ring = frag.shared 0 : !ring
  // Two stages ahead.
  %p0, %cw1 = frag.acquire write %ring[%c0] : !ring
  %pa0 = frag.slot_mem %p0[0] : !ma
  %pb0 = frag.slot_mem %p0[1] : !mb
  %ta0 = frag.copy_in #ptx.async16 %A[%m, %z] into %pa0 : !v -> !ma
  %tb0 = frag.copy_in #ptx.async16 %B[%n, %z] into %pb0 : !v -> !mb
  frag.release %p0 after(%ta0, %tb0 : !tile.token, !tile.token)
  %p1, %cw2 = frag.acquire write %ring[%cw1] : !ring
  %pa1 = frag.slot_mem %p1[0] : !ma
  %pb1 = frag.slot_mem %p1[1] : !mb
  %ta1 = frag.copy_in #ptx.async16 %A[%m, %c32] into %pa1 : !v -> !ma
  %tb1 = frag.copy_in #ptx.async16 %B[%n, %c32] into %pb1 : !v -> !mb
  frag.release %p1 after(%ta1, %tb1 : !tile.token, !tile.token)
  // Fragments of k-step 0.
  %s0, %cr0 = frag.acquire read %ring[%c0] : !ring
  %sa0 = frag.slot_mem %s0[0] : !ma
  %sb0 = frag.slot_mem %s0[1] : !mb
  %fa0 = frag.read %sa0[%z, %z] : !ma -> !fa
  %fb0 = frag.read %sb0[%z, %z] trans : !mb -> !fb
  %last = arith.subi %tk, %c2 : index
  %x:6 = scf.for %kt = %z to %last step %o iter_args(%acc = %zero, %fa = %fa0, %fb = %fb0, %s = %s0, %cr = %cr0, %cw = %cw2)
      -> (!acc, !fa, !fb, !frag.slot, i32, i32) {
    %sa = frag.slot_mem %s[0] : !ma
    %sb = frag.slot_mem %s[1] : !mb
    %fa1 = frag.read %sa[%z, %c16] : !ma -> !fa
    %fb1 = frag.read %sb[%z, %c16] trans : !mb -> !fb
    %ahead = arith.addi %kt, %c2 : index
    %k = arith.muli %ahead, %c32 : index
    %w, %cwn = frag.acquire write %ring[%cw] : !ring                  // no code: ordered by the barrier of the last read
    %wa = frag.slot_mem %w[0] : !ma
    %wb = frag.slot_mem %w[1] : !mb
    %ta = frag.copy_in #ptx.async16 %A[%m, %k] into %wa : !v -> !ma
    %tbb = frag.copy_in #ptx.async16 %B[%n, %k] into %wb : !v -> !mb
    frag.release %w after(%ta, %tbb : !tile.token, !tile.token)       // commit
    %y1 = frag.mma #mma %fa, %fb, %acc : !fa, !fb, !acc
    frag.release %s
    %s1, %cr1 = frag.acquire read %ring[%cr] : !ring                  // FIFO [kt + 1, kt + 2]: wait 1; barrier
    %sa1 = frag.slot_mem %s1[0] : !ma
    %sb1 = frag.slot_mem %s1[1] : !mb
    %fa2 = frag.read %sa1[%z, %z] : !ma -> !fa
    %fb2 = frag.read %sb1[%z, %z] trans : !mb -> !fb
    %y2 = frag.mma #mma %fa1, %fb1, %y1 : !fa, !fb, !acc
    scf.yield %y2, %fa2, %fb2, %s1, %cr1, %cwn : !acc, !fa, !fb, !frag.slot, i32, i32
  }
  // The last two tiles: nothing left to copy.
  %ea = frag.slot_mem %x#3[0] : !ma
  %eb = frag.slot_mem %x#3[1] : !mb
  %ga1 = frag.read %ea[%z, %c16] : !ma -> !fa
  %gb1 = frag.read %eb[%z, %c16] trans : !mb -> !fb
  %u1 = frag.mma #mma %x#1, %x#2, %x#0 : !fa, !fb, !acc
  frag.release %x#3
  %sl, %crl = frag.acquire read %ring[%x#4] : !ring                   // FIFO [tk - 1]: wait 0
  %la = frag.slot_mem %sl[0] : !ma
  %lb = frag.slot_mem %sl[1] : !mb
  %ga2 = frag.read %la[%z, %z] : !ma -> !fa
  %gb2 = frag.read %lb[%z, %z] trans : !mb -> !fb
  %u2 = frag.mma #mma %ga1, %gb1, %u1 : !fa, !fb, !acc
  %ga3 = frag.read %la[%z, %c16] : !ma -> !fa
  %gb3 = frag.read %lb[%z, %c16] trans : !mb -> !fb
  %u3 = frag.mma #mma %ga2, %gb2, %u2 : !fa, !fb, !acc
  frag.release %sl
  %u4 = frag.mma #mma %ga3, %gb3, %u3 : !fa, !fb, !acc
  %d = frag.map(%u4 : !acc) -> !frag.f<128x256xbf16, #acc> {
  ^bb0(%a: f32):
    %y = arith.truncf %a : f32 to bf16
    frag.yield %y : bf16
  }
  frag.write %d, %D[%m, %n] : !frag.f<128x256xbf16, #acc>, !v
  frag.return
}
