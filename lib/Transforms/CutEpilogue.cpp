// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// tile-cut-epilogue: stores of whole accumulators become stores of slabs.

#include "helios/Dialect/Tile/Utils/Select.h"
#include "helios/Transforms/Passes.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"
#include <map>

namespace helios {
#define GEN_PASS_DEF_TILECUTEPILOGUE
#include "helios/Transforms/Passes.h.inc"
} // namespace helios

using namespace mlir;
using namespace helios;
using namespace helios::tile;

namespace {

/// Part of a tile.
struct Slab {
  SmallVector<int64_t> begin, extent;
};

/// Builds a slab of tiles, moving the slice back through what computes them
/// element by element.
class Slicer {
public:
  Slicer(OpBuilder &b, Operation *at, ArrayRef<int64_t> shape, const Slab &slab)
      : b(b), at(at), slab(slab) {
    for (auto [whole, part] : llvm::zip(shape, slab.extent))
      isCut.push_back(whole != part);
  }

  /// The slab of a tile.
  Value get(Value value) {
    auto dims = llvm::to_vector(llvm::seq<int64_t>(slab.extent.size()));
    return get(value, dims);
  }

  /// An offset along a dimension of the slab.
  Value shifted(Value offset, int64_t dim, Location loc) {
    if (!isCut[dim])
      return offset;
    Value by = arith::ConstantIndexOp::create(b, loc, slab.begin[dim]);
    return offset ? arith::AddIOp::create(b, loc, offset, by) : by;
  }

private:
  /// The slab of a value whose dimensions are these of the whole tile.
  Value get(Value value, ArrayRef<int64_t> dims) {
    if (llvm::none_of(dims, [&](int64_t d) { return isCut[d]; }))
      return value;
    auto key = std::make_pair(value, dims.front());
    if (Value known = done.lookup(key))
      return known;
    Value result = build(value, dims);
    return done[key] = result;
  }

  RankedTensorType cut(Type type, ArrayRef<int64_t> dims) {
    auto tensor = cast<RankedTensorType>(type);
    SmallVector<int64_t> shape;
    for (int64_t d : dims)
      shape.push_back(slab.extent[d]);
    return RankedTensorType::get(shape, tensor.getElementType(),
                                 tensor.getEncoding());
  }

  Value build(Value value, ArrayRef<int64_t> dims) {
    Operation *op = value.getDefiningOp();
    Location loc = value.getLoc();
    RankedTensorType type = cut(value.getType(), dims);
    bool here = op && op->getBlock() == at->getBlock();
    if (here && isElementwise(op)) {
      IRMapping map;
      for (Value operand : op->getOperands())
        if (isa<RankedTensorType>(operand.getType()))
          map.map(operand, get(operand, dims));
      Operation *copy = b.clone(*op, map);
      for (Value result : copy->getResults())
        result.setType(cut(result.getType(), dims));
      return copy->getResult(cast<OpResult>(value).getResultNumber());
    }
    if (auto constant = value.getDefiningOp<arith::ConstantOp>())
      if (auto splat = dyn_cast<SplatElementsAttr>(constant.getValue()))
        return arith::ConstantOp::create(b, loc, splat.resizeSplat(type));
    if (auto expand = value.getDefiningOp<ExpandOp>()) {
      Value source = expand.getSource();
      SmallVector<int64_t> kept;
      for (auto [i, d] : llvm::enumerate(dims))
        if (!llvm::is_contained(expand.getDims(), int64_t(i)))
          kept.push_back(d);
      if (isa<RankedTensorType>(source.getType()))
        source = get(source, kept);
      return ExpandOp::create(b, loc, type, source, expand.getDims());
    }
    if (auto iota = value.getDefiningOp<IotaOp>())
      return IotaOp::create(b, loc, type, iota.getDimAttr(),
                            shifted(iota.getBase(), dims[iota.getDim()], loc));
    if (auto load = value.getDefiningOp<LoadOp>(); load && here) {
      SmallVector<Value> offsets(load.getOffsets());
      size_t lead = offsets.size() - dims.size();
      for (auto [i, d] : llvm::enumerate(dims))
        offsets[lead + i] = shifted(offsets[lead + i], d, loc);
      return LoadOp::create(b, loc, type, load.getView(), offsets,
                            load.getPadAttr(), load.getInBoundsAttr(),
                            load.getInsideAttr());
    }
    SmallVector<int64_t> offsets;
    for (int64_t d : dims)
      offsets.push_back(isCut[d] ? slab.begin[d] : 0);
    return SliceOp::create(b, loc, type, value, ValueRange(), offsets);
  }

