// Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Matrix instructions and target rows of SPIR-V.

#ifndef HELIOS_TARGETS_SPIRV_SPVATTRS
#define HELIOS_TARGETS_SPIRV_SPVATTRS

include "helios/Dialect/Tile/IR/TileInterfaces.td"
include "mlir/IR/AttrTypeBase.td"

def Spv_Dialect : Dialect {
  let name = "spv";
  let cppNamespace = "::helios::spv";
  let summary = "attributes of the SPIR-V targets";
  let useDefaultAttributePrinterParser = 1;
  let extraClassDeclaration = [{ void registerAttributes(); }];
}

class Spv_MmaAttr<string name, string attrMnemonic, list<string> optional>
    : AttrDef<Spv_Dialect, name, [DeclareAttrInterfaceMethods<Tile_MmaAttrInterface, !listconcat(
        ["getMmaShape", "getElementType", "getLaneCount", "getPlaces", "getLayout", "checkOperand"], optional)>]> {
  let mnemonic = attrMnemonic;
  let genVerifyDecl = 1;
}

/// Name of an extension of cooperative matrices, without "SPV_"; empty: none.
def Spv_ExtensionName : StringRefParameter<"extension, if any", "\"\"">;

def Spv_CoopAttr : Spv_MmaAttr<"Coop", "coop", ["canHandOn", "canReduce"]> {
  let summary = "a cooperative matrix product of SPV_KHR_cooperative_matrix at subgroup scope";
  let description = [{
    `#spv.coop<[16, 16, 16], f16, f16, f32, lanes = 32>`: m, n, k; element types of A, B and the accumulator; lanes of the
    subgroup. Its operands are opaque: no element has a known lane. `with = "NV_cooperative_matrix2"`, or
    `"EXT_cooperative_matrix_maintenance1"`: its conversions make a matrix of A or B of an accumulator, its reductions combine
    rows or columns, both without memory.
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape, "::mlir::Type":$a, "::mlir::Type":$b, "::mlir::Type":$acc, "int64_t":$lanes,
                        Spv_ExtensionName:$with);
  let assemblyFormat = "`<` `[` $shape `]` `,` $a `,` $b `,` $acc `,` `lanes` `=` $lanes (`,` `with` `=` $with^)? `>`";
}

def Spv_SimtAttr : Spv_MmaAttr<"Simt", "simt", ["getFragmentBase", "getFragmentRegisters"]> {
  let summary = "a product by multiply-adds of single lanes";
  let description = [{
    `#spv.simt<block = [4, 4, 4], lanes = [8, 8], f16, f16, f32>`: each of 8 x 8 lanes computes a 4 x 4 block over k = 4: f16,
    bf16 and f32 in f32, i8 in i32. For types that no matrix instruction of the device multiplies; smaller blocks and fewer
    lanes are for tiles that must be small. Needs no subgroup operation, so the group of lanes can be the whole workgroup.
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$block, ArrayRefParameter<"int64_t">:$lanes, "::mlir::Type":$a, "::mlir::Type":$b,
                        "::mlir::Type":$acc);
  let assemblyFormat = [{
    `<` `block` `=` `[` $block `]` `,` `lanes` `=` `[` $lanes `]` `,` $a `,` $b `,` $acc `>`
  }];
}

def Spv_TargetAttr : AttrDef<Spv_Dialect, "Target", [DeclareAttrInterfaceMethods<Tile_TargetAttrInterface, ["getMaxAccumulators", "getSharedStoreBytes", "getPackedElements", "meetsInBranches"]>]> {
  let mnemonic = "target";
  let summary = "a row of the table of Vulkan devices, by name";
  let description = [{ `#spv.target<"lavapipe">`; the rows stand in lib/Targets/SPIRV/Rows.cpp. }];
  let parameters = (ins StringRefParameter<"name of the row">:$row);
  let assemblyFormat = "`<` $row `>`";
  let genVerifyDecl = 1;
}

#endif // HELIOS_TARGETS_SPIRV_SPVATTRS
