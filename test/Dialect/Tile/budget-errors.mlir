// RUN: helios-opt --split-input-file --verify-diagnostics %s

// Invariant 15: rings fit into shared memory, roles into the registers and lanes of the target.

// -----

// expected-error @+3 {{expected rings of at most 101376 bytes, the shared memory of sm_89, got 131072}}
#s = #tile.shared<order = [1, 0], swizzle = 128>
!ring = !tile.ring<8x(tensor<128x64xf16, #s>), pass>
tile.program @p() attributes {target = #ptx.target<"sm_89">} {
  %r, %c = tile.ring : !ring
  tile.return
}

// -----

// Each replica has its own.
// expected-error @+3 {{expected rings of at most 101376 bytes, the shared memory of sm_89, got 131072}}
#s = #tile.shared<order = [1, 0], swizzle = 128>
!ring = !tile.ring<4x(tensor<128x64xf16, #s>), pass, scope = replica>
tile.program @p() attributes {target = #ptx.target<"sm_89">} {
  tile.roles captures() {
    tile.role "x" replicas(2) {
      %r, %c = tile.ring : !ring
    }
  }
  tile.return
}

// -----

// expected-error @+1 {{expected roles of at most 65536 registers, those of sm_90a, got 71680}}
tile.program @p() attributes {target = #ptx.target<"sm_90a">} {
  tile.roles captures() {
    tile.role "x" lanes(128) regs(80) {
    }
    tile.role "y" lanes(256) regs(240) {
    }
  }
  tile.return
}

// -----

// expected-error @+1 {{expected roles of at most 1024 lanes, the limit of sm_90a, got 1152}}
tile.program @p() attributes {target = #ptx.target<"sm_90a">} {
  tile.roles captures() {
    tile.role "x" lanes(1024) regs(24) {
    }
    tile.role "y" lanes(128) regs(24) {
    }
  }
  tile.return
}

// -----

// The lanes of a role are those of its tiles.
tile.program @p() {
  tile.roles captures() {
    tile.role "x" lanes(64) {
      // expected-error @+1 {{expected tiles over the 64 lanes of role "x", got 32 of #tile.regs<vec = [1, 8], lanes = [8, 4], groups = [1, 1]>}}
      %t = arith.constant dense<0.0> : tensor<8x32xf16, #tile.regs<vec = [1, 8], lanes = [8, 4], groups = [1, 1]>>
    }
  }
  tile.return
}

// -----

// expected-error @+1 {{expected clusters of at most 8 workgroups, the limit of sm_90a, got 16}}
tile.program @p() attributes {target = #ptx.target<"sm_90a">, config = #tile.config<groups = [2, 1], cluster = [4, 4]>} {
  tile.return
}

// -----

// expected-error @+1 {{expected clusters of at most 1 workgroups, the limit of sm_89, got 2}}
tile.program @p() attributes {target = #ptx.target<"sm_89">, config = #tile.config<groups = [2, 1], cluster = [2, 1]>} {
  tile.return
}

// -----

tile.program @other_cluster(%n: index) attributes {config = #tile.config<groups = [2, 1], cluster = [2, 1]>} {
  // expected-error @+1 {{expected a place in the program's cluster of 2 workgroups, got one of 4}}
  %r = tile.rank 0 of [2, 2]
  tile.return
}

// -----

tile.program @two_clusters(%n: index) attributes {config = #tile.config<groups = [2, 1], cluster = [2, 1]>} {
  // expected-note @+1 {{this is the other}}
  %r = tile.rank 0 of [2, 1]
  // expected-error @+1 {{expected a place in one cluster everywhere, of array<i64: 2, 1> workgroups, got array<i64: 1, 2, 1>}}
  %s = tile.rank 1 of [1, 2, 1]
  tile.return
}
