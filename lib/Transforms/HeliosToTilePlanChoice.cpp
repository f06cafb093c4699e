// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// helios-to-tile: which of several schedules a launch plan takes. Each has a
// price, computed of the extents; the cheapest is launched, unless a table of
// measurements names another one.

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

/// What all products of a launch cost under a schedule, where it has a price
/// for each.
Value PlanEmitter::price(unsigned number) {
  const ScheduledProducts &entry = programs.schedules[number];
  enter(number);
  Value most = index(std::numeric_limits<int64_t>::max()), total;
  for (unsigned i = 0; i < entry.products.size(); ++i) {
    Operation *op = entry.products[i].op;
    const Product *part = llvm::find_if(entry.parts, [&](const Product &part) {
      return part.op == op && part.multiplies();
    });
    assert(part != entry.parts.end() && "what packs has one schedule");
    // What is made has rows of its own.
    const Product &read = part->takesMadeRight || part->takesTurned()
                              ? *part
                              : programs.schedules.front().products[i];
    Value one = price({entry, number, *part, i, beginOffLines(read)});
    if (!total) {
      total = one;
      continue;
    }
    Value both = compare(arith::CmpIPredicate::ne, total, most);
    conjoin(both, compare(arith::CmpIPredicate::ne, one, most));
    total = onlyIf(both, fold<arith::AddIOp>(total, one));
  }
  return total;
}

