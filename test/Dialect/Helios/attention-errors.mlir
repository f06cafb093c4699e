// RUN: helios-opt --split-input-file --verify-diagnostics %s

helios.kernel @k(%q: tensor<?x?x?xf16>, %k: tensor<?x?x?x?xf16>, %v: tensor<?x?x?x?xf16>) -> tensor<?x?x?x?xf16> {
  // expected-error @below {{query must have four dimensions (batch, heads, sequence, depth), got 'tensor<?x?x?xf16>'}}
  %o = helios.attention %q, %k, %v
      : (tensor<?x?x?xf16>, tensor<?x?x?x?xf16>, tensor<?x?x?x?xf16>) -> tensor<?x?x?x?xf16> acc f32
  helios.return %o : tensor<?x?x?x?xf16>
}

// -----

helios.kernel @k(%q: tensor<?x?x?x?xi8>, %k: tensor<?x?x?x?xf16>, %v: tensor<?x?x?x?xf16>) -> tensor<?x?x?x?xf16> {
  // expected-error @below {{query must have floating-point elements, got 'tensor<?x?x?x?xi8>'}}
  %o = helios.attention %q, %k, %v
      : (tensor<?x?x?x?xi8>, tensor<?x?x?x?xf16>, tensor<?x?x?x?xf16>) -> tensor<?x?x?x?xf16> acc f32
  helios.return %o : tensor<?x?x?x?xf16>
}

// -----

helios.kernel @k(%q: tensor<?x?x?x?xf16>, %k: tensor<?x?x?x?xbf16>, %v: tensor<?x?x?x?xf16>) -> tensor<?x?x?x?xf16> {
  // expected-error @below {{query, key and value must have one element type, got 'f16', 'bf16' and 'f16'}}
  %o = helios.attention %q, %k, %v
      : (tensor<?x?x?x?xf16>, tensor<?x?x?x?xbf16>, tensor<?x?x?x?xf16>) -> tensor<?x?x?x?xf16> acc f32
  helios.return %o : tensor<?x?x?x?xf16>
}

// -----

helios.kernel @k(%q: tensor<?x?x?x?xf16>, %k: tensor<?x?x?x?xf16>, %v: tensor<?x?x?x?xf16>) -> tensor<?x?x?x?xf16> {
  // expected-error @below {{accumulator type must be f32, got 'f16'}}
  %o = helios.attention %q, %k, %v
      : (tensor<?x?x?x?xf16>, tensor<?x?x?x?xf16>, tensor<?x?x?x?xf16>) -> tensor<?x?x?x?xf16> acc f16
  helios.return %o : tensor<?x?x?x?xf16>
}

// -----

helios.kernel @k(%q: tensor<2x4x8x16xf16>, %k: tensor<3x4x32x16xf16>, %v: tensor<2x4x32x64xf16>) -> tensor<2x4x8x64xf16> {
  // expected-error @below {{batch extents of query and key disagree: 2 and 3}}
  %o = helios.attention %q, %k, %v
      : (tensor<2x4x8x16xf16>, tensor<3x4x32x16xf16>, tensor<2x4x32x64xf16>) -> tensor<2x4x8x64xf16> acc f32
  helios.return %o : tensor<2x4x8x64xf16>
}

// -----

helios.kernel @k(%q: tensor<2x4x8x16xf16>, %k: tensor<2x4x32x16xf16>, %v: tensor<3x4x32x64xf16>) -> tensor<2x4x8x64xf16> {
  // expected-error @below {{batch extents of query and value disagree: 2 and 3}}
  %o = helios.attention %q, %k, %v
      : (tensor<2x4x8x16xf16>, tensor<2x4x32x16xf16>, tensor<3x4x32x64xf16>) -> tensor<2x4x8x64xf16> acc f32
  helios.return %o : tensor<2x4x8x64xf16>
}

// -----

helios.kernel @k(%q: tensor<2x4x8x16xf16>, %k: tensor<2x4x32x16xf16>, %v: tensor<2x2x32x64xf16>) -> tensor<2x4x8x64xf16> {
  // expected-error @below {{head counts of key and value disagree: 4 and 2}}
  %o = helios.attention %q, %k, %v
      : (tensor<2x4x8x16xf16>, tensor<2x4x32x16xf16>, tensor<2x2x32x64xf16>) -> tensor<2x4x8x64xf16> acc f32
  helios.return %o : tensor<2x4x8x64xf16>
}

