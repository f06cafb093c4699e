// RUN: helios-opt %s --split-input-file --pass-pipeline='builtin.module(tile.program(tile-rings))' | FileCheck %s

#mma = #ptx.mma_sync<[16, 8, 16], f16, f16, f32>
#a = #tile.operand<a, #mma, groups = [1, 1]>
#b = #tile.operand<b, #mma, groups = [1, 1]>
#acc = #tile.acc<#mma, groups = [1, 1]>
#s = #tile.shared<order = [1, 0], swizzle = 32>
#st = #tile.shared<order = [0, 1], swizzle = 32>
!v = !tile.view<?x?xf16, strides = [?, 1], div = [8, 1], align = 16>
!va = !tile.view<?x?xf32, strides = [?, 1]>

// Both loads of a product share a ring; what stood between them moves behind the reading side. Cursors go through both loops.
// CHECK-LABEL: @items
// CHECK: %[[W:.*]] = tile.id workgroup
// CHECK: %[[RING:.*]], %[[CURSOR:.*]] = tile.ring : !tile.ring<3x(tensor<16x16xf16, #{{.*}}>, tensor<16x16xf16, #{{.*}}>), load, copy = #ptx.async16>
// CHECK: scf.for %{{.*}} = %[[W]] {{.*}} iter_args(%[[OW:.*]] = %[[CURSOR]], %[[OR:.*]] = %[[CURSOR]])
// CHECK: %[[X:.*]]:3 = scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}, %[[CW:.*]] = %[[OW]], %[[CR:.*]] = %[[OR]])
// CHECK-NEXT: %[[SLOT:.*]], %[[CW1:.*]] = tile.enter write %[[RING]][%[[CW]]]
// CHECK-NEXT: %[[T0:.*]] = tile.copy_in %{{.*}}[%{{.*}}, %{{.*}}] into %[[SLOT]][0] in_bounds
// CHECK-NEXT: %[[T1:.*]] = tile.copy_in %{{.*}}[%{{.*}}, %{{.*}}] into %[[SLOT]][1] :
// CHECK-NEXT: tile.exit %[[SLOT]] after(%[[T0]], %[[T1]]
// CHECK-NEXT: %[[READ:.*]], %[[CR1:.*]], %[[T:.*]]:2 = tile.enter read %[[RING]][%[[CR]]]
// CHECK-NEXT: tile.transpose %[[T]]#0
// CHECK-NEXT: %[[FA:.*]] = tile.convert_layout
// CHECK-NEXT: %[[FB:.*]] = tile.convert_layout %[[T]]#1
// CHECK-NEXT: %[[Y:.*]] = tile.dot %[[FA]], %[[FB]]
// CHECK-NEXT: tile.exit %[[READ]] after(%[[FA]], %[[FB]]
// CHECK-NEXT: scf.yield %[[Y]], %[[CW1]], %[[CR1]]
// CHECK: tile.store %[[X]]#0
// CHECK-NEXT: scf.yield %[[X]]#1, %[[X]]#2
tile.program @items(%p: !tile.ptr<f16>, %q: !tile.ptr<f32>, %n: index {tile.div = 8 : index})
    attributes {config = #tile.config<groups = [1, 1], strategy = groups, depth = 3>, target = #ptx.target<"sm_89">} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f16> -> !v
  %w = tile.view %q[%n, %n] strides [%n] : !tile.ptr<f32> -> !va
  %zero = arith.constant dense<0.0> : tensor<16x16xf32, #acc>
  %first = tile.id workgroup
  %step = tile.id workgroups
  scf.for %i = %first to %n step %step {
    %x = scf.for %k = %c0 to %n step %c16 iter_args(%sum = %zero) -> (tensor<16x16xf32, #acc>) {
      %t = tile.load %v[%i, %k] in_bounds : !v -> tensor<16x16xf16, #s>
      %tt = tile.transpose %t : tensor<16x16xf16, #s> -> tensor<16x16xf16, #st>
      %u = tile.load %v[%k, %i] : !v -> tensor<16x16xf16, #s>
      %fa = tile.convert_layout %tt : tensor<16x16xf16, #st> -> tensor<16x16xf16, #a>
      %fb = tile.convert_layout %u : tensor<16x16xf16, #s> -> tensor<16x16xf16, #b>
      %y = tile.dot %fa, %fb, %sum mma(#mma) : tensor<16x16xf16, #a>, tensor<16x16xf16, #b>, tensor<16x16xf32, #acc>
      scf.yield %y : tensor<16x16xf32, #acc>
    }
    tile.store %x, %w[%i, %c0] : tensor<16x16xf32, #acc>, !va
  }
  tile.return
}

// -----

#mma = #ptx.mma_sync<[16, 8, 16], f16, f16, f32>
#a = #tile.operand<a, #mma, groups = [1, 1]>
#b = #tile.operand<b, #mma, groups = [1, 1]>
#acc = #tile.acc<#mma, groups = [1, 1]>
#s = #tile.shared<order = [1, 0], swizzle = 32>
!v = !tile.view<?x?xf16, strides = [?, 1], div = [8, 1], align = 16>

// Tiles of different products have rings of their own. One that a loop reads has one slot, exited after the loop.
// CHECK-LABEL: @outside
// CHECK: tile.ring : !tile.ring<1x(tensor<16x16xf16, #{{.*}}>), load, copy = #ptx.async16>
// CHECK: %[[Q:.*]], %{{.*}}, %[[TQ:.*]] = tile.enter read
// CHECK: tile.ring : !tile.ring<2x(tensor<16x16xf16, #{{.*}}>), load, copy = #ptx.async16>
// CHECK: tile.ring : !tile.ring<2x(tensor<16x16xf16, #{{.*}}>), load, copy = #ptx.async16>
// CHECK: %[[X:.*]]:6 = scf.for
// CHECK: tile.convert_layout %[[TQ]]
// CHECK: }
// CHECK-NEXT: tile.exit %[[Q]] after(%[[X]]#0
tile.program @outside(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index})
    attributes {config = #tile.config<groups = [1, 1], strategy = groups, depth = 2>, target = #ptx.target<"sm_89">} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f16> -> !v
  %zero = arith.constant dense<0.0> : tensor<16x16xf32, #acc>
  %q = tile.load %v[%c0, %c0] : !v -> tensor<16x16xf16, #s>
  %x:2 = scf.for %k = %c0 to %n step %c16 iter_args(%sum = %zero, %other = %zero) -> (tensor<16x16xf32, #acc>, tensor<16x16xf32, #acc>) {
    %t = tile.load %v[%k, %c0] : !v -> tensor<16x16xf16, #s>
    %u = tile.load %v[%k, %c16] : !v -> tensor<16x16xf16, #s>
    %fq = tile.convert_layout %q : tensor<16x16xf16, #s> -> tensor<16x16xf16, #a>
    %ft = tile.convert_layout %t : tensor<16x16xf16, #s> -> tensor<16x16xf16, #b>
    %fu = tile.convert_layout %u : tensor<16x16xf16, #s> -> tensor<16x16xf16, #b>
    %y = tile.dot %fq, %ft, %sum mma(#mma) : tensor<16x16xf16, #a>, tensor<16x16xf16, #b>, tensor<16x16xf32, #acc>
    %z = tile.dot %fq, %fu, %other mma(#mma) : tensor<16x16xf16, #a>, tensor<16x16xf16, #b>, tensor<16x16xf32, #acc>
    scf.yield %y, %z : tensor<16x16xf32, #acc>, tensor<16x16xf32, #acc>
  }
  tile.return
}

// -----

#mma = #ptx.mma_sync<[16, 8, 16], f16, f16, f32>
#a = #tile.operand<a, #mma, groups = [1, 1]>
#b = #tile.operand<b, #mma, groups = [1, 1]>
#acc = #tile.acc<#mma, groups = [1, 1]>
#s = #tile.shared<order = [1, 0], swizzle = 32>
!v = !tile.view<?x?xf16, strides = [?, 1], div = [8, 1], align = 16>

// Tiles of products that add to the same sum share a ring: a step waits once.
// CHECK-LABEL: @chain
// CHECK: tile.ring : !tile.ring<1x
// CHECK: tile.ring : !tile.ring<2x(tensor<16x16xf16, #{{.*}}>, tensor<16x16xf16, #{{.*}}>), load, copy = #ptx.async16>
// CHECK: scf.for
// CHECK: %{{.+}}, %{{.+}}, %{{.+}}:2 = tile.enter read
// CHECK-NOT: tile.enter read
// CHECK: }
tile.program @chain(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index})
    attributes {config = #tile.config<groups = [1, 1], strategy = groups, depth = 2>, target = #ptx.target<"sm_89">} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f16> -> !v
  %zero = arith.constant dense<0.0> : tensor<16x16xf32, #acc>
  %q = tile.load %v[%c0, %c0] : !v -> tensor<16x16xf16, #s>
  %x = scf.for %k = %c0 to %n step %c16 iter_args(%sum = %zero) -> (tensor<16x16xf32, #acc>) {
    %t = tile.load %v[%k, %c0] : !v -> tensor<16x16xf16, #s>
    %u = tile.load %v[%k, %c16] : !v -> tensor<16x16xf16, #s>
    %fq = tile.convert_layout %q : tensor<16x16xf16, #s> -> tensor<16x16xf16, #a>
    %ft = tile.convert_layout %t : tensor<16x16xf16, #s> -> tensor<16x16xf16, #b>
    %fu = tile.convert_layout %u : tensor<16x16xf16, #s> -> tensor<16x16xf16, #b>
    %y = tile.dot %fq, %ft, %sum mma(#mma) : tensor<16x16xf16, #a>, tensor<16x16xf16, #b>, tensor<16x16xf32, #acc>
    %z = tile.dot %fq, %fu, %y mma(#mma) : tensor<16x16xf16, #a>, tensor<16x16xf16, #b>, tensor<16x16xf32, #acc>
    scf.yield %z : tensor<16x16xf32, #acc>
  }
  tile.return
}

// -----

!v = !tile.view<?x?xf16, strides = [?, 1], div = [8, 1], align = 16>

// A strategy through registers has no rings.
// CHECK-LABEL: @staged
// CHECK-NOT: tile.ring
tile.program @staged(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index})
    attributes {config = #tile.config<groups = [1, 1], strategy = staged>, target = #ptx.target<"sm_89">} {
  %c0 = arith.constant 0 : index
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f16> -> !v
  %q = tile.load %v[%c0, %c0] : !v -> tensor<16x16xf16, #tile.regs<vec = [1, 8], lanes = [16, 2], groups = [1, 1]>>
  tile.return
}

// -----

#mma = #ptx.mma_sync<[16, 8, 16], f16, f16, f32>
#a = #tile.operand<a, #mma, groups = [1, 1]>
#b = #tile.operand<b, #mma, groups = [1, 1]>
#acc = #tile.acc<#mma, groups = [1, 1]>
#s32 = #tile.shared<order = [1, 0], swizzle = 32>
#s64 = #tile.shared<order = [1, 0], swizzle = 64>
!v = !tile.view<?x?xf16, strides = [?, 1], div = [8, 1], align = 16>

// A tile that ends between two repetitions of the widest swizzle is the last of its slot.
// CHECK-LABEL: @odd
// CHECK: tile.ring : !tile.ring<1x(tensor<16x32xf16, #{{.*}}>, tensor<16x16xf16, #{{.*}}>), load
tile.program @odd(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index})
    attributes {config = #tile.config<groups = [1, 1], strategy = groups, depth = 2>, target = #ptx.target<"sm_89">} {
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f16> -> !v
  %zero = arith.constant dense<0.0> : tensor<16x32xf32, #acc>
  %t = tile.load %v[%n, %n] : !v -> tensor<16x16xf16, #s32>
  %u = tile.load %v[%n, %n] : !v -> tensor<16x32xf16, #s64>
  %fa = tile.convert_layout %t : tensor<16x16xf16, #s32> -> tensor<16x16xf16, #a>
  %fb = tile.convert_layout %u : tensor<16x32xf16, #s64> -> tensor<16x32xf16, #b>
  %y = tile.dot %fa, %fb, %zero mma(#mma) : tensor<16x16xf16, #a>, tensor<16x32xf16, #b>, tensor<16x32xf32, #acc>
  tile.return
}

// -----

#mma = #ptx.mma_sync<[16, 8, 16], f16, f16, f32>
#a = #tile.operand<a, #mma, groups = [1, 1]>
#b = #tile.operand<b, #mma, groups = [1, 1]>
#acc = #tile.acc<#mma, groups = [1, 1]>
#s = #tile.shared<order = [1, 0], swizzle = 32>
#st = #tile.shared<order = [0, 1], swizzle = 32>
!v = !tile.view<?x?xf16, strides = [?, 1], div = [8, 1], align = 16>

// Entering to read waits, so it stands in front of the first reader, not where the tile was loaded; transposes that lead there follow.
// CHECK-LABEL: @late
// CHECK: scf.for
// CHECK: tile.enter write
// CHECK: tile.enter write
// CHECK-NEXT: tile.copy_in
// CHECK-NEXT: tile.exit
// CHECK-NEXT: %[[R0:.*]], %{{.*}}, %[[T:.*]] = tile.enter read
// CHECK-NEXT: tile.convert_layout %[[T]]
// CHECK-NEXT: tile.convert_layout %[[T]]
// CHECK-NEXT: tile.dot
// CHECK-NEXT: tile.exit %[[R0]]
// CHECK-NEXT: arith.truncf
// CHECK-NEXT: tile.convert_layout
// CHECK-NEXT: %[[R1:.*]], %{{.*}}, %[[U:.*]] = tile.enter read
// CHECK-NEXT: %[[UT:.*]] = tile.transpose %[[U]]
// CHECK-NEXT: tile.convert_layout %[[UT]]
// CHECK-NEXT: tile.dot
// CHECK-NEXT: tile.exit %[[R1]]
tile.program @late(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index})
    attributes {config = #tile.config<groups = [1, 1], strategy = groups, depth = 2>, target = #ptx.target<"sm_89">} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f16> -> !v
  %zero = arith.constant dense<0.0> : tensor<16x16xf32, #acc>
  %x = scf.for %k = %c0 to %n step %c16 iter_args(%sum = %zero) -> (tensor<16x16xf32, #acc>) {
    %t = tile.load %v[%c0, %k] : !v -> tensor<16x16xf16, #s>
    %u = tile.load %v[%k, %c0] : !v -> tensor<16x16xf16, #s>
    %ut = tile.transpose %u : tensor<16x16xf16, #s> -> tensor<16x16xf16, #st>
    %fa = tile.convert_layout %t : tensor<16x16xf16, #s> -> tensor<16x16xf16, #a>
    %fb = tile.convert_layout %t : tensor<16x16xf16, #s> -> tensor<16x16xf16, #b>
    %y = tile.dot %fa, %fb, %zero mma(#mma) : tensor<16x16xf16, #a>, tensor<16x16xf16, #b>, tensor<16x16xf32, #acc>
    %h = arith.truncf %y : tensor<16x16xf32, #acc> to tensor<16x16xf16, #acc>
    %ha = tile.convert_layout %h : tensor<16x16xf16, #acc> -> tensor<16x16xf16, #a>
    %fu = tile.convert_layout %ut : tensor<16x16xf16, #st> -> tensor<16x16xf16, #b>
    %z = tile.dot %ha, %fu, %sum mma(#mma) : tensor<16x16xf16, #a>, tensor<16x16xf16, #b>, tensor<16x16xf32, #acc>
    scf.yield %z : tensor<16x16xf32, #acc>
  }
  %d = arith.truncf %x : tensor<16x16xf32, #acc> to tensor<16x16xf16, #acc>
  tile.store %d, %v[%c0, %c0] : tensor<16x16xf16, #acc>, !v
  tile.return
}

// -----

#mma = #ptx.mma_sync<[16, 8, 16], f16, f16, f32>
#a = #tile.operand<a, #mma, groups = [1, 1]>
#b = #tile.operand<b, #mma, groups = [1, 1]>
#acc = #tile.acc<#mma, groups = [1, 1]>
#s = #tile.shared<order = [1, 0], swizzle = 32>
!v = !tile.view<?x?xf16, strides = [?, 1], div = [8, 1], align = 16>
!w = !tile.view<?x?xf16, strides = [?, 1], div = [2, 1], align = 4>
!va = !tile.view<?x?xf32, strides = [?, 1]>

// Where rows of one tile of a slot are narrow, the copies of all of it are.
// CHECK-LABEL: @narrow
// CHECK: tile.ring : !tile.ring<3x(tensor<16x16xf16, #{{.*}}>, tensor<16x16xf16, #{{.*}}>), load, copy = #ptx.async4>
tile.program @narrow(%p: !tile.ptr<f16>, %q: !tile.ptr<f32>, %n: index {tile.div = 8 : index}, %k: index {tile.div = 2 : index})
    attributes {config = #tile.config<groups = [1, 1], strategy = groups, depth = 3>, target = #ptx.target<"sm_89">} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f16> -> !v
  %u = tile.view %p[%n, %k] strides [%k] : !tile.ptr<f16> -> !w
  %w = tile.view %q[%n, %n] strides [%n] : !tile.ptr<f32> -> !va
  %zero = arith.constant dense<0.0> : tensor<16x16xf32, #acc>
  %x = scf.for %i = %c0 to %n step %c16 iter_args(%sum = %zero) -> (tensor<16x16xf32, #acc>) {
    %ta = tile.load %v[%i, %i] : !v -> tensor<16x16xf16, #s>
    %tb = tile.load %u[%i, %i] : !w -> tensor<16x16xf16, #s>
    %fa = tile.convert_layout %ta : tensor<16x16xf16, #s> -> tensor<16x16xf16, #a>
    %fb = tile.convert_layout %tb : tensor<16x16xf16, #s> -> tensor<16x16xf16, #b>
    %y = tile.dot %fa, %fb, %sum mma(#mma) : tensor<16x16xf16, #a>, tensor<16x16xf16, #b>, tensor<16x16xf32, #acc>
    scf.yield %y : tensor<16x16xf32, #acc>
  }
  tile.store %x, %w[%c0, %c0] : tensor<16x16xf32, #acc>, !va
  tile.return
}
