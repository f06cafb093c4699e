// Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What a pass has broken is found at the end of its level, without a verifier behind the pass.

// RUN: not helios-opt %s -mlir-very-unsafe-disable-verifier-on-parsing -verify-each=false -helios-verify-level=level=2 2>&1 | FileCheck %s
// RUN: helios-opt %s -mlir-very-unsafe-disable-verifier-on-parsing -verify-each=false -canonicalize -o %t

// CHECK: error: 'arith.addi' op {{.*}}same type
tile.program @p(%n: index) {
  %c1 = arith.constant 1 : i32
  %x = "arith.addi"(%n, %c1) : (index, i32) -> index
  tile.return
}
