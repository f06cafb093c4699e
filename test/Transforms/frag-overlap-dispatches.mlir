// RUN: helios-opt %s --split-input-file --frag-overlap-dispatches | FileCheck %s

// A kernel waits right before it first touches global memory, ahead of loops: a workgroup without a trip waits too. Behind its last load it lets the
// next one begin.

#regs = #tile.regs<vec = [1, 4], lanes = [8, 4], groups = [1, 1]>
!f = !frag.f<8x16xf32, #regs>
!m = !frag.mem<8x16xf32, #tile.shared<order = [1, 0]>>
!v = !tile.view<?x?xf32, strides = [?, 1]>

// CHECK-LABEL: frag.kernel @loop(
// CHECK-NOT: frag.release_dependents
// CHECK: %[[V:.*]] = tile.view
// CHECK: frag.write %{{.*}}, %{{.*}} : {{.*}}, !frag.mem
// CHECK: scf.if
// CHECK: }
// CHECK-NEXT: frag.await_dependencies
// CHECK-NEXT: scf.for
// CHECK: }
// CHECK-NEXT: frag.release_dependents
// CHECK-NEXT: frag.write
// CHECK-NEXT: frag.return
frag.kernel @loop(%p: !tile.ptr<f32>, %n: index) attributes {threads = 32 : i64, shared_bytes = 512 : i64, target = #ptx.target<"sm_90a">} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f32
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f32> -> !v
  %s = frag.shared 0 : !m
  %x = frag.splat %z : f32 -> !f
  frag.write %x, %s[%c0, %c0] : !f, !m
  %some = arith.cmpi ult, %c1, %n : index
  scf.if %some {
    frag.write %x, %s[%c0, %c0] : !f, !m
  }
  scf.for %k = %c0 to %n step %c1 {
    %y = frag.read %v[%k, %c0] : !v -> !f
    frag.write %y, %v[%c0, %k] : !f, !v
  }
  frag.write %x, %v[%c0, %c0] : !f, !v
  frag.return
}

// -----

// Roles wait each for itself; one that touches shared memory alone need not.

#regs = #tile.regs<vec = [1, 4], lanes = [8, 4], groups = [1, 1]>
!f = !frag.f<8x16xf32, #regs>
!m = !frag.mem<8x16xf32, #tile.shared<order = [1, 0]>>
!v = !tile.view<?x?xf32, strides = [?, 1]>

// CHECK-LABEL: frag.kernel @roles(
// CHECK-NOT: frag.await_dependencies
// CHECK: frag.role lanes(0 to 32) {
// CHECK-NEXT: frag.splat
// CHECK-NEXT: frag.await_dependencies
// CHECK-NEXT: frag.write
// CHECK-NEXT: }
// CHECK: frag.role lanes(32 to 64) {
// CHECK-NOT: frag.await_dependencies
// CHECK: frag.role lanes(64 to 96) {
// CHECK-NEXT: frag.await_dependencies
// CHECK-NEXT: frag.read
// CHECK-NEXT: frag.release_dependents
// CHECK-NEXT: frag.write
// CHECK-NOT: frag.await_dependencies
// CHECK-NOT: frag.release_dependents
frag.kernel @roles(%p: !tile.ptr<f32>, %n: index) attributes {threads = 96 : i64, shared_bytes = 512 : i64, target = #ptx.target<"sm_90a">} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f32> -> !v
  %s = frag.shared 0 : !m
  frag.role lanes(0 to 32) {
    %x = frag.splat %z : f32 -> !f
    frag.write %x, %v[%c0, %c0] : !f, !v
  }
  frag.role lanes(32 to 64) {
    %x = frag.splat %z : f32 -> !f
    frag.write %x, %s[%c0, %c0] : !f, !m
  }
  frag.role lanes(64 to 96) {
    %x = frag.read %v[%c0, %c0] : !v -> !f
    frag.write %x, %v[%c0, %n] : !f, !v
  }
  frag.return
}

// -----

// Behind the arithmetic of a branch, and on its other way too: a workgroup without work does not end before the dispatch before it.

#regs = #tile.regs<vec = [1, 4], lanes = [8, 4], groups = [1, 1]>
!f = !frag.f<8x16xf32, #regs>
!v = !tile.view<?x?xf32, strides = [?, 1]>

// CHECK-LABEL: frag.kernel @branch(
// CHECK-NOT: frag.await_dependencies
// CHECK: scf.if
// CHECK-NEXT: arith.muli
// CHECK-NEXT: scf.if
// CHECK-NEXT: frag.await_dependencies
// CHECK-NEXT: frag.read
// CHECK-NOT: frag.await_dependencies
// CHECK: } else {
// CHECK-NEXT: frag.await_dependencies
// CHECK-NEXT: }
// CHECK-NEXT: frag.read
// CHECK-NEXT: frag.release_dependents
// CHECK-NEXT: } else {
// CHECK-NEXT: frag.await_dependencies
// CHECK-NEXT: }
frag.kernel @branch(%p: !tile.ptr<f32>, %n: index, %some: i1) attributes {threads = 32 : i64, target = #ptx.target<"sm_90a">} {
  %c0 = arith.constant 0 : index
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f32> -> !v
  %item = frag.id workgroup
  %has = arith.cmpi ult, %item, %n : index
  scf.if %has {
    %at = arith.muli %item, %n : index
    scf.if %some {
      %x = frag.read %v[%at, %c0] : !v -> !f
      frag.write %x, %v[%c0, %at] : !f, !v
    }
    %y = frag.read %v[%at, %at] : !v -> !f
  }
  frag.return
}

