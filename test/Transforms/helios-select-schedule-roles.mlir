// RUN: helios-opt --helios-select-schedule --split-input-file %s | FileCheck %s

// Roles: two groups that take tiles in turns, and as many slots as shared memory holds beside the store rings. Beside it stand the schedules that
// save most over a range of sizes on a device of as many processors: smaller and larger tiles, then others for rows that begin off a line of the
// cache, in clusters of two and four, of which a step copies two or more for one, and of any multiple of 16 columns. What a step takes is bounded by products, or by the
// lines that it copies; an item's end comes on top, under turns that of the last item alone, and a launch
// pays for each workgroup; what of a tile is outside of a result costs more for each element of K. Slices of K take no turns, and
// behind them stand tiles for results of few columns or rows, some of them in clusters along both sides. As many rows of tiles
// are walked together as need about the bytes of the columns beside them, or fewer. From 100 MB of operands on memory bounds what items read, but not
// what those of few rows do, which are no roles.
// CHECK-LABEL: @roles
// CHECK-SAME: tile = [64, 96, 64], groups = [1, 1], mma = [64, 96, 16], depth = 9, items = persistent, turns = 2>
// CHECK-SAME: tile = [128, 144, 64], groups = [1, 1], mma = [64, 144, 16], depth = 5, items = persistent, turns = 2>
// CHECK-SAME: tile = [64, 128, 64], groups = [1, 1], mma = [64, 128, 16], depth = 8, raster = 16, items = persistent, turns = 2>
// CHECK-SAME: tile = [192, 96, 64], groups = [3, 1], mma = [64, 96, 16], depth = 4
// CHECK-SAME: tile = [192, 176, 64], groups = [3, 1], mma = [64, 176, 16], depth = 4{{[^>]*}} cluster = [1, 2]>
// CHECK-SAME: tile = [128, 128, 64], groups = [1, 1], mma = [64, 128, 16], depth = 6{{[^>]*}} cluster = [4, 1], turns = 2>
// CHECK-SAME: tile = [128, 128, 64], groups = [2, 1], mma = [64, 128, 16], depth = 6, items = persistent, split_k = 0>
// CHECK-SAME: tile = [64, 64, 64], groups = [1, 1], mma = [64, 64, 16], depth = 13, items = persistent, split_k = 0>
// CHECK-SAME: tile = [160, 64, 64], groups = [1, 1], mma = [160, 64, 16]{{[^>]*}} cluster = [1, 4], turns = 2>
// CHECK-SAME: tile = [64, 64, 64], groups = [1, 1], mma = [64, 64, 16], depth = 12, items = persistent, cluster = [4, 1], turns = 2>
// CHECK-SAME: tile = [64, 80, 64], groups = [1, 1], mma = [64, 80, 16]{{[^>]*}} cluster = [2, 1]>
// CHECK-SAME: tile = [64, 160, 64], groups = [1, 1], mma = [64, 160, 16]{{[^>]*}} cluster = [4, 1]>
// CHECK-SAME: tile = [80, 64, 64], groups = [1, 1], mma = [80, 64, 16]{{[^>]*}} cluster = [1, 2]>
// CHECK-SAME: tile = [64, 64, 64], groups = [1, 1], mma = [64, 64, 16], depth = 13, items = persistent, cluster = [4, 2]>
// CHECK-SAME: tile = [64, 64, 64], groups = [1, 1], mma = [64, 64, 16], depth = 13, items = persistent, cluster = [2, 4]>
// CHECK-SAME: item_weights = array<i64: 0, 4667556,
// CHECK-SAME: outside_weights = array<i64: 384, 384, 83, 54, 118, 118>
// CHECK-SAME: read_weights = array<i64: 800000000, 16, 16, 881, 18874, {{.*}}, 0>
// CHECK-SAME: schedule = #helios.schedule<strategy = roles, tile = [128, 128, 64], groups = [1, 1], mma = [64, 128, 16], depth = 6, items = persistent, turns = 2>
// CHECK-SAME: unaligned_weights = array<i64: 30310,
// CHECK-SAME: weights = array<i64: 17613,
// CHECK-SAME: workgroup_weight = 10240
helios.kernel @roles(%a: tensor<?x?xbf16>, %b: tensor<?x?xbf16>) -> tensor<?x?xbf16> attributes {target = #ptx.target<"sm_90a">} {
  %d = helios.matmul %a, %b {transpose_b} : (tensor<?x?xbf16>, tensor<?x?xbf16>) -> tensor<?x?xbf16> acc f32
  helios.return %d : tensor<?x?xbf16>
}

// -----

// With rows of B along the columns a tile of 192 columns copies fewer lines than one of 176, whose last panel is filled up: in front of a cluster stands
// its mirror with exchanged operands, of the same price. Clusters that take turns have none.
// CHECK-LABEL: @mirrors
// CHECK-SAME: tile = [176, 192, 64], groups = [1, 3], mma = [176, 64, 16], depth = 4, items = persistent, cluster = [2, 1]>, #helios.schedule<strategy = roles, tile = [192, 176, 64], groups = [3, 1], mma = [64, 176, 16], depth = 4, items = persistent, cluster = [1, 2]>
// CHECK-SAME: tile = [112, 256, 64], groups = [1, 2], mma = [112, 64, 16], depth = 4, raster = 16, items = persistent, cluster = [2, 1]>, #helios.schedule<strategy = roles, tile = [256, 112, 64], groups = [2, 1]
// CHECK-SAME: tile = [128, 160, 64], groups = [1, 1], mma = [64, 160, 16], depth = 4, items = persistent, cluster = [4, 1], turns = 2>, #helios.schedule<strategy = roles, tile = [64, 64, 64]
helios.kernel @mirrors(%a: tensor<?x?xbf16>, %b: tensor<?x?xbf16>) -> tensor<?x?xbf16> attributes {target = #ptx.target<"sm_90a">} {
  %d = helios.matmul %a, %b : (tensor<?x?xbf16>, tensor<?x?xbf16>) -> tensor<?x?xbf16> acc f32
  helios.return %d : tensor<?x?xbf16>
}

