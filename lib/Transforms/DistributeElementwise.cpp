// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// tile-distribute: element-wise work and reductions.

#include "Distribute.h"
#include "helios/Dialect/Tile/IR/Partials.h"

using namespace mlir;
using namespace helios;
using namespace helios::tile;

LogicalResult Distributor::lowerConstant(arith::ConstantOp constant) {
  auto splat = dyn_cast<SplatElementsAttr>(constant.getValue());
  if (!splat)
    return constant.emitOpError(
        "expected a splat, got a constant with several values");
  Value scalar = arith::ConstantOp::create(
      b, constant.getLoc(), cast<TypedAttr>(splat.getSplatValue<Attribute>()));
  return map(constant,
             frag::SplatOp::create(b, constant.getLoc(),
                                   lowerType(constant.getType()), scalar)
                 .getResult());
}

LogicalResult Distributor::lowerExpand(ExpandOp expand) {
  Location loc = expand.getLoc();
  Type type = lowerType(expand.getType());
  Value source = get(expand.getSource());
  if (!isa<frag::FragmentType>(source.getType()))
    return map(expand, frag::SplatOp::create(b, loc, type, source).getResult());
  return map(expand,
             buildMap(loc, {source}, {type}, [](OpBuilder &, ValueRange args) {
               return SmallVector<Value>(args);
             })[0]);
}

SmallVector<Value> Distributor::buildMap(
    Location loc, ValueRange inputs, TypeRange types,
    function_ref<SmallVector<Value>(OpBuilder &, ValueRange)> body) {
  auto op = frag::MapOp::create(b, loc, types, inputs);
  OpBuilder::InsertionGuard guard(b);
  Block *block = b.createBlock(&op.getBody());
  for (Value input : inputs)
    block->addArgument(
        cast<frag::FragmentType>(input.getType()).getElementType(), loc);
  SmallVector<Value> results = body(b, block->getArguments());
  frag::YieldOp::create(b, loc, results);
  return SmallVector<Value>(op.getResults());
}

LogicalResult Distributor::lowerElementwise(Operation *op) {
  SmallVector<Value> inputs;
  for (Value operand : op->getOperands())
    if (isa<RankedTensorType>(operand.getType()))
      inputs.push_back(get(operand));
  SmallVector<Type> types =
      llvm::map_to_vector(op->getResultTypes(), lowerType);
  SmallVector<Value> results = buildMap(
      op->getLoc(), inputs, types, [&](OpBuilder &bb, ValueRange args) {
        unsigned next = 0;
        SmallVector<Value> operands;
        for (Value operand : op->getOperands())
          operands.push_back(isa<RankedTensorType>(operand.getType())
                                 ? args[next++]
                                 : get(operand));
        OperationState state(op->getLoc(), op->getName());
        state.addOperands(operands);
        for (Type type : op->getResultTypes())
          state.addTypes(getElementTypeOrSelf(type));
        state.addAttributes(op->getAttrs());
        return SmallVector<Value>(bb.create(state)->getResults());
      });
  for (auto [from, to] : llvm::zip(op->getResults(), results))
    values.map(from, to);
  return success();
}

LogicalResult Distributor::lowerMap(MapOp op) {
  SmallVector<Value> inputs = get(op.getInputs());
  SmallVector<Type> types =
      llvm::map_to_vector(op->getResultTypes(), lowerType);
  Block &from = op.getBody().front();
  SmallVector<Value> results =
      buildMap(op.getLoc(), inputs, types, [&](OpBuilder &bb, ValueRange args) {
        IRMapping scalars(values);
        scalars.map(from.getArguments(), args);
        for (Operation &inner : from.without_terminator())
          bb.clone(inner, scalars);
        return llvm::map_to_vector(from.getTerminator()->getOperands(),
                                   [&](Value v) { return scalars.lookup(v); });
      });
  for (auto [tile, value] : llvm::zip(op.getResults(), results))
    values.map(tile, value);
  return success();
}

