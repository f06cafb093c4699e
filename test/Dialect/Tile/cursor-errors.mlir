// RUN: helios-opt --split-input-file --verify-diagnostics %s

// Invariant 10: a cursor is used by one enter of its side; its successor is carried on every path.

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
  // expected-error @+1 {{expected exactly one enter to write of this cursor on every path, got 2}}
  %ring, %c = tile.ring : !turn
  // expected-note @+1 {{used here}}
  %w, %cw = tile.enter write %ring[%c] : !turn -> !tile.slot<write>
  tile.exit %w : !tile.slot<write>
  // expected-note @+1 {{used here}}
  %w1, %cx = tile.enter write %ring[%c] : !turn -> !tile.slot<write>
  tile.exit %w1 : !tile.slot<write>
  %s, %cr = tile.enter read %ring[%c] : !turn -> !tile.slot<read>
  tile.exit %s : !tile.slot<read>
  %s1, %cr1 = tile.enter read %ring[%cr] : !turn -> !tile.slot<read>
  tile.exit %s1 : !tile.slot<read>
  tile.return
}

// -----

// In a loop, the cursor must be carried.
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
  // expected-note @+1 {{carry it through this loop}}
  scf.for %i = %c0 to %n step %n {
    %w, %cw = tile.enter write %ring[%c] : !turn -> !tile.slot<write>
    tile.exit %w : !tile.slot<write>
    // expected-error @+1 {{uses up a cursor from outside the loop, once an iteration; carry its successor through the loop}}
    %s, %cr = tile.enter read %ring[%c] : !turn -> !tile.slot<read>
    tile.exit %s : !tile.slot<read>
  }
  tile.return
}

// -----

// In one over work items too.
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
  // expected-note @+1 {{carry it through this loop}}
  tile.items (%i) in (%n) #tile.items<grid> {
    %w, %cw = tile.enter write %ring[%c] : !turn -> !tile.slot<write>
    tile.exit %w : !tile.slot<write>
    // expected-error @+1 {{uses up a cursor from outside the loop, once an iteration}}
    %s, %cr = tile.enter read %ring[%c] : !turn -> !tile.slot<read>
    tile.exit %s : !tile.slot<read>
  }
  tile.return
}

// -----

// It is the successor that goes on.
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
  // expected-error @+1 {{expected exactly one enter to write of this cursor on every path, got 2}}
  %x:2 = scf.for %i = %c0 to %n step %n iter_args(%cw = %c, %cr = %c) -> (!tile.cursor, !tile.cursor) {
    // expected-note @+1 {{used here}}
    %w, %cw1 = tile.enter write %ring[%cw] : !turn -> !tile.slot<write>
    tile.exit %w : !tile.slot<write>
    %s, %cr1 = tile.enter read %ring[%cr] : !turn -> !tile.slot<read>
    tile.exit %s : !tile.slot<read>
    // expected-note @+1 {{used here}}
    scf.yield %cw, %cr1 : !tile.cursor, !tile.cursor
  }
  tile.return
}

// -----

// And not that of another ring.
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
  %other, %d = tile.ring : !turn
  // expected-error @+1 {{expected argument #0 to carry on the successor of the write cursor that it received, got another cursor}}
  %x:2 = scf.for %i = %c0 to %n step %n iter_args(%cw = %c, %cr = %c) -> (!tile.cursor, !tile.cursor) {
    %w, %cw1 = tile.enter write %ring[%cw] : !turn -> !tile.slot<write>
    tile.exit %w : !tile.slot<write>
    %s, %cr1 = tile.enter read %ring[%cr] : !turn -> !tile.slot<read>
    tile.exit %s : !tile.slot<read>
    %e, %e1 = tile.ring : !turn
    scf.yield %e1, %cr1 : !tile.cursor, !tile.cursor
  }
  tile.return
}

// -----

// Both branches move it on equally often.
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
  // expected-note @+1 {{this cursor}}
  %ring, %c = tile.ring : !turn
  %k = arith.cmpi eq, %n, %c0 : index
  // expected-error @+1 {{expected both branches to use up the cursor equally often, got 1 and 0}}
  scf.if %k {
    %w, %cw = tile.enter write %ring[%c] : !turn -> !tile.slot<write>
    tile.exit %w : !tile.slot<write>
    %s, %cr = tile.enter read %ring[%c] : !turn -> !tile.slot<read>
    tile.exit %s : !tile.slot<read>
  }
  tile.return
}
