// Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// o = softmax(q · kᵀ / sqrt(D)) · v for [heads, rows, D], by online softmax over blocks of keys: two chained products in one loop, of which
// the first one's left operand is loaded outside. The program says nothing of layouts, rings, stages or lanes; every strategy
// makes its own kernel of it.

// DEFINE: %{bench} = helios-bench run --check-only --reference
// DEFINE: %{shapes} = "1x1x1x64,1x1x1x64,1x1x1x64;2x1x200x64,2x1x200x64,2x1x200x64;1x2x320x64,1x2x320x64,1x2x320x64"
// DEFINE: %{deep_shapes} = "1x1x128x128,1x1x128x128,1x1x128x128;1x2x330x128,1x2x330x128,1x2x330x128"
// DEFINE: %{causal} = sed -e '/[/][/] full$/d' -e 's,// causal: ,,'
// DEFINE: %{deep} = sed -e '/D$/s/x64xf/x128xf/' -e '/D$/s/64, 1/128, 1/g' -e '/D$/s/constant 64/constant 128/' -e '/D$/s/0.18033688/0.12751743/' -e '/D first$/s/<64x/<128x/'
// DEFINE: %{roles} = sed -e 's/groups = .4, 1., strategy = groups/groups = [2, 1], strategy = roles/' -e 's/items<grid>/items<persistent>/'
// DEFINE: %{staged} = sed -e 's/, strategy = groups, depth = 2//'

// RUN: rm -rf %t && mkdir %t
// RUN: cp %S/Inputs/attention-plain.mlir %t/full.ref.mlir
// RUN: %{causal} %t/full.ref.mlir > %t/causal.ref.mlir
// RUN: %{deep} %t/full.ref.mlir > %t/deep.ref.mlir
// RUN: %{deep} %t/causal.ref.mlir > %t/deep-causal.ref.mlir
// RUN: %{causal} %s > %t/causal.mlir
// RUN: %{deep} %s > %t/deep.mlir
// RUN: %{deep} %t/causal.mlir > %t/deep-causal.mlir
// RIGHT-COUNT-3: attention {{.*}} passed{{$}}
// DEEP-COUNT-2: attention {{.*}} passed{{$}}

// Asynchronous groups.
// RUN: %{bench} %t/full.ref.mlir %s --device emulator:sm_89,seed=1 --shapes %{shapes} | FileCheck %s --check-prefix=RIGHT
// RUN: %{bench} %t/causal.ref.mlir %t/causal.mlir --device emulator:sm_80,seed=2 --shapes %{shapes} | FileCheck %s --check-prefix=RIGHT
// RUN: %{bench} %t/deep.ref.mlir %t/deep.mlir --device emulator:sm_89,seed=3 --shapes %{deep_shapes} | FileCheck %s --check-prefix=DEEP
// RUN: %{bench} %t/deep-causal.ref.mlir %t/deep-causal.mlir --device emulator:sm_89,seed=4 --shapes %{deep_shapes} | FileCheck %s --check-prefix=DEEP

// Roles.
// RUN: %{roles} %s > %t/roles.mlir
// RUN: %{roles} %t/causal.mlir > %t/roles-causal.mlir
// RUN: %{roles} %t/deep.mlir > %t/roles-deep.mlir
// RUN: %{roles} %t/deep-causal.mlir > %t/roles-deep-causal.mlir
// RUN: %{bench} %t/full.ref.mlir %t/roles.mlir --device emulator:sm_90a,seed=1 --shapes %{shapes} | FileCheck %s --check-prefix=RIGHT
// RUN: %{bench} %t/causal.ref.mlir %t/roles-causal.mlir --device emulator:sm_90a,seed=2 --shapes %{shapes} | FileCheck %s --check-prefix=RIGHT
// RUN: %{bench} %t/deep.ref.mlir %t/roles-deep.mlir --device emulator:sm_90a,seed=3 --shapes %{deep_shapes} | FileCheck %s --check-prefix=DEEP
// RUN: %{bench} %t/deep-causal.ref.mlir %t/roles-deep-causal.mlir --device emulator:sm_90a,seed=4 --shapes %{deep_shapes} | FileCheck %s --check-prefix=DEEP

// Staged.
// RUN: %{staged} %t/causal.mlir > %t/staged-causal.mlir
// RUN: %{bench} %t/causal.ref.mlir %t/staged-causal.mlir --device emulator:sm_89,seed=1 --shapes %{shapes} | FileCheck %s --check-prefix=RIGHT

// The check can fail.
// RUN: not %{bench} %t/full.ref.mlir %t/causal.mlir --device emulator:sm_89 --shapes %{shapes} | FileCheck %s --check-prefix=WRONG
// WRONG: attention {{.*}} incorrect