/// A partial vector combined over the lanes of the group that share it.
FailureOr<Value> Distributor::combine(Operation *op, Value partial) {
  auto type = cast<frag::FragmentType>(partial.getType());
  LayoutAttrInterface layout = type.getLayout();
  auto slice = cast<SliceAttr>(Attribute(layout));
  if (!(layout.hasCoordinates() || layout.canReduceOpaque()) ||
      slice.getParent().getGroupGrid()[slice.getDim()] != 1)
    return op->emitOpError("combines over lanes of several groups, or of a "
                           "layout without coordinates; expected lanes of one "
                           "group, got ")
           << layout;
  auto full = frag::FragmentType::get(
      b.getContext(), type.getShape(), type.getElementType(),
      cast<LayoutAttrInterface>(withoutPartial(layout)));
  auto all = frag::ReduceOp::create(b, op->getLoc(), full,
                                    kindOf(layout.getPartialKind()), partial,
                                    frag::Scope::Group, IntegerAttr());
  if (auto within = partial.getDefiningOp<frag::ReduceOp>())
    all.setNnan(within.getNnan());
  return Value(all);
}

ReduceKind Distributor::kindOf(Partial partial) {
  return partial == Partial::Add   ? ReduceKind::Add
         : partial == Partial::Max ? ReduceKind::Max
                                   : ReduceKind::Or;
}

/// A tile reduced to this layout: within each lane, and over lanes where the
/// result is not to be left partial.
FailureOr<Value> Distributor::reduceRows(Operation *op, ReduceKind kind,
                                         Value tile, SliceAttr result) {
  auto type = cast<frag::FragmentType>(tile.getType());
  int64_t dim = result.getDim();
  LayoutAttrInterface layout = result;
  SmallVector<int64_t> shape(type.getShape());
  shape.erase(shape.begin() + dim);
  bool whole = layout.getPartialKind() != Partial::None ||
               !layout.hasCoordinates() ||
               layout.getGroupCount() * layout.getLaneCount() *
                       layout.getRegisterCount(shape) ==
                   ShapedType::getNumElements(shape);
  if (!whole) {
    if (kind == ReduceKind::Min)
      return op->emitOpError("combines a minimum over lanes, which is not "
                             "lowered; negate and take the maximum");
    Partial partial = kind == ReduceKind::Add   ? Partial::Add
                      : kind == ReduceKind::Max ? Partial::Max
                                                : Partial::Or;
    layout = SliceAttr::get(b.getContext(), dim, result.getParent(), partial);
  }
  auto within = frag::ReduceOp::create(
      b, op->getLoc(),
      frag::FragmentType::get(b.getContext(), shape, type.getElementType(),
                              layout),
      kind, tile, frag::Scope::Lane, b.getI64IntegerAttr(dim));
  if (auto reduce = dyn_cast<ReduceOp>(op))
    within.setNnan(reduce.getNnan());
  return whole ? FailureOr<Value>(within.getResult())
               : combine(op, within.getResult());
}

LogicalResult Distributor::lowerReduce(ReduceOp reduce) {
  FailureOr<Value> result =
      reduceRows(reduce, reduce.getKind(), get(reduce.getTile()),
                 cast<SliceAttr>(Attribute(getLayout(reduce.getType()))));
  return failed(result) ? failure() : map(reduce, *result);
}

