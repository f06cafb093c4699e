// RUN: helios-opt --helios-select-schedule --split-input-file --verify-diagnostics %s | FileCheck %s

// Rows are spread over groups, keys and depths are not.

// CHECK-LABEL: helios.kernel @groups(
// CHECK-SAME: strategy = groups, tile = [{{[0-9]+}}, {{[0-9]+}}, 64], groups = [{{[0-9]+}}, 1], mma = [16, 8, 16]
helios.kernel @groups(%q: tensor<?x?x?x64xf16>, %k: tensor<?x?x?x64xf16>, %v: tensor<?x?x?x64xf16>) -> tensor<?x?x?x64xf16>
    attributes {target = #ptx.target<"sm_89">} {
  %o = helios.attention %q, %k, %v : (tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>) -> tensor<?x?x?x64xf16> acc f32
  helios.return %o : tensor<?x?x?x64xf16>
}

// -----

// A depth that no instruction divides is padded.

// CHECK-LABEL: helios.kernel @padded(
// CHECK-SAME: tile = [{{[0-9]+}}, {{[0-9]+}}, 48]
helios.kernel @padded(%q: tensor<?x?x?x40xf16>, %k: tensor<?x?x?x40xf16>, %v: tensor<?x?x?x40xf16>) -> tensor<?x?x?x40xf16>
    attributes {target = #ptx.target<"sm_89">} {
  %o = helios.attention %q, %k, %v : (tensor<?x?x?x40xf16>, tensor<?x?x?x40xf16>, tensor<?x?x?x40xf16>) -> tensor<?x?x?x40xf16> acc f32
  helios.return %o : tensor<?x?x?x40xf16>
}

// -----

helios.kernel @columns(%q: tensor<?x?x?x64xf16>, %k: tensor<?x?x?x64xf16>, %v: tensor<?x?x?x64xf16>) -> tensor<?x?x?x64xf16>
    attributes {target = #ptx.target<"sm_89">, schedule = #helios.schedule<strategy = groups, tile = [64, 64, 64], groups = [2, 2], depth = 2>} {
  // expected-error @below {{rows must not be spread over groups, which the softmax runs along; use groups=4x1}}
  %o = helios.attention %q, %k, %v : (tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>) -> tensor<?x?x?x64xf16> acc f32
  helios.return %o : tensor<?x?x?x64xf16>
}

// -----

helios.kernel @parts(%q: tensor<?x?x?x64xf16>, %k: tensor<?x?x?x64xf16>, %v: tensor<?x?x?x64xf16>) -> tensor<?x?x?x64xf16>
    attributes {target = #ptx.target<"sm_89">, schedule = #helios.schedule<strategy = groups, tile = [40, 64, 64], groups = [2, 1], depth = 2>} {
  // expected-error @below {{tile 40x64x64 is no multiple of 32x16x16, which the instructions 16x8x16 of its groups cover in both products}}
  %o = helios.attention %q, %k, %v : (tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>) -> tensor<?x?x?x64xf16> acc f32
  helios.return %o : tensor<?x?x?x64xf16>
}

// -----

helios.kernel @shallow(%q: tensor<?x?x?x64xf16>, %k: tensor<?x?x?x64xf16>, %v: tensor<?x?x?x64xf16>) -> tensor<?x?x?x64xf16>
    attributes {target = #ptx.target<"sm_89">, schedule = #helios.schedule<strategy = groups, tile = [64, 64, 32], groups = [2, 1], depth = 2>} {
  // expected-error @below {{the tile's depth of 32 is less than the 64 of queries and keys; use tile=64x64x64}}
  %o = helios.attention %q, %k, %v : (tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>) -> tensor<?x?x?x64xf16> acc f32
  helios.return %o : tensor<?x?x?x64xf16>
}

// -----

helios.kernel @cluster(%q: tensor<?x?x?x64xf16>, %k: tensor<?x?x?x64xf16>, %v: tensor<?x?x?x64xf16>) -> tensor<?x?x?x64xf16>
    attributes {target = #ptx.target<"sm_89">, schedule = #helios.schedule<strategy = groups, tile = [64, 64, 64], groups = [2, 1], depth = 2, cluster = [2, 1]>} {
  // expected-error @below {{attention shares no operands between workgroups; leave out 'cluster' and 'cluster_k'}}
  %o = helios.attention %q, %k, %v : (tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>) -> tensor<?x?x?x64xf16> acc f32
  helios.return %o : tensor<?x?x?x64xf16>
}

