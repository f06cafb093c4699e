// RUN: helios-opt --helios-to-tile --split-input-file --verify-diagnostics %s

helios.kernel @attention(%q: tensor<?x?x?x?xf16>, %k: tensor<?x?x?x?xf16>, %v: tensor<?x?x?x?xf16>) -> tensor<?x?x?x?xf16>
    attributes {schedule = #helios.schedule<>} {
  // expected-error @below {{is not lowered: the depth of query must be static and a multiple of 8 up to 256, got ?}}
  %o = helios.attention %q, %k, %v : (tensor<?x?x?x?xf16>, tensor<?x?x?x?xf16>, tensor<?x?x?x?xf16>) -> tensor<?x?x?x?xf16> acc f32
  helios.return %o : tensor<?x?x?x?xf16>
}

// -----

helios.kernel @depth(%q: tensor<?x?x?x64xf16>, %k: tensor<?x?x?x64xf16>, %v: tensor<?x?x?x36xf16>) -> tensor<?x?x?x36xf16>
    attributes {schedule = #helios.schedule<>} {
  // expected-error @below {{is not lowered: the depth of value must be static and a multiple of 8 up to 256, got 36}}
  %o = helios.attention %q, %k, %v : (tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>, tensor<?x?x?x36xf16>) -> tensor<?x?x?x36xf16> acc f32
  helios.return %o : tensor<?x?x?x36xf16>
}

// -----

helios.kernel @beside(%q: tensor<?x?x?x64xf16>, %a: tensor<?x?xf16>) -> (tensor<?x?x?x64xf16>, tensor<?x?xf16>)
    attributes {schedule = #helios.schedule<>} {
  // expected-error @below {{is not lowered beside another product; give it a kernel of its own}}
  %o = helios.attention %q, %q, %q : (tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>) -> tensor<?x?x?x64xf16> acc f32
  %d = helios.matmul %a, %a : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
  helios.return %o, %d : tensor<?x?x?x64xf16>, tensor<?x?xf16>
}

// -----

// expected-error @below {{has no schedule; run helios-select-schedule or write one as 'schedule = #helios.schedule<...>'}}
helios.kernel @schedule(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> tensor<?x?xf16> {
  %d = helios.matmul %a, %b : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
  helios.return %d : tensor<?x?xf16>
}

// -----

// expected-error @below {{is not lowered: it holds no product}}
helios.kernel @nothing(%a: tensor<?x?xf16>) -> tensor<?x?xf16> attributes {schedule = #helios.schedule<>} {
  helios.return %a : tensor<?x?xf16>
}

// -----

helios.kernel @unfused(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>) -> tensor<?x?xf32> attributes {schedule = #helios.schedule<>} {
  %d = helios.matmul %a, %b : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32> acc f32
  // expected-error @below {{is not lowered: a kernel may hold products, and element-wise code that helios-fuse moves into one; run helios-fuse}}
  %e = math.tanh %d : tensor<?x?xf32>
  helios.return %e : tensor<?x?xf32>
}

// -----

helios.kernel @argument(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>) -> (tensor<?x?xf32>, tensor<?x?xf32>)
    attributes {schedule = #helios.schedule<>} {
  %d = helios.matmul %a, %b : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32> acc f32
  // expected-error @below {{value 1 is not lowered: it is no result of a product}}
  helios.return %d, %a : tensor<?x?xf32>, tensor<?x?xf32>
}

// -----

helios.kernel @twice(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>) -> (tensor<?x?xf32>, tensor<?x?xf32>)
    attributes {schedule = #helios.schedule<>} {
  %d = helios.matmul %a, %b : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32> acc f32
  // expected-error @below {{value 1 is not lowered: it is returned twice}}
  helios.return %d, %d : tensor<?x?xf32>, tensor<?x?xf32>
}

// -----

helios.kernel @reshape(%a: tensor<64xf32>, %b: tensor<8x8xf32>) -> tensor<8x8xf32> attributes {schedule = #helios.schedule<>} {
  %m = tensor.expand_shape %a [[0, 1]] output_shape [8, 8] : tensor<64xf32> into tensor<8x8xf32>
  // expected-error @below {{is not lowered: an operand is neither an argument nor a product's result, seen with dimensions of extent one added}}
  %d = helios.matmul %m, %b : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32> acc f32
  helios.return %d : tensor<8x8xf32>
}

// -----

helios.kernel @scalar(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %n: index) -> tensor<?x?xf32> attributes {schedule = #helios.schedule<>} {
  // expected-error @below {{this scalar is not lowered: the launch plan cannot compute it}}
  %e = tensor.dim %a, %n : tensor<?x?xf32>
  %d = helios.matmul %a, %b : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32> acc f32 {
  ^bb0(%x: f32):
    %i = arith.index_cast %e : index to i32
    %s = arith.sitofp %i : i32 to f32
    %y = arith.divf %x, %s : f32
    helios.yield %y : f32
  }
  helios.return %d : tensor<?x?xf32>
}

// -----

// expected-error @below {{is not lowered: its static extents exceed 31 bits, or the offsets of its elements 31}}
helios.kernel @huge(%a: tensor<4294967296x1xf16>, %b: tensor<1x8xf16>) -> tensor<4294967296x8xf16>
    attributes {schedule = #helios.schedule<>} {
  %d = helios.matmul %a, %b : (tensor<4294967296x1xf16>, tensor<1x8xf16>) -> tensor<4294967296x8xf16> acc f32
  helios.return %d : tensor<4294967296x8xf16>
}

// -----

// expected-error @below {{needs the name '@k_full' for a program, but another symbol has it}}
helios.kernel @k(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> tensor<?x?xf16> attributes {schedule = #helios.schedule<>} {
  %d = helios.matmul %a, %b : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
  helios.return %d : tensor<?x?xf16>
}
tile.program @k_full() {
  tile.return
}
