// RUN: helios-opt --split-input-file --verify-diagnostics %s

// expected-error @below {{expected lanes that hold a matrix of 256 elements together, got 32 of 4}}
#packing = #helios.packing<rhs, mma = [16, 16, 16], acc = f32, multiple = [32, 64], lanes = 32, elements = 4>

// -----

// expected-error @below {{expected multiples of 16 and 8, the extents of a matrix, got 24 and 64}}
#packing = #helios.packing<rhs, mma = [16, 8, 16], acc = f32, multiple = [24, 64], lanes = 32, elements = 4>

// -----

// expected-error @below {{expected three positive extents in 'mma' and two in 'multiple', got 2 and 2}}
#packing = #helios.packing<rhs, mma = [16, 16], acc = f32, multiple = [32, 64], lanes = 32, elements = 8>

// -----

#packing = #helios.packing<rhs, mma = [16, 16, 16], acc = f32, multiple = [32, 64], lanes = 32, elements = 8>
helios.kernel @pack(%a: tensor<?x?xf16>) -> tensor<?x?x16x?xf16> {
  // expected-error @below {{expected extent 2 of the packed tensor to be 32, got 16}}
  %p = helios.pack #packing, %a : tensor<?x?xf16> -> tensor<?x?x16x?xf16>
  helios.return %p : tensor<?x?x16x?xf16>
}

// -----

#packing = #helios.packing<rhs, mma = [16, 16, 16], acc = f32, multiple = [32, 64], lanes = 32, elements = 8>
helios.kernel @unpack(%a: tensor<?x?xf16>, %p: tensor<?x?x?x?xf32>) -> tensor<?x?xf16> {
  // expected-error @below {{expected elements of one type, got 'f16' and 'f32'}}
  %b = helios.unpack #packing, %p : tensor<?x?x?x?xf32> -> tensor<?x?xf16>
  %d = helios.matmul %a, %b : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
  helios.return %d : tensor<?x?xf16>
}
