// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// helios-select-schedule: which few schedules serve every size. No tile does:
// the last round of tiles leaves processors idle, and copies of rows that begin
// off a line of the cache take other tiles, or clusters that share them. So
// schedules are added one by one, each time the one that saves most over a
// range of sizes, by the prices that the launch plan compares: first tiles for
// rows that begin at lines, then tiles of any width, alone or in clusters, for
// the others, then tiles of exchanged operands, slices of K, for results of few
// tiles, and last what results of few columns or rows take.

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
/// So many more with exchanged operands, whose tiles have rows of any multiple
/// of the engine's columns.
static constexpr size_t kMostExchanged = 6;
/// So many more that mirror a usual one.
static constexpr size_t kMostMirrors = 2;
/// So many more sizes, drawn at random as logarithms from a quarter of the
/// least extent on: between powers of two the last round of other tiles is
/// full.
static constexpr int kDrawn = 160;
/// More than any product costs: what a schedule is not taken for.
static constexpr double kNever = 1e12;
/// At most so many more for strips, results of few columns or rows whose rows
/// off lines bound all; their extents, and how many of them are drawn. At ten
/// such sizes cuBLASLt took 0.82 of the time without these (docs/benchmarks,
/// strips).
static constexpr size_t kMostStrips = 4;
static constexpr double kLeastSavingStrips = 0.0009;
static constexpr int kDrawnStrips = 200;
static constexpr int64_t kLeastShort = 24, kMostShort = 256, kLeastLong = 512;
/// More of them by name, of which prices say less than was measured, or which
/// are not among the others: clusters along both sides, and slices that a
/// cluster shares. Of sizes drawn behind that choice, most of them strips, 7 of
/// 255 NT and 14 of 255 NN take one behind the first, in 0.92 and 0.93 of the
/// time before in the mean; all such schedules by price made launches 3 to 5 %
/// slower (docs/benchmarks/2026-11-30). The first takes 0.71 and 0.80 of the
/// time of what prices choose otherwise at 7378x160x3944 and 4808x136x2056 NT,
/// 0.81 and 0.91 by price. Each comes where prices see some use for it.
struct NamedStrip {
  std::array<int64_t, 2> tile, cluster;
  bool slices = false;
  /// For rows of both operands along K alone: of NN products 80x64 takes up to
  /// 1.13 of the time of 64x128.
  bool alongK = false;

  bool isFor(MatmulOp op, ScheduleAttr schedule) const {
    return schedule.getTile().take_front(2) == ArrayRef(tile) &&
           schedule.getCluster() == ArrayRef(cluster) &&
           schedule.getTurns()[0] == 1 &&
           (!alongK || (!op.getTransposeA() && op.getTransposeB()));
  }
};
static constexpr NamedStrip kStrips[] = {{{64, 160}, {4, 1}},
                                         {{64, 64}, {4, 2}},
                                         {{64, 64}, {2, 4}},
                                         {{64, 80}, {2, 1}},
                                         {{80, 64}, {1, 2}, false, true},
                                         {{64, 64}, {4, 2}, true},
                                         {{128, 112}, {2, 2}, true}};
static constexpr double kLeastSavingStrip = 0.0001;
/// Tiles whose K workgroups of a cluster share, for results of few tiles.
struct SharedTile {
  std::array<int64_t, 2> tile;
  int64_t shares;
};
static constexpr SharedTile kShared[] = {
    {{64, 32}, 8}, {{64, 32}, 4}, {{64, 64}, 4}};
/// Tiles in turns that results of 7, 11 or 43 times a power of two columns
/// take, as models are wide: of 13 schedules that were measured beside the plan
/// at 19 sizes of models the three that save most, 4.8 % (docs/benchmarks,
/// sweep-widths.jsonl). The model takes others for as good.
static constexpr std::array<int64_t, 2> kBetween[] = {
    {128, 112}, {64, 112}, {128, 176}};
/// So many more that split K, compared where there is much of it.
static constexpr size_t kMostSplit = 6;
static constexpr double kLeastSavingSplit = 0.0005;
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

/// Candidates and what each costs at each of these sizes.
struct Priced {
  ArrayRef<Candidate> candidates;
  ArrayRef<Sample> samples;
  std::vector<std::vector<double>> prices;
};

class Portfolio {
public:
  Portfolio(MatmulOp op, const Candidate &first, const tile::TargetCosts &costs)
      : op(op), costs(costs), chosen{first} {}

  Priced price(ArrayRef<Candidate> candidates, ArrayRef<Sample> samples) {
    Priced priced{candidates, samples, {}};
    priced.prices.resize(candidates.size());
    parallelFor(op.getContext(), 0, candidates.size(), [&](size_t i) {
      priced.prices[i] = pricesOf(candidates[i], samples);
    });
    return priced;
  }

