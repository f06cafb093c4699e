// RUN: helios-opt %s --convert-frag-to-ptx | FileCheck %s
//
// An instruction with exchanged operands: its left operand is B's fragment, four words of which lie as those of A do, and the right one A's, two.

#mma = #ptx.mma_sync<[8, 16, 16], bf16, bf16, f32>
#a = #tile.operand<a, #mma, groups = [1, 1]>
#b = #tile.operand<b, #mma, groups = [1, 1]>
#acc = #tile.acc<#mma, groups = [1, 1]>
#s = #tile.shared<order = [1, 0], swizzle = 32>
!ma = !frag.mem<8x16xbf16, #s>
!mb = !frag.mem<16x16xbf16, #s>

// CHECK-LABEL: llvm.func @exchanged(
// CHECK: %[[A:.*]] = nvvm.ldmatrix {{.*}}num = 2 : i32
// CHECK: %[[A0:.*]] = llvm.extractvalue %[[A]][0]
// CHECK: %[[A1:.*]] = llvm.extractvalue %[[A]][1]
// CHECK: %[[B:.*]] = nvvm.ldmatrix {{.*}}num = 4 : i32
// CHECK: %[[B0:.*]] = llvm.extractvalue %[[B]][0]
// CHECK: %[[B1:.*]] = llvm.extractvalue %[[B]][1]
// CHECK: %[[B2:.*]] = llvm.extractvalue %[[B]][2]
// CHECK: %[[B3:.*]] = llvm.extractvalue %[[B]][3]
// CHECK: nvvm.mma.sync A[%[[B0]], %[[B1]], %[[B2]], %[[B3]]] B[%[[A0]], %[[A1]]] {{.*}}shape = #nvvm.shape<m = 16, n = 8, k = 16>
frag.kernel @exchanged(%q: !tile.ptr<f32>)
    attributes {threads = 32 : i64, shared_bytes = 768 : i64, target = #ptx.target<"sm_89">} {
  %z = arith.constant 0 : index
  %zf = arith.constant 0.0 : f32
  %W = tile.view %q[] : !tile.ptr<f32> -> !tile.view<8x16xf32, strides = [16, 1], align = 16>
  %ma = frag.shared 0 : !ma
  %mb = frag.shared 256 : !mb
  %acc = frag.splat %zf : f32 -> !frag.f<8x16xf32, #acc>
  %a = frag.read %ma[%z, %z] : !ma -> !frag.f<8x16xbf16, #a>
  %b = frag.read %mb[%z, %z] trans : !mb -> !frag.f<16x16xbf16, #b>
  %d = frag.mma #mma %a, %b, %acc : !frag.f<8x16xbf16, #a>, !frag.f<16x16xbf16, #b>, !frag.f<8x16xf32, #acc>
  frag.write %d, %W[%z, %z] in_bounds : !frag.f<8x16xf32, #acc>, !tile.view<8x16xf32, strides = [16, 1], align = 16>
  frag.return
}