// -----

// Few queries: alternatives with few rows that split the keys, in as many slices as the launch finds.

// CHECK-LABEL: helios.kernel @few(
// CHECK-SAME: alternatives = [{{.*}}#helios.schedule<strategy = groups, tile = [16, {{[0-9]+}}, 128], groups = [1, 1], mma = [16, 8, 16], depth = {{[23]}}, split_k = 0>,
// CHECK-SAME: #helios.schedule<strategy = groups, tile = [64, {{[0-9]+}}, 128], groups = [4, 1], mma = [16, 8, 16], depth = {{[23]}}, split_k = 0>]
// CHECK-SAME: sum_weights = array<i64: 16000, 1>
// CHECK-SAME: weights = array<i64: {{([0-9]+, )+[0-9]+}}>
helios.kernel @few(%q: tensor<?x?x?x128xbf16>, %k: tensor<?x?x?x128xbf16>, %v: tensor<?x?x?x128xbf16>) -> tensor<?x?x?x128xbf16>
    attributes {target = #ptx.target<"sm_90a">} {
  %o = helios.attention %q, %k, %v : (tensor<?x?x?x128xbf16>, tensor<?x?x?x128xbf16>, tensor<?x?x?x128xbf16>) -> tensor<?x?x?x128xbf16> acc f32
  helios.return %o : tensor<?x?x?x128xbf16>
}

// -----

// CHECK-LABEL: helios.kernel @split(
// CHECK-NOT: alternatives
// CHECK-SAME: split_k = 2
helios.kernel @split(%q: tensor<?x?x?x64xf16>, %k: tensor<?x?x?x64xf16>, %v: tensor<?x?x?x64xf16>) -> tensor<?x?x?x64xf16>
    attributes {target = #ptx.target<"sm_89">, schedule = #helios.schedule<strategy = groups, tile = [64, 64, 64], groups = [2, 1], depth = 2, split_k = 2>} {
  %o = helios.attention %q, %k, %v : (tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>) -> tensor<?x?x?x64xf16> acc f32
  helios.return %o : tensor<?x?x?x64xf16>
}

// -----

helios.kernel @split_roles(%q: tensor<?x?x?x64xf16>, %k: tensor<?x?x?x64xf16>, %v: tensor<?x?x?x64xf16>) -> tensor<?x?x?x64xf16>
    attributes {target = #ptx.target<"sm_90a">, schedule = #helios.schedule<strategy = roles, tile = [128, 64, 64], groups = [2, 1], depth = 2, split_k = 2>} {
  // expected-error @below {{with roles attention does not split its keys; leave out 'split_k', or use another strategy}}
  %o = helios.attention %q, %k, %v : (tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>) -> tensor<?x?x?x64xf16> acc f32
  helios.return %o : tensor<?x?x?x64xf16>
}

// -----

helios.kernel @slots(%q: tensor<?x?x?x80xf16>, %k: tensor<?x?x?x80xf16>, %v: tensor<?x?x?x80xf16>) -> tensor<?x?x?x80xf16>
    attributes {target = #ptx.target<"sm_89">, schedule = #helios.schedule<strategy = groups, tile = [32, 16, 80], groups = [2, 1], depth = 2>} {
  // expected-error @below {{a block of 16 keys does not fill slots of a multiple of 1024 bytes; use tile=32x32x80}}
  %o = helios.attention %q, %k, %v : (tensor<?x?x?x80xf16>, tensor<?x?x?x80xf16>, tensor<?x?x?x80xf16>) -> tensor<?x?x?x80xf16> acc f32
  helios.return %o : tensor<?x?x?x80xf16>
}

// -----

