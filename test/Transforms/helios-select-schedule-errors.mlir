// RUN: helios-opt --helios-select-schedule --split-input-file --verify-diagnostics %s

// expected-error @below {{has no target row; give it one as 'target = ...', or compile with --target}}
helios.kernel @no_target(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> tensor<?x?xf16> {
  %d = helios.matmul %a, %b : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
  helios.return %d : tensor<?x?xf16>
}

// -----

// Nor do single lanes multiply what no row of Vulkan has matrices of.
helios.kernel @bytes(%a: tensor<?x?xf8E4M3FN>, %b: tensor<?x?xf8E4M3FN>) -> tensor<?x?xf32> attributes {target = #spv.target<"lavapipe">} {
  // expected-error @below {{is unsupported on target 'lavapipe': it multiplies no 'f8E4M3FN' by 'f8E4M3FN' accumulated in 'f32'}}
  %d = helios.matmul %a, %b : (tensor<?x?xf8E4M3FN>, tensor<?x?xf8E4M3FN>) -> tensor<?x?xf32> acc f32
  helios.return %d : tensor<?x?xf32>
}

// -----

helios.kernel @others(%a: tensor<?x?xf8E5M2>, %b: tensor<?x?xf8E4M3FN>) -> tensor<?x?xf32> attributes {target = #spv.target<"simt">} {
  // expected-error @below {{is unsupported on target 'simt': it multiplies no 'f8E5M2' by 'f8E4M3FN' accumulated in 'f32'}}
  %d = helios.matmul %a, %b : (tensor<?x?xf8E5M2>, tensor<?x?xf8E4M3FN>) -> tensor<?x?xf32> acc f32
  helios.return %d : tensor<?x?xf32>
}

// -----

helios.kernel @tf32(%a: tensor<?x?xtf32>, %b: tensor<?x?xtf32>) -> tensor<?x?xf32> attributes {target = #spv.target<"nvidia">} {
  // expected-error @below {{is unsupported on target 'nvidia': it multiplies no 'tf32' by 'tf32' accumulated in 'f32'}}
  %d = helios.matmul %a, %b : (tensor<?x?xtf32>, tensor<?x?xtf32>) -> tensor<?x?xf32> acc f32
  helios.return %d : tensor<?x?xf32>
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
  // expected-error @below {{target 'nvidia' has no instruction 32x8x16 for these types with strategy=staged, only 16x16x16 16x8x16 16x8x8}}
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
    attributes {target = #ptx.target<"sm_90a">, schedule = #helios.schedule<strategy = roles, tile = [256, 256, 64], groups = [2, 1], depth = 2, items = persistent>} {
  // expected-error @below {{it needs 304 registers in a lane that multiplies, 72 more than the 232 of target 'sm_90a'}}
  %d = helios.matmul %a, %b : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
  helios.return %d : tensor<?x?xf16>
}

// -----

// Roles share registers by their budgets, but an instruction has to fit into what a launch gives.
helios.kernel @issued(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> tensor<?x?xf16>
    attributes {target = #ptx.target<"sm_90a">, schedule = #helios.schedule<strategy = roles, tile = [192, 224, 64], groups = [3, 1], depth = 2, items = persistent>} {
  // expected-error @below {{instruction 64x224x16 needs 138 registers of a lane, 10 more than the 128 that a launch of 4 groups gives; use fewer groups or a narrower instruction}}
  %d = helios.matmul %a, %b : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
  helios.return %d : tensor<?x?xf16>
}

// -----

// Staged loads hold one step in registers.
helios.kernel @depth_staged(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> tensor<?x?xf16>
    attributes {target = #spv.target<"nvidia">, schedule = #helios.schedule<depth = 3>} {
  // expected-error @below {{expected depth=1 or depth=2 with strategy=staged, which writes one step ahead at most, got depth=3}}
  %d = helios.matmul %a, %b : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
  helios.return %d : tensor<?x?xf16>
}

// -----

// Copies need a slot beside the one that is read.
helios.kernel @depth_groups(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> tensor<?x?xf16>
    attributes {target = #ptx.target<"sm_89">, schedule = #helios.schedule<strategy = groups>} {
  // expected-error @below {{expected depth of at least 2 with strategy=groups, which copies into one slot while another is read, got depth=1; use depth=2 or more}}
  %d = helios.matmul %a, %b : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
  helios.return %d : tensor<?x?xf16>
}

// -----

// Roles walk work items in a loop.
helios.kernel @items(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> tensor<?x?xf16>
    attributes {target = #ptx.target<"sm_90a">, schedule = #helios.schedule<strategy = roles, tile = [128, 256, 64], groups = [2, 1], depth = 4>} {
  // expected-error @below {{expected items=persistent with strategy=roles, whose roles walk the work items side by side, got items=grid; use items=persistent, or items=stream}}
  %d = helios.matmul %a, %b : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
  helios.return %d : tensor<?x?xf16>
}

// -----

// Turns are taken by groups that have whole tiles.
helios.kernel @turns(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> tensor<?x?xf16>
    attributes {target = #ptx.target<"sm_90a">, schedule = #helios.schedule<strategy = roles, tile = [128, 128, 64], groups = [2, 1], depth = 4, items = persistent, turns = 2>} {
  // expected-error @below {{expected strategy=roles and groups=1x1 with turns=2, whose groups take whole tiles in turns, got strategy=roles and groups=2x1; use turns=1 or groups=1x1}}
  %d = helios.matmul %a, %b : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
  helios.return %d : tensor<?x?xf16>
}

// -----

// Registers of all groups come out of one file.
helios.kernel @wide(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> tensor<?x?xf16>
    attributes {target = #ptx.target<"sm_90a">, schedule = #helios.schedule<strategy = roles, tile = [128, 256, 64], groups = [1, 1], depth = 2, items = persistent, turns = 2>} {
  // expected-error @below {{it needs 304 registers in a lane that multiplies, 72 more than the 232 of target 'sm_90a'}}
  %d = helios.matmul %a, %b : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
  helios.return %d : tensor<?x?xf16>
}

// -----

// No matrix instruction keeps the precision of f32, so roles have none to wait for.
helios.kernel @no_instruction(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>) -> tensor<?x?xf32>
    attributes {target = #ptx.target<"sm_90a">, schedule = #helios.schedule<strategy = roles, depth = 2, items = persistent>} {
  // expected-error @below {{target 'sm_90a' has no instruction for these types with strategy=roles; use another strategy}}
  %d = helios.matmul %a, %b : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32> acc f32
  helios.return %d : tensor<?x?xf32>
}

// -----

// Groups of a product in flight lie along the rows.
helios.kernel @holds(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> tensor<?x?xf16>
    attributes {target = #ptx.target<"sm_90a">, schedule = #helios.schedule<strategy = roles, depth = 2, tile = [128, 128, 64], items = persistent>} {
  // expected-error @below {{its groups cannot hold the accumulators: expected groups along m only, [n, 1]}}
  %d = helios.matmul %a, %b : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
  helios.return %d : tensor<?x?xf16>
}

// -----

// A bulk copy has at most 256 rows.
helios.kernel @rows(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> tensor<?x?xf16>
    attributes {target = #ptx.target<"sm_90a">, schedule = #helios.schedule<strategy = roles, depth = 2, tile = [384, 64, 64], groups = [3, 1], items = persistent>} {
  // expected-error @below {{instruction 64x64x16 cannot read the operands as copies leave them: expected tiles of at most 256 rows in memory, got 384; use another tile or other groups}}
  %d = helios.matmul %a, %b : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
  helios.return %d : tensor<?x?xf16>
}

// -----

// Rows of 8 bytes are no whole copy.
helios.kernel @granule(%a: tensor<?x?xi8>, %b: tensor<?x?xi8>) -> tensor<?x?xi32>
    attributes {target = #ptx.target<"sm_90a">, schedule = #helios.schedule<strategy = groups, tile = [128, 8, 64], groups = [4, 1], depth = 2>} {
  // expected-error @below {{expected rows of whole copies of 16 bytes, got rows of 8 elements; use another tile}}
  %d = helios.matmul %a, %b : (tensor<?x?xi8>, tensor<?x?xi8>) -> tensor<?x?xi32> acc i32
  helios.return %d : tensor<?x?xi32>
}

// -----

// Tiles in a slot start where swizzles repeat.
helios.kernel @slots(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> tensor<?x?xf16>
    attributes {target = #ptx.target<"sm_80">, schedule = #helios.schedule<strategy = groups, tile = [48, 48, 48], groups = [1, 1], depth = 2>} {
  // expected-error @below {{expected tiles of a multiple of 1024 bytes, where swizzles repeat, got 48x48 elements of 2 bytes; use another tile}}
  %d = helios.matmul %a, %b : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
  helios.return %d : tensor<?x?xf16>
}

// -----

// What groups read side by side stays in a panel of 128 bytes.
helios.kernel @panels(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> tensor<?x?xf16>
    attributes {target = #ptx.target<"sm_89">, schedule = #helios.schedule<strategy = groups, tile = [64, 192, 32], groups = [1, 6], mma = [16, 8, 16], depth = 2>} {
  // expected-error @below {{expected groups that cover a divisor or a multiple of 64 elements of a row, got 48; use another tile or other groups}}
  %d = helios.matmul %a, %b : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
  helios.return %d : tensor<?x?xf16>
}

// -----

// 8-bit operands are read along k only.
helios.kernel @order(%a: tensor<?x?xi8>, %b: tensor<?x?xi8>) -> tensor<?x?xi32>
    attributes {target = #ptx.target<"sm_90a">, schedule = #helios.schedule<strategy = roles, tile = [128, 128, 128], groups = [2, 1], depth = 2, items = persistent>} {
  // expected-error @below {{cannot read the operands as copies leave them: expected k contiguous in shared memory for 'i8' operands of wgmma}}
  %d = helios.matmul %a, %b : (tensor<?x?xi8>, tensor<?x?xi8>) -> tensor<?x?xi32> acc i32
  helios.return %d : tensor<?x?xi32>
}

// -----

// Accumulators alone exceed a lane.
helios.kernel @spills(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> tensor<?x?xf16>
    attributes {target = #ptx.target<"sm_89">, schedule = #helios.schedule<tile = [128, 256, 32], groups = [1, 2]>} {
  // expected-error @below {{it needs 512 registers of a lane for accumulators, 257 more than the 255 of target 'sm_89'}}
  %d = helios.matmul %a, %b : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
  helios.return %d : tensor<?x?xf16>
}

// -----

// Alternatives are held to the same.
helios.kernel @alternatives(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> tensor<?x?xf16>
    attributes {target = #ptx.target<"sm_89">, schedule = #helios.schedule<strategy = groups, depth = 2>,
                alternatives = [#helios.schedule<strategy = groups, tile = [64, 64, 32]>], weights = array<i64: 2, 1>} {
  // expected-error @below {{cannot have the schedule 'strategy=groups,tile=64x64x32': expected depth of at least 2}}
  %d = helios.matmul %a, %b : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
  helios.return %d : tensor<?x?xf16>
}

// -----

helios.kernel @large_cluster(%a: tensor<?x?xbf16>, %b: tensor<?x?xbf16>) -> tensor<?x?xbf16>
    attributes {target = #ptx.target<"sm_90a">, schedule = #helios.schedule<strategy = roles, items = persistent, tile = [128, 256, 64], groups = [2, 1], depth = 2, cluster = [4, 4]>} {
  // expected-error @below {{it needs clusters of 16 workgroups, but target 'sm_90a' has at most 8}}
  %d = helios.matmul %a, %b : (tensor<?x?xbf16>, tensor<?x?xbf16>) -> tensor<?x?xbf16> acc f32
  helios.return %d : tensor<?x?xbf16>
}

// -----

helios.kernel @no_cluster(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> tensor<?x?xf16>
    attributes {target = #ptx.target<"sm_89">, schedule = #helios.schedule<strategy = groups, tile = [128, 128, 32], groups = [2, 2], depth = 3, cluster = [2, 1]>} {
  // expected-error @below {{it needs clusters of 2 workgroups, but target 'sm_89' has none; leave out 'cluster'}}
  %d = helios.matmul %a, %b : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
  helios.return %d : tensor<?x?xf16>
}

// -----

helios.kernel @three(%a: tensor<?x?xbf16>, %b: tensor<?x?xbf16>) -> tensor<?x?xbf16>
    attributes {target = #ptx.target<"sm_90a">, schedule = #helios.schedule<strategy = roles, items = persistent, tile = [128, 256, 64], groups = [2, 1], depth = 2, cluster = [3, 1]>} {
  // expected-error @below {{it needs clusters of 3 workgroups; expected a power of two}}
  %d = helios.matmul %a, %b : (tensor<?x?xbf16>, tensor<?x?xbf16>) -> tensor<?x?xbf16> acc f32
  helios.return %d : tensor<?x?xbf16>
}

// -----

helios.kernel @cluster_of_groups(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> tensor<?x?xf16>
    attributes {target = #ptx.target<"sm_90a">, schedule = #helios.schedule<strategy = groups, tile = [128, 128, 32], groups = [2, 2], depth = 3, cluster = [2, 1]>} {
  // expected-error @below {{the strategy 'groups' copies for one workgroup at a time; leave out 'cluster' or use strategy=roles}}
  %d = helios.matmul %a, %b : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
  helios.return %d : tensor<?x?xf16>
}

// -----

helios.kernel @small_parts(%a: tensor<?x?xbf16>, %b: tensor<?x?xbf16>) -> tensor<?x?xbf16>
    attributes {target = #ptx.target<"sm_90a">, schedule = #helios.schedule<strategy = roles, items = persistent, tile = [64, 8, 64], groups = [1, 1], depth = 2, cluster = [2, 1]>} {
  // expected-error @below {{the 8x64 elements of B in a step are not divided into 2 parts of whole rows and columns of a swizzle; use a larger tile or a smaller cluster}}
  %d = helios.matmul %a, %b {transpose_b} : (tensor<?x?xbf16>, tensor<?x?xbf16>) -> tensor<?x?xbf16> acc f32
  helios.return %d : tensor<?x?xbf16>
}

// -----

// Rows of 16 bytes have no swizzle, which wgmma reads by.
helios.kernel @no_swizzle(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> tensor<?x?xf32>
    attributes {target = #ptx.target<"sm_90a">, schedule = #helios.schedule<strategy = roles, items = persistent, tile = [64, 8, 128], groups = [1, 1], depth = 2>} {
  // expected-error @below {{instruction 64x8x16 cannot read the operands as copies leave them: expected rows of a multiple of 32 bytes in shared memory, with a swizzle, for #ptx.wgmma<n = 8, f16, f16, f32>, got #tile.shared<order = [1, 0]>; use another tile or other groups}}
  %d = helios.matmul %a, %b {transpose_a} : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf32> acc f32
  helios.return %d : tensor<?x?xf32>
}

// -----

// 48 rows of B are no power of two, and 256 lanes hold no equal parts of them.
helios.kernel @uneven(%a: tensor<?x?xbf16>, %b: tensor<?x?xbf16>) -> tensor<?x?xf32>
    attributes {target = #ptx.target<"sm_89">, schedule = #helios.schedule<strategy = staged, tile = [512, 24, 48], groups = [8, 1]>} {
  // expected-error @below {{expected each of 256 lanes to hold equally many of the 48x24 elements of B in a step, which they do not divide; use another tile or fewer groups}}
  %d = helios.matmul %a, %b : (tensor<?x?xbf16>, tensor<?x?xbf16>) -> tensor<?x?xf32> acc f32
  helios.return %d : tensor<?x?xf32>
}

// -----

// Nine elements a lane are in nine rows; SPIR-V's shared memory consists of words.
helios.kernel @narrow(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> tensor<?x?xf32>
    attributes {target = #spv.target<"nvidia">, schedule = #helios.schedule<tile = [384, 48, 48], groups = [8, 1]>} {
  // expected-error @below {{expected lanes to hold at least 4 neighbouring bytes of the 48x48 elements of B in a step, got 2; use another tile or fewer groups}}
  %d = helios.matmul %a, %b {transpose_a} : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf32> acc f32
  helios.return %d : tensor<?x?xf32>
}

// -----

helios.kernel @long_steps(%a: tensor<?x?xf8E4M3FN>, %b: tensor<?x?xf8E5M2>) -> tensor<?x?xf32>
    attributes {target = #ptx.target<"sm_90a">, schedule = #helios.schedule<strategy = roles, tile = [128, 64, 256], groups = [2, 1], depth = 2, items = persistent>} {
  // expected-error @below {{expected steps of at most 128 elements of k, after which sums of 'f8E4M3FN' leave the engine, got 256; use tile=128x64x128 or 'fast_accumulation'}}
  %d = helios.matmul %a, %b {transpose_b} : (tensor<?x?xf8E4M3FN>, tensor<?x?xf8E5M2>) -> tensor<?x?xf32> acc f32
  helios.return %d : tensor<?x?xf32>
}

// -----

helios.kernel @older(%a: tensor<?x?xf8E4M3FN>, %b: tensor<?x?xf8E5M2>) -> tensor<?x?xf32> attributes {target = #ptx.target<"sm_86">} {
  // expected-error @below {{is unsupported on target 'sm_86': it multiplies no 'f8E4M3FN' by 'f8E5M2' accumulated in 'f32'}}
  %d = helios.matmul %a, %b : (tensor<?x?xf8E4M3FN>, tensor<?x?xf8E5M2>) -> tensor<?x?xf32> acc f32
  helios.return %d : tensor<?x?xf32>
}

// -----

// Batch-invariant products add up in one order.
helios.kernel @invariant_slices(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> tensor<?x?xf16>
    attributes {target = #ptx.target<"sm_89">, schedule = #helios.schedule<strategy = groups, tile = [64, 64, 32], groups = [2, 2], depth = 2, split_k = 4>} {
  // expected-error @below {{the product is 'batch_invariant': slices of K would be added up apart; leave out 'split_k'}}
  %d = helios.matmul %a, %b {batch_invariant} : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
  helios.return %d : tensor<?x?xf16>
}

// -----

helios.kernel @invariant_instruction(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> tensor<?x?xf16>
    attributes {target = #ptx.target<"sm_90a">, schedule = #helios.schedule<strategy = groups, tile = [64, 64, 32], groups = [2, 2], depth = 2>} {
  // expected-error @below {{the product is 'batch_invariant': instruction 16x8x16 of strategy 'groups' adds up in another order than 64x}}
  %d = helios.matmul %a, %b {batch_invariant} : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
  helios.return %d : tensor<?x?xf16>
}

// -----

helios.kernel @invariant_parts(%a: tensor<?x?xf8E4M3FN>, %b: tensor<?x?xf8E4M3FN>) -> tensor<?x?xf16>
    attributes {target = #ptx.target<"sm_90a">, schedule = #helios.schedule<strategy = roles, tile = [128, 128, 64], groups = [2, 1], depth = 4, items = persistent>} {
  // expected-error @below {{the product is 'batch_invariant': expected steps of 128 elements of k, after which sums leave the engine, got 64; use 'fast_accumulation' or a tile of that depth}}
  %d = helios.matmul %a, %b {transpose_b, batch_invariant} : (tensor<?x?xf8E4M3FN>, tensor<?x?xf8E4M3FN>) -> tensor<?x?xf16> acc f32
  helios.return %d : tensor<?x?xf16>
}

// -----

// A pair has two right operands in shared memory, and two accumulators in registers.
helios.kernel @pair_shared(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %c: tensor<?x?xf16>) -> tensor<?x?xf32>
    attributes {target = #spv.target<"lavapipe">, schedule = #helios.schedule<tile = [256, 128, 64], groups = [2, 4]>} {
  // expected-error @below {{cannot have the schedule 'tile=256x128x64,groups=2x4': it needs 71680 bytes of shared memory, 38912 more than the 32768 of target 'lavapipe'}}
  %d = helios.matmul %a, %b pair(%c : tensor<?x?xf16>) : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf32> acc f32 {
  ^bb0(%x: f32, %y: f32):
    %z = arith.addf %x, %y : f32
    helios.yield %z : f32
  }
  helios.return %d : tensor<?x?xf32>
}

// -----

helios.kernel @pair_registers(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %c: tensor<?x?xf16>) -> tensor<?x?xf32>
    attributes {target = #ptx.target<"sm_90a">, schedule = #helios.schedule<strategy = roles, tile = [128, 256, 64], groups = [2, 1], mma = [64, 256, 16], depth = 2, items = persistent>} {
  // expected-error @below {{it needs 304 registers in a lane that multiplies, 72 more than the 232 of target 'sm_90a'}}
  %d = helios.matmul %a, %b pair(%c : tensor<?x?xf16>) : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf32> acc f32 {
  ^bb0(%x: f32, %y: f32):
    %z = arith.addf %x, %y : f32
    helios.yield %z : f32
  }
  helios.return %d : tensor<?x?xf32>
}

// -----

helios.kernel @pair_slices(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %c: tensor<?x?xf16>) -> tensor<?x?xf32>
    attributes {target = #spv.target<"lavapipe">, schedule = #helios.schedule<tile = [32, 32, 32], split_k = 4>} {
  // expected-error @below {{expected split_k=1 beside a pair, whose sums would both go through the workspace, got split_k=4}}
  %d = helios.matmul %a, %b pair(%c : tensor<?x?xf16>) : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf32> acc f32 {
  ^bb0(%x: f32, %y: f32):
    %z = arith.addf %x, %y : f32
    helios.yield %z : f32
  }
  helios.return %d : tensor<?x?xf32>
}

// -----

// Sums and the next step's elements are carried by the loop: 192 and 80 registers.
helios.kernel @carried(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>) -> tensor<?x?xf32> attributes {target = #ptx.target<"sm_80">, schedule = #helios.schedule<tile = [96, 64, 16], groups = [1, 1]>} {
  // expected-error @+1 {{it needs 272 registers of a lane for accumulators and the next step, 17 more than the 255 of target 'sm_80'}}
  %d = helios.matmul %a, %b : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32> acc f32
  helios.return %d : tensor<?x?xf32>
}

// -----

// What tiles cannot be streamed of.
helios.kernel @stream_slices(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> tensor<?x?xf16>
    attributes {target = #ptx.target<"sm_89">, schedule = #helios.schedule<strategy = groups, tile = [64, 64, 32], depth = 3, items = stream, split_k = 4>} {
  // expected-error @below {{with items=stream expected split_k=1, since shares of K are found at launch, got split_k=4; use items=persistent}}
  %d = helios.matmul %a, %b : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
  helios.return %d : tensor<?x?xf16>
}

// -----

helios.kernel @stream_invariant(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> tensor<?x?xf16>
    attributes {target = #ptx.target<"sm_89">, schedule = #helios.schedule<strategy = groups, tile = [64, 64, 32], depth = 3, items = stream>} {
  // expected-error @below {{with items=stream parts of K are added up apart, as batch invariance forbids; use items=persistent}}
  %d = helios.matmul %a, %b {batch_invariant} : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
  helios.return %d : tensor<?x?xf16>
}

// -----

helios.kernel @stream_grouped(%a: tensor<?x?xf16>, %b: tensor<?x?x?xf16>, %ends: tensor<?xi32>) -> tensor<?x?xf16>
    attributes {target = #ptx.target<"sm_89">, schedule = #helios.schedule<strategy = groups, tile = [64, 64, 32], depth = 3, items = stream>} {
  // expected-error @below {{with items=stream tiles are numbered ahead, and those of a grouped product are not known then; use items=persistent}}
  %d = helios.matmul %a, %b grouped(%ends : tensor<?xi32>) : (tensor<?x?xf16>, tensor<?x?x?xf16>) -> tensor<?x?xf16> acc f32
  helios.return %d : tensor<?x?xf16>
}

// -----

helios.kernel @stream_pair(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %c: tensor<?x?xf16>) -> tensor<?x?xf32>
    attributes {target = #spv.target<"lavapipe">, schedule = #helios.schedule<tile = [32, 32, 32], items = stream>} {
  // expected-error @below {{with items=stream both sums of a pair would go through the workspace; use items=persistent}}
  %d = helios.matmul %a, %b pair(%c : tensor<?x?xf16>) : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf32> acc f32 {
  ^bb0(%x: f32, %y: f32):
    %z = arith.addf %x, %y : f32
    helios.yield %z : f32
  }
  helios.return %d : tensor<?x?xf32>
}

// -----

helios.kernel @stream_reduction(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> (tensor<?x?xf16>, tensor<?xf32>)
    attributes {target = #ptx.target<"sm_89">, schedule = #helios.schedule<strategy = groups, tile = [64, 64, 32], depth = 3, items = stream>} {
  // expected-error @below {{with items=stream reductions have whole tiles alone; use items=persistent}}
  %d, %s = helios.matmul %a, %b {reductions = [#helios.reduction<add, n>]}
      : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16>, tensor<?xf32> acc f32 {
  ^bb0(%x: f32):
    %y = arith.truncf %x : f32 to f16
    helios.yield %y, %x : f16, f32
  }
  helios.return %d, %s : tensor<?x?xf16>, tensor<?xf32>
}

// -----

helios.kernel @stream_packed(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> tensor<?x?xf16>
    attributes {target = #spv.target<"nvidia">, schedule = #helios.schedule<tile = [128, 128, 32], groups = [2, 2], items = stream, pack = b>} {
  // expected-error @below {{with items=stream no operand is packed first, got pack=b; use items=persistent}}
  %d = helios.matmul %a, %b : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
  helios.return %d : tensor<?x?xf16>
}

// -----

helios.kernel @stream_attention(%q: tensor<?x?x?x64xf16>, %k: tensor<?x?x?x64xf16>, %v: tensor<?x?x?x64xf16>) -> tensor<?x?x?x64xf16>
    attributes {target = #ptx.target<"sm_89">, schedule = #helios.schedule<strategy = groups, tile = [64, 64, 64], groups = [4, 1], depth = 2, items = stream>} {
  // expected-error @below {{attention shares no steps of an item between workgroups; use items=persistent, or 'split_k'}}
  %o = helios.attention %q, %k, %v {scale = 0.125 : f64} : (tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>) -> tensor<?x?x?x64xf16> acc f32
  helios.return %o : tensor<?x?x?x64xf16>
}

// -----

helios.kernel @slots(%q: tensor<?x?x?x256xf16>, %k: tensor<?x?x?x256xf16>, %v: tensor<?x?x?x256xf16>) -> tensor<?x?x?x256xf16>
    attributes {target = #ptx.target<"sm_89">, schedule = #helios.schedule<strategy = groups, tile = [16, 64, 256], groups = [1, 1], depth = 2>} {
  // expected-error @below {{its slots need 131072 bytes of shared memory, 29696 more than the 101376 of target 'sm_89'; use a smaller tile or depth}}
  %o = helios.attention %q, %k, %v {scale = 0.125 : f64} : (tensor<?x?x?x256xf16>, tensor<?x?x?x256xf16>, tensor<?x?x?x256xf16>) -> tensor<?x?x?x256xf16> acc f32
  helios.return %o : tensor<?x?x?x256xf16>
}
