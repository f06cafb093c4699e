// Products of every order down to level 3 with asynchronous copies: one ring, reads of the next step before the products of this one,
// operands read transposed where k is not contiguous for them. The variant without aligned rows is staged.

// RUN: helios-opt %s --split-input-file --helios-to-tile-level --tile-to-frag-level | FileCheck %s

// CHECK-LABEL: frag.kernel @nt_full(
// CHECK: frag.copy_in {{.*}} in_bounds
// CHECK: frag.acquire read
// CHECK: scf.for
// CHECK: frag.read %{{.*}}[%c0, %c16] : {{.*}} -> <128x16xf16, #tile.operand<a,
// CHECK: frag.read %{{.*}}[%c0, %c16] trans : {{.*}} -> <16x256xf16, #tile.operand<b,
// CHECK: frag.copy_in {{.*}} if
// CHECK: frag.mma
// CHECK: frag.release
// CHECK: frag.acquire read
// CHECK: frag.mma
// CHECK-NEXT: scf.yield
// CHECK-LABEL: frag.kernel @nt_aligned(
// CHECK-NOT: in_bounds
// CHECK-LABEL: frag.kernel @nt_any(
// CHECK-NOT: frag.copy_in
// CHECK: tile.plan @nt
helios.kernel @nt(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> tensor<?x?xf16> attributes {target = #ptx.target<"sm_89">} {
  %d = helios.matmul %a, %b {transpose_b} : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
  helios.return %d : tensor<?x?xf16>
}

// -----

// CHECK-LABEL: frag.kernel @tn_aligned(
// CHECK: scf.for
// CHECK: frag.read %{{.*}}[%c16, %c0] trans : {{.*}} -> <128x16xbf16, #tile.operand<a,
// CHECK: frag.read %{{.*}}[%c16, %c0] : {{.*}} -> <16x256xbf16, #tile.operand<b,
// CHECK: scf.yield
helios.kernel @tn(%a: tensor<?x?x?xbf16>, %b: tensor<?x?x?xbf16>) -> tensor<?x?x?xbf16> attributes {target = #ptx.target<"sm_89">} {
  %d = helios.matmul %a, %b {transpose_a} : (tensor<?x?x?xbf16>, tensor<?x?x?xbf16>) -> tensor<?x?x?xbf16> acc f32
  helios.return %d : tensor<?x?x?xbf16>
}
