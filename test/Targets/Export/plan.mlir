// Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A launch plan becomes formulas, checks and one variant for each way through its conditionals that launches something.

// RUN: helios-compile %s --target=vulkan:simt --emit=bundle-text | FileCheck %s
// RUN: helios-compile %s --target=vulkan:simt -o %t.hlx
// RUN: helios-bundle %t.hlx | FileCheck %s

// CHECK: module 0 'simt/copy' spirv
// CHECK: module 1 'simt/sum' spirv

// CHECK-LABEL: kernel 'k'
// CHECK-NEXT: input x: tensor<?x64xf32>
// CHECK-NEXT: input count: i32
// CHECK-NEXT: input factor: f32
// CHECK-NEXT: result y: tensor<?x64xf32>
// CHECK-NEXT: implementation vulkan:simt schedule 'by hand'
// CHECK-NEXT: requires Vulkan 1.1 workgroup 64 shared 128 B push 8 B

// Static extents are promises of the caller.
// CHECK: check (extent(x, 1) == 64)  // extent 1 of x must equal 64
// CHECK: check (extent(y, 1) == 64)  // extent 1 of y must equal 64
// CHECK: check (extent(y, 0) == extent(x, 0))  // rows agree
// A condition inside a branch binds only there.
// CHECK: check (not((extent(x, 0) <= 1000)) or (0 < scalar(count)))  // count is positive
// CHECK: result 0 extents [extent(x, 0), 64]

// CHECK: variant 'wide' if ((extent(x, 0) <= 1000) and ((alignment(x) % 16) == 0))
// CHECK-NEXT: workspace 0 B
// CHECK-NEXT: dispatch simt/copy:copy grid ceildiv((extent(x, 0) * 64), 256) workgroup 64x1x1
// CHECK-NEXT: binding 1 = x read
// CHECK-NEXT: binding 3 = y write
// CHECK-NEXT: push[0] = (extent(x, 0) * 64) i32
// CHECK-NEXT: push[1] = scalar(factor) low32

// CHECK: variant 'two steps' if ((extent(x, 0) <= 1000) and not(
// CHECK-NEXT: workspace (extent(x, 0) * 256) B
// CHECK-NEXT: dispatch simt/sum:sum grid select((extent(x, 0) < 10), 1, extent(x, 0)) workgroup 32x1x1
// CHECK-NEXT: binding 1 = x read
// CHECK-NEXT: binding 3 = workspace[0, +(extent(x, 0) * 256)] write
// CHECK-NEXT: push[0] = extent(x, 0) i32
// CHECK-NEXT: dispatch simt/copy:copy grid
// CHECK-NEXT: binding 1 = workspace[0, +(extent(x, 0) * 256)] read
// CHECK-NEXT: binding 3 = y write

// The outermost else launches nothing, so it is no variant.
// CHECK-NOT: variant

spirv.module @copy Logical GLSL450 requires #spirv.vce<v1.3, [Shader], [SPV_KHR_storage_buffer_storage_class]> attributes {
    helios.interface = {bindings = [[0, 1, "read"], [1, 3, "write"]], push_constants = [2, 3], threads = 64, shared_bytes = 128}} {
  spirv.GlobalVariable @in bind(0, 1) : !spirv.ptr<!spirv.struct<(!spirv.rtarray<f32, stride=4> [0]), Block>, StorageBuffer>
  spirv.GlobalVariable @out bind(0, 3) : !spirv.ptr<!spirv.struct<(!spirv.rtarray<f32, stride=4> [0]), Block>, StorageBuffer>
  spirv.func @copy() "None" { spirv.Return }
  spirv.EntryPoint "GLCompute" @copy
  spirv.ExecutionMode @copy "LocalSize", 64, 1, 1
}
spirv.module @sum Logical GLSL450 requires #spirv.vce<v1.0, [Shader], [SPV_KHR_storage_buffer_storage_class]> attributes {
    helios.interface = {bindings = [[0, 1, "read"], [1, 3, "write"]], push_constants = [2], threads = 32}} {
  spirv.func @sum() "None" { spirv.Return }
  spirv.EntryPoint "GLCompute" @sum
  spirv.ExecutionMode @sum "LocalSize", 32, 1, 1
}

tile.plan @k(%x: tensor<?x64xf32>, %count: i32, %factor: f32, %y: tensor<?x64xf32>)
    attributes {arg_names = ["x", "count", "factor", "y"], output_count = 1 : i64, schedule = "by hand"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c10 = arith.constant 10 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %c256 = arith.constant 256 : index
  %c1000 = arith.constant 1000 : index
  %m = tile.extent %x, 0 : tensor<?x64xf32>
  %my = tile.extent %y, 0 : tensor<?x64xf32>
  %rows = arith.cmpi eq, %my, %m : index
  tile.require %rows, "rows agree"
  %elements = arith.muli %m, %c64 : index
  %small = arith.cmpi sle, %m, %c1000 : index
  %bytes = scf.if %small -> index {
    %n = arith.index_cast %count : i32 to index
    %positive = arith.cmpi sgt, %n, %c0 : index
    tile.require %positive, "count is positive"
    %align = tile.alignment %x : tensor<?x64xf32>
    %rest = arith.remui %align, %c16 : index
    %aligned = arith.cmpi eq, %rest, %c0 : index
    %inner = scf.if %aligned -> index {
      %grid = arith.ceildivui %elements, %c256 : index
      tile.dispatch @copy[%grid](%x, %y, %elements, %factor) {variant = "wide"} : tensor<?x64xf32>, tensor<?x64xf32>, index, f32
      scf.yield %c0 : index
    } else {
      %tiny = arith.cmpi slt, %m, %c10 : index
      %groups = scf.if %tiny -> index {
        scf.yield %c1 : index
      } else {
        scf.yield %m : index
      }
      %total = arith.muli %m, %c256 : index
      %w = tile.workspace %c0 : !tile.ptr<f32>
      tile.dispatch @sum[%groups](%x, %w, %m) {variant = "two steps"} : tensor<?x64xf32>, !tile.ptr<f32>, index
      %grid = arith.ceildivui %elements, %c256 : index
      tile.dispatch @copy[%grid](%w, %y, %elements, %factor) {variant = "two steps"} : !tile.ptr<f32>, tensor<?x64xf32>, index, f32
      scf.yield %total : index
    }
    scf.yield %inner : index
  } else {
    scf.yield %c0 : index
  }
  tile.plan_yield %bytes
}
