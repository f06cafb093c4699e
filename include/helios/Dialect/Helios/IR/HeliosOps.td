// Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kernel and its structure; the products are in Matmul.td and Attention.td.

#ifndef HELIOS_DIALECT_HELIOS_IR_HELIOSOPS_TD
#define HELIOS_DIALECT_HELIOS_IR_HELIOSOPS_TD

include "helios/Dialect/Helios/IR/HeliosDialect.td"
include "helios/Dialect/Helios/IR/Schedule.td"
include "helios/Dialect/Helios/IR/Matmul.td"
include "helios/Dialect/Helios/IR/Pack.td"
include "helios/Dialect/Helios/IR/Attention.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/FunctionInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/IR/RegionKindInterface.td"

def Helios_KernelOp : Helios_Op<"kernel", [FunctionOpInterface, IsolatedFromAbove]> {
  let summary = "A kernel: tensors and scalars in, tensors out";
  let description = [{
    The unit of compilation. Arguments are ranked tensors (no encoding) and scalars, results are ranked tensors; dynamic
    extents are the norm. Its body is one block of matrix products, element-wise `linalg`, `arith` and `math` around
    them, and `helios.return`. It becomes one or more programs and a launch plan.

    The optional attribute `schedule` holds the tuning parameters, `target` the row of the machine that it is compiled
    for. An argument may carry its name for reports as `helios.name`, and `helios.constant`: it is the same in many launches, and
    `helios-pack-constants` has it packed once, or, where the target packs nothing, kernels may read it before the dispatch in front has ended. `helios.packed_by` then names the kernel that packs it. `alternatives` are further schedules, among which and
    `schedule` the launch plan chooses by the extents: the one whose busiest processor has the least to do (of several products the sum counts, by weights of the largest), where a tile of
    each costs its entry of `weights` (the schedule's first; any one unit), or of `unaligned_weights`, if there are any, where rows
    of an operand begin off a line of the target's cache, and at least its entry of `alone_weights`, if there are any, however few tiles
    there are: workgroups that a processor has several of hide what others wait for. Where a group's matrices have no known places, that is so for every round of
    as many workgroups as a processor holds, and tiles of staged operands that reach over edges count half as much again. With `item_weights`, or where some of them split K (`split_k`), pack an operand (`pack`), make a right one (`apart`) or turn one (`turn`), a tile
    costs its weight for each element of K; in the same unit, two `item_weights` for each schedule say what a tile costs on top and what
    a launch does behind its last tile, `workgroup_weight` what each workgroup of a launch costs, up to one a processor, and `sum_weights` what adding up the slices costs: the second dispatch, and each element of a slice. `pack_weights`
    say the same of packing an operand in each launch (`pack`), `make_weights` of making a right one (`apart`), and `turn_weights` of turning one (`turn`). `write_weights` say what an item, and each byte of it, takes at least where the launch writes, and reads of what is fused as large, more
    than the third of them, in bytes. `read_weights` say what an item takes at least for each element of K, an entry for each schedule from the fifth on, where both operands have more bits than
    the first of them, of which a row has the second and a column the third for each element of K, as they are stored: caches keep less of what items share then, and 1024 bytes of them take the fourth of the whole product at least. `outside_weights` are of a row and of a column of a tile that lies outside of the result, for each element of K, where
    the result has fewer of them than a tile: what filling it up costs where all processors do (in proportion where fewer do), then what it counts for in `weights`, then in `unaligned_weights`, of which at most half is taken off.
    `modelled` is the number of schedules, from the first on, that a cost model chose; without it somebody gave them all. With `tuned`, those
    behind them come from a table of measurements: the plan takes one where an entry says so, and compares only the others elsewhere.

    ```mlir
    helios.kernel @gemm(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> tensor<?x?xf16>
        attributes {schedule = #helios.schedule<tile = [64, 64, 32]>} {
      %d = helios.matmul %a, %b : (tensor<?x?xf16>, tensor<?x?xf16>) -> tensor<?x?xf16> acc f32
      helios.return %d : tensor<?x?xf16>
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttrOf<FunctionType>:$function_type,
                       OptionalAttr<StrAttr>:$sym_visibility,
                       OptionalAttr<DictArrayAttr>:$arg_attrs, OptionalAttr<DictArrayAttr>:$res_attrs,
                       OptionalAttr<AnyAttr>:$target, OptionalAttr<Helios_ScheduleAttr>:$schedule,
                       OptionalAttr<TypedArrayAttrBase<Helios_ScheduleAttr, "schedules">>:$alternatives,
                       OptionalAttr<DenseI64ArrayAttr>:$weights, OptionalAttr<DenseI64ArrayAttr>:$unaligned_weights,
                       OptionalAttr<DenseI64ArrayAttr>:$alone_weights,
                       OptionalAttr<DenseI64ArrayAttr>:$item_weights, OptionalAttr<I64Attr>:$workgroup_weight,
                       OptionalAttr<DenseI64ArrayAttr>:$sum_weights, OptionalAttr<DenseI64ArrayAttr>:$pack_weights,
                       OptionalAttr<DenseI64ArrayAttr>:$make_weights, OptionalAttr<DenseI64ArrayAttr>:$turn_weights,
                       OptionalAttr<DenseI64ArrayAttr>:$write_weights, OptionalAttr<DenseI64ArrayAttr>:$read_weights,
                       OptionalAttr<DenseI64ArrayAttr>:$outside_weights,
                       OptionalAttr<I64Attr>:$modelled, OptionalAttr<TypedArrayAttrBase<Helios_TunedAttr, "ranges of extents">>:$tuned);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    /// FunctionOpInterface: the types of the arguments and of the results.
    ::llvm::ArrayRef<::mlir::Type> getArgumentTypes() { return getFunctionType().getInputs(); }
    ::llvm::ArrayRef<::mlir::Type> getResultTypes() { return getFunctionType().getResults(); }
    /// A kernel always has a body.
    bool isDeclaration() { return false; }
    ::mlir::Region *getCallableRegion() { return &getBody(); }
    /// The kernel's only terminator.
    ::helios::ReturnOp getReturn();
  }];
}

def Helios_ReturnOp : Helios_Op<"return", [Pure, Terminator, HasParent<"KernelOp">, ReturnLike]> {
  let summary = "Returns the kernel's results";
  let description = [{
    ```mlir
    helios.return %d : tensor<?x?xf16>
    ```
  }];
  let arguments = (ins Variadic<AnyType>:$operands);
  let builders = [OpBuilder<(ins), [{ build($_builder, $_state, ::mlir::ValueRange()); }]>];
  let assemblyFormat = "attr-dict ($operands^ `:` type($operands))?";
  let hasVerifier = 1;
}

def Helios_YieldOp : Helios_Op<"yield", [Pure, Terminator, ParentOneOf<["MatmulOp", "AttentionOp"]>]> {
  let summary = "Ends a region of scalar arithmetic";
  let description = [{
    Yields what the region computes: an element of each result of a product, a score, or a mask bit.

    ```mlir
    helios.yield %z : f16
    ```
  }];
  let arguments = (ins Variadic<AnyType>:$values);
  let builders = [OpBuilder<(ins), [{ build($_builder, $_state, ::mlir::ValueRange()); }]>];
  let assemblyFormat = "attr-dict ($values^ `:` type($values))?";
  let extraClassDeclaration = [{
    /// What a region yields that computes one element.
    ::mlir::Value getValue() { return getValues().front(); }
  }];
}

#endif // HELIOS_DIALECT_HELIOS_IR_HELIOSOPS_TD
