// Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes of level 1. Only these link the helios dialect.

#ifndef HELIOS_TRANSFORMS_HELIOSPASSES_TD
#define HELIOS_TRANSFORMS_HELIOSPASSES_TD

include "mlir/Pass/PassBase.td"

def HeliosFuse : Pass<"helios-fuse", "::mlir::ModuleOp"> {
  let summary = "Move element-wise code that follows a product into its epilogue";
  let description = [{
    Element-wise `linalg`, `arith` and `math` on tensors that is computed from one product becomes scalar code in the product's epilogue
    region; other tensors become fused operands. What is used beside the value at the end, as the product before its activation, becomes one more result.
    What is element-wise is decided by traits and indexing maps: no function is known by name.

    Element-wise code on a product's right operand, as weights of 8 bits that become floats, becomes its prologue, and such code on its left operand, as a
    normalisation of rows, that of the left one. Sums and maxima of elements of a product, as `linalg.reduce` writes them, become its reductions.

    Two products of the same left operand, of which one takes the other one's result by then, become one with a `pair`; what is used of the other one
    beside becomes a result of the pair.

    ```mlir
    helios.kernel @k(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
      %p = helios.matmul %a, %b : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32> acc f32
      %t = math.tanh %p : tensor<?x?xf32>
      %d = arith.subf %t, %c : tensor<?x?xf32>
      helios.return %d : tensor<?x?xf32>
    }
    // becomes
    helios.kernel @k(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
      %d = helios.matmul %a, %b fused(%c : tensor<?x?xf32>)
          : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32> acc f32 {
      ^bb0(%x: f32, %e: f32):
        %y = math.tanh %x : f32
        %z = arith.subf %y, %e : f32
        helios.yield %z : f32
      }
      helios.return %d : tensor<?x?xf32>
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
    and of what may be resident; static extents bound the tile. A kernel of one product also gets alternatives, among which
    the plan chooses at launch: other tiles, for engines that copy whole rows also clusters, which rows that begin off a line of
    the cache make worth while, and two with K split into slices (`split_k = 0`). A given schedule is checked: what exceeds the target is an error that says by how much. The matrix instruction is filled in.

    A text of parameters (the option `schedule`) may leave out what follows from the target: the strategy is then the target's
    preferred one that has an instruction for the types, *roles* walk the items persistently, and rings have as many slots as
    fit. Everything else that is left out has its default; in `#helios.schedule` the strategy has, too.

    ```mlir
    helios.kernel @k(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> tensor<?x?xf16> attributes {target = #spv.target<"lavapipe">} {
      %d = helios.matmul %a, %b : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
      helios.return %d : tensor<?x?xf16>
    }
    // becomes, with schedule=tile=32x32x16,groups=2x1
    helios.kernel @k(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> tensor<?x?xf16>
        attributes {schedule = #helios.schedule<tile = [32, 32, 16], groups = [2, 1], mma = [8, 8, 8]>, target = #spv.target<"lavapipe">} {
    ...
    ```

    ```mlir
    helios.kernel @k(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> tensor<?x?xf16> attributes {target = #spv.target<"lavapipe">} {
      %d = helios.matmul %a, %b : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
      helios.return %d : tensor<?x?xf16>
    }
    // is refused, with schedule=tile=20x16x16,groups=1x1
    // tile 20x16x16 is no multiple of 1x1 groups of instructions 8x8x8
    ```

    A table of measured schedules (the option `tuned`: a file that `helios-tune` wrote) adds to the schedules of the model those that it names for the
    row, the types and the layout, for ranges of extents, in which the launch plan takes them. They are checked as given ones are; what does not
    fit is left out with a remark, and so is a table for another row or version. A file that is no table is an error.
  }];
  let options = [Option<"schedule", "schedule", "std::string", "\"\"",
                        "Schedule to impose on every kernel, as in tile=128x128x32,groups=2x2">,
                 Option<"tuned", "tuned", "std::string", "\"\"", "File of measured schedules, as helios-tune writes it">];
  let dependentDialects = ["::helios::tile::TileDialect"];
}

