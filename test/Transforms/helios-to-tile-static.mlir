// RUN: helios-opt --helios-to-tile --canonicalize --split-input-file %s | FileCheck %s

// Static extents are constants of the program; what they rule out is not emitted.
// CHECK-LABEL: tile.program @odd_any(
// CHECK: tile.view {{.*}} -> <17x31xf16, strides = [?, ?]>
// CHECK: tile.view {{.*}} -> <31x13xf16, strides = [?, ?]>
// CHECK-LABEL: tile.plan @odd
// CHECK-NOT: tile.require
// CHECK-NOT: @odd_full
// CHECK-NOT: @odd_aligned
// CHECK: tile.dispatch @odd_any
helios.kernel @odd(%a: tensor<17x31xf16>, %b: tensor<31x13xf16>) -> tensor<17x13xf16> attributes {schedule = #helios.schedule<>} {
  %d = helios.matmul %a, %b : (tensor<17x31xf16>, tensor<31x13xf16>) -> tensor<17x13xf16> acc f32
  helios.return %d : tensor<17x13xf16>
}

// -----

// A static result makes the operands' extents known; they are required to be so.
// CHECK-LABEL: tile.program @result_full(
// CHECK: tile.view {{.*}} -> <128x?xf16, strides = [?, 1], div = [8, 1], align = 16>
// CHECK-LABEL: tile.plan @result
// CHECK: tile.require %{{.+}}, "extent 0 of arg0 must equal 128"
helios.kernel @result(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> tensor<128x256xf16> attributes {schedule = #helios.schedule<>} {
  %d = helios.matmul %a, %b : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<128x256xf16> acc f32
  helios.return %d : tensor<128x256xf16>
}

// -----

// A rank-one operand seen as rows.
// CHECK-LABEL: tile.program @rows_any(
// CHECK: tile.load {{.*}} -> tensor<128xf32>
// CHECK: tile.expand %{{.+}}, [1] : tensor<128xf32> -> tensor<128x128xf32>
// CHECK-LABEL: tile.plan @rows
// CHECK: tile.require %{{.+}}, "extent 0 of arg2 must equal extent 0 of arg0"
helios.kernel @rows(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %r: tensor<?xf32>) -> tensor<?x?xf32> attributes {schedule = #helios.schedule<>} {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %r, %c0 : tensor<?xf32>
  %e = tensor.expand_shape %r [[0, 1]] output_shape [%m, 1] : tensor<?xf32> into tensor<?x1xf32>
  %d = helios.matmul %a, %b fused(%e : tensor<?x1xf32>) : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf32> acc f32 {
  ^bb0(%x: f32, %s: f32):
    %y = arith.mulf %x, %s : f32
    helios.yield %y : f32
  }
  helios.return %d : tensor<?x?xf32>
}
