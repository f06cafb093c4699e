// RUN: helios-opt --split-input-file --helios-select-schedule --verify-diagnostics %s | FileCheck %s

// Roles read operands as copies leave them, so another strategy is taken; steps divide the group or consist of several. Few rows have tiles of
// their own, with one instruction of columns for each group.
// CHECK-LABEL: helios.kernel @chosen
// CHECK-SAME: #helios.schedule<strategy = groups, tile = [16, 16, 512], groups = [1, 2], sliced_k = 2, mma = [16, 8, 16], depth = 4, unroll = 1>
// CHECK-SAME: #helios.schedule<strategy = groups, tile = [16, 32, 256], groups = [1, 4], sliced_k = 2, mma = [16, 8, 16], depth = 4, unroll = 1>
// CHECK-SAME: , schedule = #helios.schedule<strategy = groups
helios.kernel @chosen(%a: tensor<?x?xf16>, %w: tensor<?x?xi8>, %s: tensor<?x?xf16>) -> tensor<?x?xf16> attributes {target = #ptx.target<"sm_90a">} {
  %d = helios.matmul %a, %w prologue(%s : tensor<?x?xf16>) {group = 32 : i64}
      : (tensor<?x?xf16>, tensor<?x?xi8>) -> tensor<?x?xf16> acc f32 prologue {
  ^bb0(%x: i8, %t: f16):
    %y = arith.sitofp %x : i8 to f16
    %z = arith.mulf %y, %t : f16
    helios.yield %z : f16
  }
  helios.return %d : tensor<?x?xf16>
}

// -----

helios.kernel @roles(%a: tensor<?x?xf16>, %w: tensor<?x?xi8>) -> tensor<?x?xf16>
    attributes {target = #ptx.target<"sm_90a">, schedule = #helios.schedule<tile = [128, 128, 64], groups = [2, 1], strategy = roles, items = persistent, depth = 4>} {
  // expected-error @below {{the right operand is computed in registers, and the engine of strategy=roles reads it in shared memory as copies leave it; use another strategy, or apart=b}}
  %d = helios.matmul %a, %w : (tensor<?x?xf16>, tensor<?x?xi8>) -> tensor<?x?xf16> acc f32 prologue {
  ^bb0(%x: i8):
    %y = arith.sitofp %x : i8 to f16
    helios.yield %y : f16
  }
  helios.return %d : tensor<?x?xf16>
}

// -----

helios.kernel @steps(%a: tensor<?x?xf16>, %w: tensor<?x?xi8>, %s: tensor<?x?xf16>) -> tensor<?x?xf16>
    attributes {target = #ptx.target<"sm_89">, schedule = #helios.schedule<tile = [64, 64, 48], groups = [2, 2]>} {
  // expected-error @below {{expected steps along k that divide the prologue's group, 32, or are a multiple of it, got 48; use another tile}}
  %d = helios.matmul %a, %w prologue(%s : tensor<?x?xf16>) {group = 32 : i64}
      : (tensor<?x?xf16>, tensor<?x?xi8>) -> tensor<?x?xf16> acc f32 prologue {
  ^bb0(%x: i8, %t: f16):
    helios.yield %t : f16
  }
  helios.return %d : tensor<?x?xf16>
}

// -----

// Steps have both halves of each of their groups.
// CHECK-LABEL: helios.kernel @packed
// CHECK-SAME: tile = [16, 32, 1024], groups = [1, 4], mma = [16, 8, 16], depth = 2, unroll = 1>
// CHECK-SAME: tile = [16, 32, 256], groups = [1, 4]
helios.kernel @packed(%a: tensor<?x?xf16>, %w: tensor<?x?xi8>, %s: tensor<?x?xf16>) -> tensor<?x?xf16> attributes {target = #ptx.target<"sm_90a">} {
  %d = helios.matmul %a, %w prologue(%s : tensor<?x?xf16>) {group = 128 : i64, transpose_b}
      : (tensor<?x?xf16>, tensor<?x?xi8>) -> tensor<?x?xf16> acc f32 prologue {
  ^bb0(%x: i8, %t: f16):
    %c4 = arith.constant 4 : i8
    %raised = arith.shli %x, %c4 : i8
    %low = arith.shrsi %raised, %c4 : i8
    %high = arith.shrsi %x, %c4 : i8
    %u = arith.sitofp %low : i8 to f16
    %v = arith.sitofp %high : i8 to f16
    %y = arith.mulf %u, %t : f16
    %z = arith.mulf %v, %t : f16
    helios.yield %y, %z : f16, f16
  }
  helios.return %d : tensor<?x?xf16>
}

