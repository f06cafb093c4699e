// Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The interface of layouts: where an element of a tile lives.

#ifndef HELIOS_TILE_LAYOUT
#define HELIOS_TILE_LAYOUT

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"

def Tile_Partial : I32Enum<"Partial", "what is still to be combined over the lanes that share a value", [
    I32EnumCase<"None", 0, "none">, I32EnumCase<"Add", 1, "add">,
    I32EnumCase<"Max", 2, "max">, I32EnumCase<"Or", 3, "or">]> {
  let cppNamespace = "::helios::tile";
}

def Tile_LayoutAttrInterface : AttrInterface<"LayoutAttrInterface"> {
  let cppNamespace = "::helios::tile";
  let description = [{
    A layout maps (group, lane, register) to coordinates of a tile. A *group* is the set of lanes that works on one
    fragment (a subgroup, a warpgroup, or a whole workgroup); a *register* is one element held by a lane, or, for an opaque
    layout, one matrix held by a group. Every register layout is affine:

        coordinates(group, lane, register) = base(group, lane) + offset(register)

    where `base` is an `AffineMap` of two dimensions and the offsets are constants. Where a tile is smaller than what the
    lanes cover, `base` is reduced modulo the shape and several lanes hold the same element (replication). A memory layout
    (`isMemory`) has no lanes: its elements are addressed by coordinates.
  }];
  let methods = [
    InterfaceMethod<"True for a tile in readable memory, false for registers or matrices.",
      "bool", "isMemory", (ins), "", [{ return false; }]>,
    InterfaceMethod<"False if no element has a known place (a cooperative matrix).",
      "bool", "hasCoordinates", (ins), "", [{ return true; }]>,
    InterfaceMethod<"Grid of groups over the dimensions; empty for a memory layout.",
      "::llvm::SmallVector<int64_t>", "getGroupGrid">,
    InterfaceMethod<"Lanes of one group; 0 for a memory layout.", "int64_t", "getLaneCount">,
    InterfaceMethod<"Extents that one register covers: all ones for elements, the matrix for an opaque layout.",
      "::llvm::SmallVector<int64_t>", "getRegisterShape", (ins "unsigned":$rank), "",
      [{ return ::llvm::SmallVector<int64_t>(rank, 1); }]>,
    InterfaceMethod<"Extents that all groups cover once; the layout repeats beyond them. Empty for a memory layout.",
      "::llvm::SmallVector<int64_t>", "getBlockShape">,
    InterfaceMethod<"(group, lane) -> coordinates of register 0 in a tile of this shape.",
      "::mlir::AffineMap", "getBaseMap", (ins "::llvm::ArrayRef<int64_t>":$shape)>,
    InterfaceMethod<"The constant offset of every register, in register order.",
      "::llvm::SmallVector<::llvm::SmallVector<int64_t>>", "getRegisterOffsets", (ins "::llvm::ArrayRef<int64_t>":$shape)>,
    InterfaceMethod<"What is still to be combined over the lanes that share a value.",
      "::helios::tile::Partial", "getPartialKind", (ins), "", [{ return ::helios::tile::Partial::None; }]>,
    InterfaceMethod<"The layout of the transposed tile, or null if there is none.",
      "::mlir::Attribute", "getTransposed", (ins), "", [{ return {}; }]>,
    InterfaceMethod<"Bytes of memory that a tile takes; 0 for registers.",
      "int64_t", "getBytes", (ins "::llvm::ArrayRef<int64_t>":$shape, "::mlir::Type":$elementType), "", [{ return 0; }]>,
    InterfaceMethod<"Checks that a tile of this shape and element type can have this layout.",
      "::llvm::LogicalResult", "verifyTile",
      (ins "::llvm::function_ref<::mlir::InFlightDiagnostic()>":$emitError, "::llvm::ArrayRef<int64_t>":$shape,
           "::mlir::Type":$elementType)>
  ];
  let extraSharedClassDeclaration = [{
    /// Number of groups.
    int64_t getGroupCount() {
      int64_t n = 1;
      for (int64_t g : $_attr.getGroupGrid()) n *= g;
      return n;
    }
    /// Elements (or matrices) that one lane (or group) holds.
    int64_t getRegisterCount(::llvm::ArrayRef<int64_t> shape) { return $_attr.getRegisterOffsets(shape).size(); }
    /// Coordinates of one element, evaluated.
    ::llvm::SmallVector<int64_t> getCoordinates(::llvm::ArrayRef<int64_t> shape, int64_t group, int64_t lane, int64_t reg);
    /// True if both layouts put every register of a tile of this shape in the same place.
    bool isSamePlace(::llvm::ArrayRef<int64_t> shape, ::mlir::Attribute other);
    /// True if a tile of this shape gets from one layout to the other without memory: the places are the same, or an
    /// instruction hands its fragments on.
    bool canBecome(::llvm::ArrayRef<int64_t> shape, ::mlir::Attribute other);
    /// True if what rows or columns of this tile have in common is combined without memory although no element has a
    /// known lane.
    bool canReduceOpaque();
  }];
}

#endif // HELIOS_TILE_LAYOUT
