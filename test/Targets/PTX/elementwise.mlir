// RUN: helios-opt %s --convert-frag-to-ptx | FileCheck %s
// RUN: mkdir -p %t && helios-compile %s --target=cuda:sm_89 --emit=ptx -o %t/k.ptx
// RUN: FileCheck %s --check-prefix=PTX < %t/k.sm_89.round.ptx
// RUN: FileCheck %s --check-prefix=FAST < %t/k.sm_89.fast.ptx
// RUN: %if ptxas %{ %ptxas -arch=sm_89 %t/k.sm_89.round.ptx -o %t/round.cubin %}
// RUN: %if ptxas %{ %ptxas -arch=sm_89 %t/k.sm_89.functions.ptx -o %t/functions.cubin %}
// RUN: %if ptxas %{ %ptxas -arch=sm_89 %t/k.sm_89.quad.ptx -o %t/quad.cubin %}
//
// Element-wise work: pairs are rounded by one instruction and stay packed; functions of f32 are arithmetic around 2^x; lanes of a quad
// exchange their parts by shuffles.

#wide = #tile.regs<vec = [1, 4], lanes = [8, 4], groups = [1, 1]>
!v = !tile.view<8x16xbf16, strides = [16, 1], align = 16>
!w = !tile.view<8x16xf32, strides = [16, 1], align = 16>

// CHECK-LABEL: llvm.func @round(
// CHECK-SAME: llvm.noalias, llvm.noundef, llvm.readonly
// CHECK-SAME: nvvm.reqntid = array<i32: 32, 1, 1>
// CHECK: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xi32>
// CHECK-COUNT-4: llvm.fmul
// CHECK: nvvm.convert.f32x2.to.bf16x2
// CHECK: llvm.store %{{.*}} {alignment = 8 : i64} : vector<2xi32>, !llvm.ptr<1>
// CHECK-NOT: llvm.store
// PTX: .visible .entry round(
// PTX: ld.global.nc.v4.b32
// PTX-COUNT-2: cvt.rn.bf16x2.f32
// PTX: st.global.v2.b32
frag.kernel @round(%p: !tile.ptr<f32>, %q: !tile.ptr<bf16>) attributes {threads = 32 : i64, target = #ptx.target<"sm_89">} {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3.0 : f32
  %V = tile.view %p[] : !tile.ptr<f32> -> !w
  %W = tile.view %q[] : !tile.ptr<bf16> -> !v
  %x = frag.read %V[%c0, %c0] in_bounds : !w -> !frag.f<8x16xf32, #wide>
  %y = frag.map(%x : !frag.f<8x16xf32, #wide>) -> !frag.f<8x16xbf16, #wide> {
  ^bb0(%e: f32):
    %m = arith.mulf %e, %c3 : f32
    %r = arith.truncf %m : f32 to bf16
    frag.yield %r : bf16
  }
  frag.write %y, %W[%c0, %c0] in_bounds : !frag.f<8x16xbf16, #wide>, !v
  frag.return
}

// What flags allow: the reciprocal of a divisor that all elements share is computed once, and the device's own tanh.
// CHECK-LABEL: llvm.func @fast(
// CHECK-NOT: llvm.fdiv
// CHECK: llvm.intr.tanh({{.*}}) {fastmathFlags = #llvm.fastmath<afn>}
// FAST-COUNT-1: rcp.approx.ftz.f32
// FAST-COUNT-4: tanh.approx.f32
// FAST-NOT: {{rcp|tanh|div}}
frag.kernel @fast(%p: !tile.ptr<f32>, %cap: f32) attributes {threads = 32 : i64, target = #ptx.target<"sm_89">} {
  %c0 = arith.constant 0 : index
  %V = tile.view %p[] : !tile.ptr<f32> -> !w
  %x = frag.read %V[%c0, %c0] in_bounds : !w -> !frag.f<8x16xf32, #wide>
  %y = frag.map(%x : !frag.f<8x16xf32, #wide>) -> !frag.f<8x16xf32, #wide> {
  ^bb0(%e: f32):
    %0 = arith.divf %e, %cap fastmath<arcp> : f32
    %1 = math.tanh %0 fastmath<afn> : f32
    frag.yield %1 : f32
  }
  frag.write %y, %V[%c0, %c0] in_bounds : !frag.f<8x16xf32, #wide>, !w
  frag.return
}