  OpBuilder &b;
  Operation *at;
  const Slab &slab;
  SmallVector<bool> isCut;
  DenseMap<std::pair<Value, int64_t>, Value> done;
};

/// The instruction of the product that a stored tile is computed from, or that
/// it is stored beside the result of; null if there is none.
FailureOr<MmaAttrInterface> instructionBehind(ProgramOp program, Value value) {
  SmallVector<Value> work{value};
  DenseSet<Value> seen;
  while (!work.empty()) {
    Value v = work.pop_back_val();
    if (!seen.insert(v).second)
      continue;
    Operation *op = v.getDefiningOp();
    if (!op)
      continue;
    if (auto dot = dyn_cast<DotOp>(op))
      return selectMma(program, dot);
    if (auto loop = dyn_cast<scf::ForOp>(op))
      work.push_back(
          loop.getYieldedValues()[cast<OpResult>(v).getResultNumber()]);
    else if (isElementwise(op))
      llvm::append_range(work, op->getOperands());
  }
  DotOp beside;
  program.walk([&](DotOp dot) {
    if (dot.getType().getShape() ==
        cast<RankedTensorType>(value.getType()).getShape())
      beside = dot;
  });
  return beside ? selectMma(program, beside) : MmaAttrInterface();
}

/// The most columns of a tile that lie in one row of the engine's shared
/// memory; all of them where it has no such rows.
int64_t columnsOfRow(CopyAttrInterface engine, RankedTensorType type) {
  int64_t bytes = getElementBytes(type.getElementType());
  for (int64_t columns = type.getDimSize(1); columns > 0; --columns)
    if (auto shared = dyn_cast_or_null<SharedAttr>(engine.getSharedLayout(
            {type.getDimSize(0), columns}, type.getElementType(), 1,
            /*mayFill=*/false));
        shared && shared.getSwizzle() == columns * bytes)
      return columns;
  return type.getDimSize(1);
}

/// Extents of a slab. In rows: one repetition of the instruction over all
/// groups, or `epilogueRows`. In columns, where a replica stores alone: what an
/// engine that stores tiles takes in one row of shared memory; the last slab of
/// a row may be narrower. Else all, or what fits shared memory.
SmallVector<int64_t> slabExtents(StoreOp store, MmaAttrInterface mma,
                                 ProgramOp program) {
  ConfigAttr config = program.getTuning();
  RankedTensorType type = store.getTile().getType();
  bool inRole = store->getParentOfType<RoleOp>() != nullptr;
  int64_t unit = getSlabRows(mma);
  int64_t rows =
      std::max<int64_t>(1, (config ? config.getEpilogueRows() : 0) / unit) *
      unit * (inRole ? 1 : getGroups(program)[0]);
  int64_t columns = type.getDimSize(1);
  TargetAttrInterface target = program.getTargetRow();
  if (inRole && target)
    if (CopyAttrInterface engine =
            target.getCopy(stringifyStrategy(config.getStrategy())))
      columns = columnsOfRow(engine, type);
  // A tile that has its layout is cut at repetitions of it.
  if (LayoutAttrInterface layout = getLayout(type)) {
    SmallVector<int64_t> block(layout.getBlockShape());
    rows = llvm::alignTo(rows, block[0]);
    columns = llvm::alignTo(columns, block[1]);
  }
  // Slabs are made of whole fragments, and rows of a tile of whole slabs.
  SmallVector<int64_t> fragment = mma.getFragmentShape(Side::Acc);
  if (rows > type.getDimSize(0) || type.getDimSize(0) % rows ||
      rows % fragment[0])
    rows = type.getDimSize(0);
  if (columns % fragment[1] || type.getDimSize(1) % fragment[1])
    columns = type.getDimSize(1);
  // Matrices without coordinates are exchanged through shared memory, which a
  // slab has to fit.
  int64_t bytes = getElementBytes(mma.getElementType(Side::Acc)),
          pad = config && config.getPad() > 0 ? config.getPad() : 0;
  while (target && !mma.getFragmentBase(Side::Acc) &&
         rows * (columns + pad) * bytes > target.getSharedBytes() &&
         columns % (2 * fragment[1]) == 0)
    columns /= 2;
  return {rows, columns};
}

/// A vector that a tile is reduced to and that is then stored, perhaps in
/// another layout.
struct StoredReduction {
  ReduceOp reduce;
  ConvertLayoutOp convert; ///< or null
  StoreOp store;

