// RUN: helios-opt %s | helios-opt | FileCheck %s
// RUN: helios-opt %s --mlir-print-op-generic | helios-opt | FileCheck %s
// RUN: helios-opt %s --canonicalize --cse | helios-opt | FileCheck %s

// Level 2, after `rings`: attention forward on KHR cooperative matrices, f16, head dimension 128, 8 subgroups of 16 rows, key
// blocks of 64. Run by the attention lowering.
//
// What it shows:
// - S, P and O are opaque: no element has a known lane. Element-wise work on them is plain `arith`/`math`, since tiles of equal opaque
//   layout agree element by element; a row vector beside them is `#tile.slice<1, #oS>`, a matrix with equal columns.
// - The row maximum: element-wise over the four matrices of a row block (a max-partial, still a matrix), through scratch to
//   `#rows`, where two lanes share a row, and back as a matrix with equal columns (a load of stride 0). Row sums stay a
//   partial matrix over the whole loop and are combined once.
// - P becomes the A operand of P·V through scratch: opaque to opaque.
// - Keys behind the end are masked by a row of 0 and -inf, `#tile.slice<0, #oS>`, in the last block only.
// - K and V: 16-byte loads into registers, one slot of shared memory each (the *staged* strategy); block n + 1 is in flight over
//   everything that block n does. The loop carries the tiles in registers; the last block follows it.
// Shared memory: K and V 2 x 17408 here, scratch and factors (10752) from the conversions: 45568 of 49152 bytes.

