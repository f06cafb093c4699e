// RUN: helios-opt %s | helios-opt | FileCheck %s
// RUN: helios-opt %s --mlir-print-op-generic | helios-opt | FileCheck %s
// RUN: helios-opt %s --canonicalize --cse | helios-opt | FileCheck %s

// Level 3 of attention-sm90-tile.mlir: causal attention forward for Hopper, three warpgroups. Run by the attention lowering.
//
// What it shows, in the steady loop of the math role:
// - Two products start back to back: S = Q·K(n+1) and O += P·V(n). `await %ts` retires the first; the second stays in flight and
//   unreadable under the whole softmax. Both wait counts (1, then 0) are derived from the order of the starts.
// - K is handed back before the softmax, V after P·V has landed.
// - P feeds a pending product from registers, and the next P is made from the softmax under it. `through(%P, %p)` pins both across the
//   await of P·V: P's registers live to it, and the packing of the new P takes what came through, so it cannot move above it.
// - The test whether a row exceeds the stale maximum is a partial vector, reduced in the lane and voted on in the subgroup: no shuffle on
//   the usual path. What the vote guards differs between subgroups, so no product, await or release stands there.
// - The row sum stays partial over the loop and is reduced over lanes once.
// - Q: fragments by matrix loads, a barrier of the replica, then its slot goes back.
// Registers a lane: S 64, O 64, P 32, Q 32, vectors 8: 200 of 240. Roles: 128 x 24 + 256 x 240 = 64512.

