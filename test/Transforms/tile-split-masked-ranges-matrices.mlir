// RUN: helios-opt %s --mlir-print-local-scope --pass-pipeline='builtin.module(tile.program(tile-assign-layouts,tile-split-masked-ranges),canonicalize)' | FileCheck %s

// A mask that goes to matrices as numbers: where it holds everywhere, the way there goes with it.

!v = !tile.view<?x?xf16, strides = [?, 1], div = [8, 1], align = 16>
// CHECK-LABEL: @numbers
// CHECK: scf.for
// CHECK: tile.dot
// CHECK-NOT: tile.map
// CHECK-NOT: arith.cmpi
// CHECK-NOT: arith.uitofp
// CHECK: arith.truncf
// CHECK: tile.dot
// CHECK: scf.yield
// CHECK: scf.for
// CHECK: arith.cmpi sle
// CHECK: arith.uitofp
// CHECK: tile.map
// CHECK: scf.yield
tile.program @numbers(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index, tile.range = array<i64: 1, 1000>}, %m: index)
    attributes {target = #spv.target<"lavapipe">, config = #tile.config<groups = [2, 1]>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f16> -> !v
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %q = tile.load %v[%m, %c0] : !v -> tensor<16x16xf16>
  %row = tile.iota 0 base %m : tensor<16x16xindex>
  %x = scf.for %i = %c0 to %n step %c1 iter_args(%o = %zero) -> (tensor<16x16xf32>) {
    %at = arith.muli %i, %c16 : index
    %k = tile.load %v[%at, %c0] : !v -> tensor<16x16xf16>
    %kt = tile.transpose %k : tensor<16x16xf16> -> tensor<16x16xf16>
    %s = tile.dot %q, %kt, %zero : tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf32>
    %j = tile.iota 1 base %at : tensor<16x16xindex>
    %keep = arith.cmpi sle, %j, %row : tensor<16x16xindex>
    %t = arith.select %keep, %s, %zero : tensor<16x16xi1>, tensor<16x16xf32>
    %h = arith.truncf %t : tensor<16x16xf32> to tensor<16x16xf16>
    %y = tile.dot %h, %k, %o : tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf32>
    scf.yield %y : tensor<16x16xf32>
  }
  %d = arith.truncf %x : tensor<16x16xf32> to tensor<16x16xf16>
  tile.store %d, %v[%m, %c0] : tensor<16x16xf16>, !v
  tile.return
}
