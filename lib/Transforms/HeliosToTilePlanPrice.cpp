// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// helios-to-tile: the price of a launch under a schedule, computed of the
// extents: the tiles of the busiest processor, and what comes beside them.

#include "HeliosToTilePlan.h"
#include "SelectSchedule.h"

using namespace mlir;
using namespace helios;
using namespace helios::totile;

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

/// A share of the busiest processor.
Value PlanEmitter::ofBusiest(Value count) {
  return fold<arith::CeilDivUIOp>(count,
                                  device(tile::DeviceProperty::ComputeUnits));
}

/// Elements of K of the busiest processor where items of later rows see more of
/// them: processors get as many as others, and a whole item at least.
Value PlanEmitter::seenByBusiest(const Product &product, Value tiles,
                                 Value keys) {
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
  return most;
}

/// What the other dispatches of a product take beside it, but for adding up
/// slices.
Value PlanEmitter::withDispatches(const Priced &priced, Value price) {
  auto parts = priced.parts();
  // What combines parts of a reduction is a dispatch as well.
  if (llvm::any_of(parts,
                   [](const Product &part) { return part.part == Part::Fold; }))
    price = fold<arith::AddIOp>(price, index(programs.sumWeights[0]));
  // What packs, makes or turns an operand.
  for (const Product &part : parts) {
    if (part.part != Part::Pack && part.part != Part::Right &&
        part.part != Part::Turn)
      continue;
    ArrayRef<int64_t> weights =
        part.part == Part::Pack    ? ArrayRef(programs.packWeights)
        : part.part == Part::Right ? ArrayRef(programs.makeWeights)
                                   : ArrayRef(programs.turnWeights);
    price = fold<arith::AddIOp>(
        price,
        fold<arith::MulIOp>(ofBusiest(elementsOf(part)), index(weights[1])));
    price = fold<arith::AddIOp>(price, index(weights[0]));
  }
  return price;
}

/// Whether a schedule is for a launch: what it is not for gets no price to
/// which something may be added.
Value PlanEmitter::suits(const Priced &priced, Value tiles, Value steps) {
  const Product &product = priced.part;
  Value result = boolean(true);
  auto hasRowsOfOneTile = [&] {
    return compare(arith::CmpIPredicate::ule, extentOf(product, product.m()),
                   index(product.tile[product.m()]));
  };
  if (programs.isBrief(priced.number))
    conjoin(result, compare(arith::CmpIPredicate::ule, steps,
                            index(schedule::kMostBriefSteps)));
  else if (programs.standsBesideRoles(priced.number))
    conjoin(result, hasRowsOfOneTile());
  if (priced.schedule().getClusterSize() > 1)
    conjoin(result, hasTiles(priced));
  // K is shared where there are processors for it: with more rounds 39 of 40
  // sizes took longer than by other tiles (docs/benchmarks/2026-11-30).
  if (product.clusterK > 1)
    conjoin(result, compare(arith::CmpIPredicate::ule, tiles, index(1)));
  if (product.part == Part::Whole)
    return result;
  const Split &split = splits[priced.number].products[priced.product];
  if (hideOthers(product, priced.schedule()))
    conjoin(result, compare(arith::CmpIPredicate::ult, index(1),
                            split.sums.extents[0]));
  if (product.part == Part::Stream)
    conjoin(result,
            compare(arith::CmpIPredicate::ne, split.stream.shares, index(0)));
  // Where a tile does not hold all queries of a head of keys, every tile of
  // them would read these.
  else if (product.isPacked())
    conjoin(result, hasRowsOfOneTile());
  return result;
}

/// What adding up slices, or what streamed tiles leave, takes beside them.
Value PlanEmitter::withSums(const Priced &priced, Value price) {
  const Product &product = priced.part;
  bool isStream = product.part == Part::Stream;
  auto parts = priced.parts();
  const Split &split = splits[priced.number].products[priced.product];
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
    price = fold<arith::AddIOp>(
        price, fold<arith::MulIOp>(split.sums.extents[0],
                                   index(programs.sumWeights[0] / 4)));
  }
  price = fold<arith::AddIOp>(
      price, fold<arith::MulIOp>(elements, index(programs.sumWeights[1])));
  if (!isStream && isPersistent(priced.schedule()))
    price = fold<arith::AddIOp>(price, ofSmallSum(split.sums));
  price = fold<arith::AddIOp>(price, index(programs.sumWeights[0]));
  return price;
}

/// What tiles cost at a price of one, and at least.
Value PlanEmitter::ofTiles(const Priced &priced, Value tiles, Value weight) {
  const ScheduledProducts &entry = priced.entry;
  Value result = fold<arith::MulIOp>(tiles, weight);
  int64_t resident = entry.aloneWeight
                         ? residentTogether(kernel, entry.schedule, priced.part)
                         : 0;
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
  return withPartOfStep(priced, withRows(priced, result));
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
  Value result = ofTiles(priced, tiles, weight);
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
  if (product.longestFirst && product.part == Part::Whole)
    result = fold<arith::MulIOp>(seenByBusiest(product, tiles, keys), weight);
  else if (product.part == Part::Stream)
    result = fold<arith::MulIOp>(keysOfStream(product, entry.schedule), weight);
  else
    result = fold<arith::MulIOp>(result, keys);
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
  result = withDispatches(priced, result);
  Value isFor = suits(priced, tiles, steps);
  if (product.part != Part::Whole)
    result = withSums(priced, result);
  return onlyIf(isFor, result);
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
