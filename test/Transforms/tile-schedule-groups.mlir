// RUN: helios-opt %s --pass-pipeline='builtin.module(tile.program(tile-assign-layouts,tile-rings,tile-schedule))' | FileCheck %s
// RUN: helios-opt %s --pass-pipeline='builtin.module(tile-to-frag-level{device=sm_89},frag.kernel(frag-assign-wait-counts))' | FileCheck %s --check-prefix=WAITS

!v = !tile.view<?x?xf16, strides = [?, 1], div = [8, 1], align = 16>

// Copies run two trips ahead, with what their addresses need; entering to read comes first of what stays.
// CHECK-LABEL: @groups
// CHECK: scf.for
// CHECK-NEXT: arith.muli {{.*}} {tile.sched = #tile.sched<stage = 0, order = 1>}
// CHECK-NEXT: tile.enter write {{.*}} {tile.sched = #tile.sched<stage = 0, order = 1>}
// CHECK-NEXT: tile.copy_in {{.*}} {tile.sched = #tile.sched<stage = 0, order = 1>}
// CHECK-NEXT: tile.copy_in {{.*}} {tile.sched = #tile.sched<stage = 0, order = 1>}
// CHECK-NEXT: tile.exit {{.*}} {tile.sched = #tile.sched<stage = 0, order = 1>}
// CHECK-NEXT: tile.enter read {{.*}} {tile.sched = #tile.sched<stage = 2, order = 0>}
// CHECK-NEXT: tile.transpose {{.*}} {tile.sched = #tile.sched<stage = 2, order = 2>}
// CHECK-NEXT: tile.convert_layout {{.*}} {tile.sched = #tile.sched<stage = 2, order = 2>}
// CHECK-NEXT: tile.convert_layout {{.*}} {tile.sched = #tile.sched<stage = 2, order = 2>}
// CHECK-NEXT: tile.dot {{.*}} {tile.sched = #tile.sched<stage = 2, order = 2>}
// CHECK-NEXT: tile.exit {{.*}} {tile.sched = #tile.sched<stage = 2, order = 2>}
tile.program @groups(%p: !tile.ptr<f16>, %n: index {tile.div = 16 : index, tile.range = array<i64: 0, 4096>}, %i: index {tile.div = 16 : index}, %m: index)
    attributes {config = #tile.config<groups = [1, 1], strategy = groups, depth = 3>, target = #ptx.target<"sm_89">} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f16> -> !v
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %x = scf.for %k = %c0 to %m step %c1 iter_args(%sum = %zero) -> (tensor<16x16xf32>) {
    %kk = arith.muli %k, %c32 : index
    %t = tile.load %v[%i, %kk] : !v -> tensor<16x32xf16>
    %u = tile.load %v[%i, %kk] : !v -> tensor<16x32xf16>
    %ut = tile.transpose %u : tensor<16x32xf16> -> tensor<32x16xf16>
    %y = tile.dot %t, %ut, %sum : tensor<16x32xf16>, tensor<32x16xf16>, tensor<16x16xf32>
    scf.yield %y : tensor<16x16xf32>
  }
  %d = arith.truncf %x : tensor<16x16xf32> to tensor<16x16xf16>
  tile.store %d, %v[%i, %i] : tensor<16x16xf16>, !v
  tile.return
}

// Of two rings, the first slot to be read is entered first, the other one where it is read, behind the first product.
// CHECK-LABEL: @chain
// CHECK: scf.for
// CHECK: tile.copy_in {{.*}} {tile.sched = #tile.sched<stage = 0, order = 1>}
// CHECK: tile.copy_in {{.*}} {tile.sched = #tile.sched<stage = 0, order = 1>}
// CHECK: tile.enter read {{.*}} {tile.sched = #tile.sched<stage = 1, order = 0>}
// CHECK: tile.dot {{.*}} {tile.sched = #tile.sched<stage = 1, order = 2>}
// CHECK: tile.enter read {{.*}} {tile.sched = #tile.sched<stage = 1, order = 2>}
// CHECK: tile.dot {{.*}} {tile.sched = #tile.sched<stage = 1, order = 2>}

// So each wait leaves pending what is not read yet: of the slots of one trip and the next one, all but the first and all but the second.
// WAITS-LABEL: @chain
// WAITS: scf.for
// WAITS: frag.acquire read {{.*}} count 1
// WAITS: frag.copy_in
// WAITS: frag.copy_in
// WAITS: frag.mma
// WAITS: frag.acquire read {{.*}} count 2
// WAITS: frag.mma
// WAITS: scf.yield
tile.program @chain(%p: !tile.ptr<f16>, %n: index {tile.div = 16 : index, tile.range = array<i64: 0, 4096>}, %m: index)
    attributes {config = #tile.config<groups = [1, 1], strategy = groups, depth = 2>, target = #ptx.target<"sm_89">} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f16> -> !v
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %x = scf.for %k = %c0 to %m step %c1 iter_args(%sum = %zero) -> (tensor<32x32xf32>) {
    %kk = arith.muli %k, %c32 : index
    %t = tile.load %v[%c0, %kk] : !v -> tensor<32x32xf16>
    %u = tile.load %v[%kk, %c0] : !v -> tensor<32x32xf16>
    %y = tile.dot %t, %t, %zero : tensor<32x32xf16>, tensor<32x32xf16>, tensor<32x32xf32>
    %h = arith.truncf %y : tensor<32x32xf32> to tensor<32x32xf16>
    %z = tile.dot %h, %u, %sum : tensor<32x32xf16>, tensor<32x32xf16>, tensor<32x32xf32>
    scf.yield %z : tensor<32x32xf32>
  }
  %d = arith.truncf %x : tensor<32x32xf32> to tensor<32x32xf16>
  tile.store %d, %v[%c0, %c0] : tensor<32x32xf16>, !v
  tile.return
}
