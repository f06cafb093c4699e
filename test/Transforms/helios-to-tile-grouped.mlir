// RUN: helios-opt --split-input-file --helios-to-tile --canonicalize --cse --verify-diagnostics %s | FileCheck %s

// Tiles of all groups are counted once; an item finds its group, its first row and where the group's rows end, at which the result is
// clipped. Rows of the left operand and of fused ones are those of the product.
// CHECK-LABEL: tile.program @grouped_aligned
// CHECK: %[[ENDS:.+]] = tile.view %{{.+}}[%[[E:.+]]] strides[%{{.+}}] : <i32> -> <?xi32, strides = [?]>
// CHECK: %[[COUNT:.+]]:2 = scf.for %[[G:.+]] = %c0 to %[[E]] step %c1 iter_args(%[[BEGIN:.+]] = %c0_i32, %[[BEFORE:.+]] = %c0_i32) -> (i32, i32) {
// CHECK: %[[GIVEN:.+]] = tile.element %[[ENDS]][%[[G]]]
// CHECK: %[[CUT:.+]] = arith.minsi %[[GIVEN]], %{{.+}} : i32
// CHECK: %[[END:.+]] = arith.maxsi %[[CUT]], %[[BEGIN]] : i32
// CHECK: scf.yield %[[END]]
// CHECK: %[[TILES:.+]] = arith.index_castui %[[COUNT]]#1 : i32 to index
// CHECK: tile.items (%[[I:.+]], %[[J:.+]]) in (%[[TILES]], %{{.+}})
// CHECK: %[[FOUND:.+]]:5 = scf.for
// CHECK: tile.element
// CHECK-COUNT-3: arith.select
// CHECK-DAG: %[[FIRST:.+]] = arith.index_castui %[[FOUND]]#3
// CHECK-DAG: %[[STOP:.+]] = arith.index_castui %[[FOUND]]#4
// CHECK: %[[D:.+]] = tile.view %{{.+}}[%[[STOP]], %{{.+}}]
// CHECK: scf.for
// CHECK: tile.load %{{.+}}[%[[FIRST]], %{{.+}}]
// CHECK: tile.load %{{.+}}[%[[FOUND]]#2, %{{.+}}, %{{.+}}]
// CHECK: tile.load %{{.+}}[%[[FOUND]]#2, %{{.+}}] {{.*}} -> tensor<32xf16>
// CHECK: tile.store %{{.+}}, %[[D]][%[[FIRST]], %{{.+}}] :
// A tile that is not full for each group, at most.
// CHECK-LABEL: tile.plan @grouped
// CHECK: tile.require %{{.+}}, "extent 0 of arg2 must equal extent 0 of arg1"
// CHECK: tile.require %{{.+}}, "extent 0 of arg2 must be 1 at least, for a grouped product"
helios.kernel @grouped(%a: tensor<?x?xf16>, %b: tensor<?x?x?xf16>, %ends: tensor<?xi32>, %bias: tensor<?x1x?xf16>) -> tensor<?x?xf16>
    attributes {target = #ptx.target<"sm_89">, schedule = #helios.schedule<tile = [64, 32, 64]>} {
  %d = helios.matmul %a, %b grouped(%ends : tensor<?xi32>) fused(%bias : tensor<?x1x?xf16>) {transpose_b}
      : (tensor<?x?xf16>, tensor<?x?x?xf16>) -> tensor<?x?xf16> acc f32 {
  ^bb0(%x: f32, %c: f16):
    %e = arith.extf %c : f16 to f32
    %y = arith.addf %x, %e : f32
    %z = arith.truncf %y : f32 to f16
    helios.yield %z : f16
  }
  helios.return %d : tensor<?x?xf16>
}

// -----

helios.kernel @slices(%a: tensor<?x?xf16>, %b: tensor<?x?x?xf16>, %ends: tensor<?xi32>) -> tensor<?x?xf16>
    attributes {target = #ptx.target<"sm_89">, schedule = #helios.schedule<tile = [64, 32, 64], split_k = 2>} {
  // expected-error @below {{is not lowered: expected 'split_k = 1' for a grouped product, got slices of K}}
  %d = helios.matmul %a, %b grouped(%ends : tensor<?xi32>) : (tensor<?x?xf16>, tensor<?x?x?xf16>) -> tensor<?x?xf16> acc f32
  helios.return %d : tensor<?x?xf16>
}
