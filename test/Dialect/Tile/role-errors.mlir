// RUN: helios-opt --split-input-file --verify-diagnostics %s | FileCheck %s

// 13 and 14 for roles, which are tried out beside each other: each comes to its end, and no slot is left.

// CHECK-LABEL: @meet
// A role may count trips otherwise than the other: what is read first stands in front of the loop.
!pass = !tile.ring<2x(index), pass>
tile.program @meet(%n: index {tile.range = array<i64: 1, 4096>}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %steps = arith.ceildivui %n, %c64 : index
  %first = tile.id workgroup
  %all = tile.id workgroups
  %ring, %c = tile.ring : !pass
  tile.roles captures(%r = %ring, %k = %c, %s = %steps, %f = %first, %w = %all : !pass, !tile.cursor, index, index, index) {
    tile.role "load" lanes(32) {
      %z = arith.constant 0 : index
      %o = arith.constant 1 : index
      %e = scf.for %i = %z to %s step %o iter_args(%d = %k) -> (!tile.cursor) {
        %slot, %d1 = tile.enter write %r[%d] : !pass -> !tile.slot<write>
        tile.put %i into %slot[0] : index, !tile.slot<write>
        tile.exit %slot : !tile.slot<write>
        scf.yield %d1 : !tile.cursor
      }
    }
    tile.role "math" lanes(32) {
      %o = arith.constant 1 : index
      %slot0, %k1, %x0 = tile.enter read %r[%k] : !pass -> !tile.slot<read>, index
      tile.exit %slot0 : !tile.slot<read>
      %e = scf.for %i = %o to %s step %o iter_args(%d = %k1) -> (!tile.cursor) {
        %slot, %d1, %x = tile.enter read %r[%d] : !pass -> !tile.slot<read>, index
        tile.exit %slot : !tile.slot<read>
        scf.yield %d1 : !tile.cursor
      }
    }
  }
  tile.return
}

// -----

// The reading role takes one step more.
!turn = !tile.ring<2x(), pass>
tile.program @more(%n: index) {
  %ring, %c = tile.ring : !turn
  tile.roles captures(%r = %ring, %k = %c, %s = %n : !turn, !tile.cursor, index) {
    // expected-note @below {{this role has ended}}
    tile.role "load" lanes(32) {
      %z = arith.constant 0 : index
      %o = arith.constant 1 : index
      %e = scf.for %i = %z to %s step %o iter_args(%d = %k) -> (!tile.cursor) {
        %slot, %d1 = tile.enter write %r[%d] : !turn -> !tile.slot<write>
        tile.exit %slot : !tile.slot<write>
        scf.yield %d1 : !tile.cursor
      }
    }
    tile.role "math" lanes(32) {
      %z = arith.constant 0 : index
      %o = arith.constant 1 : index
      %end = arith.addi %s, %o : index
      %e = scf.for %i = %z to %end step %o iter_args(%d = %k) -> (!tile.cursor) {
        // expected-error @below {{waits for ever, with 1 for every size: expected one more slot to be written, got 1}}
        %slot, %d1 = tile.enter read %r[%d] : !turn -> !tile.slot<read>
        tile.exit %slot : !tile.slot<read>
        scf.yield %d1 : !tile.cursor
      }
    }
  }
  tile.return
}

// -----

// The writing role takes more steps than there are slots that anybody reads.
!turn = !tile.ring<2x(), pass>
tile.program @full(%n: index) {
  %ring, %c = tile.ring : !turn
  tile.roles captures(%r = %ring, %k = %c, %s = %n : !turn, !tile.cursor, index) {
    tile.role "load" lanes(32) {
      %z = arith.constant 0 : index
      %o = arith.constant 1 : index
      %e = scf.for %i = %z to %s step %o iter_args(%d = %k) -> (!tile.cursor) {
        // expected-error @below {{waits for ever, with 600 for every size: expected fewer than 2 slots of the ring in use, got 2, of which the reading side has exited 1 before}}
        %slot, %d1 = tile.enter write %r[%d] : !turn -> !tile.slot<write>
        tile.exit %slot : !tile.slot<write>
        scf.yield %d1 : !tile.cursor
      }
    }
    // expected-note @below {{this role has ended}}
    tile.role "math" lanes(32) {
      %slot, %d1 = tile.enter read %r[%k] : !turn -> !tile.slot<read>
      tile.exit %slot : !tile.slot<read>
    }
  }
  tile.return
}

