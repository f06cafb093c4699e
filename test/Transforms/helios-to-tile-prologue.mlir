// RUN: helios-opt --split-input-file --helios-to-tile --canonicalize --cse --verify-diagnostics %s | FileCheck %s

// The region stands between the load and the product, in the order in which the operand is stored; a step has one group.
// CHECK-LABEL: tile.program @groups_full
// CHECK: %[[GROUPS:.+]] = arith.divui %[[K:.+]], %c128
// CHECK: tile.view %{{.+}}[%{{.+}}, %[[K]]] {{.*}}<i8>
// CHECK: tile.view %{{.+}}[%[[GROUPS]], %{{.+}}] {{.*}}<f16> -> <?x?xf16, strides = [1, ?]>
// CHECK: scf.for
// CHECK: %[[G:.+]] = arith.divui %{{.+}}, %c128
// CHECK: %[[W:.+]] = tile.load {{.*}} -> tensor<32x64xi8>
// CHECK: %[[S:.+]] = tile.load %{{.+}}[%[[G]], %{{.+}}] {{.*}} -> tensor<32xf16>
// CHECK: %[[F:.+]] = arith.sitofp %[[W]] : tensor<32x64xi8> to tensor<32x64xf16>
// CHECK: %[[E:.+]] = tile.expand %[[S]], [1] : tensor<32xf16> -> tensor<32x64xf16>
// CHECK: %[[M:.+]] = arith.mulf %[[F]], %[[E]]
// CHECK-NOT: select
// CHECK: tile.transpose %[[M]]
// CHECK: tile.dot
// Groups make up all of K, so no step reaches beyond it whatever the variant knows.
// CHECK-LABEL: tile.program @groups_aligned
// CHECK-NOT: arith.select
// CHECK: tile.plan @groups
// CHECK: tile.require %{{.+}}, "extent 1 of arg2 times the group of 128 must equal K"
helios.kernel @groups(%a: tensor<?x?xf16>, %w: tensor<?x?xi8>, %s: tensor<?x?xf16>) -> tensor<?x?xf16>
    attributes {target = #ptx.target<"sm_89">, schedule = #helios.schedule<tile = [64, 32, 64]>} {
  %d = helios.matmul %a, %w prologue(%s : tensor<?x?xf16>) {group = 128 : i64, transpose_b}
      : (tensor<?x?xf16>, tensor<?x?xi8>) -> tensor<?x?xf16> acc f32 prologue {
  ^bb0(%x: i8, %t: f16):
    %y = arith.sitofp %x : i8 to f16
    %z = arith.mulf %y, %t : f16
    helios.yield %z : f16
  }
  helios.return %d : tensor<?x?xf16>
}

// -----

// Where K may end within a step, what lies behind is zero whatever the region makes of it.
// CHECK-LABEL: tile.program @columns_full
// CHECK-NOT: arith.select
// CHECK-LABEL: tile.program @columns_aligned
// CHECK: tile.load {{.*}} -> tensor<32xf16>
// CHECK: %[[Z:.+]] = arith.subf
// CHECK: %[[AT:.+]] = tile.iota 0 : tensor<64xindex>
// CHECK: %[[IN:.+]] = arith.cmpi slt, %[[AT]], %{{.+}} : tensor<64xindex>
// CHECK: %[[ALL:.+]] = tile.expand %[[IN]], [1]
// CHECK: arith.select %[[ALL]], %[[Z]], %{{.+}} : tensor<64x32xi1>, tensor<64x32xf16>
helios.kernel @columns(%a: tensor<?x?xf16>, %w: tensor<?x?xi8>, %s: tensor<1x?xf16>) -> tensor<?x?xf16>
    attributes {target = #ptx.target<"sm_89">, schedule = #helios.schedule<tile = [64, 32, 64]>} {
  %d = helios.matmul %a, %w prologue(%s : tensor<1x?xf16>)
      : (tensor<?x?xf16>, tensor<?x?xi8>) -> tensor<?x?xf16> acc f32 prologue {
  ^bb0(%x: i8, %t: f16):
    %y = arith.sitofp %x : i8 to f16
    %z = arith.subf %y, %t : f16
    helios.yield %z : f16
  }
  helios.return %d : tensor<?x?xf16>
}

// -----

