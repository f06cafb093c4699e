// RUN: helios-opt %s --split-input-file --pass-pipeline='builtin.module(tile.program(tile-assign-layouts))' | FileCheck %s

!v = !tile.view<?x?xf16, strides = [?, 1], div = [8, 1], align = 16>
// CHECK-LABEL: @product
// Loads are wide, operands go through shared memory, the transposed operand is the same bytes read the other way, and the
// accumulator is narrowed before it is exchanged for the store.
tile.program @product(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}, %a: index)
    attributes {target = #spv.target<"lavapipe">, config = #tile.config<groups = [2, 2]>} {
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f16> -> !v
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  // CHECK: %[[X:.*]] = tile.load {{.*}} -> tensor<32x16xf16, #tile.regs<vec = [1, 8], lanes = [4, 2], groups = [4, 1]>>
  %x = tile.load %v[%a, %a] : !v -> tensor<32x16xf16>
  // CHECK: %[[Y:.*]] = tile.load
  %y = tile.load %v[%a, %a] : !v -> tensor<32x16xf16>
  // CHECK: %[[SY:.*]] = tile.convert_layout %[[Y]] : {{.*}} -> tensor<32x16xf16, #tile.shared<order = [1, 0], pad = 8>>
  // CHECK: %[[TY:.*]] = tile.transpose %[[SY]] : {{.*}} -> tensor<16x32xf16, #tile.shared<order = [0, 1], pad = 8>>
  %yt = tile.transpose %y : tensor<32x16xf16> -> tensor<16x32xf16>
  // CHECK: %[[SX:.*]] = tile.convert_layout %[[X]] : {{.*}} -> tensor<32x16xf16, #tile.shared
  // CHECK: %[[OX:.*]] = tile.convert_layout %[[SX]] : {{.*}} -> tensor<32x16xf16, #tile.opaque<a,
  // CHECK: %[[OY:.*]] = tile.convert_layout %[[TY]] : {{.*}} -> tensor<16x32xf16, #tile.opaque<b,
  // CHECK: tile.dot %[[OX]], %[[OY]], %{{.*}} mma (#spv.coop<[8, 8, 8], f16, f16, f32, lanes = 8>)
  %d = tile.dot %x, %yt, %zero : tensor<32x16xf16>, tensor<16x32xf16>, tensor<32x32xf32>
  // CHECK: %[[T:.*]] = arith.truncf {{.*}} to tensor<32x32xf16, #tile.opaque<acc,
  %t = arith.truncf %d : tensor<32x32xf32> to tensor<32x32xf16>
  // CHECK: %[[ST:.*]] = tile.convert_layout %[[T]] : {{.*}} -> tensor<32x32xf16, #tile.shared
  // CHECK: %[[RT:.*]] = tile.convert_layout %[[ST]] : {{.*}} -> tensor<32x32xf16, #tile.regs<vec = [1, 8]
  // CHECK: tile.store %[[RT]]
  tile.store %t, %v[%a, %a] : tensor<32x32xf16>, !v
  tile.return
}

// -----

!v = !tile.view<?x?xf16, strides = [?, 1], div = [8, 1], align = 16>
// CHECK-LABEL: @bias
// A vector that is only broadcast is loaded where the broadcast needs it: no exchange.
tile.program @bias(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}, %a: index) attributes {target = #spv.target<"lavapipe">} {
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f16> -> !v
  %w = tile.view %p[%n] : !tile.ptr<f16> -> !tile.view<?xf16, strides = [1], align = 16>
  %x = tile.load %v[%a, %a] : !v -> tensor<8x64xf16>
  // CHECK: tile.load {{.*}} -> tensor<64xf16, #tile.slice<0, #tile.regs<vec = [1, 8], lanes = [1, 8], groups = [1, 1]>>>
  %b = tile.load %w[%a] : !tile.view<?xf16, strides = [1], align = 16> -> tensor<64xf16>
  %e = tile.expand %b, [0] : tensor<64xf16> -> tensor<8x64xf16>
  // CHECK-NOT: convert_layout
  %s = arith.addf %x, %e : tensor<8x64xf16>
  tile.store %s, %v[%a, %a] : tensor<8x64xf16>, !v
  tile.return
}

