// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// tile-assign-layouts: types are set, operands converted.

#include "AssignLayouts.h"
#include "helios/Dialect/Tile/IR/Partials.h"
#include "helios/Dialect/Tile/Utils/Facts.h"
#include "helios/Dialect/Tile/Utils/Select.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace helios;
using namespace helios::tile;

/// Registers of a lane that hold neither tiles that loops carry nor operands:
/// addresses and counters.
static constexpr int64_t kOtherRegisters = 48;
/// Of a lane whose copies another role starts.
static constexpr int64_t kOtherRegistersOfRole = 32;

SharedAttr LayoutAssignment::sharedFor(Value v) {
  RankedTensorType type = tileType(v);
  int64_t rank = type.getRank(), fastest = rank - 1;
  if (auto regs = dyn_cast_or_null<RegsAttr>(layouts.lookup(v))) {
    for (int64_t d = 0; d < rank; ++d)
      if (regs.getVec()[d] > regs.getVec()[fastest])
        fastest = d;
  }
  SmallVector<int64_t> order{fastest};
  for (int64_t d = rank - 1; d >= 0; --d)
    if (d != fastest)
      order.push_back(d);
  int64_t row = rank == 1 ? type.getDimSize(fastest)
                          : sharedPitch(type, fastest,
                                        getElementBytes(type.getElementType()));
  return SharedAttr::get(context, order, row - type.getDimSize(fastest), 0,
                         ArrayRef<int64_t>());
}

int64_t LayoutAssignment::registersOf(RankedTensorType type) {
  LayoutAttrInterface layout = getLayout(type);
  if (!layout || layout.isMemory() || !layout.hasCoordinates())
    return 0;
  return llvm::divideCeil(layout.getRegisterCount(type.getShape()) *
                              getElementBytes(type.getElementType()),
                          4);
}

bool LayoutAssignment::fitsBeside(Operation *user, RankedTensorType operand) {
  auto loop = dyn_cast<scf::ForOp>(user->getParentOp());
  TargetAttrInterface row = program.getTargetRow();
  if (!isa<DotOp>(user) || !loop || !row)
    return true;
  int64_t most = row.getMaxRegisters(), others = kOtherRegisters;
  ConfigAttr config = program.getTuning();
  if (config && config.getStrategy() == Strategy::Roles)
    if (auto share = getRoleRegisters(row, groups, lanes)) {
      most = share->computing;
      others = kOtherRegistersOfRole;
    }
  int64_t registers = others + registersOf(operand);
  auto count = [&](Value v) {
    RankedTensorType type = tileType(v);
    if (type && layouts.lookup(v))
      registers += registersOf(withLayout(type, layouts.lookup(v)));
  };
  for (Value arg : loop.getRegionIterArgs())
    count(arg);
  for (auto dot : loop.getBody()->getOps<DotOp>()) {
    if (!llvm::is_contained(loop.getYieldedValues(), dot.getResult()))
      count(dot.getResult());
    for (Value side : {dot.getA(), dot.getB()})
      if (side.getParentBlock() == loop.getBody())
        count(side);
  }
  // What is computed with beside a product is there with it: vectors, which are
  // asked for before, and tiles that become what the product is.
  auto isComputedBeside = [](LoadOp load) {
    return llvm::none_of(load->getUsers(), [](Operation *user) {
      return isa<DotOp, TransposeOp>(user);
    });
  };
  for (auto load : loop.getBody()->getOps<LoadOp>()) {
    RankedTensorType type = load.getType();
    if (type.getRank() == 1)
      count(load.getResult());
    else if (isComputedBeside(load))
      for (auto dot : loop.getBody()->getOps<DotOp>())
        if (Attribute layout = layouts.lookup(dot.getResult());
            layout && tileType(dot.getResult()).getShape() == type.getShape()) {
          registers += registersOf(withLayout(type, layout));
          break;
        }
  }
  return registers <= most;
}

