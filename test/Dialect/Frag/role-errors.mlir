// RUN: helios-opt --split-input-file --verify-diagnostics %s

// Roles beside each other: registers, shared memory, rings.

// 384 threads of 168 registers start; 640 are left in the file, and nobody can have them.
// expected-error @below {{expected the roles' registers to add up to at most 64512, with which 384 threads of 168 start, got 65536}}
frag.kernel @budget() attributes {threads = 384 : i64, regs = 168 : i64, target = #ptx.target<"sm_90a">} {
  frag.role lanes(0 to 128) regs(32) {
  }
  frag.role lanes(128 to 384) regs(240) {
  }
  frag.return
}

// -----

// A role without a budget keeps what it has, and so do lanes without a role.
// expected-error @below {{expected the roles' registers to add up to at most 64512, with which 384 threads of 168 start, got 65536}}
frag.kernel @rest() attributes {threads = 384 : i64, regs = 168 : i64, target = #ptx.target<"sm_90a">} {
  frag.role lanes(128 to 256) regs(176) {
  }
  frag.return
}

// -----

// expected-error @below {{expected 512 threads of at most 128 registers, which the file of sm_90a holds, got 'regs' of 168}}
frag.kernel @file() attributes {threads = 512 : i64, regs = 168 : i64, target = #ptx.target<"sm_90a">} {
  frag.return
}

// -----

#mma = #ptx.wgmma<n = 256, f16, f16, f32>
#acc = #tile.acc<#mma, groups = [1, 1]>
#s = #tile.shared<order = [1, 0], swizzle = 128>
!acc = !frag.f<64x256xf32, #acc>
frag.kernel @fits(%n: index) attributes {threads = 128 : i64, regs = 255 : i64, shared_bytes = 65536 : i64, target = #ptx.target<"sm_90a">} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f32
  %a = frag.splat %z : f32 -> !acc
  // expected-error @below {{needs 256 registers of a lane for its results, but target 'sm_90a' has 255; use a smaller tile or more lanes}}
  %x:2 = scf.for %i = %c0 to %n step %c1 iter_args(%p = %a, %q = %a) -> (!acc, !acc) {
    scf.yield %q, %p : !acc, !acc
  }
  frag.return
}

// -----

#mma = #ptx.wgmma<n = 256, f16, f16, f32>
#acc = #tile.acc<#mma, groups = [1, 1]>
#s = #tile.shared<order = [1, 0], swizzle = 128>
!acc = !frag.f<64x256xf32, #acc>
!m = !frag.mem<64x64xf16, #s>
!n = !frag.mem<256x64xf16, #s>
!fly = !frag.inflight<!frag.f<64x256xf32, #acc>>
!tok = !frag.token<"wgmma">
frag.kernel @role_fits() attributes {threads = 128 : i64, regs = 128 : i64, shared_bytes = 65536 : i64, target = #ptx.target<"sm_90a">} {
  %a = frag.shared 0 : !m
  %b = frag.shared 8192 : !n
  frag.role lanes(0 to 128) regs(96) {
    // expected-error @below {{needs 128 registers of a lane for its results, but target 'sm_90a' has 96, the role's budget; use a smaller tile or more lanes}}
    %d, %t = frag.mma_start #mma %a, %b trans : !m, !n -> !fly, !tok
    %x = frag.await %t (%d : !fly) : !tok -> !acc
  }
  frag.return
}

// -----

#regs = #tile.regs<vec = [1, 8], lanes = [8, 4], groups = [1, 1]>
#s = #tile.shared<order = [1, 0]>
!m = !frag.mem<8x32xf16, #s>
frag.kernel @tile_of_two() attributes {threads = 64 : i64, shared_bytes = 512 : i64} {
  %c0 = arith.constant 0 : index
  %m = frag.shared 0 : !m
  // expected-note @below {{this role uses it too}}
  frag.role lanes(0 to 32) {
    %x = frag.read %m[%c0, %c0] : !m -> !frag.f<8x32xf16, #regs>
  }
  frag.role lanes(32 to 64) {
    // expected-error @below {{expected a tile that one role uses, got one that two share; pass it through a ring}}
    %x = frag.read %m[%c0, %c0] : !m -> !frag.f<8x32xf16, #regs>
  }
  frag.return
}

// -----

!turn = !frag.ring<!tile.ring<2x(), pass>>
frag.kernel @more(%n: index) attributes {threads = 64 : i64, shared_bytes = 64 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %first = arith.constant 0 : i32
  %r = frag.shared 0 barriers 0 : !turn
  // expected-note @below {{this role has ended}}
  frag.role lanes(0 to 32) {
    %w, %d = frag.acquire write %r[%first] : !turn
    frag.release %w
  }
  frag.role lanes(32 to 64) {
    %e = scf.for %i = %c0 to %n step %c1 iter_args(%d = %first) -> (i32) {
      // expected-error @below {{waits for ever, with 600 for every size: expected one more slot to be written, got 1}}
      %s, %d1 = frag.acquire read %r[%d] : !turn
      frag.release %s
      scf.yield %d1 : i32
    }
  }
  frag.return
}
