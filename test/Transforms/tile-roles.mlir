// RUN: helios-opt %s --pass-pipeline='builtin.module(tile.program(tile-roles))' | FileCheck %s

#mma = #ptx.wgmma<n = 256, bf16, bf16, f32>
#acc = #tile.acc<#mma, groups = [2, 1]>
#col = #tile.slice<0, #acc>
#s = #tile.shared<order = [1, 0], swizzle = 128>
#st = #tile.shared<order = [0, 1], swizzle = 128>
!v = !tile.view<?x?xbf16, strides = [?, 1], div = [8, 1], align = 16>
!vb = !tile.view<?xbf16, strides = [1], align = 16>
!ring = !tile.ring<4x(tensor<128x64xbf16, #s>, tensor<256x64xbf16, #s>), load, copy = #ptx.bulk>

// CHECK-LABEL: tile.program @gemm(
tile.program @gemm(%pA: !tile.ptr<bf16>, %pB: !tile.ptr<bf16>, %pb: !tile.ptr<bf16>, %pD: !tile.ptr<bf16>,
    %M: index {tile.range = array<i64: 1, 2147483647>}, %N: index {tile.range = array<i64: 1, 2147483647>, tile.div = 8 : index},
    %K: index {tile.range = array<i64: 1, 2147483647>, tile.div = 8 : index})
    attributes {target = #ptx.target<"sm_90a">, config = #tile.config<groups = [2, 1], strategy = roles, depth = 4>} {
  %z = arith.constant 0 : index
  %o = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %c256 = arith.constant 256 : index
  %A = tile.view %pA[%M, %K] strides [%K] : !tile.ptr<bf16> -> !v
  %B = tile.view %pB[%N, %K] strides [%K] : !tile.ptr<bf16> -> !v
  %D = tile.view %pD[%M, %N] strides [%N] : !tile.ptr<bf16> -> !v
  %b = tile.view %pb[%N] : !tile.ptr<bf16> -> !vb
  %tm = arith.ceildivui %M, %c128 : index
  %tn = arith.ceildivui %N, %c256 : index
  %tk = arith.ceildivui %K, %c64 : index
  %tiles = arith.muli %tm, %tn : index
  %wg = tile.id workgroup
  %nwg = tile.id workgroups
  %ring, %c0 = tile.ring : !ring
  %zero = arith.constant dense<0.0> : tensor<128x256xf32, #acc>
  %half = arith.constant dense<0.5> : tensor<128x256xf32, #acc>
  %one = arith.constant dense<1.0> : tensor<128x256xf32, #acc>
  %rsqrt2 = arith.constant dense<0.707106769> : tensor<128x256xf32, #acc>
  %end:2 = scf.for %t = %wg to %tiles step %nwg iter_args(%cw = %c0, %cr = %c0) -> (!tile.cursor, !tile.cursor) {
    %band = arith.muli %tn, %c16 : index
    %t0 = arith.divui %t, %band : index
    %first = arith.muli %t0, %c16 : index
    %left = arith.subi %tm, %first : index
    %rows = arith.minui %left, %c16 : index
    %in = arith.remui %t, %band : index
    %ir = arith.remui %in, %rows : index
    %i = arith.addi %first, %ir : index
    %j = arith.divui %in, %rows : index
    %m = arith.muli %i, %c128 : index
    %n = arith.muli %j, %c256 : index
    %x:3 = scf.for %kt = %z to %tk step %o iter_args(%acc = %zero, %d = %cw, %e = %cr)
        -> (tensor<128x256xf32, #acc>, !tile.cursor, !tile.cursor) {
      %k = arith.muli %kt, %c64 : index
      %w, %d1 = tile.enter write %ring[%d] : !ring -> !tile.slot<write>
      %ta = tile.copy_in %A[%m, %k] into %w[0] : !v, !tile.slot<write>
      %tb = tile.copy_in %B[%n, %k] into %w[1] : !v, !tile.slot<write>
      tile.exit %w after(%ta, %tb : !tile.token, !tile.token) : !tile.slot<write>
      %s, %e1, %a, %bl = tile.enter read %ring[%e] : !ring -> !tile.slot<read>, tensor<128x64xbf16, #s>, tensor<256x64xbf16, #s>
      %bt = tile.transpose %bl : tensor<256x64xbf16, #s> -> tensor<64x256xbf16, #st>
      %y = tile.dot %a, %bt, %acc mma #mma : tensor<128x64xbf16, #s>, tensor<64x256xbf16, #st>, tensor<128x256xf32, #acc>
      tile.exit %s after(%y : tensor<128x256xf32, #acc>) : !tile.slot<read>
      scf.yield %y, %d1, %e1 : tensor<128x256xf32, #acc>, !tile.cursor, !tile.cursor
    }
    %bb = tile.load %b[%n] : !vb -> tensor<256xbf16, #col>
    %f = arith.extf %bb : tensor<256xbf16, #col> to tensor<256xf32, #col>
    %ex = tile.expand %f, [0] : tensor<256xf32, #col> -> tensor<128x256xf32, #acc>
    %u = arith.addf %x#0, %ex : tensor<128x256xf32, #acc>
    %v0 = arith.mulf %u, %rsqrt2 : tensor<128x256xf32, #acc>
    %er = math.erf %v0 : tensor<128x256xf32, #acc>
    %o0 = arith.addf %er, %one : tensor<128x256xf32, #acc>
    %g0 = arith.mulf %u, %half : tensor<128x256xf32, #acc>
    %y0 = arith.mulf %g0, %o0 : tensor<128x256xf32, #acc>
    %dd = arith.truncf %y0 : tensor<128x256xf32, #acc> to tensor<128x256xbf16, #acc>
    tile.store %dd, %D[%m, %n] : tensor<128x256xbf16, #acc>, !v
    scf.yield %x#1, %x#2 : !tile.cursor, !tile.cursor
  }
  tile.return
}