bool LayoutAssignment::isKept(DotOp dot, Side side, Value v, Attribute layout) {
  auto loop = dyn_cast<scf::ForOp>(dot->getParentOp());
  return loop && loop.isDefinedOutsideOfLoop(v) &&
         isKnownLess(loop.getLowerBound(), loop.getUpperBound()) &&
         bitEnumContainsAny(dot.getMmaAttr().getPlaces(side),
                            Place::Registers) &&
         dot.getMmaAttr().canLoad(side, getLayout(v.getType())) &&
         fitsBeside(dot, withLayout(tileType(v), layout));
}

FailureOr<Value> LayoutAssignment::as(OpBuilder &b, Operation *user, Value v,
                                      Attribute wanted) {
  Location loc = v.getLoc();
  if (isFlexible(v))
    return remake(b, v, wanted);
  auto where = dyn_cast<WhereOp>(user->getParentOp());
  bool skipped = where && where.getVoted();
  RankedTensorType type = tileType(v);
  LayoutAttrInterface have = getLayout(type);
  if (Attribute(have) == wanted || !wanted)
    return v;
  if (have.canBecome(type.getShape(), wanted))
    return convert(b, loc, v, wanted);
  if (getSliceCount(have) > 1 && have.getPartialKind() != Partial::None) {
    // Whoever takes sums of slices adds them up where they meet.
    if (v.getParentBlock() != user->getBlock())
      b.setInsertionPointAfterValue(v);
    v = convertOnce(b, loc, v, withoutPartial(have));
    return as(b, user, v, wanted);
  }
  if (have.getPartialKind() != Partial::None) {
    // Within a group, lanes combine what they share; there is nothing that
    // reaches further.
    auto slice = cast<SliceAttr>(Attribute(have));
    if (slice.getParent().getGroupGrid()[slice.getDim()] != 1) {
      user->emitOpError("needs a reduction over lanes of ")
          << type
          << ", whose lanes are in several groups; this version "
             "combines lanes of one group";
      return failure();
    }
    Attribute whole = have.hasCoordinates() || wanted == withoutPartial(have)
                          ? withoutPartial(have)
                          : Attribute(rowsOf(slice));
    // What groups of lanes may skip stays where they do.
    if (isa<WhereOp>(user->getParentOp()))
      return as(b, user, convert(b, loc, v, whole), wanted);
    if (v.getParentBlock() != user->getBlock())
      b.setInsertionPointAfterValue(v);
    return as(b, user, convertOnce(b, loc, v, whole), wanted);
  }
  // Lanes that own rows find them in matrices of equal columns.
  if (auto slice = dyn_cast<SliceAttr>(Attribute(have));
      slice && !have.hasCoordinates()) {
    if (skipped)
      return as(b, user, convert(b, loc, v, rowsOf(slice)), wanted);
    if (v.getParentBlock() != user->getBlock())
      b.setInsertionPointAfterValue(v);
    return as(b, user, convertOnce(b, loc, v, rowsOf(slice)), wanted);
  }
  if (type.getElementType().isInteger(1)) {
    if (Value again = computeAgain(b, v, wanted))
      return again;
    user->emitOpError("uses the truth values ")
        << type << " in the layout " << wanted
        << "; they cannot go through memory, so expected the same layout: "
           "compare numbers that are in it";
    return failure();
  }
  if (isScattered(type) && cast<LayoutAttrInterface>(wanted).hasCoordinates() &&
      !cast<LayoutAttrInterface>(wanted).isMemory())
    return asNumbers(b, user, v, wanted);
  // What a loop or branch uses from outside is converted once, where it is
  // made; but an operand that has no room beside what the loop keeps in
  // registers is read from memory in every trip.
  if (v.getParentBlock() != user->getBlock()) {
    if (have.isMemory() && !fitsBeside(user, withLayout(type, wanted)))
      return convert(b, loc, v, wanted);
    b.setInsertionPointAfterValue(v);
  }
  if (!have.isMemory()) {
    // A vector on its way to matrices is written where it is computed, so
    // that several meet at one barrier.
    OpBuilder::InsertionGuard guard(b);
    if (!skipped && type.getRank() == 1 &&
        !cast<LayoutAttrInterface>(wanted).hasCoordinates())
      b.setInsertionPointAfterValue(v);
    v = convertOnce(b, loc, v, sharedFor(v));
  }
  if (cast<LayoutAttrInterface>(wanted).isMemory())
    return v;
  return convertOnce(b, loc, v, wanted);
}

