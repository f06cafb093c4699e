// RUN: helios-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(tile.program(tile-roles))' | FileCheck %s

// A sequential program over one load ring becomes a role that copies and one that multiplies. Both walk the same items and the
// same steps; neither holds a cursor, a value or an op that only the other needs.

#mma = #ptx.wgmma<n = 256, bf16, bf16, f32>
#acc = #tile.acc<#mma, groups = [2, 1]>
#col = #tile.slice<0, #acc>
#s = #tile.shared<order = [1, 0], swizzle = 128>
#st = #tile.shared<order = [0, 1], swizzle = 128>
!v = !tile.view<?x?xbf16, strides = [?, 1], div = [8, 1], align = 16>
!vb = !tile.view<?xbf16, strides = [1], align = 16>
!ring = !tile.ring<4x(tensor<128x64xbf16, #s>, tensor<256x64xbf16, #s>), load, copy = #ptx.bulk>

// CHECK-LABEL: tile.program @gemm(
// CHECK: %[[RING:.*]], %[[FIRST:.*]] = tile.ring : {{.*}} load, copy = #ptx.bulk, readers = 2>
// CHECK-NEXT: tile.roles captures(
// CHECK: tile.role "load" lanes(1) regs(40) {
// CHECK-NOT: tensor<{{.*}}f32
// CHECK: scf.for {{.*}} iter_args(%[[C:.*]] = %{{.*}}) -> (!tile.cursor) {
// CHECK: arith.remui
// CHECK: scf.for {{.*}} iter_args(%[[D:.*]] = %[[C]]) -> (!tile.cursor) {
// CHECK-NEXT: arith.muli
// CHECK-NEXT: %[[SLOT:.*]], %[[NEXT:.*]] = tile.enter write %{{.*}}[%[[D]]]
// CHECK-NEXT: tile.copy_in {{.*}} into %[[SLOT]][0]
// CHECK-NEXT: tile.copy_in {{.*}} into %[[SLOT]][1]
// CHECK-NEXT: tile.exit %[[SLOT]]
// CHECK-NEXT: scf.yield %[[NEXT]] : !tile.cursor
// CHECK-NOT: tile.store
// CHECK: tile.role "math" replicas(2) regs(232) {
// CHECK-NEXT: ^bb0(%[[R:.*]]: index):
// CHECK: %[[ROW:.*]] = arith.muli %[[R]], %c64
// CHECK: arith.constant dense<0.000000e+00> : tensor<64x256xf32, {{.*}}groups = [1, 1]
// CHECK: scf.for {{.*}} iter_args(%[[C:.*]] = %{{.*}}) -> (!tile.cursor) {
// CHECK: %[[M:.*]] = arith.muli %{{.*}}, %c128
// CHECK: scf.for
// CHECK-NOT: copy_in
// CHECK: tile.enter read
// CHECK-NEXT: tile.transpose
// The replica's rows of A, all of B.
// CHECK-NEXT: %[[A:.*]] = tile.slice %{{.*}} [%[[ROW]], 0] : tensor<128x64xbf16, {{.*}} -> tensor<64x64xbf16,
// CHECK-NEXT: tile.dot %[[A]], {{.*}} : tensor<64x64xbf16, {{.*}}, tensor<64x256xbf16, {{.*}}, tensor<64x256xf32
// CHECK-NEXT: tile.exit
// A vector of columns is every replica's.
// CHECK: tile.load %{{.*}} -> tensor<256xbf16, {{.*}}groups = [1, 1]
// CHECK: %[[MR:.*]] = arith.addi %[[M]], %[[ROW]]
// CHECK-NEXT: tile.store {{.*}}[%[[MR]], {{.*}} : tensor<64x256xbf16
tile.program @gemm(%pA: !tile.ptr<bf16>, %pB: !tile.ptr<bf16>, %pb: !tile.ptr<bf16>, %pD: !tile.ptr<bf16>,
    %M: index {tile.range = array<i64: 1, 2147483647>}, %N: index {tile.range = array<i64: 1, 2147483647>, tile.div = 8 : index},
    %K: index {tile.range = array<i64: 1, 2147483647>, tile.div = 8 : index})
    attributes {target = #ptx.target<"sm_90a">, config = #tile.config<groups = [2, 1], strategy = roles, depth = 4>} {
  %z = arith.constant 0 : index
  %o = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %c256 = arith.constant 256 : index
  %A = tile.view %pA[%M, %K] strides [%K] : !tile.ptr<bf16> -> !v
  %B = tile.view %pB[%N, %K] strides [%K] : !tile.ptr<bf16> -> !v
  %D = tile.view %pD[%M, %N] strides [%N] : !tile.ptr<bf16> -> !v
  %b = tile.view %pb[%N] : !tile.ptr<bf16> -> !vb
  %tm = arith.ceildivui %M, %c128 : index
  %tn = arith.ceildivui %N, %c256 : index
  %tk = arith.ceildivui %K, %c64 : index
  %tiles = arith.muli %tm, %tn : index
  %wg = tile.id workgroup
  %nwg = tile.id workgroups
  %ring, %c0 = tile.ring : !ring
  %zero = arith.constant dense<0.0> : tensor<128x256xf32, #acc>
  %half = arith.constant dense<0.5> : tensor<128x256xf32, #acc>
  %one = arith.constant dense<1.0> : tensor<128x256xf32, #acc>
  %rsqrt2 = arith.constant dense<0.707106769> : tensor<128x256xf32, #acc>
  %end:2 = scf.for %t = %wg to %tiles step %nwg iter_args(%cw = %c0, %cr = %c0) -> (!tile.cursor, !tile.cursor) {
    %band = arith.muli %tn, %c16 : index
    %t0 = arith.divui %t, %band : index
    %first = arith.muli %t0, %c16 : index
    %left = arith.subi %tm, %first : index
    %rows = arith.minui %left, %c16 : index
    %in = arith.remui %t, %band : index
    %ir = arith.remui %in, %rows : index
    %i = arith.addi %first, %ir : index
    %j = arith.divui %in, %rows : index
    %m = arith.muli %i, %c128 : index
    %n = arith.muli %j, %c256 : index
    %x:3 = scf.for %kt = %z to %tk step %o iter_args(%acc = %zero, %d = %cw, %e = %cr)
        -> (tensor<128x256xf32, #acc>, !tile.cursor, !tile.cursor) {
      %k = arith.muli %kt, %c64 : index
      %w, %d1 = tile.enter write %ring[%d] : !ring -> !tile.slot<write>
      %ta = tile.copy_in %A[%m, %k] into %w[0] : !v, !tile.slot<write>
      %tb = tile.copy_in %B[%n, %k] into %w[1] : !v, !tile.slot<write>
      tile.exit %w after(%ta, %tb : !tile.token, !tile.token) : !tile.slot<write>
      %s, %e1, %a, %bl = tile.enter read %ring[%e] : !ring -> !tile.slot<read>, tensor<128x64xbf16, #s>, tensor<256x64xbf16, #s>
      %bt = tile.transpose %bl : tensor<256x64xbf16, #s> -> tensor<64x256xbf16, #st>
      %y = tile.dot %a, %bt, %acc mma #mma : tensor<128x64xbf16, #s>, tensor<64x256xbf16, #st>, tensor<128x256xf32, #acc>
      tile.exit %s after(%y : tensor<128x256xf32, #acc>) : !tile.slot<read>
      scf.yield %y, %d1, %e1 : tensor<128x256xf32, #acc>, !tile.cursor, !tile.cursor
    }
    %bb = tile.load %b[%n] : !vb -> tensor<256xbf16, #col>
    %f = arith.extf %bb : tensor<256xbf16, #col> to tensor<256xf32, #col>
    %ex = tile.expand %f, [0] : tensor<256xf32, #col> -> tensor<128x256xf32, #acc>
    %u = arith.addf %x#0, %ex : tensor<128x256xf32, #acc>
    %v0 = arith.mulf %u, %rsqrt2 : tensor<128x256xf32, #acc>
    %er = math.erf %v0 : tensor<128x256xf32, #acc>
    %o0 = arith.addf %er, %one : tensor<128x256xf32, #acc>
    %g0 = arith.mulf %u, %half : tensor<128x256xf32, #acc>
    %y0 = arith.mulf %g0, %o0 : tensor<128x256xf32, #acc>
    %dd = arith.truncf %y0 : tensor<128x256xf32, #acc> to tensor<128x256xbf16, #acc>
    tile.store %dd, %D[%m, %n] : tensor<128x256xbf16, #acc>, !v
    scf.yield %x#1, %x#2 : !tile.cursor, !tile.cursor
  }
  tile.return
}

// -----

// Three replicas take less each, and a transposed A is cut along its rows as well; a vector of rows belongs to a replica.
#mma = #ptx.wgmma<n = 64, f16, f16, f32>
#acc = #tile.acc<#mma, groups = [3, 1]>
#row = #tile.slice<1, #acc>
#s = #tile.shared<order = [1, 0], swizzle = 128>
#st = #tile.shared<order = [0, 1], swizzle = 128>
!v = !tile.view<?x?xf16, strides = [?, 1], div = [8, 1], align = 16>
!vr = !tile.view<?xf32, strides = [1]>
!w = !tile.view<?x?xf32, strides = [?, 1]>
!ring = !tile.ring<2x(tensor<64x192xf16, #s>, tensor<64x64xf16, #s>), load, copy = #ptx.bulk>
// CHECK-LABEL: tile.program @transposed(
// CHECK: tile.role "load" lanes(1) regs(32)
// CHECK: tile.role "math" replicas(3) regs(160)
// CHECK: tile.enter read
// CHECK-NEXT: %[[T:.*]] = tile.slice %{{.*}} [0, %{{.*}}] : tensor<64x192xf16, {{.*}}order = [1, 0]{{.*}} -> tensor<64x64xf16, {{.*}}order = [1, 0]
// CHECK-NEXT: tile.transpose %[[T]] : {{.*}} -> tensor<64x64xf16, {{.*}}order = [0, 1]
// CHECK: %[[AT:.*]] = arith.addi
// CHECK: tile.load %{{.*}}[%[[AT]]] : {{.*}} -> tensor<64xf32,
// CHECK: %[[BASE:.*]] = arith.addi
// CHECK: tile.iota 0 base %[[BASE]] : tensor<64x64xindex
// CHECK: tile.iota 1 : tensor<64x64xindex
tile.program @transposed(%p: !tile.ptr<f16>, %r: !tile.ptr<f32>, %q: !tile.ptr<f32>, %n: index {tile.div = 8 : index})
    attributes {config = #tile.config<groups = [3, 1], strategy = roles, depth = 2>, target = #ptx.target<"sm_90a">} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f16> -> !v
  %vr = tile.view %r[%n] : !tile.ptr<f32> -> !vr
  %w = tile.view %q[%n, %n] strides [%n] : !tile.ptr<f32> -> !w
  %zero = arith.constant dense<0.0> : tensor<192x64xf32, #acc>
  %ring, %first = tile.ring : !ring
  %x:3 = scf.for %k = %c0 to %n step %c64 iter_args(%sum = %zero, %cw = %first, %cr = %first)
      -> (tensor<192x64xf32, #acc>, !tile.cursor, !tile.cursor) {
    %o, %cw1 = tile.enter write %ring[%cw] : !ring -> !tile.slot<write>
    %ta = tile.copy_in %v[%k, %c0] into %o[0] : !v, !tile.slot<write>
    %tb = tile.copy_in %v[%k, %c0] into %o[1] : !v, !tile.slot<write>
    tile.exit %o after(%ta, %tb : !tile.token, !tile.token) : !tile.slot<write>
    %i, %cr1, %a, %b = tile.enter read %ring[%cr] : !ring -> !tile.slot<read>, tensor<64x192xf16, #s>, tensor<64x64xf16, #s>
    %at = tile.transpose %a : tensor<64x192xf16, #s> -> tensor<192x64xf16, #st>
    %y = tile.dot %at, %b, %sum mma #mma : tensor<192x64xf16, #st>, tensor<64x64xf16, #s>, tensor<192x64xf32, #acc>
    tile.exit %i after(%y : tensor<192x64xf32, #acc>) : !tile.slot<read>
    scf.yield %y, %cw1, %cr1 : tensor<192x64xf32, #acc>, !tile.cursor, !tile.cursor
  }
  %f = tile.load %vr[%c0] : !vr -> tensor<192xf32, #row>
  %e = tile.expand %f, [1] : tensor<192xf32, #row> -> tensor<192x64xf32, #acc>
  %g = arith.addf %x#0, %e : tensor<192x64xf32, #acc>
  %ir = tile.iota 0 base %c64 : tensor<192x64xindex, #acc>
  %ic = tile.iota 1 : tensor<192x64xindex, #acc>
  %le = arith.cmpi ule, %ic, %ir : tensor<192x64xindex, #acc>
  %h = arith.select %le, %g, %zero : tensor<192x64xi1, #acc>, tensor<192x64xf32, #acc>
  tile.store %h, %w[%c0, %c0] : tensor<192x64xf32, #acc>, !w
  tile.return
}

// -----

// Other strategies have no roles.
// CHECK-LABEL: tile.program @other(
// CHECK-NOT: tile.roles
tile.program @other() attributes {config = #tile.config<groups = [2, 1]>} {
  tile.return
}

// -----

#mma = #ptx.wgmma<n = 64, f16, f16, f32>
#acc = #tile.acc<#mma, groups = [2, 1]>
#s = #tile.shared<order = [1, 0], swizzle = 128>
#st = #tile.shared<order = [0, 1], swizzle = 128>
// expected-error @below {{expected a ring that an engine fills, got none to split at; run tile-rings before, or use another strategy}}
tile.program @nothing() attributes {config = #tile.config<groups = [2, 1], strategy = roles>} {
  %a = arith.constant dense<0.0> : tensor<128x64xf16, #s>
  %b = arith.constant dense<0.0> : tensor<64x64xf16, #st>
  %c = arith.constant dense<0.0> : tensor<128x64xf32, #acc>
  %d = tile.dot %a, %b, %c mma(#mma) : tensor<128x64xf16, #s>, tensor<64x64xf16, #st>, tensor<128x64xf32, #acc>
  tile.return
}

// -----

// Nor has a program that multiplies nothing: its epilogue did not look at the product.
// CHECK-LABEL: tile.program @plain(
// CHECK-NOT: tile.roles
tile.program @plain() attributes {config = #tile.config<groups = [2, 1], strategy = roles>} {
  tile.return
}

// -----

#s = #tile.shared<order = [1, 0], swizzle = 128>
!ring = !tile.ring<2x(tensor<64x64xf16, #s>), load, copy = #ptx.async16>
tile.program @engine() attributes {config = #tile.config<groups = [2, 1], strategy = roles>} {
  // expected-error @below {{expected an engine that a few lanes drive for a role of its own, got #ptx.async16; use strategy 'groups'}}
  %ring, %first = tile.ring : !ring
  tile.return
}

// -----

#s = #tile.shared<order = [1, 0], swizzle = 128>
!ring = !tile.ring<2x(tensor<64x64xf16, #s>), store, copy = #ptx.bulk>
tile.program @kind() attributes {config = #tile.config<groups = [2, 1], strategy = roles>} {
  // expected-error @below {{expected only load rings before the split into roles, got}}
  %ring, %first = tile.ring : !ring
  tile.return
}

// -----

#s = #tile.shared<order = [1, 0], swizzle = 128>
!ring = !tile.ring<2x(tensor<64x64xf16, #s>), load, copy = #ptx.bulk>
tile.program @loop(%n: index) attributes {config = #tile.config<groups = [2, 1], strategy = roles>} {
  scf.for %i = %n to %n step %n {
    // expected-error @below {{expected rings outside of loops and conditions, where roles share them; use #tile.items<persistent>}}
    %ring, %first = tile.ring : !ring
  }
  tile.return
}

// -----

#acc = #tile.acc<#ptx.wgmma<n = 64, f16, f16, f32>, groups = [2, 1]>
!v = !tile.view<?x?xf32, strides = [?, 1]>
tile.program @items(%p: !tile.ptr<f32>, %n: index) attributes {config = #tile.config<groups = [2, 1], strategy = roles>} {
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f32> -> !v
  %x = arith.constant dense<0.0> : tensor<128x64xf32, #acc>
  // expected-error @below {{expected only scf.for and scf.if around rings, so run tile-lower-items before}}
  tile.items (%i) in (%n) #tile.items<grid> {
    tile.store %x, %v[%i, %i] : tensor<128x64xf32, #acc>, !v
  }
  tile.return
}

// -----

// An address that a store decides cannot be known to the role that copies.
#acc = #tile.acc<#ptx.wgmma<n = 64, f16, f16, f32>, groups = [2, 1]>
#s = #tile.shared<order = [1, 0], swizzle = 128>
!v = !tile.view<?x?xf16, strides = [?, 1], div = [8, 1], align = 16>
!turn = !tile.ring<2x(index), load, copy = #ptx.bulk>
!ring = !tile.ring<2x(tensor<64x64xf16, #s>), load, copy = #ptx.bulk>
tile.program @crossing(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index})
    attributes {config = #tile.config<groups = [1, 1], strategy = roles>} {
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f16> -> !v
  %turn, %t0 = tile.ring : !turn
  %ring, %first = tile.ring : !ring
  // expected-error @below {{belongs to another role than what it is needed for in role "math"; pass the value through a ring}}
  %w, %t1 = tile.enter write %turn[%t0] : !turn -> !tile.slot<write>
  tile.put %n into %w[0] : index, !tile.slot<write>
  tile.exit %w : !tile.slot<write>
  // expected-error @below {{belongs to another role than what it is needed for in role "load"; pass the value through a ring}}
  %r, %t2, %i = tile.enter read %turn[%t0] : !turn -> !tile.slot<read>, index
  tile.exit %r : !tile.slot<read>
  %o, %c1 = tile.enter write %ring[%first] : !ring -> !tile.slot<write>
  %t = tile.copy_in %v[%i, %i] into %o[0] : !v, !tile.slot<write>
  tile.exit %o after(%t : !tile.token) : !tile.slot<write>
  %s, %c2, %a = tile.enter read %ring[%first] : !ring -> !tile.slot<read>, tensor<64x64xf16, #s>
  tile.exit %s : !tile.slot<read>
  tile.return
}

// -----

// Replicas exchange nothing.
#mma = #ptx.wgmma<n = 64, f16, f16, f32>
#acc = #tile.acc<#mma, groups = [2, 1]>
#s = #tile.shared<order = [1, 0], swizzle = 128>
!ring = !tile.ring<2x(tensor<128x64xf16, #s>), load, copy = #ptx.bulk>
!v = !tile.view<?x?xf16, strides = [?, 1], div = [8, 1], align = 16>
!w = !tile.view<?xf32, strides = [1]>
tile.program @reduces(%p: !tile.ptr<f16>, %q: !tile.ptr<f32>, %n: index {tile.div = 8 : index})
    attributes {config = #tile.config<groups = [2, 1], strategy = roles>} {
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f16> -> !v
  %w = tile.view %q[%n] : !tile.ptr<f32> -> !w
  %ring, %first = tile.ring : !ring
  %o, %c1 = tile.enter write %ring[%first] : !ring -> !tile.slot<write>
  %t = tile.copy_in %v[%n, %n] into %o[0] : !v, !tile.slot<write>
  tile.exit %o after(%t : !tile.token) : !tile.slot<write>
  %s, %c2, %a = tile.enter read %ring[%first] : !ring -> !tile.slot<read>, tensor<128x64xf16, #s>
  tile.exit %s : !tile.slot<read>
  %x = arith.constant dense<0.0> : tensor<128x64xf32, #acc>
  // expected-error @below {{reduces over dimension 0, which the replicas divide}}
  %y = tile.reduce add %x, 0 : tensor<128x64xf32, #acc> -> tensor<64xf32, #tile.slice<0, #acc, partial = add>>
  %z = tile.convert_layout %y : tensor<64xf32, #tile.slice<0, #acc, partial = add>> -> tensor<64xf32, #tile.slice<0, #acc>>
  tile.store %z, %w[%n] : tensor<64xf32, #tile.slice<0, #acc>>, !w
  tile.return
}
