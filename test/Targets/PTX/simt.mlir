// RUN: helios-opt %s --convert-frag-to-ptx | FileCheck %s
// RUN: helios-compile %s --target=cuda:sm_89 --emit=ptx -o %t.ptx
// RUN: %if ptxas %{ %ptxas -arch=sm_89 -v %t.ptx -o %t.cubin 2>&1 | FileCheck %s --check-prefix=CODE %}
//
// Products of single lanes, for types that no matrix instruction multiplies: fused multiply-adds of f32, operands by vectors from shared memory.

#mma = #ptx.simt<block = [4, 4, 4], lanes = [8, 4], f32, f32, f32>
#a = #tile.operand<a, #mma, groups = [1, 1]>
#b = #tile.operand<b, #mma, groups = [1, 1]>
#acc = #tile.acc<#mma, groups = [1, 1]>
#shared = #tile.shared<order = [1, 0], pad = 4>
!out = !tile.view<?x?xf32, strides = [?, 1], div = [4, 1], align = 16>

// Four rows of A, eight apart, and four of B: a vector of 16 bytes each.
// CHECK-LABEL: llvm.func @product(
// CHECK-COUNT-8: llvm.load {{.*}} : !llvm.ptr<3> -> vector<4xi32>
// CHECK-NOT: !llvm.ptr<3> ->
// CHECK-COUNT-64: llvm.intr.fma({{.*}}) : (f32, f32, f32) -> f32
// CHECK-NOT: llvm.intr.fma
// CHECK-COUNT-4: llvm.store {{.*}} : vector<4xi32>, !llvm.ptr<1>
// CHECK-NOT: llvm.store
// CODE-NOT: warning
// CODE: 0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
frag.kernel @product(%pd: !tile.ptr<f32>, %m: index, %n: index {tile.div = 4 : i64})
    attributes {threads = 32 : i64, shared_bytes = 2048 : i64, target = #ptx.target<"sm_89">} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %D = tile.view %pd[%m, %n] strides [%n] : !tile.ptr<f32> -> !out
  %sa = frag.shared 0 : !frag.mem<32x4xf32, #shared>
  %sb = frag.shared 1024 : !frag.mem<4x16xf32, #shared>
  %a = frag.read %sa[%c0, %c0] : !frag.mem<32x4xf32, #shared> -> !frag.f<32x4xf32, #a>
  %b = frag.read %sb[%c0, %c0] : !frag.mem<4x16xf32, #shared> -> !frag.f<4x16xf32, #b>
  %acc = frag.splat %zero : f32 -> !frag.f<32x16xf32, #acc>
  %d = frag.mma #mma %a, %b, %acc : !frag.f<32x4xf32, #a>, !frag.f<4x16xf32, #b>, !frag.f<32x16xf32, #acc>
  frag.write %d, %D[%c0, %c0] in_bounds : !frag.f<32x16xf32, #acc>, !out
  frag.return
}
