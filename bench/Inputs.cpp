// Part of the Helios project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "helios/Bench/Inputs.h"
#include "ReferenceImpl.h"
#include "helios/Bench/Numbers.h"
#include "helios/Bench/Parallel.h"
#include "helios/Bench/Random.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace helios::bench {

using bundle::ElementType;
using bundle::Step;
using bundle::StepKind;

const char *inputKindName(InputKind kind) {
  switch (kind) {
  case InputKind::Uniform:
    return "uniform";
  case InputKind::Integers:
    return "integers";
  case InputKind::Normal:
    return "normal";
  case InputKind::Repeated:
    return "repeated lines";
  }
  return "?";
}

IntegerInputs integerInputs(double exactBelow, int64_t k) {
  const double limit =
      (exactBelow ? exactBelow : 0x1p31) / 1.5; // room for lines above the mean
  const double depth = double(std::max<int64_t>(k, 1));
  if (depth * (20.0 / 3) < limit) // mean square of [-4, 4]
    return {4, 1};
  return {1, std::min(1.0, limit / (depth * (2.0 / 3)))};
}

namespace {

void fill(HostTensor &t, ElementType type, InputKind kind,
          const RandomStream &random, const IntegerInputs &integers) {
  const int64_t count = t.elements();
  t.values.resize(size_t(count));
  const bool isFloat = bundle::isFloat(type);
  const auto threshold = uint64_t(std::min(integers.density, 1.0) * 0x1p32);
  constexpr int64_t band = 1 << 16;
  parallelFor((count + band - 1) / band, [&](int64_t task) {
    for (int64_t i = task * band; i < std::min(count, (task + 1) * band); ++i) {
      double v;
      if (kind == InputKind::Integers) {
        const uint64_t bits = random.bits(uint64_t(i));
        // The low half decides whether the element is zero, the high half which
        // integer it is.
        v = (bits & 0xffffffffu) < threshold
                ? double(int64_t(((bits >> 32) *
                                  uint64_t(2 * integers.bound + 1)) >>
                                 32) -
                         integers.bound)
                : 0;
      } else {
        const double real = kind == InputKind::Normal
                                ? random.normal(uint64_t(i))
                                : random.uniform(uint64_t(i));
        v = isFloat ? roundFloat(type, real)
                    : double(random.integer(uint64_t(i), 5));
      }
      if (type == ElementType::U8 || type == ElementType::I1)
        v = std::fabs(v);
      t.values[size_t(i)] = type == ElementType::I1 ? double(v != 0) : v;
    }
  });
}

/// Elements that an argument holds in one.
int64_t partsOf(const bundle::Kernel &kernel, uint32_t argument) {
  int64_t parts = 1;
  if (kernel.semantics)
    for (const Step &step : kernel.semantics->steps)
      for (const Step::Groups &groups : step.groups)
        if (step.fused.front() == argument)
          parts = std::max<int64_t>(parts, groups.parts);
  return parts;
}

/// Integers that hold several of fewer bits, each of which is drawn by itself.
void fillParts(HostTensor &t, ElementType type, int64_t parts, InputKind kind,
               const RandomStream &random, const IntegerInputs &integers) {
  const int64_t bits = bundle::elementBits(type) / parts;
  const int64_t largest = (int64_t(1) << (bits - 1)) - 1;
  const int64_t bound =
      kind == InputKind::Integers ? std::min(integers.bound, largest) : largest;
  const int64_t range = int64_t(1) << bundle::elementBits(type);
  t.values.resize(size_t(t.elements()));
  for (size_t i = 0; i < t.values.size(); ++i) {
    int64_t whole = 0;
    for (int64_t part = 0; part < parts; ++part)
      whole |= (random.integer(i * uint64_t(parts) + uint64_t(part), bound) &
                ((int64_t(1) << bits) - 1))
               << (part * bits);
    t.values[i] = double(whole < range / 2 ? whole : whole - range);
  }
}

RepeatedLines chooseLines(int64_t count, int64_t distinct,
                          const RandomStream &random) {
  RepeatedLines lines;
  lines.map.resize(size_t(count));
  for (int64_t i = 0; i < count; ++i)
    lines.map[size_t(i)] =
        int64_t(random.below(uint64_t(i), uint64_t(distinct)));
  return lines;
}

} // namespace

