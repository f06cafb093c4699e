// RUN: helios-opt %s | helios-opt | FileCheck %s
// RUN: helios-opt %s --mlir-print-op-generic | helios-opt | FileCheck %s
// RUN: helios-opt %s --canonicalize --cse | helios-opt | FileCheck %s

// Level 2, after `roles`: attention backward for Hopper, head dimension 128: dK and dV of a fixed block of 128 keys, and its part of dQ,
// in a loop over query blocks of 64. Run on the emulator.
//
// What it shows:
// - Scores are computed transposed (keys x queries), so P and dS are A operands from registers for dV += P·dO and dK += dS·Q; a
//   vector along queries (LSE, delta) is a vector of columns, `#col`.
// - dS also goes to shared memory, through a ring of the replica, and is read there transposed: dQ = dSᵀ·K.
// - Each replica holds 64 of the 128 keys, so each adds its own part of dQ into memory: a bulk copy that reduces. The sum is
//   unordered, so the program is not `deterministic`; the deterministic variant computes dQ in a second program over key blocks.
// - LSE is padded with +inf: the probability of a query behind the end is zero. Keys behind the end are zero rows.
// - K and V stay in shared memory for the whole loop: a ring of depth one that is exited after it; a result of the
//   loop names every op in it.
// Shared memory: K, V 64 KB, Q and dO 2 x 32 KB, dS 2 x 8 KB, dQ 2 x 32 KB: 212992 of 232448 bytes. Registers a lane: dK 64, dV 64, dQ 64,
// P and dS 16 each, while S and dP (32 each) live before dQ.

