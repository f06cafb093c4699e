// RUN: helios-opt --split-input-file --verify-diagnostics %s

// Attributes that say nothing sensible.

// -----

// expected-error @+1 {{expected 2 values in 'lanes', got 1}}
tile.program @p() attributes {a = #tile.regs<vec = [1, 8], lanes = [8], groups = [1, 1]>} {
  tile.return
}

// -----

// expected-error @+1 {{expected positive values in 'vec', got 0}}
tile.program @p() attributes {a = #tile.regs<vec = [0, 8], lanes = [8, 4], groups = [1, 1]>} {
  tile.return
}

// -----

// expected-error @+1 {{expected 2 values in 'interleave', got 1}}
tile.program @p() attributes {a = #tile.regs<vec = [1, 8], lanes = [8, 4], groups = [1, 1], interleave = [2]>} {
  tile.return
}

// -----

// expected-error @+1 {{expected factors in 'interleave' that divide the lanes of their dimension, got 3 for 8 lanes}}
tile.program @p() attributes {a = #tile.regs<vec = [1, 8], lanes = [8, 4], groups = [1, 1], interleave = [3, 1]>} {
  tile.return
}

// -----

// expected-error @+1 {{expected 2 values in 'groups', got 4}}
tile.program @p() attributes {a = #tile.acc<#ptx.mma_sync<[16, 8, 16], f16, f16, f32>, groups = [1, 1, 1, 1]>} {
  tile.return
}

// -----

// expected-error @+1 {{expected partial = add of several slices, or no partial, got partial = add of 1}}
tile.program @p() attributes {a = #tile.acc<#ptx.mma_sync<[16, 8, 16], f16, f16, f32>, groups = [1, 2], partial = add>} {
  tile.return
}

// -----

// expected-error @+1 {{expected partial = add of several slices, or no partial, got partial = max of 4}}
tile.program @p() attributes {a = #tile.acc<#ptx.mma_sync<[16, 8, 16], f16, f16, f32>, groups = [1, 2, 4], partial = max>} {
  tile.return
}

// -----

// expected-error @+1 {{expected 2 values in 'groups', got 3}}
tile.program @p() attributes {a = #tile.opaque<acc, #spv.coop<[16, 16, 16], f16, f16, f32, lanes = 32>, groups = [1, 1, 2]>} {
  tile.return
}

// -----

// expected-error @+1 {{expected strategy = groups with slices of the contracted index, got staged with 2}}
tile.program @p() attributes {config = #tile.config<groups = [1, 1, 2]>} {
  tile.return
}

// -----

// expected-error @+1 {{expected an instruction whose accumulator has coordinates, got #spv.coop<[16, 16, 16], f16, f16, f32, lanes = 32>; use #tile.opaque}}
tile.program @p() attributes {a = #tile.acc<#spv.coop<[16, 16, 16], f16, f16, f32, lanes = 32>, groups = [1, 1]>} {
  tile.return
}

// -----

// expected-error @+1 {{expected the extension "NV_cooperative_matrix2" or "EXT_cooperative_matrix_maintenance1", or none, got "NV_cooperative_matrix3"}}
tile.program @p() attributes {a = #spv.coop<[16, 16, 16], f16, f16, f32, lanes = 32, with = "NV_cooperative_matrix3">} {
  tile.return
}

// -----

// expected-error @+1 {{expected side a or b, got acc; use #tile.acc}}
tile.program @p() attributes {a = #tile.operand<acc, #ptx.mma_sync<[16, 8, 16], f16, f16, f32>, groups = [1, 1]>} {
  tile.return
}

// -----

// expected-error @+1 {{expected an instruction whose operand has coordinates, got #ptx.wgmma<n = 8, f16, f16, f32>; use #tile.opaque}}
tile.program @p() attributes {a = #tile.operand<b, #ptx.wgmma<n = 8, f16, f16, f32>, groups = [1, 1]>} {
  tile.return
}

// -----

// expected-error @+1 {{expected 'kperm' to be a permutation of 0..1, got 2 in it}}
tile.program @p() attributes {a = #tile.operand<a, #ptx.mma_sync<[16, 8, 16], f16, f16, f32>, groups = [1, 1], kperm = [2, 0]>} {
  tile.return
}

// -----

