// RUN: helios-opt --split-input-file --verify-diagnostics %s

// Programs, work items, and facts on arguments.

// -----

// expected-error @+1 {{expected 'target' to be a target row, got 3 : i64}}
tile.program @p() attributes {target = 3} {
  tile.return
}

// -----

// expected-error @+1 {{expected 'config' to be a #tile.config, got 3 : i64}}
tile.program @p() attributes {config = 3} {
  tile.return
}

// -----

// expected-error @+1 {{expected no results, got 1}}
tile.program @p() -> index {
  tile.return
}

// -----

// expected-error @+1 {{expected argument #0 to be a pointer or a scalar, got 'tensor<4xf16>'}}
tile.program @p(%a: tensor<4xf16>) {
  tile.return
}

// -----

// expected-error @+1 {{expected 'tile.range' of argument #0 to be array<i64: low, high> with low <= high on an index, got array<i64: 2, 1>}}
tile.program @p(%a: index {tile.range = array<i64: 2, 1>}) {
  tile.return
}

// -----

// expected-error @+1 {{expected 'tile.range' of argument #0 to be array<i64: low, high> with low <= high on an index, got array<i64: 1, 2> on 'f32'}}
tile.program @p(%a: f32 {tile.range = array<i64: 1, 2>}) {
  tile.return
}

// -----

// expected-error @+1 {{expected 'tile.div' of argument #0 to be a positive integer on an index, got 0}}
tile.program @p(%a: index {tile.div = 0 : index}) {
  tile.return
}

// -----

tile.program @p() {
  // expected-error @+1 {{expected 'tile.sched' to be a #tile.sched, got 3}}
  %x = arith.constant {tile.sched = 3} 0 : index
  tile.return
}

// -----

tile.program @p(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}) {
  // expected-error @+1 {{expected tiles of static shape in a program, got 'tensor<?xf16>'}}
  %x = tensor.empty(%n) : tensor<?xf16>
  tile.return
}

// -----

tile.program @p(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}) {
  // expected-error @+1 {{expected the encoding of a tile to be a layout, got 3 : i64}}
  %x = arith.constant dense<0.0> : tensor<4xf16, 3>
  tile.return
}

// -----

#r = #tile.regs<vec = [1, 8], lanes = [8, 4], groups = [1, 1]>
#s = #tile.shared<order = [1, 0]>
tile.program @p(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}) {
  // expected-error @+1 {{expected dimension 1 to be a multiple of 32}}
  %x = arith.constant dense<0.0> : tensor<8x24xf16, #r>
  tile.return
}

// -----

#r = #tile.regs<vec = [1, 8], lanes = [8, 4], groups = [1, 1]>
#s = #tile.shared<order = [1, 0]>
tile.program @p(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}) {
  // expected-error @+1 {{expected a tile of rank 2, got rank 1}}
  %x = arith.constant dense<0.0> : tensor<8xf16, #r>
  tile.return
}

// -----

#r = #tile.regs<vec = [1, 8], lanes = [8, 4], groups = [1, 1]>
#s = #tile.shared<order = [1, 0]>
tile.program @p(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}) {
  // expected-error @+1 {{expected a tile of rank 1, got rank 2}}
  %x = arith.constant dense<0.0> : tensor<8x8xf16, #tile.slice<0, #r>>
  tile.return
}

// -----

#r = #tile.regs<vec = [1, 8], lanes = [8, 4], groups = [1, 1]>
#s = #tile.shared<order = [1, 0]>
tile.program @p(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}) {
  // expected-error @+1 {{expected a tile of rank 2, got rank 1}}
  %x = arith.constant dense<0.0> : tensor<8xf16, #s>
  tile.return
}

// -----

tile.program @p(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}) {
  // expected-error @+1 {{expected rows of at least 128 bytes, a multiple of 16, got 64}}
  %x = arith.constant dense<0.0> : tensor<8x32xf16, #tile.shared<order = [1, 0], swizzle = 128>>
  tile.return
}

