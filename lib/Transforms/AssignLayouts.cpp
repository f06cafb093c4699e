// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// tile-assign-layouts: every tile gets a layout, every change of layout an op.
//
// Two steps. *Inference* finds the layout of each value forward to a fixed
// point, with products, loads and stores as anchors. *Rewriting* sets the types
// and converts operands; a conversion that goes through memory is two ops.

#include "AssignLayouts.h"
#include "MatrixWork.h"
#include "helios/Dialect/Tile/IR/Partials.h"
#include "helios/Dialect/Tile/Utils/Facts.h"
#include "helios/Dialect/Tile/Utils/Select.h"
#include "helios/Transforms/Passes.h"

namespace helios {
#define GEN_PASS_DEF_TILEASSIGNLAYOUTS
#include "helios/Transforms/Passes.h.inc"
} // namespace helios

using namespace mlir;
using namespace helios;
using namespace helios::tile;

LogicalResult LayoutAssignment::run() {
  FailureOr<int64_t> perGroup = getLanesPerGroup(program);
  if (failed(perGroup))
    return failure();
  lanes = *perGroup;
  groups = 1;
  for (int64_t g : getGroups(program))
    groups *= g;
  if (TargetAttrInterface row = program.getTargetRow()) {
    vectorBytes = row.getVectorBytes();
    if (ConfigAttr config = program.getTuning())
      copy = row.getCopy(stringifyStrategy(config.getStrategy()));
  }
  if (failed(findMatrices()))
    return failure();
  collectComponents();
  if (failed(infer()))
    return failure();
  return rewrite(program.getBody());
}

LogicalResult LayoutAssignment::findMatrices() {
  WalkResult walk = program.walk([&](DotOp dot) -> WalkResult {
    FailureOr<MmaAttrInterface> mma = selectMma(program, dot);
    if (failed(mma))
      return WalkResult::interrupt();
    auto layout = dyn_cast_or_null<LayoutAttrInterface>(
        (*mma).getLayout(Side::Acc, getGroups(program)));
    if (layout && !layout.hasCoordinates())
      matrices = layout;
    return WalkResult::advance();
  });
  if (matrices)
    mergeChoices(program);
  return failure(walk.wasInterrupted());
}

void LayoutAssignment::collectComponents() {
  program.walk([&](Operation *op) {
    if (isElementwise(op)) {
      // A constant that rows and columns share is made for each of them.
      for (Value operand : op->getOperands())
        if (tileType(operand) && !isFlexible(operand))
          components.unionSets(op->getResult(0).getAsOpaquePointer(),
                               operand.getAsOpaquePointer());
    } else if (auto dot = dyn_cast<DotOp>(op)) {
      // What no loop carries is added to all the same.
      if (!isFlexible(dot.getAcc()))
        components.unionSets(dot.getResult().getAsOpaquePointer(),
                             dot.getAcc().getAsOpaquePointer());
    } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
      for (auto [arg, init, yield, result] :
           llvm::zip(loop.getRegionIterArgs(), loop.getInitArgs(),
                     loop.getYieldedValues(), loop.getResults()))
        if (tileType(arg))
          for (Value v : {Value(init), Value(yield), Value(result)})
            components.unionSets(Value(arg).getAsOpaquePointer(),
                                 v.getAsOpaquePointer());
    } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
      for (Region *region : {&branch.getThenRegion(), &branch.getElseRegion()})
        if (!region->empty())
          for (auto [yield, result] :
               llvm::zip(region->front().getTerminator()->getOperands(),
                         branch.getResults()))
            if (tileType(result))
              components.unionSets(result.getAsOpaquePointer(),
                                   yield.getAsOpaquePointer());
    } else if (auto where = dyn_cast<WhereOp>(op)) {
      for (auto [old, yield, result] :
           llvm::zip(where.getOld(), yieldOf(where)->getOperands(),
                     where.getResults()))
        for (Value v : {Value(old), Value(yield)})
          components.unionSets(result.getAsOpaquePointer(),
                               v.getAsOpaquePointer());
    }
  });
  // What is reduced or stored beside a product's result lies as that does.
  program.walk([&](Operation *op) {
    if (!isa<ReduceOp, StoreOp>(op))
      return;
    Value tile = op->getOperand(0);
    if (isFlexible(tile))
      return;
    if (Value result = resultBeside(op, tile))
      components.unionSets(tile.getAsOpaquePointer(),
                           result.getAsOpaquePointer());
  });
  // What each component touches in memory decides how wide its accesses are.
  program.walk([&](Operation *op) {
    if (auto load = dyn_cast<LoadOp>(op))
      noteAccess(load.getResult(), load.getView().getType(), /*store=*/false);
    else if (auto store = dyn_cast<StoreOp>(op))
      noteAccess(store.getTile(), store.getView().getType(), /*store=*/true);
    else if (auto reduce = dyn_cast<ReduceOp>(op);
             reduce && tileType(reduce.getTile()).getRank() == 2 &&
             !isFlexible(reduce.getTile()))
      reduced.try_emplace(leader(reduce.getTile()), reduce.getDim());
  });
}

