// RUN: helios-opt %s --convert-frag-to-spirv | FileCheck %s
// RUN: helios-compile %s --target=vulkan:nvidia-nv2 --emit=spirv -o %t.spv
// RUN: %if spirv-val %{ %spirv-val %t.spv %}
// RUN: %if spirv-dis %{ %spirv-dis %t.spv | FileCheck %s --check-prefix=BINARY %}
// RUN: sed 's/NV_cooperative_matrix2/EXT_cooperative_matrix_maintenance1/; s/nvidia-nv2/rdna-ext/' %s > %t.ext.mlir
// RUN: helios-compile %t.ext.mlir --target=vulkan:rdna-ext --emit=spirv -o %t.ext.spv
// RUN: %if spirv-val %{ %spirv-val %t.ext.spv %}
// RUN: %if spirv-dis %{ %spirv-dis %t.ext.spv | FileCheck %s --check-prefix=EXT %}
// RUN: helios-opt %s --convert-frag-to-spirv -o %t.mlir && sed 's/helios:convert/helios:turn/' %t.mlir > %t.unknown.mlir
// RUN: not helios-compile %t.unknown.mlir --target=vulkan:nvidia-nv2 --emit=spirv -o %t.none.spv 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: sed 's/@helios_maximum_nnan_f32"/@helios_minimum"/' %t.mlir > %t.operand.mlir
// RUN: not helios-compile %t.operand.mlir --target=vulkan:nvidia-nv2 --emit=spirv -o %t.none.spv 2>&1 | FileCheck %s --check-prefix=OPERAND
// RUN: not ls %t.none.spv
// UNKNOWN: error: 'spirv.func' op imports "helios:turn", but Vulkan links no modules; expected the name of an instruction, one of "helios:convert" "helios:narrow" "helios:reduce" "helios:convert_ext" "helios:narrow_ext" "helios:reduce_ext"
// OPERAND: error: {{.*}}cannot be serialised: no word for 'helios_minimum' of 'helios:reduce:#1:@helios_minimum'
//
// Rows of matrices combined and accumulators made operands without memory. The spirv dialect has no such instructions: calls of imported
// functions stand for them, and become them in the binary.

#mma = #spv.coop<[16, 16, 16], f16, f16, f32, lanes = 32, with = "NV_cooperative_matrix2">
#oS = #tile.opaque<acc, #mma, groups = [2, 1]>
#oA = #tile.opaque<a, #mma, groups = [2, 1]>
#oB = #tile.opaque<b, #mma, groups = [2, 1]>
#row = #tile.slice<1, #oS>
#rowmax = #tile.slice<1, #oS, partial = max>
#s = #tile.shared<order = [1, 0], pad = 8>
!S = !frag.f<32x32xf32, #oS>
!H = !frag.f<32x32xf16, #oS>

// CHECK: spirv.func @[[CONVERT:.*]](!spirv.coopmatrix<16x16xf16, Subgroup, MatrixAcc>) -> !spirv.coopmatrix<16x16xf16, Subgroup, MatrixA>
// CHECK-SAME: linkage_name = "helios:convert", linkage_type = <Import>
// CHECK: linkage_name = "helios:reduce:#1:@helios_maximum_nnan_f32", linkage_type = <Import>
// CHECK: spirv.func @helios_maximum_nnan_f32
// CHECK-NEXT: spirv.GL.FMax
// CHECK-NEXT: spirv.ReturnValue
// CHECK: linkage_name = "helios:reduce:#1:@helios_maximum_f32", linkage_type = <Import>
// CHECK: spirv.func @helios_maximum_f32
// CHECK: spirv.IsNan
// Two rows of matrices, each combined by the function that hands NaN on, and by the one that need not.
// CHECK: spirv.func @exchange
// CHECK-COUNT-4: spirv.FunctionCall
// CHECK: spirv.KHR.CooperativeMatrixMulAdd

// BINARY-DAG: OpCapability CooperativeMatrixReductions{{NV|EXT}}
// BINARY-DAG: OpCapability CooperativeMatrixConversions{{NV|EXT}}
// BINARY-DAG: OpExtension "SPV_NV_cooperative_matrix2"
// BINARY-NOT: LinkageAttributes
// BINARY-COUNT-2: OpCooperativeMatrixReduce{{NV|EXT}}
// BINARY-COUNT-2: OpCooperativeMatrixConvert
// BINARY-NOT: OpFunctionCall

// The same instructions by the other extension.
// EXT-DAG: OpCapability CooperativeMatrixReductions{{NV|EXT}}
// EXT-DAG: OpCapability CooperativeMatrixConversionsEXT
// EXT-DAG: OpExtension "SPV_EXT_cooperative_matrix_maintenance1"
// EXT-NOT: SPV_NV_cooperative_matrix2
// EXT-NOT: LinkageAttributes
// EXT-COUNT-2: OpCooperativeMatrixReduce{{NV|EXT}}
// EXT-COUNT-2: OpCooperativeMatrixConvert
// EXT-NOT: OpFunctionCall

frag.kernel @exchange(%x: f32) attributes {threads = 64 : i64, shared_bytes = 2560 : i64, target = #spv.target<"nvidia-nv2">} {
  %c0 = arith.constant 0 : index
  %mem = frag.shared 0 : !frag.mem<32x32xf16, #s>
  %s = frag.splat %x : f32 -> !S
  %part = frag.reduce max %s, lane dim 1 : !S -> !frag.f<32xf32, #rowmax>
  %all = frag.reduce max %part, group : !frag.f<32xf32, #rowmax> -> !frag.f<32xf32, #row>
  %number = frag.reduce max %part, group {nnan} : !frag.f<32xf32, #rowmax> -> !frag.f<32xf32, #row>
  %p = frag.map(%s, %all, %number : !S, !frag.f<32xf32, #row>, !frag.f<32xf32, #row>) -> !H {
  ^bb0(%e: f32, %f: f32, %g: f32):
    %d = arith.subf %e, %f : f32
    %q = arith.subf %d, %g : f32
    %h = arith.truncf %q : f32 to f16
    frag.yield %h : f16
  }
  %a = frag.permute %p : !H -> !frag.f<32x32xf16, #oA>
  %b = frag.read %mem[%c0, %c0] : !frag.mem<32x32xf16, #s> -> !frag.f<32x32xf16, #oB>
  %r = frag.mma #mma %a, %b, %s : !frag.f<32x32xf16, #oA>, !frag.f<32x32xf16, #oB>, !S
  %t = frag.map(%r : !S) -> !H {
  ^bb0(%e: f32):
    %h = arith.truncf %e : f32 to f16
    frag.yield %h : f16
  }
  frag.barrier workgroup
  frag.write %t, %mem[%c0, %c0] : !H, !frag.mem<32x32xf16, #s>
  frag.return
}
