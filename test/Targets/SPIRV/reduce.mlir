// RUN: helios-opt %s --convert-frag-to-spirv --split-input-file | FileCheck %s
// RUN: mkdir -p %t && split-file %s %t/in && helios-compile %t/in/matrices.mlir --target=vulkan:nvidia --emit=spirv -o %t/m.spv
// RUN: helios-compile %t/in/lanes.mlir --target=vulkan:simt --emit=spirv -o %t/l.spv
// RUN: %if spirv-val %{ %spirv-val %t/m.spv %}
// RUN: %if spirv-val %{ %spirv-val %t/l.spv %}
//
// Maxima of rows: matrices side by side element by element, then through shared memory, where two lanes own a row and meet in a shuffle; and
// back as a matrix with equal columns, which costs a load with stride 0.

//--- matrices.mlir
#mma = #spv.coop<[16, 16, 16], f16, f16, f32, lanes = 32>
#oS = #tile.opaque<acc, #mma, groups = [2, 1]>
#row = #tile.slice<1, #oS>
#rowmax = #tile.slice<1, #oS, partial = max>
#rows = #tile.regs<vec = [1, 8], lanes = [16, 2], groups = [2, 1]>
#vec = #tile.slice<1, #rows>
#vecmax = #tile.slice<1, #rows, partial = max>
#sf = #tile.shared<order = [1, 0], pad = 4>
!S = !frag.f<32x64xf32, #oS>
!parts = !frag.mem<32x16xf32, #sf>
!vector = !frag.mem<32xf32, #tile.shared<order = [0]>>

// CHECK: spirv.module @matrices Logical Vulkan requires #spirv.vce<v1.6, [{{.*}}GroupNonUniformShuffle{{.*}}], [SPV_KHR_cooperative_matrix]>
// Nothing promises that subgroups are lanes of neighbouring numbers.
// CHECK-NOT: LocalInvocationIndex
// CHECK-DAG: built_in("SubgroupLocalInvocationId")
// CHECK-DAG: built_in("SubgroupId")
// CHECK: spirv.mlir.loop control(Unroll)
// CHECK-COUNT-3: spirv.GL.FMax
// CHECK: spirv.KHR.CooperativeMatrixStore
// CHECK: spirv.ControlBarrier <Subgroup>, <Subgroup>, <AcquireRelease|WorkgroupMemory|MakeAvailable|MakeVisible>
// CHECK-COUNT-7: spirv.GL.FMax
// CHECK: spirv.GroupNonUniformShuffleXor <Subgroup> %{{.*}}, %cst1_i32
// CHECK: spirv.GL.FMax
// CHECK: spirv.ControlBarrier <Subgroup>, <Subgroup>
// CHECK: spirv.KHR.CooperativeMatrixLoad %{{.*}}, %cst0_i32, <ColumnMajor>, <NonPrivatePointer>
// CHECK: spirv.FSub %{{.*}} : !spirv.coopmatrix
frag.kernel @matrices(%x: f32) attributes {threads = 64 : i64, shared_bytes = 11392 : i64, synchronized, target = #spv.target<"nvidia">} {
  %c0 = arith.constant 0 : index
  %s = frag.splat %x : f32 -> !S
  %parts = frag.shared 0 : !parts
  %vector = frag.shared 2560 : !vector
  %out = frag.shared 2688 : !frag.mem<32x64xf32, #sf>
  %p = frag.reduce max %s, lane dim 1 : !S -> !frag.f<32xf32, #rowmax>
  frag.write %p, %parts[%c0, %c0] : !frag.f<32xf32, #rowmax>, !parts
  frag.barrier subgroup
  %h = frag.read %parts[%c0, %c0] : !parts -> !frag.f<32x16xf32, #rows>
  %hp = frag.reduce max %h, lane dim 1 : !frag.f<32x16xf32, #rows> -> !frag.f<32xf32, #vecmax>
  %hm = frag.reduce max %hp, group : !frag.f<32xf32, #vecmax> -> !frag.f<32xf32, #vec>
  frag.write %hm, %vector[%c0] : !frag.f<32xf32, #vec>, !vector
  frag.barrier subgroup
  %m = frag.read %vector[%c0] broadcast : !vector -> !frag.f<32xf32, #row>
  %d = frag.map(%s, %m : !S, !frag.f<32xf32, #row>) -> !S {
  ^bb0(%a: f32, %b: f32):
    %y = arith.subf %a, %b : f32
    frag.yield %y : f32
  }
  frag.write %d, %out[%c0, %c0] : !S, !frag.mem<32x64xf32, #sf>
  frag.return
}

//--- lanes.mlir
// -----
// Lanes that are no subgroup leave what they have in shared memory, behind that of the kernel, and all that share an element add it up in one
// order: 64 lanes x 2 registers x 4 bytes.
#rows = #tile.regs<vec = [1, 4], lanes = [8, 8], groups = [1, 1]>
!part = !frag.f<16xf32, #tile.slice<1, #rows, partial = add>>
!v = !tile.view<?xf32, strides = [1]>
// CHECK: spirv.module @lanes Logical GLSL450 requires #spirv.vce<v1.3, [Shader], []>
// CHECK-SAME: shared_bytes = 528 : i64
// CHECK: spirv.GlobalVariable @shared : !spirv.ptr<!spirv.array<33 x vector<4xi32>>, Workgroup>
// CHECK: spirv.ControlBarrier <Workgroup>
// CHECK-COUNT-2: spirv.Store "Workgroup"
// CHECK: spirv.ControlBarrier <Workgroup>
// CHECK-COUNT-8: spirv.Load "Workgroup"
// CHECK-NOT: GroupNonUniform
// CHECK: spirv.Return
frag.kernel @lanes(%p: !tile.ptr<f32>, %n: index, %x: f32) attributes {threads = 64 : i64, shared_bytes = 16 : i64, target = #spv.target<"simt">} {
  %c0 = arith.constant 0 : index
  %V = tile.view %p[%n] : !tile.ptr<f32> -> !v
  %f = frag.splat %x : f32 -> !frag.f<16x32xf32, #rows>
  %r = frag.reduce add %f, lane dim 1 : !frag.f<16x32xf32, #rows> -> !part
  %s = frag.reduce add %r, group : !part -> !frag.f<16xf32, #tile.slice<1, #rows>>
  frag.write %s, %V[%c0] : !frag.f<16xf32, #tile.slice<1, #rows>>, !v
  frag.return
}