// -----

!v = !tile.view<?x?xf16, strides = [?, 1], div = [8, 1], align = 16>
// CHECK-LABEL: @chain
// An accumulator that becomes an operand goes through shared memory.
tile.program @chain(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}, %a: index) attributes {target = #spv.target<"lavapipe">} {
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f16> -> !v
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %x = tile.load %v[%a, %a] : !v -> tensor<16x16xf16>
  %d = tile.dot %x, %x, %zero : tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf32>
  // CHECK: %[[T:.*]] = arith.truncf
  %t = arith.truncf %d : tensor<16x16xf32> to tensor<16x16xf16>
  // CHECK: %[[S:.*]] = tile.convert_layout %[[T]] : tensor<16x16xf16, #tile.opaque<acc, {{.*}} -> tensor<16x16xf16, #tile.shared
  // CHECK: tile.convert_layout %[[S]] : {{.*}} -> tensor<16x16xf16, #tile.opaque<a,
  %d2 = tile.dot %t, %x, %zero : tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf32>
  tile.store %t, %v[%a, %a] : tensor<16x16xf16>, !v
  %t2 = arith.truncf %d2 : tensor<16x16xf32> to tensor<16x16xf16>
  tile.store %t2, %v[%a, %a] : tensor<16x16xf16>, !v
  tile.return
}

// -----

!v = !tile.view<?x?xf32, strides = [?, 1], div = [4, 1], align = 16>
// CHECK-LABEL: @simt
// Without matrix instructions the accumulator has coordinates and is stored as it is.
tile.program @simt(%p: !tile.ptr<f32>, %n: index {tile.div = 4 : index}, %a: index) attributes {target = #spv.target<"simt">} {
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f32> -> !v
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %x = tile.load %v[%a, %a] : !v -> tensor<32x32xf32>
  // CHECK: tile.dot {{.*}} mma (#spv.simt<block = [4, 4, 4], lanes = [8, 8], f32, f32, f32>)
  %d = tile.dot %x, %x, %zero : tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>
  // CHECK: tile.store {{.*}} : tensor<32x32xf32, #tile.acc<#spv.simt
  tile.store %d, %v[%a, %a] : tensor<32x32xf32>, !v
  tile.return
}

// -----

!v = !tile.view<?x?xf16, strides = [?, 1], div = [8, 1], align = 16>
// CHECK-LABEL: @banks
// Eight lanes write 128 bytes of shared memory at a time: two rows of 64 bytes. Rows 80 bytes apart overlap on their banks with the next row,
// but not with the fourth from it, so neighbouring quarters of the group take rows that are four apart. Rows of 128 bytes need none of this.
tile.program @banks(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}, %a: index)
    attributes {target = #spv.target<"nvidia">, config = #tile.config<groups = [2, 2]>} {
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f16> -> !v
  %zero = arith.constant dense<0.0> : tensor<32x64xf32>
  // CHECK: tile.load {{.*}} -> tensor<32x32xf16, #tile.regs<vec = [1, 8], lanes = [8, 4], groups = [4, 1], interleave = [2, 1]>>
  %x = tile.load %v[%a, %a] : !v -> tensor<32x32xf16>
  // CHECK: tile.load {{.*}} -> tensor<32x64xf16, #tile.regs<vec = [1, 8], lanes = [4, 8], groups = [4, 1]>>
  %y = tile.load %v[%a, %a] : !v -> tensor<32x64xf16>
  %d = tile.dot %x, %y, %zero : tensor<32x32xf16>, tensor<32x64xf16>, tensor<32x64xf32>
  %t = arith.truncf %d : tensor<32x64xf32> to tensor<32x64xf16>
  tile.store %t, %v[%a, %a] : tensor<32x64xf16>, !v
  tile.return
}
