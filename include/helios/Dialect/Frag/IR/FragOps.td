// Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HELIOS_FRAG_OPS
#define HELIOS_FRAG_OPS

include "helios/Dialect/Frag/IR/FragTypes.td"
include "helios/Dialect/Tile/IR/TileOpBase.td"
include "mlir/Interfaces/FunctionInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class Frag_Op<string mnemonic, list<Trait> traits = []> : Op<Frag_Dialect, mnemonic, traits>;
def Frag_ScopeAttr : EnumAttr<Frag_Dialect, Frag_Scope, "scope"> { let assemblyFormat = "$value"; }
def Frag_IdKindAttr : EnumAttr<Frag_Dialect, Frag_IdKind, "id_kind"> { let assemblyFormat = "$value"; }
def Frag_Source : AnyTypeOf<[Frag_MemType, Tile_ViewType]>;

include "helios/Dialect/Frag/IR/KernelOps.td"
include "helios/Dialect/Frag/IR/MoveOps.td"
include "helios/Dialect/Frag/IR/MmaOps.td"
include "helios/Dialect/Frag/IR/RingOps.td"

#endif // HELIOS_FRAG_OPS
