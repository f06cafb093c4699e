// RUN: helios-opt --split-input-file --verify-diagnostics %s

// Arithmetic on tiles: shapes and layouts of operands and results.

// -----

tile.program @p(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}) {
  %t = arith.constant dense<0.0> : tensor<8x32xf16>
  // expected-error @+1 {{expected a result of rank 2 and element type 'f16', got 'tensor<8x16xf32>'}}
  %x = tile.slice %t [0, 0] : tensor<8x32xf16> -> tensor<8x16xf32>
  tile.return
}

// -----

tile.program @p(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}) {
  %t = arith.constant dense<0.0> : tensor<8x32xf16>
  // expected-error @+1 {{expected 2 offsets, one a dimension}}
  %x = tile.slice %t [0] : tensor<8x32xf16> -> tensor<8x16xf16>
  tile.return
}

// -----

#r = #tile.regs<vec = [1, 8], lanes = [8, 4], groups = [1, 1]>
#s = #tile.shared<order = [1, 0]>
tile.program @p(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}) {
  %t = arith.constant dense<0.0> : tensor<16x64xf16, #r>
  // expected-error @+1 {{expected static offsets into a tile in registers, got a dynamic one in dimension 0}}
  %x = tile.slice %t [%n, 0] : tensor<16x64xf16, #r> -> tensor<8x64xf16, #r>
  tile.return
}

// -----

tile.program @p(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}) {
  %t = arith.constant dense<0.0> : tensor<8x32xf16>
  // expected-error @+1 {{expected the slice to lie within 32 elements of dimension 1, got [24, 40)}}
  %x = tile.slice %t [0, 24] : tensor<8x32xf16> -> tensor<8x16xf16>
  tile.return
}

// -----

#r = #tile.regs<vec = [1, 8], lanes = [8, 4], groups = [1, 1]>
#s = #tile.shared<order = [1, 0]>
tile.program @p(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}) {
  %t = arith.constant dense<0.0> : tensor<16x64xf16, #r>
  // expected-error @+1 {{expected offsets at repetitions of the layout, a multiple of 32 in dimension 1, got 8}}
  %x = tile.slice %t [0, 8] : tensor<16x64xf16, #r> -> tensor<8x32xf16, #r>
  tile.return
}

// -----

tile.program @p(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}) {
  %t = arith.constant dense<0.0> : tensor<8x32xf16>
  // expected-error @+1 {{expected the transposed of 'tensor<8x32xf16>', got 'tensor<8x32xf16>'}}
  %x = tile.transpose %t : tensor<8x32xf16> -> tensor<8x32xf16>
  tile.return
}

// -----

#r = #tile.regs<vec = [1, 8], lanes = [8, 4], groups = [1, 1]>
#s = #tile.shared<order = [1, 0]>
tile.program @p(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}) {
  %t = arith.constant dense<0.0> : tensor<16x64xf16, #r>
  // expected-error @+1 {{expected a layout that can be transposed, got #tile.regs<vec = [1, 8], lanes = [8, 4], groups = [1, 1]>; convert it to shared memory first}}
  %x = tile.transpose %t : tensor<16x64xf16, #r> -> tensor<64x16xf16, #r>
  tile.return
}

// -----

#r = #tile.regs<vec = [1, 8], lanes = [8, 4], groups = [1, 1]>
#s = #tile.shared<order = [1, 0]>
tile.program @p(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}) {
  %t = arith.constant dense<0.0> : tensor<16x64xf16, #s>
  // expected-error @+1 {{expected the result's layout to be #tile.shared<order = [0, 1]>, got #tile.shared<order = [1, 0]>}}
  %x = tile.transpose %t : tensor<16x64xf16, #s> -> tensor<64x16xf16, #s>
  tile.return
}

// -----

tile.program @p(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}) {
  %t = arith.constant dense<0.0> : tensor<8x32xf16>
  // expected-error @+1 {{expected new dimensions below 3, got 3}}
  %x = tile.expand %t, [3] : tensor<8x32xf16> -> tensor<1x8x32xf16>
  tile.return
}

// -----

