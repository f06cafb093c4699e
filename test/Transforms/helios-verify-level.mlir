// Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: helios-opt %s -split-input-file -helios-verify-level="level=2" -verify-diagnostics
// RUN: not helios-opt %s -split-input-file -helios-verify-level="level=3" 2>&1 | FileCheck %s --check-prefix=THREE
// RUN: not helios-opt %s -split-input-file -helios-verify-level="level=4" 2>&1 | FileCheck %s --check-prefix=FOUR
// RUN: not helios-opt %s -split-input-file -helios-verify-level="level=7" 2>&1 | FileCheck %s --check-prefix=SEVEN
// SEVEN: error: expected a level from 1 to 4, got 7

// Programs, arithmetic, loops and a plan: level 2.
// THREE: error: 'tile.program' op belongs to level 2 (tile), but the module should be wholly of level 3 (frag)
// FOUR: error: 'tile.program' op belongs to level 2 (tile), but the module should be wholly of level 4 (the target's dialect)
tile.program @p(%x: !tile.ptr<f16>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
  }
  tile.return
}
tile.plan @k(%y: tensor<?xf16>) {
  %n = tile.extent %y, 0 : tensor<?xf16>
  tile.dispatch @p[%n](%y, %n) : tensor<?xf16>, index
  tile.plan_yield %n
}

// -----

// expected-error @+1 {{'helios.kernel' op belongs to level 1 (helios), but the module should be wholly of level 2 (tile)}}
helios.kernel @k(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> tensor<?x?xf16> {
  %d = helios.matmul %a, %b : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
  helios.return %d : tensor<?x?xf16>
}

// -----

// A program may not hide level 1 in its body.
tile.program @p(%x: !tile.ptr<f16>) {
  // expected-error @+1 {{'tensor.empty' op belongs to level 1 (helios), but the module should be wholly of level 2 (tile)}}
  %t = tensor.empty() : tensor<4x4xf16>
  tile.return
}

// -----

// expected-error @+1 {{'frag.kernel' op belongs to level 3 (frag), but the module should be wholly of level 2 (tile)}}
frag.kernel @k(%x: !tile.ptr<f16>) attributes {threads = 32 : i64} {
  frag.return
}

// -----

// expected-error @+1 {{'spirv.module' op belongs to level 4 (the target's dialect), but the module should be wholly of level 2 (tile)}}
spirv.module @m Logical GLSL450 {
}
