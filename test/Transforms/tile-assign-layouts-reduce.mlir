// RUN: helios-opt %s --split-input-file --mlir-print-local-scope --pass-pipeline='builtin.module(tile.program(tile-assign-layouts))' | FileCheck %s

// Reductions: each lane combines what it holds; what lanes of one group share is combined where the whole value is needed.

!v = !tile.view<?x?xf32, strides = [?, 1], div = [4, 1], align = 16>
// CHECK-LABEL: @row_sums
tile.program @row_sums(%p: !tile.ptr<f32>, %n: index {tile.div = 4 : index}, %a: index)
    attributes {target = #ptx.target<"sm_89">, config = #tile.config<groups = [1, 1]>} {
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f32> -> !v
  // CHECK: %[[X:.*]] = tile.load
  %x = tile.load %v[%a, %a] : !v -> tensor<16x64xf32>
  // CHECK: %[[PART:.*]] = tile.reduce{{ +}}add %[[X]], 1 : tensor<16x64xf32, #tile.regs<vec = [1, 4], lanes = [2, 16], groups = [1, 1]>> -> tensor<16xf32, #tile.slice<1, #tile.regs<vec = [1, 4], lanes = [2, 16], groups = [1, 1]>, partial = add>>
  %r = tile.reduce add %x, 1 : tensor<16x64xf32> -> tensor<16xf32>
  // CHECK-NEXT: %[[SUM:.*]] = tile.convert_layout %[[PART]] : {{.*}} -> tensor<16xf32, #tile.slice<1, #tile.regs<vec = [1, 4], lanes = [2, 16], groups = [1, 1]>>>
  // CHECK-NEXT: tile.expand %[[SUM]], [1]
  %e = tile.expand %r, [1] : tensor<16xf32> -> tensor<16x64xf32>
  // CHECK-NOT: tile.convert_layout
  %y = arith.divf %x, %e : tensor<16x64xf32>
  tile.store %y, %v[%a, %a] : tensor<16x64xf32>, !v
  tile.return
}

// -----

!v = !tile.view<?x?xbf16, strides = [?, 1], div = [8, 1], align = 16>
// The rows of a product, where its accumulator lies.
// CHECK-LABEL: @softmax
tile.program @softmax(%p: !tile.ptr<bf16>, %n: index {tile.div = 8 : index}, %a: index)
    attributes {target = #ptx.target<"sm_89">, config = #tile.config<groups = [4, 1]>} {
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<bf16> -> !v
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %x = tile.load %v[%a, %a] : !v -> tensor<64x32xbf16>
  %w = tile.load %v[%a, %a] : !v -> tensor<64x32xbf16>
  %wt = tile.transpose %w : tensor<64x32xbf16> -> tensor<32x64xbf16>
  %d = tile.dot %x, %wt, %zero : tensor<64x32xbf16>, tensor<32x64xbf16>, tensor<64x64xf32>
  // CHECK: %[[D:.*]] = tile.dot
  // CHECK-NEXT: %[[PART:.*]] = tile.reduce{{ +}}max %[[D]], 1 : {{.*}} -> tensor<64xf32, #tile.slice<1, #tile.acc<{{.*}}, groups = [4, 1]>, partial = max>>
  // CHECK-NEXT: %[[MAX:.*]] = tile.convert_layout %[[PART]] : {{.*}} -> tensor<64xf32, #tile.slice<1, #tile.acc<{{.*}}, groups = [4, 1]>>>
  // CHECK-NEXT: %[[E:.*]] = tile.expand %[[MAX]], [1]
  // CHECK-NEXT: arith.subf %[[D]], %[[E]]
  %m = tile.reduce max %d, 1 : tensor<64x64xf32> -> tensor<64xf32>
  %e = tile.expand %m, [1] : tensor<64xf32> -> tensor<64x64xf32>
  %s = arith.subf %d, %e : tensor<64x64xf32>
  %t = arith.truncf %s : tensor<64x64xf32> to tensor<64x64xbf16>
  tile.store %t, %v[%a, %a] : tensor<64x64xbf16>, !v
  tile.return
}

// -----

