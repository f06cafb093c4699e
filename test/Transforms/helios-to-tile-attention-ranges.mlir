// RUN: helios-opt --helios-to-tile --split-input-file %s | FileCheck %s

// A part evaluates the mask, 32 queries at once, and leaves where keys that they see begin and end. Items visit the blocks between.

// CHECK-LABEL: tile.program @blocks_any_ranges64(
// CHECK: tile.items (%[[I:.*]]) in
// CHECK: scf.for
// CHECK: scf.for
// CHECK: %[[KEEP:.*]] = arith.cmpi eq, {{.*}} : tensor<32x1024xindex>
// CHECK: %[[SEEN:.*]] = tile.reduce or %[[KEEP]], 0 : tensor<32x1024xi1> -> tensor<1024xi1>
// CHECK: tile.reduce max
// CHECK: tile.store %{{.*}} : tensor<8xi32>
// CHECK: tile.reduce max
// CHECK: tile.store %{{.*}} : tensor<8xi32>

// Without a bound of its own both ends are those that were found.

// CHECK-LABEL: tile.program @blocks_full(
// CHECK: %[[B:.*]] = tile.element
// CHECK: %[[E:.*]] = tile.element
// CHECK: scf.for
// CHECK: tile.dispatch @blocks_any_ranges64
// CHECK-NEXT: tile.dispatch @blocks_full
helios.kernel @blocks(%q: tensor<?x?x?x64xf16>, %k: tensor<?x?x?x64xf16>, %v: tensor<?x?x?x64xf16>) -> tensor<?x?x?x64xf16>
    attributes {target = #ptx.target<"sm_89">, schedule = #helios.schedule<strategy = groups, tile = [64, 64, 64], groups = [4, 1], depth = 2, mma = [16, 8, 16], apart = mask>} {
  %o = helios.attention %q, %k, %v : (tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>) -> tensor<?x?x?x64xf16> acc f32 mask {
  ^bb0(%b: index, %h: index, %i: index, %j: index):
    %size = arith.constant 512 : index
    %x = arith.divui %i, %size : index
    %y = arith.divui %j, %size : index
    %same = arith.cmpi eq, %x, %y : index
    helios.yield %same : i1
  }
  helios.return %o : tensor<?x?x?x64xf16>
}

// -----

// A causal mask keeps its own end, so one number is read; each sequence of the batch has its own.

// CHECK-LABEL: tile.program @documents_full(
// CHECK: tile.element %{{.*}}[%{{.*}}, %{{.*}}] : <?x?xi32
// CHECK-NOT: tile.element
// CHECK: scf.for
helios.kernel @documents(%q: tensor<?x?x?x64xf16>, %k: tensor<?x?x?x64xf16>, %v: tensor<?x?x?x64xf16>, %x: tensor<?x1x?x1xi32>, %y: tensor<?x1x1x?xi32>) -> tensor<?x?x?x64xf16>
    attributes {target = #ptx.target<"sm_89">, schedule = #helios.schedule<strategy = groups, tile = [64, 64, 64], groups = [4, 1], depth = 2, mma = [16, 8, 16], apart = mask>} {
  %o = helios.attention %q, %k, %v fused(%x, %y : tensor<?x1x?x1xi32>, tensor<?x1x1x?xi32>)
      : (tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>) -> tensor<?x?x?x64xf16> acc f32 mask {
  ^bb0(%of: i32, %as: i32, %b: index, %h: index, %i: index, %j: index):
    %same = arith.cmpi eq, %of, %as : i32
    %causal = arith.cmpi sle, %j, %i : index
    %keep = arith.andi %same, %causal : i1
    helios.yield %keep : i1
  }
  helios.return %o : tensor<?x?x?x64xf16>
}
