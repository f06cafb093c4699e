// RUN: helios-opt --split-input-file --verify-diagnostics %s

// Ring ops on their own: sides, payloads, indices; roles and their captures.

// -----

#s = #tile.shared<order = [1, 0]>
#r = #tile.regs<vec = [1, 8], lanes = [8, 4], groups = [1, 1]>
!v = !tile.view<?x?xf16, strides = [?, 1], div = [8, 1]>
!t = tensor<8x32xf16, #s>
!ring = !tile.ring<2x(tensor<8x32xf16, #s>), load, copy = #ptx.async16>
!pass = !tile.ring<2x(tensor<8x32xf16, #s>, index), pass>
!turn = !tile.ring<1x(), pass>
tile.program @p(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}) {
  %c0 = arith.constant 0 : index
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f16> -> !v
  %ring, %c = tile.ring : !ring
  // expected-error @+1 {{expected a slot entered to write, got one to read}}
  %w, %cw = tile.enter write %ring[%c] : !ring -> !tile.slot<read>
  tile.return
}

// -----

#s = #tile.shared<order = [1, 0]>
#r = #tile.regs<vec = [1, 8], lanes = [8, 4], groups = [1, 1]>
!v = !tile.view<?x?xf16, strides = [?, 1], div = [8, 1]>
!t = tensor<8x32xf16, #s>
!ring = !tile.ring<2x(tensor<8x32xf16, #s>), load, copy = #ptx.async16>
!pass = !tile.ring<2x(tensor<8x32xf16, #s>, index), pass>
!turn = !tile.ring<1x(), pass>
tile.program @p(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}) {
  %c0 = arith.constant 0 : index
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f16> -> !v
  %ring, %c = tile.ring : !ring
  // expected-error @+1 {{expected 1 results of the ring's payload types after the cursor, got 0}}
  %s, %cr = tile.enter read %ring[%c] : !ring -> !tile.slot<read>
  tile.return
}

// -----

#s = #tile.shared<order = [1, 0]>
#r = #tile.regs<vec = [1, 8], lanes = [8, 4], groups = [1, 1]>
!v = !tile.view<?x?xf16, strides = [?, 1], div = [8, 1]>
!t = tensor<8x32xf16, #s>
!ring = !tile.ring<2x(tensor<8x32xf16, #s>), load, copy = #ptx.async16>
!pass = !tile.ring<2x(tensor<8x32xf16, #s>, index), pass>
!turn = !tile.ring<1x(), pass>
tile.program @p(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}) {
  %c0 = arith.constant 0 : index
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f16> -> !v
  %ring, %c = tile.ring : !ring
  %w, %cw = tile.enter write %ring[%c] : !ring -> !tile.slot<write>
  %t = tile.copy_in %v[%c0, %c0] into %w[0] : !v, !tile.slot<write>
  tile.exit %w after(%t : !tile.token) : !tile.slot<write>
  %s, %cr, %a = tile.enter read %ring[%c] : !ring -> !tile.slot<read>, !t
  // expected-error @+1 {{expected a slot entered to write, got one to read}}
  tile.put %n into %s[0] : index, !tile.slot<read>
  tile.return
}

// -----

#s = #tile.shared<order = [1, 0]>
#r = #tile.regs<vec = [1, 8], lanes = [8, 4], groups = [1, 1]>
!v = !tile.view<?x?xf16, strides = [?, 1], div = [8, 1]>
!t = tensor<8x32xf16, #s>
!ring = !tile.ring<2x(tensor<8x32xf16, #s>), load, copy = #ptx.async16>
!pass = !tile.ring<2x(tensor<8x32xf16, #s>, index), pass>
!turn = !tile.ring<1x(), pass>
tile.program @p(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}) {
  %c0 = arith.constant 0 : index
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f16> -> !v
  %ring, %c = tile.ring : !ring
  %w, %cw = tile.enter write %ring[%c] : !ring -> !tile.slot<write>
  // expected-error @+1 {{expected an index below 1 into the slot, got 1}}
  %t = tile.copy_in %v[%c0, %c0] into %w[1] : !v, !tile.slot<write>
  tile.return
}

// -----

#s = #tile.shared<order = [1, 0]>
#r = #tile.regs<vec = [1, 8], lanes = [8, 4], groups = [1, 1]>
!v = !tile.view<?x?xf16, strides = [?, 1], div = [8, 1]>
!t = tensor<8x32xf16, #s>
!ring = !tile.ring<2x(tensor<8x32xf16, #s>), load, copy = #ptx.async16>
!pass = !tile.ring<2x(tensor<8x32xf16, #s>, index), pass>
!turn = !tile.ring<1x(), pass>
tile.program @p(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}) {
  %c0 = arith.constant 0 : index
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f16> -> !v
  %ring, %c = tile.ring : !ring
  %w, %cw = tile.enter write %ring[%c] : !ring -> !tile.slot<write>
  // expected-error @+1 {{expected 2 offsets, one a dimension of the view, got 1}}
  %t = tile.copy_in %v[%c0] into %w[0] : !v, !tile.slot<write>
  tile.return
}

// -----

#s = #tile.shared<order = [1, 0]>
#r = #tile.regs<vec = [1, 8], lanes = [8, 4], groups = [1, 1]>
!v = !tile.view<?x?xf16, strides = [?, 1], div = [8, 1]>
!t = tensor<8x32xf16, #s>
!ring = !tile.ring<2x(tensor<8x32xf16, #s>), load, copy = #ptx.async16>
!pass = !tile.ring<2x(tensor<8x32xf16, #s>, index), pass>
!turn = !tile.ring<1x(), pass>
tile.program @p(%p: !tile.ptr<f16>, %q: !tile.ptr<i16>, %n: index {tile.div = 8 : index}) {
  %c0 = arith.constant 0 : index
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f16> -> !v
  %ring, %c = tile.ring : !ring
  %u = tile.view %q[%n] : !tile.ptr<i16> -> !tile.view<?xi16, strides = [1]>
  %w, %cw = tile.enter write %ring[%c] : !ring -> !tile.slot<write>
  // expected-error @+1 {{expected a view of 'f16' for this slot, got one of 'i16'}}
  %t = tile.copy_in %u[%c0] into %w[0] : !tile.view<?xi16, strides = [1]>, !tile.slot<write>
  tile.return
}

// -----

#s = #tile.shared<order = [1, 0]>
#r = #tile.regs<vec = [1, 8], lanes = [8, 4], groups = [1, 1]>
!v = !tile.view<?x?xf16, strides = [?, 1], div = [8, 1]>
!t = tensor<8x32xf16, #s>
!ring = !tile.ring<2x(tensor<8x32xf16, #s>), load, copy = #ptx.async16>
!pass = !tile.ring<2x(tensor<8x32xf16, #s>, index), pass>
!turn = !tile.ring<1x(), pass>
tile.program @p(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}) {
  %c0 = arith.constant 0 : index
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f16> -> !v
  %x = arith.constant dense<0.0> : tensor<8x32xf16, #r>
  // expected-error @+1 {{expected a tile in shared memory, got 'tensor<8x32xf16, #tile.regs<}}
  %t = tile.copy_out %x to %v[%c0, %c0] : tensor<8x32xf16, #r>, !v
  tile.return
}

// -----

#s = #tile.shared<order = [1, 0]>
#r = #tile.regs<vec = [1, 8], lanes = [8, 4], groups = [1, 1]>
!v = !tile.view<?x?xf16, strides = [?, 1], div = [8, 1]>
!t = tensor<8x32xf16, #s>
!ring = !tile.ring<2x(tensor<8x32xf16, #s>), load, copy = #ptx.async16>
!pass = !tile.ring<2x(tensor<8x32xf16, #s>, index), pass>
!turn = !tile.ring<1x(), pass>
tile.program @p(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}) {
  %c0 = arith.constant 0 : index
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f16> -> !v
  %ring, %c = tile.ring : !ring
  %w, %cw = tile.enter write %ring[%c] : !ring -> !tile.slot<write>
  %t = tile.copy_in %v[%c0, %c0] into %w[0] : !v, !tile.slot<write>
  tile.exit %w after(%t : !tile.token) : !tile.slot<write>
  %s, %cr, %a = tile.enter read %ring[%c] : !ring -> !tile.slot<read>, !t
  // expected-error @+1 {{expected 2 offsets, one a dimension of the view, got 1}}
  %o = tile.copy_out %a to %v[%c0] : !t, !v
  tile.return
}

// -----

#s = #tile.shared<order = [1, 0]>
#r = #tile.regs<vec = [1, 8], lanes = [8, 4], groups = [1, 1]>
!v = !tile.view<?x?xf16, strides = [?, 1], div = [8, 1]>
!t = tensor<8x32xf16, #s>
!ring = !tile.ring<2x(tensor<8x32xf16, #s>), load, copy = #ptx.async16>
!pass = !tile.ring<2x(tensor<8x32xf16, #s>, index), pass>
!turn = !tile.ring<1x(), pass>
tile.program @p(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}) {
  %c0 = arith.constant 0 : index
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f16> -> !v
  %ring, %c = tile.ring : !pass
  %w, %cw = tile.enter write %ring[%c] : !pass -> !tile.slot<write>
  // expected-error @+1 {{expected a value of the slot's 'tensor<8x32xf16, #tile.shared<order = [1, 0]>>', got 'index'}}
  tile.put %n into %w[0] : index, !tile.slot<write>
  tile.return
}

// -----

tile.program @p() {
  tile.roles captures() {
    // expected-error @+1 {{expected either 'lanes' or 'replicas', got neither}}
    tile.role "x" {
    }
  }
  tile.return
}

// -----

tile.program @p() {
  tile.roles captures() {
    // expected-error @+1 {{expected either 'lanes' or 'replicas', got both}}
    tile.role "x" lanes(1) replicas(2) {
    }
  }
  tile.return
}

// -----

tile.program @p() {
  tile.roles captures() {
    // expected-error @+1 {{expected at most one index argument, the replica's number}}
    tile.role "x" replicas(2) {
    ^bb0(%r: f32):
    }
  }
  tile.return
}

// -----

tile.program @p() {
  tile.roles captures() {
    // expected-error @+1 {{may not stand in tile.roles; expected only tile.role}}
    %c = arith.constant 0 : index
  }
  tile.return
}

// -----

tile.program @p() {
  // expected-error @+1 {{expected nothing after the roles}}
  tile.roles captures() {
  }
  %c = arith.constant 0 : index
  tile.return
}

// -----

tile.program @p() {
  %t = arith.constant dense<0.0> : tensor<8xf16>
  // expected-error @+1 {{expected captures to be rings, cursors, views, pointers or scalars, got 'tensor<8xf16>'}}
  tile.roles captures(%q = %t : tensor<8xf16>) {
  }
  tile.return
}

// -----

tile.program @p(%n: index) {
  // expected-error @+1 {{expected one region argument of the same type a capture, got 0}}
  "tile.roles"(%n) ({
  ^bb0:
  }) : (index) -> ()
  tile.return
}

// -----

// Nothing crosses into a role but what is captured.
tile.program @p(%n: index) {
  tile.roles captures() {
    tile.role "x" lanes(1) {
      // expected-error @+1 {{use of undeclared SSA value name}}
      %m = tile.next %n
    }
  }
  tile.return
}

// -----

// Invariant 14: a side of a ring belongs to one role.
tile.program @p() {
  %ring, %c = tile.ring : !tile.ring<1x(), pass>
  tile.roles captures(%r = %ring, %k = %c : !tile.ring<1x(), pass>, !tile.cursor) {
    // expected-note @+1 {{this role enters it too}}
    tile.role "x" lanes(1) {
      %w, %c1 = tile.enter write %r[%k] : !tile.ring<1x(), pass> -> !tile.slot<write>
      tile.exit %w : !tile.slot<write>
    }
    tile.role "y" lanes(1) {
      // expected-error @+1 {{expected each side of a ring in one role}}
      %w, %c1 = tile.enter write %r[%k] : !tile.ring<1x(), pass> -> !tile.slot<write>
      tile.exit %w : !tile.slot<write>
    }
  }
  tile.return
}

// -----

// Tickets are drawn by one role.
tile.program @p(%n: index) {
  tile.roles captures(%m = %n : index) {
    // expected-note @+1 {{this role draws too}}
    tile.role "x" lanes(1) {
      %a = tile.next %m
    }
    // expected-error @+1 {{expected one role that draws work items; pass them on through a ring}}
    tile.role "y" lanes(1) {
      %a = tile.next %m
    }
  }
  tile.return
}

// What several workgroups of a cluster copy.

// -----

#s = #tile.shared<order = [1, 0], swizzle = 128>
!v = !tile.view<?x?xbf16, strides = [?, 1], div = [8, 1], align = 16>
!ring = !tile.ring<2x(tensor<64x64xbf16, #s>), load, copy = #ptx.bulk, scope = cluster, cluster = 2, multicast>
tile.program @p(%p: !tile.ptr<bf16>, %n: index {tile.div = 8 : index}, %part: index, %b: i1) {
  %c0 = arith.constant 0 : index
  %mask = arith.constant 3 : i32
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<bf16> -> !v
  %ring, %c = tile.ring : !ring
  %w, %cw = tile.enter write %ring[%c] : !ring -> !tile.slot<write>
  // expected-error @+1 {{expected a tile shared by at least 2 workgroups, got 1}}
  %t = tile.copy_in %v[%c0, %c0] into %w[0] shared(%part of 1 to %mask) : !v, !tile.slot<write>
  tile.return
}

// -----

#s = #tile.shared<order = [1, 0], swizzle = 128>
!v = !tile.view<?x?xbf16, strides = [?, 1], div = [8, 1], align = 16>
!ring = !tile.ring<2x(tensor<64x64xbf16, #s>), load, copy = #ptx.bulk>
tile.program @p(%p: !tile.ptr<bf16>, %n: index {tile.div = 8 : index}, %part: index, %b: i1) {
  %c0 = arith.constant 0 : index
  %mask = arith.constant 3 : i32
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<bf16> -> !v
  %ring, %c = tile.ring : !ring
  %w, %cw = tile.enter write %ring[%c] : !ring -> !tile.slot<write>
  // expected-error @+1 {{expected a slot of a ring with 'multicast', got one of '!tile.ring<2x(tensor<64x64xbf16}}
  %t = tile.copy_in %v[%c0, %c0] into %w[0] shared(%part of 2 to %mask) : !v, !tile.slot<write>
  tile.return
}

// -----

#s = #tile.shared<order = [1, 0], swizzle = 128>
!v = !tile.view<?x?xbf16, strides = [?, 1], div = [8, 1], align = 16>
!ring = !tile.ring<2x(tensor<64x64xbf16, #s>), load, copy = #ptx.bulk, scope = cluster, cluster = 2, multicast>
tile.program @p(%p: !tile.ptr<bf16>, %n: index {tile.div = 8 : index}, %part: index, %b: i1) {
  %c0 = arith.constant 0 : index
  %mask = arith.constant 3 : i32
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<bf16> -> !v
  %ring, %c = tile.ring : !ring
  %w, %cw = tile.enter write %ring[%c] : !ring -> !tile.slot<write>
  // expected-error @+1 {{expected no condition on a copy for several workgroups, whose slots are full once all bytes have come}}
  %t = tile.copy_in %v[%c0, %c0] if %b into %w[0] shared(%part of 2 to %mask) : !v, !tile.slot<write>
  tile.return
}

// -----

#s = #tile.shared<order = [1, 0], swizzle = 128>
!v = !tile.view<?x?xbf16, strides = [?, 1], div = [8, 1], align = 16>
!ring = !tile.ring<2x(tensor<24x64xbf16, #s>), load, copy = #ptx.bulk, scope = cluster, cluster = 2, multicast>
tile.program @p(%p: !tile.ptr<bf16>, %n: index {tile.div = 8 : index}, %part: index, %b: i1) {
  %c0 = arith.constant 0 : index
  %mask = arith.constant 3 : i32
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<bf16> -> !v
  %ring, %c = tile.ring : !ring
  %w, %cw = tile.enter write %ring[%c] : !ring -> !tile.slot<write>
  // expected-error @+1 {{expected a tile of 2 equal parts at repetitions of its layout, got 'tensor<24x64xbf16}}
  %t = tile.copy_in %v[%c0, %c0] into %w[0] shared(%part of 2 to %mask) : !v, !tile.slot<write>
  tile.return
}

// -----

#s = #tile.shared<order = [1, 0]>
!v = !tile.view<?x?xf16, strides = [?, 1], div = [8, 1]>
!ring = !tile.ring<2x(tensor<8x32xf16, #s>), load, copy = #ptx.async16>
tile.program @inside(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}) {
  %c0 = arith.constant 0 : index
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f16> -> !v
  %ring, %c = tile.ring : !ring
  %w, %cw = tile.enter write %ring[%c] : !ring -> !tile.slot<write>
  // expected-error @+1 {{expected 'inside' to list dimensions below 2 in order, got [2]}}
  %t = tile.copy_in %v[%c0, %c0] into %w[0] {inside = array<i64: 2>} : !v, !tile.slot<write>
  tile.exit %w after(%t : !tile.token) : !tile.slot<write>
  tile.return
}

// -----

// Of a pass ring of a cluster the reading side sees every workgroup's tile.

#s = #tile.shared<order = [1, 0]>
!t = tensor<64x64xf32, #s>
!ring = !tile.ring<1x(!t), pass, scope = cluster, cluster = 2>
tile.program @p() {
  %ring, %c = tile.ring : !ring
  // expected-error @+1 {{expected 2 results of the ring's payload types after the cursor, got 1}}
  %s, %cr, %a = tile.enter read %ring[%c] : !ring -> !tile.slot<read>, !t
  tile.return
}