bool LayoutAssignment::hasProduct(Value v) {
  leader(v);
  return llvm::any_of(
      components.members(v.getAsOpaquePointer()), [](const void *member) {
        return Value::getFromOpaquePointer(member).getDefiningOp<DotOp>();
      });
}

Value LayoutAssignment::resultBeside(Operation *user, Value tile) {
  if (matrices || hasProduct(tile))
    return {};
  for (auto store : user->getBlock()->getOps<StoreOp>())
    if (Value stored = store.getTile();
        !isFlexible(stored) &&
        tileType(stored).getShape() == tileType(tile).getShape() &&
        hasProduct(stored))
      return stored;
  return {};
}

void LayoutAssignment::noteAccess(Value tile, ViewType view, bool store) {
  Access &access = accesses[leader(tile)];
  int64_t bytes = getElementBytes(view.getElementType());
  // A part of a sector that is written costs as much as all of it: what is
  // stored decides, however narrow what it is made of.
  bool isFirst = access.bytes == 0 || (store && !access.store);
  if (isFirst || store == access.store)
    access.bytes = isFirst ? bytes : std::min(access.bytes, bytes);
  int64_t dim =
      view.getContiguousDim() - (view.getRank() - tileType(tile).getRank());
  if (dim >= 0 && (access.contiguous < 0 || (store && !access.store)))
    access.contiguous = dim;
  access.store |= store;
}

Value LayoutAssignment::widest(Value v) {
  auto bytes = [](Value of) {
    return getElementBytes(getElementTypeOrSelf(of.getType()));
  };
  Value result = v;
  leader(v);
  for (const void *member : components.members(v.getAsOpaquePointer())) {
    Value other = Value::getFromOpaquePointer(member);
    if (tileType(other).getShape() == tileType(v).getShape() &&
        bytes(other) > bytes(result))
      result = other;
  }
  return result;
}

Attribute LayoutAssignment::preferred(Value v) {
  RankedTensorType type = tileType(v);
  leader(v);
  for (const void *member : components.members(v.getAsOpaquePointer()))
    if (Attribute layout = layouts.lookup(Value::getFromOpaquePointer(member));
        isa_and_nonnull<AccAttr>(layout))
      return withoutPartial(layout);
  if (Attribute operand = operands.lookup(leader(v)))
    return operand;
  Access access = accesses.lookup(leader(v));
  // What is exchanged with matrices alone stays in the group that has them.
  if (matrices && !access.bytes && type.getRank() == 2 &&
      matrices.getGroupGrid()[1] == 1) {
    auto rows = cast<LayoutAttrInterface>(getRowsLayout(matrices, 1));
    if (succeeded(
            rows.verifyTile(silent, type.getShape(), type.getElementType())))
      return rows;
  }
  // Of what several groups reduce each has lines of its own; rows that are read
  // or written are dealt out to them in any case.
  if (auto found = reduced.find(leader(v));
      found != reduced.end() && !matrices && groups > 1 &&
      (found->second == 0 || !access.bytes))
    if (RegsAttr lines =
            getLinesLayout(type, found->second, lanes, groups, vectorBytes))
      return lines;
  int64_t bytes =
      access.bytes ? access.bytes : getElementBytes(type.getElementType());
  int64_t contiguous =
      access.contiguous >= 0 && access.contiguous < type.getRank()
          ? access.contiguous
          : type.getRank() - 1;
  RegsAttr wide = getWideLayout(context, type.getShape(), bytes, contiguous,
                                lanes, groups, vectorBytes);
  // The way to and from other layouts leads through rows of this pitch.
  return wide ? interleaveForBanks(wide, bytes, contiguous,
                                   sharedPitch(type, contiguous, bytes))
              : wide;
}