bool LayoutAssignment::isScattered(RankedTensorType type) {
  return type.getRank() == 1 && isa<SliceAttr>(type.getEncoding()) &&
         isa<FloatType>(type.getElementType()) &&
         type.getElementTypeBitWidth() < 32;
}

FailureOr<Value> LayoutAssignment::asNumbers(OpBuilder &b, Operation *user,
                                             Value v, Attribute wanted) {
  auto converted = [&](Attribute layout, Type element) {
    return RankedTensorType::get(tileType(v).getShape(), element, layout);
  };
  Attribute have = tileType(v).getEncoding();
  OpBuilder::InsertionGuard guard(b);
  OpBuilder beside(b);
  beside.setInsertionPointAfterValue(v);
  Value wide = arith::ExtFOp::create(beside, v.getLoc(),
                                     converted(have, b.getF32Type()), v);
  layouts[wide] = have;
  FailureOr<Value> there = as(b, user, wide, wanted);
  if (failed(there))
    return failure();
  return Value(arith::TruncFOp::create(
      b, v.getLoc(), converted(wanted, tileType(v).getElementType()), *there));
}

Value LayoutAssignment::convertOnce(OpBuilder &b, Location loc, Value v,
                                    Attribute layout) {
  Value &result = converted[{v, layout}];
  if (!result)
    result = convert(b, loc, v, layout);
  return result;
}

Value LayoutAssignment::remake(OpBuilder &b, Value v, Attribute layout) {
  RankedTensorType type = withLayout(tileType(v), layout);
  Operation *op = v.getDefiningOp();
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return arith::ConstantOp::create(
        b, v.getLoc(), type,
        cast<TypedAttr>(
            cast<DenseElementsAttr>(constant.getValue()).reshape(type)));
  OpBuilder::InsertionGuard guard(b);
  Operation *copy = b.clone(*op);
  copy->getResult(0).setType(type);
  return copy->getResult(0);
}

Value LayoutAssignment::computeAgain(OpBuilder &b, Value v, Attribute layout) {
  Operation *op = v.getDefiningOp();
  if (!op || !OpTrait::hasElementwiseMappableTraits(op) ||
      !llvm::all_of(op->getOperands(), [](Value operand) {
        return tileType(operand) && isFlexible(operand);
      }))
    return {};
  IRMapping operands;
  for (Value operand : op->getOperands())
    operands.map(operand, remake(b, operand, layout));
  Operation *copy = b.clone(*op, operands);
  copy->getResult(0).setType(withLayout(tileType(v), layout));
  return copy->getResult(0);
}

LogicalResult LayoutAssignment::convertOperands(Operation *op,
                                                Attribute layout) {
  OpBuilder b(op);
  for (OpOperand &operand : op->getOpOperands()) {
    if (!tileType(operand.get()))
      continue;
    FailureOr<Value> value = as(b, op, operand.get(), layout);
    if (failed(value))
      return failure();
    operand.set(*value);
  }
  return success();
}

LogicalResult LayoutAssignment::convertOperand(OpOperand &operand,
                                               Attribute layout) {
  OpBuilder b(operand.getOwner());
  FailureOr<Value> value = as(b, operand.getOwner(), operand.get(), layout);
  if (failed(value))
    return failure();
  operand.set(*value);
  return success();
}

void LayoutAssignment::setTypes(ValueRange values) {
  for (Value v : values)
    if (RankedTensorType type = tileType(v); type && layouts.lookup(v))
      v.setType(withLayout(type, layouts.lookup(v)));
}

