// RUN: helios-opt %s --frag-to-ptx-level | FileCheck %s
// RUN: helios-opt %s --frag-to-ptx-level=without=frag-overlap-dispatches | FileCheck %s --check-prefix=WITHOUT --implicit-check-not=griddepcontrol

// A kernel waits for the launch before it ahead of its first access to global memory, and its module says that it may begin early.

#regs = #tile.regs<vec = [1, 4], lanes = [8, 4], groups = [1, 1]>
!f = !frag.f<8x16xf32, #regs>
!v = !tile.view<?x?xf32, strides = [?, 1]>

// CHECK: gpu.module @k attributes {helios.interface = {{{.*}}dependent = true
// CHECK-NOT: llvm.load
// CHECK: nvvm.griddepcontrol wait
// CHECK: llvm.load
// CHECK: nvvm.griddepcontrol launch_dependents
// CHECK: llvm.store
// WITHOUT: gpu.module @k attributes {helios.interface = {{{.*}}dependent = false
frag.kernel @k(%p: !tile.ptr<f32>, %n: index) attributes {threads = 32 : i64, target = #ptx.target<"sm_90a">} {
  %c0 = arith.constant 0 : index
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f32> -> !v
  %x = frag.read %v[%c0, %c0] : !v -> !f
  frag.write %x, %v[%c0, %n] : !f, !v
  frag.return
}

// Both by hand: the launch is no dependent one where nobody waits.
// CHECK: gpu.module @lets attributes {helios.interface = {{{.*}}dependent = false
// CHECK: nvvm.griddepcontrol launch_dependents
// CHECK-NOT: griddepcontrol wait
// WITHOUT: gpu.module @lets
// WITHOUT: nvvm.griddepcontrol launch_dependents
frag.kernel @lets(%p: !tile.ptr<f32>, %n: index) attributes {threads = 32 : i64, target = #ptx.target<"sm_90a">} {
  frag.release_dependents
  %c0 = arith.constant 0 : index
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f32> -> !v
  %x = frag.read %v[%c0, %c0] : !v -> !f
  frag.write %x, %v[%c0, %n] : !f, !v
  frag.return
}
