// RUN: helios-opt --helios-to-tile --canonicalize --cse --split-input-file %s | FileCheck %s
// RUN: helios-opt --helios-to-tile --tile-prove-bounds --split-input-file %s | FileCheck %s --check-prefix=PROVED

// Four slices. The first program leaves the sums of each slice in the workspace; slices are the outermost dimension of its items. No fused operand,
// no result.
// CHECK-LABEL: tile.program @gemm_full_slices(
// CHECK-SAME: %[[PA:[^:]+]]: !tile.ptr<f16>, %[[PB:[^:]+]]: !tile.ptr<f16>, %[[PW:[^:]+]]: !tile.ptr<f32>,
// CHECK-SAME: %[[M:[^:]+]]: index {tile.div = 64 : index, tile.range = array<i64: 1, 2147483647>}
// CHECK-SAME: %[[N:[^:]+]]: index {tile.div = 32 : index
// CHECK-SAME: %[[K:[^:]+]]: index {tile.div = 16 : index
// CHECK-SAME: %[[S:[^:]+]]: index {tile.range = array<i64: 1, 2147483647>}
// CHECK-SAME: %[[PER:[^:]+]]: index {tile.range = array<i64: 1, 2147483647>}) attributes
// CHECK-SAME: config = #tile.config<groups = [2, 1], mma = [8, 8, 8], depth = 2, pad = 4>
// CHECK: %[[W:.+]] = tile.view %[[PW]][%[[S]], %[[M]], %[[N]]] strides[%{{.+}}, %{{.+}}] : <f32> -> <?x?x?xf32, strides = [?, ?, 1], div = [4, 4, 1], align = 16>
// CHECK: %[[STEPS:.+]] = arith.ceildivui %[[K]], %{{.+}}
// CHECK: tile.items (%[[Z:.+]], %[[I:.+]], %[[J:.+]]) in (%[[S]], %{{.+}}, %{{.+}}) #tile.items<persistent, raster = [1, 4]> {
// CHECK: %[[FIRST:.+]] = arith.muli %[[Z]], %[[PER]]
// CHECK: %[[LEFT:.+]] = arith.subi %[[STEPS]], %[[FIRST]]
// CHECK: %[[MINE:.+]] = arith.minsi %[[PER]], %[[LEFT]]
// CHECK-NOT: arith.maxsi
// CHECK: %[[X:.+]] = scf.for %[[T:.+]] = %c0 to %[[MINE]]
// CHECK: %[[AT:.+]] = arith.addi %[[FIRST]], %[[T]]
// CHECK: arith.muli %[[AT]], %c16
// CHECK: tile.dot
// CHECK: tile.store %[[X]], %[[W]][%[[Z]], %{{.+}}, %{{.+}}] : tensor<64x32xf32>

// The second one adds them up, from the first on, in tiles of its own, and has the epilogue. Whole tiles have none of their own.
// CHECK-LABEL: tile.program @gemm_aligned_sum(
// CHECK-SAME: %[[PW:[^:]+]]: !tile.ptr<f32>, %[[PC:[^:]+]]: !tile.ptr<f16>, %[[PD:[^:]+]]: !tile.ptr<f16>,
// CHECK-SAME: %[[M:[^:]+]]: index {tile.range = array<i64: 1, 2147483647>}
// CHECK-SAME: %[[N:[^:]+]]: index {tile.div = 8 : index
// CHECK-SAME: %[[S:[^:]+]]: index {tile.range = array<i64: 1, 2147483647>}
// CHECK-SAME: config = #tile.config<groups = [4, 1], pad = 4>
// CHECK-NOT: tile.dot
// CHECK: tile.items (%[[I:.+]], %[[J:.+]]) in (%{{.+}}, %{{.+}}) #tile.items<grid> {
// CHECK: %[[X:.+]] = scf.for %[[Z:.+]] = %c0 to %[[S]] step %c1 iter_args(%[[ACC:.+]] = %{{.+}}) -> (tensor<8x32xf32>)
// CHECK: %[[L:.+]] = tile.load %{{.+}}[%[[Z]], %{{.+}}, %{{.+}}] : {{.*}} -> tensor<8x32xf32>
// CHECK: %[[Y:.+]] = arith.addf %[[ACC]], %[[L]]
// CHECK: scf.yield %[[Y]]
// CHECK: tile.load {{.*}} -> tensor<32xf16>
// CHECK: arith.truncf %{{.+}} : tensor<8x32xf32> to tensor<8x32xf16>
// CHECK: tile.store

