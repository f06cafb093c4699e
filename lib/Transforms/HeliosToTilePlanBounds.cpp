// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// helios-to-tile: what the price of a schedule depends on beside the tiles that
// a processor takes: how rows begin, what lies outside of the result, what
// lines, memory and stores take at least.

#include "HeliosToTilePlan.h"
#include "SelectSchedule.h"

using namespace mlir;
using namespace helios;
using namespace helios::totile;

/// Whether what is accessed has the rows and columns of a product's result.
static bool isLarge(const Access &access, const Product &product) {
  return access.kept == Kept::Tensor &&
         llvm::is_contained(access.axes, product.m()) &&
         llvm::is_contained(access.axes, product.n());
}

/// Whether rows of what is accessed begin off a line of the target's cache.
Value PlanEmitter::isOffLines(const Access &access) {
  auto target =
      dyn_cast_or_null<tile::TargetAttrInterface>(kernel.getTargetAttr());
  int64_t line = target ? target.getCosts().lineBytes : 1;
  Placed &tensor = placed(access);
  Value result =
      compare(arith::CmpIPredicate::slt, tensor.alignment, index(line));
  Value elements = index(vectorElements(access.elementType, line));
  for (Value stride : ArrayRef(tensor.strides).drop_back())
    result = fold<arith::OrIOp>(
        result, compare(arith::CmpIPredicate::ne,
                        fold<arith::RemUIOp>(stride, elements), index(0)));
  return result;
}

/// Whether those of an operand do.
Value PlanEmitter::beginOffLines(const Product &product) {
  Value result = boolean(false);
  for (const Access &access :
       ArrayRef(product.accesses)
           .take_front(product.isAttention() ? product.firstFused()
                                             : product.firstCaptured()))
    if (!access.packing)
      result = fold<arith::OrIOp>(result, isOffLines(access));
  return result;
}

/// Whether those of a result do, or of what is fused as large.
Value PlanEmitter::storesOffLines(const Product &product) {
  Value result = boolean(false);
  for (const Access &access :
       ArrayRef(product.accesses).drop_front(product.firstFused()))
    if (isLarge(access, product))
      result = fold<arith::OrIOp>(result, isOffLines(access));
  return result;
}

/// Whether fused operands and results can be read and written in wide units.
Value PlanEmitter::hasWideRows(const Product &product) {
  Value result = boolean(true);
  for (const Access &access :
       ArrayRef(product.accesses).drop_front(product.firstFused())) {
    if (!access.isVectorised(product.numBatch))
      continue;
    Placed &tensor = placed(access);
    auto divides = [&](Value value) {
      Value vector = index(vectorElements(access.elementType, vectorBytes));
      conjoin(result, compare(arith::CmpIPredicate::eq,
                              fold<arith::RemUIOp>(value, vector), index(0)));
    };
    conjoin(result, compare(arith::CmpIPredicate::sle, index(vectorBytes),
                            tensor.alignment));
    conjoin(result,
            compare(arith::CmpIPredicate::eq, tensor.strides.back(), index(1)));
    divides(tensor.extents.back());
    for (Value stride : ArrayRef(tensor.strides).drop_back())
      divides(stride);
  }
  return result;
}

/// Bytes of a tile that an item writes, and reads of what is fused as large.
static int64_t storedBytes(const Product &product) {
  int64_t elements = product.tile[product.m()] * product.tile[product.n()],
          bytes = 0;
  for (const Access &access :
       ArrayRef(product.accesses).drop_front(product.firstFused()))
    if (isLarge(access, product))
      bytes += elements * tile::getStoredBits(access.elementType) / 8;
  return bytes;
}

/// Whether a launch writes more than caches take in.
Value PlanEmitter::writesMuch(const Product &product) {
  if (programs.writeWeights.empty())
    return boolean(false);
  return compare(arith::CmpIPredicate::slt,
                 index(programs.writeWeights[2] / storedBytes(product)),
                 items(product));
}

