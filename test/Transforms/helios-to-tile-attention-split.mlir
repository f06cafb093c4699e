// RUN: helios-opt --helios-to-tile --canonicalize --cse --split-input-file %s | FileCheck %s

// Slices of the keys: the heads that share one of keys, and the queries of each, are the rows of a tile.

// CHECK-LABEL: tile.program @decode_aligned_slices(
// CHECK-SAME: %[[PO:[^:]+]]: !tile.ptr<f32>, %[[PL:[^:]+]]: !tile.ptr<f32>,
// CHECK: %[[Q:.*]] = tile.view %{{.*}}[%[[B:.*]], %[[KH:.*]], %[[IT:.*]], %[[R:.*]]] strides[{{.*}}] : <f16> -> <?x?x?x?x64xf16
// CHECK: tile.view %[[PO]][%[[B]], %[[KH]], %[[IT]], %[[S:.*]], %[[R]]] strides
// CHECK: tile.view %[[PL]][%[[B]], %[[KH]], %[[IT]], %[[S]], %[[R]]] strides
// CHECK: %[[HEADS:.*]] = arith.divui %[[R]], %[[P:.*]] : index
// CHECK: tile.items (%[[IB:.*]], %[[IH:.*]], %[[IS:.*]], %[[II:.*]], %[[IR:.*]]) in (%[[B]], %[[KH]], %[[S]], %[[IT]], %{{.*}})
// CHECK: %[[M:.*]] = arith.muli %[[IR]], %c16
// CHECK: %[[ROW:.*]] = tile.iota 0 base %[[M]] : tensor<16xindex>
// CHECK: %[[COUNT:.*]] = tile.expand %[[P]], [0]
// The head and the query of a row.
// CHECK: %[[FIRST:.*]] = arith.muli %[[IH]], %[[HEADS]]
// CHECK: arith.divui %[[ROW]], %[[COUNT]] : tensor<16xindex>
// CHECK: %[[H:.*]] = arith.addi
// CHECK: arith.remui %[[ROW]], %[[COUNT]] : tensor<16xindex>
// CHECK: %[[I:.*]] = arith.addi
// CHECK: %[[TQ:.*]] = tile.load %[[Q]][%[[IB]], %[[IH]], %[[II]], %[[M]], %c0]
// The item's last query bounds its blocks, of which a slice has an equal part.
// CHECK: %[[LAST:.*]] = arith.addi %[[II]], %[[P]]
// CHECK: arith.addi %[[LAST]], %c31
// CHECK: %[[PART:.*]] = arith.ceildivui %{{.*}}, %[[S]]
// CHECK: %[[BEGIN:.*]] = arith.muli %[[IS]], %[[PART]]
// CHECK: %[[BEYOND:.*]] = arith.addi %[[BEGIN]], %[[PART]]
// CHECK: %[[END:.*]] = arith.minsi %{{.*}}, %[[BEYOND]]
// CHECK: scf.for %{{.*}} = %[[BEGIN]] to %[[END]]
// CHECK: arith.sitofp
// CHECK: tile.expand %[[I]], [1]
// CHECK: tile.reduce max
// The result of a slice, and the logarithm of its sum to the base of two.
// CHECK: tile.store {{.*}} : tensor<16x64xf32>
// CHECK: math.log2
// CHECK: tile.store {{.*}} : tensor<16xf32>

// Their mean: slices are rows of a tile, some columns of a query an item.
// CHECK-LABEL: tile.program @decode_aligned_sum(
// CHECK-SAME: config = #tile.config<groups = [1, 1], pad = 8>
// CHECK: tile.items (%[[B:.*]], %[[H:.*]], %[[I:.*]], %[[C:.*]]) in
// CHECK: %[[AT:.*]] = arith.muli %[[C]], %c32
// CHECK: scf.for
// CHECK: %[[O:.*]] = tile.load %{{.*}}[%[[B]], %[[H]], %[[I]], %[[Z:.*]], %[[AT]]] {{.*}} -> tensor<64x32xf32>
// CHECK: arith.cmpi slt, {{.*}} : tensor<64xindex>
// CHECK: tile.load %{{.*}}[%[[B]], %[[H]], %[[I]], %[[Z]]] {{.*}} -> tensor<64xf32>
// CHECK: tile.reduce max %{{.*}}, 0 : tensor<64x32xf32> -> tensor<32xf32>
// CHECK: %[[W:.*]] = arith.mulf %{{.*}}, %[[O]]
// CHECK: tile.reduce add %{{.*}}, 0
// CHECK: tile.reduce add %[[W]], 0
// CHECK: arith.divf
// CHECK: tile.store {{.*}} : tensor<32xf16>
// Scattered rows are not split.
// CHECK-LABEL: tile.program @decode_any(
// CHECK-NOT: tile.program

// The plan packs all queries where heads lie at their distance in Q.
// CHECK-LABEL: tile.plan @decode(
// CHECK: tile.dispatch @decode_aligned_slices
// CHECK: tile.dispatch @decode_aligned_sum
// CHECK: tile.dispatch @decode_any
helios.kernel @decode(%q: tensor<?x?x?x64xf16>, %k: tensor<?x?x?x64xf16>, %v: tensor<?x?x?x64xf16>) -> tensor<?x?x?x64xf16>
    attributes {target = #ptx.target<"sm_89">,
                schedule = #helios.schedule<strategy = groups, tile = [16, 32, 64], groups = [1, 1], mma = [16, 8, 16], depth = 2, split_k = 0>} {
  %o = helios.attention %q, %k, %v : (tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>) -> tensor<?x?x?x64xf16> acc f32 score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    %w = arith.index_cast %h : index to i32
    %f = arith.sitofp %w : i32 to f32
    %t = arith.addf %s, %f : f32
    helios.yield %t : f32
  } mask {
  ^bb0(%b: index, %h: index, %i: index, %j: index):
    %keep = arith.cmpi ule, %j, %i : index
    helios.yield %keep : i1
  }
  helios.return %o : tensor<?x?x?x64xf16>
}
