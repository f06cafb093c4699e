// RUN: helios-opt --split-input-file --verify-diagnostics %s

// Invariants 11 to 13: slots are exited once, in order, after whatever uses them, and every enter finds one.

// -----

// 11: never exited.
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
  %ring, %c = tile.ring : !turn
  // expected-error @+1 {{expected exactly one exit of this slot on every path, got 0}}
  %w, %cw = tile.enter write %ring[%c] : !turn -> !tile.slot<write>
  tile.return
}

// -----

// 11: exited twice.
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
  %ring, %c = tile.ring : !turn
  // expected-error @+1 {{expected exactly one exit of this slot on every path, got 2}}
  %w, %cw = tile.enter write %ring[%c] : !turn -> !tile.slot<write>
  // expected-note @+1 {{used here}}
  tile.exit %w : !tile.slot<write>
  // expected-note @+1 {{used here}}
  tile.exit %w : !tile.slot<write>
  tile.return
}

// -----

// 11: exited on one path.
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
  %ring, %c = tile.ring : !turn
  %k = arith.cmpi eq, %n, %c0 : index
  // expected-note @+1 {{this slot}}
  %w, %cw = tile.enter write %ring[%c] : !turn -> !tile.slot<write>
  // expected-error @+1 {{expected both branches to use up the slot equally often, got 1 and 0}}
  scf.if %k {
    tile.exit %w : !tile.slot<write>
  }
  tile.return
}

// -----

// 11: exited in every iteration.
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
  %ring, %c = tile.ring : !turn
  %w, %cw = tile.enter write %ring[%c] : !turn -> !tile.slot<write>
  // expected-note @+1 {{carry it through this loop}}
  scf.for %i = %c0 to %n step %n {
    // expected-error @+1 {{uses up a slot from outside the loop, once an iteration; carry it through the loop, or exit it outside}}
    tile.exit %w : !tile.slot<write>
  }
  tile.return
}

// -----

// 11: a loop that carries a slot must hand one back.
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
  %ring, %c = tile.ring : !turn
  %w, %cw = tile.enter write %ring[%c] : !turn -> !tile.slot<write>
  // expected-error @+1 {{expected exactly one exit of this slot on every path, got 2}}
  %x = scf.for %i = %c0 to %n step %n iter_args(%q = %w) -> (!tile.slot<write>) {
    // expected-note @+1 {{used here}}
    tile.exit %q : !tile.slot<write>
    // expected-note @+1 {{used here}}
    scf.yield %q : !tile.slot<write>
  }
  tile.exit %x : !tile.slot<write>
  tile.return
}

// -----

// 11: out of order.
#s = #tile.shared<order = [1, 0]>
#r = #tile.regs<vec = [1, 8], lanes = [8, 4], groups = [1, 1]>
!v = !tile.view<?x?xf16, strides = [?, 1], div = [8, 1]>
!t = tensor<8x32xf16, #s>
!ring = !tile.ring<2x(tensor<8x32xf16, #s>), load, copy = #ptx.async16>
!pass = !tile.ring<2x(tensor<8x32xf16, #s>, index), pass>
!t2 = !tile.ring<2x(), pass>
!turn = !tile.ring<1x(), pass>
tile.program @p(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}) {
  %c0 = arith.constant 0 : index
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f16> -> !v
  %ring, %c = tile.ring : !t2
  // expected-note @+1 {{the oldest is this one}}
  %w, %c1 = tile.enter write %ring[%c] : !t2 -> !tile.slot<write>
  %w1, %c2 = tile.enter write %ring[%c1] : !t2 -> !tile.slot<write>
  // expected-error @+1 {{expected slots to be exited in the order in which they were entered, got one before 1 older}}
  tile.exit %w1 : !tile.slot<write>
  tile.exit %w : !tile.slot<write>
  %s, %cr = tile.enter read %ring[%c] : !t2 -> !tile.slot<read>
  tile.exit %s : !tile.slot<read>
  tile.return
}

// -----

// 12: a copy is not named.
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
  // expected-note @+1 {{this one is missing}}
  %t = tile.copy_in %v[%c0, %c0] into %w[0] : !v, !tile.slot<write>
  // expected-error @+1 {{expected 'after' to name every copy into the slot}}
  tile.exit %w : !tile.slot<write>
  %s, %cr, %a = tile.enter read %ring[%c] : !ring -> !tile.slot<read>, !t
  %f = tile.convert_layout %a : !t -> tensor<8x32xf16, #r>
  tile.exit %s after(%f : tensor<8x32xf16, #r>) : !tile.slot<read>
  tile.return
}

// -----

// 12: a reader is not named.
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
  // expected-note @+1 {{this one is missing}}
  %f = tile.convert_layout %a : !t -> tensor<8x32xf16, #r>
  // expected-error @+1 {{expected 'after' to name a result of every op that read the slot}}
  tile.exit %s : !tile.slot<read>
  tile.return
}

// -----

