// RUN: helios-opt %s | helios-opt | FileCheck %s
// RUN: helios-opt %s --mlir-print-op-generic | helios-opt | FileCheck %s
// RUN: helios-opt %s --canonicalize --cse | helios-opt | FileCheck %s

// Level 2, after `roles`: D = gelu(A·Bᵀ + b), bf16, f32 accumulation, for Hopper. Run by the CUDA lowering.
//
// What it shows:
// - Two roles that share nothing but a ring: "load" (one lane, 40 registers) keeps four slots of bulk copies in flight,
//   "math" (two replicas of a warpgroup, 232 registers) consumes them. Both walk the same items and the same k, so in program
//   order before the split the one enters what the other exits.
// - The cursor of each side is carried through the loop over k and on through the loop over work items: the load role is
//   already copying the next item while the math role stores this one.
// - The exit lags by one: the slot of step k - 1 is handed back after the product of step k was issued, and names the product that
//   read it (`after(%x)`, the accumulator that the loop carries).
// - The first step is peeled: its product has the zero splat as accumulator, which costs nothing below.
// - A store ring of a replica: put, exit, enter, copy out, exit after the copy. Nobody waits there: `enter write` waits for
//   the copy two chunks ago. The accumulator is sliced at 64 columns, though one instruction has 256: its layout repeats every 8.
// - K = 0 is another variant of the plan (the fact says K >= 1).
// Shared memory: 4 x (16 + 32) KB, 2 x 2 x 8 KB = 229376 bytes of 232448. Registers: 40 + 256 x 232 at this level.

