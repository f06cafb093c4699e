// RUN: helios-opt %s --pass-pipeline='builtin.module(frag.kernel(frag-pipeline-k-steps),canonicalize)' | FileCheck %s

#mma = #ptx.mma_sync<[16, 8, 16], f16, f16, f32>
#a = #tile.operand<a, #mma, groups = [1, 1]>
#b = #tile.operand<b, #mma, groups = [1, 1]>
#acc = #tile.acc<#mma, groups = [1, 1]>
#s = #tile.shared<order = [1, 0], swizzle = 64>
!t = tensor<16x32xf16, #s>
!ring = !frag.ring<!tile.ring<2x(!t, !t), load, copy = #ptx.async16>>
!m = !frag.mem<16x32xf16, #s>
!fa = !frag.f<16x16xf16, #a>
!fb = !frag.f<16x16xf16, #b>
!acc = !frag.f<16x16xf32, #acc>

// The reads of step 1 stand before the products of step 0; the next trip's slot is acquired and its first operands are read before the
// products of step 1. The slot behind the loop is the one that was acquired in the last trip, and cursors go on.
// CHECK-LABEL: @two_steps
// CHECK: %[[RING:.*]] = frag.shared
// CHECK: %[[S0:.*]], %[[C1:.*]] = frag.acquire read %[[RING]][%c0_i32]
// CHECK: %[[A0:.*]] = frag.read
// CHECK: %[[B0:.*]] = frag.read {{.*}} trans
// CHECK: %[[X:.*]]:5 = scf.for {{.*}} iter_args(%[[ACC:.*]] = %{{.*}}, %[[C:.*]] = %[[C1]], %[[S:.*]] = %[[S0]], %[[A:.*]] = %[[A0]], %[[B:.*]] = %[[B0]])
// CHECK-NOT: frag.acquire
// CHECK: %[[MA:.*]] = frag.slot_mem %[[S]][0]
// CHECK: %[[A1:.*]] = frag.read %[[MA]][%c0, %c16]
// CHECK: %[[MB:.*]] = frag.slot_mem %[[S]][1]
// CHECK: %[[B1:.*]] = frag.read %[[MB]][%c0, %c16] trans
// CHECK: %[[Y0:.*]] = frag.mma {{.*}} %[[A]], %[[B]], %[[ACC]]
// CHECK: frag.release %[[S]]
// CHECK: %[[S1:.*]], %[[C2:.*]] = frag.acquire read %[[RING]][%[[C]]]
// CHECK: %[[A2:.*]] = frag.read %{{.*}}[%c0, %c0]
// CHECK: %[[B2:.*]] = frag.read %{{.*}}[%c0, %c0] trans
// CHECK: %[[Y1:.*]] = frag.mma {{.*}} %[[A1]], %[[B1]], %[[Y0]]
// CHECK-NEXT: scf.yield %[[Y1]], %[[C2]], %[[S1]], %[[A2]], %[[B2]]
// CHECK: frag.release %[[X]]#2
// CHECK-NOT: frag.acquire
// CHECK: frag.return
frag.kernel @two_steps(%n: index) attributes {threads = 32 : i64, shared_bytes = 4096 : i64, target = #ptx.target<"sm_89">} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant 0 : i32
  %f = arith.constant 0.0 : f32
  %init = frag.splat %f : f32 -> !acc
  %ring = frag.shared 0 : !ring
  %x:2 = scf.for %k = %c0 to %n step %c1 iter_args(%sum = %init, %c = %zero) -> (!acc, i32) {
    %slot, %next = frag.acquire read %ring[%c] : !ring
    %ma = frag.slot_mem %slot[0] : !m
    %mb = frag.slot_mem %slot[1] : !m
    %a0 = frag.read %ma[%c0, %c0] : !m -> !fa
    %b0 = frag.read %mb[%c0, %c0] trans : !m -> !fb
    %y0 = frag.mma #mma %a0, %b0, %sum : !fa, !fb, !acc
    %a1 = frag.read %ma[%c0, %c16] : !m -> !fa
    %b1 = frag.read %mb[%c0, %c16] trans : !m -> !fb
    %y1 = frag.mma #mma %a1, %b1, %y0 : !fa, !fb, !acc
    frag.release %slot
    scf.yield %y1, %next : !acc, i32
  }
  %last, %end = frag.acquire read %ring[%x#1] : !ring
  frag.release %last
  frag.return
}

// CHECK-LABEL: @one_step
// CHECK: scf.for
// CHECK: frag.release
// CHECK: frag.acquire read
// CHECK: frag.read
// CHECK: frag.mma
// CHECK-NEXT: scf.yield
frag.kernel @one_step(%n: index) attributes {threads = 32 : i64, shared_bytes = 4096 : i64, target = #ptx.target<"sm_89">} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant 0 : i32
  %f = arith.constant 0.0 : f32
  %init = frag.splat %f : f32 -> !acc
  %ring = frag.shared 0 : !ring
  %x:2 = scf.for %k = %c0 to %n step %c1 iter_args(%sum = %init, %c = %zero) -> (!acc, i32) {
    %slot, %next = frag.acquire read %ring[%c] : !ring
    %ma = frag.slot_mem %slot[0] : !m
    %mb = frag.slot_mem %slot[1] : !m
    %a0 = frag.read %ma[%c0, %c0] : !m -> !fa
    %b0 = frag.read %mb[%c0, %c0] trans : !m -> !fb
    %y0 = frag.mma #mma %a0, %b0, %sum : !fa, !fb, !acc
    frag.release %slot
    scf.yield %y0, %next : !acc, i32
  }
  %last, %end = frag.acquire read %ring[%x#1] : !ring
  frag.release %last
  frag.return
}

// Without a slot behind the loop, nothing may be read ahead of its end.
// CHECK-LABEL: @no_drain
// CHECK-NOT: frag.acquire
// CHECK: scf.for
// CHECK-NEXT: frag.acquire read
frag.kernel @no_drain(%n: index) attributes {threads = 32 : i64, shared_bytes = 4096 : i64, target = #ptx.target<"sm_89">} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant 0 : i32
  %f = arith.constant 0.0 : f32
  %init = frag.splat %f : f32 -> !acc
  %ring = frag.shared 0 : !ring
  %x:2 = scf.for %k = %c0 to %n step %c1 iter_args(%sum = %init, %c = %zero) -> (!acc, i32) {
    %slot, %next = frag.acquire read %ring[%c] : !ring
    %ma = frag.slot_mem %slot[0] : !m
    %mb = frag.slot_mem %slot[1] : !m
    %a0 = frag.read %ma[%c0, %c0] : !m -> !fa
    %b0 = frag.read %mb[%c0, %c0] trans : !m -> !fb
    %y0 = frag.mma #mma %a0, %b0, %sum : !fa, !fb, !acc
    %a1 = frag.read %ma[%c0, %c16] : !m -> !fa
    %b1 = frag.read %mb[%c0, %c16] trans : !m -> !fb
    %y1 = frag.mma #mma %a1, %b1, %y0 : !fa, !fb, !acc
    frag.release %slot
    scf.yield %y1, %next : !acc, i32
  }
  frag.return
}

// Nor where the operands of two steps do not fit.
// CHECK-LABEL: @tight
// CHECK-NOT: frag.acquire
// CHECK: scf.for
// CHECK-NEXT: frag.acquire read
frag.kernel @tight(%n: index) attributes {threads = 32 : i64, regs = 64 : i64, shared_bytes = 4096 : i64, target = #ptx.target<"sm_89">} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant 0 : i32
  %f = arith.constant 0.0 : f32
  %init = frag.splat %f : f32 -> !acc
  %ring = frag.shared 0 : !ring
  %x:2 = scf.for %k = %c0 to %n step %c1 iter_args(%sum = %init, %c = %zero) -> (!acc, i32) {
    %slot, %next = frag.acquire read %ring[%c] : !ring
    %ma = frag.slot_mem %slot[0] : !m
    %mb = frag.slot_mem %slot[1] : !m
    %a0 = frag.read %ma[%c0, %c0] : !m -> !fa
    %b0 = frag.read %mb[%c0, %c0] trans : !m -> !fb
    %y0 = frag.mma #mma %a0, %b0, %sum : !fa, !fb, !acc
    %a1 = frag.read %ma[%c0, %c16] : !m -> !fa
    %b1 = frag.read %mb[%c0, %c16] trans : !m -> !fb
    %y1 = frag.mma #mma %a1, %b1, %y0 : !fa, !fb, !acc
    frag.release %slot
    scf.yield %y1, %next : !acc, i32
  }
  %last, %end = frag.acquire read %ring[%x#1] : !ring
  frag.release %last
  frag.return
}

// Nor where something else than the products reads the slot.
// CHECK-LABEL: @other_reader
// CHECK-NOT: frag.acquire
// CHECK: scf.for
// CHECK-NEXT: frag.acquire read
frag.kernel @other_reader(%n: index) attributes {threads = 32 : i64, shared_bytes = 4096 : i64, target = #ptx.target<"sm_89">} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant 0 : i32
  %f = arith.constant 0.0 : f32
  %init = frag.splat %f : f32 -> !acc
  %ring = frag.shared 0 : !ring
  %x:2 = scf.for %k = %c0 to %n step %c1 iter_args(%sum = %init, %c = %zero) -> (!acc, i32) {
    %slot, %next = frag.acquire read %ring[%c] : !ring
    %ma = frag.slot_mem %slot[0] : !m
    %mb = frag.slot_mem %slot[1] : !m
    %a0 = frag.read %ma[%c0, %c0] : !m -> !fa
    %b0 = frag.read %mb[%c0, %c0] trans : !m -> !fb
    %y0 = frag.mma #mma %a0, %b0, %sum : !fa, !fb, !acc
    %a1 = frag.read %ma[%c0, %c16] : !m -> !fa
    %b1 = frag.read %mb[%c0, %c16] trans : !m -> !fb
    %y1 = frag.mma #mma %a1, %b1, %y0 : !fa, !fb, !acc
    %o = frag.read %mb[%c0, %c0] : !m -> !fa
    frag.release %slot
    scf.yield %y1, %next : !acc, i32
  }
  %last, %end = frag.acquire read %ring[%x#1] : !ring
  frag.release %last
  frag.return
}

// Nor where an operand comes another way, through barriers of its own.
// CHECK-LABEL: @other_way
// CHECK-NOT: frag.acquire
// CHECK: scf.for
// CHECK-NEXT: frag.acquire read
frag.kernel @other_way(%n: index) attributes {threads = 32 : i64, shared_bytes = 6144 : i64, target = #ptx.target<"sm_89">} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %f = arith.constant 0.0 : f32
  %init = frag.splat %f : f32 -> !acc
  %ring = frag.shared 0 : !ring
  %buffer = frag.shared 4096 : !m
  %x:2 = scf.for %k = %c0 to %n step %c1 iter_args(%sum = %init, %c = %zero) -> (!acc, i32) {
    %slot, %next = frag.acquire read %ring[%c] : !ring
    %ma = frag.slot_mem %slot[0] : !m
    %a0 = frag.read %ma[%c0, %c0] : !m -> !fa
    %b0 = frag.read %buffer[%c0, %c0] trans : !m -> !fb
    %y0 = frag.mma #mma %a0, %b0, %sum : !fa, !fb, !acc
    frag.release %slot
    scf.yield %y0, %next : !acc, i32
  }
  %last, %end = frag.acquire read %ring[%x#1] : !ring
  frag.release %last
  frag.return
}
