// RUN: helios-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(tile.program(tile-allocate-shared))' | FileCheck %s

#r = #tile.regs<vec = [1, 8], lanes = [4, 2], groups = [1, 1]>
#s = #tile.shared<order = [1, 0], pad = 8>
!v = !tile.view<?x?xf16, strides = [?, 1]>
// CHECK: @reuse
// CHECK-SAME: shared_bytes = 1536 : i64
tile.program @reuse(%p: !tile.ptr<f16>, %n: index) {
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f16> -> !v
  %x = tile.load %v[%n, %n] : !v -> tensor<16x16xf16, #r>
  // Two that live together, 16 rows of 24 elements each.
  // CHECK: tile.convert_layout {{.*}} {tile.offset = 0 : i64}
  %a = tile.convert_layout %x : tensor<16x16xf16, #r> -> tensor<16x16xf16, #s>
  // CHECK: tile.convert_layout {{.*}} {tile.offset = 768 : i64}
  %b = tile.convert_layout %x : tensor<16x16xf16, #r> -> tensor<16x16xf16, #s>
  %c = tile.convert_layout %a : tensor<16x16xf16, #s> -> tensor<16x16xf16, #r>
  // The first is dead, its bytes serve again.
  // CHECK: tile.convert_layout {{.*}} {tile.offset = 0 : i64}
  %d = tile.convert_layout %c : tensor<16x16xf16, #r> -> tensor<16x16xf16, #s>
  %e = tile.convert_layout %d : tensor<16x16xf16, #s> -> tensor<16x16xf16, #r>
  %f = tile.convert_layout %b : tensor<16x16xf16, #s> -> tensor<16x16xf16, #r>
  tile.store %e, %v[%n, %n] : tensor<16x16xf16, #r>, !v
  tile.store %f, %v[%n, %n] : tensor<16x16xf16, #r>, !v
  tile.return
}

// CHECK: @loop
// CHECK-SAME: shared_bytes = 1536 : i64
// Read inside the loop, written before it: it lives to the loop's end.
tile.program @loop(%p: !tile.ptr<f16>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f16> -> !v
  %x = tile.load %v[%n, %n] : !v -> tensor<16x16xf16, #r>
  %a = tile.convert_layout %x : tensor<16x16xf16, #r> -> tensor<16x16xf16, #s>
  scf.for %k = %c0 to %n step %c1 {
    %c = tile.convert_layout %a : tensor<16x16xf16, #s> -> tensor<16x16xf16, #r>
    %d = tile.convert_layout %c : tensor<16x16xf16, #r> -> tensor<16x16xf16, #s>
    %e = tile.convert_layout %d : tensor<16x16xf16, #s> -> tensor<16x16xf16, #r>
    tile.store %e, %v[%k, %n] : tensor<16x16xf16, #r>, !v
  }
  tile.return
}

// -----

#r = #tile.regs<vec = [1, 8], lanes = [4, 2], groups = [1, 1]>
#s = #tile.shared<order = [1, 0]>
!v = !tile.view<?x?xf16, strides = [?, 1]>
// expected-error @+1 {{needs 65536 bytes of shared memory, but target 'lavapipe' has 32768; use a smaller tile, fewer slots or epilogue_rows}}
tile.program @too_much(%p: !tile.ptr<f16>, %n: index) attributes {target = #spv.target<"lavapipe">} {
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f16> -> !v
  %x = tile.load %v[%n, %n] : !v -> tensor<256x128xf16, #r>
  // expected-note @+1 {{this layout change takes 65536}}
  %a = tile.convert_layout %x : tensor<256x128xf16, #r> -> tensor<256x128xf16, #s>
  %b = tile.convert_layout %a : tensor<256x128xf16, #s> -> tensor<256x128xf16, #r>
  tile.store %b, %v[%n, %n] : tensor<256x128xf16, #r>, !v
  tile.return
}

// -----

