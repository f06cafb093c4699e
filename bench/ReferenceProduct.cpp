// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ReferenceImpl.h"
#include "RegionMath.h"
#include "helios/Bench/Numbers.h"
#include "helios/Bench/Parallel.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

namespace helios::bench {

using bundle::Step;
using bundle::StepKind;

namespace detail {

namespace {

bool allIntegers(const HostTensor &t) {
  return t.lo.empty() &&
         std::all_of(t.values.begin(), t.values.end(),
                     [](double v) { return v == std::trunc(v); });
}

/// Offsets of an operand's matrices along the result's batch dimensions; 0
/// where it broadcasts.
std::vector<int64_t> batchStridesOf(const std::vector<int64_t> &extents,
                                    size_t batchRank) {
  std::vector<int64_t> strides(batchRank, 0);
  int64_t stride = extents[extents.size() - 1] * extents[extents.size() - 2];
  for (size_t d = 0; d + 2 < extents.size(); ++d) {
    const int64_t e = extents[extents.size() - 3 - d];
    strides[batchRank - 1 - d] = e == 1 ? 0 : stride;
    stride *= e;
  }
  return strides;
}

} // namespace

ProductContext::ProductContext(const Problem &problem,
                               const StepContext &context,
                               const ProductExtents &extents,
                               const std::vector<const HostTensor *> &slots)
    : problem(problem), context(context), extents(extents),
      tolerance(productTolerance(
          context.step, problem.kernel->semantics->slots[context.step.a].type,
          problem.kernel->semantics->slots[context.step.b].type, extents.k)) {
  auto operand = [&](uint32_t slot, bool depthFirst) {
    const HostTensor &t = *slots[slot];
    const int64_t last = t.extents.back();
    return Operand{&t, batchStridesOf(t.extents, extents.batch.size()),
                   depthFirst ? 1 : last, depthFirst ? last : 1,
                   allIntegers(t)};
  };
  operandA = operand(context.step.a, context.step.transposeA);
  operandB = operand(context.step.b, !context.step.transposeB);
  const auto &ea = operandA.tensor->extents, &eb = operandB.tensor->extents;
  storedM = ea[ea.size() - (context.step.transposeA ? 1 : 2)];
  storedN = eb[eb.size() - (context.step.transposeB ? 2 : 1)];
}

void ProductContext::norms(const Operand &operand, int64_t base, int64_t lines,
                           int64_t depth, Norms &to) {
  const HostTensor &t = *operand.tensor;
  to.value.assign(size_t(lines), 0);
  to.radius.assign(t.lo.empty() ? 0 : size_t(lines), 0);
  constexpr int64_t band = 64;
  parallelFor((lines + band - 1) / band, [&](int64_t b) {
    const int64_t end = std::min(lines, (b + 1) * band);
    auto add = [&](int64_t line, int64_t k) {
      const size_t e =
          size_t(base + line * operand.lineStride + k * operand.depthStride);
      to.value[size_t(line)] += t.values[e] * t.values[e];
      if (!t.lo.empty()) {
        const double r = std::max(t.values[e] - t.lo[e], t.hi[e] - t.values[e]);
        to.radius[size_t(line)] += r * r;
      }
    };
    if (operand.depthStride == 1)
      for (int64_t line = b * band; line < end; ++line)
        for (int64_t k = 0; k < depth; ++k)
          add(line, k);
    else
      for (int64_t k = 0; k < depth; ++k)
        for (int64_t line = b * band; line < end; ++line)
          add(line, k);
  });
  for (double &v : to.value)
    v = std::sqrt(v);
  for (double &v : to.radius)
    v = std::sqrt(v);
}

void ProductContext::select(int64_t batch) {
  int64_t baseA = 0, baseB = 0, rest = batch;
  for (size_t d = extents.batch.size(); d-- > 0;) {
    const int64_t at = rest % extents.batch[d];
    rest /= extents.batch[d];
    baseA += at * operandA.batchStrides[d];
    baseB += at * operandB.batchStrides[d];
  }
  viewA = {operandA.tensor->values.data() + baseA, operandA.lineStride,
           operandA.depthStride};
  viewB = {operandB.tensor->values.data() + baseB, operandB.depthStride,
           operandB.lineStride};
  if (baseA != lastBaseA)
    norms(operandA, baseA, storedM, extents.k, normsA);
  if (baseB != lastBaseB)
    norms(operandB, baseB, storedN, extents.k, normsB);
  lastBaseA = baseA;
  lastBaseB = baseB;
}

void ProductContext::accumulators(int64_t row, int64_t column, int count,
                                  const double *sums, Lanes &to) const {
  const auto i = size_t(rowOf(row));
  const bool integral = operandA.integers && operandB.integers;
  const auto type = context.step.accumulator;
  const uint32_t bits = bundle::significandBits(type);
  const double largest = type == bundle::ElementType::F16 ? 65504 : INFINITY;
  for (int c = 0; c < count; ++c) {
    const auto j = size_t(columnOf(column + c));
    const double s = sums[c];
    to.value[c] = s;
    to.integer[c] = 0;
    const double size = normsA.value[i] * normsB.value[j];
    if (bits == 0) { // integers: exact, modulo their width
      to.integer[c] = wrapInteger(type, floatToInteger(s));
      to.value[c] = to.lo[c] = to.hi[c] = double(to.integer[c]);
      continue;
    }
    // Every partial sum, in any order, is at most `size`: exact while the
    // accumulator holds such integers.
    double t = integral && size < tolerance.exactBelow
                   ? 0
                   : tolerance.factor * size + tolerance.share * std::fabs(s) +
                         tolerance.least;
    if (!normsA.radius.empty())
      t += normsA.radius[i] *
           (normsB.value[j] + (normsB.radius.empty() ? 0 : normsB.radius[j]));
    if (!normsB.radius.empty())
      t += normsA.value[i] * normsB.radius[j];
    to.lo[c] = s - t;
    to.hi[c] = s + t;
    if (std::isfinite(s) &&
        !(t < INFINITY)) { // an infinite operand elsewhere in the line, or an
                           // unbounded one
      to.lo[c] = -INFINITY;
      to.hi[c] = INFINITY;
    }
    if (!std::isfinite(s)) // the norms are no use; the sum is infinite or NaN
                           // whatever the order
      to.lo[c] = to.hi[c] = s;
    if (to.hi[c] > largest)
      to.hi[c] = INFINITY;
    if (to.lo[c] < -largest)
      to.lo[c] = -INFINITY;
  }
}

namespace {

/// Runs a product step; every finished run of elements goes to `done(offset,
/// count, lanes)`.
void runProduct(const Problem &problem, const StepContext &context,
                const ProductExtents &extents,
                const std::vector<const HostTensor *> &slots,
                const std::function<void(int64_t, int, const Lanes &)> &done) {
  if (elementCount(context.extents) == 0)
    return;
  ProductContext product(problem, context, extents, slots);
  const bool repeated = problem.rows || problem.columns;
  std::vector<double> compact;
  std::vector<GroupRows> groups;
  if (extents.grouped)
    groups = rowsOfGroups(*slots[*context.step.ends], extents.m);
  for (int64_t batch = 0; batch < extents.batchCount(); ++batch) {
    const GroupRows own =
        extents.grouped ? groups[size_t(batch)] : GroupRows{0, extents.m};
    if (own.first == own.end)
      continue;
    product.select(batch);
    const int64_t base = batch * extents.m * extents.n;
    const int64_t before = extents.grouped ? base : 0;
    // `sum(row, column, count, to)` puts sums of a run of elements at `to`.
    auto finishRows = [&](int64_t firstRow, int64_t rows, int64_t firstColumn,
                          int64_t columns, auto &&sums) {
      SegmentEvaluator evaluator(context);
      Lanes accumulator;
      for (int64_t r = firstRow; r < firstRow + rows; ++r)
        for (int64_t j = firstColumn; j < firstColumn + columns; j += kLanes) {
          const int count =
              int(std::min<int64_t>(kLanes, firstColumn + columns - j));
          product.accumulators(r, j, count, sums(r, j, count), accumulator);
          const int64_t offset = base + r * extents.n + j;
          done(offset - before, count,
               evaluator.evaluate(offset, count, &accumulator));
        }
    };
    if (!repeated) {
      MatrixView a = product.a();
      a.data += own.first * a.rowStride;
      multiply(a, product.b(), own.end - own.first, extents.n, extents.k,
               [&](const ProductBlock &block) {
                 finishRows(own.first + block.row, block.rows, block.column,
                            block.columns, [&](int64_t r, int64_t j, int) {
                              return block.data +
                                     (r - own.first - block.row) * block.ld +
                                     (j - block.column);
                            });
               });
      continue;
    }
    const int64_t m = product.storedRows(), n = product.storedColumns();
    compact.assign(size_t(m * n), 0);
    multiply(product.a(), product.b(), m, n, extents.k,
             [&](const ProductBlock &block) {
               for (int64_t i = 0; i < block.rows; ++i)
                 std::copy_n(block.data + i * block.ld, block.columns,
                             compact.data() + (block.row + i) * n +
                                 block.column);
             });
    constexpr int64_t band = 16;
    parallelFor((extents.m + band - 1) / band, [&](int64_t task) {
      double run[kLanes];
      finishRows(task * band, std::min(band, extents.m - task * band), 0,
                 extents.n, [&](int64_t r, int64_t j, int count) {
                   for (int c = 0; c < count; ++c)
                     run[c] = compact[size_t(product.rowOf(r) * n +
                                             product.columnOf(j + c))];
                   return static_cast<const double *>(run);
                 });
    });
  }
}

void runElementwise(
    const StepContext &context,
    const std::function<void(int64_t, int, const Lanes &)> &done) {
  const int64_t total = elementCount(context.extents);
  if (total == 0)
    return;
  const int64_t columns = context.extents.empty() ? 1 : context.extents.back();
  const int64_t rows = total / columns;
  const int64_t band = std::max<int64_t>(1, 65536 / columns);
  parallelFor((rows + band - 1) / band, [&](int64_t task) {
    SegmentEvaluator evaluator(context);
    for (int64_t r = task * band; r < std::min(rows, (task + 1) * band); ++r)
      for (int64_t j = 0; j < columns; j += kLanes) {
        const int count = int(std::min<int64_t>(kLanes, columns - j));
        done(r * columns + j, count,
             evaluator.evaluate(r * columns + j, count, nullptr));
      }
  });
}

} // namespace

std::vector<std::vector<int64_t>> argumentExtents(const Problem &problem) {
  std::vector<std::vector<int64_t>> extents;
  for (const HostTensor &t : problem.arguments)
    extents.push_back(t.extents);
  const Step &first = problem.kernel->semantics->steps.front();
  // Repeated lines: the stored operand is smaller than what the kernel was
  // given.
  if (problem.rows)
    extents[first.a][extents[first.a].size() - (first.transposeA ? 1 : 2)] =
        int64_t(problem.rows->map.size());
  if (problem.columns)
    extents[first.b][extents[first.b].size() - (first.transposeB ? 2 : 1)] =
        int64_t(problem.columns->map.size());
  return extents;
}

/// Slots of arguments and of views of them; others are null.
struct Views {
  Views(const Problem &problem,
        const std::vector<std::vector<int64_t>> &extents) {
    const bundle::Semantics &semantics = *problem.kernel->semantics;
    slots.resize(semantics.slots.size());
    for (size_t n = 0; n < problem.arguments.size(); ++n)
      slots[n] = &problem.arguments[n];
    made.reserve(semantics.steps.size());
    for (const Step &step : semantics.steps)
      if (step.kind == StepKind::View && has(step.a)) {
        made.push_back(*slots[step.a]);
        made.back().extents = extents[step.dest];
        slots[step.dest] = &made.back();
      }
  }
  bool has(uint32_t slot) const { return slots[slot] != nullptr; }

