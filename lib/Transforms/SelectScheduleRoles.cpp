// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// helios-select-schedule: the schedules with roles that fit a target.

#include "SelectSchedule.h"

using namespace mlir;
using namespace helios;
using namespace helios::schedule;

/// Roles: slots in which a replica stores.
static constexpr int64_t kStoreSlots = 2;
/// Steps of small tiles take less than the memory's latency, and more of them
/// are on the way where K is long: 64x64x64 in twelve slots takes 10.4 us at
/// 512x512x4096 NT, in eight 12.0 (docs/benchmarks, strips).
static constexpr int64_t kMaxDepth = 16;
/// Registers that an assembler wants of those at launch for an instruction,
/// beside its accumulators.
static constexpr int64_t kBesideInstruction = 26;
/// Registers of a lane that clusters take on top: an epilogue with a sine
/// spilled beside 176 accumulators.
static constexpr int64_t kClusterRegisters = 20;
/// Registers of a lane that looking for groups of rows takes on top of
/// products, and the most rows of a tile then, in those of an instruction: with
/// fewer and more, lanes spilled. Most groups have few rows.
static constexpr int64_t kSearchRegisters = 56, kMostRowsOfGroups = 2;
/// Workgroups of a cluster along one side at most. Eight were hardly ever
/// faster than four (docs/benchmarks, sweep-clusters.jsonl).
static constexpr int64_t kMostShared = 4;
/// Clusters along both sides.
static constexpr std::array<int64_t, 2> kBothSides[] = {{2, 2}, {4, 2}, {2, 4}};
/// Tiles have a multiple of so many columns, and so many at least: what a step
/// of fewer waits for counts more than its products.
static constexpr int64_t kColumns = 16, kLeastColumns = 32;
/// Slots for loads that are worth more than a second one for stores.
static constexpr int64_t kEnoughDepth = 4;

/// Why an instruction does not take a side in a layout; empty if it does.
static std::string refusal(tile::MmaAttrInterface mma, tile::Side side,
                           Attribute layout) {
  MLIRContext *context = mma.getContext();
  std::string text;
  ScopedDiagnosticHandler handler(
      context, [&](Diagnostic &diagnostic) { text = diagnostic.str(); });
  if (succeeded(mma.checkOperand(
          [&] { return emitError(UnknownLoc::get(context)); }, side, layout)))
    return {};
  return text;
}

std::string schedule::whyNotHeld(tile::MmaAttrInterface mma,
                                 ArrayRef<int64_t> groups) {
  return refusal(mma, tile::Side::Acc, mma.getLayout(tile::Side::Acc, groups));
}

std::string schedule::whyNotRead(MatmulOp op, tile::MmaAttrInterface mma,
                                 tile::CopyAttrInterface copy,
                                 ScheduleAttr schedule) {
  ArrayRef<int64_t> tile = schedule.getTile(), groups = schedule.getGroups();
  SmallVector<int64_t> shape = mma.getMmaShape();
  int64_t elementBytes = bytesOf(op.getLhsElement());
  int64_t deep = schedule.getSlicedK()[0] * shape[2];
  auto blockAlongRow = [&](tile::Side side, bool transposed) {
    if (side == tile::Side::A)
      return transposed ? groups[0] * shape[0] : deep;
    return transposed ? deep : groups[1] * shape[1];
  };
  auto reads = [&](tile::Side side, int64_t rows, int64_t columns,
                   bool transposed) -> std::string {
    if (transposed)
      std::swap(rows, columns);
    auto layout =
        dyn_cast_or_null<tile::LayoutAttrInterface>(copy.getSharedLayout(
            {rows, columns}, mma.getElementType(side), 1, /*mayFill=*/true));
    if (!layout)
      return "expected rows of whole copies of " +
             std::to_string(copy.getGranule()) + " bytes, got rows of " +
             std::to_string(columns) + " elements";
    if (int64_t most = copy.getMaxRows(); most && rows > most)
      return "expected tiles of at most " + std::to_string(most) +
             " rows in memory, got " + std::to_string(rows);
    int64_t bytes = layout.getBytes({rows, columns}, mma.getElementType(side));
    if (bytes % kSlotBytes)
      return "expected tiles of a multiple of " + std::to_string(kSlotBytes) +
             " bytes, where swizzles repeat, got " +
             shapeText({rows, columns}) + " elements of " +
             std::to_string(elementBytes) + " bytes";
    if (!bitEnumContainsAny(mma.getPlaces(side), tile::Place::Shared)) {
      // Lanes read fragments; those of all groups lie side by side, and none
      // may reach from one panel of swizzled rows into the next.
      auto shared = dyn_cast<tile::SharedAttr>(layout);
      int64_t panel = shared ? shared.getSwizzle() / elementBytes : 0;
      int64_t block = blockAlongRow(side, transposed);
      if (panel && columns > panel && panel % block && block % panel)
        return "expected groups that cover a divisor or a multiple of " +
               std::to_string(panel) + " elements of a row, got " +
               std::to_string(block);
      return {};
    }
    return refusal(mma, side, transposed ? layout.getTransposed() : layout);
  };
  // What lanes make operands of lies in slots as it is stored.
  auto fills = [&](Value operand, int64_t elements) -> std::string {
    int64_t bytes = elements * bytesOf(getElementTypeOrSelf(operand.getType()));
    return bytes % kSlotBytes
               ? "expected tiles of a multiple of " +
                     std::to_string(kSlotBytes) + " bytes as stored, got " +
                     std::to_string(bytes)
               : std::string();
  };
  std::string why =
      reads(tile::Side::A, tile[0], tile[2], readsTransposedA(op, schedule));
  if (why.empty())
    why =
        reads(tile::Side::B, tile[2], tile[1], readsTransposedB(op, schedule));
  if (why.empty() && computesLeft(op, schedule))
    why = fills(op.getLhs(), tile[0] * tile[2]);
  if (why.empty() && computesRight(op, schedule))
    why = fills(op.getRhs(), tile[1] * tile[2] / op.getParts());
  return why;
}