!v = !tile.view<?x?xf16, strides = [?, 1], div = [8, 1], align = 16>
// Nobody knows which lane holds what of an opaque accumulator: it is exchanged first.
// CHECK-LABEL: @opaque
tile.program @opaque(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}, %a: index)
    attributes {target = #spv.target<"lavapipe">, config = #tile.config<groups = [4, 1]>} {
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f16> -> !v
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %x = tile.load %v[%a, %a] : !v -> tensor<64x32xf16>
  %w = tile.load %v[%a, %a] : !v -> tensor<64x32xf16>
  %wt = tile.transpose %w : tensor<64x32xf16> -> tensor<32x64xf16>
  %d = tile.dot %x, %wt, %zero : tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>
  // CHECK: %[[D:.*]] = tile.dot
  // CHECK-NEXT: %[[S:.*]] = tile.convert_layout %[[D]] : {{.*}} -> tensor<64x64xf32, #tile.shared<
  // CHECK-NEXT: %[[R:.*]] = tile.convert_layout %[[S]] : {{.*}} -> tensor<64x64xf32, #tile.regs<vec = [1, 8], lanes = [1, 8], groups = [4, 1]>>
  // CHECK-NEXT: %[[PART:.*]] = tile.reduce{{ +}}max %[[R]], 1 : {{.*}} -> tensor<64xf32, #tile.slice<1, #tile.regs<{{.*}}>, partial = max>>
  // CHECK-NEXT: tile.convert_layout %[[PART]] : {{.*}} -> tensor<64xf32, #tile.slice<1, #tile.regs<vec = [1, 8], lanes = [1, 8], groups = [4, 1]>>>
  %m = tile.reduce max %d, 1 : tensor<64x64xf32> -> tensor<64xf32>
  %e = tile.expand %m, [1] : tensor<64xf32> -> tensor<64x64xf32>
  %s = arith.subf %d, %e : tensor<64x64xf32>
  %t = arith.truncf %s : tensor<64x64xf32> to tensor<64x64xf16>
  tile.store %t, %v[%a, %a] : tensor<64x64xf16>, !v
  tile.return
}

// -----

!v = !tile.view<?x?xf16, strides = [?, 1], div = [8, 1], align = 16>
// What a loop carries stays partial where nothing in the loop needs it whole: the sums are combined once, behind the loop. The maximum is
// needed whole in every trip. A sum that does not begin with zero is whole, or each lane would add the beginning.
// CHECK-LABEL: @carried
// CHECK-DAG: %[[NINF:.*]] = arith.constant dense<0xFF800000> : tensor<64xf32, #tile.slice<1, #tile.acc<{{[^>]*>[^>]*}}>>>
// CHECK-DAG: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : tensor<64xf32, #tile.slice<1, #tile.acc<{{.*}}>, partial = add>>
// CHECK-DAG: %[[ONE:.*]] = arith.constant dense<1.000000e+00> : tensor<64xf32, #tile.slice<1, #tile.acc<{{[^>]*>[^>]*}}>>>
// CHECK: %[[X:.*]]:3 = scf.for {{.*}} iter_args(%[[M:.*]] = %[[NINF]], %[[L:.*]] = %[[ZERO]], %[[C:.*]] = %[[ONE]])
tile.program @carried(%p: !tile.ptr<f16>, %n: index {tile.div = 16 : index}, %a: index)
    attributes {target = #ptx.target<"sm_89">, config = #tile.config<groups = [4, 1]>} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f16> -> !v
  %zero = arith.constant dense<0.0> : tensor<64x16xf32>
  %ninf = arith.constant dense<0xFF800000> : tensor<64xf32>
  %none = arith.constant dense<0.0> : tensor<64xf32>
  %one = arith.constant dense<1.0> : tensor<64xf32>
  %x = tile.load %v[%a, %a] : !v -> tensor<64x16xf16>
  %r:3 = scf.for %k = %c0 to %n step %c16 iter_args(%m = %ninf, %l = %none, %c = %one)
      -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) {
    %w = tile.load %v[%k, %a] : !v -> tensor<16x16xf16>
    // CHECK: %[[D:.*]] = tile.dot
    %d = tile.dot %x, %w, %zero : tensor<64x16xf16>, tensor<16x16xf16>, tensor<64x16xf32>
    // CHECK: %[[MT:.*]] = tile.reduce{{ +}}max %[[D]]
    // CHECK: %[[MP:.*]] = tile.map(%[[M]], %[[MT]] : {{.*}}) -> tensor<64xf32, #tile.slice<{{.*}}, partial = max>>
    // CHECK: arith.maximumf
    // CHECK: %[[M1:.*]] = tile.convert_layout %[[MP]]
    %mt = tile.reduce max %d, 1 : tensor<64x16xf32> -> tensor<64xf32>
    %m1 = arith.maximumf %m, %mt : tensor<64xf32>
    // CHECK: %[[F:.*]] = arith.subf %[[M]], %[[M1]]
    %f = arith.subf %m, %m1 : tensor<64xf32>
    // CHECK: %[[LT:.*]] = tile.reduce{{ +}}add %[[D]]
    %lt = tile.reduce add %d, 1 : tensor<64x16xf32> -> tensor<64xf32>
    // CHECK-NOT: tile.convert_layout
    // CHECK: %[[L1:.*]] = tile.map(%[[L]], %[[F]], %[[LT]] : {{.*}}) -> tensor<64xf32, #tile.slice<{{.*}}, partial = add>>
    // CHECK: math.fma
    %l1 = math.fma %l, %f, %lt : tensor<64xf32>
    // CHECK: %[[LW:.*]] = tile.convert_layout %[[LT]]
    // CHECK: %[[C1:.*]] = arith.addf %[[C]], %[[LW]]
    %c1 = arith.addf %c, %lt : tensor<64xf32>
    // CHECK: scf.yield %[[M1]], %[[L1]], %[[C1]]
    scf.yield %m1, %l1, %c1 : tensor<64xf32>, tensor<64xf32>, tensor<64xf32>
  }
  // CHECK: %[[SUM:.*]] = tile.convert_layout %[[X]]#1
  // CHECK-NEXT: tile.convert_layout %[[SUM]]
  %e = tile.expand %r#1, [1] : tensor<64xf32> -> tensor<64x16xf32>
  %g = tile.expand %r#2, [1] : tensor<64xf32> -> tensor<64x16xf32>
  %y = arith.addf %e, %g : tensor<64x16xf32>
  %t = arith.truncf %y : tensor<64x16xf32> to tensor<64x16xf16>
  tile.store %t, %v[%a, %a] : tensor<64x16xf16>, !v
  tile.return
}

