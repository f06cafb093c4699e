// RUN: helios-opt %s | helios-opt | FileCheck %s
// RUN: helios-opt %s --mlir-print-op-generic | helios-opt | FileCheck %s
// RUN: helios-opt %s --canonicalize --cse | helios-opt | FileCheck %s

// Level 3 of rmsnorm-tile.mlir, for lavapipe: D = rmsnorm(A)·Wᵀ. Run now, through Vulkan:
// test/EndToEnd/hard-programs.test.
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

// CHECK-LABEL: frag.kernel @rmsnorm_kernel(
// CHECK: scf.for
// CHECK-COUNT-4: frag.mma
// CHECK: frag.reduce add {{.*}}, lane
// CHECK: math.rsqrt
frag.kernel @rmsnorm_kernel(%pA: !tile.ptr<f16>, %pW: !tile.ptr<f16>, %pg: !tile.ptr<f16>, %pD: !tile.ptr<f16>,
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

tile.plan @rmsnorm(%A: tensor<?x?xf16>, %W: tensor<?x?xf16>, %g: tensor<?xf16>, %invK: f32, %eps: f32, %D: tensor<?x?xf16>)
    attributes {output_count = 1 : i64, arg_names = ["a", "w", "g", "inv_k", "eps", "d"], schedule = "tile=64x64x32,groups=2x2"} {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %M = tile.extent %A, 0 : tensor<?x?xf16>
  %K = tile.extent %A, 1 : tensor<?x?xf16>
  %N = tile.extent %W, 0 : tensor<?x?xf16>
  %KW = tile.extent %W, 1 : tensor<?x?xf16>
  %Kg = tile.extent %g, 0 : tensor<?xf16>
  %okW = arith.cmpi eq, %K, %KW : index
  tile.require %okW, "extent 1 of a must equal extent 1 of w"
  %okg = arith.cmpi eq, %K, %Kg : index
  tile.require %okg, "extent 1 of a must equal extent 0 of g"
  %MD = tile.extent %D, 0 : tensor<?x?xf16>
  %ND = tile.extent %D, 1 : tensor<?x?xf16>
  %okM = arith.cmpi eq, %M, %MD : index
  tile.require %okM, "extent 0 of d must equal extent 0 of a"
  %okN = arith.cmpi eq, %N, %ND : index
  tile.require %okN, "extent 1 of d must equal extent 0 of w"
  %positive = arith.cmpi ugt, %K, %c0 : index
  tile.require %positive, "extent 1 of a must be at least 1"
  %la = tile.stride %A, 0 : tensor<?x?xf16>
  %lw = tile.stride %W, 0 : tensor<?x?xf16>
  %ld = tile.stride %D, 0 : tensor<?x?xf16>
  %denseA = arith.cmpi eq, %la, %K : index
  %denseW = arith.cmpi eq, %lw, %K : index
  %denseD = arith.cmpi eq, %ld, %N : index
  %aw = arith.andi %denseA, %denseW : i1
  %dense = arith.andi %aw, %denseD : i1
  tile.require %dense, "a, w and d must be dense"
  %rn = arith.remui %N, %c8 : index
  %rk = arith.remui %K, %c8 : index
  %r = arith.addi %rn, %rk : index
  %units = arith.cmpi eq, %r, %c0 : index
  tile.require %units, "extents of w must be multiples of 8"
  %alA = tile.alignment %A : tensor<?x?xf16>
  %alW = tile.alignment %W : tensor<?x?xf16>
  %alg = tile.alignment %g : tensor<?xf16>
  %alD = tile.alignment %D : tensor<?x?xf16>
  %al0 = arith.minui %alA, %alW : index
  %al1 = arith.minui %al0, %alg : index
  %al2 = arith.minui %al1, %alD : index
  %aligned = arith.cmpi uge, %al2, %c16 : index
  tile.require %aligned, "a, w, g and d must start at multiples of 16 bytes"
  %tm = arith.ceildivui %M, %c64 : index
  %tn = arith.ceildivui %N, %c64 : index
  %tiles = arith.muli %tm, %tn : index
  tile.dispatch @rmsnorm_kernel[%tiles](%A, %W, %g, %D, %M, %N, %K, %invK, %eps) {variant = "any"}
      : tensor<?x?xf16>, tensor<?x?xf16>, tensor<?xf16>, tensor<?x?xf16>, index, index, index, f32, f32
  tile.plan_yield %c0
}
