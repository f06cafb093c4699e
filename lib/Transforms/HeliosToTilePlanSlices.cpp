// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// helios-to-tile: what a launch plan decides of split products: how many slices
// there are, where they lie, and which queries are rows of an item.

#include "HeliosToTilePlan.h"
#include "ScheduleNeeds.h"

using namespace mlir;
using namespace helios;
using namespace helios::totile;

bool totile::hideOthers(const Product &product, ScheduleAttr schedule) {
  auto op = dyn_cast<MatmulOp>(product.op);
  return op && product.hasRowsOfOne && schedule.getSplitK()[0] == 0 &&
         computesRight(op, schedule);
}

/// The number of slices under a schedule: its own or, where it leaves that to
/// the launch, as many as give every processor an item, with so much each that
/// adding them up is cheap.
Value PlanEmitter::sliceCount(const ScheduledProducts &scheduled,
                              const Product &product, const Product &slices) {
  int64_t wanted = scheduled.schedule.getSplitK()[0];
  if (wanted != 0)
    return index(wanted);
  Value one = index(1);
  Value units = device(tile::DeviceProperty::ComputeUnits);
  auto target =
      dyn_cast_or_null<tile::TargetAttrInterface>(kernel.getTargetAttr());
  // Loads alone keep attention of few queries busy: as many as there is room
  // for. So it is where lanes compute the right operand of few rows:
  // 16x3584x18944 with weights of 4 bits took 18.6 us in 8 slices of 56 tiles,
  // of which a processor holds three, and 26.0 in two (docs/benchmarks).
  if (target &&
      (product.isAttention() || hideOthers(product, scheduled.schedule)))
    units = fold<arith::MulIOp>(
        units, index(residentOf(product, scheduled.schedule, target)));
  // Steps that wait take as long beside others: 512x768x3072 in 3, 4 and 5
  // slices of 48 tiles took 20.6, 18.6 and 17.6 us (docs/benchmarks).
  if (int64_t together = residentTogether(kernel, scheduled.schedule, product))
    units = fold<arith::MulIOp>(units, index(together));
  Value idle = fold<arith::DivUIOp>(
      units, fold<arith::MaxUIOp>(items(slices, false, slices.slices()), one));
  Value useful = fold<arith::DivUIOp>(
      extentOf(product, product.summed()),
      index(product.isAttention() ? kLeastKeys : scheduled.leastSlice));
  return fold<arith::MaxUIOp>(fold<arith::MinUIOp>(idle, useful), one);
}

/// Heads that share one of keys become rows of a tile. So do all queries, where
/// the distance of heads is that of so many queries in every tensor that has
/// either; else items have one query each.
void PlanEmitter::packRows(const Product &product) {
  Value one = index(1);
  headsOfRows = fold<arith::DivUIOp>(
      extentOf(product, product.heads()),
      fold<arith::MaxUIOp>(extentOf(product, product.keyHeads()), one));
  Value queries = extentOf(product, product.m());
  Value together = boolean(true);
  for (const Access &access :
       ArrayRef(product.accesses).drop_back(product.numResults)) {
    Value ofHeads = index(0), ofQueries = ofHeads;
    for (auto [dim, axis] : llvm::enumerate(access.axes))
      if (axis == product.heads())
        ofHeads = placed(access).strides[dim];
      else if (axis == product.m())
        ofQueries = placed(access).strides[dim];
    conjoin(together, compare(arith::CmpIPredicate::eq, ofHeads,
                              fold<arith::MulIOp>(queries, ofQueries)));
  }
  together = fold<arith::OrIOp>(
      together, compare(arith::CmpIPredicate::ule, headsOfRows, one));
  queriesOfRows = select(together, fold<arith::MaxUIOp>(queries, one), one);
}

