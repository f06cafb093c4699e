// RUN: helios-opt %s --convert-frag-to-spirv | FileCheck %s
// RUN: mkdir -p %t && helios-compile %s --target=vulkan:lavapipe --emit=spirv -o %t/k.spv
// RUN: %if spirv-val %{ %spirv-val %t/k.lavapipe.elements.spv %}
// RUN: %if spirv-val %{ %spirv-val %t/k.lavapipe.transposed.spv %}
//
// Shared memory is one array of 16-byte words: packets whole, pairs as components, single halves by shifts; matrices straight from
// it, with rows in units of 16 bytes.

#wide = #tile.regs<vec = [1, 8], lanes = [8, 1], groups = [1, 1]>
#pairs = #tile.regs<vec = [1, 2], lanes = [2, 4], groups = [1, 1]>
#column = #tile.regs<vec = [8, 1], lanes = [1, 8], groups = [1, 1]>
#shared = #tile.shared<order = [1, 0], pad = 8>
!s = !frag.mem<8x8xf16, #shared>
!v = !tile.view<8x8xf16, strides = [8, 1], align = 16>

// CHECK-LABEL: spirv.func @elements
// A packet of a row, 2 packets a row with the padding, behind 128 bytes.
// CHECK: %[[X:.*]] = spirv.Load "StorageBuffer" %{{.*}} : vector<4xi32>
// CHECK: %[[AT:.*]] = spirv.IAdd %{{.*}}, %cst8_i32
// CHECK: %[[P:.*]] = spirv.AccessChain %shared_addr[%[[AT]]] {{.*}} -> !spirv.ptr<vector<4xi32>, Workgroup>
// CHECK: spirv.Store "Workgroup" %[[P]], %[[X]] : vector<4xi32>
// CHECK: spirv.ControlBarrier
// Pairs: four words a lane.
// CHECK-COUNT-4: spirv.Load "Workgroup" %{{.*}} : i32
// CHECK: spirv.ControlBarrier
// A column: eight single halves.
// CHECK-COUNT-8: spirv.Store "StorageBuffer" %{{.*}} : f16
frag.kernel @elements(%p: !tile.ptr<f16>, %q: !tile.ptr<f16>) attributes {threads = 8 : i64, shared_bytes = 512 : i64} {
  %c0 = arith.constant 0 : index
  %V = tile.view %p[] : !tile.ptr<f16> -> !v
  %W = tile.view %q[] : !tile.ptr<f16> -> !v
  %s = frag.shared 128 : !s
  %x = frag.read %V[%c0, %c0] in_bounds : !v -> !frag.f<8x8xf16, #wide>
  frag.write %x, %s[%c0, %c0] : !frag.f<8x8xf16, #wide>, !s
  frag.barrier workgroup
  %y = frag.read %s[%c0, %c0] : !s -> !frag.f<8x8xf16, #pairs>
  frag.barrier workgroup
  frag.write %y, %s[%c0, %c0] : !frag.f<8x8xf16, #pairs>, !s
  frag.barrier workgroup
  %z = frag.read %s[%c0, %c0] : !s -> !frag.f<8x8xf16, #column>
  frag.write %z, %W[%c0, %c0] in_bounds : !frag.f<8x8xf16, #column>, !v
  frag.return
}

#mma = #spv.coop<[8, 8, 8], f16, f16, f32, lanes = 8>
#a = #tile.opaque<a, #mma, groups = [1, 1]>
#b = #tile.opaque<b, #mma, groups = [1, 1]>
#acc = #tile.opaque<acc, #mma, groups = [1, 1]>
#turned = #tile.shared<order = [0, 1], pad = 8>

// CHECK-LABEL: spirv.func @transposed
// CHECK: spirv.KHR.CooperativeMatrixLoad %{{.*}}, %cst2_i32, <RowMajor>, <NonPrivatePointer> {{.*}} MatrixA>
// CHECK: spirv.KHR.CooperativeMatrixLoad %{{.*}}, %cst2_i32, <ColumnMajor>, <NonPrivatePointer> {{.*}} MatrixB>
// CHECK: spirv.KHR.CooperativeMatrixMulAdd
// CHECK: spirv.KHR.CooperativeMatrixLoad %{{.*}}, %cst2_i32, <ColumnMajor>, <NonPrivatePointer> {{.*}} MatrixA>
// CHECK: spirv.KHR.CooperativeMatrixLoad %{{.*}}, %cst2_i32, <RowMajor>, <NonPrivatePointer> {{.*}} MatrixB>
// CHECK: spirv.KHR.CooperativeMatrixMulAdd
// CHECK: spirv.KHR.CooperativeMatrixStore %{{.*}}, %cst2_i32, <ColumnMajor>, <NonPrivatePointer>
frag.kernel @transposed() attributes {threads = 8 : i64, shared_bytes = 1024 : i64} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %s = frag.shared 0 : !s
  %t = frag.shared 256 : !frag.mem<8x8xf16, #turned>
  %r = frag.shared 512 : !frag.mem<8x8xf32, #tile.shared<order = [0, 1]>>
  %acc = frag.splat %zero : f32 -> !frag.f<8x8xf32, #acc>
  %a0 = frag.read %s[%c0, %c0] : !s -> !frag.f<8x8xf16, #a>
  %b0 = frag.read %s[%c0, %c0] trans : !s -> !frag.f<8x8xf16, #b>
  %x = frag.mma #mma %a0, %b0, %acc : !frag.f<8x8xf16, #a>, !frag.f<8x8xf16, #b>, !frag.f<8x8xf32, #acc>
  %a1 = frag.read %t[%c0, %c0] : !frag.mem<8x8xf16, #turned> -> !frag.f<8x8xf16, #a>
  %b1 = frag.read %t[%c0, %c0] trans : !frag.mem<8x8xf16, #turned> -> !frag.f<8x8xf16, #b>
  %y = frag.mma #mma %a1, %b1, %x : !frag.f<8x8xf16, #a>, !frag.f<8x8xf16, #b>, !frag.f<8x8xf32, #acc>
  frag.write %y, %r[%c0, %c0] : !frag.f<8x8xf32, #acc>, !frag.mem<8x8xf32, #tile.shared<order = [0, 1]>>
  frag.return
}
