// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// helios-select-schedule: which few schedules serve every size. No tile does:
// the last round of tiles leaves processors idle, and copies of rows that begin
// off a line of the cache take other tiles, or clusters that share them. So
// schedules are added one by one, each time the one that saves most over a
// range of sizes, by the prices that the launch plan compares: first tiles for
// rows that begin at lines, then tiles of any width, alone or in clusters, for
// the others, and last slices of K, for results of few tiles.

#include "SelectSchedule.h"
#include "mlir/IR/Threading.h"
#include "llvm/Support/MathExtras.h"
#include <random>

using namespace mlir;
using namespace helios;
using namespace helios::schedule;

/// Extents over which schedules are compared: powers of two and the middles
/// between them, which are asked for most, and their neighbours, of which rows
/// begin off lines.
static constexpr int64_t kLeastExtent = 64, kMostExtent = 8192;
static constexpr int64_t kNeighbour = 8;
/// At most so many schedules for rows that begin at lines, and so many in all;
/// each saves at least this part of the time of all sizes, less where rows
/// begin off lines.
static constexpr size_t kMostTiles = 12, kMost = 26;
static constexpr double kLeastSaving = 0.001, kLeastSavingOff = 0.0005;
/// So many more sizes, drawn at random as logarithms from a quarter of the
/// least extent on: between powers of two the last round of other tiles is
/// full.
static constexpr int kDrawn = 160;
/// More than any product costs: what a schedule is not taken for.
static constexpr double kNever = 1e12;
/// Tiles in turns that results of 7, 11 or 43 times a power of two columns
/// take, as models are wide: of 13 schedules that were measured beside the plan
/// at 19 sizes of models the three that save most, 4.8 % (docs/benchmarks,
/// sweep-widths.jsonl). The model takes others for as good.
static constexpr std::array<int64_t, 2> kBetween[] = {
    {128, 112}, {64, 112}, {128, 176}};
/// So many more that split K, compared where there is much of it.
static constexpr size_t kMostSplit = 6;
static constexpr double kLeastSavingSplit = 0.0005;
/// What steps of streamed tiles take where workgroups are at different places
/// of K, and share no reads, beside others (docs/benchmarks, prices.py stream).
static constexpr double kUnlikePlaces = 1.75;
static constexpr int64_t kLongExtent = 4096, kLongestExtent = 16384;

/// A static extent, or those that a dynamic one may be, from some size on.
static SmallVector<int64_t> extentsOf(int64_t extent, int64_t least,
                                      int64_t off) {
  if (!ShapedType::isDynamic(extent))
    return {std::max<int64_t>(1, extent)};
  SmallVector<int64_t> extents;
  for (int64_t e = least; e <= kMostExtent; e *= 2)
    extents.append({e + off, e / 2 * 3 + off});
  return extents;
}

