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

// Two stores of what a product gives: slab by slab, each of which is sliced once.
// CHECK-LABEL: @two
tile.program @two(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}, %a: index)
    attributes {target = #spv.target<"lavapipe">, config = #tile.config<groups = [2, 1]>} {
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f16> -> !v
  %zero = arith.constant dense<0.0> : tensor<32x16xf32>
  %x = tile.load %v[%a, %a] : !v -> tensor<32x16xf16>
  %y = tile.load %v[%a, %a] : !v -> tensor<16x16xf16>
  // CHECK: %[[DOT:.*]] = tile.dot
  %d = tile.dot %x, %y, %zero : tensor<32x16xf16>, tensor<16x16xf16>, tensor<32x16xf32>
  // CHECK: %[[SLICE:.*]] = tile.slice %[[DOT]] [0, 0]
  // CHECK: %[[T:.*]] = arith.truncf %[[SLICE]]
  // CHECK: tile.store %[[T]]
  // CHECK: %[[TANH:.*]] = math.tanh %[[T]]
  // CHECK: tile.store %[[TANH]]
  // CHECK: tile.slice %[[DOT]] [16, 0]
  // CHECK-NOT: tile.slice
  // CHECK-COUNT-2: tile.store
  %t = arith.truncf %d : tensor<32x16xf32> to tensor<32x16xf16>
  %u = math.tanh %t : tensor<32x16xf16>
  tile.store %t, %v[%a, %a] : tensor<32x16xf16>, !v
  tile.store %u, %v[%n, %a] : tensor<32x16xf16>, !v
  tile.return
}