tile.program @p(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}) {
  %t = arith.constant dense<0.0> : tensor<8x32xf16>
  // expected-error @+1 {{expected a source of 'f32', got 'tensor<8x32xf16>'}}
  %x = tile.expand %t, [0] : tensor<8x32xf16> -> tensor<4x8x32xf32>
  tile.return
}

// -----

tile.program @p(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}) {
  %t = arith.constant dense<0.0> : tensor<8x32xf16>
  // expected-error @+1 {{expected a source of shape [8x16] for these dimensions, got [8x32]}}
  %x = tile.expand %t, [0] : tensor<8x32xf16> -> tensor<4x8x16xf16>
  tile.return
}

// -----

#r = #tile.regs<vec = [1, 8], lanes = [8, 4], groups = [1, 1]>
#s = #tile.shared<order = [1, 0]>
tile.program @p(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}) {
  %t = arith.constant dense<0.0> : tensor<64xf16, #tile.slice<0, #r>>
  // expected-error @+1 {{expected the source's layout to be #tile.slice<1, #tile.regs<vec = [1, 8], lanes = [8, 4], groups = [1, 1]>>, got #tile.slice<0,}}
  %x = tile.expand %t, [1] : tensor<64xf16, #tile.slice<0, #r>> -> tensor<64x64xf16, #r>
  tile.return
}

// -----

tile.program @p(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}) {
  // expected-error @+1 {{expected a tile of index, got 'f32'}}
  %x = tile.iota 0 : tensor<8xf32>
  tile.return
}

// -----

tile.program @p(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}) {
  // expected-error @+1 {{expected a dimension below 1, got 1}}
  %x = tile.iota 1 : tensor<8xindex>
  tile.return
}

// -----

tile.program @p(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}) {
  // expected-error @+1 {{expected a layout with coordinates, got #tile.opaque<}}
  %x = tile.iota 1 : tensor<16x16xindex, #tile.opaque<acc, #spv.coop<[16, 16, 16], f16, f16, f32, lanes = 32>, groups = [1, 1]>>
  tile.return
}

// -----

tile.program @p(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}) {
  %a = arith.constant dense<0.0> : tensor<8xf16>
  %b = arith.constant dense<0.0> : tensor<8x8xf16>
  %c = arith.constant dense<0.0> : tensor<8x8xf32>
  // expected-error @+1 {{expected operands of rank 2, got 1, 2 and 2}}
  %d = tile.dot %a, %b, %c : tensor<8xf16>, tensor<8x8xf16>, tensor<8x8xf32>
  tile.return
}

// -----

tile.program @p(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}) {
  %a = arith.constant dense<0.0> : tensor<8x16xf16>
  %b = arith.constant dense<0.0> : tensor<8x8xf16>
  %c = arith.constant dense<0.0> : tensor<8x8xf32>
  // expected-error @+1 {{expected the contracted extents to agree, got 16 of a and 8 of b}}
  %d = tile.dot %a, %b, %c : tensor<8x16xf16>, tensor<8x8xf16>, tensor<8x8xf32>
  tile.return
}

// -----

tile.program @p(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}) {
  %a = arith.constant dense<0.0> : tensor<8x16xf16>
  %b = arith.constant dense<0.0> : tensor<16x4xf16>
  %c = arith.constant dense<0.0> : tensor<8x8xf32>
  // expected-error @+1 {{expected an accumulator of 8x4, got 8x8}}
  %d = tile.dot %a, %b, %c : tensor<8x16xf16>, tensor<16x4xf16>, tensor<8x8xf32>
  tile.return
}

// -----

#mma = #ptx.mma_sync<[16, 8, 16], f16, f16, f32>
#a = #tile.operand<a, #mma, groups = [1, 1]>
#b = #tile.operand<b, #mma, groups = [1, 1]>
#c = #tile.acc<#mma, groups = [1, 1]>
tile.program @p(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}) {
  %a = arith.constant dense<0.0> : tensor<16x16xf16, #a>
  %b = arith.constant dense<0.0> : tensor<16x8xf16, #b>
  %c = arith.constant dense<0.0> : tensor<16x8xf32, #c>
  // expected-error @+1 {{expected a matrix instruction on a product of tiles with layouts, got none}}
  %d = tile.dot %a, %b, %c : tensor<16x16xf16, #a>, tensor<16x8xf16, #b>, tensor<16x8xf32, #c>
  tile.return
}

