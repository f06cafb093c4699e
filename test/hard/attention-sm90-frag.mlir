// RUN: helios-opt %s | helios-opt | FileCheck %s
// RUN: helios-opt %s --mlir-print-op-generic | helios-opt | FileCheck %s
// RUN: helios-opt %s --canonicalize --cse | helios-opt | FileCheck %s

// Level 3 of attention-sm90-tile.mlir: causal attention forward for Hopper, head dimension 128, three warpgroups. Run by the CUDA lowering.
//
// What it shows, in the steady loop of the math role:
// - Two products start back to back: S = Q·K(n+1) and O += P·V(n). The await of the first retires it alone; the second stays in flight and
//   unreadable under the whole softmax. Both wait counts (1, then 0) are derived from the order of the starts.
// - K is handed back before the softmax, V after P·V has landed.
// - P feeds a pending product from registers, and the next P is made from the softmax under it. `through(%P, %p)` pins both across the
//   await of P·V: P's registers live to it, and the packing of the new P takes what came through, so it cannot move above it.
// - The test whether a row exceeds the stale maximum is a partial vector, reduced in the lane and voted on in the subgroup: no shuffle on
//   the usual path. What the vote guards differs between subgroups, so no product, await or release stands there.
// - The row sum stays partial over the loop and is reduced over lanes once.
// Around it:
// - Work items overlap. The next item's first block starts together with the last block of this one, in a branch of the items loop that
//   no value in flight leaves; its softmax runs under the older product. What goes on to the next item: P, maximum, sum, Q, cursors.
// - Items go longest first, some heads at a time, forwards and backwards in turn: nobody waits for the last ones, without tickets.
// - Only the diagonal block is masked, the first one of an item.
// - Q: fragments by matrix loads, a barrier of the replica, then its slot goes back: one slot is enough for overlapping items.
// - 1 / l is a quotient that may be approximate (afn), once a row.
// Registers a lane: S 64, O 64, P 32, Q 32, vectors 8: 200 of 240. Roles: 128 x 24 + 256 x 240 = 64512.

