// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// tile-cut-epilogue: stores of whole accumulators become stores of slabs.

#include "helios/Dialect/Tile/Utils/Select.h"
#include "helios/Transforms/Passes.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

namespace helios {
#define GEN_PASS_DEF_TILECUTEPILOGUE
#include "helios/Transforms/Passes.h.inc"
} // namespace helios

using namespace mlir;
using namespace helios;
using namespace helios::tile;

namespace {

/// Builds the rows [row, row + rows) of tiles, moving the slice back through
/// what computes them element by element.
class Slicer {
public:
  Slicer(OpBuilder &b, Operation *at, int64_t row, int64_t rows)
      : b(b), at(at), row(row), rows(rows) {}

  /// The slab of a tile whose leading dimension is the one that is cut.
  Value get(Value value) {
    auto [it, inserted] = done.try_emplace(value);
    if (!inserted)
      return it->second;
    Value result = build(value);
    return done[value] = result;
  }

private:
  RankedTensorType cut(Type type) {
    auto tensor = cast<RankedTensorType>(type);
    SmallVector<int64_t> shape(tensor.getShape());
    shape[0] = rows;
    return RankedTensorType::get(shape, tensor.getElementType(),
                                 tensor.getEncoding());
  }

  Value build(Value value) {
    Operation *op = value.getDefiningOp();
    Location loc = value.getLoc();
    RankedTensorType type = cut(value.getType());
    bool here = op && op->getBlock() == at->getBlock();
    if (here && isElementwise(op)) {
      IRMapping map;
      for (Value operand : op->getOperands())
        if (isa<RankedTensorType>(operand.getType()))
          map.map(operand, get(operand));
      Operation *copy = b.clone(*op, map);
      for (Value result : copy->getResults())
        result.setType(cut(result.getType()));
      return copy->getResult(cast<OpResult>(value).getResultNumber());
    }
    if (auto constant = value.getDefiningOp<arith::ConstantOp>())
      if (auto splat = dyn_cast<SplatElementsAttr>(constant.getValue()))
        return arith::ConstantOp::create(b, loc, splat.resizeSplat(type));
    if (auto expand = value.getDefiningOp<ExpandOp>()) {
      bool tile = isa<RankedTensorType>(expand.getSource().getType());
      bool keepsRows = !llvm::is_contained(expand.getDims(), 0);
      Value source =
          tile && keepsRows ? get(expand.getSource()) : expand.getSource();
      return ExpandOp::create(b, loc, type, source, expand.getDims());
    }
    if (auto iota = value.getDefiningOp<IotaOp>()) {
      Value base = iota.getBase();
      if (iota.getDim() == 0)
        base = shifted(base, loc);
      return IotaOp::create(b, loc, type, iota.getDimAttr(), base);
    }
    if (auto load = value.getDefiningOp<LoadOp>(); load && here) {
      SmallVector<Value> offsets(load.getOffsets());
      size_t dim = offsets.size() - type.getRank();
      offsets[dim] = shifted(offsets[dim], loc);
      return LoadOp::create(b, loc, type, load.getView(), offsets,
                            load.getPadAttr(), load.getInBoundsAttr());
    }
    SmallVector<int64_t> offsets(type.getRank(), 0);
    offsets[0] = row;
    return SliceOp::create(b, loc, type, value, ValueRange(), offsets);
  }

public:
  Value shifted(Value offset, Location loc) {
    Value by = arith::ConstantIndexOp::create(b, loc, row);
    return offset ? arith::AddIOp::create(b, loc, offset, by) : by;
  }

private:
  OpBuilder &b;
  Operation *at;
  int64_t row, rows;
  DenseMap<Value, Value> done;
};

/// Rows of the accumulator behind a stored tile that one repetition of its
/// instruction covers over all groups; 0 if the tile does not come from a
/// product of this program.
FailureOr<int64_t> accumulatorRows(ProgramOp program, Value value,
                                   int64_t epilogueRows) {
  SmallVector<Value> work{value};
  DenseSet<Value> seen;
  while (!work.empty()) {
    Value v = work.pop_back_val();
    if (!seen.insert(v).second)
      continue;
    Operation *op = v.getDefiningOp();
    if (!op)
      continue;
    if (auto dot = dyn_cast<DotOp>(op)) {
      FailureOr<MmaAttrInterface> mma = selectMma(program, dot);
      if (failed(mma))
        return failure();
      int64_t unit = (*mma).getMmaShape()[0];
      return std::max<int64_t>(1, epilogueRows / unit) * unit *
             getGroups(program)[0];
    }
    if (auto loop = dyn_cast<scf::ForOp>(op))
      work.push_back(
          loop.getYieldedValues()[cast<OpResult>(v).getResultNumber()]);
    else if (isElementwise(op))
      llvm::append_range(work, op->getOperands());
  }
  return 0;
}

struct CutEpilogue : helios::impl::TileCutEpilogueBase<CutEpilogue> {
  void runOnOperation() override {
    ProgramOp program = getOperation();
    ConfigAttr config = program.getTuning();
    SmallVector<StoreOp> stores;
    program.walk([&](StoreOp store) { stores.push_back(store); });
    for (StoreOp store : stores) {
      RankedTensorType type = store.getTile().getType();
      FailureOr<int64_t> rows = accumulatorRows(
          program, store.getTile(), config ? config.getEpilogueRows() : 0);
      if (failed(rows))
        return signalPassFailure();
      if (type.getRank() != 2 || *rows == 0 || *rows >= type.getDimSize(0) ||
          type.getDimSize(0) % *rows)
        continue;
      OpBuilder b(store);
      for (int64_t row = 0; row < type.getDimSize(0); row += *rows) {
        Slicer slicer(b, store, row, *rows);
        Value slab = slicer.get(store.getTile());
        SmallVector<Value> offsets(store.getOffsets());
        size_t dim = offsets.size() - 2;
        offsets[dim] = slicer.shifted(offsets[dim], store.getLoc());
        StoreOp::create(b, store.getLoc(), slab, store.getView(), offsets,
                        store.getInBounds());
      }
      eraseWithDeadOperands(store);
    }
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