helios.kernel @strategy(%q: tensor<?x?x?x64xf16>, %k: tensor<?x?x?x64xf16>, %v: tensor<?x?x?x64xf16>) -> tensor<?x?x?x64xf16>
    attributes {target = #spv.target<"simt">, schedule = #helios.schedule<strategy = groups, tile = [64, 64, 64], groups = [2, 1], depth = 2>} {
  // expected-error @below {{target 'simt' does not lower the strategy 'groups', only staged}}
  %o = helios.attention %q, %k, %v : (tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>) -> tensor<?x?x?x64xf16> acc f32
  helios.return %o : tensor<?x?x?x64xf16>
}

// -----

// Roles where an engine multiplies; its instructions differ for both products, so none is named.

// CHECK-LABEL: helios.kernel @roles(
// CHECK-SAME: schedule<strategy = roles, tile = [{{[0-9]+}}, {{[0-9]+}}, 128], groups = [{{[23]}}, 1], depth = {{[0-9]}}, items = persistent>
helios.kernel @roles(%q: tensor<?x?x?x128xbf16>, %k: tensor<?x?x?x128xbf16>, %v: tensor<?x?x?x128xbf16>) -> tensor<?x?x?x128xbf16>
    attributes {target = #ptx.target<"sm_90a">} {
  %o = helios.attention %q, %k, %v : (tensor<?x?x?x128xbf16>, tensor<?x?x?x128xbf16>, tensor<?x?x?x128xbf16>) -> tensor<?x?x?x128xbf16> acc f32
  helios.return %o : tensor<?x?x?x128xbf16>
}

// CHECK-LABEL: helios.kernel @deepest(
// CHECK-SAME: schedule<strategy = roles, tile = [128, {{[0-9]+}}, 256], groups = [2, 1]
helios.kernel @deepest(%q: tensor<?x?x?x256xbf16>, %k: tensor<?x?x?x256xbf16>, %v: tensor<?x?x?x256xbf16>) -> tensor<?x?x?x256xbf16>
    attributes {target = #ptx.target<"sm_90a">} {
  %o = helios.attention %q, %k, %v : (tensor<?x?x?x256xbf16>, tensor<?x?x?x256xbf16>, tensor<?x?x?x256xbf16>) -> tensor<?x?x?x256xbf16> acc f32
  helios.return %o : tensor<?x?x?x256xbf16>
}

// Groups where none does, and where results have no room in registers.

// CHECK-LABEL: helios.kernel @single(
// CHECK-SAME: schedule<strategy = groups
helios.kernel @single(%q: tensor<?x?x?x64xf32>, %k: tensor<?x?x?x64xf32>, %v: tensor<?x?x?x64xf32>) -> tensor<?x?x?x64xf32>
    attributes {target = #ptx.target<"sm_90a">} {
  %o = helios.attention %q, %k, %v : (tensor<?x?x?x64xf32>, tensor<?x?x?x64xf32>, tensor<?x?x?x64xf32>) -> tensor<?x?x?x64xf32> acc f32
  helios.return %o : tensor<?x?x?x64xf32>
}

// CHECK-LABEL: helios.kernel @given(
// CHECK-SAME: tile = [192, 80, 128], groups = [3, 1]
helios.kernel @given(%q: tensor<?x?x?x128xbf16>, %k: tensor<?x?x?x128xbf16>, %v: tensor<?x?x?x128xbf16>) -> tensor<?x?x?x128xbf16>
    attributes {target = #ptx.target<"sm_90a">, schedule = #helios.schedule<strategy = roles, tile = [192, 80, 128], groups = [3, 1], depth = 2, items = persistent>} {
  %o = helios.attention %q, %k, %v : (tensor<?x?x?x128xbf16>, tensor<?x?x?x128xbf16>, tensor<?x?x?x128xbf16>) -> tensor<?x?x?x128xbf16> acc f32
  helios.return %o : tensor<?x?x?x128xbf16>
}

// -----

helios.kernel @rows(%q: tensor<?x?x?x64xf16>, %k: tensor<?x?x?x64xf16>, %v: tensor<?x?x?x64xf16>) -> tensor<?x?x?x64xf16>
    attributes {target = #ptx.target<"sm_90a">, schedule = #helios.schedule<strategy = roles, tile = [192, 64, 64], groups = [2, 1], depth = 2, items = persistent>} {
  // expected-error @below {{each group computes 64 rows; use tile=128x64x64 and groups=2x1}}
  %o = helios.attention %q, %k, %v : (tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>) -> tensor<?x?x?x64xf16> acc f32
  helios.return %o : tensor<?x?x?x64xf16>
}

