// RUN: helios-opt %s --convert-frag-to-ptx | FileCheck %s

#regs = #tile.regs<vec = [1, 4], lanes = [8, 4], groups = [1, 1]>
!f = !frag.f<8x16xf32, #regs>
!v = !tile.view<?x?xf32, strides = [?, 1]>

// The wait depends on coordinates that are made before it, of at most 31 bits each, and so stays behind them. Divisions of such are done in 32 bits.
// CHECK-LABEL: llvm.func @behind(
// CHECK: llvm.urem %{{.*}}, %{{.*}} : i64
// CHECK-NEXT: %[[ITEM:.*]] = llvm.trunc %{{.*}} : i64 to i32
// CHECK-NEXT: %[[ROW:.*]] = llvm.udiv %[[ITEM]], %{{.*}} : i32
// CHECK-NEXT: llvm.zext %[[ROW]]
// CHECK-NEXT: %[[COLUMN:.*]] = llvm.urem %[[ITEM]], %{{.*}} : i32
// CHECK: %[[BOTH:.*]] = llvm.or %[[ROW]], %[[COLUMN]] : i32
// CHECK: llvm.inline_asm has_side_effects {{.*}}setp.ne.b32 p, $0, -1; @p griddepcontrol.wait;{{.*}}"r,~{memory}" %[[BOTH]] : (i32)
// CHECK: llvm.load
frag.kernel @behind(%p: !tile.ptr<f32>, %m: index {tile.range = array<i64: 1, 2147483647>}, %n: index {tile.range = array<i64: 1, 2147483647>})
    attributes {threads = 32 : i64, target = #ptx.target<"sm_90a">} {
  %id = frag.id workgroup
  %item = arith.remui %id, %m : index
  %row = arith.divui %item, %n : index
  %column = arith.remui %item, %n : index
  %v = tile.view %p[%m, %n] strides [%n] : !tile.ptr<f32> -> !v
  frag.await_dependencies
  %x = frag.read %v[%row, %column] : !v -> !f
  frag.write %x, %v[%column, %row] : !f, !v
  frag.return
}

// One that may have all bits set decides nothing.
// CHECK-LABEL: llvm.func @unknown(
// CHECK: nvvm.griddepcontrol wait
frag.kernel @unknown(%p: !tile.ptr<f32>, %m: index, %n: index) attributes {threads = 32 : i64, target = #ptx.target<"sm_90a">} {
  %row = arith.subi %m, %n : index
  %v = tile.view %p[%m, %n] strides [%n] : !tile.ptr<f32> -> !v
  frag.await_dependencies
  %x = frag.read %v[%row, %row] : !v -> !f
  frag.write %x, %v[%row, %row] : !f, !v
  frag.return
}

// What the dispatch in front may still write is loaded coherently, which the assembler does not move over the wait; constants, and all where nobody
// waits, need not be.
// CHECK-LABEL: llvm.func @kept(
// CHECK-SAME: %{{[^:]*}}: !llvm.ptr<1> {llvm.noalias, llvm.noundef},
// CHECK-SAME: %{{[^:]*}}: !llvm.ptr<1> {llvm.noalias, llvm.noundef, llvm.readonly},
frag.kernel @kept(%p: !tile.ptr<f32>, %q: !tile.ptr<f32> {tile.constant}, %d: !tile.ptr<f32>, %n: index)
    attributes {threads = 32 : i64, target = #ptx.target<"sm_90a">} {
  %c0 = arith.constant 0 : index
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f32> -> !v
  %w = tile.view %q[%n, %n] strides [%n] : !tile.ptr<f32> -> !v
  %r = tile.view %d[%n, %n] strides [%n] : !tile.ptr<f32> -> !v
  frag.await_dependencies
  %x = frag.read %v[%c0, %c0] : !v -> !f
  frag.write %x, %r[%c0, %c0] : !f, !v
  %y = frag.read %w[%c0, %c0] : !v -> !f
  frag.write %y, %r[%c0, %n] : !f, !v
  frag.return
}

// CHECK-LABEL: llvm.func @alone(
// CHECK-SAME: %{{[^:]*}}: !llvm.ptr<1> {llvm.noalias, llvm.noundef, llvm.readonly},
frag.kernel @alone(%p: !tile.ptr<f32>, %d: !tile.ptr<f32>, %n: index) attributes {threads = 32 : i64, target = #ptx.target<"sm_90a">} {
  %c0 = arith.constant 0 : index
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f32> -> !v
  %r = tile.view %d[%n, %n] strides [%n] : !tile.ptr<f32> -> !v
  %x = frag.read %v[%c0, %c0] : !v -> !f
  frag.write %x, %r[%c0, %c0] : !f, !v
  frag.return
}
