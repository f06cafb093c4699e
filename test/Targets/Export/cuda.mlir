// Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A module of llvm and nvvm becomes PTX, its interface the parameters and tensor maps of a launch.

// RUN: helios-compile %s --target=cuda:sm_90a --emit=bundle-text | FileCheck %s
// RUN: helios-compile %s --target=cuda:sm_90a -o %t.hlx
// RUN: helios-bundle %t.hlx | FileCheck %s
// RUN: helios-compile %s --target=cuda:sm_90a --emit=ptx -o - | FileCheck %s --check-prefix=PTX
// RUN: helios-compile %s --target=cuda:sm_90a --emit=llvm -o - | FileCheck %s --check-prefix=LLVM

// CHECK: module 0 'sm_90a/copy' ptx
// CHECK-LABEL: kernel 'k'
// CHECK: implementation cuda:sm_90a schedule 'by hand'
// CHECK-NEXT: requires driver API 12030 compute capability 90 exactly workgroup 128 shared 4096 B
// CHECK: dispatch sm_90a/copy:copy grid extent(x, 0) workgroup 128x1x1
// A tensor that a tensor map alone reads is bound all the same.
// CHECK-NEXT: binding 1 = y write
// CHECK-NEXT: binding 0 = x read
// CHECK-NEXT: cluster 2
// CHECK-NEXT: begins while the one before it ends
// CHECK-NEXT: dynamic shared 4096 B
// CHECK-NEXT: parameter[0] = pointer binding 1
// CHECK-NEXT: parameter[1] = scalar64 extent(x, 0)
// CHECK-NEXT: parameter[2] = scalar32 scalar(factor)
// CHECK-NEXT: parameter[3] = tensor map 0
// [1, n] is an argument, [0, c] a constant, [2, n, c] a multiple of an argument.
// CHECK-NEXT: tensor map 0 = binding 0 f16 extents [64, extent(x, 0)] strides [(extent(x, 0) * 8)] box [32, 16] swizzle 64

// PTX: .version 8.3
// PTX: .target sm_90a
// PTX: .visible .entry copy(
// PTX-COUNT-3: .param .
// PTX: .param .align 64 .b8 copy_param_3[128]
// LLVM: target triple = "nvptx64-nvidia-cuda"
// LLVM: define ptx_kernel void @copy(ptr addrspace(1) {{.*}}, i64 %{{.*}}, float %{{.*}}, ptr {{.*}}byval([128 x i8]) align 64 {{.*}}"nvvm.grid_constant"

gpu.module @copy attributes {helios.interface = {
    parameters = [
      {kind = "pointer", argument = 1, access = "write"},
      {kind = "scalar", argument = 2},
      {kind = "scalar", argument = 3},
      {kind = "tensor_map", map = 0}
    ],
    tensor_maps = [
      {argument = 0, element = f16, extents = [[0, 64], [1, 2]], strides = [[2, 2, 8]], box = [32, 16], swizzle = 64}
    ],
    threads = 128,
    shared_bytes = 4096,
    cluster = 2,
    dependent = true,
    sm = "sm_90a",
    ptx_version = 83
}} {
  llvm.func @copy(%y: !llvm.ptr<1>, %rows: i64, %factor: f32,
                  %map: !llvm.ptr {llvm.align = 64 : i64, llvm.byval = !llvm.array<128 x i8>, nvvm.grid_constant}) attributes {nvvm.kernel} {
    nvvm.griddepcontrol wait
    llvm.return
  }
}

tile.plan @k(%x: tensor<?x64xf16>, %factor: f32, %y: tensor<?x64xf16>)
    attributes {arg_names = ["x", "factor", "y"], output_count = 1 : i64, schedule = "by hand"} {
  %c0 = arith.constant 0 : index
  %m = tile.extent %x, 0 : tensor<?x64xf16>
  tile.dispatch @copy[%m](%x, %y, %m, %factor) {variant = "one"} : tensor<?x64xf16>, tensor<?x64xf16>, index, f32
  tile.plan_yield %c0
}
