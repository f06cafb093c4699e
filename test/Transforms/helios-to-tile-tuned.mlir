// RUN: helios-opt %s --helios-to-tile --canonicalize --cse | FileCheck %s

// A table's schedule is taken for its extents, where rows begin at lines of the cache (operands of 64 elements of 2 bytes), and nowhere else: only
// the model's are compared.
// CHECK-LABEL: tile.plan @tuned(
// CHECK-DAG: %[[FALSE:.*]] = arith.constant false
// CHECK-DAG: %[[TRUE:.*]] = arith.constant true
// CHECK-DAG: %[[C240:.*]] = arith.constant 240 : index
// CHECK-DAG: %[[C256:.*]] = arith.constant 256 : index
// CHECK-DAG: %[[M:.*]] = tile.extent %arg0, 0
// CHECK: %[[CHEAPEST:.*]] = arith.minui %[[P0:.*]], %[[P1:.*]] : index
// CHECK: %[[LESS:.*]] = arith.cmpi sle, %[[P0]], %[[CHEAPEST]] : index
// CHECK: %[[MORE:.*]] = arith.cmpi slt, %[[P1]], %[[P0]] : index
// CHECK: %[[ABOVE:.*]] = arith.cmpi sgt, %[[M]], %[[C240]] : index
// CHECK: %[[UPTO:.*]] = arith.cmpi sle, %[[M]], %[[C256]] : index
// CHECK: %[[OUTSIDE:.*]] = arith.xori %[[TUNED:.*]], %[[TRUE]] : i1
// CHECK: %[[TAKE0:.*]] = arith.andi %[[OUTSIDE]], %[[LESS]] : i1
// CHECK: %[[TAKE1:.*]] = arith.andi %[[OUTSIDE]], %[[MORE]] : i1
// CHECK: tile.choice "tile=32x32x16" by {{ ?}}model costs %[[P0]] if %[[TAKE0]] tuned %[[FALSE]]
// CHECK: tile.choice "tile=32x16x16,groups=2x1" by {{ ?}}model costs %[[P1]] if %[[TAKE1]] tuned %[[FALSE]]
// CHECK: tile.choice "tile=16x16x16,groups=1x1" by {{ ?}}table costs %{{.*}} if %[[TUNED]] tuned %[[TUNED]]
helios.kernel @tuned(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> tensor<?x?xf16>
    attributes {target = #spv.target<"lavapipe">, weights = array<i64: 100, 60, 30>, modelled = 2 : i64,
                tuned = [#helios.tuned<2, above = [240, 240, 240], upto = [256, 256, 256], aligned = true>],
                schedule = #helios.schedule<tile = [32, 32, 16]>,
                alternatives = [#helios.schedule<tile = [32, 16, 16], groups = [2, 1]>, #helios.schedule<tile = [16, 16, 16], groups = [1, 1]>]} {
  %d = helios.matmul %a, %b : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
  helios.return %d : tensor<?x?xf16>
}

// One schedule is no choice.
// CHECK-LABEL: tile.plan @alone(
// CHECK: tile.choice "tile=32x32x16" by {{ ?}}user costs
helios.kernel @alone(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> tensor<?x?xf16>
    attributes {target = #spv.target<"lavapipe">, schedule = #helios.schedule<tile = [32, 32, 16]>} {
  %d = helios.matmul %a, %b : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
  helios.return %d : tensor<?x?xf16>
}
