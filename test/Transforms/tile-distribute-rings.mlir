// RUN: helios-opt %s --pass-pipeline='builtin.module(tile-distribute,canonicalize,cse)' | FileCheck %s

// What becomes of the value of an asynchronous product. The hard programs are in tile-to-frag-rings.mlir.

#mma = #ptx.wgmma<n = 64, bf16, bf16, f32>
#acc = #tile.acc<#mma, groups = [1, 1]>
#opA = #tile.operand<a, #mma, groups = [1, 1]>
#s = #tile.shared<order = [1, 0], swizzle = 128>
!v = !tile.view<?x?xf32, strides = [?, 1]>
!vb = !tile.view<?x?xbf16, strides = [?, 1], div = [8, 1], align = 16>
!shared = !tile.ring<2x(tensor<256x64xbf16, #s>, tensor<64x256xbf16, #s>), load, copy = #ptx.bulk, scope = cluster, cluster = 4, multicast>
!ring = !tile.ring<2x(tensor<64x64xbf16, #s>), load, copy = #ptx.async16>

// CHECK-LABEL: @chain
// A product adds to one in flight; exits name both; the sum is awaited where it is stored.
tile.program @chain(%p: !tile.ptr<bf16>, %q: !tile.ptr<f32>, %n: index {tile.div = 8 : index}) attributes {shared_bytes = 16384 : i64} {
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<bf16> -> !vb
  %o = tile.view %q[%n, %n] strides [%n] : !tile.ptr<f32> -> !v
  %ring, %c = tile.ring {tile.offset = 0 : i64} : !ring
  %w, %cw = tile.enter write %ring[%c] : !ring -> !tile.slot<write>
  %t = tile.copy_in %v[%n, %n] into %w[0] : !vb, !tile.slot<write>
  tile.exit %w after(%t : !tile.token) : !tile.slot<write>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #acc>
  %s, %cr, %a = tile.enter read %ring[%c] : !ring -> !tile.slot<read>, tensor<64x64xbf16, #s>
  // CHECK: %[[F:.*]], %[[T:.*]] = frag.mma_start #ptx.wgmma<n = 64, bf16, bf16, f32> %[[A:[0-9]+]], %[[A]] : !frag.mem
  %d = tile.dot %a, %a, %zero mma(#mma) : tensor<64x64xbf16, #s>, tensor<64x64xbf16, #s>, tensor<64x64xf32, #acc>
  // CHECK-NEXT: %[[G:.*]], %[[U:.*]] = frag.mma_start {{.*}} %[[A]], %[[A]], %[[F]] :
  %e = tile.dot %a, %a, %d mma(#mma) : tensor<64x64xbf16, #s>, tensor<64x64xbf16, #s>, tensor<64x64xf32, #acc>
  // CHECK-NEXT: %[[X:.*]] = frag.await %[[U]](%[[G]] :
  // CHECK-NEXT: frag.release %{{.*}} after(%[[T]], %[[U]] :
  tile.exit %s after(%d, %e : tensor<64x64xf32, #acc>, tensor<64x64xf32, #acc>) : !tile.slot<read>
  // CHECK-NEXT: frag.write %[[X]]
  tile.store %e, %o[%n, %n] : tensor<64x64xf32, #acc>, !v
  tile.return
}

// CHECK-LABEL: @twice
// A value that is added to and needed as well is awaited first.
tile.program @twice(%p: !tile.ptr<bf16>, %q: !tile.ptr<f32>, %n: index {tile.div = 8 : index}) attributes {shared_bytes = 16384 : i64} {
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<bf16> -> !vb
  %o = tile.view %q[%n, %n] strides [%n] : !tile.ptr<f32> -> !v
  %ring, %c = tile.ring {tile.offset = 0 : i64} : !ring
  %w, %cw = tile.enter write %ring[%c] : !ring -> !tile.slot<write>
  %t = tile.copy_in %v[%n, %n] into %w[0] : !vb, !tile.slot<write>
  tile.exit %w after(%t : !tile.token) : !tile.slot<write>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #acc>
  %s, %cr, %a = tile.enter read %ring[%c] : !ring -> !tile.slot<read>, tensor<64x64xbf16, #s>
  // CHECK: %[[F:.*]], %[[T:.*]] = frag.mma_start
  %d = tile.dot %a, %a, %zero mma(#mma) : tensor<64x64xbf16, #s>, tensor<64x64xbf16, #s>, tensor<64x64xf32, #acc>
  // CHECK-NEXT: %[[X:.*]] = frag.await %[[T]](%[[F]] :
  // CHECK-NEXT: %[[G:.*]], %[[U:.*]] = frag.mma_start {{.*}}, %[[X]] : !frag.f<
  %e = tile.dot %a, %a, %d mma(#mma) : tensor<64x64xbf16, #s>, tensor<64x64xbf16, #s>, tensor<64x64xf32, #acc>
  // CHECK-NEXT: %[[Y:.*]] = frag.await %[[U]](%[[G]] :
  // CHECK-NEXT: frag.release %{{.*}} after(%[[T]], %[[U]] :
  tile.exit %s after(%d, %e : tensor<64x64xf32, #acc>, tensor<64x64xf32, #acc>) : !tile.slot<read>
  // CHECK-NEXT: frag.write %[[X]]
  // CHECK: frag.write %[[Y]]
  tile.store %d, %o[%n, %n] : tensor<64x64xf32, #acc>, !v
  %n1 = arith.addi %n, %n : index
  tile.store %e, %o[%n1, %n] : tensor<64x64xf32, #acc>, !v
  tile.return
}

// CHECK-LABEL: @branch
// No branch awaits what was started outside.
tile.program @branch(%p: !tile.ptr<bf16>, %q: !tile.ptr<f32>, %n: index {tile.div = 8 : index}, %b: i1) attributes {shared_bytes = 16384 : i64} {
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<bf16> -> !vb
  %o = tile.view %q[%n, %n] strides [%n] : !tile.ptr<f32> -> !v
  %ring, %c = tile.ring {tile.offset = 0 : i64} : !ring
  %w, %cw = tile.enter write %ring[%c] : !ring -> !tile.slot<write>
  %t = tile.copy_in %v[%n, %n] if %b into %w[0] : !vb, !tile.slot<write>
  tile.exit %w after(%t : !tile.token) : !tile.slot<write>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #acc>
  %s, %cr, %a = tile.enter read %ring[%c] : !ring -> !tile.slot<read>, tensor<64x64xbf16, #s>
  // An operand in registers lives to the await.
  // CHECK: frag.copy_in #ptx.async16 {{.*}} if %{{.*}} into
  // CHECK: %[[A:.*]] = frag.read
  %fa = tile.convert_layout %a : tensor<64x64xbf16, #s> -> tensor<64x64xbf16, #opA>
  // CHECK: frag.mma_start {{.*}} %[[A]], %{{[0-9]*}} :
  // CHECK-NEXT: frag.await {{.*}} through(%[[A]] :
  // CHECK-NEXT: scf.if
  %d = tile.dot %fa, %a, %zero mma(#mma) : tensor<64x64xbf16, #opA>, tensor<64x64xbf16, #s>, tensor<64x64xf32, #acc>
  scf.if %b {
    tile.store %d, %o[%n, %n] : tensor<64x64xf32, #acc>, !v
  }
  // CHECK: frag.release
  tile.exit %s after(%d, %fa : tensor<64x64xf32, #acc>, tensor<64x64xbf16, #opA>) : !tile.slot<read>
  tile.return
}

// CHECK-LABEL: @branches
// Each branch awaits its own product and pins what that reads; what a branch gives in place of an operand is computed behind the await.
tile.program @branches(%p: !tile.ptr<bf16>, %q: !tile.ptr<f32>, %n: index {tile.div = 8 : index}, %n32: i32, %b: i1) attributes {shared_bytes = 16384 : i64} {
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<bf16> -> !vb
  %o = tile.view %q[%n, %n] strides [%n] : !tile.ptr<f32> -> !v
  %ring, %c = tile.ring {tile.offset = 0 : i64} : !ring
  %w, %cw = tile.enter write %ring[%c] : !ring -> !tile.slot<write>
  %t = tile.copy_in %v[%n, %n] into %w[0] : !vb, !tile.slot<write>
  tile.exit %w after(%t : !tile.token) : !tile.slot<write>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #acc>
  %s, %cr, %a = tile.enter read %ring[%c] : !ring -> !tile.slot<read>, tensor<64x64xbf16, #s>
  // CHECK: %[[A:.*]] = frag.read
  %fa = tile.convert_layout %a : tensor<64x64xbf16, #s> -> tensor<64x64xbf16, #opA>
  tile.exit %s after(%fa : tensor<64x64xbf16, #opA>) : !tile.slot<read>
  %w1, %cw1 = tile.enter write %ring[%cw] : !ring -> !tile.slot<write>
  %t1 = tile.copy_in %v[%n, %n] into %w1[0] : !vb, !tile.slot<write>
  tile.exit %w1 after(%t1 : !tile.token) : !tile.slot<write>
  %x = arith.constant dense<2.0> : tensor<64x64xf32, #acc>
  %nf = arith.sitofp %n32 : i32 to f32
  %x2 = tile.expand %nf, [0, 1] : f32 -> tensor<64x64xf32, #acc>
  // CHECK: scf.if
  %r:3 = scf.if %b -> (tensor<64x64xf32, #acc>, tensor<64x64xbf16, #opA>, !tile.cursor) {
    // CHECK: frag.map
    %u = arith.mulf %x, %x2 : tensor<64x64xf32, #acc>
    // CHECK: frag.mma_start {{.*}} %[[A]], %{{[0-9]*}} :
    // CHECK-NEXT: %[[D:.*]]:3 = frag.await {{.*}} through(%[[A]], %{{.*}} :
    %s1, %cr1, %a1 = tile.enter read %ring[%cr] : !ring -> !tile.slot<read>, tensor<64x64xbf16, #s>
    %d = tile.dot %fa, %a1, %zero mma(#mma) : tensor<64x64xbf16, #opA>, tensor<64x64xbf16, #s>, tensor<64x64xf32, #acc>
    tile.exit %s1 after(%d : tensor<64x64xf32, #acc>) : !tile.slot<read>
    %y = arith.addf %d, %x : tensor<64x64xf32, #acc>
    // CHECK: frag.map(%[[D]]#2 : !frag.f<64x64xf32
    // CHECK: arith.truncf
    %h = arith.truncf %u : tensor<64x64xf32, #acc> to tensor<64x64xbf16, #acc>
    %g = tile.convert_layout %h : tensor<64x64xbf16, #acc> -> tensor<64x64xbf16, #opA>
    scf.yield %y, %g, %cr1 : tensor<64x64xf32, #acc>, tensor<64x64xbf16, #opA>, !tile.cursor
  } else {
    // CHECK: } else {
    // CHECK: frag.mma_start {{.*}} %[[A]], %{{[0-9]*}} :
    // CHECK-NEXT: %[[E:.*]]:2 = frag.await {{.*}} through(%[[A]] :
    // CHECK-NEXT: frag.release
    // CHECK-NEXT: scf.yield %[[E]]#0, %[[E]]#1
    %s1, %cr1, %a1 = tile.enter read %ring[%cr] : !ring -> !tile.slot<read>, tensor<64x64xbf16, #s>
    %d = tile.dot %fa, %a1, %zero mma(#mma) : tensor<64x64xbf16, #opA>, tensor<64x64xbf16, #s>, tensor<64x64xf32, #acc>
    tile.exit %s1 after(%d : tensor<64x64xf32, #acc>) : !tile.slot<read>
    scf.yield %d, %fa, %cr1 : tensor<64x64xf32, #acc>, tensor<64x64xbf16, #opA>, !tile.cursor
  }
  %w2, %cw2 = tile.enter write %ring[%cw1] : !ring -> !tile.slot<write>
  %t2 = tile.copy_in %v[%n, %n] into %w2[0] : !vb, !tile.slot<write>
  tile.exit %w2 after(%t2 : !tile.token) : !tile.slot<write>
  %s2, %cr2, %a2 = tile.enter read %ring[%r#2] : !ring -> !tile.slot<read>, tensor<64x64xbf16, #s>
  %d2 = tile.dot %r#1, %a2, %r#0 mma(#mma) : tensor<64x64xbf16, #opA>, tensor<64x64xbf16, #s>, tensor<64x64xf32, #acc>
  tile.exit %s2 after(%d2 : tensor<64x64xf32, #acc>) : !tile.slot<read>
  tile.store %d2, %o[%n, %n] : tensor<64x64xf32, #acc>, !v
  tile.return
}

// CHECK-LABEL: @plain
// From zeros, a loop that may make no trip carries a fragment: each product is awaited in its step.
tile.program @plain(%p: !tile.ptr<bf16>, %q: !tile.ptr<f32>, %n: index {tile.div = 8 : index}) attributes {shared_bytes = 16384 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<bf16> -> !vb
  %o = tile.view %q[%n, %n] strides [%n] : !tile.ptr<f32> -> !v
  %ring, %c = tile.ring {tile.offset = 0 : i64} : !ring
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #acc>
  // CHECK: scf.for {{.*}} iter_args(%[[X:.*]] = %{{.*}}, %{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}) -> (!frag.f<
  %x:3 = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero, %cw = %c, %cr = %c) -> (tensor<64x64xf32, #acc>, !tile.cursor, !tile.cursor) {
    %w, %cw1 = tile.enter write %ring[%cw] : !ring -> !tile.slot<write>
    %t = tile.copy_in %v[%k, %n] into %w[0] : !vb, !tile.slot<write>
    tile.exit %w after(%t : !tile.token) : !tile.slot<write>
    %s, %cr1, %a = tile.enter read %ring[%cr] : !ring -> !tile.slot<read>, tensor<64x64xbf16, #s>
    // CHECK: frag.mma_start {{.*}}, %[[X]] : !frag.f<
    // CHECK-NEXT: %[[Y:.*]] = frag.await
    // CHECK-NEXT: frag.release
    // CHECK-NEXT: scf.yield %[[Y]],
    %d = tile.dot %a, %a, %acc mma(#mma) : tensor<64x64xbf16, #s>, tensor<64x64xbf16, #s>, tensor<64x64xf32, #acc>
    tile.exit %s after(%d : tensor<64x64xf32, #acc>) : !tile.slot<read>
    scf.yield %d, %cw1, %cr1 : tensor<64x64xf32, #acc>, !tile.cursor, !tile.cursor
  }
  tile.store %x#0, %o[%n, %n] : tensor<64x64xf32, #acc>, !v
  tile.return
}

// CHECK-LABEL: @named
// What only exits name is not carried but as its token.
tile.program @named(%p: !tile.ptr<bf16>, %q: !tile.ptr<f32>, %n: index {tile.div = 8 : index}) attributes {shared_bytes = 16384 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<bf16> -> !vb
  %o = tile.view %q[%n, %n] strides [%n] : !tile.ptr<f32> -> !v
  %ring, %c = tile.ring {tile.offset = 0 : i64} : !ring
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #acc>
  %w0, %cw0 = tile.enter write %ring[%c] : !ring -> !tile.slot<write>
  %t0 = tile.copy_in %v[%n, %n] into %w0[0] : !vb, !tile.slot<write>
  tile.exit %w0 after(%t0 : !tile.token) : !tile.slot<write>
  %s0, %cr0, %a0 = tile.enter read %ring[%c] : !ring -> !tile.slot<read>, tensor<64x64xbf16, #s>
  %d0 = tile.dot %a0, %a0, %zero mma(#mma) : tensor<64x64xbf16, #s>, tensor<64x64xbf16, #s>, tensor<64x64xf32, #acc>
  tile.store %d0, %o[%n, %n] : tensor<64x64xf32, #acc>, !v
  // CHECK: scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}, %[[T:.*]] = %{{.*}}, %{{.*}}, %{{.*}}) -> (!frag.slot, !frag.token<"wgmma">, i32, i32)
  %x:4 = scf.for %k = %c0 to %n step %c1 iter_args(%sp = %s0, %dp = %d0, %cw = %cw0, %cr = %cr0)
      -> (!tile.slot<read>, tensor<64x64xf32, #acc>, !tile.cursor, !tile.cursor) {
    %w, %cw1 = tile.enter write %ring[%cw] : !ring -> !tile.slot<write>
    %t = tile.copy_in %v[%k, %n] into %w[0] : !vb, !tile.slot<write>
    tile.exit %w after(%t : !tile.token) : !tile.slot<write>
    %s, %cr1, %a = tile.enter read %ring[%cr] : !ring -> !tile.slot<read>, tensor<64x64xbf16, #s>
    %d = tile.dot %a, %a, %zero mma(#mma) : tensor<64x64xbf16, #s>, tensor<64x64xbf16, #s>, tensor<64x64xf32, #acc>
    // CHECK: frag.release %{{.*}} after(%[[T]] :
    tile.exit %sp after(%dp : tensor<64x64xf32, #acc>) : !tile.slot<read>
    tile.store %d, %o[%k, %n] : tensor<64x64xf32, #acc>, !v
    scf.yield %s, %d, %cw1, %cr1 : !tile.slot<read>, tensor<64x64xf32, #acc>, !tile.cursor, !tile.cursor
  }
  tile.exit %x#0 after(%x#1 : tensor<64x64xf32, #acc>) : !tile.slot<read>
  tile.return
}

// CHECK-LABEL: @shared
// A part of the rows where the tile is one panel, half of the panels where it is several; the view's offset moves with it. The place in the
// cluster follows from the rank.
// CHECK-SAME: cluster = 4 : i64
// CHECK-DAG: %[[C2:.*]] = arith.constant 2 : index
// CHECK-DAG: %[[C128:.*]] = arith.constant 128 : index
// CHECK-DAG: %[[MASK:.*]] = arith.constant 5 : i32
// CHECK: frag.id cluster{{$}}
// CHECK: %[[RANK:.*]] = frag.id cluster_rank
// CHECK: %[[ROW:.*]] = arith.divui %[[RANK]], %[[C2]]
// CHECK: %[[COLUMN:.*]] = arith.remui %[[RANK]], %[[C2]]
// CHECK: %[[AT:.*]] = arith.muli %[[ROW]], %[[C128]]
// CHECK: %[[FROM:.*]] = arith.addi %{{.*}}, %[[AT]]
// CHECK: %[[HALF:.*]] = frag.slot_mem %{{.*}}[0] at[%[[AT]], %{{.*}}] : !frag.mem<128x64xbf16
// CHECK: frag.copy_in #ptx.bulk %{{.*}}[%[[FROM]], %{{.*}}] into %[[HALF]] multicast %[[MASK]]
// CHECK: %[[AT1:.*]] = arith.muli %[[COLUMN]], %[[C128]]
// CHECK: %[[HALF1:.*]] = frag.slot_mem %{{.*}}[1] at[%{{.*}}, %[[AT1]]] : !frag.mem<64x128xbf16
// CHECK: frag.copy_in #ptx.bulk %{{.*}} into %[[HALF1]] multicast %[[MASK]]
tile.program @shared(%p: !tile.ptr<bf16>, %n: index {tile.div = 8 : index})
    attributes {shared_bytes = 131104 : i64, config = #tile.config<groups = [2, 1], cluster = [2, 2]>} {
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<bf16> -> !vb
  %mask = arith.constant 5 : i32
  %k = tile.id cluster
  %row = tile.rank 0 of [2, 2]
  %column = tile.rank 1 of [2, 2]
  %ring, %c = tile.ring {tile.offset = 0 : i64, tile.barriers = 131072 : i64} : !shared
  %w, %cw = tile.enter write %ring[%c] : !shared -> !tile.slot<write>
  %t = tile.copy_in %v[%n, %k] into %w[0] shared(%row of 2 to %mask) : !vb, !tile.slot<write>
  %u = tile.copy_in %v[%k, %n] into %w[1] shared(%column of 2 to %mask) : !vb, !tile.slot<write>
  tile.exit %w after(%t, %u : !tile.token, !tile.token) : !tile.slot<write>
  %s, %cr, %a, %b = tile.enter read %ring[%c] : !shared -> !tile.slot<read>, tensor<256x64xbf16, #s>, tensor<64x256xbf16, #s>
  tile.exit %s : !tile.slot<read>
  tile.return
}
