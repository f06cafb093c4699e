// Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Programs, launch plans and work items.

#ifndef HELIOS_TILE_PROGRAM_OPS
#define HELIOS_TILE_PROGRAM_OPS

include "helios/Dialect/Tile/IR/TileOpBase.td"

def Tile_ProgramOp : Tile_Op<"program", [IsolatedFromAbove, FunctionOpInterface, AutomaticAllocationScope]> {
  let summary = "one workgroup's program";
  let description = [{
    Arguments are pointers and scalars (index, integers, floats); facts on index arguments stand as `tile.range` and `tile.div` on
    them. `target` is a target row, `config` the tuning parameters. Either every tile has a layout or none has;
    `deterministic` forbids unordered reductions into memory.

    ```mlir
    tile.program @copy(%a: !tile.ptr<f16>, %b: !tile.ptr<f16>, %n: index {tile.div = 8 : index}) {
      %v = tile.view %a[%n] strides [1] : !tile.view<?xf16, strides = [1], align = 16>
      ...
      tile.return
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttrOf<FunctionType>:$function_type,
                       OptionalAttr<StrAttr>:$sym_visibility, OptionalAttr<AnyAttr>:$target, OptionalAttr<AnyAttr>:$config,
                       UnitAttr:$deterministic, OptionalAttr<I64Attr>:$shared_bytes,
                       OptionalAttr<DictArrayAttr>:$arg_attrs, OptionalAttr<DictArrayAttr>:$res_attrs);
  let regions = (region AnyRegion:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::Region *getCallableRegion() { return &getBody(); }
    ::llvm::ArrayRef<::mlir::Type> getArgumentTypes() { return getFunctionType().getInputs(); }
    ::llvm::ArrayRef<::mlir::Type> getResultTypes() { return getFunctionType().getResults(); }
    /// The target row, or null.
    ::helios::tile::TargetAttrInterface getTargetRow();
    /// The tuning parameters, or null.
    ::helios::tile::ConfigAttr getTuning();
    /// True once tiles carry layouts.
    bool hasLayouts();
  }];
}

def Tile_ReturnOp : Tile_Op<"return", [Terminator, HasParent<"ProgramOp">, Pure]> {
  let summary = "end of a program";
  let assemblyFormat = "attr-dict";
}

def Tile_PlanOp : Tile_Op<"plan", [IsolatedFromAbove, FunctionOpInterface]> {
  let summary = "launch plan of a kernel";
  let description = [{
    Runs on the host before a launch: total arithmetic on index and i1, `scf.if`, `tile.require`, `tile.choice` and `tile.dispatch`, and
    queries of the arguments (`tile.extent`, `tile.stride`, `tile.alignment`). Arguments are the kernel's tensors, as
    ranked tensors, and scalars; results follow the inputs. It yields the workspace in bytes. `packed_by` names, for each argument
    that is packed, the plan that makes it; it is empty for the others.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttrOf<FunctionType>:$function_type,
                       OptionalAttr<StrAttr>:$sym_visibility, OptionalAttr<I64Attr>:$output_count, OptionalAttr<StrArrayAttr>:$arg_names,
                       OptionalAttr<StrAttr>:$schedule, OptionalAttr<StrArrayAttr>:$packed_by,
                       OptionalAttr<DictArrayAttr>:$arg_attrs, OptionalAttr<DictArrayAttr>:$res_attrs);
  let regions = (region AnyRegion:$body);
  let hasCustomAssemblyFormat = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::Region *getCallableRegion() { return &getBody(); }
    ::llvm::ArrayRef<::mlir::Type> getArgumentTypes() { return getFunctionType().getInputs(); }
    ::llvm::ArrayRef<::mlir::Type> getResultTypes() { return getFunctionType().getResults(); }
  }];
}

class Tile_PlanQuery<string mnemonic> : Tile_Op<mnemonic, [Pure, ParentOneOf<["PlanOp", "::mlir::scf::IfOp"]>]>;

def Tile_ExtentOp : Tile_PlanQuery<"extent"> {
  let summary = "extent of a dimension of a plan's tensor, in elements";
  let arguments = (ins AnyRankedTensor:$tensor, I64Attr:$dim);
  let results = (outs Index:$result);
  let assemblyFormat = "$tensor `,` $dim attr-dict `:` type($tensor)";
}
def Tile_StrideOp : Tile_PlanQuery<"stride"> {
  let summary = "stride of a dimension of a plan's tensor, in elements";
  let arguments = (ins AnyRankedTensor:$tensor, I64Attr:$dim);
  let results = (outs Index:$result);
  let assemblyFormat = "$tensor `,` $dim attr-dict `:` type($tensor)";
}
def Tile_AlignmentOp : Tile_PlanQuery<"alignment"> {
  let summary = "largest power of two up to 256 that divides a tensor's address, in bytes";
  let arguments = (ins AnyRankedTensor:$tensor);
  let results = (outs Index:$result);
  let assemblyFormat = "$tensor attr-dict `:` type($tensor)";
}
def Tile_DeviceOp : Tile_PlanQuery<"device"> {
  let summary = "a property of the device on which the plan runs";
  let description = [{ `compute_units`: processors that run workgroups (16 where unknown), by which persistent programs size their grid.
    `clusters_of_2`, `clusters_of_4`, `clusters_of_8`: clusters of so many workgroups, each alone on a processor, that run at once. }];
  let arguments = (ins Tile_DevicePropertyAttr:$property);
  let results = (outs Index:$result);
  let assemblyFormat = "$property attr-dict";
}
def Tile_RequireOp : Tile_Op<"require", []> {
  let summary = "a condition without which the launch is refused with the message";
  let arguments = (ins I1:$condition, StrAttr:$message);
  let assemblyFormat = "$condition `,` $message attr-dict";
}

def Tile_ChoiceOp : Tile_Op<"choice", []> {
  let summary = "a schedule among which a plan chooses, for reports";
  let description = [{
    `origin` says who put it there. `price` is what a launch under it costs by the weights that the plan compares, in their unit; `taken`
    whether the plan prefers it, and `tuned` whether it does so because a table of measurements says it. No launch depends on the op.

    ```mlir
    tile.choice "tile=128x256x64" by model costs %price if %taken tuned %no
    ```
  }];
  let arguments = (ins StrAttr:$schedule, Tile_OriginAttr:$origin, Index:$price, I1:$taken, I1:$tuned);
  let assemblyFormat = "$schedule `by` $origin `costs` $price `if` $taken `tuned` $tuned attr-dict";
}

def Tile_DispatchOp : Tile_Op<"dispatch", [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "one launch of a program, after the previous one";
  let description = [{
    `grid` is the number of workgroups (zero launches nothing). Tensors, or the workspace at a byte offset, stand for pointers, index values for index
    arguments. `variant` names the choice in reports.

    ```mlir
    tile.dispatch @gemm[%tiles](%A, %B, %D, %M, %N, %K) : tensor<?x?xf16>, tensor<?x?xf16>, tensor<?x?xf16>, index, index, index
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$program, Index:$grid, Variadic<AnyType>:$args, OptionalAttr<StrAttr>:$variant);
  let assemblyFormat = "$program `[` $grid `]` `(` $args `)` attr-dict `:` type($args)";
}

def Tile_WorkspaceOp : Tile_Op<"workspace", [Pure]> {
  let summary = "the workspace of a plan at a byte offset, seen as a pointer";
  let arguments = (ins Index:$offset);
  let results = (outs Tile_PtrType:$result);
  let assemblyFormat = "$offset attr-dict `:` type($result)";
}

def Tile_PlanYieldOp : Tile_Op<"plan_yield", [Terminator, HasParent<"PlanOp">, Pure]> {
  let summary = "end of a plan; the operand is the workspace in bytes";
  let arguments = (ins Index:$workspace);
  let assemblyFormat = "$workspace attr-dict";
}

def Tile_ItemsOp : Tile_Op<"items", [SingleBlock, RecursiveMemoryEffects,
    SingleBlockImplicitTerminator<"::helios::tile::YieldOp">]> {
  let summary = "loop over the work items of a program";
  let description = [{
    Items are independent of each other. Which workgroup takes which item, and in which order, is the attribute's matter.

    ```mlir
    tile.items (%i, %j) in (%tm, %tn) #tile.items<grid, raster = [0, 8]> { ... }
    ```
  }];
  let arguments = (ins Variadic<Index>:$bounds, Tile_ItemsAttr:$order);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def Tile_ItemAtOp : Tile_Op<"item_at", [Pure]> {
  let summary = "the indices of the item with a number";
  let description = [{
    In the order in which `tile.items` with the same bounds and order takes them. With clusters the number is that of a cluster: where the
    workgroups of the program form such clusters the item is the one at this workgroup's place, else the cluster's first. The number has to be
    below that of all items (of clusters of them): that each index is below its bound is taken for granted.

    ```mlir
    %i, %j = tile.item_at %number in (%tm, %tn) #tile.items<persistent, raster = [0, 8]>
    ```
  }];
  let arguments = (ins Index:$number, Variadic<Index>:$bounds, Tile_ItemsAttr:$order);
  let results = (outs Variadic<Index>:$indices);
  let builders = [OpBuilder<(ins "::mlir::Value":$number, "::mlir::ValueRange":$bounds, "::helios::tile::ItemsAttr":$order), [{
    build($_builder, $_state, ::llvm::SmallVector<::mlir::Type>(bounds.size(), $_builder.getIndexType()), number, bounds, order); }]>];
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def Tile_IdOp : Tile_Op<"id", [Pure]> {
  let summary = "number of this workgroup or of its cluster, or how many there are";
  let description = [{ Appears when `tile.items` is lowered, not before. Numbers of a cluster are the same in all its workgroups. }];
  let arguments = (ins Tile_IdKindAttr:$kind);
  let results = (outs Index:$result);
  let builders = [OpBuilder<(ins "::helios::tile::IdKind":$kind), [{
    build($_builder, $_state, $_builder.getIndexType(), kind); }]>];
  let assemblyFormat = "$kind attr-dict";
}

def Tile_RankOp : Tile_Op<"rank", [Pure]> {
  let summary = "place of this workgroup in its cluster along one of the cluster's dimensions";
  let description = [{
    The workgroups of a cluster are numbered with the last dimension fastest. Appears when `tile.items` is lowered, not before.

    ```mlir
    %row = tile.rank 0 of [2, 1]
    ```
  }];
  let arguments = (ins I64Attr:$dim, DenseI64ArrayAttr:$cluster);
  let results = (outs Index:$result);
  let builders = [OpBuilder<(ins "int64_t":$dim, "::llvm::ArrayRef<int64_t>":$cluster), [{
    build($_builder, $_state, $_builder.getIndexType(), $_builder.getI64IntegerAttr(dim), $_builder.getDenseI64ArrayAttr(cluster)); }]>];
  let assemblyFormat = "$dim `of` $cluster attr-dict";
  let hasVerifier = 1;
}

def Tile_NextOp : Tile_Op<"next", []> {
  let summary = "the next work item of a ticket-driven program";
  let description = [{ Draws atomically; exactly one role of a program draws. }];
  let arguments = (ins Index:$current);
  let results = (outs Index:$result);
  let assemblyFormat = "$current attr-dict";
}

def Tile_YieldOp : Tile_Op<"yield", [Terminator, Pure, ReturnLike,
    ParentOneOf<["ItemsOp", "WhereOp", "RoleOp", "MapOp"]>]> {
  let summary = "end of a region";
  let arguments = (ins Variadic<AnyType>:$values);
  let builders = [OpBuilder<(ins), [{ }]>];
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
}

#endif // HELIOS_TILE_PROGRAM_OPS
