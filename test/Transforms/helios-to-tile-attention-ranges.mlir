// RUN: helios-opt --helios-to-tile --split-input-file %s | FileCheck %s

// A part evaluates the mask and leaves where keys that some of its queries see begin and end, and where those that all see do if these lie side by
// side. Items visit the blocks between, and need no mask in the latter. Where all queries make the same of their places, the first and the last of
// them say what all do; if not, so it is for 16 queries of which that holds.

// CHECK-LABEL: tile.program @blocks_any_ranges64(
// CHECK: tile.items (%[[I:.*]]) in
// CHECK: %[[OF:.*]] = arith.divui %{{.*}}, %{{.*}} : index
// CHECK: %[[MIXED:.*]]:2 = scf.for
// CHECK: arith.cmpi ne, %[[OF]], %{{.*}} : index
// CHECK: scf.for
// CHECK: %[[ANY:.*]] = arith.cmpi ne, %[[MIXED]]#1
// CHECK: scf.if %[[ANY]] -> (tensor<256xi32>, 
// CHECK: scf.for
// CHECK: arith.shrui %[[MIXED]]#0
// CHECK: scf.if
// CHECK: %[[KEEP:.*]] = arith.cmpi eq, {{.*}} : tensor<16x256xindex>
// CHECK: %[[ONES:.*]] = arith.select %[[KEEP]]
// CHECK: tile.reduce add %[[ONES]], 0 : tensor<16x256xi32> -> tensor<256xi32>
// CHECK: else
// CHECK-NOT: tensor<16x
// CHECK: arith.cmpi eq, {{.*}} : tensor<256xindex>
// CHECK: else
// CHECK: arith.cmpi eq, {{.*}} : tensor<256xindex>
// CHECK: arith.cmpi ne
// CHECK: arith.cmpi eq
// CHECK: tile.reduce max
// CHECK: tile.store %{{.*}} : tensor<8xi32>
// CHECK: tile.reduce max
// CHECK: tile.store %{{.*}} : tensor<8xi32>
// CHECK: %[[NUMBER:.*]] = tile.reduce add {{.*}} : tensor<8x256xi32> -> tensor<8xi32>
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

// -----

// Nothing but their places tells queries apart: an earlier query sees no more keys than the last, and a later one no less than the first.

// CHECK-LABEL: tile.program @padding_any_ranges64(
// CHECK: %[[LAST:.*]] = arith.subi %{{.*}}, %c1{{.*}} : index
// CHECK-NOT: scf.if
// CHECK: scf.for
// CHECK-NOT: tensor<16x
// CHECK: %[[KEY:.*]] = arith.cmpi ne, {{.*}} : tensor<256xi32>
// CHECK: arith.cmpi sle, {{.*}} : tensor<256xindex>
// CHECK: tile.expand %[[LAST]], [0]
// CHECK: arith.cmpi sle, {{.*}} : tensor<256xindex>
// CHECK-NOT: tensor<16x
// CHECK: tile.program
helios.kernel @padding(%q: tensor<?x?x?x64xf16>, %k: tensor<?x?x?x64xf16>, %v: tensor<?x?x?x64xf16>, %y: tensor<?x1x1x?xi32>) -> tensor<?x?x?x64xf16>
    attributes {target = #ptx.target<"sm_89">, schedule = #helios.schedule<strategy = groups, tile = [64, 64, 64], groups = [4, 1], depth = 2, mma = [16, 8, 16], apart = mask>} {
  %o = helios.attention %q, %k, %v fused(%y : tensor<?x1x1x?xi32>)
      : (tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>) -> tensor<?x?x?x64xf16> acc f32 mask {
  ^bb0(%as: i32, %b: index, %h: index, %i: index, %j: index):
    %none = arith.constant 0 : i32
    %given = arith.cmpi ne, %as, %none : i32
    %causal = arith.cmpi ule, %j, %i : index
    %keep = arith.andi %given, %causal : i1
    helios.yield %keep : i1
  }
  helios.return %o : tensor<?x?x?x64xf16>
}

// -----

// A difference that is compared as if it were not negative is a window: its beginning moves with the query, and so does its end.

// CHECK-LABEL: tile.program @window_any_ranges64(
// CHECK-NOT: scf.if
// CHECK: scf.for
// CHECK-NOT: tensor<16x
// CHECK: %[[SOMEEND:.*]] = arith.cmpi sle, %[[KEY:.*]], %{{.*}} : tensor<256xindex>
// CHECK: %[[ALLEND:.*]] = arith.cmpi sle, %[[KEY]], %{{.*}} : tensor<256xindex>
// CHECK: %[[SOMEBEGIN:.*]] = arith.cmpi sge, %[[KEY]], %{{.*}} : tensor<256xindex>
// CHECK: %[[ALLBEGIN:.*]] = arith.cmpi sge, %[[KEY]], %{{.*}} : tensor<256xindex>
// CHECK: arith.andi %[[SOMEEND]], %[[SOMEBEGIN]]
// CHECK: arith.andi %[[ALLEND]], %[[ALLBEGIN]]
// CHECK-NOT: tensor<16x
// CHECK: tile.program
helios.kernel @window(%q: tensor<?x?x?x64xf16>, %k: tensor<?x?x?x64xf16>, %v: tensor<?x?x?x64xf16>, %y: tensor<?x1x1x?xi32>) -> tensor<?x?x?x64xf16>
    attributes {target = #ptx.target<"sm_89">, schedule = #helios.schedule<strategy = groups, tile = [64, 64, 64], groups = [4, 1], depth = 2, mma = [16, 8, 16], apart = mask>} {
  %o = helios.attention %q, %k, %v fused(%y : tensor<?x1x1x?xi32>)
      : (tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>) -> tensor<?x?x?x64xf16> acc f32 mask {
  ^bb0(%as: i32, %b: index, %h: index, %i: index, %j: index):
    %none = arith.constant 0 : i32
    %given = arith.cmpi ne, %as, %none : i32
    %n = arith.constant 100 : index
    %distance = arith.subi %i, %j : index
    %near = arith.cmpi ult, %distance, %n : index
    %keep = arith.andi %given, %near : i1
    helios.yield %keep : i1
  }
  helios.return %o : tensor<?x?x?x64xf16>
}

// -----

// A query's place in an equality is another one for each: all pairs are looked at.

// CHECK-LABEL: tile.program @other_any_ranges64(
// CHECK-NOT: scf.if
// CHECK: tile.reduce add %{{.*}}, 0 : tensor<16x256xi32> -> tensor<256xi32>
// CHECK-NOT: scf.if
// CHECK: tile.program
helios.kernel @other(%q: tensor<?x?x?x64xf16>, %k: tensor<?x?x?x64xf16>, %v: tensor<?x?x?x64xf16>, %y: tensor<?x1x1x?xi32>) -> tensor<?x?x?x64xf16>
    attributes {target = #ptx.target<"sm_89">, schedule = #helios.schedule<strategy = groups, tile = [64, 64, 64], groups = [4, 1], depth = 2, mma = [16, 8, 16], apart = mask>} {
  %o = helios.attention %q, %k, %v fused(%y : tensor<?x1x1x?xi32>)
      : (tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>) -> tensor<?x?x?x64xf16> acc f32 mask {
  ^bb0(%as: i32, %b: index, %h: index, %i: index, %j: index):
    %place = arith.index_cast %i : index to i32
    %keep = arith.cmpi ne, %as, %place : i32
    helios.yield %keep : i1
  }
  helios.return %o : tensor<?x?x?x64xf16>
}
