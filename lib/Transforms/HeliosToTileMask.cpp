// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "HeliosToTileMask.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace helios;
using namespace helios::totile;
using Predicate = arith::CmpIPredicate;

MaskAnalysis::MaskAnalysis(AttentionOp op, Scope scope) : op(op) {
  mask.kind = Condition::All;
  if (op.getMask().empty())
    return;
  Block &block = op.getMask().front();
  unsigned fused = op.getFused().size();
  query = block.getArgument(fused + 2);
  key = block.getArgument(fused + 3);
  for (auto [i, argument] : llvm::enumerate(block.getArguments()))
    uniform[argument] = (i == fused && scope != Scope::Launch) ||
                        (i == fused + 1 && scope == Scope::Head);
  mask = condition(cast<YieldOp>(block.getTerminator()).getValue(),
                   /*negated=*/false);
}

void MaskAnalysis::Linear::add(const Linear &other, int64_t factor) {
  query += factor * other.query;
  key += factor * other.key;
  constant += factor * other.constant;
  for (auto [coefficient, value] : other.uniform)
    uniform.emplace_back(factor * coefficient, value);
}

/// Whether a value is the same for all pairs of a query and a key.
bool MaskAnalysis::isUniform(Value value) {
  if (value.getParentRegion() != &op.getMask())
    return true;
  auto [known, isNew] = uniform.try_emplace(value, true);
  if (!isNew)
    return known->second;
  bool result = llvm::all_of(value.getDefiningOp()->getOperands(),
                             [&](Value operand) { return isUniform(operand); });
  return uniform[value] = result;
}

bool MaskAnalysis::isNotNegative(Value value) {
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return constant.isNonNegative();
  Operation *definition = value.getDefiningOp();
  if (!definition)
    return value.getParentRegion() == &op.getMask() &&
           value.getType().isIndex();
  if (isa<tensor::DimOp>(definition))
    return true;
  return isa<arith::AddIOp, arith::MulIOp, arith::MinSIOp, arith::MinUIOp,
             arith::DivUIOp, arith::RemUIOp, arith::MaxUIOp,
             arith::IndexCastOp>(definition) &&
         llvm::all_of(definition->getOperands(),
                      [&](Value operand) { return isNotNegative(operand); });
}

std::optional<MaskAnalysis::Linear> MaskAnalysis::linear(Value value) {
  Linear result;
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant))) {
    result.constant = constant.getSExtValue();
    return result;
  }
  if (value == query || value == key) {
    (value == query ? result.query : result.key) = 1;
    return result;
  }
  if (isUniform(value)) {
    result.uniform.emplace_back(1, value);
    return result;
  }
  Operation *definition = value.getDefiningOp();
  if (auto cast = dyn_cast_or_null<arith::IndexCastOp>(definition))
    return linear(cast.getIn());
  if (!isa_and_nonnull<arith::AddIOp, arith::SubIOp, arith::MulIOp>(definition))
    return std::nullopt;
  std::optional<Linear> lhs = linear(definition->getOperand(0)),
                        rhs = linear(definition->getOperand(1));
  if (!lhs || !rhs)
    return std::nullopt;
  if (!isa<arith::MulIOp>(definition)) {
    lhs->add(*rhs, isa<arith::AddIOp>(definition) ? 1 : -1);
    return lhs;
  }
  auto isConstant = [](const Linear &linear) {
    return !linear.query && !linear.key && linear.uniform.empty();
  };
  if (!isConstant(*lhs))
    std::swap(lhs, rhs);
  if (!isConstant(*lhs))
    return std::nullopt;
  result.add(*rhs, lhs->constant);
  return result;
}

