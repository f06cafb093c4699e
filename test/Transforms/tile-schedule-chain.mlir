// RUN: helios-opt %s --split-input-file --mlir-print-local-scope --pass-pipeline='builtin.module(tile.program(tile-schedule))' | FileCheck %s
// RUN: helios-opt %s --split-input-file --pass-pipeline='builtin.module(tile.program(tile-schedule,tile-expand),canonicalize)' | FileCheck %s --check-prefix=EXPAND

// Two asynchronous products, the second of which needs what lanes make of the first: the second is a trip late.

#mma = #ptx.wgmma<n = 64, f16, f16, f32>
#acc = #tile.acc<#mma, groups = [1, 1]>
#a = #tile.operand<a, #mma, groups = [1, 1]>
#s = #tile.shared<order = [1, 0], swizzle = 128>
#t = #tile.shared<order = [0, 1], swizzle = 128>
!ring = !tile.ring<2x(tensor<64x64xf16, #s>), load, copy = #ptx.bulk>
!v = !tile.view<?x?xf16, strides = [?, 1], div = [64, 1], align = 16>
!q = !tile.ring<1x(tensor<64x64xf16, #s>), load, copy = #ptx.bulk>
// CHECK-LABEL: @chain
// EXPAND-LABEL: @chain
tile.program @chain(%p: !tile.ptr<f16>, %n: index {tile.range = array<i64: 1, 1000>})
    attributes {config = #tile.config<groups = [1, 1], strategy = roles, depth = 2>, target = #ptx.target<"sm_90a">} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %m = arith.muli %n, %c64 : index
  %view = tile.view %p[%m, %c64] strides [%c64] : !tile.ptr<f16> -> !v
  %rq, %cq0 = tile.ring : !q
  %rk, %ck0 = tile.ring : !ring
  %rv, %cv0 = tile.ring : !ring
  tile.roles captures(%view = %view, %rq = %rq, %rk = %rk, %rv = %rv, %cq0 = %cq0, %ck0 = %ck0, %cv0 = %cv0, %n = %n
      : !v, !q, !ring, !ring, !tile.cursor, !tile.cursor, !tile.cursor, index) {
    tile.role "load" lanes(1) {
      %z = arith.constant 0 : index
      %o = arith.constant 1 : index
      %wq, %cq1 = tile.enter write %rq[%cq0] : !q -> !tile.slot<write>
      %tq = tile.copy_in %view[%z, %z] into %wq[0] : !v, !tile.slot<write>
      tile.exit %wq after(%tq : !tile.token) : !tile.slot<write>
      %x:2 = scf.for %i = %z to %n step %o iter_args(%ck = %ck0, %cv = %cv0) -> (!tile.cursor, !tile.cursor) {
        %wk, %ck1 = tile.enter write %rk[%ck] : !ring -> !tile.slot<write>
        %tk = tile.copy_in %view[%i, %z] into %wk[0] : !v, !tile.slot<write>
        tile.exit %wk after(%tk : !tile.token) : !tile.slot<write>
        %wv, %cv1 = tile.enter write %rv[%cv] : !ring -> !tile.slot<write>
        %tv = tile.copy_in %view[%i, %z] into %wv[0] : !v, !tile.slot<write>
        tile.exit %wv after(%tv : !tile.token) : !tile.slot<write>
        scf.yield %ck1, %cv1 : !tile.cursor, !tile.cursor
      }
    }
    // CHECK: tile.role "math"
    // EXPAND: tile.role "math"
    tile.role "math" lanes(128) {
      %z = arith.constant 0 : index
      %o = arith.constant 1 : index
      %none = arith.constant dense<0.0> : tensor<64x64xf32, #acc>
      %sq, %cq1, %q = tile.enter read %rq[%cq0] : !q -> !tile.slot<read>, tensor<64x64xf16, #s>
      // EXPAND: %[[SQ:.*]], %{{.*}}, %[[Q:.*]] = tile.enter{{ +}}read
      // EXPAND: tile.enter{{ +}}read
      // EXPAND: %[[S0:.*]] = tile.dot %[[Q]]
      // EXPAND: tile.exit %{{.*}} after(%[[S0]]
      // EXPAND: %[[E0:.*]] = math.exp2 %[[S0]]
      // EXPAND: %[[O0:.*]] = arith.mulf
      // EXPAND: %[[T0:.*]] = arith.truncf %[[E0]]
      // EXPAND: %[[P0:.*]] = tile.convert_layout %[[T0]]
      // EXPAND: %[[X:.*]]:4 = scf.for {{.*}} iter_args(%{{.*}}, %[[CV:.*]] = %{{.*}}, %[[P:.*]] = %[[P0]], %[[O:.*]] = %[[O0]])
      %x:3 = scf.for %i = %z to %n step %o iter_args(%sum = %none, %ck = %ck0, %cv = %cv0)
          -> (tensor<64x64xf32, #acc>, !tile.cursor, !tile.cursor) {
        // CHECK: tile.enter{{.*}}stage = 0, order = 0
        %sk, %ck1, %k = tile.enter read %rk[%ck] : !ring -> !tile.slot<read>, tensor<64x64xf16, #s>
        %kt = tile.transpose %k : tensor<64x64xf16, #s> -> tensor<64x64xf16, #t>
        // CHECK: tile.dot{{.*}}stage = 0, order = 0
        %s = tile.dot %q, %kt, %none mma #mma : tensor<64x64xf16, #s>, tensor<64x64xf16, #t>, tensor<64x64xf32, #acc>
        // CHECK: tile.exit{{.*}}stage = 0, order = 2
        tile.exit %sk after(%s : tensor<64x64xf32, #acc>) : !tile.slot<read>
        // What needs the first product alone runs beside the second.
        // CHECK: math.exp2{{.*}}stage = 0, order = 2
        %e = math.exp2 %s : tensor<64x64xf32, #acc>
        // CHECK: arith.truncf{{.*}}stage = 0, order = 5
        %e16 = arith.truncf %e : tensor<64x64xf32, #acc> to tensor<64x64xf16, #acc>
        // CHECK: tile.convert_layout{{.*}}stage = 0, order = 5
        %p = tile.convert_layout %e16 : tensor<64x64xf16, #acc> -> tensor<64x64xf16, #a>
        // CHECK: arith.mulf{{.*}}stage = 0, order = 4
        %scaled = arith.mulf %sum, %e : tensor<64x64xf32, #acc>
        // CHECK: tile.enter{{.*}}stage = 1, order = 1
        %sv, %cv1, %v = tile.enter read %rv[%cv] : !ring -> !tile.slot<read>, tensor<64x64xf16, #s>
        // CHECK: tile.dot{{.*}}stage = 1, order = 1
        %y = tile.dot %p, %v, %scaled mma #mma : tensor<64x64xf16, #a>, tensor<64x64xf16, #s>, tensor<64x64xf32, #acc>
        // CHECK: tile.exit{{.*}}stage = 1, order = 3
        tile.exit %sv after(%y : tensor<64x64xf32, #acc>) : !tile.slot<read>
        scf.yield %y, %ck1, %cv1 : tensor<64x64xf32, #acc>, !tile.cursor, !tile.cursor
      }
      // EXPAND: %[[SK:.*]], %{{.*}}, %{{.*}} = tile.enter{{ +}}read
      // EXPAND: %[[S:.*]] = tile.dot %[[Q]]
      // EXPAND-NEXT: %[[SV:.*]], %[[CV1:.*]], %{{.*}} = tile.enter{{ +}}read %{{.*}}[%[[CV]]]
      // EXPAND-NEXT: %[[Y:.*]] = tile.dot %[[P]], %{{.*}}, %[[O]]
      // EXPAND-NEXT: tile.exit %[[SK]] after(%[[S]]
      // EXPAND-NEXT: %[[E:.*]] = math.exp2 %[[S]]
      // EXPAND-NEXT: tile.exit %[[SV]] after(%[[Y]]
      // EXPAND-NEXT: %[[O1:.*]] = arith.mulf %[[Y]]
      // EXPAND-NEXT: %[[T1:.*]] = arith.truncf %[[E]]
      // EXPAND-NEXT: %[[P1:.*]] = tile.convert_layout %[[T1]]
      // EXPAND-NEXT: scf.yield %{{.*}}, %[[CV1]], %[[P1]], %[[O1]]
      // The last trip's second product is certain, so nothing chooses.
      // EXPAND-NOT: arith.select
      // EXPAND: %[[SL:.*]], %{{.*}}, %[[VL:.*]] = tile.enter{{ +}}read
      // EXPAND-NEXT: %[[YL:.*]] = tile.dot %[[X]]#2, %[[VL]], %[[X]]#3
      // EXPAND-NEXT: tile.exit %[[SL]] after(%[[YL]]
      // The slot of what all trips read: the loop's, and the first trip's before it.
      // EXPAND-NEXT: tile.exit %[[SQ]] after(%[[YL]], %[[X]]#3, %[[S0]]
      tile.exit %sq after(%x#0 : tensor<64x64xf32, #acc>) : !tile.slot<read>
    }
  }
  tile.return
}

// -----

#mma = #ptx.wgmma<n = 64, f16, f16, f32>
#acc = #tile.acc<#mma, groups = [1, 1]>
#a = #tile.operand<a, #mma, groups = [1, 1]>
#s = #tile.shared<order = [1, 0], swizzle = 128>
!ring = !tile.ring<2x(tensor<64x64xf16, #s>), load, copy = #ptx.bulk>
!v = !tile.view<?x?xf16, strides = [?, 1], div = [64, 1], align = 16>
// A loop that may make no trip has no first one to stand before it.
// CHECK-LABEL: @perhaps_none
// EXPAND-LABEL: @perhaps_none
tile.program @perhaps_none(%p: !tile.ptr<f16>, %n: index {tile.range = array<i64: 0, 1000>})
    attributes {config = #tile.config<groups = [1, 1], strategy = roles, depth = 2>, target = #ptx.target<"sm_90a">} {
  %c64 = arith.constant 64 : index
  %m = arith.muli %n, %c64 : index
  %view = tile.view %p[%m, %c64] strides [%c64] : !tile.ptr<f16> -> !v
  %rk, %ck0 = tile.ring : !ring
  tile.roles captures(%view = %view, %rk = %rk, %ck0 = %ck0, %n = %n : !v, !ring, !tile.cursor, index) {
    tile.role "load" lanes(1) {
      %z = arith.constant 0 : index
      %o = arith.constant 1 : index
      %x = scf.for %i = %z to %n step %o iter_args(%ck = %ck0) -> (!tile.cursor) {
        %wk, %ck1 = tile.enter write %rk[%ck] : !ring -> !tile.slot<write>
        %tk = tile.copy_in %view[%i, %z] into %wk[0] : !v, !tile.slot<write>
        tile.exit %wk after(%tk : !tile.token) : !tile.slot<write>
        scf.yield %ck1 : !tile.cursor
      }
    }
    tile.role "math" lanes(128) {
      %z = arith.constant 0 : index
      %o = arith.constant 1 : index
      %none = arith.constant dense<0.0> : tensor<64x64xf32, #acc>
      %q = arith.constant dense<1.0> : tensor<64x64xf16, #a>
      %x:2 = scf.for %i = %z to %n step %o iter_args(%sum = %none, %ck = %ck0) -> (tensor<64x64xf32, #acc>, !tile.cursor) {
        // CHECK: tile.role "math"
        // CHECK-NOT: tile.sched
        %sk, %ck1, %k = tile.enter read %rk[%ck] : !ring -> !tile.slot<read>, tensor<64x64xf16, #s>
        %s = tile.dot %q, %k, %none mma #mma : tensor<64x64xf16, #a>, tensor<64x64xf16, #s>, tensor<64x64xf32, #acc>
        %e16 = arith.truncf %s : tensor<64x64xf32, #acc> to tensor<64x64xf16, #acc>
        %p = tile.convert_layout %e16 : tensor<64x64xf16, #acc> -> tensor<64x64xf16, #a>
        %y = tile.dot %p, %k, %sum mma #mma : tensor<64x64xf16, #a>, tensor<64x64xf16, #s>, tensor<64x64xf32, #acc>
        tile.exit %sk after(%s, %y : tensor<64x64xf32, #acc>, tensor<64x64xf32, #acc>) : !tile.slot<read>
        scf.yield %y, %ck1 : tensor<64x64xf32, #acc>, !tile.cursor
      }
    }
  }
  tile.return
}

// -----

#mma = #ptx.wgmma<n = 64, f16, f16, f32>
#acc = #tile.acc<#mma, groups = [1, 1]>
#a = #tile.operand<a, #mma, groups = [1, 1]>
#s = #tile.shared<order = [1, 0], swizzle = 128>
!ring = !tile.ring<2x(tensor<64x64xf16, #s>), load, copy = #ptx.bulk>
!v = !tile.view<?x?xf16, strides = [?, 1], div = [64, 1], align = 16>
// Products that read one slot stay in one stage: its tile is not carried from trip to trip.
// CHECK-LABEL: @one_slot
// EXPAND-LABEL: @one_slot
tile.program @one_slot(%p: !tile.ptr<f16>, %n: index {tile.range = array<i64: 1, 1000>})
    attributes {config = #tile.config<groups = [1, 1], strategy = roles, depth = 2>, target = #ptx.target<"sm_90a">} {
  %c64 = arith.constant 64 : index
  %m = arith.muli %n, %c64 : index
  %view = tile.view %p[%m, %c64] strides [%c64] : !tile.ptr<f16> -> !v
  %rk, %ck0 = tile.ring : !ring
  tile.roles captures(%view = %view, %rk = %rk, %ck0 = %ck0, %n = %n : !v, !ring, !tile.cursor, index) {
    tile.role "load" lanes(1) {
      %z = arith.constant 0 : index
      %o = arith.constant 1 : index
      %x = scf.for %i = %z to %n step %o iter_args(%ck = %ck0) -> (!tile.cursor) {
        %wk, %ck1 = tile.enter write %rk[%ck] : !ring -> !tile.slot<write>
        %tk = tile.copy_in %view[%i, %z] into %wk[0] : !v, !tile.slot<write>
        tile.exit %wk after(%tk : !tile.token) : !tile.slot<write>
        scf.yield %ck1 : !tile.cursor
      }
    }
    tile.role "math" lanes(128) {
      %z = arith.constant 0 : index
      %o = arith.constant 1 : index
      %none = arith.constant dense<0.0> : tensor<64x64xf32, #acc>
      %q = arith.constant dense<1.0> : tensor<64x64xf16, #a>
      %x:2 = scf.for %i = %z to %n step %o iter_args(%sum = %none, %ck = %ck0) -> (tensor<64x64xf32, #acc>, !tile.cursor) {
        // CHECK: tile.role "math"
        // CHECK-NOT: stage = 1{{.*}}tile.dot
        %sk, %ck1, %k = tile.enter read %rk[%ck] : !ring -> !tile.slot<read>, tensor<64x64xf16, #s>
        %s = tile.dot %q, %k, %none mma #mma : tensor<64x64xf16, #a>, tensor<64x64xf16, #s>, tensor<64x64xf32, #acc>
        %e16 = arith.truncf %s : tensor<64x64xf32, #acc> to tensor<64x64xf16, #acc>
        %p = tile.convert_layout %e16 : tensor<64x64xf16, #acc> -> tensor<64x64xf16, #a>
        // CHECK-COUNT-2: tile.dot{{.*}}stage = 0
        %y = tile.dot %p, %k, %sum mma #mma : tensor<64x64xf16, #a>, tensor<64x64xf16, #s>, tensor<64x64xf32, #acc>
        tile.exit %sk after(%s, %y : tensor<64x64xf32, #acc>, tensor<64x64xf32, #acc>) : !tile.slot<read>
        scf.yield %y, %ck1 : tensor<64x64xf32, #acc>, !tile.cursor
      }
    }
  }
  tile.return
}

// -----

#mma = #ptx.wgmma<n = 64, f16, f16, f32>
#acc = #tile.acc<#mma, groups = [1, 1]>
#a = #tile.operand<a, #mma, groups = [1, 1]>
#s = #tile.shared<order = [1, 0], swizzle = 128>
#t = #tile.shared<order = [0, 1], swizzle = 128>
!ring = !tile.ring<2x(tensor<64x64xf16, #s>), load, copy = #ptx.bulk>
!v = !tile.view<?x?xf16, strides = [?, 1], div = [64, 1], align = 16>
!q = !tile.ring<1x(tensor<64x64xf16, #s>), load, copy = #ptx.bulk>
// A part of the steps, but one at least: from min(first, n - 1) to min(max(last, first + 1), n).
// CHECK-LABEL: @some
// CHECK: tile.role "math"
// CHECK: tile.dot{{.*}}stage = 0, order = 0
// CHECK: tile.dot{{.*}}stage = 1, order = 1
tile.program @some(%p: !tile.ptr<f16>, %n: index {tile.range = array<i64: 1, 1000>}, %first: index, %last: index)
    attributes {config = #tile.config<groups = [1, 1], strategy = roles, depth = 2>, target = #ptx.target<"sm_90a">} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %m = arith.muli %n, %c64 : index
  %view = tile.view %p[%m, %c64] strides [%c64] : !tile.ptr<f16> -> !v
  %rq, %cq0 = tile.ring : !q
  %rk, %ck0 = tile.ring : !ring
  %rv, %cv0 = tile.ring : !ring
  tile.roles captures(%view = %view, %rq = %rq, %rk = %rk, %rv = %rv, %cq0 = %cq0, %ck0 = %ck0, %cv0 = %cv0, %n = %n, %first = %first, %last = %last
      : !v, !q, !ring, !ring, !tile.cursor, !tile.cursor, !tile.cursor, index, index, index) {
    tile.role "load" lanes(1) {
      %z = arith.constant 0 : index
      %o = arith.constant 1 : index
      %wq, %cq1 = tile.enter write %rq[%cq0] : !q -> !tile.slot<write>
      %tq = tile.copy_in %view[%z, %z] into %wq[0] : !v, !tile.slot<write>
      tile.exit %wq after(%tq : !tile.token) : !tile.slot<write>
      %before = arith.subi %n, %o : index
      %low = arith.minsi %first, %before : index
      %next = arith.addi %first, %o : index
      %least = arith.maxsi %last, %next : index
      %high = arith.minsi %least, %n : index
      %x:2 = scf.for %i = %low to %high step %o iter_args(%ck = %ck0, %cv = %cv0) -> (!tile.cursor, !tile.cursor) {
        %wk, %ck1 = tile.enter write %rk[%ck] : !ring -> !tile.slot<write>
        %tk = tile.copy_in %view[%i, %z] into %wk[0] : !v, !tile.slot<write>
        tile.exit %wk after(%tk : !tile.token) : !tile.slot<write>
        %wv, %cv1 = tile.enter write %rv[%cv] : !ring -> !tile.slot<write>
        %tv = tile.copy_in %view[%i, %z] into %wv[0] : !v, !tile.slot<write>
        tile.exit %wv after(%tv : !tile.token) : !tile.slot<write>
        scf.yield %ck1, %cv1 : !tile.cursor, !tile.cursor
      }
    }
    tile.role "math" lanes(128) {
      %z = arith.constant 0 : index
      %o = arith.constant 1 : index
      %none = arith.constant dense<0.0> : tensor<64x64xf32, #acc>
      %sq, %cq1, %q = tile.enter read %rq[%cq0] : !q -> !tile.slot<read>, tensor<64x64xf16, #s>
      %before = arith.subi %n, %o : index
      %low = arith.minsi %first, %before : index
      %next = arith.addi %first, %o : index
      %least = arith.maxsi %last, %next : index
      %high = arith.minsi %least, %n : index
      %x:3 = scf.for %i = %low to %high step %o iter_args(%sum = %none, %ck = %ck0, %cv = %cv0)
          -> (tensor<64x64xf32, #acc>, !tile.cursor, !tile.cursor) {
        %sk, %ck1, %k = tile.enter read %rk[%ck] : !ring -> !tile.slot<read>, tensor<64x64xf16, #s>
        %kt = tile.transpose %k : tensor<64x64xf16, #s> -> tensor<64x64xf16, #t>
        %s = tile.dot %q, %kt, %none mma #mma : tensor<64x64xf16, #s>, tensor<64x64xf16, #t>, tensor<64x64xf32, #acc>
        tile.exit %sk after(%s : tensor<64x64xf32, #acc>) : !tile.slot<read>
        // What needs the first product alone runs beside the second.
        %e = math.exp2 %s : tensor<64x64xf32, #acc>
        %e16 = arith.truncf %e : tensor<64x64xf32, #acc> to tensor<64x64xf16, #acc>
        %p = tile.convert_layout %e16 : tensor<64x64xf16, #acc> -> tensor<64x64xf16, #a>
        %scaled = arith.mulf %sum, %e : tensor<64x64xf32, #acc>
        %sv, %cv1, %v = tile.enter read %rv[%cv] : !ring -> !tile.slot<read>, tensor<64x64xf16, #s>
        %y = tile.dot %p, %v, %scaled mma #mma : tensor<64x64xf16, #a>, tensor<64x64xf16, #s>, tensor<64x64xf32, #acc>
        tile.exit %sv after(%y : tensor<64x64xf32, #acc>) : !tile.slot<read>
        scf.yield %y, %ck1, %cv1 : tensor<64x64xf32, #acc>, !tile.cursor, !tile.cursor
      }
      // The last trip's second product is certain, so nothing chooses.
      // The slot of what all trips read: the loop's, and the first trip's before it.
      tile.exit %sq after(%x#0 : tensor<64x64xf32, #acc>) : !tile.slot<read>
    }
  }
  tile.return
}