// -----

helios.kernel @slices(%a: tensor<?x?xf16>, %w: tensor<?x?xi8>, %s: tensor<?x?xf16>) -> tensor<?x?xf16>
    attributes {target = #ptx.target<"sm_89">, schedule = #helios.schedule<strategy = groups, tile = [16, 16, 64], groups = [1, 2], sliced_k = 4, depth = 3>} {
  // expected-error @below {{expected steps and groups along k of whole instructions, 64 deep, got 32; use a multiple of 64}}
  %d = helios.matmul %a, %w prologue(%s : tensor<?x?xf16>) {group = 32 : i64}
      : (tensor<?x?xf16>, tensor<?x?xi8>) -> tensor<?x?xf16> acc f32 prologue {
  ^bb0(%x: i8, %t: f16):
    helios.yield %t : f16
  }
  helios.return %d : tensor<?x?xf16>
}

// -----

helios.kernel @halves(%a: tensor<?x?xf16>, %w: tensor<?x?xi8>, %s: tensor<?x?xf16>) -> tensor<?x?xf16>
    attributes {target = #ptx.target<"sm_89">, schedule = #helios.schedule<tile = [64, 64, 16], groups = [2, 2]>} {
  // expected-error @below {{expected steps and groups along k of whole instructions, 16 deep, for each of the 2 elements that are stored in one, got 16; use a multiple of 32}}
  %d = helios.matmul %a, %w prologue(%s : tensor<?x?xf16>) {group = 128 : i64, transpose_b}
      : (tensor<?x?xf16>, tensor<?x?xi8>) -> tensor<?x?xf16> acc f32 prologue {
  ^bb0(%x: i8, %t: f16):
    %c4 = arith.constant 4 : i8
    %raised = arith.shli %x, %c4 : i8
    %low = arith.shrsi %raised, %c4 : i8
    %high = arith.shrsi %x, %c4 : i8
    %u = arith.sitofp %low : i8 to f16
    %v = arith.sitofp %high : i8 to f16
    %y = arith.mulf %u, %t : f16
    %z = arith.mulf %v, %t : f16
    helios.yield %y, %z : f16, f16
  }
  helios.return %d : tensor<?x?xf16>
}

// -----

helios.kernel @short(%a: tensor<?x?xf16>, %w: tensor<?x?xi8>, %s: tensor<?x?xf16>) -> tensor<?x?xf16> attributes {target = #ptx.target<"sm_90a">} {
  // expected-error @below {{has no schedule that fits target 'sm_90a': expected a group of a multiple of 32 elements, the depth of instruction 16x8x16 for each of the 2 that are stored in one, got 16}}
  %d = helios.matmul %a, %w prologue(%s : tensor<?x?xf16>) {group = 16 : i64, transpose_b}
      : (tensor<?x?xf16>, tensor<?x?xi8>) -> tensor<?x?xf16> acc f32 prologue {
  ^bb0(%x: i8, %t: f16):
    %c4 = arith.constant 4 : i8
    %raised = arith.shli %x, %c4 : i8
    %low = arith.shrsi %raised, %c4 : i8
    %high = arith.shrsi %x, %c4 : i8
    %u = arith.sitofp %low : i8 to f16
    %v = arith.sitofp %high : i8 to f16
    %y = arith.mulf %u, %t : f16
    %z = arith.mulf %v, %t : f16
    helios.yield %y, %z : f16, f16
  }
  helios.return %d : tensor<?x?xf16>
}

// -----

// A computed left operand is made once, in a dispatch of its own, where several tiles of columns would read it: the engine of roles then takes it.
// CHECK-LABEL: helios.kernel @left(
// CHECK-SAME: #helios.schedule<strategy = groups, tile = [16, {{[^>]*}}, apart = a>
// CHECK-SAME: schedule = #helios.schedule<strategy = roles, {{[^>]*}}, apart = a>
helios.kernel @left(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %r: tensor<?x1xf16>) -> tensor<?x?xf16> attributes {target = #ptx.target<"sm_90a">} {
  %d = helios.matmul %a, %b prologue_a(%r : tensor<?x1xf16>) : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32 prologue_a {
  ^bb0(%x: f16, %s: f16):
    %y = arith.mulf %x, %s : f16
    helios.yield %y : f16
  }
  helios.return %d : tensor<?x?xf16>
}

