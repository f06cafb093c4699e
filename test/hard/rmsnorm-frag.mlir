// RUN: helios-opt %s | helios-opt | FileCheck %s
// RUN: helios-opt %s --mlir-print-op-generic | helios-opt | FileCheck %s
// RUN: helios-opt %s --canonicalize --cse | helios-opt | FileCheck %s

// Level 3 of rmsnorm-tile.mlir, for lavapipe: D = rmsnorm(A)·Wᵀ. Run now, through Vulkan.
//
// What it shows:
// - The statistic is accumulated element by element in the registers that load A; its lanes meet once, after the loop, through shared
//   memory, read in a layout that gives a lane whole rows (`#own`): the reduction within a lane is then the whole one, and needs no
//   subgroup operation. (Where lanes can shuffle, a partial vector is carried instead: attention-sm90-frag.mlir.)
// - A goes through the gain on its way from memory to shared memory, in the registers that move it anyway.
// - The row factor changes layout through 256 bytes of shared memory: from the lanes that loaded A to those that store D.

#coop = #spv.coop<[8, 8, 8], f16, f16, f32, lanes = 8>
#oC = #tile.opaque<acc, #coop, groups = [2, 2]>
#oA = #tile.opaque<a, #coop, groups = [2, 2]>
#oB = #tile.opaque<b, #coop, groups = [2, 2]>
#r32 = #tile.regs<vec = [1, 8], lanes = [2, 4], groups = [4, 1]>
#r64 = #tile.regs<vec = [1, 8], lanes = [1, 8], groups = [4, 1]>
#own = #tile.regs<vec = [1, 32], lanes = [8, 1], groups = [4, 1]>
#vec = #tile.slice<1, #own>
#gain = #tile.slice<0, #r32>
#row = #tile.slice<1, #r64>
#s = #tile.shared<order = [1, 0], pad = 8>
#sf = #tile.shared<order = [1, 0], pad = 4>
#v1 = #tile.shared<order = [0]>
!va = !tile.view<?x?xf16, strides = [?, 1], div = [8, 1], align = 16>
!vg = !tile.view<?xf16, strides = [1], align = 16>
!acc = !frag.f<64x64xf32, #oC>
!a = !frag.f<64x32xf16, #r32>
!sq = !frag.f<64x32xf32, #r32>
!sS = !frag.mem<64x32xf32, #sf>
!sA = !frag.mem<64x32xf16, #s>
!sC = !frag.mem<64x64xf32, #sf>

