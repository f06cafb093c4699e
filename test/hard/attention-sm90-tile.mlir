// RUN: helios-opt %s | helios-opt | FileCheck %s
// RUN: helios-opt %s --mlir-print-op-generic | helios-opt | FileCheck %s
// RUN: helios-opt %s --canonicalize --cse | helios-opt | FileCheck %s

// Level 2, after `roles`: causal attention forward for Hopper, head dimension 128, grouped queries. Run by the attention lowering.
//
// What it shows:
// - QK(n + 1) stands before the softmax of its own scores and after nothing but the previous P: in the steady loop two products
//   start back to back (`%s`, `%o2`), the softmax of `%s` runs while P·V is in flight, and K is handed back before it.
// - Block 0, the diagonal one, is peeled: only it is masked; the loop has no mask. The last P·V follows the loop.
// - Row sums stay unreduced over the loop (`#sum`, partial = add); the row maximum of a block stays unreduced too (`#max`), because
//   the test "does any row exceed the stale maximum by 2^8" is closed for it (max-partial > full is an or-partial). `tile.map`
//   joins partial and full vectors. Only inside `tile.where`, usually skipped, is the maximum combined over lanes.
// - Q lives in registers: one `convert_layout` right after its slot was entered, and the slot is back before the K loop.
// - P is the A operand of P·V without moving data: `#acc` and `#opA` put 16-bit elements in the same places.
// - Items go longest first (causal: the last row block has the most key blocks); the cursors of all rings go on through them.
// Shared memory: Q 32 KB, K and V 2 x 32 KB each, stores 2 x 2 x 8 KB: 196608 bytes of 232448.

