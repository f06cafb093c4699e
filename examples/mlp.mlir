// Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two layers: D = relu(X·W1)·W2. The first result stays in the workspace.
//
// helios-bench: shapes = 128x96,96x256,256x64

helios.kernel @mlp(%x: tensor<?x?xf16>, %w1: tensor<?x?xf16>, %w2: tensor<?x?xf16>) -> tensor<?x?xf16> {
  %h = helios.matmul %x, %w1 : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32 {
  ^bb0(%s: f32):
    %zero = arith.constant 0.0 : f32
    %y = arith.maximumf %s, %zero : f32
    %z = arith.truncf %y : f32 to f16
    helios.yield %z : f16
  }
  %d = helios.matmul %h, %w2 : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
  helios.return %d : tensor<?x?xf16>
}
