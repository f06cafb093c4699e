// Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: helios-opt %s -split-input-file -helios-set-target="device=lavapipe" -verify-diagnostics | FileCheck %s
// RUN: not helios-opt %s -split-input-file -helios-set-target="device=voodoo" 2>&1 | FileCheck %s --check-prefix=ROW
// ROW: error: unknown target row 'voodoo'; expected one of 'nvidia-nv2' 'nvidia' 'rdna-ext' 'rdna' 'xe-ext' 'xe' 'apple' 'lavapipe-nv2' 'lavapipe' 'simt' 'sm_90a' 'sm_89' 'sm_86' 'sm_80'

// CHECK: tile.program @without(%{{.*}}) attributes {target = #spv.target<"lavapipe">}
tile.program @without(%x: !tile.ptr<f16>) {
  tile.return
}
// CHECK: tile.program @same(%{{.*}}) attributes {target = #spv.target<"lavapipe">}
tile.program @same(%x: !tile.ptr<f16>) attributes {target = #spv.target<"lavapipe">} {
  tile.return
}
// CHECK: frag.kernel @kernel(%{{.*}}) attributes {{{.*}}target = #spv.target<"lavapipe">
frag.kernel @kernel(%x: !tile.ptr<f16>) attributes {threads = 32 : i64} {
  frag.return
}

// -----

// expected-error @+1 {{'tile.program' op is written for #spv.target<"nvidia">, so it cannot be compiled for #spv.target<"lavapipe">}}
tile.program @other(%x: !tile.ptr<f16>) attributes {target = #spv.target<"nvidia">} {
  tile.return
}