double schedule::priceOf(MatmulOp op, const Candidate &candidate, int64_t m,
                         int64_t n, double k, bool aligned,
                         const tile::TargetCosts &costs) {
  ArrayRef<int64_t> tile = candidate.schedule.getTile(),
                    cluster = candidate.schedule.getCluster();
  int64_t size = llvm::product_of(cluster);
  int64_t clusters = llvm::divideCeil(m, tile[0] * cluster[0]) *
                     llvm::divideCeil(n, tile[1] * cluster[1]);
  int64_t atOnce = std::max<int64_t>(
      1, costs.processors * (size < 4 ? 1 : costs.roles.inClusters) / size);
  double sums = 0;
  if (int64_t slices = candidate.schedule.getSplitK()[0]; slices != 1) {
    // As many as the launch plan takes, and the second dispatch.
    if (slices == 0)
      slices = std::max<int64_t>(
          1,
          std::min<int64_t>(atOnce * std::max<int64_t>(1, candidate.resident) /
                                std::max<int64_t>(1, clusters),
                            k / kLeastSlice));
    clusters *= slices;
    k /= slices;
    sums = inUnits(costs.sumDispatch) +
           inUnits(costs.sumElement) * double(m) * n * slices /
               std::max<int64_t>(1, costs.processors);
  }
  double streamed = 0; ///< rounds that shares of tiles stand for
  if (isStreamed(candidate.schedule)) {
    int64_t left = clusters % atOnce;
    if (left == 0 || k <= kLeastSlice)
      return std::numeric_limits<double>::infinity();
    // As the launch plan has it: whole shares of a tile, or one less than that.
    double most = std::min(double(atOnce), left * k / kLeastSlice);
    int64_t several = int64_t(most) / left;
    double all = several > 1 ? double(left * several) : most;
    streamed = left / all * (several > 1 ? 1 : kUnlikePlaces);
    clusters -= left;
    sums = inUnits(costs.sumDispatch) +
           inUnits(costs.sumElement) * double(tile[0] * tile[1]) * size *
               (several > 1 ? all : all + left) /
               std::max<int64_t>(1, costs.processors);
  }
  double packs = 0; ///< what packs or makes the right operands
  double elements = k * n / std::max<int64_t>(1, costs.processors);
  if (packsRight(candidate.schedule))
    packs = inUnits(costs.packDispatch + costs.packElement * elements);
  if (makesRight(candidate.schedule))
    packs += op.getNumSums() *
             inUnits(costs.makeDispatch + costs.makeElement * elements);
  auto turn = [&](double elements) {
    packs += inUnits(costs.turnDispatch +
                     costs.turnByte * bytesOf(op.getLhsElement()) * elements /
                         std::max<int64_t>(1, costs.processors));
  };
  if (turnsLeft(op, candidate.schedule))
    turn(double(m) * k);
  if (turnsRight(op, candidate.schedule))
    turn(op.getNumSums() * double(k) * n);
  if ((makesRight(candidate.schedule) && m < leastRowsOfMade(op)) ||
      (candidate.overlaps && !isFor(candidate.schedule, m, k)) ||
      hasIdle(candidate.schedule, m, n))
    return std::numeric_limits<double>::infinity();
  double rounds = candidate.overlaps
                      ? std::max(1.0, double(clusters) / atOnce)
                      : llvm::divideCeil(clusters, atOnce) + streamed;
  double workgroups =
      candidate.overlaps
          ? 0
          : std::min<double>(double(clusters) * size, costs.processors);
  // Copies fill up what of a tile is outside of the result, the slower the more
  // workgroups do.
  auto outsideOf = [&](const std::array<double, 2> &cost) {
    double sum = 0;
    for (auto [i, extent] : llvm::enumerate(std::array{m, n}))
      sum += cost[i] *
             std::clamp<int64_t>(tile[i] * cluster[i] - extent, 0, tile[i]) /
             cluster[1 - i];
    return sum;
  };
  const OutsideCost &outside = candidate.outside;
  double inside = timeOf(candidate, aligned);
  inside -=
      std::min(inside / tile::kMostOutside,
               outsideOf(aligned ? outside.lines : outside.unalignedLines));
  double filled = outsideOf(outside.busy) *
                  std::min(1.0, double(clusters) * size / costs.processors);
  double item = k * (inside + filled) + candidate.item.each;
  double bytes = candidate.item.bytes;
  bool isKept = bytes * clusters * size <= costs.items.kept;
  // Groups that take turns store their own items one after the other, and what
  // all processors write memory has to take.
  double turns = candidate.schedule.getTurns()[0],
         together = candidate.resident
                        ? std::ceil(rounds / double(candidate.resident))
                        : 1,
         all = std::max(rounds * item, together * k * leastTimeOf(candidate)) +
               candidate.item.last,
         serial = std::ceil(rounds / turns) * (item + candidate.item.last),
         written = isKept ? 0
                          : rounds * inUnits(costs.items.item +
                                             costs.items.written * bytes);
  const LineCost &lines = candidate.lines[aligned];
  double moved = double(clusters) * size / costs.processors *
                 (k * lines.element +
                  lines.item * (isKept ? 1 : costs.items.storedOutside));
  std::array<int64_t, 2> operands = operandBytes(op);
  double read = k * (double(m) * operands[0] + double(n) * operands[1]) >
                        costs.items.keptRead
                    ? rounds * k * candidate.item.reads
                    : 0;
  return inUnits(costs.roles.launch + workgroups * costs.roles.workgroup) +
         sums + packs +
         std::max({all, turns > 1 ? serial : 0, written, moved, read});
}

/// At most so many that make right operands first, and the least columns for
/// which they are compared, as wide as models are.
static constexpr size_t kMostMade = 6;
static constexpr double kLeastSavingMade = 0.002;
static constexpr int64_t kLeastColumnsOfMade = 512;