def HeliosPackConstants : Pass<"helios-pack-constants", "::mlir::ModuleOp"> {
  let summary = "Have constant operands packed once";
  let description = [{
    An argument with `helios.constant`, which one product takes as an operand, becomes a packed tensor: matrices of the schedule's
    instruction, each in the order in which lanes hold it, filled up with zeros to whole tiles of the schedule and its
    alternatives. The product then reads matrices as they lie, without a test of bounds and past shared memory. A kernel of its own packs.

    It is refused where the target does not say that lanes hold an operand alike in all programs.

    ```mlir
    helios.kernel @k(%a: tensor<?x?xf16>, %b: tensor<?x?xf16> {helios.constant}) -> tensor<?x?xf16>
        attributes {target = #spv.target<"lavapipe">, schedule = #helios.schedule<tile = [64, 32, 16], mma = [8, 8, 8]>} {
      %d = helios.matmul %a, %b {transpose_b} : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
      helios.return %d : tensor<?x?xf16>
    }
    // becomes
    #packing = #helios.packing<rhs, mma = [8, 8, 8], acc = f32, multiple = [16, 32], lanes = 8, elements = 8>
    helios.kernel @k_pack_arg1(%b: tensor<?x?xf16> {helios.name = "arg1"}) -> tensor<?x?x?x?xf16> attributes {schedule = ..., target = ...} {
      %p = helios.pack #packing, %b {transpose} : tensor<?x?xf16> -> tensor<?x?x?x?xf16>
      helios.return %p : tensor<?x?x?x?xf16>
    }
    helios.kernel @k(%a: tensor<?x?xf16>, %p: tensor<?x?x?x?xf16> {helios.packed_by = "k_pack_arg1"}) -> tensor<?x?xf16> attributes {...} {
      %b = helios.unpack #packing, %p : tensor<?x?x?x?xf16> -> tensor<?x?xf16>
      %d = helios.matmul %a, %b : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
      helios.return %d : tensor<?x?xf16>
    }
    ```
  }];
}

