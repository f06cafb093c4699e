// Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// As many keys as one, two or three steps of some schedules have, known when compiling.

helios.kernel @one(%q: tensor<?x?x?x64xf16>, %k: tensor<?x?x64x64xf16>, %v: tensor<?x?x64x64xf16>) -> tensor<?x?x?x64xf16> {
  %o = helios.attention %q, %k, %v
      : (tensor<?x?x?x64xf16>, tensor<?x?x64x64xf16>, tensor<?x?x64x64xf16>) -> tensor<?x?x?x64xf16> acc f32
  helios.return %o : tensor<?x?x?x64xf16>
}

// Every third key is nobody's.
helios.kernel @masked(%q: tensor<1x4x64x24xf16>, %k: tensor<1x1x31x24xf16>, %v: tensor<1x1x31x128xf16>) -> tensor<1x4x64x128xf32> {
  %o = helios.attention %q, %k, %v
      : (tensor<1x4x64x24xf16>, tensor<1x1x31x24xf16>, tensor<1x1x31x128xf16>) -> tensor<1x4x64x128xf32> acc f32 mask {
  ^bb0(%n: index, %h: index, %i: index, %j: index):
    %c0 = arith.constant 0 : index
    %c3 = arith.constant 3 : index
    %rest = arith.remui %j, %c3 : index
    %keep = arith.cmpi ne, %rest, %c0 : index
    helios.yield %keep : i1
  }
  helios.return %o : tensor<1x4x64x128xf32>
}

helios.kernel @two(%q: tensor<1x2x?x128xf16>, %k: tensor<1x2x128x128xf16>, %v: tensor<1x2x128x128xf16>) -> tensor<1x2x?x128xf16> {
  %o = helios.attention %q, %k, %v
      : (tensor<1x2x?x128xf16>, tensor<1x2x128x128xf16>, tensor<1x2x128x128xf16>) -> tensor<1x2x?x128xf16> acc f32
  helios.return %o : tensor<1x2x?x128xf16>
}

helios.kernel @rest(%q: tensor<1x2x?x128xf16>, %k: tensor<1x2x100x128xf16>, %v: tensor<1x2x100x128xf16>) -> tensor<1x2x?x128xf16> {
  %o = helios.attention %q, %k, %v
      : (tensor<1x2x?x128xf16>, tensor<1x2x100x128xf16>, tensor<1x2x100x128xf16>) -> tensor<1x2x?x128xf16> acc f32
  helios.return %o : tensor<1x2x?x128xf16>
}