// Where an element holds two, a step has two tiles of the left operand, half a group apart, and one of what is stored, half as long.
// CHECK-LABEL: tile.program @packed_full
// CHECK: %[[STORED:.+]] = arith.divui %[[K:.+]], %c2
// CHECK: tile.view %{{.+}}[%{{.+}}, %[[STORED]]] {{.*}}<i8>
// CHECK: scf.for %[[STEP:[a-z0-9]+]] =
// CHECK: %[[AT:.+]] = arith.muli %[[STEP]], %c128
// CHECK: %[[HALF:.+]] = arith.muli %[[STEP]], %c64
// CHECK: %[[A0:.+]] = tile.load %{{.+}}[%{{.+}}, %[[AT]]] {{.*}} -> tensor<64x64xf16>
// CHECK: %[[NEXT:.+]] = arith.addi %[[AT]], %c64
// CHECK: %[[A1:.+]] = tile.load %{{.+}}[%{{.+}}, %[[NEXT]]] {{.*}} -> tensor<64x64xf16>
// CHECK: tile.load %{{.+}}[%{{.+}}, %[[HALF]]] {{.*}} -> tensor<32x64xi8>
// CHECK: %[[B0:.+]] = tile.transpose
// CHECK: %[[B1:.+]] = tile.transpose
// CHECK: %[[SUM:.+]] = tile.dot %[[A0]], %[[B0]], %{{.+}}
// CHECK: tile.dot %[[A1]], %[[B1]], %[[SUM]]
// CHECK: tile.plan @packed
// CHECK: tile.require %{{.+}}, "extent 1 of arg1 times the 2 elements in one must equal K"
// CHECK: tile.require %{{.+}}, "K must be a multiple of the group of 128"
helios.kernel @packed(%a: tensor<?x?xf16>, %w: tensor<?x?xi8>, %s: tensor<?x?xf16>) -> tensor<?x?xf16>
    attributes {target = #ptx.target<"sm_89">, schedule = #helios.schedule<tile = [64, 32, 128]>} {
  %d = helios.matmul %a, %w prologue(%s : tensor<?x?xf16>) {group = 128 : i64, transpose_b}
      : (tensor<?x?xf16>, tensor<?x?xi8>) -> tensor<?x?xf16> acc f32 prologue {
  ^bb0(%x: i8, %t: f16):
    %c4 = arith.constant 4 : i8
    %raised = arith.shli %x, %c4 : i8
    %low = arith.shrsi %raised, %c4 : i8
    %high = arith.shrsi %x, %c4 : i8
    %u = arith.sitofp %low : i8 to f16
    %v = arith.sitofp %high : i8 to f16
    %y = arith.mulf %u, %t : f16
    %z = arith.mulf %v, %t : f16
    helios.yield %y, %z : f16, f16
  }
  helios.return %d : tensor<?x?xf16>
}

// -----

// Shorter steps go through a group of what is stored one after the other.
// CHECK-LABEL: tile.program @shorter_full
// CHECK: scf.for %[[STEP:[a-z0-9]+]] =
// CHECK: %[[AT:.+]] = arith.muli %[[STEP]], %c32
// CHECK: %[[IN:.+]] = arith.remui %[[AT]], %c128
// CHECK: %[[GROUP:.+]] = arith.subi %[[AT]], %[[IN]]
// CHECK: %[[NUMBER:.+]] = arith.divui %[[IN]], %c32
// CHECK: %[[WITHIN:.+]] = arith.muli %[[NUMBER]], %c16
// CHECK: %[[FIRST:.+]] = arith.addi %[[GROUP]], %[[WITHIN]]
// CHECK: tile.load %{{.+}}[%{{.+}}, %[[FIRST]]] {{.*}} -> tensor<64x16xf16>
// CHECK: arith.addi %[[FIRST]], %c64
helios.kernel @shorter(%a: tensor<?x?xf16>, %w: tensor<?x?xi8>, %s: tensor<?x?xf16>) -> tensor<?x?xf16>
    attributes {target = #ptx.target<"sm_89">, schedule = #helios.schedule<tile = [64, 32, 32]>} {
  %d = helios.matmul %a, %w prologue(%s : tensor<?x?xf16>) {group = 128 : i64, transpose_b}
      : (tensor<?x?xf16>, tensor<?x?xi8>) -> tensor<?x?xf16> acc f32 prologue {
  ^bb0(%x: i8, %t: f16):
    %c4 = arith.constant 4 : i8
    %raised = arith.shli %x, %c4 : i8
    %low = arith.shrsi %raised, %c4 : i8
    %high = arith.shrsi %x, %c4 : i8
    %u = arith.sitofp %low : i8 to f16
    %v = arith.sitofp %high : i8 to f16
    %y = arith.mulf %u, %t : f16
    %z = arith.mulf %v, %t : f16
    helios.yield %y, %z : f16, f16
  }
  helios.return %d : tensor<?x?xf16>
}