// -----

// Of roles the one that copies lets the next dispatch begin, though another one loads as well.

#s = #tile.shared<order = [1, 0], swizzle = 64>
#regs = #tile.regs<vec = [1, 8], lanes = [8, 4], groups = [1, 1]>
!f = !frag.f<32x32xf16, #regs>
!v = !tile.view<?x?xf16, strides = [?, 1], div = [8, 1], align = 16>
!ring = !frag.ring<!tile.ring<1x(tensor<32x32xf16, #s>), load, copy = #ptx.bulk>>

// CHECK-LABEL: frag.kernel @copying(
// CHECK: frag.role lanes(0 to 32) {
// CHECK: frag.await_dependencies
// CHECK-NEXT: frag.copy_in
// CHECK-NEXT: frag.release_dependents
// CHECK-NEXT: frag.release %
// CHECK: frag.role lanes(32 to 64) {
// CHECK: frag.await_dependencies
// CHECK-NEXT: frag.read
// CHECK-NOT: frag.release_dependents
frag.kernel @copying(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : i64}) attributes {threads = 64 : i64, shared_bytes = 3072 : i64, target = #ptx.target<"sm_90a">} {
  %c0 = arith.constant 0 : index
  %c = arith.constant 0 : i32
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f16> -> !v
  %ring = frag.shared 0 barriers 2048 : !ring
  frag.role lanes(0 to 32) {
    %w, %c1 = frag.acquire write %ring[%c] : !ring
    %m = frag.slot_mem %w[0] : !frag.mem<32x32xf16, #s>
    %t = frag.copy_in #ptx.bulk %v[%c0, %c0] into %m : !v -> !frag.mem<32x32xf16, #s>
    frag.release %w after(%t : !tile.token)
  }
  frag.role lanes(32 to 64) {
    %r, %c1 = frag.acquire read %ring[%c] : !ring
    frag.release %r
    %x = frag.read %v[%c0, %c0] : !v -> !f
    frag.write %x, %v[%c0, %n] : !f, !v
  }
  frag.return
}

// -----

// Behind the last dispatch of a plan something large may follow; what adds up slices in small workgroups would gather on idle processors.

#regs = #tile.regs<vec = [1, 4], lanes = [8, 4], groups = [1, 1]>
!f = !frag.f<8x16xf32, #regs>
!v = !tile.view<?x?xf32, strides = [?, 1]>

// CHECK-LABEL: frag.kernel @slices(
// CHECK: frag.await_dependencies
// CHECK-NOT: frag.release_dependents
// CHECK-LABEL: frag.kernel @sum(
// CHECK: frag.await_dependencies
// CHECK-NEXT: frag.read
// CHECK-NEXT: frag.release_dependents
frag.kernel @slices(%p: !tile.ptr<f32>, %n: index) attributes {threads = 32 : i64, target = #ptx.target<"sm_90a">} {
  %c0 = arith.constant 0 : index
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f32> -> !v
  %x = frag.read %v[%c0, %c0] : !v -> !f
  frag.write %x, %v[%c0, %n] : !f, !v
  frag.return
}
frag.kernel @sum(%p: !tile.ptr<f32>, %n: index) attributes {threads = 32 : i64, target = #ptx.target<"sm_90a">} {
  %c0 = arith.constant 0 : index
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f32> -> !v
  %x = frag.read %v[%c0, %c0] : !v -> !f
  frag.write %x, %v[%c0, %n] : !f, !v
  frag.return
}
tile.plan @k(%x: tensor<?x?xf32>) attributes {output_count = 1 : i64} {
  %c0 = arith.constant 0 : index
  %m = tile.extent %x, 0 : tensor<?x?xf32>
  tile.dispatch @slices[%m](%x, %m) : tensor<?x?xf32>, index
  tile.dispatch @sum[%m](%x, %m) : tensor<?x?xf32>, index
  tile.plan_yield %c0
}

// -----

// Beside workgroups that leave half of the registers to others small ones find room on every processor.

#regs = #tile.regs<vec = [1, 4], lanes = [8, 4], groups = [1, 1]>
!f = !frag.f<8x16xf32, #regs>
!v = !tile.view<?x?xf32, strides = [?, 1]>

