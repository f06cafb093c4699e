// RUN: helios-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(tile.program(tile-assign-layouts))' | FileCheck %s

!v = !tile.view<?x?xf16, strides = [?, 1], div = [8, 1], align = 16>

// Tiles that only products read are loaded into shared memory, swizzled as far as their rows reach, and read through a transpose.
// CHECK-LABEL: @groups
// CHECK: tile.load {{.*}} -> tensor<32x32xf16, #tile.shared<order = [1, 0], swizzle = 64>>
// CHECK: tile.transpose {{.*}} -> tensor<32x32xf16, #tile.shared<order = [0, 1], swizzle = 64>>
// CHECK: tile.load {{.*}} -> tensor<32x64xf16, #tile.shared<order = [1, 0], swizzle = 128>>
// CHECK: tile.convert_layout {{.*}} -> tensor<32x32xf16, #tile.operand<a, #ptx.mma_sync<[16, 8, 16], f16, f16, f32>, groups = [2, 2]>>
// CHECK: tile.convert_layout {{.*}} -> tensor<32x64xf16, #tile.operand<b, #ptx.mma_sync<[16, 8, 16], f16, f16, f32>, groups = [2, 2]>>
// Lanes of the accumulator hold 16 bytes of a row together, half of what memory writes at once: rows are made of them.
// CHECK: tile.convert_layout {{.*}} : tensor<32x64xf16, #tile.acc{{.*}} -> tensor<32x64xf16, #tile.shared<order = [1, 0], pad = 8>>
// CHECK: tile.convert_layout {{.*}} -> tensor<32x64xf16, #tile.regs<vec = [1, 8], lanes = [4, 8], groups = [4, 1]>>
// CHECK: tile.store {{.*}} : tensor<32x64xf16, #tile.regs
tile.program @groups(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}, %i: index {tile.div = 8 : index})
    attributes {config = #tile.config<groups = [2, 2], strategy = groups, depth = 3>, target = #ptx.target<"sm_89">} {
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f16> -> !v
  %zero = arith.constant dense<0.0> : tensor<32x64xf32>
  %a = tile.load %v[%i, %i] : !v -> tensor<32x32xf16>
  %at = tile.transpose %a : tensor<32x32xf16> -> tensor<32x32xf16>
  %b = tile.load %v[%i, %i] : !v -> tensor<32x64xf16>
  %x = tile.dot %at, %b, %zero : tensor<32x32xf16>, tensor<32x64xf16>, tensor<32x64xf32>
  %d = arith.truncf %x : tensor<32x64xf32> to tensor<32x64xf16>
  tile.store %d, %v[%i, %i] : tensor<32x64xf16>, !v
  tile.return
}

// -----

!v = !tile.view<?x?xf16, strides = [?, 1], div = [8, 1], align = 16>
!w = !tile.view<?x?xf32, strides = [?, 1], div = [4, 1], align = 16>
!u = !tile.view<?x?xf16, strides = [?, 1], div = [2, 1], align = 4>
!t = !tile.view<?x?xf16, strides = [?, 1]>
!s = !tile.view<?x?xf16, strides = [?, ?]>

// What fills whole sectors is stored as it lies. Where no wide access may write, lanes store pairs or single elements side by side,
// also where nothing says how rows lie.
// CHECK-LABEL: @stored_as_it_lies
// CHECK: tile.store {{.*}} : tensor<32x64xf32, #tile.acc
// CHECK: tile.store {{.*}} : tensor<32x64xf16, #tile.regs<vec = [1, 2], lanes = [1, 32], groups = [4, 1]>>
// CHECK-COUNT-2: tile.store {{.*}} : tensor<32x64xf16, #tile.regs<vec = [1, 1], lanes = [1, 32], groups = [4, 1]>>
tile.program @stored_as_it_lies(%p: !tile.ptr<f16>, %q: !tile.ptr<f32>, %r: !tile.ptr<f16>, %n: index {tile.div = 8 : index},
                                %k: index {tile.div = 2 : index}, %i: index {tile.div = 8 : index})
    attributes {config = #tile.config<groups = [2, 2], strategy = groups, depth = 3>, target = #ptx.target<"sm_89">} {
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f16> -> !v
  %w = tile.view %q[%n, %n] strides [%n] : !tile.ptr<f32> -> !w
  %u = tile.view %r[%n, %n] strides [%k] : !tile.ptr<f16> -> !u
  %t = tile.view %r[%n, %n] strides [%n] : !tile.ptr<f16> -> !t
  %s = tile.view %r[%n, %n] strides [%n, %n] : !tile.ptr<f16> -> !s
  %zero = arith.constant dense<0.0> : tensor<32x64xf32>
  %a = tile.load %v[%i, %i] : !v -> tensor<32x32xf16>
  %b = tile.load %v[%i, %i] : !v -> tensor<32x64xf16>
  %x = tile.dot %a, %b, %zero : tensor<32x32xf16>, tensor<32x64xf16>, tensor<32x64xf32>
  tile.store %x, %w[%i, %i] : tensor<32x64xf32>, !w
  %d = arith.truncf %x : tensor<32x64xf32> to tensor<32x64xf16>
  tile.store %d, %u[%i, %i] : tensor<32x64xf16>, !u
  tile.store %d, %t[%i, %i] : tensor<32x64xf16>, !t
  tile.store %d, %s[%i, %i] : tensor<32x64xf16>, !s
  tile.return
}

// -----

!v = !tile.view<?x?xf16, strides = [?, 1], div = [2, 1], align = 4>