// -----

#mma = #ptx.mma_sync<[16, 8, 16], f16, f16, f32>
#a = #tile.operand<a, #mma, groups = [1, 1]>
#b = #tile.operand<b, #mma, groups = [1, 1]>
#c = #tile.acc<#mma, groups = [1, 1]>
tile.program @p(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}) {
  %a = arith.constant dense<0.0> : tensor<16x16xbf16, #a>
  %b = arith.constant dense<0.0> : tensor<16x8xf16, #b>
  %c = arith.constant dense<0.0> : tensor<16x8xf32, #c>
  // expected-error @+1 {{expected 'f16' elements on side a of #ptx.mma_sync<[16, 8, 16], f16, f16, f32>, got 'bf16'}}
  %d = tile.dot %a, %b, %c mma(#mma) : tensor<16x16xbf16, #a>, tensor<16x8xf16, #b>, tensor<16x8xf32, #c>
  tile.return
}

// -----

#mma = #ptx.mma_sync<[16, 8, 16], f16, f16, f32>
#a = #tile.operand<a, #mma, groups = [1, 1]>
#b = #tile.operand<b, #mma, groups = [1, 1]>
#c = #tile.acc<#mma, groups = [1, 1]>
tile.program @p(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}) {
  %a = arith.constant dense<0.0> : tensor<16x16xf16, #a>
  %b = arith.constant dense<0.0> : tensor<16x16xf16, #a>
  %c = arith.constant dense<0.0> : tensor<16x16xf32, #c>
  // expected-error @+1 {{expected side b of #ptx.mma_sync<[16, 8, 16], f16, f16, f32> in registers, got #tile.operand<a, #ptx.mma_sync<[16, 8, 16], f16, f16, f32>, groups = [1, 1]>; insert a tile.convert_layout}}
  %d = tile.dot %a, %b, %c mma(#mma) : tensor<16x16xf16, #a>, tensor<16x16xf16, #a>, tensor<16x16xf32, #c>
  tile.return
}

// -----

#mma = #spv.coop<[16, 16, 16], f16, f16, f32, lanes = 32>
#s = #tile.shared<order = [1, 0]>
#b = #tile.opaque<b, #mma, groups = [1, 1]>
#c = #tile.opaque<acc, #mma, groups = [1, 1]>
tile.program @p(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}) {
  %a = arith.constant dense<0.0> : tensor<16x16xf16, #s>
  %b = arith.constant dense<0.0> : tensor<16x16xf16, #b>
  %c = arith.constant dense<0.0> : tensor<16x16xf32, #c>
  // expected-error @+1 {{expected side a in the layout #tile.opaque<a, #spv.coop<[16, 16, 16], f16, f16, f32, lanes = 32>, groups = ...>, got #tile.shared<order = [1, 0]>; insert a tile.convert_layout}}
  %d = tile.dot %a, %b, %c mma(#mma) : tensor<16x16xf16, #s>, tensor<16x16xf16, #b>, tensor<16x16xf32, #c>
  tile.return
}

// -----

#mma = #spv.simt<block = [4, 4, 4], lanes = [8, 8], f32, f32, f32>
#s = #tile.shared<order = [1, 0]>
#b = #tile.operand<b, #mma, groups = [1, 1]>
#c = #tile.acc<#mma, groups = [1, 1]>
tile.program @p(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}) {
  %a = arith.constant dense<0.0> : tensor<32x4xf32, #s>
  %b = arith.constant dense<0.0> : tensor<4x32xf32, #b>
  %c = arith.constant dense<0.0> : tensor<32x32xf32, #c>
  // expected-error @+1 {{expected side a in the fragment layout of #spv.simt<block = [4, 4, 4], lanes = [8, 8], f32, f32, f32>, got #tile.shared<order = [1, 0]>; insert a tile.convert_layout}}
  %d = tile.dot %a, %b, %c mma(#mma) : tensor<32x4xf32, #s>, tensor<4x32xf32, #b>, tensor<32x32xf32, #c>
  tile.return
}

// -----

#mma = #ptx.wgmma<n = 16, f16, f16, f32>
#s = #tile.shared<order = [1, 0], swizzle = 32>
#c = #tile.acc<#mma, groups = [1, 2]>
tile.program @p(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}) {
  %a = arith.constant dense<0.0> : tensor<64x16xf16, #s>
  %b = arith.constant dense<0.0> : tensor<16x32xf16, #s>
  %c = arith.constant dense<0.0> : tensor<64x32xf32, #c>
  // expected-error @+1 {{expected groups along m only, [n, 1], for #ptx.wgmma<n = 16, f16, f16, f32>, got #tile.acc<#ptx.wgmma<n = 16, f16, f16, f32>, groups = [1, 2]>}}
  %d = tile.dot %a, %b, %c mma(#mma) : tensor<64x16xf16, #s>, tensor<16x32xf16, #s>, tensor<64x32xf32, #c>
  tile.return
}

// -----

#mma = #ptx.wgmma<n = 16, i8, i8, i32>
#s = #tile.shared<order = [1, 0], swizzle = 32>
#c = #tile.acc<#mma, groups = [1, 1]>
tile.program @p(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}) {
  %a = arith.constant dense<0> : tensor<64x32xi8, #s>
  %b = arith.constant dense<0> : tensor<32x16xi8, #s>
  %c = arith.constant dense<0> : tensor<64x16xi32, #c>
  // expected-error @+1 {{expected k contiguous in shared memory for 'i8' operands of wgmma, got #tile.shared<order = [1, 0], swizzle = 32>}}
  %d = tile.dot %a, %b, %c mma(#mma) : tensor<64x32xi8, #s>, tensor<32x16xi8, #s>, tensor<64x16xi32, #c>
  tile.return
}

// -----

#mma = #ptx.wgmma<n = 8, f16, f16, f32>
#s = #tile.shared<order = [1, 0], swizzle = 32>
#plain = #tile.shared<order = [1, 0]>
#c = #tile.acc<#mma, groups = [1, 1]>
tile.program @p(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}) {
  %a = arith.constant dense<0.0> : tensor<64x16xf16, #s>
  %b = arith.constant dense<0.0> : tensor<16x8xf16, #plain>
  %c = arith.constant dense<0.0> : tensor<64x8xf32, #c>
  // expected-error @+1 {{expected rows of a multiple of 32 bytes in shared memory, with a swizzle, for #ptx.wgmma<n = 8, f16, f16, f32>, got #tile.shared<order = [1, 0]>}}
  %d = tile.dot %a, %b, %c mma(#mma) : tensor<64x16xf16, #s>, tensor<16x8xf16, #plain>, tensor<64x8xf32, #c>
  tile.return
}

// -----

#mma = #ptx.wgmma<n = 256, f16, f16, f32>
#s = #tile.shared<order = [1, 0], swizzle = 32>
#c = #tile.acc<#mma, groups = [1, 1]>
tile.program @p(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}) {
  %a = arith.constant dense<0.0> : tensor<64x16xf16, #s>
  %b = arith.constant dense<0.0> : tensor<16x64xf16, #s>
  %c = arith.constant dense<0.0> : tensor<64x64xf32, #c>
  // expected-error @+1 {{expected whole instructions of 64x256x16, got an extent n of 64}}
  %d = tile.dot %a, %b, %c mma(#mma) : tensor<64x16xf16, #s>, tensor<16x64xf16, #s>, tensor<64x64xf32, #c>
  tile.return
}

// -----

// Invariant 5: the contracted index is permuted alike.
#mma = #ptx.mma_sync<[16, 8, 16], f16, f16, f32>
#a = #tile.operand<a, #mma, groups = [1, 1]>
#b = #tile.operand<b, #mma, groups = [1, 1]>
#c = #tile.acc<#mma, groups = [1, 1]>
tile.program @p(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}) {
  %a = arith.constant dense<0.0> : tensor<16x16xf16, #tile.operand<a, #mma, groups = [1, 1], kperm = [1, 0]>>
  %b = arith.constant dense<0.0> : tensor<16x8xf16, #b>
  %c = arith.constant dense<0.0> : tensor<16x8xf32, #c>
  // expected-error @+1 {{expected the same 'kperm' on both operands, got}}
  %d = tile.dot %a, %b, %c mma(#mma) : tensor<16x16xf16, #tile.operand<a, #mma, groups = [1, 1], kperm = [1, 0]>>, tensor<16x8xf16, #b>, tensor<16x8xf32, #c>
  tile.return
}

// -----

#mma = #ptx.mma_sync<[16, 8, 16], f16, f16, f32>
#a = #tile.operand<a, #mma, groups = [1, 1]>
#b = #tile.operand<b, #mma, groups = [1, 1]>
#c = #tile.acc<#mma, groups = [1, 1]>
tile.program @p(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}) {
  %x = arith.constant dense<0.0> : tensor<16x8xf32, #c>
  // expected-error @+1 {{expected a matrix instruction, got 3 : i64}}
  %d = tile.dot %x, %x, %x mma(3) : tensor<16x8xf32, #c>, tensor<16x8xf32, #c>, tensor<16x8xf32, #c>
  tile.return
}

