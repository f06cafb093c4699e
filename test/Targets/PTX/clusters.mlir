// RUN: helios-opt %s --convert-frag-to-ptx --split-input-file --verify-diagnostics | FileCheck %s

// Clusters: barriers that the readers of all workgroups meet at, copies into the shared memory of several, nobody leaves before the last.

#mma = #ptx.wgmma<n = 64, bf16, bf16, f32>
#acc = #tile.acc<#mma, groups = [1, 1]>
#s = #tile.shared<order = [1, 0], swizzle = 128>
!v = !tile.view<?x?xbf16, strides = [?, 1], div = [8, 1], align = 16>
!vd = !tile.view<?x?xf32, strides = [?, 1]>
!ring = !frag.ring<!tile.ring<2x(tensor<64x64xbf16, #s>, tensor<64x64xbf16, #s>), load, copy = #ptx.bulk, readers = 3, scope = cluster, cluster = 2, multicast>>
!mem = !frag.mem<64x64xbf16, #s>
!half = !frag.mem<32x64xbf16, #s>
!fly = !frag.inflight<!frag.f<64x64xf32, #acc>>
!tok = !frag.token<"wgmma">

// CHECK: gpu.module @pair attributes {helios.interface = {{.*}}cluster = 2 : i64
// The copy of a part has a box of its own.
// CHECK-SAME: box = [64, 64]
// CHECK-SAME: box = [64, 32]
// CHECK-LABEL: llvm.func @pair(
// CHECK-SAME: nvvm.cluster_dim = array<i32: 2, 1, 1>
// One lane arrives for the copies, three readers of two workgroups for the slot.
// CHECK-DAG: %[[ONE:.*]] = llvm.mlir.constant(1 : i32)
// CHECK-DAG: %[[SIX:.*]] = llvm.mlir.constant(6 : i32)
// CHECK-DAG: %[[BYTES:.*]] = llvm.mlir.constant(16384 : i32)
// CHECK: nvvm.mbarrier.init %{{.*}}, %[[ONE]]
// CHECK: nvvm.mbarrier.init %{{.*}}, %[[ONE]]
// CHECK: nvvm.mbarrier.init %{{.*}}, %[[SIX]]
// CHECK: nvvm.mbarrier.init %{{.*}}, %[[SIX]]
// CHECK: nvvm.fence.mbarrier.init
// CHECK: nvvm.cluster.arrive.relaxed
// CHECK-NEXT: nvvm.cluster.wait
// CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global {{.*}}box[{{.*}}] :
// CHECK-NOT: multicast
// CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global {{.*}} multicast_mask = %{{.*}} :
// The whole slot comes, whoever copies it.
// CHECK: mbarrier.arrive.expect_tx.shared::cta.b64 {{.*}} %[[BYTES]]
// One lane for each workgroup of the cluster.
// CHECK: wgmma.commit.group
// CHECK: mapa.shared::cluster.u32 A, $0, $1;\0A@$2 mbarrier.arrive.shared::cluster.b64 _, [A];
// CHECK: nvvm.cluster.arrive
// CHECK-NEXT: nvvm.cluster.wait
// CHECK-NEXT: llvm.return
frag.kernel @pair(%p: !tile.ptr<bf16>, %q: !tile.ptr<f32>, %n: index {tile.div = 8 : index})
    attributes {threads = 256 : i64, regs = 168 : i64, shared_bytes = 32800 : i64, cluster = 2 : i64, target = #ptx.target<"sm_90a">} {
  %z = arith.constant 0 : index
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %mask = arith.constant 3 : i32
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<bf16> -> !v
  %d = tile.view %q[%n, %n] strides [%n] : !tile.ptr<f32> -> !vd
  %cluster = frag.id cluster
  %clusters = frag.id clusters
  %rank = frag.id cluster_rank
  %mine = arith.muli %rank, %c64 : index
  %part = arith.muli %rank, %c32 : index
  %ring = frag.shared 0 barriers 32768 : !ring
  frag.role lanes(0 to 128) regs(40) {
    %w, %c1 = frag.acquire write %ring[%c0] : !ring
    %a = frag.slot_mem %w[0] : !mem
    %b = frag.slot_mem %w[1] at [%part, %z] : !half
    %ta = frag.copy_in #ptx.bulk %v[%mine, %cluster] into %a : !v -> !mem
    %tb = frag.copy_in #ptx.bulk %v[%part, %clusters] into %b multicast %mask : !v -> !half
    frag.release %w after(%ta, %tb : !tile.token, !tile.token)
    frag.yield
  }
  frag.role lanes(128 to 256) regs(232) {
    %r, %d1 = frag.acquire read %ring[%c0] : !ring
    %a = frag.slot_mem %r[0] : !mem
    %b = frag.slot_mem %r[1] : !mem
    %f, %t = frag.mma_start #mma %a, %b trans : !mem, !mem -> !fly, !tok
    frag.release %r after(%t : !tok) count 0
    %x = frag.await %t (%f : !fly) : !tok -> !frag.f<64x64xf32, #acc>
    frag.write %x, %d[%mine, %z] : !frag.f<64x64xf32, #acc>, !vd
    frag.yield
  }
  frag.return
}

// -----

#s = #tile.shared<order = [1, 0], swizzle = 128>
!v = !tile.view<?x?xbf16, strides = [?, 1], div = [8, 1], align = 16>
!ring = !frag.ring<!tile.ring<2x(tensor<64x64xbf16, #s>), load, copy = #ptx.bulk, scope = cluster, cluster = 2>>
!mem = !frag.mem<64x64xbf16, #s>
frag.kernel @predicate(%p: !tile.ptr<bf16>, %n: index {tile.div = 8 : index}, %b: i1)
    attributes {threads = 128 : i64, shared_bytes = 16416 : i64, cluster = 2 : i64, target = #ptx.target<"sm_90a">} {
  %z = arith.constant 0 : index
  %c0 = arith.constant 0 : i32
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<bf16> -> !v
  %ring = frag.shared 0 barriers 16384 : !ring
  %w, %c1 = frag.acquire write %ring[%c0] : !ring
  %m = frag.slot_mem %w[0] : !mem
  // expected-error @+1 {{expected no condition on a copy into a slot of a cluster, which is full once all its bytes have come}}
  %t = frag.copy_in #ptx.bulk %v[%z, %z] if %b into %m : !v -> !mem
  frag.release %w after(%t : !tile.token)
  frag.return
}

// -----

#s = #tile.shared<order = [1, 0], swizzle = 128>
!ring = !frag.ring<!tile.ring<2x(tensor<64x64xbf16, #s>), load, copy = #ptx.bulk, scope = cluster, cluster = 2>>
frag.kernel @barriers(%p: !tile.ptr<bf16>)
    attributes {threads = 128 : i64, shared_bytes = 16416 : i64, cluster = 2 : i64, target = #ptx.target<"sm_90a">} {
  %c0 = arith.constant 0 : i32
  %ring = frag.shared 0 : !ring
  // expected-error @+1 {{expected a ring with barriers for a cluster, got}}
  %w, %c1 = frag.acquire write %ring[%c0] : !ring
  frag.release %w
  frag.return
}

// -----

!turn = !frag.ring<!tile.ring<2x(i32), pass, scope = cluster, cluster = 2>>
frag.kernel @scalars() attributes {threads = 128 : i64, shared_bytes = 64 : i64, cluster = 2 : i64, target = #ptx.target<"sm_90a">} {
  // expected-error @+1 {{expected a ring of a cluster to hold tiles that copies or lanes write and others read, got}}
  %ring = frag.shared 0 barriers 16 : !turn
  frag.return
}
