// RUN: helios-opt %s | helios-opt | FileCheck %s
// RUN: helios-opt %s --mlir-print-op-generic | helios-opt | FileCheck %s
// RUN: helios-opt %s --canonicalize --cse | helios-opt | FileCheck %s

// Level 2, after `rings`: D = A·Bᵀ, bf16, f32 accumulation, three stages of asynchronous 16-byte copies, for Ada. Run by the CUDA
// lowering.
//
// What it shows:
// - One sequential program, no roles: the verifier counts slots through the loop and finds that every enter has one (at most three
//   in use, never a read of an empty one), so what the hardware does in parallel cannot deadlock.
// - `enter read` stands first: completion of asynchronous groups is a FIFO, and one wait with its barrier both makes slot kt
//   readable and proves slot kt - 1 free, so `enter write` costs nothing.
// - The readers that the exit names are the matrix loads, not the products: the slot is free once its fragments are in registers.
// - B is stored n x k; its operand is read through a transpose, free in shared memory.
// - The variant has at least two steps (K > 32 in its facts); the last two tiles are drained after the loop.
// Shared memory: 3 x (8 + 16) KB = 73728 of 101376 bytes. Accumulators: 128 registers a lane in 8 warps of 64x64.

#mma = #ptx.mma_sync<[16, 8, 16], bf16, bf16, f32>
#acc = #tile.acc<#mma, groups = [2, 4]>
#opA = #tile.operand<a, #mma, groups = [2, 4]>
#opB = #tile.operand<b, #mma, groups = [2, 4]>
#s = #tile.shared<order = [1, 0], swizzle = 64>
#st = #tile.shared<order = [0, 1], swizzle = 64>
!v = !tile.view<?x?xbf16, strides = [?, 1], div = [8, 1], align = 16>
!ring = !tile.ring<3x(tensor<128x32xbf16, #s>, tensor<256x32xbf16, #s>), load, copy = #ptx.async16>

// CHECK-LABEL: tile.program @gemm(
// CHECK-COUNT-4: tile.copy_in
// CHECK: scf.for
// CHECK: tile.enter read
// CHECK-NEXT: tile.enter write
// CHECK: tile.dot
// CHECK-NEXT: tile.exit
// CHECK: tile.store
tile.program @gemm(%pA: !tile.ptr<bf16>, %pB: !tile.ptr<bf16>, %pD: !tile.ptr<bf16>,
    %M: index {tile.range = array<i64: 1, 2147483647>}, %N: index {tile.range = array<i64: 1, 2147483647>, tile.div = 8 : index},
    %K: index {tile.range = array<i64: 33, 2147483647>, tile.div = 8 : index}) attributes {target = #ptx.target<"sm_89">} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %c256 = arith.constant 256 : index
  %zero = arith.constant dense<0.0> : tensor<128x256xf32, #acc>
  %A = tile.view %pA[%M, %K] strides [%K] : !tile.ptr<bf16> -> !v
  %B = tile.view %pB[%N, %K] strides [%K] : !tile.ptr<bf16> -> !v
  %D = tile.view %pD[%M, %N] strides [%N] : !tile.ptr<bf16> -> !v
  %tm = arith.ceildivui %M, %c128 : index
  %tn = arith.ceildivui %N, %c256 : index
  %tk = arith.ceildivui %K, %c32 : index
  // One item a workgroup, in bands of 16 row blocks.
  %wg = tile.id workgroup
  %c16 = arith.constant 16 : index
  %band = arith.muli %tn, %c16 : index
  %t0 = arith.divui %wg, %band : index
  %first = arith.muli %t0, %c16 : index
  %left = arith.subi %tm, %first : index
  %rows = arith.minui %left, %c16 : index
  %in = arith.remui %wg, %band : index
  %ir = arith.remui %in, %rows : index
  %i = arith.addi %first, %ir : index
  %j = arith.divui %in, %rows : index
  %m = arith.muli %i, %c128 : index
  %n = arith.muli %j, %c256 : index
  %ring, %cur = tile.ring : !ring
  // Two stages ahead.
  %p0, %cw1 = tile.enter write %ring[%cur] : !ring -> !tile.slot<write>
  %pa0 = tile.copy_in %A[%m, %c0] into %p0[0] : !v, !tile.slot<write>
  %pb0 = tile.copy_in %B[%n, %c0] into %p0[1] : !v, !tile.slot<write>
  tile.exit %p0 after(%pa0, %pb0 : !tile.token, !tile.token) : !tile.slot<write>
  %p1, %cw2 = tile.enter write %ring[%cw1] : !ring -> !tile.slot<write>
  %pa1 = tile.copy_in %A[%m, %c32] into %p1[0] : !v, !tile.slot<write>
  %pb1 = tile.copy_in %B[%n, %c32] into %p1[1] : !v, !tile.slot<write>
  tile.exit %p1 after(%pa1, %pb1 : !tile.token, !tile.token) : !tile.slot<write>
  %last = arith.subi %tk, %c2 : index
  %x:3 = scf.for %kt = %c0 to %last step %c1 iter_args(%acc = %zero, %cr = %cur, %cw = %cw2)
      -> (tensor<128x256xf32, #acc>, !tile.cursor, !tile.cursor) {
    %s, %cr1, %sa, %sb = tile.enter read %ring[%cr] : !ring -> !tile.slot<read>, tensor<128x32xbf16, #s>, tensor<256x32xbf16, #s>
    %w, %cwn = tile.enter write %ring[%cw] : !ring -> !tile.slot<write>
    %ahead = arith.addi %kt, %c2 : index
    %k = arith.muli %ahead, %c32 : index
    %ta = tile.copy_in %A[%m, %k] into %w[0] : !v, !tile.slot<write>
    %tb = tile.copy_in %B[%n, %k] into %w[1] : !v, !tile.slot<write>
    tile.exit %w after(%ta, %tb : !tile.token, !tile.token) : !tile.slot<write>
    %fa = tile.convert_layout %sa : tensor<128x32xbf16, #s> -> tensor<128x32xbf16, #opA>
    %bt = tile.transpose %sb : tensor<256x32xbf16, #s> -> tensor<32x256xbf16, #st>
    %fb = tile.convert_layout %bt : tensor<32x256xbf16, #st> -> tensor<32x256xbf16, #opB>
    %y = tile.dot %fa, %fb, %acc mma(#mma) : tensor<128x32xbf16, #opA>, tensor<32x256xbf16, #opB>, tensor<128x256xf32, #acc>
    tile.exit %s after(%fa, %fb : tensor<128x32xbf16, #opA>, tensor<32x256xbf16, #opB>) : !tile.slot<read>
    scf.yield %y, %cr1, %cwn : tensor<128x256xf32, #acc>, !tile.cursor, !tile.cursor
  }
  // The last two tiles.
  %s1, %cr2, %sa1, %sb1 = tile.enter read %ring[%x#1] : !ring -> !tile.slot<read>, tensor<128x32xbf16, #s>, tensor<256x32xbf16, #s>
  %fa1 = tile.convert_layout %sa1 : tensor<128x32xbf16, #s> -> tensor<128x32xbf16, #opA>
  %bt1 = tile.transpose %sb1 : tensor<256x32xbf16, #s> -> tensor<32x256xbf16, #st>
  %fb1 = tile.convert_layout %bt1 : tensor<32x256xbf16, #st> -> tensor<32x256xbf16, #opB>
  %y1 = tile.dot %fa1, %fb1, %x#0 mma(#mma) : tensor<128x32xbf16, #opA>, tensor<32x256xbf16, #opB>, tensor<128x256xf32, #acc>
  tile.exit %s1 after(%fa1, %fb1 : tensor<128x32xbf16, #opA>, tensor<32x256xbf16, #opB>) : !tile.slot<read>
  %s2, %cr3, %sa2, %sb2 = tile.enter read %ring[%cr2] : !ring -> !tile.slot<read>, tensor<128x32xbf16, #s>, tensor<256x32xbf16, #s>
  %fa2 = tile.convert_layout %sa2 : tensor<128x32xbf16, #s> -> tensor<128x32xbf16, #opA>
  %bt2 = tile.transpose %sb2 : tensor<256x32xbf16, #s> -> tensor<32x256xbf16, #st>
  %fb2 = tile.convert_layout %bt2 : tensor<32x256xbf16, #st> -> tensor<32x256xbf16, #opB>
  %y2 = tile.dot %fa2, %fb2, %y1 mma(#mma) : tensor<128x32xbf16, #opA>, tensor<32x256xbf16, #opB>, tensor<128x256xf32, #acc>
  tile.exit %s2 after(%fa2, %fb2 : tensor<128x32xbf16, #opA>, tensor<32x256xbf16, #opB>) : !tile.slot<read>
  // D straight from the accumulators: a quad of lanes writes 16 contiguous bytes of a row.
  %d = arith.truncf %y2 : tensor<128x256xf32, #acc> to tensor<128x256xbf16, #acc>
  tile.store %d, %D[%m, %n] : tensor<128x256xbf16, #acc>, !v
  tile.return
}
