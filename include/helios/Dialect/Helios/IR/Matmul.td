// Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HELIOS_DIALECT_HELIOS_IR_MATMUL_TD
#define HELIOS_DIALECT_HELIOS_IR_MATMUL_TD

include "helios/Dialect/Helios/IR/HeliosDialect.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/TilingInterface.td"

def Helios_ReductionKind : I32Enum<"ReductionKind", "what elements are combined to", [
    I32EnumCase<"Add", 0, "add">, I32EnumCase<"Max", 1, "max">]> {
  let cppNamespace = "::helios";
}
def Helios_ReducedAxis : I32Enum<"ReducedAxis", "the extent of a product along which elements are combined", [
    I32EnumCase<"M", 0, "m">, I32EnumCase<"N", 1, "n">]> {
  let cppNamespace = "::helios";
}

def Helios_ReductionAttr : AttrDef<Helios_Dialect, "Reduction"> {
  let mnemonic = "reduction";
  let summary = "How elements of a product's result are combined";
  let description = [{
    The sum (`add`) or the largest (`max`, NaN if one is) along M or N: `#helios.reduction<add, n>` is a sum over each row.
  }];
  let parameters = (ins EnumParameter<Helios_ReductionKind>:$kind, EnumParameter<Helios_ReducedAxis>:$along);
  let assemblyFormat = "`<` $kind `,` $along `>`";
  let extraClassDeclaration = [{
    /// The dimension that is gone of a result of that rank.
    int64_t getDim(int64_t rank) const { return rank - (getAlong() == ::helios::ReducedAxis::M ? 2 : 1); }
  }];
}
def Helios_ReductionArrayAttr : TypedArrayAttrBase<Helios_ReductionAttr, "array of reductions">;

