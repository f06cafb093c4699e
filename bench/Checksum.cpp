// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random-vector checksums (Freivalds): with signs r, the sum over j of r_j D_ij
// is known from A (B r) in time proportional to the operands. Errors of right
// elements add up like a random walk, a wrong element shows in full.

#include "CheckImpl.h"
#include "ReferenceImpl.h"
#include "helios/Bench/Numbers.h"
#include "helios/Bench/Parallel.h"
#include "helios/Bench/Random.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace helios::bench::detail {

using bundle::Region;
using bundle::ScalarOp;
using bundle::ScalarOpKind;
using bundle::Step;

namespace {

/// The region without its roundings: every float becomes a double; constants
/// keep the values they had.
Region withoutRounding(const Region &region) {
  Region r = region;
  for (ScalarOp &op : r.ops) {
    if (!bundle::isFloat(op.type) || op.kind == ScalarOpKind::ScalarArg)
      continue;
    if (op.kind == ScalarOpKind::Const)
      op.imm = roundFloat(op.type, op.imm);
    op.type = bundle::ElementType::F64;
  }
  return r;
}

/// Sum of the roundoffs of the region's operations and of the store.
double roundingOf(const Region &region, bundle::ElementType stored) {
  double sum = unitRoundoff(stored);
  for (const ScalarOp &op : region.ops)
    if (bundle::scalarOpArity(op.kind) > 0 && bundle::isFloat(op.type))
      sum += 2 * unitRoundoff(op.type);
  return sum;
}

enum class AlphaVaries { Nowhere, ByColumn, ByRow, Both };

AlphaVaries alphaVaries(const StepContext &context, uint64_t fusedMask) {
  const size_t rank = context.extents.size();
  bool row = false, column = false;
  for (size_t f = 0; f < context.fused.size(); ++f) {
    if (f >= 64 ? fusedMask != 0 : !((fusedMask >> f) & 1))
      continue;
    row |= context.fused[f].strides[rank - 2] != 0;
    column |= context.fused[f].strides[rank - 1] != 0;
  }
  return row && column ? AlphaVaries::Both
         : row         ? AlphaVaries::ByRow
         : column      ? AlphaVaries::ByColumn
                       : AlphaVaries::Nowhere;
}

/// The region at a constant sum for a whole row.
void rowAt(SegmentEvaluator &evaluator, const Lanes &sum, int64_t offset,
           int64_t columns, std::vector<double> &to) {
  to.resize(size_t(columns));
  for (int64_t j = 0; j < columns; j += kLanes) {
    const int count = int(std::min<int64_t>(kLanes, columns - j));
    std::copy_n(evaluator.evaluate(offset + j, count, &sum).value, count,
                to.begin() + j);
  }
}

Lanes constantLanes(double v) {
  Lanes l;
  std::fill_n(l.value, kLanes, v);
  std::fill_n(l.lo, kLanes, v);
  std::fill_n(l.hi, kLanes, v);
  std::fill_n(l.integer, kLanes, int64_t(v));
  return l;
}

} // namespace

