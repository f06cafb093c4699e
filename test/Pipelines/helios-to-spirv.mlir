// Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The whole way, its parts, and options of both.

// RUN: helios-opt %s --helios-to-spirv="device=lavapipe" | FileCheck %s
// RUN: helios-opt %s --helios-to-spirv="device=lavapipe" > %t.whole
// RUN: helios-opt %s --helios-to-tile-level="device=lavapipe" | helios-opt --tile-to-frag-level | helios-opt --frag-to-spirv-level | diff %t.whole -
// RUN: helios-opt %s --helios-to-tile-level="device=lavapipe" | helios-opt --tile-to-spirv | diff %t.whole -
// RUN: helios-opt %s --helios-to-spirv="device=lavapipe round-trip-between=true" | diff %t.whole -
// RUN: helios-opt %s --helios-to-spirv="device=lavapipe canonicalize-between=true without=tile-schedule,tile-cut-epilogue" | FileCheck %s
// RUN: helios-opt %s --helios-to-spirv="device=nvidia schedule=tile=64x64x32,groups=2x1" | FileCheck %s --check-prefix=SCHEDULE

// CHECK-LABEL: spirv.module @k_full Logical Vulkan
// CHECK-SAME: helios.interface = {
// CHECK: spirv.KHR.CooperativeMatrixMulAdd
// CHECK: tile.plan @k(
// CHECK: tile.dispatch @k_full
// CHECK-NOT: frag.

// SCHEDULE: threads = 64
// SCHEDULE: tile.plan @k({{.*}}schedule = "tile=64x64x32,groups=2x1,mma=16x16x16"

// RUN: not helios-opt %s --helios-to-spirv="device=voodoo" 2>&1 | FileCheck %s --check-prefix=ROW
// ROW: error: unknown target row 'voodoo'; expected one of 'nvidia-nv2'
// RUN: not helios-opt %s --helios-to-spirv 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: error: 'helios.kernel' op has no target row
// RUN: not helios-opt %s --helios-to-spirv="device=lavapipe without=tile-distribute" 2>&1 | FileCheck %s --check-prefix=WITHOUT
// WITHOUT: pass 'tile-distribute' cannot be left out; those that can are canonicalize, cse,
// RUN: not helios-opt %s --helios-to-spirv="devise=lavapipe" 2>&1 | FileCheck %s --check-prefix=OPTION
// OPTION: no such option devise

helios.kernel @k(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> tensor<?x?xf16> {
  %d = helios.matmul %a, %b : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
  helios.return %d : tensor<?x?xf16>
}
