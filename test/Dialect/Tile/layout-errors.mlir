// RUN: helios-opt --split-input-file --verify-diagnostics %s

// Invariants 3, 4 and 7: one layout through element-wise ops, and partial vectors only where an op is closed for them.

// -----

// 3: every lane of the workgroup holds a part of every tile.
#r = #tile.regs<vec = [1, 8], lanes = [8, 4], groups = [1, 1]>
#add = #tile.slice<1, #r, partial = add>
#max = #tile.slice<1, #r, partial = max>
#row = #tile.slice<1, #r>
tile.program @p(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}) {
  // expected-note @+1 {{this tile is distributed over 32}}
  %a = arith.constant dense<0.0> : tensor<16x64xf16, #r>
  // expected-error @+1 {{expected tiles over 32 lanes as elsewhere, got 64 of #tile.regs<vec = [1, 8], lanes = [8, 8], groups = [1, 1]>}}
  %b = arith.constant dense<0.0> : tensor<16x64xf16, #tile.regs<vec = [1, 8], lanes = [8, 8], groups = [1, 1]>>
  tile.return
}

// -----

// 4: only tile.convert_layout changes a layout; arith and math want one on all of their operands.
#r = #tile.regs<vec = [1, 8], lanes = [8, 4], groups = [1, 1]>
#add = #tile.slice<1, #r, partial = add>
#max = #tile.slice<1, #r, partial = max>
#row = #tile.slice<1, #r>
tile.program @p(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}) {
  %a = arith.constant dense<0.0> : tensor<16x64xf32, #r>
  // expected-error @+1 {{are cast incompatible}}
  %b = arith.truncf %a : tensor<16x64xf32, #r> to tensor<16x64xf16, #tile.regs<vec = [1, 4], lanes = [8, 4], groups = [1, 1]>>
  tile.return
}

// -----

// 7: the neutral splat of a sum is zero.
#r = #tile.regs<vec = [1, 8], lanes = [8, 4], groups = [1, 1]>
#add = #tile.slice<1, #r, partial = add>
#max = #tile.slice<1, #r, partial = max>
#row = #tile.slice<1, #r>
tile.program @p(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}) {
  // expected-error @+1 {{expected a partial = add constant to be zero; every lane that shares the element holds it}}
  %a = arith.constant dense<1.0> : tensor<16xf32, #add>
  tile.return
}

// -----

// 7: a product of two sums is not the sum of products.
#r = #tile.regs<vec = [1, 8], lanes = [8, 4], groups = [1, 1]>
#add = #tile.slice<1, #r, partial = add>
#max = #tile.slice<1, #r, partial = max>
#row = #tile.slice<1, #r>
tile.program @p(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}) {
  %a = arith.constant dense<0.0> : tensor<16xf32, #add>
  // expected-error @+1 {{is not closed for partial operands (add, add); convert them to a full layout with tile.convert_layout first}}
  %b = arith.mulf %a, %a : tensor<16xf32, #add>
  tile.return
}

// -----

// 7: exp of a sum.
#r = #tile.regs<vec = [1, 8], lanes = [8, 4], groups = [1, 1]>
#add = #tile.slice<1, #r, partial = add>
#max = #tile.slice<1, #r, partial = max>
#row = #tile.slice<1, #r>
tile.program @p(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}) {
  %a = arith.constant dense<0.0> : tensor<16xf32, #add>
  // expected-error @+1 {{is not closed for partial operands (add)}}
  %b = math.exp2 %a : tensor<16xf32, #add>
  tile.return
}

// -----

// 7: a maximum scaled by a value that may be negative.
#r = #tile.regs<vec = [1, 8], lanes = [8, 4], groups = [1, 1]>
#add = #tile.slice<1, #r, partial = add>
#max = #tile.slice<1, #r, partial = max>
#row = #tile.slice<1, #r>
tile.program @p(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}) {
  %a = arith.constant dense<0.0> : tensor<16xf32, #max>
  // expected-error @+1 {{is not closed for partial operands (max, max)}}
  %b = arith.mulf %a, %a : tensor<16xf32, #max>
  tile.return
}

// -----

// 7: rounding is monotone, but not additive.
#r = #tile.regs<vec = [1, 8], lanes = [8, 4], groups = [1, 1]>
#add = #tile.slice<1, #r, partial = add>
#max = #tile.slice<1, #r, partial = max>
#row = #tile.slice<1, #r>
tile.program @p(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}) {
  %a = arith.constant dense<0.0> : tensor<16xf32, #add>
  // expected-error @+1 {{is not closed for partial operands (add)}}
  %b = arith.truncf %a : tensor<16xf32, #add> to tensor<16xf16, #add>
  tile.return
}

// -----

