// RUN: helios-opt %s | helios-opt | FileCheck %s
// RUN: helios-opt %s --mlir-print-op-generic | helios-opt | FileCheck %s
// RUN: helios-opt %s --canonicalize --cse | helios-opt | FileCheck %s --check-prefix=CLEAN

// Level 2, as a pass from level 1 would emit it: D = rmsnorm(A)·Wᵀ, where rmsnorm(a) = a · g / sqrt(mean(a²) + eps) along a row of A.
// Run from level 3 now (rmsnorm-frag.mlir); from here once tile-assign-layouts combines partial vectors over lanes (the attention lowering).
//
// What it shows:
// - A row statistic accumulated in the same loop over K as the product: A is read once. The factor of a row does not depend on k, so
//   it is applied to the accumulator after the loop; the gain g does, so it is applied to A on the way.
// - The operand of a product is a function of two loads, computed on tiles; nothing knows a norm.
// - The padding behind K is zero: it adds nothing to the statistic either.

!va = !tile.view<?x?xf16, strides = [?, 1], div = [8, 1], align = 16>
!vg = !tile.view<?xf16, strides = [1], align = 16>

// CHECK-LABEL: tile.program @rmsnorm_program(
// CHECK: scf.for {{.*}} -> (tensor<64x64xf32>, tensor<64xf32>)
// CHECK: tile.reduce add
// CHECK: tile.dot
// CHECK: math.rsqrt
// CLEAN-LABEL: tile.program @rmsnorm_program(
tile.program @rmsnorm_program(%pA: !tile.ptr<f16>, %pW: !tile.ptr<f16>, %pg: !tile.ptr<f16>, %pD: !tile.ptr<f16>,
    %M: index {tile.range = array<i64: 1, 2147483647>}, %N: index {tile.range = array<i64: 1, 2147483647>, tile.div = 8 : index},
    %K: index {tile.range = array<i64: 1, 2147483647>, tile.div = 8 : index}, %invK: f32, %eps: f32)
    attributes {target = #spv.target<"lavapipe">, config = #tile.config<groups = [2, 2], mma = [8, 8, 8]>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %zs = arith.constant dense<0.0> : tensor<64xf32>
  %A = tile.view %pA[%M, %K] strides [%K] : !tile.ptr<f16> -> !va
  %W = tile.view %pW[%N, %K] strides [%K] : !tile.ptr<f16> -> !va
  %D = tile.view %pD[%M, %N] strides [%N] : !tile.ptr<f16> -> !va
  %g = tile.view %pg[%K] : !tile.ptr<f16> -> !vg
  %tm = arith.ceildivui %M, %c64 : index
  %tn = arith.ceildivui %N, %c64 : index
  %tk = arith.ceildivui %K, %c32 : index
  tile.items (%i, %j) in (%tm, %tn) #tile.items<grid, raster = [0, 8]> {
    %m = arith.muli %i, %c64 : index
    %n = arith.muli %j, %c64 : index
    %x:2 = scf.for %kt = %c0 to %tk step %c1 iter_args(%acc = %zero, %st = %zs) -> (tensor<64x64xf32>, tensor<64xf32>) {
      %k = arith.muli %kt, %c32 : index
      %a = tile.load %A[%m, %k] : !va -> tensor<64x32xf16>
      %w = tile.load %W[%n, %k] : !va -> tensor<64x32xf16>
      %gk = tile.load %g[%k] : !vg -> tensor<32xf16>
      %af = arith.extf %a : tensor<64x32xf16> to tensor<64x32xf32>
      %sq = arith.mulf %af, %af : tensor<64x32xf32>
      %r = tile.reduce add %sq, 1 : tensor<64x32xf32> -> tensor<64xf32>
      %st1 = arith.addf %st, %r : tensor<64xf32>
      %gf = arith.extf %gk : tensor<32xf16> to tensor<32xf32>
      %gx = tile.expand %gf, [0] : tensor<32xf32> -> tensor<64x32xf32>
      %ag = arith.mulf %af, %gx : tensor<64x32xf32>
      %ah = arith.truncf %ag : tensor<64x32xf32> to tensor<64x32xf16>
      %wt = tile.transpose %w : tensor<64x32xf16> -> tensor<32x64xf16>
      %y = tile.dot %ah, %wt, %acc : tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>
      scf.yield %y, %st1 : tensor<64x64xf32>, tensor<64xf32>
    }
    %ik = tile.expand %invK, [0] : f32 -> tensor<64xf32>
    %ep = tile.expand %eps, [0] : f32 -> tensor<64xf32>
    %mean = arith.mulf %x#1, %ik : tensor<64xf32>
    %me = arith.addf %mean, %ep : tensor<64xf32>
    %f = math.rsqrt %me : tensor<64xf32>
    %fx = tile.expand %f, [1] : tensor<64xf32> -> tensor<64x64xf32>
    %s = arith.mulf %x#0, %fx : tensor<64x64xf32>
    %d = arith.truncf %s : tensor<64x64xf32> to tensor<64x64xf16>
    tile.store %d, %D[%m, %n] : tensor<64x64xf16>, !va
  }
  tile.return
}

// CHECK-LABEL: tile.plan @rmsnorm(
// CHECK: tile.dispatch @rmsnorm_program[
// CLEAN-LABEL: tile.plan @rmsnorm(
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
  tile.dispatch @rmsnorm_program[%tiles](%A, %W, %g, %D, %M, %N, %K, %invK, %eps) {variant = "any"}
      : tensor<?x?xf16>, tensor<?x?xf16>, tensor<?xf16>, tensor<?x?xf16>, index, index, index, f32, f32
  tile.plan_yield %c0
}