int64_t LayoutAssignment::sharedPitch(RankedTensorType type, int64_t fastest,
                                      int64_t bytes) {
  ConfigAttr config = program.getTuning();
  int64_t unit = std::max<int64_t>(1, vectorBytes / bytes);
  int64_t pad = config && config.getPad() >= 0 ? config.getPad() : unit;
  return llvm::alignTo(type.getDimSize(fastest), unit) +
         llvm::alignTo(pad, unit);
}

void LayoutAssignment::set(Value v, Attribute layout) {
  if (!layout || !tileType(v) || layouts.lookup(v) == layout)
    return;
  layouts[v] = layout;
  changed = true;
}

bool LayoutAssignment::keepsOpaque(Operation *op) {
  return isa<arith::TruncFOp, arith::ExtFOp>(op) &&
         !getElementTypeOrSelf(op->getResult(0).getType()).isBF16();
}

bool LayoutAssignment::isHandedOn(Operation *op, LayoutAttrInterface matrices) {
  auto narrowed = dyn_cast<arith::TruncFOp>(op);
  RankedTensorType type = narrowed ? tileType(narrowed.getResult()) : nullptr;
  if (!type || !getElementTypeOrSelf(narrowed.getIn().getType()).isF32())
    return false;
  return llvm::all_of(narrowed->getUses(), [&](OpOperand &use) {
    auto dot = dyn_cast<DotOp>(use.getOwner());
    if (!dot || !dot.getMmaAttr() || use.get() == dot.getAcc())
      return false;
    Side side = use.get() == dot.getA() ? Side::A : Side::B;
    return matrices.canBecome(
        type.getShape(), dot.getMmaAttr().getLayout(side, getGroups(program)));
  });
}

Attribute LayoutAssignment::packedLayout(ViewType view) {
  auto packed = cast_or_null<OpaqueMatrixAttr>(view.getPacked());
  return packed
             ? packed.getMma().getLayout(packed.getSide(), getGroups(program))
             : Attribute();
}

Attribute LayoutAssignment::demandedByExpand(Value v) {
  leader(v);
  for (const void *member : components.members(v.getAsOpaquePointer())) {
    // What a loop leaves moves once, to wherever it is wanted then.
    Value part = Value::getFromOpaquePointer(member);
    if (part.getDefiningOp<scf::ForOp>())
      continue;
    for (Operation *user : part.getUsers())
      if (auto expand = dyn_cast<ExpandOp>(user);
          expand && expand.getDims().size() == 1)
        if (auto layout = get(expand.getResult());
            layout && layout.hasCoordinates())
          return SliceAttr::get(context, expand.getDims()[0], layout,
                                Partial::None);
  }
  return {};
}

SliceAttr LayoutAssignment::rowsOf(SliceAttr slice) {
  return SliceAttr::get(context, slice.getDim(),
                        getRowsLayout(slice.getParent(), slice.getDim()),
                        Partial::None);
}

Attribute LayoutAssignment::matricesOfUsers(ExpandOp expand) {
  Attribute layout;
  if (!isa<FloatType>(expand.getType().getElementType()))
    return {};
  for (Operation *user : expand->getUsers()) {
    if (!isElementwise(user) || !work.contains(user))
      return {};
    LayoutAttrInterface result = get(user->getResult(0));
    if (!result || result.hasCoordinates())
      return {};
    layout = result;
  }
  return layout;
}

void LayoutAssignment::inferElementwise(Operation *op) {
  Attribute opaque, known;
  SliceAttr waiting;
  for (Value operand : op->getOperands()) {
    LayoutAttrInterface layout =
        tileType(operand) ? get(operand) : LayoutAttrInterface();
    if (!layout)
      continue;
    if (auto slice = dyn_cast<SliceAttr>(Attribute(layout));
        slice && !layout.hasCoordinates())
      waiting = slice;
    else if (!layout.hasCoordinates() || layout.isMemory())
      opaque = layout;
    else if (!known)
      known = layout;
  }
  Attribute result = known;
  if (waiting) {
    // A vector of matrices goes on waiting where the op is closed for it.
    Partial kind = kindOfResult(op);
    bool full = waiting.getPartial() == Partial::None ||
                (waiting.getPartial() == Partial::Max &&
                 LayoutAttrInterface(waiting).canReduceOpaque());
    result = kind != Partial::None ? withPartial(withoutPartial(waiting), kind)
             : known               ? withoutPartial(known)
             : full                ? withoutPartial(waiting)
                                   : Attribute(rowsOf(waiting));
  } else if (opaque && !cast<LayoutAttrInterface>(opaque).isMemory() &&
             (work.contains(op) ||
              isHandedOn(op, cast<LayoutAttrInterface>(opaque)))) {
    result = opaque;
  } else if (known)
    result = withPartial(withoutPartial(known), kindOfResult(op));
  else if (opaque)
    result = keepsOpaque(op) && !cast<LayoutAttrInterface>(opaque).isMemory()
                 ? opaque
                 : preferred(op->getResult(0));
  for (Value v : op->getResults())
    set(v, result);
}

