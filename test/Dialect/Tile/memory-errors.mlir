// RUN: helios-opt --split-input-file --verify-diagnostics %s

// Views, loads, stores, conversions.

// -----

tile.program @p(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}) {
  // expected-error @+1 {{expected a view of 'f16', got one of 'f32'}}
  %w = tile.view %p[%n] : !tile.ptr<f16> -> !tile.view<?xf32, strides = [1]>
  tile.return
}

// -----

tile.program @p(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}) {
  // expected-error @+1 {{expected 1 size operands, one a dynamic extent, got 2}}
  %w = tile.view %p[%n, %n] : !tile.ptr<f16> -> !tile.view<?x8xf16, strides = [8, 1]>
  tile.return
}

// -----

tile.program @p(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}) {
  // expected-error @+1 {{expected 1 stride operands, one a dynamic stride, got 0}}
  %w = tile.view %p[%n] : !tile.ptr<f16> -> !tile.view<?x8xf16, strides = [?, 1]>
  tile.return
}

// -----

tile.program @p(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}) {
  // expected-error @+1 {{expected a table exactly where the view gathers, got gather = 0 without a table}}
  %w = tile.view %p[%n] : !tile.ptr<f16> -> !tile.view<?x8xf16, strides = [8, 1], gather = 0>
  tile.return
}

// -----

tile.program @p(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}) {
  // expected-error @+1 {{expected a table exactly where the view gathers, got gather = -1 with a table}}
  %w = tile.view %p[%n] table(%p : !tile.ptr<f16>) : !tile.ptr<f16> -> !tile.view<?x8xf16, strides = [8, 1]>
  tile.return
}

// -----

// Invariant 6: what the type says of a stride follows from facts.
tile.program @p(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}) {
  // expected-error @+1 {{expected the stride of dimension 0 to be a multiple of 16 as 'div' says, but only 8 is known to divide it; give its source the fact 'tile.div', or say less in the type}}
  %w = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f16> -> !tile.view<?x?xf16, strides = [?, 1], div = [16, 1]>
  tile.return
}

// -----

tile.program @p(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}) {
  %c0 = arith.constant 0 : index
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f16> -> !tile.view<?x?xf16, strides = [?, 1], div = [8, 1]>
  // expected-error @+1 {{expected a tile of 'f16' as the view's elements, got 'f32'}}
  %t = tile.load %v[%c0, %c0] : !tile.view<?x?xf16, strides = [?, 1], div = [8, 1]> -> tensor<8x32xf32>
  tile.return
}

// -----

tile.program @p(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}) {
  %c0 = arith.constant 0 : index
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f16> -> !tile.view<?x?xf16, strides = [?, 1], div = [8, 1]>
  // expected-error @+1 {{expected 2 offsets, one a dimension of the view, got 1}}
  %t = tile.load %v[%c0] : !tile.view<?x?xf16, strides = [?, 1], div = [8, 1]> -> tensor<8x32xf16>
  tile.return
}

// -----

tile.program @p(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}) {
  %c0 = arith.constant 0 : index
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f16> -> !tile.view<?x?xf16, strides = [?, 1], div = [8, 1]>
  // expected-error @+1 {{expected a tile of at most rank 2, got rank 3}}
  %t = tile.load %v[%c0, %c0] : !tile.view<?x?xf16, strides = [?, 1], div = [8, 1]> -> tensor<1x8x32xf16>
  tile.return
}

// -----

#r = #tile.regs<vec = [1, 8], lanes = [8, 4], groups = [1, 1]>
#s = #tile.shared<order = [1, 0]>
tile.program @p(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}) {
  %c0 = arith.constant 0 : index
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f16> -> !tile.view<?x?xf16, strides = [?, 1], div = [8, 1]>
  // expected-error @+1 {{expected a full layout, got the partial #tile.slice<0,}}
  %t = tile.load %v[%c0, %c0] : !tile.view<?x?xf16, strides = [?, 1], div = [8, 1]> -> tensor<32xf16, #tile.slice<0, #r, partial = add>>
  tile.return
}

// -----

