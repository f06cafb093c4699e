// Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Pointers, views, rings and what is held while a ring is used.

#ifndef HELIOS_TILE_TYPES
#define HELIOS_TILE_TYPES

include "helios/Dialect/Tile/IR/TileAttrs.td"

class Tile_Type<string name, string typeMnemonic> : TypeDef<Tile_Dialect, name> {
  let mnemonic = typeMnemonic;
}

def Tile_PtrType : Tile_Type<"Ptr", "ptr"> {
  let summary = "address of global memory";
  let parameters = (ins "::mlir::Type":$elementType);
  let assemblyFormat = "`<` $elementType `>`";
  let genVerifyDecl = 1;
}

def Tile_ViewType : Tile_Type<"View", "view"> {
  let summary = "global memory seen as an array";
  let description = [{
    Extents and strides in elements, `?` where known only at launch. `div`: a divisor of each stride; `align`: of the
    address, in bytes (0: only the element's own). `gather = d`: dimension d goes through an index table.

    `packed = #tile.opaque<b, ..>`: memory holds matrices without coordinates, each as one piece in the order of the lanes, and
    within a lane of its elements. A matrix begins where the strides place its first element; extents are whole matrices. Only
    whole tiles of that layout are loaded and stored, `in_bounds`.
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape, "::mlir::Type":$elementType, ArrayRefParameter<"int64_t">:$strides,
                        OptionalArrayRefParameter<"int64_t">:$div, DefaultValuedParameter<"int64_t", "0">:$align,
                        DefaultValuedParameter<"int64_t", "-1">:$gather,
                        DefaultValuedParameter<"::mlir::Attribute", "{}">:$packed);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    int64_t getRank() const { return getShape().size(); }
    /// Divisor of the stride of a dimension, in elements.
    int64_t getStrideDivisor(unsigned dim) const;
    /// The dimension of stride one, or -1.
    int64_t getContiguousDim() const;
    /// Refuses a list of dimensions that names one twice, or one that there is not.
    ::llvm::LogicalResult checkDims(::llvm::function_ref<::mlir::InFlightDiagnostic()> emitError, ::llvm::ArrayRef<int64_t> dims) const;
  }];
}

def Tile_RingKind : I32Enum<"RingKind", "direction of a ring", [
    I32EnumCase<"Load", 0, "load">, I32EnumCase<"Store", 1, "store">, I32EnumCase<"Pass", 2, "pass">]> {
  let cppNamespace = "::helios::tile";
}
def Tile_RingScope : I32Enum<"RingScope", "who shares a ring", [
    I32EnumCase<"Workgroup", 0, "workgroup">, I32EnumCase<"Replica", 1, "replica">, I32EnumCase<"Cluster", 2, "cluster">]> {
  let cppNamespace = "::helios::tile";
}

def Tile_RingType : Tile_Type<"Ring", "ring"> {
  let summary = "slots between a writing and a reading side";
  let description = [{
    `depth` slots, each holding the payload: tiles in shared memory or scalars; an empty payload is a pure turn. A `load`
    ring is written by copies, a `store` ring is read by them, a `pass` ring has lanes on both sides. `readers`: parties
    of a workgroup that must exit a slot before it is written again; where the role that reads has more replicas, they read in
    turns (tile.turn). `scope = cluster`: the workgroups of a cluster, each with slots
    of its own, walk the ring in step; the readers of all of them exit a slot before any of them writes it again. Lanes read the
    slots of all of them where it is a `pass` ring. `multicast`:
    a copy of one workgroup may then write the slots of several (`shared` of tile.copy_in).
  }];
  let parameters = (ins "int64_t":$depth, ArrayRefParameter<"::mlir::Type">:$payload, EnumParameter<Tile_RingKind>:$kind,
                        "::mlir::Attribute":$copy, DefaultValuedParameter<"int64_t", "1">:$readers,
                        DefaultValuedParameter<"::helios::tile::RingScope", "::helios::tile::RingScope::Workgroup">:$scope,
                        DefaultValuedParameter<"int64_t", "1">:$cluster, DefaultValuedParameter<"bool", "false">:$multicast);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Workgroups whose payload the reading side sees.
    int64_t getTilesRead() const { return getKind() == RingKind::Pass ? getCluster() : 1; }
  }];
}

def Tile_Access : I32Enum<"Access", "side of a ring", [I32EnumCase<"Read", 0, "read">, I32EnumCase<"Write", 1, "write">]> {
  let cppNamespace = "::helios::tile";
}

def Tile_SlotType : Tile_Type<"Slot", "slot"> {
  let summary = "an entered slot of a ring";
  let parameters = (ins EnumParameter<Tile_Access>:$access);
  let assemblyFormat = "`<` $access `>`";
}

def Tile_CursorType : Tile_Type<"Cursor", "cursor"> {
  let summary = "a position on one side of a ring; stage and parity derive from it";
}

def Tile_TokenType : Tile_Type<"Token", "token"> {
  let summary = "completion of one copy";
}

#endif // HELIOS_TILE_TYPES
