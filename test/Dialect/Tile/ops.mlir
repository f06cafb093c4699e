// RUN: helios-opt %s | helios-opt | FileCheck %s
// RUN: helios-opt %s --mlir-print-op-generic | helios-opt | FileCheck %s

// Every op, round trip. The programs of test/hard use them together.

#r = #tile.regs<vec = [1, 8], lanes = [8, 4], groups = [1, 1]>
#row = #tile.slice<1, #r>
#part = #tile.slice<1, #r, partial = add>
#max = #tile.slice<1, #r, partial = max>
#or = #tile.slice<1, #r, partial = or>
#s = #tile.shared<order = [1, 0], pad = 8>
#sw = #tile.shared<order = [1, 0], swizzle = 64>
!v = !tile.view<?x?xf16, strides = [?, 1], div = [8, 1], align = 16>
!w = !tile.view<?x32xf32, strides = [?, 1]>

// CHECK-LABEL: tile.program private @plain(
// CHECK-SAME: %{{.*}}: index {tile.div = 8 : index, tile.range = array<i64: 1, 100>}
// CHECK-SAME: attributes {config = #tile.config<groups = [2, 2]>, deterministic, shared_bytes = 1024 : i64, target = #spv.target<"nvidia">}
tile.program private @plain(%p: !tile.ptr<f16>, %q: !tile.ptr<i32>, %n: index {tile.range = array<i64: 1, 100>, tile.div = 8 : index}, %f: f32)
    attributes {target = #spv.target<"nvidia">, config = #tile.config<groups = [2, 2]>, shared_bytes = 1024 : i64, deterministic} {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  // CHECK: tile.view %{{.*}}[%{{.*}}, %{{.*}}] strides[%{{.*}}] : <f16> -> <?x?xf16, strides = [?, 1], div = [8, 1], align = 16>
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f16> -> !v
  // CHECK: tile.view %{{.*}}[] : <f16> -> <8x8xf16, strides = [8, 1]>
  %fixed = tile.view %p[] : !tile.ptr<f16> -> !tile.view<8x8xf16, strides = [8, 1]>
  // CHECK: tile.view %{{.*}}[%{{.*}}] table(%{{.*}} : !tile.ptr<i32>) : <f16> -> <?x8xf16, strides = [8, 1], gather = 0>
  %paged = tile.view %p[%n] table(%q : !tile.ptr<i32>) : !tile.ptr<f16> -> !tile.view<?x8xf16, strides = [8, 1], gather = 0>
  // CHECK: tile.element %{{.*}}[%{{.*}}] : <?xi32, strides = [?]> -> i32
  %numbers = tile.view %q[%n] strides [%n] : !tile.ptr<i32> -> !tile.view<?xi32, strides = [?]>
  %number = tile.element %numbers[%c8] : !tile.view<?xi32, strides = [?]> -> i32
  // CHECK: %{{.*}}:2 = tile.item_at %{{.*}} in (%{{.*}}, %{{.*}}) #tile.items<persistent, raster = [0, 4]> {note = "x"}
  %at:2 = tile.item_at %c0 in (%n, %c8) #tile.items<persistent, raster = [0, 4]> {note = "x"}
  // CHECK: tile.items (%{{.*}}, %{{.*}}) in (%{{.*}}, %{{.*}}) #tile.items<persistent, raster = [0, 4]> attributes {note = "x"} {
  tile.items (%i, %j) in (%n, %c8) #tile.items<persistent, raster = [0, 4]> attributes {note = "x"} {
    // CHECK: tile.load %{{.*}}[%{{.*}}, %{{.*}}] : <?x?xf16, strides = [?, 1], div = [8, 1], align = 16> -> tensor<8x32xf16>
    %a = tile.load %v[%i, %j] : !v -> tensor<8x32xf16>
    // CHECK: tile.load %{{.*}}[%{{.*}}, %{{.*}}] pad(1.000000e+00) in_bounds {k} : <{{.*}}> -> tensor<32xf16>
    %b = tile.load %v[%i, %c0] pad(1.0) in_bounds {k} : !v -> tensor<32xf16>
    // CHECK: tile.expand %{{.*}}, [0] : tensor<32xf16> -> tensor<8x32xf16>
    %e = tile.expand %b, [0] : tensor<32xf16> -> tensor<8x32xf16>
    // CHECK: tile.expand %{{.*}}, [0, 1] : f32 -> tensor<8x32xf32>
    %g = tile.expand %f, [0, 1] : f32 -> tensor<8x32xf32>
    // CHECK: tile.iota 1 : tensor<8x32xindex>
    %x = tile.iota 1 : tensor<8x32xindex>
    // CHECK: tile.iota 0 base %{{.*}} : tensor<8x32xindex>
    %y = tile.iota 0 base %n : tensor<8x32xindex>
    // CHECK: tile.transpose %{{.*}} : tensor<8x32xf16> -> tensor<32x8xf16>
    %t = tile.transpose %a : tensor<8x32xf16> -> tensor<32x8xf16>
    // CHECK: tile.slice %{{.*}} [0, 16] : tensor<8x32xf16> -> tensor<8x16xf16>
    %sl = tile.slice %a [0, 16] : tensor<8x32xf16> -> tensor<8x16xf16>
    // CHECK: tile.slice %{{.*}} [%{{.*}}, 0] : tensor<8x32xf16> -> tensor<4x32xf16>
    %sd = tile.slice %a [%c0, 0] : tensor<8x32xf16> -> tensor<4x32xf16>
    // CHECK: tile.dot %{{.*}}, %{{.*}}, %{{.*}} : tensor<8x32xf16>, tensor<32x8xf16>, tensor<8x8xf32>
    %z = arith.constant dense<0.0> : tensor<8x8xf32>
    %d = tile.dot %a, %t, %z : tensor<8x32xf16>, tensor<32x8xf16>, tensor<8x8xf32>
    // CHECK: tile.reduce add %{{.*}}, 1 : tensor<8x8xf32> -> tensor<8xf32>
    %r = tile.reduce add %d, 1 : tensor<8x8xf32> -> tensor<8xf32>
    // CHECK: tile.reduce min %{{.*}}, 0
    %rm = tile.reduce min %d, 0 : tensor<8x8xf32> -> tensor<8xf32>
    // CHECK: tile.map(%{{.*}}, %{{.*}} : tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>, tensor<8xi1> {
    // CHECK-NEXT: ^bb0(%{{.*}}: f32, %{{.*}}: f32):
    // CHECK: tile.yield %{{.*}}, %{{.*}} : f32, i1
    %m:2 = tile.map(%r, %rm : tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>, tensor<8xi1> {
    ^bb0(%p0: f32, %p1: f32):
      %s = arith.addf %p0, %p1 : f32
      %c = arith.cmpf ogt, %p0, %p1 : f32
      tile.yield %s, %c : f32, i1
    }
    // CHECK: tile.where %{{.*}} else(%{{.*}}) {
    // CHECK: } : tensor<8xi1>, tensor<8x8xf32> -> tensor<8x8xf32>
    %k = tile.where %m#1 else(%d) {
      %dd = arith.mulf %d, %d : tensor<8x8xf32>
      tile.yield %dd : tensor<8x8xf32>
    } : tensor<8xi1>, tensor<8x8xf32> -> tensor<8x8xf32>
    // CHECK: tile.where voted %{{.*}} else(%{{.*}}) {
    %kv = tile.where voted %m#1 else(%d) {
      %dd = arith.mulf %d, %d : tensor<8x8xf32>
      tile.yield %dd : tensor<8x8xf32>
    } : tensor<8xi1>, tensor<8x8xf32> -> tensor<8x8xf32>
    // CHECK: tile.store %{{.*}}, %{{.*}}[%{{.*}}, %{{.*}}] : tensor<8x16xf16>, <{{.*}}>
    tile.store %sl, %v[%i, %j] : tensor<8x16xf16>, !v
    // CHECK: tile.store %{{.*}} in_bounds : tensor<8x16xf16>
    tile.store %sl, %v[%i, %j] in_bounds : tensor<8x16xf16>, !v
  }
  // CHECK: tile.id workgroup{{$}}
  %wg = tile.id workgroup
  // CHECK: tile.id workgroups
  %nwg = tile.id workgroups
  // CHECK: tile.id cluster{{$}}
  %cluster = tile.id cluster
  // CHECK: tile.id clusters
  %clusters = tile.id clusters
  // CHECK: tile.rank 0 of [1, 1]
  %rank = tile.rank 0 of [1, 1]
  // CHECK: tile.next %{{.*}}
  %next = tile.next %wg
  tile.return
}