// -----

tile.program @p(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}) {
  %t = arith.constant dense<0.0> : tensor<8x32xf16>
  // expected-error @+1 {{expected a dimension below 2, got 2}}
  %x = tile.reduce add %t, 2 : tensor<8x32xf16> -> tensor<8xf16>
  tile.return
}

// -----

tile.program @p(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}) {
  %t = arith.constant dense<0.0> : tensor<8x32xf16>
  // expected-error @+1 {{expected a result of [8] 'f16', got 'tensor<32xf16>'}}
  %x = tile.reduce add %t, 1 : tensor<8x32xf16> -> tensor<32xf16>
  tile.return
}

// -----

#r = #tile.regs<vec = [1, 8], lanes = [8, 4], groups = [1, 1]>
#s = #tile.shared<order = [1, 0]>
tile.program @p(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}) {
  %t = arith.constant dense<0.0> : tensor<16x64xf16, #r>
  // expected-error @+1 {{expected the result's layout to be a #tile.slice of dimension 1 of #tile.regs<vec = [1, 8], lanes = [8, 4], groups = [1, 1]>, got #tile.shared<order = [0]>}}
  %x = tile.reduce add %t, 1 : tensor<16x64xf16, #r> -> tensor<16xf16, #tile.shared<order = [0]>>
  tile.return
}

