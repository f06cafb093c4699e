// RUN: helios-opt --helios-select-schedule --split-input-file %s | FileCheck %s
//
// A schedule that the first product would have without the others is none that they can have: roles read operands as copies leave them.

// CHECK-LABEL: helios.kernel @weights_behind
// CHECK-SAME: schedule = #helios.schedule<strategy = groups
helios.kernel @weights_behind(%x: tensor<?x?xf16>, %w: tensor<?x?xf16>, %v: tensor<?x?xi8>, %s: tensor<1x?xf16>) -> tensor<?x?xf16> attributes {target = #ptx.target<"sm_90a">} {
  %h = helios.matmul %x, %w : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
  %d = helios.matmul %h, %v prologue(%s : tensor<1x?xf16>) : (tensor<?x?xf16>, tensor<?x?xi8>) -> tensor<?x?xf16> acc f32 prologue {
  ^bb0(%stored: i8, %scale: f16):
    %f = arith.sitofp %stored : i8 to f16
    %y = arith.mulf %f, %scale : f16
    helios.yield %y : f16
  }
  helios.return %d : tensor<?x?xf16>
}

// -----

// Sums of a pair take twice the registers of the first product's.
// CHECK-LABEL: helios.kernel @pair_behind
// CHECK-SAME: schedule = #helios.schedule<
helios.kernel @pair_behind(%x: tensor<?x?xf16>, %w: tensor<?x?xf16>, %v: tensor<?x?xf16>, %g: tensor<?x?xf16>) -> tensor<?x?xf16> attributes {target = #spv.target<"nvidia">} {
  %h = helios.matmul %x, %w : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
  %d = helios.matmul %h, %v pair(%g : tensor<?x?xf16>) : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32 {
  ^bb0(%p: f32, %q: f32):
    %y = arith.mulf %p, %q : f32
    %z = arith.truncf %y : f32 to f16
    helios.yield %z : f16
  }
  helios.return %d : tensor<?x?xf16>
}