// expected-error @+1 {{expected an instruction with opaque operands, got #ptx.mma_sync<[16, 8, 16], f16, f16, f32>}}
tile.program @p() attributes {a = #tile.opaque<a, #ptx.mma_sync<[16, 8, 16], f16, f16, f32>, groups = [1, 1]>} {
  tile.return
}

// -----

// expected-error @+1 {{expected a layout of registers to slice, got #tile.shared<order = [1, 0]>}}
tile.program @p() attributes {a = #tile.slice<0, #tile.shared<order = [1, 0]>>} {
  tile.return
}

// -----

// expected-error @+1 {{expected the sliced dimension to be in [0, 2), got 2}}
tile.program @p() attributes {a = #tile.slice<2, #tile.regs<vec = [1, 8], lanes = [8, 4], groups = [1, 1]>>} {
  tile.return
}

// -----

// expected-error @+1 {{expected 'order' to be a permutation of 0..1, got 0 in it}}
tile.program @p() attributes {a = #tile.shared<order = [0, 0]>} {
  tile.return
}

// -----

// expected-error @+1 {{expected 'pad' to be at least 0 elements, got -1}}
tile.program @p() attributes {a = #tile.shared<order = [1, 0], pad = -1>} {
  tile.return
}

// -----

// expected-error @+1 {{expected 'swizzle' to be 0, 32, 64 or 128 bytes, got 48}}
tile.program @p() attributes {a = #tile.shared<order = [1, 0], swizzle = 48>} {
  tile.return
}

// -----

// expected-error @+1 {{expected either 'pad' or 'swizzle', got both (8, 64)}}
tile.program @p() attributes {a = #tile.shared<order = [1, 0], pad = 8, swizzle = 64>} {
  tile.return
}

// -----

// expected-error @+1 {{expected 'kperm' to be a permutation of 0..1, got 1 in it}}
tile.program @p() attributes {a = #tile.shared<order = [1, 0], kperm = [1, 1]>} {
  tile.return
}

// -----

// expected-error @+1 {{unknown parameter 'bank'}}
tile.program @p() attributes {a = #tile.shared<order = [1, 0], bank = 8>} {
  tile.return
}

// -----

// expected-error @+1 {{expected 'raster' to be [dimension, positive size], got 2 values}}
tile.program @p() attributes {a = #tile.items<grid, raster = [0, 0]>} {
  tile.return
}

// -----

// expected-error @+1 {{expected 'longest_first' to be a dimension, got -2}}
tile.program @p() attributes {a = #tile.items<grid, longest_first = -2>} {
  tile.return
}

// -----

// expected-error @+1 {{expected stage and order to be at least 0, got -1 and 0}}
tile.program @p() attributes {a = #tile.sched<stage = -1, order = 0>} {
  tile.return
}

// -----

// expected-error @+1 {{expected 2 values in 'groups', got 1}}
tile.program @p() attributes {a = #tile.config<groups = [1]>} {
  tile.return
}

// -----

// expected-error @+1 {{expected 3 values in 'mma', got 1}}
tile.program @p() attributes {a = #tile.config<groups = [1, 1], mma = [16]>} {
  tile.return
}

// -----

// expected-error @+1 {{expected depth >= 1, pad >= -1, epilogue_rows >= 0, unroll >= 0 and ahead >= 0, got 0, -1, 0, 0 and 0}}
tile.program @p() attributes {a = #tile.config<groups = [1, 1], depth = 0>} {
  tile.return
}

// -----

// expected-error @+1 {{expected depth >= 1, pad >= -1, epilogue_rows >= 0, unroll >= 0 and ahead >= 0, got 1, -1, 0, -2 and 0}}
tile.program @p() attributes {a = #tile.config<groups = [1, 1], unroll = -2>} {
  tile.return
}

// -----

tile.program @p(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @+1 {{expected 'tile.unroll' to be a positive integer on an scf.for, got 0 : i64}}
  scf.for %i = %c0 to %n step %c1 {
  } {tile.unroll = 0 : i64}
  tile.return
}

// -----

tile.program @p(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @+1 {{expected 'tile.ahead' to be a positive integer on an scf.for, got 0 : i64}}
  scf.for %i = %c0 to %n step %c1 {
  } {tile.ahead = 0 : i64}
  tile.return
}

// -----