// Elements of bf16 are halves of words and floats' upper halves: one operation each.
// CHECK-LABEL: llvm.func @widen(
// CHECK-NOT: llvm.fpext
// CHECK-DAG: %[[C16:.*]] = llvm.mlir.constant(16 : i32)
// CHECK-DAG: %[[UPPER:.*]] = llvm.mlir.constant(-65536 : i32)
// CHECK: llvm.shl %[[W:.*]], %[[C16]]
// CHECK: llvm.and %[[W]], %[[UPPER]]
// CHECK-NOT: llvm.fpext
// CHECK: llvm.return
frag.kernel @widen(%p: !tile.ptr<bf16>, %q: !tile.ptr<f32>) attributes {threads = 32 : i64, target = #ptx.target<"sm_89">} {
  %c0 = arith.constant 0 : index
  %V = tile.view %p[] : !tile.ptr<bf16> -> !v
  %W = tile.view %q[] : !tile.ptr<f32> -> !w
  %x = frag.read %V[%c0, %c0] in_bounds : !v -> !frag.f<8x16xbf16, #wide>
  %y = frag.map(%x : !frag.f<8x16xbf16, #wide>) -> !frag.f<8x16xf32, #wide> {
  ^bb0(%e: bf16):
    %f = arith.extf %e : bf16 to f32
    frag.yield %f : f32
  }
  frag.write %y, %W[%c0, %c0] in_bounds : !frag.f<8x16xf32, #wide>, !w
  frag.return
}

// CHECK-LABEL: llvm.func @functions(
// CHECK-NOT: math.
// CHECK: llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f32"
// CHECK-NOT: llvm.intr.exp
// CHECK-NOT: llvm.intr.log
// CHECK: llvm.return
frag.kernel @functions(%p: !tile.ptr<f32>) attributes {threads = 32 : i64, target = #ptx.target<"sm_89">} {
  %c0 = arith.constant 0 : index
  %V = tile.view %p[] : !tile.ptr<f32> -> !w
  %x = frag.read %V[%c0, %c0] in_bounds : !w -> !frag.f<8x16xf32, #wide>
  %y = frag.map(%x : !frag.f<8x16xf32, #wide>) -> !frag.f<8x16xf32, #wide> {
  ^bb0(%e: f32):
    %0 = math.exp %e : f32
    %1 = math.log %0 : f32
    %2 = math.erf %1 : f32
    %3 = math.tanh %2 : f32
    %4 = math.rsqrt %3 : f32
    %5 = math.exp2 %4 : f32
    %6 = math.log2 %5 : f32
    %7 = math.sin %6 : f32
    %8 = math.log10 %7 : f32
    frag.yield %8 : f32
  }
  frag.write %y, %V[%c0, %c0] in_bounds : !frag.f<8x16xf32, #wide>, !w
  frag.return
}

#mma = #ptx.mma_sync<[16, 8, 16], bf16, bf16, f32>
#acc = #tile.acc<#mma, groups = [1, 1]>

