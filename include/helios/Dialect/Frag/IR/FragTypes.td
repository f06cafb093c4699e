// Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HELIOS_FRAG_TYPES
#define HELIOS_FRAG_TYPES

include "helios/Dialect/Frag/IR/FragDialect.td"
include "helios/Dialect/Frag/IR/FragEnums.td"
include "helios/Dialect/Tile/IR/TileInterfaces.td"
include "mlir/IR/AttrTypeBase.td"

class Frag_Type<string name, string typeMnemonic> : TypeDef<Frag_Dialect, name> {
  let mnemonic = typeMnemonic;
}

def Frag_FragmentType : Frag_Type<"Fragment", "f"> {
  let summary = "one lane group's part of a tile";
  let description = [{ The shape is the whole tile's; the layout says which part a group, and a lane in it, holds. }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape, "::mlir::Type":$elementType, "::helios::tile::LayoutAttrInterface":$layout);
  let assemblyFormat = "`<` custom<ShapedElement>($shape, $elementType) `,` $layout `>`";
  let genVerifyDecl = 1;
}

def Frag_InFlightType : Frag_Type<"InFlight", "inflight"> {
  let summary = "a fragment that a started product still writes";
  let parameters = (ins "::helios::frag::FragmentType":$fragment);
  let assemblyFormat = "`<` $fragment `>`";
}

def Frag_TokenType : Frag_Type<"Token", "token"> {
  let summary = "one entry of an engine's FIFO";
  let parameters = (ins StringRefParameter<"engine">:$engine);
  let assemblyFormat = "`<` $engine `>`";
}

def Frag_MemType : Frag_Type<"Mem", "mem"> {
  let summary = "a tile in shared memory at a known place";
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape, "::mlir::Type":$elementType, "::helios::tile::LayoutAttrInterface":$layout);
  let assemblyFormat = "`<` custom<ShapedElement>($shape, $elementType) `,` $layout `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{ int64_t getBytes(); }];
}

def Frag_RingType : Frag_Type<"Ring", "ring"> {
  let summary = "a ring with its slots placed";
  let parameters = (ins "::helios::tile::RingType":$ring);
  let assemblyFormat = "`<` $ring `>`";
}

def Frag_SlotType : Frag_Type<"Slot", "slot"> {
  let summary = "an acquired slot";
}

#endif // HELIOS_FRAG_TYPES
