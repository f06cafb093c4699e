// RUN: helios-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(tile.program(tile-roles))' | FileCheck %s

// Replicas that take work items in turns: each walks every second item, its cursor passes over the slots of the other's, and slots are
// entered in the replica's turn. The role that copies walks all items.

#mma = #ptx.wgmma<n = 64, bf16, bf16, f32>
#acc = #tile.acc<#mma, groups = [1, 1]>
#s = #tile.shared<order = [1, 0], swizzle = 128>
!v = !tile.view<?x?xbf16, strides = [?, 1], div = [8, 1], align = 16>
!w = !tile.view<?x?xf32, strides = [?, 1]>
!ring = !tile.ring<4x(tensor<64x64xbf16, #s>, tensor<64x64xbf16, #s>), load, copy = #ptx.bulk>

// CHECK-LABEL: tile.program @even(
// CHECK: %[[TK:.*]] = arith.ceildivui %{{.*}}, %c64
// CHECK: %[[RING:.*]], %[[FIRST:.*]] = tile.ring : !tile.ring<4x({{.*}}), load, copy = #ptx.bulk>
// CHECK: %[[WG:.*]] = tile.id workgroup{{$}}
// CHECK: %[[NWG:.*]] = tile.id workgroups
// CHECK: %[[TILES:.*]] = arith.ceildivui
// CHECK: tile.role "load"
// CHECK-NOT: tile.advance
// CHECK-NOT: tile.turn
// CHECK: scf.for %{{.*}} = %[[WG]] to %[[TILES]] step %[[NWG]]
// CHECK-NOT: tile.advance
// CHECK-NOT: tile.turn
// CHECK: tile.role "math" replicas(2)
// CHECK-NEXT: ^bb0(%[[R:.*]]: index):
// CHECK: %[[LATER:.*]] = arith.cmpi ugt, %[[R]], %c0
// CHECK: %[[SKIP:.*]] = arith.select %[[LATER]], %[[TK]], %c0
// CHECK: %[[START:.*]] = tile.advance %[[FIRST]] by %[[SKIP]]
// CHECK: %[[BY:.*]] = arith.muli %[[R]], %[[NWG]]
// CHECK: %[[LOW:.*]] = arith.addi %[[WG]], %[[BY]]
// CHECK: %[[STEP:.*]] = arith.muli %[[NWG]], %c2
// CHECK: scf.for %[[T:[a-z0-9]+]] = %[[LOW]] to %[[TILES]] step %[[STEP]] iter_args(%[[C:.*]] = %[[START]])
// CHECK: tile.turn take
// CHECK-NEXT: %[[X:.*]]:2 = scf.for {{.*}} iter_args({{.*}}, %{{.*}} = %[[C]])
// CHECK: tile.enter read
// CHECK: }
// CHECK-NEXT: tile.turn pass
// CHECK: tile.store
// CHECK: %[[NEXT:.*]] = tile.advance %[[X]]#1 by %[[TK]]
// CHECK-NEXT: scf.yield %[[NEXT]] : !tile.cursor
tile.program @even(%p: !tile.ptr<bf16>, %q: !tile.ptr<f32>, %n: index {tile.div = 8 : index},
                   %k: index {tile.range = array<i64: 1, 1000>})
    attributes {config = #tile.config<groups = [1, 1], strategy = roles, depth = 4, turns = 2>, target = #ptx.target<"sm_90a">} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<bf16> -> !v
  %w = tile.view %q[%n, %n] strides [%n] : !tile.ptr<f32> -> !w
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #acc>
  %tk = arith.ceildivui %k, %c64 : index
  %ring, %first = tile.ring : !ring
  %wg = tile.id workgroup
  %nwg = tile.id workgroups
  %tiles = arith.ceildivui %n, %c64 : index
  %e:2 = scf.for %t = %wg to %tiles step %nwg iter_args(%cw = %first, %cr = %first) -> (!tile.cursor, !tile.cursor) {
    %m = arith.muli %t, %c64 : index
    %x:3 = scf.for %i = %c0 to %tk step %c1 iter_args(%sum = %zero, %dw = %cw, %dr = %cr)
        -> (tensor<64x64xf32, #acc>, !tile.cursor, !tile.cursor) {
      %kk = arith.muli %i, %c64 : index
      %o, %dw1 = tile.enter write %ring[%dw] : !ring -> !tile.slot<write>
      %ta = tile.copy_in %v[%m, %kk] into %o[0] : !v, !tile.slot<write>
      %tb = tile.copy_in %v[%kk, %c0] into %o[1] : !v, !tile.slot<write>
      tile.exit %o after(%ta, %tb : !tile.token, !tile.token) : !tile.slot<write>
      %s, %dr1, %a, %b = tile.enter read %ring[%dr] : !ring -> !tile.slot<read>, tensor<64x64xbf16, #s>, tensor<64x64xbf16, #s>
      %y = tile.dot %a, %b, %sum mma #mma : tensor<64x64xbf16, #s>, tensor<64x64xbf16, #s>, tensor<64x64xf32, #acc>
      tile.exit %s after(%y : tensor<64x64xf32, #acc>) : !tile.slot<read>
      scf.yield %y, %dw1, %dr1 : tensor<64x64xf32, #acc>, !tile.cursor, !tile.cursor
    }
    tile.store %x#0, %w[%m, %c0] : tensor<64x64xf32, #acc>, !w
    scf.yield %x#1, %x#2 : !tile.cursor, !tile.cursor
  }
  tile.return
}

// -----

// Three replicas, and items of different lengths: what the two others skip is computed for their items, where there are such.

#mma = #ptx.wgmma<n = 64, bf16, bf16, f32>
#acc = #tile.acc<#mma, groups = [1, 1]>
#s = #tile.shared<order = [1, 0], swizzle = 128>
!v = !tile.view<?x?xbf16, strides = [?, 1], div = [8, 1], align = 16>
!w = !tile.view<?x?xf32, strides = [?, 1]>
!ring = !tile.ring<4x(tensor<64x64xbf16, #s>, tensor<64x64xbf16, #s>), load, copy = #ptx.bulk>

// CHECK-LABEL: tile.program @uneven(
// CHECK: tile.role "math" replicas(3)
// CHECK-NEXT: ^bb0(%[[R:.*]]: index):
// CHECK: arith.cmpi ugt, %[[R]], %c0
// CHECK: arith.cmpi slt
// CHECK: scf.if
// CHECK: tile.advance
// CHECK: arith.cmpi ugt, %[[R]], %c1
// CHECK: scf.if
// CHECK: tile.advance
// CHECK: scf.for %[[T:[a-z0-9]+]] = {{.*}} -> (!tile.cursor)
// CHECK: tile.turn take
// CHECK: tile.turn pass
// CHECK: %[[ITEM:.*]] = arith.addi %[[T]],
// CHECK: %[[IS:.*]] = arith.cmpi slt, %[[ITEM]],
// CHECK: scf.if %[[IS]] -> (index) {
// CHECK: arith.minui %[[ITEM]], %{{.*}} : index
// CHECK: } else {
// CHECK-NEXT: %[[NONE:.*]] = arith.constant 0 : index
// CHECK-NEXT: scf.yield %[[NONE]]
// CHECK: tile.advance
// CHECK: scf.if
// CHECK: tile.advance
// CHECK-NEXT: scf.yield
tile.program @uneven(%p: !tile.ptr<bf16>, %q: !tile.ptr<f32>, %n: index {tile.div = 8 : index})
    attributes {config = #tile.config<groups = [1, 1], strategy = roles, depth = 4, turns = 3>, target = #ptx.target<"sm_90a">} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<bf16> -> !v
  %w = tile.view %q[%n, %n] strides [%n] : !tile.ptr<f32> -> !w
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #acc>
  %ring, %first = tile.ring : !ring
  %wg = tile.id workgroup
  %nwg = tile.id workgroups
  %tiles = arith.ceildivui %n, %c64 : index
  %e:2 = scf.for %t = %wg to %tiles step %nwg iter_args(%cw = %first, %cr = %first) -> (!tile.cursor, !tile.cursor) {
    %m = arith.muli %t, %c64 : index
    %tk = arith.minui %t, %c8 : index
    %x:3 = scf.for %i = %c0 to %tk step %c1 iter_args(%sum = %zero, %dw = %cw, %dr = %cr)
        -> (tensor<64x64xf32, #acc>, !tile.cursor, !tile.cursor) {
      %kk = arith.muli %i, %c64 : index
      %o, %dw1 = tile.enter write %ring[%dw] : !ring -> !tile.slot<write>
      %ta = tile.copy_in %v[%m, %kk] into %o[0] : !v, !tile.slot<write>
      %tb = tile.copy_in %v[%kk, %c0] into %o[1] : !v, !tile.slot<write>
      tile.exit %o after(%ta, %tb : !tile.token, !tile.token) : !tile.slot<write>
      %s, %dr1, %a, %b = tile.enter read %ring[%dr] : !ring -> !tile.slot<read>, tensor<64x64xbf16, #s>, tensor<64x64xbf16, #s>
      %y = tile.dot %a, %b, %sum mma #mma : tensor<64x64xbf16, #s>, tensor<64x64xbf16, #s>, tensor<64x64xf32, #acc>
      tile.exit %s after(%y : tensor<64x64xf32, #acc>) : !tile.slot<read>
      scf.yield %y, %dw1, %dr1 : tensor<64x64xf32, #acc>, !tile.cursor, !tile.cursor
    }
    tile.store %x#0, %w[%m, %c0] : tensor<64x64xf32, #acc>, !w
    scf.yield %x#1, %x#2 : !tile.cursor, !tile.cursor
  }
  tile.return
}

// -----

// One item a workgroup: there is nothing to take in turns.

#mma = #ptx.wgmma<n = 64, bf16, bf16, f32>
#acc = #tile.acc<#mma, groups = [1, 1]>
#s = #tile.shared<order = [1, 0], swizzle = 128>
!v = !tile.view<?x?xbf16, strides = [?, 1], div = [8, 1], align = 16>
!ring = !tile.ring<4x(tensor<64x64xbf16, #s>), load, copy = #ptx.bulk>
tile.program @grid(%p: !tile.ptr<bf16>, %n: index {tile.div = 8 : index})
    attributes {config = #tile.config<groups = [1, 1], strategy = roles, turns = 2>, target = #ptx.target<"sm_90a">} {
  %c0 = arith.constant 0 : index
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<bf16> -> !v
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #acc>
  %ring, %first = tile.ring : !ring
  %o, %c1 = tile.enter write %ring[%first] : !ring -> !tile.slot<write>
  %t = tile.copy_in %v[%c0, %c0] into %o[0] : !v, !tile.slot<write>
  tile.exit %o after(%t : !tile.token) : !tile.slot<write>
  // expected-error @below {{is outside of a loop over work items; expected one such loop, with the number of workgroups as its step, for replicas that take items in turns; use items = persistent}}
  %s, %c2, %a = tile.enter read %ring[%first] : !ring -> !tile.slot<read>, tensor<64x64xbf16, #s>
  tile.exit %s : !tile.slot<read>
  tile.return
}

// -----

// A tile that goes from item to item would have to go from replica to replica.

#mma = #ptx.wgmma<n = 64, bf16, bf16, f32>
#acc = #tile.acc<#mma, groups = [1, 1]>
#s = #tile.shared<order = [1, 0], swizzle = 128>
!v = !tile.view<?x?xbf16, strides = [?, 1], div = [8, 1], align = 16>
!w = !tile.view<?x?xf32, strides = [?, 1]>
!ring = !tile.ring<4x(tensor<64x64xbf16, #s>), load, copy = #ptx.bulk>
tile.program @carries(%p: !tile.ptr<bf16>, %q: !tile.ptr<f32>, %n: index {tile.div = 8 : index})
    attributes {config = #tile.config<groups = [1, 1], strategy = roles, turns = 2>, target = #ptx.target<"sm_90a">} {
  %c0 = arith.constant 0 : index
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<bf16> -> !v
  %w = tile.view %q[%n, %n] strides [%n] : !tile.ptr<f32> -> !w
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #acc>
  %ring, %first = tile.ring : !ring
  %wg = tile.id workgroup
  %nwg = tile.id workgroups
  // expected-error @below {{expected only cursors to be carried from one work item to the next by replicas that take items in turns, got 'tensor<64x64xf32}}
  %e:3 = scf.for %t = %wg to %n step %nwg iter_args(%cw = %first, %cr = %first, %x = %zero)
      -> (!tile.cursor, !tile.cursor, tensor<64x64xf32, #acc>) {
    %o, %dw1 = tile.enter write %ring[%cw] : !ring -> !tile.slot<write>
    %ta = tile.copy_in %v[%t, %c0] into %o[0] : !v, !tile.slot<write>
    tile.exit %o after(%ta : !tile.token) : !tile.slot<write>
    %s, %dr1, %a = tile.enter read %ring[%cr] : !ring -> !tile.slot<read>, tensor<64x64xbf16, #s>
    %y = tile.dot %a, %a, %x mma #mma : tensor<64x64xbf16, #s>, tensor<64x64xbf16, #s>, tensor<64x64xf32, #acc>
    tile.exit %s after(%y : tensor<64x64xf32, #acc>) : !tile.slot<read>
    tile.store %y, %w[%t, %c0] : tensor<64x64xf32, #acc>, !w
    scf.yield %dw1, %dr1, %y : !tile.cursor, !tile.cursor, tensor<64x64xf32, #acc>
  }
  tile.return
}

// -----

// How many slots the other items take must be known.

#mma = #ptx.wgmma<n = 64, bf16, bf16, f32>
#acc = #tile.acc<#mma, groups = [1, 1]>
#s = #tile.shared<order = [1, 0], swizzle = 128>
!v = !tile.view<?x?xbf16, strides = [?, 1], div = [8, 1], align = 16>
!ring = !tile.ring<4x(tensor<64x64xbf16, #s>), load, copy = #ptx.bulk>
tile.program @nested(%p: !tile.ptr<bf16>, %n: index {tile.div = 8 : index})
    attributes {config = #tile.config<groups = [1, 1], strategy = roles, turns = 2>, target = #ptx.target<"sm_90a">} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<bf16> -> !v
  %ring, %first = tile.ring : !ring
  %wg = tile.id workgroup
  %nwg = tile.id workgroups
  %e:2 = scf.for %t = %wg to %n step %nwg iter_args(%cw = %first, %cr = %first) -> (!tile.cursor, !tile.cursor) {
    // expected-error @below {{expected every trip to enter as many slots as any other, for replicas that take items in turns}}
    %f:2 = scf.for %i = %c0 to %n step %c1 iter_args(%dw = %cw, %dr = %cr) -> (!tile.cursor, !tile.cursor) {
      %g:2 = scf.for %j = %i to %n step %c1 iter_args(%ew = %dw, %er = %dr) -> (!tile.cursor, !tile.cursor) {
        %o, %dw1 = tile.enter write %ring[%ew] : !ring -> !tile.slot<write>
        %ta = tile.copy_in %v[%t, %c0] into %o[0] : !v, !tile.slot<write>
        tile.exit %o after(%ta : !tile.token) : !tile.slot<write>
        %s, %dr1, %a = tile.enter read %ring[%er] : !ring -> !tile.slot<read>, tensor<64x64xbf16, #s>
        tile.exit %s : !tile.slot<read>
        scf.yield %dw1, %dr1 : !tile.cursor, !tile.cursor
      }
      scf.yield %g#0, %g#1 : !tile.cursor, !tile.cursor
    }
    scf.yield %f#0, %f#1 : !tile.cursor, !tile.cursor
  }
  tile.return
}