// -----

helios.kernel @k(%q: tensor<2x4x8x16xf16>, %k: tensor<2x4x32x16xf16>, %v: tensor<2x4x33x64xf16>) -> tensor<2x4x8x64xf16> {
  // expected-error @below {{sequence extents of key and value disagree: 32 and 33}}
  %o = helios.attention %q, %k, %v
      : (tensor<2x4x8x16xf16>, tensor<2x4x32x16xf16>, tensor<2x4x33x64xf16>) -> tensor<2x4x8x64xf16> acc f32
  helios.return %o : tensor<2x4x8x64xf16>
}

// -----

helios.kernel @k(%q: tensor<2x4x8x16xf16>, %k: tensor<2x4x32x17xf16>, %v: tensor<2x4x32x64xf16>) -> tensor<2x4x8x64xf16> {
  // expected-error @below {{depths of query and key disagree: 16 and 17}}
  %o = helios.attention %q, %k, %v
      : (tensor<2x4x8x16xf16>, tensor<2x4x32x17xf16>, tensor<2x4x32x64xf16>) -> tensor<2x4x8x64xf16> acc f32
  helios.return %o : tensor<2x4x8x64xf16>
}

// -----

helios.kernel @k(%q: tensor<2x4x8x16xf16>, %k: tensor<2x4x32x16xf16>, %v: tensor<2x4x32x64xf16>) -> tensor<1x4x8x64xf16> {
  // expected-error @below {{batch extents of query and result disagree: 2 and 1}}
  %o = helios.attention %q, %k, %v
      : (tensor<2x4x8x16xf16>, tensor<2x4x32x16xf16>, tensor<2x4x32x64xf16>) -> tensor<1x4x8x64xf16> acc f32
  helios.return %o : tensor<1x4x8x64xf16>
}

// -----

helios.kernel @k(%q: tensor<2x4x8x16xf16>, %k: tensor<2x4x32x16xf16>, %v: tensor<2x4x32x64xf16>) -> tensor<2x5x8x64xf16> {
  // expected-error @below {{head counts of query and result disagree: 4 and 5}}
  %o = helios.attention %q, %k, %v
      : (tensor<2x4x8x16xf16>, tensor<2x4x32x16xf16>, tensor<2x4x32x64xf16>) -> tensor<2x5x8x64xf16> acc f32
  helios.return %o : tensor<2x5x8x64xf16>
}

// -----

helios.kernel @k(%q: tensor<2x4x8x16xf16>, %k: tensor<2x4x32x16xf16>, %v: tensor<2x4x32x64xf16>) -> tensor<2x4x9x64xf16> {
  // expected-error @below {{sequence extents of query and result disagree: 8 and 9}}
  %o = helios.attention %q, %k, %v
      : (tensor<2x4x8x16xf16>, tensor<2x4x32x16xf16>, tensor<2x4x32x64xf16>) -> tensor<2x4x9x64xf16> acc f32
  helios.return %o : tensor<2x4x9x64xf16>
}

// -----

helios.kernel @k(%q: tensor<2x4x8x16xf16>, %k: tensor<2x4x32x16xf16>, %v: tensor<2x4x32x64xf16>) -> tensor<2x4x8x65xf16> {
  // expected-error @below {{depths of value and result disagree: 64 and 65}}
  %o = helios.attention %q, %k, %v
      : (tensor<2x4x8x16xf16>, tensor<2x4x32x16xf16>, tensor<2x4x32x64xf16>) -> tensor<2x4x8x65xf16> acc f32
  helios.return %o : tensor<2x4x8x65xf16>
}

// -----

helios.kernel @k(%q: tensor<2x4x8x16xf16>, %k: tensor<2x3x8x16xf16>, %v: tensor<2x3x8x16xf16>) -> tensor<2x4x8x16xf16> {
  // expected-error @below {{number of query heads must be a multiple of the number of key heads, got 4 and 3}}
  %o = helios.attention %q, %k, %v
      : (tensor<2x4x8x16xf16>, tensor<2x3x8x16xf16>, tensor<2x3x8x16xf16>) -> tensor<2x4x8x16xf16> acc f32
  helios.return %o : tensor<2x4x8x16xf16>
}