// -----

helios.kernel @blocks(%q: tensor<?x?x?x64xf16>, %k: tensor<?x?x?x64xf16>, %v: tensor<?x?x?x64xf16>) -> tensor<?x?x?x64xf16>
    attributes {target = #ptx.target<"sm_90a">, schedule = #helios.schedule<strategy = roles, tile = [256, 64, 64], groups = [2, 1], depth = 2, items = persistent>} {
  // expected-error @below {{each group computes 64 rows; use tile=128x64x64 and groups=2x1}}
  %o = helios.attention %q, %k, %v : (tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>) -> tensor<?x?x?x64xf16> acc f32
  helios.return %o : tensor<?x?x?x64xf16>
}

// -----

helios.kernel @units(%q: tensor<?x?x?x64xf16>, %k: tensor<?x?x?x64xf16>, %v: tensor<?x?x?x64xf16>) -> tensor<?x?x?x64xf16>
    attributes {target = #ptx.target<"sm_90a">, schedule = #helios.schedule<strategy = roles, tile = [128, 72, 64], groups = [2, 1], depth = 2, items = persistent>} {
  // expected-error @below {{expected multiples of 16 keys and 16 of the depth}}
  %o = helios.attention %q, %k, %v : (tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>) -> tensor<?x?x?x64xf16> acc f32
  helios.return %o : tensor<?x?x?x64xf16>
}

// -----

helios.kernel @shared(%q: tensor<?x?x?x128xf16>, %k: tensor<?x?x?x128xf16>, %v: tensor<?x?x?x128xf16>) -> tensor<?x?x?x128xf16>
    attributes {target = #ptx.target<"sm_90a">, schedule = #helios.schedule<strategy = roles, tile = [128, 256, 128], groups = [2, 1], depth = 2, items = persistent>} {
  // expected-error @below {{it needs 294912 bytes of shared memory, more than the 232448 of the target}}
  %o = helios.attention %q, %k, %v : (tensor<?x?x?x128xf16>, tensor<?x?x?x128xf16>, tensor<?x?x?x128xf16>) -> tensor<?x?x?x128xf16> acc f32
  helios.return %o : tensor<?x?x?x128xf16>
}

// -----

helios.kernel @grid(%q: tensor<?x?x?x64xf16>, %k: tensor<?x?x?x64xf16>, %v: tensor<?x?x?x64xf16>) -> tensor<?x?x?x64xf16>
    attributes {target = #ptx.target<"sm_90a">, schedule = #helios.schedule<strategy = roles, tile = [128, 64, 64], groups = [2, 1], depth = 2>} {
  // expected-error @below {{expected items=persistent with strategy=roles}}
  %o = helios.attention %q, %k, %v : (tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>) -> tensor<?x?x?x64xf16> acc f32
  helios.return %o : tensor<?x?x?x64xf16>
}

// -----

helios.kernel @turns(%q: tensor<?x?x?x64xf16>, %k: tensor<?x?x?x64xf16>, %v: tensor<?x?x?x64xf16>) -> tensor<?x?x?x64xf16>
    attributes {target = #ptx.target<"sm_90a">, schedule = #helios.schedule<strategy = roles, tile = [192, 64, 64], groups = [3, 1], depth = 2, items = persistent, turns = 2>} {
  // expected-error @below {{attention's groups take turns at starting products, with strategy=roles and as many turns as groups; leave out 'turns', or use turns=3}}
  %o = helios.attention %q, %k, %v : (tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>) -> tensor<?x?x?x64xf16> acc f32
  helios.return %o : tensor<?x?x?x64xf16>
}

// -----