MaskAnalysis::Condition MaskAnalysis::compare(Predicate predicate, Value lhs,
                                              Value rhs) {
  Condition result;
  switch (predicate) {
  case Predicate::sge:
  case Predicate::sgt:
  case Predicate::uge:
  case Predicate::ugt: {
    Predicate swapped = predicate == Predicate::sge   ? Predicate::sle
                        : predicate == Predicate::sgt ? Predicate::slt
                        : predicate == Predicate::uge ? Predicate::ule
                                                      : Predicate::ult;
    return compare(swapped, rhs, lhs);
  }
  case Predicate::eq:
    result.kind = Condition::All;
    result.parts = {compare(Predicate::sle, lhs, rhs),
                    compare(Predicate::sle, rhs, lhs)};
    return result;
  case Predicate::ne:
    result.kind = Condition::Any;
    result.parts = {compare(Predicate::slt, lhs, rhs),
                    compare(Predicate::slt, rhs, lhs)};
    return result;
  case Predicate::ule:
  case Predicate::ult: {
    Condition asSigned =
        compare(predicate == Predicate::ule ? Predicate::sle : Predicate::slt,
                lhs, rhs);
    bool left = isNotNegative(lhs), right = isNotNegative(rhs);
    if (left && right)
      return asSigned;
    std::optional<Linear> negative = linear(left ? rhs : lhs);
    if ((!left && !right) || !negative)
      return result;
    // A negative left side is above every right one, a negative right side
    // above every left one.
    Condition sign;
    sign.kind = Condition::NotNegative;
    if (right) {
      sign.linear = *negative;
      result.kind = Condition::All;
    } else {
      sign.linear.add(*negative, -1);
      sign.linear.constant -= 1;
      result.kind = Condition::Any;
    }
    result.parts = {sign, asSigned};
    return result;
  }
  case Predicate::sle:
  case Predicate::slt: {
    std::optional<Linear> left = linear(lhs), right = linear(rhs);
    if (!left || !right)
      return result;
    right->add(*left, -1);
    if (predicate == Predicate::slt)
      right->constant -= 1;
    result.kind = Condition::NotNegative;
    result.linear = std::move(*right);
    return result;
  }
  }
  return result;
}

MaskAnalysis::Condition MaskAnalysis::condition(Value value, bool negated) {
  Condition result;
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant))) {
    // A conjunction of nothing is true, a disjunction of nothing false.
    result.kind =
        constant.isZero() == negated ? Condition::All : Condition::Any;
    return result;
  }
  Operation *definition = value.getDefiningOp();
  if (isa_and_nonnull<arith::AndIOp, arith::OrIOp>(definition)) {
    result.kind = isa<arith::AndIOp>(definition) != negated ? Condition::All
                                                            : Condition::Any;
    for (Value operand : definition->getOperands())
      result.parts.push_back(condition(operand, negated));
    return result;
  }
  if (auto exclusive = dyn_cast_or_null<arith::XOrIOp>(definition))
    for (auto [a, b] : {std::pair(exclusive.getLhs(), exclusive.getRhs()),
                        std::pair(exclusive.getRhs(), exclusive.getLhs())})
      if (matchPattern(b, m_ConstantInt(&constant)))
        return condition(a, negated != !constant.isZero());
  if (auto cmp = dyn_cast_or_null<arith::CmpIOp>(definition);
      cmp && !cmp.getLhs().getType().isInteger(1))
    result = compare(negated ? arith::invertPredicate(cmp.getPredicate())
                             : cmp.getPredicate(),
                     cmp.getLhs(), cmp.getRhs());
  result.value = value;
  result.negated = negated;
  return result;
}

bool MaskAnalysis::grows(const Condition &condition) {
  if (condition.kind == Condition::NotNegative)
    return condition.linear.key < 0 && condition.linear.query > 0;
  return (condition.kind == Condition::All ||
          condition.kind == Condition::Any) &&
         llvm::any_of(condition.parts, grows);
}

bool MaskAnalysis::growsWithQuery() { return grows(mask); }

bool MaskAnalysis::isOpen(const Condition &condition) {
  return condition.kind == Condition::Unknown ||
         llvm::any_of(condition.parts, isOpen);
}

bool MaskAnalysis::leavesOpen() { return isOpen(mask); }

bool MaskAnalysis::isBounded(const Condition &condition,
                             function_ref<bool(int64_t factor)> by) {
  auto isPartBounded = [&](const Condition &part) {
    return isBounded(part, by);
  };
  switch (condition.kind) {
  case Condition::Unknown:
    return false;
  case Condition::NotNegative:
    return by(condition.linear.key);
  case Condition::All:
    return llvm::any_of(condition.parts, isPartBounded);
  case Condition::Any:
    return !condition.parts.empty() &&
           llvm::all_of(condition.parts, isPartBounded);
  }
  llvm_unreachable("unknown kind of condition");
}
bool MaskAnalysis::hasBegin() {
  return isBounded(mask, [](int64_t factor) { return factor > 0; });
}
// What holds for all keys or for none ends them all the same.
bool MaskAnalysis::hasEnd() {
  return isBounded(mask, [](int64_t factor) { return factor <= 0; });
}