std::string schedule::whyNotIssued(MatmulOp op, ScheduleAttr schedule,
                                   tile::MmaAttrInterface mma,
                                   tile::TargetAttrInterface target) {
  int64_t groups =
      llvm::product_of(schedule.getGroups()) * schedule.getTurns()[0];
  auto registers = tile::getRoleRegisters(target, groups, mma.getLaneCount());
  if (!registers)
    return {};
  int64_t atLaunch =
      (registers->copying + groups * registers->computing) / (groups + 1);
  SmallVector<int64_t> shape = mma.getMmaShape();
  int64_t needed =
      llvm::divideCeil(shape[0] * shape[1] * bytesOf(op.getAccType()),
                       4 * mma.getLaneCount()) +
      kBesideInstruction;
  if (needed <= atLaunch)
    return {};
  return (Twine("instruction ") + shapeText(shape) + " needs " + Twine(needed) +
          " registers of a lane, " + Twine(needed - atLaunch) +
          " more than the " + Twine(atLaunch) + " that a launch of " +
          Twine(groups + 1) +
          " groups gives; use fewer groups or a narrower instruction")
      .str();
}

int64_t schedule::mostSlots(MatmulOp op, ScheduleAttr schedule,
                            tile::MmaAttrInterface mma,
                            tile::TargetAttrInterface target) {
  int64_t sums = getSharedSumBytes(op, schedule);
  int64_t step = ScheduleNeeds::get(op, schedule.with(kScheduleDepth, {1}), mma)
                     .sharedBytes -
                 sums;
  if (!hasRoles(schedule))
    return std::min(kMostGroupSlots, target.getSharedBytes() / step);
  // Results of each type go through a ring of their own.
  SmallPtrSet<Type, 4> results;
  for (Type type : op->getResultTypes())
    results.insert(getElementTypeOrSelf(type));
  // A slot has two barriers of 8 bytes.
  auto depthBeside = [&](int64_t storeSlots) {
    int64_t stores = storeSlots * int64_t(results.size()) *
                     schedule.getTurns()[0] * schedule.getNumGroups() *
                     tile::getSlabRows(mma) * kRowBytes;
    return (target.getSharedBytes() - stores - sums) / (step + 16);
  };
  int64_t depth = depthBeside(kStoreSlots);
  if (depth < kEnoughDepth)
    depth = std::min(kEnoughDepth, depthBeside(1));
  return std::min(kMaxDepth, depth);
}

/// Steps of fewer bytes take two rows of the engine's instead of one: what
/// groups wait for in each counts more than the products in it.
static constexpr int64_t kShortStepBytes = 12 << 10;

/// Elements of k in a step of tiles with so many rows and columns.
static int64_t stepOf(MatmulOp op, tile::MmaAttrInterface mma, int64_t rows,
                      int64_t columns) {
  int64_t bytes = bytesOf(op.getLhsElement());
  int64_t step = std::max(mma.getMmaShape()[2], kRowBytes / bytes);
  // Sums that leave the engine do so between steps.
  int64_t part = getPartDepth(op, mma);
  bool isShort = (rows + columns) * step * bytes <= kShortStepBytes;
  return isShort && (!part || 2 * step <= part) ? 2 * step : step;
}

