// RUN: helios-opt %s --convert-frag-to-ptx | FileCheck %s
//
// Shared memory: a swizzled place is computed once for a lane; registers are constants combined by XOR or added.

#mma = #ptx.mma_sync<[16, 8, 16], f16, f16, f32>
#a = #tile.operand<a, #mma, groups = [1, 1]>
#b = #tile.operand<b, #mma, groups = [1, 1]>
#s = #tile.shared<order = [1, 0], swizzle = 64>
#wide = #tile.regs<vec = [1, 8], lanes = [8, 4], groups = [1, 1]>
!m = !frag.mem<32x32xf16, #s>
!v = !tile.view<32x32xf16, strides = [32, 1], align = 16>

// Rows of 64 bytes: bits 4 and 5 by XOR with bits 7 and 8. Four units of 8 rows a lane lie 512 bytes apart, so the swizzle is computed
// once. A is read row by row, two instructions 1024 bytes apart for each step of k, which is a constant combined by XOR. B lies n x k.
// CHECK-LABEL: llvm.func @swizzle(
// CHECK-DAG: %[[MASK:.*]] = llvm.mlir.constant(48 : i32) : i32
// CHECK: llvm.and %{{.*}}, %[[MASK]] : i32
// CHECK: %[[AT:.*]] = llvm.xor
// CHECK: %[[P:.*]] = llvm.getelementptr %{{.*}}[%[[AT]]]
// CHECK: llvm.getelementptr %[[P]][512]
// CHECK: llvm.getelementptr %[[P]][1024]
// CHECK: llvm.getelementptr %[[P]][1536]
// CHECK: llvm.store %{{.*}}, %[[P]] {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<3>
// CHECK: nvvm.barrier
// CHECK-COUNT-4: nvvm.ldmatrix {{.*}}layout = #nvvm.mma_layout<row>, num = 4 : i32
// CHECK-NOT: nvvm.ldmatrix
// CHECK-COUNT-8: nvvm.mma.sync
// CHECK-NOT: nvvm.mma.sync
frag.kernel @swizzle(%p: !tile.ptr<f16>, %q: !tile.ptr<f32>)
    attributes {threads = 32 : i64, shared_bytes = 2048 : i64, target = #ptx.target<"sm_89">} {
  %z = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %zf = arith.constant 0.0 : f32
  %V = tile.view %p[] : !tile.ptr<f16> -> !v
  %W = tile.view %q[] : !tile.ptr<f32> -> !tile.view<32x32xf32, strides = [32, 1], align = 16>
  %m = frag.shared 0 : !m
  %x = frag.read %V[%z, %z] in_bounds : !v -> !frag.f<32x32xf16, #wide>
  frag.write %x, %m[%z, %z] : !frag.f<32x32xf16, #wide>, !m
  frag.barrier workgroup
  %acc = frag.splat %zf : f32 -> !frag.f<32x32xf32, #tile.acc<#mma, groups = [1, 1]>>
  %a0 = frag.read %m[%z, %z] : !m -> !frag.f<32x16xf16, #a>
  %b0 = frag.read %m[%z, %z] trans : !m -> !frag.f<16x32xf16, #b>
  %y = frag.mma #mma %a0, %b0, %acc : !frag.f<32x16xf16, #a>, !frag.f<16x32xf16, #b>, !frag.f<32x32xf32, #tile.acc<#mma, groups = [1, 1]>>
  frag.write %y, %W[%z, %z] in_bounds : !frag.f<32x32xf32, #tile.acc<#mma, groups = [1, 1]>>, !tile.view<32x32xf32, strides = [32, 1], align = 16>
  frag.return
}

// Against the order of memory: the transposing form. Padding instead of a swizzle.
// CHECK-LABEL: llvm.func @padded(
// CHECK-NOT: llvm.xor
// CHECK-COUNT-4: nvvm.ldmatrix {{.*}}layout = #nvvm.mma_layout<col>, num = 4 : i32
// CHECK-NOT: nvvm.ldmatrix
frag.kernel @padded(%p: !tile.ptr<f16>)
    attributes {threads = 32 : i64, shared_bytes = 2560 : i64, target = #ptx.target<"sm_89">} {
  %z = arith.constant 0 : index
  %V = tile.view %p[] : !tile.ptr<f16> -> !v
  %m = frag.shared 0 : !frag.mem<32x32xf16, #tile.shared<order = [1, 0], pad = 8>>
  %x = frag.read %V[%z, %z] in_bounds : !v -> !frag.f<32x32xf16, #wide>
  frag.write %x, %m[%z, %z] : !frag.f<32x32xf16, #wide>, !frag.mem<32x32xf16, #tile.shared<order = [1, 0], pad = 8>>
  frag.barrier workgroup
  %b0 = frag.read %m[%z, %z] : !frag.mem<32x32xf16, #tile.shared<order = [1, 0], pad = 8>> -> !frag.f<32x32xf16, #b>
  frag.write %b0, %V[%z, %z] in_bounds : !frag.f<32x32xf16, #b>, !v
  frag.return
}