  /// What a reduction is of, if it is stored and nothing else.
  static std::optional<StoredReduction> get(ReduceOp reduce) {
    StoredReduction result{reduce, {}, {}};
    Operation *user =
        reduce.getTile().getType().getRank() == 2 && reduce->hasOneUse()
            ? *reduce->user_begin()
            : nullptr;
    if (auto convert = dyn_cast_or_null<ConvertLayoutOp>(user)) {
      result.convert = convert;
      user = convert->hasOneUse() ? *convert->user_begin() : nullptr;
    }
    result.store = dyn_cast_or_null<StoreOp>(user);
    if (!result.store || result.store->getBlock() != reduce->getBlock())
      return std::nullopt;
    return result;
  }
};

/// What slabs of a tile are reduced to, side by side along the dimension that
/// is kept; slabs along the other one are combined as they come.
class Combiner {
public:
  Combiner(OpBuilder &b, const StoredReduction &of) : b(b), of(of) {}

  void add(Value slabTile, const Slab &slab) {
    ReduceOp reduce = of.reduce;
    int64_t kept = 1 - reduce.getDim();
    auto type = RankedTensorType::get(slab.extent[kept],
                                      reduce.getType().getElementType(),
                                      reduce.getType().getEncoding());
    Value part =
        ReduceOp::create(b, reduce.getLoc(), type, reduce.getKindAttr(),
                         slabTile, reduce.getDimAttr());
    Value &all = parts[slab.begin[kept]];
    all = all ? arith::getReductionOp(kind(), b, reduce.getLoc(), all, part)
              : part;
  }

  /// Stores what has been combined so far.
  void store() {
    for (auto [begin, value] : parts) {
      Value vector = value;
      auto type = cast<RankedTensorType>(vector.getType());
      if (ConvertLayoutOp convert = of.convert)
        vector = ConvertLayoutOp::create(
            b, convert.getLoc(),
            RankedTensorType::get(type.getShape(), type.getElementType(),
                                  convert.getType().getEncoding()),
            vector);
      SmallVector<Value> offsets(of.store.getOffsets());
      if (begin) {
        Value by = arith::ConstantIndexOp::create(b, of.reduce.getLoc(), begin);
        offsets.back() =
            arith::AddIOp::create(b, of.reduce.getLoc(), offsets.back(), by);
      }
      StoreOp::create(b, of.store.getLoc(), vector, of.store.getView(), offsets,
                      of.store.getInBounds());
    }
    parts.clear();
  }

private:
  arith::AtomicRMWKind kind() {
    using Kind = arith::AtomicRMWKind;
    bool isFloat = isa<FloatType>(of.reduce.getType().getElementType());
    switch (of.reduce.getKind()) {
    case ReduceKind::Add:
      return isFloat ? Kind::addf : Kind::addi;
    case ReduceKind::Max:
      return isFloat ? Kind::maximumf : Kind::maxs;
    case ReduceKind::Min:
      return isFloat ? Kind::minimumf : Kind::mins;
    case ReduceKind::Or:
      return Kind::ori;
    }
    llvm_unreachable("unknown kind");
  }

  OpBuilder &b;
  StoredReduction of;
  std::map<int64_t, Value> parts; ///< by where they begin
};

struct CutEpilogue : helios::impl::TileCutEpilogueBase<CutEpilogue> {
  void runOnOperation() override {
    ProgramOp program = getOperation();
    ConfigAttr config = program.getTuning();
    bool roles = config && config.getStrategy() == Strategy::Roles;
    SmallVector<StoreOp> stores;
    program.walk([&](StoreOp store) {
      // Replicas own neighbouring rows, so their stores are cut once they are
      // split.
      if (store.getTile().getType().getRank() == 2 &&
          roles == (store->getParentOfType<RoleOp>() != nullptr))
        stores.push_back(store);
    });
    for (StoreOp store : stores) {
      FailureOr<MmaAttrInterface> mma =
          instructionBehind(program, store.getTile());
      if (failed(mma))
        return signalPassFailure();
      if (*mma)
        add(store, slabExtents(store, *mma, program));
    }
    program.walk([&](ReduceOp reduce) {
      if (std::optional<StoredReduction> stored = StoredReduction::get(reduce);
          stored && roles == (reduce->getParentOfType<RoleOp>() != nullptr))
        add(*stored);
    });
    for (const Together &together : groups)
      cut(together);
    groups.clear();
  }

