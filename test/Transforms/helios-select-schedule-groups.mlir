// RUN: helios-opt --helios-select-schedule --split-input-file %s | FileCheck %s
// RUN: helios-opt --helios-select-schedule --helios-to-tile --split-input-file %s | FileCheck %s --check-prefix=TILE

// As many slots as fit; accumulators and the operands of two steps in the registers of a lane. The tiles that a GPU computes at one time cover
// about as many rows as columns. A tile of three quarters stands between the largest ones alone. Smaller tiles, which stand one on a processor,
// take steps of 64 and as many slots as fit.
// CHECK-LABEL: @large
// CHECK-SAME: alternatives = [#helios.schedule<strategy = groups, tile = [128, 192, 32], groups = [2, 4], mma = [16, 8, 16], depth = 4, raster = 16>,
// CHECK-SAME: tile = [128, 128, 64]
// CHECK-SAME: tile = [64, 128, 64], groups = [1, 4], mma = [16, 8, 16], depth = 4

// CHECK-SAME: schedule = #helios.schedule<strategy = groups, tile = [128, 256, 32], groups = [2, 4], mma = [16, 8, 16], depth = 4, raster = 16>
// Where nothing is known of rows, loads are staged, in a tile whose elements have room in registers.
// TILE-LABEL: tile.program @large_full
// TILE-SAME: config = #tile.config<groups = [2, 4], mma = [16, 8, 16], strategy = groups, depth = 4
// TILE-LABEL: tile.program @large_aligned(
// TILE-SAME: strategy = groups, depth = 4
// TILE-LABEL: tile.program @large_any
// TILE-SAME: config = #tile.config<groups = [2, 4], mma = [16, 8, 16], pad = 8, unroll = 1>
// TILE: tile.items {{.*}} #tile.items<grid
// TILE: -> (tensor<128x128xf32>)
helios.kernel @large(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> tensor<?x?xf16> attributes {target = #ptx.target<"sm_89">} {
  %d = helios.matmul %a, %b {transpose_b} : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
  helios.return %d : tensor<?x?xf16>
}

// -----

// More shared memory holds longer steps.
// CHECK-LABEL: @ampere
// CHECK-SAME: schedule = #helios.schedule<strategy = groups, tile = [128, 256, 64], groups = [2, 4], mma = [16, 8, 16], depth = 3, raster = 16>
helios.kernel @ampere(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> tensor<?x?xf16> attributes {target = #ptx.target<"sm_80">} {
  %d = helios.matmul %a, %b : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
  helios.return %d : tensor<?x?xf16>
}

// -----

// Persistent programs have as many workgroups as the device holds at once.
// TILE-LABEL: tile.program @persistent_full
// TILE: tile.items {{.*}} #tile.items<persistent
// TILE: tile.plan @persistent
// TILE: %[[UNITS:.*]] = tile.device compute_units
// TILE: %[[RESIDENT:.*]] = arith.constant 2 : index
// TILE: %[[MOST:.*]] = arith.muli %[[UNITS]], %[[RESIDENT]]
// TILE: %[[GRID:.*]] = arith.minui %{{.*}}, %[[MOST]]
// TILE: tile.dispatch @persistent_full[%[[GRID]]]
helios.kernel @persistent(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> tensor<?x?xf16> attributes {target = #ptx.target<"sm_89">,
    schedule = #helios.schedule<strategy = groups, tile = [128, 128, 32], groups = [2, 2], depth = 3, items = persistent>} {
  %d = helios.matmul %a, %b : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
  helios.return %d : tensor<?x?xf16>
}

// -----

// Slots of a small product are as long as a swizzle takes to repeat, or a multiple of it.
// CHECK-LABEL: @small
// CHECK-SAME: schedule = #helios.schedule<{{.*}}tile = [16, 24, 64]
helios.kernel @small(%a: tensor<16x64xf16>, %b: tensor<64x24xf16>) -> tensor<16x24xf16> attributes {target = #ptx.target<"sm_89">} {
  %d = helios.matmul %a, %b : (tensor<16x64xf16>, tensor<64x24xf16>) -> tensor<16x24xf16> acc f32
  helios.return %d : tensor<16x24xf16>
}

// -----

// Lanes multiply f32 by themselves: no instruction for matrices keeps its precision. What several lanes hold of the same operand counts.
// CHECK-LABEL: @single
// CHECK-SAME: #helios.schedule<strategy = groups, groups = [2, 4], mma = [32, 16, 4], depth = 3
helios.kernel @single(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>) -> tensor<?x?xf32> attributes {target = #ptx.target<"sm_89">} {
  %d = helios.matmul %a, %b : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32> acc f32
  helios.return %d : tensor<?x?xf32>
}