def Helios_MatmulOp : Helios_Op<"matmul", [
    Pure, AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface, ["reifyResultShapes"]>,
    DeclareOpInterfaceMethods<TilingInterface,
        ["getLoopIteratorTypes", "getIterationDomain", "getTiledImplementation", "getResultTilePosition",
         "generateResultTileValue"]>]> {
  let summary = "Matrix product with a fused epilogue";
  let description = [{
    `result[.., i, j] = epilogue(sum over k of lhs[.., i, k] * rhs[.., k, j])`.

    `lhs` is `[.., M, K]` (`[.., K, M]` with `transpose_a`), `rhs` is `[.., K, N]` (`[.., N, K]` with
    `transpose_b`); the leading dimensions are a batch, equal in both, or of static extent one, or absent. The sum is kept
    in the accumulator type after `acc`. K = 0 gives the epilogue of zero.

    The epilogue region maps the accumulator element, one element of each fused operand and, optionally, one `index` per
    result dimension to the stored element. A fused operand's dimensions match the result's trailing ones or have the
    static extent one. Scalars of the kernel may be used inside. Without a region the accumulator is converted to the
    result's element type.

    There may be several results, all of one shape: the region then yields an element of each, so that what a later pass over the data needs, as the
    value before an activation, is stored beside the first. Their element types may differ.

    With `reductions` the last results, one for each, hold no element of their own for each one of the product, but what the yielded elements
    combine to along M or N: they lack that dimension and have elements of `f32`. An extent of zero gives 0, or -inf for the
    largest. Elements are combined in an order that depends on the schedule, the same in every run. So the squares of what is
    stored are summed up for a normalisation of rows:

    ```mlir
    %h, %squares = helios.matmul %a, %b {reductions = [#helios.reduction<add, n>]}
        : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16>, tensor<?xf32> acc f32 {
    ^bb0(%x: f32):
      %y = arith.truncf %x : f32 to f16
      %s = arith.mulf %x, %x : f32
      helios.yield %y, %s : f16, f32
    }
    ```

    With a `pair`, a second right operand of the type of `rhs`, the left operand is multiplied by both. The region, which must then be there,
    takes the accumulators of the two sums, first that of `rhs`, and makes one element of them: neither sum is stored. `transpose_b` is of both, and so is a
    `prologue`: behind the operands that it reads beside `rhs` stand as many of the same types that it reads beside the pair. With `scales` the pair has one of
    its own, the third.

    With a `prologue` region the product multiplies by what the region makes of `rhs`, one element at a time: it takes the stored element and one element of each
    operand after `prologue`, and yields the element that is multiplied. These operands broadcast to `rhs` as fused ones do to the result. With `group = g` one that
    is K/g elements long along k has one for each g neighbours there, and K must be a multiple of g. So weights of 8 bits, with a scale for each group of
    128, are one operand and one region:

    ```mlir
    %f = helios.matmul %a, %w prologue(%s : tensor<?x?xf16>) {group = 128 : i64}
        : (tensor<?x?xf16>, tensor<?x?xi8>) -> tensor<?x?xf16> acc f32 prologue {
    ^bb0(%x: i8, %t: f16):
      %y = arith.sitofp %x : i8 to f16
      %z = arith.mulf %y, %t : f16
      helios.yield %z : f16
    }
    ```

    A prologue may yield several elements: `rhs` then holds so many in one, and is that many times shorter along k. They lie apart by equal shares of a
    group: of p elements, element j of group n of `rhs`, which has g/p, holds those at n * g + i * g/p + j of k for all i below p, in the order in which they
    are yielded. So a byte holds two weights of 4 bits that are 64 apart in groups of 128:

    ```mlir
    %h = helios.matmul %a, %w prologue(%s : tensor<?x?xf16>) {group = 128 : i64, transpose_b}
        : (tensor<?x?xf16>, tensor<?x?xi8>) -> tensor<?x?xf16> acc f32 prologue {
    ^bb0(%x: i8, %t: f16):
      %c4 = arith.constant 4 : i8
      %raised = arith.shli %x, %c4 : i8
      %low = arith.shrsi %raised, %c4 : i8
      %high = arith.shrsi %x, %c4 : i8
      %u = arith.sitofp %low : i8 to f16
      %v = arith.sitofp %high : i8 to f16
      %y = arith.mulf %u, %t : f16
      %z = arith.mulf %v, %t : f16
      helios.yield %y, %z : f16, f16
    }
    ```

    `prologue_a` is the same of `lhs`: its region makes what is multiplied of an element of `lhs`, as it is stored, and one of each operand after
    `prologue_a`, which broadcast to `lhs`. So a normalisation of rows, by a factor for each row and one for each k, is no op of its own:

    ```mlir
    %h = helios.matmul %x, %w prologue_a(%r, %gamma : tensor<?x1xf32>, tensor<?xf32>)
        : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32 prologue_a {
    ^bb0(%e: f16, %s: f32, %t: f32):
      %e32 = arith.extf %e : f16 to f32
      %u = arith.mulf %e32, %s : f32
      %v = arith.mulf %u, %t : f32
      %y = arith.truncf %v : f32 to f16
      helios.yield %y : f16
    }
    ```

    With `grouped(%ends)` rows of `lhs` belong to groups, each of which has a right operand of its own: `lhs` is `[T, K]`, `rhs` `[E, K, N]` (`[E, N, K]` with
    `transpose_b`), `ends` E integers and the result `[T, N]`. Row i belongs to the first group whose end is greater than i:
    `result[i, j] = epilogue(sum over k of lhs[i, k] * rhs[g(i), k, j])`. Rows that no group has stay as they were. Ends are read on the device; any
    are allowed. Where they ascend group g has the rows from end g - 1 on up to end g; a group whose end is not greater than an earlier one is empty, and
    what lies beyond T is cut off. Fused operands broadcast to `[E, T, N]`: `tensor<?x1x?xf16>` is one value for each group and column.

    Engines that multiply floats of 8 bits keep fewer bits of a sum than `f32` has. So sums leave them after at most 128 elements of k and
    are added up in the accumulator type; with `fast_accumulation` they stay.

    Where they leave, blocks can have `scales` of `f32`: one operand for `lhs`, one for `rhs` (and for the pair), stored as those are. With `blocks = [m, n, k]` an element of
    theirs is the scale of m by k elements of `lhs`, and of k by n of `rhs` (of fewer at the end of a row or column; K is a multiple of k). An extent
    of one broadcasts. Beside `grouped` m is 1, as groups begin at any row, and `rhs` has scales for each group. The sum over a block of k is multiplied by
    the two scales and then added to those before:

    ```mlir
    %g = helios.matmul %a, %b scales(%s, %t : tensor<?x?xf32>, tensor<?x?xf32>) {blocks = array<i64: 1, 128, 128>, transpose_b}
        : (tensor<?x?xf8E4M3FN>, tensor<?x?xf8E4M3FN>) -> tensor<?x?xbf16> acc f32
    ```

    With `batch_invariant` a row of the result does not depend on M, on the batch or on the schedule, bit by bit, where N, K and strides are the same on
    the same target: sums go through K in one order, so K is never split, and all programs of the kernel between which M decides multiply by
    instructions of one kind.

    ```mlir
    %d = helios.matmul %a, %b fused(%bias : tensor<?xf16>) {transpose_b}
        : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32 {
    ^bb0(%x: f32, %c: f16):
      %e = arith.extf %c : f16 to f32
      %y = arith.addf %x, %e : f32
      %z = arith.truncf %y : f32 to f16
      helios.yield %z : f16
    }

    %e = helios.matmul %a, %b pair(%c : tensor<?x?xf16>) : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf32> acc f32 {
    ^bb0(%x: f32, %y: f32):
      %z = arith.mulf %x, %y : f32
      helios.yield %z : f32
    }

    %g = helios.matmul %a, %experts grouped(%ends : tensor<?xi32>) {transpose_b}
        : (tensor<?x?xf16>, tensor<?x?x?xf16>) -> tensor<?x?xf16> acc f32

    %f, %before = helios.matmul %a, %b : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16>, tensor<?x?xf32> acc f32 {
    ^bb0(%x: f32):
      %y = math.absf %x : f32
      %z = arith.truncf %y : f32 to f16
      helios.yield %z, %x : f16, f32
    }
    ```
  }];
  let arguments = (ins AnyRankedTensor:$lhs, AnyRankedTensor:$rhs, Optional<AnyRankedTensor>:$pair,
                       Variadic<AnyRankedTensor>:$fused, Variadic<AnyRankedTensor>:$captured, Variadic<AnyRankedTensor>:$captured_a,
                       Optional<AnyRankedTensor>:$ends, Variadic<AnyRankedTensor>:$scales,
                       OptionalAttr<ConfinedAttr<I64Attr, [IntPositive]>>:$group, OptionalAttr<DenseI64ArrayAttr>:$blocks,
                       OptionalAttr<Helios_ReductionArrayAttr>:$reductions, UnitAttr:$transpose_a, UnitAttr:$transpose_b,
                       UnitAttr:$fast_accumulation, UnitAttr:$batch_invariant, TypeAttr:$acc_type);
  let results = (outs AnyRankedTensor:$result, Variadic<AnyRankedTensor>:$auxiliary);
  let regions = (region AnyRegion:$epilogue, AnyRegion:$prologue, AnyRegion:$prologue_a);
  let assemblyFormat = [{
    $lhs `,` $rhs (`pair` `(` $pair^ `:` type($pair) `)`)? (`grouped` `(` $ends^ `:` type($ends) `)`)?
    (`prologue` `(` $captured^ `:` type($captured) `)`)? (`prologue_a` `(` $captured_a^ `:` type($captured_a) `)`)?
    (`scales` `(` $scales^ `:` type($scales) `)`)? (`fused` `(` $fused^ `:` type($fused) `)`)? attr-dict
    `:` `(` type($lhs) `,` type($rhs) `)` `->` type($result) (`,` type($auxiliary)^)? `acc` $acc_type
    (`prologue` $prologue^)? (`prologue_a` $prologue_a^)? ($epilogue^)?
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let hasCanonicalizer = 1;
  let extraClassDeclaration = [{
    /// Static extents of the operands as the product sees them: kDynamic where not static.
    int64_t getM();
    int64_t getN();
    int64_t getK();
    /// Positions of those dimensions in the operands' shapes.
    int64_t getLhsMDim();
    int64_t getLhsKDim();
    int64_t getRhsKDim();
    int64_t getRhsNDim();
    /// How many products share the left operand: sums of an element of the result, accumulators that the epilogue takes.
    unsigned getNumSums() { return getPair() ? 2 : 1; }
    /// What is multiplied, by number: lhs, rhs and, if there is one, the pair.
    ::llvm::SmallVector<::mlir::Value> getMultiplied();
    /// What the epilogue yields of each result; it must be there.
    ::mlir::OperandRange getYielded();
    /// Whether a use is that of a right operand.
    bool isRight(::mlir::OpOperand &use);
    /// Whether rows belong to groups, whose right operands lie one behind the other.
    bool isGrouped() { return bool(getEnds()); }
    /// The shape to which fused operands broadcast: that of the result, behind the groups, if there are any.
    ::llvm::SmallVector<int64_t> getFusedShape();
    /// Whether an operand is computed from what is stored: the right one, or the left one.
    bool hasPrologue() { return !getPrologue().empty(); }
    bool hasPrologueA() { return !getPrologueA().empty(); }
    /// The region that computes an operand, and what it reads beside one of them, by number.
    ::mlir::Region &getPrologueOf(bool isLhs) { return isLhs ? getPrologueA() : getPrologue(); }
    ::mlir::OperandRange getCapturedOf(unsigned number);
    /// The types of the elements that are multiplied: what prologues make of them.
    ::mlir::Type getLhsElement();
    ::mlir::Type getRhsElement();
    /// What a stored element of rhs holds along k: as many elements as the prologue yields.
    int64_t getParts();
    /// Elements along k that share one of a captured operand's dimension.
    int64_t getGroupSize() { return getGroup().value_or(1); }
    /// Whether blocks of the operands have scales, by which partial sums are multiplied; and the extents of a block along m, n and k.
    bool hasScales() { return !getScales().empty(); }
    ::llvm::ArrayRef<int64_t> getBlockShape() { return *getBlocks(); }
    /// The scales of one of the operands, by number.
    ::mlir::Value getScaleOf(unsigned number) { return getScales()[number]; }
    /// How many of the last results hold what elements combine to; and how those of a result are combined, null if they are stored.
    unsigned getNumReductions() { return getReductions() ? getReductions()->size() : 0; }
    ReductionAttr getReduction(unsigned result);
    /// Whether elements are combined along M, or along N.
    bool reducesAlong(ReducedAxis axis);
    /// A product of the same operands with other results, of which the last ones are of these reductions. Its regions are still empty.
    MatmulOp withResults(::mlir::OpBuilder &builder, ::mlir::TypeRange types, ::llvm::ArrayRef<::mlir::Attribute> reductions = {});
    /// Whether the epilogue region is given; without it the accumulator is only converted.
    bool hasEpilogue() { return !getEpilogue().empty(); }
    /// The epilogue's arguments: accumulators, elements of fused operands, and indices, if it takes them.
    ::llvm::ArrayRef<::mlir::BlockArgument> getAccumulatorArguments();
    ::llvm::ArrayRef<::mlir::BlockArgument> getFusedArguments();
    ::llvm::ArrayRef<::mlir::BlockArgument> getIndexArguments();
    /// Whether the epilogue takes the result's indices.
    bool epilogueHasIndices();
    /// Gives the op an explicit epilogue if it has none: the conversion to the result's element type.
    void materializeEpilogue(::mlir::OpBuilder &builder);
  }];
}

#endif // HELIOS_DIALECT_HELIOS_IR_MATMUL_TD