// -----

// Where batches give both operands places of their own clusters lie along one side.
// CHECK-LABEL: @batches
// CHECK-NOT: cluster = [{{[24], [24]}}]
// CHECK-SAME: tile = [64, 160, 64]{{[^>]*}} cluster = [4, 1]>
// CHECK-NOT: cluster = [{{[24], [24]}}]
// CHECK: helios.return
helios.kernel @batches(%a: tensor<?x?x?xbf16>, %b: tensor<?x?x?xbf16>) -> tensor<?x?x?xbf16> attributes {target = #ptx.target<"sm_90a">} {
  %d = helios.matmul %a, %b {transpose_b} : (tensor<?x?x?xbf16>, tensor<?x?x?xbf16>) -> tensor<?x?x?xbf16> acc f32
  helios.return %d : tensor<?x?x?xbf16>
}

// -----

// With both operands against k exchanged tiles stand in the list by themselves, and usual ones do not mirror them.
// CHECK-LABEL: @no_mirrors
// CHECK-NOT: tile = [192, 176, 64], groups = [3, 1], mma = [64, 176, 16], depth = 4, items = persistent, cluster = [2, 1]>
// CHECK-SAME: tile = [176, 192, 64], groups = [1, 3], mma = [176, 64, 16]
// CHECK-NOT: tile = [192, 176, 64], groups = [3, 1], mma = [64, 176, 16], depth = 4, items = persistent, cluster = [2, 1]>
// CHECK: helios.return
helios.kernel @no_mirrors(%a: tensor<?x?xbf16>, %b: tensor<?x?xbf16>) -> tensor<?x?xbf16> attributes {target = #ptx.target<"sm_90a">} {
  %d = helios.matmul %a, %b {transpose_a, transpose_b} : (tensor<?x?xbf16>, tensor<?x?xbf16>) -> tensor<?x?xbf16> acc f32
  helios.return %d : tensor<?x?xbf16>
}

// -----

// What an element costs in the epilogue, most of which turns do not hide.
// CHECK-LABEL: @epilogue
// CHECK-SAME: item_weights = array<i64: 1369021, 5009811,
helios.kernel @epilogue(%a: tensor<?x?xbf16>, %b: tensor<?x?xbf16>) -> tensor<?x?xbf16> attributes {target = #ptx.target<"sm_90a">} {
  %d = helios.matmul %a, %b {transpose_b} : (tensor<?x?xbf16>, tensor<?x?xbf16>) -> tensor<?x?xbf16> acc f32 {
  ^bb0(%x: f32):
    %e = math.exp %x : f32
    %y = arith.truncf %e : f32 to bf16
    helios.yield %y : bf16
  }
  helios.return %d : tensor<?x?xbf16>
}

// -----

// One group for few rows, and a tile that 192 columns fill.
// CHECK-LABEL: @few_rows
// CHECK-SAME: strategy = roles, tile = [64, 192, 64], groups = [1, 1], mma = [64, 192, 16]
helios.kernel @few_rows(%a: tensor<64x?xbf16>, %b: tensor<?x192xbf16>) -> tensor<64x192xbf16> attributes {target = #ptx.target<"sm_90a">} {
  %d = helios.matmul %a, %b : (tensor<64x?xbf16>, tensor<?x192xbf16>) -> tensor<64x192xbf16> acc f32
  helios.return %d : tensor<64x192xbf16>
}

// -----

// 8-bit operands are read along k only; where they lie the other way, copies go in groups.
// CHECK-LABEL: @against_k
// CHECK-SAME: strategy = groups
helios.kernel @against_k(%a: tensor<?x?xi8>, %b: tensor<?x?xi8>) -> tensor<?x?xi32> attributes {target = #ptx.target<"sm_90a">} {
  %d = helios.matmul %a, %b : (tensor<?x?xi8>, tensor<?x?xi8>) -> tensor<?x?xi32> acc i32
  helios.return %d : tensor<?x?xi32>
}

// -----

// A pair: half as many columns for the same registers and slots, no slices of K.
// CHECK-LABEL: @pair
// CHECK-NOT: split_k
// CHECK-SAME: schedule = #helios.schedule<strategy = roles, tile = [128, 64, 64], groups = [1, 1], mma = [64, 64, 16], depth = 6, items = persistent, turns = 2>
// CHECK-NOT: split_k
// CHECK: pair
helios.kernel @pair(%a: tensor<?x?xbf16>, %b: tensor<?x?xbf16>, %c: tensor<?x?xbf16>) -> tensor<?x?xbf16> attributes {target = #ptx.target<"sm_90a">} {
  %d = helios.matmul %a, %b pair(%c : tensor<?x?xbf16>) : (tensor<?x?xbf16>, tensor<?x?xbf16>) -> tensor<?x?xbf16> acc f32 {
  ^bb0(%x: f32, %y: f32):
    %z = arith.mulf %x, %y : f32
    %r = arith.truncf %z : f32 to bf16
    helios.yield %r : bf16
  }
  helios.return %d : tensor<?x?xbf16>
}
