// RUN: helios-opt --split-input-file --helios-to-tile --canonicalize --cse --verify-diagnostics %s | FileCheck %s

// Whole tiles have no element beyond an edge. An item leaves what its elements combine to in a place of its own.
// CHECK-LABEL: tile.program @rows_full
// CHECK: %[[TILES:[^ ]+]] = arith.ceildivui %{{.+}}, %c64
// CHECK: %[[PARTS:.+]] = tile.view %{{[^ ]+}}[%[[TILES]], %{{[^ ]+}}] {{.*}}-> <?x?xf32, strides = [?, ?]>
// CHECK: tile.items (%[[I:[^,]+]], %[[J:[^)]+]]) in
// CHECK: %[[X:.+]] = scf.for
// CHECK: tile.store
// CHECK-NOT: arith.select
// CHECK: %[[R:.+]] = tile.reduce {{ *}}add %{{.+}}, 1 : tensor<32x64xf32> -> tensor<32xf32>
// CHECK: tile.store %[[R]], %[[PARTS]][%[[J]], %{{.+}}] : tensor<32xf32>
// The second dispatch combines the parts in order, sixteen at a time.
// CHECK-LABEL: tile.program @rows_any_fold1
// CHECK: scf.for
// CHECK: %[[SOME:.+]] = tile.load {{.*}} -> tensor<16x32xf32>
// CHECK: %[[S:.+]] = tile.reduce {{ *}}add %[[SOME]], 0 : tensor<16x32xf32> -> tensor<32xf32>
// CHECK: arith.addf %{{.+}}, %[[S]] : tensor<32xf32>
// What lies beyond the last column counts as nothing.
// CHECK-LABEL: tile.program @rows_aligned
// CHECK: %[[ZERO:.+]] = arith.constant dense<0.000000e+00> : tensor<32x64xf32>
// CHECK: %[[AT:.+]] = tile.iota 0 base %{{.+}} : tensor<64xindex>
// CHECK: %[[IN:.+]] = arith.cmpi slt, %[[AT]], %{{.+}} : tensor<64xindex>
// CHECK: %[[INSIDE:.+]] = tile.expand %[[IN]], [0] : tensor<64xi1> -> tensor<32x64xi1>
// CHECK: %[[CUT:.+]] = arith.select %[[INSIDE]], %{{.+}}, %[[ZERO]]
// CHECK: tile.reduce {{ *}}add %[[CUT]], 1
// CHECK-LABEL: tile.plan @rows
// CHECK: tile.require %{{.+}}, "extent 0 of result1 must equal extent 0 of arg0"
// CHECK: tile.dispatch @rows_full
// CHECK: tile.dispatch @rows_any_fold1
helios.kernel @rows(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> (tensor<?x?xf16>, tensor<?xf32>)
    attributes {target = #ptx.target<"sm_89">, schedule = #helios.schedule<tile = [32, 64, 32]>} {
  %d, %s = helios.matmul %a, %b {reductions = [#helios.reduction<add, n>]}
      : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16>, tensor<?xf32> acc f32 {
  ^bb0(%x: f32):
    %y = arith.truncf %x : f32 to f16
    %q = arith.mulf %x, %x : f32
    helios.yield %y, %q : f16, f32
  }
  helios.return %d, %s : tensor<?x?xf16>, tensor<?xf32>
}

// -----

// The largest of columns, of a batch: beyond the last part stands what is less than anything; so it does beyond the last row.
// CHECK-LABEL: tile.program @columns_any_fold1
// CHECK: tile.load {{.*}} -> tensor<16x32xf32>
// CHECK: arith.select
// CHECK: tile.reduce {{ *}}max %{{.+}}, 0
// CHECK: arith.maximumf
// CHECK-LABEL: tile.program @columns_aligned
// CHECK: arith.constant dense<0xFF800000> : tensor<32x64xf32>
// CHECK: arith.select
// CHECK: tile.reduce {{ *}}max %{{.+}}, 0 : tensor<32x64xf32> -> tensor<64xf32>
helios.kernel @columns(%a: tensor<?x?x?xf16>, %b: tensor<?x?xf16>) -> (tensor<?x?x?xf16>, tensor<?x?xf32>)
    attributes {target = #ptx.target<"sm_89">, schedule = #helios.schedule<tile = [32, 64, 32]>} {
  %d, %s = helios.matmul %a, %b {reductions = [#helios.reduction<max, m>]}
      : (tensor<?x?x?xf16>, tensor<?x?xf16>) -> tensor<?x?x?xf16>, tensor<?x?xf32> acc f32 {
  ^bb0(%x: f32):
    %y = arith.truncf %x : f32 to f16
    helios.yield %y, %x : f16, f32
  }
  helios.return %d, %s : tensor<?x?x?xf16>, tensor<?x?xf32>
}

// -----

// What adds up slices has whole rows, a step of columns after another: their elements combine there, without parts in the workspace and a dispatch of their own.
// CHECK-LABEL: tile.program @slices_aligned_sum
// CHECK: tile.items (%[[I:[^,)]+]]) in
// CHECK: %[[ROW:.+]] = arith.muli %[[I]], %c4
// CHECK: %[[ALL:.+]] = scf.for %{{.+}} iter_args(%[[BEFORE:.+]] = %{{.+}}) -> (tensor<4xf32>)
// CHECK: scf.for
// CHECK: tile.load {{.*}} -> tensor<4x512xf32>
// CHECK: tile.store
// CHECK: %[[MORE:.+]] = tile.reduce {{ *}}add %{{.+}}, 1 : tensor<4x512xf32> -> tensor<4xf32>
// CHECK: arith.addf %[[BEFORE]], %[[MORE]]
// CHECK: tile.store %[[ALL]], %{{.+}}[%[[ROW]]] : tensor<4xf32>
// CHECK-LABEL: tile.plan @slices
// CHECK-NOT: _fold
helios.kernel @slices(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> (tensor<?x?xf16>, tensor<?xf32>)
    attributes {target = #ptx.target<"sm_89">, schedule = #helios.schedule<tile = [32, 64, 32], split_k = 2>} {
  %d, %s = helios.matmul %a, %b {reductions = [#helios.reduction<add, n>]}
      : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16>, tensor<?xf32> acc f32 {
  ^bb0(%x: f32):
    %y = arith.truncf %x : f32 to f16
    helios.yield %y, %x : f16, f32
  }
  helios.return %d, %s : tensor<?x?xf16>, tensor<?xf32>
}

// -----

helios.kernel @slices_of_columns(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> (tensor<?x?xf16>, tensor<?xf32>)
    attributes {target = #ptx.target<"sm_89">, schedule = #helios.schedule<tile = [32, 64, 32], split_k = 2>} {
  // expected-error @below {{is not lowered: expected 'split_k = 1' beside 'reductions' along m, which are of whole sums}}
  %d, %s = helios.matmul %a, %b {reductions = [#helios.reduction<add, m>]}
      : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16>, tensor<?xf32> acc f32 {
  ^bb0(%x: f32):
    %y = arith.truncf %x : f32 to f16
    helios.yield %y, %x : f16, f32
  }
  helios.return %d, %s : tensor<?x?xf16>, tensor<?xf32>
}
