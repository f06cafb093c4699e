// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Facts on index values.

#include "helios/Dialect/Tile/Utils/Facts.h"
#include "helios/Dialect/Tile/IR/Tile.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace mlir;
using namespace helios::tile;

/// What a role knows under another name, as it is known outside.
static Value seenThroughRoles(Value value) {
  while (auto arg = dyn_cast<BlockArgument>(value)) {
    auto roles = dyn_cast_or_null<RolesOp>(arg.getOwner()->getParentOp());
    if (!roles)
      break;
    value = roles.getCaptures()[arg.getArgNumber()];
  }
  return value;
}

/// The attribute of a function argument, or null.
static Attribute argumentFact(Value value, StringRef name) {
  auto arg = dyn_cast<BlockArgument>(value);
  auto function =
      arg ? dyn_cast_or_null<FunctionOpInterface>(arg.getOwner()->getParentOp())
          : FunctionOpInterface();
  return function ? function.getArgAttr(arg.getArgNumber(), name) : Attribute();
}

namespace {
/// What is taken for granted of loop-carried values while their own divisor is
/// being found.
using Assumed = llvm::SmallDenseMap<Value, int64_t>;
} // namespace

static int64_t divisorOf(Value value, Assumed &assumed);

/// Divisor of a value that a loop carries: of its first value and, supposing
/// it, of the next one.
static int64_t carriedDivisor(scf::ForOp loop, unsigned index,
                              Assumed &assumed) {
  Value arg = loop.getRegionIterArgs()[index],
        next = loop.getYieldedValues()[index];
  int64_t divisor = divisorOf(loop.getInitArgs()[index], assumed);
  while (divisor != 1) {
    assumed[arg] = divisor;
    int64_t refined = std::gcd(divisor, divisorOf(next, assumed));
    if (refined == divisor)
      break;
    divisor = refined;
  }
  assumed.erase(arg);
  return divisor;
}

static int64_t divisorOf(Value value, Assumed &assumed) {
  value = seenThroughRoles(value);
  if (auto it = assumed.find(value); it != assumed.end())
    return it->second;
  if (auto div = dyn_cast_or_null<IntegerAttr>(
          argumentFact(value, TileDialect::kDivAttr)))
    return div.getInt();
  auto knownDivisor = [&](Value operand) {
    return divisorOf(operand, assumed);
  };
  if (auto arg = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast_or_null<scf::ForOp>(arg.getOwner()->getParentOp());
    if (!loop)
      return 1;
    if (value == loop.getInductionVar())
      return std::gcd(knownDivisor(loop.getLowerBound()),
                      knownDivisor(loop.getStep()));
    return carriedDivisor(loop, arg.getArgNumber() - loop.getNumInductionVars(),
                          assumed);
  }
  Operation *op = value.getDefiningOp();
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return carriedDivisor(loop, cast<OpResult>(value).getResultNumber(),
                          assumed);
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return std::abs(constant.getSExtValue());
  if (auto mul = dyn_cast<arith::MulIOp>(op)) {
    int64_t product;
    int64_t a = knownDivisor(mul.getLhs()), b = knownDivisor(mul.getRhs());
    return llvm::MulOverflow(a, b, product) ? std::max(a, b) : product;
  }
  if (auto div = dyn_cast<arith::DivUIOp>(op)) {
    int64_t whole = knownDivisor(div.getLhs());
    return matchPattern(div.getRhs(), m_ConstantInt(&constant)) &&
                   constant.isStrictlyPositive() &&
                   whole % constant.getSExtValue() == 0
               ? std::max<int64_t>(1, whole / constant.getSExtValue())
               : 1;
  }
  if (isa<arith::AddIOp, arith::SubIOp, arith::RemUIOp, arith::RemSIOp,
          arith::MinUIOp, arith::MinSIOp, arith::MaxUIOp, arith::MaxSIOp>(op))
    return std::gcd(knownDivisor(op->getOperand(0)),
                    knownDivisor(op->getOperand(1)));
  if (auto select = dyn_cast<arith::SelectOp>(op))
    return std::gcd(knownDivisor(select.getTrueValue()),
                    knownDivisor(select.getFalseValue()));
  if (isa<arith::IndexCastOp, arith::IndexCastUIOp>(op))
    return knownDivisor(op->getOperand(0));
  return 1;
}