/// At most so many for few tiles, and so many that split K, each of which saves
/// at least this part.
static constexpr size_t kMostFew = 5, kMostSplitFew = 2;
static constexpr double kLeastSavingFew = 0.004;

namespace {
/// Extents of a product and how its rows begin.
struct Sample {
  int64_t m, n;
  bool aligned;
  int64_t k = 0; ///< 0: the mean of the others
};

class Portfolio {
public:
  Portfolio(MatmulOp op, const Candidate &first, const tile::TargetCosts &costs)
      : op(op), costs(costs), chosen{first} {}

  /// Adds what saves most over these sizes, up to so many in all.
  void add(ArrayRef<Candidate> candidates, ArrayRef<Sample> samples,
           size_t most, double leastSaving,
           function_ref<bool(const Candidate &)> isEligible) {
    SmallVector<std::vector<double>> prices(candidates.size());
    parallelFor(op.getContext(), 0, candidates.size(), [&](size_t i) {
      prices[i] = pricesOf(candidates[i], samples);
    });
    // Prices count as multiples of the best of all.
    std::vector<double> best = prices.front();
    for (auto &list : prices)
      lower(best, list);
    std::vector<double> reached = pricesOf(chosen.front(), samples);
    for (const Candidate &candidate : chosen)
      lower(reached, pricesOf(candidate, samples));
    while (chosen.size() < most) {
      const Candidate *next = nullptr;
      double mostSaved = leastSaving * samples.size();
      for (auto [candidate, list] : llvm::zip(candidates, prices)) {
        if (!isEligible(candidate) || hasLike(candidate))
          continue;
        double saved = 0;
        for (size_t i = 0; i < samples.size(); ++i)
          saved += std::max(0.0, (reached[i] - list[i]) / best[i]);
        if (saved > mostSaved) {
          mostSaved = saved;
          next = &candidate;
        }
      }
      if (!next)
        return;
      chosen.push_back(*next);
      lower(reached, prices[next - candidates.data()]);
    }
  }

  /// Adds what serves widths between those of the samples.
  void addNamed(ArrayRef<Candidate> candidates) {
    for (auto [rows, columns] : kBetween)
      for (const Candidate &candidate : candidates) {
        ScheduleAttr schedule = candidate.schedule;
        if (schedule.getTile().take_front(2) == ArrayRef{rows, columns} &&
            schedule.getTurns()[0] == 2 &&
            llvm::product_of(schedule.getCluster()) == 1 && !hasLike(candidate))
          chosen.push_back(candidate);
      }
  }

  /// Adds at most so many more, those of the candidates that split K.
  void addSlices(ArrayRef<Candidate> candidates, ArrayRef<Sample> samples,
                 size_t most, double leastSaving,
                 tile::TargetAttrInterface target) {
    SmallVector<Candidate> slices;
    for (const Candidate &candidate : candidates)
      if (llvm::product_of(candidate.schedule.getCluster()) == 1)
        if (std::optional<Candidate> split = splitOf(op, candidate, target))
          slices.push_back(*split);
    if (!slices.empty())
      add(slices, samples, chosen.size() + most, leastSaving,
          [](const Candidate &) { return true; });
  }

  SmallVector<Candidate> take() { return std::move(chosen); }

private:
  /// Whether a schedule has been chosen that differs in its groups at most.
  bool hasLike(const Candidate &candidate) const {
    ScheduleAttr schedule = candidate.schedule;
    return llvm::any_of(chosen, [&](const Candidate &other) {
      return other.schedule.getTile() == schedule.getTile() &&
             other.schedule.getSplitK() == schedule.getSplitK() &&
             other.schedule.getCluster() == schedule.getCluster() &&
             other.schedule.getTurns() == schedule.getTurns();
    });
  }

  std::vector<double> pricesOf(const Candidate &candidate,
                               ArrayRef<Sample> samples) {
    std::vector<double> prices;
    for (auto [m, n, aligned, depth] : samples) {
      double k = !ShapedType::isDynamic(op.getK())
                     ? std::max<int64_t>(1, op.getK())
                 : depth ? double(depth)
                         : std::sqrt(double(m) * n);
      prices.push_back(
          std::min(kNever, priceOf(op, candidate, m, n, k, aligned, costs)));
    }
    return prices;
  }