tile.program @p() {
  // expected-error @+1 {{expected 'tile.unroll' to be a positive integer on an scf.for, got 2 : i64}}
  %c0 = arith.constant {tile.unroll = 2 : i64} 0 : index
  tile.return
}

// -----

// expected-error @+1 {{unknown value 'eager'}}
tile.program @p() attributes {a = #tile.config<groups = [1, 1], strategy = eager>} {
  tile.return
}

// -----

// expected-error @+1 {{expected n to be a multiple of 8 in [8, 256], got 12}}
tile.program @p() attributes {a = #ptx.wgmma<n = 12, f16, f16, f32>} {
  tile.return
}

// -----

// expected-error @+1 {{expected operands of one width up to 32 bits, got 'f16' and 'f32'}}
tile.program @p() attributes {a = #ptx.wgmma<n = 16, f16, f32, f32>} {
  tile.return
}

// -----

// expected-error @+1 {{expected an accumulator of f32, f16 or i32, got 'f64'}}
tile.program @p() attributes {a = #ptx.wgmma<n = 16, f16, f16, f64>} {
  tile.return
}

// -----

// expected-error @+1 {{expected a shape of m, n and k, got 2 values}}
tile.program @p() attributes {a = #ptx.mma_sync<[16, 8], f16, f16, f32>} {
  tile.return
}

// -----

// expected-error @+1 {{expected m x n to be 16x8, or 8x16 of exchanged operands, got 8x8}}
tile.program @p() attributes {a = #ptx.mma_sync<[8, 8, 16], f16, f16, f32>} {
  tile.return
}

// -----

// expected-error @+1 {{expected k to cover 16 or 32 bytes, got 64}}
tile.program @p() attributes {a = #ptx.mma_sync<[16, 8, 32], f16, f16, f32>} {
  tile.return
}

// -----

// expected-error @+1 {{unknown target row 'sm_70'; expected one of 'sm_90a' 'sm_89' 'sm_86' 'sm_80'}}
tile.program @p() attributes {a = #ptx.target<"sm_70">} {
  tile.return
}

// -----

// expected-error @+1 {{unknown target row 'voodoo'; expected one of 'nvidia-nv2'}}
tile.program @p() attributes {a = #spv.target<"voodoo">} {
  tile.return
}

// -----

// expected-error @+1 {{expected 3 values in 'shape', got 2}}
tile.program @p() attributes {a = #spv.coop<[16, 16], f16, f16, f32, lanes = 32>} {
  tile.return
}

// -----

// expected-error @+1 {{expected a power of two of lanes, got 12}}
tile.program @p() attributes {a = #spv.coop<[16, 16, 16], f16, f16, f32, lanes = 12>} {
  tile.return
}

// -----

// expected-error @+1 {{expected integer or float elements, got 'index'}}
tile.program @p() attributes {a = #spv.coop<[16, 16, 16], f16, f16, index, lanes = 32>} {
  tile.return
}

// -----

// expected-error @+1 {{expected positive values in 'block', got 0}}
tile.program @p() attributes {a = #spv.simt<block = [0, 4, 4], lanes = [8, 8], f32, f32, f32>} {
  tile.return
}

// -----

// expected-error @+1 {{expected 2 values in 'lanes', got 1}}
tile.program @p() attributes {a = #spv.simt<block = [4, 4, 4], lanes = [8], f32, f32, f32>} {
  tile.return
}

// -----

// expected-error @+1 {{expected positive values in 'cluster', got 0}}
tile.program @p() attributes {a = #tile.items<grid, cluster = [0, 1]>} {
  tile.return
}

// -----

// expected-error @+1 {{expected 2 values in 'cluster', got 1}}
tile.program @p() attributes {config = #tile.config<groups = [1, 1], cluster = [2]>} {
  tile.return
}

// -----

// expected-error @+1 {{expected turns >= 1, and more than one only with strategy = roles and groups = [1, 1], got 2 with strategy = roles and 2 groups}}
tile.program @p() attributes {config = #tile.config<groups = [2, 1], strategy = roles, turns = 2>} {
  tile.return
}

// -----

// expected-error @+1 {{expected turns >= 1, and more than one only with strategy = roles and groups = [1, 1], got 2 with strategy = groups and 1 groups}}
tile.program @p() attributes {config = #tile.config<groups = [1, 1], strategy = groups, turns = 2>} {
  tile.return
}