/// What the items of the busiest processor take at least, of which one takes
/// `item` with what comes behind it: groups that take turns store their own one
/// after the other; and memory takes what all processors write, where caches do
/// not.
Value PlanEmitter::leastOfItems(const Priced &priced, Value tiles, Value item) {
  const Product &product = priced.part;
  Value result = index(0);
  if (int64_t turns = priced.schedule().getTurns()[0]; turns > 1)
    result = fold<arith::MulIOp>(fold<arith::CeilDivUIOp>(tiles, index(turns)),
                                 item);
  if (programs.writeWeights.empty())
    return result;
  int64_t bytes = storedBytes(product);
  Value written =
      fold<arith::MulIOp>(tiles, index(programs.writeWeights[0] +
                                       programs.writeWeights[1] * bytes));
  return fold<arith::MaxUIOp>(result,
                              select(writesMuch(product), written, index(0)));
}

/// What lines take at least, those that are copied and those that copies store:
/// all processors share the cache that they pass through.
Value PlanEmitter::leastOfLines(const Priced &priced, Value keys) {
  const Product &product = priced.part;
  auto target =
      dyn_cast_or_null<tile::TargetAttrInterface>(kernel.getTargetAttr());
  auto op = dyn_cast<MatmulOp>(product.op);
  if (!target || !op)
    return index(0);
  auto cost = [&](bool aligned) {
    return schedule::costOfLines(op, priced.schedule(), target.getCosts(),
                                 aligned);
  };
  auto either = [&](Value isOff, double off, double at) {
    return select(isOff, index(std::llround(16 * off)),
                  index(std::llround(16 * at)));
  };
  schedule::LineCost off = cost(false), at = cost(true);
  if (off.element == 0)
    return index(0);
  double outside = target.getCosts().items.storedOutside;
  Value copied = fold<arith::MulIOp>(
      keys, either(priced.unaligned, off.element, at.element));
  Value isOff = storesOffLines(product);
  Value stored = select(writesMuch(product),
                        either(isOff, outside * off.item, outside * at.item),
                        either(isOff, off.item, at.item));
  stored = select(hasWideRows(product), stored, index(0));
  Value item = fold<arith::AddIOp>(copied, stored);
  Value units = device(tile::DeviceProperty::ComputeUnits);
  Value tiles = items(product);
  // A share for each processor; the product with all tiles might overflow.
  Value rounds = fold<arith::MulIOp>(fold<arith::DivUIOp>(tiles, units), item);
  Value rest = fold<arith::MulIOp>(fold<arith::RemUIOp>(tiles, units), item);
  return fold<arith::AddIOp>(rounds, fold<arith::DivUIOp>(rest, units));
}

/// At least what its operands take to be read, where there are more of them
/// than caches keep: what items ask for, and all of them once from memory.
Value PlanEmitter::withReads(const Priced &priced, Value price, Value tiles,
                             Value keys) {
  ArrayRef<int64_t> weights = programs.readWeights;
  if (weights.empty())
    return price;
  const Product &product = priced.part;
  auto bits = [&](int64_t axis, int64_t element) {
    return fold<arith::MulIOp>(extentOf(product, axis), index(element));
  };
  int64_t right = weights[2];
  if (auto op = dyn_cast<MatmulOp>(product.op); op && product.takesMadeRight)
    right = schedule::operandBits(op, /*madeRight=*/true)[1];
  Value rows = fold<arith::AddIOp>(bits(product.m(), weights[1]),
                                   bits(product.n(), right));
  auto ifMuch = [&](Value keys, Value clocks) {
    Value kept = fold<arith::DivUIOp>(index(weights[0]),
                                      fold<arith::MaxUIOp>(keys, index(1)));
    return select(compare(arith::CmpIPredicate::slt, kept, rows), clocks,
                  index(0));
  };
  if (int64_t weight = weights[4 + priced.number])
    price = fold<arith::MaxUIOp>(
        price,
        ifMuch(keys, fold<arith::MulIOp>(fold<arith::MulIOp>(tiles, keys),
                                         index(weight))));
  // In blocks: the product of all extents might overflow.
  Value whole = extentOf(product, product.k()),
        block = index(schedule::kReadBlock);
  Value once = fold<arith::MulIOp>(
      fold<arith::MulIOp>(
          fold<arith::CeilDivUIOp>(rows, index(8 * schedule::kReadBlock)),
          fold<arith::CeilDivUIOp>(whole, block)),
      index(weights[3]));
  once = fold<arith::AddIOp>(
      once, fold<arith::DivUIOp>(price, index(schedule::kBesideMemory)));
  return fold<arith::MaxUIOp>(price, ifMuch(whole, once));
}

