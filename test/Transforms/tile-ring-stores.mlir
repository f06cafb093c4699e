// RUN: helios-opt %s --pass-pipeline='builtin.module(tile.program(tile-ring-stores))' | FileCheck %s

// Stores of a replica go through a ring of its own; cursors are carried through branches and loops.

#mma = #ptx.wgmma<n = 64, bf16, bf16, f32>
#acc = #tile.acc<#mma, groups = [1, 1]>
#s = #tile.shared<order = [1, 0], swizzle = 128>
!v = !tile.view<?x?xbf16, strides = [?, 1], div = [8, 1], align = 16>
!vf = !tile.view<?x?x?xf32, strides = [?, ?, 1], div = [4, 4, 1], align = 16>
!odd = !tile.view<?x?xbf16, strides = [?, 1], div = [4, 1], align = 16>
!low = !tile.view<?x?xbf16, strides = [?, 1], div = [8, 1], align = 8>
!columns = !tile.view<?x?xbf16, strides = [?, ?], div = [8, 8], align = 16>

// CHECK-LABEL: tile.program @stores(
tile.program @stores(%p: !tile.ptr<bf16>, %q: !tile.ptr<f32>, %n: index {tile.div = 8 : index}, %b: i1)
    attributes {config = #tile.config<groups = [2, 1], strategy = roles>, target = #ptx.target<"sm_90a">} {
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<bf16> -> !v
  %vf = tile.view %q[%n, %n, %n] strides [%n, %n] : !tile.ptr<f32> -> !vf
  tile.roles captures(%v = %v, %vf = %vf, %n = %n, %b = %b : !v, !vf, index, i1) {
    // CHECK: tile.role "math"
    tile.role "math" replicas(2) regs(232) {
    ^bb0(%r: index):
      // A ring for each type of slab.
      // CHECK-DAG: %[[RING:.*]], %[[FIRST:.*]] = tile.ring : !tile.ring<2x(tensor<64x64xbf16, {{.*}}swizzle = 128>>), store, copy = #ptx.bulk, scope = replica>
      // CHECK-DAG: %[[RINGF:.*]], %[[FIRSTF:.*]] = tile.ring : !tile.ring<2x(tensor<64x16xf32, {{.*}}swizzle = 64>>), store, copy = #ptx.bulk, scope = replica>
      %one = arith.constant 1 : index
      %x = arith.constant dense<1.0> : tensor<64x64xbf16, #acc>
      %y = arith.constant dense<1.0> : tensor<64x16xf32, #acc>
      // CHECK: %[[L:.*]]:4 = scf.for {{.*}} -> (!tile.cursor, !tile.cursor, !tile.cursor, !tile.cursor)
      scf.for %i = %r to %n step %one {
        // CHECK: %[[I:.*]]:2 = scf.if %{{.*}} -> (!tile.cursor, !tile.cursor) {
        scf.if %b {
          // CHECK-NEXT: %[[W:.*]], %[[W1:.*]] = tile.enter write %[[RING]][%[[CW:[a-z0-9]+]]]
          // CHECK-NEXT: tile.put %{{.*}} into %[[W]][0]
          // CHECK-NEXT: tile.exit %[[W]] :
          // CHECK-NEXT: %[[R:.*]], %[[R1:.*]], %[[T:.*]] = tile.enter read %[[RING]][%[[CR:[a-z0-9]+]]]
          // CHECK-NEXT: %[[TOKEN:.*]] = tile.copy_out %[[T]] to
          // CHECK-NEXT: tile.exit %[[R]] after(%[[TOKEN]] : !tile.token)
          // CHECK-NEXT: scf.yield %[[W1]], %[[R1]]
          tile.store %x, %v[%i, %r] : tensor<64x64xbf16, #acc>, !v
        }
        // CHECK-NEXT: } else {
        // CHECK-NEXT: scf.yield %[[CW]], %[[CR]]
        // A second store of the item, with the cursors of the first.
        // CHECK: tile.enter write %[[RING]][%[[I]]#0]
        // CHECK: tile.enter read %[[RING]][%[[I]]#1]
        tile.store %x, %v[%i, %i] : tensor<64x64xbf16, #acc>, !v
        // Leading unit dimensions are the engine's.
        // CHECK: tile.enter write %[[RINGF]]
        // CHECK: tile.copy_out {{.*}}[%{{.*}}, %{{.*}}, %{{.*}}] : tensor<64x16xf32
        tile.store %y, %vf[%i, %r, %i] : tensor<64x16xf32, #acc>, !vf
      }
    }
  }
  tile.return
}

