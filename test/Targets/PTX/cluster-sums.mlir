// RUN: helios-opt %s --convert-frag-to-ptx --verify-diagnostics | FileCheck %s

// A pass ring of a cluster: each workgroup's lanes write its slot and tell all others, whose lanes read it. Arrivals and waits have the scope of the
// cluster, and a phase ends when every workgroup has arrived. Barriers that a fence has published need no release when workgroups first meet.

#acc = #tile.acc<#ptx.wgmma<n = 64, bf16, bf16, f32>, groups = [1, 1]>
#rows = #tile.regs<vec = [1, 4], lanes = [8, 16], groups = [1, 1]>
#s = #tile.shared<order = [1, 0], swizzle = 128>
!v = !tile.view<?x?xf32, strides = [?, 1]>
!ring = !frag.ring<!tile.ring<1x(tensor<64x64xf32, #s>), pass, scope = cluster, cluster = 2>>
!mem = !frag.mem<64x64xf32, #s>
!half = !frag.mem<32x64xf32, #s>

// CHECK-LABEL: llvm.func @sums(
// CHECK-DAG: %[[TWO:.*]] = llvm.mlir.constant(2 : i32)
// CHECK-DAG: %[[OWN:.*]] = llvm.mlir.addressof @smem
// CHECK-DAG: nvvm.mapa %[[OWN]], %{{.*}} : !llvm.ptr<3> -> !llvm.ptr<7>
// CHECK-DAG: nvvm.mapa %[[OWN]], %{{.*}} : !llvm.ptr<3> -> !llvm.ptr<7>
// CHECK: nvvm.mbarrier.init %{{.*}}, %[[TWO]]
// CHECK: nvvm.mbarrier.init %{{.*}}, %[[TWO]]
// CHECK: nvvm.fence.mbarrier.init
// CHECK: nvvm.cluster.arrive.relaxed
// CHECK-NEXT: nvvm.cluster.wait
// CHECK: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64
// CHECK: llvm.store {{.*}} !llvm.ptr<3>
// CHECK: mapa.shared::cluster.u32 A, $0, $1;\0A@$2 mbarrier.arrive.release.cluster.shared::cluster.b64 _, [A];
// CHECK: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64
// CHECK: llvm.load {{.*}} !llvm.ptr<7> -> vector<4xi32>
// CHECK: mbarrier.arrive.release.cluster.shared::cluster.b64 _, [A];
// CHECK: nvvm.cluster.arrive{{$}}
// CHECK-NEXT: nvvm.cluster.wait
frag.kernel @sums(%q: !tile.ptr<f32>, %n: index)
    attributes {threads = 128 : i64, shared_bytes = 16400 : i64, cluster = 2 : i64, target = #ptx.target<"sm_90a">} {
  %z = arith.constant 0 : index
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : index
  %one = arith.constant 1.0 : f32
  %d = tile.view %q[%n, %n] strides [%n] : !tile.ptr<f32> -> !v
  %rank = frag.id cluster_rank
  %at = arith.muli %rank, %c32 : index
  %ring = frag.shared 0 barriers 16384 : !ring
  %f = frag.splat %one : f32 -> !frag.f<64x64xf32, #acc>
  %w, %c1 = frag.acquire write %ring[%c0] : !ring
  %m = frag.slot_mem %w[0] : !mem
  frag.write %f, %m[%z, %z] : !frag.f<64x64xf32, #acc>, !mem
  frag.barrier workgroup
  frag.release %w
  %r, %c2 = frag.acquire read %ring[%c0] : !ring
  %m0 = frag.slot_mem %r[0] of 0 at [%at, %z] : !half
  %y0 = frag.read %m0[%z, %z] : !half -> !frag.f<32x64xf32, #rows>
  %m1 = frag.slot_mem %r[0] of 1 at [%at, %z] : !half
  %y1 = frag.read %m1[%z, %z] : !half -> !frag.f<32x64xf32, #rows>
  frag.barrier workgroup
  frag.release %r
  frag.write %y0, %d[%at, %z] : !frag.f<32x64xf32, #rows>, !v
  frag.write %y1, %d[%z, %z] : !frag.f<32x64xf32, #rows>, !v
  frag.return
}
