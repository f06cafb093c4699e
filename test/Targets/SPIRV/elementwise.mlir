// RUN: helios-opt %s --convert-frag-to-spirv | FileCheck %s
// RUN: mkdir -p %t && helios-compile %s --target=vulkan:lavapipe --emit=spirv -o %t/k.spv
// RUN: %if spirv-val %{ %spirv-val %t/k.lavapipe.functions.spv %}
// RUN: %if spirv-val %{ %spirv-val %t/k.lavapipe.narrow.spv %}
// RUN: %if spirv-val %{ %spirv-val %t/k.lavapipe.whole_matrices.spv %}
// RUN: %if spirv-val %{ %spirv-val %t/k.lavapipe.matrix_elements.spv %}
//
// Element-wise work: functions that drivers lack or compute badly are written out; narrow floats go through f32.

#row = #tile.regs<vec = [1], lanes = [8], groups = [1]>
!v = !tile.view<?xf32, strides = [1]>
!f = !frag.f<8xf32, #row>
!h = !tile.view<?xbf16, strides = [1]>
!b = !frag.f<8xbf16, #row>

// CHECK-LABEL: spirv.func @functions
// No GL.Tanh (it may overflow), no GL.Sin (2^-11); NaN handed on by maximumf, not by maxnumf.
// CHECK-NOT: spirv.CL.
// CHECK-NOT: spirv.GL.Tanh
// CHECK-NOT: spirv.GL.Sin
// CHECK-NOT: spirv.Unordered
// CHECK-DAG: spirv.GL.Exp
// CHECK-DAG: spirv.GL.FMax
// CHECK-DAG: spirv.IsNan
// CHECK: spirv.Store
frag.kernel @functions(%p: !tile.ptr<f32>, %n: index) attributes {threads = 8 : i64} {
  %c0 = arith.constant 0 : index
  %V = tile.view %p[%n] : !tile.ptr<f32> -> !v
  %x = frag.read %V[%c0] : !v -> !f
  %y = frag.map(%x : !f) -> !f {
  ^bb0(%e: f32):
    %0 = math.erf %e : f32
    %1 = math.tanh %0 : f32
    %2 = math.sin %1 : f32
    %3 = math.cos %2 : f32
    %4 = math.exp2 %3 : f32
    %5 = math.log1p %4 : f32
    %6 = math.expm1 %5 : f32
    %7 = math.atan2 %6, %e : f32
    %8 = math.cbrt %7 : f32
    %9 = math.trunc %8 : f32
    %10 = math.powf %9, %e : f32
    %11 = math.rsqrt %10 : f32
    %12 = arith.maximumf %11, %e : f32
    %13 = arith.maxnumf %12, %e : f32
    %14 = arith.cmpf uno, %13, %e : f32
    %15 = arith.select %14, %e, %13 : f32
    %16 = math.tan %15 : f32
    %17 = math.asin %16 : f32
    %18 = math.acos %17 : f32
    %19 = math.sinh %18 : f32
    %20 = math.asinh %19 : f32
    %21 = math.atanh %20 : f32
    %22 = math.roundeven %21 : f32
    %23 = math.copysign %22, %e : f32
    %24 = math.log2 %23 : f32
    frag.yield %24 : f32
  }
  frag.write %y, %V[%c0] : !f, !v
  frag.return
}

// CHECK-LABEL: spirv.func @narrow
// bf16 is 16 bits in memory, the low half of a word in registers, f32 where it is computed; rounding is to nearest even.
// CHECK: spirv.Load "StorageBuffer" %{{.*}} : i16
// CHECK: spirv.UConvert %{{.*}} : i16 to i32
// CHECK: spirv.ShiftLeftLogical %{{.*}}, %cst16_i32
// CHECK: spirv.FMul %{{.*}}, %{{.*}} : f32
// CHECK: spirv.IAdd %{{.*}}, %cst32767_i32
// CHECK: spirv.BitwiseOr %{{.*}}, %cst64_i32
// CHECK: spirv.Store "StorageBuffer" %{{.*}}, %{{.*}} : i16
frag.kernel @narrow(%p: !tile.ptr<bf16>, %n: index) attributes {threads = 8 : i64} {
  %c0 = arith.constant 0 : index
  %V = tile.view %p[%n] : !tile.ptr<bf16> -> !h
  %x = frag.read %V[%c0] : !h -> !b
  %i = frag.iota 0 base %n : !frag.f<8xindex, #row>
  %y = frag.map(%x, %i : !b, !frag.f<8xindex, #row>) -> !b {
  ^bb0(%e: bf16, %at: index):
    %0 = arith.mulf %e, %e : bf16
    %1 = arith.index_cast %at : index to i32
    %2 = arith.sitofp %1 : i32 to bf16
    %3 = arith.addf %0, %2 : bf16
    frag.yield %3 : bf16
  }
  frag.write %y, %V[%c0] : !b, !h
  frag.return
}

#mma = #spv.coop<[8, 8, 8], f16, f16, f32, lanes = 8>
#acc = #tile.opaque<acc, #mma, groups = [1, 1]>
!c = !frag.f<8x8xf32, #acc>
!ch = !frag.f<8x8xf16, #acc>
!s = !frag.mem<8x8xf16, #tile.shared<order = [1, 0]>>

