// RUN: helios-opt %s | helios-opt | FileCheck %s
// RUN: helios-opt %s --mlir-print-op-generic | helios-opt | FileCheck %s
// RUN: helios-opt %s --canonicalize --cse | helios-opt | FileCheck %s

// Level 3: causal attention forward for Hopper, head dimension 64, five warpgroups: four replicas of 64 rows, which read blocks of 64 keys and values. Run by
// the CUDA lowering. The steady loop is that of attention-sm90-frag.mlir, the items loop that of attention-full-sm90-frag.mlir.
//
// What it shows:
// - Each replica begins at its own diagonal block, the only one that is masked. It hands back the blocks beyond it unread, in a loop whose trips
//   differ from replica to replica: no product holds the lanes together there, so a barrier of the replica stands before each release, or one
//   subgroup could let a slot go of which another has not seen yet that it was full.
// - That is why four slots are needed: keys run one block ahead of values, and three blocks of keys are handed back while the values of the item
//   before are still being read.
// Registers a lane: S 32, O 32, P 16, vectors 8: 88 of 112. Roles: 128 x 32 + 512 x 112 = 61440.

#mS = #ptx.wgmma<n = 64, bf16, bf16, f32>
#mO = #ptx.wgmma<n = 64, bf16, bf16, f32>
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
!v = !tile.view<?x?x64xbf16, strides = [?, ?, 1], div = [8, 8, 1], align = 16>
!kv = !frag.ring<!tile.ring<4x(tensor<64x64xbf16, #s>), load, copy = #ptx.bulk, readers = 4>>
!q = !frag.ring<!tile.ring<2x(tensor<256x64xbf16, #s>), load, copy = #ptx.bulk, readers = 4>>
!out = !frag.ring<!tile.ring<1x(tensor<64x64xbf16, #s>), store, copy = #ptx.bulk, scope = replica>>
!memq = !frag.mem<256x64xbf16, #s>
!memqr = !frag.mem<64x64xbf16, #s>
!mem = !frag.mem<64x64xbf16, #s>
!S = !frag.f<64x64xf32, #accS>
!I = !frag.f<64x64xindex, #accS>
!O = !frag.f<64x64xf32, #accO>
!P = !frag.f<64x64xbf16, #opP>
!Q = !frag.f<64x64xbf16, #opQ>
!row = !frag.f<64xf32, #row>
!rowO = !frag.f<64xf32, #rowO>
!max = !frag.f<64xf32, #max>
!sum = !frag.f<64xf32, #sum>
!any = !frag.f<64xi1, #any>
!rowany = !frag.f<64xi1, #row>
!flyS = !frag.inflight<!frag.f<64x64xf32, #accS>>
!flyO = !frag.inflight<!frag.f<64x64xf32, #accO>>
!tok = !frag.token<"wgmma">

// CHECK-LABEL: frag.kernel @attention(
// CHECK: frag.role lanes(128 to 640 by 128) regs(112)
// CHECK: scf.for
// CHECK-NEXT: frag.acquire read
// CHECK-NEXT: frag.barrier replica
// CHECK-NEXT: frag.release
// CHECK: scf.if {{.*}}, !frag.slot, index
// CHECK-NEXT: frag.release
// CHECK: scf.for
// CHECK-NEXT: frag.acquire read
// CHECK-NEXT: frag.barrier replica
// CHECK-NEXT: frag.release
frag.kernel @attention(%pQ: !tile.ptr<bf16>, %pK: !tile.ptr<bf16>, %pV: !tile.ptr<bf16>, %pO: !tile.ptr<bf16>,
    %BH: index {tile.range = array<i64: 1, 1048576>}, %BHk: index {tile.range = array<i64: 1, 1048576>},
    %G: index {tile.range = array<i64: 1, 1024>}, %S: index {tile.range = array<i64: 1, 16777216>}, %sc: f32, %L: index {tile.range = array<i64: 1, 1048576>})
    attributes {threads = 640 : i64, shared_bytes = 164000 : i64, regs = 96 : i64, synchronized, target = #ptx.target<"sm_90a">} {
  %z = arith.constant 0 : index
  %o = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %cD = arith.constant 64 : index
  %cBM = arith.constant 256 : index
  %cBN = arith.constant 64 : index
  %cNW = arith.constant 4 : index
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
  // Q 2 x 32768, K and V 4 x 8192, stores 4 x 1 x 8192 bytes, then the barriers of the three load rings.
  %rq = frag.shared 0 barriers 163840 : !q
  %rk = frag.shared 65536 barriers 163872 : !kv
  %rv = frag.shared 98304 barriers 163936 : !kv
  frag.role lanes(0 to 128) regs(32) {
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
  frag.role lanes(128 to 640 by 128) regs(112) {
  ^bb0(%r: index):
    %r64 = arith.muli %r, %c64 : index
    %out = frag.shared 131072 : !out
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
    %x5 = arith.muli %i1, %cNW : index
    %x6 = arith.addi %x5, %r : index
    %lastw = arith.minui %x6, %last1 : index
    %unread = arith.subi %last1, %lastw : index
    %sq, %cq1 = frag.acquire read %rq[%c0] : !q
    %qm = frag.slot_mem %sq[0] at [%r64, %z] : !memqr
    %hb = scf.for %h = %z to %unread step %o iter_args(%hc = %c0) -> (i32) {
      %hs, %hn = frag.acquire read %rk[%hc] : !kv
      frag.barrier replica
      frag.release %hs
      scf.yield %hn : i32
    }
    %sk, %ck1 = frag.acquire read %rk[%hb] : !kv
    %mk = frag.slot_mem %sk[0] : !mem
    %sd, %ts = frag.mma_start #mS %qm, %mk trans : !memqr, !mem -> !flyS, !tok
    %s6 = frag.await %ts (%sd : !flyS) : !tok -> !S
    frag.release %sk after(%ts : !tok)
    %kv = arith.muli %lastw, %cBN : index
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
    %hb1 = scf.for %h = %z to %unread step %o iter_args(%hc1 = %c0) -> (i32) {
      %hs1, %hn1 = frag.acquire read %rv[%hc1] : !kv
      frag.barrier replica
      frag.release %hs1
      scf.yield %hn1 : i32
    }
    %end:12 = scf.for %t = %z to %steps step %o iter_args(%Pi = %P1, %mi = %mx1, %li = %l2, %Qi = %sq, %bhi = %bh1, %mri = %mr, %lasti = %lastw,
        %cq = %cq1, %ck = %ck1, %cv = %hb1, %qw = %c0, %qr = %c0)
        -> (!P, !row, !sum, !frag.slot, index, index, index, i32, i32, i32, i32, i32) {
      %Qm = frag.slot_mem %Qi[0] at [%r64, %z] : !memqr
      // Steady state: QK of the next block, P·V of this one, then the softmax of the next.
      %x7:6 = scf.for %n = %z to %lasti step %o iter_args(%mx = %mi, %l = %li, %P = %Pi, %acc = %zero, %dk = %ck, %dv = %cv)
          -> (!row, !sum, !P, !O, i32, i32) {
        %sk1, %ck2 = frag.acquire read %rk[%dk] : !kv
        %mk1 = frag.slot_mem %sk1[0] : !mem
        %sd1, %ts1 = frag.mma_start #mS %Qm, %mk1 trans : !memqr, !mem -> !flyS, !tok
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
      %nx:12 = scf.if %more -> (!O, !row, !P, !row, !sum, !frag.slot, index, index, index, i32, i32, i32) {
        frag.release %Qi                                                // its products have landed
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
        %x8 = arith.addi %m6, %cBM : index
        %x9 = arith.ceildivui %x8, %cBN : index
        %nb3 = arith.minui %x9, %nblocks : index
        %last2 = arith.subi %nb3, %o : index
        %mr1 = arith.addi %m6, %r64 : index
        %x10 = arith.muli %i2, %cNW : index
        %x11 = arith.addi %x10, %r : index
        %lastw1 = arith.minui %x11, %last2 : index
        %unread1 = arith.subi %last2, %lastw1 : index
        %hb2 = scf.for %h = %z to %unread1 step %o iter_args(%hc2 = %x7#4) -> (i32) {
          %hs2, %hn2 = frag.acquire read %rk[%hc2] : !kv
          frag.barrier replica
          frag.release %hs2
          scf.yield %hn2 : i32
        }
        %sq1, %cq2 = frag.acquire read %rq[%cq] : !q
        %qm1 = frag.slot_mem %sq1[0] at [%r64, %z] : !memqr
        %sk2, %ck3 = frag.acquire read %rk[%hb2] : !kv
        %mk2 = frag.slot_mem %sk2[0] : !mem
        %sd2, %ts2 = frag.mma_start #mS %qm1, %mk2 trans : !memqr, !mem -> !flyS, !tok
        %sv1, %cv2 = frag.acquire read %rv[%x7#5] : !kv
        %mv1 = frag.slot_mem %sv1[0] : !mem
        %od1, %to1 = frag.mma_start #mO %x7#2, %mv1, %x7#3 : !O : !P, !mem -> !flyO, !tok
        %s = frag.await %ts2 (%sd2 : !flyS) : !tok -> !S
        frag.release %sk2 after(%ts2 : !tok)
        %kv1 = arith.muli %lastw1, %cBN : index
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
        %lf = frag.reduce add %x7#1, group : !sum -> !row
        %li1 = frag.map(%lf : !row) -> !row {
        ^bb0(%a: f32):
          %y = arith.divf %onef, %a fastmath<afn> : f32
          frag.yield %y : f32
        }
        %ol, %Pl, %pw = frag.await %to1 (%od1 : !flyO) through(%x7#2, %p2 : !P, !S) : !tok -> !O, !P, !S
        frag.release %sv1 after(%to1 : !tok)
        %P3 = frag.map(%pw : !S) -> !P {
        ^bb0(%a: f32):
          %y = arith.truncf %a : f32 to bf16
          frag.yield %y : bf16
        }
        %hb3 = scf.for %h = %z to %unread1 step %o iter_args(%hc3 = %cv2) -> (i32) {
          %hs3, %hn3 = frag.acquire read %rv[%hc3] : !kv
          frag.barrier replica
          frag.release %hs3
          scf.yield %hn3 : i32
        }
        scf.yield %ol, %li1, %P3, %mx2, %l3, %sq1, %bh2, %mr1, %lastw1, %cq2, %ck3, %hb3
            : !O, !row, !P, !row, !sum, !frag.slot, index, index, index, i32, i32, i32
      } else {
        %sv2, %cv3 = frag.acquire read %rv[%x7#5] : !kv
        %mv2 = frag.slot_mem %sv2[0] : !mem
        %od2, %to2 = frag.mma_start #mO %x7#2, %mv2, %x7#3 : !O : !P, !mem -> !flyO, !tok
        %lf1 = frag.reduce add %x7#1, group : !sum -> !row
        %li2 = frag.map(%lf1 : !row) -> !row {
        ^bb0(%a: f32):
          %y = arith.divf %onef, %a fastmath<afn> : f32
          frag.yield %y : f32
        }
        %ol, %Pl = frag.await %to2 (%od2 : !flyO) through(%x7#2 : !P) : !tok -> !O, !P
        frag.release %sv2 after(%to2 : !tok)
        scf.yield %ol, %li2, %Pl, %x7#0, %x7#1, %Qi, %bhi, %mri, %lasti, %cq, %x7#4, %cv3
            : !O, !row, !P, !row, !sum, !frag.slot, index, index, index, i32, i32, i32
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
      scf.yield %nx#2, %nx#3, %nx#4, %nx#5, %nx#6, %nx#7, %nx#8, %nx#9, %nx#10, %nx#11, %qw1, %qr1
          : !P, !row, !sum, !frag.slot, index, index, index, i32, i32, i32, i32, i32
    }
    frag.release %end#3
    frag.yield
  }
  frag.return
}