// Where nobody proves that steps lie inside of K, the loop says that it makes one.
// CHECK-LABEL: tile.program @gemm_aligned_slices(
// CHECK: %[[MINE:.+]] = arith.minsi
// CHECK: arith.maxsi %[[MINE]], %c1
// K may be zero: one slice without a step, so that its sum is zero.
// CHECK-LABEL: tile.program @gemm_any_slices(
// CHECK-SAME: index {tile.range = array<i64: 0, 2147483647>}
// CHECK-NOT: arith.maxsi
// CHECK-LABEL: tile.program @gemm_any_sum(

// CHECK-LABEL: tile.plan @gemm(
// CHECK-SAME: schedule = "tile=64x32x16,groups=2x1,mma=8x8x8,depth=2,pad=4,raster=4,items=persistent,split_k=4"
// CHECK: %[[K:.+]] = tile.extent %arg0, 1
// CHECK: %[[ALL:.+]] = arith.ceildivui %[[K]], %c16
// CHECK: %[[SOME:.+]] = arith.maxui %[[ALL]], %c1
// CHECK: %[[PER:.+]] = arith.ceildivui %[[SOME]], %c4
// CHECK: %[[S:.+]] = arith.ceildivui %[[SOME]], %[[PER]]
// CHECK: %[[W:.+]] = tile.workspace %c0 : <f32>
// CHECK: tile.dispatch @gemm_full_slices[%{{.+}}] (%arg0, %arg1, %[[W]], {{.*}}, %[[PER]]) {variant = "full"}
// CHECK: tile.dispatch @gemm_aligned_sum[%{{.+}}] (%[[W]], %arg2, %arg3, {{.*}}, %[[S]], {{.*}}) {variant = "full"}
// CHECK: tile.dispatch @gemm_aligned_slices
// CHECK: tile.dispatch @gemm_aligned_sum
// CHECK: tile.dispatch @gemm_any_slices
// CHECK: tile.dispatch @gemm_any_sum

// The slices of whole tiles need no test of bounds.
// PROVED-LABEL: tile.program @gemm_full_slices(
// PROVED-COUNT-2: tile.load {{.*}} in_bounds
// PROVED: tile.store {{.*}} in_bounds
// PROVED-LABEL: tile.program @gemm_aligned_sum(
// PROVED-NOT: in_bounds
// PROVED: tile.plan
helios.kernel @gemm(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %bias: tensor<?xf16>) -> tensor<?x?xf16>
    attributes {target = #spv.target<"lavapipe">,
                schedule = #helios.schedule<tile = [64, 32, 16], groups = [2, 1], mma = [8, 8, 8], depth = 2, pad = 4, raster = 4, items = persistent, split_k = 4>} {
  %d = helios.matmul %a, %b fused(%bias : tensor<?xf16>) {transpose_b}
      : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32 {
  ^bb0(%x: f32, %c: f16):
    %e = arith.extf %c : f16 to f32
    %y = arith.addf %x, %e : f32
    %z = arith.truncf %y : f32 to f16
    helios.yield %z : f16
  }
  helios.return %d : tensor<?x?xf16>
}

// -----

// As many slices as give every processor an item, of 512 elements of K at least. What is static is computed here: 128 steps.
// CHECK-LABEL: tile.plan @free(
// CHECK: %[[UNITS:.+]] = tile.device compute_units
// CHECK: %[[SOME:.+]] = arith.maxui %{{.+}}, %c1
// CHECK: %[[IDLE:.+]] = arith.divui %[[UNITS]], %[[SOME]]
// CHECK: %[[LESS:.+]] = arith.minui %[[IDLE]], %c4
// CHECK: %[[COUNT:.+]] = arith.maxui %[[LESS]], %c1
// CHECK: %[[PER:.+]] = arith.ceildivui %c128, %[[COUNT]]
// CHECK: arith.ceildivui %c128, %[[PER]]
helios.kernel @free(%a: tensor<?x2048xf16>, %b: tensor<2048x?xf16>) -> tensor<?x?xf16>
    attributes {target = #spv.target<"lavapipe">, schedule = #helios.schedule<tile = [64, 32, 16], mma = [8, 8, 8], split_k = 0>} {
  %d = helios.matmul %a, %b : (tensor<?x2048xf16>, tensor<2048x?xf16>) -> tensor<?x?xf16> acc f32
  helios.return %d : tensor<?x?xf16>
}

