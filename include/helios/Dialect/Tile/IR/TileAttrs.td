// Part of the Helios project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Layouts, and the attributes with which a program says how it is scheduled.

#ifndef HELIOS_TILE_ATTRS
#define HELIOS_TILE_ATTRS

include "helios/Dialect/Tile/IR/TileDialect.td"
include "helios/Dialect/Tile/IR/TileInterfaces.td"

class Tile_Attr<string name, string attrMnemonic, list<Trait> traits = []> : AttrDef<Tile_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
}

class Tile_LayoutAttr<string name, string attrMnemonic, list<string> optional>
    : Tile_Attr<name, attrMnemonic, [DeclareAttrInterfaceMethods<Tile_LayoutAttrInterface,
        !listconcat(["getGroupGrid", "getLaneCount", "getBlockShape", "getBaseMap", "getRegisterOffsets", "verifyTile"], optional)>]> {
  let genVerifyDecl = 1;
}

def Tile_RegsAttr : Tile_LayoutAttr<"Regs", "regs", ["getTransposed"]> {
  let summary = "plain vectors in the registers of lanes";
  let description = [{
    Each lane holds blocks of `vec` elements; `lanes` of them (last dimension fastest) make a group's block and `groups`
    of those the workgroup's, which repeats over the tile. Use: wide global access, work by rows.

    `interleave` gives, for each dimension, how many far places neighbouring lanes take in turn: of L lanes along a
    dimension with factor f, lane i holds block (i mod f) * (L / f) + i / f. A group touches the same elements in any
    order of its lanes, but lanes that shared memory serves together can so be kept on different banks.
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$vec, ArrayRefParameter<"int64_t">:$lanes,
                        ArrayRefParameter<"int64_t">:$groups, OptionalArrayRefParameter<"int64_t">:$interleave);
  let assemblyFormat = [{
    `<` `vec` `=` `[` $vec `]` `,` `lanes` `=` `[` $lanes `]` `,` `groups` `=` `[` $groups `]`
    (`,` `interleave` `=` `[` $interleave^ `]`)? `>`
  }];
  let builders = [AttrBuilder<(ins "::llvm::ArrayRef<int64_t>":$vec, "::llvm::ArrayRef<int64_t>":$lanes,
                                   "::llvm::ArrayRef<int64_t>":$groups), [{
    return $_get($_ctxt, vec, lanes, groups, ::llvm::ArrayRef<int64_t>());
  }]>];
}

def Tile_AccAttr : Tile_LayoutAttr<"Acc", "acc", ["getPartialKind"]> {
  let summary = "accumulator fragments of a matrix instruction whose lanes are known";
  let description = [{
    The instruction's m x n fragment, once a group over the grid `groups`, repeated over the tile any integer number of
    times. The layout does not depend on the tile's shape, so slices at repetitions keep it.

    A third number in `groups` is that of slices of the contracted index, numbered slowest: the groups of one grid after
    the other share the elements. With `partial = add` they hold sums of their slices that are still to be added up, as
    products of operands in slices give them.
  }];
  let parameters = (ins "::helios::tile::MmaAttrInterface":$mma, ArrayRefParameter<"int64_t">:$groups,
                        DefaultValuedParameter<"::helios::tile::Partial", "::helios::tile::Partial::None">:$partial);
  let assemblyFormat = "`<` $mma `,` `groups` `=` `[` $groups `]` (`,` `partial` `=` $partial^)? `>`";
  let builders = [AttrBuilder<(ins "::helios::tile::MmaAttrInterface":$mma, "::llvm::ArrayRef<int64_t>":$groups), [{
    // What products give: sums of slices where there are several.
    bool sliced = groups.size() == 3 && groups[2] > 1;
    return $_get($_ctxt, mma, groups, sliced ? ::helios::tile::Partial::Add : ::helios::tile::Partial::None);
  }]>];
}

def Tile_OperandAttr : Tile_LayoutAttr<"Operand", "operand", []> {
  let summary = "operand fragments of a matrix instruction whose lanes are known";
  let description = [{
    Side `a` covers m x k and is replicated over the groups along n; side `b` covers k x n and is replicated along m.
    A third number in `groups` is that of groups along k, numbered slowest.
    `kperm` permutes the contracted index inside one instruction's k, equally on both operands of a product.
  }];
  let parameters = (ins EnumParameter<Tile_Side>:$side, "::helios::tile::MmaAttrInterface":$mma,
                        ArrayRefParameter<"int64_t">:$groups, OptionalArrayRefParameter<"int64_t">:$kperm);
  let assemblyFormat = [{
    `<` $side `,` $mma `,` `groups` `=` `[` $groups `]` (`,` `kperm` `=` `[` $kperm^ `]`)? `>`
  }];
}

def Tile_OpaqueMatrixAttr : Tile_LayoutAttr<"OpaqueMatrix", "opaque", ["hasCoordinates", "getRegisterShape"]> {
  let summary = "cooperative matrices whose elements have no known place";
  let description = [{
    A register is a whole matrix of the instruction's shape. Tiles of equal opaque layout agree element by element, so
    element-wise work is possible; whatever needs a row or a column must convert first.
  }];
  let parameters = (ins EnumParameter<Tile_Side>:$side, "::helios::tile::MmaAttrInterface":$mma,
                        ArrayRefParameter<"int64_t">:$groups);
  let assemblyFormat = "`<` $side `,` $mma `,` `groups` `=` `[` $groups `]` `>`";
}

def Tile_SliceAttr : Tile_LayoutAttr<"Slice", "slice", ["hasCoordinates", "getRegisterShape", "getPartialKind"]> {
  let summary = "a tile of one dimension less, replicated or still partial along the missing one";
  let description = [{
    The layout of `parent` without its dimension `dim`. `partial` says that lanes sharing an element hold values that are
    still to be combined: add-partials are closed under + and scaling by full vectors, max-partials under max.
  }];
  let parameters = (ins "int64_t":$dim, "::helios::tile::LayoutAttrInterface":$parent,
                        DefaultValuedParameter<"::helios::tile::Partial", "::helios::tile::Partial::None">:$partial);
  let assemblyFormat = "`<` $dim `,` $parent (`,` `partial` `=` $partial^)? `>`";
}

def Tile_SharedAttr : Tile_LayoutAttr<"Shared", "shared", ["isMemory", "getTransposed", "getBytes"]> {
  let summary = "a tile in the shared memory of the workgroup";
  let description = [{
    `order` lists the dimensions from the fastest; `pad` adds that many elements to each row against bank conflicts;
    `swizzle` (32, 64 or 128 bytes) permutes 16-byte units by XOR, a tile wider than it being panels of that width,
    the last of which may be filled up behind the end of the rows.
    `kperm` permutes the contracted index as in #tile.operand.
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$order, DefaultValuedParameter<"int64_t", "0">:$pad,
                        DefaultValuedParameter<"int64_t", "0">:$swizzle, OptionalArrayRefParameter<"int64_t">:$kperm);
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    /// Stride of every dimension in elements, padding included.
    ::llvm::SmallVector<int64_t> getStrides(::llvm::ArrayRef<int64_t> shape);
  }];
}