#mS = #ptx.wgmma<n = 64, bf16, bf16, f32>
#mD = #ptx.wgmma<n = 128, bf16, bf16, f32>
#aS = #tile.acc<#mS, groups = [1, 1]>
#aD = #tile.acc<#mD, groups = [1, 1]>
#opA = #tile.operand<a, #mD, groups = [1, 1]>
#col = #tile.slice<0, #aS>
#s = #tile.shared<order = [1, 0], swizzle = 128>
#st = #tile.shared<order = [0, 1], swizzle = 128>
!v = !tile.view<?x?x128xbf16, strides = [?, ?, 1], div = [8, 8, 1], align = 16>
!vf = !tile.view<?x?x128xf32, strides = [?, ?, 1], div = [4, 4, 1], align = 16>
!vl = !tile.view<?x?xf32, strides = [?, 1], align = 4>
!kv = !tile.ring<1x(tensor<128x128xbf16, #s>, tensor<128x128xbf16, #s>), load, copy = #ptx.bulk, readers = 2>
!qd = !tile.ring<2x(tensor<64x128xbf16, #s>, tensor<64x128xbf16, #s>), load, copy = #ptx.bulk, readers = 2>
!ds = !tile.ring<1x(tensor<64x64xbf16, #s>), pass, scope = replica>
!dq = !tile.ring<1x(tensor<64x128xf32, #s>), store, copy = #ptx.bulk, scope = replica>

// CHECK-LABEL: tile.program @dkdv(
// CHECK: tile.role "load"
// CHECK: tile.role "math"
// CHECK: scf.for
// CHECK-COUNT-5: tile.dot
// CHECK: tile.copy_out %{{.*}} to %{{.*}} reduce add
// CHECK: tile.exit %{{.*}} after(%{{.*}}#0 :
tile.program @dkdv(%pQ: !tile.ptr<bf16>, %pK: !tile.ptr<bf16>, %pV: !tile.ptr<bf16>, %pdO: !tile.ptr<bf16>, %pL: !tile.ptr<f32>,
    %pDelta: !tile.ptr<f32>, %pdK: !tile.ptr<bf16>, %pdV: !tile.ptr<bf16>, %pdQ: !tile.ptr<f32>,
    %BH: index {tile.range = array<i64: 1, 1048576>}, %S: index {tile.range = array<i64: 1, 16777216>}, %scale: f32, %sc: f32)
    attributes {target = #ptx.target<"sm_90a">} {
  // %sc = scale · log2(e); L holds LSE · log2(e), Delta the row sums of dO · O. dQ is zero at the start.
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
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
  %wg = tile.id workgroup
  %bh = arith.divui %wg, %tkv : index
  %j = arith.remui %wg, %tkv : index
  %kv = arith.muli %j, %c128 : index
  %rkv, %ckv = tile.ring : !kv
  %rqd, %cqd = tile.ring : !qd
  tile.roles captures(%Q = %Q, %K = %K, %V = %V, %dO = %dO, %dK = %dK, %dV = %dV, %dQ = %dQ, %L = %L, %Delta = %Delta,
      %rkv = %rkv, %rqd = %rqd, %ckv = %ckv, %cqd = %cqd, %bh = %bh, %kv = %kv, %tq = %tq, %scale = %scale, %sc = %sc
      : !v, !v, !v, !v, !v, !v, !vf, !vl, !vl, !kv, !qd, !tile.cursor, !tile.cursor, index, index, index, f32, f32) {
    tile.role "load" lanes(1) regs(24) {
      %z = arith.constant 0 : index
      %o = arith.constant 1 : index
      %c64 = arith.constant 64 : index
      %w, %ckv1 = tile.enter write %rkv[%ckv] : !kv -> !tile.slot<write>
      %tk = tile.copy_in %K[%bh, %kv, %z] into %w[0] : !v, !tile.slot<write>
      %tv = tile.copy_in %V[%bh, %kv, %z] into %w[1] : !v, !tile.slot<write>
      tile.exit %w after(%tk, %tv : !tile.token, !tile.token) : !tile.slot<write>
      %e = scf.for %i = %z to %tq step %o iter_args(%c = %cqd) -> (!tile.cursor) {
        %m = arith.muli %i, %c64 : index
        %x, %c1 = tile.enter write %rqd[%c] : !qd -> !tile.slot<write>
        %t0 = tile.copy_in %Q[%bh, %m, %z] into %x[0] : !v, !tile.slot<write>
        %t1 = tile.copy_in %dO[%bh, %m, %z] into %x[1] : !v, !tile.slot<write>
        tile.exit %x after(%t0, %t1 : !tile.token, !tile.token) : !tile.slot<write>
        scf.yield %c1 : !tile.cursor
      }
    }
    tile.role "math" replicas(2) regs(240) {
    ^bb0(%r: index):
      %z = arith.constant 0 : index
      %o = arith.constant 1 : index
      %c64 = arith.constant 64 : index
      %zS = arith.constant dense<0.0> : tensor<64x64xf32, #aS>
      %zD = arith.constant dense<0.0> : tensor<64x128xf32, #aD>
      %r64 = arith.muli %r, %c64 : index
      %rds, %cds = tile.ring : !ds
      %rdq, %cdq = tile.ring : !dq
      %scm = tile.expand %sc, [0, 1] : f32 -> tensor<64x64xf32, #aS>
      %scd = tile.expand %scale, [0, 1] : f32 -> tensor<64x128xf32, #aD>
      %skv, %ckv1, %k, %v = tile.enter read %rkv[%ckv] : !kv -> !tile.slot<read>, tensor<128x128xbf16, #s>, tensor<128x128xbf16, #s>
      %kr = tile.slice %k [%r64, 0] : tensor<128x128xbf16, #s> -> tensor<64x128xbf16, #s>
      %vr = tile.slice %v [%r64, 0] : tensor<128x128xbf16, #s> -> tensor<64x128xbf16, #s>
      %x:7 = scf.for %i = %z to %tq step %o iter_args(%dk = %zD, %dv = %zD, %c = %cqd, %dw = %cds, %dr = %cds, %qw = %cdq, %qr = %cdq)
          -> (tensor<64x128xf32, #aD>, tensor<64x128xf32, #aD>, !tile.cursor, !tile.cursor, !tile.cursor, !tile.cursor, !tile.cursor) {
        %m = arith.muli %i, %c64 : index
        %sq, %c1, %q, %do = tile.enter read %rqd[%c] : !qd -> !tile.slot<read>, tensor<64x128xbf16, #s>, tensor<64x128xbf16, #s>
        // Sᵀ and dPᵀ, keys x queries.
        %qt = tile.transpose %q : tensor<64x128xbf16, #s> -> tensor<128x64xbf16, #st>
        %s = tile.dot %kr, %qt, %zS mma(#mS) : tensor<64x128xbf16, #s>, tensor<128x64xbf16, #st>, tensor<64x64xf32, #aS>
        %dot = tile.transpose %do : tensor<64x128xbf16, #s> -> tensor<128x64xbf16, #st>
        %dp = tile.dot %vr, %dot, %zS mma(#mS) : tensor<64x128xbf16, #s>, tensor<128x64xbf16, #st>, tensor<64x64xf32, #aS>
        %lse = tile.load %L[%bh, %m] pad(0x7FF0000000000000) : !vl -> tensor<64xf32, #col>
        %nl = arith.negf %lse : tensor<64xf32, #col>
        %nlx = tile.expand %nl, [0] : tensor<64xf32, #col> -> tensor<64x64xf32, #aS>
        %e = math.fma %s, %scm, %nlx : tensor<64x64xf32, #aS>
        %p = math.exp2 %e : tensor<64x64xf32, #aS>
        %ph = arith.truncf %p : tensor<64x64xf32, #aS> to tensor<64x64xbf16, #aS>
        %pa = tile.convert_layout %ph : tensor<64x64xbf16, #aS> -> tensor<64x64xbf16, #opA>
        %dv1 = tile.dot %pa, %do, %dv mma(#mD) : tensor<64x64xbf16, #opA>, tensor<64x128xbf16, #s>, tensor<64x128xf32, #aD>
        %dl = tile.load %Delta[%bh, %m] : !vl -> tensor<64xf32, #col>
        %dlx = tile.expand %dl, [0] : tensor<64xf32, #col> -> tensor<64x64xf32, #aS>
        %dd = arith.subf %dp, %dlx : tensor<64x64xf32, #aS>
        %dsf = arith.mulf %p, %dd : tensor<64x64xf32, #aS>
        %dsh = arith.truncf %dsf : tensor<64x64xf32, #aS> to tensor<64x64xbf16, #aS>
        %dsa = tile.convert_layout %dsh : tensor<64x64xbf16, #aS> -> tensor<64x64xbf16, #opA>
        %dk1 = tile.dot %dsa, %q, %dk mma(#mD) : tensor<64x64xbf16, #opA>, tensor<64x128xbf16, #s>, tensor<64x128xf32, #aD>
        // dS through shared memory, read transposed.
        %wd, %dw1 = tile.enter write %rds[%dw] : !ds -> !tile.slot<write>
        tile.put %dsh into %wd[0] : tensor<64x64xbf16, #aS>, !tile.slot<write>
        tile.exit %wd : !tile.slot<write>
        %sd, %dr1, %ds = tile.enter read %rds[%dr] : !ds -> !tile.slot<read>, tensor<64x64xbf16, #s>
        %dst = tile.transpose %ds : tensor<64x64xbf16, #s> -> tensor<64x64xbf16, #st>
        %dq = tile.dot %dst, %kr, %zD mma(#mD) : tensor<64x64xbf16, #st>, tensor<64x128xbf16, #s>, tensor<64x128xf32, #aD>
        tile.exit %sq after(%s, %dp, %dv1, %dk1
            : tensor<64x64xf32, #aS>, tensor<64x64xf32, #aS>, tensor<64x128xf32, #aD>, tensor<64x128xf32, #aD>) : !tile.slot<read>
        tile.exit %sd after(%dq : tensor<64x128xf32, #aD>) : !tile.slot<read>
        %dqs = arith.mulf %dq, %scd : tensor<64x128xf32, #aD>
        %wq, %qw1 = tile.enter write %rdq[%qw] : !dq -> !tile.slot<write>
        tile.put %dqs into %wq[0] : tensor<64x128xf32, #aD>, !tile.slot<write>
        tile.exit %wq : !tile.slot<write>
        %sx, %qr1, %dqt = tile.enter read %rdq[%qr] : !dq -> !tile.slot<read>, tensor<64x128xf32, #s>
        %tc = tile.copy_out %dqt to %dQ[%bh, %m, %z] reduce add : tensor<64x128xf32, #s>, !vf
        tile.exit %sx after(%tc : !tile.token) : !tile.slot<read>
        scf.yield %dk1, %dv1, %c1, %dw1, %dr1, %qw1, %qr1 : tensor<64x128xf32, #aD>, tensor<64x128xf32, #aD>, !tile.cursor,
            !tile.cursor, !tile.cursor, !tile.cursor, !tile.cursor
      }
      tile.exit %skv after(%x#0 : tensor<64x128xf32, #aD>) : !tile.slot<read>
      %kvr = arith.addi %kv, %r64 : index
      %dks = arith.mulf %x#0, %scd : tensor<64x128xf32, #aD>
      %dkh = arith.truncf %dks : tensor<64x128xf32, #aD> to tensor<64x128xbf16, #aD>
      tile.store %dkh, %dK[%bh, %kvr, %z] : tensor<64x128xbf16, #aD>, !v
      %dvh = arith.truncf %x#1 : tensor<64x128xf32, #aD> to tensor<64x128xbf16, #aD>
      tile.store %dvh, %dV[%bh, %kvr, %z] : tensor<64x128xbf16, #aD>, !v
    }
  }
  tile.return
}