// -----

#r = #tile.regs<vec = [1, 8], lanes = [8, 4], groups = [1, 1]>
#s = #tile.shared<order = [1, 0]>
tile.program @p(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}) {
  %t = arith.constant dense<0.0> : tensor<16x64xf16, #r>
  // expected-error @+1 {{expected a full result or one with partial = add, got partial = max}}
  %x = tile.reduce add %t, 1 : tensor<16x64xf16, #r> -> tensor<16xf16, #tile.slice<1, #r, partial = max>>
  tile.return
}

// -----

tile.program @p(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}) {
  %t = arith.constant dense<0.0> : tensor<8x32xf16>
  // expected-error @+1 {{expected a condition of i1, got 'f16'}}
  %x = tile.where %t else(%t) {
    tile.yield %t : tensor<8x32xf16>
  } : tensor<8x32xf16>, tensor<8x32xf16> -> tensor<8x32xf16>
  tile.return
}

// -----

#r = #tile.regs<vec = [1, 8], lanes = [8, 4], groups = [1, 1]>
#s = #tile.shared<order = [1, 0]>
tile.program @p(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}) {
  %k = arith.constant dense<true> : tensor<16xi1, #tile.slice<1, #r, partial = max>>
  %t = arith.constant dense<0.0> : tensor<16x64xf16, #r>
  // expected-error @+1 {{expected a condition that is full or partial = or, got partial = max}}
  %x = tile.where %k else(%t) {
    tile.yield %t : tensor<16x64xf16, #r>
  } : tensor<16xi1, #tile.slice<1, #r, partial = max>>, tensor<16x64xf16, #r> -> tensor<16x64xf16, #r>
  tile.return
}

// -----

tile.program @p(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}) {
  %k = arith.constant dense<true> : tensor<8xi1>
  %t = arith.constant dense<0.0> : tensor<8x32xf16>
  // expected-error @+1 {{expected results of the old values' types}}
  %x = tile.where %k else(%t) {
    tile.yield %t : tensor<8x32xf16>
  } : tensor<8xi1>, tensor<8x32xf16> -> tensor<8x16xf16>
  tile.return
}

