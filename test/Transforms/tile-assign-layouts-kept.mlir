// RUN: helios-opt %s --split-input-file --pass-pipeline='builtin.module(tile.program(tile-assign-layouts))' | FileCheck %s

// What every trip multiplies from outside of the loop is read into registers once.
// CHECK-LABEL: @certain
// CHECK: %[[A:.+]] = tile.load {{.*}} #tile.shared
// CHECK: %[[KEPT:.+]] = tile.convert_layout %[[A]] : {{.*}} -> tensor<64x64xbf16, #tile.operand<a,
// CHECK: scf.for
// CHECK: tile.dot %[[KEPT]],
!v = !tile.view<?x?xbf16, strides = [?, 1], div = [8, 1], align = 16>

tile.program @certain(%p: !tile.ptr<bf16>, %n: index {tile.div = 8 : index, tile.range = array<i64: 1, 65536>}, %q: !tile.ptr<bf16>)
    attributes {config = #tile.config<groups = [1, 1], strategy = roles, depth = 2>, target = #ptx.target<"sm_90a">} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<bf16> -> !v
  %w = tile.view %q[%n, %n] strides [%n] : !tile.ptr<bf16> -> !v
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %a = tile.load %v[%c0, %c0] : !v -> tensor<64x64xbf16>
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> (tensor<64x64xf32>) {
    %k = arith.muli %i, %c64 : index
    %b = tile.load %v[%k, %c0] : !v -> tensor<64x64xbf16>
    %x = tile.dot %a, %b, %sum : tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>
    scf.yield %x : tensor<64x64xf32>
  }
  %d = arith.truncf %s : tensor<64x64xf32> to tensor<64x64xbf16>
  tile.store %d, %w[%c0, %c0] : tensor<64x64xbf16>, !v
  tile.return
}

// -----

// Where a trip is not certain, it is read where it lies.
// CHECK-LABEL: @uncertain
// CHECK: %[[A:.+]] = tile.load {{.*}} #tile.shared
// CHECK-NOT: #tile.operand<a,
// CHECK: scf.for
// CHECK: tile.dot %[[A]],
!v = !tile.view<?x?xbf16, strides = [?, 1], div = [8, 1], align = 16>

tile.program @uncertain(%p: !tile.ptr<bf16>, %n: index {tile.div = 8 : index, tile.range = array<i64: 0, 65536>}, %q: !tile.ptr<bf16>)
    attributes {config = #tile.config<groups = [1, 1], strategy = roles, depth = 2>, target = #ptx.target<"sm_90a">} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<bf16> -> !v
  %w = tile.view %q[%n, %n] strides [%n] : !tile.ptr<bf16> -> !v
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %a = tile.load %v[%c0, %c0] : !v -> tensor<64x64xbf16>
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> (tensor<64x64xf32>) {
    %k = arith.muli %i, %c64 : index
    %b = tile.load %v[%k, %c0] : !v -> tensor<64x64xbf16>
    %x = tile.dot %a, %b, %sum : tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>
    scf.yield %x : tensor<64x64xf32>
  }
  %d = arith.truncf %s : tensor<64x64xf32> to tensor<64x64xbf16>
  tile.store %d, %w[%c0, %c0] : tensor<64x64xbf16>, !v
  tile.return
}
