// RUN: helios-opt --helios-to-tile --canonicalize --cse %s | FileCheck %s

// Operands whose rows cannot be read in wide units are copied into the workspace first, in rows filled up with zeros, for the programs that copy past
// the registers; whatever is still element by element is left to a program of its own.

// Where N is odd its columns in the right operand are filled up, those of the result are not.
// CHECK-LABEL: tile.program @gemm_operands(
// CHECK-SAME: %[[M:[^:]*]]: index {tile.range = array<i64: 1, 2147483647>}, %[[N:[^:]*]]: index {tile.range = array<i64: 1, 2147483647>}, %[[K:[^:]*]]: index {tile.div = 8 : index, tile.range = array<i64: 1, 2147483647>}, %{{[^:]*}}: index {tile.div = 8 : index, {{[^}]*}}}, %{{[^:]*}}: index {tile.div = 8 : index, {{[^}]*}}}, %[[FILLED:[^:]*]]: index {tile.div = 8 : index, tile.range = array<i64: 1, 2147483647>}
// CHECK: tile.view %{{.*}}[%[[M]], %[[K]]]
// CHECK: tile.view %{{.*}}[%[[K]], %[[FILLED]]]
// CHECK: tile.view %{{.*}}[%[[M]], %[[N]]]

// CHECK-LABEL: tile.program @gemm_copy_right(
// CHECK-SAME: %[[FROM:[^:]*]]: !tile.ptr<bf16>, %[[TO:[^:]*]]: !tile.ptr<bf16>, %[[ROWS:[^:]*]]: index {{[^,]*, [^,]*}}, %{{[^:]*}}: index {{[^,]*, [^,]*}}, %[[R:[^:]*]]: index {{[^,]*, [^,]*}}, %[[C:[^:]*]]: index
// CHECK: %[[X:.*]] = tile.view %[[FROM]][%[[R]], %[[C]]] strides[%{{.*}}] : <bf16> -> <?x?xbf16, strides = [?, 1]>
// CHECK: %[[Y:.*]] = tile.view %[[TO]][%[[ROWS]], %{{.*}}] strides[%{{.*}}] : <bf16> -> <?x?xbf16, strides = [?, 1], div = [8, 1], align = 16>
// CHECK: tile.items {{.*}} #tile.items<grid> {
// CHECK: %[[T:.*]] = tile.load %[[X]][%[[I:.*]], %[[J:.*]]] : {{.*}} -> tensor<16x256xbf16>
// CHECK: tile.store %[[T]], %[[Y]][%[[I]], %[[J]]] : tensor<16x256xbf16>

// Where all are copied the items of one operand follow those of the other.
// CHECK-LABEL: tile.program @gemm_copy(
// CHECK: tile.items (%[[ITEM:.*]]) in (%{{.*}}) #tile.items<grid> {
// CHECK: %[[OF:.*]] = arith.cmpi ult, %[[ITEM]], %[[LEFT:.*]] : index
// CHECK: scf.if %[[OF]] {
// CHECK: tile.store
// CHECK: } else {
// CHECK: arith.subi %[[ITEM]], %[[LEFT]]
// CHECK: tile.store

// CHECK-LABEL: tile.plan @gemm(
// CHECK-DAG: %[[KS:.*]] = tile.extent %arg0, 1
// CHECK-DAG: %[[NS:.*]] = tile.extent %arg1, 1
// CHECK-DAG: %[[KU:.*]] = arith.ceildivui %[[KS]], %c8
// CHECK-DAG: %[[KF:.*]] = arith.muli %[[KU]], %c8
// CHECK-DAG: %[[NU:.*]] = arith.ceildivui %[[NS]], %c8
// CHECK-DAG: %[[NF:.*]] = arith.muli %[[NU]], %c8
// First the ways without copies, then that with the right operand's alone, where the left one's rows are wide.
// CHECK: tile.dispatch @gemm_full[
// CHECK: tile.dispatch @gemm_aligned[
// CHECK: tile.dispatch @gemm_operands[
// CHECK-NOT: @gemm_copy[
// CHECK: tile.dispatch @gemm_copy_right[{{.*}}] (%arg1, %[[B:[^,]*]], {{.*}} {variant = "aligned_copied"}
// CHECK: tile.dispatch @gemm_aligned[{{.*}}] (%arg0, %[[B]], %arg2, %{{[^,]*}}, %[[NS]], %[[KS]],
// CHECK: tile.dispatch @gemm_copy_right[{{.*}} {variant = "operands_copied"}
// CHECK: tile.dispatch @gemm_operands[
// All of them, where K has to be filled up.
// CHECK: tile.dispatch @gemm_copy[{{.*}}] (%arg0, %[[A:[^,]*]], %arg1, %[[B:[^,]*]], %[[MS:[^,]*]], %[[KF]], %[[MS]], %[[KS]], {{.*}} {variant = "aligned_copied"}
// CHECK: tile.dispatch @gemm_aligned[{{.*}}] (%[[A]], %[[B]], %arg2, %[[MS]], %[[NS]], %[[KF]],
// CHECK: tile.dispatch @gemm_copy[{{.*}} {variant = "operands_copied"}
// CHECK: tile.dispatch @gemm_operands[{{.*}}] (%[[A]], %[[B]], %arg2, %[[MS]], %[[NS]], %[[KF]], %{{[^,]*}}, %{{[^,]*}}, %[[NF]],
// CHECK: tile.dispatch @gemm_any[
helios.kernel @gemm(%a: tensor<?x?xbf16>, %b: tensor<?x?xbf16>) -> tensor<?x?xbf16>
    attributes {target = #ptx.target<"sm_89">, schedule = #helios.schedule<strategy = groups, tile = [64, 64, 32], groups = [2, 2], mma = [16, 8, 16], depth = 3>} {
  %d = helios.matmul %a, %b : (tensor<?x?xbf16>, tensor<?x?xbf16>) -> tensor<?x?xbf16> acc f32
  helios.return %d : tensor<?x?xbf16>
}

// A batch-invariant product is copied however little there is of K: what adds up a row must not depend on the number of rows.
// CHECK-LABEL: tile.plan @invariant(
// CHECK-NOT: constant 35 :
// CHECK: tile.dispatch @invariant_copy[
helios.kernel @invariant(%a: tensor<?x?xbf16>, %b: tensor<?x?xbf16>) -> tensor<?x?xbf16>
    attributes {target = #ptx.target<"sm_89">, schedule = #helios.schedule<strategy = groups, tile = [64, 64, 32], groups = [2, 2], mma = [16, 8, 16], depth = 3>} {
  %d = helios.matmul %a, %b {batch_invariant} : (tensor<?x?xbf16>, tensor<?x?xbf16>) -> tensor<?x?xbf16> acc f32
  helios.return %d : tensor<?x?xbf16>
}

// Loads through registers need no copies.
// CHECK-LABEL: tile.plan @staged(
// CHECK-NOT: @staged_copy
helios.kernel @staged(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> tensor<?x?xf16> attributes {target = #spv.target<"lavapipe">, schedule = #helios.schedule<tile = [32, 32, 16]>} {
  %d = helios.matmul %a, %b : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
  helios.return %d : tensor<?x?xf16>
}
