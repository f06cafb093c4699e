// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// helios-to-tile: what the plan knows of the keys that an item of attention
// visits where a mask leaves out those before and behind them.

#include "HeliosToTileMask.h"
#include "HeliosToTilePlan.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace helios;
using namespace helios::totile;

/// What a scalar counts for at most: sums of a few have a formula then.
static constexpr int64_t kMostOfScalar = int64_t(1) << 40;

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
  std::function<FailureOr<Value>(Value)> uniform =
      [&](Value value) -> FailureOr<Value> {
    APInt constant;
    if (!value.getType().isIndex() && !value.getType().isInteger(1))
      return failure();
    if (matchPattern(value, m_ConstantInt(&constant)))
      return value.getType().isIndex() ? index(constant.getSExtValue())
                                       : boolean(constant.getBoolValue());
    if (value.getParentRegion() != &op.getMask()) {
      Value known = scalar(value);
      if (!known)
        return failure();
      return fold<arith::MaxSIOp>(
          fold<arith::MinSIOp>(known, index(kMostOfScalar)),
          index(-kMostOfScalar));
    }
    Operation *definition = value.getDefiningOp();
    if (!isa_and_nonnull<arith::AddIOp, arith::SubIOp, arith::MulIOp,
                         arith::MinSIOp, arith::MaxSIOp, arith::MinUIOp,
                         arith::MaxUIOp>(definition))
      return failure();
    IRMapping mapping;
    for (Value operand : definition->getOperands()) {
      FailureOr<Value> mapped = uniform(operand);
      if (failed(mapped))
        return failure();
      mapping.map(operand, *mapped);
    }
    return builder.clone(*definition, mapping)->getResult(0);
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
