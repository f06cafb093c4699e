// Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Matrix instructions and copy engines of PTX.

#ifndef HELIOS_TARGETS_PTX_PTXATTRS
#define HELIOS_TARGETS_PTX_PTXATTRS

include "helios/Dialect/Tile/IR/TileInterfaces.td"
include "mlir/IR/AttrTypeBase.td"

def Ptx_Dialect : Dialect {
  let name = "ptx";
  let cppNamespace = "::helios::ptx";
  let summary = "attributes of the PTX targets";
  let description = [{ What programs of levels 2 and 3 say about PTX instructions. `convert-frag-to-ptx` lowers them. }];
  let useDefaultAttributePrinterParser = 1;
  let extraClassDeclaration = [{ void registerAttributes(); }];
}

class Ptx_MmaAttr<string name, string attrMnemonic, list<string> optional>
    : AttrDef<Ptx_Dialect, name, [DeclareAttrInterfaceMethods<Tile_MmaAttrInterface, !listconcat(
        ["getMmaShape", "getElementType", "getLaneCount", "getPlaces", "getFragmentBase", "getFragmentRegisters", "getLayout",
         "checkOperand"], optional)>]> {
  let mnemonic = attrMnemonic;
  let genVerifyDecl = 1;
}

def Ptx_WgmmaAttr : Ptx_MmaAttr<"Wgmma", "wgmma", ["getEngine", "getSumDepth", "getFragmentShape", "isExchanged"]> {
  let summary = "wgmma.mma_async: m = 64, n any multiple of 8 up to 256, k = 32 bytes; four warps";
  let description = [{
    `#ptx.wgmma<n = 128, bf16, bf16, f32>` is D = A·B + C. Its accumulator repeats every 8 columns, so an epilogue may slice it there; groups
    of lanes divide m, never n. `#ptx.wgmma<n = 176 exchanged, bf16, bf16, f32>` is the same instruction with its operands exchanged,
    Dᵀ = Bᵀ·Aᵀ + Cᵀ: a tile of it has any multiple of 8 rows, of 64 columns. Both operands are in shared memory then.
  }];
  let parameters = (ins "int64_t":$n, "bool":$exchanged, "::mlir::Type":$a, "::mlir::Type":$b, "::mlir::Type":$acc);
  let assemblyFormat = "`<` `n` `=` $n `` custom<Exchanged>($exchanged) `,` $a `,` $b `,` $acc `>`";
  let extraClassDeclaration = [{
    /// The side of the instruction itself that a side of the product is.
    ::helios::tile::Side getSideOfInstruction(::helios::tile::Side side) const;
  }];
}

def Ptx_MmaSyncAttr : Ptx_MmaAttr<"MmaSync", "mma_sync", ["getSumDepth", "canLoad", "isExchanged"]> {
  let summary = "mma.sync.aligned.m16n8k*: one warp";
  let description = [{
    `#ptx.mma_sync<[16, 8, 16], f16, f16, f32>` is D = A·B + C of one instruction. `#ptx.mma_sync<[8, 16, 16], f16, f16, f32>` is the same
    instruction with its operands exchanged, Dᵀ = Bᵀ·Aᵀ + Cᵀ: each fragment is the transpose of the other operand's, and that of the
    accumulator its own. It takes half the rows, and twice as many columns, of which products of few rows have enough.
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape, "::mlir::Type":$a, "::mlir::Type":$b, "::mlir::Type":$acc);
  let assemblyFormat = "`<` `[` $shape `]` `,` $a `,` $b `,` $acc `>`";
}

def Ptx_SimtAttr : Ptx_MmaAttr<"Simt", "simt", []> {
  let summary = "a product by multiply-adds of the single lanes of a warp";
  let description = [{
    `#ptx.simt<block = [4, 4, 4], lanes = [8, 4], f32, f32, f32>`: each of 8 x 4 lanes computes 4 x 4 elements over k = 4, in
    the accumulator's type. Its rows are 8 apart and its columns adjacent, so that lanes read A by words of different banks
    where k is contiguous, and B by vectors where n is and blocks are so wide. For types that no matrix instruction of the
    target multiplies.
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$block, ArrayRefParameter<"int64_t">:$lanes, "::mlir::Type":$a, "::mlir::Type":$b,
                        "::mlir::Type":$acc);
  let assemblyFormat = [{
    `<` `block` `=` `[` $block `]` `,` `lanes` `=` `[` $lanes `]` `,` $a `,` $b `,` $acc `>`
  }];
}

class Ptx_CopyAttr<string name, string attrMnemonic, list<string> optional>
    : AttrDef<Ptx_Dialect, name, [DeclareAttrInterfaceMethods<Tile_CopyAttrInterface, !listconcat(
        ["getGranule", "getCompletion", "getBoundsMode", "getIssueLanes", "getSharedLayout", "checkShared"], optional)>]> {
  let mnemonic = attrMnemonic;
}

def Ptx_BulkAttr : Ptx_CopyAttr<"Bulk", "bulk", ["canMulticast", "canStore", "canReduce", "getMaxRows"]> {
  let summary = "cp.async.bulk.tensor with an mbarrier that counts bytes";
}

def Ptx_Async16Attr : Ptx_CopyAttr<"Async16", "async16", ["getNarrower"]> {
  let summary = "cp.async of 16 bytes a lane, completed in groups";
}

def Ptx_Async4Attr : Ptx_CopyAttr<"Async4", "async4", []> {
  let summary = "cp.async of 4 bytes a lane, for rows that begin at no multiple of 16";
  let description = [{
    The layouts in shared memory are those of `#ptx.async16`, and so is how its copies end. Those of 4 bytes go through the cache of a
    processor (`.ca`), which PTX asks of all but those of 16.
  }];
}

def Ptx_TargetAttr : AttrDef<Ptx_Dialect, "Target", [DeclareAttrInterfaceMethods<Tile_TargetAttrInterface, ["canOverlapDispatches", "getCopy", "getMaxCluster", "getOffsetBits", "packsConstants"]>]> {
  let mnemonic = "target";
  let summary = "a row of the table of CUDA architectures, by name";
  let description = [{ `#ptx.target<"sm_90a">`; the limits against which programs and kernels are verified. }];
  let parameters = (ins StringRefParameter<"name of the row">:$row);
  let assemblyFormat = "`<` $row `>`";
  let genVerifyDecl = 1;
}

#endif // HELIOS_TARGETS_PTX_PTXATTRS
