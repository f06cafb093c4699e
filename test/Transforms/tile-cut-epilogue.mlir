// RUN: helios-opt %s --pass-pipeline='builtin.module(tile.program(tile-cut-epilogue))' | FileCheck %s

// The store of the accumulator becomes slabs of 8 rows for each of the two rows of groups; slices move to the product and to
// the loads beside it, a row of the bias serves every slab, and the coordinate of a row moves with its slab.

!v = !tile.view<?x?xf16, strides = [?, 1], div = [8, 1], align = 16>
// CHECK-LABEL: @store
tile.program @store(%p: !tile.ptr<f16>, %q: !tile.ptr<f16>, %n: index {tile.div = 8 : index}, %a: index)
    attributes {target = #spv.target<"lavapipe">, config = #tile.config<groups = [2, 1]>} {
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f16> -> !v
  %b = tile.view %q[%n] : !tile.ptr<f16> -> !tile.view<?xf16, strides = [1]>
  %zero = arith.constant dense<0.0> : tensor<32x16xf32>
  %x = tile.load %v[%a, %a] : !v -> tensor<32x16xf16>
  %y = tile.load %v[%a, %a] : !v -> tensor<16x16xf16>
  // CHECK: %[[DOT:.*]] = tile.dot
  %d = tile.dot %x, %y, %zero : tensor<32x16xf16>, tensor<16x16xf16>, tensor<32x16xf32>
  %t = arith.truncf %d : tensor<32x16xf32> to tensor<32x16xf16>
  %r = tile.load %v[%a, %a] : !v -> tensor<32x16xf16>
  %c = tile.load %b[%a] : !tile.view<?xf16, strides = [1]> -> tensor<16xf16>
  // CHECK: %[[BIAS:.*]] = tile.load {{.*}} -> tensor<16xf16>
  %e = tile.expand %c, [0] : tensor<16xf16> -> tensor<32x16xf16>
  %s = arith.addf %t, %r : tensor<32x16xf16>
  %u = arith.addf %s, %e : tensor<32x16xf16>
  // CHECK: tile.slice %[[DOT]] [0, 0] : tensor<32x16xf32> -> tensor<16x16xf32>
  // CHECK: arith.truncf {{.*}} : tensor<16x16xf32> to tensor<16x16xf16>
  // CHECK: tile.load {{.*}} -> tensor<16x16xf16>
  // CHECK: tile.expand %[[BIAS]], [0] : tensor<16xf16> -> tensor<16x16xf16>
  // CHECK: tile.store {{.*}} : tensor<16x16xf16>
  // CHECK: tile.slice %[[DOT]] [16, 0]
  // CHECK: %[[C16:.*]] = arith.constant 16 : index
  // CHECK: %[[ROW:.*]] = arith.addi %{{.*}}, %[[C16]]
  // CHECK: tile.load %{{.*}}[%[[ROW]],
  // CHECK: tile.store
  // CHECK-NOT: tensor<32x16xf16>
  tile.store %u, %v[%a, %a] : tensor<32x16xf16>, !v
  tile.return
}

// What does not come from a product is left whole.
// CHECK-LABEL: @plain
tile.program @plain(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}, %a: index) attributes {target = #spv.target<"lavapipe">} {
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f16> -> !v
  %x = tile.load %v[%a, %a] : !v -> tensor<64x64xf16>
  // CHECK: tile.store {{.*}} : tensor<64x64xf16>
  tile.store %x, %v[%a, %a] : tensor<64x64xf16>, !v
  tile.return
}
