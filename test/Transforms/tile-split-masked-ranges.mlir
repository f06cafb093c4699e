// RUN: helios-opt %s --split-input-file --pass-pipeline='builtin.module(tile.program(tile-split-masked-ranges),canonicalize)' | FileCheck %s

// The last block of keys may reach beyond the end: one loop without the comparison, one with it.
// CHECK-LABEL: @end
// CHECK-SAME: , %[[N:[a-z0-9]+]]: index {tile.range
// CHECK: %[[STEPS:.*]] = arith.ceildivui %[[N]], %c16
// (n - 16 + 16) / 16 blocks lie before the end.
// CHECK: %[[WHOLE:.*]] = arith.divui %{{.*}}, %c16
// CHECK: %[[AT_LEAST:.*]] = arith.maxsi %[[WHOLE]], %c0
// CHECK: %[[CUT:.*]] = arith.minsi %[[STEPS]], %[[AT_LEAST]]
// CHECK: %[[X:.*]] = scf.for %{{.*}} = %c0 to %[[CUT]] step %c1 iter_args(%{{.*}} = %{{.*}})
// CHECK-NOT: arith.cmpi
// CHECK-NOT: arith.select
// CHECK: %[[D:.*]] = tile.dot
// CHECK-NEXT: scf.yield %[[D]]
// CHECK: scf.for %{{.*}} = %[[CUT]] to %[[STEPS]] step %c1 iter_args(%{{.*}} = %[[X]])
// CHECK: arith.cmpi ult
// CHECK: arith.select
tile.program @end(%p: !tile.ptr<f32>, %n: index {tile.range = array<i64: 1, 1000>}) {
  %c0 = arith.constant 0 : index
  %v = tile.view %p[] : !tile.ptr<f32> -> !tile.view<16x16xf32, strides = [16, 1]>
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %a = arith.constant dense<1.0> : tensor<16x16xf16>
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %end = tile.expand %n, [0, 1] : index -> tensor<16x16xindex>
  %steps = arith.ceildivui %n, %c16 : index
  %x = scf.for %i = %c0 to %steps step %c1 iter_args(%sum = %zero) -> (tensor<16x16xf32>) {
    %y = tile.dot %a, %a, %sum : tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf32>
    %j = arith.muli %i, %c16 : index
    %at = tile.iota 1 base %j : tensor<16x16xindex>
    %in = arith.cmpi ult, %at, %end : tensor<16x16xindex>
    %z = arith.select %in, %y, %zero : tensor<16x16xi1>, tensor<16x16xf32>
    scf.yield %z : tensor<16x16xf32>
  }
  tile.store %x, %v[%c0, %c0] : tensor<16x16xf32>, !tile.view<16x16xf32, strides = [16, 1]>
  tile.return
}

// -----

// Rows up to the diagonal, whose tiles are taken from the last to the first: what a remainder leaves of its divisor is a place, so an unsigned
// comparison is that of the signed numbers.
// CHECK-LABEL: @reversed
// CHECK: %[[X:.*]] = scf.for
// CHECK-NOT: arith.cmpi
// CHECK: scf.yield
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %[[X]])
// CHECK: arith.cmpi ule
tile.program @reversed(%p: !tile.ptr<f32>, %n: index {tile.range = array<i64: 1, 1000>}) {
  %c0 = arith.constant 0 : index
  %v = tile.view %p[] : !tile.ptr<f32> -> !tile.view<16x16xf32, strides = [16, 1]>
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %a = arith.constant dense<1.0> : tensor<16x16xf16>
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %steps = arith.ceildivui %n, %c16 : index
  %w = tile.id workgroup
  %number = arith.remui %w, %steps : index
  %left = arith.subi %steps, %number : index
  %last = arith.subi %left, %c1 : index
  %m = arith.muli %last, %c16 : index
  %row = tile.iota 0 base %m : tensor<16x16xindex>
  %x = scf.for %i = %c0 to %steps step %c1 iter_args(%sum = %zero) -> (tensor<16x16xf32>) {
    %y = tile.dot %a, %a, %sum : tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf32>
    %j = arith.muli %i, %c16 : index
    %col = tile.iota 1 base %j : tensor<16x16xindex>
    %in = arith.cmpi ule, %col, %row : tensor<16x16xindex>
    %z = arith.select %in, %y, %zero : tensor<16x16xi1>, tensor<16x16xf32>
    scf.yield %z : tensor<16x16xf32>
  }
  tile.store %x, %v[%c0, %c0] : tensor<16x16xf32>, !tile.view<16x16xf32, strides = [16, 1]>
  tile.return
}

