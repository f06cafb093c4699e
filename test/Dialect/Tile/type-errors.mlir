// RUN: helios-opt --split-input-file --verify-diagnostics %s

// Types that say nothing sensible.

// -----

// expected-error @+1 {{expected an integer or float behind a pointer, got 'index'}}
tile.program @p() attributes {a = !tile.ptr<index>} {
  tile.return
}

// -----

// expected-error @+1 {{expected an integer or float element, got 'index'}}
tile.program @p() attributes {a = !tile.view<?xindex, strides = [1]>} {
  tile.return
}

// -----

// expected-error @+1 {{expected 2 strides, one a dimension, got 1}}
tile.program @p() attributes {a = !tile.view<?x?xf16, strides = [1]>} {
  tile.return
}

// -----

// expected-error @+1 {{expected 2 divisors in 'div', one a dimension, got 1}}
tile.program @p() attributes {a = !tile.view<?x?xf16, strides = [?, 1], div = [8]>} {
  tile.return
}

// -----

// expected-error @+1 {{expected positive divisors in 'div', got 0}}
tile.program @p() attributes {a = !tile.view<?x?xf16, strides = [?, 1], div = [0, 1]>} {
  tile.return
}

// -----

// expected-error @+1 {{expected strides of at least 0, got -1}}
tile.program @p() attributes {a = !tile.view<?x?xf16, strides = [-1, 1]>} {
  tile.return
}

// -----

// expected-error @+1 {{expected 'align' to be a power of two in bytes, got 24}}
tile.program @p() attributes {a = !tile.view<?x?xf16, strides = [?, 1], align = 24>} {
  tile.return
}

// -----

// expected-error @+1 {{expected 'gather' to be a dimension below 2, got 2}}
tile.program @p() attributes {a = !tile.view<?x?xf16, strides = [?, 1], gather = 2>} {
  tile.return
}

// -----

// expected-error @+1 {{unknown parameter 'wide'}}
tile.program @p() attributes {a = !tile.view<?xf16, strides = [1], wide = 2>} {
  tile.return
}

// -----

// expected-error @+1 {{expected the depth of the ring, as in '3x(tensor<...>)'}}
tile.program @p() attributes {a = !tile.ring<2x3x(index), pass>} {
  tile.return
}

// -----

// expected-error @+1 {{expected 'load', 'store' or 'pass', got 'push'}}
tile.program @p() attributes {a = !tile.ring<2x(index), push>} {
  tile.return
}

// -----

// expected-error @+1 {{expected 'workgroup', 'replica' or 'cluster', got 'device'}}
tile.program @p() attributes {a = !tile.ring<2x(index), pass, scope = device>} {
  tile.return
}

// -----

// expected-error @+1 {{expected 'copy', 'readers', 'scope', 'cluster' or 'multicast', got 'lanes'}}
tile.program @p() attributes {a = !tile.ring<2x(index), pass, lanes = 2>} {
  tile.return
}

// -----

// expected-error @+1 {{expected depth, readers and cluster to be at least 1, got 0, 1 and 1}}
tile.program @p() attributes {a = !tile.ring<0x(index), pass>} {
  tile.return
}

// -----

// expected-error @+1 {{expected 'copy' to be a copy engine, got 3}}
tile.program @p() attributes {a = !tile.ring<2x(index), load, copy = 3 : i64>} {
  tile.return
}

// -----

// expected-error @+1 {{expected a 'copy' engine on a load ring, got none}}
tile.program @p() attributes {a = !tile.ring<2x(tensor<64x64xf16, #tile.shared<order = [1, 0]>>), load>} {
  tile.return
}

// -----

// expected-error @+1 {{expected a 'copy' engine on a store ring, got none}}
tile.program @p() attributes {a = !tile.ring<2x(tensor<64x64xf16, #tile.shared<order = [1, 0]>>), store>} {
  tile.return
}

// -----

// expected-error @+1 {{expected a copy engine that can multicast, got #ptx.async16}}
tile.program @p() attributes {a = !tile.ring<2x(tensor<64x64xf16, #tile.shared<order = [1, 0]>>), load, copy = #ptx.async16, multicast>} {
  tile.return
}

// -----

// expected-error @+1 {{expected scope = cluster with cluster > 1 and only then, got scope = cluster with cluster = 1}}
tile.program @p() attributes {a = !tile.ring<2x(tensor<64x64xf16, #tile.shared<order = [1, 0]>>), load, copy = #ptx.bulk, scope = cluster>} {
  tile.return
}

// -----

// expected-error @+1 {{expected scalars or tiles in shared memory in a ring, got 'tensor<64x64xf16>'}}
tile.program @p() attributes {a = !tile.ring<2x(tensor<64x64xf16>), pass>} {
  tile.return
}

// -----

// expected-error @+1 {{expected a tile without padding for a bulk copy, got #tile.shared<order = [1, 0], pad = 8>; use a swizzle}}
tile.program @p() attributes {a = !tile.ring<2x(tensor<64x64xf16, #tile.shared<order = [1, 0], pad = 8>>), load, copy = #ptx.bulk>} {
  tile.return
}

// -----

// expected-error @+1 {{expected rows that start at multiples of 16 bytes for cp.async, got #tile.shared<order = [1, 0], pad = 4>}}
tile.program @p() attributes {a = !tile.ring<2x(tensor<64x64xf16, #tile.shared<order = [1, 0], pad = 4>>), load, copy = #ptx.async16>} {
  tile.return
}

// -----

// expected-error @+1 {{expected scope = cluster for 'multicast', got scope = workgroup}}
tile.program @p() attributes {a = !tile.ring<2x(tensor<64x64xf16, #tile.shared<order = [1, 0]>>), load, copy = #ptx.bulk, multicast>} {
  tile.return
}

// -----

#acc = #tile.opaque<acc, #spv.coop<[16, 16, 16], f16, f16, f32, lanes = 32>, groups = [1, 1]>
// expected-error @+1 {{expected 'packed' to be the layout #tile.opaque of an operand, in a view of two dimensions that is aligned to 16 bytes and not gathered, got #tile.opaque<acc}}
tile.program @p() attributes {a = !tile.view<?x?xf16, strides = [?, 16], align = 16, packed = #acc>} {
  tile.return
}

// -----

#b = #tile.opaque<b, #spv.coop<[16, 16, 16], f16, f16, f32, lanes = 32>, groups = [1, 1]>
// expected-error @+1 {{expected 'packed' to be the layout #tile.opaque of an operand, in a view of two dimensions that is aligned to 16 bytes and not gathered, got #tile.opaque<b}}
tile.program @p() attributes {a = !tile.view<?x?xf16, strides = [?, 16], packed = #b>} {
  tile.return
}