Result<Problem> makeInputs(const bundle::Kernel &kernel,
                           const std::vector<std::vector<int64_t>> &extents,
                           InputKind kind, uint64_t seed,
                           const std::map<std::string, double> &scalars) {
  Problem problem;
  problem.kernel = &kernel;
  problem.arguments.resize(kernel.arguments.size());
  problem.scalars.resize(kernel.arguments.size());
  for (size_t n = 0; n < extents.size(); ++n)
    problem.arguments[n].extents = extents[n];

  IntegerInputs integers{4, 1};
  if (kernel.semantics && kind == InputKind::Integers) {
    auto slots = slotExtents(kernel, extents);
    if (!slots.ok())
      return slots.status();
    for (const Step &step : kernel.semantics->steps)
      if (step.kind == StepKind::Matmul || step.kind == StepKind::Attention) {
        const int64_t depth = step.kind == StepKind::Matmul
                                  ? productExtents(step, *slots)->k
                                  : (*slots)[step.a].back();
        const auto &types = kernel.semantics->slots;
        const IntegerInputs own =
            integerInputs(productTolerance(step, types[step.a].type,
                                           types[step.b].type, depth)
                              .exactBelow,
                          depth);
        if (own.bound < integers.bound || own.density < integers.density)
          integers = own;
      }
  }
  if (kind == InputKind::Repeated) {
    const Step &step = kernel.semantics->steps.front();
    auto &a = problem.arguments[step.a].extents,
         &b = problem.arguments[step.b].extents;
    int64_t &m = a[a.size() - (step.transposeA ? 1 : 2)],
            &n = b[b.size() - (step.transposeB ? 2 : 1)];
    const RandomStream rows(seed, 1000), columns(seed, 1001);
    const int64_t distinctM = std::min(m, kDistinctLines),
                  distinctN = std::min(n, kDistinctLines);
    problem.rows = chooseLines(m, distinctM, rows);
    problem.columns = chooseLines(n, distinctN, columns);
    m = distinctM;
    n = distinctN;
  }
  for (size_t n = 0; n < kernel.arguments.size(); ++n) {
    const bundle::Argument &argument = kernel.arguments[n];
    if (argument.kind == bundle::ArgumentKind::Scalar) {
      auto given = scalars.find(argument.name);
      const double value = given == scalars.end() ? 1 : given->second;
      // 2^63, the first number beyond integers of 64 bits.
      constexpr double beyond = 9223372036854775808.0;
      if (!bundle::isFloat(argument.type) &&
          !(value >= -beyond && value < beyond && value == std::trunc(value))) {
        char text[32];
        std::snprintf(text, sizeof text, "%.17g", value);
        return Status::invalidInput("scalar '" + argument.name +
                                    "': expected an integer of 64 bits, got " +
                                    text);
      }
      const uint64_t bits = bundle::encodeElement(argument.type, value);
      problem.scalars[n] =
          bundle::isFloat(argument.type) ? int64_t(bits) : int64_t(value);
      continue;
    }
    if (argument.isResult)
      continue;
    HostTensor &tensor = problem.arguments[n];
    const RandomStream random(seed, n);
    if (const int64_t parts = partsOf(kernel, uint32_t(n)); parts > 1)
      fillParts(tensor, argument.type, parts, kind, random, integers);
    else
      fill(tensor, argument.type, kind, random, integers);
  }
  return problem;
}

/// Sizes as uneven as those of experts: a few groups have most rows, some none,
/// and a few rows at the end belong to none.
static std::vector<int64_t> skewedEnds(int64_t groups, int64_t rows,
                                       const RandomStream &random) {
  double total = 0;
  std::vector<double> sums;
  for (int64_t g = 0; g < groups; ++g)
    sums.push_back(total += std::exp(1.5 * random.normal(uint64_t(g))));
  std::vector<int64_t> ends;
  for (double sum : sums)
    ends.push_back(int64_t(double(rows - rows / 64) * sum / total));
  return ends;
}

/// The rows of a grouped product's left operand, which may be computed before.
static Result<int64_t> rowsOf(const Problem &problem, const Step &step) {
  if (step.a < problem.arguments.size())
    return problem.arguments[step.a].extents[0];
  auto slots = slotExtents(*problem.kernel, detail::argumentExtents(problem));
  if (!slots.ok())
    return slots.status();
  return (*slots)[step.a][0];
}

Status putEnds(Problem &problem, const GroupEnds &ends, uint64_t seed) {
  bool any = false;
  const bundle::Kernel &kernel = *problem.kernel;
  if (kernel.semantics)
    for (const Step &step : kernel.semantics->steps) {
      const size_t arguments = problem.arguments.size();
      if (!step.ends || *step.ends >= arguments)
        continue;
      any = true;
      auto found = rowsOf(problem, step);
      if (!found.ok())
        return found.status();
      HostTensor &tensor = problem.arguments[*step.ends];
      const int64_t groups = tensor.elements(), rows = *found;
      std::vector<int64_t> values = ends.given;
      if (ends.kind == GroupEnds::Skewed)
        values =
            skewedEnds(groups, rows, RandomStream(seed, 4000 + *step.ends));
      else if (ends.kind == GroupEnds::Even)
        for (int64_t g = 1; g <= groups; ++g)
          values.push_back(rows * g / groups);
      if (int64_t(values.size()) != groups)
        return Status::invalidInput("--ends: expected an end for each of the " +
                                    std::to_string(groups) +
                                    " groups of kernel '" + kernel.name +
                                    "', got " + std::to_string(values.size()));
      tensor.values.assign(values.begin(), values.end());
    }
  if (!any && ends.kind != GroupEnds::Skewed)
    return Status::invalidInput("--ends: expected a kernel with a grouped "
                                "product whose ends are an argument, got '" +
                                kernel.name + "'");
  return Status::success();
}

Status putGarbage(Problem &problem, const std::vector<Garbage> &garbage) {
  for (const Garbage &g : garbage) {
    const auto &arguments = problem.kernel->arguments;
    const auto found = std::find_if(
        arguments.begin(), arguments.end(), [&](const bundle::Argument &a) {
          return a.name == g.name && !a.isResult &&
                 a.kind != bundle::ArgumentKind::Scalar &&
                 bundle::isFloat(a.type);
        });
    if (found == arguments.end())
      return Status::invalidInput(
          "--garbage: expected an input tensor of floats of kernel '" +
          problem.kernel->name + "', got '" + g.name + "'");
    HostTensor &t = problem.arguments[size_t(found - arguments.begin())];
    if (g.dim >= t.extents.size())
      return Status::invalidInput(
          "--garbage: expected a dimension of '" + g.name + "' below " +
          std::to_string(t.extents.size()) + ", got " + std::to_string(g.dim));
    int64_t inner = 1;
    for (size_t d = g.dim + 1; d < t.extents.size(); ++d)
      inner *= t.extents[d];
    for (int64_t e = 0; e < t.elements(); ++e)
      if (e / inner % t.extents[g.dim] >= g.from)
        t.values[size_t(e)] = NAN;
  }
  return Status::success();
}

} // namespace helios::bench