#mS = #ptx.wgmma<n = 128, bf16, bf16, f32>
#mO = #ptx.wgmma<n = 128, bf16, bf16, f32>
#accS = #tile.acc<#mS, groups = [1, 1]>
#accO = #tile.acc<#mO, groups = [1, 1]>
#opQ = #tile.operand<a, #mS, groups = [1, 1]>
#opP = #tile.operand<a, #mO, groups = [1, 1]>
#row = #tile.slice<1, #accS>
#rowO = #tile.slice<1, #accO>
#max = #tile.slice<1, #accS, partial = max>
#sum = #tile.slice<1, #accS, partial = add>
#any = #tile.slice<1, #accS, partial = or>
#s = #tile.shared<order = [1, 0], swizzle = 128>
!v = !tile.view<?x?x128xbf16, strides = [?, ?, 1], div = [8, 8, 1], align = 16>
!kv = !frag.ring<!tile.ring<2x(tensor<128x128xbf16, #s>), load, copy = #ptx.bulk, readers = 2>>
!q = !frag.ring<!tile.ring<1x(tensor<128x128xbf16, #s>), load, copy = #ptx.bulk, readers = 2>>
!out = !frag.ring<!tile.ring<2x(tensor<64x64xbf16, #s>), store, copy = #ptx.bulk, scope = replica>>
!memq = !frag.mem<128x128xbf16, #s>
!memqr = !frag.mem<64x128xbf16, #s>
!mem = !frag.mem<128x128xbf16, #s>
!S = !frag.f<64x128xf32, #accS>
!I = !frag.f<64x128xindex, #accS>
!O = !frag.f<64x128xf32, #accO>
!P = !frag.f<64x128xbf16, #opP>
!Q = !frag.f<64x128xbf16, #opQ>
!row = !frag.f<64xf32, #row>
!rowO = !frag.f<64xf32, #rowO>
!max = !frag.f<64xf32, #max>
!sum = !frag.f<64xf32, #sum>
!any = !frag.f<64xi1, #any>
!rowany = !frag.f<64xi1, #row>
!flyS = !frag.inflight<!frag.f<64x128xf32, #accS>>
!flyO = !frag.inflight<!frag.f<64x128xf32, #accO>>
!tok = !frag.token<"wgmma">

// CHECK-LABEL: frag.kernel @attention(
// CHECK: frag.role lanes(0 to 128) regs(24)
// CHECK: frag.role lanes(128 to 384 by 128) regs(240)
// CHECK: frag.mma_start
// CHECK: frag.await
// CHECK: scf.for
// CHECK: scf.for
// CHECK: frag.mma_start
// CHECK: frag.mma_start
// CHECK: frag.await
// CHECK-NEXT: frag.release
// CHECK: frag.reduce or {{.*}}, all
// CHECK: scf.if
// CHECK: frag.reduce max {{.*}}, group
// CHECK: frag.await {{.*}} through(
// CHECK: scf.yield
// CHECK: scf.if {{.*}} -> (!frag.f<64x128xf32
// CHECK: frag.mma_start
// CHECK: frag.mma_start
// CHECK: frag.await {{.*}} through(
// CHECK: } else {
// CHECK: frag.mma_start
// CHECK: frag.await {{.*}} through(
// CHECK: frag.copy_out
frag.kernel @attention(%pQ: !tile.ptr<bf16>, %pK: !tile.ptr<bf16>, %pV: !tile.ptr<bf16>, %pO: !tile.ptr<bf16>,
    %BH: index {tile.range = array<i64: 1, 1048576>}, %BHk: index {tile.range = array<i64: 1, 1048576>},
    %G: index {tile.range = array<i64: 1, 1024>}, %S: index {tile.range = array<i64: 1, 16777216>}, %sc: f32, %L: index {tile.range = array<i64: 1, 1048576>})
    attributes {threads = 384 : i64, shared_bytes = 196688 : i64, regs = 168 : i64, synchronized, target = #ptx.target<"sm_90a">} {
  %z = arith.constant 0 : index
  %o = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %cD = arith.constant 128 : index
  %cBM = arith.constant 128 : index
  %cBN = arith.constant 128 : index
  %cNW = arith.constant 2 : index
  %c0 = arith.constant 0 : i32
  %zf = arith.constant 0.0 : f32
  %onef = arith.constant 1.0 : f32
  %ninf = arith.constant 0xFF800000 : f32
  %eight = arith.constant 8.0 : f32
  %thr = arith.divf %eight, %sc : f32
  %nsc = arith.negf %sc : f32
  %sh = arith.muli %S, %cD : index
  %Q = tile.view %pQ[%BH, %S] strides [%sh, %cD] : !tile.ptr<bf16> -> !v
  %K = tile.view %pK[%BHk, %S] strides [%sh, %cD] : !tile.ptr<bf16> -> !v
  %V = tile.view %pV[%BHk, %S] strides [%sh, %cD] : !tile.ptr<bf16> -> !v
  %O = tile.view %pO[%BH, %S] strides [%sh, %cD] : !tile.ptr<bf16> -> !v
  %tq = arith.ceildivui %S, %cBM : index
  %nblocks = arith.ceildivui %S, %cBN : index
  %items = arith.muli %BH, %tq : index
  %wg = frag.id workgroup
  %nwg = frag.id workgroups
  // %L heads at a time, whose keys and values stay in the cache. Their items are in order of length; this workgroup takes one in each round,
  // from the front in even rounds and from the back in odd ones, so that every workgroup has as much to do as the others.
  %groups = arith.ceildivui %BH, %L : index
  %full = arith.subi %groups, %o : index
  %gdone = arith.muli %full, %L : index
  %gl = arith.subi %BH, %gdone : index
  %mirror0 = arith.subi %nwg, %wg : index
  %mirror = arith.subi %mirror0, %o : index
  %ngf = arith.muli %tq, %L : index
  %ngl = arith.muli %tq, %gl : index
  %k = arith.divui %ngf, %nwg : index
  %k2 = arith.remui %ngf, %nwg : index
  %k3 = arith.andi %k, %o : index
  %k4 = arith.cmpi eq, %k3, %o : index
  %k5 = arith.select %k4, %mirror, %wg : index
  %k6 = arith.cmpi ult, %k5, %k2 : index
  %k7 = arith.index_castui %k6 : i1 to index
  %rounds = arith.addi %k, %k7 : index
  %k8 = arith.divui %ngl, %nwg : index
  %k9 = arith.remui %ngl, %nwg : index
  %k10 = arith.andi %k8, %o : index
  %k11 = arith.cmpi eq, %k10, %o : index
  %k12 = arith.select %k11, %mirror, %wg : index
  %k13 = arith.cmpi ult, %k12, %k9 : index
  %k14 = arith.index_castui %k13 : i1 to index
  %roundsl = arith.addi %k8, %k14 : index
  %fullsteps = arith.muli %full, %rounds : index
  %steps = arith.addi %fullsteps, %roundsl : index
  %rounds1 = arith.maxui %rounds, %o : index
  // Q 1 x 32768, K and V 2 x 32768, stores 2 x 2 x 8192 bytes, then the barriers of the three load rings.
  %rq = frag.shared 0 barriers 196608 : !q
  %rk = frag.shared 32768 barriers 196624 : !kv
  %rv = frag.shared 98304 barriers 196656 : !kv
  frag.role lanes(0 to 128) regs(24) {
    %end:3 = scf.for %t = %z to %steps step %o iter_args(%cq = %c0, %ck = %c0, %cv = %c0) -> (i32, i32, i32) {
      // Group of heads, round, place in the group; then head and row block.
      %d = arith.cmpi ult, %t, %fullsteps : index
      %d1 = arith.divui %t, %rounds1 : index
      %d2 = arith.select %d, %d1, %full : index
      %d3 = arith.muli %d2, %rounds : index
      %d4 = arith.subi %t, %d3 : index
      %d5 = arith.andi %d4, %o : index
      %d6 = arith.cmpi eq, %d5, %o : index
      %d7 = arith.select %d6, %mirror, %wg : index
      %d8 = arith.muli %d4, %nwg : index
      %d9 = arith.addi %d8, %d7 : index
      %d10 = arith.select %d, %L, %gl : index
      %d11 = arith.divui %d9, %d10 : index
      %d12 = arith.remui %d9, %d10 : index
      %d13 = arith.muli %d2, %L : index
      %bh = arith.addi %d13, %d12 : index
      %d14 = arith.addi %d11, %o : index
      %i = arith.subi %tq, %d14 : index
      %bhk = arith.divui %bh, %G : index
      %m = arith.muli %i, %cBM : index
      %x = arith.addi %m, %cBM : index
      %x1 = arith.ceildivui %x, %cBN : index
      %nb1 = arith.minui %x1, %nblocks : index
      %last = arith.subi %nb1, %o : index
      %s1, %c1 = frag.acquire write %rq[%cq] : !q
      %mm = frag.slot_mem %s1[0] : !memq
      %tk = frag.copy_in #ptx.bulk %Q[%bh, %m, %z] into %mm : !v -> !memq
      frag.release %s1 after(%tk : !tile.token)
      // The last block first; K runs one block ahead of V, as in the math role.
      %x2 = arith.muli %last, %cBN : index
      %s2, %c2 = frag.acquire write %rk[%ck] : !kv
      %mm1 = frag.slot_mem %s2[0] : !mem
      %tk1 = frag.copy_in #ptx.bulk %K[%bhk, %x2, %z] into %mm1 : !v -> !mem
      frag.release %s2 after(%tk1 : !tile.token)
      %l:2 = scf.for %n = %z to %last step %o iter_args(%dk = %c2, %dv = %cv) -> (i32, i32) {
        %b = arith.subi %last, %n : index
        %b1 = arith.subi %b, %o : index
        %k1 = arith.muli %b1, %cBN : index
        %k0 = arith.muli %b, %cBN : index
        %s3, %c3 = frag.acquire write %rk[%dk] : !kv
        %mm2 = frag.slot_mem %s3[0] : !mem
        %tk2 = frag.copy_in #ptx.bulk %K[%bhk, %k1, %z] into %mm2 : !v -> !mem
        frag.release %s3 after(%tk2 : !tile.token)
        %s4, %c4 = frag.acquire write %rv[%dv] : !kv
        %mm3 = frag.slot_mem %s4[0] : !mem
        %tk3 = frag.copy_in #ptx.bulk %V[%bhk, %k0, %z] into %mm3 : !v -> !mem
        frag.release %s4 after(%tk3 : !tile.token)
        scf.yield %c3, %c4 : i32, i32
      }
      %s5, %c5 = frag.acquire write %rv[%l#1] : !kv
      %mm4 = frag.slot_mem %s5[0] : !mem
      %tk4 = frag.copy_in #ptx.bulk %V[%bhk, %z, %z] into %mm4 : !v -> !mem
      frag.release %s5 after(%tk4 : !tile.token)
      scf.yield %c1, %l#0, %c5 : i32, i32, i32
    }
    frag.yield
  }
  frag.role lanes(128 to 384 by 128) regs(240) {
  ^bb0(%r: index):
    %r64 = arith.muli %r, %c64 : index
    %out = frag.shared 163840 : !out
    %ones = frag.splat %onef : f32 -> !row
    %zero = frag.splat %zf : f32 -> !O
    // The first item has no item before it to overlap with.
    // Group of heads, round, place in the group; then head and row block.
    %d16 = arith.cmpi ult, %z, %fullsteps : index
    %d17 = arith.divui %z, %rounds1 : index
    %d18 = arith.select %d16, %d17, %full : index
    %d19 = arith.muli %d18, %rounds : index
    %d20 = arith.subi %z, %d19 : index
    %d21 = arith.andi %d20, %o : index
    %d22 = arith.cmpi eq, %d21, %o : index
    %d23 = arith.select %d22, %mirror, %wg : index
    %d24 = arith.muli %d20, %nwg : index
    %d25 = arith.addi %d24, %d23 : index
    %d26 = arith.select %d16, %L, %gl : index
    %d27 = arith.divui %d25, %d26 : index
    %d28 = arith.remui %d25, %d26 : index
    %d29 = arith.muli %d18, %L : index
    %bh1 = arith.addi %d29, %d28 : index
    %d30 = arith.addi %d27, %o : index
    %i1 = arith.subi %tq, %d30 : index
    %bhk1 = arith.divui %bh1, %G : index
    %m5 = arith.muli %i1, %cBM : index
    %x3 = arith.addi %m5, %cBM : index
    %x4 = arith.ceildivui %x3, %cBN : index
    %nb2 = arith.minui %x4, %nblocks : index
    %last1 = arith.subi %nb2, %o : index
    %mr = arith.addi %m5, %r64 : index
    %sq, %cq1 = frag.acquire read %rq[%c0] : !q
    %qm = frag.slot_mem %sq[0] at [%r64, %z] : !memqr
    %Q1 = frag.read %qm[%z, %z] : !memqr -> !Q
    frag.barrier replica
    frag.release %sq
    %sk, %ck1 = frag.acquire read %rk[%c0] : !kv
    %mk = frag.slot_mem %sk[0] : !mem
    %sd, %ts = frag.mma_start #mS %Q1, %mk trans : !Q, !mem -> !flyS, !tok
    %s6, %Q2 = frag.await %ts (%sd : !flyS) through(%Q1 : !Q) : !tok -> !S, !Q
    frag.release %sk after(%ts : !tok)
    %kv = arith.muli %last1, %cBN : index
    %rows = frag.iota 0 base %mr : !I
    %cols = frag.iota 1 base %kv : !I
    %masked = frag.map(%s6, %rows, %cols : !S, !I, !I) -> !S {
    ^bb0(%a: f32, %ri: index, %ci: index):
      %ok = arith.cmpi sle, %ci, %ri : index
      %y = arith.select %ok, %a, %ninf : f32
      frag.yield %y : f32
    }
    %mt1 = frag.reduce max %masked, lane dim 1 : !S -> !max
    %mx1 = frag.reduce max %mt1, group : !max -> !row
    %p = frag.map(%masked, %mx1 : !S, !row) -> !S {
    ^bb0(%a: f32, %b: f32):
      %nb = arith.mulf %b, %nsc : f32
      %e = math.fma %a, %sc, %nb : f32
      %y = math.exp2 %e : f32
      frag.yield %y : f32
    }
    %l2 = frag.reduce add %p, lane dim 1 : !S -> !sum
    %P1 = frag.map(%p : !S) -> !P {
    ^bb0(%a: f32):
      %y = arith.truncf %a : f32 to bf16
      frag.yield %y : bf16
    }
    %end:12 = scf.for %t = %z to %steps step %o iter_args(%Pi = %P1, %mi = %mx1, %li = %l2, %Qi = %Q2, %bhi = %bh1, %mri = %mr, %lasti = %last1,
        %cq = %cq1, %ck = %ck1, %cv = %c0, %qw = %c0, %qr = %c0)
        -> (!P, !row, !sum, !Q, index, index, index, i32, i32, i32, i32, i32) {
      // Steady state: QK of the next block, P·V of this one, then the softmax of the next.
      %x5:6 = scf.for %n = %z to %lasti step %o iter_args(%mx = %mi, %l = %li, %P = %Pi, %acc = %zero, %dk = %ck, %dv = %cv)
          -> (!row, !sum, !P, !O, i32, i32) {
        %sk1, %ck2 = frag.acquire read %rk[%dk] : !kv
        %mk1 = frag.slot_mem %sk1[0] : !mem
        %sd1, %ts1 = frag.mma_start #mS %Qi, %mk1 trans : !Q, !mem -> !flyS, !tok
        %sv, %cv1 = frag.acquire read %rv[%dv] : !kv
        %mv = frag.slot_mem %sv[0] : !mem
        %od, %to = frag.mma_start #mO %P, %mv, %acc : !O : !P, !mem -> !flyO, !tok
        %s = frag.await %ts1 (%sd1 : !flyS) : !tok -> !S
        frag.release %sk1 after(%ts1 : !tok)
        %mt = frag.reduce max %s, lane dim 1 : !S -> !max
        %over = frag.map(%mt, %mx : !max, !row) -> !any {
        ^bb0(%a: f32, %b: f32):
          %bt = arith.addf %b, %thr : f32
          %g = arith.cmpf ogt, %a, %bt : f32
          frag.yield %g : i1
        }
        %vote = frag.reduce or %over, all : !any -> i1
        %m1, %f = scf.if %vote -> (!row, !row) {
          %ov = frag.reduce or %over, group : !any -> !rowany
          %fullm = frag.reduce max %mt, group : !max -> !row
          %mn, %fn = frag.map(%mx, %fullm, %ov : !row, !row, !rowany) -> !row, !row {
          ^bb0(%a: f32, %b: f32, %c: i1):
            %m2 = arith.maximumf %a, %b : f32
            %m3 = arith.select %c, %m2, %a : f32
            %df = arith.subf %a, %m3 : f32
            %ds = arith.mulf %df, %sc : f32
            %ef = math.exp2 %ds : f32
            frag.yield %m3, %ef : f32, f32
          }
          scf.yield %mn, %fn : !row, !row
        } else {
          scf.yield %mx, %ones : !row, !row
        }
        %p1 = frag.map(%s, %m1 : !S, !row) -> !S {
        ^bb0(%a: f32, %b: f32):
          %nb = arith.mulf %b, %nsc : f32
          %e = math.fma %a, %sc, %nb : f32
          %y = math.exp2 %e : f32
          frag.yield %y : f32
        }
        %ls = frag.reduce add %p1, lane dim 1 : !S -> !sum
        %l1 = frag.map(%l, %f, %ls : !sum, !row, !sum) -> !sum {
        ^bb0(%a: f32, %b: f32, %c: f32):
          %y = math.fma %a, %b, %c : f32
          frag.yield %y : f32
        }
        %o2, %Pold, %pw = frag.await %to (%od : !flyO) through(%P, %p1 : !P, !S) : !tok -> !O, !P, !S
        frag.release %sv after(%to : !tok)
        %P2 = frag.map(%pw : !S) -> !P {
        ^bb0(%a: f32):
          %y = arith.truncf %a : f32 to bf16
          frag.yield %y : bf16
        }
        %on = scf.if %vote -> (!O) {
          %os = frag.map(%o2, %f : !O, !row) -> !O {
          ^bb0(%a: f32, %b: f32):
            %y = arith.mulf %a, %b : f32
            frag.yield %y : f32
          }
          scf.yield %os : !O
        } else {
          scf.yield %o2 : !O
        }
        scf.yield %m1, %l1, %P2, %on, %ck2, %cv1 : !row, !sum, !P, !O, i32, i32
      }
      // The next item: its first product starts with the last of this one, its softmax runs meanwhile.
      %tn = arith.addi %t, %o : index
      %more = arith.cmpi ult, %tn, %steps : index
      %nx:12 = scf.if %more -> (!O, !row, !P, !row, !sum, !Q, index, index, index, i32, i32, i32) {
        %sq1, %cq2 = frag.acquire read %rq[%cq] : !q
        %qm1 = frag.slot_mem %sq1[0] at [%r64, %z] : !memqr
        %Q3 = frag.read %qm1[%z, %z] : !memqr -> !Q
        frag.barrier replica
        frag.release %sq1
        %sk2, %ck3 = frag.acquire read %rk[%x5#4] : !kv
        %mk2 = frag.slot_mem %sk2[0] : !mem
        %sd2, %ts2 = frag.mma_start #mS %Q3, %mk2 trans : !Q, !mem -> !flyS, !tok
        %sv1, %cv2 = frag.acquire read %rv[%x5#5] : !kv
        %mv1 = frag.slot_mem %sv1[0] : !mem
        %od1, %to1 = frag.mma_start #mO %x5#2, %mv1, %x5#3 : !O : !P, !mem -> !flyO, !tok
        // Group of heads, round, place in the group; then head and row block.
        %d32 = arith.cmpi ult, %tn, %fullsteps : index
        %d33 = arith.divui %tn, %rounds1 : index
        %d34 = arith.select %d32, %d33, %full : index
        %d35 = arith.muli %d34, %rounds : index
        %d36 = arith.subi %tn, %d35 : index
        %d37 = arith.andi %d36, %o : index
        %d38 = arith.cmpi eq, %d37, %o : index
        %d39 = arith.select %d38, %mirror, %wg : index
        %d40 = arith.muli %d36, %nwg : index
        %d41 = arith.addi %d40, %d39 : index
        %d42 = arith.select %d32, %L, %gl : index
        %d43 = arith.divui %d41, %d42 : index
        %d44 = arith.remui %d41, %d42 : index
        %d45 = arith.muli %d34, %L : index
        %bh2 = arith.addi %d45, %d44 : index
        %d46 = arith.addi %d43, %o : index
        %i2 = arith.subi %tq, %d46 : index
        %bhk2 = arith.divui %bh2, %G : index
        %m6 = arith.muli %i2, %cBM : index
        %x6 = arith.addi %m6, %cBM : index
        %x7 = arith.ceildivui %x6, %cBN : index
        %nb3 = arith.minui %x7, %nblocks : index
        %last2 = arith.subi %nb3, %o : index
        %mr1 = arith.addi %m6, %r64 : index
        %s = frag.await %ts2 (%sd2 : !flyS) : !tok -> !S
        frag.release %sk2 after(%ts2 : !tok)
        %kv1 = arith.muli %last2, %cBN : index
        %rows1 = frag.iota 0 base %mr1 : !I
        %cols1 = frag.iota 1 base %kv1 : !I
        %masked1 = frag.map(%s, %rows1, %cols1 : !S, !I, !I) -> !S {
        ^bb0(%a: f32, %ri: index, %ci: index):
          %ok = arith.cmpi sle, %ci, %ri : index
          %y = arith.select %ok, %a, %ninf : f32
          frag.yield %y : f32
        }
        %mt2 = frag.reduce max %masked1, lane dim 1 : !S -> !max
        %mx2 = frag.reduce max %mt2, group : !max -> !row
        %p2 = frag.map(%masked1, %mx2 : !S, !row) -> !S {
        ^bb0(%a: f32, %b: f32):
          %nb = arith.mulf %b, %nsc : f32
          %e = math.fma %a, %sc, %nb : f32
          %y = math.exp2 %e : f32
          frag.yield %y : f32
        }
        %l3 = frag.reduce add %p2, lane dim 1 : !S -> !sum
        %lf = frag.reduce add %x5#1, group : !sum -> !row
        %li1 = frag.map(%lf : !row) -> !row {
        ^bb0(%a: f32):
          %y = arith.divf %onef, %a fastmath<afn> : f32
          frag.yield %y : f32
        }
        %ol, %Pl, %pw = frag.await %to1 (%od1 : !flyO) through(%x5#2, %p2 : !P, !S) : !tok -> !O, !P, !S
        frag.release %sv1 after(%to1 : !tok)
        %P3 = frag.map(%pw : !S) -> !P {
        ^bb0(%a: f32):
          %y = arith.truncf %a : f32 to bf16
          frag.yield %y : bf16
        }
        scf.yield %ol, %li1, %P3, %mx2, %l3, %Q3, %bh2, %mr1, %last2, %cq2, %ck3, %cv2
            : !O, !row, !P, !row, !sum, !Q, index, index, index, i32, i32, i32
      } else {
        %sv2, %cv3 = frag.acquire read %rv[%x5#5] : !kv
        %mv2 = frag.slot_mem %sv2[0] : !mem
        %od2, %to2 = frag.mma_start #mO %x5#2, %mv2, %x5#3 : !O : !P, !mem -> !flyO, !tok
        %lf1 = frag.reduce add %x5#1, group : !sum -> !row
        %li2 = frag.map(%lf1 : !row) -> !row {
        ^bb0(%a: f32):
          %y = arith.divf %onef, %a fastmath<afn> : f32
          frag.yield %y : f32
        }
        %ol, %Pl = frag.await %to2 (%od2 : !flyO) through(%x5#2 : !P) : !tok -> !O, !P
        frag.release %sv2 after(%to2 : !tok)
        scf.yield %ol, %li2, %Pl, %x5#0, %x5#1, %Qi, %bhi, %mri, %lasti, %cq, %x5#4, %cv3
            : !O, !row, !P, !row, !sum, !Q, index, index, index, i32, i32, i32
      }
      // O / l, through the store ring.
      %e1 = frag.slice %nx#0 [0, 0] : !O -> !frag.f<64x64xf32, #accO>
      %e2 = frag.map(%e1, %nx#1 : !frag.f<64x64xf32, #accO>, !row) -> !frag.f<64x64xbf16, #accO> {
      ^bb0(%a: f32, %b: f32):
        %q = arith.mulf %a, %b : f32
        %y = arith.truncf %q : f32 to bf16
        frag.yield %y : bf16
      }
      %e3, %qw1 = frag.acquire write %out[%qw] : !out
      %e4 = frag.slot_mem %e3[0] : !frag.mem<64x64xbf16, #s>
      frag.write %e2, %e4[%z, %z] : !frag.f<64x64xbf16, #accO>, !frag.mem<64x64xbf16, #s>
      frag.release %e3
      %e5, %qr1 = frag.acquire read %out[%qr] : !out
      frag.barrier replica proxy
      %e6 = frag.slot_mem %e5[0] : !frag.mem<64x64xbf16, #s>
      %e7 = frag.copy_out #ptx.bulk %e6 to %O[%bhi, %mri, %z] : !frag.mem<64x64xbf16, #s> -> !v
      frag.release %e5 after(%e7 : !tile.token)
      %e8 = frag.slice %nx#0 [0, 64] : !O -> !frag.f<64x64xf32, #accO>
      %e9 = frag.map(%e8, %nx#1 : !frag.f<64x64xf32, #accO>, !row) -> !frag.f<64x64xbf16, #accO> {
      ^bb0(%a: f32, %b: f32):
        %q = arith.mulf %a, %b : f32
        %y = arith.truncf %q : f32 to bf16
        frag.yield %y : bf16
      }
      %e10, %qw2 = frag.acquire write %out[%qw1] : !out
      %e11 = frag.slot_mem %e10[0] : !frag.mem<64x64xbf16, #s>
      frag.write %e9, %e11[%z, %z] : !frag.f<64x64xbf16, #accO>, !frag.mem<64x64xbf16, #s>
      frag.release %e10
      %e12, %qr2 = frag.acquire read %out[%qr1] : !out
      frag.barrier replica proxy
      %e13 = frag.slot_mem %e12[0] : !frag.mem<64x64xbf16, #s>
      %e14 = frag.copy_out #ptx.bulk %e13 to %O[%bhi, %mri, %c64] : !frag.mem<64x64xbf16, #s> -> !v
      frag.release %e12 after(%e14 : !tile.token)
      scf.yield %nx#2, %nx#3, %nx#4, %nx#5, %nx#6, %nx#7, %nx#8, %nx#9, %nx#10, %nx#11, %qw2, %qr2
          : !P, !row, !sum, !Q, index, index, index, i32, i32, i32, i32, i32
    }
    frag.yield
  }
  frag.return
}
