// Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Passes of level 2.

#ifndef HELIOS_TRANSFORMS_TILEPASSES_TD
#define HELIOS_TRANSFORMS_TILEPASSES_TD

include "mlir/Pass/PassBase.td"

def TileCutEpilogue : Pass<"tile-cut-epilogue", "::helios::tile::ProgramOp"> {
  let summary = "Cut a store of a whole accumulator into slabs";
  let description = [{
    A store whose tile is computed element by element from a product becomes stores of slabs: one instruction's rows for each
    row of groups (or `epilogue_rows` of the configuration). The slices move back through the element-wise ops to the product
    and to the loads beside it, so that little is live at a time and the scratch memory of a layout change is one slab's.

    ```mlir
    tile.store %d, %D[%m, %n] : tensor<64x64xf16>, !v
    // becomes
    %s0 = tile.slice %d [0, 0] : tensor<64x64xf16> -> tensor<32x64xf16>      // of the product, further up
    tile.store %s0, %D[%m, %n] : tensor<32x64xf16>, !v
    %s1 = tile.slice %d [32, 0] : tensor<64x64xf16> -> tensor<32x64xf16>
    tile.store %s1, %D[%m + 32, %n] : tensor<32x64xf16>, !v
    ```
  }];
  let dependentDialects = ["::helios::tile::TileDialect"];
}

def TileAssignLayouts : Pass<"tile-assign-layouts", "::helios::tile::ProgramOp"> {
  let summary = "Give every tile a layout";
  let description = [{
    Products and copies anchor: a product takes its instruction from the target and asks for its operand layouts; loads and
    stores take a layout of wide accesses. Element-wise ops, loop arguments, reductions and broadcasts take their neighbour's.
    Only `tile.convert_layout` changes a layout, and one that goes through memory is split in two: registers to shared memory,
    shared memory to registers, so that both can be scheduled.

    ```mlir
    %a = tile.load %A[%m, %k] : !v -> tensor<32x16xf16>
    %y = tile.dot %a, %b, %acc : ...
    // becomes
    %a = tile.load %A[%m, %k] : !v -> tensor<32x16xf16, #regs>
    %s = tile.convert_layout %a : tensor<32x16xf16, #regs> -> tensor<32x16xf16, #shared>
    %o = tile.convert_layout %s : tensor<32x16xf16, #shared> -> tensor<32x16xf16, #a>
    %y = tile.dot %o, %p, %acc mma #mma : ...
    ```
  }];
  let dependentDialects = ["::helios::tile::TileDialect"];
}

def TileProveBounds : Pass<"tile-prove-bounds", "::helios::tile::ProgramOp"> {
  let summary = "Mark accesses that cannot leave their view";
  let description = [{
    For each load and store, offset + extent <= size is proved in every dimension from the facts on arguments
    (`tile.range`, `tile.div`), loop bounds and the bounds of work items; then it is marked `in_bounds`.
  }];
  let dependentDialects = ["::helios::tile::TileDialect"];
}

def TileSchedule : Pass<"tile-schedule", "::helios::tile::ProgramOp"> {
  let summary = "Give the ops of product loops a stage and an order";
  let description = [{
    The strategy of the program's configuration says how a loop looks ahead. *staged*: loads of the next tile are in flight
    in registers while the products of this one run: load 0/1, registers to shared memory 1/0, everything else 1/2.

    ```mlir
    %a = tile.load ...            {tile.sched = #tile.sched<stage = 0, order = 1>}
    %s = tile.convert_layout %a   {tile.sched = #tile.sched<stage = 1, order = 0>}
    %y = tile.dot ...             {tile.sched = #tile.sched<stage = 1, order = 2>}
    ```
  }];
  let dependentDialects = ["::helios::tile::TileDialect"];
}

def TileExpand : Pass<"tile-expand", "::helios::tile::ProgramOp"> {
  let summary = "Expand scheduled loops into prologue, steady state and epilogue";
  let description = [{
    Runs `scf::pipelineForLoop` on loops whose ops carry `tile.sched`. The loop must make at least as many trips as there are
    stages; where facts do not prove that, the plain loop stays beside it under a test of the trip count.
  }];
  let dependentDialects = ["::helios::tile::TileDialect", "::mlir::scf::SCFDialect", "::mlir::arith::ArithDialect"];
}

def TileLowerItems : Pass<"tile-lower-items", "::helios::tile::ProgramOp"> {
  let summary = "Lower the loop over work items";
  let description = [{
    `tile.items` becomes arithmetic on the workgroup's number: `grid` one item under a test of the count, `persistent` a loop
    that strides over the items. A raster walks bands of one dimension.

    ```mlir
    tile.items (%i, %j) in (%m, %n) #tile.items<grid> { ... }
    // becomes
    %w = tile.id workgroup
    %in = arith.cmpi ult, %w, %count : index
    scf.if %in { %i = arith.divui %w, %n : index  %j = arith.remui %w, %n : index ... }
    ```
  }];
  let dependentDialects = ["::helios::tile::TileDialect", "::mlir::scf::SCFDialect", "::mlir::arith::ArithDialect"];
}

def TileAllocateShared : Pass<"tile-allocate-shared", "::helios::tile::ProgramOp"> {
  let summary = "Place tiles in shared memory";
  let description = [{
    Every tile of a memory layout gets a byte offset (`tile.offset`); tiles that do not live at the same time share bytes, first
    fit by decreasing size. The sum becomes `shared_bytes` and must not exceed the target's.
  }];
  let dependentDialects = ["::helios::tile::TileDialect"];
}

def TileDistribute : Pass<"tile-distribute", "::mlir::ModuleOp"> {
  let summary = "Lower programs over tiles to kernels over fragments";
  let description = [{
    Each `tile.program` becomes a `frag.kernel`: tiles in registers become fragments, tiles in shared memory places, layout changes
    reads and writes, element-wise chains `frag.map`, products one `frag.mma` for each step along k with its operand reads beside it.
  }];
  let dependentDialects = ["::helios::frag::FragDialect"];
}

#endif // HELIOS_TRANSFORMS_TILEPASSES_TD
