// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// helios-to-tile: a scalar region becomes arithmetic on tiles. A value that
// varies along one dimension of the tile alone stays a vector, one that does
// not vary a scalar, until an operation needs the whole tile.

#include "HeliosToTile.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace helios;
using namespace helios::totile;

namespace {

/// A value and the tile dimensions along which it varies.
struct Varying {
  Value value;
  bool rows = false, columns = false;
};

class EpilogueEmitter {
public:
  EpilogueEmitter(OpBuilder &builder, ArrayRef<int64_t> shape)
      : builder(builder), shape(shape) {}

  DenseMap<Value, Varying> values;

  Type typeOf(Type element, bool rows, bool columns) {
    if (!rows && !columns)
      return element;
    SmallVector<int64_t> dims;
    if (rows)
      dims.push_back(shape[0]);
    if (columns)
      dims.push_back(shape[1]);
    return RankedTensorType::get(dims, element);
  }

  /// `varying` along at least the given dimensions.
  Value broadcast(Location loc, Varying varying, bool rows, bool columns) {
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

  void emit(Operation &op) {
    bool rows = false, columns = false;
    for (Value operand : op.getOperands()) {
      rows |= values[operand].rows;
      columns |= values[operand].columns;
    }
    IRMapping mapping;
    for (Value operand : op.getOperands())
      mapping.map(operand,
                  broadcast(op.getLoc(), values[operand], rows, columns));
    Operation *clone = builder.clone(op, mapping);
    for (auto [from, to] : llvm::zip(op.getResults(), clone->getResults())) {
      to.setType(typeOf(from.getType(), rows, columns));
      values[from] = {to, rows, columns};
    }
  }

private:
  OpBuilder &builder;
  ArrayRef<int64_t> shape;
};

} // namespace

FailureOr<Value>
totile::emitEpilogue(OpBuilder &builder, const Product &product, Value acc,
                     function_ref<Value(unsigned)> load,
                     function_ref<FailureOr<Value>(Value)> scalar,
                     ArrayRef<Value> base) {
  MatmulOp op = product.op;
  Location loc = op.getLoc();
  int64_t shape[] = {product.tile[product.m()], product.tile[product.n()]};
  EpilogueEmitter emitter(builder, shape);
  Block &block = op.getEpilogue().front();
  emitter.values[block.getArgument(0)] = {acc, true, true};
  unsigned first = product.firstFused();
  for (auto [i, access] : llvm::enumerate(
           ArrayRef(product.accesses).drop_front(first).drop_back())) {
    BlockArgument argument = block.getArgument(1 + i);
    if (argument.use_empty())
      continue;
    bool rows = llvm::is_contained(access.axes, product.m()),
         columns = llvm::is_contained(access.axes, product.n());
    // An operand without a spatial dimension is read as a row of equal
    // elements.
    emitter.values[argument] = {load(first + i), rows, columns || !rows};
  }
  for (auto [i, argument] : llvm::enumerate(
           block.getArguments().drop_front(1 + op.getFused().size()))) {
    bool rows = int64_t(i) == product.m(), columns = int64_t(i) == product.n();
    if (!rows && !columns) {
      emitter.values[argument] = {base[i], false, false};
      continue;
    }
    if (!argument.use_empty())
      emitter.values[argument] = {
          tile::IotaOp::create(
              builder, loc,
              emitter.typeOf(builder.getIndexType(), rows, columns),
              builder.getI64IntegerAttr(0), base[i]),
          rows, columns};
  }
  for (Operation &inner : block) {
    for (Value operand : inner.getOperands()) {
      if (operand.getParentBlock() == &block ||
          emitter.values.contains(operand))
        continue;
      FailureOr<Value> value = scalar(operand);
      if (failed(value))
        return failure();
      emitter.values[operand] = {*value, false, false};
    }
    if (&inner != block.getTerminator())
      emitter.emit(inner);
  }
  Varying stored =
      emitter.values[cast<YieldOp>(block.getTerminator()).getValue()];
  return emitter.broadcast(loc, stored, true, true);
}