#mma = #ptx.wgmma<n = 128, bf16, bf16, f32>
#acc = #tile.acc<#mma, groups = [1, 1]>
#opA = #tile.operand<a, #mma, groups = [1, 1]>
#row = #tile.slice<1, #acc>
#max = #tile.slice<1, #acc, partial = max>
#sum = #tile.slice<1, #acc, partial = add>
#any = #tile.slice<1, #acc, partial = or>
#s = #tile.shared<order = [1, 0], swizzle = 128>
#st = #tile.shared<order = [0, 1], swizzle = 128>
!v = !tile.view<?x?x128xbf16, strides = [?, ?, 1], div = [8, 8, 1], align = 16>
!kv = !tile.ring<2x(tensor<128x128xbf16, #s>), load, copy = #ptx.bulk, readers = 2>
!q = !tile.ring<1x(tensor<128x128xbf16, #s>), load, copy = #ptx.bulk, readers = 2>
!out = !tile.ring<2x(tensor<64x64xbf16, #s>), store, copy = #ptx.bulk, scope = replica>

// CHECK-LABEL: tile.program @attention(
// CHECK: tile.role "load"
// CHECK: tile.role "math"
// CHECK: scf.for
// CHECK: scf.for
// CHECK: tile.dot
// CHECK: tile.dot
// CHECK: tile.exit
// CHECK: tile.reduce max
// CHECK: tile.map
// CHECK: tile.where
tile.program @attention(%pQ: !tile.ptr<bf16>, %pK: !tile.ptr<bf16>, %pV: !tile.ptr<bf16>, %pO: !tile.ptr<bf16>,
    %BH: index {tile.range = array<i64: 1, 1048576>}, %BHk: index {tile.range = array<i64: 1, 1048576>},
    %G: index {tile.range = array<i64: 1, 1024>}, %S: index {tile.range = array<i64: 1, 16777216>}, %sc: f32)
    attributes {target = #ptx.target<"sm_90a">} {
  // %S rows of queries and of keys; %G query heads share a K/V head; %sc is scale · log2(e).
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %sh = arith.muli %S, %c128 : index
  %Q = tile.view %pQ[%BH, %S] strides [%sh, %c128] : !tile.ptr<bf16> -> !v
  %K = tile.view %pK[%BHk, %S] strides [%sh, %c128] : !tile.ptr<bf16> -> !v
  %V = tile.view %pV[%BHk, %S] strides [%sh, %c128] : !tile.ptr<bf16> -> !v
  %O = tile.view %pO[%BH, %S] strides [%sh, %c128] : !tile.ptr<bf16> -> !v
  %tq = arith.ceildivui %S, %c128 : index
  %items = arith.muli %BH, %tq : index
  %wg = tile.id workgroup
  %nwg = tile.id workgroups
  %rq, %cq0 = tile.ring : !q
  %rk, %ck0 = tile.ring : !kv
  %rv, %cv0 = tile.ring : !kv
  tile.roles captures(%Q = %Q, %K = %K, %V = %V, %O = %O, %rq = %rq, %rk = %rk, %rv = %rv, %cq0 = %cq0, %ck0 = %ck0, %cv0 = %cv0,
      %BH = %BH, %G = %G, %tq = %tq, %items = %items, %wg = %wg, %nwg = %nwg, %sc = %sc
      : !v, !v, !v, !v, !q, !kv, !kv, !tile.cursor, !tile.cursor, !tile.cursor, index, index, index, index, index, index, f32) {
    tile.role "load" lanes(1) regs(24) {
      %z = arith.constant 0 : index
      %o = arith.constant 1 : index
      %c128 = arith.constant 128 : index
      %end:3 = scf.for %t = %wg to %items step %nwg iter_args(%cq = %cq0, %ck = %ck0, %cv = %cv0)
          -> (!tile.cursor, !tile.cursor, !tile.cursor) {
        // Longest first: item t is row block tq - 1 - t / BH of head t mod BH.
        %bh = arith.remui %t, %BH : index
        %ti = arith.divui %t, %BH : index
        %ti1 = arith.addi %ti, %o : index
        %i = arith.subi %tq, %ti1 : index
        %bhk = arith.divui %bh, %G : index
        %m = arith.muli %i, %c128 : index
        %sq, %cq1 = tile.enter write %rq[%cq] : !q -> !tile.slot<write>
        %tq0 = tile.copy_in %Q[%bh, %m, %z] into %sq[0] : !v, !tile.slot<write>
        tile.exit %sq after(%tq0 : !tile.token) : !tile.slot<write>
        // K runs one block ahead of V, as in the math role; block n of the loop is block i - n of memory.
        %sk0, %ck1 = tile.enter write %rk[%ck] : !kv -> !tile.slot<write>
        %tk0 = tile.copy_in %K[%bhk, %m, %z] into %sk0[0] : !v, !tile.slot<write>
        tile.exit %sk0 after(%tk0 : !tile.token) : !tile.slot<write>
        %l:2 = scf.for %n = %z to %i step %o iter_args(%dk = %ck1, %dv = %cv) -> (!tile.cursor, !tile.cursor) {
          %b = arith.subi %i, %n : index
          %b1 = arith.subi %b, %o : index
          %k1 = arith.muli %b1, %c128 : index
          %k0 = arith.muli %b, %c128 : index
          %sk, %dk1 = tile.enter write %rk[%dk] : !kv -> !tile.slot<write>
          %tk = tile.copy_in %K[%bhk, %k1, %z] into %sk[0] : !v, !tile.slot<write>
          tile.exit %sk after(%tk : !tile.token) : !tile.slot<write>
          %sv, %dv1 = tile.enter write %rv[%dv] : !kv -> !tile.slot<write>
          %tv = tile.copy_in %V[%bhk, %k0, %z] into %sv[0] : !v, !tile.slot<write>
          tile.exit %sv after(%tv : !tile.token) : !tile.slot<write>
          scf.yield %dk1, %dv1 : !tile.cursor, !tile.cursor
        }
        %sl, %cv1 = tile.enter write %rv[%l#1] : !kv -> !tile.slot<write>
        %tl = tile.copy_in %V[%bhk, %z, %z] into %sl[0] : !v, !tile.slot<write>
        tile.exit %sl after(%tl : !tile.token) : !tile.slot<write>
        scf.yield %cq1, %l#0, %cv1 : !tile.cursor, !tile.cursor, !tile.cursor
      }
    }
    tile.role "math" replicas(2) regs(240) {
    ^bb0(%r: index):
      %z = arith.constant 0 : index
      %o = arith.constant 1 : index
      %c64 = arith.constant 64 : index
      %c128 = arith.constant 128 : index
      %zero = arith.constant dense<0.0> : tensor<64x128xf32, #acc>
      %ninf = arith.constant dense<0xFF800000> : tensor<64x128xf32, #acc>
      %ones = arith.constant dense<1.0> : tensor<64xf32, #row>
      %eight = arith.constant 8.0 : f32
      %thr = arith.divf %eight, %sc : f32
      %r64 = arith.muli %r, %c64 : index
      %scv = tile.expand %sc, [0] : f32 -> tensor<64xf32, #row>
      %scm = tile.expand %sc, [0, 1] : f32 -> tensor<64x128xf32, #acc>
      %out, %q0 = tile.ring : !out
      %end:5 = scf.for %t = %wg to %items step %nwg iter_args(%cq = %cq0, %ck = %ck0, %cv = %cv0, %qw = %q0, %qr = %q0)
          -> (!tile.cursor, !tile.cursor, !tile.cursor, !tile.cursor, !tile.cursor) {
        %bh = arith.remui %t, %BH : index
        %ti = arith.divui %t, %BH : index
        %ti1 = arith.addi %ti, %o : index
        %i = arith.subi %tq, %ti1 : index
        %m = arith.muli %i, %c128 : index
        %mr = arith.addi %m, %r64 : index
        // Q: matrix loads, then the slot is free for the next item.
        %sq, %cq1, %qs = tile.enter read %rq[%cq] : !q -> !tile.slot<read>, tensor<128x128xbf16, #s>
        %qp = tile.slice %qs [%r64, 0] : tensor<128x128xbf16, #s> -> tensor<64x128xbf16, #s>
        %qf = tile.convert_layout %qp : tensor<64x128xbf16, #s> -> tensor<64x128xbf16, #opA>
        tile.exit %sq after(%qf : tensor<64x128xbf16, #opA>) : !tile.slot<read>
        // Block 0: the diagonal, masked by j <= i.
        %sk0, %ck1, %k0 = tile.enter read %rk[%ck] : !kv -> !tile.slot<read>, tensor<128x128xbf16, #s>
        %kt0 = tile.transpose %k0 : tensor<128x128xbf16, #s> -> tensor<128x128xbf16, #st>
        %s0 = tile.dot %qf, %kt0, %zero mma(#mma) : tensor<64x128xbf16, #opA>, tensor<128x128xbf16, #st>, tensor<64x128xf32, #acc>
        tile.exit %sk0 after(%s0 : tensor<64x128xf32, #acc>) : !tile.slot<read>
        %rows = tile.iota 0 base %mr : tensor<64x128xindex, #acc>
        %cols = tile.iota 1 base %m : tensor<64x128xindex, #acc>
        %ok = arith.cmpi ule, %cols, %rows : tensor<64x128xindex, #acc>
        %sm0 = arith.select %ok, %s0, %ninf : tensor<64x128xi1, #acc>, tensor<64x128xf32, #acc>
        %mt0 = tile.reduce max %sm0, 1 : tensor<64x128xf32, #acc> -> tensor<64xf32, #max>
        %mx0 = tile.convert_layout %mt0 : tensor<64xf32, #max> -> tensor<64xf32, #row>
        %ms0 = arith.mulf %mx0, %scv : tensor<64xf32, #row>
        %nm0 = arith.negf %ms0 : tensor<64xf32, #row>
        %nmx0 = tile.expand %nm0, [1] : tensor<64xf32, #row> -> tensor<64x128xf32, #acc>
        %e0 = math.fma %sm0, %scm, %nmx0 : tensor<64x128xf32, #acc>
        %p0 = math.exp2 %e0 : tensor<64x128xf32, #acc>
        %l0 = tile.reduce add %p0, 1 : tensor<64x128xf32, #acc> -> tensor<64xf32, #sum>
        %h0 = arith.truncf %p0 : tensor<64x128xf32, #acc> to tensor<64x128xbf16, #acc>
        %P0 = tile.convert_layout %h0 : tensor<64x128xbf16, #acc> -> tensor<64x128xbf16, #opA>
        // Steady state: QK of block n + 1, then P·V of block n, then the softmax of n + 1.
        %x:6 = scf.for %n = %z to %i step %o iter_args(%mx = %mx0, %l = %l0, %P = %P0, %acc = %zero, %dk = %ck1, %dv = %cv)
            -> (tensor<64xf32, #row>, tensor<64xf32, #sum>, tensor<64x128xbf16, #opA>, tensor<64x128xf32, #acc>, !tile.cursor, !tile.cursor) {
          %sk, %dk1, %k = tile.enter read %rk[%dk] : !kv -> !tile.slot<read>, tensor<128x128xbf16, #s>
          %kt = tile.transpose %k : tensor<128x128xbf16, #s> -> tensor<128x128xbf16, #st>
          %s = tile.dot %qf, %kt, %zero mma(#mma) : tensor<64x128xbf16, #opA>, tensor<128x128xbf16, #st>, tensor<64x128xf32, #acc>
          %sv, %dv1, %v = tile.enter read %rv[%dv] : !kv -> !tile.slot<read>, tensor<128x128xbf16, #s>
          %o2 = tile.dot %P, %v, %acc mma(#mma) : tensor<64x128xbf16, #opA>, tensor<128x128xbf16, #s>, tensor<64x128xf32, #acc>
          tile.exit %sk after(%s : tensor<64x128xf32, #acc>) : !tile.slot<read>
          %mt = tile.reduce max %s, 1 : tensor<64x128xf32, #acc> -> tensor<64xf32, #max>
          %over = tile.map(%mt, %mx : tensor<64xf32, #max>, tensor<64xf32, #row>) -> tensor<64xi1, #any> {
          ^bb0(%a: f32, %b: f32):
            %bt = arith.addf %b, %thr : f32
            %g = arith.cmpf ogt, %a, %bt : f32
            tile.yield %g : i1
          }
          %m1, %f = tile.where %over else(%mx, %ones) {
            %full = tile.convert_layout %mt : tensor<64xf32, #max> -> tensor<64xf32, #row>
            %mf = arith.maximumf %mx, %full : tensor<64xf32, #row>
            %df = arith.subf %mx, %mf : tensor<64xf32, #row>
            %ds = arith.mulf %df, %scv : tensor<64xf32, #row>
            %ef = math.exp2 %ds : tensor<64xf32, #row>
            tile.yield %mf, %ef : tensor<64xf32, #row>, tensor<64xf32, #row>
          } : tensor<64xi1, #any>, tensor<64xf32, #row>, tensor<64xf32, #row> -> tensor<64xf32, #row>, tensor<64xf32, #row>
          %ms = arith.mulf %m1, %scv : tensor<64xf32, #row>
          %nm = arith.negf %ms : tensor<64xf32, #row>
          %nmx = tile.expand %nm, [1] : tensor<64xf32, #row> -> tensor<64x128xf32, #acc>
          %e = math.fma %s, %scm, %nmx : tensor<64x128xf32, #acc>
          %p = math.exp2 %e : tensor<64x128xf32, #acc>
          %ls = tile.reduce add %p, 1 : tensor<64x128xf32, #acc> -> tensor<64xf32, #sum>
          %l1 = tile.map(%l, %f, %ls : tensor<64xf32, #sum>, tensor<64xf32, #row>, tensor<64xf32, #sum>) -> tensor<64xf32, #sum> {
          ^bb0(%a: f32, %b: f32, %c: f32):
            %y = math.fma %a, %b, %c : f32
            tile.yield %y : f32
          }
          tile.exit %sv after(%o2 : tensor<64x128xf32, #acc>) : !tile.slot<read>
          %on = tile.where %over else(%o2) {
            %fx = tile.expand %f, [1] : tensor<64xf32, #row> -> tensor<64x128xf32, #acc>
            %os = arith.mulf %o2, %fx : tensor<64x128xf32, #acc>
            tile.yield %os : tensor<64x128xf32, #acc>
          } : tensor<64xi1, #any>, tensor<64x128xf32, #acc> -> tensor<64x128xf32, #acc>
          %h = arith.truncf %p : tensor<64x128xf32, #acc> to tensor<64x128xbf16, #acc>
          %Pn = tile.convert_layout %h : tensor<64x128xbf16, #acc> -> tensor<64x128xbf16, #opA>
          scf.yield %m1, %l1, %Pn, %on, %dk1, %dv1
              : tensor<64xf32, #row>, tensor<64xf32, #sum>, tensor<64x128xbf16, #opA>, tensor<64x128xf32, #acc>, !tile.cursor, !tile.cursor
        }
        // The last block's P·V, then O / l. The diagonal is in the first block, so no row is empty.
        %sl, %cv1, %vl = tile.enter read %rv[%x#5] : !kv -> !tile.slot<read>, tensor<128x128xbf16, #s>
        %ol = tile.dot %x#2, %vl, %x#3 mma(#mma) : tensor<64x128xbf16, #opA>, tensor<128x128xbf16, #s>, tensor<64x128xf32, #acc>
        tile.exit %sl after(%ol : tensor<64x128xf32, #acc>) : !tile.slot<read>
        %lf = tile.convert_layout %x#1 : tensor<64xf32, #sum> -> tensor<64xf32, #row>
        %li = arith.divf %ones, %lf : tensor<64xf32, #row>
        %lx = tile.expand %li, [1] : tensor<64xf32, #row> -> tensor<64x64xf32, #acc>
        // Two chunks of 64 columns through the store ring.
        %oa = tile.slice %ol [0, 0] : tensor<64x128xf32, #acc> -> tensor<64x64xf32, #acc>
        %na = arith.mulf %oa, %lx : tensor<64x64xf32, #acc>
        %ya = arith.truncf %na : tensor<64x64xf32, #acc> to tensor<64x64xbf16, #acc>
        %wa, %qw1 = tile.enter write %out[%qw] : !out -> !tile.slot<write>
        tile.put %ya into %wa[0] : tensor<64x64xbf16, #acc>, !tile.slot<write>
        tile.exit %wa : !tile.slot<write>
        %ra, %qr1, %da = tile.enter read %out[%qr] : !out -> !tile.slot<read>, tensor<64x64xbf16, #s>
        %ca = tile.copy_out %da to %O[%bh, %mr, %z] : tensor<64x64xbf16, #s>, !v
        tile.exit %ra after(%ca : !tile.token) : !tile.slot<read>
        %ob = tile.slice %ol [0, 64] : tensor<64x128xf32, #acc> -> tensor<64x64xf32, #acc>
        %nb = arith.mulf %ob, %lx : tensor<64x64xf32, #acc>
        %yb = arith.truncf %nb : tensor<64x64xf32, #acc> to tensor<64x64xbf16, #acc>
        %wb, %qw2 = tile.enter write %out[%qw1] : !out -> !tile.slot<write>
        tile.put %yb into %wb[0] : tensor<64x64xbf16, #acc>, !tile.slot<write>
        tile.exit %wb : !tile.slot<write>
        %rb, %qr2, %db = tile.enter read %out[%qr1] : !out -> !tile.slot<read>, tensor<64x64xbf16, #s>
        %cb = tile.copy_out %db to %O[%bh, %mr, %c64] : tensor<64x64xbf16, #s>, !v
        tile.exit %rb after(%cb : !tile.token) : !tile.slot<read>
        scf.yield %cq1, %x#4, %cv1, %qw2, %qr2 : !tile.cursor, !tile.cursor, !tile.cursor, !tile.cursor, !tile.cursor
      }
    }
  }
  tile.return
}