// A group of 32 rows reads keys half as often as one of 16. Its queries have no room in registers, where they
// are read a few at a time; a result of depth 160 leaves no room for that.
// CHECK-LABEL: helios.kernel @rows(
// CHECK-SAME: schedule<strategy = groups, tile = [128, 32, 128], groups = [4, 1], mma = [16, 8, 16], depth = 2>
helios.kernel @rows(%q: tensor<?x?x?x128xbf16>, %k: tensor<?x?x?x128xbf16>, %v: tensor<?x?x?x128xbf16>) -> tensor<?x?x?x128xbf16>
    attributes {target = #ptx.target<"sm_89">} {
  %o = helios.attention %q, %k, %v : (tensor<?x?x?x128xbf16>, tensor<?x?x?x128xbf16>, tensor<?x?x?x128xbf16>) -> tensor<?x?x?x128xbf16> acc f32
  helios.return %o : tensor<?x?x?x128xbf16>
}

// -----

// CHECK-LABEL: helios.kernel @wide_rows(
// CHECK-SAME: schedule<strategy = groups, tile = [128, 32, 160], groups = [8, 1]
helios.kernel @wide_rows(%q: tensor<?x?x?x160xbf16>, %k: tensor<?x?x?x160xbf16>, %v: tensor<?x?x?x160xbf16>) -> tensor<?x?x?x160xbf16>
    attributes {target = #ptx.target<"sm_89">} {
  %o = helios.attention %q, %k, %v : (tensor<?x?x?x160xbf16>, tensor<?x?x?x160xbf16>, tensor<?x?x?x160xbf16>) -> tensor<?x?x?x160xbf16> acc f32
  helios.return %o : tensor<?x?x?x160xbf16>
}

// -----

// Groups whose lanes bound a block, and not its products, take turns, from three groups on. Items cost something beside their keys; slices do not.

// CHECK-LABEL: helios.kernel @turns(
// CHECK-SAME: alternatives = [{{.*}}groups = [2, 1], depth = {{[0-9]}}, items = persistent>
// CHECK-SAME: groups = [3, 1], depth = {{[0-9]}}, items = persistent, turns = 3>
// CHECK-SAME: item_weights = array<i64: {{([1-9][0-9]*, 0, )+0, 0, 0, 0}}>
// CHECK-SAME: schedule = #helios.schedule<strategy = roles, tile = [256, 64, 64], groups = [4, 1], depth = {{[0-9]}}, items = persistent, turns = 4>
helios.kernel @turns(%q: tensor<?x?x?x64xbf16>, %k: tensor<?x?x?x64xbf16>, %v: tensor<?x?x?x64xbf16>) -> tensor<?x?x?x64xbf16>
    attributes {target = #ptx.target<"sm_90a">} {
  %o = helios.attention %q, %k, %v : (tensor<?x?x?x64xbf16>, tensor<?x?x?x64xbf16>, tensor<?x?x?x64xbf16>) -> tensor<?x?x?x64xbf16> acc f32
  helios.return %o : tensor<?x?x?x64xbf16>
}

// -----

// Matrices without places: one block a trip where groups have two instructions' rows, or blocks are long.
// CHECK-LABEL: helios.kernel @matrices(
// CHECK-SAME: schedule = #helios.schedule<tile = [128, 32, 64], groups = [4, 1], mma = [16, 16, 16], unroll = 1>
helios.kernel @matrices(%q: tensor<?x?x?x64xf16>, %k: tensor<?x?x?x64xf16>, %v: tensor<?x?x?x64xf16>) -> tensor<?x?x?x64xf16> attributes {target = #spv.target<"nvidia">} {
  %o = helios.attention %q, %k, %v : (tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>) -> tensor<?x?x?x64xf16> acc f32
  helios.return %o : tensor<?x?x?x64xf16>
}

// CHECK-LABEL: helios.kernel @matrices_causal(
// CHECK-SAME: schedule = #helios.schedule<tile = [128, 32, 64], groups = [4, 1], mma = [16, 16, 16], unroll = 1>
helios.kernel @matrices_causal(%q: tensor<?x?x?x64xf16>, %k: tensor<?x?x?x64xf16>, %v: tensor<?x?x?x64xf16>) -> tensor<?x?x?x64xf16> attributes {target = #spv.target<"nvidia">} {
  %o = helios.attention %q, %k, %v : (tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>) -> tensor<?x?x?x64xf16> acc f32 mask {
  ^bb0(%b: index, %h: index, %i: index, %j: index):
    %seen = arith.cmpi sle, %j, %i : index
    helios.yield %seen : i1
  }
  helios.return %o : tensor<?x?x?x64xf16>
}

