// RUN: helios-opt %s | helios-opt | FileCheck %s
// RUN: helios-opt %s --mlir-print-op-generic | helios-opt | FileCheck %s
// RUN: helios-opt %s --canonicalize --cse | helios-opt | FileCheck %s

// Level 2, after `roles`: causal attention forward for Hopper, head dimension 128, grouped queries. Run by the CUDA lowering.
//
// %S rows of queries and of keys; %G query heads share a K/V head; %sc is scale · log2(e).
//
// What it shows:
// - QK(n + 1) stands before the softmax of its own scores and after nothing but the previous P: in the steady loop two products
//   start back to back, the softmax of the first runs while P·V is in flight, and K is handed back before it.
// - Block 0, the diagonal one, is peeled: only it is masked; the loop has no mask.
// - Work items overlap: the last P·V of an item and the first QK of the next stand in one branch of the items loop, which has been
//   rotated for that. The first item's first block is peeled; the last item has a branch without a next one.
// - Row sums stay unreduced over the loop (`#sum`, partial = add); the row maximum of a block stays unreduced too (`#max`), because
//   the test "does any row exceed the stale maximum by 2^8" is closed for it (max-partial > full is an or-partial). `tile.map`
//   joins partial and full vectors. Only inside `tile.where`, usually skipped, is the maximum combined over lanes.
// - Q lives in registers: one `convert_layout` right after its slot was entered, and the slot is back before the K loop.
// - P is the A operand of P·V without moving data: `#accS` and `#opP` put 16-bit elements in the same places.
// - Items go longest first (causal: the last row block has the most key blocks); the cursors of all rings go on through them.
// Shared memory: Q 32 KB, K and V 2 x 32 KB each, stores 2 x 2 x 8 KB: 196608 bytes of 232448.

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
#st = #tile.shared<order = [0, 1], swizzle = 128>
!v = !tile.view<?x?x128xbf16, strides = [?, ?, 1], div = [8, 8, 1], align = 16>
!kv = !tile.ring<2x(tensor<128x128xbf16, #s>), load, copy = #ptx.bulk, readers = 2>
!q = !tile.ring<1x(tensor<128x128xbf16, #s>), load, copy = #ptx.bulk, readers = 2>
!out = !tile.ring<2x(tensor<64x64xbf16, #s>), store, copy = #ptx.bulk, scope = replica>

// CHECK-LABEL: tile.program @attention(
// CHECK: tile.role "load"
// CHECK: tile.role "math"
// CHECK: tile.dot
// CHECK: scf.for
// CHECK: scf.for
// CHECK: tile.dot
// CHECK: tile.dot
// CHECK: tile.exit
// CHECK: tile.reduce max
// CHECK: tile.map
// CHECK: tile.where
// CHECK: scf.if
// CHECK: tile.dot
// CHECK: tile.dot
// CHECK: } else {
// CHECK: tile.dot
tile.program @attention(%pQ: !tile.ptr<bf16>, %pK: !tile.ptr<bf16>, %pV: !tile.ptr<bf16>, %pO: !tile.ptr<bf16>,
    %BH: index {tile.range = array<i64: 1, 1048576>}, %BHk: index {tile.range = array<i64: 1, 1048576>},
    %G: index {tile.range = array<i64: 1, 1024>}, %S: index {tile.range = array<i64: 1, 16777216>}, %sc: f32, %L: index {tile.range = array<i64: 1, 1048576>})
    attributes {target = #ptx.target<"sm_90a">} {
  %one = arith.constant 1 : index
  %cD = arith.constant 128 : index
  %cM = arith.constant 128 : index
  %cN = arith.constant 128 : index
  %sh = arith.muli %S, %cD : index
  %Q = tile.view %pQ[%BH, %S] strides [%sh, %cD] : !tile.ptr<bf16> -> !v
  %K = tile.view %pK[%BHk, %S] strides [%sh, %cD] : !tile.ptr<bf16> -> !v
  %V = tile.view %pV[%BHk, %S] strides [%sh, %cD] : !tile.ptr<bf16> -> !v
  %O = tile.view %pO[%BH, %S] strides [%sh, %cD] : !tile.ptr<bf16> -> !v
  %tq = arith.ceildivui %S, %cM : index
  %nblocks = arith.ceildivui %S, %cN : index
  %items = arith.muli %BH, %tq : index
  %wg = tile.id workgroup
  %nwg = tile.id workgroups
  // %L heads at a time, whose keys and values stay in the cache. Their items are in order of length; this workgroup takes one in each round,
  // from the front in even rounds and from the back in odd ones, so that every workgroup has as much to do as the others.
  %groups = arith.ceildivui %BH, %L : index
  %full = arith.subi %groups, %one : index
  %gdone = arith.muli %full, %L : index
  %gl = arith.subi %BH, %gdone : index
  %mirror0 = arith.subi %nwg, %wg : index
  %mirror = arith.subi %mirror0, %one : index
  %ngf = arith.muli %tq, %L : index
  %ngl = arith.muli %tq, %gl : index
  %k = arith.divui %ngf, %nwg : index
  %k2 = arith.remui %ngf, %nwg : index
  %k3 = arith.andi %k, %one : index
  %k4 = arith.cmpi eq, %k3, %one : index
  %k5 = arith.select %k4, %mirror, %wg : index
  %k6 = arith.cmpi ult, %k5, %k2 : index
  %k7 = arith.index_castui %k6 : i1 to index
  %rounds = arith.addi %k, %k7 : index
  %k8 = arith.divui %ngl, %nwg : index
  %k9 = arith.remui %ngl, %nwg : index
  %k10 = arith.andi %k8, %one : index
  %k11 = arith.cmpi eq, %k10, %one : index
  %k12 = arith.select %k11, %mirror, %wg : index
  %k13 = arith.cmpi ult, %k12, %k9 : index
  %k14 = arith.index_castui %k13 : i1 to index
  %roundsl = arith.addi %k8, %k14 : index
  %fullsteps = arith.muli %full, %rounds : index
  %steps = arith.addi %fullsteps, %roundsl : index
  %rounds1 = arith.maxui %rounds, %one : index
  %rq, %cq0 = tile.ring : !q
  %rk, %ck0 = tile.ring : !kv
  %rv, %cv0 = tile.ring : !kv
  tile.roles captures(%Q = %Q, %K = %K, %V = %V, %O = %O, %rq = %rq, %rk = %rk, %rv = %rv, %cq0 = %cq0, %ck0 = %ck0, %cv0 = %cv0, %G = %G, %S = %S, %tq = %tq, %nblocks = %nblocks, %wg = %wg, %nwg = %nwg, %sc = %sc, %full = %full, %gl = %gl, %mirror = %mirror, %rounds = %rounds, %rounds1 = %rounds1, %fullsteps = %fullsteps, %steps = %steps, %L = %L
      : !v, !v, !v, !v, !q, !kv, !kv, !tile.cursor, !tile.cursor, !tile.cursor, index, index, index, index, index, index, f32, index, index, index, index, index, index, index, index) {
    tile.role "load" lanes(1) regs(24) {
      %z = arith.constant 0 : index
      %o = arith.constant 1 : index
      %c64 = arith.constant 64 : index
      %cBM = arith.constant 128 : index
      %cBN = arith.constant 128 : index
      %cNW = arith.constant 2 : index
      %end:3 = scf.for %t = %z to %steps step %o iter_args(%cq = %cq0, %ck = %ck0, %cv = %cv0) -> (!tile.cursor, !tile.cursor, !tile.cursor) {
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
        %nb = arith.minui %x1, %nblocks : index
        %last = arith.subi %nb, %o : index
        %s, %c1 = tile.enter write %rq[%cq] : !q -> !tile.slot<write>
        %tk = tile.copy_in %Q[%bh, %m, %z] into %s[0] : !v, !tile.slot<write>
        tile.exit %s after(%tk : !tile.token) : !tile.slot<write>
        // The last block first; K runs one block ahead of V, as in the math role.
        %x2 = arith.muli %last, %cBN : index
        %s1, %c2 = tile.enter write %rk[%ck] : !kv -> !tile.slot<write>
        %tk1 = tile.copy_in %K[%bhk, %x2, %z] into %s1[0] : !v, !tile.slot<write>
        tile.exit %s1 after(%tk1 : !tile.token) : !tile.slot<write>
        %l:2 = scf.for %n = %z to %last step %o iter_args(%dk = %c2, %dv = %cv) -> (!tile.cursor, !tile.cursor) {
          %b = arith.subi %last, %n : index
          %b1 = arith.subi %b, %o : index
          %k1 = arith.muli %b1, %cBN : index
          %k0 = arith.muli %b, %cBN : index
          %s2, %c3 = tile.enter write %rk[%dk] : !kv -> !tile.slot<write>
          %tk2 = tile.copy_in %K[%bhk, %k1, %z] into %s2[0] : !v, !tile.slot<write>
          tile.exit %s2 after(%tk2 : !tile.token) : !tile.slot<write>
          %s3, %c4 = tile.enter write %rv[%dv] : !kv -> !tile.slot<write>
          %tk3 = tile.copy_in %V[%bhk, %k0, %z] into %s3[0] : !v, !tile.slot<write>
          tile.exit %s3 after(%tk3 : !tile.token) : !tile.slot<write>
          scf.yield %c3, %c4 : !tile.cursor, !tile.cursor
        }
        %s4, %c5 = tile.enter write %rv[%l#1] : !kv -> !tile.slot<write>
        %tk4 = tile.copy_in %V[%bhk, %z, %z] into %s4[0] : !v, !tile.slot<write>
        tile.exit %s4 after(%tk4 : !tile.token) : !tile.slot<write>
        scf.yield %c1, %l#0, %c5 : !tile.cursor, !tile.cursor, !tile.cursor
      }
    }
    tile.role "math" replicas(2) regs(240) {
    ^bb0(%r: index):
      %z = arith.constant 0 : index
      %o = arith.constant 1 : index
      %c64 = arith.constant 64 : index
      %cBM = arith.constant 128 : index
      %cBN = arith.constant 128 : index
      %cNW = arith.constant 2 : index
      %zeroS = arith.constant dense<0.0> : tensor<64x128xf32, #accS>
      %zero = arith.constant dense<0.0> : tensor<64x128xf32, #accO>
      %ninf = arith.constant dense<0xFF800000> : tensor<64x128xf32, #accS>
      %ones = arith.constant dense<1.0> : tensor<64xf32, #row>
      %eight = arith.constant 8.0 : f32
      %thr = arith.divf %eight, %sc : f32
      %r64 = arith.muli %r, %c64 : index
      %scv = tile.expand %sc, [0] : f32 -> tensor<64xf32, #row>
      %scm = tile.expand %sc, [0, 1] : f32 -> tensor<64x128xf32, #accS>
      %out, %q0 = tile.ring : !out
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
      %m2 = arith.muli %i1, %cBM : index
      %x3 = arith.addi %m2, %cBM : index
      %x4 = arith.ceildivui %x3, %cBN : index
      %nb1 = arith.minui %x4, %nblocks : index
      %last1 = arith.subi %nb1, %o : index
      %mr = arith.addi %m2, %r64 : index
      %sq, %cq1, %qm = tile.enter read %rq[%cq0] : !q -> !tile.slot<read>, tensor<128x128xbf16, #s>
      %qp = tile.slice %qm [%r64, 0] : tensor<128x128xbf16, #s> -> tensor<64x128xbf16, #s>
      %Q1 = tile.convert_layout %qp : tensor<64x128xbf16, #s> -> tensor<64x128xbf16, #opQ>
      tile.exit %sq after(%Q1 : tensor<64x128xbf16, #opQ>) : !tile.slot<read>
      %sk, %ck1, %k15 = tile.enter read %rk[%ck0] : !kv -> !tile.slot<read>, tensor<128x128xbf16, #s>
      %kt = tile.transpose %k15 : tensor<128x128xbf16, #s> -> tensor<128x128xbf16, #st>
      %s5 = tile.dot %Q1, %kt, %zeroS mma(#mS) : tensor<64x128xbf16, #opQ>, tensor<128x128xbf16, #st>, tensor<64x128xf32, #accS>
      tile.exit %sk after(%s5 : tensor<64x128xf32, #accS>) : !tile.slot<read>
      %kv = arith.muli %last1, %cBN : index
      %cols = tile.iota 1 base %kv : tensor<64x128xindex, #accS>
      %rows = tile.iota 0 base %mr : tensor<64x128xindex, #accS>
      %ok = arith.cmpi sle, %cols, %rows : tensor<64x128xindex, #accS>
      %masked = arith.select %ok, %s5, %ninf : tensor<64x128xi1, #accS>, tensor<64x128xf32, #accS>
      %mt1 = tile.reduce max %masked, 1 : tensor<64x128xf32, #accS> -> tensor<64xf32, #max>
      %mx1 = tile.convert_layout %mt1 : tensor<64xf32, #max> -> tensor<64xf32, #row>
      %ms = arith.mulf %mx1, %scv : tensor<64xf32, #row>
      %nm = arith.negf %ms : tensor<64xf32, #row>
      %nmx = tile.expand %nm, [1] : tensor<64xf32, #row> -> tensor<64x128xf32, #accS>
      %e = math.fma %masked, %scm, %nmx : tensor<64x128xf32, #accS>
      %p = math.exp2 %e : tensor<64x128xf32, #accS>
      %l2 = tile.reduce add %p, 1 : tensor<64x128xf32, #accS> -> tensor<64xf32, #sum>
      %h1 = arith.truncf %p : tensor<64x128xf32, #accS> to tensor<64x128xbf16, #accS>
      %P1 = tile.convert_layout %h1 : tensor<64x128xbf16, #accS> -> tensor<64x128xbf16, #opP>
      %end:12 = scf.for %t = %z to %steps step %o iter_args(%Pi = %P1, %mi = %mx1, %li = %l2, %Qi = %Q1, %bhi = %bh1, %mri = %mr, %lasti = %last1,
          %cq = %cq1, %ck = %ck1, %cv = %cv0, %qw = %q0, %qr = %q0)
          -> (tensor<64x128xbf16, #opP>, tensor<64xf32, #row>, tensor<64xf32, #sum>, tensor<64x128xbf16, #opQ>, index, index, index, !tile.cursor, !tile.cursor, !tile.cursor, !tile.cursor, !tile.cursor) {
        // Steady state: QK of the next block, P·V of this one, then the softmax of the next.
        %x5:6 = scf.for %n = %z to %lasti step %o iter_args(%mx = %mi, %l = %li, %P = %Pi, %acc = %zero, %dk = %ck, %dv = %cv)
            -> (tensor<64xf32, #row>, tensor<64xf32, #sum>, tensor<64x128xbf16, #opP>, tensor<64x128xf32, #accO>, !tile.cursor, !tile.cursor) {
          %sk1, %ck2, %k16 = tile.enter read %rk[%dk] : !kv -> !tile.slot<read>, tensor<128x128xbf16, #s>
          %kt1 = tile.transpose %k16 : tensor<128x128xbf16, #s> -> tensor<128x128xbf16, #st>
          %s6 = tile.dot %Qi, %kt1, %zeroS mma(#mS) : tensor<64x128xbf16, #opQ>, tensor<128x128xbf16, #st>, tensor<64x128xf32, #accS>
          %sv, %cv1, %v = tile.enter read %rv[%dv] : !kv -> !tile.slot<read>, tensor<128x128xbf16, #s>
          %o1 = tile.dot %P, %v, %acc mma(#mO) : tensor<64x128xbf16, #opP>, tensor<128x128xbf16, #s>, tensor<64x128xf32, #accO>
          tile.exit %sk1 after(%s6 : tensor<64x128xf32, #accS>) : !tile.slot<read>
          %mt = tile.reduce max %s6, 1 : tensor<64x128xf32, #accS> -> tensor<64xf32, #max>
          %over = tile.map(%mt, %mx : tensor<64xf32, #max>, tensor<64xf32, #row>) -> tensor<64xi1, #any> {
          ^bb0(%a: f32, %b: f32):
            %bt = arith.addf %b, %thr : f32
            %g = arith.cmpf ogt, %a, %bt : f32
            tile.yield %g : i1
          }
          %m1, %f = tile.where %over else(%mx, %ones) {
            %fullm = tile.convert_layout %mt : tensor<64xf32, #max> -> tensor<64xf32, #row>
            %mf = arith.maximumf %mx, %fullm : tensor<64xf32, #row>
            %df = arith.subf %mx, %mf : tensor<64xf32, #row>
            %ds = arith.mulf %df, %scv : tensor<64xf32, #row>
            %ef = math.exp2 %ds : tensor<64xf32, #row>
            tile.yield %mf, %ef : tensor<64xf32, #row>, tensor<64xf32, #row>
          } : tensor<64xi1, #any>, tensor<64xf32, #row>, tensor<64xf32, #row> -> tensor<64xf32, #row>, tensor<64xf32, #row>
          %ms1 = arith.mulf %m1, %scv : tensor<64xf32, #row>
          %nm1 = arith.negf %ms1 : tensor<64xf32, #row>
          %nmx1 = tile.expand %nm1, [1] : tensor<64xf32, #row> -> tensor<64x128xf32, #accS>
          %e1 = math.fma %s6, %scm, %nmx1 : tensor<64x128xf32, #accS>
          %p1 = math.exp2 %e1 : tensor<64x128xf32, #accS>
          %ls = tile.reduce add %p1, 1 : tensor<64x128xf32, #accS> -> tensor<64xf32, #sum>
          %l1 = tile.map(%l, %f, %ls : tensor<64xf32, #sum>, tensor<64xf32, #row>, tensor<64xf32, #sum>) -> tensor<64xf32, #sum> {
          ^bb0(%a: f32, %b: f32, %c: f32):
            %y = math.fma %a, %b, %c : f32
            tile.yield %y : f32
          }
          tile.exit %sv after(%o1 : tensor<64x128xf32, #accO>) : !tile.slot<read>
          %on = tile.where %over else(%o1) {
            %fx = tile.expand %f, [1] : tensor<64xf32, #row> -> tensor<64x128xf32, #accO>
            %os = arith.mulf %o1, %fx : tensor<64x128xf32, #accO>
            tile.yield %os : tensor<64x128xf32, #accO>
          } : tensor<64xi1, #any>, tensor<64x128xf32, #accO> -> tensor<64x128xf32, #accO>
          %h2 = arith.truncf %p1 : tensor<64x128xf32, #accS> to tensor<64x128xbf16, #accS>
          %P2 = tile.convert_layout %h2 : tensor<64x128xbf16, #accS> -> tensor<64x128xbf16, #opP>
          scf.yield %m1, %l1, %P2, %on, %ck2, %cv1
              : tensor<64xf32, #row>, tensor<64xf32, #sum>, tensor<64x128xbf16, #opP>, tensor<64x128xf32, #accO>, !tile.cursor, !tile.cursor
        }
        // The next item: its first product starts with the last of this one, its softmax runs meanwhile.
        %tn = arith.addi %t, %o : index
        %more = arith.cmpi ult, %tn, %steps : index
        %nx:12 = scf.if %more -> (tensor<64x128xf32, #accO>, tensor<64xf32, #row>, tensor<64x128xbf16, #opP>, tensor<64xf32, #row>, tensor<64xf32, #sum>, tensor<64x128xbf16, #opQ>, index, index, index, !tile.cursor, !tile.cursor, !tile.cursor) {
          %sq1, %cq2, %qm1 = tile.enter read %rq[%cq] : !q -> !tile.slot<read>, tensor<128x128xbf16, #s>
          %qp1 = tile.slice %qm1 [%r64, 0] : tensor<128x128xbf16, #s> -> tensor<64x128xbf16, #s>
          %Q2 = tile.convert_layout %qp1 : tensor<64x128xbf16, #s> -> tensor<64x128xbf16, #opQ>
          tile.exit %sq1 after(%Q2 : tensor<64x128xbf16, #opQ>) : !tile.slot<read>
          %sk2, %ck3, %k17 = tile.enter read %rk[%x5#4] : !kv -> !tile.slot<read>, tensor<128x128xbf16, #s>
          %kt2 = tile.transpose %k17 : tensor<128x128xbf16, #s> -> tensor<128x128xbf16, #st>
          %s7 = tile.dot %Q2, %kt2, %zeroS mma(#mS) : tensor<64x128xbf16, #opQ>, tensor<128x128xbf16, #st>, tensor<64x128xf32, #accS>
          %sv1, %cv2, %v1 = tile.enter read %rv[%x5#5] : !kv -> !tile.slot<read>, tensor<128x128xbf16, #s>
          %o2 = tile.dot %x5#2, %v1, %x5#3 mma(#mO) : tensor<64x128xbf16, #opP>, tensor<128x128xbf16, #s>, tensor<64x128xf32, #accO>
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
          %m3 = arith.muli %i2, %cBM : index
          %x6 = arith.addi %m3, %cBM : index
          %x7 = arith.ceildivui %x6, %cBN : index
          %nb2 = arith.minui %x7, %nblocks : index
          %last2 = arith.subi %nb2, %o : index
          %mr1 = arith.addi %m3, %r64 : index
          tile.exit %sk2 after(%s7 : tensor<64x128xf32, #accS>) : !tile.slot<read>
          %kv1 = arith.muli %last2, %cBN : index
          %cols1 = tile.iota 1 base %kv1 : tensor<64x128xindex, #accS>
          %rows1 = tile.iota 0 base %mr1 : tensor<64x128xindex, #accS>
          %ok1 = arith.cmpi sle, %cols1, %rows1 : tensor<64x128xindex, #accS>
          %masked1 = arith.select %ok1, %s7, %ninf : tensor<64x128xi1, #accS>, tensor<64x128xf32, #accS>
          %mt2 = tile.reduce max %masked1, 1 : tensor<64x128xf32, #accS> -> tensor<64xf32, #max>
          %mx2 = tile.convert_layout %mt2 : tensor<64xf32, #max> -> tensor<64xf32, #row>
          %ms2 = arith.mulf %mx2, %scv : tensor<64xf32, #row>
          %nm2 = arith.negf %ms2 : tensor<64xf32, #row>
          %nmx2 = tile.expand %nm2, [1] : tensor<64xf32, #row> -> tensor<64x128xf32, #accS>
          %e2 = math.fma %masked1, %scm, %nmx2 : tensor<64x128xf32, #accS>
          %p2 = math.exp2 %e2 : tensor<64x128xf32, #accS>
          %l3 = tile.reduce add %p2, 1 : tensor<64x128xf32, #accS> -> tensor<64xf32, #sum>
          %lf = tile.convert_layout %x5#1 : tensor<64xf32, #sum> -> tensor<64xf32, #row>
          %li1 = arith.divf %ones, %lf fastmath<afn> : tensor<64xf32, #row>
          tile.exit %sv1 after(%o2 : tensor<64x128xf32, #accO>) : !tile.slot<read>
          %h3 = arith.truncf %p2 : tensor<64x128xf32, #accS> to tensor<64x128xbf16, #accS>
          %P3 = tile.convert_layout %h3 : tensor<64x128xbf16, #accS> -> tensor<64x128xbf16, #opP>
          scf.yield %o2, %li1, %P3, %mx2, %l3, %Q2, %bh2, %mr1, %last2, %cq2, %ck3, %cv2
              : tensor<64x128xf32, #accO>, tensor<64xf32, #row>, tensor<64x128xbf16, #opP>, tensor<64xf32, #row>, tensor<64xf32, #sum>, tensor<64x128xbf16, #opQ>, index, index, index, !tile.cursor, !tile.cursor, !tile.cursor
        } else {
          %sv2, %cv3, %v2 = tile.enter read %rv[%x5#5] : !kv -> !tile.slot<read>, tensor<128x128xbf16, #s>
          %o3 = tile.dot %x5#2, %v2, %x5#3 mma(#mO) : tensor<64x128xbf16, #opP>, tensor<128x128xbf16, #s>, tensor<64x128xf32, #accO>
          %lf1 = tile.convert_layout %x5#1 : tensor<64xf32, #sum> -> tensor<64xf32, #row>
          %li2 = arith.divf %ones, %lf1 fastmath<afn> : tensor<64xf32, #row>
          tile.exit %sv2 after(%o3 : tensor<64x128xf32, #accO>) : !tile.slot<read>
          scf.yield %o3, %li2, %x5#2, %x5#0, %x5#1, %Qi, %bhi, %mri, %lasti, %cq, %x5#4, %cv3
              : tensor<64x128xf32, #accO>, tensor<64xf32, #row>, tensor<64x128xbf16, #opP>, tensor<64xf32, #row>, tensor<64xf32, #sum>, tensor<64x128xbf16, #opQ>, index, index, index, !tile.cursor, !tile.cursor, !tile.cursor
        }
        // O / l, through the store ring.
        %lx = tile.expand %nx#1, [1] : tensor<64xf32, #row> -> tensor<64x64xf32, #accO>
        %e3 = tile.slice %nx#0 [0, 0] : tensor<64x128xf32, #accO> -> tensor<64x64xf32, #accO>
        %e4 = arith.mulf %e3, %lx : tensor<64x64xf32, #accO>
        %e5 = arith.truncf %e4 : tensor<64x64xf32, #accO> to tensor<64x64xbf16, #accO>
        %e6, %qw1 = tile.enter write %out[%qw] : !out -> !tile.slot<write>
        tile.put %e5 into %e6[0] : tensor<64x64xbf16, #accO>, !tile.slot<write>
        tile.exit %e6 : !tile.slot<write>
        %e7, %qr1, %e8 = tile.enter read %out[%qr] : !out -> !tile.slot<read>, tensor<64x64xbf16, #s>
        %e9 = tile.copy_out %e8 to %O[%bhi, %mri, %z] : tensor<64x64xbf16, #s>, !v
        tile.exit %e7 after(%e9 : !tile.token) : !tile.slot<read>
        %e10 = tile.slice %nx#0 [0, 64] : tensor<64x128xf32, #accO> -> tensor<64x64xf32, #accO>
        %e11 = arith.mulf %e10, %lx : tensor<64x64xf32, #accO>
        %e12 = arith.truncf %e11 : tensor<64x64xf32, #accO> to tensor<64x64xbf16, #accO>
        %e13, %qw2 = tile.enter write %out[%qw1] : !out -> !tile.slot<write>
        tile.put %e12 into %e13[0] : tensor<64x64xbf16, #accO>, !tile.slot<write>
        tile.exit %e13 : !tile.slot<write>
        %e14, %qr2, %e15 = tile.enter read %out[%qr1] : !out -> !tile.slot<read>, tensor<64x64xbf16, #s>
        %e16 = tile.copy_out %e15 to %O[%bhi, %mri, %c64] : tensor<64x64xbf16, #s>, !v
        tile.exit %e14 after(%e16 : !tile.token) : !tile.slot<read>
        scf.yield %nx#2, %nx#3, %nx#4, %nx#5, %nx#6, %nx#7, %nx#8, %nx#9, %nx#10, %nx#11, %qw2, %qr2
            : tensor<64x128xbf16, #opP>, tensor<64xf32, #row>, tensor<64xf32, #sum>, tensor<64x128xbf16, #opQ>, index, index, index, !tile.cursor, !tile.cursor, !tile.cursor, !tile.cursor, !tile.cursor
      }
    }
  }
  tile.return
}