// -----

// A window around the diagonal, walked backwards: masked at both ends, by the condition of that end alone where the other one holds, plain between.
// CHECK-LABEL: @window
// CHECK: %[[A:.*]] = scf.for %{{.*}} = %c0 to %[[CUT:.*]] step
// CHECK: arith.cmpi sle
// CHECK-NOT: arith.cmpi sgt
// CHECK: scf.yield
// CHECK: %[[B:.*]] = scf.for %{{.*}} = %[[CUT]] to %[[BEGIN:.*]] step {{.*}} iter_args(%{{.*}} = %[[A]])
// CHECK: arith.cmpi sle
// CHECK: arith.cmpi sgt
// CHECK: arith.andi
// CHECK: scf.yield
// CHECK: %[[C:.*]] = scf.for %{{.*}} = %[[BEGIN]] to %[[END:.*]] step {{.*}} iter_args(%{{.*}} = %[[B]])
// CHECK-NOT: arith.cmpi
// CHECK: scf.yield
// CHECK: scf.for %{{.*}} = %[[END]] to {{.*}} iter_args(%{{.*}} = %[[C]])
// CHECK-NOT: arith.cmpi sle
// CHECK: arith.cmpi sgt
tile.program @window(%p: !tile.ptr<f32>, %m: index {tile.range = array<i64: 0, 1000>}, %last: index, %steps: index) {
  %c0 = arith.constant 0 : index
  %v = tile.view %p[] : !tile.ptr<f32> -> !tile.view<16x16xf32, strides = [16, 1]>
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %a = arith.constant dense<1.0> : tensor<16x16xf16>
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %x = scf.for %i = %c0 to %steps step %c1 iter_args(%sum = %zero) -> (tensor<16x16xf32>) {
    %y = tile.dot %a, %a, %sum : tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf32>
    %back = arith.subi %last, %i : index
    %j = arith.muli %back, %c16 : index
    %col = tile.iota 1 base %j : tensor<16x16xindex>
    %row = tile.iota 0 base %m : tensor<16x16xindex>
    %width = tile.expand %c64, [0, 1] : index -> tensor<16x16xindex>
    %first = arith.subi %row, %width : tensor<16x16xindex>
    %before = arith.cmpi sle, %col, %row : tensor<16x16xindex>
    %behind = arith.cmpi sgt, %col, %first : tensor<16x16xindex>
    %in = arith.andi %before, %behind : tensor<16x16xi1>
    %z = arith.select %in, %y, %zero : tensor<16x16xi1>, tensor<16x16xf32>
    scf.yield %z : tensor<16x16xf32>
  }
  tile.store %x, %v[%c0, %c0] : tensor<16x16xf32>, !tile.view<16x16xf32, strides = [16, 1]>
  tile.return
}

// -----