// CHECK-LABEL: helios.kernel @matrices_wide(
// CHECK-SAME: schedule = #helios.schedule<tile = [128, 64, 128], groups = [8, 1], mma = [16, 16, 16], unroll = 1>
helios.kernel @matrices_wide(%q: tensor<?x?x?x128xf16>, %k: tensor<?x?x?x128xf16>, %v: tensor<?x?x?x128xf16>) -> tensor<?x?x?x128xf16> attributes {target = #spv.target<"nvidia">} {
  %o = helios.attention %q, %k, %v : (tensor<?x?x?x128xf16>, tensor<?x?x?x128xf16>, tensor<?x?x?x128xf16>) -> tensor<?x?x?x128xf16> acc f32
  helios.return %o : tensor<?x?x?x128xf16>
}

// CHECK-LABEL: helios.kernel @masked_wide(
// CHECK-SAME: schedule = #helios.schedule<tile = [128, 64, 128], groups = [8, 1], mma = [16, 16, 16], unroll = 1>
helios.kernel @masked_wide(%q: tensor<?x?x?x128xf16>, %k: tensor<?x?x?x128xf16>, %v: tensor<?x?x?x128xf16>) -> tensor<?x?x?x128xf16> attributes {target = #spv.target<"nvidia-nv2">} {
  %o = helios.attention %q, %k, %v : (tensor<?x?x?x128xf16>, tensor<?x?x?x128xf16>, tensor<?x?x?x128xf16>) -> tensor<?x?x?x128xf16> acc f32 mask {
  ^bb0(%b: index, %h: index, %i: index, %j: index):
    %seen = arith.cmpi sle, %j, %i : index
    helios.yield %seen : i1
  }
  helios.return %o : tensor<?x?x?x128xf16>
}

// Lanes that round weights to bf16 have those of one instruction's rows; where accumulators become operands it is as with f16.
// CHECK-LABEL: helios.kernel @rounded_in_lanes(
// CHECK-SAME: schedule = #helios.schedule<tile = [128, 32, 64], groups = [8, 1], mma = [16, 16, 16]>
helios.kernel @rounded_in_lanes(%q: tensor<?x?x?x64xbf16>, %k: tensor<?x?x?x64xbf16>, %v: tensor<?x?x?x64xbf16>) -> tensor<?x?x?x64xbf16> attributes {target = #spv.target<"nvidia">} {
  %o = helios.attention %q, %k, %v : (tensor<?x?x?x64xbf16>, tensor<?x?x?x64xbf16>, tensor<?x?x?x64xbf16>) -> tensor<?x?x?x64xbf16> acc f32
  helios.return %o : tensor<?x?x?x64xbf16>
}

// CHECK-LABEL: helios.kernel @rounded_in_matrices(
// CHECK-SAME: schedule = #helios.schedule<tile = [128, 32, 64], groups = [4, 1], mma = [16, 16, 16], unroll = 1>
helios.kernel @rounded_in_matrices(%q: tensor<?x?x?x64xbf16>, %k: tensor<?x?x?x64xbf16>, %v: tensor<?x?x?x64xbf16>) -> tensor<?x?x?x64xbf16> attributes {target = #spv.target<"nvidia-nv2">} {
  %o = helios.attention %q, %k, %v : (tensor<?x?x?x64xbf16>, tensor<?x?x?x64xbf16>, tensor<?x?x?x64xbf16>) -> tensor<?x?x?x64xbf16> acc f32
  helios.return %o : tensor<?x?x?x64xbf16>
}

