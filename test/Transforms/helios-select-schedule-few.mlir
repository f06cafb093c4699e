// RUN: helios-opt --helios-select-schedule --split-input-file %s | FileCheck %s

// Where tiles are few, each waits for its own steps: longer ones of small tiles wait less often. Where a processor holds one, its price alone is
// that of its share.
// CHECK-LABEL: helios.kernel @plain(
// CHECK-SAME: alone_weights = array<i64: [[#]], [[#]], [[#]], [[#]], [[#ONE:]],
// CHECK-SAME: #helios.schedule<tile = [64, 64, 64], mma = [16, 16, 16], raster = {{[0-9]+}}, unroll = 1>
// CHECK-SAME: #helios.schedule<tile = [32, 32, 256], mma = [16, 16, 16], unroll = 1>
// CHECK-SAME: #helios.schedule<tile = [64, 64, 128], groups = [2, 4], mma = [16, 16, 16], unroll = 1>
// CHECK-SAME: #helios.schedule<tile = [128, 128, 64], groups = [2, 4], mma = [16, 16, 16], unroll = 1>
// CHECK-SAME: schedule = #helios.schedule<mma = [16, 16, 16], raster = {{[0-9]+}}>
// CHECK-SAME: weights = array<i64: [[#]], [[#]], [[#]], [[#]], [[#ONE]],
helios.kernel @plain(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> tensor<?x?xf16> attributes {target = #spv.target<"nvidia">} {
  %d = helios.matmul %a, %b {transpose_b} : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
  helios.return %d : tensor<?x?xf16>
}

// -----

// Of an operand that is packed before, too: four groups, which read it three products ahead where there are two buffers of the other.
// CHECK-LABEL: helios.kernel @packed(
// CHECK-SAME: #helios.schedule<tile = [32, 128, 64], groups = [1, 4], mma = [16, 16, 16], depth = 2, raster = {{[0-9]+}}, ahead = 3>
// CHECK-SAME: #helios.schedule<tile = [32, 64, 256], groups = [1, 4], mma = [16, 16, 16], raster = {{[0-9]+}}, unroll = 1>
// CHECK-NOT: groups = [1, 1]
// CHECK-NOT: groups = [1, 2]
// CHECK-SAME: schedule = #helios.schedule<tile = [64, 256, 64], groups = [1, 4], mma = [16, 16, 16], depth = 2, raster = {{[0-9]+}}, ahead = 1>
helios.kernel @packed(%a: tensor<?x?xf16>, %b: tensor<?x?xf16> {helios.constant}) -> tensor<?x?xf16> attributes {target = #spv.target<"nvidia">} {
  %d = helios.matmul %a, %b {transpose_b} : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
  helios.return %d : tensor<?x?xf16>
}

// -----

// No step is longer than K.
// CHECK-LABEL: helios.kernel @short(
// CHECK-NOT: 128], groups
// CHECK-NOT: 256], mma
helios.kernel @short(%a: tensor<?x64xf16>, %b: tensor<?x64xf16>) -> tensor<?x?xf16> attributes {target = #spv.target<"nvidia">} {
  %d = helios.matmul %a, %b {transpose_b} : (tensor<?x64xf16>, tensor<?x64xf16>) -> tensor<?x?xf16> acc f32
  helios.return %d : tensor<?x?xf16>
}

// -----

// Lanes that multiply themselves were not measured alone: smaller tiles as before, in steps of at most 64.
// CHECK-LABEL: helios.kernel @lanes(
// CHECK-NOT: 128], groups
// CHECK-NOT: 256], groups
helios.kernel @lanes(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>) -> tensor<?x?xf32> attributes {target = #spv.target<"simt">} {
  %d = helios.matmul %a, %b {transpose_b} : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32> acc f32
  helios.return %d : tensor<?x?xf32>
}

// -----

// Nor was any other device: no row but NVIDIA's has what a step alone takes.
// CHECK-LABEL: helios.kernel @unmeasured(
// CHECK-NOT: 128], groups
// CHECK-NOT: 256], mma
// CHECK: helios.matmul
helios.kernel @unmeasured(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> tensor<?x?xf16> attributes {target = #spv.target<"rdna">} {
  %d = helios.matmul %a, %b {transpose_b} : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
  helios.return %d : tensor<?x?xf16>
}
