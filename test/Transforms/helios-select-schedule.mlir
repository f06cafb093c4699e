// RUN: helios-opt --helios-select-schedule --split-input-file %s | FileCheck %s
// RUN: helios-opt --helios-select-schedule=schedule=tile=32x32x16,groups=2x2 --split-input-file %s | FileCheck %s --check-prefix=GIVEN

// Rows with matrix instructions, by their limits.
// Two workgroups share a processor, which is worth more than rows along k that fill a cache line.
// CHECK-LABEL: @large
// CHECK-SAME: schedule = #helios.schedule<mma = [16, 16, 16], raster = 16>
// GIVEN-LABEL: @large
// GIVEN-SAME: #helios.schedule<tile = [32, 32, 16], mma = [16, 16, 16]>
helios.kernel @large(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> tensor<?x?xf16> attributes {target = #spv.target<"nvidia">} {
  %d = helios.matmul %a, %b {transpose_b} : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
  helios.return %d : tensor<?x?xf16>
}

// -----

// CHECK-LABEL: @one_along_k
// CHECK-SAME: #helios.schedule<mma = [16, 16, 16], raster = 16>
// GIVEN-LABEL: @one_along_k
helios.kernel @one_along_k(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> tensor<?x?xf16> attributes {target = #spv.target<"nvidia">} {
  %d = helios.matmul %a, %b : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
  helios.return %d : tensor<?x?xf16>
}

// -----

// CHECK-LABEL: @software
// CHECK-SAME: #helios.schedule<tile = [32, 32, 64], groups = [2, 4], mma = [8, 8, 8], raster = 16, unroll = 1>
// GIVEN-LABEL: @software
helios.kernel @software(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> tensor<?x?xf16> attributes {target = #spv.target<"lavapipe">} {
  %d = helios.matmul %a, %b : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
  helios.return %d : tensor<?x?xf16>
}

// -----

// A small static product gets no tile far larger than itself.
// CHECK-LABEL: @small
// CHECK-SAME: tile = [16, 32, 
// GIVEN-LABEL: @small
helios.kernel @small(%a: tensor<9x?xf16>, %b: tensor<?x20xf16>) -> tensor<9x20xf16> attributes {target = #spv.target<"lavapipe">} {
  %d = helios.matmul %a, %b : (tensor<9x?xf16>, tensor<?x20xf16>) -> tensor<9x20xf16> acc f32
  helios.return %d : tensor<9x20xf16>
}

// -----

// A given schedule stays; only the instruction is filled in.
// CHECK-LABEL: @given
// CHECK-SAME: #helios.schedule<tile = [64, 32, 16], groups = [2, 1], mma = [8, 8, 8], raster = 4>
// GIVEN-LABEL: @given
// GIVEN-SAME: #helios.schedule<tile = [32, 32, 16], mma = [8, 8, 8]>
helios.kernel @given(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> tensor<?x?xf16>
    attributes {target = #spv.target<"lavapipe">, schedule = #helios.schedule<tile = [64, 32, 16], groups = [2, 1], raster = 4>} {
  %d = helios.matmul %a, %b : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
  helios.return %d : tensor<?x?xf16>
}

// -----

// Narrow accumulators leave registers, which operands of larger groups would need.
// CHECK-LABEL: @narrow
// CHECK-SAME: #helios.schedule<mma = [16, 16, 16], raster = 16>
// GIVEN-LABEL: @narrow
helios.kernel @narrow(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> tensor<?x?xf16> attributes {target = #spv.target<"nvidia">} {
  %d = helios.matmul %a, %b : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f16
  helios.return %d : tensor<?x?xf16>
}