/// Whether lanes vote on a comparison with what they have of a reduction.
static bool decidesVote(ReduceOp reduce) {
  return llvm::any_of(reduce->getUsers(), [](Operation *user) {
    return isa<arith::CmpFOp>(user) &&
           llvm::any_of(user->getUsers(), [](Operation *op) {
             auto where = dyn_cast<WhereOp>(op);
             return where && where.getVoted();
           });
  });
}

LogicalResult LayoutAssignment::inferOp(Operation *op) {
  if (auto dot = dyn_cast<DotOp>(op)) {
    FailureOr<MmaAttrInterface> mma = selectMma(program, dot);
    if (failed(mma))
      return failure();
    dot.setMmaAttr(*mma);
    set(dot.getResult(), (*mma).getLayout(Side::Acc, getGroups(program)));
  } else if (auto load = dyn_cast<LoadOp>(op)) {
    if (Attribute packed = packedLayout(load.getView().getType())) {
      set(load.getResult(), packed);
      return success();
    }
    FailureOr<Attribute> copied = copiedLayout(load);
    if (failed(copied))
      return failure();
    Attribute layout = *copied;
    if (load.getType().getRank() == 1)
      layout = demandedByExpand(load.getResult());
    set(load.getResult(), layout ? layout : preferred(load.getResult()));
  } else if (auto expand = dyn_cast<ExpandOp>(op)) {
    if (isa<RankedTensorType>(expand.getSource().getType())) {
      Attribute layout = matricesOfUsers(expand);
      set(expand.getResult(), layout ? layout : preferred(expand.getResult()));
    }
  } else if (auto sum = dyn_cast<ReduceScatterOp>(op)) {
    // It is read from shared memory, in whatever order suits its users.
    set(sum.getResult(), preferred(sum.getResult()));
  } else if (auto slice = dyn_cast<SliceOp>(op)) {
    set(slice.getResult(), get(slice.getTile()));
  } else if (auto reduce = dyn_cast<ReduceOp>(op)) {
    LayoutAttrInterface from = get(reduce.getTile());
    // Of a constant or a number only this says where it is.
    if (!from && isFlexible(reduce.getTile())) {
      Value result = resultBeside(reduce, reduce.getTile());
      from = cast_if_present<LayoutAttrInterface>(
          preferred(result ? result : reduce.getTile()));
    }
    bool inMatrices = from && !from.hasCoordinates();
    if (inMatrices && canReduceMatrices(reduce)) {
      // What is left of a sum may wait for the others of its loop, and what a
      // vote is about for its result; what else is compared is wanted at once.
      auto slice = SliceAttr::get(context, reduce.getDim(), from,
                                  partialOf(reduce.getKind()));
      set(reduce.getResult(),
          reduce.getKind() == ReduceKind::Add || decidesVote(reduce) ? slice
          : reduce.getKind() == ReduceKind::Max && from.canReduceOpaque()
              ? withoutPartial(slice)
              : Attribute(rowsOf(slice)));
      return success();
    }
    // Nobody knows which lane holds what of an opaque tile.
    if (inMatrices)
      from = cast<LayoutAttrInterface>(preferred(reduce.getTile()));
    // Sums of slices meet before anything is combined of them.
    if (from)
      from = cast<LayoutAttrInterface>(withoutPartial(from));
    // Lanes of several groups would have to meet.
    RankedTensorType tile = tileType(reduce.getTile());
    if (from && tile.getRank() == 2 &&
        from.getGroupGrid()[reduce.getDim()] != 1)
      if (RegsAttr lines =
              getLinesLayout(tile, reduce.getDim(), lanes, groups, vectorBytes))
        from = lines;
    if (from) {
      // Where no other lane shares an element of the result, nothing is left
      // to combine.
      auto full = SliceAttr::get(context, reduce.getDim(), from, Partial::None);
      RankedTensorType type = tileType(reduce.getResult());
      LayoutAttrInterface places = full;
      bool whole = places.getGroupCount() * places.getLaneCount() *
                       places.getRegisterCount(type.getShape()) ==
                   type.getNumElements();
      set(reduce.getResult(),
          whole ? full
                : SliceAttr::get(context, reduce.getDim(), from,
                                 partialOf(reduce.getKind())));
    }
  } else if (auto transpose = dyn_cast<TransposeOp>(op)) {
    LayoutAttrInterface have = get(transpose.getTile());
    set(transpose.getResult(),
        have && have.isMemory()
            ? have.getTransposed()
            : sharedFor(transpose.getTile()).getTransposed());
  } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
    for (auto [arg, init, yield, result] :
         llvm::zip(loop.getRegionIterArgs(), loop.getInitArgs(),
                   loop.getYieldedValues(), loop.getResults())) {
      Attribute layout = layouts.lookup(yield);
      if (!layout)
        layout = layouts.lookup(init);
      if (whole.contains(arg))
        layout = withoutPartial(layout);
      set(arg, layout);
      set(result, layout);
    }
  } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
    for (auto [yield, result] :
         llvm::zip(branch.thenYield().getOperands(), branch.getResults()))
      set(result, layouts.lookup(yield));
  } else if (auto where = dyn_cast<WhereOp>(op)) {
    // What is skipped keeps a whole value, so that is what it gives. Vectors
    // lie where matrices ask whether to skip.
    auto condition =
        dyn_cast_or_null<SliceAttr>(layouts.lookup(where.getCondition()));
    bool opaque = condition && !LayoutAttrInterface(condition).hasCoordinates();
    for (auto [old, yield, result] :
         llvm::zip(where.getOld(), yieldOf(where)->getOperands(),
                   where.getResults())) {
      Attribute layout = opaque && tileType(result).getRank() == 1
                             ? Attribute(condition)
                             : layouts.lookup(old);
      set(result, withoutPartial(layout ? layout : layouts.lookup(yield)));
    }
  } else if (isElementwise(op)) {
    inferElementwise(op);
  }
  return success();
}

