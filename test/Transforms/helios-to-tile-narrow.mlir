// RUN: helios-opt %s --helios-to-tile --canonicalize --cse --split-input-file | FileCheck %s

// Rows that begin at multiples of 4 bytes have programs of narrow copies, whole and in slices, which a launch takes where copying operands into wider
// rows and multiplying these would take longer. Of results nothing is known but that their rows lie side by side.
// CHECK-LABEL: tile.program @rows_narrow(
// CHECK-SAME: index {tile.div = 2 : index, {{[^}]*}}}
// CHECK-SAME: mma = [16, 8, 16], strategy = groups, depth = 3
// CHECK-DAG: tile.view {{.*}} -> <?x?xbf16, strides = [?, 1], div = [2, 1], align = 4>
// CHECK-DAG: tile.view {{.*}} -> <?x?xbf16, strides = [?, 1]>
// CHECK: tile.dot {{.*}} : tensor<64x32xbf16>, tensor<32x64xbf16>
// CHECK-LABEL: tile.program @rows_narrow_32x64x64_split_slices(
// CHECK: tile.dot {{.*}} : tensor<32x64xbf16>, tensor<64x64xbf16>
// CHECK-LABEL: tile.plan @rows(
// CHECK: %[[UNITS:.*]] = tile.device compute_units
// Rounds of items, each of so many clocks for an element of K and beside them; of slices that of their part of K, and adding them up.
// CHECK: %[[ELEMENTS:.*]] = arith.muli %{{.*}}, %c15 : index
// CHECK: %[[ITEM:.*]] = arith.addi %[[ELEMENTS]], %c1060 : index
// CHECK: %[[WHOLE:.*]] = arith.muli %{{.*}}, %[[ITEM]] : index
// CHECK: %[[SLICES:.*]] = arith.addi %{{.*}}, %c4650 : index
// CHECK: %[[SLICED:.*]] = arith.addi %[[SLICES]], %{{.*}} : index
// CHECK: arith.cmpi sle, %[[WHOLE]], %[[SLICED]] : index
// Beside: the bytes of what is copied, and the dispatch.
// CHECK: %[[BYTES:.*]] = arith.ceildivui %{{.*}}, %[[UNITS]] : index
// CHECK: %[[MOVED:.*]] = arith.muli %[[BYTES]], %c133 : index
// CHECK: %[[CLOCKS:.*]] = arith.divui %[[MOVED]], %c1024 : index
// CHECK: %[[COPIES:.*]] = arith.addi %[[CLOCKS]], %c5800 : index
// CHECK: %[[COPIED:.*]] = arith.addi %[[COPIES]], %{{.*}} : index
// CHECK: arith.cmpi sle, %[[WHOLE]], %[[COPIED]] : index
// CHECK: tile.dispatch @rows_narrow[{{.*}}variant = "narrow"
// CHECK: tile.dispatch @rows_narrow_32x64x64_split_slices[{{.*}}variant = "narrow-32x64x64_split"
// CHECK-NEXT: tile.dispatch @rows_operands_sum[
helios.kernel @rows(%a: tensor<?x?xbf16>, %b: tensor<?x?xbf16>) -> tensor<?x?xbf16>
    attributes {target = #ptx.target<"sm_90a">, modelled = 1 : i64,
                schedule = #helios.schedule<strategy = roles, tile = [128, 128, 64], groups = [2, 1], mma = [64, 128, 16], depth = 4>} {
  %d = helios.matmul %a, %b {transpose_b} : (tensor<?x?xbf16>, tensor<?x?xbf16>) -> tensor<?x?xbf16> acc f32
  helios.return %d : tensor<?x?xbf16>
}

// -----

// K is odd: no copy has whole units of such rows.
// CHECK-NOT: tile.program @odd_narrow
// CHECK-LABEL: tile.plan @odd(
helios.kernel @odd(%a: tensor<?x77xbf16>, %b: tensor<?x77xbf16>) -> tensor<?x?xbf16>
    attributes {target = #ptx.target<"sm_90a">, modelled = 1 : i64,
                schedule = #helios.schedule<strategy = roles, tile = [128, 128, 64], groups = [2, 1], mma = [64, 128, 16], depth = 4>} {
  %d = helios.matmul %a, %b {transpose_b} : (tensor<?x77xbf16>, tensor<?x77xbf16>) -> tensor<?x?xbf16> acc f32
  helios.return %d : tensor<?x?xbf16>
}

// -----

// Rows of results that must not depend on the schedule come of copies, whatever their number.
// CHECK-NOT: tile.program @invariant_narrow
// CHECK-LABEL: tile.plan @invariant(
helios.kernel @invariant(%a: tensor<?x?xbf16>, %b: tensor<?x?xbf16>) -> tensor<?x?xbf16>
    attributes {target = #ptx.target<"sm_90a">, modelled = 1 : i64,
                schedule = #helios.schedule<strategy = roles, tile = [128, 128, 64], groups = [2, 1], mma = [64, 128, 16], depth = 4>} {
  %d = helios.matmul %a, %b {transpose_b, batch_invariant} : (tensor<?x?xbf16>, tensor<?x?xbf16>) -> tensor<?x?xbf16> acc f32
  helios.return %d : tensor<?x?xbf16>
}

// -----

// Whoever gives a schedule has it run on copies.
// CHECK-NOT: tile.program @given_narrow
// CHECK-LABEL: tile.plan @given(
helios.kernel @given(%a: tensor<?x?xbf16>, %b: tensor<?x?xbf16>) -> tensor<?x?xbf16>
    attributes {target = #ptx.target<"sm_90a">,
                schedule = #helios.schedule<strategy = roles, tile = [128, 128, 64], groups = [2, 1], mma = [64, 128, 16], depth = 4>} {
  %d = helios.matmul %a, %b {transpose_b} : (tensor<?x?xbf16>, tensor<?x?xbf16>) -> tensor<?x?xbf16> acc f32
  helios.return %d : tensor<?x?xbf16>
}