// Matrices are stored from fragments on Hopper; 4 bytes a lane elsewhere.
// CHECK-LABEL: llvm.func @store(
// CHECK: nvvm.stmatrix {{.*}}layout = #nvvm.mma_layout<row>
// CHECK-NOT: llvm.store {{.*}}!llvm.ptr<3>
frag.kernel @store(%x: f16) attributes {threads = 32 : i64, shared_bytes = 2048 : i64, target = #ptx.target<"sm_90a">} {
  %z = arith.constant 0 : index
  %m = frag.shared 0 : !m
  %f = frag.splat %x : f16 -> !frag.f<32x32xf16, #a>
  frag.write %f, %m[%z, %z] : !frag.f<32x32xf16, #a>, !m
  frag.return
}

// CHECK-LABEL: llvm.func @words(
// CHECK: llvm.store {{.*}} {alignment = 4 : i64} : i32, !llvm.ptr<3>
frag.kernel @words(%x: f16) attributes {threads = 32 : i64, shared_bytes = 2048 : i64, target = #ptx.target<"sm_86">} {
  %z = arith.constant 0 : index
  %m = frag.shared 0 : !m
  %f = frag.splat %x : f16 -> !frag.f<32x32xf16, #a>
  frag.write %f, %m[%z, %z] : !frag.f<32x32xf16, #a>, !m
  frag.return
}

// Bytes that a product's operand is computed of: two neighbours along k are one access. They become floats by their bits, exactly.
// CHECK-LABEL: llvm.func @bytes(
// CHECK: nvvm.barrier
// CHECK: %[[TWO:.*]] = llvm.load %{{.*}} {alignment = 2 : i64} : !llvm.ptr<3> -> i16
// CHECK: llvm.trunc %{{.*}} : i16 to i8
// CHECK-NOT: llvm.sitofp
// CHECK: %[[BITS:.*]] = llvm.or %{{.*}} : i16
// CHECK: llvm.bitcast %[[BITS]] : i16 to f16
// CHECK: llvm.fsub
// CHECK-NOT: llvm.sitofp
// CHECK: llvm.return
frag.kernel @bytes(%p: !tile.ptr<i8>, %q: !tile.ptr<f16>)
    attributes {threads = 32 : i64, shared_bytes = 512 : i64, target = #ptx.target<"sm_89">} {
  %z = arith.constant 0 : index
  %V = tile.view %p[] : !tile.ptr<i8> -> !tile.view<16x32xi8, strides = [32, 1], align = 16>
  %W = tile.view %q[] : !tile.ptr<f16> -> !tile.view<32x16xf16, strides = [16, 1], align = 16>
  %m = frag.shared 0 : !frag.mem<16x32xi8, #tile.shared<order = [1, 0]>>
  %x = frag.read %V[%z, %z] in_bounds : !tile.view<16x32xi8, strides = [32, 1], align = 16> -> !frag.f<16x32xi8, #tile.regs<vec = [1, 16], lanes = [16, 2], groups = [1, 1]>>
  frag.write %x, %m[%z, %z] : !frag.f<16x32xi8, #tile.regs<vec = [1, 16], lanes = [16, 2], groups = [1, 1]>>, !frag.mem<16x32xi8, #tile.shared<order = [1, 0]>>
  frag.barrier workgroup
  %b = frag.read %m[%z, %z] trans : !frag.mem<16x32xi8, #tile.shared<order = [1, 0]>> -> !frag.f<32x16xi8, #b>
  %y = frag.map(%b : !frag.f<32x16xi8, #b>) -> !frag.f<32x16xf16, #b> {
  ^bb0(%e: i8):
    %f = arith.sitofp %e : i8 to f16
    frag.yield %f : f16
  }
  frag.write %y, %W[%z, %z] in_bounds : !frag.f<32x16xf16, #b>, !tile.view<32x16xf16, strides = [16, 1], align = 16>
  frag.return
}
