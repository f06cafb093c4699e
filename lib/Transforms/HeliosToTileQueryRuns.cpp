// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "HeliosToTileQueryRuns.h"

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
  key = block.getArgument(fused + 3);
  known = collect(analysis.getMask());
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

bool QueryRuns::collect(const MaskAnalysis::Condition &condition) {
  if (!condition.value)
    return llvm::all_of(condition.parts,
                        [&](const auto &part) { return collect(part); });
  return !MaskAnalysis::isOpen(condition) || collect(condition.value);
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

FailureOr<QueryRuns::Seen>
QueryRuns::emit(RegionEmitter &region, const MaskAnalysis::Item &run,
                const MaskAnalysis::Condition &condition) {
  using Condition = MaskAnalysis::Condition;
  OpBuilder &builder = run.builder;
  Location loc = op.getLoc();
  auto ofKeys = [&](Varying value) {
    return region.broadcast(loc, value, /*rows=*/false, /*columns=*/true);
  };
  auto truth = [&](bool value) -> Value {
    return ofKeys(
        {arith::ConstantOp::create(builder, loc, builder.getBoolAttr(value))});
  };
  if (condition.value && MaskAnalysis::isOpen(condition)) {
    Value same = ofKeys(region.get(condition.value));
    if (condition.negated)
      same = arith::XOrIOp::create(builder, loc, same, truth(true));
    return Seen{same, same};
  }
  if (condition.kind == Condition::NotNegative)
    return emit(region, run, condition.linear);
  bool isAll = condition.kind == Condition::All;
  std::optional<Seen> result;
  for (const Condition &part : condition.parts) {
    FailureOr<Seen> seen = emit(region, run, part);
    if (failed(seen))
      return failure();
    auto join = [&](Value a, Value b) -> Value {
      if (isAll)
        return arith::AndIOp::create(builder, loc, a, b);
      return arith::OrIOp::create(builder, loc, a, b);
    };
    result = result ? Seen{join(result->some, seen->some),
                           join(result->all, seen->all)}
                    : *seen;
  }
  return result ? *result : Seen{truth(isAll), truth(isAll)};
}

FailureOr<QueryRuns::Seen> QueryRuns::emit(RegionEmitter &region,
                                           const MaskAnalysis::Item &run,
                                           const MaskAnalysis::Linear &linear) {
  OpBuilder &builder = run.builder;
  Location loc = op.getLoc();
  // It is not negative for some query where its largest value is not, and for
  // all where that of its negative is not positive.
  MaskAnalysis::Linear negative;
  negative.add(linear, -1);
  FailureOr<Value> most = analysis.largest(run, linear),
                   least = analysis.largest(run, negative);
  if (failed(most) || failed(least))
    return failure();
  auto index = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  auto minus = [&](Value value) {
    return builder.createOrFold<arith::SubIOp>(loc, index(0), value);
  };
  // The key's part, without its sign.
  Value part = linear.key ? region.get(key).value : index(0);
  if (int64_t factor = std::abs(linear.key); factor > 1)
    part = arith::MulIOp::create(builder, loc, part,
                                 region.broadcast(loc, {index(factor)},
                                                  /*rows=*/false,
                                                  /*columns=*/true));
  bool grows = linear.key > 0;
  auto holds = [&](Value bound) {
    auto isIn = [&](Value lhs, Value rhs) -> Value {
      return arith::CmpIOp::create(builder, loc,
                                   grows ? arith::CmpIPredicate::sge
                                         : arith::CmpIPredicate::sle,
                                   lhs, rhs);
    };
    if (!linear.key)
      return region.broadcast(loc, {isIn(part, bound)}, /*rows=*/false,
                              /*columns=*/true);
    return isIn(part, region.broadcast(loc, {bound}, /*rows=*/false,
                                       /*columns=*/true));
  };
  return grows ? Seen{holds(minus(*most)), holds(*least)}
               : Seen{holds(*most), holds(minus(*least))};
}