// -----

// Where lanes compute the right operand of few rows: as many as processors hold, three of 64 KB each here.
// CHECK-LABEL: tile.plan @held(
// CHECK: %[[UNITS:.+]] = tile.device compute_units
// CHECK: %[[HELD:.+]] = arith.muli %[[UNITS]], %c3
// CHECK: %[[SOME:.+]] = arith.maxui %{{.+}}, %c1
// CHECK: arith.divui %[[HELD]], %[[SOME]]
helios.kernel @held(%a: tensor<?x2048xf16>, %b: tensor<?x1024xi8>, %scale: tensor<?x16xf16>) -> tensor<?x?xf16>
    attributes {target = #ptx.target<"sm_90a">, schedule = #helios.schedule<strategy = groups, tile = [16, 64, 512], groups = [1, 4], mma = [16, 8, 16], depth = 2, split_k = 0>} {
  %d = helios.matmul %a, %b prologue(%scale : tensor<?x16xf16>) {group = 128 : i64, transpose_b} : (tensor<?x2048xf16>, tensor<?x1024xi8>) -> tensor<?x?xf16> acc f32 prologue {
  ^bb0(%both: i8, %factor: f16):
    %c4 = arith.constant 4 : i8
    %raised = arith.shli %both, %c4 : i8
    %low = arith.shrsi %raised, %c4 : i8
    %high = arith.shrsi %both, %c4 : i8
    %low16 = arith.sitofp %low : i8 to f16
    %high16 = arith.sitofp %high : i8 to f16
    %first = arith.mulf %low16, %factor : f16
    %second = arith.mulf %high16, %factor : f16
    helios.yield %first, %second : f16, f16
  }
  helios.return %d : tensor<?x?xf16>
}

// -----

// Batches, integer sums, and two products: each has slices of its own, behind the intermediate result in the workspace.
// CHECK-LABEL: tile.program @two_0_full_slices(
// CHECK: tile.items (%{{.+}}, %{{.+}}, %{{.+}}, %{{.+}}) in (%{{.+}}, %{{.+}}, %{{.+}}, %{{.+}}) #tile.items<grid, raster = [2, 8]>
// CHECK: tile.store {{.*}} : tensor<64x32xi32>
// CHECK-LABEL: tile.program @two_0_aligned_sum(
// CHECK: arith.addi %{{.+}}, %{{.+}} : tensor<8x128xi32>
// CHECK-LABEL: tile.program @two_1_full_slices(
// CHECK-LABEL: tile.program @two_1_aligned_sum(
// CHECK-LABEL: tile.plan @two(
// CHECK-DAG: tile.workspace %c0 : <i8>
// CHECK-DAG: tile.workspace %[[FIRST:[^c][^ ]*]] : <i32>
// CHECK-DAG: tile.workspace %[[SECOND:[^c][^ ]*]] : <i32>
// CHECK: tile.dispatch @two_0_full_slices
// CHECK-NEXT: tile.dispatch @two_0_aligned_sum
// CHECK-NEXT: tile.dispatch @two_1_full_slices
// CHECK-NEXT: tile.dispatch @two_1_aligned_sum
helios.kernel @two(%a: tensor<?x?x?xi8>, %b: tensor<?x?xi8>, %c: tensor<?x?xi8>) -> tensor<?x?x?xi32>
    attributes {target = #ptx.target<"sm_80">, schedule = #helios.schedule<strategy = groups, tile = [64, 32, 32], mma = [16, 8, 32], depth = 2, split_k = 2>} {
  %e = helios.matmul %a, %b {transpose_b} : (tensor<?x?x?xi8>, tensor<?x?xi8>) -> tensor<?x?x?xi8> acc i32 {
  ^bb0(%x: i32):
    %y = arith.trunci %x : i32 to i8
    helios.yield %y : i8
  }
  %d = helios.matmul %e, %c {transpose_b} : (tensor<?x?x?xi8>, tensor<?x?xi8>) -> tensor<?x?x?xi32> acc i32
  helios.return %d : tensor<?x?x?xi32>
}

