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

class HeliosSelectSchedule
    : public helios::impl::HeliosSelectScheduleBase<HeliosSelectSchedule> {
public:
  using HeliosSelectScheduleBase::HeliosSelectScheduleBase;

  void runOnOperation() override {
    for (KernelOp kernel : getOperation().getOps<KernelOp>())
      if (failed(select(kernel)))
        return signalPassFailure();
  }

private:
  /// A cost as the plan computes with it.
  static int64_t weightOf(double cost) {
    return std::max<int64_t>(1, std::llround(16 * cost));
  }

  /// Gives the kernel the cheapest schedule, and smaller tiles and slices of K
  /// that the plan may prefer where few large ones would leave processors idle.
  static void choose(KernelOp kernel, SmallVector<Candidate> candidates,
                     tile::TargetAttrInterface target) {
    auto products = kernel.getBody().getOps<MatmulOp>();
    auto rank = [&](const Candidate &candidate) {
      return candidate.cost * paddingOf(*products.begin(), candidate.schedule);
    };
    llvm::stable_sort(candidates, [&](const Candidate &a, const Candidate &b) {
      return rank(a) < rank(b);
    });
    auto areaOf = [](const Candidate &candidate) {
      return candidate.schedule.getTile()[0] * candidate.schedule.getTile()[1];
    };
    auto timeOf = [&](const Candidate &candidate) {
      return areaOf(candidate) * candidate.cost;
    };
    const Candidate &best = candidates.front();
    const Candidate *smallest = nullptr, *larger = nullptr;
    SmallVector<Attribute> alternatives;
    SmallVector<int64_t> weights;
    for (const Candidate &candidate : candidates) {
      if (areaOf(candidate) > areaOf(best) &&
          areaOf(candidate) <= kLargerTile * areaOf(best) &&
          candidate.cost <= kLargerExpense * best.cost &&
          (!larger || candidate.cost < larger->cost))
        larger = &candidate;
      if (smallest && (areaOf(candidate) > kSmallerTile * areaOf(*smallest) ||
                       timeOf(candidate) > kShorterTile * timeOf(*smallest) ||
                       rank(candidate) > kMostExpensive * rank(best) ||
                       alternatives.size() == kMaxAlternatives))
        continue;
      if (smallest)
        alternatives.push_back(candidate.schedule);
      weights.push_back(weightOf(timeOf(candidate)));
      smallest = &candidate;
    }
    if (larger) {
      alternatives.push_back(larger->schedule);
      weights.push_back(weightOf(timeOf(*larger)));
    }
    kernel.setScheduleAttr(best.schedule);
    // Several products would each want another choice.
    if (!llvm::hasSingleElement(products))
      return;
    // Slices of the cheapest tile that leaves room for them, and of the
    // smallest, which needs the fewest.
    std::optional<Candidate> split;
    for (const Candidate &candidate : candidates)
      if ((split = splitOf(*products.begin(), candidate, target)))
        break;
    auto addSplit = [&](const Candidate &added) {
      alternatives.push_back(added.schedule);
      weights.push_back(weightOf(timeOf(added)));
    };
    if (split) {
      addSplit(*split);
      std::optional<Candidate> fewest =
          splitOf(*products.begin(), *smallest, target);
      if (fewest && fewest->schedule != split->schedule)
        addSplit(*fewest);
      kernel.setSumWeights(
          ArrayRef{weightOf(kSumDispatch), weightOf(kSumElement)});
    }
    if (alternatives.empty())
      return;
    kernel.setAlternativesAttr(
        ArrayAttr::get(kernel.getContext(), alternatives));
    kernel.setWeights(weights);
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
      kernel.setScheduleAttr(given);
    }
    for (AttentionOp op : attentions)
      if (failed(select(kernel, op, target)))
        return failure();
    if (products.empty())
      return success();
    if (!kernel.getScheduleAttr()) {
      // The first product decides; the others must fit as well.
      auto candidates = allThatFit(*products.begin(), target);
      if (failed(candidates))
        return failure();
      choose(kernel, std::move(*candidates), target);
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

  /// The schedule of a kernel with attention.
  static LogicalResult select(KernelOp kernel, AttentionOp op,
                              tile::TargetAttrInterface target) {
    if (failed(op.checkDepths()))
      return failure();
    FailureOr<ScheduleAttr> selected =
        kernel.getScheduleAttr() ? check(op, kernel.getScheduleAttr(), target)
                                 : schedule::choose(op, target);
    if (failed(selected))
      return failure();
    kernel.setScheduleAttr(*selected);
    return success();
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
};

} // namespace