#mma = #ptx.wgmma<n = 256, bf16, bf16, f32>
#acc = #tile.acc<#mma, groups = [1, 1]>
#col = #tile.slice<0, #acc>
#s = #tile.shared<order = [1, 0], swizzle = 128>
#st = #tile.shared<order = [0, 1], swizzle = 128>
!v = !tile.view<?x?xbf16, strides = [?, 1], div = [8, 1], align = 16>
!vb = !tile.view<?xbf16, strides = [1], align = 16>
!ring = !tile.ring<4x(tensor<128x64xbf16, #s>, tensor<256x64xbf16, #s>), load, copy = #ptx.bulk, readers = 2>
!out = !tile.ring<2x(tensor<64x64xbf16, #s>), store, copy = #ptx.bulk, scope = replica>

// CHECK-LABEL: tile.program @gemm(
// CHECK: tile.ring : !tile.ring<4x(
// CHECK: tile.role "load" lanes(1) regs(40)
// CHECK: tile.copy_in
// CHECK: tile.role "math" replicas(2) regs(232)
// CHECK: tile.exit %{{.*}} after(%{{.*}} : tensor<64x256xf32, #{{.*}}>)
// CHECK: tile.copy_out
tile.program @gemm(%pA: !tile.ptr<bf16>, %pB: !tile.ptr<bf16>, %pb: !tile.ptr<bf16>, %pD: !tile.ptr<bf16>,
    %M: index {tile.range = array<i64: 1, 2147483647>}, %N: index {tile.range = array<i64: 1, 2147483647>, tile.div = 8 : index},
    %K: index {tile.range = array<i64: 1, 2147483647>, tile.div = 8 : index}) attributes {target = #ptx.target<"sm_90a">} {
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
  tile.roles captures(%A = %A, %B = %B, %b = %b, %D = %D, %ring = %ring, %c0 = %c0, %tiles = %tiles, %tm = %tm, %tn = %tn,
      %tk = %tk, %wg = %wg, %nwg = %nwg
      : !v, !v, !vb, !v, !ring, !tile.cursor, index, index, index, index, index, index) {
    tile.role "load" lanes(1) regs(40) {
      %z = arith.constant 0 : index
      %o = arith.constant 1 : index
      %c16 = arith.constant 16 : index
      %c64 = arith.constant 64 : index
      %c128 = arith.constant 128 : index
      %c256 = arith.constant 256 : index
      %band = arith.muli %tn, %c16 : index
      %end = scf.for %t = %wg to %tiles step %nwg iter_args(%c = %c0) -> (!tile.cursor) {
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
        %e = scf.for %kt = %z to %tk step %o iter_args(%d = %c) -> (!tile.cursor) {
          %k = arith.muli %kt, %c64 : index
          %w, %d1 = tile.enter write %ring[%d] : !ring -> !tile.slot<write>
          %ta = tile.copy_in %A[%m, %k] into %w[0] : !v, !tile.slot<write>
          %tb = tile.copy_in %B[%n, %k] into %w[1] : !v, !tile.slot<write>
          tile.exit %w after(%ta, %tb : !tile.token, !tile.token) : !tile.slot<write>
          scf.yield %d1 : !tile.cursor
        }
        scf.yield %e : !tile.cursor
      }
    }
    tile.role "math" replicas(2) regs(232) {
    ^bb0(%r: index):
      %o = arith.constant 1 : index
      %c16 = arith.constant 16 : index
      %c64 = arith.constant 64 : index
      %c128 = arith.constant 128 : index
      %c256 = arith.constant 256 : index
      %zero = arith.constant dense<0.0> : tensor<64x256xf32, #acc>
      %half = arith.constant dense<0.5> : tensor<64x64xf32, #acc>
      %one = arith.constant dense<1.0> : tensor<64x64xf32, #acc>
      %rsqrt2 = arith.constant dense<0.707106769> : tensor<64x64xf32, #acc>
      %band = arith.muli %tn, %c16 : index
      %r64 = arith.muli %r, %c64 : index
      %out, %q0 = tile.ring : !out
      %end:3 = scf.for %t = %wg to %tiles step %nwg iter_args(%c = %c0, %qw = %q0, %qr = %q0)
          -> (!tile.cursor, !tile.cursor, !tile.cursor) {
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
        %mr = arith.addi %m, %r64 : index
        %s0, %c1, %a0, %b0 = tile.enter read %ring[%c] : !ring -> !tile.slot<read>, tensor<128x64xbf16, #s>, tensor<256x64xbf16, #s>
        %ar0 = tile.slice %a0 [%r64, 0] : tensor<128x64xbf16, #s> -> tensor<64x64xbf16, #s>
        %bt0 = tile.transpose %b0 : tensor<256x64xbf16, #s> -> tensor<64x256xbf16, #st>
        %x0 = tile.dot %ar0, %bt0, %zero mma #mma : tensor<64x64xbf16, #s>, tensor<64x256xbf16, #st>, tensor<64x256xf32, #acc>
        %l:3 = scf.for %kt = %o to %tk step %o iter_args(%x = %x0, %sp = %s0, %d = %c1)
            -> (tensor<64x256xf32, #acc>, !tile.slot<read>, !tile.cursor) {
          %s, %d1, %a, %bl = tile.enter read %ring[%d] : !ring -> !tile.slot<read>, tensor<128x64xbf16, #s>, tensor<256x64xbf16, #s>
          %ar = tile.slice %a [%r64, 0] : tensor<128x64xbf16, #s> -> tensor<64x64xbf16, #s>
          %bt = tile.transpose %bl : tensor<256x64xbf16, #s> -> tensor<64x256xbf16, #st>
          %x1 = tile.dot %ar, %bt, %x mma #mma : tensor<64x64xbf16, #s>, tensor<64x256xbf16, #st>, tensor<64x256xf32, #acc>
          tile.exit %sp after(%x : tensor<64x256xf32, #acc>) : !tile.slot<read>
          scf.yield %x1, %s, %d1 : tensor<64x256xf32, #acc>, !tile.slot<read>, !tile.cursor
        }
        tile.exit %l#1 after(%l#0 : tensor<64x256xf32, #acc>) : !tile.slot<read>
        // Columns 0 to 63.
        %h0 = arith.constant 0 : index
        %nc0 = arith.addi %n, %h0 : index
        %bb0 = tile.load %b[%nc0] : !vb -> tensor<64xbf16, #col>
        %f0 = arith.extf %bb0 : tensor<64xbf16, #col> to tensor<64xf32, #col>
        %e0 = tile.expand %f0, [0] : tensor<64xf32, #col> -> tensor<64x64xf32, #acc>
        %ac0 = tile.slice %l#0 [0, 0] : tensor<64x256xf32, #acc> -> tensor<64x64xf32, #acc>
        %u0 = arith.addf %ac0, %e0 : tensor<64x64xf32, #acc>
        %v0 = arith.mulf %u0, %rsqrt2 : tensor<64x64xf32, #acc>
        %er0 = math.erf %v0 : tensor<64x64xf32, #acc>
        %o0 = arith.addf %er0, %one : tensor<64x64xf32, #acc>
        %g0 = arith.mulf %u0, %half : tensor<64x64xf32, #acc>
        %y0 = arith.mulf %g0, %o0 : tensor<64x64xf32, #acc>
        %dd0 = arith.truncf %y0 : tensor<64x64xf32, #acc> to tensor<64x64xbf16, #acc>
        %sw0, %qw0 = tile.enter write %out[%qw] : !out -> !tile.slot<write>
        tile.put %dd0 into %sw0[0] : tensor<64x64xbf16, #acc>, !tile.slot<write>
        tile.exit %sw0 : !tile.slot<write>
        %sr0, %qr0, %tt0 = tile.enter read %out[%qr] : !out -> !tile.slot<read>, tensor<64x64xbf16, #s>
        %tc0 = tile.copy_out %tt0 to %D[%mr, %nc0] : tensor<64x64xbf16, #s>, !v
        tile.exit %sr0 after(%tc0 : !tile.token) : !tile.slot<read>
        // Columns 64 to 127.
        %h64 = arith.constant 64 : index
        %nc64 = arith.addi %n, %h64 : index
        %bb64 = tile.load %b[%nc64] : !vb -> tensor<64xbf16, #col>
        %f64 = arith.extf %bb64 : tensor<64xbf16, #col> to tensor<64xf32, #col>
        %e64 = tile.expand %f64, [0] : tensor<64xf32, #col> -> tensor<64x64xf32, #acc>
        %ac64 = tile.slice %l#0 [0, 64] : tensor<64x256xf32, #acc> -> tensor<64x64xf32, #acc>
        %u64 = arith.addf %ac64, %e64 : tensor<64x64xf32, #acc>
        %v64 = arith.mulf %u64, %rsqrt2 : tensor<64x64xf32, #acc>
        %er64 = math.erf %v64 : tensor<64x64xf32, #acc>
        %o64 = arith.addf %er64, %one : tensor<64x64xf32, #acc>
        %g64 = arith.mulf %u64, %half : tensor<64x64xf32, #acc>
        %y64 = arith.mulf %g64, %o64 : tensor<64x64xf32, #acc>
        %dd64 = arith.truncf %y64 : tensor<64x64xf32, #acc> to tensor<64x64xbf16, #acc>
        %sw64, %qw64 = tile.enter write %out[%qw0] : !out -> !tile.slot<write>
        tile.put %dd64 into %sw64[0] : tensor<64x64xbf16, #acc>, !tile.slot<write>
        tile.exit %sw64 : !tile.slot<write>
        %sr64, %qr64, %tt64 = tile.enter read %out[%qr0] : !out -> !tile.slot<read>, tensor<64x64xbf16, #s>
        %tc64 = tile.copy_out %tt64 to %D[%mr, %nc64] : tensor<64x64xbf16, #s>, !v
        tile.exit %sr64 after(%tc64 : !tile.token) : !tile.slot<read>
        // Columns 128 to 191.
        %h128 = arith.constant 128 : index
        %nc128 = arith.addi %n, %h128 : index
        %bb128 = tile.load %b[%nc128] : !vb -> tensor<64xbf16, #col>
        %f128 = arith.extf %bb128 : tensor<64xbf16, #col> to tensor<64xf32, #col>
        %e128 = tile.expand %f128, [0] : tensor<64xf32, #col> -> tensor<64x64xf32, #acc>
        %ac128 = tile.slice %l#0 [0, 128] : tensor<64x256xf32, #acc> -> tensor<64x64xf32, #acc>
        %u128 = arith.addf %ac128, %e128 : tensor<64x64xf32, #acc>
        %v128 = arith.mulf %u128, %rsqrt2 : tensor<64x64xf32, #acc>
        %er128 = math.erf %v128 : tensor<64x64xf32, #acc>
        %o128 = arith.addf %er128, %one : tensor<64x64xf32, #acc>
        %g128 = arith.mulf %u128, %half : tensor<64x64xf32, #acc>
        %y128 = arith.mulf %g128, %o128 : tensor<64x64xf32, #acc>
        %dd128 = arith.truncf %y128 : tensor<64x64xf32, #acc> to tensor<64x64xbf16, #acc>
        %sw128, %qw128 = tile.enter write %out[%qw64] : !out -> !tile.slot<write>
        tile.put %dd128 into %sw128[0] : tensor<64x64xbf16, #acc>, !tile.slot<write>
        tile.exit %sw128 : !tile.slot<write>
        %sr128, %qr128, %tt128 = tile.enter read %out[%qr64] : !out -> !tile.slot<read>, tensor<64x64xbf16, #s>
        %tc128 = tile.copy_out %tt128 to %D[%mr, %nc128] : tensor<64x64xbf16, #s>, !v
        tile.exit %sr128 after(%tc128 : !tile.token) : !tile.slot<read>
        // Columns 192 to 255.
        %h192 = arith.constant 192 : index
        %nc192 = arith.addi %n, %h192 : index
        %bb192 = tile.load %b[%nc192] : !vb -> tensor<64xbf16, #col>
        %f192 = arith.extf %bb192 : tensor<64xbf16, #col> to tensor<64xf32, #col>
        %e192 = tile.expand %f192, [0] : tensor<64xf32, #col> -> tensor<64x64xf32, #acc>
        %ac192 = tile.slice %l#0 [0, 192] : tensor<64x256xf32, #acc> -> tensor<64x64xf32, #acc>
        %u192 = arith.addf %ac192, %e192 : tensor<64x64xf32, #acc>
        %v192 = arith.mulf %u192, %rsqrt2 : tensor<64x64xf32, #acc>
        %er192 = math.erf %v192 : tensor<64x64xf32, #acc>
        %o192 = arith.addf %er192, %one : tensor<64x64xf32, #acc>
        %g192 = arith.mulf %u192, %half : tensor<64x64xf32, #acc>
        %y192 = arith.mulf %g192, %o192 : tensor<64x64xf32, #acc>
        %dd192 = arith.truncf %y192 : tensor<64x64xf32, #acc> to tensor<64x64xbf16, #acc>
        %sw192, %qw192 = tile.enter write %out[%qw128] : !out -> !tile.slot<write>
        tile.put %dd192 into %sw192[0] : tensor<64x64xbf16, #acc>, !tile.slot<write>
        tile.exit %sw192 : !tile.slot<write>
        %sr192, %qr192, %tt192 = tile.enter read %out[%qr128] : !out -> !tile.slot<read>, tensor<64x64xbf16, #s>
        %tc192 = tile.copy_out %tt192 to %D[%mr, %nc192] : tensor<64x64xbf16, #s>, !v
        tile.exit %sr192 after(%tc192 : !tile.token) : !tile.slot<read>
        scf.yield %l#2, %qw192, %qr192 : !tile.cursor, !tile.cursor, !tile.cursor
      }
    }
  }
  tile.return
}
