// Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: helios-opt %s --convert-frag-to-spirv | FileCheck %s
// RUN: helios-compile %s --target=vulkan:nvidia-nv2 --emit=spirv -o %t.spv
// RUN: %if spirv-val %{ %spirv-val %t.spv %}
// RUN: %if spirv-dis %{ %spirv-dis %t.spv | FileCheck %s --check-prefix=BINARY %}
// RUN: helios-opt %s --convert-frag-to-spirv -o %t.mlir && sed 's/helios:narrow/helios:narrow_ext/' %t.mlir > %t.ext.mlir
// RUN: helios-compile %t.ext.mlir --target=vulkan:nvidia-nv2 --emit=spirv -o %t.ext.spv
// RUN: %if spirv-dis %{ %spirv-dis %t.ext.spv | FileCheck %s --check-prefix=EXT %}
//
// Accumulators become operands of bf16: rounded to the nearest by their bits, since drivers convert whole matrices as they like, they stay
// wide until the conversion, which then is exact.

#mma = #spv.coop<[16, 16, 16], bf16, bf16, f32, lanes = 32, with = "NV_cooperative_matrix2">
#oS = #tile.opaque<acc, #mma, groups = [1, 1]>
#oA = #tile.opaque<a, #mma, groups = [1, 1]>
#oB = #tile.opaque<b, #mma, groups = [1, 1]>
#s = #tile.shared<order = [1, 0], pad = 8>
!S = !frag.f<16x16xf32, #oS>
!H = !frag.f<16x16xbf16, #oS>

// CHECK: spirv.func @[[NARROW:.*]](!spirv.coopmatrix<16x16xf32, Subgroup, MatrixAcc>) -> !spirv.coopmatrix<16x16xbf16, Subgroup, MatrixA>
// CHECK-SAME: linkage_name = "helios:narrow", linkage_type = <Import>
// CHECK: spirv.func @weights

// Without a sign a NaN stays one, and ties go to the even neighbour.
// CHECK: spirv.GL.Exp2
// CHECK: %[[BITS:.*]] = spirv.Bitcast %{{.*}} : f32 to i32
// CHECK-NEXT: %[[SMALL:.*]] = spirv.GL.UMin %[[BITS]], %{{.*}} : i32
// CHECK-DAG: spirv.IAdd %[[SMALL]]
// CHECK-DAG: %[[UPPER:.*]] = spirv.ShiftRightLogical %[[SMALL]]
// CHECK-DAG: spirv.BitwiseAnd %[[UPPER]]
// CHECK: spirv.FunctionCall @[[NARROW]]
// CHECK: spirv.KHR.CooperativeMatrixMulAdd

// Of what may have one the magnitude is rounded.
// CHECK: %[[BITS:.*]] = spirv.Bitcast %{{.*}} : f32 to i32
// CHECK-NEXT: %[[SIGN:.*]] = spirv.BitwiseAnd %[[BITS]], %{{.*}} : i32
// CHECK-NEXT: %[[MAGNITUDE:.*]] = spirv.BitwiseAnd %[[BITS]], %{{.*}} : i32
// CHECK-NEXT: spirv.GL.UMin %[[MAGNITUDE]]
// CHECK: spirv.BitwiseOr %{{.*}}, %[[SIGN]]
// CHECK: spirv.FunctionCall @[[NARROW]]

// BINARY-DAG: OpCapability CooperativeMatrixConversions{{NV|EXT}}
// BINARY-DAG: OpCapability BFloat16CooperativeMatrixKHR
// BINARY-DAG: OpExtension "SPV_NV_cooperative_matrix2"
// BINARY-DAG: %[[A:.*]] = OpTypeCooperativeMatrixKHR %bfloat16 %{{.*}} %uint_16 %uint_16 %uint_0
// BINARY-NOT: OpTypeCooperativeMatrixKHR %bfloat16 %{{.*}} %uint_2{{$}}
// BINARY: OpFConvert %[[A]]
// BINARY-NOT: OpFunctionCall

// The same by the other extension, of which no row has bf16.
// EXT-DAG: OpCapability CooperativeMatrixConversionsEXT
// EXT-DAG: OpExtension "SPV_EXT_cooperative_matrix_maintenance1"
// EXT-NOT: SPV_NV_cooperative_matrix2
// EXT-COUNT-2: OpFConvert

frag.kernel @weights(%x: f32) attributes {threads = 32 : i64, shared_bytes = 1024 : i64, target = #spv.target<"nvidia-nv2">} {
  %c0 = arith.constant 0 : index
  %mem = frag.shared 0 : !frag.mem<16x16xbf16, #s>
  %out = frag.shared 0 : !frag.mem<16x16xf32, #tile.shared<order = [1, 0]>>
  %s = frag.splat %x : f32 -> !S
  %b = frag.read %mem[%c0, %c0] : !frag.mem<16x16xbf16, #s> -> !frag.f<16x16xbf16, #oB>
  %p = frag.map(%s : !S) -> !S {
  ^bb0(%e: f32):
    %w = math.exp2 %e fastmath<afn> : f32
    frag.yield %w : f32
  }
  %h = frag.map(%p : !S) -> !H {
  ^bb0(%e: f32):
    %t = arith.truncf %e : f32 to bf16
    frag.yield %t : bf16
  }
  %a = frag.permute %h : !H -> !frag.f<16x16xbf16, #oA>
  %r = frag.mma #mma %a, %b, %s : !frag.f<16x16xbf16, #oA>, !frag.f<16x16xbf16, #oB>, !S
  %i = frag.map(%r : !S) -> !H {
  ^bb0(%e: f32):
    %t = arith.truncf %e : f32 to bf16
    frag.yield %t : bf16
  }
  %c = frag.permute %i : !H -> !frag.f<16x16xbf16, #oA>
  %q = frag.mma #mma %c, %b, %r : !frag.f<16x16xbf16, #oA>, !frag.f<16x16xbf16, #oB>, !S
  frag.barrier workgroup
  frag.write %q, %out[%c0, %c0] : !S, !frag.mem<16x16xf32, #tile.shared<order = [1, 0]>>
  frag.return
}
