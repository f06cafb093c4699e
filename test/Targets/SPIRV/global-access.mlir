// RUN: helios-opt %s --convert-frag-to-spirv | FileCheck %s
// RUN: mkdir -p %t && helios-compile %s --target=vulkan:simt --emit=spirv -o %t/k.spv
// RUN: %if spirv-val %{ %spirv-val %t/k.simt.aligned.spv %}
// RUN: %if spirv-val %{ %spirv-val %t/k.simt.ragged.spv %}
// RUN: %if spirv-val %{ %spirv-val %t/k.simt.inside.spv %}
// RUN: %if spirv-val %{ %spirv-val %t/k.simt.batch.spv %}
// RUN: %if spirv-val %{ %spirv-val %t/k.simt.twice.spv %}
// RUN: %if spirv-val %{ %spirv-val %t/k.simt.pairs.spv %}
// RUN: %if spirv-val %{ %spirv-val %t/k.simt.bytes.spv %}
//
// Global memory: packets of 16 bytes where stride, address and offset prove it and no packet straddles the view's end; elements
// elsewhere. Reads clamp the index and select the pad, writes are branches.

#wide = #tile.regs<vec = [1, 8], lanes = [8, 2], groups = [1, 1]>
!v = !tile.view<?x?xf16, strides = [?, 1], div = [8, 1], align = 16>

// CHECK-LABEL: spirv.func @aligned
// CHECK-DAG: %[[PAD:.*]] = spirv.Constant dense<1006648320> : vector<4xi32>
// CHECK: %[[IN:.*]] = spirv.LogicalAnd
// CHECK: %[[AT:.*]] = spirv.Select %[[IN]]
// CHECK: spirv.AccessChain %{{.*}}[%{{.*}}, %[[AT]]] {{.*}} -> !spirv.ptr<vector<4xi32>, StorageBuffer>
// CHECK: %[[X:.*]] = spirv.Load "StorageBuffer" %{{.*}} : vector<4xi32>
// CHECK: spirv.mlir.selection
// CHECK: spirv.BranchConditional %[[IN]]
// CHECK: %[[C:.*]] = spirv.CompositeConstruct %[[IN]], %[[IN]], %[[IN]], %[[IN]]
// CHECK: %[[Y:.*]] = spirv.Select %[[C]], %[[X]], %[[PAD]]
// CHECK: spirv.Store "StorageBuffer" %{{.*}}, %[[Y]] : vector<4xi32>
// CHECK-NOT: spirv.Store
frag.kernel @aligned(%p: !tile.ptr<f16>, %q: !tile.ptr<f16>, %m: index, %n: index {tile.div = 8 : i64})
    attributes {threads = 16 : i64, target = #spv.target<"simt">} {
  %c0 = arith.constant 0 : index
  %V = tile.view %p[%m, %n] strides [%n] : !tile.ptr<f16> -> !v
  %W = tile.view %q[%m, %n] strides [%n] : !tile.ptr<f16> -> !v
  %x = frag.read %V[%c0, %c0] pad(1.0) : !v -> !frag.f<8x16xf16, #wide>
  frag.write %x, %W[%c0, %c0] : !frag.f<8x16xf16, #wide>, !v
  frag.return
}

// The same without a divisor of the extent: a packet could straddle the end.

// CHECK-LABEL: spirv.func @ragged
// CHECK-COUNT-8: spirv.Load "StorageBuffer" {{.*}} : f16
// CHECK-NOT: spirv.Load "StorageBuffer"
// CHECK-COUNT-8: spirv.Store "StorageBuffer" {{.*}} : f16
// CHECK-NOT: spirv.Store "StorageBuffer"
frag.kernel @ragged(%p: !tile.ptr<f16>, %q: !tile.ptr<f16>, %m: index, %n: index, %l: index {tile.div = 8 : i64})
    attributes {threads = 16 : i64, target = #spv.target<"simt">} {
  %c0 = arith.constant 0 : index
  %V = tile.view %p[%m, %n] strides [%l] : !tile.ptr<f16> -> !v
  %W = tile.view %q[%m, %n] strides [%l] : !tile.ptr<f16> -> !v
  %x = frag.read %V[%c0, %c0] : !v -> !frag.f<8x16xf16, #wide>
  frag.write %x, %W[%c0, %c0] : !frag.f<8x16xf16, #wide>, !v
  frag.return
}

// In bounds nothing is checked, and a ragged extent does not matter. An offset that a loop carries keeps its divisor.

// CHECK-LABEL: spirv.func @inside
// CHECK: spirv.mlir.loop
// CHECK-NOT: spirv.Select
// CHECK: spirv.Load "StorageBuffer" {{.*}} : vector<4xi32>
// CHECK-NOT: spirv.mlir.selection
// CHECK: spirv.Store "StorageBuffer" {{.*}} : vector<4xi32>
frag.kernel @inside(%p: !tile.ptr<f16>, %q: !tile.ptr<f16>, %m: index, %n: index, %l: index {tile.div = 8 : i64})
    attributes {threads = 16 : i64, target = #spv.target<"simt">} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %V = tile.view %p[%m, %n] strides [%l] : !tile.ptr<f16> -> !v
  %W = tile.view %q[%m, %n] strides [%l] : !tile.ptr<f16> -> !v
  %end = scf.for %i = %c0 to %m step %c1 iter_args(%at = %c0) -> (index) {
    %x = frag.read %V[%c0, %at] in_bounds : !v -> !frag.f<8x16xf16, #wide>
    frag.write %x, %W[%c0, %at] in_bounds : !frag.f<8x16xf16, #wide>, !v
    %next = arith.addi %at, %c16 : index
    scf.yield %next : index
  }
  frag.return
}

