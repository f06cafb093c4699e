// Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bytes times bytes, scaled by rows and columns, as bytes again.
helios.kernel @requantised(%a: tensor<?x?xi8>, %b: tensor<?x?xi8>, %rows: tensor<?x1xf32>, %columns: tensor<?xf32>) -> tensor<?x?xi8> {
  %d = helios.matmul %a, %b fused(%rows, %columns : tensor<?x1xf32>, tensor<?xf32>) {transpose_b}
      : (tensor<?x?xi8>, tensor<?x?xi8>) -> tensor<?x?xi8> acc i32 {
  ^bb0(%x: i32, %r: f32, %c: f32):
    %low = arith.constant -128.0 : f32
    %high = arith.constant 127.0 : f32
    %s = arith.sitofp %x : i32 to f32
    %u = arith.mulf %s, %r : f32
    %v = arith.mulf %u, %c : f32
    %w = math.roundeven %v : f32
    %m = arith.maximumf %w, %low : f32
    %n = arith.minimumf %m, %high : f32
    %z = arith.fptosi %n : f32 to i8
    helios.yield %z : i8
  }
  helios.return %d : tensor<?x?xi8>
}
