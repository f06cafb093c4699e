// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// tile-prove-bounds: accesses that cannot leave their view say so.

#include "helios/Dialect/Tile/Utils/Facts.h"
#include "helios/Dialect/Tile/Utils/Select.h"
#include "helios/Transforms/Passes.h"

namespace helios {
#define GEN_PASS_DEF_TILEPROVEBOUNDS
#include "helios/Transforms/Passes.h.inc"
} // namespace helios

using namespace mlir;
using namespace helios;
using namespace helios::tile;

namespace {

/// offset = counter * factor + constant.
struct Affine {
  Value counter;
  int64_t factor = 1, constant = 0;
};

Affine decompose(Value offset) {
  APInt c;
  if (matchPattern(offset, m_ConstantInt(&c)))
    return {Value(), 0, c.getSExtValue()};
  if (auto add = offset.getDefiningOp<arith::AddIOp>()) {
    Affine a = decompose(add.getLhs()), b = decompose(add.getRhs());
    if (!a.counter)
      std::swap(a, b);
    if (!b.counter)
      return {a.counter, a.factor, a.constant + b.constant};
  }
  if (auto sub = offset.getDefiningOp<arith::SubIOp>();
      sub && matchPattern(sub.getRhs(), m_ConstantInt(&c))) {
    Affine a = decompose(sub.getLhs());
    return {a.counter, a.factor, a.constant - c.getSExtValue()};
  }
  if (auto mul = offset.getDefiningOp<arith::MulIOp>()) {
    Affine a = decompose(mul.getLhs()), b = decompose(mul.getRhs());
    if (!a.counter)
      std::swap(a, b);
    if (!b.counter)
      return {a.counter, a.factor * b.constant, a.constant * b.constant};
  }
  return {offset, 1, 0};
}

/// A value, rounded up to a multiple of `unit`.
struct UpperBound {
  Value value;
  int64_t unit = 1;
};
UpperBound upperBound(Value counter);

/// The bound of first + step, where what is left behind `first` bounds the
/// steps: step < min(.., bound - first).
UpperBound upperBoundOfSum(Value first, Value step) {
  auto [bound, unit] = upperBound(step);
  if (!bound || unit != 1 || knownRange(first).low < 0)
    return {};
  SmallVector<Value> limits{bound};
  if (auto min = bound.getDefiningOp(); isa_and_nonnull<arith::MinSIOp>(min))
    limits.assign(min->operand_begin(), min->operand_end());
  for (Value limit : limits)
    if (auto left = limit.getDefiningOp<arith::SubIOp>();
        left && left.getRhs() == first)
      return {left.getLhs()};
  return {};
}

/// The exclusive upper bound of a counter that starts at 0 or above and grows
/// by one, of the sum of two, or of one that shrinks to 0 or above. Null if
/// unknown.
UpperBound upperBound(Value counter) {
  if (Value end = endOfCountdown(counter))
    return {end};
  if (auto add = counter.getDefiningOp<arith::AddIOp>()) {
    UpperBound bound = upperBoundOfSum(add.getLhs(), add.getRhs());
    return bound.value ? bound : upperBoundOfSum(add.getRhs(), add.getLhs());
  }
  if (auto item = counter.getDefiningOp<ItemAtOp>()) {
    unsigned dim = cast<OpResult>(counter).getResultNumber();
    return {item.getBounds()[dim], item.getOrder().getClusterAlong(dim)};
  }
  if (auto rem = counter.getDefiningOp<arith::RemUIOp>();
      rem && knownRange(rem.getRhs()).low > 0)
    return {rem.getRhs()};
  auto arg = dyn_cast<BlockArgument>(counter);
  if (!arg)
    return {};
  Operation *parent = arg.getOwner()->getParentOp();
  if (auto items = dyn_cast<ItemsOp>(parent))
    return {items.getBounds()[arg.getArgNumber()],
            items.getOrder().getClusterAlong(arg.getArgNumber())};
  if (auto loop = dyn_cast<scf::ForOp>(parent);
      loop && arg == loop.getInductionVar() &&
      knownRange(loop.getLowerBound()).low >= 0 &&
      matchPattern(loop.getStep(), m_One()))
    return {loop.getUpperBound()};
  return {};
}

/// A sum without what keeps it from being negative.
Value withoutFloor(Value value) {
  auto max = value.getDefiningOp<arith::MaxSIOp>();
  return max && matchPattern(max.getRhs(), m_Zero()) ? max.getLhs() : value;
}

/// Proves floor(x / factor) * factor <= size, of two that are the same multiple
/// of the factor but for constants.
bool coversShifted(Value x, int64_t factor, Value size) {
  Affine a = decompose(withoutFloor(x)), b = decompose(withoutFloor(size));
  return a.counter && a.counter == b.counter && a.factor == b.factor &&
         knownRange(a.counter).low >= 0 && a.factor > 0 && a.constant >= 0 &&
         a.factor % factor == 0 && a.constant / factor * factor <= b.constant;
}

/// Proves bound * factor <= size, where the bound is rounded up to a multiple
/// of `unit` first: the bound is the size over the factor, and the factor times
/// the unit divides the size.
bool covers(Value bound, int64_t unit, int64_t factor, OpFoldResult size) {
  // The least of several sizes is covered where each is, and so is a size by
  // the most of several bounds.
  auto ofSize = dyn_cast<Value>(size);
  if (auto min =
          ofSize ? ofSize.getDefiningOp<arith::MinSIOp>() : arith::MinSIOp())
    return llvm::all_of(min->getOperands(), [&](Value limit) {
      return covers(bound, unit, factor, OpFoldResult(limit));
    });
  if (auto max = bound.getDefiningOp<arith::MaxSIOp>())
    return llvm::all_of(max->getOperands(), [&](Value limit) {
      return covers(limit, unit, factor, size);
    });
  // The least of several is at most each of them.
  if (auto min = bound.getDefiningOp(); isa_and_nonnull<arith::MinSIOp>(min))
    return llvm::any_of(min->getOperands(), [&](Value limit) {
      return covers(limit, unit, factor, size);
    });
  APInt constantBound;
  if (auto attr = dyn_cast<Attribute>(size))
    return matchPattern(bound, m_ConstantInt(&constantBound)) &&
           int64_t(llvm::alignTo(constantBound.getSExtValue(), unit)) *
                   factor <=
               cast<IntegerAttr>(attr).getInt();
  Value extentValue = cast<Value>(size);
  if (matchPattern(bound, m_ConstantInt(&constantBound)))
    return int64_t(llvm::alignTo(constantBound.getSExtValue(), unit)) *
               factor <=
           knownRange(extentValue).low;
  // What divides evenly is as long as its parts together.
  APInt parts;
  if (auto div = extentValue.getDefiningOp<arith::DivUIOp>();
      div && matchPattern(div.getRhs(), m_ConstantInt(&parts)) &&
      knownDivisor(div.getLhs()) % parts.getSExtValue() == 0 &&
      covers(bound, unit, factor * parts.getSExtValue(),
             OpFoldResult(div.getLhs())))
    return true;
  if (bound == extentValue && factor == 1 &&
      knownDivisor(extentValue) % unit == 0)
    return true;
  auto div = bound.getDefiningOp();
  APInt divisor;
  if (unit == 1 && isa_and_nonnull<arith::DivUIOp>(div) &&
      matchPattern(div->getOperand(1), m_ConstantInt(&divisor)) &&
      divisor.getSExtValue() == factor &&
      coversShifted(div->getOperand(0), factor, extentValue))
    return true;
  if (!div ||
      !isa<arith::CeilDivUIOp, arith::CeilDivSIOp, arith::DivUIOp,
           arith::DivSIOp>(div) ||
      div->getOperand(0) != extentValue)
    return false;
  return matchPattern(div->getOperand(1), m_ConstantInt(&divisor)) &&
         divisor.getSExtValue() == factor &&
         ((unit == 1 && isa<arith::DivUIOp, arith::DivSIOp>(div)) ||
          knownDivisor(extentValue) % (factor * unit) == 0);
}

/// Proves 0 <= offset and offset + extent <= size.
bool fits(Value offset, int64_t extent, OpFoldResult size) {
  if (auto min = offset.getDefiningOp(); isa_and_nonnull<arith::MinSIOp>(min))
    return llvm::all_of(min->getOperands(),
                        [](Value v) { return knownRange(v).low >= 0; }) &&
           llvm::any_of(min->getOperands(),
                        [&](Value limit) { return fits(limit, extent, size); });
  Affine at = decompose(offset);
  int64_t reach = at.constant + extent;
  if (at.counter && at.factor == 1 && reach <= 0 &&
      OpFoldResult(at.counter) == size)
    return knownRange(offset).low >= 0;
  if (at.constant < 0)
    return false;
  if (!at.counter) {
    if (auto attr = dyn_cast<Attribute>(size))
      return reach <= cast<IntegerAttr>(attr).getInt();
    return reach <= knownRange(cast<Value>(size)).low;
  }
  if (at.factor < 1 || reach > at.factor)
    return false;
  // counter <= bound - 1, so offset + extent <= bound * factor.
  auto [bound, unit] = upperBound(at.counter);
  return bound && covers(bound, unit, at.factor, size);
}

/// The dimensions of the view along which a tile lies inside of it.
SmallVector<int64_t> insideOf(Value viewed, OperandRange offsets,
                              RankedTensorType tile) {
  SmallVector<int64_t> inside;
  auto view = viewed.getDefiningOp<ViewOp>();
  int64_t lead = offsets.size() - tile.getRank();
  for (auto [d, offset] : llvm::enumerate(offsets))
    if (view && fits(offset, int64_t(d) < lead ? 1 : tile.getDimSize(d - lead),
                     view.getMixedSize(d)))
      inside.push_back(d);
  return inside;
}

struct ProveBounds : helios::impl::TileProveBoundsBase<ProveBounds> {
  void runOnOperation() override {
    getOperation().walk([](Operation *op) {
      if (auto load = dyn_cast<LoadOp>(op)) {
        SmallVector<int64_t> inside =
            insideOf(load.getView(), load.getOffsets(), load.getType());
        if (inside.size() == load.getOffsets().size())
          load.setInBounds(true);
        // Copies ask for each dimension whether they have to look; lanes look
        // at all. Dimensions that the tile lacks are looked at once.
        else if (isInMemory(load.getType())) {
          int64_t lead = load.getOffsets().size() - load.getType().getRank();
          llvm::erase_if(inside, [&](int64_t d) { return d < lead; });
          if (!inside.empty())
            load.setInside(inside);
        }
      } else if (auto store = dyn_cast<StoreOp>(op)) {
        if (insideOf(store.getView(), store.getOffsets(),
                     store.getTile().getType())
                .size() == store.getOffsets().size())
          store.setInBounds(true);
      }
    });
  }
};

} // namespace