/// Subgroups without a true condition skip the region; in the others, elements
/// whose condition is false keep the old value.
LogicalResult Distributor::lowerWhere(WhereOp where) {
  Location loc = where.getLoc();
  landUsedIn(where);
  SmallVector<Value> old = get(where.getOld());
  Value condition = get(where.getCondition());
  auto type = cast<frag::FragmentType>(condition.getType());
  Value vote =
      frag::ReduceOp::create(b, loc, b.getI1Type(), ReduceKind::Or, condition,
                             frag::Scope::All, IntegerAttr());
  SmallVector<Type> types =
      llvm::map_to_vector(ValueRange(old).getTypes(), [](Type t) { return t; });
  auto branch = scf::IfOp::create(b, loc, types, vote, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToEnd(&branch.getElseRegion().front());
  scf::YieldOp::create(b, loc, old);
  b.setInsertionPointToEnd(&branch.getThenRegion().front());
  if (!where.getVoted() && type.getLayout().getPartialKind() != Partial::None) {
    FailureOr<Value> full = combine(where, condition);
    if (failed(full))
      return failure();
    condition = *full;
  }
  if (failed(lowerBlock(where.getBody().front())))
    return failure();
  SmallVector<Value> kept;
  for (auto [before, yielded] :
       llvm::zip(old, where.getBody().front().getTerminator()->getOperands()))
    if (where.getVoted())
      kept.push_back(get(yielded));
    else
      kept.push_back(
          buildMap(loc, {condition, get(yielded), before}, {before.getType()},
                   [&](OpBuilder &bb, ValueRange args) {
                     return SmallVector<Value>{arith::SelectOp::create(
                         bb, loc, args[0], args[1], args[2])};
                   })[0]);
  scf::YieldOp::create(b, loc, kept);
  for (auto [tile, value] : llvm::zip(where.getResults(), branch.getResults()))
    values.map(tile, value);
  return success();
}

/// A relabelling of registers after a map that nothing else uses: the map says
/// so itself.
static void foldPermutes(Operation *root) {
  root->walk([](frag::PermuteOp permute) {
    auto map = permute.getFragment().getDefiningOp<frag::MapOp>();
    frag::FragmentType from = permute.getFragment().getType(),
                       to = permute.getType();
    if (!map || map->getNumResults() != 1 || !map->hasOneUse() ||
        map->getBlock() != permute->getBlock() ||
        !from.getLayout().isSamePlace(from.getShape(), to.getLayout()))
      return;
    map->getResult(0).setType(to);
    permute.getResult().replaceAllUsesWith(map->getResult(0));
    permute.erase();
  });
}

void helios::tile::fuseMaps(Operation *root) {
  SmallVector<frag::MapOp> maps;
  root->walk([&](frag::MapOp map) { maps.push_back(map); });
  for (frag::MapOp user : maps) {
    for (bool changed = true; changed;) {
      changed = false;
      for (OpOperand &operand : user->getOpOperands()) {
        auto source = operand.get().getDefiningOp<frag::MapOp>();
        if (!source || source->getNumResults() != 1 ||
            source->getBlock() != user->getBlock() ||
            cast<frag::FragmentType>(operand.get().getType()).getShape() !=
                cast<frag::FragmentType>(user->getResult(0).getType())
                    .getShape() ||
            llvm::any_of(source->getUsers(),
                         [&](Operation *op) { return op != user; }))
          continue;
        OpBuilder b(user);
        SmallVector<Value> inputs;
        for (Value v : source.getInputs())
          inputs.push_back(v);
        for (Value v : user.getInputs())
          if (v.getDefiningOp() != source)
            inputs.push_back(v);
        auto merged = frag::MapOp::create(b, user.getLoc(),
                                          user.getResultTypes(), inputs);
        Block *block = b.createBlock(&merged.getBody());
        for (Value v : inputs)
          block->addArgument(
              cast<frag::FragmentType>(v.getType()).getElementType(),
              v.getLoc());
        IRMapping map;
        unsigned n = 0;
        for (BlockArgument arg : source.getBody().front().getArguments())
          map.map(arg, block->getArgument(n++));
        for (Operation &op : source.getBody().front().without_terminator())
          b.clone(op, map);
        Value result = map.lookupOrDefault(
            source.getBody().front().getTerminator()->getOperand(0));
        for (auto [v, arg] :
             llvm::zip(user.getInputs(), user.getBody().front().getArguments()))
          map.map(arg, v.getDefiningOp() == source
                           ? result
                           : Value(block->getArgument(n++)));
        for (Operation &op : user.getBody().front())
          b.clone(op, map);
        user->replaceAllUsesWith(merged->getResults());
        user->erase();
        source->erase();
        user = merged;
        changed = true;
        break;
      }
    }
  }
  foldPermutes(root);
}