// -----

// Longer steps are computed group by group; their products add to one sum. Where K is no multiple of the step a group lies wholly inside
// of it or behind it, and what its region makes of zeros is not taken.
// CHECK-LABEL: tile.program @longer_full
// CHECK-SAME: tile.div = 256
// CHECK: scf.for %[[STEP:[a-z0-9]+]] = {{.*}} iter_args(%[[SUM:[^ ]+]] =
// CHECK: %[[AT:.+]] = arith.muli %[[STEP]], %c256
// CHECK: %[[STORED:.+]] = arith.muli %[[STEP]], %c128
// CHECK: %[[GROUP:.+]] = arith.muli %[[STEP]], %c2
// CHECK: tile.load %{{.+}}[%{{.+}}, %[[AT]]] {{.*}} -> tensor<64x64xf16>
// CHECK: %[[HIGH:.+]] = arith.addi %[[AT]], %c64
// CHECK: tile.load %{{.+}}[%{{.+}}, %[[HIGH]]] {{.*}} -> tensor<64x64xf16>
// CHECK: tile.load %{{.+}}[%{{.+}}, %[[STORED]]] {{.*}} -> tensor<32x64xi8>
// CHECK: tile.load %{{.+}}[%[[GROUP]], %{{.+}}] {{.*}} -> tensor<32xf16>
// CHECK: %[[D0:.+]] = tile.dot %{{.+}}, %{{.+}}, %[[SUM]]
// CHECK: %[[D1:.+]] = tile.dot %{{.+}}, %{{.+}}, %[[D0]]
// CHECK: %[[SECOND:.+]] = arith.addi %[[AT]], %c128
// CHECK: %[[STORED1:.+]] = arith.addi %[[STORED]], %c64
// CHECK: %[[GROUP1:.+]] = arith.addi %[[GROUP]], %c1
// CHECK: tile.load %{{.+}}[%{{.+}}, %[[SECOND]]] {{.*}} -> tensor<64x64xf16>
// CHECK: tile.load %{{.+}}[%{{.+}}, %[[STORED1]]] {{.*}} -> tensor<32x64xi8>
// CHECK: tile.load %{{.+}}[%[[GROUP1]], %{{.+}}] {{.*}} -> tensor<32xf16>
// CHECK: tile.dot %{{.+}}, %{{.+}}, %[[D1]]
// CHECK-LABEL: tile.program @longer_aligned
// CHECK-COUNT-4: arith.select {{.*}} tensor<32x64xf16>
helios.kernel @longer(%a: tensor<?x?xf16>, %w: tensor<?x?xi8>, %s: tensor<?x?xf16>) -> tensor<?x?xf16>
    attributes {target = #ptx.target<"sm_89">, schedule = #helios.schedule<tile = [64, 32, 256]>} {
  %d = helios.matmul %a, %w prologue(%s : tensor<?x?xf16>) {group = 128 : i64, transpose_b}
      : (tensor<?x?xf16>, tensor<?x?xi8>) -> tensor<?x?xf16> acc f32 prologue {
  ^bb0(%x: i8, %t: f16):
    %c4 = arith.constant 4 : i8
    %raised = arith.shli %x, %c4 : i8
    %low = arith.shrsi %raised, %c4 : i8
    %high = arith.shrsi %x, %c4 : i8
    %u = arith.sitofp %low : i8 to f16
    %v = arith.sitofp %high : i8 to f16
    %y = arith.mulf %u, %t : f16
    %z = arith.mulf %v, %t : f16
    helios.yield %y, %z : f16, f16
  }
  helios.return %d : tensor<?x?xf16>
}

// -----

