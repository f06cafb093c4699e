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
