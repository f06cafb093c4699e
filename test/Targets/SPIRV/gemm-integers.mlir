// RUN: helios-opt %s --convert-frag-to-spirv | FileCheck %s
// RUN: mkdir -p %t && helios-compile %s --target=vulkan:lavapipe --emit=spirv -o %t/k.spv
// RUN: %if spirv-val %{ %spirv-val %t/k.lavapipe.matrices.spv %}
// RUN: %if spirv-val %{ %spirv-val %t/k.lavapipe.lanes.spv %}
//
// Products of bytes accumulated in i32. Drivers list shapes of signed types, so matrices have them, and operands are said to be signed.

#mma = #spv.coop<[8, 8, 8], i8, i8, i32, lanes = 8>
#a = #tile.opaque<a, #mma, groups = [1, 1]>
#b = #tile.opaque<b, #mma, groups = [1, 1]>
#acc = #tile.opaque<acc, #mma, groups = [1, 1]>
#row = #tile.regs<vec = [1, 16], lanes = [8, 1], groups = [1, 1]>
#out = #tile.regs<vec = [1, 4], lanes = [4, 2], groups = [1, 1]>
#shared = #tile.shared<order = [1, 0], pad = 16>
#slab = #tile.shared<order = [1, 0], pad = 4>
!in = !tile.view<8x16xi8, strides = [16, 1], align = 16>
!res = !tile.view<8x8xi32, strides = [8, 1], align = 16>
!s = !frag.mem<8x16xi8, #shared>
!scratch = !frag.mem<8x8xi32, #slab>

// A row of a matrix has 8 bytes, and a matrix starts where an element of the array does: its elements have 8 bytes, a packet is two.
// CHECK-LABEL: spirv.module @matrices Logical Vulkan requires
// CHECK-SAME: #spirv.vce<v1.6, [Shader, VulkanMemoryModel, CooperativeMatrixKHR, Int8], [SPV_KHR_cooperative_matrix]>
// CHECK-SAME: shapes = {{\[\[}}8, 8, 8, "i8", "i8", "i32", "i32"]]
// CHECK: spirv.GlobalVariable @shared : !spirv.ptr<!spirv.array<80 x vector<2xi32>>, Workgroup>
// CHECK: %[[P:.*]] = spirv.Load "StorageBuffer" %{{.*}} : vector<4xi32>
// CHECK-DAG: %[[LOW:.*]] = spirv.VectorShuffle [0 : i32, 1 : i32] %[[P]], %[[P]]
// CHECK-DAG: %[[HIGH:.*]] = spirv.VectorShuffle [2 : i32, 3 : i32] %[[P]], %[[P]]
// CHECK-DAG: spirv.Store "Workgroup" %{{.*}}, %[[LOW]] ["NonPrivatePointer"] : vector<2xi32>
// CHECK-DAG: spirv.Store "Workgroup" %{{.*}}, %[[HIGH]] ["NonPrivatePointer"] : vector<2xi32>
// CHECK: spirv.ControlBarrier
// Rows of 32 bytes are four elements of the array; the second matrix is one further.
// CHECK: spirv.KHR.CooperativeMatrixLoad %{{.*}}, %cst4_i32, <RowMajor>, <NonPrivatePointer> : !spirv.ptr<vector<2xi32>, Workgroup>, i32 -> !spirv.coopmatrix<8x8xsi8, Subgroup, MatrixA>
// CHECK: spirv.AccessChain %shared_addr[%cst1_i32]
// CHECK: spirv.KHR.CooperativeMatrixLoad {{.*}} -> !spirv.coopmatrix<8x8xsi8, Subgroup, MatrixA>
// CHECK-COUNT-2: spirv.KHR.CooperativeMatrixLoad {{.*}}, <ColumnMajor>, <NonPrivatePointer> {{.*}} MatrixB>
// CHECK: spirv.CompositeConstruct %{{.*}} : (si32) -> !spirv.coopmatrix<8x8xsi32, Subgroup, MatrixAcc>
// CHECK-COUNT-2: spirv.KHR.CooperativeMatrixMulAdd {{.*}}, <ASigned|BSigned|CSigned|ResultSigned> :
// CHECK: spirv.KHR.CooperativeMatrixStore {{.*}} !spirv.coopmatrix<8x8xsi32, Subgroup, MatrixAcc>
// CHECK: spirv.ControlBarrier
// CHECK-COUNT-4: spirv.Load "Workgroup" %{{.*}} ["NonPrivatePointer"] : vector<2xi32>
// CHECK-COUNT-2: spirv.Store "StorageBuffer" %{{.*}} : vector<4xi32>
frag.kernel @matrices(%p: !tile.ptr<i8>, %q: !tile.ptr<i32>) attributes {threads = 8 : i64, shared_bytes = 640 : i64} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i32
  %V = tile.view %p[] : !tile.ptr<i8> -> !in
  %W = tile.view %q[] : !tile.ptr<i32> -> !res
  %s = frag.shared 0 : !s
  %t = frag.shared 256 : !scratch
  %x = frag.read %V[%c0, %c0] in_bounds : !in -> !frag.f<8x16xi8, #row>
  frag.write %x, %s[%c0, %c0] : !frag.f<8x16xi8, #row>, !s
  frag.barrier workgroup
  %z = frag.splat %zero : i32 -> !frag.f<8x8xi32, #acc>
  %a = frag.read %s[%c0, %c0] : !s -> !frag.f<8x16xi8, #a>
  %b = frag.read %s[%c0, %c0] trans : !s -> !frag.f<16x8xi8, #b>
  %d = frag.mma #mma %a, %b, %z : !frag.f<8x16xi8, #a>, !frag.f<16x8xi8, #b>, !frag.f<8x8xi32, #acc>
  frag.write %d, %t[%c0, %c0] : !frag.f<8x8xi32, #acc>, !scratch
  frag.barrier workgroup
  %y = frag.read %t[%c0, %c0] : !scratch -> !frag.f<8x8xi32, #out>
  frag.write %y, %W[%c0, %c0] in_bounds : !frag.f<8x8xi32, #out>, !res
  frag.return
}

