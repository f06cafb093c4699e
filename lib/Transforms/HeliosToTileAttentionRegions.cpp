// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// helios-to-tile: the score and mask regions of attention, on tiles of queries
// and keys.

#include "HeliosToTileAttention.h"
#include "helios/Dialect/Tile/Utils/Facts.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace helios;
using namespace helios::totile;

Varying AttentionRegionEmitter::loadFused(unsigned number) {
  if (auto known = fused.find(number); known != fused.end())
    return known->second;
  unsigned access = product.firstFused() + number;
  ArrayRef<int64_t> axes = product.accesses[access].axes;
  bool rows = llvm::is_contained(axes, product.m()),
       columns = llvm::is_contained(axes, product.n());
  // One without a spatial dimension is read as a column of equal elements.
  return {load(access), rows || !columns, columns};
}

FailureOr<Varying>
AttentionRegionEmitter::emitRegion(RegionEmitter &emitter, Region &region,
                                   ArrayRef<Varying> leading) {
  emitter.setNatural([&](Value v) { return analysis.isNotNegative(v); });
  auto arguments = region.front().getArguments();
  for (auto [argument, value] : llvm::zip(arguments, leading))
    emitter.map(argument, value);
  arguments = arguments.drop_front(leading.size());
  unsigned count = op.getFused().size();
  for (auto [i, argument] : llvm::enumerate(arguments.take_front(count)))
    if (!argument.use_empty())
      emitter.map(argument, loadFused(i));
  arguments = arguments.drop_front(count);
  emitter.map(arguments[0], {offsets[0]});
  emitter.map(arguments[1], head);
  if (query.value)
    emitter.map(arguments[2], query);
  else
    emitter.mapIndex(arguments[2], 0, offsets[product.m()]);
  emitter.mapIndex(arguments[3], 1, offsets[product.n()]);
  FailureOr<SmallVector<Varying>> yielded =
      emitter.emit(region.front(), [&](Value value) { return outer(value); });
  if (failed(yielded))
    return failure();
  return yielded->front();
}

FailureOr<Value> AttentionRegionEmitter::outer(Value value) {
  FailureOr<Value> result = scalar(value);
  auto target = dyn_cast_or_null<tile::TargetAttrInterface>(
      op->getParentOfType<KernelOp>().getTargetAttr());
  if (failed(result) || !value.getType().isIndex() || !target)
    return result;
  int64_t most = int64_t(1) << (target.getOffsetBits() - 1);
  auto bound = [&](int64_t limit) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, limit);
  };
  tile::IndexRange range = tile::knownRange(*result);
  if (range.high > most)
    result = builder.createOrFold<arith::MinSIOp>(loc, *result, bound(most));
  if (range.low < -most)
    result = builder.createOrFold<arith::MaxSIOp>(loc, *result, bound(-most));
  return result;
}

FailureOr<Value> AttentionRegionEmitter::uniform(Value value) {
  if (value.getParentRegion() != &op.getMask())
    return outer(value);
  if (Value known = uniformValues.lookup(value))
    return known;
  if (auto argument = dyn_cast<BlockArgument>(value))
    return argument.getArgNumber() == op.getFused().size() ? offsets[0]
                                                           : head.value;
  IRMapping mapping;
  for (Value operand : value.getDefiningOp()->getOperands()) {
    FailureOr<Value> mapped = uniform(operand);
    if (failed(mapped))
      return failure();
    mapping.map(operand, *mapped);
  }
  Operation *clone = builder.clone(*value.getDefiningOp(), mapping);
  return uniformValues[value] =
             clone->getResult(cast<OpResult>(value).getResultNumber());
}

void AttentionRegionEmitter::enterItem() {
  uniformValues.clear();
  fused.clear();
}

void AttentionRegionEmitter::loadOnce(
    function_ref<bool(ArrayRef<int64_t>)> of) {
  for (unsigned i = 0; i < op.getFused().size(); ++i) {
    if (!of(product.accesses[product.firstFused() + i].axes))
      continue;
    fused.erase(i);
    Varying loaded = loadFused(i);
    fused[i] = loaded;
  }
}

FailureOr<Value> AttentionRegionEmitter::emitMaskRegion() {
  RegionEmitter region(builder, {m, n});
  FailureOr<Varying> keep = emitRegion(region, op.getMask(), {});
  if (failed(keep))
    return failure();
  return region.broadcast(loc, *keep, true, true);
}
