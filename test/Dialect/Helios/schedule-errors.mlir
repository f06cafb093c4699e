// RUN: helios-opt --split-input-file --verify-diagnostics %s

// expected-error @below {{unknown schedule parameter 'tiles'; expected one of strategy, tile, groups, sliced_k, mma, depth, pad, raster, items, cluster, cluster_k, turns, epilogue_rows, unroll, ahead}}
module attributes {s = #helios.schedule<tiles = [1, 1, 1]>} {}

// -----

// expected-error @below {{schedule parameter 'depth' is given twice}}
module attributes {s = #helios.schedule<depth = 1, depth = 2>} {}

// -----

// expected-error @below {{schedule parameter 'depth' must be an integer from 1 to 16, got 17}}
module attributes {s = #helios.schedule<depth = 17>} {}

// -----

// expected-error @below {{schedule parameter 'tile' must be 3 integers (m, n, k), each from 1 to 1024, got 2 integers}}
module attributes {s = #helios.schedule<tile = [128, 128]>} {}

// -----

// expected-error @below {{schedule parameter 'tile' must be 3 integers (m, n, k), each from 1 to 1024, got -8}}
module attributes {s = #helios.schedule<tile = [128, 128, -8]>} {}

// -----

// expected-error @below {{schedule parameter 'strategy' must be one of staged, groups, roles, got 'fast'}}
module attributes {s = #helios.schedule<strategy = fast>} {}