#mma = #ptx.wgmma<n = 128, bf16, bf16, f32>
#acc = #tile.acc<#mma, groups = [1, 1]>
#opA = #tile.operand<a, #mma, groups = [1, 1]>
#row = #tile.slice<1, #acc>
#max = #tile.slice<1, #acc, partial = max>
#sum = #tile.slice<1, #acc, partial = add>
#any = #tile.slice<1, #acc, partial = or>
#s = #tile.shared<order = [1, 0], swizzle = 128>
!v = !tile.view<?x?x128xbf16, strides = [?, ?, 1], div = [8, 8, 1], align = 16>
!kv = !frag.ring<!tile.ring<2x(tensor<128x128xbf16, #s>), load, copy = #ptx.bulk, readers = 2>>
!q = !frag.ring<!tile.ring<1x(tensor<128x128xbf16, #s>), load, copy = #ptx.bulk, readers = 2>>
!out = !frag.ring<!tile.ring<2x(tensor<64x64xbf16, #s>), store, copy = #ptx.bulk, scope = replica>>
!mem = !frag.mem<128x128xbf16, #s>
!acc = !frag.f<64x128xf32, #acc>
!P = !frag.f<64x128xbf16, #opA>
!row = !frag.f<64xf32, #row>
!max = !frag.f<64xf32, #max>
!sum = !frag.f<64xf32, #sum>
!any = !frag.f<64xi1, #any>
!fly = !frag.inflight<!frag.f<64x128xf32, #acc>>
!tok = !frag.token<"wgmma">

// CHECK-LABEL: frag.kernel @attention(
// CHECK: frag.role lanes(0 to 128) regs(24)
// CHECK: frag.role lanes(128 to 384 by 128) regs(240)
// CHECK: scf.for
// CHECK: frag.mma_start
// CHECK: frag.await
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
frag.kernel @attention(%pQ: !tile.ptr<bf16>, %pK: !tile.ptr<bf16>, %pV: !tile.ptr<bf16>, %pO: !tile.ptr<bf16>,
    %BH: index {tile.range = array<i64: 1, 1048576>}, %BHk: index {tile.range = array<i64: 1, 1048576>},
    %G: index {tile.range = array<i64: 1, 1024>}, %S: index {tile.range = array<i64: 1, 16777216>}, %sc: f32)
    attributes {threads = 384 : i64, shared_bytes = 196688 : i64, regs = 168 : i64, synchronized, target = #ptx.target<"sm_90a">} {
  %z = arith.constant 0 : index
  %o = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %c0 = arith.constant 0 : i32
  %zf = arith.constant 0.0 : f32
  %onef = arith.constant 1.0 : f32
  %ninf = arith.constant 0xFF800000 : f32
  %eight = arith.constant 8.0 : f32
  %thr = arith.divf %eight, %sc : f32
  %nsc = arith.negf %sc : f32
  %sh = arith.muli %S, %c128 : index
  %Q = tile.view %pQ[%BH, %S] strides [%sh, %c128] : !tile.ptr<bf16> -> !v
  %K = tile.view %pK[%BHk, %S] strides [%sh, %c128] : !tile.ptr<bf16> -> !v
  %V = tile.view %pV[%BHk, %S] strides [%sh, %c128] : !tile.ptr<bf16> -> !v
  %O = tile.view %pO[%BH, %S] strides [%sh, %c128] : !tile.ptr<bf16> -> !v
  %tq = arith.ceildivui %S, %c128 : index
  %items = arith.muli %BH, %tq : index
  %wg = frag.id workgroup
  %nwg = frag.id workgroups
  // Q 32 KB, K 64 KB, V 64 KB, stores 2 x 16 KB, then the barriers of the three load rings.
  %rq = frag.shared 0 barriers 196608 : !q
  %rk = frag.shared 32768 barriers 196624 : !kv
  %rv = frag.shared 98304 barriers 196656 : !kv
  frag.role lanes(0 to 128) regs(24) {
    %end:3 = scf.for %t = %wg to %items step %nwg iter_args(%cq = %c0, %ck = %c0, %cv = %c0) -> (i32, i32, i32) {
      %bh = arith.remui %t, %BH : index
      %ti = arith.divui %t, %BH : index
      %ti1 = arith.addi %ti, %o : index
      %i = arith.subi %tq, %ti1 : index
      %bhk = arith.divui %bh, %G : index
      %m = arith.muli %i, %c128 : index
      %sq, %cq1 = frag.acquire write %rq[%cq] : !q
      %mq = frag.slot_mem %sq[0] : !mem
      %tcq = frag.copy_in #ptx.bulk %Q[%bh, %m, %z] into %mq : !v -> !mem
      frag.release %sq after(%tcq : !tile.token)
      %sk0, %ck1 = frag.acquire write %rk[%ck] : !kv
      %mk0 = frag.slot_mem %sk0[0] : !mem
      %tk0 = frag.copy_in #ptx.bulk %K[%bhk, %m, %z] into %mk0 : !v -> !mem
      frag.release %sk0 after(%tk0 : !tile.token)
      %l:2 = scf.for %n = %z to %i step %o iter_args(%dk = %ck1, %dv = %cv) -> (i32, i32) {
        %b = arith.subi %i, %n : index
        %b1 = arith.subi %b, %o : index
        %k1 = arith.muli %b1, %c128 : index
        %k0 = arith.muli %b, %c128 : index
        %sk, %dk1 = frag.acquire write %rk[%dk] : !kv
        %mk = frag.slot_mem %sk[0] : !mem
        %tk = frag.copy_in #ptx.bulk %K[%bhk, %k1, %z] into %mk : !v -> !mem
        frag.release %sk after(%tk : !tile.token)
        %sv, %dv1 = frag.acquire write %rv[%dv] : !kv
        %mv = frag.slot_mem %sv[0] : !mem
        %tv = frag.copy_in #ptx.bulk %V[%bhk, %k0, %z] into %mv : !v -> !mem
        frag.release %sv after(%tv : !tile.token)
        scf.yield %dk1, %dv1 : i32, i32
      }
      %sl, %cv1 = frag.acquire write %rv[%l#1] : !kv
      %ml = frag.slot_mem %sl[0] : !mem
      %tl = frag.copy_in #ptx.bulk %V[%bhk, %z, %z] into %ml : !v -> !mem
      frag.release %sl after(%tl : !tile.token)
      scf.yield %cq1, %l#0, %cv1 : i32, i32, i32
    }
    frag.yield
  }
  frag.role lanes(128 to 384 by 128) regs(240) {
  ^bb0(%r: index):
    %r64 = arith.muli %r, %c64 : index
    %out = frag.shared 163840 : !out
    %ones = frag.splat %onef : f32 -> !row
    %zero = frag.splat %zf : f32 -> !acc
    %end:5 = scf.for %t = %wg to %items step %nwg iter_args(%cq = %c0, %ck = %c0, %cv = %c0, %qw = %c0, %qr = %c0)
        -> (i32, i32, i32, i32, i32) {
      %bh = arith.remui %t, %BH : index
      %ti = arith.divui %t, %BH : index
      %ti1 = arith.addi %ti, %o : index
      %i = arith.subi %tq, %ti1 : index
      %m = arith.muli %i, %c128 : index
      %mr = arith.addi %m, %r64 : index
      // Q into registers.
      %sq, %cq1 = frag.acquire read %rq[%cq] : !q
      %qm = frag.slot_mem %sq[0] at [%r64, %z] : !frag.mem<64x128xbf16, #s>
      %Qf = frag.read %qm[%z, %z] : !frag.mem<64x128xbf16, #s> -> !P
      frag.barrier replica
      frag.release %sq
      // Block 0, masked.
      %sk0, %ck1 = frag.acquire read %rk[%ck] : !kv
      %mk0 = frag.slot_mem %sk0[0] : !mem
      %d0, %t0 = frag.mma_start #mma %Qf, %mk0 trans : !P, !mem -> !fly, !tok
      %s0, %Q0 = frag.await %t0 (%d0 : !fly) through(%Qf : !P) : !tok -> !acc, !P
      frag.release %sk0 after(%t0 : !tok)
      %rows = frag.iota 0 base %mr : !frag.f<64x128xindex, #acc>
      %cols = frag.iota 1 base %m : !frag.f<64x128xindex, #acc>
      %sm0 = frag.map(%s0, %rows, %cols : !acc, !frag.f<64x128xindex, #acc>, !frag.f<64x128xindex, #acc>) -> !acc {
      ^bb0(%a: f32, %ri: index, %ci: index):
        %ok = arith.cmpi ule, %ci, %ri : index
        %y = arith.select %ok, %a, %ninf : f32
        frag.yield %y : f32
      }
      %mt0 = frag.reduce max %sm0, lane dim 1 : !acc -> !max
      %mx0 = frag.reduce max %mt0, group : !max -> !row
      %p0 = frag.map(%sm0, %mx0 : !acc, !row) -> !acc {
      ^bb0(%a: f32, %b: f32):
        %n = arith.mulf %b, %nsc : f32
        %e = math.fma %a, %sc, %n : f32
        %y = math.exp2 %e : f32
        frag.yield %y : f32
      }
      %l0 = frag.reduce add %p0, lane dim 1 : !acc -> !sum
      %P0 = frag.map(%p0 : !acc) -> !P {
      ^bb0(%a: f32):
        %y = arith.truncf %a : f32 to bf16
        frag.yield %y : bf16
      }
      // Steady state.
      %x:6 = scf.for %n = %z to %i step %o iter_args(%mx = %mx0, %l = %l0, %P = %P0, %acc = %zero, %dk = %ck1, %dv = %cv)
          -> (!row, !sum, !P, !acc, i32, i32) {
        %sk, %dk1 = frag.acquire read %rk[%dk] : !kv
        %mk = frag.slot_mem %sk[0] : !mem
        %sd, %ts = frag.mma_start #mma %Q0, %mk trans : !P, !mem -> !fly, !tok
        %sv, %dv1 = frag.acquire read %rv[%dv] : !kv
        %mv = frag.slot_mem %sv[0] : !mem
        %od, %to = frag.mma_start #mma %P, %mv, %acc : !acc : !P, !mem -> !fly, !tok
        %s = frag.await %ts (%sd : !fly) : !tok -> !acc                  // FIFO [ts, to]: wait 1
        frag.release %sk after(%ts : !tok)                               // retired already: arrive only
        %mt = frag.reduce max %s, lane dim 1 : !acc -> !max
        %over = frag.map(%mt, %mx : !max, !row) -> !any {
        ^bb0(%a: f32, %b: f32):
          %bt = arith.addf %b, %thr : f32
          %g = arith.cmpf ogt, %a, %bt : f32
          frag.yield %g : i1
        }
        %vote = frag.reduce or %over, all : !any -> i1
        %m1, %f = scf.if %vote -> (!row, !row) {
          // A row that did not exceed keeps its maximum, whatever its neighbours did.
          %ov = frag.reduce or %over, group : !any -> !frag.f<64xi1, #row>
          %full = frag.reduce max %mt, group : !max -> !row
          %mn, %fn = frag.map(%mx, %full, %ov : !row, !row, !frag.f<64xi1, #row>) -> !row, !row {
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
        %p = frag.map(%s, %m1 : !acc, !row) -> !acc {
        ^bb0(%a: f32, %b: f32):
          %nb = arith.mulf %b, %nsc : f32
          %e = math.fma %a, %sc, %nb : f32
          %y = math.exp2 %e : f32
          frag.yield %y : f32
        }
        %ls = frag.reduce add %p, lane dim 1 : !acc -> !sum
        %l1 = frag.map(%l, %f, %ls : !sum, !row, !sum) -> !sum {
        ^bb0(%a: f32, %b: f32, %c: f32):
          %y = math.fma %a, %b, %c : f32
          frag.yield %y : f32
        }
        %o2, %Pold, %pw = frag.await %to (%od : !fly) through(%P, %p : !P, !acc) : !tok -> !acc, !P, !acc   // FIFO [to]: wait 0
        frag.release %sv after(%to : !tok)
        %Pn = frag.map(%pw : !acc) -> !P {                               // takes %pw: cannot move above the await
        ^bb0(%a: f32):
          %y = arith.truncf %a : f32 to bf16
          frag.yield %y : bf16
        }
        %on = scf.if %vote -> (!acc) {
          %os = frag.map(%o2, %f : !acc, !row) -> !acc {
          ^bb0(%a: f32, %b: f32):
            %y = arith.mulf %a, %b : f32
            frag.yield %y : f32
          }
          scf.yield %os : !acc
        } else {
          scf.yield %o2 : !acc
        }
        scf.yield %m1, %l1, %Pn, %on, %dk1, %dv1 : !row, !sum, !P, !acc, i32, i32
      }
      // The last P·V.
      %sl, %cv1 = frag.acquire read %rv[%x#5] : !kv
      %ml = frag.slot_mem %sl[0] : !mem
      %dl, %tl = frag.mma_start #mma %x#2, %ml, %x#3 : !acc : !P, !mem -> !fly, !tok
      %lf = frag.reduce add %x#1, group : !sum -> !row
      %ol, %Pl = frag.await %tl (%dl : !fly) through(%x#2 : !P) : !tok -> !acc, !P
      frag.release %sl after(%tl : !tok)
      // O / l in two chunks through the store ring.
      %oa = frag.slice %ol [0, 0] : !acc -> !frag.f<64x64xf32, #acc>
      %ya = frag.map(%oa, %lf : !frag.f<64x64xf32, #acc>, !row) -> !frag.f<64x64xbf16, #acc> {
      ^bb0(%a: f32, %b: f32):
        %q = arith.divf %a, %b : f32
        %y = arith.truncf %q : f32 to bf16
        frag.yield %y : bf16
      }
      %wa, %qw1 = frag.acquire write %out[%qw] : !out
      %wam = frag.slot_mem %wa[0] : !frag.mem<64x64xbf16, #s>
      frag.write %ya, %wam[%z, %z] : !frag.f<64x64xbf16, #acc>, !frag.mem<64x64xbf16, #s>
      frag.release %wa
      %ra, %qr1 = frag.acquire read %out[%qr] : !out
      frag.barrier replica proxy
      %ram = frag.slot_mem %ra[0] : !frag.mem<64x64xbf16, #s>
      %ta = frag.copy_out #ptx.bulk %ram to %O[%bh, %mr, %z] : !frag.mem<64x64xbf16, #s> -> !v
      frag.release %ra after(%ta : !tile.token)
      %ob = frag.slice %ol [0, 64] : !acc -> !frag.f<64x64xf32, #acc>
      %yb = frag.map(%ob, %lf : !frag.f<64x64xf32, #acc>, !row) -> !frag.f<64x64xbf16, #acc> {
      ^bb0(%a: f32, %b: f32):
        %q = arith.divf %a, %b : f32
        %y = arith.truncf %q : f32 to bf16
        frag.yield %y : bf16
      }
      %wb, %qw2 = frag.acquire write %out[%qw1] : !out
      %wbm = frag.slot_mem %wb[0] : !frag.mem<64x64xbf16, #s>
      frag.write %yb, %wbm[%z, %z] : !frag.f<64x64xbf16, #acc>, !frag.mem<64x64xbf16, #s>
      frag.release %wb
      %rb, %qr2 = frag.acquire read %out[%qr1] : !out
      frag.barrier replica proxy
      %rbm = frag.slot_mem %rb[0] : !frag.mem<64x64xbf16, #s>
      %tb = frag.copy_out #ptx.bulk %rbm to %O[%bh, %mr, %c64] : !frag.mem<64x64xbf16, #s> -> !v
      frag.release %rb after(%tb : !tile.token)
      scf.yield %cq1, %x#4, %cv1, %qw2, %qr2 : i32, i32, i32, i32, i32
    }
    frag.yield
  }
  frag.return
}