/// The tensor of an access of `product` that has heads and queries as rows.
Placed PlanEmitter::pack(const Access &access, const Product &product) {
  const Placed &whole = placed(access.tensor, access.kept);
  Placed result{whole.pointer, {}, {}, whole.alignment, whole.name};
  Value one = index(1), zero = index(0);
  // Axes of the product that is not packed.
  int64_t heads = product.heads(), queries = product.m();
  Value extents[] = {one, one}, strides[] = {zero, zero};
  for (auto [dim, axis] : llvm::enumerate(access.unpacked))
    if (axis == heads || axis == queries) {
      extents[axis == queries] = whole.extents[dim];
      strides[axis == queries] = whole.strides[dim];
    }
  for (int64_t axis : access.axes) {
    Value extent, stride;
    if (axis == product.keyHeads()) {
      extent = fold<arith::DivUIOp>(extents[0],
                                    fold<arith::MaxUIOp>(headsOfRows, one));
      stride = fold<arith::MulIOp>(strides[0], headsOfRows);
    } else if (axis == heads) {
      extent = fold<arith::DivUIOp>(extents[1], queriesOfRows);
      stride = strides[1];
    } else if (axis == queries) {
      extent = fold<arith::MulIOp>(headsOfRows, queriesOfRows);
      Value single = compare(arith::CmpIPredicate::ule, queriesOfRows, one);
      stride = select(single, strides[0], strides[1]);
    } else {
      int64_t dim = llvm::find(access.unpacked, axis) - access.unpacked.begin();
      extent = whole.extents[dim];
      stride = whole.strides[dim];
    }
    result.extents.push_back(extent);
    result.strides.push_back(stride);
  }
  return result;
}

/// The sums of slices, for each schedule that splits what is summed. Slices are
/// whole steps of equal number; the last one may have fewer, none of a product
/// has no step.
void PlanEmitter::placeSlices() {
  splits.resize(programs.schedules.size());
  for (auto [scheduled, split] : llvm::zip(programs.schedules, splits)) {
    split.workspace = workspace;
    if (isStreamed(scheduled.schedule))
      placeStream(scheduled, split);
    if (scheduled.schedule.getSplitK()[0] == 1)
      continue;
    for (auto [product, slices] : llvm::zip(
             scheduled.products,
             llvm::make_filter_range(scheduled.parts, [](const Product &part) {
               return part.part == Part::Slices;
             }))) {
      int64_t axis = product.summed();
      Value steps = fold<arith::MaxUIOp>(
          fold<arith::CeilDivUIOp>(extentOf(product, axis),
                                   index(product.tile[axis])),
          index(1));
      Split &result = split.products.emplace_back();
      if (product.isAttention()) {
        if (!queriesOfRows)
          packRows(product);
        for (const Access &access : slices.accesses)
          if (!access.unpacked.empty() && access.kept == Kept::Tensor)
            packed[{access.tensor.getAsOpaquePointer(), access.kept}] =
                pack(access, product);
      }
      Value count = sliceCount(scheduled, product, slices);
      result.steps = fold<arith::CeilDivUIOp>(steps, count);
      result.slices = fold<arith::CeilDivUIOp>(steps, result.steps);
      if (product.isAttention()) {
        placePartials(product, slices, split, result);
        continue;
      }
      SmallVector<Value> extents{result.slices};
      for (int64_t axis = 0; axis < product.k(); ++axis)
        extents.push_back(extentOf(product, axis));
      auto op = cast<MatmulOp>(product.op);
      result.accumulator = op.getEpilogue().getArgument(0);
      result.sums = inWorkspace(op.getAccType(), std::move(extents),
                                split.workspace, "the slices of a product");
    }
  }
}

/// What slices of attention's keys leave: for each query its slices side by
/// side.
void PlanEmitter::placePartials(const Product &product, const Product &slices,
                                Splits &splits, Split &split) {
  for (const Access &access : slices.results()) {
    SmallVector<Value> extents;
    for (int64_t axis : access.unpacked)
      extents.push_back(axis == slices.slices() ? split.slices
                                                : extentOf(product, axis));
    Placed partials = inWorkspace(access.elementType, std::move(extents),
                                  splits.workspace, "the slices of attention");
    Key key{access.tensor.getAsOpaquePointer(), access.kept};
    if (access.kept == Kept::Partials)
      split.sums = partials;
    split.more[key] = partials;
    tensors[key] = std::move(partials);
    split.packed[key] = pack(access, product);
  }
}