// Keys are split where queries are few, by tiles of an instruction's rows for each group; of blocks of few keys the longest where there is no room for more.
// CHECK-LABEL: helios.kernel @matrices_narrow(
// CHECK-SAME: alternatives = [#helios.schedule<tile = [64, 64, 128], groups = [4, 1], mma = [16, 16, 16], unroll = 1>, #helios.schedule<tile = [64, 32, 128], groups = [4, 1], mma = [16, 16, 16], split_k = 0>]
helios.kernel @matrices_narrow(%q: tensor<?x?x?x128xf16>, %k: tensor<?x?x?x128xf16>, %v: tensor<?x?x?x128xf16>) -> tensor<?x?x?x128xf16> attributes {target = #spv.target<"nvidia">} {
  %o = helios.attention %q, %k, %v : (tensor<?x?x?x128xf16>, tensor<?x?x?x128xf16>, tensor<?x?x?x128xf16>) -> tensor<?x?x?x128xf16> acc f32
  helios.return %o : tensor<?x?x?x128xf16>
}

// What matrices of lanes leave no room for takes smaller ones.
// CHECK-LABEL: helios.kernel @lanes(
// CHECK-SAME: alternatives = [#helios.schedule<tile = [16, 16, 128], groups = [1, 1], mma = [16, 16, 4], split_k = 0>]
// CHECK-SAME: schedule = #helios.schedule<tile = [16, 16, 128], groups = [1, 1], mma = [16, 16, 4]>
helios.kernel @lanes(%q: tensor<?x?x?x128xf16>, %k: tensor<?x?x?x128xf16>, %v: tensor<?x?x?x128xf16>) -> tensor<?x?x?x128xf16> attributes {target = #spv.target<"simt">} {
  %o = helios.attention %q, %k, %v : (tensor<?x?x?x128xf16>, tensor<?x?x?x128xf16>, tensor<?x?x?x128xf16>) -> tensor<?x?x?x128xf16> acc f32
  helios.return %o : tensor<?x?x?x128xf16>
}

// CHECK-LABEL: helios.kernel @lanes_wide(
// CHECK-SAME: schedule = #helios.schedule<tile = [4, 4, 256], groups = [1, 1], mma = [4, 4, 4], pad = 4>
helios.kernel @lanes_wide(%q: tensor<?x?x?x256xf32>, %k: tensor<?x?x?x256xf32>, %v: tensor<?x?x?x256xf32>) -> tensor<?x?x?x256xf32> attributes {target = #spv.target<"simt">} {
  %o = helios.attention %q, %k, %v : (tensor<?x?x?x256xf32>, tensor<?x?x?x256xf32>, tensor<?x?x?x256xf32>) -> tensor<?x?x?x256xf32> acc f32
  helios.return %o : tensor<?x?x?x256xf32>
}

// CHECK-LABEL: helios.kernel @lanes_of_warps(
// CHECK-SAME: schedule = #helios.schedule<strategy = groups, tile = [16, 16, 256], groups = [1, 1], mma = [16, 8, 4], depth = 2, pad = 4>
helios.kernel @lanes_of_warps(%q: tensor<?x?x?x256xf32>, %k: tensor<?x?x?x256xf32>, %v: tensor<?x?x?x256xf32>) -> tensor<?x?x?x256xf32> attributes {target = #ptx.target<"sm_89">} {
  %o = helios.attention %q, %k, %v : (tensor<?x?x?x256xf32>, tensor<?x?x?x256xf32>, tensor<?x?x?x256xf32>) -> tensor<?x?x?x256xf32> acc f32
  helios.return %o : tensor<?x?x?x256xf32>
}

// -----

helios.kernel @two_buffers(%q: tensor<?x?x?x64xf16>, %k: tensor<?x?x?x64xf16>, %v: tensor<?x?x?x64xf16>) -> tensor<?x?x?x64xf16>
    attributes {target = #spv.target<"nvidia">, schedule = #helios.schedule<tile = [128, 32, 64], groups = [4, 1], depth = 2>} {
  // expected-error @below {{expected depth=1 with strategy=staged, in which attention has one buffer of keys and one of values, got depth=2; leave depth out}}
  %o = helios.attention %q, %k, %v : (tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>) -> tensor<?x?x?x64xf16> acc f32
  helios.return %o : tensor<?x?x?x64xf16>
}

// -----

