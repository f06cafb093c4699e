// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "HeliosToTileQueryRuns.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace helios;
using namespace helios::totile;

QueryRuns::QueryRuns(AttentionOp op, MaskAnalysis &analysis,
                     AlongFn alongQueries, AlongFn alongKeys)
    : op(op), analysis(analysis) {
  Block &block = op.getMask().front();
  unsigned fused = op.getFused().size();
  for (unsigned i = 0; i < fused; ++i)
    dependences[block.getArgument(i)] = {alongQueries(i), alongKeys(i)};
  for (unsigned i = 0; i < 2; ++i) {
    dependences[block.getArgument(fused + i)] = {};
    dependences[block.getArgument(fused + 2 + i)] = {i == 0, i == 1};
  }
  mask = cast<YieldOp>(block.getTerminator()).getValue();
  known = collectCondition(mask);
}

QueryRuns::Dependence QueryRuns::dependence(Value value) {
  if (value.getParentRegion() != &op.getMask())
    return {};
  if (auto found = dependences.find(value); found != dependences.end())
    return found->second;
  Dependence result;
  for (Value operand : value.getDefiningOp()->getOperands()) {
    Dependence of = dependence(operand);
    result.query |= of.query;
    result.key |= of.key;
  }
  return dependences[value] = result;
}

int QueryRuns::direction(Value value) {
  using Predicate = arith::CmpIPredicate;
  auto compare = value.getDefiningOp<arith::CmpIOp>();
  if (!compare)
    return 0;
  std::optional<int64_t> left = analysis.queryFactor(compare.getLhs()),
                         right = analysis.queryFactor(compare.getRhs());
  if (!left || !right)
    return 0;
  int64_t grows = *right - *left;
  int sign = (grows > 0) - (grows < 0);
  switch (compare.getPredicate()) {
  case Predicate::ult:
  case Predicate::ule:
  case Predicate::ugt:
  case Predicate::uge:
    if (!analysis.isNotNegative(compare.getLhs()) ||
        !analysis.isNotNegative(compare.getRhs()))
      return 0;
    break;
  default:
    break;
  }
  switch (compare.getPredicate()) {
  case Predicate::slt:
  case Predicate::sle:
  case Predicate::ult:
  case Predicate::ule:
    return sign;
  case Predicate::sgt:
  case Predicate::sge:
  case Predicate::ugt:
  case Predicate::uge:
    return -sign;
  case Predicate::eq:
  case Predicate::ne:
    return 0;
  }
  llvm_unreachable("unknown predicate");
}

std::optional<QueryRuns::Window> QueryRuns::window(Value value) {
  using Predicate = arith::CmpIPredicate;
  auto compare = value.getDefiningOp<arith::CmpIOp>();
  if (!compare)
    return std::nullopt;
  Value lhs = compare.getLhs(), rhs = compare.getRhs();
  Predicate predicate = compare.getPredicate();
  if (predicate == Predicate::ugt || predicate == Predicate::uge) {
    std::swap(lhs, rhs);
    predicate = predicate == Predicate::ugt ? Predicate::ult : Predicate::ule;
  }
  std::optional<int64_t> left = analysis.queryFactor(lhs),
                         right = analysis.queryFactor(rhs);
  if ((predicate != Predicate::ult && predicate != Predicate::ule) || !left ||
      !right || !analysis.isNotNegative(rhs))
    return std::nullopt;
  return Window{lhs, rhs,
                predicate == Predicate::ult ? Predicate::slt : Predicate::sle,
                *left, *right - *left};
}

/// A condition that is negated, if the value is that.
static Value negatedBy(Value value) {
  auto exclusive = value.getDefiningOp<arith::XOrIOp>();
  return exclusive && value.getType().isInteger(1) &&
                 matchPattern(exclusive.getRhs(), m_One())
             ? exclusive.getLhs()
             : Value();
}

/// Whether a value is a conjunction or a disjunction of conditions.
static bool joinsConditions(Value value) {
  return value.getType().isInteger(1) &&
         isa_and_nonnull<arith::AndIOp, arith::OrIOp>(value.getDefiningOp());
}

bool QueryRuns::collectCondition(Value value) {
  if (direction(value) || window(value))
    return true;
  if (Value condition = negatedBy(value))
    return collectCondition(condition);
  if (!joinsConditions(value))
    return collect(value);
  return llvm::all_of(value.getDefiningOp()->getOperands(),
                      [&](Value v) { return collectCondition(v); });
}

bool QueryRuns::collect(Value value) {
  Dependence of = dependence(value);
  if (!of.query)
    return true;
  if (!of.key) {
    // A place is another one for each query.
    if (analysis.queryFactor(value) || !value.getType().isIntOrIndex())
      return false;
    terms.insert(value);
    return true;
  }
  // So is an element that belongs to both.
  Operation *definition = value.getDefiningOp();
  return definition && llvm::all_of(definition->getOperands(),
                                    [&](Value v) { return collect(v); });
}

QueryRuns::Seen QueryRuns::combine(OpBuilder &builder, RegionEmitter &first,
                                   RegionEmitter &last, Value value) {
  Location loc = value.getLoc();
  auto at = [&](RegionEmitter &query, Value of) {
    return query.broadcast(loc, query.get(of), /*rows=*/false,
                           /*columns=*/true);
  };
  auto ordered = [&](int64_t grows, Value ofFirst, Value ofLast) {
    return grows > 0 ? Seen{ofLast, ofFirst} : Seen{ofFirst, ofLast};
  };
  auto both = [&](const Seen &a, const Seen &b) {
    return Seen{arith::AndIOp::create(builder, loc, a.some, b.some),
                arith::AndIOp::create(builder, loc, a.all, b.all)};
  };
  if (int found = direction(value))
    return ordered(found, at(first, value), at(last, value));
  if (std::optional<Window> found = window(value)) {
    using Predicate = arith::CmpIPredicate;
    auto compare = [&](Predicate predicate, Value lhs, Value rhs) -> Value {
      return arith::CmpIOp::create(builder, loc, predicate, lhs, rhs);
    };
    auto isIn = [&](RegionEmitter &query) {
      Value lhs = at(query, found->lhs);
      Value zero = arith::ConstantOp::create(
          builder, loc, builder.getZeroAttr(lhs.getType()));
      return std::pair(compare(Predicate::sge, lhs, zero),
                       compare(found->predicate, lhs, at(query, found->rhs)));
    };
    auto [beginFirst, endFirst] = isIn(first);
    auto [beginLast, endLast] = isIn(last);
    return both(ordered(found->grows, beginFirst, beginLast),
                ordered(found->shrinks, endFirst, endLast));
  }
  if (Value condition = negatedBy(value)) {
    Seen seen = combine(builder, first, last, condition);
    auto type = cast<ShapedType>(seen.some.getType());
    Value yes = arith::ConstantOp::create(builder, loc,
                                          DenseElementsAttr::get(type, true));
    auto negate = [&](Value of) {
      return arith::XOrIOp::create(builder, loc, of, yes);
    };
    return {negate(seen.all), negate(seen.some)};
  }
  if (!joinsConditions(value)) {
    Value same = at(first, value);
    return {same, same};
  }
  Operation *definition = value.getDefiningOp();
  Seen lhs = combine(builder, first, last, definition->getOperand(0)),
       rhs = combine(builder, first, last, definition->getOperand(1));
  if (isa<arith::AndIOp>(definition))
    return both(lhs, rhs);
  return {arith::OrIOp::create(builder, loc, lhs.some, rhs.some),
          arith::OrIOp::create(builder, loc, lhs.all, rhs.all)};
}
