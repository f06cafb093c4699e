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

def HeliosSelectSchedule : Pass<"helios-select-schedule", "::mlir::ModuleOp"> {
  let summary = "Give each kernel a schedule that fits its target";
  let description = [{
    A kernel without a schedule gets the cheapest one that fits its target's limits, by a model of shared and global traffic
    and of what may be resident; static extents bound the tile. A given schedule is checked: what exceeds the target is an
    error that says by how much. The matrix instruction is filled in.

    ```mlir
    helios.kernel @k(...) attributes {target = #row}
    // becomes
    helios.kernel @k(...) attributes {target = #row, schedule = #helios.schedule<tile = [128, 128, 64], groups = [2, 4], mma = [16, 16, 16]>}
    ```
  }];
  let options = [Option<"schedule", "schedule", "std::string", "\"\"",
                        "Schedule to impose on every kernel, as in tile=128x128x32,groups=2x2">];
  let dependentDialects = ["::helios::tile::TileDialect"];
}

def HeliosToTile : Pass<"helios-to-tile", "::mlir::ModuleOp"> {
  let summary = "Turn kernels into tile programs and launch plans";
  let description = [{
    Each product of a kernel becomes one `tile.program` a variant: a loop over work items with a plain loop over the
    contracted extent, and the epilogue as arithmetic on tiles. The kernel becomes a `tile.plan` that requires the extents to
    agree and launches the first variant whose facts hold: `full` (wide accesses, whole tiles), `aligned` (wide accesses,
    at least one step) or `any`. Results that only another product reads lie in the workspace.

    The programs have no layout, ring, token, barrier, stage or lane: those are decided below.

    ```mlir
    %d = helios.matmul %a, %b : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
    // becomes, in a program
    tile.items (%i, %j) in (%tm, %tn) #tile.items<grid, raster = [0, 8]> {
      %x = scf.for %s = %c0 to %steps step %c1 iter_args(%acc = %zero) -> (tensor<128x128xf32>) {
        %p = tile.load %A[%m, %k] : !va -> tensor<128x32xf16>
        %q = tile.load %B[%k, %n] : !vb -> tensor<32x128xf16>
        %y = tile.dot %p, %q, %acc : tensor<128x32xf16>, tensor<32x128xf16>, tensor<128x128xf32>
        scf.yield %y : tensor<128x128xf32>
      }
      %z = arith.truncf %x : tensor<128x128xf32> to tensor<128x128xf16>
      tile.store %z, %D[%m, %n] : tensor<128x128xf16>, !vd
    }
    ```
  }];
  let dependentDialects = ["::helios::tile::TileDialect", "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def HeliosPrintSemantics : Pass<"helios-print-semantics", "::mlir::ModuleOp"> {
  let summary = "Print what each kernel computes, as a checker without LLVM sees it";
  let description = [{
    Writes arguments and steps of every kernel to the error stream in the form of `helios-bundle dump`.
  }];
}

#endif // HELIOS_TRANSFORMS_HELIOSPASSES_TD
