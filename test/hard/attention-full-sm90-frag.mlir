// RUN: helios-opt %s | helios-opt | FileCheck %s
// RUN: helios-opt %s --mlir-print-op-generic | helios-opt | FileCheck %s
// RUN: helios-opt %s --canonicalize --cse | helios-opt | FileCheck %s

// Level 3: attention forward without a mask for Hopper, head dimension 128, four warpgroups: three replicas of 64 rows, which read blocks of 64 keys and
// values. Run by the CUDA lowering. The steady loop is that of attention-sm90-frag.mlir.
//
// What it shows:
// - Scores and results are accumulators of two instructions (n = 64 and n = 128): a vector along the rows of one is the same registers along the rows
//   of the other, which `permute` says.
// - With 160 registers a lane Q has no room in them and stays in shared memory: its slot is held while the steady loop reads it, goes through the items
//   loop and a branch, and is handed back where the next item has begun; the ring has two slots for that. No product is pending there.
// - Only a last block that reaches beyond the keys is masked, in a branch that is usually not taken.
// Registers a lane: S 32, O 64, P 16, vectors 8: 120 of 160. Roles: 128 x 32 + 384 x 160 = 65536.

#mS = #ptx.wgmma<n = 64, bf16, bf16, f32>
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
!kv = !frag.ring<!tile.ring<2x(tensor<64x128xbf16, #s>), load, copy = #ptx.bulk, readers = 3>>
!q = !frag.ring<!tile.ring<2x(tensor<192x128xbf16, #s>), load, copy = #ptx.bulk, readers = 3>>
!out = !frag.ring<!tile.ring<2x(tensor<64x64xbf16, #s>), store, copy = #ptx.bulk, scope = replica>>
!memq = !frag.mem<192x128xbf16, #s>
!memqr = !frag.mem<64x128xbf16, #s>
!mem = !frag.mem<64x128xbf16, #s>
!S = !frag.f<64x64xf32, #accS>
!I = !frag.f<64x64xindex, #accS>
!O = !frag.f<64x128xf32, #accO>
!P = !frag.f<64x64xbf16, #opP>
!Q = !frag.f<64x128xbf16, #opQ>
!row = !frag.f<64xf32, #row>
!rowO = !frag.f<64xf32, #rowO>
!max = !frag.f<64xf32, #max>
!sum = !frag.f<64xf32, #sum>
!any = !frag.f<64xi1, #any>
!rowany = !frag.f<64xi1, #row>
!flyS = !frag.inflight<!frag.f<64x64xf32, #accS>>
!flyO = !frag.inflight<!frag.f<64x128xf32, #accO>>
!tok = !frag.token<"wgmma">

// CHECK-LABEL: frag.kernel @attention(
// CHECK: frag.role lanes(128 to 512 by 128) regs(160)
// CHECK: scf.for {{.*}} -> ({{.*}}, !frag.slot, index
// CHECK: frag.slot_mem
// CHECK: scf.for
// CHECK: frag.permute
// CHECK: scf.if {{.*}}, !frag.slot, index
// CHECK-NEXT: frag.release %{{[A-Za-z0-9_]*}}{{$}}
// CHECK: frag.release %{{[A-Za-z0-9_]*}}#3{{$}}
frag.kernel @attention(%pQ: !tile.ptr<bf16>, %pK: !tile.ptr<bf16>, %pV: !tile.ptr<bf16>, %pO: !tile.ptr<bf16>,
    %BH: index {tile.range = array<i64: 1, 1048576>}, %BHk: index {tile.range = array<i64: 1, 1048576>},
    %G: index {tile.range = array<i64: 1, 1024>}, %S: index {tile.range = array<i64: 1, 16777216>}, %sc: f32)
    attributes {threads = 512 : i64, shared_bytes = 213088 : i64, regs = 128 : i64, synchronized, target = #ptx.target<"sm_90a">} {
  %z = arith.constant 0 : index
  %o = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %cD = arith.constant 128 : index
  %cBM = arith.constant 192 : index
  %cBN = arith.constant 64 : index
  %cNW = arith.constant 3 : index
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
  // Q 2 x 49152, K and V 2 x 16384, stores 3 x 2 x 8192 bytes, then the barriers of the three load rings.
  %rq = frag.shared 0 barriers 212992 : !q
  %rk = frag.shared 98304 barriers 213024 : !kv
  %rv = frag.shared 131072 barriers 213056 : !kv
  frag.role lanes(0 to 128) regs(32) {
    %end:3 = scf.for %t = %wg to %items step %nwg iter_args(%cq = %c0, %ck = %c0, %cv = %c0) -> (i32, i32, i32) {
      %bh = arith.divui %t, %tq : index
      %i = arith.remui %t, %tq : index
      %bhk = arith.divui %bh, %G : index
      %m = arith.muli %i, %cBM : index
      %last = arith.subi %nblocks, %o : index
      %s1, %c1 = frag.acquire write %rq[%cq] : !q
      %mm = frag.slot_mem %s1[0] : !memq
      %tk = frag.copy_in #ptx.bulk %Q[%bh, %m, %z] into %mm : !v -> !memq
      frag.release %s1 after(%tk : !tile.token)
      // The last block first; K runs one block ahead of V, as in the math role.
      %x = arith.muli %last, %cBN : index
      %s2, %c2 = frag.acquire write %rk[%ck] : !kv
      %mm1 = frag.slot_mem %s2[0] : !mem
      %tk1 = frag.copy_in #ptx.bulk %K[%bhk, %x, %z] into %mm1 : !v -> !mem
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
  frag.role lanes(128 to 512 by 128) regs(160) {
  ^bb0(%r: index):
    %r64 = arith.muli %r, %c64 : index
    %out = frag.shared 163840 : !out
    %ones = frag.splat %onef : f32 -> !row
    %zero = frag.splat %zf : f32 -> !O
    // The first item has no item before it to overlap with.
    %bh1 = arith.divui %wg, %tq : index
    %i1 = arith.remui %wg, %tq : index
    %bhk1 = arith.divui %bh1, %G : index
    %m5 = arith.muli %i1, %cBM : index
    %last1 = arith.subi %nblocks, %o : index
    %mr = arith.addi %m5, %r64 : index
    %sq, %cq1 = frag.acquire read %rq[%c0] : !q
    %qm = frag.slot_mem %sq[0] at [%r64, %z] : !memqr
    %sk, %ck1 = frag.acquire read %rk[%c0] : !kv
    %mk = frag.slot_mem %sk[0] : !mem
    %sd, %ts = frag.mma_start #mS %qm, %mk trans : !memqr, !mem -> !flyS, !tok
    %s6 = frag.await %ts (%sd : !flyS) : !tok -> !S
    frag.release %sk after(%ts : !tok)
    %kv = arith.muli %last1, %cBN : index
    %end1 = arith.addi %kv, %cBN : index
    %beyond = arith.cmpi sgt, %end1, %S : index
    %sm = scf.if %beyond -> (!S) {
      %cols = frag.iota 1 base %kv : !I
      %masked = frag.map(%s6, %cols : !S, !I) -> !S {
      ^bb0(%a: f32, %ci: index):
        %ok = arith.cmpi slt, %ci, %S : index
        %y = arith.select %ok, %a, %ninf : f32
        frag.yield %y : f32
      }
      scf.yield %masked : !S
    } else {
      scf.yield %s6 : !S
    }
    %mt1 = frag.reduce max %sm, lane dim 1 : !S -> !max
    %mx1 = frag.reduce max %mt1, group : !max -> !row
    %p = frag.map(%sm, %mx1 : !S, !row) -> !S {
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
    %end:12 = scf.for %t = %wg to %items step %nwg iter_args(%Pi = %P1, %mi = %mx1, %li = %l2, %Qi = %sq, %bhi = %bh1, %mri = %mr, %lasti = %last1,
        %cq = %cq1, %ck = %ck1, %cv = %c0, %qw = %c0, %qr = %c0)
        -> (!P, !row, !sum, !frag.slot, index, index, index, i32, i32, i32, i32, i32) {
      %Qm = frag.slot_mem %Qi[0] at [%r64, %z] : !memqr
      // Steady state: QK of the next block, P·V of this one, then the softmax of the next.
      %x1:6 = scf.for %n = %z to %lasti step %o iter_args(%mx = %mi, %l = %li, %P = %Pi, %acc = %zero, %dk = %ck, %dv = %cv)
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
        %fo = frag.permute %f : !row -> !rowO
        %on = scf.if %vote -> (!O) {
          %os = frag.map(%o2, %fo : !O, !rowO) -> !O {
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
      %tn = arith.addi %t, %nwg : index
      %more = arith.cmpi ult, %tn, %items : index
      %nx:12 = scf.if %more -> (!O, !row, !P, !row, !sum, !frag.slot, index, index, index, i32, i32, i32) {
        frag.release %Qi                                                // its products have landed
        %sq1, %cq2 = frag.acquire read %rq[%cq] : !q
        %qm1 = frag.slot_mem %sq1[0] at [%r64, %z] : !memqr
        %sk2, %ck3 = frag.acquire read %rk[%x1#4] : !kv
        %mk2 = frag.slot_mem %sk2[0] : !mem
        %sd2, %ts2 = frag.mma_start #mS %qm1, %mk2 trans : !memqr, !mem -> !flyS, !tok
        %sv1, %cv2 = frag.acquire read %rv[%x1#5] : !kv
        %mv1 = frag.slot_mem %sv1[0] : !mem
        %od1, %to1 = frag.mma_start #mO %x1#2, %mv1, %x1#3 : !O : !P, !mem -> !flyO, !tok
        %bh2 = arith.divui %tn, %tq : index
        %i2 = arith.remui %tn, %tq : index
        %bhk2 = arith.divui %bh2, %G : index
        %m6 = arith.muli %i2, %cBM : index
        %last2 = arith.subi %nblocks, %o : index
        %mr1 = arith.addi %m6, %r64 : index
        %s = frag.await %ts2 (%sd2 : !flyS) : !tok -> !S
        frag.release %sk2 after(%ts2 : !tok)
        %kv1 = arith.muli %last2, %cBN : index
        %end2 = arith.addi %kv1, %cBN : index
        %beyond1 = arith.cmpi sgt, %end2, %S : index
        %sm1 = scf.if %beyond1 -> (!S) {
          %cols1 = frag.iota 1 base %kv1 : !I
          %masked1 = frag.map(%s, %cols1 : !S, !I) -> !S {
          ^bb0(%a: f32, %ci: index):
            %ok = arith.cmpi slt, %ci, %S : index
            %y = arith.select %ok, %a, %ninf : f32
            frag.yield %y : f32
          }
          scf.yield %masked1 : !S
        } else {
          scf.yield %s : !S
        }
        %mt2 = frag.reduce max %sm1, lane dim 1 : !S -> !max
        %mx2 = frag.reduce max %mt2, group : !max -> !row
        %p2 = frag.map(%sm1, %mx2 : !S, !row) -> !S {
        ^bb0(%a: f32, %b: f32):
          %nb = arith.mulf %b, %nsc : f32
          %e = math.fma %a, %sc, %nb : f32
          %y = math.exp2 %e : f32
          frag.yield %y : f32
        }
        %l3 = frag.reduce add %p2, lane dim 1 : !S -> !sum
        %lf = frag.reduce add %x1#1, group : !sum -> !row
        %li1 = frag.map(%lf : !row) -> !row {
        ^bb0(%a: f32):
          %y = arith.divf %onef, %a fastmath<afn> : f32
          frag.yield %y : f32
        }
        %ol, %Pl, %pw = frag.await %to1 (%od1 : !flyO) through(%x1#2, %p2 : !P, !S) : !tok -> !O, !P, !S
        frag.release %sv1 after(%to1 : !tok)
        %P3 = frag.map(%pw : !S) -> !P {
        ^bb0(%a: f32):
          %y = arith.truncf %a : f32 to bf16
          frag.yield %y : bf16
        }
        scf.yield %ol, %li1, %P3, %mx2, %l3, %sq1, %bh2, %mr1, %last2, %cq2, %ck3, %cv2
            : !O, !row, !P, !row, !sum, !frag.slot, index, index, index, i32, i32, i32
      } else {
        %sv2, %cv3 = frag.acquire read %rv[%x1#5] : !kv
        %mv2 = frag.slot_mem %sv2[0] : !mem
        %od2, %to2 = frag.mma_start #mO %x1#2, %mv2, %x1#3 : !O : !P, !mem -> !flyO, !tok
        %lf1 = frag.reduce add %x1#1, group : !sum -> !row
        %li2 = frag.map(%lf1 : !row) -> !row {
        ^bb0(%a: f32):
          %y = arith.divf %onef, %a fastmath<afn> : f32
          frag.yield %y : f32
        }
        %ol, %Pl = frag.await %to2 (%od2 : !flyO) through(%x1#2 : !P) : !tok -> !O, !P
        frag.release %sv2 after(%to2 : !tok)
        scf.yield %ol, %li2, %Pl, %x1#0, %x1#1, %Qi, %bhi, %mri, %lasti, %cq, %x1#4, %cv3
            : !O, !row, !P, !row, !sum, !frag.slot, index, index, index, i32, i32, i32
      }
      // O / l, through the store ring.
      %fo1 = frag.permute %nx#1 : !row -> !rowO
      %e1 = frag.slice %nx#0 [0, 0] : !O -> !frag.f<64x64xf32, #accO>
      %e2 = frag.map(%e1, %fo1 : !frag.f<64x64xf32, #accO>, !rowO) -> !frag.f<64x64xbf16, #accO> {
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
      %e9 = frag.map(%e8, %fo1 : !frag.f<64x64xf32, #accO>, !rowO) -> !frag.f<64x64xbf16, #accO> {
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
          : !P, !row, !sum, !frag.slot, index, index, index, i32, i32, i32, i32, i32
    }
    frag.release %end#3
    frag.yield
  }
  frag.return
}
