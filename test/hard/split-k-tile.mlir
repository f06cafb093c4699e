// RUN: helios-opt %s | helios-opt | FileCheck %s
// RUN: helios-opt %s --mlir-print-op-generic | helios-opt | FileCheck %s
// RUN: helios-opt %s --canonicalize --cse | helios-opt | FileCheck %s --check-prefix=CLEAN

// Level 2, as a pass from level 1 would emit it: D = A·B with few output tiles and a long K, in two launches. Run now, through Vulkan.
//
// What it shows:
// - There is no promise of progress between workgroups, so partial sums go through the workspace and a second program adds them
//   in a fixed order: the result is the same bit by bit in every run. `deterministic` says so, and the verifier then refuses
//   tile.atomic_reduce.
// - The third coordinate of the work items is the part of K; a part behind the end has an empty range and stores zeros, so the second
//   program reads only what was written.
// - The plan is total arithmetic on extents: it requires agreeing shapes, decides by the number of tiles and steps whether
//   splitting pays, launches both programs or the plain one, and yields the size of the workspace.

!va = !tile.view<?x?xf16, strides = [?, 1], div = [8, 1], align = 16>
!vw = !tile.view<?x?x?xf32, strides = [?, ?, 1], div = [4, 4, 1], align = 16>

// CHECK-LABEL: tile.program @part(
// CHECK: tile.items (%{{.*}}, %{{.*}}, %{{.*}}) in
// CHECK: tile.dot
// CHECK: tile.store %{{.*}}, %{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}] : tensor<64x64xf32>
// CLEAN-LABEL: tile.program @part(
tile.program @part(%pA: !tile.ptr<f16>, %pB: !tile.ptr<f16>, %pW: !tile.ptr<f32>, %M: index {tile.range = array<i64: 1, 2147483647>},
    %N: index {tile.range = array<i64: 1, 2147483647>, tile.div = 8 : index}, %K: index {tile.range = array<i64: 1, 2147483647>, tile.div = 8 : index},
    %S: index {tile.range = array<i64: 1, 64>}, %per: index {tile.range = array<i64: 1, 2147483647>})
    attributes {target = #spv.target<"lavapipe">, config = #tile.config<groups = [2, 2], mma = [8, 8, 8]>, deterministic} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %MN = arith.muli %M, %N : index
  %A = tile.view %pA[%M, %K] strides [%K] : !tile.ptr<f16> -> !va
  %B = tile.view %pB[%K, %N] strides [%N] : !tile.ptr<f16> -> !va
  %W = tile.view %pW[%S, %M, %N] strides [%MN, %N] : !tile.ptr<f32> -> !vw
  %tm = arith.ceildivui %M, %c64 : index
  %tn = arith.ceildivui %N, %c64 : index
  %tk = arith.ceildivui %K, %c32 : index
  tile.items (%i, %j, %z) in (%tm, %tn, %S) #tile.items<grid> {
    %m = arith.muli %i, %c64 : index
    %n = arith.muli %j, %c64 : index
    %lo = arith.muli %z, %per : index
    %end = arith.addi %lo, %per : index
    %hi = arith.minui %end, %tk : index
    %x = scf.for %kt = %lo to %hi step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) {
      %k = arith.muli %kt, %c32 : index
      %a = tile.load %A[%m, %k] : !va -> tensor<64x32xf16>
      %b = tile.load %B[%k, %n] : !va -> tensor<32x64xf16>
      %y = tile.dot %a, %b, %acc : tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>
      scf.yield %y : tensor<64x64xf32>
    }
    tile.store %x, %W[%z, %m, %n] : tensor<64x64xf32>, !vw
  }
  tile.return
}