Status compareChecksums(const Problem &problem,
                        const std::vector<ResultImage> &results, uint64_t seed,
                        CheckReport &report) {
  const bundle::Kernel &kernel = *problem.kernel;
  if (!isSingleProduct(kernel))
    return Status::success();
  const Step &original = kernel.semantics->steps.front();
  const Affinity affinity = accumulatorAffinity(original.region);
  const ResultImage &result = results[original.dest];
  if (!affinity.affine || !bundle::isFloat(result.layout.type) ||
      bundle::significandBits(original.accumulator) == 0 || problem.rows ||
      problem.columns)
    return Status::success();
  Step step = original;
  step.region = withoutRounding(original.region);
  std::vector<std::vector<int64_t>> extents;
  std::vector<const HostTensor *> slots;
  for (const HostTensor &t : problem.arguments) {
    extents.push_back(t.extents);
    slots.push_back(&t);
  }
  auto product = productExtents(step, extents);
  if (!product.ok())
    return product.status();
  StepContext context(problem, step, result.layout.extents, slots);
  const AlphaVaries varies = alphaVaries(context, affinity.alphaFused);
  if (varies == AlphaVaries::Both)
    return Status::success();

  const int64_t m = product->m, n = product->n, k = product->k;
  const double u = roundingOf(original.region, result.layout.type);
  const SumTolerance tolerance =
      productTolerance(original, kernel.semantics->slots[original.a].type,
                       kernel.semantics->slots[original.b].type, k);
  const Lanes zero = constantLanes(0), one = constantLanes(1);
  std::vector<double> sign(static_cast<size_t>(n));
  const RandomStream random(seed, 3000);
  for (int64_t j = 0; j < n; ++j)
    sign[size_t(j)] = random.bits(uint64_t(j)) & 1 ? 1 : -1;

  ProductContext operands(problem, context, *product, slots);
  std::vector<CheckReport> found(static_cast<size_t>(m));
  for (int64_t batch = 0; batch < product->batchCount(); ++batch) {
    operands.select(batch);
    // weights_k = sum over j of B_kj r_j alpha_j, where alpha by column goes
    // with B, alpha by row with A.
    std::vector<double> alpha, beta, weights(static_cast<size_t>(k));
    {
      SegmentEvaluator evaluator(context);
      rowAt(evaluator, one, batch * m * n, n, alpha);
      rowAt(evaluator, zero, batch * m * n, n, beta);
    }
    std::vector<double> signed_(sign);
    for (int64_t j = 0; j < n; ++j)
      if (varies == AlphaVaries::ByColumn)
        signed_[size_t(j)] *= alpha[size_t(j)] - beta[size_t(j)];
    parallelFor(k, [&](int64_t p) {
      double sum = 0;
      for (int64_t j = 0; j < n; ++j)
        sum += operands.b().at(p, j) * signed_[size_t(j)];
      weights[size_t(p)] = sum;
    });
    constexpr int64_t band = 8;
    parallelFor((m + band - 1) / band, [&](int64_t task) {
      SegmentEvaluator evaluator(context);
      std::vector<double> rowAlpha, rowBeta, got(static_cast<size_t>(n));
      Lanes bounds;
      for (int64_t i = task * band; i < std::min(m, (task + 1) * band); ++i) {
        const int64_t offset = (batch * m + i) * n;
        rowAt(evaluator, one, offset, n, rowAlpha);
        rowAt(evaluator, zero, offset, n, rowBeta);
        decodeElements(result.layout.type,
                       result.bytes.data() +
                           elementOffset(result.layout, offset),
                       size_t(n), got.data());
        double expected = 0, sum = 0, variance = 0;
        for (int64_t p = 0; p < k; ++p)
          expected += operands.a().at(i, p) * weights[size_t(p)];
        if (varies != AlphaVaries::ByColumn)
          expected *= rowAlpha[0] - rowBeta[0];
        for (int64_t j = 0; j < n; ++j) {
          expected += sign[size_t(j)] * rowBeta[size_t(j)];
          sum += sign[size_t(j)] * got[size_t(j)];
        }
        std::vector<double> none(kLanes, 0.0);
        for (int64_t j = 0; j < n; j += kLanes) {
          const int count = int(std::min<int64_t>(kLanes, n - j));
          operands.accumulators(i, j, count, none.data(), bounds);
          for (int c = 0; c < count; ++c) {
            const double scale =
                std::fabs(rowAlpha[size_t(j + c)] - rowBeta[size_t(j + c)]);
            const double size = std::max(std::fabs(got[size_t(j + c)]),
                                         std::fabs(rowBeta[size_t(j + c)]));
            const double own =
                bounds.hi[c] * scale + (u + tolerance.share) * size;
            variance += own * own;
          }
        }
        const double allowed =
            8 * std::sqrt(variance) + 1e-12 * std::fabs(expected);
        if (std::fabs(sum - expected) <= allowed) // false for NaN
          continue;
        CheckReport &wrong = found[size_t(i)];
        char text[200];
        std::snprintf(
            text, sizeof(text),
            ": checksum of the row: expected %.9g within %.3g, got %.9g",
            expected, allowed, sum);
        wrong.wrong = 1;
        wrong.firstWrongOffset = offset;
        wrong.firstWrong = kernel.arguments[original.dest].name +
                           coordinates(result.layout.extents, offset) + text;
      }
    });
    for (CheckReport &f : found) {
      report.merge(f);
      f = CheckReport();
    }
  }
  report.checksummed = true;
  return Status::success();
}

} // namespace helios::bench::detail
