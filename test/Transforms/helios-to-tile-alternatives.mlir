// RUN: helios-opt %s --helios-to-tile --canonicalize --cse | FileCheck %s

// Three schedules: the plan takes the one whose busiest processor has the least to do. A tile of the first costs 100, of the others 60 and 30; of
// equally cheap ones the first is taken. Unaligned tensors have one program, under the first schedule.
// CHECK-DAG: tile.program @choice_full(
// CHECK-DAG: tile.program @choice_full_32x16x16(
// CHECK-DAG: tile.program @choice_full_16x16x16(
// CHECK-DAG: tile.program @choice_aligned(
// CHECK-DAG: tile.program @choice_aligned_32x16x16(
// CHECK-DAG: tile.program @choice_aligned_16x16x16(
// CHECK-DAG: tile.program @choice_any(
// CHECK-NOT: tile.program
// CHECK-LABEL: tile.plan @choice(
// CHECK-DAG: %[[C30:.*]] = arith.constant 30 : index
// CHECK-DAG: %[[C60:.*]] = arith.constant 60 : index
// CHECK-DAG: %[[C100:.*]] = arith.constant 100 : index
// CHECK: %[[UNITS:.*]] = tile.device compute_units
// CHECK: %[[T0:.*]] = arith.ceildivui %{{.*}}, %[[UNITS]]
// CHECK: %[[P0:.*]] = arith.muli %[[T0]], %[[C100]]
// CHECK: %[[T1:.*]] = arith.ceildivui %{{.*}}, %[[UNITS]]
// CHECK: %[[P1:.*]] = arith.muli %[[T1]], %[[C60]]
// CHECK: %[[T2:.*]] = arith.ceildivui %{{.*}}, %[[UNITS]]
// CHECK: %[[P2:.*]] = arith.muli %[[T2]], %[[C30]]
// CHECK-DAG: arith.cmpi sle, %[[P0]], %[[P1]]
// CHECK-DAG: arith.cmpi sle, %[[P0]], %[[P2]]
// CHECK-DAG: arith.cmpi slt, %[[P1]], %[[P0]]
// CHECK-DAG: arith.cmpi sle, %[[P1]], %[[P2]]
// CHECK-DAG: arith.cmpi slt, %[[P2]], %[[P0]]
// CHECK-DAG: arith.cmpi slt, %[[P2]], %[[P1]]
// CHECK: tile.dispatch @choice_full[{{.*}}variant = "full-32x32x16"
// CHECK: tile.dispatch @choice_full_32x16x16[{{.*}}variant = "full-32x16x16"
// CHECK: tile.dispatch @choice_aligned[{{.*}}variant = "aligned-32x32x16"
// CHECK: tile.dispatch @choice_any[{{.*}}variant = "any"
helios.kernel @choice(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> tensor<?x?xf16>
    attributes {target = #spv.target<"lavapipe">, weights = array<i64: 100, 60, 30>,
                schedule = #helios.schedule<tile = [32, 32, 16]>,
                alternatives = [#helios.schedule<tile = [32, 16, 16], groups = [2, 1]>, #helios.schedule<tile = [16, 16, 16], groups = [1, 1]>]} {
  %d = helios.matmul %a, %b : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
  helios.return %d : tensor<?x?xf16>
}