// CHECK-LABEL: tile.program @sum(
// CHECK: scf.for
// CHECK: arith.addf %{{.*}} : tensor<16x64xf32>
// CLEAN-LABEL: tile.program @sum(
tile.program @sum(%pW: !tile.ptr<f32>, %pD: !tile.ptr<f16>, %M: index {tile.range = array<i64: 1, 2147483647>},
    %N: index {tile.range = array<i64: 1, 2147483647>, tile.div = 8 : index}, %S: index {tile.range = array<i64: 1, 64>})
    attributes {target = #spv.target<"lavapipe">, config = #tile.config<groups = [2, 2], mma = [8, 8, 8]>, deterministic} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<16x64xf32>
  %MN = arith.muli %M, %N : index
  %W = tile.view %pW[%S, %M, %N] strides [%MN, %N] : !tile.ptr<f32> -> !vw
  %D = tile.view %pD[%M, %N] strides [%N] : !tile.ptr<f16> -> !va
  %tm = arith.ceildivui %M, %c16 : index
  %tn = arith.ceildivui %N, %c64 : index
  tile.items (%i, %j) in (%tm, %tn) #tile.items<grid> {
    %m = arith.muli %i, %c16 : index
    %n = arith.muli %j, %c64 : index
    %x = scf.for %z = %c0 to %S step %c1 iter_args(%acc = %zero) -> (tensor<16x64xf32>) {
      %w = tile.load %W[%z, %m, %n] : !vw -> tensor<16x64xf32>
      %y = arith.addf %acc, %w : tensor<16x64xf32>
      scf.yield %y : tensor<16x64xf32>
    }
    %d = arith.truncf %x : tensor<16x64xf32> to tensor<16x64xf16>
    tile.store %d, %D[%m, %n] : tensor<16x64xf16>, !va
  }
  tile.return
}

// The plain program, for shapes with enough output tiles.
// CHECK-LABEL: tile.program @whole(
// CLEAN-LABEL: tile.program @whole(
tile.program @whole(%pA: !tile.ptr<f16>, %pB: !tile.ptr<f16>, %pD: !tile.ptr<f16>, %M: index {tile.range = array<i64: 1, 2147483647>},
    %N: index {tile.range = array<i64: 1, 2147483647>, tile.div = 8 : index}, %K: index {tile.range = array<i64: 1, 2147483647>, tile.div = 8 : index})
    attributes {target = #spv.target<"lavapipe">, config = #tile.config<groups = [2, 2], mma = [8, 8, 8]>, deterministic} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %A = tile.view %pA[%M, %K] strides [%K] : !tile.ptr<f16> -> !va
  %B = tile.view %pB[%K, %N] strides [%N] : !tile.ptr<f16> -> !va
  %D = tile.view %pD[%M, %N] strides [%N] : !tile.ptr<f16> -> !va
  %tm = arith.ceildivui %M, %c64 : index
  %tn = arith.ceildivui %N, %c64 : index
  %tk = arith.ceildivui %K, %c32 : index
  tile.items (%i, %j) in (%tm, %tn) #tile.items<grid, raster = [0, 8]> {
    %m = arith.muli %i, %c64 : index
    %n = arith.muli %j, %c64 : index
    %x = scf.for %kt = %c0 to %tk step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) {
      %k = arith.muli %kt, %c32 : index
      %a = tile.load %A[%m, %k] : !va -> tensor<64x32xf16>
      %b = tile.load %B[%k, %n] : !va -> tensor<32x64xf16>
      %y = tile.dot %a, %b, %acc : tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>
      scf.yield %y : tensor<64x64xf32>
    }
    %d = arith.truncf %x : tensor<64x64xf32> to tensor<64x64xf16>
    tile.store %d, %D[%m, %n] : tensor<64x64xf16>, !va
  }
  tile.return
}

// CHECK-LABEL: tile.plan @gemm(
// CHECK: tile.require
// CHECK: scf.if
// CHECK: tile.dispatch @part[
// CHECK: tile.dispatch @sum[
// CHECK: else
// CHECK: tile.dispatch @whole[
// CHECK: tile.plan_yield
// CLEAN-LABEL: tile.plan @gemm(
// CLEAN: tile.dispatch @part[
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
  %few = arith.cmpi ult, %tiles, %c8 : index
  %long = arith.cmpi uge, %tk, %c16 : index
  %split = arith.andi %few, %long : i1
  %bytes = scf.if %split -> (index) {
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
    scf.yield %b : index
  } else {
    tile.dispatch @whole[%tiles](%A, %B, %D, %M, %N, %K) {variant = "whole"}
        : tensor<?x?xf16>, tensor<?x?xf16>, tensor<?x?xf16>, index, index, index
    scf.yield %c0 : index
  }
  tile.plan_yield %bytes
}
