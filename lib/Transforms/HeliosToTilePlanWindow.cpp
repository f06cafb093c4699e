// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// helios-to-tile: what the plan knows of the keys that a mask of attention
// leaves out: how many an item visits, and where those end that anybody sees.

#include "HeliosToTileMask.h"
#include "HeliosToTilePlan.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace helios;
using namespace helios::totile;

/// What a scalar counts for at most: sums of a few have a formula then.
static constexpr int64_t kMostOfScalar = int64_t(1) << 40;

/// A value of a mask, or one that it reads, as the plan knows it: scalars,
/// extents and sums of them.
FailureOr<Value> PlanEmitter::uniformOf(AttentionOp op, Value value) {
  auto bounded = [&](Value known) {
    return fold<arith::MaxSIOp>(
        fold<arith::MinSIOp>(known, index(kMostOfScalar)),
        index(-kMostOfScalar));
  };
  APInt constant;
  bool isIndex = value.getType().isIndex();
  if (matchPattern(value, m_ConstantInt(&constant))) {
    if (isIndex)
      return index(constant.getSExtValue());
    if (value.getType().isInteger(1))
      return boolean(constant.getBoolValue());
    return failure();
  }
  if (!isIndex)
    return failure();
  Operation *definition = value.getDefiningOp();
  if (value.getParentRegion() != &op.getMask()) {
    if (Value known = scalar(value))
      return bounded(known);
    if (auto cast = dyn_cast_or_null<arith::IndexCastOp>(definition))
      if (Value known = scalar(cast.getIn()))
        return bounded(builder.createOrFold<arith::IndexCastOp>(
            loc, builder.getIndexType(), known));
  }
  if (!isa_and_nonnull<arith::AddIOp, arith::SubIOp, arith::MulIOp,
                       arith::MinSIOp, arith::MaxSIOp, arith::MinUIOp,
                       arith::MaxUIOp>(definition))
    return failure();
  IRMapping mapping;
  for (Value operand : definition->getOperands()) {
    FailureOr<Value> mapped = uniformOf(op, operand);
    if (failed(mapped))
      return failure();
    mapping.map(operand, *mapped);
  }
  return builder.clone(*definition, mapping)->getResult(0);
}

/// The end of the keys that some query may see, as far as scalars say; all of
/// them where the plan cannot tell.
Value PlanEmitter::seenKeys(const Product &product) {
  auto op = cast<AttentionOp>(product.op);
  Value keys = extentOf(product, product.n());
  std::function<FailureOr<Value>(Value)> uniform = [&](Value value) {
    return uniformOf(op, value);
  };
  Value last = fold<arith::SubIOp>(extentOf(product, product.m()), index(1));
  FailureOr<KeyRange> range =
      MaskAnalysis(op, MaskAnalysis::Scope::Launch)
          .range({builder, index(0), last, keys, 1, 1, uniform});
  return succeeded(range) && range->end ? fold<arith::MinSIOp>(range->end, keys)
                                        : keys;
}

/// The most keys that an item visits, of those in the middle of the queries and
/// the last ones, whole tiles of them. Nothing where the mask has no first key,
/// or one that depends on more than scalars.
Value PlanEmitter::keysOfWindow(const Product &product) {
  auto op = dyn_cast<AttentionOp>(product.op);
  if (!op || product.part != Part::Whole || op.getMask().empty())
    return {};
  MaskAnalysis analysis(op);
  if (!analysis.hasBegin())
    return {};
  std::function<FailureOr<Value>(Value)> uniform = [&](Value value) {
    return uniformOf(op, value);
  };
  int64_t queries = product.tile[product.m()], keys = product.tile[product.n()];
  Value all = extentOf(product, product.m()),
        blocks = fold<arith::CeilDivUIOp>(extentOf(product, product.n()),
                                          index(keys)),
        last = fold<arith::SubIOp>(fold<arith::MaxUIOp>(all, index(queries)),
                                   index(queries)),
        middle = fold<arith::MulIOp>(
            fold<arith::DivUIOp>(all, index(2 * queries)), index(queries));
  Value most = index(1);
  for (Value query : {middle, last}) {
    FailureOr<KeyRange> range = analysis.range(
        {builder, query, /*last=*/{}, blocks, queries, keys, uniform});
    if (failed(range))
      return {};
    Value end = range->end ? fold<arith::MinSIOp>(range->end, blocks) : blocks;
    most = fold<arith::MaxSIOp>(most, fold<arith::SubIOp>(end, range->begin));
  }
  return fold<arith::MulIOp>(most, index(keys));
}