// In a tile of one instruction's rows each half of a step adds to a sum of its own.
// CHECK-LABEL: tile.program @chains_full
// CHECK: %[[SUMS:.+]]:2 = scf.for {{.*}} iter_args(%[[S0:.+]] = %{{.+}}, %[[S1:.+]] = %{{.+}}) -> (tensor<16x32xf32>, tensor<16x32xf32>)
// CHECK: tile.dot %{{.+}}, %{{.+}}, %[[S0]]
// CHECK: tile.dot %{{.+}}, %{{.+}}, %[[S1]]
// CHECK: arith.addf %[[SUMS]]#0, %[[SUMS]]#1 : tensor<16x32xf32>
helios.kernel @chains(%a: tensor<?x?xf16>, %w: tensor<?x?xi8>, %s: tensor<?x?xf16>) -> tensor<?x?xf16>
    attributes {target = #ptx.target<"sm_89">, schedule = #helios.schedule<tile = [16, 32, 128], groups = [1, 4], mma = [16, 8, 16], strategy = groups, depth = 4>} {
  %d = helios.matmul %a, %w prologue(%s : tensor<?x?xf16>) {group = 128 : i64, transpose_b}
      : (tensor<?x?xf16>, tensor<?x?xi8>) -> tensor<?x?xf16> acc f32 prologue {
  ^bb0(%x: i8, %t: f16):
    %c4 = arith.constant 4 : i8
    %raised = arith.shli %x, %c4 : i8
    %low = arith.shrsi %raised, %c4 : i8
    %high = arith.shrsi %x, %c4 : i8
    %u = arith.sitofp %low : i8 to f16
    %v = arith.sitofp %high : i8 to f16
    %y = arith.mulf %u, %t : f16
    %z = arith.mulf %v, %t : f16
    helios.yield %y, %z : f16, f16
  }
  helios.return %d : tensor<?x?xf16>
}

// -----

// Of the left operand: a value of each row and one of each k, as vectors until both meet an element; behind the end of K is zero.
// CHECK-LABEL: tile.program @normalised_full
// CHECK: scf.for
// CHECK: %[[X:.+]] = tile.load {{.*}} -> tensor<64x32xf16>
// CHECK: %[[R:.+]] = tile.load {{.*}} -> tensor<64xf32>
// CHECK: %[[G:.+]] = tile.load {{.*}} -> tensor<32xf32>
// CHECK: %[[X32:.+]] = arith.extf %[[X]]
// CHECK: %[[RX:.+]] = tile.expand %[[R]], [1] : tensor<64xf32> -> tensor<64x32xf32>
// CHECK: %[[U:.+]] = arith.mulf %[[X32]], %[[RX]]
// CHECK: %[[GX:.+]] = tile.expand %[[G]], [0] : tensor<32xf32> -> tensor<64x32xf32>
// CHECK: %[[V:.+]] = arith.mulf %[[U]], %[[GX]]
// CHECK: %[[Y:.+]] = arith.truncf %[[V]]
// CHECK-NOT: select
// CHECK: tile.dot %[[Y]],
// CHECK-LABEL: tile.program @normalised_aligned
// CHECK: %[[IN:.+]] = arith.cmpi slt, %{{.+}}, %{{.+}} : tensor<32xindex>
// CHECK: %[[ALL:.+]] = tile.expand %[[IN]], [0] : tensor<32xi1> -> tensor<64x32xi1>
// CHECK: arith.select %[[ALL]]
// CHECK: tile.dot
// CHECK: tile.plan @normalised
// CHECK: tile.require %{{.+}}, "extent 0 of arg2 must equal extent 0 of arg0"
// CHECK: tile.require %{{.+}}, "extent 0 of arg3 must equal extent 1 of arg0"
helios.kernel @normalised(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %r: tensor<?x1xf32>, %g: tensor<?xf32>) -> tensor<?x?xf16>
    attributes {target = #ptx.target<"sm_89">, schedule = #helios.schedule<tile = [64, 64, 32]>} {
  %d = helios.matmul %a, %b prologue_a(%r, %g : tensor<?x1xf32>, tensor<?xf32>)
      : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32 prologue_a {
  ^bb0(%e: f16, %s: f32, %t: f32):
    %e32 = arith.extf %e : f16 to f32
    %u = arith.mulf %e32, %s : f32
    %v = arith.mulf %u, %t : f32
    %y = arith.truncf %v : f32 to f16
    helios.yield %y : f16
  }
  helios.return %d : tensor<?x?xf16>
}

// -----

