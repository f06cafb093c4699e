// RUN: helios-opt %s --convert-frag-to-ptx --split-input-file | FileCheck %s

#regs = #tile.regs<vec = [2, 1], lanes = [8, 4], groups = [1, 1]>
!f = !frag.f<16x8xf32, #regs>
!v = !tile.view<?x8xf32, strides = [?, 1]>

// Eight columns are all there are. Registers of a row share its comparison, with the rows behind the origin, and its branch.
// CHECK-LABEL: llvm.func @rows(
// CHECK: %[[BEHIND:.*]] = llvm.sub %{{.*}}, %{{.*}} : i64
// CHECK: %[[LEFT:.*]] = llvm.intr.smax(%[[BEHIND]], %{{.*}}) : (i64, i64) -> i64
// CHECK: llvm.trunc %[[LEFT]] : i64 to i32
// CHECK-NOT: llvm.icmp
// CHECK: llvm.icmp "slt" %{{.*}}, %{{.*}} : i32
// CHECK-NEXT: llvm.cond_br
// CHECK-COUNT-2: llvm.store
// CHECK: llvm.icmp "slt" %{{.*}}, %{{.*}} : i32
// CHECK-NEXT: llvm.cond_br
// CHECK-COUNT-2: llvm.store
// CHECK-NOT: llvm.store
// CHECK: llvm.return
frag.kernel @rows(%p: !tile.ptr<f32>, %m: index {tile.range = array<i64: 0, 2147483647>}, %s: index {tile.range = array<i64: 0, 2147483647>})
    attributes {threads = 32 : i64, target = #ptx.target<"sm_80">} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %z = arith.constant 1.0 : f32
  %id = frag.id workgroup
  %item = arith.remui %id, %m : index
  %row = arith.muli %item, %c16 : index
  %v = tile.view %p[%m] strides [%s] : !tile.ptr<f32> -> !v
  %x = frag.splat %z : f32 -> !f
  frag.write %x, %v[%row, %c0] : !f, !v
  frag.return
}

// -----

#regs = #tile.regs<vec = [2, 1], lanes = [8, 4], groups = [1, 1]>
!f = !frag.f<16x8xf32, #regs>
!v = !tile.view<?x8xf32, strides = [?, 1]>

// An origin that may be negative: coordinates are compared as they are, in 64 bits. An extent of which nothing is known is cut to 32 bits elsewhere.
// CHECK-LABEL: llvm.func @before(
// CHECK-NOT: llvm.icmp "slt"
// CHECK: llvm.icmp "ult" %{{.*}}, %{{.*}} : i64
// CHECK-NOT: llvm.icmp "slt"
// CHECK-LABEL: llvm.func @large(
// CHECK: llvm.intr.smax
// CHECK-NEXT: llvm.intr.smin
// CHECK: llvm.icmp "slt" %{{.*}}, %{{.*}} : i32
frag.kernel @before(%p: !tile.ptr<f32>, %row: index, %m: index {tile.range = array<i64: 0, 2147483647>}, %s: index)
    attributes {threads = 32 : i64, target = #ptx.target<"sm_80">} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 1.0 : f32
  %v = tile.view %p[%m] strides [%s] : !tile.ptr<f32> -> !v
  %x = frag.splat %z : f32 -> !f
  frag.write %x, %v[%row, %c0] : !f, !v
  frag.return
}
frag.kernel @large(%p: !tile.ptr<f32>, %row: index {tile.range = array<i64: 0, 2147483647>}, %m: index, %s: index) attributes {threads = 32 : i64, target = #ptx.target<"sm_80">} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 1.0 : f32
  %v = tile.view %p[%m] strides [%s] : !tile.ptr<f32> -> !v
  %x = frag.splat %z : f32 -> !f
  frag.write %x, %v[%row, %c0] : !f, !v
  frag.return
}
