// RUN: helios-opt %s | helios-opt | FileCheck %s
// RUN: helios-opt %s --mlir-print-op-generic | helios-opt | FileCheck %s
// RUN: helios-opt %s --canonicalize --cse | helios-opt | FileCheck %s

// Level 3 of split-k-tile.mlir, for lavapipe (8x8x8 matrices, subgroups of 8): the part and the sum, in the plain form, without
// the overlap of loads and products. Run now, through Vulkan: test/EndToEnd/hard-programs.test.
//
// What it shows:
// - The Vulkan path: 16-byte loads into registers, padded shared memory, cooperative loads one k-step at a time beside their product.
// - An opaque accumulator has no coordinates; it reaches memory through shared memory, read back in 16-byte units and
//   clipped at the view's bounds.
// - The sum is element-wise only: no matrix, no shared memory; a loop that carries a fragment.

#coop = #spv.coop<[8, 8, 8], f16, f16, f32, lanes = 8>
#oC = #tile.opaque<acc, #coop, groups = [2, 2]>
#oA = #tile.opaque<a, #coop, groups = [2, 2]>
#oB = #tile.opaque<b, #coop, groups = [2, 2]>
#r32 = #tile.regs<vec = [1, 8], lanes = [2, 4], groups = [4, 1]>
#r64 = #tile.regs<vec = [1, 8], lanes = [1, 8], groups = [4, 1]>
#f64 = #tile.regs<vec = [1, 4], lanes = [1, 8], groups = [4, 1]>
#s = #tile.shared<order = [1, 0], pad = 8>
#sf = #tile.shared<order = [1, 0], pad = 4>
!va = !tile.view<?x?xf16, strides = [?, 1], div = [8, 1], align = 16>
!vw = !tile.view<?x?x?xf32, strides = [?, ?, 1], div = [4, 4, 1], align = 16>
!acc = !frag.f<64x64xf32, #oC>
!sA = !frag.mem<64x32xf16, #s>
!sB = !frag.mem<32x64xf16, #s>
!sC = !frag.mem<64x64xf32, #sf>