// CHECK-LABEL: tile.program @layouts(
tile.program @layouts(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}, %q: !tile.ptr<f32>, %l: index) {
  %c0 = arith.constant 0 : index
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f16> -> !v
  %w = tile.view %q[%n] strides [%l] : !tile.ptr<f32> -> !w
  %a = tile.load %v[%c0, %c0] : !v -> tensor<32x32xf16, #r>
  // CHECK: tile.convert_layout %{{.*}} : tensor<32x32xf16, #tile.regs<{{.*}}>> -> tensor<32x32xf16, #tile.shared<order = [1, 0], pad = 8>>
  %s = tile.convert_layout %a : tensor<32x32xf16, #r> -> tensor<32x32xf16, #s>
  // CHECK: tile.transpose %{{.*}} : tensor<32x32xf16, #tile.shared<order = [1, 0], pad = 8>> -> tensor<32x32xf16, #tile.shared<order = [0, 1], pad = 8>>
  %t = tile.transpose %s : tensor<32x32xf16, #s> -> tensor<32x32xf16, #tile.shared<order = [0, 1], pad = 8>>
  %x = tile.load %w[%c0, %c0] : !w -> tensor<32x32xf32, #r>
  // CHECK: tile.reduce add %{{.*}}, 1 : tensor<32x32xf32, {{.*}}> -> tensor<32xf32, #tile.slice<1, {{.*}}, partial = add>>
  %sum = tile.reduce add %x, 1 : tensor<32x32xf32, #r> -> tensor<32xf32, #part>
  %mx = tile.reduce max %x, 1 : tensor<32x32xf32, #r> -> tensor<32xf32, #max>
  // CHECK: tile.convert_layout %{{.*}} : tensor<32xf32, #tile.slice<1, {{.*}}, partial = add>> -> tensor<32xf32, #tile.slice<1, #tile.regs<vec = [1, 8], lanes = [8, 4], groups = [1, 1]>>>
  %full = tile.convert_layout %sum : tensor<32xf32, #part> -> tensor<32xf32, #row>
  // What partial vectors allow.
  %twice = arith.addf %sum, %sum : tensor<32xf32, #part>
  %neg = arith.negf %twice : tensor<32xf32, #part>
  %m2 = arith.maximumf %mx, %mx : tensor<32xf32, #max>
  // CHECK: tile.map
  %over, %l1, %e = tile.map(%mx, %full, %sum : tensor<32xf32, #max>, tensor<32xf32, #row>, tensor<32xf32, #part>)
      -> tensor<32xi1, #or>, tensor<32xf32, #part>, tensor<32xf32, #max> {
  ^bb0(%b: f32, %c: f32, %d: f32):
    %o = arith.cmpf ogt, %b, %c : f32
    %y = math.fma %d, %c, %d : f32
    %z = arith.maximumf %b, %c : f32
    tile.yield %o, %y, %z : i1, f32, f32
  }
  %ex = tile.expand %full, [1] : tensor<32xf32, #row> -> tensor<32x32xf32, #r>
  // CHECK: tile.atomic_reduce add %{{.*}}, %{{.*}}[%{{.*}}, %{{.*}}] : tensor<32x32xf32
  tile.atomic_reduce add %ex, %w[%c0, %c0] : tensor<32x32xf32, #r>, !w
  tile.return
}

