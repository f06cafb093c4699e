// The hand-written programs of level 2 with rings, roles and products in flight become those of level 3: the structure of
// test/hard/*-frag.mlir, held by the verifiers, with wait counts and barriers derived.
// RUN: helios-opt %S/../hard/gemm-sm89-tile.mlir --pass-pipeline='builtin.module(tile.program(tile-allocate-shared),tile-distribute,canonicalize,cse,frag.kernel(frag-assign-wait-counts,frag-insert-barriers))' | FileCheck %s --check-prefix=GROUPS
// RUN: helios-opt %S/../hard/gemm-sm90-tile.mlir --pass-pipeline='builtin.module(tile.program(tile-allocate-shared),tile-distribute,canonicalize,cse,frag.kernel(frag-assign-wait-counts,frag-insert-barriers))' | FileCheck %s --check-prefix=ROLES
// RUN: helios-opt %S/../hard/attention-sm90-tile.mlir --pass-pipeline='builtin.module(tile.program(tile-allocate-shared),tile-distribute,canonicalize,cse,frag.kernel(frag-assign-wait-counts,frag-insert-barriers))' | FileCheck %s --check-prefix=ATTENTION
// RUN: helios-opt %S/../hard/dkdv-sm90-tile.mlir --pass-pipeline='builtin.module(tile.program(tile-allocate-shared),tile-distribute,canonicalize,cse,frag.kernel(frag-assign-wait-counts,frag-insert-barriers))' | FileCheck %s --check-prefix=DKDV

// Copies in groups: one younger group may stay pending at a read; the barrier of that wait is the only one.
// GROUPS-LABEL: frag.kernel @gemm(
// GROUPS-SAME: shared_bytes = 73728 : i64, synchronized, {{.*}} threads = 256 : i64
// GROUPS-NOT: frag.barrier
// GROUPS: %[[RING:.*]] = frag.shared 0 :
// GROUPS-COUNT-2: frag.acquire write %[[RING]]
// GROUPS: scf.for {{.*}} iter_args({{.*}}) -> (!frag.f<128x256xf32, {{.*}}>, i32, i32)
// GROUPS-NEXT: %[[S:.*]], %{{.*}} = frag.acquire read %[[RING]][%{{.*}}] count 1
// GROUPS-NEXT: %[[A:.*]] = frag.slot_mem %[[S]][0]
// GROUPS-NEXT: %[[B:.*]] = frag.slot_mem %[[S]][1]
// GROUPS-NEXT: %[[W:.*]], %{{.*}} = frag.acquire write %[[RING]][%{{[a-z0-9]*}}] :
// GROUPS: frag.copy_in #ptx.async16
// GROUPS: frag.copy_in #ptx.async16
// GROUPS-NEXT: frag.release %[[W]] after(
// GROUPS-NEXT: frag.read %[[A]][%c0, %c0] :
// GROUPS-NEXT: frag.read %[[B]][%c0, %c0] trans :
// GROUPS-NEXT: frag.mma
// GROUPS-NEXT: frag.read %[[A]][%c0, %c16] :
// GROUPS-NEXT: frag.read %[[B]][%c0, %c16] trans :
// GROUPS-NEXT: frag.mma
// GROUPS-NEXT: frag.release %[[S]]{{$}}
// GROUPS-NEXT: scf.yield
// GROUPS: frag.acquire read {{.*}} count 1
// GROUPS: frag.acquire read {{.*}} count 0
// GROUPS-NOT: frag.barrier
// GROUPS: frag.return

// ROLES-LABEL: frag.kernel @gemm(
// ROLES-SAME: regs = 168 : i64, shared_bytes = 229440 : i64, synchronized, {{.*}} threads = 384 : i64
// ROLES: %[[RING:.*]] = frag.shared 0 barriers 229376 :
// ROLES: frag.role lanes(0 to 128) regs(40)
// ROLES: frag.acquire write %[[RING]][%{{[a-z0-9]*}}] :
// ROLES: frag.release %{{.*}} after(%{{.*}}, %{{.*}} : !tile.token, !tile.token)
// ROLES: frag.role lanes(128 to 384 by 128) regs(232)
// ROLES: %[[OUT:.*]] = frag.shared 196608 :
// ROLES: %[[S0:.*]], %{{.*}} = frag.acquire read %[[RING]][%{{[a-z0-9]*}}] :
// ROLES: frag.slot_mem %[[S0]][0] at[
// ROLES: frag.mma_start {{.*}} %{{.*}}, %{{[0-9]*}} trans : !frag.mem
// ROLES: %[[L:.*]]:4 = scf.for {{.*}} iter_args(%[[D:.*]] = %{{.*}}, %[[T:.*]] = %{{.*}}, %[[SP:.*]] = %[[S0]], %{{.*}}) -> (!frag.inflight<{{.*}}>, !frag.token<"wgmma">, !frag.slot, i32)
// ROLES: %[[D1:.*]], %[[T1:.*]] = frag.mma_start {{.*}} trans, %[[D]] :
// ROLES-NEXT: frag.release %[[SP]] after(%[[T]] : !frag.token<"wgmma">) count 1
// ROLES-NEXT: scf.yield %[[D1]], %[[T1]]
// ROLES: frag.await %[[L]]#1(%[[L]]#0 : {{.*}}) count 0 :
// ROLES-NEXT: frag.release %[[L]]#2 after(%[[L]]#1 : !frag.token<"wgmma">){{$}}
// ROLES: frag.acquire write %[[OUT]][%{{[a-z0-9]*}}] count 1
// ROLES: frag.write
// ROLES-NEXT: frag.release
// ROLES-NEXT: frag.acquire read %[[OUT]][%{{[a-z0-9]*}}] :
// ROLES-NEXT: frag.barrier replica proxy
// ROLES: frag.copy_out #ptx.bulk
// ROLES-NEXT: frag.release %{{.*}} after(%{{.*}} : !tile.token)

