// RUN: helios-opt --helios-select-schedule --split-input-file --verify-diagnostics %s | FileCheck %s

// What heads share, and comparisons of places do not say, is found first; not for slices of keys.

// CHECK-LABEL: helios.kernel @shared(
// CHECK-SAME: apart = mask
// CHECK-SAME: split_k = 0>
helios.kernel @shared(%q: tensor<?x?x?x64xf16>, %k: tensor<?x?x?x64xf16>, %v: tensor<?x?x?x64xf16>, %n: tensor<?x1x1x1xi32>) -> tensor<?x?x?x64xf16>
    attributes {target = #ptx.target<"sm_90a">} {
  %o = helios.attention %q, %k, %v fused(%n : tensor<?x1x1x1xi32>)
      : (tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>) -> tensor<?x?x?x64xf16> acc f32 mask {
  ^bb0(%length: i32, %b: index, %h: index, %i: index, %j: index):
    %end = arith.index_cast %length : i32 to index
    %keep = arith.cmpi slt, %j, %end : index
    helios.yield %keep : i1
  }
  helios.return %o : tensor<?x?x?x64xf16>
}

// -----

// CHECK-LABEL: helios.kernel @each_head(
// CHECK-NOT: apart
// CHECK: helios.attention
helios.kernel @each_head(%q: tensor<?x?x?x64xf16>, %k: tensor<?x?x?x64xf16>, %v: tensor<?x?x?x64xf16>, %n: tensor<?x1x1xi32>) -> tensor<?x?x?x64xf16>
    attributes {target = #ptx.target<"sm_90a">} {
  %o = helios.attention %q, %k, %v fused(%n : tensor<?x1x1xi32>)
      : (tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>) -> tensor<?x?x?x64xf16> acc f32 mask {
  ^bb0(%length: i32, %b: index, %h: index, %i: index, %j: index):
    %end = arith.index_cast %length : i32 to index
    %keep = arith.cmpi slt, %j, %end : index
    helios.yield %keep : i1
  }
  helios.return %o : tensor<?x?x?x64xf16>
}

// -----

// CHECK-LABEL: helios.kernel @causal(
// CHECK-NOT: apart
// CHECK: helios.attention
helios.kernel @causal(%q: tensor<?x?x?x64xf16>, %k: tensor<?x?x?x64xf16>, %v: tensor<?x?x?x64xf16>) -> tensor<?x?x?x64xf16>
    attributes {target = #ptx.target<"sm_90a">} {
  %o = helios.attention %q, %k, %v : (tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>) -> tensor<?x?x?x64xf16> acc f32 mask {
  ^bb0(%b: index, %h: index, %i: index, %j: index):
    %keep = arith.cmpi sle, %j, %i : index
    helios.yield %keep : i1
  }
  helios.return %o : tensor<?x?x?x64xf16>
}

// -----

helios.kernel @no_mask(%q: tensor<?x?x?x64xf16>, %k: tensor<?x?x?x64xf16>, %v: tensor<?x?x?x64xf16>) -> tensor<?x?x?x64xf16>
    attributes {target = #ptx.target<"sm_89">, schedule = #helios.schedule<strategy = groups, tile = [64, 64, 64], groups = [4, 1], depth = 2, apart = mask>} {
  // expected-error @below {{expected a mask beside apart=mask, got none; leave out 'apart'}}
  %o = helios.attention %q, %k, %v : (tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>) -> tensor<?x?x?x64xf16> acc f32
  helios.return %o : tensor<?x?x?x64xf16>
}

// -----

helios.kernel @of_a_product(%q: tensor<?x?x?x64xf16>, %k: tensor<?x?x?x64xf16>, %v: tensor<?x?x?x64xf16>) -> tensor<?x?x?x64xf16>
    attributes {target = #ptx.target<"sm_89">, schedule = #helios.schedule<strategy = groups, tile = [64, 64, 64], groups = [4, 1], depth = 2, apart = b>} {
  // expected-error @below {{expected apart=mask, as attention's operands have no prologue, got that of a product; leave out 'apart'}}
  %o = helios.attention %q, %k, %v : (tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>) -> tensor<?x?x?x64xf16> acc f32
  helios.return %o : tensor<?x?x?x64xf16>
}

// -----

helios.kernel @turned_attention(%q: tensor<?x?x?x64xf16>, %k: tensor<?x?x?x64xf16>, %v: tensor<?x?x?x64xf16>) -> tensor<?x?x?x64xf16>
    attributes {target = #ptx.target<"sm_89">, schedule = #helios.schedule<strategy = groups, tile = [64, 64, 64], groups = [4, 1], depth = 2, turn = b>} {
  // expected-error @below {{attention's operands are read as they are stored; leave out 'turn'}}
  %o = helios.attention %q, %k, %v : (tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>) -> tensor<?x?x?x64xf16> acc f32
  helios.return %o : tensor<?x?x?x64xf16>
}

// -----

helios.kernel @mask_of_product(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> tensor<?x?xf16>
    attributes {target = #ptx.target<"sm_89">, schedule = #helios.schedule<strategy = groups, tile = [64, 64, 32], depth = 2, apart = mask>} {
  // expected-error @below {{expected attention with a mask beside apart=mask, got a product; leave out 'apart'}}
  %d = helios.matmul %a, %b : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
  helios.return %d : tensor<?x?xf16>
}

// -----

// Roles turn what their instruction does not read, others nothing.

// CHECK-LABEL: helios.kernel @turned(
// CHECK-SAME: strategy = roles
// CHECK-SAME: turn = ab
helios.kernel @turned(%a: tensor<4096x4096xi8>, %b: tensor<4096x4096xi8>) -> tensor<4096x4096xi32> attributes {target = #ptx.target<"sm_90a">} {
  %d = helios.matmul %a, %b {transpose_a} : (tensor<4096x4096xi8>, tensor<4096x4096xi8>) -> tensor<4096x4096xi32> acc i32
  helios.return %d : tensor<4096x4096xi32>
}

// -----

// CHECK-LABEL: helios.kernel @read_as_stored(
// CHECK-NOT: turn =
// CHECK: helios.matmul
helios.kernel @read_as_stored(%a: tensor<4096x4096xf16>, %b: tensor<4096x4096xf16>) -> tensor<4096x4096xf16> attributes {target = #ptx.target<"sm_90a">} {
  %d = helios.matmul %a, %b {transpose_a} : (tensor<4096x4096xf16>, tensor<4096x4096xf16>) -> tensor<4096x4096xf16> acc f32
  helios.return %d : tensor<4096x4096xf16>
}

// -----

helios.kernel @along_k(%a: tensor<?x?xi8>, %b: tensor<?x?xi8>) -> tensor<?x?xi32>
    attributes {target = #ptx.target<"sm_89">, schedule = #helios.schedule<strategy = groups, tile = [64, 64, 64], depth = 2, turn = a>} {
  // expected-error @below {{expected A stored in rows along m, with no prologue and not packed, beside turn=a, got none such; leave out 'turn'}}
  %d = helios.matmul %a, %b : (tensor<?x?xi8>, tensor<?x?xi8>) -> tensor<?x?xi32> acc i32
  helios.return %d : tensor<?x?xi32>
}