// -----

!v = !tile.view<?x?xbf16, strides = [?, 1], div = [8, 1], align = 16>
// What groups of lanes may skip: the test is partial, as the maximum is; lanes combine it where one of them did not skip.
// CHECK-LABEL: @where
tile.program @where(%p: !tile.ptr<bf16>, %n: index {tile.div = 8 : index}, %a: index {tile.div = 8 : index})
    attributes {target = #ptx.target<"sm_90a">, config = #tile.config<groups = [2, 1], strategy = roles, depth = 2>} {
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<bf16> -> !v
  %zero = arith.constant dense<0.0> : tensor<128x64xf32>
  %old = arith.constant dense<1.0> : tensor<128xf32>
  %x = tile.load %v[%a, %a] : !v -> tensor<128x64xbf16>
  %w = tile.load %v[%a, %a] : !v -> tensor<64x64xbf16>
  %d = tile.dot %x, %w, %zero : tensor<128x64xbf16>, tensor<64x64xbf16>, tensor<128x64xf32>
  // CHECK: %[[D:.*]] = tile.dot
  // CHECK: %[[MAX:.*]] = tile.reduce{{ +}}max %[[D]], 1 : {{.*}}partial = max>>
  %m = tile.reduce max %d, 1 : tensor<128x64xf32> -> tensor<128xf32>
  // CHECK: %[[OVER:.*]] = tile.map(%[[MAX]], {{.*}} -> tensor<128xi1, {{.*}}partial = or>>
  %over = arith.cmpf ogt, %m, %old : tensor<128xf32>
  // CHECK: %[[NEW:.*]] = tile.where %[[OVER]] else
  %new = tile.where %over else(%old) {
    // CHECK: %[[MOST:.*]] = tile.map(%{{.*}}, %[[MAX]] {{.*}}partial = max>>
    // CHECK: %[[WHOLE:.*]] = tile.convert_layout %[[MOST]]
    // CHECK-NEXT: tile.yield %[[WHOLE]]
    %most = arith.maximumf %old, %m : tensor<128xf32>
    tile.yield %most : tensor<128xf32>
  } : tensor<128xi1>, tensor<128xf32> -> tensor<128xf32>
  // CHECK: tile.where %[[OVER]] else(%[[D]])
  %y = tile.where %over else(%d) {
    // CHECK: %[[F:.*]] = tile.expand %[[NEW]], [1]
    %f = tile.expand %new, [1] : tensor<128xf32> -> tensor<128x64xf32>
    %z = arith.mulf %d, %f : tensor<128x64xf32>
    tile.yield %z : tensor<128x64xf32>
  } : tensor<128xi1>, tensor<128x64xf32> -> tensor<128x64xf32>
  %t = arith.truncf %y : tensor<128x64xf32> to tensor<128x64xbf16>
  tile.store %t, %v[%a, %a] : tensor<128x64xbf16>, !v
  tile.return
}

