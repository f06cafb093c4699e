// RUN: helios-opt %s --helios-set-target=device=lavapipe --helios-select-schedule=tuned=%S/Inputs/tuned.json | FileCheck %s --check-prefix=OTHERS
// RUN: sed 's/silu+pair/square+row_sum/' %S/Inputs/tuned.json > %t.rows
// RUN: helios-opt %s --helios-set-target=device=lavapipe --helios-select-schedule=tuned=%t.rows | FileCheck %s
// RUN: sed 's/silu+pair/square+column_sum/' %S/Inputs/tuned.json > %t.columns
// RUN: helios-opt %s --helios-set-target=device=lavapipe --helios-select-schedule=tuned=%t.columns | FileCheck %s --check-prefix=OTHERS

// A product that combines rows takes what won for such products, and nothing else of a table.
// CHECK-LABEL: helios.kernel @summed(
// CHECK-SAME: tile = [16, 24, 16]
// CHECK-SAME: tuned = [#helios.tuned<
// OTHERS-LABEL: helios.kernel @summed(
// OTHERS-NOT: tuned
// OTHERS: helios.matmul
helios.kernel @summed(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> (tensor<?x?xf16>, tensor<?xf32>) {
  %d, %s = helios.matmul %a, %b {reductions = [#helios.reduction<add, n>]}
      : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16>, tensor<?xf32> acc f32 {
  ^bb0(%x: f32):
    %y = arith.truncf %x : f32 to f16
    %q = arith.mulf %x, %x : f32
    helios.yield %y, %q : f16, f32
  }
  helios.return %d, %s : tensor<?x?xf16>, tensor<?xf32>
}
