// Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
helios.kernel @integers(%a: tensor<?x?xi8>, %b: tensor<?x?xi8>, %scale: tensor<?xf32>) -> tensor<?x?xf32> {
  %d = helios.matmul %a, %b fused(%scale : tensor<?xf32>) {transpose_a} : (tensor<?x?xi8>, tensor<?x?xi8>) -> tensor<?x?xf32> acc i32 {
  ^bb0(%x: i32, %s: f32):
    %e = arith.sitofp %x : i32 to f32
    %y = arith.mulf %e, %s : f32
    helios.yield %y : f32
  }
  helios.return %d : tensor<?x?xf32>
}