// -----

// Rows over several groups, and columns of any: the tile is exchanged for one whose lines lie within a group, which then meets.
// CHECK-LABEL: @lines
// CHECK: %[[DOT:.*]] = tile.dot
// CHECK: %[[SHARED:.*]] = tile.convert_layout %[[DOT]] {{.*}}#tile.shared
// CHECK: %[[ROWS:.*]] = tile.convert_layout %[[SHARED]] {{.*}} -> tensor<32x64xf32, #tile.regs<vec = [1, 4], lanes = [2, 16], groups = [4, 1]>>
// CHECK: %[[R:.*]] = tile.reduce {{ *}}add %[[ROWS]], 1
// CHECK: tile.convert_layout %[[R]] : tensor<32xf32, #tile.slice<1, {{.*}}, partial = add>> -> tensor<32xf32, #tile.slice<1, #tile.regs<vec = [1, 4], lanes = [2, 16], groups = [4, 1]>>>
// CHECK: %[[COLUMNS:.*]] = tile.convert_layout %[[SHARED]] {{.*}} -> tensor<32x64xf32, #tile.regs<vec = [1, 1], lanes = [2, 16], groups = [1, 4]>>
// CHECK: tile.reduce {{ *}}max %[[COLUMNS]], 0
tile.program @lines(%p: !tile.ptr<f16>, %q: !tile.ptr<f32>, %n: index {tile.div = 8 : index}, %a: index)
    attributes {target = #ptx.target<"sm_89">, config = #tile.config<groups = [2, 2]>} {
  %h = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f16> -> !tile.view<?x?xf16, strides = [?, 1], div = [8, 1], align = 16>
  %v = tile.view %q[%n, %n] strides [%n] : !tile.ptr<f32> -> !tile.view<?x?xf32, strides = [?, 1]>
  %zero = arith.constant dense<0.0> : tensor<32x64xf32>
  %x = tile.load %h[%a, %a] : !tile.view<?x?xf16, strides = [?, 1], div = [8, 1], align = 16> -> tensor<32x16xf16>
  %y = tile.load %h[%a, %a] : !tile.view<?x?xf16, strides = [?, 1], div = [8, 1], align = 16> -> tensor<16x64xf16>
  %d = tile.dot %x, %y, %zero : tensor<32x16xf16>, tensor<16x64xf16>, tensor<32x64xf32>
  %r = tile.reduce add %d, 1 : tensor<32x64xf32> -> tensor<32xf32>
  tile.store %r, %v[%a, %a] : tensor<32xf32>, !tile.view<?x?xf32, strides = [?, 1]>
  %c = tile.reduce max %d, 0 : tensor<32x64xf32> -> tensor<64xf32>
  tile.store %c, %v[%a, %a] : tensor<64xf32>, !tile.view<?x?xf32, strides = [?, 1]>
  tile.return
}

// -----