// A row's columns lie in the registers of four lanes.
// CHECK-LABEL: llvm.func @quad(
// CHECK: llvm.intr.maximum
// CHECK-COUNT-4: nvvm.shfl.sync bfly
// CHECK-NOT: nvvm.shfl
frag.kernel @quad(%p: !tile.ptr<f32>, %q: !tile.ptr<f32>) attributes {threads = 32 : i64, target = #ptx.target<"sm_89">} {
  %c0 = arith.constant 0 : index
  %V = tile.view %p[] : !tile.ptr<f32> -> !tile.view<16x16xf32, strides = [16, 1], align = 16>
  %W = tile.view %q[] : !tile.ptr<f32> -> !tile.view<16x16xf32, strides = [16, 1], align = 16>
  %x = frag.read %V[%c0, %c0] in_bounds : !tile.view<16x16xf32, strides = [16, 1], align = 16> -> !frag.f<16x16xf32, #acc>
  %part = frag.reduce max %x, lane dim 1 : !frag.f<16x16xf32, #acc> -> !frag.f<16xf32, #tile.slice<1, #acc, partial = max>>
  %max = frag.reduce max %part, group : !frag.f<16xf32, #tile.slice<1, #acc, partial = max>> -> !frag.f<16xf32, #tile.slice<1, #acc>>
  %y = frag.map(%x, %max : !frag.f<16x16xf32, #acc>, !frag.f<16xf32, #tile.slice<1, #acc>>) -> !frag.f<16x16xf32, #acc> {
  ^bb0(%e: f32, %m: f32):
    %d = arith.subf %e, %m : f32
    frag.yield %d : f32
  }
  frag.write %y, %W[%c0, %c0] in_bounds : !frag.f<16x16xf32, #acc>, !tile.view<16x16xf32, strides = [16, 1], align = 16>
  frag.return
}

// What is made of a row alone is made and exchanged once, not for each of a lane's four columns.
// CHECK-LABEL: llvm.func @once(
// CHECK-COUNT-2: llvm.intr.sqrt
// CHECK-NOT: llvm.intr.sqrt
// CHECK-COUNT-3: nvvm.shfl.sync bfly
// CHECK-NOT: nvvm.shfl
// CHECK: llvm.return
frag.kernel @once(%p: !tile.ptr<f32>, %q: !tile.ptr<f32>) attributes {threads = 32 : i64, target = #ptx.target<"sm_89">} {
  %c0 = arith.constant 0 : index
  %V = tile.view %p[] : !tile.ptr<f32> -> !tile.view<16xf32, strides = [1], align = 16>
  %W = tile.view %q[] : !tile.ptr<f32> -> !tile.view<16xf32, strides = [1], align = 16>
  %x = frag.read %V[%c0] in_bounds : !tile.view<16xf32, strides = [1], align = 16> -> !frag.f<16xf32, #tile.slice<1, #acc>>
  %y = frag.map(%x : !frag.f<16xf32, #tile.slice<1, #acc>>) -> !frag.f<16x16xf32, #acc> {
  ^bb0(%e: f32):
    %d = math.sqrt %e : f32
    frag.yield %d : f32
  }
  %part = frag.reduce max %y, lane dim 0 : !frag.f<16x16xf32, #acc> -> !frag.f<16xf32, #tile.slice<0, #acc, partial = max>>
  %max = frag.reduce max %part, group : !frag.f<16xf32, #tile.slice<0, #acc, partial = max>> -> !frag.f<16xf32, #tile.slice<0, #acc>>
  frag.write %max, %W[%c0] in_bounds : !frag.f<16xf32, #tile.slice<0, #acc>>, !tile.view<16xf32, strides = [1], align = 16>
  frag.return
}

// Of many registers two chains are combined side by side.
// CHECK-LABEL: llvm.func @chains(
// CHECK: %[[EVEN:.+]] = llvm.fadd
// CHECK-NEXT: %[[ODD:.+]] = llvm.fadd
// CHECK-NEXT: llvm.fadd %[[EVEN]],
// CHECK-NEXT: llvm.fadd %[[ODD]],
frag.kernel @chains(%p: !tile.ptr<f32>, %q: !tile.ptr<f32>) attributes {threads = 32 : i64, target = #ptx.target<"sm_89">} {
  %c0 = arith.constant 0 : index
  %V = tile.view %p[] : !tile.ptr<f32> -> !tile.view<16x64xf32, strides = [64, 1], align = 16>
  %W = tile.view %q[] : !tile.ptr<f32> -> !tile.view<16x64xf32, strides = [64, 1], align = 16>
  %x = frag.read %V[%c0, %c0] in_bounds : !tile.view<16x64xf32, strides = [64, 1], align = 16> -> !frag.f<16x64xf32, #acc>
  %part = frag.reduce add %x, lane dim 1 : !frag.f<16x64xf32, #acc> -> !frag.f<16xf32, #tile.slice<1, #acc, partial = add>>
  %sum = frag.reduce add %part, group : !frag.f<16xf32, #tile.slice<1, #acc, partial = add>> -> !frag.f<16xf32, #tile.slice<1, #acc>>
  %y = frag.map(%x, %sum : !frag.f<16x64xf32, #acc>, !frag.f<16xf32, #tile.slice<1, #acc>>) -> !frag.f<16x64xf32, #acc> {
  ^bb0(%e: f32, %m: f32):
    %d = arith.mulf %e, %m : f32
    frag.yield %d : f32
  }
  frag.write %y, %W[%c0, %c0] in_bounds : !frag.f<16x64xf32, #acc>, !tile.view<16x64xf32, strides = [64, 1], align = 16>
  frag.return
}

