// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// helios-select-schedule: the schedules that fit a target.

#include "SelectSchedule.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace helios;
using namespace helios::schedule;

/// Instruction steps of a loop's trip up to which drivers gain by unrolling it
/// further; longer bodies then run out of registers.
static constexpr int64_t kUnrolledSteps = 2;
/// Larger workgroups wait longer at their barriers than they gain.
static constexpr int64_t kMaxGroups = 8;
/// Of schedules for few tiles: steps of K, products before which packed
/// operands are read where two buffers leave time for it, and the least groups
/// and extents of tiles, as measured (docs/benchmarks): one or two groups took
/// 1.2 to 2 times as long as four. Where a lane has more sums, reading so
/// early took longer than one product ahead.
static constexpr int64_t kShortestOfFew = 64, kLongestStep = 256,
                         kAheadOfFew = 3, kMostSumsBeside = 64,
                         kLeastGroupsOfFew = 4, kLeastExtentOfFew = 32;
/// And a prologue's groups in one step, a count: a loop carries whole units of
/// both operands and the scale of each, 16 registers of a lane, of which 16
/// groups leave none.
static constexpr int64_t kMostGroupsOfFew = 8;

/// Whether a loop that reads packed operands early is best kept as it is. That
/// was measured, not explained: 64x128 by four groups, which read three
/// products ahead, took 0.93 to 0.995 of the time at all of 15 sizes, and less
/// where the code of other kernels runs in between; 64x256 and 32x128 took up
/// to 1.6 times as long (docs/benchmarks).
static bool isLoop(ScheduleAttr schedule) {
  return schedule.getTile() == ArrayRef<int64_t>{64, 128, 64} &&
         schedule.getGroups() == ArrayRef<int64_t>{1, 4} &&
         schedule.getAhead()[0] == kAheadOfFew;
}

/// Rows and columns up to which tiles are tried at least, one after the other
/// until one fits: any operand can be cut into tiles of the last.
static constexpr int64_t kLeastExtents[] = {1, 16, 64};

tile::Strategy schedule::preferredStrategy(MatmulOp op,
                                           tile::TargetAttrInterface target) {
  // The target names its strategies in rising order of preference.
  SmallVector<StringRef> strategies = target.getStrategies();
  if (strategies.back() == tile::stringifyStrategy(tile::Strategy::Roles)) {
    // Roles need an instruction that reads the operands as they lie in memory.
    // Where M is contiguous, it decides whether copies fit; what is taken where
    // they do not adds up in its own order.
    bool mayDiffer = op.getBatchInvariant() && op.getTransposeA();
    if (!mayDiffer && !rolesThatFit(op, target).empty())
      return tile::Strategy::Roles;
    strategies.pop_back();
  }
  return *tile::symbolizeStrategy(strategies.back());
}

/// Extents of a tile along one dimension: a unit times powers of two, and three
/// quarters of the largest where rings hold it as well as any other.
static SmallVector<int64_t> extentsUpTo(int64_t largest, int64_t unit,
                                        bool staged) {
  SmallVector<int64_t> extents;
  for (int64_t extent = unit; extent <= largest; extent *= 2) {
    int64_t between = extent / 4 * 3;
    if (!staged && extent == largest && extent % 4 == 0 && between % unit == 0)
      extents.push_back(between);
    extents.push_back(extent);
  }
  return extents;
}

int64_t schedule::rasterFor(int64_t tm, int64_t tn, int64_t workgroups) {
  int64_t raster = 1;
  while (2 * raster * raster * tm < workgroups * tn)
    raster *= 2;
  return raster;
}

namespace {
/// What grids are for.
struct GridOptions {
  bool scattered = false;  ///< nothing is known of rows
  bool packs = false;      ///< each launch packs the right operand first
  bool makesRight = false; ///< and makes the right ones before
  bool few = false;        ///< launches of few tiles
  int64_t turn = 0;        ///< and turns these operands before
  int64_t least = 1; ///< rows and columns up to which tiles are tried, whatever
                     ///< the result has
};
} // namespace