// Keys that all rows see, or up to the diagonal: one of both is enough. What nobody knows of stays beside it.
// CHECK-LABEL: @prefix
// CHECK-SAME: %[[P:[a-z0-9]+]]: index, %[[STEPS:[a-z0-9]+]]: index
// CHECK: %[[BEFORE:.*]] = arith.divui
// CHECK: %[[BELOW:.*]] = arith.divui
// CHECK: %[[EITHER:.*]] = arith.maxsi %[[BEFORE]], %[[BELOW]]
// CHECK: %[[X:.*]] = scf.for
// CHECK-NOT: arith.cmpi slt
// CHECK-NOT: arith.cmpi sle
// CHECK: arith.cmpi eq
// CHECK: scf.yield
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %[[X]])
// CHECK: arith.cmpi slt
// CHECK: arith.cmpi sle
// CHECK: arith.ori
// CHECK: arith.cmpi eq
// CHECK-NOT: scf.for
tile.program @prefix(%p: !tile.ptr<f32>, %m: index {tile.range = array<i64: 0, 1000>}, %prefix: index, %steps: index) {
  %c0 = arith.constant 0 : index
  %v = tile.view %p[] : !tile.ptr<f32> -> !tile.view<16x16xf32, strides = [16, 1]>
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %a = arith.constant dense<1.0> : tensor<16x16xf16>
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %ones = arith.constant dense<1.0> : tensor<16x16xf32>
  %document = arith.constant dense<1> : tensor<16x16xi32>
  %x = scf.for %i = %c0 to %steps step %c1 iter_args(%sum = %zero) -> (tensor<16x16xf32>) {
    %y = tile.dot %a, %a, %sum : tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf32>
    %j = arith.muli %i, %c16 : index
    %keys = tile.iota 0 base %j : tensor<16xindex>
    %end = tile.expand %prefix, [0] : index -> tensor<16xindex>
    %before = arith.cmpi slt, %keys, %end : tensor<16xindex>
    %in = tile.expand %before, [0] : tensor<16xi1> -> tensor<16x16xi1>
    %col = tile.iota 1 base %j : tensor<16x16xindex>
    %row = tile.iota 0 base %m : tensor<16x16xindex>
    %below = arith.cmpi sle, %col, %row : tensor<16x16xindex>
    %seen = arith.ori %in, %below : tensor<16x16xi1>
    %bits = arith.fptosi %y : tensor<16x16xf32> to tensor<16x16xi32>
    %same = arith.cmpi eq, %bits, %document : tensor<16x16xi32>
    %keep = arith.andi %seen, %same : tensor<16x16xi1>
    %z = arith.select %keep, %ones, %zero : tensor<16x16xi1>, tensor<16x16xf32>
    scf.yield %z : tensor<16x16xf32>
  }
  tile.store %x, %v[%c0, %c0] : tensor<16x16xf32>, !tile.view<16x16xf32, strides = [16, 1]>
  tile.return
}

// -----

// Either end is enough, and nobody knows how far apart they are: the longer stretch is plain, all else masked by both.
// CHECK-LABEL: @ends
// CHECK: %[[LONGER:.*]] = arith.cmpi sge
// CHECK: %[[FROM:.*]] = arith.select %[[LONGER]]
// CHECK: %[[TO:.*]] = arith.select %[[LONGER]]
// CHECK: scf.for
// CHECK: arith.ori
// CHECK: scf.for
// CHECK-NOT: arith.cmpi
// CHECK: scf.yield
// CHECK: scf.for
// CHECK: arith.ori
tile.program @ends(%p: !tile.ptr<f32>, %first: index, %last: index, %steps: index) {
  %c0 = arith.constant 0 : index
  %v = tile.view %p[] : !tile.ptr<f32> -> !tile.view<16x16xf32, strides = [16, 1]>
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %a = arith.constant dense<1.0> : tensor<16x16xf16>
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %x = scf.for %i = %c0 to %steps step %c1 iter_args(%sum = %zero) -> (tensor<16x16xf32>) {
    %y = tile.dot %a, %a, %sum : tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf32>
    %j = arith.muli %i, %c16 : index
    %col = tile.iota 1 base %j : tensor<16x16xindex>
    %f = tile.expand %first, [0, 1] : index -> tensor<16x16xindex>
    %l = tile.expand %last, [0, 1] : index -> tensor<16x16xindex>
    %before = arith.cmpi slt, %col, %f : tensor<16x16xindex>
    %behind = arith.cmpi sge, %col, %l : tensor<16x16xindex>
    %keep = arith.ori %before, %behind : tensor<16x16xi1>
    %z = arith.select %keep, %y, %zero : tensor<16x16xi1>, tensor<16x16xf32>
    scf.yield %z : tensor<16x16xf32>
  }
  tile.store %x, %v[%c0, %c0] : tensor<16x16xf32>, !tile.view<16x16xf32, strides = [16, 1]>
  tile.return
}

// -----