def Tile_Strategy : I32Enum<"Strategy", "how a loop looks ahead", [
    I32EnumCase<"Staged", 0, "staged">, I32EnumCase<"Groups", 1, "groups">, I32EnumCase<"Roles", 2, "roles">]> {
  let cppNamespace = "::helios::tile";
}

def Tile_Distribution : I32Enum<"Distribution", "how workgroups take work items", [
    I32EnumCase<"Grid", 0, "grid">, I32EnumCase<"Persistent", 1, "persistent">, I32EnumCase<"Ticket", 2, "ticket">]> {
  let cppNamespace = "::helios::tile";
}

def Tile_ItemsAttr : Tile_Attr<"Items", "items"> {
  let summary = "order and distribution of work items";
  let description = [{
    `grid`: one item a workgroup; `persistent`: workgroups stride over the items; `ticket`: they draw the next item
    atomically. `raster = [dim, size]` walks bands of `size` items along `dim` so that neighbours share operands in cache;
    where the next dimension has at most half as many, and fewer than `dim`, it is walked first.
    `longest_first` reverses that dimension, for items whose work grows along it. Without clusters the items of all others (rows)
    then go together in groups, longest first, whatever the raster; `persistent` workgroups take them from both ends in turns.
    `cluster = [2, 1]`: the workgroups of a cluster,
    so many along each dimension, take neighbouring items together; items beyond a bound, where it is no multiple of the
    cluster, are walked like the others, and their accesses are clipped.
  }];
  let parameters = (ins EnumParameter<Tile_Distribution>:$distribution, OptionalArrayRefParameter<"int64_t">:$raster,
                        DefaultValuedParameter<"int64_t", "-1">:$longestFirst, OptionalArrayRefParameter<"int64_t">:$cluster);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Workgroups of a cluster along a dimension.
    int64_t getClusterAlong(unsigned dim) const { return getCluster().empty() ? 1 : getCluster()[dim]; }
  }];
}

def Tile_SchedAttr : Tile_Attr<"Sched", "sched"> {
  let summary = "stage and order of an op in a software pipeline";
  let parameters = (ins "int64_t":$stage, "int64_t":$order);
  let assemblyFormat = "`<` `stage` `=` $stage `,` `order` `=` $order `>`";
  let genVerifyDecl = 1;
}

def Tile_ConfigAttr : Tile_Attr<"Config", "config"> {
  let summary = "tuning parameters of a program, as level 2 sees them";
  let description = [{
    `groups` is the grid of lane groups over the accumulator's dimensions, with a third number also over slices of the
    contracted index, whose sums are added up behind the loop; `mma` the wanted instruction shape (empty: the
    target's first); `strategy` and `depth` the pipelining; `pad` the elements added to rows in shared memory (-1: one
    vector); `epilogue_rows` the rows of a store slab for each group (0: the instruction's);
    `unroll` the steps that one trip of a product's loop holds (0: what the target's compiler likes, 1: the loop as it is);
    `cluster` the grid of workgroups, over the same dimensions, that share what they copy (empty: each copies for itself), a third extent
    being of those that have a slice of the contracted extent each and add up their tiles (tile.reduce_scatter);
    `turns` the replicas of a role that take whole work items in turns, instead of a part of each item (1: none);
    `ahead` the products before which those of a loop read what they take from global memory (0: where they are).
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$groups, OptionalArrayRefParameter<"int64_t">:$mma,
                        DefaultValuedParameter<"::helios::tile::Strategy", "::helios::tile::Strategy::Staged">:$strategy,
                        DefaultValuedParameter<"int64_t", "1">:$depth, DefaultValuedParameter<"int64_t", "-1">:$pad,
                        DefaultValuedParameter<"int64_t", "0">:$epilogueRows,
                        DefaultValuedParameter<"int64_t", "0">:$unroll, OptionalArrayRefParameter<"int64_t">:$cluster,
                        DefaultValuedParameter<"int64_t", "1">:$turns, DefaultValuedParameter<"int64_t", "0">:$ahead);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Workgroups of a cluster.
    int64_t getClusterSize() const;
  }];
}

#endif // HELIOS_TILE_ATTRS