// Groups: q in registers before the loop; in the loop one reduction over lanes, of the maximum, and nothing goes through shared memory but
// what was copied there; the sums meet behind the loop. Trips in which no key lies beyond the last one have a loop without a mask.
// RUN: helios-opt %s --pass-pipeline='builtin.module(tile-to-frag-level{device=sm_89})' | FileCheck %s --check-prefix=GROUPS
// GROUPS: frag.read
// GROUPS: scf.for
// GROUPS-NOT: arith.select
// GROUPS-NOT: frag.write
// GROUPS: frag.mma
// GROUPS-NOT: arith.select
// GROUPS-NOT: frag.write
// GROUPS: frag.reduce max {{.*}}, lane dim 1
// GROUPS: frag.reduce max {{.*}}, group
// GROUPS: frag.reduce add {{.*}}, lane dim 1
// GROUPS-NOT: frag.reduce add {{.*}}, group
// GROUPS-NOT: frag.write
// GROUPS: frag.mma
// GROUPS-NOT: frag.write
// GROUPS: scf.yield
// GROUPS: scf.for
// GROUPS: arith.select
// GROUPS: frag.reduce add {{.*}}, group

// Roles: the next trip's first product and this trip's second start one behind the other; the keys' slot goes back before the lanes work on
// the scores, which they do while the second product runs. What it reads from registers lives to where it is awaited.
// RUN: helios-opt %t/roles.mlir --pass-pipeline='builtin.module(tile-to-frag-level{device=sm_90a})' | FileCheck %s --check-prefix=ROLES
// ROLES: frag.role lanes(128 to 384 by 128)
// ROLES: scf.for
// ROLES: scf.for
// ROLES: %[[S:.*]], %[[TS:.*]] = frag.mma_start
// ROLES: %[[O:.*]], %[[TO:.*]] = frag.mma_start
// ROLES-NEXT: %{{.*}} = frag.await %[[TS]]{{ ?}}(%[[S]]
// ROLES-NEXT: frag.release %{{.*}} after(%[[TS]]
// ROLES: frag.reduce max {{.*}}, group
// ROLES: math.exp2
// ROLES: frag.await %[[TO]]{{ ?}}(%[[O]] {{.*}} through(
// ROLES: frag.release %{{.*}} after(%[[TO]]
// ROLES: arith.mulf
// ROLES: arith.truncf
// ROLES: scf.yield

// Lines that end in D change with the head dimension; `full` and `causal` lines exclude each other.
!t = tensor<?x?x?x64xf16>                                                                       // D
!v = !tile.view<?x?x64xf16, strides = [?, 64, 1], div = [64, 64, 1], align = 16>                // D
!q = tensor<128x64xf16>                                                                         // D
!k = tensor<64x64xf16>                                                                          // D
!kt = tensor<64x64xf16>                                                                         // D first
!acc = tensor<128x64xf32>                                                                       // D
!s = tensor<128x64xf32>
!p = tensor<128x64xf16>
!row = tensor<128xf32>