/// What one of its products costs: the tiles of the busiest processor, times
/// the price of one. Where weights are of an element of K, that is for the part
/// of K that an item has, or sees on average where that grows with its rows,
/// with what the item costs beside it; what follows the last one and adding up
/// slices come on top.
Value PlanEmitter::price(const Priced &priced) {
  unsigned number = priced.number;
  const ScheduledProducts &entry = priced.entry;
  Value units = device(tile::DeviceProperty::ComputeUnits);
  auto ofBusiest = [&](Value count) {
    return fold<arith::CeilDivUIOp>(count, units);
  };
  const Product &product = priced.part;
  int64_t size = entry.schedule.getClusterSize();
  Value tiles = fold<arith::CeilDivUIOp>(items(product, /*clustered=*/size > 1),
                                         clustersAtOnce(size));
  Value weight = index(entry.weight);
  if (entry.unalignedWeight != entry.weight)
    weight = select(priced.unaligned, index(entry.unalignedWeight), weight);
  if (product.clusterK > 1)
    weight = ofSharedK(priced, weight);
  weight = withOutside(priced, weight);
  bool isStream = product.part == Part::Stream;
  Value result = fold<arith::MulIOp>(tiles, weight);
  int64_t resident =
      entry.aloneWeight ? residentTogether(kernel, entry.schedule, product) : 0;
  if (entry.aloneWeight > entry.weight) {
    Value least = index(entry.aloneWeight);
    // As many as a processor holds wait together.
    if (resident)
      least = fold<arith::MulIOp>(
          fold<arith::CeilDivUIOp>(tiles, index(resident)), least);
    result = fold<arith::MaxUIOp>(result, least);
  }
  if (resident)
    result = withEdges(priced, result);
  result = withPartOfStep(priced, withRows(priced, result));
  if (!programs.weighsElements)
    return result;
  // Beside schedules of persistent workgroups, the price of one of which a
  // processor has several is that of its share: it begins items as others end.
  bool overlaps = programs.standsBesideRoles(number);
  if (overlaps) {
    tiles = overlapping(priced, units);
    result = fold<arith::DivUIOp>(fold<arith::MulIOp>(tiles, weight), units);
  }
  int64_t axis = product.summed();
  Value step = index(product.tile[axis]);
  Value steps = product.part != Part::Slices
                    ? fold<arith::CeilDivUIOp>(extentOf(product, axis), step)
                    : splits[number].products[priced.product].steps;
  if (product.clusterK > 1)
    steps = fold<arith::CeilDivUIOp>(steps, index(product.clusterK));
  Value keys = fold<arith::MulIOp>(steps, step);
  if (product.longestFirst && product.part == Part::Whole) {
    // Items of later rows see more; processors get as much of them as others,
    // and a whole item at least.
    Value rows = extentOf(product, product.m());
    Value unseen =
        fold<arith::DivUIOp>(fold<arith::MinUIOp>(rows, keys), index(2));
    Value seen = fold<arith::MinUIOp>(
        keys, fold<arith::AddIOp>(fold<arith::SubIOp>(keys, unseen),
                                  index(product.tile[product.m()] / 2)));
    Value widest = keys, rounds;
    if (Value window = keysOfWindow(product)) {
      // Those that see no more than a window of keys take equally long.
      Value isLess = compare(arith::CmpIPredicate::ult, window, seen);
      widest = fold<arith::MinUIOp>(window, keys);
      seen = fold<arith::MinUIOp>(window, seen);
      rounds = select(isLess, fold<arith::MulIOp>(tiles, widest), index(0));
    }
    Value most = fold<arith::MaxUIOp>(
        widest, ofBusiest(fold<arith::MulIOp>(items(product), seen)));
    if (rounds)
      most = fold<arith::MaxUIOp>(most, rounds);
    result = fold<arith::MulIOp>(most, weight);
  } else if (isStream) {
    result = fold<arith::MulIOp>(keysOfStream(product, entry.schedule), weight);
  } else {
    result = fold<arith::MulIOp>(result, keys);
  }
  if (entry.itemWeight) {
    Value ofItems = fold<arith::MulIOp>(tiles, index(entry.itemWeight));
    if (overlaps)
      ofItems = fold<arith::DivUIOp>(ofItems, units);
    result = fold<arith::AddIOp>(result, ofItems);
  }
  if (entry.lastWeight)
    result = fold<arith::AddIOp>(result, index(entry.lastWeight));
  if (product.part == Part::Whole && !product.isAttention() && !overlaps &&
      !product.grouped) {
    Value item =
        fold<arith::AddIOp>(fold<arith::MulIOp>(weight, keys),
                            index(entry.itemWeight + entry.lastWeight));
    result = fold<arith::MaxUIOp>(result, leastOfItems(priced, tiles, item));
    result = fold<arith::MaxUIOp>(result, leastOfLines(priced, keys));
  }
  if (!product.isAttention() && !overlaps && !product.grouped)
    result = withReads(priced, result, tiles, keys);
  if (programs.workgroupWeight && !overlaps) {
    Value workgroups = fold<arith::MinUIOp>(items(product), units);
    result = fold<arith::AddIOp>(
        result,
        fold<arith::MulIOp>(workgroups, index(programs.workgroupWeight)));
  }
  // What combines parts of a reduction is a dispatch as well.
  auto parts = llvm::make_filter_range(
      entry.parts, [&](const Product &part) { return part.op == product.op; });
  if (llvm::any_of(parts,
                   [](const Product &part) { return part.part == Part::Fold; }))
    result = fold<arith::AddIOp>(result, index(programs.sumWeights[0]));
  // What packs, makes or turns an operand.
  for (const Product &part : parts) {
    if (part.part != Part::Pack && part.part != Part::Right &&
        part.part != Part::Turn)
      continue;
    ArrayRef<int64_t> weights =
        part.part == Part::Pack    ? ArrayRef(programs.packWeights)
        : part.part == Part::Right ? ArrayRef(programs.makeWeights)
                                   : ArrayRef(programs.turnWeights);
    result = fold<arith::AddIOp>(
        result,
        fold<arith::MulIOp>(ofBusiest(elementsOf(part)), index(weights[1])));
    result = fold<arith::AddIOp>(result, index(weights[0]));
  }
  // What a schedule is not for, to which nothing may be added.
  Value suits = boolean(true);
  if (programs.isBrief(number))
    conjoin(suits, compare(arith::CmpIPredicate::ule, steps,
                           index(schedule::kMostBriefSteps)));
  else if (overlaps)
    conjoin(suits,
            compare(arith::CmpIPredicate::ule, extentOf(product, product.m()),
                    index(product.tile[product.m()])));
  if (size > 1)
    conjoin(suits, hasTiles(priced));
  // K is shared where there are processors for it: with more rounds 39 of 40
  // sizes took longer than by other tiles (docs/benchmarks/2026-11-30).
  if (product.clusterK > 1)
    conjoin(suits, compare(arith::CmpIPredicate::ule, tiles, index(1)));
  if (product.part == Part::Whole)
    return onlyIf(suits, result);
  const Split &split = splits[number].products[priced.product];
  if (hideOthers(product, entry.schedule))
    conjoin(suits, compare(arith::CmpIPredicate::ult, index(1),
                           split.sums.extents[0]));
  Value sums = isStream ? partsOfStream(product) : split.sums.extents[0];
  Value elements = ofBusiest(fold<arith::MulIOp>(sums, split.sums.strides[0]));
  auto sum =
      llvm::find_if(parts, [](const Product &part) { return part.addsRows(); });
  if (sum != parts.end()) {
    Value ofItem = fold<arith::MulIOp>(
        split.sums.extents[0], fold<arith::MulIOp>(extentOf(*sum, sum->n()),
                                                   index(sum->tile[sum->m()])));
    elements = fold<arith::MulIOp>(ofBusiest(items(*sum)), ofItem);
    // Few lanes read a whole row, one piece after another: where a dispatch is
    // 2.7 us, two slices took 0.6 to 2.2 us more than by tiles, four 2 to 4.
    result = fold<arith::AddIOp>(
        result, fold<arith::MulIOp>(split.sums.extents[0],
                                    index(programs.sumWeights[0] / 4)));
  }
  result = fold<arith::AddIOp>(
      result, fold<arith::MulIOp>(elements, index(programs.sumWeights[1])));
  if (!isStream && isPersistent(entry.schedule))
    result = fold<arith::AddIOp>(result, ofSmallSum(split.sums));
  result = fold<arith::AddIOp>(result, index(programs.sumWeights[0]));
  if (isStream)
    conjoin(suits,
            compare(arith::CmpIPredicate::ne, split.stream.shares, index(0)));
  // Where a tile does not hold all queries of a head of keys, every tile of
  // them would read these.
  if (product.isPacked() && !isStream)
    conjoin(suits,
            compare(arith::CmpIPredicate::ule, extentOf(product, product.m()),
                    index(product.tile[product.m()])));
  return onlyIf(suits, result);
}