/// The schedules that fit, of a strategy whose groups stand in a grid.
static SmallVector<Candidate> gridsThatFit(MatmulOp op,
                                           tile::TargetAttrInterface target,
                                           tile::Strategy known,
                                           tile::MmaAttrInterface mma,
                                           const GridOptions &options) {
  auto [scattered, packs, makesRight, few, turn, least] = options;
  tile::CopyAttrInterface copy = target.getCopy(tile::stringifyStrategy(known));
  bool staged = known == tile::Strategy::Staged;
  SmallVector<int64_t> shape = mma.getMmaShape();
  int64_t vector = std::max<int64_t>(1, target.getVectorBytes() /
                                            bytesOf(op.getLhsElement()));
  // Without subgroups to rely on, the lanes of one instruction are the whole
  // workgroup.
  int64_t maxGroups = target.getSubgroupSize() == 0
                          ? 1
                          : std::min(kMaxGroups, target.getMaxInvocations() /
                                                     mma.getLaneCount());
  // A tile far larger than a static extent computes nothing but padding.
  auto largest = [](int64_t extent) {
    return ShapedType::isDynamic(extent)
               ? int64_t(256)
               : std::min<int64_t>(
                     256, llvm::PowerOf2Ceil(std::max<int64_t>(1, extent)));
  };
  SmallVector<Candidate> candidates;
  ScheduleAttr base =
      ScheduleAttr::getDefault(op.getContext())
          .with(kScheduleMma, shape)
          .with(kSchedulePad, {vector})
          .with(kScheduleStrategy, {int64_t(known)})
          .with(kSchedulePack, {int64_t(packs)})
          .with(kScheduleApart, {scattered ? 0 : apartFor(op, makesRight)})
          .with(kScheduleTurn, {turn});
  int64_t largestM = std::max({shape[0], largest(op.getM()), least}),
          largestN = std::max({shape[1], largest(op.getN()), least});
  // Extents along k of one step, and slots for them. Two buffers of both
  // operands leave room for short steps alone, or for one workgroup, and took a
  // third longer than one.
  bool constant = staged && takesPacked(op, base);
  SmallVector<std::pair<int64_t, int64_t>> steps;
  if (few) {
    // Of two buffers longer steps leave no room for a second workgroup.
    int64_t longest =
        ShapedType::isDynamic(op.getK())
            ? kLongestStep
            : std::clamp<int64_t>(
                  llvm::PowerOf2Ceil(std::max<int64_t>(1, op.getK())),
                  kShortestOfFew, kLongestStep);
    if (op.getGroupSize() > 1)
      longest = std::min(longest, kMostGroupsOfFew * op.getGroupSize());
    for (int64_t tk = std::max(kShortestOfFew, shape[2]); tk <= longest;
         tk *= 2)
      steps.emplace_back(tk, constant && tk == kShortestOfFew ? 2 : 1);
  } else {
    // Of rows that must not depend on the tile, steps have whole groups, and
    // all that an engine adds up before its sums leave it.
    int64_t longest = 64;
    if (op.getBatchInvariant() && op.getParts() > 1)
      longest = std::clamp(op.getGroupSize(), longest, kLongestStep);
    if (op.getBatchInvariant())
      longest = std::max(longest, getPartDepth(op, mma));
    for (int64_t tk = std::max<int64_t>(16, shape[2]); tk <= longest; tk *= 2)
      for (int64_t depth = staged ? 1 : 2;
           depth <= (constant ? 2
                     : staged ? 1
                              : kMostGroupSlots);
           ++depth)
        steps.emplace_back(tk, depth);
  }
  auto accumulatorsOf = [&](int64_t elements, int64_t lanes) {
    return op.getNumSums() * elements * bytesOf(op.getAccType()) / (4 * lanes);
  };
  // One instruction is the least that there is.
  int64_t mostAccumulators = target.getMaxAccumulators();
  if (mostAccumulators)
    mostAccumulators =
        std::max(mostAccumulators,
                 accumulatorsOf(shape[0] * shape[1], mma.getLaneCount()));
  for (int64_t gm = 1; gm <= maxGroups; gm *= 2)
    for (int64_t gn = 1; gm * gn <= maxGroups; gn *= 2)
      for (int64_t tm : extentsUpTo(largestM, gm * shape[0], staged))
        for (int64_t tn : extentsUpTo(largestN, gn * shape[1], staged))
          for (auto [tk, depth] : steps) {
            ScheduleAttr candidate = base.with(kScheduleTile, {tm, tn, tk})
                                         .with(kScheduleGroups, {gm, gn})
                                         .with(kScheduleDepth, {depth});
            bool farAhead = few && tm * tn <= kMostSumsBeside * gm * gn *
                                                  mma.getLaneCount();
            if (constant && depth == 2)
              candidate = candidate.with(kScheduleAhead,
                                         {farAhead ? kAheadOfFew : int64_t(1)});
            // Between the largest tiles one more leaves fewer processors idle;
            // smaller ones are close enough to each other.
            bool between = !llvm::isPowerOf2_64(tm / shape[0]) ||
                           !llvm::isPowerOf2_64(tn / shape[1]);
            bool isSmall = few && (gm * gn < kLeastGroupsOfFew ||
                                   std::min(tm, tn) < kLeastExtentOfFew);
            if ((between && 4 * tm * tn < largestM * largestN) || isSmall ||
                !whyNotHeld(mma, {gm, gn}).empty())
              continue;
            ScheduleNeeds needs =
                ScheduleNeeds::get(op, candidate, mma, scattered);
            int64_t accumulators = accumulatorsOf(tm * tn, needs.invocations);
            bool fits = needs.invocations <= target.getMaxInvocations() &&
                        needs.sharedBytes <= target.getSharedBytes() &&
                        tk % shape[2] == 0 &&
                        whyNotComputed(op, mma, candidate).empty() &&
                        whyNotScaled(op, candidate).empty() &&
                        (copy ? whyNotRead(op, mma, copy, candidate)
                              : whyNotCarried(op, mma, candidate, target))
                            .empty();
            auto within = [](int64_t need, int64_t limit) {
              return limit == 0 || need <= limit;
            };
            fits &= within(needs.registers, target.getMaxRegisters()) &&
                    within(accumulators, mostAccumulators) &&
                    within(needs.registers * needs.invocations,
                           target.getRegisterFile());
            if (!fits)
              continue;
            double cost = costOf(op, candidate, mma, target);
            // Trips in one let drivers load a packed operand early.
            if (staged && tk > kUnrolledSteps * shape[2] &&
                (!constant || (few && depth == 1) || isLoop(candidate)))
              candidate = candidate.with(kScheduleUnroll, {1});
            candidate = candidate.with(
                kScheduleRaster, {rasterFor(tm, tn,
                                            target.getCosts().processors *
                                                needs.getResident(target))});
            // What is packed is waited for where it is multiplied; priced so,
            // tiles became too large (docs/benchmarks).
            double alone = staged && constant
                               ? cost
                               : costOf(op, candidate, mma, target,
                                        /*aligned=*/true, /*alone=*/true);
            if (isTimedAlone(candidate, mma, target))
              alone =
                  std::max(cost, costOfStepAlone(op, candidate, mma, target));
            candidates.push_back({candidate, cost, cost, alone});
            candidates.back().resident = isTimedAlone(candidate, mma, target)
                                             ? needs.getResident(target)
                                             : 0;
          }
  return candidates;
}