bool MaskAnalysis::varies(AttentionOp op, Sharer of) {
  if (op.getMask().empty())
    return false;
  Block &block = op.getMask().front();
  auto fused = op.getFused();
  if (!block.getArgument(fused.size() + unsigned(of)).use_empty())
    return true;
  // Tensors have the last dimensions of the batch, heads, queries and keys.
  constexpr int64_t rank = 4;
  return llvm::any_of(llvm::enumerate(fused), [&](const auto &operand) {
    auto type = cast<RankedTensorType>(operand.value().getType());
    int64_t dim = type.getRank() - rank + int64_t(of);
    return dim >= 0 && type.getDimSize(dim) != 1 &&
           !block.getArgument(operand.index()).use_empty();
  });
}

FailureOr<Value> MaskAnalysis::largest(const Item &item, const Linear &linear) {
  OpBuilder &b = item.builder;
  Location loc = op.getLoc();
  auto index = [&](int64_t value) {
    return arith::ConstantIndexOp::create(b, loc, value);
  };
  auto times = [&](Value value, int64_t factor) {
    return factor == 1
               ? value
               : b.createOrFold<arith::MulIOp>(loc, value, index(factor));
  };
  // It is largest at the first or the last query and key of a tile.
  int64_t constant = linear.constant;
  Value query = linear.query > 0 && item.last ? item.last : item.query;
  for (auto [factor, extent] :
       {std::pair(linear.query, item.last ? 1 : item.queries),
        std::pair(linear.key, item.keys)})
    if (factor > 0)
      constant += factor * (extent - 1);
  Value sum = index(constant);
  if (linear.query)
    sum = b.createOrFold<arith::AddIOp>(loc, times(query, linear.query), sum);
  for (auto [factor, value] : linear.uniform) {
    FailureOr<Value> term = item.uniform(value);
    if (failed(term))
      return failure();
    if (!(*term).getType().isIndex())
      term = arith::IndexCastOp::create(b, loc, b.getIndexType(), *term)
                 .getResult();
    sum = b.createOrFold<arith::AddIOp>(loc, sum, times(*term, factor));
  }
  return sum;
}

FailureOr<KeyRange> MaskAnalysis::range(const Item &item) {
  return range(item, mask);
}

FailureOr<KeyRange> MaskAnalysis::range(const Item &item,
                                        const Condition &condition) {
  OpBuilder &b = item.builder;
  Location loc = op.getLoc();
  auto index = [&](int64_t value) {
    return arith::ConstantIndexOp::create(b, loc, value);
  };
  switch (condition.kind) {
  case Condition::Unknown:
    return KeyRange();
  case Condition::All: {
    KeyRange result;
    for (const Condition &part : condition.parts) {
      FailureOr<KeyRange> other = range(item, part);
      if (failed(other))
        return failure();
      if (other->begin)
        result.begin = result.begin ? b.createOrFold<arith::MaxSIOp>(
                                          loc, result.begin, other->begin)
                                    : other->begin;
      if (other->end)
        result.end =
            result.end
                ? b.createOrFold<arith::MinSIOp>(loc, result.end, other->end)
                : other->end;
    }
    return result;
  }
  case Condition::Any: {
    // What is false everywhere is the empty range.
    if (condition.parts.empty())
      return KeyRange{{}, index(0)};
    std::optional<KeyRange> result;
    for (const Condition &part : condition.parts) {
      FailureOr<KeyRange> other = range(item, part);
      if (failed(other))
        return failure();
      if (!result) {
        result = *other;
        continue;
      }
      result->begin =
          result->begin && other->begin
              ? b.createOrFold<arith::MinSIOp>(loc, result->begin, other->begin)
              : Value();
      result->end =
          result->end && other->end
              ? b.createOrFold<arith::MaxSIOp>(loc, result->end, other->end)
              : Value();
    }
    return *result;
  }
  case Condition::NotNegative:
    break;
  }
  FailureOr<Value> most = largest(item, condition.linear);
  if (failed(most))
    return failure();
  int64_t factor = condition.linear.key;
  Value zero = index(0);
  if (factor == 0) {
    Value some = arith::CmpIOp::create(b, loc, Predicate::sge, *most, zero);
    return KeyRange{{},
                    arith::SelectOp::create(b, loc, some, item.blocks, zero)};
  }
  Value unit = index(std::abs(factor) * item.keys);
  if (factor > 0) {
    Value lacking = b.createOrFold<arith::SubIOp>(loc, zero, *most);
    lacking = b.createOrFold<arith::MaxSIOp>(loc, lacking, zero);
    return KeyRange{arith::CeilDivUIOp::create(b, loc, lacking, unit), {}};
  }
  Value reach = b.createOrFold<arith::AddIOp>(loc, *most, unit);
  reach = b.createOrFold<arith::MaxSIOp>(loc, reach, zero);
  return KeyRange{{}, arith::DivUIOp::create(b, loc, reach, unit)};
}
