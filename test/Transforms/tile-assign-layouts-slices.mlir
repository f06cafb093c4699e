// RUN: helios-opt %s --split-input-file --pass-pipeline='builtin.module(tile.program(tile-assign-layouts))' | FileCheck %s

!v = !tile.view<?x?xf16, strides = [?, 1], div = [8, 1], align = 16>

// Two slices of a step: operands are distributed over them along k, and what the loop carries are sums of each. They are added up behind the loop, before
// anything is computed of them.
// CHECK-LABEL: @sliced
// CHECK: scf.for {{.*}} iter_args(%[[SUM:.*]] = %{{.*}}) -> (tensor<16x32xf32, #tile.acc<#ptx.mma_sync<[16, 8, 16], f16, f16, f32>, groups = [1, 2, 2], partial = add>>
// CHECK: tile.convert_layout {{.*}} -> tensor<16x64xf16, #tile.operand<a, #ptx.mma_sync<[16, 8, 16], f16, f16, f32>, groups = [1, 2, 2]>>
// CHECK: tile.convert_layout {{.*}} -> tensor<64x32xf16, #tile.operand<b, #ptx.mma_sync<[16, 8, 16], f16, f16, f32>, groups = [1, 2, 2]>>
// CHECK: tile.dot {{.*}}, %[[SUM]] {{.*}} partial = add>>
// CHECK: scf.yield
// CHECK: tile.convert_layout {{.*}} partial = add>> -> tensor<16x32xf32, #tile.acc<#ptx.mma_sync<[16, 8, 16], f16, f16, f32>, groups = [1, 2, 2]>>
// CHECK: arith.mulf {{.*}} : tensor<16x32xf32, #tile.acc<#ptx.mma_sync<[16, 8, 16], f16, f16, f32>, groups = [1, 2, 2]>>
// CHECK: arith.truncf
// CHECK: tile.store
tile.program @sliced(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}, %i: index {tile.div = 8 : index})
    attributes {config = #tile.config<groups = [1, 2, 2], strategy = groups, depth = 3>, target = #ptx.target<"sm_89">} {
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f16> -> !v
  %zero = arith.constant dense<0.0> : tensor<16x32xf32>
  %two = arith.constant dense<2.0> : tensor<16x32xf32>
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %x = scf.for %k = %c0 to %n step %c64 iter_args(%sum = %zero) -> (tensor<16x32xf32>) {
    %a = tile.load %v[%i, %k] : !v -> tensor<16x64xf16>
    %b = tile.load %v[%k, %i] : !v -> tensor<64x32xf16>
    %next = tile.dot %a, %b, %sum : tensor<16x64xf16>, tensor<64x32xf16>, tensor<16x32xf32>
    scf.yield %next : tensor<16x32xf32>
  }
  %y = arith.mulf %x, %two : tensor<16x32xf32>
  %d = arith.truncf %y : tensor<16x32xf32> to tensor<16x32xf16>
  tile.store %d, %v[%i, %i] : tensor<16x32xf16>, !v
  tile.return
}
