// RUN: split-file %s %t
// RUN: helios-opt --helios-select-schedule --split-input-file %t/chosen.mlir | FileCheck %t/chosen.mlir
// RUN: helios-opt --helios-select-schedule=schedule=strategy=staged,tile=64x64x32,groups=2x2,pack=b --split-input-file -verify-diagnostics %t/refused.mlir
// RUN: helios-opt --helios-select-schedule=schedule=strategy=staged,tile=64x64x32,groups=2x2,pack=b,split_k=4 --split-input-file -verify-diagnostics %t/split.mlir
// RUN: helios-opt --helios-select-schedule=schedule=strategy=groups,tile=64x64x32,groups=2x2,depth=3,pack=b -verify-diagnostics %t/groups.mlir
// RUN: not helios-opt --helios-select-schedule=schedule=pack=a %t/split.mlir 2>&1 | FileCheck %t/split.mlir

//--- chosen.mlir

// Where packing has a price, the cheapest schedule that packs is one more alternative, which launches compare.
// CHECK-LABEL: @priced
// CHECK-SAME: #helios.schedule<tile = [64, 256, 64], groups = [1, 4], mma = [16, 16, 16], depth = 2, raster = 32, ahead = 1, pack = b>], modelled = {{[0-9]+}} : i64, pack_weights = array<i64: {{[1-9][0-9]*}}, {{[1-9][0-9]*}}>
helios.kernel @priced(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> tensor<?x?xf16> attributes {target = #spv.target<"nvidia">} {
  %d = helios.matmul %a, %b : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
  helios.return %d : tensor<?x?xf16>
}

// -----

// Without a price nobody packs unasked.
// CHECK-LABEL: @unpriced
// CHECK-NOT: pack
helios.kernel @unpriced(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> tensor<?x?xf16> attributes {target = #spv.target<"lavapipe">} {
  %d = helios.matmul %a, %b : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
  helios.return %d : tensor<?x?xf16>
}

// -----

// Nor what is packed already, or what each batch has for itself.
// CHECK-LABEL: @constant
// CHECK-NOT: pack = b
// CHECK-LABEL: @batches
// CHECK-NOT: pack
helios.kernel @constant(%a: tensor<?x?xf16>, %b: tensor<?x?xf16> {helios.constant}) -> tensor<?x?xf16> attributes {target = #spv.target<"nvidia">} {
  %d = helios.matmul %a, %b : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
  helios.return %d : tensor<?x?xf16>
}
helios.kernel @batches(%a: tensor<?x?x?xf16>, %b: tensor<?x?x?xf16>) -> tensor<?x?x?xf16> attributes {target = #spv.target<"nvidia">} {
  %d = helios.matmul %a, %b : (tensor<?x?x?xf16>, tensor<?x?x?xf16>) -> tensor<?x?x?xf16> acc f32
  helios.return %d : tensor<?x?x?xf16>
}

//--- groups.mlir

helios.kernel @groups(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> tensor<?x?xf16> attributes {target = #ptx.target<"sm_89">} {
  // expected-error @+1 {{strategy=groups reads operands where copies leave them, got pack=b; leave out 'pack'}}
  %d = helios.matmul %a, %b : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
  helios.return %d : tensor<?x?xf16>
}

//--- refused.mlir

helios.kernel @batches(%a: tensor<?x?x?xf16>, %b: tensor<?x?x?xf16>) -> tensor<?x?x?xf16> attributes {target = #spv.target<"nvidia">} {
  // expected-error @+1 {{the right operand is packed as it is stored, a matrix that all items share: expected one without batches, groups, scales or a pair; leave out 'pack'}}
  %d = helios.matmul %a, %b : (tensor<?x?x?xf16>, tensor<?x?x?xf16>) -> tensor<?x?x?xf16> acc f32
  helios.return %d : tensor<?x?x?xf16>
}

// -----

helios.kernel @constant(%a: tensor<?x?xf16>, %b: tensor<?x?xf16> {helios.constant}) -> tensor<?x?xf16> attributes {target = #spv.target<"nvidia">} {
  // expected-error @+1 {{a constant operand is packed already; leave out 'pack'}}
  %d = helios.matmul %a, %b : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
  helios.return %d : tensor<?x?xf16>
}

// -----

helios.kernel @pair(%a: tensor<?x?xf16>, %v: tensor<?x?xf16>, %w: tensor<?x?xf16>) -> tensor<?x?xf16> attributes {target = #spv.target<"nvidia">} {
  // expected-error @+1 {{the right operand is packed as it is stored, a matrix that all items share: expected one without batches, groups, scales or a pair; leave out 'pack'}}
  %d = helios.matmul %a, %v pair(%w : tensor<?x?xf16>) : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32 {
  ^bb0(%s: f32, %t: f32):
    %y = arith.mulf %s, %t : f32
    %z = arith.truncf %y : f32 to f16
    helios.yield %z : f16
  }
  helios.return %d : tensor<?x?xf16>
}

// -----

helios.kernel @computed(%a: tensor<?x?xf16>, %b: tensor<?x?xi8>) -> tensor<?x?xf16> attributes {target = #spv.target<"nvidia">} {
  // expected-error @+1 {{a right operand that a prologue computes is packed where it is made first: expected apart=b beside pack=b; leave out 'pack'}}
  %d = helios.matmul %a, %b : (tensor<?x?xf16>, tensor<?x?xi8>) -> tensor<?x?xf16> acc f32 prologue {
  ^bb0(%x: i8):
    %y = arith.sitofp %x : i8 to f16
    helios.yield %y : f16
  }
  helios.return %d : tensor<?x?xf16>
}

// -----

helios.kernel @order(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> tensor<?x?xf16> attributes {target = #spv.target<"rdna">} {
  // expected-error @+1 {{target 'rdna' has no order of lanes for the right operand of 16x16x16; leave out 'pack'}}
  %d = helios.matmul %a, %b : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
  helios.return %d : tensor<?x?xf16>
}

//--- split.mlir

// CHECK: schedule parameter 'pack' must be one of none, b, got 'a'
helios.kernel @split(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> tensor<?x?xf16> attributes {target = #spv.target<"nvidia">} {
  // expected-error @+1 {{expected split_k=1 beside pack=b, got split_k=4; leave out 'pack'}}
  %d = helios.matmul %a, %b : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
  helios.return %d : tensor<?x?xf16>
}