// Single lanes widen bytes once and multiply in i32. A word of shared memory holds four bytes of a row; of a column each is a part of
// a word of its own.
#simt = #spv.simt<block = [4, 4, 4], lanes = [8, 8], i8, i8, i32>

// CHECK-LABEL: spirv.func @lanes
// CHECK-COUNT-4: spirv.Load "Workgroup" %{{.*}} : i32
// CHECK-COUNT-16: spirv.Load "Workgroup" %{{.*}} : i32
// CHECK-COUNT-32: spirv.SConvert %{{.*}} : i8 to i32
// CHECK-NOT: spirv.SConvert
// CHECK-COUNT-4: spirv.Store "StorageBuffer" %{{.*}} : vector<4xi32>
// CHECK-NOT: spirv.Store
frag.kernel @lanes(%q: !tile.ptr<i32>) attributes {threads = 64 : i64, shared_bytes = 1024 : i64} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i32
  %W = tile.view %q[] : !tile.ptr<i32> -> !tile.view<32x32xi32, strides = [32, 1], align = 16>
  %s = frag.shared 0 : !frag.mem<32x4xi8, #tile.shared<order = [1, 0]>>
  %a = frag.read %s[%c0, %c0] : !frag.mem<32x4xi8, #tile.shared<order = [1, 0]>> -> !frag.f<32x4xi8, #tile.operand<a, #simt, groups = [1, 1]>>
  %t = frag.shared 512 : !frag.mem<4x32xi8, #tile.shared<order = [0, 1], pad = 12>>
  %b = frag.read %t[%c0, %c0] : !frag.mem<4x32xi8, #tile.shared<order = [0, 1], pad = 12>> -> !frag.f<4x32xi8, #tile.operand<b, #simt, groups = [1, 1]>>
  %acc = frag.splat %zero : i32 -> !frag.f<32x32xi32, #tile.acc<#simt, groups = [1, 1]>>
  %d = frag.mma #simt %a, %b, %acc : !frag.f<32x4xi8, #tile.operand<a, #simt, groups = [1, 1]>>, !frag.f<4x32xi8, #tile.operand<b, #simt, groups = [1, 1]>>, !frag.f<32x32xi32, #tile.acc<#simt, groups = [1, 1]>>
  frag.write %d, %W[%c0, %c0] in_bounds : !frag.f<32x32xi32, #tile.acc<#simt, groups = [1, 1]>>, !tile.view<32x32xi32, strides = [32, 1], align = 16>
  frag.return
}
