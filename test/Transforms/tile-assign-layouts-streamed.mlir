// RUN: helios-opt %s --split-input-file --pass-pipeline='builtin.module(tile.program(tile-assign-layouts))' | FileCheck %s

!v = !tile.view<?x?xbf16, strides = [?, 1], div = [8, 1], align = 16>

// What arithmetic reads anew in every trip of a product's loop is copied ahead as the operands are, where an engine copies; lanes
// read their places of the accumulator from shared memory.
// CHECK-LABEL: @streamed
// CHECK: scf.for
// CHECK: tile.dot
// CHECK-NEXT: %[[C:.+]] = tile.load {{.*}} -> tensor<64x64xbf16, #tile.shared<order = [1, 0], swizzle = 128>>
// CHECK: %[[R:.+]] = tile.convert_layout %[[C]] : {{.*}} -> tensor<64x64xbf16, #tile.acc
// CHECK: arith.extf %[[R]]
tile.program @streamed(%p: !tile.ptr<bf16>, %n: index {tile.div = 8 : index}, %q: !tile.ptr<bf16>)
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
    %x = tile.dot %a, %b, %zero : tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>
    %c = tile.load %v[%c0, %k] : !v -> tensor<64x64xbf16>
    %e = arith.extf %c : tensor<64x64xbf16> to tensor<64x64xf32>
    %y = arith.addf %x, %e : tensor<64x64xf32>
    %z = arith.maximumf %sum, %y : tensor<64x64xf32>
    scf.yield %z : tensor<64x64xf32>
  }
  %d = arith.truncf %s : tensor<64x64xf32> to tensor<64x64xbf16>
  tile.store %d, %w[%c0, %c0] : tensor<64x64xbf16>, !v
  tile.return
}

// -----

!v = !tile.view<?x?xbf16, strides = [?, 1], div = [8, 1], align = 16>
!u = !tile.view<?x?xbf16, strides = [?, 1], div = [4, 1], align = 16>

// An engine copies rows that start at its units; others are read where they are needed.
// CHECK-LABEL: @off_units
// CHECK: scf.for
// CHECK: tile.dot
// CHECK-NEXT: tile.load {{.*}} -> tensor<64x64xbf16, #tile.acc
tile.program @off_units(%p: !tile.ptr<bf16>, %n: index {tile.div = 8 : index}, %o: index {tile.div = 4 : index}, %q: !tile.ptr<bf16>)
    attributes {config = #tile.config<groups = [1, 1], strategy = roles, depth = 2>, target = #ptx.target<"sm_90a">} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<bf16> -> !v
  %u = tile.view %p[%n, %o] strides [%o] : !tile.ptr<bf16> -> !u
  %w = tile.view %q[%n, %n] strides [%n] : !tile.ptr<bf16> -> !v
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %a = tile.load %v[%c0, %c0] : !v -> tensor<64x64xbf16>
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> (tensor<64x64xf32>) {
    %k = arith.muli %i, %c64 : index
    %b = tile.load %v[%k, %c0] : !v -> tensor<64x64xbf16>
    %x = tile.dot %a, %b, %zero : tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xf32>
    %c = tile.load %u[%c0, %k] : !u -> tensor<64x64xbf16>
    %e = arith.extf %c : tensor<64x64xbf16> to tensor<64x64xf32>
    %y = arith.addf %x, %e : tensor<64x64xf32>
    %z = arith.maximumf %sum, %y : tensor<64x64xf32>
    scf.yield %z : tensor<64x64xf32>
  }
  %d = arith.truncf %s : tensor<64x64xf32> to tensor<64x64xbf16>
  tile.store %d, %w[%c0, %c0] : tensor<64x64xbf16>, !v
  tile.return
}

// -----

!v = !tile.view<?x?xf16, strides = [?, 1], div = [8, 1], align = 16>

// Lanes that copy themselves read such a tile where they need it.
// CHECK-LABEL: @by_lanes
// CHECK: scf.for
// CHECK: tile.load {{.*}} -> tensor<64x64xf16, #tile.shared
// CHECK: tile.dot
// CHECK-NEXT: tile.load {{.*}} -> tensor<64x64xf16, #tile.acc
tile.program @by_lanes(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}, %q: !tile.ptr<f16>)
    attributes {config = #tile.config<groups = [2, 2], strategy = groups, depth = 2>, target = #ptx.target<"sm_89">} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f16> -> !v
  %w = tile.view %q[%n, %n] strides [%n] : !tile.ptr<f16> -> !v
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %a = tile.load %v[%c0, %c0] : !v -> tensor<64x64xf16>
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> (tensor<64x64xf32>) {
    %k = arith.muli %i, %c64 : index
    %b = tile.load %v[%k, %c0] : !v -> tensor<64x64xf16>
    %x = tile.dot %a, %b, %zero : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    %c = tile.load %v[%c0, %k] : !v -> tensor<64x64xf16>
    %e = arith.extf %c : tensor<64x64xf16> to tensor<64x64xf32>
    %y = arith.addf %x, %e : tensor<64x64xf32>
    %z = arith.maximumf %sum, %y : tensor<64x64xf32>
    scf.yield %z : tensor<64x64xf32>
  }
  %d = arith.truncf %s : tensor<64x64xf32> to tensor<64x64xf16>
  tile.store %d, %w[%c0, %c0] : tensor<64x64xf16>, !v
  tile.return
}

// -----

!v = !tile.view<?x?xf32, strides = [?, 1], div = [4, 1], align = 16>
!r = !tile.view<?xf32, strides = [1], div = [1], align = 16>

// A constant that goes into a vector of rows and into one of columns, of the same length, ties neither to the other's layout.
// CHECK-LABEL: @shared_constant
// CHECK-DAG: tile.expand {{.*}}, [1] : tensor<64xf32, #tile.slice<1, #tile.acc
// CHECK-DAG: tile.expand {{.*}}, [0] : tensor<64xf32, #tile.slice<0, #tile.acc
// CHECK-NOT: tile.convert_layout {{.*}} tensor<64xf32
// CHECK: tile.return
tile.program @shared_constant(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}, %q: !tile.ptr<f32>, %o: !tile.ptr<f32>)
    attributes {config = #tile.config<groups = [2, 2], strategy = groups, depth = 2>, target = #ptx.target<"sm_89">} {
  %c0 = arith.constant 0 : index
  %u = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f16> -> !tile.view<?x?xf16, strides = [?, 1], div = [8, 1], align = 16>
  %l = tile.view %q[%n] : !tile.ptr<f32> -> !r
  %w = tile.view %o[%n, %n] strides [%n] : !tile.ptr<f32> -> !v
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %two = arith.constant dense<2.0> : tensor<64xf32>
  %a = tile.load %u[%c0, %c0] : !tile.view<?x?xf16, strides = [?, 1], div = [8, 1], align = 16> -> tensor<64x64xf16>
  %x = tile.dot %a, %a, %zero : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  %i = tile.load %l[%c0] : !r -> tensor<64xf32>
  %j = tile.load %l[%n] : !r -> tensor<64xf32>
  %i2 = arith.mulf %i, %two : tensor<64xf32>
  %j2 = arith.mulf %j, %two : tensor<64xf32>
  %ie = tile.expand %i2, [1] : tensor<64xf32> -> tensor<64x64xf32>
  %je = tile.expand %j2, [0] : tensor<64xf32> -> tensor<64x64xf32>
  %y = arith.addf %x, %ie : tensor<64x64xf32>
  %z = arith.addf %y, %je : tensor<64x64xf32>
  tile.store %z, %w[%c0, %c0] : tensor<64x64xf32>, !v
  tile.return
}
