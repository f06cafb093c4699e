// RUN: helios-opt %s | helios-opt | FileCheck %s
// RUN: helios-opt %s --mlir-print-op-generic | helios-opt | FileCheck %s
// RUN: helios-opt %s --canonicalize --cse | helios-opt | FileCheck %s
// RUN: helios-compile %s --target=vulkan:nvidia --emit=spirv -o %t.spv
// RUN: %if spirv-val %{ %spirv-val %t.spv %}

// Level 3 of attention-khr-tile.mlir: attention forward on KHR cooperative matrices, 8 subgroups of 16 rows. Run by the attention
// lowering.
//
// What it shows:
// - Fragments are those of the whole workgroup; a subgroup's part is the group's of the layout. So the scratch of a subgroup is simply its
//   16 rows of a tile of 128, and a subgroup barrier orders it.
// - A partial vector of an opaque layout is a matrix: it is written as one, read with coordinates, reduced over the lanes of a
//   row, and read back with stride 0 (`broadcast`), every column equal.
// - The operands of K and V are read one k-step at a time beside their product, so one row of matrices is live.
// - Block n + 1 of K and V flies in registers over the work of block n; two workgroup barriers an iteration.
// Shared memory: K, V 2 x 17408; scratch 10240 for the maximum (f32, 128 x (16 + 4)) and for P (f16, 128 x (32 + 8)); factors 512, the
// mask's row 256: 45824 of 49152 bytes.

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
#vecmax = #tile.slice<1, #rows, partial = max>
#vecsum = #tile.slice<1, #rows, partial = add>
#cvec = #tile.slice<0, #rows>
#g = #tile.regs<vec = [1, 8], lanes = [2, 16], groups = [8, 1]>
#s = #tile.shared<order = [1, 0], pad = 8>
#sf = #tile.shared<order = [1, 0], pad = 4>
#v1 = #tile.shared<order = [0]>
!v = !tile.view<?x?x128xf16, strides = [?, 128, 1], div = [8, 8, 1], align = 16>
!mkv = !frag.mem<64x128xf16, #s>
!S = !frag.f<128x64xf32, #oS>
!O = !frag.f<128x128xf32, #oS>
!row = !frag.f<128xf32, #row>
!kv = !frag.f<64x128xf16, #g>