// What was found out before says nothing new, but of which trips: in those nothing is compared, in all others what it was found out of alone.
// CHECK-LABEL: @found
// CHECK: scf.for
// CHECK: arith.cmpi eq
// CHECK-NOT: arith.ori
// CHECK: scf.for
// CHECK-NOT: arith.cmpi
// CHECK: scf.yield
// CHECK: scf.for
// CHECK: arith.cmpi eq
// CHECK-NOT: arith.ori
// CHECK: tile.store
tile.program @found(%p: !tile.ptr<f32>, %first: index, %end: index, %steps: index) {
  %c0 = arith.constant 0 : index
  %v = tile.view %p[] : !tile.ptr<f32> -> !tile.view<16x16xf32, strides = [16, 1]>
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %a = arith.constant dense<1.0> : tensor<16x16xf16>
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %ones = arith.constant dense<1.0> : tensor<16x16xf32>
  %document = arith.constant dense<1> : tensor<16x16xi32>
  %x = scf.for %i = %c0 to %steps step %c1 iter_args(%sum = %zero) -> (tensor<16x16xf32>) {
    %y = tile.dot %a, %a, %sum : tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf32>
    %bits = arith.fptosi %y : tensor<16x16xf32> to tensor<16x16xi32>
    %same = arith.cmpi eq, %bits, %document : tensor<16x16xi32>
    %j = arith.muli %i, %c16 : index
    %col = tile.iota 1 base %j : tensor<16x16xindex>
    %f = tile.expand %first, [0, 1] : index -> tensor<16x16xindex>
    %e = tile.expand %end, [0, 1] : index -> tensor<16x16xindex>
    %from = arith.cmpi sge, %col, %f : tensor<16x16xindex>
    %to = arith.cmpi slt, %col, %e : tensor<16x16xindex>
    %inside = arith.andi %from, %to : tensor<16x16xi1>
    %keep = arith.ori %same, %inside {tile.implied} : tensor<16x16xi1>
    %z = arith.select %keep, %ones, %zero : tensor<16x16xi1>, tensor<16x16xf32>
    scf.yield %z : tensor<16x16xf32>
  }
  tile.store %x, %v[%c0, %c0] : tensor<16x16xf32>, !tile.view<16x16xf32, strides = [16, 1]>
  tile.return
}

// -----

// Left alone: what holds in all trips alike, or of which nothing is known; numbers that may be below zero and are compared as if they
// were not; other steps than one; loops without products.
// CHECK-LABEL: @alone
// CHECK-COUNT-5: scf.for
// CHECK-NOT: scf.for
tile.program @alone(%p: !tile.ptr<f32>, %m: index, %n: index, %c: index) {
  %c0 = arith.constant 0 : index
  %v = tile.view %p[] : !tile.ptr<f32> -> !tile.view<16x16xf32, strides = [16, 1]>
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %a = arith.constant dense<1.0> : tensor<16x16xf16>
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %end = tile.expand %n, [0, 1] : index -> tensor<16x16xindex>
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> (tensor<16x16xf32>) {
    %y = tile.dot %a, %a, %sum : tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf32>
    %at = tile.iota 1 base %m : tensor<16x16xindex>
    %in = arith.cmpi slt, %at, %end : tensor<16x16xindex>
    %z = arith.select %in, %y, %zero : tensor<16x16xi1>, tensor<16x16xf32>
    scf.yield %z : tensor<16x16xf32>
  }
  %1 = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %0) -> (tensor<16x16xf32>) {
    %y = tile.dot %a, %a, %sum : tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf32>
    %at = tile.iota 1 base %i : tensor<16x16xindex>
    %twice = arith.muli %at, %at : tensor<16x16xindex>
    %in = arith.cmpi slt, %twice, %end : tensor<16x16xindex>
    %z = arith.select %in, %y, %zero : tensor<16x16xi1>, tensor<16x16xf32>
    scf.yield %z : tensor<16x16xf32>
  }
  %2 = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %1) -> (tensor<16x16xf32>) {
    %y = tile.dot %a, %a, %sum : tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf32>
    %j = arith.subi %i, %m : index
    %at = tile.iota 1 base %j : tensor<16x16xindex>
    %in = arith.cmpi ult, %at, %end : tensor<16x16xindex>
    %z = arith.select %in, %y, %zero : tensor<16x16xi1>, tensor<16x16xf32>
    scf.yield %z : tensor<16x16xf32>
  }
  %3 = scf.for %i = %c0 to %n step %c2 iter_args(%sum = %2) -> (tensor<16x16xf32>) {
    %y = tile.dot %a, %a, %sum : tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf32>
    %at = tile.iota 1 base %i : tensor<16x16xindex>
    %in = arith.cmpi slt, %at, %end : tensor<16x16xindex>
    %z = arith.select %in, %y, %zero : tensor<16x16xi1>, tensor<16x16xf32>
    scf.yield %z : tensor<16x16xf32>
  }
  %4 = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %3) -> (tensor<16x16xf32>) {
    %at = tile.iota 1 base %i : tensor<16x16xindex>
    %in = arith.cmpi slt, %at, %end : tensor<16x16xindex>
    %z = arith.select %in, %sum, %zero : tensor<16x16xi1>, tensor<16x16xf32>
    scf.yield %z : tensor<16x16xf32>
  }
  tile.store %4, %v[%c0, %c0] : tensor<16x16xf32>, !tile.view<16x16xf32, strides = [16, 1]>
  tile.return
}

