// RUN: helios-opt %s | helios-opt | FileCheck %s
// RUN: helios-opt %s --mlir-print-op-generic | helios-opt | FileCheck %s
// RUN: helios-opt %s --canonicalize --cse | helios-opt | FileCheck %s

// Level 3 of gemm-sm90-tile.mlir: D = gelu(A·Bᵀ + b) for Hopper, three warpgroups. Run by the CUDA lowering.
//
// What it shows:
// - Roles are ranges of lanes with register budgets: one warpgroup of 40, of which one lane issues copies, two of 232; 128 x 40 + 256 x
//   232 = 64512 of 65536 registers.
// - A product in flight: the loop carries the accumulator as a value that nothing can read, with its token. The slot of step k - 1 is
//   released after the token of its product, with one younger product pending: the wait count (1) is derived, not written.
// - The first product has no accumulator, so no zeros are ever written to registers.
// - After the loop `frag.await` lands the accumulator; from there it is a fragment.
// - Wait for the store ring's slot, write, barrier of the replica with proxy fence (the copy engine reads what lanes wrote),
//   copy out, release after the copy. `synchronized`: the verifier holds the kernel to these barriers.

#mma = #ptx.wgmma<n = 256, bf16, bf16, f32>
#acc = #tile.acc<#mma, groups = [1, 1]>
#col = #tile.slice<0, #acc>
#s = #tile.shared<order = [1, 0], swizzle = 128>
!v = !tile.view<?x?xbf16, strides = [?, 1], div = [8, 1], align = 16>
!vb = !tile.view<?xbf16, strides = [1], align = 16>
!ring = !frag.ring<!tile.ring<4x(tensor<128x64xbf16, #s>, tensor<256x64xbf16, #s>), load, copy = #ptx.bulk, readers = 2>>
!outf = !frag.ring<!tile.ring<2x(tensor<64x64xbf16, #s>), store, copy = #ptx.bulk, scope = replica>>
!acc = !frag.f<64x256xf32, #acc>
!fly = !frag.inflight<!frag.f<64x256xf32, #acc>>
!tok = !frag.token<"wgmma">

// CHECK-LABEL: frag.kernel @gemm(
// CHECK: frag.role lanes(0 to 128) regs(40)
// CHECK: frag.copy_in
// CHECK: frag.role lanes(128 to 384 by 128) regs(232)
// CHECK: frag.mma_start
// CHECK: scf.for
// CHECK: frag.mma_start
// CHECK-NEXT: frag.release
// CHECK: frag.await
// CHECK: frag.barrier replica proxy
// CHECK: frag.copy_out
frag.kernel @gemm(%pA: !tile.ptr<bf16>, %pB: !tile.ptr<bf16>, %pb: !tile.ptr<bf16>, %pD: !tile.ptr<bf16>,
    %M: index {tile.range = array<i64: 1, 2147483647>}, %N: index {tile.range = array<i64: 1, 2147483647>, tile.div = 8 : index},
    %K: index {tile.range = array<i64: 1, 2147483647>, tile.div = 8 : index})
    attributes {threads = 384 : i64, shared_bytes = 229504 : i64, regs = 168 : i64, synchronized, target = #ptx.target<"sm_90a">} {
  %z = arith.constant 0 : index
  %o = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %c256 = arith.constant 256 : index
  %half = arith.constant 0.5 : f32
  %one = arith.constant 1.0 : f32
  %rsqrt2 = arith.constant 0.707106769 : f32
  %c0 = arith.constant 0 : i32
  %A = tile.view %pA[%M, %K] strides [%K] : !tile.ptr<bf16> -> !v
  %B = tile.view %pB[%N, %K] strides [%K] : !tile.ptr<bf16> -> !v
  %D = tile.view %pD[%M, %N] strides [%N] : !tile.ptr<bf16> -> !v
  %b = tile.view %pb[%N] : !tile.ptr<bf16> -> !vb
  %tm = arith.ceildivui %M, %c128 : index
  %tn = arith.ceildivui %N, %c256 : index
  %tk = arith.ceildivui %K, %c64 : index
  %tiles = arith.muli %tm, %tn : index
  %band = arith.muli %tn, %c16 : index
  %wg = frag.id workgroup
  %nwg = frag.id workgroups
  // Slots at 0, the ring's full and empty barriers behind the store rings of both replicas.
  %ring = frag.shared 0 barriers 229376 : !ring
  frag.role lanes(0 to 128) regs(40) {
    %end = scf.for %t = %wg to %tiles step %nwg iter_args(%c = %c0) -> (i32) {
      %tb = arith.divui %t, %band : index
      %first = arith.muli %tb, %c16 : index
      %left = arith.subi %tm, %first : index
      %rows = arith.minui %left, %c16 : index
      %in = arith.remui %t, %band : index
      %ir = arith.remui %in, %rows : index
      %i = arith.addi %first, %ir : index
      %j = arith.divui %in, %rows : index
      %m = arith.muli %i, %c128 : index
      %n = arith.muli %j, %c256 : index
      %e = scf.for %kt = %z to %tk step %o iter_args(%d = %c) -> (i32) {
        %k = arith.muli %kt, %c64 : index
        %w, %d1 = frag.acquire write %ring[%d] : !ring
        %wa = frag.slot_mem %w[0] : !frag.mem<128x64xbf16, #s>
        %wb = frag.slot_mem %w[1] : !frag.mem<256x64xbf16, #s>
        %ta = frag.copy_in #ptx.bulk %A[%m, %k] into %wa : !v -> !frag.mem<128x64xbf16, #s>
        %tb2 = frag.copy_in #ptx.bulk %B[%n, %k] into %wb : !v -> !frag.mem<256x64xbf16, #s>
        frag.release %w after(%ta, %tb2 : !tile.token, !tile.token)           // expects their bytes
        scf.yield %d1 : i32
      }
      scf.yield %e : i32
    }
    frag.yield
  }
  frag.role lanes(128 to 384 by 128) regs(232) {
  ^bb0(%r: index):
    %r64 = arith.muli %r, %c64 : index
    %out = frag.shared 196608 : !outf
    %end:3 = scf.for %t = %wg to %tiles step %nwg iter_args(%c = %c0, %qw = %c0, %qr = %c0) -> (i32, i32, i32) {
      %tb = arith.divui %t, %band : index
      %first = arith.muli %tb, %c16 : index
      %left = arith.subi %tm, %first : index
      %rows = arith.minui %left, %c16 : index
      %in = arith.remui %t, %band : index
      %ir = arith.remui %in, %rows : index
      %i = arith.addi %first, %ir : index
      %j = arith.divui %in, %rows : index
      %m = arith.muli %i, %c128 : index
      %n = arith.muli %j, %c256 : index
      %mr = arith.addi %m, %r64 : index
      %s0, %c1 = frag.acquire read %ring[%c] : !ring
      %a0 = frag.slot_mem %s0[0] at [%r64, %z] : !frag.mem<64x64xbf16, #s>
      %b0 = frag.slot_mem %s0[1] : !frag.mem<256x64xbf16, #s>
      %d0, %t0 = frag.mma_start #mma %a0, %b0 trans : !frag.mem<64x64xbf16, #s>, !frag.mem<256x64xbf16, #s> -> !fly, !tok
      %l:4 = scf.for %kt = %o to %tk step %o iter_args(%d = %d0, %tp = %t0, %sp = %s0, %cc = %c1) -> (!fly, !tok, !frag.slot, i32) {
        %s, %c2 = frag.acquire read %ring[%cc] : !ring
        %a = frag.slot_mem %s[0] at [%r64, %z] : !frag.mem<64x64xbf16, #s>
        %bb = frag.slot_mem %s[1] : !frag.mem<256x64xbf16, #s>
        %d1, %t1 = frag.mma_start #mma %a, %bb trans, %d : !fly : !frag.mem<64x64xbf16, #s>, !frag.mem<256x64xbf16, #s> -> !fly, !tok
        frag.release %sp after(%tp : !tok)                                // FIFO [tp, t1]: wait 1, arrive
        scf.yield %d1, %t1, %s, %c2 : !fly, !tok, !frag.slot, i32
      }
      %x = frag.await %l#1 (%l#0 : !fly) : !tok -> !acc                   // wait 0
      frag.release %l#2 after(%l#1 : !tok)
        // Columns 0 to 63.
        %h0 = arith.constant 0 : index
        %n0 = arith.addi %n, %h0 : index
        %bias0 = frag.read %b[%n0] : !vb -> !frag.f<64xbf16, #col>
        %part0 = frag.slice %x [0, 0] : !frag.f<64x256xf32, #acc> -> !frag.f<64x64xf32, #acc>
        %y0 = frag.map(%part0, %bias0 : !frag.f<64x64xf32, #acc>, !frag.f<64xbf16, #col>) -> !frag.f<64x64xbf16, #acc> {
        ^bb0(%e: f32, %f: bf16):
          %g = arith.extf %f : bf16 to f32
          %u = arith.addf %e, %g : f32
          %v = arith.mulf %u, %rsqrt2 : f32
          %w = math.erf %v : f32
          %o1 = arith.addf %w, %one : f32
          %hu = arith.mulf %u, %half : f32
          %y = arith.mulf %hu, %o1 : f32
          %yh = arith.truncf %y : f32 to bf16
          frag.yield %yh : bf16
        }
        %w0, %qw0 = frag.acquire write %out[%qw] : !outf             // waits for the copy two chunks ago
        %wm0 = frag.slot_mem %w0[0] : !frag.mem<64x64xbf16, #s>
        frag.write %y0, %wm0[%z, %z] : !frag.f<64x64xbf16, #acc>, !frag.mem<64x64xbf16, #s>
        frag.release %w0
        %rs0, %qr0 = frag.acquire read %out[%qr] : !outf
        frag.barrier replica proxy
        %rm0 = frag.slot_mem %rs0[0] : !frag.mem<64x64xbf16, #s>
        %tc0 = frag.copy_out #ptx.bulk %rm0 to %D[%mr, %n0] : !frag.mem<64x64xbf16, #s> -> !v
        frag.release %rs0 after(%tc0 : !tile.token)                         // deferred: nobody waits here
        // Columns 64 to 127.
        %h64 = arith.constant 64 : index
        %n64 = arith.addi %n, %h64 : index
        %bias64 = frag.read %b[%n64] : !vb -> !frag.f<64xbf16, #col>
        %part64 = frag.slice %x [0, 64] : !frag.f<64x256xf32, #acc> -> !frag.f<64x64xf32, #acc>
        %y64 = frag.map(%part64, %bias64 : !frag.f<64x64xf32, #acc>, !frag.f<64xbf16, #col>) -> !frag.f<64x64xbf16, #acc> {
        ^bb0(%e: f32, %f: bf16):
          %g = arith.extf %f : bf16 to f32
          %u = arith.addf %e, %g : f32
          %v = arith.mulf %u, %rsqrt2 : f32
          %w = math.erf %v : f32
          %o1 = arith.addf %w, %one : f32
          %hu = arith.mulf %u, %half : f32
          %y = arith.mulf %hu, %o1 : f32
          %yh = arith.truncf %y : f32 to bf16
          frag.yield %yh : bf16
        }
        %w64, %qw64 = frag.acquire write %out[%qw0] : !outf             // waits for the copy two chunks ago
        %wm64 = frag.slot_mem %w64[0] : !frag.mem<64x64xbf16, #s>
        frag.write %y64, %wm64[%z, %z] : !frag.f<64x64xbf16, #acc>, !frag.mem<64x64xbf16, #s>
        frag.release %w64
        %rs64, %qr64 = frag.acquire read %out[%qr0] : !outf
        frag.barrier replica proxy
        %rm64 = frag.slot_mem %rs64[0] : !frag.mem<64x64xbf16, #s>
        %tc64 = frag.copy_out #ptx.bulk %rm64 to %D[%mr, %n64] : !frag.mem<64x64xbf16, #s> -> !v
        frag.release %rs64 after(%tc64 : !tile.token)                         // deferred: nobody waits here
        // Columns 128 to 191.
        %h128 = arith.constant 128 : index
        %n128 = arith.addi %n, %h128 : index
        %bias128 = frag.read %b[%n128] : !vb -> !frag.f<64xbf16, #col>
        %part128 = frag.slice %x [0, 128] : !frag.f<64x256xf32, #acc> -> !frag.f<64x64xf32, #acc>
        %y128 = frag.map(%part128, %bias128 : !frag.f<64x64xf32, #acc>, !frag.f<64xbf16, #col>) -> !frag.f<64x64xbf16, #acc> {
        ^bb0(%e: f32, %f: bf16):
          %g = arith.extf %f : bf16 to f32
          %u = arith.addf %e, %g : f32
          %v = arith.mulf %u, %rsqrt2 : f32
          %w = math.erf %v : f32
          %o1 = arith.addf %w, %one : f32
          %hu = arith.mulf %u, %half : f32
          %y = arith.mulf %hu, %o1 : f32
          %yh = arith.truncf %y : f32 to bf16
          frag.yield %yh : bf16
        }
        %w128, %qw128 = frag.acquire write %out[%qw64] : !outf             // waits for the copy two chunks ago
        %wm128 = frag.slot_mem %w128[0] : !frag.mem<64x64xbf16, #s>
        frag.write %y128, %wm128[%z, %z] : !frag.f<64x64xbf16, #acc>, !frag.mem<64x64xbf16, #s>
        frag.release %w128
        %rs128, %qr128 = frag.acquire read %out[%qr64] : !outf
        frag.barrier replica proxy
        %rm128 = frag.slot_mem %rs128[0] : !frag.mem<64x64xbf16, #s>
        %tc128 = frag.copy_out #ptx.bulk %rm128 to %D[%mr, %n128] : !frag.mem<64x64xbf16, #s> -> !v
        frag.release %rs128 after(%tc128 : !tile.token)                         // deferred: nobody waits here
        // Columns 192 to 255.
        %h192 = arith.constant 192 : index
        %n192 = arith.addi %n, %h192 : index
        %bias192 = frag.read %b[%n192] : !vb -> !frag.f<64xbf16, #col>
        %part192 = frag.slice %x [0, 192] : !frag.f<64x256xf32, #acc> -> !frag.f<64x64xf32, #acc>
        %y192 = frag.map(%part192, %bias192 : !frag.f<64x64xf32, #acc>, !frag.f<64xbf16, #col>) -> !frag.f<64x64xbf16, #acc> {
        ^bb0(%e: f32, %f: bf16):
          %g = arith.extf %f : bf16 to f32
          %u = arith.addf %e, %g : f32
          %v = arith.mulf %u, %rsqrt2 : f32
          %w = math.erf %v : f32
          %o1 = arith.addf %w, %one : f32
          %hu = arith.mulf %u, %half : f32
          %y = arith.mulf %hu, %o1 : f32
          %yh = arith.truncf %y : f32 to bf16
          frag.yield %yh : bf16
        }
        %w192, %qw192 = frag.acquire write %out[%qw128] : !outf             // waits for the copy two chunks ago
        %wm192 = frag.slot_mem %w192[0] : !frag.mem<64x64xbf16, #s>
        frag.write %y192, %wm192[%z, %z] : !frag.f<64x64xbf16, #acc>, !frag.mem<64x64xbf16, #s>
        frag.release %w192
        %rs192, %qr192 = frag.acquire read %out[%qr128] : !outf
        frag.barrier replica proxy
        %rm192 = frag.slot_mem %rs192[0] : !frag.mem<64x64xbf16, #s>
        %tc192 = frag.copy_out #ptx.bulk %rm192 to %D[%mr, %n192] : !frag.mem<64x64xbf16, #s> -> !v
        frag.release %rs192 after(%tc192 : !tile.token)                         // deferred: nobody waits here
      scf.yield %l#3, %qw192, %qr192 : i32, i32, i32
    }
    frag.yield
  }
  frag.return
}
