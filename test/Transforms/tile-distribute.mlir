// RUN: helios-opt %s --pass-pipeline='builtin.module(tile-distribute)' | FileCheck %s

#m = #spv.coop<[8, 8, 8], f16, f16, f32, lanes = 8>
#r = #tile.regs<vec = [1, 8], lanes = [4, 2], groups = [2, 1]>
#s = #tile.shared<order = [1, 0], pad = 8>
#a = #tile.opaque<a, #m, groups = [2, 1]>
#b = #tile.opaque<b, #m, groups = [2, 1]>
#c = #tile.opaque<acc, #m, groups = [2, 1]>
!v = !tile.view<?x?xf16, strides = [?, 1]>
// CHECK: frag.kernel @k({{.*}}) attributes {shared_bytes = 1536 : i64, target = #spv.target<"lavapipe">, threads = 16 : i64}
tile.program @k(%p: !tile.ptr<f16>, %n: index) attributes {target = #spv.target<"lavapipe">,
    config = #tile.config<groups = [2, 1]>, shared_bytes = 1536 : i64} {
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f16> -> !v
  // CHECK: %[[X:.*]] = frag.read %{{.*}}[%{{.*}}, %{{.*}}] : {{.*}} -> <16x16xf16, #tile.regs
  %x = tile.load %v[%n, %n] : !v -> tensor<16x16xf16, #r>
  // CHECK: %[[S:.*]] = frag.shared 768 : !frag.mem<16x16xf16
  // CHECK: frag.write %[[X]], %[[S]]
  %s = tile.convert_layout %x {tile.offset = 768 : i64} : tensor<16x16xf16, #r> -> tensor<16x16xf16, #s>
  %oa = tile.convert_layout %s : tensor<16x16xf16, #s> -> tensor<16x16xf16, #a>
  %ob = tile.convert_layout %s : tensor<16x16xf16, #s> -> tensor<16x16xf16, #b>
  %zero = arith.constant dense<0.0> : tensor<16x16xf32, #c>
  // One product for each step along k, its operands read beside it.
  // CHECK: frag.read %[[S]][%{{.*}}, %{{.*}}] : {{.*}} -> <16x8xf16, #tile.opaque<a
  // CHECK: frag.read %[[S]][%{{.*}}, %{{.*}}] : {{.*}} -> <8x16xf16, #tile.opaque<b
  // CHECK: %[[Y:.*]] = frag.mma #{{.*}}
  // CHECK: frag.read {{.*}} -> <16x8xf16, #tile.opaque<a
  // CHECK: frag.read {{.*}} -> <8x16xf16, #tile.opaque<b
  // CHECK: %[[Z:.*]] = frag.mma #{{.*}}, %[[Y]] :
  %d = tile.dot %oa, %ob, %zero mma #m : tensor<16x16xf16, #a>, tensor<16x16xf16, #b>, tensor<16x16xf32, #c>
  // A chain of element-wise ops is one region.
  // CHECK: frag.map(%[[X]], %[[X]] :
  // CHECK: arith.mulf
  // CHECK-NEXT: arith.negf
  // CHECK-NEXT: frag.yield
  // CHECK-NOT: frag.map
  %q = arith.mulf %x, %x : tensor<16x16xf16, #r>
  %w = arith.negf %q : tensor<16x16xf16, #r>
  // What is said about a loop stays with it.
  // CHECK: scf.for
  // CHECK-NEXT: frag.write
  // CHECK-NEXT: } {tile.ahead = 1 : i64, tile.unroll = 2 : i64}
  scf.for %i = %n to %n step %n {
    tile.store %w, %v[%n, %n] : tensor<16x16xf16, #r>, !v
  } {tile.ahead = 1 : i64, tile.unroll = 2 : i64}
  tile.return
}