// Beside a tile of many rows one of half as many stands for launches of few items: one instruction's rows for each group, and long trips.
// CHECK-LABEL: helios.kernel @few_items
// CHECK-SAME: alternatives = [#helios.schedule<tile = [64, 64, 64], groups = [4, 1], mma = [16, 16, 16], unroll = 1>
// CHECK-SAME: schedule = #helios.schedule<tile = [128, 32, 64], groups = [4, 1], mma = [16, 16, 16], unroll = 1>
helios.kernel @few_items(%q: tensor<?x?x?x64xf16>, %k: tensor<?x?x?x64xf16>, %v: tensor<?x?x?x64xf16>) -> tensor<?x?x?x64xf16> attributes {target = #spv.target<"nvidia">} {
  %o = helios.attention %q, %k, %v {scale = 0.125 : f64} : (tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>) -> tensor<?x?x?x64xf16> acc f32 mask {
  ^bb0(%b: index, %h: index, %i: index, %j: index):
    %m = arith.cmpi sle, %j, %i : index
    helios.yield %m : i1
  }
  helios.return %o : tensor<?x?x?x64xf16>
}

// -----

// Roles leave room for slabs of the result: two groups have two slots of 128 keys and values, though three would fit, and take turns, since lanes have
// enough to do meanwhile.
// CHECK-LABEL: helios.kernel @room_for_slabs
// CHECK-SAME: #helios.schedule<strategy = roles, tile = [128, 128, 128], groups = [2, 1], depth = 2, items = persistent, turns = 2>
// CHECK-SAME: schedule = #helios.schedule<strategy = roles, tile = [192, 64, 128], groups = [3, 1], depth = 4, items = persistent>
helios.kernel @room_for_slabs(%q: tensor<?x?x?x128xbf16>, %k: tensor<?x?x?x128xbf16>, %v: tensor<?x?x?x128xbf16>) -> tensor<?x?x?x128xbf16> attributes {target = #ptx.target<"sm_90a">} {
  %o = helios.attention %q, %k, %v : (tensor<?x?x?x128xbf16>, tensor<?x?x?x128xbf16>, tensor<?x?x?x128xbf16>) -> tensor<?x?x?x128xbf16> acc f32
  helios.return %o : tensor<?x?x?x128xbf16>
}

// -----

// Rows of 192 bytes are filled up to 256, where a swizzle repeats, and counted so.
helios.kernel @filled_rows(%q: tensor<?x?x?x96xbf16>, %k: tensor<?x?x?x96xbf16>, %v: tensor<?x?x?x96xbf16>) -> tensor<?x?x?x96xbf16>
    attributes {target = #ptx.target<"sm_90a">, schedule = #helios.schedule<strategy = roles, tile = [64, 256, 96], groups = [1, 1], depth = 2, items = persistent>} {
  // expected-error @below {{it needs 278528 bytes of shared memory, more than the 232448 of the target}}
  %o = helios.attention %q, %k, %v : (tensor<?x?x?x96xbf16>, tensor<?x?x?x96xbf16>, tensor<?x?x?x96xbf16>) -> tensor<?x?x?x96xbf16> acc f32
  helios.return %o : tensor<?x?x?x96xbf16>
}

// -----

// So are those of a bias.
helios.kernel @filled_bias(%q: tensor<?x?x?x128xbf16>, %k: tensor<?x?x?x128xbf16>, %v: tensor<?x?x?x128xbf16>, %bias: tensor<?x?xbf16>) -> tensor<?x?x?x128xbf16>
    attributes {target = #ptx.target<"sm_90a">, schedule = #helios.schedule<strategy = roles, tile = [128, 80, 128], groups = [2, 1], depth = 3, items = persistent>} {
  // expected-error @below {{it needs 253952 bytes of shared memory, more than the 232448 of the target}}
  %o = helios.attention %q, %k, %v fused(%bias : tensor<?x?xbf16>)
      : (tensor<?x?x?x128xbf16>, tensor<?x?x?x128xbf16>, tensor<?x?x?x128xbf16>) -> tensor<?x?x?x128xbf16> acc f32 score {
  ^bb0(%s: f32, %c: bf16, %b: index, %h: index, %i: index, %j: index):
    %c32 = arith.extf %c : bf16 to f32
    %t = arith.addf %s, %c32 : f32
    helios.yield %t : f32
  }
  helios.return %o : tensor<?x?x?x128xbf16>
}