// -----

#s = #tile.shared<order = [1, 0], swizzle = 32>
#mma = #ptx.mma_sync<[16, 8, 16], f16, f16, f32>
#a = #tile.operand<a, #mma, groups = [1, 1]>
#b = #tile.operand<b, #mma, groups = [1, 1]>
#acc = #tile.acc<#mma, groups = [1, 1]>
!v = !tile.view<?x16xf16, strides = [16, 1], div = [16, 1], align = 16>
!ring = !tile.ring<1x(tensor<16x16xf16, #s>), load, copy = #ptx.async16>
// A slot that the loop reads is handed back behind both parts.
// CHECK-LABEL: @slot
// CHECK: %[[X:.*]] = scf.for
// CHECK: %[[Y:.*]] = scf.for
// CHECK: tile.exit %{{.*}} after(%[[Y]], %[[X]]
tile.program @slot(%p: !tile.ptr<f16>, %n: index {tile.range = array<i64: 1, 1000>}) attributes {target = #ptx.target<"sm_89">} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %v = tile.view %p[%n] : !tile.ptr<f16> -> !v
  %zero = arith.constant dense<0.0> : tensor<16x16xf32, #acc>
  %fb = arith.constant dense<1.0> : tensor<16x16xf16, #b>
  %ring, %c = tile.ring : !ring
  %w, %cw = tile.enter write %ring[%c] : !ring -> !tile.slot<write>
  %t = tile.copy_in %v[%c0, %c0] into %w[0] : !v, !tile.slot<write>
  tile.exit %w after(%t : !tile.token) : !tile.slot<write>
  %r, %cr, %q = tile.enter read %ring[%c] : !ring -> !tile.slot<read>, tensor<16x16xf16, #s>
  %steps = arith.ceildivui %n, %c16 : index
  %x = scf.for %i = %c0 to %steps step %c1 iter_args(%sum = %zero) -> (tensor<16x16xf32, #acc>) {
    %fa = tile.convert_layout %q : tensor<16x16xf16, #s> -> tensor<16x16xf16, #a>
    %y = tile.dot %fa, %fb, %sum mma #mma : tensor<16x16xf16, #a>, tensor<16x16xf16, #b>, tensor<16x16xf32, #acc>
    %j = arith.muli %i, %c16 : index
    %at = tile.iota 1 base %j : tensor<16x16xindex, #acc>
    %end = tile.expand %n, [0, 1] : index -> tensor<16x16xindex, #acc>
    %in = arith.cmpi ult, %at, %end : tensor<16x16xindex, #acc>
    %z = arith.select %in, %y, %zero : tensor<16x16xi1, #acc>, tensor<16x16xf32, #acc>
    scf.yield %z : tensor<16x16xf32, #acc>
  }
  tile.exit %r after(%x : tensor<16x16xf32, #acc>) : !tile.slot<read>
  tile.return
}