// Batch: leading dimensions of a view have extent one in the fragment.
#rows = #tile.regs<vec = [1, 4], lanes = [8, 2], groups = [1, 1]>
!b = !tile.view<?x8x?xf32, strides = [?, ?, 1], div = [4, 4, 1], align = 16>

// CHECK-LABEL: spirv.func @batch
// CHECK: spirv.Load "StorageBuffer" {{.*}} : vector<4xi32>
frag.kernel @batch(%p: !tile.ptr<f32>, %z: index, %n: index {tile.div = 4 : i64}, %plane: index {tile.div = 4 : i64})
    attributes {threads = 16 : i64, target = #spv.target<"simt">} {
  %c0 = arith.constant 0 : index
  %V = tile.view %p[%z, %n] strides [%plane, %n] : !tile.ptr<f32> -> !b
  %wg = frag.id workgroup
  %x = frag.read %V[%wg, %c0, %c0] : !b -> !frag.f<8x8xf32, #rows>
  frag.write %x, %V[%wg, %c0, %c0] : !frag.f<8x8xf32, #rows>, !b
  frag.return
}

// One pointer in both guises, written: neither is restrict.
#vec = #tile.regs<vec = [4], lanes = [16], groups = [1]>
#one = #tile.regs<vec = [1], lanes = [16], groups = [1]>

// CHECK-LABEL: spirv.module @twice
// CHECK-SAME: bindings = {{\[\[}}0, 0, "write"], [0, 1, "read"]]
// CHECK-DAG: spirv.GlobalVariable @arg0_packets bind(0, 0) {non_readable}
// CHECK-DAG: spirv.GlobalVariable @arg0_elements bind(0, 1) {non_writable}
frag.kernel @twice(%p: !tile.ptr<f32>, %n: index) attributes {threads = 16 : i64, target = #spv.target<"simt">} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %V = tile.view %p[%n] : !tile.ptr<f32> -> !tile.view<?xf32, strides = [1], align = 16>
  %x = frag.read %V[%c1] : !tile.view<?xf32, strides = [1], align = 16> -> !frag.f<64xf32, #vec>
  frag.write %x, %V[%c0] in_bounds : !frag.f<64xf32, #vec>, !tile.view<?xf32, strides = [1], align = 16>
  frag.return
}

// Two neighbours of 16 bits are a component of a packet.
#two = #tile.regs<vec = [1, 2], lanes = [2, 8], groups = [1, 1]>

// CHECK-LABEL: spirv.module @pairs
// CHECK-SAME: [Shader, Float16]
// CHECK-SAME: bindings = {{\[\[}}0, 0, "read"], [1, 2, "write"]]
// CHECK-COUNT-4: spirv.Load "StorageBuffer" {{.*}} : i32
// CHECK-NOT: spirv.Load "StorageBuffer"
// CHECK-COUNT-4: spirv.Store "StorageBuffer" {{.*}} : i32
// CHECK-NOT: spirv.Store "StorageBuffer"
frag.kernel @pairs(%p: !tile.ptr<f16>, %q: !tile.ptr<f16>, %m: index, %n: index {tile.div = 2 : i64}, %l: index {tile.div = 8 : i64})
    attributes {threads = 16 : i64, target = #spv.target<"simt">} {
  %c0 = arith.constant 0 : index
  %V = tile.view %p[%m, %n] strides [%l] : !tile.ptr<f16> -> !v
  %W = tile.view %q[%m, %n] strides [%l] : !tile.ptr<f16> -> !v
  %x = frag.read %V[%c0, %c0] : !v -> !frag.f<8x16xf16, #two>
  %y = frag.map(%x : !frag.f<8x16xf16, #two>) -> !frag.f<8x16xf16, #two> {
  ^bb0(%e: f16):
    %d = arith.addf %e, %e : f16
    frag.yield %d : f16
  }
  frag.write %y, %W[%c0, %c0] : !frag.f<8x16xf16, #two>, !v
  frag.return
}

// Bytes: four of a word where they lie side by side, else each by itself.

#four = #tile.regs<vec = [1, 4], lanes = [4, 4], groups = [1, 1]>
!bytes = !tile.view<?x?xi8, strides = [?, 1], div = [4, 1], align = 16>

// CHECK-LABEL: spirv.module @bytes
// CHECK-SAME: StorageBuffer8BitAccess], [SPV_KHR_8bit_storage]
// CHECK: spirv.Load "StorageBuffer" {{.*}} : i32
// CHECK: spirv.Bitcast %{{.*}} : i32 to vector<4xi8>
// CHECK-COUNT-4: spirv.Store "StorageBuffer" {{.*}} : i8
frag.kernel @bytes(%p: !tile.ptr<i8>, %q: !tile.ptr<i8>, %m: index, %n: index {tile.div = 4 : i64}, %l: index)
    attributes {threads = 16 : i64, target = #spv.target<"simt">} {
  %c0 = arith.constant 0 : index
  %V = tile.view %p[%m, %n] strides [%n] : !tile.ptr<i8> -> !bytes
  %W = tile.view %q[%m, %n] strides [%l] : !tile.ptr<i8> -> !tile.view<?x?xi8, strides = [?, 1]>
  %x = frag.read %V[%c0, %c0] : !bytes -> !frag.f<4x16xi8, #four>
  frag.write %x, %W[%c0, %c0] : !frag.f<4x16xi8, #four>, !tile.view<?x?xi8, strides = [?, 1]>
  frag.return
}
