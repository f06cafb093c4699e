// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// tile-assign-layouts: vectors that are still to be combined over lanes.

#include "AssignLayouts.h"
#include "helios/Dialect/Tile/IR/Partials.h"
#include "helios/Dialect/Tile/Utils/Facts.h"
#include "helios/Dialect/Tile/Utils/Select.h"

using namespace mlir;
using namespace helios;
using namespace helios::tile;

Attribute LayoutAssignment::withPartial(Attribute layout, Partial kind) {
  auto slice = dyn_cast_or_null<SliceAttr>(layout);
  return slice && kind != Partial::None
             ? SliceAttr::get(slice.getContext(), slice.getDim(),
                              slice.getParent(), kind)
             : layout;
}

/// What is to be combined in a vector. Sums of slices of K are added up before
/// anything is computed of them.
static Partial kindOfVector(Attribute layout) {
  return getSliceCount(layout) > 1 ? Partial::None : getPartial(layout);
}

Partial LayoutAssignment::kindOfResult(Operation *op) {
  SmallVector<Partial> kinds;
  Partial other = Partial::None;
  for (Value operand : op->getOperands()) {
    kinds.push_back(kindOfVector(layouts.lookup(operand)));
    if (kinds.back() != Partial::None)
      other = kinds.back();
  }
  if (other == Partial::None)
    return Partial::None;
  SmallVector<Partial> carried = kinds;
  for (auto [operand, kind] : llvm::zip(op->getOperands(), carried))
    if (isa<BlockArgument>(operand) && !layouts.lookup(operand))
      kind = other;
  for (ArrayRef<Partial> in : {carried, kinds})
    if (std::optional<Partial> kind = combinePartials(op, in))
      return *kind;
  return Partial::None;
}

bool LayoutAssignment::takesPartial(Operation *op) {
  // To sums of its slice of K only a product adds.
  if (llvm::any_of(op->getOperands(), [&](Value v) {
        return kindOfVector(layouts.lookup(v)) != getPartial(layouts.lookup(v));
      }))
    return isa<DotOp>(op);
  return isElementwise(op) &&
         combinePartials(
             op, llvm::map_to_vector(
                     op->getOperands(),
                     [&](Value v) { return kindOfVector(layouts.lookup(v)); }))
             .has_value();
}

bool LayoutAssignment::isNeutral(Value v, Partial kind) {
  if (getPartial(layouts.lookup(v)) == kind)
    return true;
  auto constant = v.getDefiningOp<arith::ConstantOp>();
  auto splat = constant ? dyn_cast<SplatElementsAttr>(constant.getValue())
                        : SplatElementsAttr();
  if (!splat)
    return false;
  // A maximum with itself is the same.
  if (kind != Partial::Add)
    return true;
  if (auto f = dyn_cast<FloatAttr>(splat.getSplatValue<Attribute>()))
    return f.getValue().isZero();
  return splat.getSplatValue<APInt>().isZero();
}

bool LayoutAssignment::completeCarried() {
  bool completed = false;
  program.walk([&](scf::ForOp loop) {
    for (auto [arg, init] :
         llvm::zip(loop.getRegionIterArgs(), loop.getInitArgs())) {
      Partial kind = getPartial(layouts.lookup(arg));
      if (kind == Partial::None)
        continue;
      bool stays = isNeutral(init, kind) &&
                   llvm::all_of(arg.getUsers(), [&](Operation *user) {
                     return takesPartial(user);
                   });
      if (!stays)
        completed |= whole.insert(arg).second;
    }
  });
  return completed;
}

Partial LayoutAssignment::partialOf(ReduceKind kind) {
  return kind == ReduceKind::Add  ? Partial::Add
         : kind == ReduceKind::Or ? Partial::Or
                                  : Partial::Max;
}

bool LayoutAssignment::takesPartialOperand(Operation *op) {
  return llvm::any_of(op->getOperands(),
                      [&](Value v) {
                        return kindOfVector(layouts.lookup(v)) != Partial::None;
                      }) &&
         takesPartial(op);
}

LogicalResult LayoutAssignment::rewritePartial(Operation *op) {
  OpBuilder b(op);
  Attribute places = withoutPartial(getLayout(op->getResult(0).getType()));
  for (OpOperand &operand : op->getOpOperands()) {
    if (!tileType(operand.get()))
      continue;
    FailureOr<Value> value =
        as(b, op, operand.get(),
           withPartial(places, getPartial(layouts.lookup(operand.get()))));
    if (failed(value))
      return failure();
    operand.set(*value);
  }
  auto map =
      MapOp::create(b, op->getLoc(), op->getResultTypes(), op->getOperands());
  Block *body = b.createBlock(&map.getBody());
  IRMapping scalars;
  for (Value operand : op->getOperands())
    scalars.map(operand, body->addArgument(tileType(operand).getElementType(),
                                           operand.getLoc()));
  Operation *scalar = b.clone(*op, scalars);
  for (OpResult result : scalar->getResults())
    result.setType(getElementTypeOrSelf(result.getType()));
  YieldOp::create(b, op->getLoc(), scalar->getResults());
  for (auto [from, to] : llvm::zip(op->getResults(), map.getResults()))
    if (Attribute layout = layouts.lookup(from))
      layouts[to] = layout;
  op->replaceAllUsesWith(map);
  op->erase();
  return success();
}
