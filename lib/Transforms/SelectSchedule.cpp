// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// helios-select-schedule: gives a kernel a schedule that fits its target, or
// checks the one it has. Everything known about the target comes from its
// interface.

#include "SelectSchedule.h"
#include "helios/Transforms/Passes.h"

namespace helios {
#define GEN_PASS_DEF_HELIOSSELECTSCHEDULE
#include "helios/Transforms/Passes.h.inc"
} // namespace helios

using namespace mlir;
using namespace helios;
using namespace helios::schedule;

namespace {

/// Alternatives: at most so many, each of tiles at least so much smaller than
/// the one before and taking at least so much less time, at most so much dearer
/// than the best.
constexpr size_t kMaxAlternatives = 4;
constexpr double kSmallerTile = 0.8;
constexpr double kShorterTile = 0.83;
constexpr double kMostExpensive = 2;
/// One more has tiles at most so much larger than the best, of which a device
/// may need a whole round fewer; at most so much dearer.
constexpr double kLargerTile = 1.25;
constexpr double kLargerExpense = 1.1;
/// What adding up slices of attention's keys costs in the unit of timeOfKey: a
/// dispatch, and an element of a slice.
constexpr double kSumDispatch = 1000;
constexpr double kSumElement = 0.08;

class HeliosSelectSchedule
    : public helios::impl::HeliosSelectScheduleBase<HeliosSelectSchedule> {
public:
  using HeliosSelectScheduleBase::HeliosSelectScheduleBase;

  void runOnOperation() override {
    if (!tuned.empty()) {
      FailureOr<TunedTable> read = readTuned(tuned, getOperation());
      if (failed(read))
        return signalPassFailure();
      table = std::move(*read);
    }
    for (KernelOp kernel : getOperation().getOps<KernelOp>())
      if (failed(select(kernel)))
        return signalPassFailure();
  }

private:
  /// A cost as the plan computes with it.
  static int64_t weightOf(double cost) {
    return std::max<int64_t>(1, std::llround(kWeightOfUnit * cost));
  }

  /// The cheapest of candidates that are in that order, smaller tiles that the
  /// plan may prefer where few large ones would leave processors idle, and a
  /// larger one.
  static SmallVector<Candidate> smallerTiles(MatmulOp op,
                                             ArrayRef<Candidate> candidates) {
    auto areaOf = [](const Candidate &candidate) {
      return candidate.schedule.getTile()[0] * candidate.schedule.getTile()[1];
    };
    const Candidate &best = candidates.front();
    const Candidate *larger = nullptr;
    for (const Candidate &candidate : candidates)
      if (areaOf(candidate) > areaOf(best) &&
          areaOf(candidate) <= kLargerTile * areaOf(best) &&
          candidate.cost <= kLargerExpense * best.cost &&
          (!larger || candidate.cost < larger->cost))
        larger = &candidate;
    // Where smaller tiles are taken, processors have hardly more than one of
    // them, and nothing but its own slots hides what it waits for.
    auto alone = [](Candidate candidate) {
      candidate.cost = candidate.aloneCost;
      return candidate;
    };
    SmallVector<Candidate> sorted(candidates);
    llvm::stable_sort(sorted, [&](const Candidate &a, const Candidate &b) {
      return rankOf(op, alone(a)) < rankOf(op, alone(b));
    });
    // Where plans know of both times, a tile as large may be worth it, too.
    bool knowsBoth = leastTimeOf(best) > timeOf(best);
    SmallVector<Candidate> chosen{best};
    Candidate last = knowsBoth ? alone(best) : best;
    for (const Candidate &candidate : sorted) {
      Candidate next = alone(candidate);
      bool isSmaller =
          areaOf(next) <= kSmallerTile * areaOf(last) ||
          (knowsBoth && chosen.size() == 1 && areaOf(next) <= areaOf(last));
      if (!isSmaller || chosen.size() > kMaxAlternatives ||
          timeOf(next) > kShorterTile * timeOf(last) ||
          rankOf(op, next) > kMostExpensive * rankOf(op, best))
        continue;
      last = next;
      chosen.push_back(knowsBoth ? candidate : next);
    }
    if (larger)
      chosen.push_back(*larger);
    return chosen;
  }

  /// The time of a multiply-add with its part of an item's end, and of those
  /// that tiles compute beyond the edges.
  static double rankOf(MatmulOp op, const Candidate &candidate) {
    ArrayRef<int64_t> tile = candidate.schedule.getTile();
    int64_t k = ShapedType::isDynamic(op.getK())
                    ? kTypicalExtent
                    : std::max<int64_t>(1, op.getK());
    return (candidate.cost +
            candidate.item.each / (double(tile[0]) * tile[1] * k)) *
           paddingOf(op, candidate.schedule);
  }

  /// Clusters along both sides come behind all others: they serve strips, and
  /// by price alone would stand in front of faster ones.
  static void sortByRank(MatmulOp op, SmallVectorImpl<Candidate> &candidates) {
    auto order = [&](const Candidate &candidate) {
      return std::pair(clustersAlongBoth(candidate.schedule),
                       rankOf(op, candidate));
    };
    llvm::stable_sort(candidates, [&](const Candidate &a, const Candidate &b) {
      return order(a) < order(b);
    });
  }

  /// Smaller tiles that no portfolio holds, with slices of the cheapest of the
  /// sorted candidates that leaves room for them, and of the smallest tile that
  /// is not much dearer, which needs the fewest.
  static SmallVector<Candidate>
  tilesAndSlices(MatmulOp op, ArrayRef<Candidate> candidates,
                 tile::TargetAttrInterface target) {
    SmallVector<Candidate> chosen = smallerTiles(op, candidates);
    auto splits = [&](ArrayRef<Candidate> from) -> std::optional<Candidate> {
      for (const Candidate &candidate : from)
        if (std::optional<Candidate> split = splitOf(op, candidate, target))
          return split;
      return std::nullopt;
    };
    std::optional<Candidate> split = splits(candidates);
    if (!split)
      return chosen;
    const Candidate &best = candidates.front(), *smallest = &best;
    for (const Candidate &candidate : chosen)
      if (candidate.cost <= kMostExpensive * best.cost &&
          timeOf(candidate) < timeOf(*smallest) &&
          candidate.schedule.getTurns()[0] == 1)
        smallest = &candidate;
    std::optional<Candidate> fewest = splits(*smallest);
    chosen.push_back(*split);
    if (fewest && fewest->schedule != split->schedule)
      chosen.push_back(*fewest);
    return chosen;
  }

  /// The few among which launches choose that make right operands first, as
  /// others are chosen: a portfolio of roles, one for few tiles, or smaller
  /// tiles. Of tiles through registers without a price for few the cheapest.
  static SmallVector<Candidate> fewOfMade(MatmulOp op,
                                          SmallVector<Candidate> made,
                                          tile::TargetAttrInterface target) {
    sortByRank(op, made);
    const Candidate &best = made.front();
    if (hasRoles(best.schedule))
      return portfolioOfMade(op, made, target);
    SmallVector<Candidate> few = fewThatFit(op, target, /*makesRight=*/true);
    if (!few.empty())
      return portfolioOfFew(op, few, best, target);
    if (target.getCopy(best.schedule.getStrategyName()))
      return smallerTiles(op, made);
    return {best};
  }

  /// The products of a kernel in order, from the one on that multiplies most,
  /// as far as extents are known; then those before it.
  static SmallVector<MatmulOp> largestFirst(KernelOp kernel) {
    auto work = [](MatmulOp op) {
      double product = op.getNumSums();
      for (int64_t extent : {op.getM(), op.getN(), op.getK()})
        product *= ShapedType::isDynamic(extent) ? kTypicalExtent : extent;
      return product;
    };
    SmallVector<MatmulOp> products(kernel.getBody().getOps<MatmulOp>());
    auto *largest = llvm::max_element(
        products, [&](MatmulOp a, MatmulOp b) { return work(a) < work(b); });
    std::rotate(products.begin(), largest, products.end());
    return products;
  }

  /// Gives the kernel the cheapest schedule, and others and slices of K that
  /// the plan may prefer.
  LogicalResult choose(KernelOp kernel, SmallVector<Candidate> candidates,
                       tile::TargetAttrInterface target) {
    SmallVector<MatmulOp> products = largestFirst(kernel);
    MatmulOp first = products.front();
    SmallVector<const TunedEntry *> entries;
    bool isAlone = products.size() == 1;
    if (table && isAlone)
      entries = entriesFor(*table, first, target);
    // A launch has one schedule for all products, by the prices of the largest.
    auto isRefused = [&](const Candidate &candidate) {
      return !isAlone && !fitsAll(kernel, candidate.schedule, target);
    };
    auto isQuarantined = [&](const Candidate &candidate) {
      return llvm::any_of(entries, [&](const TunedEntry *entry) {
        return llvm::is_contained(entry->quarantined,
                                  candidate.schedule.toString());
      });
    };
    llvm::erase_if(candidates, isQuarantined);
    if (candidates.empty())
      return first.emitOpError("has no schedule: the table of schedules '")
             << table->path << "' says of each that it was wrong on a device";
    sortByRank(first, candidates);
    const Candidate &best = candidates.front();
    SmallVector<Candidate> few = fewThatFit(first, target);
    llvm::erase_if(few, [&](const Candidate &candidate) {
      return isQuarantined(candidate) || isRefused(candidate);
    });
    sortByRank(first, few);
    SmallVector<Candidate> chosen =
        hasRoles(best.schedule) ? portfolioOf(first, candidates, best, target)
        : few.empty()           ? tilesAndSlices(first, candidates, target)
                                : portfolioOfFew(first, few, best, target);
    kernel.setScheduleAttr(best.schedule);
    kernel.setModelled(1);
    // Where lanes would read an operand element by element, it is turned for
    // what multiplies it often.
    SmallVector<Candidate> turned = turnedThatFit(first, target);
    llvm::erase_if(turned, [&](const Candidate &candidate) {
      return isQuarantined(candidate) || isRefused(candidate);
    });
    if (!turned.empty()) {
      sortByRank(first, turned);
      llvm::append_range(chosen, tilesAndSlices(first, turned, target));
    }
    // Where lanes compute the right operands, they are made first for many
    // rows.
    SmallVector<Candidate> made = madeThatFit(first, target);
    llvm::erase_if(made, [&](const Candidate &candidate) {
      return isQuarantined(candidate) || isRefused(candidate);
    });
    if (!made.empty())
      made = fewOfMade(first, std::move(made), target);
    llvm::append_range(chosen, made);
    if (hasRoles(best.schedule))
      if (std::optional<Candidate> brief = briefOf(first, target);
          brief && !isQuarantined(*brief))
        chosen.push_back(*brief);
    // Those of the first product that has any for all.
    for (MatmulOp op : products) {
      if (!hasThin(op, best.schedule))
        continue;
      SmallVector<Candidate> thin = thinOf(op, target);
      llvm::erase_if(thin, [&](const Candidate &candidate) {
        return isQuarantined(candidate) || isRefused(candidate);
      });
      llvm::append_range(chosen, thin);
      if (!thin.empty())
        break;
    }
    SmallVector<Candidate> packed = packedThatFit(first, target);
    llvm::erase_if(packed, isQuarantined);
    auto *cheapest = llvm::min_element(
        packed, [](const auto &a, const auto &b) { return a.cost < b.cost; });
    if (cheapest != packed.end() && cheapest->cost < best.cost)
      chosen.push_back(*cheapest);
    llvm::erase_if(chosen, isRefused);
    const tile::TargetCosts &costs = target.getCosts();
    bool turns = anyTurns(chosen);
    for (Candidate &candidate : chosen) {
      if (!made.empty())
        priceBesideMade(candidate, costs);
      if (turns)
        priceBesideTurned(first, candidate, target);
    }
    size_t modelled = chosen.size();
    SmallVector<Attribute> ranges;
    if (table && isAlone)
      ranges = addTuned(*table, first, entries, target, chosen);
    if (chosen.size() <= 1)
      return success();
    SmallVector<Attribute> alternatives;
    SmallVector<int64_t> weights, unaligned, alone, items;
    for (const Candidate &candidate : chosen) {
      if (!weights.empty())
        alternatives.push_back(candidate.schedule);
      weights.push_back(weightOf(timeOf(candidate)));
      unaligned.push_back(weightOf(timeOf(candidate, /*aligned=*/false)));
      alone.push_back(
          weightOf(std::max(timeOf(candidate), leastTimeOf(candidate))));
      for (double cost : {candidate.item.each, candidate.item.last})
        items.push_back(std::llround(kWeightOfUnit * cost));
    }
    kernel.setModelled(modelled);
    if (!ranges.empty())
      kernel.setTunedAttr(ArrayAttr::get(kernel.getContext(), ranges));
    kernel.setAlternativesAttr(
        ArrayAttr::get(kernel.getContext(), alternatives));
    kernel.setWeights(weights);
    if (unaligned != weights)
      kernel.setUnalignedWeights(unaligned);
    if (alone != weights)
      kernel.setAloneWeights(alone);
    if (llvm::any_of(items, [](int64_t weight) { return weight != 0; }))
      kernel.setItemWeights(items);
    if (kernel.getItemWeights() && costs.roles.workgroup)
      kernel.setWorkgroupWeight(weightOf(inUnits(costs.roles.workgroup)));
    OutsideCost outside = costOutside(first, costs);
    if (kernel.getItemWeights() && (outside.busy[0] || outside.busy[1])) {
      SmallVector<int64_t> weights;
      for (const std::array<double, 2> &of :
           {outside.busy, outside.lines, outside.unalignedLines})
        for (double cost : of)
          weights.push_back(std::llround(kWeightOfUnit * cost));
      kernel.setOutsideWeights(weights);
    }
    if (kernel.getItemWeights() && costs.items.written)
      kernel.setWriteWeights(ArrayRef{weightOf(inUnits(costs.items.item)),
                                      weightOf(inUnits(costs.items.written)),
                                      int64_t(costs.items.kept)});
    if (kernel.getItemWeights() && costs.items.read) {
      std::array<int64_t, 2> operands = operandBits(first, /*madeRight=*/false);
      SmallVector<int64_t> reads = {
          8 * int64_t(costs.items.keptRead), operands[0], operands[1],
          weightOf(inUnits(costs.items.memoryByte) * kReadBlock * kReadBlock)};
      for (const Candidate &candidate : chosen)
        reads.push_back(std::llround(kWeightOfUnit * candidate.item.reads));
      kernel.setReadWeights(reads);
    }
    // Slices were measured beside tiles that compute at prices without making.
    double sums = made.empty() ? 1 : costs.computing;
    if (llvm::any_of(chosen, [](const Candidate &candidate) {
          return candidate.schedule.getSplitK()[0] != 1 ||
                 isStreamed(candidate.schedule);
        }))
      kernel.setSumWeights(
          ArrayRef{weightOf(inUnits(costs.sumDispatch) * sums),
                   weightOf(inUnits(costs.sumElement) * sums)});
    if (!made.empty())
      kernel.setMakeWeights(ArrayRef{weightOf(inUnits(costs.makeDispatch)),
                                     weightOf(inUnits(costs.makeElement))});
    if (anyTurns(chosen))
      kernel.setTurnWeights(ArrayRef{
          weightOf(inUnits(costs.turnDispatch)),
          weightOf(inUnits(costs.turnByte * bytesOf(first.getLhsElement())))});
    if (llvm::any_of(chosen, [](const Candidate &candidate) {
          return packsRight(candidate.schedule);
        }))
      kernel.setPackWeights(ArrayRef{weightOf(inUnits(costs.packDispatch)),
                                     weightOf(inUnits(costs.packElement))});
    return success();
  }

  LogicalResult select(KernelOp kernel) {
    auto target =
        dyn_cast_or_null<tile::TargetAttrInterface>(kernel.getTargetAttr());
    if (!target)
      return kernel.emitOpError("has no target row; give it one as 'target = "
                                "...', or compile with --target");
    auto products = kernel.getBody().getOps<MatmulOp>();
    auto attentions = kernel.getBody().getOps<AttentionOp>();
    if (!schedule.empty()) {
      SmallVector<ScheduleValue> named;
      ScheduleAttr given = ScheduleAttr::parseString(
          schedule, kernel.getContext(), [&] { return kernel.emitOpError(); },
          &named);
      if (!given)
        return failure();
      // The first product decides what the text leaves open.
      if (!products.empty())
        given = complete(*products.begin(), given, named, target);
      else if (!attentions.empty())
        given = complete(*attentions.begin(), given, named);
      kernel.setScheduleAttr(given);
    }
    if (table && (kernel.getScheduleAttr() || !attentions.empty()))
      kernel.emitRemark("table of schedules '")
          << table->path << "' is ignored: expected a kernel of one product "
          << "that has no schedule, got one "
          << (attentions.empty() ? "that has" : "with attention");
    for (AttentionOp op : attentions)
      if (failed(select(kernel, op, target)))
        return failure();
    if (products.empty())
      return success();
    if (!kernel.getScheduleAttr()) {
      auto candidates = thatFitAll(kernel, target);
      if (failed(candidates) ||
          failed(choose(kernel, std::move(*candidates), target)))
        return failure();
    }
    FailureOr<ScheduleAttr> checked =
        checkAll(kernel, kernel.getScheduleAttr(), target);
    if (failed(checked))
      return failure();
    kernel.setScheduleAttr(*checked);
    if (ArrayAttr given = kernel.getAlternativesAttr()) {
      SmallVector<Attribute> alternatives;
      for (auto alternative : given.getAsRange<ScheduleAttr>()) {
        checked = checkAll(kernel, alternative, target);
        if (failed(checked))
          return failure();
        alternatives.push_back(*checked);
      }
      kernel.setAlternativesAttr(
          ArrayAttr::get(kernel.getContext(), alternatives));
    }
    return success();
  }

  /// The schedules of the largest product that all others can have as well;
  /// else those of the next one of which that is so, whose prologue may ask for
  /// another strategy. Where there are none, the largest one's, of which the
  /// check says why.
  static FailureOr<SmallVector<Candidate>>
  thatFitAll(KernelOp kernel, tile::TargetAttrInterface target) {
    SmallVector<MatmulOp> products = largestFirst(kernel);
    FailureOr<SmallVector<Candidate>> ofFirst =
        allThatFit(products.front(), target);
    if (failed(ofFirst) || products.size() == 1)
      return ofFirst;
    ScopedDiagnosticHandler silent(kernel.getContext(),
                                   [](Diagnostic &) { return success(); });
    for (auto [i, op] : llvm::enumerate(products)) {
      FailureOr<SmallVector<Candidate>> candidates =
          i == 0 ? ofFirst : allThatFit(op, target);
      if (failed(candidates))
        break;
      llvm::erase_if(*candidates, [&](const Candidate &candidate) {
        return !fitsAll(kernel, candidate.schedule, target);
      });
      if (!candidates->empty())
        return candidates;
    }
    return ofFirst;
  }

  /// The schedule of a kernel with attention.
  static LogicalResult select(KernelOp kernel, AttentionOp op,
                              tile::TargetAttrInterface target) {
    if (failed(op.checkDepths()))
      return failure();
    bool isGiven = bool(kernel.getScheduleAttr());
    FailureOr<ScheduleAttr> selected =
        isGiven ? check(op, kernel.getScheduleAttr(), target)
                : schedule::choose(op, target);
    if (failed(selected))
      return failure();
    kernel.setScheduleAttr(*selected);
    if (isGiven)
      return success();
    kernel.setModelled(1);
    addAlternatives(kernel, op, target);
    return success();
  }

  /// Adds tiles of other numbers of groups, and alternatives that split the
  /// keys.
  static void addAlternatives(KernelOp kernel, AttentionOp op,
                              tile::TargetAttrInterface target) {
    ScheduleAttr chosen = kernel.getScheduleAttr();
    SmallVector<Attribute> alternatives;
    SmallVector<int64_t> weights, items;
    auto weigh = [&](ScheduleAttr schedule, double time) {
      weights.push_back(weightOf(time));
      items.push_back(
          std::llround(kWeightOfUnit * timeOfItem(op, schedule, target)));
      items.push_back(0);
    };
    weigh(chosen, timeOfKey(op, chosen, target));
    auto add = [&](ScheduleAttr schedule, double time) {
      alternatives.push_back(schedule);
      weigh(schedule, time);
    };
    SmallVector<ScheduleAttr> others = rolesBeside(op, chosen, target);
    if (std::optional<Candidate> few = forFewItems(op, chosen, target))
      add(few->schedule, few->cost);
    llvm::append_range(others, slicesOf(op, target));
    for (ScheduleAttr other : others)
      add(other, timeOfKey(op, other, target));
    if (alternatives.empty())
      return;
    kernel.setModelled(weights.size());
    kernel.setAlternativesAttr(
        ArrayAttr::get(kernel.getContext(), alternatives));
    kernel.setWeights(weights);
    if (hasRoles(chosen))
      kernel.setItemWeights(items);
    kernel.setSumWeights(
        ArrayRef{weightOf(kSumDispatch), weightOf(kSumElement)});
  }

  /// Checks a schedule for every product. Returns it with the instruction of
  /// the only one.
  static FailureOr<ScheduleAttr> checkAll(KernelOp kernel,
                                          ScheduleAttr schedule,
                                          tile::TargetAttrInterface target) {
    auto products = kernel.getBody().getOps<MatmulOp>();
    for (MatmulOp op : products) {
      FailureOr<tile::MmaAttrInterface> mma = check(op, schedule, target);
      if (failed(mma))
        return failure();
      if (llvm::hasSingleElement(products))
        schedule = schedule.with(kScheduleMma, mma->getMmaShape());
    }
    return schedule;
  }

  /// Whether every product can have a schedule; says nothing where not.
  static bool fitsAll(KernelOp kernel, ScheduleAttr schedule,
                      tile::TargetAttrInterface target) {
    ScopedDiagnosticHandler silent(kernel.getContext(),
                                   [](Diagnostic &) { return success(); });
    return succeeded(checkAll(kernel, schedule, target));
  }

  std::optional<TunedTable> table;
};

} // namespace
