// RUN: helios-opt %s --split-input-file --mlir-print-local-scope --pass-pipeline='builtin.module(tile.program(tile-assign-layouts))' | FileCheck %s

// Reductions: each lane combines what it holds; what lanes of one group share is combined where the whole value is needed.

!v = !tile.view<?x?xf32, strides = [?, 1], div = [4, 1], align = 16>
// CHECK-LABEL: @row_sums
tile.program @row_sums(%p: !tile.ptr<f32>, %n: index {tile.div = 4 : index}, %a: index)
    attributes {target = #ptx.target<"sm_89">, config = #tile.config<groups = [1, 1]>} {
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f32> -> !v
  // CHECK: %[[X:.*]] = tile.load
  %x = tile.load %v[%a, %a] : !v -> tensor<16x64xf32>
  // CHECK: %[[PART:.*]] = tile.reduce{{ +}}add %[[X]], 1 : tensor<16x64xf32, #tile.regs<vec = [1, 4], lanes = [2, 16], groups = [1, 1]>> -> tensor<16xf32, #tile.slice<1, #tile.regs<vec = [1, 4], lanes = [2, 16], groups = [1, 1]>, partial = add>>
  %r = tile.reduce add %x, 1 : tensor<16x64xf32> -> tensor<16xf32>
  // CHECK-NEXT: %[[SUM:.*]] = tile.convert_layout %[[PART]] : {{.*}} -> tensor<16xf32, #tile.slice<1, #tile.regs<vec = [1, 4], lanes = [2, 16], groups = [1, 1]>>>
  // CHECK-NEXT: tile.expand %[[SUM]], [1]
  %e = tile.expand %r, [1] : tensor<16xf32> -> tensor<16x64xf32>
  // CHECK-NOT: tile.convert_layout
  %y = arith.divf %x, %e : tensor<16x64xf32>
  tile.store %y, %v[%a, %a] : tensor<16x64xf32>, !v
  tile.return
}

// -----

!v = !tile.view<?x?xbf16, strides = [?, 1], div = [8, 1], align = 16>
// The rows of a product, where its accumulator lies.
// CHECK-LABEL: @softmax
tile.program @softmax(%p: !tile.ptr<bf16>, %n: index {tile.div = 8 : index}, %a: index)
    attributes {target = #ptx.target<"sm_89">, config = #tile.config<groups = [4, 1]>} {
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<bf16> -> !v
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %x = tile.load %v[%a, %a] : !v -> tensor<64x32xbf16>
  %w = tile.load %v[%a, %a] : !v -> tensor<64x32xbf16>
  %wt = tile.transpose %w : tensor<64x32xbf16> -> tensor<32x64xbf16>
  %d = tile.dot %x, %wt, %zero : tensor<64x32xbf16>, tensor<32x64xbf16>, tensor<64x64xf32>
  // CHECK: %[[D:.*]] = tile.dot
  // CHECK-NEXT: %[[PART:.*]] = tile.reduce{{ +}}max %[[D]], 1 : {{.*}} -> tensor<64xf32, #tile.slice<1, #tile.acc<{{.*}}, groups = [4, 1]>, partial = max>>
  // CHECK-NEXT: %[[MAX:.*]] = tile.convert_layout %[[PART]] : {{.*}} -> tensor<64xf32, #tile.slice<1, #tile.acc<{{.*}}, groups = [4, 1]>>>
  // CHECK-NEXT: %[[E:.*]] = tile.expand %[[MAX]], [1]
  // CHECK-NEXT: arith.subf %[[D]], %[[E]]
  %m = tile.reduce max %d, 1 : tensor<64x64xf32> -> tensor<64xf32>
  %e = tile.expand %m, [1] : tensor<64xf32> -> tensor<64x64xf32>
  %s = arith.subf %d, %e : tensor<64x64xf32>
  %t = arith.truncf %s : tensor<64x64xf32> to tensor<64x64xbf16>
  tile.store %t, %v[%a, %a] : tensor<64x64xbf16>, !v
  tile.return
}

// -----

!v = !tile.view<?x?xf16, strides = [?, 1], div = [8, 1], align = 16>
// Nobody knows which lane holds what of an opaque accumulator: it is exchanged first.
// CHECK-LABEL: @opaque
tile.program @opaque(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}, %a: index)
    attributes {target = #spv.target<"lavapipe">, config = #tile.config<groups = [4, 1]>} {
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f16> -> !v
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %x = tile.load %v[%a, %a] : !v -> tensor<64x32xf16>
  %w = tile.load %v[%a, %a] : !v -> tensor<64x32xf16>
  %wt = tile.transpose %w : tensor<64x32xf16> -> tensor<32x64xf16>
  %d = tile.dot %x, %wt, %zero : tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>
  // CHECK: %[[D:.*]] = tile.dot
  // CHECK-NEXT: %[[S:.*]] = tile.convert_layout %[[D]] : {{.*}} -> tensor<64x64xf32, #tile.shared<
  // CHECK-NEXT: %[[R:.*]] = tile.convert_layout %[[S]] : {{.*}} -> tensor<64x64xf32, #tile.regs<vec = [1, 8], lanes = [1, 8], groups = [4, 1]>>
  // CHECK-NEXT: %[[PART:.*]] = tile.reduce{{ +}}max %[[R]], 1 : {{.*}} -> tensor<64xf32, #tile.slice<1, #tile.regs<{{.*}}>, partial = max>>
  // CHECK-NEXT: tile.convert_layout %[[PART]] : {{.*}} -> tensor<64xf32, #tile.slice<1, #tile.regs<vec = [1, 8], lanes = [1, 8], groups = [4, 1]>>>
  %m = tile.reduce max %d, 1 : tensor<64x64xf32> -> tensor<64xf32>
  %e = tile.expand %m, [1] : tensor<64xf32> -> tensor<64x64xf32>
  %s = arith.subf %d, %e : tensor<64x64xf32>
  %t = arith.truncf %s : tensor<64x64xf32> to tensor<64x64xf16>
  tile.store %t, %v[%a, %a] : tensor<64x64xf16>, !v
  tile.return
}
