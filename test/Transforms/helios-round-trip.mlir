// Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The module is replaced by what its text says; here that is the same.

// RUN: helios-opt %s -helios-round-trip -helios-round-trip | FileCheck %s
// RUN: helios-opt %s > %t.plain
// RUN: helios-opt %s -helios-round-trip | diff %t.plain -

// CHECK: module attributes {test.kept = "yes"}
// CHECK: tile.program @p
// CHECK: tile.return
module attributes {test.kept = "yes"} {
  tile.program @p(%x: !tile.ptr<f16>, %n: index {tile.div = 8 : index}) attributes {config = #tile.config<groups = [2, 2], pad = 4>} {
    %v = tile.view %x[%n] : !tile.ptr<f16> -> !tile.view<?xf16, strides = [1], align = 16>
    tile.return
  }
}