// CHECK-LABEL: spirv.func @whole_matrices
// CHECK: %[[M:.*]] = spirv.FMul %{{.*}} : !spirv.coopmatrix<8x8xf32, Subgroup, MatrixAcc>
// CHECK: spirv.FConvert %[[M]] : !spirv.coopmatrix<8x8xf32, Subgroup, MatrixAcc> to !spirv.coopmatrix<8x8xf16, Subgroup, MatrixAcc>
frag.kernel @whole_matrices(%alpha: f32) attributes {threads = 8 : i64, shared_bytes = 128 : i64} {
  %c0 = arith.constant 0 : index
  %s = frag.shared 0 : !s
  %x = frag.splat %alpha : f32 -> !c
  %y = frag.map(%x : !c) -> !ch {
  ^bb0(%e: f32):
    %0 = arith.mulf %e, %alpha : f32
    %1 = arith.truncf %0 : f32 to f16
    frag.yield %1 : f16
  }
  frag.write %y, %s[%c0, %c0] : !ch, !s
  frag.return
}

// Elements of equal number agree over matrices of one type only, so the result is computed in f32 and rounded whole.
// CHECK-LABEL: spirv.func @matrix_elements
// CHECK: spirv.Variable : !spirv.ptr<!spirv.coopmatrix<8x8xf32, Subgroup, MatrixAcc>, Function>
// CHECK: spirv.KHR.CooperativeMatrixLength
// CHECK: spirv.mlir.loop control(Unroll)
// CHECK: spirv.GL.FMax
// CHECK-NOT: spirv.FConvert %{{.*}} : f32
// CHECK: spirv.FConvert %{{.*}} : !spirv.coopmatrix<8x8xf32, Subgroup, MatrixAcc> to !spirv.coopmatrix<8x8xf16, Subgroup, MatrixAcc>
!sf = !frag.mem<8x8xf32, #tile.shared<order = [1, 0]>>
frag.kernel @matrix_elements(%alpha: f32) attributes {threads = 8 : i64, shared_bytes = 384 : i64} {
  %c0 = arith.constant 0 : index
  %s = frag.shared 0 : !s
  %sx = frag.shared 128 : !sf
  %x = frag.read %sx[%c0, %c0] : !sf -> !c
  %y = frag.map(%x : !c) -> !ch {
  ^bb0(%e: f32):
    %0 = arith.maximumf %e, %alpha : f32
    %1 = arith.truncf %0 : f32 to f16
    frag.yield %1 : f16
  }
  frag.write %y, %s[%c0, %c0] : !ch, !s
  frag.return
}

// Of 64 bits GLSL.std.450 has few functions; these it has.

#wide = #tile.regs<vec = [1], lanes = [8], groups = [1]>
// CHECK-LABEL: spirv.func @wide
// CHECK: spirv.GL.FAbs %{{.*}} : f64
// CHECK: spirv.GL.Sqrt %{{.*}} : f64
// CHECK: spirv.GL.Floor %{{.*}} : f64
frag.kernel @wide(%x: f32) attributes {threads = 8 : i64, shared_bytes = 32 : i64} {
  %c0 = arith.constant 0 : index
  %m = frag.shared 0 : !frag.mem<8xf32, #tile.shared<order = [0]>>
  %f = frag.splat %x : f32 -> !frag.f<8xf32, #wide>
  %g = frag.map(%f : !frag.f<8xf32, #wide>) -> !frag.f<8xf32, #wide> {
  ^bb0(%e: f32):
    %d = arith.extf %e : f32 to f64
    %a = math.absf %d : f64
    %s = math.sqrt %a : f64
    %l = math.floor %s : f64
    %t = arith.truncf %l : f64 to f32
    frag.yield %t : f32
  }
  frag.write %g, %m[%c0] : !frag.f<8xf32, #wide>, !frag.mem<8xf32, #tile.shared<order = [0]>>
  frag.return
}

// The instruction's quotient is anything where the divisor is beyond 2^126, so both are taken a quarter; not of a divisor that is known to be within.
// CHECK-LABEL: spirv.func @quotients
// CHECK: %[[SIZE:.+]] = spirv.GL.FAbs %[[Y:.+]] : f32
// CHECK: %[[LARGE:.+]] = spirv.FOrdGreaterThan %[[SIZE]], %{{.+}} : f32
// CHECK: %[[SCALE:.+]] = spirv.Select %[[LARGE]]
// CHECK: %[[X:.+]] = spirv.FMul %{{.+}}, %[[SCALE]] : f32
// CHECK: %[[D:.+]] = spirv.FMul %[[Y]], %[[SCALE]] : f32
// CHECK: %[[Q:.+]] = spirv.FDiv %[[X]], %[[D]] : f32
// CHECK: spirv.FDiv %[[Q]], %cst{{.*}} : f32
// CHECK-NOT: spirv.GL.FAbs
// CHECK: spirv.Branch
frag.kernel @quotients(%p: !tile.ptr<f32>, %n: index) attributes {threads = 8 : i64} {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %V = tile.view %p[%n] : !tile.ptr<f32> -> !v
  %x = frag.read %V[%c0] : !v -> !f
  %y = frag.read %V[%c8] : !v -> !f
  %z = frag.map(%x, %y : !f, !f) -> !f {
  ^bb0(%a: f32, %b: f32):
    %seven = arith.constant 7.0 : f32
    %0 = arith.divf %a, %b : f32
    %1 = arith.divf %0, %seven : f32
    frag.yield %1 : f32
  }
  frag.write %z, %V[%c0] : !f, !v
  frag.return
}