/// A price where a condition holds, else more than any.
Value PlanEmitter::onlyIf(Value condition, Value price) {
  return select(condition, price, index(std::numeric_limits<int64_t>::max()));
}

/// Elements that a part leaves.
Value PlanEmitter::elementsOf(const Product &part) {
  Value elements = index(1);
  for (int64_t axis : part.accesses.back().axes)
    elements = fold<arith::MulIOp>(elements, extentOf(part, axis));
  return elements;
}

/// Whether a schedule may make right operands first, or turn some: rows are as
/// many as that takes, the workspace is not too large, and what is stored can
/// be read in wide units, but for what is turned.
Value PlanEmitter::mayMake(unsigned number) {
  enter(number);
  Value result = boolean(true);
  for (const Product &part : programs.schedules[number].parts) {
    if (part.part == Part::Right || part.part == Part::Turn) {
      conjoin(result, guard(part, Variant::Aligned));
      conjoin(result, compare(arith::CmpIPredicate::ule, elementsOf(part),
                              index(schedule::kMostMadeElements)));
    }
    if (!part.multiplies())
      continue;
    if (part.takesMadeRight)
      conjoin(result,
              compare(arith::CmpIPredicate::ule,
                      index(schedule::leastRowsOfMade(cast<MatmulOp>(part.op))),
                      extentOf(part, part.m())));
    for (const Access &operand :
         ArrayRef(part.accesses).take_front(part.firstCaptured()))
      if (operand.kept == Kept::Tensor)
        conjoin(result, fold<arith::XOrIOp>(isNarrow(operand), boolean(true)));
  }
  return result;
}

/// Takes the first of the cheapest: less than the least in front of it, and no
/// more than the least of all. Each with each other they would be thousands of
/// comparisons.
void PlanEmitter::takeCheapest(ArrayRef<Value> prices) {
  SmallVector<Value> leasts;
  for (Value price : prices)
    leasts.push_back(
        leasts.empty() ? price : fold<arith::MinUIOp>(leasts.back(), price));
  for (auto [i, price] : llvm::enumerate(prices)) {
    if (i)
      conjoin(chosen[i],
              compare(arith::CmpIPredicate::slt, price, leasts[i - 1]));
    if (i + 1 < prices.size())
      conjoin(chosen[i],
              compare(arith::CmpIPredicate::sle, price, leasts.back()));
  }
}

