// RUN: helios-opt --helios-select-schedule --split-input-file %s | FileCheck %s

// Batch-invariant products have tiles to choose among, of one instruction's depth of k, and no slices.
// CHECK-LABEL: @roles
// CHECK-SAME: alternatives = [#helios.schedule<strategy = roles
// CHECK-NOT: split_k
// CHECK-SAME: schedule = #helios.schedule<strategy = roles
// CHECK-SAME: target
helios.kernel @roles(%a: tensor<?x?xbf16>, %b: tensor<?x?xbf16>) -> tensor<?x?xbf16> attributes {target = #ptx.target<"sm_90a">} {
  %d = helios.matmul %a, %b {batch_invariant} : (tensor<?x?xbf16>, tensor<?x?xbf16>) -> tensor<?x?xbf16> acc f32
  helios.return %d : tensor<?x?xbf16>
}

// -----

// Where M is contiguous, it decides whether rows of A are aligned; those that are not take mma.sync, so all do.
// CHECK-LABEL: @transposed
// CHECK-NOT: roles
// CHECK: schedule = #helios.schedule<strategy = groups
helios.kernel @transposed(%a: tensor<?x?xbf16>, %b: tensor<?x?xbf16>) -> tensor<?x?xbf16> attributes {target = #ptx.target<"sm_90a">} {
  %d = helios.matmul %a, %b {transpose_a, batch_invariant} : (tensor<?x?xbf16>, tensor<?x?xbf16>) -> tensor<?x?xbf16> acc f32
  helios.return %d : tensor<?x?xbf16>
}
