// RUN: helios-opt %s --convert-frag-to-spirv | FileCheck %s
// RUN: helios-compile %s --target=vulkan:lavapipe --emit=spirv -o %t.spv
// RUN: %if spirv-val %{ %spirv-val %t.spv %}
//
// A staged product of f16 matrices with the second operand transposed: the next tiles are loaded as packets behind the second
// barrier and reach shared memory without being unpacked; matrices are read straight from packed shared memory, the whole step of
// 16 is unrolled, and everything carried is a phi.

#mma = #spv.coop<[8, 8, 8], f16, f16, f32, lanes = 8>
#a = #tile.opaque<a, #mma, groups = [2, 2]>
#b = #tile.opaque<b, #mma, groups = [2, 2]>
#acc = #tile.opaque<acc, #mma, groups = [2, 2]>
#wide = #tile.regs<vec = [1, 8], lanes = [16, 2], groups = [1, 1]>
#rows = #tile.regs<vec = [1, 4], lanes = [4, 8], groups = [1, 1]>
#bias = #tile.slice<0, #rows>
#shared = #tile.shared<order = [1, 0], pad = 8>
#slab = #tile.shared<order = [1, 0], pad = 4>
!in = !tile.view<?x?xf16, strides = [?, 1], div = [8, 1], align = 16>
!out = !tile.view<?x?xf32, strides = [?, 1], div = [4, 1], align = 16>
!vec = !tile.view<?xf32, strides = [1], align = 16>
!s = !frag.mem<32x16xf16, #shared>
!g = !frag.f<32x16xf16, #wide>
!fa = !frag.f<32x8xf16, #a>
!fb = !frag.f<8x32xf16, #b>
!fc = !frag.f<32x32xf32, #acc>
!part = !frag.f<16x32xf32, #acc>
!scratch = !frag.mem<16x32xf32, #slab>
!r = !frag.f<16x32xf32, #rows>
!v = !frag.f<32xf32, #bias>

