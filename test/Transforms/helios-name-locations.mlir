// Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A place in a file gets its op's name, once; what has a name or no place keeps its location.

// RUN: helios-opt %s -helios-name-locations -helios-name-locations -mlir-print-debuginfo -mlir-print-local-scope | FileCheck %s

// CHECK: arith.constant 1 : index loc("arith.constant"("{{.*}}helios-name-locations.mlir":[[# @LINE + 5]]:9))
// CHECK: arith.constant 2 : index loc("mine"("x.mlir":3:4))
// CHECK: arith.constant 3 : index loc(unknown)
// CHECK: loc("tile.program"("{{.*}}helios-name-locations.mlir":
tile.program @k(%n: index) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index loc("mine"("x.mlir":3:4))
  %c3 = arith.constant 3 : index loc(unknown)
  tile.return
}

// Through the whole pipeline: what the last level has, except for constants and arguments of blocks, still names the op of the first.
// RUN: helios-opt %helios_src_root/examples/gemm_bias_relu.mlir --helios-to-ptx="device=sm_90a debug-info" -mlir-print-debuginfo -mlir-print-local-scope -o %t
// RUN: grep -vE 'constant|undef|poison| .bb[0-9]+' %t | FileCheck %s --check-prefix=LAST --implicit-check-not="loc(unknown)"
// LAST: wgmma.mma_async{{.*}} loc("helios.matmul"("{{.*}}gemm_bias_relu.mlir":8:8))
// LAST: llvm.intr.maximum{{.*}} loc("arith.maximumf"("{{.*}}gemm_bias_relu.mlir":14:10))
