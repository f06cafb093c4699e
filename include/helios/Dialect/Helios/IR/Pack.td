// Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constant operands of products, in the order in which lanes take them.

#ifndef HELIOS_DIALECT_HELIOS_IR_PACK_TD
#define HELIOS_DIALECT_HELIOS_IR_PACK_TD

include "helios/Dialect/Helios/IR/HeliosDialect.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Helios_PackingAttr : AttrDef<Helios_Dialect, "Packing"> {
  let mnemonic = "packing";
  let summary = "How an operand is packed";
  let description = [{
    The operand's side (`rhs` or not), the instruction's M, N and K, the type in which products of it are summed, the multiples to
    which its two extents are filled up with zeros, and the lanes that hold a matrix with the elements of each.

    The packed tensor has four dimensions: matrices along K, matrices along the other extent, lanes, elements of a lane.

    ```mlir
    #helios.packing<rhs, mma = [16, 16, 16], acc = f32, multiple = [64, 128], lanes = 32, elements = 8>
    ```
  }];
  let parameters = (ins "bool":$rhs, ArrayRefParameter<"int64_t">:$mma, "::mlir::Type":$acc,
                        ArrayRefParameter<"int64_t", "of K and of the other extent">:$multiple, "int64_t":$lanes, "int64_t":$elements);
  let assemblyFormat = [{
    `<` custom<OperandSide>($rhs) `,` `mma` `=` `[` $mma `]` `,` `acc` `=` $acc `,` `multiple` `=` `[` $multiple `]` `,`
    `lanes` `=` $lanes `,` `elements` `=` $elements `>`
  }];
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Extents of a matrix along K and the other dimension.
    int64_t getMatrixK() const { return getMma()[2]; }
    int64_t getMatrixOther() const { return getMma()[getRhs() ? 1 : 0]; }
  }];
}

def Helios_PackOp : Helios_Op<"pack", [Pure]> {
  let summary = "Packs an operand of products";
  let description = [{
    The operand as matrices of an instruction, each as the lanes hold it, filled up with zeros. `transpose`: the operand is stored as `[N, K]` (of the left side: `[K, M]`).

    ```mlir
    %p = helios.pack #helios.packing<rhs, mma = [8, 8, 8], acc = f32, multiple = [16, 32], lanes = 8, elements = 8>, %b
        : tensor<?x?xf16> -> tensor<?x?x?x?xf16>
    ```
  }];
  let arguments = (ins 2DTensorOf<[AnyFloat]>:$source, Helios_PackingAttr:$packing, UnitAttr:$transpose);
  let results = (outs 4DTensorOf<[AnyFloat]>:$result);
  let assemblyFormat = "qualified($packing) `,` $source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

def Helios_UnpackOp : Helios_Op<"unpack", [Pure]> {
  let summary = "A packed operand of products, as what it was";
  let description = [{
    The operand `[K, N]` (of the left side `[M, K]`) that was packed. Only products take it.

    ```mlir
    %b = helios.unpack #helios.packing<rhs, mma = [8, 8, 8], acc = f32, multiple = [16, 32], lanes = 8, elements = 8>, %p
        : tensor<?x?x?x?xf16> -> tensor<?x?xf16>
    ```
  }];
  let arguments = (ins 4DTensorOf<[AnyFloat]>:$source, Helios_PackingAttr:$packing);
  let results = (outs 2DTensorOf<[AnyFloat]>:$result);
  let assemblyFormat = "qualified($packing) `,` $source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

#endif // HELIOS_DIALECT_HELIOS_IR_PACK_TD
