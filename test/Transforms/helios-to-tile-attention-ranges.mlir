// RUN: helios-opt --helios-to-tile --split-input-file %s | FileCheck %s

// A part evaluates the mask, 32 queries at once, and leaves where keys that some of them see begin and end, and where those that all see do if
// these lie side by side. Items visit the blocks between, and need no mask in the latter.

// CHECK-LABEL: tile.program @blocks_any_ranges64(
// CHECK: tile.items (%[[I:.*]]) in
// CHECK: scf.for
// CHECK: scf.for
// CHECK: %[[KEEP:.*]] = arith.cmpi eq, {{.*}} : tensor<32x1024xindex>
// CHECK: %[[ONES:.*]] = arith.select %[[KEEP]]
// CHECK: tile.reduce add %[[ONES]], 0 : tensor<32x1024xi32> -> tensor<1024xi32>
// CHECK: arith.cmpi ne
// CHECK: arith.cmpi eq
// CHECK: tile.reduce max
// CHECK: tile.store %{{.*}} : tensor<8xi32>
// CHECK: tile.reduce max
// CHECK: tile.store %{{.*}} : tensor<8xi32>
// CHECK: %[[NUMBER:.*]] = tile.reduce add {{.*}} : tensor<8x1024xi32> -> tensor<8xi32>
// CHECK: %[[WHOLE:.*]] = arith.cmpi eq, %{{.*}}, %[[NUMBER]]
// CHECK: %[[B:.*]] = arith.select %[[WHOLE]]
// CHECK: tile.store %[[B]]
// CHECK: %[[E:.*]] = arith.select %[[WHOLE]]
// CHECK: tile.store %[[E]]

// Without a bound of its own both ends are those that were found.

// CHECK-LABEL: tile.program @blocks_full(
// CHECK-COUNT-4: tile.element
// CHECK-NOT: tile.element
// CHECK: scf.for
// CHECK: %[[SEEN:.*]] = arith.cmpi eq
// CHECK: arith.ori %[[SEEN]], %{{.*}} {tile.implied}
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

// A causal mask keeps its own end, so one number less is read; each sequence of the batch has its own.

// CHECK-LABEL: tile.program @documents_full(
// CHECK-COUNT-3: tile.element %{{.*}}[%{{.*}}, %{{.*}}] : <?x?xi32
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
