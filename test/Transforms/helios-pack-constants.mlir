// RUN: helios-opt --helios-pack-constants --split-input-file %s | FileCheck %s

// The right operand, stored as [N, K]: a kernel packs it, in whole tiles of both schedules, and the product takes it as [K, N].
// CHECK-LABEL: helios.kernel @linear_pack_w_1(
// CHECK-SAME: %[[W:.+]]: tensor<?x64xf16> {helios.name = "w.1"}) -> tensor<?x?x?x?xf16>
// CHECK-SAME: schedule = #helios.schedule<tile = [1, 32, 32], groups = [1, 4], mma = [8, 8, 8]>
// CHECK: %[[R:.+]] = helios.pack #helios.packing<rhs, mma = [8, 8, 8], acc = f32, multiple = [32, 96], lanes = 8, elements = 8>, %[[W]] {transpose} : tensor<?x64xf16> -> tensor<?x?x?x?xf16>
// CHECK: helios.return %[[R]]
// CHECK-LABEL: helios.kernel @linear(
// CHECK-SAME: %[[X:.+]]: tensor<?x64xf16>, %[[W:.+]]: tensor<?x?x?x?xf16> {helios.name = "w.1", helios.packed_by = "linear_pack_w_1"})
// CHECK: %[[B:.+]] = helios.unpack #helios.packing<{{.*}}>, %[[W]] : tensor<?x?x?x?xf16> -> tensor<64x?xf16>
// CHECK: helios.matmul %[[X]], %[[B]] : (tensor<?x64xf16>, tensor<64x?xf16>) -> tensor<?x?xf16> acc f32
helios.kernel @linear(%x: tensor<?x64xf16>, %w: tensor<?x64xf16> {helios.constant, helios.name = "w.1"}) -> tensor<?x?xf16>
    attributes {target = #spv.target<"lavapipe">, schedule = #helios.schedule<tile = [64, 32, 16], mma = [8, 8, 8]>,
                alternatives = [#helios.schedule<tile = [16, 48, 32], groups = [1, 1], mma = [8, 8, 8]>], weights = array<i64: 1, 1>} {
  %d = helios.matmul %x, %w {transpose_b} : (tensor<?x64xf16>, tensor<?x64xf16>) -> tensor<?x?xf16> acc f32
  helios.return %d : tensor<?x?xf16>
}

// -----

// The left one: M instead of N.
// CHECK-LABEL: helios.kernel @left_pack_arg0(
// CHECK-SAME: schedule = #helios.schedule<tile = [64, 1, 64], groups = [4, 1], mma = [16, 16, 16]>
// CHECK: helios.pack #helios.packing<lhs, mma = [16, 16, 16], acc = f32, multiple = [64, 128], lanes = 32, elements = 8>, %{{.+}} : tensor<?x?xf16>
// CHECK-LABEL: helios.kernel @left(
// CHECK: %[[A:.+]] = helios.unpack #helios.packing<lhs,
// CHECK: helios.matmul %[[A]], %
helios.kernel @left(%a: tensor<?x?xf16> {helios.constant}, %b: tensor<?x?xf16>) -> tensor<?x?xf16>
    attributes {target = #spv.target<"nvidia">, schedule = #helios.schedule<tile = [128, 64, 64], mma = [16, 16, 16]>} {
  %d = helios.matmul %a, %b : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
  helios.return %d : tensor<?x?xf16>
}

// -----

// Nothing is constant.
// CHECK-LABEL: helios.kernel @plain(
// CHECK-NOT: helios.unpack
helios.kernel @plain(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> tensor<?x?xf16>
    attributes {target = #spv.target<"nvidia">, schedule = #helios.schedule<tile = [128, 64, 64], mma = [16, 16, 16]>} {
  %d = helios.matmul %a, %b : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
  helios.return %d : tensor<?x?xf16>
}

// -----

// Both right operands of a pair, each by a kernel of its own; the product then takes both as [K, N].
// CHECK-LABEL: helios.kernel @pair_pack_arg1(
// CHECK: helios.pack #helios.packing<rhs, {{.*}}>, %{{.+}} {transpose}
// CHECK-LABEL: helios.kernel @pair_pack_arg2(
// CHECK: helios.pack #helios.packing<rhs, {{.*}}>, %{{.+}} {transpose}
// CHECK-LABEL: helios.kernel @pair(
// CHECK: %[[B:.+]] = helios.unpack #helios.packing<rhs, {{.*}}>, %{{.+}} -> tensor<?x?xf16>
// CHECK: %[[C:.+]] = helios.unpack #helios.packing<rhs, {{.*}}>, %{{.+}} -> tensor<?x?xf16>
// CHECK: helios.matmul %{{.+}}, %[[B]] pair(%[[C]] : tensor<?x?xf16>) : (tensor<?x?xf16>, tensor<?x?xf16>)
helios.kernel @pair(%a: tensor<?x?xf16>, %b: tensor<?x?xf16> {helios.constant}, %c: tensor<?x?xf16> {helios.constant}) -> tensor<?x?xf32>
    attributes {target = #spv.target<"nvidia">, schedule = #helios.schedule<tile = [128, 64, 64], mma = [16, 16, 16]>} {
  %d = helios.matmul %a, %b pair(%c : tensor<?x?xf16>) {transpose_b} : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf32> acc f32 {
  ^bb0(%x: f32, %y: f32):
    %z = arith.mulf %x, %y : f32
    helios.yield %z : f32
  }
  helios.return %d : tensor<?x?xf32>
}