int64_t helios::tile::knownDivisor(Value value) {
  Assumed assumed;
  return divisorOf(value, assumed);
}

int64_t helios::tile::knownDivisor(OpFoldResult value) {
  if (auto attr = dyn_cast<Attribute>(value))
    return std::abs(cast<IntegerAttr>(attr).getInt());
  return knownDivisor(cast<Value>(value));
}

static int64_t saturatingMul(int64_t a, int64_t b) {
  int64_t product;
  if (!llvm::MulOverflow(a, b, product))
    return product;
  return (a < 0) == (b < 0) ? std::numeric_limits<int64_t>::max()
                            : std::numeric_limits<int64_t>::min();
}
static int64_t saturatingAdd(int64_t a, int64_t b) {
  int64_t sum;
  if (!llvm::AddOverflow(a, b, sum))
    return sum;
  return a > 0 ? std::numeric_limits<int64_t>::max()
               : std::numeric_limits<int64_t>::min();
}

/// The value and the constant of a sum or difference with one.
static std::optional<std::pair<Value, int64_t>> shiftedBy(Value value) {
  Operation *op = value.getDefiningOp();
  APInt constant;
  if (!op || !isa<arith::AddIOp, arith::SubIOp>(op) ||
      !matchPattern(op->getOperand(1), m_ConstantInt(&constant)))
    return std::nullopt;
  int64_t by = constant.getSExtValue();
  return std::pair(op->getOperand(0), isa<arith::SubIOp>(op) ? -by : by);
}

/// Whether a value is at most another, or what that exceeds some number by.
static bool isAtMost(Value value, Value end) {
  if (value == end)
    return true;
  Operation *op = value.getDefiningOp();
  if (isa_and_nonnull<arith::MinSIOp>(op))
    return isAtMost(op->getOperand(0), end) || isAtMost(op->getOperand(1), end);
  return isa_and_nonnull<arith::SubIOp>(op) && op->getOperand(0) == end &&
         knownRange(op->getOperand(1)).low >= 0;
}

Value helios::tile::endOfCountdown(Value value) {
  auto difference = value.getDefiningOp<arith::SubIOp>();
  if (!difference)
    return Value();
  auto counter = dyn_cast<BlockArgument>(difference.getRhs());
  auto loop =
      counter ? dyn_cast_or_null<scf::ForOp>(counter.getOwner()->getParentOp())
              : scf::ForOp();
  auto last = shiftedBy(seenThroughRoles(difference.getLhs()));
  if (!loop || counter != loop.getInductionVar() || !last ||
      last->second != -1 || knownRange(loop.getLowerBound()).low < 0 ||
      !isAtMost(seenThroughRoles(loop.getUpperBound()), last->first))
    return Value();
  return last->first;
}

