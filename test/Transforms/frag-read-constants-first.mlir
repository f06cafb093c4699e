// RUN: helios-opt %s --split-input-file --frag-read-constants-first | FileCheck %s

// Copies of a constant move in front of the wait, with the slots and the places that they need; those of what is no constant, and stores, stay. A
// workgroup that has a processor for itself lets the next dispatch begin at once where it finds room.

#copy = #ptx.async16
#rows = #tile.shared<order = [1, 0], swizzle = 128>
!m = !frag.mem<8x64xf16, #rows>
!ring = !frag.ring<!tile.ring<2x(tensor<8x64xf16, #rows>, tensor<8x64xf16, #rows>), load, copy = #copy>>
!v = !tile.view<?x64xf16, strides = [64, 1], div = [8, 1], align = 16>

// CHECK-LABEL: frag.kernel @slots(
// CHECK: %[[ALL:.*]] = frag.id workgroups
// CHECK: arith.remui %[[ALL]]
// CHECK: scf.if
// CHECK-NEXT: frag.release_dependents
// CHECK: %[[SLOT:.*]], %[[NEXT:.*]] = frag.acquire write
// CHECK-NEXT: %[[B:.*]] = frag.slot_mem %[[SLOT]][1]
// CHECK-NEXT: %[[TB:.*]] = frag.copy_in {{.*}} into %[[B]]
// CHECK: %[[SLOT2:.*]], %{{.*}} = frag.acquire write %{{.*}}[%[[NEXT]]]
// CHECK-NEXT: frag.slot_mem %[[SLOT2]][1]
// CHECK-NEXT: arith.cmpi
// CHECK-NEXT: frag.copy_in {{.*}} if
// CHECK-NEXT: frag.await_dependencies
// CHECK-NEXT: frag.slot_mem %[[SLOT]][0]
// CHECK-NEXT: %[[TA:.*]] = frag.copy_in
// CHECK-NEXT: frag.release %[[SLOT]] after(%[[TA]], %[[TB]]
// CHECK-NEXT: frag.slot_mem %[[SLOT2]][0]
// CHECK: frag.release_dependents
// CHECK-NEXT: frag.return
frag.kernel @slots(%a: !tile.ptr<f16>, %b: !tile.ptr<f16> {tile.constant}, %n: index)
    attributes {threads = 64 : i64, shared_bytes = 131072 : i64, target = #ptx.target<"sm_90a">} {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %first = arith.constant 0 : i32
  %va = tile.view %a[%n] : !tile.ptr<f16> -> !v
  %vb = tile.view %b[%n] : !tile.ptr<f16> -> !v
  %ring = frag.shared 0 : !ring
  frag.await_dependencies
  %slot, %next = frag.acquire write %ring[%first] : !ring
  %ma = frag.slot_mem %slot[0] : !m
  %ta = frag.copy_in #copy %va[%c0, %c0] into %ma : !v -> !m
  %mb = frag.slot_mem %slot[1] : !m
  %tb = frag.copy_in #copy %vb[%c0, %c0] into %mb : !v -> !m
  frag.release %slot after(%ta, %tb : !tile.token, !tile.token)
  %slot2, %next2 = frag.acquire write %ring[%next] : !ring
  %ma2 = frag.slot_mem %slot2[0] : !m
  %ta2 = frag.copy_in #copy %va[%c8, %c0] into %ma2 : !v -> !m
  %mb2 = frag.slot_mem %slot2[1] : !m
  %more = arith.cmpi ult, %c8, %n : index
  %tb2 = frag.copy_in #copy %vb[%c8, %c0] if %more into %mb2 : !v -> !m
  frag.release %slot2 after(%ta2, %tb2 : !tile.token, !tile.token)
  frag.release_dependents
  frag.return
}

// -----

// A branch that only reads constants moves as a whole, one that writes as well stays. Nothing moves over a barrier or out of a loop. Where a processor
// holds several workgroups the next dispatch begins where it did.

#regs = #tile.regs<vec = [1, 4], lanes = [8, 4], groups = [1, 1]>
!f = !frag.f<8x16xf32, #regs>
!v = !tile.view<?x?xf32, strides = [?, 1]>

// CHECK-LABEL: frag.kernel @branches(
// CHECK-NOT: frag.release_dependents
// CHECK: %[[X:.*]] = scf.if
// CHECK-NEXT: frag.read
// CHECK: frag.await_dependencies
// CHECK-NEXT: frag.read
// CHECK-NEXT: scf.if
// CHECK: frag.barrier
// CHECK-NEXT: frag.read
// CHECK-NEXT: scf.for
// CHECK-NEXT: frag.read
// CHECK: frag.release_dependents
frag.kernel @branches(%p: !tile.ptr<f32> {tile.constant}, %q: !tile.ptr<f32>, %n: index)
    attributes {threads = 32 : i64, shared_bytes = 512 : i64, target = #ptx.target<"sm_90a">} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f32
  %vp = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f32> -> !v
  %vq = tile.view %q[%n, %n] strides [%n] : !tile.ptr<f32> -> !v
  %none = frag.splat %z : f32 -> !f
  %some = arith.cmpi ult, %c1, %n : index
  frag.await_dependencies
  %other = frag.read %vq[%c0, %c0] : !v -> !f
  %x = scf.if %some -> !f {
    %y = frag.read %vp[%c0, %c0] : !v -> !f
    scf.yield %y : !f
  } else {
    scf.yield %none : !f
  }
  %both = scf.if %some -> !f {
    %y = frag.read %vp[%c1, %c0] : !v -> !f
    frag.write %y, %vq[%c1, %c0] : !f, !v
    scf.yield %y : !f
  } else {
    scf.yield %none : !f
  }
  frag.barrier workgroup
  %late = frag.read %vp[%c0, %c1] : !v -> !f
  scf.for %k = %c0 to %n step %c1 {
    %y = frag.read %vp[%k, %c0] : !v -> !f
    frag.write %y, %vq[%c0, %k] : !f, !v
  }
  frag.write %x, %vq[%c0, %c0] : !f, !v
  frag.release_dependents
  frag.return
}
