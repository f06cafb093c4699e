// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "HeliosToTileRegion.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace helios;
using namespace helios::totile;

Type RegionEmitter::typeOf(Type element, bool rows, bool columns) {
  SmallVector<int64_t> dims;
  if (rows)
    dims.push_back(shape[0]);
  if (columns)
    dims.push_back(shape[1]);
  return dims.empty() ? element : Type(RankedTensorType::get(dims, element));
}

void RegionEmitter::mapIndex(Value from, unsigned dim, Value base) {
  if (from.use_empty())
    return;
  bool rows = dim == 0;
  Type type = typeOf(builder.getIndexType(), rows, !rows);
  Value iota = tile::IotaOp::create(builder, from.getLoc(), type,
                                    builder.getI64IntegerAttr(0), base);
  map(from, {iota, rows, !rows});
}

Value RegionEmitter::broadcast(Location loc, Varying varying, bool rows,
                               bool columns) {
  varying.value = times(loc, varying, varying.factor);
  if (varying.rows == rows && varying.columns == columns)
    return varying.value;
  auto type = cast<RankedTensorType>(
      typeOf(getElementTypeOrSelf(varying.value.getType()), rows, columns));
  Attribute constant;
  if (matchPattern(varying.value, m_Constant(&constant)) &&
      isa<IntegerAttr, FloatAttr>(constant))
    return arith::ConstantOp::create(builder, loc,
                                     DenseElementsAttr::get(type, constant));
  SmallVector<int64_t> dims;
  if (rows && !varying.rows)
    dims.push_back(0);
  if (columns && !varying.columns)
    dims.push_back(type.getRank() - 1);
  return tile::ExpandOp::create(builder, loc, type, varying.value,
                                builder.getDenseI64ArrayAttr(dims));
}

/// The signed comparison that says the same of numbers that are not negative.
static arith::CmpIPredicate signedFor(arith::CmpIPredicate predicate) {
  using Predicate = arith::CmpIPredicate;
  switch (predicate) {
  case Predicate::ult:
    return Predicate::slt;
  case Predicate::ule:
    return Predicate::sle;
  case Predicate::ugt:
    return Predicate::sgt;
  case Predicate::uge:
    return Predicate::sge;
  default:
    return predicate;
  }
}

Varying RegionEmitter::emitFor(Operation &op, ArrayRef<Varying> operands) {
  Varying result;
  for (const Varying &operand : operands) {
    result.rows |= operand.rows;
    result.columns |= operand.columns;
  }
  SmallVector<Value> whole;
  for (const Varying &operand : operands)
    whole.push_back(
        broadcast(op.getLoc(), operand, result.rows, result.columns));
  Operation *clone = builder.clone(op);
  clone->setOperands(whole);
  if (auto compare = dyn_cast<arith::CmpIOp>(clone);
      compare && isNatural && llvm::all_of(op.getOperands(), isNatural))
    compare.setPredicate(signedFor(compare.getPredicate()));
  for (Value to : clone->getResults())
    to.setType(typeOf(to.getType(), result.rows, result.columns));
  result.value = clone->getResult(0);
  return result;
}

void RegionEmitter::emit(Operation &op) {
  if (std::optional<Varying> result = emitWithFactor(op)) {
    values[op.getResult(0)] = *result;
    return;
  }
  Varying result =
      emitFor(op, llvm::map_to_vector(op.getOperands(), [&](Value operand) {
                return values[operand];
              }));
  for (auto [from, to] :
       llvm::zip(op.getResults(), result.value.getDefiningOp()->getResults()))
    values[from] = {to, result.rows, result.columns};
}

FailureOr<SmallVector<Varying>>
RegionEmitter::emit(Block &block,
                    function_ref<FailureOr<Value>(Value)> scalar) {
  for (Operation &inner : block) {
    for (Value operand : inner.getOperands()) {
      if (operand.getParentBlock() == &block || values.contains(operand))
        continue;
      FailureOr<Value> value = scalar(operand);
      if (failed(value))
        return failure();
      values[operand] = {*value, false, false};
    }
    if (&inner != block.getTerminator())
      emit(inner);
  }
  SmallVector<Varying> yielded;
  for (Value value : cast<YieldOp>(block.getTerminator()).getValues())
    yielded.push_back(values[value]);
  return yielded;
}
