// RUN: helios-opt %s | helios-opt | FileCheck %s
// RUN: helios-opt %s --mlir-print-op-generic | helios-opt | FileCheck %s
// RUN: helios-opt %s --canonicalize --cse | helios-opt | FileCheck %s

// Level 3 of dkdv-sm90-tile.mlir: a step of attention backward for Hopper. Run on the emulator: test/EndToEnd/emulator-programs.test.
//
// What it shows:
// - Five products of one iteration in one FIFO, [S, dP, dV, dK, dQ]: each await names the youngest that it needs, so dP runs under the
//   exponentials of S, dV under the arithmetic of dS, and one await at the end lands dV, dK and dQ together.
// - P and dS are operands in registers of pending products: both go `through` that last await.
// - dS is written to shared memory for dQ, which reads it transposed: a barrier of the replica with proxy fence between.
// - The slot of Q and dO is released after the youngest product that reads it, dK: a FIFO retires the older ones with it. K and V are
//   held around the loop, whose awaits have retired every reader.
// - dQ leaves by a bulk copy that adds into memory.

#mS = #ptx.wgmma<n = 64, bf16, bf16, f32>
#mD = #ptx.wgmma<n = 128, bf16, bf16, f32>
#aS = #tile.acc<#mS, groups = [1, 1]>
#aD = #tile.acc<#mD, groups = [1, 1]>
#opA = #tile.operand<a, #mD, groups = [1, 1]>
#col = #tile.slice<0, #aS>
#s = #tile.shared<order = [1, 0], swizzle = 128>
!v = !tile.view<?x?x128xbf16, strides = [?, ?, 1], div = [8, 8, 1], align = 16>
!vf = !tile.view<?x?x128xf32, strides = [?, ?, 1], div = [4, 4, 1], align = 16>
!vl = !tile.view<?x?xf32, strides = [?, 1], align = 4>
!kv = !frag.ring<!tile.ring<1x(tensor<128x128xbf16, #s>, tensor<128x128xbf16, #s>), load, copy = #ptx.bulk, readers = 2>>
!qd = !frag.ring<!tile.ring<2x(tensor<64x128xbf16, #s>, tensor<64x128xbf16, #s>), load, copy = #ptx.bulk, readers = 2>>
!ds = !frag.ring<!tile.ring<1x(tensor<64x64xbf16, #s>), pass, scope = replica>>
!dq = !frag.ring<!tile.ring<1x(tensor<64x128xf32, #s>), store, copy = #ptx.bulk, scope = replica>>
!m128 = !frag.mem<128x128xbf16, #s>
!m64 = !frag.mem<64x128xbf16, #s>
!mds = !frag.mem<64x64xbf16, #s>
!mdq = !frag.mem<64x128xf32, #s>
!S = !frag.f<64x64xf32, #aS>
!D = !frag.f<64x128xf32, #aD>
!P = !frag.f<64x64xbf16, #opA>
!col = !frag.f<64xf32, #col>
!flyS = !frag.inflight<!frag.f<64x64xf32, #aS>>
!flyD = !frag.inflight<!frag.f<64x128xf32, #aD>>
!tok = !frag.token<"wgmma">

// CHECK-LABEL: frag.kernel @dkdv(
// CHECK: frag.role lanes(0 to 128)
// CHECK: frag.role lanes(128 to 384 by 128)
// CHECK: scf.for
// CHECK-COUNT-2: frag.mma_start
// CHECK: frag.await
// CHECK: frag.mma_start
// CHECK: frag.await
// CHECK: frag.mma_start
// CHECK: frag.barrier replica proxy
// CHECK: frag.mma_start
// CHECK: frag.await {{.*}} through(
// CHECK: frag.copy_out {{.*}} reduce add
frag.kernel @dkdv(%pQ: !tile.ptr<bf16>, %pK: !tile.ptr<bf16>, %pV: !tile.ptr<bf16>, %pdO: !tile.ptr<bf16>, %pL: !tile.ptr<f32>,
    %pDelta: !tile.ptr<f32>, %pdK: !tile.ptr<bf16>, %pdV: !tile.ptr<bf16>, %pdQ: !tile.ptr<f32>,
    %BH: index {tile.range = array<i64: 1, 1048576>}, %S: index {tile.range = array<i64: 1, 16777216>}, %scale: f32, %sc: f32)
    attributes {threads = 384 : i64, shared_bytes = 213040 : i64, regs = 168 : i64, synchronized, target = #ptx.target<"sm_90a">} {
  %z = arith.constant 0 : index
  %o = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %c0 = arith.constant 0 : i32
  %zf = arith.constant 0.0 : f32
  %sh = arith.muli %S, %c128 : index
  %Q = tile.view %pQ[%BH, %S] strides [%sh, %c128] : !tile.ptr<bf16> -> !v
  %K = tile.view %pK[%BH, %S] strides [%sh, %c128] : !tile.ptr<bf16> -> !v
  %V = tile.view %pV[%BH, %S] strides [%sh, %c128] : !tile.ptr<bf16> -> !v
  %dO = tile.view %pdO[%BH, %S] strides [%sh, %c128] : !tile.ptr<bf16> -> !v
  %dK = tile.view %pdK[%BH, %S] strides [%sh, %c128] : !tile.ptr<bf16> -> !v
  %dV = tile.view %pdV[%BH, %S] strides [%sh, %c128] : !tile.ptr<bf16> -> !v
  %dQ = tile.view %pdQ[%BH, %S] strides [%sh, %c128] : !tile.ptr<f32> -> !vf
  %L = tile.view %pL[%BH, %S] strides [%S] : !tile.ptr<f32> -> !vl
  %Delta = tile.view %pDelta[%BH, %S] strides [%S] : !tile.ptr<f32> -> !vl
  %tkv = arith.ceildivui %S, %c128 : index
  %tq = arith.ceildivui %S, %c64 : index
  %wg = frag.id workgroup
  %bh = arith.divui %wg, %tkv : index
  %j = arith.remui %wg, %tkv : index
  %kv = arith.muli %j, %c128 : index
  %rkv = frag.shared 0 barriers 212992 : !kv
  %rqd = frag.shared 65536 barriers 213008 : !qd
  frag.role lanes(0 to 128) regs(24) {
    %w, %ckv1 = frag.acquire write %rkv[%c0] : !kv
    %wk = frag.slot_mem %w[0] : !m128
    %wv = frag.slot_mem %w[1] : !m128
    %tk = frag.copy_in #ptx.bulk %K[%bh, %kv, %z] into %wk : !v -> !m128
    %tv = frag.copy_in #ptx.bulk %V[%bh, %kv, %z] into %wv : !v -> !m128
    frag.release %w after(%tk, %tv : !tile.token, !tile.token)
    %e = scf.for %i = %z to %tq step %o iter_args(%c = %c0) -> (i32) {
      %m = arith.muli %i, %c64 : index
      %x, %c1 = frag.acquire write %rqd[%c] : !qd
      %xq = frag.slot_mem %x[0] : !m64
      %xd = frag.slot_mem %x[1] : !m64
      %t0 = frag.copy_in #ptx.bulk %Q[%bh, %m, %z] into %xq : !v -> !m64
      %t1 = frag.copy_in #ptx.bulk %dO[%bh, %m, %z] into %xd : !v -> !m64
      frag.release %x after(%t0, %t1 : !tile.token, !tile.token)
      scf.yield %c1 : i32
    }
    frag.yield
  }
  frag.role lanes(128 to 384 by 128) regs(240) {
  ^bb0(%r: index):
    %r64 = arith.muli %r, %c64 : index
    %rds = frag.shared 131072 : !ds
    %rdq = frag.shared 147456 : !dq
    %zD = frag.splat %zf : f32 -> !D
    %skv, %ckv1 = frag.acquire read %rkv[%c0] : !kv
    %kr = frag.slot_mem %skv[0] at [%r64, %z] : !m64
    %vr = frag.slot_mem %skv[1] at [%r64, %z] : !m64
    %x:7 = scf.for %i = %z to %tq step %o iter_args(%dk = %zD, %dv = %zD, %c = %c0, %dw = %c0, %dr = %c0, %qw = %c0, %qr = %c0)
        -> (!D, !D, i32, i32, i32, i32, i32) {
      %m = arith.muli %i, %c64 : index
      %sq, %c1 = frag.acquire read %rqd[%c] : !qd
      %q = frag.slot_mem %sq[0] : !m64
      %do = frag.slot_mem %sq[1] : !m64
      %sd, %ts = frag.mma_start #mS %kr, %q trans : !m64, !m64 -> !flyS, !tok
      %pd, %tp = frag.mma_start #mS %vr, %do trans : !m64, !m64 -> !flyS, !tok
      %lse = frag.read %L[%bh, %m] pad(0x7FF0000000000000) : !vl -> !col
      %dl = frag.read %Delta[%bh, %m] : !vl -> !col
      %s = frag.await %ts (%sd : !flyS) : !tok -> !S                       // FIFO [S, dP]: wait 1
      %p = frag.map(%s, %lse : !S, !col) -> !S {
      ^bb0(%a: f32, %b: f32):
        %n = arith.negf %b : f32
        %e = math.fma %a, %sc, %n : f32
        %y = math.exp2 %e : f32
        frag.yield %y : f32
      }
      %pa = frag.map(%p : !S) -> !P {
      ^bb0(%a: f32):
        %y = arith.truncf %a : f32 to bf16
        frag.yield %y : bf16
      }
      %vd, %tv = frag.mma_start #mD %pa, %do, %dv : !D : !P, !m64 -> !flyD, !tok
      %dp = frag.await %tp (%pd : !flyS) : !tok -> !S                      // FIFO [dP, dV]: wait 1
      %dsa = frag.map(%p, %dp, %dl : !S, !S, !col) -> !P {
      ^bb0(%a: f32, %b: f32, %d: f32):
        %t = arith.subf %b, %d : f32
        %u = arith.mulf %a, %t : f32
        %y = arith.truncf %u : f32 to bf16
        frag.yield %y : bf16
      }
      %kd, %tk = frag.mma_start #mD %dsa, %q, %dk : !D : !P, !m64 -> !flyD, !tok
      %wd, %dw1 = frag.acquire write %rds[%dw] : !ds
      %wdm = frag.slot_mem %wd[0] : !mds
      frag.write %dsa, %wdm[%z, %z] : !P, !mds
      frag.release %wd
      %ss, %dr1 = frag.acquire read %rds[%dr] : !ds
      frag.barrier replica proxy
      %ds = frag.slot_mem %ss[0] : !mds
      %qd, %tq2 = frag.mma_start #mD %ds trans, %kr : !mds, !m64 -> !flyD, !tok
      %dv1, %dk1, %dq, %pl, %dl2 = frag.await %tq2 (%vd, %kd, %qd : !flyD, !flyD, !flyD) through(%pa, %dsa : !P, !P) : !tok
          -> !D, !D, !D, !P, !P                                            // wait 0
      frag.release %sq after(%tk : !tok)
      frag.release %ss after(%tq2 : !tok)
      %dqs = frag.map(%dq : !D) -> !D {
      ^bb0(%a: f32):
        %y = arith.mulf %a, %scale : f32
        frag.yield %y : f32
      }
      %wq, %qw1 = frag.acquire write %rdq[%qw] : !dq
      %wqm = frag.slot_mem %wq[0] : !mdq
      frag.write %dqs, %wqm[%z, %z] : !D, !mdq
      frag.release %wq
      %sx, %qr1 = frag.acquire read %rdq[%qr] : !dq
      frag.barrier replica proxy
      %sxm = frag.slot_mem %sx[0] : !mdq
      %tc = frag.copy_out #ptx.bulk %sxm to %dQ[%bh, %m, %z] reduce add : !mdq -> !vf
      frag.release %sx after(%tc : !tile.token)
      scf.yield %dk1, %dv1, %c1, %dw1, %dr1, %qw1, %qr1 : !D, !D, i32, i32, i32, i32, i32
    }
    frag.release %skv
    %kvr = arith.addi %kv, %r64 : index
    %dkh = frag.map(%x#0 : !D) -> !frag.f<64x128xbf16, #aD> {
    ^bb0(%a: f32):
      %t = arith.mulf %a, %scale : f32
      %y = arith.truncf %t : f32 to bf16
      frag.yield %y : bf16
    }
    frag.write %dkh, %dK[%bh, %kvr, %z] : !frag.f<64x128xbf16, #aD>, !v
    %dvh = frag.map(%x#1 : !D) -> !frag.f<64x128xbf16, #aD> {
    ^bb0(%a: f32):
      %y = arith.truncf %a : f32 to bf16
      frag.yield %y : bf16
    }
    frag.write %dvh, %dV[%bh, %kvr, %z] : !frag.f<64x128xbf16, #aD>, !v
    frag.yield
  }
  frag.return
}