// CHECK-LABEL: frag.kernel @few(
// CHECK: frag.read
// CHECK-NEXT: frag.release_dependents
// CHECK-LABEL: frag.kernel @many(
// CHECK: frag.await_dependencies
// CHECK-NOT: frag.release_dependents
// CHECK-LABEL: frag.kernel @sum(
frag.kernel @few(%p: !tile.ptr<f32>, %n: index) attributes {threads = 32 : i64, shared_bytes = 58368 : i64, target = #ptx.target<"sm_90a">} {
  %c0 = arith.constant 0 : index
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f32> -> !v
  %x = frag.read %v[%c0, %c0] : !v -> !f
  frag.write %x, %v[%c0, %n] : !f, !v
  frag.return
}
frag.kernel @many(%p: !tile.ptr<f32>, %n: index) attributes {threads = 32 : i64, shared_bytes = 46080 : i64, target = #ptx.target<"sm_90a">} {
  %c0 = arith.constant 0 : index
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f32> -> !v
  %x = frag.read %v[%c0, %c0] : !v -> !f
  frag.write %x, %v[%c0, %n] : !f, !v
  frag.return
}
frag.kernel @sum(%p: !tile.ptr<f32>, %n: index) attributes {threads = 32 : i64, target = #ptx.target<"sm_90a">} {
  %c0 = arith.constant 0 : index
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f32> -> !v
  %x = frag.read %v[%c0, %c0] : !v -> !f
  frag.write %x, %v[%c0, %n] : !f, !v
  frag.return
}
tile.plan @k(%x: tensor<?x?xf32>) attributes {output_count = 1 : i64} {
  %c0 = arith.constant 0 : index
  %m = tile.extent %x, 0 : tensor<?x?xf32>
  tile.dispatch @few[%m](%x, %m) : tensor<?x?xf32>, index
  tile.dispatch @many[%m](%x, %m) : tensor<?x?xf32>, index
  tile.dispatch @sum[%m](%x, %m) : tensor<?x?xf32>, index
  tile.plan_yield %c0
}

// -----

// Workgroups that have a processor for themselves gather nowhere.

#regs = #tile.regs<vec = [1, 4], lanes = [8, 4], groups = [1, 1]>
!f = !frag.f<8x16xf32, #regs>
!v = !tile.view<?x?xf32, strides = [?, 1]>

// CHECK-LABEL: frag.kernel @first(
// CHECK: frag.read
// CHECK-NEXT: frag.release_dependents
// CHECK-LABEL: frag.kernel @large(
frag.kernel @first(%p: !tile.ptr<f32>, %n: index) attributes {threads = 32 : i64, target = #ptx.target<"sm_90a">} {
  %c0 = arith.constant 0 : index
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f32> -> !v
  %x = frag.read %v[%c0, %c0] : !v -> !f
  frag.write %x, %v[%c0, %n] : !f, !v
  frag.return
}
frag.kernel @large(%p: !tile.ptr<f32>, %n: index) attributes {threads = 32 : i64, shared_bytes = 131072 : i64, target = #ptx.target<"sm_90a">} {
  %c0 = arith.constant 0 : index
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f32> -> !v
  %x = frag.read %v[%c0, %c0] : !v -> !f
  frag.write %x, %v[%c0, %n] : !f, !v
  frag.return
}
tile.plan @k(%x: tensor<?x?xf32>) attributes {output_count = 1 : i64} {
  %c0 = arith.constant 0 : index
  %m = tile.extent %x, 0 : tensor<?x?xf32>
  tile.dispatch @first[%m](%x, %m) : tensor<?x?xf32>, index
  tile.dispatch @large[%m](%x, %m) : tensor<?x?xf32>, index
  tile.plan_yield %c0
}

// -----

// Not on a target that cannot, nor where nothing is touched, nor where somebody has decided already.

#regs = #tile.regs<vec = [1, 4], lanes = [8, 4], groups = [1, 1]>
!f = !frag.f<8x16xf32, #regs>
!v = !tile.view<?x?xf32, strides = [?, 1]>

// CHECK-LABEL: frag.kernel @older(
// CHECK-NOT: frag.release_dependents
// CHECK-NOT: frag.await_dependencies
frag.kernel @older(%p: !tile.ptr<f32>, %n: index) attributes {threads = 32 : i64, target = #ptx.target<"sm_89">} {
  %c0 = arith.constant 0 : index
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f32> -> !v
  %x = frag.read %v[%c0, %c0] : !v -> !f
  frag.write %x, %v[%c0, %n] : !f, !v
  frag.return
}

// CHECK-LABEL: frag.kernel @nothing(
// CHECK-NOT: frag.release_dependents
// CHECK-NOT: frag.await_dependencies
frag.kernel @nothing(%p: !tile.ptr<f32>, %n: index) attributes {threads = 32 : i64, target = #ptx.target<"sm_90a">} {
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f32> -> !v
  frag.return
}

// CHECK-LABEL: frag.kernel @decided(
// CHECK-NOT: frag.release_dependents
// CHECK: frag.await_dependencies
// CHECK-NEXT: arith.constant
// CHECK-NOT: frag.await_dependencies
frag.kernel @decided(%p: !tile.ptr<f32>, %n: index) attributes {threads = 32 : i64, target = #ptx.target<"sm_90a">} {
  frag.await_dependencies
  %c0 = arith.constant 0 : index
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f32> -> !v
  %x = frag.read %v[%c0, %c0] : !v -> !f
  frag.write %x, %v[%c0, %n] : !f, !v
  frag.return
}
