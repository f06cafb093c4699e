// Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HELIOS_TILE_OP_BASE
#define HELIOS_TILE_OP_BASE

include "helios/Dialect/Tile/IR/TileTypes.td"
include "mlir/IR/BuiltinAttributes.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/FunctionInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class Tile_Op<string mnemonic, list<Trait> traits = []> : Op<Tile_Dialect, mnemonic, traits>;

def Tile_Tile : Type<And<[CPred<"::llvm::isa<::mlir::RankedTensorType>($_self)">,
    CPred<"::llvm::cast<::mlir::RankedTensorType>($_self).hasStaticShape()">]>, "tile (tensor of static shape)",
    "::mlir::RankedTensorType">;
def Tile_TileOrScalar : AnyTypeOf<[Tile_Tile, AnyFloat, AnySignlessIntegerOrIndex]>;

def Tile_ReduceKind : I32Enum<"ReduceKind", "associative combination", [
    I32EnumCase<"Add", 0, "add">, I32EnumCase<"Max", 1, "max">, I32EnumCase<"Min", 2, "min">, I32EnumCase<"Or", 3, "or">]> {
  let cppNamespace = "::helios::tile";
}
def Tile_ReduceKindAttr : EnumAttr<Tile_Dialect, Tile_ReduceKind, "kind"> {
  let assemblyFormat = "$value";
}
def Tile_DeviceProperty : I32Enum<"DeviceProperty", "what a launch plan may ask of the device", [
    I32EnumCase<"ComputeUnits", 0, "compute_units">, I32EnumCase<"ClustersOf2", 1, "clusters_of_2">,
    I32EnumCase<"ClustersOf4", 2, "clusters_of_4">, I32EnumCase<"ClustersOf8", 3, "clusters_of_8">]> {
  let cppNamespace = "::helios::tile";
}
def Tile_DevicePropertyAttr : EnumAttr<Tile_Dialect, Tile_DeviceProperty, "device_property"> {
  let assemblyFormat = "$value";
}
def Tile_Origin : I32Enum<"Origin", "who put a schedule among those of a plan", [
    I32EnumCase<"User", 0, "user">, I32EnumCase<"Model", 1, "model">, I32EnumCase<"Table", 2, "table">]> {
  let cppNamespace = "::helios::tile";
}
def Tile_OriginAttr : EnumAttr<Tile_Dialect, Tile_Origin, "origin"> {
  let assemblyFormat = "$value";
}
def Tile_IdKind : I32Enum<"IdKind", "which number tile.id gives", [
    I32EnumCase<"Workgroup", 0, "workgroup">, I32EnumCase<"Workgroups", 1, "workgroups">,
    I32EnumCase<"Cluster", 2, "cluster">, I32EnumCase<"Clusters", 3, "clusters">]> {
  let cppNamespace = "::helios::tile";
}
def Tile_IdKindAttr : EnumAttr<Tile_Dialect, Tile_IdKind, "id_kind"> {
  let assemblyFormat = "$value";
}
def Tile_Turn : I32Enum<"Turn", "a replica takes its turn, or passes it on", [
    I32EnumCase<"Take", 0, "take">, I32EnumCase<"Pass", 1, "pass">]> {
  let cppNamespace = "::helios::tile";
}
def Tile_TurnAttr : EnumAttr<Tile_Dialect, Tile_Turn, "turn"> {
  let assemblyFormat = "$value";
}
def Tile_AccessAttr : EnumAttr<Tile_Dialect, Tile_Access, "access"> {
  let assemblyFormat = "$value";
}

#endif // HELIOS_TILE_OP_BASE
