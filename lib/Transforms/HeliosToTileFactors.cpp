// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// helios-to-tile: factors that a region need not multiply each element by. A
// constant that a whole tile is multiplied by is left out of it and goes on as
// a factor: through products, through sums whose other terms are cheap to
// divide by it, up to what has to have the value itself or to what the region
// yields, where the caller's own arithmetic may take it along.

#include "HeliosToTileRegion.h"
#include "mlir/IR/Matchers.h"
#include <cmath>
#include <utility>

using namespace mlir;
using namespace helios;
using namespace helios::totile;

/// Factors stay so far from the ends of f32 that values without them have the
/// same range.
static constexpr double kLeastFactor = 0x1p-40, kMostFactor = 0x1p40;

static bool isUsable(double factor) {
  return std::abs(factor) >= kLeastFactor && std::abs(factor) <= kMostFactor;
}

static std::optional<double> constantOf(Value value) {
  FloatAttr attr;
  if (!matchPattern(value, m_Constant(&attr)))
    return std::nullopt;
  return attr.getValueAsDouble();
}

static bool isWhole(const Varying &varying) {
  return varying.rows && varying.columns;
}

Value RegionEmitter::times(Location loc, const Varying &varying,
                           double factor) {
  Value value = varying.value;
  if (factor == 1)
    return value;
  Type type = value.getType();
  TypedAttr attr = builder.getFloatAttr(getElementTypeOrSelf(type), factor);
  if (auto tile = dyn_cast<RankedTensorType>(type))
    attr = DenseElementsAttr::get(tile, Attribute(attr));
  Value constant = arith::ConstantOp::create(builder, loc, attr);
  return builder.createOrFold<arith::MulFOp>(loc, value, constant);
}

/// A term of a sum, divided by a factor: by what varies least in it.
std::optional<Varying> RegionEmitter::divided(Value term, double factor) {
  Varying varying = values[term];
  if (!isWhole(varying)) {
    varying.value = times(term.getLoc(), varying, 1 / factor);
    return varying;
  }
  Operation *op = term.getDefiningOp();
  if (!op || !term.hasOneUse())
    return std::nullopt;
  auto both = [&](std::optional<Varying> lhs, std::optional<Varying> rhs) {
    return lhs && rhs ? std::optional(emitFor(*op, {*lhs, *rhs}))
                      : std::nullopt;
  };
  if (isa<arith::NegFOp>(op)) {
    std::optional<Varying> operand = divided(op->getOperand(0), factor);
    return operand ? std::optional(emitFor(*op, {*operand})) : std::nullopt;
  }
  if (isa<arith::AddFOp, arith::SubFOp>(op))
    return both(divided(op->getOperand(0), factor),
                divided(op->getOperand(1), factor));
  if (!isa<arith::MulFOp>(op))
    return std::nullopt;
  Varying lhs = values[op->getOperand(0)], rhs = values[op->getOperand(1)];
  if (!isWhole(lhs))
    return both(divided(op->getOperand(0), factor), rhs);
  if (!isWhole(rhs))
    return both(lhs, divided(op->getOperand(1), factor));
  return std::nullopt;
}

std::optional<Varying> RegionEmitter::emitProduct(Operation &op) {
  Value lhs = op.getOperand(0), rhs = op.getOperand(1);
  if (isa<arith::MulFOp>(op) && !isWhole(values[lhs]))
    std::swap(lhs, rhs);
  Varying tile = values[lhs], other = values[rhs];
  if (!isWhole(tile))
    return std::nullopt;
  bool divides = isa<arith::DivFOp>(op);
  // A quotient is a product with the reciprocal where it may be.
  if (divides && !bitEnumContainsAll(cast<arith::DivFOp>(op).getFastmath(),
                                     arith::FastMathFlags::arcp))
    return std::nullopt;
  if (std::optional<double> constant = constantOf(rhs)) {
    double factor = divides ? tile.factor / *constant : tile.factor * *constant;
    if (!isUsable(factor))
      return std::nullopt;
    tile.factor = factor;
    return tile;
  }
  if (isWhole(other)) {
    double factor =
        divides ? tile.factor / other.factor : tile.factor * other.factor;
    if (factor == 1 || !isUsable(factor))
      return std::nullopt;
    tile.factor = other.factor = 1;
    Varying product = emitFor(op, {tile, other});
    product.factor = factor;
    return product;
  }
  if (tile.factor == 1)
    return std::nullopt;
  // What varies less takes the factor, before it multiplies the tile.
  double factor = std::exchange(tile.factor, 1);
  other.value = times(op.getLoc(), other, divides ? 1 / factor : factor);
  return emitFor(op, {tile, other});
}

std::optional<Varying> RegionEmitter::emitSum(Operation &op) {
  Varying lhs = values[op.getOperand(0)], rhs = values[op.getOperand(1)];
  double factor = lhs.factor != 1 ? lhs.factor : rhs.factor;
  if (factor == 1)
    return std::nullopt;
  auto without = [&](const Varying &known,
                     Value term) -> std::optional<Varying> {
    if (known.factor == factor)
      return known;
    return known.factor == 1 ? divided(term, factor) : std::nullopt;
  };
  std::optional<Varying> a = without(lhs, op.getOperand(0)),
                         b = without(rhs, op.getOperand(1));
  if (!a || !b)
    return std::nullopt;
  a->factor = b->factor = 1;
  Varying sum = emitFor(op, {*a, *b});
  sum.factor = factor;
  return sum;
}

std::optional<Varying> RegionEmitter::emitWithFactor(Operation &op) {
  if (!defersFactors || op.getNumResults() != 1 ||
      !op.getResult(0).getType().isF32() ||
      llvm::any_of(op.getOperands(), [&](Value operand) {
        return !isUsable(values[operand].factor);
      }))
    return std::nullopt;
  if (isa<arith::MulFOp, arith::DivFOp>(op))
    return emitProduct(op);
  if (isa<arith::AddFOp, arith::SubFOp>(op))
    return emitSum(op);
  Varying operand = values[op.getOperand(0)];
  if (!isa<arith::NegFOp>(op) || operand.factor == 1)
    return std::nullopt;
  operand.factor = -operand.factor;
  return operand;
}
