// Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// o = softmax(q · kᵀ / sqrt(D)) · v for [heads, rows, D], by online softmax over blocks of keys: two chained products in one loop, of which
// the first one's left operand is loaded outside. The program says nothing of layouts, rings, stages or lanes; every strategy
// makes its own kernel of it.

// Asynchronous groups: q in registers before the loop; in the loop one reduction over lanes, of the maximum, and nothing through shared memory but
// what was copied there; the sums meet behind it.
// RUN: helios-opt %s --pass-pipeline='builtin.module(tile-to-frag-level{device=sm_89})' | FileCheck %s --check-prefix=GROUPS
// GROUPS: frag.read
// GROUPS: scf.for
// GROUPS-NOT: frag.write
// GROUPS: frag.mma
// GROUPS-NOT: frag.write
// GROUPS: frag.reduce max {{.*}}, lane dim 1
// GROUPS: frag.reduce max {{.*}}, group
// GROUPS: frag.reduce add {{.*}}, lane dim 1
// GROUPS-NOT: frag.reduce add {{.*}}, group
// GROUPS-NOT: frag.write
// GROUPS: frag.mma
// GROUPS-NOT: frag.write
// GROUPS: scf.yield
// GROUPS: frag.reduce add {{.*}}, group

// Lines that end in D change with the head dimension; `full` and `causal` lines exclude each other.
!t = tensor<?x?x64xf16>                                                                         // D
!v = !tile.view<?x?x64xf16, strides = [?, 64, 1], div = [64, 64, 1], align = 16>                // D
!q = tensor<128x64xf16>                                                                         // D
!k = tensor<64x64xf16>                                                                          // D
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
      %kt = tile.transpose %tk : !k -> tensor<64x64xf16> // D
      %s = tile.dot %tq, %kt, %zero_s : !q, tensor<64x64xf16>, !s // D
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
  %heads = tile.extent %q, 0 : !t
  %rows = tile.extent %q, 1 : !t
  %blocks = arith.ceildivui %rows, %c128 : index
  %items = arith.muli %heads, %blocks : index
  tile.dispatch @attention_program[%items] (%q, %k, %v, %o, %heads, %rows) : !t, !t, !t, !t, index, index
  tile.plan_yield %c0
}
