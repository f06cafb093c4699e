// RUN: helios-opt %s --convert-frag-to-spirv | FileCheck %s
// RUN: helios-compile %s --target=vulkan:simt --emit=spirv -o %t.spv
// RUN: %if spirv-val %{ %spirv-val --target-env vulkan1.1 %t.spv %}
//
// The path without matrix instructions: SPIR-V 1.3, GLSL450 memory model, no subgroup operation; bf16 is bits and computed in f32.

#mma = #spv.simt<block = [4, 4, 4], lanes = [8, 8], bf16, bf16, f32>
#a = #tile.operand<a, #mma, groups = [1, 1]>
#b = #tile.operand<b, #mma, groups = [1, 1]>
#acc = #tile.acc<#mma, groups = [1, 1]>
#shared = #tile.shared<order = [1, 0], pad = 8>
!in = !tile.view<?x4xbf16, strides = [4, 1]>
!inb = !tile.view<4x?xbf16, strides = [?, 1], div = [8, 1], align = 16>
!out = !tile.view<?x?xf32, strides = [?, 1], div = [4, 1], align = 16>

// CHECK: spirv.module @product Logical GLSL450 requires #spirv.vce<v1.3, [Shader, StorageBuffer16BitAccess], []>
// CHECK-SAME: shapes = [], shared_bytes = 640 : i64, subgroup = 0 : i64, threads = 64 : i64}
// CHECK-DAG: spirv.GlobalVariable @arg0_elements bind(0, 1) {non_writable, restrict} : !spirv.ptr<!spirv.struct<(!spirv.rtarray<i16, stride=2> [0])>, StorageBuffer>
// CHECK-DAG: spirv.GlobalVariable @arg2_packets bind(0, 4)
// CHECK: spirv.Load "StorageBuffer" {{.*}} : i16
// Shared memory is read by 32-bit components: 4 elements of bf16 are half a packet.
// CHECK: spirv.ControlBarrier <Workgroup>, <Workgroup>, <AcquireRelease|WorkgroupMemory>
// CHECK-NOT: NonPrivatePointer
// CHECK: spirv.Load "Workgroup" {{.*}} : i32
// CHECK-NOT: NonPrivatePointer
// CHECK-COUNT-64: spirv.GL.Fma
// CHECK-NOT: spirv.GL.Fma
// Four f32 are a packet.
// CHECK-COUNT-4: spirv.Store "StorageBuffer" {{.*}} : vector<4xi32>
// CHECK-NOT: spirv.Store
// CHECK: spirv.EntryPoint "GLCompute" @product, @builtin_LocalInvocationIndex
frag.kernel @product(%pa: !tile.ptr<bf16>, %pb: !tile.ptr<bf16>, %pd: !tile.ptr<f32>,
    %m: index, %n: index {tile.div = 8 : i64})
    attributes {threads = 64 : i64, shared_bytes = 640 : i64, target = #spv.target<"simt">} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %A = tile.view %pa[%m] : !tile.ptr<bf16> -> !in
  %B = tile.view %pb[%n] strides [%n] : !tile.ptr<bf16> -> !inb
  %D = tile.view %pd[%m, %n] strides [%n] : !tile.ptr<f32> -> !out
  // No alignment is known: single elements.
  %a = frag.read %A[%c0, %c0] : !in -> !frag.f<32x4xbf16, #a>
  %sb = frag.shared 0 : !frag.mem<4x32xbf16, #shared>
  %gb = frag.read %B[%c0, %c0] : !inb -> !frag.f<4x32xbf16, #tile.regs<vec = [1, 8], lanes = [16, 4], groups = [1, 1]>>
  frag.write %gb, %sb[%c0, %c0] : !frag.f<4x32xbf16, #tile.regs<vec = [1, 8], lanes = [16, 4], groups = [1, 1]>>, !frag.mem<4x32xbf16, #shared>
  frag.barrier workgroup
  %b = frag.read %sb[%c0, %c0] : !frag.mem<4x32xbf16, #shared> -> !frag.f<4x32xbf16, #b>
  %acc = frag.splat %zero : f32 -> !frag.f<32x32xf32, #acc>
  %d = frag.mma #mma %a, %b, %acc : !frag.f<32x4xbf16, #a>, !frag.f<4x32xbf16, #b>, !frag.f<32x32xf32, #acc>
  frag.write %d, %D[%c0, %c0] in_bounds : !frag.f<32x32xf32, #acc>, !out
  frag.return
}