/// Whether tiles have so many of a result's columns, or of its rows where the
/// engine takes those as its columns: a multiple of some, from so many on, or
/// all that there are.
static bool isTried(int64_t extent, int64_t columns) {
  return (columns % kColumns == 0 && columns >= kLeastColumns) ||
         (!ShapedType::isDynamic(extent) && extent <= columns &&
          columns - extent < 8);
}

/// Whether an instruction with exchanged operands is tried: for tiles that
/// others do not make, whose rows are no multiple of theirs. Tiles of fewer
/// rows were no faster than those of fewer columns that they mirror
/// (docs/benchmarks, exchanged roles). Lanes hold neighbours of a column then,
/// which reductions along rows would combine across groups; grouped products
/// are not measured.
static bool isExchangeTried(MatmulOp op, tile::MmaAttrInterface mma) {
  SmallVector<int64_t> shape = mma.getMmaShape();
  return shape[0] > shape[1] && shape[0] % shape[1] != 0 && !op.isGrouped() &&
         !op.reducesAlong(ReducedAxis::N);
}

/// A schedule in clusters. Workgroups that share tiles wait for each other,
/// which pays where products do not hide what fewer of them have to copy. Those
/// along both sides come last, whatever those along one save. Where batches
/// give items places in both operands the role that copies spilled with them;
/// with right operands that are made first they were not measured.
static SmallVector<ScheduleAttr> clustersOf(MatmulOp op, ScheduleAttr alone,
                                            tile::MmaAttrInterface mma,
                                            tile::TargetAttrInterface target) {
  const tile::TargetCosts &costs = target.getCosts();
  double products = clocksOfProducts(op, alone, mma, costs);
  auto known = [](int64_t extent) {
    return ShapedType::isDynamic(extent) ? std::numeric_limits<int64_t>::max()
                                         : extent;
  };
  auto isShared = [&](ScheduleAttr together) {
    return whyNotShared(op, together, target).empty() &&
           !hasIdle(together, known(op.getM()), known(op.getN()));
  };
  SmallVector<ScheduleAttr> found;
  double least = clocksOfCopies(op, alone, costs, /*aligned=*/false);
  bool copiesBound = least > products;
  for (int64_t size = 2; size <= std::min(kMostShared, target.getMaxCluster());
       size *= 2) {
    if (least <= products)
      break;
    for (int64_t rows : {size, int64_t(1)}) {
      ScheduleAttr together = alone.with(kScheduleCluster, {rows, size / rows});
      if (!isShared(together))
        continue;
      found.push_back(together);
      least = std::min(least,
                       clocksOfCopies(op, together, costs, /*aligned=*/false));
    }
  }
  if (copiesBound && op.getResult().getType().getRank() == 2 &&
      !makesRight(alone))
    for (ArrayRef<int64_t> both : kBothSides)
      if (ScheduleAttr together = alone.with(kScheduleCluster, both);
          isShared(together))
        found.push_back(together);
  return found;
}

int64_t schedule::turnFor(MatmulOp op, tile::MmaAttrInterface mma,
                          tile::CopyAttrInterface copy) {
  if (!copy)
    return 0;
  // Layouts of any size tell which of both orders can be read.
  constexpr int64_t extent = 64;
  auto layoutOf = [&](tile::Side side) {
    return dyn_cast_or_null<tile::LayoutAttrInterface>(copy.getSharedLayout(
        {extent, extent}, mma.getElementType(side), 1, /*mayFill=*/true));
  };
  auto isRead = [&](tile::Side side, bool transposed) {
    auto layout = layoutOf(side);
    return layout &&
           refusal(mma, side, transposed ? layout.getTransposed() : layout)
               .empty();
  };
  // Lanes may read whole fragments, or element by element.
  auto isLoaded = [&](tile::Side side, bool transposed) {
    auto layout = layoutOf(side);
    return layout &&
           mma.canLoad(side, transposed ? layout.getTransposed() : layout);
  };
  auto wants = [&](tile::Side side, bool transposed) {
    return bitEnumContainsAny(mma.getPlaces(side), tile::Place::Shared)
               ? !isRead(side, transposed) && isRead(side, !transposed)
               : !isLoaded(side, transposed) && isLoaded(side, !transposed);
  };
  // Of all groups' right operands few may be wanted.
  return (wants(tile::Side::A, op.getTransposeA()) ? kTurnLeft : 0) +
         (!op.isGrouped() && wants(tile::Side::B, op.getTransposeB())
              ? kTurnRight
              : 0);
}

