// Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Passes of the SPIR-V target.

#ifndef HELIOS_TARGETS_SPIRV_PASSES
#define HELIOS_TARGETS_SPIRV_PASSES

include "mlir/Pass/PassBase.td"

def ConvertFragToSPIRV : Pass<"convert-frag-to-spirv", "::mlir::ModuleOp"> {
  let summary = "Lower every frag.kernel to a spirv.module";
  let description = [{
    Level 3 to level 4. A kernel becomes the program of one lane: a fragment of an opaque layout its group's cooperative matrices,
    any other fragment the lane's elements, or packets of 16 bytes while they are only moved. Each kernel gives a `spirv.module`
    of its own: Vulkan memory model, SPIR-V 1.6 and full subgroups where it uses cooperative matrices, SPIR-V 1.3 and no subgroup
    operation where it does not. Its attribute `helios.interface` says how it is launched:

    * `entry`, `threads`, `shared_bytes`, `subgroup` (0: any);
    * `bindings = [[argument, binding, "read"|"write"|"readwrite"], ...]`: pointer argument number p is a storage buffer at binding
      2p as 16-byte words, at 2p + 1 as elements, whichever are used;
    * `push_constants = [argument, ...]`: one 32-bit word each, in this order;
    * `shapes = [[m, n, k, a, b, c, result], ...]`: cooperative matrices that are multiplied, at subgroup scope.

    A pointer argument with `tile.aliased` may overlap others; the rest are taken not to.

    ```mlir
    #lanes = #tile.regs<vec = [1], lanes = [64], groups = [1]>
    frag.kernel @k(%p: !tile.ptr<f32>) attributes {threads = 64 : i64, target = #spv.target<"simt">} {
      %c0 = arith.constant 0 : index
      %v = tile.view %p[] : !tile.ptr<f32> -> !tile.view<64xf32, strides = [1]>
      %x = frag.read %v[%c0] in_bounds : !tile.view<64xf32, strides = [1]> -> !frag.f<64xf32, #lanes>
      %y = frag.map(%x : !frag.f<64xf32, #lanes>) -> !frag.f<64xf32, #lanes> {
      ^bb0(%e: f32):
        %n = arith.negf %e : f32
        frag.yield %n : f32
      }
      frag.write %y, %v[%c0] in_bounds : !frag.f<64xf32, #lanes>, !tile.view<64xf32, strides = [1]>
      frag.return
    }
    // becomes
    spirv.module @k Logical GLSL450 requires #spirv.vce<v1.3, [Shader], []> attributes {helios.interface = {bindings =
        [[0, 1, "readwrite"]], entry = "k", push_constants = [], shapes = [], shared_bytes = 0 : i64, subgroup = 0 : i64,
        threads = 64 : i64}, ...} {
    ...
      spirv.func @k() "None" {
    ...
        %lane = spirv.Load "Input" %index : i32
    ...
        %at = spirv.AccessChain %elements[%zero, %lane] : ...
        %x = spirv.Load "StorageBuffer" %at : f32
        %y = spirv.FNegate %x : f32
        spirv.Store "StorageBuffer" %at, %y : f32
        spirv.Return
      }
    ...
      spirv.EntryPoint "GLCompute" @k, ...
      spirv.ExecutionMode @k "LocalSize", 64, 1, 1
    }
    ```
  }];
  let dependentDialects = ["::mlir::spirv::SPIRVDialect", "::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
                           "::mlir::scf::SCFDialect"];
}

#endif // HELIOS_TARGETS_SPIRV_PASSES
