// RUN: helios-opt %s --pass-pipeline='builtin.module(tile.program(tile-double-slots))' | FileCheck %s

// Lanes keep a tile of the rows while they walk the columns: the next item's has a slot of its own.

#mma = #ptx.wgmma<n = 64, bf16, bf16, f32>
#acc = #tile.acc<#mma, groups = [1, 1]>
#a = #tile.operand<a, #mma, groups = [1, 1]>
#s = #tile.shared<order = [1, 0], swizzle = 128>
!v = !tile.view<?x?xbf16, strides = [?, 1], div = [8, 1], align = 16>
!w = !tile.view<?x?xf32, strides = [?, 1]>
!kept = !tile.ring<1x(tensor<64x64xbf16, #s>), load, copy = #ptx.bulk>
!ring = !tile.ring<2x(tensor<64x64xbf16, #s>), load, copy = #ptx.bulk>
!wide = !tile.ring<1x(tensor<128x64xbf16, #s>), load, copy = #ptx.bulk>
!long = !tile.ring<13x(tensor<128x64xbf16, #s>), load, copy = #ptx.bulk>

// CHECK-LABEL: tile.program @kept(
// CHECK: %[[Q:[a-z0-9_]+]], %{{.*}} = tile.ring : !tile.ring<2x(tensor<64x64xbf16, {{.*}}>), load, copy = #ptx.bulk>
// CHECK: tile.roles captures({{.*}}index, !tile.ring<2x(
// CHECK: tile.role "load"
// CHECK: tile.enter write %[[Q]][{{.*}}] : !tile.ring<2x
// CHECK: tile.role "math"
// CHECK: tile.enter read %[[Q]][{{.*}}] : !tile.ring<2x
tile.program @kept(%p: !tile.ptr<bf16>, %z: !tile.ptr<f32>, %n: index {tile.div = 8 : index})
    attributes {config = #tile.config<groups = [1, 1], strategy = roles, depth = 2>, target = #ptx.target<"sm_90a">} {
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<bf16> -> !v
  %w = tile.view %z[%n, %n] strides [%n] : !tile.ptr<f32> -> !w
  %q, %qf = tile.ring : !kept
  %r, %rf = tile.ring : !ring
  tile.roles captures(%v = %v, %w = %w, %n = %n, %q = %q, %qf = %qf, %r = %r, %rf = %rf : !v, !w, index, !kept, !tile.cursor, !ring, !tile.cursor) {
    tile.role "load" lanes(1) regs(40) {
      %c0 = arith.constant 0 : index
      %c64 = arith.constant 64 : index
      %e:2 = scf.for %i = %c0 to %n step %c64 iter_args(%cq = %qf, %cr = %rf) -> (!tile.cursor, !tile.cursor) {
        %o, %cq1 = tile.enter write %q[%cq] : !kept -> !tile.slot<write>
        %t = tile.copy_in %v[%i, %c0] into %o[0] : !v, !tile.slot<write>
        tile.exit %o after(%t : !tile.token) : !tile.slot<write>
        %f = scf.for %j = %c0 to %n step %c64 iter_args(%c = %cr) -> (!tile.cursor) {
          %x, %c1 = tile.enter write %r[%c] : !ring -> !tile.slot<write>
          %y = tile.copy_in %v[%j, %c0] into %x[0] : !v, !tile.slot<write>
          tile.exit %x after(%y : !tile.token) : !tile.slot<write>
          scf.yield %c1 : !tile.cursor
        }
        scf.yield %cq1, %f : !tile.cursor, !tile.cursor
      }
    }
    tile.role "math" replicas(1) regs(232) {
    ^bb0(%g: index):
      %c0 = arith.constant 0 : index
      %c64 = arith.constant 64 : index
      %zero = arith.constant dense<0.0> : tensor<64x64xf32, #acc>
      %e:2 = scf.for %i = %c0 to %n step %c64 iter_args(%cq = %qf, %cr = %rf) -> (!tile.cursor, !tile.cursor) {
        %o, %cq1, %a = tile.enter read %q[%cq] : !kept -> !tile.slot<read>, tensor<64x64xbf16, #s>
        %f:2 = scf.for %j = %c0 to %n step %c64 iter_args(%sum = %zero, %c = %cr) -> (tensor<64x64xf32, #acc>, !tile.cursor) {
          %x, %c1, %b = tile.enter read %r[%c] : !ring -> !tile.slot<read>, tensor<64x64xbf16, #s>
          %y = tile.dot %a, %b, %sum mma #mma : tensor<64x64xbf16, #s>, tensor<64x64xbf16, #s>, tensor<64x64xf32, #acc>
          tile.exit %x after(%y : tensor<64x64xf32, #acc>) : !tile.slot<read>
          scf.yield %y, %c1 : tensor<64x64xf32, #acc>, !tile.cursor
        }
        tile.exit %o after(%f#0 : tensor<64x64xf32, #acc>) : !tile.slot<read>
        tile.store %f#0, %w[%i, %c0] : tensor<64x64xf32, #acc>, !w
        scf.yield %cq1, %f#1 : !tile.cursor, !tile.cursor
      }
    }
  }
  tile.return
}

// Registers take the tile before the loop, and the slot is free from then on.
// CHECK-LABEL: tile.program @loaded(
// CHECK: tile.ring : !tile.ring<1x
tile.program @loaded(%p: !tile.ptr<bf16>, %z: !tile.ptr<f32>, %n: index {tile.div = 8 : index})
    attributes {config = #tile.config<groups = [1, 1], strategy = roles, depth = 2>, target = #ptx.target<"sm_90a">} {
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<bf16> -> !v
  %w = tile.view %z[%n, %n] strides [%n] : !tile.ptr<f32> -> !w
  %q, %qf = tile.ring : !kept
  %r, %rf = tile.ring : !ring
  tile.roles captures(%v = %v, %w = %w, %n = %n, %q = %q, %qf = %qf, %r = %r, %rf = %rf : !v, !w, index, !kept, !tile.cursor, !ring, !tile.cursor) {
    tile.role "load" lanes(1) regs(40) {
      %c0 = arith.constant 0 : index
      %c64 = arith.constant 64 : index
      %e:2 = scf.for %i = %c0 to %n step %c64 iter_args(%cq = %qf, %cr = %rf) -> (!tile.cursor, !tile.cursor) {
        %o, %cq1 = tile.enter write %q[%cq] : !kept -> !tile.slot<write>
        %t = tile.copy_in %v[%i, %c0] into %o[0] : !v, !tile.slot<write>
        tile.exit %o after(%t : !tile.token) : !tile.slot<write>
        %f = scf.for %j = %c0 to %n step %c64 iter_args(%c = %cr) -> (!tile.cursor) {
          %x, %c1 = tile.enter write %r[%c] : !ring -> !tile.slot<write>
          %y = tile.copy_in %v[%j, %c0] into %x[0] : !v, !tile.slot<write>
          tile.exit %x after(%y : !tile.token) : !tile.slot<write>
          scf.yield %c1 : !tile.cursor
        }
        scf.yield %cq1, %f : !tile.cursor, !tile.cursor
      }
    }
    tile.role "math" replicas(1) regs(232) {
    ^bb0(%g: index):
      %c0 = arith.constant 0 : index
      %c64 = arith.constant 64 : index
      %zero = arith.constant dense<0.0> : tensor<64x64xf32, #acc>
      %e:2 = scf.for %i = %c0 to %n step %c64 iter_args(%cq = %qf, %cr = %rf) -> (!tile.cursor, !tile.cursor) {
        %o, %cq1, %t = tile.enter read %q[%cq] : !kept -> !tile.slot<read>, tensor<64x64xbf16, #s>
        %a = tile.convert_layout %t : tensor<64x64xbf16, #s> -> tensor<64x64xbf16, #a>
        tile.exit %o after(%a : tensor<64x64xbf16, #a>) : !tile.slot<read>
        %f:2 = scf.for %j = %c0 to %n step %c64 iter_args(%sum = %zero, %c = %cr) -> (tensor<64x64xf32, #acc>, !tile.cursor) {
          %x, %c1, %b = tile.enter read %r[%c] : !ring -> !tile.slot<read>, tensor<64x64xbf16, #s>
          %y = tile.dot %a, %b, %sum mma #mma : tensor<64x64xbf16, #a>, tensor<64x64xbf16, #s>, tensor<64x64xf32, #acc>
          tile.exit %x after(%y : tensor<64x64xf32, #acc>) : !tile.slot<read>
          scf.yield %y, %c1 : tensor<64x64xf32, #acc>, !tile.cursor
        }
        tile.store %f#0, %w[%i, %c0] : tensor<64x64xf32, #acc>, !w
        scf.yield %cq1, %f#1 : !tile.cursor, !tile.cursor
      }
    }
  }
  tile.return
}

// Where shared memory holds 14 tiles alone, there is none for a fifteenth.
// CHECK-LABEL: tile.program @full(
// CHECK: tile.ring : !tile.ring<1x
tile.program @full(%p: !tile.ptr<bf16>, %z: !tile.ptr<f32>, %n: index {tile.div = 8 : index})
    attributes {config = #tile.config<groups = [1, 1], strategy = roles, depth = 2>, target = #ptx.target<"sm_90a">} {
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<bf16> -> !v
  %w = tile.view %z[%n, %n] strides [%n] : !tile.ptr<f32> -> !w
  %q, %qf = tile.ring : !wide
  %r, %rf = tile.ring : !long
  tile.roles captures(%v = %v, %w = %w, %n = %n, %q = %q, %qf = %qf, %r = %r, %rf = %rf : !v, !w, index, !wide, !tile.cursor, !long, !tile.cursor) {
    tile.role "load" lanes(1) regs(40) {
      %c0 = arith.constant 0 : index
      %c64 = arith.constant 64 : index
      %e:2 = scf.for %i = %c0 to %n step %c64 iter_args(%cq = %qf, %cr = %rf) -> (!tile.cursor, !tile.cursor) {
        %o, %cq1 = tile.enter write %q[%cq] : !wide -> !tile.slot<write>
        %t = tile.copy_in %v[%i, %c0] into %o[0] : !v, !tile.slot<write>
        tile.exit %o after(%t : !tile.token) : !tile.slot<write>
        %f = scf.for %j = %c0 to %n step %c64 iter_args(%c = %cr) -> (!tile.cursor) {
          %x, %c1 = tile.enter write %r[%c] : !long -> !tile.slot<write>
          %y = tile.copy_in %v[%j, %c0] into %x[0] : !v, !tile.slot<write>
          tile.exit %x after(%y : !tile.token) : !tile.slot<write>
          scf.yield %c1 : !tile.cursor
        }
        scf.yield %cq1, %f : !tile.cursor, !tile.cursor
      }
    }
    tile.role "math" replicas(1) regs(232) {
    ^bb0(%g: index):
      %c0 = arith.constant 0 : index
      %c64 = arith.constant 64 : index
      %zero = arith.constant dense<0.0> : tensor<64x64xf32, #acc>
      %e:2 = scf.for %i = %c0 to %n step %c64 iter_args(%cq = %qf, %cr = %rf) -> (!tile.cursor, !tile.cursor) {
        %o, %cq1, %a = tile.enter read %q[%cq] : !wide -> !tile.slot<read>, tensor<128x64xbf16, #s>
        %f:2 = scf.for %j = %c0 to %n step %c64 iter_args(%sum = %zero, %c = %cr) -> (tensor<64x64xf32, #acc>, !tile.cursor) {
          %x, %c1, %b = tile.enter read %r[%c] : !long -> !tile.slot<read>, tensor<128x64xbf16, #s>
          %l = tile.slice %a [0, 0] : tensor<128x64xbf16, #s> -> tensor<64x64xbf16, #s>
          %h = tile.slice %b [0, 0] : tensor<128x64xbf16, #s> -> tensor<64x64xbf16, #s>
          %y = tile.dot %l, %h, %sum mma #mma : tensor<64x64xbf16, #s>, tensor<64x64xbf16, #s>, tensor<64x64xf32, #acc>
          tile.exit %x after(%y : tensor<64x64xf32, #acc>) : !tile.slot<read>
          scf.yield %y, %c1 : tensor<64x64xf32, #acc>, !tile.cursor
        }
        tile.exit %o after(%f#0 : tensor<64x64xf32, #acc>) : !tile.slot<read>
        tile.store %f#0, %w[%i, %c0] : tensor<64x64xf32, #acc>, !w
        scf.yield %cq1, %f#1 : !tile.cursor, !tile.cursor
      }
    }
  }
  tile.return
}

// Lanes that keep what they read of an item have no registers for the number of a slot.
// CHECK-LABEL: tile.program @elements(
// CHECK: tile.ring : !tile.ring<1x
tile.program @elements(%p: !tile.ptr<bf16>, %z: !tile.ptr<f32>, %n: index {tile.div = 8 : index}, %x: !tile.ptr<i32>)
    attributes {config = #tile.config<groups = [1, 1], strategy = roles, depth = 2>, target = #ptx.target<"sm_90a">} {
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<bf16> -> !v
  %w = tile.view %z[%n, %n] strides [%n] : !tile.ptr<f32> -> !w
  %ends = tile.view %x[%n] : !tile.ptr<i32> -> !tile.view<?xi32, strides = [1]>
  %q, %qf = tile.ring : !kept
  %r, %rf = tile.ring : !ring
  tile.roles captures(%ends = %ends, %v = %v, %w = %w, %n = %n, %q = %q, %qf = %qf, %r = %r, %rf = %rf : !tile.view<?xi32, strides = [1]>, !v, !w, index, !kept, !tile.cursor, !ring, !tile.cursor) {
    tile.role "load" lanes(1) regs(40) {
      %c0 = arith.constant 0 : index
      %c64 = arith.constant 64 : index
      %e:2 = scf.for %i = %c0 to %n step %c64 iter_args(%cq = %qf, %cr = %rf) -> (!tile.cursor, !tile.cursor) {
        %o, %cq1 = tile.enter write %q[%cq] : !kept -> !tile.slot<write>
        %t = tile.copy_in %v[%i, %c0] into %o[0] : !v, !tile.slot<write>
        tile.exit %o after(%t : !tile.token) : !tile.slot<write>
        %f = scf.for %j = %c0 to %n step %c64 iter_args(%c = %cr) -> (!tile.cursor) {
          %x, %c1 = tile.enter write %r[%c] : !ring -> !tile.slot<write>
          %y = tile.copy_in %v[%j, %c0] into %x[0] : !v, !tile.slot<write>
          tile.exit %x after(%y : !tile.token) : !tile.slot<write>
          scf.yield %c1 : !tile.cursor
        }
        scf.yield %cq1, %f : !tile.cursor, !tile.cursor
      }
    }
    tile.role "math" replicas(1) regs(232) {
    ^bb0(%g: index):
      %c0 = arith.constant 0 : index
      %c64 = arith.constant 64 : index
      %zero = arith.constant dense<0.0> : tensor<64x64xf32, #acc>
      %e:2 = scf.for %i = %c0 to %n step %c64 iter_args(%cq = %qf, %cr = %rf) -> (!tile.cursor, !tile.cursor) {
        %end = tile.element %ends[%i] : !tile.view<?xi32, strides = [1]> -> i32
        %o, %cq1, %a = tile.enter read %q[%cq] : !kept -> !tile.slot<read>, tensor<64x64xbf16, #s>
        %f:2 = scf.for %j = %c0 to %n step %c64 iter_args(%sum = %zero, %c = %cr) -> (tensor<64x64xf32, #acc>, !tile.cursor) {
          %x, %c1, %b = tile.enter read %r[%c] : !ring -> !tile.slot<read>, tensor<64x64xbf16, #s>
          %y = tile.dot %a, %b, %sum mma #mma : tensor<64x64xbf16, #s>, tensor<64x64xbf16, #s>, tensor<64x64xf32, #acc>
          tile.exit %x after(%y : tensor<64x64xf32, #acc>) : !tile.slot<read>
          scf.yield %y, %c1 : tensor<64x64xf32, #acc>, !tile.cursor
        }
        tile.exit %o after(%f#0 : tensor<64x64xf32, #acc>) : !tile.slot<read>
        tile.store %f#0, %w[%i, %c0] : tensor<64x64xf32, #acc>, !w
        scf.yield %cq1, %f#1 : !tile.cursor, !tile.cursor
      }
    }
  }
  tile.return
}