LogicalResult LayoutAssignment::infer() {
  // Layouts only become known, or move from a guess to an anchor; a handful
  // of rounds settles nested loops.
  for (int round = 0; round < 8; ++round) {
    changed = false;
    WalkResult walk = program.walk<WalkOrder::PostOrder>([&](Operation *op) {
      return failed(inferOp(op)) ? WalkResult::interrupt()
                                 : WalkResult::advance();
    });
    if (walk.wasInterrupted())
      return failure();
    if (!changed && !completeCarried())
      break;
  }
  // What nothing anchors (constants, iotas between themselves) takes the
  // layout of its broadcast, or else the wide one.
  WalkResult walk = program.walk([&](Operation *op) -> WalkResult {
    SmallVector<Value> values(op->getResults());
    for (Region &region : op->getRegions())
      for (Block &block : region)
        llvm::append_range(values, block.getArguments());
    for (Value v : values) {
      if (!tileType(v) || layouts.lookup(v) || isFlexible(v))
        continue;
      Attribute demanded =
          tileType(v).getRank() == 1 ? demandedByExpand(v) : Attribute();
      set(v, demanded ? demanded : preferred(widest(v)));
      if (!layouts.lookup(v))
        return op->emitOpError("expected a tile that ")
               << groups * lanes << " lanes hold evenly, got " << v.getType()
               << ", which they do not divide; use another tile or fewer "
                  "groups";
    }
    return WalkResult::advance();
  });
  return failure(walk.wasInterrupted());
}

bool LayoutAssignment::isFlexible(Value v) {
  Operation *op = v.getDefiningOp();
  if (!op)
    return false;
  if (auto expand = dyn_cast<ExpandOp>(op))
    return !isa<RankedTensorType>(expand.getSource().getType());
  return isa<arith::ConstantOp, IotaOp>(op);
}

namespace {
struct AssignLayouts : helios::impl::TileAssignLayoutsBase<AssignLayouts> {
  void runOnOperation() override {
    if (!getOperation().hasLayouts() &&
        failed(LayoutAssignment(getOperation()).run()))
      signalPassFailure();
  }
};

} // namespace
