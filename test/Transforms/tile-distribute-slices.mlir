// RUN: helios-opt %s --pass-pipeline='builtin.module(tile.program(tile-allocate-shared),tile-distribute)' | FileCheck %s
// RUN: helios-opt %s --pass-pipeline='builtin.module(tile.program(tile-allocate-shared),tile-distribute,frag.kernel(frag-insert-barriers))' | FileCheck %s --check-prefix=BARRIER

!acc = tensor<16x32xf32, #tile.acc<#ptx.mma_sync<[16, 8, 16], f16, f16, f32>, groups = [1, 2, 2], partial = add>>
!sum = tensor<16x32xf32, #tile.acc<#ptx.mma_sync<[16, 8, 16], f16, f16, f32>, groups = [1, 2, 2]>>
!a = tensor<16x64xf16, #tile.operand<a, #ptx.mma_sync<[16, 8, 16], f16, f16, f32>, groups = [1, 2, 2]>>
!b = tensor<64x32xf16, #tile.operand<b, #ptx.mma_sync<[16, 8, 16], f16, f16, f32>, groups = [1, 2, 2]>>
!v = !tile.view<?x?xf16, strides = [?, 1], div = [8, 1], align = 16>
!w = !tile.view<?x?xf32, strides = [?, 1], div = [8, 1], align = 16>

// A step of 64 is two instructions of each of two slices. Sums of slices lie below each other in shared memory, and every lane adds up its elements of all.
// CHECK-LABEL: frag.kernel @sliced
// CHECK: frag.mma {{.*}}16x32xf16
// CHECK: frag.mma {{.*}}16x32xf16
// CHECK-NOT: frag.mma
// CHECK: %[[MEM:.*]] = frag.shared {{.*}}32x32xf32
// CHECK: frag.write %{{.*}}, %[[MEM]][%c0
// CHECK: %[[FIRST:.*]] = frag.read %[[MEM]][%c0
// CHECK: %[[SECOND:.*]] = frag.read %[[MEM]][%c16
// CHECK: frag.map(%[[FIRST]], %[[SECOND]]
// CHECK: arith.addf
// BARRIER: frag.write {{.*}}partial = add
// BARRIER-NEXT: frag.barrier workgroup
// BARRIER: frag.read
tile.program @sliced(%p: !tile.ptr<f16>, %q: !tile.ptr<f32>, %n: index {tile.div = 8 : index}, %i: index {tile.div = 8 : index})
    attributes {config = #tile.config<groups = [1, 2, 2], strategy = groups, depth = 3>, target = #ptx.target<"sm_89">} {
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f16> -> !v
  %w = tile.view %q[%n, %n] strides [%n] : !tile.ptr<f32> -> !w
  %zero = arith.constant dense<0.0> : !acc
  %a = tile.load %v[%i, %i] : !v -> !a
  %b = tile.load %v[%i, %i] : !v -> !b
  %x = tile.dot %a, %b, %zero {mma = #ptx.mma_sync<[16, 8, 16], f16, f16, f32>} : !a, !b, !acc
  %y = tile.convert_layout %x : !acc -> !sum
  tile.store %y, %w[%i, %i] : !sum, !w
  tile.return
}
