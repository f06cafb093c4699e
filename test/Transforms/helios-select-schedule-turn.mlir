// RUN: helios-opt --helios-select-schedule --split-input-file %s | FileCheck %s
// RUN: helios-opt --helios-select-schedule --helios-to-tile --split-input-file %s | FileCheck %s --check-prefix=TILE

// Lanes would read bytes that are not stored along k one by one: beside schedules that do are such that turn the operand first, with smaller tiles
// and slices of K of their own. The former are two and a half times as expensive.
// CHECK-LABEL: helios.kernel @right(
// CHECK-SAME: tile = [128, 256, 64], {{[^>]*}}turn = b>
// CHECK-SAME: turn = b, split_k = 0>
// CHECK-SAME: schedule = #helios.schedule<strategy = groups, tile = [128, 256, 64], groups = [2, 4], mma = [16, 8, 32], depth = 4, pad = 16, raster = 16>
// CHECK-SAME: turn_weights = array<i64: {{[1-9][0-9]*}}, {{[1-9][0-9]*}}>
// CHECK-SAME: {{ }}weights = array<i64: 122880, {{.*}}, 49152,
// What is turned takes a dispatch and its elements more, and no rows that cannot be read in wide units.
// TILE-LABEL: tile.program @right_full_128x256x64_turned(
// TILE-LABEL: tile.plan @right(
// TILE: tile.choice "strategy=groups,tile=128x256x64,{{.*}},turn=b" by model
// TILE: tile.dispatch @right_aligned_turn1
// TILE-NEXT: tile.dispatch @right_full_128x256x64_turned
helios.kernel @right(%a: tensor<?x?xi8>, %b: tensor<?x?xi8>) -> tensor<?x?xi32> attributes {target = #ptx.target<"sm_89">} {
  %d = helios.matmul %a, %b : (tensor<?x?xi8>, tensor<?x?xi8>) -> tensor<?x?xi32> acc i32
  helios.return %d : tensor<?x?xi32>
}

// -----

// Both operands.
// CHECK-LABEL: helios.kernel @both(
// CHECK-SAME: turn = ab>
// CHECK-SAME: turn_weights
helios.kernel @both(%a: tensor<?x?xtf32>, %b: tensor<?x?xtf32>) -> tensor<?x?xf32> attributes {target = #ptx.target<"sm_80">} {
  %d = helios.matmul %a, %b {transpose_a} : (tensor<?x?xtf32>, tensor<?x?xtf32>) -> tensor<?x?xf32> acc f32
  helios.return %d : tensor<?x?xf32>
}

// -----

// Rows along k are read as they are, and 16 bits either way.
// CHECK-LABEL: helios.kernel @along(
// CHECK-NOT: turn
// CHECK: helios.matmul
helios.kernel @along(%a: tensor<?x?xi8>, %b: tensor<?x?xi8>) -> tensor<?x?xi32> attributes {target = #ptx.target<"sm_89">} {
  %d = helios.matmul %a, %b {transpose_b} : (tensor<?x?xi8>, tensor<?x?xi8>) -> tensor<?x?xi32> acc i32
  helios.return %d : tensor<?x?xi32>
}

// -----

// CHECK-LABEL: helios.kernel @halves(
// CHECK-NOT: turn
// CHECK: helios.matmul
helios.kernel @halves(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> tensor<?x?xf16> attributes {target = #ptx.target<"sm_89">} {
  %d = helios.matmul %a, %b {transpose_a} : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
  helios.return %d : tensor<?x?xf16>
}

// -----

// Roles read none such: all of their schedules turn it, which costs what it costs beside those that do not.
// CHECK-LABEL: helios.kernel @roles(
// CHECK-SAME: schedule = #helios.schedule<strategy = roles, {{[^>]*}}turn = b
// CHECK-SAME: turn_weights
helios.kernel @roles(%a: tensor<?x?xi8>, %b: tensor<?x?xi8>) -> tensor<?x?xi32> attributes {target = #ptx.target<"sm_90a">} {
  %d = helios.matmul %a, %b : (tensor<?x?xi8>, tensor<?x?xi8>) -> tensor<?x?xi32> acc i32
  helios.return %d : tensor<?x?xi32>
}

// -----

// One dispatch turns what all groups multiply, of which few may be wanted.
// CHECK-LABEL: helios.kernel @grouped(
// CHECK-NOT: turn
// CHECK: helios.matmul
helios.kernel @grouped(%a: tensor<?x?xi8>, %b: tensor<?x?x?xi8>, %ends: tensor<?xi32>) -> tensor<?x?xi32> attributes {target = #ptx.target<"sm_89">} {
  %d = helios.matmul %a, %b grouped(%ends : tensor<?xi32>) : (tensor<?x?xi8>, tensor<?x?x?xi8>) -> tensor<?x?xi32> acc i32
  helios.return %d : tensor<?x?xi32>
}