def HeliosToTile : Pass<"helios-to-tile", "::mlir::ModuleOp"> {
  let summary = "Turn kernels into tile programs and launch plans";
  let description = [{
    Each product of a kernel becomes one `tile.program` a variant: a loop over work items with a plain loop over the
    contracted extent, and the epilogue as arithmetic on tiles. The kernel becomes a `tile.plan` that requires the extents to
    agree and launches the first variant whose facts hold: `full` (wide accesses, whole tiles), `aligned` (wide accesses,
    at least one step), `operands` (the same of what is multiplied alone, where copies go past the registers), `narrow` (as `operands` in narrower copies, under two
    schedules of their own that stand beside those a model chose, where nothing takes less) or `any`. Results that only another product reads lie in the workspace.

    With `split_k` other than 1 a product becomes two programs a variant: `.._slices` leaves the sums of each slice of K in the
    workspace, and `.._sum` adds them up, the first one first, and holds the epilogue. There is no atomic addition: the result
    is the same bit by bit in every run. Items of `.._sum` have whole rows where these are reduced, and no `.._fold` follows. Slices have equally many steps; the last one may have fewer, none is empty unless K is
    zero. The variants `full` and `aligned` share the program that adds up, and where engines clip their copies, slices have no
    variant `full`.

    The programs have no layout, ring, token, barrier, stage or lane: those are decided below.

    ```mlir
    !va = !tile.view<?x?xf16, strides = [?, 1], div = [8, 1], align = 16>
    helios.kernel @k(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> tensor<?x?xf16>
        attributes {target = #spv.target<"lavapipe">, schedule = #helios.schedule<tile = [64, 32, 16], mma = [8, 8, 8]>} {
      %d = helios.matmul %a, %b : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
      helios.return %d : tensor<?x?xf16>
    }
    // becomes
    tile.program @k_full(%pa: !tile.ptr<f16>, %pb: !tile.ptr<f16>, %pd: !tile.ptr<f16>, ...) attributes {config = ..., target = ...} {
    ...
      tile.items (%i, %j) in (%rows, %columns) #tile.items<grid, raster = [0, 8]> {
        %m = arith.muli %i, %c64 : index
        %n = arith.muli %j, %c32 : index
        %zero = arith.constant dense<0.000000e+00> : tensor<64x32xf32>
        %x = scf.for %s = %c0 to %steps step %c1 iter_args(%acc = %zero) -> (tensor<64x32xf32>) {
          %k = arith.muli %s, %c16 : index
          %p = tile.load %A[%m, %k] : !va -> tensor<64x16xf16>
          %q = tile.load %B[%k, %n] : !va -> tensor<16x32xf16>
          %y = tile.dot %p, %q, %acc : tensor<64x16xf16>, tensor<16x32xf16>, tensor<64x32xf32>
          scf.yield %y : tensor<64x32xf32>
        }
        %z = arith.truncf %x : tensor<64x32xf32> to tensor<64x32xf16>
        tile.store %z, %D[%m, %n] : tensor<64x32xf16>, !va
      }
      tile.return
    }
    tile.program @k_aligned(...) attributes {...} {
    ...
    tile.program @k_any(...) attributes {...} {
    ...
    tile.plan @k(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %d: tensor<?x?xf16>) attributes {...} {
    ...
      tile.require %agree, "extent 0 of arg1 must equal extent 1 of arg0"
    ...
        tile.dispatch @k_full[%count] (%a, %b, %d, ...) {variant = "full"} : ...
    ...
    ```

    ```mlir
    helios.kernel @k(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> tensor<?x?xf16>
        attributes {target = #spv.target<"lavapipe">, schedule = #helios.schedule<tile = [64, 32, 16], mma = [8, 8, 8], split_k = 4>} {
      %d = helios.matmul %a, %b : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
      helios.return %d : tensor<?x?xf16>
    }
    // becomes
    tile.program @k_full_slices(%pa: !tile.ptr<f16>, %pb: !tile.ptr<f16>, %pw: !tile.ptr<f32>, ...) attributes {...} {
    ...
      tile.items (%z, %i, %j) in (%slices, %rows, %columns) #tile.items<grid, raster = [1, 8]> {
    ...
        %first = arith.muli %z, %perSlice : index
        %left = arith.subi %steps, %first : index
        %mine = arith.minsi %perSlice, %left : index
    ...
        %x = scf.for %s = %c0 to %mine step %c1 iter_args(%acc = %zero) -> (tensor<64x32xf32>) {
    ...
        tile.store %x, %W[%z, %m, %n] : tensor<64x32xf32>, ...
    ...
    tile.program @k_aligned_sum(%pw: !tile.ptr<f32>, %pd: !tile.ptr<f16>, ...) attributes {...} {
    ...
        %x = scf.for %z = %c0 to %slices step %c1 iter_args(%acc = %zero) -> (tensor<8x32xf32>) {
          %w = tile.load %W[%z, %m, %n] : ... -> tensor<8x32xf32>
          %y = arith.addf %acc, %w : tensor<8x32xf32>
          scf.yield %y : tensor<8x32xf32>
        }
        %t = arith.truncf %x : tensor<8x32xf32> to tensor<8x32xf16>
    ...
    tile.plan @k(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %d: tensor<?x?xf16>) attributes {...} {
    ...
      %ws = tile.workspace %zero : <f32>
    ...
        tile.dispatch @k_full_slices[%count] (%a, %b, %ws, ...) {variant = "full"} : ...
    ...
        tile.dispatch @k_aligned_sum[%sums] (%ws, %d, ...) {variant = "full"} : ...
    ...
    ```
  }];
  let dependentDialects = ["::helios::tile::TileDialect", "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def HeliosPrintSemantics : Pass<"helios-print-semantics", "::mlir::ModuleOp"> {
  let summary = "Print what each kernel computes, as a checker without LLVM sees it";
  let description = [{
    Writes arguments and steps of every kernel to the error stream as `helios-bundle` prints them.

    ```mlir
    helios.kernel @k(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>) -> tensor<?x?xf32> {
      %d = helios.matmul %a, %b : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32> acc f32 {
      ^bb0(%x: f32):
        %y = math.tanh %x : f32
        helios.yield %y : f32
      }
      helios.return %d : tensor<?x?xf32>
    }
    // writes
    // kernel 'k'
    //   input arg0: tensor<?x?xf32>
    //     s2 = matmul s0, s1 acc f32 fused()
    //       %0 = accumulator : f32
    //       %1 = tanh %0 : f32
    //       yield %1
    ```
  }];
}

#endif // HELIOS_TRANSFORMS_HELIOSPASSES_TD
