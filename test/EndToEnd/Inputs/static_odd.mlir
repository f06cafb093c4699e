// Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of extents, most of them static, of which rows are no whole wide units: along K in both operands, in one, and in neither.

helios.kernel @both(%a: tensor<96x100xf16>, %b: tensor<40x100xf16>) -> tensor<96x40xf16> {
  %d = helios.matmul %a, %b {transpose_b} : (tensor<96x100xf16>, tensor<40x100xf16>) -> tensor<96x40xf16> acc f32
  helios.return %d : tensor<96x40xf16>
}

helios.kernel @left(%a: tensor<2x3x65xf16>, %b: tensor<65x64xf16>) -> tensor<2x3x64xf16> {
  %d = helios.matmul %a, %b : (tensor<2x3x65xf16>, tensor<65x64xf16>) -> tensor<2x3x64xf16> acc f32
  helios.return %d : tensor<2x3x64xf16>
}

helios.kernel @neither(%a: tensor<100x96xf16>, %b: tensor<100x40xf16>) -> tensor<96x40xf16> {
  %d = helios.matmul %a, %b {transpose_a} : (tensor<100x96xf16>, tensor<100x40xf16>) -> tensor<96x40xf16> acc f32
  helios.return %d : tensor<96x40xf16>
}

helios.kernel @floats(%a: tensor<33x100xf32>, %b: tensor<100x41xf32>) -> tensor<33x41xf32> {
  %d = helios.matmul %a, %b : (tensor<33x100xf32>, tensor<100x41xf32>) -> tensor<33x41xf32> acc f32
  helios.return %d : tensor<33x41xf32>
}

// A factor for each of K has as many elements as K, and copies that are filled up have more: there are none.
helios.kernel @factor(%x: tensor<?x?xf16>, %w: tensor<40x?xf16>, %gamma: tensor<?xf32>) -> tensor<?x40xf16> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xf16>
  %k = tensor.dim %x, %c1 : tensor<?x?xf16>
  %e = tensor.empty(%m, %k) : tensor<?x?xf32>
  %columns = linalg.broadcast ins(%gamma : tensor<?xf32>) outs(%e : tensor<?x?xf32>) dimensions = [0]
  %x32 = arith.extf %x : tensor<?x?xf16> to tensor<?x?xf32>
  %scaled = arith.mulf %x32, %columns : tensor<?x?xf32>
  %h = arith.truncf %scaled : tensor<?x?xf32> to tensor<?x?xf16>
  %d = helios.matmul %h, %w {transpose_b} : (tensor<?x?xf16>, tensor<40x?xf16>) -> tensor<?x40xf16> acc f32
  helios.return %d : tensor<?x40xf16>
}

helios.kernel @narrow(%a: tensor<?x7xi8>, %b: tensor<7x3xi8>) -> tensor<?x3xi32> {
  %d = helios.matmul %a, %b : (tensor<?x7xi8>, tensor<7x3xi8>) -> tensor<?x3xi32> acc i32
  helios.return %d : tensor<?x3xi32>
}

// As many bytes of B, as it is stored, as eight columns have do not fill a slot.
helios.kernel @weights(%a: tensor<?x?xf16>, %b: tensor<3x?xi8>) -> tensor<?x3xf32> {
  %d = helios.matmul %a, %b {transpose_b} : (tensor<?x?xf16>, tensor<3x?xi8>) -> tensor<?x3xf32> acc f32 prologue {
  ^bb0(%x: i8):
    %y = arith.sitofp %x : i8 to f16
    helios.yield %y : f16
  }
  helios.return %d : tensor<?x3xf32>
}

// A factor for each of K where K is no whole number of units: neither copies nor wide reads.
helios.kernel @factors(%a: tensor<?x33xf16>, %b: tensor<33x?xf16>, %gamma: tensor<33xf32>) -> tensor<?x?xf16> {
  %d = helios.matmul %a, %b prologue_a(%gamma : tensor<33xf32>) : (tensor<?x33xf16>, tensor<33x?xf16>) -> tensor<?x?xf16> acc f32 prologue_a {
  ^bb0(%x: f16, %g: f32):
    %x32 = arith.extf %x : f16 to f32
    %y = arith.mulf %x32, %g : f32
    %z = arith.truncf %y : f32 to f16
    helios.yield %z : f16
  }
  helios.return %d : tensor<?x?xf16>
}
