// Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HELIOS_DIALECT_HELIOS_IR_ATTENTION_TD
#define HELIOS_DIALECT_HELIOS_IR_ATTENTION_TD

include "helios/Dialect/Helios/IR/HeliosDialect.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Helios_AttentionOp : Helios_Op<"attention", [
    Pure, DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface, ["reifyResultShapes"]>]> {
  let summary = "softmax(mask(score(Q·Kᵀ·scale)))·V";
  let description = [{
    Operands: query `[B, H, Sq, D]`, key `[B, G, Skv, D]`, value `[B, G, Skv, Dv]`, where the number of heads H is a
    multiple of G (grouped queries). Results: `[B, H, Sq, Dv]` and, optionally, the logarithm of each row's sum of
    exponentials `[B, H, Sq]` in f32 (-inf for a fully masked row, whose output is 0).

    `scale` multiplies Q·Kᵀ; without it the scale is one over the square root of D. The score region maps the score, one
    element of each fused operand and the indices b, h, i, j to a score of the accumulator type; the mask region maps one
    element of each fused operand and the indices to i1, true where the position takes part. Fused operands are as in
    `helios.matmul`: their dimensions match the trailing ones of `[B, H, Sq, Skv]` or have the static extent one. Scalars of
    the kernel may be used inside.

    In f32 the scale and constants that the score region multiplies scores by are reassociated, as by `arith`'s flag
    `reassoc`: of `s * scale + slope * distance` the slope is divided by the scale, and the exponential takes the scale. So are
    divisions by constants with the flag `arcp`.

    Queries and keys are both counted from 0, so `j <= i` is causal for Sq = Skv, and aligned at the first key otherwise;
    `j <= i + (Skv - Sq)` aligns the last query with the last key. Comparisons of sums and constant multiples of i, j and
    values that depend on neither are recognised, in any combination of `and`, `or` and negation: blocks of keys in which
    they let nothing take part are not visited.

    A row of which nothing takes part, or whose scores are all -inf, is 0. What K holds at a masked position has no effect;
    a NaN or an infinity in V has none where its whole block is not visited or it lies beyond Skv.

    ```mlir
    %o = helios.attention %q, %k, %v : (tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>, tensor<?x?x?x64xf16>)
        -> tensor<?x?x?x64xf16> acc f32 mask {
    ^bb0(%b: index, %h: index, %i: index, %j: index):
      %c = arith.cmpi ule, %j, %i : index
      helios.yield %c : i1
    }
    ```
  }];
  let arguments = (ins AnyRankedTensor:$query, AnyRankedTensor:$key, AnyRankedTensor:$value,
                       Variadic<AnyRankedTensor>:$fused, OptionalAttr<F64Attr>:$scale, TypeAttr:$acc_type);
  let results = (outs AnyRankedTensor:$result, Optional<AnyRankedTensor>:$lse);
  let regions = (region AnyRegion:$score, AnyRegion:$mask);
  let assemblyFormat = [{
    $query `,` $key `,` $value (`fused` `(` $fused^ `:` type($fused) `)`)? (`scale` `(` $scale^ `)`)? attr-dict
    `:` `(` type($query) `,` type($key) `,` type($value) `)` `->` type($result) (`lse` type($lse)^)? `acc` $acc_type
    (`score` $score^)? (`mask` $mask^)?
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    /// What multiplies Q·Kᵀ.
    double getScaleOrDefault();
    /// Checks that tiles can have its depths. Fails with a diagnostic.
    ::llvm::LogicalResult checkDepths();
  }];
}

#endif // HELIOS_DIALECT_HELIOS_IR_ATTENTION_TD
