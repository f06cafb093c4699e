// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "helios/Bench/Reference.h"
#include "ReferenceImpl.h"
#include "helios/Bench/Numbers.h"
#include "helios/Bench/Parallel.h"

#include <algorithm>
#include <cmath>

namespace helios::bench {

using bundle::ElementType;
using bundle::Semantics;
using bundle::Step;
using bundle::StepKind;

int64_t elementCount(const std::vector<int64_t> &extents) {
  int64_t count = 1;
  bool overflow = false;
  for (int64_t e : extents) {
    if (e == 0)
      return 0;
    overflow |= e < 0 || __builtin_mul_overflow(count, e, &count);
  }
  return overflow ? -1 : count;
}

int64_t HostTensor::elements() const { return elementCount(extents); }

std::string formatExtents(const std::vector<int64_t> &extents) {
  std::string text;
  for (int64_t e : extents)
    text += (text.empty() ? "" : "x") + std::to_string(e);
  return text.empty() ? "scalar" : text;
}

namespace {

/// numpy's rule on two lists of extents, aligned at their ends; false if they
/// do not agree.
bool broadcast(const std::vector<int64_t> &a, const std::vector<int64_t> &b,
               std::vector<int64_t> &to) {
  const size_t rank = std::max(a.size(), b.size());
  to.assign(rank, 1);
  for (size_t d = 0; d < rank; ++d) {
    const int64_t x = d < a.size() ? a[a.size() - 1 - d] : 1;
    const int64_t y = d < b.size() ? b[b.size() - 1 - d] : 1;
    if (x != y && x != 1 && y != 1)
      return false;
    to[rank - 1 - d] = x == 1 ? y : x;
  }
  return true;
}

} // namespace

std::vector<int64_t> ProductExtents::result() const {
  std::vector<int64_t> extents;
  if (!grouped)
    extents = batch;
  extents.push_back(m);
  extents.push_back(n);
  return extents;
}

std::vector<GroupRows> rowsOfGroups(const HostTensor &ends, int64_t rows) {
  std::vector<GroupRows> groups;
  int64_t first = 0;
  for (double end : ends.values) {
    groups.push_back({first, std::max(first, std::min(int64_t(end), rows))});
    first = groups.back().end;
  }
  return groups;
}

Result<ProductExtents>
productExtents(const Step &step,
               const std::vector<std::vector<int64_t>> &slots) {
  const auto &a = slots[step.a], &b = slots[step.b];
  if (a.size() < 2 || b.size() < 2)
    return Status::invalidInput(
        "a product's operands need two dimensions or more, got " +
        formatExtents(a) + " and " + formatExtents(b));
  ProductExtents r;
  const size_t ra = a.size(), rb = b.size();
  r.m = a[ra - (step.transposeA ? 1 : 2)];
  r.k = a[ra - (step.transposeA ? 2 : 1)];
  r.n = b[rb - (step.transposeB ? 2 : 1)];
  const int64_t kb = b[rb - (step.transposeB ? 1 : 2)];
  if (r.k != kb)
    return Status::invalidInput(
        "the operands of a product disagree on K: " + formatExtents(a) +
        " gives " + std::to_string(r.k) + ", " + formatExtents(b) + " gives " +
        std::to_string(kb));
  r.grouped = step.ends.has_value();
  if (r.grouped && slots[*step.ends] != std::vector<int64_t>{b[0]})
    return Status::invalidInput("expected as many ends as " + formatExtents(b) +
                                " has groups, got " +
                                formatExtents(slots[*step.ends]));
  if (!broadcast({a.begin(), a.end() - 2}, {b.begin(), b.end() - 2}, r.batch))
    return Status::invalidInput("the leading dimensions of " +
                                formatExtents(a) + " and " + formatExtents(b) +
                                " do not broadcast");
  return r;
}

/// Sets the extents of an attention's results, or checks those of arguments.
static Status addAttentionExtents(const Step &step, size_t arguments,
                                  std::vector<std::vector<int64_t>> &slots) {
  auto attention = detail::attentionExtents(step, slots);
  if (!attention.ok())
    return attention.status();
  const auto &e = *attention;
  for (uint32_t f : step.fused) {
    std::vector<int64_t> both;
    if (!broadcast(e.scores(), slots[f], both) || both != e.scores())
      return Status::invalidInput(
          "a fused operand of " + formatExtents(slots[f]) +
          " does not broadcast to scores of " + formatExtents(e.scores()));
  }
  auto set = [&](uint32_t slot, const std::vector<int64_t> &extents) {
    if (slot < arguments && slots[slot] != extents)
      return Status::invalidInput(
          "the result has extents " + formatExtents(slots[slot]) +
          ", the operands give " + formatExtents(extents));
    slots[slot] = extents;
    return Status::success();
  };
  Status s = set(step.dest, {e.batch, e.heads, e.queries, e.valueDepth});
  if (s.ok() && step.attention.lse)
    s = set(*step.attention.lse, {e.batch, e.heads, e.queries});
  return s;
}

Result<std::vector<std::vector<int64_t>>>
slotExtents(const bundle::Kernel &kernel,
            const std::vector<std::vector<int64_t>> &argumentExtents) {
  const Semantics &semantics = *kernel.semantics;
  std::vector<std::vector<int64_t>> slots(semantics.slots.size());
  std::copy(argumentExtents.begin(), argumentExtents.end(), slots.begin());
  for (size_t s = 0; s < semantics.steps.size(); ++s) {
    const Step &step = semantics.steps[s];
    std::vector<int64_t> extents;
    if (step.kind == StepKind::View || step.kind == StepKind::Reduce) {
      if (step.kind == StepKind::Reduce) {
        extents = slots[step.a];
        extents.erase(extents.begin() + step.reduction.dim);
      } else {
        for (uint32_t d : step.dims)
          extents.push_back(d == Step::kUnit ? 1 : slots[step.a][d]);
      }
      if (step.dest < argumentExtents.size() && slots[step.dest] != extents)
        return Status::invalidInput(
            "step " + std::to_string(s) + ": the result has extents " +
            formatExtents(slots[step.dest]) + ", the operand gives " +
            formatExtents(extents));
      slots[step.dest] = extents;
      continue;
    }
    if (step.kind == StepKind::Attention) {
      if (Status bad = addAttentionExtents(step, argumentExtents.size(), slots);
          !bad.ok())
        return bad.withPrefix("step " + std::to_string(s) + ": ");
      continue;
    }
    if (step.kind == StepKind::Matmul) {
      auto product = productExtents(step, slots);
      if (!product.ok())
        return product.status().withPrefix("step " + std::to_string(s) + ": ");
      extents = product->result();
      if (product->grouped)
        extents.insert(extents.begin(), product->batch[0]);
    } else if (step.dest < argumentExtents.size()) {
      extents = slots[step.dest];
    }
    for (uint32_t f : step.fused) {
      std::vector<int64_t> both, own = slots[f];
      for (const Step::Groups &groups : step.groups) {
        if (f == step.fused.front() && groups.parts > 1) {
          own[groups.dim] *= groups.parts;
          if (own[groups.dim] % groups.size != 0)
            return Status::invalidInput(
                "step " + std::to_string(s) + ": expected whole groups of " +
                std::to_string(groups.size) + " along dimension " +
                std::to_string(groups.dim) + ", got " +
                std::to_string(own[groups.dim]));
          continue;
        }
        if (extents.empty())
          continue;
        const size_t dim = groups.dim + own.size() - extents.size();
        const int64_t all = extents[groups.dim];
        if (dim < own.size() &&
            own[dim] == (all + groups.size - 1) / groups.size)
          own[dim] = all;
      }
      const bool agree = broadcast(extents, own, both);
      const bool grows =
          step.kind == StepKind::Matmul || step.dest < argumentExtents.size();
      if (!agree || (grows && both != extents))
        return Status::invalidInput(
            "step " + std::to_string(s) + ": a fused operand of " +
            formatExtents(slots[f]) + " does not broadcast to " +
            formatExtents(extents));
      extents = both;
    }
    if (step.kind == StepKind::Matmul && step.ends)
      extents.erase(extents.begin());
    if (step.dest < argumentExtents.size() && slots[step.dest] != extents)
      return Status::invalidInput(
          "step " + std::to_string(s) + ": the result has extents " +
          formatExtents(slots[step.dest]) + ", the operands give " +
          formatExtents(extents));
    slots[step.dest] = extents;
  }
  return slots;
}

Result<double>
multiplyAdds(const bundle::Kernel &kernel,
             const std::vector<std::vector<int64_t>> &argumentExtents) {
  auto slots = slotExtents(kernel, argumentExtents);
  if (!slots.ok())
    return slots.status();
  double sum = 0;
  for (const Step &step : kernel.semantics->steps)
    if (step.kind == StepKind::Attention) {
      auto e = detail::attentionExtents(step, *slots);
      if (!e.ok())
        return e.status();
      sum += double(e->rows()) * double(e->keys) *
             double(e->depth + e->valueDepth);
    } else if (step.kind == StepKind::Matmul) {
      auto p = productExtents(step, *slots);
      if (!p.ok())
        return p.status();
      sum += double(p->k) * double(elementCount(p->result()));
    }
  return sum;
}

SumTolerance sumTolerance(ElementType accumulator, int64_t k) {
  const double u = unitRoundoff(accumulator), depth = double(k);
  if (u == 0)
    return {};
  if (accumulator == ElementType::F32 || accumulator == ElementType::F64) {
    // c * K * u with c between 1/8 and 1: the errors of a long sum grow as its
    // square root unless the unit truncates.
    const double c =
        std::max(0.125, std::min(1.0, 8 / std::sqrt(std::max(depth, 1.0))));
    return {c * depth * u};
  }
  // Sixteen bits: K * u would allow anything. The inputs have mean zero, so
  // partial sums grow as a walk; 4 is about ten standard deviations of its
  // rounding errors, and the share covers units that truncate each of K/8
  // partial sums. Below the smallest normal number each of them is cut to a
  // multiple of the smallest one, 2^-24.
  const double half = accumulator == ElementType::F16 ? 0x1p-25 : 0;
  return {4 * u, depth / 8 * u, std::min(depth, 4 * std::sqrt(depth)) * half};
}

ProductTolerance productTolerance(const bundle::Step &step, ElementType a,
                                  ElementType b, int64_t k) {
  ProductTolerance result{sumTolerance(step.accumulator, k), 0};
  int bits = int(bundle::significandBits(step.accumulator));
  auto isNarrow = [](ElementType type) {
    return bundle::isFloat(type) && bundle::elementBits(type) == 8;
  };
  // Engines cut sums of 8-bit floats off 13 bits behind the point of their
  // largest term: all sums, or those of 128 elements, whose norms add up to no
  // more than that of all.
  constexpr int kSumBits = 14, kPart = 128;
  if (step.hasScales || (isNarrow(a) && isNarrow(b))) {
    const double u = std::ldexp(1.0, 1 - kSumBits);
    const auto depth = double(step.fastSums ? k : std::min<int64_t>(k, kPart));
    result.factor += 4 * u;
    result.share += depth / 8 * u;
    bits = kSumBits;
  }
  result.exactBelow = bits ? std::ldexp(1.0, bits) : 0;
  return result;
}

bool isSingleProduct(const bundle::Kernel &kernel) {
  if (!kernel.semantics || kernel.semantics->steps.size() != 1)
    return false;
  const Step &step = kernel.semantics->steps.front();
  const size_t arguments = kernel.arguments.size();
  return step.kind == StepKind::Matmul && !step.ends && step.a < arguments &&
         step.b < arguments && step.dest < arguments;
}

bool hasSingleElements(
    const bundle::Kernel &kernel,
    const std::vector<std::vector<int64_t>> &argumentExtents) {
  if (!kernel.semantics || kernel.semantics->steps.empty())
    return false;
  auto extents = slotExtents(kernel, argumentExtents);
  if (!extents.ok())
    return false;
  const size_t arguments = kernel.arguments.size();
  const std::vector<Step> &steps = kernel.semantics->steps;
  return std::all_of(steps.begin(), steps.end(), [&](const Step &step) {
    const bool isProduct = step.kind == StepKind::Matmul && !step.ends &&
                           step.a < arguments && step.b < arguments;
    return (isProduct ||
            (step.kind == StepKind::Elementwise && step.groups.empty())) &&
           (*extents)[step.dest] == (*extents)[steps.back().dest];
  });
}

bool hasGroups(const bundle::Kernel &kernel) {
  return kernel.semantics &&
         std::any_of(kernel.semantics->steps.begin(),
                     kernel.semantics->steps.end(),
                     [](const Step &step) { return step.ends.has_value(); });
}

bool hasAttention(const bundle::Kernel &kernel) {
  return kernel.semantics &&
         std::any_of(
             kernel.semantics->steps.begin(), kernel.semantics->steps.end(),
             [](const Step &step) { return step.kind == StepKind::Attention; });
}

bool isSingleAttention(const bundle::Kernel &kernel) {
  if (!hasAttention(kernel))
    return false;
  const size_t arguments = kernel.arguments.size();
  const auto &steps = kernel.semantics->steps;
  const Step &step = steps.back();
  return std::all_of(steps.begin(), steps.end() - 1,
                     [&](const Step &s) {
                       return s.kind == StepKind::View && s.a < arguments &&
                              s.dest >= arguments;
                     }) &&
         step.kind == StepKind::Attention && step.a < arguments &&
         step.b < arguments && step.attention.value < arguments &&
         step.dest < arguments &&
         (!step.attention.lse || *step.attention.lse < arguments);
}

bool canRepeatLines(const bundle::Kernel &kernel) {
  if (!isSingleProduct(kernel))
    return false;
  const Step &step = kernel.semantics->steps.front();
  const bool isFused =
      std::any_of(step.fused.begin(), step.fused.end(),
                  [&](uint32_t f) { return f == step.a || f == step.b; });
  return step.a != step.b && !isFused;
}

namespace detail {

StepContext::StepContext(const Problem &problem, const Step &step,
                         std::vector<int64_t> destExtents,
                         const std::vector<const HostTensor *> &slots)
    : step(step), extents(std::move(destExtents)),
      scalars(problem.scalars.data()),
      argumentExtents(detail::argumentExtents(problem)) {
  for (uint32_t f : step.fused) {
    FusedOperand operand;
    operand.tensor = slots[f];
    operand.type = problem.kernel->semantics->slots[f].type;
    const auto &e = operand.tensor->extents;
    operand.strides.assign(extents.size(), 0);
    operand.groups.assign(extents.size(), {});
    int64_t stride = 1;
    for (size_t d = 0; d < e.size(); ++d) {
      const size_t from = e.size() - 1 - d, to = extents.size() - 1 - d;
      operand.strides[to] = e[from] == 1 ? 0 : stride;
      for (const Step::Groups &groups : step.groups)
        if (to == groups.dim && e[from] != extents[to])
          operand.groups[to] = groups.parts > 1 && fused.empty()
                                   ? OperandGroups{groups.size, groups.parts}
                                   : OperandGroups{groups.size, groups.size};
      stride *= e[from];
    }
    fused.push_back(std::move(operand));
  }
  for (const bundle::ScalarOp &op : step.region.ops)
    usesIndices |= op.kind == bundle::ScalarOpKind::Index;
}

SegmentEvaluator::SegmentEvaluator(const StepContext &context)
    : context(context), evaluator(context.step.region),
      fusedLanes(context.fused.size()), indices(context.extents.size()) {
  for (const Lanes &l : fusedLanes)
    fusedPointers.push_back(&l);
  for (auto &list : indices) {
    list.resize(kLanes);
    indexPointers.push_back(list.data());
  }
}

const Lanes &SegmentEvaluator::evaluate(int64_t offset, int count,
                                        const Lanes *accumulator) {
  const size_t rank = context.extents.size();
  // Coordinates of the first element; the others follow along the last
  // dimension.
  std::vector<int64_t> at(rank);
  int64_t rest = offset;
  for (size_t d = rank; d-- > 0;) {
    at[d] = rest % context.extents[d];
    rest /= context.extents[d];
  }
  if (context.usesIndices)
    for (size_t d = 0; d < rank; ++d)
      for (int i = 0; i < count; ++i)
        indices[d][size_t(i)] = at[d] + (d + 1 == rank ? i : 0);
  for (size_t f = 0; f < context.fused.size(); ++f) {
    const FusedOperand &operand = context.fused[f];
    int64_t first = 0;
    for (size_t d = 0; d + 1 < rank; ++d)
      first += operand.groups[d].elementOf(at[d]) * operand.strides[d];
    const int64_t step = rank ? operand.strides[rank - 1] : 0;
    const int64_t last = rank ? at[rank - 1] : 0;
    const OperandGroups groups =
        rank ? operand.groups[rank - 1] : OperandGroups();
    Lanes &to = fusedLanes[f];
    const HostTensor &t = *operand.tensor;
    const bool exact = t.lo.empty();
    for (int i = 0; i < count; ++i) {
      const size_t e = size_t(first + groups.elementOf(last + i) * step);
      to.value[i] = t.values[e];
      to.lo[i] = exact ? t.values[e] : t.lo[e];
      to.hi[i] = exact ? t.values[e] : t.hi[e];
      to.integer[i] = bundle::isFloat(operand.type) ? 0 : int64_t(t.values[e]);
    }
  }
  RegionInputs in;
  in.count = count;
  in.accumulator = accumulator;
  in.fused = fusedPointers.data();
  // Groups are no dimension of the result.
  in.indices = indexPointers.data() + (context.step.ends ? 1 : 0);
  in.scalars = context.scalars;
  in.extents = &context.argumentExtents;
  return evaluator.evaluate(in);
}

} // namespace detail

} // namespace helios::bench
