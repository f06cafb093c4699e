// RUN: helios-opt %s --pass-pipeline='builtin.module(frag.kernel(frag-insert-barriers))' | FileCheck %s

!f = !frag.f<16x16xf16, #tile.regs<vec = [1, 8], lanes = [4, 2], groups = [1, 1]>>
!m = !frag.mem<16x16xf16, #tile.shared<order = [1, 0]>>
!v = !tile.view<?x?xf16, strides = [?, 1]>

// CHECK-LABEL: @loop
// Write after read: right before the first write. Read after write: right after the last write, so that the load of global
// memory is not behind the barrier. Two barriers a trip, none elsewhere.
frag.kernel @loop(%p: !tile.ptr<f16>, %n: index) attributes {threads = 8 : i64, shared_bytes = 1024 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f16> -> !v
  %a = frag.shared 0 : !m
  %b = frag.shared 512 : !m
  %x = frag.read %v[%c0, %c0] : !v -> !f
  // CHECK: scf.for
  scf.for %k = %c0 to %n step %c1 {
    // CHECK-NEXT: frag.barrier workgroup
    // CHECK-NEXT: frag.write
    frag.write %x, %a[%c0, %c0] : !f, !m
    // CHECK-NEXT: frag.write
    frag.write %x, %b[%c0, %c0] : !f, !m
    // CHECK-NEXT: frag.barrier workgroup
    // CHECK-NEXT: frag.read %{{.*}} : !tile.view
    %g = frag.read %v[%k, %c0] : !v -> !f
    // CHECK-NEXT: frag.read
    %y = frag.read %a[%c0, %c0] : !m -> !f
    // CHECK-NEXT: frag.read
    %z = frag.read %b[%c0, %c0] : !m -> !f
    // CHECK-NEXT: frag.write
    frag.write %y, %v[%k, %c0] : !f, !v
    // CHECK-NEXT: }
  }
  frag.return
}

// CHECK-LABEL: @disjoint
// Other bytes: no barrier.
frag.kernel @disjoint(%n: index) attributes {threads = 8 : i64, shared_bytes = 1024 : i64} {
  %c0 = arith.constant 0 : index
  %a = frag.shared 0 : !m
  %b = frag.shared 512 : !m
  // CHECK-NOT: frag.barrier
  %x = frag.read %a[%c0, %c0] : !m -> !f
  frag.write %x, %b[%c0, %c0] : !f, !m
  // CHECK: frag.return
  frag.return
}

// CHECK-LABEL: @branch
// What either branch leaves open is open after it.
frag.kernel @branch(%n: index, %i: i1) attributes {threads = 8 : i64, shared_bytes = 1024 : i64} {
  %c0 = arith.constant 0 : index
  %a = frag.shared 0 : !m
  %b = frag.shared 512 : !m
  %x = frag.read %b[%c0, %c0] : !m -> !f
  // CHECK: scf.if
  scf.if %i {
    // CHECK-NEXT: frag.write
    frag.write %x, %a[%c0, %c0] : !f, !m
  }
  // CHECK: }
  // CHECK-NEXT: frag.barrier workgroup
  // CHECK-NEXT: frag.read
  %y = frag.read %a[%c0, %c0] : !m -> !f
  // CHECK-NEXT: frag.barrier workgroup
  // CHECK-NEXT: frag.write
  frag.write %y, %a[%c0, %c0] : !f, !m
  frag.return
}