// Invariant 6: in bounds contradicts the extent.
tile.program @p(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}) {
  %c0 = arith.constant 0 : index
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f16> -> !tile.view<?x?xf16, strides = [?, 1], div = [8, 1]>
  %w = tile.view %p[] : !tile.ptr<f16> -> !tile.view<16x32xf16, strides = [32, 1]>
  %c12 = arith.constant 12 : index
  // expected-error @+1 {{is marked 'in_bounds' but covers [12, 20) of 16 elements in dimension 0}}
  %t = tile.load %w[%c12, %c0] in_bounds : !tile.view<16x32xf16, strides = [32, 1]> -> tensor<8x32xf16>
  tile.return
}

// -----

tile.program @p(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}) {
  %c0 = arith.constant 0 : index
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f16> -> !tile.view<?x?xf16, strides = [?, 1], div = [8, 1]>
  %t = tile.load %v[%c0, %c0] : !tile.view<?x?xf16, strides = [?, 1], div = [8, 1]> -> tensor<8x32xf16>
  %w = tile.view %p[] : !tile.ptr<f16> -> !tile.view<16x16xf16, strides = [16, 1]>
  // expected-error @+1 {{is marked 'in_bounds' but covers [0, 32) of 16 elements in dimension 1}}
  tile.store %t, %w[%c0, %c0] in_bounds : tensor<8x32xf16>, !tile.view<16x16xf16, strides = [16, 1]>
  tile.return
}

// -----

tile.program @p(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}) {
  %c0 = arith.constant 0 : index
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f16> -> !tile.view<?x?xf16, strides = [?, 1], div = [8, 1]>
  %t = tile.load %v[%c0, %c0] : !tile.view<?x?xf16, strides = [?, 1], div = [8, 1]> -> tensor<8x32xf16>
  // expected-error @+1 {{expected 2 offsets, one a dimension of the view, got 1}}
  tile.store %t, %v[%c0] : tensor<8x32xf16>, !tile.view<?x?xf16, strides = [?, 1], div = [8, 1]>
  tile.return
}

// -----

#r = #tile.regs<vec = [1, 8], lanes = [8, 4], groups = [1, 1]>
#s = #tile.shared<order = [1, 0]>
tile.program @p(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}) {
  %c0 = arith.constant 0 : index
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f16> -> !tile.view<?x?xf16, strides = [?, 1], div = [8, 1]>
  %t = arith.constant dense<0.0> : tensor<8xf16, #tile.slice<1, #r, partial = add>>
  // expected-error @+1 {{expected a full layout, got the partial}}
  tile.store %t, %v[%c0, %c0] : tensor<8xf16, #tile.slice<1, #r, partial = add>>, !tile.view<?x?xf16, strides = [?, 1], div = [8, 1]>
  tile.return
}

// -----

tile.program @p(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}) {
  %c0 = arith.constant 0 : index
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f16> -> !tile.view<?x?xf16, strides = [?, 1], div = [8, 1]>
  %t = tile.load %v[%c0, %c0] : !tile.view<?x?xf16, strides = [?, 1], div = [8, 1]> -> tensor<8x32xf16>
  // expected-error @+1 {{expected add, max or min, got or}}
  tile.atomic_reduce or %t, %v[%c0, %c0] : tensor<8x32xf16>, !tile.view<?x?xf16, strides = [?, 1], div = [8, 1]>
  tile.return
}

// -----

#r = #tile.regs<vec = [1, 8], lanes = [8, 4], groups = [1, 1]>
#s = #tile.shared<order = [1, 0]>
tile.program @p(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}) {
  %t = arith.constant dense<0.0> : tensor<8x32xf16, #r>
  // expected-error @+1 {{expected a layout on both sides or on none, got 'tensor<8x32xf16,}}
  %c = tile.convert_layout %t : tensor<8x32xf16, #r> -> tensor<8x32xf16>
  tile.return
}

// -----

#r = #tile.regs<vec = [1, 8], lanes = [8, 4], groups = [1, 1]>
#s = #tile.shared<order = [1, 0]>
tile.program @p(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}) {
  %t = arith.constant dense<0.0> : tensor<8xf16, #tile.slice<1, #r>>
  // expected-error @+1 {{expected a full result, or one with partial = none as its operand, got partial = add}}
  %c = tile.convert_layout %t : tensor<8xf16, #tile.slice<1, #r>> -> tensor<8xf16, #tile.slice<1, #r, partial = add>>
  tile.return
}

