// RUN: helios-opt --split-input-file --helios-select-schedule --verify-diagnostics %s | FileCheck %s

// Rows lie within a replica, so roles combine them, and so does what adds up slices of K.
// CHECK-LABEL: helios.kernel @rows
// CHECK-SAME: split_k = 0
// CHECK-SAME: , schedule = #helios.schedule<strategy = roles,
helios.kernel @rows(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> (tensor<?x?xf16>, tensor<?xf32>) attributes {target = #ptx.target<"sm_90a">} {
  %d, %s = helios.matmul %a, %b {reductions = [#helios.reduction<add, n>]}
      : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16>, tensor<?xf32> acc f32 {
  ^bb0(%x: f32):
    %y = arith.truncf %x : f32 to f16
    helios.yield %y, %x : f16, f32
  }
  helios.return %d, %s : tensor<?x?xf16>, tensor<?xf32>
}

// -----

// Columns do not.
// CHECK-LABEL: helios.kernel @columns
// CHECK-NOT: {{strategy = roles|split_k}}
// CHECK-SAME: , schedule = #helios.schedule<strategy = groups,
helios.kernel @columns(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> (tensor<?x?xf16>, tensor<?xf32>) attributes {target = #ptx.target<"sm_90a">} {
  %d, %s = helios.matmul %a, %b {reductions = [#helios.reduction<add, m>]}
      : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16>, tensor<?xf32> acc f32 {
  ^bb0(%x: f32):
    %y = arith.truncf %x : f32 to f16
    helios.yield %y, %x : f16, f32
  }
  helios.return %d, %s : tensor<?x?xf16>, tensor<?xf32>
}

// -----

helios.kernel @columns(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> (tensor<?x?xf16>, tensor<?xf32>)
    attributes {target = #ptx.target<"sm_90a">, schedule = #helios.schedule<tile = [128, 128, 64], groups = [2, 1], strategy = roles, items = persistent, depth = 4>} {
  // expected-error @below {{'reductions' along m combine what several groups hold, which strategy=roles does not exchange; use another strategy}}
  %d, %s = helios.matmul %a, %b {reductions = [#helios.reduction<add, m>]}
      : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16>, tensor<?xf32> acc f32 {
  ^bb0(%x: f32):
    %y = arith.truncf %x : f32 to f16
    helios.yield %y, %x : f16, f32
  }
  helios.return %d, %s : tensor<?x?xf16>, tensor<?xf32>
}

// -----

helios.kernel @slices(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> (tensor<?x?xf16>, tensor<?xf32>)
    attributes {target = #ptx.target<"sm_89">, schedule = #helios.schedule<tile = [32, 64, 32], split_k = 0>} {
  // expected-error @below {{expected split_k=1 beside 'reductions' along m, which are of whole sums, got split_k=0}}
  %d, %s = helios.matmul %a, %b {reductions = [#helios.reduction<add, m>]}
      : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16>, tensor<?xf32> acc f32 {
  ^bb0(%x: f32):
    %y = arith.truncf %x : f32 to f16
    helios.yield %y, %x : f16, f32
  }
  helios.return %d, %s : tensor<?x?xf16>, tensor<?xf32>
}