/// What adding up the slices of a small result takes beside that of a large
/// one.
Value PlanEmitter::ofSmallSum(const Placed &sums) {
  int64_t dispatch = programs.sumWeights[0];
  Value more = fold<arith::AddIOp>(
      index(dispatch / schedule::kSmallSum),
      fold<arith::MulIOp>(sums.extents[0],
                          index(dispatch / schedule::kSmallSumSlices)));
  return select(compare(arith::CmpIPredicate::ule, sums.strides[0],
                        index(schedule::kMostSmallSum)),
                more, index(0));
}

/// What an element of K costs where a cluster shares it, instead of `weight`.
Value PlanEmitter::ofSharedK(const Priced &priced, Value weight) {
  Value units = device(tile::DeviceProperty::ComputeUnits);
  Value busy = fold<arith::MinUIOp>(items(priced.part), units);
  Value parts = fold<arith::AddIOp>(
      index(schedule::kSharedAlone),
      fold<arith::DivUIOp>(
          fold<arith::MulIOp>(busy, index(schedule::kSharedBeside)), units));
  return select(priced.unaligned,
                fold<arith::DivUIOp>(fold<arith::MulIOp>(weight, parts),
                                     index(schedule::kSharedParts)),
                weight);
}

/// What an element of K costs where a tile, or those of a cluster, have more
/// rows or columns than the result, instead of `weight`: copies fill them up,
/// the slower the more workgroups do, and read nothing for them. Those of a
/// cluster copy a part each.
Value PlanEmitter::withOutside(const Priced &priced, Value weight) {
  const Product &product = priced.part;
  ArrayRef<int64_t> weights = programs.outsideWeights;
  if (weights.empty() || !isPersistent(priced.schedule()) ||
      product.isAttention() || product.grouped)
    return weight;
  Value busy = index(0), lines = index(0);
  const int64_t axes[] = {product.m(), product.n()};
  ArrayRef<int64_t> cluster = priced.schedule().getCluster();
  for (auto [i, axis] : llvm::enumerate(axes)) {
    Value extent = extentOf(product, axis), tile = index(product.tile[axis]);
    Value span = index(product.tile[axis] * cluster[i]);
    Value outside = fold<arith::MinUIOp>(
        fold<arith::SubIOp>(fold<arith::MaxUIOp>(extent, span), extent), tile);
    auto addTo = [&](Value &sum, Value each) {
      sum = fold<arith::AddIOp>(sum, fold<arith::MulIOp>(outside, each));
    };
    auto part = [&, i = i](unsigned which) {
      return index(weights[2 * which + i] / cluster[1 - i]);
    };
    addTo(busy, part(0));
    addTo(lines, select(priced.unaligned, part(2), part(1)));
  }
  Value units = device(tile::DeviceProperty::ComputeUnits);
  busy = fold<arith::DivUIOp>(
      fold<arith::MulIOp>(busy, fold<arith::MinUIOp>(items(product), units)),
      units);
  lines = fold<arith::MinUIOp>(
      lines, fold<arith::DivUIOp>(weight, index(tile::kMostOutside)));
  return fold<arith::AddIOp>(fold<arith::SubIOp>(weight, lines), busy);
}

int64_t totile::residentTogether(KernelOp kernel, ScheduleAttr schedule,
                                 const Product &product) {
  auto op = dyn_cast<MatmulOp>(product.op);
  auto target =
      dyn_cast_or_null<tile::TargetAttrInterface>(kernel.getTargetAttr());
  if (!op || !target)
    return 0;
  tile::MmaAttrInterface mma = schedule::instructionOf(
      schedule,
      target.getMmas(op.getLhsElement(), op.getRhsElement(), op.getAccType()));
  return mma && schedule::isTimedAlone(schedule, mma, target)
             ? ScheduleNeeds::get(op, schedule, mma).getResident(target)
             : 0;
}