// 12: a reader through a part of the tile.
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
  %f = tile.convert_layout %a : !t -> tensor<8x32xf16, #r>
  %h = tile.slice %a [0, 0] : !t -> tensor<8x32xf16, #s>
  // expected-note @+1 {{this one is missing}}
  %g = tile.convert_layout %h : !t -> tensor<8x32xf16, #r>
  // expected-error @+1 {{expected 'after' to name a result of every op that read the slot}}
  tile.exit %s after(%f : tensor<8x32xf16, #r>) : !tile.slot<read>
  tile.return
}

// -----

// 12: the value that the loop carries names the reader of the previous iteration; here it names another.
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
  %w0, %c1 = tile.enter write %ring[%c] : !ring -> !tile.slot<write>
  %t0 = tile.copy_in %v[%c0, %c0] into %w0[0] : !v, !tile.slot<write>
  tile.exit %w0 after(%t0 : !tile.token) : !tile.slot<write>
  %s0, %r1, %a0 = tile.enter read %ring[%c] : !ring -> !tile.slot<read>, !t
  // expected-note @+1 {{this one is missing}}
  %f0 = tile.convert_layout %a0 : !t -> tensor<8x32xf16, #r>
  %z = arith.constant dense<0.0> : tensor<8x32xf16, #r>
  %x:4 = scf.for %i = %c0 to %n step %n iter_args(%q = %s0, %f = %z, %cw = %c1, %cr = %r1)
      -> (!tile.slot<read>, tensor<8x32xf16, #r>, !tile.cursor, !tile.cursor) {
    %w, %cw1 = tile.enter write %ring[%cw] : !ring -> !tile.slot<write>
    %t = tile.copy_in %v[%c0, %c0] into %w[0] : !v, !tile.slot<write>
    tile.exit %w after(%t : !tile.token) : !tile.slot<write>
    %s, %cr1, %a = tile.enter read %ring[%cr] : !ring -> !tile.slot<read>, !t
    %g = tile.convert_layout %a : !t -> tensor<8x32xf16, #r>
    // expected-error @+1 {{expected 'after' to name a result of every op that read the slot}}
    tile.exit %q after(%f : tensor<8x32xf16, #r>) : !tile.slot<read>
    scf.yield %s, %g, %cw1, %cr1 : !tile.slot<read>, tensor<8x32xf16, #r>, !tile.cursor, !tile.cursor
  }
  tile.exit %x#0 after(%x#1, %f0 : tensor<8x32xf16, #r>, tensor<8x32xf16, #r>) : !tile.slot<read>
  tile.return
}

// -----

// 12: a tile of the previous iteration, whose slot is gone.
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
  %w0, %c1 = tile.enter write %ring[%c] : !ring -> !tile.slot<write>
  %t0 = tile.copy_in %v[%c0, %c0] into %w0[0] : !v, !tile.slot<write>
  tile.exit %w0 after(%t0 : !tile.token) : !tile.slot<write>
  %s0, %r1, %a0 = tile.enter read %ring[%c] : !ring -> !tile.slot<read>, !t
  %f0 = tile.convert_layout %a0 : !t -> tensor<8x32xf16, #r>
  tile.exit %s0 after(%f0 : tensor<8x32xf16, #r>) : !tile.slot<read>
  %x:3 = scf.for %i = %c0 to %n step %n iter_args(%b = %a0, %cw = %c1, %cr = %r1) -> (!t, !tile.cursor, !tile.cursor) {
    %w, %cw1 = tile.enter write %ring[%cw] : !ring -> !tile.slot<write>
    %t = tile.copy_in %v[%c0, %c0] into %w[0] : !v, !tile.slot<write>
    tile.exit %w after(%t : !tile.token) : !tile.slot<write>
    // expected-error @+1 {{reads a tile whose slot has been exited; expected the exit after it}}
    %g = tile.convert_layout %b : !t -> tensor<8x32xf16, #r>
    %s, %cr1, %a = tile.enter read %ring[%cr] : !ring -> !tile.slot<read>, !t
    %h = tile.convert_layout %a : !t -> tensor<8x32xf16, #r>
    tile.exit %s after(%h : tensor<8x32xf16, #r>) : !tile.slot<read>
    scf.yield %a, %cw1, %cr1 : !t, !tile.cursor, !tile.cursor
  }
  tile.return
}

// -----

// 13: nothing has been written.
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
  %ring, %c = tile.ring : !turn
  // expected-error @+1 {{waits for ever: expected a slot to have been written before, got none}}
  %s, %cr = tile.enter read %ring[%c] : !turn -> !tile.slot<read>
  tile.exit %s : !tile.slot<read>
  %w, %cw = tile.enter write %ring[%c] : !turn -> !tile.slot<write>
  tile.exit %w : !tile.slot<write>
  tile.return
}

// -----