// CHECK-LABEL: frag.kernel @attention(
// CHECK: scf.for
// CHECK: frag.barrier workgroup
// CHECK: frag.write
// CHECK: frag.barrier workgroup
// CHECK: frag.mma
// CHECK: frag.reduce max {{.*}}, lane
// CHECK: frag.reduce max {{.*}}, group
// CHECK: frag.read {{.*}} broadcast
// CHECK: frag.mma
// CHECK: scf.yield
frag.kernel @attention(%pQ: !tile.ptr<f16>, %pK: !tile.ptr<f16>, %pV: !tile.ptr<f16>, %pO: !tile.ptr<f16>,
    %BH: index {tile.range = array<i64: 1, 1048576>}, %S: index {tile.range = array<i64: 1, 16777216>}, %sc: f32)
    attributes {threads = 256 : i64, shared_bytes = 45824 : i64, synchronized, target = #spv.target<"nvidia">} {
  %z = arith.constant 0 : index
  %one = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %c48 = arith.constant 48 : index
  %c64 = arith.constant 64 : index
  %c80 = arith.constant 80 : index
  %c96 = arith.constant 96 : index
  %c112 = arith.constant 112 : index
  %c128 = arith.constant 128 : index
  %zf = arith.constant 0.0 : f32
  %ninf = arith.constant 0xFF800000 : f32
  %sh = arith.muli %S, %c128 : index
  %Qv = tile.view %pQ[%BH, %S] strides [%sh] : !tile.ptr<f16> -> !v
  %Kv = tile.view %pK[%BH, %S] strides [%sh] : !tile.ptr<f16> -> !v
  %Vv = tile.view %pV[%BH, %S] strides [%sh] : !tile.ptr<f16> -> !v
  %Ov = tile.view %pO[%BH, %S] strides [%sh] : !tile.ptr<f16> -> !v
  %tq = arith.ceildivui %S, %c128 : index
  %tk = arith.ceildivui %S, %c64 : index
  %wg = frag.id workgroup
  %bh = arith.divui %wg, %tq : index
  %i = arith.remui %wg, %tq : index
  %m = arith.muli %i, %c128 : index
  %mk = frag.shared 0 : !mkv
  %mv = frag.shared 17408 : !mkv
  %scr = frag.shared 34816 : !frag.mem<128x16xf32, #sf>
  %scp = frag.shared 34816 : !frag.mem<128x32xf16, #s>
  %fac = frag.shared 45056 : !frag.mem<128xf32, #v1>
  %mask = frag.shared 45568 : !frag.mem<64xf32, #v1>
  %zS = frag.splat %zf : f32 -> !S
  %zO = frag.splat %zf : f32 -> !O
  %zl = frag.splat %zf : f32 -> !frag.f<128xf32, #rowsum>
  %nm = frag.splat %ninf : f32 -> !row
  // Q through the bytes of K and V, once.
  %mq = frag.shared 0 : !frag.mem<128x128xf16, #s>
  %q0 = frag.read %Qv[%bh, %m, %z] : !v -> !frag.f<128x128xf16, #g>
  frag.write %q0, %mq[%z, %z] : !frag.f<128x128xf16, #g>, !frag.mem<128x128xf16, #s>
  frag.barrier workgroup
  %Q = frag.read %mq[%z, %z] : !frag.mem<128x128xf16, #s> -> !frag.f<128x128xf16, #oA>
  %k0 = frag.read %Kv[%bh, %z, %z] : !v -> !kv
  %v0 = frag.read %Vv[%bh, %z, %z] : !v -> !kv
  %last = arith.subi %tk, %one : index
  %it:5 = scf.for %n = %z to %last step %one iter_args(%mx = %nm, %l = %zl, %o = %zO, %kr = %k0, %vr = %v0)
      -> (!row, !frag.f<128xf32, #rowsum>, !O, !kv, !kv) {
    frag.barrier workgroup
    frag.write %kr, %mk[%z, %z] : !kv, !mkv
    frag.write %vr, %mv[%z, %z] : !kv, !mkv
    frag.barrier workgroup
    %n1 = arith.addi %n, %one : index
    %kv = arith.muli %n1, %c64 : index
    %kn = frag.read %Kv[%bh, %kv, %z] : !v -> !kv
    %vn = frag.read %Vv[%bh, %kv, %z] : !v -> !kv
    %s1 = frag.read %mk[%z, %z] trans : !mkv -> !frag.f<16x64xf16, #oB>
    %a1_0 = frag.slice %Q [0, 0] : !frag.f<128x128xf16, #oA> -> !frag.f<128x16xf16, #oA>
    %d1_0 = frag.mma #coop %a1_0, %s1, %zS : !frag.f<128x16xf16, #oA>, !frag.f<16x64xf16, #oB>, !S
    %k1_1 = frag.read %mk[%z, %c16] trans : !mkv -> !frag.f<16x64xf16, #oB>
    %a1_1 = frag.slice %Q [0, 16] : !frag.f<128x128xf16, #oA> -> !frag.f<128x16xf16, #oA>
    %d1_1 = frag.mma #coop %a1_1, %k1_1, %d1_0 : !frag.f<128x16xf16, #oA>, !frag.f<16x64xf16, #oB>, !S
    %k1_2 = frag.read %mk[%z, %c32] trans : !mkv -> !frag.f<16x64xf16, #oB>
    %a1_2 = frag.slice %Q [0, 32] : !frag.f<128x128xf16, #oA> -> !frag.f<128x16xf16, #oA>
    %d1_2 = frag.mma #coop %a1_2, %k1_2, %d1_1 : !frag.f<128x16xf16, #oA>, !frag.f<16x64xf16, #oB>, !S
    %k1_3 = frag.read %mk[%z, %c48] trans : !mkv -> !frag.f<16x64xf16, #oB>
    %a1_3 = frag.slice %Q [0, 48] : !frag.f<128x128xf16, #oA> -> !frag.f<128x16xf16, #oA>
    %d1_3 = frag.mma #coop %a1_3, %k1_3, %d1_2 : !frag.f<128x16xf16, #oA>, !frag.f<16x64xf16, #oB>, !S
    %k1_4 = frag.read %mk[%z, %c64] trans : !mkv -> !frag.f<16x64xf16, #oB>
    %a1_4 = frag.slice %Q [0, 64] : !frag.f<128x128xf16, #oA> -> !frag.f<128x16xf16, #oA>
    %d1_4 = frag.mma #coop %a1_4, %k1_4, %d1_3 : !frag.f<128x16xf16, #oA>, !frag.f<16x64xf16, #oB>, !S
    %k1_5 = frag.read %mk[%z, %c80] trans : !mkv -> !frag.f<16x64xf16, #oB>
    %a1_5 = frag.slice %Q [0, 80] : !frag.f<128x128xf16, #oA> -> !frag.f<128x16xf16, #oA>
    %d1_5 = frag.mma #coop %a1_5, %k1_5, %d1_4 : !frag.f<128x16xf16, #oA>, !frag.f<16x64xf16, #oB>, !S
    %k1_6 = frag.read %mk[%z, %c96] trans : !mkv -> !frag.f<16x64xf16, #oB>
    %a1_6 = frag.slice %Q [0, 96] : !frag.f<128x128xf16, #oA> -> !frag.f<128x16xf16, #oA>
    %d1_6 = frag.mma #coop %a1_6, %k1_6, %d1_5 : !frag.f<128x16xf16, #oA>, !frag.f<16x64xf16, #oB>, !S
    %k1_7 = frag.read %mk[%z, %c112] trans : !mkv -> !frag.f<16x64xf16, #oB>
    %a1_7 = frag.slice %Q [0, 112] : !frag.f<128x128xf16, #oA> -> !frag.f<128x16xf16, #oA>
    %d1_7 = frag.mma #coop %a1_7, %k1_7, %d1_6 : !frag.f<128x16xf16, #oA>, !frag.f<16x64xf16, #oB>, !S
    // The row maximum: over the matrices of a row block, through scratch, back with equal columns.
    %mt1 = frag.reduce max %d1_7, lane dim 1 : !S -> !frag.f<128xf32, #rowmax>
    frag.write %mt1, %scr[%z, %z] : !frag.f<128xf32, #rowmax>, !frag.mem<128x16xf32, #sf>
    frag.barrier subgroup
    %h1 = frag.read %scr[%z, %z] : !frag.mem<128x16xf32, #sf> -> !frag.f<128x16xf32, #rows>
    %hp1 = frag.reduce max %h1, lane dim 1 : !frag.f<128x16xf32, #rows> -> !frag.f<128xf32, #vecmax>
    %hm1 = frag.reduce max %hp1, group : !frag.f<128xf32, #vecmax> -> !frag.f<128xf32, #vec>
    frag.write %hm1, %fac[%z] : !frag.f<128xf32, #vec>, !frag.mem<128xf32, #v1>
    frag.barrier subgroup
    %mb1 = frag.read %fac[%z] broadcast : !frag.mem<128xf32, #v1> -> !row
    %m1, %f1 = frag.map(%mx, %mb1 : !row, !row) -> !row, !row {
    ^bb0(%x: f32, %y: f32):
      %m1 = arith.maximumf %x, %y : f32
      %df = arith.subf %x, %m1 : f32
      %ds = arith.mulf %df, %sc : f32
      %e = math.exp2 %ds : f32
      frag.yield %m1, %e : f32, f32
    }
    %p1 = frag.map(%d1_7, %m1 : !S, !row) -> !S {
    ^bb0(%x: f32, %y: f32):
      %d = arith.subf %x, %y : f32
      %ds = arith.mulf %d, %sc : f32
      %e = math.exp2 %ds : f32
      frag.yield %e : f32
    }
    %ls1 = frag.reduce add %p1, lane dim 1 : !S -> !frag.f<128xf32, #rowsum>
    %l1 = frag.map(%l, %f1, %ls1 : !frag.f<128xf32, #rowsum>, !row, !frag.f<128xf32, #rowsum>) -> !frag.f<128xf32, #rowsum> {
    ^bb0(%x: f32, %y: f32, %w: f32):
      %e = math.fma %x, %y, %w : f32
      frag.yield %e : f32
    }
    %ph1 = frag.map(%p1 : !S) -> !frag.f<128x64xf16, #oS> {
    ^bb0(%x: f32):
      %y = arith.truncf %x : f32 to f16
      frag.yield %y : f16
    }
    %o1_0 = frag.map(%o, %f1 : !O, !row) -> !O {
    ^bb0(%x: f32, %y: f32):
      %e = arith.mulf %x, %y : f32
      frag.yield %e : f32
    }
    // P becomes an A operand through scratch, 32 columns at a time (the bytes of the maximum's scratch).
    %ps1_0 = frag.slice %ph1 [0, 0] : !frag.f<128x64xf16, #oS> -> !frag.f<128x32xf16, #oS>
    frag.barrier subgroup
    frag.write %ps1_0, %scp[%z, %z] : !frag.f<128x32xf16, #oS>, !frag.mem<128x32xf16, #s>
    frag.barrier subgroup
    %pa1_0 = frag.read %scp[%z, %z] : !frag.mem<128x32xf16, #s> -> !frag.f<128x16xf16, #oA>
    %v1_0 = frag.read %mv[%z, %z] : !mkv -> !frag.f<16x128xf16, #oB>
    %o1_1 = frag.mma #coop %pa1_0, %v1_0, %o1_0 : !frag.f<128x16xf16, #oA>, !frag.f<16x128xf16, #oB>, !O
    %pa1_1 = frag.read %scp[%z, %c16] : !frag.mem<128x32xf16, #s> -> !frag.f<128x16xf16, #oA>
    %v1_1 = frag.read %mv[%c16, %z] : !mkv -> !frag.f<16x128xf16, #oB>
    %o1_2 = frag.mma #coop %pa1_1, %v1_1, %o1_1 : !frag.f<128x16xf16, #oA>, !frag.f<16x128xf16, #oB>, !O
    %ps1_1 = frag.slice %ph1 [0, 32] : !frag.f<128x64xf16, #oS> -> !frag.f<128x32xf16, #oS>
    frag.barrier subgroup
    frag.write %ps1_1, %scp[%z, %z] : !frag.f<128x32xf16, #oS>, !frag.mem<128x32xf16, #s>
    frag.barrier subgroup
    %pa1_2 = frag.read %scp[%z, %z] : !frag.mem<128x32xf16, #s> -> !frag.f<128x16xf16, #oA>
    %v1_2 = frag.read %mv[%c32, %z] : !mkv -> !frag.f<16x128xf16, #oB>
    %o1_3 = frag.mma #coop %pa1_2, %v1_2, %o1_2 : !frag.f<128x16xf16, #oA>, !frag.f<16x128xf16, #oB>, !O
    %pa1_3 = frag.read %scp[%z, %c16] : !frag.mem<128x32xf16, #s> -> !frag.f<128x16xf16, #oA>
    %v1_3 = frag.read %mv[%c48, %z] : !mkv -> !frag.f<16x128xf16, #oB>
    %o1_4 = frag.mma #coop %pa1_3, %v1_3, %o1_3 : !frag.f<128x16xf16, #oA>, !frag.f<16x128xf16, #oB>, !O
    scf.yield %m1, %l1, %o1_4, %kn, %vn : !row, !frag.f<128xf32, #rowsum>, !O, !kv, !kv
  }
  // The last block, whose keys may lie behind the end.
  frag.barrier workgroup
  frag.write %it#3, %mk[%z, %z] : !kv, !mkv
  frag.write %it#4, %mv[%z, %z] : !kv, !mkv
  frag.barrier workgroup
  %kv = arith.muli %last, %c64 : index
  %s2 = frag.read %mk[%z, %z] trans : !mkv -> !frag.f<16x64xf16, #oB>
  %a2_0 = frag.slice %Q [0, 0] : !frag.f<128x128xf16, #oA> -> !frag.f<128x16xf16, #oA>
  %d2_0 = frag.mma #coop %a2_0, %s2, %zS : !frag.f<128x16xf16, #oA>, !frag.f<16x64xf16, #oB>, !S
  %k2_1 = frag.read %mk[%z, %c16] trans : !mkv -> !frag.f<16x64xf16, #oB>
  %a2_1 = frag.slice %Q [0, 16] : !frag.f<128x128xf16, #oA> -> !frag.f<128x16xf16, #oA>
  %d2_1 = frag.mma #coop %a2_1, %k2_1, %d2_0 : !frag.f<128x16xf16, #oA>, !frag.f<16x64xf16, #oB>, !S
  %k2_2 = frag.read %mk[%z, %c32] trans : !mkv -> !frag.f<16x64xf16, #oB>
  %a2_2 = frag.slice %Q [0, 32] : !frag.f<128x128xf16, #oA> -> !frag.f<128x16xf16, #oA>
  %d2_2 = frag.mma #coop %a2_2, %k2_2, %d2_1 : !frag.f<128x16xf16, #oA>, !frag.f<16x64xf16, #oB>, !S
  %k2_3 = frag.read %mk[%z, %c48] trans : !mkv -> !frag.f<16x64xf16, #oB>
  %a2_3 = frag.slice %Q [0, 48] : !frag.f<128x128xf16, #oA> -> !frag.f<128x16xf16, #oA>
  %d2_3 = frag.mma #coop %a2_3, %k2_3, %d2_2 : !frag.f<128x16xf16, #oA>, !frag.f<16x64xf16, #oB>, !S
  %k2_4 = frag.read %mk[%z, %c64] trans : !mkv -> !frag.f<16x64xf16, #oB>
  %a2_4 = frag.slice %Q [0, 64] : !frag.f<128x128xf16, #oA> -> !frag.f<128x16xf16, #oA>
  %d2_4 = frag.mma #coop %a2_4, %k2_4, %d2_3 : !frag.f<128x16xf16, #oA>, !frag.f<16x64xf16, #oB>, !S
  %k2_5 = frag.read %mk[%z, %c80] trans : !mkv -> !frag.f<16x64xf16, #oB>
  %a2_5 = frag.slice %Q [0, 80] : !frag.f<128x128xf16, #oA> -> !frag.f<128x16xf16, #oA>
  %d2_5 = frag.mma #coop %a2_5, %k2_5, %d2_4 : !frag.f<128x16xf16, #oA>, !frag.f<16x64xf16, #oB>, !S
  %k2_6 = frag.read %mk[%z, %c96] trans : !mkv -> !frag.f<16x64xf16, #oB>
  %a2_6 = frag.slice %Q [0, 96] : !frag.f<128x128xf16, #oA> -> !frag.f<128x16xf16, #oA>
  %d2_6 = frag.mma #coop %a2_6, %k2_6, %d2_5 : !frag.f<128x16xf16, #oA>, !frag.f<16x64xf16, #oB>, !S
  %k2_7 = frag.read %mk[%z, %c112] trans : !mkv -> !frag.f<16x64xf16, #oB>
  %a2_7 = frag.slice %Q [0, 112] : !frag.f<128x128xf16, #oA> -> !frag.f<128x16xf16, #oA>
  %d2_7 = frag.mma #coop %a2_7, %k2_7, %d2_6 : !frag.f<128x16xf16, #oA>, !frag.f<16x64xf16, #oB>, !S
  // Keys behind the end: a row of 0 and -inf, the same for every query.
  %j2 = frag.iota 0 base %kv : !frag.f<64xindex, #cvec>
  %b2 = frag.map(%j2 : !frag.f<64xindex, #cvec>) -> !frag.f<64xf32, #cvec> {
  ^bb0(%x: index):
    %in = arith.cmpi ult, %x, %S : index
    %y = arith.select %in, %zf, %ninf : f32
    frag.yield %y : f32
  }
  frag.write %b2, %mask[%z] : !frag.f<64xf32, #cvec>, !frag.mem<64xf32, #v1>
  frag.barrier workgroup
  %c2 = frag.read %mask[%z] broadcast : !frag.mem<64xf32, #v1> -> !frag.f<64xf32, #col>
  %sm2 = frag.map(%d2_7, %c2 : !S, !frag.f<64xf32, #col>) -> !S {
  ^bb0(%x: f32, %y: f32):
    %w = arith.addf %x, %y : f32
    frag.yield %w : f32
  }
  // The row maximum: over the matrices of a row block, through scratch, back with equal columns.
  %mt2 = frag.reduce max %sm2, lane dim 1 : !S -> !frag.f<128xf32, #rowmax>
  frag.write %mt2, %scr[%z, %z] : !frag.f<128xf32, #rowmax>, !frag.mem<128x16xf32, #sf>
  frag.barrier subgroup
  %h2 = frag.read %scr[%z, %z] : !frag.mem<128x16xf32, #sf> -> !frag.f<128x16xf32, #rows>
  %hp2 = frag.reduce max %h2, lane dim 1 : !frag.f<128x16xf32, #rows> -> !frag.f<128xf32, #vecmax>
  %hm2 = frag.reduce max %hp2, group : !frag.f<128xf32, #vecmax> -> !frag.f<128xf32, #vec>
  frag.write %hm2, %fac[%z] : !frag.f<128xf32, #vec>, !frag.mem<128xf32, #v1>
  frag.barrier subgroup
  %mb2 = frag.read %fac[%z] broadcast : !frag.mem<128xf32, #v1> -> !row
  %m2, %f2 = frag.map(%it#0, %mb2 : !row, !row) -> !row, !row {
  ^bb0(%x: f32, %y: f32):
    %m1 = arith.maximumf %x, %y : f32
    %df = arith.subf %x, %m1 : f32
    %ds = arith.mulf %df, %sc : f32
    %e = math.exp2 %ds : f32
    frag.yield %m1, %e : f32, f32
  }
  %p2 = frag.map(%sm2, %m2 : !S, !row) -> !S {
  ^bb0(%x: f32, %y: f32):
    %d = arith.subf %x, %y : f32
    %ds = arith.mulf %d, %sc : f32
    %e = math.exp2 %ds : f32
    frag.yield %e : f32
  }
  %ls2 = frag.reduce add %p2, lane dim 1 : !S -> !frag.f<128xf32, #rowsum>
  %l2 = frag.map(%it#1, %f2, %ls2 : !frag.f<128xf32, #rowsum>, !row, !frag.f<128xf32, #rowsum>) -> !frag.f<128xf32, #rowsum> {
  ^bb0(%x: f32, %y: f32, %w: f32):
    %e = math.fma %x, %y, %w : f32
    frag.yield %e : f32
  }
  %ph2 = frag.map(%p2 : !S) -> !frag.f<128x64xf16, #oS> {
  ^bb0(%x: f32):
    %y = arith.truncf %x : f32 to f16
    frag.yield %y : f16
  }
  %o2_0 = frag.map(%it#2, %f2 : !O, !row) -> !O {
  ^bb0(%x: f32, %y: f32):
    %e = arith.mulf %x, %y : f32
    frag.yield %e : f32
  }
  // P becomes an A operand through scratch, 32 columns at a time (the bytes of the maximum's scratch).
  %ps2_0 = frag.slice %ph2 [0, 0] : !frag.f<128x64xf16, #oS> -> !frag.f<128x32xf16, #oS>
  frag.barrier subgroup
  frag.write %ps2_0, %scp[%z, %z] : !frag.f<128x32xf16, #oS>, !frag.mem<128x32xf16, #s>
  frag.barrier subgroup
  %pa2_0 = frag.read %scp[%z, %z] : !frag.mem<128x32xf16, #s> -> !frag.f<128x16xf16, #oA>
  %v2_0 = frag.read %mv[%z, %z] : !mkv -> !frag.f<16x128xf16, #oB>
  %o2_1 = frag.mma #coop %pa2_0, %v2_0, %o2_0 : !frag.f<128x16xf16, #oA>, !frag.f<16x128xf16, #oB>, !O
  %pa2_1 = frag.read %scp[%z, %c16] : !frag.mem<128x32xf16, #s> -> !frag.f<128x16xf16, #oA>
  %v2_1 = frag.read %mv[%c16, %z] : !mkv -> !frag.f<16x128xf16, #oB>
  %o2_2 = frag.mma #coop %pa2_1, %v2_1, %o2_1 : !frag.f<128x16xf16, #oA>, !frag.f<16x128xf16, #oB>, !O
  %ps2_1 = frag.slice %ph2 [0, 32] : !frag.f<128x64xf16, #oS> -> !frag.f<128x32xf16, #oS>
  frag.barrier subgroup
  frag.write %ps2_1, %scp[%z, %z] : !frag.f<128x32xf16, #oS>, !frag.mem<128x32xf16, #s>
  frag.barrier subgroup
  %pa2_2 = frag.read %scp[%z, %z] : !frag.mem<128x32xf16, #s> -> !frag.f<128x16xf16, #oA>
  %v2_2 = frag.read %mv[%c32, %z] : !mkv -> !frag.f<16x128xf16, #oB>
  %o2_3 = frag.mma #coop %pa2_2, %v2_2, %o2_2 : !frag.f<128x16xf16, #oA>, !frag.f<16x128xf16, #oB>, !O
  %pa2_3 = frag.read %scp[%z, %c16] : !frag.mem<128x32xf16, #s> -> !frag.f<128x16xf16, #oA>
  %v2_3 = frag.read %mv[%c48, %z] : !mkv -> !frag.f<16x128xf16, #oB>
  %o2_4 = frag.mma #coop %pa2_3, %v2_3, %o2_3 : !frag.f<128x16xf16, #oA>, !frag.f<16x128xf16, #oB>, !O
  // The row sum is combined as the maximum was, then O / l goes out through the bytes of K and V.
  frag.barrier subgroup
  frag.write %l2, %scr[%z, %z] : !frag.f<128xf32, #rowsum>, !frag.mem<128x16xf32, #sf>
  frag.barrier subgroup
  %lh = frag.read %scr[%z, %z] : !frag.mem<128x16xf32, #sf> -> !frag.f<128x16xf32, #rows>
  %lp = frag.reduce add %lh, lane dim 1 : !frag.f<128x16xf32, #rows> -> !frag.f<128xf32, #vecsum>
  %lv = frag.reduce add %lp, group : !frag.f<128xf32, #vecsum> -> !frag.f<128xf32, #vec>
  frag.write %lv, %fac[%z] : !frag.f<128xf32, #vec>, !frag.mem<128xf32, #v1>
  frag.barrier subgroup
  %lb = frag.read %fac[%z] broadcast : !frag.mem<128xf32, #v1> -> !row
  %on = frag.map(%o2_4, %lb : !O, !row) -> !frag.f<128x128xf16, #oS> {
  ^bb0(%a: f32, %b: f32):
    %d = arith.divf %a, %b : f32
    %h = arith.truncf %d : f32 to f16
    frag.yield %h : f16
  }
  frag.barrier workgroup
  frag.write %on, %mq[%z, %z] : !frag.f<128x128xf16, #oS>, !frag.mem<128x128xf16, #s>
  frag.barrier workgroup
  %og = frag.read %mq[%z, %z] : !frag.mem<128x128xf16, #s> -> !frag.f<128x128xf16, #g>
  frag.write %og, %Ov[%bh, %m, %z] : !frag.f<128x128xf16, #g>, !v
  frag.return
}
