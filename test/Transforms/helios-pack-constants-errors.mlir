// RUN: helios-opt --helios-pack-constants --split-input-file --verify-diagnostics %s

// expected-error @below {{has the constant argument 'w' but no target row; give it one as 'target = ...'}}
helios.kernel @k(%a: tensor<?x?xf16>, %b: tensor<?x?xf16> {helios.constant, helios.name = "w"}) -> tensor<?x?xf16> {
  %d = helios.matmul %a, %b : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
  helios.return %d : tensor<?x?xf16>
}

// -----

// expected-error @below {{has the constant argument 'arg1' but no schedule; run helios-select-schedule first}}
helios.kernel @k(%a: tensor<?x?xf16>, %b: tensor<?x?xf16> {helios.constant}) -> tensor<?x?xf16> attributes {target = #spv.target<"nvidia">} {
  %d = helios.matmul %a, %b : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
  helios.return %d : tensor<?x?xf16>
}

// -----

// A bias is read in no order of lanes.
// expected-error @below {{is not lowered with the constant argument 'arg2': expected it to be a matrix that one product takes as an operand}}
helios.kernel @k(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %c: tensor<?x?xf32> {helios.constant}) -> tensor<?x?xf32>
    attributes {target = #spv.target<"nvidia">, schedule = #helios.schedule<tile = [128, 64, 64]>} {
  %d = helios.matmul %a, %b fused(%c : tensor<?x?xf32>) : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf32> acc f32 {
  ^bb0(%x: f32, %y: f32):
    %z = arith.addf %x, %y : f32
    helios.yield %z : f32
  }
  helios.return %d : tensor<?x?xf32>
}

// -----

// Two products may have other instructions.
// expected-error @below {{is not lowered with the constant argument 'arg1': expected it to be a matrix that one product takes as an operand}}
helios.kernel @k(%a: tensor<?x?xf16>, %b: tensor<?x?xf16> {helios.constant}) -> tensor<?x?xf16>
    attributes {target = #spv.target<"nvidia">, schedule = #helios.schedule<tile = [128, 64, 64]>} {
  %c = helios.matmul %a, %b : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
  %d = helios.matmul %c, %b : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
  helios.return %d : tensor<?x?xf16>
}

// -----

// Nobody has looked at the order of these lanes.
helios.kernel @k(%a: tensor<?x?xf16>, %b: tensor<?x?xf16> {helios.constant}) -> tensor<?x?xf16>
    attributes {target = #spv.target<"rdna">, schedule = #helios.schedule<tile = [128, 64, 64], mma = [16, 16, 16]>} {
  // expected-error @below {{wants its constant operand 'arg1' in the order of lanes, but target 'rdna' has no such order of the operands of #spv.coop<[16, 16, 16], f16, f16, f32, lanes = 32>}}
  %d = helios.matmul %a, %b : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
  helios.return %d : tensor<?x?xf16>
}

// -----

// A lane's part of a matrix of 16x8 elements is 8 bytes.
helios.kernel @k(%a: tensor<?x?xf16>, %b: tensor<?x?xf16> {helios.constant}) -> tensor<?x?xf16>
    attributes {target = #spv.target<"nvidia">, schedule = #helios.schedule<tile = [128, 64, 64], mma = [16, 8, 16]>} {
  // expected-error @below {{but target 'nvidia' has no such order of the operands of #spv.coop<[16, 8, 16], f16, f16, f32, lanes = 32>}}
  %d = helios.matmul %a, %b : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
  helios.return %d : tensor<?x?xf16>
}

// -----

helios.kernel @k_pack_arg1(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> tensor<?x?xf16> {
  %d = helios.matmul %a, %b : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
  helios.return %d : tensor<?x?xf16>
}
// expected-error @below {{needs the name '@k_pack_arg1' for the kernel that packs, but another symbol has it}}
helios.kernel @k(%a: tensor<?x?xf16>, %b: tensor<?x?xf16> {helios.constant}) -> tensor<?x?xf16>
    attributes {target = #spv.target<"nvidia">, schedule = #helios.schedule<tile = [128, 64, 64], mma = [16, 16, 16]>} {
  %d = helios.matmul %a, %b : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
  helios.return %d : tensor<?x?xf16>
}

// -----

// expected-error @below {{is not lowered with the constant argument 'arg1': expected both right operands of a pair to be constant, got one}}
helios.kernel @k(%a: tensor<?x?xf16>, %b: tensor<?x?xf16> {helios.constant}, %c: tensor<?x?xf16>) -> tensor<?x?xf32>
    attributes {target = #spv.target<"nvidia">, schedule = #helios.schedule<tile = [128, 64, 64]>} {
  %d = helios.matmul %a, %b pair(%c : tensor<?x?xf16>) : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf32> acc f32 {
  ^bb0(%x: f32, %y: f32):
    %z = arith.addf %x, %y : f32
    helios.yield %z : f32
  }
  helios.return %d : tensor<?x?xf32>
}
