// RUN: helios-opt --helios-select-schedule --split-input-file --verify-diagnostics %s

// expected-error @below {{has no target row; give it one as 'target = ...', or compile with --target}}
helios.kernel @no_target(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> tensor<?x?xf16> {
  %d = helios.matmul %a, %b : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
  helios.return %d : tensor<?x?xf16>
}

// -----

helios.kernel @types(%a: tensor<?x?xi8>, %b: tensor<?x?xi8>) -> tensor<?x?xi32> attributes {target = #spv.target<"lavapipe">} {
  // expected-error @below {{is unsupported on target 'lavapipe': it multiplies no 'i8' by 'i8' accumulated in 'i32'}}
  %d = helios.matmul %a, %b : (tensor<?x?xi8>, tensor<?x?xi8>) -> tensor<?x?xi32> acc i32
  helios.return %d : tensor<?x?xi32>
}

// -----

helios.kernel @shared(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> tensor<?x?xf16>
    attributes {target = #spv.target<"lavapipe">, schedule = #helios.schedule<tile = [256, 128, 64], groups = [2, 4]>} {
  // expected-error @below {{cannot have the schedule 'tile=256x128x64,groups=2x4': it needs 54272 bytes of shared memory, 21504 more than the 32768 of target 'lavapipe'}}
  %d = helios.matmul %a, %b : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
  helios.return %d : tensor<?x?xf16>
}

// -----

helios.kernel @invocations(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> tensor<?x?xf16>
    attributes {target = #spv.target<"nvidia">, schedule = #helios.schedule<tile = [128, 128, 32], groups = [8, 8]>} {
  // expected-error @below {{it needs 2048 invocations, 1024 more than the 1024 of target 'nvidia'}}
  %d = helios.matmul %a, %b : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
  helios.return %d : tensor<?x?xf16>
}

// -----

helios.kernel @multiple(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> tensor<?x?xf16>
    attributes {target = #spv.target<"lavapipe">, schedule = #helios.schedule<tile = [24, 64, 32], groups = [2, 2]>} {
  // expected-error @below {{tile 24x64x32 is no multiple of 2x2 groups of instructions 8x8x8; it must be one of 16x16x8}}
  %d = helios.matmul %a, %b : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
  helios.return %d : tensor<?x?xf16>
}

// -----

helios.kernel @instruction(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> tensor<?x?xf16>
    attributes {target = #spv.target<"nvidia">, schedule = #helios.schedule<mma = [32, 8, 16]>} {
  // expected-error @below {{target 'nvidia' has no instruction 32x8x16 for these types, only 16x16x16 16x8x16 16x8x8}}
  %d = helios.matmul %a, %b : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
  helios.return %d : tensor<?x?xf16>
}

// -----

helios.kernel @strategy(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> tensor<?x?xf16>
    attributes {target = #spv.target<"nvidia">, schedule = #helios.schedule<strategy = roles>} {
  // expected-error @below {{target 'nvidia' does not lower the strategy 'roles', only staged}}
  %d = helios.matmul %a, %b : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
  helios.return %d : tensor<?x?xf16>
}

// -----

// Two groups that multiply have 232 registers a lane; 256 accumulators do not fit.
helios.kernel @accumulators(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> tensor<?x?xf16>
    attributes {target = #ptx.target<"sm_90a">, schedule = #helios.schedule<strategy = roles, tile = [256, 256, 64], groups = [2, 1], depth = 2>} {
  // expected-error @below {{it needs 304 registers in a lane that multiplies, 72 more than the 232 of target 'sm_90a'}}
  %d = helios.matmul %a, %b : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
  helios.return %d : tensor<?x?xf16>
}
