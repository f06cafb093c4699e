// Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The `helios` dialect: what a kernel computes, on tensors.

#ifndef HELIOS_DIALECT_HELIOS_IR_HELIOSDIALECT_TD
#define HELIOS_DIALECT_HELIOS_IR_HELIOSDIALECT_TD

include "mlir/IR/OpBase.td"

def Helios_Dialect : Dialect {
  let name = "helios";
  let cppNamespace = "::helios";
  let summary = "Descriptions of matrix kernels, with no hardware in them";
  let description = [{
    Level 1 of the compiler: a `helios.kernel` takes tensors and scalars, computes matrix products (and attention) whose
    fused arithmetic is a region, and returns tensors. Nothing here names an instruction, a layout or a memory space;
    `#helios.schedule` holds the tuning parameters and a target attribute names a row of data.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect"];
  let useDefaultAttributePrinterParser = 1;
  let hasRegionArgAttrVerify = 1;
  let extraClassDeclaration = [{
    void registerAttributes();
    /// Attributes of a kernel's arguments: the name in reports; that it is the same in many launches, so it is worth packing;
    /// the kernel that packs it.
    static constexpr ::llvm::StringLiteral kNameAttr = "helios.name";
    static constexpr ::llvm::StringLiteral kConstantAttr = "helios.constant";
    static constexpr ::llvm::StringLiteral kPackedByAttr = "helios.packed_by";
  }];
}

class Helios_Op<string mnemonic, list<Trait> traits = []> : Op<Helios_Dialect, mnemonic, traits>;

#endif // HELIOS_DIALECT_HELIOS_IR_HELIOSDIALECT_TD