// -----

tile.program @p(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}) {
  %k = arith.constant dense<true> : tensor<4xi1>
  %t = arith.constant dense<0.0> : tensor<8x32xf16>
  // expected-error @+1 {{expected results whose leading dimensions are [4], got 'tensor<8x32xf16>'}}
  %x = tile.where %k else(%t) {
    tile.yield %t : tensor<8x32xf16>
  } : tensor<4xi1>, tensor<8x32xf16> -> tensor<8x32xf16>
  tile.return
}

// -----

tile.program @p(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}) {
  %k = arith.constant dense<true> : tensor<8xi1>
  %t = arith.constant dense<0.0> : tensor<8x32xf16>
  // expected-error @+1 {{expected the region to yield the results' types}}
  %x = tile.where %k else(%t) {
    tile.yield %k : tensor<8xi1>
  } : tensor<8xi1>, tensor<8x32xf16> -> tensor<8x32xf16>
  tile.return
}

// -----

// Invariant 9: what may be skipped is pure.
tile.program @p(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}) {
  %c0 = arith.constant 0 : index
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f16> -> !tile.view<?x?xf16, strides = [?, 1], div = [8, 1]>
  %k = arith.constant dense<true> : tensor<8xi1>
  %t = arith.constant dense<0.0> : tensor<8x32xf16>
  %x = tile.where %k else(%t) {
    // expected-error @+1 {{is not pure and may not stand in a tile.where}}
    %l = tile.load %v[%c0, %c0] : !tile.view<?x?xf16, strides = [?, 1], div = [8, 1]> -> tensor<8x32xf16>
    tile.yield %l : tensor<8x32xf16>
  } : tensor<8xi1>, tensor<8x32xf16> -> tensor<8x32xf16>
  tile.return
}

// -----

tile.program @p(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}) {
  %t = arith.constant dense<0.0> : tensor<8x32xf16>
  // expected-error @+1 {{expected 1 region arguments, one an input, got 0}}
  %x = tile.map(%t : tensor<8x32xf16>) -> tensor<8x32xf16> {
    %z = arith.constant 0.0 : f16
    tile.yield %z : f16
  }
  tile.return
}

// -----

tile.program @p(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}) {
  %t = arith.constant dense<0.0> : tensor<8x32xf16>
  // expected-error @+1 {{expected the region to yield 1 elements, one a result}}
  %x = tile.map(%t : tensor<8x32xf16>) -> tensor<8x32xf16> {
  ^bb0(%e: f16):
    tile.yield %e, %e : f16, f16
  }
  tile.return
}

// -----

tile.program @p(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}) {
  %t = arith.constant dense<0.0> : tensor<8x32xf16>
  // expected-error @+1 {{expected the region's element of input #0 to be 'f16', got 'f32'}}
  %x = tile.map(%t : tensor<8x32xf16>) -> tensor<8x32xf32> {
  ^bb0(%e: f32):
    tile.yield %e : f32
  }
  tile.return
}

// -----

tile.program @p(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}) {
  %t = arith.constant dense<0.0> : tensor<8x32xf16>
  // expected-error @+1 {{expected the region's element of result #0 to be 'f32', got 'f16'}}
  %x = tile.map(%t : tensor<8x32xf16>) -> tensor<8x32xf32> {
  ^bb0(%e: f16):
    tile.yield %e : f16
  }
  tile.return
}

// -----

tile.program @p(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}) {
  %t = arith.constant dense<0.0> : tensor<8x32xf16>
  // expected-error @+1 {{expected input #0 to be of shape [8], got [8x32]; use tile.expand}}
  %x = tile.map(%t : tensor<8x32xf16>) -> tensor<8xf16> {
  ^bb0(%e: f16):
    tile.yield %e : f16
  }
  tile.return
}

// -----

