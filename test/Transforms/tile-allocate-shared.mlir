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
// expected-error @+1 {{needs 65536 bytes of shared memory, but target 'lavapipe' has 32768; use a smaller tile or epilogue_rows}}
tile.program @too_much(%p: !tile.ptr<f16>, %n: index) attributes {target = #spv.target<"lavapipe">} {
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f16> -> !v
  %x = tile.load %v[%n, %n] : !v -> tensor<256x128xf16, #r>
  %a = tile.convert_layout %x : tensor<256x128xf16, #r> -> tensor<256x128xf16, #s>
  %b = tile.convert_layout %a : tensor<256x128xf16, #s> -> tensor<256x128xf16, #r>
  tile.store %b, %v[%n, %n] : tensor<256x128xf16, #r>, !v
  tile.return
}
