// RUN: helios-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(tile.program(tile-assign-layouts,tile-schedule))' | FileCheck %s

!v = !tile.view<?x?xf16, strides = [?, 1], div = [8, 1], align = 16>
// CHECK-LABEL: @staged
tile.program @staged(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}, %a: index) attributes {target = #spv.target<"lavapipe">} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f16> -> !v
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %d = scf.for %k = %c0 to %n step %c16 iter_args(%acc = %zero) -> (tensor<16x16xf32>) {
    // CHECK: tile.load {{.*}} {tile.sched = #tile.sched<stage = 0, order = 1>}
    %x = tile.load %v[%a, %k] : !v -> tensor<16x16xf16>
    %y = tile.load %v[%k, %a] : !v -> tensor<16x16xf16>
    // A left operand that is computed belongs to the stage that writes it.
    // CHECK: arith.addf {{.*}} {tile.sched = #tile.sched<stage = 1, order = 0>}
    %s = arith.addf %x, %y : tensor<16x16xf16>
    // CHECK: tile.convert_layout {{.*}} {tile.sched = #tile.sched<stage = 1, order = 0>} : {{.*}} -> tensor<16x16xf16, #tile.shared
    // CHECK: tile.convert_layout {{.*}} {tile.sched = #tile.sched<stage = 1, order = 2>} : {{.*}} -> tensor<16x16xf16, #tile.opaque<a
    // CHECK: tile.dot {{.*}} {tile.sched = #tile.sched<stage = 1, order = 2>}
    %z = tile.dot %s, %y, %acc : tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf32>
    scf.yield %z : tensor<16x16xf32>
  }
  tile.return
}

// -----

// expected-error @+1 {{expected a strategy that target 'lavapipe' lowers, got 'roles'; use strategy = staged}}
tile.program @roles() attributes {target = #spv.target<"lavapipe">, config = #tile.config<groups = [1, 1], strategy = roles>} {
  tile.return
}

// -----

// expected-error @+1 {{expected depth = 1 or depth = 2 with strategy 'staged', whose tiles are written at most one step ahead, got 3}}
tile.program @deep() attributes {target = #spv.target<"lavapipe">, config = #tile.config<groups = [1, 1], depth = 3>} {
  tile.return
}

// -----

// Two buffers: what products read is written in the trip before.
// CHECK-LABEL: @buffers
tile.program @buffers(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}, %a: index) attributes {target = #spv.target<"lavapipe">, config = #tile.config<groups = [1, 1], depth = 2>} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f16> -> !tile.view<?x?xf16, strides = [?, 1], div = [8, 1], align = 16>
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %d = scf.for %k = %c0 to %n step %c16 iter_args(%acc = %zero) -> (tensor<16x16xf32>) {
    // CHECK: tile.load {{.*}} {tile.sched = #tile.sched<stage = 0, order = 1>}
    %x = tile.load %v[%a, %k] : !tile.view<?x?xf16, strides = [?, 1], div = [8, 1], align = 16> -> tensor<16x16xf16>
    %y = tile.load %v[%k, %a] : !tile.view<?x?xf16, strides = [?, 1], div = [8, 1], align = 16> -> tensor<16x16xf16>
    // CHECK: tile.convert_layout {{.*}} {tile.sched = #tile.sched<stage = 1, order = 0>} : {{.*}} -> tensor<16x16xf16, #tile.shared
    // CHECK: tile.convert_layout {{.*}} {tile.sched = #tile.sched<stage = 2, order = 2>} : {{.*}} -> tensor<16x16xf16, #tile.opaque<a
    // CHECK: tile.dot {{.*}} {tile.sched = #tile.sched<stage = 2, order = 2>}
    %z = tile.dot %x, %y, %acc : tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf32>
    scf.yield %z : tensor<16x16xf32>
  }
  tile.return
}

// -----

// Loops of products are marked as the configuration says, whatever their schedule; other loops are not.
// CHECK-LABEL: @unrolled
tile.program @unrolled(%p: !tile.ptr<f16>, %n: index) attributes {target = #spv.target<"lavapipe">, config = #tile.config<groups = [1, 1], unroll = 3, ahead = 2>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %x = arith.constant dense<1.0> : tensor<16x16xf16>
  // CHECK: scf.for
  // CHECK: tile.dot
  // CHECK: } {tile.ahead = 2 : i64, tile.unroll = 3 : i64}
  %d = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<16x16xf32>) {
    %z = tile.dot %x, %x, %acc : tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf32>
    scf.yield %z : tensor<16x16xf32>
  }
  // CHECK: scf.for
  // CHECK-NOT: {tile.
  // CHECK: tile.return
  %e = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %d) -> (tensor<16x16xf32>) {
    %z = arith.addf %acc, %acc : tensor<16x16xf32>
    scf.yield %z : tensor<16x16xf32>
  }
  tile.return
}