FailureOr<SmallVector<Candidate>>
schedule::allThatFit(MatmulOp op, tile::TargetAttrInterface target) {
  auto mmas = instructions(op, target);
  if (failed(mmas))
    return failure();
  tile::Strategy strategy = preferredStrategy(op, target);
  if (strategy == tile::Strategy::Roles)
    return rolesThatFit(op, target);
  tile::MmaAttrInterface mma = instructionFor(strategy, *mmas);
  // Tiles as small as the result may be too small for the rows in memory that
  // they cut, or for swizzles.
  SmallVector<Candidate> candidates;
  for (int64_t least : kLeastExtents) {
    GridOptions options;
    options.least = least;
    candidates = gridsThatFit(op, target, strategy, mma, options);
    llvm::erase_if(candidates, [&](const Candidate &candidate) {
      return !whyNotInvariant(op, candidate.schedule, mma, target).empty();
    });
    if (!candidates.empty())
      break;
  }
  if (int64_t parts = op.getParts(), least = parts * mma.getMmaShape()[2];
      candidates.empty() && parts > 1 && op.getGroupSize() % least != 0)
    return op.emitOpError()
           << "has no schedule that fits target '" << target.getRowName()
           << "': expected a group of a multiple of " << least
           << " elements, the depth of instruction "
           << shapeText(mma.getMmaShape()) << " for each of the " << parts
           << " that are stored in one, got " << op.getGroupSize();
  if (candidates.empty())
    return op.emitOpError()
           << "has no schedule that fits target '" << target.getRowName()
           << "': one group of " << mma.getLaneCount()
           << " lanes with instruction " << shapeText(mma.getMmaShape())
           << " already exceeds its invocations or shared memory";
  return candidates;
}

