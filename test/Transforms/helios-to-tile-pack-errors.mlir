// RUN: helios-opt --helios-to-tile --split-input-file --verify-diagnostics %s

#packing = #helios.packing<rhs, mma = [8, 8, 8], acc = f32, multiple = [32, 64], lanes = 8, elements = 8>

// Nothing but the packed operand has the extent of an intermediate result.
helios.kernel @chain(%a: tensor<?x?xf16>, %w: tensor<?x?x?x?xf16>, %v: tensor<?x?xf16>) -> tensor<?x?xf16>
    attributes {target = #spv.target<"lavapipe">, schedule = #helios.schedule<tile = [16, 32, 16], groups = [1, 2], mma = [8, 8, 8]>} {
  %b = helios.unpack #packing, %w : tensor<?x?x?x?xf16> -> tensor<?x?xf16>
  // expected-error @below {{is not lowered: only its packed operand has the extent of dimension 1 of its result, which another product reads; make that extent static}}
  %c = helios.matmul %a, %b : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
  %d = helios.matmul %c, %v : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
  helios.return %d : tensor<?x?xf16>
}

// -----

#packing = #helios.packing<lhs, mma = [8, 8, 8], acc = f32, multiple = [32, 64], lanes = 8, elements = 8>
helios.kernel @side(%a: tensor<?x?xf16>, %w: tensor<?x?x?x?xf16>) -> tensor<?x?xf16>
    attributes {target = #spv.target<"lavapipe">, schedule = #helios.schedule<tile = [16, 32, 16], groups = [1, 2], mma = [8, 8, 8]>} {
  // expected-error @below {{is not lowered: expected a product that takes it as its left operand}}
  %b = helios.unpack #packing, %w : tensor<?x?x?x?xf16> -> tensor<?x?xf16>
  %d = helios.matmul %a, %b : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
  helios.return %d : tensor<?x?xf16>
}

// -----

#packing = #helios.packing<rhs, mma = [16, 16, 16], acc = f32, multiple = [32, 64], lanes = 32, elements = 8>
helios.kernel @target(%a: tensor<?x?xf16>, %w: tensor<?x?x?x?xf16>) -> tensor<?x?xf16>
    attributes {target = #spv.target<"lavapipe">, schedule = #helios.schedule<tile = [16, 32, 16], groups = [1, 2]>} {
  // expected-error @below {{is not lowered: the target has no instruction for #helios.packing<rhs, mma = [16, 16, 16], acc = f32, multiple = [32, 64], lanes = 32, elements = 8>}}
  %b = helios.unpack #packing, %w : tensor<?x?x?x?xf16> -> tensor<?x?xf16>
  %d = helios.matmul %a, %b : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
  helios.return %d : tensor<?x?xf16>
}

// -----

#packing = #helios.packing<rhs, mma = [8, 8, 8], acc = f32, multiple = [32, 48], lanes = 8, elements = 8>
helios.kernel @tiles(%a: tensor<?x?xf16>, %w: tensor<?x?x?x?xf16>) -> tensor<?x?xf16>
    attributes {target = #spv.target<"lavapipe">, schedule = #helios.schedule<tile = [16, 32, 16], groups = [1, 2], mma = [8, 8, 8]>} {
  // expected-error @below {{is not lowered: expected whole tiles and the instruction of #helios.schedule<tile = [16, 32, 16], groups = [1, 2], mma = [8, 8, 8]>, got #helios.packing<rhs, mma = [8, 8, 8], acc = f32, multiple = [32, 48], lanes = 8, elements = 8>}}
  %b = helios.unpack #packing, %w : tensor<?x?x?x?xf16> -> tensor<?x?xf16>
  %d = helios.matmul %a, %b : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
  helios.return %d : tensor<?x?xf16>
}
