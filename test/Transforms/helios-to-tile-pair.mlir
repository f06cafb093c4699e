// RUN: helios-opt --split-input-file --helios-to-tile --verify-diagnostics %s | FileCheck %s

// A loop that carries the sums of a pair: the left operand is loaded once, and the epilogue takes both.
// CHECK-LABEL: tile.program @pair_full
// CHECK: %[[A:.+]] = tile.view %{{.+}} : <f16> ->
// CHECK: %[[B:.+]] = tile.view %{{.+}} : <f16> ->
// CHECK: %[[C:.+]] = tile.view %{{.+}} : <f16> ->
// CHECK: %[[BIAS:.+]] = tile.view %{{.+}} : <f32> ->
// CHECK: %[[SUMS:.+]]:2 = scf.for {{.*}} iter_args(%[[X:.+]] = %[[ZERO:.+]], %[[Y:.+]] = %[[ZERO]])
// CHECK-COUNT-3: tile.load
// CHECK-NOT: tile.load
// CHECK-DAG: %[[U:.+]] = tile.dot %[[L:.+]], %{{.+}}, %[[X]] :
// CHECK-DAG: %[[V:.+]] = tile.dot %[[L]], %{{.+}}, %[[Y]] :
// CHECK: scf.yield %[[U]], %[[V]]
// CHECK: tile.load %[[BIAS]]
// CHECK: %[[P:.+]] = arith.mulf %[[SUMS]]#0, %[[SUMS]]#1 : tensor<64x32xf32>
// CHECK: arith.addf %[[P]]
// CHECK: tile.plan @pair
// CHECK: tile.require %{{.+}}, "extent 1 of arg1 must equal extent 1 of arg0"
// CHECK: tile.require %{{.+}}, "extent 0 of arg2 must equal extent 0 of arg1"
// CHECK: tile.require %{{.+}}, "extent 1 of arg2 must equal extent 1 of arg0"
helios.kernel @pair(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %c: tensor<?x?xf16>, %bias: tensor<?xf32>) -> tensor<?x?xf32>
    attributes {target = #spv.target<"nvidia">, schedule = #helios.schedule<tile = [64, 32, 32]>} {
  %d = helios.matmul %a, %b pair(%c : tensor<?x?xf16>) fused(%bias : tensor<?xf32>) {transpose_b}
      : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf32> acc f32 {
  ^bb0(%x: f32, %y: f32, %e: f32):
    %p = arith.mulf %x, %y : f32
    %z = arith.addf %p, %e : f32
    helios.yield %z : f32
  }
  helios.return %d : tensor<?x?xf32>
}

// -----

helios.kernel @slices(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %c: tensor<?x?xf16>) -> tensor<?x?xf32>
    attributes {target = #spv.target<"nvidia">, schedule = #helios.schedule<tile = [64, 32, 32], split_k = 2>} {
  // expected-error @below {{is not lowered: expected 'split_k = 1' beside a pair, whose sums would both go through the workspace}}
  %d = helios.matmul %a, %b pair(%c : tensor<?x?xf16>) : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf32> acc f32 {
  ^bb0(%x: f32, %y: f32):
    %p = arith.mulf %x, %y : f32
    helios.yield %p : f32
  }
  helios.return %d : tensor<?x?xf32>
}