// -----

#r = #tile.regs<vec = [1, 8], lanes = [8, 4], groups = [1, 1]>
#s = #tile.shared<order = [1, 0]>
tile.program @p(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}) {
  %t = arith.constant dense<0.0> : tensor<8xf16, #tile.slice<1, #r, partial = add>>
  // expected-error @+1 {{expected a partial tile to be combined before it goes to memory, got partial = add}}
  %c = tile.convert_layout %t : tensor<8xf16, #tile.slice<1, #r, partial = add>> -> tensor<8xf16, #tile.shared<order = [0]>>
  tile.return
}

// -----

#b = #tile.opaque<b, #spv.coop<[16, 16, 16], f16, f16, f32, lanes = 32>, groups = [1, 1]>
!v = !tile.view<?x?xf16, strides = [?, 16], align = 16, packed = #b>
tile.program @p(%p: !tile.ptr<f16>, %n: index) {
  %c0 = arith.constant 0 : index
  %V = tile.view %p[%n, %n] strides[%n] : <f16> -> !v
  // expected-error @+1 {{expected a tile of a packed view to have two dimensions and to be 'in_bounds'}}
  %t = tile.load %V[%c0, %c0] : !v -> tensor<16x16xf16>
  tile.return
}

// -----

#b = #tile.opaque<b, #spv.coop<[16, 16, 16], f16, f16, f32, lanes = 32>, groups = [1, 1]>
!v = !tile.view<?x?xf16, strides = [?, 16], align = 16, packed = #b>
tile.program @p(%p: !tile.ptr<f16>, %n: index) {
  %c0 = arith.constant 0 : index
  %V = tile.view %p[%n, %n] strides[%n] : <f16> -> !v
  // expected-error @+1 {{expected whole matrices of 16x16, got 'tensor<16x8xf16>'}}
  %t = tile.load %V[%c0, %c0] in_bounds : !v -> tensor<16x8xf16>
  tile.return
}

// -----

#b = #tile.opaque<b, #spv.coop<[16, 16, 16], f16, f16, f32, lanes = 32>, groups = [1, 1]>
#r = #tile.regs<vec = [1, 8], lanes = [8, 4], groups = [1, 1]>
!v = !tile.view<?x?xf16, strides = [?, 16], align = 16, packed = #b>
tile.program @p(%p: !tile.ptr<f16>, %n: index) {
  %c0 = arith.constant 0 : index
  %t = arith.constant dense<0.0> : tensor<16x32xf16, #r>
  %V = tile.view %p[%n, %n] strides[%n] : <f16> -> !v
  // expected-error @+1 {{expected the layout of the packed view}}
  tile.store %t, %V[%c0, %c0] in_bounds : tensor<16x32xf16, #r>, !v
  tile.return
}

// -----

tile.program @p(%p: !tile.ptr<i32>, %n: index) {
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<i32> -> !tile.view<?x?xi32, strides = [?, 1]>
  // expected-error @+1 {{expected an offset a dimension of the view, 2, got 1}}
  %e = tile.element %v[%n] : !tile.view<?x?xi32, strides = [?, 1]> -> i32
  tile.return
}

// -----

tile.program @p(%p: !tile.ptr<i8>, %n: index) {
  %v = tile.view %p[%n] : !tile.ptr<i8> -> !tile.view<?xi8, strides = [1]>
  // expected-error @+1 {{expected a view of 'i32' that is neither packed nor gathered, got}}
  %e = tile.element %v[%n] : !tile.view<?xi8, strides = [1]> -> i32
  tile.return
}

// -----

tile.program @inside(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}) {
  %c0 = arith.constant 0 : index
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f16> -> !tile.view<?x?xf16, strides = [?, 1], div = [8, 1]>
  // expected-error @+1 {{expected 'inside' to list dimensions below 2 in order, got [1, 1]}}
  %t = tile.load %v[%c0, %c0] {inside = array<i64: 1, 1>} : !tile.view<?x?xf16, strides = [?, 1], div = [8, 1]> -> tensor<8x32xf16>
  tile.return
}