SmallVector<Candidate> schedule::fewThatFit(MatmulOp op,
                                            tile::TargetAttrInterface target,
                                            bool makesRight) {
  auto mmas = instructions(op, target);
  if (failed(mmas) || preferredStrategy(op, target) != tile::Strategy::Staged)
    return {};
  tile::MmaAttrInterface mma = instructionFor(tile::Strategy::Staged, *mmas);
  GridOptions options;
  options.few = true;
  options.makesRight = makesRight;
  SmallVector<Candidate> candidates =
      gridsThatFit(op, target, tile::Strategy::Staged, mma, options);
  llvm::erase_if(candidates, [&](const Candidate &candidate) {
    return !isTimedAlone(candidate.schedule, mma, target) ||
           !whyNotInvariant(op, candidate.schedule, mma, target).empty();
  });
  return candidates;
}

SmallVector<Candidate> schedule::packedThatFit(MatmulOp op,
                                               tile::TargetAttrInterface target,
                                               bool makesRight) {
  if (!target.getCosts().packDispatch ||
      preferredStrategy(op, target) != tile::Strategy::Staged)
    return {};
  tile::MmaAttrInterface mma = instructionFor(
      tile::Strategy::Staged,
      target.getMmas(op.getLhsElement(), op.getRhsElement(), op.getAccType()));
  ScheduleAttr packs = ScheduleAttr::getDefault(op.getContext())
                           .with(kSchedulePack, {1})
                           .with(kScheduleApart, {apartFor(op, makesRight)});
  if (!whyNotPacked(op, packs, mma, target).empty())
    return {};
  GridOptions options;
  options.packs = true;
  options.makesRight = makesRight;
  return gridsThatFit(op, target, tile::Strategy::Staged, mma, options);
}

SmallVector<Candidate> schedule::madeThatFit(MatmulOp op,
                                             tile::TargetAttrInterface target) {
  auto mmas = instructions(op, target);
  if (failed(mmas) || !op.hasPrologue() || !target.getCosts().makeElement)
    return {};
  int64_t rows = op.getM();
  if (!ShapedType::isDynamic(rows) && rows < leastRowsOfMade(op))
    return {};
  SmallVector<Candidate> candidates =
      rolesThatFit(op, target, /*makesRight=*/true);
  if (candidates.empty()) {
    tile::Strategy strategy = preferredStrategy(op, target);
    GridOptions options;
    options.makesRight = true;
    candidates = gridsThatFit(op, target, strategy,
                              instructionFor(strategy, *mmas), options);
    llvm::append_range(candidates,
                       packedThatFit(op, target, /*makesRight=*/true));
  }
  llvm::erase_if(candidates, [&](const Candidate &candidate) {
    tile::MmaAttrInterface mma = instructionOf(candidate.schedule, *mmas);
    return !whyNotMadeFirst(op, candidate.schedule).empty() ||
           !whyNotInvariant(op, candidate.schedule, mma, target).empty();
  });
  return candidates;
}

SmallVector<Candidate>
schedule::turnedThatFit(MatmulOp op, tile::TargetAttrInterface target) {
  auto mmas = instructions(op, target);
  if (failed(mmas) || !target.getCosts().turnByte)
    return {};
  tile::Strategy strategy = preferredStrategy(op, target);
  tile::CopyAttrInterface copy =
      target.getCopy(tile::stringifyStrategy(strategy));
  if (!copy || strategy == tile::Strategy::Roles)
    return {};
  tile::MmaAttrInterface mma = instructionFor(strategy, *mmas);
  GridOptions options;
  options.turn = turnFor(op, mma, copy);
  if (!options.turn)
    return {};
  SmallVector<Candidate> candidates =
      gridsThatFit(op, target, strategy, mma, options);
  llvm::erase_if(candidates, [&](const Candidate &candidate) {
    return !whyNotTurned(op, candidate.schedule).empty() ||
           !whyNotInvariant(op, candidate.schedule, mma, target).empty();
  });
  return candidates;
}

