// RUN: helios-opt --helios-select-schedule --split-input-file %s | FileCheck %s

// A packed operand takes no shared memory: there is room for two buffers of the other in a large tile, and it is read ahead, in a loop that the driver
// may unroll.
// CHECK-LABEL: helios.kernel @constant(
// CHECK-SAME: schedule = #helios.schedule<tile = [64, 256, 64], groups = [1, 4], mma = [16, 16, 16], depth = 2, raster = {{[0-9]+}}, ahead = 1>
helios.kernel @constant(%a: tensor<?x?xf16>, %b: tensor<?x?xf16> {helios.constant}) -> tensor<?x?xf16> attributes {target = #spv.target<"nvidia">} {
  %d = helios.matmul %a, %b : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
  helios.return %d : tensor<?x?xf16>
}

// -----

// Both operands of this tile would not fit: 55 KB of 48.
// CHECK-LABEL: helios.kernel @given(
// CHECK-SAME: schedule = #helios.schedule<tile = [128, 256, 64], groups = [2, 4], mma = [16, 16, 16]>
helios.kernel @given(%a: tensor<?x?xf16>, %b: tensor<?x?xf16> {helios.constant}) -> tensor<?x?xf16>
    attributes {target = #spv.target<"nvidia">, schedule = #helios.schedule<tile = [128, 256, 64], groups = [2, 4]>} {
  %d = helios.matmul %a, %b : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
  helios.return %d : tensor<?x?xf16>
}