/// What tiles cost, `price`, where some of them reach over edges: their loads
/// are masked, and where both operands are staged those took 1.4 to 1.7 times
/// as long (docs/benchmarks), one and a half times here. Of a packed operand
/// there is nothing to mask.
Value PlanEmitter::withEdges(const Priced &priced, Value price) {
  const Product &product = priced.part;
  if (product.grouped || packsRight(priced.schedule()) ||
      llvm::any_of(product.accesses,
                   [](const Access &access) { return bool(access.packing); }))
    return price;
  SmallVector<int64_t> axes = {product.m(), product.n()};
  if (product.part == Part::Whole)
    axes.push_back(product.k());
  Value whole = boolean(true);
  for (int64_t axis : axes)
    conjoin(whole, compare(arith::CmpIPredicate::eq,
                           fold<arith::RemUIOp>(extentOf(product, axis),
                                                index(product.tile[axis])),
                           index(0)));
  return select(
      whole, price,
      fold<arith::AddIOp>(price, fold<arith::DivUIOp>(price, index(2))));
}

/// What tiles cost, `price`, where lanes compute the right operand and the last
/// step reaches beyond K: every step tests what it has then. With weights of 4
/// bits steps in slices took 1.56 to 1.75 times as long, others 1.18 times
/// (docs/benchmarks); one and a half and 1.1 times here.
Value PlanEmitter::withPartOfStep(const Priced &priced, Value price) {
  const Product &product = priced.part;
  auto op = dyn_cast<MatmulOp>(product.op);
  if (!op || !computesRight(op, priced.schedule()))
    return price;
  Value rest = fold<arith::RemUIOp>(extentOf(product, product.k()),
                                    index(product.tile[product.k()]));
  bool isCheap = op.getParts() > 1 && priced.schedule().getSlicedK()[0] == 1;
  int64_t part = isCheap ? 10 : 2;
  return select(
      compare(arith::CmpIPredicate::eq, rest, index(0)), price,
      fold<arith::AddIOp>(price, fold<arith::DivUIOp>(price, index(part))));
}

/// What tiles cost, `price`, with the rows of the left operand that they have,
/// where each adds to it.
Value PlanEmitter::withRows(const Priced &priced, Value price) {
  const Product &product = priced.part;
  auto op = dyn_cast<MatmulOp>(product.op);
  double part = op ? schedule::costOfRow(op, priced.schedule()) : 0;
  if (part == 0)
    return price;
  Value rows = fold<arith::MinUIOp>(extentOf(product, product.m()),
                                    index(product.tile[product.m()]));
  constexpr int64_t kParts = 1024;
  return fold<arith::AddIOp>(
      price, fold<arith::DivUIOp>(
                 fold<arith::MulIOp>(
                     price, fold<arith::MulIOp>(
                                rows, index(std::llround(part * kParts)))),
                 index(kParts)));
}

/// The items of a schedule that stands beside those with roles, at least one
/// for each processor. Those of few rows fill up places that others leave;
/// where tiles have the rows of two instructions places wait for each other's
/// memory, so that rounds of all of them end together, and so they do where a
/// processor has one place.
Value PlanEmitter::overlapping(const Priced &priced, Value units) {
  const Product &product = priced.part;
  Value tiles = items(product), result = fold<arith::MaxUIOp>(tiles, units);
  auto target =
      dyn_cast_or_null<tile::TargetAttrInterface>(kernel.getTargetAttr());
  if (!target || !product.anyRows)
    return result;
  int64_t resident = residentOf(product, priced.schedule(), target);
  if (product.hasRowsOfOne && resident > 1)
    return result;
  Value places = fold<arith::MulIOp>(units, index(resident));
  Value rounds =
      fold<arith::MulIOp>(fold<arith::CeilDivUIOp>(tiles, places), places);
  return select(compare(arith::CmpIPredicate::ule, tiles, places), result,
                rounds);
}

/// Whether each workgroup of a cluster has a tile. Where some had none,
/// clusters of two took 1.0 to 1.7 times as long as none, of four up to three
/// times (docs/benchmarks, sweep-clusters.jsonl).
Value PlanEmitter::hasTiles(const Priced &priced) {
  const Product &product = priced.part;
  ArrayRef<int64_t> cluster = priced.schedule().getCluster();
  const int64_t axes[] = {product.m(), product.n()};
  Value result = boolean(true);
  for (auto [size, axis] : llvm::zip(cluster, axes))
    if (size > 1)
      conjoin(result, compare(arith::CmpIPredicate::ult,
                              index((size - 1) * product.tile[axis]),
                              extentOf(product, axis)));
  return result;
}