// 7: no tile op but those that combine takes a partial vector.
#r = #tile.regs<vec = [1, 8], lanes = [8, 4], groups = [1, 1]>
#add = #tile.slice<1, #r, partial = add>
#max = #tile.slice<1, #r, partial = max>
#row = #tile.slice<1, #r>
tile.program @p(%p: !tile.ptr<f16>, %q: !tile.ptr<f32>, %n: index {tile.div = 8 : index}) {
  %c0 = arith.constant 0 : index
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f16> -> !tile.view<?x?xf16, strides = [?, 1], div = [8, 1]>
  %a = arith.constant dense<0.0> : tensor<16xf32, #add>
  %w = tile.view %q[%n] : !tile.ptr<f32> -> !tile.view<?xf32, strides = [1]>
  // expected-error @+1 {{is not closed for partial operands (add, none, none)}}
  tile.atomic_reduce add %a, %w[%c0] : tensor<16xf32, #add>, !tile.view<?xf32, strides = [1]>
  tile.return
}

// -----

// 7: in a region of scalars too.
#r = #tile.regs<vec = [1, 8], lanes = [8, 4], groups = [1, 1]>
#add = #tile.slice<1, #r, partial = add>
#max = #tile.slice<1, #r, partial = max>
#row = #tile.slice<1, #r>
tile.program @p(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}) {
  %a = arith.constant dense<0.0> : tensor<16xf32, #add>
  %b = arith.constant dense<0.0> : tensor<16xf32, #row>
  %c = tile.map(%a, %b : tensor<16xf32, #add>, tensor<16xf32, #row>) -> tensor<16xf32, #add> {
  ^bb0(%x: f32, %y: f32):
    // expected-error @+1 {{is not closed for partial operands (add, none); convert them to a full layout with tile.convert_layout first}}
    %z = arith.addf %x, %y : f32
    tile.yield %z : f32
  }
  tile.return
}

// -----

// 7: smaller than a maximum is not an or over lanes.
#r = #tile.regs<vec = [1, 8], lanes = [8, 4], groups = [1, 1]>
#add = #tile.slice<1, #r, partial = add>
#max = #tile.slice<1, #r, partial = max>
#row = #tile.slice<1, #r>
tile.program @p(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}) {
  %a = arith.constant dense<0.0> : tensor<16xf32, #max>
  %b = arith.constant dense<0.0> : tensor<16xf32, #row>
  %c = tile.map(%a, %b : tensor<16xf32, #max>, tensor<16xf32, #row>) -> tensor<16xi1, #tile.slice<1, #r, partial = or>> {
  ^bb0(%x: f32, %y: f32):
    // expected-error @+1 {{is not closed for partial operands (max, none)}}
    %z = arith.cmpf olt, %x, %y : f32
    tile.yield %z : i1
  }
  tile.return
}

// -----

// 7: the type of a result says what it is.
#r = #tile.regs<vec = [1, 8], lanes = [8, 4], groups = [1, 1]>
#add = #tile.slice<1, #r, partial = add>
#max = #tile.slice<1, #r, partial = max>
#row = #tile.slice<1, #r>
tile.program @p(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}) {
  %a = arith.constant dense<0.0> : tensor<16xf32, #add>
  %b = arith.constant dense<0.0> : tensor<16xf32, #row>
  // expected-error @+1 {{expected the type of result #0 to say partial = add, got partial = none}}
  %c = tile.map(%a, %b : tensor<16xf32, #add>, tensor<16xf32, #row>) -> tensor<16xf32, #row> {
  ^bb0(%x: f32, %y: f32):
    %z = arith.mulf %x, %y : f32
    tile.yield %z : f32
  }
  tile.return
}

// -----

// 5: what is outside the view along k must add nothing.
tile.program @p(%p: !tile.ptr<f16>, %n: index {tile.div = 8 : index}) {
  %c0 = arith.constant 0 : index
  %v = tile.view %p[%n, %n] strides [%n] : !tile.ptr<f16> -> !tile.view<?x?xf16, strides = [?, 1], div = [8, 1]>
  // expected-note @+1 {{this load}}
  %a = tile.load %v[%c0, %c0] pad(1.0) : !tile.view<?x?xf16, strides = [?, 1], div = [8, 1]> -> tensor<8x32xf16>
  %t = tile.transpose %a : tensor<8x32xf16> -> tensor<32x8xf16>
  %b = tile.load %v[%c0, %c0] : !tile.view<?x?xf16, strides = [?, 1], div = [8, 1]> -> tensor<8x32xf16>
  %z = arith.constant dense<0.0> : tensor<8x8xf32>
  // expected-error @+1 {{expected operands that are zero outside their views, got a load with pad(1.000000e+00)}}
  %d = tile.dot %b, %t, %z : tensor<8x32xf16>, tensor<32x8xf16>, tensor<8x8xf32>
  tile.return
}
