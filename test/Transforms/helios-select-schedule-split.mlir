// RUN: helios-opt --helios-select-schedule --split-input-file %s | FileCheck %s

// With roles up to six more alternatives, whichever save most where K is long: K is split into as many slices as keep the processors busy, and adding
// them up has a price. Behind what strips take stand two whose slices clusters share, and three whose K workgroups of a cluster do.
// CHECK-LABEL: @open
// CHECK-SAME: tile = [128, 128, 64], groups = [2, 1], mma = [64, 128, 16], depth = 6, items = persistent, split_k = 0>, #helios.schedule<strategy = roles, tile = [64, 64, 64]{{[^>]*}}, split_k = 0>
// CHECK-SAME: split_k = 0>, #helios.schedule<strategy = roles, tile = [64, 64, 64]{{[^>]*}} cluster = [1, 4], turns = 2>
// CHECK-SAME: tile = [128, 112, 64]{{[^>]*}} cluster = [2, 2], split_k = 0>
// CHECK-SAME: tile = [64, 64, 64]{{[^>]*}} cluster = [4, 2], split_k = 0>
// CHECK-SAME: cluster = [2, 4]>, #helios.schedule<strategy = roles, tile = [64, 32, 128]{{[^>]*}} cluster_k = 8>, #helios.schedule<strategy = roles, tile = [64, 64, 64]{{[^>]*}} cluster_k = 4>
// CHECK-SAME: tile = [64, 32, 128]{{[^>]*}} cluster_k = 4>, #helios.schedule<strategy = groups, tile = [64, 64, 32]{{[^>]*}}>, #helios.schedule<strategy = groups, tile = [8, 32, 512]{{[^>]*}}>, #helios.schedule<strategy = groups, tile = [32, 32, 256]{{[^>]*}}>, #helios.schedule<strategy = groups, tile = [32, 64, 128]{{[^>]*}}>, #helios.schedule<strategy = groups, tile = [16, 32, 256]{{[^>]*}}>, #helios.schedule<strategy = groups, tile = [16, 64, 128]{{[^>]*}}>]
// CHECK-SAME: sum_weights = array<i64: {{[0-9]+}}, {{[0-9]+}}>
helios.kernel @open(%a: tensor<?x?xbf16>, %b: tensor<?x?xbf16>) -> tensor<?x?xbf16> attributes {target = #ptx.target<"sm_90a">} {
  %d = helios.matmul %a, %b {transpose_b} : (tensor<?x?xbf16>, tensor<?x?xbf16>) -> tensor<?x?xbf16> acc f32
  helios.return %d : tensor<?x?xbf16>
}

// -----

// Slices take some more registers than whole products: a tile that leaves room.
// CHECK-LABEL: @registers
// CHECK-SAME: tile = [128, 192, 64], groups = [2, 4], mma = [16, 8, 16], depth = {{[34]}}, raster = 16, split_k = 0>, #helios.schedule<strategy = groups, tile = [64, 128, 64]{{.*}}, split_k = 0>]
// CHECK-SAME: schedule = #helios.schedule<strategy = groups, tile = [128, 256, 64], groups = [2, 4]
helios.kernel @registers(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> tensor<?x?xf16> attributes {target = #ptx.target<"sm_80">} {
  %d = helios.matmul %a, %b {transpose_b} : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
  helios.return %d : tensor<?x?xf16>
}

// -----

// So short a K is not split.
// CHECK-LABEL: @short
// CHECK-NOT: split_k
// CHECK-NOT: sum_weights
helios.kernel @short(%a: tensor<?x256xf16>, %b: tensor<256x?xf16>) -> tensor<?x?xf16> attributes {target = #spv.target<"nvidia">} {
  %d = helios.matmul %a, %b : (tensor<?x256xf16>, tensor<256x?xf16>) -> tensor<?x?xf16> acc f32
  helios.return %d : tensor<?x?xf16>
}