  /// Stores of one block in slabs of the same extents, which are cut together,
  /// so that what they have in common is computed once for each slab. The last
  /// one's place is that of all.
  struct Together {
    SmallVector<StoreOp> stores;
    SmallVector<int64_t> extents;
    SmallVector<StoredReduction> reductions;
    /// The last of them in the block.
    StoreOp last() const {
      return reductions.empty() ? stores.back() : reductions.back().store;
    }
  };
  SmallVector<Together> groups;

  /// Reductions behind stores that are cut, of tiles of the same shape, are of
  /// the slabs.
  void add(const StoredReduction &stored) {
    for (Together &together : groups) {
      StoreOp last = together.last();
      ReduceOp reduce = stored.reduce;
      if (last->getBlock() != stored.store->getBlock() ||
          !last->isBeforeInBlock(stored.store) ||
          together.stores.back().getTile().getType().getShape() !=
              reduce.getTile().getType().getShape() ||
          !canMove(last, stored.store))
        continue;
      together.reductions.push_back(stored);
      return;
    }
  }

  /// Whether nothing between two stores touches memory.
  static bool canMove(StoreOp first, StoreOp second) {
    Operation *op = first->getNextNode();
    while (op && op != second && isMemoryEffectFree(op))
      op = op->getNextNode();
    return op == second;
  }

  void add(StoreOp store, ArrayRef<int64_t> extents) {
    ArrayRef<int64_t> shape = store.getTile().getType().getShape();
    if (shape == extents)
      return;
    for (Together &together : groups) {
      StoreOp other = together.stores.back();
      if (other.getTile().getType().getShape() != shape ||
          !canMove(other, store) || ArrayRef(together.extents) != extents)
        continue;
      together.stores.push_back(store);
      return;
    }
    groups.push_back({{store}, SmallVector<int64_t>(extents)});
  }

  void cut(const Together &together) {
    StoreOp last = together.last(), first = together.stores.front();
    ArrayRef<int64_t> shape = first.getTile().getType().getShape(),
                      extents = together.extents;
    OpBuilder b(last);
    SmallVector<Combiner> combiners;
    for (const StoredReduction &reduction : together.reductions)
      combiners.emplace_back(b, reduction);
    for (int64_t row = 0; row < shape[0]; row += extents[0])
      for (int64_t column = 0; column < shape[1]; column += extents[1]) {
        Slab slab{{row, column},
                  {extents[0], std::min(extents[1], shape[1] - column)}};
        Slicer slicer(b, last, shape, slab);
        for (StoreOp store : together.stores) {
          Value part = slicer.get(store.getTile());
          SmallVector<Value> offsets(store.getOffsets());
          size_t lead = offsets.size() - 2;
          for (int64_t d : {0, 1})
            offsets[lead + d] =
                slicer.shifted(offsets[lead + d], d, store.getLoc());
          StoreOp::create(b, store.getLoc(), part, store.getView(), offsets,
                          store.getInBounds());
        }
        for (auto [combiner, reduction] :
             llvm::zip(combiners, together.reductions))
          combiner.add(slicer.get(ReduceOp(reduction.reduce).getTile()), slab);
      }
    for (Combiner &combiner : combiners)
      combiner.store();
    for (StoreOp store : together.stores)
      eraseWithDeadOperands(store);
    for (const StoredReduction &reduction : together.reductions)
      eraseWithDeadOperands(reduction.store);
  }

  /// Erases an op and what only it needed.
  static void eraseWithDeadOperands(Operation *op) {
    SmallVector<Operation *> work{op};
    while (!work.empty()) {
      Operation *dead = work.pop_back_val();
      llvm::SetVector<Operation *> operands;
      for (Value operand : dead->getOperands())
        if (Operation *def = operand.getDefiningOp())
          operands.insert(def);
      dead->erase();
      for (Operation *def : operands)
        if (isOpTriviallyDead(def) && !llvm::is_contained(work, def))
          work.push_back(def);
    }
  }
};

} // namespace