// -----

!turn = !tile.ring<2x(), pass>
tile.program @left() {
  // expected-error @below {{expected every slot to be written, read and exited, with 1 for every size: got 1 written and not read, 1 entered to write and not given back}}
  %ring, %c = tile.ring : !turn
  tile.roles captures(%r = %ring, %k = %c : !turn, !tile.cursor) {
    tile.role "load" lanes(32) {
      %slot, %d1 = tile.enter write %r[%k] : !turn -> !tile.slot<write>
      tile.exit %slot : !tile.slot<write>
      %slot1, %d2 = tile.enter write %r[%d1] : !turn -> !tile.slot<write>
      tile.exit %slot1 : !tile.slot<write>
    }
    tile.role "math" lanes(32) {
      %slot, %d1 = tile.enter read %r[%k] : !turn -> !tile.slot<read>
      tile.exit %slot : !tile.slot<read>
    }
  }
  tile.return
}

// -----

// Two rings in opposite order: each role waits for the other.
!turn = !tile.ring<1x(), pass>
tile.program @crossed() {
  %p, %cp = tile.ring : !turn
  %q, %cq = tile.ring : !turn
  tile.roles captures(%a = %p, %ca = %cp, %b = %q, %cb = %cq : !turn, !tile.cursor, !turn, !tile.cursor) {
    tile.role "one" lanes(32) {
      // expected-error @below {{waits for ever, with 1 for every size: expected one more slot to be written, got 0}}
      %s, %x = tile.enter read %a[%ca] : !turn -> !tile.slot<read>
      tile.exit %s : !tile.slot<read>
      %w, %y = tile.enter write %b[%cb] : !turn -> !tile.slot<write>
      tile.exit %w : !tile.slot<write>
    }
    tile.role "two" lanes(32) {
      // expected-note @below {{another role waits here}}
      %s, %x = tile.enter read %b[%cb] : !turn -> !tile.slot<read>
      tile.exit %s : !tile.slot<read>
      %w, %y = tile.enter write %a[%ca] : !turn -> !tile.slot<write>
      tile.exit %w : !tile.slot<write>
    }
  }
  tile.return
}

// -----

// What is written into a slot stands in front of its exit.
!pass = !tile.ring<2x(index), pass>
tile.program @late(%n: index) {
  %ring, %c = tile.ring : !pass
  %w, %c1 = tile.enter write %ring[%c] : !pass -> !tile.slot<write>
  tile.exit %w : !tile.slot<write>
  // expected-error @below {{writes into a slot that is not held here; expected its exit after this}}
  tile.put %n into %w[0] : index, !tile.slot<write>
  %s, %d1, %x = tile.enter read %ring[%c] : !pass -> !tile.slot<read>, index
  tile.exit %s : !tile.slot<read>
  tile.return
}

// -----

!pass = !tile.ring<2x(index, f32), pass>
tile.program @half(%n: index) {
  %ring, %c = tile.ring : !pass
  // expected-error @below {{expected every part of the slot to be written, got neither tile.copy_in nor tile.put of #1, 'f32'}}
  %w, %c1 = tile.enter write %ring[%c] : !pass -> !tile.slot<write>
  tile.put %n into %w[0] : index, !tile.slot<write>
  tile.exit %w : !tile.slot<write>
  %s, %d1, %x, %y = tile.enter read %ring[%c] : !pass -> !tile.slot<read>, index, f32
  tile.exit %s : !tile.slot<read>
  tile.return
}

// -----

