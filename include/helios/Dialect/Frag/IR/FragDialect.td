// Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HELIOS_FRAG_DIALECT
#define HELIOS_FRAG_DIALECT

include "mlir/IR/OpBase.td"

def Frag_Dialect : Dialect {
  let name = "frag";
  let cppNamespace = "::helios::frag";
  let summary = "Level 3: one lane group's program over fragments";
  let description = [{
    The same program seen by one group of lanes: fragments in registers or opaque matrices, shared memory at known offsets,
    products in flight, tokens and barriers. No lane number appears: `read`, `write` and `permute` derive lane offsets from
    layouts at level 4.
  }];
  let dependentDialects = ["::helios::tile::TileDialect", "::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
                           "::mlir::scf::SCFDialect"];
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let extraClassDeclaration = [{
    void registerAttributes();
    void registerTypes();
  }];
}

#endif // HELIOS_FRAG_DIALECT