// -----

#r = #tile.regs<vec = [1, 8], lanes = [8, 4], groups = [1, 1]>
#s = #tile.shared<order = [1, 0]>
tile.program @p(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}) {
  // expected-note @+1 {{this one has a layout}}
  %x = arith.constant dense<0.0> : tensor<8x32xf16, #r>
  // expected-error @+1 {{has a tile without a layout, but others in the program have one}}
  %y = arith.constant dense<0.0> : tensor<8x32xf16>
  tile.return
}

// -----

tile.program @p(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}) attributes {deterministic} {
  %c0 = arith.constant 0 : index
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f16> -> !tile.view<?x?xf16, strides = [?, 1], div = [8, 1]>
  %t = tile.load %v[%c0, %c0] : !tile.view<?x?xf16, strides = [?, 1], div = [8, 1]> -> tensor<8x32xf16>
  // expected-error @+1 {{is unordered and may not stand in a program marked 'deterministic'}}
  tile.atomic_reduce add %t, %v[%c0, %c0] : tensor<8x32xf16>, !tile.view<?x?xf16, strides = [?, 1], div = [8, 1]>
  tile.return
}

// -----

tile.program @p(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}) {
  // expected-error @+1 {{expected 1 item indices, one a bound, got 2}}
  tile.items (%i, %j) in (%n) #tile.items<grid> {
  }
  tile.return
}

// -----

tile.program @p(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}) {
  // expected-error @+1 {{expected the raster dimension to be below 1, got 1}}
  tile.items (%i) in (%n) #tile.items<grid, raster = [1, 8]> {
  }
  tile.return
}

// -----

tile.program @p(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}) {
  // expected-error @+1 {{expected 'longest_first' to be below 1, got 1}}
  tile.items (%i) in (%n) #tile.items<grid, longest_first = 1> {
  }
  tile.return
}

// -----

tile.program @p(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}) {
  // expected-error @+1 {{expected one of [workgroup, workgroups, cluster, clusters] for which number tile.id gives, got: lane}}
  %x = tile.id lane
  // expected-error @+1 {{failed to parse Tile_IdKindAttr parameter 'value'}}
  tile.return
}

// -----

tile.program @p(%n: index) {
  // expected-error @+1 {{expected 1 extents of the cluster, one a bound, got 2}}
  tile.items (%i) in (%n) #tile.items<grid, cluster = [2, 1]> {
  }
  tile.return
}

// -----

tile.program @p() {
  // expected-error @+1 {{expected positive extents of the cluster, got array<i64: 2, 0>}}
  %x = tile.rank 0 of [2, 0]
  tile.return
}

// -----

tile.program @p() {
  // expected-error @+1 {{expected a dimension below 2, got 2}}
  %x = tile.rank 2 of [2, 1]
  tile.return
}

// -----

tile.program @item_at_raster(%n: index) {
  // expected-error @below {{expected the raster dimension to be below 1, got 1}}
  %i = tile.item_at %n in (%n) #tile.items<persistent, raster = [1, 8]>
  tile.return
}

// -----

tile.program @item_at_cluster(%n: index) {
  // expected-error @below {{expected 1 extents of the cluster, one a bound, got 2}}
  %i = tile.item_at %n in (%n) #tile.items<persistent, cluster = [2, 1]>
  tile.return
}

// -----

tile.program @item_at_longest(%n: index) {
  // expected-error @below {{expected an order without 'longest_first', which numbers items by the workgroup, got #tile.items<persistent, longest_first = 0>}}
  %i = tile.item_at %n in (%n) #tile.items<persistent, longest_first = 0>
  tile.return
}

// -----

tile.program @item_at_indices(%n: index) {
  // expected-error @below {{expected 1 indices, one a bound, got 2}}
  %i:2 = "tile.item_at"(%n, %n) {order = #tile.items<persistent>} : (index, index) -> (index, index)
  tile.return
}