// What is reduced or stored beside a product's result, and is not computed from it, lies as the result does.
// CHECK-LABEL: @beside
// CHECK: tile.reduce {{ *}}max %{{.*}}, 1 : tensor<64x64xf32, #tile.acc<#ptx.mma_sync<[16, 8, 16], f16, f16, f32>, groups = [2, 1]>>
// CHECK-COUNT-2: tile.store %{{.*}} : tensor<64x64xf32, #tile.acc<#ptx.mma_sync<[16, 8, 16], f16, f16, f32>, groups = [2, 1]>>
tile.program @beside(%p: !tile.ptr<f16>, %q: !tile.ptr<f32>, %n: index {tile.div = 8 : index}, %a: index)
    attributes {target = #ptx.target<"sm_89">, config = #tile.config<groups = [2, 1]>} {
  %h = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f16> -> !tile.view<?x?xf16, strides = [?, 1], div = [8, 1], align = 16>
  %v = tile.view %q[%n, %n] strides [%n] : !tile.ptr<f32> -> !tile.view<?x?xf32, strides = [?, 1]>
  %w = tile.view %p[%n] : !tile.ptr<f16> -> !tile.view<?xf16, strides = [1]>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %x = tile.load %h[%a, %a] : !tile.view<?x?xf16, strides = [?, 1], div = [8, 1], align = 16> -> tensor<64x16xf16>
  %y = tile.load %h[%a, %a] : !tile.view<?x?xf16, strides = [?, 1], div = [8, 1], align = 16> -> tensor<16x64xf16>
  %e = tile.load %w[%a] : !tile.view<?xf16, strides = [1]> -> tensor<64xf16>
  %d = tile.dot %x, %y, %zero : tensor<64x16xf16>, tensor<16x64xf16>, tensor<64x64xf32>
  %rows = tile.expand %e, [1] : tensor<64xf16> -> tensor<64x64xf16>
  %beside = arith.extf %rows : tensor<64x64xf16> to tensor<64x64xf32>
  %r = tile.reduce max %beside, 1 : tensor<64x64xf32> -> tensor<64xf32>
  tile.store %d, %v[%a, %a] : tensor<64x64xf32>, !tile.view<?x?xf32, strides = [?, 1]>
  tile.store %beside, %v[%a, %a] : tensor<64x64xf32>, !tile.view<?x?xf32, strides = [?, 1]>
  tile.store %r, %v[%a, %a] : tensor<64xf32>, !tile.view<?x?xf32, strides = [?, 1]>
  tile.return
}

// -----

// A vector of narrow elements, one to a lane, changes its place as f32: narrower stores than of a word would meet others'.
// CHECK-LABEL: @scattered
// CHECK: %[[NARROW:.*]] = arith.mulf %{{.*}} : tensor<64xf16, #tile.slice<1, #tile.regs<vec = [1, 4]
// CHECK: %[[WIDE:.*]] = arith.extf %[[NARROW]]
// CHECK: %[[SHARED:.*]] = tile.convert_layout %[[WIDE]] {{.*}} -> tensor<64xf32, #tile.shared<order = [0]>>
// CHECK: %[[THERE:.*]] = tile.convert_layout %[[SHARED]] {{.*}} -> tensor<64xf32, #tile.slice<1, #tile.regs<vec = [1, 8]
// CHECK: arith.truncf %[[THERE]] {{.*}} to tensor<64xf16, #tile.slice<1, #tile.regs<vec = [1, 8]
tile.program @scattered(%p: !tile.ptr<f16>, %q: !tile.ptr<f32>, %n: index {tile.div = 8 : index}, %a: index)
    attributes {target = #spv.target<"simt">, config = #tile.config<groups = [1, 1]>} {
  %h = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f16> -> !tile.view<?x?xf16, strides = [?, 1], div = [8, 1], align = 16>
  %v = tile.view %q[%n, %n] strides [%n] : !tile.ptr<f32> -> !tile.view<?x?xf32, strides = [?, 1], div = [8, 1], align = 16>
  %w = tile.view %p[%n] : !tile.ptr<f16> -> !tile.view<?xf16, strides = [1]>
  %e = tile.load %w[%a] : !tile.view<?xf16, strides = [1]> -> tensor<64xf16>
  %s = arith.mulf %e, %e : tensor<64xf16>
  %f = arith.extf %s : tensor<64xf16> to tensor<64xf32>
  %x = tile.expand %f, [1] : tensor<64xf32> -> tensor<64x64xf32>
  tile.store %x, %v[%a, %a] : tensor<64x64xf32>, !tile.view<?x?xf32, strides = [?, 1], div = [8, 1], align = 16>
  %y = tile.expand %s, [1] : tensor<64xf16> -> tensor<64x64xf16>
  tile.store %y, %h[%a, %a] : tensor<64x64xf16>, !tile.view<?x?xf16, strides = [?, 1], div = [8, 1], align = 16>
  tile.return
}