#coop = #spv.coop<[16, 16, 16], f16, f16, f32, lanes = 32>
#oS = #tile.opaque<acc, #coop, groups = [8, 1]>
#oA = #tile.opaque<a, #coop, groups = [8, 1]>
#oB = #tile.opaque<b, #coop, groups = [8, 1]>
#row = #tile.slice<1, #oS>
#rowmax = #tile.slice<1, #oS, partial = max>
#rowsum = #tile.slice<1, #oS, partial = add>
#col = #tile.slice<0, #oS>
#rows = #tile.regs<vec = [1, 8], lanes = [16, 2], groups = [8, 1]>
#vec = #tile.slice<1, #rows>
#cvec = #tile.slice<0, #rows>
#g = #tile.regs<vec = [1, 8], lanes = [2, 16], groups = [8, 1]>
#s = #tile.shared<order = [1, 0], pad = 8>
#st = #tile.shared<order = [0, 1], pad = 8>
!v = !tile.view<?x?x128xf16, strides = [?, 128, 1], div = [8, 8, 1], align = 16>
!ring = !tile.ring<1x(tensor<64x128xf16, #s>), pass>

// CHECK-LABEL: tile.program @attention(
// CHECK: scf.for
// CHECK: tile.put
// CHECK: tile.load
// CHECK: tile.dot
// CHECK: tile.reduce max
// CHECK: tile.map
tile.program @attention(%pQ: !tile.ptr<f16>, %pK: !tile.ptr<f16>, %pV: !tile.ptr<f16>, %pO: !tile.ptr<f16>,
    %BH: index {tile.range = array<i64: 1, 1048576>}, %S: index {tile.range = array<i64: 1, 16777216>}, %sc: f32)
    attributes {target = #spv.target<"nvidia">} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %sh = arith.muli %S, %c128 : index
  %Q = tile.view %pQ[%BH, %S] strides [%sh] : !tile.ptr<f16> -> !v
  %K = tile.view %pK[%BH, %S] strides [%sh] : !tile.ptr<f16> -> !v
  %V = tile.view %pV[%BH, %S] strides [%sh] : !tile.ptr<f16> -> !v
  %O = tile.view %pO[%BH, %S] strides [%sh] : !tile.ptr<f16> -> !v
  %tq = arith.ceildivui %S, %c128 : index
  %tk = arith.ceildivui %S, %c64 : index
  %wg = tile.id workgroup
  %bh = arith.divui %wg, %tq : index
  %i = arith.remui %wg, %tq : index
  %m = arith.muli %i, %c128 : index
  %zS = arith.constant dense<0.0> : tensor<128x64xf32, #oS>
  %zO = arith.constant dense<0.0> : tensor<128x128xf32, #oS>
  %zl = arith.constant dense<0.0> : tensor<128xf32, #rowsum>
  %ninf = arith.constant dense<0xFF800000> : tensor<128xf32, #row>
  %scr = tile.expand %sc, [0] : f32 -> tensor<128xf32, #row>
  %scm = tile.expand %sc, [0, 1] : f32 -> tensor<128x64xf32, #oS>
  // Q: fragments straight from memory would need whole row blocks; staged, so any S is right.
  %q0 = tile.load %Q[%bh, %m, %c0] : !v -> tensor<128x128xf16, #g>
  %q = tile.convert_layout %q0 : tensor<128x128xf16, #g> -> tensor<128x128xf16, #oA>
  %rk, %ck = tile.ring : !ring
  %rv, %cv = tile.ring : !ring
  %k0 = tile.load %K[%bh, %c0, %c0] : !v -> tensor<64x128xf16, #g>
  %v0 = tile.load %V[%bh, %c0, %c0] : !v -> tensor<64x128xf16, #g>
  %last = arith.subi %tk, %c1 : index
  %x:9 = scf.for %n = %c0 to %last step %c1 iter_args(%mx = %ninf, %l = %zl, %o = %zO, %kr = %k0, %vr = %v0,
      %ckw = %ck, %ckr = %ck, %cvw = %cv, %cvr = %cv) -> (tensor<128xf32, #row>, tensor<128xf32, #rowsum>, tensor<128x128xf32, #oS>,
      tensor<64x128xf16, #g>, tensor<64x128xf16, #g>, !tile.cursor, !tile.cursor, !tile.cursor, !tile.cursor) {
    // Registers of block n to shared memory, then the loads of block n + 1.
    %wk, %ckw1 = tile.enter write %rk[%ckw] : !ring -> !tile.slot<write>
    tile.put %kr into %wk[0] : tensor<64x128xf16, #g>, !tile.slot<write>
    tile.exit %wk : !tile.slot<write>
    %wv, %cvw1 = tile.enter write %rv[%cvw] : !ring -> !tile.slot<write>
    tile.put %vr into %wv[0] : tensor<64x128xf16, #g>, !tile.slot<write>
    tile.exit %wv : !tile.slot<write>
    %n1 = arith.addi %n, %c1 : index
    %kv = arith.muli %n1, %c64 : index
    %kn = tile.load %K[%bh, %kv, %c0] : !v -> tensor<64x128xf16, #g>
    %vn = tile.load %V[%bh, %kv, %c0] : !v -> tensor<64x128xf16, #g>
    // S = Q·Kᵀ
    %sk, %ckr1, %ks = tile.enter read %rk[%ckr] : !ring -> !tile.slot<read>, tensor<64x128xf16, #s>
    %kt = tile.transpose %ks : tensor<64x128xf16, #s> -> tensor<128x64xf16, #st>
    %kb = tile.convert_layout %kt : tensor<128x64xf16, #st> -> tensor<128x64xf16, #oB>
    %s = tile.dot %q, %kb, %zS mma(#coop) : tensor<128x128xf16, #oA>, tensor<128x64xf16, #oB>, tensor<128x64xf32, #oS>
    tile.exit %sk after(%kb : tensor<128x64xf16, #oB>) : !tile.slot<read>
    // The row maximum, with every column of its matrix equal.
    %mt = tile.reduce max %s, 1 : tensor<128x64xf32, #oS> -> tensor<128xf32, #rowmax>
    %mr = tile.convert_layout %mt : tensor<128xf32, #rowmax> -> tensor<128xf32, #vec>
    %mb = tile.convert_layout %mr : tensor<128xf32, #vec> -> tensor<128xf32, #row>
    %m1 = arith.maximumf %mx, %mb : tensor<128xf32, #row>
    %ms = arith.mulf %m1, %scr : tensor<128xf32, #row>
    %nm = arith.negf %ms : tensor<128xf32, #row>
    %fe = math.fma %mx, %scr, %nm : tensor<128xf32, #row>
    %f = math.exp2 %fe : tensor<128xf32, #row>
    %nmx = tile.expand %nm, [1] : tensor<128xf32, #row> -> tensor<128x64xf32, #oS>
    %e = math.fma %s, %scm, %nmx : tensor<128x64xf32, #oS>
    %p = math.exp2 %e : tensor<128x64xf32, #oS>
    %ls = tile.reduce add %p, 1 : tensor<128x64xf32, #oS> -> tensor<128xf32, #rowsum>
    %l1 = tile.map(%l, %f, %ls : tensor<128xf32, #rowsum>, tensor<128xf32, #row>, tensor<128xf32, #rowsum>) -> tensor<128xf32, #rowsum> {
    ^bb0(%a: f32, %b: f32, %c: f32):
      %y = math.fma %a, %b, %c : f32
      tile.yield %y : f32
    }
    %fx = tile.expand %f, [1] : tensor<128xf32, #row> -> tensor<128x128xf32, #oS>
    %o1 = arith.mulf %o, %fx : tensor<128x128xf32, #oS>
    // O += P·V
    %h = arith.truncf %p : tensor<128x64xf32, #oS> to tensor<128x64xf16, #oS>
    %pa = tile.convert_layout %h : tensor<128x64xf16, #oS> -> tensor<128x64xf16, #oA>
    %sv, %cvr1, %vs = tile.enter read %rv[%cvr] : !ring -> !tile.slot<read>, tensor<64x128xf16, #s>
    %vb = tile.convert_layout %vs : tensor<64x128xf16, #s> -> tensor<64x128xf16, #oB>
    %o2 = tile.dot %pa, %vb, %o1 mma(#coop) : tensor<128x64xf16, #oA>, tensor<64x128xf16, #oB>, tensor<128x128xf32, #oS>
    tile.exit %sv after(%vb : tensor<64x128xf16, #oB>) : !tile.slot<read>
    scf.yield %m1, %l1, %o2, %kn, %vn, %ckw1, %ckr1, %cvw1, %cvr1 : tensor<128xf32, #row>, tensor<128xf32, #rowsum>,
        tensor<128x128xf32, #oS>, tensor<64x128xf16, #g>, tensor<64x128xf16, #g>, !tile.cursor, !tile.cursor, !tile.cursor, !tile.cursor
  }
  // The last block, whose keys may lie behind the end.
  %wk, %ckw1 = tile.enter write %rk[%x#5] : !ring -> !tile.slot<write>
  tile.put %x#3 into %wk[0] : tensor<64x128xf16, #g>, !tile.slot<write>
  tile.exit %wk : !tile.slot<write>
  %wv, %cvw1 = tile.enter write %rv[%x#7] : !ring -> !tile.slot<write>
  tile.put %x#4 into %wv[0] : tensor<64x128xf16, #g>, !tile.slot<write>
  tile.exit %wv : !tile.slot<write>
  %sk, %ckr1, %ks = tile.enter read %rk[%x#6] : !ring -> !tile.slot<read>, tensor<64x128xf16, #s>
  %kt = tile.transpose %ks : tensor<64x128xf16, #s> -> tensor<128x64xf16, #st>
  %kb = tile.convert_layout %kt : tensor<128x64xf16, #st> -> tensor<128x64xf16, #oB>
  %s = tile.dot %q, %kb, %zS mma(#coop) : tensor<128x128xf16, #oA>, tensor<128x64xf16, #oB>, tensor<128x64xf32, #oS>
  tile.exit %sk after(%kb : tensor<128x64xf16, #oB>) : !tile.slot<read>
  %kv = arith.muli %last, %c64 : index
  %j = tile.iota 0 base %kv : tensor<64xindex, #cvec>
  %end = tile.expand %S, [0] : index -> tensor<64xindex, #cvec>
  %in = arith.cmpi ult, %j, %end : tensor<64xindex, #cvec>
  %zc = arith.constant dense<0.0> : tensor<64xf32, #cvec>
  %nc = arith.constant dense<0xFF800000> : tensor<64xf32, #cvec>
  %bias = arith.select %in, %zc, %nc : tensor<64xi1, #cvec>, tensor<64xf32, #cvec>
  %bo = tile.convert_layout %bias : tensor<64xf32, #cvec> -> tensor<64xf32, #col>
  %bx = tile.expand %bo, [0] : tensor<64xf32, #col> -> tensor<128x64xf32, #oS>
  %sm = arith.addf %s, %bx : tensor<128x64xf32, #oS>
  %mt = tile.reduce max %sm, 1 : tensor<128x64xf32, #oS> -> tensor<128xf32, #rowmax>
  %mr = tile.convert_layout %mt : tensor<128xf32, #rowmax> -> tensor<128xf32, #vec>
  %mb = tile.convert_layout %mr : tensor<128xf32, #vec> -> tensor<128xf32, #row>
  %m1 = arith.maximumf %x#0, %mb : tensor<128xf32, #row>
  %ms = arith.mulf %m1, %scr : tensor<128xf32, #row>
  %nm = arith.negf %ms : tensor<128xf32, #row>
  %fe = math.fma %x#0, %scr, %nm : tensor<128xf32, #row>
  %f = math.exp2 %fe : tensor<128xf32, #row>
  %nmx = tile.expand %nm, [1] : tensor<128xf32, #row> -> tensor<128x64xf32, #oS>
  %e = math.fma %sm, %scm, %nmx : tensor<128x64xf32, #oS>
  %p = math.exp2 %e : tensor<128x64xf32, #oS>
  %ls = tile.reduce add %p, 1 : tensor<128x64xf32, #oS> -> tensor<128xf32, #rowsum>
  %l1 = tile.map(%x#1, %f, %ls : tensor<128xf32, #rowsum>, tensor<128xf32, #row>, tensor<128xf32, #rowsum>) -> tensor<128xf32, #rowsum> {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %y = math.fma %a, %b, %c : f32
    tile.yield %y : f32
  }
  %fx = tile.expand %f, [1] : tensor<128xf32, #row> -> tensor<128x128xf32, #oS>
  %o1 = arith.mulf %x#2, %fx : tensor<128x128xf32, #oS>
  %h = arith.truncf %p : tensor<128x64xf32, #oS> to tensor<128x64xf16, #oS>
  %pa = tile.convert_layout %h : tensor<128x64xf16, #oS> -> tensor<128x64xf16, #oA>
  %sv, %cvr1, %vs = tile.enter read %rv[%x#8] : !ring -> !tile.slot<read>, tensor<64x128xf16, #s>
  %vb = tile.convert_layout %vs : tensor<64x128xf16, #s> -> tensor<64x128xf16, #oB>
  %o2 = tile.dot %pa, %vb, %o1 mma(#coop) : tensor<128x64xf16, #oA>, tensor<64x128xf16, #oB>, tensor<128x128xf32, #oS>
  tile.exit %sv after(%vb : tensor<64x128xf16, #oB>) : !tile.slot<read>
  // O / l: the sum is combined once, then every column of its matrix is equal.
  %lr = tile.convert_layout %l1 : tensor<128xf32, #rowsum> -> tensor<128xf32, #vec>
  %lb = tile.convert_layout %lr : tensor<128xf32, #vec> -> tensor<128xf32, #row>
  %lx = tile.expand %lb, [1] : tensor<128xf32, #row> -> tensor<128x128xf32, #oS>
  %on = arith.divf %o2, %lx : tensor<128x128xf32, #oS>
  %oh = arith.truncf %on : tensor<128x128xf32, #oS> to tensor<128x128xf16, #oS>
  %og = tile.convert_layout %oh : tensor<128x128xf16, #oS> -> tensor<128x128xf16, #g>
  tile.store %og, %O[%bh, %m, %c0] : tensor<128x128xf16, #g>, !v
  tile.return
}