// Transposed, with nothing but an element of the batch beside it; shared memory holds what is computed, which is what is transposed.
// CHECK-LABEL: tile.program @transposed_full
// CHECK: %[[X:.+]] = tile.load {{.*}} -> tensor<32x64xi8>
// CHECK: tile.load {{.*}} -> tensor<64xf16>
// CHECK: %[[Y:.+]] = arith.mulf %{{.+}}, %{{.+}} : tensor<32x64xf16>
// CHECK: %[[T:.+]] = tile.transpose %[[Y]] : tensor<32x64xf16> -> tensor<64x32xf16>
// CHECK: tile.dot %[[T]],
helios.kernel @transposed(%a: tensor<?x?x?xi8>, %b: tensor<?x?xf16>, %s: tensor<?x1x1xf16>) -> tensor<?x?x?xf16>
    attributes {target = #ptx.target<"sm_89">, schedule = #helios.schedule<tile = [64, 64, 32]>} {
  %d = helios.matmul %a, %b prologue_a(%s : tensor<?x1x1xf16>) {transpose_a} : (tensor<?x?x?xi8>, tensor<?x?xf16>) -> tensor<?x?x?xf16> acc f32 prologue_a {
  ^bb0(%x: i8, %t: f16):
    %y = arith.sitofp %x : i8 to f16
    %z = arith.mulf %y, %t : f16
    helios.yield %z : f16
  }
  helios.return %d : tensor<?x?x?xf16>
}

// -----

// apart = a: a program of its own makes what the region makes of the left operand, laid out as that one is, and leaves it in the
// workspace. The product, slices of K here, takes that as any other operand.
// CHECK-LABEL: tile.program @apart_aligned_left
// CHECK-NOT: tile.dot
// CHECK: %[[X:.+]] = tile.load {{.*}} -> tensor<[[TILE:.+]]xf16>
// CHECK: %[[R:.+]] = tile.load {{.*}} -> tensor<[[ROWS:.+]]xf16>
// CHECK: %[[F:.+]] = tile.expand %[[R]], [1] : tensor<[[ROWS]]xf16> -> tensor<[[TILE]]xf16>
// CHECK: %[[Y:.+]] = arith.mulf %[[X]], %[[F]]
// CHECK: tile.store %[[Y]]
// CHECK-LABEL: tile.program @apart_full_slices
// CHECK-NOT: arith.mulf
// CHECK: tile.dot
// CHECK-LABEL: tile.plan @apart
// CHECK: %[[MADE:.+]] = tile.workspace %{{.+}} : <f16>
// CHECK: tile.dispatch @apart_aligned_left[{{.+}}] (%arg0, %arg2, %[[MADE]],
// CHECK: tile.dispatch @apart_full_slices[{{.+}}] (%[[MADE]], %arg1,
// CHECK: tile.dispatch @apart_aligned_sum
helios.kernel @apart(%a: tensor<?x?x?xf16>, %b: tensor<?x?xf16>, %r: tensor<?x1xf16>) -> tensor<?x?x?xf16>
    attributes {target = #ptx.target<"sm_89">, schedule = #helios.schedule<strategy = groups, tile = [64, 64, 32], groups = [2, 2], depth = 3, apart = a, split_k = 2>} {
  %d = helios.matmul %a, %b prologue_a(%r : tensor<?x1xf16>) : (tensor<?x?x?xf16>, tensor<?x?xf16>) -> tensor<?x?x?xf16> acc f32 prologue_a {
  ^bb0(%x: f16, %s: f16):
    %y = arith.mulf %x, %s : f16
    helios.yield %y : f16
  }
  helios.return %d : tensor<?x?x?xf16>
}

// -----