  static void lower(std::vector<double> &prices,
                    const std::vector<double> &others) {
    for (auto [price, other] : llvm::zip(prices, others))
      price = std::min(price, other);
  }

  MatmulOp op;
  const tile::TargetCosts &costs;
  SmallVector<Candidate> chosen;
};
} // namespace

SmallVector<Candidate> schedule::portfolioOf(MatmulOp op,
                                             ArrayRef<Candidate> candidates,
                                             const Candidate &first,
                                             tile::TargetAttrInterface target) {
  SmallVector<Sample> aligned, unaligned, deep;
  for (int64_t m : extentsOf(op.getM(), kLeastExtent, 0))
    for (int64_t n : extentsOf(op.getN(), kLeastExtent, 0))
      for (bool atLines : {true, false}) {
        if (atLines)
          aligned.push_back({m, n, true});
        for (int64_t k : {kLongExtent, kLongestExtent})
          deep.push_back({m, n, atLines, k});
      }
  for (int64_t offM : {-kNeighbour, kNeighbour})
    for (int64_t offN : {-kNeighbour, kNeighbour})
      for (int64_t m : extentsOf(op.getM(), kLeastExtent, offM))
        for (int64_t n : extentsOf(op.getN(), kLeastExtent, offN))
          for (int64_t k : {int64_t(0), kLongExtent})
            unaligned.push_back({m, n, false, k});
  std::mt19937 source(kDrawn);
  auto draw = [&](int64_t given) {
    double part = double(source()) / std::mt19937::max();
    double least = std::log2(kLeastExtent / 4.0), most = std::log2(kMostExtent);
    int64_t drawn =
        std::llround(std::exp2(least + part * (most - least)) / kNeighbour) *
        kNeighbour;
    return ShapedType::isDynamic(given) ? drawn : std::max<int64_t>(1, given);
  };
  for (int i = 0; i < kDrawn; ++i) {
    int64_t m = draw(op.getM()), n = draw(op.getN()), k = draw(op.getK());
    unaligned.push_back({m, n, false, k});
  }
  Portfolio portfolio(op, first, target.getCosts());
  auto isAlone = [](const Candidate &candidate) {
    return llvm::product_of(candidate.schedule.getCluster()) == 1;
  };
  portfolio.add(candidates, aligned, kMostTiles, kLeastSaving, isAlone);
  portfolio.add(candidates, unaligned, kMost, kLeastSavingOff,
                [](const Candidate &) { return true; });
  portfolio.addNamed(candidates);
  portfolio.addSlices(candidates, deep, kMostSplit, kLeastSavingSplit, target);
  return portfolio.take();
}

SmallVector<Candidate>
schedule::portfolioOfMade(MatmulOp op, ArrayRef<Candidate> made,
                          tile::TargetAttrInterface target) {
  SmallVector<Sample> samples;
  for (int64_t m : extentsOf(op.getM(), 2 * kLeastExtent, 0))
    for (int64_t n : extentsOf(op.getN(), kLeastColumnsOfMade, 0))
      for (int64_t k : {int64_t(0), kLongExtent})
        samples.push_back({m, n, true, k});
  Portfolio portfolio(op, made.front(), target.getCosts());
  portfolio.add(made, samples, kMostMade, kLeastSavingMade,
                [](const Candidate &) { return true; });
  return portfolio.take();
}

SmallVector<Candidate>
schedule::portfolioOfFew(MatmulOp op, ArrayRef<Candidate> few,
                         const Candidate &first,
                         tile::TargetAttrInterface target) {
  SmallVector<Sample> samples, deep;
  for (int64_t m : extentsOf(op.getM(), kLeastExtent, 0))
    for (int64_t n : extentsOf(op.getN(), kLeastExtent, 0)) {
      samples.push_back({m, n, true});
      for (int64_t k : {kLongExtent, kLongestExtent})
        deep.push_back({m, n, true, k});
    }
  Portfolio portfolio(op, first, target.getCosts());
  portfolio.add(few, samples, 1 + kMostFew, kLeastSavingFew,
                [](const Candidate &) { return true; });
  portfolio.addSlices(few, deep, kMostSplitFew, kLeastSavingFew, target);
  return portfolio.take();
}