// Places are compared by their distance, one for all registers, and a constant of each; a predicate that looks at them as unsigned is left alone.
// CHECK-LABEL: llvm.func @places(
// CHECK: %[[DISTANCE:.+]] = llvm.sub %{{.+}}, %{{.+}} : i32
// CHECK-NEXT: llvm.icmp "sle" %[[DISTANCE]], %{{.+}} : i32
// CHECK-COUNT-5: llvm.icmp "sle" %{{.+}}, %{{.+}} : i32
// CHECK: llvm.icmp "ult" %{{.+}}, %{{.+}} : i64
frag.kernel @places(%p: !tile.ptr<f32>, %q: !tile.ptr<f32>, %n: index, %m: index) attributes {threads = 32 : i64, target = #ptx.target<"sm_89">} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %V = tile.view %p[] : !tile.ptr<f32> -> !tile.view<16x16xf32, strides = [16, 1], align = 16>
  %x = frag.read %V[%c0, %c0] in_bounds : !tile.view<16x16xf32, strides = [16, 1], align = 16> -> !frag.f<16x16xf32, #acc>
  %rows = frag.iota 0 base %n : !frag.f<16x16xindex, #acc>
  %columns = frag.iota 1 base %m : !frag.f<16x16xindex, #acc>
  %y = frag.map(%x, %rows, %columns : !frag.f<16x16xf32, #acc>, !frag.f<16x16xindex, #acc>, !frag.f<16x16xindex, #acc>) -> !frag.f<16x16xf32, #acc> {
  ^bb0(%e: f32, %i: index, %j: index):
    %below = arith.cmpi sle, %j, %i : index
    %z = arith.select %below, %e, %zero : f32
    frag.yield %z : f32
  }
  frag.write %y, %V[%c0, %c0] in_bounds : !frag.f<16x16xf32, #acc>, !tile.view<16x16xf32, strides = [16, 1], align = 16>
  %w = frag.map(%y, %columns : !frag.f<16x16xf32, #acc>, !frag.f<16x16xindex, #acc>) -> !frag.f<16x16xf32, #acc> {
  ^bb0(%e: f32, %j: index):
    %inside = arith.cmpi ult, %j, %n : index
    %z = arith.select %inside, %e, %zero : f32
    frag.yield %z : f32
  }
  %W = tile.view %q[] : !tile.ptr<f32> -> !tile.view<16x16xf32, strides = [16, 1], align = 16>
  frag.write %w, %W[%c0, %c0] in_bounds : !frag.f<16x16xf32, #acc>, !tile.view<16x16xf32, strides = [16, 1], align = 16>
  frag.return
}

