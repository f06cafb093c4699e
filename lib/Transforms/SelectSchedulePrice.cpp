// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// helios-select-schedule: what a launch of given extents costs by the model.

#include "SelectSchedule.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace helios;
using namespace helios::schedule;

/// What steps of streamed tiles take where workgroups are at different places
/// of K, and share no reads, beside others (docs/benchmarks, prices.py stream).
static constexpr double kUnlikePlaces = 1.75;
static constexpr double kInfinite = std::numeric_limits<double>::infinity();

LaunchPrice::LaunchPrice(MatmulOp op, const Candidate &candidate,
                         const tile::TargetCosts &costs, bool fromMemory)
    : candidate(candidate), costs(costs), tile(candidate.schedule.getTile()),
      cluster(candidate.schedule.getCluster()),
      shares(candidate.schedule.getClusterK()[0]),
      size(candidate.schedule.getClusterSize()),
      atOnce(std::max<int64_t>(1, costs.processors *
                                      (size < 4 ? 1 : costs.roles.inClusters) /
                                      size)),
      processors(std::max<int64_t>(1, costs.processors)),
      slices(candidate.schedule.getSplitK()[0]),
      turns(candidate.schedule.getTurns()[0]), sums(op.getNumSums()),
      leftBytes(bytesOf(op.getLhsElement())),
      operands(operandBits(op, makesRight(candidate.schedule))),
      isStreamed(helios::isStreamed(candidate.schedule)),
      isPersistent(candidate.schedule.getItems() !=
                   int64_t(tile::Distribution::Grid)),
      packs(packsRight(candidate.schedule)),
      makes(makesRight(candidate.schedule)),
      turnsLeft(helios::turnsLeft(op, candidate.schedule)),
      turnsRight(helios::turnsRight(op, candidate.schedule)),
      fromMemory(fromMemory), leastRows(makes ? leastRowsOfMade(op) : 0),
      element{timeOf(candidate, /*aligned=*/false), timeOf(candidate)},
      least(leastTimeOf(candidate)) {
  for (int i : {0, 1}) {
    span[i] = tile[i] * cluster[i];
    idle[i] = tile[i] * (cluster[i] - 1);
  }
}

std::optional<LaunchPrice::Division> LaunchPrice::divide(int64_t m, int64_t n,
                                                         double k) const {
  Division division;
  auto &[clusters, depth, streamed, added] = division;
  clusters = llvm::divideCeil(m, span[0]) * llvm::divideCeil(n, span[1]);
  depth = k / shares;
  if (slices != 1) {
    // As many as the launch plan takes, and the second dispatch.
    int64_t parts = slices;
    if (parts == 0)
      parts = std::max<int64_t>(
          1,
          std::min<int64_t>(atOnce * std::max<int64_t>(1, candidate.resident) /
                                std::max<int64_t>(1, clusters),
                            depth / kLeastSlice));
    clusters *= parts;
    depth /= parts;
    double dispatches = 1;
    if (isPersistent && m * n <= kMostSmallSum)
      dispatches += 1.0 / kSmallSum + double(parts) / kSmallSumSlices;
    added = inUnits(costs.sumDispatch) * dispatches +
            inUnits(costs.sumElement) * double(m) * n * parts / processors;
  }
  if (isStreamed) {
    int64_t left = clusters % atOnce;
    if (left == 0 || depth <= kLeastSlice)
      return std::nullopt;
    // As the launch plan has it: whole shares of a tile, or one less than that.
    double most = std::min(double(atOnce), left * depth / kLeastSlice);
    int64_t several = int64_t(most) / left;
    double all = several > 1 ? double(left * several) : most;
    streamed = left / all * (several > 1 ? 1 : kUnlikePlaces);
    clusters -= left;
    added = inUnits(costs.sumDispatch) +
            inUnits(costs.sumElement) * double(tile[0] * tile[1]) * size *
                (several > 1 ? all : all + left) / processors;
  }
  return division;
}

/// What packs, makes or turns operands first.
double LaunchPrice::priceOfCopies(int64_t m, int64_t n, double k) const {
  double price = 0, elements = k * n / processors;
  if (packs)
    price = inUnits(costs.packDispatch + costs.packElement * elements);
  if (makes)
    price += sums * inUnits(costs.makeDispatch + costs.makeElement * elements);
  auto turn = [&](double elements) {
    price += inUnits(costs.turnDispatch +
                     costs.turnByte * leftBytes * elements / processors);
  };
  if (turnsLeft)
    turn(double(m) * k);
  if (turnsRight)
    turn(sums * double(k) * n);
  return price;
}

double LaunchPrice::operator()(int64_t m, int64_t n, double k,
                               bool aligned) const {
  if (m < leastRows || m <= idle[0] || n <= idle[1])
    return kInfinite;
  std::optional<Division> division = divide(m, n, k);
  if (!division)
    return kInfinite;
  auto [clusters, depth, streamed, added] = *division;
  // As the launch plan has it.
  if (shares > 1 && clusters > atOnce)
    return kInfinite;
  if (candidate.overlaps && !isFor(candidate.schedule, m, depth))
    return kInfinite;
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
      if (extent < span[i])
        sum += cost[i] * std::min(span[i] - extent, tile[i]) / cluster[1 - i];
    return sum;
  };
  const OutsideCost &outside = candidate.outside;
  double inside = element[aligned];
  if (shares > 1 && !aligned)
    inside *=
        (kSharedAlone + kSharedBeside * std::min(1.0, double(clusters) * size /
                                                          costs.processors)) /
        kSharedParts;
  inside -=
      std::min(inside / tile::kMostOutside,
               outsideOf(aligned ? outside.lines : outside.unalignedLines));
  double filled = outsideOf(outside.busy) *
                  std::min(1.0, double(clusters) * size / costs.processors);
  double item = depth * (inside + filled) + candidate.item.each;
  double bytes = candidate.item.bytes;
  bool isKept = bytes * clusters * size <= costs.items.kept;
  // Groups that take turns store their own items one after the other, and what
  // all processors write memory has to take.
  double together = candidate.resident
                        ? std::ceil(rounds / double(candidate.resident))
                        : 1,
         all = std::max(rounds * item, together * depth * least) +
               candidate.item.last,
         serial = std::ceil(rounds / turns) * (item + candidate.item.last),
         written = isKept ? 0
                          : rounds * inUnits(costs.items.item +
                                             costs.items.written * bytes);
  const LineCost &lines = candidate.lines[aligned];
  double moved = double(clusters) * size / costs.processors *
                 (depth * lines.element +
                  lines.item * (isKept ? 1 : costs.items.storedOutside));
  double rows = (double(m) * operands[0] + double(n) * operands[1]) / 8;
  double read = depth * rows > costs.items.keptRead
                    ? rounds * depth * candidate.item.reads
                    : 0;
  double most = std::max({all, turns > 1 ? serial : 0, written, moved, read});
  if (fromMemory && k * rows > costs.items.keptRead)
    most = std::max(most, inUnits(costs.items.memoryByte) * k * rows +
                              most / kBesideMemory);
  return inUnits(costs.roles.launch + workgroups * costs.roles.workgroup) +
         added + priceOfCopies(m, n, depth) + most;
}
