// RUN: helios-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(tile-distribute)'

#s = #tile.shared<order = [1, 0]>
tile.program @unplaced() {
  // expected-error @+1 {{expected a place in shared memory; run tile-allocate-shared first}}
  %ring, %c = tile.ring : !tile.ring<2x(tensor<64x64xbf16, #s>), load, copy = #ptx.async16>
  tile.return
}

// -----

#s = #tile.shared<order = [1, 0]>
#r = #tile.regs<vec = [1, 8], lanes = [8, 8], groups = [1, 1]>
!v = !tile.view<?x?xbf16, strides = [?, 1], div = [8, 1], align = 16>
!ring = !tile.ring<2x(tensor<64x64xbf16, #s>), pass>
tile.program @engine(%p: !tile.ptr<bf16>, %n: index {tile.div = 8 : index}) {
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<bf16> -> !v
  %ring, %c = tile.ring {tile.offset = 0 : i64} : !ring
  %w, %c1 = tile.enter write %ring[%c] : !ring -> !tile.slot<write>
  // expected-error @+1 {{expected a ring with a copy engine, got '!tile.ring<2x(tensor<64x64xbf16, #tile.shared<order = [1, 0]>>), pass>'}}
  %t = tile.copy_in %v[%n, %n] into %w[0] : !v, !tile.slot<write>
  tile.exit %w after(%t : !tile.token) : !tile.slot<write>
  %s, %c2, %a = tile.enter read %ring[%c] : !ring -> !tile.slot<read>, tensor<64x64xbf16, #s>
  tile.exit %s : !tile.slot<read>
  tile.return
}

// -----

#s = #tile.shared<order = [1, 0]>
#r = #tile.regs<vec = [1, 8], lanes = [8, 8], groups = [1, 1]>
!v = !tile.view<?x?xbf16, strides = [?, 1], div = [8, 1], align = 16>
tile.program @out(%p: !tile.ptr<bf16>, %n: index {tile.div = 8 : index}) {
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<bf16> -> !v
  %x = tile.load %v[%n, %n] : !v -> tensor<64x64xbf16, #r>
  %y = tile.convert_layout %x {tile.offset = 0 : i64} : tensor<64x64xbf16, #r> -> tensor<64x64xbf16, #s>
  // expected-error @+1 {{expected a tile of a ring with a copy engine, as it lies in its slot}}
  %t = tile.copy_out %y to %v[%n, %n] : tensor<64x64xbf16, #s>, !v
  tile.return
}

// -----

#s = #tile.shared<order = [1, 0]>
#r = #tile.regs<vec = [1, 8], lanes = [8, 8], groups = [1, 1]>
!v = !tile.view<?x?xbf16, strides = [?, 1], div = [8, 1], align = 16>
tile.program @part(%p: !tile.ptr<bf16>, %n: index {tile.div = 8 : index}) attributes {shared_bytes = 8192 : i64} {
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<bf16> -> !v
  %x = tile.load %v[%n, %n] : !v -> tensor<64x64xbf16, #r>
  %y = tile.convert_layout %x {tile.offset = 0 : i64} : tensor<64x64xbf16, #r> -> tensor<64x64xbf16, #s>
  // expected-error @+1 {{of shared memory outside of a ring is not lowered; slice before the layout change}}
  %z = tile.slice %y [0, 0] : tensor<64x64xbf16, #s> -> tensor<32x64xbf16, #s>
  tile.return
}

// -----

#s = #tile.shared<order = [1, 0]>
#t = #tile.shared<order = [0, 1]>
#r = #tile.regs<vec = [1, 8], lanes = [8, 8], groups = [1, 1]>
!v = !tile.view<?x?xbf16, strides = [?, 1], div = [8, 1], align = 16>
!ring = !tile.ring<2x(tensor<64x64xbf16, #s>), load, copy = #ptx.async16>
tile.program @turned(%p: !tile.ptr<bf16>, %n: index {tile.div = 8 : index}) attributes {shared_bytes = 16384 : i64} {
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<bf16> -> !v
  %ring, %c = tile.ring {tile.offset = 0 : i64} : !ring
  %w, %c1 = tile.enter write %ring[%c] : !ring -> !tile.slot<write>
  %u = tile.copy_in %v[%n, %n] into %w[0] : !v, !tile.slot<write>
  tile.exit %w after(%u : !tile.token) : !tile.slot<write>
  %s, %c2, %a = tile.enter read %ring[%c] : !ring -> !tile.slot<read>, tensor<64x64xbf16, #s>
  %b = tile.transpose %a : tensor<64x64xbf16, #s> -> tensor<64x64xbf16, #t>
  // expected-error @+1 {{of a transposed tile in a ring is not lowered; slice before the transpose}}
  %z = tile.slice %b [0, 0] : tensor<64x64xbf16, #t> -> tensor<32x64xbf16, #t>
  %x = tile.convert_layout %z : tensor<32x64xbf16, #t> -> tensor<32x64xbf16, #r>
  tile.exit %s after(%x : tensor<32x64xbf16, #r>) : !tile.slot<read>
  tile.return
}

// -----

#m = #ptx.wgmma<n = 64, bf16, bf16, f32>
#acc = #tile.acc<#m, groups = [1, 1]>
#s = #tile.shared<order = [1, 0], swizzle = 128>
!v = !tile.view<?x?xf32, strides = [?, 1]>
!vb = !tile.view<?x?xbf16, strides = [?, 1]>
tile.program @scratch(%p: !tile.ptr<f32>, %q: !tile.ptr<bf16>, %n: index) attributes {shared_bytes = 8192 : i64} {
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f32> -> !v
  %u = tile.view %q[%n, %n] strides [%n] : !tile.ptr<bf16> -> !vb
  %x = tile.load %u[%n, %n] : !vb -> tensor<64x64xbf16, #acc>
  %a = tile.convert_layout %x {tile.offset = 0 : i64} : tensor<64x64xbf16, #acc> -> tensor<64x64xbf16, #s>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #acc>
  // expected-error @+1 {{is asynchronous and reads shared memory outside of a ring, where nothing says when it may be written again; pass the tile through a ring}}
  %d = tile.dot %a, %a, %zero mma(#m) : tensor<64x64xbf16, #s>, tensor<64x64xbf16, #s>, tensor<64x64xf32, #acc>
  tile.store %d, %v[%n, %n] : tensor<64x64xf32, #acc>, !v
  tile.return
}

// -----

#s = #tile.shared<order = [1, 0]>
#r = #tile.regs<vec = [1, 8], lanes = [8, 8], groups = [1, 1]>
!v = !tile.view<?x?xbf16, strides = [?, 1], div = [8, 1], align = 16>
!ring = !tile.ring<2x(tensor<64x64xbf16, #s>), load, copy = #ptx.async16>
tile.program @carried(%p: !tile.ptr<bf16>, %n: index {tile.div = 8 : index}) attributes {shared_bytes = 16384 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<bf16> -> !v
  %ring, %c = tile.ring {tile.offset = 0 : i64} : !ring
  %w, %cw = tile.enter write %ring[%c] : !ring -> !tile.slot<write>
  %u = tile.copy_in %v[%n, %n] into %w[0] : !v, !tile.slot<write>
  tile.exit %w after(%u : !tile.token) : !tile.slot<write>
  %s, %cr, %a = tile.enter read %ring[%c] : !ring -> !tile.slot<read>, tensor<64x64xbf16, #s>
  // expected-error @+1 {{carries a tile in shared memory; carry its slot and read the tile from there}}
  %x:2 = scf.for %k = %c0 to %n step %c1 iter_args(%sl = %s, %t = %a) -> (!tile.slot<read>, tensor<64x64xbf16, #s>) {
    %y = tile.convert_layout %t : tensor<64x64xbf16, #s> -> tensor<64x64xbf16, #r>
    tile.store %y, %v[%k, %n] : tensor<64x64xbf16, #r>, !v
    scf.yield %sl, %t : !tile.slot<read>, tensor<64x64xbf16, #s>
  }
  %z = tile.convert_layout %x#1 : tensor<64x64xbf16, #s> -> tensor<64x64xbf16, #r>
  tile.exit %x#0 after(%x#1, %z : tensor<64x64xbf16, #s>, tensor<64x64xbf16, #r>) : !tile.slot<read>
  tile.return
}

// -----

#r = #tile.regs<vec = [1, 8], lanes = [8, 8], groups = [1, 2]>
#part = #tile.slice<1, #r, partial = add>
#full = #tile.slice<1, #r>
!v = !tile.view<?x?xf32, strides = [?, 1]>
!v1 = !tile.view<?xf32, strides = [1]>
tile.program @groups(%p: !tile.ptr<f32>, %n: index) {
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f32> -> !v
  %u = tile.view %p[%n] : !tile.ptr<f32> -> !v1
  %x = tile.load %v[%n, %n] : !v -> tensor<64x128xf32, #r>
  %y = tile.reduce add %x, 1 : tensor<64x128xf32, #r> -> tensor<64xf32, #part>
  // expected-error @+1 {{combines over lanes of several groups, or of a layout without coordinates; expected lanes of one group, got #tile.slice<1, #tile.regs<vec = [1, 8], lanes = [8, 8], groups = [1, 2]>, partial = add>}}
  %z = tile.convert_layout %y : tensor<64xf32, #part> -> tensor<64xf32, #full>
  tile.store %z, %u[%n] : tensor<64xf32, #full>, !v1
  tile.return
}

// -----

#r = #tile.regs<vec = [1, 8], lanes = [8, 8], groups = [1, 1]>
#full = #tile.slice<1, #r>
!v = !tile.view<?x?xf32, strides = [?, 1]>
!v1 = !tile.view<?xf32, strides = [1]>
tile.program @minimum(%p: !tile.ptr<f32>, %n: index) {
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f32> -> !v
  %u = tile.view %p[%n] : !tile.ptr<f32> -> !v1
  %x = tile.load %v[%n, %n] : !v -> tensor<64x64xf32, #r>
  // expected-error @+1 {{combines a minimum over lanes, which is not lowered; negate and take the maximum}}
  %y = tile.reduce min %x, 1 : tensor<64x64xf32, #r> -> tensor<64xf32, #full>
  tile.store %y, %u[%n] : tensor<64xf32, #full>, !v1
  tile.return
}

// -----

#r = #tile.regs<vec = [1, 8], lanes = [4, 2], groups = [1, 1]>
#s = #tile.shared<order = [1, 0]>
tile.program @other_place(%n: index) attributes {shared_bytes = 1024 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : tensor<16x16xf16, #r>
  %first = tile.convert_layout %zero {tile.offset = 0 : i64} : tensor<16x16xf16, #r> -> tensor<16x16xf16, #s>
  // expected-error @+1 {{carries a tile in shared memory on in another place; run tile-alternate-buffers and tile-allocate-shared first}}
  %x = scf.for %k = %c0 to %n step %c1 iter_args(%t = %first) -> (tensor<16x16xf16, #s>) {
    %next = tile.convert_layout %zero {tile.offset = 512 : i64} : tensor<16x16xf16, #r> -> tensor<16x16xf16, #s>
    scf.yield %next : tensor<16x16xf16, #s>
  }
  tile.return
}
