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

#coop = #spv.coop<[16, 16, 16], f16, f16, f32, lanes = 8>
!left = !frag.f<16x16xf16, #tile.opaque<a, #coop, groups = [1, 1]>>
!right = !frag.f<16x16xf16, #tile.opaque<b, #coop, groups = [1, 1]>>
!sums = !frag.f<16x16xf32, #tile.opaque<acc, #coop, groups = [1, 1]>>
// CHECK-LABEL: @two_buffers
// Two buffers in turn: what is written for the next step has the time of this step's second product, and one barrier a step, in front of the next
// step's first read, is enough.
frag.kernel @two_buffers(%n: index) attributes {threads = 8 : i64, shared_bytes = 1024 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %h = arith.constant 1.0 : f16
  %f = arith.constant 0.0 : f32
  %x = frag.splat %h : f16 -> !f
  %right = frag.splat %h : f16 -> !right
  %init = frag.splat %f : f32 -> !sums
  %a = frag.shared 0 : !m
  %b = frag.shared 512 : !m
  frag.write %x, %a[%c0, %c0] : !f, !m
  // CHECK: scf.for
  %sum = scf.for %k = %c0 to %n step %c1 iter_args(%y = %init) -> (!sums) {
    // CHECK-NEXT: frag.barrier workgroup
    // CHECK-NEXT: frag.read
    %a0 = frag.read %a[%c0, %c0] : !m -> !left
    // CHECK-NEXT: frag.mma
    %y0 = frag.mma #coop %a0, %right, %y : !left, !right, !sums
    // CHECK-NEXT: frag.write
    frag.write %x, %b[%c0, %c0] : !f, !m
    // CHECK-NEXT: frag.mma
    %y1 = frag.mma #coop %a0, %right, %y0 : !left, !right, !sums
    // CHECK-NEXT: frag.barrier workgroup
    // CHECK-NEXT: frag.read
    %b0 = frag.read %b[%c0, %c0] : !m -> !left
    // CHECK-NEXT: frag.mma
    %y2 = frag.mma #coop %b0, %right, %y1 : !left, !right, !sums
    // CHECK-NEXT: frag.write
    frag.write %x, %a[%c0, %c0] : !f, !m
    // CHECK-NEXT: frag.mma
    %y3 = frag.mma #coop %b0, %right, %y2 : !left, !right, !sums
    // CHECK-NEXT: scf.yield
    scf.yield %y3 : !sums
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

// Slots of rings.
#acc = #tile.acc<#ptx.wgmma<n = 64, bf16, bf16, f32>, groups = [1, 1]>
#mma = #ptx.wgmma<n = 64, bf16, bf16, f32>
#s = #tile.shared<order = [1, 0], swizzle = 128>
#half = #tile.shared<order = [1, 0], swizzle = 64>
!groups = !frag.ring<!tile.ring<3x(tensor<64x64xbf16, #s>), load, copy = #ptx.async16>>
!bulk = !frag.ring<!tile.ring<3x(tensor<64x64xbf16, #s>), load, copy = #ptx.bulk, readers = 2>>
!store = !frag.ring<!tile.ring<2x(tensor<64x64xbf16, #s>), store, copy = #ptx.bulk, scope = replica>>
!pass = !frag.ring<!tile.ring<1x(tensor<64x64xbf16, #s>), pass, scope = replica>>
!sm = !frag.mem<64x64xbf16, #s>
!h = !frag.f<64x64xbf16, #acc>
!fly = !frag.inflight<!frag.f<64x64xf32, #acc>>
!tok = !frag.token<"wgmma">
!vb = !tile.view<?x?xbf16, strides = [?, 1], div = [8, 1], align = 16>

// CHECK-LABEL: @groups
// The wait of the next read is the barrier that orders reads of a slot before the copy into it.
frag.kernel @groups(%p: !tile.ptr<bf16>, %n: index {tile.div = 8 : index}) attributes {threads = 128 : i64, shared_bytes = 24576 : i64} {
  %c0 = arith.constant 0 : i32
  %z = arith.constant 0 : index
  %o = arith.constant 1 : index
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<bf16> -> !vb
  %ring = frag.shared 0 : !groups
  %w0, %cw1 = frag.acquire write %ring[%c0] : !groups
  frag.release %w0
  // CHECK: scf.for
  // CHECK-NOT: frag.barrier
  // CHECK: scf.yield
  %l:2 = scf.for %k = %z to %n step %o iter_args(%cr = %c0, %cw = %cw1) -> (i32, i32) {
    %s, %cr1 = frag.acquire read %ring[%cr] : !groups
    %m = frag.slot_mem %s[0] : !sm
    %w, %cwn = frag.acquire write %ring[%cw] : !groups
    %wm = frag.slot_mem %w[0] : !sm
    %t = frag.copy_in #ptx.async16 %v[%k, %z] into %wm : !vb -> !sm
    frag.release %w after(%t : !tile.token)
    %x = frag.read %m[%z, %z] : !sm -> !h
    frag.release %s
    frag.write %x, %v[%k, %z] : !h, !vb
    scf.yield %cr1, %cwn : i32, i32
  }
  frag.return
}

// CHECK-LABEL: @write_first
// Where nothing stands between the reads of the last step and the copies of this one, a barrier does.
frag.kernel @write_first(%p: !tile.ptr<bf16>, %n: index {tile.div = 8 : index}) attributes {threads = 128 : i64, shared_bytes = 24576 : i64} {
  %c0 = arith.constant 0 : i32
  %z = arith.constant 0 : index
  %o = arith.constant 1 : index
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<bf16> -> !vb
  %ring = frag.shared 0 : !groups
  %w0, %cw1 = frag.acquire write %ring[%c0] : !groups
  frag.release %w0
  // CHECK: scf.for
  // CHECK-NEXT: frag.barrier workgroup{{$}}
  // CHECK-NEXT: frag.acquire write
  %l:2 = scf.for %k = %z to %n step %o iter_args(%cr = %c0, %cw = %cw1) -> (i32, i32) {
    %w, %cwn = frag.acquire write %ring[%cw] : !groups
    %wm = frag.slot_mem %w[0] : !sm
    %t = frag.copy_in #ptx.async16 %v[%k, %z] into %wm : !vb -> !sm
    frag.release %w after(%t : !tile.token)
    // CHECK-NOT: frag.barrier
    // CHECK: scf.yield
    %s, %cr1 = frag.acquire read %ring[%cr] : !groups
    %m = frag.slot_mem %s[0] : !sm
    %x = frag.read %m[%z, %z] : !sm -> !h
    frag.release %s
    frag.write %x, %v[%k, %z] : !h, !vb
    scf.yield %cr1, %cwn : i32, i32
  }
  frag.return
}

// CHECK-LABEL: @roles
// CHECK-SAME: synchronized
frag.kernel @roles(%p: !tile.ptr<bf16>, %n: index {tile.div = 8 : index}) attributes {threads = 384 : i64, shared_bytes = 81968 : i64} {
  %c0 = arith.constant 0 : i32
  %z = arith.constant 0 : index
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<bf16> -> !vb
  %ring = frag.shared 0 barriers 81920 : !bulk
  frag.role lanes(0 to 128) {
    // One lane's copies need nothing.
    // CHECK-NOT: frag.barrier
    // CHECK: frag.role lanes(128 to 384 by 128)
    %w, %c1 = frag.acquire write %ring[%c0] : !bulk
    %wm = frag.slot_mem %w[0] : !sm
    %t = frag.copy_in #ptx.bulk %v[%z, %z] into %wm : !vb -> !sm
    frag.release %w after(%t : !tile.token)
    frag.yield
  }
  frag.role lanes(128 to 384 by 128) {
  ^bb0(%r: index):
    %out = frag.shared 24576 : !store
    %turn = frag.shared 57344 : !pass
    %scr = frag.shared 73728 replica_stride 4096 : !frag.mem<64x32xbf16, #half>
    // Every lane is done with the slot before one of them hands it over.
    // CHECK: frag.read
    // CHECK-NEXT: frag.barrier replica{{$}}
    // CHECK-NEXT: frag.release
    %s, %c1 = frag.acquire read %ring[%c0] : !bulk
    %m = frag.slot_mem %s[0] : !sm
    %x = frag.read %m[%z, %z] : !sm -> !h
    frag.release %s
    // A slot that lanes write and an engine reads; the copy is waited for by who acquires the slot again.
    // CHECK: frag.acquire write
    // CHECK-NOT: frag.barrier
    // CHECK: frag.acquire read
    // CHECK-NEXT: frag.barrier replica proxy
    %w, %q1 = frag.acquire write %out[%c0] : !store
    %wm = frag.slot_mem %w[0] : !sm
    frag.write %x, %wm[%z, %z] : !h, !sm
    frag.release %w
    %o, %q2 = frag.acquire read %out[%c0] : !store
    %om = frag.slot_mem %o[0] : !sm
    %t = frag.copy_out #ptx.bulk %om to %v[%z, %z] : !sm -> !vb
    frag.release %o after(%t : !tile.token)
    // CHECK: frag.copy_out
    // CHECK-NEXT: frag.release
    // CHECK-NEXT: frag.acquire write
    %w2, %q3 = frag.acquire write %out[%q1] : !store
    frag.release %w2
    %o2, %q4 = frag.acquire read %out[%q2] : !store
    frag.release %o2
    // Lanes on both sides: no engine, no proxy; the next writing waits for the readers.
    // CHECK: frag.acquire write
    // CHECK: frag.acquire read
    // CHECK-NEXT: frag.barrier replica{{$}}
    %pw, %p1 = frag.acquire write %turn[%c0] : !pass
    %pm = frag.slot_mem %pw[0] : !sm
    frag.write %x, %pm[%z, %z] : !h, !sm
    frag.release %pw
    %pr, %p2 = frag.acquire read %turn[%c0] : !pass
    %prm = frag.slot_mem %pr[0] : !sm
    %y = frag.read %prm[%z, %z] : !sm -> !h
    frag.release %pr
    // CHECK: frag.barrier replica{{$}}
    // CHECK-NEXT: frag.acquire write
    %pw2, %p3 = frag.acquire write %turn[%p1] : !pass
    frag.release %pw2
    %pr2, %p4 = frag.acquire read %turn[%p2] : !pass
    frag.release %pr2
    // Scratch of the replica.
    // CHECK: frag.write
    // CHECK-NEXT: frag.barrier replica{{$}}
    // CHECK-NEXT: frag.read
    %c = frag.slice %y [0, 0] : !h -> !frag.f<64x32xbf16, #acc>
    frag.write %c, %scr[%z, %z] : !frag.f<64x32xbf16, #acc>, !frag.mem<64x32xbf16, #half>
    %d = frag.read %scr[%z, %z] : !frag.mem<64x32xbf16, #half> -> !frag.f<64x32xbf16, #acc>
    frag.write %d, %v[%z, %z] : !frag.f<64x32xbf16, #acc>, !vb
    frag.yield
  }
  frag.return
}

// A kernel that says that its barriers are placed keeps them as they are.
// CHECK-LABEL: @placed
// CHECK: frag.write
// CHECK-NEXT: arith.constant
// CHECK-NEXT: frag.barrier workgroup
// CHECK-NEXT: frag.read
// CHECK-NOT: frag.barrier
// CHECK: frag.return
frag.kernel @placed(%p: !tile.ptr<f16>, %n: index) attributes {threads = 8 : i64, shared_bytes = 512 : i64, synchronized} {
  %c0 = arith.constant 0 : index
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f16> -> !v
  %a = frag.shared 0 : !m
  %x = frag.read %v[%c0, %c0] : !v -> !f
  frag.write %x, %a[%c0, %c0] : !f, !m
  %c1 = arith.constant 1 : index
  frag.barrier workgroup
  %y = frag.read %a[%c0, %c0] : !m -> !f
  frag.write %y, %v[%c1, %c0] : !f, !v
  frag.return
}

#oS = #tile.opaque<acc, #spv.coop<[16, 16, 16], f16, f16, f32, lanes = 32>, groups = [2, 1]>
#rows = #tile.regs<vec = [1, 8], lanes = [16, 2], groups = [2, 1]>
#wide = #tile.regs<vec = [1, 4], lanes = [8, 4], groups = [2, 1]>
!S = !frag.f<64x16xf32, #oS>
!sh = !frag.mem<64x16xf32, #tile.shared<order = [1, 0], pad = 4>>
!vec = !frag.mem<64xf32, #tile.shared<order = [0]>>

// CHECK-LABEL: @in_subgroups
// What the lanes of a subgroup exchange among themselves, they order among themselves: matrices, and rows of them, over two repetitions. Rows
// of other groups wait for all.
frag.kernel @in_subgroups(%x: f32) attributes {threads = 64 : i64, shared_bytes = 5376 : i64, target = #spv.target<"nvidia">} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %s = frag.splat %x : f32 -> !S
  %a = frag.shared 0 : !sh
  %v = frag.shared 5120 : !vec
  // CHECK: scf.for
  scf.for %k = %c0 to %c8 step %c1 {
    // What the last trip read is behind its last barrier.
    // CHECK-NEXT: frag.write
    frag.write %s, %a[%c0, %c0] : !S, !sh
    // CHECK-NEXT: frag.barrier subgroup
    // CHECK-NEXT: frag.read
    %h = frag.read %a[%c0, %c0] : !sh -> !frag.f<64x16xf32, #rows>
    %p = frag.reduce max %h, lane dim 1 : !frag.f<64x16xf32, #rows> -> !frag.f<64xf32, #tile.slice<1, #rows, partial = max>>
    %m = frag.reduce max %p, group : !frag.f<64xf32, #tile.slice<1, #rows, partial = max>> -> !frag.f<64xf32, #tile.slice<1, #rows>>
    // CHECK: frag.write
    frag.write %m, %v[%c0] : !frag.f<64xf32, #tile.slice<1, #rows>>, !vec
    // CHECK-NEXT: frag.barrier subgroup
    // CHECK-NEXT: frag.read
    %b = frag.read %v[%c0] broadcast : !vec -> !frag.f<64xf32, #tile.slice<1, #oS>>
  }
  // CHECK: frag.write
  frag.write %s, %a[%c0, %c0] : !S, !sh
  // CHECK-NEXT: frag.barrier workgroup
  // CHECK-NEXT: frag.read
  %w = frag.read %a[%c0, %c0] : !sh -> !frag.f<64x16xf32, #wide>
  frag.return
}

// CHECK-LABEL: @in_branch
// What all must reach stands before a branch that only some subgroups take; in there a subgroup orders what it exchanges.
frag.kernel @in_branch(%x: f32) attributes {threads = 64 : i64, shared_bytes = 5376 : i64, target = #spv.target<"nvidia">} {
  %c0 = arith.constant 0 : index
  %s = frag.splat %x : f32 -> !S
  %t = frag.map(%s : !S) -> !frag.f<64x16xi1, #oS> {
  ^bb0(%e: f32):
    %g = arith.cmpf ogt, %e, %x : f32
    frag.yield %g : i1
  }
  %vote = frag.reduce or %t, all : !frag.f<64x16xi1, #oS> -> i1
  %a = frag.shared 0 : !sh
  // CHECK: frag.write
  frag.write %s, %a[%c0, %c0] : !S, !sh
  // CHECK-NEXT: frag.barrier workgroup
  // CHECK-NEXT: frag.read
  %w = frag.read %a[%c0, %c0] : !sh -> !frag.f<64x16xf32, #wide>
  // CHECK-NEXT: frag.barrier workgroup
  // CHECK-NEXT: scf.if
  scf.if %vote {
    // CHECK-NEXT: frag.write
    frag.write %s, %a[%c0, %c0] : !S, !sh
    // CHECK-NEXT: frag.barrier subgroup
    // CHECK-NEXT: frag.read
    %h = frag.read %a[%c0, %c0] : !sh -> !frag.f<64x16xf32, #rows>
  }
  // CHECK: frag.write
  // CHECK-NOT: frag.barrier
  // CHECK: frag.return
  frag.write %s, %a[%c0, %c0] : !S, !sh
  frag.return
}

#accP = #tile.acc<#ptx.wgmma<n = 64, bf16, bf16, f32>, groups = [1, 1]>
#sP = #tile.shared<order = [1, 0], swizzle = 128>
#rowsP = #tile.regs<vec = [1, 1], lanes = [2, 64], groups = [1, 1]>
!passP = !frag.ring<!tile.ring<1x(tensor<64x64xbf16, #sP>), pass>>

// CHECK-LABEL: @pass_in_loop
// Sides of a ring that lanes fill and empty meet at one barrier each way, however often the loop is walked.
frag.kernel @pass_in_loop(%x: bf16) attributes {threads = 128 : i64, shared_bytes = 8192 : i64, target = #ptx.target<"sm_90a">} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %i0 = arith.constant 0 : i32
  %f = frag.splat %x : bf16 -> <64x64xbf16, #accP>
  %ring = frag.shared 0 : !passP
  // CHECK: scf.for
  scf.for %i = %c0 to %c8 step %c1 iter_args(%cw = %i0, %cr = %i0) -> (i32, i32) {
    // CHECK-NEXT: frag.barrier workgroup
    // CHECK-NEXT: frag.acquire{{ +}}write
    %w, %w1 = frag.acquire write %ring[%cw] : !passP
    %mw = frag.slot_mem %w[0] : !frag.mem<64x64xbf16, #sP>
    frag.write %f, %mw[%c0, %c0] : <64x64xbf16, #accP>, !frag.mem<64x64xbf16, #sP>
    frag.release %w
    // CHECK: frag.acquire{{ +}}read
    // CHECK-NEXT: frag.barrier workgroup
    // CHECK-NOT: frag.barrier
    %r, %r1 = frag.acquire read %ring[%cr] : !passP
    %mr = frag.slot_mem %r[0] : !frag.mem<64x64xbf16, #sP>
    %rows = frag.read %mr[%c0, %c0] : !frag.mem<64x64xbf16, #sP> -> !frag.f<64x64xbf16, #rowsP>
    frag.release %r
    scf.yield %w1, %r1 : i32, i32
  }
  frag.return
}

!places = !frag.f<64x16xindex, #tile.regs<vec = [1, 4], lanes = [8, 4], groups = [2, 1]>>
!stored = !frag.mem<64x16xindex, #tile.shared<order = [1, 0]>>

// CHECK-LABEL: @indices
// How many bytes an index takes nobody knows here: all lanes meet.
frag.kernel @indices(%v: index) attributes {threads = 64 : i64, shared_bytes = 8192 : i64, target = #ptx.target<"sm_90a">} {
  %c0 = arith.constant 0 : index
  %x = frag.splat %v : index -> !places
  %m = frag.shared 0 : !stored
  // CHECK: frag.write
  // CHECK-NEXT: frag.barrier workgroup
  // CHECK-NEXT: frag.read
  frag.write %x, %m[%c0, %c0] : !places, !stored
  %y = frag.read %m[%c0, %c0] : !stored -> !places
  // CHECK-NEXT: frag.barrier workgroup
  // CHECK-NEXT: frag.write
  frag.write %y, %m[%c0, %c0] : !places, !stored
  frag.return
}