// -----

helios.kernel @k(%q: tensor<?x?x?x?xf16>, %k: tensor<?x?x?x?xf16>, %v: tensor<?x?x?x?xf16>) -> (tensor<?x?x?x?xf16>, tensor<?x?xf32>) {
  // expected-error @below {{lse must be a tensor of f32 with three dimensions (batch, heads, sequence), got 'tensor<?x?xf32>'}}
  %o, %l = helios.attention %q, %k, %v
      : (tensor<?x?x?x?xf16>, tensor<?x?x?x?xf16>, tensor<?x?x?x?xf16>) -> tensor<?x?x?x?xf16> lse tensor<?x?xf32> acc f32
  helios.return %o, %l : tensor<?x?x?x?xf16>, tensor<?x?xf32>
}

// -----

helios.kernel @k(%q: tensor<2x4x8x16xf16>, %k: tensor<2x4x8x16xf16>, %v: tensor<2x4x8x16xf16>) -> (tensor<2x4x8x16xf16>, tensor<2x4x9xf32>) {
  // expected-error @below {{lse dimension 2 must be 8, got 9}}
  %o, %l = helios.attention %q, %k, %v
      : (tensor<2x4x8x16xf16>, tensor<2x4x8x16xf16>, tensor<2x4x8x16xf16>) -> tensor<2x4x8x16xf16> lse tensor<2x4x9xf32> acc f32
  helios.return %o, %l : tensor<2x4x8x16xf16>, tensor<2x4x9xf32>
}

// -----

helios.kernel @k(%q: tensor<?x?x?x?xf16>, %k: tensor<?x?x?x?xf16>, %v: tensor<?x?x?x?xf16>) -> tensor<?x?x?x?xf16> {
  // expected-error @below {{score region must have 5 arguments, got 1}}
  %o = helios.attention %q, %k, %v
      : (tensor<?x?x?x?xf16>, tensor<?x?x?x?xf16>, tensor<?x?x?x?xf16>) -> tensor<?x?x?x?xf16> acc f32 score {
  ^bb0(%s: f32):
    helios.yield %s : f32
  }
  helios.return %o : tensor<?x?x?x?xf16>
}

// -----

helios.kernel @k(%q: tensor<?x?x?x?xf16>, %k: tensor<?x?x?x?xf16>, %v: tensor<?x?x?x?xf16>) -> tensor<?x?x?x?xf16> {
  // expected-error @below {{mask region must yield 'i1', got 'index'}}
  %o = helios.attention %q, %k, %v
      : (tensor<?x?x?x?xf16>, tensor<?x?x?x?xf16>, tensor<?x?x?x?xf16>) -> tensor<?x?x?x?xf16> acc f32 mask {
  ^bb0(%b: index, %h: index, %i: index, %j: index):
    helios.yield %b : index
  }
  helios.return %o : tensor<?x?x?x?xf16>
}

// -----

helios.kernel @fused(%q: tensor<?x?x?x64xf16>, %bias: tensor<?x?xf32>) -> tensor<?x?x?x64xf16> {
  // expected-error @below {{has 1 fused operands but no score or mask region that uses them}}
  %o = helios.attention %q, %q, %q fused(%bias : tensor<?x?xf32>)
      : (tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>) -> tensor<?x?x?x64xf16> acc f32
  helios.return %o : tensor<?x?x?x64xf16>
}

// -----

helios.kernel @broadcast(%q: tensor<?x4x?x64xf16>, %bias: tensor<3x1x1xf32>) -> tensor<?x4x?x64xf16> {
  // expected-error @below {{fused operand 0 does not broadcast to the scores: dimension 0 is 3, expected 1 or 4}}
  %o = helios.attention %q, %q, %q fused(%bias : tensor<3x1x1xf32>)
      : (tensor<?x4x?x64xf16>, tensor<?x4x?x64xf16>, tensor<?x4x?x64xf16>) -> tensor<?x4x?x64xf16> acc f32 score {
  ^bb0(%s: f32, %c: f32, %b: index, %h: index, %i: index, %j: index):
    helios.yield %s : f32
  }
  helios.return %o : tensor<?x4x?x64xf16>
}
