// Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The interface of copy engines. The attributes themselves belong to the targets.

#ifndef HELIOS_TILE_COPY
#define HELIOS_TILE_COPY

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"

def Tile_Completion : I32Enum<"Completion", "how the end of a copy is seen", [
    I32EnumCase<"None", 0, "none">, I32EnumCase<"Group", 1, "group">, I32EnumCase<"Barrier", 2, "barrier">]> {
  let cppNamespace = "::helios::tile";
}

def Tile_Bounds : I32Enum<"Bounds", "what a copy does with coordinates outside the view", [
    I32EnumCase<"None", 0, "none">, I32EnumCase<"Clip", 1, "clip">, I32EnumCase<"ZeroFill", 2, "zero_fill">,
    I32EnumCase<"Predicate", 3, "predicate">, I32EnumCase<"Clamp", 4, "clamp">]> {
  let cppNamespace = "::helios::tile";
}

def Tile_CopyAttrInterface : AttrInterface<"CopyAttrInterface"> {
  let cppNamespace = "::helios::tile";
  let description = [{ A way in which a target moves a tile between global and shared memory. }];
  let methods = [
    InterfaceMethod<"Bytes that one access moves at least.", "int64_t", "getGranule">,
    InterfaceMethod<"How its end is seen.", "::helios::tile::Completion", "getCompletion">,
    InterfaceMethod<"What it does outside the view.", "::helios::tile::Bounds", "getBoundsMode">,
    InterfaceMethod<"Lanes that issue one copy (1 for a bulk engine).", "int64_t", "getIssueLanes">,
    InterfaceMethod<"True if one copy can write the shared memory of several workgroups.", "bool", "canMulticast", (ins), "",
      [{ return false; }]>,
    InterfaceMethod<"True if it can also copy a tile in shared memory out to global memory.", "bool", "canStore", (ins), "",
      [{ return false; }]>,
    InterfaceMethod<"True if it can add into global memory.", "bool", "canReduce", (ins), "", [{ return false; }]>,
    InterfaceMethod<"The layout in shared memory that it writes best, for a tile whose rows lie along `contiguous` in global memory; "
                    "null if it writes no such tile. `mayFill`: rows may be filled up with what lies behind them, as those of a "
                    "tile that is copied in may.",
      "::mlir::Attribute", "getSharedLayout",
      (ins "::llvm::ArrayRef<int64_t>":$shape, "::mlir::Type":$elementType, "int64_t":$contiguous, "bool":$mayFill), "",
      [{ return {}; }]>,
    InterfaceMethod<"The same engine for rows that begin at multiples of fewer bytes, in more copies; null if there is none.",
      "::helios::tile::CopyAttrInterface", "getNarrower", (ins), "", [{ return {}; }]>,
    InterfaceMethod<"Most rows of a tile that it copies; 0 for any number.", "int64_t", "getMaxRows", (ins), "", [{ return 0; }]>,
    InterfaceMethod<"Checks the layout of the tile in shared memory.", "::llvm::LogicalResult", "checkShared",
      (ins "::llvm::function_ref<::mlir::InFlightDiagnostic()>":$emitError, "::mlir::Attribute":$layout,
           "::mlir::Type":$elementType)>
  ];
}

#endif // HELIOS_TILE_COPY