#r = #tile.regs<vec = [1, 8], lanes = [8, 4], groups = [1, 1]>
#s = #tile.shared<order = [1, 0]>
tile.program @p(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}) {
  %t = arith.constant dense<0.0> : tensor<16x64xf16, #r>
  // expected-error @+1 {{expected input #0 in the places of #tile.regs<vec = [1, 4], lanes = [4, 8], groups = [1, 1]>, got #tile.regs<vec = [1, 8], lanes = [8, 4], groups = [1, 1]>}}
  %x = tile.map(%t : tensor<16x64xf16, #r>) -> tensor<16x64xf16, #tile.regs<vec = [1, 4], lanes = [4, 8], groups = [1, 1]>> {
  ^bb0(%e: f16):
    tile.yield %e : f16
  }
  tile.return
}

// -----

tile.program @p(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}) {
  %t = arith.constant dense<0.0> : tensor<8x32xf16>
  %x = tile.map(%t : tensor<8x32xf16>) -> tensor<8x32xf16> {
  ^bb0(%e: f16):
    // expected-error @+1 {{may not stand in a tile.map; expected pure scalar ops}}
    %i = tile.next %n
    tile.yield %e : f16
  }
  tile.return
}

// -----

#mma = #ptx.mma_sync<[16, 8, 16], f16, f16, f32>
#a = #tile.operand<a, #mma, groups = [1, 1, 2]>
#b = #tile.operand<b, #mma, groups = [1, 1]>
#c = #tile.acc<#mma, groups = [1, 1, 2], partial = add>
tile.program @p() {
  %a = arith.constant dense<0.0> : tensor<16x32xf16, #a>
  %b = arith.constant dense<0.0> : tensor<32x8xf16, #b>
  %c = arith.constant dense<0.0> : tensor<16x8xf32, #c>
  // expected-error @+1 {{expected operands in as many slices of k as the accumulator, 2, got 1 of #tile.operand<b}}
  %x = tile.dot %a, %b, %c {mma = #mma} : tensor<16x32xf16, #a>, tensor<32x8xf16, #b>, tensor<16x8xf32, #c>
  tile.return
}

// -----

#mma = #ptx.mma_sync<[16, 8, 16], f16, f16, f32>
#a = #tile.operand<a, #mma, groups = [1, 1, 2]>
#b = #tile.operand<b, #mma, groups = [1, 1, 2]>
#c = #tile.acc<#mma, groups = [1, 1, 2]>
tile.program @p() {
  %a = arith.constant dense<0.0> : tensor<16x32xf16, #a>
  %b = arith.constant dense<0.0> : tensor<32x8xf16, #b>
  %c = arith.constant dense<0.0> : tensor<16x8xf32, #c>
  // expected-error @+1 {{expected an accumulator with partial = add, of 2 slices of k, got #tile.acc}}
  %x = tile.dot %a, %b, %c {mma = #mma} : tensor<16x32xf16, #a>, tensor<32x8xf16, #b>, tensor<16x8xf32, #c>
  tile.return
}

// -----

#c = #tile.acc<#ptx.mma_sync<[16, 8, 16], f16, f16, f32>, groups = [1, 1, 2], partial = add>
tile.program @p() {
  // expected-error @+1 {{expected a tile of 16 rows, one fragment of every group, got 32}}
  %c = arith.constant dense<0.0> : tensor<32x8xf32, #c>
  tile.return
}

// -----

tile.program @p(%p: index) {
  %t = arith.constant dense<0.0> : tensor<64x32xf32>
  // expected-error @+1 {{expected one of several equal parts of 'tensor<64x32xf32>' along dimension 0, got 'tensor<64x16xf32>'}}
  %x = tile.reduce_scatter %t[%p] : tensor<64x32xf32> -> tensor<64x16xf32>
  tile.return
}

// -----

tile.program @p(%p: index) {
  %t = arith.constant dense<0.0> : tensor<64x32xf32>
  // expected-error @+1 {{expected one of several equal parts of 'tensor<64x32xf32>' along dimension 0, got 'tensor<24x32xf32>'}}
  %x = tile.reduce_scatter %t[%p] : tensor<64x32xf32> -> tensor<24x32xf32>
  tile.return
}

// -----

tile.program @p(%p: index) {
  %t = arith.constant dense<0.0> : tensor<64x32xf32>
  // expected-error @+1 {{expected one of several equal parts of 'tensor<64x32xf32>' along dimension 0, got 'tensor<32x32xf16>'}}
  %x = tile.reduce_scatter %t[%p] : tensor<64x32xf32> -> tensor<32x32xf16>
  tile.return
}