// What the engine cannot write, lanes write along the rows: rows of a multiple of 8 bytes, and a base of 8, element by element; what has a place
// that the host does not know, in wide units.
// CHECK-LABEL: tile.program @rows(
tile.program @rows(%p: !tile.ptr<bf16>, %n: index {tile.div = 8 : index}, %b: i1)
    attributes {config = #tile.config<groups = [2, 1], strategy = roles>, target = #ptx.target<"sm_90a">} {
  %odd = tile.view %p[%n, %n] strides [%n] : !tile.ptr<bf16> -> !odd
  %low = tile.view %p[%n, %n] strides [%n] : !tile.ptr<bf16> -> !low
  tile.roles captures(%odd = %odd, %low = %low, %p = %p, %n = %n, %b = %b : !odd, !low, !tile.ptr<bf16>, index, i1) {
    tile.role "math" replicas(2) {
    ^bb0(%r: index):
      // CHECK: %[[WIDE:.*]], %{{.*}} = tile.ring : !tile.ring<1x(tensor<64x64xbf16, {{.*}}swizzle = 128>>), pass, scope = replica>
      // CHECK-NEXT: %[[ROWS:.*]], %[[FIRST:.*]] = tile.ring : !tile.ring<1x(tensor<64x64xbf16, {{.*}}swizzle = 128>>), pass, scope = replica>
      %x = arith.constant dense<1.0> : tensor<64x64xbf16, #acc>
      // CHECK: %[[I:.*]]:2 = scf.if
      scf.if %b {
        // CHECK-NEXT: %[[W:.*]], %[[W1:.*]] = tile.enter write %[[ROWS]][%[[FIRST]]]
        // CHECK-NEXT: tile.put %{{.*}} into %[[W]][0]
        // CHECK-NEXT: tile.exit %[[W]] :
        // CHECK-NEXT: %[[R:.*]], %[[R1:.*]], %[[T:.*]] = tile.enter read %[[ROWS]][%[[FIRST]]]
        // CHECK-NEXT: %[[LINES:.*]] = tile.convert_layout %[[T]] : {{.*}} -> tensor<64x64xbf16, #tile.regs<vec = [1, 1], lanes = [2, 64], groups = [1, 1]>>
        // CHECK-NEXT: tile.exit %[[R]] after(%[[LINES]] :
        // CHECK-NEXT: tile.store %[[LINES]], %
        // CHECK-NEXT: scf.yield %[[W1]], %[[R1]]
        tile.store %x, %odd[%r, %r] : tensor<64x64xbf16, #acc>, !odd
      }
      // CHECK: tile.enter write %[[ROWS]][%[[I]]#0]
      tile.store %x, %low[%r, %r] : tensor<64x64xbf16, #acc>, !low
      // CHECK: tile.store {{.*}} : tensor<64x64xbf16, #tile.regs<vec = [1, 1]
      %here = tile.view %p[%r, %n] strides [%n] : !tile.ptr<bf16> -> !v
      %c0 = arith.constant 0 : index
      // CHECK: tile.enter write %[[WIDE]]
      // CHECK: tile.store {{.*}} : tensor<64x64xbf16, #tile.regs<vec = [1, 8], lanes = [16, 8], groups = [1, 1]>>
      tile.store %x, %here[%r, %c0] : tensor<64x64xbf16, #acc>, !v
    }
  }
  tile.return
}

// Rows that are not contiguous are stored from registers, and so are elements of which neighbouring lanes have a sector.
// CHECK-LABEL: tile.program @direct(
// CHECK-NOT: tile.ring
// CHECK-COUNT-2: tile.store
tile.program @direct(%p: !tile.ptr<bf16>, %q: !tile.ptr<f32>, %n: index {tile.div = 8 : index})
    attributes {config = #tile.config<groups = [2, 1], strategy = roles>, target = #ptx.target<"sm_90a">} {
  %columns = tile.view %p[%n, %n] strides [%n, %n] : !tile.ptr<bf16> -> !columns
  %sectors = tile.view %q[%n, %n] strides [%n] : !tile.ptr<f32> -> !tile.view<?x?xf32, strides = [?, 1]>
  tile.roles captures(%columns = %columns, %sectors = %sectors : !columns, !tile.view<?x?xf32, strides = [?, 1]>) {
    tile.role "math" replicas(2) {
    ^bb0(%r: index):
      %x = arith.constant dense<1.0> : tensor<64x64xbf16, #acc>
      %y = arith.constant dense<1.0> : tensor<64x16xf32, #acc>
      tile.store %x, %columns[%r, %r] : tensor<64x64xbf16, #acc>, !columns
      tile.store %y, %sectors[%r, %r] : tensor<64x16xf32, #acc>, !tile.view<?x?xf32, strides = [?, 1]>
    }
  }
  tile.return
}

