// RUN: helios-opt --split-input-file --verify-diagnostics %s

// expected-error @below {{argument 0 must have no encoding, got 'tensor<4x4xf16, 1 : i32>'; layouts are chosen below this level}}
helios.kernel @encoding(%a: tensor<4x4xf16, 1 : i32>) -> tensor<4x4xf16, 1 : i32> {
  helios.return %a : tensor<4x4xf16, 1 : i32>
}

// -----

// expected-error @below {{argument 0 must have elements of type f16, bf16, tf32, f32, f8E4M3FN, f8E5M2, i8 or i32, got 'tensor<?xf64>'}}
helios.kernel @element(%a: tensor<?xf64>) -> tensor<?xf64> {
  helios.return %a : tensor<?xf64>
}

// -----

// expected-error @below {{argument 1 must be a ranked tensor or a scalar of type index, i32, i64, f16, bf16 or f32, got 'i7'}}
helios.kernel @scalar(%a: tensor<?xf32>, %s: i7) -> tensor<?xf32> {
  helios.return %a : tensor<?xf32>
}

// -----

// expected-error @below {{argument 0 has static extents whose product exceeds 63 bits: 'tensor<4294967296x4294967296xf16>'}}
helios.kernel @overflow(%a: tensor<4294967296x4294967296xf16>) -> tensor<4294967296x4294967296xf16> {
  helios.return %a : tensor<4294967296x4294967296xf16>
}

// -----

// expected-error @below {{must have at least one result: a kernel returns what it computes}}
helios.kernel @nothing(%a: tensor<?xf32>) {
  helios.return
}

// -----

// expected-error @below {{result 0 must be a ranked tensor, got 'f32'}}
helios.kernel @scalar_result(%a: f32) -> f32 {
  helios.return %a : f32
}

// -----

// expected-error @below {{result 0 must have elements of type f16, bf16, tf32, f32, f8E4M3FN, f8E5M2, i8 or i32, got 'tensor<?xi1>'}}
helios.kernel @bits(%a: tensor<?xf32>) -> tensor<?xi1> {
  %c = arith.cmpf ogt, %a, %a : tensor<?xf32>
  helios.return %c : tensor<?xi1>
}

// -----

// expected-error @below {{must end in 'helios.return'}}
helios.kernel @unterminated(%a: tensor<?xf32>) -> tensor<?xf32> {
  ub.unreachable
}

// -----

helios.kernel @count(%a: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error @below {{must return 1 values, as '@count' declares, got 2}}
  helios.return %a, %a : tensor<?xf32>, tensor<?xf32>
}

// -----

helios.kernel @type(%a: tensor<?xf32>) -> tensor<4xf32> {
  // expected-error @below {{value 0 must be of type 'tensor<4xf32>', as '@type' declares, got 'tensor<?xf32>'}}
  helios.return %a : tensor<?xf32>
}

// -----

// expected-error @below {{argument 0 has the unknown attribute 'helios.nam'; the dialect knows 'helios.name', 'helios.constant' and 'helios.packed_by'}}
helios.kernel @attribute(%a: tensor<?xf32> {helios.nam = "a"}) -> tensor<?xf32> {
  helios.return %a : tensor<?xf32>
}

// -----

// expected-error @below {{'helios.name' of argument 0 must be a string that is not empty, got ""}}
helios.kernel @attribute(%a: tensor<?xf32> {helios.name = ""}) -> tensor<?xf32> {
  helios.return %a : tensor<?xf32>
}