// The reading side goes on from the writing side's place, and drops its own.
!turn = !tile.ring<2x(), pass>
tile.program @others(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @below {{expected exactly one enter to read of this cursor on every path, got 2}}
  %ring, %c = tile.ring : !turn
  // expected-note @below {{used here}}
  %e:2 = scf.for %i = %c0 to %n step %c1 iter_args(%w = %c, %r = %c) -> (!tile.cursor, !tile.cursor) {
    %x, %w1 = tile.enter write %ring[%w] : !turn -> !tile.slot<write>
    tile.exit %x : !tile.slot<write>
    %y, %r1 = tile.enter read %ring[%w] : !turn -> !tile.slot<read>
    tile.exit %y : !tile.slot<read>
    scf.yield %w1, %r1 : !tile.cursor, !tile.cursor
  }
  tile.return
}

// -----

// One lane copies, but a role has as many lanes as multiply together; 384 lanes start with 168 registers each.
#mma = #ptx.wgmma<n = 64, f16, f16, f32>
#acc = #tile.acc<#mma, groups = [1, 1]>
// expected-error @below {{expected roles of at most 64512 registers, with which 384 lanes start, got 65536}}
tile.program @budget() attributes {target = #ptx.target<"sm_90a">} {
  tile.roles captures() {
    tile.role "load" lanes(1) regs(48) {
    }
    tile.role "math" replicas(2) regs(232) {
      %x = arith.constant dense<0.0> : tensor<64x64xf32, #acc>
    }
  }
  tile.return
}

// -----

// More steps than are tried: the first ones are judged, which end in no wait.
!turn = !tile.ring<2x(), pass>
tile.program @many(%n: index) {
  %ring, %c = tile.ring : !turn
  tile.roles captures(%r = %ring, %k = %c : !turn, !tile.cursor) {
    tile.role "load" lanes(32) {
      %z = arith.constant 0 : index
      %o = arith.constant 1 : index
      %to = arith.constant 100000 : index
      %e = scf.for %i = %z to %to step %o iter_args(%d = %k) -> (!tile.cursor) {
        %slot, %d1 = tile.enter write %r[%d] : !turn -> !tile.slot<write>
        tile.exit %slot : !tile.slot<write>
        scf.yield %d1 : !tile.cursor
      }
    }
    tile.role "math" lanes(32) {
      %z = arith.constant 0 : index
      %o = arith.constant 1 : index
      %to = arith.constant 100000 : index
      %e = scf.for %i = %z to %to step %o iter_args(%d = %k) -> (!tile.cursor) {
        %slot, %d1 = tile.enter read %r[%d] : !turn -> !tile.slot<read>
        tile.exit %slot : !tile.slot<read>
        scf.yield %d1 : !tile.cursor
      }
    }
  }
  tile.return
}

// -----

// Of so many, the reading role takes the first hundred.
!turn = !tile.ring<2x(), pass>
tile.program @manyTooMany(%n: index) {
  %ring, %c = tile.ring : !turn
  tile.roles captures(%r = %ring, %k = %c : !turn, !tile.cursor) {
    tile.role "load" lanes(32) {
      %z = arith.constant 0 : index
      %o = arith.constant 1 : index
      %to = arith.constant 100000 : index
      %e = scf.for %i = %z to %to step %o iter_args(%d = %k) -> (!tile.cursor) {
        // expected-error @below {{waits for ever, with 1 for every size: expected fewer than 2 slots of the ring in use, got 2, of which the reading side has exited 100 before}}
        %slot, %d1 = tile.enter write %r[%d] : !turn -> !tile.slot<write>
        tile.exit %slot : !tile.slot<write>
        scf.yield %d1 : !tile.cursor
      }
    }
    // expected-note @below {{this role has ended}}
    tile.role "math" lanes(32) {
      %z = arith.constant 0 : index
      %o = arith.constant 1 : index
      %to = arith.constant 100 : index
      %e = scf.for %i = %z to %to step %o iter_args(%d = %k) -> (!tile.cursor) {
        %slot, %d1 = tile.enter read %r[%d] : !turn -> !tile.slot<read>
        tile.exit %slot : !tile.slot<read>
        scf.yield %d1 : !tile.cursor
      }
    }
  }
  tile.return
}