// Slots of a ring lie one after the other, at whole swizzle atoms; a dead ring's bytes serve again. Without roles, copies that
// complete in groups need no barriers.
#r = #tile.regs<vec = [1, 8], lanes = [8, 4], groups = [1, 1]>
#s = #tile.shared<order = [1, 0], swizzle = 64>
#p = #tile.shared<order = [1, 0], pad = 8>
!v = !tile.view<?x?xbf16, strides = [?, 1], div = [8, 1], align = 16>
!ring = !tile.ring<3x(tensor<32x32xbf16, #s>, tensor<16x32xbf16, #s>), load, copy = #ptx.async16>
// CHECK: @groups
// CHECK-SAME: shared_bytes = 9216 : i64
tile.program @groups(%p: !tile.ptr<bf16>, %n: index {tile.div = 8 : index}) {
  %c0 = arith.constant 0 : index
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<bf16> -> !v
  // CHECK: tile.ring {tile.offset = 0 : i64}
  %ring, %c = tile.ring : !ring
  %w, %c1 = tile.enter write %ring[%c] : !ring -> !tile.slot<write>
  %t = tile.copy_in %v[%c0, %c0] into %w[0] : !v, !tile.slot<write>
  %u = tile.copy_in %v[%c0, %c0] into %w[1] : !v, !tile.slot<write>
  tile.exit %w after(%t, %u : !tile.token, !tile.token) : !tile.slot<write>
  %s, %c2, %a, %b = tile.enter read %ring[%c] : !ring -> !tile.slot<read>, tensor<32x32xbf16, #s>, tensor<16x32xbf16, #s>
  %x = tile.convert_layout %a : tensor<32x32xbf16, #s> -> tensor<32x32xbf16, #r>
  tile.exit %s after(%x : tensor<32x32xbf16, #r>) : !tile.slot<read>
  // CHECK: tile.convert_layout {{.*}} {tile.offset = 0 : i64}
  %y = tile.convert_layout %x : tensor<32x32xbf16, #r> -> tensor<32x32xbf16, #p>
  %z = tile.convert_layout %y : tensor<32x32xbf16, #p> -> tensor<32x32xbf16, #r>
  tile.store %z, %v[%c0, %c0] : tensor<32x32xbf16, #r>, !v
  tile.return
}

// -----

// Rings of roles, scratch of each replica, then barriers where a copy counts its bytes.
#r = #tile.regs<vec = [1, 8], lanes = [8, 4], groups = [1, 1]>
#s = #tile.shared<order = [1, 0], swizzle = 64>
#p = #tile.shared<order = [1, 0], pad = 8>
!v = !tile.view<?x?xbf16, strides = [?, 1], div = [8, 1], align = 16>
!ring = !tile.ring<2x(tensor<32x32xbf16, #s>), load, copy = #ptx.bulk, readers = 2>
!out = !tile.ring<1x(tensor<32x32xbf16, #s>), store, copy = #ptx.bulk, scope = replica>
// CHECK: @roles
// CHECK-SAME: shared_bytes = 13344 : i64
tile.program @roles(%p: !tile.ptr<bf16>, %n: index {tile.div = 8 : index}) {
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<bf16> -> !v
  // CHECK: tile.ring {tile.barriers = 13312 : i64, tile.offset = 5120 : i64}
  %ring, %c = tile.ring : !ring
  tile.roles captures(%v = %v, %ring = %ring, %c = %c : !v, !ring, !tile.cursor) {
    tile.role "load" lanes(1) {
      %c0 = arith.constant 0 : index
      %w, %c1 = tile.enter write %ring[%c] : !ring -> !tile.slot<write>
      %t = tile.copy_in %v[%c0, %c0] into %w[0] : !v, !tile.slot<write>
      tile.exit %w after(%t : !tile.token) : !tile.slot<write>
    }
    tile.role "math" replicas(2) {
    ^bb0(%i: index):
      %c0 = arith.constant 0 : index
      // CHECK: tile.ring {tile.offset = 9216 : i64}
      %out, %q = tile.ring : !out
      %s, %c2, %a = tile.enter read %ring[%c] : !ring -> !tile.slot<read>, tensor<32x32xbf16, #s>
      %x = tile.convert_layout %a : tensor<32x32xbf16, #s> -> tensor<32x32xbf16, #r>
      tile.exit %s after(%x : tensor<32x32xbf16, #r>) : !tile.slot<read>
      // CHECK: tile.convert_layout {{.*}} {tile.offset = 0 : i64, tile.replica_stride = 2560 : i64}
      %y = tile.convert_layout %x : tensor<32x32xbf16, #r> -> tensor<32x32xbf16, #p>
      %z = tile.convert_layout %y : tensor<32x32xbf16, #p> -> tensor<32x32xbf16, #r>
      %w, %q1 = tile.enter write %out[%q] : !out -> !tile.slot<write>
      tile.put %z into %w[0] : tensor<32x32xbf16, #r>, !tile.slot<write>
      tile.exit %w : !tile.slot<write>
      %o, %q2, %d = tile.enter read %out[%q] : !out -> !tile.slot<read>, tensor<32x32xbf16, #s>
      %t = tile.copy_out %d to %v[%c0, %c0] : tensor<32x32xbf16, #s>, !v
      tile.exit %o after(%t : !tile.token) : !tile.slot<read>
    }
  }
  tile.return
}

// -----

#s = #tile.shared<order = [1, 0], swizzle = 128>
!v = !tile.view<?x?xbf16, strides = [?, 1], div = [8, 1], align = 16>
!ring = !tile.ring<2x(tensor<4x64xbf16, #s>, tensor<64x64xbf16, #s>), load, copy = #ptx.async16>
tile.program @unaligned(%p: !tile.ptr<bf16>, %n: index {tile.div = 8 : index}) {
  // expected-error @+1 {{expected its slot's 'tensor<64x64xbf16, #tile.shared<order = [1, 0], swizzle = 128>>' at a multiple of 1024 bytes, got it at 512; put the wider tiles first}}
  %ring, %c = tile.ring : !ring
  tile.return
}

// -----

#s = #tile.shared<order = [1, 0], swizzle = 128>
!ring = !tile.ring<2x(tensor<4x64xbf16, #s>), load, copy = #ptx.async16>
tile.program @unaligned_slot() {
  // expected-error @+1 {{expected slots of a multiple of 1024 bytes, got 512}}
  %ring, %c = tile.ring : !ring
  tile.return
}

// -----

#r = #tile.regs<vec = [1, 8], lanes = [4, 2], groups = [1, 1]>
#s = #tile.shared<order = [1, 0], pad = 8>
!v = !tile.view<?x?xf16, strides = [?, 1]>
// What a loop carries, and what it carries on in its place, have the same bytes in all trips; what is written and read in between others.
// CHECK: @carried
// CHECK-SAME: shared_bytes = 1536 : i64
tile.program @carried(%p: !tile.ptr<f16>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f16> -> !v
  %x = tile.load %v[%n, %n] : !v -> tensor<16x16xf16, #r>
  // CHECK: tile.convert_layout {{.*}} {tile.offset = 0 : i64}
  %a = tile.convert_layout %x : tensor<16x16xf16, #r> -> tensor<16x16xf16, #s>
  // CHECK: scf.for
  %last = scf.for %k = %c0 to %n step %c1 iter_args(%s = %a) -> (tensor<16x16xf16, #s>) {
    // CHECK: tile.convert_layout {{.*}} {tile.offset = 768 : i64}
    %b = tile.convert_layout %x : tensor<16x16xf16, #r> -> tensor<16x16xf16, #s>
    %c = tile.convert_layout %s : tensor<16x16xf16, #s> -> tensor<16x16xf16, #r>
    tile.store %c, %v[%k, %n] : tensor<16x16xf16, #r>, !v
    // CHECK: tile.convert_layout {{.*}} {tile.offset = 0 : i64}
    %d = tile.convert_layout %x : tensor<16x16xf16, #r> -> tensor<16x16xf16, #s>
    %e = tile.convert_layout %b : tensor<16x16xf16, #s> -> tensor<16x16xf16, #r>
    tile.store %e, %v[%k, %n] : tensor<16x16xf16, #r>, !v
    scf.yield %d : tensor<16x16xf16, #s>
  }
  // Read behind the loop too: these bytes are not free before.
  // CHECK: tile.convert_layout {{.*}} {tile.offset = 768 : i64}
  %f = tile.convert_layout %x : tensor<16x16xf16, #r> -> tensor<16x16xf16, #s>
  %g = tile.convert_layout %last : tensor<16x16xf16, #s> -> tensor<16x16xf16, #r>
  %h = tile.convert_layout %f : tensor<16x16xf16, #s> -> tensor<16x16xf16, #r>
  tile.store %g, %v[%n, %n] : tensor<16x16xf16, #r>, !v
  tile.store %h, %v[%n, %n] : tensor<16x16xf16, #r>, !v
  tile.return
}

// -----

#r = #tile.regs<vec = [1, 8], lanes = [4, 2], groups = [1, 1]>
#s = #tile.shared<order = [1, 0], pad = 8>
!v = !tile.view<?x?xf16, strides = [?, 1]>
tile.program @one_place(%p: !tile.ptr<f16>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f16> -> !v
  %x = tile.load %v[%n, %n] : !v -> tensor<16x16xf16, #r>
  %a = tile.convert_layout %x : tensor<16x16xf16, #r> -> tensor<16x16xf16, #s>
  scf.for %k = %c0 to %n step %c1 iter_args(%s = %a) -> (tensor<16x16xf16, #s>) {
    %b = tile.convert_layout %x : tensor<16x16xf16, #r> -> tensor<16x16xf16, #s>
    // expected-error @+1 {{reads a tile in shared memory that the loop carries, when the next one may be in its place; run tile-alternate-buffers first}}
    %c = tile.convert_layout %s : tensor<16x16xf16, #s> -> tensor<16x16xf16, #r>
    tile.store %c, %v[%k, %n] : tensor<16x16xf16, #r>, !v
    scf.yield %b : tensor<16x16xf16, #s>
  }
  tile.return
}

// -----

#r = #tile.regs<vec = [1, 8], lanes = [4, 2], groups = [1, 1]>
#s = #tile.shared<order = [1, 0], pad = 8>
tile.program @kept(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %x = arith.constant dense<0.0> : tensor<16x16xf16, #r>
  %a = tile.convert_layout %x : tensor<16x16xf16, #r> -> tensor<16x16xf16, #s>
  %b = tile.convert_layout %x : tensor<16x16xf16, #r> -> tensor<16x16xf16, #s>
  // expected-error @+1 {{carries a tile in shared memory that is not written in its body; use a ring}}
  scf.for %k = %c0 to %n step %c1 iter_args(%s = %a) -> (tensor<16x16xf16, #s>) {
    scf.yield %b : tensor<16x16xf16, #s>
  }
  tile.return
}

// -----

#s = #tile.shared<order = [1, 0], swizzle = 32>
#w = #tile.shared<order = [1, 0]>
!ring = !tile.ring<2x(tensor<16x16xbf16, #s>, tensor<32x16xi8, #w>, tensor<16x16xbf16, #s>), load, copy = #ptx.async16>
// A swizzle of 32 bytes repeats after 256: tiles of 512 follow each other.
// CHECK-LABEL: @narrow_swizzle
// CHECK-SAME: 3072
tile.program @narrow_swizzle() {
  %ring, %c = tile.ring : !ring
  tile.return
}

// -----

#r = #tile.regs<vec = [1, 8], lanes = [4, 4], groups = [1, 1]>
#s = #tile.shared<order = [1, 0]>
#p = #tile.shared<order = [1, 0], pad = 8>
!v = !tile.view<?x?xbf16, strides = [?, 1], div = [8, 1], align = 16>
!out = !tile.ring<1x(tensor<4x32xbf16, #s>), store, copy = #ptx.bulk, scope = replica>
// What an engine copies begins at a multiple of 128 bytes, swizzled or not: 832 are before it.
// CHECK: @engine
tile.program @engine(%p: !tile.ptr<bf16>, %n: index {tile.div = 8 : index}) {
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<bf16> -> !v
  tile.roles captures(%v = %v : !v) {
    tile.role "math" replicas(1) {
    ^bb0(%i: index):
      %c0 = arith.constant 0 : index
      // CHECK: tile.ring {tile.offset = 896 : i64}
      %out, %q = tile.ring : !out
      %x = arith.constant dense<1.0> : tensor<4x96xbf16, #r>
      %y = tile.convert_layout %x : tensor<4x96xbf16, #r> -> tensor<4x96xbf16, #p>
      %z = tile.convert_layout %y : tensor<4x96xbf16, #p> -> tensor<4x96xbf16, #r>
      tile.store %z, %v[%c0, %c0] : tensor<4x96xbf16, #r>, !v
      %a = arith.constant dense<1.0> : tensor<4x32xbf16, #r>
      %w, %q1 = tile.enter write %out[%q] : !out -> !tile.slot<write>
      tile.put %a into %w[0] : tensor<4x32xbf16, #r>, !tile.slot<write>
      tile.exit %w : !tile.slot<write>
      %o, %q2, %d = tile.enter read %out[%q] : !out -> !tile.slot<read>, tensor<4x32xbf16, #s>
      %t = tile.copy_out %d to %v[%c0, %c0] : tensor<4x32xbf16, #s>, !v
      tile.exit %o after(%t : !tile.token) : !tile.slot<read>
    }
  }
  tile.return
}
