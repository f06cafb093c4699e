// RUN: helios-opt --split-input-file --verify-diagnostics %s

helios.kernel @k(%a: tensor<?xf16>, %b: tensor<?x?xf16>) -> tensor<?x?xf16> {
  // expected-error @below {{operands must have at least two dimensions, got 'tensor<?xf16>' and 'tensor<?x?xf16>'}}
  %d = helios.matmul %a, %b : (tensor<?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
  helios.return %d : tensor<?x?xf16>
}

// -----

helios.kernel @k(%a: tensor<16x64xf16>, %b: tensor<32x64xf16>) -> tensor<16x64xf16> {
  // expected-error @below {{contracted extents disagree: lhs dimension 1 is 64, rhs dimension 0 is 32; transpose_a and transpose_b say which dimension is contracted}}
  %d = helios.matmul %a, %b : (tensor<16x64xf16>, tensor<32x64xf16>) -> tensor<16x64xf16> acc f32
  helios.return %d : tensor<16x64xf16>
}

// -----

helios.kernel @k(%a: tensor<16x64xf16>, %b: tensor<32x64xf16>) -> tensor<64x32xf16> {
  // expected-error @below {{contracted extents disagree: lhs dimension 0 is 16, rhs dimension 1 is 64}}
  %d = helios.matmul %a, %b {transpose_a, transpose_b} : (tensor<16x64xf16>, tensor<32x64xf16>) -> tensor<64x32xf16> acc f32
  helios.return %d : tensor<64x32xf16>
}

// -----

helios.kernel @k(%a: tensor<3x8x8xf16>, %b: tensor<2x8x8xf16>) -> tensor<3x8x8xf16> {
  // expected-error @below {{batch extents disagree: lhs dimension 0 is 3, rhs dimension 0 is 2; they must be equal, or one of them 1 or absent}}
  %d = helios.matmul %a, %b : (tensor<3x8x8xf16>, tensor<2x8x8xf16>) -> tensor<3x8x8xf16> acc f32
  helios.return %d : tensor<3x8x8xf16>
}

// -----

helios.kernel @k(%a: tensor<3x8x8xf16>, %b: tensor<8x8xf16>) -> tensor<8x8xf16> {
  // expected-error @below {{result must have 3 dimensions, got 'tensor<8x8xf16>'}}
  %d = helios.matmul %a, %b : (tensor<3x8x8xf16>, tensor<8x8xf16>) -> tensor<8x8xf16> acc f32
  helios.return %d : tensor<8x8xf16>
}

// -----

helios.kernel @k(%a: tensor<8x4xf16>, %b: tensor<4x16xf16>) -> tensor<8x8xf16> {
  // expected-error @below {{result dimension 1 must be 16, got 8}}
  %d = helios.matmul %a, %b : (tensor<8x4xf16>, tensor<4x16xf16>) -> tensor<8x8xf16> acc f32
  helios.return %d : tensor<8x8xf16>
}

// -----

helios.kernel @k(%a: tensor<3x8x8xf16>, %b: tensor<1x8x8xf16>) -> tensor<1x8x8xf16> {
  // expected-error @below {{result dimension 0 must be 3, got 1}}
  %d = helios.matmul %a, %b : (tensor<3x8x8xf16>, tensor<1x8x8xf16>) -> tensor<1x8x8xf16> acc f32
  helios.return %d : tensor<1x8x8xf16>
}

// -----

helios.kernel @k(%a: tensor<?x?xf16>, %b: tensor<?x?xbf16>) -> tensor<?x?xf16> {
  // expected-error @below {{cannot accumulate 'f16' times 'bf16' in 'f32'; expected f16 in f32 or f16, bf16 in f32, f32 or tf32 in f32, or i8 in i32, operands alike, or f8E4M3FN and f8E5M2 in f32}}
  %d = helios.matmul %a, %b : (tensor<?x?xf16>, tensor<?x?xbf16>) -> tensor<?x?xf16> acc f32
  helios.return %d : tensor<?x?xf16>
}

// -----

helios.kernel @k(%a: tensor<?x?xf8E4M3FN>, %b: tensor<?x?xf8E5M2>) -> tensor<?x?xf16> {
  // expected-error @below {{cannot accumulate 'f8E4M3FN' times 'f8E5M2' in 'f16'}}
  %d = helios.matmul %a, %b : (tensor<?x?xf8E4M3FN>, tensor<?x?xf8E5M2>) -> tensor<?x?xf16> acc f16
  helios.return %d : tensor<?x?xf16>
}

// -----

helios.kernel @k(%a: tensor<?x?xf8E4M3FN>, %b: tensor<?x?xf16>) -> tensor<?x?xf16> {
  // expected-error @below {{cannot accumulate 'f8E4M3FN' times 'f16' in 'f32'}}
  %d = helios.matmul %a, %b : (tensor<?x?xf8E4M3FN>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
  helios.return %d : tensor<?x?xf16>
}

// -----

helios.kernel @k(%a: tensor<?x?xf8E4M3FN>, %b: tensor<?x?xf8E4M3FN>) -> tensor<?x?xf8E4M3FN> {
  // expected-error @below {{result must not have elements of type 'f8E4M3FN', which only products multiply; use f16, got 'tensor<?x?xf8E4M3FN>'}}
  %d = helios.matmul %a, %b : (tensor<?x?xf8E4M3FN>, tensor<?x?xf8E4M3FN>) -> tensor<?x?xf8E4M3FN> acc f32
  helios.return %d : tensor<?x?xf8E4M3FN>
}

// -----

helios.kernel @k(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> tensor<?x?xf16> {
  // expected-error @below {{has 'fast_accumulation', which products of floats of 8 bits have a choice of; leave it out for 'f16'}}
  %d = helios.matmul %a, %b {fast_accumulation} : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
  helios.return %d : tensor<?x?xf16>
}

// -----

helios.kernel @k(%a: tensor<?x?xtf32>, %b: tensor<?x?xtf32>) -> tensor<?x?xtf32> {
  // expected-error @below {{result must not have elements of type 'tf32', which only products multiply; use f32, got 'tensor<?x?xtf32>'}}
  %d = helios.matmul %a, %b : (tensor<?x?xtf32>, tensor<?x?xtf32>) -> tensor<?x?xtf32> acc f32
  helios.return %d : tensor<?x?xtf32>
}

// -----

helios.kernel @k(%a: tensor<?x?xtf32>, %b: tensor<?x?xtf32>, %c: tensor<?xtf32>) -> tensor<?x?xf32> {
  // expected-error @below {{fused operand 0 must not have elements of type 'tf32', which only products multiply; use f32, got 'tensor<?xtf32>'}}
  %d = helios.matmul %a, %b fused(%c : tensor<?xtf32>) : (tensor<?x?xtf32>, tensor<?x?xtf32>) -> tensor<?x?xf32> acc f32 {
  ^bb0(%x: f32, %e: tf32):
    helios.yield %x : f32
  }
  helios.return %d : tensor<?x?xf32>
}

// -----

helios.kernel @k(%a: tensor<?x?xbf16>, %b: tensor<?x?xbf16>) -> tensor<?x?xbf16> {
  // expected-error @below {{cannot accumulate 'bf16' times 'bf16' in 'bf16'}}
  %d = helios.matmul %a, %b : (tensor<?x?xbf16>, tensor<?x?xbf16>) -> tensor<?x?xbf16> acc bf16
  helios.return %d : tensor<?x?xbf16>
}

// -----

helios.kernel @k(%a: tensor<?x?xi8>, %b: tensor<?x?xi8>) -> tensor<?x?xf32> {
  // expected-error @below {{cannot accumulate 'i8' times 'i8' in 'f32'}}
  %d = helios.matmul %a, %b : (tensor<?x?xi8>, tensor<?x?xi8>) -> tensor<?x?xf32> acc f32
  helios.return %d : tensor<?x?xf32>
}

// -----

helios.kernel @k(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %f0: tensor<?xf16>) -> tensor<?x?xf16> {
  // expected-error @below {{has 1 fused operands but no epilogue region that uses them}}
  %d = helios.matmul %a, %b fused(%f0 : tensor<?xf16>) : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
  helios.return %d : tensor<?x?xf16>
}

// -----

helios.kernel @k(%a: tensor<?x?xi8>, %b: tensor<?x?xi8>) -> tensor<?x?xi8> {
  // expected-error @below {{needs an epilogue region that says how the accumulator of type 'i32' becomes an element of type 'i8'}}
  %d = helios.matmul %a, %b : (tensor<?x?xi8>, tensor<?x?xi8>) -> tensor<?x?xi8> acc i32
  helios.return %d : tensor<?x?xi8>
}

// -----

helios.kernel @k(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %f0: tensor<?x?x?xf16>) -> tensor<?x?xf16> {
  // expected-error @below {{fused operand 0 must have at most the result's 2 dimensions, got 'tensor<?x?x?xf16>'}}
  %d = helios.matmul %a, %b fused(%f0 : tensor<?x?x?xf16>) : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32 {
  ^bb0(%x: f32, %c: f16):
    helios.yield %c : f16
  }
  helios.return %d : tensor<?x?xf16>
}

// -----

helios.kernel @k(%a: tensor<16x16xf16>, %b: tensor<16x16xf16>, %f0: tensor<8xf16>) -> tensor<16x16xf16> {
  // expected-error @below {{fused operand 0 does not broadcast to the result: dimension 0 is 8, expected 1 or 16}}
  %d = helios.matmul %a, %b fused(%f0 : tensor<8xf16>) : (tensor<16x16xf16>, tensor<16x16xf16>) -> tensor<16x16xf16> acc f32 {
  ^bb0(%x: f32, %c: f16):
    helios.yield %c : f16
  }
  helios.return %d : tensor<16x16xf16>
}

// -----

helios.kernel @k(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %f0: tensor<?xf16>) -> tensor<?x?xf16> {
  // expected-error @below {{epilogue region must have 2 or, with indices, 4 arguments, got 1}}
  %d = helios.matmul %a, %b fused(%f0 : tensor<?xf16>) : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32 {
  ^bb0(%x: f32):
    %y = arith.truncf %x : f32 to f16
    helios.yield %y : f16
  }
  helios.return %d : tensor<?x?xf16>
}

// -----

helios.kernel @k(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> tensor<?x?xf16> {
  // expected-error @below {{epilogue region's argument 0 must be of type 'f32', got 'f16'}}
  %d = helios.matmul %a, %b : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32 {
  ^bb0(%x: f16):
    helios.yield %x : f16
  }
  helios.return %d : tensor<?x?xf16>
}

// -----

helios.kernel @k(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> tensor<?x?xf32> {
  // expected-error @below {{epilogue region's argument 2 must be of type 'index', got 'i32'}}
  %d = helios.matmul %a, %b : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf32> acc f32 {
  ^bb0(%x: f32, %i: index, %j: i32):
    helios.yield %x : f32
  }
  helios.return %d : tensor<?x?xf32>
}

// -----

helios.kernel @k(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> tensor<?x?xf16> {
  // expected-error @below {{epilogue region must yield 'f16', got 'f32'}}
  %d = helios.matmul %a, %b : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32 {
  ^bb0(%x: f32):
    helios.yield %x : f32
  }
  helios.return %d : tensor<?x?xf16>
}

// -----

helios.kernel @k(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> tensor<?x?xf16> {
  // expected-error @below {{epilogue region must end in 'helios.yield'}}
  %d = helios.matmul %a, %b : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32 {
  ^bb0(%x: f32):
    ub.unreachable
  }
  helios.return %d : tensor<?x?xf16>
}

// -----

helios.kernel @k(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> tensor<?x?xf16> {
  // expected-error @below {{epilogue region must have one block, got 2}}
  %d = helios.matmul %a, %b : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32 {
  ^bb0(%x: f32):
    %y = arith.truncf %x : f32 to f16
    helios.yield %y : f16
  ^bb1:
    %z = arith.constant 0.0 : f16
    helios.yield %z : f16
  }
  helios.return %d : tensor<?x?xf16>
}

// -----

helios.kernel @k(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> tensor<?x?xf16> {
  // expected-error @below {{epilogue region may hold only scalar operations without effects and regions}}
  %d = helios.matmul %a, %b : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32 {
  ^bb0(%x: f32):
    %c0 = arith.constant 0 : index
    // expected-note @below {{this operation is 'tensor.dim'}}
    %m = tensor.dim %a, %c0 : tensor<?x?xf16>
    %y = arith.truncf %x : f32 to f16
    helios.yield %y : f16
  }
  helios.return %d : tensor<?x?xf16>
}

// -----

helios.kernel @k(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> tensor<?x?xf16> {
  // expected-error @below {{epilogue region may hold only scalar operations without effects and regions}}
  %d = helios.matmul %a, %b : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32 {
  ^bb0(%x: f32):
    %c = arith.constant true
    // expected-note @below {{this operation is 'scf.if'}}
    %w = scf.if %c -> f32 {
      scf.yield %x : f32
    } else {
      scf.yield %x : f32
    }
    %y = arith.truncf %w : f32 to f16
    helios.yield %y : f16
  }
  helios.return %d : tensor<?x?xf16>
}

// -----

helios.kernel @k(%a: tensor<?x?xf16>, %s: f32) -> tensor<?x?xf16> {
  // expected-error @below {{expects parent op to be one of 'helios.matmul, helios.attention'}}
  helios.yield %s : f32
}

// -----

// A pair has the type of the other right operand.
helios.kernel @k(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %c: tensor<?x8xf16>) -> tensor<?x?xf32> {
  // expected-error @below {{expected a pair of the type of rhs, 'tensor<?x?xf16>', got 'tensor<?x8xf16>'}}
  %d = helios.matmul %a, %b pair(%c : tensor<?x8xf16>) : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf32> acc f32 {
  ^bb0(%x: f32, %y: f32):
    %z = arith.addf %x, %y : f32
    helios.yield %z : f32
  }
  helios.return %d : tensor<?x?xf32>
}

// -----

helios.kernel @k(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %c: tensor<?x?xf16>) -> tensor<?x?xf32> {
  // expected-error @below {{expected an epilogue region that makes one element of the pair's two sums, got none}}
  %d = helios.matmul %a, %b pair(%c : tensor<?x?xf16>) : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf32> acc f32
  helios.return %d : tensor<?x?xf32>
}

// -----

helios.kernel @k(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %c: tensor<?x?xf16>) -> tensor<?x?xf32> {
  // expected-error @below {{epilogue region must have 2 or, with indices, 4 arguments, got 1}}
  %d = helios.matmul %a, %b pair(%c : tensor<?x?xf16>) : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf32> acc f32 {
  ^bb0(%x: f32):
    helios.yield %x : f32
  }
  helios.return %d : tensor<?x?xf32>
}

// -----

helios.kernel @k(%a: tensor<?x?xf16>, %w: tensor<?x?xi8>, %s: tensor<?x?xf16>) -> tensor<?x?xf16> {
  // expected-error @below {{expected a prologue region that uses the operands after 'prologue', got none}}
  %d = helios.matmul %a, %w prologue(%s : tensor<?x?xf16>) : (tensor<?x?xf16>, tensor<?x?xi8>) -> tensor<?x?xf16> acc f32
  helios.return %d : tensor<?x?xf16>
}

// -----

helios.kernel @k(%a: tensor<?x?xf16>, %w: tensor<?x?xf16>) -> tensor<?x?xf16> {
  // expected-error @below {{expected a prologue region that uses 'group', got none}}
  %d = helios.matmul %a, %w {group = 128 : i64} : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
  helios.return %d : tensor<?x?xf16>
}

// -----

// What a prologue reads beside the pair is as many operands as beside rhs, of the same types.
helios.kernel @operands_of_pair(%a: tensor<?x?xf16>, %w: tensor<?x?xi8>, %s: tensor<?x?xf16>) -> tensor<?x?xf16> {
  // expected-error @below {{expected as many operands after 'prologue' for the pair as for rhs, got 1 of both}}
  %d = helios.matmul %a, %w pair(%w : tensor<?x?xi8>) prologue(%s : tensor<?x?xf16>) : (tensor<?x?xf16>, tensor<?x?xi8>) -> tensor<?x?xf16> acc f32 prologue {
  ^bb0(%x: i8, %t: f16):
    %y = arith.sitofp %x : i8 to f16
    %z = arith.mulf %y, %t : f16
    helios.yield %z : f16
  } {
  ^bb0(%x: f32, %y: f32):
    %p = arith.mulf %x, %y : f32
    %z = arith.truncf %p : f32 to f16
    helios.yield %z : f16
  }
  helios.return %d : tensor<?x?xf16>
}

// -----

helios.kernel @types_of_pair(%a: tensor<?x?xf16>, %w: tensor<?x?xi8>, %s: tensor<?x?xf16>, %t: tensor<1x?xf16>) -> tensor<?x?xf16> {
  // expected-error @below {{expected operands after 'prologue' of the same types for the pair as for rhs, 'tensor<?x?xf16>', got 'tensor<1x?xf16>'}}
  %d = helios.matmul %a, %w pair(%w : tensor<?x?xi8>) prologue(%s, %t : tensor<?x?xf16>, tensor<1x?xf16>) : (tensor<?x?xf16>, tensor<?x?xi8>) -> tensor<?x?xf16> acc f32 prologue {
  ^bb0(%x: i8, %u: f16):
    %y = arith.sitofp %x : i8 to f16
    %z = arith.mulf %y, %u : f16
    helios.yield %z : f16
  } {
  ^bb0(%x: f32, %y: f32):
    %p = arith.mulf %x, %y : f32
    %z = arith.truncf %p : f32 to f16
    helios.yield %z : f16
  }
  helios.return %d : tensor<?x?xf16>
}

// -----

helios.kernel @k(%a: tensor<?x200xf16>, %w: tensor<200x?xi8>, %s: tensor<?x?xf16>) -> tensor<?x?xf16> {
  // expected-error @below {{expected K to be a multiple of the group, 128, got 200}}
  %d = helios.matmul %a, %w prologue(%s : tensor<?x?xf16>) {group = 128 : i64} : (tensor<?x200xf16>, tensor<200x?xi8>) -> tensor<?x?xf16> acc f32 prologue {
  ^bb0(%x: i8, %t: f16):
    helios.yield %t : f16
  }
  helios.return %d : tensor<?x?xf16>
}

// -----

helios.kernel @k(%a: tensor<?x256xf16>, %w: tensor<?x256xi8>, %s: tensor<?x4xf16>) -> tensor<?x?xf16> {
  // expected-error @below {{captured operand 0 does not broadcast to the rhs in groups of 128: dimension 1 is 4, expected 1 or 2}}
  %d = helios.matmul %a, %w prologue(%s : tensor<?x4xf16>) {group = 128 : i64, transpose_b} : (tensor<?x256xf16>, tensor<?x256xi8>) -> tensor<?x?xf16> acc f32 prologue {
  ^bb0(%x: i8, %t: f16):
    helios.yield %t : f16
  }
  helios.return %d : tensor<?x?xf16>
}

// -----

helios.kernel @k(%a: tensor<?x?xf16>, %w: tensor<?x?xi8>, %s: tensor<?xf16>) -> tensor<?x?xf16> {
  // expected-error @below {{prologue region's argument 1 must be of type 'f16', got 'f32'}}
  %d = helios.matmul %a, %w prologue(%s : tensor<?xf16>) : (tensor<?x?xf16>, tensor<?x?xi8>) -> tensor<?x?xf16> acc f32 prologue {
  ^bb0(%x: i8, %t: f32):
    %y = arith.truncf %t : f32 to f16
    helios.yield %y : f16
  }
  helios.return %d : tensor<?x?xf16>
}

// -----

helios.kernel @k(%a: tensor<?x?xf16>, %w: tensor<?x?xi8>) -> tensor<?x?xf16> {
  // expected-error @below {{cannot accumulate 'f16' times 'f32' in 'f32'; expected f16 in f32 or f16}}
  %d = helios.matmul %a, %w : (tensor<?x?xf16>, tensor<?x?xi8>) -> tensor<?x?xf16> acc f32 prologue {
  ^bb0(%x: i8):
    %y = arith.sitofp %x : i8 to f32
    helios.yield %y : f32
  }
  helios.return %d : tensor<?x?xf16>
}

// -----

helios.kernel @k(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> tensor<?x?xf16> {
  // expected-error @below {{expected an epilogue region that yields an element of each of its 2 results, got none}}
  %d, %e = helios.matmul %a, %b : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16>, tensor<?x?xf16> acc f32
  helios.return %d : tensor<?x?xf16>
}

// -----

helios.kernel @k(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> tensor<?x?xf16> {
  // expected-error @below {{epilogue region must yield 'f16', 'f16', got 'f16', 'f32'}}
  %d, %e = helios.matmul %a, %b : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16>, tensor<?x?xf16> acc f32 {
  ^bb0(%x: f32):
    %z = arith.truncf %x : f32 to f16
    helios.yield %z, %x : f16, f32
  }
  helios.return %d : tensor<?x?xf16>
}

// -----

helios.kernel @k(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> tensor<?x?xf16> {
  // expected-error @below {{epilogue region must yield 'f16', 'f32', got 'f16'}}
  %d, %e = helios.matmul %a, %b : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16>, tensor<?x?xf32> acc f32 {
  ^bb0(%x: f32):
    %z = arith.truncf %x : f32 to f16
    helios.yield %z : f16
  }
  helios.return %d : tensor<?x?xf16>
}

// -----

helios.kernel @k(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> tensor<?x?xf16> {
  // expected-error @below {{epilogue region must yield 'f16', 'f32', got nothing}}
  %d, %e = helios.matmul %a, %b : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16>, tensor<?x?xf32> acc f32 {
  ^bb0(%x: f32):
    %z = arith.truncf %x : f32 to f16
    helios.yield
  }
  helios.return %d : tensor<?x?xf16>
}

// -----

helios.kernel @k(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> tensor<?x?xf16> {
  // expected-error @below {{result 1 must have 2 dimensions, got 'tensor<?xf32>'}}
  %d, %e = helios.matmul %a, %b : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16>, tensor<?xf32> acc f32 {
  ^bb0(%x: f32):
    %z = arith.truncf %x : f32 to f16
    helios.yield %z, %x : f16, f32
  }
  helios.return %d : tensor<?x?xf16>
}

// -----

helios.kernel @k(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> tensor<?x?xf16> {
  // expected-error @below {{result 1 must have the shape of 'tensor<?x?xf16>', got 'tensor<?x8xf32>'}}
  %d, %e = helios.matmul %a, %b : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16>, tensor<?x8xf32> acc f32 {
  ^bb0(%x: f32):
    %z = arith.truncf %x : f32 to f16
    helios.yield %z, %x : f16, f32
  }
  helios.return %d : tensor<?x?xf16>
}

// -----

helios.kernel @k(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> tensor<?x?xf16> {
  // expected-error @below {{result 1 must not have elements of type 'tf32', which only products multiply; use f32, got 'tensor<?x?xtf32>'}}
  %d, %e = helios.matmul %a, %b : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16>, tensor<?x?xtf32> acc f32 {
  ^bb0(%x: f32):
    %z = arith.truncf %x : f32 to f16
    helios.yield %z, %x : f16, f32
  }
  helios.return %d : tensor<?x?xf16>
}

// -----

helios.kernel @k(%a: tensor<?x?xf16>, %b: tensor<?x?x?xf16>, %ends: tensor<?xf32>) -> tensor<?x?xf16> {
  // expected-error @below {{expected the ends of groups as a vector of i32, got 'tensor<?xf32>'}}
  %d = helios.matmul %a, %b grouped(%ends : tensor<?xf32>) : (tensor<?x?xf16>, tensor<?x?x?xf16>) -> tensor<?x?xf16> acc f32
  helios.return %d : tensor<?x?xf16>
}

// -----

helios.kernel @k(%a: tensor<?x?xf16>, %b: tensor<?x?x?xf16>, %ends: tensor<?x1xi32>) -> tensor<?x?xf16> {
  // expected-error @below {{expected the ends of groups as a vector of i32, got 'tensor<?x1xi32>'}}
  %d = helios.matmul %a, %b grouped(%ends : tensor<?x1xi32>) : (tensor<?x?xf16>, tensor<?x?x?xf16>) -> tensor<?x?xf16> acc f32
  helios.return %d : tensor<?x?xf16>
}

// -----

helios.kernel @k(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %ends: tensor<?xi32>) -> tensor<?x?xf16> {
  // expected-error @below {{expected lhs of 2 dimensions and rhs of 3, whose first one is that of groups, got 'tensor<?x?xf16>' and 'tensor<?x?xf16>'}}
  %d = helios.matmul %a, %b grouped(%ends : tensor<?xi32>) : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
  helios.return %d : tensor<?x?xf16>
}

// -----

helios.kernel @k(%a: tensor<?x?xf16>, %b: tensor<8x?x?xf16>, %ends: tensor<9xi32>) -> tensor<?x?xf16> {
  // expected-error @below {{expected as many ends as rhs has groups, 8, got 9}}
  %d = helios.matmul %a, %b grouped(%ends : tensor<9xi32>) : (tensor<?x?xf16>, tensor<8x?x?xf16>) -> tensor<?x?xf16> acc f32
  helios.return %d : tensor<?x?xf16>
}

// -----

helios.kernel @k(%a: tensor<?x?xf16>, %b: tensor<?x?x?xf16>, %ends: tensor<?xi32>) -> tensor<?x?xf16> {
  // expected-error @below {{expected rows of lhs as groups have them, got 'transpose_a'}}
  %d = helios.matmul %a, %b grouped(%ends : tensor<?xi32>) {transpose_a} : (tensor<?x?xf16>, tensor<?x?x?xf16>) -> tensor<?x?xf16> acc f32
  helios.return %d : tensor<?x?xf16>
}

// -----

helios.kernel @k(%a: tensor<?x?xf16>, %b: tensor<?x?x?xf16>, %ends: tensor<?xi32>) -> (tensor<?x?xf16>, tensor<?x?xf32>) {
  // expected-error @below {{expected one result of a grouped product, got 2}}
  %d, %e = helios.matmul %a, %b grouped(%ends : tensor<?xi32>) : (tensor<?x?xf16>, tensor<?x?x?xf16>) -> tensor<?x?xf16>, tensor<?x?xf32> acc f32 {
  ^bb0(%x: f32):
    %y = arith.truncf %x : f32 to f16
    helios.yield %y, %x : f16, f32
  }
  helios.return %d, %e : tensor<?x?xf16>, tensor<?x?xf32>
}

// -----

helios.kernel @k(%a: tensor<?x?xf16>, %b: tensor<8x?x32xf16>, %ends: tensor<?xi32>, %c: tensor<4x1x32xf16>) -> tensor<?x32xf16> {
  // expected-error @below {{fused operand 0 does not broadcast to the groups of the result: dimension 0 is 4, expected 1 or 8}}
  %d = helios.matmul %a, %b grouped(%ends : tensor<?xi32>) fused(%c : tensor<4x1x32xf16>) : (tensor<?x?xf16>, tensor<8x?x32xf16>) -> tensor<?x32xf16> acc f32 {
  ^bb0(%x: f32, %e: f16):
    %y = arith.truncf %x : f32 to f16
    %z = arith.addf %y, %e : f16
    helios.yield %z : f16
  }
  helios.return %d : tensor<?x32xf16>
}

// -----

helios.kernel @k(%a: tensor<?x?xf8E4M3FN>, %b: tensor<?x?xf8E4M3FN>, %s: tensor<?x?xf32>, %t: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // expected-error @below {{expected 'scales' of its 'blocks', got none}}
  %d = helios.matmul %a, %b {blocks = array<i64: 1, 128, 128>} : (tensor<?x?xf8E4M3FN>, tensor<?x?xf8E4M3FN>) -> tensor<?x?xf32> acc f32
  helios.return %d : tensor<?x?xf32>
}

// -----

helios.kernel @k(%a: tensor<?x?xf8E4M3FN>, %b: tensor<?x?xf8E4M3FN>, %s: tensor<?x?xf32>, %t: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // expected-error @below {{expected two operands after 'scales', one of lhs and one of rhs, got 1}}
  %d = helios.matmul %a, %b scales(%s : tensor<?x?xf32>) {blocks = array<i64: 1, 128, 128>} : (tensor<?x?xf8E4M3FN>, tensor<?x?xf8E4M3FN>) -> tensor<?x?xf32> acc f32
  helios.return %d : tensor<?x?xf32>
}

// -----

helios.kernel @k(%a: tensor<?x?xf8E4M3FN>, %b: tensor<?x?xf8E4M3FN>, %s: tensor<?x?xf32>, %t: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // expected-error @below {{expected 'blocks' of which these are the scales, got none}}
  %d = helios.matmul %a, %b scales(%s, %t : tensor<?x?xf32>, tensor<?x?xf32>) {transpose_b} : (tensor<?x?xf8E4M3FN>, tensor<?x?xf8E4M3FN>) -> tensor<?x?xf32> acc f32
  helios.return %d : tensor<?x?xf32>
}

// -----

helios.kernel @k(%a: tensor<?x?xf8E4M3FN>, %b: tensor<?x?xf8E4M3FN>, %s: tensor<?x?xf32>, %t: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // expected-error @below {{expected 'blocks' of three positive extents, along m, n and k, got array<i64: 128, 128>}}
  %d = helios.matmul %a, %b scales(%s, %t : tensor<?x?xf32>, tensor<?x?xf32>) {blocks = array<i64: 128, 128>} : (tensor<?x?xf8E4M3FN>, tensor<?x?xf8E4M3FN>) -> tensor<?x?xf32> acc f32
  helios.return %d : tensor<?x?xf32>
}

// -----

helios.kernel @k(%a: tensor<?x?xf8E4M3FN>, %b: tensor<?x?xf8E4M3FN>, %s: tensor<?x?xf32>, %t: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // expected-error @below {{expected 'blocks' of three positive extents, along m, n and k, got array<i64: 1, 0, 128>}}
  %d = helios.matmul %a, %b scales(%s, %t : tensor<?x?xf32>, tensor<?x?xf32>) {blocks = array<i64: 1, 0, 128>} : (tensor<?x?xf8E4M3FN>, tensor<?x?xf8E4M3FN>) -> tensor<?x?xf32> acc f32
  helios.return %d : tensor<?x?xf32>
}

// -----

helios.kernel @k(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %s: tensor<?x?xf32>, %t: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // expected-error @below {{expected 'scales' of floats of 8 bits, got 'tensor<?x?xf16>'}}
  %d = helios.matmul %a, %b scales(%s, %t : tensor<?x?xf32>, tensor<?x?xf32>) {blocks = array<i64: 1, 128, 128>} : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf32> acc f32
  helios.return %d : tensor<?x?xf32>
}

// -----

helios.kernel @k(%a: tensor<?x?xf8E4M3FN>, %b: tensor<?x?xf8E4M3FN>, %s: tensor<?x?xf32>, %t: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // expected-error @below {{expected 'scales' or 'fast_accumulation', got both}}
  %d = helios.matmul %a, %b scales(%s, %t : tensor<?x?xf32>, tensor<?x?xf32>) {blocks = array<i64: 1, 128, 128>, fast_accumulation} : (tensor<?x?xf8E4M3FN>, tensor<?x?xf8E4M3FN>) -> tensor<?x?xf32> acc f32
  helios.return %d : tensor<?x?xf32>
}

// -----

helios.kernel @k(%a: tensor<?x?xf8E4M3FN>, %b: tensor<?x?xf8E4M3FN>, %s: tensor<?x?xf32>, %t: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // expected-error @below {{expected three operands after 'scales', one of lhs, one of rhs and one of the pair, got 2}}
  %d = helios.matmul %a, %b pair(%b : tensor<?x?xf8E4M3FN>) scales(%s, %t : tensor<?x?xf32>, tensor<?x?xf32>) {blocks = array<i64: 1, 128, 128>} : (tensor<?x?xf8E4M3FN>, tensor<?x?xf8E4M3FN>) -> tensor<?x?xf32> acc f32 {
  ^bb0(%x: f32, %y: f32):
    helios.yield %x : f32
  }
  helios.return %d : tensor<?x?xf32>
}

// -----

helios.kernel @k(%a: tensor<?x200xf8E4M3FN>, %b: tensor<200x?xf8E4M3FN>, %s: tensor<?x?xf32>, %t: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // expected-error @below {{expected K to be a multiple of the blocks' 128, got 200}}
  %d = helios.matmul %a, %b scales(%s, %t : tensor<?x?xf32>, tensor<?x?xf32>) {blocks = array<i64: 1, 128, 128>} : (tensor<?x200xf8E4M3FN>, tensor<200x?xf8E4M3FN>) -> tensor<?x?xf32> acc f32
  helios.return %d : tensor<?x?xf32>
}

// -----

helios.kernel @k(%a: tensor<?x?xf8E4M3FN>, %b: tensor<?x?xf8E4M3FN>, %s: tensor<?x?xf32>, %t: tensor<?x?xf16>) -> tensor<?x?xf32> {
  // expected-error @below {{expected scales of the accumulator's type, 'f32', got 'tensor<?x?xf16>'}}
  %d = helios.matmul %a, %b scales(%s, %t : tensor<?x?xf32>, tensor<?x?xf16>) {blocks = array<i64: 1, 128, 128>} : (tensor<?x?xf8E4M3FN>, tensor<?x?xf8E4M3FN>) -> tensor<?x?xf32> acc f32
  helios.return %d : tensor<?x?xf32>
}

// -----

helios.kernel @k(%a: tensor<?x?xf8E4M3FN>, %b: tensor<?x300xf8E4M3FN>, %s: tensor<?x?xf32>, %t: tensor<?x4xf32>) -> tensor<?x300xf32> {
  // expected-error @below {{scale operand 0 does not broadcast to the blocks of rhs: dimension 1 is 4, expected 1 or 3}}
  %d = helios.matmul %a, %b scales(%s, %t : tensor<?x?xf32>, tensor<?x4xf32>) {blocks = array<i64: 1, 128, 128>} : (tensor<?x?xf8E4M3FN>, tensor<?x300xf8E4M3FN>) -> tensor<?x300xf32> acc f32
  helios.return %d : tensor<?x300xf32>
}

// -----

helios.kernel @k(%a: tensor<?x?xf16>, %w: tensor<?x?xi8>) -> tensor<?x?xf16> {
  // expected-error @below {{expected 'group' to be a multiple of the 2 elements that the prologue yields, which lie apart by equal shares of a group, got none}}
  %d = helios.matmul %a, %w : (tensor<?x?xf16>, tensor<?x?xi8>) -> tensor<?x?xf16> acc f32 prologue {
  ^bb0(%x: i8):
    %y = arith.sitofp %x : i8 to f16
    helios.yield %y, %y : f16, f16
  }
  helios.return %d : tensor<?x?xf16>
}

// -----

helios.kernel @k(%a: tensor<?x?xf16>, %w: tensor<?x?xi8>) -> tensor<?x?xf16> {
  // expected-error @below {{expected 'group' to be a multiple of the 3 elements that the prologue yields, which lie apart by equal shares of a group, got 128}}
  %d = helios.matmul %a, %w {group = 128 : i64} : (tensor<?x?xf16>, tensor<?x?xi8>) -> tensor<?x?xf16> acc f32 prologue {
  ^bb0(%x: i8):
    %y = arith.sitofp %x : i8 to f16
    helios.yield %y, %y, %y : f16, f16, f16
  }
  helios.return %d : tensor<?x?xf16>
}

// -----

helios.kernel @k(%a: tensor<?x256xf16>, %w: tensor<?x256xi8>) -> tensor<?x?xf16> {
  // expected-error @below {{contracted extents disagree: lhs dimension 1 is 256, rhs dimension 1 is 256 of 2 elements each; transpose_a}}
  %d = helios.matmul %a, %w {group = 128 : i64, transpose_b} : (tensor<?x256xf16>, tensor<?x256xi8>) -> tensor<?x?xf16> acc f32 prologue {
  ^bb0(%x: i8):
    %y = arith.sitofp %x : i8 to f16
    helios.yield %y, %y : f16, f16
  }
  helios.return %d : tensor<?x?xf16>
}

// -----

helios.kernel @k(%a: tensor<?x?xf16>, %w: tensor<?x?xi8>) -> tensor<?x?xf16> {
  // expected-error @below {{prologue region must yield 'f16', 'f16', got 'f16', 'f32'}}
  %d = helios.matmul %a, %w {group = 128 : i64} : (tensor<?x?xf16>, tensor<?x?xi8>) -> tensor<?x?xf16> acc f32 prologue {
  ^bb0(%x: i8):
    %y = arith.sitofp %x : i8 to f16
    %z = arith.sitofp %x : i8 to f32
    helios.yield %y, %z : f16, f32
  }
  helios.return %d : tensor<?x?xf16>
}

// -----

helios.kernel @k(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %r: tensor<?x1xf32>) -> tensor<?x?xf16> {
  // expected-error @below {{expected a region that uses the operands after 'prologue_a', got none}}
  %d = helios.matmul %a, %b prologue_a(%r : tensor<?x1xf32>) : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
  helios.return %d : tensor<?x?xf16>
}

// -----

helios.kernel @k(%a: tensor<8x32xf16>, %b: tensor<32x?xf16>, %r: tensor<8xf32>) -> tensor<8x?xf16> {
  // expected-error @below {{captured operand 0 does not broadcast to the lhs: dimension 0 is 8, expected 1 or 32}}
  %d = helios.matmul %a, %b prologue_a(%r : tensor<8xf32>) : (tensor<8x32xf16>, tensor<32x?xf16>) -> tensor<8x?xf16> acc f32 prologue_a {
  ^bb0(%x: f16, %s: f32):
    helios.yield %x : f16
  }
  helios.return %d : tensor<8x?xf16>
}

// -----

helios.kernel @k(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %r: tensor<?x1xf32>) -> tensor<?x?xf16> {
  // expected-error @below {{prologue_a region's argument 1 must be of type 'f32', got 'f16'}}
  %d = helios.matmul %a, %b prologue_a(%r : tensor<?x1xf32>) : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32 prologue_a {
  ^bb0(%x: f16, %s: f16):
    helios.yield %x : f16
  }
  helios.return %d : tensor<?x?xf16>
}

// -----

helios.kernel @k(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> tensor<?x?xf16> {
  // expected-error @below {{cannot accumulate 'f32' times 'f16' in 'f32'; expected f16 in f32 or f16}}
  %d = helios.matmul %a, %b : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32 prologue_a {
  ^bb0(%x: f16):
    %y = arith.extf %x : f16 to f32
    helios.yield %y : f32
  }
  helios.return %d : tensor<?x?xf16>
}

// -----

helios.kernel @k(%a: tensor<?x?xf8E4M3FN>, %b: tensor<?x?xf8E4M3FN>, %s: tensor<?x?xf32>) -> tensor<?x?xf16> {
  // expected-error @below {{expected 'scales' or a prologue, got both}}
  %d = helios.matmul %a, %b scales(%s, %s : tensor<?x?xf32>, tensor<?x?xf32>) {blocks = array<i64: 1, 128, 128>} : (tensor<?x?xf8E4M3FN>, tensor<?x?xf8E4M3FN>) -> tensor<?x?xf16> acc f32 prologue_a {
  ^bb0(%x: f8E4M3FN):
    helios.yield %x : f8E4M3FN
  }
  helios.return %d : tensor<?x?xf16>
}

// -----

helios.kernel @k(%a: tensor<?x?xf8E4M3FN>, %b: tensor<?x?x?xf8E4M3FN>, %e: tensor<?xi32>, %s: tensor<?x?xf32>, %t: tensor<?x?x?xf32>) -> tensor<?x?xf32> {
  // expected-error @below {{expected 'blocks' of one row beside 'grouped', whose rows begin anywhere, got array<i64: 128, 128, 128>}}
  %d = helios.matmul %a, %b grouped(%e : tensor<?xi32>) scales(%s, %t : tensor<?x?xf32>, tensor<?x?x?xf32>) {blocks = array<i64: 128, 128, 128>}
      : (tensor<?x?xf8E4M3FN>, tensor<?x?x?xf8E4M3FN>) -> tensor<?x?xf32> acc f32
  helios.return %d : tensor<?x?xf32>
}

// -----

helios.kernel @k(%a: tensor<?x?xf8E4M3FN>, %b: tensor<?x?xf8E4M3FN>, %s: tensor<?x?xf32>) -> tensor<?x?xf16> {
  // A region that yields nothing is refused like any other, before it is looked into.
  // expected-error @below {{expected 'scales' or a prologue, got both}}
  %d = helios.matmul %a, %b scales(%s, %s : tensor<?x?xf32>, tensor<?x?xf32>) {blocks = array<i64: 1, 128, 128>} : (tensor<?x?xf8E4M3FN>, tensor<?x?xf8E4M3FN>) -> tensor<?x?xf16> acc f32 prologue_a {
  ^bb0(%x: f8E4M3FN):
    helios.yield
  }
  helios.return %d : tensor<?x?xf16>
}

// -----

helios.kernel @k(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> (tensor<?x?xf16>, tensor<?xf32>) {
  // expected-error @below {{expected a result for each of the 2 'reductions' behind the first one, got 2}}
  %d, %s = helios.matmul %a, %b {reductions = [#helios.reduction<add, n>, #helios.reduction<add, n>]} : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16>, tensor<?xf32> acc f32 {
  ^bb0(%x: f32):
    %y = arith.truncf %x : f32 to f16
    helios.yield %y, %x : f16, f32
  }
  helios.return %d, %s : tensor<?x?xf16>, tensor<?xf32>
}

// -----

helios.kernel @k(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> (tensor<?x?xf16>, tensor<?x?xf32>) {
  // expected-error @below {{result 1 must have 1 dimensions, got 'tensor<?x?xf32>'}}
  %d, %s = helios.matmul %a, %b {reductions = [#helios.reduction<add, n>]} : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16>, tensor<?x?xf32> acc f32 {
  ^bb0(%x: f32):
    %y = arith.truncf %x : f32 to f16
    helios.yield %y, %x : f16, f32
  }
  helios.return %d, %s : tensor<?x?xf16>, tensor<?x?xf32>
}

// -----

helios.kernel @k(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> (tensor<?x?xf16>, tensor<?xf16>) {
  // expected-error @below {{expected elements of f32 of what is combined by 'reductions', got 'tensor<?xf16>'}}
  %d, %s = helios.matmul %a, %b {reductions = [#helios.reduction<max, m>]} : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16>, tensor<?xf16> acc f32 {
  ^bb0(%x: f32):
    %y = arith.truncf %x : f32 to f16
    helios.yield %y, %y : f16, f16
  }
  helios.return %d, %s : tensor<?x?xf16>, tensor<?xf16>
}

// -----

helios.kernel @k(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> (tensor<?x?xf16>, tensor<?xf32>) {
  // expected-error @below {{expected 'reductions' or 'batch_invariant', whose rows no schedule may change, got both}}
  %d, %s = helios.matmul %a, %b {batch_invariant, reductions = [#helios.reduction<add, n>]} : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16>, tensor<?xf32> acc f32 {
  ^bb0(%x: f32):
    %y = arith.truncf %x : f32 to f16
    helios.yield %y, %x : f16, f32
  }
  helios.return %d, %s : tensor<?x?xf16>, tensor<?xf32>
}

// -----

helios.kernel @k(%a: tensor<4x8xf16>, %b: tensor<8x6xf16>) -> (tensor<4x6xf16>, tensor<4xf32>) {
  // A sum along M leaves the columns.
  // expected-error @below {{result 1 dimension 0 must be 6, got 4}}
  %d, %s = helios.matmul %a, %b {reductions = [#helios.reduction<add, m>]} : (tensor<4x8xf16>, tensor<8x6xf16>) -> tensor<4x6xf16>, tensor<4xf32> acc f32 {
  ^bb0(%x: f32):
    %y = arith.truncf %x : f32 to f16
    helios.yield %y, %x : f16, f32
  }
  helios.return %d, %s : tensor<4x6xf16>, tensor<4xf32>
}

// -----

helios.kernel @k(%a: tensor<?x?xf16>, %b: tensor<?x?x?xf16>, %ends: tensor<?xi32>) -> (tensor<?x?xf16>, tensor<?xf32>) {
  // expected-error @below {{expected 'reductions' or 'grouped', got both}}
  %d, %s = helios.matmul %a, %b grouped(%ends : tensor<?xi32>) {reductions = [#helios.reduction<add, n>]}
      : (tensor<?x?xf16>, tensor<?x?x?xf16>) -> tensor<?x?xf16>, tensor<?xf32> acc f32 {
  ^bb0(%x: f32):
    %y = arith.truncf %x : f32 to f16
    helios.yield %y, %x : f16, f32
  }
  helios.return %d, %s : tensor<?x?xf16>, tensor<?xf32>
}

// -----

// expected-error @+2 {{expected one of [add, max] for what elements are combined to, got: mean}}
// expected-error @+1 {{failed to parse Helios_ReductionAttr parameter 'kind'}}
#r = #helios.reduction<mean, n>