// -----

// An engine that clips its copies needs no program for whole tiles.
// CHECK-NOT: @clipped_full
// CHECK: tile.program @clipped_aligned_slices(
// CHECK-SAME: strategy = roles
// CHECK: tile.program @clipped_aligned_sum(
// CHECK-SAME: config = #tile.config<groups = [4, 1], pad = 8>
// CHECK: tile.program @clipped_any(
helios.kernel @clipped(%a: tensor<?x?xbf16>, %b: tensor<?x?xbf16>) -> tensor<?x?xbf16>
    attributes {target = #ptx.target<"sm_90a">,
                schedule = #helios.schedule<strategy = roles, tile = [128, 128, 64], groups = [2, 1], mma = [64, 128, 16], depth = 4, items = persistent, split_k = 3>} {
  %d = helios.matmul %a, %b : (tensor<?x?xbf16>, tensor<?x?xbf16>) -> tensor<?x?xbf16> acc f32
  helios.return %d : tensor<?x?xbf16>
}

// -----

// A choice: a tile costs its weight for each element of its part of K, and slices cost a dispatch and each of their elements.
// CHECK-DAG: tile.program @choice_full(
// CHECK-DAG: tile.program @choice_full_32x32x16_split4_slices(
// CHECK-DAG: tile.program @choice_aligned_sum(
// CHECK-DAG: tile.program @choice_any(
// CHECK-NOT: @choice_any_32
// CHECK-LABEL: tile.plan @choice(
// CHECK-DAG: %[[C100:.+]] = arith.constant 100 : index
// CHECK-DAG: %[[C7:.+]] = arith.constant 7 : index
// CHECK-DAG: %[[C5000:.+]] = arith.constant 5000 : index
// CHECK: %[[UNITS:.+]] = tile.device compute_units
// CHECK: %[[T0:.+]] = arith.ceildivui %{{.+}}, %[[UNITS]]
// CHECK: %[[U0:.+]] = arith.muli %[[T0]], %[[C100]]
// CHECK: %[[P0:.+]] = arith.muli %[[U0]], %{{.+}}
// CHECK: %[[T1:.+]] = arith.ceildivui %{{.+}}, %[[UNITS]]
// CHECK: %[[U1:.+]] = arith.muli %[[T1]], %[[C100]]
// CHECK: %[[V1:.+]] = arith.muli %[[U1]], %{{.+}}
// CHECK: %[[E:.+]] = arith.ceildivui %{{.+}}, %[[UNITS]]
// CHECK: %[[F:.+]] = arith.muli %[[E]], %[[C7]]
// CHECK: %[[G:.+]] = arith.addi %[[V1]], %[[F]]
// CHECK: %[[P1:.+]] = arith.addi %[[G]], %[[C5000]]
// CHECK: %[[CHEAPEST:.+]] = arith.minui %[[P0]], %[[P1]]
// CHECK-DAG: arith.cmpi sle, %[[P0]], %[[CHEAPEST]]
// CHECK-DAG: arith.cmpi slt, %[[P1]], %[[P0]]
// CHECK: tile.dispatch @choice_full_32x32x16_split4_slices[{{.*}}variant = "full-32x32x16_split4"
// CHECK: tile.dispatch @choice_any[{{.*}}variant = "any"
helios.kernel @choice(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> tensor<?x?xf16>
    attributes {target = #spv.target<"lavapipe">, weights = array<i64: 100, 100>, sum_weights = array<i64: 5000, 7>,
                schedule = #helios.schedule<tile = [32, 32, 16]>, alternatives = [#helios.schedule<tile = [32, 32, 16], split_k = 4>]} {
  %d = helios.matmul %a, %b : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
  helios.return %d : tensor<?x?xf16>
}