// 13: all slots are in use.
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
  %ring, %c = tile.ring : !turn
  %w, %cw = tile.enter write %ring[%c] : !turn -> !tile.slot<write>
  tile.exit %w : !tile.slot<write>
  // expected-error @+1 {{waits for ever: expected fewer than 1 slots of the ring in use here, got 1}}
  %w1, %cw1 = tile.enter write %ring[%cw] : !turn -> !tile.slot<write>
  tile.exit %w1 : !tile.slot<write>
  %s, %cr = tile.enter read %ring[%c] : !turn -> !tile.slot<read>
  tile.exit %s : !tile.slot<read>
  %s1, %cr1 = tile.enter read %ring[%cr] : !turn -> !tile.slot<read>
  tile.exit %s1 : !tile.slot<read>
  tile.return
}

// -----

// 13: a loop that writes more than it reads.
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
  %ring, %c = tile.ring : !turn
  %w, %cw = tile.enter write %ring[%c] : !turn -> !tile.slot<write>
  tile.exit %w : !tile.slot<write>
  // expected-error @+1 {{expected an iteration to write as many slots of a ring as it reads, got -1 more entered to write than exited, -1 more written than entered to read}}
  %x = scf.for %i = %c0 to %n step %n iter_args(%cr = %c) -> (!tile.cursor) {
    %s, %cr1 = tile.enter read %ring[%cr] : !turn -> !tile.slot<read>
    tile.exit %s : !tile.slot<read>
    scf.yield %cr1 : !tile.cursor
  }
  tile.return
}

// -----

// 13: an iteration that ends with its slots in another order.
#s = #tile.shared<order = [1, 0]>
#r = #tile.regs<vec = [1, 8], lanes = [8, 4], groups = [1, 1]>
!v = !tile.view<?x?xf16, strides = [?, 1], div = [8, 1]>
!t = tensor<8x32xf16, #s>
!ring = !tile.ring<2x(tensor<8x32xf16, #s>), load, copy = #ptx.async16>
!pass = !tile.ring<2x(tensor<8x32xf16, #s>, index), pass>
!two = !tile.ring<2x(), pass>
!turn = !tile.ring<1x(), pass>
tile.program @p(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}) {
  %c0 = arith.constant 0 : index
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f16> -> !v
  %ring, %c = tile.ring : !two
  %w, %c1 = tile.enter write %ring[%c] : !two -> !tile.slot<write>
  %w1, %c2 = tile.enter write %ring[%c1] : !two -> !tile.slot<write>
  // expected-error @+1 {{expected an iteration to hold the same slots to write at its end as at its start, in the same order; 2 at the start, 2 at the end}}
  %x:2 = scf.for %i = %c0 to %n step %n iter_args(%q0 = %w, %q1 = %w1) -> (!tile.slot<write>, !tile.slot<write>) {
    scf.yield %q1, %q0 : !tile.slot<write>, !tile.slot<write>
  }
  tile.exit %x#0 : !tile.slot<write>
  tile.exit %x#1 : !tile.slot<write>
  %s, %r1 = tile.enter read %ring[%c] : !two -> !tile.slot<read>
  tile.exit %s : !tile.slot<read>
  %s1, %r2 = tile.enter read %ring[%r1] : !two -> !tile.slot<read>
  tile.exit %s1 : !tile.slot<read>
  tile.return
}

// -----

// 13: a slot that is left.
#s = #tile.shared<order = [1, 0]>
#r = #tile.regs<vec = [1, 8], lanes = [8, 4], groups = [1, 1]>
!v = !tile.view<?x?xf16, strides = [?, 1], div = [8, 1]>
!t = tensor<8x32xf16, #s>
!ring = !tile.ring<2x(tensor<8x32xf16, #s>), load, copy = #ptx.async16>
!pass = !tile.ring<2x(tensor<8x32xf16, #s>, index), pass>
!two = !tile.ring<2x(), pass>
!turn = !tile.ring<1x(), pass>
tile.program @p(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}) {
  %c0 = arith.constant 0 : index
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f16> -> !v
  // expected-error @+1 {{expected every written slot to be read, got 1 left at the end}}
  %ring, %c = tile.ring : !two
  %w, %c1 = tile.enter write %ring[%c] : !two -> !tile.slot<write>
  tile.exit %w : !tile.slot<write>
  %w1, %c2 = tile.enter write %ring[%c1] : !two -> !tile.slot<write>
  tile.exit %w1 : !tile.slot<write>
  %s, %r1 = tile.enter read %ring[%c] : !two -> !tile.slot<read>
  tile.exit %s : !tile.slot<read>
  tile.return
}

// -----

// 13: a side alone.
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
  // expected-error @+1 {{expected both sides of the ring to be entered, got only the side that writes}}
  %ring, %c = tile.ring : !turn
  %w, %cw = tile.enter write %ring[%c] : !turn -> !tile.slot<write>
  tile.exit %w : !tile.slot<write>
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
  // expected-error @+1 {{expected both sides of the ring to be entered, got only the side that reads}}
  %ring, %c = tile.ring : !turn
  %s, %cr = tile.enter read %ring[%c] : !turn -> !tile.slot<read>
  tile.exit %s : !tile.slot<read>
  tile.return
}
