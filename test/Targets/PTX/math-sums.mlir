// RUN: helios-opt %s --convert-frag-to-ptx | FileCheck %s
//
// z (1 + erf(k z)) is 2 max(z, 0) - |z| (1 - erf(k |z|)), without sign or branch, however the product is written; with two uses
// of the function it stays.

#wide = #tile.regs<vec = [1, 4], lanes = [8, 4], groups = [1, 1]>
!w = !tile.view<8x16xf32, strides = [16, 1], align = 16>

// CHECK-LABEL: llvm.func @multiply_add(
// CHECK: llvm.intr.maximum
// CHECK-NOT: {{copysign|llvm.select}}
// CHECK: llvm.return
frag.kernel @multiply_add(%p: !tile.ptr<f32>) attributes {threads = 32 : i64, target = #ptx.target<"sm_89">} {
  %c0 = arith.constant 0 : index
  %V = tile.view %p[] : !tile.ptr<f32> -> !w
  %x = frag.read %V[%c0, %c0] in_bounds : !w -> !frag.f<8x16xf32, #wide>
  %y = frag.map(%x : !frag.f<8x16xf32, #wide>) -> !frag.f<8x16xf32, #wide> {
  ^bb0(%e: f32):
    %k = arith.constant 0.707106769 : f32
    %h = arith.constant 0.5 : f32
    %z = arith.mulf %e, %k : f32
    %f = math.erf %z : f32
    %half = arith.mulf %e, %h : f32
    %g = math.fma %half, %f, %half : f32
    frag.yield %g : f32
  }
  frag.write %y, %V[%c0, %c0] in_bounds : !frag.f<8x16xf32, #wide>, !w
  frag.return
}

// CHECK-LABEL: llvm.func @sum(
// CHECK: llvm.intr.maximum
// CHECK-NOT: {{copysign|llvm.select}}
// CHECK: llvm.return
frag.kernel @sum(%p: !tile.ptr<f32>) attributes {threads = 32 : i64, target = #ptx.target<"sm_89">} {
  %c0 = arith.constant 0 : index
  %V = tile.view %p[] : !tile.ptr<f32> -> !w
  %x = frag.read %V[%c0, %c0] in_bounds : !w -> !frag.f<8x16xf32, #wide>
  %y = frag.map(%x : !frag.f<8x16xf32, #wide>) -> !frag.f<8x16xf32, #wide> {
  ^bb0(%e: f32):
    %k = arith.constant 0.707106769 : f32
    %h = arith.constant 0.5 : f32
    %z = arith.mulf %e, %k : f32
    %f = math.erf %z : f32
    %half = arith.mulf %e, %h : f32
    %part = arith.mulf %f, %half : f32
    %g = arith.addf %half, %part : f32
    frag.yield %g : f32
  }
  frag.write %y, %V[%c0, %c0] in_bounds : !frag.f<8x16xf32, #wide>, !w
  frag.return
}

// CHECK-LABEL: llvm.func @two_uses(
// CHECK-NOT: llvm.intr.maximum
// CHECK: llvm.intr.copysign
// CHECK: llvm.return
frag.kernel @two_uses(%p: !tile.ptr<f32>) attributes {threads = 32 : i64, target = #ptx.target<"sm_89">} {
  %c0 = arith.constant 0 : index
  %V = tile.view %p[] : !tile.ptr<f32> -> !w
  %x = frag.read %V[%c0, %c0] in_bounds : !w -> !frag.f<8x16xf32, #wide>
  %y = frag.map(%x : !frag.f<8x16xf32, #wide>) -> !frag.f<8x16xf32, #wide> {
  ^bb0(%e: f32):
    %f = math.erf %e : f32
    %g = math.fma %e, %f, %e : f32
    %s = arith.addf %g, %f : f32
    frag.yield %s : f32
  }
  frag.write %y, %V[%c0, %c0] in_bounds : !frag.f<8x16xf32, #wide>, !w
  frag.return
}