// CHECK: spirv.module @gemm Logical Vulkan requires #spirv.vce<v1.6, [Shader, VulkanMemoryModel, CooperativeMatrixKHR, GroupNonUniform, Float16], [SPV_KHR_cooperative_matrix]>
// CHECK-SAME: helios.interface = {bindings = {{\[\[}}0, 0, "read"], [1, 2, "read"], [2, 4, "read"], [3, 6, "write"]], entry = "gemm", push_constants = [4, 5, 6]
// CHECK-SAME: shapes = {{\[\[}}8, 8, 8, "f16", "f16", "f32", "f32"]], shared_bytes = 3072 : i64, subgroup = 8 : i64, threads = 32 : i64}
// CHECK-DAG: spirv.GlobalVariable @arg0_packets bind(0, 0) {non_writable, restrict}
// CHECK-DAG: spirv.GlobalVariable @arg3_packets bind(0, 6) {non_readable, restrict}
// CHECK-DAG: spirv.GlobalVariable @shared : !spirv.ptr<!spirv.array<192 x vector<4xi32>>, Workgroup>
// CHECK-DAG: spirv.GlobalVariable @builtin_SubgroupId built_in("SubgroupId")
// CHECK: spirv.func @gemm() "None"
// CHECK: spirv.mlir.loop -> !spirv.coopmatrix<8x8xf32, Subgroup, MatrixAcc>
// CHECK: spirv.ControlBarrier <Workgroup>, <Workgroup>, <AcquireRelease|WorkgroupMemory|MakeAvailable|MakeVisible>
// CHECK: spirv.Store "Workgroup" {{.*}} ["NonPrivatePointer"] : vector<4xi32>
// CHECK: spirv.Store "Workgroup" {{.*}} ["NonPrivatePointer"] : vector<4xi32>
// CHECK: spirv.ControlBarrier
// CHECK: spirv.Load "StorageBuffer" {{.*}} : vector<4xi32>
// CHECK: spirv.Load "StorageBuffer" {{.*}} : vector<4xi32>
// CHECK-NOT: spirv.Bitcast
// CHECK-COUNT-2: spirv.KHR.CooperativeMatrixLoad {{.*}}, <RowMajor>, <NonPrivatePointer>
// CHECK-COUNT-2: spirv.KHR.CooperativeMatrixLoad {{.*}}, <ColumnMajor>, <NonPrivatePointer>
// CHECK-COUNT-4: spirv.KHR.CooperativeMatrixMulAdd
// CHECK-COUNT-2: spirv.KHR.CooperativeMatrixLoad {{.*}}, <RowMajor>, <NonPrivatePointer>
// CHECK-COUNT-2: spirv.KHR.CooperativeMatrixLoad {{.*}}, <ColumnMajor>, <NonPrivatePointer>
// CHECK-COUNT-4: spirv.KHR.CooperativeMatrixMulAdd
// What is outside is replaced by the pad only behind the products, so that they do not wait for the loads.
// CHECK-COUNT-2: spirv.Select {{.*}} : vector<4xi1>, vector<4xi32>
// CHECK: spirv.mlir.merge
// CHECK-COUNT-2: spirv.KHR.CooperativeMatrixStore
// CHECK: spirv.GL.FMax
// CHECK: spirv.mlir.selection
// CHECK: spirv.Store "StorageBuffer" {{.*}} : vector<4xi32>
// CHECK-COUNT-2: spirv.KHR.CooperativeMatrixStore
// CHECK-NOT: spirv.KHR.CooperativeMatrixStore
// CHECK: spirv.EntryPoint "GLCompute" @gemm, @push,
// CHECK: spirv.ExecutionMode @gemm "LocalSize", 32, 1, 1
frag.kernel @gemm(%pa: !tile.ptr<f16>, %pb: !tile.ptr<f16>, %pv: !tile.ptr<f32>, %pd: !tile.ptr<f32>,
    %m: index {tile.div = 8 : i64}, %n: index {tile.div = 8 : i64}, %k: index {tile.div = 8 : i64})
    attributes {threads = 32 : i64, shared_bytes = 3072 : i64, target = #spv.target<"lavapipe">} {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %zero = arith.constant 0.0 : f32
  %A = tile.view %pa[%m, %k] strides [%k] : !tile.ptr<f16> -> !in
  %B = tile.view %pb[%n, %k] strides [%k] : !tile.ptr<f16> -> !in
  %V = tile.view %pv[%n] : !tile.ptr<f32> -> !vec
  %D = tile.view %pd[%m, %n] strides [%n] : !tile.ptr<f32> -> !out
  %sa = frag.shared 0 : !s
  %sb = frag.shared 1536 : !s
  %sc = frag.shared 0 : !scratch
  %wg = frag.id workgroup
  %columns = arith.ceildivui %n, %c32 : index
  %rows = arith.ceildivui %m, %c32 : index
  %i = arith.divui %wg, %columns : index
  %j = arith.remui %wg, %columns : index
  %some = arith.cmpi ult, %i, %rows : index
  scf.if %some {
    %mo = arith.muli %i, %c32 : index
    %no = arith.muli %j, %c32 : index
    %acc0 = frag.splat %zero : f32 -> !fc
    %a0 = frag.read %A[%mo, %c0] : !in -> !g
    %b0 = frag.read %B[%no, %c0] : !in -> !g
    %r:3 = scf.for %kk = %c0 to %k step %c16 iter_args(%acc = %acc0, %ga = %a0, %gb = %b0) -> (!fc, !g, !g) {
      frag.barrier workgroup
      frag.write %ga, %sa[%c0, %c0] : !g, !s
      frag.write %gb, %sb[%c0, %c0] : !g, !s
      frag.barrier workgroup
      %next = arith.addi %kk, %c16 : index
      %a1 = frag.read %A[%mo, %next] : !in -> !g
      %b1 = frag.read %B[%no, %next] : !in -> !g
      %x0 = frag.read %sa[%c0, %c0] : !s -> !fa
      %y0 = frag.read %sb[%c0, %c0] trans : !s -> !fb
      %z0 = frag.mma #mma %x0, %y0, %acc : !fa, !fb, !fc
      %x1 = frag.read %sa[%c0, %c8] : !s -> !fa
      %y1 = frag.read %sb[%c0, %c8] trans : !s -> !fb
      %z1 = frag.mma #mma %x1, %y1, %z0 : !fa, !fb, !fc
      scf.yield %z1, %a1, %b1 : !fc, !g, !g
    }
    %v = frag.read %V[%no] : !vec -> !v
    %s0 = frag.slice %r#0 [0, 0] : !fc -> !part
    frag.barrier workgroup
    frag.write %s0, %sc[%c0, %c0] : !part, !scratch
    frag.barrier workgroup
    %t0 = frag.read %sc[%c0, %c0] : !scratch -> !r
    %d0 = frag.map(%t0, %v : !r, !v) -> !r {
    ^bb0(%x: f32, %c: f32):
      %y = arith.addf %x, %c : f32
      %e = arith.maximumf %y, %zero : f32
      frag.yield %e : f32
    }
    frag.write %d0, %D[%mo, %no] : !r, !out
    %m1 = arith.addi %mo, %c16 : index
    %s1 = frag.slice %r#0 [16, 0] : !fc -> !part
    frag.barrier workgroup
    frag.write %s1, %sc[%c0, %c0] : !part, !scratch
    frag.barrier workgroup
    %t1 = frag.read %sc[%c0, %c0] : !scratch -> !r
    frag.write %t1, %D[%m1, %no] : !r, !out
  }
  frag.return
}