// CHECK-LABEL: frag.kernel @part(
// CHECK: scf.for
// CHECK: frag.barrier workgroup
// CHECK-COUNT-4: frag.mma
// CHECK: frag.write %{{.*}}, %{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}]
frag.kernel @part(%pA: !tile.ptr<f16>, %pB: !tile.ptr<f16>, %pW: !tile.ptr<f32>, %M: index {tile.range = array<i64: 1, 2147483647>},
    %N: index {tile.range = array<i64: 1, 2147483647>, tile.div = 8 : index},
    %K: index {tile.range = array<i64: 1, 2147483647>, tile.div = 8 : index}, %S: index {tile.range = array<i64: 1, 64>},
    %per: index {tile.range = array<i64: 1, 2147483647>})
    attributes {threads = 32 : i64, shared_bytes = 17408 : i64, synchronized, target = #spv.target<"lavapipe">} {
  %z = arith.constant 0 : index
  %one = arith.constant 1 : index
  %k8 = arith.constant 8 : index
  %k16 = arith.constant 16 : index
  %k24 = arith.constant 24 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %zf = arith.constant 0.0 : f32
  %zero = frag.splat %zf : f32 -> !acc
  %MN = arith.muli %M, %N : index
  %A = tile.view %pA[%M, %K] strides [%K] : !tile.ptr<f16> -> !va
  %B = tile.view %pB[%K, %N] strides [%N] : !tile.ptr<f16> -> !va
  %W = tile.view %pW[%S, %M, %N] strides [%MN, %N] : !tile.ptr<f32> -> !vw
  %tm = arith.ceildivui %M, %c64 : index
  %tn = arith.ceildivui %N, %c64 : index
  %tk = arith.ceildivui %K, %c32 : index
  %mn = arith.muli %tm, %tn : index
  %items = arith.muli %mn, %S : index
  %wg = frag.id workgroup
  // The grid may be rounded up.
  %inside = arith.cmpi ult, %wg, %items : index
  scf.if %inside {
    %zs = arith.remui %wg, %S : index
    %ij = arith.divui %wg, %S : index
    %j = arith.remui %ij, %tn : index
    %i = arith.divui %ij, %tn : index
    %m = arith.muli %i, %c64 : index
    %n = arith.muli %j, %c64 : index
    %lo = arith.muli %zs, %per : index
    %end = arith.addi %lo, %per : index
    %hi = arith.minui %end, %tk : index
    %sA = frag.shared 0 : !sA
    %sB = frag.shared 5120 : !sB
    %x = scf.for %kt = %lo to %hi step %one iter_args(%acc = %zero) -> (!acc) {
      %k = arith.muli %kt, %c32 : index
      %a = frag.read %A[%m, %k] : !va -> !frag.f<64x32xf16, #r32>
      %b = frag.read %B[%k, %n] : !va -> !frag.f<32x64xf16, #r64>
      frag.barrier workgroup
      frag.write %a, %sA[%z, %z] : !frag.f<64x32xf16, #r32>, !sA
      frag.write %b, %sB[%z, %z] : !frag.f<32x64xf16, #r64>, !sB
      frag.barrier workgroup
      %fa0 = frag.read %sA[%z, %z] : !sA -> !frag.f<64x8xf16, #oA>
      %fb0 = frag.read %sB[%z, %z] : !sB -> !frag.f<8x64xf16, #oB>
      %y0 = frag.mma #coop %fa0, %fb0, %acc : !frag.f<64x8xf16, #oA>, !frag.f<8x64xf16, #oB>, !acc
      %fa1 = frag.read %sA[%z, %k8] : !sA -> !frag.f<64x8xf16, #oA>
      %fb1 = frag.read %sB[%k8, %z] : !sB -> !frag.f<8x64xf16, #oB>
      %y1 = frag.mma #coop %fa1, %fb1, %y0 : !frag.f<64x8xf16, #oA>, !frag.f<8x64xf16, #oB>, !acc
      %fa2 = frag.read %sA[%z, %k16] : !sA -> !frag.f<64x8xf16, #oA>
      %fb2 = frag.read %sB[%k16, %z] : !sB -> !frag.f<8x64xf16, #oB>
      %y2 = frag.mma #coop %fa2, %fb2, %y1 : !frag.f<64x8xf16, #oA>, !frag.f<8x64xf16, #oB>, !acc
      %fa3 = frag.read %sA[%z, %k24] : !sA -> !frag.f<64x8xf16, #oA>
      %fb3 = frag.read %sB[%k24, %z] : !sB -> !frag.f<8x64xf16, #oB>
      %y3 = frag.mma #coop %fa3, %fb3, %y2 : !frag.f<64x8xf16, #oA>, !frag.f<8x64xf16, #oB>, !acc
      scf.yield %y3 : !acc
    }
    %sC = frag.shared 0 : !sC
    frag.barrier workgroup
    frag.write %x, %sC[%z, %z] : !acc, !sC
    frag.barrier workgroup
    %w = frag.read %sC[%z, %z] : !sC -> !frag.f<64x64xf32, #f64>
    frag.write %w, %W[%zs, %m, %n] : !frag.f<64x64xf32, #f64>, !vw
  }
  frag.return
}

// CHECK-LABEL: frag.kernel @sum(
// CHECK: scf.for
// CHECK: frag.map
// CHECK: frag.write
frag.kernel @sum(%pW: !tile.ptr<f32>, %pD: !tile.ptr<f16>, %M: index {tile.range = array<i64: 1, 2147483647>},
    %N: index {tile.range = array<i64: 1, 2147483647>, tile.div = 8 : index}, %S: index {tile.range = array<i64: 1, 64>})
    attributes {threads = 32 : i64, synchronized, target = #spv.target<"lavapipe">} {
  %z = arith.constant 0 : index
  %one = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %zf = arith.constant 0.0 : f32
  %zero = frag.splat %zf : f32 -> !frag.f<16x64xf32, #r64>
  %MN = arith.muli %M, %N : index
  %W = tile.view %pW[%S, %M, %N] strides [%MN, %N] : !tile.ptr<f32> -> !vw
  %D = tile.view %pD[%M, %N] strides [%N] : !tile.ptr<f16> -> !va
  %tm = arith.ceildivui %M, %c16 : index
  %tn = arith.ceildivui %N, %c64 : index
  %items = arith.muli %tm, %tn : index
  %wg = frag.id workgroup
  %inside = arith.cmpi ult, %wg, %items : index
  scf.if %inside {
    %j = arith.remui %wg, %tn : index
    %i = arith.divui %wg, %tn : index
    %m = arith.muli %i, %c16 : index
    %n = arith.muli %j, %c64 : index
    %x = scf.for %zs = %z to %S step %one iter_args(%acc = %zero) -> (!frag.f<16x64xf32, #r64>) {
      %w = frag.read %W[%zs, %m, %n] : !vw -> !frag.f<16x64xf32, #r64>
      %y = frag.map(%acc, %w : !frag.f<16x64xf32, #r64>, !frag.f<16x64xf32, #r64>) -> !frag.f<16x64xf32, #r64> {
      ^bb0(%a: f32, %b: f32):
        %t = arith.addf %a, %b : f32
        frag.yield %t : f32
      }
      scf.yield %y : !frag.f<16x64xf32, #r64>
    }
    %d = frag.map(%x : !frag.f<16x64xf32, #r64>) -> !frag.f<16x64xf16, #r64> {
    ^bb0(%a: f32):
      %t = arith.truncf %a : f32 to f16
      frag.yield %t : f16
    }
    frag.write %d, %D[%m, %n] : !frag.f<16x64xf16, #r64>, !va
  }
  frag.return
}