// CHECK-LABEL: tile.program @rings(
tile.program @rings(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}) {
  %c0 = arith.constant 0 : index
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f16> -> !v
  // CHECK: %[[R:.*]], %[[C:.*]] = tile.ring : !tile.ring<2x(
  %ring, %cur = tile.ring : !tile.ring<2x(tensor<32x32xf16, #sw>, index), load, copy = #ptx.async16>
  // CHECK: %[[W:.*]], %[[N:.*]] = tile.enter write %[[R]][%[[C]]] : !tile.ring<{{.*}}> -> !tile.slot<write>
  %w, %cw = tile.enter write %ring[%cur] : !tile.ring<2x(tensor<32x32xf16, #sw>, index), load, copy = #ptx.async16> -> !tile.slot<write>
  // CHECK: %[[T:.*]] = tile.copy_in %{{.*}}[%{{.*}}, %{{.*}}] into %[[W]][0] : <{{.*}}>, !tile.slot<write>
  %t = tile.copy_in %v[%c0, %c0] into %w[0] : !v, !tile.slot<write>
  // CHECK: tile.put %{{.*}} into %[[W]][1] : index, !tile.slot<write>
  tile.put %n into %w[1] : index, !tile.slot<write>
  // CHECK: tile.exit %[[W]] after(%[[T]] : !tile.token) : !tile.slot<write>
  tile.exit %w after(%t : !tile.token) : !tile.slot<write>
  // CHECK: %[[S:.*]], %{{.*}}, %[[P:.*]]:2 = tile.enter read %[[R]][%[[C]]] : !tile.ring<{{.*}}> -> !tile.slot<read>, tensor<32x32xf16, #tile.shared<order = [1, 0], swizzle = 64>>, index
  %s, %cr, %a, %i = tile.enter read %ring[%cur] : !tile.ring<2x(tensor<32x32xf16, #sw>, index), load, copy = #ptx.async16>
      -> !tile.slot<read>, tensor<32x32xf16, #sw>, index
  // CHECK: tile.copy_out %[[P]]#0 to %{{.*}}[%{{.*}}, %{{.*}}] reduce add : tensor<32x32xf16, {{.*}}>, <{{.*}}>
  %o = tile.copy_out %a to %v[%c0, %c0] reduce add : tensor<32x32xf16, #sw>, !v
  // CHECK: tile.exit %[[S]] after(%{{.*}} : !tile.token) : !tile.slot<read>
  tile.exit %s after(%o : !tile.token) : !tile.slot<read>
  tile.return
}

// CHECK-LABEL: tile.program @roles(
tile.program @roles(%n: index) {
  %turn, %c = tile.ring : !tile.ring<1x(), pass>
  // CHECK: tile.roles captures(%[[T:.*]] = %[[T]], %[[C:.*]] = %[[C]] : !tile.ring<1x(), pass>, !tile.cursor) {
  tile.roles captures(%t = %turn, %k = %c : !tile.ring<1x(), pass>, !tile.cursor) {
    // CHECK: tile.role "give" lanes(32) regs(40) {
    tile.role "give" lanes(32) regs(40) {
      %w, %c1 = tile.enter write %t[%k] : !tile.ring<1x(), pass> -> !tile.slot<write>
      tile.exit %w : !tile.slot<write>
    }
    // CHECK: tile.role "take" replicas(2) {
    // CHECK-NEXT: ^bb0(%{{.*}}: index):
    tile.role "take" replicas(2) {
    ^bb0(%r: index):
      // CHECK: %[[D:.*]] = tile.advance %[[C]] by %{{.*}}
      %d = tile.advance %k by %r
      // CHECK-NEXT: tile.turn take
      tile.turn take
      %s, %c1 = tile.enter read %t[%d] : !tile.ring<1x(), pass> -> !tile.slot<read>
      // CHECK: tile.turn pass
      tile.turn pass
      tile.exit %s : !tile.slot<read>
    }
  }
  tile.return
}

// CHECK-LABEL: tile.program @no_captures()
tile.program @no_captures() {
  // CHECK: tile.roles captures() {
  tile.roles captures() {
    tile.role "idle" lanes(32) {
    }
  }
  tile.return
}

// CHECK-LABEL: tile.plan @plan(
// CHECK-SAME: attributes {arg_names = ["a"], output_count = 0 : i64, schedule = "s"}
tile.plan @plan(%a: tensor<?x?xf16>, %f: f32) attributes {arg_names = ["a"], output_count = 0 : i64, schedule = "s"} {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  // CHECK: tile.extent %{{.*}}, 0 : tensor<?x?xf16>
  %n = tile.extent %a, 0 : tensor<?x?xf16>
  // CHECK: tile.stride %{{.*}}, 1 : tensor<?x?xf16>
  %s = tile.stride %a, 1 : tensor<?x?xf16>
  // CHECK: tile.alignment %{{.*}} : tensor<?x?xf16>
  %l = tile.alignment %a : tensor<?x?xf16>
  %ok = arith.cmpi eq, %s, %c8 : index
  // CHECK: tile.require %{{.*}}, "rows of eight"
  tile.require %ok, "rows of eight"
  // CHECK: tile.choice "tile=8x8x8" by {{ ?}}table costs %{{.*}} if %[[OK:.*]] tuned %[[OK]]
  tile.choice "tile=8x8x8" by table costs %n if %ok tuned %ok
  // CHECK: tile.workspace %{{.*}} : <i32>
  %w = tile.workspace %c0 : !tile.ptr<i32>
  // CHECK: tile.dispatch @plain[%{{.*}}] (%{{.*}}) {variant = "only"} : tensor<?x?xf16>, !tile.ptr<i32>, index, f32
  tile.dispatch @plain[%n] (%a, %w, %c8, %f) {variant = "only"} : tensor<?x?xf16>, !tile.ptr<i32>, index, f32
  // CHECK: tile.plan_yield %{{.*}}
  tile.plan_yield %c0
}