// -----

helios.kernel @roles(%a: tensor<?x?xi8>, %b: tensor<?x?xf16>) -> tensor<?x?xf16>
    attributes {target = #ptx.target<"sm_90a">, schedule = #helios.schedule<tile = [128, 128, 64], groups = [2, 1], strategy = roles, items = persistent, depth = 4>} {
  // expected-error @below {{the left operand is computed in registers, and the engine of strategy=roles reads it in shared memory as copies leave it; use another strategy, or apart=a}}
  %d = helios.matmul %a, %b : (tensor<?x?xi8>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32 prologue_a {
  ^bb0(%x: i8):
    %y = arith.sitofp %x : i8 to f16
    helios.yield %y : f16
  }
  helios.return %d : tensor<?x?xf16>
}

// -----

// One tile of columns reads each row once: its items compute it, and nothing lies in global memory.
// CHECK-LABEL: helios.kernel @narrow(
// CHECK-NOT: apart
// CHECK-NOT: strategy = roles
// CHECK: helios.matmul
helios.kernel @narrow(%a: tensor<?x?xf16>, %b: tensor<?x256xf16>, %r: tensor<?x1xf16>) -> tensor<?x256xf16> attributes {target = #ptx.target<"sm_90a">} {
  %d = helios.matmul %a, %b prologue_a(%r : tensor<?x1xf16>) : (tensor<?x?xf16>, tensor<?x256xf16>) -> tensor<?x256xf16> acc f32 prologue_a {
  ^bb0(%x: f16, %s: f16):
    %y = arith.mulf %x, %s : f16
    helios.yield %y : f16
  }
  helios.return %d : tensor<?x256xf16>
}

// -----

// On grids, too.
// CHECK-LABEL: helios.kernel @grid(
// CHECK-SAME: schedule = #helios.schedule<strategy = groups, {{[^>]*}}, apart = a>
helios.kernel @grid(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %r: tensor<?x1xf16>) -> tensor<?x?xf16> attributes {target = #ptx.target<"sm_89">} {
  %d = helios.matmul %a, %b prologue_a(%r : tensor<?x1xf16>) : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32 prologue_a {
  ^bb0(%x: f16, %s: f16):
    %y = arith.mulf %x, %s : f16
    helios.yield %y : f16
  }
  helios.return %d : tensor<?x?xf16>
}

// -----

helios.kernel @nothing(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> tensor<?x?xf16>
    attributes {target = #ptx.target<"sm_89">, schedule = #helios.schedule<tile = [64, 64, 32], groups = [2, 2], apart = a>} {
  // expected-error @below {{expected a prologue of the left operand beside apart=a, got none; leave out 'apart'}}
  %d = helios.matmul %a, %b : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
  helios.return %d : tensor<?x?xf16>
}

// -----

// Of many rows right operands are made first, in launches whose plan finds that cheaper: roles take them then.
// CHECK-LABEL: helios.kernel @made(
// CHECK-SAME: #helios.schedule<strategy = roles, {{[^>]*}}, apart = b>
// CHECK-SAME: make_weights = array<i64: {{[1-9][0-9]*}}, {{[1-9][0-9]*}}>
// CHECK-SAME: , schedule = #helios.schedule<strategy = groups, {{([^>a]|a[^p])*}}>
helios.kernel @made(%a: tensor<?x?xf16>, %w: tensor<?x?xi8>) -> tensor<?x?xf16> attributes {target = #ptx.target<"sm_90a">} {
  %d = helios.matmul %a, %w : (tensor<?x?xf16>, tensor<?x?xi8>) -> tensor<?x?xf16> acc f32 prologue {
  ^bb0(%x: i8):
    %y = arith.sitofp %x : i8 to f16
    helios.yield %y : f16
  }
  helios.return %d : tensor<?x?xf16>
}

// -----

// Both operands are, and what is made of the right one may be packed.
// CHECK-LABEL: helios.kernel @both(
// CHECK-SAME: #helios.schedule<{{[^>]*}}, pack = b, apart = ab>
helios.kernel @both(%a: tensor<?x?xf16>, %w: tensor<?x?xi8>, %r: tensor<?x1xf16>) -> tensor<?x?xf16> attributes {target = #spv.target<"nvidia">} {
  %d = helios.matmul %a, %w prologue_a(%r : tensor<?x1xf16>) : (tensor<?x?xf16>, tensor<?x?xi8>) -> tensor<?x?xf16> acc f32 prologue {
  ^bb0(%x: i8):
    %y = arith.sitofp %x : i8 to f16
    helios.yield %y : f16
  } prologue_a {
  ^bb0(%x: f16, %s: f16):
    %y = arith.mulf %x, %s : f16
    helios.yield %y : f16
  }
  helios.return %d : tensor<?x?xf16>
}

// -----

// Few rows are multiplied by what a tile of them computes; and rows that must not depend on their number have items alone that compute it.
// CHECK-LABEL: helios.kernel @few(
// CHECK-NOT: apart
// CHECK: helios.matmul
helios.kernel @few(%a: tensor<128x?xf16>, %w: tensor<?x?xi8>) -> tensor<128x?xf16> attributes {target = #ptx.target<"sm_90a">} {
  %d = helios.matmul %a, %w : (tensor<128x?xf16>, tensor<?x?xi8>) -> tensor<128x?xf16> acc f32 prologue {
  ^bb0(%x: i8):
    %y = arith.sitofp %x : i8 to f16
    helios.yield %y : f16
  }
  helios.return %d : tensor<128x?xf16>
}

// -----

// CHECK-LABEL: helios.kernel @invariant(
// CHECK-NOT: apart
// CHECK: helios.matmul
helios.kernel @invariant(%a: tensor<?x?xf16>, %w: tensor<?x?xi8>) -> tensor<?x?xf16> attributes {target = #ptx.target<"sm_90a">} {
  %d = helios.matmul %a, %w {batch_invariant} : (tensor<?x?xf16>, tensor<?x?xi8>) -> tensor<?x?xf16> acc f32 prologue {
  ^bb0(%x: i8):
    %y = arith.sitofp %x : i8 to f16
    helios.yield %y : f16
  }
  helios.return %d : tensor<?x?xf16>
}

// -----

helios.kernel @order(%a: tensor<?x?xf16>, %w: tensor<?x?xi8>) -> tensor<?x?xf16>
    attributes {target = #ptx.target<"sm_89">, schedule = #helios.schedule<strategy = groups, tile = [64, 64, 64], groups = [2, 2], depth = 3, apart = b>} {
  // expected-error @below {{the product is 'batch_invariant': elements that lie in one, multiplied in the order of k, add up in another order than where work items compute them; leave out 'apart'}}
  %d = helios.matmul %a, %w {batch_invariant, group = 64 : i64, transpose_b} : (tensor<?x?xf16>, tensor<?x?xi8>) -> tensor<?x?xf16> acc f32 prologue {
  ^bb0(%x: i8):
    %y = arith.sitofp %x : i8 to f16
    helios.yield %y, %y : f16, f16
  }
  helios.return %d : tensor<?x?xf16>
}

// -----

helios.kernel @nothing_right(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> tensor<?x?xf16>
    attributes {target = #ptx.target<"sm_89">, schedule = #helios.schedule<tile = [64, 64, 32], groups = [2, 2], apart = b>} {
  // expected-error @below {{expected a prologue of the right operand beside apart=b, got none; leave out 'apart'}}
  %d = helios.matmul %a, %b : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
  helios.return %d : tensor<?x?xf16>
}

// -----

helios.kernel @small_groups(%a: tensor<?x?xf16>, %w: tensor<?x?xi8>) -> tensor<?x?xf16>
    attributes {target = #ptx.target<"sm_89">, schedule = #helios.schedule<strategy = groups, tile = [64, 64, 64], groups = [2, 2], depth = 3, apart = b>} {
  // expected-error @below {{expected groups that lie in whole units of 16 bytes along k, got 8 elements for each of the 2 in one; leave out 'apart'}}
  %d = helios.matmul %a, %w {group = 16 : i64, transpose_b} : (tensor<?x?xf16>, tensor<?x?xi8>) -> tensor<?x?xf16> acc f32 prologue {
  ^bb0(%x: i8):
    %y = arith.sitofp %x : i8 to f16
    helios.yield %y, %y : f16, f16
  }
  helios.return %d : tensor<?x?xf16>
}