IndexRange helios::tile::knownRange(Value value) {
  IndexRange unknown;
  value = seenThroughRoles(value);
  if (auto range = dyn_cast_or_null<DenseI64ArrayAttr>(
          argumentFact(value, TileDialect::kRangeAttr)))
    return {range[0], range[1]};
  Operation *op = value.getDefiningOp();
  if (auto arg = dyn_cast<BlockArgument>(value);
      arg && isa_and_nonnull<ItemsOp>(arg.getOwner()->getParentOp())) {
    Value bound = cast<ItemsOp>(arg.getOwner()->getParentOp())
                      .getBounds()[arg.getArgNumber()];
    return {0, saturatingAdd(knownRange(bound).high, -1)};
  }
  if (auto item = dyn_cast_or_null<ItemAtOp>(op))
    return {0,
            saturatingAdd(
                knownRange(
                    item.getBounds()[cast<OpResult>(value).getResultNumber()])
                    .high,
                -1)};
  // A loop counts up from its lower bound.
  if (auto arg = dyn_cast<BlockArgument>(value))
    if (auto loop = dyn_cast_or_null<scf::ForOp>(arg.getOwner()->getParentOp());
        loop && arg == loop.getInductionVar())
      return {knownRange(loop.getLowerBound()).low,
              saturatingAdd(knownRange(loop.getUpperBound()).high, -1)};
  if (!op)
    return unknown;
  if (isa<IdOp, RankOp>(op))
    return {0, unknown.high};
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return {constant.getSExtValue(), constant.getSExtValue()};
  if (isa<arith::AddIOp>(op)) {
    IndexRange a = knownRange(op->getOperand(0)),
               b = knownRange(op->getOperand(1));
    return {saturatingAdd(a.low, b.low), saturatingAdd(a.high, b.high)};
  }
  if (auto difference = dyn_cast<arith::SubIOp>(op)) {
    IndexRange a = knownRange(difference.getLhs()),
               b = knownRange(difference.getRhs());
    auto negated = [&](int64_t x) {
      return x == unknown.low ? unknown.high : -x;
    };
    // A remainder leaves some of its divisor.
    auto rest = difference.getRhs().getDefiningOp<arith::RemUIOp>();
    bool isLess = rest && rest.getRhs() == difference.getLhs() && a.low >= 0;
    int64_t least = isLess ? 1 : endOfCountdown(value) ? 0 : unknown.low;
    return {std::max(saturatingAdd(a.low, negated(b.high)), least),
            saturatingAdd(a.high, negated(b.low))};
  }
  if (isa<arith::MulIOp, arith::CeilDivUIOp, arith::CeilDivSIOp, arith::DivUIOp,
          arith::DivSIOp>(op)) {
    IndexRange a = knownRange(op->getOperand(0)),
               b = knownRange(op->getOperand(1));
    if (a.low < 0 || b.low < 0)
      return unknown;
    if (isa<arith::MulIOp>(op))
      return {saturatingMul(a.low, b.low), saturatingMul(a.high, b.high)};
    if (b.low < 1)
      return {0, a.high};
    if (isa<arith::CeilDivUIOp, arith::CeilDivSIOp>(op))
      return {int64_t(llvm::divideCeil(a.low, b.high)),
              int64_t(llvm::divideCeil(a.high, b.low))};
    return {a.low / b.high, a.high / b.low};
  }
  if (isa<arith::RemUIOp>(op)) {
    IndexRange a = knownRange(op->getOperand(0)),
               b = knownRange(op->getOperand(1));
    int64_t high = saturatingAdd(b.high, -1);
    return {0, b.low < 1    ? unknown.high
               : a.low >= 0 ? std::min(a.high, high)
                            : high};
  }
  if (isa<arith::MinUIOp, arith::MinSIOp, arith::MaxUIOp, arith::MaxSIOp>(op)) {
    IndexRange a = knownRange(op->getOperand(0)),
               b = knownRange(op->getOperand(1));
    if (isa<arith::MinUIOp, arith::MinSIOp>(op))
      return {std::min(a.low, b.low), std::min(a.high, b.high)};
    return {std::max(a.low, b.low), std::max(a.high, b.high)};
  }
  return unknown;
}

bool helios::tile::isKnownLess(Value a, Value b) {
  if (knownRange(a).high < knownRange(b).low)
    return true;
  auto isMin = [](Operation *op) {
    return isa_and_nonnull<arith::MinUIOp, arith::MinSIOp>(op);
  };
  auto isMax = [](Operation *op) {
    return isa_and_nonnull<arith::MaxUIOp, arith::MaxSIOp>(op);
  };
  Operation *low = a.getDefiningOp(), *high = b.getDefiningOp();
  // Less than both of which one is the minimum, more than both of which one is
  // the maximum.
  if (isMin(high))
    return isKnownLess(a, high->getOperand(0)) &&
           isKnownLess(a, high->getOperand(1));
  if (isMax(low))
    return isKnownLess(low->getOperand(0), b) &&
           isKnownLess(low->getOperand(1), b);
  if (isMax(high) && (isKnownLess(a, high->getOperand(0)) ||
                      isKnownLess(a, high->getOperand(1))))
    return true;
  if (isMin(low) && (isKnownLess(low->getOperand(0), b) ||
                     isKnownLess(low->getOperand(1), b)))
    return true;
  auto x = shiftedBy(a), y = shiftedBy(b);
  Value from = x ? x->first : a, to = y ? y->first : b;
  return from == to && (x ? x->second : 0) < (y ? y->second : 0);
}
