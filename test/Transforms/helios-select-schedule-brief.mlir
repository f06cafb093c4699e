// RUN: helios-opt --helios-select-schedule --split-input-file %s | FileCheck %s

// Products of little K: beside schedules with roles one alternative has small tiles in groups, with steps of 64 bytes. Those for few rows come behind it.

// CHECK-LABEL: @any_depth
// CHECK-SAME: #helios.schedule<strategy = groups, tile = [64, 64, 32], mma = [16, 8, 16], depth = 3>, #helios.schedule<strategy = groups, tile = [8,
helios.kernel @any_depth(%a: tensor<?x?xbf16>, %b: tensor<?x?xbf16>) -> tensor<?x?xbf16> attributes {target = #ptx.target<"sm_90a">} {
  %d = helios.matmul %a, %b {transpose_b} : (tensor<?x?xbf16>, tensor<?x?xbf16>) -> tensor<?x?xbf16> acc f32
  helios.return %d : tensor<?x?xbf16>
}

// -----

// Twice the elements where they have half the bytes.
// CHECK-LABEL: @bytes
// CHECK-SAME: strategy = groups, tile = [64, 64, 64], mma = [16, 8, 32], depth = 3>
helios.kernel @bytes(%a: tensor<?x?xi8>, %b: tensor<?x?xi8>) -> tensor<?x?xi32> attributes {target = #ptx.target<"sm_90a">} {
  %d = helios.matmul %a, %b {transpose_b} : (tensor<?x?xi8>, tensor<?x?xi8>) -> tensor<?x?xi32> acc i32
  helios.return %d : tensor<?x?xi32>
}

// -----

// Two steps are little, three are not.
// CHECK-LABEL: @two_steps
// CHECK-SAME: tile = [64, 64, 32], mma = [16, 8, 16], depth = 3>
helios.kernel @two_steps(%a: tensor<?x64xbf16>, %b: tensor<?x64xbf16>) -> tensor<?x?xbf16> attributes {target = #ptx.target<"sm_90a">} {
  %d = helios.matmul %a, %b {transpose_b} : (tensor<?x64xbf16>, tensor<?x64xbf16>) -> tensor<?x?xbf16> acc f32
  helios.return %d : tensor<?x?xbf16>
}

// -----

// CHECK-LABEL: @three_steps
// CHECK-NOT: tile = [64, 64, 32]
helios.kernel @three_steps(%a: tensor<?x72xbf16>, %b: tensor<?x72xbf16>) -> tensor<?x?xbf16> attributes {target = #ptx.target<"sm_90a">} {
  %d = helios.matmul %a, %b {transpose_b} : (tensor<?x72xbf16>, tensor<?x72xbf16>) -> tensor<?x?xbf16> acc f32
  helios.return %d : tensor<?x?xbf16>
}

// -----

// What lanes make of an operand is not measured.
// CHECK-LABEL: @prologue
// CHECK-NOT: tile = [64, 64, 32], mma = [16, 8, 16], depth = 3>
helios.kernel @prologue(%a: tensor<?x?xbf16>, %b: tensor<?x?xi8>, %scale: tensor<?x1xbf16>) -> tensor<?x?xbf16> attributes {target = #ptx.target<"sm_90a">} {
  %d = helios.matmul %a, %b prologue(%scale : tensor<?x1xbf16>) {transpose_b} : (tensor<?x?xbf16>, tensor<?x?xi8>) -> tensor<?x?xbf16> acc f32 prologue {
  ^bb0(%stored: i8, %factor: bf16):
    %weight = arith.sitofp %stored : i8 to bf16
    %scaled = arith.mulf %weight, %factor : bf16
    helios.yield %scaled : bf16
  }
  helios.return %d : tensor<?x?xbf16>
}

// -----

// Rows whose schedules have no roles have such tiles among the others.
// CHECK-LABEL: @older
// CHECK-NOT: strategy = groups, tile = [64, 64, 32], mma = [16, 8, 16], depth = 3>
helios.kernel @older(%a: tensor<?x?xbf16>, %b: tensor<?x?xbf16>) -> tensor<?x?xbf16> attributes {target = #ptx.target<"sm_89">} {
  %d = helios.matmul %a, %b {transpose_b} : (tensor<?x?xbf16>, tensor<?x?xbf16>) -> tensor<?x?xbf16> acc f32
  helios.return %d : tensor<?x?xbf16>
}

// -----

// A cluster of which some workgroups would have no tile is no schedule of a result known to be so narrow.
// CHECK-LABEL: @narrow
// CHECK-NOT: cluster = [1,
// CHECK-LABEL: @wide
// CHECK: cluster = [1,
helios.kernel @narrow(%a: tensor<?x?xbf16>, %b: tensor<24x?xbf16>) -> tensor<?x24xbf16> attributes {target = #ptx.target<"sm_90a">} {
  %d = helios.matmul %a, %b {transpose_b} : (tensor<?x?xbf16>, tensor<24x?xbf16>) -> tensor<?x24xbf16> acc f32
  helios.return %d : tensor<?x24xbf16>
}
helios.kernel @wide(%a: tensor<?x?xbf16>, %b: tensor<?x?xbf16>) -> tensor<?x?xbf16> attributes {target = #ptx.target<"sm_90a">} {
  %d = helios.matmul %a, %b {transpose_b} : (tensor<?x?xbf16>, tensor<?x?xbf16>) -> tensor<?x?xbf16> acc f32
  helios.return %d : tensor<?x?xbf16>
}
