// Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Passes of the PTX target.

#ifndef HELIOS_TARGETS_PTX_PASSES
#define HELIOS_TARGETS_PTX_PASSES

include "mlir/Pass/PassBase.td"

def ConvertFragToPTX : Pass<"convert-frag-to-ptx", "::mlir::ModuleOp"> {
  let summary = "Lower every frag.kernel to a gpu.module of the llvm and nvvm dialects";
  let description = [{
    Level 3 to level 4. A kernel becomes the program of one lane: a fragment is the lane's elements, or 32-bit words while it is moved or
    feeds a matrix instruction. Each kernel gives a `gpu.module` with one `llvm.func`; its attribute `helios.interface` says how it is launched:

    * `parameters`, in the kernel's order: `{kind = "pointer", argument, access = "read"|"write"|"readwrite"}`, `{kind = "scalar", argument}`
      (an index is 64 bits wide), `{kind = "tensor_map", map}`;
    * `tensor_maps`, described by `argument`, `element`, `extents`, `strides`, `box` and `swizzle`: `[1, n]` is the program's argument n,
      `[0, c]` a constant;
    * `threads`, `shared_bytes` (dynamic), `cluster`, `regs` (0: no cap), `sm`, `ptx_version`, `arch_specific`.

    A pointer argument with `tile.aliased` may overlap others; the rest are taken not to.

    ```mlir
    #lanes = #tile.regs<vec = [1], lanes = [64], groups = [1]>
    frag.kernel @k(%p: !tile.ptr<f32>) attributes {threads = 64 : i64, target = #ptx.target<"sm_89">} {
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
    gpu.module @k attributes {helios.interface = {...parameters = [{access = "readwrite", argument = 0 : i64, kind = "pointer"...sm = "sm_89", ...
      llvm.func @k(%p: !llvm.ptr<1> {llvm.noalias, llvm.noundef}) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 64, 1, 1>} {
        %lane = nvvm.read.ptx.sreg.tid.x : i32
        %index = llvm.zext %lane : i32 to i64
        %at = llvm.getelementptr %p[%index] : ...
        %x = llvm.load %at ... : ... -> f32
        %y = llvm.fneg %x : f32
        llvm.store %y, %at ...
        llvm.return
      }
    }
    ```
  }];
  let dependentDialects = ["::mlir::gpu::GPUDialect", "::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect", "::mlir::cf::ControlFlowDialect",
                           "::mlir::arith::ArithDialect", "::mlir::math::MathDialect", "::mlir::scf::SCFDialect"];
}

#endif // HELIOS_TARGETS_PTX_PASSES