  std::vector<HostTensor> made;
  std::vector<const HostTensor *> slots;
};

} // namespace detail

Status evaluateWhole(const Problem &problem, const SegmentSink &sink) {
  const bundle::Semantics &semantics = *problem.kernel->semantics;
  if (semantics.steps.empty())
    return Status::invalidInput("kernel '" + problem.kernel->name +
                                "' has a meaning without steps");
  auto extents = slotExtents(*problem.kernel, detail::argumentExtents(problem));
  if (!extents.ok())
    return extents.status();
  const size_t arguments = problem.arguments.size();
  std::vector<HostTensor> temporaries(semantics.slots.size());
  std::vector<const HostTensor *> slots(semantics.slots.size());
  for (size_t s = 0; s < slots.size(); ++s)
    slots[s] = s < arguments && !problem.kernel->arguments[s].isResult
                   ? &problem.arguments[s]
                   : &temporaries[s];
  for (size_t n = 0; n < semantics.steps.size(); ++n) {
    const Step &step = semantics.steps[n];
    std::vector<uint32_t> written{step.dest};
    if (step.kind == StepKind::Attention && step.attention.lse)
      written.push_back(*step.attention.lse);
    std::set<uint32_t> kept; // of these, what later steps read
    for (size_t later = n + 1; later < semantics.steps.size(); ++later) {
      const Step &l = semantics.steps[later];
      auto reads = [&](uint32_t slot) {
        return (l.kind != StepKind::Elementwise &&
                (l.a == slot || l.b == slot)) ||
               l.ends == slot ||
               (l.kind == StepKind::Attention && l.attention.value == slot) ||
               std::find(l.fused.begin(), l.fused.end(), slot) != l.fused.end();
      };
      for (uint32_t slot : written)
        if (reads(slot))
          kept.insert(slot);
    }
    for (uint32_t slot : written) {
      HostTensor &dest = temporaries[slot];
      dest.extents = (*extents)[slot];
      const size_t count = kept.count(slot) ? size_t(dest.elements()) : 0;
      dest.values.resize(count);
      dest.lo.resize(count);
      dest.hi.resize(count);
    }
    auto doneIn = [&](uint32_t slot, int64_t offset, int count,
                      const Lanes &lanes) {
      if (kept.count(slot)) {
        HostTensor &dest = temporaries[slot];
        std::copy_n(lanes.value, count, dest.values.begin() + offset);
        std::copy_n(lanes.lo, count, dest.lo.begin() + offset);
        std::copy_n(lanes.hi, count, dest.hi.begin() + offset);
      }
      if (slot < arguments)
        sink({slot, offset, count, &lanes});
    };
    auto done = [&](int64_t offset, int count, const Lanes &lanes) {
      doneIn(step.dest, offset, count, lanes);
    };
    if (step.kind == StepKind::View) {
      if (step.dest < arguments)
        return Status::invalidInput("kernel '" + problem.kernel->name +
                                    "' returns a view");
      const HostTensor &from = *slots[step.a];
      HostTensor &dest = temporaries[step.dest];
      dest.values = from.values;
      dest.lo = from.lo;
      dest.hi = from.hi;
      continue;
    }
    if (step.kind == StepKind::Reduce) {
      detail::runReduction(step, *slots[step.a], done);
    } else if (step.kind == StepKind::Attention) {
      detail::runAttention(problem, step,
                           *detail::attentionExtents(step, *extents), slots,
                           nullptr, doneIn);
    } else {
      std::vector<int64_t> space = (*extents)[step.dest];
      if (step.ends)
        space.insert(space.begin(), (*extents)[step.b][0]);
      detail::StepContext context(problem, step, std::move(space), slots);
      if (step.kind == StepKind::Matmul)
        detail::runProduct(problem, context, *productExtents(step, *extents),
                           slots, done);
      else
        detail::runElementwise(context, done);
    }
    if (step.ends && step.dest < arguments) {
      const int64_t all = (*extents)[step.dest][0],
                    columns = (*extents)[step.dest][1];
      const auto groups = rowsOfGroups(*slots[*step.ends], all);
      const int64_t first = groups.empty() ? 0 : groups.back().end;
      for (int64_t at = first * columns; at < all * columns; at += kLanes)
        sink({step.dest, at, int(std::min<int64_t>(kLanes, all * columns - at)),
              nullptr});
    }
    for (uint32_t slot : kept)
      if (HostTensor &dest = temporaries[slot];
          dest.lo == dest.values && dest.hi == dest.values)
        dest.lo.clear(), dest.hi.clear();
  }
  return Status::success();
}

Result<double> usefulMultiplyAdds(const Problem &problem) {
  auto all = detail::argumentExtents(problem);
  auto sum = multiplyAdds(*problem.kernel, all);
  auto extents = slotExtents(*problem.kernel, all);
  if (!sum.ok() || !extents.ok())
    return sum.ok() ? extents.status() : sum.status();
  double useful = *sum;
  const detail::Views views(problem, *extents);
  for (const Step &step : problem.kernel->semantics->steps) {
    if (step.ends && views.has(*step.ends)) {
      const auto p = *productExtents(step, *extents);
      const auto groups = rowsOfGroups(*views.slots[*step.ends], p.m);
      const int64_t end = groups.empty() ? 0 : groups.back().end;
      useful -= double(p.m - end) * double(p.n) * double(p.k);
    }
    if (step.kind != StepKind::Attention || !views.has(step.a) ||
        !views.has(step.b) || !views.has(step.attention.value) ||
        !std::all_of(step.fused.begin(), step.fused.end(),
                     [&](uint32_t f) { return views.has(f); }))
      continue;
    const auto e = *detail::attentionExtents(step, *extents);
    useful -= (double(e.rows()) * double(e.keys) -
               detail::admittedPairs(problem, step, e, views.slots)) *
              double(e.depth + e.valueDepth);
  }
  return useful;
}

Status evaluateRows(const Problem &problem, const std::vector<int64_t> &rows,
                    const SegmentSink &sink) {
  auto extents = slotExtents(*problem.kernel, detail::argumentExtents(problem));
  if (!extents.ok())
    return extents.status();
  const Step &step = problem.kernel->semantics->steps.back();
  const detail::Views views(problem, *extents);
  detail::runAttention(
      problem, step, *detail::attentionExtents(step, *extents), views.slots,
      &rows, [&](uint32_t slot, int64_t offset, int count, const Lanes &lanes) {
        sink({slot, offset, count, &lanes});
      });
  return Status::success();
}

/// Evaluates elements of one element-wise step at dense offsets.
static void
evaluateElementwiseOf(const Problem &problem, const Step &step,
                      const std::vector<std::vector<int64_t>> &extents,
                      const std::vector<const HostTensor *> &slots,
                      const std::vector<int64_t> &offsets,
                      const std::function<void(int64_t, const Lanes &)> &done) {
  detail::StepContext context(problem, step, extents[step.dest], slots);
  detail::SegmentEvaluator evaluator(context);
  for (int64_t offset : offsets)
    done(offset, evaluator.evaluate(offset, 1, nullptr));
}

/// Evaluates elements of one product step at sorted dense offsets.
static void
evaluateElementsOf(const Problem &problem, const Step &step,
                   const std::vector<std::vector<int64_t>> &extents,
                   const std::vector<const HostTensor *> &slots,
                   const std::vector<int64_t> &sorted,
                   const std::function<void(int64_t, const Lanes &)> &done) {
  const ProductExtents product = *productExtents(step, extents);
  detail::StepContext context(problem, step, extents[step.dest], slots);
  // By batch entry, so that its norms are computed once.
  const int64_t matrix = product.m * product.n;
  detail::ProductContext operands(problem, context, product, slots);
  for (size_t first = 0; first < sorted.size();) {
    const int64_t batch = sorted[first] / matrix;
    size_t end = first;
    while (end < sorted.size() && sorted[end] / matrix == batch)
      ++end;
    operands.select(batch);
    constexpr size_t band = 32;
    parallelFor(int64_t((end - first + band - 1) / band), [&](int64_t task) {
      detail::SegmentEvaluator evaluator(context);
      Lanes accumulator;
      for (size_t s = first + size_t(task) * band;
           s < std::min(end, first + size_t(task + 1) * band); ++s) {
        const int64_t row = sorted[s] % matrix / product.n,
                      column = sorted[s] % product.n;
        const int64_t i = operands.rowOf(row), j = operands.columnOf(column);
        double sum = 0;
        for (int64_t k = 0; k < product.k; ++k)
          sum += operands.a().at(i, k) * operands.b().at(k, j);
        operands.accumulators(row, column, 1, &sum, accumulator);
        done(sorted[s], evaluator.evaluate(sorted[s], 1, &accumulator));
      }
    });
    first = end;
  }
}

Status evaluateElements(const Problem &problem,
                        const std::vector<int64_t> &offsets,
                        const SegmentSink &sink) {
  const bundle::Semantics &semantics = *problem.kernel->semantics;
  auto extents = slotExtents(*problem.kernel, detail::argumentExtents(problem));
  if (!extents.ok())
    return extents.status();
  // Of what later steps read only the elements asked for are ever set.
  const size_t arguments = problem.arguments.size();
  std::vector<HostTensor> sums(semantics.slots.size());
  std::vector<const HostTensor *> slots(semantics.slots.size());
  for (size_t s = 0; s < slots.size(); ++s)
    slots[s] = s < arguments && !problem.kernel->arguments[s].isResult
                   ? &problem.arguments[s]
                   : &sums[s];
  std::vector<int64_t> sorted = offsets;
  std::sort(sorted.begin(), sorted.end());
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  for (const Step &step : semantics.steps) {
    HostTensor &sum = sums[step.dest];
    const bool isRead = std::any_of(
        semantics.steps.begin(), semantics.steps.end(), [&](const Step &later) {
          return std::find(later.fused.begin(), later.fused.end(), step.dest) !=
                 later.fused.end();
        });
    if (isRead) {
      sum.extents = (*extents)[step.dest];
      for (std::vector<double> *values : {&sum.values, &sum.lo, &sum.hi})
        values->resize(size_t(sum.elements()));
    }
    auto done = [&](int64_t offset, const Lanes &lanes) {
      if (step.dest < arguments)
        sink({step.dest, offset, 1, &lanes});
      if (!isRead)
        return;
      sum.values[size_t(offset)] = lanes.value[0];
      sum.lo[size_t(offset)] = lanes.lo[0];
      sum.hi[size_t(offset)] = lanes.hi[0];
    };
    if (step.kind == StepKind::Elementwise)
      evaluateElementwiseOf(problem, step, *extents, slots, sorted, done);
    else
      evaluateElementsOf(problem, step, *extents, slots, sorted, done);
  }
  return Status::success();
}

} // namespace helios::bench