tile.program @attention_program(%pq: !tile.ptr<f16>, %pk: !tile.ptr<f16>, %pv: !tile.ptr<f16>, %po: !tile.ptr<f16>,
    %heads: index {tile.range = array<i64: 1, 65536>}, %rows: index {tile.range = array<i64: 1, 16777216>})
    attributes {config = #tile.config<groups = [4, 1], strategy = groups, depth = 2>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %cd = arith.constant 64 : index // D
  // Scale and log2(e): powers of two instead of e.
  %sc = arith.constant 0.18033688 : f32 // D
  %nsc = arith.constant -0.18033688 : f32 // D
  %size = arith.muli %rows, %cd : index
  %q = tile.view %pq[%heads, %rows] strides [%size] : !tile.ptr<f16> -> !v
  %k = tile.view %pk[%heads, %rows] strides [%size] : !tile.ptr<f16> -> !v
  %v = tile.view %pv[%heads, %rows] strides [%size] : !tile.ptr<f16> -> !v
  %o = tile.view %po[%heads, %rows] strides [%size] : !tile.ptr<f16> -> !v
  %blocks = arith.ceildivui %rows, %c128 : index
  %all = arith.ceildivui %rows, %c64 : index
  %ninf = arith.constant dense<0xFF800000> : !row
  %zeros = arith.constant dense<0.0> : !row
  %ones = arith.constant dense<1.0> : !row
  %zero = arith.constant dense<0.0> : !acc
  %zero_s = arith.constant dense<0.0> : !s
  %ninf_s = arith.constant dense<0xFF800000> : !s
  %scs = tile.expand %sc, [0, 1] : f32 -> !s
  %scv = tile.expand %sc, [0] : f32 -> !row
  %nscv = tile.expand %nsc, [0] : f32 -> !row
  tile.items (%h, %i) in (%heads, %blocks) #tile.items<grid> {
    %m = arith.muli %i, %c128 : index
    %tq = tile.load %q[%h, %m, %c0] : !v -> !q
    %steps = arith.minui %all, %all : index // full
    // causal: %beyond = arith.addi %m, %c128 : index
    // causal: %seen = arith.ceildivui %beyond, %c64 : index
    // causal: %steps = arith.minui %all, %seen : index
    %x:3 = scf.for %n = %c0 to %steps step %c1 iter_args(%mx = %ninf, %l = %zeros, %acc = %zero) -> (!row, !row, !acc) {
      %j = arith.muli %n, %c64 : index
      %tk = tile.load %k[%h, %j, %c0] : !v -> !k
      %kt = tile.transpose %tk : !k -> !kt
      %s = tile.dot %tq, %kt, %zero_s : !q, !kt, !s
      // Keys beyond the last one count for nothing.
      %at = tile.iota 1 base %j : tensor<128x64xindex>
      %end = tile.expand %rows, [0, 1] : index -> tensor<128x64xindex> // full
      %in = arith.cmpi ult, %at, %end : tensor<128x64xindex> // full
      // causal: %end = tile.iota 0 base %m : tensor<128x64xindex>
      // causal: %in = arith.cmpi ule, %at, %end : tensor<128x64xindex>
      %sm = arith.select %in, %s, %ninf_s : tensor<128x64xi1>, !s
      %mt = tile.reduce max %sm, 1 : !s -> !row
      %m1 = arith.maximumf %mx, %mt : !row
      %nm = arith.mulf %m1, %nscv : !row
      %df = math.fma %mx, %scv, %nm : !row
      %f = math.exp2 %df : !row
      %nms = tile.expand %nm, [1] : !row -> !s
      %e = math.fma %sm, %scs, %nms : !s
      %p = math.exp2 %e : !s
      %ls = tile.reduce add %p, 1 : !s -> !row
      %l1 = math.fma %l, %f, %ls : !row
      %fs = tile.expand %f, [1] : !row -> !acc
      %o1 = arith.mulf %acc, %fs : !acc
      %p16 = arith.truncf %p : !s to !p
      %tv = tile.load %v[%h, %j, %c0] : !v -> !k
      %o2 = tile.dot %p16, %tv, %o1 : !p, !k, !acc
      scf.yield %m1, %l1, %o2 : !row, !row, !acc
    }
    %r = arith.divf %ones, %x#1 : !row
    %rs = tile.expand %r, [1] : !row -> !acc
    %y = arith.mulf %x#2, %rs : !acc
    %y16 = arith.truncf %y : !acc to !q
    tile.store %y16, %o[%h, %m, %c0] : !q, !v
  }
  tile.return
}

tile.plan @attention(%q: !t, %k: !t, %v: !t, %o: !t) attributes {output_count = 1 : i64, arg_names = ["q", "k", "v", "o"]} {
  %c0 = arith.constant 0 : index
  %c128 = arith.constant 128 : index
  %batch = tile.extent %q, 0 : !t
  %heads = tile.extent %q, 1 : !t
  %rows = tile.extent %q, 2 : !t
  %batch_k = tile.extent %k, 0 : !t
  %same_batch_k = arith.cmpi eq, %batch_k, %batch : index
  tile.require %same_batch_k, "extent 0 of k must equal extent 0 of q"
  %heads_k = tile.extent %k, 1 : !t
  %same_heads_k = arith.cmpi eq, %heads_k, %heads : index
  tile.require %same_heads_k, "extent 1 of k must equal extent 1 of q"
  %rows_k = tile.extent %k, 2 : !t
  %same_rows_k = arith.cmpi eq, %rows_k, %rows : index
  tile.require %same_rows_k, "extent 2 of k must equal extent 2 of q"
  %batch_v = tile.extent %v, 0 : !t
  %same_batch_v = arith.cmpi eq, %batch_v, %batch : index
  tile.require %same_batch_v, "extent 0 of v must equal extent 0 of q"
  %heads_v = tile.extent %v, 1 : !t
  %same_heads_v = arith.cmpi eq, %heads_v, %heads : index
  tile.require %same_heads_v, "extent 1 of v must equal extent 1 of q"
  %rows_v = tile.extent %v, 2 : !t
  %same_rows_v = arith.cmpi eq, %rows_v, %rows : index
  tile.require %same_rows_v, "extent 2 of v must equal extent 2 of q"
  %batch_o = tile.extent %o, 0 : !t
  %same_batch_o = arith.cmpi eq, %batch_o, %batch : index
  tile.require %same_batch_o, "extent 0 of o must equal extent 0 of q"
  %heads_o = tile.extent %o, 1 : !t
  %same_heads_o = arith.cmpi eq, %heads_o, %heads : index
  tile.require %same_heads_o, "extent 1 of o must equal extent 1 of q"
  %rows_o = tile.extent %o, 2 : !t
  %same_rows_o = arith.cmpi eq, %rows_o, %rows : index
  tile.require %same_rows_o, "extent 2 of o must equal extent 2 of q"
  %all = arith.muli %batch, %heads : index
  %blocks = arith.ceildivui %rows, %c128 : index
  %items = arith.muli %all, %blocks : index
  tile.dispatch @attention_program[%items] (%q, %k, %v, %o, %all, %rows) : !t, !t, !t, !t, index, index
  tile.plan_yield %c0
}
