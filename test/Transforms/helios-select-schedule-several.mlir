// RUN: helios-opt --helios-select-schedule --split-input-file %s | FileCheck %s
//
// A schedule that the first product would have without the others is none that they can have: roles read operands as copies leave them.

// Tiles of few rows are those of the product with weights.
// CHECK-LABEL: helios.kernel @weights_behind
// CHECK-SAME: alternatives = [{{.+}}tile = [16, 16, 1024]
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

// -----

// A launch of two products has one schedule for both, and each its own number of slices.
// CHECK-LABEL: @two
// CHECK-SAME: alternatives = [{{.+}}split_k = 0
helios.kernel @two(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %c: tensor<?x?xf16>) -> tensor<?x?xf16> attributes {target = #spv.target<"nvidia">} {
  %e = helios.matmul %a, %b : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
  %d = helios.matmul %e, %c : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
  helios.return %d : tensor<?x?xf16>
}

// -----

// What one of them cannot have is no alternative.
// CHECK-LABEL: @second
// CHECK-NOT: split_k
// CHECK: helios.return
helios.kernel @second(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %c: tensor<?x?xf16>) -> (tensor<?x?xf16>, tensor<?xf32>) attributes {target = #spv.target<"nvidia">} {
  %e = helios.matmul %a, %b : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
  %d, %most = helios.matmul %e, %c {reductions = [#helios.reduction<max, m>]} : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16>, tensor<?xf32> acc f32 {
  ^bb0(%x: f32):
    %z = arith.truncf %x : f32 to f16
    helios.yield %z, %x : f16, f32
  }
  helios.return %d, %most : tensor<?x?xf16>, tensor<?xf32>
}

// -----

// The largest product chooses: here the first has 16 columns, as a low rank has, and tiles are those of the second.
// CHECK-LABEL: @low_rank
// CHECK-SAME: schedule = #helios.schedule<strategy = roles, tile = [{{[0-9]+, (128|192|256)}},
helios.kernel @low_rank(%x: tensor<?x4096xf16>, %a: tensor<4096x16xf16>, %w: tensor<4096x4096xf16>, %b: tensor<16x4096xf16>) -> tensor<?x4096xf16> attributes {target = #ptx.target<"sm_90a">} {
  %u = helios.matmul %x, %a : (tensor<?x4096xf16>, tensor<4096x16xf16>) -> tensor<?x16xf16> acc f32
  %v = helios.matmul %x, %w : (tensor<?x4096xf16>, tensor<4096x4096xf16>) -> tensor<?x4096xf16> acc f32
  %d = helios.matmul %u, %b fused(%v : tensor<?x4096xf16>) : (tensor<?x16xf16>, tensor<16x4096xf16>) -> tensor<?x4096xf16> acc f32 {
  ^bb0(%s: f32, %e: f16):
    %e32 = arith.extf %e : f16 to f32
    %y = arith.addf %s, %e32 : f32
    %z = arith.truncf %y : f32 to f16
    helios.yield %z : f16
  }
  helios.return %d : tensor<?x4096xf16>
}

// -----

// The least tile of a target may hold more sums than it likes to: 32x32 of a pair on 64 lanes.
// CHECK-LABEL: @least
// CHECK-SAME: schedule = #helios.schedule<tile = [{{[0-9]+, 32, [0-9]+}}], groups = [{{[0-9]+, [0-9]+}}], mma = [32, 32, 4]
helios.kernel @least(%x: tensor<?x?xf32>, %w: tensor<?x?xf32>, %v: tensor<?x?xf32>) -> tensor<?x?xf32> attributes {target = #spv.target<"lavapipe">} {
  %d = helios.matmul %x, %w pair(%v : tensor<?x?xf32>) : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32> acc f32 {
  ^bb0(%p: f32, %q: f32):
    %y = arith.mulf %p, %q : f32
    helios.yield %y : f32
  }
  helios.return %d : tensor<?x?xf32>
}