SmallVector<Candidate> schedule::rolesThatFit(MatmulOp op,
                                              tile::TargetAttrInterface target,
                                              bool makesRight) {
  tile::CopyAttrInterface copy =
      target.getCopy(tile::stringifyStrategy(tile::Strategy::Roles));
  SmallVector<Candidate> candidates;
  // Rows stay in the cache from one round to the next where columns are new, so
  // that fewer rows are walked together than what processors have would make.
  int64_t walked = target.getCosts().processors / 2;
  ScheduleAttr base =
      ScheduleAttr::getDefault(op.getContext())
          .with(kScheduleStrategy, {int64_t(tile::Strategy::Roles)})
          .with(kScheduleItems, {int64_t(tile::Distribution::Persistent)})
          .with(kScheduleApart, {apartFor(op, makesRight)});
  // Replicas share no memory through which columns would meet.
  if (computesLeft(op, base) || computesRight(op, base) ||
      op.reducesAlong(ReducedAxis::M))
    return candidates;
  for (tile::MmaAttrInterface mma : target.getMmas(
           op.getLhsElement(), op.getRhsElement(), op.getAccType())) {
    SmallVector<int64_t> shape = mma.getMmaShape();
    if (!copy || !suits(mma, tile::Strategy::Roles))
      continue;
    bool exchanged = mma.isExchanged();
    // Groups lie along the engine's rows.
    int64_t along = exchanged ? 1 : 0, across = 1 - along;
    if (!isTried(exchanged ? op.getM() : op.getN(), shape[across]) ||
        (exchanged && !isExchangeTried(op, mma)))
      continue;
    // Groups that share a tile, or take one each in turns.
    static constexpr std::array<int64_t, 2> kKinds[] = {
        {3, 1}, {2, 1}, {1, 1}, {1, 2}};
    for (auto [replicas, turns] : kKinds)
      for (int64_t rows : {shape[along], 2 * shape[along]}) {
        SmallVector<int64_t> extents(shape), groups(2, 1);
        extents[along] = replicas * rows;
        groups[along] = replicas;
        extents[2] = stepOf(op, mma, extents[0], extents[1]);
        auto candidate = base.with(kScheduleTile, extents)
                             .with(kScheduleRaster,
                                   {rasterFor(extents[0], extents[1], walked)})
                             .with(kScheduleGroups, groups)
                             .with(kScheduleTurns, {turns})
                             .with(kScheduleMma, shape);
        candidate = candidate.with(kScheduleTurn, {turnFor(op, mma, copy)});
        if (!whyNotHeld(mma, groups).empty() ||
            !whyNotScaled(op, candidate).empty() ||
            !whyNotRead(op, mma, copy, candidate).empty())
          continue;
        ScheduleNeeds needs =
            ScheduleNeeds::get(op, candidate.with(kScheduleDepth, {1}), mma);
        int64_t depth = mostSlots(op, candidate, mma, target);
        auto registers = tile::getRoleRegisters(target, replicas * turns,
                                                mma.getLaneCount());
        if (depth < 2 || needs.invocations > target.getMaxInvocations() ||
            (registers && needs.registers > registers->computing) ||
            !whyNotIssued(op, candidate, mma, target).empty())
          continue;
        if (op.isGrouped() &&
            (replicas * rows > kMostRowsOfGroups * shape[0] ||
             (registers &&
              needs.registers + kSearchRegisters > registers->computing)))
          continue;
        candidate = candidate.with(kScheduleDepth, {depth});
        auto add = [&](ScheduleAttr added) {
          double cost = costOf(op, added, mma, target);
          candidates.push_back(
              {added,
               cost,
               costOf(op, added, mma, target, /*aligned=*/false),
               cost,
               costOfItem(op, added, target.getCosts()),
               /*overlaps=*/false,
               costOutside(op, target.getCosts()),
               {costOfLines(op, added, target.getCosts(), /*aligned=*/false),
                costOfLines(op, added, target.getCosts(), /*aligned=*/true)}});
          candidates.back().exchanged = exchanged;
        };
        add(candidate);
        if (!copy.canMulticast() ||
            (registers &&
             needs.registers + kClusterRegisters > registers->computing))
          continue;
        for (ScheduleAttr together : clustersOf(op, candidate, mma, target))
          add(together);
      }
  }
  return candidates;
}