// 220 of 227 KB are taken: no room for two slots of two replicas, nor for one.
// CHECK-LABEL: tile.program @full(
// CHECK: tile.store
tile.program @full(%p: !tile.ptr<bf16>, %n: index {tile.div = 8 : index})
    attributes {config = #tile.config<groups = [2, 1], strategy = roles>, target = #ptx.target<"sm_90a">} {
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<bf16> -> !v
  %ring, %c = tile.ring : !tile.ring<5x(tensor<352x64xbf16, #s>), load, copy = #ptx.bulk>
  tile.roles captures(%v = %v : !v) {
    tile.role "math" replicas(2) {
    ^bb0(%r: index):
      %x = arith.constant dense<1.0> : tensor<64x64xbf16, #acc>
      tile.store %x, %v[%r, %r] : tensor<64x64xbf16, #acc>, !v
    }
  }
  tile.return
}

// 208 KB: room for one slot.
// CHECK-LABEL: tile.program @tight(
// CHECK: tile.ring : !tile.ring<1x(tensor<64x64xbf16, {{.*}}>), store
// CHECK-NOT: tile.store
tile.program @tight(%p: !tile.ptr<bf16>, %n: index {tile.div = 8 : index})
    attributes {config = #tile.config<groups = [2, 1], strategy = roles>, target = #ptx.target<"sm_90a">} {
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<bf16> -> !v
  %ring, %c = tile.ring : !tile.ring<4x(tensor<416x64xbf16, #s>), load, copy = #ptx.bulk>
  tile.roles captures(%v = %v : !v) {
    tile.role "math" replicas(2) {
    ^bb0(%r: index):
      %x = arith.constant dense<1.0> : tensor<64x64xbf16, #acc>
      tile.store %x, %v[%r, %r] : tensor<64x64xbf16, #acc>, !v
    }
  }
  tile.return
}

// 192 KB: room for two slots of one type of slab, or for a slot of each; what is left takes a second one.
// CHECK-LABEL: tile.program @two_types(
// CHECK-DAG: tile.ring : !tile.ring<1x(tensor<64x64xbf16, {{.*}}>), store
// CHECK-DAG: tile.ring : !tile.ring<2x(tensor<64x16xf32, {{.*}}>), store
// CHECK-NOT: tile.store
tile.program @two_types(%p: !tile.ptr<bf16>, %q: !tile.ptr<f32>, %n: index {tile.div = 8 : index})
    attributes {config = #tile.config<groups = [2, 1], strategy = roles>, target = #ptx.target<"sm_90a">} {
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<bf16> -> !v
  %vf = tile.view %q[%n, %n, %n] strides [%n, %n] : !tile.ptr<f32> -> !vf
  %ring, %c = tile.ring : !tile.ring<4x(tensor<384x64xbf16, #s>), load, copy = #ptx.bulk>
  tile.roles captures(%v = %v, %vf = %vf : !v, !vf) {
    tile.role "math" replicas(2) {
    ^bb0(%r: index):
      %x = arith.constant dense<1.0> : tensor<64x64xbf16, #acc>
      %y = arith.constant dense<1.0> : tensor<64x16xf32, #acc>
      tile.store %x, %v[%r, %r] : tensor<64x64xbf16, #acc>, !v
      tile.store %y, %vf[%r, %r, %r] : tensor<64x16xf32, #acc>, !vf
    }
  }
  tile.return
}

// Of a row of 96 bytes panels of a sector would take three copies: it lies without a swizzle, for one. A row of 64 bytes is one panel.
// CHECK-LABEL: tile.program @panels(
// CHECK-DAG: tile.ring : !tile.ring<{{.*}}tensor<64x48xbf16, #tile.shared<order = [1, 0]>>), store
// CHECK-DAG: tile.ring : !tile.ring<{{.*}}tensor<64x32xbf16, #tile.shared<order = [1, 0], swizzle = 64>>), store
tile.program @panels(%p: !tile.ptr<bf16>, %n: index {tile.div = 8 : index})
    attributes {config = #tile.config<groups = [1, 1], strategy = roles>, target = #ptx.target<"sm_90a">} {
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<bf16> -> !v
  tile.roles captures(%v = %v, %n = %n : !v, index) {
    tile.role "math" replicas(1) regs(232) {
    ^bb0(%r: index):
      %x = arith.constant dense<1.0> : tensor<64x48xbf16, #acc>
      %y = arith.constant dense<1.0> : tensor<64x32xbf16, #acc>
      tile.store %x, %v[%n, %r] : tensor<64x48xbf16, #acc>, !v
      tile.store %y, %v[%n, %n] : tensor<64x32xbf16, #acc>, !v
    }
  }
  tile.return
}
