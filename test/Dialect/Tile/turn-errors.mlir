// RUN: helios-opt --split-input-file --verify-diagnostics %s

// Slots that one of several replicas reads are entered in its turn, and only such are passed over.

// -----

#s = #tile.shared<order = [1, 0], swizzle = 128>
!v = !tile.view<?x?xbf16, strides = [?, 1], div = [8, 1], align = 16>
!ring = !tile.ring<2x(tensor<64x64xbf16, #s>), load, copy = #ptx.bulk>
tile.program @p(%p: !tile.ptr<bf16>, %n: index {tile.div = 8 : index}) {
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<bf16> -> !v
  %ring, %c = tile.ring : !ring
  tile.roles captures(%ring = %ring, %c = %c, %v = %v, %n = %n : !ring, !tile.cursor, !v, index) {
    tile.role "load" lanes(1) {
      %w, %c1 = tile.enter write %ring[%c] : !ring -> !tile.slot<write>
      %t = tile.copy_in %v[%n, %n] into %w[0] : !v, !tile.slot<write>
      tile.exit %w after(%t : !tile.token) : !tile.slot<write>
    }
    tile.role "math" replicas(2) {
    ^bb0(%r: index):
      // expected-error @+1 {{waits for a slot that not every replica reads; expected it behind 'tile.turn take', or 2 readers, got 1}}
      %s, %c1, %a = tile.enter read %ring[%c] : !ring -> !tile.slot<read>, tensor<64x64xbf16, #s>
      tile.exit %s : !tile.slot<read>
    }
  }
  tile.return
}

// -----

#s = #tile.shared<order = [1, 0], swizzle = 128>
!v = !tile.view<?x?xbf16, strides = [?, 1], div = [8, 1], align = 16>
!ring = !tile.ring<2x(tensor<64x64xbf16, #s>), load, copy = #ptx.bulk>
tile.program @p(%p: !tile.ptr<bf16>, %n: index {tile.div = 8 : index}) {
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<bf16> -> !v
  %ring, %c = tile.ring : !ring
  tile.roles captures(%ring = %ring, %c = %c, %v = %v, %n = %n : !ring, !tile.cursor, !v, index) {
    tile.role "load" lanes(1) {
      %w, %c1 = tile.enter write %ring[%c] : !ring -> !tile.slot<write>
      %t = tile.copy_in %v[%n, %n] into %w[0] : !v, !tile.slot<write>
      tile.exit %w after(%t : !tile.token) : !tile.slot<write>
    }
    tile.role "math" replicas(2) {
    ^bb0(%r: index):
      tile.turn take
      tile.turn pass
      // expected-error @+1 {{waits for a slot that not every replica reads; expected it behind 'tile.turn take', or 2 readers, got 1}}
      %s, %c1, %a = tile.enter read %ring[%c] : !ring -> !tile.slot<read>, tensor<64x64xbf16, #s>
      tile.exit %s : !tile.slot<read>
    }
  }
  tile.return
}

// -----

#s = #tile.shared<order = [1, 0], swizzle = 128>
!v = !tile.view<?x?xbf16, strides = [?, 1], div = [8, 1], align = 16>
!ring = !tile.ring<2x(tensor<64x64xbf16, #s>), load, copy = #ptx.bulk>
tile.program @p(%p: !tile.ptr<bf16>, %n: index {tile.div = 8 : index}) {
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<bf16> -> !v
  %ring, %c = tile.ring : !ring
  tile.roles captures(%ring = %ring, %c = %c, %v = %v, %n = %n : !ring, !tile.cursor, !v, index) {
    tile.role "load" lanes(1) {
      %w, %c1 = tile.enter write %ring[%c] : !ring -> !tile.slot<write>
      %t = tile.copy_in %v[%n, %n] into %w[0] : !v, !tile.slot<write>
      tile.exit %w after(%t : !tile.token) : !tile.slot<write>
    }
    tile.role "math" replicas(2) {
    ^bb0(%r: index):
      tile.turn take
      %s, %c1, %a = tile.enter read %ring[%c] : !ring -> !tile.slot<read>, tensor<64x64xbf16, #s>
      tile.exit %s : !tile.slot<read>
      // expected-error @+1 {{takes a turn that the replica has; expected it to be passed on before}}
      tile.turn take
    }
  }
  tile.return
}

// -----

#s = #tile.shared<order = [1, 0], swizzle = 128>
!v = !tile.view<?x?xbf16, strides = [?, 1], div = [8, 1], align = 16>
!ring = !tile.ring<2x(tensor<64x64xbf16, #s>), load, copy = #ptx.bulk>
tile.program @p(%p: !tile.ptr<bf16>, %n: index {tile.div = 8 : index}) {
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<bf16> -> !v
  %ring, %c = tile.ring : !ring
  tile.roles captures(%ring = %ring, %c = %c, %v = %v, %n = %n : !ring, !tile.cursor, !v, index) {
    tile.role "load" lanes(1) {
      %w, %c1 = tile.enter write %ring[%c] : !ring -> !tile.slot<write>
      %t = tile.copy_in %v[%n, %n] into %w[0] : !v, !tile.slot<write>
      tile.exit %w after(%t : !tile.token) : !tile.slot<write>
    }
    tile.role "math" replicas(2) {
    ^bb0(%r: index):
      // expected-error @+1 {{passes on a turn that the replica does not have; expected it to be taken before}}
      tile.turn pass
      %s, %c1, %a = tile.enter read %ring[%c] : !ring -> !tile.slot<read>, tensor<64x64xbf16, #s>
      tile.exit %s : !tile.slot<read>
    }
  }
  tile.return
}

// -----

#s = #tile.shared<order = [1, 0], swizzle = 128>
!v = !tile.view<?x?xbf16, strides = [?, 1], div = [8, 1], align = 16>
!ring = !tile.ring<2x(tensor<64x64xbf16, #s>), load, copy = #ptx.bulk>
tile.program @p(%p: !tile.ptr<bf16>, %n: index {tile.div = 8 : index}) {
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<bf16> -> !v
  %ring, %c = tile.ring : !ring
  tile.roles captures(%ring = %ring, %c = %c, %v = %v, %n = %n : !ring, !tile.cursor, !v, index) {
    tile.role "load" lanes(1) {
      %w, %c1 = tile.enter write %ring[%c] : !ring -> !tile.slot<write>
      %t = tile.copy_in %v[%n, %n] into %w[0] : !v, !tile.slot<write>
      tile.exit %w after(%t : !tile.token) : !tile.slot<write>
    }
    // expected-error @+1 {{expected the turn to be passed on before the end of the role}}
    tile.role "math" replicas(2) {
    ^bb0(%r: index):
      tile.turn take
      %s, %c1, %a = tile.enter read %ring[%c] : !ring -> !tile.slot<read>, tensor<64x64xbf16, #s>
      tile.exit %s : !tile.slot<read>
    }
  }
  tile.return
}

// -----

#s = #tile.shared<order = [1, 0], swizzle = 128>
!v = !tile.view<?x?xbf16, strides = [?, 1], div = [8, 1], align = 16>
!ring = !tile.ring<2x(tensor<64x64xbf16, #s>), load, copy = #ptx.bulk>
tile.program @p(%p: !tile.ptr<bf16>, %n: index {tile.div = 8 : index}) {
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<bf16> -> !v
  %ring, %c = tile.ring : !ring
  tile.roles captures(%ring = %ring, %c = %c, %v = %v, %n = %n : !ring, !tile.cursor, !v, index) {
    tile.role "load" lanes(1) {
      %w, %c1 = tile.enter write %ring[%c] : !ring -> !tile.slot<write>
      %t = tile.copy_in %v[%n, %n] into %w[0] : !v, !tile.slot<write>
      tile.exit %w after(%t : !tile.token) : !tile.slot<write>
    }
    tile.role "math" replicas(2) {
    ^bb0(%r: index):
      %z = arith.constant 0 : index
      %o = arith.constant 1 : index
      // expected-error @+1 {{expected an iteration to have the turn at its end as at its start}}
      scf.for %i = %z to %n step %o {
        tile.turn take
      }
      %s, %c1, %a = tile.enter read %ring[%c] : !ring -> !tile.slot<read>, tensor<64x64xbf16, #s>
      tile.exit %s : !tile.slot<read>
    }
  }
  tile.return
}

// -----

#s = #tile.shared<order = [1, 0], swizzle = 128>
!v = !tile.view<?x?xbf16, strides = [?, 1], div = [8, 1], align = 16>
!ring = !tile.ring<2x(tensor<64x64xbf16, #s>), load, copy = #ptx.bulk, readers = 2>
tile.program @p(%p: !tile.ptr<bf16>, %n: index {tile.div = 8 : index}) {
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<bf16> -> !v
  %ring, %c = tile.ring : !ring
  tile.roles captures(%ring = %ring, %c = %c, %v = %v, %n = %n : !ring, !tile.cursor, !v, index) {
    tile.role "load" lanes(1) {
      %w, %c1 = tile.enter write %ring[%c] : !ring -> !tile.slot<write>
      %t = tile.copy_in %v[%n, %n] into %w[0] : !v, !tile.slot<write>
      tile.exit %w after(%t : !tile.token) : !tile.slot<write>
    }
    tile.role "math" replicas(2) {
    ^bb0(%r: index):
      // expected-error @+1 {{passes over slots that nobody else reads; expected the reading side of a ring with fewer readers than its role has replicas, got '!tile.ring<2x}}
      %d = tile.advance %c by %n
      %s, %c1, %a = tile.enter read %ring[%d] : !ring -> !tile.slot<read>, tensor<64x64xbf16, #s>
      tile.exit %s : !tile.slot<read>
    }
  }
  tile.return
}

// -----

tile.program @p() {
  // expected-error @+1 {{expected a role of at least 2 replicas, among which the turn goes around}}
  tile.turn take
  tile.return
}
