// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// helios-to-tile: where rows of operands allow narrow copies alone, what a
// launch that makes these takes, beside one that copies operands into wider
// rows first.

#include "HeliosToTilePlan.h"
#include "SelectSchedule.h"

using namespace mlir;
using namespace helios;
using namespace helios::totile;

/// What launches with copied operands take more, in clocks, where rows of
/// results are no whole wide units: about the median of six sizes
/// (docs/benchmarks, sweep-narrow.jsonl).
static constexpr int64_t kStoredSingly = 3000;

/// So many clocks of each.
Value PlanEmitter::scaled(Value count, double clocks) {
  constexpr int64_t kParts = 1024;
  return fold<arith::DivUIOp>(
      fold<arith::MulIOp>(count, index(std::llround(clocks * kParts))),
      index(kParts));
}

/// Clocks that a launch of a narrow schedule takes: rounds of its items, and
/// adding up slices.
Value PlanEmitter::clocksOfNarrow(unsigned number) {
  enter(number);
  const ScheduledProducts &entry = programs.schedules[number];
  const tile::TargetCosts &costs =
      cast<tile::TargetAttrInterface>(kernel.getTargetAttr()).getCosts();
  const Product &part = entry.first();
  Value units = device(tile::DeviceProperty::ComputeUnits);
  auto ofBusiest = [&](Value count) {
    return fold<arith::CeilDivUIOp>(count, units);
  };
  bool isSplit = part.part == Part::Slices;
  Value elements =
      isSplit ? fold<arith::MulIOp>(splits[number].products.front().steps,
                                    index(part.tile[part.k()]))
              : extentOf(part, part.k());
  Value result = fold<arith::MulIOp>(
      ofBusiest(items(part)),
      fold<arith::AddIOp>(fold<arith::MulIOp>(elements, index(entry.weight)),
                          index(entry.itemWeight)));
  if (!isSplit)
    return result;
  const Placed &sums = splits[number].products.front().sums;
  Value added =
      ofBusiest(fold<arith::MulIOp>(sums.extents[0], sums.strides[0]));
  return fold<arith::AddIOp>(
      fold<arith::AddIOp>(result, index(std::llround(costs.sumDispatch))),
      scaled(added, costs.sumElement));
}

/// Bytes of the operands that a launch has to copy. The lanes of what copies
/// have whole tiles of rows, however few elements these have.
Value PlanEmitter::copiedBytes(const Product &product) {
  OperandCopies &copies = programs.copies.back();
  Value needsAll = needsAllCopies(product), bytes = index(0);
  for (unsigned operand : copies.operands) {
    const Access &access = product.accesses[operand];
    ArrayRef<Value> extents = placed(access).extents;
    Value columns = index(copies.product.tile.back());
    Value size = fold<arith::MulIOp>(
        fold<arith::MulIOp>(fold<arith::CeilDivUIOp>(extents.back(), columns),
                            columns),
        index(tile::getStoredBits(access.elementType) / 8));
    for (Value extent : extents.drop_back())
      size = fold<arith::MulIOp>(size, extent);
    Value isCopied = fold<arith::OrIOp>(needsAll, isNarrow(access));
    bytes = fold<arith::AddIOp>(bytes, select(isCopied, size, index(0)));
  }
  return bytes;
}

/// Clocks that a launch takes which copies those operands first that need it.
/// `narrow`: those of a narrow schedule.
Value PlanEmitter::clocksOfCopied(const Product &product, Value narrow) {
  const tile::TargetCosts &costs =
      cast<tile::TargetAttrInterface>(kernel.getTargetAttr()).getCosts();
  Value units = device(tile::DeviceProperty::ComputeUnits);
  Value ofCopies = scaled(fold<arith::CeilDivUIOp>(copiedBytes(product), units),
                          costs.copyByte);
  // What multiplies the copies. Prices of grids alone are no clocks: half of
  // what narrow copies take is taken for them.
  Value wide = fold<arith::DivUIOp>(narrow, index(2));
  if (least && programs.workgroupWeight)
    wide = fold<arith::DivUIOp>(
        least,
        index(std::llround(schedule::kWeightOfUnit * schedule::inUnits(1))));
  Value single = select(hasWideRows(product), index(0), index(kStoredSingly));
  return fold<arith::AddIOp>(
      fold<arith::AddIOp>(ofCopies, index(std::llround(costs.copyDispatch))),
      fold<arith::AddIOp>(wide, single));
}

/// Whether a launch takes this of the narrow schedules: no other one, nor
/// copies, would take less, and no table names another.
Value PlanEmitter::isBestOfNarrow(unsigned number) {
  Value result = boolean(true), clocks = clocksOfNarrow(number);
  for (Value named : tuned)
    conjoin(result, fold<arith::XOrIOp>(named, boolean(true)));
  for (unsigned other = programs.narrow; other < programs.scattered; ++other)
    if (other != number)
      conjoin(result, compare(other < number ? arith::CmpIPredicate::slt
                                             : arith::CmpIPredicate::sle,
                              clocks, clocksOfNarrow(other)));
  const Product &whole = programs.schedules.front().products.front();
  enter(0);
  if (!programs.copies.empty())
    conjoin(result, compare(arith::CmpIPredicate::sle, clocks,
                            clocksOfCopied(whole, clocks)));
  enter(number);
  return result;
}
