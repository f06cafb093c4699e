// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// tile-assign-layouts: tiles that are copied into shared memory, and those that
// go through it on their way out.

#include "AssignLayouts.h"
#include "helios/Dialect/Tile/IR/Partials.h"
#include "helios/Dialect/Tile/Utils/Facts.h"
#include "helios/Dialect/Tile/Utils/Select.h"

using namespace mlir;
using namespace helios;
using namespace helios::tile;

bool LayoutAssignment::isTaken(DotOp dot, Side side, Attribute layout) {
  FailureOr<MmaAttrInterface> mma = selectMma(program, dot);
  if (failed(mma))
    return false;
  if (bitEnumContainsAny((*mma).getPlaces(side), Place::Shared) &&
      succeeded((*mma).checkOperand(silent, side, layout)))
    return true;
  return bitEnumContainsAny((*mma).getPlaces(side), Place::Registers) &&
         (*mma).canLoad(side, layout);
}

bool LayoutAssignment::isTakenByAll(Value tile, Attribute layout) {
  if (tile.use_empty())
    return false;
  return llvm::all_of(tile.getUses(), [&](OpOperand &use) {
    if (auto dot = dyn_cast<DotOp>(use.getOwner()))
      return use.getOperandNumber() < 2 &&
             isTaken(dot, Side(use.getOperandNumber()), layout);
    auto transpose = dyn_cast<TransposeOp>(use.getOwner());
    return transpose &&
           isTakenByAll(transpose.getResult(),
                        cast<LayoutAttrInterface>(layout).getTransposed());
  });
}

bool LayoutAssignment::isStreamed(LoadOp load) {
  auto loop = dyn_cast<scf::ForOp>(load->getParentOp());
  ViewType view = load.getView().getType();
  int64_t contiguous = view.getContiguousDim();
  return copy.getIssueLanes() == 1 && loop &&
         !loop.getBody()->getOps<DotOp>().empty() &&
         contiguous >= view.getRank() - load.getType().getRank() &&
         selectCopy(copy, load.getView(), load.getOffsets()) &&
         llvm::all_of(load->getUsers(),
                      [](Operation *user) { return isElementwise(user); });
}

Attribute LayoutAssignment::operandMadeOf(Value tile) {
  Attribute made;
  for (OpOperand &use : tile.getUses()) {
    Operation *user = use.getOwner();
    Attribute layout;
    if (auto dot = dyn_cast<DotOp>(user); dot && use.getOperandNumber() < 2) {
      auto side = Side(use.getOperandNumber());
      FailureOr<MmaAttrInterface> mma = selectMma(program, dot);
      if (succeeded(mma) &&
          bitEnumContainsAny((*mma).getPlaces(side), Place::Registers))
        layout = (*mma).getLayout(side, getGroups(program));
    } else if (isElementwise(user) &&
               user->getBlock() == tile.getParentBlock()) {
      layout = operandMadeOf(user->getResult(0));
    }
    if (!layout || (made && made != layout))
      return {};
    made = layout;
  }
  return made;
}

bool LayoutAssignment::isComputedOn(Value tile) {
  SmallVector<std::pair<Value, Attribute>> found;
  for (Operation *user : tile.getUsers()) {
    if (isa<TransposeOp>(user)) {
      if (!isComputedOn(user->getResult(0)))
        return false;
      continue;
    }
    Attribute layout =
        isElementwise(user) ? operandMadeOf(user->getResult(0)) : Attribute();
    if (!layout)
      return false;
    found.emplace_back(user->getResult(0), layout);
  }
  for (auto [value, layout] : found)
    operands[leader(value)] = layout;
  return !tile.use_empty();
}

LogicalResult LayoutAssignment::checkUnits(LoadOp load) {
  if (selectCopy(copy, load.getView(), load.getOffsets()))
    return success();
  CopyAttrInterface narrowest = copy;
  while (CopyAttrInterface narrower = narrowest.getNarrower())
    narrowest = narrower;
  return load.emitOpError("expected rows that start and end at multiples of ")
         << narrowest.getGranule() << " bytes, which strategy '"
         << stringifyStrategy(program.getTuning().getStrategy())
         << "' copies at once, got " << load.getView().getType()
         << " at an offset or of an extent that facts do not prove to be "
            "such; state 'align', 'div' and tile.div, or use strategy = "
            "staged";
}

FailureOr<Attribute> LayoutAssignment::copiedLayout(LoadOp load) {
  RankedTensorType type = load.getType();
  ViewType view = load.getView().getType();
  int64_t contiguous =
      view.getContiguousDim() - (view.getRank() - type.getRank());
  if (!copy || type.getRank() != 2 || view.getGather() >= 0 ||
      !load.getPad().isZero())
    return Attribute();
  // Where rows are not known to be contiguous, the check below says so.
  Attribute layout =
      copy.getSharedLayout(type.getShape(), type.getElementType(),
                           std::max<int64_t>(0, contiguous), /*mayFill=*/true);
  if (!layout)
    return Attribute();
  if (!isTakenByAll(load.getResult(), layout)) {
    bool isComputed = contiguous >= 0 &&
                      selectCopy(copy, load.getView(), load.getOffsets()) &&
                      isComputedOn(load.getResult());
    return isComputed || isStreamed(load) ? layout : Attribute();
  }
  if (contiguous < 0)
    return load.emitOpError("expected a view with a dimension of stride one, "
                            "along which strategy '")
           << stringifyStrategy(program.getTuning().getStrategy())
           << "' copies, got " << view << "; use strategy = staged";
  if (failed(checkUnits(load)))
    return failure();
  return layout;
}

bool LayoutAssignment::canReduceMatrices(ReduceOp reduce) {
  Type element = reduce.getType().getElementType();
  return matrices && (element.isF16() || element.isF32()) &&
         reduce.getKind() != ReduceKind::Min && reduce.getDim() == 1 &&
         matrices.getGroupGrid()[1] == 1 &&
         work.reachesProduct(reduce.getTile());
}

Attribute LayoutAssignment::wideInsteadOf(StoreOp store,
                                          LayoutAttrInterface have) {
  RankedTensorType type = store.getTile().getType();
  ViewType view = store.getView().getType();
  int64_t bytes = getElementBytes(view.getElementType()),
          lead = view.getRank() - type.getRank(),
          contiguous = view.getContiguousDim() - lead;
  // Where nothing says along which dimension rows lie, it is the last mostly.
  if (contiguous < 0)
    contiguous = type.getRank() - 1;
  if ((copy && copy.canStore()) || type.getRank() != 2 ||
      getRunOfLanes(have, type.getShape(), contiguous) * bytes >=
          kSectorBytes ||
      type.getNumElements() < lanes * groups * vectorBytes / bytes)
    return {};
  // Of rows that begin anywhere lanes write single elements side by side.
  int64_t unit = bytes;
  if (hasWholeUnits(store.getView(), store.getOffsets(), vectorBytes))
    unit = vectorBytes;
  else if (CopyAttrInterface narrow =
               selectCopy(copy, store.getView(), store.getOffsets()))
    unit = narrow.getGranule();
  return getWideLayout(context, type.getShape(), bytes, contiguous, lanes,
                       groups, unit);
}