/// Compares the schedules. Of equally cheap ones the first is taken.
void PlanEmitter::chooseSchedule() {
  chosen.assign(programs.numChoices(), boolean(true));
  tuned.assign(programs.numChoices(), boolean(false));
  if (chosen.size() == 1)
    return report({index(0)});
  SmallVector<Value> prices;
  for (unsigned i = 0; i < chosen.size(); ++i)
    prices.push_back(price(i));
  // What makes right operands, or turns some beside others that do not, has no
  // programs for rows that cannot be read in wide units, nor beside copies of
  // such.
  bool allTurn = programs.schedules.front().schedule.getTurn();
  for (unsigned i = 0; i < chosen.size(); ++i) {
    ScheduleAttr schedule = programs.schedules[i].schedule;
    if (makesRight(schedule) || (schedule.getTurn() && !allTurn))
      prices[i] = onlyIf(mayMake(i), prices[i]);
  }
  // Where rows of a result or of a fused operand cannot be written or read in
  // wide units, only the schedules that have a program for that count.
  if (llvm::any_of(programs.variants, [](const VariantPrograms &entry) {
        return entry.variant == Variant::Operands;
      })) {
    Value wide = boolean(true);
    for (const Product &product : programs.schedules.front().products)
      conjoin(wide, hasWideRows(product));
    for (unsigned i = 0; i < chosen.size(); ++i)
      if (!programs.has(i, Variant::Operands))
        prices[i] = onlyIf(wide, prices[i]);
  }
  if (programs.narrow)
    for (Value price : prices)
      least = least ? fold<arith::MinUIOp>(least, price) : price;
  // A table's schedules have been measured for its extents alone.
  size_t compared =
      kernel.getTuned() ? kernel.getModelled().value_or(0) : prices.size();
  takeCheapest(ArrayRef(prices).take_front(compared));
  if (kernel.getTuned())
    preferTuned(compared);
  report(prices);
}

/// Whether of the schedules for scattered rows none behind this one is
/// cheaper: the tiles for a processor times the weight of one, and whole steps.
/// Several of them wait together, so none is rounded up.
Value PlanEmitter::cheaperThanRest(unsigned number) {
  Value result = boolean(true);
  auto price = [&](unsigned of) {
    enter(of);
    Value units = device(tile::DeviceProperty::ComputeUnits);
    const Product &part = programs.schedules[of].parts.front();
    Value tiles = fold<arith::MaxUIOp>(items(part), units);
    Value price =
        fold<arith::MulIOp>(tiles, index(programs.schedules[of].weight));
    // Extents that are computed with fit 31 bits.
    Value steps = fold<arith::CeilDivUIOp>(
        fold<arith::MinUIOp>(extentOf(part, part.k()), index(kMaxIndex)),
        index(part.tile[part.k()]));
    return fold<arith::MulIOp>(
        fold<arith::CeilDivUIOp>(price, units),
        fold<arith::MulIOp>(steps, index(part.tile[part.k()])));
  };
  if (programs.scattered)
    for (unsigned other = number + 1; other < programs.schedules.size();
         ++other)
      conjoin(result,
              compare(arith::CmpIPredicate::sle, price(number), price(other)));
  enter(number);
  return result;
}

/// Takes the schedules that a table names for the extents, where it does; of
/// those `compared` one is preferred elsewhere.
void PlanEmitter::preferTuned(size_t compared) {
  const Product &product = programs.schedules.front().products.front();
  enter(0);
  Value any = boolean(false), unaligned = beginOffLines(product);
  for (auto range : kernel.getTunedAttr().getAsRange<TunedAttr>()) {
    Value holds = range.getAligned()
                      ? fold<arith::XOrIOp>(unaligned, boolean(true))
                      : unaligned;
    const int64_t axes[] = {product.m(), product.n(), product.k()};
    for (auto [axis, above, upTo] :
         llvm::zip(axes, range.getAbove(), range.getUpTo())) {
      Value extent = extentOf(product, axis);
      conjoin(holds, compare(arith::CmpIPredicate::slt, index(above), extent));
      conjoin(holds, compare(arith::CmpIPredicate::sle, extent, index(upTo)));
    }
    // The first range that holds decides.
    Value &said = tuned[range.getChoice()];
    said = fold<arith::OrIOp>(
        said,
        fold<arith::AndIOp>(holds, fold<arith::XOrIOp>(any, boolean(true))));
    any = fold<arith::OrIOp>(any, holds);
  }
  Value none = fold<arith::XOrIOp>(any, boolean(true));
  for (size_t i = 0; i < chosen.size(); ++i)
    chosen[i] =
        i < compared
            ? fold<arith::OrIOp>(tuned[i], fold<arith::AndIOp>(none, chosen[i]))
            : tuned[i];
}

/// Says what was compared, for people. What packs operands has no choice.
void PlanEmitter::report(ArrayRef<Value> prices) {
  if (isa<PackOp>(programs.schedules.front().products.front().op))
    return;
  int64_t modelled = kernel.getModelled().value_or(0);
  for (auto [i, price] : llvm::enumerate(prices))
    tile::ChoiceOp::create(builder, loc,
                           programs.schedules[i].schedule.toString(),
                           int64_t(i) < modelled ? tile::Origin::Model
                           : kernel.getTuned()   ? tile::Origin::Table
                                                 : tile::Origin::User,
                           price, chosen[i], tuned[i]);
}