// Eight parts of K, whatever the shape.
tile.plan @gemm(%A: tensor<?x?xf16>, %B: tensor<?x?xf16>, %D: tensor<?x?xf16>)
    attributes {output_count = 1 : i64, arg_names = ["a", "b", "d"], schedule = "tile=64x64x32,groups=2x2,split=8"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  
  %M = tile.extent %A, 0 : tensor<?x?xf16>
  %K = tile.extent %A, 1 : tensor<?x?xf16>
  %KB = tile.extent %B, 0 : tensor<?x?xf16>
  %N = tile.extent %B, 1 : tensor<?x?xf16>
  %MD = tile.extent %D, 0 : tensor<?x?xf16>
  %ND = tile.extent %D, 1 : tensor<?x?xf16>
  %okK = arith.cmpi eq, %K, %KB : index
  tile.require %okK, "extent 1 of a must equal extent 0 of b"
  %okM = arith.cmpi eq, %M, %MD : index
  tile.require %okM, "extent 0 of d must equal extent 0 of a"
  %okN = arith.cmpi eq, %N, %ND : index
  tile.require %okN, "extent 1 of d must equal extent 1 of b"
  // The facts of the programs: dense rows in units of 16 bytes, at least one step.
  %la = tile.stride %A, 0 : tensor<?x?xf16>
  %lb = tile.stride %B, 0 : tensor<?x?xf16>
  %ld = tile.stride %D, 0 : tensor<?x?xf16>
  %denseA = arith.cmpi eq, %la, %K : index
  %denseB = arith.cmpi eq, %lb, %N : index
  %denseD = arith.cmpi eq, %ld, %N : index
  %ab = arith.andi %denseA, %denseB : i1
  %dense = arith.andi %ab, %denseD : i1
  tile.require %dense, "a, b and d must be dense"
  %rn = arith.remui %N, %c8 : index
  %rk = arith.remui %K, %c8 : index
  %r = arith.addi %rn, %rk : index
  %units = arith.cmpi eq, %r, %c0 : index
  tile.require %units, "extents 1 of a and b must be multiples of 8"
  %positive = arith.cmpi ugt, %K, %c0 : index
  tile.require %positive, "extent 1 of a must be at least 1"
  %alA = tile.alignment %A : tensor<?x?xf16>
  %alB = tile.alignment %B : tensor<?x?xf16>
  %alD = tile.alignment %D : tensor<?x?xf16>
  %al0 = arith.minui %alA, %alB : index
  %al1 = arith.minui %al0, %alD : index
  %aligned = arith.cmpi uge, %al1, %c16 : index
  tile.require %aligned, "a, b and d must start at multiples of 16 bytes"
  %tm = arith.ceildivui %M, %c64 : index
  %tn = arith.ceildivui %N, %c64 : index
  %tk = arith.ceildivui %K, %c32 : index
  %tiles = arith.muli %tm, %tn : index
  %per = arith.ceildivui %tk, %c8 : index
  %parts = arith.muli %tiles, %c8 : index
  %w = tile.workspace %c0 : !tile.ptr<f32>
  tile.dispatch @part[%parts](%A, %B, %w, %M, %N, %K, %c8, %per) {variant = "split"}
      : tensor<?x?xf16>, tensor<?x?xf16>, !tile.ptr<f32>, index, index, index, index, index
  %sm = arith.ceildivui %M, %c16 : index
  %sums = arith.muli %sm, %tn : index
  tile.dispatch @sum[%sums](%w, %D, %M, %N, %c8) {variant = "split"} : !tile.ptr<f32>, tensor<?x?xf16>, index, index, index
  %mn = arith.muli %M, %N : index
  %e = arith.muli %mn, %c8 : index
  %b = arith.muli %e, %c4 : index
  tile.plan_yield %b
}