/// Makes a candidate so many times as expensive.
static void scale(Candidate &candidate, double factor) {
  for (double *cost :
       {&candidate.cost, &candidate.unalignedCost, &candidate.aloneCost})
    *cost *= factor;
}

void schedule::priceBesideTurned(MatmulOp op, Candidate &candidate,
                                 tile::TargetAttrInterface target) {
  ScheduleAttr given = candidate.schedule;
  tile::CopyAttrInterface copy = target.getCopy(given.getStrategyName());
  auto mmas = instructions(op, target);
  if (failed(mmas) || !copy || hasRoles(given))
    return;
  int64_t wanted = turnFor(op, instructionOf(given, *mmas), copy);
  if (wanted & ~given.getTurn())
    scale(candidate, target.getCosts().readingElements);
}

void schedule::priceBesideMade(Candidate &candidate,
                               const tile::TargetCosts &costs) {
  if (!makesRight(candidate.schedule))
    scale(candidate, costs.computing);
}

/// Small products have a schedule of their own for scattered rows: the best for
/// square ones of this extent, and of few elements of K, since others have
/// copies made; a lane loads so many elements a step at most.
static constexpr int64_t kSmallExtent = 384, kSmallK = 32, kMostElements = 48;

SmallVector<WeighedSchedule>
schedule::forScatteredRows(MatmulOp op, tile::TargetAttrInterface target) {
  auto mmas = instructions(op, target);
  if (failed(mmas))
    return {};
  tile::MmaAttrInterface mma = instructionFor(tile::Strategy::Staged, *mmas);
  GridOptions options;
  options.scattered = true;
  SmallVector<Candidate> candidates =
      gridsThatFit(op, target, tile::Strategy::Staged, mma, options);
  llvm::erase_if(candidates, [&](const Candidate &candidate) {
    return !whyNotInOrder(op, candidate.schedule, mma).empty();
  });
  if (candidates.empty())
    return {};
  // A workgroup is priced as one that has a processor for itself: elements one
  // by one keep its groups as busy as more of them would. These prices put
  // large tiles before small ones at the sizes where they were faster on an
  // H200 (docs/benchmarks); tiles whose elements are not expected to fit in
  // registers were faster still.
  auto timeOf = [&](const Candidate &candidate) {
    ArrayRef<int64_t> tile = candidate.schedule.getTile();
    return costOf(op, candidate.schedule, mma, target, /*aligned=*/true,
                  /*alone=*/true) *
           tile[0] * tile[1];
  };
  auto priceOf = [&](const Candidate &candidate, int64_t extent, int64_t k) {
    auto extentOr = [&](int64_t given) {
      return ShapedType::isDynamic(given) ? extent : given;
    };
    ArrayRef<int64_t> tile = candidate.schedule.getTile();
    int64_t tiles = llvm::divideCeil(extentOr(op.getM()), tile[0]) *
                    llvm::divideCeil(extentOr(op.getN()), tile[1]);
    return timeOf(candidate) * llvm::alignTo(k, tile[2]) *
           std::max<int64_t>(tiles, target.getCosts().processors);
  };
  SmallVector<WeighedSchedule> found;
  for (auto [extent, k] : {std::pair(kTypicalExtent, kTypicalExtent),
                           std::pair(kSmallExtent, kSmallK)}) {
    const Candidate *best =
        llvm::min_element(candidates, [&](const auto &a, const auto &b) {
          return priceOf(a, extent, k) < priceOf(b, extent, k);
        });
    if (found.empty() || found.front().schedule != best->schedule)
      found.push_back(
          {best->schedule, std::max<int64_t>(1, std::llround(timeOf(*best)))});
    // What is loaded element by element stands in registers of its own.
    llvm::erase_if(candidates, [&](const Candidate &candidate) {
      ArrayRef<int64_t> tile = candidate.schedule.getTile();
      return (tile[0] + op.getNumSums() * tile[1]) * tile[2] >
             kMostElements * mma.getLaneCount() *
                 candidate.schedule.getNumGroups();
    });
    if (candidates.empty())
      break;
  }
  return found;
}