// apart = b: the same of a right one, of whose elements two lie in each that is stored, half a group apart. A tile lies within a group's
// share of these; the product takes what is made in steps that know of no groups.
// CHECK-LABEL: tile.program @made_aligned_right
// CHECK: tile.items (%[[N:.+]], %[[S:.+]]) in
// CHECK: %[[STORED:.+]] = arith.muli %[[S]], %c64
// CHECK: %[[IN:.+]] = arith.remui %[[STORED]], %c64
// CHECK: %[[GROUP:.+]] = arith.divui %[[STORED]], %c64
// CHECK: %[[FIRST:.+]] = arith.muli %[[GROUP]], %c128
// CHECK: %[[K:.+]] = arith.addi %[[FIRST]], %[[IN]]
// CHECK: %[[G:.+]] = arith.divui %[[K]], %c128
// CHECK: tile.load %{{.+}} -> tensor<32x64xi8>
// CHECK: tile.load %{{.+}}[%[[G]], %{{.+}}] {{.*}} -> tensor<32xf16>
// CHECK: tile.store %{{.+}}, %[[B:.+]][%{{.+}}, %[[K]]]
// CHECK: %[[SECOND:.+]] = arith.addi %[[K]], %c64
// CHECK: tile.store %{{.+}}, %[[B]][%{{.+}}, %[[SECOND]]]
// CHECK-LABEL: tile.program @made_full
// CHECK-NOT: arith.sitofp
// CHECK: tile.load {{.*}} -> tensor<64x96xf16>
// CHECK: tile.load {{.*}} -> tensor<64x96xf16>
// CHECK: tile.dot
// CHECK-LABEL: tile.program @made_aligned(
// CHECK-LABEL: tile.plan @made
// CHECK: %[[MADE:.+]] = tile.workspace %{{.+}} : <f16>
// CHECK: tile.dispatch @made_aligned_right[{{.+}}] (%arg1, %arg2, %[[MADE]],
// CHECK: tile.dispatch @made_full[{{.+}}] (%arg0, %[[MADE]],
helios.kernel @made(%a: tensor<?x?xf16>, %w: tensor<?x?xi8>, %s: tensor<?x?xf16>) -> tensor<?x?xf16>
    attributes {target = #ptx.target<"sm_89">, schedule = #helios.schedule<strategy = groups, tile = [64, 64, 96], groups = [2, 2], depth = 2, apart = b>} {
  %d = helios.matmul %a, %w prologue(%s : tensor<?x?xf16>) {group = 128 : i64, transpose_b}
      : (tensor<?x?xf16>, tensor<?x?xi8>) -> tensor<?x?xf16> acc f32 prologue {
  ^bb0(%x: i8, %f: f16):
    %c4 = arith.constant 4 : i8
    %high = arith.shrsi %x, %c4 : i8
    %u = arith.sitofp %x : i8 to f16
    %v = arith.sitofp %high : i8 to f16
    %y = arith.mulf %u, %f : f16
    %z = arith.mulf %v, %f : f16
    helios.yield %y, %z : f16, f16
  }
  helios.return %d : tensor<?x?xf16>
}

// -----

// Of a pair each is made, by a program of its own, and the plan weighs that against schedules whose items compute both.
// CHECK-LABEL: tile.program @pair_aligned_right
// CHECK-LABEL: tile.program @pair_aligned_pair
// CHECK-LABEL: tile.plan @pair
// CHECK-DAG: %[[FIRST:.+]] = tile.workspace %c0
// CHECK-DAG: %[[OTHER:.+]] = tile.workspace %{{[^c].+}} : <f16>
// CHECK: tile.dispatch @pair_aligned_right[{{.+}}] (%arg1, %[[FIRST]],
// CHECK: tile.dispatch @pair_aligned_pair[{{.+}}] (%arg2, %[[OTHER]],
// CHECK: tile.dispatch @pair_full_64x64x32_made[{{.+}}] (%arg0, %[[FIRST]], %[[OTHER]],
helios.kernel @pair(%a: tensor<?x?xf16>, %w: tensor<?x?xi8>, %v: tensor<?x?xi8>) -> tensor<?x?xf16>
    attributes {target = #ptx.target<"sm_89">, schedule = #helios.schedule<strategy = groups, tile = [64, 64, 64], groups = [2, 2], depth = 2>,
                alternatives = [#helios.schedule<strategy = groups, tile = [64, 64, 32], groups = [2, 2], depth = 2, apart = b>],
                weights = array<i64: 300, 200>, make_weights = array<i64: 1000, 2>} {
  %d = helios.matmul %a, %w pair(%v : tensor<?x?xi8>) {transpose_b}
      : (tensor<?x?xf16>, tensor<?x?xi8>) -> tensor<?x?xf16> acc f32 prologue {
  ^bb0(%x: i8):
    %y = arith.sitofp %x : i8 to f16
    helios.yield %y : f16
  } {
  ^bb0(%x: f32, %y: f32):
    %p = arith.mulf %x, %y : f32
    %r = arith.truncf %p : f32 to f16
    helios.yield %r : f16
  }
  helios.return %d : tensor<?x?xf16>
}
