// RUN: helios-opt %s --helios-to-tile --canonicalize --cse | FileCheck %s

// Three schedules: the plan takes the one whose busiest processor has the least to do. A tile of the first costs 100, of the others 60 and 30; of
// equally cheap ones the first is taken. Unaligned tensors have one program, under the first schedule.
// CHECK-DAG: tile.program @choice_full(
// CHECK-DAG: tile.program @choice_full_32x16x16(
// CHECK-DAG: tile.program @choice_full_16x16x16(
// CHECK-DAG: tile.program @choice_aligned(
// CHECK-DAG: tile.program @choice_aligned_32x16x16(
// CHECK-DAG: tile.program @choice_aligned_16x16x16(
// CHECK-DAG: tile.program @choice_any(
// CHECK-NOT: tile.program
// CHECK-LABEL: tile.plan @choice(
// CHECK-DAG: %[[C30:.*]] = arith.constant 30 : index
// CHECK-DAG: %[[C60:.*]] = arith.constant 60 : index
// CHECK-DAG: %[[C100:.*]] = arith.constant 100 : index
// CHECK: %[[UNITS:.*]] = tile.device compute_units
// CHECK: %[[T0:.*]] = arith.ceildivui %{{.*}}, %[[UNITS]]
// CHECK: %[[P0:.*]] = arith.muli %[[T0]], %[[C100]]
// CHECK: %[[T1:.*]] = arith.ceildivui %{{.*}}, %[[UNITS]]
// CHECK: %[[P1:.*]] = arith.muli %[[T1]], %[[C60]]
// CHECK: %[[T2:.*]] = arith.ceildivui %{{.*}}, %[[UNITS]]
// CHECK: %[[P2:.*]] = arith.muli %[[T2]], %[[C30]]
// CHECK: %[[FIRST:.*]] = arith.minui %[[P0]], %[[P1]]
// CHECK: %[[LEAST:.*]] = arith.minui %[[FIRST]], %[[P2]]
// CHECK-DAG: arith.cmpi sle, %[[P0]], %[[LEAST]]
// CHECK-DAG: arith.cmpi slt, %[[P1]], %[[P0]]
// CHECK-DAG: arith.cmpi sle, %[[P1]], %[[LEAST]]
// CHECK-DAG: arith.cmpi slt, %[[P2]], %[[FIRST]]
// CHECK: tile.dispatch @choice_full[{{.*}}variant = "full-32x32x16"
// CHECK: tile.dispatch @choice_full_32x16x16[{{.*}}variant = "full-32x16x16"
// CHECK: tile.dispatch @choice_aligned[{{.*}}variant = "aligned-32x32x16"
// CHECK: tile.dispatch @choice_any[{{.*}}variant = "any"
helios.kernel @choice(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> tensor<?x?xf16>
    attributes {target = #spv.target<"lavapipe">, weights = array<i64: 100, 60, 30>,
                schedule = #helios.schedule<tile = [32, 32, 16]>,
                alternatives = [#helios.schedule<tile = [32, 16, 16], groups = [2, 1]>, #helios.schedule<tile = [16, 16, 16], groups = [1, 1]>]} {
  %d = helios.matmul %a, %b : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
  helios.return %d : tensor<?x?xf16>
}

// However few tiles there are, they cost what one alone does: the first at least 130 for every 16 that a processor holds, the second no more than its weight.
// Tiles that reach over edges, where loads are masked, cost half as much again.
// CHECK-LABEL: tile.plan @alone(
// CHECK-DAG: %[[C60:.*]] = arith.constant 60 : index
// CHECK-DAG: %[[C100:.*]] = arith.constant 100 : index
// CHECK-DAG: %[[C130:.*]] = arith.constant 130 : index
// CHECK-DAG: %[[C16:.*]] = arith.constant 16 : index
// CHECK: %[[UNITS:.*]] = tile.device compute_units
// CHECK: %[[T0:.*]] = arith.ceildivui %{{.*}}, %[[UNITS]]
// CHECK: %[[P0:.*]] = arith.muli %[[T0]], %[[C100]]
// CHECK: %[[R0:.*]] = arith.ceildivui %[[T0]], %[[C16]]
// CHECK: %[[A0:.*]] = arith.muli %[[R0]], %[[C130]]
// CHECK: %[[L0:.*]] = arith.maxui %[[P0]], %[[A0]]
// CHECK: arith.remui
// CHECK: %[[WHOLE:.*]] = arith.andi
// CHECK: %[[HALF:.*]] = arith.divui %[[L0]], %{{.*}}
// CHECK: %[[MORE:.*]] = arith.addi %[[L0]], %[[HALF]]
// CHECK: %[[E0:.*]] = arith.select %{{.*}}, %[[L0]], %[[MORE]]
// CHECK: %[[T1:.*]] = arith.ceildivui %{{.*}}, %[[UNITS]]
// CHECK: %[[P1:.*]] = arith.muli %[[T1]], %[[C60]]
// CHECK-NOT: arith.maxui
// CHECK: %[[E1:.*]] = arith.select %{{.*}}, %[[P1]],
// CHECK: %[[LEAST:.*]] = arith.minui %[[E0]], %[[E1]]
// CHECK-DAG: arith.cmpi sle, %[[E0]], %[[LEAST]]
// CHECK-DAG: arith.cmpi slt, %[[E1]], %[[E0]]
helios.kernel @alone(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> tensor<?x?xf16>
    attributes {target = #spv.target<"nvidia">, weights = array<i64: 100, 60>, alone_weights = array<i64: 130, 60>,
                schedule = #helios.schedule<tile = [32, 32, 16], groups = [2, 1], mma = [16, 16, 16]>, alternatives = [#helios.schedule<tile = [32, 16, 16], groups = [2, 1], mma = [16, 16, 16]>]} {
  %d = helios.matmul %a, %b : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
  helios.return %d : tensor<?x?xf16>
}

// Nobody knows how many matrices of lanes wait together, nor what masks take.
// CHECK-LABEL: tile.plan @alone_once(
// CHECK-DAG: %[[C130:.*]] = arith.constant 130 : index
// CHECK: %[[L0:.*]] = arith.maxui %{{.*}}, %[[C130]]
// CHECK-NOT: arith.select
// CHECK: %[[LEAST:.*]] = arith.minui %[[L0]],
// CHECK: arith.cmpi sle, %[[L0]], %[[LEAST]]
helios.kernel @alone_once(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>) -> tensor<?x?xf32>
    attributes {target = #spv.target<"simt">, weights = array<i64: 100, 60>, alone_weights = array<i64: 130, 60>,
                schedule = #helios.schedule<tile = [32, 32, 16], groups = [1, 1]>, alternatives = [#helios.schedule<tile = [32, 16, 16], groups = [1, 1]>]} {
  %d = helios.matmul %a, %b : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32> acc f32
  helios.return %d : tensor<?x?xf32>
}

// Where the right operand is packed first, edges cost nothing more.
// CHECK-LABEL: tile.plan @alone_packed(
// CHECK-DAG: %[[C130:.*]] = arith.constant 130 : index
// CHECK: arith.select
// CHECK: %[[A1:.*]] = arith.muli %{{.*}}, %[[C130]]
// CHECK: %[[L1:.*]] = arith.maxui %{{.*}}, %[[A1]]
// CHECK-NOT: arith.select
// CHECK: tile.choice
helios.kernel @alone_packed(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> tensor<?x?xf16>
    attributes {target = #spv.target<"nvidia">, weights = array<i64: 60, 100>, alone_weights = array<i64: 60, 130>, pack_weights = array<i64: 1000, 2>,
                schedule = #helios.schedule<tile = [32, 32, 16], mma = [16, 16, 16]>, alternatives = [#helios.schedule<tile = [32, 32, 32], mma = [16, 16, 16], pack = b>]} {
  %d = helios.matmul %a, %b : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
  helios.return %d : tensor<?x?xf16>
}

// Rows that begin off a line of the cache, 64 elements of a line, take the other weights; a cluster is part of the name.
// CHECK-DAG: tile.program @lines_aligned_128x128x64_cluster2x1(
// CHECK-LABEL: tile.plan @lines(
// CHECK-DAG: %[[C64:.*]] = arith.constant 64 : index
// CHECK-DAG: %[[C128:.*]] = arith.constant 128 : index
// CHECK-DAG: %[[C50:.*]] = arith.constant 50 : index
// CHECK-DAG: %[[C90:.*]] = arith.constant 90 : index
// CHECK-DAG: %[[C55:.*]] = arith.constant 55 : index
// CHECK-DAG: %[[BASE_A:.*]] = tile.alignment %arg0
// CHECK-DAG: %[[ROW_A:.*]] = tile.stride %arg0, 0
// CHECK-DAG: %[[BASE_B:.*]] = tile.alignment %arg1
// CHECK-DAG: %[[ROW_B:.*]] = tile.stride %arg1, 0
// CHECK-DAG: arith.cmpi slt, %[[BASE_A]], %[[C128]]
// CHECK-DAG: arith.remui %[[ROW_A]], %[[C64]]
// CHECK-DAG: arith.cmpi slt, %[[BASE_B]], %[[C128]]
// CHECK-DAG: arith.remui %[[ROW_B]], %[[C64]]
// CHECK: %[[OFF:.*]] = arith.ori
// CHECK: %[[W0:.*]] = arith.select %{{.*}}, %[[C90]], %[[C50]]
// CHECK: arith.muli %{{.*}}, %[[W0]]
// CHECK: arith.select %{{.*}}, %[[C55]], %{{.*}}
// CHECK: variant = "aligned-128x128x64_cluster2x1"
helios.kernel @lines(%a: tensor<?x?xbf16>, %b: tensor<?x?xbf16>) -> tensor<?x?xbf16>
    attributes {target = #ptx.target<"sm_90a">, weights = array<i64: 50, 52>, unaligned_weights = array<i64: 90, 55>,
                schedule = #helios.schedule<strategy = roles, tile = [128, 128, 64], groups = [2, 1], mma = [64, 128, 16], depth = 4, items = persistent>,
                alternatives = [#helios.schedule<strategy = roles, tile = [128, 128, 64], groups = [2, 1], mma = [64, 128, 16], depth = 4, items = persistent,
                                                 cluster = [2, 1]>]} {
  %d = helios.matmul %a, %b {transpose_b} : (tensor<?x?xbf16>, tensor<?x?xbf16>) -> tensor<?x?xbf16> acc f32
  helios.return %d : tensor<?x?xbf16>
}

// Roles take all registers of a processor, so that it holds one workgroup of them, however little of its shared memory they need.
// CHECK-LABEL: tile.plan @shallow(
// CHECK: %[[ONE_EACH:.*]] = tile.device compute_units
// CHECK: %[[GRID:.*]] = arith.minui %{{.*}}, %[[ONE_EACH]]
// CHECK: tile.dispatch @shallow_full[%[[GRID]]]
helios.kernel @shallow(%a: tensor<?x?xbf16>, %b: tensor<?x?xbf16>) -> tensor<?x?xbf16>
    attributes {target = #ptx.target<"sm_90a">,
                schedule = #helios.schedule<strategy = roles, tile = [64, 64, 64], groups = [1, 1], mma = [64, 64, 16], depth = 2, items = persistent>} {
  %d = helios.matmul %a, %b {transpose_b} : (tensor<?x?xbf16>, tensor<?x?xbf16>) -> tensor<?x?xbf16> acc f32
  helios.return %d : tensor<?x?xbf16>
}

// What a tile costs on top of its elements of K, and what a launch does behind its last tile; turns are part of the name.
// CHECK-DAG: tile.program @items_aligned_128x128x64_turns2(
// CHECK-LABEL: tile.plan @items(
// CHECK-DAG: %[[C64:.*]] = arith.constant 64 : index
// CHECK-DAG: %[[C50:.*]] = arith.constant 50 : index
// CHECK-DAG: %[[C52:.*]] = arith.constant 52 : index
// CHECK-DAG: %[[C7000:.*]] = arith.constant 7000 : index
// CHECK-DAG: %[[C90:.*]] = arith.constant 90 : index
// CHECK-DAG: %[[C6910:.*]] = arith.constant 6910 : index
// CHECK: %[[UNITS:.*]] = tile.device compute_units
// CHECK: %[[T0:.*]] = arith.ceildivui %{{.*}}, %[[UNITS]]
// CHECK: %[[U0:.*]] = arith.muli %[[T0]], %[[C50]]
// CHECK: %[[STEPS:.*]] = arith.ceildivui %{{.*}}, %[[C64]]
// CHECK: %[[K:.*]] = arith.muli %[[STEPS]], %[[C64]]
// CHECK: %[[V0:.*]] = arith.muli %[[U0]], %[[K]]
// CHECK: %[[I0:.*]] = arith.muli %[[T0]], %[[C7000]]
// CHECK: %[[R0:.*]] = arith.addi %[[V0]], %[[I0]]
// Lines that are copied and stored pass through the cache one beside the other: a share for each processor of what all tiles have.
// CHECK: %[[LINE:.*]] = arith.select %{{.*}}, %c30310, %c17613
// CHECK: %[[COPIED:.*]] = arith.muli %[[K]], %[[LINE]]
// CHECK: %[[STORED:.*]] = arith.select %{{.*}}, %c2621440, %c1363149
// CHECK: %[[WIDELY:.*]] = arith.select %{{.*}}, %[[STORED]], %c0
// CHECK: %[[LINES:.*]] = arith.addi %[[COPIED]], %[[WIDELY]]
// CHECK: %[[WHOLE:.*]] = arith.divui %[[TILES:.*]], %[[UNITS]]
// CHECK: %[[MOST:.*]] = arith.muli %[[WHOLE]], %[[LINES]]
// CHECK: %[[REST:.*]] = arith.remui %[[TILES]], %[[UNITS]]
// CHECK: %[[MORE:.*]] = arith.muli %[[REST]], %[[LINES]]
// CHECK: %[[PART:.*]] = arith.divui %[[MORE]], %[[UNITS]]
// CHECK: %[[LEAST:.*]] = arith.addi %[[MOST]], %[[PART]]
// CHECK: %[[P0:.*]] = arith.maxui %[[R0]], %[[LEAST]]
// CHECK: %[[U1:.*]] = arith.muli %[[T0]], %[[C52]]
// CHECK: %[[V1:.*]] = arith.muli %[[U1]], %[[K]]
// CHECK: %[[I1:.*]] = arith.muli %[[T0]], %[[C90]]
// CHECK: %[[W1:.*]] = arith.addi %[[V1]], %[[I1]]
// CHECK: %[[L1:.*]] = arith.addi %[[W1]], %[[C6910]]
// Groups that take turns store their own items one after the other.
// CHECK: %[[ITEM:.*]] = arith.addi %{{.*}}, %[[C7000]]
// CHECK: %[[OWN:.*]] = arith.ceildivui %[[T0]], %c2
// CHECK: %[[SERIAL:.*]] = arith.muli %[[OWN]], %[[ITEM]]
// CHECK: %[[S1:.*]] = arith.maxui %[[L1]], %[[SERIAL]]
// CHECK: %[[P1:.*]] = arith.maxui %[[S1]], %[[LEAST]]
// The second has no program for results whose rows cannot be written in wide units: there it costs more than any.
// CHECK: %[[WIDE:.*]] = arith.select %{{.*}}, %[[P1]], %c9223372036854775807
// CHECK: %[[CHEAPEST:.*]] = arith.minui %[[P0]], %[[WIDE]]
// CHECK-DAG: arith.cmpi sle, %[[P0]], %[[CHEAPEST]]
// CHECK-DAG: arith.cmpi slt, %[[WIDE]], %[[P0]]
// CHECK: variant = "aligned-128x128x64_turns2"
helios.kernel @items(%a: tensor<?x?xbf16>, %b: tensor<?x?xbf16>) -> tensor<?x?xbf16>
    attributes {target = #ptx.target<"sm_90a">, weights = array<i64: 50, 52>, item_weights = array<i64: 7000, 0, 90, 6910>,
                schedule = #helios.schedule<strategy = roles, tile = [128, 128, 64], groups = [2, 1], mma = [64, 128, 16], depth = 4, items = persistent>,
                alternatives = [#helios.schedule<strategy = roles, tile = [128, 128, 64], groups = [1, 1], mma = [64, 128, 16], depth = 4, items = persistent,
                                                 turns = 2>]} {
  %d = helios.matmul %a, %b {transpose_b} : (tensor<?x?xbf16>, tensor<?x?xbf16>) -> tensor<?x?xbf16> acc f32
  helios.return %d : tensor<?x?xbf16>
}

// Where operands have more bits than caches keep, 32768 here, 16 an element of a row and 32 of a column, an item takes no less than memory does
// for what it reads, and the product no less than memory does for all of them once, 7 for 1024 bytes, and an eighth of the rest.
// CHECK-LABEL: tile.plan @reads(
// CHECK: %[[WHOLE:.*]] = tile.extent %arg0, 1
// CHECK: %[[K:.*]] = arith.muli %{{.*}}, %c64
// CHECK: %[[ROWS:.*]] = arith.muli %{{.*}}, %c16
// CHECK: %[[COLUMNS:.*]] = arith.muli %{{.*}}, %c32
// CHECK: %[[BITS:.*]] = arith.addi %[[ROWS]], %[[COLUMNS]]
// CHECK: %[[ALL:.*]] = arith.muli %{{.*}}, %[[K]]
// CHECK: %[[READ:.*]] = arith.muli %[[ALL]], %c300
// CHECK: %[[SOME:.*]] = arith.maxui %[[K]], %c1
// CHECK: %[[KEPT:.*]] = arith.divui %c32768, %[[SOME]]
// CHECK: %[[MUCH:.*]] = arith.cmpi slt, %[[KEPT]], %[[BITS]]
// CHECK: %[[LEAST:.*]] = arith.select %[[MUCH]], %[[READ]], %c0
// CHECK: %[[REST:.*]] = arith.maxui %{{.*}}, %[[LEAST]]
// CHECK: %[[ACROSS:.*]] = arith.ceildivui %[[BITS]], %c256
// CHECK: %[[ALONG:.*]] = arith.ceildivui %[[WHOLE]], %c32
// CHECK: %[[BLOCKS:.*]] = arith.muli %[[ACROSS]], %[[ALONG]]
// CHECK: %[[MEMORY:.*]] = arith.muli %[[BLOCKS]], %c7
// CHECK: %[[PART:.*]] = arith.divui %[[REST]], %c8
// CHECK: %[[ONCE:.*]] = arith.addi %[[MEMORY]], %[[PART]]
// CHECK: %[[FROM:.*]] = arith.select %{{.*}}, %[[ONCE]], %c0
// CHECK: arith.maxui %[[REST]], %[[FROM]]
helios.kernel @reads(%a: tensor<?x?xbf16>, %b: tensor<?x?xbf16>) -> tensor<?x?xbf16>
    attributes {target = #ptx.target<"sm_90a">, weights = array<i64: 50, 52>, item_weights = array<i64: 0, 0, 0, 0>, read_weights = array<i64: 32768, 16, 32, 7, 300, 0>,
                schedule = #helios.schedule<strategy = roles, tile = [128, 128, 64], groups = [2, 1], mma = [64, 128, 16], depth = 4, items = persistent>,
                alternatives = [#helios.schedule<strategy = roles, tile = [128, 256, 64], groups = [2, 1], mma = [64, 256, 16], depth = 4, items = persistent>]} {
  %d = helios.matmul %a, %b {transpose_b} : (tensor<?x?xbf16>, tensor<?x?xbf16>) -> tensor<?x?xbf16> acc f32
  helios.return %d : tensor<?x?xbf16>
}
