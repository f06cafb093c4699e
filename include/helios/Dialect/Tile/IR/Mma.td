// Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The interface of matrix instructions. The attributes themselves belong to the targets.

#ifndef HELIOS_TILE_MMA
#define HELIOS_TILE_MMA

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"

def Tile_Side : I32Enum<"Side", "an operand of a product", [
    I32EnumCase<"A", 0, "a">, I32EnumCase<"B", 1, "b">, I32EnumCase<"Acc", 2, "acc">]> {
  let cppNamespace = "::helios::tile";
}

def Tile_Place : I32BitEnum<"Place", "where an operand of a product may be", [
    I32BitEnumCaseBit<"Registers", 0, "registers">, I32BitEnumCaseBit<"Shared", 1, "shared">,
    I32BitEnumCaseBit<"Opaque", 2, "opaque">]> {
  let cppNamespace = "::helios::tile";
  let separator = "|";
}

def Tile_MmaAttrInterface : AttrInterface<"MmaAttrInterface"> {
  let cppNamespace = "::helios::tile";
  let description = [{
    One matrix instruction D = A·B + C of a target: A is m x k, B is k x n, C and D are m x n. A group of `getLaneCount`
    lanes works on one fragment. Passes ask this interface; only the target knows the instruction.
  }];
  let methods = [
    InterfaceMethod<"{m, n, k} of one instruction.", "::llvm::SmallVector<int64_t>", "getMmaShape">,
    InterfaceMethod<"Element type of one side.", "::mlir::Type", "getElementType", (ins "::helios::tile::Side":$side)>,
    InterfaceMethod<"Lanes that execute one instruction together.", "int64_t", "getLaneCount">,
    InterfaceMethod<"Where this operand may be.", "::helios::tile::Place", "getPlaces", (ins "::helios::tile::Side":$side)>,
    InterfaceMethod<"Name of the FIFO of asynchronous products, empty for a synchronous instruction.",
      "::llvm::StringRef", "getEngine", (ins), "", [{ return ""; }]>,
    InterfaceMethod<"Elements of k after which a sum that is as good as its type leaves the engine, which keeps fewer significand bits than "
                    "that while it adds up: 0, or a multiple of the instruction's k. 0: the engine's sums are as good as their type.",
      "int64_t", "getSumDepth", (ins), "", [{ return 0; }]>,
    InterfaceMethod<"True if the instruction takes B's transpose as its left operand, and A's as its right one: each fragment is the transpose "
                    "of the other operand's, and that of the accumulator its own, so that lanes hold neighbours of a column.",
      "bool", "isExchanged", (ins), "", [{ return false; }]>,
    InterfaceMethod<"Extents of the smallest part of this side that repeats with the same lanes. A fragment of any multiple of it can be sliced "
                    "and stored piecewise; a product takes whole instructions.",
      "::llvm::SmallVector<int64_t>", "getFragmentShape", (ins "::helios::tile::Side":$side), "", [{
        ::llvm::SmallVector<int64_t> s = $_attr.getMmaShape();
        if (side == ::helios::tile::Side::A) return {s[0], s[2]};
        if (side == ::helios::tile::Side::B) return {s[2], s[1]};
        return {s[0], s[1]};
      }]>,
    InterfaceMethod<"(lane) -> coordinates of a lane's first element in one fragment of this side; null for an opaque one.",
      "::mlir::AffineMap", "getFragmentBase", (ins "::helios::tile::Side":$side), "", [{ return {}; }]>,
    InterfaceMethod<"Constant offsets of a lane's elements in one fragment of this side; empty for an opaque one.",
      "::llvm::SmallVector<::llvm::SmallVector<int64_t>>", "getFragmentRegisters", (ins "::helios::tile::Side":$side), "",
      [{ return {}; }]>,
    InterfaceMethod<"The layout of a tile on this side; `groups` is the grid of groups over (m, n).",
      "::mlir::Attribute", "getLayout", (ins "::helios::tile::Side":$side, "::llvm::ArrayRef<int64_t>":$groups)>,
    InterfaceMethod<"True if fragments of this side can be loaded well from a tile of this layout in shared memory.",
      "bool", "canLoad", (ins "::helios::tile::Side":$side, "::mlir::Attribute":$layout), "", [{ return true; }]>,
    InterfaceMethod<"True if a group's lanes hand fragments of one side on as fragments of another, of the same shape, without memory. For "
                    "instructions with opaque operands; of others, layouts tell.",
      "bool", "canHandOn", (ins "::helios::tile::Side":$from, "::helios::tile::Side":$to), "", [{ return false; }]>,
    InterfaceMethod<"True if rows or columns of an opaque fragment are combined without memory, and every column or row is the result.",
      "bool", "canReduce", (ins), "", [{ return false; }]>,
    InterfaceMethod<"Checks an operand's layout; the diagnostic says what was expected and what to do.",
      "::llvm::LogicalResult", "checkOperand",
      (ins "::llvm::function_ref<::mlir::InFlightDiagnostic()>":$emitError, "::helios::tile::Side":$side,
           "::mlir::Attribute":$layout)>
  ];
}

#endif // HELIOS_TILE_MMA