// Not where something between them reads memory, maybe what the first one stored.
// CHECK-LABEL: @apart
tile.program @apart(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}, %a: index)
    attributes {target = #spv.target<"lavapipe">, config = #tile.config<groups = [2, 1]>} {
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f16> -> !v
  %zero = arith.constant dense<0.0> : tensor<32x16xf32>
  %x = tile.load %v[%a, %a] : !v -> tensor<32x16xf16>
  %y = tile.load %v[%a, %a] : !v -> tensor<16x16xf16>
  // CHECK: tile.dot
  %d = tile.dot %x, %y, %zero : tensor<32x16xf16>, tensor<16x16xf16>, tensor<32x16xf32>
  // CHECK-COUNT-2: tile.store {{.*}} : tensor<16x16xf16>
  // CHECK: tile.load
  // CHECK: tile.store {{.*}} : tensor<8xf16>
  // CHECK-COUNT-2: tile.store {{.*}} : tensor<16x16xf16>
  %t = arith.truncf %d : tensor<32x16xf32> to tensor<32x16xf16>
  %u = math.tanh %t : tensor<32x16xf16>
  tile.store %t, %v[%a, %a] : tensor<32x16xf16>, !v
  %z = tile.load %v[%n, %a] : !v -> tensor<8xf16>
  tile.store %z, %v[%a, %n] : tensor<8xf16>, !v
  tile.store %u, %v[%n, %a] : tensor<32x16xf16>, !v
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

// A tile that has a layout is cut at repetitions of it, whatever the configuration says of groups.
#sync = #ptx.mma_sync<[16, 8, 16], f16, f16, f32>
#accs = #tile.acc<#sync, groups = [2, 1]>
#as = #tile.operand<a, #sync, groups = [2, 1]>
#bs = #tile.operand<b, #sync, groups = [2, 1]>
// CHECK-LABEL: @laid_out
tile.program @laid_out(%p: !tile.ptr<f32>, %n: index) attributes {target = #ptx.target<"sm_89">} {
  %c0 = arith.constant 0 : index
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f32> -> !tile.view<?x?xf32, strides = [?, 1]>
  %a = arith.constant dense<1.0> : tensor<64x16xf16, #as>
  %b = arith.constant dense<1.0> : tensor<16x16xf16, #bs>
  %zero = arith.constant dense<0.0> : tensor<64x16xf32, #accs>
  %d = tile.dot %a, %b, %zero mma(#sync) : tensor<64x16xf16, #as>, tensor<16x16xf16, #bs>, tensor<64x16xf32, #accs>
  // CHECK: tile.slice %{{.*}} [0, 0] : {{.*}} -> tensor<32x16xf32
  // CHECK: tile.slice %{{.*}} [32, 0] : {{.*}} -> tensor<32x16xf32
  tile.store %d, %v[%c0, %c0] : tensor<64x16xf32, #accs>, !tile.view<?x?xf32, strides = [?, 1]>
  tile.return
}

// A replica's store is cut by rows and columns, after the split into roles: the instruction's rows, 128 bytes of what is stored.
#mma = #ptx.wgmma<n = 64, bf16, bf16, f32>
#acc = #tile.acc<#mma, groups = [1, 1]>
#s = #tile.shared<order = [1, 0], swizzle = 128>
#col = #tile.slice<0, #acc>
#row = #tile.slice<1, #acc>
// CHECK-LABEL: @replica
tile.program @replica(%p: !tile.ptr<f32>, %q: !tile.ptr<f32>, %n: index)
    attributes {target = #ptx.target<"sm_90a">, config = #tile.config<groups = [2, 1], strategy = roles>} {
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f32> -> !tile.view<?x?xf32, strides = [?, 1]>
  %b = tile.view %q[%n] : !tile.ptr<f32> -> !tile.view<?xf32, strides = [1]>
  tile.roles captures(%v = %v, %b = %b : !tile.view<?x?xf32, strides = [?, 1]>, !tile.view<?xf32, strides = [1]>) {
    tile.role "math" replicas(2) {
    ^bb0(%r: index):
      %zero = arith.constant dense<0.0> : tensor<128x64xf32, #acc>
      %a = arith.constant dense<0.0> : tensor<128x64xbf16, #tile.operand<a, #mma, groups = [1, 1]>>
      %k = arith.constant dense<0.0> : tensor<64x64xbf16, #s>
      // CHECK: %[[DOT:.*]] = tile.dot
      %d = tile.dot %a, %k, %zero mma #mma : tensor<128x64xbf16, #tile.operand<a, #mma, groups = [1, 1]>>, tensor<64x64xbf16, #s>, tensor<128x64xf32, #acc>
      %c = tile.load %b[%r] : !tile.view<?xf32, strides = [1]> -> tensor<64xf32, #col>
      %w = tile.load %b[%r] : !tile.view<?xf32, strides = [1]> -> tensor<128xf32, #row>
      %e = tile.expand %c, [0] : tensor<64xf32, #col> -> tensor<128x64xf32, #acc>
      %f = tile.expand %w, [1] : tensor<128xf32, #row> -> tensor<128x64xf32, #acc>
      %x = arith.addf %d, %e : tensor<128x64xf32, #acc>
      %y = arith.addf %x, %f : tensor<128x64xf32, #acc>
      // CHECK: tile.slice %[[DOT]] [0, 0] : tensor<128x64xf32, {{.*}} -> tensor<64x32xf32,
      // CHECK: tile.load {{.*}} -> tensor<32xf32, #tile.slice<0,
      // CHECK: tile.load {{.*}} -> tensor<64xf32, #tile.slice<1,
      // CHECK: tile.store {{.*}} : tensor<64x32xf32
      // CHECK: tile.slice %[[DOT]] [0, 32]
      // CHECK: %[[C32:.*]] = arith.constant 32 : index
      // CHECK: %[[COLUMN:.*]] = arith.addi %{{.*}}, %[[C32]]
      // CHECK: tile.load %{{.*}}[%[[COLUMN]]] {{.*}} -> tensor<32xf32, #tile.slice<0,
      // CHECK: tile.store
      // CHECK: tile.slice %[[DOT]] [64, 0]
      // CHECK: tile.store
      // CHECK: tile.slice %[[DOT]] [64, 32]
      // CHECK: tile.store
      tile.store %y, %v[%r, %r] : tensor<128x64xf32, #acc>, !tile.view<?x?xf32, strides = [?, 1]>
    }
  }
  tile.return
}

// Before the split it stays whole.
// CHECK-LABEL: @unsplit
tile.program @unsplit(%p: !tile.ptr<f32>, %n: index)
    attributes {target = #ptx.target<"sm_90a">, config = #tile.config<groups = [2, 1], strategy = roles>} {
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f32> -> !tile.view<?x?xf32, strides = [?, 1]>
  %zero = arith.constant dense<0.0> : tensor<256x64xf32>
  %a = arith.constant dense<0.0> : tensor<256x64xbf16>
  %k = arith.constant dense<0.0> : tensor<64x64xbf16>
  %d = tile.dot %a, %k, %zero : tensor<256x64xbf16>, tensor<64x64xbf16>, tensor<256x64xf32>
  // CHECK: tile.store {{.*}} : tensor<256x64xf32>
  tile.store %d, %v[%n, %n] : tensor<256x64xf32>, !tile.view<?x?xf32, strides = [?, 1]>
  tile.return
}

// Columns that are no whole rows of 128 bytes: the last slab of a row is narrower.
#mma80 = #ptx.wgmma<n = 80, bf16, bf16, f32>
#acc80 = #tile.acc<#mma80, groups = [1, 1]>
// CHECK-LABEL: @narrower
tile.program @narrower(%p: !tile.ptr<bf16>, %n: index)
    attributes {target = #ptx.target<"sm_90a">, config = #tile.config<groups = [1, 1], strategy = roles>} {
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<bf16> -> !tile.view<?x?xbf16, strides = [?, 1]>
  tile.roles captures(%v = %v : !tile.view<?x?xbf16, strides = [?, 1]>) {
    tile.role "math" replicas(1) {
    ^bb0(%r: index):
      %zero = arith.constant dense<0.0> : tensor<64x80xf32, #acc80>
      %a = arith.constant dense<0.0> : tensor<64x64xbf16, #tile.operand<a, #mma80, groups = [1, 1]>>
      %k = arith.constant dense<0.0> : tensor<64x80xbf16, #tile.shared<order = [1, 0], swizzle = 32>>
      // CHECK: %[[DOT:.*]] = tile.dot
      %d = tile.dot %a, %k, %zero mma #mma80 : tensor<64x64xbf16, #tile.operand<a, #mma80, groups = [1, 1]>>, tensor<64x80xbf16, #tile.shared<order = [1, 0], swizzle = 32>>, tensor<64x80xf32, #acc80>
      %y = arith.truncf %d : tensor<64x80xf32, #acc80> to tensor<64x80xbf16, #acc80>
      // CHECK: tile.slice %[[DOT]] [0, 0] : {{.*}} -> tensor<64x64xf32,
      // CHECK: tile.store {{.*}} : tensor<64x64xbf16
      // CHECK: tile.slice %[[DOT]] [0, 64] : {{.*}} -> tensor<64x16xf32,
      // CHECK: tile.store {{.*}} : tensor<64x16xbf16
      tile.store %y, %v[%r, %r] : tensor<64x80xbf16, #acc80>, !tile.view<?x?xbf16, strides = [?, 1]>
    }
  }
  tile.return
}

// Reductions behind a store are of its slabs: rows are combined slab by slab, columns over all of them.
// CHECK-LABEL: @combined
// CHECK: %[[DOT:.*]] = tile.dot
// CHECK: %[[S0:.*]] = tile.slice %[[DOT]] [0, 0] : tensor<32x16xf32> -> tensor<16x16xf32>
// CHECK: tile.store %[[S0]]
// CHECK: %[[R0:.*]] = tile.reduce {{ *}}add %[[S0]], 1 : tensor<16x16xf32> -> tensor<16xf32>
// CHECK: %[[C0:.*]] = tile.reduce {{ *}}max %[[S0]], 0
// CHECK: %[[S1:.*]] = tile.slice %[[DOT]] [16, 0]
// CHECK: tile.store %[[S1]]
// CHECK: %[[R1:.*]] = tile.reduce {{ *}}add %[[S1]], 1
// CHECK: %[[C1:.*]] = tile.reduce {{ *}}max %[[S1]], 0
// CHECK: %[[C:.*]] = arith.maximumf %[[C0]], %[[C1]] : tensor<16xf32>
// CHECK: tile.store %[[R0]], %[[VIEW:.*]][%{{.*}}, %[[I:.*]]] : tensor<16xf32>
// CHECK: %[[BEHIND:.*]] = arith.addi %[[I]], %c16
// CHECK: tile.store %[[R1]], %[[VIEW]][%{{.*}}, %[[BEHIND]]]
// CHECK: tile.store %[[C]],
// CHECK-NOT: tensor<32xf32>
tile.program @combined(%p: !tile.ptr<f32>, %q: !tile.ptr<f16>, %n: index {tile.div = 8 : index}, %a: index)
    attributes {target = #spv.target<"lavapipe">, config = #tile.config<groups = [2, 1]>} {
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f32> -> !tile.view<?x?xf32, strides = [?, 1]>
  %h = tile.view %q[%n, %n] strides [%n] : !tile.ptr<f16> -> !v
  %zero = arith.constant dense<0.0> : tensor<32x16xf32>
  %x = tile.load %h[%a, %a] : !v -> tensor<32x16xf16>
  %y = tile.load %h[%a, %a] : !v -> tensor<16x16xf16>
  %d = tile.dot %x, %y, %zero : tensor<32x16xf16>, tensor<16x16xf16>, tensor<32x16xf32>
  tile.store %d, %v[%a, %a] : tensor<32x16xf32>, !tile.view<?x?xf32, strides = [?, 1]>
  %r = tile.reduce add %d, 1 : tensor<32x16xf32> -> tensor<32xf32>
  tile.store %r, %v[%a, %a] : tensor<32xf32>, !tile.view<?x?xf32, strides = [?, 1]>
  %c = tile.reduce max %d, 0 : tensor<32x16xf32> -> tensor<16xf32>
  tile.store %c, %v[%a, %a] : tensor<16xf32>, !tile.view<?x?xf32, strides = [?, 1]>
  tile.return
}