// Of the two products that start back to back, the younger stays in flight over the softmax. Its operand in registers and what
// will replace it go through its await.
// ATTENTION-LABEL: frag.kernel @attention(
// ATTENTION-SAME: shared_bytes = 196688 : i64
// ATTENTION: frag.role lanes(128 to 384 by 128) regs(240)
// ATTENTION: frag.read
// ATTENTION-NEXT: frag.barrier replica
// ATTENTION-NEXT: frag.release
// The first product of an item and its softmax stand before the items loop.
// ATTENTION: frag.mma_start
// ATTENTION: scf.for
// ATTENTION: scf.for {{.*}} iter_args({{%[^,]*, %[^,]*}}, %[[P:[a-z0-9]*]] =
// ATTENTION: %[[F:.*]], %[[TS:.*]] = frag.mma_start
// ATTENTION: %[[G:.*]], %[[TO:.*]] = frag.mma_start {{.*}} %[[P]],
// ATTENTION-NEXT: frag.await %[[TS]](%[[F]] : {{.*}}) count 1 :
// ATTENTION-NEXT: frag.release %{{.*}} after(%[[TS]] : !frag.token<"wgmma">){{$}}
// ATTENTION-NEXT: frag.reduce max %{{.*}}, lane dim 1
// ATTENTION: %[[VOTE:.*]] = frag.reduce or %{{.*}}, all
// ATTENTION-NEXT: scf.if %[[VOTE]]
// ATTENTION-NEXT: frag.reduce or %{{.*}}, group
// ATTENTION-NEXT: frag.reduce max %{{.*}}, group
// ATTENTION: arith.select
// ATTENTION: frag.await %[[TO]](%[[G]] : {{.*}}) through(%[[P]], %{{[0-9]*}} :
// ATTENTION-SAME: count 0
// ATTENTION: scf.if %[[VOTE]]
// ATTENTION: arith.truncf
// ATTENTION: frag.yield
// ATTENTION-NEXT: }
// ATTENTION-NEXT: scf.yield
// The last product of one item and the first of the next, in a branch that awaits both; what replaces P is computed behind the await.
// ATTENTION: scf.if {{.*}} -> (!frag.f<64x128xf32
// ATTENTION: frag.mma_start
// ATTENTION: %[[L:.*]], %[[TL:.*]] = frag.mma_start
// ATTENTION: frag.await {{.*}} count 1
// ATTENTION: %[[LANDED:.*]]:4 = frag.await %[[TL]](%[[L]] : {{.*}}) through({{.*}} count 0
// ATTENTION: frag.map(%[[LANDED]]#2
// ATTENTION: arith.truncf
// ATTENTION: } else {
// ATTENTION: frag.mma_start
// ATTENTION: frag.await {{.*}} count 0

// A tile through a ring of the replica between two products; a copy that adds into memory.
// DKDV-LABEL: frag.kernel @dkdv(
// DKDV-SAME: shared_bytes = 213040 : i64
// DKDV: frag.role lanes(128 to 384 by 128)
// DKDV: scf.for
// DKDV-COUNT-2: frag.mma_start
// DKDV: frag.await {{.*}} count 1
// DKDV: frag.mma_start
// DKDV: frag.await {{.*}} count 1
// DKDV: frag.mma_start
// DKDV: frag.write
// DKDV: frag.acquire read
// DKDV-NEXT: frag.barrier replica proxy
// DKDV: frag.mma_start {{.*}} %{{[0-9]*}} trans, %
// DKDV: frag.await {{.*}} through(
// DKDV: frag.copy_out {{.*}} reduce add
// DKDV: scf.yield
// DKDV-NEXT: }
// DKDV-NEXT: frag.release %{{[a-z0-9_]*}}{{$}}