/// Places what the items of each schedule leave of reductions: so many parts as
/// there are tiles along the axis.
void PlanEmitter::placeCombined() {
  for (auto [scheduled, split] : llvm::zip(programs.schedules, splits))
    for (const Product &product : scheduled.products)
      for (const Access &access : product.results()) {
        // What adds up slices has whole rows.
        if (access.kept != Kept::Combined ||
            scheduled.schedule.getSplitK()[0] != 1)
          continue;
        const Product::Groups &items = product.groupsOf(access.axes.front());
        SmallVector<Value> extents{fold<arith::CeilDivUIOp>(
            extentOf(product, items.axis), index(items.size))};
        for (int64_t axis : ArrayRef(access.axes).drop_front())
          extents.push_back(extentOf(product, axis));
        split.combined[{access.tensor.getAsOpaquePointer(), access.kept}] =
            inWorkspace(access.elementType, std::move(extents), split.workspace,
                        "the parts of a reduction");
      }
}

/// What a part makes of an operand, behind `bytes` of the workspace.
Placed PlanEmitter::madeInWorkspace(const Product &part, int64_t multipleOfK,
                                    Value &bytes) {
  const Access &made = part.accesses.back();
  auto extents = llvm::map_to_vector(made.axes, [&](int64_t axis) {
    return filledUp(extentOf(part, axis), axis == part.k() ? multipleOfK : 1);
  });
  std::string name = placed(part.accesses.front()).name;
  return inWorkspace(made.elementType, std::move(extents), bytes,
                     part.part == Part::Turn
                         ? name + " in rows along K"
                         : "what the prologue makes of " + name);
}

/// Places that, where a part makes it. Turned rows are filled up to whole
/// units, unless something else lies along K.
void PlanEmitter::placeMade() {
  for (auto [scheduled, split] : llvm::zip(programs.schedules, splits))
    for (const Product &part : scheduled.parts) {
      if (!part.isMaking())
        continue;
      const Access &made = part.accesses.back();
      bool fills = part.part == Part::Turn && !scheduled.first().readsAlongK();
      split.combined[{made.tensor.getAsOpaquePointer(), made.kept}] =
          madeInWorkspace(
              part, fills ? vectorElements(made.elementType, vectorBytes) : 1,
              split.workspace);
    }
}

/// Places the keys that queries of attention see, where a part finds them.
void PlanEmitter::placeRanges() {
  for (auto [scheduled, split] : llvm::zip(programs.schedules, splits))
    for (const Product &part : scheduled.parts) {
      if (part.part != Part::Ranges)
        continue;
      for (const Access &access : part.results())
        split.combined[{access.tensor.getAsOpaquePointer(), access.kept}] =
            inWorkspace(access.elementType,
                        llvm::map_to_vector(
                            access.axes,
                            [&](int64_t axis) { return extentOf(part, axis); }),
                        split.workspace, "the keys that queries see");
    }
}

/// Makes the slices of a schedule those that its accumulators stand for.
void PlanEmitter::enter(unsigned schedule) {
  for (auto &[key, placed] : splits[schedule].packed)
    packed[key] = placed;
  for (auto &[key, placed] : splits[schedule].combined)
    tensors[key] = placed;
  for (Split &split : splits[schedule].products) {
    for (auto &[key, placed] : split.more)
      tensors[key] = placed;
    for (auto &[key, placed] : split.packed)
      packed[key] = placed;
    if (!split.accumulator)
      continue;
    void *accumulator = split.accumulator.getAsOpaquePointer();
    tensors[{accumulator, Kept::Tensor}] = split.sums;
    steps[accumulator] = split.steps;
    streams[accumulator] = split.stream;
  }
}