LogicalResult LayoutAssignment::rewriteOp(Operation *op) {
  if (op->getNumResults() == 1 && isFlexible(op->getResult(0))) {
    flexible.push_back(op);
    return success();
  }
  setTypes(op->getResults());
  if (auto dot = dyn_cast<DotOp>(op)) {
    MmaAttrInterface mma = dot.getMmaAttr();
    SmallVector<int64_t> grid = getGroups(program);
    auto operand = [&](Side side, Value v) {
      LayoutAttrInterface have = get(v);
      bool lies = have && have.isMemory() &&
                  bitEnumContainsAny(mma.getPlaces(side), Place::Shared) &&
                  succeeded(mma.checkOperand(silent, side, have));
      Attribute read = mma.getLayout(side, grid);
      return lies && !isKept(dot, side, v, read) ? Attribute(have) : read;
    };
    Attribute a = operand(Side::A, dot.getA()),
              b = operand(Side::B, dot.getB());
    return success(succeeded(convertOperand(dot.getAMutable(), a)) &&
                   succeeded(convertOperand(dot.getBMutable(), b)) &&
                   succeeded(convertOperand(dot.getAccMutable(),
                                            mma.getLayout(Side::Acc, grid))));
  }
  if (auto store = dyn_cast<StoreOp>(op)) {
    if (Attribute packed = packedLayout(store.getView().getType()))
      return convertOperand(store.getTileMutable(), packed);
    LayoutAttrInterface have = isFlexible(store.getTile())
                                   ? LayoutAttrInterface()
                                   : getLayout(store.getTile().getType());
    bool direct = have && have.hasCoordinates() && !have.isMemory() &&
                  have.getPartialKind() == Partial::None;
    // What is left to combine is stored where its lanes meet.
    if (have && have.hasCoordinates() && have.getPartialKind() != Partial::None)
      return convertOperand(store.getTileMutable(), withoutPartial(have));
    Attribute wide =
        direct ? wideInsteadOf(store, have) : preferred(store.getTile());
    return convertOperand(store.getTileMutable(),
                          wide ? wide : Attribute(have));
  }
  if (auto expand = dyn_cast<ExpandOp>(op)) {
    if (expand.getDims().size() != 1)
      return op->emitOpError("expected one new dimension for a tile, got ")
             << expand.getDims().size();
    return convertOperand(expand.getSourceMutable(),
                          SliceAttr::get(context, expand.getDims()[0],
                                         getLayout(expand.getType()),
                                         Partial::None));
  }
  if (auto reduce = dyn_cast<ReduceOp>(op)) {
    auto slice = cast<SliceAttr>(getLayout(reduce.getType()));
    LayoutAttrInterface have = getLayout(reduce.getTile().getType());
    if (have && !have.hasCoordinates() && slice.getPartial() == Partial::None &&
        canReduceMatrices(reduce))
      return reduceMatrices(reduce, slice);
    return convertOperand(reduce.getTileMutable(), slice.getParent());
  }
  if (auto transpose = dyn_cast<TransposeOp>(op)) {
    auto transposed = cast<SharedAttr>(getLayout(transpose.getType()));
    return convertOperand(transpose.getTileMutable(),
                          transposed.getTransposed());
  }
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    setTypes(loop.getRegionIterArgs());
    for (auto [init, arg] :
         llvm::zip(loop.getInitArgsMutable(), loop.getRegionIterArgs()))
      if (tileType(arg) &&
          failed(convertOperand(init, getLayout(arg.getType()))))
        return failure();
    return success();
  }
  if (auto where = dyn_cast<WhereOp>(op))
    return rewriteWhere(where);
  if (isa<scf::YieldOp>(op) ||
      (isa<YieldOp>(op) && isa<WhereOp>(op->getParentOp()))) {
    for (auto [operand, result] :
         llvm::zip(op->getOpOperands(), op->getParentOp()->getResults()))
      if (tileType(result) &&
          failed(convertOperand(operand, layouts.lookup(result))))
        return failure();
    return success();
  }
  if (isElementwise(op))
    return rewriteElementwise(op);
  return success();
}