// CHECK-LABEL: frag.kernel @rmsnorm(
// CHECK: scf.for
// CHECK-COUNT-4: frag.mma
// CHECK: frag.reduce add {{.*}}, lane
// CHECK: math.rsqrt
frag.kernel @rmsnorm(%pA: !tile.ptr<f16>, %pW: !tile.ptr<f16>, %pg: !tile.ptr<f16>, %pD: !tile.ptr<f16>,
    %M: index {tile.range = array<i64: 1, 2147483647>}, %N: index {tile.range = array<i64: 1, 2147483647>, tile.div = 8 : index},
    %K: index {tile.range = array<i64: 1, 2147483647>, tile.div = 8 : index}, %invK: f32, %eps: f32)
    attributes {threads = 32 : i64, shared_bytes = 17664 : i64, synchronized, target = #spv.target<"lavapipe">} {
  %z = arith.constant 0 : index
  %one = arith.constant 1 : index
  %k8 = arith.constant 8 : index
  %k16 = arith.constant 16 : index
  %k24 = arith.constant 24 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %zf = arith.constant 0.0 : f32
  %zero = frag.splat %zf : f32 -> !acc
  %zs = frag.splat %zf : f32 -> !sq
  %A = tile.view %pA[%M, %K] strides [%K] : !tile.ptr<f16> -> !va
  %W = tile.view %pW[%N, %K] strides [%K] : !tile.ptr<f16> -> !va
  %D = tile.view %pD[%M, %N] strides [%N] : !tile.ptr<f16> -> !va
  %g = tile.view %pg[%K] : !tile.ptr<f16> -> !vg
  %tm = arith.ceildivui %M, %c64 : index
  %tn = arith.ceildivui %N, %c64 : index
  %tk = arith.ceildivui %K, %c32 : index
  %items = arith.muli %tm, %tn : index
  %wg = frag.id workgroup
  %inside = arith.cmpi ult, %wg, %items : index
  scf.if %inside {
    %j = arith.remui %wg, %tn : index
    %i = arith.divui %wg, %tn : index
    %m = arith.muli %i, %c64 : index
    %n = arith.muli %j, %c64 : index
    %sA = frag.shared 0 : !sA
    %sW = frag.shared 5120 : !sA
    %x:2 = scf.for %kt = %z to %tk step %one iter_args(%acc = %zero, %st = %zs) -> (!acc, !sq) {
      %k = arith.muli %kt, %c32 : index
      %a = frag.read %A[%m, %k] : !va -> !a
      %w = frag.read %W[%n, %k] : !va -> !a
      %gk = frag.read %g[%k] : !vg -> !frag.f<32xf16, #gain>
      %st1, %ag = frag.map(%a, %gk, %st : !a, !frag.f<32xf16, #gain>, !sq) -> !sq, !a {
      ^bb0(%e: f16, %f: f16, %old: f32):
        %ef = arith.extf %e : f16 to f32
        %gf = arith.extf %f : f16 to f32
        %q = math.fma %ef, %ef, %old : f32
        %p = arith.mulf %ef, %gf : f32
        %h = arith.truncf %p : f32 to f16
        frag.yield %q, %h : f32, f16
      }
      frag.barrier workgroup
      frag.write %ag, %sA[%z, %z] : !a, !sA
      frag.write %w, %sW[%z, %z] : !a, !sA
      frag.barrier workgroup
      %fa0 = frag.read %sA[%z, %z] : !sA -> !frag.f<64x8xf16, #oA>
      %fb0 = frag.read %sW[%z, %z] trans : !sA -> !frag.f<8x64xf16, #oB>
      %y0 = frag.mma #coop %fa0, %fb0, %acc : !frag.f<64x8xf16, #oA>, !frag.f<8x64xf16, #oB>, !acc
      %fa1 = frag.read %sA[%z, %k8] : !sA -> !frag.f<64x8xf16, #oA>
      %fb1 = frag.read %sW[%z, %k8] trans : !sA -> !frag.f<8x64xf16, #oB>
      %y1 = frag.mma #coop %fa1, %fb1, %y0 : !frag.f<64x8xf16, #oA>, !frag.f<8x64xf16, #oB>, !acc
      %fa2 = frag.read %sA[%z, %k16] : !sA -> !frag.f<64x8xf16, #oA>
      %fb2 = frag.read %sW[%z, %k16] trans : !sA -> !frag.f<8x64xf16, #oB>
      %y2 = frag.mma #coop %fa2, %fb2, %y1 : !frag.f<64x8xf16, #oA>, !frag.f<8x64xf16, #oB>, !acc
      %fa3 = frag.read %sA[%z, %k24] : !sA -> !frag.f<64x8xf16, #oA>
      %fb3 = frag.read %sW[%z, %k24] trans : !sA -> !frag.f<8x64xf16, #oB>
      %y3 = frag.mma #coop %fa3, %fb3, %y2 : !frag.f<64x8xf16, #oA>, !frag.f<8x64xf16, #oB>, !acc
      scf.yield %y3, %st1 : !acc, !sq
    }
    // The row factor, from the lanes that loaded A to those that store D.
    %sS = frag.shared 0 : !sS
    frag.barrier workgroup
    frag.write %x#1, %sS[%z, %z] : !sq, !sS
    frag.barrier workgroup
    %rows = frag.read %sS[%z, %z] : !sS -> !frag.f<64x32xf32, #own>
    %full = frag.reduce add %rows, lane dim 1 : !frag.f<64x32xf32, #own> -> !frag.f<64xf32, #vec>
    %f = frag.map(%full : !frag.f<64xf32, #vec>) -> !frag.f<64xf32, #vec> {
    ^bb0(%e: f32):
      %mean = arith.mulf %e, %invK : f32
      %me = arith.addf %mean, %eps : f32
      %t = math.rsqrt %me : f32
      frag.yield %t : f32
    }
    %sC = frag.shared 0 : !sC
    %sf = frag.shared 17408 : !frag.mem<64xf32, #v1>
    frag.barrier workgroup
    frag.write %x#0, %sC[%z, %z] : !acc, !sC
    frag.write %f, %sf[%z] : !frag.f<64xf32, #vec>, !frag.mem<64xf32, #v1>
    frag.barrier workgroup
    %c = frag.read %sC[%z, %z] : !sC -> !frag.f<64x64xf32, #r64>
    %fr = frag.read %sf[%z] : !frag.mem<64xf32, #v1> -> !frag.f<64xf32, #row>
    %d = frag.map(%c, %fr : !frag.f<64x64xf32, #r64>, !frag.f<64xf32, #row>) -> !frag.f<64x64xf16, #r64> {
    ^bb0(%e: f32, %t: f32):
      %p = arith.mulf %e, %t : f32
      %h = arith.truncf %p : f32 to f16
      frag.yield %h : f16
    }
    frag.write %d, %D[%m, %n] : !frag.f<64x64xf16, #r64>, !va
  }
  frag.return
}