  /// Adds what saves most over the sizes, up to so many in all.
  void add(const Priced &priced, size_t most, double leastSaving,
           function_ref<bool(const Candidate &)> isEligible) {
    const auto &[candidates, samples, prices] = priced;
    // What a candidate saves only falls as others are chosen, so what it saved
    // before bounds it (Minoux, Accelerated greedy algorithms for maximizing
    // submodular set functions, 1978).
    SmallVector<double> bounds(candidates.size(),
                               std::numeric_limits<double>::infinity());
    // Prices count as multiples of the best of all.
    std::vector<double> best = prices.front();
    for (const std::vector<double> &list : prices)
      lower(best, list);
    std::vector<double> reached = pricesOf(chosen.front(), samples);
    for (const Candidate &candidate : chosen)
      lower(reached, pricesOf(candidate, samples));
    while (chosen.size() < most) {
      const Candidate *next = nullptr;
      double mostSaved = leastSaving * samples.size();
      for (auto [candidate, list, saved] :
           llvm::zip(candidates, prices, bounds)) {
        if (saved <= mostSaved || !isEligible(candidate) || hasLike(candidate))
          continue;
        saved = 0;
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

  /// Adds at most so many more, those with exchanged operands.
  void addExchanged(const Priced &priced, size_t most, double leastSaving) {
    add(priced, chosen.size() + most, leastSaving,
        [](const Candidate &candidate) { return candidate.exchanged; });
  }

  /// Adds what serves strips: some of the candidates, and some by name.
  void addStrips(const Priced &priced, ArrayRef<Candidate> all,
                 tile::TargetAttrInterface target) {
    auto any = [](const Candidate &) { return true; };
    add(priced, chosen.size() + kMostStrips, kLeastSavingStrips, any);
    SmallVector<Candidate> named;
    for (const NamedStrip &strip : kStrips)
      for (const Candidate &candidate : all) {
        if (!strip.isFor(op, candidate.schedule))
          continue;
        if (!strip.slices)
          named.push_back(candidate);
        else if (std::optional<Candidate> split =
                     splitOf(op, candidate, target))
          named.push_back(*split);
      }
    if (!named.empty())
      add(price(named, priced.samples), chosen.size() + named.size(),
          kLeastSavingStrip, any);
  }

  /// Adds those whose workgroups share K, where prices see some use for them.
  void addShared(ArrayRef<Candidate> candidates, ArrayRef<Sample> samples,
                 tile::TargetAttrInterface target) {
    SmallVector<Candidate> shared;
    for (auto [tile, shares] : kShared)
      for (const Candidate &candidate : candidates)
        if (candidate.schedule.getTile().take_front(2) == ArrayRef(tile) &&
            candidate.schedule.getClusterSize() == 1 && !candidate.exchanged)
          if (std::optional<Candidate> sharing =
                  sharingKOf(op, candidate, shares, target))
            shared.push_back(*sharing);
    if (!shared.empty())
      add(price(shared, samples), chosen.size() + shared.size(),
          kLeastSavingStrip, [](const Candidate &) { return true; });
  }

  /// Puts in front of usual schedules, but the first, those that mirror them
  /// with exchanged operands and copy fewer of the lines that rows off lines
  /// touch. By price both are equal where products bound a step, and the first
  /// is taken, but copies beside them take their time (of turns that was not
  /// measured): at eight sizes of NN products 176x192 takes 0.94 to 1.01 of the
  /// time of 192x176, 0.98 in the mean (docs/benchmarks/2026-11-29).
  void addMirrors(ArrayRef<Candidate> candidates) {
    size_t most = chosen.size() + kMostMirrors;
    for (size_t i = 1; i < chosen.size() && chosen.size() < most; ++i) {
      const Candidate &usual = chosen[i];
      if (usual.exchanged)
        continue;
      const Candidate *mirror = findMirror(usual, candidates);
      if (!mirror || mirror->schedule.getTurns()[0] > 1 || hasLike(*mirror) ||
          mirror->lines[0].element >= usual.lines[0].element)
        continue;
      chosen.insert(chosen.begin() + i, *mirror);
      ++i; // Where the usual one stands now.
    }
  }

  /// Adds at most so many more, those of the candidates that split K.
  void addSlices(ArrayRef<Candidate> candidates, ArrayRef<Sample> samples,
                 size_t most, double leastSaving,
                 tile::TargetAttrInterface target) {
    SmallVector<Candidate> slices;
    for (const Candidate &candidate : candidates)
      if (!candidate.exchanged &&
          llvm::product_of(candidate.schedule.getCluster()) == 1)
        if (std::optional<Candidate> split = splitOf(op, candidate, target))
          slices.push_back(*split);
    if (!slices.empty())
      add(price(slices, samples), chosen.size() + most, leastSaving,
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
             other.schedule.getClusterK() == schedule.getClusterK() &&
             other.schedule.getTurns() == schedule.getTurns();
    });
  }

  /// The candidate that is the same with exchanged operands, or null.
  static const Candidate *findMirror(const Candidate &candidate,
                                     ArrayRef<Candidate> candidates) {
    auto turned = [](ArrayRef<int64_t> extents) {
      SmallVector<int64_t> turned(extents);
      std::swap(turned[0], turned[1]);
      return turned;
    };
    ScheduleAttr own = candidate.schedule;
    SmallVector<int64_t> tile = turned(own.getTile()),
                         groups = turned(own.getGroups()),
                         cluster = turned(own.getCluster());
    const Candidate *mirror =
        llvm::find_if(candidates, [&](const Candidate &other) {
          ScheduleAttr schedule = other.schedule;
          return other.exchanged && schedule.getTile() == ArrayRef(tile) &&
                 schedule.getGroups() == ArrayRef(groups) &&
                 schedule.getCluster() == ArrayRef(cluster) &&
                 schedule.getSplitK() == own.getSplitK() &&
                 schedule.getTurns() == own.getTurns();
        });
    return mirror == candidates.end() ? nullptr : mirror;
  }

  std::vector<double> pricesOf(const Candidate &candidate,
                               ArrayRef<Sample> samples) {
    std::vector<double> prices;
    prices.reserve(samples.size());
    // What waits for memory does so by all schedules alike; sizes that do would
    // take places in the list from those that tell them apart.
    LaunchPrice price(op, candidate, costs, /*fromMemory=*/false);
    int64_t given = op.getK();
    for (auto [m, n, aligned, depth] : samples) {
      double k = !ShapedType::isDynamic(given) ? std::max<int64_t>(1, given)
                 : depth                       ? double(depth)
                                               : std::sqrt(double(m) * n);
      prices.push_back(std::min(kNever, price(m, n, k, aligned)));
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
                                             ArrayRef<Candidate> all,
                                             const Candidate &first,
                                             tile::TargetAttrInterface target) {
  // By price clusters along both sides would come instead of faster schedules.
  SmallVector<Candidate> candidates =
      llvm::filter_to_vector(all, [](const Candidate &candidate) {
        return !clustersAlongBoth(candidate.schedule);
      });
  SmallVector<Sample> aligned, unaligned, strips, deep;
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
  auto draw = [&](int64_t given, int64_t least, int64_t most) {
    double part = double(source()) / std::mt19937::max();
    int64_t drawn = std::llround(least * std::pow(double(most) / least, part) /
                                 kNeighbour) *
                    kNeighbour;
    return ShapedType::isDynamic(given) ? drawn : std::max<int64_t>(1, given);
  };
  for (int i = 0; i < kDrawn; ++i) {
    auto any = [&](int64_t given) {
      return draw(given, kLeastExtent / 4, kMostExtent);
    };
    int64_t m = any(op.getM()), n = any(op.getN()), k = any(op.getK());
    unaligned.push_back({m, n, false, k});
  }
  for (int i = 0; i < kDrawnStrips; ++i) {
    auto side = [&](int64_t given, bool isShort) {
      return draw(given, isShort ? kLeastShort : kLeastLong,
                  isShort ? kMostShort : kMostExtent);
    };
    int64_t m = side(op.getM(), i % 2), n = side(op.getN(), i % 2 == 0),
            k = side(op.getK(), false);
    strips.push_back({m, n, false, k});
  }
  Portfolio portfolio(op, first, target.getCosts());
  // Tiles with exchanged operands mirror others, at the same price, and come
  // where those do not do.
  auto isUsual = [](const Candidate &candidate) {
    return !candidate.exchanged;
  };
  auto isAlone = [&](const Candidate &candidate) {
    return isUsual(candidate) &&
           llvm::product_of(candidate.schedule.getCluster()) == 1;
  };
  Priced atLines = portfolio.price(candidates, aligned),
         offLines = portfolio.price(candidates, unaligned);
  portfolio.add(atLines, kMostTiles, kLeastSaving, isAlone);
  portfolio.add(offLines, kMost, kLeastSavingOff, isUsual);
  portfolio.addNamed(candidates);
  portfolio.addExchanged(offLines, kMostExchanged, kLeastSavingOff);
  portfolio.addMirrors(candidates);
  portfolio.addSlices(candidates, deep, kMostSplit, kLeastSavingSplit, target);
  portfolio.addStrips(portfolio.price(candidates, strips), all, target);
  portfolio.addShared(candidates, deep, target);
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
  portfolio.add(portfolio.price(made, samples), kMostMade, kLeastSavingMade,
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
  portfolio.add(portfolio.price(few, samples), 1 + kMostFew, kLeastSavingFew,
                [](const Candidate &) { return true; });
  portfolio.addSlices(few, deep, kMostSplitFew, kLeastSavingFew, target);
  return portfolio.take();
}