// Rows of units of 4 bytes are copied in these, to the same place in memory.
// CHECK-LABEL: @pairs
// CHECK: tile.load {{.*}} -> tensor<32x32xf16, #tile.shared<order = [1, 0], swizzle = 64>>
tile.program @pairs(%p: !tile.ptr<f16>, %n: index {tile.div = 2 : index}, %i: index {tile.div = 8 : index})
    attributes {config = #tile.config<groups = [1, 1], strategy = groups, depth = 3>, target = #ptx.target<"sm_89">} {
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f16> -> !v
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %a = tile.load %v[%i, %i] : !v -> tensor<32x32xf16>
  %x = tile.dot %a, %a, %zero : tensor<32x32xf16>, tensor<32x32xf16>, tensor<32x32xf32>
  tile.return
}

// -----

!v = !tile.view<?x?xi8, strides = [?, 1], div = [16, 1], align = 16>

// Narrow operands are read along k only: what lies otherwise goes through registers.
// CHECK-LABEL: @narrow
// CHECK: tile.load {{.*}} -> tensor<32x32xi8, #tile.shared<order = [1, 0], swizzle = 32>>
// CHECK: tile.load {{.*}} -> tensor<32x32xi8, #tile.regs
tile.program @narrow(%p: !tile.ptr<i8>, %n: index {tile.div = 16 : index}, %i: index {tile.div = 16 : index})
    attributes {config = #tile.config<groups = [2, 2], strategy = groups, depth = 3>, target = #ptx.target<"sm_89">} {
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<i8> -> !v
  %zero = arith.constant dense<0> : tensor<32x32xi32>
  %a = tile.load %v[%i, %i] : !v -> tensor<32x32xi8>
  %b = tile.load %v[%i, %i] : !v -> tensor<32x32xi8>
  %x = tile.dot %a, %b, %zero : tensor<32x32xi8>, tensor<32x32xi8>, tensor<32x32xi32>
  tile.return
}

// -----

!v = !tile.view<?x?xf16, strides = [?, 1], div = [1, 1], align = 16>
tile.program @stride(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}, %i: index {tile.div = 8 : index})
    attributes {config = #tile.config<groups = [1, 1], strategy = groups, depth = 3>, target = #ptx.target<"sm_89">} {
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f16> -> !v
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  // expected-error @below {{expected rows that start and end at multiples of 4 bytes, which strategy 'groups' copies at once, got}}
  %a = tile.load %v[%i, %i] : !v -> tensor<32x32xf16>
  %x = tile.dot %a, %a, %zero : tensor<32x32xf16>, tensor<32x32xf16>, tensor<32x32xf32>
  tile.return
}

// -----

!v = !tile.view<?x?xf16, strides = [?, ?]>
tile.program @rows(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}, %i: index {tile.div = 8 : index})
    attributes {config = #tile.config<groups = [1, 1], strategy = groups, depth = 3>, target = #ptx.target<"sm_89">} {
  %v = tile.view %p[%n, %n] strides [%n, %n] : !tile.ptr<f16> -> !v
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  // expected-error @below {{expected a view with a dimension of stride one, along which strategy 'groups' copies, got}}
  %a = tile.load %v[%i, %i] : !v -> tensor<32x32xf16>
  %x = tile.dot %a, %a, %zero : tensor<32x32xf16>, tensor<32x32xf16>, tensor<32x32xf32>
  tile.return
}

// -----

!v = !tile.view<?x?xf16, strides = [?, 1], div = [8, 1], align = 16>
!w = !tile.view<?x?xf32, strides = [?, 1], div = [4, 1], align = 16>

// What a product adds to lies as its sums do, where no loop carries it either: the condition of a branch within a group is in those lanes.
// CHECK-LABEL: @adds_without_a_loop
// CHECK: tile.dot
// CHECK: tile.where
// CHECK: } : tensor<64xi1, #tile.slice<1, #tile.acc{{.*}} -> tensor<64x64xf32, #tile.acc<
// CHECK: tile.dot {{.*}} tensor<64x64xf32, #tile.acc<
tile.program @adds_without_a_loop(%p: !tile.ptr<f16>, %q: !tile.ptr<f32>, %n: index {tile.div = 8 : index}, %i: index {tile.div = 8 : index})
    attributes {config = #tile.config<groups = [4, 1], strategy = groups, depth = 2>, target = #ptx.target<"sm_89">} {
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f16> -> !v
  %r = tile.view %q[%n, %n] strides [%n] : !tile.ptr<f32> -> !w
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %least = arith.constant dense<1.0> : tensor<64xf32>
  %a = tile.load %v[%i, %i] : !v -> tensor<64x64xf16>
  %b = tile.load %v[%i, %i] : !v -> tensor<64x64xf16>
  %x = tile.dot %a, %b, %zero : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  %most = tile.reduce max %x, 1 {nnan} : tensor<64x64xf32> -> tensor<64xf32>
  %grows = arith.cmpf ogt, %most, %least : tensor<64xf32>
  %scaled = tile.where %grows else(%zero) {
    %wide = tile.expand %most, [1] : tensor<64xf32> -> tensor<64x64xf32>
    %y = arith.mulf %wide, %zero : tensor<64x64xf32>
    tile.yield %y : tensor<64x64xf32>
  } : tensor<64xi1>, tensor<64x64xf32> -> tensor<64x64xf32>
  %c = tile.load %v[%i, %i] : !v -> tensor<64x64xf16>
  %h = arith.truncf %x : tensor<64x64xf32> to tensor<64x64xf16>
  %d = tile.dot %h, %c, %scaled : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  tile.store %d, %r[%i, %i] : tensor<64x64xf32>, !w
  tile.return
}