LogicalResult LayoutAssignment::reduceMatrices(ReduceOp reduce,
                                               SliceAttr rows) {
  RankedTensorType full = reduce.getType();
  LayoutAttrInterface have = getLayout(reduce.getTile().getType());
  reduce.getResult().setType(
      withLayout(full, SliceAttr::get(context, reduce.getDim(), have,
                                      partialOf(reduce.getKind()))));
  OpBuilder b(context);
  b.setInsertionPointAfter(reduce);
  Value whole = convert(b, reduce.getLoc(), reduce.getResult(), rows);
  layouts[whole] = rows;
  reduce.getResult().replaceAllUsesExcept(whole, whole.getDefiningOp());
  return success();
}

LogicalResult LayoutAssignment::rewriteChoice(arith::SelectOp select) {
  OpBuilder b(select);
  Location loc = select.getLoc();
  Attribute layout = getLayout(select.getType());
  Attribute places = layouts.lookup(select.getCondition());
  FailureOr<Value> truth = as(b, select, select.getCondition(),
                              places ? places : preferred(select.getResult()));
  if (failed(truth))
    return failure();
  RankedTensorType truths = tileType(*truth);
  Type number = b.getF16Type();
  Value condition = arith::UIToFPOp::create(
      b, loc,
      RankedTensorType::get(truths.getShape(), number, truths.getEncoding()),
      *truth);
  SmallVector<Value> inputs;
  for (Value v : {condition, select.getTrueValue(), select.getFalseValue()}) {
    FailureOr<Value> value = as(b, select, v, layout);
    if (failed(value))
      return failure();
    inputs.push_back(*value);
  }
  auto map = MapOp::create(b, loc, select->getResultTypes(), inputs);
  Block *body = b.createBlock(&map.getBody());
  for (Value v : inputs)
    body->addArgument(tileType(v).getElementType(), loc);
  Value zero = arith::ConstantOp::create(b, loc, b.getFloatAttr(number, 0)),
        holds = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNE,
                                      body->getArgument(0), zero);
  YieldOp::create(
      b, loc,
      ValueRange{arith::SelectOp::create(b, loc, holds, body->getArgument(1),
                                         body->getArgument(2))});
  layouts[map.getResult(0)] = layout;
  select->replaceAllUsesWith(map);
  select->erase();
  return success();
}

LogicalResult LayoutAssignment::rewriteWhere(WhereOp where) {
  for (auto [old, result] :
       llvm::zip(where.getOldMutable(), where.getResults()))
    if (failed(convertOperand(old, layouts.lookup(result))))
      return failure();
  Attribute places = layouts.lookup(where.getResult(0));
  for (int64_t dim = tileType(where.getResult(0)).getRank() - 1,
               rank = where.getCondition().getType().getRank();
       dim >= rank; --dim)
    places = SliceAttr::get(context, dim, cast<LayoutAttrInterface>(places),
                            Partial::None);
  return convertOperand(
      where.getConditionMutable(),
      withPartial(places, getPartial(layouts.lookup(where.getCondition()))));
}

LogicalResult LayoutAssignment::rewriteElementwise(Operation *op) {
  LayoutAttrInterface layout = getLayout(op->getResult(0).getType());
  if (auto select = dyn_cast<arith::SelectOp>(op);
      select && layout && !layout.hasCoordinates() && !layout.isMemory() &&
      tileType(select.getCondition()))
    return rewriteChoice(select);
  // Operands that are partial where the op is closed for them stay so.
  if (getPartial(layout) != Partial::None || takesPartialOperand(op))
    return rewritePartial(op);
  return convertOperands(op, layout);
}

LogicalResult LayoutAssignment::rewrite(Region &region) {
  SmallVector<Operation *> ops;
  region.walk<WalkOrder::PreOrder>([&](Operation *op) { ops.push_back(op); });
  for (Operation *op : ops)
    if (failed(rewriteOp(op)))
      return failure();
  for (Operation *op : llvm::reverse(flexible))
    if (op->use_empty())
      op->erase();
  return success();
}