// A place and a value from outside, which may be any: it is narrowed to the nearest of 32 bits, and what both are apart too.
// CHECK-LABEL: llvm.func @window(
// CHECK-DAG: llvm.intr.smax
// CHECK-DAG: llvm.intr.smin
// CHECK: %[[APART:.+]] = llvm.intr.ssub.sat(%{{.+}}, %{{.+}}) : (i32, i32) -> i32
// CHECK-NEXT: llvm.icmp "sgt" %[[APART]], %{{.+}} : i32
// CHECK-NOT: llvm.icmp {{.*}} : i64
// CHECK: llvm.return
frag.kernel @window(%p: !tile.ptr<f32>, %q: !tile.ptr<f32>, %n: index, %m: index, %w: index) attributes {threads = 32 : i64, target = #ptx.target<"sm_89">} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %V = tile.view %p[] : !tile.ptr<f32> -> !tile.view<16x16xf32, strides = [16, 1], align = 16>
  %x = frag.read %V[%c0, %c0] in_bounds : !tile.view<16x16xf32, strides = [16, 1], align = 16> -> !frag.f<16x16xf32, #acc>
  %rows = frag.iota 0 base %n : !frag.f<16x16xindex, #acc>
  %columns = frag.iota 1 base %m : !frag.f<16x16xindex, #acc>
  %y = frag.map(%x, %rows, %columns : !frag.f<16x16xf32, #acc>, !frag.f<16x16xindex, #acc>, !frag.f<16x16xindex, #acc>) -> !frag.f<16x16xf32, #acc> {
  ^bb0(%e: f32, %i: index, %j: index):
    %first = arith.subi %i, %w : index
    %near = arith.cmpi sgt, %j, %first : index
    %z = arith.select %near, %e, %zero : f32
    frag.yield %z : f32
  }
  %W = tile.view %q[] : !tile.ptr<f32> -> !tile.view<16x16xf32, strides = [16, 1], align = 16>
  frag.write %y, %W[%c0, %c0] in_bounds : !frag.f<16x16xf32, #acc>, !tile.view<16x16xf32, strides = [16, 1], align = 16>
  frag.return
}

// Distances are converted once for all elements of a lane, which add what they are further; six of eight differ.
// CHECK-LABEL: llvm.func @distances
// CHECK-DAG: %[[NINE:.+]] = llvm.mlir.constant(9.000000e+00 : f32) : f32
// CHECK-DAG: %[[ONE:.+]] = llvm.mlir.constant(1.000000e+00 : f32) : f32
// CHECK-DAG: %[[UP:.+]] = llvm.mlir.constant(-7.000000e+00 : f32) : f32
// CHECK: %[[BASE:.+]] = llvm.sitofp %{{.+}} : i32 to f32
// CHECK-NOT: llvm.sitofp
// CHECK: llvm.fadd %[[BASE]], %[[ONE]] : f32
// CHECK: llvm.fadd %[[BASE]], %[[UP]] : f32
// CHECK: llvm.fadd %[[BASE]], %[[NINE]] : f32
// CHECK-NOT: llvm.sitofp
// CHECK: llvm.return
frag.kernel @distances(%p: !tile.ptr<f32>, %n: index, %m: index) attributes {threads = 32 : i64, target = #ptx.target<"sm_89">} {
  %c0 = arith.constant 0 : index
  %V = tile.view %p[] : !tile.ptr<f32> -> !tile.view<16x16xf32, strides = [16, 1], align = 16>
  %x = frag.read %V[%c0, %c0] in_bounds : !tile.view<16x16xf32, strides = [16, 1], align = 16> -> !frag.f<16x16xf32, #acc>
  %rows = frag.iota 0 base %n : !frag.f<16x16xindex, #acc>
  %columns = frag.iota 1 base %m : !frag.f<16x16xindex, #acc>
  %y = frag.map(%x, %rows, %columns : !frag.f<16x16xf32, #acc>, !frag.f<16x16xindex, #acc>, !frag.f<16x16xindex, #acc>) -> !frag.f<16x16xf32, #acc> {
  ^bb0(%e: f32, %i: index, %j: index):
    %d = arith.subi %j, %i : index
    %d32 = arith.index_cast %d : index to i32
    %f = arith.sitofp %d32 : i32 to f32
    %z = arith.addf %e, %f : f32
    frag.yield %z : f32
  }
  frag.write %y, %V[%c0, %c0] in_bounds : !frag.f<16x16xf32, #acc>, !tile.view<16x16xf32, strides = [16, 1], align = 16>
  frag.return
}
