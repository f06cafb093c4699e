// Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Entry points, roles, identifiers.

def Frag_KernelOp : Frag_Op<"kernel", [IsolatedFromAbove, FunctionOpInterface, AutomaticAllocationScope]> {
  let summary = "entry point: `threads` invocations a workgroup";
  let description = [{
    Arguments are pointers (`!tile.ptr`) and scalars. `threads` is the number of lanes of a workgroup, `shared_bytes` its static
    shared memory, `cluster` workgroups share a cluster: they run at once, meet before the first op and after the last one, and
    reach each other's shared memory. `regs` caps the registers of a lane. `synchronized` says that barriers
    are placed; from there on the verifier finds a write that an engine reads, or a slot that is handed back, without one between.

    ```mlir
    frag.kernel @k(%a: !tile.ptr<f16>, %n: index) attributes {threads = 128 : i64, shared_bytes = 4096 : i64} { ... frag.return }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttrOf<FunctionType>:$function_type,
                       OptionalAttr<StrAttr>:$sym_visibility, I64Attr:$threads, DefaultValuedAttr<I64Attr, "0">:$shared_bytes,
                       OptionalAttr<I64Attr>:$cluster, OptionalAttr<I64Attr>:$regs, OptionalAttr<AnyAttr>:$target,
                       OptionalAttr<DictArrayAttr>:$arg_attrs, OptionalAttr<DictArrayAttr>:$res_attrs, UnitAttr:$synchronized);
  let regions = (region AnyRegion:$body);
  let builders = [OpBuilder<(ins "::mlir::StringAttr":$name, "::mlir::TypeAttr":$type, "::mlir::StringAttr":$visibility,
    "::mlir::IntegerAttr":$threads, "::mlir::IntegerAttr":$sharedBytes, "::mlir::IntegerAttr":$cluster, "::mlir::IntegerAttr":$regs,
    "::mlir::Attribute":$target, "::mlir::ArrayAttr":$argAttrs, "::mlir::ArrayAttr":$resAttrs), [{
      build($_builder, $_state, name, type, visibility, threads, sharedBytes, cluster, regs, target, argAttrs, resAttrs,
            /*synchronized=*/::mlir::UnitAttr());
    }]>];
  let hasCustomAssemblyFormat = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::Region *getCallableRegion() { return &getBody(); }
    ::llvm::ArrayRef<::mlir::Type> getArgumentTypes() { return getFunctionType().getInputs(); }
    ::llvm::ArrayRef<::mlir::Type> getResultTypes() { return getFunctionType().getResults(); }
    ::helios::tile::TargetAttrInterface getTargetRow();
    /// Whether it is launched while the dispatch before it still runs.
    bool awaitsDependencies();
    /// Whether it reads what a constant argument points to before it waits.
    bool readsBeforeDependencies(::mlir::BlockArgument constant);
    /// Whether a processor holds no second workgroup beside one of it.
    bool isAlone();
  }];
}

def Frag_ReturnOp : Frag_Op<"return", [Terminator, HasParent<"KernelOp">, Pure]> {
  let summary = "end of a kernel";
  let assemblyFormat = "attr-dict";
}

def Frag_IdOp : Frag_Op<"id", [Pure]> {
  let summary = "number of the workgroup, of workgroups, of the workgroup in its cluster, of the cluster, or of clusters";
  let arguments = (ins Frag_IdKindAttr:$kind);
  let results = (outs Index:$result);
  let assemblyFormat = "$kind attr-dict";
}

def Frag_RoleOp : Frag_Op<"role", [SingleBlock, RecursiveMemoryEffects, SingleBlockImplicitTerminator<"::helios::frag::YieldOp">]> {
  let summary = "branch of the lanes [first, last) with a register budget";
  let description = [{
    The region's argument, if there is one, is the number of the replica of `lanes_per_replica` lanes. No fragment, slot, token or
    value in flight comes from outside.
  }];
  let arguments = (ins I64Attr:$first, I64Attr:$last, OptionalAttr<I64Attr>:$lanes_per_replica, OptionalAttr<I64Attr>:$regs);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    `lanes` `(` $first `to` $last (`by` $lanes_per_replica^)? `)` (`regs` `(` $regs^ `)`)? attr-dict-with-keyword $body
  }];
  let hasVerifier = 1;
}

def Frag_TurnOp : Frag_Op<"turn", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "a replica waits for its turn, or passes it on to the next one";
  let description = [{
    The turn goes around the replicas of a role in the order of their numbers, beginning with the first. Slots that only one replica
    reads are acquired in its turn. It orders no memory. Not under lane-divergent control.
  }];
  let arguments = (ins Tile_TurnAttr:$turn);
  let assemblyFormat = "$turn attr-dict";
  let hasVerifier = 1;
}

def Frag_YieldOp : Frag_Op<"yield", [Terminator, Pure, ReturnLike, ParentOneOf<["RoleOp", "MapOp"]>]> {
  let summary = "end of a region";
  let arguments = (ins Variadic<AnyType>:$values);
  let builders = [OpBuilder<(ins), [{ }]>];
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
}

def Frag_AwaitDependenciesOp : Frag_Op<"await_dependencies", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "waits until the dispatches before this one have ended";
  let description = [{
    A kernel that has it is launched while the dispatch before it still runs. Whatever touches global memory stands behind it, on every way and in
    every role, but for reads of what an argument with `tile.constant` points to; what those dispatches wrote is visible from there on. No loop holds it, and if one way of a branch has one, the other has too: no
    workgroup ends without it, so that the end of this dispatch says that those before have ended.
  }];
  let assemblyFormat = "attr-dict";
}

def Frag_ReleaseDependentsOp : Frag_Op<"release_dependents", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "lets the dispatch after this one begin";
  let description = [{
    It may begin once every workgroup has come here or has ended, and orders no memory: the dispatch after this one waits by itself. One lane of a
    workgroup is enough, and of several the first one that it comes by.
  }];
  let assemblyFormat = "attr-dict";
}

def Frag_BarrierOp : Frag_Op<"barrier", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "execution and shared-memory barrier";
  let description = [{ `proxy` also orders ordinary accesses before those of an engine. Not under lane-divergent control. }];
  let arguments = (ins Frag_ScopeAttr:$scope, UnitAttr:$proxy);
  let assemblyFormat = "$scope (`proxy` $proxy^)? attr-dict";
  let hasVerifier = 1;
}
