// Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes of level 1. Only these link the helios dialect.

#ifndef HELIOS_TRANSFORMS_HELIOSPASSES_TD
#define HELIOS_TRANSFORMS_HELIOSPASSES_TD

include "mlir/Pass/PassBase.td"

def HeliosFuse : Pass<"helios-fuse", "::mlir::ModuleOp"> {
  let summary = "Move element-wise code that follows a product into its epilogue";
  let description = [{
    Element-wise `linalg`, `arith` and `math` on tensors that is computed from one product, and for one value alone, becomes
    scalar code in the product's epilogue region; other tensors become fused operands. What is element-wise is decided by
    traits and indexing maps: no function is known by name.

    ```mlir
    %p = helios.matmul %a, %b : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32> acc f32
    %d = math.tanh %p : tensor<?x?xf32>
    // becomes
    %d = helios.matmul %a, %b : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32> acc f32 {
    ^bb0(%x: f32):
      %y = math.tanh %x : f32
      helios.yield %y : f32
    }
    ```
  }];
  let options = [Option<"remarks", "remarks", "bool", "false", "Say what is not fused, and why">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect"];
}

#endif // HELIOS_TRANSFORMS_HELIOSPASSES_TD
